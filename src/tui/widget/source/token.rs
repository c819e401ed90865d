//! The pieces of a line, and what each means.

use crate::tui::facts::listing::Operands;
use crate::tui::layout::Language;
use crate::tui::theme::{Depth, Look, Role};
use cudac::{Lexeme, LexemeKind, lexemes};
use ratatui::style::{Modifier, Style};
use std::ops::Range;

/// The class of a piece of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Highlight {
    Plain,
    Keyword,
    Comment,
    Barrier,
    /// The name of a matrix, in its colour.
    Matrix(Role),
    /// An instruction that moves data.
    Memory,
    /// The current line's number.
    Here,
}

impl Highlight {
    /// The style of a piece of this class.
    pub(super) fn style(self, look: Look) -> Style {
        match self {
            Self::Plain => look.text(),
            Self::Keyword => look.bold(),
            Self::Comment => look.dim(),
            Self::Barrier => look.strong(Role::Wait),
            Self::Matrix(role) => look.ink(role),
            Self::Memory => look.ink(Role::Memory),
            Self::Here => look.ink(Role::Here),
        }
    }
}

/// Splits a line into pieces with their classes. Hues keep their meaning: A, B and C have the same
/// colours as elsewhere, and so has code that moves data, computes or waits.
pub(super) fn tokens(line: &str, language: Language) -> Vec<(&str, Highlight)> {
    let (code, note) = line.split_at(comment(line));
    let mut tokens = match language {
        Language::Cuda => cuda_tokens(code),
        Language::Ptx => ptx_tokens(code),
    };
    if !note.is_empty() {
        tokens.push((note, Highlight::Comment));
    }
    tokens
}

fn cuda_tokens(code: &str) -> Vec<(&str, Highlight)> {
    let mut tokens = Vec::new();
    let mut end = 0;
    for lexeme in lexemes(code) {
        tokens.push((&code[end..lexeme.start], Highlight::Plain));
        let is_comment = lexeme.kind == LexemeKind::Comment;
        let class = if is_comment { Highlight::Comment } else { cuda(lexeme.text) };
        tokens.push((lexeme.text, class));
        end = lexeme.end();
    }
    tokens.push((&code[end..], Highlight::Plain));
    tokens.retain(|(text, _)| !text.is_empty());
    tokens
}

/// An instruction is one piece with its modifiers.
fn ptx_tokens(code: &str) -> Vec<(&str, Highlight)> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '%' | '@');
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        tokens.push((token, ptx(token)));
        rest = after;
    }
    tokens
}

/// Where the comment begins that ends a line. A Python comment takes a whole line.
pub(super) fn comment(line: &str) -> usize {
    let begins = line.find("# ").filter(|at| line[..*at].trim().is_empty());
    let hash = begins.filter(|at| !is_directive(&line[at + 1..]));
    // Most lines have none, and every line is asked at each frame.
    let may_have = ["//", "/*"].iter().any(|begins| line.contains(begins));
    let is_last = |one: &Lexeme<'_>| one.kind == LexemeKind::Comment && one.end() == line.len();
    let last = || lexemes(line).pop().filter(is_last).map(|one| one.start);
    hash.or_else(|| may_have.then(last).flatten()).unwrap_or(line.len())
}

/// Whether text after a `#` is a directive of the C++ preprocessor rather than a Python comment.
fn is_directive(text: &str) -> bool {
    let words = ["define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif"];
    let first = text.split_whitespace().next();
    first.is_some_and(|first| words.contains(&first) || first == "pragma")
}

impl Operands<'_> {
    /// The parts of a line of code that name the operands, with their indices.
    pub(super) fn within(self, line: &str) -> Vec<(Range<usize>, Role)> {
        let mut found = Vec::new();
        let mut at = 0;
        for (token, class) in tokens(line, Language::Cuda) {
            let end = at + token.len();
            let role = match (self, class) {
                (Self::Array(name, role), _) if token == name => Some(role),
                (Self::Product, Highlight::Matrix(role)) => Some(role),
                _ => None,
            };
            found.extend(role.map(|role| (at..end + indices(&line[end..]), role)));
            at = end;
        }
        found
    }
}

/// The length of the `[row][column]` with which a text begins.
fn indices(text: &str) -> usize {
    let mut depth = 0;
    let ends = text.char_indices().find(|(_, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => return depth == 0,
        }
        false
    });
    ends.map_or(text.len(), |(at, _)| at)
}

/// Returns the style of a token on the current line's bar: a single ink if the bar is reversed, or
/// with 256 colours, which have no bar light enough for every ink.
pub(super) fn lit(look: Look, class: Highlight) -> Style {
    let style = match look.depth {
        Depth::Mono | Depth::Ansi | Depth::Indexed => look.text(),
        Depth::True => class.style(look),
    };
    style.add_modifier(Modifier::BOLD)
}

/// Returns the style of an operand on the current line's bar, which without colours is reversed.
pub(super) fn operand(look: Look, role: Role) -> Style {
    let style = match look.depth {
        Depth::Mono => Style::new().add_modifier(Modifier::UNDERLINED),
        Depth::Ansi | Depth::Indexed | Depth::True => look.fill(role),
    };
    style.remove_modifier(Modifier::REVERSED).add_modifier(Modifier::BOLD)
}

fn cuda(token: &str) -> Highlight {
    match token {
        "A" | "sA" => Highlight::Matrix(Role::A),
        "B" | "sB" => Highlight::Matrix(Role::B),
        "C" | "acc" => Highlight::Matrix(Role::C),
        "__syncthreads" => Highlight::Barrier,
        "if" | "else" | "for" | "while" | "return" | "const" | "int" | "float" | "void"
        | "extern" | "__global__" | "__shared__" | "__align__" => Highlight::Keyword,
        _ => Highlight::Plain,
    }
}

fn ptx(token: &str) -> Highlight {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| token.starts_with(prefix));
    if begins(&["ld.", "st."]) {
        Highlight::Memory
    } else if begins(&["bar."]) {
        Highlight::Barrier
    } else if begins(&["fma."]) {
        Highlight::Matrix(Role::C)
    } else if begins(&[".loc", ".file"]) {
        Highlight::Comment
    } else if token.starts_with('.') || matches!(token, "bra" | "ret") {
        Highlight::Keyword
    } else {
        Highlight::Plain
    }
}

/// Expands tabs to multiples of four columns, and turns other control characters into blanks.
pub(super) fn expand(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, c| {
        if c == '\t' {
            let blanks = 4 - line.chars().count() % 4;
            line.extend(std::iter::repeat_n(' ', blanks));
        } else {
            line.push(if c.is_control() { ' ' } else { c });
        }
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: &str = "sA[ty][tx] = t < endA ? A[row * K + t[0]] : 0.0f;";

    fn lit(operands: Operands<'_>, line: &'static str) -> Vec<(&'static str, Role)> {
        operands.within(line).into_iter().map(|(at, role)| (&line[at], role)).collect()
    }

    #[test]
    fn an_operand_is_lit_with_its_indices() {
        let array = |name| Operands::Array(name, Role::A);
        assert_eq!(lit(array("A"), LOAD), [("A[row * K + t[0]]", Role::A)]);
        assert_eq!(lit(array("sA"), LOAD), [("sA[ty][tx]", Role::A)]);
        assert_eq!(lit(array("B"), LOAD), []);
        assert_eq!(
            lit(Operands::Product, "acc += sA[ty][k] * sB[k][tx];"),
            [("acc", Role::C), ("sA[ty][k]", Role::A), ("sB[k][tx]", Role::B)]
        );
        assert_eq!(lit(Operands::None, LOAD), []);
    }

    #[test]
    fn names_of_matrices_have_their_colours() {
        let coloured: Vec<_> = tokens("acc += sA[ty][k] * sB[k][tx]; // sA", Language::Cuda)
            .into_iter()
            .filter(|(_, class)| *class != Highlight::Plain)
            .collect();
        assert_eq!(
            coloured,
            [
                ("acc", Highlight::Matrix(Role::C)),
                ("sA", Highlight::Matrix(Role::A)),
                ("sB", Highlight::Matrix(Role::B)),
                ("// sA", Highlight::Comment)
            ]
        );
    }

    #[test]
    fn what_stands_in_quotes_is_no_comment_and_what_stands_between_stars_is_one() {
        let comments = |line: &'static str| {
            let all = tokens(line, Language::Cuda).into_iter();
            let all = all.filter(|(_, class)| *class == Highlight::Comment);
            all.map(|(text, _)| text).collect::<Vec<_>>()
        };
        assert_eq!(comments("printf(\"// %d\", n);"), [""; 0]);
        assert_eq!(comments("a /* b */ + c; // d"), ["/* b */", "// d"]);
        assert_eq!(comments("    # a note of Python"), ["# a note of Python"]);
    }

    #[test]
    fn ptx_that_moves_waits_or_computes_is_told_apart() {
        let classes = |line: &'static str| {
            tokens(line, Language::Ptx).into_iter().map(|(_, class)| class).collect::<Vec<_>>()
        };
        assert_eq!(classes("ld.global.f32 x")[0], Highlight::Memory);
        assert_eq!(classes("bar.sync 0")[0], Highlight::Barrier);
        assert_eq!(classes("fma.rn.f32 x")[0], Highlight::Matrix(Role::C));
    }
}
