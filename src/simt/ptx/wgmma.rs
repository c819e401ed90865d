//! Products that four warps make together, of matrices in shared memory: `wgmma`.

use super::operand::{Use, each};
use super::tensor::register;
use super::types::Type;

/// Rows of a, of c and of d: 16 for each warp of the warpgroup.
pub const ROWS: u32 = 64;

/// `wgmma.mma_async`: d = a x b + d, with a of 64 x k, b of k x n, d of 64 x n elements, where k
/// elements take 32 bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Wgmma<O> {
    /// Columns of b and of d: a multiple of 8, at most 256.
    pub n: u16,
    /// The type of the elements of a and of b.
    pub factor: Type,
    /// The type of the elements of d.
    pub sum: Type,
    /// The warp's part of d, before and after.
    pub d: Vec<O>,
    /// Where a is.
    pub a: Source<O>,
    /// The descriptor of b in shared memory.
    pub b: O,
    /// Whether d is added: a predicate. If not, d = a x b.
    pub adds: O,
    /// Of a and of b: whether it is taken with the other sign.
    pub negated: [bool; 2],
    /// Of a and of b: whether neighbours in memory are neighbours along m or n, and not along k.
    pub across: [bool; 2],
}

/// Where `wgmma` finds a.
#[derive(Clone, Debug, PartialEq)]
pub enum Source<O> {
    /// In shared memory, by a descriptor.
    Shared(O),
    /// In the warp's registers, as `mma` has it.
    Registers(Vec<O>),
}

impl<O> Wgmma<O> {
    /// Terms of each sum: the elements in 32 bytes.
    pub fn k(&self) -> u32 {
        8 * 32 / self.factor.bits()
    }

    /// The registers of d, and of a if that is there.
    pub fn registers(&self) -> impl Iterator<Item = O>
    where
        O: Copy,
    {
        self.d.iter().chain(self.held()).copied()
    }

    /// The registers of a, if it is there.
    pub fn held(&self) -> &[O] {
        match &self.a {
            Source::Registers(regs) => regs,
            Source::Shared(_) => &[],
        }
    }

    /// The descriptors: of a, if it has one, and of b.
    pub fn descriptors(&self) -> impl Iterator<Item = O>
    where
        O: Copy,
    {
        let a = match &self.a {
            Source::Shared(descriptor) => Some(*descriptor),
            Source::Registers(_) => None,
        };
        a.into_iter().chain([self.b])
    }

    /// Multiply-adds of one warp.
    pub fn multiply_adds(&self) -> u32 {
        ROWS / 4 * u32::from(self.n) * self.k()
    }

    /// The same with every operand translated, see [`super::Op::map`].
    pub(super) fn map<'s, P, E>(
        &'s self,
        operand: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<Wgmma<P>, E> {
        let (sum, factor) = (register(self.sum), register(self.factor));
        each(&self.d, sum, Use::Read, operand)?;
        let d = each(&self.d, sum, Use::Write, operand)?;
        let a = match &self.a {
            Source::Registers(all) => Source::Registers(each(all, factor, Use::Read, operand)?),
            Source::Shared(descriptor) => {
                Source::Shared(operand(descriptor, Type::B64, Use::Extent)?)
            }
        };
        Ok(Wgmma {
            n: self.n,
            factor: self.factor,
            sum: self.sum,
            d,
            a,
            b: operand(&self.b, Type::B64, Use::Extent)?,
            adds: operand(&self.adds, Type::Pred, Use::Read)?,
            negated: self.negated,
            across: self.across,
        })
    }
}
