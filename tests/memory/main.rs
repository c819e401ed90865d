//! The memory that a simulation and a recording hold: their matrices once, and little else.
//!
//! A program of its own, since its allocator counts what the whole process holds.

use matviz::analysis::grid::BUDGET;
use matviz::analysis::vectorise::SmemVectorisation;
use matviz::kernel::{Problem, find};
use matviz::launch::Dim3;
use matviz::matrix::Operand;
use matviz::report::sim::SimReport;
use matviz::sim::Order;
use matviz::study::simulation::Simulation;
use matviz::trace::{Recorder, Trace};
use matviz::work::WorkToken;
use std::alloc::{GlobalAlloc, Layout, System};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Counts the bytes allocated, and their peak.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// Keeps tests apart: the memory of one must not be counted in another.
static ALONE: Mutex<()> = Mutex::new(());

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: both calls are passed on unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(held, Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

/// The peak of the bytes that `work` allocates, and the bytes that its result holds.
fn taken<T>(work: impl FnOnce() -> T) -> (usize, usize) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = HELD.load(Relaxed);
    MOST.store(before, Relaxed);
    let made = work();
    let (most, held) = (MOST.load(Relaxed), HELD.load(Relaxed));
    drop(made);
    (most.saturating_sub(before), held.saturating_sub(before))
}

fn problem(kernel: &str, size: &str) -> Problem {
    let kernel = find(kernel).expect("a kernel");
    let ptx = kernel.embedded(16).expect("its PTX");
    Problem::of(kernel, 16, size.parse().expect("a size"), Cow::Borrowed(ptx))
}

/// Counts, checks and judges as `matviz check` does.
#[test]
fn a_simulation_of_the_grid_holds_each_matrix_once() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for size in ["1024x1024x1", "2048x16x256", "16x2048x256"] {
        let problem = problem("naive", size);
        let matrices: u64 = Operand::ALL.map(|of| 4 * problem.size.elements(of)).iter().sum();
        let (most, _) = taken(|| {
            let program = problem.program().expect("it is supported");
            let simulation = Simulation {
                problem: &problem,
                program: &program,
                order: Order::default(),
                only: None,
                block: Dim3::at(0, 0),
                budget: BUDGET,
                counts_only: false,
                checks: true,
                tolerance: None,
            };
            let simulated = simulation.run(&WorkToken::default()).expect("it runs");
            let outcome = SimReport::new(&simulation, (&simulated, 1.0), None);
            assert!(outcome.is_sound());
            assert!(outcome.is_right());
        });
        // Of each word of C, which block wrote it, and what was there before.
        let notes = 2 * 4 * problem.size.elements(Operand::C);
        let beside = most - (matrices + notes) as usize;
        assert!(
            beside < (1 << 20) + cores * (1 << 19),
            "{size}: {beside} bytes beside {matrices} and {notes}"
        );
    }
}

/// The recording that the screen starts with.
#[test]
fn the_recording_of_a_block_takes_few_megabytes() {
    let problem = problem("tiled", "1024");
    let (_, held) = taken(|| {
        let program = problem.program().expect("it is supported");
        let memory = problem.sparse_memory(&program);
        let joins = Arc::new(SmemVectorisation::of(&program));
        let machine = problem.machine(program, Dim3::at(32, 32), memory, Order::default());
        let mut recorder = Recorder::new(machine, joins);
        let mut trace = Trace::new(&recorder);
        while !trace.complete() {
            trace.append(recorder.record(1 << 14));
        }
        assert!(trace.len() > 20_000);
        trace
    });
    assert!(held < 3 << 20, "{held} bytes");
}
