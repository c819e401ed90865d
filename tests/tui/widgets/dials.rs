//! The dials at several sizes: what is chosen, what it does, and what is never cut.

use super::picture::{self, ASCII, RICH};
use insta::assert_snapshot;
use matviz::tui::theme::{Look, Role};
use matviz::tui::widget::dials::*;
use ratatui::layout::Rect;
use ratatui::text::Line;

fn choices() -> [Vec<String>; 3] {
    let of = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    [of(&["columns", "rows"]), of(&["yes", "no"]), of(&["zeros", "nothing", "no guard", "return"])]
}

fn effect() -> DialEffect {
    let row = |name: &str, right: bool, spoilt: &str| {
        let told = if right { "right" } else { "wrong" };
        let cells = vec![
            EffectCell::verdict(told.to_owned(), right),
            EffectCell::verdict("2".to_owned(), false),
            EffectCell::plain("4,096".to_owned()),
            EffectCell::plain(spoilt.to_owned()),
        ];
        (name.to_owned(), cells)
    };
    let heads = ["C", "findings", "sectors", "C over 100 orders"].map(str::to_owned).to_vec();
    let rows = vec![row("at 64", true, "29 of 100 wrong"), row("at 60x52x84", false, "43 wrong")];
    DialEffect {
        table: EffectTable { heads, rows },
        settings: EffectTable::default(),
        found: vec![(
            "race: w1 loads sB[0][0], w0 stores the next one".to_owned(),
            Some(Role::Bad),
        )],
        said: None,
        tried: "You have tried 3 of 384.".to_owned(),
    }
}

fn drawn(look: Look, effect: &DialEffect, (width, height): (u16, u16)) -> String {
    let choices = choices();
    let titles = ["threadIdx.x runs along", "barrier before the sum", "beyond the edge"];
    let dials: Vec<_> = titles
        .iter()
        .zip(&choices)
        .zip([0, 1, 2])
        .map(|((title, choices), at)| DialRow { title, choices, at })
        .collect();
    let keys = [Line::raw("y  this is the one    Enter  watch it")];
    let dials = DialsPanel { dials: &dials, chosen: 1, note: "", effect, keys: &keys, look };
    picture::text(dials, width, height)
}

#[test]
fn the_choice_of_each_dial_is_marked_and_its_effect_stands_below() {
    assert_snapshot!(drawn(RICH, &effect(), (76, 15)), @r"
    ╔ Dials ═══════════════════════════════════════════════════════════════════╗
    ║   threadIdx.x runs along  ◄ columns ►  rows                              ║
    ║ ► barrier before the sum    yes  ◄ no ►                                  ║
    ║   beyond the edge           zeros    nothing  ◄ no guard ►  return       ║
    ╚══════════════════════════════════════════════════════════════════════════╝
    ┌ What it does ─────────────────────────────── simulated, with all checks ─┐
    │                   C   findings   sectors   C over 100 orders             │
    │ at 64         right          2     4,096     29 of 100 wrong             │
    │ at 60x52x84   wrong          2     4,096            43 wrong             │
    │                                                                          │
    │ race: w1 loads sB[0][0], w0 stores the next one                          │
    │                                                                          │
    │ You have tried 3 of 384.                                                 │
    │ y  this is the one    Enter  watch it                                    │
    └──────────────────────────────────────────────────────────────────────────┘
    ");
}

#[test]
fn in_little_room_a_dial_shows_where_it_stands_of_how_many() {
    assert_snapshot!(drawn(ASCII, &effect(), (50, 12)), @r"
    # Dials ##########################################
    #   threadIdx.x runs along  < columns >   1 of 2 #
    # > barrier before the sum  < no >        2 of 2 #
    #   beyond the edge         < no guard >  3 of 4 #
    ##################################################
    + What it does ----- simulated, with all checks -+
    |                   C   findings   sectors       |
    | at 64         right          2     4,096       |
    | at 60x52x84   wrong          2     4,096       |
    | race: w1 loads sB[0][0], w0 stores the next    |
    | y  this is the one    Enter  watch it          |
    +------------------------------------------------+
    ");
}

#[test]
fn every_size_survives() {
    let (effect, choices) = (effect(), choices());
    let dials: Vec<_> =
        choices.iter().map(|choices| DialRow { title: "a dial", choices, at: 1 }).collect();
    let keys = [Line::raw("y  this is the one")];
    let (dials, effect, keys) = (&dials, &effect, &keys);
    picture::survives(|look| DialsPanel { dials, chosen: 0, note: "turn", effect, keys, look });
    let none = &DialEffect::default();
    picture::survives(|look| DialsPanel {
        dials: &[],
        chosen: 7,
        note: "",
        effect: none,
        keys,
        look,
    });
}

#[test]
fn a_click_hits_the_dial_on_its_row() {
    let area = Rect::new(4, 2, 60, 20);
    assert_eq!([3, 5, 6].map(|y| dial_at(area, 3, y)), [Some(0), Some(2), None]);
    assert_eq!(dial_at(area, 3, 2), None);
}
