//! Tokens to a module: directives here, instructions by family in the files below.

mod access;
mod arith;
mod asynchronous;
mod atomic;
mod bits;
mod body;
mod compare;
mod constant;
mod control;
mod convert;
mod fence;
mod float;
mod function;
mod memory;
mod opcode;
mod operands;
mod tensor;
mod variable;
mod warp;
mod wgmma;
mod wide;
mod wmma;
mod words;

use super::ast::{Module, Operand, Scope, SourceFile};
use super::error::{ParseError, Span};
use super::lexer::{Token, TokenKind, tokens};
use super::line::Loc;
use super::op::Op;
pub use opcode::opcodes;
use words::Words;

/// An instruction as parsed: operands and labels by name.
type Instruction = Op<Operand, String>;

/// The first word of an instruction and the function that parses the rest.
type Opcode =
    (&'static str, fn(&mut Parser<'_>, &mut Words<'_>) -> Result<Instruction, ParseError>);

/// Parses one PTX module.
///
/// # Errors
/// Everything that is invalid or unsupported, in text order: after an error, the parser continues
/// after the next `;`.
pub fn parse(text: &str) -> Result<Module, Vec<ParseError>> {
    let tokens = tokens(text).map_err(|error| {
        // If the file is not PTX at all, an error about its first odd character would not help.
        vec![if text.contains(".version") { error } else { not_ptx(Span::default()) }]
    })?;
    let end = text.trim_end().len() as u32;
    let end = Span { start: end, end };
    let unsaid = DefaultModifiers::default();
    let (more, errors) = (Vec::new(), Vec::new());
    let mut parser = Parser { tokens: &tokens, at: 0, end, unsaid, more, errors };
    let module = parser.module();
    match module {
        Ok(module) if parser.errors.is_empty() => Ok(module),
        Ok(_) => Err(parser.errors),
        Err(error) => {
            parser.errors.push(error);
            Err(parser.errors)
        }
    }
}

fn not_ptx(span: Span) -> ParseError {
    ParseError::new(span, "this is not PTX: a PTX file begins with `.version`")
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    /// The end of the text, where missing tokens are reported.
    end: Span,
    unsaid: DefaultModifiers,
    /// What follows the instruction that has just been parsed, where the text has one for several.
    more: Vec<Instruction>,
    errors: Vec<ParseError>,
}

/// The modifiers that instructions of this version and this target may have without saying so.
#[derive(Clone, Copy, Default)]
struct DefaultModifiers {
    /// `mad.f32` is `mad.rn.f32` before PTX 3.1 (PTX ISA, "Floating Point Instructions: mad").
    rounding: bool,
    /// Arithmetic on float32 is `.ftz` for targets of compute capability 1.x (PTX ISA, "Floating
    /// Point Instructions": "sm_1x: flushes subnormal inputs and results").
    ftz: bool,
}

impl Parser<'_> {
    /// `.version` `.target` `.address_size`, then variables and functions.
    fn module(&mut self) -> Result<Module, ParseError> {
        let mut module = Module { version: self.version()?, ..Module::default() };
        self.unsaid.rounding = module.version < (3, 1);
        let mut external = false;
        while let Some(token) = self.peek() {
            let TokenKind::Word(word) = token.kind else {
                return Err(self.unexpected("a directive"));
            };
            match word {
                ".target" => module.target = self.target()?,
                ".address_size" => self.address_size()?,
                ".file" => module.files.push(self.file()?),
                ".visible" | ".weak" | ".extern" | ".common" => {
                    self.at += 1;
                    external = word == ".extern";
                    continue;
                }
                ".entry" => module.functions.push(self.entry()?),
                ".func" => module.device_functions.extend(self.device_function()?),
                ".shared" | ".global" | ".const" => {
                    self.module_variables(external, &mut module)?;
                }
                ".section" => self.section()?,
                ".pragma" => self.skip_statement(),
                // A label at the end of a debugging section, used only inside that section.
                _ if self.follows(':') => self.at += 2,
                _ => return Err(self.unsupported(word)),
            }
            external = false;
        }
        Ok(module)
    }

    fn version(&mut self) -> Result<(u32, u32), ParseError> {
        self.word(".version").map_err(|error| not_ptx(error.span))?;
        let token = self.next("a version such as 7.8")?;
        let version = match token.kind {
            TokenKind::Decimal(text) => text.split_once('.'),
            _ => None,
        };
        version
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
            .ok_or_else(|| ParseError::new(token.span, "expected a version such as 7.8"))
    }

    fn target(&mut self) -> Result<String, ParseError> {
        self.at += 1;
        let target = self.name("a target such as sm_52")?.to_owned();
        self.unsaid.ftz = target.len() == "sm_10".len() && target.starts_with("sm_1");
        while self.take(',') {
            self.name("a target option")?;
        }
        Ok(target)
    }

    fn address_size(&mut self) -> Result<(), ParseError> {
        self.at += 1;
        let span = self.span();
        match self.integer()? {
            64 => Ok(()),
            other => Err(ParseError::new(span, format!("{other}-bit addresses are not supported"))),
        }
    }

    /// `.file 1 "tiled.cu"{, timestamp, size}`
    fn file(&mut self) -> Result<SourceFile, ParseError> {
        self.at += 1;
        let number = self.small()?;
        let token = self.next("a file name")?;
        let TokenKind::String(name) = token.kind else {
            return Err(ParseError::new(token.span, "expected a file name in quotes"));
        };
        let mut stamp = Vec::new();
        while self.take(',') {
            stamp.push(self.integer()?);
        }
        let bytes = stamp.get(1).and_then(|bytes| (*bytes > 0).then_some(*bytes));
        Ok(SourceFile { number, path: name.to_owned(), bytes })
    }

    /// Parses variables outside functions. Variables of an unsupported kind are skipped; an error
    /// is reported only where one is used.
    fn module_variables(&mut self, external: bool, to: &mut Module) -> Result<(), ParseError> {
        match self.variables(external, Scope::default()) {
            Ok(variables) => to.variables.extend(variables),
            Err(error) if error.unsupported => self.skip_statement(),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Skips a debugging section, which contains nothing to execute, up to its closing brace.
    fn section(&mut self) -> Result<(), ParseError> {
        while !self.take('{') {
            self.next("`{`")?;
        }
        while !self.take('}') {
            self.next("`}`")?;
        }
        Ok(())
    }
}

/// The primitives of which every production is made.
impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at)
    }

    fn kind(&self) -> Option<TokenKind<'a>> {
        self.peek().map(|token| token.kind)
    }

    fn span(&self) -> Span {
        self.peek().map_or(self.end, |token| token.span)
    }

    fn next(&mut self, expected: &str) -> Result<&'a Token<'a>, ParseError> {
        let token = self.peek().ok_or_else(|| self.unexpected(expected))?;
        self.at += 1;
        Ok(token)
    }

    /// Whether the token after the next one is `sign`.
    fn follows(&self, sign: char) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.kind == TokenKind::Sign(sign))
    }

    fn take(&mut self, sign: char) -> bool {
        let there = self.kind() == Some(TokenKind::Sign(sign));
        self.at += usize::from(there);
        there
    }

    fn sign(&mut self, sign: char) -> Result<(), ParseError> {
        if self.take(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.kind() == Some(TokenKind::Word(word)) {
            self.at += 1;
            return Ok(());
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    fn name(&mut self, expected: &str) -> Result<&'a str, ParseError> {
        match self.kind() {
            Some(TokenKind::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    fn integer(&mut self) -> Result<u64, ParseError> {
        match self.kind() {
            Some(TokenKind::Integer(value) | TokenKind::Unsigned(value)) => {
                self.at += 1;
                Ok(value)
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// An integer of at most 32 bits: counts, sizes, file and line numbers.
    fn small(&mut self) -> Result<u32, ParseError> {
        let span = self.span();
        let value = u32::try_from(self.integer()?).ok();
        value.ok_or_else(|| ParseError::new(span, "this number is too large"))
    }

    /// `file line column`
    fn place(&mut self) -> Result<Loc, ParseError> {
        let (file, line) = (self.small()?, self.small()?);
        self.integer()?;
        Ok(Loc { file, line })
    }

    /// Skips to just after the next `;`, or to a brace that closes a scope. A brace closes a vector
    /// of operands instead if one was opened since, or if `,`, `;` or `]` follows it.
    fn skip_statement(&mut self) {
        let mut open = 0_u32;
        while let Some(kind) = self.kind() {
            let TokenKind::Sign(sign) = kind else {
                self.at += 1;
                continue;
            };
            let of_vector = open > 0 || [',', ';', ']'].into_iter().any(|sign| self.follows(sign));
            match sign {
                '{' => open += 1,
                '}' if !of_vector => return,
                '}' => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if sign == ';' {
                return;
            }
        }
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        let met = if self.peek().is_some() { "" } else { ", but the text ends" };
        ParseError::new(self.span(), format!("expected {expected}{met}"))
    }

    fn unsupported(&self, directive: &str) -> ParseError {
        ParseError::new(self.span(), format!("the directive `{directive}` is not supported"))
    }
}
