//! A moment of a product of matrices: its tiles above the door, and the cross.

use super::cost;
use super::grids::{SharedGrid, counted, span, words};
use super::moment::{MoveTurn, Now, ShownEvent};
use super::observed::{MoveKind, WarpMove};
use super::scene::{CellLevel, CostLine, Hue, TileCopies, TileKind, WarpBand, WearMeter, WordTile};
use super::tile::tile;
use super::tiling::{FactorSide, Product};
use crate::analysis::coalesce;
use crate::sim::Access;
use crate::trace::Age;
use std::collections::{BTreeMap, BTreeSet};
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
    /// Whether no tile is left to bring: the last one is shown.
    is_all_brought: bool,
    /// The warps that have come up through the door with tiles near to this one.
    passed: Vec<(u32, u64)>,
}

pub(super) const CARRIES: &[MoveKind] = &[MoveKind::Load, MoveKind::Copy];
pub(super) const STORES: &[MoveKind] = &[MoveKind::SharedStore];
pub(super) const OPERANDS: &[MoveKind] = &[MoveKind::SharedLoad];

impl<'n, 'a> ProductNow<'n, 'a> {
    pub(super) fn of(now: &'n Now<'a>, product: &'a Product) -> Self {
        let (tile, brought, used) = (0, 0, 0);
        let (is_all_brought, passed) = (false, Vec::new());
        let mut this = Self { now, product, tile, brought, used, is_all_brought, passed };
        if this.shares() {
            let doors = now.plan.phases.doors.max(1);
            this.tile = now.phase.saturating_sub(product.first_use).div_ceil(doors);
            let is_between = !now.plan.phases.uses(now.phase);
            if !is_between {
                this.tile = now.phase.saturating_sub(product.first_use) / doors;
            }
            this.tile = this.tile.min(product.count().saturating_sub(1));
            this.used = this.tile * product.tile;
            let brought = this.brought_from().unwrap_or(this.used);
            this.is_all_brought = brought >= product.depth;
            this.brought = if this.is_all_brought { this.used } else { brought };
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
    pub(super) fn brought_from(&self) -> Option<u32> {
        let ks = self.now.carries(CARRIES).filter_map(|one| {
            let (array, row, column) = self.first(&one.access)?;
            self.side_of(array).map(|side| along(side, (row, column)))
        });
        let tile = self.product.tile;
        span(ks).map(|ks| self.product.along(ks.start) / tile * tile + self.now.shift())
    }

    pub(super) fn first(&self, access: &Access) -> Option<(usize, u32, u32)> {
        self.now.plan.grids.first(access)
    }

    pub(super) fn side_of(&self, array: usize) -> Option<FactorSide> {
        [(self.product.left, FactorSide::Left), (self.product.top, FactorSide::Top)]
            .into_iter()
            .find_map(|(of, side)| (of == array).then_some(side))
    }

    pub(super) const fn array(&self, side: FactorSide) -> usize {
        match side {
            FactorSide::Left => self.product.left,
            FactorSide::Top => self.product.top,
        }
    }

    pub(super) const fn name(side: FactorSide) -> &'static str {
        match side {
            FactorSide::Left => "a",
            FactorSide::Top => "b",
        }
    }

    /// The rows and columns of the array that lie in a window from this place along k.
    pub(super) fn window(&self, side: FactorSide, from: u32) -> (Range<u32>, Range<u32>) {
        let end = (from + self.product.tile).min(self.product.depth.max(from + 1));
        let ks = self.product.start + from..self.product.start + end;
        match side {
            FactorSide::Left => (self.product.rows.clone(), ks),
            FactorSide::Top => (ks, self.product.columns.clone()),
        }
    }

    /// Yields the places within the window of the elements that a carry brings, by lane.
    pub(super) fn carried(
        &self,
        one: &'a WarpMove,
        side: FactorSide,
    ) -> impl Iterator<Item = (usize, (u32, u32))> + '_ {
        let grid = &self.now.plan.grids.0[self.array(side)];
        let (rows, columns) = self.window(side, self.brought);
        let (down, across) = match side {
            FactorSide::Left => (0, self.now.shift()),
            FactorSide::Top => (self.now.shift(), 0),
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

    /// The matrix whose words the room above shows: that of the event, or else of the last carry.
    pub(super) fn carrying(&self) -> FactorSide {
        let carries = || self.now.carries(&[MoveKind::Load, MoveKind::Copy, MoveKind::SharedStore]);
        let of_event = carries().filter(|one| self.now.is_now(one)).last();
        let warp = self.now.actors.last().copied();
        let own =
            |one: &&WarpMove| warp.is_none_or(|warp| warp == one.warp) && self.now.is_done(one);
        let last = of_event.or_else(|| carries().filter(own).last());
        last.or_else(|| carries().next())
            .and_then(|one| self.side_of_move(one))
            .unwrap_or(FactorSide::Left)
    }

    pub(super) fn side_of_move(&self, one: &WarpMove) -> Option<FactorSide> {
        match one.kind {
            MoveKind::Load | MoveKind::Copy => self.side_of(self.first(&one.access)?.0),
            _ => {
                let word = words(&one.access).find_map(|word| self.product.word(word))?;
                Some(word.side)
            }
        }
    }

    /// The window of global memory that this phase brings from.
    pub(super) fn source(&self, side: FactorSide) -> WordTile {
        let array = self.array(side);
        let (rows, columns) = self.window(side, self.brought);
        let title = self.now.plan.window_title(array, &rows, &columns);
        let size = (rows.len() as u32, columns.len() as u32);
        let mut shown = tile(TileKind::Global, title, self.now.plan.hue(array), size);
        "global memory".clone_into(&mut shown.note);
        let known = if self.is_all_brought { CellLevel::Held } else { CellLevel::Next };
        shown.cells.iter_mut().for_each(|cell| cell.level = known);
        let mut rows_of: BTreeMap<u16, BTreeSet<u32>> = BTreeMap::new();
        for one in self.now.carries(CARRIES) {
            let step = self.now.turn(one);
            for (_, at) in self.carried(one, side) {
                let level = match step {
                    MoveTurn::Now if self.now.is_lit() => CellLevel::Now,
                    MoveTurn::Now | MoveTurn::Due => CellLevel::Next,
                    MoveTurn::Done => CellLevel::Held,
                };
                // A word that several warps fetch keeps the brightest of their levels.
                let keeps = shown.cell_mut(at).is_some_and(|cell| {
                    cell.level == CellLevel::Now || level == CellLevel::Next && cell.level != known
                });
                if !keeps {
                    shown.set(at, level);
                }
                rows_of.entry(one.warp).or_default().insert(at.0);
            }
        }
        if self.shares() {
            shown.bands = bands(rows_of, |warp| ("", self.now.acts(warp)));
        }
        shown.cost = self.cost_of_tile(side).or_else(|| self.copy_cost(side)).or_else(|| {
            self.now.cost_of(|access| self.first(access).is_some_and(|(of, ..)| of == array))
        });
        // The last words have come, and nothing more will be fetched.
        shown.cost = shown.cost.filter(|_| !self.is_all_brought);
        shown.wear = Some(self.wear(side));
        self.now.mark_elements(&mut shown, array, (rows.start, columns.start));
        self.give_values(&mut shown, array, &rows, &columns);
        shown
    }

    /// What the words of a tile cost that came in an earlier phase.
    pub(super) fn cost_of_tile(&self, side: FactorSide) -> Option<CostLine> {
        if self.now.carry >= self.now.phase || !self.shares() {
            return None;
        }
        let of_side = |one: &&WarpMove| self.side_of_move(one) == Some(side);
        let all: Vec<_> = self.now.carries(CARRIES).filter(of_side).collect();
        let fetched: u32 = self.fetches(side).values().sum();
        (!all.is_empty()).then(|| cost::of_tile(all.iter().map(|one| &one.access), fetched))
    }

    /// The cost of the last copy of a matrix's words that was started.
    pub(super) fn copy_cost(&self, side: FactorSide) -> Option<CostLine> {
        let copies = || self.now.carries(&[MoveKind::Copy]);
        let own = |one: &&WarpMove| self.side_of_move(one) == Some(side);
        let last = copies().filter(|one| self.now.is_done(one)).filter(own).last()?;
        let is_now = self.now.is_now(last);
        if is_now && !self.now.has_arrived() {
            return None;
        }
        let parts = copies().filter(|one| one.is_with(last)).filter(own);
        Some(cost::copy(parts.filter_map(|one| Some((&one.access, one.goal.as_ref()?))), is_now))
    }

    /// How often the sectors of each row of the window have been fetched in this phase.
    pub(super) fn wear(&self, side: FactorSide) -> WearMeter {
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
    pub(super) fn fetches(&self, side: FactorSide) -> BTreeMap<u64, u32> {
        let grid = &self.now.plan.grids.0[self.array(side)];
        let rows = if side == FactorSide::Top { self.now.shift() } else { 0 };
        let columns = if side == FactorSide::Left { self.now.shift() } else { 0 };
        let by = grid.address(rows, columns) - grid.address(0, 0);
        let array = self.array(side);
        let counts = |one: &&WarpMove| {
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
        of(FactorSide::Left) + of(FactorSide::Top)
    }

    pub(super) fn sectors_of_all(&self) -> u64 {
        let of = |side| {
            let all: BTreeSet<u64> = self.sectors_along(side, 0..self.product.depth).collect();
            all.len() as u64
        };
        of(FactorSide::Left) + of(FactorSide::Top)
    }

    /// The sectors of the elements in a part along k.
    pub(super) fn sectors_along(
        &self,
        side: FactorSide,
        ks: Range<u32>,
    ) -> impl Iterator<Item = u64> + '_ {
        let grid = &self.now.plan.grids.0[self.array(side)];
        let lines = match side {
            FactorSide::Left => self.product.rows.clone(),
            FactorSide::Top => self.product.columns.clone(),
        };
        let start = self.product.start;
        ks.map(move |k| start + k).flat_map(move |k| {
            lines.clone().map(move |line| {
                let (row, column) = if side == FactorSide::Left { (line, k) } else { (k, line) };
                grid.address(row, column) / coalesce::SECTOR
            })
        })
    }

    /// The elements of a matrix that a lane carries side by side.
    pub(super) fn brick(&self, one: &WarpMove, side: FactorSide) -> u32 {
        let own = self.side_of_move(one) == Some(side);
        let element = self.now.plan.grids.0[self.array(side)].element;
        if own { (u64::from(one.access.bytes) / element) as u32 } else { 1 }
    }

    /// The threads that carry the words of a matrix, each where its word lies in the window.
    pub(super) fn threads(&self, side: FactorSide) -> WordTile {
        let (rows, columns) = self.window(side, self.brought);
        let size = (rows.len() as u32, columns.len() as u32);
        let title = cost::counted(self.now.plan.threads, "thread");
        let mut shown = tile(TileKind::Threads, title, Hue::Plate, size);
        let warps = self.now.plan.warps;
        shown.note = cost::counted(warps as u32, "warp");
        let held = self.now.plan.hue(self.array(side));
        let mut rows_of: BTreeMap<u16, BTreeSet<u32>> = BTreeMap::new();
        for one in self.now.carries(CARRIES) {
            let step = self.now.turn(one);
            let waits = self.now.waits(one.warp.into());
            shown.brick = shown.brick.max(self.brick(one, side));
            for (lane, at) in self.carried(one, side) {
                shown.mark_if(at, self.now.is_marked((one.warp, lane)));
                let level = match step {
                    _ if waits => CellLevel::Waits,
                    MoveTurn::Now if self.now.has_arrived() => CellLevel::Arrived,
                    MoveTurn::Now | MoveTurn::Due => CellLevel::Empty,
                    MoveTurn::Done => CellLevel::InRegisters,
                };
                if let Some(cell) = shown.cell_mut(at) {
                    cell.level = level;
                    cell.hue = Some(held).filter(|_| level != CellLevel::Waits);
                }
                rows_of.entry(one.warp).or_default().insert(at.0);
            }
        }
        for one in self.now.carries(STORES) {
            let step = self.now.turn(one);
            if step == MoveTurn::Due || self.now.waits(one.warp.into()) {
                continue;
            }
            let is_source =
                step == MoveTurn::Now && self.now.at.progress != super::EventProgress::Settled;
            let level = match step {
                MoveTurn::Now if !self.now.is_lit() => CellLevel::InRegisters,
                MoveTurn::Now if is_source => CellLevel::Now,
                _ => CellLevel::Empty,
            };
            for word in words(&one.access).filter_map(|word| self.product.word(word)) {
                if word.side == side {
                    shown.set(word.at, level);
                }
            }
        }
        shown.bands = bands(rows_of, |warp| {
            let now = self.now.acts(warp);
            let does = match self.now.kind {
                ShownEvent::Access(MoveKind::SharedStore) if now => "store",
                ShownEvent::Access(MoveKind::Load) if now => "load",
                _ if self.now.waits(warp.into()) => "waits",
                _ => "",
            };
            (does, now)
        });
        self.give_values(&mut shown, self.array(side), &rows, &columns);
        shown
    }

    /// Shared memory of a matrix as it is stored, above the door.
    pub(super) fn stored(&self, side: FactorSide) -> Option<WordTile> {
        let set = self.brought / self.product.tile % self.product.sets;
        let grid = self.grid(side, set)?;
        let hue = self.now.plan.hue(self.array(side));
        let mut shown = tile(TileKind::Shared, grid.title.clone(), hue, (grid.rows, grid.columns));
        "shared memory".clone_into(&mut shown.note);
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
        self.now.mark_words(&mut shown, |word| grid.at(word));
        for at in self.marked_of(side, self.brought) {
            if let Some(at) = self.word_at(side, set, at).and_then(|word| grid.at(word)) {
                shown.mark_if(at, true);
            }
        }
        for (word, cell) in (grid.first..).zip(&mut shown.cells) {
            let holds = !matches!(cell.level, CellLevel::Empty | CellLevel::Padding);
            cell.value = if holds { self.value_of_word(word) } else { None };
        }
        let inside = |access: &Access| words(access).any(|word| grid.at(word).is_some());
        shown.cost =
            self.now.cost_of(|access| access.space == ptx::Space::Shared && inside(access));
        Some(shown)
    }

    /// The marked elements of a matrix, by their places in the window from this place along k.
    fn marked_of(&self, side: FactorSide, from: u32) -> Vec<(u32, u32)> {
        let (rows, columns) = self.window(side, from);
        let inside = |(row, column): (u32, u32)| {
            let is_inside = rows.contains(&row) && columns.contains(&column);
            is_inside.then(|| (row - rows.start, column - columns.start))
        };
        self.now.marked_elements(self.array(side)).into_iter().filter_map(inside).collect()
    }

    /// The word of shared memory that holds an element of a tile.
    pub(super) fn word_at(&self, side: FactorSide, set: u32, at: (u32, u32)) -> Option<u32> {
        let stored = self.product.tiles[side as usize].get(set as usize)?;
        stored.places.iter().find(|(place, _)| *place == at).map(|(_, word)| *word)
    }

    pub(super) fn copies(&self, set: u32) -> TileCopies {
        if self.product.sets < 2 {
            return TileCopies::default();
        }
        TileCopies { this: set, all: self.product.sets }
    }

    pub(super) fn grid(&self, side: FactorSide, set: u32) -> Option<&'a SharedGrid> {
        self.product.tiles[side as usize].get(set as usize).map(|tile| &tile.grid)
    }

    /// How a word of shared memory is shown, if this event does not touch it.
    pub(super) fn word(&self, word: u32) -> CellLevel {
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
            None if held.age == Age::Old => CellLevel::Free,
            Some(_) | None => CellLevel::Held,
        }
    }

    /// How it was before the event, which has overwritten it.
    pub(super) fn before(&self, word: u32) -> CellLevel {
        let held = self.now.at.snapshot.shared.get(word as usize);
        let tile = held.and_then(|held| self.tile_of(held.origin()?));
        let earlier = tile.is_some_and(|tile| tile >= self.product.sets);
        if earlier { CellLevel::Free } else { CellLevel::Empty }
    }

    /// The number of the tile along k to which an element of either matrix belongs.
    pub(super) fn tile_of(&self, addr: u64) -> Option<u32> {
        let (array, row, column) = self.now.plan.grids.locate(addr)?;
        let k = along(self.side_of(array)?, (row, column));
        Some(self.product.along(k) / self.product.tile)
    }

    /// Whether all that load a word to use it have come up through the door with it.
    pub(super) fn is_free(&self, word: u32, tile: u32) -> bool {
        let readers = self.product.readers.get(word as usize).copied().unwrap_or(u64::MAX);
        let passed = match self.passed.iter().find(|(of, _)| *of == tile) {
            Some((_, passed)) => *passed,
            None => self.passed(tile),
        };
        readers & !passed == 0
    }

    /// The warps that have come up through the door with a tile, one bit each.
    pub(super) fn passed(&self, tile: u32) -> u64 {
        let doors = self.product.up + tile * self.now.plan.phases.doors;
        let warps = 0..self.now.plan.warps.min(64);
        let passed = warps.filter(|warp| self.now.has_passed(*warp, doors));
        let all = passed.fold(0, |all, warp| all | 1 << warp);
        if self.now.plan.warps >= 64 { all } else { all | u64::MAX << self.now.plan.warps }
    }

    /// The values of the elements of a window of an array, if they are wanted.
    pub(super) fn give_values(
        &self,
        shown: &mut WordTile,
        array: usize,
        rows: &Range<u32>,
        columns: &Range<u32>,
    ) {
        if !self.now.at.values {
            return;
        }
        for row in rows.clone() {
            for column in columns.clone() {
                let at = (row - rows.start, column - columns.start);
                let Some(cell) = shown.cell_mut(at) else { continue };
                if !matches!(cell.level, CellLevel::Empty | CellLevel::Waits) {
                    cell.value = self.value(array, (row, column));
                }
            }
        }
    }

    /// The value of an element of an array.
    fn value(&self, array: usize, (row, column): (u32, u32)) -> Option<f32> {
        let grid = &self.now.plan.grids.0[array];
        let (buffer, offset) = self.now.at.machine.memory().locate(grid.address(row, column))?;
        let of = self.now.at.problem.element_type(grid.operand?);
        Some(buffer.element(of, offset / u64::from(of.bytes())) as f32)
    }

    /// The value that a word of shared memory was loaded with, if values are wanted.
    fn value_of_word(&self, word: u32) -> Option<f32> {
        let origin = self.now.at.snapshot.shared.get(word as usize)?.origin()?;
        let (array, row, column) = self.now.plan.grids.locate(origin)?;
        self.value(array, (row, column)).filter(|_| self.now.at.values)
    }
}

/// A band for each run of rows of a warp, from top to bottom, with what the warp does and whether it does
/// it now.
fn bands(
    rows_of: BTreeMap<u16, BTreeSet<u32>>,
    does: impl Fn(u16) -> (&'static str, bool),
) -> Vec<WarpBand> {
    let mut bands: Vec<WarpBand> = Vec::new();
    for (warp, rows) in rows_of {
        let (word, now) = does(warp);
        let rows: Vec<u32> = rows.into_iter().collect();
        let runs = rows.chunk_by(|row, next| row + 1 == *next).filter_map(<[u32]>::split_first);
        bands.extend(runs.map(|(first, more)| {
            let rows = *first..first + 1 + more.len() as u32;
            WarpBand { warp, rows, word, now }
        }));
    }
    bands.sort_by_key(|band| band.rows.start);
    bands
}

/// The place along k of an element of either matrix.
pub(super) const fn along(side: FactorSide, (row, column): (u32, u32)) -> u32 {
    match side {
        FactorSide::Left => column,
        FactorSide::Top => row,
    }
}

/// Its row of C, or its column.
pub(super) const fn line(side: FactorSide, (row, column): (u32, u32)) -> u32 {
    match side {
        FactorSide::Left => row,
        FactorSide::Top => column,
    }
}
