//! The dials of a lesson's page, in place of the picture and, on a small screen, of the text too.

use crate::lesson::dials::{DialCount, DialSetting};
use crate::lesson::judged::{Spoilt, Tried};
use crate::lesson::session::OpenDials;
use crate::report::finding::Row;
use crate::report::number::grouped;
use crate::tui::layout::Areas;
use crate::tui::lesson::DialsState;
use crate::tui::page::question::keys;
use crate::tui::theme::Role;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::dials::{self, DialEffect, DialRow, DialsPanel, EffectCell, EffectTable};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The caption that replaces the step's.
pub(super) const SENTENCE: &str =
    "Turn the dials. Every setting is compiled and simulated at once.";

/// The rows in which the keys have a row each that the footer offers too.
const ROOMY: u16 = 24;

/// Draws the dials: beside the page's text, or in its place.
pub fn draw(view: &ViewModel<'_>, areas: &Areas, buf: &mut Buffer) {
    let Some((board, turning)) = open(view) else { return };
    let area = area(areas);
    let rows = turning.dials.dials.iter().zip(&board.at);
    let rows: Vec<_> = rows
        .map(|(dial, at)| DialRow { title: &dial.title, choices: &dial.choices, at: *at })
        .collect();
    let low = area.height < ROOMY;
    let offers = [
        ("dial-answer", "this is the one", !low),
        ("dial-watch", "watch it", !low),
        ("dial-source", "its source", true),
        ("dial-reset", "as it was", board.at != turning.dials.start),
        ("dial-count", "count all settings", board.count.is_none() && !board.is_counting()),
        ("dial-without", "go on without", true),
    ];
    let keys = keys(&view.keymap.offered(&offers), area.width.saturating_sub(4), false, view.look);
    let effect = effect(board, turning);
    let note = format!("setting {} of {}", number(&board.at, turning), turning.dials.settings());
    DialsPanel {
        dials: &rows,
        chosen: board.chosen,
        note: &note,
        effect: &effect,
        keys: &keys,
        look: view.look,
    }
    .render(area, buf);
}

/// Returns the dial on a row of the screen.
pub fn dial_at(view: &ViewModel<'_>, (x, y): (u16, u16)) -> Option<usize> {
    let (board, _) = open(view)?;
    let area = area(&view.areas);
    area.contains((x, y).into()).then(|| dials::dial_at(area, board.at.len(), y))?
}

fn open<'a>(view: &ViewModel<'a>) -> Option<(&'a DialsState, &'a OpenDials)> {
    let turning = view.lesson?.now().dials.as_ref()?;
    Some((view.dials?, turning))
}

/// Whether there is room for the page's text beside the dials.
pub fn leave_text(areas: &Areas) -> bool {
    area(areas).x > 0
}

/// Where the dials stand: beside the text, or in all rows between the sentence and the footer.
fn area(areas: &Areas) -> Rect {
    let whole = areas.whole();
    if areas.text.is_empty() || areas.text.width == whole.width {
        return whole;
    }
    let x = areas.text.right();
    Rect { x, width: whole.right() - x, height: areas.text.height, ..whole }
}

/// The number of the setting, from 1, the last dial turning fastest.
fn number(at: &[usize], turning: &OpenDials) -> usize {
    let sides = turning.dials.dials.iter().map(|dial| dial.choices.len());
    1 + at.iter().zip(sides).fold(0, |number, (at, side)| number * side + at)
}

/// What the setting does, and what was tried.
fn effect(board: &DialsState, turning: &OpenDials) -> DialEffect {
    let heads = ["C", "findings", "sectors", "conflicts", "C over 100 orders"];
    let known = board.known.get(&board.at);
    let tried = known.and_then(|known| known.as_ref().ok()).map(|known| &known.tried);
    let said = turning.said.clone().filter(|_| turning.at == board.at);
    let sizes = turning.sizes.iter().enumerate();
    let rows = sizes.map(|(index, size)| {
        let tried = tried.and_then(|tried| tried.get(index));
        (format!("at {size}"), tried.map_or_else(Vec::new, cells))
    });
    let found = match known {
        None => vec![("It is being simulated ..".to_owned(), None)],
        Some(Err(why)) => vec![(why.to_string(), Some(Role::Bad))],
        Some(Ok(known)) => found(&known.tried, said.is_some()),
    };
    DialEffect {
        table: EffectTable { heads: heads.map(str::to_owned).to_vec(), rows: rows.collect() },
        found,
        said,
        settings: settings(board, turning),
        tried: counted(board, turning),
    }
}

/// The cells of a size.
fn cells(Tried { judged, spoilt }: &Tried) -> Vec<EffectCell> {
    let c = if judged.right { "right" } else { "WRONG" };
    let findings = judged.findings.len();
    vec![
        EffectCell::verdict(c.to_owned(), judged.right),
        EffectCell::verdict(findings.to_string(), findings == 0),
        EffectCell::plain(grouped(judged.load_sectors)),
        EffectCell::verdict(grouped(judged.conflicts), judged.conflicts == 0),
        orders(spoilt, judged.right),
    ]
}

/// What random orders of the warps do; without a race, all do the same.
fn orders(spoilt: &Spoilt, right: bool) -> EffectCell {
    let Spoilt { wrong, orders } = *spoilt;
    let text = match (orders, wrong) {
        (0, _) if right => "all right".to_owned(),
        (0, _) => "all wrong".to_owned(),
        (_, 0) => "all right, by luck".to_owned(),
        (orders, wrong) => format!("{wrong} of {orders} wrong"),
    };
    EffectCell::verdict(text, right && wrong == 0)
}

/// The settings that were tried, with what the page asks about them.
fn settings(board: &DialsState, turning: &OpenDials) -> EffectTable {
    let known = board.order.iter().filter_map(|at| Some((at, board.known.get(at)?.as_ref().ok()?)));
    let known: Vec<_> = known.collect();
    let asked = known.first().map_or(&[][..], |(_, known)| &known.asked);
    let rows = known.iter().map(|(at, known)| {
        let values = known.asked.iter().map(|(_, value)| EffectCell::plain(value.clone()));
        (name(turning, at), values.collect())
    });
    EffectTable {
        heads: asked.iter().map(|(what, _)| what.clone()).collect(),
        rows: rows.collect(),
    }
}

/// The choice of the only dial, or the number of a setting of several.
fn name(turning: &OpenDials, at: &[usize]) -> String {
    match &turning.dials.dials[..] {
        [_] => turning.dials.chosen(at),
        _ => format!("setting {}", number(at, turning)),
    }
}

/// The first finding and its remedy, or what is wrong without one. A setting that is not the wanted
/// one gets no praise.
fn found(tried: &[Tried], is_not_it: bool) -> Vec<(String, Option<Role>)> {
    let first = tried.iter().find_map(|tried| tried.judged.findings.first());
    let wrong = tried.iter().find(|tried| !tried.judged.right);
    match (first, wrong) {
        (Some(Row { kind, message, advice, .. }), _) => {
            let told = format!("{}: {message}.", kind.to_uppercase());
            vec![(told, Some(Role::Bad)), (advice.clone(), None)]
        }
        (None, Some(wrong)) => {
            let size = wrong.judged.size;
            let told = format!("At {size} C is wrong, and the checks find nothing.");
            vec![(told, Some(Role::Bad))]
        }
        (None, None) if is_not_it => Vec::new(),
        (None, None) => {
            vec![("C is right, and the checks find nothing.".to_owned(), Some(Role::C))]
        }
    }
}

/// How many settings were tried and, if that was counted, how many do what.
fn counted(board: &DialsState, turning: &OpenDials) -> String {
    let all = turning.dials.settings();
    let tried = format!("You have tried {} of {all}.", board.known.len());
    match &board.count {
        Some(count) => format!("{tried} {}", totals(count)),
        None if board.is_counting() => format!("{tried} All {all} are being simulated .."),
        None => tried,
    }
}

/// How many settings are right, sound, and free of waste.
fn totals(count: &DialCount) -> String {
    let first = count.sizes.first().map(ToString::to_string).unwrap_or_default();
    let of = |holds| match count.holding(holds) {
        all if all == count.settings.len() => format!("all {all}"),
        some => some.to_string(),
    };
    let (right, sound) = (of(DialSetting::is_right), of(DialSetting::is_sound));
    let mut told = format!("C is right at {first}: {right}; sound there too: {sound}");
    if count.sizes.len() > 1 {
        let everywhere = of(DialSetting::is_always_sound);
        let sizes = count.sizes.len();
        told = format!("{told}. Right and sound at all of {sizes} sizes: {everywhere}");
    }
    if count.holding(DialSetting::is_best) == count.holding(DialSetting::is_always_sound) {
        return told + ".";
    }
    format!("{told}; coalesced and without conflicts too: {}.", of(DialSetting::is_best))
}
