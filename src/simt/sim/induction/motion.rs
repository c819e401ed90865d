//! How a value changes from round to round.

use crate::sim::mask::LaneMask;
use crate::sim::program::{Reg, RegFile};
use std::collections::HashMap;

/// How a register changes in a lane from round to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Motion {
    /// It keeps its value.
    Stays,
    /// By the same amount, modulo two to the power of the register's width. `head`: it is the value
    /// that this register has when the round begins.
    By { step: u64, head: Option<Reg> },
    /// The float in the register at the start of the round, plus a constant addend.
    Plus { head: Reg, addend: u64 },
    /// Anything else.
    Unknown,
}

/// The motions of a warp's registers; those not listed stay.
#[derive(Clone, Debug, Default)]
pub(super) struct Motions(HashMap<Reg, [Motion; 32]>);

impl Motion {
    /// The motion of a register that the round has changed by `step`.
    pub(super) fn from_head(row: Reg, step: u64) -> Self {
        match row.file {
            _ if step == 0 => Self::Stays,
            RegFile::Pred => Self::Unknown,
            RegFile::Word | RegFile::Double => {
                Self::By { step: in_width(row, step), head: Some(row) }
            }
        }
    }

    pub(super) fn stays(self) -> bool {
        self == Self::Stays
    }

    /// The motion of a value that changes by `step`.
    pub(super) fn moving(step: u64) -> Self {
        if step == 0 { Self::Stays } else { Self::By { step, head: None } }
    }

    /// The step, if it is constant; 0 if the value stays.
    pub(super) fn step(self) -> Option<u64> {
        match self {
            Self::Stays => Some(0),
            Self::By { step, .. } => Some(step),
            Self::Plus { .. } | Self::Unknown => None,
        }
    }

    /// The motion in the register to which the value is written, in its width.
    pub(super) fn in_register(self, row: Reg) -> Self {
        match self {
            Self::By { step, head } => match in_width(row, step) {
                0 => Self::Stays,
                step => Self::By { step, head },
            },
            Self::Stays | Self::Plus { .. } | Self::Unknown => self,
        }
    }
}

fn in_width(row: Reg, step: u64) -> u64 {
    if row.file == RegFile::Double { step } else { step & u64::from(u32::MAX) }
}

impl Motions {
    pub(super) fn motion(&self, row: Reg, lane: usize) -> Motion {
        self.0.get(&row).map_or(Motion::Stays, |lanes| lanes[lane])
    }

    /// Whether the round writes a register.
    pub(super) fn knows(&self, row: Reg) -> bool {
        self.0.contains_key(&row)
    }

    pub(super) fn set(&mut self, row: Reg, motion: impl Fn(usize) -> Motion) {
        self.0.insert(row, std::array::from_fn(motion));
    }

    pub(super) fn set_all(&mut self, row: Reg, motion: Motion) {
        self.set(row, |_| motion);
    }

    pub(super) fn set_lane(&mut self, row: Reg, lane: usize, motion: Motion) {
        self.0.entry(row).or_insert([Motion::Stays; 32])[lane] = motion;
    }

    /// Requires that a register stays in these lanes.
    pub(super) fn stays(&self, row: Reg, lanes: LaneMask) -> Option<()> {
        lanes.lanes().all(|lane| self.motion(row, lane).stays()).then_some(())
    }

    /// Requires that a register ends the round with the motion with which it began, or as its old value
    /// plus an addend; returns the addends of its lanes.
    pub(super) fn closes(&self, begun: &Self, row: Reg, even: &[Reg]) -> Option<[Option<u64>; 32]> {
        let mut addends = [None; 32];
        for (lane, addend) in addends.iter_mut().enumerate() {
            match (begun.motion(row, lane), self.motion(row, lane)) {
                (Motion::Stays, Motion::Stays) => {}
                (Motion::By { step, .. }, Motion::By { step: after, .. }) if step == after => {}
                (Motion::By { .. }, Motion::Plus { head, addend: by })
                    if head == row && !even.contains(&row) =>
                {
                    *addend = Some(by);
                }
                _ => return None,
            }
        }
        Some(addends)
    }
}
