//! Opens pages, and the beats of a page one after the other.

use super::event::Event;
use super::now::{Now, Watch};
use super::resolve::resolved;
use super::seed::choose;
use super::state::Walk;
use crate::lesson::document::{Beat, Lesson, Para, Piece, Scene, coded};
use crate::lesson::expr::{Parsed, Place};
use crate::lesson::query::QueryError;
use crate::lesson::setting::Setting;
use std::sync::Arc;

impl Walk {
    /// Opens a page by its index, up to the first thing that waits for the learner.
    pub(super) fn open(&mut self, page: usize) {
        let watch = self.now.watch;
        self.stages.look_at_clock();
        self.page = page;
        self.beat = 0;
        self.asked = None;
        self.pending.clear();
        self.broken = None;
        self.undone.clear();
        let (id, now) = {
            let lesson = self.lesson();
            (lesson.id.clone(), opened(lesson, page, self.setting.clone(), watch))
        };
        self.now = now;
        self.events.push(Event::Page { lesson: id, page: page + 1 });
        self.inherit();
        self.open_beats();
    }

    /// The stage of the last scene before the page, unless it begins with its own.
    fn inherit(&mut self) {
        let course = Arc::clone(&self.course);
        let pages = &course.lessons[self.lesson].pages;
        if matches!(pages[self.page].beats.first(), Some(Beat::Scene(_))) {
            return;
        }
        let beats = pages[..self.page].iter().flat_map(|page| &page.beats);
        let mut scenes = beats.filter_map(|beat| match beat {
            Beat::Scene(scene) => Some(scene),
            _ => None,
        });
        if let Some(scene) = scenes.next_back() {
            self.set(scene);
        }
    }

    /// The beats that come next on the page; after its last one, the next page.
    pub(super) fn advance(&mut self) {
        let pages = &self.lesson().pages;
        let is_done = self.now.review || self.beat >= pages[self.page].beats.len();
        let is_last = self.page + 1 >= pages.len();
        self.again = if is_done { 0 } else { self.again };
        match is_done {
            false => self.open_beats(),
            true if self.now.review => self.open(self.page),
            true if is_last => {
                self.now.over = true;
                self.events.push(Event::Done { lesson: self.lesson().id.clone() });
            }
            true => self.open(self.page + 1),
        }
    }

    /// Opens beats until one waits: a question, a broken kernel, dials, or a new scene while
    /// the one before and its text have not been seen.
    fn open_beats(&mut self) {
        let course = Arc::clone(&self.course);
        let beats = &course.lessons[self.lesson].pages[self.page].beats;
        let (mut shown, mut told) = (false, false);
        while let Some(beat) = beats.get(self.beat) {
            if matches!(beat, Beat::Scene(_)) && shown && told {
                return;
            }
            self.beat += 1;
            let waits = match beat {
                Beat::Text(paras) => {
                    told = true;
                    let paras = self.resolved(paras);
                    self.now.text.extend(paras);
                    false
                }
                Beat::Scene(scene) => {
                    shown = true;
                    self.set(scene);
                    false
                }
                Beat::Ask(ask) => self.ask(ask),
                Beat::Change(change) => self.break_kernel(change),
                Beat::Dials(dials) => self.set_dials(dials),
            };
            if waits {
                return;
            }
        }
    }

    /// The text that follows directly, which is shown with the reply to the beat before it.
    pub(super) fn take_text(&mut self) -> Vec<Para> {
        let course = Arc::clone(&self.course);
        let beats = &course.lessons[self.lesson].pages[self.page].beats;
        let mut text = Vec::new();
        while let (false, Some(Beat::Text(paras))) = (self.now.review, beats.get(self.beat)) {
            self.beat += 1;
            text.extend(self.resolved(paras));
        }
        text
    }

    /// What was open is done: the picture is where it was to go, and the text stays on the page.
    pub(super) fn finish(&mut self) {
        let reply = self.now.reply.take().and_then(|reply| reply.play_to);
        self.now.step = reply.unwrap_or(self.now.step);
        self.now.dials = None;
        self.now.text.append(&mut self.pending);
    }

    /// Brings the stage to a scene; a run that is not to be had is said on the page.
    pub(super) fn set(&mut self, scene: &Scene) {
        let Some(setting) = scene.variants.get(choose(scene.variants.len(), self.seed())) else {
            return;
        };
        self.setting = setting.clone();
        self.undone.clear();
        self.now.look.clone_from(&scene.look);
        self.now.ptx = scene.ptx;
        self.now.beside.clone_from(&scene.beside);
        self.now.measure.clone_from(&scene.measure);
        self.now.changed = self.changed_lines();
        self.stand(scene.at.as_ref().unwrap_or(&Parsed::start()));
    }

    /// The stage that is now asked about, at a place; if it cannot be shown, the picture stays.
    pub(super) fn stand(&mut self, place: &Parsed<Place>) {
        self.from = 0;
        if let Err(missing) = self.stages.of(&self.setting) {
            return self.say(&format!("This picture cannot be shown: {}.", missing.message));
        }
        self.now.setting = self.setting.clone();
        self.now.step = self.step(place).unwrap_or(0);
        self.from = self.now.step;
    }

    /// The steps done at a place; if it is not reached, the page says so.
    fn step(&mut self, place: &Parsed<Place>) -> Option<usize> {
        let step = place.step(&self.stages, &self.setting);
        step.map_err(|missing| self.say_missing(&place.text, &missing)).ok()
    }

    fn say_missing(&mut self, what: &str, missing: &QueryError) {
        self.say(&format!("The run does not come to `{what}`: {}.", missing.message));
    }

    /// A sentence of the program's own on the page.
    pub(super) fn say(&mut self, text: &str) {
        self.now.text.push(plain(text));
    }

    /// Paragraphs without queries.
    pub(super) fn resolved<'a>(&self, paras: impl IntoIterator<Item = &'a Para>) -> Vec<Para> {
        let given = self.given();
        resolved(paras, &self.context(&given))
    }
}

/// A paragraph of words, with code between backticks.
pub(super) fn plain(text: &str) -> Para {
    Para::Text(coded(text, Piece::Plain))
}

/// A page before its first beat.
pub(super) fn opened(lesson: &Lesson, page: usize, setting: Setting, watch: Watch) -> Now {
    Now {
        lesson: (lesson.number, lesson.title.clone()),
        page: page + 1,
        pages: lesson.pages.len(),
        title: lesson.pages[page].title.clone(),
        text: Vec::new(),
        setting,
        step: 0,
        look: Vec::new(),
        changed: Vec::new(),
        ptx: false,
        beside: None,
        measure: None,
        question: None,
        reply: None,
        proof: None,
        dials: None,
        watch,
        review: false,
        over: false,
    }
}
