//! What the lessons ask, with the values of the simulator and of the recorded measurements.

use super::*;
use crate::lesson::answer::{AnsweredFrom, Value};
use crate::lesson::clock::Clock;
use crate::lesson::setting::{BlockChoice, KernelFrom};
use crate::lesson::setting_runs::tests::setting;
use crate::lesson::target::{Target, View};
use crate::matrix::Size;
use crate::sim::Order;
use crate::timing::Measurement;
use std::sync::Arc;

thread_local! {
    static STAGES: SettingCache = SettingCache::new();
}

/// What a text is answered where nothing stands or was asked.
fn answer(text: &str, cache: &SettingCache, setting: &Setting) -> Result<Answer, QueryError> {
    answer_given(text, cache, setting, &Bindings::default())
}

fn answer_given(
    text: &str,
    cache: &SettingCache,
    setting: &Setting,
    given: &Bindings,
) -> Result<Answer, QueryError> {
    EvalContext { cache, setting, given }.answer(&Query::query(text, 0..0))
}

fn step(text: &str, cache: &SettingCache, setting: &Setting) -> Result<usize, QueryError> {
    Parsed::place(text, 0..0).step(cache, setting)
}

fn ask(expr: &str, setting: &Setting) -> Answer {
    STAGES.with(|cache| answer(expr, cache, setting)).unwrap_or_else(|why| panic!("{expr}: {why}"))
}

fn refused(expr: &str, setting: &Setting) -> String {
    let answer = STAGES.with(|cache| answer(expr, cache, setting));
    answer.map_or_else(|why| why.message, |answer| panic!("{expr}: {}", answer.value))
}

/// Asks a list of expressions, and compares the values as they are spelt.
fn all_are(setting: &Setting, cases: &[(&str, &str)]) {
    for (expr, value) in cases {
        assert_eq!(ask(expr, setting).value.to_string(), *value, "{expr}");
    }
}

/// As it is compiled for a GPU: with its loops unrolled.
fn unrolled(kernel: &str) -> Setting {
    Setting { rolled: false, ..setting(kernel, 16) }
}

fn size(text: &str) -> Size {
    text.parse().expect("a size")
}

#[test]
fn lesson_1_who_computes_what() {
    all_are(
        &setting("naive", 16),
        &[
            ("element(thread 5,3 block 2,2)", "C[35][37]"),
            ("thread(C[35][37])", "thread 5,3"),
            ("warp(C[35][37])", "1"),
            ("lane(C[35][37])", "21"),
            ("element(thread 5,3 block 2,2) == element(thread 5,3, block 2,2)", "yes"),
        ],
    );
    let odd = Setting { size: size("100x36x57"), ..setting("naive", 16) };
    all_are(&odd, &[("blocks", "21"), ("threads", "5,376"), ("idle", "1,776")]);
    let few = Setting {
        size: size("1000"),
        grid: Some(crate::launch::Dim3::flat(31, 31)),
        ..setting("naive", 32)
    };
    all_are(&few, &[("rows_unwritten", "8"), ("rows_unwritten(of naive)", "0")]);
}

#[test]
fn lesson_2_who_is_in_my_warp() {
    let three = ask("lanes_of(3)", &setting("naive", 16));
    let rows: Vec<_> = (6..8).flat_map(|y| (0..16).map(move |x| Target::Thread { x, y })).collect();
    assert_eq!(three.value, Value::Things(rows.into_iter().collect()));
    all_are(
        &setting("naive", 16),
        &[("warps", "8"), ("warps(tile 20)", "13"), ("lanes_of(1, 0)", "thread 0,2")],
    );
    assert_eq!(refused("lanes_of(12, 20)", &setting("naive", 20)), "warp 12 has no lane 20");
}

/// The table of c.6: sectors of warp 1 in the loads of A and B.
#[test]
fn lesson_3_and_4_sectors_of_one_request() {
    let cases = [
        ("naive", 8, "4", "1"),
        ("naive", 16, "2", "2"),
        ("naive", 32, "1", "4"),
        ("naive_rows", 16, "16", "1"),
        ("tiled", 16, "4", "4"),
    ];
    for (kernel, tile, a, b) in cases {
        let cases = [("sectors(load A, warp 1)", a), ("sectors(load B, warp 1)", b)];
        all_are(&setting(kernel, tile), &cases);
    }
    all_are(
        &setting("naive", 16),
        &[
            ("used(load A, warp 1)", "12.5"),
            ("lines(load A, warp 1)", "2"),
            ("bytes(load A, warp 1)", "8"),
            ("lanes(load A)", "32"),
            ("sectors(store C)", "4"),
            ("sectors(store C, of naive_rows)", "16"),
            ("32 * per_fma(total(\"global_load_sectors\"))", "4"),
            ("32 * per_fma(total(\"global_load_sectors\"), of tiled)", "0.500"),
        ],
    );
}

#[test]
fn lesson_4_both_mappings_execute_the_same_instructions() {
    let counter = "total(\"warp_instructions\"";
    let (own, other) = (format!("{counter})"), format!("{counter}, of naive_rows)"));
    all_are(&unrolled("naive"), &[(&own, "50,944"), (&other, "50,944")]);
}

#[test]
fn lesson_4_times_are_recorded_and_say_so() {
    let faster = ask("faster(naive, naive_rows, 4096)", &setting("naive", 16));
    assert_eq!(faster.value.to_string(), "5.55");
    assert_eq!(faster.origin, AnsweredFrom::Recorded("NVIDIA H200, 2026-11-21".to_owned()));
    assert_eq!(faster.view, Some(View::Measured));
    all_are(
        &setting("tiled", 16),
        &[
            ("faster(tiled, naive, 4096)", "1.50"),
            ("faster(tiled, naive, 64) < 1", "yes"),
            ("most(gflops, tiled, tiled_transposed, tiled_padded, 4096)", "tiled"),
            ("gflops(tiled, 4096, tile 32) > gflops(tiled_padded, 4096, tile 32)", "yes"),
            ("of_library(cublas, 4096)", "100"),
            ("most(gflops, naive, blocked_1d, vectorised, sgemm, 4096)", "sgemm"),
        ],
    );
    let moved = |kernel: &str| format!("counter(\"dram__bytes.sum\", {kernel}, 4096)");
    let more = format!("{} / {}", moved("tiled"), moved("naive"));
    all_are(&setting("tiled", 16), &[(&more, "2.23")]);
    let none = refused("counter(\"dram__byte.sum\", tiled, 4096)", &setting("tiled", 16));
    assert_eq!(none, "`dram__byte.sum` of tiled at 4096 is not recorded");
    assert!(refused("ms(tiled, 77)", &setting("tiled", 16)).contains("no time of tiled at 77"));
}

/// Takes twice as long as what was recorded, if it can measure the kernel.
#[derive(Debug)]
struct Slow(&'static [&'static str]);

impl Clock for Slow {
    fn measured(&self, recorded: &Measurement) -> Option<Measurement> {
        let mut row = recorded.clone();
        "a GPU".clone_into(&mut row.device);
        row.ms.median *= if recorded.kernel == "naive" { 2.0 } else { 1.0 };
        self.0.contains(&&*recorded.kernel).then_some(row)
    }

    fn is_ready(&self) -> bool {
        !self.0.is_empty()
    }
}

#[test]
fn times_are_measured_where_somebody_measures_all_of_them_or_none() {
    let faster = |clock: Slow| {
        let mut cache = SettingCache::timed_by(Some(Arc::new(clock)));
        cache.look_at_clock();
        answer("faster(tiled, naive, 4096)", &cache, &setting("tiled", 16)).expect("a time")
    };
    let both = faster(Slow(&["naive", "tiled"]));
    assert_eq!(both.value.to_string(), "3.01");
    assert_eq!(both.origin.to_string(), "measured, a GPU");
    let one = faster(Slow(&["naive"]));
    assert_eq!(one.value.to_string(), "1.50");
    assert!(one.origin.to_string().starts_with("recorded, "), "{}", one.origin);
}

#[test]
fn settings_of_dials_are_counted_where_the_scene_leaves_them_open() {
    let (name, text) = crate::lesson::dials::SHIPPED;
    let kernel = KernelFrom::File { name: name.to_owned(), text: text.to_owned() };
    let fixed = ["ALONG=0", "STORED=1", "PADDING=0", "EDGE=3", "ROUND=0"];
    let defines = fixed.map(str::to_owned).to_vec();
    let dials = Setting { kernel, tile: None, defines, size: size("32"), ..setting("tiled", 16) };
    let of_all = Setting { defines: Vec::new(), ..dials.clone() };
    assert_eq!(ask("settings(true)", &of_all).value.to_string(), "384");
    all_are(
        &dials,
        &[
            ("settings(true)", "4"),
            ("settings(right)", "4"),
            ("settings(sound)", "1"),
            ("settings(sound && sound(size 20x12x28))", "0"),
            ("dial(\"EDGE\")", "return"),
            ("dial(\"AFTER\")", "any"),
        ],
    );
    assert!(refused("dial(\"EGDE\")", &dials).contains("did you mean `EDGE`?"));
    assert!(
        refused("settings(right)", &setting("tiled", 16)).contains("only the kernel of a file")
    );
}

#[test]
fn lesson_5_how_often_an_element_is_fetched() {
    for kernel in ["naive", "tiled"] {
        let cases = [("fetched(A[5][33])", "4"), ("uses(A[5][33])", "64")];
        all_are(&setting(kernel, 16), &cases);
    }
    assert!(refused("fetched(A[64][0])", &setting("tiled", 16)).contains("64 rows"));
}

#[test]
fn lesson_6_a_tile_is_loaded() {
    all_are(
        &setting("tiled", 16),
        &[
            ("of_block(\"global_load_requests\") / k_tiles", "16"),
            ("of_block(\"global_load_sectors\") / k_tiles", "64"),
            ("requests(A) + requests(B)", "1,024"),
            ("requests(load A, of naive) / requests(load A)", "16"),
            ("passes(store sA)", "1"),
            ("barriers", "8"),
        ],
    );
}

#[test]
fn lesson_7_the_first_barrier() {
    let to_barrier = Setting { order: Some(Order::ToBarrier), ..setting("tiled", 16) };
    all_are(
        &to_barrier,
        &[
            ("arrived", "1"),
            ("waiting", "7"),
            ("waiting(after barrier 1)", "0"),
            ("waiting(barrier 1, waits, waits, warp 1)", "6"),
        ],
    );
    all_are(&setting("tiled_no_load_barrier", 16), &[("right", "yes"), ("spoilt(100)", "100")]);
}

#[test]
fn lesson_8_right_is_not_sound() {
    all_are(
        &setting("tiled_no_compute_barrier", 16),
        &[
            ("right", "yes"),
            ("wrong(C)", "0"),
            ("sound", "no"),
            ("right && !sound", "yes"),
            ("findings(race)", "2"),
            ("findings(\"barrier\")", "0"),
            ("sound(of tiled)", "yes"),
        ],
    );
    all_are(&unrolled("tiled_no_compute_barrier"), &[("spoilt(100)", "39")]);
    let race = ask("lines_of(race)", &setting("tiled_no_compute_barrier", 16));
    assert_eq!(race.view, Some(View::Source));
    let (place, broken) = ("finding", setting("tiled_no_compute_barrier", 16));
    let there = STAGES.with(|cache| step(place, cache, &broken));
    assert_eq!(there.ok(), race.step);
}

#[test]
fn lesson_9_lanes_and_words_that_an_edge_leaves_out() {
    let last = |kernel| Setting {
        size: size("60x60x32"),
        block: BlockChoice::Corner,
        ..setting(kernel, 16)
    };
    all_are(
        &last("naive"),
        &[
            ("partial_warps(load A)", "6"),
            ("partial_warps(load A, block 0,0)", "0"),
            ("partial_warps(load A, size 59x64x32)", "1"),
            ("of_block(\"global_load_requests\")", "384"),
        ],
    );
    let returns = Setting { changes: vec!["early-return".to_owned()], ..last("tiled") };
    let bare = ask("unstored(sA)", &returns);
    assert_eq!(bare.value.to_string(), "112");
    assert_eq!(bare.marks.len(), 112);
    all_are(&last("tiled"), &[("unstored(sA)", "0"), ("unstored(sB)", "0")]);
    assert!(refused("unstored(sC)", &returns).contains("no thread stores"));
}

#[test]
fn lesson_10_units_and_what_they_have_to_do() {
    all_are(
        &setting("tiled", 16),
        &[
            ("busiest(naive, 4096)", "L1"),
            ("busiest(tiled, 4096)", "shared memory"),
            ("busy(L1, naive, 4096) > 0.9 * ms(naive, 4096)", "yes"),
            ("busy(DRAM, tiled, 4096) < ms(tiled, 4096) / 3", "yes"),
            ("latency(DRAM) > 20 * latency(shared)", "yes"),
            ("rate(L1) > rate(L2) && rate(L2) > rate(DRAM)", "yes"),
        ],
    );
    assert!(refused("latency(L3)", &setting("tiled", 16)).contains("no level"));
    assert!(refused("busy(tensor, naive, 4096)", &setting("naive", 16)).contains("not known"));
}

#[test]
fn lesson_9_and_10_edges_and_tiles_along_k() {
    let edge = Setting { size: size("60"), block: BlockChoice::Corner, ..setting("tiled", 16) };
    all_are(
        &edge,
        &[
            ("of_block(\"global_load_requests\")", "54"),
            ("of_block(\"global_load_sectors\")", "234"),
            ("of_block(\"global_load_requests\", block 3,3)", "54"),
        ],
    );
    all_are(
        &setting("tiled", 16),
        &[("k_tiles(size 64x48x96)", "6"), ("k_tiles(size 64x48x50)", "4")],
    );
}

/// The table of c.6: passes of warp 1, and what is about them.
#[test]
fn lesson_11_and_12_banks_and_padding() {
    all_are(
        &Setting { warp: Some(1), ..setting("tiled", 16) },
        &[
            ("passes(store sA)", "1"),
            ("ways(read sA)", "1"),
            ("ways(read sB)", "1"),
            ("words(read sA)", "2"),
            ("lanes_on(bank(read sA))", "16"),
            ("words_on(bank(read sA))", "1"),
            ("passes(store sA, of tiled_transposed)", "8"),
            ("ways(store sA, of tiled_transposed)", "8"),
            ("ways(store sA, of tiled_transposed, tile 32)", "32"),
            ("passes(store sA, of tiled_padded)", "2"),
            ("passes(store sA, of tiled_padded, tile 32)", "1"),
            ("conflicts(store sA, of tiled_padded)", "1"),
            ("total(\"shared_bank_conflicts\", of tiled_transposed, size 512)", "1,835,008"),
            ("total(\"shared_bank_conflicts\", of tiled_padded, size 512)", "262,144"),
            (
                "total(\"shared_bank_conflicts\", of tiled_transposed, tile 32, size 512)",
                "4,063,232",
            ),
            ("total(\"shared_bank_conflicts\", of tiled_padded, tile 32, size 512)", "0"),
        ],
    );
    let clash = ask("clash(store sA, of tiled_padded, warp 0)", &setting("tiled", 16));
    assert_eq!(clash.value.to_string(), "lane 0, lane 31");
    assert_eq!(clash.marks, [Target::Bank(0), Target::Lane(0), Target::Lane(31)]);
    assert_eq!((clash.view, clash.warp), (Some(View::Banks), Some(0)));
    assert_eq!(ask("clash(store sA)", &setting("tiled", 16)).value.to_string(), "");
}

#[test]
fn lesson_13_to_15_counts_and_the_machine() {
    all_are(
        &setting("tiled", 16),
        &[
            ("total(\"global_load_requests\", of naive) / total(\"global_load_requests\")", "16"),
            ("total(\"global_load_sectors\", of naive) / total(\"global_load_sectors\")", "8"),
            ("occupancy(naive)", "64"),
            ("occupancy(blocked_1d)", "32"),
            ("occupancy(vectorised)", "16"),
            ("occupancy(sgemm)", "8"),
            ("limit(sgemm)", "registers"),
            ("most(occupancy, sgemm, naive, vectorised)", "naive"),
        ],
    );
    assert_eq!(ask("occupancy(naive)", &setting("tiled", 16)).origin, AnsweredFrom::Model);
    let each = "per_warp_fma(executed(\"shared_load_instructions\"))";
    assert_eq!(ask(each, &unrolled("tiled")).value.to_string(), "1.25");
}

#[test]
fn operators_are_those_of_c_and_keep_what_is_seen() {
    let here = setting("tiled_padded", 16);
    all_are(
        &here,
        &[
            ("1 + 2 * 3 - 4 / 2", "5"),
            ("(1 + 2) * -3", "-9"),
            ("7 % 4 == 3 && !(2 > 3) || false", "yes"),
            ("passes(store sA) > 1 ? 10 : 20", "10"),
            ("tile * k_tiles == k && m == n", "yes"),
            ("clash(store sA) == lane 0", "no"),
        ],
    );
    let more = ask("1 + passes(store sA)", &here);
    assert_eq!((more.view, more.warp), (Some(View::Banks), Some(0)));
    assert!(more.step.is_some());
    assert!(refused("1 / (2 - 2)", &here).contains("is 0"));
    assert!(refused("naive + 1", &here).contains("not a number"));
}

#[test]
fn evidence_is_searched_from_where_the_run_stands() {
    let tiled = setting("tiled", 16);
    STAGES.with(|cache| {
        let first = answer("passes(store sA)", cache, &tiled).expect("it stores").step;
        let from = step("tile 1", cache, &tiled).expect("it has tiles");
        let given = Bindings { from, ..Bindings::default() };
        let later = answer_given("passes(store sA)", cache, &tiled, &given).expect("again").step;
        assert!(first < Some(from) && Some(from) < later, "{first:?} {from} {later:?}");
        let second = step("store sA #2", cache, &Setting { warp: Some(0), ..tiled.clone() });
        let after = step("tile 1, store sA", cache, &Setting { warp: Some(0), ..tiled.clone() });
        assert_eq!(second, after);
        let before = step("before tile 1, store sA", cache, &Setting { warp: Some(0), ..tiled });
        assert_eq!(before.map(|step| step + 1), second);
    });
}

#[test]
fn a_reply_refers_to_the_question() {
    let access = match Query::query("passes(read sA)", 0..0).meaning().expect("it is read").access()
    {
        Some(access) => access.clone(),
        None => panic!("it names an access"),
    };
    let given = Bindings {
        access: Some(access),
        you: Some(Value::Number(16.0)),
        right: Some(Value::Number(1.0)),
        ..Bindings::default()
    };
    let tiled = setting("tiled", 16);
    let reply = |text: &str| {
        STAGES
            .with(|cache| answer_given(text, cache, &tiled, &given))
            .map(|it| it.value.to_string())
    };
    assert_eq!(reply("you - right").as_deref(), Ok("15"));
    assert_eq!(reply("lanes_on(bank(a))").as_deref(), Ok("16"));
    assert_eq!(reply("words_on(bank(a))").as_deref(), Ok("1"));
    assert!(refused("passes(a)", &tiled).contains("there is none"));
}

#[test]
fn what_cannot_be_answered_names_itself() {
    let tiled = setting("tiled", 16);
    let cases = [
        (
            "sectors(store sA)",
            "`sectors` is about global memory, and this access goes to shared memory",
        ),
        ("total(\"bank_conflicts\")", "`bank_conflicts` is not counted; "),
        ("passes(store sA, change no-such-change)", "no-such-change"),
        ("passes(store sA, block 9,9)", "there is no block (9,9): the grid has 4 x 4 blocks"),
        ("passes(store sA, warp 8)", "there is no warp 8: a block has 8 warps"),
        ("sound(size 4096)", "too large to check every block"),
        ("findings(rase)", "did you mean `race`?"),
        ("element(thread 16,0)", "16 x 16 threads"),
        ("thread(A[0][0])", "ask for one of C"),
    ];
    for (expr, told) in cases {
        let message = refused(expr, &tiled);
        assert!(message.contains(told), "{expr}: {message}");
    }
    let past = STAGES.with(|cache| step("barrier 9", cache, &tiled)).expect_err("there are 8");
    assert!(past.message.contains("no barrier"), "{past}");
}

#[test]
fn every_function_has_a_name_of_its_own_and_says_what_it_tells() {
    for (index, function) in FUNCTIONS.iter().enumerate() {
        assert!(FUNCTIONS[..index].iter().all(|other| other.name != function.name), "{function:?}");
        assert!(!function.tells.is_empty() && function.least <= function.takes.len());
    }
    let faster = function("faster").map(QueryFunction::signature);
    assert_eq!(faster.as_deref(), Some("faster(KERNEL, KERNEL [, VALUE])"));
}

#[test]
fn a_change_asks_the_changed_kernel_at_any_size() {
    all_are(
        &setting("tiled", 16),
        &[
            ("right(change early-return)", "yes"),
            ("wrong(C, change early-return, size 60)", "1,294"),
            ("findings(barrier, change early-return, size 60) > 0", "yes"),
            ("right(change no-zeros) && !right(change no-zeros, size 60)", "yes"),
            ("findings(change no-zeros, size 60)", "0"),
            ("wrong(C, change no-zeros, size 60)", "3,598"),
            ("total(\"shared_bank_conflicts\", change pad-a)", "512"),
            ("total(\"shared_bank_conflicts\", change transposed)", "3,584"),
            ("total(\"shared_bank_conflicts\", change swap-xy)", "64,512"),
            ("passes(store sA, change transposed)", "8"),
            ("sectors(load A, change swap-xy)", "16"),
            ("k_tiles(change tiles-from-grid, size 64x48x96)", "6"),
            ("right(change tiles-from-grid, size 64x48x96)", "no"),
            ("sound(change no-load-barrier) || sound(change no-compute-barrier)", "no"),
            ("spoilt(100, change no-load-barrier) > 50", "yes"),
            ("spoilt(100, change no-zeros, size 60)", "100"),
            ("element(thread 5,3, block 2,2, change swap-xy)", "C[37][35]"),
            ("thread(C[37][35], change swap-xy)", "thread 5,3"),
        ],
    );
    let broken = Setting { changes: vec!["no-compute-barrier".to_owned()], ..setting("tiled", 16) };
    let race = ask("lines_of(race)", &broken);
    let spoilt = ask("spoilt(100) > 0 && spoilt(100) < 100", &broken);
    assert_eq!((race.view, spoilt.value), (Some(View::Source), Value::Truth(true)));
    assert_eq!(ask("sound(of tiled)", &broken).value, Value::Truth(true), "it is unchanged there");
}

#[test]
fn a_wrong_c_is_seen_at_the_end_of_a_block_that_has_it() {
    let changes = vec!["no-zeros".to_owned()];
    let broken =
        Setting { changes, size: size("60"), block: BlockChoice::Corner, ..setting("tiled", 16) };
    let wrong = ask("wrong(C)", &broken);
    let end = STAGES.with(|cache| step("end", cache, &broken)).ok();
    assert_eq!((wrong.step, wrong.view), (end, Some(View::Matrices)));
    assert_eq!(STAGES.with(|cache| step("wrong", cache, &broken)).ok(), end);
    assert!(matches!(wrong.marks[..], [Target::Element(_)]), "{:?}", wrong.marks);
    let right = STAGES.with(|cache| step("wrong", cache, &setting("tiled", 16)));
    assert!(right.is_err_and(|why| why.message == "C of this block is right"));
}

#[test]
fn what_came_from_the_host_and_how_numbers_round() {
    let naive = setting("naive", 16);
    all_are(
        &naive,
        &[
            ("copied(sgemm, 4096)", "30.7"),
            ("error(tiled, 4096)", "0.00000115"),
            ("equal_bits(naive, blocked_2d, 4096)", "yes"),
            ("equal_bits(naive, sgemm, 4096, tile 64x128x32)", "no"),
            ("counts_to(f16)", "2,048"),
            ("counts_to(bf16)", "256"),
            ("counts_to(f32)", "16,777,216"),
        ],
    );
    let is_recorded = |answer: Answer| matches!(answer.origin, AnsweredFrom::Recorded(_));
    assert!(is_recorded(ask("copied(sgemm, 4096)", &naive)));
    assert_eq!(refused("counts_to(i32)", &naive), "sums of integers never stop growing: they wrap");
    assert!(refused("counts_to(f15)", &naive).contains("f16"));
    let none = refused("copied(cublas_half, 100)", &naive);
    assert!(none.contains("at 100 is recorded"), "{none}");
}
