//! The page for a browser: its module draws what the terminal draws, at every place of a link, and no key
//! ends it.
//!
//! Needs the folder that `.ci/web` has built, named by `MATVIZ_WEB`, and node; says so without.

#[path = "../shared/need.rs"]
mod need;
#[path = "../shared/stderr.rs"]
mod stderr;

use matviz::export;
use matviz::tui::config::Config;
use matviz::tui::headless::still;
use matviz::tui::keymap::{Key, Keymap};
use matviz::tui::link::ScreenLink;
use matviz::tui::theme::{Depth, Glyphs, Look, Theme};
use matviz::tui::{frame, ground};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

const DARK: Look = Look { theme: Theme::Dark, depth: Depth::True, glyphs: Glyphs::Basic };

/// Links to places, with the size of the screen there and the keys that are pressed.
const PLACES: [(&str, (u16, u16), &[&str]); 40] = [
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
    ("lesson=0&page=1", (120, 36), &[]),
    ("lesson=3&page=2", (120, 36), &[]),
    ("lesson=8&page=4", (120, 36), &[]),
    ("lesson=12&page=1", (80, 24), &[]),
];

/// The settings of a page.
fn page() -> Config {
    Config { keymap: Keymap::of_page(), ..Config::default() }
}

/// Answers of the module to lines, or `None` if it cannot be asked here.
fn answers(lines: &[Value]) -> Option<Vec<Value>> {
    let Some(folder) = std::env::var_os("MATVIZ_WEB").filter(|folder| !folder.is_empty()) else {
        need::not_tested(
            "web",
            "the page, which `.ci/web` builds into the folder that MATVIZ_WEB names",
        );
        return None;
    };
    let mut node = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/web/drive.mjs"))
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node is there where MATVIZ_WEB is set");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    node.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it reads");
    let told = node.wait_with_output().expect("it ends");
    assert!(told.status.success(), "the module has stopped");
    let told = String::from_utf8(told.stdout).expect("UTF-8");
    let answers: Vec<Value> =
        told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), lines.len(), "it answers each line");
    Some(answers)
}

/// The screen at a place as the terminal draws it.
fn native(link: &str, size: (u16, u16), keys: &[&str]) -> String {
    let link: ScreenLink = link.parse().expect("a link");
    let options = link.options(&page(), DARK).expect("a place");
    let keys: Vec<Key> = keys.iter().map(|key| key.parse().expect("a key")).collect();
    let (app, _) = still(options, size, link.step.unwrap_or(0), &keys).expect("it runs");
    export::svg(&frame(&app, size.0, size.1), ground(app.look()))
}

#[test]
fn every_place_looks_in_the_page_as_in_the_terminal() {
    let line = |(link, (columns, rows), keys): &(&str, (u16, u16), &[&str])| json!({ "link": format!("{link}&play=0"), "size": [columns, rows], "keys": keys });
    let lines: Vec<_> = PLACES.iter().map(line).collect();
    let Some(answers) = answers(&lines) else { return };
    let mut other = Vec::new();
    for ((link, size, keys), answer) in PLACES.iter().zip(&answers) {
        if answer["svg"].as_str() != Some(&native(link, *size, keys)) {
            other.push(format!(
                "{link} {size:?} {keys:?}: {}",
                answer["text"].as_str().unwrap_or("-")
            ));
        }
    }
    assert!(other.is_empty(), "{} of {}:\n{}", other.len(), PLACES.len(), other.join("\n"));
}

#[test]
fn a_link_to_what_is_shown_leads_back_to_it() {
    let places = &PLACES[..5];
    let ask = |link: &str, (columns, rows): (u16, u16)| json!({ "link": format!("{link}&play=0"), "size": [columns, rows] });
    let lines: Vec<_> = places.iter().map(|(link, size, _)| ask(link, *size)).collect();
    let Some(there) = answers(&lines) else { return };
    let back: Vec<_> = there
        .iter()
        .zip(places)
        .map(|(answer, (_, size, _))| ask(answer["link"].as_str().expect("a link"), *size))
        .collect();
    let back = answers(&back).expect("it was asked before");
    for (there, back) in there.iter().zip(&back) {
        assert_eq!(there["svg"], back["svg"], "{}", there["link"]);
    }
}

#[test]
fn no_key_ends_the_page() {
    /// Keys in any order: those that a page passes on.
    const KEYS: &str = "Space Left Right Up Down Enter Esc Tab Backspace Home End PageUp PageDown \
                        0 1 2 3 4 5 6 7 8 9 ? ! . , : # + - a b c d e f g h i j k l m n o p r s t u v w x \
                        y z A B C D E F G H I J K L M N O P R S T U V W X Y Z";
    let keys: Vec<&str> = KEYS.split_whitespace().collect();
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
        "kernel=tiled_transposed&size=64",
    ];
    let line = |link: &&str| {
        let keys: Vec<_> = (0..1000).map(|_| next()).collect();
        json!({ "link": link, "size": [120, 36], "keys": keys, "pass": 40.0 })
    };
    let lines: Vec<_> = links.iter().map(line).collect();
    let Some(answers) = answers(&lines) else { return };
    for (link, answer) in links.iter().zip(&answers) {
        assert!(answer["svg"].as_str().is_some_and(|svg| svg.len() > 1000), "{link}: {answer}");
        stderr::say(&format!("{link}: the longest piece of work took {} ms", answer["slowest"]));
    }
}

#[test]
fn a_strangers_link_is_refused_with_what_is_wrong() {
    for (link, told) in [
        ("kernel=nil", "the link's kernel `nil` is not in the catalogue"),
        ("tile=99", "the link's kernel tiled has no tile 99; it has 1 to 32"),
        (
            "size=100000",
            "the link's size 100000 is too large for a link: at most 16777216 elements a matrix",
        ),
        ("block=99,99", "the link's block 99,99 is outside the grid of 64,64 blocks"),
        ("step=many", "the link's step=many is not a number"),
        (
            "x=1",
            "`x=1` is not part of a link: give kernel=, tile=, size=, block=, step=, view=, theme=, \
                 lesson=, page= or play=, with & between them",
        ),
    ] {
        let link =
            link.parse::<ScreenLink>().and_then(|link| link.options(&page(), DARK).map(drop));
        assert_eq!(link.expect_err("it is wrong").to_string(), told);
    }
}
