//! Every place of a recorded run is the same, whichever way a replay reaches it.

#![expect(clippy::unwrap_used, reason = "what is embedded is there, and runs")]

use matviz::analysis::grid;
use matviz::analysis::vectorise::SmemVectorisation;
use matviz::kernel::{LaunchSpec, Problem, find};
use matviz::launch::Dim3;
use matviz::matrix::Operand;
use matviz::report::found::{FindingInRun, FindingOutcome};
use matviz::report::sentence::{WIDTH, sentence};
use matviz::sim::Order;
use matviz::study::findings::BlockRun;
use matviz::trace::cursor::{StepSize, Want, next, next_match, previous, previous_match};
use matviz::trace::{
    Age, End, LIMIT, OpKind, Recorder, Replay, RunCost, SharedWord, StepRecord, Trace,
};
use matviz::work::WorkToken;
use std::borrow::Cow;
use std::sync::Arc;

fn problem(kernel: &str, size: &str, tile: u32) -> Problem {
    let kernel = find(kernel).unwrap();
    let ptx = Cow::Borrowed(kernel.embedded(tile).unwrap());
    Problem::of(kernel, tile, size.parse().unwrap(), ptx)
}

/// Records in chunks of an awkward length.
fn record(problem: &Problem, block: Dim3, order: Order) -> (Trace, Replay) {
    let (trace, replay) = recorded(problem, block, order, 97);
    assert_eq!(trace.end(), Some(&End::Done));
    (trace, replay)
}

fn recorded(problem: &Problem, block: Dim3, order: Order, piece: usize) -> (Trace, Replay) {
    let program = problem.program().unwrap();
    let memory = problem.sparse_memory(&program);
    let joins = Arc::new(SmemVectorisation::of(&program));
    let mut recorder = Recorder::new(problem.machine(program, block, memory, order), joins);
    let (mut trace, replay) = (Trace::new(&recorder), Replay::new(&recorder));
    while !trace.complete() {
        trace.append(recorder.record(piece));
    }
    (trace, replay)
}

#[test]
fn a_recording_stops_at_its_limit() {
    let problem = problem("tiled", "64", 16);
    let program = problem.program().unwrap();
    let memory = problem.sparse_memory(&program);
    let joins = Arc::new(SmemVectorisation::of(&program));
    let machine = problem.machine(program, Dim3::flat(1, 1), memory, Order::RoundRobin);
    let mut recorder = Recorder::within(machine, joins, 100);
    let mut trace = Trace::new(&recorder);
    while !trace.complete() {
        trace.append(recorder.record(97));
    }
    assert_eq!(trace.len(), 100);
    assert_eq!(trace.end(), Some(&End::Cut), "nothing is said of how it ends");
}

#[test]
fn a_place_counts_what_is_executed_as_the_run_of_the_grid_does() {
    let ptx = std::fs::read_to_string("tests/data/kernel/foreign/numba_tiled.ptx").unwrap();
    let module = ptx::parse(&ptx).unwrap();
    let size = "64".parse().unwrap();
    let block = Dim3::flat(16, 16);
    let wanted = LaunchSpec { block, ..LaunchSpec::default() };
    let problem = wanted.problem(&module, ptx, size).unwrap();
    let block = Dim3::flat(2, 1);
    let (trace, mut replay) = record(&problem, block, Order::RoundRobin);
    replay.seek(&trace, trace.len());
    let totals = replay.snapshot().totals;
    let program = problem.program().unwrap();
    let memory = problem.sparse_memory(&program);
    let machine =
        |block| problem.machine(program.clone(), block, memory.clone(), Order::RoundRobin);
    let grid = grid::run_within(
        (problem.launch, Some(block)),
        grid::BUDGET,
        machine,
        &WorkToken::default(),
    )
    .unwrap()
    .0;
    assert_eq!(totals, grid);
    // Of 32 loads per tile, 16 of one array become four.
    let loads = totals.ptx.shared.loads.instructions;
    assert_eq!(totals.sass().shared.loads.instructions, loads * 20 / 32);
}

#[test]
fn seeking_anywhere_gives_the_place_of_the_straight_run() {
    for order in [Order::RoundRobin, Order::ToBarrier, Order::ByPhase, Order::Random(7)] {
        let problem = problem("tiled", "40x40x200", 16);
        let (trace, mut replay) = record(&problem, Dim3::flat(2, 1), order);
        let mut straight = Vec::new();
        for index in 0..=trace.len() {
            replay.seek(&trace, index);
            straight.push(replay.snapshot().clone());
        }
        let mut at = 0;
        for jump in 0..400 {
            at = (at * 7919 + jump * 104_729) % (trace.len() + 1);
            replay.seek(&trace, at);
            assert_eq!(replay.snapshot(), &straight[at], "place {at}");
        }
    }
}

#[test]
fn by_phase_the_warps_wait_in_turn_and_multiply_together() {
    let problem = problem("tiled", "64", 16);
    let (trace, _) = record(&problem, Dim3::flat(1, 2), Order::ByPhase);
    let records = trace.records();
    let opening = next_match(&trace, 0, Want::Barrier).unwrap();
    let events = records[..opening].iter().filter(|mark| mark.kind.is_event());
    let warps: Vec<_> = events.map(|mark| mark.warp).collect();
    assert!(warps.is_sorted(), "each warp loads, stores and waits before the next one begins");
    let together = records.chunk_by(|one, next| one.pc == next.pc);
    let multiplied = together.filter(|marks| marks[0].kind == OpKind::Fma);
    let multiplied: Vec<_> = multiplied.map(<[_]>::len).collect();
    assert_eq!(multiplied, [8; 64], "all 8 warps multiply at each of the 64 steps along k");
}

#[test]
fn the_costs_along_the_way_lead_to_the_sums_at_the_end() {
    let problem = problem("tiled_transposed", "64", 16);
    let (trace, mut replay) = record(&problem, Dim3::flat(1, 2), Order::ByPhase);
    replay.seek(&trace, trace.len());
    let totals = replay.snapshot().totals.ptx;
    let last = trace.costs().last().unwrap();
    assert_eq!(u64::from(last.fma), totals.multiply_adds());
    assert_eq!(u64::from(last.sectors), totals.global.loads.sectors);
    assert_eq!(u64::from(last.passes), totals.shared.all().wavefronts);
    let rises = |pair: &[RunCost]| {
        pair[0].fma <= pair[1].fma
            && pair[0].sectors <= pair[1].sectors
            && pair[0].passes <= pair[1].passes
    };
    assert!(trace.costs().windows(2).all(rises));
    let first = trace.costs().iter().find(|cost| cost.fma > 0).unwrap();
    assert_eq!(first.sectors, 64, "a tile of A and one of B are there before the first FMA");
    let passes = trace.records().iter().map(|record| u64::from(record.passes)).sum::<u64>();
    assert_eq!(passes, totals.shared.all().wavefronts);
    let conflicts = trace.records().iter().filter(|record| record.conflict);
    let most = conflicts.map(|record| record.passes).max();
    assert_eq!(most, Some(8), "of a column of 16 words, 8 lie in one bank");
    assert_eq!(size_of::<StepRecord>(), 16);
}

#[test]
fn the_units_of_stepping_lead_there_and_back() {
    let problem = problem("tiled", "64", 16);
    let (trace, _) = record(&problem, Dim3::flat(1, 2), Order::RoundRobin);
    let tile = problem.fma_per_tile(Dim3::flat(1, 2));
    for (unit, stops) in [(StepSize::Barrier, 9), (StepSize::Tile, 5)] {
        let mut places = vec![0];
        while let Some(at) = places.last().copied().filter(|at| *at < trace.len()) {
            places.push(next(&trace, at, unit, tile));
        }
        assert_eq!(places.len(), stops + 1, "{unit:?}: 4 tiles of 2 barriers, start and end");
        for pair in places.windows(2) {
            assert_eq!(previous(&trace, pair[1], unit, tile), pair[0]);
        }
    }
    assert_eq!(next_match(&trace, 0, Want::Conflict), None, "sB is read without conflicts");
    let load = next_match(&trace, 0, Want::Memory).unwrap();
    assert_eq!(trace.records()[load - 1].kind, OpKind::GlobalLoad);
    let second = next_match(&trace, load, Want::Memory).unwrap();
    assert_eq!(previous_match(&trace, second, Want::Memory), Some(load));
}

#[test]
fn shared_words_go_from_empty_over_coming_to_current_and_old() {
    let problem = problem("tiled", "64", 16);
    let (trace, mut replay) = record(&problem, Dim3::flat(0, 0), Order::RoundRobin);
    let mut count = |index: usize, is: fn(&SharedWord) -> bool| {
        replay.seek(&trace, index);
        replay.snapshot().shared.iter().filter(|word| is(word)).count()
    };
    assert_eq!(count(0, |word| word.age == Age::Empty), 512);
    let load = next_match(&trace, 0, Want::Memory).unwrap();
    assert_eq!(count(load, |word| word.coming), 32, "one warp's load is on its way");
    let loaded = next_match(&trace, 0, Want::Barrier).unwrap();
    assert_eq!(count(loaded, |word| word.age == Age::Current), 512);
    let read = next_match(&trace, loaded, Want::Barrier).unwrap();
    let old = |word: &SharedWord| word.age == Age::Old;
    assert_eq!(count(read, old), 512, "after the second barrier the tiles have had their use");
    let next = (read..trace.len())
        .find(|index| trace.records()[*index].kind == OpKind::GlobalLoad)
        .unwrap()
        + 1;
    let over_old = |word: &SharedWord| word.coming && word.age == Age::Old;
    assert_eq!(count(next, over_old), 32, "the old words are still there");
}

/// What a word is said to have been loaded from holds the same value.
#[test]
fn every_word_has_the_value_of_its_origin() {
    for (kernel, size, tile) in [("tiled", "33x65x7", 4), ("tiled_padded", "32", 8)] {
        let problem = problem(kernel, size, tile);
        let (trace, mut replay) = record(&problem, Dim3::flat(1, 1), Order::ToBarrier);
        let mut known = 0;
        for index in 0..=trace.len() {
            replay.seek(&trace, index);
            let (memory, shared) = (replay.machine().memory(), replay.machine().shared());
            for (word, value) in replay.snapshot().shared.iter().zip(shared) {
                let Some(addr) = word.origin() else { continue };
                let (buffer, offset) = memory.locate(addr).unwrap();
                assert_eq!(buffer.load(offset / 4), *value, "{kernel}, step {index}");
                known += 1;
            }
        }
        assert!(known > 0);
    }
}

#[test]
fn a_multiply_add_tells_the_elements_that_it_multiplies() {
    for (kernel, order) in [
        ("naive", Order::RoundRobin),
        ("tiled", Order::RoundRobin),
        ("tiled", Order::ToBarrier),
        ("tiled_transposed", Order::ToBarrier),
    ] {
        let problem = problem(kernel, "32", 8);
        let block = Dim3::flat(2, 1);
        let owned = problem.owned(&problem.program().unwrap(), block);
        let (trace, mut replay) = record(&problem, block, order);
        for index in 1..=trace.len() {
            replay.seek(&trace, index);
            if trace.records()[index - 1].kind != OpKind::Fma {
                continue;
            }
            let (place, memory) = (replay.snapshot(), replay.machine().memory());
            let mut expected: Vec<_> = place
                .together()
                .flat_map(|(warp, now)| {
                    let k = now.fma - 1;
                    let lanes = (32 * warp..32 * warp + 32).flat_map(|thread| owned.by(thread));
                    lanes.flat_map(move |(row, column)| {
                        [(Operand::A as u8, *row, k), (Operand::B as u8, k, *column)]
                    })
                })
                .collect();
            expected.sort_unstable();
            expected.dedup();
            let element = |addr: &u64| {
                let (operand, row, column) = problem.element(memory, *addr).unwrap();
                (operand as u8, row, column)
            };
            let mut found: Vec<_> = place.origins.iter().map(element).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{kernel}, step {index}");
        }
    }
}

#[test]
fn every_place_has_a_sentence_that_fits() {
    for (kernel, size) in [("naive", "33x65x7"), ("tiled", "33x65x7")] {
        for tile in [4, 16, 32] {
            let problem = problem(kernel, size, tile);
            let block = Dim3::flat(problem.launch.grid.x - 1, problem.launch.grid.y - 1);
            let (trace, mut replay) = record(&problem, block, Order::ToBarrier);
            for index in 0..=trace.len() {
                replay.seek(&trace, index);
                let text = sentence(&problem, &trace, &replay);
                assert!(text.chars().count() <= WIDTH && text.ends_with('.'), "{text}");
                assert!(!text.ends_with("..."), "cut: {text}");
            }
        }
    }
}

/// A kernel that repeats an iteration as long as the iteration sets %p; %r starts at 0.
fn spinning(round: &str) -> Problem {
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry spin(.param .u64 A, .param .u64 B, .param .u64 C, .param .u32 N)\n\
         {{\n.reg .pred %p;\n.reg .u32 %r;\nmov.u32 %r, 0;\nROUND:\n{round}\n@%p bra ROUND;\nret;\n}}\n"
    );
    let module = ptx::parse(&ptx).unwrap();
    let (size, args) = ("16".parse().unwrap(), Some("A,B,C,N".to_owned()));
    let (block, grid) = (Dim3::flat(32, 1), Some(Dim3::flat(1, 1)));
    let wanted = LaunchSpec { grid, block, args, ..LaunchSpec::default() };
    wanted.problem(&module, ptx, size).unwrap()
}

/// If the recording stops early, it is not known whether the run ends, unless it has returned to an
/// earlier state.
#[test]
fn a_run_that_only_takes_long_is_not_said_to_have_no_end() {
    let long = "add.u32 %r, %r, 1;\nsetp.lt.u32 %p, %r, 100000000;";
    let stops = "The recording stops here, after 8,388,608 steps; the block goes on.";
    let never = "The kernel is wrong: block (0,0), warp 0: the block has executed 16386 ins...";
    for (round, found, told, steps) in
        [(long, None, stops, LIMIT), ("setp.eq.u32 %p, %r, 0;", Some("no-end"), never, 16_386)]
    {
        let problem = spinning(round);
        let program = problem.program().unwrap();
        let (block, order) = (Dim3::at(0, 0), Order::default());
        let suspect = BlockRun { problem: problem.clone(), program, block, order: order.clone() };
        let findings = FindingInRun::all(&suspect, &suspect.look());
        assert_eq!(findings.first().map(|found| found.kind), found, "{round}");
        let shown = findings.iter().flat_map(|found| &found.shows).map(|shows| shows.step);
        assert!(shown.eq(found.map(|_| steps)), "it shows where the recording stops");
        let (trace, mut replay) = recorded(&problem, block, order, 1 << 16);
        assert_eq!((trace.len(), trace.end() == Some(&End::Cut)), (steps, found.is_none()));
        replay.seek(&trace, steps);
        assert_eq!(sentence(&problem, &trace, &replay), told);
    }
}

fn findings(kernel: &str, size: &str, order: Order) -> Vec<FindingInRun> {
    let problem = problem(kernel, size, 16);
    let program = problem.program().unwrap();
    let suspect = BlockRun { problem, program, block: Dim3::flat(1, 1), order };
    FindingInRun::all(&suspect, &suspect.look())
}

#[test]
fn a_race_that_went_well_is_told_from_a_wrong_value_read() {
    for kernel in ["tiled_no_load_barrier", "tiled_no_compute_barrier"] {
        let lucky = findings(kernel, "64", Order::RoundRobin);
        assert!(lucky.iter().all(|found| found.outcome == FindingOutcome::Lucky), "{kernel}");
        let shown: Vec<_> = lucky.iter().flat_map(|found| &found.shows).collect();
        assert!(
            shown.iter().all(|shows| shows.sentence.to_lowercase().contains("luck")),
            "{shown:?}"
        );
        let spoilt = findings(kernel, "64", Order::ToBarrier);
        assert!(spoilt[0].is_between_warps());
        let worst =
            spoilt.iter().find(|found| found.outcome == FindingOutcome::Spoilt).expect(kernel);
        let told: Vec<_> = worst.shows.iter().map(|shows| &shows.sentence).collect();
        let read = told.iter().find(|told| told.starts_with("WRONG VALUE: w")).unwrap();
        assert!(read.contains("] = ") && read.contains(", it should be "), "{read}");
        let end = told.last().unwrap();
        assert!(end.starts_with("C is WRONG: ") && end.contains(", not "), "{end}");
    }
}

#[test]
fn pairs_of_warps_come_first_and_no_value_is_cut() {
    for size in ["64", "1024"] {
        for order in [Order::RoundRobin, Order::ToBarrier] {
            let found = findings("tiled_no_load_barrier", size, order);
            let between: Vec<_> = found.iter().map(FindingInRun::is_between_warps).collect();
            assert!(between.is_sorted_by(|a, b| a >= b), "{between:?}");
            for shows in found.iter().flat_map(|found| &found.shows) {
                let text = &shows.sentence;
                assert!(text.chars().count() <= WIDTH && text.ends_with('.'), "{text}");
                assert!(!text.contains(".."), "{text}");
            }
        }
    }
}
