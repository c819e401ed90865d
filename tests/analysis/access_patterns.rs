//! Checks the counting rules against an H200's counters, pattern by pattern.

use matviz::analysis::vectorise::Replacement;
use matviz::analysis::{Counters, Counts, async_copy, banks, coalesce, grid};
use matviz::launch::{Dim3, Launch};
use matviz::report::access::{IndexExpr, Pattern};
use matviz::sim::{Access, Direction, LaneMask, Machine, Memory, Order, Route, lower};
use ptx::{self, Space};
use serde::Deserialize;
use std::fmt::Debug;
use std::sync::Arc;

/// One line of the data: a warp instruction and the hardware's counts.
#[derive(Deserialize)]
struct Measured {
    space: String,
    op: String,
    bytes: u8,
    mask: String,
    pattern: String,
    offsets: [u64; 32],
    requests: Option<u32>,
    sectors: Option<u32>,
    wavefronts: Option<u32>,
    conflicts: Option<u32>,
}

impl Measured {
    fn access(&self) -> Access {
        let digits = self.mask.trim_start_matches("0x");
        Access {
            space: if self.space == "shared" { Space::Shared } else { Space::Global },
            direction: if self.op == "ld" { Direction::Load } else { Direction::Store },
            bytes: self.bytes,
            route: Route::Lanes,
            active: LaneMask(
                u32::from_str_radix(digits, 16).expect("the data has hexadecimal masks"),
            ),
            addrs: self.offsets,
        }
    }
}

fn patterns(space: &str) -> Vec<Measured> {
    include_str!("../data/analysis/h200_access_patterns.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Measured>(line).expect("the data is as described"))
        .filter(|measured| measured.space == space)
        .collect()
}

/// Fails with every pattern whose count differs, not only the first.
fn assert_all_agree<T: PartialEq + Debug>(
    patterns: &[Measured],
    count: impl Fn(&Access) -> T,
    hardware: impl Fn(&Measured) -> T,
) {
    let wrong: Vec<String> = patterns
        .iter()
        .map(|measured| (measured, count(&measured.access()), hardware(measured)))
        .filter(|(_, ours, theirs)| ours != theirs)
        .map(|(measured, ours, theirs)| {
            let Measured { op, bytes, pattern, mask, .. } = measured;
            format!("{op} {bytes} bytes, {pattern}, mask {mask}: {ours:?}, hardware {theirs:?}")
        })
        .collect();
    let (bad, all) = (wrong.len(), patterns.len());
    assert!(wrong.is_empty(), "{bad} of {all} differ:\n{}", wrong.join("\n"));
}

#[test]
fn requests_and_sectors_are_the_hardwares() {
    let patterns = patterns("global");
    assert_eq!(patterns.len(), 353);
    assert_all_agree(
        &patterns,
        |access| {
            let cost = coalesce::sectors(access);
            (Some(cost.requests), Some(cost.sectors))
        },
        |measured| (measured.requests, measured.sectors),
    );
}

#[test]
fn wavefronts_and_conflicts_are_the_hardwares() {
    let patterns = patterns("shared");
    assert_eq!(patterns.len(), 542);
    assert_all_agree(
        &patterns,
        |access| {
            let cost = banks::wavefronts(access);
            (Some(cost.wavefronts), Some(cost.conflicts))
        },
        |measured| (measured.wavefronts, measured.conflicts),
    );
}

/// A copy by one warp, and the hardware's counts.
#[derive(Deserialize)]
struct Copied {
    op: String,
    bytes: u8,
    /// The mask of the lanes that copy; all lanes by default.
    #[serde(default = "every_lane")]
    mask: u32,
    from: [u64; 32],
    to: [u64; 32],
    sectors: u32,
    wavefronts: u32,
    ideal: u32,
}

const fn every_lane() -> u32 {
    u32::MAX
}

impl Copied {
    fn cost(&self) -> async_copy::CopyCost {
        let route = if self.op == "cp.async.cg" { Route::CopyGlobal } else { Route::CopyAll };
        let access = |space, direction, addrs| Access {
            space,
            direction,
            bytes: self.bytes,
            route,
            active: LaneMask(self.mask),
            addrs,
        };
        let from = access(Space::Global, Direction::Load, self.from);
        async_copy::cost(&[from, access(Space::Shared, Direction::Store, self.to)])
    }
}

/// Counted on an H200 (driver 580.159) by Nsight Compute, 2026-11-21. Patterns with conflicts both
/// where they are read and where they are written are not all predicted: most are.
#[test]
fn asynchronous_copies_cost_what_the_hardware_says() {
    let (first, more) = (
        include_str!("../data/analysis/h200_copies.jsonl"),
        include_str!("../data/analysis/h200_more_copies.jsonl"),
    );
    let rows = first.lines().chain(more.lines());
    let rows: Vec<Copied> = rows.map(|row| serde_json::from_str(row).expect("as above")).collect();
    assert_eq!(rows.len(), 544);
    let (mut off, mut uncertain, mut wrong) = (0, 0, Vec::new());
    for row in &rows {
        let cost = row.cost();
        let ours = (cost.sectors, cost.ideal, cost.wavefronts);
        let theirs = (row.sectors, row.ideal, row.wavefronts);
        uncertain += u32::from(cost.uncertain);
        let below = (ours.0, ours.1) == (theirs.0, theirs.1) && ours.2 < theirs.2;
        off += u32::from(cost.uncertain && below);
        if ours != theirs && !(cost.uncertain && below) {
            let Copied { op, mask, from, to, .. } = row;
            wrong.push(format!("{op} {mask:#x} {from:?} to {to:?}: {ours:?}, hardware {theirs:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((off, uncertain), (40, 166));
}

/// An atomic operation of a warp on shared memory, and the hardware's counts.
#[derive(Deserialize)]
struct Changed {
    op: String,
    mask: String,
    pattern: String,
    offsets: [u32; 32],
    instructions: u64,
    loads: u64,
    wavefronts: u64,
    ideal: u64,
}

impl Changed {
    /// Each active lane changes the word at its offset.
    fn ptx(&self) -> String {
        let Self { op, mask, .. } = self;
        let (ty, kept) = (&op[op.len() - 3..], op.starts_with("atom"));
        let result = if kept { "%old, " } else { "" };
        let other = if op.contains("cas") { "%old, " } else { "" };
        format!(
            ".version 8.0 .target sm_80 .address_size 64
            .visible .entry k(.param .u64 pin) {{
            .shared .align 128 .b8 sm[16384];
            .reg .b64 %in; .reg .b32 %lane, %at, %bit, %sm; .reg .pred %on; .reg .{ty} %old, %new;
            ld.param.u64 %in, [pin]; mov.u32 %lane, %tid.x; mov.u32 %sm, sm;
            mov.u32 %bit, {mask}; shr.u32 %bit, %bit, %lane; and.b32 %bit, %bit, 1;
            setp.ne.u32 %on, %bit, 0;
            mad.wide.u32 %in, %lane, 4, %in; ld.global.u32 %at, [%in]; add.u32 %at, %at, %sm;
            @%on {op} {result}[%at], {other}%new;
            ret; }}"
        )
    }

    fn counters(&self) -> Counts {
        let module = ptx::parse(&self.ptx()).expect("it is well formed");
        let program = Arc::new(lower(&module, "k").expect("it is supported"));
        let mut memory = Memory::new();
        let offsets = self.offsets.map(f32::from_bits);
        let params = memory.add("in", &offsets).to_le_bytes();
        let launch = Launch { grid: Dim3::flat(1, 1), block: Dim3::flat(32, 1) };
        let machine =
            Machine::new(program, launch, Dim3::flat(0, 0), &params, memory, Order::default());
        grid::run_block(machine).expect("it is sound").sass()
    }
}

/// Counted on an H200 (driver 580.159) by Nsight Compute, 2026-11-21: operations that finish at
/// once, in a known number of rounds, or in a number of rounds that depends on values.
#[test]
fn atomic_operations_on_shared_memory_cost_what_the_hardware_says() {
    let rows = include_str!("../data/analysis/h200_atomics.jsonl").lines();
    let rows: Vec<Changed> = rows.map(|row| serde_json::from_str(row).expect("as above")).collect();
    assert_eq!(rows.len(), 432);
    let (mut wrong, mut doubted) = (Vec::new(), 0);
    for row in &rows {
        let counted = row.counters();
        let ours = [
            counted.shared.atomics.instructions,
            counted.shared.loads.instructions,
            counted.shared.all().wavefronts,
            counted.shared.all().ideal,
        ];
        let theirs = [row.instructions, row.loads, row.wavefronts, row.ideal];
        let bound = ours.iter().zip(&theirs).all(|(ours, theirs)| ours <= theirs);
        let doubt = counted.shared.atomics_at_least > 0;
        doubted += u32::from(doubt);
        if !(ours == theirs || doubt && bound) {
            wrong.push(format!("{} {}: {ours:?}, hardware {theirs:?}", row.op, row.pattern));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert_eq!(doubted, 42, "64-bit maxima");
}

/// One instruction of a kernel for 512 x 512 x 512: the number of executions per warp, and its
/// access.
type Instruction = (u64, Direction, u8, &'static str);

const LOAD: Direction = Direction::Load;
const STORE: Direction = Direction::Store;

/// The sums over a whole grid of square blocks, with one thread per element of C.
fn grid(tile: u32, space: Space, instructions: &[Instruction]) -> Counters {
    let block = Dim3::flat(tile, tile);
    let mut sum = Counters::default();
    for &(times, direction, bytes, index) in instructions {
        let pattern = Pattern { space, direction, bytes, block, at: Dim3::new(0, 0, 0) };
        let expr = IndexExpr::parse(index).expect("the index is well formed");
        let mut once = Counters::default();
        for access in pattern.accesses(&expr).expect("the index has values") {
            once.add_access(&access, Replacement::default());
        }
        let blocks = u64::from(512 / tile).pow(2);
        (0..times * blocks).for_each(|_| sum.merge(&once));
    }
    sum
}

/// Whole kernels on the H200, by Nsight Compute's patched wavefronts; the A tile is read four k at
/// a time where ptxas vectorises the loads.
#[test]
fn shared_wavefronts_of_whole_kernels_are_the_hardwares() {
    let steps = |tile: u64| 512 / tile;
    let kernels: [(u32, [Instruction; 4], u64, u64, u64); 5] = [
        // tiled, T = 16 and 32
        (
            16,
            [
                (4 * steps(16), LOAD, 16, "ty*4"),
                (16 * steps(16), LOAD, 4, "tx"),
                (steps(16), STORE, 4, "ty*16 + tx"),
                (steps(16), STORE, 4, "ty*16 + tx"),
            ],
            5_242_880,
            6_815_744,
            6_815_744,
        ),
        (
            32,
            [
                (8 * steps(32), LOAD, 16, "ty*8"),
                (32 * steps(32), LOAD, 4, "tx"),
                (steps(32), STORE, 4, "ty*32 + tx"),
                (steps(32), STORE, 4, "ty*32 + tx"),
            ],
            5_242_880,
            6_553_600,
            6_553_600,
        ),
        // tiled, row = threadIdx.x
        (
            32,
            [
                (8 * steps(32), LOAD, 16, "tx*8"),
                (32 * steps(32), LOAD, 4, "ty"),
                (steps(32), STORE, 4, "tx*32 + ty"),
                (steps(32), STORE, 4, "tx*32 + ty"),
            ],
            5_242_880,
            46_137_344,
            8_650_752,
        ),
        // the A tile stored transposed, without and with a padding column
        (
            32,
            [
                (32 * steps(32), LOAD, 4, "ty"),
                (32 * steps(32), LOAD, 4, "tx"),
                (steps(32), STORE, 4, "tx*32 + ty"),
                (steps(32), STORE, 4, "ty*32 + tx"),
            ],
            8_388_608,
            12_713_984,
            8_650_752,
        ),
        (
            32,
            [
                (32 * steps(32), LOAD, 4, "ty"),
                (32 * steps(32), LOAD, 4, "tx"),
                (steps(32), STORE, 4, "tx*33 + ty"),
                (steps(32), STORE, 4, "ty*32 + tx"),
            ],
            8_388_608,
            8_650_752,
            8_650_752,
        ),
    ];
    for (tile, instructions, loads, wavefronts, ideal) in kernels {
        let shared = grid(tile, Space::Shared, &instructions).ptx.shared;
        let counted = (shared.loads.instructions, shared.all().wavefronts, shared.all().ideal);
        assert_eq!(counted, (loads, wavefronts, ideal), "{tile} {instructions:?}");
    }
}

#[test]
fn sectors_of_whole_kernels_are_the_hardwares() {
    let kernels: [(u32, [Instruction; 2], u64, u64); 5] = [
        // naive, col = threadIdx.x; then row = threadIdx.x
        (16, [(512, LOAD, 4, "ty*512"), (512, LOAD, 4, "tx")], 8_388_608, 16_777_216),
        (16, [(512, LOAD, 4, "tx*512"), (512, LOAD, 4, "ty")], 8_388_608, 71_303_168),
        (32, [(512, LOAD, 4, "tx*512"), (512, LOAD, 4, "ty")], 8_388_608, 138_412_032),
        // tiled, T = 16 and 32
        (16, [(32, LOAD, 4, "ty*512 + tx"), (32, LOAD, 4, "ty*512 + tx")], 524_288, 2_097_152),
        (32, [(16, LOAD, 4, "ty*512 + tx"), (16, LOAD, 4, "ty*512 + tx")], 262_144, 1_048_576),
    ];
    for (tile, instructions, requests, sectors) in kernels {
        let loads = grid(tile, Space::Global, &instructions).ptx.global.loads;
        let counted = (loads.requests, loads.sectors);
        assert_eq!(counted, (requests, sectors), "{tile} {instructions:?}");
    }
}
