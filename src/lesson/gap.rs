//! Where does a text belong? It is put after each line of a kernel in turn, compiled and checked.

use super::judged::{Judged, Trial};
use crate::lesson::error::RunError;
use crate::matrix::Size;
use crate::report::finding::Row;
use crate::report::number::Count;
use crate::work::{WorkToken, on_all_cores};
use cudac::CudaSource;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// A place between two lines, and what the kernel does with the text there.
#[derive(Clone, Debug)]
pub struct Gap {
    /// The line after which the text stands, from 1, in the source without it.
    pub line: u32,
    pub after: String,
    /// The results at each size, with the lines of the source as it is with the text, or why that
    /// does not compile.
    pub judged: Result<Vec<Judged>, RunError>,
}

/// Puts `text` after each line of the source's kernels in turn, and judges it at these sizes, on all
/// cores, until it is cancelled.
///
/// # Errors
/// The source has no kernel, or does not compile as it is.
pub fn gaps(
    trial: &Trial,
    text: &str,
    sizes: &[Size],
    token: &WorkToken,
) -> Result<Vec<Gap>, RunError> {
    trial.ready()?;
    let source = &trial.source.text;
    let lines = body(source).ok_or_else(|| RunError::NoBody(trial.source.file.clone()))?;
    let lines: Vec<_> = lines.collect();
    Ok(on_all_cores(&lines, (token, "line"), |line| Gap::judge(trial, *line, text, sizes)))
}

/// The source with `text` on a line of its own after a line, counted from 1, as far to the right as
/// what follows.
pub fn inserted(source: &str, line: u32, text: &str) -> String {
    let (before, after): (Vec<_>, Vec<_>) =
        (1..).zip(source.lines()).partition(|(number, _)| *number <= line);
    let next = after.iter().find(|(_, next)| !next.trim().is_empty());
    let indent = next.map_or("", |(_, next)| &next[..next.len() - next.trim_start().len()]);
    let put = format!("{indent}{text}");
    let lines = before.iter().map(|(_, line)| *line).chain([&*put]);
    let lines: Vec<_> = lines.chain(after.iter().map(|(_, line)| *line)).collect();
    lines.join("\n") + "\n"
}

/// The lines of a source after which a text is inside a kernel: from the one with its first bracket
/// to the one before its last.
pub fn body(source: &str) -> Option<RangeInclusive<u32>> {
    let source = CudaSource::read(source);
    let body = source.kernels().find_map(|kernel| kernel.body)?;
    let (first, last) = body.first().zip(body.last())?;
    Some(first.line..=last.line - 1)
}

impl Gap {
    /// Puts `text` after a line, counted from 1, and judges it.
    pub fn judge(trial: &Trial, line: u32, text: &str, sizes: &[Size]) -> Self {
        let source = &trial.source.text;
        let at = line.saturating_sub(1) as usize;
        let after = source.lines().nth(at).unwrap_or("").trim().to_owned();
        let judged = trial.with_text(inserted(source, line, text)).judge(sizes);
        Self { line, after, judged }
    }

    /// The lines that take part in findings, counted in the source without the text.
    pub fn lines(&self) -> BTreeSet<u32> {
        let lines = self.judged.iter().flatten().flat_map(Judged::lines);
        let before = |line: u32| line - u32::from(line > self.line);
        lines.filter(|line| *line != self.line + 1).map(before).collect()
    }

    /// The arrays on which it still goes wrong.
    pub fn arrays(&self) -> BTreeSet<&str> {
        let findings = self.judged.iter().flatten().flat_map(|judged| &judged.findings);
        let elements = findings.filter_map(Row::element);
        elements.map(|element| element.split('[').next().unwrap_or(element)).collect()
    }

    /// `sound`, `2 findings: race, lines 34, 41`, or why it does not compile.
    pub fn verdict(&self) -> String {
        let judged = match &self.judged {
            Ok(judged) => judged,
            Err(error) => {
                let told = error.to_string();
                let told = told.lines().next().unwrap_or("");
                return format!("does not compile: {told}");
            }
        };
        let right = if self.is_right() { "" } else { ", and C is WRONG" };
        if self.is_sound() {
            return format!("sound{right}");
        }
        let most = judged.iter().map(|judged| judged.findings.len()).max().unwrap_or(0);
        let kinds: BTreeSet<_> = judged.iter().flat_map(Judged::kinds).collect();
        let kinds: Vec<_> = kinds.into_iter().collect();
        let lines: Vec<_> = self.lines().iter().map(u32::to_string).collect();
        let (found, kinds) = (Count(most as u64, "finding"), kinds.join(", "));
        format!("{found}: {kinds}, lines {}{right}", lines.join(", "))
    }

    /// Whether it compiles, and the checks find nothing at any size.
    pub fn is_sound(&self) -> bool {
        self.judged.as_ref().is_ok_and(|judged| judged.iter().all(Judged::is_sound))
    }

    /// Whether it compiles, and C is right at every size.
    pub fn is_right(&self) -> bool {
        self.judged.as_ref().is_ok_and(|judged| judged.iter().all(|judged| judged.right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel;
    use crate::lesson::change;
    use crate::lesson::judged::sizes;

    /// After lines 30 to 33 the barrier follows the sum of the round before: the loop comes round.
    #[test]
    fn the_barrier_belongs_in_six_gaps_and_in_no_other() {
        let change = change::find("no-compute-barrier").expect("a change");
        let (trial, sizes) = (change.trial(16).expect("a kernel"), sizes(&["64", "60"]));
        let sizes = sizes.expect("sizes");
        let gaps = gaps(&trial, "__syncthreads();", &sizes, &WorkToken::default());
        let gaps = gaps.expect("it compiles");
        let which = |holds: fn(&Gap) -> bool| {
            gaps.iter().filter(|gap| holds(gap)).map(|gap| gap.line).collect::<Vec<_>>()
        };
        assert_eq!(which(Gap::is_sound), [30, 31, 32, 33, 41, 42]);
        assert_eq!(which(|gap| gap.judged.is_err()), [40], "between `for` and its statement");
        let found = |line: u32| {
            let gap = gaps.iter().find(|gap| gap.line == line).expect("a gap");
            gap.judged.as_ref().expect("it compiles")[0].findings.len()
        };
        assert_eq!((found(34), found(29)), (1, 2), "after 34 sB is safe, and sA is not");
        let gap = gaps.iter().find(|gap| gap.line == 34).expect("a gap");
        assert_eq!(gap.lines(), [34, 41].into(), "as they are numbered without the barrier");
    }

    #[test]
    fn a_kernel_is_launched_as_the_catalogue_says() {
        let sizes = sizes(&["128", "60x52x84"]).expect("sizes");
        for name in ["blocked_1d", "naive_rows", "tiled"] {
            let kernel = kernel::find(name).expect("a kernel");
            let tile = kernel.variant_for(sizes[0]).tile;
            let trial = Trial::of_catalogue(kernel, tile, kernel.source.to_owned());
            let trial = trial.expect("a tile");
            // A comment changes nothing.
            let gap = Gap::judge(&trial, 1, "// here", &sizes);
            assert!(gap.is_right() && gap.is_sound(), "{name}: {:?}", gap.judged);
        }
    }

    #[test]
    fn a_text_is_put_where_the_next_line_begins() {
        let source = "__global__ void k()\n{\n    a;\n\n    if (b) {\n        c;\n    }\n}\n";
        assert_eq!(body(source), Some(2..=7));
        assert_eq!(inserted(source, 3, "x;").lines().nth(3), Some("    x;"));
        assert_eq!(inserted(source, 5, "x;").lines().nth(5), Some("        x;"));
        assert_eq!(inserted(source, 9, "x;").lines().last(), Some("x;"));
        assert_eq!((body("// __global__ {"), body("__global__ void k() {")), (None, None));
    }
}
