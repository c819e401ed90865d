//! Products that a warpgroup of four warps computes from matrices in shared memory: `wgmma`.

use super::operand::{Use, each};
use super::tensor::register;
use super::types::Type;

/// Rows of a and d: 16 for each warp of the warpgroup.
pub const ROWS: u32 = 64;

/// `wgmma.mma_async`: d = a x b + d, with a of 64 x k, b of k x n and d of 64 x n elements, where k
/// elements take 32 bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Wgmma<O> {
    /// Columns of b and of d: a multiple of 8, at most 256.
    pub n: u16,
    /// The element types of a and b, equally wide.
    pub factors: [Type; 2],
    pub sum: Type,
    /// The warp's registers of d, read and written.
    pub d: Vec<O>,
    pub a: WgmmaOperandA<O>,
    /// The descriptor of b in shared memory.
    pub b: O,
    /// A predicate: whether d is added. If not, d = a x b.
    pub adds: O,
    /// Whether integer overflow saturates.
    pub satfinite: bool,
    /// For a and b: whether the factor is negated.
    pub negated: [bool; 2],
    /// For a and b: whether consecutive elements in memory run along m or n rather than along k.
    pub across: [bool; 2],
}

/// The location of a in a `wgmma`.
#[derive(Clone, Debug, PartialEq)]
pub enum WgmmaOperandA<O> {
    /// In shared memory, given by a descriptor.
    Shared(O),
    /// In the warp's registers, laid out as for `mma`.
    Registers(Vec<O>),
}

impl<O> Wgmma<O> {
    /// Number of terms in each sum: the elements of a row of a in 32 bytes.
    pub fn k(&self) -> u32 {
        8 * 32 / self.factors[0].bits()
    }

    /// The registers of d, and those of a if it is in registers.
    pub fn registers(&self) -> impl Iterator<Item = O>
    where
        O: Copy,
    {
        self.d.iter().chain(self.held()).copied()
    }

    /// The registers of a, or none if it is in shared memory.
    pub fn held(&self) -> &[O] {
        match &self.a {
            WgmmaOperandA::Registers(regs) => regs,
            WgmmaOperandA::Shared(_) => &[],
        }
    }

    /// The descriptors of a, if it is in shared memory, and of b.
    pub fn descriptors(&self) -> impl Iterator<Item = O>
    where
        O: Copy,
    {
        let a = match &self.a {
            WgmmaOperandA::Shared(descriptor) => Some(*descriptor),
            WgmmaOperandA::Registers(_) => None,
        };
        a.into_iter().chain([self.b])
    }

    /// Multiply-adds per warp.
    pub fn multiply_adds(&self) -> u32 {
        ROWS / 4 * u32::from(self.n) * self.k()
    }

    pub(super) fn map<'s, P, E>(
        &'s self,
        operand: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<Wgmma<P>, E> {
        let (sum, factor) = (register(self.sum), register(self.factors[0]));
        each(&self.d, sum, Use::Read, operand)?;
        let d = each(&self.d, sum, Use::Write, operand)?;
        let a = match &self.a {
            WgmmaOperandA::Registers(all) => {
                WgmmaOperandA::Registers(each(all, factor, Use::Read, operand)?)
            }
            WgmmaOperandA::Shared(descriptor) => {
                WgmmaOperandA::Shared(operand(descriptor, Type::B64, Use::Extent)?)
            }
        };
        Ok(Wgmma {
            n: self.n,
            factors: self.factors,
            sum: self.sum,
            d,
            a,
            b: operand(&self.b, Type::B64, Use::Extent)?,
            adds: operand(&self.adds, Type::Pred, Use::Read)?,
            satfinite: self.satfinite,
            negated: self.negated,
            across: self.across,
        })
    }
}
