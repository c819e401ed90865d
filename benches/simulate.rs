//! Measures parsing PTX, simulating a block and a grid, and seeking in a recorded run.
//!
//! `cargo bench`; all figures depend on the machine.

use divan::Bencher;
use matviz::analysis::check::{self, Checks};
use matviz::analysis::vectorise::SmemVectorisation;
use matviz::analysis::{Counters, block_classes, grid};
use matviz::kernel::{Problem, find};
use matviz::launch::Dim3;
use matviz::sim::{Machine, Order, Program, lower};
use matviz::trace::{Recorder, Replay, Trace};
use matviz::work::WorkToken;
use std::borrow::Cow;
use std::sync::Arc;

const KERNELS: [&str; 2] = ["naive", "tiled"];

fn main() {
    divan::main();
}

/// A kernel with tile size 16.
fn problem(kernel: &str, size: &str) -> Problem {
    tiled_by(16, kernel, size)
}

fn tiled_by(tile: u32, kernel: &str, size: &str) -> Problem {
    let kernel = find(kernel).expect("the benches name kernels of the catalogue");
    let ptx = kernel.embedded(tile).expect("the benches name tile sizes that are embedded");
    let size = size.parse().expect("the benches name sizes that exist");
    Problem::of(kernel, tile, size, Cow::Borrowed(ptx))
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

/// The text of a kernel with this body.
fn text(body: &str) -> String {
    format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 C)\n{{\n\
         .shared .align 4 .b8 s[4096];\n.reg .b32 %r<1000>;\n.reg .pred %p<2>;\n\
         mov.u32 %r0, %tid.x;\nsetp.gt.u32 %p1, %r0, 1000;\n{body}ret;\n}}"
    )
}

fn lowered(text: &str) -> Program {
    let module = ptx::parse(text).expect("the benches write PTX that can be read");
    lower(&module, "k").expect("the benches write PTX that is supported")
}

/// A thousand blocks through which a thousand registers are live, from the last of the text up.
#[divan::bench(sample_count = 5)]
fn place_registers_of_blocks_that_go_backwards(bencher: Bencher) {
    let set = (1..1000).map(|number| format!("mov.u32 %r{number}, %r0;\n"));
    let add = (1..1000).map(|number| format!("add.u32 %r0, %r0, %r{number};\n"));
    let back = (1..1000).map(|block| format!("L{block}: @%p1 bra L{0}; bra L{0};\n", block - 1));
    let [set, add, back] = [set.collect::<String>(), add.collect(), back.collect()];
    let text = text(&format!("{set}bra L999;\nL0:\n{add}st.shared.u32 [s], %r0;\nret;\n{back}"));
    bencher.bench(|| lowered(&text));
}

/// A loop with eight thousand back edges.
#[divan::bench(sample_count = 5)]
fn joins_of_a_loop_of_many_ends(bencher: Bencher) {
    let ends = "@%p1 bra TOP;\n".repeat(8000);
    let program = lowered(&text(&format!("TOP: st.shared.u32 [s], %r0;\n{ends}")));
    bencher.bench(|| SmemVectorisation::of(&program));
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
        grid::run(problem.launch, machine).expect("the kernels of the catalogue do not fault")
    });
}

#[divan::bench(args = KERNELS, sample_count = 10)]
fn grid_at_256_checked(bencher: Bencher, kernel: &str) {
    let problem = problem(kernel, "256");
    let program = program(&problem);
    let (launch, unfilled) = (problem.launch, &["C"]);
    bencher.bench(|| {
        let machine =
            |block, memory| problem.machine(Arc::clone(&program), block, memory, Order::default());
        let checks = Checks {
            launch,
            only: None,
            budget: grid::BUDGET,
            unfilled,
            token: &WorkToken::default(),
        };
        check::run(&checks, || problem.dense_memory(&program), machine).findings.len()
    });
}

/// One block of each class: for a size that tiles divide, and for one that leaves ragged edges.
#[divan::bench(args = ["8192", "8191"], consts = [16, 32], sample_count = 3)]
fn counts_only_naive<const TILE: u32>(bencher: Bencher, size: &str) {
    counts_only(bencher, &tiled_by(TILE, "naive", size));
}

#[divan::bench(args = ["8192", "8191"], consts = [16, 32], sample_count = 3)]
fn counts_only_tiled<const TILE: u32>(bencher: Bencher, size: &str) {
    counts_only(bencher, &tiled_by(TILE, "tiled", size));
}

fn counts_only(bencher: Bencher, problem: &Problem) {
    let program = program(problem);
    let memory = problem.bounds_only_memory(&program);
    bencher.bench(|| -> Counters {
        let machine =
            |block| problem.machine(Arc::clone(&program), block, memory.clone(), Order::default());
        let classes =
            block_classes::classes(problem.launch, grid::BUDGET, machine, &WorkToken::default());
        let classes = classes.expect("no loaded value decides on what these kernels do");
        block_classes::sum(&classes).expect("the kernels of the catalogue do not fault")
    });
}

/// Seeks from the end of a recorded run to places all over it.
#[divan::bench(args = KERNELS)]
fn replay_seek(bencher: Bencher, kernel: &str) {
    let machine = block(&problem(kernel, "1024"));
    let joins = Arc::new(SmemVectorisation::of(machine.program()));
    let mut recorder = Recorder::new(machine, joins);
    let (mut trace, mut replay) = (Trace::new(&recorder), Replay::new(&recorder));
    while !trace.complete() {
        trace.append(recorder.record(10_000));
    }
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at * 7919 + 104_729) % (trace.len() + 1);
        replay.seek(&trace, at);
        replay.snapshot().index
    });
}
