//! Expressions, by the precedence of their operators.

use super::Parser;
use super::number::number;
use crate::ast::{Expr, ExprKind, HostExpr};
use crate::at::Pos;
use crate::error::Error;
use crate::hint;
use crate::source::ASSIGN;
use crate::source::expression::PRECEDENCE;
use crate::token::TokenClass;
use crate::types::{Scalar, Type};

/// How many expressions may stand in one another.
const DEEPEST: u32 = 120;

impl Parser<'_> {
    /// Whether a value stands in the brackets that begin here, and no parameter.
    pub(super) fn begins_value(&self) -> bool {
        let (first, next) = (self.ahead(1), self.ahead(2));
        let is_operator = || ["+", "-", "/", "%", "<<", ">>", "?"].iter().any(|one| next.is(one));
        first.kind == TokenClass::Number || first.is("-") || first.is("(") || is_operator()
    }

    pub(super) fn expression(&mut self) -> Result<Expr, Error> {
        let mut value = self.assignment()?;
        while self.is(",") {
            let at = self.next().at;
            let right = self.assignment()?;
            value = bounded(ExprKind::Comma(Box::new(value), Box::new(right)), at)?;
        }
        Ok(value)
    }

    pub(super) fn assignment(&mut self) -> Result<Expr, Error> {
        self.deeper(|parser| {
            let left = parser.choice()?;
            let token = parser.token();
            if token.kind != TokenClass::Punctuator || !ASSIGN.contains(&&*token.text) {
                return Ok(left);
            }
            let at = parser.next().at;
            let operator = token.text.trim_end_matches('=').into();
            let right = parser.value_or_list()?;
            bounded(ExprKind::Assign(operator, Box::new(left), Box::new(right)), at)
        })
    }

    pub(super) fn value_or_list(&mut self) -> Result<Expr, Error> {
        let at = self.at();
        if !self.is("{") {
            return self.assignment();
        }
        let all = self.list()?;
        bounded(ExprKind::List(all), at)
    }

    fn list(&mut self) -> Result<Vec<Expr>, Error> {
        self.expect("{")?;
        let mut all = Vec::new();
        while !self.accept("}") {
            all.push(self.assignment()?);
            if !self.is("}") {
                self.expect(",")?;
            }
        }
        Ok(all)
    }

    /// `(x)` after the name of a variable of this type; `(x, y)` of a pair of halves.
    pub(super) fn in_parentheses(&mut self, ty: &Type) -> Result<Expr, Error> {
        let at = self.expect("(")?;
        let mut given = self.given()?;
        match (given.len(), ty) {
            (1, _) => Ok(given.remove(0)),
            (2, ty) => bounded(ExprKind::Call(ty.to_string().into(), given), at),
            _ => Err(Error::at(at, "one value stands here")),
        }
    }

    fn choice(&mut self) -> Result<Expr, Error> {
        let condition = self.binary(0)?;
        if !self.is("?") {
            return Ok(condition);
        }
        let at = self.next().at;
        let yes = self.assignment()?;
        self.expect(":")?;
        let no = self.assignment()?;
        bounded(ExprKind::Choice(Box::new(condition), Box::new(yes), Box::new(no)), at)
    }

    fn binary(&mut self, level: usize) -> Result<Expr, Error> {
        let Some(operators) = PRECEDENCE.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            let token = self.token();
            let is_operator =
                token.kind == TokenClass::Punctuator && operators.contains(&&*token.text);
            if !is_operator || self.ends_angles() {
                return Ok(left);
            }
            self.index += 1;
            let right = self.binary(level + 1)?;
            let kind = ExprKind::Binary(token.text.clone(), Box::new(left), Box::new(right));
            left = bounded(kind, token.at)?;
        }
    }

    pub(super) fn unary(&mut self) -> Result<Expr, Error> {
        let token = self.token();
        let at = token.at;
        if token.kind == TokenClass::Punctuator {
            match &*token.text {
                "-" | "+" | "!" | "~" | "*" | "&" => {
                    self.index += 1;
                    let inner = self.deeper(Self::unary)?;
                    let operator = token.text.chars().next().unwrap_or('+');
                    return bounded(ExprKind::Unary(operator, Box::new(inner)), at);
                }
                "++" | "--" => {
                    self.index += 1;
                    let inner = self.deeper(Self::unary)?;
                    let one = Expr::new(ExprKind::Int(1, Scalar::I32), at);
                    let operator = token.text[..1].into();
                    return bounded(ExprKind::Assign(operator, Box::new(inner), Box::new(one)), at);
                }
                "[" if self.is_host => return self.lambda(),
                "[" => return self.nameless(),
                "(" if self.begins_cast() => {
                    self.index += 1;
                    return self.cast(at, ")", Self::unary);
                }
                _ => {}
            }
        }
        self.postfix()
    }

    /// Whether `(` opens a cast: a type stands after it.
    fn begins_cast(&self) -> bool {
        let next = self.ahead(1);
        if self.is_host && self.begins_cast_on_host() {
            return true;
        }
        // `(float(x) + y)` converts x alone.
        let is_function = self.ahead(2).is("(") && !self.ahead(3).is("*") || self.ahead(2).is("::");
        next.kind == TokenClass::Name
            && !is_function
            && (self.begins_type(&next.text) || next.is("const") || next.is("volatile"))
    }

    /// A type, the bracket that closes it, and what is converted.
    fn cast(
        &mut self,
        at: Pos,
        close: &str,
        inner: fn(&mut Self) -> Result<Expr, Error>,
    ) -> Result<Expr, Error> {
        let base = self.base()?;
        let ty = self.pointers_of(base.ty, base.storage.qualifiers);
        let rows = self.rows(&ty, base.storage.qualifiers, false)?;
        let ty = rows.map_or(ty, |(_, rows)| rows);
        self.expect(close)?;
        let inner = self.deeper(inner)?;
        bounded(ExprKind::Cast(ty, Box::new(inner)), at)
    }

    fn postfix(&mut self) -> Result<Expr, Error> {
        let mut value = self.primary()?;
        loop {
            let token = self.token();
            let at = token.at;
            match &*token.text {
                _ if token.kind != TokenClass::Punctuator => return Ok(value),
                "[" => {
                    self.index += 1;
                    let index = self.expression()?;
                    if matches!(index.kind, ExprKind::Comma(..)) {
                        let told = "a comma in an index means something else in C";
                        return Err(Error::at(index.at, told).hint("write [i][j]"));
                    }
                    self.expect("]")?;
                    value = bounded(ExprKind::Index(Box::new(value), Box::new(index)), at)?;
                }
                "." => {
                    self.index += 1;
                    value = self.member_of(value, at)?;
                }
                "->" => {
                    self.index += 1;
                    let whole = bounded(ExprKind::Unary('*', Box::new(value)), at)?;
                    value = self.member_of(whole, at)?;
                }
                // A function object that was made just before: `Add()(a, b)`.
                "(" if matches!(value.kind, ExprKind::Construct(..)) => {
                    self.index += 1;
                    let given = self.given()?;
                    let call = ExprKind::Method(Box::new(value), "operator()".into(), given);
                    value = bounded(call, at)?;
                }
                "++" | "--" => {
                    self.index += 1;
                    let operator = token.text[..1].into();
                    value = bounded(ExprKind::Postfix(operator, Box::new(value)), at)?;
                }
                "<<" if self.is_host && self.ahead(1).is("<") => value = self.launch(value, at)?,
                // Through a pointer to a function: `table[i](x)`, `(*f)(x)`.
                "(" if self.is_host || is_pointer_to_call(&value) => {
                    self.index += 1;
                    let given = self.given()?;
                    value = Expr::host(HostExpr::Apply(value, given), at);
                }
                "(" => return Err(Error::at(at, "this is no function")),
                _ => return Ok(value),
            }
        }
    }

    /// A member of a value, or a call of a member function, after the point.
    fn member_of(&mut self, value: Expr, at: Pos) -> Result<Expr, Error> {
        let name = self.name("a member")?.text.clone();
        if ["x", "y", "z", "w"].contains(&&*name) && self.is("(") {
            let told = format!("`.{name}` is a value, no function");
            return Err(Error::at(self.at(), told).hint("leave out the brackets"));
        }
        if self.accept("(") {
            let given = self.given()?;
            return bounded(ExprKind::Method(Box::new(value), name, given), at);
        }
        bounded(ExprKind::Member(Box::new(value), name), at)
    }

    /// The arguments of a call, after its bracket.
    pub(super) fn given(&mut self) -> Result<Vec<Expr>, Error> {
        let mut given = Vec::new();
        let in_angles = std::mem::take(&mut self.in_angles);
        while !self.accept(")") {
            given.push(if self.is_host { self.value_or_list()? } else { self.assignment()? });
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        self.in_angles = in_angles;
        Ok(given)
    }

    fn primary(&mut self) -> Result<Expr, Error> {
        let token = self.token();
        let at = token.at;
        match token.kind {
            TokenClass::Number => {
                self.index += 1;
                number(token)
            }
            TokenClass::Punctuator if token.is("(") => {
                self.index += 1;
                let in_angles = std::mem::take(&mut self.in_angles);
                let value = self.expression()?;
                self.in_angles = in_angles;
                self.expect(")")?;
                Ok(value)
            }
            TokenClass::Name => self.named(),
            TokenClass::Text
                if self.is_host || self.before().is_some_and(|before| before.is("(")) =>
            {
                Ok(self.quoted(at))
            }
            TokenClass::Punctuator | TokenClass::Text | TokenClass::Unroll | TokenClass::End => {
                Err(hint::no_value(self.before(), token, at))
            }
        }
    }

    /// A text, which may stand in several parts.
    pub(super) fn quoted(&mut self, at: Pos) -> Expr {
        let mut text = String::new();
        while self.token().kind == TokenClass::Text {
            let quoted = &self.next().text;
            text += quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or("");
        }
        Expr::new(ExprKind::Text(text.into()), at)
    }

    /// `sizeof(float4)`, after its word.
    fn bytes(&mut self, at: Pos) -> Result<Expr, Error> {
        if self.is_host {
            return self.size_on_host(at);
        }
        if !(self.is("(") && self.begins_cast()) {
            let of = self.unary()?;
            return Ok(Expr::host(HostExpr::SizeOf(of), at));
        }
        self.expect("(")?;
        let base = self.base()?;
        let ty = self.pointers_of(base.ty, base.storage.qualifiers);
        self.expect(")")?;
        Ok(Expr::new(ExprKind::Int(ty.bytes() as i64, Scalar::U64), at))
    }

    fn named(&mut self) -> Result<Expr, Error> {
        let token = self.token();
        let at = token.at;
        if let Some(outside) = self.left_out(token) {
            return Err(Error::outside(at, outside));
        }
        self.index += 1;
        match &*token.text {
            "new" if self.is_host => return self.allocation(at),
            "true" | "false" => {
                let value = i64::from(token.is("true"));
                return Ok(Expr::new(ExprKind::Int(value, Scalar::Bool), at));
            }
            "reinterpret_cast" | "static_cast" | "const_cast" => {
                self.expect("<")?;
                return self.cast(at, ">", |parser| {
                    parser.expect("(")?;
                    let value = parser.expression()?;
                    parser.expect(")")?;
                    Ok(value)
                });
            }
            "sizeof" => return self.bytes(at),
            _ => {}
        }
        let of_structure = self.alias(&token.text).filter(|ty| matches!(ty, Type::Struct(_)));
        if let Some(ty) = of_structure.cloned()
            && (self.is("(") || self.is("{"))
        {
            return self.constructed(ty, at);
        }
        if Type::vector(&token.text).is_some() && self.is("{") {
            let given = self.list()?;
            return bounded(ExprKind::Call(format!("make_{}", token.text).into(), given), at);
        }
        let mut name = token.text.clone();
        while self.is("::") && self.ahead(1).kind == TokenClass::Name {
            self.index += 1;
            name = format!("{name}::{}", self.next().text).into();
        }
        if self.is_host && self.is("<") && self.instance_follows() {
            let list = self.template_list()?;
            let is_made = self.is("(") || self.is("{");
            if let Some(ty) = is_made.then(|| self.structure_instance(&name, &list)).flatten() {
                return self.constructed(ty, at);
            }
            return Ok(Expr::host(HostExpr::Instance(name, list), at));
        }
        let ty = super::words::scalar(&[&token.text]).or_else(|| self.alias(&token.text).cloned());
        let in_braces = ty.is_some() && self.is("{");
        if !in_braces && !self.accept("(") {
            return Ok(Expr::new(ExprKind::Name(name), at));
        }
        let mut given = if in_braces { self.list()? } else { self.given()? };
        // `int(x)` and `int{x}` are casts, `int()` and `int{}` zero.
        if let Some(ty) = ty.filter(|_| given.len() < 2) {
            let zero = || Expr::new(ExprKind::Int(0, Scalar::I32), at);
            let value = Box::new(given.pop().unwrap_or_else(zero));
            return bounded(ExprKind::Cast(ty, value), at);
        }
        bounded(ExprKind::Call(name, given), at)
    }
}

fn is_pointer_to_call(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Index(..) | ExprKind::Unary('*', _) | ExprKind::Name(_))
}

/// An expression, unless too many stand in one another.
fn bounded(kind: ExprKind, at: Pos) -> Result<Expr, Error> {
    let made = Expr::new(kind, at);
    if made.depth > DEEPEST {
        return Err(Error::at(at, "this expression is nested too deep").hint("cut it in two"));
    }
    Ok(made)
}
