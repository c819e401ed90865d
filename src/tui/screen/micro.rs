//! The smallest screen: the sentence and the progress of the run.

use crate::tui::facts::redacted;
use crate::tui::layout::Areas;
use crate::tui::layout::text::{wrap_balanced, wrapped};
use crate::tui::view_model::ViewModel;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Text};
use ratatui::widgets::Widget;

/// Draws both: the sentence on all rows but the last, the progress on the last.
pub fn draw(view: &ViewModel<'_>, areas: &Areas, buf: &mut Buffer) {
    let Rect { width, height, .. } = areas.sentence;
    let wider = view.lesson.map(|lesson| wider(&lesson.place(), (width, height)));
    let wider = wider.unwrap_or_default();
    let rows = height - wider.len() as u16;
    let mut lines = Vec::new();
    if rows > 0 {
        lines = wrap_balanced(&redacted::sentence(view.app, view.session.sentence()), width, rows);
    }
    lines.extend(wider);
    Text::styled(lines.join("\n"), view.look.text()).render(areas.sentence, buf);
    let (at, len) = (view.session.at(), view.session.trace().len());
    let area = areas.scrubber;
    let done = usize::from(area.width) * at / len.max(1);
    let glyph = view.look.pick("━", "=");
    let progress = glyph.repeat(done.min(area.width.into()));
    Line::styled(progress, view.look.text()).render(area, buf);
}

/// Says where a lesson is and what it needs, in whole words, as far as columns and rows allow.
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
