//! The ways of a product's words, and what a followed thread has in its registers.

use super::grids::words;
use super::moment::ShownEvent;
use super::observed::{MoveKind, WarpMove};
use super::product::{ProductNow, along, line};
use super::scene::{CellLevel, CellRange, Hue, Lens, PlaceId, TileKind, Way};
use super::tile::{tile, widen};
use super::tiling::FactorSide;
use std::collections::BTreeSet;

/// How far a copy has crept when it starts, and how much farther until somebody waits for it.
const CREEP: (f32, f32) = (0.1, 0.8);

/// The lane whose registers hold an element of a piece.
type LaneOf<'f> = &'f dyn Fn((u32, u32)) -> u32;

/// From a place to another, and whose words go there.
type Trip = ((PlaceId, CellRange), (PlaceId, CellRange), FactorSide);

impl<'a> ProductNow<'_, 'a> {
    pub(super) fn ways(&self, is_above: bool) -> Vec<Way> {
        let mut ways: Vec<Way> = Vec::new();
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
            let Some((from, to, side)) = found else { continue };
            let is_same = |way: &&mut Way| (&way.from, &way.to) == (&from, &to);
            if let Some(way) = ways.iter_mut().find(is_same) {
                // What several warps fetch goes once: strips behind each other would flicker.
                way.part = self.now.whole_part().unwrap_or(part);
                continue;
            }
            let hue = self.now.plan.hue(self.array(side));
            ways.push(Way { from, to, hue, part, copy: false });
        }
        ways
    }

    /// The ways of copies that no thread carries and nobody has waited for: they creep, and never arrive
    /// by themselves.
    pub(super) fn copy_ways(&self) -> Vec<Way> {
        if self.now.at.hurries {
            // While tiles fly by, they would come and go several times a second.
            return Vec::new();
        }
        let shared = &self.now.at.snapshot.shared;
        let is_coming = |word: u32| shared.get(word as usize).is_some_and(|word| word.coming);
        let is_under_way = |one: &&WarpMove| {
            let has_started = self.now.is_done(one) && (!self.now.is_now(one) || self.now.is_lit());
            has_started && one.goal.iter().any(|goal| words(goal).any(is_coming))
        };
        let all: Vec<_> = self.now.carries(&[MoveKind::Copy]).filter(is_under_way).collect();
        let same = |a: &&WarpMove, b: &&WarpMove| {
            a.is_with(b) && self.side_of_move(a) == self.side_of_move(b)
        };
        all.chunk_by(same).filter_map(|parts| self.copy_way(parts)).collect()
    }

    /// The way of the parts of one copy.
    fn copy_way(&self, parts: &[&'a WarpMove]) -> Option<Way> {
        let side = self.side_of_move(parts.first()?)?;
        let set = self.brought / self.product.tile % self.product.sets;
        let grid = self.grid(side, set)?;
        let (mut from, mut to) = (None, None);
        for one in parts {
            self.carried(one, side).for_each(|(_, at)| widen(&mut from, at));
            let goal = one.goal.iter().flat_map(words);
            goal.filter_map(|word| grid.at(word)).for_each(|at| widen(&mut to, at));
        }
        let number = 2 * side as usize;
        Some(Way {
            from: (PlaceId::Above(number), from?),
            to: (PlaceId::Above(number + 1), to?),
            hue: self.now.plan.hue(self.array(side)),
            part: CREEP.0 + CREEP.1 * self.part_of_tile(),
            copy: true,
        })
    }

    /// Whether this phase starts copies that no thread carries.
    pub(super) fn copies_alone(&self) -> bool {
        self.now.carries(&[MoveKind::Copy]).next().is_some()
    }

    /// The part of the multiply-adds of the present tile that the block has executed.
    pub(super) fn part_of_tile(&self) -> f32 {
        let all: u32 = (0..self.now.plan.warps).map(|warp| self.now.fma(warp)).sum();
        let each = self.now.plan.phases.fma_a_tile.max(1);
        (all % each) as f32 / each as f32
    }

    /// The registers of the thread that is followed, word by word.
    pub(super) fn lens(&self) -> Option<Lens> {
        if self.product.is_packed {
            return self.lens_of_pieces();
        }
        let (warp, lane) = self.now.at.focus.followed?;
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
        let multiplies = self.now.kind == ShownEvent::Multiply && self.now.acts(warp);
        for (place, (at, products)) in (0..).zip(self.product.sums_of(number as usize, fma)) {
            let cell = rows.binary_search(&at.0).ok().zip(columns.binary_search(&at.1).ok());
            let Some((row, column)) = cell else { continue };
            let is_now = multiplies && self.now.is_lit() && place == self.place_of_event(warp);
            let share = self.share(products);
            sums.set((row as u32, column as u32), if is_now { CellLevel::Now } else { share });
        }
        let registers = |side: FactorSide, lines: &[u32]| {
            let count = lines.len() as u32;
            let size = if side == FactorSide::Left { (count, 1) } else { (1, count) };
            let (title, hue) = (Self::name(side).to_owned(), self.now.plan.hue(self.array(side)));
            let mut shown = tile(TileKind::Sums, title, hue, size);
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
                shown.set(if side == FactorSide::Left { (place, 0) } else { (0, place) }, level);
            }
            shown
        };
        let k = whole.min(self.product.depth.saturating_sub(1));
        let notes = vec![
            format!("{} of {} products of k = {k}", more, self.product.sums_each),
            format!("{} loads for {} products", size.0 + size.1, size.0 * size.1),
        ];
        let title = format!("thread {number}: warp {warp}, lane {lane}");
        let (left, top) =
            (registers(FactorSide::Left, &rows), registers(FactorSide::Top, &columns));
        Some(Lens { title, left: Some(left), top: Some(top), sums, notes })
    }

    /// The pieces of one instruction of a warp, word by word: that of the thread which is followed, or else
    /// of the warp that acts.
    fn lens_of_pieces(&self) -> Option<Lens> {
        let (warp, lane) = match self.now.at.focus.followed {
            Some((warp, lane)) => (warp, Some(u32::from(lane))),
            None => (self.now.actors.last().copied().unwrap_or(0), None),
        };
        let piece = self.piece_of(warp)?;
        let [m, n, k] = [&piece.rows, &piece.columns, &piece.ks].map(|side| side.len() as u32);
        let parts = self.product.parts_of(warp.into(), self.now.fma(warp.into()));
        let own = parts.iter().find(|(of, _)| of.adds_to((piece.rows.start, piece.columns.start)));
        let products = own.map_or(0, |(_, products)| *products);
        // Neighbours along k that share a register; of the sums, two along a row.
        let [a, b] = self.product.packed.map(|packed| packed.max(1));
        let part = |name: &str,
                    hue: Hue,
                    (rows, columns): (u32, u32),
                    level: CellLevel,
                    of: LaneOf| {
            let mut shown =
                tile(TileKind::Sums, format!("{name} {rows} x {columns}"), hue, (rows, columns));
            for at in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                let is_own = lane.is_some_and(|lane| of(at) == lane);
                shown.set(at, if is_own { CellLevel::Followed } else { level });
            }
            shown
        };
        let hue = |side| self.now.plan.hue(self.array(side));
        let row_of_lane = |word: u32| move |(row, at): (u32, u32)| 4 * (row % 8) + at / word % 4;
        let has_any =
            self.now.at.snapshot.warps.get(usize::from(warp)).is_some_and(|of| of.fma > 0);
        let loaded = if has_any { CellLevel::Loaded } else { CellLevel::Empty };
        let left = part("a", hue(FactorSide::Left), (m, k), loaded, &row_of_lane(a));
        let top = part("b", hue(FactorSide::Top), (k, n), loaded, &move |(at, column)| {
            4 * (column % 8) + at / b % 4
        });
        let sums = part("c", Hue::Result, (m, n), self.share(products), &row_of_lane(2));
        let holds = if piece.in_registers {
            let [a, b, c] = [m * k, k * n, m * n].map(|all| all / 32);
            format!("a lane holds {a} of a, {b} of b, {c} of c")
        } else {
            format!("a lane holds {} of c; a and b stay in shared memory", m * n / 32)
        };
        let white = lane.map(|lane| format!("white: what lane {lane} holds"));
        let notes = std::iter::once(holds).chain(white).collect();
        let operands = piece.in_registers.then_some((left, top));
        let (left, top) = operands.map_or((None, None), |(left, top)| (Some(left), Some(top)));
        Some(Lens { title: format!("warp {warp}: its pieces"), left, top, sums, notes })
    }

    /// What a thread with a single sum multiplies at the present place along k: `a = sA[6][5] = A[38][5]`.
    pub(super) fn terms_of(&self, number: u32) -> Vec<String> {
        let own = self.product.sums.get(number as usize).map_or(&[][..], Vec::as_slice);
        let ([(row, column)], Some(k)) = (own, self.k()) else { return Vec::new() };
        let grids = &self.now.plan.grids.0;
        let term = |side: FactorSide, at: (u32, u32)| {
            let (rows, columns) = self.window(side, self.used);
            let name = &grids[self.array(side)].name;
            let element = format!("{name}[{}][{}]", rows.start + at.0, columns.start + at.1);
            let stored = self.slot(side, at).map_or_else(String::new, |slot| format!("{slot} = "));
            format!("{} = {stored}{element}", Self::name(side))
        };
        let mut terms =
            vec![term(FactorSide::Left, (*row, k)), term(FactorSide::Top, (k, *column))];
        let (row, column) = (self.product.rows.start + row, self.product.columns.start + column);
        let result = self.product.result.map(|array| &grids[array].name);
        terms.extend(result.map(|name| format!("{name}[{row}][{column}] += a x b")));
        terms
    }

    /// The element of a shared array that holds an element of a tile.
    pub(super) fn slot(&self, side: FactorSide, at: (u32, u32)) -> Option<String> {
        let set = self.tile % self.product.sets;
        let grid = self.grid(side, set)?;
        let (row, column) = grid.at(self.word_at(side, set, at)?)?;
        let name = grid.title.strip_suffix(']')?.rsplitn(3, '[').nth(2)?;
        Some(format!("{name}[{row}][{column}]"))
    }

    /// Which of a thread's sums the multiply-add of the event adds to, in their order.
    pub(super) fn place_of_event(&self, warp: u16) -> u32 {
        let fma = self.now.at.snapshot.warps.get(usize::from(warp)).map_or(0, |warp| warp.fma);
        fma.saturating_sub(1) % self.product.sums_each
    }

    pub(super) fn load_way(&self, one: &'a WarpMove) -> Option<Trip> {
        let side = self.side_of_move(one)?;
        let mut range = None;
        self.carried(one, side).for_each(|(_, at)| widen(&mut range, at));
        let range = range?;
        Some(((PlaceId::Above(0), range.clone()), (PlaceId::Above(1), range), side))
    }

    pub(super) fn store_way(&self, one: &'a WarpMove) -> Option<Trip> {
        let side = self.side_of_move(one)?;
        let grid = self.grid(side, self.brought / self.product.tile % self.product.sets)?;
        let (mut from, mut to) = (None, None);
        for word in words(&one.access) {
            let place = self.product.word(word).filter(|word| word.side == side);
            if let Some(word) = place {
                widen(&mut from, word.at);
            }
            grid.at(word).into_iter().for_each(|at| widen(&mut to, at));
        }
        Some(((PlaceId::Above(1), from?), (PlaceId::Above(2), to?), side))
    }

    /// From a column of the left tile into the left collar, or from a row of the top tile into the upper.
    pub(super) fn operand_way(&self, one: &'a WarpMove) -> Option<Trip> {
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
            FactorSide::Left => (PlaceId::Left, PlaceId::LeftCollar),
            FactorSide::Top => (PlaceId::Top, PlaceId::TopCollar),
        };
        let goal = match side {
            FactorSide::Left => CellRange { rows: range.rows.clone(), columns: 0..1 },
            FactorSide::Top => CellRange { rows: 0..1, columns: range.columns.clone() },
        };
        Some(((from, range), (to, goal), side))
    }
}
