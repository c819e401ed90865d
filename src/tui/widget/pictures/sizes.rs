//! GFLOP/s by size, a line for each kernel.

use super::scene::PictureScene;
use crate::matrix::Size;
use crate::report::charts::letter;
use crate::report::charts::sizes::series;
use crate::tui::widget::measured::{Sweep, SweepSeries};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Draws the picture; returns the note of its frame.
pub(super) fn draw(scene: &PictureScene<'_>, area: Rect, buf: &mut Buffer) -> String {
    let shown = &scene.shown;
    let all = series(shown);
    let series: Vec<_> = all
        .iter()
        .map(|series| SweepSeries {
            name: &series.name,
            row: &series.name,
            letter: letter(series.rung),
            points: &series.points,
            current: series.rung == shown.rung,
        })
        .collect();
    if series.is_empty() {
        scene.say("one size was measured: record several with `matviz bench --ladder`", area, buf);
    }
    let at = (shown.size == Size::square(shown.size.n)).then_some(shown.size.n);
    Sweep { series: &series, at, look: scene.look }.render(area, buf);
    "the tile chosen for each size, measured".to_owned()
}
