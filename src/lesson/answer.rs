//! What a query returns: a value, where it is from, and where on the picture it is seen.

use super::target::{Target, View};
use std::collections::BTreeSet;
use std::fmt;

/// An answer with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub value: Value,
    /// Where that is from.
    pub origin: AnsweredFrom,
    /// The steps done when the evidence is seen, in the run of the setting that was asked; `None` if
    /// no moment shows it, as for a sum over the grid.
    pub step: Option<usize>,
    pub warp: Option<u32>,
    pub view: Option<View>,
    /// What is lit there: the lanes, words or elements that the value counts.
    pub marks: Vec<Target>,
}

/// A value of the query language.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A count, a ratio or a time.
    Number(f64),
    /// Whether something holds.
    Truth(bool),
    /// A kernel, or another name.
    Name(String),
    /// Things on the picture, in any order.
    Things(BTreeSet<Target>),
}

/// Where a value is from. The words are those of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnsweredFrom {
    /// Counted by the simulator.
    Simulated,
    /// Measured on this machine's GPU, which is named.
    Measured(String),
    /// Measured earlier, on the GPU and at the date that are named.
    Recorded(String),
    /// Computed from counts and a GPU's published limits.
    Model,
}

impl Answer {
    /// A simulated value that no moment of the run shows.
    pub const fn simulated(value: Value) -> Self {
        let origin = AnsweredFrom::Simulated;
        Self { value, origin, step: None, warp: None, view: None, marks: Vec::new() }
    }
}

impl Value {
    /// The number, if it is one; a truth is 1 or 0.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Truth(truth) => Some(f64::from(u8::from(*truth))),
            Self::Name(_) | Self::Things(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.write_str(&grouped(*number)),
            Self::Truth(true) => f.write_str("yes"),
            Self::Truth(false) => f.write_str("no"),
            Self::Name(name) => f.write_str(name),
            Self::Things(things) => {
                let all: Vec<_> = things.iter().map(Target::to_string).collect();
                f.write_str(&all.join(", "))
            }
        }
    }
}

impl AnsweredFrom {
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Simulated => "simulated",
            Self::Measured(_) => "measured",
            Self::Recorded(_) => "recorded",
            Self::Model => "model",
        }
    }
}

impl fmt::Display for AnsweredFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Measured(what) | Self::Recorded(what) => write!(f, "{}, {what}", self.word()),
            Self::Simulated | Self::Model => f.write_str(self.word()),
        }
    }
}

/// A number with separators: a whole one with all its digits, another with three that count.
fn grouped(number: f64) -> String {
    let digits = if number.fract() == 0.0 {
        0
    } else {
        2 - number.abs().log10().floor().clamp(-6.0, 2.0) as i32
    };
    let text = format!("{:.*}", usize::try_from(digits).unwrap_or(0), number.abs());
    let whole = text.find('.').unwrap_or(text.len());
    let mut grouped = String::new();
    for (index, digit) in text.char_indices() {
        if (1..whole).contains(&index) && (whole - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if number < 0.0 { format!("-{grouped}") } else { grouped }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spelt_as_on_the_screen() {
        let all = [3584.0, 5.5523, 0.98, 64.0, 1_835_008.0, 26.25, 0.0625, -4.0, 52_342.7, -1234.5];
        let spelt = all.map(|number| Value::Number(number).to_string());
        let expected = "3,584 5.55 0.980 64 1,835,008 26.2 0.0625 -4 52,343 -1,234";
        assert_eq!(spelt.join(" "), expected);
    }
}
