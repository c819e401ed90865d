//! Random input for the program: keys, clicks, sizes, pasted text and broken sequences.

use super::scene::{Scene, all_keys};
use proptest::prelude::*;
use proptest::sample::select;
use std::time::Duration;

/// An action of a user, or of their terminal.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A key is pressed.
    Press(&'static str),
    /// A key is held down and repeats this number of times.
    Hold(&'static str, u32),
    /// The terminal sends these characters.
    Type(String),
    /// The terminal changes to this number of columns and rows.
    Resize(u16, u16),
    /// Whatever is open is closed, and the scene's own view is opened again.
    Reopen,
    /// Nothing happens for a while.
    Wait(Duration),
}

/// The time between repetitions of a held key.
pub(crate) const REPEAT: Duration = Duration::from_millis(33);

/// The maximum number of repetitions: four seconds.
const LONGEST: u32 = 120;

/// Random events for a scene: mostly keys of its view.
pub(crate) fn events(scene: &Scene) -> BoxedStrategy<Event> {
    let (own, often) = (scene.keys(), scene.often);
    let held = [often, &["Left", "Right", "j", "V"]].concat();
    prop_oneof![
        30 => select(own).prop_map(Event::Press),
        30 => select(often).prop_map(Event::Press),
        12 => select(all_keys()).prop_map(Event::Press),
        2 => (select(held), repetitions()).prop_map(|(key, times)| Event::Hold(key, times)),
        10 => mouse().prop_map(Event::Type),
        2 => pasted().prop_map(Event::Type),
        2 => broken().prop_map(Event::Type),
        3 => (side(250), side(80)).prop_map(|(columns, rows)| Event::Resize(columns, rows)),
        4 => Just(Event::Reopen),
        5 => (0_u64..400).prop_map(|millis| Event::Wait(Duration::from_millis(millis))),
    ]
    .boxed()
}

/// Mostly short, so that most of the time is left for other events.
fn repetitions() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 2..20_u32, 1 => 20..=LONGEST]
}

/// Now and then one that leaves room for nothing.
fn side(most: u16) -> impl Strategy<Value = u16> {
    prop_oneof![1 => 1..10_u16, 5 => 10..=most]
}

/// Clicks, drags and turns of the wheel, inside and outside the screen.
fn mouse() -> impl Strategy<Value = String> {
    let place = || prop_oneof![20 => (1..140_u16, 1..50_u16), 1 => any::<(u16, u16)>()];
    let report =
        |button: u16, (x, y): (u16, u16), end: char| format!("\x1b[<{button};{x};{y}{end}");
    let click = (select(&[0_u16, 0, 0, 1, 2][..]), place())
        .prop_map(move |(button, at)| report(button, at, 'M') + &report(button, at, 'm'));
    let drag = (place(), prop::collection::vec(place(), 1..8), place()).prop_map(
        move |(from, through, to)| {
            let moved: String = through.into_iter().map(|at| report(32, at, 'M')).collect();
            report(0, from, 'M') + &moved + &report(0, to, 'm')
        },
    );
    let wheel = (select(&[64_u16, 65, 66, 67][..]), place(), 1..10_usize)
        .prop_map(move |(button, at, times)| report(button, at, 'M').repeat(times));
    prop_oneof![2 => click, 1 => drag, 1 => wheel]
}

/// Text in the brackets with which a terminal marks pasted text.
fn pasted() -> impl Strategy<Value = String> {
    let letters = select("qfvVjk0159, \n\té█:?\u{1}".chars().collect::<Vec<_>>());
    let text = prop::collection::vec(letters, 0..60);
    text.prop_map(|text| format!("\x1b[200~{}\x1b[201~", String::from_iter(text)))
}

/// Input that no terminal should send: truncated, out of bounds, or unrequested. After a question
/// mark crossterm waits for a c or u: one follows, since otherwise no further key would be read.
fn broken() -> impl Strategy<Value = String> {
    let begun = select(&["\x1b", "\x1b[", "\x1bO", "\x1b[<", "\x1b[<0;0;0", "\x1b[M", "\x1bP"][..]);
    let whole = select(
        &[
            "\x1b[99999;99999M",
            "\x1b[?1;2c",
            "\x1b[?2026;2$yc",
            "\x1b[201~",
            "\x1b[O",
            "\u{9b}",
            "\0",
        ][..],
    );
    // The suffix completes every sequence that was only begun, and is itself an event: until it has
    // one, crossterm keeps reading and does not notice new sizes.
    prop_oneof![begun, whole].prop_map(|sent| format!("{sent}M\x1b[I\x1b[I"))
}

/// The bytes that a terminal sends for a key, given as the keymap spells it.
pub(crate) fn bytes(key: &str) -> String {
    if let Some(letter) = key.strip_prefix("Ctrl-").and_then(|key| key.chars().next()) {
        return char::from(letter as u8 & 0x1f).into();
    }
    let sent = match key {
        "Space" => " ",
        "Enter" => "\r",
        // As newer terminals send it: a lone escape and the next key would be one key with Alt.
        "Esc" => "\x1b[27u",
        "Tab" => "\t",
        "Shift-Tab" => "\x1b[Z",
        "Backspace" => "\x7f",
        "Up" => "\x1b[A",
        "Down" => "\x1b[B",
        "Right" => "\x1b[C",
        "Left" => "\x1b[D",
        "Shift-Up" => "\x1b[1;2A",
        "Shift-Down" => "\x1b[1;2B",
        "Shift-Right" => "\x1b[1;2C",
        "Shift-Left" => "\x1b[1;2D",
        "Home" => "\x1b[H",
        "End" => "\x1b[F",
        "PageUp" => "\x1b[5~",
        "PageDown" => "\x1b[6~",
        "F1" => "\x1bOP",
        "F5" => "\x1b[15~",
        letter => letter,
    };
    assert!(sent.starts_with('\x1b') || sent.chars().count() == 1, "{sent} is not spelt here");
    sent.to_owned()
}
