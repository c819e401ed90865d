//! The lines in which a page's kernel is changed, in the place of the text.

use super::prose::{Prose, blank, rule};
use super::question;
use crate::lesson::document::{Para, Piece};
use crate::lesson::edit::difference::{DiffLine, Sign};
use crate::tui::app::App;
use crate::tui::layout::code::{shared_indent, wrapped};
use crate::tui::lesson::ActiveLesson;
use crate::tui::theme::{Look, Role};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Columns of a line's sign and number.
const HEAD: u16 = 7;

/// The changed lines with some around them, under a heading.
pub(in crate::tui) fn lines(lesson: &ActiveLesson, prose: &Prose<'_>) -> Vec<Line<'static>> {
    let Some(different) = &lesson.different else { return Vec::new() };
    let undone = lesson.session.changed() == Some(false);
    let said = if undone {
        "The change is undone at the moment. This is what it does:"
    } else {
        "This is what was changed in the kernel:"
    };
    let mut lines = vec![rule("What is different", prose.width, prose.look)];
    lines.extend((!prose.dense).then(blank));
    lines.extend(prose.lines(&[Para::Text(vec![Piece::Plain(said.to_owned())])]));
    lines.extend((!prose.dense).then(blank));
    let indent = shared_indent(different.iter().map(|line| &*line.text));
    lines.extend(different.iter().flat_map(|line| drawn(line, indent, prose)));
    lines
}

/// A line with its sign and number; one that is too long goes on below, broken at an operator.
fn drawn(line: &DiffLine, indent: usize, prose: &Prose<'_>) -> Vec<Line<'static>> {
    let style = style(line.sign, prose.look);
    if line.sign == Sign::Gap {
        return vec![blank()];
    }
    let text: String = line.text.chars().skip(indent).collect();
    let parts = wrapped(&text, prose.width.saturating_sub(HEAD)).into_iter().enumerate();
    let part = |(index, part): (usize, String)| {
        let head = match index {
            0 => format!("{} {:>3}  ", line.sign.mark(), line.number),
            _ => " ".repeat(HEAD.into()),
        };
        Line::from(vec![Span::styled(head, style), Span::styled(part, style)])
    };
    parts.map(part).collect()
}

fn style(sign: Sign, look: Look) -> Style {
    match sign {
        Sign::Gone => look.strong(Role::Bad),
        Sign::New => look.strong(Role::C),
        Sign::Same | Sign::Gap => look.dim(),
    }
}

/// The keys that lead back.
pub(in crate::tui) fn keys(app: &App, prose: &Prose<'_>) -> Vec<Line<'static>> {
    let offers = [("lesson-difference", "back to the text", true)];
    question::keys(&app.keymap.offered(&offers), prose.width, false, prose.look)
}
