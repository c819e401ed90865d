//! The text beside the panels while a file is edited: the table, and what is wrong.

use super::{exercise, footer};
use crate::lesson::edit::judgement::{Judgement, table};
use crate::lesson::edit::mistake::MistakeKind;
use crate::tui::edit::{CompileFailure, EditPage, Editing};
use crate::tui::layout::code::shared_indent;
use crate::tui::layout::{Areas, inner};
use crate::tui::view_model::ViewModel;
use crate::tui::widget::goals::{Excerpt, GoalLine, Goals};
use crate::tui::widget::panel::{PanelFrame, fitting};
use crate::tui::widget::status::StatusBar;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Text;
use ratatui::widgets::Widget;

/// Lines of the source around the one that is wrong, if the text has many rows.
const AROUND: u32 = 1;
/// The rows from which it has.
const MANY: u16 = 18;

/// Whether there is nothing to draw but the text: no version has compiled so far, or the text is a page of
/// its own and would have few rows.
pub fn is_blank(view: &ViewModel<'_>) -> bool {
    let text = view.areas.text;
    let is_low = !text.is_empty() && text.height < MANY;
    let fills = |editing: &Editing| editing.page.is_read() && is_low;
    view.app.mode.editing().is_some_and(|editing| editing.shown.is_none() || fills(editing))
}

/// Draws the screen of a file of which no version has compiled.
pub fn draw_blank(view: &ViewModel<'_>, areas: &Areas, buf: &mut Buffer) {
    let Some(editing) = view.app.mode.editing() else { return };
    let look = view.look;
    let items = [editing.status()];
    StatusBar { items: &items, pace: "", playing: false, look }.render(areas.status, buf);
    let area = areas.sentence;
    let inside = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let reads = || "Read it, then press Enter: the picture and the goals come back.".to_owned();
    let sentence = editing.blank().unwrap_or_else(reads);
    Text::styled(sentence, look.bold()).render(inside, buf);
    // The text has the room of the panels as well.
    let y = area.bottom();
    let middle = Rect { y, height: areas.scrubber.y.saturating_sub(y), ..areas.scrubber };
    draw(view, middle, buf);
    footer::draw(view, areas.footer, buf);
}

/// Draws the text with its frame.
pub fn draw(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    let Some(editing) = view.app.mode.editing().filter(|_| !area.is_empty()) else { return };
    let look = view.look;
    // Beside the text, in a low area, there is no room for a third column.
    let most = if area.height < MANY { 2 } else { 3 };
    let (mut heads, judgements): (Vec<_>, Vec<_>) = columns(editing).take(most).unzip();
    let fills = editing.page.is_read();
    let rows = if heads.is_empty() || fills { Vec::new() } else { table(&judgements) };
    if judgements.iter().flatten().any(|judgement| !judgement.goals.is_empty()) {
        heads.push("goal");
    }
    let head = if fills { Vec::new() } else { head(editing) };
    let lines = match editing.page {
        EditPage::Table => wrong(editing, area.height < MANY),
        EditPage::Difference => changed(editing),
        EditPage::Task => exercise::task(editing),
        EditPage::Solution => exercise::solution(editing),
    };
    let saved = editing.broken.as_ref().map(|broken| &broken.saved);
    let saved = saved.or(editing.shown.as_ref().map(|shown| &shown.saved));
    let note = saved.map_or_else(String::new, |saved| format!("saved {saved}"));
    let file = &editing.request.file;
    let by =
        editing.shown.as_ref().map(|shown| format!("{file}, by {}", shown.version.compiled_by));
    let titles = [by.unwrap_or_else(|| file.clone()), file.clone()];
    let (title, note) = fitting(&titles, &[note, String::new()], area.width);
    let frame = PanelFrame { number: None, title: &title, note: &note, focused: false, look };
    frame.render(area, buf);
    let goals = Goals {
        head: &head,
        heads: &heads,
        rows: &rows,
        lines: &lines,
        scroll: editing.scroll,
        look,
    };
    goals.render(inner(area), buf);
}

/// The columns of the table: name and content.
fn columns(editing: &Editing) -> impl Iterator<Item = (&'static str, Option<&Judgement>)> {
    let shown = editing.shown.as_ref();
    let before = editing.before.as_ref().map(|before| before.judgement.as_ref());
    let now = shown.map(|shown| shown.judgement.as_ref());
    // Of two versions, the one before is the first; an exercise has goals instead.
    let compares = editing.versions > 2 && editing.exercise().is_none();
    let first = editing.first.as_ref().filter(|_| compares);
    let first = first.map(|judgement| ("first", Some(judgement)));
    let goal = editing.goal.as_ref().map(|goal| ("goal", Some(&goal.judgement)));
    // Beside its goals an exercise needs no more than what is.
    let before = before.map(|judgement| ("before", judgement));
    let before = before.filter(|_| editing.exercise().is_none());
    let now = now.map(|judgement| ("now", judgement));
    before.into_iter().chain(now).chain(goal.or(first))
}

/// What stands above the table.
fn head(editing: &Editing) -> Vec<GoalLine> {
    let mut head = Vec::new();
    if let Some(shown) = &editing.shown {
        let by = &shown.version.compiled_by;
        let short = by.split_whitespace().next().unwrap_or(by);
        head.push(GoalLine::dim(&format!("Simulated; compiled by {short}.")));
        let assumed = shown.version.usual();
        if !assumed.is_empty() {
            head.push(GoalLine::dim(&format!(
                "Assuming {}; a line // launch: in the file says otherwise.",
                assumed.join(" ")
            )));
        }
    }
    head
}

/// What is wrong: that it does not compile, or the mistake that is looked at.
fn wrong(editing: &Editing, brief: bool) -> Vec<GoalLine> {
    if let Some(why) = &editing.lost {
        return vec![GoalLine::bad(&format!("{} {why}.", editing.request.file))];
    }
    if let Some(broken) = &editing.broken {
        return broken_lines(broken, brief);
    }
    let Some(shown) = &editing.shown else { return Vec::new() };
    let Some(mistakes) = editing.mistakes() else {
        return vec![GoalLine::dim("It is being checked.")];
    };
    let Some(mistake) = mistakes.get(editing.mistake) else {
        return match editing.exercise() {
            Some(_) => exercise::solved(),
            None => {
                vec![GoalLine::good("Nothing is wrong: C is right, and nothing was found.")]
            }
        };
    };
    let which = match mistakes.len() {
        1 => String::new(),
        count => format!("{} of {count}: ", editing.mistake + 1),
    };
    let mut lines = vec![GoalLine::bad(&format!("{which}{}", mistake.what))];
    if let Some(line) = mistake.line {
        lines.extend(excerpt(&shown.version.text, line, None, brief));
    }
    lines.push(GoalLine::text(&mistake.why));
    if let Some(orders) = shown.orders.as_ref().filter(|_| mistake.kind == MistakeKind::Unsound) {
        lines.push(gap(brief));
        lines.push(GoalLine::text(orders));
    }
    if mistake.place.is_some() && !editing.is_visited {
        lines.extend([gap(brief), GoalLine::dim("Enter goes there.")]);
    }
    lines
}

/// What stands between two parts of the text, unless it has to be brief.
const fn gap(brief: bool) -> GoalLine {
    if brief { GoalLine::None } else { GoalLine::Blank }
}

/// The line that does not compile, with a caret, and what is wrong with it.
fn broken_lines(CompileFailure { text, error, .. }: &CompileFailure, brief: bool) -> Vec<GoalLine> {
    let mut lines = Vec::new();
    if error.line > 0 {
        lines.push(GoalLine::bad(&format!("Line {} does not compile.", error.line)));
        let caret = Some((error.column, error.length));
        lines.extend(excerpt(text, error.line, caret, brief));
    }
    lines.push(GoalLine::text(&sentence(&error.message)));
    lines.extend(error.hint.as_ref().map(|hint| GoalLine::text(&sentence(hint))));
    lines
}

fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if message.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// A line of a source, with those around it unless it has to be brief, and perhaps a caret: the column,
/// from 1, and the length of what is wrong.
fn excerpt(text: &str, line: u32, caret: Option<(u32, u32)>, brief: bool) -> Vec<GoalLine> {
    let around = if brief { 0 } else { AROUND };
    let near = (1_u32..).zip(text.lines()).filter(|(number, _)| number.abs_diff(line) <= around);
    let near: Vec<_> = near.collect();
    let indent = shared_indent(near.iter().map(|(_, text)| *text));
    let lines = near.into_iter().map(|(number, text)| {
        let now = number == line;
        let inside = |(column, length): (u32, u32)| (column.saturating_sub(indent as u32), length);
        let caret = caret.filter(|_| now).map(inside);
        let text = text.chars().skip(indent).collect();
        GoalLine::Source(Excerpt { number, text, now, caret, sign: None })
    });
    [gap(brief)].into_iter().chain(lines).chain([gap(brief)]).collect()
}

/// What changed since the save before.
fn changed(editing: &Editing) -> Vec<GoalLine> {
    let new = editing.broken.as_ref().map(|broken| &broken.text);
    let shown = editing.shown.as_ref().map(|shown| &shown.version.text);
    let before = editing.before.as_ref().map(|before| &before.text);
    let old = if new.is_some() { shown } else { before };
    let Some((old, new)) = old.zip(new.or(shown)) else {
        return vec![GoalLine::dim("This is the first version: nothing has changed yet.")];
    };
    let lines = GoalLine::difference(old, new);
    if lines.is_empty() {
        return vec![GoalLine::dim("Nothing has changed since the save before.")];
    }
    let heading = GoalLine::text("What changed since the save before:");
    [heading, GoalLine::blank()].into_iter().chain(lines).collect()
}
