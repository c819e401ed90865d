//! What the ideas say in the lessons' scenes: the tables of the course's design.

use super::*;
use crate::lesson::expr::Bindings;
use crate::lesson::setting::{BlockChoice, KernelFrom, Setting};
use crate::lesson::setting_runs::{self, SettingCache};
use crate::matrix::Size;
use crate::sim::Order;
use std::collections::BTreeSet;

/// A kernel of the catalogue at 64, rolled, warp 1 of the block in the middle.
fn setting(kernel: &str, tile: u32) -> Setting {
    Setting { warp: Some(1), ..setting_runs::tests::setting(kernel, tile) }
}

fn changed(change: &str, tile: u32) -> Setting {
    Setting { changes: vec![change.to_owned()], warp: None, ..setting("tiled", tile) }
}

fn context<'a>(
    cache: &'a SettingCache,
    setting: &'a Setting,
    given: &'a Bindings,
) -> EvalContext<'a> {
    EvalContext { cache, setting, given }
}

/// What is right, where nothing stands.
fn right(want: &str, cache: &SettingCache, setting: &Setting) -> Value {
    let given = Bindings::default();
    let right = context(cache, setting, &given).answer(&Query::query(want, 0..0));
    right.unwrap_or_else(|why| panic!("{want}: {why}")).value
}

/// What an idea says to a text where nothing stands.
fn says(id: &str, want: &str, cache: &SettingCache, setting: &Setting) -> Option<Value> {
    let want = Query::query(want, 0..0);
    super::says(id, &want, &context(cache, setting, &Bindings::default()))
}

/// What is right, and what each idea says; `-` for no opinion.
fn row(want: &str, ideas: &[&str], cache: &SettingCache, setting: &Setting) -> String {
    let right = right(want, cache, setting).to_string();
    let said = ideas.iter().map(|idea| {
        says(idea, want, cache, setting).map_or_else(|| "-".to_owned(), |value| value.to_string())
    });
    [right].into_iter().chain(said).collect::<Vec<_>>().join(" ")
}

/// [`row`] for one idea, in settings of its own.
fn right_and(idea: &str, want: &str, setting: &Setting) -> String {
    row(want, &[idea], &SettingCache::new(), setting)
}

#[test]
fn the_sectors_of_one_request_as_each_idea_has_them() {
    let ideas = ["own-fetch", "whole-lines", "by-bytes", "warp-is-row", "y-fastest", "thread-run"];
    let cache = SettingCache::new();
    for (tile, kernel, access, expected) in [
        (8, "naive", "load A", "4 32 16 4 1 8 4"),
        (8, "naive", "load B", "1 32 4 4 1 1 32"),
        (8, "naive_rows", "load A", "8 32 32 4 8 4 4"),
        (8, "naive_rows", "load B", "1 32 4 4 1 1 32"),
        (8, "tiled", "load A", "4 32 16 4 1 8 -"),
        (16, "naive", "load A", "2 32 8 4 1 16 4"),
        (16, "naive", "load B", "2 32 4 4 2 1 32"),
        (16, "naive", "store C", "4 32 8 4 2 16 -"),
        (16, "naive_rows", "load A", "16 32 64 4 16 2 4"),
        (16, "naive_rows", "load B", "1 32 4 4 1 2 32"),
        (16, "naive_rows", "store C", "16 32 64 4 16 4 -"),
        (16, "tiled", "load A", "4 32 8 4 2 16 -"),
        (16, "tiled", "load B", "4 32 8 4 2 16 -"),
        (32, "naive", "load A", "1 32 4 4 1 32 4"),
        (32, "naive", "load B", "4 32 4 4 4 1 32"),
        (32, "naive_rows", "load A", "32 32 128 4 32 1 4"),
        (32, "tiled", "load A", "4 32 4 4 4 32 -"),
    ] {
        let want = format!("sectors({access})");
        let found = row(&want, &ideas, &cache, &setting(kernel, tile));
        assert_eq!(found, expected, "{kernel} {tile}: {access}");
    }
}

#[test]
fn a_loop_that_is_unrolled_is_still_one_run_of_a_thread() {
    let unrolled = Setting { rolled: false, ..setting("naive", 16) };
    assert_eq!(right_and("thread-run", "sectors(load A)", &unrolled), "2 4");
    assert_eq!(right_and("thread-run", "sectors(load B)", &unrolled), "2 32");
}

#[test]
fn the_passes_of_one_access_as_each_idea_has_them() {
    let ideas = ["same-bank", "warp-is-row", "padding-helps", "padding-ignored", "lanes-in-turn"];
    let cache = SettingCache::new();
    let padded = |tile| Setting { warp: Some(1), ..changed("pad-a", tile) };
    for (setting, access, expected) in [
        (setting("tiled", 16), "store sA", "1 1 1 - - 32"),
        (setting("tiled", 16), "read sA", "1 16 1 - - 32"),
        (setting("tiled", 16), "read sB", "1 2 1 - - 32"),
        (padded(16), "store sA", "2 2 1 1 1 32"),
        (padded(16), "read sA", "1 16 1 1 1 32"),
        (padded(16), "store sB", "1 1 1 - - 32"),
        (setting("tiled_transposed", 8), "store sA", "2 2 2 - - 32"),
        (setting("tiled_transposed", 16), "store sA", "8 8 8 - - 32"),
        (setting("tiled_transposed", 16), "read sA", "1 16 1 - - 32"),
        (setting("tiled_transposed", 32), "store sA", "32 32 32 - - 32"),
        (setting("tiled_padded", 8), "store sA", "2 2 1 1 2 32"),
        (setting("tiled_padded", 16), "store sA", "2 2 1 1 8 32"),
        (setting("tiled_padded", 16), "read sA", "1 16 1 1 1 32"),
        (setting("tiled_padded", 32), "store sA", "1 1 1 1 32 32"),
    ] {
        let found = row(&format!("passes({access})"), &ideas, &cache, &setting);
        assert_eq!(found, expected, "{:?} {:?}: {access}", setting.kernel, setting.tile);
    }
}

#[test]
fn conflicts_of_the_whole_product_depend_on_padding() {
    let want = "total(\"shared_bank_conflicts\")";
    let ideas = ["padding-helps", "padding-ignored"];
    let padded = setting("tiled_padded", 16);
    let conflicts = |of| row(want, &ideas, &SettingCache::new(), &of);
    assert_eq!(conflicts(padded), "512 0 3,584");
    assert_eq!(conflicts(changed("pad-a", 16)), "512 0 0");
    assert_eq!(conflicts(setting("tiled", 16)), "0 - -");
}

#[test]
fn a_wide_read_that_is_served_in_two_passes_has_no_conflict() {
    let wide = Setting { rolled: false, ..setting("blocked_2d", 16) };
    let wide = Setting { tile: "32x32x8".parse().ok(), ..wide };
    let found = right_and("passes-are-conflicts", "executed(\"shared_bank_conflicts\")", &wide);
    let (right, said) = found.split_once(' ').expect("an opinion");
    assert_ne!(right, said, "{found}");
}

#[test]
fn who_is_in_a_warp_and_who_computes_what() {
    let naive = setting("naive", 16);
    assert_eq!(right_and("warp-is-row", "warps", &naive), "8 16");
    assert_eq!(right_and("warp-is-row", "warp(C[35][37])", &naive), "1 3");
    assert_eq!(right_and("warp-is-row", "lane(C[35][37])", &naive), "21 5");
    assert_eq!(right_and("y-fastest", "warp(C[35][37])", &naive), "1 2");
    assert_eq!(right_and("y-fastest", "lane(C[35][37])", &naive), "21 19");
    assert_eq!(right_and("xy-cosmetic", "element(thread 5,3)", &naive), "C[35][37] C[37][35]");
    let threads = |idea| match says(idea, "lanes_of(3)", &SettingCache::new(), &naive) {
        Some(Value::Things(things)) => things,
        other => panic!("{other:?}"),
    };
    let things = |all: &[(u32, u32)]| -> BTreeSet<_> {
        all.iter().map(|&(x, y)| crate::lesson::target::Target::Thread { x, y }).collect()
    };
    let row: Vec<_> = (0..16).map(|x| (x, 3)).collect();
    let columns: Vec<_> = (6..8).flat_map(|x| (0..16).map(move |y| (x, y))).collect();
    assert_eq!((threads("warp-is-row"), threads("y-fastest")), (things(&row), things(&columns)));
}

#[test]
fn with_x_and_y_exchanged_the_cost_is_said_to_stay() {
    let rows = setting("naive_rows", 16);
    assert_eq!(right_and("xy-cosmetic", "sectors(load A)", &rows), "16 2");
    let ratio = "sectors(load A) / sectors(load A, of naive)";
    assert_eq!(right_and("xy-cosmetic", ratio, &rows), "8 1");
    let naive = setting("naive", 16);
    assert_eq!(right_and("xy-cosmetic", "sectors(load A)", &naive), "2 -");
    assert_eq!(right_and("xy-cosmetic", "sectors(load A, of naive_rows)", &naive), "16 2");
    let swapped = Setting { warp: Some(1), ..changed("swap-xy", 16) };
    assert_eq!(right_and("xy-cosmetic", "sectors(load A)", &swapped), "16 4");
}

#[test]
fn blocks_and_tiles_that_are_left_over() {
    let long = Setting { size: "64x48x96".parse().expect("a size"), ..setting("tiled", 16) };
    assert_eq!(right_and("grid-is-k", "k_tiles", &long), "6 3");
    let edge = Setting { size: "64x64x50".parse().expect("a size"), ..setting("tiled", 16) };
    assert_eq!(right_and("floor-is-enough", "k_tiles", &edge), "4 3");
    let wide = Setting { size: "100x36x57".parse().expect("a size"), ..setting("naive", 16) };
    assert_eq!(right_and("floor-is-enough", "idle", &wide), "1,776 0");
    assert_eq!(right_and("floor-is-enough", "blocks", &wide), "21 12");
    let short = Setting {
        size: "1000x8x8".parse().expect("a size"),
        grid: Some(crate::launch::Dim3::flat(1, 31)),
        warp: None,
        ..setting("naive", 32)
    };
    let missing = ["floor-is-enough", "whole-blocks"];
    assert_eq!(row("rows_unwritten", &missing, &SettingCache::new(), &short), "8 0 32");
}

#[test]
fn who_is_waited_for_and_what_a_missing_barrier_does() {
    let tiled = Setting { warp: None, ..setting("tiled", 16) };
    assert_eq!(right_and("barrier-is-grid", "waiting", &tiled), "7 127");
    let ideas = ["one-barrier", "passed-so-right"];
    let (cache, compute) = (SettingCache::new(), changed("no-compute-barrier", 16));
    let said = |want| row(want, &ideas, &cache, &compute);
    assert_eq!(said("findings(race)"), "2 0 0");
    assert_eq!(said("sound"), "no yes yes");
    assert_eq!(said("right"), "yes - -");
    assert!(said("spoilt(20)").ends_with(" 0 0"), "{}", said("spoilt(20)"));
    let load = changed("no-load-barrier", 16);
    let lines = "lines_of(race)";
    let other = right(lines, &cache, &load);
    assert_eq!(says("one-barrier", lines, &cache, &compute), Some(other));
}

#[test]
fn threads_that_return_early_are_missed() {
    let edge = Setting { size: Size::square(60), ..changed("early-return", 16) };
    let (cache, ideas) = (SettingCache::new(), ["gone-hangs", "idle-need-not-load"]);
    assert_eq!(row("wrong(C)", &ideas, &cache, &edge), "1,294 3,600 0");
    assert_eq!(row("right", &ideas, &cache, &edge), "no no yes");
}

#[test]
fn lines_and_aligned_sectors_as_their_ideas_have_them() {
    let rows = |tile| setting("naive_rows", tile);
    let ideas = ["xy-cosmetic", "four-to-a-line"];
    let said = |tile| row("lines(load A)", &ideas, &SettingCache::new(), &rows(tile));
    assert_eq!([8, 16, 32].map(said), ["8 4 2", "16 2 4", "32 1 8"]);
    let odd = Setting { size: "64x65x64".parse().expect("a size"), ..setting("naive", 16) };
    let load = |number: u32| format!("sectors(load B #{number})");
    let said = |number| right_and("always-aligned", &load(number), &odd);
    assert_eq!([1, 2].map(said), ["2 2", "3 2"], "the second row of B begins within a sector");
}

#[test]
fn the_lines_that_l1_looks_up_explain_the_time_of_loads_that_are_not_coalesced() {
    let said = |tile| {
        right_and("lines-are-time", "faster(naive, naive_rows, 4096)", &setting("naive", tile))
    };
    assert_eq!([8, 16, 32].map(said), ["1.79 1.80", "5.55 5.67", "12.0 16.5"]);
}

#[test]
fn what_makes_a_kernel_fast() {
    let naive = setting("naive", 16);
    let cache = SettingCache::new();
    let ideas = ["instructions-are-time", "bytes-are-time", "shared-wins", "xy-cosmetic"];
    let said = |want: &str| row(want, &ideas, &cache, &naive);
    let rows = said("faster(naive, naive_rows, 4096)");
    assert!(rows.ends_with(" 1 4.25 - 1"), "{rows}");
    let at = |size: u32| said(&format!("faster(tiled, naive, {size})"));
    let (small, large) = (at(64), at(4096));
    let words: Vec<_> = small.split(' ').collect();
    assert_eq!((words[2], words[4]), ("8", "-"), "{small}");
    assert_eq!(Some(words[3]), large.split(' ').next(), "as much as at 4096: {small}, {large}");
    let fastest = |want| row(want, &["shared-wins", "occupancy-wins"], &cache, &naive);
    assert_eq!(fastest("most(gflops, naive, tiled, 64)"), "naive tiled naive");
    assert!(fastest("most(gflops, naive, blocked_1d, sgemm, 4096)").ends_with(" naive"));
    let by_occupancy = right_and("occupancy-wins", "faster(blocked_2d, tiled, 4096)", &naive);
    assert!(by_occupancy.ends_with(" 0.125"), "an eighth of the warps: {by_occupancy}");
    assert_eq!(fastest("most(occupancy, naive, tiled)").split(' ').count(), 3);
}

#[test]
fn requests_and_bytes_and_what_runs() {
    let tiled = setting("tiled", 16);
    let counter = |name: &str| format!("total(\"{name}\", of naive) / total(\"{name}\")");
    let sectors = counter("global_load_sectors");
    assert_eq!(right_and("requests-are-bytes", &sectors, &tiled), "8 16");
    let unrolled = Setting { rolled: false, ..tiled };
    let reads = "executed(\"shared_load_instructions\")";
    let total = right("total(\"shared_load_instructions\")", &SettingCache::new(), &unrolled);
    assert_eq!(says("ptx-is-sass", reads, &SettingCache::new(), &unrolled), Some(total));
    let wide = Setting { tile: "32x32x8".parse().ok(), warp: None, ..setting("blocked_2d", 16) };
    let wide = Setting { rolled: false, ..wide };
    let each = "per_warp_fma(executed(\"shared_load_instructions\"))";
    assert_eq!(right_and("ptx-is-sass", each, &wide), "0.125 0.500");
    let element = setting("naive", 16);
    assert_eq!(right_and("own-fetch", "fetched(A[5][33])", &element), "4 64");
}

#[test]
fn what_beginners_say_of_threads_loads_and_races() {
    let naive = setting("naive", 16);
    let here = Setting { warp: None, ..naive.clone() };
    assert_eq!(right_and("one-big-block", "element(thread 5,3)", &here), "C[35][37] C[3][5]");
    assert_eq!(right_and("one-big-block", "thread(C[41][54])", &here), "thread 6,9 thread 54,41");
    let says = ["warp-is-row", "y-fastest", "one-big-block"];
    assert_eq!(row("lane(C[35][37])", &says, &SettingCache::new(), &here), "21 5 19 5");
    assert_eq!(row("words(load A)", &says[..2], &SettingCache::new(), &naive), "2 1 16");
    let tiled = setting("tiled", 16);
    assert_eq!(right_and("loaded-once", "fetched(A[5][33])", &tiled), "4 1");
    assert_eq!(right_and("own-fetch", "fetched(A[5][33])", &tiled), "4 64");
    let pair = "of_block(\"global_load_requests\") / k_tiles";
    assert_eq!(row(pair, &["own-fetch", "warp-is-row"], &SettingCache::new(), &tiled), "16 512 32");
    let corner = Setting {
        size: "60x52x84".parse().expect("a size"),
        block: BlockChoice::Corner,
        warp: Some(5),
        ..tiled.clone()
    };
    assert_eq!(right_and("idle-need-not-load", "lanes(load A)", &corner), "32 8");
    let oblong = Setting { size: "64x48x80".parse().expect("a size"), warp: None, ..tiled };
    let ideas = ["one-barrier", "grid-is-k"];
    assert_eq!(row("barriers", &ideas, &SettingCache::new(), &oblong), "10 5 6");
    let racing = Setting { order: Some(Order::RoundRobin), ..changed("no-compute-barrier", 16) };
    assert_eq!(right_and("race-shows", "right", &racing), "yes no");
    assert_eq!(right_and("race-shows", "spoilt(100)", &racing), "39 100");
}

#[test]
fn what_they_say_of_all_settings_of_dials() {
    let (name, text) = crate::lesson::dials::SHIPPED;
    let kernel = KernelFrom::File { name: name.to_owned(), text: text.to_owned() };
    let fixed = ["ALONG=0", "STORED=0", "PADDING=0", "EDGE=0", "ROUND=0"];
    let dials = Setting {
        kernel,
        tile: None,
        size: Size::square(32),
        defines: fixed.map(str::to_owned).to_vec(),
        warp: None,
        ..setting("tiled", 16)
    };
    assert_eq!(right_and("race-shows", "settings(right)", &dials), "4 1");
    let sound =
        row("settings(sound)", &["passed-so-right", "one-barrier"], &SettingCache::new(), &dials);
    assert_eq!(sound, "1 4 3");
    let open = Setting {
        defines: vec!["ALONG=0".to_owned(), "STORED=0".to_owned(), "PADDING=0".to_owned()],
        ..dials
    };
    let right = row("settings(right)", &["race-shows", "slip-shows"], &SettingCache::new(), &open);
    assert!(right.starts_with("48 12 "), "{right}");
    assert!(!right.ends_with(" 48") && !right.ends_with(" 12"), "{right}");
}

#[test]
fn what_is_beyond_the_edges_and_what_a_mistake_there_spoils() {
    let naive = Setting { warp: None, ..setting("naive", 16) };
    let at =
        |size: &str, of: &Setting| Setting { size: size.parse().expect("a size"), ..of.clone() };
    let outside = ["floor-is-enough", "corner-only", "whole-blocks"];
    let idle = |size| row("idle", &outside, &SettingCache::new(), &at(size, &naive));
    assert_eq!(idle("20"), "624 0 144 768");
    assert_eq!(idle("20x36x20"), "816 0 144 1,024");
    assert_eq!(idle("32x36x20"), "384 0 0 512", "nothing is beyond the lower edge");
    let stale = at("60x52x84", &changed("no-zeros", 16));
    let (right, said) = (right_and("edge-stays-edge", "wrong(C)", &stale), "816");
    assert!(right.ends_with(&format!(" {said}")) && !right.starts_with(said), "{right}");
    let sound = at("60x52x84", &changed("pad-a", 16));
    assert_eq!(right_and("edge-stays-edge", "wrong(C)", &sound), "0 -");
    let pitch = at("64x48x80", &changed("wrong-pitch", 16));
    let ideas = ["all-square", "slip-shows"];
    assert_eq!(row("right", &ideas, &SettingCache::new(), &pitch), "no yes no");
    let square = changed("wrong-pitch", 16);
    assert_eq!(row("right", &ideas, &SettingCache::new(), &square), "yes yes no");
    let tiled = at("64x48x80", &Setting { warp: None, ..setting("tiled", 16) });
    assert_eq!(row("k_tiles", &ideas, &SettingCache::new(), &tiled), "5 3 -");
    assert_eq!(row("right", &ideas, &SettingCache::new(), &tiled), "yes yes yes");
}

#[test]
fn what_a_request_and_a_barrier_are_for() {
    let (tiled, naive) = (setting("tiled", 16), setting("naive", 16));
    let pair = "of_block(\"global_load_requests\") / k_tiles";
    assert_eq!(right_and("sector-is-request", pair, &tiled), "16 64");
    let more = "total(\"warp_instructions\") - total(\"warp_instructions\", of naive)";
    let rows = setting("naive_rows", 16);
    let said = right_and("sector-is-request", more, &rows);
    let sectors = "total(\"global_load_sectors\") - total(\"global_load_sectors\", of naive)";
    let sectors = right(sectors, &SettingCache::new(), &rows);
    assert_eq!(said, format!("0 {sectors}"), "as many more as there are more sectors");
    let ratio = "total(\"global_load_sectors\") / total(\"global_load_sectors\", of naive)";
    assert_eq!(right_and("part-is-whole", ratio, &rows), "4.25 8");
    assert_eq!(right_and("part-is-whole", "sectors(load A)", &naive), "2 -");
    let waits = Setting { order: Some(Order::ToBarrier), warp: None, ..tiled };
    let ideas = ["barrier-is-warp", "barrier-is-grid"];
    let said = |want| row(want, &ideas, &SettingCache::new(), &waits);
    assert_eq!(said("waiting(after waits)"), "7 0 127");
    assert_eq!(said("(1 + arrived(before barrier 1)) * words(store sA)"), "256 32 4,096");
}

#[test]
fn an_idea_without_an_opinion_says_nothing() {
    let (cache, naive) = (SettingCache::new(), setting("naive", 16));
    for (idea, want) in [
        ("own-fetch", "passes(store sA)"),
        ("same-bank", "sectors(load A)"),
        ("own-fetch", "sectors(load D)"),
        ("own-fetch", "sectors("),
        ("own-fetch", "1 + 1"),
        ("nobody-thinks-so", "sectors(load A)"),
    ] {
        assert_eq!(says(idea, want, &cache, &naive), None, "{idea}: {want}");
    }
    let names: BTreeSet<_> = MODELS.iter().map(|model| model.id).collect();
    assert_eq!((names.len(), MODELS.len()), (78, 78));
}

#[test]
fn lanes_and_words_at_an_edge_as_each_idea_has_them() {
    let size: Size = "60x60x32".parse().expect("a size");
    let last =
        |kernel| Setting { size, block: BlockChoice::Corner, warp: None, ..setting(kernel, 16) };
    let cache = SettingCache::new();
    let of_warps = ["whole-block-diverges", "warp-goes-together"];
    assert_eq!(row("partial_warps(load A)", &of_warps, &cache, &last("naive")), "6 8 0");
    let of_costs = ["whole-block-diverges", "lane-off-is-free", "warp-goes-together"];
    let requests = "of_block(\"global_load_requests\")";
    assert_eq!(row(requests, &of_costs, &cache, &last("naive")), "384 512 288 0");
    let returns = Setting { changes: vec!["early-return".to_owned()], ..last("tiled") };
    let of_words = ["exited-still-bring", "corner-only", "warp-goes-together"];
    assert_eq!(row("unstored(sA)", &of_words, &cache, &returns), "112 0 16 256");
}

#[test]
fn levels_of_the_memory_as_each_idea_has_them() {
    let (cache, tiled) = (SettingCache::new(), setting("tiled", 16));
    let says = |id: &str, want: &str| says(id, want, &cache, &tiled).map(|value| value.to_string());
    assert_eq!(says("all-from-dram", "busiest(tiled, 4096)").as_deref(), Some("DRAM"));
    assert_eq!(says("limit-stays", "busiest(tiled, 4096)").as_deref(), Some("L1"));
    assert_eq!(says("all-from-dram", "gflops(naive, 4096)").as_deref(), Some("1,043"));
    assert_eq!(says("all-from-dram", "gflops(tiled, 4096)"), None);
    let hits = "counter(\"l1tex__t_sector_hit_rate.pct\", naive, 4096)";
    assert_eq!(says("cache-has-all", hits).as_deref(), Some("100"));
    let moved = |kernel: &str| format!("counter(\"lts__t_bytes.sum\", {kernel}, 4096)");
    let ratio = format!("{} / {}", moved("tiled"), moved("naive"));
    assert_eq!(says("one-count", &ratio).as_deref(), Some("0.125"));
}

/// A kernel of the ladder, at its small tile.
fn rung(kernel: &str, tile: &str, size: u32) -> Setting {
    let (tile, size) = (Some(tile.parse().expect("a tile")), Size::square(size));
    Setting { tile, size, rolled: false, warp: Some(0), ..setting(kernel, 16) }
}

#[test]
fn wide_accesses_and_copies_as_each_idea_has_them() {
    let cache = SettingCache::new();
    let vectorised = rung("vectorised", "32x32x8", 64);
    let sectors = "total(\"global_load_sectors\")";
    let said = row(sectors, &["wide-is-more", "own-fetch"], &cache, &vectorised);
    assert_eq!(said, "2,048 8,192 4,096");
    let odd = rung("vectorised", "32x32x8", 63);
    let said = row("requests(B)", &["any-address", "edge-alone"], &cache, &odd);
    assert_eq!(said, "256 64 160");
    let large = rung("vectorised", "128x128x16", 128);
    let said = row("passes(read sB)", &["words-fill-passes", "lanes-in-turn"], &cache, &large);
    assert_eq!(said, "8 4 32");
    let ideas = ["turns-add-up", "limit-never-rests"];
    let share = "100 * busy(FMA, warp_tiled, 4096) / ms(warp_tiled, 4096)";
    let said: Vec<f64> = row(share, &ideas, &cache, &setting("naive", 16))
        .split(' ')
        .map(|number| number.parse().expect("a number"))
        .collect();
    assert!((60.0..65.0).contains(&said[0]) && said[1..] == [50.0, 100.0], "{said:?}");
    let said = row("copied(sgemm, 4096)", &["bus-is-dram", "one-byte-each"], &cache, &vectorised);
    assert_eq!(said, "30.7 0.0322 7.68");
    let copies = says("barrier-brings", "sound", &cache, &vectorised);
    assert_eq!(copies, Some(Value::Truth(true)));
}

#[test]
fn tensor_cores_halves_and_comparisons_as_each_idea_has_them() {
    let (cache, naive) = (SettingCache::new(), setting("naive", 16));
    let each = "total(\"tensor_multiply_adds\") / total(\"tensor_instructions\")";
    let tensor = rung("half_tensor", "64x64x64", 64);
    assert_eq!(row(each, &["lane-each", "product-each"], &cache, &tensor), "2,048 32 128");
    let said = |want: &str, ideas: &[&str]| row(want, ideas, &cache, &naive);
    let ideas = ["bits-are-range", "stored-bits"];
    assert_eq!(said("counts_to(f16)", &ideas), "2,048 65,536 1,024");
    let ideas = ["other-kernel-other-bits", "order-is-nothing"];
    assert_eq!(said("equal_bits(naive, tiled, 4096)", &ideas), "yes no yes");
    let ideas = ["half-is-twice", "products-are-time"];
    assert!(said("faster(half_plain, warp_tiled, 4096)", &ideas).ends_with(" 2 -"));
    assert!(said("faster(half_tensor, half_plain, 4096)", &ideas).ends_with(" - 64"));
    let intensity = "2 / (32 * per_fma(total(\"global_load_sectors\")))";
    assert_eq!(said(intensity, &["as-written", "own-fetch"]), "0.500 0.250 0.0312");
    let of_what = said("faster(naive, \"cpu gemm\", 1024)", &["one-cpu", "cores-divide"]);
    assert_eq!(of_what, "9.97 12,431 777");
    let ratio = "total(\"global_load_sectors\", of naive) / total(\"global_load_sectors\")";
    let ideas = ["block-is-nothing", "requests-are-bytes"];
    assert_eq!(row(ratio, &ideas, &cache, &setting("tiled", 32)), "20 16 32");
}
