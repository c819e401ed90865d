//! PTX text to tokens: words (dots included), numbers, strings and signs, each with its span.

use super::error::{ParseError, Span};

/// A token and its location.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind<'a>,
    pub(super) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind<'a> {
    /// An opcode with its modifiers, a directive or a name: `ld.global.f32`, `.reg`, `%rd3`,
    /// `$L__1`.
    Word(&'a str),
    /// An integer, without its sign.
    Integer(u64),
    /// An integer literal of unsigned type: with the suffix `U`, or too large for a signed 64-bit
    /// integer.
    Unsigned(u64),
    /// `0f` and eight hexadecimal digits.
    Float32(u32),
    /// `0d` and sixteen hexadecimal digits.
    Float64(u64),
    /// `7.8`, as in `.version`; `1e-3`.
    Decimal(&'a str),
    /// A string, without its double quotes.
    String(&'a str),
    /// A punctuation character of the grammar.
    Sign(char),
}

/// The most characters of a name or a string. Mangled names of templates have some thousand; each name
/// is printed as it is, and often.
const LONGEST: usize = 1 << 14;

/// Splits the text into tokens, dropping comments and white space.
///
/// # Errors
/// A character that cannot begin a token, an unfinished comment or string, or a malformed number.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.token()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn token(&mut self) -> Result<Option<Token<'a>>, ParseError> {
        self.skip_blank()?;
        let start = self.at;
        let Some(first) = self.rest().chars().next() else { return Ok(None) };
        let kind = match first {
            '0'..='9' => self.number()?,
            '.' if self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number()?,
            '"' => self.string()?,
            c if is_word(c) => self.word_or_remainder(),
            '{' | '}' | '[' | ']' | '(' | ')' | '<' | '>' | ',' | ';' | ':' | '+' | '-' | '@'
            | '!' | '|' | '=' | '*' | '/' | '~' | '&' | '^' | '?' => {
                self.at += 1;
                TokenKind::Sign(first)
            }
            other => return Err(self.error(start, format!("unexpected character `{other}`"))),
        };
        let long = self.at - start;
        if long > LONGEST && matches!(kind, TokenKind::Word(_) | TokenKind::String(_)) {
            let told = format!("a name of {long} characters, where {LONGEST} are the most");
            return Err(self.error(start, told));
        }
        Ok(Some(Token { kind, span: self.span(start) }))
    }

    fn skip_blank(&mut self) -> Result<(), ParseError> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                let end = self.rest().find("*/");
                let end = end.ok_or_else(|| self.error(self.at, "this comment never ends"))?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    /// A word, or the operator `%`, with which words can begin too.
    fn word_or_remainder(&mut self) -> TokenKind<'a> {
        match self.word() {
            TokenKind::Word("%") => TokenKind::Sign('%'),
            word => word,
        }
    }

    /// A word; `::` joins two parts (`.L1::no_allocate`).
    fn word(&mut self) -> TokenKind<'a> {
        let start = self.at;
        self.take_while(is_word);
        while self.rest().strip_prefix("::").is_some_and(|rest| rest.starts_with(is_word)) {
            self.at += 2;
            self.take_while(is_word);
        }
        TokenKind::Word(&self.text[start..self.at])
    }

    /// Integers in base 2, 8, 10 or 16, floats by their bits, `7.8` and `1e-3`.
    fn number(&mut self) -> Result<TokenKind<'a>, ParseError> {
        let start = self.at;
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '.');
        let malformed = || self.error(start, format!("`{word}` is not a number"));
        if let Some(bits) = word.strip_prefix("0f").or_else(|| word.strip_prefix("0F")) {
            return hex(bits, 8).map(|bits| TokenKind::Float32(bits as u32)).ok_or_else(malformed);
        }
        if let Some(bits) = word.strip_prefix("0d").or_else(|| word.strip_prefix("0D")) {
            return hex(bits, 16).map(TokenKind::Float64).ok_or_else(malformed);
        }
        let hexadecimal = word.starts_with("0x") || word.starts_with("0X");
        if !hexadecimal && word.contains(['.', 'e', 'E']) {
            return Ok(self.decimal(start));
        }
        let spelt = word.trim_end_matches(['U', 'u']);
        let (digits, radix) = match spelt.as_bytes() {
            [b'0', b'x' | b'X', ..] => (&spelt[2..], 16),
            [b'0', b'b' | b'B', ..] => (&spelt[2..], 2),
            [b'0', _, ..] => (&spelt[1..], 8),
            _ => (spelt, 10),
        };
        let value = u64::from_str_radix(digits, radix).ok().ok_or_else(malformed)?;
        let signed = spelt == word && i64::try_from(value).is_ok();
        Ok(if signed { TokenKind::Integer(value) } else { TokenKind::Unsigned(value) })
    }

    /// `7.8`, together with the exponent's sign and digits if the text so far ends in `e`.
    fn decimal(&mut self, start: usize) -> TokenKind<'a> {
        if self.text[start..self.at].ends_with(['e', 'E']) && self.rest().starts_with(['+', '-']) {
            self.at += 1;
            self.take_while(|c| c.is_ascii_digit());
        }
        TokenKind::Decimal(&self.text[start..self.at])
    }

    fn string(&mut self) -> Result<TokenKind<'a>, ParseError> {
        let start = self.at;
        self.at += 1;
        let inside = self.take_while(|c| c != '"' && c != '\n');
        if !self.rest().starts_with('"') {
            return Err(self.error(start, "this string never ends"));
        }
        self.at += 1;
        Ok(TokenKind::String(inside))
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !accept(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    fn error(&self, start: usize, message: impl Into<String>) -> ParseError {
        let end = self.at.max(start + 1).min(self.text.len());
        ParseError::new(Span { start: start as u32, end: end as u32 }, message)
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '%')
}

fn hex(digits: &str, length: usize) -> Option<u64> {
    u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == length)
}
