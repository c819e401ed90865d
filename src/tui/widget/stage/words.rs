//! The words around the rooms: sentence, source line, first word, twin bar, phases, side.

use super::geometry::StageGeometry;
use super::labels::Writing;
use super::lens;
use super::paint::{Painting, Shade, shade};
use super::place::HalfRect;
use crate::report::number::grouped;
use crate::report::sentence::Aside;
use crate::study::stage::{CellLevel, GridCell, Hue, PhaseList, StageScene, TwinBar};
use crate::tui::facts::listing::Operands;
use crate::tui::layout::text::{width, wrapped};
use crate::tui::theme::{Depth, Role};
use crate::tui::widget::source::code_line;
use ratatui::style::Modifier;
use std::slice::from_ref;

/// What is said of the event.
#[derive(Clone, Copy, Debug)]
pub struct StageWords<'a> {
    pub sentence: &'a str,
    pub source: Option<StageSource<'a>>,
    /// A word that is used for the first time and what it means, or what follows from the sentence; the
    /// longest wording first.
    pub asides: &'a [Aside],
}

/// The line of the source that is executed.
#[derive(Clone, Copy, Debug)]
pub struct StageSource<'a> {
    /// Its number, from 1.
    pub number: u32,
    pub text: &'a str,
    /// What it works on, in bold.
    pub operands: Operands<'a>,
}

/// The sentence, the line of the source, and the word that is used for the first time.
pub(super) fn head(said: &StageWords<'_>, plan: &StageGeometry, writing: &mut Writing<'_>) {
    let look = writing.pen.look;
    let columns = writing.pen.width().saturating_sub(2 * plan.margin);
    let lines = wrapped(said.sentence, columns);
    let rows = plan.head.len();
    let first = usize::from(plan.airy && lines.len() < rows.min(2));
    let mut row = first as u16;
    for line in lines.iter().take(rows) {
        writing.pen.text(plan.margin, row, line, look.chosen());
        row += 1;
    }
    // Its row stays where it is not shown, so that the word below it does not jump.
    let is_shown = said.source.is_some() && row < plan.head.end;
    if let Some(source) = said.source.filter(|_| is_shown) {
        let number = format!("{:<4}", source.number);
        let text = source.text.trim();
        if width(&number) + width(text) <= columns {
            let x = writing.pen.text(plan.margin, row, &number, look.dim());
            code_line(&mut writing.pen, (x, row), text, source.operands);
        }
    }
    row += u16::from(is_shown || row + 1 < plan.head.end);
    let label = |aside: &Aside| format!("{}: ", aside.label);
    let fits = |aside: &&Aside| width(&label(aside)) + width(&aside.text) <= columns;
    if let Some(aside) = said.asides.iter().find(fits).filter(|_| row < plan.head.end) {
        let x = writing.pen.text(plan.margin, row, &label(aside), look.text());
        writing.pen.text(x, row, &aside.text, look.dim());
    }
}

/// The twin bar and the phases.
pub(super) fn foot(scene: &StageScene, plan: &StageGeometry, writing: &mut Writing<'_>) {
    if let (Some(twin), Some(row)) = (scene.twin, plan.twin) {
        twin_bar(plan, writing, twin, row);
    }
    if let Some(row) = plan.phases {
        phases(plan, writing, &scene.phases, row);
    }
}

fn twin_bar(plan: &StageGeometry, writing: &mut Writing<'_>, twin: TwinBar, row: u16) {
    let look = writing.pen.look;
    let (asked, different) = (grouped(twin.asked), grouped(twin.different));
    let labels = ["sectors fetched", "different ones"];
    let x = plan.margin + width(labels[0]) + 2;
    let room = writing.pen.width().saturating_sub(x + width(&asked) + 2 + plan.margin);
    // Of one scale where the end is known, and of one that seldom changes elsewhere, so that both only
    // grow: their ratio goes up and down.
    let grown = || twin.asked.max(twin.different).next_power_of_two();
    let most = twin.end.map_or_else(grown, |(asked, different)| asked.max(different).max(1));
    let part = |count: u64| (u64::from(room) * count).div_ceil(most) as u16;
    for (i, label) in (0..).zip(labels) {
        writing.pen.text(plan.margin, row + i, label, look.text());
    }
    let bar = |writing: &mut Writing<'_>, row: u16, wide: u16, percent: u8| {
        let area = HalfRect { x, y: 2 * row, width: wide, height: 2 };
        let mut painted = Painting::new(writing.pen.width(), row + 1);
        painted.fill(area, Shade::Fill(Role::Memory, percent));
        painted.draw(&mut writing.pen);
    };
    bar(writing, row, part(twin.asked), 75);
    bar(writing, row + 1, part(twin.different), 45);
    writing.pen.text(x + part(twin.asked) + 2, row, &asked, look.chosen());
    let times = |asked: u64, different: u64| {
        let tenths = (10 * asked + different / 2) / different.max(1);
        // With its tenth even where that is 0: what changes all the time keeps its length.
        match tenths {
            10 => "once".to_owned(),
            tenths => format!("{}.{} times", tenths / 10, tenths % 10),
        }
    };
    let each = format!("{different}: each fetched {}", times(twin.asked, twin.different));
    let end = twin.end.map(|(asked, different)| {
        let all = format!("{} for {}", grouped(asked), grouped(different));
        format!("{each}. At the end {all}: {}", times(asked, different))
    });
    let counts = end.into_iter().chain([each]).filter(|_| twin.different > 0);
    let wordings: Vec<_> = counts.chain([different]).collect();
    let x = x + part(twin.different) + 2;
    let room = writing.pen.width().saturating_sub(plan.margin + x);
    let text = crate::tui::layout::text::fitting(&wordings, room);
    writing.pen.text(x, row + 1, text, look.dim());
}

/// What is said of the phases, the longest wording first: which are named, and what follows.
fn phases(plan: &StageGeometry, writing: &mut Writing<'_>, list: &PhaseList, row: u16) {
    let room = writing.pen.width().saturating_sub(2 * plan.margin);
    let all = 0..list.names.len();
    let now = list.now.unwrap_or(0);
    let near = now.saturating_sub(1)..(now + 2).min(all.end);
    let one = now..(now + 1).min(all.end);
    let tile =
        list.tile.map_or_else(String::new, |(tile, tiles)| format!("tile {tile} of {tiles}"));
    let then = list.then.as_deref().unwrap_or_default();
    let tails = [[tile.as_str(), then], [tile.as_str(), ""], ["", ""]];
    let arrow = writing.pen.look.pick("→", ">");
    let wide = |names: &std::ops::Range<usize>| {
        let each = names.clone().map(|i| width(&list.names[i]) + 3);
        each.sum::<u16>() + 2
    };
    let wordings =
        [all, near, one].into_iter().flat_map(|names| tails.map(|tail| (names.clone(), tail)));
    let long = |[tile, then]: [&str; 2]| {
        let after = if then.is_empty() { 0 } else { THEN.len() as u16 + width(then) + 2 };
        width(tile) + after
    };
    let found = wordings.into_iter().find(|(names, tail)| wide(names) + long(*tail) <= room);
    let Some((names, [tile, then])) = found else { return };
    let dim = writing.pen.look.dim();
    let mut x = plan.margin;
    for i in names.clone() {
        if i > names.start {
            // The brackets of the present phase stand in the blanks beside it.
            writing.pen.text(x + 1, row, arrow, dim);
            x += 3;
        }
        x = phase(writing, (x, row), &list.names[i], list.now == Some(i));
    }
    x = writing.pen.text(x + 2, row, tile, dim);
    if !then.is_empty() {
        x = writing.pen.text(x, row, if tile.is_empty() { &THEN[2..] } else { THEN }, dim);
        x = phase(writing, (x, row), then, list.is_then);
    }
    ruler(plan, writing, list, (x + 2, row));
}

/// Joins what comes after the last tile.
const THEN: &str = ", then ";

/// Writes the name of a phase, lit if it is the present one, which moves no other; returns the column
/// after it.
fn phase(writing: &mut Writing<'_>, (x, row): (u16, u16), name: &str, is_now: bool) -> u16 {
    let look = writing.pen.look;
    let lit = look.fill(Role::Here).add_modifier(Modifier::BOLD);
    match (is_now, look.depth) {
        (false, _) => writing.pen.text(x, row, name, look.dim()),
        (true, Depth::Mono) => {
            let x = x.saturating_sub(1);
            writing.pen.text(x, row, &format!("[{name}]"), look.chosen()).saturating_sub(1)
        }
        (true, _) => writing.pen.text(x, row, name, lit),
    }
}

/// From the second tile on, a tick for each tile along k.
fn ruler(plan: &StageGeometry, writing: &mut Writing<'_>, list: &PhaseList, (x, row): (u16, u16)) {
    let Some((tile, tiles)) = list.tile.filter(|(tile, _)| *tile > 1) else { return };
    let room = writing.pen.width().saturating_sub(plan.margin + x);
    let ticks = tiles.min(64);
    if ticks as u16 > room {
        return;
    }
    let look = writing.pen.look;
    let at = (tile - 1) * ticks / tiles;
    for tick in 0..ticks {
        let (symbol, style) = match tick.cmp(&at) {
            std::cmp::Ordering::Less => (look.pick("━", "="), look.text()),
            std::cmp::Ordering::Equal => (look.pick("●", "@"), look.strong(Role::Here)),
            std::cmp::Ordering::Greater => (look.pick("─", "-"), look.dim()),
        };
        writing.pen.text(x + tick as u16, row, symbol, style);
    }
}

/// The lens and the lines for the side, as many as fit whole.
pub(super) fn side(scene: &StageScene, plan: &StageGeometry, writing: &mut Writing<'_>) {
    let after_lens = lens::words(scene, plan, writing);
    let Some(area) = plan.side else { return };
    let look = writing.pen.look;
    let mut row = after_lens.map_or(area.y, |row| row + 1);
    for (i, line) in scene.side.iter().enumerate() {
        let indent = if line.swatch.is_some() { SWATCH + 1 } else { 0 };
        let lines = wrapped(&line.text, area.width.saturating_sub(indent));
        let rows = lines.len() as u16;
        let fits = |writing: &mut Writing<'_>, first: u16| {
            let mut each = (first..).zip(&lines);
            first + rows <= area.bottom()
                && each.all(|(row, line)| writing.room(area.x, row) >= indent + width(line))
        };
        // The lines of a sentence stay together.
        let first = (row..area.bottom()).find(|first| fits(writing, *first));
        let Some(first) = first.filter(|_| rows == 1 || area.width >= NARROW) else { break };
        let style = if i == 0 { look.chosen() } else { look.dim() };
        for (row, line) in (first..).zip(&lines) {
            writing.say((area.x + indent, row), from_ref(line), style);
        }
        if let Some(level) = line.swatch {
            swatch(writing, (area.x, first), level);
        }
        row = first + rows;
    }
}

/// The columns of cells beside a line that speaks of them.
const SWATCH: u16 = 3;

/// Draws cells as they look in the left tile.
fn swatch(writing: &mut Writing<'_>, (x, row): (u16, u16), level: CellLevel) {
    let mut painting = Painting::new(writing.pen.width(), row + 1);
    let area = HalfRect { x, y: 2 * row, width: SWATCH, height: 2 };
    painting.fill(area, shade(&GridCell { level, ..GridCell::default() }, Hue::First));
    painting.draw(&mut writing.pen);
}

/// Below so many columns a line that would take two rows is left out.
const NARROW: u16 = 28;
