//! The variables of an expression, and their values in a thread.

use crate::launch::{Dim3, WARP_SIZE};

/// The thread for which an expression is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExprThread {
    /// Its number in the block, x running fastest.
    pub number: u32,
    /// The block's size.
    pub block: Dim3,
    /// The block's position in the grid.
    pub at: Dim3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Var {
    ThreadX,
    ThreadY,
    ThreadZ,
    BlockX,
    BlockY,
    BlockZ,
    SizeX,
    SizeY,
    SizeZ,
    Number,
    Lane,
    Warp,
}

/// Every variable: its name here, and CUDA's own where it has one.
pub(super) const VARS: [(Var, &str, &str); 12] = [
    (Var::ThreadX, "tx", "threadIdx.x"),
    (Var::ThreadY, "ty", "threadIdx.y"),
    (Var::ThreadZ, "tz", "threadIdx.z"),
    (Var::BlockX, "bx", "blockIdx.x"),
    (Var::BlockY, "by", "blockIdx.y"),
    (Var::BlockZ, "bz", "blockIdx.z"),
    (Var::SizeX, "bdx", "blockDim.x"),
    (Var::SizeY, "bdy", "blockDim.y"),
    (Var::SizeZ, "bdz", "blockDim.z"),
    (Var::Number, "tid", ""),
    (Var::Lane, "lane", ""),
    (Var::Warp, "warp", ""),
];

impl ExprThread {
    /// Its position in the block: threadIdx.
    pub const fn place(&self) -> Dim3 {
        self.block.place(self.number as u64)
    }

    pub(super) fn value(&self, var: Var) -> i64 {
        i64::from(match var {
            Var::ThreadX => self.place().x,
            Var::ThreadY => self.place().y,
            Var::ThreadZ => self.place().z,
            Var::BlockX => self.at.x,
            Var::BlockY => self.at.y,
            Var::BlockZ => self.at.z,
            Var::SizeX => self.block.x,
            Var::SizeY => self.block.y,
            Var::SizeZ => self.block.z,
            Var::Number => self.number,
            Var::Lane => self.number % WARP_SIZE,
            Var::Warp => self.number / WARP_SIZE,
        })
    }
}

impl Var {
    pub(super) fn named(name: &str) -> Option<Self> {
        let row = VARS.iter().find(|(_, short, cuda)| [*short, *cuda].contains(&name));
        row.map(|(var, ..)| *var)
    }

    pub(super) fn names() -> String {
        VARS.map(|(_, short, _)| short).join(" ")
    }
}
