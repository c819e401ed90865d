//! Rows of 32 columns above a verdict: the common form of memory pictures; fewer rows are faster.

use super::canvas::block;
use super::pen::{Pen, fitting, width};
use crate::tui::theme::{Role, Tone};
use ratatui::layout::Rect;
use ratatui::style::Modifier;

/// The state of one column of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// Not touched.
    #[default]
    Idle,
    /// Fetched, but not requested by any lane.
    Wasted,
    /// Used.
    Used(Role),
}

/// A table of rows with its verdict.
pub(super) struct Ruled {
    /// The label and the numbers of the columns that are named; `None` for no heading.
    pub(super) heading: Option<(&'static str, &'static [u16])>,
    /// (label, columns) of each row.
    pub(super) rows: Vec<(String, [Place; 32])>,
    /// The unit of the rows, as in "... and 30 more lines".
    pub(super) unit: &'static str,
    /// Whether the access is optimal.
    pub(super) fine: bool,
    /// The verdict, the longest wording first.
    pub(super) verdict: Vec<String>,
    /// Texts below the verdict that precede a second row: the SASS that the access becomes, each
    /// with its longest wording first.
    pub(super) asides: Vec<Vec<String>>,
    /// Texts below those where there is room, the most important first.
    pub(super) hints: Vec<String>,
}

/// The widths of a table: the label, one column, and the gap between sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Widths {
    label: u16,
    column: u16,
    gap: u16,
}

/// The columns to which a label may be cut.
const SHORT_LABEL: u16 = 4;

impl Ruled {
    /// Draws as much as fits: the verdict takes precedence over the rows, the rows over the hints.
    pub(super) fn draw(&self, pen: &mut Pen<'_>) {
        let label = self.label();
        let widths = Widths::fitting(pen.width(), label);
        let Shown { heading, room, shown, pitch } = self.shown(pen.height(), widths);
        let mut y = 0;
        if let (Some((what, names)), Some(widths)) = (heading, widths) {
            heading_row(pen, what, names, widths);
            y = 1;
        }
        for (label, places) in self.rows.iter().take(shown) {
            if let Some(widths) = widths {
                for thick in 0..pitch.max(2) - 1 {
                    let label = if thick == 0 { label.as_str() } else { "" };
                    row(pen, y + thick, label, places, widths, self.fine);
                }
                y += pitch;
            }
        }
        let more = self.rows.len() - shown;
        if more > 0 && room > 1 && widths.is_some() {
            let unit = self.unit;
            let words = [format!("... and {more} more {unit}"), format!("... +{more} {unit}")];
            pen.text(label.min(4), y, fitting(&words, pen.width()), pen.look.ink(Role::Bad));
            y += 1;
        }
        let fits = |text: &&String| width(text) + 3 <= pen.width();
        let verdict = self.verdict.iter().find(fits).or(self.verdict.last());
        pen.verdict(y, self.fine, verdict.map_or("", String::as_str));
        let (room, look) = (pen.width(), pen.look);
        let bold = look.text().add_modifier(Modifier::BOLD);
        let asides = self.asides.iter().map(|wordings| (fitting(wordings, room), bold));
        let hints = self.hints.iter().map(|hint| (hint.as_str(), look.dim()));
        let all = asides.chain(hints).filter(|(text, _)| !text.is_empty() && width(text) <= room);
        for (row, (text, style)) in (y + 1..pen.height()).zip(all) {
            pen.text(0, row, text, style);
        }
    }
}

/// Returns the column at `x` of the screen, in a table with labels of this many columns.
pub(super) fn column_at(area: Rect, x: u16, label: u16) -> Option<u16> {
    let widths = Widths::fitting(area.width, label)?;
    let x = x.checked_sub(area.x)?;
    (0..32).find(|column| (widths.x(*column)..widths.x(*column) + widths.column).contains(&x))
}

/// The part of a table that is shown.
struct Shown {
    heading: Option<(&'static str, &'static [u16])>,
    /// Screen rows for rows of the table.
    room: usize,
    /// The number of rows shown.
    shown: usize,
    /// The distance between them in screen rows.
    pitch: u16,
}

impl Ruled {
    /// Returns the row and the column at (x, y) of the screen.
    pub(super) fn place_at(&self, area: Rect, x: u16, y: u16) -> Option<(usize, u16)> {
        let column = column_at(area, x, self.label())?;
        let widths = Widths::fitting(area.width, self.label());
        let Shown { heading, shown, pitch, .. } = self.shown(area.height, widths);
        let row = y.checked_sub(area.y + u16::from(heading.is_some()))? / pitch;
        (usize::from(row) < shown).then_some((row.into(), column))
    }

    /// Returns the columns for the labels, with a blank.
    fn label(&self) -> u16 {
        let label = self.rows.iter().map(|(label, _)| width(label)).max().unwrap_or(0) + 1;
        label.max(self.heading.map_or(0, |(what, _)| width(what) + 1))
    }

    fn shown(&self, height: u16, widths: Option<Widths>) -> Shown {
        let aside = u16::from(!self.asides.is_empty() && height > 3);
        let room = height.saturating_sub(1 + aside);
        let heading = self.heading.filter(|_| usize::from(room) > self.rows.len().min(2));
        let heading = heading.filter(|_| widths.is_some());
        let room = usize::from(room.saturating_sub(u16::from(heading.is_some())));
        // One row says more than "... and 2 more lines" in its place.
        let fits = self.rows.len() <= room || room == 1;
        let shown = if fits { self.rows.len().min(room) } else { room.saturating_sub(1) };
        Shown { heading, room, shown, pitch: self.pitch(room) }
    }

    /// Returns the distance in screen rows between rows of the table: with room to spare, rows are
    /// thicker and separated.
    fn pitch(&self, room: usize) -> u16 {
        let spare = room.saturating_sub(self.asides.len() + self.hints.len());
        match spare.checked_div(self.rows.len()) {
            None | Some(0..4) => 1,
            Some(4 | 5) => 3,
            Some(6..) => 4,
        }
    }
}

impl Widths {
    /// Returns the widest form that fits, or `None` without room for 32 columns.
    fn fitting(room: u16, label: u16) -> Option<Self> {
        let short = label.min(SHORT_LABEL + 1);
        let forms = [
            (label, 3, 1),
            (label, 2, 1),
            (label, 1, 1),
            (short, 1, 1),
            (label, 1, 0),
            (short, 1, 0),
            (0, 1, 0),
        ];
        let forms = forms.map(|(label, column, gap)| Self { label, column, gap });
        forms.into_iter().find(|form| form.x(31) + form.column <= room)
    }

    /// Returns where a column begins.
    const fn x(self, column: u16) -> u16 {
        self.label + column * self.column + column / 8 * self.gap
    }
}

fn heading_row(pen: &mut Pen<'_>, what: &str, names: &[u16], widths: Widths) {
    let dim = pen.look.dim();
    if widths.label > 0 {
        pen.text(0, 0, what, dim);
    }
    for name in names {
        let text = name.to_string();
        let x = widths.x(*name);
        let end = x + widths.column.max(1);
        // The last column's number is right-aligned with its column.
        if *name == 31 { pen.right(end, 0, &text, dim) } else { _ = pen.text(x, 0, &text, dim) }
    }
}

fn row(pen: &mut Pen<'_>, y: u16, label: &str, places: &[Place; 32], widths: Widths, fine: bool) {
    let look = pen.look;
    let wasted = if fine { look.dim() } else { look.ink(Role::Bad) };
    if let Some(room) = usize::from(widths.label).checked_sub(1) {
        // Of an address that is too long, keep the last digits, which distinguish the rows.
        let cut = label.len().saturating_sub(room);
        pen.text(0, y, label.get(cut..).unwrap_or_default(), look.dim());
    }
    for (column, place) in (0..).zip(places) {
        let x = widths.x(column);
        if widths.gap > 0 && column % 8 == 0 && column > 0 {
            pen.text(x - 1, y, look.pick("│", "|"), look.border());
        }
        for x in x..x + widths.column {
            match place {
                Place::Idle => _ = pen.text(x, y, look.pick("·", "."), look.dim()),
                Place::Wasted => _ = pen.text(x, y, look.pick("▒", ":"), wasted),
                Place::Used(role) => block(pen, x, y, Tone::Full(*role)),
            }
        }
    }
}
