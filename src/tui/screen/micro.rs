//! The smallest screen: the sentence and the progress of the run.

use super::lesson;
use crate::tui::app::App;
use crate::tui::layout::Areas;
use crate::tui::layout::text::{wrap_balanced, wrapped};
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Text};
use ratatui::widgets::Widget;

/// Draws both: the sentence on all rows but the last, the progress on the last.
pub fn draw(app: &App, areas: &Areas, buf: &mut Buffer) {
    let Rect { width, height, .. } = areas.sentence;
    let wider = app.lesson.as_deref().map(|lesson| wider(&lesson.place(), (width, height)));
    let wider = wider.unwrap_or_default();
    let rows = height - wider.len() as u16;
    let mut lines = Vec::new();
    if rows > 0 {
        lines = wrap_balanced(&lesson::told(app, app.session.sentence()), width, rows);
    }
    lines.extend(wider);
    Text::styled(lines.join("\n"), app.look.text()).render(areas.sentence, buf);
    let (at, len) = (app.session.at(), app.session.trace().len());
    let area = areas.scrubber;
    let done = usize::from(area.width) * at / len.max(1);
    let glyph = app.look.pick("━", "=");
    let progress = glyph.repeat(done.min(area.width.into()));
    Line::styled(progress, app.look.ink(Role::Here)).render(area, buf);
}

/// Says where a lesson is and what it needs, in whole words: as much of it as fits into so many
/// columns and rows.
fn wider(place: &str, (columns, rows): (u16, u16)) -> Vec<String> {
    let told = [
        format!("lesson {place}: widen the window"),
        "widen the window".to_owned(),
        format!("lesson {place}"),
        place.to_owned(),
    ];
    let mut lines = told.iter().map(|text| wrapped(text, columns));
    let fits = |lines: &Vec<String>| {
        lines.len() <= rows.into()
            && lines.iter().all(|line| line.chars().count() <= columns.into())
    };
    lines.find(fits).unwrap_or_default()
}
