//! Rows of 32 columns above a verdict: the common form of memory pictures; fewer rows are faster.

mod who;

use super::canvas::block;
use super::pen::Pen;
use crate::sim::LaneMask;
use crate::tui::layout::text::{fitting, width};
use crate::tui::theme::{Depth, Role, Tone};
use ratatui::style::{Modifier, Style};
use std::ops::Range;

/// The state of one column of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ColumnState {
    /// Not touched.
    #[default]
    Idle,
    /// Fetched, but not requested by any lane.
    Wasted,
    /// Its lanes still wait to be served.
    Waiting,
    /// Its lanes have been served before.
    Past(Role),
    Used(Role),
}

/// What a verdict means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum VerdictMark {
    /// As good as it can be.
    Good,
    /// Neither good nor bad.
    #[default]
    Plain,
    /// It costs more than it must.
    Bad,
}

/// One row of the table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Its name, and the part of the name that distinguishes it from the other rows.
    pub(super) label: (String, String),
    pub(super) places: [ColumnState; 32],
    /// The lanes that share each column.
    pub(super) lanes: [LaneMask; 32],
    /// What stands below the lanes in each column, where there is room for it; empty for nothing.
    pub(super) values: Vec<String>,
}

/// What stands above the columns.
#[derive(Clone, Debug)]
pub(super) struct Heading {
    /// The meaning of the labels, and of their distinguishing parts.
    pub(super) label: (String, String),
    /// (column, name), in ascending order.
    pub(super) names: Vec<(u16, String)>,
    /// Whether every column has its number, where columns are wide enough.
    pub(super) numbered: bool,
}

/// A table of rows with its verdict.
#[derive(Clone, Debug, Default)]
pub(super) struct Ruled {
    /// The row above the columns, if any.
    pub(super) heading: Option<Heading>,
    /// (what, a value for each lane), above all other rows where columns are wide enough.
    pub(super) by_lane: Vec<(&'static str, [Option<u8>; 32])>,
    /// What a picture of all lanes and their columns says, shown where there is much room; empty for
    /// no such picture.
    pub(super) who: &'static str,
    /// Whether that picture names the rows that the lanes go to.
    pub(super) names_rows: bool,
    pub(super) rows: Vec<Row>,
    /// The row that must be in view.
    pub(super) at: usize,
    /// The unit of the rows, as in "... and 30 more lines".
    pub(super) unit: &'static str,
    /// What the verdict means.
    pub(super) mark: VerdictMark,
    /// The verdict, the longest wording first.
    pub(super) verdict: Vec<String>,
    /// Texts below the verdict that precede a second row: the SASS that the access becomes, each
    /// with its longest wording first.
    pub(super) asides: Vec<Vec<String>>,
    /// Texts below those where there is room, the most important first.
    pub(super) hints: Vec<String>,
    /// The meaning of the numbers in the columns, where there are any.
    pub(super) legend: &'static str,
}

/// The widths of a table: the label, one column, and the gap between sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Widths {
    label: u16,
    column: u16,
    gap: u16,
}

/// Where the parts of a table stand.
#[derive(Clone, Debug)]
struct RuledPlan {
    /// The widths, or `None` without room for 32 columns.
    widths: Option<Widths>,
    /// Rows of [`Ruled::by_lane`], with the blank one below it.
    by_lane: u16,
    /// Rows of the picture of all lanes, below the heading; 0 without it.
    lanes: u16,
    heading: bool,
    /// The rows of the table in view.
    shown: Range<usize>,
    /// Screen rows from one row of the table to the next, and those that it fills.
    pitch: u16,
    thick: u16,
}

/// The columns to which a label may be cut.
const SHORT_LABEL: u16 = 4;
/// Columns that hold the number of a lane.
const NUMBERED: u16 = 3;
/// The screen row of a row of the table, counted from 0, that has the values.
const VALUED: u16 = 1;
/// What they are.
const BELOW: &str = "below the lane: what its word holds now";
/// The least height at which each lane's value is shown.
const ROOMY: u16 = 12;

impl Ruled {
    /// Draws as much as fits: the verdict takes precedence over the rows, the rows over the hints.
    pub(super) fn draw(&self, pen: &mut Pen<'_>) {
        let plan = self.plan(pen.width(), pen.height());
        let mut y = plan.by_lane;
        if let Some(widths) = plan.widths {
            if plan.by_lane > 0 {
                self.each_lane(pen, widths);
            }
            if let Some(heading) = self.heading.as_ref().filter(|_| plan.heading) {
                heading.draw(pen, y, widths);
                y += 1;
            }
            if plan.lanes > 0 {
                self.each_to_its_place(pen, y, &plan);
                y += plan.lanes + 1;
            }
            for number in plan.shown.clone() {
                for thick in 0..plan.thick {
                    self.row(pen, y + thick, number, widths, thick);
                }
                y += plan.pitch;
            }
        }
        let more = self.rows.len() - plan.shown.len();
        let cut = more > 0 && plan.widths.is_some() && y + 1 < pen.height();
        if cut {
            let unit = self.unit;
            let words = [format!("... and {more} more {unit}"), format!("... +{more} {unit}")];
            let bad = self.mark == VerdictMark::Bad;
            let style = if bad { pen.look.ink(Role::Bad) } else { pen.look.dim() };
            pen.text(SHORT_LABEL, y, fitting(&words, pen.width()), style);
            y += 1;
        }
        self.words(pen, y, &plan);
    }

    /// Writes the verdict in row `y`, and what there is room for below it.
    fn words(&self, pen: &mut Pen<'_>, y: u16, plan: &RuledPlan) {
        let fits = |text: &&String| width(text) + 3 <= pen.width();
        let text = self.verdict.iter().find(fits).or(self.verdict.last());
        verdict(pen, y, self.mark, text.map_or("", String::as_str));
        let (room, look) = (pen.width(), pen.look);
        let bold = look.text().add_modifier(Modifier::BOLD);
        let numbers = plan.widths.is_some_and(|widths| widths.column >= NUMBERED);
        let who = Some(self.who).filter(|_| plan.lanes > 0);
        let legend = Some(self.legend).filter(|_| numbers);
        let values = Some(BELOW).filter(|_| self.has_values(plan));
        let asides = self.asides.iter().map(|wordings| (fitting(wordings, room), bold));
        let hints = who
            .into_iter()
            .chain(self.hints.iter().map(String::as_str))
            .chain(legend)
            .chain(values);
        let all = asides.chain(hints.map(|hint| (hint, look.dim())));
        let all = all.filter(|(text, _)| !text.is_empty() && width(text) <= room);
        for (row, (text, style)) in (y + 1..pen.height()).zip(all) {
            pen.text(0, row, text, style);
        }
    }

    /// Whether the values of the columns are in view.
    fn has_values(&self, plan: &RuledPlan) -> bool {
        let mut values = self.rows.iter().flat_map(|row| &row.values);
        let any = values.any(|value| !value.is_empty());
        plan.thick > VALUED && any && plan.widths.is_some_and(|widths| self.fit(widths.column))
    }

    /// Whether columns of this width hold all values, with a blank before each.
    fn fit(&self, column: u16) -> bool {
        self.rows.iter().flat_map(|row| &row.values).all(|value| width(value) < column)
    }

    /// Returns the description of the row and the column at a position relative to the table.
    pub(super) fn hits(
        &self,
        (width, height): (u16, u16),
    ) -> impl Fn((u16, u16)) -> Option<(usize, u8)> + use<> {
        let plan = self.plan(width, height);
        move |(x, y)| {
            let widths = plan.widths?;
            let inside =
                |column: &u16| (0..widths.column).contains(&x.wrapping_sub(widths.x(*column)));
            let column = (0..32).find(inside)?;
            let row = y.checked_sub(plan.above())? / plan.pitch;
            let row = plan.shown.clone().nth(usize::from(row))?;
            Some((row, column as u8))
        }
    }

    fn plan(&self, wide: u16, height: u16) -> RuledPlan {
        let names = self.rows.iter().map(|row| &row.label);
        let names = names.chain(self.heading.iter().map(|heading| &heading.label));
        let label = names.map(|(label, _)| width(label)).max().unwrap_or(0) + 1;
        let values = self.rows.iter().flat_map(|row| &row.values).map(|value| width(value)).max();
        let widths = Widths::fitting(wide, label, values.unwrap_or(0));
        let aside = u16::from(!self.asides.is_empty() && height > 3);
        let lanes = widths.filter(|widths| widths.column > 1);
        let lanes = lanes.map_or(0, |_| self.rows_of_lanes(height, 3 + aside));
        let numbered = widths.is_some_and(|widths| widths.column >= NUMBERED) && lanes == 0;
        let has_lanes = numbered && height >= ROOMY && !self.by_lane.is_empty();
        let by_lane = if has_lanes { self.by_lane.len() as u16 + 1 } else { 0 };
        let picture = if lanes > 0 { lanes + 1 } else { 0 };
        let room = height.saturating_sub(1 + aside + by_lane + picture);
        let heading = self.heading.is_some()
            && widths.is_some()
            && usize::from(room) > self.rows.len().min(2);
        let room = usize::from(room.saturating_sub(u16::from(heading)));
        // One row says more than "... and 2 more lines" in its place.
        let fits = self.rows.len() <= room || room == 1;
        let count = if fits { self.rows.len().min(room) } else { room.saturating_sub(1) };
        // Of two rows, the second is the one that comes next.
        let before = count.saturating_sub(1) / 2;
        let first = self.at.saturating_sub(before).min(self.rows.len() - count);
        let pitch = self.pitch(room);
        RuledPlan {
            widths,
            by_lane,
            lanes,
            heading,
            shown: first..first + count,
            pitch,
            thick: pitch.max(2) - 1,
        }
    }

    /// Returns the distance in screen rows between rows of the table: with room to spare, rows are
    /// thicker and separated.
    fn pitch(&self, room: usize) -> u16 {
        let spare = room.saturating_sub(self.asides.len() + self.hints.len() + 1);
        match spare.checked_div(self.rows.len()) {
            None | Some(0..4) => 1,
            Some(4 | 5) => 3,
            Some(6..) => 4,
        }
    }

    /// Writes a value for each lane, in the first rows.
    fn each_lane(&self, pen: &mut Pen<'_>, widths: Widths) {
        let look = pen.look;
        for (y, (what, values)) in (0..).zip(&self.by_lane) {
            let style = if y == 0 { look.dim() } else { look.text() };
            pen.text(0, y, what, style);
            for (lane, value) in (0..).zip(values) {
                let text = value.map_or_else(|| look.pick("·", ".").to_owned(), |n| n.to_string());
                pen.right(widths.x(lane) + widths.column, y, &text, style);
            }
        }
    }

    fn row(&self, pen: &mut Pen<'_>, y: u16, number: usize, widths: Widths, thick: u16) {
        let (row, look, named) = (&self.rows[number], pen.look, thick == 0);
        if let Some(room) = widths.label.checked_sub(1).filter(|_| named) {
            pen.text(0, y, label(&row.label, room), look.dim());
        }
        for (column, place) in (0..).zip(&row.places) {
            let x = widths.x(column);
            if widths.gap > 0 && column % 8 == 0 && column > 0 {
                pen.text(x - 1, y, look.pick("│", "|"), look.border());
            }
            for x in x..x + widths.column {
                self.place(pen, x, y, *place);
            }
            if widths.column >= NUMBERED && named {
                numbers(pen, x + widths.column, y, *place, row.lanes[usize::from(column)]);
            }
            let value = row.values.get(usize::from(column)).filter(|_| thick == VALUED);
            if let Some(value) = value.filter(|_| self.fit(widths.column)) {
                written(pen, x + widths.column, y, *place, value);
            }
        }
    }

    fn place(&self, pen: &mut Pen<'_>, x: u16, y: u16, place: ColumnState) {
        let look = pen.look;
        let wasted = if self.mark == VerdictMark::Bad { look.ink(Role::Bad) } else { look.dim() };
        match place {
            ColumnState::Idle => _ = pen.text(x, y, look.pick("·", "."), look.dim()),
            ColumnState::Wasted => _ = pen.text(x, y, look.pick("▒", ":"), wasted),
            ColumnState::Waiting => _ = pen.text(x, y, look.pick("─", "w"), look.ink(Role::Wait)),
            ColumnState::Past(role) => block(pen, x, y, Tone::Half(role)),
            ColumnState::Used(role) => block(pen, x, y, Tone::Full(role)),
        }
    }
}

impl RuledPlan {
    /// Screen rows above the rows of the table.
    fn above(&self) -> u16 {
        let picture = if self.lanes > 0 { self.lanes + 1 } else { 0 };
        self.by_lane + u16::from(self.heading) + picture
    }
}

impl Heading {
    fn draw(&self, pen: &mut Pen<'_>, y: u16, widths: Widths) {
        let dim = pen.look.dim();
        if let Some(room) = widths.label.checked_sub(1) {
            pen.text(0, y, label(&self.label, room), dim);
        }
        if self.numbered && widths.column >= NUMBERED {
            for column in 0..32 {
                pen.right(widths.x(column) + widths.column, y, &column.to_string(), dim);
            }
            return;
        }
        for (column, name) in &self.names {
            let x = widths.x(*column);
            // The last column's name is right-aligned with its column.
            if *column == 31 {
                pen.right(x + widths.column, y, name, dim);
            } else {
                pen.text(x, y, name, dim);
            }
        }
    }
}

/// Writes the lowest of a column's lanes before `end`; a plus says that there are others.
fn numbers(pen: &mut Pen<'_>, end: u16, y: u16, place: ColumnState, lanes: LaneMask) {
    let Some(lane) = lanes.lanes().next() else { return };
    let more = if lanes.count() > 1 { "+" } else { "" };
    written(pen, end, y, place, &format!("{:>3}", format!("{lane}{more}")));
}

/// Writes a text before `end` on the ground of its column.
fn written(pen: &mut Pen<'_>, end: u16, y: u16, place: ColumnState, text: &str) {
    let look = pen.look;
    let style = match place {
        _ if look.depth == Depth::Mono => Style::new(),
        ColumnState::Used(role) => look.fill(role),
        ColumnState::Past(role) => look.past(role),
        ColumnState::Waiting => look.ink(Role::Wait),
        ColumnState::Idle | ColumnState::Wasted => return,
    };
    pen.right(end, y, text, style);
}

/// Returns the form of a label that fits; nothing if none does, as a part of a number is another number.
fn label((long, short): &(String, String), room: u16) -> &str {
    [long, short].into_iter().find(|text| width(text) <= room).map_or("", String::as_str)
}

/// Writes a verdict, preceded by a mark that says without colour what it means.
pub(super) fn verdict(pen: &mut Pen<'_>, y: u16, mark: VerdictMark, text: &str) {
    match mark {
        VerdictMark::Good => pen.verdict(y, true, text),
        VerdictMark::Bad => pen.verdict(y, false, text),
        VerdictMark::Plain => {
            let style = pen.look.text().add_modifier(Modifier::BOLD);
            let x = pen.text(0, y, pen.look.pick("○", "--"), style);
            pen.text(x + 1, y, text, style);
        }
    }
}

impl Widths {
    /// Returns the widest form that fits, or `None` without room for 32 columns.
    fn fitting(room: u16, label: u16, values: u16) -> Option<Self> {
        let short = label.min(SHORT_LABEL + 1);
        let forms = [
            (label, NUMBERED.max(values + 1), 1),
            (label, NUMBERED, 1),
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
