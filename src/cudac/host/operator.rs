//! Operators on the values of the host.

use super::interpreter::{Eval, Interpreter};
use super::value::{HostValue, binary};
use super::{DevicePlace, HostStep};
use crate::ast::{Expr, ExprKind};
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
        if operator == ">>" && self.reads(left, right)? {
            return Ok(self.unknown("whether there is more to be read"));
        }
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
        if matches!(operator, "-" | "==" | "!=") {
            self.compares((left, &a), (right, &b))?;
            self.compares((right, &b), (left, &a))?;
        }
        Ok(self.operate(operator, a, b))
    }

    /// Notes what is compared with an element that comes from the device.
    fn compares(
        &mut self,
        (element, is): (&'m Expr, &HostValue),
        (other, expected): (&'m Expr, &HostValue),
    ) -> Eval<()> {
        let (Some(value), Some(_)) = (expected.float(), is.reason()) else { return Ok(()) };
        let mut of = element;
        while let ExprKind::Cast(_, inner) = &of.kind {
            of = inner;
        }
        let is_element = matches!(of.kind, ExprKind::Index(..) | ExprKind::Unary('*', _));
        let is_flag = matches!(other.kind, ExprKind::Int(..)) && value == 0.0;
        if !is_element || is_flag || of.changes() {
            return Ok(());
        }
        let Some(place) = self.place(of)? else { return Ok(()) };
        let Some(from) = self.of_device(place.at) else { return Ok(()) };
        let (ty, line) = (place.ty.to_string(), self.line);
        if let Some(HostStep::Compare { buffer, of, values, .. }) = self.run.steps.last_mut()
            && *buffer == from.buffer
            && *of == ty
        {
            values.push((from.offset, value));
            return Ok(());
        }
        let values = vec![(from.offset, value)];
        self.did(HostStep::Compare { buffer: from.buffer, of: ty, values, line });
        Ok(())
    }

    /// Where on the device an element is, or was copied from.
    fn of_device(&self, at: u64) -> Option<DevicePlace> {
        self.device_place(at).or_else(|| {
            self.copied.iter().rev().find_map(|((to, bytes), from)| {
                let within = at.checked_sub(*to).filter(|within| within < bytes)?;
                Some(DevicePlace { buffer: from.buffer, offset: from.offset + within })
            })
        })
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
