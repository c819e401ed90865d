//! Variables as they are declared, and what they begin with.

use super::ByteState;
use super::interpreter::{Eval, Interpreter};
use super::memory::{HostVariable, MemorySide};
use super::value::{HostValue, TemplateArgument};
use crate::ast::{Declaration, Expr, ExprKind, HostExpr, Init};
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// The most bytes that a list in braces fills.
const MOST_ZEROS: u64 = 1 << 28;

impl<'m> Interpreter<'m> {
    pub(super) fn declare(&mut self, one: &'m Declaration, is_global: bool) -> Eval<()> {
        if let Some(Init::Value(Expr { kind: ExprKind::Host(host), .. })) = &one.init
            && let HostExpr::Lambda(function) = &**host
        {
            self.lambdas.insert(one.name.clone(), function);
            return Ok(());
        }
        let mut ty = self.resolved(&one.ty);
        for side in one.sides.iter().rev() {
            let side = match (side, &one.init) {
                (Some(side), _) => self.eval(side)?.whole(),
                (None, Some(Init::List(all))) => Some(all.len() as i64),
                (None, Some(Init::Value(Expr { kind: ExprKind::Text(text), .. }))) => {
                    Some(text.len() as i64 + 1)
                }
                (None, _) => None,
            };
            let side = side.and_then(|side| u32::try_from(side).ok()).unwrap_or(0);
            ty = Type::Array(Box::new(ty), side);
        }
        let value = match &one.init {
            Some(Init::Value(value)) if one.storage.by_reference => {
                if let Some(place) = self.place(value)? {
                    self.bind(one.name.clone(), place.at, place.ty, false);
                    return Ok(());
                }
                Some(self.eval(value)?)
            }
            Some(Init::Value(value)) => Some(self.eval(value)?),
            Some(Init::List(_)) | None => None,
        };
        if ty == Type::Void {
            ty = value.as_ref().and_then(HostValue::ty).unwrap_or(Type::Void);
        }
        let is_device = !matches!(one.storage.owner, crate::ast::Owner::Thread);
        let at = if is_device {
            // A variable of the device: its name is what is copied to.
            self.memory.add(MemorySide::Device(usize::MAX), ty.bytes())
        } else {
            self.memory.add(MemorySide::Host, ty.bytes().max(1))
        };
        let variable = HostVariable { name: one.name.clone(), at, ty: ty.clone(), is_own: true };
        let is_outside = is_global || one.storage.owner != crate::ast::Owner::Thread;
        match self.frames.last_mut() {
            Some(frame) if !is_outside => frame.variables.push(variable),
            _ => {
                self.globals.insert(one.name.clone(), variable);
                // What is outside functions begins with zeros.
                self.memory.mark(at, ty.bytes(), ByteState::Known);
            }
        }
        match (&one.init, value) {
            (Some(Init::List(all)), _) => self.fill(at, &ty, all),
            (_, Some(value)) => {
                self.store(at, &ty, value);
                Ok(())
            }
            (_, None) => {
                self.begin(at, &ty);
                Ok(())
            }
        }
    }

    /// What a variable without a first value holds: a `dim3` has ones.
    fn begin(&mut self, at: u64, ty: &Type) {
        if let Type::Struct(of) = ty
            && &*of.name == "dim3"
        {
            let one = HostValue::Int(1, Scalar::U32);
            let ones = HostValue::List(vec![one.clone(), one.clone(), one]);
            self.store(at, ty, ones);
        }
    }

    /// Stores a list in braces: of an array, a structure, a vector; what it leaves out is zero.
    fn fill(&mut self, at: u64, ty: &Type, all: &'m [Init]) -> Eval<()> {
        let whole = ty.bytes();
        // What is larger is not kept anyway.
        let zeros = vec![0; if whole <= MOST_ZEROS { whole as usize } else { 0 }];
        self.memory.store(at, &zeros, &vec![ByteState::Known; zeros.len()]);
        let parts: Vec<(u64, Type)> = match ty {
            Type::Array(of, _) => {
                let each = of.bytes();
                (0..all.len() as u64).map(|place| (place * each, (**of).clone())).collect()
            }
            Type::Struct(of) if of.members.iter().all(|one| &*one.name != "of") => {
                if &*of.name == "dim3" {
                    self.begin(at, ty);
                }
                of.members.iter().map(|one| (one.offset, one.ty.clone())).collect()
            }
            Type::Vector(of, count) => {
                let of = Type::Scalar(*of);
                (0..u64::from(*count)).map(|place| (place * of.bytes(), of.clone())).collect()
            }
            Type::Struct(_) => {
                let mut values = Vec::new();
                for one in all {
                    if let Init::Value(value) = one {
                        values.push(self.eval(value)?);
                    }
                }
                self.make_vector(at, ty, HostValue::List(values));
                return Ok(());
            }
            _ => vec![(0, ty.clone())],
        };
        for (one, (offset, ty)) in all.iter().zip(parts) {
            match one {
                Init::List(inner) => self.fill(at + offset, &ty, inner)?,
                Init::Value(value) => {
                    let value = self.eval(value)?;
                    self.store(at + offset, &ty, value);
                }
            }
        }
        Ok(())
    }

    /// A type with what the names of templates stand for.
    pub(super) fn resolved(&self, ty: &Type) -> Type {
        match ty {
            Type::Struct(of) if of.members.is_empty() && of.bytes == 0 => {
                let list = self.frames.last().map_or(&[][..], |frame| &frame.list);
                match list.iter().find(|(name, _)| *name == of.name) {
                    Some((_, TemplateArgument::Type(ty))) => ty.clone(),
                    _ => ty.clone(),
                }
            }
            Type::Struct(of) if of.members.len() == 1 && &*of.members[0].name == "of" => {
                let inner = self.resolved(&of.members[0].ty);
                if inner == of.members[0].ty {
                    return ty.clone();
                }
                let member = crate::types::Member { name: "of".into(), ty: inner, offset: 0 };
                let (name, bytes, align) = (of.name.clone(), of.bytes, of.align);
                let members = vec![member];
                Type::Struct(Rc::new(crate::types::Struct { name, members, bytes, align }))
            }
            Type::Pointer(pointer) => {
                self.resolved(&pointer.to).pointer(pointer.space, pointer.qualifiers)
            }
            Type::Array(of, count) => Type::Array(Box::new(self.resolved(of)), *count),
            _ => ty.clone(),
        }
    }
}
