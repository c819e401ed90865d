//! The stage of a program: its layout follows from what its accesses do, and a scene never shows what has
//! not happened yet.

#![expect(clippy::panic, clippy::unwrap_used, reason = "what is embedded is there, and runs")]

use crate::kernel::kernels;
use matviz::analysis::vectorise::SmemVectorisation;
use matviz::kernel::{LaunchSpec, Problem, Tile, find};
use matviz::launch::Dim3;
use matviz::matrix::{Element, Operand, Size};
use matviz::sim::Order;
use matviz::study::stage::{
    CellLevel, Cross, EventProgress, LowerRoom, StageDoor, StageFocus, StageMark, StageMoment,
    StagePlan, StageScene, WordTile,
};
use matviz::trace::{OpKind, Recorder, Replay, Trace};
use matviz::work::WorkToken;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// A run of a block with its stage, at some position.
struct Run {
    problem: Problem,
    trace: Trace,
    replay: Replay,
    plan: StagePlan,
    marks: Vec<StageMark>,
}

/// A kernel of the catalogue with this tile, for square matrices of this size.
fn problem(kernel: &str, tile: &str, size: u32) -> Problem {
    let kernel = find(kernel).unwrap();
    let variant = kernel.variant(tile.parse::<Tile>().unwrap()).unwrap();
    Problem::of(kernel, variant, Size::square(size), variant.ptx.unwrap().into())
}

fn plan(problem: &Problem, block: Dim3) -> StagePlan {
    let program = problem.program().unwrap();
    StagePlan::derive(problem, &program, block, &WorkToken::default()).unwrap()
}

impl Run {
    fn of(problem: Problem, block: Dim3) -> Self {
        let program = problem.program().unwrap();
        let plan = plan(&problem, block);
        let joins = Arc::new(SmemVectorisation::of(&program));
        let memory = problem.sparse_memory(&program);
        let machine = problem.machine(program, block, memory, Order::ByPhase);
        let mut recorder = Recorder::new(machine, joins);
        let (mut trace, replay) = (Trace::new(&recorder), Replay::new(&recorder));
        while !trace.complete() {
            trace.append(recorder.record(1 << 14));
        }
        Self { problem, trace, replay, plan, marks: Vec::new() }
    }

    fn moment(&self, from: usize, progress: EventProgress) -> StageMoment<'_> {
        StageMoment {
            problem: &self.problem,
            trace: &self.trace,
            snapshot: self.replay.snapshot(),
            machine: self.replay.machine(),
            from,
            progress,
            hurries: false,
            focus: StageFocus { followed: Some((0, 5)), marks: &self.marks },
            values: false,
            wrong: &[],
        }
    }

    /// The scene after a step, with it as the event.
    fn at(&mut self, step: usize, progress: EventProgress) -> StageScene {
        self.replay.seek(&self.trace, step);
        self.plan.scene(&self.moment(step.saturating_sub(1), progress))
    }

    /// The steps of this kind.
    fn steps(&self, kind: OpKind) -> Vec<usize> {
        let all = (1..).zip(self.trace.records());
        all.filter(|(_, record)| record.kind == kind).map(|(step, _)| step).collect()
    }
}

fn cross(scene: &StageScene) -> &Cross {
    let LowerRoom::Cross(cross) = &scene.below else { panic!("a cross") };
    cross
}

fn levels(tile: &WordTile) -> Vec<CellLevel> {
    tile.cells.iter().map(|cell| cell.level).collect()
}

/// The tiles of a scene, wherever they stand.
fn tiles(scene: &StageScene) -> Vec<&WordTile> {
    let below: Vec<&WordTile> = match &scene.below {
        LowerRoom::Cross(cross) => vec![&cross.left, &cross.top, &cross.corner],
        LowerRoom::Row(tiles) => tiles.iter().collect(),
        LowerRoom::Nothing => Vec::new(),
    };
    scene.above.iter().chain(below).collect()
}

/// Kernel, tile, size; layout; elements that a thread carries side by side, sets, doors of a tile, sums of a thread.
const CATALOGUE: [(&str, &str, u32, &str, [u32; 4]); 14] = [
    ("naive_rows", "16", 64, "cross alone: A left, B above", [1, 0, 0, 1]),
    ("naive", "16", 64, "cross alone: A left, B above", [1, 0, 0, 1]),
    ("tiled", "16", 64, "two rooms: A left, B above", [1, 1, 2, 1]),
    ("tiled_transposed", "16", 64, "two rooms: A left, B above", [1, 1, 2, 1]),
    ("tiled_padded", "16", 64, "two rooms: A left, B above", [1, 1, 2, 1]),
    ("blocked_1d", "32x32x8", 128, "two rooms: A left, B above", [1, 1, 2, 4]),
    ("blocked_2d", "32x32x8", 128, "two rooms: A left, B above", [1, 1, 2, 16]),
    ("vectorised", "32x32x8", 128, "two rooms: A left, B above", [4, 1, 2, 16]),
    ("warp_tiled", "32x32x8", 128, "two rooms: A left, B above", [4, 1, 2, 16]),
    ("half_plain", "32x32x8", 128, "two rooms: A left, B above", [4, 1, 2, 16]),
    ("double_buffered", "32x32x8", 128, "two rooms at once: A left, B above", [4, 2, 1, 16]),
    ("sgemm", "32x16x8", 128, "two rooms at once: A left, B above", [4, 2, 1, 16]),
    ("half_tensor", "64x64x64", 256, "two rooms at once: A left, B above", [8, 2, 1, 32]),
    ("half_wgmma", "128x256x64", 512, "two rooms at once: A left, B above", [8, 4, 1, 128]),
];

/// The blocks of a cluster fill one another's shared memory: they are shown by the panels.
#[test]
fn half_tma_says_why_it_has_no_stage() {
    let problem = problem("half_tma", "128x64x64", 512);
    let (program, token) = (problem.program().unwrap(), WorkToken::default());
    let plan = StagePlan::derive(&problem, &program, Dim3::at(1, 0), &token);
    insta::assert_snapshot!(plan.unwrap_err(), @"This program has no stage: it uses shared memory of other blocks.");
}

#[test]
fn the_stage_of_each_kernel_of_the_catalogue_follows_from_its_accesses() {
    let mut wrong = Vec::new();
    for (kernel, tile, size, layout, counts) in CATALOGUE {
        let plan = plan(&problem(kernel, tile, size), Dim3::at(1, 1));
        let found =
            [plan.elements_a_carry(), plan.sets(), plan.doors_a_tile(), plan.sums_a_thread()];
        if (plan.summary().as_str(), found) != (layout, counts) {
            wrong.push(format!("{kernel}: {} {found:?}, not {layout} {counts:?}", plan.summary()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_tiles_that_are_stored_column_by_column_are_turned() {
    for (kernel, turned) in [
        ("tiled", [false, false]),
        ("tiled_padded", [true, false]),
        ("tiled_transposed", [true, false]),
    ] {
        assert_eq!(plan(&problem(kernel, "16", 64), Dim3::at(1, 1)).turned(), turned, "{kernel}");
    }
}

/// The first line that `--format text --set view=stage` prints for a source.
fn told(file: &Path, launch: &str) -> String {
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.args(["--format", "text", "--set", "view=stage", "--launch", "(void)"]);
    let ptx = file.with_extension("ptx");
    if ptx.exists() {
        matviz.arg(ptx);
    } else {
        matviz.args(["--compiler", "matviz"]).arg(file);
    }
    matviz.args(launch.split_whitespace());
    let mut child = matviz.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().ok();
    child.wait().unwrap();
    line.trim_end().to_owned()
}

/// The first lines for all sources of a folder, by their names.
fn all_told(folder: &str, wanted: &[&str]) -> Vec<String> {
    let all = kernels(folder);
    let of = |name: &&str| {
        let kernel = all.iter().find(|kernel| kernel.name() == **name).unwrap();
        format!("{name}: {}", told(&kernel.path, &kernel.launches()[0]))
    };
    wanted.iter().map(of).collect()
}

#[test]
fn foreign_programs_have_the_stage_that_their_accesses_make() {
    let found =
        all_told("analysis/any/sound", &["tree", "transpose_padded", "stencil", "transpose"]);
    assert_eq!(
        found,
        [
            "tree: row with rounds: in to out",
            "transpose_padded: row: in to out",
            "stencil: row: in to out",
            "transpose: one row: in to out",
        ]
    );
}

#[test]
fn what_cannot_be_put_on_a_stage_says_why() {
    let mut found = all_told(
        "study/no_stage",
        &["five_arrays", "six_shared", "four_barriers", "nothing", "far_apart"],
    );
    found.extend(all_told("analysis/any/sound", &["cluster_ring"]));
    let all = |why: &str| format!("This program has no stage: {why}.");
    assert_eq!(
        found,
        [
            format!("five_arrays: {}", all("it uses 6 arrays at a time")),
            format!("six_shared: {}", all("it uses 6 shared arrays at a time")),
            format!("four_barriers: {}", all("it waits at 4 barriers at a time")),
            format!("nothing: {}", all("it neither waits nor touches memory")),
            format!("far_apart: {}", all("a block brings 2015 x 32 words at a time")),
            format!("cluster_ring: {}", all("it uses shared memory of other blocks")),
        ]
    );
}

#[test]
fn other_names_change_the_labels_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["tree", "transpose_padded", "stencil"] {
        let all = kernels("analysis/any/sound");
        let kernel = all.iter().find(|kernel| kernel.name() == name).unwrap();
        let renamed = |text: &str| {
            let text = text.replace(name, "something").replace("out", "goal");
            text.replace("in[", "here[").replace("in,", "here,").replace("in:", "here:")
        };
        let file = folder.path().join("something.cu");
        fs::write(&file, renamed(&kernel.text)).unwrap();
        let launch = &kernel.launches()[0];
        let other = told(&file, &renamed(launch));
        let usual = told(&kernel.path, launch);
        assert_eq!(other.replace("here", "in").replace("goal", "out"), usual, "{name}");
        assert_ne!(other, usual, "{name}");
    }
}

#[test]
fn rows_and_columns_of_the_cross_are_those_of_c() {
    for (kernel, tile, size, ..) in CATALOGUE {
        let mut run = Run::of(problem(kernel, tile, size.min(256)), Dim3::at(0, 0));
        let all = run.trace.len();
        for step in [0, all / 7, all / 3, all / 2, all - 1, all] {
            let scene = run.at(step, EventProgress::Settled);
            let cross = cross(&scene);
            assert_eq!(cross.left.rows, cross.corner.rows, "{kernel}, step {step}");
            assert_eq!(cross.top.columns, cross.corner.columns, "{kernel}, step {step}");
            assert_eq!(cross.left.columns, cross.top.rows, "{kernel}, step {step}");
            for (collar, side) in
                [(&cross.left_collar, cross.corner.rows), (&cross.top_collar, cross.corner.columns)]
            {
                let length = collar.as_ref().map_or(side, |collar| collar.cells.len() as u32);
                assert_eq!(length, side, "{kernel}, step {step}");
            }
        }
    }
}

#[test]
fn fetches_shown_as_wear_add_up_to_the_sectors_of_the_run() {
    for (kernel, tile, size, ..) in CATALOGUE {
        let mut run = Run::of(problem(kernel, tile, size), Dim3::at(0, 0));
        let mut windows: BTreeMap<u32, u32> = BTreeMap::new();
        for step in run.steps(OpKind::GlobalLoad) {
            run.replay.seek(&run.trace, step);
            let (window, sectors) = run.plan.fetched(&run.moment(step - 1, EventProgress::Settled));
            windows.insert(window, sectors.values().sum());
        }
        let fetched: u32 = windows.values().sum();
        let known = run.trace.costs().last().unwrap().sectors;
        assert_eq!(fetched, known, "{kernel}: {windows:?}");
    }
}

#[test]
fn the_wear_of_naive_is_eight_times_that_of_tiled() {
    let sectors = |kernel| {
        let run = Run::of(problem(kernel, "16", 64), Dim3::at(2, 2));
        run.trace.costs().last().unwrap().sectors
    };
    assert_eq!(["naive_rows", "naive", "tiled"].map(sectors), [8704, 2048, 256]);
}

/// Whether a cell is lit by an event.
const fn is_lit(level: CellLevel) -> bool {
    matches!(level, CellLevel::Now | CellLevel::Arrived)
}

#[test]
fn nothing_is_lit_before_its_packet() {
    for (kernel, tile, size) in [
        ("tiled", "16", 64),
        ("naive", "16", 64),
        ("tiled_transposed", "16", 64),
        ("vectorised", "32x32x8", 64),
    ] {
        let mut run = Run::of(problem(kernel, tile, size), Dim3::at(0, 0));
        let moves = [OpKind::GlobalLoad, OpKind::SharedStore, OpKind::SharedLoad, OpKind::Fma];
        let some = |kind| run.steps(kind).into_iter().step_by(37);
        let steps: Vec<_> = moves.into_iter().flat_map(some).collect();
        for step in steps {
            let told = run.at(step, EventProgress::Told);
            assert!(told.ways.is_empty(), "{kernel}, step {step}");
            for tile in tiles(&told) {
                assert!(!levels(tile).into_iter().any(is_lit), "{kernel}, {step}: {}", tile.title);
            }
            for progress in [EventProgress::Source, EventProgress::OnTheWay(0.9)] {
                let scene = run.at(step, progress);
                for tile in tiles(&scene) {
                    let arrived = levels(tile).contains(&CellLevel::Arrived);
                    assert!(!arrived, "{kernel}, {step}: {}", tile.title);
                }
            }
        }
    }
}

#[test]
fn each_multiply_add_changes_both_tiles_and_the_sums() {
    let mut run = Run::of(problem("tiled", "16", 64), Dim3::at(2, 2));
    let first = run.steps(OpKind::Fma)[..16 * 8].to_vec();
    for step in first.into_iter().step_by(8) {
        let before = run.at(step, EventProgress::Told);
        let after = run.at(step, EventProgress::Settled);
        let (before, after) = (cross(&before), cross(&after));
        assert_ne!(levels(&before.left), levels(&after.left), "step {step}");
        assert_ne!(levels(&before.top), levels(&after.top), "step {step}");
        assert_ne!(levels(&before.corner), levels(&after.corner), "step {step}");
    }
}

#[test]
fn a_sum_is_done_when_it_is_stored_and_not_before() {
    for (kernel, tile) in [("tiled", "16"), ("naive", "16"), ("blocked_2d", "32x32x8")] {
        let mut run = Run::of(problem(kernel, tile, 64), Dim3::at(0, 0));
        let done = |scene: &StageScene| {
            let all = levels(&cross(scene).corner);
            all.iter().filter(|level| **level == CellLevel::Done).count()
        };
        let stores = run.steps(OpKind::GlobalStore);
        let before = run.at(stores[0] - 1, EventProgress::Settled);
        assert_eq!(done(&before), 0, "{kernel}");
        let told = run.at(stores[0], EventProgress::Told);
        assert_eq!(done(&told), 0, "{kernel}");
        let mut last = 0;
        for step in stores {
            let now = done(&run.at(step, EventProgress::Settled));
            assert!(now > last, "{kernel}, step {step}");
            last = now;
        }
        assert_eq!(last, cross(&before).corner.cells.len(), "{kernel}");
    }
}

#[test]
fn no_label_names_what_lies_outside_of_an_array() {
    for (kernel, tile, size) in
        [("tiled", "16", 64), ("naive", "16", 40), ("double_buffered", "32x32x8", 64)]
    {
        let mut run = Run::of(problem(kernel, tile, size), Dim3::at(0, 0));
        let all = run.trace.len();
        for step in (0..8).map(|part| part * all / 8).chain([all - 1, all]) {
            for tile in tiles(&run.at(step, EventProgress::Settled)) {
                let numbers = tile.title.split(|letter: char| !letter.is_ascii_digit());
                let numbers = numbers.filter_map(|number| number.parse::<u32>().ok());
                let is_global = tile.note == "global memory";
                let most = numbers.max().filter(|_| is_global).unwrap_or(0);
                assert!(most < size, "{kernel}, step {step}: {}", tile.title);
            }
        }
    }
}

#[test]
fn a_free_word_is_not_loaded_again_before_it_is_overwritten() {
    let mut run = Run::of(problem("tiled", "16", 64), Dim3::at(2, 2));
    let mut free = 0;
    for step in run.steps(OpKind::SharedLoad) {
        let scene = run.at(step - 1, EventProgress::Settled);
        let shown: Vec<_> =
            [&cross(&scene).left, &cross(&scene).top].into_iter().flat_map(levels).collect();
        free += shown.iter().filter(|level| **level == CellLevel::Free).count();
        run.replay.seek(&run.trace, step);
        let warp = usize::from(run.replay.snapshot().step.as_ref().unwrap().warp);
        let access = run.replay.snapshot().warps[warp].shared.clone().unwrap().access;
        for (_, addr) in access.touched() {
            assert_ne!(shown[addr as usize / 4], CellLevel::Free, "step {step}");
        }
    }
    assert_eq!(free, 0, "all words are held while some warp still loads");
    let second = run.steps(OpKind::Barrier)[12];
    let scene = run.at(second, EventProgress::Settled);
    let freed = levels(&cross(&scene).left);
    let freed = freed.iter().filter(|level| **level == CellLevel::Free).count();
    assert_eq!(freed, 5 * 32, "five warps have come up, each with two rows of sA");
    let held = levels(&cross(&scene).top);
    assert!(held.iter().all(|level| *level == CellLevel::Held), "and sB is held to the last");
}

#[test]
fn a_copy_never_arrives_before_somebody_waits_for_it() {
    let mut run = Run::of(problem("double_buffered", "32x32x8", 64), Dim3::at(1, 1));
    let mut seen = 0;
    for step in (1..run.trace.len()).step_by(3) {
        let scene = run.at(step, EventProgress::Settled);
        let coming = run.replay.snapshot().shared.iter().any(|word| word.coming);
        let copies: Vec<_> = scene.ways.iter().filter(|way| way.copy).collect();
        assert!(coming || copies.is_empty(), "step {step}");
        assert!(copies.iter().all(|way| way.part < 1.0), "step {step}");
        seen += copies.len();
    }
    assert!(seen > 0, "copies are under way");
}

/// The rows and the columns of cells that are lit.
fn lit(tile: &WordTile) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let cells = (0..).zip(&tile.cells).filter(|(_, cell)| cell.level == CellLevel::Now);
    cells.map(|(at, _)| (at / tile.columns, at % tile.columns)).unzip()
}

/// Each instruction of a tensor core takes a piece of either tile, and adds to one of C.
#[test]
fn the_pieces_of_a_tensor_core_meet_in_c() {
    let mut run = Run::of(problem("half_tensor", "64x64x64", 128), Dim3::at(1, 0));
    let products = run.steps(OpKind::Fma);
    for step in products.iter().copied().step_by(29) {
        let scene = run.at(step, EventProgress::Settled);
        let cross = cross(&scene);
        let [left, top, corner] = [&cross.left, &cross.top, &cross.corner].map(lit);
        assert_eq!((left.0.len(), left.1.len()), (16, 16), "step {step}");
        assert_eq!((top.0.len(), top.1.len()), (16, 8), "step {step}");
        assert_eq!(left.1, top.0, "the same places along k, step {step}");
        assert_eq!((left.0, top.1), corner, "step {step}");
        let lens = scene.lens.as_ref().unwrap();
        assert_eq!((lens.sums.rows, lens.sums.columns), (16, 8), "step {step}");
        let white = |tile: &WordTile| {
            tile.cells.iter().filter(|cell| cell.level == CellLevel::Followed).count()
        };
        let [a, b] = [&lens.left, &lens.top].map(|tile| white(tile.as_ref().unwrap()));
        assert_eq!((a, b, white(&lens.sums)), (8, 4, 4), "step {step}");
    }
    // After a tile every element of C has as many products.
    let quarter = products[products.len() / 2 - 1];
    let scene = run.at(quarter, EventProgress::Settled);
    let shares: BTreeSet<_> =
        levels(&cross(&scene).corner).iter().map(|level| format!("{level:?}")).collect();
    assert!(shares.len() <= 3, "one share but for what is lit: {shares:?}");
}

/// A tile that is multiplied is not shown as free to be overwritten, whichever set it lies in.
#[test]
fn no_set_is_free_while_it_is_multiplied() {
    for kernel in ["double_buffered", "sgemm"] {
        let (_, tile, size, ..) =
            CATALOGUE.iter().find(|(name, ..)| *name == kernel).copied().unwrap();
        let mut run = Run::of(problem(kernel, tile, size), Dim3::at(0, 0));
        for step in run.steps(OpKind::SharedLoad).into_iter().step_by(7) {
            let scene = run.at(step - 1, EventProgress::Settled);
            let free: Vec<_> = [&cross(&scene).left, &cross(&scene).top].map(levels).concat();
            run.replay.seek(&run.trace, step);
            let all = free.iter().filter(|level| **level == CellLevel::Free).count();
            assert!(all < free.len(), "{kernel}, step {step}: {all} of {} are free", free.len());
        }
    }
}

/// The rows and columns of the marked cells of a tile.
fn marked(tile: &WordTile) -> Vec<(u32, u32)> {
    let cells = (0..).zip(&tile.cells).filter(|(_, cell)| cell.marked);
    cells.map(|(i, _)| (i / tile.columns, i % tile.columns)).collect()
}

#[test]
fn what_is_marked_is_marked_wherever_it_is_shown() {
    let mut run = Run::of(problem("tiled", "16", 64), Dim3::at(1, 1));
    run.marks = vec![StageMark::Element(Element { operand: Operand::A, row: 19, column: 5 })];
    let (store, multiply) = (run.steps(OpKind::SharedStore)[0], run.steps(OpKind::Fma)[0]);
    let above = run.at(store, EventProgress::Settled).above;
    let found: Vec<_> = above.iter().map(marked).collect();
    assert_eq!(found, [vec![(3, 5)], vec![], vec![(3, 5)]], "in A and in sA, not its thread");
    let scene = run.at(multiply, EventProgress::Settled);
    assert_eq!(marked(&cross(&scene).left), [(3, 5)]);
    run.marks = vec![StageMark::Word(18)];
    let scene = run.at(multiply, EventProgress::Settled);
    let of_cross = [&cross(&scene).left, &cross(&scene).top].map(marked).concat();
    assert_eq!(of_cross, [(1, 2)], "one word of one array");
    run.marks = vec![StageMark::Lane { warp: 3, lane: 17 }];
    assert_eq!(marked(&run.at(store, EventProgress::Settled).above[1]), [(7, 1)]);
    run.marks = vec![StageMark::Warp(3)];
    let scene = run.at(store, EventProgress::Settled);
    assert_eq!(marked(&scene.above[1]).len(), 32);
    let seats = scene.doors[0].seats.iter().filter(|seat| seat.marked);
    assert_eq!(seats.map(|seat| seat.warp).collect::<Vec<_>>(), [3]);
}

#[test]
fn where_no_threads_are_shown_their_sums_are_marked() {
    let mut run = Run::of(problem("naive", "16", 64), Dim3::at(1, 1));
    run.marks = vec![StageMark::Lane { warp: 3, lane: 17 }];
    let multiply = run.steps(OpKind::Fma)[0];
    assert_eq!(marked(&cross(&run.at(multiply, EventProgress::Settled)).corner), [(7, 1)]);
}

#[test]
fn bulk_copies_bring_the_tiles_of_a_product_past_the_threads() {
    let found = all_told("analysis/sound", &["hopper_plain", "hopper_large", "hopper_ring"]);
    assert_eq!(
        found,
        [
            "hopper_plain: two rooms at once: A left, B above",
            "hopper_large: two rooms at once: A left, B above",
            "hopper_ring: This program has no stage: it waits at 7 barriers at a time.",
        ]
    );
}

/// A program of the tests with A, B, C and the sizes as its arguments.
fn foreign(file: &str, (grid, block): (Dim3, Dim3), size: &str) -> Problem {
    let ptx = fs::read_to_string(format!("tests/data/{file}.ptx")).unwrap();
    let module = ptx::parse(&ptx).unwrap();
    let args = Some("A,B,C,M,N,K".to_owned());
    let wanted = LaunchSpec { grid: Some(grid), block, args, ..LaunchSpec::default() };
    wanted.problem(&module, ptx, size.parse().unwrap()).unwrap()
}

#[test]
fn a_barrier_of_some_warps_is_a_door_of_its_own() {
    let shape = (Dim3::flat(1, 1), Dim3::flat(128, 1));
    let mut run = Run::of(foreign("analysis/sound/groups_in_turn", shape, "32"), Dim3::at(0, 0));
    let waits = run.steps(OpKind::Barrier);
    let mut seen = BTreeSet::new();
    for step in waits {
        let doors = run.at(step, EventProgress::Settled).doors;
        let [whole, part] = &doors[..] else { panic!("two doors: {doors:?}") };
        assert_eq!((whole.seats.len(), part.seats.len()), (4, 4));
        assert_eq!(part.name, "bar.sync 1");
        let taken = |door: &StageDoor| {
            door.seats.iter().filter(|seat| seat.taken).map(|seat| seat.warp).collect::<Vec<_>>()
        };
        let both = taken(whole).into_iter().filter(|warp| taken(part).contains(warp)).count();
        assert_eq!(both, 0, "nobody waits at two doors");
        seen.insert((taken(part).len(), taken(whole).len()));
    }
    assert!(seen.contains(&(1, 0)), "one of a group waits for the other: {seen:?}");
    assert!(seen.contains(&(0, 2)), "two warps wait for all: {seen:?}");
}

#[test]
fn a_part_of_k_is_shown_as_that() {
    let shape = (Dim3::new(3, 2, 4), Dim3::flat(16, 16));
    let problem = foreign("kernel/foreign/split_k", shape, "32x48x70");
    let mut run = Run::of(problem, Dim3::new(1, 1, 2));
    let multiply = run.steps(OpKind::Fma)[0];
    let scene = run.at(multiply, EventProgress::Settled);
    let cross = cross(&scene);
    assert_eq!(cross.left.title, "A[16-31][36-51]");
    assert_eq!(cross.top.title, "B[36-51][16-31]");
    assert_eq!(cross.corner.note, "k 36 to 53, sums in registers");
    assert_eq!(cross.count, "product 1 of 18");
    let store = *run.steps(OpKind::GlobalStore).last().unwrap();
    let scene = run.at(store, EventProgress::Settled);
    let note = &self::cross(&scene).corner.note;
    assert_eq!(note, "k 36 to 53, added to what other blocks have added");
}
