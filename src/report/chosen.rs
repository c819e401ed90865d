//! That a finding may come from the launch, where matviz chose a part of it that nobody stated.

use super::cause::{Explanation, listed};
use super::finding::Names;
use super::number::sides;
use crate::analysis::check::{Finding, FindingKind, Participant};
use crate::kernel::{Chosen, Problem};

impl Names<'_> {
    /// The sentence for a finding; `None` if nothing that it may come from was chosen.
    pub(super) fn caution(&self, finding: &Finding) -> Option<String> {
        let is_cause = |chosen: &&Chosen| self.may_cause(chosen, finding);
        caution(self.problem.assumed.choices().filter(is_cause))
    }

    /// Whether a finding may be gone with another choice.
    fn may_cause(&self, chosen: &Chosen, finding: &Finding) -> bool {
        // What is read before it is set is so in any launch.
        if finding.kind == FindingKind::UnsetRegister {
            return false;
        }
        let in_shared = |side: &Participant| self.program.inst(side.pc).touches() == Some(true);
        let is_fault = matches!(finding.kind, FindingKind::Fault(_));
        let leaves_buffers = is_fault && !finding.sides.iter().any(in_shared);
        let waits = matches!(finding.kind, FindingKind::NoEnd(_));
        let between_blocks = finding.sides.iter().any(|side| side.block != finding.block);
        match chosen {
            Chosen::Block(_) | Chosen::Sizes(_) => true,
            Chosen::Grid(_) => leaves_buffers || waits || between_blocks,
            // Indices come from buffers, and conditions.
            Chosen::Contents(_) | Chosen::Parameters(_) => leaves_buffers || waits,
        }
    }
}

/// The sentence for a wrong C; `None` if nothing was chosen, or if it is known why C is wrong.
pub(super) fn of_result(problem: &Problem, explained: Option<&Explanation>) -> Option<String> {
    let is_known = explained.is_some_and(|explained| explained.cause.is_some());
    caution(problem.assumed.choices().filter(|_| !is_known))
}

/// That these choices may be the cause, and how to state what the program launches.
fn caution<'c>(chosen: impl Iterator<Item = &'c Chosen>) -> Option<String> {
    let chosen: Vec<_> = chosen.collect();
    let mut options: Vec<_> = chosen.iter().map(|one| one.option()).collect();
    options.dedup();
    // The host's code may state these, and is not asked.
    let is_unread = |one: &&Chosen| matches!(one, Chosen::Sizes(_) | Chosen::Contents(_));
    let is_asked = !chosen.iter().all(is_unread);
    let shown: Vec<_> = chosen.into_iter().map(shown).collect();
    let which = if shown.len() == 1 { "it" } else { "them" };
    let (what, options) = (listed(&shown), listed(&options));
    let why = if is_asked {
        format!("nobody states {what}, so matviz chose {which}")
    } else {
        format!("matviz chose {what}, and did not read {which} in the host's code")
    };
    (!shown.is_empty()).then(|| {
        format!(
            "This may come from the launch and not from the kernel: {why}; state {which} with {options}."
        )
    })
}

/// What was chosen, in words.
fn shown(chosen: &Chosen) -> String {
    match chosen {
        Chosen::Block(block) => format!("the block ({} threads)", sides(*block)),
        Chosen::Grid(grid) => format!("the grid ({} blocks)", sides(*grid)),
        Chosen::Parameters(words) => format!("what the parameters are ({words})"),
        Chosen::Sizes(numbers) => format!("the size that the host passes ({})", listed(numbers)),
        Chosen::Contents(names) => format!("what {} before the launch", holds(names)),
    }
}

fn holds(names: &[String]) -> String {
    match names {
        [name] => format!("{name} holds"),
        names => format!("{} hold", listed(names)),
    }
}
