//! Where a line of code that is too long is broken.

use super::text::width;

/// Columns by which the further rows of a line are indented.
pub const HANG: u16 = 2;

/// The columns of blanks and tabs before a line.
pub fn indent(line: &str) -> u16 {
    let blanks = line.chars().take_while(|c| c.is_whitespace());
    blanks.fold(0, |columns, c| if c == '\t' { (columns / 4 + 1) * 4 } else { columns + 1 })
}

/// The blanks with which all lines begin that are not empty.
pub fn shared_indent<'a>(lines: impl Iterator<Item = &'a str>) -> usize {
    let lines = lines.filter(|line| !line.trim().is_empty());
    let blanks = |line: &str| line.chars().take_while(|letter| letter.is_whitespace()).count();
    lines.map(blanks).min().unwrap_or(0)
}

/// The rows of a line of code that has `room` columns, the further ones indented.
pub fn wrapped(line: &str, room: u16) -> Vec<String> {
    let code = line.trim_start();
    let indent = indent(line).min(room / 2);
    let parts = wrap(code, room.saturating_sub(indent)).into_iter().enumerate();
    let hang = |number: usize| indent + if number > 0 { HANG } else { 0 };
    parts.map(|(number, (_, part))| " ".repeat(hang(number).into()) + part).collect()
}

/// Splits code into parts that fit, each with the byte at which it begins.
pub fn wrap(code: &str, room: u16) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut rest, mut room) = (code, room);
    while width(rest) > room && room > HANG {
        let (part, after) = rest.split_at(break_at(rest, room));
        parts.push((code.len() - rest.len(), part.trim_end()));
        rest = after.trim_start();
        if parts.len() == 1 {
            room -= HANG;
        }
    }
    parts.push((code.len() - rest.len(), rest));
    parts
}

/// Where to break code so that the first part has at most `room` columns: at an operator that
/// lies within as few brackets as possible, the last of these; else before a further index.
pub fn break_at(code: &str, room: u16) -> usize {
    let room = usize::from(room);
    let (mut depth, mut best, mut before) = (0, None, ' ');
    for (column, (at, c)) in code.char_indices().enumerate().take(room + 1) {
        let cost = match (before, c) {
            (_, ' ') => Some(depth + cost_between(before, &code[at + 1..])),
            (']', '[') => Some(depth + BETWEEN_INDICES),
            _ => None,
        };
        if let Some(cost) = cost.filter(|_| column > room / 4)
            && best.is_none_or(|(least, _)| cost <= least)
        {
            best = Some((cost, at));
        }
        depth += match c {
            '[' => IN_INDEX,
            ']' => -IN_INDEX,
            '(' | '{' => 1,
            ')' | '}' => -1,
            _ => 0,
        };
        before = c;
    }
    let hard = || code.char_indices().nth(room.max(1)).map_or(code.len(), |(at, _)| at);
    best.map_or_else(hard, |(_, at)| at)
}

/// What it costs to break between words, between two indices, and within an index.
const BETWEEN_WORDS: i32 = 30;
const BETWEEN_INDICES: i32 = 50;
const IN_INDEX: i32 = 100;

/// What it costs to break at a blank: nothing before an operator or after a comma or an assignment.
fn cost_between(before: char, after: &str) -> i32 {
    let assigns = after.split(' ').next().is_some_and(|word| word.ends_with('='));
    let operator = after.starts_with(['?', ':', '+', '-', '*', '/', '%', '&', '|', '<', '>', '^']);
    match before {
        ',' | ';' | '=' => 0,
        _ if operator && !assigns => 0,
        _ => BETWEEN_WORDS,
    }
}
