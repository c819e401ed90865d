//! The episodes of a run: what happens for the first time, and what repeats it.

use super::cursor::{StepSize, is_stop};
use super::{OpKind, StepRecord, Trace};
use crate::sim::{Program, Reg};
use ptx::{MemoryOp, Op};
use std::collections::HashMap;
use std::ops::Range;

/// The episodes of a recording so far, in order and without gaps. A function of the trace alone.
///
/// The unit is an event (see [`StepSize::Event`]). An event is new if none of its like came before it:
/// the same kind of instruction, of the same source line and array, with the same outcome.
#[derive(Clone, Debug, Default)]
pub struct Episodes {
    closed: Vec<Episode>,
    /// The repetition that the next events may extend.
    open: Option<Episode>,
    /// The position up to which the trace has been read, and that of the last event.
    read: usize,
    last: usize,
    /// The multiply-add instructions of each warp so far.
    fmas: Vec<u32>,
    /// What was new, by outcome: the source lines and the registers that hold the addresses.
    seen: HashMap<EventClass, Vec<Place>>,
}

/// A part of the run that is told as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Episode {
    /// The steps that it covers.
    pub steps: Range<usize>,
    /// What repeats in it, or `None` for one new event.
    pub again: Option<RepeatedEvents>,
}

/// Events whose like came before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedEvents {
    /// The positions after its events; the last is the end.
    pub stops: Stops,
    /// Of these, those after multiply-adds, at barriers, and after the last store into shared memory
    /// before one.
    pub turns: Stops,
    /// Of these, those after the last multiply-add before a barrier.
    pub rounds: Stops,
    pub events: usize,
    /// The first and the last of its multiply-add instructions; each warp counts its own, from 0.
    pub fmas: Option<(u32, u32)>,
    /// The warps that take part, as a set of bits.
    pub warps: u64,
    /// The kinds of the events, in order of appearance.
    pub kinds: Vec<OpKind>,
    /// How often the block passes a barrier.
    pub releases: u32,
    pub part: CyclePart,
    /// Whether each event is of one warp: the warps take turns.
    pub in_turn: bool,
    lead: (EventSignature, u16),
    /// What the last event was like.
    last: EventSignature,
    /// The positions after the last multiply-add and the last store into shared memory, if no barrier
    /// has followed.
    summed: Option<usize>,
    stored: Option<usize>,
}

/// Positions, evenly thinned out if they are many; the last that was added is always among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stops {
    places: Vec<usize>,
    added: usize,
    stride: usize,
}

/// Which part of a cycle of events that repeats an episode covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CyclePart {
    /// All: the cycle is not repeated.
    Only,
    First,
    /// All further repetitions.
    Rest,
}

/// What two events have in common that are told as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct EventSignature {
    outcome: EventClass,
    line: Option<u32>,
}

/// The source line of an event, and the register that holds its address.
type Place = (Option<u32>, Option<Reg>);

/// The outcome class of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct EventClass {
    kind: OpKind,
    released: bool,
    conflict: bool,
}

/// The most positions of a kind that an episode keeps.
const STOPS: usize = 1 << 10;

/// The most events of one outcome that are new: those of A and of B. An unrolled loop may have a
/// register for each address, and a large kernel many lines.
const NEW: usize = 2;

impl Episodes {
    /// Takes in what has been recorded since the last call.
    pub fn extend(&mut self, trace: &Trace) {
        if self.closed.is_empty() {
            self.closed.push(Episode { steps: 0..0, again: None });
        }
        let known = if trace.complete() { trace.len() } else { trace.len().saturating_sub(1) };
        for place in self.read + 1..=known {
            if place == trace.len() || is_stop(trace, place, StepSize::Event, 1) {
                self.event(trace, place);
            }
        }
        self.read = self.read.max(known);
    }

    /// Scene number `index`; the last one may still grow while the run is being recorded.
    pub fn get(&self, index: usize) -> Option<&Episode> {
        self.closed.get(index).or_else(|| self.open.as_ref().filter(|_| index == self.closed.len()))
    }

    /// Whether episode number `index` may still grow.
    pub fn is_open(&self, index: usize) -> bool {
        index >= self.closed.len()
    }

    /// The number of the episode that a position belongs to.
    pub fn index_of(&self, position: usize) -> usize {
        self.closed.partition_point(|episode| episode.steps.end < position)
    }

    fn event(&mut self, trace: &Trace, place: usize) {
        let mark = &trace.records()[place - 1];
        let goes_on = place < trace.len() || self.open.is_some();
        if mark.kind == OpKind::Exit && goes_on {
            return self.exit(trace, place);
        }
        let steps = std::mem::replace(&mut self.last, place)..place;
        let like = EventSignature::of(trace, mark);
        let fmas = self.multiply(trace, steps.clone());
        if self.is_new(trace.program(), mark, like) {
            self.closed.extend(self.open.take());
            return self.closed.push(Episode { steps, again: None });
        }
        let recurs = |again: &RepeatedEvents| {
            again.part == CyclePart::Only && again.lead == (like, mark.warp) && again.last != like
        };
        let again = self.open.as_mut().and_then(|episode| episode.again.as_mut());
        let part = match again {
            Some(again) if recurs(again) => {
                again.part = CyclePart::First;
                self.closed.extend(self.open.take());
                CyclePart::Rest
            }
            _ => CyclePart::Only,
        };
        let episode = self.open.get_or_insert_with(|| Episode::repeating(&steps, like, mark, part));
        episode.add(&trace.records()[steps], like);
        episode.again.iter_mut().for_each(|again| again.multiply(fmas));
    }

    /// Counts the multiply-adds of some steps; returns the first and the last of their warps.
    fn multiply(&mut self, trace: &Trace, steps: Range<usize>) -> Option<(u32, u32)> {
        let mut all: Option<(u32, u32)> = None;
        for step in steps {
            let mark = &trace.records()[step];
            let before = step.checked_sub(1).map_or(0, |before| trace.records()[before].fma);
            let warp = usize::from(mark.warp);
            if mark.fma > before {
                self.fmas.resize(self.fmas.len().max(warp + 1), 0);
                let number = self.fmas[warp];
                self.fmas[warp] += 1;
                all = Some(joined(all, (number, number)));
            }
        }
        all
    }

    /// An exit is told with what follows it or, at the end, with what came before.
    fn exit(&mut self, trace: &Trace, place: usize) {
        if let Some(episode) = self.open.as_mut().filter(|_| place == trace.len()) {
            let like = EventSignature::of(trace, &trace.records()[place - 1]);
            episode.add(&trace.records()[self.last..place], like);
            self.last = place;
        }
    }

    /// Whether no event of its like came before.
    fn is_new(&mut self, program: &Program, mark: &StepRecord, like: EventSignature) -> bool {
        let place = (like.line, address(program, mark));
        let seen = self.seen.entry(like.outcome).or_default();
        let new = !seen.contains(&place) && seen.len() < NEW;
        if new {
            seen.push(place);
        }
        new
    }
}

impl Episode {
    fn repeating(
        steps: &Range<usize>,
        like: EventSignature,
        mark: &StepRecord,
        part: CyclePart,
    ) -> Self {
        let again = RepeatedEvents {
            stops: Stops::default(),
            turns: Stops::default(),
            rounds: Stops::default(),
            events: 0,
            fmas: None,
            warps: 0,
            kinds: Vec::new(),
            releases: 0,
            part,
            in_turn: true,
            lead: (like, mark.warp),
            last: like,
            summed: None,
            stored: None,
        };
        Self { steps: steps.start..steps.start, again: Some(again) }
    }

    /// Adds an event: the records of its steps, and what it is like.
    fn add(&mut self, event: &[StepRecord], like: EventSignature) {
        self.steps.end += event.len();
        if let Some(again) = &mut self.again {
            again.add(event, self.steps.end);
            again.last = like;
        }
    }
}

impl RepeatedEvents {
    fn multiply(&mut self, fmas: Option<(u32, u32)>) {
        self.fmas = fmas.map_or(self.fmas, |more| Some(joined(self.fmas, more)));
    }

    fn add(&mut self, event: &[StepRecord], place: usize) {
        self.stops.add(place);
        self.events += 1;
        match event.last().map(|mark| mark.kind) {
            Some(OpKind::Fma) => {
                self.turns.add(place);
                self.summed = Some(place);
            }
            Some(OpKind::SharedStore) => self.stored = Some(place),
            Some(OpKind::Barrier) => {
                self.stored.take().into_iter().for_each(|stored| self.turns.add(stored));
                self.turns.add(place);
                self.summed.take().into_iter().for_each(|summed| self.rounds.add(summed));
            }
            _ => {}
        }
        let told = |mark: &&StepRecord| mark.kind.is_event() && mark.kind != OpKind::Exit;
        let mut warps = event.iter().filter(told).map(|mark| mark.warp);
        let first = warps.next();
        self.in_turn &= warps.all(|warp| Some(warp) == first);
        for mark in event.iter().filter(told) {
            self.warps |= 1_u64.checked_shl(mark.warp.into()).unwrap_or(0);
            self.releases += u32::from(mark.released);
            if !self.kinds.contains(&mark.kind) {
                self.kinds.push(mark.kind);
            }
        }
    }
}

impl Stops {
    fn add(&mut self, place: usize) {
        let stride = self.stride.max(1);
        if !self.added.is_multiple_of(stride) {
            self.places.pop();
        }
        self.places.push(place);
        self.added += 1;
        if self.places.len() > STOPS {
            self.stride = 2 * stride;
            self.places = self.places.iter().step_by(2).copied().collect();
        }
    }
}

impl std::ops::Deref for Stops {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.places
    }
}

/// The least range that covers two.
fn joined(one: Option<(u32, u32)>, other: (u32, u32)) -> (u32, u32) {
    one.map_or(other, |(first, last)| (first.min(other.0), last.max(other.1)))
}

impl EventSignature {
    fn of(trace: &Trace, mark: &StepRecord) -> Self {
        let StepRecord { kind, released, conflict, pc, .. } = *mark;
        Self { outcome: EventClass { kind, released, conflict }, line: trace.line(pc) }
    }
}

/// The register that holds the address of a load or store.
fn address(program: &Program, mark: &StepRecord) -> Option<Reg> {
    match &program.inst(mark.pc).op {
        Op::Memory(MemoryOp::Ld { addr, .. } | MemoryOp::St { addr, .. }) => Some(addr.base),
        _ => None,
    }
}
