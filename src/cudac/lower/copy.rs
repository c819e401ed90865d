//! `memcpy` and `memset`: one access after another, as wide as the types and the count allow.

use super::lowering::Lowering;
use super::stop::Result;
use super::value::{Reg, RegClass, Value};
use crate::ast::Expr;
use crate::at::Pos;
use crate::error::Error;
use crate::types::{Qualifiers, Scalar, Space, Type};

/// The most accesses that are written out.
const MOST_WRITTEN: i64 = 64;

/// Bytes that are stored somewhere: those of a place, or one byte again and again.
enum StoredBytes {
    From(Value),
    Of(Value),
}

impl<'a> Lowering<'a> {
    /// `memcpy(to, from, count)`
    pub(super) fn copied(&mut self, at: Pos, name: &str, given: &'a [Expr]) -> Result<Value> {
        let [to, from, count] = self.arguments(at, name, given)?;
        let from = self.address_given(at, from)?;
        self.stored_bytes(at, to, &StoredBytes::From(from), count)
    }

    /// `memset(to, byte, count)`
    pub(super) fn filled(&mut self, at: Pos, name: &str, given: &'a [Expr]) -> Result<Value> {
        let [to, byte, count] = self.arguments(at, name, given)?;
        let byte = self.number(at, byte, Scalar::U8)?;
        self.stored_bytes(at, to, &StoredBytes::Of(byte), count)
    }

    /// An address in a register; a 0 is one that points at nothing.
    fn address_given(&mut self, at: Pos, value: Value) -> Result<Value> {
        let value = if value.whole() == Some(0) {
            let nothing = Type::Void.pointer(None, Qualifiers::default());
            self.converted(at, value, &nothing)?
        } else {
            value
        };
        self.in_register(at, value)
    }

    fn stored_bytes(
        &mut self,
        at: Pos,
        to: Value,
        what: &StoredBytes,
        count: Value,
    ) -> Result<Value> {
        let to = self.address_given(at, to)?;
        let count = self.number(at, count, Scalar::U64)?;
        let mut width = width_at(at, &to)?;
        match what {
            StoredBytes::From(from) => width = width.min(width_at(at, from)?),
            StoredBytes::Of(byte) if !byte.is_constant() => width = 1,
            StoredBytes::Of(_) => {}
        }
        let known = count.whole();
        while known.is_none_or(|count| count % width != 0) && width > 1 {
            width /= 2;
        }
        match known {
            Some(count) if count / width <= MOST_WRITTEN => {
                for offset in (0..count).step_by(width as usize) {
                    self.one_access(at, (&to, what), width, &format!("+{offset}"))?;
                }
            }
            _ => self.each_access(at, (&to, what), width, &count)?,
        }
        Ok(to)
    }

    /// A loop over the bytes.
    fn each_access(
        &mut self,
        at: Pos,
        (to, what): (&Value, &StoredBytes),
        width: i64,
        count: &Value,
    ) -> Result<()> {
        let count = self.in_register(at, count.clone())?;
        let done = self.code.register_of(RegClass::Long);
        self.code.emit(Some(at), format!("mov.u64 {done}, 0"))?;
        let (top, end) = (self.code.label(), self.code.label());
        self.code.place(top);
        let is_all = self.code.register_of(RegClass::Predicate);
        self.code.emit(Some(at), format!("setp.ge.u64 {is_all}, {done}, {count}"))?;
        self.code.emit(Some(at), format!("@{is_all} bra {end}"))?;
        let to = self.further(at, to, done)?;
        let what = match what {
            StoredBytes::From(from) => StoredBytes::From(self.further(at, from, done)?),
            StoredBytes::Of(byte) => StoredBytes::Of(byte.clone()),
        };
        self.one_access(at, (&to, &what), width, "")?;
        self.code.emit(Some(at), format!("add.u64 {done}, {done}, {width}"))?;
        self.code.emit(Some(at), format!("bra {top}"))?;
        self.code.place(end);
        Ok(())
    }

    fn further(&mut self, at: Pos, pointer: &Value, bytes: Reg) -> Result<Value> {
        let register = self.code.register_of(RegClass::Long);
        self.code.emit(Some(at), format!("add.s64 {register}, {pointer}, {bytes}"))?;
        Ok(Value::in_register(pointer.ty.clone(), register))
    }

    fn one_access(
        &mut self,
        at: Pos,
        (to, what): (&Value, &StoredBytes),
        width: i64,
        offset: &str,
    ) -> Result<()> {
        let class = if width == 8 { RegClass::Long } else { RegClass::Word };
        let bits = 8 * width;
        let moved = self.code.register_of(class);
        let text = match what {
            StoredBytes::From(from) => {
                format!("ld{}.u{bits} {moved}, [{from}{offset}]", space_of(from).suffix())
            }
            StoredBytes::Of(byte) => match byte.whole() {
                Some(byte) => {
                    let all = u64::from_le_bytes([byte as u8; 8]) >> (64 - bits);
                    format!("mov.b{} {moved}, {all}", bits.max(32))
                }
                None => format!("mov.b32 {moved}, {byte}"),
            },
        };
        self.code.emit(Some(at), text)?;
        let space = space_of(to).suffix();
        self.code.emit(Some(at), format!("st{space}.u{bits} [{to}{offset}], {moved}"))
    }
}

fn space_of(pointer: &Value) -> Space {
    match &pointer.ty {
        Type::Pointer(to) => to.space.unwrap_or(Space::Global),
        _ => Space::Global,
    }
}

/// The bytes that one access may have by the type of what a pointer points at.
fn width_at(at: Pos, pointer: &Value) -> Result<i64> {
    let Type::Pointer(to) = &pointer.ty else {
        let told = format!("a `{}` is no address: write & before a variable", pointer.ty);
        return Err(Error::at(at, told).into());
    };
    Ok(to.to.align().clamp(1, 8) as i64)
}
