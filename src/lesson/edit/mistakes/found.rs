//! The errors of a run that the checks find: faults, races, errors at barriers, values not written.

use crate::analysis::check::{Finding, FindingKind};
use crate::launch::Dim3;
use crate::lesson::edit::mistake::{Mistake, MistakeKind, RunLocation};
use crate::lesson::edit::run::{JudgedStage, sides};
use crate::lesson::edit::version::SizedKernel;
use crate::report::finding::Names;
use crate::report::found::FindingInRun;
use crate::sim::Order;
use crate::study::findings::BlockRun;

/// Blocks in whose runs the steps of findings are looked for.
const BLOCKS: usize = 3;

/// A mistake for each finding of a grid.
pub(super) fn mistakes(run: &JudgedStage<'_>, order: &Order) -> Vec<Mistake> {
    let Some(memory) = &run.run.simulated.memory else { return Vec::new() };
    let SizedKernel { problem, program, .. } = run.stage;
    let names = Names { problem, program, memory };
    let mut blocks = BlockRuns { stage: run.stage, order, looked: Vec::new() };
    let mistake = |finding: &Finding| {
        let row = names.row(finding);
        let shows = blocks.shows(finding.block, row.kind, &row.message);
        let fault = matches!(finding.kind, FindingKind::Fault(_) | FindingKind::NoEnd(_));
        let (message, advice) = match &shows {
            Some(found) => (found.message.clone(), found.advice.clone()),
            None => (row.message.clone(), row.advised()),
        };
        let place = shows.as_ref().and_then(|found| found.shows.first()).map(|shows| RunLocation {
            stage: run.at,
            block: finding.block,
            step: shows.step,
            warp: shows.warp,
            element: None,
        });
        // The size that is shown needs no mention.
        let at = if run.at == 0 { String::new() } else { format!(" at {}", sides(problem.size)) };
        Mistake {
            kind: if fault { MistakeKind::Fault } else { MistakeKind::Unsound },
            what: format!("{}{at}: {message}.", row.kind),
            why: advice,
            line: finding.sides.iter().find_map(|side| side.line),
            place,
            stage: run.at,
        }
    };
    // Of races on one word, that between warps is the one to mend.
    let mut findings: Vec<_> = run.run.findings().iter().collect();
    findings.sort_by_key(|finding| finding.is_within_a_warp());
    findings.into_iter().map(mistake).collect()
}

/// The runs of some blocks, with their findings.
struct BlockRuns<'a> {
    stage: &'a SizedKernel,
    order: &'a Order,
    looked: Vec<(Dim3, Vec<FindingInRun>)>,
}

impl BlockRuns<'_> {
    /// The finding of a block's own run that has this message or, in another order of the warps,
    /// is of this kind.
    fn shows(&mut self, block: Dim3, kind: &str, message: &str) -> Option<FindingInRun> {
        let known = self.looked.iter().position(|(other, _)| *other == block);
        if known.is_none() && self.looked.len() == BLOCKS {
            return None;
        }
        let at = known.unwrap_or_else(|| {
            self.looked.push((block, self.look(block)));
            self.looked.len() - 1
        });
        let found = &mut self.looked[at].1;
        let same = found.iter().position(|found| found.message == message);
        let alike = || found.iter().position(|found| found.kind == kind);
        let index = same.or_else(alike)?;
        // Another finding of this kind is another one of the run.
        Some(found.remove(index))
    }

    fn look(&self, block: Dim3) -> Vec<FindingInRun> {
        let SizedKernel { problem, program, .. } = self.stage.clone();
        let run = BlockRun { problem, program, block, order: self.order.clone() };
        FindingInRun::all(&run, &run.look())
    }
}
