//! How much of something is done at most: `--limit instructions=1000`.

use super::BadUse;

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limited {
    /// Instructions of a block.
    Instructions,
    /// Random orders of the warps.
    Orders,
    /// Seconds without an answer of the GPU.
    Seconds,
}

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LimitArg {
    what: Limited,
    most: u64,
}

impl Limited {
    const ALL: [Self; 3] = [Self::Instructions, Self::Orders, Self::Seconds];

    const fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Orders => "orders",
            Self::Seconds => "seconds",
        }
    }

    /// The limit among those given, or the usual one.
    pub(super) fn of(self, given: &[LimitArg], usual: u64) -> u64 {
        let last = given.iter().rev().find(|limit| limit.what == self);
        last.map_or(usual, |limit| limit.most)
    }
}

/// Reads `NAME=N`.
///
/// # Errors
/// No such name, or no number that makes sense for it.
pub(super) fn limit(text: &str) -> Result<LimitArg, BadUse> {
    let (name, most) = text.split_once('=').unwrap_or((text, ""));
    let what = Limited::ALL.into_iter().find(|what| what.name() == name);
    let none = || BadUse("give instructions=N, orders=N or seconds=N".to_owned());
    let (what, most): (_, u64) = (what.ok_or_else(none)?, most.parse().ok().ok_or_else(none)?);
    if what == Limited::Seconds && !(1..=86_400).contains(&most) {
        return Err(BadUse("give 1 to 86400 seconds".to_owned()));
    }
    Ok(LimitArg { what, most })
}

/// Refuses what a command has none of.
///
/// # Errors
/// It is given.
pub(super) fn refuse(given: &[LimitArg], known: &[Limited]) -> Result<(), BadUse> {
    let Some(other) = given.iter().find(|limit| !known.contains(&limit.what)) else {
        return Ok(());
    };
    let known: Vec<_> = known.iter().map(|what| format!("{}=N", what.name())).collect();
    let told = format!("--limit {}: here it is {}", other.what.name(), known.join(" or "));
    Err(BadUse(told))
}
