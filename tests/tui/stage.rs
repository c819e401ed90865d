//! The stage as one meets it: its first frame, the way to the workbench and back, and the directed run.

use crate::pace::{Shown, play, script};
use crate::{frame, options, press, settle, shown, start, step};
use matviz::kernel::{BROKEN, KERNELS, Problem};
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::sim::Order;
use matviz::tui::action::Action;
use matviz::tui::layout::ScreenView;
use matviz::tui::remembered::ToRemember;
use matviz::tui::task::Task;
use matviz::tui::theme::{Look, Role};
use matviz::tui::{App, StartOptions, update};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Color;

/// A kernel's block in the middle, on the stage.
pub(crate) fn staged(kernel: &str, size: u32, screen: (u16, u16)) -> App {
    let problems: Vec<_> =
        KERNELS.iter().map(|kernel| kernel.problem_for(Size::square(size))).collect();
    let index = KERNELS.iter().position(|known| known.name == kernel).expect("a kernel");
    start(of_stage(problems, index, Order::ByPhase), screen)
}

/// The same for somebody who has seen a run on the stage before.
pub(crate) fn told_before(kernel: &str, size: u32, screen: (u16, u16)) -> App {
    let kernel = KERNELS.iter().find(|known| known.name == kernel).expect("a kernel");
    let options = of_stage(vec![kernel.problem_for(Size::square(size))], 0, Order::ByPhase);
    start(StartOptions { told: true, ..options }, screen)
}

fn of_stage(problems: Vec<Problem>, index: usize, order: Order) -> StartOptions {
    let grid = problems[index].launch.grid;
    let options = options(problems, index, Dim3::at(grid.x / 2, grid.y / 2));
    StartOptions { order, view: ScreenView::Stage, ..options }
}

fn drawn(app: &App) -> Buffer {
    let size = app.size();
    frame(app, size.width, size.height)
}

fn text(buf: &Buffer) -> String {
    let rows = buf.content.chunks(usize::from(buf.area.width));
    let rows = rows.map(|row| row.iter().map(Cell::symbol).collect::<String>());
    rows.map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// How much colour a cell shows: of its ground and, where a glyph covers some of it, of that.
fn chroma(buf: &Buffer, area: Rect) -> u32 {
    let of = |colour: Color| match colour {
        Color::Rgb(r, g, b) => u32::from(r.max(g).max(b) - r.min(g).min(b)),
        _ => 0,
    };
    let cell = |at: (u16, u16)| {
        let cell = &buf[at];
        let inked = if cell.symbol().trim().is_empty() { 0 } else { of(cell.fg) / 2 };
        of(cell.bg) + inked
    };
    area.positions().map(|at| cell((at.x, at.y))).sum()
}

/// The column and the row at which a text begins.
fn find(app: &App, text: &str) -> (u16, u16) {
    let rows = shown(app);
    let found = rows.lines().enumerate().find_map(|(y, row)| {
        let byte = row.find(text)?;
        Some((row[..byte].chars().count() as u16, y as u16))
    });
    assert!(found.is_some(), "{text}: {rows}");
    found.unwrap_or_default()
}

#[test]
fn the_first_frame_is_quickly_read_and_its_colour_is_where_something_will_happen() {
    let app = staged("tiled", 1024, (120, 36));
    let text = shown(&app);
    let is_number = |word: &&str| word.chars().any(|letter| letter.is_ascii_digit());
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
    assert!(words.clone().count() <= 60, "{}: {text}", words.count());
    let numbers = text.split_whitespace().filter(is_number).count();
    assert!(numbers <= 25, "{numbers}: {text}");
    let ((x, y), (to, _)) = (find(&app, "A[512"), find(&app, "sA[16][16]"));
    let (_, door) = find(&app, "barrier");
    let buf = drawn(&app);
    let (first, all) = (chroma(&buf, Rect::new(x, y, to - x, door - y)), chroma(&buf, buf.area));
    assert!(2 * first >= all, "{first} of {all}");
}

#[test]
fn a_key_leads_to_all_panels_and_back_at_the_same_step_and_the_choice_is_remembered() {
    let mut app = staged("tiled", 64, (120, 36));
    press(&mut app, "n Right Right");
    let (before, at) = (shown(&app), app.at());
    let tasks = update::update(&mut app, Action::SwitchView);
    let chosen = tasks.iter().find_map(|task| match task {
        Task::Remember(ToRemember::View(kernel, view)) => Some((kernel.as_str(), *view)),
        _ => None,
    });
    assert_eq!(chosen, Some(("tiled", ScreenView::Workbench)));
    settle(&mut app, tasks);
    assert_eq!(step(&app).0, at.to_string());
    assert!(shown(&app).contains("2 Shared memory"), "{}", shown(&app));
    press(&mut app, "0");
    assert_eq!((shown(&app), app.at()), (before, at));
}

#[test]
fn a_panel_joins_by_its_number_and_leaves() {
    let mut app = staged("tiled", 64, (120, 36));
    let before = shown(&app);
    press(&mut app, "7");
    assert!(shown(&app).contains("7  Timeline"), "{}", shown(&app));
    press(&mut app, "Esc");
    assert_eq!(shown(&app), before);
}

#[test]
fn the_smallest_stage_says_the_sentence() {
    let mut app = staged("tiled", 64, (40, 12));
    press(&mut app, "Right");
    let text = shown(&app).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Warp 0 loads 32 words of A."), "{text}");
}

#[test]
fn the_directed_run_of_tiled_takes_forty_seconds_and_reads_as_a_story() {
    let (all, seconds) = play(&mut staged("tiled", 1024, (120, 36)));
    insta::assert_snapshot!("stage_script_tiled", script(&all, seconds));
    assert!((40.0..=45.0).contains(&seconds), "{seconds} s: {all:#?}");
}

#[test]
fn naive_is_told_in_twenty_seconds() {
    let (all, seconds): (Vec<Shown>, f64) = play(&mut staged("naive", 1024, (120, 36)));
    insta::assert_snapshot!("stage_script_naive", script(&all, seconds));
    assert!((18.0..=23.0).contains(&seconds), "{seconds} s: {all:#?}");
}

/// Whatever a kernel of the catalogue does, it can be watched, unless its blocks come in clusters: those
/// have no stage yet.
#[test]
fn every_kernel_is_told_on_the_stage() {
    for kernel in KERNELS.iter().filter(|kernel| kernel.name != "half_tma") {
        let mut app = staged(kernel.name, 256, (120, 36));
        assert!(!shown(&app).contains("no stage"), "{}", kernel.name);
        let (all, seconds) = play(&mut app);
        assert!((12.0..90.0).contains(&seconds), "{}: {seconds} s: {all:#?}", kernel.name);
    }
}

/// Whoever expects the stage reads why all panels are there, in the last row until a key is pressed.
#[test]
fn a_kernel_without_a_stage_says_why_beside_its_panels() {
    let text = shown(&staged("half_tma", 256, (80, 24)));
    let why = "This program has no stage: it uses shared memory of other blocks.";
    assert!(text.lines().last().is_some_and(|row| row.contains(why)), "{text}");
}

/// The grounds of the cells of the picture, without the rows of the title, the scrubber and the keys.
fn grounds(buf: &Buffer) -> Vec<Color> {
    let area = Rect { y: 1, height: buf.area.height - 3, ..buf.area };
    area.positions().map(|at| buf[(at.x, at.y)].bg).collect()
}

/// Plays the run; calls `seen` with the second, the state and the frame of every picture.
pub(crate) fn watch(app: &mut App, mut seen: impl FnMut(f64, &App, &Buffer)) {
    let tasks = update::update(app, Action::PlayPause);
    settle(app, tasks);
    let mut now = 0.0;
    while let Some(next) = app.next_frame() {
        let buf = drawn(app);
        seen(now, app, &buf);
        now += next.as_secs_f64();
        if let Some(tasks) = app.tick(next) {
            settle(app, tasks);
        }
    }
}

/// Whoever has never met a word of the field reads at that moment, or has read, what it means.
#[test]
fn every_word_of_the_directed_run_is_explained_when_it_is_first_said() {
    const WORDS: [&str; 9] =
        ["warp", "lane", "sector", "pass", "bank", "shared memory", "tile", "barrier", "word more"];
    let mut explained = String::new();
    watch(&mut staged("tiled", 1024, (120, 36)), |now, app, buf| {
        let sentence = app.sentence();
        // The rows above the picture: a sentence, a line of the source, what stands beside them.
        let rows = text(buf).lines().skip(1).take(5).collect::<Vec<_>>().join("\n");
        explained += &rows.lines().filter(|line| line.contains(": ")).collect::<String>();
        let said = sentence.to_lowercase();
        for word in WORDS.into_iter().filter(|word| said.contains(word)) {
            let known = match word {
                "bank" | "pass" => explained.contains("bank, pass: "),
                "word more" => explained.contains("padding: "),
                _ => explained.contains(&format!("{word}: ")),
            };
            assert!(known, "{word} at {now:.1} s: {sentence}\n{rows}");
        }
    });
    // What would go wrong without either barrier, and how far away global memory is.
    for told in ["words not stored yet", "what a slow warp still", "cycles away, global"] {
        assert!(explained.contains(told), "{told}: {explained}");
    }
}

/// No sentence speaks of what the picture does not show yet.
#[test]
fn a_sentence_stands_when_the_picture_is_there() {
    watch(&mut staged("tiled", 1024, (120, 36)), |now, app, buf| {
        let sentence = app.sentence();
        let text = text(buf);
        let shows = match sentence {
            "Then column 1 and row 1." => text.contains("k 1"),
            _ if sentence.starts_with("All 8 are here") => !text.contains("7 of 8 are here"),
            _ if sentence.starts_with("One pass") => text.contains("32 banks"),
            _ if sentence.starts_with("By columns") => {
                text.contains("8-way bank conflict: 8 passes instead of 1")
            }
            _ if sentence.starts_with("With a word more") => text.contains("2 passes instead"),
            _ => true,
        };
        assert!(shows, "{sentence} at {now:.1} s: {text}");
    });
}

/// That another room becomes large is seen as a movement of the door.
#[test]
fn the_door_is_seen_to_move_from_one_room_to_the_other() {
    let mut rows: Vec<(f64, usize)> = Vec::new();
    watch(&mut staged("tiled", 64, (120, 36)), |now, app, buf| {
        let sentence = app.sentence();
        let text = text(buf);
        // Nothing is written on it while it moves.
        let is_line = |line: &str| line.contains("━━━━") || line.contains("────");
        let row = text.lines().skip(6).position(is_line);
        let moves = rows.last().map(|(_, before)| *before) != row;
        if let Some(row) = row.filter(|_| moves && sentence.starts_with("All 8 are here")) {
            rows.push((now, row));
        }
    });
    let seconds = rows.last().zip(rows.first()).map_or(0.0, |(last, first)| last.0 - first.0);
    assert!(rows.len() > 8 && seconds > 0.7, "{seconds} s: {rows:?}");
}

/// C is green when it is stored, and not before.
#[test]
fn c_is_full_in_no_frame_before_its_store() {
    let full = Look::default().pixel(Role::C);
    let mut stored = false;
    watch(&mut staged("tiled", 64, (120, 36)), |now, app, buf| {
        let sentence = app.sentence();
        stored |= sentence.starts_with("C is complete");
        let green = grounds(buf).iter().filter(|ground| **ground == full).count();
        assert!(stored || green == 0, "{green} cells at {now:.1} s: {sentence}");
    });
    assert!(stored, "it is stored");
}

/// Nor is it where it is wrong.
#[test]
fn wrong_elements_of_c_are_not_shown_as_right() {
    let kernel = BROKEN.iter().find(|known| known.name == "tiled_no_compute_barrier");
    let problem = kernel.expect("a kernel").problem_for(Size::square(64));
    let mut app = start(of_stage(vec![problem], 0, Order::ToBarrier), (120, 36));
    press(&mut app, "G");
    let look = Look::default();
    let buf = drawn(&app);
    let count = |role| grounds(&buf).iter().filter(|ground| **ground == look.pixel(role)).count();
    let (right, wrong) = (count(Role::C), count(Role::Bad));
    assert!(wrong > 4 * right, "224 of 256 elements are wrong: {wrong} and {right} cells");
}

/// Each multiply-add is seen in the left tile, in the top tile and in C.
#[test]
fn each_multiply_add_changes_the_column_the_row_and_c() {
    let mut app = staged("tiled", 64, (120, 36));
    press(&mut app, "n");
    let products = |app: &App| shown(app).contains(" 0 of 64 products");
    while products(&app) {
        press(&mut app, "Right");
    }
    let (left, top) = (find(&app, "sA[16][16]").0, find(&app, "sB[16][16]").0);
    let (_, above) = find(&app, "sB[16][16]");
    let (_, below) = find(&app, "sA[16][16]");
    for k in 0..7 {
        let before = drawn(&app);
        let count = format!("product {} of 64 ", k + 1);
        while shown(&app).contains(&count) {
            press(&mut app, "Right");
        }
        let after = drawn(&app);
        let changed = |area: Rect| {
            area.positions().filter(|at| before[(at.x, at.y)] != after[(at.x, at.y)]).count()
        };
        let middle = above + (below - above) / 2;
        let of_left = changed(Rect::new(left, middle, 32, below - middle));
        let of_top = changed(Rect::new(top, above + 1, 32, (below - above) / 2 - 2));
        let of_c = changed(Rect::new(top, middle + 2, 32, below - middle - 2));
        assert!(of_left > 0 && of_top > 0 && of_c > 0, "k {k}: {of_left}, {of_top}, {of_c}");
    }
}

/// Nothing goes by on a screen that is still empty, however long it takes until there is a stage.
#[test]
fn the_run_waits_until_there_is_a_stage_to_play_on() {
    let problem = KERNELS.iter().find(|known| known.name == "tiled").expect("a kernel");
    let options = of_stage(vec![problem.problem_for(Size::square(64))], 0, Order::ByPhase);
    let options = StartOptions { playing: true, ..options };
    let (mut app, tasks) = App::new(options, (120, 36)).expect("the kernel runs");
    let (plans, others) = tasks.into_iter().partition(|task| matches!(task, Task::Plan(_)));
    settle(&mut app, others);
    assert_eq!(app.next_frame(), None);
    settle(&mut app, plans);
    assert!(app.next_frame().is_some());
}
