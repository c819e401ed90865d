//! Inline PTX: its text with registers in the places of its operands (CUDA, "Inline PTX Assembly").

use super::lowering::Lowering;
use super::stop::Result;
use super::value::{Held, Reg, RegClass, Value};
use crate::ast::{Assembly, Expr, ExprKind};
use crate::at::Pos;
use crate::error::Error;
use crate::types::{Scalar, Type};

impl<'a> Lowering<'a> {
    pub(super) fn assembly(&mut self, at: Pos, of: &'a Assembly) -> Result<()> {
        let mut operands = Vec::new();
        let mut written = Vec::new();
        for (constraint, address) in &of.outputs {
            let ExprKind::Unary(_, to) = &address.kind else { continue };
            let place = self.place(to)?;
            let class = class(constraint, at)?;
            // A variable that is in such a register is written there, as what is asynchronous needs.
            let own = self.own_register(&place).filter(|own| own.class == class);
            if let Some(own) = own.filter(|_| !constraint.contains('&')) {
                operands.push(own.to_string());
                continue;
            }
            let register = self.code.register_of(class);
            if constraint.starts_with('+') {
                let old = self.load(to.at, place.clone())?;
                let old = self.operand(to, old, class)?;
                self.code.emit(Some(at), format!("mov.{} {register}, {old}", bits(class)))?;
            }
            operands.push(register.to_string());
            written.push((to.at, place, register));
        }
        for (constraint, expr) in &of.inputs {
            let value = self.value(expr)?;
            if constraint.contains('n') && value.is_constant() {
                operands.push(value.to_string());
                continue;
            }
            let class = class(constraint, at)?;
            operands.push(self.operand(expr, value, class)?.to_string());
        }
        for line in statements(&filled(&of.text, &operands, at)?) {
            match &*line {
                "{" | "}" => self.code.directive(&line),
                _ => self.code.emit(Some(at), line)?,
            }
        }
        for (at, place, register) in written {
            let value = self.result(at, &place.ty(), register)?;
            self.store(at, place, value)?;
        }
        Ok(())
    }

    /// A value in a register of a class.
    fn operand(&mut self, expr: &Expr, value: Value, class: RegClass) -> Result<Value> {
        let at = expr.at;
        if matches!(value.ty, Type::Pointer(_)) {
            return self.generic_address(at, value);
        }
        let own = value.scalar().filter(|one| !one.is_float());
        let wanted = match class {
            RegClass::Word => own.filter(|one| one.bytes() == 4).unwrap_or(Scalar::I32),
            RegClass::Long => own.filter(|one| one.bytes() == 8).unwrap_or(Scalar::I64),
            RegClass::Float => Scalar::F32,
            RegClass::Double => Scalar::F64,
            RegClass::Predicate => Scalar::Bool,
            RegClass::Half => {
                if let Some(half @ (Scalar::F16 | Scalar::BF16)) = value.scalar() {
                    half
                } else {
                    let value = self.number(at, value, Scalar::U16)?;
                    let value = self.in_register(at, value)?;
                    let half = self.short(at, &value)?;
                    return Ok(Value::in_register(Type::Scalar(Scalar::F16), half));
                }
            }
        };
        let value = self.number(at, value, wanted)?;
        self.in_register(at, value)
    }

    /// What was written to a register, for a variable of a type.
    fn result(&mut self, at: Pos, ty: &Type, register: Reg) -> Result<Value> {
        let own = match (register.class, ty) {
            (_, Type::Pointer(_)) => ty.clone(),
            (RegClass::Half, Type::Scalar(scalar)) if !scalar.is_half() => {
                let word = self.code.register_of(RegClass::Word);
                self.code.emit(Some(at), format!("cvt.u32.u16 {word}, {register}"))?;
                return Ok(Value::in_register(Type::Scalar(Scalar::U16), word));
            }
            (class, ty) if RegClass::of(ty) == class && !matches!(ty, Type::Vector(..)) => {
                ty.clone()
            }
            (RegClass::Word, _) => Type::INT,
            (RegClass::Long, _) => Type::Scalar(Scalar::I64),
            (RegClass::Float, _) => Type::Scalar(Scalar::F32),
            (RegClass::Double, _) => Type::Scalar(Scalar::F64),
            _ => {
                let told = format!("a `{ty}` that inline PTX writes");
                return Err(Error::outside(at, &told).into());
            }
        };
        Ok(Value { ty: own, held: Held::Reg(register) })
    }
}

/// The registers of a constraint.
fn class(constraint: &str, at: Pos) -> Result<RegClass> {
    match constraint.trim_start_matches(['=', '+', '&']) {
        "r" => Ok(RegClass::Word),
        "l" => Ok(RegClass::Long),
        "f" => Ok(RegClass::Float),
        "d" => Ok(RegClass::Double),
        "h" => Ok(RegClass::Half),
        other => Err(Error::outside(at, &format!("the constraint `{other}` of inline PTX")).into()),
    }
}

/// The type of a `mov` of a class.
const fn bits(class: RegClass) -> &'static str {
    match class {
        RegClass::Predicate => "pred",
        RegClass::Word => "b32",
        RegClass::Long => "b64",
        RegClass::Float => "f32",
        RegClass::Double => "f64",
        RegClass::Half => "b16",
    }
}

/// The text with its operands, and without its escapes.
fn filled(text: &str, operands: &[String], at: Pos) -> Result<String> {
    let mut filled = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek().copied()) {
            ('\\', escaped) => {
                chars.next();
                let is_space = matches!(escaped, None | Some('n' | 't' | 'r'));
                filled.push(if is_space { ' ' } else { escaped.unwrap_or(' ') });
            }
            ('%', Some('%')) => {
                chars.next();
                filled.push('%');
            }
            ('%', Some('0'..='9')) => {
                let mut number = 0;
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                    number = number * 10 + digit as usize;
                    chars.next();
                }
                let missing = || Error::at(at, format!("there is no operand %{number}"));
                filled += operands.get(number).ok_or_else(missing)?;
            }
            _ => filled.push(c),
        }
    }
    Ok(filled)
}

/// The statements of a text, without their semicolons; braces around them stand alone.
fn statements(text: &str) -> Vec<String> {
    let (mut all, mut one, mut depth) = (Vec::new(), String::new(), 0_usize);
    for c in text.chars() {
        let begins = one.trim().is_empty();
        match c {
            '{' | '}' if begins && depth == 0 => all.push(c.to_string()),
            ';' if depth == 0 => {
                all.extend((!begins).then(|| one.trim().to_owned()));
                one.clear();
            }
            _ => {
                depth += usize::from(c == '{');
                depth -= usize::from(c == '}' && depth > 0);
                one.push(c);
            }
        }
    }
    all.extend((!one.trim().is_empty()).then(|| one.trim().to_owned()));
    all
}
