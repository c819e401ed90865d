//! A product of matrices as a block computes it: its part of C, its tiles, and where their words lie.

use super::grids::{GlobalGrids, SharedGrid, span, words};
use super::observed::{FactorPair, MoveKind, ObservedRun};
use super::pieces::PieceProduct;
use crate::kernel::Problem;
use crate::matrix::Operand;
use crate::sim::Direction;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Places along k that the cross of a program without shared memory has.
const ALONG_K: u32 = 16;

/// A product of matrices: which part of C the block computes, and where the words of a tile lie.
#[derive(Clone, Debug)]
pub(super) struct Product {
    /// The numbers of the arrays of the left and of the top matrix, and of C.
    pub(super) left: usize,
    pub(super) top: usize,
    pub(super) result: Option<usize>,
    pub(super) rows: Range<u32>,
    pub(super) columns: Range<u32>,
    /// Places along k of a tile, and of the block's part of k, which begins there.
    pub(super) tile: u32,
    pub(super) depth: u32,
    pub(super) start: u32,
    /// Whether the sums are added to what other blocks have stored.
    pub(super) adds: bool,
    /// For each lane of the block, by its number: its sums in the order in which it adds to them, as
    /// (row, column) within the block's part of C.
    pub(super) sums: Vec<Vec<(u32, u32)>>,
    /// Sums of a thread.
    pub(super) sums_each: u32,
    /// Whether tensor cores multiply: a multiply-add is one of whole pieces.
    pub(super) is_packed: bool,
    /// By warp, the products of pieces that tensor cores make of a tile, in order: rows and columns within
    /// the block's part of C, and places along k within the tile.
    pub(super) pieces: Vec<Vec<PieceProduct>>,
    /// For each word of shared memory that holds elements of either matrix: where its first one lies
    /// within a tile, and of which tile it was first.
    pub(super) words: Vec<Option<TileWord>>,
    /// The same the other way round, by side and set: each place with its word, and how they lie.
    pub(super) tiles: [Vec<StoredTile>; 2],
    pub(super) sets: u32,
    /// By word of shared memory: the warps that load it to use it, one bit each.
    pub(super) readers: Vec<u64>,
    /// The first phase in which a tile is used, and the doors through which a warp has gone when it has
    /// used the first.
    pub(super) first_use: u32,
    pub(super) up: u32,
    /// Whether it is stored column by column.
    pub(super) turned: [bool; 2],
    /// Elements of a word.
    pub(super) packed: [u32; 2],
}

/// The left or the top matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum FactorSide {
    Left,
    Top,
}

/// A tile of one matrix in shared memory.
#[derive(Clone, Debug)]
pub(super) struct StoredTile {
    pub(super) places: Vec<((u32, u32), u32)>,
    pub(super) grid: SharedGrid,
}

/// What a word of shared memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileWord {
    pub(super) side: FactorSide,
    /// The row and the column within the tile.
    pub(super) at: (u32, u32),
    pub(super) set: u32,
}

impl Product {
    /// The product that the multiply-adds make up, if two thirds of them do.
    pub(super) fn of(
        problem: &Problem,
        seen: &ObservedRun,
        grids: &GlobalGrids,
        shared: &[SharedGrid],
    ) -> Option<Self> {
        let [inside, outside] = seen.products;
        let by_terms = inside > 0 && inside >= 2 * outside;
        let packed_work = seen.is_packed || inside == 0 && !seen.fma_pcs.is_empty();
        let (left, top) = (grids.of_operand(Operand::A)?, grids.of_operand(Operand::B)?);
        let windows = [left, top].map(|array| LoadedWindow::of(seen, grids, array));
        // What pieces of A and B meet, where they are known, or else what the program is said to compute.
        let by_pieces = 3 * seen.pieces.len() as u32 >= 2 * seen.fma.iter().sum::<u32>();
        if !(by_terms || packed_work && (by_pieces || problem.is_product())) {
            return None;
        }
        let [Some(left_window), Some(top_window)] = windows else { return None };
        let terms = if by_terms { &seen.terms[..] } else { &[] };
        let rows = span(terms.iter().map(|term| term.left.0)).unwrap_or(left_window.rows);
        let columns = span(terms.iter().map(|term| term.top.1)).unwrap_or(top_window.columns);
        let shares = !seen.used.is_empty();
        let start = span(terms.iter().map(|term| term.left.1)).map_or(0, |ks| ks.start);
        let sums = sums(terms, &rows, &columns, problem.launch.threads() as usize);
        let is_packed = seen.is_packed;
        let known = sums.iter().map(Vec::len).max().unwrap_or(0) as u32;
        let all = rows.len() as u32 * columns.len() as u32 / problem.launch.threads().max(1);
        let sums_each = if known == 0 && !is_packed { all } else { known }.max(1);
        // Where a block has a part of k, only the end of its run says how long that is.
        let most = problem.size.k.saturating_sub(start);
        let is_part = by_terms && seen.is_over && problem.launch.grid.z > 1;
        let done = seen.fma.iter().max().map_or(most, |fma| fma / sums_each);
        let depth = if is_part { most.min(done) } else { most }.max(1);
        let tile = match left_window.last {
            Some(last) if shares => last.len() as u32,
            _ => ALONG_K.min(depth),
        };
        let result = grids.of_operand(Operand::C);
        let adds = seen.moves.iter().any(|one| {
            let is_result = grids.first(&one.access).is_some_and(|(of, ..)| Some(of) == result);
            one.access.direction == Direction::Atomic && is_result
        });
        let mut product = Self {
            left,
            top,
            result,
            rows,
            columns,
            tile: tile.max(1),
            depth,
            start,
            adds,
            sums,
            sums_each,
            is_packed,
            pieces: Vec::new(),
            words: Vec::new(),
            tiles: [Vec::new(), Vec::new()],
            sets: 1,
            readers: Vec::new(),
            first_use: seen.used.first().copied().unwrap_or(0),
            up: 0,
            turned: [false; 2],
            packed: [left, top].map(|array| (4 / grids.0[array].element.min(4)) as u32),
        };
        product.pieces = product.pieces_of_tile(seen);
        product.place(seen, grids, shared);
        product.read(seen);
        Some(product)
    }

    /// The products of pieces that each warp makes of its first tile; none, if they are not known of every
    /// warp that multiplies.
    fn pieces_of_tile(&self, seen: &ObservedRun) -> Vec<Vec<PieceProduct>> {
        let of_warp = |(warp, multiply_adds): (usize, &u32)| -> Option<Vec<PieceProduct>> {
            let own = seen.pieces.iter().filter(|(of, _)| usize::from(*of) == warp);
            let mut own = own.map(|(_, piece)| piece).peekable();
            let tile = own.peek().map_or(0, |first| self.along(first.ks.start) / self.tile);
            let first = self.start + tile * self.tile;
            let within = |all: &Range<u32>, start: u32| {
                Some(all.start.checked_sub(start)?..all.end.checked_sub(start)?)
            };
            let of_tile = own.take_while(|piece| self.along(piece.ks.start) / self.tile == tile);
            let pieces: Option<Vec<_>> = of_tile
                .map(|piece| {
                    let rows = within(&piece.rows, self.rows.start)?;
                    let columns = within(&piece.columns, self.columns.start)?;
                    let ks = within(&piece.ks, first)?;
                    Some(PieceProduct { rows, columns, ks, ..*piece })
                })
                .collect();
            pieces.filter(|pieces| *multiply_adds == 0 || !pieces.is_empty())
        };
        seen.fma.iter().enumerate().map(of_warp).collect::<Option<_>>().unwrap_or_default()
    }

    /// What a warp multiplies by its multiply-add of this number.
    pub(super) fn piece(&self, warp: u16, number: u32) -> Option<&PieceProduct> {
        let own = self.pieces.get(usize::from(warp)).filter(|own| !own.is_empty())?;
        own.get(number as usize % own.len())
    }

    /// The parts of C to which a warp adds pieces, each with the products that it has, after so many
    /// multiply-adds.
    pub(super) fn parts_of(&self, warp: usize, fma: u32) -> Vec<(&PieceProduct, u32)> {
        let own = self.pieces.get(warp).map_or(&[][..], Vec::as_slice);
        let (whole, more) = (fma / own.len().max(1) as u32, fma % own.len().max(1) as u32);
        let mut parts: Vec<(&PieceProduct, u32)> = Vec::new();
        for (number, piece) in (0..).zip(own) {
            let done = if number < more { piece.ks.len() as u32 } else { 0 };
            let same = |(of, _): &&mut (&PieceProduct, u32)| {
                (&of.rows, &of.columns) == (&piece.rows, &piece.columns)
            };
            match parts.iter_mut().find(same) {
                Some((_, products)) => *products += done,
                None => parts.push((piece, whole * self.tile + done)),
            }
        }
        parts
    }

    /// The sums of a thread, each with the products that it has after so many multiply-adds.
    pub(super) fn sums_of(
        &self,
        thread: usize,
        fma: u32,
    ) -> impl Iterator<Item = ((u32, u32), u32)> {
        let own = self.sums.get(thread).map_or(&[][..], Vec::as_slice);
        let (whole, more) = (fma / self.sums_each, fma % self.sums_each);
        (0..).zip(own).map(move |(place, at)| (*at, whole + u32::from(place < more)))
    }

    /// Finds where the elements of a tile lie in shared memory.
    fn place(&mut self, seen: &ObservedRun, grids: &GlobalGrids, shared: &[SharedGrid]) {
        let mut found: Vec<(u32, FactorSide, (u32, u32), u32)> = Vec::new();
        for (word, addr) in &seen.contents {
            let Some((array, row, column)) = grids.locate(*addr) else { continue };
            let placed = if array == self.left {
                let k = self.along(column);
                row.checked_sub(self.rows.start)
                    .map(|row| (FactorSide::Left, (row, k % self.tile), k / self.tile))
            } else if array == self.top {
                let k = self.along(row);
                column
                    .checked_sub(self.columns.start)
                    .map(|column| (FactorSide::Top, (k % self.tile, column), k / self.tile))
            } else {
                None
            };
            found.extend(placed.map(|(side, at, tile)| (*word, side, at, tile)));
        }
        found.sort_unstable();
        let numbers: BTreeSet<u32> = found.iter().map(|(.., tile)| *tile).collect();
        self.sets = numbers.len().max(1) as u32;
        self.words = vec![None; found.last().map_or(0, |(word, ..)| *word as usize + 1)];
        let mut places =
            [vec![Vec::new(); self.sets as usize], vec![Vec::new(); self.sets as usize]];
        for (word, side, at, tile) in found {
            let set = tile % self.sets;
            self.words[word as usize] = Some(TileWord { side, at, set });
            places[side as usize][set as usize].push((at, word));
        }
        for side in [FactorSide::Left, FactorSide::Top] {
            let own = std::mem::take(&mut places[side as usize]);
            self.turned[side as usize] = own.first().is_some_and(|own| self.is_turned(side, own));
            let name = &grids.0[if side == FactorSide::Left { self.left } else { self.top }].name;
            let turned = self.turned[side as usize];
            let tiles = own.into_iter().map(|places| {
                let grid = self.known_grid(shared, &places);
                let grid = grid.unwrap_or_else(|| stored_grid(&places, turned, name));
                StoredTile { places, grid }
            });
            self.tiles[side as usize] = tiles.collect();
        }
    }

    /// A place along k, from where the block's part begins.
    pub(super) const fn along(&self, k: u32) -> u32 {
        k.saturating_sub(self.start)
    }

    /// The array whose words are those of a tile and of no other.
    fn known_grid(
        &self,
        shared: &[SharedGrid],
        places: &[((u32, u32), u32)],
    ) -> Option<SharedGrid> {
        let (_, first) = places.first()?;
        let own = self.word(*first)?;
        let grid = shared.iter().find(|grid| grid.at(*first).is_some())?;
        let mut words =
            (grid.first..grid.first + grid.rows * grid.columns).filter_map(|word| self.word(word));
        words.all(|word| (word.side, word.set) == (own.side, own.set)).then(|| grid.clone())
    }

    /// What a word of shared memory holds.
    pub(super) fn word(&self, word: u32) -> Option<&TileWord> {
        self.words.get(word as usize)?.as_ref()
    }

    /// Whether neighbours along a row of the matrix do not lie side by side in shared memory.
    fn is_turned(&self, side: FactorSide, places: &[((u32, u32), u32)]) -> bool {
        let step = self.packed[side as usize];
        let place = |at| places.iter().find(|(own, _)| *own == at).map(|(_, word)| *word);
        let first = place((0, 0));
        let apart = |other: Option<u32>| first.zip(other).map(|(a, b)| a.abs_diff(b));
        let (along, down) = (apart(place((0, step))), apart(place((1, 0))));
        matches!((along, down), (Some(along), Some(down)) if down < along)
    }

    /// Finds which warps load which words to use them, and after which door they have.
    fn read(&mut self, seen: &ObservedRun) {
        self.readers = vec![0; self.words.len()];
        for one in seen.moves.iter().filter(|one| one.kind == MoveKind::SharedLoad) {
            for word in words(&one.access) {
                if let Some(readers) = self.readers.get_mut(word as usize) {
                    *readers |= 1 << (one.warp % 64);
                }
            }
        }
        self.up = self.first_use + 1;
    }

    /// The left and the top array before all others.
    pub(super) fn first_arrays(&self, loaded: Vec<usize>) -> Vec<usize> {
        let others = loaded.into_iter().filter(|array| ![self.left, self.top].contains(array));
        [self.left, self.top].into_iter().chain(others).collect()
    }

    /// Whether tiles lie in shared memory.
    pub(super) const fn shares(&self) -> bool {
        !self.words.is_empty()
    }

    /// The number of tiles along k.
    pub(super) const fn count(&self) -> u32 {
        self.depth.div_ceil(self.tile)
    }
}

/// How the words of a tile lie where no array is known: lines of the matrix, at equal distances.
fn stored_grid(places: &[((u32, u32), u32)], turned: bool, name: &str) -> SharedGrid {
    let mut lines: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for ((row, column), word) in places {
        let line = lines.entry(if turned { *column } else { *row }).or_insert((*word, *word));
        *line = (line.0.min(*word), line.1.max(*word));
    }
    let starts: BTreeSet<u32> = lines.values().map(|(first, _)| *first).collect();
    let first = starts.first().copied().unwrap_or(0);
    let next = starts.iter().nth(1).map(|next| next - first);
    let widest = lines.values().map(|(first, last)| last - first + 1).max().unwrap_or(1);
    let columns = next.unwrap_or(widest).max(1);
    let array = format!("tile of {name}");
    SharedGrid { title: array.clone(), array, first, rows: lines.len() as u32, columns }
}

/// What a block loads of an array.
pub(super) struct LoadedWindow {
    pub(super) rows: Range<u32>,
    pub(super) columns: Range<u32>,
    /// Along the columns, in the last phase that brings words of it.
    last: Option<Range<u32>>,
}

impl LoadedWindow {
    pub(super) fn of(seen: &ObservedRun, grids: &GlobalGrids, array: usize) -> Option<Self> {
        let last = seen.brought.iter().nth_back(1).or(seen.brought.last());
        let mut all: Vec<(u32, u32, u32)> = Vec::new();
        for one in
            seen.moves.iter().filter(|one| matches!(one.kind, MoveKind::Load | MoveKind::Copy))
        {
            for (_, addr) in one.access.touched() {
                for at in [addr, addr + u64::from(one.access.bytes) - grids.0[array].element] {
                    if let Some((row, column)) = grids.0[array].at(at) {
                        all.push((row, column, one.phase));
                    }
                }
            }
        }
        let rows = span(all.iter().map(|(row, ..)| *row))?;
        let columns = span(all.iter().map(|(_, column, _)| *column))?;
        let last = last.and_then(|last| {
            span(all.iter().filter(|(.., phase)| phase == last).map(|(_, column, _)| *column))
        });
        Some(Self { rows, columns, last })
    }
}

/// The sums of each lane, in the order in which it first adds to them.
fn sums(
    terms: &[FactorPair],
    rows: &Range<u32>,
    columns: &Range<u32>,
    threads: usize,
) -> Vec<Vec<(u32, u32)>> {
    let mut sums = vec![Vec::new(); if terms.is_empty() { 0 } else { threads }];
    for term in terms {
        let at = (term.left.0 - rows.start, term.top.1 - columns.start);
        let number = usize::from(term.warp) * 32 + usize::from(term.lane);
        if let Some(own) = sums.get_mut(number)
            && !own.contains(&at)
        {
            own.push(at);
        }
    }
    sums
}
