//! The block's shared memory, word by word: empty, in flight, filled, touched now.

mod plan;

use self::plan::{Drawn, GAP, Plan, VALUE, pixels};
use super::canvas::{Canvas, block};
use super::pen::{Pen, width};
use crate::trace::{Age, Word};
use crate::tui::theme::{Look, Role, Tone};
use ratatui::buffer::Buffer;
use ratatui::layout::{self, Rect};
use ratatui::widgets::Widget;

/// The `__shared__` arrays side by side, as pictures of half-block pixels.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'a> {
    /// The arrays: each on its own for a catalogue kernel, one of all words for a user's kernel.
    pub arrays: &'a [Array<'a>],
    /// (first word, name) labels to be written next to a picture of all words.
    pub marks: &'a [(u32, &'a str)],
    /// Whether it is a kernel of the catalogue.
    pub known: bool,
    /// The state of every 4-byte word of the block's shared memory.
    pub words: &'a [Word],
    /// The words that the current step reads or writes, as indexes into `words`.
    pub now: &'a [u32],
    /// The role of these words: the current position, or an error.
    pub means: Role,
    /// The values of the words, written into them where there is room.
    pub values: Option<&'a [f32]>,
    /// How it is drawn.
    pub look: Look,
}

/// An array of words, as pictured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array<'a> {
    /// The label above it.
    pub title: &'a str,
    /// A shorter label.
    pub name: &'a str,
    /// The index of its first word.
    pub first: u32,
    /// The number of rows.
    pub rows: u32,
    /// The number of words per row.
    pub columns: u32,
    /// The colour of its words: that of the matrix from which they come, if known.
    pub role: Role,
}

/// The least number of columns for a useful name and its mark.
const LEAST_NAME: u16 = 4;
impl Shared<'_> {
    /// Returns the state of an element of an array, or `None` after the last word.
    fn word(&self, array: Array<'_>, row: u32, column: u32) -> Option<Word> {
        self.words.get(array.index(row, column)).copied()
    }

    /// Yields (row, column) of the elements of an array that are touched now.
    fn now(&self, array: Array<'_>) -> impl Iterator<Item = (u32, u32)> {
        let Array { first, rows, columns, .. } = array;
        let inside = self.now.iter().filter_map(move |word| word.checked_sub(first));
        let elements = inside.filter(move |index| *index < rows * columns);
        elements.map(move |index| (index / columns.max(1), index % columns.max(1)))
    }

    fn array(&self, pen: &mut Pen<'_>, array: Array<'_>, x: u16, plan: Plan) {
        let Array { rows, columns, role, .. } = array;
        let mut canvas = Canvas::new(plan.side.0, plan.side.1.div_ceil(2));
        let mut paint = |row: u32, column: u32, tone: Tone| {
            for y in pixels(row, rows, plan.side.1) {
                pixels(column, columns, plan.side.0).for_each(|x| canvas.raise(x, y, tone));
            }
        };
        for (row, column) in array.elements() {
            if let Some(word) = self.word(array, row, column) {
                paint(row, column, tone(word, role));
            }
        }
        self.now(array).for_each(|(row, column)| paint(row, column, Tone::Full(self.means)));
        canvas.draw(pen, x, plan.top);
        self.next(pen, array, x, plan);
        if plan.label > 0 {
            let end = pen.text(x, plan.top - 1, self.title(array, plan), self.look.strong(role));
            let place =
                if self.marks.is_empty() { place(self.now(array), columns) } else { String::new() };
            if end + 1 + width(&place) <= x + plan.label {
                pen.text(end + 1, plan.top - 1, &place, self.look.ink(self.means));
            }
        }
        self.numbers(pen, array, x, plan);
        self.names(pen, array, x + plan.side.0 + 1, plan);
    }

    /// Marks the words whose next value is on its way while they still hold the old one.
    fn next(&self, pen: &mut Pen<'_>, array: Array<'_>, x: u16, plan: Plan) {
        let Array { rows, columns, role, .. } = array;
        for (row, column) in array.elements() {
            let word = self.word(array, row, column).unwrap_or_default();
            if !word.coming || word.age == Age::Empty {
                continue;
            }
            let style = if word.age == Age::Old || !self.look.has_pixels() {
                self.look.past(role)
            } else {
                self.look.fill(role)
            };
            let mark = self.look.pick("↓", "v");
            for y in pixels(row, rows, plan.side.1) {
                let across = pixels(column, columns, plan.side.0);
                across.for_each(|at| _ = pen.text(x + at, plan.top + y / 2, mark, style));
            }
        }
    }

    /// Returns the label above an array: its title if every array's title fits, otherwise its name
    /// if every name fits, otherwise nothing.
    fn title<'b>(&self, array: Array<'b>, plan: Plan) -> &'b str {
        let all = |wording: fn(&Array<'_>) -> u16| {
            self.arrays.iter().all(|array| wording(array) <= plan.label)
        };
        if all(|array| width(array.title)) {
            array.title
        } else if all(|array| width(array.name)) {
            array.name
        } else {
            ""
        }
    }

    /// Writes next to the picture of all words, if there is room, which array begins where.
    fn names(&self, pen: &mut Pen<'_>, array: Array<'_>, x: u16, plan: Plan) {
        let mut last = None;
        if x + LEAST_NAME > pen.width() {
            return;
        }
        for (word, name) in self.marks {
            let row = pixels(word / array.columns.max(1), array.rows, plan.side.1).start / 2;
            if last.replace(row) != Some(row) {
                let mark = self.look.pick("◄ ", "< ");
                pen.text(x, plan.top + row, &format!("{mark}{name}"), self.look.dim());
            }
        }
    }

    /// Returns how the elements of a picture may be drawn.
    fn drawn(&self) -> Drawn {
        Drawn { values: self.values.is_some(), pixels: self.look.has_pixels() }
    }

    /// Writes the values into the elements, if they are given and the elements are large enough.
    fn numbers(&self, pen: &mut Pen<'_>, array: Array<'_>, x: u16, plan: Plan) {
        let Array { rows, columns, role, .. } = array;
        let element =
            (u32::from(plan.side.0) / columns.max(1), u32::from(plan.side.1) / rows.max(1));
        let element = (element.0 as u16, element.1 as u16);
        let legible = element.0 >= VALUE && element.1 >= 2 && element.1.is_multiple_of(2);
        let Some(values) = self.values.filter(|_| legible) else { return };
        for (row, column) in array.elements() {
            let here = self.now(array).any(|place| place == (row, column));
            let style = match self.word(array, row, column).unwrap_or_default().age {
                Age::Empty => continue,
                Age::Current | Age::Old if here => self.look.fill(self.means),
                Age::Current => self.look.fill(role),
                Age::Old => self.look.past(role),
            };
            if let Some(value) = values.get(array.index(row, column)) {
                let x = x + column as u16 * element.0 + (element.0 - VALUE) / 2;
                let y = plan.top + row as u16 * (element.1 / 2) + (element.1 / 2 - 1) / 2;
                pen.text(x, y, &format!("{value:5.2}"), style);
            }
        }
    }

    /// Writes a summary if there is no room for pictures.
    fn sum(&self, pen: &mut Pen<'_>) {
        let filled = self.words.iter().filter(|word| word.age == Age::Current).count();
        let text = format!("{filled} of {} words filled", self.words.len());
        pen.text(0, 0, &text, self.look.text());
    }

    /// Draws arrays of several shapes, or many: in the arrangement that leaves room for labels and
    /// makes the pictures largest.
    fn mixed(&self, pen: &mut Pen<'_>) {
        let mut area = pen.area().as_size();
        let legend = if area.height >= 8 { 2 } else { 0 };
        area.height -= legend;
        let count = self.arrays.len() as u16;
        let arrangements = (1..=count).filter_map(|across| {
            let width = ((area.width + GAP) / across).checked_sub(GAP)?;
            let cell = layout::Size { width, height: area.height / count.div_ceil(across) };
            let picture = |number: u16| {
                let array = self.arrays[usize::from(number)];
                let plan = Plan::labelled((array.columns, array.rows), cell, self.drawn())?;
                let top = plan.top + number / across * cell.height;
                Some((array, number % across * (cell.width + GAP), Plan { top, ..plan }))
            };
            (0..count).map(picture).collect::<Option<Vec<_>>>()
        });
        let pixels = |plan: &Plan| u32::from(plan.side.0) * u32::from(plan.side.1);
        let large = |all: &Vec<(_, _, Plan)>| {
            let labelled = all.iter().all(|(.., plan)| plan.label > 0);
            (labelled, all.iter().map(|(.., plan)| pixels(plan)).sum::<u32>())
        };
        let Some(pictures) = arrangements.max_by_key(large) else { return self.sum(pen) };
        let mut below = 0;
        for (array, x, plan) in pictures {
            self.array(pen, array, x, plan);
            below = below.max(plan.top + plan.side.1.div_ceil(2));
        }
        if legend > 0 {
            self.legend(pen, 0, below + 1);
        }
    }

    /// Returns the meaning of each tone, in brief if there is no room for the full text.
    fn states(&self, brief: bool) -> Vec<(Tone, &'static str)> {
        let full = !brief && self.marks.is_empty();
        let touched = match (self.means == Role::Bad, full) {
            (true, true) => "wrong here",
            (true, false) => "wrong",
            (false, true) => "touched now",
            (false, false) => "now",
        };
        let (empty, flying) = ((Tone::Faint, "empty"), (Tone::Full(Role::Wait), "in flight"));
        let now = (Tone::Full(self.means), touched);
        if !self.marks.is_empty() {
            let (new, older) = (Tone::Full(Role::Memory), Tone::Half(Role::Memory));
            return vec![empty, flying, (new, "new"), (older, "older"), now];
        }
        let [a, b] = if full { ["from A", "from B"] } else { ["A", "B"] };
        let (a, b) = ((Tone::Full(Role::A), a), (Tone::Full(Role::B), b));
        let known = [flying, a, b, (Tone::Half(Role::A), "old"), now];
        [empty].into_iter().filter(|_| full).chain(known).collect()
    }

    fn legend(&self, pen: &mut Pen<'_>, left: u16, y: u16) {
        let wide = |states: &[(Tone, &str)], between: u16| -> u16 {
            states.iter().map(|(_, word)| width(word) + 2 + between).sum()
        };
        let full = self.states(false);
        let fits = wide(&full, 1) <= pen.width() + 1;
        let states = if fits { full } else { self.states(true) };
        let roomy = wide(&states, 2) + left <= pen.width();
        let (between, mut x) = if roomy { (2, left.max(1)) } else { (1, 0) };
        for (tone, word) in states {
            if x + width(word) + 2 > pen.width() {
                return;
            }
            block(pen, x, y, tone);
            x = pen.text(x + 2, y, word, self.look.dim()) + between;
        }
    }
}

impl Widget for Shared<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let count = self.arrays.len() as u16;
        if count == 0 {
            let lines: &[_] = if self.known {
                &[
                    "This kernel keeps nothing here:",
                    "every lane reads global memory",
                    "itself, again and again.",
                ]
            } else {
                &["This kernel keeps nothing here."]
            };
            for (line, y) in lines.iter().zip(0..) {
                pen.text(0, y, line, self.look.text());
            }
            return;
        }
        if self.arrays.len() > 2 || self.arrays.windows(2).any(|pair| !pair[0].is_like(&pair[1])) {
            return self.mixed(&mut pen);
        }
        let shape = self.arrays.first().map_or((1, 1), |array| (array.columns, array.rows));
        let Some(plan) = Plan::new(shape, count, pen.area().as_size(), self.drawn()) else {
            return self.sum(&mut pen);
        };
        let spare = pen.width() - (count * (plan.side.0 + GAP) - GAP);
        let gap = GAP + spare.min(4) / 2;
        let left = spare.saturating_sub((count - 1) * (gap - GAP)) / 2;
        // The picture of all words has names next to it.
        let left = if self.marks.is_empty() { left } else { spare.min(1) };
        for (array, number) in self.arrays.iter().zip(0..) {
            self.array(&mut pen, *array, left + number * (plan.side.0 + gap), plan);
        }
        let below = plan.top + plan.side.1.div_ceil(2);
        if below + 1 < pen.height() {
            self.legend(&mut pen, left, below + 1);
        }
    }
}

impl Array<'_> {
    /// Whether it has the same shape.
    const fn is_like(&self, other: &Self) -> bool {
        self.rows == other.rows && self.columns == other.columns
    }

    fn index(&self, row: u32, column: u32) -> usize {
        (self.first + row * self.columns + column) as usize
    }

    /// Yields (row, column) of each element.
    fn elements(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let columns = self.columns;
        (0..self.rows).flat_map(move |row| (0..columns).map(move |column| (row, column)))
    }
}

/// Returns the tone of a word: where it is known, data from A stays blue and data from B orange.
const fn tone(word: Word, role: Role) -> Tone {
    match (word.age, word.coming) {
        (Age::Empty, false) => Tone::Faint,
        (Age::Empty, true) => Tone::Full(Role::Wait),
        (Age::Old, _) => Tone::Half(role),
        (Age::Current, _) => Tone::Full(role),
    }
}

/// Describes the touched elements: "at 2,7" for one, "row 3" and "rows 2-3" for whole rows, "col
/// 12" and "cols 0-3" otherwise; empty for none.
fn place(now: impl Iterator<Item = (u32, u32)>, tile: u32) -> String {
    let spans = now.fold(None, |spans: Option<[u32; 4]>, (row, column)| {
        let [r0, r1, c0, c1] = spans.unwrap_or([row, row, column, column]);
        Some([r0.min(row), r1.max(row), c0.min(column), c1.max(column)])
    });
    let span = |word: &str, from: u32, to: u32| {
        if from == to { format!("{word} {from}") } else { format!("{word}s {from}-{to}") }
    };
    match spans {
        None => String::new(),
        Some([row, r1, column, c1]) if row == r1 && column == c1 => format!("at {row},{column}"),
        Some([r0, r1, 0, c1]) if c1 + 1 == tile => span("row", r0, r1),
        Some([_, _, c0, c1]) => span("col", c0, c1),
    }
}

#[cfg(test)]
mod tests;
