//! An access of a warp as bricks: lanes that fall on banks, and words that fill sectors.
//!
//! The screen and `matviz access` draw the same bricks and say the same words.

mod words;

use crate::analysis::banks::{BANKS, Pass, WORD, Wavefronts, passes, wavefronts};
use crate::analysis::coalesce::{self, SECTOR, Sectors};
use crate::kernel::Problem;
use crate::launch::WARP_SIZE;
use crate::sim::{Access, LaneMask, Program};
pub use words::{bank_words, lane_list, pass_words, sector_words, share_of_warp};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CostMark {
    Good,
    #[default]
    Plain,
    Bad,
}

/// One word of some lanes, or several words side by side of the same lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brick {
    /// The lanes that are served with it; for a load, a broadcast if there are several.
    pub lanes: LaneMask,
    /// The first bank that it lies on, and how many.
    pub bank: u8,
    pub wide: u8,
    /// The number of its first word: its byte address / 4.
    pub word: u64,
    /// Whether one of its banks has served another word of the same lanes' group before: it is one
    /// pass more than necessary.
    pub costs: bool,
}

/// The bricks that the banks take away in one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankPass {
    /// The lanes that are served one after the other with those of other groups: all of the warp, half
    /// of it, a quarter.
    pub group: LaneMask,
    /// From the lowest bank to the highest.
    pub bricks: Vec<Brick>,
}

/// The passes over the banks that accesses take, the first one lowest: towers of bricks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankTowers {
    pub passes: Vec<BankPass>,
    pub cost: Wavefronts,
}

impl BankTowers {
    /// Stacks what these accesses, which are executed one after the other, ask of the banks.
    pub fn of(accesses: &[Access]) -> Self {
        let mut towers = Self { passes: Vec::new(), cost: accesses.iter().map(wavefronts).sum() };
        for access in accesses {
            let mut group = LaneMask::NONE;
            let mut served = [false; BANKS];
            for pass in passes(access) {
                if group != pass.group {
                    (group, served) = (pass.group, [false; BANKS]);
                }
                towers.passes.push(BankPass { group, bricks: bricks(&pass, &served) });
                let cells = served.iter_mut().zip(pass.cells);
                cells.for_each(|(served, cell)| *served |= cell.is_some());
            }
        }
        towers
    }

    pub fn mark(&self) -> CostMark {
        if self.cost.conflicts > 0 { CostMark::Bad } else { CostMark::Good }
    }

    /// The banks that have nothing to do in any pass.
    pub fn idle(&self) -> usize {
        (0..BANKS).filter(|bank| self.height(*bank) == 0).count()
    }

    /// The number of bricks that lie on a bank.
    pub fn height(&self, bank: usize) -> usize {
        self.passes.iter().filter(|pass| pass.on(bank).is_some()).count()
    }
}

impl BankPass {
    /// The brick that lies on a bank.
    pub fn on(&self, bank: usize) -> Option<&Brick> {
        self.bricks.iter().find(|brick| brick.banks().contains(&bank))
    }

    pub fn lanes(&self) -> LaneMask {
        self.bricks.iter().fold(LaneMask::NONE, |sum, brick| sum.or(brick.lanes))
    }

    /// Returns the bricks that have room for a number if each bank is `pitch` columns wide: two numbers
    /// side by side would read as one.
    pub fn numbered(&self, pitch: u16) -> Vec<bool> {
        let mut free = 0;
        let room = |brick: &Brick| {
            let fits = pitch > 2 || brick.wide > 1 || brick.bank >= free;
            free = if fits { brick.bank + 2 } else { free };
            fits
        };
        self.bricks.iter().map(room).collect()
    }
}

impl Brick {
    pub fn banks(&self) -> std::ops::Range<usize> {
        usize::from(self.bank)..usize::from(self.bank + self.wide)
    }
}

/// Columns of a brick on which `lane 24` has a column at each side.
const NAMED: u16 = 9;

/// The lowest of a brick's lanes, and a plus if there are others: as much as `room` columns hold.
pub fn lane_number(lanes: LaneMask, room: u16) -> String {
    let lane = lanes.lanes().next().unwrap_or_default();
    let more = format!("{lane}+");
    match lanes.count() {
        1 if room >= NAMED => format!("lane {lane}"),
        2.. if more.len() <= usize::from(room) => more,
        _ => lane.to_string(),
    }
}

/// Joins the banks that give consecutive words to the same lanes.
fn bricks(pass: &Pass, served: &[bool; BANKS]) -> Vec<Brick> {
    let mut bricks: Vec<Brick> = Vec::new();
    let mut next = None;
    for (bank, (cell, costs)) in pass.cells.iter().zip(served).enumerate() {
        let Some(cell) = cell else {
            next = None;
            continue;
        };
        let same =
            |brick: &&mut Brick| next == Some((cell.lanes, cell.word)) && brick.costs == *costs;
        if let Some(brick) = bricks.last_mut().filter(same) {
            brick.wide += 1;
        } else {
            let (lanes, word, costs) = (cell.lanes, cell.word, *costs);
            bricks.push(Brick { lanes, bank: bank as u8, wide: 1, word, costs });
        }
        next = Some((cell.lanes, cell.word + 1));
    }
    bricks
}

/// Words of a sector.
pub const WORDS: usize = 8;

/// A sector of global memory: whatever lanes ask of it, all of it is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The byte address of the line of 128 bytes that it belongs to, and its number there.
    pub line: u64,
    pub sector: u8,
    /// The lanes that ask for each of its words; none for a word that is moved for nothing.
    pub words: [LaneMask; WORDS],
}

impl Bucket {
    pub fn address(&self) -> u64 {
        self.line + u64::from(self.sector) * SECTOR
    }

    /// Returns the words in groups, each with its first word and its number of words: words side by
    /// side of the same lanes are one brick, and so are words that nobody asks for one by one.
    pub fn bricks(&self) -> Vec<(usize, usize, LaneMask)> {
        let mut bricks: Vec<(usize, usize, LaneMask)> = Vec::new();
        for (word, lanes) in self.words.iter().enumerate() {
            match bricks.last_mut() {
                Some((_, wide, of)) if of == lanes && !lanes.is_empty() => *wide += 1,
                _ => bricks.push((word, 1, *lanes)),
            }
        }
        bricks
    }
}

/// Returns the sectors that an access touches, in the order of their addresses: as many as it costs.
pub fn buckets(access: &Access) -> Vec<Bucket> {
    let mut buckets = Vec::new();
    for line in coalesce::lines(access) {
        for sector in (0..4).filter(|sector| line.fetched >> sector & 1 == 1) {
            let start = line.address + u64::from(sector) * SECTOR;
            let words = std::array::from_fn(|word| asking(access, start + 4 * word as u64));
            buckets.push(Bucket { line: line.address, sector, words });
        }
    }
    buckets
}

/// The lanes that ask for a byte of the word at this address.
fn asking(access: &Access, word: u64) -> LaneMask {
    let bytes = u64::from(access.bytes);
    let asks = |(_, addr): &(usize, u64)| *addr < word + 4 && addr.saturating_add(bytes) > word;
    let lanes = access.touched().filter(asks);
    LaneMask(lanes.fold(0, |mask, (lane, _)| mask | 1 << lane))
}

/// The access of a whole warp to an array in shared memory, if its lanes went down the columns from the
/// first word on, and each row had so many words `more`; with the array's name. `None` for an array that
/// has such words already, or has fewer words than a warp has lanes.
pub fn by_columns<'p>(
    (problem, program): (&'p Problem, &'p Program),
    access: &Access,
    more: u32,
) -> Option<(&'p str, Access)> {
    let (_, first) = access.touched().next()?;
    let (name, ..) = problem.shared_element(program, first)?;
    let (array, _, (rows, columns)) =
        problem.staged(program).find(|(array, ..)| array.name == name)?;
    let is_whole = access.bytes == 4 && access.active.count() == WARP_SIZE;
    if !is_whole || array.pad > 0 || rows * columns < WARP_SIZE {
        return None;
    }
    let mut turned = access.clone();
    for (lane, addr) in (0..WARP_SIZE).zip(&mut turned.addrs) {
        let (row, column) = (lane % rows, lane / rows);
        *addr = first + WORD * u64::from(row * (columns + more) + column);
    }
    Some((name, turned))
}

/// The access of a warp to a shared array, if the array's rows were other: one word longer or, where they
/// are longer than those of its tile, as short as these. With the array's name, and by how many words a
/// row is longer then. `None` if longer rows take as many passes as shorter ones.
pub fn with_other_rows<'p>(
    (problem, program): (&'p Problem, &'p Program),
    access: &Access,
) -> Option<(&'p str, i64, Access)> {
    let (_, first) = access.touched().next().filter(|_| !access.route.is_distributed())?;
    let (array, ..) = problem.shared_element(program, first)?;
    let padding = problem.staged(program).find(|(tile, ..)| tile.name == array);
    let more = match padding.map_or(0, |(tile, ..)| tile.pad) {
        0 => 1,
        pad => -i64::from(pad),
    };
    let mut other = access.clone();
    for (lane, addr) in access.touched() {
        let (_, row, _) = problem.shared_element(program, addr).filter(|(of, ..)| *of == array)?;
        other.addrs[lane] = addr.wrapping_add_signed(i64::from(row) * more * WORD as i64);
    }
    let [is, would] = [access, &other].map(|access| i64::from(wavefronts(access).wavefronts));
    (more * (is - would) > 0).then_some((array, more, other))
}

/// How good a request is: by the sectors that its bytes need, and by how many of the bytes are used.
pub const fn sector_mark(cost: &Sectors) -> CostMark {
    match (cost.is_scattered(), cost.distinct == cost.fetched()) {
        (true, _) => CostMark::Bad,
        (false, true) => CostMark::Good,
        (false, false) => CostMark::Plain,
    }
}

#[cfg(test)]
mod tests;
