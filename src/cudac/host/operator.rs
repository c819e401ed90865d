//! Operators on the values of the host.

use super::interpreter::{Eval, Interpreter};
use super::value::{HostValue, binary};
use crate::ast::Expr;
use crate::types::{Scalar, narrowed};

impl<'m> Interpreter<'m> {
    pub(super) fn unary(&mut self, operator: char, value: HostValue) -> HostValue {
        match (operator, &value) {
            ('!', _) => match value.holds() {
                Some(holds) => HostValue::truth(!holds),
                None => value,
            },
            ('-', HostValue::Int(of, scalar)) => {
                let scalar = scalar.promoted();
                HostValue::Int(narrowed(of.wrapping_neg(), scalar), scalar)
            }
            ('-', HostValue::Float(of, scalar)) => HostValue::Float(-of, *scalar),
            ('~', HostValue::Int(of, scalar)) => {
                let scalar = scalar.promoted();
                HostValue::Int(narrowed(!of, scalar), scalar)
            }
            ('+', _) | (_, HostValue::Unknown(_)) => value,
            _ => self.unknown("this operator is not followed here"),
        }
    }

    pub(super) fn binary(
        &mut self,
        operator: &str,
        left: &'m Expr,
        right: &'m Expr,
    ) -> Eval<HostValue> {
        let a = self.eval(left)?;
        if matches!(operator, "&&" | "||") {
            let decides = operator == "||";
            return Ok(match a.holds() {
                Some(holds) if holds == decides => HostValue::truth(holds),
                Some(_) => {
                    let b = self.eval(right)?;
                    b.holds().map_or(b, HostValue::truth)
                }
                None => a,
            });
        }
        let b = self.eval(right)?;
        Ok(self.operate(operator, a, b))
    }

    pub(super) fn operate(&mut self, operator: &str, a: HostValue, b: HostValue) -> HostValue {
        if let Some(value) = binary(operator, &a, &b) {
            return value;
        }
        match (&a, &b) {
            (HostValue::Unknown(_), _) => a,
            (_, HostValue::Unknown(_)) => b,
            (HostValue::Pointer(at, ty), HostValue::Int(by, _))
                if matches!(operator, "+" | "-") =>
            {
                let by = by.wrapping_mul(ty.bytes() as i64);
                let by = if operator == "-" { by.wrapping_neg() } else { by };
                HostValue::Pointer(at.wrapping_add_signed(by), ty.clone())
            }
            (HostValue::Int(..), HostValue::Pointer(..)) if operator == "+" => {
                self.operate("+", b, a)
            }
            (HostValue::Pointer(one, ty), HostValue::Pointer(other, _)) => {
                let each = (ty.bytes() as i64).max(1);
                let apart = one.wrapping_sub(*other) as i64;
                match operator {
                    "-" => HostValue::Int(apart / each, Scalar::I64),
                    "==" => HostValue::truth(apart == 0),
                    "!=" => HostValue::truth(apart != 0),
                    "<" => HostValue::truth(one < other),
                    ">" => HostValue::truth(one > other),
                    _ => self.unknown("this operator is not followed for pointers"),
                }
            }
            (HostValue::Pointer(at, _), HostValue::Int(0, _))
                if matches!(operator, "==" | "!=") =>
            {
                HostValue::truth((*at == 0) == (operator == "=="))
            }
            _ => self.unknown(format!("`{operator}` is not followed here")),
        }
    }
}
