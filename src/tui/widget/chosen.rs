//! Marks a part of a picture as the selected warp's: nearer to the colour of text, or underlined.

use crate::tui::theme::{Depth, Look, Role, Theme};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use std::collections::{BTreeMap, BTreeSet};

/// Says how marked places differ from others: `w3 paler`.
pub fn legend(look: Look, warp: usize) -> String {
    let how = match (is_tone(look), look.theme) {
        (false, _) => "underlined",
        (true, Theme::Dark) => "paler",
        (true, Theme::Light | Theme::Stage) => "darker",
    };
    format!("w{warp} {how}")
}

/// Whether marks are tones of colours.
fn is_tone(look: Look) -> bool {
    look.has_pixels() && look.depth >= Depth::Indexed
}

/// Marks places of the screen, given in columns and half rows, except those that are lit.
pub fn mark(buf: &mut Buffer, look: Look, places: &[Rect]) {
    let mut halves: BTreeMap<(u16, u16), [bool; 2]> = BTreeMap::new();
    for place in places.iter().flat_map(|place| place.positions()) {
        halves.entry((place.x, place.y / 2)).or_default()[usize::from(place.y % 2)] = true;
    }
    for (at, halves) in halves {
        if let Some(cell) = buf.cell_mut(at) {
            cell_of(cell, look, halves);
        }
    }
}

/// Marks what is to be seen there by brackets in the colour of text around each row of it; what is one
/// cell wide is outlined.
pub fn evidence(buf: &mut Buffer, look: Look, places: &[Rect]) {
    let cells: BTreeSet<(u16, u16)> =
        places.iter().flat_map(|place| place.positions()).map(|at| (at.y / 2, at.x)).collect();
    let is_in = |x: Option<u16>, y: u16| x.is_some_and(|x| cells.contains(&(y, x)));
    for (y, x) in &cells {
        let ends = [is_in(x.checked_sub(1), *y), is_in(x.checked_add(1), *y)];
        let bracket = match ends {
            [false, true] => "[",
            [true, false] => "]",
            [true, true] => continue,
            [false, false] => {
                let own = places.iter().filter(|place| place.x == *x && place.y / 2 == *y);
                follow(buf, look, &own.copied().collect::<Vec<_>>());
                continue;
            }
        };
        let Some(cell) = buf.cell_mut((*x, *y)) else { continue };
        if !matches!(cell.symbol(), "▀" | "▄" | " " | "·" | "─") {
            cell.modifier.insert(Modifier::UNDERLINED);
            continue;
        }
        let (top, _) = halves(cell);
        let style = if is_tone(look) {
            Style::new().bg(look.marked(top)).fg(look.on_marked())
        } else {
            look.text().add_modifier(Modifier::REVERSED)
        };
        cell.set_symbol(bracket).set_style(style.add_modifier(Modifier::BOLD));
    }
}

/// Underlines what is drawn in places, where the colours are the evidence.
pub fn underline(buf: &mut Buffer, look: Look, places: &[Rect]) {
    let ground = look.ground().bg.unwrap_or(Color::Reset);
    for place in places.iter().flat_map(|place| place.positions()) {
        let Some(cell) = buf.cell_mut((place.x, place.y / 2)) else { continue };
        if cell.symbol() != " " || ![ground, Color::Reset].contains(&cell.bg) {
            cell.modifier.insert(Modifier::UNDERLINED);
        }
    }
}

/// Lights what is pointed at or followed in the colour of text; the colour of "now" is for events.
pub fn follow(buf: &mut Buffer, look: Look, places: &[Rect]) {
    let ink = look.text().fg.unwrap_or(Color::Reset);
    for place in places.iter().flat_map(|place| place.positions()) {
        let Some(cell) = buf.cell_mut((place.x, place.y / 2)) else { continue };
        if look.depth == Depth::Mono {
            cell.modifier.insert(Modifier::REVERSED);
        } else if !matches!(cell.symbol(), "▀" | "▄" | " ") || !look.has_pixels() {
            cell.set_style(look.text().reversed());
        } else {
            let (top, bottom) = halves(cell);
            let upper = place.y.is_multiple_of(2);
            let (top, bottom) = if upper { (ink, bottom) } else { (top, ink) };
            cell.set_symbol("▀").set_fg(top).set_bg(bottom);
        }
    }
}

/// The colours of a cell's upper and lower half.
fn halves(cell: &Cell) -> (Color, Color) {
    match cell.symbol() {
        "▀" => (cell.fg, cell.bg),
        "▄" => (cell.bg, cell.fg),
        _ => (cell.bg, cell.bg),
    }
}

fn cell_of(cell: &mut Cell, look: Look, [upper, lower]: [bool; 2]) {
    if !is_tone(look) {
        cell.modifier.insert(Modifier::UNDERLINED);
        return;
    }
    let (top, bottom) = halves(cell);
    let tone = |colour: Color, own: bool| {
        let lit = colour == look.pixel(Role::Here);
        if own && !lit { look.marked(colour) } else { colour }
    };
    let is_text = !matches!(cell.symbol(), "▀" | "▄" | " ");
    if is_text {
        // Half a character cannot be marked.
        let ground = tone(cell.bg, true);
        if ground != cell.bg {
            cell.set_bg(ground).set_fg(look.on_marked());
        }
        return;
    }
    let (top, bottom) = (tone(top, upper), tone(bottom, lower));
    if top == bottom {
        cell.set_symbol(" ").set_bg(top);
    } else {
        cell.set_symbol("▀").set_fg(top).set_bg(bottom);
    }
}
