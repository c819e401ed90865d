//! What a lesson puts on the panels: it lights what is pointed at to answer and what an answer counts,
//! puts texts between the lines of the listing, and covers what is to be predicted.

use crate::lesson::answer::Value;
use crate::lesson::document::Kind;
use crate::lesson::question::Question;
use crate::lesson::thing::Thing;
use crate::lesson::walk::Topic;
use crate::tui::facts::things::point;
use crate::tui::keymap::POINT;
use crate::tui::layout::Panel;
use crate::tui::layout::text::wrap_balanced;
use crate::tui::lesson::Taking;
use crate::tui::screen::panels;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::chosen;
use crate::tui::widget::source::{Gap, Means};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Text;
use ratatui::widgets::{Clear, Widget};
use std::collections::BTreeSet;

/// Lights what a lesson lights on a panel that has been drawn.
pub fn mark(view: &ViewModel<'_>, panel: Panel, area: Rect, buf: &mut Buffer) {
    let Some(lesson) = view.lesson else { return };
    let now = lesson.now();
    let places = |things: Vec<&Thing>| places(view, panel, area, &things);
    if now.question.is_some() {
        chosen::mark(buf, view.look, &places(lesson.input.marked.iter().collect()));
        chosen::point(buf, view.look, &places(lesson.input.pointer.iter().collect()));
    }
    // On its way to the evidence, the run does not show yet what is lit there.
    let reply =
        now.reply.as_ref().filter(|reply| reply.play_to.is_none_or(|to| to == view.app.at()));
    let lit = reply.iter().flat_map(|reply| &reply.marks).collect();
    let lit = places(lit);
    match panel {
        // What is used and what is not is told by the colours.
        Panel::Lines | Panel::Banks => chosen::underline(buf, view.look, &lit),
        _ => chosen::evidence(buf, view.look, &lit),
    }
}

/// Returns the columns and half rows that show things on a panel.
fn places(view: &ViewModel<'_>, panel: Panel, area: Rect, things: &[&Thing]) -> Vec<Rect> {
    // The panel of the warps lights these itself.
    let own =
        |thing: &&&Thing| !matches!(thing, Thing::Warp(_) | Thing::Lane(_) | Thing::Thread { .. });
    let points: Vec<_> =
        things.iter().filter(own).filter_map(|thing| point(view.app, thing)).collect();
    panels::places(view, panel, area, &points)
}

/// Says on a panel that what it will show is to be predicted, now or later.
pub fn draw_prediction(view: &ViewModel<'_>, panel: Panel, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    Clear.render(area, buf);
    buf.set_style(area, view.look.ground());
    let asked = |lesson: &Taking| panel != Panel::Measured || lesson.walk.asks(Topic::Time);
    let told = if view.lesson.is_some_and(asked) {
        "hidden until you answer"
    } else {
        "the lesson asks this later"
    };
    let lines = wrap_balanced(told, area.width, area.height);
    Text::styled(lines.join("\n"), view.look.dim()).render(area, buf);
}

/// Returns the texts that are put into the listing, in the order of its lines.
pub fn gaps<'a>(view: &ViewModel<'a>) -> Vec<Gap<'a>> {
    let Some(lesson) = view.lesson else { return Vec::new() };
    let is_gap = |question: &&Question| question.kind == Kind::Gap;
    if let Some(question) = lesson.question().filter(is_gap) {
        let pointer = lesson.input.pointer.as_ref().and_then(line);
        return pointer.and_then(|line| gap(question, line, Means::Here)).into_iter().collect();
    }
    let answered = lesson.asked.as_ref().filter(|_| lesson.now().reply.is_some());
    let Some((question, input)) = answered.filter(|(question, _)| is_gap(&question)) else {
        return Vec::new();
    };
    let right = accepted(question);
    let given = lesson.now().reply.as_ref().is_some_and(|reply| reply.you.is_some());
    let own = input.pointer.as_ref().and_then(line).filter(|_| given);
    let all: BTreeSet<_> = right.iter().copied().chain(own).collect();
    let means = |line| if right.contains(&line) { Means::Right } else { Means::Wrong };
    all.into_iter().filter_map(|line| gap(question, line, means(line))).collect()
}

/// What the arrows do while an answer is pointed at, in the words of the footer.
pub fn pointing(view: &ViewModel<'_>) -> &'static str {
    let between = view.lesson.is_some_and(Taking::points_between);
    if between { "arrows: move the mark" } else { POINT }
}

fn gap(question: &Question, line: u32, means: Means) -> Option<Gap<'_>> {
    Some(Gap { line, text: question.insert.as_deref()?, means })
}

/// The lines after which the text belongs.
fn accepted(question: &Question) -> BTreeSet<u32> {
    match &question.right.value {
        Value::Things(things) => things.iter().filter_map(line).collect(),
        _ => BTreeSet::new(),
    }
}

const fn line(thing: &Thing) -> Option<u32> {
    match thing {
        Thing::Line(line) => Some(*line),
        _ => None,
    }
}
