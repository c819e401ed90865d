//! Instructions that a whole warp executes on small matrices, distributed over its lanes.

use super::op::{Boolean, Rounding};
use super::operand::{Address, Use, each, maybe};
use super::types::{Space, Type};

/// `mma.sync`: d = a x b + c, with a of m x k, b of k x n, c and d of m x n elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Mma<O> {
    /// m, n, k.
    pub shape: [u16; 3],
    /// The element types of a and b.
    pub factors: [Type; 2],
    /// The element type of d.
    pub sum: Type,
    /// The element type of c: that of d, but for sums of float16 that are mixed with float32.
    pub addend: Type,
    pub arithmetic: Arithmetic,
    pub d: Vec<O>,
    pub a: Vec<O>,
    pub b: Vec<O>,
    pub c: Vec<O>,
}

/// How the elements of an [`Mma`] are multiplied and summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arithmetic {
    /// Whether integer overflow saturates.
    pub satfinite: bool,
    /// The rounding of float64.
    pub rounding: Rounding,
    /// For single bits: the operation whose ones are counted.
    pub bits: Option<Boolean>,
    /// Number of elements along k of which one machine instruction takes the sum.
    pub at_once: u16,
}

/// `wmma.load` or `wmma.store`: moves a matrix, or a tile of a larger one, between memory and
/// registers.
#[derive(Clone, Debug, PartialEq)]
pub struct Fragment<O> {
    /// Whether it is a factor or the sum.
    pub matrix: Matrix,
    /// m, n, k of the product that it is part of.
    pub shape: [u16; 3],
    /// Its layout in memory.
    pub layout: MatrixLayout,
    /// The state space of the address.
    pub space: Space,
    /// The type of its elements.
    pub ty: Type,
    /// The registers, those of the first elements first.
    pub regs: Vec<O>,
    /// The address of its first element.
    pub addr: Address<O>,
    /// Elements from one row (or column) in memory to the next; `None` if they are contiguous.
    pub stride: Option<O>,
}

/// The role of a matrix in a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrix {
    /// The left factor, m x k.
    A,
    /// The right factor, k x n.
    B,
    /// The sum, m x n.
    C,
}

/// The layout of a matrix in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixLayout {
    /// Row-major.
    Row,
    /// Column-major.
    Column,
}

impl<O> Mma<O> {
    /// The number of machine instructions into which ptxas (12.9) translates it for compute
    /// capability 9.0, whose tensor cores have no integers of 4 bits and no exclusive or.
    pub fn instructions(&self) -> u8 {
        match self.factors[0] {
            Type::S4 | Type::U4 => 2,
            Type::B1 => 1 + u8::from(self.arithmetic.bits == Some(Boolean::Xor)),
            _ => (self.shape[2] / self.arithmetic.at_once) as u8,
        }
    }

    /// Number of multiply-adds.
    pub fn multiply_adds(&self) -> u32 {
        self.shape.map(u32::from).iter().product()
    }

    pub(super) fn map<'s, P, E>(
        &'s self,
        operand: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<Mma<P>, E> {
        let mut each = |all, ty, how| each(all, register(ty), how, operand);
        Ok(Mma {
            shape: self.shape,
            factors: self.factors,
            sum: self.sum,
            addend: self.addend,
            arithmetic: self.arithmetic,
            d: each(&self.d, self.sum, Use::Write)?,
            a: each(&self.a, self.factors[0], Use::Read)?,
            b: each(&self.b, self.factors[1], Use::Read)?,
            c: each(&self.c, self.addend, Use::Read)?,
        })
    }
}

impl<O> Fragment<O> {
    /// Translates every operand; `how` is the use of the registers.
    pub(super) fn map<'s, P, E>(
        &'s self,
        how: Use,
        operand: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<Fragment<P>, E> {
        let ty = register(self.ty);
        Ok(Fragment {
            matrix: self.matrix,
            shape: self.shape,
            layout: self.layout,
            space: self.space,
            ty: self.ty,
            regs: each(&self.regs, ty, how, operand)?,
            addr: self.addr.map(&mut *operand)?,
            stride: maybe(self.stride.as_ref(), Type::U32, Use::Extent, operand)?,
        })
    }
}

/// The type of a register that holds elements of `ty`: elements of fewer than 32 bits are packed.
pub(super) const fn register(ty: Type) -> Type {
    match ty {
        Type::F32 | Type::F64 => ty,
        _ => Type::B32,
    }
}
