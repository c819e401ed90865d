//! Describes the current step in one plain sentence of at most 77 columns.

mod again;
mod cost;
mod first_words;
mod in_flight;
mod region;
mod source;
mod told;

use super::contracted;
use super::number::{Count, Range, grouped};
use super::place::{ArrayElement, PlaceNames};
use crate::analysis::coalesce;
use crate::kernel::{CatalogueEntry, Problem};
use crate::sim::{Access, AsyncEffect, Direction, Effect, Machine, Step, WarpState};
use crate::trace::{End, OpKind, Replay, Snapshot, Trace, WarpNow, missing};
use cost::cost;
use ptx::{MatrixOp, MemoryOp, Op, Space};
use region::AccessRegion;
use std::collections::BTreeSet;
use std::fmt;

pub use again::{FetchedAgain, again, told_again};
pub use first_words::{Aside, FirstWord, SHARED_MEMORY, first_words};
pub use source::in_source;
pub use told::{BankTalk, LaneMark, ToldEvent, told};

/// The maximum number of columns of a sentence.
pub const WIDTH: usize = 77;

/// The sentence for the current position of `replay`.
pub fn sentence(problem: &Problem, trace: &Trace, replay: &Replay) -> String {
    clip(describe(problem, trace, replay, WIDTH))
}

/// The sentence without a limit on its length.
pub fn whole(problem: &Problem, trace: &Trace, replay: &Replay) -> String {
    describe(problem, trace, replay, usize::MAX)
}

fn describe(problem: &Problem, trace: &Trace, replay: &Replay, width: usize) -> String {
    let place = replay.snapshot();
    let end = trace.end().filter(|_| place.index == trace.len());
    match (&place.step, end) {
        (_, Some(End::Fault(fault))) => format!("The kernel is wrong: {fault}."),
        (_, Some(End::Cut)) => {
            let steps = grouped(place.index as u64);
            format!("The recording stops here, after {steps} steps; the block goes on.")
        }
        (_, Some(End::Waits)) => {
            "The block waits for ever, unless another block changes the global memory that it reads."
                .to_owned()
        }
        (None, _) => start(problem, replay.machine(), width),
        (Some(step), _) => SentenceWriter { problem, machine: replay.machine(), place, step, width }.tell(),
    }
}

/// Cuts the text to the width, with dots in place of the rest.
pub(super) fn clip(text: String) -> String {
    if text.chars().count() <= WIDTH {
        return text;
    }
    let kept: String = text.chars().take(WIDTH - 3).collect();
    kept.trim_end().to_owned() + "..."
}

/// Where the block is and what it computes; without its warps if the sentence gets too long.
fn start(problem: &Problem, machine: &Machine, width: usize) -> String {
    let launch = problem.launch;
    let place = machine.block().place_in(launch.grid);
    let (threads, warps) =
        (Count(launch.threads().into(), "thread"), Count(launch.warps().into(), "warp"));
    if !machine.blocks().is_single() {
        let blocks = machine.blocks().count();
        return in_flight::blocks_start(blocks, &place, launch.warps());
    }
    let Some((rows, columns)) = problem.part(machine.block()) else {
        return format!("Block ({place}) of {}: {threads}, {warps}.", problem.label());
    };
    let each = problem.known.map_or(1, |known| known.variant.elements());
    // At an edge of C, not every thread has so many.
    let size = rows.len() * columns.len();
    let is_whole = problem.tile().is_none_or(|tile| size == (tile.m * tile.n) as usize);
    let each = match each {
        _ if !is_whole => String::new(),
        1 => "one element of ".to_owned(),
        _ => format!("{each} elements of "),
    };
    let end = if is_whole { " each" } else { " in all" };
    let [rows, columns] = [rows, columns].map(|span| inclusive(&span));
    let [long, short] = [format!("{threads}, {warps}"), threads.to_string()]
        .map(|who| format!("Block ({place}): {who}, {each}C[{rows}][{columns}]{end}."));
    if long.chars().count() <= width { long } else { short }
}

/// The first and the last row or column of a part of a matrix.
fn inclusive(span: &std::ops::Range<u32>) -> Range {
    Range(span.start.into(), (span.end.max(1) - 1).into())
}

/// A step and its context.
struct SentenceWriter<'a> {
    problem: &'a Problem,
    machine: &'a Machine,
    place: &'a Snapshot,
    step: &'a Step,
    /// The number of columns available.
    width: usize,
}

impl<'a> SentenceWriter<'a> {
    fn tell(&self) -> String {
        let warp = self.warp();
        let lanes = self.step.active.count();
        match &self.step.effect {
            Effect::Memory(access) if lanes > 0 => self.access(access),
            Effect::Memory(_) => format!("Warp {warp} skips this access: no lane takes part."),
            Effect::HalfFma | Effect::Mma { .. } => {
                let terms = Count(self.step.multiply_adds().into(), "FMA");
                format!("Warp {warp}: {terms} by {}.", self.instruction())
            }
            Effect::Async(AsyncEffect::Wgmma { .. }) => self.starts_product(),
            Effect::Async(AsyncEffect::Copy(copy)) => self.access(&copy[0]),
            Effect::Async(effect) => {
                in_flight::sentence((self.machine, self.step), (&warp, &self.who()), effect)
            }
            Effect::Accesses(parts) if self.is_plain() => self.unmerged(parts),
            Effect::Accesses(accesses) => {
                let accesses = Count(accesses.len() as u64, "access");
                format!("Warp {warp} moves a fragment of a matrix by {accesses}.")
            }
            Effect::Fma => self.multiply(),
            Effect::Contracted { fused: true, .. } => self.contracted(),
            Effect::Barrier { id, waits, threads } => self.barrier(*id, *waits, *threads),
            Effect::Branch { taken } => self.branch(taken.count()),
            Effect::Exit => self.exit(),
            Effect::Compute
                if self.place.warps[usize::from(self.step.warp)].kind == OpKind::Fma =>
            {
                self.multiply()
            }
            Effect::Compute | Effect::Contracted { fused: false, .. } => {
                let together =
                    contracted::lines(self.machine.program(), &self.problem.ptx, self.step.pc);
                let Some(together) = together else {
                    return format!("Warp {warp} computes: {}.", self.instruction());
                };
                format!("Warp {warp} computes a product: {together}.")
            }
        }
    }

    /// The number of the step's warp, and of several blocks the rank of its own.
    fn warp(&self) -> String {
        let warp = self.step.warp;
        let rank = self.machine.blocks().rank_among(warp);
        rank.map_or_else(|| warp.to_string(), |rank| format!("{warp} (rank {rank})"))
    }

    /// The number of the step's warp in its block.
    fn within_block(&self) -> usize {
        self.machine.blocks().within_block(self.step.warp).into()
    }

    /// The warps of the same block.
    fn block_warps(&self) -> &'a [WarpNow] {
        let blocks = self.machine.blocks();
        if blocks.is_single() {
            return &self.place.warps;
        }
        let of = blocks.warps_per_block();
        let first = blocks.rank_of(self.step.warp) as usize * of;
        &self.place.warps[first..first + of]
    }

    /// Whether it is an ordinary load or store, in which each lane accesses its own address.
    fn is_plain(&self) -> bool {
        let op = &self.machine.program().inst(self.step.pc).op;
        matches!(op, Op::Memory(MemoryOp::Ld { .. } | MemoryOp::St { .. }))
    }

    /// Generic addresses in several spaces: the number of lanes for each space.
    fn unmerged(&self, parts: &[Access]) -> String {
        let load = parts.iter().all(|part| part.direction == Direction::Load);
        let (does, way) = if load { ("loads", "from") } else { ("stores", "to") };
        let of = |part: &Access| {
            format!("{} {way} {} memory", Count(part.active.count().into(), "lane"), part.space)
        };
        let parts: Vec<_> = parts.iter().map(of).collect();
        format!("Warp {} {does}: {}.", self.warp(), parts.join(", "))
    }

    /// The start of a wgmma: its warps, its size, and that it loads from shared memory.
    fn starts_product(&self) -> String {
        let Op::Matrix(MatrixOp::Wgmma(product)) = &self.machine.program().inst(self.step.pc).op
        else {
            return format!("Warp {} computes: {}.", self.warp(), self.instruction());
        };
        let (who, s) = (self.who(), self.singular("s"));
        let (n, k) = (product.n, product.k());
        let what = match self.along(k) {
            Some(first) => format!("k {first}-{} of 64 x {n} sums", first + k - 1),
            None => format!("64 x {n} sums of {k} terms"),
        };
        format!("{who} start{s} {what}: tensor cores, from shared memory.")
    }

    /// The start of the warp's wgmma along k, if the kernel is known to work in tiles.
    fn along(&self, k: u32) -> Option<u32> {
        let variant = self.problem.known?.variant;
        let done = self.place.warps[usize::from(self.step.warp)].fma.checked_sub(1)?;
        Some(variant.along(done, k))
    }

    fn barrier(&self, id: u8, waits: bool, threads: Option<u32>) -> String {
        let (warp, released) = (self.warp(), self.step.released.is_some());
        if let (Some(threads), true) = (threads, released) {
            let threads = Count(threads.into(), "thread");
            return format!("Warp {warp} completes barrier {id}: its {threads} go on.");
        }
        if let Some(threads) = threads.filter(|_| waits) {
            let threads = Count(threads.into(), "thread");
            return format!("Warp {warp} waits at barrier {id}, which is for {threads}.");
        }
        if !waits {
            return format!("Warp {warp} arrives at barrier {id} and goes on.");
        }
        let warps = self.block_warps();
        let live = warps.iter().filter(|warp| warp.state != WarpState::Exited).count();
        if released {
            let means = match (self.place.stored, self.problem.catalogue()) {
                (true, Some(_)) => ": the tiles are complete",
                (false, Some(_)) => ": the tiles may be overwritten",
                (true, None) => ": what was stored may be loaded",
                (false, None) => "",
            };
            let rank = self.machine.blocks().rank_among(self.step.warp);
            let of = rank.map_or_else(String::new, |rank| format!(" of rank {rank}"));
            return format!("{} arrived, the barrier{of} opens{means}.", All(live));
        }
        let arrived = warps.iter().filter(|warp| warp.state == WarpState::Waiting).count();
        let first = usize::from(self.step.warp) - self.within_block();
        let missing: Vec<_> = missing(warps).into_iter().map(|warp| first + warp).collect();
        if missing.contains(&usize::from(self.step.warp)) {
            return format!("Some lanes of warp {warp} wait at the barrier, its others go on.");
        }
        let whom = Numbers(&missing);
        let have = if arrived == 1 { "has" } else { "have" };
        format!("Warp {warp} waits at the barrier for {whom}: {arrived} of {live} {have} arrived.")
    }

    fn branch(&self, taken: u32) -> String {
        let warp = self.warp();
        let live = self.place.warps[usize::from(self.step.warp)].live.count();
        match taken {
            0 => format!("Warp {warp} goes on: no lane takes the branch."),
            _ if taken >= live => format!("Warp {warp} takes the branch: all {taken} lanes."),
            // The step does not say which of the other lanes took part in the branch and which wait
            // elsewhere.
            _ => {
                format!(
                    "Warp {warp}: {taken} of {live} lanes take the branch, others go on or wait."
                )
            }
        }
    }

    /// A sum that is one instruction together with its product.
    fn contracted(&self) -> String {
        let (program, ptx) = (self.machine.program(), &self.problem.ptx);
        let together = contracted::lines(program, ptx, self.step.pc).unwrap_or_default();
        let number = self.place.warps[usize::from(self.step.warp)].fma;
        let threads = Count(self.step.active.count().into(), "thread");
        format!("{}: {together}, number {number} in {threads}.", self.who())
    }

    fn multiply(&self) -> String {
        let warp = &self.place.warps[usize::from(self.step.warp)];
        let alike = self.place.alike().filter(|(_, other)| other.fma == warp.fma);
        let threads = alike.map(|(_, warp)| u64::from(warp.live.count())).sum();
        let who = self.who();
        let Some(CatalogueEntry { variant, is_changed, .. }) = self.problem.known else {
            let one = !self.singular("s").is_empty();
            let threads = if one { self.step.active.count().into() } else { threads };
            let what = if self.step.effect == Effect::Fma { "FMA" } else { "MAD" };
            return format!("{who}: {what} number {} in {}.", warp.fma, Count(threads, "thread"));
        };
        let done = warp.fma.saturating_sub(1);
        // Which elements a changed source multiplies is not known.
        if variant.elements() > 1 || is_changed {
            let (tile, each) = (done / variant.fma_per_thread() + 1, variant.fma_per_thread());
            let number = grouped((done % each + 1).into());
            let each = grouped(each.into());
            let threads = Count(threads, "thread");
            let of = self.problem.k_tiles().map_or(String::new(), |tiles| format!(" of {tiles}"));
            return format!("{who}: FMA {number} of {each} in {threads}, tile {tile}{of}.");
        }
        let k = done;
        format!("{who}: acc += A[row][{k}] * B[{k}][col] in {}.", Count(threads, "thread"))
    }

    /// Some or all lanes exit.
    fn exit(&self) -> String {
        let warp = self.warp();
        let left = self.place.warps[usize::from(self.step.warp)].live.count();
        if left > 0 {
            let left = Count(left.into(), "lane");
            return format!("Lanes of warp {warp} are done: {left} left.");
        }
        if self.place.warps.iter().all(|warp| warp.state == WarpState::Exited) {
            return self.block_done();
        }
        let one = !self.singular("s").is_empty();
        let (are, their) = if one { ("is", "its") } else { ("are", "their") };
        let part = if self.problem.catalogue().is_some() {
            format!(": {their} part of C is stored")
        } else {
            String::new()
        };
        format!("{} {are} done{part}.", self.who())
    }

    /// The end of the run.
    fn block_done(&self) -> String {
        // Whether a changed source stores all of its part is not known.
        let part = self.problem.catalogue().and(self.problem.part(self.machine.block()));
        match part {
            Some((rows, columns)) => {
                let [rows, columns] = [rows, columns].map(|span| inclusive(&span));
                format!("The block is done: C[{rows}][{columns}] is stored.")
            }
            None if !self.machine.blocks().is_single() => in_flight::BLOCKS_DONE.to_owned(),
            None => "The block is done.".to_owned(),
        }
    }

    fn access(&self, access: &Access) -> String {
        let verb = match access.direction {
            Direction::Load => "load",
            Direction::Store => "store",
            Direction::Atomic => "update",
        };
        if matches!(access.space, Space::Local | Space::Const) {
            let (warp, space, instruction) = (self.warp(), access.space, self.instruction());
            return format!("Warp {warp} {verb}s {space} memory: {instruction}.");
        }
        let accesses: Vec<_> = self.place.accesses().collect();
        let step = self.element_bytes(&accesses);
        let touched = accesses.iter().flat_map(|access| words(access, step));
        let what = AccessRegion::of(touched.map(|addr| self.element(access, addr)));
        let what =
            what.map_or_else(|| access.space.name().to_owned() + " memory", |r| r.to_string());
        let verb = verb.to_owned() + self.singular("s");
        // It goes to shared memory without a register: the lane does not wait for it.
        let how = if self.machine.program().inst(self.step.pc).op.is_async_copy() {
            " by cp.async"
        } else {
            ""
        };
        let what = format!("{what}{how}{}", self.of_rank(access));
        let who = self.who();
        match access.space {
            Space::Shared if access.route.is_distributed() => {
                let [_, far] = access.near_and_far();
                let sectors = Count(coalesce::sectors(&far).sectors.into(), "sector");
                let short = format!("{who} {verb} {what}: distributed shared memory");
                let long = format!("{short}, {sectors}.");
                if long.chars().count() <= self.width { long } else { short + "." }
            }
            Space::Global | Space::Shared => {
                let said = cost(&accesses).map(|cost| format!("{who} {verb} {what}: {cost}."));
                let [long, short] = said;
                if long.chars().count() <= self.width { long } else { short }
            }
            Space::Distributed | Space::Local | Space::Const | Space::Param | Space::Generic => {
                format!("{who} {verb} {what}.")
            }
        }
    }

    /// Of several blocks, whose shared memory an access reaches: ` of rank 1`, ` of 4 ranks`.
    fn of_rank(&self, access: &Access) -> String {
        let blocks = self.machine.blocks();
        if blocks.is_single() || access.space != Space::Shared {
            return String::new();
        }
        let ranks: BTreeSet<_> =
            access.touched().map(|(_, addr)| blocks.of_shared(addr).0).collect();
        match ranks.first().filter(|_| ranks.len() == 1) {
            Some(rank) => format!(" of rank {rank}"),
            None => format!(" of {} ranks", ranks.len()),
        }
    }

    /// "Warp 3", "Warps 0-7", or "8 warps" if their numbers are not consecutive.
    fn who(&self) -> String {
        let numbers: Vec<_> = self.place.together().map(|(number, _)| number).collect();
        match numbers[..] {
            [] | [_] => format!("Warp {}", self.warp()),
            [first, .., last] if last - first + 1 == numbers.len() => {
                format!("Warps {first}-{last}")
            }
            [..] => format!("{} warps", numbers.len()),
        }
    }

    /// `ending` of a verb if its subject is one warp.
    fn singular(&self, ending: &'static str) -> &'static str {
        if self.place.together().count() <= 1 { ending } else { "" }
    }

    /// Bytes per element of the accessed matrix or shared array, or of a word otherwise.
    fn element_bytes(&self, accesses: &[&Access]) -> u32 {
        let places = PlaceNames { problem: self.problem, program: self.machine.program() };
        let first = accesses.iter().find_map(|access| {
            let (_, addr) = access.touched().next()?;
            match access.space {
                Space::Global => {
                    let (operand, ..) = self.problem.element(self.machine.memory(), addr)?;
                    Some(self.problem.element_type(operand).bytes().into())
                }
                Space::Shared => Some(places.element_bytes(addr)),
                _ => None,
            }
        });
        first.unwrap_or(4)
    }

    /// The element of a matrix or of a shared array at an address.
    fn element(&self, access: &Access, addr: u64) -> Option<ArrayElement<'a>> {
        let places = PlaceNames { problem: self.problem, program: self.machine.program() };
        if access.space == Space::Shared {
            places.in_shared(addr)
        } else {
            places.in_global(self.machine.memory(), addr)
        }
    }

    /// The PTX of the instruction, with single spaces.
    fn instruction(&self) -> String {
        let text = self.machine.program().inst(self.step.pc).span.of(&self.problem.ptx);
        let words: Vec<_> = text.trim_end_matches(';').split_whitespace().collect();
        words.join(" ")
    }
}

/// The address of every element of `element` bytes that an access touches.
fn words(access: &Access, element: u32) -> impl Iterator<Item = u64> {
    let bytes = u64::from(access.bytes);
    access.touched().flat_map(move |(_, addr)| (addr..addr + bytes).step_by(element as usize))
}

/// "warp 7", "warps 5-7", "warps 1, 3", or their number.
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

/// "All 8 warps have", "Both warps have", "The only warp has".
struct All(usize);

impl fmt::Display for All {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("The only warp has"),
            2 => f.write_str("Both warps have"),
            warps => write!(f, "All {warps} warps have"),
        }
    }
}
