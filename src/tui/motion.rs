//! The in-between frames of playback: how far the way from one position to the next has been shown.

use super::task::RunId;
use crate::sim::Access;
use crate::study::stage::EventProgress;
use crate::trace::SharedWord;
use std::time::Duration;

/// A position: the run, and the number of steps done.
pub type Place = (RunId, usize);

/// The motion from one position to the next, or none.
///
/// Two things move at their own speeds: bricks fall, and what happens one after the other within an
/// event (the passes of a bank conflict) is shown in turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    from: MotionFrame,
    to: MotionFrame,
    passed: f64,
    fall: f64,
    turns: f64,
    /// How an event goes on on the stage, if that is shown.
    phases: Option<EventPhases>,
}

/// The phases of an event on the stage: its sentence alone, its source, its way, its goal. When each
/// ends, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct EventPhases {
    told: f64,
    source: f64,
    way: f64,
    goal: f64,
    /// After it, the door moves, and one room becomes large.
    room: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct StagedEvent {
    /// Whether what is said of it is new: it is read before anything moves.
    pub is_new: bool,
    /// The seconds for which it is shown.
    pub stays: f64,
    /// The number of things that come to its goal in turn: passes over the banks.
    pub passes: usize,
    /// The number of things that set out in turn: warps that go to a door.
    pub arrivals: usize,
    /// Whether the event opens a door.
    pub opens: bool,
    /// Whether a warp does it that has just done another one.
    pub repeats: bool,
    /// The seconds in which another room becomes the large one after it: 0 if none does.
    pub room: f64,
    /// How many times faster than usual it plays.
    pub speed: f64,
}

/// The seconds of the phases of an event on the stage, if it is shown for long enough.
const TOLD: f64 = 0.6;
const SOURCE: f64 = 0.15;
const WAY: f64 = 0.6;
const GOAL: f64 = 0.3;

/// The seconds in which all stand at a door, and it opens.
const OPENS: f64 = 0.9;

/// The seconds in which a room becomes the large one, and with a tile that turns.
pub const ROOM: f64 = 0.9;
pub const TURNED_ROOM: f64 = 1.4;

/// The shortest event of which the phases are seen, in seconds.
const SHORTEST_EVENT: f64 = 0.12;

/// The same of one whose words go where others have just gone: strips there would flicker.
const SHORTEST_REPEATED: f64 = 1.0;

/// The part of the time of an event that its phases may take.
const MOVING: f64 = 0.9;

/// What is kept of a position that was shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionFrame {
    /// The position.
    pub place: Place,
    /// All words of shared memory.
    pub shared: Vec<SharedWord>,
}

/// The part of the time until the next event that a motion takes, the longest that a fall takes,
/// and the shortest for which it is worth while, in seconds.
const PART: f64 = 0.6;
const LONGEST: f64 = 0.7;
const SHORTEST: f64 = 0.2;

/// The seconds for each of several things in turn, and the part of the time that they may take.
const TURN: f64 = 0.2;
const TURNS: f64 = 0.75;

/// The time between two frames while bricks fall, and while none does.
const FRAME: Duration = Duration::from_millis(33);
const SLOW_FRAME: Duration = Duration::from_millis(66);

impl Motion {
    /// Starts the motion from a position to another that stays for `stays`; what is too short to be
    /// seen is left out. `turns` is the number of things that it shows in turn.
    pub fn start(&mut self, from: Place, to: MotionFrame, stays: Duration, turns: usize) {
        let shown = Some(std::mem::take(&mut self.to)).filter(|shown| shown.place == from);
        let from = shown.unwrap_or_else(|| MotionFrame { place: from, ..MotionFrame::default() });
        let stays = stays.as_secs_f64();
        let fall = (PART * stays).min(LONGEST);
        let fall = if fall < SHORTEST { 0.0 } else { fall };
        let turns = (TURN * turns as f64).min(TURNS * stays);
        let turns = if fall > 0.0 { turns.max(fall) } else { 0.0 };
        *self = Self { from, to, passed: 0.0, fall, turns, phases: None };
    }

    /// Starts the motion of an event on the stage, to a position from the one before it.
    pub fn stage(&mut self, from: Place, to: Place, event: StagedEvent) {
        let [from, to] = [from, to].map(|place| MotionFrame { place, ..MotionFrame::default() });
        *self = Self { from, to, phases: EventPhases::of(event), ..Self::default() };
    }

    /// While the door moves after the event, the part of its way that is done, from 0 to 1.
    pub fn room_change(&self) -> Option<f32> {
        self.phases.and_then(|phases| phases.room_at(self.passed))
    }

    /// How far the event has been told.
    pub fn progress(&self) -> EventProgress {
        self.phases.map_or(EventProgress::Settled, |phases| phases.at(self.passed))
    }

    /// Advances; returns whether there is a new in-between frame, or the last one, to show.
    pub fn advance(&mut self, passed: Duration) -> bool {
        let moved = self.next_frame().is_some();
        self.passed += passed.as_secs_f64();
        moved
    }

    /// The position that it leads to.
    pub const fn place(&self) -> Place {
        self.to.place
    }

    /// The position that it leads from.
    pub const fn from(&self) -> &MotionFrame {
        &self.from
    }

    /// The fraction of their way that bricks have fallen, from 0 to 1; `None` if none falls.
    pub fn fall(&self) -> Option<f32> {
        self.part_of(self.fall)
    }

    /// The fraction of what happens in turn that has been shown, from 0 to 1; `None` after it.
    pub fn turns(&self) -> Option<f32> {
        self.part_of(self.turns)
    }

    /// The time until the next in-between frame; `None` if nothing moves.
    pub fn next_frame(&self) -> Option<Duration> {
        if let Some(phases) = self.phases {
            return phases.next_frame(self.passed);
        }
        let slow = self.turns().is_some();
        self.fall().map(|_| FRAME).or_else(|| slow.then_some(SLOW_FRAME))
    }

    fn part_of(&self, length: f64) -> Option<f32> {
        (self.passed < length).then(|| (self.passed / length) as f32)
    }
}

impl EventPhases {
    /// The phases of an event that is shown for long enough to see them.
    fn of(event: StagedEvent) -> Option<Self> {
        let StagedEvent { is_new, stays, passes, arrivals, opens, repeats, room, speed } = event;
        if stays < if repeats { SHORTEST_REPEATED } else { SHORTEST_EVENT } {
            return None;
        }
        let told = if is_new { TOLD } else { 0.0 };
        let way = if arrivals > 1 { TURN * arrivals as f64 } else { WAY };
        let goal = match passes {
            2.. => TURN * passes as f64,
            // What is said of it is read while all stand there: then it opens, and all move.
            _ if opens => OPENS.max(MOVING * stays * speed - told - SOURCE - way - room),
            _ => GOAL,
        };
        let all = [told, SOURCE, way, goal, room].map(|seconds| seconds / speed);
        let fits = (MOVING * stays / all.iter().sum::<f64>()).min(1.0);
        let mut end = 0.0;
        let [told, source, way, goal, room] = all.map(|seconds| {
            end += seconds * fits;
            end
        });
        Some(Self { told, source, way, goal, room })
    }

    fn at(self, passed: f64) -> EventProgress {
        let part = |from: f64, to: f64| ((passed - from) / (to - from).max(1e-9)) as f32;
        match passed {
            _ if passed < self.told => EventProgress::Told,
            _ if passed < self.source => EventProgress::Source,
            _ if passed < self.way => EventProgress::OnTheWay(part(self.source, self.way)),
            _ if passed < self.goal => EventProgress::Goal(part(self.way, self.goal)),
            _ => EventProgress::Settled,
        }
    }

    fn room_at(self, passed: f64) -> Option<f32> {
        let moves = self.goal <= passed && passed < self.room;
        moves.then(|| ((passed - self.goal) / (self.room - self.goal)) as f32)
    }

    /// The time until the next picture of it differs, or `None` after the last.
    fn next_frame(self, passed: f64) -> Option<Duration> {
        match self.at(passed) {
            EventProgress::Told => Some(Duration::from_secs_f64(self.told - passed).max(FRAME)),
            EventProgress::Source => Some(Duration::from_secs_f64(self.source - passed).max(FRAME)),
            EventProgress::OnTheWay(_) | EventProgress::Goal(_) => Some(FRAME),
            EventProgress::Settled => self.room_at(passed).map(|_| FRAME),
        }
    }
}

/// The same words of the same warp in an array with other rows: bricks rise from the banks on which they
/// lay, and fall on others.
#[derive(Clone, Debug, PartialEq)]
pub struct FloorSlide {
    /// The only position at which it is seen.
    at: Place,
    before: Access,
    passed: f64,
}

/// The seconds in which bricks rise, and in which they fall.
const RISE: f64 = 0.6;
const FALL_AGAIN: f64 = 0.8;

impl FloorSlide {
    /// Starts it at a position, from the access as it was.
    pub const fn new(at: Place, before: Access) -> Self {
        Self { at, before, passed: 0.0 }
    }

    /// The access as it was, if that is where it is seen.
    pub fn before(&self, here: Place) -> Option<&Access> {
        Some(&self.before).filter(|_| self.at == here)
    }

    /// Whether bricks lie on the banks as they were, and the part of their way down, from 0 to 1, where they
    /// are; `None` once they lie.
    pub fn part(&self) -> Option<(bool, f32)> {
        let fallen = (self.passed - RISE) / FALL_AGAIN;
        match self.passed {
            passed if passed < RISE => Some((true, (1.0 - passed / RISE) as f32)),
            _ if fallen < 1.0 => Some((false, fallen as f32)),
            _ => None,
        }
    }

    /// Advances; returns whether it moved.
    pub fn advance(&mut self, passed: Duration) -> bool {
        let moved = self.part().is_some();
        self.passed += passed.as_secs_f64();
        moved
    }

    /// The time until its next picture; `None` after the last.
    pub fn next_frame(&self) -> Option<Duration> {
        self.part().map(|_| FRAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(at: usize) -> MotionFrame {
        MotionFrame { place: (RunId::default(), at), ..MotionFrame::default() }
    }

    /// The motion from position 1, which was shown before, to position 2.
    fn motion(stays: f64, turns: usize) -> Motion {
        let mut motion = Motion::default();
        motion.start((RunId::default(), 0), shown(1), Duration::from_secs(1), 0);
        motion.start((RunId::default(), 1), shown(2), Duration::from_secs_f64(stays), turns);
        motion
    }

    /// Plays it to its end; returns the seconds that it took.
    fn play(mut motion: Motion) -> f64 {
        let mut seconds = 0.0;
        while let Some(frame) = motion.next_frame() {
            assert!(motion.advance(frame));
            seconds += frame.as_secs_f64();
        }
        assert!(!motion.advance(FRAME), "there is no other frame after the last");
        seconds
    }

    #[test]
    fn a_motion_ends_before_the_next_event_and_is_none_if_there_is_no_time() {
        let seconds = play(motion(1.0, 0));
        assert!((0.6..0.7).contains(&seconds), "{seconds}");
        assert_eq!(motion(1.0, 0).fall(), Some(0.0));
        let fast = motion(0.066, 8);
        assert_eq!((fast.fall(), fast.turns()), (None, None));
        assert_eq!(Motion::default().next_frame(), None);
    }

    #[test]
    fn each_of_several_things_in_turn_has_its_time() {
        let seconds = play(motion(3.0, 8));
        assert!((1.6..1.7).contains(&seconds), "{seconds}");
        let seconds = play(motion(3.0, 32));
        assert!((2.25..2.35).contains(&seconds), "the last picture stays: {seconds}");
    }
}
