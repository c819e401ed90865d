//! The kernels' times on a real GPU: bars and, where there is room, the table and the sizes.

use super::pen::Pen;
use crate::matrix::{Precision, Size};
use crate::report::ladder::short_name;
use crate::report::number::milliseconds;
use crate::timing::Measurement;
use crate::tui::layout::text::{cut, fitting, width, wrapped};
use crate::tui::measurements::{MeasureStatus, MeasuredWhen};
use crate::tui::theme::{Depth, Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;

mod counters;
mod own;
mod row;
mod sweep;

pub use counters::CountersTable;
pub use own::OwnKernelTime;
pub use row::Row;
pub use sweep::{SeriesRank, Sweep, SweepSeries};

/// Measured times with their origins, in neutral colours: nothing here is A, B or C.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredPanel<'a> {
    /// One row per kernel, in teaching order, grouped by precision.
    pub rows: &'a [Row<'a>],
    /// The measured size; a figure for another size is labelled with it.
    pub size: Size,
    /// The simulated size, if that is so small that only a launch would be timed.
    pub too_small: Option<Size>,
    /// The unit that limits the kernel on the screen, the longest wording first; empty if that is
    /// not known.
    pub limit: &'a [String],
    pub status: &'a MeasureStatus,
    /// GFLOP/s by size, per kernel; drawn where there is room.
    pub sweep: &'a [SweepSeries<'a>],
    /// The hardware counters of the kernel on the screen, if the panel is zoomed.
    pub counters: Option<CountersTable<'a>>,
    pub look: Look,
}

/// The least width at which counters are shown next to the bars and not below them.
pub const WIDE: u16 = 112;

/// The least height at which there is room for all bars and for counters below them.
pub const TALL: u16 = 40;
/// The least rows of a chart by size.
const CHART: u16 = 8;
/// The least useful width of a bar.
const LEAST_BAR: u16 = 6;
/// The least width of a bar that leaves room for the time beside its speed.
const ROOMY_BAR: u16 = 16;

/// Columns of the frame in addition to its title and its note.
const HEAD: u16 = 8;

impl MeasuredPanel<'_> {
    /// Returns the title and the note of a frame `room` columns wide: whether the times are of now,
    /// their size and unit, and which way is better.
    pub fn head(&self, room: u16) -> (String, String) {
        if self.rows.is_empty() {
            return ("Measured".to_owned(), String::new());
        }
        let now = self.rows.iter().any(|row| *row.origin == MeasuredWhen::Now);
        let what = if now { "Measured" } else { "Recorded" };
        let [long, short] = [format!("{what} at {}", self.size), format!("At {}", self.size)];
        let [all, unit] = ["more GFLOP/s is faster", "GFLOP/s"].map(str::to_owned);
        let heads = [(&long, &all), (&short, &all), (&long, &unit)];
        let fits = |(title, note): &(&String, &String)| width(title) + width(note) + HEAD <= room;
        let head = heads.into_iter().find(fits).map(|(title, note)| (title.clone(), note.clone()));
        head.unwrap_or((long, String::new()))
    }

    /// The speed of the longest bar: each precision has its own scale.
    fn best(&self, precision: Precision) -> f64 {
        let rows = self.rows.iter().filter(|row| row.measurement.precision() == precision);
        rows.map(|row| row.measurement.gflops).fold(0.0, f64::max)
    }

    /// Returns the names of the rows for a panel of this width: without their tiles if one would
    /// touch its figure.
    fn names(&self, room: u16) -> Vec<String> {
        let figures = self.rows.iter().map(|row| width(&figure(row))).max().unwrap_or(0);
        let room = room.saturating_sub(figures + 2);
        let full = self.rows.iter().map(|row| row.name.to_owned() + &self.stars(row));
        if full.clone().all(|name| width(&name) <= room) {
            return full.collect();
        }
        let short = |row: &Row<'_>| cut(&(short_name(row.measurement) + &self.stars(row)), room);
        self.rows.iter().map(short).collect()
    }

    /// Draws the bars into at most `rows` rows, those of halves apart; returns the number of rows
    /// used.
    fn bars(&self, pen: &mut Pen<'_>, names: &[String], rows: u16) -> u16 {
        let mut y = 0;
        let mut before = None;
        for (row, name) in self.rows.iter().zip(names) {
            let precision = row.measurement.precision();
            if before.replace(precision).is_some_and(|before| before != precision) && y < rows {
                pen.text(1, y, "halves, bars on a scale of their own", self.look.dim());
                y += 1;
            }
            if y < rows {
                let names = names.iter().map(|name| width(name)).max().unwrap_or(0);
                self.bar(pen, y, row, (name, names));
                y += 1;
            }
        }
        y
    }

    fn bar(&self, pen: &mut Pen<'_>, y: u16, row: &Row<'_>, (name, names): (&str, u16)) {
        let look = self.look;
        // The arrow and the bright bar are of what runs.
        let runs = row.current && row.runs.is_none();
        let style = if runs { look.chosen() } else { look.text() };
        if runs {
            pen.text(0, y, look.pick("►", ">"), style);
        }
        pen.text(1, y, name, style);
        let mut end = pen.width();
        pen.right(end, y, &figure(row), style.add_modifier(Modifier::BOLD));
        end = end.saturating_sub(7);
        if end >= 1 + names + ROOMY_BAR + 11 {
            pen.right(end, y, &milliseconds(row.measurement.ms.median), look.text());
            end -= 11;
        }
        let room = end.saturating_sub(1 + names + 1);
        if room >= LEAST_BAR {
            let best = self.best(row.measurement.precision());
            let eighths = eighths(row.measurement.gflops, best, room);
            strip(pen, 1 + names + 1, y, eighths, runs);
        }
    }

    /// Returns the lines below the bars, the most important first.
    fn lines(&self, room: u16) -> Vec<(String, Style)> {
        let look = self.look;
        let mut lines = Vec::new();
        let mut say = |text: &str, style: Style| {
            lines.extend(wrapped(text, room).into_iter().map(|line| (line, style)));
        };
        let other = self.rows.iter().find_map(|row| row.runs.zip(row.measurement.tile));
        if let Some((runs, measured)) = other {
            say(&format!("tile {measured} ({runs} was not measured)"), look.text());
        }
        if let Some(words) = self.speed_up() {
            say(fitting(&words, room), look.bold());
        }
        let limit = self.limit.iter().find(|words| width(words) <= room).or(self.limit.last());
        if let Some(limit) = limit {
            say(limit, look.bold());
        }
        if let Some((text, style)) = status_line(self.status, look) {
            say(&text, style);
        }
        for (index, text) in self.origins().iter().enumerate() {
            say(format!("{} {text}", "*".repeat(index)).trim_start(), look.dim());
        }
        let known = self.rows.is_empty() || self.rows.iter().any(|row| row.current);
        if !known && matches!(self.status, MeasureStatus::Idle | MeasureStatus::NoGpu) {
            say("the kernel shown was not measured", look.text());
        }
        if let Some(small) = self.too_small {
            say(&format!("at {small}, only the launch takes time"), look.dim());
        }
        match (self.status, self.rows.is_empty()) {
            (MeasureStatus::NoGpu, false) => say("no GPU here", look.dim()),
            (MeasureStatus::NoGpu, true) => {
                say("no GPU here, and no times recorded for this size and tile", look.text());
            }
            _ => {}
        }
        lines
    }

    /// Returns each origin of the figures once; rows are marked by none, one, two and more stars.
    fn origins(&self) -> Vec<String> {
        let mut origins: Vec<String> = Vec::new();
        for row in self.rows {
            let text = self.origin(row);
            if !origins.contains(&text) {
                origins.push(text);
            }
        }
        origins
    }

    /// Returns the origin of a row's figure, with its size if that is not the simulated one.
    fn origin(&self, row: &Row<'_>) -> String {
        let text = row.origin();
        let size = row.measurement.size;
        if size == self.size { text } else { format!("at size {size} {text}") }
    }

    /// Returns the stars that refer to a row's origin.
    fn stars(&self, row: &Row<'_>) -> String {
        let text = self.origin(row);
        let index = self.origins().iter().position(|origin| *origin == text);
        "*".repeat(index.unwrap_or(0))
    }

    /// Compares the kernel on the screen with the first landmark of its precision or, if it is that
    /// landmark, with the library. `None` if they did not run on the same GPU.
    fn speed_up(&self) -> Option<[String; 5]> {
        let current = self.rows.iter().find(|row| row.current)?;
        let precision = current.measurement.precision();
        let mut alike = self.rows.iter().filter(|row| row.measurement.precision() == precision);
        let first = alike.clone().find(|row| row.landmark)?;
        let library = alike.find(|row| row.measurement.is_library());
        let other = if first.current { library? } else { current };
        if first.measurement.device != other.measurement.device {
            return None;
        }
        let times = first.measurement.ms.median / other.measurement.ms.median;
        let [kernel, short] = [first, other].map(|row| short_name(row.measurement));
        // The name of the kernel on the screen can be left out.
        let who = if other.current { String::new() } else { format!("{short}: ") };
        Some([
            format!("{}: {times:.2}x the speed of {}", other.name, first.name),
            format!("{short}: {times:.2}x the speed of {kernel}"),
            format!("{who}{times:.2}x the speed of {kernel}"),
            format!("{who}{times:.2}x {kernel}'s speed"),
            format!("{who}{times:.2}x {kernel}"),
        ])
    }

    /// Draws the table of quartiles, samples and errors, with the precision of the measurement.
    fn table(&self, pen: &mut Pen<'_>, y: u16, names: u16) {
        let head = ["median", "quartiles, ms", "samples", "GFLOP/s", "rel. error"];
        let ends = [14, 33, 42, 52, 64].map(|end| end + names);
        for (text, end) in head.into_iter().zip(ends) {
            pen.right(end, y, text, self.look.dim());
        }
        for (y, row) in (y + 1..).zip(self.rows) {
            let Measurement { ms, gflops, relative_error, .. } = row.measurement;
            let style = if row.current { self.look.chosen() } else { self.look.text() };
            pen.text(1, y, row.name, style);
            let error = relative_error.map_or("not finite".to_owned(), |e| format!("{e:.1e}"));
            let cells = [
                milliseconds(ms.median),
                format!("{:.4} - {:.4}", ms.q1, ms.q3),
                ms.samples.to_string(),
                format!("{gflops:.0}"),
                error,
            ];
            for (text, end) in cells.iter().zip(ends) {
                pen.right(end, y, text, style);
            }
        }
    }
}

impl MeasuredPanel<'_> {
    /// Draws the times with their origins, and the table if nothing has to be shown below; returns
    /// the next free row.
    fn times(&self, pen: &mut Pen<'_>, beside: bool) -> u16 {
        let names = self.names(pen.width());
        let lines = self.lines(pen.width().saturating_sub(1));
        let count = self.rows.len() as u16;
        // The origin takes precedence over the last rows.
        let reserved = u16::from(!lines.is_empty());
        let room = pen.height().saturating_sub(reserved).max(1);
        let bars = self.bars(pen, &names, room);
        let mut y = bars;
        let roomy = pen.height() > bars + lines.len() as u16;
        y += u16::from(roomy && bars > 0 && self.counters.is_none());
        for (text, style) in &lines {
            pen.text(1, y, text, *style);
            y += 1;
        }
        let wide = names.iter().map(|name| width(name)).max().unwrap_or(0);
        let roomy = beside && y + 2 + count < pen.height();
        if roomy && pen.width() >= wide + 65 && count > 0 {
            self.table(pen, y + 1, wide);
            y += 2 + count;
        }
        y
    }
}

impl Widget for MeasuredPanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let beside = self.counters.filter(|_| area.width >= WIDE);
        let [left, right] = match beside {
            Some(_) => {
                Layout::horizontal([Fill(1), Length(counters::WIDTH)]).spacing(2).areas(area)
            }
            None => [area, Rect::default()],
        };
        let end = beside
            .map_or(0, |counters| counters.draw(&mut Pen::new(right, buf, self.look), self.look));
        let mut pen = Pen::new(left, buf, self.look);
        let below = self.counters.filter(|_| beside.is_none());
        let mut y = self.times(&mut pen, below.is_none());
        if let Some(counters) = below {
            let (width, height) = (pen.width(), pen.height().saturating_sub(y));
            y += counters.draw(&mut pen.part(Rect { x: 0, y, width, height }), self.look);
        }
        let y = y.max(end);
        if y + CHART <= area.height && area.width >= 40 {
            sweep::draw(self.sweep, None, &mut Pen::new(area, buf, self.look), y + 1);
        }
    }
}

/// The note on a running or failed measurement.
fn status_line(status: &MeasureStatus, look: Look) -> Option<(String, Style)> {
    match status {
        MeasureStatus::Idle | MeasureStatus::NoGpu => None,
        MeasureStatus::Running(text) => Some((text.clone(), look.text())),
        MeasureStatus::Failed(text) => {
            Some((format!("{} {text}", look.pick("▲", "!!")), look.strong(Role::Bad)))
        }
    }
}

/// Formats a row's speed.
fn figure(row: &Row<'_>) -> String {
    format!("{:.0}", row.measurement.gflops)
}

/// The length of a bar in eighths of a column, at least one.
pub(super) fn eighths(value: f64, best: f64, room: u16) -> u16 {
    if best <= 0.0 {
        return 0;
    }
    ((value / best * f64::from(room) * 8.0).round() as u16).clamp(1, (room * 8).max(1))
}

/// Draws a bar, in the colour of text if it is the chosen one.
pub(super) fn strip(pen: &mut Pen<'_>, x: u16, y: u16, eighths: u16, chosen: bool) {
    if chosen {
        bar(pen, x, y, eighths, pen.look.text());
    } else {
        strip_of(pen, x, y, eighths, Role::Wait);
    }
}

/// Draws a bar in a role's colour.
pub(super) fn strip_of(pen: &mut Pen<'_>, x: u16, y: u16, eighths: u16, role: Role) {
    let style = match pen.look.depth {
        Depth::Mono => Style::new(),
        Depth::Ansi | Depth::Indexed | Depth::True => Style::new().fg(pen.look.pixel(role)),
    };
    bar(pen, x, y, eighths, style);
}

fn bar(pen: &mut Pen<'_>, x: u16, y: u16, eighths: u16, style: Style) {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let look = pen.look;
    let full = eighths / 8;
    pen.repeat(x, y, full, look.pick("█", "="), style);
    let rest = PARTS[usize::from(eighths % 8)];
    pen.text(x + full, y, look.pick(rest, ""), style);
}
