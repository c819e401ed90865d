//! The commands whose output is stored.

use crate::kernel::kernels;
use matviz::kernel::{BROKEN, KERNELS};
use std::collections::HashSet;

/// A size that no tile of the catalogue's kernels divides.
const SIZE: &str = "100x70x33";

/// Of the kernels from elsewhere, one for each maker and each kind of launch.
const FOREIGN: [&str; 10] = [
    "clang_tiled",
    "cp_async_16",
    "dynamic_shared",
    "mma",
    "numba_tiled",
    "rust_naive",
    "sarek",
    "sgemm_2d",
    "split_k",
    "triton_tiles",
];

/// Of the broken kernels, one for each kind of finding and, of races, for each kind of what races.
const WRONG: [&str; 18] = [
    "barrier_in_if",
    "barriers_of_branches",
    "copy_without_wait",
    "edge_of_later_blocks",
    "halves_overlap",
    "last_block_without_release",
    "least_of_unwritten",
    "lock_between_unfenced",
    "misaligned",
    "multicast_early",
    "products_unwaited",
    "shuffle_from_absent",
    "split_k_stores",
    "tma_ring_early",
    "too_few_expected",
    "tree_without_barrier",
    "waits_for_flag",
    "warp_tree_without_sync",
];

/// Of those, some whose effect depends on the schedule, and one that waits for ever.
const SCHEDULED: [&str; 4] =
    ["copy_without_wait", "split_k_stores", "tree_without_barrier", "waits_for_flag"];

/// Of the sound kernels, one for each way to hand a value on.
const SOUND: [&str; 5] =
    ["hopper_ring", "last_block", "look_back", "producer_consumer", "split_k_turns"];

/// Further calls of `sim`.
pub(crate) const WAYS: &str = "
check --json tiled --size 64 --tile 8
check --json tiled --size 64 --tile 32 --no-unroll
check --json tiled --size 64 --order to-barrier
check --json tiled --size 64 --order random:7
check --json tiled --size 64 --order ahead:3@1
check --json tiled --size 64 --at 1,2
check --json tiled --size 64 --only result
check --json tiled --size 256 --only counts
check --json naive --size 100x70x33 --only counts
check --json sgemm --size 256 --only counts
check --json half_tensor --size 256 --only counts
check --json half_wgmma --size 256 --only counts
check --json tiled_no_load_barrier --size 40x36x44 --order to-barrier
check --json tiled_no_load_barrier --size 40x36x44 --order before:35
check --json tiled_no_compute_barrier --size 40x36x44 --order random:7
check --json lessons/mistakes.ptx --launch forgets_a_barrier --launch <<<,16x16>>> --size 64
check --json lessons/mistakes.ptx --launch reads_down_the_rows --launch <<<,16x16>>> --size 64
check --json lessons/mistakes.ptx --launch turns_a_tile --launch <<<,32x32>>> --size 64
check --json tests/data/sim/cases/printf.ptx --launch <<<,32>>> --launch <<<1,>>> --size 8 --launch (C)
check tiled --size 0
check fastest
check tests/data/kernel/foreign/sgemm_naive.ptx --size 64
check tiled --size 32 --at 0,9
";

/// Accesses to shared and global memory.
pub(crate) const ACCESSES: &str = "
access --json 'ty*33 + tx'
access --json --block 32x32 'tx*33 + ty'
access --json --block 32x32 --warp 0 'tx*32 + ty'
access --op st --json --block 16x16 'ty*16 + tx'
access --op ld.b64 --json --block 64 'tid'
access --op ld.b128 --json --block 64 'tid*4'
access --op ld.global --json --block 16x16 'ty*64 + tx'
access --op ld.global --json --block 16x16 --at 2,1 '(by*16 + ty)*100 + bx*16 + tx'
access --op st.global --json --block 32 'tx*32'
access --op ld.global.b128 --json --block 64 'tid'
access --op ld.global --json --block=16x4 --at=2,1 --warp=1 'bx*64 + tid'
access --block 32x32 --warp 0 'tx*33 + ty'
access --block 32x8 'tx*32 + ty'
access --op ld.global '-tx + 31'
access --batch tests/data/analysis/h200_access_patterns.jsonl
access 'tx - 1'
access 'tx +'
access --warp 8 'tx'
";

/// Reports of Nsight Compute.
pub(crate) const REPORTS: &str = "
check --against tests/data/report/nsight_compute/h200_raw.csv --size 100x36x257 --json
check --against tests/data/report/nsight_compute/h200_raw.csv --size 100x36x257
check --against tests/data/report/nsight_compute/h200_long.csv --size 512 --json
check --against tests/data/report/nsight_compute/h200_long.csv --size 512
check --against tests/data/report/nsight_compute/h200_raw.csv --size 512
";

/// Searches among the warp schedules of catalogue kernels.
const RACES: &str = "
check --prove --json --limit orders=20 tiled_no_load_barrier --size 40x36x44
check --prove --json --limit orders=20 tiled_no_load_barrier --size 40x36x44 --tile 8
check --prove --json --limit orders=20 tiled_no_compute_barrier --size 40x36x44
check --prove --limit orders=20 tiled_no_load_barrier --size 40x36x44
check --prove --limit orders=20 tiled_no_compute_barrier --size 40x36x44
check --prove tiled --json --size 40
check --prove tiled --size 40
check --prove double_buffered --json --size 128
";

/// Keys that open the other views of a run.
const VIEWS: [&str; 18] = [
    "1",
    "4",
    "7",
    "8",
    "?",
    "? Down Down Down",
    "L",
    "L Enter",
    "!",
    ": t i m e l",
    "c",
    "e",
    "i",
    "f 2 1 , 2 3",
    "f Tab 5 , 3 3 Enter",
    "B 3 , 2",
    "n n n Right",
    "G",
];

/// Keys that open the views in which kernels differ most.
const FEW_VIEWS: [&str; 6] = ["2", "3", "5", "6", "9", "f"];

/// Keys that open the views of the measurements.
const MEASURED: [&str; 9] =
    ["m", "m 1", "m 2", "m 3", "m 3 v", "m 4", "m 5", "m 5 c Down", "m Down Down n"];

/// Keys that open the findings of a run.
const FINDINGS: [&str; 4] = ["!", "! j Enter", "d", "d d d"];

/// Runs on the screen, with the keys that open the views of each.
const RUNS: [(&str, &[&str]); 9] = [
    ("tiled --size 64 --step 500", &FEW_VIEWS),
    ("tiled --size 64 --step 500", &MEASURED),
    ("tiled --size 64 --step 500", &VIEWS),
    ("tiled --size 64 --step 500 --set glyphs=ascii", &FEW_VIEWS),
    ("tiled_no_load_barrier --size 64 --order to-barrier", &FINDINGS),
    ("half_tensor --size 64 --step 1500", &FEW_VIEWS),
    ("half_wgmma --size 64 --step 1500", &FEW_VIEWS),
    ("sgemm --size 50x30x70 --step 1000", &FEW_VIEWS),
    (
        "tests/data/kernel/foreign/sgemm_2d.ptx --launch <<<,64>>> --launch <<<2x2,>>> --size 70 --step 600",
        &FEW_VIEWS,
    ),
];

/// The screen of which all rows of the runs are stored, and of others only the first two.
const USUAL: &str = "120x36";

/// The pictures of the measurements.
const PICTURES: [&str; 5] = ["ladder", "sizes", "roofline", "occupancy", "why"];

/// The commands of a list, without its blank lines.
pub(crate) fn lines(list: &str) -> Vec<String> {
    list.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The names of the catalogue's kernels, including the deliberately broken ones.
fn names() -> impl Iterator<Item = &'static str> {
    KERNELS.iter().chain(BROKEN).map(|kernel| kernel.name)
}

/// Each kernel of the catalogue, simulated with all checks.
pub(crate) fn catalogue() -> Vec<String> {
    let as_text = ["tiled", "tiled_no_load_barrier"].map(|name| format!("check {name} --size 64"));
    names().map(|name| format!("check --json {name} --size {SIZE}")).chain(as_text).collect()
}

/// The launches of some of a folder's kernels, as options of a command.
fn launches(folder: &str, some: &[&str]) -> Vec<String> {
    let known = kernels(folder);
    let of = |name: &&str| {
        let kernel =
            known.iter().find(|kernel| kernel.name() == *name).expect("it is in the folder");
        let ptx = kernel.path.with_extension("ptx").display().to_string();
        kernel.launches().into_iter().map(move |launch| format!("{ptx} {launch}"))
    };
    some.iter().flat_map(of).collect()
}

/// Kernels from elsewhere, simulated with all checks.
pub(crate) fn sims_of_foreign() -> Vec<String> {
    sims(launches("kernel/foreign", &FOREIGN))
}

/// Broken and sound kernels, simulated with all checks.
pub(crate) fn sims_of_checked() -> Vec<String> {
    let sound = launches("analysis/sound", &SOUND);
    sims([launches("analysis/broken", &WRONG), sound].concat())
}

fn sims(launches: Vec<String>) -> Vec<String> {
    launches.into_iter().map(|launch| format!("check --json {launch}")).collect()
}

/// Searches among the warp schedules, with a small budget, since some wait for ever.
pub(crate) fn races() -> Vec<String> {
    let search = "check --prove --json --limit orders=20 --limit instructions=20000";
    let broken = launches("analysis/broken", &SCHEDULED).into_iter();
    lines(RACES).into_iter().chain(broken.map(|launch| format!("{search} {launch}"))).collect()
}

/// Traces an element of each matrix, and of C through kernels from elsewhere.
pub(crate) fn traces() -> Vec<String> {
    let elements = ["A[5][13]", "B[13][7]", "C[5][7]"];
    let of = |name: &str| elements.map(|one| format!("trace {name} --size 20x24x28 '{one}'"));
    let foreign = launches("kernel/foreign", &FOREIGN).into_iter();
    let foreign = foreign.map(|launch| format!("trace {launch} 'C[5][7]'"));
    ["tiled", "sgemm", "half_tensor", "half_wgmma"]
        .into_iter()
        .flat_map(of)
        .chain(foreign)
        .collect()
}

/// A block's run, event by event.
pub(crate) fn plain() -> Vec<String> {
    let names = ["naive", "tiled", "half_wgmma", "tiled_no_load_barrier"];
    let foreign = launches("kernel/foreign", &FOREIGN).into_iter();
    let foreign = foreign.map(|launch| format!("--format text {launch}"));
    let known = names.map(|name| format!("--format text {name} --size 50x30x70"));
    known.into_iter().chain(foreign).collect()
}

/// Frames of the screen at a size: the stage and the panels of some runs, of all at the usual size.
pub(crate) fn screens(size: &str) -> Vec<String> {
    let draw =
        |run: &str, how: &str| format!("export frame -o screen.txt --screen {size} {run} {how}");
    let panels = |keys: &&str| format!("--set view=workbench --keys '{keys}'");
    let runs = if size == USUAL { &RUNS[..] } else { &RUNS[..2] };
    let of_run = |(run, views): &(&str, &[&str])| {
        let hows = ["--set view=stage".to_owned()].into_iter().chain(views.iter().map(panels));
        hows.map(|how| draw(run, &how)).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = runs.iter().flat_map(of_run).collect();
    // Some runs are there twice, for different panels: their stage is the same.
    let mut seen = HashSet::new();
    all.retain(|command| seen.insert(command.clone()));
    all
}

/// The pictures of the measurements, drawn and as figures.
pub(crate) fn pictures() -> Vec<String> {
    let of = |name| {
        ["", " --json", " --format csv", " tiled --size 256"]
            .map(|how| format!("export {name}{how}"))
    };
    let more = "export roofline --only shared\nexport why tiled naive_rows";
    PICTURES.into_iter().flat_map(of).chain(lines(more)).collect()
}
