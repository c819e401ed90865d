//! Structures: their members, the functions and constants among them, and values of them.

use super::{DeclSpecifiers, Declarator, Parser};
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
    /// Each with the least that its address is a multiple of.
    members: Vec<(Rc<str>, Type, u64)>,
    /// Where member functions of the device begin.
    functions: Vec<usize>,
    /// The least alignment.
    align: u64,
    is_union: bool,
    /// The first values of members, by their names.
    firsts: Vec<(Rc<str>, Expr)>,
}

impl Parser<'_> {
    pub(super) fn defines_a_structure(&self) -> bool {
        ["struct", "class", "union"].iter().any(|word| self.is(word))
            && (1..12)
                .map(|count| self.ahead(count))
                .find(|token| token.is("{") || token.is(";"))
                .is_some_and(|token| token.is("{"))
    }

    /// `struct Pair { float a; int b; }`: gives it its name.
    pub(super) fn structure(&mut self) -> Result<Type, Error> {
        let is_union = self.next().is("union");
        let mut written = StructDraft { align: 1, is_union, ..StructDraft::default() };
        while self.is("__align__") || self.is("alignas") {
            self.index += 1;
            written.align = self.in_brackets()?;
        }
        let begins = self.at();
        let is_named = self.token().kind == TokenClass::Name;
        let name = if is_named {
            self.name("a name")?.text.clone()
        } else {
            format!("the structure of line {}", begins.line).into()
        };
        self.accept("final");
        if self.accept(":") {
            self.bases(&mut written)?;
        }
        self.expect("{")?;
        if !self.is_host {
            self.announce(&name);
        }
        self.aliases.push(HashMap::new());
        while !self.accept("}") {
            self.member(&name, &mut written)?;
        }
        self.aliases.pop();
        if self.is_host {
            // What is not known has no place: no kernel can be given such a structure.
            written.members.retain(|(_, ty, _)| ty.bytes() > 0);
        }
        if written.members.iter().any(|(_, ty, _)| ty.bytes() == 0) {
            return Err(Error::outside(begins, "a member of unknown size"));
        }
        let end = self.index;
        let made = if written.is_union { Struct::union } else { Struct::new };
        let ty = Type::Struct(Rc::new(made(name.clone(), written.members, written.align)));
        self.structures.insert(name.clone(), ty.clone());
        if let Some(scope) = self.aliases.last_mut().filter(|_| is_named) {
            scope.insert(name.clone(), ty.clone());
        }
        // A function may use members that stand after it.
        for start in written.functions {
            self.index = start;
            let read = self.member_function(&name, &ty, &written.firsts);
            if !self.is_host {
                read?;
            }
        }
        self.index = end;
        self.constructor_of(&name, &ty, &written.firsts, begins);
        Ok(ty)
    }

    /// Gives a structure whose members have first values a constructor, if it has none.
    fn constructor_of(&mut self, name: &Rc<str>, ty: &Type, firsts: &[(Rc<str>, Expr)], at: Pos) {
        let own: Rc<str> = format!("{name}::{name}").into();
        if firsts.is_empty() || self.methods.iter().any(|one| one.name == own) {
            return;
        }
        self.methods.push(Rc::new(Function {
            name: own,
            at,
            is_kernel: false,
            owner: Some(ty.clone()),
            returns: Type::Void,
            deduced: false,
            by_reference: false,
            parameters: Vec::new(),
            bounds: None,
            body: Stmt { kind: StmtKind::Block(all_stored(firsts)), at },
            end: at,
        }));
    }

    /// A structure that is known by its name, and no more of it: pointers may point at it.
    pub(super) fn announce(&mut self, name: &Rc<str>) {
        if self.alias(name).is_some() {
            return;
        }
        let of = Struct { name: name.clone(), members: Vec::new(), bytes: 0, align: 1 };
        let scopes = self.aliases.len();
        if let Some(scope) = self.aliases.get_mut(scopes.saturating_sub(1)) {
            scope.insert(name.clone(), Type::Struct(Rc::new(of)));
        }
    }

    /// `public Base, Other` after a colon: they are members without a name, the first ones.
    fn bases(&mut self, written: &mut StructDraft) -> Result<(), Error> {
        loop {
            while ["public", "private", "protected"].iter().any(|word| self.accept(word)) {}
            let at = self.at();
            let name = self.next().text.clone();
            match self.alias(&name) {
                Some(ty @ Type::Struct(of)) if !of.is_incomplete() => {
                    let ty = ty.clone();
                    written.members.push(("".into(), ty, 1));
                }
                _ => return Err(Error::outside(at, "a structure that inherits from such a one")),
            }
            if !self.accept(",") {
                return Ok(());
            }
        }
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
        if self.is_host && (self.is("template") || self.is("friend")) {
            self.index = self.item_end(self.index);
            return Ok(());
        }
        if self.is_host {
            self.accept("virtual");
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
        if self.is_host && self.is(structure) && self.ahead(1).is("*") {
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
        let base = if self.defines_a_structure() {
            DeclSpecifiers::of(self.structure()?)
        } else {
            self.base()?
        };
        if self.accept(";") {
            written.members.push(("".into(), base.ty, base.storage.align));
            return Ok(());
        }
        let qualifiers = base.storage.qualifiers;
        let ty = self.pointers_of(base.ty.clone(), qualifiers);
        let Declarator { name, ty, .. } = self.declared(ty, qualifiers, "the name of a member")?;
        let declared = self.declarations(&base.ty, base.storage, ty, name)?;
        for one in declared {
            if is_constant {
                let name = format!("{structure}::{}", one.name).into();
                let one = Declaration { name, ..one };
                self.learn(std::slice::from_ref(&one));
                self.statics.push(one);
                continue;
            }
            if base.storage.owner != Owner::Thread {
                return Err(Error::outside(one.at, "such a member"));
            }
            let side = |side: &Option<Expr>| {
                let side = side.as_ref().and_then(|side| self.whole(side));
                side.and_then(|side| u32::try_from(side).ok()).filter(|side| *side > 0)
            };
            let sides: Option<Vec<_>> = one.sides.iter().map(side).collect();
            let sides = sides.ok_or_else(|| Error::outside(one.at, "the size of this member"))?;
            match one.init {
                Some(Init::Value(value)) if sides.is_empty() && !self.is_host => {
                    written.firsts.push((one.name.clone(), value));
                }
                Some(_) if !self.is_host => {
                    return Err(Error::outside(one.at, "a member with first values in braces"));
                }
                _ => {}
            }
            let array = |of, side: &u32| Type::Array(Box::new(of), *side);
            let ty = sides.iter().rev().fold(one.ty, array);
            written.members.push((one.name, ty, one.storage.align));
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
                // A pointer to a function.
                "operator" => {
                    at += 1;
                    while !self.tokens.get(at)?.is("(") {
                        at += 1;
                    }
                }
                "(" if self.tokens.get(at + 1)?.is("*") => return None,
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
    fn member_function(
        &mut self,
        structure: &str,
        owner: &Type,
        firsts: &[(Rc<str>, Expr)],
    ) -> Result<(), Error> {
        let words =
            ["__host__", "__device__", "inline", "__forceinline__", "explicit", "constexpr"];
        while words.iter().any(|word| self.accept(word)) {}
        let is_constructor = self.is(structure) && self.ahead(1).is("(");
        let (mut deduced, mut by_reference) = (false, false);
        let (returns, name) = if is_constructor {
            (Type::Void, self.name("a name")?)
        } else if self.is("~") {
            return Err(Error::outside(self.at(), "a destructor"));
        } else {
            let base = self.base()?;
            let ty = self.pointers_of(base.ty, base.storage.qualifiers);
            // What is only read through a reference is as good as its value.
            by_reference = self.accept("&") && !base.storage.qualifiers.constant;
            deduced = base.storage.deduced;
            (ty, self.name("a name")?)
        };
        let own = if name.is("operator") { self.operator() } else { name.text.to_string() };
        let Some(parameters) = self.parameters(false)? else { return Ok(()) };
        while ["const", "noexcept", "override"].iter().any(|word| self.accept(word)) {}
        let mut first = if is_constructor { all_stored(firsts) } else { Vec::new() };
        if self.accept(":") {
            first.extend(self.first_values()?);
        }
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
            deduced,
            by_reference,
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
            all.push(stored(&name.text, value, name.at));
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
            given.push(if self.is_host { self.value_or_list()? } else { self.assignment()? });
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

fn all_stored(firsts: &[(Rc<str>, Expr)]) -> Vec<Stmt> {
    firsts.iter().map(|(name, value)| stored(name, value.clone(), value.at)).collect()
}

/// Gives a member of the structure that is constructed its value.
fn stored(name: &Rc<str>, value: Expr, at: Pos) -> Stmt {
    let this = Expr::new(ExprKind::Name("this".into()), at);
    let this = Expr::new(ExprKind::Unary('*', Box::new(this)), at);
    let member = Expr::new(ExprKind::Member(Box::new(this), name.clone()), at);
    let stored = ExprKind::Assign("".into(), Box::new(member), Box::new(value));
    Stmt { kind: StmtKind::Value(Expr::new(stored, at)), at }
}

/// Whether a member function is `~A()`, and not `operator~()` or one that has a `~` in its body.
fn is_destructor(function: &[Token]) -> bool {
    let open = function.iter().position(|token| token.is("("));
    let tilde = open.and_then(|open| function.get(open.checked_sub(2)?));
    tilde.is_some_and(|token| token.is("~"))
}
