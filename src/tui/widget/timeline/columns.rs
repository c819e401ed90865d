//! Summarises the steps of a window: the state of each warp in each column of a chart.

use crate::trace::Kind;
use std::ops::Range;

/// The properties of a step that the chart needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// The warp that executed it.
    pub warp: u16,
    /// The kind of instruction.
    pub kind: Kind,
    /// Whether it was the last arrival at a barrier and released the block.
    pub released: bool,
}

/// The state of one warp in one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// Has not executed anything yet.
    #[default]
    Before,
    /// Ready, but another warp's turn is longer than this column.
    Idle,
    /// Waits at a barrier.
    Wait,
    /// Loads.
    Load,
    /// Stores.
    Store,
    /// Multiplies and adds, among other things.
    Fma,
    /// Does only other arithmetic and branches.
    Alu,
    /// Has ended.
    After,
}

/// A chart of a window of steps: compute it once per window, not once per frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The steps it shows.
    pub window: Range<usize>,
    /// The columns in which a barrier released the block, ascending.
    pub barriers: Vec<usize>,
    width: usize,
    /// The states row by row, one row per warp.
    spans: Vec<Span>,
}

/// The approximate number of steps examined for a chart; longer windows are sampled at equal
/// distances.
const LOOKED_AT: usize = 1 << 18;

/// The number of steps before the window that are searched for each warp's state at its start.
const LOOKED_BACK: usize = 1 << 15;

impl Columns {
    /// The number of columns.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn warps(&self) -> usize {
        self.spans.len().checked_div(self.width).unwrap_or(0)
    }

    /// Returns one warp's columns.
    pub fn row(&self, warp: usize) -> &[Span] {
        self.spans.get(warp * self.width..(warp + 1) * self.width).unwrap_or_default()
    }

    /// Returns the column of a step; the end of the window belongs to the last column.
    pub fn column(&self, step: usize) -> Option<usize> {
        let Range { start, end } = self.window;
        let inside = (start..=end).contains(&step) && start < end && self.width > 0;
        inside.then(|| ((step - start) * self.width / (end - start)).min(self.width - 1))
    }
}

/// Computes the state of every warp in each of `width` columns over the steps of `window`.
///
/// Examines only the window's steps (about a quarter of a million at most) and a bounded number
/// before it.
pub fn columns(
    window: Range<usize>,
    width: usize,
    warps: usize,
    tick: impl Fn(usize) -> Tick,
) -> Columns {
    let mut chart = Columns {
        spans: vec![Span::Before; warps * width],
        width,
        window: window.clone(),
        barriers: Vec::new(),
    };
    let mut now = before(window.start, warps, &tick);
    let stride = stride(window.len() / LOOKED_AT);
    for column in 0..width {
        let end = first_step(&window, width, column + 1);
        let steps = (first_step(&window, width, column)..end).step_by(stride);
        let started: Vec<Span> = now.iter().map(|warp| warp.span).collect();
        let (told, released) = tell(steps, &mut now, &tick);
        if released {
            chart.barriers.push(column);
        }
        for warp in 0..warps {
            let span = told[warp].map(after);
            let span = span.unwrap_or_else(|| resting(now[warp], started[warp], end, warps));
            chart.spans[warp * width + column] = span;
        }
    }
    chart
}

/// Returns the distance between examined steps: a prime, so that among warps that take turns or run
/// in a loop, each is sampled at every phase.
fn stride(least: usize) -> usize {
    let least = least.max(1);
    let is_prime = |n: &usize| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    // There is always a prime between a number and its double.
    (least..=2 * least).find(is_prime).unwrap_or(least)
}

/// Walks over the steps of one column; returns the most significant kind of step of each warp, if
/// any, and whether a barrier released the block.
fn tell(
    steps: impl Iterator<Item = usize>,
    now: &mut [Now],
    tick: &impl Fn(usize) -> Tick,
) -> (Vec<Option<Kind>>, bool) {
    let mut told: Vec<Option<Kind>> = vec![None; now.len()];
    let mut any_released = false;
    for step in steps {
        let Tick { warp, kind, released } = tick(step);
        let warp = usize::from(warp);
        let Some(state) = now.get_mut(warp) else { continue };
        *state = Now { span: after(kind), last: step };
        if telling(kind) > told[warp].map_or(0, telling) {
            told[warp] = Some(kind);
        }
        if released {
            any_released = true;
            release(now);
        }
    }
    (told, any_released)
}

/// Returns the first step of a column.
pub(super) fn first_step(window: &Range<usize>, width: usize, column: usize) -> usize {
    window.start + window.len() * column / width.max(1)
}

/// The state of a warp at one moment, and the step at which it last executed.
#[derive(Clone, Copy)]
struct Now {
    span: Span,
    last: usize,
}

/// The significance of a step within a column: first the arithmetic that the kernel is for, then
/// costly memory traffic, then everything else. Arriving at a barrier and exiting are not work.
const fn telling(kind: Kind) -> u8 {
    match kind {
        Kind::Fma => 5,
        Kind::GlobalLoad => 4,
        Kind::GlobalStore | Kind::SharedStore => 3,
        Kind::SharedLoad => 2,
        Kind::Compute | Kind::Branch => 1,
        Kind::Barrier | Kind::Exit => 0,
    }
}

/// Returns the state of a warp after a step of this kind.
const fn after(kind: Kind) -> Span {
    match kind {
        Kind::Fma => Span::Fma,
        Kind::GlobalLoad | Kind::SharedLoad => Span::Load,
        Kind::GlobalStore | Kind::SharedStore => Span::Store,
        Kind::Compute | Kind::Branch => Span::Alu,
        Kind::Barrier => Span::Wait,
        Kind::Exit => Span::After,
    }
}

/// Returns the state of a warp in a column in which it executed nothing. It keeps its state while
/// its turns come regularly, and is idle while other warps take a longer turn.
fn resting(now: Now, started: Span, end: usize, warps: usize) -> Span {
    match (now.span, started) {
        (Span::Load | Span::Store | Span::Fma | Span::Alu, _) if end > now.last + 1 + warps => {
            Span::Idle
        }
        // Released within this column: the warp waited for most of it.
        (Span::Idle, Span::Wait) => Span::Wait,
        (span, _) => span,
    }
}

/// Releases every warp that waits at the barrier.
fn release(warps: &mut [Now]) {
    for warp in warps.iter_mut().filter(|warp| warp.span == Span::Wait) {
        warp.span = Span::Idle;
    }
}

/// Returns the state of each warp at the start of the window, as far as a bounded search back
/// tells.
fn before(start: usize, warps: usize, tick: &impl Fn(usize) -> Tick) -> Vec<Now> {
    let nothing = if start > LOOKED_BACK { Span::Idle } else { Span::Before };
    let mut now = vec![Now { span: nothing, last: start }; warps];
    for step in start.saturating_sub(LOOKED_BACK)..start {
        let Tick { warp, kind, released } = tick(step);
        if let Some(now) = now.get_mut(usize::from(warp)) {
            *now = Now { span: after(kind), last: step };
        }
        if released {
            release(&mut now);
        }
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alternate(step: usize) -> Tick {
        Tick { warp: (step % 2) as u16, kind: Kind::Fma, released: false }
    }

    #[test]
    fn round_robin_looks_continuous_even_where_a_column_is_one_step() {
        let chart = columns(0..8, 8, 2, alternate);
        assert_eq!(chart.row(0), [Span::Fma; 8]);
        assert_eq!(chart.row(1)[0], Span::Before);
        assert_eq!(chart.row(1)[1..], [Span::Fma; 7]);
    }

    #[test]
    fn a_window_knows_who_was_waiting_when_it_begins() {
        // Warp 0 arrives at step 2, warp 1 runs until step 9 and releases it.
        let tick = |step| match step {
            0..2 => Tick { warp: 0, kind: Kind::GlobalLoad, released: false },
            2 => Tick { warp: 0, kind: Kind::Barrier, released: false },
            9 => Tick { warp: 1, kind: Kind::Barrier, released: true },
            _ => Tick { warp: 1, kind: Kind::Compute, released: false },
        };
        let chart = columns(5..10, 5, 2, tick);
        assert_eq!(chart.row(0), [Span::Wait; 5]);
        assert_eq!(chart.row(1)[..4], [Span::Alu; 4]);
        assert_eq!(chart.barriers, [4]);
    }

    #[test]
    fn more_columns_than_steps_stretch_the_steps() {
        let chart =
            columns(0..2, 8, 1, |_| Tick { warp: 0, kind: Kind::GlobalLoad, released: false });
        assert_eq!(chart.column(0), Some(0));
        assert_eq!(chart.column(1), Some(4));
        assert_eq!(chart.column(2), Some(7));
        assert_eq!(chart.column(3), None);
    }

    #[test]
    fn a_column_tells_of_the_work_rather_than_of_what_surrounds_it() {
        let kinds = [Kind::Compute, Kind::Compute, Kind::GlobalLoad, Kind::Compute];
        let tick = |step: usize| Tick { warp: 0, kind: kinds[step], released: false };
        assert_eq!(columns(0..4, 1, 1, tick).row(0), [Span::Load]);
    }

    #[test]
    fn huge_windows_are_sampled() {
        let looked = std::cell::Cell::new(0_usize);
        let tick = |step| {
            looked.set(looked.get() + 1);
            alternate(step)
        };
        columns(100_000_000..200_000_000, 100, 2, tick);
        assert!(looked.get() < 2 * LOOKED_AT + LOOKED_BACK, "{} steps", looked.get());
    }

    #[test]
    fn warps_that_take_turns_for_long_are_all_seen() {
        // Two warps in a loop of four instructions, one of which multiplies and adds.
        let tick = |step: usize| Tick {
            warp: (step % 2) as u16,
            kind: if step / 2 % 4 == 3 { Kind::Fma } else { Kind::Compute },
            released: false,
        };
        let chart = columns(0..1 << 23, 65, 2, tick);
        for warp in 0..2 {
            assert!(chart.row(warp).iter().all(|span| *span == Span::Fma), "{:?}", chart.row(warp));
        }
    }

    #[test]
    fn every_step_has_a_column_and_every_column_a_step() {
        let chart = Columns { window: 7..107, width: 33, ..Columns::default() };
        for column in 0..33 {
            assert_eq!(
                chart
                    .column(first_step(&chart.window, 33, column))
                    .map(|c| c.abs_diff(column) <= 1),
                Some(true)
            );
        }
    }
}
