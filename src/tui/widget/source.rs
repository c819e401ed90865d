//! A listing with its current line highlighted: the CUDA source, or the PTX compiled from it.

mod fold;
mod gaps;
mod token;
mod window;

use super::pen::Pen;
use crate::tui::facts::listing::{InsertedText, Lines, Operands};
use crate::tui::layout::Language;
use crate::tui::layout::text::{fitting, width};
use crate::tui::theme::{Look, Role};
use fold::{Row, head};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;
use std::collections::BTreeSet;
use std::ops::Range;
use token::{Highlight, expand, lit, operand, tokens};
use window::Folded;

/// Lines of a text, the current one highlighted and kept in view, with a strip for the other
/// language.
#[derive(Clone, Debug)]
pub struct SourcePanel<'a> {
    pub text: &'a str,
    pub language: Language,
    /// The line of the current step, from 1; 0 for none.
    pub current: u32,
    /// The line that is in view: usually the current one.
    pub at: u32,
    /// Lines of which one is in view as well.
    pub with: &'a [u32],
    /// What the current step works on.
    pub operands: Operands<'a>,
    /// The lines that were changed.
    pub changed: &'a [u32],
    /// The lines that the block executes between the barrier before and the next one.
    pub band: Option<&'a BTreeSet<u32>>,
    /// Two of them between which a barrier is missing, as they are executed.
    pub meets: Option<[u32; 2]>,
    /// The loops that the kernel runs, the one with the most lines first.
    pub loops: &'a [Lines],
    /// The lines at which the other warps are, and which warps these are.
    pub others: &'a [(u32, String)],
    /// The name that is pointed at: its line and its bytes in it.
    pub pointed: Option<(u32, Range<usize>)>,
    /// Whether that line must be in view.
    pub follows: bool,
    /// Texts that are put between its lines, in their order.
    pub gaps: &'a [InsertedText<'a>],
    /// The lines by which the user has scrolled away from the current line.
    pub scroll: i32,
    /// The current step in the other language, below a rule; empty for none.
    pub strip: &'a str,
    /// The SASS that the current step becomes, the longest wording first.
    pub becomes: &'a [String],
    /// The PTX lines that are vectorised with it.
    pub joined: &'a [u32],
    pub look: Look,
}

/// One line of source on a bar, for screens without room for a listing.
#[derive(Clone, Copy, Debug)]
pub struct SourceBar<'a> {
    /// Its number, from 1; 0 for none.
    pub number: u32,
    pub text: &'a str,
    /// What the current step works on.
    pub operands: Operands<'a>,
    /// The current step in PTX, right-aligned if it fits.
    pub ptx: &'a str,
    /// The SASS that it becomes, the longest wording first.
    pub becomes: &'a [String],
    pub look: Look,
}

/// Lines around what is put between two lines that are kept in view.
const AROUND: u32 = 2;

impl<'a> SourcePanel<'a> {
    /// The number of rows of the listing, without the strip.
    fn rows(&self, height: u16) -> u16 {
        if self.strip.is_empty() || height < 4 { height } else { height - 1 }
    }

    /// Columns of the mark, the number and the blank after it.
    fn head(&self) -> u16 {
        let last = self.text.lines().count().max(10).to_string();
        last.len() as u16 + 2
    }

    fn folded(&self, width: u16, (head, rows): (u16, u16)) -> Folded<'a> {
        let room = width.saturating_sub(head);
        match self.language {
            // Between any two lines something can be put: all are shown.
            Language::Cuda if !self.gaps.is_empty() => {
                gaps::put(Folded::code(self.text, &[], room, rows), self.gaps)
            }
            Language::Cuda => Folded::code(self.text, self.loops, room, rows),
            Language::Ptx => Folded::plain(self.text, self.loops, room, rows),
        }
    }

    pub fn draw(&self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let (rows, head) = (self.rows(pen.height()), self.head());
        let folded = self.folded(pen.width(), (head, rows));
        let shown = folded.rows.iter().skip(self.first(&folded));
        for (y, row) in (0..rows).zip(shown) {
            self.row(&mut pen, (head, y), row);
        }
        if rows < pen.height() {
            self.strip(&mut pen, rows);
        }
    }

    /// The first row in view.
    fn first(&self, folded: &Folded<'_>) -> usize {
        let at = folded.first(self.at);
        let seen = self.with.iter().any(|line| folded.shows(*line, at));
        let at = self.with.first().filter(|_| !seen).map_or(at, |line| folded.with(*line, at));
        let first = at.saturating_add_signed(self.scroll as isize).min(folded.last());
        let pointed = self.pointed.as_ref().filter(|_| self.follows).map(|(line, _)| *line);
        let put = self.gaps.first().filter(|_| self.scroll == 0).map(|gap| gap.line);
        // Of what is put between lines, some of those are in view, too.
        let first = put.map_or(first, |line| {
            let first = folded.with(line.saturating_sub(AROUND), first);
            folded.with(line + AROUND, first)
        });
        put.or(pointed).map_or(first, |line| folded.with(line, first))
    }

    fn row(&self, pen: &mut Pen<'_>, (head, y): (u16, u16), row: &Row<'_>) {
        let look = self.look;
        if let Some(means) = row.put {
            return gaps::row(pen, (head, y), row, means);
        }
        let current = row.line == self.current;
        let others = self.others.iter().find(|(line, _)| *line == row.line).map(|(_, who)| who);
        let style = if current { lit(look, Highlight::Here) } else { look.dim() };
        if current {
            pen.wash(0, y, pen.width(), look.bar());
        }
        // A bar beside the lines of the present superstep, where nothing else stands.
        let is_in_band = self.band.is_some_and(|lines| lines.contains(&row.line));
        let meets = self.meets.filter(|lines| lines.contains(&row.line));
        let blank = match (meets, is_in_band) {
            (Some(_), _) => look.pick("╎", ":"),
            (None, true) => look.pick("▏", "|"),
            (None, false) => " ",
        };
        if row.continued {
            pen.text(
                0,
                y,
                blank,
                if meets.is_some() { look.strong(Role::Bad) } else { look.dim() },
            );
            pen.right(head - 1, y, look.pick("└", "+"), style);
        } else {
            let other = others.map_or(blank, |_| look.pick("·", "."));
            let is_changed = self.changed.contains(&row.line);
            let other = if is_changed { "+" } else { other };
            let style = match meets {
                Some(_) if !current => look.strong(Role::Bad),
                _ if is_changed && !current => look.chosen(),
                _ => style,
            };
            pen.text(0, y, if current { look.pick("►", ">") } else { other }, style);
            pen.right(head - 1, y, &row.line.to_string(), style);
        }
        let end = self.code(pen, (head, y), row, current);
        let room = pen.width().saturating_sub(end + 3);
        if self.language == Language::Ptx && self.joined.contains(&row.line) {
            let style = if current { style } else { look.text() };
            pen.right(pen.width() - 1, y, fitting(self.becomes, room), style);
            return;
        }
        let missing = meets.filter(|[first, _]| *first == row.line && !row.continued);
        if let Some([_, second]) = missing {
            let told = [format!("no barrier before line {second}"), "no barrier".to_owned()];
            return pen.right(pen.width() - 1, y, fitting(&told, room), look.strong(Role::Bad));
        }
        if let Some(who) = others.filter(|who| !row.continued && width(who) <= room) {
            pen.right(pen.width() - 1, y, who, style);
        }
    }

    /// Draws the code of a row; returns the column after it.
    fn code(&self, pen: &mut Pen<'_>, (head, y): (u16, u16), row: &Row<'_>, current: bool) -> u16 {
        let (text, x) = (expand(&row.text), head + row.indent);
        let end = if current {
            code_now(pen, (x, y), &text, self.language, self.operands)
        } else {
            tokens(&text, self.language)
                .into_iter()
                .fold(x, |x, (token, class)| pen.text(x, y, token, class.style(self.look)))
        };
        let pointed = self.pointed.as_ref().filter(|(line, _)| *line == row.line);
        if let Some(columns) = pointed.and_then(|(_, bytes)| row.columns(bytes)) {
            let style = self.look.chosen().add_modifier(Modifier::REVERSED);
            let name: String = text.chars().skip(columns.start).take(columns.len()).collect();
            pen.text(x + columns.start as u16, y, &name, style);
        }
        end
    }

    /// Draws the row for the other language.
    fn strip(&self, pen: &mut Pen<'_>, y: u16) {
        let look = self.look;
        let label = match self.language {
            Language::Cuda => "PTX  ",
            Language::Ptx => "CUDA ",
        };
        pen.wash(0, y, pen.width(), look.bar());
        let x = pen.text(0, y, label, look.dim());
        let strip = expand(self.strip.trim());
        let end = pen.text(x, y, head(&strip, pen.width().saturating_sub(x)), look.text());
        if self.language == Language::Cuda {
            let room = pen.width().saturating_sub(end + 3);
            let bold = look.bold();
            pen.right(pen.width().saturating_sub(1), y, fitting(self.becomes, room), bold);
        }
    }
}

impl Widget for SourcePanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        self.draw(area, buf);
    }
}

/// Returns the line and the byte in it that a position of the screen shows.
pub fn byte_at(source: &SourcePanel<'_>, area: Rect, x: u16, y: u16) -> Option<(u32, usize)> {
    let (x, y) = (x.checked_sub(area.x)?, y.checked_sub(area.y)?);
    let (rows, head) = (source.rows(area.height), source.head());
    let folded = source.folded(area.width, (head, rows));
    let row = folded.rows.get(source.first(&folded) + usize::from(y)).filter(|_| y < rows)?;
    let column = x.checked_sub(head + row.indent)?;
    Some((row.line, row.byte(column.into())?))
}

impl Widget for SourceBar<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        pen.wash(0, 0, pen.width(), self.look.bar());
        if self.number == 0 {
            return;
        }
        let style = lit(self.look, Highlight::Here);
        pen.text(1, 0, self.look.pick("►", ">"), style);
        let x = pen.text(2, 0, &self.number.to_string(), style) + 2;
        let text = expand(self.text.trim());
        let text = head(&text, pen.width().saturating_sub(x));
        let mut x = code_now(&mut pen, (x, 0), text, Language::Cuda, self.operands);
        let ptx = expand(self.ptx.trim());
        if self.text.is_empty() {
            x = pen.text(x, 0, &ptx, self.look.text());
        }
        let both = self.becomes.last().map(|join| format!("{ptx}  {join}"));
        let both = both.into_iter().chain(self.becomes.to_vec()).chain([ptx]);
        let wordings: Vec<_> =
            if self.text.is_empty() { self.becomes.to_vec() } else { both.collect() };
        let room = pen.width().saturating_sub(x + 4);
        pen.right(pen.width().saturating_sub(1), 0, fitting(&wordings, room), self.look.text());
    }
}

/// Draws a line of code without a bar behind it, its operands in bold; returns the column after it.
pub(super) fn code_line(
    pen: &mut Pen<'_>,
    (x, y): (u16, u16),
    text: &str,
    operands: Operands<'_>,
) -> u16 {
    let look = pen.look;
    let draw = |x, (token, class): (&str, Highlight)| pen.text(x, y, token, class.style(look));
    let end = tokens(text, Language::Cuda).into_iter().fold(x, draw);
    for (at, role) in operands.within(text) {
        let start = x + width(&text[..at.start]);
        pen.text(start, y, &text[at], look.strong(role));
    }
    end
}

/// Draws code of the current line, its operands lit; returns the column after it.
fn code_now(
    pen: &mut Pen<'_>,
    (x, y): (u16, u16),
    text: &str,
    language: Language,
    operands: Operands<'_>,
) -> u16 {
    let look = pen.look;
    let draw = |x, (token, class)| pen.text(x, y, token, lit(look, class));
    let end = tokens(text, language).into_iter().fold(x, draw);
    if language == Language::Cuda {
        for (at, role) in operands.within(text) {
            let start = x + width(&text[..at.start]);
            pen.text(start, y, &text[at], operand(look, role));
        }
    }
    end
}
