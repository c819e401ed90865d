//! The one reader of C source: its lexemes, and what they say without being compiled.
//!
//! It takes any text. What is broken is read as far as it goes.

pub mod expression;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexeme<'t> {
    pub text: &'t str,
    pub kind: LexemeKind,
    /// Its first byte in the source.
    pub start: usize,
    pub line: u32,
    /// The byte of its line at which it begins.
    pub at: usize,
    /// The characters of its line before it.
    pub column: u32,
    /// The line of the `#` of the directive in which it stands.
    pub directive: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexemeKind {
    Comment,
    /// A text or a character in quotes.
    Quoted,
    /// A name or a keyword.
    Word,
    Number,
    /// An operator, a bracket, a comma or a semicolon.
    Punctuator,
    /// A character without a meaning, and a quote that does not end on its line.
    Stray,
}

/// How far before a name its declaration may begin.
const LONGEST: usize = 256;

/// Punctuators of more than one character, the longest first.
const PUNCTUATORS: [&str; 24] = [
    "<<=", ">>=", "...", "##", "++", "--", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "==", "!=", "<=", ">=", "<<", ">>", "->", "::",
];

pub const ASSIGN: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

const KEYWORDS: &str = "alignas auto bool break case char class const constexpr continue default do \
    double else enum extern float for goto if inline int long namespace return short signed sizeof \
    static struct switch template this typedef typename union unsigned using void volatile while";

impl Lexeme<'_> {
    pub fn is_keyword(&self) -> bool {
        self.is_word() && KEYWORDS.split_whitespace().any(|word| word == self.text)
    }

    pub fn is_word(&self) -> bool {
        self.kind == LexemeKind::Word
    }

    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The lexemes of a source, its comments among them.
pub fn lexemes(source: &str) -> Vec<Lexeme<'_>> {
    let mut lexemes: Vec<Lexeme<'_>> = Vec::new();
    let (mut start, mut line, mut begins, mut column) = (0, 1, 0, 0);
    let (mut directive, mut is_first) = (None, true);
    while start < source.len() {
        let rest = &source[start..];
        let (kind, length) = measured(rest);
        let text = &rest[..length];
        match kind {
            Some(kind) => {
                if is_first && text == "#" {
                    directive = Some(line);
                }
                is_first &= kind == LexemeKind::Comment;
                let at = start - begins;
                lexemes.push(Lexeme { text, kind, start, line, at, column, directive });
            }
            None if text == "\n" => (directive, is_first) = (None, true),
            None => {}
        }
        start += length;
        let own = text.rsplit('\n').next().unwrap_or(text);
        column = own.chars().count() as u32 + if own.len() == length { column } else { 0 };
        if own.len() < length {
            line += text.matches('\n').count() as u32;
            begins = start - own.len();
        }
    }
    lexemes
}

/// What a text begins with, and how many bytes that has; no kind for blanks.
fn measured(rest: &str) -> (Option<LexemeKind>, usize) {
    let bytes = rest.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let count = |is: &dyn Fn(u8) -> bool| bytes.iter().take_while(|byte| is(**byte)).count();
    let (kind, length) = match bytes {
        [b'\n', ..] => return (None, 1),
        [b'\\', ..] if continued(&rest[1..]) > 0 => return (None, 1 + continued(&rest[1..])),
        [b'/', b'/', ..] => (LexemeKind::Comment, line_length(rest)),
        [b'/', b'*', ..] => {
            (LexemeKind::Comment, rest[2..].find("*/").map_or(rest.len(), |at| at + 4))
        }
        [b'R', b'"', ..] => (LexemeKind::Quoted, 1 + raw_length(&rest[1..])),
        [b'"' | b'\'', ..] => match quoted_length(bytes) {
            Some(length) => (LexemeKind::Quoted, length),
            None => (LexemeKind::Stray, 1),
        },
        [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => (LexemeKind::Number, number_length(bytes)),
        [first, ..] if is_part(*first) => (LexemeKind::Word, count(&is_part)),
        [first, ..] if first.is_ascii_punctuation() && !b"$@\\`".contains(first) => {
            let known = PUNCTUATORS.iter().find(|known| rest.starts_with(**known));
            (LexemeKind::Punctuator, known.map_or(1, |known| known.len()))
        }
        _ => {
            let first = rest.chars().next().unwrap_or(' ');
            let kind = (!first.is_whitespace()).then_some(LexemeKind::Stray);
            return (kind, first.len_utf8());
        }
    };
    (Some(kind), length)
}

/// The bytes after a `\` with which its line goes on below; 0 if more stands on it.
fn continued(rest: &str) -> usize {
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    match rest.as_bytes().get(blank) {
        Some(b'\n') => blank + 1,
        Some(_) => 0,
        None => blank,
    }
}

/// The bytes to the end of a line; a backslash there continues it.
pub(crate) fn line_length(rest: &str) -> usize {
    let mut from = 0;
    while let Some(end) = rest[from..].find('\n').map(|at| from + at) {
        if !rest[..end].trim_end_matches([' ', '\t', '\r']).ends_with('\\') {
            return end;
        }
        from = end + 1;
    }
    rest.len()
}

/// The bytes of a text in quotes, which end on its line.
fn quoted_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'\n' => return None,
            byte if *byte == bytes[0] => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The bytes of `"mark( ... )mark"`.
fn raw_length(rest: &str) -> usize {
    let open = rest.find('(').unwrap_or(1);
    let end = format!("){}\"", &rest[1..open]);
    rest[open..].find(&end).map_or(rest.len(), |at| open + at + end.len())
}

/// The bytes of a number with its suffix: `0x1F`, `1.5e-3f`, `64u`, `1'000`.
fn number_length(bytes: &[u8]) -> usize {
    let is_hex = matches!(bytes, [b'0', b'x' | b'X', ..]);
    let goes_on = |at: &usize| match bytes[*at] {
        b'+' | b'-' => !is_hex && matches!(bytes[at - 1], b'e' | b'E'),
        b'\'' => bytes.get(at + 1).is_some_and(u8::is_ascii_hexdigit),
        byte => byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'),
    };
    1 + (1..bytes.len()).take_while(goes_on).count()
}

/// The source with blanks for its comments and for what stands in quotes: every byte keeps its place.
pub(crate) fn plain(source: &str) -> String {
    let mut plain = source.as_bytes().to_vec();
    for lexeme in lexemes(source) {
        let blank = match (lexeme.kind, lexeme.text.find(['"', '\''])) {
            (LexemeKind::Comment, _) => lexeme.start..lexeme.end(),
            // The quotes stay: `extern "C"` is told by them.
            (LexemeKind::Quoted, Some(quote)) => {
                let inside = &lexeme.text[quote + 1..];
                let length = inside.strip_suffix(['"', '\'']).map_or(inside.len(), str::len);
                let start = lexeme.end() - inside.len();
                start..start + length
            }
            _ => continue,
        };
        plain[blank].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8(plain).unwrap_or_default()
}

/// The place of the bracket that closes the one with which lexemes begin.
pub fn closing(lexemes: &[Lexeme<'_>]) -> Option<usize> {
    let mut depth = 0;
    lexemes.iter().position(|lexeme| {
        depth += nesting(lexeme.text);
        depth == 0
    })
}

/// 1 for a bracket that opens, -1 for one that closes.
fn nesting(text: &str) -> i32 {
    match text {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// The lexemes up to one of these outside brackets, or up to the bracket that closes around them.
pub fn until<'s, 't>(lexemes: &'s [Lexeme<'t>], ends: &[&str]) -> &'s [Lexeme<'t>] {
    let mut depth = 0;
    let end = lexemes.iter().position(|lexeme| {
        let ended = depth == 0 && ends.contains(&lexeme.text);
        depth += nesting(lexeme.text);
        ended || depth < 0
    });
    &lexemes[..end.unwrap_or(lexemes.len())]
}

/// The parts between the commas outside brackets; none of no lexemes.
pub fn listed<'s, 't>(lexemes: &'s [Lexeme<'t>]) -> impl Iterator<Item = &'s [Lexeme<'t>]> {
    let mut rest = Some(lexemes).filter(|lexemes| !lexemes.is_empty());
    std::iter::from_fn(move || {
        let part = until(rest?, &[","]);
        rest = rest?.get(part.len() + 1..);
        Some(part)
    })
}

/// What stands in each of the `[...]` with which lexemes begin.
pub fn indices<'s, 't>(lexemes: &'s [Lexeme<'t>]) -> Option<Vec<&'s [Lexeme<'t>]>> {
    let (mut rest, mut found) = (lexemes, Vec::new());
    while rest.first().is_some_and(|open| open.text == "[") {
        let end = closing(rest)?;
        found.push(&rest[1..end]);
        rest = &rest[end + 1..];
    }
    Some(found)
}

#[derive(Debug)]
pub struct CudaSource<'t> {
    pub lexemes: Vec<Lexeme<'t>>,
}

/// A kernel, as it is declared or defined.
#[derive(Clone, Copy, Debug)]
pub struct KernelText<'s, 't> {
    /// What stands before `__global__`, `template <int N>` for example.
    pub before: &'s [Lexeme<'t>],
    /// From there to its body.
    pub head: &'s [Lexeme<'t>],
    /// With its braces, if they close.
    pub body: Option<&'s [Lexeme<'t>]>,
}

/// A name with a value that the source writes beside it.
#[derive(Clone, Copy, Debug)]
pub struct NamedValue<'s, 't> {
    pub name: Lexeme<'t>,
    pub value: &'s [Lexeme<'t>],
    /// Whether it is a macro, and no constant.
    pub is_macro: bool,
}

impl<'t> CudaSource<'t> {
    pub fn read(text: &'t str) -> Self {
        let mut lexemes = lexemes(text);
        lexemes.retain(|lexeme| lexeme.kind != LexemeKind::Comment);
        Self { lexemes }
    }

    pub fn kernels(&self) -> impl Iterator<Item = KernelText<'_, 't>> {
        // Each reaches from the word before it to the next, so that no text is read again and again.
        let parts: Vec<_> = self.lexemes.split(|one| one.text == "__global__").collect();
        let pairs = (1..parts.len()).map(move |at| (parts[at - 1], parts[at]));
        pairs.map(|(before, rest)| {
            let from = before.iter().rposition(|one| matches!(one.text, ";" | "}"));
            let end = rest.iter().position(|one| matches!(one.text, "{" | ";"));
            let (head, body) = rest.split_at(end.unwrap_or(rest.len()));
            let is_body = body.first().is_some_and(|first| first.text == "{");
            let body = closing(body).filter(|_| is_body).map(|close| &body[..=close]);
            KernelText { before: &before[from.map_or(0, |from| from + 1)..], head, body }
        })
    }

    /// What stands between semicolons and braces, directives apart.
    pub fn statements(&self) -> impl Iterator<Item = &[Lexeme<'t>]> {
        let is_between = |one: &Lexeme<'_>| matches!(one.text, ";" | "{" | "}");
        let parts = self.lexemes.chunk_by(|one, two| one.directive == two.directive);
        let code = parts.filter(|part| part.first().is_some_and(|one| one.directive.is_none()));
        code.flat_map(move |part| part.split(is_between)).filter(|part| !part.is_empty())
    }

    /// Whether a `__shared__` array has this name among its extents.
    pub fn is_extent_of_shared(&self, name: &str) -> bool {
        let is_shared = |of: &&[Lexeme<'_>]| of.iter().any(|one| one.text == "__shared__");
        self.statements().filter(is_shared).any(|statement| {
            let mut inside = statement.split(|one| one.text == "[").skip(1);
            inside.any(|part| until(part, &[]).iter().any(|one| one.text == name))
        })
    }

    /// Whether a template has a parameter of this name.
    pub fn is_template_parameter(&self, name: &str) -> bool {
        let all = &self.lexemes[..];
        let mut starts = (0..all.len()).filter(|at| all[*at].text == "template");
        starts.any(|at| {
            let list = all[at + 1..].iter();
            let mut list = list.take_while(|one| !matches!(one.text, ">" | "template"));
            list.any(|one| one.text == name)
        })
    }

    /// The macros without parameters and the constants, in order.
    pub fn values(&self) -> impl Iterator<Item = NamedValue<'_, 't>> {
        (0..self.lexemes.len()).filter_map(|at| self.value_at(at))
    }

    /// The value that is given to the name at a place.
    fn value_at(&self, at: usize) -> Option<NamedValue<'_, 't>> {
        let (before, rest) = self.lexemes.split_at(at);
        let (name, rest) = rest.split_first().filter(|(name, _)| name.is_word())?;
        let last = before.last()?;
        if last.directive.is_some() && last.text == "define" {
            let is_same = |one: &&Lexeme<'_>| one.directive == name.directive;
            let value = &rest[..rest.iter().take_while(is_same).count()];
            let first = value.first()?;
            let has_parameters = first.text == "(" && first.start == name.end();
            return (!has_parameters).then_some(NamedValue { name: *name, value, is_macro: true });
        }
        let value = rest.split_first().filter(|(sign, _)| sign.text == "=")?.1;
        let is_end = |one: &&Lexeme<'_>| !matches!(one.text, ";" | "{" | "}" | "(");
        let mut words = before.iter().rev().take_while(is_end).take(LONGEST);
        let is_constant = words.any(|word| matches!(word.text, "const" | "constexpr"));
        let value = until(value, &[",", ";"]);
        is_constant.then_some(NamedValue { name: *name, value, is_macro: false })
    }
}

impl<'s, 't> KernelText<'s, 't> {
    pub fn parameters(&self, name: &str) -> Option<Vec<&'s [Lexeme<'t>]>> {
        let place = self.head.windows(2).position(|two| two[0].text == name && two[1].text == "(");
        let list = &self.head[place? + 1..];
        Some(listed(&list[1..closing(list)?]).filter(|one| !one.is_empty()).collect())
    }

    /// The names of its template's parameters, if it is one.
    pub fn template_parameters(&self) -> Vec<&'t str> {
        let open =
            self.before.windows(2).position(|two| two[0].text == "template" && two[1].text == "<");
        let list = open.map_or(&[][..], |open| &self.before[open + 2..]);
        let end = list.iter().rposition(|one| one.text == ">").unwrap_or(0);
        listed(&list[..end]).filter_map(declared_name).collect()
    }
}

/// The name that a parameter declares: `A` in `const float* __restrict__ A` and in `float A[]`.
pub fn declared_name<'t>(declaration: &[Lexeme<'t>]) -> Option<&'t str> {
    let name = until(declaration, &["=", "["]).last()?;
    name.is_word().then_some(name.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_has_lexemes_with_their_places() {
        let all = |text| {
            let shown = |one: Lexeme<'_>| format!("{}:{} {}", one.line, one.column, one.text);
            lexemes(text).into_iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(
            all("a>>=1'000u;\n é\"x\\\"\" '\\n'"),
            ["1:0 a", "1:1 >>=", "1:4 1'000u", "1:10 ;", "2:1 é", "2:2 \"x\\\"\"", "2:8 '\\n'",]
        );
        assert_eq!(
            all("/* a\n */b // c \\\nd\ne"),
            ["1:0 /* a\n */", "2:3 b", "2:5 // c \\\nd", "4:0 e"]
        );
        assert_eq!(all("don't \"go"), ["1:0 don", "1:3 '", "1:4 t", "1:6 \"", "1:7 go"]);
        assert_eq!(all("R\"x({ \" })x\" 1.5e-3f.x"), ["1:0 R\"x({ \" })x\"", "1:13 1.5e-3f.x"]);
        let parts = lexemes("#define A \\\n 1\n b # c");
        let directive: Vec<_> = parts.iter().filter(|one| one.directive == Some(1)).collect();
        assert_eq!((directive.len(), parts.len()), (4, 7));
    }

    #[test]
    fn comments_and_texts_are_blank_and_nothing_moves() {
        for (source, shown) in [
            ("a // b\nc", "a     \nc"),
            ("a /* {\n */ b", "a     \n    b"),
            ("f(\"} \\\" //\") + '{'", "f(\"       \") + ' '"),
            ("extern \"C\" {", "extern \" \" {"),
            ("R\"x({ \" })x\" y", "R\"         \" y"),
            ("1'000'000 {", "1'000'000 {"),
            ("// \\\n {\n}", "    \n  \n}"),
            ("R\"", "R\""),
            ("R\"(é", "R\"   "),
            ("é // é\n\"é", "é      \n\"é"),
        ] {
            assert_eq!(plain(source), shown);
            assert_eq!(plain(source).len(), source.len());
        }
    }

    #[test]
    fn a_source_tells_its_kernels_and_constants() {
        let text = "// __global__ void no();\n#define N (4 * 2)\n#define F(x) x\nconst int A = 1, B[2] = {1, 2};\n\
                    template <typename T, int W = 3>\n__global__ void __launch_bounds__(N) k(T* a, float b[], int c = f(1, 2)) { if (a) { } }\n\
                    __global__ void k(float*";
        let source = CudaSource::read(text);
        let kernels: Vec<_> = source.kernels().collect();
        let parameters = kernels[0].parameters("k").unwrap_or_default();
        let names: Vec<_> = parameters.into_iter().filter_map(declared_name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(kernels[0].template_parameters(), ["T", "W"]);
        assert_eq!(kernels[0].body.map(<[_]>::len), Some(8));
        assert!(kernels[1].body.is_none() && kernels[1].parameters("k").is_none());
        let values: Vec<_> = source.values().map(|one| (one.name.text, one.value.len())).collect();
        assert_eq!(values, [("N", 5), ("A", 1)]);
        assert_eq!(source.statements().count(), 5);
    }
}
