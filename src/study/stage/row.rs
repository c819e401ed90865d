//! A moment of a program that is no product: its arrays, its threads and what it stores, in a row.

use super::cost;
use super::grids::{SharedGrid, words};
use super::moment::{MoveTurn, Now, ShownEvent};
use super::observed::{MoveKind, WarpMove};
use super::scene::{
    ActingRoom, CellLevel, CellRange, Hue, LowerRoom, PlaceId, StageLayout, TileKind, WarpBand,
    Way, WordTile,
};
use super::tile::{tile, widen};
use crate::sim::{Access, Direction};
use crate::trace::Age;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The lanes of a row of threads: a warp.
const LANES: u32 = 32;

/// The places of a row at a moment.
pub(super) struct RowNow<'n, 'a> {
    now: &'n Now<'a>,
}

/// What stands at a place of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowPlace {
    Global(usize),
    Threads,
    Shared(usize),
    Result(usize),
}

const LOADS: &[MoveKind] = &[MoveKind::Load, MoveKind::Copy];
const ALL: &[MoveKind] =
    &[MoveKind::Load, MoveKind::Copy, MoveKind::Store, MoveKind::SharedLoad, MoveKind::SharedStore];

impl<'n, 'a> RowNow<'n, 'a> {
    pub(super) const fn of(now: &'n Now<'a>) -> Self {
        Self { now }
    }

    /// The tiles above the door and below it, and the ways between them.
    pub(super) fn places(
        &self,
        layout: StageLayout,
        acting: ActingRoom,
    ) -> (Vec<WordTile>, LowerRoom, Vec<Way>) {
        let globals = self.now.plan.loaded.iter().map(|array| RowPlace::Global(*array));
        let shared = (0..self.now.plan.shared.len()).map(RowPlace::Shared);
        let results = self.now.plan.stored.iter().map(|array| RowPlace::Result(*array));
        let threads = [RowPlace::Threads];
        let (above, below): (Vec<_>, Vec<_>) = match layout {
            StageLayout::OneRow => (globals.chain(threads).chain(results).collect(), Vec::new()),
            StageLayout::RowWithRounds if self.now.moves(LOADS).next().is_none() => {
                (shared.chain(threads).collect(), results.collect())
            }
            StageLayout::RowWithRounds => {
                (globals.chain(threads).chain(shared).collect(), results.collect())
            }
            _ => (
                globals.chain(threads).chain(shared.clone()).collect(),
                shared.chain([RowPlace::Threads]).chain(results).collect(),
            ),
        };
        let is_above = acting != ActingRoom::Below || layout == StageLayout::OneRow;
        let ways = self.ways([&above, &below], is_above);
        let draw = |places: Vec<RowPlace>| -> Vec<WordTile> {
            places.into_iter().filter_map(|place| self.tile(place)).collect()
        };
        let below = if below.is_empty() { LowerRoom::Nothing } else { LowerRoom::Row(draw(below)) };
        (draw(above), below, ways)
    }

    fn tile(&self, place: RowPlace) -> Option<WordTile> {
        match place {
            RowPlace::Global(array) => self.global(array),
            RowPlace::Threads => Some(self.threads()),
            RowPlace::Shared(number) => Some(self.shared(&self.now.plan.shared[number])),
            RowPlace::Result(array) => self.result(array),
        }
    }

    fn array_of(&self, access: &Access) -> Option<usize> {
        self.now.plan.grids.first(access).map(|(array, ..)| array)
    }

    /// Yields the elements of an array that an access touches, by lane.
    fn elements(
        &self,
        one: &'a WarpMove,
        array: usize,
    ) -> impl Iterator<Item = (usize, (u32, u32))> {
        let grid = &self.now.plan.grids.0[array];
        let bytes = u64::from(one.access.bytes);
        one.access.touched().flat_map(move |(lane, addr)| {
            let each = (addr..addr + bytes).step_by(grid.element as usize);
            each.filter_map(move |addr| grid.at(addr).map(|at| (lane, at)))
        })
    }

    /// The part of an array that the accesses of these kinds touch in all phases observed.
    fn window(&self, array: usize, kinds: &[MoveKind]) -> Option<CellRange> {
        let mut range = None;
        for one in self.now.plan.phases.observed.iter().flatten() {
            if kinds.contains(&one.kind) && self.array_of(&one.access) == Some(array) {
                self.elements(one, array).for_each(|(_, at)| widen(&mut range, at));
            }
        }
        range
    }

    /// The accesses of all phases up to this one, and whether each is due, acts or is done.
    fn until_now(&self) -> impl Iterator<Item = (&'a WarpMove, MoveTurn)> + '_ {
        let phases = &self.now.plan.phases.observed;
        let last = self.now.like.0;
        phases.iter().enumerate().flat_map(move |(phase, moves)| {
            moves.iter().map(move |one| {
                let turn = match phase.cmp(&last) {
                    Ordering::Less => MoveTurn::Done,
                    Ordering::Equal => self.now.turn(one),
                    Ordering::Greater => MoveTurn::Due,
                };
                (one, turn)
            })
        })
    }

    fn global(&self, array: usize) -> Option<WordTile> {
        let window = self.window(array, LOADS)?;
        let mut shown = self.empty(TileKind::Global, array, &window, "global memory");
        for (one, turn) in self.until_now() {
            if !LOADS.contains(&one.kind) || self.array_of(&one.access) != Some(array) {
                continue;
            }
            let level = match turn {
                MoveTurn::Now if self.now.is_lit() => CellLevel::Now,
                MoveTurn::Now | MoveTurn::Due => CellLevel::Next,
                MoveTurn::Done => CellLevel::Held,
            };
            self.put(&mut shown, one, array, &window, level);
        }
        shown.cost =
            self.now.cost_of(|access| !is_shared(access) && self.array_of(access) == Some(array));
        Some(shown)
    }

    fn result(&self, array: usize) -> Option<WordTile> {
        let window = self.window(array, &[MoveKind::Store])?;
        let stores = self.now.plan.phases.observed.iter().flatten();
        let mut stores = stores.filter(|one| self.array_of(&one.access) == Some(array));
        let adds = stores.any(|one| one.access.direction == Direction::Atomic);
        let note = if adds { "added to what is there" } else { "result" };
        let mut shown = self.empty(TileKind::Sums, array, &window, note);
        shown.hue = Hue::Result;
        for (one, turn) in self.until_now() {
            if one.kind != MoveKind::Store || self.array_of(&one.access) != Some(array) {
                continue;
            }
            let level = match turn {
                MoveTurn::Now if self.now.has_arrived() => CellLevel::Arrived,
                MoveTurn::Now | MoveTurn::Due => CellLevel::Empty,
                MoveTurn::Done => CellLevel::Done,
            };
            self.put(&mut shown, one, array, &window, level);
        }
        shown.cost = self.now.cost_of(|access| access.direction.writes() && !is_shared(access));
        Some(shown)
    }

    fn empty(&self, kind: TileKind, array: usize, window: &CellRange, note: &str) -> WordTile {
        let title = self.now.plan.window_title(array, &window.rows, &window.columns);
        let size = (window.rows.len() as u32, window.columns.len() as u32);
        let mut shown = tile(kind, title, self.now.plan.hue(array), size);
        note.clone_into(&mut shown.note);
        self.now.mark_elements(&mut shown, array, (window.rows.start, window.columns.start));
        shown
    }

    /// Gives the elements of an access their level, unless one is lit.
    fn put(
        &self,
        shown: &mut WordTile,
        one: &'a WarpMove,
        array: usize,
        window: &CellRange,
        level: CellLevel,
    ) {
        for (_, (row, column)) in self.elements(one, array) {
            let at = (row - window.rows.start, column - window.columns.start);
            let Some(cell) = shown.cell_mut(at) else { continue };
            let keeps = matches!(cell.level, CellLevel::Now | CellLevel::Arrived)
                || level == CellLevel::Next && cell.level == CellLevel::Held;
            if !keeps {
                cell.level = level;
            }
        }
    }

    /// A shared array, as it is stored.
    fn shared(&self, grid: &SharedGrid) -> WordTile {
        let hue = self.hue_of(grid);
        let mut shown = tile(TileKind::Shared, grid.title.clone(), hue, (grid.rows, grid.columns));
        "shared memory".clone_into(&mut shown.note);
        let touched = self.now.plan.phases.observed.iter().flatten();
        let touched = touched.filter(|one| is_shared(&one.access));
        let mut used: Vec<u32> = touched.flat_map(|one| words(&one.access)).collect();
        used.sort_unstable();
        used.dedup();
        for (index, word) in (grid.first..grid.first + grid.rows * grid.columns).enumerate() {
            let age = self.now.at.snapshot.shared.get(word as usize).map(|word| word.age);
            shown.cells[index].level = match age {
                _ if used.binary_search(&word).is_err() => CellLevel::Padding,
                None | Some(Age::Empty) => CellLevel::Empty,
                Some(Age::Old | Age::Current) => CellLevel::Held,
            };
        }
        for one in self.now.moves(ALL).filter(|one| self.now.is_now(one) && is_shared(&one.access))
        {
            let level = match one.kind {
                MoveKind::SharedLoad if self.now.is_lit() => CellLevel::Now,
                MoveKind::SharedLoad => continue,
                _ if self.now.has_arrived() => CellLevel::Arrived,
                _ => CellLevel::Empty,
            };
            let places = words(&one.access).filter_map(|word| grid.at(word));
            places.for_each(|at| shown.set(at, level));
        }
        self.now.mark_words(&mut shown, |word| grid.at(word));
        let inside = |access: &Access| words(access).any(|word| grid.at(word).is_some());
        shown.cost = self.now.cost_of(|access| is_shared(access) && inside(access));
        shown
    }

    /// The hue of the array whose words a shared array holds.
    fn hue_of(&self, grid: &SharedGrid) -> Hue {
        let words = self.now.at.snapshot.shared.iter().skip(grid.first as usize);
        let held = words.take((grid.rows * grid.columns) as usize).find_map(|word| word.origin());
        let array = held.and_then(|addr| self.now.plan.grids.locate(addr));
        array.map_or(Hue::Other, |(array, ..)| self.now.plan.hue(array))
    }

    /// The threads, a warp in each row.
    fn threads(&self) -> WordTile {
        let warps = self.now.plan.warps as u32;
        let title = cost::counted(self.now.plan.threads, "thread");
        let columns = self.now.plan.threads.min(LANES);
        let mut shown = tile(TileKind::Threads, title, Hue::Plate, (warps, columns));
        shown.note = cost::counted(warps, "warp");
        for warp in 0..warps {
            let waits = self.now.waits(warp as usize);
            let last = self.last_move(warp as u16);
            let acts = self.now.acts(warp as u16);
            for lane in 0..columns {
                let level = match last {
                    _ if waits => CellLevel::Waits,
                    Some((kind, mask, is_now)) if mask.has(lane as usize) => {
                        self.holds(kind, is_now)
                    }
                    _ => CellLevel::Empty,
                };
                shown.set((warp, lane), level);
                let is_marked = self.now.is_marked((warp as u16, lane as usize));
                shown.mark_if((warp, lane), is_marked);
            }
            let word = match self.now.kind {
                _ if waits => "waits",
                ShownEvent::Access(MoveKind::Load | MoveKind::SharedLoad) if acts => "load",
                ShownEvent::Access(MoveKind::Store | MoveKind::SharedStore) if acts => "store",
                _ => "",
            };
            let (warp, rows) = (warp as u16, warp..warp + 1);
            shown.bands.push(WarpBand { warp, rows, word, now: acts });
        }
        shown
    }

    /// How many warps work in each round after the first door, if rounds are what it does.
    pub(super) fn rounds(&self) -> Option<String> {
        let rounds = self.now.plan.phases.observed.iter().skip(1).map(|moves| {
            let stores = moves.iter().filter(|one| one.kind == MoveKind::SharedStore);
            stores.map(|one| one.warp).collect::<BTreeSet<_>>().len()
        });
        let counts: Vec<_> =
            rounds.filter(|count| *count > 0).map(|count| count.to_string()).collect();
        (!counts.is_empty())
            .then(|| format!("warps that work, round by round: {}", counts.join(", ")))
    }

    /// What a warp has done last in this phase: the kind, the lanes, and whether it is the event.
    fn last_move(&self, warp: u16) -> Option<(MoveKind, crate::sim::LaneMask, bool)> {
        let own = self.now.moves(ALL).filter(|one| one.warp == warp && self.now.is_done(one));
        let last = own.last()?;
        Some((last.kind, last.access.active, self.now.is_now(last)))
    }

    /// What a thread's cell shows after an access of this kind.
    fn holds(&self, kind: MoveKind, is_now: bool) -> CellLevel {
        let is_load = matches!(kind, MoveKind::Load | MoveKind::SharedLoad);
        match (is_load, is_now) {
            (true, true) if self.now.has_arrived() => CellLevel::Arrived,
            (true, false) => CellLevel::InRegisters,
            (false, true) if !self.now.is_lit() => CellLevel::InRegisters,
            (false, true) if !self.now.is_settled() => CellLevel::Now,
            (true, true) | (false, _) => CellLevel::Empty,
        }
    }

    /// The ways of the event between the places above the door and below it, where the room that acts
    /// comes first.
    fn ways(&self, [above, below]: [&[RowPlace]; 2], is_above: bool) -> Vec<Way> {
        let place = |wanted: RowPlace| {
            let at = |places: &[RowPlace]| places.iter().position(|place| *place == wanted);
            let (up, down) = (at(above).map(PlaceId::Above), at(below).map(PlaceId::Below));
            if is_above { up.or(down) } else { down.or(up) }
        };
        let mut ways = Vec::new();
        for one in self.now.moves(ALL).filter(|one| self.now.is_now(one)) {
            let Some(part) = self.now.part(one.warp) else { continue };
            if let Some(goal) = &one.goal {
                ways.extend(self.copy_way(one, goal, part, &place));
                continue;
            }
            let threads = place(RowPlace::Threads).zip(Self::lanes(one));
            let Some((other, hue)) = self.other(one) else { continue };
            let Some(range) = self.range(one, other) else { continue };
            let Some((threads, other)) = threads.zip(place(other)) else { continue };
            let is_load = matches!(one.kind, MoveKind::Load | MoveKind::SharedLoad);
            let ends = [(other, range), threads];
            let [from, to] = if is_load { ends } else { [ends[1].clone(), ends[0].clone()] };
            ways.push(Way { from, to, hue, part, copy: false });
        }
        ways
    }

    /// The way of a copy that no thread carries.
    fn copy_way(
        &self,
        one: &'a WarpMove,
        goal: &Access,
        part: f32,
        place: &impl Fn(RowPlace) -> Option<PlaceId>,
    ) -> Option<Way> {
        let (from, hue) = self.other(one)?;
        let word = words(goal).next()?;
        let number = self.now.plan.shared.iter().position(|grid| grid.at(word).is_some())?;
        let mut cells = None;
        let places = words(goal).filter_map(|word| self.now.plan.shared[number].at(word));
        places.for_each(|at| widen(&mut cells, at));
        let from = (place(from)?, self.range(one, from)?);
        Some(Way { from, to: (place(RowPlace::Shared(number))?, cells?), hue, part, copy: true })
    }

    /// The place that an access reaches, and the hue of its words.
    fn other(&self, one: &WarpMove) -> Option<(RowPlace, Hue)> {
        if is_shared(&one.access) {
            let word = words(&one.access).next()?;
            let shared = &self.now.plan.shared;
            let number = shared.iter().position(|grid| grid.at(word).is_some())?;
            return Some((RowPlace::Shared(number), self.hue_of(&shared[number])));
        }
        let array = self.array_of(&one.access)?;
        Some(if one.kind == MoveKind::Store {
            (RowPlace::Result(array), Hue::Result)
        } else {
            (RowPlace::Global(array), self.now.plan.hue(array))
        })
    }

    fn range(&self, one: &'a WarpMove, place: RowPlace) -> Option<CellRange> {
        let mut range = None;
        match place {
            RowPlace::Shared(number) => {
                let grid = &self.now.plan.shared[number];
                let places = words(&one.access).filter_map(|word| grid.at(word));
                places.for_each(|at| widen(&mut range, at));
            }
            RowPlace::Global(array) | RowPlace::Result(array) => {
                let stores = matches!(place, RowPlace::Result(_));
                let window = self.window(array, if stores { &[MoveKind::Store] } else { LOADS })?;
                for (_, (row, column)) in self.elements(one, array) {
                    let at = (row - window.rows.start, column - window.columns.start);
                    widen(&mut range, at);
                }
            }
            RowPlace::Threads => {}
        }
        range
    }

    /// The cells of the lanes that take part in an access.
    fn lanes(one: &WarpMove) -> Option<CellRange> {
        let mut range = None;
        one.access
            .touched()
            .for_each(|(lane, _)| widen(&mut range, (one.warp.into(), lane as u32)));
        range
    }
}

fn is_shared(access: &Access) -> bool {
    access.space == ptx::Space::Shared
}
