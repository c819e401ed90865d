//! The smallest screen: the sentence and the progress of the run.

use crate::tui::app::App;
use crate::tui::layout::Areas;
use crate::tui::theme::Role;
use crate::tui::widget::{cut, wrap_balanced};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Text};
use ratatui::widgets::Widget;

/// Draws both: the sentence on all rows but the last, the progress on the last.
pub fn draw(app: &App, areas: &Areas, buf: &mut Buffer) {
    let Rect { width, height, .. } = areas.sentence;
    let lesson = app.lesson.as_deref().filter(|_| height > 1);
    let wider = lesson.map(|lesson| format!("lesson {}: widen the window", lesson.place()));
    let rows = height - u16::from(wider.is_some());
    let mut lines = wrap_balanced(app.session.sentence(), width, rows);
    lines.extend(wider.map(|text| cut(&text, width)));
    Text::styled(lines.join("\n"), app.look.text()).render(areas.sentence, buf);
    let (at, len) = (app.session.at(), app.session.trace().len());
    let area = areas.scrubber;
    let done = usize::from(area.width) * at / len.max(1);
    let glyph = app.look.pick("━", "=");
    let progress = glyph.repeat(done.min(area.width.into()));
    Line::styled(progress, app.look.ink(Role::Here)).render(area, buf);
}
