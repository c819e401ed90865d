//! The hardware counters of a launch next to the simulated counts, metric by metric.

use super::row::Row;
use crate::report::charts::metrics::MetricPair;
use crate::report::number::grouped;
use crate::tui::layout::text::{fitting, wrapped};
use crate::tui::theme::Look;
use crate::tui::widget::pen::Pen;

/// The hardware counters and the simulated counts of one launch.
#[derive(Clone, Copy, Debug)]
pub struct CountersTable<'a> {
    /// The row of the launch.
    pub row: Row<'a>,
    pub metrics: &'a [MetricPair],
    /// The progress of the simulation, or why there is none.
    pub note: &'a str,
    /// The reason why counters cannot be read here; empty if they were not refused.
    pub refused: &'a str,
}

/// Columns of the whole, of the labels, of each figure and of the difference.
pub(super) const WIDTH: u16 = 63;
const LABEL: u16 = 21;
const FIGURE: u16 = 15;
const DIFFERENCE: u16 = 12;

impl CountersTable<'_> {
    /// Names the launch, and where and when its counters were read; the longest wording first.
    fn titles(&self) -> Vec<String> {
        let at = format!("at {}", self.row.measurement.size);
        let origin = self.row.origin();
        let name = self.row.name;
        vec![
            format!("Counters of {name} {at}, {origin}"),
            format!("{name} {at}, {origin}"),
            format!("counters {at}, {origin}"),
            origin,
        ]
    }

    /// Draws them; returns the row after the last one.
    pub(super) fn draw(&self, pen: &mut Pen<'_>, look: Look) -> u16 {
        let bold = look.bold();
        pen.text(1, 0, fitting(&self.titles(), pen.width().saturating_sub(1)), bold);
        let ends = [LABEL + FIGURE, LABEL + 2 * FIGURE, LABEL + 2 * FIGURE + DIFFERENCE];
        for (end, head) in ends.into_iter().zip(["measured", "simulated", "difference"]) {
            pen.right(end, 1, head, look.dim());
        }
        let reasons = self.metrics.iter().filter_map(|metric| -> Option<&str> { metric.reason() });
        let lines: Vec<_> = reasons
            .chain([self.note, self.refused])
            .filter(|line| !line.is_empty())
            .flat_map(|line| wrapped(line, pen.width().saturating_sub(2)))
            .collect();
        let room = usize::from(pen.height()).saturating_sub(2 + lines.len());
        for (metric, y) in self.metrics.iter().take(room).zip(2..) {
            pen.text(1, y, metric.label, look.text());
            pen.right(ends[0], y, &count(metric.measured), look.text());
            let (simulated, style) = match (metric.simulated, metric.predicted) {
                (Some(simulated), _) => (count(simulated), look.text()),
                (None, true) => ("...".to_owned(), look.dim()),
                (None, false) => ("not simulated".to_owned(), look.dim()),
            };
            pen.right(ends[1], y, &simulated, style);
            let style = if metric.differs() { look.chosen() } else { look.text() };
            pen.right(ends[2], y, &metric.difference(), style);
        }
        let end = 2 + self.metrics.len().min(room) as u16;
        for (line, y) in lines.iter().zip(end..) {
            pen.text(1, y, line, look.dim());
        }
        end + lines.len() as u16
    }
}

/// Formats a count with grouped thousands, or a percentage with one decimal place.
fn count(value: f64) -> String {
    if value.fract() == 0.0 { grouped(value as u64) } else { format!("{value:.1}") }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{measurement, recorded};
    use super::super::{MeasuredPanel, Row};
    use super::*;
    use crate::matrix::Size;
    use crate::timing::pack::Freshness;
    use crate::tui::measurements::MeasureStatus;
    use crate::tui::widget::picture::{self, ASCII};
    use insta::assert_snapshot;

    #[test]
    fn counters_stand_below_the_bars_or_beside_them() {
        let measured = measurement("tiled", Some(16), 0.27);
        let origin = &recorded("2026-11-21", Freshness::Fresh);
        let row = Row {
            name: "tiled 16",
            measurement: &measured,
            origin,
            current: true,
            runs: None,
            landmark: true,
        };
        let metric = |label, measured, simulated, predicted| MetricPair {
            label,
            measured,
            simulated,
            predicted,
        };
        let metrics = [
            metric("global loads", 4_194_304.0, Some(4_194_304.0), true),
            metric("shared wavefronts", 54_525_966.0, Some(54_525_952.0), true),
            metric("bank conflicts", 284_000.0, Some(0.0), true),
            metric("barrier arrivals", 12.0, None, true),
            metric("warps at work, %", 90.41, None, false),
        ];
        let rows = [row];
        let panel = |note, refused| MeasuredPanel {
            rows: &rows,
            size: Size::square(1024),
            too_small: None,
            limit: &[],
            status: &MeasureStatus::Idle,
            sweep: &[],
            counters: Some(CountersTable { row, metrics: &metrics, note, refused }),
            look: ASCII,
        };
        assert_snapshot!(picture::text(panel("", ""), 76, 11), @"
        >tiled 16 ================================================   0.270 ms   7954
         recorded on NVIDIA H200, 2026-11-21
         Counters of tiled 16 at 1024, recorded on NVIDIA H200, 2026-11-21
                                    measured      simulated  difference
         global loads              4,194,304      4,194,304       equal
         shared wavefronts        54,525,966     54,525,952         +14
         bank conflicts              284,000              0    +284,000
         barrier arrivals                 12            ...
         warps at work, %               90.4  not simulated
         bank conflicts: the hardware adds the passes lost to other warps
        ");
        assert_snapshot!(picture::text(panel("counting tiled", "no counters: refused"), 76, 9), @"
        >tiled 16 ================================================   0.270 ms   7954
         recorded on NVIDIA H200, 2026-11-21
         Counters of tiled 16 at 1024, recorded on NVIDIA H200, 2026-11-21
                                    measured      simulated  difference
         global loads              4,194,304      4,194,304       equal
         shared wavefronts        54,525,966     54,525,952         +14
         bank conflicts: the hardware adds the passes lost to other warps
         counting tiled
         no counters: refused
        ");
        assert_snapshot!(picture::text(panel("", ""), 116, 9), @"
        >tiled 16 =======================   0.270 ms   7954   tiled 16 at 1024, recorded on NVIDIA H200, 2026-11-21
         recorded on NVIDIA H200, 2026-11-21                                             measured      simulated  difference
                                                              global loads              4,194,304      4,194,304       equal
                                                              shared wavefronts        54,525,966     54,525,952         +14
                                                              bank conflicts              284,000              0    +284,000
                                                              barrier arrivals                 12            ...
                                                              warps at work, %               90.4  not simulated
                                                              bank conflicts: the hardware adds the passes lost to other
                                                              warps
        ");
    }
}
