//! Paces the playback: new events are slow, repetitions fast.
//!
//! The pace depends only on the recording and the captions: a new event lasts as long as its caption
//! takes to read, and an episode of repeating events takes little longer for more of them.

use super::task::RunId;
use crate::report::sentence::{Aside, BankTalk, FirstWord, ToldEvent, first_words};
use crate::trace::episodes::{CyclePart, Episode, Episodes, RepeatedEvents};
use crate::trace::{OpKind, Trace};
use std::borrow::Cow;
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
    /// On the stage, what is said of a new event, one after the other, and for how many seconds.
    said: Vec<Saying>,
    /// Whether it plays on the stage.
    staged: bool,
    /// The positions of the episode after the last multiply-add of such a round, and the number of the
    /// episode.
    rounds: Vec<usize>,
    rounds_of: Option<usize>,
    /// What was said last of the event before.
    before: String,
    /// What has been explained, and the first episode that explained it.
    explained: HashMap<String, usize>,
    /// On the stage, the words that are explained, and the episode and the sentence that do so.
    words: HashMap<&'static str, (usize, usize)>,
    /// The seconds that the event shown still stays although the episode goes on: a finding.
    stays: f64,
    /// The position directed to, and the seconds since then.
    at: usize,
    since: f64,
    /// The seconds that the run has been directed from its start, and whether it, or another one, has
    /// been told to its end before.
    elapsed: f64,
    known: bool,
}

/// What goes by as one picture after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPace {
    Events,
    /// Warp after warp goes through all that comes before a door.
    Warps,
    Tiles,
}

/// A sentence of a new event.
#[derive(Debug)]
struct Saying {
    text: String,
    seconds: f64,
    /// Whether something stands beside it.
    explains: bool,
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
    /// On the stage, what is said of it.
    pub told: Option<&'a ToldEvent>,
    /// On the stage, the rounds of the run that look alike.
    pub rounds: Option<u32>,
}

/// The words that a viewer reads in a second.
const WORDS_PER_SECOND: f64 = 4.0;

/// The same on the stage, where sentences are plainer, and where something stands beside the sentence.
const PLAIN_WORDS_PER_SECOND: f64 = 4.8;
const EXPLAINED_WORDS_PER_SECOND: f64 = 4.2;

/// The seconds of an event with which the next one goes on, and of one that goes on with what was said
/// before.
const LEADS: f64 = 1.15;
const FOLLOWS: f64 = 0.6;

/// The seconds for each warp that comes to a door, while it is said that they come; and for one alone.
const EACH_ARRIVAL: f64 = 0.14;
const LAST_ARRIVAL: f64 = 0.8;

/// The seconds for which towers that come with a sentence are looked at.
const LOOKS: f64 = 0.4;

/// The least time for which a new event is shown, in seconds.
const LEAST: f64 = 1.25;

/// The seconds for each event that repeats, and for all events of an episode at most.
const EACH: f64 = 0.08;
const MOST: f64 = 3.0;

/// The same for all events on the stage, where each of them is told once before.
const MOST_AGAIN: f64 = 1.3;

/// The seconds of these for which the last event of an episode stays: what comes next follows from it.
const LAST: f64 = 0.3;

/// The exponent by which an episode that repeats gets faster.
const ACCELERATION: f64 = 1.5;

/// The shortest time between two events of an episode that repeats, in seconds.
const FAST_FRAME: f64 = 0.066;

/// The same on the stage, unless they look alike or lie in rows of their own: no cell changes more than
/// three times a second.
const CALM_FRAME: f64 = 0.34;

/// The seconds of a run in which the words are introduced, and how many times faster that goes from the
/// second time on.
const INTRODUCTION: f64 = 20.0;
const BRISK: f64 = 1.25;

/// The seconds after which going back begins anew what is told, and does not go further back.
const AGAIN: f64 = 1.0;

/// Returns the seconds that a text takes to read, of so many words a second.
fn reading(text: &str, speed: f64) -> f64 {
    (text.split_whitespace().count() as f64 / speed).max(LEAST)
}

impl Director {
    /// `known`: whether a run has been told before.
    pub fn new(known: bool) -> Self {
        Self { known, ..Self::default() }
    }

    /// The caption of the episode shown, if it has one of its own.
    pub fn caption(&self) -> Option<&str> {
        if self.said.is_empty() {
            return self.caption.as_deref();
        }
        self.said.get(self.saying()).map(|said| &*said.text)
    }

    /// Whether warps take turns that are told as one.
    pub fn takes_turns(&self) -> bool {
        let again = self.episodes.get(self.episode).and_then(|episode| episode.again.as_ref());
        again.is_some_and(|again| again.in_turn || again.releases > 0)
    }

    /// What the pictures of the present episode have in common.
    pub fn pace(&self) -> RunPace {
        let again = self.episodes.get(self.episode).and_then(|episode| episode.again.as_ref());
        match again {
            Some(again) if again.releases > 0 => RunPace::Tiles,
            Some(again) if again.in_turn => RunPace::Warps,
            _ => RunPace::Events,
        }
    }

    /// Goes on, or back, to another sentence of the event shown; returns whether there is one.
    pub fn turn_sentence(&mut self, on: bool) -> bool {
        let now = self.saying();
        let to = if on { now + 1 } else { now.wrapping_sub(1) };
        let there = to < self.said.len();
        if there {
            self.shown = self.said.iter().take(to).map(|said| said.seconds).sum();
        }
        there
    }

    /// Whether tile after tile goes by: in the third and later ones, and from the end of the second on.
    pub fn hurries(&self) -> bool {
        let again = self.episodes.get(self.episode).and_then(|episode| episode.again.as_ref());
        again.is_some_and(|again| {
            again.releases > 0
                && match again.part {
                    CyclePart::Rest => true,
                    CyclePart::First => self.at >= self.end(),
                    CyclePart::Only => false,
                }
        })
    }

    /// Which of the sentences for a new event is said now.
    pub fn saying(&self) -> usize {
        let ends = self.said.iter().scan(0.0, |end, said| {
            *end += said.seconds;
            Some(*end)
        });
        ends.filter(|end| *end <= self.shown).count().min(self.said.len().saturating_sub(1))
    }

    /// Whether what is said of the event is new, and the seconds for which the event stays.
    pub fn event(&self, sentence: &str) -> (bool, f64) {
        let Some(Episode { again: None, .. }) = self.episodes.get(self.episode) else {
            return (false, self.next_frame(sentence).as_secs_f64());
        };
        let new = self.said.first().is_some_and(|said| said.text != self.before);
        (new, (self.length(sentence) - self.shown).max(0.0))
    }

    /// How many times faster than usual it is told: what has been told in full once takes less time,
    /// unless there is something to be read beside it.
    pub fn tempo(&self) -> f64 {
        let explains = self.said.get(self.saying()).is_some_and(|said| said.explains);
        if self.is_known() && self.elapsed < INTRODUCTION && !explains { BRISK } else { 1.0 }
    }

    /// Whether a run has been told to its end before.
    pub const fn is_known(&self) -> bool {
        self.known
    }

    /// Remembers that all has been told once.
    pub const fn has_told(&mut self) {
        self.known = true;
    }

    /// Goes on to what is said next; returns the position. `sentence` describes the position shown.
    pub fn next_row(&mut self, sentence: &str) -> usize {
        let length = self.length(sentence);
        self.shown = self.said_until().unwrap_or(length);
        if self.shown >= length && self.episodes.get(self.episode + 1).is_some() {
            self.before = self.caption().unwrap_or_default().to_owned();
            self.enter(self.episode + 1);
        }
        self.at
    }

    /// Goes back to the beginning of what is told now or, from there, of what was told before.
    pub fn previous_row(&mut self) -> usize {
        let again = self.shown > AGAIN;
        self.enter(if again { self.episode } else { self.episode.saturating_sub(1) });
        self.at
    }

    /// Begins an episode.
    fn enter(&mut self, episode: usize) {
        (self.episode, self.shown, self.since, self.stays) = (episode, 0.0, 0.0, 0.0);
        (self.caption, self.said) = (None, Vec::new());
        self.at = self.position();
    }

    /// Updates the pace to the recording so far and to the user's position. `tell` gives the captions
    /// of episodes that have their own.
    pub fn settle(
        &mut self,
        run: RunId,
        trace: &Trace,
        UserPosition { at, sentence, wrong, told, rounds }: UserPosition<'_>,
        tell: impl Fn(&Episode) -> Option<String>,
    ) {
        let moved = (self.run, self.at) != (run, at);
        if self.run != run {
            *self = Self { run, known: self.known, ..Self::default() };
        }
        if moved && at == 0 {
            self.elapsed = 0.0;
        }
        self.episodes.extend(trace);
        if moved {
            (self.at, self.episode, self.shown, self.stays) =
                (at, self.episodes.index_of(at), 0.0, 0.0);
            self.since = 0.0;
        }
        let Some(episode) = self.episodes.get(self.episode) else { return };
        self.caption = tell(episode);
        let new = episode.again.is_none() && sentence.is_some();
        if episode.again.is_none() {
            let usual = sentence.filter(|_| !wrong && told.is_none());
            self.caption = usual.and_then(|sentence| self.brief(sentence));
        }
        self.staged = told.is_some();
        let steps = self.episodes.get(self.episode).map(|episode| episode.steps.clone());
        let is_known = !trace.complete() || self.rounds_of == Some(self.episode);
        if let Some(steps) = steps.filter(|_| !is_known) {
            self.rounds = rounds.map_or_else(Vec::new, |all| ends_of_rounds(trace, steps, all));
            self.rounds_of = Some(self.episode);
        }
        let told = told.filter(|_| new && !wrong);
        let (known, episode, words) = (self.known, self.episode, &mut self.words);
        self.said = told.map_or_else(Vec::new, |told| {
            said(told, &self.before, |number, text| {
                let here = (episode, number);
                let is_new = |word: &FirstWord| words.get(word.word).is_none_or(|at| *at == here);
                // Whoever has seen a run to its end knows the words.
                let word = first_words(text).find(is_new).filter(|_| !known);
                if let Some(word) = word {
                    words.insert(word.word, here);
                }
                let stays = |aside: &&Aside| words.get(&*aside.label).is_none_or(|at| *at == here);
                let follows = told.aside(text).filter(stays).cloned();
                let aside = follows.or(word.map(Aside::from));
                aside.map_or(0, |aside| words_of(&aside.label) + words_of(&aside.text))
            })
        });
        let Some(episode) = self.episodes.get(self.episode) else { return };
        if let Some(again) = episode.again.as_ref().filter(|_| moved) {
            let stops = self.stops(again);
            let before = stops.partition_point(|stop| *stop <= at);
            self.shown = self.running() * self.at_stop(again, before);
            self.stays = sentence
                .filter(|_| wrong)
                .map_or(0.0, |sentence| reading(sentence, WORDS_PER_SECOND));
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
        self.elapsed += passed;
        let stays = self.stays.min(passed);
        (self.stays, self.shown) = (self.stays - stays, self.shown + passed - stays);
        if self.stays > 0.0 {
            self.since += passed;
            return self.at;
        }
        let length = self.length(shown.sentence);
        let goes_on = complete || !self.episodes.is_open(self.episode);
        if self.shown >= length && goes_on && self.episodes.get(self.episode + 1).is_some() {
            self.before = self.caption().unwrap_or_default().to_owned();
            self.episode += 1;
            self.shown = 0.0;
            self.caption = self.episodes.get(self.episode).and_then(tell);
            self.said.clear();
        }
        let to = self.position().max(self.at);
        // The event of an episode of its own stays anyway; its sentence is the finding's.
        let again = self.episodes.get(self.episode).is_some_and(|episode| episode.again.is_some());
        let on_the_way =
            |(step, _): &(usize, &str)| *step > self.at && (*step < to || again && *step == to);
        let finding = shown.finding.filter(on_the_way);
        self.stays = finding.map_or(0.0, |(_, sentence)| reading(sentence, WORDS_PER_SECOND));
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
        let next = again.map_or_else(
            || self.said_until().unwrap_or(length),
            |again| {
                let stops = self.stops(again);
                let shown = stops.partition_point(|stop| *stop <= self.at);
                let over = shown == stops.len();
                if !over {
                    self.running() * self.at_stop(again, shown + 1)
                } else if self.at < self.end() {
                    self.running()
                } else {
                    length
                }
            },
        );
        let left = if self.stays > 0.0 { self.stays } else { (next - self.shown).max(0.0) };
        Duration::from_secs_f64(left.max(FAST_FRAME - self.since))
    }

    /// The seconds after which the next of several sentences is said.
    fn said_until(&self) -> Option<f64> {
        let now = self.saying();
        let ends = self.said.iter().take(now + 1).map(|said| said.seconds);
        (now + 1 < self.said.len()).then(|| ends.sum())
    }

    /// The position at the end of the episode.
    fn end(&self) -> usize {
        self.episodes.get(self.episode).map_or(self.at, |episode| episode.steps.end)
    }

    /// The positions of an episode that are shown: on the stage one for each warp at the door and for
    /// each step of the sums, as many as are calm, or those that look alike.
    fn stops<'a>(&'a self, again: &'a RepeatedEvents) -> Cow<'a, [usize]> {
        if let Some(alike) = self.alike(again) {
            return Cow::Borrowed(alike);
        }
        let turns = self.staged && !again.turns.is_empty();
        let all: &[usize] = if turns { &again.turns } else { &again.stops };
        let most = ((self.running() / CALM_FRAME) as usize).max(1);
        if !self.staged || in_own_rows(again) || all.len() <= most {
            return Cow::Borrowed(all);
        }
        (1..=most).map(|stop| all[stop * all.len() / most - 1]).collect()
    }

    /// On the stage, the positions after each of many rounds or before each of many doors.
    fn alike<'a>(&'a self, again: &'a RepeatedEvents) -> Option<&'a [usize]> {
        let many = again.part != CyclePart::First && !again.rounds.is_empty();
        let rounds = self.rounds_of == Some(self.episode) && self.rounds.len() > 2;
        match self.staged {
            true if rounds && again.releases == 0 => Some(&self.rounds),
            true if many && again.releases > 2 => Some(&again.rounds),
            _ => None,
        }
    }

    /// The exponent by which an episode gets faster: on the stage only through what looks alike.
    fn acceleration(&self, again: &RepeatedEvents) -> f64 {
        if self.staged && self.alike(again).is_none() { 1.0 } else { ACCELERATION }
    }

    /// How many of an episode's stops are shown at once when it begins: on the stage one, so that its
    /// caption never speaks of what is still to come.
    fn at_once(&self) -> usize {
        usize::from(self.staged)
    }

    /// The part of an episode's time after which its stop number `stop` (counted from 1) is shown.
    fn at_stop(&self, again: &RepeatedEvents, stop: usize) -> f64 {
        let after = stop.saturating_sub(self.at_once());
        let part = after as f64 / self.stops(again).len().max(1) as f64;
        part.min(1.0).powf(1.0 / self.acceleration(again))
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
        let caption = if self.said.is_empty() {
            let speed = if self.staged { PLAIN_WORDS_PER_SECOND } else { WORDS_PER_SECOND };
            reading(self.caption().unwrap_or(sentence), speed)
        } else {
            self.said.iter().map(|said| said.seconds).sum()
        };
        let most = if self.staged { MOST_AGAIN } else { MOST };
        again.map_or(caption, |again| caption.max((EACH * again.events as f64).min(most)))
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
        if part >= 1.0 {
            return episode.steps.end;
        }
        let stops = self.stops(again);
        let stop = part.powf(self.acceleration(again)) * stops.len() as f64;
        let shown = (stop as usize + self.at_once()).min(stops.len());
        let last = shown.checked_sub(1).and_then(|last| stops.get(last).copied());
        last.unwrap_or(episode.steps.start)
    }
}

/// Whether warps take turns, each with words of its own.
fn in_own_rows(again: &RepeatedEvents) -> bool {
    again.in_turn && again.fmas.is_none()
}

/// The positions within some steps after the last multiply-add of each of so many rounds of a run.
fn ends_of_rounds(trace: &Trace, steps: std::ops::Range<usize>, rounds: u32) -> Vec<usize> {
    let records = trace.records();
    let each = records.last().map_or(0, |last| last.fma).checked_div(rounds).unwrap_or(0);
    let ends = |place: &usize| {
        let mark = &records[*place - 1];
        mark.kind == OpKind::Fma && mark.fma.checked_rem(each) == Some(0)
    };
    (steps.start + 1..=steps.end).filter(ends).collect()
}

/// The words of a text that are read: names and numbers of one sign are seen.
fn words_of(text: &str) -> usize {
    let is_read = |word: &&str| word.chars().filter(|sign| sign.is_alphanumeric()).count() > 1;
    text.split_whitespace().filter(is_read).count()
}

/// What is said of an event after `before` was said. `beside`: the number of words that stand beside the
/// sentence with this number, which are read as well.
fn said(
    told: &ToldEvent,
    before: &str,
    mut beside: impl FnMut(usize, &str) -> usize,
) -> Vec<Saying> {
    let last = told.sentences.len().saturating_sub(1);
    let timed = told.sentences.iter().enumerate().map(|(number, text)| {
        let more = beside(number, text);
        let explains = more > 0;
        let speed = if explains { EXPLAINED_WORDS_PER_SECOND } else { PLAIN_WORDS_PER_SECOND };
        let read = ((words_of(text) + more) as f64 / speed).max(LEAST);
        let seconds = match text {
            text if number == 0 && text == before => (more as f64 / speed).max(FOLLOWS),
            // What stands beside it stays while the next event goes on with it.
            _ if number == last && told.goes_on && explains => (read - FOLLOWS).max(LEADS),
            _ if number == last && told.goes_on => LEADS,
            _ if number == 0 && told.arrivals == 1 => LAST_ARRIVAL,
            _ if number == 0 && told.arrivals > 1 => {
                read.max(EACH_ARRIVAL * (told.arrivals + 1) as f64)
            }
            _ => read,
        };
        // There are towers to be looked at.
        let is_tower = told.talk(number) == Some(BankTalk::ByColumns);
        let seconds = if is_tower { seconds + LOOKS } else { seconds };
        Saying { text: text.clone(), seconds, explains }
    });
    timed.collect()
}
