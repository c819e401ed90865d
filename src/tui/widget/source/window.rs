//! The part of a listing that is in view: it stays while a loop runs, if the loop fits.

use super::fold::{FoldForm, FoldLevel, Row};
use crate::tui::facts::listing::Lines;
use crate::tui::layout::code::indent;
use crate::tui::layout::text::width;
use std::ops::Range;

/// A text folded into rows, of which `height` fit.
#[derive(Debug)]
pub(super) struct Folded<'a> {
    pub(super) rows: Vec<Row<'a>>,
    height: usize,
    /// The loops that branch back, the longest first.
    loops: &'a [Lines],
    /// All loops of the text, also those that are unrolled.
    written: Vec<Lines>,
}

impl<'a> Folded<'a> {
    /// Folds a text: the largest of the loops that fits is shown as completely as possible.
    pub(super) fn code(text: &'a str, loops: &'a [Lines], room: u16, height: u16) -> Self {
        let form = form(text, loops, room);
        let (height, written) = (usize::from(height), written(text));
        let fold = |keep: FoldLevel| Self {
            rows: form.rows(text, keep),
            height,
            loops,
            written: written.clone(),
        };
        let all = FoldLevel::ALL.map(fold);
        let fits = |lines: &Lines| all.iter().position(|folded| folded.fits(*lines));
        let chosen = match loops.iter().find_map(fits) {
            Some(chosen) => chosen,
            None if loops.is_empty() => 0,
            None => all.len() - 1,
        };
        let [complete, written, code] = all;
        match chosen {
            0 => complete,
            1 => written,
            _ => code,
        }
    }

    /// A text of which nothing is left out.
    pub(super) fn plain(text: &'a str, loops: &'a [Lines], room: u16, height: u16) -> Self {
        let rows = form(text, loops, room).rows(text, FoldLevel::All);
        Self { rows, height: height.into(), loops, written: Vec::new() }
    }

    /// The first row in view, so that the line `current` is whole.
    pub(super) fn first(&self, current: u32) -> usize {
        let wanted = self.range((current, current));
        let kept = self.loops.iter().filter(|lines| self.fits(**lines));
        let mut windows = kept.map(|lines| self.around(self.range(*lines)));
        let shows = |first: &usize| *first <= wanted.start && wanted.end <= first + self.height;
        let first = windows.find(shows).unwrap_or_else(|| self.page(&wanted));
        let begins = |row: &usize| self.rows.get(*row).is_some_and(|row| !row.continued);
        (first..=wanted.start).find(begins).unwrap_or(first)
    }

    /// Whether a line is in view below the row `first`.
    pub(super) fn shows(&self, line: u32, first: usize) -> bool {
        let rows = self.range((line, line));
        first <= rows.start && rows.end <= first + self.height
    }

    /// The first row nearest to `first` with which a line is in view.
    pub(super) fn with(&self, line: u32, first: usize) -> usize {
        let rows = self.range((line, line));
        first.max(rows.end.saturating_sub(self.height)).min(rows.start)
    }

    /// The last first row.
    pub(super) fn last(&self) -> usize {
        self.rows.len().saturating_sub(self.height)
    }

    fn fits(&self, lines: Lines) -> bool {
        let rows = self.range(lines);
        !rows.is_empty() && rows.len() <= self.height
    }

    /// The rows of these lines.
    fn range(&self, (first, last): Lines) -> Range<usize> {
        let start = self.rows.partition_point(|row| row.line < first);
        start..self.rows.partition_point(|row| row.line <= last)
    }

    /// The window around rows that fit, with a third of the spare rows above them.
    fn around(&self, rows: Range<usize>) -> usize {
        let spare = self.height - rows.len();
        rows.start.saturating_sub(spare / 3).min(self.last())
    }

    /// The page with these rows: of the smallest loop around them, or of the whole text. No page
    /// ends within a loop that fits, since the listing would turn them to and fro while it runs.
    fn page(&self, wanted: &Range<usize>) -> usize {
        let ranges = self.loops.iter().rev().map(|lines| self.range(*lines));
        let mut around = ranges.filter(|rows| rows.contains(&wanted.start));
        let mut first = around.next().map_or(0, |rows| rows.start);
        while self.after(first) <= wanted.start {
            first = self.after(first);
        }
        first.max(wanted.end.saturating_sub(self.height)).min(self.last())
    }

    /// The first row of the page after the one that begins with this row.
    fn after(&self, first: usize) -> usize {
        let end = first + self.height.max(1);
        let kept = self.written.iter().filter(|lines| self.fits(**lines));
        let ranges = kept.map(|lines| self.range(*lines));
        let split = ranges.filter(|rows| (rows.start + 1..rows.end).contains(&end));
        split.map(|rows| rows.start).filter(|start| *start > first).min().unwrap_or(end)
    }
}

/// The loops of a text as they are written: a head, what is indented more, and the brace after it.
fn written(text: &str) -> Vec<Lines> {
    let lines: Vec<&str> = text.lines().collect();
    let is_head = |line: &str| ["for ", "while "].iter().any(|head| line.trim().starts_with(head));
    let end = |head: usize| {
        let after = (head + 1..lines.len()).take_while(|at| {
            lines[*at].trim().is_empty() || indent(lines[*at]) > indent(lines[head])
        });
        let last = after.filter(|at| !lines[*at].trim().is_empty()).last().unwrap_or(head);
        let closes = |at: &usize| lines.get(*at).is_some_and(|line| line.trim().starts_with('}'));
        Some(last + 1).filter(closes).unwrap_or(last)
    };
    let heads = (0..lines.len()).filter(|at| is_head(lines[*at]));
    heads.map(|head| (head as u32 + 1, end(head) as u32 + 1)).collect()
}

/// How the lines of the loops fit into `room` columns: without the indentation that they share, and
/// with the rest of it halved if that leaves more of them whole.
fn form(text: &str, loops: &[Lines], room: u16) -> FoldForm {
    let inside = |line: u32| loops.iter().any(|(first, last)| (*first..=*last).contains(&line));
    let lines = (1..).zip(text.lines()).filter(|(number, _)| inside(*number)).map(|(_, line)| line);
    let code = || lines.clone().filter(|line| !line.trim().is_empty());
    let base = code().map(indent).min().unwrap_or(0);
    let form = FoldForm { room, base, halved: false };
    let overflows = |line: &str| form.indent(line) + width(line.trim()) > room;
    FoldForm { halved: code().any(overflows), ..form }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
void kernel()
{
    int a;

    for (;;) {
        // what follows
        b[a] = c[a + 1];

        // and this
        for (;;)
            d += b[a];
        e;
    }
    f;
}
";
    const LOOPS: [Lines; 2] = [(5, 12), (10, 11)];

    #[test]
    fn the_outer_loop_stays_whole_while_it_runs() {
        for height in [6, 7, 8, 12] {
            let folded = Folded::code(TEXT, &LOOPS, 40, height);
            let first = folded.first(5);
            for line in [7, 10, 11, 12] {
                assert_eq!(folded.first(line), first, "{line} of {height}");
            }
            let shown = &folded.rows[first..(first + usize::from(height)).min(folded.rows.len())];
            assert!(
                shown.iter().any(|row| row.line == 5) && shown.iter().any(|row| row.line == 12)
            );
        }
        for (height, keep) in [(8, FoldLevel::All), (7, FoldLevel::Written), (5, FoldLevel::Code)] {
            let rows = form(TEXT, &LOOPS, 40).rows(TEXT, keep);
            assert_eq!(Folded::code(TEXT, &LOOPS, 40, height).rows, rows, "{height}");
        }
    }

    /// Here only the outer loop branches back, and does not fit.
    #[test]
    fn an_unrolled_loop_stays_in_view_while_it_runs() {
        assert_eq!(written(TEXT), [(5, 13), (10, 11)]);
        for height in 2..6 {
            let folded = Folded::code(TEXT, &LOOPS[..1], 40, height);
            assert_eq!(folded.first(10), folded.first(11), "{height}");
        }
    }

    #[test]
    fn the_current_line_is_always_whole() {
        for (height, room) in (1..20).flat_map(|height| [8, 12, 30].map(|room| (height, room))) {
            let folded = Folded::code(TEXT, &LOOPS, room, height);
            for line in (1..=14).filter(|line| folded.rows.iter().any(|row| row.line == *line)) {
                let (first, rows) = (folded.first(line), folded.range((line, line)));
                let fits = rows.len() <= usize::from(height);
                let shown = first <= rows.start && rows.end <= first + usize::from(height);
                assert!(shown || !fits, "line {line}, {height} rows of {room}");
            }
        }
    }
}
