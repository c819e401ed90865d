//! An explicit schedule: which warp runs, and for how long.

use crate::launch::{MAX_THREADS_PER_BLOCK, WARP_SIZE};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Maximum number of warps in a block.
const WARPS: u32 = MAX_THREADS_PER_BLOCK / WARP_SIZE;

/// A warp to run, and until when.
///
/// A piece ends early if its warp reaches a barrier or exits, and is skipped if its warp cannot
/// run. Removing pieces from a script therefore leaves a valid script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptPiece {
    /// The warp's number in the block.
    pub warp: u8,
    /// The number of instructions that the warp has executed since the start of the block when the
    /// piece ends; `None` means until the warp reaches a barrier or exits.
    pub until: Option<u32>,
}

/// A schedule: a sequence of pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script(Arc<[ScriptPiece]>);

impl Script {
    /// Creates a script of these pieces.
    pub fn new(pieces: &[ScriptPiece]) -> Self {
        Self(pieces.into())
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[ScriptPiece] {
        &self.0
    }
}

impl fmt::Display for Script {
    /// For example `0@40,1,0@52`: warp 0 for 40 instructions, warp 1 to its barrier, warp 0 up to
    /// its 52nd.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, ScriptPiece { warp, until }) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(out, "{comma}{warp}")?;
            until.map_or(Ok(()), |until| write!(out, "@{until}"))?;
        }
        Ok(())
    }
}

/// Returned for a text that is not a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a piece of a schedule: give WARP@STEPS (until the warp has executed STEPS \
     instructions) or WARP (to its next barrier), for example 0@40,1,0@52"
)]
pub struct ParseScriptError(String);

impl FromStr for Script {
    type Err = ParseScriptError;

    fn from_str(text: &str) -> Result<Self, ParseScriptError> {
        let piece = |text: &str| piece(text).ok_or_else(|| ParseScriptError(text.to_owned()));
        text.split(',').map(piece).collect::<Result<Arc<[_]>, _>>().map(Self)
    }
}

fn piece(text: &str) -> Option<ScriptPiece> {
    let (warp, until) = match text.split_once('@') {
        Some((warp, until)) => (warp, Some(until.parse().ok()?)),
        None => (text, None),
    };
    let warp = warp.parse().ok().filter(|warp| u32::from(*warp) < WARPS)?;
    Some(ScriptPiece { warp, until })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_reads_as_it_is_written() {
        let text = "0@40,1,31@52";
        let script: Script = text.parse().expect("a script");
        assert_eq!(script.to_string(), text);
        assert_eq!(script.pieces()[1], ScriptPiece { warp: 1, until: None });
        for wrong in ["", "32", "0@", "@3", "0@4,", "a", "0@-1"] {
            assert!(wrong.parse::<Script>().is_err(), "{wrong}");
        }
    }
}
