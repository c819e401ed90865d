//! The tile changes while the program runs, at the same place of the work; a card says what it
//! changes.

use super::{app, app_of, foreign, options, press, problem, shown, spoiled, start, step};
use matviz::kernel::{KERNELS, Problem, find};
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::tui::headless::settle;
use matviz::tui::theme::{Depth, Look};
use matviz::tui::{App, StartAt, StartOptions, frame};
use std::process::Command;
use std::time::Duration;

/// The words of the screen after these, on the same line.
fn after(app: &App, words: &str) -> Vec<String> {
    let text = shown(app);
    let line = text.lines().find_map(|line| Some(line.split_once(words)?.1));
    line.into_iter().flat_map(str::split_whitespace).map(str::to_owned).collect()
}

#[test]
fn the_key_shows_the_next_tile_at_the_same_place_of_the_work() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "n n n n n n");
    let before = shown(&app);
    assert!(before.contains("block (1,1)") && before.contains("tile 3 of 4"), "{before}");
    press(&mut app, "T Esc");
    let larger = shown(&app);
    // The third tile of 16 along k lies in the second one of 32.
    assert!(larger.contains("tiled 32x32") && larger.contains("block (0,0)"), "{larger}");
    assert!(larger.contains("tile 2 of 2"), "{larger}");
    assert!(
        larger.contains("►tiled 32"),
        "its recorded time takes the place of the other: {larger}"
    );
    press(&mut app, "< Esc");
    let again = shown(&app);
    assert!(again.contains("tiled 16x16") && again.contains("block (1,1)"), "{again}");
    assert!(again.contains("tile 3 of 4"), "{again}");
    press(&mut app, "T T Esc");
    assert!(shown(&app).contains("tiled 4x4"), "after the largest comes the smallest");
    press(&mut app, "V");
    assert!(shown(&app).contains("tiled_transposed 4x4"), "other kernels have the tile, too");
}

#[test]
fn the_counts_are_those_of_sim() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "T");
    let sim = |tile: &str| {
        let sim = Command::new(env!("CARGO_BIN_EXE_matviz"))
            .args(["check", "tiled", "--size", "64", "--tile", tile, "--json"])
            .output()
            .expect("it runs");
        let json: serde_json::Value = serde_json::from_slice(&sim.stdout).expect("JSON");
        let of = |name: &str| json["sass"][name].as_u64().expect("a number");
        let warps = 64 * 64 / 32;
        let barriers = of("barriers") / warps;
        (of("global_load_sectors").to_string(), barriers.to_string(), of("thread_fma"))
    };
    let plain = |row: &str| -> Vec<String> {
        after(&app, row).iter().take(2).map(|number| number.replace(',', "")).collect()
    };
    let (was, is) = (sim("16"), sim("32"));
    assert_eq!(plain("sectors requested by the grid"), [&*was.0, &*is.0]);
    assert_eq!(plain("barriers that a block passes"), [&*was.1, &*is.1]);
    assert_eq!((was.2, is.2), (64 * 64 * 64, 64 * 64 * 64));
    assert_eq!(after(&app, "Tile 32 fetches")[..3], ["half", "the", "sectors"]);
}

#[test]
fn the_card_is_whole_at_three_sizes() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut app = app("tiled", 64, width, height);
        press(&mut app, "n n T");
        insta::assert_snapshot!(format!("tile_{width}x{height}"), shown(&app));
    }
    let mut app = app("naive", 64, 120, 36);
    press(&mut app, "y T T");
    assert!(shown(&app).is_ascii(), "{}", shown(&app));
    insta::assert_snapshot!("tile_naive_120x36", shown(&app));
}

#[test]
fn the_two_tiles_are_told_apart_without_colour() {
    let look = Look { depth: Depth::Mono, ..Look::default() };
    let problems = vec![problem(find("tiled").expect("a kernel"), 64)];
    let mut app = start(StartOptions { look, ..options(problems, 0, Dim3::at(0, 0)) }, (120, 36));
    press(&mut app, "T");
    let text = shown(&app);
    assert!(text.contains("before") && text.contains("now"), "{text}");
    assert!(text.lines().any(|line| line.contains("► 32") && line.contains("now")), "{text}");
}

#[test]
fn compare_shows_both_tiles_until_another_kernel_is_shown() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "n n T c");
    let text = shown(&app);
    assert!(text.contains("tiled 16x16 x 4 blocks") && text.contains("tiled 32x32"), "{text}");
    assert!(text.contains("as many up to k = 16, then tiled 32x32 fetches less"), "{text}");
    press(&mut app, "v");
    let text = shown(&app);
    assert!(text.contains("naive 32x32") && text.contains("tiled 32x32"), "{text}");
    assert!(!text.contains("16x16"), "{text}");
}

#[test]
fn playing_waits_until_the_card_has_been_read() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "P Space T");
    assert_eq!((app.next_frame(), app.tick(Duration::from_secs(5)).map(|_| ())), (None, None));
    assert_eq!(step(&app).0, "0");
    press(&mut app, "Space");
    assert!(app.is_playing() && !shown(&app).contains("after tile"), "{}", shown(&app));
    let tasks = app.tick(Duration::from_secs(1)).expect("it goes on");
    settle(&mut app, tasks);
    assert_ne!(step(&app).0, "0");
}

#[test]
fn any_other_key_does_what_it_does_without_the_card() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "T Right");
    assert!(!shown(&app).contains("after tile 16"));
    assert_ne!(step(&app).0, "0");
    press(&mut app, "< q");
    assert!(!app.is_over() && !shown(&app).contains("after tile 32"));
    press(&mut app, "T t");
    assert!(shown(&app).contains("after tile 16"), "the look changes below it");
}

#[test]
fn a_kernel_of_one_tile_says_so() {
    let said = |mut app: App| {
        let before = shown(&app);
        press(&mut app, "T");
        assert_eq!(shown(&app).lines().next(), before.lines().next(), "nothing else has changed");
        shown(&app).lines().last().expect("a footer").trim().to_owned()
    };
    let wgmma = problem(find("half_wgmma").expect("a kernel"), 256);
    insta::assert_snapshot!(said(app_of(vec![wgmma], 0, Dim3::at(0, 0), (120, 36))), @"half_wgmma has one tile alone, 128x256x64: V goes to the next kernel");
    let own = foreign("double_buffer", "64", Dim3::flat(16, 16), None, (120, 36));
    insta::assert_snapshot!(said(own), @"the tile of your own kernel is in its source: change it there, and start again");
    let tiled = find("tiled").expect("a kernel");
    let ptx = format!("// mine\n{}", tiled.embedded(16).expect("its PTX"));
    let tiled = Problem::of(tiled, 16, Size::square(64), ptx.into());
    insta::assert_snapshot!(said(app_of(vec![tiled], 0, Dim3::at(0, 0), (120, 36))), @"this PTX is for tile 16 alone: start again with another --tile");
}

#[test]
fn a_broken_kernel_has_its_tiles_too() {
    let mut app = spoiled("tiled_no_load_barrier", StartAt::Start, (120, 36));
    press(&mut app, "T");
    assert!(!shown(&app).contains("ms at"), "it is not recorded: {}", shown(&app));
    press(&mut app, "c");
    let text = shown(&app);
    assert!(text.contains("tiled_no_load_barrier 32x32"), "{text}");
    assert!(text.contains("tiled_no_load_barrier 16x16"), "{text}");
}

#[test]
fn every_kernel_with_every_tile_can_be_drawn_on_every_screen() {
    const SCREENS: [(u16, u16); 6] = [(20, 5), (40, 10), (60, 18), (80, 24), (100, 30), (200, 60)];
    for kernel in KERNELS.iter().filter(|kernel| kernel.square || kernel.name == "blocked_2d") {
        let mut app = app(kernel.name, 64, 120, 36);
        for _ in kernel.variants {
            press(&mut app, "T");
            assert!(shown(&app).contains("any key closes this"), "{}", shown(&app));
            for (width, height) in SCREENS {
                frame(&app, width, height);
            }
        }
    }
}

#[test]
fn the_list_of_commands_offers_it() {
    let mut app = app("tiled", 64, 200, 60);
    press(&mut app, ": l a r g e r Space t i l e Enter");
    assert!(shown(&app).contains("tile 32 after tile 16"), "{}", shown(&app));
}
