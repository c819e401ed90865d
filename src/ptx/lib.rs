//! Parses PTX text into a typed module: `parse(&str) -> Result<Module, Vec<ParseError>>`.
//!
//! ```text
//! text -> lexer (words, numbers, signs, each with its span)
//!      -> parser (directives, and one function per family of instructions)
//!      -> Module { functions: [ Function { body: [ Statement { op: Op<O, L>, .. } ] } ] }
//! ```
//!
//! Invalid text is an error that names its location. Unsupported instructions are errors too, but
//! they stay with their function ([`Function::unsupported`]) and are reported only when it is
//! launched. The grammar is that of the PTX ISA
//! (<https://docs.nvidia.com/cuda/parallel-thread-execution/>).

mod ast;
mod asynchronous;
mod constant;
mod error;
mod lexer;
mod line;
mod op;
mod operand;
mod parser;
mod tensor;
mod types;
mod wgmma;

pub use ast::{
    CARRY_FLAG, Entry, Function, Guard, HALVES, InitialImage, Module, Operand, Param, PartOfArray,
    Registers, Scope, SourceFile, Statement, StoredAddress, Threads, Variable,
};
pub use asynchronous::{
    AsyncOp, BulkCopy, BulkPlace, BulkWay, CopyGroup, CopyPart, Mbarrier, MbarrierOp, StoreAsync,
};
pub use error::{ParseError, Span};
pub use line::Loc;
pub use op::{
    AtomicOp, BarrierAction, BinaryOp, BitsOp, Boolean, CarryOp, Collective, Compare, Contraction,
    ControlOp, Float, FloatClass, LaneOp, MatrixOp, MemoryOp, MemoryScope, Op, PairOp, Permute,
    Reduce, Reduction, Rounding, Saturated, Shuffle, Strength, TernaryOp, UnaryOp, Vote, WarpOp,
    Width,
};
pub use operand::{Address, Use};
pub use parser::{opcodes, parse};
pub use tensor::{Arithmetic, Fragment, Matrix, MatrixLayout, Mma};
pub use types::{Space, Type};
pub use wgmma::{ROWS as WGMMA_ROWS, Wgmma, WgmmaOperandA};
