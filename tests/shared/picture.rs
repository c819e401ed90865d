//! A widget's output as text, as colours, and at every size.

use matviz::tui::theme::{Depth, Glyphs, Look, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// A look with everything that a terminal can do.
pub(super) const RICH: Look =
    Look { theme: Theme::Dark, depth: Depth::True, glyphs: Glyphs::Basic };
/// Colours, but ASCII characters only.
pub(super) const ASCII: Look = Look { glyphs: Glyphs::Ascii, ..RICH };
/// No colours (`NO_COLOR`).
pub(super) const MONO: Look = Look { depth: Depth::Mono, ..RICH };
/// The user's own 16 colours.
pub(super) const ANSI: Look = Look { depth: Depth::Ansi, ..RICH };

pub(super) fn buffer(widget: impl Widget, width: u16, height: u16) -> Buffer {
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    widget.render(buf.area, &mut buf);
    buf
}

/// Returns the characters alone, without blanks at the ends of rows.
pub(super) fn text(widget: impl Widget, width: u16, height: u16) -> String {
    let buf = buffer(widget, width, height);
    rows(&buf, |cell| cell.symbol().to_owned())
}

/// Draws at every small size, at some large ones, and partly outside the buffer.
pub(super) fn survives<W: Widget>(widget: impl Fn(Look) -> W) {
    for look in [RICH, ASCII, MONO, ANSI] {
        for width in (0..40).chain([80, 120, 200]) {
            for height in (0..14).chain([24, 36, 60]) {
                buffer(widget(look), width, height);
            }
        }
        let mut buf = Buffer::empty(Rect::new(5, 5, 20, 8));
        for area in [Rect::new(0, 0, 60, 20), Rect::new(20, 10, 300, 90), Rect::new(90, 90, 9, 9)] {
            widget(look).render(area, &mut buf);
        }
    }
}

/// Returns one line per row, made of `name` of each cell.
pub(super) fn rows(buf: &Buffer, name: impl Fn(&ratatui::buffer::Cell) -> String) -> String {
    let width = usize::from(buf.area.width).max(1);
    let lines = buf.content.chunks(width).map(|row| row.iter().map(&name).collect::<String>());
    lines.map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
