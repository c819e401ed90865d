//! Messages for a block that does not end.

use super::names::Names;
use super::words::Words;
use crate::analysis::check::{Compared, Finding, Loop, Participant};
use std::fmt::Write;

pub(super) fn no_end(names: &Names<'_>, finding: &Finding, found: &Loop) -> Words {
    let advice = if found.reads_global {
        "If it waits for another block: here blocks come one after the other, each to its end, so \
         none can wait for a later one. Else see that what the loop's condition compares comes to \
         an end; --budget allows more instructions."
    } else {
        "See that what the loop's condition compares comes to an end; --budget allows more \
         instructions."
    };
    Words::new(rounds(names, found, &finding.sides), advice)
}

/// The lines of the loop, and the condition that keeps it going.
fn rounds(names: &Names<'_>, found: &Loop, sides: &[Participant]) -> String {
    let mut text = format!("no end after {} instructions of a block", found.budget);
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
