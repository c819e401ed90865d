//! Two kernels side by side after the same amount of work, with the memory traffic of each.

use super::cost::{figure, reuse};
use super::matrices::Matrices;
use super::measured::strip;
use super::pen::{Pen, fitting, width, wrapped};
use crate::analysis::Counters;
use crate::analysis::coalesce::SECTOR;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;

/// The same block of C, computed by two kernels up to the same number of multiply-adds.
#[derive(Clone, Copy, Debug)]
pub struct Compare<'a> {
    /// The simpler kernel.
    pub left: Side<'a>,
    /// The other kernel.
    pub right: Side<'a>,
    /// Whether their blocks compute parts of C of the same shape: then totals are compared,
    /// otherwise figures per thousand multiply-adds.
    pub alike: bool,
    /// How it is drawn.
    pub look: Look,
}

/// One kernel of the comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The name shown, for example "tiled 16x16".
    pub name: &'a str,
    /// The sentence that describes the position of its run.
    pub sentence: &'a str,
    /// The simulated counts of its block so far, as written in PTX and as executed in SASS.
    pub totals: Counters,
    /// (steps done, steps of its whole run).
    pub steps: (usize, usize),
    /// The elements that it touches now, drawn where there is room.
    pub matrices: Matrices<'a>,
}

/// One compared figure.
struct Fact {
    label: &'static str,
    values: [f64; 2],
    /// Decimal places.
    digits: usize,
    /// Whether the ratio of the two values is meaningful.
    ratio: bool,
    /// The values as executed in SASS, if they differ.
    executed: Option<[f64; 2]>,
}

/// Columns of the labels, and of the ratio in the middle.
const LABEL: u16 = 15;
const RATIO: u16 = 9;
/// Rows of the smallest picture of the matrices.
const PICTURE: u16 = 9;

impl Compare<'_> {
    fn facts(&self) -> [Fact; 8] {
        let both =
            |value: fn(&Counters) -> f64| [&self.left, &self.right].map(|s| value(&s.totals));
        let fact =
            |label, values, digits, ratio| Fact { label, values, digits, ratio, executed: None };
        let sums = |value: fn(&Counters) -> u64| {
            [&self.left, &self.right].map(|side| {
                // Before the first multiply-add there is no average.
                let share = match side.totals.ptx.multiply_adds() {
                    0 => f64::NAN,
                    work => 1000.0 / work as f64,
                };
                value(&side.totals) as f64 * if self.alike { 1.0 } else { share }
            })
        };
        let sum =
            |label, value, ratio| fact(label, sums(value), if self.alike { 0 } else { 2 }, ratio);
        let executed = sums(|c| c.sass().shared.all().wavefronts);
        let sides = [&self.left.totals, &self.right.totals];
        let differ =
            |c: &&Counters| c.sass().shared.all().wavefronts != c.ptx.shared.all().wavefronts;
        let executed = sides.iter().any(differ).then_some(executed);
        [
            sum("bytes fetched", bytes, true),
            fact("bytes per FMA", both(bytes_per_fma), 2, true),
            sum("global requests", |c| c.ptx.global.loads.requests, true),
            sum("global sectors", |c| c.ptx.global.loads.sectors, true),
            fact("reuse of a word", both(|c| reuse(c).unwrap_or(0.0)), 1, true),
            Fact { executed, ..sum("shared passes", |c| c.ptx.shared.all().wavefronts, false) },
            sum("instructions", |c| c.ptx.warp_instructions, true),
            fact("multiply-adds", both(|c| c.ptx.multiply_adds() as f64), 0, false),
        ]
    }

    /// Returns the conclusion of the comparison.
    fn verdict(&self) -> String {
        let [left, right] = [&self.left, &self.right].map(|side| bytes_per_fma(&side.totals));
        if [left, right].iter().any(|bytes| bytes.is_nan() || *bytes == 0.0) {
            return "the same work in two ways: step on to see what it costs".to_owned();
        }
        if (left / right).max(right / left) < 1.05 {
            return "as many bytes from global memory for the same work so far".to_owned();
        }
        let (less, name) = if left >= right {
            (left / right, self.right.name)
        } else {
            (right / left, self.left.name)
        };
        format!("{name}: {}x less from global memory for the same work so far", figure(less))
    }

    fn wide(&self, pen: &mut Pen<'_>) {
        let look = self.look;
        let column = (pen.width() - LABEL - RATIO) / 2;
        let starts = [LABEL, LABEL + column + RATIO];
        let mut y = 0;
        for (side, x) in [&self.left, &self.right].into_iter().zip(starts) {
            pen.text(x, 0, side.name, look.text().add_modifier(Modifier::BOLD));
            let lines = wrapped(side.sentence, column.saturating_sub(1));
            for (line, row) in lines.iter().zip(1..) {
                if row > 3 {
                    break;
                }
                pen.text(x, row, line, look.text());
                y = y.max(row);
            }
        }
        y += 1;
        pen.text(0, y, "progress", look.dim());
        for (side, x) in [&self.left, &self.right].into_iter().zip(starts) {
            progress(pen, (x, y), column.saturating_sub(1), side.steps);
        }
        y += 2;
        let facts = self.facts();
        let rows = facts.len() as u16;
        // Room to spare goes to the pictures first, then to gaps between the bars.
        let spare = pen.height().saturating_sub(y + rows + 3);
        let pitch = if spare >= PICTURE + rows { 2 } else { 1 };
        let room = pen.height().saturating_sub(y + 2) / pitch;
        for (fact, row) in facts.iter().zip(0..room) {
            self.fact(pen, y + row * pitch, fact, starts, column);
        }
        y += rows.min(room) * pitch;
        let last = pen.height().saturating_sub(2).min(y + 2 - pitch);
        pen.verdict(last, true, &self.verdict());
        let basis = if self.alike {
            "simulated, one block, PTX"
        } else {
            "simulated, a block of each, sums per 1,000 multiply-adds, PTX"
        };
        pen.text(0, last + 1, basis, look.dim());
        self.pictures(pen, last + 3, starts, column);
    }

    /// Draws the matrices of both kernels, each below its bars.
    fn pictures(&self, pen: &mut Pen<'_>, y: u16, starts: [u16; 2], column: u16) {
        let height = pen.height().saturating_sub(y);
        if height < PICTURE {
            return;
        }
        for (side, x) in [&self.left, &self.right].into_iter().zip(starts) {
            pen.widget(Rect { x, y, width: column.saturating_sub(1), height }, side.matrices);
        }
    }

    fn fact(&self, pen: &mut Pen<'_>, y: u16, fact: &Fact, starts: [u16; 2], column: u16) {
        let look = self.look;
        pen.text(0, y, fact.label, look.dim());
        let most = fact.values[0].max(fact.values[1]);
        for (side, (value, x)) in fact.values.into_iter().zip(starts).enumerate() {
            let text = grouped(value, fact.digits);
            pen.right(x + 12, y, &text, look.text().add_modifier(Modifier::BOLD));
            let room = column.saturating_sub(15);
            if let Some(executed) = fact.executed {
                let executed = grouped(executed[side], fact.digits);
                let words = [format!("SASS {executed}")];
                pen.text(x + 13, y, fitting(&words, room), look.text());
            }
            if room >= 6 && most > 0.0 && fact.ratio {
                let eighths = (value / most * f64::from(room) * 8.0).round() as u16;
                strip(pen, x + 13, y, eighths, Role::Wait);
            }
        }
        if let Some(text) = ratio(fact).filter(|_| fact.ratio) {
            let x = starts[1].saturating_sub(width(&text) + 1);
            pen.text(x, y, &text, look.strong(Role::Here));
        }
    }

    /// Draws the narrow form, for which two columns do not fit: the verdict, then one line per
    /// fact.
    fn narrow(&self, pen: &mut Pen<'_>) {
        let lines = wrapped(&self.verdict(), pen.width());
        for (line, y) in lines.iter().zip(0..) {
            pen.text(0, y, line, self.look.strong(Role::C));
        }
        for (fact, y) in self.facts().into_iter().zip(lines.len() as u16..) {
            let values = fact.values.map(|value| grouped(value, fact.digits)).join(" : ");
            pen.text(0, y, fact.label, self.look.dim());
            pen.right(pen.width(), y, &values, self.look.text());
        }
    }
}

impl Widget for Compare<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        if pen.width() >= LABEL + RATIO + 2 * 14 && pen.height() >= 8 {
            self.wide(&mut pen);
        } else {
            self.narrow(&mut pen);
        }
    }
}

/// The bytes fetched from global memory.
const fn bytes(totals: &Counters) -> u64 {
    totals.ptx.global.loads.sectors * SECTOR
}

/// The bytes fetched from global memory per multiply-add; NaN before the first one.
fn bytes_per_fma(totals: &Counters) -> f64 {
    match totals.ptx.multiply_adds() {
        0 => f64::NAN,
        work => bytes(totals) as f64 / work as f64,
    }
}

/// Returns the ratio as "8x" if the values differ, larger over smaller.
fn ratio(fact: &Fact) -> Option<String> {
    let [left, right] = fact.values;
    let (low, high) = (left.min(right), left.max(right));
    (low > 0.0 && high / low > 1.05).then(|| format!("{}x", figure(high / low)))
}

fn progress(pen: &mut Pen<'_>, (x, y): (u16, u16), room: u16, (done, all): (usize, usize)) {
    let look = pen.look;
    let filled = (done.min(all) * usize::from(room) / all.max(1)) as u16;
    pen.repeat(x, y, filled, look.pick("━", "="), look.strong(Role::Here));
    pen.repeat(x + filled, y, room - filled, look.pick("─", "-"), look.dim());
}

/// Formats a figure with grouped thousands; NaN as a dash.
fn grouped(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "-".to_owned();
    }
    let text = format!("{value:.digits$}");
    let (whole, rest) = text.find('.').map_or((text.as_str(), ""), |at| text.split_at(at));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

#[cfg(test)]
mod tests {
    use super::super::matrices::{Detail, Work};
    use super::super::picture::{self, ASCII, RICH};
    use super::*;
    use crate::kernel::Tile;
    use crate::launch::Dim3;
    use crate::matrix::Size;
    use insta::assert_snapshot;

    fn compare(look: Look) -> Compare<'static> {
        let mut naive = Counters::default();
        (naive.ptx.global.loads.requests, naive.ptx.global.loads.sectors) = (4096, 8192);
        (naive.ptx.warp_instructions, naive.ptx.thread_fma) = (12_000, 65_536);
        let mut tiled = naive;
        (tiled.ptx.global.loads.requests, tiled.ptx.global.loads.sectors) = (256, 1024);
        tiled.ptx.shared.loads.wavefronts = 6_700;
        tiled.sass_shared = tiled.ptx.shared;
        tiled.ptx.warp_instructions = 9_000;
        let sentence = "k = 12: acc += A[row][12] * B[12][col] straight from global memory.";
        let matrices = Matrices {
            size: Size::square(64),
            tile: Tile::square(16),
            block: Dim3::at(1, 2),
            grid: Dim3::flat(4, 4),
            place: (2, 1),
            work: Work::Tiled(1),
            touched: &[],
            detail: Detail::Tiles,
            look,
        };
        let left =
            Side { name: "naive 16x16", sentence, totals: naive, steps: (40, 100), matrices };
        let sentence = "Warp 3 waits at the barrier: 7 of 8 warps have loaded their rows.";
        let right =
            Side { name: "tiled 16x16", sentence, totals: tiled, steps: (80, 100), matrices };
        Compare { left, right, alike: true, look }
    }

    #[test]
    fn the_same_work_stands_side_by_side() {
        assert_snapshot!(picture::text(compare(RICH), 118, 17), @"
                       naive 16x16                                             tiled 16x16
                       k = 12: acc += A[row][12] * B[12][col]                  Warp 3 waits at the barrier: 7 of 8 warps have
                       straight from global memory.                            loaded their rows.
        progress       ━━━━━━━━━━━━━━━━━━────────────────────────────          ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━──────────

        bytes fetched       262,144 ████████████████████████████████      8.0x       32,768 ████
        bytes per FMA          4.00 ████████████████████████████████      8.0x         0.50 ████
        global requests       4,096 ████████████████████████████████       16x          256 ██
        global sectors        8,192 ████████████████████████████████      8.0x        1,024 ████
        reuse of a word         2.0 ████                                  8.0x         16.0 ████████████████████████████████
        shared passes             0                                                   6,700
        instructions         12,000 ████████████████████████████████      1.3x        9,000 ████████████████████████
        multiply-adds        65,536                                                  65,536

        ● tiled 16x16: 8.0x less from global memory for the same work so far
        simulated, one block, PTX
        ");
        assert_snapshot!(picture::text(compare(ASCII), 78, 18), @"
                       naive 16x16                         tiled 16x16
                       k = 12: acc += A[row][12]           Warp 3 waits at the
                       * B[12][col] straight from          barrier: 7 of 8 warps have
                       global memory.                      loaded their rows.
        progress       ==========----------------          ====================------

        bytes fetched       262,144 ============      8.0x       32,768 =
        bytes per FMA          4.00 ============      8.0x         0.50 =
        global requests       4,096 ============       16x          256
        global sectors        8,192 ============      8.0x        1,024 =
        reuse of a word         2.0 =                 8.0x         16.0 ============
        shared passes             0                               6,700
        instructions         12,000 ============      1.3x        9,000 =========
        multiply-adds        65,536                              65,536

        ok tiled 16x16: 8.0x less from global memory for the same work so far
        simulated, one block, PTX
        ");
    }

    #[test]
    fn with_room_each_side_shows_where_it_is() {
        assert_snapshot!(picture::text(compare(ASCII), 110, 30), @"
                       naive 16x16                                         tiled 16x16
                       k = 12: acc += A[row][12] * B[12][col]              Warp 3 waits at the barrier: 7 of 8 warps
                       straight from global memory.                        have loaded their rows.
        progress       ================--------------------------          =================================---------

        bytes fetched       262,144 ============================      8.0x       32,768 ===
        bytes per FMA          4.00 ============================      8.0x         0.50 ===
        global requests       4,096 ============================       16x          256 =
        global sectors        8,192 ============================      8.0x        1,024 ===
        reuse of a word         2.0 ===                               8.0x         16.0 ============================
        shared passes             0                                               6,700
        instructions         12,000 ============================      1.3x        9,000 =====================
        multiply-adds        65,536                                              65,536

        ok tiled 16x16: 8.0x less from global memory for the same work so far
        simulated, one block, PTX


                                             B 64x64                                             B 64x64
                           C = A x B         ....::::....                      C = A x B         ....::::....
                           block (1,2)           bbbb    ....                  block (1,2)           bbbb    ....
                           k-tile 2/4        ....::::....                      k-tile 2/4        ....::::....
                                                 ::::    ....                                        ::::    ....
                           A 64x64           C 64x64                           A 64x64           C 64x64
                           ....    ....      ....    ....                      ....    ....      ....    ....
                               ....    ....      ....    ....                      ....    ....      ....    ....
                           ::::aaaa::::::::  ....cccc....                      ::::aaaa::::::::  ....cccc....
                               ....    ....      ....    ....                      ....    ....      ....    ....
        ");
    }

    #[test]
    fn a_narrow_view_keeps_the_verdict_and_the_figures() {
        assert_snapshot!(picture::text(compare(ASCII), 36, 9), @"
        tiled 16x16: 8.0x less from global
        memory for the same work so far
        bytes fetched       262,144 : 32,768
        bytes per FMA            4.00 : 0.50
        global requests          4,096 : 256
        global sectors         8,192 : 1,024
        reuse of a word           2.0 : 16.0
        shared passes              0 : 6,700
        instructions          12,000 : 9,000
        ");
    }

    #[test]
    fn before_the_first_multiply_add_nothing_is_claimed() {
        let nothing = Counters::default();
        let start = compare(ASCII);
        let start = Compare {
            left: Side { totals: nothing, steps: (0, 0), ..start.left },
            right: Side { totals: nothing, steps: (0, 0), ..start.right },
            ..start
        };
        assert!(!picture::text(start, 78, 18).contains("less from global"));
        picture::survives(|look| Compare { look, ..start });
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(1_234_567.0, 0), "1,234,567");
        assert_eq!(grouped(999.0, 0), "999");
        assert_eq!(grouped(1_000.25, 2), "1,000.25");
    }

    #[test]
    fn every_size_survives() {
        picture::survives(compare);
    }
}
