//! Cells in true proportion: which state each column of a stretch shows.

use super::span::StepKind;

/// What a row has to show, and what it still owes from the columns so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    /// For each span: the steps of this stretch, and the sum of their places in it.
    steps: [(u32, f64); StepKind::ALL.len()],
    /// For each span: the cells due but not drawn; negative if it was drawn too often.
    owed: [f64; StepKind::ALL.len()],
}

/// The most columns that are laid out together.
const WIDEST: usize = 6;

/// Returns how many adjacent columns to lay out together, so that equal cells lie side by side
/// instead of in a checkerboard: the more instructions of a warp a column covers, the more of them.
/// A column that covers less than two shows exactly what happens in it.
pub(super) fn stretch(steps: usize, width: usize, warps: usize) -> usize {
    let instructions = steps.checked_div(width * warps).unwrap_or(0);
    if instructions < 2 { 1 } else { (2 * instructions).min(WIDEST) }
}

impl Shares {
    /// Counts a step at `place` of the stretch, from 0 to 1.
    pub(super) fn add(&mut self, span: StepKind, place: f64) {
        let (steps, places) = &mut self.steps[span as usize];
        *steps += 1;
        *places += place;
    }

    /// Fills the cells of a stretch, and begins the next one.
    ///
    /// Each cell goes to the span that is owed most, and what is left is carried on: along a row,
    /// no span is ever further from its share than about one cell.
    pub(super) fn lay(&mut self, cells: &mut [StepKind]) {
        let all: u32 = self.steps.iter().map(|(steps, _)| steps).sum();
        let scale = cells.len() as f64 / f64::from(all.max(1));
        for (owed, (steps, _)) in self.owed.iter_mut().zip(&self.steps) {
            *owed += f64::from(*steps) * scale;
        }
        for cell in &mut *cells {
            let here = StepKind::ALL.into_iter().filter(|span| self.steps[*span as usize].0 > 0);
            let owed = |span: &StepKind| self.owed[*span as usize];
            // Of two that are owed equally, the one that comes first.
            if let Some(span) = here.rev().max_by(|a, b| owed(a).total_cmp(&owed(b))) {
                *cell = span;
                self.owed[span as usize] -= 1.0;
            }
        }
        cells.sort_by_key(|span| (self.third(*span), *span));
        self.steps = Default::default();
    }

    /// Returns the third of the stretch in which the steps of a span have their mean. What comes
    /// before something else is drawn before it; what alternates is drawn in the order of spans.
    fn third(&self, span: StepKind) -> u8 {
        let (steps, places) = self.steps[span as usize];
        (3.0 * places / f64::from(steps.max(1))) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lays out the rows of a repeated pattern in stretches of `columns` columns.
    fn laid(pattern: &[StepKind], columns: usize, stretches: usize) -> Vec<StepKind> {
        let mut shares = Shares::default();
        let mut row = vec![StepKind::Before; columns * stretches];
        for cells in row.chunks_mut(columns) {
            for (at, span) in pattern.iter().enumerate() {
                shares.add(*span, (at as f64 + 0.5) / pattern.len() as f64);
            }
            shares.lay(cells);
        }
        row
    }

    #[test]
    fn cells_and_steps_have_the_same_shares() {
        use StepKind::{Fma, GlobalLoad, Other};
        let pattern = [GlobalLoad, GlobalLoad, Other, Fma, Other, Other, GlobalLoad, Other, Other];
        for columns in 1..7 {
            let row = laid(&pattern, columns, 30);
            for span in [GlobalLoad, Other, Fma] {
                let due = pattern.iter().filter(|step| **step == span).count() * row.len();
                let drawn = row.iter().filter(|cell| **cell == span).count();
                let due = due as f64 / pattern.len() as f64;
                assert!((drawn as f64 - due).abs() <= 1.0, "{columns}, {span:?}: {drawn}, {due}");
            }
        }
    }

    #[test]
    fn equal_cells_lie_together_and_keep_their_order() {
        use StepKind::{Fma, Idle, Other, SharedLoad, Wait};
        assert_eq!(
            laid(&[SharedLoad, Fma, SharedLoad, Fma, Other, Other], 6, 1),
            [SharedLoad, SharedLoad, Fma, Fma, Other, Other]
        );
        assert_eq!(laid(&[Wait, Wait, Fma, Fma], 4, 1), [Wait, Wait, Fma, Fma]);
        assert_eq!(laid(&[Idle, Fma, Fma, Wait], 4, 1), [Idle, Fma, Fma, Wait]);
    }

    #[test]
    fn rare_things_are_drawn_once_they_are_due() {
        use StepKind::{Fma, GlobalLoad};
        let mut pattern = vec![Fma; 20];
        pattern[0] = GlobalLoad;
        let row = laid(&pattern, 4, 10);
        assert_eq!(row.iter().filter(|cell| **cell == GlobalLoad).count(), 2);
    }
}
