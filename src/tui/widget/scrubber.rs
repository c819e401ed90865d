//! The whole run on one row: the steps done, the barriers and the playhead.

use super::pen::Pen;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use std::ops::Range;

/// A row that shows the position in the run and seeks with the mouse.
#[derive(Clone, Copy, Debug)]
pub struct Scrubber<'a> {
    /// The number of steps recorded so far.
    pub len: usize,
    /// The number of steps done.
    pub at: usize,
    /// The steps after which a barrier released the block, ascending.
    pub barriers: &'a [usize],
    /// The steps at which a finding shows.
    pub found: &'a [usize],
    /// The steps that the timeline shows, if not all.
    pub window: Option<&'a Range<usize>>,
    pub playing: bool,
    pub look: Look,
}

/// Columns before the row: a blank, "||" or "►", a blank.
const HEAD: u16 = 4;

/// Returns the position, in steps done, at a column of the screen, if that is on the row.
pub fn step_at(area: Rect, len: usize, x: u16) -> Option<usize> {
    let first = area.x.saturating_add(HEAD);
    let width = usize::from(area.width.saturating_sub(HEAD));
    let column = usize::from(x.checked_sub(first)?);
    (column < width).then(|| step(column, width, len))
}

/// Returns the column of `width` for `step` of `len`: the first for 0, the last for `len`.
fn column(step: usize, width: usize, len: usize) -> usize {
    step.min(len) * width.saturating_sub(1) / len.max(1)
}

/// Returns the least step of a column: the inverse of [`column`].
fn step(column: usize, width: usize, len: usize) -> usize {
    let last = width.saturating_sub(1).max(1);
    (column * len).div_ceil(last).min(len)
}

impl Widget for Scrubber<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let here = self.look.strong(Role::Here);
        let state = if self.playing { self.look.pick("►", ">") } else { "||" };
        let done = self.look.chosen();
        pen.text(1, 0, state, done);
        let width = usize::from(pen.width().saturating_sub(HEAD));
        let at = column(self.at, width, self.len);
        for column in 0..width {
            let past = column <= at;
            let glyph = if past { self.look.pick("━", "=") } else { self.look.pick("─", "-") };
            let style = if past { done } else { self.look.dim() };
            pen.text(HEAD + column as u16, 0, glyph, style);
        }
        // Omit the barriers if their marks would touch.
        if self.barriers.len() * 2 <= width {
            for barrier in self.barriers {
                let column = column(*barrier, width, self.len);
                let style = if column <= at { done } else { self.look.text() };
                pen.text(HEAD + column as u16, 0, self.look.pick("┼", "+"), style);
            }
        }
        for (step, basic, ascii) in self
            .window
            .map_or([None; 2], |window| {
                [Some((window.start, "├", "[")), Some((window.end, "┤", "]"))]
            })
            .into_iter()
            .flatten()
        {
            let column = column(step, width, self.len);
            pen.text(HEAD + column as u16, 0, self.look.pick(basic, ascii), self.look.text());
        }
        for step in self.found {
            let column = column(*step, width, self.len);
            let bad = self.look.strong(Role::Bad);
            pen.text(HEAD + column as u16, 0, self.look.pick("▲", "!"), bad);
        }
        if width > 0 {
            pen.text(HEAD + at as u16, 0, self.look.pick("●", "O"), here);
        }
    }
}
