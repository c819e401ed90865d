//! Playing: how fast, in which steps, and how many of them are due.

use crate::trace::cursor::Unit;
use std::fmt;
use std::time::Duration;

/// How the run plays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Playback {
    /// Whether it does.
    pub playing: bool,
    /// How fast.
    pub speed: Speed,
    /// How long a step is.
    pub unit: Unit,
    /// Units that are due, as a fraction.
    owed: f64,
}

/// How fast it plays: a power of two times the ordinary speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Speed(i8);

/// The least time between two frames.
pub const FRAME: Duration = Duration::from_millis(33);

impl Playback {
    /// At the ordinary speed, from the start or once it is told to.
    pub fn new(playing: bool) -> Self {
        Self { playing, ..Self::default() }
    }

    /// How long until there is something new to show; `None` while it does not play.
    pub fn next_frame(&self) -> Option<Duration> {
        let unit = Duration::from_secs_f64(1.0 / self.speed.rate(self.unit));
        self.playing.then(|| unit.mul_f64(1.0 - self.owed.fract()).max(FRAME))
    }

    /// The units that are due after so much time; `None` before the next one is.
    pub fn due(&mut self, passed: Duration) -> Option<u32> {
        if !self.playing {
            return None;
        }
        // After a long pause (a suspended program) it goes on where it was.
        let passed = passed.min(Duration::from_secs(2)).as_secs_f64();
        self.owed += passed * self.speed.rate(self.unit) + 1e-9;
        let due = self.owed.floor();
        self.owed -= due;
        (due >= 1.0).then_some(due as u32)
    }
}

impl Speed {
    /// Half of it, down to 1/8.
    #[must_use]
    pub fn slower(self) -> Self {
        Self((self.0 - 1).max(-3))
    }

    /// Twice of it, up to 64.
    #[must_use]
    pub fn faster(self) -> Self {
        Self((self.0 + 1).min(6))
    }

    /// Units a second.
    fn rate(self, unit: Unit) -> f64 {
        let ordinary = match unit {
            Unit::Instruction => 8.0,
            Unit::Event | Unit::Line => 4.0,
            Unit::Barrier => 1.0,
            Unit::Tile => 0.5,
        };
        ordinary * f64::from(self.0).exp2()
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 { write!(f, "1/{}x", 1 << -self.0) } else { write!(f, "{}x", 1 << self.0) }
    }
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
