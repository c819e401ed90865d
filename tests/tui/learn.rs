//! What a learner sees and does in the lessons of the course: gaps, dials, changes, and nothing of an
//! answer before it is given.

use super::{options, press, problem, shown, start};
use matviz::kernel::KERNELS;
use matviz::launch::Dim3;
use matviz::sim::Order;
use matviz::tui::headless::settle;
use matviz::tui::lesson::{Lessons, Opening};
use matviz::tui::{App, StartOptions};
use std::time::Duration;

pub(super) const SCREENS: [(u16, u16); 3] = [(200, 60), (120, 36), (80, 24)];

pub(super) fn page((lesson, page): (u32, usize), screen: (u16, u16)) -> App {
    let problems: Vec<_> = KERNELS.iter().map(|kernel| problem(kernel, 64)).collect();
    let open = Some(Opening::Page(lesson, page));
    let lessons = Lessons { open, seed: Some(3), ..Lessons::default() };
    let options = options(problems, 0, Dim3::at(1, 1));
    start(StartOptions { lessons, order: Order::ByPhase, ..options }, screen)
}

/// Lets it play until it rests.
pub(super) fn rest(app: &mut App) {
    for _ in 0..200 {
        let tasks = app.tick(Duration::from_millis(200));
        settle(app, tasks.into_iter().flatten().collect());
    }
}

fn resize(app: &mut App, (width, height): (u16, u16)) {
    let tasks = app.resize(width, height);
    settle(app, tasks);
}

pub(super) fn footer(app: &App) -> String {
    shown(app).trim_end().lines().last().expect("a footer").to_owned()
}

#[test]
fn dials_turn_and_say_what_they_do_until_the_one_is_found() {
    let mut app = page((16, 6), (120, 36));
    assert!(shown(&app).contains("Enter  turn the dials"), "{}", shown(&app));
    press(&mut app, "Enter");
    for screen in SCREENS {
        resize(&mut app, screen);
        let text = shown(&app);
        assert!(text.contains("beyond the edge") && text.contains("◄ zeros ►"), "{text}");
        assert!(text.contains("3,584") && text.contains("29 of 100 wrong"), "{text}");
        assert!(text.contains("RACE: ") && text.contains("You have tried 1 of 384"), "{text}");
        assert!(footer(&app).starts_with("  Left  turn   Up  choose"), "{}", footer(&app));
        assert!(!text.contains("going to"), "the run has no place here: {text}");
    }
    press(&mut app, "y");
    let text = shown(&app);
    assert!(text.contains("Not this one") && text.contains("What it does"), "{text}");
    assert!(text.contains("sectors of load A"), "what the page asks for: {text}");
    // The tile as it lies, and the barrier after the sum.
    press(&mut app, "Down Left Down Down Down Left");
    let text = shown(&app);
    assert!(text.contains("◄ as it lies ►") && text.contains("You have tried 3 of 384"), "{text}");
    assert!(text.contains("C is right, and the checks find nothing."), "{text}");
    press(&mut app, "y");
    let text = shown(&app);
    assert!(text.contains("This is the one of 384") && !text.contains("What it does"), "{text}");
    press(&mut app, "Enter");
    assert!(shown(&app).contains("16.7  And how fast?"), "{}", shown(&app));
    press(&mut app, "Esc Enter");
    assert!(shown(&app).contains("What you predicted"), "{}", shown(&app));
    let keys = footer(&app);
    assert!(keys.starts_with("  Enter  to the list") && !keys.contains("edit it"), "{keys}");
}

#[test]
fn the_settings_that_were_tried_stand_with_what_is_asked() {
    let mut app = page((3, 6), (120, 36));
    press(&mut app, "Enter y");
    let text = shown(&app);
    assert!(text.contains("Not this one.") && !text.contains("C is right, and"), "{text}");
    press(&mut app, "Right");
    let text = shown(&app);
    assert!(!text.contains("Not this one."), "it was said of another setting: {text}");
    let rows = text.lines().skip_while(|line| !line.contains("sectors of load A"));
    let rows: Vec<_> =
        rows.skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    for row in [["8", "yes", "4", "1"], ["16", "yes", "2", "2"]] {
        let is_there = rows.iter().any(|words| words.windows(4).any(|four| four == row));
        assert!(is_there, "{row:?} {text}");
    }
}

#[test]
fn a_setting_is_watched_taken_back_and_left() {
    let mut app = page((16, 6), (80, 24));
    press(&mut app, "Enter Right Enter");
    assert!(app.is_playing(), "it is watched");
    assert!(shown(&app).contains("turn the dials"), "{}", shown(&app));
    press(&mut app, "Space Enter");
    assert!(shown(&app).contains("◄ rows ►"), "it stands where it stood: {}", shown(&app));
    press(&mut app, "g");
    assert!(shown(&app).contains("◄ columns ►"), "{}", shown(&app));
    press(&mut app, "S");
    assert!(shown(&app).contains("4  Kernel source"), "{}", shown(&app));
    press(&mut app, "z Enter Esc");
    assert!(shown(&app).contains("turn the dials"), "{}", shown(&app));
    press(&mut app, "Enter n");
    assert!(shown(&app).contains("Enter  go on"), "{}", shown(&app));
    press(&mut app, "Enter");
    assert!(shown(&app).contains("16.7  And how fast?"), "{}", shown(&app));
}

#[test]
fn a_gap_is_moved_between_the_lines_and_the_right_ones_are_marked() {
    let mut app = page((8, 5), (120, 36));
    let gap = |app: &App| {
        let text = shown(app);
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        let at = lines.iter().position(|line| line.contains("► +") || line.contains("►+"));
        at.map(|at| (lines[at - 1].clone(), lines[at].clone(), lines[at + 1].clone()))
    };
    let (above, ..) = gap(&app).unwrap_or_else(|| panic!("{}", shown(&app)));
    assert!(above.contains("34 "), "it begins where the work begins: {above}");
    press(&mut app, "Up");
    for screen in SCREENS {
        resize(&mut app, screen);
        let (above, put, below) = gap(&app).unwrap_or_else(|| panic!("{}", shown(&app)));
        assert!(put.contains("__syncthreads();"), "{put}");
        assert!(above.contains("33 ") && below.contains("34 "), "{above}\n{put}\n{below}");
        assert!(footer(&app).contains("Right  arrows: move the mark"), "{}", footer(&app));
    }
    press(&mut app, "Down");
    let (above, ..) = gap(&app).unwrap_or_else(|| panic!("it has moved: {}", shown(&app)));
    assert!(above.contains("34 ") || above.contains('└'), "{above}");
    // A wrong place is answered by what the checks find with the barrier there.
    press(&mut app, "Enter");
    for screen in SCREENS {
        resize(&mut app, screen);
        let text: String = shown(&app).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("After line 34: 1 finding: race"), "{text}");
    }
    press(&mut app, "Esc");
    for screen in SCREENS {
        resize(&mut app, screen);
        let text = shown(&app);
        assert!(text.contains("● +") && text.contains("__syncthreads();"), "{text}");
        assert!(text.contains("after line 30"), "{text}");
        assert!(gap(&app).is_none(), "{text}");
    }
}

#[test]
fn the_symptoms_may_be_looked_at_before_they_are_named() {
    for screen in SCREENS {
        let mut app = page((8, 4), screen);
        press(&mut app, "!");
        let text = shown(&app);
        assert!(text.contains("What is wrong with this block's run"), "{text}");
        assert!(!text.contains("Put a"), "what to do about it is the answer: {text}");
        press(&mut app, "d");
        let text = shown(&app);
        assert!(app.at() > 0 && !text.contains("What is wrong with this"), "{text}");
        let at = app.at();
        press(&mut app, "Left");
        assert!(app.at() < at, "{}", shown(&app));
        press(&mut app, "PageDown PageDown PageDown PageDown PageDown 2");
        assert!(shown(&app).contains("► 2"), "a digit chooses: {}", shown(&app));
        press(&mut app, "o");
        assert!(shown(&app).contains("first answer, or Esc"), "{}", shown(&app));
    }
    // What a page names above its question is not its answer.
    let mut app = page((4, 1), (120, 36));
    press(&mut app, "v");
    assert!(!shown(&app).contains("first answer, or Esc"), "{}", shown(&app));
    press(&mut app, "Esc");
    assert!(shown(&app).lines().next().is_some_and(|line| line.contains("naive_rows")));
}

#[test]
fn a_list_in_a_wrong_order_is_answered_by_the_run() {
    let mut app = page((0, 3), (120, 36));
    press(&mut app, "Enter");
    let text: String = shown(&app).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("In this run,") && text.contains("at step"), "{text}");
}

#[test]
fn times_are_hidden_until_the_lesson_has_asked_for_them() {
    for screen in SCREENS {
        let mut app = page((4, 1), screen);
        press(&mut app, "Esc");
        rest(&mut app);
        press(&mut app, "8");
        let text = shown(&app);
        assert!(text.contains("the lesson asks this later") && !text.contains("0.18"), "{text}");
        press(&mut app, "8 m");
        assert!(shown(&app).contains("hidden until then"), "{}", shown(&app));
    }
    let mut app = page((3, 2), (120, 36));
    press(&mut app, "c");
    assert!(!shown(&app).contains("less is better"), "{}", shown(&app));
}

#[test]
fn the_listing_opens_where_the_work_is_and_stays_there_at_the_first_step() {
    let row = |app: &App, code: &str| shown(app).lines().position(|line| line.contains(code));
    let loops = "for (int tile = 0; tile < tiles; ++tile)";
    for (at, also) in [((8, 2), "int t = "), ((8, 4), "38 "), ((7, 5), "int t = ")] {
        let mut app = page(at, (120, 36));
        let both = |app: &App| row(app, loops).zip(row(app, also));
        assert!(both(&app).is_some(), "{at:?}: {}", shown(&app));
        press(&mut app, "Esc");
        rest(&mut app);
        press(&mut app, "g");
        let before = both(&app);
        assert!(before.is_some(), "{at:?}: {}", shown(&app));
        press(&mut app, "Right");
        assert_eq!(both(&app), before, "{at:?}: {}", shown(&app));
    }
    // What a page has changed is in view as well.
    for (at, change) in [((16, 2), "29 int tiles = gridDim.x;"), ((16, 4), "return;")] {
        let app = page(at, (120, 36));
        assert!(row(&app, loops).is_some() && row(&app, change).is_some(), "{}", shown(&app));
    }
    let rows = page((4, 1), (120, 36));
    for code in ["int row = blockIdx.y * TILE + threadIdx.x;", "for (int k = 0; k < K; ++k)"] {
        assert!(row(&rows, code).is_some(), "{}", shown(&rows));
    }
}

#[test]
fn a_page_that_speaks_of_lines_has_them_in_view() {
    let app = page((8, 6), (120, 36));
    for code in ["for (int tile = 0; tile < tiles; ++tile)", "if (row < M && col < N)"] {
        assert!(shown(&app).contains(code), "the loop, and the lines after it: {}", shown(&app));
    }
}

#[test]
fn what_is_new_on_a_page_is_in_view() {
    let mut app = page((8, 4), (120, 36));
    press(&mut app, "Esc Enter P");
    rest(&mut app);
    assert!(shown(&app).contains("it is  an order in which"), "{}", shown(&app));
    press(&mut app, "Enter");
    rest(&mut app);
    assert!(shown(&app).contains("The change is undone."), "{}", shown(&app));
}

#[test]
fn nothing_shows_the_answer_before_it_is_given() {
    let micro = shown(&page((12, 4), (29, 5)));
    assert!(micro.contains("barrier opens") && !micro.contains("pass"), "{micro}");
    for screen in SCREENS {
        let mut app = page((6, 4), screen);
        let text = shown(&app);
        assert!(!text.contains("of 4 ") && !text.contains("1/4"), "how many tiles: {text}");
        press(&mut app, "4 Enter");
        assert!(shown(&app).contains("tile 1 of 4"), "{}", shown(&app));
        let mut app = page((12, 5), screen);
        assert!(!shown(&app).contains("2 passes"), "{}", shown(&app));
        press(&mut app, "7");
        assert!(!shown(&app).contains("2 passes"), "the timeline: {}", shown(&app));
        press(&mut app, "Backspace 2 Enter");
        rest(&mut app);
        assert!(shown(&app).contains("2 passes"), "{}", shown(&app));
        let app = page((12, 4), screen);
        assert!(!shown(&app).contains("1 pass"), "another warp's: {}", shown(&app));
        let mut app = page((2, 3), screen);
        assert!(
            !shown(&app).contains("13 warps"),
            "the block that is asked about: {}",
            shown(&app)
        );
        press(&mut app, "1 3 Enter Enter");
        assert!(shown(&app).contains("13 warps"), "{}", shown(&app));
        let mut app = page((12, 8), screen);
        assert!(!shown(&app).contains("8944"), "the times: {}", shown(&app));
        press(&mut app, "m");
        assert!(shown(&app).contains("first answer, or Esc"), "{}", shown(&app));
    }
    let text = shown(&page((12, 5), (200, 60)));
    assert!(!text.contains("32 banks"), "it joins when it is answered: {text}");
}

#[test]
fn a_change_is_seen_undone_and_made_again() {
    let mut app = page((8, 4), (120, 36));
    press(&mut app, "S");
    assert!(shown(&app).contains("first answer, or Esc"), "it is the answer: {}", shown(&app));
    press(&mut app, "Esc");
    rest(&mut app);
    assert!(footer(&app).contains(" C  undo"), "{}", footer(&app));
    press(&mut app, "S");
    let text = shown(&app);
    assert!(text.contains("What is different") && text.contains("__syncthreads();"), "{text}");
    let gone = |line: &&str| line.contains("║ - ") && line.contains("44");
    assert!(text.lines().any(|line| gone(&line)), "the number of the line: {text}");
    press(&mut app, "S");
    assert!(!shown(&app).contains("What is different"), "{}", shown(&app));
    let found = |app: &App| shown(app).lines().next().is_some_and(|line| line.contains("finding"));
    assert!(found(&app), "{}", shown(&app));
    press(&mut app, "C");
    assert!(!found(&app), "without the change: {}", shown(&app));
    assert!(shown(&app).contains("make the change again"), "{}", shown(&app));
    press(&mut app, "C");
    assert!(found(&app), "{}", shown(&app));
}

#[test]
fn a_copy_of_the_kernel_is_edited_and_q_comes_back_to_the_lesson() {
    let mut app = page((12, 5), (120, 36));
    press(&mut app, "E");
    assert!(shown(&app).contains("first answer, or Esc"), "{}", shown(&app));
    press(&mut app, "Esc");
    rest(&mut app);
    let before = shown(&app);
    // Nothing is written here: what edits is the terminal's.
    press(&mut app, "E");
    assert!(!shown(&app).contains("One column more"), "{}", shown(&app));
    press(&mut app, "q");
    assert!(!app.is_over());
    assert!(before.contains("12.5  One column more"), "{before}");
    assert!(shown(&app).contains("12.5  One column more"), "{}", shown(&app));
}

#[test]
fn a_page_shows_the_places_that_it_names_and_no_others() {
    for screen in SCREENS {
        let mut app = page((7, 1), screen);
        let text = shown(&app);
        assert!(text.contains("threads") && text.contains(" barrier "), "{screen:?}\n{text}");
        for other in ["global memory", "1 Matrices", "above the barrier", "load A"] {
            assert!(!text.contains(other), "{screen:?}: {other}\n{text}");
        }
        // While a number is asked, 0 is typed.
        press(&mut app, "Esc");
        rest(&mut app);
        let text = shown(&app);
        press(&mut app, "0");
        assert!(!shown(&app).contains("are here"), "all panels\n{}", shown(&app));
        press(&mut app, "0");
        assert_eq!(shown(&app), text, "and back");
    }
}

#[test]
fn what_is_to_be_predicted_joins_the_stage_when_it_is_answered() {
    for screen in SCREENS {
        let mut app = page((12, 1), screen);
        assert!(!shown(&app).contains("32 banks"), "{screen:?}\n{}", shown(&app));
        press(&mut app, "Esc");
        rest(&mut app);
        let text = shown(&app);
        assert!(text.contains("Shared store"), "{screen:?}\n{text}");
        assert!(text.contains("1 pass"), "{screen:?}\n{text}");
    }
}

#[test]
fn the_first_lesson_begins_with_real_numbers() {
    for screen in SCREENS {
        let mut app = page((0, 1), screen);
        let has_row = |app: &App, row: [&str; 4]| {
            let text = shown(app);
            let words = |line: &str| {
                let words: Vec<_> = line.split_whitespace().collect();
                words.windows(4).any(|four| four == row)
            };
            text.lines().any(words)
        };
        assert!(has_row(&app, ["9", "0", "0", "0"]), "{screen:?}\n{}", shown(&app));
        press(&mut app, "Right Right Right Right Right Right Right Right Right Right");
        assert!(shown(&app).contains("products"), "{screen:?}\n{}", shown(&app));
    }
}

#[test]
fn no_text_of_a_lesson_ends_in_a_cut() {
    let lessons = matviz::lesson::read::shipped().0.lessons;
    for lesson in lessons {
        for screen in SCREENS {
            let text = shown(&page((lesson.number, 1), screen));
            let is_cut = |line: &str| {
                line.match_indices("..").any(|(at, _)| {
                    let [before, after] = [&line[..at], &line[at + 2..]];
                    !before.ends_with('.') && !after.starts_with('.')
                })
            };
            let cut = text.lines().find(|line| is_cut(line));
            assert_eq!(cut, None, "lesson {} at {screen:?}", lesson.number);
        }
    }
}

/// In brackets, or lit where a word is as narrow as one of these.
#[test]
fn what_an_answer_counts_is_in_brackets_on_the_stage() {
    for (screen, mark) in [((200, 60), "[]"), ((120, 36), "▀")] {
        let mut app = page((5, 3), screen);
        assert!(!shown(&app).contains(mark), "before the answer\n{}", shown(&app));
        press(&mut app, "Esc");
        rest(&mut app);
        let text = shown(&app);
        assert_eq!(text.matches(mark).count(), 2, "A[5][33] in A and its place in sA\n{text}");
        assert!(text.contains("5.3  With a tile"), "the page stays\n{text}");
    }
}
