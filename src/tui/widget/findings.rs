//! The findings of the block's run: the meaning and the remedy of each.

use super::panel::PanelFrame;
use super::pen::Pen;
use crate::launch::Dim3;
use crate::report::found::{CheckedReach, FindingInRun, FindingOutcome, OtherBlock};
use crate::report::number::grouped;
use crate::tui::layout::middle;
use crate::tui::layout::text::wrapped;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

/// The list of findings.
#[derive(Clone, Copy, Debug)]
pub struct FindingsPanel<'a> {
    pub found: &'a [FindingInRun],
    /// The index of the selected finding.
    pub selected: usize,
    /// Whether remedies are shown: not while the lesson asks for one.
    pub advises: bool,
    /// What has been checked, or `None` before the block has been.
    pub reach: Option<CheckedReach>,
    /// The grid, for the places of other blocks.
    pub grid: Dim3,
    pub look: Look,
}

/// The widest page that is easy to read.
const WIDEST: u16 = 100;
/// Columns before the text, for the mark.
const HEAD: u16 = 2;

impl FindingsPanel<'_> {
    /// Returns the lines of each finding: in full for all if they fit, otherwise for the selected
    /// one only.
    fn pages(&self, width: u16, rows: u16) -> Vec<Vec<(String, Style)>> {
        let pages = |full: bool| -> Vec<_> {
            let page = |number| self.lines(number, width, full || number == self.selected);
            (0..self.found.len()).map(page).collect()
        };
        let full: Vec<Vec<_>> = pages(true);
        let fits = full.iter().map(Vec::len).sum::<usize>() <= rows.into();
        if fits { full } else { pages(false) }
    }

    /// Returns the lines of one finding: the error and, in full, the remedy and where it shows.
    fn lines(&self, number: usize, width: u16, full: bool) -> Vec<(String, Style)> {
        let found = &self.found[number];
        let chosen = number == self.selected;
        let look = self.look;
        let strong = look.bold();
        let strong = if chosen { strong } else { look.text() };
        let text = format!("{}: {}", found.kind, found.message);
        let mut lines: Vec<_> =
            wrapped(&text, width).into_iter().map(|line| (line, strong)).collect();
        if !found.verdict.is_empty() {
            let (mark, style) = match found.outcome {
                FindingOutcome::Lucky => (look.pick("◆", "*"), look.chosen()),
                FindingOutcome::Spoilt | FindingOutcome::Error => {
                    (look.pick("▲", "!!"), look.strong(Role::Bad))
                }
            };
            let verdict = format!("{mark} {}", found.verdict);
            lines.extend(wrapped(&verdict, width).into_iter().map(|line| (line, style)));
        }
        if full {
            let steps = found.shows.iter().filter(|shows| !shows.is_end);
            let steps: Vec<_> = steps.map(|shows| shows.step.to_string()).collect();
            let place = match (&steps[..], found.elsewhere) {
                ([], Some(elsewhere)) => self.elsewhere(elsewhere),
                ([], None) => String::new(),
                ([step], _) => format!("At step {step}"),
                _ => format!("At steps {}", steps.join(" and ")),
            };
            let enter = if chosen && !place.is_empty() { "; Enter goes there." } else { "" };
            let place = place + enter;
            let advice = if self.advises { found.advice.as_str() } else { "" };
            let more = [advice, &place];
            let more = more.iter().flat_map(|text| wrapped(text, width));
            lines.extend(more.map(|line| (line, look.dim())));
        }
        lines.push((String::new(), look.text()));
        lines
    }

    /// "In block (3,0), and in 6 more".
    fn elsewhere(&self, OtherBlock { block, blocks }: OtherBlock) -> String {
        let more = match blocks {
            0 | 1 => String::new(),
            _ => format!(", and in {} more", grouped(blocks - 1)),
        };
        format!("In block ({}){more}", block.place_in(self.grid))
    }

    fn title(&self) -> &'static str {
        let others = self.found.iter().any(|found| found.elsewhere.is_some());
        if others { "What is wrong in this grid" } else { "What is wrong with this block's run" }
    }

    fn note(&self) -> String {
        match (self.found.len(), self.reach) {
            (0, None) => "is being checked".to_owned(),
            (0, Some(_)) => "none".to_owned(),
            (count, _) => format!("{} of {count}, Esc closes", self.selected + 1),
        }
    }

    /// The note in place of findings.
    const fn nothing(&self) -> &'static str {
        match self.reach {
            None => "It is being checked.",
            Some(CheckedReach::Block | CheckedReach::Grid) => "Nothing was found.",
            Some(CheckedReach::SoFar | CheckedReach::Alone) => "Nothing was found in this block.",
        }
    }

    /// What is not checked, or not yet.
    const fn unchecked(&self) -> &'static str {
        match self.reach {
            None | Some(CheckedReach::Block | CheckedReach::Grid) => "",
            Some(CheckedReach::SoFar) => "The other blocks are being checked.",
            Some(CheckedReach::Alone) => {
                "Only this block is checked here; matviz check runs the whole grid."
            }
        }
    }
}

/// A single line as a page of the list.
fn line(text: &str, style: Style) -> Vec<(String, Style)> {
    vec![(text.to_owned(), style)]
}

impl Widget for FindingsPanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let width = area.width.min(WIDEST);
        let room = width.saturating_sub(HEAD + 3).max(1);
        let mut all = self.pages(room, area.height.saturating_sub(2));
        if self.found.is_empty() {
            all.extend([line(self.nothing(), look.text()), line("", look.text())]);
        }
        if !self.unchecked().is_empty() {
            let lines = wrapped(self.unchecked(), room).into_iter();
            all.push(lines.map(|line| (line, look.dim())).collect());
        }
        let needed = all.iter().map(Vec::len).sum::<usize>().clamp(4, 200) as u16 + 2;
        let note = self.note();
        let frame =
            PanelFrame { number: None, title: self.title(), note: &note, focused: true, look };
        let inner = frame.popup(middle(area, (width, needed)), buf);
        let mut pen = Pen::new(inner, buf, look);
        // Start at the first finding from which all lines of the selected one are visible.
        let fits = |first: &usize| {
            let lines = all[*first..=self.selected].iter().map(Vec::len).sum::<usize>();
            lines <= usize::from(pen.height()) || *first == self.selected
        };
        let first = (0..all.len()).find(fits).unwrap_or(0);
        let lines = all.iter().enumerate().skip(first);
        let lines = lines.flat_map(|(number, lines)| {
            lines.iter().enumerate().map(move |(row, line)| (number, row, line))
        });
        for (y, (number, row, (text, style))) in (0..pen.height()).zip(lines) {
            if number == self.selected && row == 0 && !self.found.is_empty() {
                pen.text(0, y, look.pick("►", ">"), *style);
            }
            pen.text(HEAD, y, text, *style);
        }
    }
}
