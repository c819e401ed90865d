//! The Measured panel of the main screen: bars and, when zoomed, the hardware counters next to the
//! simulated counts.

use crate::gpu::pack::Freshness;
use crate::kernel::Problem;
use crate::matrix::Operand;
use crate::report::charts::{self, metrics::beside};
use crate::study::counts::Subject;
use crate::tui::app::App;
use crate::tui::layout::Panel;
use crate::tui::measurements::{self, Measurements};
use crate::tui::widget::measured::{Counters, Measured, Origin, Row, Series, Status, WIDE};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The kernels that are always shown with those of their precision; the zoomed panel shows all.
const LANDMARKS: [&str; 3] = ["naive", "tiled", "half_plain"];

/// Draws the panel; returns the title and the note of its frame.
pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) -> (String, String) {
    let Measurements { rows, status, sweep, .. } = &app.measures;
    let problem = app.session.problem();
    let zoomed = app.wanted.zoomed == Some(Panel::Measured);
    let counted = app.measures.counted(problem).filter(|_| zoomed);
    let all = zoomed && (counted.is_none() || area.width >= WIDE);
    let stands = |row: &Row<'_>| all || row.current || stands_beside(row, problem);
    let rows: Vec<Row<'_>> =
        rows.iter().map(|row| measured_row(row, problem)).filter(stands).collect();
    let line = |(index, row): (usize, &Row<'_>)| {
        let series = sweep.iter().find(|series| series.name == row.name)?;
        let (name, points) = (&*series.short, &*series.points);
        let (letter, current) = (charts::letter(index), row.current);
        (points.len() > 1).then_some(Series { name, letter, points, current })
    };
    let sweep: Vec<Series<'_>> = rows.iter().enumerate().filter_map(line).collect();
    let status = match status {
        measurements::Status::Idle => Status::Done,
        measurements::Status::Running(text) => Status::Running(text),
        measurements::Status::Failed(text) => Status::Failed(text),
        measurements::Status::NoGpu => Status::NoGpu,
    };
    let metrics = counted.as_ref().map_or_else(Vec::new, |row| {
        beside(&row.measurement, app.times.counts.of(&row.measurement))
    });
    let (note, refused) = (note(app), app.measures.refused.as_deref().unwrap_or_default());
    let counters = counted.as_ref().map(|row| Counters {
        row: measured_row(row, problem),
        metrics: &metrics,
        note: &note,
        refused,
    });
    let (size, look) = (problem.size, app.look);
    let widget = Measured { rows: &rows, size, status, sweep: &sweep, counters, look };
    widget.render(area, buf);
    ("Measured".to_owned(), widget.note())
}

/// Returns the progress of the simulation to compare with the counters, or why it is impossible.
fn note(app: &App) -> String {
    if let Some(counting) = &app.times.counting {
        return counting.line();
    }
    let row = app.measures.counted(app.session.problem());
    let subject = row.and_then(|row| Subject::of(&row.measurement));
    let why = subject.and_then(|subject| app.times.counts.known(&subject)?.as_ref().err());
    why.map_or_else(String::new, |why| format!("not simulated: {why}"))
}

/// Whether a row is always shown with this problem: a landmark or a library of its precision.
fn stands_beside(row: &Row<'_>, problem: &Problem) -> bool {
    let alike = row.measurement.precision() == problem.precision(Operand::A);
    alike && (row.landmark || row.measurement.is_library())
}

fn measured_row<'a>(row: &'a measurements::Row, shown: &Problem) -> Row<'a> {
    let origin = match &row.origin {
        measurements::Origin::Now => Origin::Now,
        measurements::Origin::Recorded(label, Freshness::Fresh) => Origin::Recorded(label),
        measurements::Origin::Recorded(label, Freshness::Stale) => Origin::Stale(label),
    };
    let measurement = &row.measurement;
    let current = (&*measurement.kernel, measurement.tile) == (shown.name(), shown.tile());
    let landmark = LANDMARKS.contains(&&*measurement.kernel);
    Row { name: &row.name, measurement, origin, current, landmark }
}
