//! The rungs of the ladder: what each idea changes, in the counts of the hardware.

use matviz::analysis::{Counters, classes, grid};
use matviz::kernel::{Problem, find};
use matviz::matrix::Size;
use matviz::sim::Order;
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

fn counted(kernel: &str, tile: u32) -> Counters {
    let kernel = find(kernel).expect("a kernel");
    let ptx = Cow::Borrowed(kernel.embedded(tile).expect("it is embedded"));
    let problem = Problem::of(kernel, tile, Size::square(512), ptx);
    let program = problem.program().expect("it is supported");
    let memory = problem.hollow_memory(&program);
    let machine = |at| problem.machine(Arc::clone(&program), at, memory.clone(), Order::default());
    let classes = classes::classes(problem.launch(), grid::BUDGET, machine).expect("classes");
    grid::run_classes(&classes, grid::BUDGET, machine).expect("it runs").as_executed()
}

#[test]
fn each_rung_counts_what_the_hardware_counted() {
    for (kernel, tile, expected) in MEASURED {
        let counted = counted(kernel, *tile);
        let found = [
            counted.global_load_requests,
            counted.global_load_sectors,
            counted.shared_load_instructions,
            counted.shared_wavefronts,
        ];
        assert_eq!(found, *expected, "{kernel} {tile}");
        assert_eq!(counted.thread_fma, 512 * 512 * 512, "{kernel} {tile}");
    }
}
