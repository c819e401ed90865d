//! Messages for variables that are read before they are set.

use super::names::{Names, lanes};
use super::words::FindingText;
use crate::analysis::check::{Finding, Participant};
use cudac::{CudaSource, Lexeme};
use std::collections::BTreeSet;

/// Words before a declared name that are no types.
const NO_TYPES: [&str; 6] = ["return", "else", "goto", "case", "delete", "typename"];

pub(super) fn unset(names: &Names<'_>, finding: &Finding) -> Option<FindingText> {
    let side = finding.sides.first()?;
    let variable = variable(names, side);
    let read =
        variable.as_ref().map_or_else(|| "a variable".to_owned(), |name| format!("`{name}`"));
    let message = format!("{} reads {read} at {} before it is set", lanes(side), names.line(side));
    let example = variable.map_or_else(String::new, |name| format!(" ({name} = 0, for example)"));
    let advice = format!(
        "Give it a value where it is declared{example}: a local variable without one holds what its \
         register held before, and that is another number in another run."
    );
    Some(FindingText::new(message, advice))
}

/// The variable that a line reads and that is declared without a value before it, if there is one
/// such.
fn variable(names: &Names<'_>, side: &Participant) -> Option<String> {
    if names.problem.other_file(names.program, side.pc).is_some() {
        return None;
    }
    let source = CudaSource::read(&names.problem.source.as_ref()?.text);
    let lines = source.lexemes.chunk_by(|one, two| one.line == two.line);
    let before: Vec<_> = lines.take_while(|line| Some(line[0].line) <= side.line).collect();
    let here = before.last().filter(|line| Some(line[0].line) == side.line)?;
    let words: BTreeSet<_> = here.iter().filter(|one| one.is_word()).map(|one| one.text).collect();
    let is_unset = |word: &&str| {
        let declared = before.iter().rev().find_map(|line| declaration(line, word));
        declared == Some(false)
    };
    let mut unset = words.into_iter().filter(is_unset);
    unset.next().filter(|_| unset.next().is_none()).map(str::to_owned)
}

/// Whether a line declares a variable of this name with a value; `None` if it declares none.
fn declaration(line: &[Lexeme<'_>], name: &str) -> Option<bool> {
    let places = (0..line.len()).filter(|at| line[*at].text == name);
    let of = |at: usize| {
        let is_end = |one: &Lexeme<'_>| matches!(one.text, ";" | "{" | "}" | "(");
        let start = line[..at].iter().rposition(is_end).map_or(0, |end| end + 1);
        let (first, rest) = line[start..at].split_first()?;
        let is_type = first.is_word() && !NO_TYPES.contains(&first.text);
        let is_plain = rest.iter().all(|one| one.is_word() || one.text == ",");
        let has_value = line.get(at + 1).is_none_or(|next| !matches!(next.text, ";" | ","));
        (is_type && is_plain).then_some(has_value)
    };
    places.into_iter().find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_is_found_with_or_without_a_value() {
        for (line, value) in [
            ("  float sum;", Some(false)),
            ("  float a = 1.0f, sum;  // sum = 0", None),
            ("  float a, sum, b;", Some(false)),
            ("  const float sum = 0.0f;", Some(true)),
            ("  { int sum = 3;", Some(true)),
            ("  sum += a[i];", None),
            ("  return sum;", None),
            ("  float sums;", None),
            ("  for (int sum = 0; sum < 3; ++sum)", Some(true)),
        ] {
            let lexemes = CudaSource::read(line).lexemes;
            assert_eq!(declaration(&lexemes, "sum"), value, "{line}");
        }
    }
}
