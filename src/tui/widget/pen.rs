//! A pen that writes within one area of a buffer: nothing that a widget draws can fall outside.

use crate::tui::layout::text::width;
use crate::tui::theme::Look;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

/// Writes at (x, y) relative to the area's upper left corner, and cuts what does not fit.
pub(in crate::tui) struct Pen<'a> {
    buf: &'a mut Buffer,
    area: Rect,
    /// The look of the screen.
    pub(in crate::tui) look: Look,
}

impl<'a> Pen<'a> {
    /// Creates a pen for the part of `area` that is inside the buffer.
    pub(super) fn new(area: Rect, buf: &'a mut Buffer, look: Look) -> Self {
        let area = area.intersection(buf.area);
        Self { buf, area, look }
    }

    /// The part of the area that is inside the buffer.
    pub(super) const fn area(&self) -> Rect {
        self.area
    }

    /// The number of columns of the area.
    pub(super) const fn width(&self) -> u16 {
        self.area.width
    }

    /// The number of rows of the area.
    pub(super) const fn height(&self) -> u16 {
        self.area.height
    }

    /// Writes `text` from column `x`; returns the column after it.
    pub(in crate::tui) fn text(&mut self, x: u16, y: u16, text: &str, style: Style) -> u16 {
        if x >= self.width() || y >= self.height() {
            return x;
        }
        let room = usize::from(self.width() - x);
        let (end, _) = self.buf.set_stringn(self.area.x + x, self.area.y + y, text, room, style);
        end - self.area.x
    }

    /// Writes `text` so that it ends before column `end`, if it fits there.
    pub(super) fn right(&mut self, end: u16, y: u16, text: &str, style: Style) {
        if let Some(x) = end.min(self.width()).checked_sub(width(text)) {
            self.text(x, y, text, style);
        }
    }

    /// Writes `symbol` `count` times.
    pub(super) fn repeat(&mut self, x: u16, y: u16, count: u16, symbol: &str, style: Style) {
        for column in x..x.saturating_add(count).min(self.width()) {
            self.text(column, y, symbol, style);
        }
    }

    /// Applies a style to `count` cells of a row from column `x`, whatever is written there.
    pub(super) fn wash(&mut self, x: u16, y: u16, count: u16, style: Style) {
        for column in x..x.saturating_add(count).min(self.width()) {
            if let Some(cell) = self.cell(column, y) {
                cell.set_style(style);
            }
        }
    }

    /// Returns a pen for a part of the area, relative to its upper left corner.
    pub(super) fn part(&mut self, part: Rect) -> Pen<'_> {
        let area = Rect { x: self.area.x + part.x, y: self.area.y + part.y, ..part };
        Pen { area: area.intersection(self.area), buf: self.buf, look: self.look }
    }

    /// Draws a widget into a part of the area, relative to its upper left corner.
    pub(super) fn widget(&mut self, part: Rect, widget: impl Widget) {
        let area = Rect { x: self.area.x + part.x, y: self.area.y + part.y, ..part };
        widget.render(area.intersection(self.area), self.buf);
    }

    /// Returns the cell at (x, y), if it is inside the area.
    pub(super) fn cell(&mut self, x: u16, y: u16) -> Option<&mut Cell> {
        if x >= self.width() || y >= self.height() {
            return None;
        }
        self.buf.cell_mut((self.area.x + x, self.area.y + y))
    }
}
