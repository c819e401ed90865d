//! What is said of each kind of finding: one function for each, and the list of them.

use super::{Names, barrier, endless, lanes, memory, race, unfinished};
use crate::analysis::check::{Finding, Side, What};

/// What is said of a finding.
#[derive(Default)]
pub(super) struct Words {
    /// What happened, in a sentence.
    pub(super) message: String,
    /// What to do about it, in a sentence or two.
    pub(super) advice: String,
    /// What hardware makes of a barrier that is used so.
    pub(super) barrier: Option<Meanings>,
}

/// The two meanings of a barrier.
///
/// Since Volta: `__syncthreads()` and `bar.sync` "are enforced per thread and thus will not succeed
/// until reached by all non-exited threads in the block" (CUDA Programming Guide, "Compute
/// Capability 7.x"). Before: "if any thread in a warp executes a bar instruction, it is as if all
/// the threads in the warp have executed" it (PTX ISA 5.0, `bar`).
#[derive(Clone, Copy)]
pub(super) struct Meanings {
    pub(super) since_volta: &'static str,
    pub(super) before_volta: &'static str,
}

impl Words {
    pub(super) fn new(message: String, advice: impl Into<String>) -> Self {
        Self { message, advice: advice.into(), barrier: None }
    }

    /// The same with what hardware makes of it since Volta and before.
    pub(super) fn meaning(self, since_volta: &'static str, before_volta: &'static str) -> Self {
        Self { barrier: Some(Meanings { since_volta, before_volta }), ..self }
    }
}

/// What is said of a finding; nothing of one whose sides are missing.
pub(super) fn words(names: &Names<'_>, finding: &Finding) -> Words {
    let words = match &finding.what {
        What::Race => race::race(names, finding),
        What::InFlight => race::in_flight(names, finding),
        What::StillRead => unfinished::still_read(names, finding),
        What::Unseen => unfinished::unseen(names, finding),
        What::Busy => unfinished::busy(names, finding),
        What::Unordered => unfinished::unordered(names, finding),
        What::DifferentBarriers => barrier::different_barriers(names, finding),
        What::DifferentCounts(a, b) => barrier::different_counts(names, finding, [*a, *b]),
        What::FirstCome(threads) => barrier::first_come(names, finding, *threads),
        What::Ended { threads } => barrier::ended(names, finding, *threads),
        What::Deadlock(deadlock) => Some(barrier::deadlock(names, finding, deadlock)),
        What::Absent => barrier::absent(names, finding),
        What::Unwritten => memory::unwritten(names, finding),
        What::Fault(kind) => memory::fault(names, finding, kind),
        What::NoEnd(found) => Some(endless::no_end(names, finding, found)),
    };
    words.unwrap_or_default()
}

/// The two sides of a finding, and what they are called.
pub(super) struct Pair<'a> {
    pub(super) first: &'a Side,
    pub(super) second: &'a Side,
    pub(super) who: String,
    pub(super) other: String,
    /// Where the first one is.
    pub(super) here: String,
    /// Where the second one is.
    pub(super) there: String,
}

impl Names<'_> {
    /// The two sides; `None` means that there are not two.
    pub(super) fn pair<'a>(&self, finding: &'a Finding) -> Option<Pair<'a>> {
        let [first, second] = &finding.sides[..] else { return None };
        let [who, other] = [lanes(first), lanes(second)];
        let [here, there] = [self.line(first), self.line(second)];
        Some(Pair { first, second, who, other, here, there })
    }

    /// The place that a finding is about; nothing where it is about none.
    pub(super) fn element_of(&self, finding: &Finding) -> String {
        finding.place.map_or_else(String::new, |place| self.element(place, &finding.sides))
    }

    pub(super) fn stands(&self, side: &Side) -> String {
        format!("{} ({})", lanes(side), self.line(side))
    }
}
