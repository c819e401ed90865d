//! Questions as lessons ask them, of kernels of the catalogue.

use super::*;
use crate::lesson::document::{Choice, Decides, Piece, words};
use crate::lesson::expr::{Bindings, Parsed, Query};
use crate::lesson::setting_runs::{self, SettingCache};

fn setting(kernel: &str, tile: u32) -> Setting {
    Setting { warp: Some(1), ..setting_runs::tests::setting(kernel, tile) }
}

fn query(text: &str) -> Query {
    Query::query(text, 0..text.len())
}

fn ask(want: &str, wrong: &[&str]) -> Ask {
    let wrong = wrong.iter().map(|idea| (*idea).to_owned()).collect();
    Ask { wrong, ..Ask::new("asked".to_owned(), query(want), 0..0) }
}

fn option(key: &str, holds: &str, text: &str) -> Choice {
    let text = vec![Piece::Plain(text.to_owned())];
    Choice { key: key.to_owned(), decides: Decides::Holds(query(holds)), text, idea: None }
}

fn of(
    ask: &Ask,
    cache: &SettingCache,
    setting: &Setting,
    seed: u64,
) -> Result<Question, QueryError> {
    Question::of(ask, seed, &EvalContext { cache, setting, given: &Bindings::default() })
}

/// The ideas that offer nothing, with why.
fn quiet(
    ask: &Ask,
    cache: &SettingCache,
    setting: &Setting,
) -> Result<Vec<UnusedDistractor>, QueryError> {
    unused(ask, &EvalContext { cache, setting, given: &Bindings::default() })
}

fn question(ask: &Ask, setting: &Setting) -> Question {
    of(ask, &SettingCache::new(), setting, 3).unwrap_or_else(|why| panic!("{why}"))
}

/// `right`, `wrong`, `?`, or the idea with what it says.
pub(super) fn said(question: &Question, typed: &str) -> String {
    match question.judge(&typed.into()) {
        AnswerVerdict::Right => "right".to_owned(),
        AnswerVerdict::Wrong => "wrong".to_owned(),
        AnswerVerdict::Idea(idea, value) => format!("{idea} {value}"),
        AnswerVerdict::Unreadable(_) => "?".to_owned(),
    }
}

#[test]
fn a_wrong_number_is_met_by_its_idea() {
    let ideas = ["padding-helps", "padding-ignored", "lanes-in-turn"];
    let ask = Ask { unit: "passes".into(), ..ask("passes(store sA)", &ideas) };
    let padded = question(&ask, &setting("tiled_padded", 16));
    assert_eq!(padded.kind, AskKind::Number);
    let typed = ["2", "1 pass", "8", "32", "5"].map(|typed| said(&padded, typed));
    let expected = "right,padding-helps 1,padding-ignored 8,lanes-in-turn 32,wrong";
    assert_eq!(typed.join(","), expected);
    assert_eq!(padded.right.warp, Some(1), "the warp that shows it");
}

#[test]
fn for_a_vote_a_number_becomes_a_choice_of_what_the_ideas_say() {
    let ask = ask("passes(store sA)", &["padding-helps", "padding-ignored", "same-bank"]);
    let ask = Ask { kind: Some(AskKind::Choice), ..ask };
    let padded = question(&ask, &setting("tiled_padded", 16));
    let mut texts: Vec<_> = padded.offers.iter().map(|offer| words(&offer.text)).collect();
    texts.sort();
    assert_eq!(texts, ["1", "2", "8"], "`same-bank` says what is right");
    let keys: String = padded.offers.iter().map(|offer| offer.key).collect();
    assert_eq!(keys, "123");
    let right: Vec<_> = padded.offers.iter().filter(|offer| offer.right).collect();
    assert_eq!(right.len(), 1);
    assert_eq!(said(&padded, &right[0].key.to_string()), "right");
    assert_eq!(said(&padded, "8"), "padding-ignored 8");
}

#[test]
fn the_seed_shuffles_what_there_is_to_choose_from() {
    let ask = ask("passes(store sA)", &["padding-helps", "padding-ignored", "lanes-in-turn"]);
    let ask = Ask { kind: Some(AskKind::Choice), ..ask };
    let (cache, padded) = (SettingCache::new(), setting("tiled_padded", 16));
    let order = |seed| {
        let question = of(&ask, &cache, &padded, seed).expect("it is answered");
        question.offers.iter().map(|offer| words(&offer.text)).collect::<Vec<_>>()
    };
    let orders: std::collections::BTreeSet<_> = (0..20).map(order).collect();
    assert!(orders.len() > 5, "{orders:?}");
    assert_eq!(order(7), order(7));
}

#[test]
fn a_truth_is_yes_or_no() {
    let unsound = Setting {
        changes: vec!["no-compute-barrier".to_owned()],
        warp: None,
        ..setting("tiled", 16)
    };
    let sound = question(&ask("sound", &["passed-so-right"]), &unsound);
    let texts: Vec<_> = sound.offers.iter().map(|offer| words(&offer.text)).collect();
    assert_eq!((sound.kind, texts.join(",")), (AskKind::Choice, "yes,no".to_owned()));
    assert_eq!(said(&sound, "yes"), "passed-so-right yes");
    assert_eq!(said(&sound, "2"), "right");
}

#[test]
fn options_of_a_lesson_have_one_that_is_right_and_know_their_ideas() {
    let unsound = Setting {
        changes: vec!["no-compute-barrier".to_owned()],
        warp: None,
        ..setting("tiled", 16)
    };
    let options = vec![
        option("a", "sound", "yes, in every order"),
        option("b", "!sound && right", "no, some order spoils C"),
        option("c", "!sound && !right", "no, C is wrong at once"),
    ];
    let sound = Ask { options, ..ask("sound", &["passed-so-right"]) };
    let asked = question(&sound, &unsound);
    assert_eq!(asked.right.value, Value::Name("no, some order spoils C".to_owned()));
    let idea = "passed-so-right yes, in every order";
    assert_eq!(
        ["yes", "no, some", "no, C"].map(|typed| said(&asked, typed)).join(";"),
        format!("{idea};right;wrong")
    );
    let told = |ideas: &[&str], setting| {
        let ideas = ideas.iter().map(|idea| (*idea).to_owned()).collect();
        let asked = Ask { wrong: ideas, ..sound.clone() };
        let quiet = quiet(&asked, &SettingCache::new(), setting).expect("it is answered");
        quiet.iter().map(UnusedDistractor::to_string).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(told(&["passed-so-right"], &unsound), "");
    assert_eq!(told(&["own-fetch"], &unsound), "`own-fetch` has no opinion here");
    let plain = Setting { warp: None, ..setting("tiled", 16) };
    let right = "`passed-so-right` says yes, in every order, which is right";
    assert_eq!(told(&["passed-so-right"], &plain), right);
    let two = vec![option("a", "right", "yes"), option("b", "!sound", "no")];
    let two = Ask { options: two, ..sound };
    let why = of(&two, &SettingCache::new(), &unsound, 0).expect_err("both are true");
    assert_eq!(why.message, "options a, b are true: exactly one may be");
}

#[test]
fn a_pick_is_met_by_the_idea_whose_thing_it_is() {
    let naive = setting("naive", 16);
    let element = question(&ask("element(thread 5,3)", &["xy-cosmetic"]), &naive);
    assert_eq!(element.kind, AskKind::Pick);
    let typed = ["c 35 37", "C[37][35]", "C[0][0]", "thread 5,3"];
    let expected = "right,xy-cosmetic C[37][35],wrong,?";
    assert_eq!(typed.map(|typed| said(&element, typed)).join(","), expected);
    let warp = Ask { all: true, ..ask("lanes_of(3)", &["warp-is-row", "y-fastest"]) };
    let warp = question(&warp, &naive);
    assert_eq!(said(&warp, "rows 6, 7"), "right");
    assert!(said(&warp, "row 3").starts_with("warp-is-row thread 0,3, "));
    assert!(said(&warp, "columns 6 and 7").starts_with("y-fastest "));
    assert_eq!(said(&warp, "row 6"), "wrong", "all are wanted");
}

#[test]
fn a_number_is_picked_as_the_thing_that_it_numbers() {
    let column = Setting { warp: Some(5), ..setting("tiled_transposed", 32) };
    let bank = Ask {
        kind: Some(AskKind::Pick),
        of: vec!["bank".to_owned()],
        ..ask("bank(store sA)", &[])
    };
    let bank = question(&bank, &column);
    assert_eq!(
        ["bank 5", "5", "bank 0", "lane 5"].map(|typed| said(&bank, typed)).join(","),
        "right,right,wrong,?"
    );
}

#[test]
fn events_are_put_in_the_order_of_the_run() {
    let event = |key: &str, place: &str, text: &str| Choice {
        decides: Decides::Happens(Parsed::place(place, 0..place.len())),
        ..option(key, "true", text)
    };
    let options = vec![
        event("a", "fma", "multiply"),
        event("b", "load A", "load"),
        event("c", "after barrier 1", "wait"),
        event("d", "store sA", "store"),
    ];
    let order = Ask { kind: Some(AskKind::Order), options, ..ask("", &[]) };
    let order = question(&order, &setting("tiled", 16));
    assert_eq!(order.right.value, Value::Name("load, store, wait, multiply".to_owned()));
    assert_eq!(said(&order, "load, store, wait, multiply"), "right");
    assert_eq!(said(&order, "load, wait, store, multiply"), "wrong");
    assert_eq!(said(&order, "load, store"), "?");
}

#[test]
fn the_change_that_was_made_is_named_among_those_that_look_alike() {
    let changed = Setting { changes: vec!["no-load-barrier".to_owned()], ..setting("tiled", 16) };
    let name = question(&Ask { kind: Some(AskKind::Name), ..ask("", &[]) }, &changed);
    assert_eq!(name.offers.len(), 4);
    let Value::Name(title) = &name.right.value else { panic!("a title") };
    assert_eq!(said(&name, title), "right");
    let others = name.offers.iter().filter(|offer| !offer.right);
    assert!(others.map(|offer| said(&name, &offer.key.to_string())).all(|said| said == "wrong"));
}

#[test]
fn a_gap_is_right_wherever_the_kernel_becomes_sound() {
    let changed =
        Setting { changes: vec!["no-compute-barrier".to_owned()], ..setting("tiled", 16) };
    let gap = Ask { insert: Some("__syncthreads();".to_owned()), ..ask("sound", &[]) };
    let gap = question(&gap, &Setting { warp: None, ..changed });
    assert_eq!(gap.kind, AskKind::Gap);
    let typed = ["41", "line 30", "behind 34", "34", "x", "30, 31"].map(|typed| said(&gap, typed));
    assert_eq!(typed.join(","), "right,right,wrong,wrong,?,right");
}

#[test]
fn an_idea_that_offers_nothing_says_why() {
    let cache = SettingCache::new();
    let ideas = ["own-fetch", "y-fastest", "by-bytes", "whole-lines", "same-bank", "no-such"];
    let ask = ask("sectors(load B)", &ideas);
    let told = |tile| {
        let quiet = quiet(&ask, &cache, &setting("naive", tile)).expect("it is answered");
        quiet.iter().map(UnusedDistractor::to_string).collect::<Vec<_>>()
    };
    let both = ["`same-bank` has no opinion here", "there is no model `no-such`"];
    let at_16 = ["`whole-lines` says 4, as `by-bytes` does", both[0], both[1]];
    assert_eq!(told(16), at_16);
    let right = ["`by-bytes` says 4, which is right", "`whole-lines` says 4, which is right"];
    assert_eq!(told(32), [right[0], right[1], both[0], both[1]]);
    let nothing = Ask { kind: Some(AskKind::Choice), wrong: vec!["by-bytes".to_owned()], ..ask };
    let why = of(&nothing, &cache, &setting("naive", 32), 0);
    assert!(why.expect_err("nothing to choose").message.starts_with("there is nothing to choose"));
}
