//! What the run of a block comes to: whether its part of C is right, and what it cost.

use super::number::{Count, Range, grouped};
use crate::analysis::Counters;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::judge::{Off, Wrong};

/// Whether a block's part of C is right, and the sentence that says so; `None` if it is not known.
pub fn verdict(problem: &Problem, block: Dim3, judged: Option<Wrong>) -> Option<(bool, String)> {
    let (wrong, (rows, columns)) = judged.zip(problem.part(block))?;
    let [rows, columns] =
        [rows, columns].map(|span| Range(span.start.into(), (span.end.max(1) - 1).into()));
    Some(match wrong.first {
        None => (true, format!("C[{rows}][{columns}] is right, compared with float64.")),
        Some(Off { row, column, is, should }) => (
            false,
            format!(
                "{} of {} elements of C are wrong: C[{row}][{column}] is {is:.4}, it should be \
                 {should:.4}.",
                grouped(wrong.elements),
                grouped(wrong.of)
            ),
        ),
    })
}

/// What a block has cost after passing `barriers` barriers, and how often it used what it fetched,
/// if it computes with FMAs: `reuse` is the number of operands multiplied for each word.
pub fn cost(totals: &Counters, barriers: u32, reuse: Option<f64>) -> Vec<String> {
    let (global, shared) = (&totals.ptx.global, &totals.sass().shared);
    let sectors = global.loads.sectors + global.stores.sectors;
    let passes = shared.loads.wavefronts + shared.stores.wavefronts;
    let mut cost = vec![format!("{} requested from L1", Count(sectors, "sector"))];
    if passes > 0 {
        cost.push(format!("{} over shared memory", Count(passes, "pass")));
    }
    if barriers > 0 {
        cost.push(Count(barriers.into(), "barrier").to_string());
    }
    let used = reuse.filter(|times| *times > 0.0);
    let used = used
        .map(|times| format!("Each word that it fetched was used {times:.1} times on average."));
    let cost = format!("This block, simulated: {}.", cost.join(", "));
    std::iter::once(cost).chain(used).collect()
}
