//! Which lanes have set the registers that a thread may read before it has set them.

use crate::sim::{LaneMask, Program, Reg, Step};
use ptx::Use;

/// The registers of a program that a thread may read before it has set them, and the lanes of each
/// warp of the running block that have set them.
#[derive(Debug)]
pub(super) struct UnsetRegisters {
    /// For each instruction, the registers that it reads and those that it writes, by their place in
    /// the program's list.
    touched: Vec<RegisterUse>,
    registers: usize,
    /// By warp, then by register.
    set: Vec<LaneMask>,
}

#[derive(Clone, Debug, Default)]
struct RegisterUse {
    read: Vec<usize>,
    written: Vec<usize>,
}

impl UnsetRegisters {
    /// `None` if the program has no such register.
    pub(super) fn new(program: &Program) -> Option<Self> {
        let unset = &program.unset;
        if unset.is_empty() {
            return None;
        }
        let place = |reg: Reg| unset.iter().position(|one| *one == reg);
        let touched = program.insts.iter().map(|inst| {
            let mut touched = RegisterUse::default();
            let operands = inst.op.operands().into_iter().map(|(reg, _, how)| (reg, how));
            let guard = inst.guard.map(|(reg, _)| (reg, Use::Read));
            for (reg, how) in operands.chain(guard) {
                let list = if how.writes() { &mut touched.written } else { &mut touched.read };
                list.extend(place(reg));
            }
            touched
        });
        Some(Self { touched: touched.collect(), registers: unset.len(), set: Vec::new() })
    }

    /// A block of this many warps begins.
    pub(super) fn start(&mut self, warps: usize) {
        self.set = vec![LaneMask::NONE; warps * self.registers];
    }

    /// Follows a step; returns the lanes that have read a register before setting it. Each such read is
    /// reported once.
    pub(super) fn step(&mut self, step: &Step) -> LaneMask {
        let Some(touched) = self.touched.get(step.pc.0 as usize) else { return LaneMask::NONE };
        let first = usize::from(step.warp) * self.registers;
        let mut unset = LaneMask::NONE;
        for register in &touched.read {
            unset = unset.or(step.active.without(self.set[first + register]));
        }
        for register in touched.read.iter().chain(&touched.written) {
            let set = &mut self.set[first + register];
            *set = set.or(step.active);
        }
        unset
    }
}
