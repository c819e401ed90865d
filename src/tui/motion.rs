//! The in-between frames of playback: how far the way from one position to the next has been shown.

use std::time::Duration;

/// A motion under way, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    passed: f64,
    length: f64,
}

/// The part of the time until the next step that a motion takes, the longest that it takes, and the
/// shortest for which it is worth while, in seconds.
const PART: f64 = 0.6;
const LONGEST: f64 = 0.7;
const SHORTEST: f64 = 0.2;

impl Motion {
    /// Starts the motion to a position that stays for `stays`; none if that is too short to see it.
    pub fn until_next(stays: Duration) -> Self {
        let length = (PART * stays.as_secs_f64()).min(LONGEST);
        Self { passed: 0.0, length: if length < SHORTEST { 0.0 } else { length } }
    }

    /// Advances; returns whether there is a new in-between frame, or the last one, to show.
    pub fn advance(&mut self, passed: Duration) -> bool {
        let moved = self.fraction().is_some();
        self.passed += passed.as_secs_f64();
        moved
    }

    /// The fraction of the way that is done, from 0 to 1; `None` if nothing moves.
    pub fn fraction(&self) -> Option<f32> {
        (self.passed < self.length).then(|| (self.passed / self.length) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_ends_before_the_next_step_and_is_none_if_there_is_no_time() {
        let mut motion = Motion::until_next(Duration::from_secs(1));
        assert_eq!(motion.fraction(), Some(0.0));
        let frames = (0..30).filter(|_| motion.advance(Duration::from_millis(33))).count();
        assert!((15..22).contains(&frames), "{frames}");
        assert_eq!(motion.fraction(), None);
        assert_eq!(Motion::until_next(Duration::from_millis(66)).fraction(), None);
        assert_eq!(Motion::default().fraction(), None);
    }
}
