//! A lesson's marks on the panels: lights on answers pointed at and on what an answer counts, covers on
//! what is to be predicted.

use crate::lesson::session::Topic;
use crate::lesson::target::Target;
use crate::tui::facts::things::{lit, point};
use crate::tui::keymap::POINT;
use crate::tui::layout::Panel;
use crate::tui::layout::text::wrap_balanced;
use crate::tui::lesson::ActiveLesson;
use crate::tui::screen::panels;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::chosen;
use crate::tui::widget::stage::{StagePicture, marked_places};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Text;
use ratatui::widgets::{Clear, Widget};

/// Lights what a lesson lights on a panel that has been drawn.
pub fn mark(view: &ViewModel<'_>, panel: Panel, area: Rect, buf: &mut Buffer) {
    let Some(lesson) = view.lesson else { return };
    let now = lesson.now();
    let places = |things: Vec<&Target>| places(view, panel, area, &things);
    if now.question.is_some() {
        chosen::mark(buf, view.look, &places(lesson.input.marked.iter().collect()));
        chosen::follow(buf, view.look, &places(lesson.input.pointer.iter().collect()));
    }
    let lit = places(lit(view.app));
    match panel {
        // The colours tell used from unused.
        Panel::Lines | Panel::Banks => chosen::underline(buf, view.look, &lit),
        _ => chosen::evidence(buf, view.look, &lit),
    }
}

/// Puts brackets around what an answer counts on the stage.
pub fn mark_stage(view: &ViewModel<'_>, picture: &StagePicture<'_>, area: Rect, buf: &mut Buffer) {
    chosen::evidence(buf, view.look, &marked_places(picture, area));
}

/// Returns the columns and half rows that show things on a panel.
fn places(view: &ViewModel<'_>, panel: Panel, area: Rect, things: &[&Target]) -> Vec<Rect> {
    // The panel of the warps lights these itself.
    let own = |target: &&&Target| {
        !matches!(target, Target::Warp(_) | Target::Lane(_) | Target::Thread { .. })
    };
    let points: Vec<_> =
        things.iter().filter(own).filter_map(|target| point(view.app, target)).collect();
    panels::places(view, panel, area, &points)
}

/// Says on a panel that what it will show is to be predicted, now or later.
pub fn draw_prediction(view: &ViewModel<'_>, panel: Panel, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    Clear.render(area, buf);
    buf.set_style(area, view.look.ground());
    let asked =
        |lesson: &ActiveLesson| panel != Panel::Measured || lesson.session.asks(Topic::Time);
    let told = if view.lesson.is_some_and(asked) {
        "hidden until you answer"
    } else {
        "the lesson asks this later"
    };
    let lines = wrap_balanced(told, area.width, area.height);
    Text::styled(lines.join("\n"), view.look.dim()).render(area, buf);
}

/// What the arrows do while an answer is pointed at, in the words of the footer.
pub fn pointing(view: &ViewModel<'_>) -> &'static str {
    let between = view.lesson.is_some_and(ActiveLesson::points_between);
    if between { "arrows: move the mark" } else { POINT }
}
