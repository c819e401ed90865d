//! Finds the next or previous line, barrier, tile, access or conflict.

use super::{OpKind, StepRecord, Trace};

/// The size of one step on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepSize {
    /// One instruction of one warp.
    Instruction,
    /// Until something visible has happened: an access, a multiply-add, a barrier, executed by
    /// every warp in turn. Address arithmetic is skipped.
    #[default]
    Event,
    /// Until the line of the CUDA source changes.
    Line,
    /// Until the block passes a barrier.
    Barrier,
    /// Until the block has computed one more tile.
    Tile,
}

impl StepSize {
    /// All units, the shortest first.
    pub const ALL: [Self; 5] =
        [Self::Instruction, Self::Event, Self::Line, Self::Barrier, Self::Tile];

    /// The name shown to the user.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Instruction => "instruction",
            Self::Event => "event",
            Self::Line => "line",
            Self::Barrier => "barrier",
            Self::Tile => "tile",
        }
    }
}

/// A kind of step to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    Memory,
    /// A barrier that the block passes.
    Barrier,
    /// A shared-memory access with a bank conflict.
    Conflict,
}

impl Want {
    fn met_by(self, mark: &StepRecord) -> bool {
        match self {
            Self::Memory => mark.kind.is_memory(),
            Self::Barrier => mark.released,
            Self::Conflict => mark.conflict,
        }
    }
}

/// Returns the position one `unit` after `at` steps, or the end.
///
/// `tile` is the number of multiply-adds of the block's threads that complete one tile.
pub fn next(trace: &Trace, at: usize, unit: StepSize, tile: u32) -> usize {
    let end = trace.len();
    (at + 1..end).find(|place| is_stop(trace, *place, unit, tile)).unwrap_or(end)
}

/// Returns the position one `unit` before `at` steps, or the start.
pub fn previous(trace: &Trace, at: usize, unit: StepSize, tile: u32) -> usize {
    let at = at.min(trace.len());
    (1..at).rev().find(|place| is_stop(trace, *place, unit, tile)).unwrap_or(0)
}

/// Returns the first position after `at` whose last step matches.
pub fn next_match(trace: &Trace, at: usize, want: Want) -> Option<usize> {
    let rest = trace.records().get(at..)?;
    rest.iter().position(|mark| want.met_by(mark)).map(|steps| at + steps + 1)
}

/// Returns the last position before `at` whose last step matches.
pub fn previous_match(trace: &Trace, at: usize, want: Want) -> Option<usize> {
    let before = &trace.records()[..at.min(trace.len()).saturating_sub(1)];
    before.iter().rposition(|mark| want.met_by(mark)).map(|steps| steps + 1)
}

/// Whether a unit ends after `place` steps (0 < place < the end).
pub(super) fn is_stop(trace: &Trace, place: usize, unit: StepSize, tile: u32) -> bool {
    let [last, next] = [&trace.records()[place - 1], &trace.records()[place]];
    match unit {
        StepSize::Instruction => true,
        StepSize::Event => last.kind.is_event() && last.pc != next.pc,
        StepSize::Line => trace.line(last.pc) != trace.line(next.pc),
        StepSize::Barrier => last.released,
        StepSize::Tile => last.kind == OpKind::Fma && ends_tile(trace, place, tile),
    }
}

/// Whether the multiply-add before `place` completed a tile of the whole block.
fn ends_tile(trace: &Trace, place: usize, tile: u32) -> bool {
    let before = place.checked_sub(2).map_or(0, |i| trace.records()[i].fma);
    trace.records()[place - 1].fma / tile.max(1) > before / tile.max(1)
}
