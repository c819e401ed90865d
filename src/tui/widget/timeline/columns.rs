//! From the steps of a window to what each warp does in each column of a chart.

use crate::trace::Kind;
use std::ops::Range;

/// What the chart needs to know of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// The warp that executed it.
    pub warp: u16,
    /// What it executed.
    pub kind: Kind,
    /// Whether it was the last arrival at a barrier and released the block.
    pub released: bool,
}

/// What one warp does for one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// Has not executed anything yet.
    #[default]
    Before,
    /// Could go on, but another warp's turn is longer than this column.
    Idle,
    /// Waits at a barrier.
    Wait,
    /// Loads.
    Load,
    /// Stores.
    Store,
    /// Multiplies and adds, among other things.
    Fma,
    /// Nothing but other arithmetic and branches.
    Alu,
    /// Has ended.
    After,
}

/// A chart of a window of steps: ask for it once per window, not once per frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The steps it shows.
    pub window: Range<usize>,
    /// Columns in which a barrier released the block, ascending.
    pub barriers: Vec<usize>,
    width: usize,
    /// Row by row, one per warp.
    spans: Vec<Span>,
}

/// Steps looked at for one chart, about; windows beyond that are sampled at equal distances.
const LOOKED_AT: usize = 1 << 18;

/// Steps before the window that are searched for what each warp was doing when it began.
const LOOKED_BACK: usize = 1 << 15;

impl Columns {
    /// Number of columns.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn warps(&self) -> usize {
        self.spans.len().checked_div(self.width).unwrap_or(0)
    }

    /// One warp's columns.
    pub fn row(&self, warp: usize) -> &[Span] {
        self.spans.get(warp * self.width..(warp + 1) * self.width).unwrap_or_default()
    }

    /// The column in which a step lies; the end of the window belongs to the last.
    pub fn column(&self, step: usize) -> Option<usize> {
        let Range { start, end } = self.window;
        let inside = (start..=end).contains(&step) && start < end && self.width > 0;
        inside.then(|| ((step - start) * self.width / (end - start)).min(self.width - 1))
    }
}

/// What every warp does in each of `width` columns over the steps of `window`.
///
/// Looks at the window's steps alone (a quarter of a million at most) and a few before it.
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

/// From one step that is looked at to the next: a prime, so that of warps which take turns, or go
/// round in a loop, every one is met at each of its places.
fn stride(least: usize) -> usize {
    let least = least.max(1);
    let is_prime = |n: &usize| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    // There is always one before the double.
    (least..=2 * least).find(is_prime).unwrap_or(least)
}

/// Walks over the steps of one column: the most telling thing that each warp does, if anything, and
/// whether a barrier released the block.
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

/// The first step of a column.
pub(super) fn first_step(window: &Range<usize>, width: usize, column: usize) -> usize {
    window.start + window.len() * column / width.max(1)
}

/// A warp at one moment: what it did last, and when.
#[derive(Clone, Copy)]
struct Now {
    span: Span,
    last: usize,
}

/// What a column stands for when a warp does several things in it: the work that the kernel is
/// for, then the traffic that is dear, then what surrounds them. Arriving and ending is no work.
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

/// What a warp is doing once it has executed a step of this kind.
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

/// What a warp does in a column in which it executed nothing. While its turn comes round again and
/// again it keeps its colour; when others take a longer turn, it is idle.
fn resting(now: Now, started: Span, end: usize, warps: usize) -> Span {
    match (now.span, started) {
        (Span::Load | Span::Store | Span::Fma | Span::Alu, _) if end > now.last + 1 + warps => {
            Span::Idle
        }
        // Released within this column: for most of it the warp still waited.
        (Span::Idle, Span::Wait) => Span::Wait,
        (span, _) => span,
    }
}

/// Everyone who waited may go on.
fn release(warps: &mut [Now]) {
    for warp in warps.iter_mut().filter(|warp| warp.span == Span::Wait) {
        warp.span = Span::Idle;
    }
}

/// What each warp was doing when the window began, as far as a bounded look back tells.
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
