//! The block's shared memory, word by word: empty, in flight, filled, touched now.

mod hit;
mod plan;

pub use self::hit::{halves_of, word_at};
use self::plan::{ArrayPlan, DrawMode, GAP, MARGIN, pixels};
use super::canvas::{Canvas, block};
use super::pen::Pen;
use crate::analysis::banks::BANKS;
use crate::trace::{Age, SharedWord};
use crate::tui::facts::{PicturedArray, SharedValues};
use crate::tui::layout::text::width;
use crate::tui::theme::{Look, Role, Tone};
use ratatui::buffer::Buffer;
use ratatui::layout::{self, Rect};
use ratatui::style::Style;
use ratatui::widgets::Widget;
use std::collections::BTreeSet;

/// The `__shared__` arrays side by side, as pictures of half-block pixels.
#[derive(Clone, Copy, Debug)]
pub struct SharedPanel<'a> {
    /// The arrays: each on its own for a catalogue kernel, one of all words for a user's kernel.
    pub arrays: &'a [PicturedArray<'a>],
    /// (first word, name) labels to be written next to a picture of all words.
    pub marks: &'a [(u32, &'a str)],
    /// Whether it is a kernel of the catalogue.
    pub known: bool,
    /// The state of every 4-byte word of the block's shared memory.
    pub words: &'a [SharedWord],
    /// The words that hold a wrong value for a warp that has yet to load them.
    pub hazards: &'a [u32],
    /// The words that the current step reads or writes, as indexes into `words`.
    pub now: &'a [u32],
    /// The role of these words: the current position, or an error.
    pub means: Role,
    /// The values of the words, written into them where there is room.
    pub values: Option<&'a SharedValues>,
    /// What a lane does with its registers, written below the legend where there is room.
    pub registers: &'a str,
    pub look: Look,
}

/// The least number of columns for a useful name and its mark.
const LEAST_NAME: u16 = 4;

/// An array in its place: the column in which its words begin, and their scale.
#[derive(Clone, Copy, Debug)]
struct ArrayPicture<'a> {
    array: PicturedArray<'a>,
    x: u16,
    plan: ArrayPlan,
}

impl SharedPanel<'_> {
    /// Returns the state of an element of an array, or `None` after the last word.
    fn word(&self, array: PicturedArray<'_>, row: u32, column: u32) -> Option<SharedWord> {
        self.words.get(array.index(row, column)).copied()
    }

    /// Yields (row, column) of the elements of an array that are touched now.
    fn now(&self, array: PicturedArray<'_>) -> impl Iterator<Item = (u32, u32)> {
        array.places(self.now)
    }

    fn array(&self, pen: &mut Pen<'_>, picture: &ArrayPicture<'_>) {
        let ArrayPicture { array, x, plan } = *picture;
        let PicturedArray { rows, columns, role, .. } = array;
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
    fn next(&self, pen: &mut Pen<'_>, array: PicturedArray<'_>, x: u16, plan: ArrayPlan) {
        let PicturedArray { rows, columns, role, .. } = array;
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
    fn title<'b>(&self, array: PicturedArray<'b>, plan: ArrayPlan) -> &'b str {
        let all = |wording: fn(&PicturedArray<'_>) -> u16| {
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
    fn names(&self, pen: &mut Pen<'_>, array: PicturedArray<'_>, x: u16, plan: ArrayPlan) {
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
    fn drawn(&self) -> DrawMode {
        DrawMode {
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
    fn pictures(&self, area: layout::Size) -> Vec<ArrayPicture<'_>> {
        let unlike = self.arrays.windows(2).any(|pair| !pair[0].is_like(&pair[1]));
        if self.arrays.len() > 2 || unlike { self.mixed(area) } else { self.alike(area) }
    }

    /// Places up to two arrays of one shape side by side.
    fn alike(&self, area: layout::Size) -> Vec<ArrayPicture<'_>> {
        let count = self.arrays.len() as u16;
        let shape = self.arrays.first().map(|first| (first.columns, first.rows));
        let plan = shape.and_then(|shape| ArrayPlan::new(shape, count, area, self.drawn()));
        let Some(plan) = plan else { return Vec::new() };
        let each = plan.margin + plan.side.0;
        let spare = area.width - (count * (each + GAP) - GAP);
        let gap = GAP + spare.min(4) / 2;
        let left = spare.saturating_sub((count - 1) * (gap - GAP)) / 2;
        // The picture of all words has names next to it.
        let left = if self.marks.is_empty() { left } else { spare.min(1) };
        let x = |number: u16| left + number * (each + gap) + plan.margin;
        let placed = (0..).zip(self.arrays);
        placed.map(|(number, array)| ArrayPicture { array: *array, x: x(number), plan }).collect()
    }

    /// Places arrays of several shapes, or many: in the arrangement that leaves room for labels and
    /// makes the pictures largest.
    fn mixed(&self, area: layout::Size) -> Vec<ArrayPicture<'_>> {
        // A legend, with a blank row above it where that makes nothing smaller.
        let legend = u16::from(area.height >= 8);
        let below = |rows: u16| self.arranged(layout::Size { height: area.height - rows, ..area });
        let (roomy, tight) = (below(2 * legend), below(legend));
        if size_of_pictures(&tight) > size_of_pictures(&roomy) { tight } else { roomy }
    }

    /// Places arrays in the best arrangement within an area.
    fn arranged(&self, area: layout::Size) -> Vec<ArrayPicture<'_>> {
        let count = self.arrays.len() as u16;
        let arrangements = (1..=count).filter_map(|across| {
            let each = ((area.width + GAP) / across).checked_sub(GAP)?;
            let room = area.width - GAP * (across - 1);
            let height = area.height / count.div_ceil(across);
            let width = |number: u16| match self.share(number, room) {
                Some(share) if across == count => share,
                _ => each,
            };
            let picture = |number: u16| {
                let array = self.arrays[usize::from(number)];
                let cell = layout::Size { width: width(number), height };
                let plan = ArrayPlan::labelled((array.columns, array.rows), cell, self.drawn())?;
                let top = plan.top + number / across * height;
                let before = (number - number % across..number).map(|before| width(before) + GAP);
                let x = before.sum::<u16>() + plan.margin;
                Some(ArrayPicture { array, x, plan: ArrayPlan { top, ..plan } })
            };
            (0..count).map(picture).collect::<Option<Vec<_>>>()
        });
        arrangements.max_by_key(|pictures| size_of_pictures(pictures)).unwrap_or_default()
    }

    /// The columns of an array beside the others where padding makes the rows of some a little longer: as
    /// many as its rows are long.
    fn share(&self, number: u16, room: u16) -> Option<u16> {
        let lengths = || self.arrays.iter().map(|array| array.columns);
        let (least, most) = lengths().min().zip(lengths().max())?;
        let own = self.arrays[usize::from(number)].columns;
        (most <= least * 5 / 4)
            .then(|| (u32::from(room) * own / lengths().sum::<u32>().max(1)) as u16)
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

impl Widget for SharedPanel<'_> {
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
        let end = |picture: &ArrayPicture<'_>| picture.plan.top + picture.plan.side.1.div_ceil(2);
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
fn size_of_pictures(pictures: &[ArrayPicture<'_>]) -> (bool, u32) {
    let all = pictures.iter().map(|picture| picture.plan);
    let labelled = !pictures.is_empty() && all.clone().all(|plan| plan.label > 0);
    (labelled, all.map(|plan| u32::from(plan.side.0) * u32::from(plan.side.1)).sum())
}

/// Returns the tone of a word: where it is known, data from A stays blue and data from B orange.
const fn tone(word: SharedWord, role: Role) -> Tone {
    match (word.age, word.coming) {
        (Age::Empty, false) => Tone::Faint,
        (Age::Empty, true) => Tone::Full(Role::Wait),
        (Age::Old, _) => Tone::Half(role),
        (Age::Current, _) => Tone::Full(role),
    }
}

/// Returns the style of text on a word.
fn ground(word: SharedWord, role: Role, look: Look) -> Style {
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

/// Columns of the heading between two banks that it names.
const NAMED: u32 = 8;

/// The most words whose values are written: no screen has room for more.
const MOST_VALUES: usize = 1 << 12;

impl SharedPanel<'_> {
    /// Returns the columns that a value and the gap after it take; `None` without values.
    fn value_columns(&self) -> Option<u16> {
        let values = self.values.filter(|values| values.words.len() <= MOST_VALUES)?;
        let longest = values.width()?;
        Some(longest + 1 + u16::from(longest == 1))
    }

    /// Writes what there is room for: values and banks into the elements, or banks next to them.
    fn numbers(&self, pen: &mut Pen<'_>, picture: &ArrayPicture<'_>) {
        let ArrayPicture { array, x, plan } = *picture;
        let shape = (array.columns, array.rows);
        let drawn = self.drawn();
        let valued = plan.has_room_for_values(shape, drawn);
        let banked = drawn.banks && plan.has_room_for_banks(shape, drawn);
        let (columns, rows) = plan.element(shape);
        let whole = valued && self.values.is_some_and(SharedValues::are_whole);
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
        array: PicturedArray<'_>,
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
    fn style(&self, array: PicturedArray<'_>, row: u32, column: u32) -> Style {
        let role = array.role;
        let word = self.word(array, row, column).unwrap_or_default();
        ground(word, role, self.look)
    }

    /// Writes that the last columns hold nothing: across them, or down where they are narrow.
    fn pad(&self, pen: &mut Pen<'_>, picture: &ArrayPicture<'_>) {
        const PAD: &str = "pad";
        let ArrayPicture { array, x, plan } = *picture;
        let Some(first) = array.columns.checked_sub(array.pad).filter(|_| array.pad > 0) else {
            return;
        };
        let (from, end) = (pixels(first, array.columns, plan.side.0).start, plan.side.0);
        let style = ground(SharedWord::default(), array.role, self.look);
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
    fn banks_beside(&self, pen: &mut Pen<'_>, picture: &ArrayPicture<'_>) {
        let ArrayPicture { array, x, plan } = *picture;
        let dim = self.look.dim();
        // After so many rows the banks are the same again.
        let period = (BANKS as u32) >> array.columns.trailing_zeros().min(BANKS.ilog2());
        for row in (0..array.rows.min(period)).filter(|_| plan.margin > 0) {
            let y = plan.top + pixels(row, array.rows, plan.side.1).start / 2;
            pen.right(x.saturating_sub(1), y, &array.bank(row, 0).to_string(), dim);
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

impl PicturedArray<'_> {
    /// The bank of an element.
    fn bank(&self, row: u32, column: u32) -> usize {
        self.index(row, column) % BANKS
    }

    /// Whether a column is padding, which holds nothing.
    const fn is_pad(&self, column: u32) -> bool {
        column + self.pad >= self.columns
    }
}

/// What the numbers in or beside the words are, for panels with much room.
const EXPLAINED: &str = "The numbers are banks: bank = (address / 4) mod 32.";

impl SharedPanel<'_> {
    /// Writes into row `y` what a lane does with its registers; returns the rows used.
    fn tell_registers(&self, pen: &mut Pen<'_>, y: u16) -> u16 {
        if self.registers.is_empty() || y >= pen.height() {
            return 0;
        }
        pen.text(1, y, self.registers, self.look.text());
        2
    }

    /// Explains the banks in row `y`, if that fits.
    fn explain(&self, pen: &mut Pen<'_>, first: &ArrayPicture<'_>, y: u16) {
        let shape = (first.array.columns, first.array.rows);
        let banked = first.plan.margin > 0 || first.plan.has_room_for_banks(shape, self.drawn());
        if banked && y < pen.height() && width(EXPLAINED) < pen.width() {
            pen.text(1, y, EXPLAINED, self.look.dim());
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
        let (empty, coming) = ((Tone::Faint, "empty"), (Tone::Full(Role::Wait), "on the way"));
        let now = (Tone::Full(self.means), touched);
        let hazard = (Tone::Full(Role::Bad), if full { "wrong for a warp" } else { "wrong" });
        let hazard = Some(hazard).filter(|_| !self.hazards.is_empty() && self.means != Role::Bad);
        let states = if self.arrays.iter().all(|array| array.role == Role::Shared) {
            let (new, older) = (Tone::Full(Role::Shared), Tone::Half(Role::Shared));
            vec![empty, coming, (new, "new"), (older, "older"), now]
        } else {
            let [a, b] = if full { ["from A", "from B"] } else { ["A", "B"] };
            let (a, b) = ((Tone::Full(Role::A), a), (Tone::Full(Role::B), b));
            vec![empty, coming, a, b, (Tone::Half(Role::A), "old"), now]
        };
        // What is wrong matters most.
        hazard.into_iter().chain(states).collect()
    }

    /// Writes the legend into row `y`: in full, in brief, or as much of that as fits.
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

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn places_are_whole_rows_or_columns() {
        assert_eq!(place([].into_iter(), 16), "");
        assert_eq!(place([(2, 7)].into_iter(), 16), "at 2,7");
        assert_eq!(place([(2, 7), (3, 7)].into_iter(), 16), "col 7");
        assert_eq!(place((0..16).map(|column| (12, column)), 16), "row 12");
        assert_eq!(place((0..24).map(|column| (9, column)), 32), "at 9,0-23");
        assert_eq!(place((0..32).map(|lane| (4 + lane / 16, lane % 16)), 16), "rows 4-5");
        assert_eq!(place((0..2).flat_map(|r| (0..4).map(move |c| (r, c))), 16), "cols 0-3");
    }
}
