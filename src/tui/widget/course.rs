//! The list of a course's lessons.

use super::panel::PanelFrame;
use super::pen::Pen;
use crate::tui::layout::inner;
use crate::tui::layout::text::width;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The list in its frame.
#[derive(Clone, Copy, Debug)]
pub struct LessonList<'a> {
    pub rows: &'a [Row<'a>],
    pub chosen: usize,
    pub look: Look,
}

#[derive(Clone, Debug)]
pub struct Row<'a> {
    pub number: u32,
    pub title: &'a str,
    /// Minutes that it takes.
    pub minutes: u32,
    pub done: bool,
    /// What is left of it, in a few words.
    pub note: String,
    pub about: &'a str,
}

/// Columns of the mark and the number.
const HEAD: u16 = 10;

/// Returns the first line in view of a list of `count` lines with `rows` rows.
fn first(chosen: usize, count: usize, rows: u16) -> usize {
    let rows = usize::from(rows).max(1);
    (chosen + 1 + rows / 3).min(count).saturating_sub(rows).min(chosen)
}

/// Returns the lesson on a row of the screen.
pub fn line_at(area: Rect, (chosen, count): (usize, usize), y: u16) -> Option<usize> {
    let inside = inner(area);
    let row = y.checked_sub(inside.y).filter(|row| *row < inside.height)?;
    Some(first(chosen, count, inside.height) + usize::from(row)).filter(|line| *line < count)
}

impl Widget for LessonList<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let Self { rows, chosen, look } = self;
        let minutes: u32 = rows.iter().map(|row| row.minutes).sum();
        let (title, note) = ("From one thread to cuBLAS", format!("{minutes} minutes"));
        let frame = PanelFrame { number: None, title, note: &note, focused: true, look };
        frame.render(area, buf);
        let mut pen = Pen::new(inner(area), buf, look);
        let widest = rows.iter().map(|row| width(row.title)).max().unwrap_or(0);
        let title = widest.min(pen.width().saturating_sub(HEAD + 14));
        let room = pen.width().saturating_sub(HEAD + title + 15);
        let first = first(chosen, rows.len(), pen.height());
        for (y, (index, row)) in (0..pen.height()).zip(rows.iter().enumerate().skip(first)) {
            draw(&mut pen, y, row, (index == chosen, title, room));
        }
    }
}

fn draw(pen: &mut Pen<'_>, y: u16, row: &Row<'_>, (chosen, title, room): (bool, u16, u16)) {
    let look = pen.look;
    let style = if chosen { look.bar() } else { look.text() };
    if chosen {
        pen.wash(0, y, pen.width(), style);
        pen.text(1, y, look.pick("►", ">"), style);
    }
    pen.right(HEAD - 3, y, &row.number.to_string(), style);
    pen.text(HEAD - 1, y, row.title, style);
    let mark = if row.done { look.pick("●", "x") } else { look.pick("○", "-") };
    let colour = if row.done { look.strong(Role::C) } else { look.dim() };
    pen.text(HEAD + title + 2, y, mark, if chosen { style } else { colour });
    pen.right(HEAD + title + 11, y, &format!("{} min", row.minutes), style);
    let x = HEAD + title + 14;
    let about = if row.note.is_empty() { row.about } else { &row.note };
    if width(about) <= room {
        pen.text(x, y, about, if chosen { style } else { look.dim() });
    }
}
