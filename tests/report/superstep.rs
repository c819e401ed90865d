//! The supersteps of a block: what each stores, reads and leaves live, as a table and on a timeline.

use matviz::analysis::vectorise::SmemVectorisation;
use matviz::kernel::find;
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::report::perfetto::BlockTimeline;
use matviz::report::superstep::SuperstepReport;
use matviz::sim::Order;
use matviz::study::findings::BlockRun;
use matviz::study::superstep::WordCounts;
use matviz::trace::{Recorder, Trace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

fn run(kernel: &str, size: u32) -> BlockRun {
    let problem = find(kernel).expect("a kernel").problem_for(Size::square(size));
    let program = problem.program().expect("it is supported");
    BlockRun { problem, program, block: Dim3::at(0, 0), order: Order::ByPhase }
}

fn text(kernel: &str, size: u32) -> String {
    let run = run(kernel, size);
    SuperstepReport::new(&run, &run.look()).text()
}

fn words(counts: &[(&str, u64)]) -> WordCounts {
    counts.iter().map(|(name, words)| ((*name).to_owned(), *words)).collect()
}

#[test]
fn a_tile_is_loaded_in_one_superstep_and_read_in_the_next() {
    let bands = run("tiled", 64).look().supersteps;
    assert_eq!(bands.len(), 9, "two barriers for each of 4 tiles");
    for pair in bands.chunks(2).take(4) {
        let [load, multiply] = pair else { continue };
        let tiles = words(&[("sA", 256), ("sB", 256)]);
        assert_eq!((&load.stores, &load.live), (&tiles, &tiles));
        assert_eq!(load.reads, words(&[("A", 256), ("B", 256)]));
        assert_eq!((&multiply.reads, &multiply.live), (&tiles, &words(&[])));
        assert_eq!(load.steps.end, multiply.steps.start);
    }
    assert_eq!(bands[8].stores, words(&[("C", 256)]));
}

#[test]
fn a_kernel_with_two_tiles_stores_the_next_while_it_reads_one() {
    let bands = run("double_buffered", 64).look().supersteps;
    for (number, band) in bands.iter().enumerate().take(bands.len() - 1).skip(1) {
        let stored: Vec<_> = band.stores.keys().collect();
        assert!(stored.iter().all(|name| !band.reads.contains_key(*name)), "{number}: {band:?}");
        assert_eq!(band.stores, band.live, "what is stored is for the next superstep");
    }
}

/// Where a barrier is missing, a store and a load of other threads meet in one superstep.
#[test]
fn a_missing_superstep_is_told_where_it_would_divide_another() {
    insta::assert_snapshot!("supersteps_tiled", text("tiled", 64));
    insta::assert_snapshot!("supersteps_no_load_barrier", text("tiled_no_load_barrier", 64));
    let sound = run("tiled", 64);
    assert!(SuperstepReport::new(&sound, &sound.look()).is_sound());
    let run = run("tiled_no_load_barrier", 64);
    assert!(!SuperstepReport::new(&run, &run.look()).is_sound());
    let recurring = text("tiled", 1024);
    assert!(recurring.contains("4-127 as 2-3, 62 times"), "{recurring}");
}

/// Each track of the timeline holds slices that do not overlap, and each opened barrier lets the other
/// warps go on.
#[test]
fn the_timeline_has_a_track_for_each_warp_and_says_that_it_is_not_time() {
    let run = run("tiled", 32);
    let (problem, block) = (&run.problem, run.block);
    let machine = problem.machine(
        Arc::clone(&run.program),
        block,
        problem.sparse_memory(&run.program),
        Order::ByPhase,
    );
    let mut recorder = Recorder::new(machine, Arc::new(SmemVectorisation::of(&run.program)));
    let mut trace = Trace::new(&recorder);
    while !trace.complete() {
        trace.append(recorder.record(1 << 12));
    }
    let supersteps = &run.look().supersteps;
    let json = BlockTimeline { problem, block, trace: &trace, supersteps }.json();
    let all: Value = serde_json::from_str(&json).expect("JSON");
    assert!(all["otherData"]["unit"].as_str().is_some_and(|unit| unit.contains("not time")));
    let events = all["traceEvents"].as_array().expect("a list");
    let of = |phase: &'static str| events.iter().filter(move |event| event["ph"] == phase);
    let mut tracks = BTreeMap::<u64, Vec<(u64, u64)>>::new();
    for slice in of("X") {
        let number = |key: &str| slice[key].as_u64().expect("a number");
        tracks.entry(number("tid")).or_default().push((number("ts"), number("dur")));
    }
    assert_eq!(tracks.len(), 9, "the supersteps and 8 warps");
    for (track, slices) in &mut tracks {
        slices.sort_unstable();
        assert!(slices.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0), "{track}");
    }
    let instructions = of("X").filter(|event| event["args"]["ptx"].is_string());
    assert_eq!(instructions.count(), trace.len());
    assert_eq!((of("i").count(), of("s").count(), of("f").count()), (4, 4 * 7, 4 * 7));
    for event in events {
        let needed = needed(event["ph"].as_str().expect("a phase"));
        let missing: Vec<_> = needed.iter().filter(|key| event[**key].is_null()).collect();
        assert!(!needed.is_empty() && missing.is_empty(), "{event}: {missing:?}");
    }
    // An arrow begins and ends in a slice of its track.
    for arrow in of("s").chain(of("f")) {
        let (track, at) = (arrow["tid"].as_u64().expect("a track"), arrow["ts"].as_u64());
        let is_within =
            |(from, long): &(u64, u64)| at.is_some_and(|at| (*from..from + long).contains(&at));
        assert!(tracks[&track].iter().any(is_within), "{arrow}");
    }
}

/// The keys that an event of a phase has (Trace Event Format, "Event Descriptions").
fn needed(phase: &str) -> &'static [&'static str] {
    match phase {
        "M" => &["name", "pid", "tid", "args"],
        "X" => &["name", "cat", "pid", "tid", "ts", "dur"],
        "i" => &["name", "cat", "pid", "tid", "ts", "s"],
        "s" | "f" => &["name", "cat", "id", "pid", "tid", "ts"],
        _ => &[],
    }
}
