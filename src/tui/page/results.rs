//! The results of a lesson, on the page after its last one.

use super::prose::{Prose, blank, rule};
use crate::lesson::document::Piece;
use crate::lesson::progress::{Results, results};
use crate::tui::app::App;
use crate::tui::lesson::ActiveLesson;
use crate::tui::theme::Role;
use ratatui::text::{Line, Span};

/// Columns in which a question and how it was answered have one line.
const WIDE: u16 = 70;

/// What was predicted, the ideas to watch, and what comes next.
pub(in crate::tui) fn lines(
    app: &App,
    lesson: &ActiveLesson,
    prose: &Prose<'_>,
) -> Vec<Line<'static>> {
    let results = results(lesson.session.course(), lesson.session.lesson(), &app.lessons.kept);
    let heading = |title: &str| rule(title, prose.width, prose.look);
    let gap = || (!prose.dense).then(blank);
    let text = |text: String| prose.text(&[Piece::Plain(text)]);
    let mut lines = vec![heading("What you predicted")];
    lines.extend(gap());
    lines.extend(predicted(&results, prose));
    if !results.ideas.is_empty() {
        lines.extend(gap());
        lines.push(heading("Ideas to watch"));
        lines.extend(gap());
        for idea in &results.ideas {
            let due = idea.due.map(|lesson| format!(" It comes back in lesson {lesson}."));
            let due = due.unwrap_or_default();
            lines.extend(text(format!("\"{}\" {}.{due}", idea.says, idea.missed)));
        }
    }
    lines.extend(gap());
    if let Some((number, title, minutes)) = &results.next {
        lines.push(heading("Next"));
        lines.extend(gap());
        lines.extend(text(format!("{number}  {title}, {minutes} min")));
        lines.extend(gap());
    }
    let (done, right) = (results.done, results.right);
    let sum = format!(
        "{} of {} lessons done, {} of {} predictions right at once or in the second try.",
        done.0, done.1, right.0, right.1
    );
    lines.extend(text(sum));
    lines
}

/// A line for each question, or two where the page is narrow.
fn predicted(results: &Results, prose: &Prose<'_>) -> Vec<Line<'static>> {
    let look = prose.look;
    let mut lines = Vec::new();
    for asked in &results.lines {
        let (mark, style) = match asked.right {
            Some(true) => (look.pick("● ", "* "), look.strong(Role::C)),
            Some(false) => (look.pick("▲ ", "! "), look.strong(Role::Bad)),
            None => (look.pick("○ ", "- "), look.dim()),
        };
        let what = format!("{}  {}", asked.place, asked.title);
        let how = match asked.is.as_str() {
            "" => asked.how.clone(),
            is => format!("{is}, {}", asked.how),
        };
        let first = [Span::styled(mark, style), Span::styled(what.clone(), look.text())];
        let room = usize::from(prose.width);
        let spare = room.saturating_sub(2 + what.chars().count() + how.chars().count());
        if prose.width >= WIDE && spare > 1 {
            let rest = [Span::raw(" ".repeat(spare)), Span::styled(how, look.dim())];
            lines.push(first.into_iter().chain(rest).collect());
        } else {
            lines.push(first.into_iter().collect());
            let inside = Prose { width: prose.width.saturating_sub(4), ..*prose };
            for mut line in inside.text(&[Piece::Plain(how)]) {
                line.spans.insert(0, Span::raw("    "));
                lines.push(line);
            }
        }
    }
    lines
}
