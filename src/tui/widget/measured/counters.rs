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
