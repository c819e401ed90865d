//! What changed in a source between two saves, as a unified diff.

use similar::{ChangeTag, TextDiff};

/// Lines around a change that are shown with it.
const AROUND: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// What happened to it.
    pub sign: Sign,
    /// Its number in the new text or, of a line that is gone, in the old one.
    pub number: u32,
    /// The line, without its end.
    pub text: String,
}

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It is as before.
    Same,
    Gone,
    New,
    /// Lines that are as before are left out here.
    Gap,
}

impl Sign {
    /// As a unified diff has it.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Same => " ",
            Self::Gone => "-",
            Self::New => "+",
            Self::Gap => "@",
        }
    }
}

/// The changed lines with some around them; empty if the texts are equal.
pub fn difference(old: &str, new: &str) -> Vec<DiffLine> {
    let diff = TextDiff::from_lines(old, new);
    let mut lines = Vec::new();
    for hunk in diff.grouped_ops(AROUND) {
        if !lines.is_empty() {
            lines.push(DiffLine { sign: Sign::Gap, number: 0, text: String::new() });
        }
        for change in hunk.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, at) = match change.tag() {
                ChangeTag::Equal => (Sign::Same, change.new_index()),
                ChangeTag::Delete => (Sign::Gone, change.old_index()),
                ChangeTag::Insert => (Sign::New, change.new_index()),
            };
            let number = at.map_or(0, |at| at as u32 + 1);
            let text = change.value().trim_end_matches(['\n', '\r']).to_owned();
            lines.push(DiffLine { sign, number, text });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_stands_between_its_neighbours_with_their_numbers() {
        let old = (1..=20).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
        let new = old.replace("line 10\n", "line ten\n").replace("line 20\n", "");
        let told: Vec<_> = difference(&old, &new)
            .iter()
            .map(|line| format!("{}{} {}", line.sign.mark(), line.number, line.text))
            .collect();
        let expected = [
            " 8 line 8",
            " 9 line 9",
            "-10 line 10",
            "+10 line ten",
            " 11 line 11",
            " 12 line 12",
            "@0 ",
            " 18 line 18",
            " 19 line 19",
            "-20 line 20",
        ];
        assert_eq!(told, expected);
        assert_eq!(difference(&old, &old), []);
    }
}
