//! The cross of a product: both tiles, their operand registers, and the sums.

use super::grids::words;
use super::moment::ShownEvent;
use super::observed::{MoveKind, WarpMove};
use super::pieces::PieceProduct;
use super::product::{CARRIES, OPERANDS, ProductNow, STORES, along, line};
use super::scene::{
    CellLevel, Collar, Cross, GridCell, Hue, SideLine, TileKind, WarpBand, WordTile,
};
use super::tile::{tile, widen};
use super::tiling::{FactorSide, Product, TileWord};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

impl<'a> ProductNow<'_, 'a> {
    /// The cross of the tile that is in use.
    pub(super) fn cross(&self) -> Cross {
        let mut left = self.operand(FactorSide::Left);
        let mut top = self.operand(FactorSide::Top);
        let mut corner = self.corner();
        let k = self.k();
        let multiplies = self.now.kind == ShownEvent::Multiply && self.now.is_lit();
        if let Some(k) = k.filter(|_| multiplies) {
            let rows = self.lines_of_actors(FactorSide::Left);
            for row in &rows {
                left.set((*row, k), CellLevel::Now);
            }
            let columns = self.lines_of_actors(FactorSide::Top);
            for column in &columns {
                top.set((k, *column), CellLevel::Now);
            }
        }
        let left_collar = self.collar(FactorSide::Left);
        let top_collar = self.collar(FactorSide::Top);
        self.band(&mut corner);
        let followed = self.now.at.focus.followed.and_then(|(warp, lane)| {
            let mut range = None;
            let own = self.product.sums.get(usize::from(warp) * 32 + usize::from(lane))?;
            for at in own {
                widen(&mut range, *at);
            }
            range
        });
        let depth = self.product.depth;
        let count = match k {
            Some(k) => format!("product {} of {depth}", self.used + k + 1),
            None => format!("{} of {depth} products", self.products_done()),
        };
        let sums_each = self.sums_each();
        Cross { left, top, corner, left_collar, top_collar, k, followed, sums_each, count }
    }

    /// The rows and the columns of C of which the first thread has the sums.
    fn sums_each(&self) -> (u32, u32) {
        let own = self.product.sums.first().map_or(&[][..], Vec::as_slice);
        let lines = |of: fn(&(u32, u32)) -> u32| {
            (own.iter().map(of).collect::<HashSet<_>>().len() as u32).max(1)
        };
        (lines(|at| at.0), lines(|at| at.1))
    }

    /// How many products of each of its sums the acting warp has added.
    pub(super) fn products_done(&self) -> u32 {
        let warp = self.now.actors.first().copied().unwrap_or(0);
        if let Some(piece) = self.piece_of(warp) {
            let parts = self.product.parts_of(warp.into(), self.now.fma(warp.into()));
            let own =
                parts.iter().find(|(of, _)| of.adds_to((piece.rows.start, piece.columns.start)));
            return own.map_or(0, |(_, products)| *products).min(self.product.depth);
        }
        (self.now.fma(warp.into()) / self.product.sums_each).min(self.product.depth)
    }

    /// What a warp has multiplied last, if it multiplies pieces.
    pub(super) fn piece_of(&self, warp: u16) -> Option<&'a PieceProduct> {
        let fma = self.now.at.snapshot.warps.get(usize::from(warp))?.fma;
        self.product.piece(warp, fma.saturating_sub(1))
    }

    /// The pieces that the event multiplies.
    fn pieces_of_event(&self) -> Vec<&'a PieceProduct> {
        let actors = self.now.actors.iter().filter(|_| self.now.kind == ShownEvent::Multiply);
        actors.filter_map(|warp| self.piece_of(*warp)).collect()
    }

    /// The place along k within the tile that is multiplied, or loaded to be.
    pub(super) fn k(&self) -> Option<u32> {
        if self.product.is_packed {
            return None;
        }
        let warp = usize::from(*self.now.actors.first()?);
        let fma = self.now.at.snapshot.warps.get(warp)?.fma;
        let k = match self.now.kind {
            ShownEvent::Multiply => fma.checked_sub(1)? / self.product.sums_each,
            ShownEvent::Access(MoveKind::SharedLoad) => fma / self.product.sums_each,
            ShownEvent::Access(MoveKind::Load) if !self.shares() => fma / self.product.sums_each,
            _ => return None,
        };
        k.checked_sub(self.used).filter(|k| *k < self.product.tile)
    }

    /// The rows, or columns, of the sums to which the warps that act add: all, if it is not known who has
    /// which.
    pub(super) fn lines_of_actors(&self, side: FactorSide) -> HashSet<u32> {
        if self.product.sums.is_empty() {
            return match side {
                FactorSide::Left => (0..self.product.rows.len() as u32).collect(),
                FactorSide::Top => (0..self.product.columns.len() as u32).collect(),
            };
        }
        let sums = self.now.actors.iter().flat_map(|warp| {
            let place = self.place_of_event(*warp) as usize;
            self.lanes_of(*warp).iter().filter_map(move |own| own.get(place))
        });
        sums.map(|at| line(side, *at)).collect()
    }

    /// The sums of each lane of a warp.
    pub(super) fn lanes_of(&self, warp: u16) -> &'a [Vec<(u32, u32)>] {
        let first = usize::from(warp) * 32;
        let end = (first + 32).min(self.product.sums.len());
        &self.product.sums[first.min(end)..end]
    }

    /// A matrix's tile as it is used below the door, or its window of global memory.
    pub(super) fn operand(&self, side: FactorSide) -> WordTile {
        if !self.shares() {
            return self.source(side);
        }
        let set = self.tile % self.product.sets;
        let array = self.array(side);
        let (rows, columns) = self.window(side, self.used);
        let size = match side {
            FactorSide::Left => (rows.len() as u32, self.product.tile),
            FactorSide::Top => (self.product.tile, columns.len() as u32),
        };
        let grid = self.grid(side, set);
        let title = grid.map_or_else(String::new, |grid| grid.title.clone());
        let mut shown = tile(TileKind::Shared, title, self.now.plan.hue(array), size);
        "shared memory".clone_into(&mut shown.note);
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
        shown.cost = self
            .now
            .cost_of(|access| access.space == ptx::Space::Shared && words(access).any(is_grid));
        self.say_how_many(side, &mut shown);
        self.give_values(&mut shown, array, &rows, &columns);
        self.now.mark_elements(&mut shown, array, (rows.start, columns.start));
        self.now.mark_words(&mut shown, |word| {
            let held = self.product.word(word).filter(|held| (held.side, held.set) == (side, set));
            held.map(|held| held.at)
        });
        shown
    }

    /// Says of an access that brings operands for several places along k at once how many these are.
    fn say_how_many(&self, side: FactorSide, shown: &mut WordTile) {
        let loads = self.now.moves(OPERANDS).filter(|one| self.now.is_now(one));
        let of_side = loads.filter(|one| self.side_of_move(one) == Some(side)).last();
        let places = of_side.into_iter().flat_map(|one| words(&one.access));
        let ks: HashSet<u32> =
            places.filter_map(|word| Some(along(side, self.product.word(word)?.at))).collect();
        let Some(cost) = shown.cost.as_mut().filter(|_| ks.len() > 1) else { return };
        let lines = if side == FactorSide::Left { "columns" } else { "rows" };
        if let Some(passes) = cost.words.last() {
            cost.words.insert(0, format!("{passes} bring {} {lines}", ks.len()));
        }
    }

    /// Lights what the event loads or stores of a tile in shared memory.
    pub(super) fn light(&self, side: FactorSide, shown: &mut WordTile) {
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
        if self.product.is_packed && self.now.kind == ShownEvent::Multiply {
            self.pieces(side).into_iter().for_each(|at| shown.set(at, CellLevel::Now));
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
    pub(super) fn pieces(&self, side: FactorSide) -> Vec<(u32, u32)> {
        let known = self.pieces_of_event();
        if !known.is_empty() {
            let places = known.into_iter().flat_map(|piece| match side {
                FactorSide::Left => places(&piece.rows, &piece.ks),
                FactorSide::Top => places(&piece.ks, &piece.columns),
            });
            return places.collect();
        }
        let own = |one: &&WarpMove| self.now.acts(one.warp) && self.side_of_move(one) == Some(side);
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
        let packed = self.product.packed[side as usize].max(1);
        let own = held.filter(|word| word.side == side).map(|word| word.at);
        own.flat_map(|(row, column)| (column..column + packed).map(move |at| (row, at))).collect()
    }

    /// The operand registers beside C.
    pub(super) fn collar(&self, side: FactorSide) -> Option<Collar> {
        if self.product.is_packed {
            return None;
        }
        let lines = match side {
            FactorSide::Left => self.product.rows.len(),
            FactorSide::Top => self.product.columns.len(),
        };
        let mut cells = vec![CellLevel::Empty; lines];
        let multiplied = match self.now.kind {
            ShownEvent::Multiply if self.now.is_lit() => self.lines_of_actors(side),
            _ => HashSet::new(),
        };
        for (warp, at, is_now) in self.operands_loaded(side) {
            let Some(cell) = cells.get_mut(line(side, at) as usize) else { continue };
            let multiplies = self.now.acts(warp) && multiplied.contains(&line(side, at));
            let level = match is_now {
                true if self.now.has_arrived() => CellLevel::Arrived,
                true => continue,
                // Yellow is for where the words lie: their copies keep the hue of their array. With several
                // sums a thread takes them in turns, faster than the eye can bear.
                false if multiplies || self.product.sums_each > 1 => CellLevel::Arrived,
                false => CellLevel::Loaded,
            };
            if *cell != CellLevel::Arrived {
                *cell = level;
            }
        }
        Some(Collar { name: Self::name(side), hue: self.now.plan.hue(self.array(side)), cells })
    }

    /// Yields the operands that warps have loaded for their present place along k: the warp, the place
    /// within the tile, and whether it is the event that loads it.
    pub(super) fn operands_loaded(&self, side: FactorSide) -> Vec<(u16, (u32, u32), bool)> {
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
    pub(super) fn k_of(&self, warp: u16) -> Option<u32> {
        let fma = self.now.at.snapshot.warps.get(usize::from(warp))?.fma;
        let multiplies = self.now.kind == ShownEvent::Multiply && self.now.acts(warp);
        let k = fma.checked_sub(u32::from(multiplies))? / self.product.sums_each;
        k.checked_sub(self.used)
    }

    /// The sums, or what of them is stored.
    pub(super) fn corner(&self) -> WordTile {
        let Product { rows, columns, .. } = self.product;
        let size = (rows.len() as u32, columns.len() as u32);
        let result = self.product.result;
        let title = result.map_or_else(
            || "sums".to_owned(),
            |array| self.now.plan.window_title(array, rows, columns),
        );
        let mut shown = tile(TileKind::Sums, title, Hue::Result, size);
        for warp in 0..self.product.pieces.len() {
            for (piece, products) in self.product.parts_of(warp, self.now.fma(warp)) {
                let level = self.share(products);
                for at in places(&piece.rows, &piece.columns) {
                    shown.set(at, level);
                }
            }
        }
        if self.now.is_lit() {
            let pieces = self.pieces_of_event().into_iter();
            let lit: Vec<_> =
                pieces.flat_map(|piece| places(&piece.rows, &piece.columns)).collect();
            // Where it is nearly all of C, nothing would be told by it.
            if 2 * lit.len() <= shown.cells.len() {
                for at in lit {
                    shown.set(at, CellLevel::Now);
                }
            }
        }
        if self.product.sums.is_empty() && self.product.pieces.is_empty() {
            let all: u32 = (0..self.now.plan.warps).map(|warp| self.now.fma(warp)).sum();
            let most = self.fma_of_run();
            let done = f64::from(all) / f64::from(most.max(1)) * f64::from(self.product.depth);
            let level = self.share(done as u32);
            shown.cells.iter_mut().for_each(|cell| cell.level = level);
        }
        // Several threads may add to the same element, each its part of k.
        let mut added = vec![0; shown.cells.len()];
        for thread in 0..self.product.sums.len() {
            for ((row, column), products) in self.product.sums_of(thread, self.now.fma(thread / 32))
            {
                if let Some(sum) = added.get_mut((row * shown.columns + column) as usize) {
                    *sum += products;
                }
            }
        }
        for (cell, products) in shown.cells.iter_mut().zip(added).filter(|(_, sum)| *sum > 0) {
            cell.level = self.share(products);
        }
        self.mark_stored(&mut shown);
        self.mark_sums(&mut shown);
        let is_stored = |cell: &&GridCell| matches!(cell.level, CellLevel::Done | CellLevel::Wrong);
        let note = match shown.cells.iter().filter(is_stored).count() {
            0 => "sums in registers",
            _ if self.product.adds => "added to what other blocks have added",
            stored if stored == shown.cells.len() => "stored in global memory",
            _ => "on its way to global memory",
        };
        let Product { start, depth, .. } = *self.product;
        shown.note = match (start, self.product.adds) {
            (0, false) => note.to_owned(),
            _ => format!("k {start} to {}, {note}", start + depth - 1),
        };
        shown
    }

    /// Multiply-adds of the warps in the whole run, by what they did of one tile.
    pub(super) fn fma_of_run(&self) -> u32 {
        let phases = &self.now.plan.phases;
        let all = phases.fma_a_tile * self.product.count();
        all.max(1)
    }

    /// The level of a sum of this many products.
    pub(super) fn share(&self, products: u32) -> CellLevel {
        if products == 0 {
            return CellLevel::Empty;
        }
        let of_all = (1.0 + f64::from(products)).ln() / (1.0 + f64::from(self.product.depth)).ln();
        CellLevel::Share((100.0 * (0.14 + 0.66 * of_all.min(1.0))).round() as u8)
    }

    /// Marks the elements of C that are marked, and, where the threads are not shown, the sums of lanes.
    fn mark_sums(&self, shown: &mut WordTile) {
        let (rows, columns) = (self.product.rows.start, self.product.columns.start);
        let result = self.product.result.into_iter();
        result.for_each(|array| self.now.mark_elements(shown, array, (rows, columns)));
        let threads = self.product.sums.iter().enumerate().filter(|_| !self.shares());
        for (number, sums) in threads {
            let is_marked = self.now.is_marked(((number / 32) as u16, number % 32));
            for at in sums {
                shown.mark_if(*at, is_marked);
            }
        }
    }

    /// Marks the elements that are stored, as far as the event has come.
    pub(super) fn mark_stored(&self, shown: &mut WordTile) {
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
        if self.now.kind == ShownEvent::Access(MoveKind::Store) && !self.now.has_arrived() {
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
    pub(super) fn band(&self, corner: &mut WordTile) {
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
                ShownEvent::Access(MoveKind::Load) if !self.shares() && has.contains(&warp) => {
                    "has"
                }
                _ => "",
            };
            WarpBand { warp, rows, word, now }
        });
        corner.bands = bands.collect();
    }

    /// The warps that have fetched what the event fetches.
    pub(super) fn has_fetched(&self) -> HashSet<u16> {
        let of_event = self.now.moves(CARRIES).filter(|one| self.now.is_now(one)).last();
        let Some(side) = of_event.and_then(|one| self.side_of_move(one)) else {
            return HashSet::new();
        };
        let arrived = self.now.has_arrived();
        let all = self.operands_loaded(side).into_iter();
        all.filter(|(.., is_now)| arrived || !is_now).map(|(warp, ..)| warp).collect()
    }

    /// What the picture means, where its sentence says only what happens.
    pub(super) fn meaning(&self) -> Vec<SideLine> {
        let multiplies = matches!(
            self.now.kind,
            ShownEvent::Multiply | ShownEvent::Access(MoveKind::SharedLoad)
        );
        match self.shares() {
            true if self.is_climbing() => Self::why_wait(),
            true if multiplies => self.uses_of_a_word().into_iter().map(SideLine::from).collect(),
            false if self.now.at.snapshot.step.is_some() => vec![
                "No shared memory, no barrier".to_owned().into(),
                "every thread goes to global memory for each product".to_owned().into(),
            ],
            _ => Vec::new(),
        }
    }

    /// Why a warp that has used its words waits before it brings the next ones.
    fn why_wait() -> Vec<SideLine> {
        let line =
            |level: CellLevel, text: &str| SideLine { swatch: Some(level), text: text.to_owned() };
        vec![
            "Why wait?".to_owned().into(),
            line(CellLevel::Held, "a warp may still load these"),
            line(CellLevel::Free, "nobody needs these any more"),
        ]
    }

    /// How many threads use each word of the tiles.
    fn uses_of_a_word(&self) -> Vec<String> {
        let threads = |line: fn(&(u32, u32)) -> u32| {
            let sums = self.product.sums.iter();
            sums.filter(|sums| sums.iter().any(|at| line(at) == 0)).count()
        };
        let (row, column) = (threads(|at| at.0), threads(|at| at.1));
        let names = [FactorSide::Left, FactorSide::Top].map(|side| {
            let title = self.operand(side).title;
            title.split(['[', ' ']).next().unwrap_or_default().to_owned()
        });
        let [left, top] = &names;
        if row < 2 || column < 2 {
            return Vec::new();
        }
        vec![
            "Every word is used again".to_owned(),
            format!("{left}: by the {row} threads of its row"),
            format!("{top}: by the {column} of its column"),
        ]
    }

    /// Whether warps go up through the door.
    pub(super) fn is_climbing(&self) -> bool {
        let uses = self.now.plan.phases.uses(self.now.phase);
        let waits = (0..self.now.plan.warps).any(|warp| self.now.waits(warp));
        uses && waits && matches!(self.now.kind, ShownEvent::Wait | ShownEvent::Open)
    }
}

/// All places in some rows and columns.
fn places(rows: &Range<u32>, columns: &Range<u32>) -> Vec<(u32, u32)> {
    rows.clone().flat_map(|row| columns.clone().map(move |column| (row, column))).collect()
}
