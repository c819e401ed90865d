//! Tokens to a module: directives here, instructions by family in the files below.

mod arith;
mod control;
mod memory;
mod operands;
mod words;

use super::ast::{Function, Guard, Module, Operand, Param, Registers, Statement, Variable};
use super::error::{ParseError, Span};
use super::lexer::{Token, TokenKind, tokens};
use super::line::Loc;
use super::op::Op;
use super::types::{Space, Type};
use words::Words;

/// Most bytes that all parameters of a kernel may take (PTX ISA, "Kernel Function Parameters").
const MAX_PARAMS: u32 = 32_764;

/// The greatest alignment that is taken: beyond it nothing is gained on any GPU.
const MAX_ALIGN: u32 = 4096;

/// An instruction as parsed: operands and labels by name.
type Instruction = Op<Operand, String>;

/// Reads one PTX module.
///
/// # Errors
/// Everything that is wrong or not supported, in the order of the text: after an error the parser
/// goes on behind the next `;`.
pub fn parse(text: &str) -> Result<Module, Vec<ParseError>> {
    let tokens = tokens(text).map_err(|error| {
        // Of a file of another kind, the first odd character is not what a person wants to hear.
        vec![if text.contains(".version") { error } else { not_ptx(Span::default()) }]
    })?;
    let end = text.trim_end().len() as u32;
    let end = Span { start: end, end };
    let mut parser = Parser { tokens: &tokens, at: 0, end, errors: Vec::new() };
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
    /// The end of the text, where something missing is reported.
    end: Span,
    errors: Vec<ParseError>,
}

impl Parser<'_> {
    /// `.version` `.target` `.address_size`, then variables and functions.
    fn module(&mut self) -> Result<Module, ParseError> {
        let mut module = Module { version: self.version()?, ..Module::default() };
        while let Some(token) = self.peek() {
            let TokenKind::Word(word) = token.kind else {
                return Err(self.unexpected("a directive"));
            };
            match word {
                ".target" => module.target = self.target()?,
                ".address_size" => self.address_size()?,
                ".file" => module.files.extend(self.file()?),
                ".visible" | ".weak" | ".extern" | ".common" => self.at += 1,
                ".entry" => module.functions.push(self.entry()?),
                ".shared" | ".global" | ".const" => module.variables.push(self.variable()?),
                ".section" => self.section()?,
                ".pragma" => self.skip_statement(),
                _ => return Err(self.unsupported(word)),
            }
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
    fn file(&mut self) -> Result<Option<(u32, String)>, ParseError> {
        self.at += 1;
        let number = self.small()?;
        let token = self.next("a file name")?;
        let TokenKind::String(name) = token.kind else {
            return Err(ParseError::new(token.span, "expected a file name in quotes"));
        };
        while self.take(',') {
            self.integer()?;
        }
        Ok(Some((number, name.to_owned())))
    }

    /// Debugging sections carry nothing that runs: passed over to the closing brace.
    fn section(&mut self) -> Result<(), ParseError> {
        while !self.take('{') {
            self.next("`{`")?;
        }
        while !self.take('}') {
            self.next("`}`")?;
        }
        Ok(())
    }

    /// `.entry name(params) {directives} { body }`
    fn entry(&mut self) -> Result<Function, ParseError> {
        self.at += 1;
        let mut function =
            Function { name: self.name("a function's name")?.to_owned(), ..Function::default() };
        if self.take('(') && !self.take(')') {
            self.params(&mut function.params)?;
        }
        while !self.take('{') {
            self.performance_directive()?;
        }
        Body { parser: self, function: &mut function, loc: None }.block()?;
        Ok(function)
    }

    /// `.param .u64 {.ptr .global .align 4} name{[bytes]}`, separated by commas.
    fn params(&mut self, params: &mut Vec<Param>) -> Result<(), ParseError> {
        let mut end = 0_u32;
        loop {
            let span = self.span();
            self.word(".param")?;
            let mut align = self.alignment()?;
            let ty = self.ty()?;
            while let Some(TokenKind::Word(".ptr" | ".global" | ".shared" | ".align")) = self.kind()
            {
                self.at += 1;
                if matches!(self.kind(), Some(TokenKind::Integer(_))) {
                    self.integer()?;
                }
            }
            let name = self.name("a parameter's name")?.to_owned();
            let bytes = ty.bytes().saturating_mul(self.elements()?.unwrap_or(1));
            align = align.max(ty.bytes());
            let offset = end.next_multiple_of(align);
            end = offset.saturating_add(bytes);
            if end > MAX_PARAMS {
                let message = format!("a kernel's parameters take at most {MAX_PARAMS} bytes");
                return Err(ParseError::new(span, message));
            }
            params.push(Param { name, ty, offset, bytes });
            if !self.take(',') {
                return self.sign(')');
            }
        }
    }

    /// `.maxntid 256, 1, 1` and its like bound a launch; a simulation needs none of them.
    fn performance_directive(&mut self) -> Result<(), ParseError> {
        match self.kind() {
            Some(TokenKind::Word(
                ".maxntid" | ".reqntid" | ".minnctapersm" | ".maxnreg" | ".maxnctapersm",
            )) => {
                self.at += 1;
                self.integer()?;
                while self.take(',') {
                    self.integer()?;
                }
                Ok(())
            }
            Some(TokenKind::Word(".pragma")) => {
                self.skip_statement();
                Ok(())
            }
            _ => Err(self.unexpected("`{`")),
        }
    }

    /// `.shared .align 16 .b8 name[1024]{, ..};` (an initialiser is not supported).
    fn variable(&mut self) -> Result<Variable, ParseError> {
        let token = self.next("a state space")?;
        let space = match token.kind {
            TokenKind::Word(".shared") => Space::Shared,
            TokenKind::Word(".local") => Space::Local,
            _ => return Err(ParseError::new(token.span, "only `.shared` variables are supported")),
        };
        let align = self.alignment()?;
        let ty = self.ty()?;
        let name = self.name("a variable's name")?.to_owned();
        let mut bytes = ty.bytes();
        while let Some(count) = self.elements()? {
            bytes = bytes.checked_mul(count).ok_or_else(|| self.unexpected("a smaller array"))?;
        }
        let span = token.span.to(self.span());
        self.sign(';')?;
        Ok(Variable { name, space, align: align.max(ty.bytes()), bytes, span })
    }

    /// `.align N`, or 1.
    fn alignment(&mut self) -> Result<u32, ParseError> {
        if !matches!(self.kind(), Some(TokenKind::Word(".align"))) {
            return Ok(1);
        }
        self.at += 1;
        let span = self.span();
        let align = self.small()?;
        if align.is_power_of_two() && align <= MAX_ALIGN {
            return Ok(align);
        }
        Err(ParseError::new(span, format!("an alignment is a power of two up to {MAX_ALIGN}")))
    }

    /// `[N]`, `[]` (0), or nothing.
    fn elements(&mut self) -> Result<Option<u32>, ParseError> {
        if !self.take('[') {
            return Ok(None);
        }
        if self.take(']') {
            return Ok(Some(0));
        }
        let count = self.small()?;
        self.sign(']')?;
        Ok(Some(count))
    }

    /// `.f32` as a token of its own.
    fn ty(&mut self) -> Result<Type, ParseError> {
        let token = self.next("a type")?;
        let ty = match token.kind {
            TokenKind::Word(word) => word.strip_prefix('.').and_then(Type::from_word),
            _ => None,
        };
        ty.ok_or_else(|| ParseError::new(token.span, "expected a type that is supported"))
    }
}

/// The statements of one function.
struct Body<'p, 'a, 'f> {
    parser: &'p mut Parser<'a>,
    function: &'f mut Function,
    /// The last `.loc`, which holds for the instructions that follow.
    loc: Option<Loc>,
}

impl Body<'_, '_, '_> {
    /// Up to the brace that closes it; scopes within are flattened.
    fn block(&mut self) -> Result<(), ParseError> {
        let mut depth = 1;
        while depth > 0 {
            if self.parser.take('{') {
                depth += 1;
            } else if self.parser.take('}') {
                depth -= 1;
            } else {
                self.recovering()?;
            }
        }
        Ok(())
    }

    /// One statement; what is wrong with it is kept, and the next one begins behind its `;`.
    fn recovering(&mut self) -> Result<(), ParseError> {
        if self.parser.peek().is_none() {
            return Err(self.parser.unexpected("`}`"));
        }
        if let Err(error) = self.statement() {
            self.parser.errors.push(error);
            self.parser.skip_statement();
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<(), ParseError> {
        match self.parser.kind() {
            Some(TokenKind::Word(".reg")) => self.registers(),
            Some(TokenKind::Word(".shared" | ".local")) => {
                let variable = self.parser.variable()?;
                self.function.variables.push(variable);
                Ok(())
            }
            Some(TokenKind::Word(".loc")) => self.loc(),
            Some(TokenKind::Word(".pragma")) => {
                self.parser.skip_statement();
                Ok(())
            }
            Some(TokenKind::Word(word)) if self.parser.follows(':') => {
                let span = self.parser.span();
                self.parser.at += 2;
                self.function.body.push(Statement::Label(word.to_owned(), span));
                Ok(())
            }
            _ => self.instruction(),
        }
    }

    /// `.reg .b32 %r<30>;` or `.reg .pred p, q;`
    fn registers(&mut self) -> Result<(), ParseError> {
        self.parser.at += 1;
        let ty = self.parser.ty()?;
        loop {
            let name = self.parser.name("a register's name")?.to_owned();
            let count = if self.parser.take('<') {
                let count = self.parser.small()?;
                self.parser.sign('>')?;
                Some(count)
            } else {
                None
            };
            self.function.registers.push(Registers { name, ty, count });
            if !self.parser.take(',') {
                return self.parser.sign(';');
            }
        }
    }

    /// `.loc file line column{, function_name label, inlined_at file line column}`
    fn loc(&mut self) -> Result<(), ParseError> {
        self.parser.at += 1;
        let own = self.parser.place()?;
        let mut inlined_at = None;
        while self.parser.take(',') {
            if self.parser.name("`function_name` or `inlined_at`")? == "inlined_at" {
                inlined_at = Some(self.parser.place()?);
                continue;
            }
            self.parser.name("a label")?;
            if self.parser.take('+') {
                self.parser.integer()?;
            }
        }
        self.loc = Some(Loc::resolve(own, inlined_at));
        Ok(())
    }

    /// `{@{!}p} opcode operands;`
    fn instruction(&mut self) -> Result<(), ParseError> {
        let start = self.parser.span();
        let guard = self.guard()?;
        let token = self.parser.next("an instruction")?;
        let TokenKind::Word(text) = token.kind else {
            return Err(ParseError::new(token.span, "expected an instruction"));
        };
        let op = self.parser.operation(&mut Words::new(text, token.span))?;
        let end = self.parser.span();
        self.parser.sign(';')?;
        let (span, loc) = (start.to(end), self.loc);
        self.function.body.push(Statement::Instruction { guard, op, span, loc });
        Ok(())
    }

    fn guard(&mut self) -> Result<Option<Guard>, ParseError> {
        if !self.parser.take('@') {
            return Ok(None);
        }
        let negated = self.parser.take('!');
        let register = self.parser.name("a predicate")?.to_owned();
        Ok(Some(Guard { register, negated }))
    }
}

/// The small steps that every production is made of.
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
            Some(TokenKind::Integer(value)) => {
                self.at += 1;
                Ok(value)
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// An integer of at most 32 bits: counts, sizes, numbers of files and lines.
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

    /// To behind the next `;`, or before a brace that closes a scope. A brace that closes a
    /// vector of operands has a `,` or a `;` behind it.
    fn skip_statement(&mut self) {
        while let Some(kind) = self.kind() {
            if kind == TokenKind::Sign('}') && !self.follows(',') && !self.follows(';') {
                return;
            }
            self.at += 1;
            if kind == TokenKind::Sign(';') {
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
