//! The known mistakes that make a C wrong.

use crate::launch::Dim3;
use crate::matrix::{ElementType, Operand, Size};
use std::ops::Range;

/// A known mistake that explains every wrong element.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// Matrices lie column by column for the kernel: A, B, C.
    ColumnMajor([bool; 3]),
    /// Only this many products, the first ones, are in each sum.
    KCutShort(u32),
    /// Only the products from this k on are in each sum.
    KBegunLate(u32),
    /// The products are computed otherwise.
    Operation(Operation),
    /// Each sum is off by this.
    Begins(f64),
    /// Each element is this many times the product of matrices of which these lie column by column
    /// for the kernel: A, B, C.
    Scaled(f64, [bool; 3]),
    /// These stand in the places of A and B.
    Operands([Operand; 2]),
    /// Each square tile of this side lies transposed in shared memory.
    TransposedTiles(Operand, u32),
    /// The elements are whole numbers, as the kernel cuts their sums off.
    WholeNumbers,
    /// The elements have no more digits than this type.
    Rounded(ElementType),
    /// The operation on C has other factors.
    Factors(WrongFactors),
    /// C is right with the axes of the assumed grid exchanged, which is this one.
    TurnedGrid(Dim3),
    /// Only a leading part of C is computed; C is right with the larger grid, if there is one.
    GridTooSmall(ComputedPart, Option<Dim3>),
    /// Whole rows or columns are left out between others.
    Gaps(Gaps),
    /// C is right if M, N and K are equal: at these sizes.
    SquareOnly(Vec<u32>),
    /// C is right at the size that the source itself gives.
    CompiledIn(CompiledIn),
    /// C is right at the size of a tile, which the source gives.
    OneTile(CompiledIn),
    /// Each element is stored in another's place.
    ShiftedStore(StoreShift),
    /// The tile of this matrix in shared memory is read by the thread's other index.
    TileByOtherIndex(Operand),
    /// No block reads its index, so that all compute the same part of C.
    SamePart,
    /// This many blocks were stopped before they stored their elements.
    Stopped(u64),
    /// This many blocks were stopped since they did not end, and this many others were not run.
    Unfinished {
        /// Those that did not end.
        stopped: u64,
        /// Those that were not run.
        not_run: u64,
    },
}

/// Other factors of the operation on C than were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongFactors {
    /// The old C is not added.
    NoBeta,
    /// The old C is added without its factor.
    BetaIsOne,
    /// The old C is added twice.
    BetaTwice,
    /// The product is added without its factor.
    AlphaIsOne,
    /// The product is added twice.
    AlphaTwice,
    /// Neither factor is applied: C becomes A x B.
    Neither,
}

/// The leading part of C that is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputedPart {
    /// The first rows and the first columns.
    Corner(u32, u32),
    /// The first elements, row by row, up to this row and column, exclusive.
    UpTo(u32, u32),
}

/// Another way to compute a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The two are added.
    Sum,
    /// The second is subtracted from the first.
    Difference,
    /// The product is subtracted from the sum.
    Negative,
}

/// How far from its place an element is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreShift {
    /// Rows down.
    pub rows: i32,
    /// Columns to the right.
    pub columns: i32,
}

/// Rows and columns of C that no thread stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gaps {
    /// The rows, in order.
    pub rows: Vec<Range<u32>>,
    /// The columns, in order.
    pub columns: Vec<Range<u32>>,
}

/// A size that is compiled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledIn {
    /// The size at which C is right.
    pub size: Size,
    pub names: Vec<NamedConstant>,
}

/// A name with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedConstant {
    pub name: String,
    pub value: u32,
    /// Its line in the source, or `None` if the command line gives it.
    pub line: Option<u32>,
    pub how: ConstantForm,
}

/// How a source gives a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantForm {
    /// `-D N=1024`.
    Option,
    /// `#define N 1024`, under `#ifndef N`.
    Guarded,
    /// `#define N 1024`.
    Macro,
    /// `const int N = 1024`.
    Constant,
}
