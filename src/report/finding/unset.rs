//! Messages for variables that are read before they are set.

use super::names::{Names, lanes};
use super::words::Words;
use crate::analysis::check::{Finding, Participant};

/// Words before a declared name that are no types.
const NO_TYPES: [&str; 6] = ["return", "else", "goto", "case", "delete", "typename"];

pub(super) fn unset(names: &Names<'_>, finding: &Finding) -> Option<Words> {
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
    Some(Words::new(message, advice))
}

/// The variable that a line reads and that is declared without a value before it, if there is one
/// such.
fn variable(names: &Names<'_>, side: &Participant) -> Option<String> {
    if names.problem.other_file(names.program, side.pc).is_some() {
        return None;
    }
    let lines: Vec<_> = names.problem.source.as_ref()?.text.lines().collect();
    let here = (side.line? as usize).checked_sub(1)?;
    let mut found = words(lines.get(here)?);
    found.sort_unstable();
    found.dedup();
    let before = &lines[..=here];
    let is_unset = |word: &&str| {
        let declared = before.iter().rev().find_map(|line| declaration(line, word));
        declared == Some(false)
    };
    let mut unset = found.into_iter().filter(is_unset);
    unset.next().filter(|_| unset.next().is_none()).map(str::to_owned)
}

/// Whether a line declares a variable of this name with a value; `None` if it declares none.
fn declaration(line: &str, name: &str) -> Option<bool> {
    let code = line.split("//").next().unwrap_or_default();
    let mut rest = code;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        rest = after;
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        let statement = before.rsplit([';', '{', '}', '(']).next().unwrap_or_default();
        let first = words(statement).first().copied();
        let is_type = first.is_some_and(|word| !NO_TYPES.contains(&word));
        let is_plain = statement.chars().all(|c| is_part(c) || " \t,".contains(c));
        if is_whole && is_type && is_plain {
            return Some(!after.trim_start().starts_with([';', ',']));
        }
    }
    None
}

fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !is_part(c));
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_')).collect()
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
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
            assert_eq!(declaration(line, "sum"), value, "{line}");
        }
    }
}
