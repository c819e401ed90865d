//! Who meets at a block's barriers, and who does not.

use super::finding::{Did, What};
use crate::sim::{LaneMask, Pc, Program};

/// Lanes of a warp at an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) warp: u16,
    pub(super) lanes: LaneMask,
    pub(super) pc: Pc,
    pub(super) did: Did,
}

/// The barriers of one block.
#[derive(Debug, Default)]
pub(super) struct Barriers {
    /// Those who have arrived at a barrier that is not complete: its number, for how many threads.
    arrived: Vec<(u8, Option<u32>, At)>,
    /// Those who have ended.
    ended: Vec<At>,
}

impl Barriers {
    pub(super) fn start(&mut self) {
        self.arrived.clear();
        self.ended.clear();
    }

    pub(super) fn arrive(&mut self, id: u8, threads: Option<u32>, at: At) {
        self.arrived.push((id, threads, at));
    }

    pub(super) fn end(&mut self, at: At) {
        self.ended.push(at);
    }

    /// Barrier `id` is complete: what is wrong with that.
    pub(super) fn release(&mut self, program: &Program, id: u8) -> Vec<(What, [At; 2])> {
        let here = |arrival: &mut (u8, Option<u32>, At)| arrival.0 == id;
        let arrived: Vec<_> = self.arrived.extract_if(.., here).collect();
        let Some((_, threads, first)) = arrived.first().copied() else { return Vec::new() };
        let mut found = Vec::new();
        let other = arrived.iter().find(|(_, other, _)| *other != threads);
        if let Some((_, other, at)) = other {
            found.push((What::DifferentCounts(threads, *other), [first, *at]));
        }
        if threads.is_some() {
            return found;
        }
        // Of a function that is inlined twice, two barriers have one line.
        for (index, (_, _, at)) in arrived.iter().enumerate() {
            let seen = arrived[..index].iter().any(|(_, _, before)| before.pc == at.pc);
            if !seen && index > 0 {
                found.push((What::DifferentBarriers, [first, *at]));
            }
        }
        let line = |at: &At| {
            (program.inst(at.pc).line, program.inst(at.pc).line.is_none().then_some(at.pc))
        };
        let ended = self.ended.iter().map(|at| at.lanes.count()).sum();
        for (index, at) in self.ended.iter().enumerate() {
            if !self.ended[..index].iter().any(|before| line(before) == line(at)) {
                found.push((What::Ended { threads: ended }, [first, *at]));
            }
        }
        found
    }
}
