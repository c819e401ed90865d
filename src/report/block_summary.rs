//! The summary of a block's run: how it ended, whether its part of C is right, what it cost.

use super::found::{FindingInRun, FindingOutcome, RESULT};
use super::number::{Count, Range, grouped};
use crate::analysis::Counters;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::judge::{Mismatch, Wrong};
use crate::trace::End;

/// The block and how its run ended, as a title.
pub fn title(problem: &Problem, block: Dim3, end: Option<&End>, steps: usize) -> String {
    let subject = format!("Block ({}) of {}", block.place_in(problem.launch.grid), problem.label());
    match end {
        Some(End::Fault(_)) => format!("{subject} has stopped"),
        Some(End::Cut) => format!("{subject}, recorded up to step {}", grouped(steps as u64)),
        Some(End::Waits) => format!("{subject} waits for another block"),
        Some(End::Done) | None => format!("{subject} is done"),
    }
}

/// Whether a run came out well, and the sentence that says so; `None` if it is not known. With
/// findings it never did: then C is right by luck.
pub fn verdict(
    (problem, block): (&Problem, Dim3),
    end: Option<&End>,
    judged: Option<Wrong>,
    found: &[FindingInRun],
) -> Option<(bool, String)> {
    if let Some(End::Fault(fault)) = end {
        return Some((false, format!("Stopped: {fault}.")));
    }
    if let Some((result, others)) = found.split_last().filter(|(last, _)| last.kind == RESULT) {
        let count = Count(others.len() as u64, "finding");
        let also = if others.is_empty() { String::new() } else { format!("{count}. ") };
        return Some((false, format!("{also}{}. {}", result.message, result.advice)));
    }
    let own = found.iter().filter(|found| found.elsewhere.is_none());
    let count = Count(own.clone().count() as u64, "finding");
    let lucky = own.clone().all(|found| found.outcome == FindingOutcome::Lucky);
    let others = Count((found.len() - own.clone().count()) as u64, "finding");
    match (own.count() == 0, of_c(problem, block, judged)) {
        (true, Some(Ok(c))) if !found.is_empty() => {
            Some((false, format!("{c} is right; but {others} in other blocks.")))
        }
        (true, None) if !found.is_empty() => Some((false, format!("{others} in other blocks."))),
        (true, Some(Ok(c))) => Some((true, format!("{c} is right, compared with float64."))),
        (true, Some(Err(wrong))) => Some((false, wrong)),
        (true, None) => None,
        (false, Some(Ok(c))) if lucky => Some((
            false,
            format!("{count}: {c} is right only by luck, in this order of the warps."),
        )),
        (false, Some(Ok(c))) => {
            Some((false, format!("{count}, although {c} is right in this order of the warps.")))
        }
        (false, Some(Err(wrong))) => Some((false, format!("{count}: {wrong}"))),
        (false, None) => Some((false, format!("{count}."))),
    }
}

/// The block's part of C if it is right, otherwise a sentence that says what is wrong; `None` if it
/// is not known.
fn of_c(problem: &Problem, block: Dim3, judged: Option<Wrong>) -> Option<Result<String, String>> {
    let wrong = judged?;
    let Some((rows, columns)) = problem.part(block) else {
        let right = wrong.first.is_none() && wrong.of > 0;
        return right.then(|| Ok("What it stored of C".to_owned()));
    };
    let [rows, columns] =
        [rows, columns].map(|span| Range(span.start.into(), (span.end.max(1) - 1).into()));
    let Some(Mismatch { row, column, is, should, .. }) = wrong.first else {
        return Some(Ok(format!("C[{rows}][{columns}]")));
    };
    let (wrong, all) = (grouped(wrong.elements), grouped(wrong.of));
    Some(Err(format!(
        "{wrong} of {all} elements of C are wrong: C[{row}][{column}] is {is:.4}, it should be \
         {should:.4}."
    )))
}

/// One thing that a block took: how many, and what.
pub type BlockCount = (u64, String);

/// What a block took, as far as it has run: sectors, passes over the banks, barriers, multiply-adds and
/// instructions. `reuse` is how often it used a word that it fetched, and `elements` the number of
/// elements of C that it computes, if these are known.
pub fn took(
    totals: &Counters,
    barriers: u32,
    (reuse, elements): (Option<f64>, Option<u64>),
    (steps, warps): (usize, usize),
) -> Vec<BlockCount> {
    let (global, sass) = (&totals.ptx.global, totals.sass());
    let passes = sass.shared.all();
    let used = reuse.filter(|times| *times > 0.0).map(|times| match times {
        times if times < 0.95 => format!(", {:.1} fetched for each that is used", 1.0 / times),
        times if (times - times.round()).abs() < 0.05 => format!(", each used {times:.0} times"),
        times => format!(", each used {times:.1} times on average"),
    });
    let conflicts = match passes.conflicts {
        0 => "none of them for a conflict".to_owned(),
        conflicts => format!("{} of them for conflicts", grouped(conflicts)),
    };
    let adds = sass.multiply_adds();
    let each = elements.filter(|elements| *elements > 0 && adds.is_multiple_of(*elements));
    let each = each.map(|elements| format!(", {} for each element", grouped(adds / elements)));
    let sectors = format!("sectors fetched, 8 words each{}", used.unwrap_or_default());
    let by = Count(warps as u64, "warp");
    let took = [
        (global.loads.sectors, sectors),
        (passes.wavefronts, format!("passes over the 32 banks, {conflicts}")),
        (barriers.into(), "barriers, each passed by all warps together".to_owned()),
        (adds, format!("FMAs{}", each.unwrap_or_default())),
        (steps as u64, format!("instructions of {by}, the steps of this run")),
    ];
    took.into_iter().filter(|(count, _)| *count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;
    use crate::matrix::Size;

    #[test]
    fn a_run_that_is_only_partly_recorded_is_not_done() {
        let problem = find("tiled").expect("a kernel").problem_for(Size::square(64));
        let of = |end: &End| title(&problem, Dim3::at(1, 0), Some(end), 8_388_608);
        assert_eq!(of(&End::Cut), "Block (1,0) of tiled 16x16, recorded up to step 8,388,608");
        assert_eq!(of(&End::Done), "Block (1,0) of tiled 16x16 is done");
    }

    #[test]
    fn a_block_says_what_it_took() {
        let mut totals = Counters::default();
        totals.ptx.global.loads.sectors = 256;
        totals.ptx.thread_fma = 256 * 64;
        let took = took(&totals, 8, (Some(16.0), Some(256)), (2296, 8));
        let lines: Vec<_> = took.iter().map(|(count, words)| format!("{count} {words}")).collect();
        assert_eq!(
            lines,
            [
                "256 sectors fetched, 8 words each, each used 16 times",
                "8 barriers, each passed by all warps together",
                "16384 FMAs, 64 for each element",
                "2296 instructions of 8 warps, the steps of this run",
            ]
        );
    }
}
