//! A moment of a run as a scene.

use super::beats::Beat;
use super::cost;
use super::moment::StageMark;
use super::moment::{Now, ShownEvent, StageMoment};
use super::observed::{BarrierKind, MoveKind, Waiters};
use super::plan::StagePlan;
use super::product::ProductNow;
use super::row::RowNow;
use super::scene::{
    ActingRoom, BARRIER, BlockSum, DoorMotion, DoorSide, EventProgress, LowerRoom, PhaseList, Seat,
    SideLine, StageDoor, StageLayout, StageScene, TwinBar, WordTile,
};
use super::tiling::{FactorSide, Product};
use crate::analysis::coalesce::sectors;
use crate::sim::Effect;
use std::collections::BTreeMap;

impl StagePlan {
    pub fn scene(&self, moment: &StageMoment<'_>) -> StageScene {
        let now = Now::of(self, moment);
        match &self.product {
            Some(product) => self.product_scene(&now, product),
            None => self.row_scene(&now),
        }
    }

    /// How often this block has fetched each sector of the window that a moment shows, by the sector's
    /// number, and the number of the window.
    pub fn fetched(&self, moment: &StageMoment<'_>) -> (u32, BTreeMap<u64, u32>) {
        let now = Now::of(self, moment);
        let Some(product) = &self.product else { return (now.phase, BTreeMap::new()) };
        let this = ProductNow::of(&now, product);
        let mut all = this.fetches(FactorSide::Left);
        for (sector, times) in this.fetches(FactorSide::Top) {
            *all.entry(sector).or_default() += times;
        }
        (if this.shares() { now.carry } else { this.tile }, all)
    }

    fn product_scene(&self, now: &Now<'_>, product: &Product) -> StageScene {
        let this = ProductNow::of(now, product);
        let acting = self.acting(now);
        let carrying = this.carrying();
        let is_above = acting != ActingRoom::Below && this.shares();
        let above = match acting {
            _ if !this.shares() => Vec::new(),
            ActingRoom::Below => {
                [FactorSide::Left, FactorSide::Top].map(|side| this.source(side)).into()
            }
            _ => carry(&this, carrying),
        };
        let mut ways = this.ways(is_above);
        ways.extend(this.copy_ways());
        if acting == ActingRoom::Both {
            ways.extend(this.ways(false));
        }
        StageScene {
            layout: self.layout,
            acting,
            above,
            doors: self.doors(now),
            below: LowerRoom::Cross(Box::new(this.cross())),
            ways,
            lens: this.lens(),
            phases: self.phase_list(now, Some(&this)),
            twin: self.twin(now),
            side: side_lines(now, Some(&this)),
            sums: sums(now),
        }
    }

    /// A stage without a product.
    fn row_scene(&self, now: &Now<'_>) -> StageScene {
        let acting = self.acting(now);
        let row = RowNow::of(now);
        let (above, below, ways) = row.places(self.layout, acting);
        let mut side = side_lines(now, None);
        let is_rounds = self.layout == StageLayout::RowWithRounds;
        side.extend(row.rounds().filter(|_| is_rounds).map(SideLine::from));
        StageScene {
            layout: self.layout,
            acting,
            above,
            doors: self.doors(now),
            below,
            ways,
            lens: None,
            phases: self.phase_list(now, None),
            twin: None,
            side,
            sums: sums(now),
        }
    }

    fn acting(&self, now: &Now<'_>) -> ActingRoom {
        match self.layout {
            StageLayout::CrossAlone | StageLayout::OneRow => return ActingRoom::Below,
            StageLayout::RowWithRounds => return ActingRoom::Above,
            StageLayout::TwoRoomsAtOnce => return ActingRoom::Both,
            StageLayout::TwoRooms | StageLayout::Row => {}
        }
        let is_last = self.product.is_some() && self.is_last_phase(now);
        let stores = now.kind == ShownEvent::Access(MoveKind::Store);
        if is_last || stores || now.at.hurries || !self.phases.brings(now.phase) {
            ActingRoom::Below
        } else {
            ActingRoom::Above
        }
    }

    /// Whether no door lies ahead.
    fn is_last_phase(&self, now: &Now<'_>) -> bool {
        let doors = self.phases.doors;
        match &self.product {
            Some(product) => doors > 0 && now.phase >= doors * product.count(),
            None => now.phase + 1 >= self.phases.observed.len() as u32,
        }
    }

    /// The door of the whole block, and those at which only some warps wait.
    fn doors(&self, now: &Now<'_>) -> Vec<StageDoor> {
        let parts = self.phases.parts.iter().map(|part| self.part_door(now, part));
        self.door(now).into_iter().chain(parts).collect()
    }

    /// The door of a barrier at which only some warps wait, or of an mbarrier.
    fn part_door(&self, now: &Now<'_>, (kind, waiters): &(BarrierKind, Waiters)) -> StageDoor {
        let seat = |warp: &u16| seat(now, *warp, now.waits_at(*warp, &waiters.pcs), true);
        let seats: Vec<_> = waiters.warps.iter().map(seat).collect();
        let (all, taken) = (seats.len(), seats.iter().filter(|seat| seat.taken).count());
        let name = match kind {
            BarrierKind::Whole(id) | BarrierKind::Part(id) => format!("bar.sync {id}"),
            BarrierKind::Mbarrier(address) => {
                let grid = self.shared.iter().find(|grid| grid.at(address / 4).is_some());
                grid.map_or("mbarrier".to_owned(), |grid| format!("mbarrier {}", grid.array))
            }
        };
        let is_here = now.pc.is_some_and(|pc| waiters.pcs.contains(&pc));
        let motion = match (now.kind, now.at.progress) {
            (ShownEvent::Meet(true), EventProgress::Goal(part)) if is_here => {
                DoorMotion::Opening(part)
            }
            _ if taken > 0 => DoorMotion::Filling,
            _ => DoorMotion::Resting,
        };
        let who = cost::counted(all as u32, "warp");
        let notes = match (taken, kind) {
            (0, BarrierKind::Mbarrier(_)) => {
                vec![format!("for {who} and the copies they wait for")]
            }
            (0, _) => vec![format!("for {who}")],
            _ => vec![format!("{taken} of {all} are here"), format!("{taken} of {all}")],
        };
        StageDoor { name, notes, seats, side: DoorSide::Down, motion, group: Some(is_here) }
    }

    fn door(&self, now: &Now<'_>) -> Option<StageDoor> {
        if self.phases.door_pcs.is_empty() {
            return None;
        }
        let all = self.warps;
        let comes = matches!(now.kind, ShownEvent::Wait | ShownEvent::Open);
        let seats: Vec<_> =
            (0..all).map(|warp| seat(now, warp as u16, now.waits(warp), comes)).collect();
        let taken = seats.iter().filter(|seat| seat.taken).count();
        let (uses, brings) = (self.phases.uses(now.phase), self.phases.brings(now.phase));
        let side = match (brings, uses) {
            (true, true) if self.sets() > 1 => DoorSide::Both,
            (true, true) if self.product.is_none() => DoorSide::Down,
            (_, true) => DoorSide::Up,
            _ => DoorSide::Down,
        };
        let motion = match now.at.progress {
            // For a while all are seen to be there before it opens.
            EventProgress::Goal(part) if now.kind == ShownEvent::Open && part > STANDS => {
                DoorMotion::Opening((part - STANDS) / (1.0 - STANDS))
            }
            _ if taken > 0 => DoorMotion::Filling,
            _ => DoorMotion::Resting,
        };
        let upward = if side == DoorSide::Up { " upward" } else { "" };
        let here = match all {
            1 => "when its warp is here".to_owned(),
            2 => "when both are here".to_owned(),
            _ => format!("when all {all} are here"),
        };
        let notes = match (side, taken) {
            (_, 0) if self.is_last_phase(now) => vec!["all have gone through".to_owned()],
            (DoorSide::Both, 0) => vec!["here the sets change places".to_owned()],
            (_, 0) => [format!("opens{upward} {here}"), format!("opens{upward}"), here].into(),
            (DoorSide::Up, _) => {
                vec![format!("{taken} of {all} have come up"), format!("{taken} of {all}")]
            }
            _ => vec![format!("{taken} of {all} are here"), format!("{taken} of {all}")],
        };
        let come = now.arrivals.iter().any(|arrivals| *arrivals > 0);
        let name = if come { self.door_name(now) } else { BARRIER.to_owned() };
        Some(StageDoor { name, notes, seats, side, motion, group: None })
    }

    /// The barrier as the program writes it.
    fn door_name(&self, now: &Now<'_>) -> String {
        let problem = now.at.problem;
        let program = now.at.trace.program();
        let written = self.phases.door_pcs.iter().find_map(|pc| {
            let line = program.inst(*pc).line?;
            let text = &problem.source_of(program, *pc)?.text;
            let line = text.lines().nth(line.checked_sub(1)? as usize)?;
            line.contains("__syncthreads()").then(|| "__syncthreads()".to_owned())
        });
        let id = match now.at.snapshot.step.as_ref().map(|step| &step.effect) {
            Some(Effect::Barrier { id, .. }) => *id,
            _ => 0,
        };
        written.unwrap_or_else(|| format!("bar.sync {id}"))
    }

    fn twin(&self, now: &Now<'_>) -> Option<TwinBar> {
        let product = self.product.as_ref().filter(|_| self.layout == StageLayout::CrossAlone)?;
        // What the event asks for counts as soon as it has come, as it does among the different ones.
        let loads = now.kind == ShownEvent::Access(MoveKind::Load) && !now.has_arrived();
        let coming = now.actors.iter().filter(|_| loads).filter_map(|warp| now.access(*warp));
        let coming: u64 = coming.map(|access| u64::from(sectors(access).sectors)).sum();
        let asked = now.at.snapshot.totals.ptx.global.loads.sectors.saturating_sub(coming);
        let this = ProductNow::of(now, product);
        let different = this.different_sectors().min(this.sectors_of_all());
        let end = now.at.trace.complete().then(|| now.at.trace.costs().last()).flatten();
        let end = end.map(|cost| (u64::from(cost.sectors), this.sectors_of_all()));
        Some(TwinBar { asked, different, end })
    }

    /// What a tile repeats, as the first warp did it.
    fn phase_list(&self, now: &Now<'_>, product: Option<&ProductNow<'_, '_>>) -> PhaseList {
        let beats = self.beats();
        let names = beats.iter().map(Beat::name).collect();
        let current = beats.iter().position(|beat| beat.is_now(now, self));
        let tile = product.filter(|this| this.shares()).and_then(|this| {
            let all = this.product.count();
            (all > 1).then(|| (this.tile + 1, all))
        });
        let result = self.product.as_ref().and_then(|product| product.result);
        let stored = result.or(self.stored.first().copied());
        let stored = stored.map(|array| format!("store {}", self.grids.0[array].name));
        let is_then = now.kind == ShownEvent::Access(MoveKind::Store);
        PhaseList { names, now: current, tile, then: stored, is_then }
    }
}

/// A warp's seat, where warps come to its door or do not.
fn seat(now: &Now<'_>, warp: u16, taken: bool, comes: bool) -> Seat {
    let arriving = taken && comes && now.acts(warp) && !now.is_settled();
    let marked = now.at.focus.marks.contains(&StageMark::Warp(warp));
    Seat { warp, taken, arriving, marked }
}

/// The part of the time at its goal for which a door that opens still stands.
const STANDS: f32 = 0.8;

/// The tiles above the door: where words come from, who carries them, where they go.
fn carry(this: &ProductNow<'_, '_>, side: FactorSide) -> Vec<WordTile> {
    if this.copies_alone() {
        let each = [FactorSide::Left, FactorSide::Top]
            .map(|side| [Some(this.source(side)), this.stored(side)]);
        return each.into_iter().flatten().flatten().collect();
    }
    let threads = this.threads(side);
    let tiles = [Some(this.source(side)), Some(threads), this.stored(side)];
    tiles.into_iter().flatten().collect()
}

/// Who is followed, and what it multiplies; else what the picture means.
fn side_lines(now: &Now<'_>, product: Option<&ProductNow<'_, '_>>) -> Vec<SideLine> {
    let Some((warp, lane)) = now.at.focus.followed else {
        return product.map(ProductNow::meaning).unwrap_or_default();
    };
    let number = u32::from(warp) * 32 + u32::from(lane);
    let sides = now.at.problem.launch.block;
    let (x, y) = (number % sides.x.max(1), number / sides.x.max(1) % sides.y.max(1));
    let who = format!("follow one: thread ({x},{y})");
    let mut lines = vec![who, format!("warp {warp}, lane {lane}")];
    lines.extend(product.into_iter().flat_map(|product| product.terms_of(number)));
    lines.into_iter().map(SideLine::from).collect()
}

/// What the block has cost so far.
fn sums(now: &Now<'_>) -> Vec<BlockSum> {
    let totals = &now.at.snapshot.totals.ptx;
    let (sectors, passes) = (totals.global.loads.sectors, totals.shared.all().wavefronts);
    let doors = u64::from(now.at.snapshot.interval);
    let all = [(sectors, "sectors fetched"), (passes, "passes"), (doors, "barriers")];
    let sum = |(value, words): (u64, &str)| BlockSum { value, words: words.to_owned() };
    all.into_iter().filter(|(value, _)| *value > 0).map(sum).collect()
}
