//! A source cut at file scope: directives, namespaces, and declarations with what they declare.

use crate::source::line_length;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub span: Range<usize>,
    pub kind: ItemKind,
    pub names: Vec<String>,
}

impl Item {
    pub(super) fn declares(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// A line that begins with `#`.
    Directive,
    /// `namespace x {` or `extern "C" {`
    Open,
    /// The brace that closes it.
    Close,
    /// A function with its body, or its declaration.
    Function,
    /// A type, a variable, a `using`.
    Other,
}

/// The parts of a source of which `text` is plain.
pub(super) fn items(text: &str) -> Vec<Item> {
    let bytes = text.as_bytes();
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(skipped) = bytes[at..].iter().position(|byte| !byte.is_ascii_whitespace()) {
        at += skipped;
        let item = next(text, at);
        at = item.span.end.max(at + 1);
        items.push(item);
    }
    items
}

fn next(text: &str, at: usize) -> Item {
    let rest = &text[at..];
    let item = |length: usize, kind, names| Item { span: at..at + length, kind, names };
    if rest.starts_with('#') {
        let length = line_length(rest);
        let names = defined(&rest[..length]).map(str::to_owned);
        return item(length, ItemKind::Directive, names.into_iter().collect());
    }
    if rest.starts_with('}') {
        return item(1, ItemKind::Close, Vec::new());
    }
    if let Some(length) = opens(rest) {
        let names = words(&rest[..length]).map(str::to_owned).collect();
        return item(length, ItemKind::Open, names);
    }
    let (length, body) = declaration(rest);
    let own = &rest[..length];
    let head = without_attributes(&own[..body.unwrap_or(length)]);
    if is_function(&head) {
        let name = function_name(&head);
        return item(length, ItemKind::Function, name.map(str::to_owned).into_iter().collect());
    }
    item(length, ItemKind::Other, declared(&without_attributes(own), &head))
}

fn defined(directive: &str) -> Option<&str> {
    let rest = directive.trim_start_matches('#').trim_start().strip_prefix("define")?;
    words(rest).next()
}

/// The length of `namespace x {` or `extern "C" {` at the beginning.
fn opens(rest: &str) -> Option<usize> {
    let brace = rest.find(['{', ';', '(', '='])?;
    let head = rest[..brace].trim_end();
    let named = words(head).find(|word| *word != "inline") == Some("namespace");
    let linkage = head.starts_with("extern") && head.ends_with('"');
    (rest[brace..].starts_with('{') && (named || linkage)).then_some(brace + 1)
}

/// The length of the declaration at the beginning, and where its first brace is.
fn declaration(rest: &str) -> (usize, Option<usize>) {
    let (mut depth, mut body) = (0_usize, None);
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'{' if depth == 0 && body.is_none() => (depth, body) = (1, Some(at)),
            b'(' | b'[' | b'{' => depth += 1,
            // A brace more than there should be is the end of what stands around.
            b'}' if depth == 0 => return (at.max(1), body),
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                let is_done = byte == b'}' && depth == 0;
                if is_done
                    && body.is_some_and(|body| is_function(&without_attributes(&rest[..body])))
                {
                    return (at + 1, body);
                }
            }
            b';' if depth == 0 => return (at + 1, body),
            _ => {}
        }
    }
    (rest.len(), body)
}

/// Words with brackets that say something of a declaration, but not its name.
const ATTRIBUTES: [&str; 6] = [
    "__launch_bounds__",
    "__align__",
    "alignas",
    "__attribute__",
    "__declspec",
    "__cluster_dims__",
];

/// A head without attributes, without the parameters of templates, and without directives.
pub(super) fn without_attributes(head: &str) -> String {
    let lines = head.split_inclusive('\n').filter(|line| !line.trim_start().starts_with('#'));
    let mut left: String = lines.collect();
    for word in ATTRIBUTES {
        while let Some(at) = left.find(word) {
            let open = left[at..].find('(').map(|open| at + open);
            let end = open.and_then(|open| closed(&left, open)).unwrap_or(at + word.len());
            left.replace_range(at..end, "");
        }
    }
    while let Some(at) =
        left.find("template").filter(|at| left[at + 8..].trim_start().starts_with('<'))
    {
        let open = at + left[at..].find('<').unwrap_or(0);
        let end = closed(&left, open).unwrap_or(left.len());
        left.replace_range(at..end, "");
    }
    left
}

/// The place after the bracket that closes the one at `open`, if there stands one.
pub(super) fn closed(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (opening, closing) = match bytes.get(open)? {
        b'(' => (b'(', b')'),
        b'<' => (b'<', b'>'),
        b'[' => (b'[', b']'),
        b'{' => (b'{', b'}'),
        _ => return None,
    };
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        depth += usize::from(*byte == opening);
        if *byte == closing {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

/// The place of the bracket that a text opens and does not close.
pub(super) fn opening(inside: &str, [open, close]: [u8; 2]) -> Option<usize> {
    let mut depth = 1_i32;
    inside.bytes().rposition(|byte| {
        depth += i32::from(byte == close) - i32::from(byte == open);
        depth == 0
    })
}

/// The name of the function with this head, before which macros may stand, `BOUNDS(256) f(int x)`.
pub(super) fn function_name(head: &str) -> Option<&str> {
    let is_macro = |word: &str| {
        word.len() > 1 && !word.chars().any(|c| c.is_ascii_lowercase()) && word.contains('_')
    };
    let mut from = 0;
    while let Some(open) = head[from..].find('(').map(|open| from + open) {
        let name = words(without_arguments(&head[from..open])).last()?;
        let end = closed(head, open)?;
        if !(is_macro(name) && head[end..].contains('(')) {
            return Some(name);
        }
        from = end;
    }
    None
}

/// A text without the arguments of a template at its end: those of a specialisation, `add<half, 2>`.
fn without_arguments(text: &str) -> &str {
    let text = text.trim_end();
    let open = text.strip_suffix('>').and_then(|inside| opening(inside, *b"<>"));
    open.map_or(text, |open| &text[..open])
}

/// Whether a head without attributes is that of a function.
fn is_function(head: &str) -> bool {
    let Some((before, after)) = head.split_once('(') else { return false };
    if is_first_value(before, after) {
        return false;
    }
    let is_other =
        ["typedef", "using", "static_assert"].contains(&words(head).next().unwrap_or(""));
    let is_name = without_arguments(before).trim_end().ends_with(is_part);
    let is_name = is_name && !before.contains(['=', '[']);
    !is_other && (is_name || before.contains("operator"))
}

/// Whether a constant's first value stands in the brackets, `const int n(2 * SIDE);`, and no parameter.
fn is_first_value(before: &str, after: &str) -> bool {
    let rest = after.trim_start();
    let next = rest.trim_start_matches(is_part).trim_start();
    let begins = rest.starts_with(|c: char| c.is_ascii_digit() || "-(".contains(c));
    words(before).any(|word| matches!(word, "const" | "constexpr"))
        && (begins || next.starts_with(['/', '+', '-', '%', '<', '>', '?']))
}

/// The names that a declaration other than a function declares.
fn declared(own: &str, head: &str) -> Vec<String> {
    let first = words(head).next().unwrap_or("");
    match first {
        "using" if head.contains('=') => {
            words(head).nth(1).map(str::to_owned).into_iter().collect()
        }
        // `using space::name;` declares what it names last.
        "using" => words(head).last().map(str::to_owned).into_iter().collect(),
        // In brackets, every word may be the new name.
        "typedef" if own.contains('(') => {
            words(&outside_braces(own)).skip(1).map(str::to_owned).collect()
        }
        "enum" => words(own).skip(1).map(str::to_owned).collect(),
        "struct" | "class" | "union" => {
            let tag = head.split(':').next().and_then(|head| words(head).last());
            let after = own.rfind('}').map_or("", |end| &own[end..]);
            tag.into_iter().chain(words(after)).map(str::to_owned).collect()
        }
        _ => variables(&outside_braces(own)),
    }
}

fn outside_braces(text: &str) -> String {
    let mut outside = text.to_owned();
    while let Some(at) = outside.find('{') {
        let end = closed(&outside, at).unwrap_or(outside.len());
        outside.replace_range(at..end, ";");
    }
    outside
}

/// The words before `=`, `[`, `,`, `;`, outside brackets.
fn variables(own: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut depth, mut from, mut is_value) = (0_i32, 0, false);
    for (at, byte) in own.bytes().enumerate() {
        let ends = matches!(byte, b'=' | b'[' | b',' | b';') && depth == 0;
        if ends && !is_value {
            let (before, after) = own[from..at].split_once('(').unwrap_or((&own[from..at], ""));
            let declared = if is_first_value(own, after) { before } else { &own[from..at] };
            names.extend(words(declared).last().map(str::to_owned));
        }
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'=' if depth == 0 => is_value = true,
            b',' | b';' if depth == 0 => is_value = false,
            _ => {}
        }
        from = if ends { at + 1 } else { from };
    }
    names
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let all = text.split(|c| !is_part(c));
    all.filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// The parts between the commas outside brackets; none of an empty text.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> + Clone {
    let mut rest = Some(text).filter(|text| !text.trim().is_empty());
    std::iter::from_fn(move || {
        let own = rest?;
        let mut depth = 0_i32;
        let end = own.bytes().position(|byte| {
            depth += i32::from(matches!(byte, b'(' | b'[' | b'{'));
            depth -= i32::from(matches!(byte, b')' | b']' | b'}'));
            depth == 0 && byte == b','
        });
        rest = end.map(|end| &own[end + 1..]);
        Some(own[..end.unwrap_or(own.len())].trim())
    })
}

/// Whether a name may have this character.
pub(super) fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

pub(super) fn has_word(text: &str, word: &str) -> bool {
    words(text).any(|own| own == word)
}

pub(super) fn is_kernel(text: &str) -> bool {
    has_word(text, "__global__")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::plain;

    fn shown(source: &str) -> Vec<String> {
        let text = plain(source);
        let shown =
            |item: &Item| format!("{:?} {}", item.kind, item.names.join(" ")).trim_end().to_owned();
        items(&text).iter().map(shown).collect()
    }

    #[test]
    fn a_source_is_cut_into_what_it_declares() {
        let all = shown(
            "#include <cuda.h>\n#define T(x) \\\n  x\nnamespace { extern \"C\" {\n\
             template <int N, typename T = float> __global__ void __launch_bounds__(256) mm(T* a) { if (a) {} }\n\
             } }\nstruct __align__(8) P { int f() { return 1; } } p;\nenum class E : int { One, Two };\n\
             typedef struct { int w; } Matrix;\nusing half_t = float;\nconst int A = f(1, 2), B[2] = {1, 2};\n\
             constexpr unsigned N(64), M(N / 2); const P f(P p);\n\
             __device__ float table[4];\nstruct P make(int x);\n\
             template <> __device__ void add<half, 2>(half* a) { *a = 1; }\nint main() { return 0; }",
        );
        insta::assert_snapshot!(all.join("
"), @r"
        Directive
        Directive T
        Open namespace
        Open extern
        Function mm
        Close
        Close
        Other P p
        Other class E int One Two
        Other struct Matrix
        Other half_t
        Other A B
        Other N M
        Function f
        Other table
        Function make
        Function add
        Function main
        ");
    }
}
