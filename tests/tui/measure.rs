//! The Measure screen: its pictures at three sizes, its keys, the comparison of two kernels, and a
//! measurement in progress. The measurements are made up: other figures would change no picture
//! here.

use super::{KERNELS, app, options, press, problem, shown};
use matviz::kernel::{Kernel, sha256};
use matviz::matrix::Size;
use matviz::timing::pack::Pack;
use matviz::tui::headless::settle;
use matviz::tui::ladder_run::LadderEvent;
use matviz::tui::task::{CountTask, Event, Task};
use matviz::tui::{App, StartOptions, input, update};
use matviz::work::WorkProgress;
use serde_json::{Value, json};
use std::borrow::Cow;

/// GFLOP/s of each kernel of the catalogue's sequence at the largest size, then of the libraries.
const SPEEDS: [f64; 16] = [
    972.0, 6136.0, 8990.0, 5593.0, 6381.0, 19031.0, 27613.0, 36704.0, 40265.0, 41440.0, 52202.0,
    41268.0, 398_617.0, 612_345.0, 51044.0, 700_123.0,
];

fn quartiles(median: f64) -> Value {
    json!({ "median": median, "q1": median, "q3": median, "samples": 10 })
}

fn row(kernel: &str, speed: f64, n: u32, more: &Value) -> Value {
    // Small matrices do not fill the GPU.
    let gflops = speed * f64::from(n.min(2048)) / 2048.0;
    let mut row = json!({
        "device": "a GPU", "kernel": kernel, "ptx_sha256": null, "tile": null,
        "size": { "m": n, "n": n, "k": n }, "ms": quartiles(Size::square(n).flops() / gflops / 1e6),
        "gflops": gflops, "relative_error": 0.0, "tolerance": 1e-5, "reference": "float64",
        "c_sha256": "",
    });
    more.as_object().expect("fields").iter().for_each(|(name, value)| row[name] = value.clone());
    row
}

fn kernel_row(kernel: &'static Kernel, speed: f64, n: u32) -> Value {
    let variant = kernel.variant_for(Size::square(n));
    let resources = json!({
        "threads": variant.block.volume(), "registers": 64, "static_shared": 16384,
        "dynamic_shared": 0, "local": 0, "blocks_per_sm": 4,
    });
    let ptx = variant.ptx.expect("embedded");
    let more = json!({
        "tile": variant.tile, "ptx_sha256": sha256(ptx.as_bytes()), "beside": { "resources": resources },
    });
    row(kernel.name, speed, n, &more)
}

/// The recorded pack: every kernel at some sizes. The smallest of them is the default one, so that
/// counting is quick.
fn pack(stale: &str) -> Pack {
    let sizes = [64, 128, 192, 256, 4096];
    let rows = sizes.into_iter().flat_map(|n| {
        // The last rung is not recorded, as a new one is not at first.
        let (speeds, of_libraries) = SPEEDS.split_at(KERNELS.len() - 1);
        let own = KERNELS.iter().zip(speeds);
        let own = own.map(move |(kernel, speed)| kernel_row(kernel, *speed, n));
        let libraries = ["cublas", "cublas half"].into_iter().zip(of_libraries);
        own.chain(libraries.map(move |(name, speed)| row(name, *speed, n, &json!({}))))
    });
    let mut rows: Vec<_> = rows.collect();
    for row in rows.iter_mut().filter(|row| row["kernel"] == stale) {
        row["ptx_sha256"] = json!("of yesterday");
    }
    let (ceilings, sensors) = (quartiles, json!(null));
    let pack = json!({
        "format": 2, "device": "a GPU", "compute_capability": "9.0", "driver": "580.1",
        "cuda": "13.0", "date": "2026-11-21", "program": "0.1.0", "rows": rows,
        "ceilings": {
            "copy_gb_s": ceilings(4218.0), "shared_gb_s": ceilings(33218.0),
            "float32_gflops": ceilings(65046.0), "half_mma_gflops": ceilings(638_411.0),
            "to_gpu_gb_s": ceilings(55.0), "from_gpu_gb_s": ceilings(55.0),
            "overheads": {
                "batch_us": ceilings(4.0), "single_us": ceilings(6.0),
                "submit_us": ceilings(4.0), "round_trip_us": ceilings(9.0),
            },
            "before": sensors, "after": sensors,
        },
    });
    Pack::read(&pack.to_string()).expect("a pack")
}

/// The Measure screen of a small product, with naive selected.
fn measure_of(pack: Pack, screen: (u16, u16), device: Option<u32>) -> App {
    let problems: Vec<_> = KERNELS.iter().map(|kernel| problem(kernel, 64)).collect();
    let options = options(problems, 1, matviz::launch::Dim3::at(0, 0));
    let options = StartOptions { pack: Some(Cow::Owned(pack)), ..options };
    let (mut app, tasks) = App::new(StartOptions { device, ..options }, screen).expect("it runs");
    settle(&mut app, tasks);
    press(&mut app, "m");
    app
}

fn measure(screen: (u16, u16)) -> App {
    measure_of(pack(""), screen, None)
}

/// Presses a key and returns the resulting tasks.
fn tasks_of(app: &mut App, key: &str) -> Vec<Task> {
    let key: matviz::tui::keymap::Key = key.parse().expect("a key");
    let action = input::key(app, key).expect("it means something");
    update::update(app, action)
}

fn line_of<'a>(text: &'a str, part: &str) -> &'a str {
    let found = text.lines().find(|line| line.contains(part));
    assert!(found.is_some(), "no {part} in\n{text}");
    found.unwrap_or_default()
}

#[test]
fn every_picture_has_its_place_at_three_sizes() {
    // Counted wavefronts, so that the roofline of shared memory needs no simulation.
    let mut counted = pack("");
    for row in &mut counted.rows {
        let wavefronts = ("memory_l1_wavefronts_shared".to_owned(), row.ms.median * 2e8);
        row.beside.counters = Some([wavefronts].into());
    }
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut app = measure_of(counted.clone(), (width, height), None);
        press(&mut app, "Down");
        for (key, name) in ["ladder", "sizes", "roofline", "occupancy", "why"].iter().enumerate() {
            if width == 200 && key > 0 {
                continue;
            }
            press(&mut app, &format!("Home Down Down {}", key + 1));
            if key == 0 {
                press(&mut app, "1");
            }
            insta::assert_snapshot!(format!("{name}_{width}x{height}"), shown(&app));
        }
    }
}

#[test]
fn the_unit_that_limits_is_lit_between_two_kernels_of_ones_choice() {
    let mut app = measure((80, 24));
    press(&mut app, "5");
    let text = shown(&app);
    assert!(text.contains("beside the one before"), "{text}");
    let lit = line_of(&text, "►");
    assert!(lit.contains("L1, global loads") && lit.contains("model"), "{text}");
    press(&mut app, "Down");
    let text = shown(&app);
    assert!(line_of(&text, "►").contains("shared memory"), "{text}");
    assert!(
        text.contains("The work moved: L1") && text.contains("but shared memory 0 ->"),
        "{text}"
    );
    press(&mut app, "Up c Up");
    let text = shown(&app);
    assert!(text.contains("beside the one marked"), "{text}");
    assert!(text.contains("naive_rows takes 6.31x as long as naive"), "{text}");
    assert!(line_of(&text, "►").contains("L1, global loads"), "{text}");
    press(&mut app, "Down c Up");
    let text = shown(&app);
    assert!(text.contains("the first of the ladder"), "{text}");
    assert!(line_of(&text, "►").contains("L1, global loads"), "{text}");
}

#[test]
fn memory_says_how_soon_a_word_comes_or_how_to_find_out() {
    let mut app = measure((80, 24));
    press(&mut app, "6");
    assert!(shown(&app).contains("this pack holds no latencies: measure with r"));
    // The embedded pack has them.
    let mut app = super::app("tiled", 64, 80, 24);
    press(&mut app, "m");
    press(&mut app, "6");
    let text = shown(&app);
    let line = |level| line_of(&text, level).to_owned();
    assert!(line("A word comes").contains("28 times sooner from shared memory"), "{text}");
    assert!(line("11.7 ns").contains("shared memory"), "{text}");
    assert!(line("330 ns").contains("DRAM"), "{text}");
    assert!(text.contains("acc"), "{text}");
}

#[test]
fn a_small_product_has_times_at_one_larger_size_and_the_limit_there() {
    let mut app = app("tiled", 64, 200, 60);
    let text = shown(&app);
    assert!(text.contains("Recorded at 4096") && text.contains("more GFLOP/s is faster"), "{text}");
    assert!(text.contains("tiled 16: 1.50x the speed of naive 16"), "{text}");
    assert!(text.contains("limit: shared memory, 13.5 of 16.9 ms"), "{text}");
    assert!(text.contains("at 64, only the launch takes time"), "{text}");
    press(&mut app, "8");
    assert!(shown(&app).contains("tiled 16 at 4096, recorded"), "the counters are of that size");
    press(&mut app, "Esc m");
    let text = shown(&app);
    assert!(text.contains("size 4096"), "{text}");
    assert!(text.contains("bytes of shared memory, measured"), "of the limit: {text}");
    let naive = super::app("naive", 64, 200, 60);
    assert!(shown(&naive).contains("limit: L1, 24.8 of 25.5 ms"), "{}", shown(&naive));
}

#[test]
fn keys_choose_kernels_sizes_and_pictures_and_lead_back() {
    let mut app = measure((80, 24));
    assert!(shown(&app).contains("5  Why"), "the answer first");
    press(&mut app, "1");
    assert!(line_of(&shown(&app), "►").contains("naive 16"), "the simulated kernel is selected");
    assert!(shown(&app).contains("size 4096"), "it begins at the size of the story");
    press(&mut app, "p");
    assert!(shown(&app).contains("size 256"));
    press(&mut app, "n End");
    assert!(line_of(&shown(&app), "►").contains("cuBLAS half"));
    press(&mut app, "3");
    assert!(shown(&app).contains("3  Roofline"));
    press(&mut app, "Right");
    assert!(shown(&app).contains("4  Occupancy"));
    press(&mut app, "t ?");
    assert!(shown(&app).contains("On the Measure screen"));
    press(&mut app, "Esc");
    assert!(shown(&app).contains("4  Occupancy"), "the help leads back to where it was opened");
    press(&mut app, "q");
    assert!(!app.is_over() && shown(&app).contains("1 Matrices"));
}

#[test]
fn a_large_screen_shows_one_picture_alone_if_it_is_asked_twice() {
    let mut app = measure((200, 60));
    press(&mut app, "3");
    assert!(shown(&app).contains("The ladder"));
    press(&mut app, "3");
    assert!(!shown(&app).contains("The ladder"));
    press(&mut app, "Esc");
    assert!(shown(&app).contains("The ladder"));
}

#[test]
fn the_roofline_says_whose_bytes_it_counts_and_how() {
    let mut app = measure((120, 36));
    press(&mut app, "3");
    let text = shown(&app);
    assert!(text.contains("MODEL, each matrix moved once") && text.contains("DRAM copy"), "{text}");
    press(&mut app, "p p p p v Down");
    let text = shown(&app);
    assert!(text.contains("bytes of shared memory, simulated"), "{text}");
    // The ladder is a rail beside it.
    let names_naive = |line: &str| line.chars().skip(40).collect::<String>().contains(" naive ");
    assert!(!text.lines().skip(2).any(names_naive), "it uses none: {text}");
}

#[test]
fn a_row_of_an_older_kernel_is_marked_and_not_explained_by_the_new_one() {
    let mut app = measure_of(pack("tiled"), (80, 24), None);
    press(&mut app, "1");
    let text = shown(&app);
    assert!(text.contains("tiled 16*") && text.contains("* of an older kernel"), "{text}");
    press(&mut app, "Down 5");
    let text = shown(&app);
    assert!(text.contains("has changed since") && !text.contains("shared memory"), "{text}");
}

#[test]
fn without_a_gpu_what_was_recorded_stays_and_is_called_so() {
    let mut app = measure((120, 36));
    press(&mut app, "r");
    let text = shown(&app);
    assert!(text.contains("started with --gpu none"), "{text}");
    assert!(text.contains("recorded on a GPU, 2026-11-21"), "{text}");
}

#[test]
fn a_ladder_is_shown_while_it_is_measured_and_esc_keeps_what_is_done() {
    let mut app = measure_of(pack(""), (80, 24), Some(0));
    press(&mut app, "1");
    let tasks = tasks_of(&mut app, "r");
    let [Task::MeasureLadder(order)] = &tasks[..] else { panic!("{tasks:?}") };
    assert_eq!((order.size, order.rows()), (Size::square(4096), KERNELS.len() + 2));
    let mut here = pack("");
    let rows = std::mem::take(&mut here.rows);
    let tell = |app: &mut App, news| settle_only(app, Event::Ladder(order.number, news));
    here.device = "this GPU".to_owned();
    tell(&mut app, LadderEvent::Found(Box::new(here)));
    assert!(shown(&app).contains("recorded on a GPU"), "nothing has come yet");
    for row in rows.iter().filter(|row| row.size == order.size).take(3) {
        tell(&mut app, LadderEvent::Measured(Box::new(row.clone())));
    }
    tell(&mut app, LadderEvent::Progress("tiled_transposed".to_owned(), warming()));
    let text = shown(&app);
    assert!(text.contains("measuring 4 of 17: tiled_transposed: warming up"), "{text}");
    assert!(text.contains("measured now on this GPU") && !text.contains("cuBLAS 16"), "{text}");
    assert!(line_of(&text, "►").contains("tiled 16"), "the newest is selected: {text}");
    let tasks = tasks_of(&mut app, "Esc");
    assert!(matches!(tasks[..], [Task::StopMeasuring]), "{tasks:?}");
    tell(&mut app, LadderEvent::Measured(Box::new(rows[0].clone())));
    let text = shown(&app);
    assert!(text.contains("stopped: 3 of 17 were measured"), "{text}");
    press(&mut app, "o");
    assert!(shown(&app).contains("recorded on a GPU"));
    press(&mut app, "o Esc");
    assert!(shown(&app).contains("1 Matrices"));
}

/// The counting task among these.
fn to_count(tasks: &[Task]) -> &CountTask {
    let counting = tasks.iter().find_map(|task| match task {
        Task::Count(counting) => Some(counting),
        _ => None,
    });
    counting.expect("something is to be counted")
}

#[test]
fn a_long_count_says_how_far_it_is_and_ends_when_nobody_wants_it() {
    let mut app = measure((120, 36));
    let tasks = tasks_of(&mut app, "Down");
    let counting = to_count(&tasks);
    let progress = WorkProgress { unit: "block", done: 12, total: 512, instructions: 3_000_000 };
    settle_only(&mut app, Event::Counting(counting.subject, progress));
    let text = shown(&app);
    assert!(
        text.contains("tiled 16 at 4096: 12 of 512 blocks, 3 M instructions; Esc stops it"),
        "{text}"
    );
    assert!(!counting.token.is_cancelled());
    press(&mut app, "Esc");
    let text = shown(&app);
    assert!(counting.token.is_cancelled(), "it goes on");
    assert!(text.contains("tiled 16 cannot be counted: it was stopped"), "{text}");
    let tasks = tasks_of(&mut app, "Down");
    let counting = to_count(&tasks);
    assert!(!counting.token.is_cancelled());
    // A library has no counts.
    press(&mut app, "End");
    assert!(counting.token.is_cancelled(), "it goes on, though another kernel is shown");
    press(&mut app, "Esc");
    assert!(shown(&app).contains("1 Matrices"), "nothing is counted any more");
}

fn warming() -> matviz::timing::protocol::Phase {
    matviz::timing::protocol::Phase::Warming
}

fn settle_only(app: &mut App, event: Event) {
    let tasks = app.hear(event);
    settle(app, tasks);
}

#[test]
fn no_size_of_the_screen_breaks_it() {
    let mut app = measure((80, 24));
    for key in ["1", "2", "3", "4", "5"] {
        press(&mut app, key);
        for width in [1, 5, 29, 30, 40, 79, 116, 176, 400] {
            for height in [1, 5, 6, 12, 20, 34, 50, 100] {
                let tasks = app.resize(width, height);
                settle(&mut app, tasks);
                shown(&app);
            }
        }
    }
}

/// What is pointed at stays where it is: the arrows are those of the screen that is shown.
#[test]
fn the_arrows_choose_a_kernel_also_while_something_is_pointed_at() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "I");
    let pointing = shown(&app);
    press(&mut app, "m");
    let before = shown(&app);
    press(&mut app, "Down");
    assert_ne!(shown(&app), before, "another kernel is chosen");
    press(&mut app, "q");
    assert_eq!(shown(&app), pointing, "the point has not moved");
}
