//! The known mistakes that make a C wrong.

use crate::launch::Dim3;
use crate::matrix::Size;

/// A known mistake that explains every wrong element.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// Matrices lie column by column for the kernel: A, B, C.
    ColumnMajor([bool; 3]),
    /// Only this many products, the first ones, are in each sum.
    KCutShort(u32),
    /// The operation on C has other factors.
    Factors(Factors),
    /// C is right with the axes of the assumed grid exchanged, which is this one.
    TurnedGrid(Dim3),
    /// Only a leading part of C is computed; C is right with the larger grid, if there is one.
    GridTooSmall(Computed, Option<Dim3>),
    /// C is right if M, N and K are equal: at these sizes.
    SquareOnly(Vec<u32>),
    /// C is right at the size that the source itself gives.
    CompiledIn(CompiledIn),
    /// This many blocks were stopped before they stored their elements.
    Stopped(u64),
}

/// Other factors of the operation on C than were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factors {
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
pub enum Computed {
    /// The first rows and the first columns.
    Corner(u32, u32),
    /// The first elements, row by row, up to this row and column, exclusive.
    UpTo(u32, u32),
}

/// A size that is compiled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledIn {
    /// The size at which C is right.
    pub size: Size,
    /// What gives it.
    pub names: Vec<Given>,
}

/// A name with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The name.
    pub name: String,
    /// Its value.
    pub value: u32,
    /// Its line in the source, or `None` if the command line gives it.
    pub line: Option<u32>,
    /// How it is given.
    pub how: How,
}

/// How a source gives a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// `-D N=1024`.
    Option,
    /// `#define N 1024`, under `#ifndef N`.
    Guarded,
    /// `#define N 1024`.
    Macro,
    /// `const int N = 1024`.
    Constant,
}
