//! What happens now, in one plain sentence of at most 77 columns.

use crate::analysis::{banks, coalesce};
use crate::kernel::Problem;
use crate::matrix::Operand;
use crate::sim::{Access, Direction, Effect, Machine, Step, WarpState};
use crate::trace::{Place, Replay, Trace};
use std::fmt;

/// Columns that a sentence may take.
pub const WIDTH: usize = 77;

/// The sentence for the place at which `replay` stands.
pub fn sentence(problem: &Problem, trace: &Trace, replay: &Replay) -> String {
    let place = replay.place();
    let fault = trace.fault().filter(|_| place.index == trace.len());
    let text = match (&place.step, fault) {
        (_, Some(fault)) => format!("The kernel is wrong: {fault}."),
        (None, None) => start(problem, replay.machine()),
        (Some(step), None) => Teller { problem, machine: replay.machine(), place, step }.tell(),
    };
    clip(text)
}

/// Cut to the width, with dots where something is missing.
fn clip(text: String) -> String {
    if text.chars().count() <= WIDTH {
        return text;
    }
    let kept: String = text.chars().take(WIDTH - 3).collect();
    kept.trim_end().to_owned() + "..."
}

fn start(problem: &Problem, machine: &Machine) -> String {
    let (launch, block) = (problem.launch(), machine.block());
    let span = |at: u32, size: u32| {
        Range(at * problem.tile, (at * problem.tile + problem.tile).min(size) - 1)
    };
    format!(
        "Block ({},{}) starts: {} threads in {} for rows {}, columns {} of C.",
        block.x,
        block.y,
        launch.threads(),
        Count(launch.warps() as usize, "warp"),
        span(block.y, problem.size.m),
        span(block.x, problem.size.n),
    )
}

/// One step and everything that is known about it.
struct Teller<'a> {
    problem: &'a Problem,
    machine: &'a Machine,
    place: &'a Place,
    step: &'a Step,
}

impl Teller<'_> {
    fn tell(&self) -> String {
        let warp = self.step.warp;
        let lanes = self.step.active.count();
        match &self.step.effect {
            Effect::Memory(access) if lanes > 0 => self.access(access),
            Effect::Memory(_) => format!("Warp {warp} skips this access: no lane takes part."),
            Effect::Fma => {
                let k = self.place.warps[usize::from(warp)].fma.saturating_sub(1);
                format!(
                    "Warp {warp} multiplies and adds, k = {k}: {} at once.",
                    Count(lanes as usize, "thread")
                )
            }
            Effect::Barrier { released, .. } => self.barrier(*released),
            Effect::Branch { taken } => self.branch(taken.count()),
            Effect::Exit => format!("Warp {warp} is done: its part of C is stored."),
            Effect::Compute => format!("Warp {warp} computes: {}.", self.instruction()),
        }
    }

    fn barrier(&self, released: bool) -> String {
        let live = self.place.warps.iter().filter(|warp| warp.state != WarpState::Exited).count();
        if released {
            let means = if self.place.stored {
                "the tiles are complete, all may read them"
            } else {
                "the tiles are read and may be overwritten"
            };
            return format!("{} at the barrier: {means}.", All(live));
        }
        let arrived =
            self.place.warps.iter().filter(|warp| warp.state == WarpState::Waiting).count();
        let warp = self.step.warp;
        format!("Warp {warp} waits at the barrier: {arrived} of {live} warps have arrived.")
    }

    fn branch(&self, taken: u32) -> String {
        let (warp, all) = (self.step.warp, self.lanes_before());
        match (taken, all - taken.min(all)) {
            (0, _) => format!("Warp {warp} goes on: no lane jumps."),
            (_, 0) => format!("Warp {warp} jumps, all {taken} lanes together."),
            (taken, rest) => {
                format!("The lanes of warp {warp} part: {taken} jump, {rest} go on.")
            }
        }
    }

    /// The lanes that met the branch: those that jumped, and those that go on now or wait.
    fn lanes_before(&self) -> u32 {
        self.place.warps[usize::from(self.step.warp)].live.count().max(self.step.active.count())
    }

    fn access(&self, access: &Access) -> String {
        let warp = self.step.warp;
        let verb = match access.direction {
            Direction::Load => "loads",
            Direction::Store => "stores",
        };
        let what = Region::of(access, |addr| self.element(access, addr));
        let what = what.map_or_else(|| "memory".to_owned(), |region| region.to_string());
        format!("Warp {warp} {verb} {what}: {}.", cost(access))
    }

    /// The element of a matrix or of a shared array at an address.
    fn element(&self, access: &Access, addr: u64) -> Option<(String, u32, u32)> {
        if access.space == crate::ptx::Space::Shared {
            let (name, row, column) = self.problem.shared_element(self.machine.program(), addr)?;
            return Some((name.to_owned(), row, column));
        }
        let (operand, row, column): (Operand, _, _) =
            self.problem.element(self.machine.memory(), addr)?;
        Some((operand.name().to_owned(), row, column))
    }

    /// The PTX of the instruction, blanks folded.
    fn instruction(&self) -> String {
        let text = self.machine.program().inst(self.step.pc).span.of(&self.problem.ptx);
        let words: Vec<_> = text.trim_end_matches(';').split_whitespace().collect();
        words.join(" ")
    }
}

/// What an access costs, in a few words.
fn cost(access: &Access) -> String {
    if access.space == crate::ptx::Space::Shared {
        let cost = banks::wavefronts(access);
        return match cost.conflicts {
            0 => format!("{}, no bank conflict", Count(cost.wavefronts as usize, "pass")),
            _ => format!(
                "{}-way bank conflict, {}",
                cost.ways,
                Count(cost.wavefronts as usize, "pass")
            ),
        };
    }
    let cost = coalesce::sectors(access);
    let percent = 100 * cost.distinct / (coalesce::SECTOR as u32 * cost.sectors).max(1);
    format!("{}, {percent} % of the bytes used", Count(cost.sectors as usize, "sector"))
}

/// The rows and columns of one array that an access touches.
struct Region {
    name: String,
    rows: Range,
    columns: Range,
}

impl Region {
    /// The box around all elements touched, if they are all of one array.
    fn of(access: &Access, element: impl Fn(u64) -> Option<(String, u32, u32)>) -> Option<Self> {
        let last = u64::from(access.bytes.max(4)) - 4;
        let mut elements =
            access.touched().flat_map(|(_, addr)| [addr, addr + last]).map(|addr| element(addr));
        let (name, row, column) = elements.next()??;
        let mut region = Self { name, rows: Range(row, row), columns: Range(column, column) };
        for touched in elements {
            let (name, row, column) = touched?;
            if name != region.name {
                return None;
            }
            region.rows = region.rows.with(row);
            region.columns = region.columns.with(column);
        }
        Some(region)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}][{}]", self.name, self.rows, self.columns)
    }
}

/// From first to last, both included.
#[derive(Clone, Copy)]
struct Range(u32, u32);

impl Range {
    fn with(self, value: u32) -> Self {
        Self(self.0.min(value), self.1.max(value))
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == self.1 { write!(f, "{}", self.0) } else { write!(f, "{}-{}", self.0, self.1) }
    }
}

/// A number and its noun, in the plural where it belongs.
struct Count(usize, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = match (self.0, self.1.ends_with('s')) {
            (1, _) => "",
            (_, true) => "es",
            (_, false) => "s",
        };
        write!(f, "{} {}{plural}", self.0, self.1)
    }
}

/// "All 8 warps are", "The only warp is".
struct All(usize);

impl fmt::Display for All {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 1 {
            f.write_str("The only warp is")
        } else {
            write!(f, "All {} warps are", self.0)
        }
    }
}
