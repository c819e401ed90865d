//! The list of lessons, over the whole screen.

use crate::lesson::progress::{self, LessonStatus};
use crate::tui::keymap::Context;
use crate::tui::layout::text::wrap_balanced;
use crate::tui::lesson::CourseList;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::course::{self, LessonList, Row};
use crate::tui::widget::footer::Footer;
use crate::tui::widget::status::StatusBar;
use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::text::Text;
use ratatui::widgets::{Clear, Widget};

/// Columns of the list: wider, its rows would be hard to follow.
const WIDEST: u16 = 130;
/// The columns in which one line says what a lesson is about.
const ONE_LINE: u16 = 100;

/// Draws the list.
pub fn draw(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    let Some(list) = view.app.mode.list() else { return };
    Clear.render(area, buf);
    buf.set_style(area, view.look.ground());
    let [status, sentence, _, footer] = rows(area);
    let rows: Vec<_> = list.rows.iter().map(row).collect();
    let (chosen, look) = (list.chosen, view.look);
    let items = ["Lessons".to_owned(), format!("{} of {} done", done(list), rows.len())];
    let about = list.rows.get(chosen).map_or("", |row| &row.about);
    let style = look.bold();
    let room = sentence.width.saturating_sub(2);
    let lines = wrap_balanced(about, room, sentence.height);
    let inside = Rect { x: sentence.x + 1, width: room, ..sentence };
    Text::styled(lines.join("\n"), style).render(inside, buf);
    StatusBar { items: &items, pace: "", playing: false, look }.render(status, buf);
    LessonList { rows: &rows, chosen, look }.render(middle(area, list), buf);
    let context = view.app.overlay.as_ref().map_or(Context::Course, |_| Context::Overlay);
    let (keymap, message, idle) = (view.keymap, view.app.message.as_deref(), &view.app.idle());
    Footer::over_the_run(keymap, context, idle, message, look).render(footer, buf);
}

fn row(lesson: &progress::Row) -> Row<'_> {
    let place = lesson.page.filter(|_| lesson.state == LessonStatus::Begun);
    let note = match (place, &lesson.open[..]) {
        (Some(page), _) => format!("stands at {}.{page}", lesson.number),
        (None, []) => String::new(),
        (None, open) => format!("{} left open", open.join(", ")),
    };
    Row {
        number: lesson.number,
        title: &lesson.title,
        minutes: lesson.minutes,
        done: lesson.state == LessonStatus::Done,
        note,
        about: &lesson.about,
    }
}

/// The lessons that are done.
fn done(list: &CourseList) -> usize {
    list.rows.iter().filter(|row| row.state == LessonStatus::Done).count()
}

/// Status, what the chosen lesson is about, the list, the keys.
fn rows(area: Rect) -> [Rect; 4] {
    let roomy = area.height > 8;
    let about = match (roomy, area.width) {
        (false, _) => 0,
        (true, ..ONE_LINE) => 2,
        (true, _) => 1,
    };
    let rows = [Length(u16::from(roomy)), Length(about), Fill(1), Length(u16::from(roomy))];
    Layout::vertical(rows).areas(area)
}

/// Where the list stands: as high as it needs, at the top.
fn middle(area: Rect, list: &CourseList) -> Rect {
    let [_, _, middle, _] = rows(area);
    let height = (list.rows.len() as u16 + 2).min(middle.height);
    Rect { width: middle.width.min(WIDEST), height, ..middle }
}

/// Returns the lesson on a row of the screen.
pub fn line_at(view: &ViewModel<'_>, screen: Rect, y: u16) -> Option<usize> {
    let list = view.app.mode.list()?;
    let place = (list.chosen, list.rows.len());
    course::line_at(middle(screen, list), place, y)
}
