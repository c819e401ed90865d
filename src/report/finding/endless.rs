//! Messages for a block that does not end.

use super::names::Names;
use super::words::FindingText;
use crate::analysis::check::{Compared, EndlessLoop, Finding, LoopEnd, Participant};
use crate::report::number::grouped;
use std::fmt::Write;

pub(super) fn no_end(names: &Names<'_>, finding: &Finding, found: &EndlessLoop) -> FindingText {
    let advice = match found.end {
        LoopEnd::Unknown => {
            "It may only take long: --limit instructions=N allows more (a twelfth of it where a \
             block stays in one loop and nothing shows when that ends). If it does not end then either, \
             see that what the loop's condition compares comes to an end."
        }
        LoopEnd::Evenly => {
            "Each round changes what the loop's condition compares by the same amount, and it never \
             comes out otherwise, also where a number wraps around or a sum no longer changes: compare \
             with < or >, count towards the end, and take a type that can pass it."
        }
        LoopEnd::AtLeast(_) => {
            "Each round changes what the loop's condition compares by the same amount: see that it is \
             changed towards the end of the loop. --limit instructions=N allows more."
        }
        LoopEnd::Never => {
            "All that decides how the block goes on is again as it was a round before. See that what \
             the loop's condition compares comes to an end."
        }
        LoopEnd::NobodyWrites => {
            "It waits until the global memory that it reads changes. All other blocks have run, or \
             wait as this one does, and none has changed it."
        }
        LoopEnd::LaterBlock => {
            "A block that ran afterwards has changed the global memory that it reads. Here blocks \
             come one after the other, each to its end, so none can wait for a later one; a GPU \
             promises more only to a cooperative launch. Without one, end the kernel where one block is \
             to wait for another, and launch what follows as a second one."
        }
        LoopEnd::OtherBlock(_) => {
            "It goes on only if another block changes the global memory that it reads. Here blocks \
             come one after the other, each to its end, so none can wait for a later one."
        }
    };
    FindingText::new(rounds(names, found, &finding.sides), advice)
}

/// The lines of the loop, and the condition that keeps it going.
fn rounds(names: &Names<'_>, found: &EndlessLoop, sides: &[Participant]) -> String {
    let mut text = match found.end {
        LoopEnd::Unknown => {
            format!("no end after {} instructions of a block", grouped(found.issued))
        }
        LoopEnd::AtLeast(more) => format!(
            "no end after {} instructions of a block, nor within the next {}",
            grouped(found.issued),
            grouped(more)
        ),
        LoopEnd::Never | LoopEnd::Evenly | LoopEnd::NobodyWrites => {
            "the block never ends".to_owned()
        }
        LoopEnd::LaterBlock => "the block waits for a later one".to_owned(),
        LoopEnd::OtherBlock(_) => "the block waits for another".to_owned(),
    };
    if let (Some((first, last)), [side, ..]) = (found.lines, sides) {
        let lines = if first == last {
            format!("line {first}")
        } else {
            format!("lines {first} to {last}")
        };
        let of = names.of_file(side);
        let _ = write!(text, ": warp {} goes round in {lines}{of}", side.warp);
    }
    if let Some(Compared { how, values: [a, b], changed }) = &found.compared {
        let still = match changed {
            [false, false] => "neither of which changes",
            [true, false] => "of which only the first changes",
            [false, true] => "of which only the second changes",
            [true, true] => "both of which change",
        };
        let _ = write!(text, " as long as {a} {how} {b}, {still}");
    }
    text
}
