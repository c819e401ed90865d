//! What happens now, in one plain sentence of at most 77 columns.

use crate::analysis::{banks, coalesce};
use crate::kernel::Problem;
use crate::ptx::Space;
use crate::sim::{Access, Direction, Effect, Machine, Step, WarpState};
use crate::trace::{Place, Replay, Trace, missing};
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
    let (rows, columns) = (span(block.y, problem.size.m), span(block.x, problem.size.n));
    let (threads, warps) = (launch.threads() as usize, launch.warps() as usize);
    let (threads, warps) = (Count(threads, "thread"), Count(warps, "warp"));
    format!(
        "Block ({},{}): {threads}, {warps}, one element of C[{rows}][{columns}] each.",
        block.x, block.y
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
            Effect::Fma => self.multiply(),
            Effect::Barrier { .. } => self.barrier(self.step.released.is_some()),
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
        let missing = missing(&self.place.warps);
        let whom = Numbers(&missing);
        format!("Warp {warp} waits at the barrier for {whom}: {arrived} of {live} have arrived.")
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

    fn multiply(&self) -> String {
        let warp = &self.place.warps[usize::from(self.step.warp)];
        let alike = self.place.alike().filter(|(_, other)| other.fma == warp.fma);
        let threads = alike.map(|(_, warp)| warp.live.count() as usize).sum();
        let (k, who) = (warp.fma.saturating_sub(1), self.who());
        format!("{who}: acc += A[row][{k}] * B[{k}][col] in {}.", Count(threads, "thread"))
    }

    fn access(&self, access: &Access) -> String {
        let verb = match access.direction {
            Direction::Load if access.space == Space::Shared => "read",
            Direction::Load => "load",
            Direction::Store => "store",
        };
        if matches!(access.space, Space::Local | Space::Const) {
            let (warp, space, instruction) = (self.step.warp, access.space, self.instruction());
            return format!("Warp {warp} {verb}s {space} memory: {instruction}.");
        }
        let accesses: Vec<_> = self.place.accesses().collect();
        let what = Region::of(&accesses, |addr| self.element(access, addr));
        let what = what.map_or_else(|| "memory".to_owned(), |region| region.to_string());
        format!("{} {verb}{} {what}: {}.", self.who(), self.singular("s"), cost(&accesses))
    }

    /// "Warp 3", "Warps 0-7", or "8 warps" where they are not neighbours.
    fn who(&self) -> String {
        let numbers: Vec<_> = self.place.alike().map(|(number, _)| number).collect();
        match numbers[..] {
            [] | [_] => format!("Warp {}", self.step.warp),
            [first, .., last] if last - first + 1 == numbers.len() => {
                format!("Warps {first}-{last}")
            }
            [..] => format!("{} warps", numbers.len()),
        }
    }

    /// `ending` of a verb whose subject is one warp.
    fn singular(&self, ending: &'static str) -> &'static str {
        if self.place.alike().count() <= 1 { ending } else { "" }
    }

    /// The element of a matrix or of a shared array at an address.
    fn element(&self, access: &Access, addr: u64) -> Option<(String, u32, u32)> {
        if access.space == Space::Shared {
            let (name, row, column) = self.problem.shared_element(self.machine.program(), addr)?;
            return Some((name.to_owned(), row, column));
        }
        let (operand, row, column) = self.problem.element(self.machine.memory(), addr)?;
        Some((operand.name().to_owned(), row, column))
    }

    /// The PTX of the instruction, blanks folded.
    fn instruction(&self) -> String {
        let text = self.machine.program().inst(self.step.pc).span.of(&self.problem.ptx);
        let words: Vec<_> = text.trim_end_matches(';').split_whitespace().collect();
        words.join(" ")
    }
}

/// What accesses by one instruction cost together, in a few words.
fn cost(accesses: &[&Access]) -> String {
    if accesses.first().is_some_and(|access| access.space == Space::Shared) {
        let costs = accesses.iter().map(|access| banks::wavefronts(access));
        let (passes, ways) = costs.fold((0, 0), |(passes, ways), cost| {
            (passes + cost.wavefronts, if cost.conflicts > 0 { ways.max(cost.ways) } else { ways })
        });
        let passes = Count(passes as usize, "pass");
        return match ways {
            0 => format!("{passes}, no bank conflict"),
            _ => format!("{passes}, a {ways}-way bank conflict"),
        };
    }
    let costs = accesses.iter().map(|access| coalesce::sectors(access));
    let (sectors, distinct) = costs.fold((0, 0), |(sectors, distinct), cost| {
        (sectors + cost.sectors, distinct + cost.distinct)
    });
    let percent = 100 * distinct / (coalesce::SECTOR as u32 * sectors).max(1);
    format!("{}, {percent} % of their bytes used", Count(sectors as usize, "sector"))
}

/// The rows and columns of one array that an access touches.
struct Region {
    name: String,
    rows: Range,
    columns: Range,
}

impl Region {
    /// The box around all elements touched, if they are all of one array.
    fn of(
        accesses: &[&Access],
        element: impl Fn(u64) -> Option<(String, u32, u32)>,
    ) -> Option<Self> {
        let ends = |access: &Access, addr| [addr, addr + u64::from(access.bytes.max(4)) - 4];
        let all = |access: &&Access| {
            let touched = access.touched().flat_map(|(_, addr)| ends(access, addr));
            touched.collect::<Vec<_>>()
        };
        let mut elements = accesses.iter().flat_map(all).map(element);
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

/// "warp 7", "warps 5-7", "warps 1, 3", or how many they are.
struct Numbers<'a>(&'a [usize]);

impl fmt::Display for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self.0 {
            [only] => write!(f, "warp {only}"),
            [first, .., last] if last - first + 1 == self.0.len() => {
                write!(f, "warps {first}-{last}")
            }
            [first, last] => write!(f, "warps {first}, {last}"),
            _ => write!(f, "{} warps", self.0.len()),
        }
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
