//! Kernels of the catalogue as matviz compiles them, and what the simulator makes of them.

use cudac::CompileOptions;
use matviz::kernel::{Kernel, Problem, Variant};
use matviz::sim::Order;
use matviz::study::simulation::{Simulated, Simulation};
use matviz::work::WorkToken;

/// The kernels of the catalogue that are in the subset; the others contain PTX or halves.
pub(crate) const INSIDE: [&str; 9] = [
    "naive",
    "naive_rows",
    "tiled",
    "tiled_transposed",
    "tiled_padded",
    "blocked_1d",
    "blocked_2d",
    "vectorised",
    "warp_tiled",
];

/// Even and odd sizes, smaller than a tile and larger, square and not.
pub(crate) const SIZES: [&str; 12] = [
    "64",
    "60",
    "33",
    "1",
    "7x5x3",
    "100x36x57",
    "60x52x84",
    "64x48x96",
    "64x64x50",
    "17x130x16",
    "128x64x32",
    "96x160x8",
];

pub(crate) fn compiled(source: &str, file: &str, defines: &[String]) -> String {
    let made = cudac::compile(
        source,
        &CompileOptions { file, defines, headers: &[], instances: &[], rolled: true },
    );
    made.map_err(|error| error.render(source, file)).expect("in the subset").ptx
}

pub(crate) fn variants(kernel: &'static Kernel) -> impl Iterator<Item = &'static Variant> {
    kernel.variants.iter().filter(|variant| variant.ptx.is_some())
}

pub(crate) fn simulated(problem: &Problem) -> Simulated {
    let program = problem.program().expect("its PTX is supported");
    let simulation = Simulation {
        problem,
        program: &program,
        order: Order::default(),
        only: None,
        block: matviz::launch::Dim3::at(0, 0),
        budget: u64::MAX,
        counts_only: false,
        checks: false,
        tolerance: None,
    };
    simulation.run(&WorkToken::default()).expect("it ends")
}
