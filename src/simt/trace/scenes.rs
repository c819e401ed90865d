//! The scenes of a run: what happens for the first time, and what repeats it.

use super::cursor::{Unit, is_stop};
use super::{Kind, StepRecord, Trace};
use crate::sim::{Program, Reg};
use ptx::{MemoryOp, Op};
use std::collections::HashMap;
use std::ops::Range;

/// The scenes of a recording so far, in order and without gaps. A function of the trace alone.
///
/// The unit is an event (see [`Unit::Event`]). An event is new if none of its like came before it:
/// the same kind of instruction, of the same source line and array, with the same outcome.
#[derive(Clone, Debug, Default)]
pub struct Scenes {
    closed: Vec<Scene>,
    /// The repetition that the next events may extend.
    open: Option<Scene>,
    /// The position up to which the trace has been read, and that of the last event.
    read: usize,
    last: usize,
    /// The multiply-add instructions of each warp so far.
    fmas: Vec<u32>,
    /// What was new, by outcome: the source lines and the registers that hold the addresses.
    seen: HashMap<Outcome, Vec<Place>>,
}

/// A part of the run that is told as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The steps that it covers.
    pub steps: Range<usize>,
    /// What repeats in it, or `None` for one new event.
    pub again: Option<Again>,
}

/// Events whose like came before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// The positions after its events, evenly thinned out if they are many; the last is the end.
    pub stops: Vec<usize>,
    /// The number of events.
    pub events: usize,
    /// The first and the last of its multiply-add instructions; each warp counts its own, from 0.
    pub fmas: Option<(u32, u32)>,
    /// The warps that take part, as a set of bits.
    pub warps: u64,
    /// The kinds of the events, in order of appearance.
    pub kinds: Vec<Kind>,
    /// How often the block passes a barrier.
    pub releases: u32,
    /// Which part of a repeated cycle it is.
    pub part: Part,
    /// Whether each event is of one warp: the warps take turns.
    pub in_turn: bool,
    lead: (Like, u16),
    /// What the last event was like.
    last: Like,
    stride: usize,
}

/// Which part of a cycle of events that repeats a scene covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All: the cycle is not repeated.
    Only,
    /// The first repetition.
    First,
    /// All further repetitions.
    Rest,
}

/// What two events have in common that are told as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Like {
    outcome: Outcome,
    line: Option<u32>,
}

/// The source line of an event, and the register that holds its address.
type Place = (Option<u32>, Option<Reg>);

/// The outcome class of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Outcome {
    kind: Kind,
    released: bool,
    conflict: bool,
}

/// The most positions that a scene keeps.
const STOPS: usize = 1 << 10;

/// The most events of one outcome that are new: those of A and of B. An unrolled loop may have a
/// register for each address, and a large kernel many lines.
const NEW: usize = 2;

impl Scenes {
    /// Takes in what has been recorded since the last call.
    pub fn extend(&mut self, trace: &Trace) {
        if self.closed.is_empty() {
            self.closed.push(Scene { steps: 0..0, again: None });
        }
        let known = if trace.complete() { trace.len() } else { trace.len().saturating_sub(1) };
        for place in self.read + 1..=known {
            if place == trace.len() || is_stop(trace, place, Unit::Event, 1) {
                self.event(trace, place);
            }
        }
        self.read = self.read.max(known);
    }

    /// Scene number `index`; the last one may still grow while the run is being recorded.
    pub fn get(&self, index: usize) -> Option<&Scene> {
        self.closed.get(index).or_else(|| self.open.as_ref().filter(|_| index == self.closed.len()))
    }

    /// Whether scene number `index` may still grow.
    pub fn is_open(&self, index: usize) -> bool {
        index >= self.closed.len()
    }

    /// The number of the scene that a position belongs to.
    pub fn of(&self, position: usize) -> usize {
        self.closed.partition_point(|scene| scene.steps.end < position)
    }

    fn event(&mut self, trace: &Trace, place: usize) {
        let mark = &trace.records()[place - 1];
        let goes_on = place < trace.len() || self.open.is_some();
        if mark.kind == Kind::Exit && goes_on {
            return self.exit(trace, place);
        }
        let steps = std::mem::replace(&mut self.last, place)..place;
        let like = Like::of(trace, mark);
        let fmas = self.multiply(trace, steps.clone());
        if self.is_new(trace.program(), mark, like) {
            self.closed.extend(self.open.take());
            return self.closed.push(Scene { steps, again: None });
        }
        let recurs = |again: &Again| {
            again.part == Part::Only && again.lead == (like, mark.warp) && again.last != like
        };
        let again = self.open.as_mut().and_then(|scene| scene.again.as_mut());
        let part = match again {
            Some(again) if recurs(again) => {
                again.part = Part::First;
                self.closed.extend(self.open.take());
                Part::Rest
            }
            _ => Part::Only,
        };
        let scene = self.open.get_or_insert_with(|| Scene::repeating(&steps, like, mark, part));
        scene.add(&trace.records()[steps], like);
        scene.again.iter_mut().for_each(|again| again.multiply(fmas));
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
        if let Some(scene) = self.open.as_mut().filter(|_| place == trace.len()) {
            let like = Like::of(trace, &trace.records()[place - 1]);
            scene.add(&trace.records()[self.last..place], like);
            self.last = place;
        }
    }

    /// Whether no event of its like came before.
    fn is_new(&mut self, program: &Program, mark: &StepRecord, like: Like) -> bool {
        let place = (like.line, address(program, mark));
        let seen = self.seen.entry(like.outcome).or_default();
        let new = !seen.contains(&place) && seen.len() < NEW;
        if new {
            seen.push(place);
        }
        new
    }
}

impl Scene {
    fn repeating(steps: &Range<usize>, like: Like, mark: &StepRecord, part: Part) -> Self {
        let again = Again {
            stops: Vec::new(),
            events: 0,
            fmas: None,
            warps: 0,
            kinds: Vec::new(),
            releases: 0,
            part,
            in_turn: true,
            lead: (like, mark.warp),
            last: like,
            stride: 1,
        };
        Self { steps: steps.start..steps.start, again: Some(again) }
    }

    /// Adds an event: the records of its steps, and what it is like.
    fn add(&mut self, event: &[StepRecord], like: Like) {
        self.steps.end += event.len();
        if let Some(again) = &mut self.again {
            again.add(event, self.steps.end);
            again.last = like;
        }
    }
}

impl Again {
    fn multiply(&mut self, fmas: Option<(u32, u32)>) {
        self.fmas = fmas.map_or(self.fmas, |more| Some(joined(self.fmas, more)));
    }

    fn add(&mut self, event: &[StepRecord], place: usize) {
        if !self.events.is_multiple_of(self.stride) {
            self.stops.pop();
        }
        self.stops.push(place);
        self.events += 1;
        if self.stops.len() > STOPS {
            self.stride *= 2;
            self.stops = self.stops.iter().step_by(2).copied().collect();
        }
        let told = |mark: &&StepRecord| mark.kind.is_event() && mark.kind != Kind::Exit;
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

/// The least range that covers two.
fn joined(one: Option<(u32, u32)>, other: (u32, u32)) -> (u32, u32) {
    one.map_or(other, |(first, last)| (first.min(other.0), last.max(other.1)))
}

impl Like {
    fn of(trace: &Trace, mark: &StepRecord) -> Self {
        let StepRecord { kind, released, conflict, pc, .. } = *mark;
        Self { outcome: Outcome { kind, released, conflict }, line: trace.line(pc) }
    }
}

/// The register that holds the address of a load or store.
fn address(program: &Program, mark: &StepRecord) -> Option<Reg> {
    match &program.inst(mark.pc).op {
        Op::Memory(MemoryOp::Ld { addr, .. } | MemoryOp::St { addr, .. }) => Some(addr.base),
        _ => None,
    }
}
