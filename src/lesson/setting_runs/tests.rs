//! What the runs of a setting hold: the accesses that a text names, and the sums.

use super::*;
use crate::analysis::{banks, coalesce};
use crate::lesson::expr::{AccessQuery, AccessVerb};
use crate::lesson::setting::BlockChoice;

/// A kernel of the catalogue at 64, rolled, with this tile.
pub(in crate::lesson) fn setting(kernel: &str, tile: u32) -> Setting {
    let kernel = KernelFrom::Catalogue(kernel.to_owned());
    Setting { kernel, tile: Some(tile.into()), rolled: true, ..Setting::default() }
}

fn runs(kernel: &str, tile: u32, warp: u32) -> SettingRuns {
    let setting = Setting { warp: Some(warp), ..setting(kernel, tile) };
    SettingRuns::of(&setting).unwrap_or_else(|why| panic!("{why}"))
}

fn access(how: AccessVerb, array: &str, number: u32) -> AccessQuery {
    AccessQuery { how, array: array.to_owned(), number, line: None, span: 0..0 }
}

#[test]
fn a_text_names_the_first_access_of_the_warp_with_its_lanes_and_threads() {
    let runs = runs("naive", 16, 1);
    let evidence = runs.evidence(&access(AccessVerb::Load, "A", 1), 0).expect("naive loads A");
    assert_eq!((evidence.warp, evidence.number, evidence.store, evidence.bytes), (1, 0, false, 4));
    assert_eq!((evidence.array.as_deref(), evidence.row), (Some("A"), Some(64)));
    assert_eq!(evidence.lanes[17].map(|lane| lane.thread), Some((1, 3, 0)));
    assert_eq!(coalesce::sectors(&evidence.access).sectors, 2);
    let record = runs.trace().records()[evidence.step - 1];
    assert_eq!((record.warp, record.pc), (1, evidence.pc));
    let second = runs.evidence(&access(AccessVerb::Load, "A", 2), 0).expect("and again");
    assert_eq!((second.number, second.pc), (1, evidence.pc));
    assert_eq!(runs.evidence(&access(AccessVerb::Load, "A", 1), evidence.step), Ok(second));
}

#[test]
fn the_block_gathers_its_threads_and_a_thread_walks_its_row() {
    let runs = runs("naive", 16, 1);
    let load = runs.evidence(&access(AccessVerb::Load, "A", 1), 0).expect("naive loads A");
    let all = runs.thread_addresses(load.pc, 3);
    assert_eq!(all.len(), 256);
    assert_eq!(all[&(0, 0, 0)], load.first + 4 * (32 * 64 + 3), "A[32][3] in block (2,2)");
    let own = runs.own_sequence((5, 1, 0), load.pc);
    assert_eq!(own.len(), 32);
    assert!(own.windows(2).all(|pair| pair[1] == pair[0] + 4), "along its row of A");
}

#[test]
fn an_access_that_is_not_there_names_those_that_are() {
    let runs = runs("tiled", 16, 0);
    let none = runs.evidence(&access(AccessVerb::Load, "sA", 1), 0).expect_err("sA is shared");
    assert_eq!(
        none.message,
        "no warp of block (2,2) does `load sA`; it does load A, load B, read sA, read sB, store C, \
         store sA, store sB"
    );
    let late =
        runs.evidence(&access(AccessVerb::Store, "sA", 5), 0).expect_err("there are 4 tiles");
    assert_eq!(late.message, "warp 0 does not do `store sA #5`");
}

#[test]
fn the_columns_of_a_padded_tile_still_meet_once() {
    let passes = |kernel: &str| {
        let evidence = runs(kernel, 16, 0).evidence(&access(AccessVerb::Store, "sA", 1), 0);
        banks::wavefronts(&evidence.expect("it stores").access).wavefronts
    };
    let all = ["tiled", "tiled_transposed", "tiled_padded"].map(passes);
    assert_eq!(all, [1, 8, 2]);
}

#[test]
fn a_lines_text_stands_in_one_line_only() {
    let runs = runs("tiled", 16, 0);
    assert_eq!(runs.line("acc   += sA[ty][k]"), Ok(41));
    assert!(runs.line("__syncthreads();").is_err(), "there are two");
    assert!(runs.line("sC").is_err());
}

#[test]
fn a_tile_without_embedded_ptx_is_compiled_here_and_known() {
    let runs = runs("naive", 20, 12);
    assert_eq!(runs.problem.launch.warps(), 13);
    assert_eq!(runs.tile(), Some(20.into()));
    assert_eq!(runs.wrong(), Ok(0));
}

#[test]
fn a_broken_kernel_is_right_in_turn_and_spoilt_in_other_orders() {
    let broken = SettingRuns::of(&setting("tiled_no_compute_barrier", 16)).expect("it is known");
    assert_eq!(broken.wrong(), Ok(0));
    assert_eq!(broken.findings().map(<[Finding]>::len), Ok(2));
    let spoilt = broken.spoilt(100).expect("it is searched");
    assert!((1..100).contains(&spoilt), "{spoilt}");
    let sound = SettingRuns::of(&setting("tiled", 16)).expect("it is known");
    assert_eq!(sound.spoilt(100), Ok(0));
}

#[test]
fn what_differs_only_in_what_is_watched_shares_its_runs() {
    let cache = SettingCache::new();
    let one = setting("tiled", 16);
    let other = Setting { warp: Some(3), ..one.clone() };
    let corner = Setting { block: BlockChoice::Corner, ..one.clone() };
    let [one, other, corner] =
        [one, other, corner].map(|setting| cache.runs(&setting).expect("it is known"));
    assert!(Arc::ptr_eq(&one.run, &other.run));
    assert!(Arc::ptr_eq(&one.grid, &corner.grid));
    assert!(!Arc::ptr_eq(&one.run, &corner.run));
}

#[test]
fn a_file_is_compiled_with_the_launch_that_it_names() {
    let text = "// launch: <<<,8x8>>>\n\
        extern \"C\" __global__ void fill(const float* A, const float* B, float* C, int M, int N, \
        int K)\n{\n  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;\n  \
        float sum = 0.0f;\n  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];\n  \
        C[row * N + col] = sum;\n}\n";
    let kernel = KernelFrom::File { name: "own/fill.cu".to_owned(), text: text.to_owned() };
    let file = Setting { kernel, tile: None, ..setting("", 16) };
    let runs = SettingRuns::of(&file).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(runs.problem.launch.grid, Dim3::flat(8, 8));
    assert_eq!((runs.wrong(), runs.line("C[row * N + col]")), (Ok(0), Ok(7)));
    let coverage = runs.coverage().expect("it is small");
    assert_eq!(coverage.storing, 4096);
    assert!(coverage.stored.iter().all(|stored| *stored));
}
