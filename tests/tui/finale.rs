//! The end of a run: what it took, and the measured times as a race.

use crate::pace::play;
use crate::{app, foreign, options, press, problem, settle, shown, spoiled, start, step};
use matviz::kernel::KERNELS;
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::sim::Order;
use matviz::timing::Measurement;
use matviz::tui::task::{Event, MeasureEvent};
use matviz::tui::theme::{Depth, Glyphs, Look, Role, Theme};
use matviz::tui::{App, StartAt, StartOptions, frame};
use std::time::Duration;

/// The default run of the tiled kernel.
fn usual(screen: (u16, u16), look: Look, motion: bool) -> App {
    let kernels: Vec<_> =
        KERNELS.iter().map(|kernel| kernel.problem_for(Size::square(1024))).collect();
    let tiled = KERNELS.iter().position(|known| known.name == "tiled").expect("a kernel");
    let options = options(kernels, tiled, Dim3::at(32, 32));
    start(StartOptions { order: Order::ByPhase, look, motion, ..options }, screen)
}

/// Lets so many seconds pass.
fn pass(app: &mut App, seconds: f64) {
    let frames = (seconds / 0.033).round() as u32;
    for _ in 0..frames {
        if let Some(tasks) = app.tick(Duration::from_millis(33)) {
            settle(app, tasks);
        }
    }
}

/// The columns of a kernel's bar, on a screen without colours.
fn bar(text: &str, name: &str) -> usize {
    let line = text.lines().find(|line| line.contains(name) && line.contains(" ms"));
    line.map_or(0, |line| line.matches('█').count())
}

/// A look that draws bars as characters.
const MONO: Look = Look { theme: Theme::Dark, depth: Depth::Mono, glyphs: Glyphs::Basic };

#[test]
fn the_end_says_what_the_block_took_and_runs_the_times_in_their_proportion() {
    let mut app = usual((120, 36), MONO, true);
    press(&mut app, "G");
    let text = shown(&app);
    assert!(text.contains("what it took"), "{text}");
    for number in ["4,096", "13,312", "128", "262,144", "29,176"] {
        assert!(text.contains(number), "{number}: {text}");
    }
    assert!(text.contains("right") && text.contains("recorded on NVIDIA H200"), "{text}");
    pass(&mut app, 0.8 + 2.0);
    let text = shown(&app);
    // After 2 s, those that take 4.24 and 2.79 s are equally far, and that of 1.14 s is not on its way.
    let [naive, tiled, next] = ["naive", "►tiled", "blocked_1d"].map(|name| bar(&text, name));
    assert!(naive == tiled && tiled > next && next > 0, "{naive}, {tiled}, {next}: {text}");
    assert!(!text.contains("its limit"), "what it comes to is told after the race: {text}");
    pass(&mut app, 3.5);
    let text = shown(&app);
    assert!(
        text.contains("why only") && !text.contains("its limit"),
        "one note after the other: {text}"
    );
    pass(&mut app, 14.0);
    let text = shown(&app);
    assert!(text.contains("4.24 s") && text.contains("its limit"), "{text}");
    let [naive, tiled, next] =
        ["naive", "►tiled", "blocked_1d"].map(|name| bar(&text, name) as f64);
    for (is, should) in [(tiled / naive, 0.279 / 0.424), (next / naive, 0.114 / 0.424)] {
        assert!(
            (is - should).abs() < 0.03,
            "bars end as long as their times: {is}, {should}: {text}"
        );
    }
    assert_eq!(app.next_frame(), None, "nothing moves any more");
    let queue = text.lines().find(|line| line.contains("►tiled")).unwrap_or_default();
    assert!(queue.contains("shared memory: 0.21 ms"), "{text}");
    press(&mut app, "r");
    assert!(shown(&app).contains("0.00 s"), "it runs again");
    press(&mut app, "-");
    assert!(!shown(&app).contains("what it took"), "any other key leaves it");
}

/// What one asks at the end: why so little faster, what next, what tile, what a test proves, how far.
#[test]
fn the_end_answers_what_one_asks_then_with_figures_of_its_own() {
    let mut app = usual((120, 36), Look::default(), false);
    press(&mut app, "G");
    let text = shown(&app).split_whitespace().collect::<Vec<_>>().join(" ");
    let answers = [
        "why only 1.5x naive makes 16 loads of 2 sectors where this makes one of 4: 8 times the sectors, but L1",
        "its limit shared memory, busy 0.21 of 0.28 ms",
        "next blocked_1d: each thread computes a column",
        "tile 32 1024 threads a block; fetches half the sectors of tile 16",
        "of 100 random orders of the warps",
        "shared memory 23, L1 32, L2 281, global memory 653",
        "cuBLAS: NVIDIA's own library",
    ];
    for answer in answers {
        assert!(text.contains(answer), "{answer}: {}", shown(&app));
    }
}

#[test]
fn enter_leads_to_the_next_kernel_that_is_faster() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "G");
    pass(&mut app, 9.0);
    let text = shown(&app);
    let next = text.lines().find(|line| line.contains("next: ")).unwrap_or_default();
    assert!(next.contains("times as fast"), "{text}");
    press(&mut app, "Enter");
    assert!(shown(&app).contains(" blocked_1d "), "{}", shown(&app));
    assert_eq!(step(&app).0, "0", "from its start");
}

/// A GPU measures every kernel of the ladder; who races is chosen as from a recording.
#[test]
fn of_times_measured_now_the_same_few_race() {
    let mut app = usual((120, 36), Look::default(), false);
    press(&mut app, "G");
    let is_bar = |line: &&str| line.contains(" ms  ") || line.trim_end().ends_with(" ms");
    let race = |text: &str| text.lines().filter(is_bar).count();
    let recorded = race(&shown(&app));
    let pack = matviz::timing::pack::packs().first().expect("a recording");
    let here = pack.rows.iter().filter(|row| row.size == Size::square(1024));
    for row in here {
        let row = Measurement { device: "a GPU".to_owned(), ..row.clone() };
        let tasks = app.hear(Event::Gpu(MeasureEvent::Measured(Box::new(row))));
        settle(&mut app, tasks);
    }
    press(&mut app, "r");
    let text = shown(&app);
    assert!(text.contains("measured now on a GPU"), "{text}");
    assert!(recorded > 2 && race(&text) == recorded, "{recorded}: {text}");
}

#[test]
fn without_motion_the_end_of_the_race_stands_at_once() {
    let mut app = usual((120, 36), Look::default(), false);
    press(&mut app, "G");
    let text = shown(&app);
    assert!(text.contains("4.24 s") && text.contains("4,096"), "{text}");
    assert_eq!(app.next_frame(), None);
}

#[test]
fn what_was_not_measured_does_not_race() {
    let mut app = foreign("numba_tiled", "64", Dim3::flat(16, 16), None, (120, 36));
    press(&mut app, "G");
    let text = shown(&app);
    assert!(text.contains("what it took") && text.contains("matviz bench"), "{text}");
    assert!(!text.contains(" ms "), "{text}");
}

#[test]
fn a_wrong_result_is_red_and_counted() {
    let mut app = spoiled("tiled_no_compute_barrier", StartAt::Start, (120, 36));
    play(&mut app);
    let text = shown(&app);
    assert!(text.contains("wrong"), "{text}");
    let buf = frame(&app, 120, 36);
    let bad = Look::default().pixel(Role::Bad);
    let red = buf.content.iter().filter(|cell| cell.bg == bad || cell.fg == bad).count();
    assert!(red > 50, "C shows what is wrong: {text}");
}

#[test]
fn nothing_is_cut_at_any_size_in_any_look() {
    let looks = [
        Look::default(),
        Look { theme: Theme::Light, ..Look::default() },
        Look { theme: Theme::Stage, depth: Depth::Ansi, ..Look::default() },
        Look { depth: Depth::Mono, ..Look::default() },
        Look { depth: Depth::Mono, glyphs: Glyphs::Ascii, ..Look::default() },
    ];
    for screen in [(80, 24), (100, 30), (120, 36), (160, 45), (200, 60), (300, 80)] {
        for look in looks {
            let mut app = usual(screen, look, false);
            press(&mut app, "G");
            let text = shown(&app);
            let whole =
                ["4,096", "262,144", "29,176", "0.0571 ms", "0.424 ms", "recorded on NVIDIA H200"];
            for part in whole.into_iter().chain(["cuBLAS", "shared memory", " Enter "]) {
                assert!(text.contains(part), "{part} at {screen:?}:\n{text}");
            }
            assert!(!text.contains(".. ") && !text.contains("..\n"), "{screen:?}:\n{text}");
            let ascii = look.glyphs == Glyphs::Ascii;
            assert!(!ascii || text.is_ascii(), "{screen:?}:\n{text}");
        }
    }
}

/// A kernel that has come last on its ladder goes on as well.
#[test]
fn every_kernel_has_an_end() {
    for kernel in KERNELS {
        let mut app = start(options(vec![problem(kernel, 256)], 0, Dim3::at(0, 0)), (120, 36));
        press(&mut app, "G");
        let text = shown(&app);
        assert!(text.contains("what it took"), "{}: {text}", kernel.name);
    }
}
