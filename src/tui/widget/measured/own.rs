//! The time of a kernel that stands beside no other, and its buffers beside the simulation's.

use super::status_line;
use crate::report::timed::{Agreement, ComparedBuffer};
use crate::timing::Timed;
use crate::tui::layout::text::wrapped;
use crate::tui::measurements::MeasureStatus;
use crate::tui::own_time::Uncompared;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Widget;

/// What is known of such a kernel's time.
#[derive(Clone, Copy, Debug)]
pub struct OwnKernelTime<'a> {
    /// The times, if it was measured.
    pub timed: Option<&'a Timed>,
    /// Its buffers beside the simulation's, or why they are not compared; `None` until that is known.
    pub compared: Option<Result<&'a [ComparedBuffer], &'a Uncompared>>,
    /// Whether it computes a product, with other buffers beside A, B and C.
    pub is_product: bool,
    /// The state of the measurement.
    pub status: &'a MeasureStatus,
    pub look: Look,
}

impl OwnKernelTime<'_> {
    /// Returns the lines, the most important first.
    fn lines(&self) -> Vec<(String, Style)> {
        let look = self.look;
        let mut lines = Vec::new();
        if let Some(Timed { device, ms, cold_ms, resources, .. }) = self.timed {
            let spread = ms.relative_iqr() * 100.0;
            let strong = look.bold();
            lines.push((format!("{:.4} ms a launch (IQR {spread:.1} %)", ms.median), strong));
            if let Some(cold) = cold_ms {
                lines.push((format!("{:.4} ms on an empty L2 cache", cold.median), look.text()));
            }
            let taken = resources.map(|taken| format!(", {} registers", taken.registers));
            let taken = taken.unwrap_or_default();
            lines.push((format!("measured now on {device}{taken}"), look.dim()));
            lines.extend(self.buffers());
        }
        lines.extend(status_line(self.status, look));
        let without = match (self.status, self.timed) {
            (MeasureStatus::NoGpu, None) => "no GPU here, and no times recorded",
            (MeasureStatus::Idle, None) => "the kernel shown was not measured",
            _ => "",
        };
        lines.push((without.to_owned(), look.text()));
        let alone = if self.is_product {
            "It takes other buffers beside A, B and C: no recorded time compares with its own."
        } else {
            "It is no product: no recorded time compares with its own."
        };
        lines.push((alone.to_owned(), look.dim()));
        lines
    }

    /// The line of each buffer.
    fn buffers(&self) -> Vec<(String, Style)> {
        let look = self.look;
        let line = |of: &ComparedBuffer| match of.result() {
            Agreement::Same => (format!("{} {of}", look.pick("●", "ok")), look.text()),
            Agreement::NotJudged => (of.to_string(), look.text()),
            Agreement::Different => {
                (format!("{} {of}", look.pick("▲", "!!")), look.strong(Role::Bad))
            }
        };
        match self.compared {
            None => vec![("its buffers are compared with the simulation".to_owned(), look.dim())],
            Some(Err(why)) => vec![(why.to_string(), look.dim())],
            Some(Ok(all)) => all.iter().map(line).collect(),
        }
    }
}

impl Widget for OwnKernelTime<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let lines = self.lines().into_iter().filter(|(text, _)| !text.is_empty());
        let lines = lines.flat_map(|(text, style)| {
            wrapped(&text, area.width).into_iter().map(move |line| (line, style))
        });
        for ((line, style), row) in lines.zip(area.rows()) {
            Line::styled(line, style).render(row, buf);
        }
    }
}
