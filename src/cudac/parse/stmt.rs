//! Statements.

use super::{Declarator, Parser};
use crate::ast::{Assembly, Case, Expr, ExprKind, Loop, Stmt, StmtKind, Storage};
use crate::at::Pos;
use crate::error::Error;
use crate::token::TokenClass;
use crate::types::Qualifiers;
use std::collections::HashMap;
use std::rc::Rc;

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Result<Stmt, Error> {
        if self.is_host {
            return self.host_statement();
        }
        self.deeper(Self::any_statement)
    }

    pub(super) fn any_statement(&mut self) -> Result<Stmt, Error> {
        let token = self.token();
        let at = token.at;
        let made = |kind| Ok(Stmt { kind, at });
        if token.kind == TokenClass::Unroll {
            return self.unrolled();
        }
        if let Some(outside) = self.left_out(token) {
            return Err(Error::outside(at, outside));
        }
        match &*token.text {
            _ if !matches!(token.kind, TokenClass::Name | TokenClass::Punctuator) => {}
            "typedef" | "using" => {
                self.named_type()?;
                return made(StmtKind::Empty);
            }
            "enum" if self.defines_an_enumeration() => {
                let constants = self.enumeration()?;
                self.expect(";")?;
                return made(StmtKind::Declare(constants));
            }
            "static_assert" => {
                self.index += 1;
                let holds = self.assertion()?;
                return made(StmtKind::Assert(holds));
            }
            "switch" => return self.switch(at),
            "asm" | "__asm__" | "__asm" => return self.assembly(at),
            "struct" | "class" | "union" if self.defines_a_structure() => {
                let ty = self.structure()?;
                if self.accept(";") {
                    return made(StmtKind::Empty);
                }
                let Declarator { name, ty, .. } =
                    self.declared(ty, Qualifiers::default(), "a name")?;
                let declared = self.declarations(&ty.clone(), Storage::default(), ty, name)?;
                return made(StmtKind::Declare(declared));
            }
            "goto" => {
                self.index += 1;
                let name = self.name("the name of a label")?.text.clone();
                self.expect(";")?;
                return made(StmtKind::Goto(name));
            }
            _ if token.kind == TokenClass::Name && self.ahead(1).is(":") => {
                self.index += 2;
                return made(StmtKind::Label(token.text.clone()));
            }
            "{" => return self.block(),
            ";" => {
                self.index += 1;
                return made(StmtKind::Empty);
            }
            "if" => return self.branch(at),
            "for" => return self.counted(at),
            "while" => return self.repeated(at),
            "do" => return self.repeated_once(at),
            "return" => {
                self.index += 1;
                let value = match (self.is(";"), self.is("{")) {
                    (true, _) => None,
                    (_, true) => Some(self.value_or_list()?),
                    _ => Some(self.expression()?),
                };
                self.expect(";")?;
                return made(StmtKind::Return(value));
            }
            "break" | "continue" => {
                self.index += 1;
                self.expect(";")?;
                let is_break = token.is("break");
                return made(if is_break { StmtKind::Break } else { StmtKind::Continue });
            }
            "else" => return Err(Error::at(at, "there is no `if` for this `else`")),
            _ => {}
        }
        if self.declares() {
            return self.declaration(at);
        }
        let value = self.expression()?;
        self.expect(";")?;
        made(StmtKind::Value(value))
    }

    fn declaration(&mut self, at: Pos) -> Result<Stmt, Error> {
        let base = self.base()?;
        let ty = self.pointers_of(base.ty.clone(), base.storage.qualifiers);
        let Declarator { name, ty, by_reference } =
            self.declared(ty, base.storage.qualifiers, "a name")?;
        let storage = Storage { by_reference, ..base.storage };
        let declared = self.declarations(&base.ty, storage, ty, name)?;
        Ok(Stmt { kind: StmtKind::Declare(declared), at })
    }

    /// `asm volatile("..." : outputs : inputs : clobbers);`
    fn assembly(&mut self, at: Pos) -> Result<Stmt, Error> {
        self.index += 1;
        while ["volatile", "__volatile__", "__volatile"].iter().any(|word| self.accept(word)) {}
        self.expect("(")?;
        let text = self.text(at)?;
        let mut operands = [Vec::new(), Vec::new()];
        let mut part = 0;
        while !self.accept(")") {
            if self.accept("::") {
                part += 2;
            } else if self.accept(":") {
                part += 1;
            } else if self.accept(",") {
                // The next operand.
            } else {
                let constraint = self.text(at)?;
                if part > 2 {
                    continue;
                }
                self.expect("(")?;
                let place = self.at();
                let mut value = self.expression()?;
                self.expect(")")?;
                if part == 1 {
                    value = Expr::new(ExprKind::Unary('&', Box::new(value)), place);
                }
                operands[usize::from(part == 2)].push((constraint, value));
            }
        }
        // It stands on its last line, where NVRTC has it too.
        let at = self.expect(";")?;
        let [outputs, inputs] = operands;
        let assembly = Assembly { text, outputs, inputs };
        Ok(Stmt { kind: StmtKind::Assembly(Box::new(assembly)), at })
    }

    /// A text, which may stand in several parts.
    fn text(&mut self, at: Pos) -> Result<Rc<str>, Error> {
        match self.quoted(at).kind {
            ExprKind::Text(text)
                if self.before().is_some_and(|last| last.kind == TokenClass::Text) =>
            {
                Ok(text)
            }
            _ => Err(Error::at(self.at(), "a text in quotes is missing here")),
        }
    }

    fn condition(&mut self) -> Result<Expr, Error> {
        self.expect("(")?;
        let opens = self.is("(");
        let condition = self.expression()?;
        // A second pair of brackets says that the `=` is meant.
        let is_meant = opens && self.before().is_some_and(|last| last.is(")"));
        self.expect(")")?;
        if let ExprKind::Assign(operator, ..) = &condition.kind
            && operator.is_empty()
            && !(is_meant || self.is_host)
        {
            let told = "`=` stores a value, and a condition asks a question";
            let hint = "`==` compares; a second pair of brackets says that it is meant: ((x = y))";
            return Err(Error::at(condition.at, told).hint(hint));
        }
        Ok(condition)
    }

    fn branch(&mut self, at: Pos) -> Result<Stmt, Error> {
        self.index += 1;
        self.accept("constexpr");
        let condition = self.condition()?;
        let yes = Box::new(self.statement()?);
        let no = if self.accept("else") { Some(Box::new(self.statement()?)) } else { None };
        Ok(Stmt { kind: StmtKind::If(condition, yes, no), at })
    }

    fn switch(&mut self, at: Pos) -> Result<Stmt, Error> {
        self.index += 1;
        let of = self.condition()?;
        self.expect("{")?;
        self.aliases.push(HashMap::new());
        let mut all: Vec<Case> = Vec::new();
        while !self.accept("}") {
            let mut labels = Vec::new();
            while self.is("case") || self.is("default") {
                let label = if self.next().is("case") { Some(self.expression()?) } else { None };
                self.expect(":")?;
                labels.push(label);
            }
            if !labels.is_empty() {
                all.push(Case { labels, body: Vec::new() });
            } else if let Some(case) = all.last_mut() {
                case.body.push(self.statement()?);
            } else {
                return Err(Error::at(self.at(), "a `case` is missing before this"));
            }
        }
        self.aliases.pop();
        Ok(Stmt { kind: StmtKind::Switch(of, all), at })
    }

    fn repeated(&mut self, at: Pos) -> Result<Stmt, Error> {
        self.index += 1;
        let id = self.number();
        let condition = Some(self.condition()?);
        let body = self.statement()?;
        let each =
            Loop { id, init: None, condition, asks_after: false, step: None, body, unroll: None };
        Ok(Stmt { kind: StmtKind::Loop(Box::new(each)), at })
    }

    /// `do ... while (...);`
    fn repeated_once(&mut self, at: Pos) -> Result<Stmt, Error> {
        self.index += 1;
        let id = self.number();
        let body = self.statement()?;
        if !self.accept("while") {
            let told = "a `while (...)` is missing after the body of this `do`";
            return Err(Error::at(at, told));
        }
        let condition = Some(self.condition()?);
        self.expect(";")?;
        let each =
            Loop { id, init: None, condition, asks_after: true, step: None, body, unroll: None };
        Ok(Stmt { kind: StmtKind::Loop(Box::new(each)), at })
    }

    fn counted(&mut self, at: Pos) -> Result<Stmt, Error> {
        self.index += 1;
        let id = self.number();
        self.expect("(")?;
        let first = self.at();
        let init = if self.accept(";") {
            None
        } else if self.declares() {
            Some(self.declaration(first)?)
        } else {
            let value = self.expression()?;
            self.expect(";")?;
            Some(Stmt { kind: StmtKind::Value(value), at: first })
        };
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        let body = self.statement()?;
        let each = Loop { id, init, condition, asks_after: false, step, body, unroll: None };
        Ok(Stmt { kind: StmtKind::Loop(Box::new(each)), at })
    }

    /// A statement after `#pragma unroll`.
    fn unrolled(&mut self) -> Result<Stmt, Error> {
        let factor = self.next();
        let wholly = &*factor.text != "1";
        let mut statement = self.statement()?;
        if let StmtKind::Loop(each) = &mut statement.kind {
            each.unroll = Some(wholly);
            return Ok(statement);
        }
        Err(Error::at(factor.at, "`#pragma unroll` stands before a loop"))
    }
}
