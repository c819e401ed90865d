//! An instruction's use of an operand, and operands that are addresses.

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
}

impl Use {
    /// Whether a register is read by it.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadLow | Self::Address)
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
