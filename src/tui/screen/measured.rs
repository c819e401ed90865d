//! The Measured panel of the main screen: bars and, when zoomed, the hardware counters next to the
//! simulated counts.

use crate::kernel::Problem;
use crate::matrix::Operand;
use crate::report::charts::metrics::beside;
use crate::study::counts::SizedSubject;
use crate::tui::facts::counts::limit;
use crate::tui::layout::Panel;
use crate::tui::measurements::{self, Measurements};
use crate::tui::view_model::ViewModel;
use crate::tui::widget::measured::{
    CountersTable, MeasuredPanel, OwnKernelTime, Row, SeriesRank, SweepSeries, TALL, WIDE,
};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The kernels that are always shown with those of their precision; the zoomed panel shows all.
const LANDMARKS: [&str; 3] = ["naive", "tiled", "half_plain"];

/// Draws the time of a kernel that stands beside no other.
fn draw_own(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    let problem = view.session.problem();
    let own = view.measuring.measures.own.as_ref().filter(|own| own.is_of(problem));
    let compared = own.and_then(|own| own.compared.as_ref());
    OwnKernelTime {
        timed: own.map(|own| &own.timed),
        compared: compared.map(|all| all.as_deref()),
        is_product: problem.is_product(),
        status: &view.measuring.measures.status,
        look: view.look,
    }
    .render(area, buf);
    ("Measured".to_owned(), String::new())
}

/// Draws the panel; returns the title and the note of its frame.
pub(super) fn draw(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    let Measurements { rows, sweep, status, .. } = &view.measuring.measures;
    let problem = view.session.problem();
    if !problem.is_measurable() {
        return draw_own(view, area, buf);
    }
    let zoomed = view.display.wanted.zoomed == Some(Panel::Measured);
    let counted = view.measuring.measures.counted(problem).filter(|_| zoomed);
    // Counters below the bars need the rows.
    let roomy = counted.is_none() || area.width >= WIDE || area.height >= TALL;
    let all = zoomed && roomy;
    let told = view.lesson.and_then(|lesson| lesson.now().beside.as_deref());
    let stands = |row: &Row<'_>| {
        let named = told == Some(&*row.measurement.kernel);
        all || row.current || named || stands_beside(row, problem)
    };
    let current = view.measuring.measures.row(problem);
    let shown = |row| measured_row(row, current, problem);
    let rows: Vec<Row<'_>> = rows.iter().map(shown).filter(stands).collect();
    let now = rows.iter().position(|row| row.current);
    let line = |(index, row): (usize, &Row<'_>)| {
        let series = sweep.iter().find(|series| series.name == row.name)?;
        let (name, points) = (&*series.short, &*series.points);
        let beside =
            now == Some(index + 1) || stands_beside(row, problem) && row.measurement.is_library();
        let rank = match (row.current, beside) {
            (true, _) => SeriesRank::Current,
            (false, true) => SeriesRank::Beside,
            (false, false) => SeriesRank::Other,
        };
        (points.len() > 1).then_some(SweepSeries { name, points, rank })
    };
    let sweep: Vec<SweepSeries<'_>> = rows.iter().enumerate().filter_map(line).collect();
    let metrics = counted.as_ref().map_or_else(Vec::new, |row| {
        beside(&row.measurement, view.measuring.times.counts.of(&row.measurement))
    });
    let (note, refused) =
        (note(view), view.measuring.measures.refused.as_deref().unwrap_or_default());
    let counters = counted.as_ref().map(|row| CountersTable {
        row: measured_row(row, current, problem),
        metrics: &metrics,
        note: &note,
        refused,
    });
    let (size, look) = (view.measuring.measures.size, view.look);
    let too_small = view.measuring.measures.too_small.filter(|_| roomy);
    let limit = limit(view.app).filter(|_| roomy).map_or_else(Vec::new, |limit| limit.line());
    let widget = MeasuredPanel {
        rows: &rows,
        size,
        too_small,
        limit: &limit,
        status,
        sweep: &sweep,
        counters,
        look,
    };
    widget.render(area, buf);
    widget.head(area.width)
}

/// Returns the progress of the simulation to compare with the counters, or why it is impossible.
fn note(view: &ViewModel<'_>) -> String {
    if let Some(counting) = &view.measuring.times.counting {
        return counting.line();
    }
    let row = view.measuring.measures.counted(view.session.problem());
    let subject = row.and_then(|row| SizedSubject::of(&row.measurement));
    let why =
        subject.and_then(|subject| view.measuring.times.counts.known(&subject)?.as_ref().err());
    why.map_or_else(String::new, |why| format!("not simulated: {why}"))
}

/// Whether a row is always shown with this problem: a landmark or a library of its precision.
fn stands_beside(row: &Row<'_>, problem: &Problem) -> bool {
    let alike = row.measurement.precision().element_type() == problem.element_type(Operand::A);
    alike && (row.landmark || row.measurement.is_library())
}

fn measured_row<'a>(
    row: &'a measurements::Row,
    shown: Option<&measurements::Row>,
    problem: &Problem,
) -> Row<'a> {
    let (measurement, origin) = (&row.measurement, &row.origin);
    let current = shown.is_some_and(|shown| shown.name == row.name);
    let landmark = LANDMARKS.contains(&&*measurement.kernel);
    let runs =
        problem.tile().filter(|tile| current && measurement.tile.is_some_and(|of| of != *tile));
    Row { name: &row.name, measurement, origin, current, runs, landmark }
}
