//! One moment of a run, as the stage asks about it: who acts, in which phase, and what each warp has done
//! of it.

use super::cost;
use super::observed::{MoveKind, WarpMove};
use super::plan::StagePlan;
use super::scene::{CostLine, EventProgress, WordTile};
use super::tiling::Product;
use crate::analysis::coalesce::SECTOR;
use crate::kernel::Problem;
use crate::matrix::Element;
use crate::matrix::judge::Mismatch;
use crate::sim::{Access, AsyncEffect, Effect, Machine, Pc, WarpState};
use crate::trace::{Snapshot, StepRecord, Trace, WarpNow};
use std::collections::{BTreeSet, HashMap};

/// Something in a run that has cells on the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageMark {
    /// An element of a matrix, in global memory or where shared memory holds it.
    Element(Element),
    /// The sector of global memory that begins at this address.
    Sector(u64),
    /// A word of shared memory, by its number.
    Word(u32),
    Lane {
        warp: u16,
        lane: u8,
    },
    Warp(u16),
}

impl StageMark {
    /// Whether a lane is meant, alone or with its warp.
    pub(super) fn is_of(self, (of_warp, of_lane): (u16, usize)) -> bool {
        match self {
            Self::Lane { warp, lane } => (warp, usize::from(lane)) == (of_warp, of_lane),
            Self::Warp(warp) => warp == of_warp,
            Self::Element(_) | Self::Sector(_) | Self::Word(_) => false,
        }
    }
}

/// A moment of a run, and how much of its event has been told.
#[derive(Clone, Copy, Debug)]
pub struct StageMoment<'a> {
    pub problem: &'a Problem,
    pub trace: &'a Trace,
    pub snapshot: &'a Snapshot,
    /// The machine at that moment, for values.
    pub machine: &'a Machine,
    /// Steps done before the event that led here, whose last step is the snapshot's.
    pub from: usize,
    pub progress: EventProgress,
    /// Whether tiles go by too fast for the door to move: the room below stays large.
    pub hurries: bool,
    pub focus: StageFocus<'a>,
    pub values: bool,
    /// The elements of the result that are wrong at the end.
    pub wrong: &'a [Mismatch],
}

/// What of a moment is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageFocus<'a> {
    /// The warp and the lane that are followed.
    pub followed: Option<(u16, u8)>,
    pub marks: &'a [StageMark],
}

/// The most phases to look back for one that brought words.
const BACK: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShownEvent {
    Nothing,
    Access(MoveKind),
    Multiply,
    /// A warp arrives at a door, which stays closed.
    Wait,
    /// The last one arrives.
    Open,
    /// A warp arrives at a barrier that is not of all warps, and whether that opens it.
    Meet(bool),
    Other,
}

/// How far an access is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MoveTurn {
    Due,
    /// It is one of the event shown.
    Now,
    Done,
}

/// A moment, read with the plan of its run.
pub(super) struct Now<'a> {
    pub(super) plan: &'a StagePlan,
    pub(super) at: &'a StageMoment<'a>,
    pub(super) kind: ShownEvent,
    pub(super) pc: Option<Pc>,
    /// The warps that act in the event, in the order in which they do.
    pub(super) actors: Vec<u16>,
    /// The doors through which the block has gone, as it is shown.
    pub(super) phase: u32,
    /// The observed phase that is like this one, and how many tiles it lies before.
    pub(super) like: (usize, u32),
    /// The phase whose carries are shown, which is this one or the last that brought words, and the
    /// observed one that is like it.
    pub(super) carry: u32,
    pub(super) carry_like: (usize, u32),
    /// How often each warp has come to a barrier of all.
    pub(super) arrivals: Vec<u32>,
    /// How often each warp has executed each instruction in this phase.
    done: HashMap<(u16, Pc), u32>,
    /// How often it does so in the event.
    acts: HashMap<u16, u32>,
}

impl<'a> Now<'a> {
    pub(super) fn of(plan: &'a StagePlan, at: &'a StageMoment<'a>) -> Self {
        let snapshot = at.snapshot;
        let step = snapshot.step.as_ref();
        let pc = step.map(|step| step.pc);
        let (kind, arrivals) = (kind(plan, at), arrivals(plan, at));
        let records = at.trace.records();
        let event = &records[at.from.min(snapshot.index)..snapshot.index.min(records.len())];
        let of_event = |record: &&StepRecord| Some(record.pc) == pc;
        let mut actors: Vec<u16> = Vec::new();
        let mut acts: HashMap<u16, u32> = HashMap::new();
        for record in event.iter().filter(of_event) {
            if !actors.contains(&record.warp) {
                actors.push(record.warp);
            }
            *acts.entry(record.warp).or_default() += 1;
        }
        let is_settled = at.progress == EventProgress::Settled;
        let opens = kind == ShownEvent::Open && !is_settled;
        let phase = block_phase(plan, at, &arrivals).saturating_sub(u32::from(opens));
        let like = plan.phases.like(phase);
        let brings = |phase: &u32| plan.phases.brings(*phase);
        let carry = (phase.saturating_sub(BACK)..=phase).rev().find(brings).unwrap_or(phase);
        let carry_like = plan.phases.like(carry);
        let done = HashMap::new();
        let mut now = Self {
            plan,
            at,
            kind,
            pc,
            actors,
            phase,
            like,
            carry,
            carry_like,
            arrivals,
            done,
            acts,
        };
        now.done = now.count();
        now
    }

    /// Counts what each warp has done in this phase, or, without doors, in this window along k.
    fn count(&self) -> HashMap<(u16, Pc), u32> {
        let (plan, snapshot) = (self.plan, self.at.snapshot);
        let records = self.at.trace.records();
        let before = &records[..snapshot.index.min(records.len())];
        let window = plan.product.as_ref().filter(|_| plan.phases.doors == 0 && !self.has_doors());
        let mut left = snapshot.warps.iter().filter(|warp| warp.last.is_some()).count();
        let mut done = HashMap::new();
        // For each warp: doors (or multiply-adds) that lie between its present place and the record.
        let mut behind: Vec<Option<u32>> = snapshot
            .warps
            .iter()
            .zip(&self.arrivals)
            .map(|(warp, arrivals)| Some(if window.is_some() { warp.fma } else { *arrivals }))
            .collect();
        let (start, end) = match window {
            Some(product) => {
                let each = self.window_start(product);
                let sums = product.sums_each;
                (each * sums, (each + product.tile) * sums)
            }
            None => (self.phase, self.phase + 1),
        };
        let marks = if window.is_some() { &plan.phases.fma_pcs } else { &plan.phases.door_pcs };
        for record in before.iter().rev() {
            if left == 0 {
                break;
            }
            let Some(Some(place)) = behind.get_mut(usize::from(record.warp)) else { continue };
            if marks.contains(&record.pc) {
                *place = place.saturating_sub(1);
                if *place < start {
                    behind[usize::from(record.warp)] = None;
                    left -= 1;
                }
                continue;
            }
            if (start..end).contains(place) {
                *done.entry((record.warp, record.pc)).or_default() += 1;
            }
        }
        done
    }

    fn has_doors(&self) -> bool {
        !self.plan.phases.door_pcs.is_empty()
    }

    /// The first place along k of the window that is shown where nothing is shared.
    pub(super) fn window_start(&self, product: &Product) -> u32 {
        let warp = self.at.snapshot.step.as_ref().map_or(0, |step| usize::from(step.warp));
        let fma = self.at.snapshot.warps.get(warp).map_or(0, |warp| warp.fma);
        let is_after =
            self.kind == ShownEvent::Multiply || fma >= product.depth * product.sums_each;
        let k = fma.saturating_sub(u32::from(is_after)) / product.sums_each;
        k / product.tile * product.tile
    }

    /// The first place along k of what the observed accesses of this phase have to be moved by.
    pub(super) fn shift(&self) -> u32 {
        let Some(product) = &self.plan.product else { return 0 };
        if self.has_doors() { self.carry_like.1 * product.tile } else { self.window_start(product) }
    }

    /// The accesses of this phase by these kinds, as they were observed, in order, without those that lie
    /// beyond a window along k.
    pub(super) fn moves(&self, kinds: &'static [MoveKind]) -> impl Iterator<Item = &'a WarpMove> {
        self.moves_in(self.like.0, kinds)
    }

    /// The same of the phase whose carries are shown.
    pub(super) fn carries(&self, kinds: &'static [MoveKind]) -> impl Iterator<Item = &'a WarpMove> {
        self.moves_in(self.carry_like.0, kinds)
    }

    fn moves_in(
        &self,
        phase: usize,
        kinds: &'static [MoveKind],
    ) -> impl Iterator<Item = &'a WarpMove> {
        let all = self.plan.phases.observed.get(phase).map_or(&[][..], Vec::as_slice);
        let most = match &self.plan.product {
            Some(product) if !self.has_doors() => product.tile * product.sums_each,
            _ => u32::MAX,
        };
        all.iter().filter(move |one| one.fma < most && kinds.contains(&one.kind))
    }

    /// Whether a warp has executed an access of this phase, or of an earlier one.
    pub(super) fn is_done(&self, one: &WarpMove) -> bool {
        if self.is_earlier(one) {
            return true;
        }
        self.done.get(&(one.warp, one.pc)).is_some_and(|done| one.nth < *done)
    }

    fn is_earlier(&self, one: &WarpMove) -> bool {
        self.has_doors() && self.carry < self.phase && one.phase != self.like.0 as u32
    }

    /// Whether the access is one of the event shown.
    pub(super) fn is_now(&self, one: &WarpMove) -> bool {
        if Some(one.pc) != self.pc || self.is_earlier(one) {
            return false;
        }
        let acts = self.acts.get(&one.warp).copied().unwrap_or(0);
        let done = self.done.get(&(one.warp, one.pc)).copied().unwrap_or(0);
        (done.saturating_sub(acts)..done).contains(&one.nth)
    }

    /// How far an access of this phase is.
    pub(super) fn turn(&self, one: &WarpMove) -> MoveTurn {
        match (self.is_now(one), self.is_done(one)) {
            (true, _) => MoveTurn::Now,
            (_, true) => MoveTurn::Done,
            _ => MoveTurn::Due,
        }
    }

    /// The cost of the last access of this kind whose words have arrived.
    pub(super) fn cost_of(&self, is_it: impl Fn(&Access) -> bool) -> Option<CostLine> {
        let snapshot = self.at.snapshot;
        let all = snapshot.warps.iter().flat_map(|warp| [&warp.global, &warp.shared]).flatten();
        let all = all.filter(|last| self.has_arrived() || last.index <= self.at.from);
        let last = all.filter(|last| is_it(&last.access)).max_by_key(|last| last.index)?;
        Some(cost::line(&last.access, last.index == snapshot.index))
    }

    /// Whether its source is lit, or was.
    pub(super) fn is_lit(&self) -> bool {
        self.at.progress != EventProgress::Told
    }

    /// Whether the event is over.
    pub(super) fn is_settled(&self) -> bool {
        self.at.progress == EventProgress::Settled
    }

    /// Whether the event's words have arrived.
    pub(super) fn has_arrived(&self) -> bool {
        matches!(self.at.progress, EventProgress::Goal(_) | EventProgress::Settled)
    }

    /// The part of their way that the words of an event have gone.
    pub(super) const fn whole_part(&self) -> Option<f32> {
        let EventProgress::OnTheWay(part) = self.at.progress else { return None };
        Some(part)
    }

    /// The part of the way that an actor's words have gone: those of several set out one after the other.
    pub(super) fn part(&self, warp: u16) -> Option<f32> {
        let part = self.whole_part()?;
        let all = self.actors.len().max(1) as f32;
        let number = self.actors.iter().position(|actor| *actor == warp)? as f32;
        Some(((part * (all + 1.0) - number) / 2.0).clamp(0.0, 1.0))
    }

    pub(super) fn acts(&self, warp: u16) -> bool {
        self.actors.contains(&warp)
    }

    /// The multiply-adds of a warp that are shown.
    pub(super) fn fma(&self, warp: usize) -> u32 {
        let fma = self.at.snapshot.warps.get(warp).map_or(0, |warp| warp.fma);
        let acts = self.acts.get(&(warp as u16)).copied().unwrap_or(0);
        let is_before = self.kind == ShownEvent::Multiply && !self.has_arrived();
        fma.saturating_sub(if is_before { acts } else { 0 })
    }

    /// Whether a warp stands at the door, as it is shown.
    pub(super) fn waits(&self, warp: usize) -> bool {
        let Some(now) = self.at.snapshot.warps.get(warp) else { return false };
        let arrives = self.acts(warp as u16);
        match self.kind {
            ShownEvent::Open if self.at.progress != EventProgress::Settled => {
                !arrives || self.has_come(warp as u16)
            }
            ShownEvent::Wait if arrives => self.has_come(warp as u16),
            _ => now.state == WarpState::Waiting && self.arrivals[warp] > self.phase,
        }
    }

    /// Whether a warp waits at one of these instructions, which it has executed or is about to.
    pub(super) fn waits_at(&self, warp: u16, pcs: &BTreeSet<Pc>) -> bool {
        let Some(now) = self.at.snapshot.warps.get(usize::from(warp)) else { return false };
        let is_there = pcs.contains(&now.pc) || now.last.is_some_and(|pc| pcs.contains(&pc));
        now.state == WarpState::Waiting && is_there
    }

    /// Whether a warp that arrives in the event has.
    fn has_come(&self, warp: u16) -> bool {
        self.has_arrived() || self.part(warp) == Some(1.0)
    }

    /// Whether a warp has gone, or come, through as many doors.
    pub(super) fn has_passed(&self, warp: usize, doors: u32) -> bool {
        let Some(now) = self.at.snapshot.warps.get(warp) else { return true };
        let here =
            matches!(self.kind, ShownEvent::Wait | ShownEvent::Open) && self.acts(warp as u16);
        let arrivals =
            self.arrivals[warp].saturating_sub(u32::from(here && !self.has_come(warp as u16)));
        arrivals >= doors || now.state == WarpState::Exited
    }

    /// The event's access by a warp.
    pub(super) fn access(&self, warp: u16) -> Option<&'a Access> {
        let now = self.at.snapshot.warps.get(usize::from(warp))?;
        let last = [&now.global, &now.shared].into_iter().flatten();
        last.filter(|last| Some(last.pc) == self.pc)
            .max_by_key(|last| last.index)
            .map(|last| &last.access)
    }
}

fn kind(plan: &StagePlan, at: &StageMoment<'_>) -> ShownEvent {
    use crate::sim::Direction::Load;
    use ptx::Space;
    let Some(step) = &at.snapshot.step else { return ShownEvent::Nothing };
    let opens = step.released.is_some();
    if at.trace.products().multiply_adds(step) > 0 {
        return ShownEvent::Multiply;
    }
    match &step.effect {
        Effect::Barrier { .. } if !plan.phases.door_pcs.contains(&step.pc) => {
            ShownEvent::Meet(opens)
        }
        Effect::Barrier { .. } if opens => ShownEvent::Open,
        Effect::Barrier { .. } => ShownEvent::Wait,
        Effect::Async(effect) if is_copy(effect) => ShownEvent::Access(MoveKind::Copy),
        Effect::Memory(access) if !access.active.is_empty() => {
            match (access.space, access.direction) {
                (Space::Global, Load) => ShownEvent::Access(MoveKind::Load),
                (Space::Global, _) => ShownEvent::Access(MoveKind::Store),
                (Space::Shared, Load) => ShownEvent::Access(MoveKind::SharedLoad),
                (Space::Shared, _) => ShownEvent::Access(MoveKind::SharedStore),
                _ => ShownEvent::Other,
            }
        }
        _ => ShownEvent::Other,
    }
}

/// Whether it starts a copy into shared memory that no thread carries.
fn is_copy(effect: &AsyncEffect) -> bool {
    effect.copy().is_some() || effect.started().iter().any(|transfer| transfer.is_to_shared())
}

/// How often each warp has come to a barrier of all.
fn arrivals(plan: &StagePlan, at: &StageMoment<'_>) -> Vec<u32> {
    let warps = &at.snapshot.warps;
    if plan.phases.parts.is_empty() {
        return warps.iter().map(|warp| warp.arrivals).collect();
    }
    let mut arrivals = vec![0; warps.len()];
    let records = at.trace.records().iter().take(at.snapshot.index);
    for record in records.filter(|record| plan.phases.door_pcs.contains(&record.pc)) {
        arrivals[usize::from(record.warp)] += 1;
    }
    arrivals
}

/// The least number of doors through which a warp of the block has gone.
fn block_phase(plan: &StagePlan, at: &StageMoment<'_>, arrivals: &[u32]) -> u32 {
    let live = at.snapshot.warps.iter().zip(arrivals);
    let live = live.filter(|(warp, _)| warp.state != WarpState::Exited);
    let phase = |(warp, arrivals): (&WarpNow, &u32)| {
        let at_door = warp.last.is_some_and(|pc| plan.phases.door_pcs.contains(&pc));
        let waits = warp.state == WarpState::Waiting && at_door;
        arrivals.saturating_sub(u32::from(waits))
    };
    let gone = arrivals.iter().copied().max().unwrap_or(0);
    live.map(phase).min().unwrap_or(gone)
}

/// What is marked, since somebody speaks of it: its cells wherever they are shown.
impl Now<'_> {
    /// Marks what is marked of an array's elements on a tile that shows them from this place on.
    pub(super) fn mark_elements(&self, shown: &mut WordTile, array: usize, from: (u32, u32)) {
        for (row, column) in self.marked_elements(array) {
            if let Some(at) = row.checked_sub(from.0).zip(column.checked_sub(from.1)) {
                shown.mark(at);
            }
        }
    }

    /// The rows and columns of the elements of an array that are marked.
    pub(super) fn marked_elements(&self, array: usize) -> Vec<(u32, u32)> {
        let grid = &self.plan.grids.0[array];
        let of_mark = |mark: &StageMark| match *mark {
            StageMark::Element(Element { operand, row, column }) => {
                Vec::from_iter((grid.operand == Some(operand)).then_some((row, column)))
            }
            StageMark::Sector(addr) => {
                let all = (addr..addr + SECTOR).step_by(grid.element as usize);
                all.filter_map(|addr| grid.at(addr)).collect()
            }
            _ => Vec::new(),
        };
        self.at.focus.marks.iter().flat_map(of_mark).collect()
    }

    /// Marks what is marked of the words of shared memory that a tile shows.
    pub(super) fn mark_words(
        &self,
        shown: &mut WordTile,
        place: impl Fn(u32) -> Option<(u32, u32)>,
    ) {
        for mark in self.at.focus.marks {
            if let StageMark::Word(word) = mark
                && let Some(at) = place(*word)
            {
                shown.mark(at);
            }
        }
    }

    pub(super) fn is_marked(&self, lane: (u16, usize)) -> bool {
        self.at.focus.marks.iter().any(|mark| mark.is_of(lane))
    }
}

impl WordTile {
    fn mark(&mut self, at: (u32, u32)) {
        self.mark_if(at, true);
    }

    pub(super) fn mark_if(&mut self, at: (u32, u32), is_marked: bool) {
        if let Some(cell) = self.cell_mut(at) {
            cell.marked |= is_marked;
        }
    }
}
