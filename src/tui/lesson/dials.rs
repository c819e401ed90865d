//! The dials of a page while they are turned, and what is known of their settings.

use crate::lesson::dials::{DialCount, Dials};
use crate::lesson::error::RunError;
use crate::lesson::judged::Tried;
use crate::lesson::session::OpenDials;
use crate::lesson::setting_runs::SettingCache;
use crate::work::{WorkOwner, WorkToken};
use std::collections::BTreeMap;

/// The dials on the screen. They turn at once; what a setting does follows when it has been simulated.
#[derive(Debug)]
pub struct DialsState {
    /// The question's name in the progress.
    pub id: String,
    /// Whether they are on the screen, instead of the picture.
    pub open: bool,
    /// The one that the keys turn.
    pub chosen: usize,
    /// Where they stand: the number of a choice for each.
    pub at: Vec<usize>,
    /// What the settings do that have been tried.
    pub known: BTreeMap<Vec<usize>, Known>,
    /// They, in the order in which they were tried.
    pub order: Vec<Vec<usize>>,
    /// What is to be done as soon as the picture shows the setting.
    pub request: Option<DialRequest>,
    /// What all settings do, once that is counted.
    pub count: Option<DialCount>,
    /// The simulation that is awaited.
    awaited: Option<WorkOwner>,
    /// The count of all settings.
    counting: Option<WorkOwner>,
}

/// What the learner wants of the picture of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialRequest {
    Play,
    /// Its source on the whole screen.
    Source,
}

/// What a setting does at each size, or why it does not compile.
type Known = Result<Effects, RunError>;

/// What a setting does.
#[derive(Clone, Debug)]
pub struct Effects {
    /// At each size.
    pub tried: Vec<Tried>,
    /// What the page asks about it, and the values at the first size.
    pub asked: Vec<(String, String)>,
}

/// Settings that are to be judged, unless that is cancelled first.
#[derive(Debug)]
pub struct DialsTask {
    /// The dials, and what is asked about them.
    pub open_dials: OpenDials,
    /// The runs that were recorded so far.
    pub cache: SettingCache,
    /// The setting, or `None` for all.
    pub at: Option<Vec<usize>>,
    pub token: WorkToken,
}

/// What was found out about settings.
#[derive(Debug)]
pub enum DialEvent {
    /// What one does.
    One(Vec<usize>, Known),
    /// What all do.
    All(DialCount),
}

impl DialsState {
    /// Dials that have not been turned yet.
    pub fn new(turning: &OpenDials) -> Self {
        Self {
            id: turning.id.clone(),
            open: false,
            chosen: 0,
            at: turning.at.clone(),
            known: BTreeMap::new(),
            order: Vec::new(),
            request: None,
            count: None,
            awaited: None,
            counting: None,
        }
    }

    /// Chooses the dial so many rows below, no further than to the last.
    pub fn choose(&mut self, by: isize) {
        let last = self.at.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
    }

    /// Turns the chosen dial by so many of its choices; after the last one comes the first.
    pub fn turn(&mut self, dials: &Dials, by: isize) {
        let Some(dial) = dials.dials.get(self.chosen) else { return };
        let choices = dial.choices.len().max(1) as isize;
        if let Some(at) = self.at.get_mut(self.chosen) {
            *at = (*at as isize + by).rem_euclid(choices) as usize;
        }
    }

    /// Whether all settings are being counted.
    pub const fn is_counting(&self) -> bool {
        self.counting.is_some() && self.count.is_none()
    }

    /// Returns what is to be done so that the setting is known, and cancels what was awaited before.
    pub fn wanted(&mut self, turning: &OpenDials, cache: &SettingCache) -> Option<DialsTask> {
        self.awaited = None;
        if self.known.contains_key(&self.at) {
            return None;
        }
        let token = self.awaited.insert(WorkOwner::default()).token();
        Some(DialsTask::new(turning, cache, Some(self.at.clone()), token))
    }

    /// Returns what is to be done so that all settings are known, unless it is done or being done.
    pub fn count(&mut self, turning: &OpenDials, cache: &SettingCache) -> Option<DialsTask> {
        if self.counting.is_some() {
            return None;
        }
        let token = self.counting.insert(WorkOwner::default()).token();
        Some(DialsTask::new(turning, cache, None, token))
    }

    /// Takes in what was found out.
    pub fn hear(&mut self, news: DialEvent) {
        match news {
            DialEvent::One(at, known) => {
                self.order.push(at.clone());
                self.known.insert(at, known);
            }
            DialEvent::All(count) => self.count = Some(count),
        }
    }
}

impl Effects {
    /// What a setting does.
    ///
    /// # Errors
    /// It does not compile, or its launch does not fit it.
    pub fn of(turning: &OpenDials, cache: &SettingCache, at: &[usize]) -> Result<Self, RunError> {
        let tried = turning.dials.trial(at).tried(&turning.sizes)?;
        let first = turning.sizes.first();
        let asked = first.map_or_else(Vec::new, |size| turning.asked(at, *size, cache));
        Ok(Self { tried, asked })
    }
}

impl DialsTask {
    fn new(
        turning: &OpenDials,
        cache: &SettingCache,
        at: Option<Vec<usize>>,
        token: WorkToken,
    ) -> Self {
        Self { open_dials: turning.clone(), cache: cache.clone(), at, token }
    }

    /// Judges the settings, and returns what was found out, unless it is cancelled.
    pub fn run(self) -> Option<(DialEvent, WorkToken)> {
        let Self { open_dials: turning, cache, at, token } = self;
        if token.is_cancelled() {
            return None;
        }
        let news = match at {
            Some(at) => {
                let known = Effects::of(&turning, &cache, &at);
                DialEvent::One(at, known)
            }
            None => DialEvent::All(turning.dials.count(&turning.sizes, &token)),
        };
        (!token.is_cancelled()).then_some((news, token))
    }
}
