//! The module under node draws at every place what the terminal draws, and no key ends it.

use crate::{answers, folder, page, stderr};
use matviz::export;
use matviz::lesson::document::Lesson;
use matviz::lesson::read;
use matviz::lesson::setting_runs::SettingCache;
use matviz::tui::app::App;
use matviz::tui::headless::{self, still};
use matviz::tui::hosted_loop::HostedLoop;
use matviz::tui::keymap::Key;
use matviz::tui::lesson::Lessons;
use matviz::tui::lesson_check;
use matviz::tui::link::ScreenLink;
use matviz::tui::theme::{Depth, Glyphs, Look, Theme};
use matviz::tui::{frame, ground};
use serde_json::{Value, json};
use std::env;
use std::sync::Arc;

pub(crate) const DARK: Look =
    Look { theme: Theme::Dark, depth: Depth::True, glyphs: Glyphs::Basic };

/// The most bytes of memory: what phones give a page is not much more.
const MEMORY: u64 = 128 << 20;

/// A link, the size of the screen, and the keys that are pressed there.
type LinkedPlace<'p> = (&'p str, (u16, u16), &'p [&'p str]);

/// Links to places, with the size of the screen there and the keys that are pressed.
const PLACES: [LinkedPlace<'_>; 42] = [
    ("kernel=tiled&step=0", (120, 36), &[]),
    ("kernel=tiled&step=240", (120, 36), &[]),
    ("kernel=tiled&step=240", (80, 24), &[]),
    ("kernel=tiled&step=240", (200, 60), &[]),
    ("kernel=tiled&step=240", (44, 40), &[]),
    ("kernel=tiled&step=240", (40, 12), &[]),
    ("kernel=tiled&step=240&theme=light", (120, 36), &[]),
    ("kernel=tiled&step=240&theme=stage", (120, 36), &[]),
    ("kernel=tiled&step=500&view=workbench", (120, 36), &[]),
    ("kernel=tiled&step=500&view=workbench", (80, 24), &[]),
    ("kernel=tiled&step=500&view=workbench", (200, 60), &[]),
    ("kernel=tiled&tile=8&size=64&step=100", (120, 36), &[]),
    ("kernel=tiled&tile=32&size=256&block=1,2&step=900", (120, 36), &[]),
    ("kernel=tiled&tile=12&size=48&step=60", (120, 36), &[]),
    ("kernel=naive&step=30", (120, 36), &[]),
    ("kernel=naive&step=30&view=workbench", (120, 36), &[]),
    ("kernel=naive_rows&size=64&tile=8&step=40", (120, 36), &[]),
    ("kernel=tiled_transposed&step=100", (120, 36), &[]),
    ("kernel=tiled_padded&step=100&tile=32", (120, 36), &[]),
    ("kernel=blocked_1d&size=128&step=300", (120, 36), &[]),
    ("kernel=blocked_2d&size=128&step=300", (120, 36), &[]),
    ("kernel=vectorised&size=128&step=300", (120, 36), &[]),
    ("kernel=warp_tiled&size=128&step=300", (120, 36), &[]),
    ("kernel=double_buffered&size=128&step=300", (120, 36), &[]),
    ("kernel=sgemm&size=128&step=300", (120, 36), &[]),
    ("kernel=half_plain&size=128&step=300", (120, 36), &[]),
    ("kernel=half_tensor&size=128&step=300", (120, 36), &[]),
    ("kernel=half_wgmma&size=256&step=300", (120, 36), &[]),
    ("kernel=tiled&step=240", (120, 36), &["Right", "Right", "n", "j"]),
    ("kernel=tiled&step=240", (120, 36), &["?"]),
    ("kernel=tiled&step=240", (120, 36), &["m"]),
    ("kernel=tiled&step=240", (120, 36), &["c"]),
    ("kernel=tiled&step=240", (120, 36), &["x"]),
    ("kernel=tiled&size=64&step=240", (120, 36), &["#"]),
    ("kernel=tiled&step=240&view=workbench", (120, 36), &["f"]),
    ("kernel=tiled&size=64&step=0", (120, 36), &["G"]),
    ("kernel=tiled&size=64&step=240&panel=banks", (120, 36), &[]),
    ("kernel=tiled&size=64&step=240&panel=stage&embed=1", (80, 24), &[]),
    ("lesson=0&page=1", (120, 36), &[]),
    ("lesson=3&page=2", (120, 36), &[]),
    ("lesson=8&page=4", (120, 36), &[]),
    ("lesson=12&page=1", (80, 24), &[]),
];

fn ask((link, (columns, rows), keys): LinkedPlace<'_>) -> Value {
    json!({ "link": format!("{link}&play=0"), "size": [columns, rows], "keys": keys })
}

fn options(link: &str) -> Result<matviz::tui::StartOptions, matviz::tui::link::LinkError> {
    let lessons = Lessons { cache: SettingCache::timed_by(None), ..Lessons::default() };
    link.parse::<ScreenLink>()?.options(&page(), DARK, lessons)
}

/// The screen at a place as the program draws it here, by the loop that a page has.
fn native((link, size, keys): LinkedPlace<'_>) -> String {
    let options = options(&format!("{link}&play=0")).expect("a place");
    let mut screen = HostedLoop::new(options, size).expect("it runs");
    settle(&mut screen);
    for key in keys {
        screen.key(key.parse().expect("a key"));
        settle(&mut screen);
    }
    screen.changes();
    export::svg(screen.drawn(), ground(screen.app().look()))
}

fn settle(screen: &mut HostedLoop) {
    while let Some(work) = screen.begin_work() {
        let rest = work.run();
        screen.end_work(rest);
    }
}

/// The same as a terminal draws it, which goes to the step once all is known; a page of a lesson has its
/// own.
fn in_a_terminal((link, size, keys): LinkedPlace<'_>) -> String {
    if link.starts_with("lesson=") {
        let (mut app, tasks) = App::new(options(link).expect("a place"), size).expect("it runs");
        headless::settle(&mut app, tasks);
        return export::svg(&frame(&app, size.0, size.1), ground(app.look()));
    }
    let step = link.parse::<ScreenLink>().expect("a link").step.unwrap_or(0);
    let keys: Vec<Key> = keys.iter().map(|key| key.parse().expect("a key")).collect();
    let (app, _) = still(options(link).expect("a place"), size, step, &keys).expect("it runs");
    export::svg(&frame(&app, size.0, size.1), ground(app.look()))
}

/// Compares the module with the program at these places.
fn compare(places: &[LinkedPlace<'_>]) {
    let lines: Vec<_> = places.iter().copied().map(ask).collect();
    let Some(answers) = answers(&lines) else { return };
    let mut other = Vec::new();
    for (place, answer) in places.iter().zip(&answers) {
        if answer["svg"].as_str() != Some(&native(*place)) {
            let shown = answer["text"].as_str().or(answer["why"].as_str()).unwrap_or("-");
            other.push(format!("{place:?}:\n{shown}"));
        }
        let memory = answer["memory"].as_u64().unwrap_or_default();
        assert!((1..MEMORY).contains(&memory), "{place:?} takes {memory} bytes");
    }
    assert!(other.is_empty(), "{} of {}:\n{}", other.len(), places.len(), other.join("\n"));
}

#[test]
fn every_place_looks_in_the_page_as_in_the_program() {
    compare(&PLACES);
}

#[test]
fn every_place_looks_in_the_page_as_in_a_terminal() {
    // A word is explained once: in the terminal it was at the start, before the numbers were asked for.
    let places = PLACES.iter().filter(|(.., keys)| *keys != ["#"]);
    let differs = |place: &&LinkedPlace<'_>| native(**place) != in_a_terminal(**place);
    let other: Vec<_> = places.filter(differs).collect();
    assert!(other.is_empty(), "{} of {}: {other:?}", other.len(), PLACES.len());
}

#[test]
fn every_page_of_the_lessons_looks_there_as_in_the_program() {
    let (course, _) = read::shipped();
    let pages = course.lessons.iter().flat_map(|lesson| {
        (1..=lesson.pages.len()).map(move |page| format!("lesson={}&page={page}", lesson.number))
    });
    let pages: Vec<_> = pages.collect();
    assert!(pages.len() > 50, "the course is read");
    let places: Vec<_> = pages.iter().map(|page| (&**page, (120, 36), &[][..])).collect();
    compare(&places);
}

/// One who takes each lesson, all right, does so in the page as well.
#[test]
fn every_lesson_is_taken_to_its_end() {
    if folder().is_none() {
        return;
    }
    let course = Arc::new(read::shipped().0);
    let keys = |lesson: &Lesson| -> Vec<_> {
        let cache = SettingCache::timed_by(None);
        let keys = lesson_check::keys(&course, lesson, cache).expect("it opens");
        keys.into_iter().map(|key| key.to_string()).collect()
    };
    let line = |lesson: &Lesson| {
        let link = format!("lesson={}&page=1", lesson.number);
        // Without motion, which a key would end first.
        json!({ "link": link, "size": [80, 24], "keys": keys(lesson), "wishes": 2 })
    };
    let lines: Vec<_> = course.lessons.iter().map(line).collect();
    let Some(answers) = answers(&lines) else { return };
    for (lesson, answer) in course.lessons.iter().zip(&answers) {
        let shown = answer["text"].as_str().expect("a screen");
        assert!(shown.contains("What you predicted"), "lesson {}:\n{shown}", lesson.number);
    }
}

#[test]
fn a_link_to_what_is_shown_leads_back_to_it() {
    let places = [&PLACES[..5], &PLACES[10..13], &PLACES[36..40]].concat();
    let lines: Vec<_> = places.iter().copied().map(ask).collect();
    let Some(there) = answers(&lines) else { return };
    let themed = |(link, ..): &LinkedPlace<'_>| link.contains("theme=");
    let back = there.iter().zip(&places).filter(|(_, place)| !themed(place));
    let back: Vec<_> = back
        .map(|(answer, (_, size, _))| ask((answer["link"].as_str().expect("a link"), *size, &[])))
        .collect();
    let back = answers(&back).expect("it was asked before");
    assert_eq!(back.len(), there.len());
    for (there, back) in there.iter().zip(&back) {
        assert_eq!(there["svg"], back["svg"], "{}", there["link"]);
    }
}

/// Keys in any order: 1,000, or as many as `MATVIZ_RANDOM_KEYS` says.
#[test]
fn no_key_ends_the_page() {
    /// Keys in any order: those that a page passes on.
    const KEYS: &str = "Space Left Right Up Down Enter Esc Tab Backspace Home End PageUp PageDown \
                        0 1 2 3 4 5 6 7 8 9 ? ! . , : # + - a b c d e f g h i j k l m n o p q r s t u v w x \
                        y z A B C D E F G H I J K L M N O P Q R S T U V W X Y Z [ ] = < >";
    let keys: Vec<&str> = KEYS.split_whitespace().collect();
    let most = env::var("MATVIZ_RANDOM_KEYS").map_or(1000, |keys| keys.parse().expect("a number"));
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        keys[(state % keys.len() as u64) as usize]
    };
    let links = [
        "kernel=tiled&size=64",
        "kernel=naive&size=64",
        "kernel=tiled&size=64&view=workbench",
        "kernel=half_tensor&size=128",
        "kernel=blocked_2d&size=64",
        "lesson=0&page=1",
        "lesson=6&page=1",
        "lesson=8&page=1",
        "kernel=double_buffered&size=64&view=workbench",
        "kernel=tiled_no_load_barrier&size=64",
    ];
    let line = |link: &&str| {
        let keys: Vec<_> = (0..most / links.len()).map(|_| next()).collect();
        json!({ "link": link, "size": [120, 36], "keys": keys, "pass": 40.0, "most": 12_000 })
    };
    let lines: Vec<_> = links.iter().map(line).collect();
    // Each half on a core of its own.
    let (first, last) = lines.split_at(lines.len() / 2);
    let all = std::thread::scope(|scope| {
        let first = scope.spawn(|| answers(first));
        let last = answers(last)?;
        Some([first.join().expect("no panic")?, last].concat())
    });
    let Some(all) = all else { return };
    for (link, answer) in links.iter().zip(&all) {
        assert!(answer["svg"].as_str().is_some_and(|svg| svg.len() > 1000), "{link}: {answer}");
        let memory = answer["memory"].as_u64().unwrap_or_default() >> 20;
        let slowest = answer["slowest"].as_f64().unwrap_or_default();
        stderr::say(&format!(
            "{link}: {} keys, {memory} MB, the longest piece of work {slowest:.0} ms",
            answer["keys"]
        ));
        assert!(memory <= MEMORY >> 20, "{link} takes {memory} MB");
    }
}

#[test]
fn a_pasted_kernel_is_compiled_and_its_race_is_shown() {
    let source = include_str!("../../kernels/broken/tiled_no_load_barrier.cu");
    let edit = format!("// launch: <<<,16x16>>> --size 64\n#define TILE 16\n{source}");
    let line = json!({ "link": "", "size": [160, 45], "edit": edit });
    let Some(answers) = answers(&[line]) else { return };
    let text = answers[0]["text"].as_str().expect("a screen");
    for told in ["pasted.cu", "race", "orders"] {
        assert!(text.contains(told), "{told}:\n{text}");
    }
}

#[test]
fn a_strangers_link_is_refused_with_what_is_wrong() {
    for (link, told) in [
        ("kernel=tild", "the link's kernel `tild` is not in the catalogue; did you mean `tiled`?"),
        ("panel=bank", "the link's panel `bank` is not on the screen; did you mean `banks`?"),
        (
            "panel=all",
            "the link's panel `all` is not on the screen: give stage, matrices, shared, warps, source, \
             lines, banks, timeline, measured",
        ),
        ("tile=99", "the link's kernel tiled has no tile 99x99x99; it has 1 to 32"),
        (
            "size=100000",
            "the link's size 100000 is too large: a matrix may have at most 2^31 - 1 elements (46340 squared)",
        ),
        (
            "size=10000",
            "the link's size 10000 is too large for a link: at most 16777216 elements a matrix",
        ),
        ("block=99,99", "the link's block 99,99 is outside the grid of 64,64 blocks"),
        ("step=many", "the link's step=many is not a number"),
        (
            "src=abc",
            "the link holds the text of a kernel: open it in a browser, save the kernel as a file there, \
             and name the file",
        ),
        (
            "x=1",
            "`x=1` is not part of a link: give kernel=, tile=, size=, block=, step=, view=, panel=, \
             theme=, lesson=, page= or play=, with & between them",
        ),
    ] {
        let refused = options(link).map(drop).expect_err("it is wrong");
        assert_eq!(refused.to_string(), told);
    }
}
