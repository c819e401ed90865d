//! Structures: their members, the functions and constants among them, and values of them.

use super::Parser;
use crate::ast::{Declaration, Expr, ExprKind, Function, Init, Owner, Stmt, StmtKind};
use crate::at::Pos;
use crate::error::Error;
use crate::source::expression::apply;
use crate::token::{Token, TokenClass};
use crate::types::{Struct, Type};
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Default)]
struct StructDraft {
    members: Vec<(Rc<str>, Type)>,
    /// Where member functions of the device begin.
    functions: Vec<usize>,
    /// The least alignment.
    align: u64,
}

impl Parser<'_> {
    pub(super) fn defines_a_structure(&self) -> bool {
        (self.is("struct") || self.is("class"))
            && (1..8)
                .map(|count| self.ahead(count))
                .find(|token| token.is("{") || token.is(";"))
                .is_some_and(|token| token.is("{"))
    }

    /// `struct Pair { float a; int b; }`: gives it its name.
    pub(super) fn structure(&mut self) -> Result<Type, Error> {
        self.index += 1;
        let mut written = StructDraft { align: 1, ..StructDraft::default() };
        while self.is("__align__") || self.is("alignas") {
            self.index += 1;
            written.align = self.in_brackets()?;
        }
        let begins = self.at();
        let is_named = self.token().kind == TokenClass::Name;
        let name = if is_named { self.name("a name")?.text.clone() } else { "a structure".into() };
        if self.is(":") || self.is("final") {
            return Err(Error::outside(self.at(), "a structure that inherits from another"));
        }
        self.expect("{")?;
        self.aliases.push(HashMap::new());
        while !self.accept("}") {
            self.member(&name, &mut written)?;
        }
        self.aliases.pop();
        if written.members.iter().any(|(_, ty)| ty.bytes() == 0) {
            return Err(Error::outside(begins, "a member of unknown size"));
        }
        let end = self.index;
        let ty = Type::Struct(Rc::new(Struct::new(name.clone(), written.members, written.align)));
        if let Some(scope) = self.aliases.last_mut().filter(|_| is_named) {
            scope.insert(name.clone(), ty.clone());
        }
        // A function may use members that stand after it.
        for start in written.functions {
            self.index = start;
            self.member_function(&name, &ty)?;
        }
        self.index = end;
        Ok(ty)
    }

    fn in_brackets(&mut self) -> Result<u64, Error> {
        self.expect("(")?;
        let value = self.assignment()?;
        self.expect(")")?;
        let known = self.whole(&value).and_then(|value| u64::try_from(value).ok());
        let known = known.filter(|value| value.is_power_of_two());
        known.ok_or_else(|| Error::outside(value.at, "such an alignment"))
    }

    fn member(&mut self, structure: &str, written: &mut StructDraft) -> Result<(), Error> {
        if ["public", "private", "protected"].iter().any(|word| self.accept(word)) {
            return self.expect(":").map(drop);
        }
        if self.accept(";") {
            return Ok(());
        }
        if self.names_a_type() {
            return self.named_type();
        }
        if self.is("enum") && self.defines_an_enumeration() {
            for one in self.enumeration()? {
                self.statics
                    .push(Declaration { name: format!("{structure}::{}", one.name).into(), ..one });
            }
            return self.expect(";").map(drop);
        }
        if self.is("static_assert") {
            return self.asserted();
        }
        for (word, what) in [
            ("template", "a template in a structure"),
            ("friend", "a friend of a structure"),
            ("virtual", "a virtual function"),
        ] {
            if self.is(word) {
                return Err(Error::outside(self.at(), what));
            }
        }
        if self.is(structure) && self.ahead(1).is("*") {
            return Err(Error::outside(self.at(), "a structure that points to itself"));
        }
        let start = self.index;
        if let Some(end) = self.function_end() {
            let function = &self.tokens[start..end];
            // What a destructor does on the host, which is to free memory, is not followed.
            let is_read = if self.is_host {
                !is_destructor(function)
            } else {
                function.iter().any(|token| token.is("__device__"))
            };
            if is_read {
                written.functions.push(start);
            }
            self.index = end;
            return Ok(());
        }
        let is_constant = (self.is("static") || self.is("constexpr"))
            && (0..3)
                .any(|count| self.ahead(count).is("const") || self.ahead(count).is("constexpr"));
        let base = self.base()?;
        let qualifiers = base.storage.qualifiers;
        let ty = self.pointers_of(base.ty.clone(), qualifiers);
        let name = self.name("the name of a member")?;
        let declared = self.declarations(&base.ty, base.storage, ty, name)?;
        for one in declared {
            if is_constant {
                let name = format!("{structure}::{}", one.name).into();
                let one = Declaration { name, ..one };
                self.learn(std::slice::from_ref(&one));
                self.statics.push(one);
                continue;
            }
            if one.init.is_some() && !self.is_host || base.storage.owner != Owner::Thread {
                return Err(Error::outside(one.at, "a member with a first value"));
            }
            let side = |side: &Option<Expr>| {
                let side = side.as_ref().and_then(|side| self.whole(side));
                side.and_then(|side| u32::try_from(side).ok()).filter(|side| *side > 0)
            };
            let sides: Option<Vec<_>> = one.sides.iter().map(side).collect();
            let sides = sides.ok_or_else(|| Error::outside(one.at, "the size of this member"))?;
            let array = |of, side: &u32| Type::Array(Box::new(of), *side);
            written.members.push((one.name, sides.iter().rev().fold(one.ty, array)));
        }
        Ok(())
    }

    /// Where the function ends that begins here; `None` if none does.
    fn function_end(&self) -> Option<usize> {
        let mut at = self.index;
        loop {
            let token = self.tokens.get(at)?;
            if token.is("__align__") || token.is("alignas") {
                at = self.closed(at + 1)?;
                continue;
            }
            match &*token.text {
                "(" if token.kind == TokenClass::Punctuator => break,
                ";" | "=" | "{" | "}" => return None,
                _ => at += 1,
            }
        }
        // `operator()(float x)`
        if self.tokens.get(at.checked_sub(1)?)?.is("operator") {
            at = self.closed(at)?;
        }
        at = self.closed(at)?;
        loop {
            let token = self.tokens.get(at)?;
            match &*token.text {
                ";" => return Some(at + 1),
                "{" => return self.closed(at),
                "(" => at = self.closed(at)?,
                _ => at += 1,
            }
        }
    }

    /// The place after the bracket that closes the one at `open`.
    fn closed(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            if token.kind == TokenClass::Punctuator {
                match &*token.text {
                    "(" | "{" | "[" => depth += 1,
                    ")" | "}" | "]" => depth = depth.checked_sub(1)?,
                    _ => {}
                }
                if depth == 0 {
                    return Some(at + 1);
                }
            }
        }
        None
    }

    /// A member function, or a constructor, called `Pair::name`.
    fn member_function(&mut self, structure: &str, owner: &Type) -> Result<(), Error> {
        let words =
            ["__host__", "__device__", "inline", "__forceinline__", "explicit", "constexpr"];
        while words.iter().any(|word| self.accept(word)) {}
        let is_constructor = self.is(structure) && self.ahead(1).is("(");
        let (returns, name) = if is_constructor {
            (Type::Void, self.name("a name")?)
        } else if self.is("~") {
            return Err(Error::outside(self.at(), "a destructor"));
        } else {
            let base = self.base()?;
            let ty = self.pointers_of(base.ty, base.storage.qualifiers);
            // A result by reference is a value here, unless something is to be stored through it.
            if self.is("&") {
                return Err(Error::outside(self.at(), "a reference as a result"));
            }
            (ty, self.name("a name")?)
        };
        let own = if name.is("operator") { self.operator() } else { name.text.to_string() };
        let Some(parameters) = self.parameters(false)? else { return Ok(()) };
        while ["const", "noexcept", "override"].iter().any(|word| self.accept(word)) {}
        let first = if self.accept(":") { self.first_values()? } else { Vec::new() };
        let (mut body, at) = (self.block()?, name.at);
        if !first.is_empty() {
            body = Stmt { kind: StmtKind::Block(first.into_iter().chain([body]).collect()), at };
        }
        let end = self.before().map_or(at, |brace| brace.at);
        self.methods.push(Rc::new(Function {
            name: format!("{structure}::{own}").into(),
            at,
            is_kernel: false,
            owner: Some(owner.clone()),
            returns,
            parameters,
            bounds: None,
            body,
            end,
        }));
        Ok(())
    }

    /// The name of an operator after its word: `operator()`, `operator+`.
    pub(super) fn operator(&mut self) -> String {
        let mut name = "operator".to_owned();
        while !self.is("(") || name == "operator" && self.ahead(1).is(")") {
            let token: &Token = self.next();
            name += &token.text;
            if token.is("(") {
                name += &self.next().text;
            }
            if token.kind == TokenClass::End {
                break;
            }
        }
        name
    }

    /// `a(x), b(y)`: what a constructor gives its members first.
    fn first_values(&mut self) -> Result<Vec<Stmt>, Error> {
        let mut all = Vec::new();
        loop {
            let name = self.name("the name of a member")?;
            let close = if self.accept("{") { "}" } else { self.expect("(").map(|_| ")")? };
            let value = self.assignment()?;
            self.expect(close)?;
            let this = Expr::new(ExprKind::Name("this".into()), name.at);
            let this = Expr::new(ExprKind::Unary('*', Box::new(this)), name.at);
            let member = Expr::new(ExprKind::Member(Box::new(this), name.text.clone()), name.at);
            let stored = ExprKind::Assign("".into(), Box::new(member), Box::new(value));
            let kind = StmtKind::Value(Expr::new(stored, name.at));
            all.push(Stmt { kind, at: name.at });
            if !self.accept(",") {
                return Ok(all);
            }
        }
    }

    /// `(a, b)` or `{a, b}` after the name of a structure.
    pub(super) fn constructed(&mut self, ty: Type, at: Pos) -> Result<Expr, Error> {
        let close = if self.accept("{") { "}" } else { self.expect("(").map(|_| ")")? };
        let mut given = Vec::new();
        while !self.accept(close) {
            given.push(self.assignment()?);
            if !self.is(close) {
                self.expect(",")?;
            }
        }
        Ok(Expr::new(ExprKind::Construct(ty, given), at))
    }

    /// Remembers the constants among declarations that are whole numbers.
    pub(super) fn learn(&mut self, declared: &[Declaration]) {
        for one in declared.iter().filter(|one| one.storage.qualifiers.constant) {
            if let Some(Init::Value(value)) = &one.init
                && let Some(value) = self.whole(value)
            {
                self.known.insert(one.name.clone(), value);
            }
        }
    }

    /// The whole number that an expression is, if that is known by its text.
    pub(super) fn whole(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Int(value, _) => Some(*value),
            ExprKind::Name(name) => self.known.get(name).copied(),
            ExprKind::Cast(_, inner) => self.whole(inner),
            ExprKind::Unary('-', inner) => self.whole(inner)?.checked_neg(),
            ExprKind::Unary('!', inner) => Some(i64::from(self.whole(inner)? == 0)),
            ExprKind::Binary(operator, a, b) => {
                let (a, b) = (self.whole(a)?, self.whole(b)?);
                apply(operator, &[a.into(), b.into()]).ok()?.try_into().ok()
            }
            _ => None,
        }
    }
}

/// Whether a member function is `~A()`, and not `operator~()` or one that has a `~` in its body.
fn is_destructor(function: &[Token]) -> bool {
    let open = function.iter().position(|token| token.is("("));
    let tilde = open.and_then(|open| function.get(open.checked_sub(2)?));
    tilde.is_some_and(|token| token.is("~"))
}
