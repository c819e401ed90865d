//! The block's shared memory, word by word: empty, in flight, filled, touched now.

mod hit;
mod legend;
mod numbers;
mod plan;

pub use self::hit::{around, halves_of, word_at};
use self::plan::{Drawn, GAP, Plan, pixels};
use super::canvas::Canvas;
use super::glow::Glow;
use super::pen::Pen;
use crate::trace::{Age, Word};
use crate::tui::facts::{Array, Values};
use crate::tui::layout::text::width;
use crate::tui::theme::{Look, Role, Tone};
use ratatui::buffer::Buffer;
use ratatui::layout::{self, Rect};
use ratatui::style::Style;
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
    /// The words that hold a wrong value for a warp that has yet to load them.
    pub hazards: &'a [u32],
    /// The words that the current step reads or writes, as indexes into `words`.
    pub now: &'a [u32],
    /// The words that the step before has read or written.
    pub glow: Glow<'a, u32>,
    /// The role of these words: the current position, or an error.
    pub means: Role,
    /// The values of the words, written into them where there is room.
    pub values: Option<&'a Values>,
    /// What a lane does with its registers, written below the legend where there is room.
    pub registers: &'a str,
    pub look: Look,
}

/// The least number of columns for a useful name and its mark.
const LEAST_NAME: u16 = 4;

/// An array in its place: the column in which its words begin, and their scale.
#[derive(Clone, Copy, Debug)]
struct Picture<'a> {
    array: Array<'a>,
    x: u16,
    plan: Plan,
}

impl Shared<'_> {
    /// Returns the state of an element of an array, or `None` after the last word.
    fn word(&self, array: Array<'_>, row: u32, column: u32) -> Option<Word> {
        self.words.get(array.index(row, column)).copied()
    }

    /// Yields (row, column) of the elements of an array that are touched now.
    fn now(&self, array: Array<'_>) -> impl Iterator<Item = (u32, u32)> {
        array.places(self.now)
    }

    /// How much is left, of 255 parts, of an element's having been touched last.
    fn glow_at(&self, array: Array<'_>, place: (u32, u32)) -> u8 {
        let glows = || array.places(self.glow.of).any(|touched| touched == place);
        if self.glow.left > 0 && glows() { self.glow.left } else { 0 }
    }

    fn array(&self, pen: &mut Pen<'_>, picture: &Picture<'_>) {
        let Picture { array, x, plan } = *picture;
        let Array { rows, columns, role, .. } = array;
        let mut canvas = Canvas::new(plan.side.0, plan.side.1.div_ceil(2));
        let of = |(row, column): (u32, u32)| {
            let across = pixels(column, columns, plan.side.0);
            pixels(row, rows, plan.side.1).flat_map(move |y| across.clone().map(move |x| (x, y)))
        };
        for place in array.elements() {
            if let Some(word) = self.word(array, place.0, place.1) {
                of(place).for_each(|(x, y)| canvas.raise(x, y, tone(word, role)));
            }
        }
        let hazards = array.places(self.hazards).flat_map(of);
        hazards.for_each(|(x, y)| canvas.raise(x, y, Tone::Full(Role::Bad)));
        let now = Tone::Full(self.means);
        self.now(array).flat_map(of).for_each(|(x, y)| canvas.raise(x, y, now));
        let glow = array.places(self.glow.of);
        glow.flat_map(of).for_each(|(x, y)| canvas.glow(x, y, self.glow.left));
        canvas.draw(pen, x, plan.top);
        self.next(pen, array, x, plan);
        if plan.label > 0 {
            let y = plan.top - 1 - u16::from(plan.heading);
            let end = pen.text(x, y, self.title(array, plan), self.look.strong(role));
            let place = if self.marks.is_empty() {
                place(array.elements_of(self.now(array)), array.elements_across())
            } else {
                String::new()
            };
            if end + 1 + width(&place) <= (x + plan.label).min(pen.width()) {
                pen.text(end + 1, y, &place, self.look.ink(self.means));
            }
        }
        self.numbers(pen, picture);
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
        Drawn {
            values: self.value_columns(),
            pixels: self.look.has_pixels(),
            banks: self.marks.is_empty(),
        }
    }

    /// Writes a summary if there is no room for pictures.
    fn sum(&self, pen: &mut Pen<'_>) {
        let filled = self.words.iter().filter(|word| word.age == Age::Current).count();
        let text = format!("{filled} of {} words filled", self.words.len());
        pen.text(0, 0, &text, self.look.text());
    }

    /// Returns the arrays in their places; none without arrays or without room.
    fn pictures(&self, area: layout::Size) -> Vec<Picture<'_>> {
        let unlike = self.arrays.windows(2).any(|pair| !pair[0].is_like(&pair[1]));
        if self.arrays.len() > 2 || unlike { self.mixed(area) } else { self.alike(area) }
    }

    /// Places up to two arrays of one shape side by side.
    fn alike(&self, area: layout::Size) -> Vec<Picture<'_>> {
        let count = self.arrays.len() as u16;
        let shape = self.arrays.first().map(|first| (first.columns, first.rows));
        let plan = shape.and_then(|shape| Plan::new(shape, count, area, self.drawn()));
        let Some(plan) = plan else { return Vec::new() };
        let each = plan.margin + plan.side.0;
        let spare = area.width - (count * (each + GAP) - GAP);
        let gap = GAP + spare.min(4) / 2;
        let left = spare.saturating_sub((count - 1) * (gap - GAP)) / 2;
        // The picture of all words has names next to it.
        let left = if self.marks.is_empty() { left } else { spare.min(1) };
        let x = |number: u16| left + number * (each + gap) + plan.margin;
        let placed = (0..).zip(self.arrays);
        placed.map(|(number, array)| Picture { array: *array, x: x(number), plan }).collect()
    }

    /// Places arrays of several shapes, or many: in the arrangement that leaves room for labels and
    /// makes the pictures largest.
    fn mixed(&self, area: layout::Size) -> Vec<Picture<'_>> {
        // A legend, with a blank row above it where that makes nothing smaller.
        let legend = u16::from(area.height >= 8);
        let below = |rows: u16| self.arranged(layout::Size { height: area.height - rows, ..area });
        let (roomy, tight) = (below(2 * legend), below(legend));
        if size_of_pictures(&tight) > size_of_pictures(&roomy) { tight } else { roomy }
    }

    /// Places arrays in the best arrangement within an area.
    fn arranged(&self, area: layout::Size) -> Vec<Picture<'_>> {
        let count = self.arrays.len() as u16;
        let arrangements = (1..=count).filter_map(|across| {
            let width = ((area.width + GAP) / across).checked_sub(GAP)?;
            let cell = layout::Size { width, height: area.height / count.div_ceil(across) };
            let picture = |number: u16| {
                let array = self.arrays[usize::from(number)];
                let plan = Plan::labelled((array.columns, array.rows), cell, self.drawn())?;
                let top = plan.top + number / across * cell.height;
                let x = number % across * (cell.width + GAP) + plan.margin;
                Some(Picture { array, x, plan: Plan { top, ..plan } })
            };
            (0..count).map(picture).collect::<Option<Vec<_>>>()
        });
        arrangements.max_by_key(|pictures| size_of_pictures(pictures)).unwrap_or_default()
    }

    /// Says that the kernel has no shared memory.
    fn none(&self, pen: &mut Pen<'_>) {
        let lines: &[_] = if self.known {
            &[
                "This kernel keeps nothing here:",
                "every lane loads from global",
                "memory, again and again.",
            ]
        } else {
            &["This kernel keeps nothing here."]
        };
        for (line, y) in lines.iter().zip(0..) {
            pen.text(0, y, line, self.look.text());
        }
        self.tell_registers(pen, lines.len() as u16 + 1);
    }
}

impl Widget for Shared<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        if self.arrays.is_empty() {
            return self.none(&mut pen);
        }
        let pictures = self.pictures(pen.area().as_size());
        let Some(first) = pictures.first() else { return self.sum(&mut pen) };
        for picture in &pictures {
            self.array(&mut pen, picture);
        }
        let end = |picture: &Picture<'_>| picture.plan.top + picture.plan.side.1.div_ceil(2);
        let below = pictures.iter().map(end).max().unwrap_or_default();
        let left = if pictures.len() > 2 { 0 } else { first.x - first.plan.margin };
        match pen.height().saturating_sub(below) {
            0 => {}
            1 => self.legend(&mut pen, left, below),
            _ => self.legend(&mut pen, left, below + 1),
        }
        let used = self.tell_registers(&mut pen, below + 3);
        self.explain(&mut pen, first, below + 3 + used);
    }
}

/// Returns whether all pictures have labels, and how many pixels they have.
fn size_of_pictures(pictures: &[Picture<'_>]) -> (bool, u32) {
    let all = pictures.iter().map(|picture| picture.plan);
    let labelled = !pictures.is_empty() && all.clone().all(|plan| plan.label > 0);
    (labelled, all.map(|plan| u32::from(plan.side.0) * u32::from(plan.side.1)).sum())
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

/// Returns the style of text on a word.
fn ground(word: Word, role: Role, look: Look) -> Style {
    match (word.age, word.coming) {
        (Age::Empty, false) => look.dim().bg(look.faint()),
        (Age::Empty, true) => look.fill(Role::Wait),
        (Age::Old, _) => look.past(role),
        (Age::Current, _) => look.fill(role),
    }
}

/// Describes the touched elements: "at 2,7" for one, "at 9,0-23" for a part of a row, "row 3" and "rows 2-3" for whole rows, "col
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
        Some([row, r1, c0, c1]) if row == r1 => format!("at {row},{c0}-{c1}"),
        Some([_, _, c0, c1]) => span("col", c0, c1),
    }
}

#[cfg(test)]
mod tests;
