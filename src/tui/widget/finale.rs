//! The end of a run: whether C is right, what it took, and the measured times as a race.

use super::canvas::Canvas;
use super::pen::Pen;
use crate::report::block_summary::BlockCount;
use crate::report::number::{grouped, milliseconds};
use crate::report::sentence::Aside;
use crate::tui::facts::race::{BEGINS, FLIES, NOTE, RaceBar, TimeRace};
use crate::tui::keymap::Key;
use crate::tui::layout::text::{fitting, width, wrapped};
use crate::tui::theme::{Look, Role, Tone};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget};

/// A picture of the end of a run, a pure function of its facts and of the seconds since then.
#[derive(Clone, Copy, Debug)]
pub struct Finale<'a> {
    /// What has ended, and how: "Block (2,2) of tiled 16x16 is done".
    pub title: &'a str,
    /// Whether it came out well, and the sentence that says so; `None` if it is not judged.
    pub verdict: Option<&'a (bool, String)>,
    /// The block's part of C: its name, its rows and columns, and the elements that are wrong.
    pub part: Option<&'a ResultPart>,
    pub took: &'a [BlockCount],
    /// Whether the run has not come to the end of the block.
    pub partly: bool,
    /// The race, or what is said if nothing was measured.
    pub race: Result<&'a TimeRace, &'a str>,
    /// What it comes to, the most important first.
    pub notes: &'a [Aside],
    /// Keys, and what each does, the most important first.
    pub keys: &'a [(Key, String)],
    /// The seconds since the end; below 0, C flies to its place.
    pub seconds: f64,
    /// Where on the screen it has been.
    pub from: Option<Rect>,
    pub look: Look,
}

/// The part of C that a block computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultPart {
    pub name: String,
    /// Rows and columns.
    pub shape: (u32, u32),
    /// (row, column) within the part.
    pub wrong: Vec<(u32, u32)>,
}

/// Columns at the sides, and the widest picture of C.
const MARGIN: u16 = 2;
const WIDEST: u16 = 90;

/// The narrowest picture of C.
const LEAST: u16 = 8;

/// Columns between C and the list.
const fn gap(wide: u16) -> u16 {
    if wide < 110 { 2 } else { 5 }
}

impl Widget for Finale<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        Clear.render(area, buf);
        buf.set_style(area, self.look.ground());
        let inside = Rect {
            x: area.x + MARGIN.min(area.width),
            width: area.width.saturating_sub(2 * MARGIN),
            ..area
        };
        let mut pen = Pen::new(inside, buf, self.look);
        let (wide, height) = (pen.width(), pen.height());
        let first = self.headline(&mut pen);
        let plan = self.plan((wide, height), first);
        let part = |y: u16, height: u16| Rect { x: 0, y, width: wide, height };
        let above = part(first, plan.race.saturating_sub(first));
        if let Some(from) = self.from.filter(|_| self.seconds < 0.0) {
            return self.fly(&mut pen, from, (inside, above));
        }
        self.block(&mut pen.part(above));
        self.race(&mut pen.part(part(plan.race, plan.notes.saturating_sub(plan.race))), plan.pitch);
        let mut y = plan.notes + u16::from(plan.apart);
        for note in &self.notes[..self.told(plan.told)] {
            y += self.note(&mut pen, y, note);
        }
        self.keys(&mut pen, height.saturating_sub(1));
    }
}

/// Which rows the parts have.
struct FinalePlan {
    /// The first row of the race, and the rows of a bar with what separates it from the next.
    race: u16,
    pitch: u16,
    /// The row after the race, how many notes follow it, and whether a row is free before them.
    notes: u16,
    told: usize,
    apart: bool,
}

impl Finale<'_> {
    /// Divides the rows below the headline: what must be there, then notes, then thicker bars.
    fn plan(&self, (wide, height): (u16, u16), first: u16) -> FinalePlan {
        let bars = self.race.map_or(1, |race| race.bars.len() as u16);
        let least = self.took.len() as u16 + 1;
        let mut free = height.saturating_sub(first + least + 1 + bars + 2);
        let mut told = 0;
        let mut rows = 0;
        for note in self.notes {
            let own = self.note_lines(wide, note).len() as u16;
            if rows + own > free {
                break;
            }
            (told, rows) = (told + 1, rows + own);
        }
        free -= rows;
        let apart = free > 0 && told > 0;
        free -= u16::from(apart);
        let pitch = 1 + (free / bars.max(1)).min(2);
        let notes = height.saturating_sub(2 + rows + u16::from(apart));
        FinalePlan { race: notes.saturating_sub(1 + bars * pitch), pitch, notes, told, apart }
    }

    /// How many of the notes that have room are told by now: one after the other, once all are there.
    fn told(&self, all: usize) -> usize {
        let since = self.race.map_or(f64::MAX, |race| self.seconds - BEGINS - race.seconds());
        if since < 0.0 { 0 } else { all.min(((since / NOTE) as usize).saturating_add(1)) }
    }

    /// The columns before the words of notes, where there is room for them.
    fn labels(&self, wide: u16) -> u16 {
        let longest = self.notes.iter().map(|note| width(&note.label)).max().unwrap_or(0);
        if wide < 90 { 0 } else { longest + 2 }
    }

    fn note_lines(&self, wide: u16, note: &Aside) -> Vec<String> {
        match self.labels(wide) {
            0 => wrapped(&format!("{}: {}", note.label, note.text), wide),
            columns => wrapped(&note.text, wide.saturating_sub(columns)),
        }
    }

    /// Writes a note; returns its rows.
    fn note(&self, pen: &mut Pen<'_>, y: u16, note: &Aside) -> u16 {
        let (look, wide) = (pen.look, pen.width());
        let (lines, columns) = (self.note_lines(wide, note), self.labels(wide));
        let bold = look.bold();
        for (row, line) in (y..).zip(&lines) {
            pen.text(columns, row, line, look.text());
        }
        pen.text(0, y, &note.label, bold);
        lines.len() as u16
    }

    /// Writes how it ended; returns the row below.
    fn headline(&self, pen: &mut Pen<'_>) -> u16 {
        let (look, room) = (pen.look, pen.width());
        let bold = look.bold();
        let (text, style) = match self.verdict {
            Some((true, text)) => (format!("{}: {text}", self.title), bold),
            Some((false, text)) => {
                let text = format!("{}{}: {text}", look.pick("▲ ", "! "), self.title);
                (text, look.strong(Role::Bad))
            }
            None => (format!("{}: its result is stored, nobody has judged it.", self.title), bold),
        };
        let lines = wrapped(&text, room);
        let most = usize::from(pen.height() / 5).max(1);
        // Too long for a small screen: the title, then what matters more.
        let lines = match self.verdict {
            Some((_, verdict)) if lines.len() > most => wrapped(verdict, room),
            _ => lines,
        };
        let roomy = u16::from(pen.height() > 24);
        for (row, line) in (roomy..).zip(&lines) {
            pen.text(0, row, line, style);
        }
        lines.len() as u16 + 2 * roomy
    }

    /// Draws C, and beside it what it took.
    fn block(&self, pen: &mut Pen<'_>) {
        let place = self.place(pen);
        if let Some((part, place)) = self.part.zip(place) {
            Self::result(&mut pen.part(place), part);
        }
        let x = place.map_or(0, |place| place.width + gap(pen.width()));
        let room = pen.width().saturating_sub(x);
        let part = Rect { x, y: 0, width: room, height: pen.height() };
        self.list(&mut pen.part(part), self.numbers());
    }

    /// Where C lies with its name, if there is room for it.
    fn place(&self, pen: &Pen<'_>) -> Option<Rect> {
        let part = self.part?;
        let list = self.took.iter().map(|(_, words)| width(words)).max().unwrap_or(0);
        let left = self.picture_width(pen, self.numbers() + 2 + list);
        let square = left * part.shape.0 as u16 / (2 * part.shape.1 as u16).max(1) + 1;
        let height = (pen.height() - u16::from(pen.height() > 4)).min(square);
        (left > 0).then_some(Rect { x: 0, y: 0, width: left, height })
    }

    /// Draws C on its way from the stage to its place.
    fn fly(&self, pen: &mut Pen<'_>, from: Rect, (inside, above): (Rect, Rect)) {
        let to = self.place(&pen.part(above));
        let Some((part, to)) = self.part.zip(to) else { return };
        let done = (1.0 + self.seconds / FLIES).clamp(0.0, 1.0);
        let eased = done * done * (3.0 - 2.0 * done);
        let between = |from: u16, to: u16| {
            (f64::from(from) + (f64::from(to) - f64::from(from)) * eased).round() as u16
        };
        let place = Rect {
            x: between(from.x.saturating_sub(inside.x), to.x + above.x),
            y: between(from.y.saturating_sub(inside.y + 1), to.y + above.y),
            width: between(from.width, to.width),
            height: between(from.height + 1, to.height),
        };
        Self::result(&mut pen.part(place), part);
    }

    /// Columns of the picture of C: as many as are left beside the list, or none.
    fn picture_width(&self, pen: &Pen<'_>, list: u16) -> u16 {
        let Some(part) = self.part else { return 0 };
        let free = pen.width().saturating_sub(list + gap(pen.width())).min(WIDEST);
        let square =
            2 * pen.height().saturating_sub(1) * part.shape.1 as u16 / (part.shape.0 as u16).max(1);
        let wide = free.min(square);
        if wide < LEAST || pen.height() < LEAST / 2 { 0 } else { wide }
    }

    fn numbers(&self) -> u16 {
        self.took.iter().map(|(count, _)| width(&grouped(*count))).max().unwrap_or(0)
    }

    /// Draws the block's part of C: what is wrong is red.
    fn result(pen: &mut Pen<'_>, part: &ResultPart) {
        if width(&part.name) <= pen.width() {
            pen.text(0, 0, &part.name, pen.look.strong(Role::C));
        }
        let rows = pen.height() - 1;
        let (wide, high) = (pen.width(), 2 * rows);
        let mut canvas = Canvas::new(wide, rows);
        for (x, y) in (0..high).flat_map(|y| (0..wide).map(move |x| (x, y))) {
            canvas.set(x, y, Tone::Full(Role::C));
        }
        let span = |at: u32, of: u32, cells: u16| {
            let cell = |at: u32| (u64::from(at) * u64::from(cells) / u64::from(of.max(1))) as u16;
            cell(at)..cell(at + 1).max(cell(at) + 1)
        };
        for (row, column) in &part.wrong {
            for y in span(*row, part.shape.0, high) {
                for x in span(*column, part.shape.1, wide) {
                    canvas.set(x, y, Tone::Full(Role::Bad));
                }
            }
        }
        canvas.draw(pen, 0, 1);
    }

    /// Lists what it took.
    fn list(&self, pen: &mut Pen<'_>, numbers: u16) {
        let look = pen.look;
        let bold = look.bold();
        let partly = if self.partly { " up to there" } else { "" };
        pen.text(0, 0, &format!("what it took{partly}, simulated"), bold);
        let lines = self.took.len() as u16;
        let pitch = if pen.height() >= 2 * lines + 2 { 2 } else { 1 };
        for (row, (count, words)) in (0..).zip(self.took) {
            let y = pitch + row * pitch;
            pen.right(numbers, y, &grouped(*count), bold);
            if width(words) + numbers + 2 <= pen.width() {
                pen.text(numbers + 2, y, words, look.dim());
            } else {
                let short = words.split(',').next().unwrap_or_default();
                pen.text(numbers + 2, y, short, look.dim());
            }
        }
    }

    fn race(&self, pen: &mut Pen<'_>, pitch: u16) {
        let look = pen.look;
        let race = match self.race {
            Ok(race) => race,
            Err(why) => {
                pen.repeat(0, 0, pen.width(), look.pick("─", "-"), look.border());
                pen.text(0, 1, why, look.text());
                return;
            }
        };
        let seconds = (self.seconds - BEGINS).clamp(0.0, race.seconds());
        Self::title_of_race(pen, race, seconds);
        let plan = BarPlan::of(race, pen.width());
        for (number, bar) in (0..).zip(&race.bars) {
            let y = 1 + number * pitch + u16::from(pitch > 1);
            plan.draw(pen, y, pitch.saturating_sub(1).max(1), (race, bar), seconds);
        }
    }

    fn title_of_race(pen: &mut Pen<'_>, race: &TimeRace, seconds: f64) {
        let look = pen.look;
        let TimeRace { size, run, origin, slowed, .. } = race;
        let slowed = grouped(*slowed as u64);
        let forms = match run {
            None => [
                format!("The whole product, {size}, {origin}, slowed down {slowed} times"),
                format!("{size}, {origin}, slowed down {slowed} times"),
                format!("{size}, {origin}, {slowed} times slower"),
                format!("{origin}, {slowed}x slower"),
            ],
            Some(run) => [
                format!("Not {run} but {size}, {origin}, slowed down {slowed} times"),
                format!("Not {run} but {size}, {origin}, {slowed}x slower"),
                format!("{size}, not {run}: {origin}"),
                format!("not {run} but {size}"),
            ],
        };
        let clock = format!("{seconds:.2} s");
        pen.repeat(0, 0, pen.width(), look.pick("━", "="), look.border());
        let room = pen.width().saturating_sub(width(&clock) + 9);
        let bold = look.bold();
        let x = pen.text(3, 0, &format!(" {} ", fitting(&forms, room)), bold);
        let running = if seconds < race.seconds() { look.strong(Role::Here) } else { bold };
        pen.text(x, 0, &format!(" {clock} "), running);
    }

    fn keys(&self, pen: &mut Pen<'_>, y: u16) {
        let look = pen.look;
        let style = look.key_cap();
        let mut x = 0;
        for (key, text) in self.keys {
            let wide = width(&key.to_string()) + width(text) + 3;
            if x + wide <= pen.width() {
                x = pen.text(x, y, &format!(" {key} "), style) + 1;
                x = pen.text(x, y, text, look.text()) + 3;
            }
        }
    }
}

/// The columns of the bars, the same for all.
struct BarPlan {
    name: u16,
    bar: u16,
    waits: u16,
    /// Whether names are without their tiles, and which wording of what they wait for is used.
    short: bool,
    form: usize,
}

/// Columns of a time.
const TIME: u16 = 11;

impl BarPlan {
    fn of(race: &TimeRace, wide: u16) -> Self {
        let short = wide < 100;
        let names = race.bars.iter().map(|bar| width(bar.called(short)));
        let name = names.max().unwrap_or(0) + 2;
        let numbers = name + TIME;
        // The widest wordings that leave the bars their room.
        let longest = (0..3).map(|form| {
            let of = race.bars.iter().map(|bar| bar.waiting(form));
            (form, of.map(|text| width(text) + 2).max().unwrap_or(0))
        });
        let mut fits = longest.filter(|(_, waits)| numbers + waits + wide * 3 / 10 <= wide);
        let (form, waits) = fits.next().unwrap_or((3, 0));
        Self { name, bar: wide.saturating_sub(numbers + waits), waits, short, form }
    }

    fn draw(
        &self,
        pen: &mut Pen<'_>,
        y: u16,
        thick: u16,
        (race, bar): (&TimeRace, &RaceBar),
        seconds: f64,
    ) {
        let (look, part) = (pen.look, race.part(bar, seconds));
        let bold = look.bold();
        let there = seconds >= race.seconds_of(bar);
        let style = if bar.own { bold } else { look.text() };
        if bar.own {
            pen.text(0, y, look.pick("►", ">"), style);
        }
        pen.text(1, y, bar.called(self.short), style);
        for row in y..y + thick {
            self.bar(pen, row, part, bar.own);
        }
        let end = self.name + self.bar + TIME;
        let style = if there { style } else { look.dim() };
        pen.right(end, y, &milliseconds(bar.ms), style);
        if self.waits > 0 {
            pen.text(end + 2, y, bar.waiting(self.form), style);
        }
    }

    fn bar(&self, pen: &mut Pen<'_>, y: u16, part: f64, own: bool) {
        let look = pen.look;
        let eighths = (part * f64::from(self.bar) * 8.0).floor() as u16;
        let (full, rest) = (eighths / 8, eighths % 8);
        let style = if own { look.text() } else { look.ink(Role::Wait) };
        let ground = Style::new().bg(look.faint());
        if look.has_pixels() {
            pen.repeat(self.name, y, self.bar, " ", ground);
        } else {
            pen.repeat(self.name, y, self.bar, look.pick("░", "-"), look.dim());
        }
        pen.repeat(self.name, y, full, look.pick("█", "#"), style);
        let partly = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][usize::from(rest)];
        if look.has_pixels() && !partly.is_empty() {
            pen.text(self.name + full, y, partly, style.patch(ground));
        }
    }
}
