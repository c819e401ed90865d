//! What a lesson keeps back until it has asked, what it says to a wrong answer, and what its keys do.

use super::learn::{SCREENS, footer, page, rest};
use super::{options, press, problem, shown, start};
use matviz::kernel::KERNELS;
use matviz::launch::Dim3;
use matviz::sim::Order;
use matviz::tui::layout::Panel;
use matviz::tui::lesson::{Lessons, Opening};
use matviz::tui::{App, StartOptions};

#[test]
fn what_to_do_is_not_advised_before_the_lesson_asks_for_it() {
    for screen in SCREENS {
        let mut app = page((8, 2), screen);
        press(&mut app, "Esc !");
        let text = shown(&app);
        assert!(text.contains("race: ") && !text.contains("Put a __syncthreads()"), "{text}");
    }
    // No later page asks what is to be done.
    let mut app = page((8, 6), (120, 36));
    press(&mut app, "Esc !");
    let text = shown(&app);
    assert!(!text.contains("race: ") || text.contains("Put a __syncthreads()"), "{text}");
}

#[test]
fn a_changed_kernel_looks_like_the_sound_one_until_it_is_judged() {
    let frame = |seed: u64| {
        let problems: Vec<_> = KERNELS.iter().map(|kernel| problem(kernel, 64)).collect();
        let open = Some(Opening::Page(8, 6));
        let lessons = Lessons { open, seed: Some(seed), ..Lessons::default() };
        let options = options(problems, 0, Dim3::at(1, 1));
        let app = start(StartOptions { lessons, order: Order::ByPhase, ..options }, (120, 36));
        let text = shown(&app);
        let gone = !text.contains("44   __syncthreads();");
        let head = text.lines().next().unwrap_or_default();
        let head = head.replace(|c: char| c.is_ascii_digit(), "");
        let title = text.lines().find_map(|row| row.split_once("4  ")?.1.split_once('═'));
        let title = title.map(|(title, _)| title.to_owned());
        (gone, (head, title))
    };
    let frames: Vec<_> = (0..8).map(frame).collect();
    assert!(frames.iter().any(|(gone, _)| *gone) && frames.iter().any(|(gone, _)| !gone));
    let mut looks: Vec<_> = frames.into_iter().map(|(_, look)| look).collect();
    looks.dedup();
    assert_eq!(looks.len(), 1, "{looks:#?}");
}

#[test]
fn the_warps_that_are_to_be_counted_are_not_named() {
    for screen in SCREENS {
        let mut app = page((6, 3), screen);
        // Where there is room, a row stays free above the sentence.
        let says = |text: &str, word| text.lines().skip(1).take(2).any(|row| row.contains(word));
        for keys in ["L L", "Tab", "Tab"] {
            press(&mut app, keys);
            let text = shown(&app);
            assert!(says(&text, "hidden"), "{text}");
            assert!(!text.contains("warps of 32") && !text.contains("w4"), "{text}");
        }
        press(&mut app, "Esc");
        rest(&mut app);
        let text = shown(&app);
        let is_told = says(&text, "Warp") || says(&text, "The same for B.");
        assert!(is_told && !says(&text, "hidden"), "{text}");
    }
}

#[test]
fn the_card_of_the_tiles_hides_times_that_are_asked_later() {
    let mut app = page((5, 2), (120, 36));
    press(&mut app, "Esc");
    rest(&mut app);
    press(&mut app, "T");
    let text = shown(&app);
    assert!(text.contains("any key closes this") || text.contains("sectors requested"), "{text}");
    assert!(!text.contains(" ms") && !text.contains("as fast"), "{text}");
}

#[test]
fn a_wrong_number_is_told_what_it_counts_or_on_which_side_it_is() {
    let said = |keys: &str| {
        let mut app = page((6, 1), (120, 36));
        press(&mut app, keys);
        shown(&app).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(said("5 5 5 Enter").contains("555 is too high."), "{}", said("5 5 5 Enter"));
    assert!(said("3 Enter").contains("3 is too low."), "{}", said("3 Enter"));
    let bytes = said("1 2 8 Enter");
    assert!(bytes.contains("128 is the number of bytes here."), "{bytes}");
    assert!(bytes.contains("how many sectors"), "{bytes}");
}

#[test]
fn the_results_say_what_was_chosen_in_words() {
    let mut app = page((6, 7), (120, 36));
    let wrong = |app: &App| {
        let text = shown(app);
        let row = text.lines().find(|row| row.contains("the right C")).expect("an option");
        row.split("the right C").next().and_then(|row| row.trim().chars().last()).expect("a key")
    };
    let key = wrong(&app).to_string();
    press(&mut app, &key);
    press(&mut app, "Enter");
    rest(&mut app);
    press(&mut app, "Enter");
    let text = shown(&app);
    assert!(text.contains("the right C") && !text.contains("you said 1"), "{text}");
    assert!(!footer(&app).contains("undo"), "nothing is shown to be undone: {}", footer(&app));
}

#[test]
fn the_key_that_takes_a_page_again_says_what_is_otherwise() {
    let again = |at| {
        let mut app = page(at, (200, 60));
        press(&mut app, "Esc");
        rest(&mut app);
        shown(&app).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(again((6, 1)).contains("again, with other numbers"));
    assert!(again((7, 3)).contains("again, with another run"));
    for at in [(7, 4), (8, 2), (8, 5), (6, 6)] {
        assert!(!again(at).contains("other numbers"), "{at:?}: {}", again(at));
    }
}

#[test]
fn a_small_letter_asks_for_a_hint_where_it_could_only_be_refused() {
    let mut app = page((6, 1), (120, 36));
    press(&mut app, "h");
    assert!(shown(&app).contains("── Hint"), "{}", shown(&app));
    // Where the run may be looked at, it steps back as ever.
    let mut app = page((8, 5), (120, 36));
    press(&mut app, "d h");
    assert!(!shown(&app).contains("── Hint"), "{}", shown(&app));
}

#[test]
fn the_options_stay_while_the_change_is_undone() {
    for screen in SCREENS {
        let mut app = page((8, 2), screen);
        press(&mut app, "1 Enter");
        rest(&mut app);
        press(&mut app, "C");
        let text = shown(&app);
        assert!(text.contains("the right C") && text.contains("make the change again"), "{text}");
        assert!(app.areas().panel(Panel::Source).is_some(), "the page's panel: {text}");
    }
}

#[test]
fn the_footer_says_when_a_key_scrolls_the_listing() {
    let app = page((8, 6), (120, 36));
    assert!(footer(&app).contains(" j  scroll"), "{}", footer(&app));
    let app = page((6, 1), (120, 36));
    assert!(footer(&app).contains(" j  warp"), "{}", footer(&app));
}

#[test]
fn a_step_that_only_computes_is_told_in_the_words_of_the_source() {
    for at in [(3, 3), (6, 1), (6, 7)] {
        for screen in SCREENS {
            let text = shown(&page(at, screen));
            let row = text.lines().find(|row| row.contains("computes in line"));
            assert!(row.is_some_and(|row| !row.contains('%')), "{at:?}: {text}");
        }
    }
}

#[test]
fn a_block_at_the_edge_is_not_said_to_have_an_element_for_each_thread() {
    let mut app = page((6, 5), (120, 36));
    let text = shown(&app);
    let row = text.lines().find(|row| row.contains("threads compute")).unwrap_or_default();
    assert!(row.contains("elements of C.") && !row.contains("each"), "{text}");
    press(&mut app, "Esc");
    rest(&mut app);
    press(&mut app, "g 0");
    let text = shown(&app);
    let row = text.lines().nth(1).unwrap_or_default();
    assert!(row.contains(" in all.") && !row.contains("each"), "{text}");
}

#[test]
fn a_sum_over_k_of_an_answer_is_hidden_until_it_is_given() {
    for screen in SCREENS {
        for at in [(3, 2), (6, 6), (7, 3)] {
            let mut app = page(at, screen);
            press(&mut app, "9");
            if app.areas().panel(Panel::Compare).is_none() {
                press(&mut app, "c");
            }
            let text = shown(&app);
            // A panel joins the stage once its question is answered.
            let joins = app.areas().panel(Panel::Compare).is_some();
            assert_eq!(text.contains("hidden until you answer"), joins, "{at:?}: {text}");
            assert!(!text.contains("less is better"), "{at:?}: {text}");
        }
    }
}

#[test]
fn only_lanes_that_there_are_are_lit() {
    // 144 threads in 5 warps: the last one has 16 lanes.
    let problems: Vec<_> = KERNELS.iter().map(|kernel| problem(kernel, 64)).collect();
    let open = Some(Opening::Page(7, 1));
    let seeds = (0..6).map(|seed| Lessons { open, seed: Some(seed), ..Lessons::default() });
    let apps = seeds.map(|lessons| {
        let options = options(problems.clone(), 0, Dim3::at(1, 1));
        start(StartOptions { lessons, order: Order::ByPhase, ..options }, (120, 36))
    });
    let mut app =
        apps.into_iter().find(|app| shown(app).contains("12 x 12")).expect("a tile of 12");
    press(&mut app, "Esc");
    rest(&mut app);
    press(&mut app, "0");
    let text = shown(&app);
    let marks = |warp: &str| {
        let row = text.lines().find_map(|row| row.split_once(warp)).unwrap_or_default();
        row.1.matches('▀').count()
    };
    assert_eq!((marks(" w3 "), marks(" w4 ")), (32, 16), "{text}");
}
