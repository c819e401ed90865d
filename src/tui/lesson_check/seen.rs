//! What is read on a frame: words, whatever lines they are on, and whether something is lit.

use crate::lesson::session::LessonSession;
use crate::tui::app::App;
use crate::tui::frame;
use crate::tui::layout::Panel;
use crate::tui::page;
use crate::tui::session::SeekGoal;
use crate::tui::theme::{Depth, Glyphs, Look};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Color;

/// A frame of the screen as it is.
pub(super) fn drawn(app: &App) -> Buffer {
    let size = app.size();
    frame(app, size.width, size.height)
}

/// A frame of the screen for the plainest terminal: in ASCII characters and 16 colours.
pub(super) fn drawn_plain(app: &mut App) -> Buffer {
    let plain = Look { glyphs: Glyphs::Ascii, depth: Depth::Ansi, ..app.display.look };
    let usual = std::mem::replace(&mut app.display.look, plain);
    let buf = drawn(app);
    app.display.look = usual;
    buf
}

/// Whether a cell has a colour that a terminal of 16 does not know.
pub(super) fn has_more_colours(cell: &Cell) -> bool {
    let is_more = |colour| matches!(colour, Color::Rgb(..) | Color::Indexed(_));
    is_more(cell.fg) || is_more(cell.bg)
}

/// All that the screen shows, as one line like that of [`text`].
pub(super) fn whole(buf: &Buffer) -> String {
    within(buf, buf.area)
}

/// The text beside the picture, as one line: only letters and digits with a blank between words, so
/// that neither line ends nor frames matter.
pub(super) fn text(app: &App, buf: &Buffer) -> String {
    within(buf, page::page_area(app, &app.areas()).intersection(buf.area))
}

/// The rest of the screen, beside the text.
pub(super) fn beside(app: &App, buf: &Buffer) -> String {
    let page = page::page_area(app, &app.areas());
    let cells = buf.area.positions().filter(|at| !page.contains(*at));
    // A row of the screen ends a word.
    let words = cells.map(|at| if at.x == 0 { " " } else { "" }.to_owned() + buf[at].symbol());
    plain(&words.collect::<String>())
}

/// The words of the first two rows and of the panels' frames, without numbers.
pub(super) fn around(app: &App) -> String {
    let (buf, areas) = (drawn(app), app.areas());
    let titles = areas.panels.iter().map(|(_, area)| Rect { height: 1, ..*area });
    let rows = [areas.status, areas.sentence, areas.stage].into_iter().chain(titles);
    let words: Vec<_> = rows.map(|row| within(&buf, row)).collect();
    let is_word = |word: &&str| !word.contains(|c: char| c.is_ascii_digit());
    words.join(" ").split(' ').filter(is_word).collect::<Vec<_>>().join(" ")
}

fn within(buf: &Buffer, area: Rect) -> String {
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

/// Whether a part of the screen shows the evidence of an answer: what the lesson lights there, or
/// else what the step that is shown has done.
pub(super) fn shows(app: &mut App, area: Rect) -> bool {
    let shown = drawn(app);
    let inside = area.intersection(shown.area);
    let differs = |other: &Buffer| inside.positions().any(|at| shown[at] != other[at]);
    differs(&unlit(app)) || app.at() > 0 && differs(&before(app))
}

/// The frame without what the lesson lights.
fn unlit(app: &mut App) -> Buffer {
    let swap = |app: &mut App, session: LessonSession| match app.mode.lesson_mut() {
        Some(lesson) => std::mem::replace(&mut lesson.session, session),
        None => session,
    };
    let Some(session) = app.mode.lesson().map(|lesson| lesson.session.unlit()) else {
        return drawn(app);
    };
    let usual = swap(app, session);
    let buf = drawn(app);
    swap(app, usual);
    buf
}

/// The frame one step before.
fn before(app: &mut App) -> Buffer {
    let at = app.at();
    app.run.session.go(SeekGoal::Step(at - 1));
    let buf = drawn(app);
    app.run.session.go(SeekGoal::Step(at));
    buf
}
