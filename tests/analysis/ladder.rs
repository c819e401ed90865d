//! The rungs of the ladder: the effect of each idea on the hardware's counts.

use matviz::analysis::{Counts, block_classes, grid};
use matviz::kernel::{KERNELS, Problem, find};
use matviz::matrix::Size;
use matviz::sim::Order;
use matviz::work::WorkToken;
use std::borrow::Cow;
use std::sync::Arc;

/// (kernel, tile; global load requests and sectors, shared loads, shared wavefronts), 512 x 512 x
/// 512, as Nsight Compute counted them on an H200.
const MEASURED: &[(&str, u32, [u64; 4])] = &[
    ("naive_rows", 16, [8_388_608, 71_303_168, 0, 0]),
    ("naive_rows", 32, [8_388_608, 138_412_032, 0, 0]),
    ("naive", 16, [8_388_608, 16_777_216, 0, 0]),
    ("tiled", 16, [524_288, 2_097_152, 5_242_880, 6_815_744]),
    ("tiled", 32, [262_144, 1_048_576, 5_242_880, 6_553_600]),
    ("tiled_transposed", 32, [262_144, 1_048_576, 8_388_608, 12_713_984]),
    ("tiled_padded", 32, [262_144, 1_048_576, 8_388_608, 8_650_752]),
];

fn counted(kernel: &str, tile: u32) -> Counts {
    let kernel = find(kernel).expect("a kernel");
    let ptx = Cow::Borrowed(kernel.embedded(tile).expect("it is embedded"));
    let problem = Problem::of(kernel, tile, Size::square(512), ptx);
    let program = problem.program().expect("it is supported");
    let memory = problem.bounds_only_memory(&program);
    let machine = |at| problem.machine(Arc::clone(&program), at, memory.clone(), Order::default());
    let classes =
        block_classes::classes(problem.launch, grid::BUDGET, machine, &WorkToken::default())
            .expect("classes");
    block_classes::sum(&classes).expect("it runs").sass()
}

/// Runs every block to see which thread stores which elements of C.
#[test]
fn every_element_of_c_belongs_to_one_thread_of_the_block_that_is_said_to_compute_it() {
    let size = Size { m: 150, n: 140, k: 40 };
    for (kernel, variant) in KERNELS.iter().flat_map(|k| k.variants.iter().map(move |v| (k, *v))) {
        let ptx = Cow::Borrowed(variant.ptx.expect("it is embedded"));
        let problem = Problem::of(kernel, variant, size, ptx);
        let program = problem.program().expect("it is supported");
        let launch = problem.launch;
        let mut owners = vec![0; (size.m * size.n) as usize];
        for block in (0..launch.blocks()).map(|index| launch.grid.place(index)) {
            let (rows, columns) = problem.part(block).expect("it is of the catalogue");
            let owned = problem.owned(&program, block);
            for thread in 0..launch.threads() as usize {
                for (row, column) in owned.by(thread) {
                    assert!(rows.contains(row) && columns.contains(column), "{}", problem.label());
                    assert_eq!(problem.block_of(*row, *column), Some(block));
                    owners[(row * size.n + column) as usize] += 1;
                }
            }
        }
        // The copy engine stores the elements of half_tma: no thread does.
        let each = u32::from(kernel.name != "half_tma");
        assert!(owners.iter().all(|owners| *owners == each), "{}", problem.label());
    }
}

#[test]
fn each_rung_counts_what_the_hardware_counted() {
    for (kernel, tile, expected) in MEASURED {
        let counted = counted(kernel, *tile);
        let found = [
            counted.global.loads.requests,
            counted.global.loads.sectors,
            counted.shared.loads.instructions,
            counted.shared.all().wavefronts,
        ];
        assert_eq!(found, *expected, "{kernel} {tile}");
        assert_eq!(counted.thread_fma, 512 * 512 * 512, "{kernel} {tile}");
    }
}
