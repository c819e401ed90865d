//! What a stage says of an event: plain sentences, one after the other, for somebody who sees it for
//! the first time.

use super::{Aside, FetchedAgain, SentenceWriter};
use crate::analysis::{banks, coalesce};
use crate::kernel::Problem;
use crate::report::bricks::{by_columns, with_other_rows};
use crate::report::number::{Count, grouped, percent};
use crate::report::place::ArrayElement;
use crate::report::pointed::thread_names;
use crate::sim::{Access, AsyncEffect, Direction, Effect, WarpState};
use crate::study::stage::{Cross, DoorSide, LowerRoom, StageLayout, StageScene};
use crate::trace::{OpKind, Replay, StepRecord, Trace};
use ptx::{MatrixOp, Op, Space};
use std::collections::BTreeSet;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldEvent {
    /// In the order in which they are said.
    pub sentences: Vec<String>,
    /// How many warps come to a door while the first is said: the last of them opens it.
    pub arrivals: usize,
    /// Whether the next event goes on with the last of them.
    pub goes_on: bool,
    /// What stands beside sentences, by their numbers.
    pub asides: Vec<(usize, Aside)>,
    /// The lanes that sentences name, by the numbers of the sentences.
    pub marks: Vec<(usize, LaneMark)>,
    /// The first of the sentences that speak of banks, in the order of [`BankTalk`].
    pub banks: Option<usize>,
    /// Whether and how often sectors are fetched again.
    pub fetches: FetchedAgain,
}

/// What a sentence says of the banks that words are stored in, while bricks show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BankTalk {
    AsStored,
    /// The same words column by column.
    ByColumns,
    /// The same with a word more in each row.
    Padded,
}

/// A lane that a sentence names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMark {
    pub lane: usize,
    /// The row and the column of its word in the tile of the matrix.
    pub word: Option<(u32, u32)>,
    /// The row and the column of the shared array into which it is stored.
    pub stored: Option<(u32, u32)>,
}

impl ToldEvent {
    /// The sentence of a picture that stands still.
    pub fn still(&self) -> Option<&str> {
        self.sentences.get(usize::from(self.arrivals > 0)).map(String::as_str)
    }

    /// What stands beside this sentence of it.
    pub fn aside(&self, sentence: &str) -> Option<&Aside> {
        let number = self.number(sentence)?;
        self.asides.iter().find(|(of, _)| *of == number).map(|(_, aside)| aside)
    }

    /// The lane that this sentence names.
    pub fn mark(&self, sentence: &str) -> Option<LaneMark> {
        let number = self.number(sentence)?;
        self.marks.iter().find(|(of, _)| *of == number).map(|(_, mark)| *mark)
    }

    /// What the sentence with this number says of banks.
    pub fn talk(&self, number: usize) -> Option<BankTalk> {
        let talks = [BankTalk::AsStored, BankTalk::ByColumns, BankTalk::Padded];
        talks.get(number.checked_sub(self.banks?)?).copied()
    }

    fn number(&self, sentence: &str) -> Option<usize> {
        self.sentences.iter().position(|said| said == sentence)
    }

    fn one(sentence: String) -> Self {
        Self { sentences: vec![sentence], ..Self::default() }
    }
}

/// What is special where nothing is shared.
const ALONE: &str = "No shared memory: every product loads from global memory.";

/// How far to look back for what a warp did before.
const BACK: usize = 1 << 12;

/// The sentences for the event that led to the position shown, where `from` is the position before it.
pub fn told(
    (problem, trace, replay): (&Problem, &Trace, &Replay),
    scene: &StageScene,
    from: usize,
) -> ToldEvent {
    let place = replay.snapshot();
    let usual = || super::sentence(problem, trace, replay);
    let one = ToldEvent::one;
    if trace.end().is_some() && place.index == trace.len() {
        return one(usual());
    }
    let Some(step) = &place.step else {
        if scene.layout == StageLayout::CrossAlone {
            return one(ALONE.to_owned());
        }
        return one(start(problem, replay).unwrap_or_else(usual));
    };
    let writer =
        SentenceWriter { problem, machine: replay.machine(), place, step, width: usize::MAX };
    let storyteller = Storyteller { writer, scene, before: &trace.records()[..from], event: from };
    let told = storyteller.tell(trace).unwrap_or_else(|| one(usual()));
    ToldEvent { fetches: FetchedAgain::of(scene), ..told }
}

/// "256 threads compute 16 x 16 elements of C."
fn start(problem: &Problem, replay: &Replay) -> Option<String> {
    let (rows, columns) = problem.part(replay.machine().block())?;
    let (threads, size) = (problem.launch.threads(), rows.len() * columns.len());
    let each = size / threads.max(1) as usize;
    let each = match each {
        1 => String::new(),
        _ if each * threads as usize != size => String::new(),
        _ => format!(", {each} each"),
    };
    let (rows, columns) = (rows.len(), columns.len());
    let threads = grouped(threads.into());
    Some(format!("{threads} threads compute {rows} x {columns} elements of C{each}."))
}

struct Storyteller<'a> {
    writer: SentenceWriter<'a>,
    scene: &'a StageScene,
    /// The steps before the event.
    before: &'a [StepRecord],
    event: usize,
}

impl Storyteller<'_> {
    fn tell(&self, trace: &Trace) -> Option<ToldEvent> {
        let step = self.writer.step;
        match &step.effect {
            Effect::Memory(access) if step.active.count() > 0 => self.access(access),
            Effect::Async(AsyncEffect::Copy(copy)) if step.active.count() > 0 => {
                self.loads(&copy[0])
            }
            Effect::Barrier { waits: true, threads: None, .. } => Some(self.door(trace)),
            Effect::Fma | Effect::Contracted { .. } => self.product(),
            Effect::Mma { .. } => Some(ToldEvent::one(self.pieces()?)),
            Effect::Compute if OpKind::of(step) == OpKind::Fma => self.product(),
            _ => None,
        }
    }

    fn access(&self, access: &Access) -> Option<ToldEvent> {
        match (access.space, access.direction) {
            (Space::Global, Direction::Load) => self.loads(access),
            (Space::Global, Direction::Store) => Some(ToldEvent::one(self.result()?)),
            (Space::Shared, Direction::Store) => Some(self.stores(access)),
            (Space::Shared, Direction::Load) => {
                Some(ToldEvent { goes_on: true, ..self.product()? })
            }
            _ => None,
        }
    }

    /// Whether the warp did something of that kind before, since the last barrier.
    fn did(&self, kind: OpKind) -> bool {
        let own = |mark: &&StepRecord| mark.warp == self.writer.step.warp;
        let recent = self.before.iter().rev().take(BACK).take_while(|mark| !mark.released);
        recent.filter(own).any(|mark| mark.kind == kind)
    }

    /// Whether the event before was one of this warp and of that kind.
    fn has_just(&self, kind: OpKind) -> bool {
        let events = self.before.iter().rev().take(BACK).filter(|mark| mark.kind.is_event());
        let last = events.map(|mark| (mark.kind, mark.warp)).next();
        last == Some((kind, self.writer.step.warp))
    }

    fn accesses(&self) -> Vec<&Access> {
        self.writer.place.accesses().collect()
    }

    /// The array that an access touches.
    fn array(&self, access: &Access) -> Option<String> {
        let (_, addr) = access.touched().next()?;
        Some(self.writer.element(access, addr)?.place().0.to_owned())
    }

    /// "32 words", and whether each lane has its own.
    fn words(&self, accesses: &[&Access]) -> (Count<'static>, bool) {
        let element = self.writer.element_bytes(accesses);
        let touched = accesses.iter().flat_map(|access| super::words(access, element));
        let words = touched.collect::<BTreeSet<_>>().len() as u64;
        let bytes = |access: &&Access| u64::from(access.active.count()) * u64::from(access.bytes);
        let asked = accesses.iter().map(bytes).sum::<u64>() / u64::from(element.max(1));
        (Count(words, if element == 4 { "word" } else { "number" }), words == asked)
    }

    fn loads(&self, access: &Access) -> Option<ToldEvent> {
        let accesses = self.accesses();
        let array = self.array(access)?;
        let costs: Vec<_> = accesses.iter().map(|access| coalesce::sectors(access)).collect();
        let wasted = costs.iter().any(|cost| cost.wasted() > 0);
        if !wasted && accesses.len() == 1 && self.did(OpKind::GlobalLoad) {
            let same = ToldEvent::one(format!("The same for {array}."));
            return Some(ToldEvent { goes_on: true, ..same });
        }
        let (of_one, own) = self.words(&accesses[..1]);
        let element = self.writer.element_bytes(&accesses).max(1);
        let (of_all, _) = self.words(&accesses);
        let (lanes, warps) = (Count(access.active.count().into(), "thread"), accesses.len());
        let copies = matches!(self.writer.step.effect, Effect::Async(_));
        let warp = self.writer.warp();
        let who = match warps {
            1 if copies => format!("Warp {warp} starts a copy of its {of_one} of {array}"),
            1 if own => format!("Warp {warp} loads {of_one} of {array}"),
            1 => format!("Warp {warp} loads {of_one} of {array} for its {lanes}"),
            _ if of_all.0 == of_one.0 => {
                format!("All {warps} warps load the same {of_one} of {array}")
            }
            _ if own => format!("Each of the {warps} warps loads its {of_one} of {array}"),
            _ => format!("Each of the {warps} warps loads {of_one} of {array} for its {lanes}"),
        };
        let sectors = Count(costs.first()?.sectors.into(), "sector");
        let fetched = coalesce::SECTOR as u32 * costs.iter().map(|cost| cost.sectors).sum::<u32>();
        let distinct = costs.iter().map(|cost| cost.distinct).sum::<u32>();
        let came = match (warps, costs.iter().all(|cost| cost.sectors == costs[0].sectors)) {
            (1, _) => format!("It fetches {sectors}"),
            (_, true) => format!("Each fetches {sectors}"),
            _ => "Sectors of 8 words are fetched".to_owned(),
        };
        let used = match percent(distinct, fetched) {
            100.0 => "all used".to_owned(),
            part => format!("{part} % of their bytes used"),
        };
        let extra = (costs[0].fetched() - costs[0].distinct) / element;
        if wasted && warps > 1 && costs.iter().all(|cost| *cost == costs[0]) {
            let words = Count(u64::from(costs[0].distinct / element), "word");
            let own =
                self.part_of_first(&accesses).map_or_else(String::new, |own| format!(" ({own})"));
            return Some(ToldEvent::one(format!(
                "Each request for {words} of {array}{own} brings {extra} more, unused now."
            )));
        }
        let cost = if copies {
            "It goes on at once: nobody knows yet when they arrive.".to_owned()
        } else {
            format!("{came}, {used}.")
        };
        let one = self.one_thread(access).filter(|_| own && warps == 1 && !copies);
        let mut told = ToldEvent::one(format!("{who}."));
        if let Some((said, mark, aside)) = one {
            told.sentences.push(said);
            (told.marks, told.asides) = (vec![(1, mark)], vec![(1, aside)]);
        }
        told.sentences.push(cost);
        Some(told)
    }

    /// "warp 0: columns 0 to 3", of those that all warps load, if they load different ones.
    fn part_of_first(&self, accesses: &[&Access]) -> Option<String> {
        let memory = self.writer.machine.memory();
        let places = |access: &Access| -> Option<BTreeSet<(u32, u32)>> {
            let place = |addr| self.writer.problem.element(memory, addr);
            access
                .touched()
                .map(|(_, addr)| place(addr).map(|(_, row, column)| (row, column)))
                .collect()
        };
        let all: Vec<_> = accesses.iter().map(|access| places(access)).collect::<Option<_>>()?;
        let own = all.first().filter(|first| all.iter().any(|other| other != *first))?;
        let span = |of: fn(&(u32, u32)) -> u32| {
            let first = all.iter().flatten().map(of).min()?;
            let (low, high) = (own.iter().map(of).min()?, own.iter().map(of).max()?);
            Some((low - first, high - first))
        };
        let (rows, columns) = (span(|at| at.0)?, span(|at| at.1)?);
        let said = |name: &str, (low, high): (u32, u32)| match high - low {
            1 => format!("{name} {low} and {high}"),
            _ => format!("{name} {low} to {high}"),
        };
        let part = match (rows.0 < rows.1, columns.0 < columns.1) {
            (true, false) => said("rows", rows),
            (false, true) => said("columns", columns),
            _ => return None,
        };
        Some(format!("warp {}: {part}", self.writer.place.together().next()?.0))
    }

    /// The lane that stands for all of its warp: one whose thread has different numbers in x and y.
    fn example(&self) -> usize {
        let across = self.writer.problem.launch.block.x as usize;
        if (3..30).contains(&across) { across + 2 } else { 5 }
    }

    /// "Lane 18 loads row 1, column 2.", counted from the first that its warp loads; and which thread it is.
    fn one_thread(&self, access: &Access) -> Option<(String, LaneMark, Aside)> {
        let lane = self.example();
        if self.writer.step.warp > 0 || !access.active.has(lane) || access.bytes > 4 {
            return None;
        }
        let word = self.in_tile(access.touched(), lane)?;
        let sides = self.writer.problem.launch.block;
        let across = sides.x.max(1) as usize;
        let thread = match sides.y {
            0 | 1 => "its number".to_owned(),
            _ => {
                let line = self.writer.machine.program().inst(self.writer.step.pc).line;
                let names = line.and_then(|line| thread_names(self.writer.problem, line));
                let [x, y] = names.unwrap_or(["x", "y"]);
                format!("{across} {y} + {x}")
            }
        };
        let (row, column) = word;
        let said = format!("Lane {lane} loads row {row}, column {column}.");
        let aside = Aside { label: "lane".to_owned(), text: format!("{thread} in its warp") };
        Some((said, LaneMark { lane, word: Some(word), stored: None }, aside))
    }

    /// The row and the column of a lane's word of global memory, counted from the first of its warp.
    fn in_tile(
        &self,
        words: impl Iterator<Item = (usize, u64)>,
        lane: usize,
    ) -> Option<(u32, u32)> {
        let memory = self.writer.machine.memory();
        let place =
            |addr| self.writer.problem.element(memory, addr).map(|(_, row, column)| (row, column));
        let all: Vec<_> = words.filter_map(|(of, addr)| Some((of, place(addr)?))).collect();
        let first = |along: fn(&(u32, u32)) -> u32| all.iter().map(|(_, at)| along(at)).min();
        let (row, column) = all.iter().find(|(of, _)| *of == lane)?.1;
        Some((row - first(|at| at.0)?, column - first(|at| at.1)?))
    }

    /// A product of pieces by a tensor core.
    fn pieces(&self) -> Option<String> {
        let step = self.writer.step;
        let Op::Matrix(MatrixOp::Mma(parts)) = &self.writer.machine.program().inst(step.pc).op
        else {
            return None;
        };
        let pieces = match &parts[..] {
            [mma] => {
                let [m, n, k] = mma.shape;
                format!("a {m} x {k} piece by a {k} x {n} piece")
            }
            _ => "two pieces".to_owned(),
        };
        let (warp, products) = (self.writer.warp(), grouped(step.multiply_adds().into()));
        Some(format!("Warp {warp} multiplies {pieces}: {products} products in one instruction."))
    }

    fn stores(&self, access: &Access) -> ToldEvent {
        let accesses = self.accesses();
        let cost = banks::wavefronts(access);
        let origin = self.writer.place.origins.first().copied();
        let from = origin.and_then(|addr| {
            let names = crate::report::place::PlaceNames {
                problem: self.writer.problem,
                program: self.writer.machine.program(),
            };
            Some(names.in_global(self.writer.machine.memory(), addr)?.place().0.to_owned())
        });
        if let Some(from) = from
            .filter(|_| cost.conflicts == 0 && accesses.len() == 1 && self.did(OpKind::SharedStore))
        {
            return ToldEvent::one(format!("The same for {from}."));
        }
        let warp = self.writer.warp();
        let who = match accesses.len() {
            1 if self.has_just(OpKind::GlobalLoad) => "Now".to_owned(),
            1 => format!("Warp {warp} stores its words"),
            warps => format!("The {warps} warps store their words"),
        };
        let passes = self.passes(access);
        let mark = self.one_place(access).filter(|_| accesses.len() == 1 && warp == "0");
        let marks = mark.into_iter().map(|mark| (0, mark)).collect();
        let stores = format!("{who} into shared memory.");
        let mut told = ToldEvent { sentences: vec![stores, passes], marks, ..ToldEvent::default() };
        if cost.conflicts == 0 && accesses.len() == 1 && self.is_first(OpKind::SharedStore) {
            self.tell_columns(access, &mut told);
        }
        told
    }

    /// What a store to shared memory costs at the banks.
    fn passes(&self, access: &Access) -> String {
        let run = (self.writer.problem, &**self.writer.machine.program());
        let cost = banks::wavefronts(access);
        let passes = Count(cost.wavefronts.into(), "pass");
        if let Some((array, _, without)) =
            with_other_rows(run, access).filter(|(_, more, _)| *more < 0)
        {
            let without = banks::wavefronts(&without).wavefronts;
            return format!("{passes} instead of {without}: rows of {array} have a word more.");
        }
        match (cost.wavefronts, cost.conflicts) {
            (1, _) if access.active.count() == 32 && access.bytes == 4 => "One pass.".to_owned(),
            (1, _) => "One pass: no bank is asked for two words.".to_owned(),
            (_, 0) => {
                let words = access.bytes / 4;
                format!("{passes}: with {words} words a lane, a part of the warp goes at a time.")
            }
            _ => format!("{passes}: before one bank stand up to {} lanes.", cost.ways),
        }
    }

    /// Where the lane that stands for its warp stores its word.
    fn one_place(&self, access: &Access) -> Option<LaneMark> {
        let lane = self.example();
        let stored = access.active.has(lane) && access.bytes == 4;
        let element = self.writer.element(access, access.addrs[lane]).filter(|_| stored)?;
        let ArrayElement::Cell(_, row, column) = element else { return None };
        let shared = &self.writer.place.shared;
        let origin = |addr: u64| shared.get(usize::try_from(addr / 4).ok()?)?.origin();
        let words = access.touched().filter_map(|(lane, addr)| Some((lane, origin(addr)?)));
        Some(LaneMark { lane, word: self.in_tile(words, lane), stored: Some((row, column)) })
    }

    /// Whether no warp has done that before.
    fn is_first(&self, kind: OpKind) -> bool {
        !self.before.iter().rev().take(BACK).any(|mark| mark.kind == kind)
    }

    /// Adds what it would cost to store the same words column by column, and with a longer row.
    fn tell_columns(&self, access: &Access, told: &mut ToldEvent) {
        let (problem, program) = (self.writer.problem, self.writer.machine.program());
        let [is, padded] = [0, 1].map(|more| by_columns((problem, program), access, more));
        let (Some((_, is)), Some((_, padded))) = (is, padded) else { return };
        let [is, padded] = [is, padded].map(|access| banks::wavefronts(&access));
        if is.conflicts == 0 || padded.wavefronts >= is.wavefronts {
            return;
        }
        let (number, passes, ways) = (told.sentences.len(), is.wavefronts, is.ways);
        told.sentences
            .push(format!("By columns {ways} lanes would share a bank: {passes} passes."));
        let padded = Count(padded.wavefronts.into(), "pass");
        told.sentences.push(format!("With a word more a row: {padded}."));
        let text = "rows begin at other banks".to_owned();
        told.asides.push((number + 1, Aside { label: "padding".to_owned(), text }));
        told.banks = Some(number - 1);
    }

    /// The part of C that is stored.
    fn result(&self) -> Option<String> {
        let first =
            !self.before.iter().rev().take(BACK).any(|mark| mark.kind == OpKind::GlobalStore);
        let known = self.writer.problem.known.filter(|_| first)?;
        let one = known.variant.elements() == 1;
        let sum = if one { "each thread stores its sum" } else { "the threads store their sums" };
        Some(format!("C is complete: {sum}."))
    }

    /// "Column 5 of sA times row 5 of sB: each thread adds one product."
    fn product(&self) -> Option<ToldEvent> {
        let LowerRoom::Cross(cross) = &self.scene.below else { return None };
        // Where nothing is shared, the window moves along.
        let fma = self.writer.place.warps[usize::from(self.writer.step.warp)].fma;
        let alone = self.scene.layout == StageLayout::CrossAlone;
        let k = if alone { fma.saturating_sub(1) } else { cross.k? };
        let (rows, columns) = cross.sums_each;
        let sums = rows * columns;
        let adds = match sums {
            1 => "one product each".to_owned(),
            _ => format!("each thread adds one product to one of its {sums} sums"),
        };
        let told = ToldEvent::one(format!("Column {k} times row {k}: {adds}."));
        if !self.is_first(OpKind::Fma) {
            return Some(told);
        }
        if sums == 1 {
            let why = self.why_no_conflict(cross).into_iter().map(|why| (0, why)).collect();
            return Some(ToldEvent { asides: why, ..told });
        }
        // What several sums a thread are for.
        let (label, alone) = ("registers".to_owned(), 2 * sums);
        let text = format!(
            "they keep what {sums} products share: {} loads, where {sums} threads with a sum each take {alone}",
            rows + columns
        );
        Some(ToldEvent { asides: vec![(0, Aside { label, text })], ..told })
    }

    /// Why a column of the left tile, which several lanes read, costs no conflict.
    fn why_no_conflict(&self, cross: &Cross) -> Option<Aside> {
        let title = &cross.left.title;
        let array = title.split('[').next().unwrap_or(title);
        let Effect::Memory(access) = &self.writer.step.effect else { return None };
        let is_it = access.space == Space::Shared && self.array(access).as_deref() == Some(array);
        let words = access.touched().map(|(_, addr)| addr).collect::<BTreeSet<_>>().len() as u32;
        let lanes = access.active.count();
        let shares = (2..lanes).contains(&words) && lanes.is_multiple_of(words);
        (is_it && shares && banks::wavefronts(access).conflicts == 0).then(|| Aside {
            label: "no conflict".to_owned(),
            text: format!("{words} words for {lanes} lanes"),
        })
    }

    fn door(&self, trace: &Trace) -> ToldEvent {
        let released = self.writer.step.released.is_some();
        let side = self.scene.doors.first().map_or(DoorSide::Down, |door| door.side);
        let warp = self.writer.warp();
        if let Some(door) = self.scene.doors.iter().find(|door| door.group == Some(true)) {
            let name = &door.name;
            return ToldEvent::one(if released {
                format!("All that wait at {name} are here, and go on.")
            } else {
                format!("Warp {warp} comes to {name}.")
            });
        }
        if !released {
            return ToldEvent::one(match side {
                DoorSide::Down => format!("Warp {warp} waits."),
                DoorSide::Up => format!("Warp {warp} has come up, and waits for the others."),
                DoorSide::Both => format!("Warp {warp} waits at the barrier for the others."),
            });
        }
        let warps = self.writer.block_warps();
        let live = warps.iter().filter(|warp| warp.state != WarpState::Exited).count();
        let event = &trace.records()[self.event..self.writer.place.index];
        let arrivals = event.iter().filter(|mark| mark.kind == OpKind::Barrier).count();
        let come = match (side, arrivals) {
            (_, 0 | 1) if live > 1 => format!("Warp {warp} comes last."),
            (DoorSide::Up, _) => "The warps come up and wait.".to_owned(),
            (DoorSide::Down | DoorSide::Both, _) => {
                "The warps come to the barrier, one after the other.".to_owned()
            }
        };
        let here = match live {
            1 => format!("Warp {warp} is here"),
            _ => format!("All {live} are here"),
        };
        let opens = match side {
            DoorSide::Down => format!("{here}: the tile is complete."),
            DoorSide::Up => "Now nobody needs these words.".to_owned(),
            DoorSide::Both => format!("{here}: the tiles change rooms."),
        };
        let without = match side {
            DoorSide::Down => "reads words not stored yet",
            DoorSide::Up => "loses what a slow warp still needs",
            DoorSide::Both => "a warp would use words that are not there yet, or are still needed",
        };
        // Where one warp is the block, nobody is waited for.
        let sentences: Vec<_> = (live > 1).then_some(come).into_iter().chain([opens]).collect();
        let arrivals = if live > 1 { arrivals.max(1) } else { 0 };
        let aside = Aside { label: "without it".to_owned(), text: without.to_owned() };
        let asides = vec![(sentences.len() - 1, aside)];
        ToldEvent { sentences, arrivals, asides, ..ToldEvent::default() }
    }
}
