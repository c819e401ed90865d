//! Paces the playback: new events are slow, repetitions fast.
//!
//! The pace depends only on the recording and the captions: a new event lasts as long as its caption
//! takes to read, and an episode of repeating events takes little longer for more of them.

use super::task::RunId;
use crate::trace::Trace;
use crate::trace::episodes::{Episode, Episodes, RepeatedEvents};
use std::collections::HashMap;
use std::time::Duration;

/// Where in the run's episodes playback is.
#[derive(Debug, Default)]
pub struct Director {
    run: RunId,
    episodes: Episodes,
    /// The episode, and the seconds that it has been shown.
    episode: usize,
    shown: f64,
    /// The caption of the episode, if it has one of its own.
    caption: Option<String>,
    /// What has been explained, and the first episode that explained it.
    explained: HashMap<String, usize>,
    /// The seconds that the event shown still stays although the episode goes on: a finding.
    stays: f64,
    /// The position directed to, and the seconds since then.
    at: usize,
    since: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct ScreenContent<'a> {
    /// The sentence for the position.
    pub sentence: &'a str,
    /// The next step at which a finding shows, and the sentence for it.
    pub finding: Option<(usize, &'a str)>,
}

/// Where in the run the user is.
#[derive(Clone, Copy, Debug)]
pub struct UserPosition<'a> {
    pub at: usize,
    /// The sentence for it, if it is known yet.
    pub sentence: Option<&'a str>,
    /// Whether that sentence is a finding's, which stands as it is.
    pub wrong: bool,
}

/// The words that a viewer reads in a second.
const WORDS_PER_SECOND: f64 = 4.0;

/// The least time for which a new event is shown, in seconds.
const LEAST: f64 = 1.25;

/// The seconds for each event that repeats, and for all events of an episode at most.
const EACH: f64 = 0.08;
const MOST: f64 = 3.0;

/// The seconds of these for which the last event of an episode stays: what comes next follows from it.
const LAST: f64 = 0.3;

/// The exponent by which an episode that repeats gets faster.
const ACCELERATION: f64 = 1.5;

/// The shortest time between two events of an episode that repeats, in seconds.
const FAST_FRAME: f64 = 0.066;

/// Returns the seconds that a text takes to read.
fn reading(text: &str) -> f64 {
    (text.split_whitespace().count() as f64 / WORDS_PER_SECOND).max(LEAST)
}

impl Director {
    /// The caption of the episode shown, if it has one of its own.
    pub fn caption(&self) -> Option<&str> {
        self.caption.as_deref()
    }

    /// Updates the pace to the recording so far and to the user's position. `tell` gives the captions
    /// of episodes that have their own.
    pub fn settle(
        &mut self,
        run: RunId,
        trace: &Trace,
        UserPosition { at, sentence, wrong }: UserPosition<'_>,
        tell: impl Fn(&Episode) -> Option<String>,
    ) {
        let moved = (self.run, self.at) != (run, at);
        if self.run != run {
            *self = Self { run, ..Self::default() };
        }
        self.episodes.extend(trace);
        if moved {
            (self.at, self.episode, self.shown, self.stays) =
                (at, self.episodes.index_of(at), 0.0, 0.0);
            self.since = 0.0;
        }
        let Some(episode) = self.episodes.get(self.episode) else { return };
        self.caption = tell(episode);
        if episode.again.is_none() {
            let usual = sentence.filter(|_| !wrong);
            self.caption = usual.and_then(|sentence| self.brief(sentence));
        }
        let Some(episode) = self.episodes.get(self.episode) else { return };
        if let Some(again) = episode.again.as_ref().filter(|_| moved) {
            let before = again.stops.partition_point(|stop| *stop <= at);
            self.shown = self.running() * at_stop(again, before);
            self.stays = sentence.filter(|_| wrong).map_or(0.0, reading);
        }
    }

    /// Advances by `passed` seconds; returns the position to show. `complete`: whether the whole run
    /// has been recorded.
    pub fn advance(
        &mut self,
        passed: f64,
        complete: bool,
        shown: ScreenContent<'_>,
        tell: impl Fn(&Episode) -> Option<String>,
    ) -> usize {
        let stays = self.stays.min(passed);
        (self.stays, self.shown) = (self.stays - stays, self.shown + passed - stays);
        if self.stays > 0.0 {
            self.since += passed;
            return self.at;
        }
        let length = self.length(shown.sentence);
        let goes_on = complete || !self.episodes.is_open(self.episode);
        if self.shown >= length && goes_on && self.episodes.get(self.episode + 1).is_some() {
            self.episode += 1;
            self.shown = 0.0;
            self.caption = self.episodes.get(self.episode).and_then(tell);
        }
        let to = self.position().max(self.at);
        // The event of an episode of its own stays anyway; its sentence is the finding's.
        let again = self.episodes.get(self.episode).is_some_and(|episode| episode.again.is_some());
        let on_the_way =
            |(step, _): &(usize, &str)| *step > self.at && (*step < to || again && *step == to);
        let finding = shown.finding.filter(on_the_way);
        self.stays = finding.map_or(0.0, |(_, sentence)| reading(sentence));
        let before = std::mem::replace(&mut self.at, finding.map_or(to, |(step, _)| step));
        self.since = if self.at == before { self.since + passed } else { 0.0 };
        self.at
    }

    /// Whether the last episode has been shown. `sentence` describes the position shown.
    pub fn is_over(&self, sentence: &str) -> bool {
        let last = self.episodes.get(self.episode + 1).is_none();
        last && self.stays <= 0.0 && self.shown >= self.length(sentence)
    }

    /// Returns the time until there is something new to show. `sentence` describes the position
    /// shown.
    pub fn next_frame(&self, sentence: &str) -> Duration {
        let again = self.episodes.get(self.episode).and_then(|episode| episode.again.as_ref());
        let length = self.length(sentence);
        let next = again.map_or(length, |again| {
            let shown = again.stops.partition_point(|stop| *stop <= self.at);
            let over = shown == again.stops.len();
            if over { length } else { self.running() * at_stop(again, shown + 1) }
        });
        let left = if self.stays > 0.0 { self.stays } else { (next - self.shown).max(0.0) };
        Duration::from_secs_f64(left.max(FAST_FRAME - self.since))
    }

    /// The sentence of a new event without its explanation, if an earlier episode gave the same.
    fn brief(&mut self, sentence: &str) -> Option<String> {
        let (what, why) = sentence.split_once(": ")?;
        let first = *self.explained.entry(why.to_owned()).or_insert(self.episode);
        (first < self.episode).then(|| format!("{what}."))
    }

    /// The seconds for which the episode is shown.
    fn length(&self, sentence: &str) -> f64 {
        let again = self.episodes.get(self.episode).and_then(|episode| episode.again.as_ref());
        let caption = reading(self.caption().unwrap_or(sentence));
        again.map_or(caption, |again| caption.max((EACH * again.events as f64).min(MOST)))
    }

    /// The seconds after which the last event of an episode that repeats is shown.
    fn running(&self) -> f64 {
        self.length("") - LAST
    }

    /// The position to show now.
    fn position(&self) -> usize {
        let Some(episode) = self.episodes.get(self.episode) else { return self.at };
        let Some(again) = &episode.again else { return episode.steps.end };
        let part = (self.shown / self.running()).min(1.0);
        let stop = part.powf(ACCELERATION) * again.stops.len() as f64;
        let before = (stop as usize).checked_sub(1);
        before.and_then(|last| again.stops.get(last).copied()).unwrap_or(episode.steps.start)
    }
}

/// The part of an episode's time after which its stop number `stop` (counted from 1) is shown.
fn at_stop(again: &RepeatedEvents, stop: usize) -> f64 {
    (stop as f64 / again.stops.len().max(1) as f64).min(1.0).powf(1.0 / ACCELERATION)
}
