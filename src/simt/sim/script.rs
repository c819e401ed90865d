//! A schedule written down: which warp runs, and how far.

use crate::launch::{MAX_THREADS_PER_BLOCK, WARP_SIZE};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Warps that a block can have.
const WARPS: u32 = MAX_THREADS_PER_BLOCK / WARP_SIZE;

/// Who runs, and how far.
///
/// A piece ends early where its warp comes to a barrier or to its end, and is passed over if its
/// warp cannot run; so what is left of a script when pieces are taken away is a script again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The warp's number in the block.
    pub warp: u8,
    /// Instructions that it has executed by then since the block began; none: until it comes to a
    /// barrier or to its end.
    pub until: Option<u32>,
}

/// The pieces of a schedule, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script(Arc<[Piece]>);

impl Script {
    /// Of these pieces.
    pub fn new(pieces: &[Piece]) -> Self {
        Self(pieces.into())
    }

    /// One after the other.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }
}

impl fmt::Display for Script {
    /// `0@40,1,0@52`: warp 0 for 40 instructions, warp 1 to its barrier, warp 0 up to its 52nd.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Piece { warp, until }) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(out, "{comma}{warp}")?;
            until.map_or(Ok(()), |until| write!(out, "@{until}"))?;
        }
        Ok(())
    }
}

/// No script, and why.
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

fn piece(text: &str) -> Option<Piece> {
    let (warp, until) = match text.split_once('@') {
        Some((warp, until)) => (warp, Some(until.parse().ok()?)),
        None => (text, None),
    };
    let warp = warp.parse().ok().filter(|warp| u32::from(*warp) < WARPS)?;
    Some(Piece { warp, until })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_reads_as_it_is_written() {
        let text = "0@40,1,31@52";
        let script: Script = text.parse().expect("a script");
        assert_eq!(script.to_string(), text);
        assert_eq!(script.pieces()[1], Piece { warp: 1, until: None });
        for wrong in ["", "32", "0@", "@3", "0@4,", "a", "0@-1"] {
            assert!(wrong.parse::<Script>().is_err(), "{wrong}");
        }
    }
}
