//! Costs of asynchronous copies: the sectors that a `cp.async` of one warp fetches, and the
//! wavefronts with which it writes shared memory.

use super::banks::{BANKS, WORD};
use super::coalesce::{self, LINE, SECTOR};
use crate::sim::{Access, LaneMask, Route};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes per lane of a copy that bypasses the L1 cache: no other size exists.
const CHUNK: u64 = 16;

/// Cost of one copy of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyCost {
    /// Sectors of global memory (`l1tex__t_sectors_pipe_lsu_mem_global_op_ld`).
    pub sectors: u32,
    /// Passes through the banks of shared memory (`memory_l1_wavefronts_shared`).
    pub wavefronts: u32,
    /// Passes that would suffice (`memory_l1_wavefronts_shared_ideal`).
    pub ideal: u32,
    /// Whether Nsight Compute may report another number of passes, which no known rule predicts.
    pub uncertain: bool,
}

/// Counts by rules that agree with Nsight Compute on an H200 for every copy that is not uncertain,
/// and for most that are: 144 copies of tests/data/analysis/h200_copies.jsonl and 400 of
/// h200_more_copies.jsonl.
pub fn cost([from, into]: &[Access; 2]) -> CopyCost {
    match into.route {
        Route::CopyGlobal | Route::CopyGlobalSized => past_l1(from, into),
        _ => through_l1(from, into),
    }
}

/// `.ca`: the lanes of a group (32 for 4 bytes each, 16 for 8, 8 for 16) share a pass as far as
/// each reads banks of its own and writes banks of its own. A lane that must wait to write still
/// occupies the banks that it reads. So the count is exact where only the reads or only the writes
/// conflict. Where both do, hardware takes this many passes or more.
fn through_l1(from: &Access, into: &Access) -> CopyCost {
    let size = LINE as u32 / u32::from(into.bytes);
    let groups = (0..32 / size)
        .map(|index| into.active.and(LaneMask(LaneMask::first(size).0 << (index * size))))
        .filter(|group| !group.is_empty());
    let mut cost = CopyCost { sectors: coalesce::sectors(from).sectors, ..CopyCost::default() };
    for group in groups {
        let banks = |of: &Access, lane: usize| {
            if of.active.has(lane) { banks(of.addrs[lane], of.bytes) } else { 0 }
        };
        let lanes: Vec<_> =
            group.lanes().map(|lane| [banks(from, lane), banks(into, lane)]).collect();
        cost.wavefronts += passes(&lanes);
        cost.ideal += 1;
        cost.uncertain |= (0..2).all(|side| collide(lanes.iter().map(|lane| lane[side])));
    }
    cost
}

/// Returns the banks of `bytes` bytes, one bit for each.
fn banks(addr: u64, bytes: u8) -> u32 {
    let words = LaneMask::first(u32::from(bytes) / WORD as u32).0;
    words.rotate_left((addr / WORD % BANKS as u64) as u32)
}

/// Whether any two have a bank in common.
fn collide(lanes: impl Iterator<Item = u32>) -> bool {
    let (mut taken, mut any) = (0, false);
    for banks in lanes {
        any |= taken & banks != 0;
        taken |= banks;
    }
    any
}

/// Counts the passes of lanes that read and write these banks.
fn passes(lanes: &[[u32; 2]]) -> u32 {
    let (mut left, mut passes) = (lanes.to_vec(), 0);
    while !left.is_empty() {
        let (mut reading, mut writing) = (0, 0);
        left.retain(|[read, write]| {
            let goes = reading & read == 0 && writing & write == 0;
            reading |= read;
            if goes {
                writing |= write;
            }
            !goes
        });
        passes += 1;
    }
    passes
}

/// Transfers that bypass the L1 cache in one pass, from one line to one line.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum TransferPass {
    Sectors,
    /// Single chunks, without the other half of their sector. Those of one pass agree in which
    /// halves they come from and go to, and in whether the numbers of the two sectors add up to an
    /// even or an odd number. Each comes from a different sector.
    Chunks {
        halves: [u64; 2],
        odd: bool,
    },
}

/// `.cg`: of the lanes that write the same 16 bytes only one copies. Each pair of a written sector
/// and a source line counts as one sector. Where a register gives the number of bytes, Nsight
/// Compute's figure follows no rule that was found.
fn past_l1(from: &Access, into: &Access) -> CopyCost {
    let copies: BTreeMap<u64, u64> = into
        .touched()
        .filter(|(lane, _)| from.active.has(*lane))
        .map(|(lane, addr)| (addr, from.addrs[lane]))
        .collect();
    let together = |to: u64, from: u64| {
        if copies.get(&(to ^ CHUNK)) == Some(&(from ^ CHUNK)) {
            return TransferPass::Sectors;
        }
        let halves = [to, from].map(|addr| addr / CHUNK % 2);
        TransferPass::Chunks { halves, odd: (to / SECTOR + from / SECTOR) % 2 == 1 }
    };
    let sectors: BTreeSet<_> = copies.iter().map(|(to, from)| (to / SECTOR, from / LINE)).collect();
    let mut passes: BTreeMap<_, BTreeMap<u64, u32>> = BTreeMap::new();
    for (to, from) in &copies {
        let pass = passes.entry((to / LINE, from / LINE, together(*to, *from))).or_default();
        *pass.entry(from / SECTOR).or_default() += 1;
    }
    let times = passes.iter().map(|((.., together), of)| match together {
        TransferPass::Sectors => 1,
        TransferPass::Chunks { .. } => of.values().copied().max().unwrap_or_default(),
    });
    CopyCost {
        sectors: sectors.len() as u32,
        wavefronts: times.sum(),
        ideal: (copies.len() as u32).div_ceil((LINE / CHUNK) as u32),
        uncertain: into.route == Route::CopyGlobalSized,
    }
}
