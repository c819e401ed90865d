//! The timeline's window onto the run, and the columns that summarise its steps.

use super::session::Session;
use super::task::RunId;
use super::widget::timeline::{Columns, Tally, columns};
use crate::kernel::Problem;
use std::ops::Range;

/// The contents of the timeline.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The steps in view, summarised by column.
    pub columns: Columns,
    /// The instructions of the run so far.
    pub tally: Tally,
    /// How often the window has been halved.
    pub closer: u32,
    /// The run, and its length, for which the columns were computed.
    made_for: (RunId, usize),
}

/// The fewest steps that the timeline shows.
const LEAST_WINDOW: usize = 32;

impl Chart {
    /// Creates an empty chart for a run of this problem.
    pub fn of(problem: &Problem) -> Self {
        let (columns, tally) = (Columns::default(), Tally::default());
        Self { columns, tally, closer: closeness(problem), made_for: (RunId(0), 0) }
    }

    /// Shows half as many steps.
    pub fn closer(&mut self) {
        self.closer = (self.closer + 1).min(24);
    }

    /// Shows twice as many.
    pub fn wider(&mut self) {
        self.closer = self.closer.saturating_sub(1);
    }

    /// Updates the chart to the state of a run, in `width` columns.
    pub fn settle(&mut self, session: &Session, width: usize) {
        let trace = session.trace();
        let made_for = (session.id(), trace.len());
        let window = window(trace.len(), session.at(), self.closer, &self.columns.window);
        let fits = self.columns.window == window && self.columns.width() == width;
        if fits && self.made_for == made_for {
            return;
        }
        self.count(session);
        let warps = session.place().warps.len();
        self.columns = columns(window, width, warps, |step| trace.records()[step]);
        self.made_for = made_for;
    }

    /// Counts what has been recorded since the last time.
    fn count(&mut self, session: &Session) {
        let (run, counted) = self.made_for;
        if run != session.id() {
            self.tally = Tally::default();
        }
        let counted = if run == session.id() { counted } else { 0 };
        self.tally.add(&session.trace().records()[counted..]);
    }
}

/// Returns how often to halve the timeline so that it shows about four tiles of work: all steps of
/// a long run at once would show nothing but multiply-adds. For a user's kernel, a stretch of K as
/// long as four tiles of the usual size; for kernels with much work per tile, one tile.
fn closeness(problem: &Problem) -> u32 {
    let tiles = problem.k_tiles().unwrap_or(problem.size.k / 16);
    let much = problem.variant().is_some_and(|variant| variant.fma_per_thread() > 128);
    tiles.max(1).ilog2().saturating_sub(if much { 0 } else { 2 })
}

/// Returns the steps that the timeline shows: the run halved `closer` times, with `at` among them.
/// The window does not move as long as it contains `at`.
fn window(len: usize, at: usize, closer: u32, was: &Range<usize>) -> Range<usize> {
    let size = len.checked_shr(closer).unwrap_or(0).max(LEAST_WINDOW).min(len);
    if was.len() == size && was.end <= len && (was.start..=was.end).contains(&at) {
        return was.clone();
    }
    // A quarter of the window lies before `at`: what comes next matters more.
    let start = at.saturating_sub(size / 4).min(len - size);
    start..start + size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KERNELS;
    use crate::launch::Dim3;
    use crate::matrix::Size;
    use crate::sim::Order;
    use crate::tui::kernel_cache::Loaded;
    use crate::tui::theme::{Look, Role};
    use crate::tui::widget::timeline::{Span, Timeline, chart};
    use ratatui::buffer::{Buffer, Cell};
    use ratatui::layout::Rect;
    use ratatui::widgets::Widget;

    /// The whole run of a kernel's block.
    fn session(kernel: &str, order: Order) -> Session {
        let kernel = KERNELS.iter().find(|known| known.name == kernel).expect("a kernel");
        let loaded = Loaded::of(kernel.problem_for(Size::square(64))).expect("valid PTX");
        let (mut session, mut recording) = Session::new(RunId(0), loaded, Dim3::at(1, 1), order);
        while !session.trace().complete() {
            session.append(recording.recorder.record(1 << 12));
        }
        session
    }

    /// Reads a row of the screen as a user would: by colour and, at the first cell of a run of
    /// equal ones, by letter.
    fn read<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<Span> {
        let look = Look::default();
        let mut last = (Span::Idle, None);
        let spans = cells.map(|cell| {
            let lettered =
                Span::INSTRUCTIONS.into_iter().find(|span| span.mark(look) == cell.symbol());
            let span = match lettered {
                Some(span) => span,
                None if cell.bg == look.pixel(Role::C) => Span::Fma,
                None if Some(cell.bg) == last.1 && cell.symbol() == " " => last.0,
                None => Span::Idle,
            };
            last = (span, Some(cell.bg));
            span
        });
        spans.collect()
    }

    #[test]
    fn the_screen_shows_the_shares_that_are_counted() {
        // In turns, each warp's row is to scale; in any order, the row of the block is.
        for (kernel, order) in [
            ("naive", Order::RoundRobin),
            ("naive", Order::ByPhase),
            ("tiled", Order::RoundRobin),
            ("tiled", Order::ByPhase),
        ] {
            let session = session(kernel, order.clone());
            for width in [56, 70, 118] {
                let area = Rect::new(0, 0, width, 11);
                let mut all = Chart::of(session.problem());
                all.closer = 0;
                all.settle(&session, chart(area).len());
                let (columns, tally) = (&all.columns, &all.tally);
                // Outside: the playhead hides what is below it.
                let at = session.trace().len() + 1;
                let look = Look::default();
                let mut buf = Buffer::empty(area);
                Timeline { columns, tally, multiplies: "FMA", at, selected: 0, hides: None, look }
                    .render(area, &mut buf);
                let rows = if order == Order::RoundRobin { 0..9 } else { 8..9 };
                for y in rows {
                    let row = read(chart(area).map(|x| &buf[(x, y)]));
                    for span in Span::INSTRUCTIONS {
                        let shown = row.iter().filter(|shown| **shown == span).count();
                        let shown = shown as f64 / row.len() as f64;
                        let apart = (shown - tally.share(span)).abs();
                        // Barriers are instructions for the block, and waiting for a warp.
                        let most = if span == Span::Other && y < 8 { 0.06 } else { 0.02 };
                        assert!(
                            apart <= most,
                            "{kernel}, {order}, {width}, row {y}: {span:?} {shown}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_legend_counts_the_run() {
        let session = session("naive", Order::RoundRobin);
        let mut chart = Chart::of(session.problem());
        chart.settle(&session, 66);
        chart.settle(&session, 70);
        let records = session.trace().records();
        let loads = records.iter().filter(|step| step.kind == crate::trace::Kind::GlobalLoad);
        let share = loads.count() as f64 / records.len() as f64;
        assert!((chart.tally.share(Span::GlobalLoad) - share).abs() < 1e-9);
        assert!((0.31..0.33).contains(&share), "{share}");
    }

    #[test]
    fn the_timelines_window_follows_by_pages() {
        assert_eq!(window(1000, 500, 0, &(0..0)), 0..1000);
        let page = window(1000, 500, 2, &(0..0));
        assert_eq!(page, 438..688);
        assert_eq!(window(1000, 600, 2, &page), page);
        assert_eq!(window(1000, 690, 2, &page), 628..878);
        assert_eq!(window(1000, 1000, 2, &page), 750..1000);
        assert_eq!(window(0, 0, 3, &(0..0)), 0..0);
        assert_eq!(window(1000, 0, 99, &(0..0)), 0..LEAST_WINDOW);
    }
}
