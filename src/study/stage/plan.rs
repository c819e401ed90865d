//! What is fixed of a run's stage: its layout, its places, and what happens in each of its phases.

use super::grids::{GlobalGrids, SharedGrid, shared_grids};
use super::observed::{BarrierKind, MoveKind, ObservedRun, Waiters, WarpMove};
use super::scene::{Hue, StageLayout};
use super::tiling::{LoadedWindow, Product};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::sim::{Order, Pc, Program};
use crate::work::WorkToken;
use ptx::{ControlOp, Op};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Why a program has no stage. The text is the sentence of the screen that is shown instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStage {
    #[error("This program has no stage: it uses {0} arrays at a time.")]
    ManyArrays(usize),
    #[error("This program has no stage: it uses {0} shared arrays at a time.")]
    ManySharedArrays(usize),
    #[error("This program has no stage: it uses shared memory of other blocks.")]
    OtherBlocks,
    #[error("This program has no stage: it waits at {0} barriers at a time.")]
    ManyBarriers(usize),
    #[error("This program has no stage: it neither waits nor touches memory.")]
    Nothing,
    #[error("This program has no stage: a block brings {0} x {1} words at a time.")]
    TooLarge(u32, u32),
    #[error("This program has no stage: its warps share no barrier between two tiles.")]
    OwnPace,
    #[error("The stage of this program is not known yet.")]
    Cancelled,
}

/// The most arrays of either memory in one phase, barriers in use, and words along a side of a window.
const MOST_ARRAYS: usize = 4;
const MOST_BARRIERS: usize = 3;
const MOST_SIDE: u32 = 512;

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
    pub(super) threads: u32,
}

/// What each warp does between two doors, or in a round of k where there is none.
#[derive(Clone, Debug)]
pub(super) struct Phases {
    /// The accesses of each phase that was observed, by warp and in order.
    pub(super) observed: Vec<Vec<WarpMove>>,
    /// Doors of one tile, 0 if there is none.
    pub(super) doors: u32,
    /// The instructions at which warps wait for all others, and those that multiply and add.
    pub(super) door_pcs: BTreeSet<Pc>,
    /// The barriers that only some warps wait at, and mbarriers.
    pub(super) parts: Vec<(BarrierKind, Waiters)>,
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
        let launch = problem.launch;
        let shape = (launch.threads(), launch.grid.z > 1);
        let seen = ObservedRun::of(machine, shape, &grids, token).ok_or(NoStage::Cancelled)?;
        let shared = shared_grids(problem, program);
        refuse(&seen, &shared, &grids, blocks)?;
        fold_flat(&mut grids, &seen);
        let by_kind = |kinds: &[MoveKind]| order_of(&seen, &grids, kinds);
        let loaded = by_kind(&[MoveKind::Load, MoveKind::Copy]);
        let stored = by_kind(&[MoveKind::Store]);
        let product = Product::of(problem, &seen, &grids, &shared);
        let threads = launch.threads();
        let layout = layout(&seen, product.as_ref());
        let phases = phases(&seen, program, warps);
        let (loaded, stored) = match &product {
            Some(product) => (product.first_arrays(loaded), stored),
            None => (loaded, stored),
        };
        if let Some(product) = &product {
            if product.shares() && product.count() > 1 && phases.doors == 0 {
                return Err(NoStage::OwnPace);
            }
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

    /// The number of rounds of a run that look alike: windows along k where nothing is shared, and places
    /// along k where a thread has several sums.
    pub fn rounds(&self) -> Option<u32> {
        let product = self.product.as_ref()?;
        match product.sums_each {
            _ if self.layout == StageLayout::CrossAlone => {
                Some(product.depth.div_ceil(product.tile))
            }
            0 | 1 => None,
            _ => Some(product.depth),
        }
    }

    /// The sets of shared memory that take turns, or none.
    pub fn sets(&self) -> u32 {
        self.product.as_ref().filter(|product| product.shares()).map_or(0, |of| of.sets)
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

    /// The most elements that a thread, or a copy, carries side by side.
    pub fn elements_a_carry(&self) -> u32 {
        let carries = self.phases.observed.iter().flatten();
        let carries = carries.filter(|one| matches!(one.kind, MoveKind::Load | MoveKind::Copy));
        let elements = carries.filter_map(|one| {
            let (array, ..) = self.grids.first(&one.access)?;
            Some((u64::from(one.access.bytes) / self.grids.0[array].element) as u32)
        });
        elements.max().unwrap_or(0)
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
            None if self.stored.contains(&array) => Hue::Result,
            Some(_) | None => Hue::Other,
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
    seen: &ObservedRun,
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
        let Some((_, addr)) = one.access.touched().next() else { continue };
        if one.kind.is_shared() {
            let grid = shared.iter().find(|grid| grid.at(addr as u32 / 4).is_some());
            of_phase[1].extend(grid.map(|grid| grid.array.as_str()));
        } else {
            let found = grids.first(&one.access);
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
fn fits(seen: &ObservedRun, grids: &GlobalGrids) -> Result<(), NoStage> {
    for array in 0..grids.0.len() {
        if let Some(LoadedWindow { rows, columns, .. }) = LoadedWindow::of(seen, grids, array) {
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
fn fold_flat(grids: &mut GlobalGrids, seen: &ObservedRun) {
    for number in 0..grids.0.len() {
        if !grids.0[number].is_flat() {
            continue;
        }
        let firsts = seen.moves.iter().filter_map(|one| {
            let (of, row, column) = grids.first(&one.access).filter(|_| !one.kind.is_shared())?;
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
fn order_of(seen: &ObservedRun, grids: &GlobalGrids, kinds: &[MoveKind]) -> Vec<usize> {
    let mut order = Vec::new();
    for one in seen.moves.iter().filter(|one| kinds.contains(&one.kind)) {
        if let Some((number, ..)) = grids.first(&one.access)
            && !order.contains(&number)
        {
            order.push(number);
        }
    }
    order
}

fn layout(seen: &ObservedRun, product: Option<&Product>) -> StageLayout {
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

/// The barriers that only some warps wait at, and mbarriers: one for all of these that the same
/// instruction waits at.
fn parts(seen: &ObservedRun) -> Vec<(BarrierKind, Waiters)> {
    let mut parts: Vec<(BarrierKind, Waiters)> = Vec::new();
    let some = seen.barriers.iter().filter(|(kind, _)| !matches!(kind, BarrierKind::Whole(_)));
    for (kind, waiters) in some {
        let same = |(_, of): &&mut (BarrierKind, Waiters)| !of.pcs.is_disjoint(&waiters.pcs);
        match parts.iter_mut().find(same) {
            Some((_, of)) => {
                of.warps.extend(&waiters.warps);
                of.pcs.extend(&waiters.pcs);
            }
            None => parts.push((*kind, waiters.clone())),
        }
    }
    parts
}

/// The phases that every warp has completed.
fn phases(seen: &ObservedRun, program: &Program, warps: usize) -> Phases {
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
    let parts = parts(seen);
    let is_part = |pc: &Pc| parts.iter().any(|(_, waiters)| waiters.pcs.contains(pc));
    let doors_in = program.insts.iter().enumerate().filter_map(|(pc, inst)| {
        matches!(inst.op, Op::Control(ControlOp::Bar { .. })).then_some(Pc(pc as u32))
    });
    let (brought, used) = (seen.brought.clone(), seen.used.clone());
    let first = used.first().copied().unwrap_or(0);
    let doors_each = doors.max(1);
    let of_tile = |from: u32| -> u32 {
        seen.fma_by_phase.range(from..from + doors_each).map(|(_, count)| *count).sum()
    };
    // The first tile may begin later than the others, and end in the phase of the next.
    let next = first + doors_each;
    let has_next = next + doors_each <= complete && of_tile(next) > 0;
    let fma_a_tile = of_tile(if has_next { next } else { first });
    Phases {
        observed,
        doors,
        door_pcs: doors_in.filter(|pc| !is_part(pc)).collect(),
        parts,
        fma_pcs: seen.fma_pcs.clone(),
        brought,
        used,
        fma_a_tile,
    }
}
