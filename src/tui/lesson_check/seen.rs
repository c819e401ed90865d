//! What is read on a frame: words, whatever lines they are on, and whether something is lit.

use crate::tui::app::App;
use crate::tui::frame;
use crate::tui::layout::Panel;
use crate::tui::theme::Glyphs;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A frame of the screen as it is.
pub(super) fn drawn(app: &App) -> Buffer {
    let size = app.size();
    frame(app, size.width, size.height)
}

/// A frame of the screen in ASCII characters.
pub(super) fn drawn_in_ascii(app: &mut App) -> Buffer {
    let usual = std::mem::replace(&mut app.look.glyphs, Glyphs::Ascii);
    let buf = drawn(app);
    app.look.glyphs = usual;
    buf
}

/// The text beside the picture, as one line: only letters and digits with a blank between words, so
/// that neither line ends nor frames matter.
pub(super) fn text(app: &App, buf: &Buffer) -> String {
    let area = app.areas().text.intersection(buf.area);
    let row = |y: u16| (area.left()..area.right()).map(move |x| buf[(x, y)].symbol());
    let rows = (area.top()..area.bottom()).map(|y| row(y).collect::<String>());
    plain(&rows.collect::<Vec<_>>().join(" "))
}

/// A text with one blank instead of whatever is no letter or digit.
pub(super) fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The area of a panel, if the screen shows it.
pub(super) fn area_of(app: &App, panel: Panel) -> Option<Rect> {
    app.areas().panel(panel)
}

/// Whether a part of a frame differs from the same without what a lesson lights.
pub(super) fn is_lit(app: &mut App, area: Rect) -> bool {
    let lit = drawn(app);
    let Some(lesson) = &mut app.lesson else { return false };
    let unlit = lesson.walk.unlit();
    let usual = std::mem::replace(&mut lesson.walk, unlit);
    let without = drawn(app);
    if let Some(lesson) = &mut app.lesson {
        lesson.walk = usual;
    }
    let inside = area.intersection(lit.area);
    inside.positions().any(|at| lit[at] != without[at])
}
