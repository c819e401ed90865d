//! Two stages side by side, at the same k, with a counter each.

use super::fit::{CrossForm, FitSpace};
use super::labels::{self, Writing};
use super::paint::{Painting, Shade};
use super::place::HalfRect;
use super::plan::{half, half_form};
use super::{tiles, ways};
use crate::report::number::grouped;
use crate::study::stage::StageScene;
use crate::tui::layout::text::{fitting, width, wrapped};
use crate::tui::theme::{Look, Role};
use crate::tui::widget::pen::Pen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Two kernels at the same place of their work.
#[derive(Clone, Copy, Debug)]
pub struct StageComparison<'a> {
    pub sentence: &'a str,
    pub halves: [StageHalf<'a>; 2],
    /// What it comes to at the end.
    pub last: &'a str,
    pub look: Look,
}

#[derive(Clone, Copy, Debug)]
pub struct StageHalf<'a> {
    /// The kernel with its tile.
    pub title: &'a str,
    /// Where it takes its words from.
    pub note: &'a str,
    pub scene: &'a StageScene,
    /// Counts of both halves: bars of one scale, in the same order.
    pub counts: &'a [StageCount<'a>],
    /// The greatest that any of them will be, if that is known.
    pub most: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct StageCount<'a> {
    pub words: &'a str,
    pub value: u64,
    /// What stands after it.
    pub note: &'a str,
    pub role: Role,
}

impl StageComparison<'_> {
    /// Whether two stages fit side by side.
    pub const fn fits(area: Rect) -> bool {
        area.width >= 118 && area.height >= 31
    }

    /// The form that both crosses have room for.
    fn form(&self, columns: u16) -> Option<CrossForm> {
        let [left, right] = self.halves.map(|half| half_form(half.scene, columns));
        let (left, right) = (left?, right?);
        Some(CrossForm {
            gap: left.gap.max(right.gap),
            right: left.right.max(right.right),
            below: 2,
        })
    }

    fn half(&self, i: usize, pen: Pen<'_>, rows: u16) {
        let compared = &self.halves[i];
        let (columns, look) = (pen.width(), pen.look);
        let painting = Painting::new(columns, pen.height());
        let mut writing = Writing { pen, painting, margin: MARGIN };
        if let Some(end) = writing.say((MARGIN, 0), &[compared.title.to_owned()], look.chosen()) {
            writing.say((end + 3, 0), &[compared.note.to_owned()], look.dim());
        }
        let space = FitSpace { x: MARGIN, width: columns.saturating_sub(MARGIN + 2), y: 2, rows };
        let placed = self.form(columns).and_then(|form| half(compared.scene, space, form));
        if let Some(plan) = placed {
            tiles::paint(compared.scene, &plan, &mut writing.painting, false);
            writing.painting.draw(&mut writing.pen);
            tiles::write(compared.scene, &plan, &mut writing);
            labels::write(compared.scene, &plan, &mut writing);
            ways::draw(compared.scene, &plan, &mut writing);
        }
        for (row, count) in (rows + 3..).zip(compared.counts) {
            bar(&mut writing, row, count, self.most());
        }
    }

    /// The greatest count at the end or, until that is known, a bound that seldom changes: all bars have
    /// one scale, and only grow.
    fn most(&self) -> u64 {
        let ends = self.halves.map(|half| half.most);
        let now = self.halves.iter().flat_map(|half| half.counts).map(|count| count.value);
        if ends.contains(&0) {
            return now.max().unwrap_or(0).next_power_of_two().max(LEAST_SCALE);
        }
        now.chain(ends).max().unwrap_or(0)
    }
}

/// The least end of the scale of bars whose own end is not known: a few sectors fill none.
const LEAST_SCALE: u64 = 256;

/// Columns that stay free at the left of each half, and those of the words before a bar.
const MARGIN: u16 = 4;
const WORDS: u16 = 16;

fn bar(writing: &mut Writing<'_>, row: u16, count: &StageCount<'_>, most: u64) {
    let look = writing.pen.look;
    writing.pen.text(MARGIN, row, count.words, look.text());
    let value = grouped(count.value);
    let x = MARGIN + WORDS;
    let room = writing.pen.width().saturating_sub(x + width(&grouped(most)) + 4);
    let wide = (u64::from(room) * count.value).div_ceil(most.max(1)) as u16;
    let mut painting = Painting::new(writing.pen.width(), row + 1);
    let area = HalfRect { x, y: 2 * row, width: wide, height: 2 };
    painting.fill(area, Shade::Fill(count.role, 75));
    painting.draw(&mut writing.pen);
    let start = if wide == 0 { x } else { x + wide + 2 };
    let end = writing.pen.text(start, row, &value, look.chosen());
    let room = writing.pen.width().saturating_sub(end + 2);
    writing.pen.text(end + 2, row, fitting(&[count.note.to_owned()], room), look.dim());
}

impl Widget for StageComparison<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let mut pen = Pen::new(area, buf, look);
        let columns = pen.width().saturating_sub(2 * MARGIN);
        let said = wrapped(self.sentence, columns);
        for (row, line) in (1..).zip(said.iter().take(2)) {
            pen.text(MARGIN, row, line, look.chosen());
        }
        let counts = self.halves.iter().map(|half| half.counts.len()).max().unwrap_or(0) as u16;
        let (top, foot) = (4, counts + 4);
        let Some(rows) = pen.height().checked_sub(top + foot + 3) else { return };
        let middle = pen.width() / 2;
        let high = rows + 3 + counts;
        for row in top..top + high {
            pen.text(middle, row, look.pick("│", "|"), look.border());
        }
        let halves = [(0, middle), (middle + 1, pen.width() - middle - 1)];
        for (i, (x, width)) in halves.into_iter().enumerate() {
            let part = Rect { x, y: top, width, height: high };
            self.half(i, pen.part(part), rows);
        }
        let last = fitting(&[self.last.to_owned()], columns).to_owned();
        pen.text(MARGIN, top + high + 1, &last, look.dim());
    }
}
