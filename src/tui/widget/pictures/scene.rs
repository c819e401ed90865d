//! The data from which the pictures are drawn, and texts that several of them share.

use crate::kernel;
use crate::report::charts::ChartData;
use crate::report::charts::metrics::copies_tiles;
use crate::report::ladder::Rung;
use crate::study::counts::SizedSubject;
use crate::timing::pack::Pack;
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Widget;

/// The measurements, the simulation in progress, and the look.
#[derive(Clone, Debug)]
pub struct PictureScene<'a> {
    /// The measurements.
    pub shown: ChartData<'a>,
    /// Whether they were taken on this machine, since the program started.
    pub now: bool,
    /// Describes the simulation in progress.
    pub counting: Option<String>,
    pub look: Look,
}

impl PictureScene<'_> {
    /// Returns where and when the figures were measured.
    pub fn origin(&self) -> String {
        let Pack { device, date, .. } = self.shown.pack;
        if self.now { format!("measured now on {device}, {date}") } else { self.shown.pack.label() }
    }

    /// Describes the simulation in progress, or why it failed.
    pub(super) fn counting(&self) -> String {
        if let Some(counting) = &self.counting {
            return counting.clone();
        }
        let shown = &self.shown;
        let pair = shown.pair().into_iter().flatten();
        let failed = pair.filter_map(|rung| {
            let why = shown.counts.known(&SizedSubject::of(rung.row)?)?.as_ref().err()?;
            Some(format!("{} cannot be counted: {why}", rung.name))
        });
        let stale = shown.pair().into_iter().flatten().find(|rung| rung.is_stale());
        let stale =
            stale.map(|rung| format!("{} has changed since: it is not simulated", rung.name));
        let mut unseen = shown.pair().into_iter().flatten().filter(|rung| copies_tiles(rung.row));
        let unseen = unseen.next().map(|rung| {
            format!(
                "{} copies whole tiles in bulk (TMA): its loads and stores are not counted",
                rung.name
            )
        });
        failed.chain(stale).chain(unseen).next().unwrap_or_default()
    }

    /// Writes a line in place of a picture.
    pub(super) fn say(&self, text: &str, area: Rect, buf: &mut Buffer) {
        Line::styled(format!(" {text}"), self.look.dim()).render(area, buf);
    }
}

/// Returns what is new in a kernel, or `None` for a library.
pub(super) fn idea(rung: &Rung<'_>) -> Option<String> {
    let kernel = kernel::find(&rung.row.kernel)?;
    Some(format!("{}: {}", kernel.name, kernel.summary))
}
