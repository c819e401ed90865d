//! Counts by block classes equal the counts of all blocks, for kernels of every sort.

mod random;

use matviz::analysis::Counters;
use matviz::analysis::block_classes::{BlockClass, Dependent, NotClassifiable, classes, sum};
use matviz::analysis::grid::{self, BUDGET};
use matviz::kernel::{Problem, Tile, find};
use matviz::launch::{Dim3, Launch};
use matviz::matrix::Size;
use matviz::sim::{Fault, Machine, Memory, Order, Program, lower};
use matviz::work::WorkToken;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Kernels whose blocks differ in one way each; see `kernels.cu` next to it.
const KERNELS: &str = include_str!("../data/analysis/classes/kernels.ptx");

fn program(ptx: &str, name: &str) -> Arc<Program> {
    let module = ptx::parse(ptx).expect("the tests name PTX that can be read");
    Arc::new(lower(&module, name).expect("the tests name kernels that can be run"))
}

/// A launch of a kernel with the parameters A, B, C, M, N, K.
#[derive(Clone, Debug)]
struct Run {
    program: Arc<Program>,
    launch: Launch,
    size: Size,
    /// The number of words by which C is too small.
    short: u64,
}

impl Run {
    /// The sizes of A, B and C in words.
    fn words(&self) -> [u64; 3] {
        let Size { m, n, k } = self.size;
        let [m, n, k] = [m, n, k].map(u64::from);
        [m * k, k * n, (m * n).saturating_sub(self.short).max(1)]
    }

    /// Values of either sign, so that branches on them diverge.
    fn memory(&self) -> Memory {
        let mut memory = Memory::new();
        for (name, words) in ["A", "B", "C"].into_iter().zip(self.words()) {
            let values: Vec<_> =
                (0..words).map(|word| (word * 7 % 11) as f32 / 11.0 - 0.5).collect();
            memory.add(name, &values);
        }
        memory
    }

    fn hollow(&self) -> Memory {
        let mut memory = Memory::new();
        for (name, words) in ["A", "B", "C"].into_iter().zip(self.words()) {
            memory.add_bounds_only(name, words);
        }
        memory
    }

    fn machine(&self, memory: &Memory, block: Dim3) -> Machine {
        let Size { m, n, k } = self.size;
        let pointers = memory.buffers().iter().flat_map(|buffer| buffer.base.to_le_bytes());
        let sizes = [m, n, k].into_iter().flat_map(u32::to_le_bytes);
        let params: Vec<u8> = pointers.chain(sizes).collect();
        let (program, memory) = (Arc::clone(&self.program), memory.clone());
        Machine::new(program, self.launch, block, &params, memory, Order::default())
    }

    /// Counts every block, with values.
    fn every(&self) -> Result<Counters, Fault> {
        let memory = self.memory();
        grid::run(self.launch, |block| self.machine(&memory, block))
    }

    /// Counts one block of each class; also returns the number of classes.
    fn by_classes(&self) -> Result<(Result<Counters, Fault>, u64), Dependent> {
        let memory = self.hollow();
        let machine = |block| self.machine(&memory, block);
        let classes = classes_of(self.launch, machine).map_err(|why| match why {
            NotClassifiable::Unclassed(why) => why.what,
            NotClassifiable::Cancelled => unreachable!("nobody cancels it"),
        })?;
        let blocks: u64 = classes.iter().map(|class| class.blocks).sum();
        assert_eq!(blocks, self.launch.blocks(), "a block is in no class, or in two");
        Ok((sum(&classes), classes.len() as u64))
    }
}

fn classes_of(
    launch: Launch,
    machine: impl Fn(Dim3) -> Machine + Sync,
) -> Result<Vec<BlockClass>, NotClassifiable> {
    classes(launch, BUDGET, machine, &WorkToken::default())
}

fn catalogue(kernel: &str, tile: u32, size: Size) -> Run {
    let kernel = find(kernel).expect("the tests name kernels of the catalogue");
    let ptx = kernel.embedded(tile).expect("the tests name embedded tile sizes");
    let launch = Problem::of(kernel, tile, size, ptx.into()).launch;
    Run { program: program(ptx, kernel.name), launch, size, short: 0 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_catalogue_is_counted_as_by_every_block(
        kernel in prop::sample::select(vec!["naive", "tiled"]),
        tile in prop::sample::select(vec![4_u32, 8, 16, 32]),
        (m, n, k) in (1..90_u32, 1..90_u32, 1..60_u32),
    ) {
        let run = catalogue(kernel, tile, Size { m, n, k });
        let (counted, _) = run.by_classes().expect("no data decide in these kernels");
        prop_assert_eq!(counted, run.every());
    }

    /// This holds even if C is too small: both name the same fault of the same block.
    #[test]
    fn other_kernels_are_counted_as_by_every_block(
        kernel in prop::sample::select(FOLLOWED.to_vec()),
        grid in (1..14_u32, 1..10_u32, 1..4_u32),
        block in prop::sample::select(vec![(32, 1), (8, 8), (16, 4), (5, 7), (4, 4), (64, 2)]),
        (m, n, k) in (1..70_u32, 1..70_u32, 1..30_u32),
        short in prop::sample::select(vec![0, 0, 0, 1, 40]),
    ) {
        let grid = Dim3::new(grid.0, grid.1, grid.2);
        let launch = Launch { grid, block: Dim3::flat(block.0, block.1) };
        let run = Run { program: program(KERNELS, kernel), launch, size: Size { m, n, k }, short };
        let (counted, _) = run.by_classes().expect("no data decide in these kernels");
        prop_assert_eq!(counted, run.every());
    }
}

/// The kernels whose control flow and addresses do not depend on data.
const FOLLOWED: [&str; 14] = [
    "flat",
    "swizzled",
    "triangular",
    "diagonal",
    "strides",
    "parity",
    "backwards",
    "shared",
    "solid",
    "bits",
    "narrow",
    "outside",
    "chosen",
    "wrapped",
];

fn launched(kernel: &str, grid: Dim3, block: Dim3) -> Run {
    let (size, launch) = (Size { m: 600, n: 600, k: 8 }, Launch { grid, block });
    Run { program: program(KERNELS, kernel), launch, size, short: 0 }
}

#[test]
fn classes_are_few_where_blocks_are_alike() {
    let cases = [
        ("flat", Dim3::flat(4000, 1), Dim3::flat(64, 1)),
        ("diagonal", Dim3::flat(70, 70), Dim3::flat(8, 8)),
        ("parity", Dim3::flat(70, 600), Dim3::flat(8, 1)),
        ("backwards", Dim3::flat(75, 75), Dim3::flat(8, 8)),
        ("wrapped", Dim3::flat(75, 75), Dim3::flat(8, 8)),
        ("solid", Dim3::new(75, 4, 150), Dim3::flat(8, 4)),
    ];
    for (kernel, grid, block) in cases {
        let run = launched(kernel, grid, block);
        let (counted, classes) = run.by_classes().expect("no data decide in these kernels");
        assert_eq!(counted, run.every(), "{kernel}");
        assert!(classes <= grid.volume() / 30, "{kernel}: {classes} classes");
    }
}

#[test]
fn a_full_sized_grid_needs_as_many_blocks_as_its_edges_make_kinds() {
    for (size, tile, expected) in
        [("8192", 16, 1), ("8192", 32, 1), ("8191", 16, 4), ("8190x8192x64", 16, 2)]
    {
        let run = catalogue("tiled", tile, size.parse().expect("the sizes exist"));
        let (counted, classes) = run.by_classes().expect("no data decide in the catalogue");
        assert_eq!(classes, expected, "{size}");
        let Size { m, n, k } = run.size;
        let padded = [m, n, k].map(|side| u64::from(side.next_multiple_of(tile)));
        let fma = padded.iter().product::<u64>();
        assert_eq!(counted.map(|counted| counted.ptx.thread_fma), Ok(fma), "{size}");
    }
}

#[test]
fn lanes_that_have_waited_get_what_the_last_ones_brought() {
    let launch = Launch { grid: Dim3::flat(8, 1), block: Dim3::flat(32, 1) };
    let program = program(include_str!("../data/analysis/classes/meeting.ptx"), "meeting");
    let run = Run { program, launch, size: Size { m: 1, n: 1, k: 1 }, short: 0 };
    let (counted, _) = run.by_classes().expect("no data decide in it");
    assert_eq!(counted.as_ref().map(|counted| counted.ptx.global.stores.requests), Ok(4));
    assert_eq!(counted, run.every());
}

#[test]
fn loaded_data_that_decide_are_named() {
    for (kernel, expected) in [
        ("branching", Dependent::Lanes),
        ("gathering", Dependent::Address),
        ("relayed", Dependent::Address),
    ] {
        let run = launched(kernel, Dim3::flat(3, 2), Dim3::flat(32, 1));
        assert_eq!(run.by_classes().err(), Some(expected), "{kernel}");
    }
}

/// A kernel of the catalogue with an embedded tile.
fn problem(kernel: &str, tile: &str, size: &str) -> Problem {
    let kernel = find(kernel).expect("a kernel of the catalogue");
    let tile: Tile = tile.parse().expect("a tile");
    let variant = kernel.variant(tile).expect("it has this tile");
    let ptx = variant.ptx.expect("embedded");
    Problem::of(kernel, variant, size.parse().expect("a size"), ptx.into())
}

/// 16 rows of tiles in bands of eight; 10 columns, and 16, with which every band begins alike.
#[test]
fn blocks_that_go_in_bands_fall_into_few_classes() {
    for (size, most) in [("1024x640x64", 60), ("1024x1024x64", 10)] {
        let problem = problem("half_tensor", "64x64x64", size);
        let program = problem.program().expect("it can be run");
        let machine = |memory: &Memory, block| {
            problem.machine(Arc::clone(&program), block, memory.clone(), Order::default())
        };
        let (hollow, dense) =
            (problem.bounds_only_memory(&program), problem.dense_memory(&program));
        let classes = classes_of(problem.launch, |block| machine(&hollow, block));
        let classes = classes.expect("no data decide in it");
        let blocks = problem.launch.blocks();
        assert!(classes.len() <= most, "{} of {blocks} at {size}", classes.len());
        let every = grid::run(problem.launch, |block| machine(&dense, block));
        assert_eq!(sum(&classes), every, "{size}");
    }
}

#[test]
fn a_count_that_nobody_waits_for_is_given_up() {
    let problem = problem("sgemm", "128x256x16", "1024");
    let program = problem.program().expect("it can be run");
    let memory = problem.bounds_only_memory(&program);
    let machine =
        |block| problem.machine(Arc::clone(&program), block, memory.clone(), Order::default());
    let asked = Arc::new(AtomicU64::new(0));
    let (count, blocks) = (Arc::clone(&asked), problem.launch.blocks());
    let token = WorkToken::default().heard_by(move |progress| {
        count.fetch_add(1, Relaxed);
        assert_eq!(progress.total, blocks);
        match progress.instructions {
            0..200_000 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    });
    let given_up = classes(problem.launch, BUDGET, machine, &token);
    assert_eq!(given_up, Err(NotClassifiable::Cancelled));
    assert!((2..20).contains(&asked.load(Relaxed)), "{asked:?}");
}

/// A machine is created for each block that is simulated: far fewer than there are blocks.
#[test]
fn few_blocks_are_tried() {
    let run = catalogue("naive", 16, Size { m: 8191, n: 8191, k: 3 });
    let (memory, made) = (run.hollow(), AtomicU64::new(0));
    let found = classes_of(run.launch, |block| {
        made.fetch_add(1, Relaxed);
        run.machine(&memory, block)
    });
    assert_eq!(found.map(|classes| classes.len()), Ok(4));
    assert!(made.into_inner() < 12);
}
