//! Playing by meaning: how long what is on the screen, and what a viewer sees of it.

use crate::{foreign, options, problem, settle, shown, start};
use matviz::kernel::KERNELS;
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::sim::Order;
use matviz::tui::action::Action;
use matviz::tui::playback::Pace;
use matviz::tui::{App, StartOptions, update};
use std::time::Duration;

/// A time at which the screen changes while the run plays, in seconds, and what it then shows.
#[derive(Debug)]
pub(crate) struct Shown {
    from: f64,
    caption: String,
}

/// The default run of a kernel: 1024, in the default order.
fn usual(kernel: &str) -> App {
    let kernels: Vec<_> =
        KERNELS.iter().map(|kernel| kernel.problem_for(Size::square(1024))).collect();
    let index = KERNELS.iter().position(|known| known.name == kernel).expect("a kernel");
    let grid = kernels[index].launch.grid;
    let options = options(kernels, index, Dim3::at(grid.x / 2, grid.y / 2));
    start(StartOptions { order: Order::ByPhase, ..options }, (120, 36))
}

/// Plays the run to its end, as the event loop would; returns what it showed and how long it took.
pub(crate) fn play(app: &mut App) -> (Vec<Shown>, f64) {
    let tasks = update::update(app, Action::PlayPause);
    settle(app, tasks);
    let (mut now, mut all) = (0.0, Vec::<Shown>::new());
    while let Some(next) = app.next_frame() {
        let caption = app.sentence().to_owned();
        let ends = app.shows_finale();
        if !ends && all.last().is_none_or(|last| last.caption != caption) {
            all.push(Shown { from: now, caption });
        }
        // The end, which is no part of the run, has its own time.
        now += if ends { 0.0 } else { next.as_secs_f64() };
        assert!(now < 300.0, "it ends: {:?}", all.last());
        if let Some(tasks) = app.tick(next) {
            settle(app, tasks);
        }
    }
    (all, now)
}

/// The first time at which a caption begins so.
fn time(all: &[Shown], caption: &str) -> f64 {
    let found = all.iter().find(|shown| shown.caption.starts_with(caption));
    assert!(found.is_some(), "{caption}: {all:#?}");
    found.map_or(0.0, |shown| shown.from)
}

/// Each caption with the second at which it appears, and the length of the whole.
pub(crate) fn script(all: &[Shown], seconds: f64) -> String {
    let lines = all.iter().map(|Shown { from, caption }| format!("{from:5.1}  {caption}\n"));
    lines.collect::<String>() + &format!("{seconds:5.1}\n")
}

/// What a viewer reads who only watches, from the first caption to the end.
#[test]
fn the_run_of_each_kind_of_kernel_reads_as_a_story() {
    let foreign = foreign("numba_tiled", "256", Dim3::flat(16, 16), None, (120, 36));
    let kernels = ["tiled", "naive", "tiled_padded", "sgemm"].into_iter();
    let kernels = kernels.map(|name| (name, usual(name)));
    for (name, mut app) in kernels.chain(std::iter::once(("foreign", foreign))) {
        let (all, seconds) = play(&mut app);
        insta::assert_snapshot!(format!("script_{name}"), script(&all, seconds));
    }
}

#[test]
fn the_default_run_is_told_in_forty_seconds() {
    let (all, seconds) = play(&mut usual("tiled"));
    assert!((36.0..=43.0).contains(&seconds), "{seconds} s: {all:#?}");
    let [load, wait, opening, fma, second, third] = [
        "Warp 0 loads A",
        "Warp 0 waits at the barrier",
        "All 8 warps",
        "Warps 0-7: acc +=",
        "Tile 2 of 64",
        "Tiles 3 to 64",
    ]
    .map(|caption| time(&all, caption));
    assert!(load < wait && wait < opening && opening < fma && fma < second);
    assert!(third - second <= 0.5 * (second - load), "the second tile takes half the time");
}

#[test]
fn a_caption_stays_as_long_as_it_takes_to_read() {
    for kernel in ["naive", "tiled", "blocked_1d", "sgemm"] {
        let (all, seconds) = play(&mut usual(kernel));
        let ends = all[1..].iter().map(|shown| shown.from).chain([seconds]);
        for (shown, end) in all.iter().zip(ends) {
            let words = shown.caption.split_whitespace().count() as f64;
            let stays = end - shown.from;
            assert!(stays >= words / 4.0 - 0.07, "{kernel}: {stays:.2} s: {}", shown.caption);
        }
        assert!(seconds < 75.0, "{kernel}: {seconds} s");
    }
}

/// In fast motion, too: a finding is what one came to see, and its own sentence says what it is.
#[test]
fn a_finding_is_shown_with_its_sentence_until_it_is_read() {
    let mut app =
        crate::spoiled("tiled_no_compute_barrier", matviz::tui::StartAt::Start, (120, 36));
    let (all, seconds) = play(&mut app);
    let ends = all[1..].iter().map(|shown| shown.from).chain([seconds]);
    let mut wrong = 0;
    // What plays fast meanwhile is interrupted, and goes on afterwards.
    let told = all.iter().zip(ends).filter(|(shown, _)| !shown.caption.starts_with("Tiles"));
    for (shown, end) in told {
        let words = shown.caption.split_whitespace().count() as f64;
        let stays = end - shown.from;
        assert!(stays >= words / 4.0 - 0.07, "{stays:.2} s: {}\n{all:#?}", shown.caption);
        wrong += usize::from(shown.caption.starts_with("WRONG VALUE: w"));
    }
    assert!(wrong > 0, "{all:#?}");
}

/// Warps that run ahead of each other are not told as one: in this order warp 0 computes all of its
/// part before another begins.
#[test]
fn what_repeats_is_told_of_the_warps_that_do_it() {
    for kernel in &KERNELS[1..3] {
        let options = options(vec![problem(kernel, 64)], 0, Dim3::at(1, 1));
        let mut app = start(StartOptions { order: Order::ToBarrier, ..options }, (120, 36));
        let (all, seconds) = play(&mut app);
        insta::assert_snapshot!(
            format!("script_{}_to_barrier", kernel.name),
            script(&all, seconds)
        );
    }
}

/// Also a kernel of which nothing is known but its PTX.
#[test]
fn a_users_kernel_plays_by_meaning_too() {
    let mut app = foreign("numba_tiled", "256", Dim3::flat(16, 16), None, (120, 36));
    let (all, seconds) = play(&mut app);
    assert!((10.0..90.0).contains(&seconds), "{seconds} s: {all:#?}");
}

#[test]
fn playing_evenly_gives_each_event_the_same_time() {
    let kernels = vec![problem(&KERNELS[1], 64)];
    let mut app =
        start(StartOptions { pace: Pace::Even, ..options(kernels, 0, Dim3::at(1, 1)) }, (120, 36));
    let tasks = update::update(&mut app, Action::PlayPause);
    settle(&mut app, tasks);
    let mut places = vec![app.at()];
    for _ in 0..40 {
        let tasks = app.tick(Duration::from_millis(250)).expect("an event every 250 ms");
        settle(&mut app, tasks);
        places.push(app.at());
    }
    assert!(places.is_sorted_by(|one, next| one < next), "{places:?}");
}

/// A step by hand pauses; playing then goes on from there, and not from where it was.
#[test]
fn playing_goes_on_from_where_the_user_went() {
    let mut app = usual("tiled");
    let act = |app: &mut App, action| {
        let tasks = update::update(app, action);
        settle(app, tasks);
    };
    act(&mut app, Action::PlayPause);
    for _ in 0..100 {
        let next = app.next_frame().expect("it plays");
        if let Some(tasks) = app.tick(next) {
            settle(&mut app, tasks);
        }
    }
    act(&mut app, Action::Seek(20_000));
    assert!(app.is_playing());
    let next = app.next_frame().expect("it plays");
    if let Some(tasks) = app.tick(next) {
        settle(&mut app, tasks);
    }
    assert!((20_000..21_000).contains(&app.at()), "{}", app.at());
}

/// Plays until the caption begins so, and then for a tenth of a second.
fn play_to(app: &mut App, caption: &str) {
    let tasks = update::update(app, Action::PlayPause);
    settle(app, tasks);
    while !app.sentence().starts_with(caption) {
        tick(app);
    }
    app.tick(Duration::from_millis(100));
}

/// Plays to the next frame.
fn tick(app: &mut App) {
    let next = app.next_frame().expect("it plays");
    if let Some(tasks) = app.tick(next) {
        settle(app, tasks);
    }
}

/// At the second barrier of a tile all warps arrive in one event: all panels show it as the sentence
/// says it.
#[test]
fn where_all_warps_arrive_in_one_event_all_panels_agree() {
    let mut app = usual("tiled");
    play_to(&mut app, "All 8 warps have arrived, the barrier opens: the tiles may");
    while app.sentence().contains("may be overwritten") {
        let text = shown(&app);
        let count = |word: &str| text.matches(word).count();
        assert_eq!((count("WAIT"), count("─► released")), (0, 8), "{text}");
        assert!(text.contains("barrier 2: open"), "{text}");
        assert!(!text.contains("512/512 words"), "the words are old: {text}");
        tick(&mut app);
    }
}

/// The lanes, words and banks of a conflict come in turn, and each pass can be seen.
#[test]
fn a_bank_conflict_plays_pass_after_pass() {
    let mut app = usual("tiled_transposed");
    play_to(&mut app, "Warp 0 stores sA");
    let mut passes = Vec::new();
    while app.sentence().starts_with("Warp 0 stores sA") {
        let text = shown(&app);
        let pass = (1..=8).find(|pass| text.contains(&format!("pass {pass} of 8: 4 served")));
        passes.extend(pass.map(|pass| (pass, text.contains(&format!("{}/512 words", 4 * pass)))));
        tick(&mut app);
    }
    for pass in 1..=8 {
        let frames = passes.iter().filter(|(shown, _)| *shown == pass).count();
        assert!(frames >= 2, "pass {pass} is too short to see: {passes:?}");
    }
    assert!(passes.iter().all(|(_, stored)| *stored), "four words a pass: {passes:?}");
    assert!(shown(&app).contains("Warp 0 loads B"));
}
