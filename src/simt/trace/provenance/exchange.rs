//! Instructions that move bytes between the lanes of a warp, or into a function and back.

use super::moment::StepValues;
use crate::sim::{Access, Pc, Reg, Route, Transfer};
use ptx::{Collective, Fragment, Matrix, MatrixLayout, MatrixOp, Op, Space, Type};

/// Bytes that move from one location to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteMove {
    pub(super) from: BytePlace,
    pub(super) to: BytePlace,
    pub(super) count: u8,
    /// The lane that makes the access, if one of the locations is in memory.
    pub(super) lane: u8,
    /// The index of that access among those of the step.
    pub(super) access: usize,
    /// Whether the rest of the register is overwritten as well, by the sign extension of the bytes.
    pub(super) extends: bool,
}

impl ByteMove {
    /// A shift by the first access that leaves the rest of a register unchanged.
    pub(super) const fn new(from: BytePlace, to: BytePlace, count: u8, lane: u8) -> Self {
        Self { from, to, count, lane, access: 0, extends: false }
    }
}

/// The location at which bytes begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BytePlace {
    /// In a lane's register: register, lane, first byte.
    Register(Reg, u8, u8),
    /// In memory, at this address.
    Memory(Space, u64),
    /// In flight to that word of shared memory, copied asynchronously by that warp (and the lane of the
    /// shift).
    Copied(u16, u64),
    /// A location whose value is not followed.
    Nowhere,
}

/// Returns the bytes that an instruction moves.
pub(super) fn shifts(op: &Op<Reg, Pc>, moment: &StepValues) -> Vec<ByteMove> {
    match op {
        Op::Matrix(op) => of_matrices(op, moment.step.accesses()),
        Op::Warp(Collective { dst: Some(dst), args, .. }) => {
            let source =
                |lane: u8| moment.sources.as_ref().map_or(lane, |of| of[usize::from(lane)]);
            let from = |lane: u8| register(args[0], source(lane), 0);
            let to = |lane: u8| register(*dst, lane, 0);
            let shift = |lane| ByteMove::new(from(lane), to(lane), 8, lane);
            moment.step.active.lanes().map(|lane| shift(lane as u8)).collect()
        }
        Op::Warp(_) | Op::Lane(_) | Op::Memory(_) | Op::Async(_) | Op::Control(_) => Vec::new(),
    }
}

/// Returns the bytes that an instruction on matrices moves with its accesses, which are empty where
/// no lane executes it.
fn of_matrices(op: &MatrixOp<Reg>, accesses: &[Access]) -> Vec<ByteMove> {
    let rows = |regs: &[Reg]| {
        let each = (0..regs.len()).map(|number| matrix(&accesses[0], number));
        each.collect::<Vec<_>>()
    };
    match op {
        MatrixOp::MovMatrix { dst, src } => halves()
            .map(|(lane, half)| {
                let (other, part) = turned(lane, half);
                let (from, to) = (register(*src, other, 2 * part), register(*dst, lane, 2 * half));
                ByteMove::new(from, to, 2, lane)
            })
            .collect(),
        _ if accesses.is_empty() => Vec::new(),
        MatrixOp::LdMatrix { transposed, dst, .. } => {
            RegisterPieces::of_words(dst, rows(dst), *transposed, accesses[0].space).loaded()
        }
        MatrixOp::StMatrix { transposed, src, .. } => {
            RegisterPieces::of_words(src, rows(src), *transposed, accesses[0].space).stored()
        }
        MatrixOp::LdFragment(fragment) => fragments(fragment, accesses).loaded(),
        MatrixOp::StFragment(fragment) => fragments(fragment, accesses).stored(),
        // `mma` and `wgmma` are not shifts: see `super::flow::Flow`.
        MatrixOp::Mma(_) | MatrixOp::Wgmma(_) | MatrixOp::WgmmaFence | MatrixOp::WgmmaGroup(_) => {
            Vec::new()
        }
    }
}

/// Returns the bytes passed to a function or back from it, in each lane separately.
pub(super) fn passed(transfers: &[Transfer], inwards: bool, moment: &StepValues) -> Vec<ByteMove> {
    let local = |addr: u32| BytePlace::Memory(Space::Local, addr.into());
    let lanes = || moment.step.active.lanes().map(|lane| lane as u8);
    let shift = |[outside, inside]: [BytePlace; 2], count, lane| {
        let (from, to) = if inwards { (outside, inside) } else { (inside, outside) };
        ByteMove::new(from, to, count, lane)
    };
    let each = |transfer: &Transfer| -> Vec<ByteMove> {
        match *transfer {
            Transfer::Row { outside, inside, ty } => {
                let places = |lane| [register(outside, lane, 0), local(inside)];
                lanes().map(|lane| shift(places(lane), ty.bytes() as u8, lane)).collect()
            }
            Transfer::Bytes { outside, inside, bytes } => {
                let places = |at: u32| [local(outside + at), local(inside + at)];
                let words = || (0..bytes).step_by(4);
                lanes().flat_map(|lane| words().map(move |at| shift(places(at), 4, lane))).collect()
            }
        }
    };
    transfers.iter().flat_map(each).collect()
}

const fn register(reg: Reg, lane: u8, at: u8) -> BytePlace {
    BytePlace::Register(reg, lane, at)
}

/// Returns every half of a word of every lane.
fn halves() -> impl Iterator<Item = (u8, u8)> {
    (0..32).flat_map(|lane| [(lane, 0), (lane, 1)])
}

/// Where a half lies in the transpose of an 8 x 8 matrix of halves: lane l has row l / 4, columns 2
/// (l mod 4) and the next (PTX ISA, `ldmatrix`).
const fn turned(lane: u8, half: u8) -> (u8, u8) {
    let (row, column) = (lane / 4, 2 * (lane % 4) + half);
    (4 * column + row / 2, row % 2)
}

/// Matrix `number` of an access by rows of 16 bytes: the address of each lane's word.
fn matrix(access: &Access, number: usize) -> [u64; 32] {
    std::array::from_fn(|lane| access.addrs[8 * number + lane / 4] + 4 * (lane as u64 % 4))
}

/// Registers, and the addresses of every lane's words, which fill one register after the other.
struct RegisterPieces<'a> {
    regs: &'a [Reg],
    words: Vec<[u64; 32]>,
    /// Size of a word in bytes: 4, or 1 where the bytes of a register are gathered.
    size: u8,
    /// Number of words in a register.
    each: usize,
    /// Whether the halves are transposed in memory.
    turned: bool,
    space: Space,
}

/// Lists the words in the order in which the machine accesses a fragment: see `exec::matrix`.
fn fragments<'a>(fragment: &'a Fragment<Reg>, accesses: &[Access]) -> RegisterPieces<'a> {
    let by_rows = accesses[0].route == Route::Rows;
    let size = accesses[0].bytes.min(4);
    let words = if by_rows {
        let all = |access: &Access| {
            (0..access.active.count() as usize / 8).map(|n| matrix(access, n)).collect::<Vec<_>>()
        };
        accesses.iter().flat_map(all).collect()
    } else {
        let word = |access: &Access, n: u64| access.addrs.map(|addr| addr + 4 * n);
        let all = |access: &Access| {
            (0..u64::from(access.bytes / size)).map(|n| word(access, n)).collect::<Vec<_>>()
        };
        accesses.iter().flat_map(all).collect()
    };
    let across = match fragment.matrix {
        Matrix::A => false,
        Matrix::B => true,
        Matrix::C => fragment.shape[..2] == [8, 32],
    };
    let direct = (fragment.layout == MatrixLayout::Row) != across;
    let turned = !direct && fragment.ty.bits() == 16;
    let each = if fragment.ty == Type::F64 { 8 } else { 4 } / usize::from(size);
    RegisterPieces {
        size,
        each,
        ..RegisterPieces::of_words(&fragment.regs, words, turned, accesses[0].space)
    }
}

impl<'a> RegisterPieces<'a> {
    const fn of_words(regs: &'a [Reg], words: Vec<[u64; 32]>, turned: bool, space: Space) -> Self {
        Self { regs, words, size: 4, each: 1, turned, space }
    }

    fn loaded(&self) -> Vec<ByteMove> {
        self.shifts(ByteMove::new)
    }

    fn stored(&self) -> Vec<ByteMove> {
        self.shifts(|memory, register, count, lane| ByteMove::new(register, memory, count, lane))
    }

    /// Returns a shift for each word of each register, or for each half of it.
    fn shifts(&self, shift: impl Fn(BytePlace, BytePlace, u8, u8) -> ByteMove) -> Vec<ByteMove> {
        let mut shifts = Vec::new();
        let parts = self.regs.iter().flat_map(|reg| (0..self.each).map(move |part| (reg, part)));
        for ((reg, part), words) in parts.zip(self.words.iter().cycle()) {
            let word = |lane: u8| words[usize::from(lane)];
            let at = part as u8 * self.size;
            if self.turned {
                shifts.extend(halves().map(|(lane, half)| {
                    let (other, part) = turned(lane, half);
                    let memory = BytePlace::Memory(self.space, word(other) + 2 * u64::from(part));
                    shift(memory, register(*reg, lane, 2 * half), 2, other)
                }));
            } else {
                shifts.extend((0..32).map(|lane| {
                    let memory = BytePlace::Memory(self.space, word(lane));
                    shift(memory, register(*reg, lane, at), self.size, lane)
                }));
            }
        }
        shifts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_turned_twice_is_the_same() {
        for (lane, half) in halves() {
            let (other, part) = turned(lane, half);
            assert_eq!(turned(other, part), (lane, half));
        }
        assert_eq!(turned(0, 1), (4, 0), "row 0, column 1 is row 1, column 0");
    }
}
