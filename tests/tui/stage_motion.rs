//! How the stage moves: what stops it, what turns and flies, and what goes faster the second time.

use crate::pace::play;
use crate::stage::{staged, told_before, watch};
use crate::{app, frame, press, settle, shown};
use matviz::study::stage::PlaceId;
use matviz::tui::keymap::Key;
use matviz::tui::theme::{Look, Role};
use matviz::tui::{App, input, stage, update};
use ratatui::layout::{Position, Rect};
use ratatui::style::Color;

/// Plays until the sentence begins so.
fn play_to(app: &mut App, sentence: &str) {
    if !app.is_playing() {
        press(app, "Space");
    }
    while !app.sentence().starts_with(sentence) {
        tick(app);
    }
}

fn tick(app: &mut App) {
    let next = app.next_frame().expect("it plays");
    if let Some(tasks) = app.tick(next) {
        settle(app, tasks);
    }
}

/// "Any key stops the script where it is", but those of its pace.
#[test]
fn any_key_stops_the_directed_run_but_those_of_its_pace_and_its_look() {
    for (key, plays) in [("]", true), ("[", true), ("f", false), ("?", false), ("7", false)] {
        let mut app = staged("tiled", 64, (120, 36));
        play_to(&mut app, "It fetches 4 sectors");
        let at = app.at();
        press(&mut app, key);
        assert_eq!((app.is_playing(), app.at()), (plays, at), "{key}");
    }
    let mut app = staged("tiled", 64, (120, 36));
    play_to(&mut app, "It fetches 4 sectors");
    let unbound: Key = "ö".parse().expect("a key");
    let action = input::key(&app, unbound).expect("it stops the run");
    let tasks = update::update(&mut app, action);
    settle(&mut app, tasks);
    assert!(!app.is_playing());
}

#[test]
fn the_keys_of_a_step_turn_from_row_to_row_of_the_story_while_it_plays() {
    let mut app = staged("tiled", 64, (120, 36));
    press(&mut app, "Space");
    let mut rows = vec![app.sentence().to_owned()];
    for _ in 0..10 {
        press(&mut app, "Right");
        rows.push(app.sentence().to_owned());
    }
    let begins = [
        "256 threads",
        "Warp 0 loads 32 words of A",
        "Lane 18 loads row 1",
        "It fetches 4 sectors",
        "Now into shared memory",
        "One pass",
        "By columns",
        "With a word more",
        "The same for B",
        "The same for B",
        "Warp 0 waits",
    ];
    for (row, begin) in rows.iter().zip(begins) {
        assert!(row.starts_with(begin), "{begin}: {rows:#?}");
    }
    assert!(app.is_playing());
    press(&mut app, "Left");
    assert!(app.sentence().starts_with("The same for B"), "{}", app.sentence());
    assert!(app.is_playing());
}

/// Whoever knows the words is not told them again, and what is left to be read goes by faster.
#[test]
fn the_second_time_no_word_is_explained_and_the_introduction_takes_less_time() {
    let (_, first) = play(&mut staged("tiled", 64, (120, 36)));
    let (_, second) = play(&mut told_before("tiled", 64, (120, 36)));
    assert!((4.0..=12.0).contains(&(first - second)), "{first} s, then {second} s");
    let mut explained = String::new();
    watch(&mut told_before("tiled", 64, (120, 36)), |_, app, _| explained += &shown(app));
    assert!(!explained.contains("warp: 32 threads"), "no word");
    assert!(explained.contains("without it: "), "but what follows");
}

#[test]
fn what_is_stored_turned_turns_while_the_door_opens() {
    let mut app = staged("tiled_transposed", 64, (120, 36));
    play_to(&mut app, "All 8 are here");
    let mut covered = Vec::new();
    while app.sentence().starts_with("All 8 are here") {
        if let Some((_, plan)) = stage(&app).filter(|(_, plan)| plan.turning.is_some()) {
            let place = plan.place(PlaceId::Left).expect("it is there").area;
            let (area, buf) = (app.areas().stage, frame(&app, 120, 36));
            let rows = place.rows();
            let part = Rect {
                x: area.x + place.x,
                y: area.y + rows.start,
                width: place.width,
                height: rows.len() as u16,
            };
            let is_painted = |at: &Position| buf[*at].bg != Color::Reset;
            covered.push(part.positions().filter(is_painted).count());
        }
        tick(&mut app);
    }
    let most = covered.iter().max().copied().expect("frames");
    let whole = covered.iter().position(|count| *count == most).expect("it is among them");
    let least = covered[whole..].iter().min().copied().expect("frames");
    assert!(covered.len() >= 5, "{covered:?}");
    assert!(3 * least < most, "its room is large, then it folds to its diagonal: {covered:?}");
    assert_eq!(covered.last(), Some(&most), "and unfolds: {covered:?}");
}

#[test]
fn c_flies_from_the_stage_to_its_place_at_the_end() {
    let green = Look::default().pixel(Role::C);
    let mut lefts = Vec::new();
    watch(&mut staged("tiled", 64, (120, 36)), |_, app, buf| {
        if app.shows_finale() {
            let columns = buf.area.positions().filter(|at| buf[*at].bg == green).map(|at| at.x);
            lefts.extend(columns.min());
        }
    });
    let (first, last) = (lefts[0], lefts[lefts.len() - 1]);
    assert!(first > last + 20, "{lefts:?}");
    assert!(lefts.is_sorted_by(|one, next| one >= next), "{lefts:?}");
    assert!(lefts.iter().filter(|left| **left < first && **left > last).count() > 5, "{lefts:?}");
}

/// Bricks join for a costly access, and give their room back when the block goes on.
#[test]
fn bricks_that_join_by_themselves_leave_at_the_next_door() {
    let mut app = staged("tiled_transposed", 64, (120, 36));
    let bricks = |app: &App| shown(app).contains("32 banks");
    while !bricks(&app) {
        press(&mut app, "Right");
    }
    press(&mut app, "n");
    assert!(!bricks(&app), "{}", shown(&app));
    press(&mut app, "6");
    assert!(bricks(&app));
    press(&mut app, "n Right Right");
    assert!(bricks(&app), "who asked for them keeps them");
}

#[test]
fn a_race_of_another_size_says_so() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "G");
    let text = shown(&app);
    assert!(text.contains("Not 64 x 64 but 4096 x 4096"), "{text}");
}

/// Whoever stops the run wants to read the sentence that stands there, beside its picture.
#[test]
fn a_run_that_is_stopped_keeps_its_sentence_and_its_picture() {
    let mut app = staged("tiled", 1024, (120, 36));
    play_to(&mut app, "By columns");
    press(&mut app, "Space");
    let text = shown(&app);
    assert!(text.contains("By columns 8 lanes") && text.contains("8-way bank conflict"), "{text}");
    assert!(app.next_frame().is_none(), "nothing moves");
    press(&mut app, "Left");
    assert!(app.sentence().starts_with("One pass"), "{}", app.sentence());
    press(&mut app, "Right Right Right");
    assert!(app.sentence().starts_with("The same for B"), "{}", app.sentence());

    let mut app = staged("tiled", 1024, (120, 36));
    play_to(&mut app, "All 8 are here");
    press(&mut app, "Space");
    let text = shown(&app);
    assert!(text.contains("All 8 are here") && text.contains("8 of 8 are here"), "{text}");
    press(&mut app, "Space");
    tick(&mut app);
    assert!(app.sentence().starts_with("All 8 are here"), "it goes on there: {}", app.sentence());
}

/// Padding is seen as what it does: bricks rise from their towers, and come down flat on the same floor.
#[test]
fn bricks_come_down_flat_where_the_next_kernel_pads_its_rows() {
    let mut app = staged("tiled_transposed", 64, (120, 36));
    while !shown(&app).contains("8-way bank conflict") {
        press(&mut app, "Right");
    }
    let (said, floor) = (app.sentence().to_owned(), row_of(&app, "bank "));
    press(&mut app, "V");
    assert!(shown(&app).contains("tiled_padded"), "{}", shown(&app));
    assert_eq!(app.sentence(), said, "the same store");
    let mut frames = 0;
    while app.next_frame().is_some() {
        assert_eq!(row_of(&app, "bank "), floor, "the floor stays");
        tick(&mut app);
        frames += 1;
    }
    let text = shown(&app);
    assert!(frames > 20, "{frames}");
    assert!(text.contains("pass 2") && !text.contains("pass 3"), "{text}");
    assert!(text.contains("without the word more in each row of sA: 8 passes"), "{text}");
    press(&mut app, "Right");
    assert!(app.next_frame().is_none());
}

fn row_of(app: &App, text: &str) -> Option<usize> {
    shown(app).lines().position(|line| line.trim_start_matches(['│', ' ']).starts_with(text))
}
