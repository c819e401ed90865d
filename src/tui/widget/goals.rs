//! The table of an edited kernel, before and now, and below or beside it what is wrong.

use super::pen::Pen;
use crate::lesson::edit::difference::{Sign, difference};
use crate::lesson::edit::judgement::Row;
use crate::tui::layout::code::shared_indent;
use crate::tui::layout::text::{pieces, width, wrapped};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

/// The text of an edited kernel.
#[derive(Clone, Copy, Debug)]
pub struct Goals<'a> {
    /// What stands above the table, if there is room.
    pub head: &'a [GoalLine],
    /// The heads of the table's columns.
    pub heads: &'a [&'a str],
    /// The table.
    pub rows: &'a [Row],
    /// What stands below the table or, in a low area, beside it.
    pub lines: &'a [GoalLine],
    /// The first of these in view.
    pub scroll: u16,
    pub look: Look,
}

/// A line below the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalLine {
    None,
    /// An empty line.
    Blank,
    /// A text, which is wrapped.
    Text(String, GoalTone),
    /// A line of a source, which is cut.
    Source(Excerpt),
}

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalTone {
    /// As any text.
    Plain,
    /// As what matters less.
    Dim,
    /// As something wrong, with its mark.
    Bad,
    /// As something right, with its mark.
    Good,
    /// As a heading.
    Head,
}

/// A line of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    pub number: u32,
    pub text: String,
    /// Whether it is highlighted.
    pub now: bool,
    /// The column, from 1, and the length of what is wrong in it.
    pub caret: Option<(u32, u32)>,
    /// What happened to it.
    pub sign: Option<Sign>,
}

/// The rows of an area below which the table and the text stand beside each other.
const LOW: u16 = 14;
/// The columns that the text needs beside the table.
const BESIDE: u16 = 30;
/// The least columns of a cell: `▲ WRONG` has room, so that nothing moves when C is right again.
const LEAST: u16 = 7;
/// What stands below a text that has more lines.
const MORE: &str = "J scrolls on.";

/// Blanks between two columns of the table.
const GAP: u16 = 2;

impl GoalLine {
    /// The lines in which two texts differ, with some around them.
    pub fn difference(old: &str, new: &str) -> Vec<Self> {
        let changes = difference(old, new);
        let indent = shared_indent(changes.iter().map(|line| &*line.text));
        let lines = changes.into_iter().map(|line| match line.sign {
            Sign::Gap => Self::blank(),
            sign => Self::Source(Excerpt {
                number: line.number,
                text: line.text.chars().skip(indent).collect(),
                now: false,
                caret: None,
                sign: Some(sign),
            }),
        });
        lines.collect()
    }

    /// An empty line.
    pub const fn blank() -> Self {
        Self::Blank
    }

    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned(), GoalTone::Plain)
    }

    /// A text that matters less.
    pub fn dim(text: &str) -> Self {
        Self::Text(text.to_owned(), GoalTone::Dim)
    }

    /// What is wrong.
    pub fn bad(text: &str) -> Self {
        Self::Text(text.to_owned(), GoalTone::Bad)
    }

    /// That nothing is wrong.
    pub fn good(text: &str) -> Self {
        Self::Text(text.to_owned(), GoalTone::Good)
    }

    /// A text in the colour of a role.
    pub fn head(text: &str) -> Self {
        Self::Text(text.to_owned(), GoalTone::Head)
    }
}

/// A row of cells: a style for some text.
type Written = Vec<(String, Style)>;

impl Goals<'_> {
    /// The widths of the table's columns, the labels first.
    fn widths(&self) -> Vec<u16> {
        let labels = self.rows.iter().map(|row| width(&row.label)).max().unwrap_or(0);
        let mut widths = vec![labels];
        for (index, head) in self.heads.iter().enumerate() {
            let cells = self.rows.iter().filter_map(|row| row.cells.get(index));
            // The mark of what is wrong stands before the text.
            let cells = cells.map(|cell| width(&cell.text) + if cell.is_bad { 2 } else { 0 });
            widths.push(cells.chain([width(head), LEAST]).max().unwrap_or(0));
        }
        widths
    }

    /// Draws the table into the upper left corner; returns its columns.
    fn table(&self, pen: &mut Pen<'_>, from: u16, most: u16) -> u16 {
        let widths = self.widths();
        let look = self.look;
        let ends: Vec<u16> = widths
            .iter()
            .scan(0, |end, width| {
                *end += width + if *end == 0 { 0 } else { GAP };
                Some(*end)
            })
            .collect();
        // A column that does not fit is left out.
        let ends: Vec<u16> = ends.into_iter().filter(|end| *end <= pen.width()).collect();
        let columns = ends.get(1..).unwrap_or_default();
        for (head, end) in self.heads.iter().zip(columns) {
            pen.right(*end, from, head, look.dim());
        }
        for (y, row) in (from + 1..from + most).zip(self.rows) {
            pen.text(0, y, &row.label, look.text());
            for (index, (cell, end)) in row.cells.iter().zip(columns).enumerate() {
                let now = self.heads.get(index) == Some(&"now");
                let style = match (cell.is_bad, now) {
                    (true, true) => look.strong(Role::Bad),
                    (true, false) => look.ink(Role::Bad),
                    (false, true) => look.bold(),
                    (false, false) => look.dim(),
                };
                let mark = if cell.is_bad { look.pick("▲ ", "! ") } else { "" };
                pen.right(*end, y, &format!("{mark}{}", cell.text), style);
            }
        }
        ends.last().copied().unwrap_or(0)
    }

    /// The text in lines of `room` columns.
    fn written(&self, lines: &[GoalLine], room: u16) -> Vec<Written> {
        lines.iter().flat_map(|line| self.line(line, room)).collect()
    }

    fn line(&self, line: &GoalLine, room: u16) -> Vec<Written> {
        let look = self.look;
        match line {
            GoalLine::None => Vec::new(),
            GoalLine::Blank => vec![Vec::new()],
            GoalLine::Text(text, tone) => {
                let (mark, style) = match tone {
                    GoalTone::Plain => ("", look.text()),
                    GoalTone::Dim => ("", look.dim()),
                    GoalTone::Bad => (look.pick("▲ ", "! "), look.strong(Role::Bad)),
                    GoalTone::Good => (look.pick("● ", "ok "), look.strong(Role::C)),
                    GoalTone::Head => ("", look.bold()),
                };
                let text = format!("{mark}{text}");
                wrapped(&text, room).into_iter().map(|line| vec![(line, style)]).collect()
            }
            GoalLine::Source(excerpt) => self.source(excerpt, room),
        }
    }

    /// A line of a source with its mark and its number; what does not fit goes on in the next row
    /// or, of a line that is only there beside others, is not shown.
    fn source(&self, excerpt: &Excerpt, room: u16) -> Vec<Written> {
        let look = self.look;
        let Excerpt { number, text, now, caret, sign } = excerpt;
        let (mark, style) = match sign {
            None if *now => (look.pick("►", ">"), look.bold()),
            None | Some(Sign::Same | Sign::Gap) => (" ", look.dim()),
            Some(Sign::Gone) => ("-", look.ink(Role::Bad)),
            Some(Sign::New) => ("+", look.strong(Role::C)),
        };
        let head = format!("{mark}{number:>4} ");
        let room = room.saturating_sub(width(&head)).max(1);
        let text = text.replace('\t', " ");
        if let Some((column, length)) = caret {
            return self.pointed(&head, &text, (*column, *length), room);
        }
        let matters = *now || matches!(sign, Some(Sign::Gone | Sign::New));
        let fits = matters || width(&text) <= room;
        let lines = if fits { pieces(&text, room) } else { Vec::new() };
        let heads =
            [head.clone()].into_iter().chain(std::iter::repeat(" ".repeat(head.chars().count())));
        heads.zip(lines).map(|(head, line)| vec![(head + &line, style)]).collect()
    }

    /// The line that is wrong, with a caret below it; of a long one, the part around the caret.
    fn pointed(
        &self,
        head: &str,
        text: &str,
        (column, length): (u32, u32),
        room: u16,
    ) -> Vec<Written> {
        let style = self.look.bold();
        let at = column.saturating_sub(1) as usize;
        let (room, long) = (usize::from(room), text.chars().count().max(at + 1));
        let length = (length as usize).clamp(1, long.saturating_sub(at).max(1)).min(room);
        let first = if long <= room { 0 } else { (at + length).saturating_sub(room).min(at) };
        let shown: String = text.chars().skip(first).take(room).collect();
        let before = " ".repeat(head.chars().count() + at - first);
        let carets = (before + &"^".repeat(length), self.look.strong(Role::Bad));
        vec![vec![(head.to_owned() + &shown, style)], vec![carets]]
    }

    fn lines(&self, pen: &mut Pen<'_>, area: Rect) {
        let written = self.written(self.lines, area.width);
        let last = (written.len() as u16).saturating_sub(area.height);
        let first = usize::from(self.scroll.min(last));
        // A text that is read, and goes on, says so in its last row.
        let is_read = self.rows.is_empty() && area.height > 1;
        let goes_on = is_read && first + usize::from(area.height) < written.len();
        let bottom = area.bottom() - u16::from(goes_on);
        if goes_on {
            pen.text(area.x, bottom, MORE, self.look.dim());
        }
        for (y, line) in (area.y..bottom).zip(&written[first.min(written.len())..]) {
            let mut x = area.x;
            for (text, style) in line {
                x = pen.text(x, y, text, *style);
            }
        }
    }
}

impl Widget for Goals<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        // A column of room on both sides.
        let inside =
            Rect { x: 1, y: 0, width: pen.width().saturating_sub(2), height: pen.height() };
        let mut pen = pen.part(inside);
        let (wide, high) = (pen.width(), pen.height());
        let columns: u16 = self.widths().iter().sum::<u16>() + GAP * self.heads.len() as u16;
        let low = high < LOW;
        if low && !self.rows.is_empty() && wide >= columns + 3 + BESIDE {
            let end = self.table(&mut pen, 0, high) + 3;
            return self.lines(&mut pen, Rect { x: end, y: 0, width: wide - end, height: high });
        }
        let head = if low { Vec::new() } else { self.written(self.head, wide) };
        let mut y = 0;
        for line in &head {
            line.iter().fold(0, |x, (text, style)| pen.text(x, y, text, *style));
            y += 1;
        }
        y += u16::from(y > 0);
        if !self.rows.is_empty() && (!low || self.lines.is_empty()) {
            let rows = self.rows.len() as u16 + 1;
            self.table(&mut pen, y, rows);
            y += rows + 1;
        }
        self.lines(&mut pen, Rect { x: 0, y, width: wide, height: high.saturating_sub(y) });
    }
}
