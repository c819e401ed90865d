//! GFLOP/s by size, a line for each kernel.

use super::scene::PictureScene;
use crate::matrix::Size;
use crate::report::charts::sizes::{SizeSeries, series};
use crate::tui::widget::measured::{SeriesRank, Sweep, SweepSeries};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Draws the picture; returns the note of its frame.
pub(super) fn draw(scene: &PictureScene<'_>, area: Rect, buf: &mut Buffer) -> String {
    let shown = &scene.shown;
    let all = series(shown);
    let precision = |rung: usize| shown.rungs.get(rung).map(|rung| rung.row.precision());
    let is_library = |rung: usize| shown.rungs.get(rung).is_some_and(|rung| rung.row.is_library());
    let rank = |rung: usize| match rung {
        _ if rung == shown.rung => SeriesRank::Current,
        _ if shown.beside == Some(rung) => SeriesRank::Beside,
        _ if is_library(rung) && precision(rung) == precision(shown.rung) => SeriesRank::Beside,
        _ => SeriesRank::Other,
    };
    let series: Vec<_> = all
        .iter()
        .map(|SizeSeries { rung, name, points }| SweepSeries { name, points, rank: rank(*rung) })
        .collect();
    if series.is_empty() {
        scene.say("one size was measured: record several with `matviz bench --ladder`", area, buf);
    }
    let at = (shown.size == Size::square(shown.size.n)).then_some(shown.size.n);
    Sweep { series: &series, at, look: scene.look }.render(area, buf);
    "the tile chosen for each size, measured".to_owned()
}
