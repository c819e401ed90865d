//! What a learner can point at on the picture, and how it is typed.

use crate::matrix::Element;
use crate::study::stage::StagePart;
use std::fmt;

/// Something on the picture.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// An element of A, B or C: `C[35][37]`.
    Element(Element),
    /// A thread of the block: `thread 5,3`.
    Thread { x: u32, y: u32 },
    /// A warp of the block: `warp 3`.
    Warp(u32),
    /// A lane of the warp that is shown: `lane 21`.
    Lane(u32),
    /// A bank of shared memory: `bank 0`.
    Bank(u32),
    /// A word of a shared array, counted from the array's first: `sA[17]`.
    Word {
        /// The array's name in the source.
        array: String,
        /// The word's index in it.
        index: u32,
    },
    /// A sector that the warp's request fetches, counted from 0 by address: `sector 2`.
    Sector(u32),
    /// A line of the source, from 1: `line 34`.
    Line(u32),
    /// A panel of the screen: `panel 3`.
    Panel(View),
}

/// A view of the run or of the measurements: what a lesson looks at. Its name is that of the
/// screen's command that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum View {
    /// Panel 1: A, B and C.
    Matrices,
    /// Panel 2: shared memory.
    Shared,
    /// Panel 3: the warps and their lanes.
    Warps,
    /// Panel 4: the source.
    Source,
    /// Panel 5: the warp's global access, on sectors.
    Lines,
    /// Panel 6: the warp's shared access, on 32 banks.
    Banks,
    /// Panel 7: the timeline.
    Timeline,
    /// Panel 8: the measured times.
    Measured,
    /// Panel 9: two kernels side by side.
    Compare,
    /// The followed value.
    Value,
}

impl View {
    /// Every view, in the order of the panels' numbers.
    pub const ALL: [Self; 10] = [
        Self::Matrices,
        Self::Shared,
        Self::Warps,
        Self::Source,
        Self::Lines,
        Self::Banks,
        Self::Timeline,
        Self::Measured,
        Self::Compare,
        Self::Value,
    ];

    /// The name in a lesson's `look`, which is also that of the screen's command.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Matrices => "matrices",
            Self::Shared => "shared",
            Self::Warps => "warps",
            Self::Source => "source",
            Self::Lines => "lines",
            Self::Banks => "banks",
            Self::Timeline => "timeline",
            Self::Measured => "measured",
            Self::Compare => "compare",
            Self::Value => "value",
        }
    }

    /// The number of its panel, from 1, or `None` for the followed value.
    pub fn number(self) -> Option<u32> {
        (1..=9).zip(Self::ALL).find(|(_, view)| *view == self).map(|(number, _)| number)
    }

    /// The view of that name or panel number.
    pub fn find(name: &str) -> Option<Self> {
        let number = name.parse::<u32>().ok();
        Self::ALL
            .into_iter()
            .find(|view| view.name() == name || number.is_some() && view.number() == number)
    }
}

/// What a page shows of the stage: a part of it, or a panel that joins it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PagePlace {
    Part(StagePart),
    Panel(View),
}

impl PagePlace {
    /// The panels that can join, by what they are called there.
    const PANELS: [(&str, View); 4] = [
        ("sectors", View::Lines),
        ("banks", View::Banks),
        ("timeline", View::Timeline),
        ("source", View::Source),
    ];

    /// Every name in a lesson's `places`.
    pub fn names() -> Vec<&'static str> {
        let parts = StagePart::ALL.into_iter().map(StagePart::name);
        parts.chain(Self::PANELS.map(|(name, _)| name)).collect()
    }

    /// The place of that name.
    pub fn find(name: &str) -> Option<Self> {
        let part = StagePart::ALL.into_iter().find(|part| part.name() == name).map(Self::Part);
        let panel = Self::PANELS.iter().find(|(of, _)| *of == name);
        part.or(panel.map(|(_, view)| Self::Panel(*view)))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Element(Element { operand, row, column }) => {
                write!(f, "{}[{row}][{column}]", operand.name())
            }
            Self::Thread { x, y } => write!(f, "thread {x},{y}"),
            Self::Warp(warp) => write!(f, "warp {warp}"),
            Self::Lane(lane) => write!(f, "lane {lane}"),
            Self::Bank(bank) => write!(f, "bank {bank}"),
            Self::Word { array, index } => write!(f, "{array}[{index}]"),
            Self::Sector(sector) => write!(f, "sector {sector}"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Panel(view) => match view.number() {
                Some(number) => write!(f, "panel {number}"),
                None => f.write_str(view.name()),
            },
        }
    }
}
