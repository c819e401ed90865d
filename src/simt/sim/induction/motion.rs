//! How a value moves from round to round.

use crate::sim::mask::LaneMask;
use crate::sim::program::{File, Reg};
use std::collections::HashMap;

/// How a lane's value of a register moves from round to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Motion {
    /// Not at all.
    Stays,
    /// By the same amount, modulo two to the power of the register's width. `head`: it is the value
    /// that this register has when the round begins.
    By { step: u64, head: Option<Reg> },
    /// It is the float that the register has when the round begins, plus an addend that stays.
    Plus { head: Reg, addend: u64 },
    /// Somehow.
    Unknown,
}

/// The motions of a warp's registers; those that are not listed stay.
#[derive(Clone, Debug, Default)]
pub(super) struct Motions(HashMap<Reg, [Motion; 32]>);

impl Motion {
    /// That of a register which the round has moved by so much.
    pub(super) fn from_head(row: Reg, step: u64) -> Self {
        match row.file {
            _ if step == 0 => Self::Stays,
            File::Pred => Self::Unknown,
            File::Word | File::Double => Self::By { step: in_width(row, step), head: Some(row) },
        }
    }

    pub(super) fn stays(self) -> bool {
        self == Self::Stays
    }

    /// That of a value that moves by so much.
    pub(super) fn moving(step: u64) -> Self {
        if step == 0 { Self::Stays } else { Self::By { step, head: None } }
    }

    /// The step, if it moves evenly or stays.
    pub(super) fn step(self) -> Option<u64> {
        match self {
            Self::Stays => Some(0),
            Self::By { step, .. } => Some(step),
            Self::Plus { .. } | Self::Unknown => None,
        }
    }

    /// The same in the width of the register to which it is written.
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
    if row.file == File::Double { step } else { step & u64::from(u32::MAX) }
}

impl Motions {
    pub(super) fn of(&self, row: Reg, lane: usize) -> Motion {
        self.0.get(&row).map_or(Motion::Stays, |lanes| lanes[lane])
    }

    /// Whether something is said of a register: the round writes it.
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
        lanes.lanes().all(|lane| self.of(row, lane).stays()).then_some(())
    }

    /// Requires that a register ends the round with the motion with which it began it, or as the sum
    /// of what it was and an addend; returns the addends of its lanes.
    pub(super) fn closes(&self, begun: &Self, row: Reg, even: &[Reg]) -> Option<[Option<u64>; 32]> {
        let mut addends = [None; 32];
        for (lane, addend) in addends.iter_mut().enumerate() {
            match (begun.of(row, lane), self.of(row, lane)) {
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
