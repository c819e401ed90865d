//! The tokens of a CUDA source, without its comments, and the function around a line.

/// A token: a name, a number, an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) struct Token<'t> {
    pub(in crate::report) text: &'t str,
    /// Its line, from 1.
    pub(in crate::report) line: u32,
    /// The byte of its line at which it begins.
    pub(in crate::report) at: usize,
}

/// Operators of several characters, the longest first.
const OPERATORS: [&str; 22] = [
    "<<=", ">>=", "->", "::", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "++", "--",
];

impl Token<'_> {
    /// Whether it is a word.
    pub(in crate::report) fn is_name(&self) -> bool {
        self.text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
    }
}

/// Splits a text into tokens.
pub(in crate::report) fn scan(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut open = false;
    for (line, whole) in (1..).zip(text.lines()) {
        let mut rest = whole;
        while !rest.is_empty() {
            let at = whole.len() - rest.len();
            let length = if open { until(rest, "*/") } else { length(rest) };
            let (text, after) = rest.split_at(length);
            if open || text.starts_with("/*") {
                open = !text.ends_with("*/") || text.len() < 4 && !open;
            } else {
                let says = !text.starts_with("//") && !text.trim().is_empty();
                tokens.extend(says.then_some(Token { text, line, at }));
            }
            rest = after;
        }
    }
    tokens
}

/// The length of the token, the blanks or the comment with which a text begins.
fn length(text: &str) -> usize {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let first = text.chars().next().unwrap_or(' ');
    let ends = |part: fn(char) -> bool| text.find(|c| !part(c)).unwrap_or(text.len());
    match first {
        _ if text.starts_with("//") => text.len(),
        _ if text.starts_with("/*") => 2 + until(&text[2..], "*/"),
        '"' | '\'' => 1 + until(&text[1..], &first.to_string()),
        c if c.is_whitespace() => ends(char::is_whitespace),
        c if c.is_ascii_digit() => ends(|c| c.is_ascii_alphanumeric() || c == '.'),
        c if word(c) => ends(|c| c.is_ascii_alphanumeric() || c == '_'),
        _ => {
            let operator = OPERATORS.into_iter().find(|operator| text.starts_with(operator));
            operator.map_or(first.len_utf8(), str::len)
        }
    }
}

/// The length up to and with this end, or of everything.
fn until(text: &str, end: &str) -> usize {
    text.find(end).map_or(text.len(), |at| at + end.len())
}

/// Returns the place of the bracket that closes the one with which the tokens begin.
pub(in crate::report) fn closing(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0;
    tokens.iter().position(|token| {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// Keeps the function that contains a line, the directives, and what stands outside of functions.
pub(super) fn around(tokens: Vec<Token<'_>>, line: u32) -> Vec<Token<'_>> {
    let mut kept: Vec<Token<'_>> = Vec::new();
    let (mut depth, mut part) = (0_i32, Vec::new());
    let mut directive = 0;
    for token in tokens {
        if token.text == "#" {
            directive = token.line;
        }
        if token.line == directive {
            kept.push(token);
            continue;
        }
        part.push(token);
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth <= 0 && matches!(token.text, ";" | "}") {
            keep(&mut kept, std::mem::take(&mut part), line);
        }
    }
    keep(&mut kept, part, line);
    kept.sort_by_key(|token| (token.line, token.at));
    kept
}

/// Adds a part of the file, unless it is a function elsewhere.
fn keep<'t>(kept: &mut Vec<Token<'t>>, part: Vec<Token<'t>>, line: u32) {
    let lines = part.first().zip(part.last());
    let here = lines.is_some_and(|(first, last)| (first.line..=last.line).contains(&line));
    if here || part.iter().all(|token| token.text != "{") {
        kept.extend(part);
    }
}
