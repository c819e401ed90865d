//! Lengths and numbers with which a kernel can be tried of which nobody says them.

use super::open::Opened;
use super::probe::leaves;
use crate::kernel::{LaunchSpec, filled_words};
use crate::matrix::Size;
use std::ops::RangeInclusive;

/// The lengths of buffers that are proposed, as powers of two, and what numbers are then.
const TRIED_COUNTS: RangeInclusive<u32> = 6..=22;
const TRIED_NUMBER: u64 = 64;

impl Opened<'_> {
    /// Words in which lengths and numbers are open, with the least lengths with which the blocks that are
    /// tried leave no buffer; `None` if nothing is open, or if none is found.
    pub(super) fn filled(&self, wanted: &LaunchSpec, words: &str, size: Size) -> Option<String> {
        let counts = TRIED_COUNTS.step_by(2).map(|bits| 1 << bits);
        counts.map_while(|count| filled_words(words, count, TRIED_NUMBER)).find(|words| {
            let spec = LaunchSpec { args: Some(words.clone()), ..wanted.clone() };
            let problem = spec.problem(&self.module, self.code.ptx.clone(), size);
            problem.is_ok_and(|problem| !leaves(&problem))
        })
    }
}
