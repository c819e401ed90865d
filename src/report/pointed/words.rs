//! The words of the line about a point: clauses in three wordings, lanes, values.

use crate::sim::LaneMask;

/// A part of a line, in a long, a shorter and a short wording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause(pub(super) [String; 3]);

impl Clause {
    /// The same in every wording.
    pub(super) fn of(text: impl Into<String>) -> Self {
        let text = text.into();
        Self([text.clone(), text.clone(), text])
    }

    /// A long wording, and a short one for less room.
    pub(super) fn or(long: impl Into<String>, short: impl Into<String>) -> Self {
        let short = short.into();
        Self([long.into(), short.clone(), short])
    }

    /// Something said only if there is much room.
    pub(super) fn spare(text: impl Into<String>) -> Self {
        Self([text.into(), String::new(), String::new()])
    }

    /// Something left out only if there is little room.
    pub(super) fn useful(text: impl Into<String>) -> Self {
        let text = text.into();
        Self([text.clone(), text, String::new()])
    }
}

/// `7` for a whole number, `0.712` for any other.
pub(super) fn value(value: f64) -> String {
    // Of -0, only the 0.
    let value = value + 0.0;
    if value.fract() == 0.0 && value.abs() < 1e12 {
        format!("{value:.0}")
    } else {
        format!("{value:.3}")
    }
}

/// `w3 l17`, `w3 l0-15`, or `16 lanes of w3` if they are not consecutive.
pub(super) fn lanes(warp: usize, lanes: LaneMask) -> String {
    let mut numbers = lanes.lanes();
    let (first, last) = (numbers.next(), numbers.last());
    match (first, last) {
        (Some(only), None) => format!("w{warp} l{only}"),
        (Some(first), Some(last)) if last - first + 1 == lanes.count() as usize => {
            format!("w{warp} l{first}-{last}")
        }
        _ => format!("{} lanes of w{warp}", lanes.count()),
    }
}

/// `w3`, `w0-2`, `w2, w4`, or their number.
pub(super) fn warps(warps: &[usize]) -> String {
    match warps {
        [] => "nobody".to_owned(),
        [only] => format!("w{only}"),
        [first, .., last] if last - first + 1 == warps.len() => format!("w{first}-{last}"),
        [one, other] => format!("w{one}, w{other}"),
        _ => format!("{} warps", warps.len()),
    }
}

/// The lanes of one warp, or the number of lanes of several.
pub(super) fn all_lanes(all: &[(usize, LaneMask)]) -> String {
    if let [(warp, of_it)] = all {
        lanes(*warp, *of_it)
    } else {
        let count: u32 = all.iter().map(|(_, lanes)| lanes.count()).sum();
        format!("{count} lanes of {} warps", all.len())
    }
}
