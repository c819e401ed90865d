//! How long the kernels took on a real GPU: bars, and the table and the sizes where there is room.

use super::pen::{Pen, cut, fitting, width, wrapped};
use crate::gpu::protocol::Measurement;
use crate::matrix::{Precision, Size};
use crate::report::fastest::short_name;
use crate::tui::theme::{Depth, Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;

mod counters;
mod sweep;

pub use counters::Counters;
pub use sweep::{Series, Sweep};

/// Measured times, each with where it comes from. Neutral colours: nothing here is A, B or C.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// One row per kernel, in the order of the story, those of one precision together.
    pub rows: &'a [Row<'a>],
    /// The size that is simulated; a figure for another size says so.
    pub size: Size,
    /// What is going on, or what went wrong.
    pub status: Status<'a>,
    /// GFLOP/s over the size, per kernel; drawn where there is room.
    pub sweep: &'a [Series<'a>],
    /// The hardware's counters of the kernel on the screen, for whoever looks closely.
    pub counters: Option<Counters<'a>>,
    /// How it is drawn.
    pub look: Look,
}

/// One kernel's time.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// What it is called here: "tiled 16".
    pub name: &'a str,
    /// What was measured.
    pub measurement: &'a Measurement,
    /// Where the figure comes from.
    pub origin: Origin<'a>,
    /// Whether it is the kernel on the screen.
    pub current: bool,
    /// Whether it always stands beside the one on the screen.
    pub landmark: bool,
}

/// Where a figure comes from: it stands beside every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// Measured by this program on this machine, since it started.
    Now,
    /// Taken from a pack; its label, "recorded on NVIDIA H200, 2026-11-21".
    Recorded(&'a str),
    /// The same, but the kernel has changed since.
    Stale(&'a str),
}

/// What the GPU is doing for this panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status<'a> {
    /// Nothing any more.
    Done,
    /// Measuring; how far it is.
    Running(&'a str),
    /// A measurement failed; why, and what to do.
    Failed(&'a str),
    /// This machine has none.
    NoGpu,
}

/// Columns from which on counters stand beside the bars, and not below them.
pub const WIDE: u16 = 112;

/// Columns of a bar below which it says nothing.
const LEAST_BAR: u16 = 6;

impl Origin<'_> {
    fn text(self, device: &str) -> String {
        match self {
            Self::Now => format!("measured now on {device}"),
            Self::Recorded(label) => label.to_owned(),
            Self::Stale(label) => format!("{label}, of an older kernel"),
        }
    }
}

impl Measured<'_> {
    /// The note for the frame, over the figures: their unit, and the size that was measured.
    pub fn note(&self) -> String {
        let note = |row: &Row<'_>| format!("size {}, GFLOP/s", row.measurement.size);
        self.rows.first().map_or(String::new(), note)
    }

    /// The speed of the longest bar: each precision has a scale of its own.
    fn best(&self, precision: Precision) -> f64 {
        let rows = self.rows.iter().filter(|row| row.measurement.precision() == precision);
        rows.map(|row| row.measurement.gflops).fold(0.0, f64::max)
    }

    /// What the rows are called, in so many columns, figures included: without their tiles where
    /// one would touch its figure.
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

    /// Draws the bars into so many rows, those of halves apart; says how many it took.
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
        let style = if row.current { look.strong(Role::Here) } else { look.text() };
        if row.current {
            pen.text(0, y, look.pick("►", ">"), style);
        }
        pen.text(1, y, name, style);
        let mut end = pen.width();
        pen.right(end, y, &figure(row), style.add_modifier(Modifier::BOLD));
        end = end.saturating_sub(7);
        if end >= 1 + names + LEAST_BAR + 11 {
            pen.right(end, y, &milliseconds(row.measurement.ms.median), look.text());
            end -= 11;
        }
        let room = end.saturating_sub(1 + names + 1);
        if room >= LEAST_BAR {
            let role = if row.current { Role::Here } else { Role::Wait };
            let best = self.best(row.measurement.precision());
            let eighths = eighths(row.measurement.gflops, best, room);
            strip(pen, 1 + names + 1, y, eighths, role);
        }
    }

    /// The lines under the bars, the most important first.
    fn lines(&self, room: u16) -> Vec<(String, Style)> {
        let look = self.look;
        let mut lines = Vec::new();
        let mut say = |text: &str, style: Style| {
            lines.extend(wrapped(text, room).into_iter().map(|line| (line, style)));
        };
        if let Some(words) = self.speed_up() {
            say(fitting(&words, room), look.text().add_modifier(Modifier::BOLD));
        }
        match self.status {
            Status::Done | Status::NoGpu => {}
            Status::Running(text) => say(text, look.ink(Role::Here)),
            Status::Failed(text) => {
                let text = format!("{} {text}", look.pick("▲", "!!"));
                say(&text, look.strong(Role::Bad));
            }
        }
        let here = if self.status == Status::NoGpu { "no GPU here: " } else { "" };
        for (index, text) in self.origins().iter().enumerate() {
            let what = if index == 0 { format!("{here}GFLOP/s") } else { "*".repeat(index) };
            say(&format!("{what} {text}"), look.dim());
        }
        if self.rows.is_empty() && self.status == Status::NoGpu {
            say("no GPU here, and no times recorded for this size and tile", look.text());
        }
        lines
    }

    /// Where the figures come from, each once; the first has no star, the second one, and so on.
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

    /// Where a row's figure comes from, and for which size if not for the one simulated.
    fn origin(&self, row: &Row<'_>) -> String {
        let text = row.origin.text(&row.measurement.device);
        let size = row.measurement.size;
        if size == self.size { text } else { format!("at size {size} {text}") }
    }

    /// Which of the origins is this row's, where there are several.
    fn stars(&self, row: &Row<'_>) -> String {
        let text = self.origin(row);
        let index = self.origins().iter().position(|origin| *origin == text);
        "*".repeat(index.unwrap_or(0))
    }

    /// How the kernel on the screen compares with the first landmark of its precision; the library,
    /// where it is that landmark itself. None if they did not run on one GPU.
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
        // Which kernel is on the screen need not be said.
        let who = if other.current { String::new() } else { format!("{short}: ") };
        Some([
            format!("{}: {times:.2}x the speed of {}", other.name, first.name),
            format!("{short}: {times:.2}x the speed of {kernel}"),
            format!("{who}{times:.2}x the speed of {kernel}"),
            format!("{who}{times:.2}x {kernel}'s speed"),
            format!("{who}{times:.2}x {kernel}"),
        ])
    }

    /// Quartiles, samples and errors, as exact as they were measured.
    fn table(&self, pen: &mut Pen<'_>, y: u16, names: u16) {
        let head = ["median", "quartiles, ms", "samples", "GFLOP/s", "rel. error"];
        let ends = [14, 33, 42, 52, 64].map(|end| end + names);
        for (text, end) in head.into_iter().zip(ends) {
            pen.right(end, y, text, self.look.dim());
        }
        for (y, row) in (y + 1..).zip(self.rows) {
            let Measurement { ms, gflops, relative_error, .. } = row.measurement;
            let style = if row.current { self.look.strong(Role::Here) } else { self.look.text() };
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

impl Measured<'_> {
    /// Times and where they come from, with a table where nothing has to stand below; the row behind
    /// them.
    fn times(&self, pen: &mut Pen<'_>, beside: bool) -> u16 {
        let names = self.names(pen.width());
        let lines = self.lines(pen.width().saturating_sub(1));
        let count = self.rows.len() as u16;
        // Where it comes from is said before the last rows are shown.
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

impl Widget for Measured<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let beside = self.counters.filter(|_| area.width >= WIDE);
        let [area, right] = match beside {
            Some(_) => {
                Layout::horizontal([Fill(1), Length(counters::WIDTH)]).spacing(2).areas(area)
            }
            None => [area, Rect::default()],
        };
        if let Some(counters) = beside {
            counters.draw(&mut Pen::new(right, buf, self.look), self.look);
        }
        let mut pen = Pen::new(area, buf, self.look);
        let below = self.counters.filter(|_| beside.is_none());
        let y = self.times(&mut pen, below.is_none());
        let sweep = below.is_none() && y + 8 <= pen.height() && pen.width() >= 40;
        if sweep {
            sweep::draw(self.sweep, None, &mut pen, y + 1);
        }
        if let Some(counters) = below {
            let (width, height) = (pen.width(), pen.height().saturating_sub(y));
            counters.draw(&mut pen.part(Rect { x: 0, y, width, height }), self.look);
        }
    }
}

/// A row's speed.
fn figure(row: &Row<'_>) -> String {
    format!("{:.0}", row.measurement.gflops)
}

/// A time with three digits that say something.
fn milliseconds(ms: f64) -> String {
    match ms {
        100.0.. => format!("{ms:.0} ms"),
        10.0.. => format!("{ms:.1} ms"),
        1.0.. => format!("{ms:.2} ms"),
        0.1.. => format!("{ms:.3} ms"),
        _ => format!("{ms:.4} ms"),
    }
}

/// The length of a bar in eighths of a column; what is there at all gets one.
fn eighths(value: f64, best: f64, room: u16) -> u16 {
    if best <= 0.0 {
        return 0;
    }
    ((value / best * f64::from(room) * 8.0).round() as u16).clamp(1, room * 8)
}

/// Draws a bar in a role's fill.
pub(super) fn strip(pen: &mut Pen<'_>, x: u16, y: u16, eighths: u16, role: Role) {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let look = pen.look;
    let style = match look.depth {
        Depth::Mono => Style::new(),
        Depth::Ansi | Depth::Indexed | Depth::True => Style::new().fg(look.pixel(role)),
    };
    let full = eighths / 8;
    pen.repeat(x, y, full, look.pick("█", "="), style);
    let rest = PARTS[usize::from(eighths % 8)];
    pen.text(x + full, y, look.pick(rest, ""), style);
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::picture::{self, ASCII, MONO, RICH};
    use super::*;
    use crate::gpu::protocol::{Beside, Reference};
    use crate::kernel::Tile;
    use crate::matrix::Size;
    use crate::stats::Quartiles;
    use insta::assert_snapshot;

    const RECORDED: Origin<'_> = Origin::Recorded("recorded on NVIDIA H200, 2026-11-21");

    pub(super) fn measurement(kernel: &str, tile: Option<u32>, median: f64) -> Measurement {
        let size = Size::square(1024);
        Measurement {
            device: "NVIDIA H200".to_owned(),
            kernel: kernel.to_owned(),
            ptx_sha256: None,
            size,
            tile: tile.map(Tile::square),
            ms: Quartiles { median, q1: median * 0.99, q3: median * 1.02, samples: 40 },
            gflops: size.flops() / median / 1e6,
            relative_error: Some(2.1e-7),
            tolerance: 1e-5,
            reference: Reference::Cublas,
            c_sha256: String::new(),
            beside: Beside::default(),
        }
    }

    fn measurements() -> [Measurement; 3] {
        [
            measurement("naive", Some(16), 0.42),
            measurement("tiled", Some(16), 0.27),
            measurement("cublas", None, 0.0645),
        ]
    }

    fn rows<'a>(measured: &'a [Measurement; 3], origin: Origin<'a>) -> [Row<'a>; 3] {
        let name = ["naive 16", "tiled 16", "cuBLAS"];
        let rows = [0, 1, 2];
        rows.map(|i| {
            let (current, landmark) = (i == 1, i == 0);
            Row { name: name[i], measurement: &measured[i], origin, current, landmark }
        })
    }

    fn panel<'a>(rows: &'a [Row<'a>], look: Look) -> Measured<'a> {
        let size = Size::square(1024);
        Measured { rows, size, status: Status::Done, sweep: &[], counters: None, look }
    }

    #[test]
    fn bars_compare_and_the_origin_is_named() {
        let measured = measurements();
        let rows = rows(&measured, RECORDED);
        assert_snapshot!(picture::text(panel(&rows, RICH), 37, 6), @"
         naive 16 █▍          0.420 ms   5113
        ►tiled 16 ██▏         0.270 ms   7954
         cuBLAS   █████████  0.0645 ms  33294
         tiled: 1.56x the speed of naive
         GFLOP/s recorded on NVIDIA H200,
         2026-11-21
        ");
        assert_snapshot!(picture::text(panel(&rows, ASCII), 19, 9), @"
         naive 16      5113
        >tiled 16      7954
         cuBLAS       33294

         1.56x naive
         GFLOP/s recorded
         on NVIDIA H200,
         2026-11-21
        ");
        assert_snapshot!(picture::text(panel(&rows, MONO), 60, 4), @"
         naive 16 ████▉                              0.420 ms   5113
        ►tiled 16 ███████▋                           0.270 ms   7954
         cuBLAS   ████████████████████████████████  0.0645 ms  33294
         tiled 16: 1.56x the speed of naive 16
        ");
    }

    #[test]
    fn a_name_never_touches_its_figure() {
        let measured = [
            measurement("naive", Some(16), 0.42),
            measurement("blocked_2d", Some(128), 0.1),
            measurement("double_buffered", Some(128), 0.05),
        ];
        let name = ["naive 16", "blocked_2d 128", "double_buffered 128"];
        let rows = [0, 1, 2].map(|i| {
            let (current, landmark) = (i == 2, i == 0);
            Row { name: name[i], measurement: &measured[i], origin: RECORDED, current, landmark }
        });
        assert_snapshot!(picture::text(panel(&rows[..2], ASCII), 21, 2), @"
        naive 16        5113
        GFLOP/s recorded on
        ");
        assert_snapshot!(picture::text(panel(&rows[..2], ASCII), 19, 2), @"
        naive         5113
        GFLOP/s recorded
        ");
        assert_snapshot!(picture::text(panel(&rows, ASCII), 19, 4), @"
         naive         5113
         blocked_2d   21475
        >double_buf.. 42950
         8.40x naive
        ");
    }

    #[test]
    fn halves_have_a_scale_and_a_comparison_of_their_own() {
        let measured = [
            measurement("naive", Some(16), 0.42),
            measurement("cublas", None, 0.0645),
            measurement("half_plain", Some(16), 0.05),
            measurement("half_tensor", Some(16), 0.01),
            measurement("cublas half", None, 0.005),
        ];
        let name = ["naive 16", "cuBLAS", "half_plain 16", "half_tensor 16", "cuBLAS half"];
        let rows = |now| {
            [0, 1, 2, 3, 4].map(|i| {
                let (current, landmark) = (i == now, i == 0 || i == 2);
                let origin = RECORDED;
                Row { name: name[i], measurement: &measured[i], origin, current, landmark }
            })
        };
        let shown = |now| picture::text(panel(&rows(now), ASCII), 60, 7);
        assert_snapshot!(shown(3), @"
         naive 16       ====                         0.420 ms   5113
         cuBLAS         ==========================  0.0645 ms  33294
         halves, bars on a scale of their own
         half_plain 16  ==                          0.0500 ms  42950
        >half_tensor 16 =============               0.0100 ms 214748
         cuBLAS half    ==========================  0.0050 ms 429497
         half_tensor 16: 5.00x the speed of half_plain 16
        ");
        assert!(shown(0).contains(" cuBLAS: 6.51x the speed of naive 16"), "{}", shown(0));
        let small = picture::text(panel(&rows(0), ASCII), 21, 8);
        assert!(small.contains(" cuBLAS: 6.51x naive\n"), "{small}");
    }

    #[test]
    fn rows_of_two_origins_name_both() {
        let measured = measurements();
        let mut rows = rows(&measured, RECORDED);
        rows[0].origin = Origin::Now;
        rows[2].origin = Origin::Stale("recorded on NVIDIA H200, 2026-11-20");
        assert_snapshot!(picture::text(panel(&rows, ASCII), 50, 8), @"
         naive 16  ===                     0.420 ms   5113
        >tiled 16* =====                   0.270 ms   7954
         cuBLAS**  =====================  0.0645 ms  33294
         tiled 16: 1.56x the speed of naive 16
         GFLOP/s measured now on NVIDIA H200
         * recorded on NVIDIA H200, 2026-11-21
         ** recorded on NVIDIA H200, 2026-11-20, of an
         older kernel
        ");
    }

    #[test]
    fn figures_for_another_size_say_so() {
        let measured = measurements();
        let rows = rows(&measured, RECORDED);
        let panel = Measured { size: Size::square(700), ..panel(&rows, ASCII) };
        assert_snapshot!(picture::text(panel, 19, 9), @"
         naive 16      5113
        >tiled 16      7954
         cuBLAS       33294

         1.56x naive
         GFLOP/s at size
         1024 recorded on
         NVIDIA H200,
         2026-11-21
        ");
    }

    #[test]
    fn progress_errors_and_the_lack_of_a_gpu_are_said_in_place() {
        let measured = measurements();
        let rows = rows(&measured, RECORDED);
        let with = |status| picture::text(Measured { status, ..panel(&rows[..1], ASCII) }, 37, 6);
        assert_snapshot!(with(Status::Running("timing tiled 16: sample 12")), @"
        naive 16 =========   0.420 ms   5113

        timing tiled 16: sample 12
        GFLOP/s recorded on NVIDIA H200,
        2026-11-21
        ");
        assert_snapshot!(with(Status::Failed("the GPU has no memory left for 8192x8192")), @"
        naive 16 =========   0.420 ms   5113

        !! the GPU has no memory left for
        8192x8192
        GFLOP/s recorded on NVIDIA H200,
        2026-11-21
        ");
        assert_snapshot!(with(Status::NoGpu), @"
        naive 16 =========   0.420 ms   5113

        no GPU here: GFLOP/s recorded on
        NVIDIA H200, 2026-11-21
        ");
        let empty = Measured { status: Status::NoGpu, ..panel(&[], ASCII) };
        assert_snapshot!(picture::text(empty, 37, 6), @"
no GPU here, and no times recorded
for this size and tile
");
    }

    #[test]
    fn a_large_panel_adds_the_table_and_the_sizes() {
        let measured = measurements();
        let rows = rows(&measured, Origin::Now);
        let naive = [(64, 100.0), (256, 2_100.0), (1024, 5_100.0), (4096, 5_323.0)];
        let tiled = [(64, 90.0), (256, 2_900.0), (1024, 7_900.0), (4096, 8_114.0)];
        let sweep = [
            Series { name: "naive 16", letter: 'a', points: &naive, current: false },
            Series { name: "tiled 16", letter: 'b', points: &tiled, current: true },
        ];
        let large = Measured { sweep: &sweep, ..panel(&rows, RICH) };
        assert_snapshot!(picture::text(large, 80, 24), @"
         naive 16 ████████                                               0.420 ms   5113
        ►tiled 16 ████████████▍                                          0.270 ms   7954
         cuBLAS   ████████████████████████████████████████████████████  0.0645 ms  33294

         tiled 16: 1.56x the speed of naive 16
         GFLOP/s measured now on NVIDIA H200

                        median      quartiles, ms  samples   GFLOP/s  rel. error
         naive 16     0.420 ms    0.4158 - 0.4284       40      5113      2.1e-7
         tiled 16     0.270 ms    0.2673 - 0.2754       40      7954      2.1e-7
         cuBLAS      0.0645 ms    0.0639 - 0.0658       40     33294      2.1e-7

         GFLOP/s over N
          8,114                                     ····●···················● b tiled 16
                                          ··············a···················a a naive 16
                                   ·●·············
                                ····a··
          1,000              ·····
                           ····
                        ···
                     ···
                 ····
             90 ●·
               64                  256                1024                4096
        ");
        picture::survives(|look| Measured { look, ..large });
    }

    #[test]
    fn times_have_three_digits_that_say_something() {
        let texts = [275.9, 16.91, 2.678, 0.2712, 0.0036].map(milliseconds);
        assert_eq!(texts, ["276 ms", "16.9 ms", "2.68 ms", "0.271 ms", "0.0036 ms"]);
    }

    #[test]
    fn every_size_survives() {
        let measured = measurements();
        let rows = rows(&measured, RECORDED);
        picture::survives(|look| panel(&rows, look));
        let failed = Status::Failed("a word_that_is_much_longer_than_any_line_of_a_small_panel");
        picture::survives(|look| Measured { status: failed, ..panel(&[], look) });
    }
}
