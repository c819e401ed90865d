//! The statements of one function: declarations, labels and instructions, and their scopes.

use super::Parser;
use super::words::Words;
use crate::ast::{Function, Guard, PartOfArray, Registers, Scope, Statement};
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::line::Loc;
use crate::op::{ControlOp, Op};
use crate::types::Type;
use std::collections::HashMap;

/// Maximum nesting depth of `{ }`: more than any compiler emits.
const MAX_DEPTH: usize = 256;

/// Parses the statements of one function.
pub(super) struct BodyParser<'p, 'a, 'f> {
    parser: &'p mut Parser<'a>,
    function: &'f mut Function,
    /// The open scopes, innermost last.
    open: Vec<Scope>,
    /// The labels of each `.branchtargets` list, by the list's name.
    lists: HashMap<String, Vec<String>>,
    /// The last `.loc`, which applies to the instructions that follow.
    loc: Option<Loc>,
    /// For each source line of inlined code, the caller's line that replaces it. The caller may
    /// itself be inlined, as stated by an earlier `.loc`.
    callers: HashMap<Loc, Loc>,
}

impl<'p, 'a, 'f> BodyParser<'p, 'a, 'f> {
    /// Starts after the brace that opens the body.
    pub(super) fn new(parser: &'p mut Parser<'a>, function: &'f mut Function) -> Self {
        function.scopes.push(Scope(0));
        let (open, lists, callers) = (vec![Scope(0)], HashMap::new(), HashMap::new());
        Self { parser, function, open, lists, loc: None, callers }
    }

    /// Parses up to and including the closing brace.
    pub(super) fn block(&mut self) -> Result<(), ParseError> {
        while !self.open.is_empty() {
            if self.parser.take('{') {
                self.enter()?;
            } else if self.parser.take('}') {
                self.open.pop();
            } else {
                self.recovering()?;
            }
        }
        self.lists_to_places();
        Ok(())
    }

    /// Replaces the list name of each `brx.idx` with the list's labels. The list may follow the
    /// instruction, so this runs when all lists are known.
    fn lists_to_places(&mut self) {
        for statement in &mut self.function.body {
            let Statement::Instruction {
                op: Op::Control(ControlOp::Switch { targets, .. }),
                span,
                ..
            } = statement
            else {
                continue;
            };
            if let Some(list) = targets.first().and_then(|name| self.lists.get(name)) {
                targets.clone_from(list);
            } else {
                let message = "there is no such list of places (`.branchtargets`)";
                self.parser.errors.push(ParseError::new(*span, message));
            }
        }
    }

    fn enter(&mut self) -> Result<(), ParseError> {
        if self.open.len() == MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} scopes in each other are not supported");
            return Err(ParseError::new(self.parser.span(), message));
        }
        let scope = Scope(self.function.scopes.len() as u32);
        self.function.scopes.push(self.scope());
        self.open.push(scope);
        Ok(())
    }

    fn scope(&self) -> Scope {
        self.open.last().copied().unwrap_or_default()
    }

    /// Parses one statement. Errors are recorded, those about unsupported statements with the
    /// function, because they matter only if it is executed. Parsing continues after the
    /// statement's `;`.
    fn recovering(&mut self) -> Result<(), ParseError> {
        if self.parser.peek().is_none() {
            return Err(self.parser.unexpected("`}`"));
        }
        if let Err(error) = self.statement() {
            let unsupported = error.unsupported;
            let errors =
                if unsupported { &mut self.function.unsupported } else { &mut self.parser.errors };
            errors.push(error);
            self.parser.skip_statement();
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<(), ParseError> {
        match self.parser.kind() {
            Some(TokenKind::Word(word)) if word == ".reg" || word.starts_with(".reg.") => {
                self.registers()
            }
            Some(TokenKind::Word(".shared" | ".local" | ".param" | ".global" | ".const")) => {
                let scope = self.scope();
                let variables = self.parser.variables(false, scope)?;
                self.function.variables.extend(variables);
                Ok(())
            }
            Some(TokenKind::Word(".loc")) => self.loc(),
            Some(TokenKind::Word(".pragma")) => {
                let span = self.parser.span();
                self.parser.at += 1;
                if let Some(TokenKind::String(pragma)) = self.parser.kind() {
                    self.function.cluster.is_grid |= pragma == "barrier of the grid";
                    let index = || PartOfArray::read(pragma).map(Statement::Index);
                    let nounroll = (pragma == "nounroll").then_some(Statement::NoUnroll(span));
                    self.function.body.extend(nounroll.or_else(index));
                }
                self.parser.skip_statement();
                Ok(())
            }
            Some(TokenKind::Word(word)) if self.parser.follows(':') => self.label(word),
            _ => self.instruction(),
        }
    }

    /// `name:`, or the branch targets of a `brx.idx`: `name: .branchtargets a, b;`
    fn label(&mut self, name: &str) -> Result<(), ParseError> {
        let span = self.parser.span();
        self.parser.at += 2;
        match self.parser.kind() {
            Some(TokenKind::Word(".branchtargets")) => {
                self.parser.at += 1;
                let mut targets = vec![self.parser.name("a label")?.to_owned()];
                while self.parser.take(',') {
                    targets.push(self.parser.name("a label")?.to_owned());
                }
                self.parser.sign(';')?;
                self.lists.insert(name.to_owned(), targets);
            }
            // For an indirect call, which is rejected at the call itself.
            Some(TokenKind::Word(".callprototype" | ".calltargets")) => {
                self.parser.skip_statement();
            }
            _ => self.function.body.push(Statement::Label(name.to_owned(), self.scope(), span)),
        }
        Ok(())
    }

    /// `.reg .b32 %r<30>;` or `.reg .pred p, q;`; also `.reg.b32 f;`, as the CUDA headers write it.
    fn registers(&mut self) -> Result<(), ParseError> {
        let joined = match self.parser.kind() {
            Some(TokenKind::Word(word)) => word.strip_prefix(".reg.").and_then(Type::from_word),
            _ => None,
        };
        self.parser.at += 1;
        let halved = joined.is_none() && self.parser.kind() == Some(TokenKind::Word(".b128"));
        self.parser.at += usize::from(halved);
        let ty = joined.or(halved.then_some(Type::B64));
        let ty = ty.map_or_else(|| self.parser.ty(), Ok)?;
        let scope = self.scope();
        loop {
            let name = self.parser.name("a register's name")?.to_owned();
            let count = if self.parser.take('<') {
                let count = self.parser.small()?;
                self.parser.sign('>')?;
                Some(count)
            } else {
                None
            };
            self.function.registers.push(Registers { name, ty, count, scope, halved });
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
        let caller = inlined_at.map(|at| self.callers.get(&at).copied().unwrap_or(at));
        let loc = Loc::resolve(own, caller);
        if loc != own {
            self.callers.insert(own, loc);
        }
        self.loc = Some(loc);
        Ok(())
    }

    /// `{@{!}p} opcode operands;`
    fn instruction(&mut self) -> Result<(), ParseError> {
        self.parser.more.clear();
        let start = self.parser.span();
        let guard = self.guard()?;
        let token = self.parser.next("an instruction")?;
        let TokenKind::Word(text) = token.kind else {
            return Err(ParseError::new(token.span, "expected an instruction"));
        };
        let mut op = self.parser.operation(&mut Words::new(text, token.span))?;
        if let Op::Lane(op) = &mut op
            && self.parser.unsaid.ftz
        {
            op.flush();
        }
        let more = std::mem::take(&mut self.parser.more);
        let added = self.parser.added(&op)?;
        let end = self.parser.span();
        self.parser.sign(';')?;
        let (span, scope, loc) = (start.to(end), self.scope(), self.loc);
        let statement = |op| Statement::Instruction { guard: guard.clone(), op, scope, span, loc };
        self.function.body.extend(std::iter::once(op).chain(added).chain(more).map(statement));
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
