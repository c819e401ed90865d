//! The source names of a finding's places and lines.

use crate::analysis::check::{AccessKind, Finding, MemoryAddress, Participant};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::report::place::PlaceNames;
use crate::sim::{BlockGroup, LaneMask, Memory, Program};
use ptx::{MemoryOp, Op, Space};

/// The sources of names.
pub struct Names<'a> {
    /// The launch.
    pub problem: &'a Problem,
    /// The program that ran.
    pub program: &'a Program,
    /// Global memory.
    pub memory: &'a Memory,
}

/// The two participants of a finding and their names.
pub(super) struct ParticipantPair<'a> {
    pub(super) first: &'a Participant,
    pub(super) second: &'a Participant,
    pub(super) who: String,
    pub(super) other: String,
    /// The line of the first one.
    pub(super) here: String,
    /// The line of the second one.
    pub(super) there: String,
}

impl Names<'_> {
    /// The two participants; `None` if there are not two.
    pub(super) fn pair<'a>(&self, finding: &'a Finding) -> Option<ParticipantPair<'a>> {
        let [first, second] = &finding.sides[..] else { return None };
        let [who, other] = [lanes(first), lanes(second)];
        let [here, there] = [self.line(first), self.line(second)];
        Some(ParticipantPair { first, second, who, other, here, there })
    }

    /// The place that a finding concerns; empty if there is none.
    pub(super) fn element_of(&self, finding: &Finding) -> String {
        finding.place.map_or_else(String::new, |place| self.element(place, &finding.sides))
    }

    pub(super) fn stands(&self, side: &Participant) -> String {
        format!("{} ({})", lanes(side), self.line(side))
    }

    pub(super) fn file(&self, side: &Participant) -> Option<String> {
        side.line?;
        let other = self.program.other_file(side.pc).map(|file| file.name().to_owned());
        other.or_else(|| self.problem.source.as_ref().map(|source| source.file.clone()))
    }

    pub(super) fn ptx_line(&self, side: &Participant) -> usize {
        self.program.inst(side.pc).span.line(&self.problem.ptx)
    }

    pub(in crate::report) fn element(&self, place: MemoryAddress, sides: &[Participant]) -> String {
        let places = PlaceNames { problem: self.problem, program: self.program };
        if place.space == Space::Shared {
            let (rank, byte) = self.blocks(sides).of_shared(place.addr);
            let element = places.in_block(byte, self.element_bytes(sides));
            let single = self.blocks(sides).is_single();
            if single { element } else { format!("{element} of the block of rank {rank}") }
        } else {
            places.global(self.memory, place.addr)
        }
    }

    /// The blocks that run together with the participants'.
    pub(super) fn blocks(&self, sides: &[Participant]) -> BlockGroup {
        let block = sides.first().map_or(Dim3::at(0, 0), |side| side.block);
        self.program.blocks_of(self.problem.launch, block)
    }

    /// Bytes per element of the place, from the type of the participant's access.
    fn element_bytes(&self, sides: &[Participant]) -> u32 {
        let side = sides.first().map(|side| &self.program.inst(side.pc).op);
        match side {
            Some(Op::Memory(MemoryOp::Ld { ty, .. } | MemoryOp::St { ty, .. })) => ty.bytes(),
            _ => 4,
        }
    }

    /// `line 12`, or `line 12 of tile.cuh` in a file other than the kernel's own, or the line of
    /// the PTX if the source line is not known.
    pub(in crate::report) fn line(&self, side: &Participant) -> String {
        match side.line {
            Some(line) => format!("line {line}{}", self.of_file(side)),
            None => format!("line {} of the PTX", self.ptx_line(side)),
        }
    }

    pub(super) fn of_file(&self, side: &Participant) -> String {
        let other = self.problem.other_file(self.program, side.pc);
        other.map_or_else(String::new, |file| format!(" of {file}"))
    }
}

/// `lane 5 of warp 3`, `12 lanes of warp 3`, `warp 3`, `warp 3 of the block of rank 1`.
pub(in crate::report) fn lanes(side: &Participant) -> String {
    let of_block = side.rank.map(|rank| format!(" of the block of rank {rank}"));
    let warp = format!("{}{}", side.warp, of_block.unwrap_or_default());
    match (side.lanes, side.lanes.count()) {
        (LaneMask::ALL | LaneMask::NONE, _) => format!("warp {warp}"),
        (_, 1) => format!("lane {} of warp {warp}", lane(side)),
        (_, count) => format!("{count} lanes of warp {warp}"),
    }
}

pub(super) fn lane(side: &Participant) -> usize {
    side.lanes.lanes().next().unwrap_or(0)
}

pub(in crate::report) const fn verb(did: AccessKind) -> &'static str {
    match did {
        AccessKind::Load => "loads",
        AccessKind::Store => "stores",
        AccessKind::Atomic => "atomically changes",
        AccessKind::Copy => "copies to",
        AccessKind::Multiply => "multiplies",
        AccessKind::Wait => "waits",
        AccessKind::End => "ends",
        AccessKind::Stand => "is",
    }
}
