//! Whole screens, driven by keys as a user would: what they show, and that nothing breaks them.

mod asked;
mod bricks;
mod edit;
mod ending;
mod exercise;
mod film;
mod finale;
mod hosted;
mod late;
mod learn;
mod lesson;
mod measure;
mod own_time;
mod pace;
mod panels;
mod pictures;
mod pointing;
mod random;
mod sizes;
mod stage;
mod stage_motion;
mod stage_picture;
mod stage_run;
mod stage_scenes;
mod terminal;
mod tile;
mod tokens;
mod types;
mod widgets;
mod words;
mod wrong;

#[cfg(unix)]
#[path = "../shared/session.rs"]
mod session;

use matviz::kernel::{BROKEN, KERNELS, Kernel, LaunchSpec, Problem, Source};
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::sim::Order;
use matviz::tui::app::FirstRun;
use matviz::tui::config::Config;
use matviz::tui::headless::settle;
use matviz::tui::input::{Mouse, MouseAct};
use matviz::tui::keymap::{COMMANDS, Key};
use matviz::tui::layout::ScreenView;
use matviz::tui::lesson::Lessons;
use matviz::tui::theme::{Glyphs, Look};
use matviz::tui::{App, StartAt, StartOptions, frame, input, update};
use matviz::{export, report};
use random::{Happening, happen};
use std::time::Duration;

/// A user's kernel, launched and recorded in the same way.
fn foreign(name: &str, size: &str, block: Dim3, grid: Option<Dim3>, screen: (u16, u16)) -> App {
    let read = |extension: &str| {
        let path = format!("tests/data/kernel/foreign/{name}.{extension}");
        std::fs::read_to_string(path).expect("committed")
    };
    let source = name.starts_with("sgemm").then(|| {
        let (file, text) = (format!("{name}.cu"), read("cu"));
        Source { file, text, ..Source::default() }
    });
    let ptx = read("ptx");
    let module = ptx::parse(&ptx).expect("it is supported");
    let usual = source.is_none() && !name.starts_with("numba");
    let args = usual.then(|| "A,B,C,M,N,K".to_owned());
    let wanted = LaunchSpec { grid, block, args, source, ..LaunchSpec::default() };
    let size = size.parse().expect("a size");
    let problem = wanted.problem(&module, ptx, size).expect("it can be launched");
    app_of(vec![problem], 0, Dim3::at(0, 0), screen)
}

/// A small product on a screen of that size, with its block's run recorded to the end.
fn app(kernel: &str, size: u32, width: u16, height: u16) -> App {
    let problems: Vec<_> = KERNELS.iter().map(|kernel| problem(kernel, size)).collect();
    let kernel = problems.iter().position(|known| known.name() == kernel).expect("a kernel");
    app_of(problems, kernel, Dim3::at(1, 1), (width, height))
}

fn problem(kernel: &'static Kernel, size: u32) -> Problem {
    kernel.problem_for(Size::square(size))
}

/// A kernel that races, in a warp schedule in which the race has an effect.
fn spoiled(kernel: &str, begin: StartAt, screen: (u16, u16)) -> App {
    let kernel = BROKEN.iter().find(|known| known.name == kernel).expect("a kernel");
    let order = Order::ToBarrier;
    let problems = vec![problem(kernel, 64)];
    start(StartOptions { order, begin, ..options(problems, 0, Dim3::at(1, 1)) }, screen)
}

fn app_of(problems: Vec<Problem>, kernel: usize, block: Dim3, screen: (u16, u16)) -> App {
    start(options(problems, kernel, block), screen)
}

fn options(problems: Vec<Problem>, kernel: usize, block: Dim3) -> StartOptions {
    let run = FirstRun { problems, kernel, block, order: Order::RoundRobin };
    let options = StartOptions::new(run, &Config::default(), Look::default(), Lessons::default());
    let pack = matviz::timing::pack::packs().first().map(std::borrow::Cow::Borrowed);
    StartOptions { view: ScreenView::Workbench, told: false, pack, ..options }
}

fn start(options: StartOptions, screen: (u16, u16)) -> App {
    let (mut app, tasks) = App::new(options, screen).expect("the kernel runs");
    settle(&mut app, tasks);
    app
}

/// Presses keys, spelt as the help spells them.
fn press(app: &mut App, keys: &str) {
    for key in keys.split_whitespace() {
        let key: Key = key.parse().expect("a key");
        if let Some(action) = input::key(app, key) {
            let tasks = update::update(app, action);
            settle(app, tasks);
        }
    }
}

fn click(app: &mut App, column: u16, row: u16) {
    let mouse = Mouse { act: MouseAct::Click, column, row };
    let mut tasks = Vec::new();
    happen(app, &mut tasks, &Happening::Mouse(mouse));
    settle(app, tasks);
}

/// (steps done, steps of the run), from the status bar.
fn step(app: &App) -> (String, String) {
    let shown = shown(app);
    let (_, rest) = shown.split_once("step ").expect("a status bar");
    let (at, rest) = rest.split_once(" of ").expect("step n of m");
    let len = rest.split_whitespace().next().expect("step n of m");
    let [at, len] = [at, len].map(|number| number.trim().replace(',', ""));
    (at, len)
}

fn shown(app: &App) -> String {
    let size = app.size();
    export::text(&frame(app, size.width, size.height))
}

#[test]
fn the_tiled_kernel_waits_at_its_first_barrier_at_three_sizes() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut app = app("tiled", 64, width, height);
        press(&mut app, "w Left");
        insta::assert_snapshot!(format!("tiled_{width}x{height}"), shown(&app));
    }
}

/// The parts of A and B that the warpgroups' wgmma read, in the matrices and in shared memory.
#[test]
fn warpgroups_start_products_that_read_shared_memory() {
    for (width, height) in [(80, 24), (120, 36)] {
        let mut app = app("half_wgmma", 256, width, height);
        press(&mut app, "w Right Right");
        insta::assert_snapshot!(format!("half_wgmma_{width}x{height}"), shown(&app));
    }
}

#[test]
fn the_naive_kernel_loads_from_global_memory() {
    let mut app = app("naive", 64, 120, 36);
    press(&mut app, "a");
    insta::assert_snapshot!("naive_120x36", shown(&app));
}

#[test]
fn a_kernel_of_ones_own_is_shown_without_a_fact_that_is_not_known() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let (block, grid) = (Dim3::new(128, 1, 1), Some(Dim3::new(1, 2, 1)));
        let mut app = foreign("sgemm_warptiled", "128x64x16", block, grid, (width, height));
        press(&mut app, "n n Right Right Right");
        insta::assert_snapshot!(format!("foreign_{width}x{height}"), shown(&app));
    }
    let (block, grid) = (Dim3::new(16, 16, 1), Some(Dim3::new(3, 3, 1)));
    let mut app = foreign("numba_shared", "48", block, grid, (80, 24));
    press(&mut app, "n n n Right Right Right");
    insta::assert_snapshot!("foreign_ptx_80x24", shown(&app));
    press(&mut app, "c");
    insta::assert_snapshot!("foreign_launch_80x24", shown(&app));
}

/// A kernel in which ptxas vectorises four loads into one, at the second of these.
fn joined(screen: (u16, u16)) -> App {
    let mut app = foreign("numba_tiled", "64", Dim3::flat(16, 16), None, screen);
    press(&mut app, "n Right Right Right Right Right");
    app
}

#[test]
fn loads_that_become_one_are_shown_where_they_are_and_in_the_sums() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        insta::assert_snapshot!(
            format!("joined_{width}x{height}"),
            shown(&joined((width, height)))
        );
    }
    let mut app = joined((120, 36));
    press(&mut app, "6");
    assert!(shown(&app).contains("Nothing here: it comes with that, PTX line 181."));
    // The first of the four executes for all of them.
    press(&mut app, "Left Left");
    insta::assert_snapshot!("joined_banks_120x36", shown(&app));
    press(&mut app, "4");
    insta::assert_snapshot!("joined_ptx_120x36", shown(&app));
    press(&mut app, "9");
    insta::assert_snapshot!("joined_launch_120x36", shown(&app));
}

#[test]
fn where_it_is_not_known_what_is_executed_the_screen_says_why() {
    let mut app = foreign("double_buffer", "64", Dim3::flat(16, 16), None, (120, 36));
    let asks = |app: &App| shown(app).contains("SASS? ");
    let steps = (0..200).find(|_| {
        press(&mut app, "Right");
        asks(&app)
    });
    assert!(steps.is_some(), "no load is doubted");
    let text = shown(&app);
    let said = text.lines().find_map(|line| line.split_once("SASS? ")).map(|(_, why)| why);
    assert!(said.is_some_and(|why| why.contains("the loop may be unrolled")), "{text}");
}

/// For whole runs of several blocks: no sentence uses facts that are known only for the catalogue.
#[test]
fn no_sentence_of_a_kernel_of_ones_own_speaks_of_tiles() {
    for (name, size, block) in [
        ("double_buffer", "40x36x33", Dim3::new(16, 16, 1)),
        ("naive_1d", "16x20x9", Dim3::new(256, 1, 1)),
        ("predicated", "20x20x5", Dim3::new(16, 16, 1)),
        ("local_array", "16x12x11", Dim3::new(16, 8, 1)),
    ] {
        let mut app = foreign(name, size, block, None, (200, 60));
        let mut last = String::new();
        while step(&app).0 != last {
            last = step(&app).0;
            let (shown, sentence) = (shown(&app), app.sentence());
            for known in ["k-tile", "tile is", "tiles", "acc +=", "from A", "Compare"] {
                assert!(!shown.contains(known), "{name}: {known}: {shown}");
            }
            assert!(sentence.chars().count() <= report::sentence::WIDTH, "{sentence}");
            assert!(!sentence.ends_with("..."), "{name}: {sentence}");
            press(&mut app, "Right Right Right Right Right Right Right");
        }
    }
}

#[test]
fn both_kernels_stand_at_the_same_place_of_the_work() {
    let mut app = app("tiled", 64, 100, 30);
    press(&mut app, "n n n n c");
    insta::assert_snapshot!("compare_100x30", shown(&app));
}

#[test]
fn the_zoomed_times_have_the_hardwares_counters_beside_the_simulated_ones() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut app = app("tiled", 64, width, height);
        assert!(!shown(&app).contains("difference"), "it is not asked for");
        press(&mut app, "8");
        let text = shown(&app);
        let line = |what: &str| text.lines().find(|line| line.contains(what)).unwrap_or(&text);
        assert!(line("tiled 16 at ").contains("recorded on NVIDIA"), "{text}");
        assert!(line("global load sectors").contains("equal"), "{text}");
        assert!(line("shared wavefronts").contains("equal"), "{text}");
        assert!(line("DRAM bytes").contains("not simulated"), "{text}");
    }
}

#[test]
fn the_help_shows_every_command_and_scrolls() {
    let mut app = app("tiled", 64, 80, 24);
    press(&mut app, "?");
    let mut seen = shown(&app);
    insta::assert_snapshot!("help_80x24", seen);
    // The words and the headings take lines of their own.
    for _ in 0..COMMANDS.len() + 40 {
        press(&mut app, "j");
        seen += &shown(&app);
    }
    for command in COMMANDS.iter() {
        assert!(seen.contains(command.help), "{} is not shown", command.name);
    }
    press(&mut app, "?");
    assert!(!shown(&app).contains("Play and step"));
}

#[test]
fn the_palette_finds_a_command_and_runs_it() {
    let mut app = app("tiled", 64, 80, 24);
    press(&mut app, ": t i m e l");
    insta::assert_snapshot!("palette_80x24", shown(&app));
    press(&mut app, "Esc : c o m p a r Enter");
    assert!(shown(&app).contains("9  Compare"), "{}", shown(&app));
}

#[test]
fn another_block_is_picked_by_typing_its_place() {
    let mut app = app("tiled", 64, 80, 24);
    press(&mut app, "B 3 , 2");
    insta::assert_snapshot!("blocks_80x24", shown(&app));
    press(&mut app, "Enter");
    assert!(shown(&app).contains("block (3,2)"));
}

#[test]
fn the_smallest_screen_says_the_sentence() {
    let app = app("tiled", 64, 25, 5);
    insta::assert_snapshot!(shown(&app), @"
    Block (1,1): 256 threads,
    8 warps, one element of
    C[16-31][16-31] each.
    ");
}

#[test]
fn stepping_back_leads_to_the_very_same_screen() {
    for unit in ["", "u", "u u", "u u u"] {
        let mut app = app("tiled", 64, 120, 36);
        press(&mut app, unit);
        press(&mut app, "n Right");
        let before = shown(&app);
        press(&mut app, "Right Right Left Left");
        assert_eq!(shown(&app), before);
    }
}

#[test]
fn playing_goes_on_to_the_end_and_stops_there() {
    let mut app = app("tiled", 64, 80, 24);
    press(&mut app, "u u u u ] ] ] ] ] ] Space");
    assert!(app.is_playing());
    // The run, and what sums it up.
    for _ in 0..200 {
        let tasks = app.tick(Duration::from_millis(100));
        settle(&mut app, tasks.into_iter().flatten().collect());
    }
    assert!(!app.is_playing());
    assert!(app.tick(Duration::from_secs(9)).is_none(), "a paused screen does not change");
    let (at, len) = step(&app);
    assert_eq!(at, len);
}

#[test]
fn a_chosen_warp_stays_in_view_until_escape() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "n");
    assert!(shown(&app).contains("►w7"));
    press(&mut app, "k k n n");
    assert!(shown(&app).contains("►w5"));
    press(&mut app, "Esc");
    assert!(shown(&app).contains("►w7"));
}

#[test]
fn a_click_selects_a_warp_and_seeks_on_the_scrubber() {
    let mut app = app("tiled", 64, 80, 24);
    click(&mut app, 30, 15);
    assert!(shown(&app).contains("►w2"), "{}", shown(&app));
    click(&mut app, 79, 22);
    let (at, len) = step(&app);
    assert_eq!(at, len);
    click(&mut app, 2, 5);
    assert!(shown(&app).contains("╔ 1  Matrices"), "{}", shown(&app));
}

#[test]
fn a_value_of_c_is_followed_to_the_loads_that_fed_it() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut app = app("tiled", 64, width, height);
        press(&mut app, "n n n Right f 2 1 , 2 3");
        insta::assert_snapshot!(format!("follow_{width}x{height}"), shown(&app));
    }
}

#[test]
fn the_value_of_an_element_of_a_is_followed_to_what_it_went_into() {
    let mut app = app("naive", 64, 80, 24);
    press(&mut app, "f 2 1 , 2 3 Tab Down");
    insta::assert_snapshot!("follow_naive_80x24", shown(&app));
}

/// The element that was followed before is at another place.
#[test]
fn what_an_element_of_a_went_into_is_in_sight() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "n n n f Tab 5 , 3 3 Enter Enter");
    let text = shown(&app);
    assert!(text.contains("block (0,0): into C[5][0-15]"), "{text}");
    assert!(text.contains("cols 0-15 of 64") && text.contains("rows 0-15 of 64"), "{text}");
}

/// At the end of a run that races, the screen says how much of C is wrong.
#[test]
fn the_end_of_a_race_says_how_much_of_c_is_wrong() {
    let mut app = spoiled("tiled_no_compute_barrier", StartAt::Start, (80, 24));
    press(&mut app, "G");
    let wrong = "C is WRONG: 224 of 256 elements, first C[";
    assert!(app.sentence().starts_with(wrong), "each to its barrier: {}", app.sentence());
    press(&mut app, "o o o o G");
    assert!(!app.sentence().contains("WRONG"), "round robin spoils nothing: {}", app.sentence());
}

#[test]
fn enter_goes_the_way_of_a_value_step_by_step() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "f j j");
    let mut seen = Vec::new();
    for _ in 0..5 {
        press(&mut app, "Enter");
        let (at, _) = step(&app);
        seen.push((at.parse::<u32>().expect("a step"), app.sentence().to_owned()));
    }
    let verbs = ["loads A[", "stores sA[", "loads sA[", "acc += A["];
    for ((_, sentence), verb) in seen.iter().zip(verbs) {
        assert!(sentence.contains(verb), "{sentence}");
    }
    assert!(seen[..4].is_sorted_by(|one, other| one.0 < other.0), "{seen:?}");
    assert_eq!(seen[4], seen[0], "and from the start again");
}

#[test]
fn another_blocks_value_is_told_and_enter_goes_there() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "f 0 , 6 3");
    assert!(shown(&app).contains("another block's: Enter goes there"), "{}", shown(&app));
    press(&mut app, "Enter");
    assert!(shown(&app).contains("block (3,0)"), "{}", shown(&app));
    assert!(!shown(&app).contains("another block's"));
    assert_ne!(step(&app).0, "0");
}

#[test]
fn arrows_and_tab_walk_through_the_matrices_while_other_keys_do_what_they_always_do() {
    let mut app = app("tiled", 64, 120, 36);
    let title = |app: &App| {
        let shown = shown(app);
        let (_, rest) = shown.split_once("╔ f  ").expect("the value has the focus");
        rest.split_once(':').expect("a title").0.to_owned()
    };
    press(&mut app, "f Down Right Right");
    assert_eq!(title(&app), "C[17][18]");
    press(&mut app, "Tab Left Left Right");
    assert_eq!(title(&app), "A[17][1]");
    press(&mut app, "Tab");
    assert_eq!(title(&app), "B[1][18]");
    press(&mut app, "Tab");
    assert_eq!(title(&app), "C[17][18]");
    press(&mut app, "n n");
    assert!(step(&app).0.parse::<u32>().expect("a step") > 400, "n is still the next phase");
    press(&mut app, "v");
    assert_eq!(title(&app), "C[17][18]");
    assert!(shown(&app).contains("naive 16x16"), "v is still the other kernel");
    press(&mut app, "Esc");
    assert!(!shown(&app).contains("where it came from"));
    assert!(!app.is_over());
}

#[test]
fn playing_leads_the_list_along() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "n n n f");
    assert!(shown(&app).contains("now at k = 15"), "{}", shown(&app));
    press(&mut app, "Space");
    for _ in 0..30 {
        let tasks = app.tick(Duration::from_millis(100));
        settle(&mut app, tasks.into_iter().flatten().collect());
    }
    assert!(shown(&app).contains("now at k = "), "{}", shown(&app));
    assert!(!shown(&app).contains("now at k = 15"));
    press(&mut app, "G");
    assert!(shown(&app).contains("all done"));
}

#[test]
fn a_click_on_a_matrix_follows_the_element_there() {
    let mut app = app("tiled", 64, 120, 36);
    // The second tile in the first row of tiles of C; then an element of A next to it.
    click(&mut app, 25, 13);
    assert!(shown(&app).contains("╔ f  C[0]["), "{}", shown(&app));
    click(&mut app, 5, 15);
    assert!(shown(&app).contains("╔ f  A["), "{}", shown(&app));
}

#[test]
fn a_race_is_announced_and_both_sides_of_it_are_named_where_it_happens() {
    let mut app = spoiled("tiled_no_load_barrier", StartAt::Start, (120, 36));
    assert!(shown(&app).contains("2 findings: ! lists them, d goes to the next"));
    press(&mut app, "d d d");
    insta::assert_snapshot!("race_120x36", shown(&app));
    press(&mut app, "d");
    let after = app.sentence().to_owned();
    assert!(after.contains("w1 stores sB[2][0]") && after.contains("too late, w0"), "{after}");
    press(&mut app, "D");
    assert!(app.sentence().starts_with("WRONG VALUE: w0 loads sB[2][0] = "), "{}", app.sentence());
}

#[test]
fn the_list_of_findings_says_what_to_do_and_leads_there() {
    let mut app = spoiled("tiled_no_compute_barrier", StartAt::Start, (80, 24));
    press(&mut app, "! j");
    insta::assert_snapshot!("findings_80x24", shown(&app));
    press(&mut app, "Enter");
    let told = ["RACE: ", "WRONG VALUE: ", "Well by luck: ", "Luck: "];
    assert!(told.iter().any(|told| app.sentence().starts_with(told)), "{}", app.sentence());
}

#[test]
fn a_sound_kernel_has_no_findings() {
    let mut app = app("tiled", 64, 80, 24);
    assert!(!shown(&app).contains("finding"));
    press(&mut app, "d");
    assert!(shown(&app).contains("nothing wrong was found"));
    press(&mut app, "!");
    assert!(shown(&app).contains("Nothing was found."));
}

#[test]
fn a_spoiled_run_can_begin_where_it_goes_wrong() {
    let app = spoiled("tiled_no_load_barrier", StartAt::Finding, (120, 36));
    assert!(app.sentence().starts_with("WRONG VALUE: w"), "{}", app.sentence());
    assert_ne!(step(&app).0, "0");
}

#[test]
fn a_value_that_a_race_spoiled_says_so() {
    let mut app = spoiled("tiled_no_load_barrier", StartAt::Start, (120, 36));
    press(&mut app, "f");
    assert!(shown(&app).contains("C[16][16] is not its sum"), "{}", shown(&app));
}

#[test]
fn quitting_goes_back_one_level_first() {
    let mut app = app("tiled", 64, 80, 24);
    press(&mut app, "? q 1 q");
    assert!(!app.is_over());
    press(&mut app, "Esc Esc");
    assert!(!app.is_over());
    press(&mut app, "q");
    assert!(app.is_over());
}

#[test]
fn every_size_and_overlay_can_be_drawn() {
    const SIDES: [u16; 13] = [1, 2, 3, 5, 6, 10, 20, 40, 79, 80, 120, 200, 400];
    let mut app = app("tiled", 64, 80, 24);
    for keys in [
        "n", "!", "Esc 1", "2", "3", "4", "5", "6", "7", "8", "9 9", "f", "Tab", "z", "q q ?",
        "Esc L", "Esc :", "Esc B",
    ] {
        press(&mut app, keys);
        for (width, height) in SIDES.iter().flat_map(|w| SIDES.map(|h| (*w, h))) {
            let tasks = app.resize(width, height);
            settle(&mut app, tasks);
            frame(&app, width, height);
            // A frame may be drawn before the new size is known.
            frame(&app, height, width);
        }
    }
}

#[test]
fn ascii_glyphs_are_ascii() {
    let mut app = app("tiled", 64, 200, 60);
    assert_eq!(app.look().glyphs, Glyphs::Basic);
    press(&mut app, "y n Right");
    for keys in ["", "f j", "Tab", "q c", "c ?", "Esc :", "Esc B", "Esc 8"] {
        press(&mut app, keys);
        assert!(shown(&app).is_ascii(), "{}", shown(&app));
    }
}

#[test]
fn a_picture_has_the_size_that_documents_can_bear() {
    for (width, height, most) in [(80, 24, 40_000), (120, 36, 70_000), (200, 60, 130_000)] {
        let mut app = app("tiled", 64, width, height);
        press(&mut app, "n Right");
        let svg = export::svg(&frame(&app, width, height), matviz::tui::ground(app.look()));
        assert!((5_000..most).contains(&svg.len()), "{width}x{height}: {} bytes", svg.len());
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    }
}
