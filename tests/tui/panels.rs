//! Panels on the most difficult screens: small ones, and projected ones.

use super::{app, options, press, problem, shown, start};
use matviz::kernel::{KERNELS, Problem};
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::tui::theme::{Look, Theme};
use matviz::tui::{App, StartOptions, frame};
use ratatui::style::Color;

/// The rows of a screen joined into one line, with single blanks between words.
fn words(app: &App) -> String {
    shown(app).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_sentence_is_whole_on_every_screen() {
    for keys in ["w Left", "n n Right", "n n n Right Right Right"] {
        let mut wide = app("tiled", 64, 120, 36);
        press(&mut wide, keys);
        let row = shown(&wide).lines().nth(1).expect("a second row").trim().to_owned();
        for screen in [(20, 5), (30, 6), (30, 8), (40, 10), (50, 30), (76, 20), (80, 24)] {
            let mut small = app("tiled", 64, screen.0, screen.1);
            press(&mut small, keys);
            assert!(words(&small).contains(&row), "{screen:?}: {row}\n{}", shown(&small));
        }
    }
}

#[test]
fn the_title_of_the_threads_says_the_same_thing_at_every_step() {
    for screen in [(120, 36), (200, 60)] {
        let mut app = app("tiled", 64, screen.0, screen.1);
        for _ in 0..60 {
            let text = shown(&app);
            let title = text.lines().find(|line| line.contains("3 Threads")).expect("a title");
            assert!(title.contains("barrier") && !title.contains("j/k"), "{screen:?}\n{text}");
            press(&mut app, "Right");
        }
    }
}

#[test]
fn the_timeline_shows_every_warp_or_says_which() {
    let mut small = app("tiled", 64, 80, 24);
    press(&mut small, "7 n n");
    let text = shown(&small);
    for warp in 0..8 {
        assert!(text.contains(&format!("w{warp} ")), "w{warp} is missing:\n{text}");
    }
    for word in ["global", "shared", "FMA", "steps"] {
        assert!(text.contains(word), "what the bars mean is missing:\n{text}");
    }
    let tiled = KERNELS.iter().find(|kernel| kernel.name == "tiled").expect("a kernel");
    let (variant, ptx) = (tiled.variant(32).expect("a tile"), tiled.embedded(32).expect("its PTX"));
    let many = Problem::of(tiled, variant, Size::square(64), ptx.into());
    let many = start(options(vec![many], 0, Dim3::at(0, 0)), (120, 36));
    let text = shown(&many);
    let timeline = text.lines().find(|line| line.contains("Timeline")).expect("its frame");
    assert!(timeline.contains("of 32"), "{timeline}");
}

#[test]
fn zeros_beyond_the_edges_are_neither_work_nor_use() {
    let problems = ["naive", "tiled"].map(|name| {
        let kernel = KERNELS.iter().find(|kernel| kernel.name == name).expect("a kernel");
        problem(kernel, 20)
    });
    let mut app = start(options(problems.into(), 1, Dim3::at(1, 1)), (120, 40));
    press(&mut app, "G Esc c");
    let text = shown(&app);
    let row = text.lines().find(|line| line.contains("uses of a fetched word")).expect("a row");
    let figures: Vec<f64> = row.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    // The corner of C has 4 rows and 4 columns: each word serves four elements at most.
    assert!(figures.len() == 2 && figures.iter().all(|uses| *uses <= 4.0), "{row}\n{text}");
    assert!(text.contains("here: k = 20"), "{text}");
}

#[test]
fn light_screens_are_painted_whatever_ground_the_terminal_has() {
    for theme in [Theme::Light, Theme::Stage] {
        let look = Look { theme, ..Look::default() };
        for keys in ["", "1", "2", "m", "?", ":", "!", "G"] {
            let problems = vec![problem(&KERNELS[0], 64)];
            let mut app =
                start(StartOptions { look, ..options(problems, 0, Dim3::at(0, 0)) }, (80, 24));
            press(&mut app, keys);
            let painted = |cell: &ratatui::buffer::Cell| cell.bg != Color::Reset;
            assert!(frame(&app, 80, 24).content().iter().all(painted), "{theme:?}, {keys}");
        }
    }
}

#[test]
fn all_measured_times_stand_in_the_order_of_the_story() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "8");
    let text = shown(&app);
    let place = |name: &str| text.find(name).unwrap_or_else(|| panic!("{name} in\n{text}"));
    let story = [" naive_rows ", " naive ", "►tiled ", " cuBLAS ", " half_plain ", " cuBLAS half "];
    assert!(story.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{text}");
    assert!(text.contains("x the speed of naive"), "{text}");
}
