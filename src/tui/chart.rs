//! The timeline's window onto the run, and the columns that summarise its steps.

mod columns;
mod phases;
mod span;

pub use columns::{ChartColumns, columns};
pub use span::{SpanMark, StepKind};

use super::session::Session;
use super::task::RunId;
use super::widget::timeline::InstructionTally;
use crate::kernel::Problem;
use ratatui::layout::Rect;
use std::ops::Range;

/// The contents of the timeline.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The steps in view, summarised by column.
    pub columns: ChartColumns,
    /// The instructions of the run so far.
    pub tally: InstructionTally,
    /// How often the window has been halved.
    pub closer: u32,
    /// The run, and its length, for which the columns were computed.
    made_for: (RunId, usize),
}

/// The fewest and the most steps that the timeline shows: the row below shows the whole run.
const LEAST_WINDOW: usize = 32;
const MOST_WINDOW: usize = 1 << 16;

impl Chart {
    /// Creates an empty chart for a run of this problem.
    pub fn of(problem: &Problem) -> Self {
        let (columns, tally) = (ChartColumns::default(), InstructionTally::default());
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
        self.closer = self.closer.max(least_closeness(trace.len()));
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
            self.tally = InstructionTally::default();
        }
        let counted = if run == session.id() { counted } else { 0 };
        self.tally.add(&session.trace().records()[counted..]);
    }
}

/// Columns before the chart.
pub const HEAD: u16 = 4;

/// Returns the screen columns that the chart takes of a panel's content: pass their number to
/// [`columns`].
pub fn across(area: Rect) -> Range<u16> {
    let first = area.x.saturating_add(HEAD).min(area.right());
    first..area.right().saturating_sub(1).max(first)
}

/// Returns the position, in steps done, at a column of the screen, if that is on the chart.
pub fn step_at(area: Rect, columns: &ChartColumns, x: u16) -> Option<usize> {
    columns.first_step(usize::from(x.checked_sub(across(area).start)?))
}

/// Returns how often to halve the timeline so that it shows about four tiles of work: all steps of
/// a long run at once would show nothing but multiply-adds. For a user's kernel, a stretch of K as
/// long as four tiles of the usual size; for kernels with much work per tile or many warps, less.
fn closeness(problem: &Problem) -> u32 {
    let tiles = problem.k_tiles().unwrap_or(problem.size.k / 16);
    let much = problem.known.is_some_and(|known| known.variant.fma_per_thread() > 128);
    // Each warp has columns of its own.
    let wider = match problem.launch.warps() {
        _ if much => 0,
        ..=8 => 2,
        9..=16 => 1,
        17.. => 0,
    };
    tiles.max(1).ilog2().saturating_sub(wider)
}

/// Returns how often a run of this length has to be halved at least.
fn least_closeness(len: usize) -> u32 {
    len.div_ceil(MOST_WINDOW).max(1).next_power_of_two().ilog2()
}

/// Returns the steps that the timeline shows: the run halved `closer` times, with `at` among them.
/// The window moves only if `at` is outside; a first one, or one of another size, lies where it would had
/// one gone there from the beginning.
fn window(len: usize, at: usize, closer: u32, was: &Range<usize>) -> Range<usize> {
    let size = len.checked_shr(closer).unwrap_or(0).max(LEAST_WINDOW).min(len);
    let was = if was.len() == size && was.end <= len { was.clone() } else { 0..size };
    if (was.start..=was.end).contains(&at) {
        return was;
    }
    // Going on, the picture moves by a third, so that most of it is still known.
    let third = (size / 3).max(1);
    let on = was.start + third;
    if on + size <= len && (was.end..=on + size).contains(&at) {
        return on..on + size;
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
    use crate::tui::session::SeekGoal;

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

    /// The kinds of instruction that a row shows, in order.
    fn shown(row: &[SpanMark]) -> Vec<StepKind> {
        let spans = row.iter().flat_map(|mark| [mark.first, mark.last]);
        let mut shown = Vec::new();
        for span in spans.filter(|span| span.is_instruction() && *span != StepKind::Other) {
            if !shown.contains(&span) {
                shown.push(span);
            }
        }
        shown
    }

    #[test]
    fn warps_that_do_the_same_are_drawn_alike_with_all_that_they_do_in_order() {
        // Of the two blocks of half_tma's clusters, warps that do the same have rows of their own lengths.
        for kernel in KERNELS.iter().filter(|kernel| kernel.name != "half_tma") {
            let mut session = session(kernel.name, Order::ByPhase);
            let steps = session.trace().len();
            for (width, at) in [48, 66, 113, 190].into_iter().zip([0, steps / 3, steps / 2, steps])
            {
                session.go(SeekGoal::Step(at));
                let mut chart = Chart::of(session.problem());
                chart.settle(&session, width);
                let records = &session.trace().records()[chart.columns.window.clone()];
                let kinds = |warp: usize| {
                    let own = records.iter().filter(move |step| usize::from(step.warp) == warp);
                    own.map(StepKind::of).collect::<Vec<_>>()
                };
                for warp in 0..chart.columns.warps() {
                    let (own, row) = (kinds(warp), chart.columns.row(warp));
                    let told = format!("{}, {width} columns, step {at}, w{warp}", kernel.name);
                    let mut does: Vec<StepKind> = Vec::new();
                    for span in own.iter().filter(|span| **span != StepKind::Other) {
                        if !does.contains(span) {
                            does.push(*span);
                        }
                    }
                    let mut shown = shown(row);
                    shown.retain(|span| does.contains(span));
                    if !row.iter().any(|mark| mark.more) {
                        assert_eq!(shown, does, "{told}");
                    }
                    let cells = |row: &[SpanMark]| {
                        let is_own = |mark: &&SpanMark| mark.first.is_instruction();
                        row.iter().filter(is_own).copied().collect::<Vec<_>>()
                    };
                    if let Some(other) = (0..warp).find(|other| kinds(*other) == own) {
                        let alike = cells(chart.columns.row(other));
                        assert_eq!(cells(row), alike, "{told} does what w{other} does");
                    }
                }
            }
        }
    }

    #[test]
    fn the_only_warp_and_the_block_are_drawn_alike() {
        for order in [Order::ByPhase, Order::RoundRobin] {
            let kernel = KERNELS.iter().find(|known| known.name == "tiled").expect("a kernel");
            let (variant, ptx) =
                (kernel.variant(4).expect("a tile"), kernel.embedded(4).expect("PTX"));
            let problem = Problem::of(kernel, variant, Size::square(64), ptx.into());
            let loaded = Loaded::of(problem).expect("valid PTX");
            let (session, _) = Session::new(RunId(0), loaded, Dim3::at(1, 1), order);
            for (width, closer) in [(48, 0), (48, 2), (66, 4), (113, 9)] {
                let mut chart = Chart::of(session.problem());
                chart.closer = closer;
                chart.settle(&session, width);
                assert_eq!(chart.columns.row(0), chart.columns.block(), "{width}, {closer}");
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
        let loads = records.iter().filter(|step| step.kind == crate::trace::OpKind::GlobalLoad);
        let share = loads.count() as f64 / records.len() as f64;
        assert!((chart.tally.share(StepKind::GlobalLoad) - share).abs() < 1e-9);
        assert!((0.31..0.33).contains(&share), "{share}");
    }

    #[test]
    fn the_timelines_window_follows_by_pages() {
        assert_eq!(window(1000, 500, 0, &(0..0)), 0..1000);
        let page = window(1000, 500, 2, &(0..0));
        assert_eq!(page, 438..688);
        assert_eq!(window(1000, 600, 2, &page), page);
        assert_eq!(window(1000, 690, 2, &page), 521..771);
        assert_eq!(window(1000, 800, 2, &page), 738..988);
        assert_eq!(window(1000, 1000, 2, &page), 750..1000);
        assert_eq!(window(0, 0, 3, &(0..0)), 0..0);
        assert_eq!(window(1000, 0, 99, &(0..0)), 0..LEAST_WINDOW);
    }

    #[test]
    fn a_window_is_never_too_long_to_be_drawn_step_by_step() {
        for (len, least) in [(0, 0), (MOST_WINDOW, 0), (MOST_WINDOW + 1, 1), (1 << 23, 7)] {
            assert_eq!(least_closeness(len), least, "{len}");
            assert!(window(len, 0, least, &(0..0)).len() <= MOST_WINDOW);
        }
    }
}
