//! Playback: its speed, its step unit, and the number of steps that are due.

use crate::trace::cursor::StepSize;
use std::fmt;
use std::time::Duration;

/// The state of playback.
#[derive(Clone, Copy, Debug, Default)]
pub struct Playback {
    /// Whether the run plays.
    pub playing: bool,
    /// Whether the user has just come to the end of the run, by playing or at once: it is summed up.
    pub ended: bool,
    /// The seconds for which that has been shown; below 0, C is on its way there.
    pub since_end: f64,
    pub speed: Speed,
    pub unit: StepSize,
    /// How long each step is shown.
    pub pace: Pace,
    /// The fraction of a unit that is due.
    owed: f64,
}

/// How long each step is shown while the run plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pace {
    /// New events take as long as their captions to read; repetitions get faster.
    #[default]
    Meaning,
    /// Each for the same time.
    Even,
}

/// The playback speed: a power of two times the normal speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Speed(i8);

/// The shortest time between two frames.
pub const FRAME: Duration = Duration::from_millis(33);

impl Playback {
    /// Begins the end of the run anew.
    pub fn end(&mut self) {
        (self.playing, self.ended, self.since_end) = (false, true, 0.0);
    }

    /// Creates playback at normal speed, playing or paused.
    pub fn new(playing: bool, pace: Pace) -> Self {
        Self { playing, pace, ..Self::default() }
    }

    /// Returns the time until there is something new to show, or `None` while playback is paused.
    pub fn next_frame(&self) -> Option<Duration> {
        let unit = Duration::from_secs_f64(1.0 / self.speed.rate(self.unit));
        self.playing.then(|| unit.mul_f64(1.0 - self.owed.fract()).max(FRAME))
    }

    /// Returns the number of units that are due after `passed`, or `None` if none is.
    pub fn due(&mut self, passed: Duration) -> Option<u32> {
        if !self.playing {
            return None;
        }
        // After a long pause (a suspended program), playback continues where it was.
        let passed = passed.min(Duration::from_secs(2)).as_secs_f64();
        self.owed += passed * self.speed.rate(self.unit) + 1e-9;
        let due = self.owed.floor();
        self.owed -= due;
        (due >= 1.0).then_some(due as u32)
    }
}

impl Speed {
    /// Half the speed, down to 1/8.
    #[must_use]
    pub fn slower(self) -> Self {
        Self((self.0 - 1).max(-3))
    }

    /// Twice the speed, up to 64.
    #[must_use]
    pub fn faster(self) -> Self {
        Self((self.0 + 1).min(6))
    }

    /// The factor to the ordinary speed.
    pub fn factor(self) -> f64 {
        f64::from(self.0).exp2()
    }

    /// Units per second.
    fn rate(self, unit: StepSize) -> f64 {
        let ordinary = match unit {
            StepSize::Instruction => 8.0,
            StepSize::Event | StepSize::Line => 4.0,
            StepSize::Barrier => 1.0,
            StepSize::Tile => 0.5,
        };
        ordinary * self.factor()
    }
}

impl Pace {
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Meaning => Self::Even,
            Self::Even => Self::Meaning,
        }
    }

    /// How the run plays.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Meaning => "by meaning",
            Self::Even => "evenly",
        }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 { write!(f, "1/{}x", 1 << -self.0) } else { write!(f, "{}x", 1 << self.0) }
    }
}

/// How the warp that the panels show is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WarpSelection {
    /// The warp that executed the last step.
    #[default]
    Issuing,
    /// The warp that the user has selected.
    Chosen,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_powers_of_two_with_ends() {
        let slowest = (0..20).fold(Speed::default(), |speed, _| speed.slower());
        let fastest = (0..20).fold(Speed::default(), |speed, _| speed.faster());
        assert_eq!(
            [slowest, Speed::default(), fastest].map(|s| s.to_string()),
            ["1/8x", "1x", "64x"]
        );
    }
}
