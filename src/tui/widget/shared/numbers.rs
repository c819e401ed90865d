//! The numbers of shared memory: in the words their values and banks, next to them the banks.

use super::super::pen::Pen;
use super::plan::{MARGIN, pixels};
use super::{Array, Picture, Shared, Values};
use crate::analysis::banks::BANKS;
use crate::trace::{Age, Word};
use crate::tui::layout::text::width;
use crate::tui::theme::Role;
use ratatui::style::Style;
use std::collections::BTreeSet;

/// Columns of the heading between two banks that it names.
const NAMED: u32 = 8;

/// The most words whose values are written: no screen has room for more.
const MOST_VALUES: usize = 1 << 12;

impl Shared<'_> {
    /// Returns the columns that a value and the gap after it take; `None` without values.
    pub(super) fn value_columns(&self) -> Option<u16> {
        let values = self.values.filter(|values| values.words.len() <= MOST_VALUES)?;
        let longest = values.width()?;
        Some(longest + 1 + u16::from(longest == 1))
    }

    /// Writes what there is room for: values and banks into the elements, or banks next to them.
    pub(super) fn numbers(&self, pen: &mut Pen<'_>, picture: &Picture<'_>) {
        let Picture { array, x, plan } = *picture;
        let shape = (array.columns, array.rows);
        let drawn = self.drawn();
        let valued = plan.has_room_for_values(shape, drawn);
        let banked = drawn.banks && plan.has_room_for_banks(shape, drawn);
        let (columns, rows) = plan.element(shape);
        let whole = valued && self.values.is_some_and(Values::are_whole);
        let now: BTreeSet<_> = self.now(array).collect();
        let hazards: BTreeSet<_> = array.places(self.hazards).collect();
        for (row, column) in array.elements().filter(|_| valued || banked) {
            let style = if now.contains(&(row, column)) {
                self.look.fill(self.means)
            } else if hazards.contains(&(row, column)) {
                self.look.fill(Role::Bad)
            } else {
                self.style(array, row, column)
            };
            let x = x + column as u16 * columns;
            let top = plan.top + row as u16 * rows;
            let mut write = |y: u16, text: &str, across: u16| {
                let inside = across * columns - u16::from(columns >= 3);
                pen.text(x + inside.saturating_sub(width(text)) / 2, y, text, style);
            };
            let lines = u16::from(valued) + u16::from(banked);
            let y = top + (rows - lines.min(rows)) / 2;
            if let Some((text, across)) =
                self.shown_value(array, (row, column), whole).filter(|_| valued)
            {
                write(y, &text, across);
            }
            if banked && !array.is_pad(column) {
                let bank = array.bank(row, column);
                // Below a value a letter says that it is a bank, where the largest has room for it.
                let lettered = valued && columns > width("b31");
                let text = if lettered { format!("b{bank}") } else { format!("{bank:>2}") };
                write(y + u16::from(valued), &text, 1);
            }
        }
        self.pad(pen, picture);
        self.banks_beside(pen, picture);
    }

    /// Returns the text of a word that has values, and the words across which it stands.
    fn shown_value(
        &self,
        array: Array<'_>,
        (row, column): (u32, u32),
        whole: bool,
    ) -> Option<(String, u16)> {
        let values = self.values?;
        let word = array.index(row, column) as u32;
        match self.word(array, row, column)?.age {
            Age::Empty => None,
            Age::Old | Age::Current => Some((values.text(word, whole)?, values.span(word))),
        }
    }

    /// Returns the style of text on an element that is not touched now.
    fn style(&self, array: Array<'_>, row: u32, column: u32) -> Style {
        let role = array.role;
        let word = self.word(array, row, column).unwrap_or_default();
        let style = super::ground(word, role, self.look);
        self.look.on_glow(style, super::tone(word, role), self.glow_at(array, (row, column)))
    }

    /// Writes that the last columns hold nothing: across them, or down where they are narrow.
    fn pad(&self, pen: &mut Pen<'_>, picture: &Picture<'_>) {
        const PAD: &str = "pad";
        let Picture { array, x, plan } = *picture;
        let Some(first) = array.columns.checked_sub(array.pad).filter(|_| array.pad > 0) else {
            return;
        };
        let (from, end) = (pixels(first, array.columns, plan.side.0).start, plan.side.0);
        let style = super::ground(Word::default(), array.role, self.look);
        let rows = plan.side.1.div_ceil(2);
        if end - from >= width(PAD) {
            pen.text(x + from, plan.top + rows / 2, PAD, style);
            return;
        }
        if rows >= width(PAD) {
            let top = plan.top + (rows - width(PAD)) / 2;
            for (letter, y) in PAD.chars().zip(top..) {
                pen.text(x + from, y, &letter.to_string(), style);
            }
        }
    }

    /// Writes the bank of each row's first word to its left, and those of the first row above it.
    fn banks_beside(&self, pen: &mut Pen<'_>, picture: &Picture<'_>) {
        let Picture { array, x, plan } = *picture;
        let dim = self.look.dim();
        let start = |row: u32| pixels(row, array.rows, plan.side.1).start / 2;
        let mut rows = (0..array.rows).filter(|_| plan.margin > 0).peekable();
        while let Some(row) = rows.next() {
            // A row of the screen may show several rows of the array.
            let mut all = vec![array.bank(row, 0)];
            while let Some(next) = rows.next_if(|next| start(*next) == start(row)) {
                let bank = array.bank(next, 0);
                if !all.contains(&bank) {
                    all.push(bank);
                }
            }
            let mut banks = all.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            // Without room for all of them, dots stand for those after the first one.
            if width(&banks) >= MARGIN {
                banks = format!("{}..", all[0]);
            }
            pen.right(x.saturating_sub(1), plan.top + start(row), &banks, dim);
        }
        if plan.label == 0 {
            return;
        }
        if plan.margin >= MARGIN {
            pen.text(x.saturating_sub(MARGIN), plan.top - 1, "bank", dim);
        }
        if plan.heading {
            let named = (0..array.columns - array.pad).step_by(NAMED as usize);
            for column in named {
                let at = x + pixels(column, array.columns, plan.side.0).start;
                pen.text(at, plan.top - 1, &array.bank(0, column).to_string(), dim);
            }
        }
    }
}

impl Array<'_> {
    /// The bank of an element.
    fn bank(&self, row: u32, column: u32) -> usize {
        self.index(row, column) % BANKS
    }

    /// Whether a column is padding, which holds nothing.
    const fn is_pad(&self, column: u32) -> bool {
        column + self.pad >= self.columns
    }
}
