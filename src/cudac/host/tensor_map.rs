//! Tensor maps, which the host has the driver encode: a map's bytes are its number here.

use super::expression::HostPlace;
use super::interpreter::{Eval, Interpreter};
use super::value::HostValue;
use super::{ByteState, DevicePlace, HostData, HostStep, HostTensorMap};
use crate::ast::{Expr, ExprKind};
use crate::types::{Scalar, Type};

/// What begins the bytes of a map, before its number.
const MARK: u64 = 0x7e45_0a4d << 32;

impl<'m> Interpreter<'m> {
    /// Encodes a tensor map, if these are arguments of the driver's function, by whatever name the host
    /// calls it.
    pub(super) fn encodes(&mut self, given: &'m [Expr]) -> Eval<bool> {
        let [map, of, rank, matrix, extents, _, boxes, _, interleave, swizzle, ..] = given else {
            return Ok(false);
        };
        let is_it = |name: &str| name.starts_with("CU_TENSOR_MAP_INTERLEAVE");
        if !matches!(&interleave.kind, ExprKind::Name(name) if is_it(name)) {
            return Ok(false);
        }
        let [of, rank, swizzle] = [of, rank, swizzle].map(|one| self.eval(one));
        let (extents, boxes) = (self.two(extents, Scalar::U64)?, self.two(boxes, Scalar::U32)?);
        let matrix = self.matrix(matrix)?;
        let map = self.eval(map)?;
        let (HostValue::Pointer(at, _), Some(2)) = (map, rank?.whole()) else { return Ok(true) };
        if let (Some(of), Some(swizzle), Some(boxes)) = (of?.whole(), swizzle?.whole(), boxes) {
            let extents = extents.unwrap_or_default();
            let number = MARK | self.maps.len() as u64;
            self.maps.push(HostTensorMap { matrix, of, extents, boxes, swizzle });
            let mut bytes = [0; 128];
            bytes[..8].copy_from_slice(&number.to_le_bytes());
            self.memory.store(at, &bytes, &[ByteState::Known; 128]);
        }
        Ok(true)
    }

    /// The first two numbers of an array.
    fn two(&mut self, array: &'m Expr, of: Scalar) -> Eval<Option<[i64; 2]>> {
        let HostValue::Pointer(at, _) = self.eval(array)? else { return Ok(None) };
        let mut number = |place: u64| {
            let at = at + place * Type::Scalar(of).bytes();
            self.load(&HostPlace { at, ty: Type::Scalar(of) }).whole()
        };
        Ok(number(0).zip(number(1)).map(|(one, two)| [one, two]))
    }

    /// The name of the matrix that is at a pointer: of its allocation, or else of the variable.
    fn matrix(&mut self, expr: &'m Expr) -> Eval<String> {
        let value = self.eval(expr)?;
        if let HostValue::Pointer(at, _) = value
            && let Some(place) = self.device_place(at)
        {
            return Ok(self.run.buffers[place.buffer].name.clone());
        }
        let mut of = expr;
        while let ExprKind::Cast(_, inner) = &of.kind {
            of = inner;
        }
        Ok(if let ExprKind::Name(name) = &of.kind { name.to_string() } else { String::new() })
    }

    /// The map that these bytes are.
    pub(super) fn map_of(&self, bytes: &[u8]) -> Option<HostTensorMap> {
        let word = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
        let number = (word & !0xffff_ffff == MARK).then_some(word & 0xffff_ffff)?;
        self.maps.get(number as usize).cloned()
    }

    /// The map at a pointer of the host.
    pub(super) fn map_at(&self, at: u64) -> Option<HostTensorMap> {
        self.map_of(self.memory.load(at, 8)?.0)
    }

    /// The map that the host has copied to a place of the device.
    pub(super) fn map_on_device(&self, place: DevicePlace) -> Option<HostTensorMap> {
        self.run.steps.iter().rev().find_map(|step| match step {
            HostStep::Write { to, data: HostData::Bytes(bytes, _), .. } if *to == place => {
                self.map_of(bytes)
            }
            _ => None,
        })
    }
}
