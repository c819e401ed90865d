//! How an instruction uses an operand, and address operands.

use super::types::Type;

/// How an instruction uses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Reads its value.
    Read,
    Write,
    /// Reads the low bits of a register that may be wider (PTX ISA, "Operand Size Exceeding
    /// Instruction-Type Size").
    ReadLow,
    /// Writes a register that may be wider, sign- or zero-extending the value.
    WriteExtended,
    /// Reads it as an address, 32 or 64 bits wide.
    Address,
    /// Reads a value that determines, with or instead of an address, which bytes are accessed: a
    /// size, a stride or a descriptor.
    Extent,
}

impl Use {
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadLow | Self::Address | Self::Extent)
    }

    /// Whether the operand is written.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::WriteExtended)
    }
}

/// A register, symbol or literal plus a displacement in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Address<O> {
    /// The register, symbol or literal.
    pub base: O,
    /// The displacement in bytes.
    pub offset: i64,
}

impl<O> Address<O> {
    /// Returns this address with its base translated; `operand` is called with [`Use::Address`].
    pub(super) fn map<'s, P, E>(
        &'s self,
        operand: impl FnOnce(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<Address<P>, E> {
        let base = operand(&self.base, Type::U64, Use::Address)?;
        Ok(Address { base, offset: self.offset })
    }
}

/// Translates operands that share a type and a use.
pub(super) fn each<'s, O, P, E>(
    all: &'s [O],
    ty: Type,
    how: Use,
    operand: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
) -> Result<Vec<P>, E> {
    all.iter().map(|one| operand(one, ty, how)).collect()
}

/// Translates an optional operand.
pub(super) fn maybe<'s, O, P, E>(
    one: Option<&'s O>,
    ty: Type,
    how: Use,
    operand: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
) -> Result<Option<P>, E> {
    one.map(|one| operand(one, ty, how)).transpose()
}
