//! A moment of a product of matrices: its tiles above the door, and the cross.

use super::cost;
use super::grids::{SharedGrid, counted};
use super::moment::{EventKind, Now};
use super::observed::{Move, MoveKind, words};
use super::plan::{Product, Side, TileWord, span};
use super::scene::{
    CellLevel, CellRange, Collar, CostLine, Cross, Hue, Lens, PlaceId, TileCopies, TileKind,
    WarpBand, Way, WearMeter, WordTile,
};
use super::tile::{tile, widen};
use crate::analysis::coalesce;
use crate::matrix::Operand;
use crate::sim::Access;
use crate::trace::Age;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

/// Which tiles and events of a product a moment shows.
pub(super) struct ProductNow<'n, 'a> {
    pub(super) now: &'n Now<'a>,
    pub(super) product: &'a Product,
    /// The number of the tile that is in use, or comes into use next.
    pub(super) tile: u32,
    /// The first place along k of what is brought, and of what is used.
    pub(super) brought: u32,
    pub(super) used: u32,
    /// The warps that have come up through the door with tiles near to this one.
    passed: Vec<(u32, u64)>,
}

const CARRIES: &[MoveKind] = &[MoveKind::Load, MoveKind::Copy];
const STORES: &[MoveKind] = &[MoveKind::SharedStore];
const OPERANDS: &[MoveKind] = &[MoveKind::SharedLoad];

/// How far a copy has crept when it starts, and how much farther until somebody waits for it.
const CREEP: (f32, f32) = (0.1, 0.8);

/// How far an access of this phase is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Due,
    Now,
    Done,
}

impl<'n, 'a> ProductNow<'n, 'a> {
    pub(super) fn of(now: &'n Now<'a>, product: &'a Product) -> Self {
        let mut this = Self { now, product, tile: 0, brought: 0, used: 0, passed: Vec::new() };
        if this.shares() {
            let doors = now.plan.phases.doors.max(1);
            this.tile = now.phase.saturating_sub(product.first_use).div_ceil(doors);
            let is_between = !now.plan.phases.uses(now.phase);
            if !is_between {
                this.tile = now.phase.saturating_sub(product.first_use) / doors;
            }
            this.tile = this.tile.min(product.count().saturating_sub(1));
            this.used = this.tile * product.tile;
            this.brought = this.brought_from().unwrap_or(this.used);
        } else {
            this.used = now.window_start(product);
            this.tile = this.used / product.tile;
            this.brought = this.used;
        }
        let near = this.tile.saturating_sub(product.sets)..=this.tile + product.sets;
        this.passed = near.map(|tile| (tile, this.passed(tile))).collect();
        this
    }

    pub(super) fn shares(&self) -> bool {
        self.product.shares()
    }

    /// The first place along k that this phase brings.
    fn brought_from(&self) -> Option<u32> {
        let ks = self.now.carries(CARRIES).filter_map(|one| {
            let (array, row, column) = self.first(&one.access)?;
            self.side_of(array).map(|side| along(side, (row, column)))
        });
        span(ks).map(|ks| ks.start / self.product.tile * self.product.tile + self.now.shift())
    }

    fn first(&self, access: &Access) -> Option<(usize, u32, u32)> {
        access.touched().next().and_then(|(_, addr)| self.now.plan.grids.locate(addr))
    }

    fn side_of(&self, array: usize) -> Option<Side> {
        [(self.product.left, Side::Left), (self.product.top, Side::Top)]
            .into_iter()
            .find_map(|(of, side)| (of == array).then_some(side))
    }

    pub(super) const fn array(&self, side: Side) -> usize {
        match side {
            Side::Left => self.product.left,
            Side::Top => self.product.top,
        }
    }

    const fn name(side: Side) -> &'static str {
        match side {
            Side::Left => "a",
            Side::Top => "b",
        }
    }

    /// The rows and columns of the array that lie in a window from this place along k.
    fn window(&self, side: Side, from: u32) -> (Range<u32>, Range<u32>) {
        let ks = from..(from + self.product.tile).min(self.product.depth.max(from + 1));
        match side {
            Side::Left => (self.product.rows.clone(), ks),
            Side::Top => (ks, self.product.columns.clone()),
        }
    }

    /// Yields the places within the window of the elements that a carry brings, by lane.
    fn carried(&self, one: &'a Move, side: Side) -> impl Iterator<Item = (usize, (u32, u32))> + '_ {
        let grid = &self.now.plan.grids.0[self.array(side)];
        let (rows, columns) = self.window(side, self.brought);
        let (down, across) = match side {
            Side::Left => (0, self.now.shift()),
            Side::Top => (self.now.shift(), 0),
        };
        let bytes = u64::from(one.access.bytes);
        one.access.touched().flat_map(move |(lane, addr)| {
            (addr..addr + bytes).step_by(grid.element as usize).filter_map({
                let (rows, columns) = (rows.clone(), columns.clone());
                move |addr| {
                    let (row, column) = grid.at(addr)?;
                    let (row, column) = (row + down, column + across);
                    let inside = rows.contains(&row) && columns.contains(&column);
                    inside.then(|| (lane, (row - rows.start, column - columns.start)))
                }
            })
        })
    }

    fn step(&self, one: &Move) -> Step {
        match (self.now.is_now(one), self.now.is_done(one)) {
            (true, _) => Step::Now,
            (_, true) => Step::Done,
            _ => Step::Due,
        }
    }

    /// The matrix whose words the room above shows: that of the event, or else of the last carry.
    pub(super) fn carrying(&self) -> Side {
        let carries = || self.now.carries(&[MoveKind::Load, MoveKind::Copy, MoveKind::SharedStore]);
        let of_event = carries().filter(|one| self.now.is_now(one)).last();
        let warp = self.now.actors.last().copied();
        let own = |one: &&Move| warp.is_none_or(|warp| warp == one.warp) && self.now.is_done(one);
        let last = of_event.or_else(|| carries().filter(own).last());
        last.or_else(|| carries().next())
            .and_then(|one| self.side_of_move(one))
            .unwrap_or(Side::Left)
    }

    fn side_of_move(&self, one: &Move) -> Option<Side> {
        match one.kind {
            MoveKind::Load | MoveKind::Copy => self.side_of(self.first(&one.access)?.0),
            _ => {
                let word = words(&one.access).find_map(|word| self.product.word(word))?;
                Some(word.side)
            }
        }
    }

    /// The window of global memory that this phase brings from.
    pub(super) fn source(&self, side: Side) -> WordTile {
        let array = self.array(side);
        let (rows, columns) = self.window(side, self.brought);
        let title = self.now.plan.window_title(array, &rows, &columns);
        let size = (rows.len() as u32, columns.len() as u32);
        let mut shown = tile(TileKind::Global, title, self.now.plan.hue(array), size);
        shown.note = "global memory".to_owned();
        let is_beyond = self.brought >= self.product.depth;
        let known = if is_beyond { CellLevel::Empty } else { CellLevel::Next };
        shown.cells.iter_mut().for_each(|cell| cell.level = known);
        let mut bands: BTreeMap<u16, Range<u32>> = BTreeMap::new();
        for one in self.now.carries(CARRIES) {
            let step = self.step(one);
            for (_, at) in self.carried(one, side) {
                let level = match step {
                    Step::Due => CellLevel::Next,
                    Step::Now if self.now.is_lit() => CellLevel::Now,
                    Step::Now => CellLevel::Next,
                    Step::Done => CellLevel::Held,
                };
                // A word that several warps fetch keeps the brightest of their levels.
                let keeps = shown.cell_mut(at).is_some_and(|cell| {
                    cell.level == CellLevel::Now || level == CellLevel::Next && cell.level != known
                });
                if !keeps {
                    shown.set(at, level);
                }
                let rows = bands.entry(one.warp).or_insert(at.0..at.0 + 1);
                *rows = rows.start.min(at.0)..rows.end.max(at.0 + 1);
            }
        }
        if self.shares() {
            let now = |warp| self.now.acts(warp);
            shown.bands = bands
                .into_iter()
                .map(|(warp, rows)| WarpBand { warp, rows, word: "", now: now(warp) })
                .collect();
        }
        shown.cost = self.cost_of_tile(side).or_else(|| self.copy_cost(side)).or_else(|| {
            self.cost_of(|access| self.first(access).is_some_and(|(of, ..)| of == array))
        });
        shown.wear = Some(self.wear(side));
        self.give_values(&mut shown, array, &rows, &columns);
        shown
    }

    /// What the words of a tile cost that came in an earlier phase.
    fn cost_of_tile(&self, side: Side) -> Option<CostLine> {
        if self.now.carry >= self.now.phase || !self.shares() {
            return None;
        }
        let of_side = |one: &&Move| self.side_of_move(one) == Some(side);
        let all: Vec<_> = self.now.carries(CARRIES).filter(of_side).collect();
        let fetched: u32 = self.fetches(side).values().sum();
        (!all.is_empty()).then(|| cost::of_tile(all.iter().map(|one| &one.access), fetched))
    }

    /// The cost of the last copy of a matrix's words that was started.
    fn copy_cost(&self, side: Side) -> Option<CostLine> {
        let copies = self.now.carries(&[MoveKind::Copy]).filter(|one| self.now.is_done(one));
        let last = copies.filter(|one| self.side_of_move(one) == Some(side)).last()?;
        let is_now = self.now.is_now(last);
        let goal = last.goal.as_ref().filter(|_| !is_now || self.now.has_arrived())?;
        Some(cost::copy(&last.access, goal, is_now))
    }

    /// The cost of the last access of this kind.
    fn cost_of(&self, is_it: impl Fn(&Access) -> bool) -> Option<CostLine> {
        let warps = &self.now.at.snapshot.warps;
        let all = warps.iter().flat_map(|warp| [&warp.global, &warp.shared]).flatten();
        let last = all.filter(|last| is_it(&last.access)).max_by_key(|last| last.index)?;
        let is_now = last.index == self.now.at.snapshot.index;
        if is_now && !self.now.has_arrived() {
            return None;
        }
        Some(cost::line(&last.access, is_now))
    }

    /// How often the sectors of each row of the window have been fetched in this phase.
    fn wear(&self, side: Side) -> WearMeter {
        let (rows, columns) = self.window(side, self.brought);
        let grid = &self.now.plan.grids.0[self.array(side)];
        let fetches = self.fetches(side);
        let mut meter = WearMeter { rows: vec![0; rows.len()], now: 0..0 };
        let sector = |row: u32, column: u32| grid.address(row, column) / coalesce::SECTOR;
        for (number, row) in rows.clone().enumerate() {
            let mut last = None;
            for column in columns.clone() {
                let at = sector(row, column);
                if last != Some(at) {
                    let times = fetches.get(&at).copied().unwrap_or(0);
                    meter.rows[number] = meter.rows[number].max(times);
                }
                last = Some(at);
            }
        }
        let now = self.now.carries(CARRIES).filter(|one| self.now.is_now(one));
        let lit = now
            .flat_map(|one| self.carried(one, side).map(|(_, (row, _))| row).collect::<Vec<_>>());
        meter.now = span(lit).unwrap_or(0..0);
        meter
    }

    /// How often this phase has fetched each sector of an array so far.
    pub(super) fn fetches(&self, side: Side) -> BTreeMap<u64, u32> {
        let grid = &self.now.plan.grids.0[self.array(side)];
        let rows = if side == Side::Top { self.now.shift() } else { 0 };
        let columns = if side == Side::Left { self.now.shift() } else { 0 };
        let by = grid.address(rows, columns) - grid.address(0, 0);
        let array = self.array(side);
        let counts = |one: &&Move| {
            let is_now = self.now.is_now(one);
            (if is_now { self.now.has_arrived() } else { self.now.is_done(one) })
                && self.first(&one.access).is_some_and(|(of, ..)| of == array)
        };
        let fetched = self.now.carries(CARRIES).filter(counts).flat_map(|one| {
            let mut moved = one.access.clone();
            moved.addrs.iter_mut().for_each(|addr| *addr = addr.wrapping_add(by));
            match &one.goal {
                Some(goal) => cost::fetched_by_copy(&moved, goal),
                None => cost::fetched(&moved),
            }
        });
        counted(fetched)
    }

    /// The different sectors among those fetched so far, and among those of the whole run, where nothing
    /// is shared.
    pub(super) fn different_sectors(&self) -> u64 {
        let of = |side| {
            let now = self.fetches(side).into_keys();
            let mut all: BTreeSet<u64> = self.sectors_along(side, 0..self.used).collect();
            all.extend(now);
            all.len() as u64
        };
        of(Side::Left) + of(Side::Top)
    }

    pub(super) fn sectors_of_all(&self) -> u64 {
        let of = |side| {
            let all: BTreeSet<u64> = self.sectors_along(side, 0..self.product.depth).collect();
            all.len() as u64
        };
        of(Side::Left) + of(Side::Top)
    }

    /// The sectors of the elements in a part along k.
    fn sectors_along(&self, side: Side, ks: Range<u32>) -> impl Iterator<Item = u64> + '_ {
        let grid = &self.now.plan.grids.0[self.array(side)];
        let lines = match side {
            Side::Left => self.product.rows.clone(),
            Side::Top => self.product.columns.clone(),
        };
        ks.flat_map(move |k| {
            lines.clone().map(move |line| {
                let (row, column) = if side == Side::Left { (line, k) } else { (k, line) };
                grid.address(row, column) / coalesce::SECTOR
            })
        })
    }

    /// The elements of a matrix that a lane carries side by side.
    fn brick(&self, one: &Move, side: Side) -> u32 {
        let own = self.side_of_move(one) == Some(side);
        let element = self.now.plan.grids.0[self.array(side)].element;
        if own { (u64::from(one.access.bytes) / element) as u32 } else { 1 }
    }

    /// The threads that carry the words of a matrix, each where its word lies in the window.
    pub(super) fn threads(&self, side: Side) -> WordTile {
        let (rows, columns) = self.window(side, self.brought);
        let size = (rows.len() as u32, columns.len() as u32);
        let title = cost::counted(self.now.plan.threads, "thread");
        let mut shown = tile(TileKind::Threads, title, Hue::Plate, size);
        let warps = self.now.plan.warps;
        shown.note = cost::counted(warps as u32, "warp");
        let held = self.now.plan.hue(self.array(side));
        let mut bands: BTreeMap<u16, (Range<u32>, &'static str)> = BTreeMap::new();
        for one in self.now.carries(CARRIES) {
            let step = self.step(one);
            let waits = self.now.waits(one.warp.into());
            shown.brick = shown.brick.max(self.brick(one, side));
            for (_, at) in self.carried(one, side) {
                let level = match step {
                    _ if waits => CellLevel::Waits,
                    Step::Due => CellLevel::Empty,
                    Step::Now if self.now.has_arrived() => CellLevel::Arrived,
                    Step::Now => CellLevel::Empty,
                    Step::Done => CellLevel::InRegisters,
                };
                if let Some(cell) = shown.cell_mut(at) {
                    cell.level = level;
                    cell.hue = Some(held).filter(|_| level != CellLevel::Waits);
                }
                let band = bands.entry(one.warp).or_insert((at.0..at.0 + 1, ""));
                band.0 = band.0.start.min(at.0)..band.0.end.max(at.0 + 1);
                if waits {
                    band.1 = "waits";
                }
            }
        }
        for one in self.now.carries(STORES) {
            let step = self.step(one);
            if step == Step::Due || self.now.waits(one.warp.into()) {
                continue;
            }
            let is_source =
                step == Step::Now && self.now.at.progress != super::EventProgress::Settled;
            let level = match step {
                Step::Now if !self.now.is_lit() => CellLevel::InRegisters,
                Step::Now if is_source => CellLevel::Now,
                _ => CellLevel::Empty,
            };
            for word in words(&one.access).filter_map(|word| self.product.word(word)) {
                if word.side == side {
                    shown.set(word.at, level);
                }
            }
        }
        shown.bands = bands
            .into_iter()
            .map(|(warp, (rows, word))| {
                let now = self.now.acts(warp);
                let does = match self.now.kind {
                    EventKind::Access(MoveKind::SharedStore) if now => "store",
                    EventKind::Access(MoveKind::Load) if now => "load",
                    _ => word,
                };
                WarpBand { warp, rows, word: does, now }
            })
            .collect();
        shown
    }

    /// Shared memory of a matrix as it is stored, above the door.
    pub(super) fn stored(&self, side: Side) -> Option<WordTile> {
        let set = self.brought / self.product.tile % self.product.sets;
        let grid = self.grid(side, set)?;
        let hue = self.now.plan.hue(self.array(side));
        let mut shown = tile(TileKind::Shared, grid.title.clone(), hue, (grid.rows, grid.columns));
        shown.note = "shared memory".to_owned();
        shown.copies = self.copies(set);
        for row in 0..grid.rows {
            for column in 0..grid.columns {
                let word = grid.first + row * grid.columns + column;
                let held = self.product.word(word);
                let is_used = held.is_some_and(|held| (held.side, held.set) == (side, set));
                let level = if is_used { self.word(word) } else { CellLevel::Padding };
                shown.set((row, column), level);
            }
        }
        for one in self.now.carries(STORES).filter(|one| self.now.is_now(one)) {
            let level =
                |word| if self.now.has_arrived() { CellLevel::Arrived } else { self.before(word) };
            for word in words(&one.access) {
                if let Some(at) = grid.at(word) {
                    shown.set(at, level(word));
                }
            }
        }
        let inside = |access: &Access| words(access).any(|word| grid.at(word).is_some());
        shown.cost = self.cost_of(|access| access.space == ptx::Space::Shared && inside(access));
        Some(shown)
    }

    fn copies(&self, set: u32) -> TileCopies {
        if self.product.sets < 2 {
            return TileCopies::default();
        }
        TileCopies { this: set, all: self.product.sets }
    }

    fn grid(&self, side: Side, set: u32) -> Option<&'a SharedGrid> {
        self.product.tiles[side as usize].get(set as usize).map(|tile| &tile.grid)
    }

    /// How a word of shared memory is shown, if this event does not touch it.
    fn word(&self, word: u32) -> CellLevel {
        let snapshot = self.now.at.snapshot;
        let Some(held) = snapshot.shared.get(word as usize) else { return CellLevel::Empty };
        if held.coming && self.copies_alone() {
            return CellLevel::Next;
        }
        if held.age == Age::Empty {
            return CellLevel::Empty;
        }
        let tile = held.origin().and_then(|addr| self.tile_of(addr));
        match tile {
            Some(tile) if self.is_free(word, tile) => CellLevel::Free,
            Some(_) => CellLevel::Held,
            None if held.age == Age::Old => CellLevel::Free,
            None => CellLevel::Held,
        }
    }

    /// How it was before the event, which has overwritten it.
    fn before(&self, word: u32) -> CellLevel {
        let held = self.now.at.snapshot.shared.get(word as usize);
        let tile = held.and_then(|held| self.tile_of(held.origin()?));
        let earlier = tile.is_some_and(|tile| tile >= self.product.sets);
        if earlier { CellLevel::Free } else { CellLevel::Empty }
    }

    /// The number of the tile along k to which an element of either matrix belongs.
    fn tile_of(&self, addr: u64) -> Option<u32> {
        let (array, row, column) = self.now.plan.grids.locate(addr)?;
        Some(along(self.side_of(array)?, (row, column)) / self.product.tile)
    }

    /// Whether all that load a word to use it have come up through the door with it.
    fn is_free(&self, word: u32, tile: u32) -> bool {
        let readers = self.product.readers.get(word as usize).copied().unwrap_or(u64::MAX);
        let passed = match self.passed.iter().find(|(of, _)| *of == tile) {
            Some((_, passed)) => *passed,
            None => self.passed(tile),
        };
        readers & !passed == 0
    }

    /// The warps that have come up through the door with a tile, one bit each.
    fn passed(&self, tile: u32) -> u64 {
        let doors = self.product.up + tile * self.now.plan.phases.doors;
        let warps = 0..self.now.plan.warps.min(64);
        let passed = warps.filter(|warp| self.now.has_passed(*warp, doors));
        let all = passed.fold(0, |all, warp| all | 1 << warp);
        if self.now.plan.warps >= 64 { all } else { all | u64::MAX << self.now.plan.warps }
    }

    /// The cross of the tile that is in use.
    pub(super) fn cross(&self) -> Cross {
        let mut left = self.operand(Side::Left);
        let mut top = self.operand(Side::Top);
        let mut corner = self.corner();
        let k = self.k();
        let multiplies = self.now.kind == EventKind::Multiply && self.now.is_lit();
        if let Some(k) = k.filter(|_| multiplies) {
            let rows = self.lines_of_actors(Side::Left);
            rows.iter().for_each(|row| left.set((*row, k), CellLevel::Now));
            let columns = self.lines_of_actors(Side::Top);
            columns.iter().for_each(|column| top.set((k, *column), CellLevel::Now));
        }
        let left_collar = self.collar(Side::Left);
        let top_collar = self.collar(Side::Top);
        self.band(&mut left, &mut corner);
        let followed = self.now.at.followed.and_then(|(warp, lane)| {
            let mut range = None;
            let own = self.product.sums.get(usize::from(warp) * 32 + usize::from(lane))?;
            own.iter().for_each(|at| widen(&mut range, *at));
            range
        });
        let done = self.products_done();
        let count = format!("{done} of {} products", self.product.depth);
        Cross { left, top, corner, left_collar, top_collar, k, followed, count }
    }

    /// How many products of each of its sums the acting warp has added.
    pub(super) fn products_done(&self) -> u32 {
        let warp = self.now.actors.first().copied().unwrap_or(0);
        (self.now.fma(warp.into()) / self.product.sums_each).min(self.product.depth)
    }

    /// The place along k within the tile that is multiplied, or loaded to be.
    fn k(&self) -> Option<u32> {
        if self.product.is_packed {
            return None;
        }
        let warp = usize::from(*self.now.actors.first()?);
        let fma = self.now.at.snapshot.warps.get(warp)?.fma;
        let k = match self.now.kind {
            EventKind::Multiply => fma.checked_sub(1)? / self.product.sums_each,
            EventKind::Access(MoveKind::SharedLoad) => fma / self.product.sums_each,
            EventKind::Access(MoveKind::Load) if !self.shares() => fma / self.product.sums_each,
            _ => return None,
        };
        k.checked_sub(self.used).filter(|k| *k < self.product.tile)
    }

    /// The rows, or columns, of the sums to which the warps that act add: all, if it is not known who has
    /// which.
    fn lines_of_actors(&self, side: Side) -> HashSet<u32> {
        if self.product.sums.is_empty() {
            return match side {
                Side::Left => (0..self.product.rows.len() as u32).collect(),
                Side::Top => (0..self.product.columns.len() as u32).collect(),
            };
        }
        let sums = self.now.actors.iter().flat_map(|warp| {
            let place = self.place_of_event(*warp) as usize;
            self.lanes_of(*warp).iter().filter_map(move |own| own.get(place))
        });
        sums.map(|at| line(side, *at)).collect()
    }

    /// The sums of each lane of a warp.
    fn lanes_of(&self, warp: u16) -> &'a [Vec<(u32, u32)>] {
        let first = usize::from(warp) * 32;
        let end = (first + 32).min(self.product.sums.len());
        &self.product.sums[first.min(end)..end]
    }

    /// A matrix's tile as it is used below the door, or its window of global memory.
    fn operand(&self, side: Side) -> WordTile {
        if !self.shares() {
            return self.source(side);
        }
        let set = self.tile % self.product.sets;
        let array = self.array(side);
        let (rows, columns) = self.window(side, self.used);
        let size = match side {
            Side::Left => (rows.len() as u32, self.product.tile),
            Side::Top => (self.product.tile, columns.len() as u32),
        };
        let grid = self.grid(side, set);
        let title = grid.map_or_else(String::new, |grid| grid.title.clone());
        let mut shown = tile(TileKind::Shared, title, self.now.plan.hue(array), size);
        shown.note = "shared memory".to_owned();
        shown.turned = self.product.turned[side as usize];
        shown.copies = self.copies(set);
        let packed = self.product.packed[side as usize].max(1);
        let stored = self.product.tiles[side as usize].get(set as usize);
        for (at, word) in stored.iter().flat_map(|tile| &tile.places) {
            let level = self.word(*word);
            (0..packed).for_each(|next| shown.set((at.0, at.1 + next), level));
        }
        self.light(side, &mut shown);
        let is_grid = |word: u32| grid.is_some_and(|grid| grid.at(word).is_some());
        shown.cost =
            self.cost_of(|access| access.space == ptx::Space::Shared && words(access).any(is_grid));
        self.give_values(&mut shown, array, &rows, &columns);
        shown
    }

    /// Lights what the event loads or stores of a tile in shared memory.
    fn light(&self, side: Side, shown: &mut WordTile) {
        let of_side = |word: u32| self.product.word(word).filter(|word| word.side == side);
        for one in self.now.carries(STORES).filter(|one| self.now.is_now(one)) {
            for word in words(&one.access) {
                if let Some(TileWord { at, .. }) = of_side(word) {
                    let arrived = self.now.has_arrived();
                    shown.set(*at, if arrived { CellLevel::Arrived } else { self.before(word) });
                }
            }
        }
        let k = self.k();
        if !self.now.is_lit() {
            return;
        }
        if self.product.is_packed && self.now.kind == EventKind::Multiply {
            let packed = self.product.packed[side as usize].max(1);
            for at in self.pieces(side) {
                (0..packed).for_each(|next| shown.set((at.0, at.1 + next), CellLevel::Now));
            }
        }
        for one in self.now.moves(OPERANDS).filter(|one| self.now.is_now(one)) {
            let places = words(&one.access).filter_map(of_side).map(|word| word.at);
            for at in places.filter(|at| k.is_none_or(|k| k == along(side, *at))) {
                shown.set(at, CellLevel::Now);
            }
        }
    }

    /// Where the pieces lie that a tensor core multiplies: those that it reads itself, or else those that
    /// the warps which act have loaded last.
    fn pieces(&self, side: Side) -> Vec<(u32, u32)> {
        let own = |one: &&Move| self.now.acts(one.warp) && self.side_of_move(one) == Some(side);
        let loads: Vec<_> = self.now.moves(OPERANDS).filter(own).collect();
        let read: Vec<_> = loads.iter().copied().filter(|one| self.now.is_now(one)).collect();
        let last = |warp: u16| {
            let of_warp = loads.iter().filter(|one| one.warp == warp && self.now.is_done(one));
            of_warp.map(|one| one.fma).max()
        };
        let chosen = if read.is_empty() {
            loads.iter().copied().filter(|one| last(one.warp) == Some(one.fma)).collect()
        } else {
            read
        };
        let words = chosen.iter().flat_map(|one| words(&one.access));
        let held = words.filter_map(|word| self.product.word(word));
        held.filter(|word| word.side == side).map(|word| word.at).collect()
    }

    /// The operand registers beside C.
    fn collar(&self, side: Side) -> Option<Collar> {
        if self.product.is_packed {
            return None;
        }
        let lines = match side {
            Side::Left => self.product.rows.len(),
            Side::Top => self.product.columns.len(),
        };
        let mut cells = vec![CellLevel::Empty; lines];
        let multiplied = match self.now.kind {
            EventKind::Multiply if self.now.is_lit() => self.lines_of_actors(side),
            _ => HashSet::new(),
        };
        for (warp, at, is_now) in self.operands_loaded(side) {
            let Some(cell) = cells.get_mut(line(side, at) as usize) else { continue };
            let multiplies = self.now.acts(warp) && multiplied.contains(&line(side, at));
            let level = match is_now {
                true if self.now.has_arrived() => CellLevel::Arrived,
                true => continue,
                false if multiplies => CellLevel::Now,
                false => CellLevel::Loaded,
            };
            if !matches!(cell, CellLevel::Now | CellLevel::Arrived) {
                *cell = level;
            }
        }
        Some(Collar { name: Self::name(side), hue: self.now.plan.hue(self.array(side)), cells })
    }

    /// Yields the operands that warps have loaded for their present place along k: the warp, the place
    /// within the tile, and whether it is the event that loads it.
    fn operands_loaded(&self, side: Side) -> Vec<(u16, (u32, u32), bool)> {
        let mut all = Vec::new();
        let kinds = if self.shares() { OPERANDS } else { &[MoveKind::Load] };
        for one in self.now.moves(kinds) {
            let is_now = self.now.is_now(one);
            if !is_now && !self.now.is_done(one) {
                continue;
            }
            let Some(k) = self.k_of(one.warp) else { continue };
            if self.shares() {
                let places = words(&one.access).filter_map(|word| self.product.word(word));
                let own = places.filter(|word| word.side == side && along(side, word.at) == k);
                all.extend(own.map(|word| (one.warp, word.at, is_now)));
            } else {
                let own = self.carried(one, side).filter(|(_, at)| along(side, *at) == k);
                let is_side = self.first(&one.access).and_then(|(of, ..)| self.side_of(of));
                if is_side == Some(side) {
                    all.extend(own.map(|(_, at)| (one.warp, at, is_now)));
                }
            }
        }
        all
    }

    /// The place along k within the tile for which a warp has, or gets, its operands.
    fn k_of(&self, warp: u16) -> Option<u32> {
        let fma = self.now.at.snapshot.warps.get(usize::from(warp))?.fma;
        let multiplies = self.now.kind == EventKind::Multiply && self.now.acts(warp);
        let k = fma.checked_sub(u32::from(multiplies))? / self.product.sums_each;
        k.checked_sub(self.used)
    }

    /// The sums, or what of them is stored.
    fn corner(&self) -> WordTile {
        let Product { rows, columns, .. } = self.product;
        let size = (rows.len() as u32, columns.len() as u32);
        let result = self.product.result;
        let title = result.map_or_else(
            || "sums".to_owned(),
            |array| self.now.plan.window_title(array, rows, columns),
        );
        let mut shown = tile(TileKind::Sums, title, Hue::Result, size);
        shown.note = "sums in registers".to_owned();
        if self.product.sums.is_empty() {
            let all: u32 = (0..self.now.plan.warps).map(|warp| self.now.fma(warp)).sum();
            let most = self.fma_of_run();
            let done = f64::from(all) / f64::from(most.max(1)) * f64::from(self.product.depth);
            let level = self.share(done as u32);
            shown.cells.iter_mut().for_each(|cell| cell.level = level);
        }
        for (number, sums) in self.product.sums.iter().enumerate() {
            let fma = self.now.fma(number / 32);
            let (whole, more) = (fma / self.product.sums_each, fma % self.product.sums_each);
            for (place, at) in (0..).zip(sums) {
                shown.set(*at, self.share(whole + u32::from(place < more)));
            }
        }
        self.mark_stored(&mut shown);
        shown
    }

    /// Multiply-adds of the warps in the whole run, by what they did of one tile.
    fn fma_of_run(&self) -> u32 {
        let phases = &self.now.plan.phases;
        let all = phases.fma_a_tile * self.product.count();
        all.max(1)
    }

    /// The level of a sum of this many products.
    fn share(&self, products: u32) -> CellLevel {
        if products == 0 {
            return CellLevel::Empty;
        }
        let of_all = (1.0 + f64::from(products)).ln() / (1.0 + f64::from(self.product.depth)).ln();
        CellLevel::Share((100.0 * (0.14 + 0.66 * of_all.min(1.0))).round() as u8)
    }

    /// Marks the elements that are stored, as far as the event has come.
    fn mark_stored(&self, shown: &mut WordTile) {
        let Some(array) = self.product.result else { return };
        let memory = self.now.at.machine.memory();
        let stores = |warp: &crate::trace::WarpNow| {
            let last = warp.global.as_ref();
            last.is_some_and(|last| last.access.direction.writes())
        };
        if !self.now.at.snapshot.warps.iter().any(stores) {
            return;
        }
        let grid = &self.now.plan.grids.0[array];
        let mut coming: HashSet<(u32, u32)> = HashSet::new();
        if self.now.kind == EventKind::Access(MoveKind::Store) && !self.now.has_arrived() {
            for access in self.now.actors.iter().filter_map(|warp| self.now.access(*warp)) {
                let all =
                    access.touched().flat_map(|(_, addr)| addr..addr + u64::from(access.bytes));
                coming.extend(all.filter_map(|addr| grid.at(addr)));
            }
        }
        let base = grid.address(0, 0);
        for (buffer, word, _) in memory.written() {
            if buffer != array {
                continue;
            }
            let bytes = (4 * word..4 * word + 4).step_by(grid.element.clamp(1, 4) as usize);
            for (row, column) in bytes.filter_map(|byte| grid.at(base + byte)) {
                let at = row
                    .checked_sub(self.product.rows.start)
                    .zip(column.checked_sub(self.product.columns.start));
                let Some(at) = at.filter(|_| !coming.contains(&(row, column))) else { continue };
                let wrong = self.now.at.wrong.iter();
                let mut wrong = wrong.filter(|off| (off.row, off.column) == (row, column));
                let level = if wrong.next().is_some() { CellLevel::Wrong } else { CellLevel::Done };
                shown.set(at, level);
            }
        }
    }

    /// Names the warps beside the rows that they use, where they go up or fetch.
    fn band(&self, left: &mut WordTile, corner: &mut WordTile) {
        let mut rows: BTreeMap<u16, Range<u32>> = BTreeMap::new();
        for (number, sums) in self.product.sums.iter().enumerate() {
            for (row, _) in sums {
                let own = rows.entry((number / 32) as u16).or_insert(*row..row + 1);
                *own = own.start.min(*row)..own.end.max(row + 1);
            }
        }
        let climbs = self.shares() && self.is_climbing();
        let has: HashSet<u16> = self.has_fetched();
        let bands = rows.into_iter().map(|(warp, rows)| {
            let now = self.now.acts(warp);
            let word = match self.now.kind {
                _ if climbs && self.now.waits(warp.into()) => "up",
                _ if climbs => "here",
                EventKind::Access(MoveKind::Load) if !self.shares() && has.contains(&warp) => "has",
                _ => "",
            };
            WarpBand { warp, rows, word, now }
        });
        let bands: Vec<_> = bands.collect();
        if climbs {
            left.bands = bands;
        } else {
            corner.bands = bands;
        }
    }

    /// The warps that have fetched what the event fetches.
    fn has_fetched(&self) -> HashSet<u16> {
        let of_event = self.now.moves(CARRIES).filter(|one| self.now.is_now(one)).last();
        let Some(side) = of_event.and_then(|one| self.side_of_move(one)) else {
            return HashSet::new();
        };
        let arrived = self.now.has_arrived();
        let all = self.operands_loaded(side).into_iter();
        all.filter(|(.., is_now)| arrived || !is_now).map(|(warp, ..)| warp).collect()
    }

    /// Whether warps go up through the door.
    fn is_climbing(&self) -> bool {
        let uses = self.now.plan.phases.uses(self.now.phase);
        let waits = (0..self.now.plan.warps).any(|warp| self.now.waits(warp));
        uses && waits && matches!(self.now.kind, EventKind::Wait | EventKind::Open)
    }

    /// The ways of the event.
    pub(super) fn ways(&self, is_above: bool) -> Vec<Way> {
        let mut ways = Vec::new();
        for one in self.now.moves(&[MoveKind::Load, MoveKind::SharedStore, MoveKind::SharedLoad]) {
            let Some(part) = self.now.part(one.warp).filter(|_| self.now.is_now(one)) else {
                continue;
            };
            let found = match one.kind {
                MoveKind::Load if self.shares() && is_above => self.load_way(one),
                MoveKind::SharedStore if is_above => self.store_way(one),
                _ if is_above => None,
                _ => self.operand_way(one),
            };
            ways.extend(found.map(|(from, to, side)| Way {
                from,
                to,
                hue: self.now.plan.hue(self.array(side)),
                part,
                copy: false,
            }));
        }
        ways
    }

    /// The ways of copies that no thread carries and nobody has waited for: they creep, and never arrive
    /// by themselves.
    pub(super) fn copy_ways(&self) -> Vec<Way> {
        let shared = &self.now.at.snapshot.shared;
        let is_coming = |word: u32| shared.get(word as usize).is_some_and(|word| word.coming);
        let mut ways = Vec::new();
        for one in self.now.carries(&[MoveKind::Copy]).filter(|one| self.now.is_done(one)) {
            let Some((goal, side)) = one.goal.as_ref().zip(self.side_of_move(one)) else {
                continue;
            };
            let starts = self.now.is_now(one);
            if starts && !self.now.is_lit() || !words(goal).any(is_coming) {
                continue;
            }
            let set = self.brought / self.product.tile % self.product.sets;
            let Some(grid) = self.grid(side, set) else { continue };
            let (mut from, mut to) = (None, None);
            self.carried(one, side).for_each(|(_, at)| widen(&mut from, at));
            words(goal).filter_map(|word| grid.at(word)).for_each(|at| widen(&mut to, at));
            let number = 2 * side as usize;
            ways.extend(from.zip(to).map(|(from, to)| Way {
                from: (PlaceId::Above(number), from),
                to: (PlaceId::Above(number + 1), to),
                hue: self.now.plan.hue(self.array(side)),
                part: CREEP.0 + CREEP.1 * self.part_of_tile(),
                copy: true,
            }));
        }
        ways
    }

    /// Whether this phase starts copies that no thread carries.
    pub(super) fn copies_alone(&self) -> bool {
        self.now.carries(&[MoveKind::Copy]).next().is_some()
    }

    /// The part of the multiply-adds of the present tile that the block has executed.
    fn part_of_tile(&self) -> f32 {
        let all: u32 = (0..self.now.plan.warps).map(|warp| self.now.fma(warp)).sum();
        let each = self.now.plan.phases.fma_a_tile.max(1);
        (all % each) as f32 / each as f32
    }

    /// The registers of the thread that is followed, word by word.
    pub(super) fn lens(&self) -> Option<Lens> {
        let (warp, lane) = self.now.at.followed?;
        let number = u32::from(warp) * 32 + u32::from(lane);
        let own = self.product.sums.get(number as usize).filter(|own| own.len() > 1)?;
        let rows: Vec<u32> =
            own.iter().map(|at| at.0).collect::<BTreeSet<_>>().into_iter().collect();
        let columns: Vec<u32> =
            own.iter().map(|at| at.1).collect::<BTreeSet<_>>().into_iter().collect();
        let size = (rows.len() as u32, columns.len() as u32);
        let mut sums = tile(TileKind::Sums, "sums".to_owned(), Hue::Result, size);
        let fma = self.now.fma(warp.into());
        let (whole, more) = (fma / self.product.sums_each, fma % self.product.sums_each);
        let multiplies = self.now.kind == EventKind::Multiply && self.now.acts(warp);
        for (place, at) in (0..).zip(own) {
            let cell = rows.binary_search(&at.0).ok().zip(columns.binary_search(&at.1).ok());
            let Some((row, column)) = cell else { continue };
            let is_now = multiplies && self.now.is_lit() && place == self.place_of_event(warp);
            let share = self.share(whole + u32::from(place < more));
            sums.set((row as u32, column as u32), if is_now { CellLevel::Now } else { share });
        }
        let registers = |side: Side, lines: &[u32]| {
            let count = lines.len() as u32;
            let (title, size) = match side {
                Side::Left => ("a", (count, 1)),
                Side::Top => ("b", (1, count)),
            };
            let mut shown =
                tile(TileKind::Sums, title.to_owned(), self.now.plan.hue(self.array(side)), size);
            for (of, at, is_now) in self.operands_loaded(side) {
                let Some(place) = lines.binary_search(&line(side, at)).ok().filter(|_| of == warp)
                else {
                    continue;
                };
                let level = match is_now {
                    true if self.now.has_arrived() => CellLevel::Arrived,
                    true => continue,
                    false => CellLevel::Loaded,
                };
                let place = place as u32;
                shown.set(if side == Side::Left { (place, 0) } else { (0, place) }, level);
            }
            shown
        };
        let k = whole.min(self.product.depth.saturating_sub(1));
        let notes = vec![
            format!("{} of {} products of k = {k}", more, self.product.sums_each),
            format!("{} loads for {} products", size.0 + size.1, size.0 * size.1),
        ];
        let title = format!("thread {number}: warp {warp}, lane {lane}");
        let (left, top) = (registers(Side::Left, &rows), registers(Side::Top, &columns));
        Some(Lens { title, left: Some(left), top: Some(top), sums, notes })
    }

    /// What a thread with a single sum multiplies at the present place along k: `a = sA[6][5] = A[38][5]`.
    pub(super) fn terms_of(&self, number: u32) -> Vec<String> {
        let own = self.product.sums.get(number as usize).map_or(&[][..], Vec::as_slice);
        let ([(row, column)], Some(k)) = (own, self.k()) else { return Vec::new() };
        let grids = &self.now.plan.grids.0;
        let term = |side: Side, at: (u32, u32)| {
            let (rows, columns) = self.window(side, self.used);
            let name = &grids[self.array(side)].name;
            let element = format!("{name}[{}][{}]", rows.start + at.0, columns.start + at.1);
            let stored = self.slot(side, at).map_or_else(String::new, |slot| format!("{slot} = "));
            format!("{} = {stored}{element}", Self::name(side))
        };
        let mut terms = vec![term(Side::Left, (*row, k)), term(Side::Top, (k, *column))];
        let (row, column) = (self.product.rows.start + row, self.product.columns.start + column);
        let result = self.product.result.map(|array| &grids[array].name);
        terms.extend(result.map(|name| format!("{name}[{row}][{column}] += a x b")));
        terms
    }

    /// The element of a shared array that holds an element of a tile.
    fn slot(&self, side: Side, at: (u32, u32)) -> Option<String> {
        let set = (self.tile % self.product.sets) as usize;
        let stored = self.product.tiles[side as usize].get(set)?;
        let (_, word) = stored.places.iter().find(|(place, _)| *place == at)?;
        let (row, column) = stored.grid.at(*word)?;
        let name = stored.grid.title.strip_suffix(']')?.rsplitn(3, '[').nth(2)?;
        Some(format!("{name}[{row}][{column}]"))
    }

    /// Which of a thread's sums the multiply-add of the event adds to, in their order.
    fn place_of_event(&self, warp: u16) -> u32 {
        let fma = self.now.at.snapshot.warps.get(usize::from(warp)).map_or(0, |warp| warp.fma);
        fma.saturating_sub(1) % self.product.sums_each
    }

    fn load_way(&self, one: &'a Move) -> Option<Trip> {
        let side = self.side_of_move(one)?;
        let mut range = None;
        self.carried(one, side).for_each(|(_, at)| widen(&mut range, at));
        let range = range?;
        Some(((PlaceId::Above(0), range.clone()), (PlaceId::Above(1), range), side))
    }

    fn store_way(&self, one: &'a Move) -> Option<Trip> {
        let side = self.side_of_move(one)?;
        let grid = self.grid(side, self.brought / self.product.tile % self.product.sets)?;
        let (mut from, mut to) = (None, None);
        for word in words(&one.access) {
            let place = self.product.word(word).filter(|word| word.side == side);
            place.into_iter().for_each(|word| widen(&mut from, word.at));
            grid.at(word).into_iter().for_each(|at| widen(&mut to, at));
        }
        Some(((PlaceId::Above(1), from?), (PlaceId::Above(2), to?), side))
    }

    /// From a column of the left tile into the left collar, or from a row of the top tile into the upper.
    fn operand_way(&self, one: &'a Move) -> Option<Trip> {
        let side = self.side_of_move(one)?;
        let k = self.k_of(one.warp)?;
        let mut range = None;
        if self.shares() {
            let places = words(&one.access).filter_map(|word| self.product.word(word));
            let own = places.filter(|word| word.side == side && along(side, word.at) == k);
            own.for_each(|word| widen(&mut range, word.at));
        } else {
            self.carried(one, side).for_each(|(_, at)| widen(&mut range, at));
        }
        let range = range?;
        let (from, to) = match side {
            Side::Left => (PlaceId::Left, PlaceId::LeftCollar),
            Side::Top => (PlaceId::Top, PlaceId::TopCollar),
        };
        let goal = match side {
            Side::Left => CellRange { rows: range.rows.clone(), columns: 0..1 },
            Side::Top => CellRange { rows: 0..1, columns: range.columns.clone() },
        };
        Some(((from, range), (to, goal), side))
    }

    /// The values of the elements of a window of an array, if they are wanted.
    fn give_values(
        &self,
        shown: &mut WordTile,
        array: usize,
        rows: &Range<u32>,
        columns: &Range<u32>,
    ) {
        if !self.now.at.values {
            return;
        }
        let grid = &self.now.plan.grids.0[array];
        let memory = self.now.at.machine.memory();
        let element =
            grid.operand.map(|operand: Operand| self.now.at.problem.element_type(operand));
        for row in rows.clone() {
            for column in columns.clone() {
                let at = (row - rows.start, column - columns.start);
                let Some(cell) = shown.cell_mut(at) else { continue };
                if cell.level == CellLevel::Empty {
                    continue;
                }
                let found = memory.locate(grid.address(row, column)).zip(element);
                cell.value = found.map(|((buffer, offset), of)| {
                    buffer.element(of, offset / u64::from(of.bytes())) as f32
                });
            }
        }
    }
}

/// From a place to another, and whose words go there.
type Trip = ((PlaceId, CellRange), (PlaceId, CellRange), Side);

/// The place along k of an element of either matrix.
const fn along(side: Side, (row, column): (u32, u32)) -> u32 {
    match side {
        Side::Left => column,
        Side::Top => row,
    }
}

/// Its row of C, or its column.
const fn line(side: Side, (row, column): (u32, u32)) -> u32 {
    match side {
        Side::Left => row,
        Side::Top => column,
    }
}
