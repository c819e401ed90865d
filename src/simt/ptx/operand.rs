//! An instruction's use of an operand, and operands that are addresses.

use super::types::Type;

/// What an instruction does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Reads its value.
    Read,
    /// Writes it.
    Write,
    /// Reads the low bits of a register that may be wider (PTX ISA, "Operand Size Exceeding
    /// Instruction-Type Size").
    ReadLow,
    /// Writes a register that may be wider; the value is sign- or zero-extended to it.
    WriteExtended,
    /// Takes it as an address, which may be 32 or 64 bits wide.
    Address,
    /// Reads a number that decides, beside an address or instead of one, which bytes of memory it
    /// touches: a size, a stride, a descriptor.
    Extent,
}

impl Use {
    /// Whether a register is read by it.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadLow | Self::Address | Self::Extent)
    }

    /// Whether a register is written by it.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::WriteExtended)
    }
}

/// A register, or nothing but a number, plus a displacement in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Address<O> {
    /// The register or symbol.
    pub base: O,
    /// Bytes to add.
    pub offset: i64,
}

impl<O> Address<O> {
    /// The same address with its base translated; `operand` is told that it is one.
    pub(super) fn map<'s, P, E>(
        &'s self,
        operand: impl FnOnce(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<Address<P>, E> {
        let base = operand(&self.base, Type::U64, Use::Address)?;
        Ok(Address { base, offset: self.offset })
    }
}

/// Operands of one type and use, each translated.
pub(super) fn each<'s, O, P, E>(
    all: &'s [O],
    ty: Type,
    how: Use,
    operand: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
) -> Result<Vec<P>, E> {
    all.iter().map(|one| operand(one, ty, how)).collect()
}

/// An operand that may be left out, translated.
pub(super) fn maybe<'s, O, P, E>(
    one: Option<&'s O>,
    ty: Type,
    how: Use,
    operand: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
) -> Result<Option<P>, E> {
    one.map(|one| operand(one, ty, how)).transpose()
}
