//! A lesson on the screen: its page beside the panels, and what it lights on them.

mod dials;
mod gaps;
mod marks;

use crate::tui::page::LaidOutPage;
pub use dials::{dial_at, draw as draw_dials, leave_text};
pub use gaps::gaps;
pub use marks::{draw_prediction, mark, mark_stage, pointing};

use crate::lesson::session::SessionView;
use crate::tui::layout::text::fitting;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::page::PagePanel;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::widgets::Widget;

/// What the sentence says when a question is open and a key would move the run.
const REFUSED: &str = "first answer, or Esc";

/// Draws the page, if it has room.
pub fn draw(view: &ViewModel<'_>, buf: &mut Buffer) {
    let (Some(lesson), Some(laid)) = (view.lesson, &view.page) else { return };
    let area = view.page_area;
    let now = lesson.now();
    let first = laid.paging.first(lesson.turned);
    let title = if now.over {
        format!("Lesson {}  {}", now.lesson.0, now.lesson.1)
    } else {
        format!("{}  {}", lesson.place(), now.title)
    };
    let notes = notes(view, now, laid, first);
    // Where it is matters more than the end of a long title.
    let room = usize::from(area.width).saturating_sub(8);
    let fits = |note: &&String| title.chars().count() + note.len() <= room;
    let note = notes.iter().find(fits).or(notes.last()).map_or("", String::as_str);
    let titles = [title, lesson.place()];
    let title = fitting(&titles, room.saturating_sub(note.len()) as u16);
    let (body, foot, look, follows) = (&laid.body, &laid.foot, view.look, lesson.waits());
    PagePanel { title, note, body, first, foot, follows, look }.render(area, buf);
}

/// How far the lesson is or, of a text that has to be turned, how far that is: the longest wording
/// first.
fn notes(view: &ViewModel<'_>, now: &SessionView, laid: &LaidOutPage, first: u16) -> Vec<String> {
    let (at, all, ends) = laid.paging.place(first);
    if all == 1 {
        let SessionView { page, pages, .. } = now;
        let short = format!("{page} of {pages}");
        let notes =
            if now.over || now.review { Vec::new() } else { vec![format!("page {short}"), short] };
        return notes;
    }
    let turn = if ends { "lesson-turn-back" } else { "lesson-turn" };
    let turn = view.keymap.first_key(turn).unwrap_or_default();
    vec![format!("{at} of {all}, {turn}"), turn]
}

/// The lesson's caption, which replaces the step's.
pub fn sentence(view: &ViewModel<'_>) -> Option<(String, Style)> {
    let lesson = view.lesson?;
    match lesson.computed() {
        Some(computed) => Some((computed, view.look.chosen())),
        None if view.dials.is_some() => Some((dials::SENTENCE.to_owned(), view.look.chosen())),
        None if view.over => {
            let (number, title) = &lesson.now().lesson;
            Some((format!("Lesson {number}, {title}: done."), view.look.chosen()))
        }
        None => lesson.refused.then(|| (REFUSED.to_owned(), view.look.chosen())),
    }
}
