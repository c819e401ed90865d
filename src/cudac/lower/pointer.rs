//! Variables whose address is used, and addresses that say into which memory they point.

use super::location::Lvalue;
use super::lowering::Lowering;
use super::stop::{Result, Stop};
use super::structure::registers;
use super::value::{Held, Value};
use crate::at::Pos;
use crate::error::Error;
use crate::types::{Scalar, Space, Type};

impl Lowering<'_> {
    /// The place of a variable of the source: in registers, or in local memory if its address is used.
    pub(super) fn own_variable(
        &mut self,
        at: Pos,
        (name, id): (&str, u32),
        ty: &Type,
    ) -> Result<Lvalue> {
        if self.decisions.in_memory.contains(&id) {
            return self.local(at, (name, id), ty.clone());
        }
        let place = self.variable(ty);
        self.owned(id, &place);
        Ok(place)
    }

    /// Notes whose registers these are.
    pub(super) fn owned(&mut self, id: u32, place: &Lvalue) {
        let mut all = Vec::new();
        registers(place, &mut all);
        self.owners.extend(all.into_iter().map(|register| (register, id)));
    }

    /// Begins again with the variable that these registers are of in local memory.
    pub(super) fn needs_address(&self, at: Pos, place: &Lvalue) -> Stop {
        let mut all = Vec::new();
        registers(place, &mut all);
        match all.iter().find_map(|register| self.owners.get(register)) {
            Some(id) => Stop::Again { array: *id, loops: Vec::new() },
            None => Error::outside(at, "the address of a value that is in a register").into(),
        }
    }

    /// The type of a variable that may hold pointers into several memories.
    pub(super) fn roaming(&self, ty: Type) -> Type {
        match ty {
            Type::Pointer(pointer) if self.decisions.generic => {
                pointer.to.pointer(Some(Space::Generic), pointer.qualifiers)
            }
            other => other,
        }
    }

    /// An address that says by itself into which memory it points (PTX ISA, "Generic Addressing").
    pub(super) fn generic_address(&mut self, at: Pos, value: Value) -> Result<Value> {
        let Type::Pointer(to) = &value.ty else { return Ok(value) };
        let ty = to.to.clone().pointer(Some(Space::Generic), to.qualifiers);
        let space = to.space.unwrap_or(Space::Global);
        if space == Space::Generic || value.is_constant() {
            return Ok(Value { ty, held: value.held });
        }
        let register = self.code.register(&ty);
        self.code.emit(Some(at), format!("cvta{}.u64 {register}, {value}", space.suffix()))?;
        Ok(Value::in_register(ty, register))
    }

    /// Begins again with generic addresses if a pointer that is kept in memory points elsewhere than into
    /// global memory.
    pub(super) fn is_kept(&self, value: &Value) -> Result<()> {
        let Type::Pointer(to) = &value.ty else { return Ok(()) };
        let is_elsewhere = to.space.is_some_and(|space| space != Space::Global);
        if is_elsewhere && !self.decisions.generic { Err(Stop::Generic) } else { Ok(()) }
    }

    /// A pointer as a whole number, or the other way round; `None` for another cast.
    pub(super) fn as_address(
        &mut self,
        at: Pos,
        value: &Value,
        ty: &Type,
    ) -> Result<Option<Value>> {
        let whole = |ty: &Type| matches!(ty, Type::Scalar(of) if !of.is_float() && of.bytes() >= 4);
        match (&value.ty, ty) {
            (Type::Pointer(_), Type::Scalar(scalar)) if whole(ty) => {
                let generic = self.generic_address(at, value.clone())?;
                let number = Value { ty: Type::Scalar(Scalar::U64), held: generic.held };
                self.number(at, number, *scalar).map(Some)
            }
            (Type::Scalar(_), Type::Pointer(to)) if whole(&value.ty) && !value.is_constant() => {
                let number = self.number(at, value.clone(), Scalar::U64)?;
                if self.decisions.generic {
                    let ty = to.to.clone().pointer(Some(Space::Generic), to.qualifiers);
                    return Ok(Some(Value { ty, held: number.held }));
                }
                let ty = to.to.clone().pointer(Some(Space::Global), to.qualifiers);
                let register = self.code.register(&ty);
                self.code.emit(Some(at), format!("cvta.to.global.u64 {register}, {number}"))?;
                Ok(Some(Value::in_register(ty, register)))
            }
            _ => Ok(None),
        }
    }

    /// How many elements lie between two pointers.
    pub(super) fn difference(&mut self, at: Pos, [a, b]: [&Value; 2]) -> Result<Value> {
        let Type::Pointer(of) = &a.ty else { return Ok(a.clone()) };
        let bytes = of.to.bytes().max(1);
        let ty = Type::Scalar(Scalar::I64);
        let [a, b] = [a, b].map(Value::clone);
        let (a, b) = (self.in_register(at, a)?, self.in_register(at, b)?);
        let [apart, register] = [(); 2].map(|()| self.code.register(&ty));
        self.code.emit(Some(at), format!("sub.s64 {apart}, {a}, {b}"))?;
        let text = if bytes.is_power_of_two() {
            format!("shr.s64 {register}, {apart}, {}", bytes.trailing_zeros())
        } else {
            format!("div.s64 {register}, {apart}, {bytes}")
        };
        self.code.emit(Some(at), text)?;
        Ok(Value { ty, held: Held::Reg(register) })
    }
}
