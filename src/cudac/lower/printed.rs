//! `printf`: a call of the device's `vprintf` with a text and a block of arguments (CUDA C++ Programming
//! Guide, "Formatted Output"; PTX Interoperability, "System Calls").

use super::location::{Lvalue, MemoryOperand};
use super::lowering::Lowering;
use super::stop::Result;
use super::value::{RegClass, Value};
use crate::ast::{Expr, ExprKind};
use crate::at::Pos;
use crate::error::Error;
use crate::types::{Qualifiers, Scalar, Space, Type};
use std::fmt::Write;
use std::rc::Rc;

pub(super) const DECLARED: &str = ".extern .func (.param .b32 func_retval0) vprintf (.param .b64 \
                                   vprintf_param_0, .param .b64 vprintf_param_1);\n";

/// Bytes of the block of arguments.
const BLOCK: usize = 8 * MOST;

/// The most arguments after the text (CUDA C++ Programming Guide, "Limitations" of formatted output).
const MOST: usize = 32;

impl<'a> Lowering<'a> {
    pub(super) fn printed(&mut self, at: Pos, given: &'a [Expr]) -> Result<Value> {
        let Some((Expr { kind: ExprKind::Text(text), .. }, values)) = given.split_first() else {
            return Err(Error::outside(at, "`printf` without a text as its first argument").into());
        };
        if values.len() > MOST {
            return Err(Error::at(at, format!("`printf` takes at most {MOST} values")).into());
        }
        let symbol = format!("local_printed_{}", self.entry);
        if !self.local.iter().any(|(name, _)| *name == symbol) {
            self.local.push((symbol.clone(), BLOCK as u64));
        }
        let base = self.code.register_of(RegClass::Long);
        self.code.emit(Some(at), format!("mov.u64 {base}, {symbol}"))?;
        let mut end = 0_u64;
        for value in values {
            let value = self.value(value)?;
            let ty = match value.ty {
                Type::Scalar(scalar) if scalar.is_float() => Type::Scalar(Scalar::F64),
                Type::Scalar(scalar) => Type::Scalar(scalar.promoted()),
                other => {
                    return Err(Error::outside(at, &format!("`printf` of a `{other}`")).into());
                }
            };
            let value = self.converted(at, value, &ty)?;
            let start = end.next_multiple_of(ty.bytes());
            end = start + ty.bytes();
            let (space, qualifiers, offset) = (Space::Local, Qualifiers::default(), start as i64);
            let place = Lvalue::Memory(MemoryOperand { ty, space, base, offset, qualifiers });
            self.store(at, place, value)?;
        }
        let number = self.texts.iter().position(|known| known == text).unwrap_or_else(|| {
            self.texts.push(Rc::clone(text));
            self.texts.len() - 1
        });
        let [named, format, block] = [(); 3].map(|()| self.code.register_of(RegClass::Long));
        let result = self.code.register_of(RegClass::Word);
        self.code.emit(Some(at), format!("mov.u64 {named}, {}", name(&self.entry, number)))?;
        self.code.emit(Some(at), format!("cvta.global.u64 {format}, {named}"))?;
        self.code.emit(Some(at), format!("cvta.local.u64 {block}, {base}"))?;
        for line in ["{", ".param .b64 param0;", ".param .b64 param1;", ".param .b32 retval0;"] {
            self.code.directive(line);
        }
        self.code.emit(Some(at), format!("st.param.b64 [param0+0], {format}"))?;
        self.code.emit(Some(at), format!("st.param.b64 [param1+0], {block}"))?;
        self.code.emit(Some(at), "call.uni (retval0), vprintf, (param0, param1)")?;
        self.code.emit(Some(at), format!("ld.param.b32 {result}, [retval0+0]"))?;
        self.code.directive("}");
        Ok(Value::in_register(Type::INT, result))
    }
}

/// The declarations of a kernel's texts.
pub(super) fn declared(texts: &[Rc<str>], entry: &str) -> String {
    let mut all = String::new();
    for (number, text) in texts.iter().enumerate() {
        let bytes: Vec<_> = bytes(text).iter().map(u8::to_string).collect();
        let (name, count) = (name(entry, number), bytes.len());
        let _ = writeln!(all, ".global .align 1 .b8 {name}[{count}] = {{{}}};", bytes.join(", "));
    }
    all
}

fn name(entry: &str, number: usize) -> String {
    format!("{entry}_text_{number}")
}

/// The bytes of a text, with the zero at its end.
fn bytes(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'0') | None => 0,
            Some(other) => other,
        });
    }
    bytes.push(0);
    bytes
}
