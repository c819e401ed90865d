//! Draws the whole screen from the state.

use super::app::{App, Overlay};
use super::help::lines;
use super::layout::SizeClass;
use super::screen;
use super::view_model::ViewModel;
use super::widget::blocks::BlockPicker;
use super::widget::findings::FindingsPanel;
use super::widget::{help, palette};
use crate::report::harmless::is_obeyed;
use ratatui::Frame;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::widgets::Widget;

/// Draws the screen into a frame of the terminal.
pub fn view(app: &App, frame: &mut Frame<'_>) {
    let area = frame.area();
    draw(app, area, frame.buffer_mut());
}

/// Draws the screen into a part of a buffer.
pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    parts(app, area, buf);
    make_harmless(buf);
    forget_unseen(buf);
}

/// Takes the colour of text out of blanks beside which no text stands: a terminal that is sent a picture
/// is sent less.
fn forget_unseen(buf: &mut Buffer) {
    let seen = Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT;
    let is_blank = |cell: &Cell| cell.symbol() == " " && !cell.modifier.intersects(seen);
    for row in buf.content.chunks_mut(usize::from(buf.area.width).max(1)) {
        // Runs of blanks on one ground, and each other cell by itself.
        let alike = |one: &Cell, next: &Cell| is_blank(one) && is_blank(next) && one.bg == next.bg;
        let runs: Vec<usize> = row.chunk_by(alike).map(<[Cell]>::len).collect();
        let mut start = 0;
        for run in runs {
            let end = start + run;
            let mut beside = [start.checked_sub(1), Some(end)].into_iter().flatten();
            let ground = row[start].bg;
            let is_text =
                |at: usize| row.get(at).is_some_and(|cell| !is_blank(cell) && cell.bg == ground);
            if is_blank(&row[start]) && !beside.any(is_text) {
                for cell in &mut row[start..end] {
                    (cell.fg, cell.modifier) = (Color::Reset, Modifier::empty());
                }
            }
            start = end;
        }
    }
}

/// Takes out of a drawn buffer what a terminal would obey: names and source lines come from files
/// that others wrote.
pub(super) fn make_harmless(buf: &mut Buffer) {
    for cell in &mut buf.content {
        if cell.symbol().contains(is_obeyed) {
            let shown = cell.symbol().replace(is_obeyed, "");
            cell.set_symbol(if shown.is_empty() { " " } else { &shown });
        }
    }
}

fn parts(app: &App, area: Rect, buf: &mut Buffer) {
    let look = app.look();
    buf.set_style(area, look.ground());
    if app.overlay == Some(Overlay::Blank) {
        return;
    }
    let view = &ViewModel::of(app, area);
    let areas = &view.areas;
    match (&app.measuring.measure_view, areas.class) {
        _ if app.mode.list().is_some() => screen::course::draw(view, area, buf),
        (Some(board), class) if class > SizeClass::Micro => {
            screen::measure::draw(view, board, area, buf);
        }
        (_, class) if class > SizeClass::Micro && screen::edit::is_blank(view) => {
            screen::edit::draw_blank(view, areas, buf);
        }
        (None, _) if !areas.stage.is_empty() => screen::stage::draw(view, areas, buf),
        (_, SizeClass::Micro) => screen::micro::draw(view, areas, buf),
        _ => screen::main::draw(view, areas, buf),
    }
    if app.shows_finale() {
        screen::finale::draw(view, areas, buf);
    }
    match &app.overlay {
        None | Some(Overlay::Blank) => {}
        Some(Overlay::Tile) => screen::tiles::draw(view, area, buf),
        Some(Overlay::Help(line)) => {
            let lines = lines(&app.keymap, app.context());
            help::HelpPage { title: "Help", lines: &lines, first: *line, look }.render(area, buf);
        }
        Some(Overlay::Findings(selected)) => {
            let (found, reach) = (view.session.found().unwrap_or_default(), view.session.reach());
            let grid = view.session.problem().launch.grid;
            let selected = *selected;
            let advises = !view.redacted.asks_remedy;
            FindingsPanel { found, selected, advises, reach, grid, look }.render(area, buf);
        }
        Some(Overlay::Palette(query, selected)) => {
            let keymap = &app.keymap;
            palette::Palette { keymap, query, selected: *selected, look }.render(area, buf);
        }
        Some(Overlay::Blocks(block, typed)) => {
            let grid = view.session.problem().launch.grid;
            let current = view.session.block();
            BlockPicker { grid, current, chosen: *block, typed, look }.render(area, buf);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_not_in_a_drawn_buffer() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 12, 1));
        buf.set_string(0, 0, "a\u{202e}b\u{2066}c\u{1b}[2Jd", ratatui::style::Style::new());
        buf.content[11].set_symbol("\u{9b}");
        make_harmless(&mut buf);
        let shown: String = buf.content.iter().map(Cell::symbol).collect();
        assert!(!shown.contains(is_obeyed), "{shown:?}");
        assert!(shown.starts_with("abc"), "{shown:?}");
    }
}
