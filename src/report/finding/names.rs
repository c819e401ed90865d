//! The names in its source of a finding's places and lines.

use crate::analysis::check::{Place, Side};
use crate::kernel::Problem;
use crate::ptx::{MemoryOp, Op, Space};
use crate::report::place::Places;
use crate::sim::{Memory, Program};

/// What names are taken from.
pub struct Names<'a> {
    /// The launch.
    pub problem: &'a Problem,
    /// What ran.
    pub program: &'a Program,
    /// Global memory.
    pub memory: &'a Memory,
}

impl Names<'_> {
    pub(super) fn file(&self, side: &Side) -> Option<String> {
        side.line?;
        let other = self.program.other_file(side.pc).map(|file| file.name().to_owned());
        other.or_else(|| self.problem.source().map(|(file, _)| file.into_owned()))
    }

    pub(super) fn ptx_line(&self, side: &Side) -> usize {
        self.program.inst(side.pc).span.line(&self.problem.ptx)
    }

    /// What the source calls the place.
    pub(in crate::report) fn element(&self, place: Place, sides: &[Side]) -> String {
        let places = Places { problem: self.problem, program: self.program };
        if place.space == Space::Shared {
            places.shared(place.addr, self.element_bytes(sides))
        } else {
            places.global(self.memory, place.addr)
        }
    }

    /// Bytes of an element of what a finding is about: as wide as the side's type.
    fn element_bytes(&self, sides: &[Side]) -> u32 {
        let side = sides.first().map(|side| &self.program.inst(side.pc).op);
        match side {
            Some(Op::Memory(MemoryOp::Ld { ty, .. } | MemoryOp::St { ty, .. })) => ty.bytes(),
            _ => 4,
        }
    }

    /// `line 12`, `line 12 of tile.cuh` in another file than the kernel's own, or where that is not
    /// known the line of the PTX.
    pub(in crate::report) fn line(&self, side: &Side) -> String {
        match side.line {
            Some(line) => format!("line {line}{}", self.of_file(side)),
            None => format!("line {} of the PTX", self.ptx_line(side)),
        }
    }

    pub(super) fn of_file(&self, side: &Side) -> String {
        let other = self.program.other_file(side.pc);
        other.map_or_else(String::new, |file| format!(" of {}", file.name()))
    }
}
