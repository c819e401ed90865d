//! The Measure screen's state: which picture, which kernel, at which size.

use super::action::Motion;
use crate::gpu::pack::Pack;
use crate::matrix::Size;
use crate::report::fastest;

/// A picture of what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// Every kernel a bar.
    Ladder,
    /// GFLOP/s over the size.
    Sweep,
    /// Every kernel a point under the roofs.
    Roofline,
    /// What a kernel's blocks take of a multiprocessor.
    Occupancy,
    /// A kernel beside the one before it.
    Why,
}

/// Where the user is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// The picture that is shown, where there is no room for all.
    pub picture: Picture,
    /// The selected rung.
    pub rung: usize,
    /// The size whose rungs are shown.
    pub size: Size,
}

impl Picture {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Ladder, Self::Sweep, Self::Roofline, Self::Occupancy, Self::Why];

    /// What stands in its frame.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Ladder => "The ladder",
            Self::Sweep => "Sizes",
            Self::Roofline => "Roofline",
            Self::Occupancy => "Occupancy",
            Self::Why => "Why",
        }
    }

    fn by(self, step: isize) -> Self {
        let at = Self::ALL.iter().position(|picture| *picture == self).unwrap_or(0) as isize;
        Self::ALL[(at + step).rem_euclid(Self::ALL.len() as isize) as usize]
    }
}

impl Board {
    /// The rungs at the measured size that is nearest to `size`, `kernel` selected.
    pub fn new(pack: &Pack, size: Size, kernel: &str) -> Self {
        let distance = |other: &Size| (other.flops() / size.flops()).ln().abs();
        let sizes = fastest::sizes(&pack.rows).into_iter();
        let size = sizes.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(size);
        let rungs = fastest::rungs(&pack.rows, size);
        let rung = rungs.iter().position(|rung| rung.row.kernel == kernel).unwrap_or(0);
        Self { picture: Picture::Ladder, rung, size }
    }

    /// Where a motion leads; none if it closes the screen.
    pub fn moved(self, pack: &Pack, motion: Motion) -> Option<Self> {
        let last = fastest::rungs(&pack.rows, self.size).len().saturating_sub(1);
        Some(match motion {
            Motion::Down => Self { rung: (self.rung + 1).min(last), ..self },
            Motion::Up => Self { rung: self.rung.saturating_sub(1), ..self },
            Motion::First => Self { rung: 0, ..self },
            Motion::Last => Self { rung: last, ..self },
            Motion::Right => Self { picture: self.picture.by(1), ..self },
            Motion::Left => Self { picture: self.picture.by(-1), ..self },
            Motion::PageDown => self.resized(pack, 1),
            Motion::PageUp => self.resized(pack, -1),
            Motion::Close | Motion::Accept => return None,
            Motion::Type(_) | Motion::Erase | Motion::Lesson => self,
        })
    }

    /// The same kernel at the next size, or the last; by its name, for not every kernel was measured
    /// at every size.
    fn resized(self, pack: &Pack, by: isize) -> Self {
        let sizes = fastest::sizes(&pack.rows);
        let at = sizes.iter().position(|size| *size == self.size).unwrap_or(0);
        let size = sizes.get(at.saturating_add_signed(by)).copied().unwrap_or(self.size);
        let kernel = |size| fastest::rungs(&pack.rows, size);
        let name = kernel(self.size).get(self.rung).map(|rung| rung.row.kernel.clone());
        let rung = kernel(size).iter().position(|rung| Some(&rung.row.kernel) == name.as_ref());
        Self { size, rung: rung.unwrap_or(0), ..self }
    }
}
