//! The regions of a solution, of which the starter is made.
//!
//! ```text
//! //> solution
//!     sA[ty][tx] = A[row * K + t + tx];
//! //> starter
//! //|     // Bring one element of the tile of A.
//! //> end
//! ```

/// What begins a line that the starter has, and the solution has not.
const STARTER_LINE: &str = "//|";

/// Where a line of a solution's file belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineRegion {
    Both,
    Solution,
    Starter,
}

/// The solution and the starter of a file.
///
/// # Errors
/// The line, from 1, that is no region's or leaves one open, and what is wrong with it.
pub(super) fn of(file: &str) -> Result<(String, String), (u32, &'static str)> {
    let (mut solution, mut starter) = (String::new(), String::new());
    let mut region = LineRegion::Both;
    let mut last = 0;
    for (number, line) in (1..).zip(file.lines()) {
        last = number;
        let next = match (line.trim(), region) {
            ("//> solution", LineRegion::Both) => Some(LineRegion::Solution),
            ("//> starter", LineRegion::Solution) => Some(LineRegion::Starter),
            ("//> end", LineRegion::Starter) => Some(LineRegion::Both),
            (mark, _) if mark.starts_with("//>") => {
                return Err((number, "expected `//> solution`, `//> starter`, `//> end` in turn"));
            }
            _ => None,
        };
        if let Some(next) = next {
            region = next;
            continue;
        }
        let is_of_starter = line.trim_start().starts_with(STARTER_LINE);
        match region {
            LineRegion::Starter if is_of_starter => {
                let at = line.find(STARTER_LINE).unwrap_or(0) + STARTER_LINE.len();
                push(&mut starter, &line[at..]);
            }
            LineRegion::Starter => return Err((number, "a line of the starter begins with `//|`")),
            _ if is_of_starter => return Err((number, "`//|` stands after `//> starter`")),
            LineRegion::Solution => push(&mut solution, line),
            LineRegion::Both => {
                push(&mut solution, line);
                push(&mut starter, line);
            }
        }
    }
    if region == LineRegion::Both {
        Ok((solution, starter))
    } else {
        Err((last, "`//> end` is missing"))
    }
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_starter_has_its_lines_in_the_place_of_the_solution() {
        let file = "a\n//> solution\n  b\n//> starter\n//|  // your turn\n//> end\nc\n";
        let (solution, starter) = of(file).expect("it is well formed");
        assert_eq!((&*solution, &*starter), ("a\n  b\nc\n", "a\n  // your turn\nc\n"));
        for (wrong, line) in [
            ("//> starter\n", 1),
            ("//> solution\n//> starter\nb\n//> end\n", 3),
            ("a\n//> solution\n", 2),
            ("//| a\n", 1),
        ] {
            assert_eq!(of(wrong).map_err(|(line, _)| line), Err(line), "{wrong}");
        }
    }
}
