//! Checks of `wgmma`, which the tensor cores execute while the warps go on.

use crate::sim::{Access, Machine, PIECE, Pc, Reg};
use ptx::{MatrixOp, Op, Wgmma};
use std::collections::{HashMap, VecDeque};

/// The `wgmma` instructions in flight of every warp of a block.
#[derive(Debug)]
pub(super) struct CheckedWgmma {
    /// For each instruction: those of its registers that `wgmma` instructions use.
    pub(super) touched: Vec<Box<[Reg]>>,
    pub(super) warps: Vec<WarpWgmma>,
    /// For each piece of shared memory, the number of `wgmma` instructions in flight that read it.
    pub(super) reading: Vec<u32>,
}

#[derive(Debug, Default)]
pub(super) struct WarpWgmma {
    /// In flight, the oldest first.
    pub(super) begun: VecDeque<BegunWgmma>,
    /// Registers accessed since the last `wgmma.fence`, and the instruction that did.
    pub(super) loose: HashMap<Reg, Pc>,
    /// Whether the warp has executed a `wgmma.fence`.
    pub(super) fenced: bool,
}

#[derive(Debug)]
pub(super) struct BegunWgmma {
    pub(super) pc: Pc,
    pub(super) reads: Vec<Access>,
}

impl CheckedWgmma {
    /// For blocks like `machine`; `None` if their program has no `wgmma`.
    pub(super) fn new(machine: &Machine) -> Option<Self> {
        let program = machine.program();
        let products = || program.insts.iter().filter_map(|inst| product(&inst.op));
        let used: Vec<_> = products().flat_map(Wgmma::registers).collect();
        let touched = |op: &Op<Reg, Pc>| {
            let regs = op.operands().into_iter().map(|(reg, ..)| reg);
            regs.filter(|reg| used.contains(reg)).collect()
        };
        products().next()?;
        Some(Self {
            touched: program.insts.iter().map(|inst| touched(&inst.op)).collect(),
            warps: Vec::new(),
            reading: vec![0; machine.shared().len().div_ceil(usize::from(PIECE) / 4)],
        })
    }

    pub(super) fn start(&mut self, warps: usize) {
        self.warps.clear();
        self.warps.resize_with(warps, WarpWgmma::default);
        self.reading.fill(0);
    }

    /// Finds the first lane of an access that touches what a `wgmma` in flight reads. Returns the
    /// lane, the address, and the warp and pc of the `wgmma`.
    pub(super) fn met(&self, access: &Access) -> Option<(usize, u64, usize, Pc)> {
        access.touched().find_map(|(lane, addr)| {
            let mut pieces = piece(addr)..=piece(addr + u64::from(access.bytes) - 1);
            let piece = pieces.find(|piece| self.reading[*piece] > 0)?;
            let (warp, pc) = self.reader(piece)?;
            Some((lane, addr.max((piece * usize::from(PIECE)) as u64), warp, pc))
        })
    }

    /// Returns the warp and the pc of a `wgmma` in flight that reads a piece.
    pub(super) fn reader(&self, of: usize) -> Option<(usize, Pc)> {
        let reads =
            |begun: &&BegunWgmma| begun.reads.iter().any(|read| pieces(read).any(|p| p == of));
        let mut warps = self.warps.iter().enumerate();
        warps.find_map(|(warp, all)| Some((warp, all.begun.iter().find(reads)?.pc)))
    }
}

pub(super) fn product(op: &Op<Reg, Pc>) -> Option<&Wgmma<Reg>> {
    if let Op::Matrix(MatrixOp::Wgmma(product)) = op { Some(product) } else { None }
}

/// Returns the pieces of shared memory that an access by pieces touches.
pub(super) fn pieces(access: &Access) -> impl Iterator<Item = usize> + '_ {
    access.touched().map(|(_, addr)| piece(addr))
}

pub(super) const fn piece(addr: u64) -> usize {
    (addr / PIECE as u64) as usize
}
