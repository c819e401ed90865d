//! How fast PTX is read, a block and a grid are simulated, and a place of a run is found again.
//!
//! `cargo bench`; each figure is that of the machine it runs on.

use divan::Bencher;
use matviz::analysis::{Counters, grid};
use matviz::kernel::{Problem, find};
use matviz::launch::Dim3;
use matviz::sim::{Machine, Order, Program};
use matviz::trace::{Recorder, Replay, Trace};
use std::borrow::Cow;
use std::sync::Arc;

const KERNELS: [&str; 2] = ["naive", "tiled"];

fn main() {
    divan::main();
}

/// A kernel in its tile size of 16.
fn problem(kernel: &str, size: &str) -> Problem {
    let kernel = find(kernel).expect("the benches name kernels of the catalogue");
    let ptx = kernel.embedded(16).expect("16 is an embedded tile size");
    let size = size.parse().expect("the benches name sizes that exist");
    Problem::of(kernel, 16, size, Cow::Borrowed(ptx))
}

fn program(problem: &Problem) -> Arc<Program> {
    problem.program().expect("the embedded PTX is supported")
}

/// The block at (1, 1), before its first instruction.
fn block(problem: &Problem) -> Machine {
    let order = Order::default();
    let program = program(problem);
    let memory = problem.sparse_memory(&program);
    problem.machine(program, Dim3::at(1, 1), memory, order)
}

#[divan::bench(args = KERNELS)]
fn parse_and_lower(kernel: &str) -> Arc<Program> {
    program(&problem(kernel, "1024"))
}

#[divan::bench(args = KERNELS, sample_count = 20)]
fn block_at_1024(bencher: Bencher, kernel: &str) {
    let problem = problem(kernel, "1024");
    bencher.with_inputs(|| block(&problem)).bench_values(|machine| {
        grid::run_block(machine).expect("the kernels of the catalogue do not fault")
    });
}

#[divan::bench(args = KERNELS, sample_count = 10)]
fn grid_at_256_counted(bencher: Bencher, kernel: &str) {
    let problem = problem(kernel, "256");
    let program = program(&problem);
    bencher.bench(|| -> Counters {
        let memory = problem.dense_memory(&program);
        let machine =
            |block| problem.machine(Arc::clone(&program), block, memory.clone(), Order::default());
        grid::run(problem.launch(), machine).expect("the kernels of the catalogue do not fault")
    });
}

/// From the end of a recorded run to places all over it.
#[divan::bench(args = KERNELS)]
fn replay_seek(bencher: Bencher, kernel: &str) {
    let mut recorder = Recorder::new(block(&problem(kernel, "1024")));
    let (mut trace, mut replay) = (Trace::new(&recorder), Replay::new(&recorder));
    while !trace.complete() {
        trace.append(recorder.record(10_000));
    }
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at * 7919 + 104_729) % (trace.len() + 1);
        replay.seek(&trace, at);
        replay.place().index
    });
}
