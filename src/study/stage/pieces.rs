//! The pieces that tensor cores multiply: which part of either tile and of C each instruction takes.

use super::grids::{GlobalGrids, span, words};
use crate::matrix::Operand;
use crate::sim::{Effect, Pc, Program, Reg, Step};
use crate::trace::Origins;
use ptx::{LaneOp, MatrixOp, MemoryOp, Op, Space};
use std::collections::HashMap;
use std::ops::Range;

/// A product of two pieces by one instruction of a warp: the rows and columns of C that it adds to, and
/// the places along k.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PieceProduct {
    pub(super) rows: Range<u32>,
    pub(super) columns: Range<u32>,
    pub(super) ks: Range<u32>,
    /// Whether both pieces are in registers, or else in shared memory.
    pub(super) in_registers: bool,
}

impl PieceProduct {
    /// Whether a place within the block's part of C belongs to it.
    pub(super) fn adds_to(&self, (row, column): (u32, u32)) -> bool {
        self.rows.contains(&row) && self.columns.contains(&column)
    }

    /// The product of two pieces whose elements these addresses are, wherever they lie in A and B.
    fn of(
        grids: &GlobalGrids,
        addresses: impl Iterator<Item = u64>,
        in_registers: bool,
    ) -> Option<Self> {
        let mut found: [Vec<(u32, u32)>; 2] = [Vec::new(), Vec::new()];
        for (array, row, column) in addresses.filter_map(|addr| grids.locate(addr)) {
            match grids.0[array].operand {
                Some(Operand::A) => found[0].push((row, column)),
                Some(Operand::B) => found[1].push((row, column)),
                _ => {}
            }
        }
        let [left, top] = &found;
        let ks = span(left.iter().map(|at| at.1))?;
        if span(top.iter().map(|at| at.0))? != ks {
            return None;
        }
        Some(Self {
            rows: span(left.iter().map(|at| at.0))?,
            columns: span(top.iter().map(|at| at.1))?,
            ks,
            in_registers,
        })
    }
}

/// The words of shared memory that the registers of each warp hold, as pieces of matrices.
#[derive(Debug, Default)]
pub(super) struct Fragments(HashMap<(u16, Reg), Vec<u64>>);

/// The words of a row of an 8 x 8 matrix of 16-bit elements, and its rows.
const ROW_WORDS: u32 = 4;
const ROWS: usize = 8;

impl Fragments {
    /// Those of a program that multiplies pieces.
    pub(super) fn of(program: &Program) -> Option<Self> {
        let multiplies =
            |op: &Op<Reg, Pc>| matches!(op, Op::Matrix(MatrixOp::Mma(_) | MatrixOp::Wgmma(_)));
        program.insts.iter().any(|inst| multiplies(&inst.op)).then(Self::default)
    }

    /// Follows what a step loads from shared memory; returns the product of pieces that it makes.
    pub(super) fn add(
        &mut self,
        step: &Step,
        program: &Program,
        (origins, grids): (&Origins, &GlobalGrids),
    ) -> Option<PieceProduct> {
        let elements = |words: &mut dyn Iterator<Item = u32>| -> Vec<u64> {
            let known = words.filter_map(|word| origins.of_word(word as usize));
            known.flat_map(|addr| [addr, addr + 2]).collect()
        };
        if let Effect::Async(effect) = &step.effect {
            let reads = step.accesses().iter().filter(|_| effect.is_of_product());
            let read = elements(&mut reads.flat_map(words));
            return PieceProduct::of(grids, read.into_iter(), false);
        }
        let warp = step.warp;
        match (&program.inst(step.pc).op, &step.effect) {
            (Op::Matrix(MatrixOp::LdMatrix { dst, .. }), Effect::Memory(access)) => {
                for (number, reg) in dst.iter().enumerate() {
                    let rows = ROWS * number..ROWS * (number + 1);
                    let mut words = rows.flat_map(|lane| {
                        let first = access.addrs[lane] as u32 / 4;
                        first..first + ROW_WORDS
                    });
                    self.0.insert((warp, *reg), elements(&mut words));
                }
            }
            (Op::Matrix(MatrixOp::LdFragment(fragment)), Effect::Memory(access)) => {
                let all = elements(&mut words(access));
                fragment.regs.iter().for_each(|reg| _ = self.0.insert((warp, *reg), all.clone()));
            }
            (Op::Memory(MemoryOp::Ld { dst, .. }), Effect::Memory(access))
                if access.space == Space::Shared =>
            {
                let all = elements(&mut words(access));
                for reg in dst {
                    self.0.insert((warp, *reg), all.clone());
                }
            }
            (Op::Lane(LaneOp::Mov { dst, src, .. }), _) => {
                let held = self.0.get(&(warp, *src)).cloned();
                held.map(|held| self.0.insert((warp, *dst), held));
            }
            (Op::Matrix(MatrixOp::Mma(products)), _) => {
                let factors = products.iter().flat_map(|mma| mma.a.iter().chain(&mma.b));
                let held = factors.filter_map(|reg| self.0.get(&(warp, *reg)));
                return PieceProduct::of(grids, held.flatten().copied(), true);
            }
            _ => {}
        }
        None
    }
}
