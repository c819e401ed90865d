//! What is fixed of a run's stage: its layout, its places, and what happens in each of its phases.

use super::grids::{GlobalGrids, SharedGrid, shared_grids};
use super::observed::{Move, MoveKind, Observed, Term, words};
use super::scene::{Hue, StageLayout};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::Operand;
use crate::sim::{Order, Pc, Program};
use crate::work::WorkToken;
use ptx::{ControlOp, Op};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// Why a program has no stage. The text is the sentence of the screen that is shown instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStage {
    #[error("This program has no stage: it uses {0} arrays at a time. These are all panels.")]
    ManyArrays(usize),
    #[error(
        "This program has no stage: it uses {0} shared arrays at a time. These are all panels."
    )]
    ManySharedArrays(usize),
    #[error(
        "This program has no stage: it uses shared memory of other blocks. These are all panels."
    )]
    OtherBlocks,
    #[error("This program has no stage: it waits at {0} barriers at a time. These are all panels.")]
    ManyBarriers(usize),
    #[error(
        "This program has no stage: it neither waits nor touches memory. These are all panels."
    )]
    Nothing,
    #[error(
        "This program has no stage: a block brings {0} x {1} words at a time. These are all panels."
    )]
    TooLarge(u32, u32),
    #[error("The stage of this program is not known yet. These are all panels.")]
    Cancelled,
}

/// The most arrays of either memory in one phase, barriers in use, and words along a side of a window.
const MOST_ARRAYS: usize = 4;
const MOST_BARRIERS: usize = 3;
const MOST_SIDE: u32 = 512;

/// Places along k that the cross of a program without shared memory has.
const ALONG_K: u32 = 16;

/// What is fixed of a run's stage.
#[derive(Clone, Debug)]
pub struct StagePlan {
    pub(super) layout: StageLayout,
    pub(super) grids: GlobalGrids,
    pub(super) shared: Vec<SharedGrid>,
    pub(super) phases: Phases,
    pub(super) product: Option<Product>,
    /// Arrays that are loaded, in the order of their hues, and those that are stored.
    pub(super) loaded: Vec<usize>,
    pub(super) stored: Vec<usize>,
    pub(super) warps: usize,
    /// Threads of the block.
    pub(super) threads: u32,
}

/// What each warp does between two doors, or in a round of k where there is none.
#[derive(Clone, Debug)]
pub(super) struct Phases {
    /// The accesses of each phase that was observed, by warp and in order.
    pub(super) observed: Vec<Vec<Move>>,
    /// Doors of one tile, 0 if there is none.
    pub(super) doors: u32,
    /// The instructions at which warps wait at a barrier, and those that multiply and add.
    pub(super) door_pcs: BTreeSet<Pc>,
    pub(super) fma_pcs: BTreeSet<Pc>,
    pub(super) brought: BTreeSet<u32>,
    pub(super) used: BTreeSet<u32>,
    /// Multiply-adds of all warps for one tile.
    pub(super) fma_a_tile: u32,
}

impl Phases {
    /// The observed phase that is like this one, and how many tiles it lies before.
    pub(super) fn like(&self, phase: u32) -> (usize, u32) {
        let Some(last) = (self.observed.len() as u32).checked_sub(1) else { return (0, 0) };
        if phase <= last || self.doors == 0 {
            return (phase.min(last) as usize, 0);
        }
        let tiles = (phase - last).div_ceil(self.doors);
        ((phase - tiles * self.doors) as usize, tiles)
    }

    pub(super) fn brings(&self, phase: u32) -> bool {
        self.brought.contains(&(self.like(phase).0 as u32))
    }

    pub(super) fn uses(&self, phase: u32) -> bool {
        self.used.contains(&(self.like(phase).0 as u32))
    }
}

/// A product of matrices: which part of C the block computes, and where the words of a tile lie.
#[derive(Clone, Debug)]
pub(super) struct Product {
    /// The numbers of the arrays of the left and of the top matrix, and of C.
    pub(super) left: usize,
    pub(super) top: usize,
    pub(super) result: Option<usize>,
    pub(super) rows: Range<u32>,
    pub(super) columns: Range<u32>,
    /// Places along k of a tile, and of all of it.
    pub(super) tile: u32,
    pub(super) depth: u32,
    /// For each lane of the block, by its number: its sums in the order in which it adds to them, as
    /// (row, column) within the block's part of C.
    pub(super) sums: Vec<Vec<(u32, u32)>>,
    /// Sums of a thread.
    pub(super) sums_each: u32,
    /// For each word of shared memory that holds elements of either matrix: where its first one lies
    /// within a tile, and of which tile it was first.
    pub(super) words: HashMap<u32, TileWord>,
    /// The same the other way round: by side, set, and place.
    pub(super) places: HashMap<(Side, u32, (u32, u32)), u32>,
    pub(super) sets: u32,
    /// By word of shared memory: the warps that load it to use it, one bit each.
    pub(super) readers: HashMap<u32, u64>,
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
pub(super) enum Side {
    Left,
    Top,
}

/// What a word of shared memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileWord {
    pub(super) side: Side,
    /// The row and the column within the tile.
    pub(super) at: (u32, u32),
    pub(super) set: u32,
}

impl StagePlan {
    /// Runs the block as far as its first tiles, and derives its stage.
    ///
    /// # Errors
    /// Why it has none.
    pub fn derive(
        problem: &Problem,
        program: &Arc<Program>,
        block: Dim3,
        token: &WorkToken,
    ) -> Result<Self, NoStage> {
        let memory = problem.sparse_memory(program);
        let mut grids = GlobalGrids::of(problem, &memory);
        let machine = problem.machine(Arc::clone(program), block, memory, Order::default());
        let (warps, blocks) = (machine.warps(), program.blocks_together());
        let seen = Observed::of(machine, &grids, token).ok_or(NoStage::Cancelled)?;
        let shared = shared_grids(problem, program);
        refuse(&seen, &shared, &grids, blocks)?;
        fold_flat(&mut grids, &seen);
        let by_kind = |kinds: &[MoveKind]| order_of(&seen, &grids, kinds);
        let loaded = by_kind(&[MoveKind::Load, MoveKind::Copy]);
        let stored = by_kind(&[MoveKind::Store]);
        let product = Product::of(problem, &seen, &grids);
        let threads = problem.launch.threads();
        let layout = layout(&seen, product.as_ref());
        let phases = phases(&seen, program, warps);
        let (loaded, stored) = match &product {
            Some(product) => (product.first_arrays(loaded), stored),
            None => (loaded, stored),
        };
        if let Some(product) = &product {
            let (rows, columns) = (product.rows.len() as u32, product.columns.len() as u32);
            if rows.max(columns).max(product.tile) > MOST_SIDE {
                return Err(NoStage::TooLarge(rows, product.tile.max(columns)));
            }
        }
        if product.is_none() {
            fits(&seen, &grids)?;
        }
        Ok(Self { layout, grids, shared, phases, product, loaded, stored, warps, threads })
    }

    pub const fn layout(&self) -> StageLayout {
        self.layout
    }

    /// The sets of shared memory that take turns, or none.
    pub fn sets(&self) -> u32 {
        self.product.as_ref().filter(|product| !product.words.is_empty()).map_or(0, |of| of.sets)
    }

    /// The doors through which a warp goes for each tile.
    pub const fn doors_a_tile(&self) -> u32 {
        self.phases.doors
    }

    /// The sums that a thread adds to.
    pub fn sums_a_thread(&self) -> u32 {
        let Some(product) = &self.product else { return 0 };
        let all = product.rows.len() as u32 * product.columns.len() as u32;
        if product.sums.is_empty() { all / self.threads.max(1) } else { product.sums_each }
    }

    /// The words that a thread, or a copy, carries side by side.
    pub fn words_a_carry(&self) -> u32 {
        let carries = self.phases.observed.iter().flatten();
        let bytes = carries.filter(|one| matches!(one.kind, MoveKind::Load | MoveKind::Copy));
        bytes.map(|one| u32::from(one.access.bytes) / 4).max().unwrap_or(0)
    }

    /// Which of the two shared tiles are stored column by column.
    pub fn turned(&self) -> [bool; 2] {
        self.product.as_ref().map_or([false; 2], |product| product.turned)
    }

    /// The layout and its places in words: `cross alone: A left, B above`.
    pub fn summary(&self) -> String {
        let name = |number: &usize| self.grids.0[*number].name.as_str();
        let cross = self
            .product
            .as_ref()
            .map(|product| format!("{} left, {} above", name(&product.left), name(&product.top)));
        let cross = cross.unwrap_or_default();
        let loaded: Vec<_> = self.loaded.iter().map(name).collect();
        let stored: Vec<_> = self.stored.iter().map(name).collect();
        let row = format!("{} to {}", listed(&loaded), listed(&stored));
        match self.layout {
            StageLayout::CrossAlone => format!("cross alone: {cross}"),
            StageLayout::TwoRooms => format!("two rooms: {cross}"),
            StageLayout::TwoRoomsAtOnce => format!("two rooms at once: {cross}"),
            StageLayout::Row => format!("row: {row}"),
            StageLayout::RowWithRounds => format!("row with rounds: {row}"),
            StageLayout::OneRow => format!("one row: {row}"),
        }
    }

    /// The hue of an array's words.
    pub(super) fn hue(&self, array: usize) -> Hue {
        match self.loaded.iter().position(|loaded| *loaded == array) {
            Some(0) => Hue::First,
            Some(1) => Hue::Second,
            Some(_) => Hue::Other,
            None if self.stored.contains(&array) => Hue::Result,
            None => Hue::Other,
        }
    }
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Refuses what cannot be put on a stage.
fn refuse(
    seen: &Observed,
    shared: &[SharedGrid],
    grids: &GlobalGrids,
    blocks: u64,
) -> Result<(), NoStage> {
    if seen.far || blocks > 1 {
        return Err(NoStage::OtherBlocks);
    }
    if seen.barriers.len() > MOST_BARRIERS {
        return Err(NoStage::ManyBarriers(seen.barriers.len()));
    }
    if seen.moves.is_empty() && seen.barriers.is_empty() {
        return Err(NoStage::Nothing);
    }
    let mut arrays: BTreeMap<u32, [BTreeSet<&str>; 2]> = BTreeMap::new();
    for one in &seen.moves {
        let of_phase = arrays.entry(one.phase).or_default();
        let is_shared = matches!(one.kind, MoveKind::SharedLoad | MoveKind::SharedStore);
        let Some((_, addr)) = one.access.touched().next() else { continue };
        if is_shared {
            let grid = shared.iter().find(|grid| grid.at(addr as u32 / 4).is_some());
            of_phase[1].extend(grid.map(|grid| grid.array.as_str()));
        } else {
            let found = grids.locate(addr);
            of_phase[0].extend(found.map(|(number, ..)| grids.0[number].name.as_str()));
        }
    }
    let most = |which: usize| arrays.values().map(|all| all[which].len()).max().unwrap_or(0);
    match (most(0), most(1)) {
        (global, _) if global > MOST_ARRAYS => Err(NoStage::ManyArrays(global)),
        (_, shared) if shared > MOST_ARRAYS => Err(NoStage::ManySharedArrays(shared)),
        _ => Ok(()),
    }
}

/// Refuses a program that brings more of an array than can be shown.
fn fits(seen: &Observed, grids: &GlobalGrids) -> Result<(), NoStage> {
    for array in 0..grids.0.len() {
        if let Some(Window { rows, columns, .. }) = Window::of(seen, grids, array) {
            let (rows, columns) = (rows.len() as u32, columns.len() as u32);
            if rows.max(columns) > MOST_SIDE {
                return Err(NoStage::TooLarge(rows, columns));
            }
        }
    }
    Ok(())
}

/// Gives arrays of one dimension rows: the greatest common divisor of the distances between what the
/// warps touch first, or a row for each warp.
fn fold_flat(grids: &mut GlobalGrids, seen: &Observed) {
    for number in 0..grids.0.len() {
        if !grids.0[number].is_flat() {
            continue;
        }
        let firsts = seen.moves.iter().filter_map(|one| {
            let (_, addr) = one.access.touched().next()?;
            let is_global = !matches!(one.kind, MoveKind::SharedLoad | MoveKind::SharedStore);
            let (of, row, column) = grids.locate(addr).filter(|_| is_global)?;
            (of == number)
                .then(|| u64::from(row) * u64::from(grids.0[of].columns) + u64::from(column))
        });
        let firsts: BTreeSet<_> = firsts.collect();
        let start = firsts.first().copied().unwrap_or_default();
        let common = firsts.iter().fold(0, |all, first| gcd(all, first - start));
        let fits = (32..=u64::from(MOST_SIDE)).contains(&common);
        grids.0[number].fold(if fits { common as u32 } else { 32 });
    }
}

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The arrays of these accesses, in the order of the run.
fn order_of(seen: &Observed, grids: &GlobalGrids, kinds: &[MoveKind]) -> Vec<usize> {
    let mut order = Vec::new();
    for one in seen.moves.iter().filter(|one| kinds.contains(&one.kind)) {
        let found = one.access.touched().next().and_then(|(_, addr)| grids.locate(addr));
        if let Some((number, ..)) = found
            && !order.contains(&number)
        {
            order.push(number);
        }
    }
    order
}

fn layout(seen: &Observed, product: Option<&Product>) -> StageLayout {
    let shares = !seen.used.is_empty();
    let exchanges = || {
        let stores = seen.moves.iter().filter(|one| one.kind == MoveKind::SharedStore);
        let phases: BTreeSet<_> = stores.map(|one| one.phase).collect();
        phases.intersection(&seen.used).count() > 1
    };
    match (product, shares) {
        (Some(_), false) => StageLayout::CrossAlone,
        (Some(product), true) => {
            let at_once = seen.brought.intersection(&seen.used).next().is_some();
            if at_once || product.sets > 1 {
                StageLayout::TwoRoomsAtOnce
            } else {
                StageLayout::TwoRooms
            }
        }
        (None, true) if exchanges() => StageLayout::RowWithRounds,
        (None, true) => StageLayout::Row,
        (None, false) => StageLayout::OneRow,
    }
}

/// The phases that every warp has completed.
fn phases(seen: &Observed, program: &Program, warps: usize) -> Phases {
    let last = (0..warps).map(|warp| seen.phases[warp]).max().unwrap_or(0);
    let complete = if seen.is_over { last + 1 } else { last };
    let mut observed = vec![Vec::new(); complete.max(1) as usize];
    for one in &seen.moves {
        if let Some(phase) = observed.get_mut(one.phase as usize) {
            phase.push(one.clone());
        }
    }
    let recent: Vec<_> = seen.brought.iter().rev().take(2).collect();
    let doors = match recent[..] {
        [last, before] => last - before,
        _ => 0,
    };
    let doors_in = program.insts.iter().enumerate().filter_map(|(pc, inst)| {
        matches!(inst.op, Op::Control(ControlOp::Bar { .. })).then_some(Pc(pc as u32))
    });
    let (brought, used) = (seen.brought.clone(), seen.used.clone());
    let first = used.first().copied().unwrap_or(0);
    let of_tile = seen.fma_by_phase.range(first..first + doors.max(1)).map(|(_, count)| count);
    Phases {
        observed,
        doors,
        door_pcs: doors_in.collect(),
        fma_pcs: seen.fma_pcs.clone(),
        brought,
        used,
        fma_a_tile: of_tile.sum(),
    }
}

impl Product {
    /// The product that the multiply-adds make up, if two thirds of them do.
    fn of(problem: &Problem, seen: &Observed, grids: &GlobalGrids) -> Option<Self> {
        let [inside, outside] = seen.products;
        let by_terms = inside > 0 && inside >= 2 * outside;
        let packed_work = seen.is_mma || seen.is_wgmma || inside == 0 && !seen.fma_pcs.is_empty();
        let (left, top) = (grids.of_operand(Operand::A)?, grids.of_operand(Operand::B)?);
        let windows = [left, top].map(|array| Window::of(seen, grids, array));
        if !by_terms && !(packed_work && problem.is_product()) {
            return None;
        }
        let [Some(left_window), Some(top_window)] = windows else { return None };
        let terms = if by_terms { &seen.terms[..] } else { &[] };
        let rows = span(terms.iter().map(|term| term.left.0)).unwrap_or(left_window.rows);
        let columns = span(terms.iter().map(|term| term.top.1)).unwrap_or(top_window.columns);
        let shares = !seen.used.is_empty();
        let depth = problem.size.k;
        let tile = match left_window.last {
            Some(last) if shares => last.len() as u32,
            _ => ALONG_K.min(depth),
        };
        let sums = sums(terms, &rows, &columns, problem.launch.threads() as usize);
        let sums_each = sums.iter().map(Vec::len).max().unwrap_or(0).max(1) as u32;
        let mut product = Self {
            left,
            top,
            result: grids.of_operand(Operand::C),
            rows,
            columns,
            tile: tile.max(1),
            depth,
            sums,
            sums_each,
            words: HashMap::new(),
            places: HashMap::new(),
            sets: 1,
            readers: HashMap::new(),
            first_use: seen.used.first().copied().unwrap_or(0),
            up: 0,
            turned: [false; 2],
            packed: [left, top].map(|array| (4 / grids.0[array].element.min(4)) as u32),
        };
        product.place(seen, grids);
        product.read(seen);
        Some(product)
    }

    /// Finds where the elements of a tile lie in shared memory.
    fn place(&mut self, seen: &Observed, grids: &GlobalGrids) {
        let mut found: Vec<(u32, Side, (u32, u32), u32)> = Vec::new();
        for (word, addr) in &seen.contents {
            let Some((array, row, column)) = grids.locate(*addr) else { continue };
            let placed = if array == self.left {
                row.checked_sub(self.rows.start)
                    .map(|row| (Side::Left, (row, column % self.tile), column / self.tile))
            } else if array == self.top {
                column
                    .checked_sub(self.columns.start)
                    .map(|column| (Side::Top, (row % self.tile, column), row / self.tile))
            } else {
                None
            };
            found.extend(placed.map(|(side, at, tile)| (*word, side, at, tile)));
        }
        found.sort_unstable();
        let tiles: BTreeSet<u32> = found.iter().map(|(.., tile)| *tile).collect();
        self.sets = tiles.len().max(1) as u32;
        for (word, side, at, tile) in found {
            let set = tile % self.sets;
            self.words.insert(word, TileWord { side, at, set });
            self.places.insert((side, set, at), word);
        }
        self.turned = [Side::Left, Side::Top].map(|side| self.is_turned(side));
    }

    /// Whether neighbours along a row of the matrix do not lie side by side in shared memory.
    fn is_turned(&self, side: Side) -> bool {
        let step = self.packed[side as usize];
        let place = |row, column| self.places.get(&(side, 0, (row, column)));
        let along = place(0, 0).zip(place(0, step));
        let down = place(0, 0).zip(place(1, 0));
        let apart = |pair: Option<(&u32, &u32)>| pair.map(|(a, b)| a.abs_diff(*b));
        matches!((apart(along), apart(down)), (Some(along), Some(down)) if down < along)
    }

    /// Finds which warps load which words to use them, and after which door they have.
    fn read(&mut self, seen: &Observed) {
        for one in seen.moves.iter().filter(|one| one.kind == MoveKind::SharedLoad) {
            if one.phase == self.first_use {
                for word in words(&one.access) {
                    *self.readers.entry(word).or_default() |= 1 << (one.warp % 64);
                }
            }
        }
        self.up = self.first_use + 1;
    }

    /// The left and the top array before all others.
    fn first_arrays(&self, loaded: Vec<usize>) -> Vec<usize> {
        let others = loaded.into_iter().filter(|array| ![self.left, self.top].contains(array));
        [self.left, self.top].into_iter().chain(others).collect()
    }

    /// The number of products of all sums together that a tile takes of one thread.
    pub(super) const fn tiles(&self) -> u32 {
        self.depth.div_ceil(self.tile)
    }
}

/// What a block loads of an array.
struct Window {
    rows: Range<u32>,
    columns: Range<u32>,
    /// Along the columns, in the last phase that brings words of it.
    last: Option<Range<u32>>,
}

impl Window {
    fn of(seen: &Observed, grids: &GlobalGrids, array: usize) -> Option<Self> {
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

/// From the least to the greatest.
pub(super) fn span(all: impl Iterator<Item = u32>) -> Option<Range<u32>> {
    all.fold(None, |span: Option<Range<u32>>, one| match span {
        None => Some(one..one + 1),
        Some(span) => Some(span.start.min(one)..span.end.max(one + 1)),
    })
}

/// The sums of each lane, in the order in which it first adds to them.
fn sums(
    terms: &[Term],
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
