//! The followed value: a summary of its use and, row by row, what happened to it.

use super::pen::Pen;
use crate::report::value::Column;
use crate::tui::facts::value::ValueRowState;
use crate::tui::layout::text::wrapped;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

/// The panel of the followed value.
///
/// ```text
/// C[5][7] = sum over k of A[5][k] x B[k][7]
/// 1,024 products in 64 tiles; now at k = 33
///   load      lane    slot      line   step
/// ● A[5][32]  w2 l16  sA[5][0]    34   1315     used
/// ■ B[32][7]  w0 l7   sB[0][7]    35   1369     in shared memory
/// ·►A[5][33]  w2 l17  sA[5][1]    34   1315     not loaded yet
/// step 1315  w2 l17  load of A[5][33]           the steps of the selected row
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ValuePanel<'a> {
    /// The content of the panel.
    pub view: &'a ValueView,
    pub look: Look,
}

/// The content of the panel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueView {
    /// The summary, line by line, the most important first.
    pub heading: Vec<String>,
    /// The columns of the table and their widths, in order.
    pub columns: Vec<(Column, u16)>,
    /// The number of rows of the whole table.
    pub rows: usize,
    /// The first row in view.
    pub first: usize,
    /// The rows in view: the state, and a cell for each column.
    pub lines: Vec<(ValueRowState, Vec<String>)>,
    /// The selected row.
    pub cursor: usize,
    /// The steps of the selected row, and for each whether the run is at it.
    pub way: Vec<(bool, String)>,
    /// Whether the answer belongs to an earlier question.
    pub stale: bool,
}

/// The division of the panel's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ValuePlan {
    heading: u16,
    titles: u16,
    list: u16,
    way: u16,
}

/// Columns before the table: the state and the mark.
const HEAD: u16 = 2;
/// Columns between two columns of the table.
const GAP: u16 = 2;

/// The priority of the columns if not all fit.
const PRIORITY: [Column; 11] = [
    Column::Load,
    Column::What,
    Column::Lane,
    Column::Slot,
    Column::Line,
    Column::Step,
    Column::Used,
    Column::Tile,
    Column::Address,
    Column::Stored,
    Column::Reloaded,
];

impl ValuePlan {
    /// Divides a panel of `height` rows inside, given the numbers of heading lines and steps.
    fn new(height: u16, heading: usize, way: usize) -> Self {
        let (heading, way) = (heading as u16, way as u16);
        let heading = heading.min(match height {
            0..4 => 1,
            4..12 => 2,
            12.. => 5,
        });
        let titles = u16::from(height > heading + 3);
        let rest = height.saturating_sub(heading + titles);
        // A blank row separates the steps from the list.
        let way = if rest >= way + 7 { way + 1 } else { 0 };
        Self { heading, titles, list: rest - way, way }
    }
}

/// Returns the number of list rows that fit into a panel of `height` rows inside.
pub fn list_rows(height: u16, heading: usize, way: usize) -> usize {
    ValuePlan::new(height, heading, way).list.into()
}

/// Wraps the heading into lines of at most `width` columns.
pub fn folded(heading: &[String], width: u16) -> Vec<String> {
    heading.iter().flat_map(|line| wrapped(line, width)).collect()
}

/// Returns the row of the list at `y` of the screen.
pub fn row_at(view: &ValueView, area: Rect, y: u16) -> Option<usize> {
    let plan = ValuePlan::new(area.height, view.heading.len(), view.way.len());
    let row = y.checked_sub(area.y + plan.heading + plan.titles)?;
    (usize::from(row) < view.lines.len() && row < plan.list).then(|| view.first + usize::from(row))
}

impl ValueRowState {
    fn glyph(self, look: Look) -> &'static str {
        match self {
            Self::Elsewhere => " ",
            Self::Ahead => look.pick("·", "."),
            Self::Loaded => look.pick("↓", "L"),
            Self::Kept => look.pick("■", "S"),
            Self::Used => look.pick("●", "o"),
        }
    }

    fn style(self, look: Look) -> Style {
        match self {
            Self::Elsewhere | Self::Ahead => look.dim(),
            Self::Loaded | Self::Kept => look.ink(Role::Memory),
            Self::Used => look.ink(Role::C),
        }
    }
}

impl ValuePanel<'_> {
    /// Returns the indexes of the columns that fit.
    fn fitting(&self, width: u16) -> Vec<usize> {
        // The last screen column is reserved for the arrows that indicate more rows.
        let mut room = width.saturating_sub(HEAD + 1) + GAP;
        let mut taken = Vec::new();
        for wanted in PRIORITY {
            let found = self.view.columns.iter().position(|(column, _)| *column == wanted);
            let Some(index) = found else { continue };
            let needed = self.view.columns[index].1 + GAP;
            if needed > room {
                break;
            }
            room -= needed;
            taken.push(index);
        }
        taken.sort_unstable();
        taken
    }

    fn headings(&self, pen: &mut Pen<'_>, rows: u16) {
        let bold = self.look.bold();
        for (y, line) in (0..rows).zip(&self.view.heading) {
            pen.text(0, y, line, if y == 0 { bold } else { self.look.text() });
        }
    }

    fn row(&self, pen: &mut Pen<'_>, y: u16, columns: &[usize], row: usize) {
        let (state, cells) = &self.view.lines[row - self.view.first];
        let chosen = row == self.view.cursor;
        let style = match (chosen, self.view.stale) {
            (true, _) => self.look.chosen(),
            (false, true) => self.look.dim(),
            (false, false) => self.look.text(),
        };
        pen.text(0, y, state.glyph(self.look), state.style(self.look));
        if chosen {
            pen.text(1, y, self.look.pick("►", ">"), style);
        }
        self.cells(pen, y, columns, style, |index| cells.get(index).map_or("", String::as_str));
    }

    fn cells<'c>(
        &self,
        pen: &mut Pen<'_>,
        y: u16,
        columns: &[usize],
        style: Style,
        cell: impl Fn(usize) -> &'c str,
    ) {
        let mut x = HEAD;
        for index in columns {
            let (column, width) = self.view.columns[*index];
            pen.text(x, y, &column.padded(cell(*index), width), style);
            x += width + GAP;
        }
    }

    fn ways(&self, pen: &mut Pen<'_>, top: u16) {
        for (y, (here, text)) in (top..).zip(&self.view.way) {
            let style = if *here { self.look.chosen() } else { self.look.dim() };
            if *here {
                pen.text(1, y, self.look.pick("►", ">"), style);
            }
            pen.text(HEAD, y, text, style);
        }
    }
}

impl Widget for ValuePanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let plan = ValuePlan::new(pen.height(), self.view.heading.len(), self.view.way.len());
        self.headings(&mut pen, plan.heading);
        if self.view.rows == 0 {
            return;
        }
        let columns = self.fitting(pen.width());
        let top = plan.heading + plan.titles;
        if plan.titles > 0 {
            let style = self.look.dim();
            self.cells(&mut pen, plan.heading, &columns, style, |i| self.view.columns[i].0.title());
        }
        let last =
            (self.view.first + self.view.lines.len()).min(self.view.first + usize::from(plan.list));
        for (y, row) in (top..).zip(self.view.first..last) {
            self.row(&mut pen, y, &columns, row);
        }
        let column = pen.width().saturating_sub(1);
        if self.view.first > 0 {
            pen.text(column, top, self.look.pick("▲", "^"), self.look.text());
        }
        if last < self.view.rows && plan.list > 0 {
            pen.text(column, top + plan.list - 1, self.look.pick("▼", "v"), self.look.text());
        }
        if plan.way > 0 {
            self.ways(&mut pen, top + plan.list + 1);
        }
    }
}
