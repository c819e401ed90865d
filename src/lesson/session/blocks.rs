//! Opens pages, and the blocks of a page one after the other.

use super::event::LessonEvent;
use super::now::{SessionView, WatchMode};
use super::resolve::resolved;
use super::seed::choose;
use super::state::LessonSession;
use crate::lesson::document::{Lesson, PageBlock, Para, Piece, Scene, coded};
use crate::lesson::expr::{Parsed, RunPosition};
use crate::lesson::query::QueryError;
use crate::lesson::setting::Setting;
use std::sync::Arc;

impl LessonSession {
    /// Opens a page by its index, up to the first thing that waits for the learner.
    pub(super) fn open(&mut self, page: usize) {
        let watch = self.now.watch;
        self.cache.look_at_clock();
        self.page = page;
        self.block_index = 0;
        self.asked = None;
        self.pending.clear();
        self.broken = None;
        self.undone.clear();
        let (id, now) = {
            let lesson = self.lesson();
            (lesson.id.clone(), opened(lesson, page, self.setting.clone(), watch))
        };
        self.now = now;
        self.events.push(LessonEvent::Page { lesson: id, page: page + 1 });
        self.inherit();
        self.open_beats();
    }

    /// The setting of the last scene before the page, unless it begins with its own.
    fn inherit(&mut self) {
        let course = Arc::clone(&self.course);
        let pages = &course.lessons[self.lesson].pages;
        if matches!(pages[self.page].blocks.first(), Some(PageBlock::Scene(_))) {
            return;
        }
        let beats = pages[..self.page].iter().flat_map(|page| &page.blocks);
        let mut scenes = beats.filter_map(|page_block| match page_block {
            PageBlock::Scene(scene) => Some(scene),
            _ => None,
        });
        if let Some(scene) = scenes.next_back() {
            self.set(scene);
        }
    }

    /// The blocks that come next on the page; after its last one, the next page.
    pub(super) fn advance(&mut self) {
        let pages = &self.lesson().pages;
        let is_done = self.now.review || self.block_index >= pages[self.page].blocks.len();
        let is_last = self.page + 1 >= pages.len();
        self.again = if is_done { 0 } else { self.again };
        match is_done {
            false => self.open_beats(),
            true if self.now.review => self.open(self.page),
            true if is_last => {
                self.now.over = true;
                self.events.push(LessonEvent::Done { lesson: self.lesson().id.clone() });
            }
            true => self.open(self.page + 1),
        }
    }

    /// Opens blocks until one waits: a question, a broken kernel, dials, or a new scene while
    /// the one before and its text have not been seen.
    fn open_beats(&mut self) {
        let course = Arc::clone(&self.course);
        let beats = &course.lessons[self.lesson].pages[self.page].blocks;
        let (mut shown, mut told) = (false, false);
        while let Some(page_block) = beats.get(self.block_index) {
            if matches!(page_block, PageBlock::Scene(_)) && shown && told {
                return;
            }
            self.block_index += 1;
            let waits = match page_block {
                PageBlock::Text(paras) => {
                    told = true;
                    let paras = self.resolved(paras);
                    self.now.text.extend(paras);
                    false
                }
                PageBlock::Scene(scene) => {
                    shown = true;
                    self.set(scene);
                    false
                }
                PageBlock::Ask(ask) => self.ask(ask),
                PageBlock::Change(change) => self.break_kernel(change),
                PageBlock::Dials(dials) => self.set_dials(dials),
            };
            if waits {
                return;
            }
        }
    }

    /// The text that follows directly, which is shown with the reply to the block before it.
    pub(super) fn take_text(&mut self) -> Vec<Para> {
        let course = Arc::clone(&self.course);
        let beats = &course.lessons[self.lesson].pages[self.page].blocks;
        let mut text = Vec::new();
        while let (false, Some(PageBlock::Text(paras))) =
            (self.now.review, beats.get(self.block_index))
        {
            self.block_index += 1;
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

    /// Brings the picture to a scene; a run that is not to be had is said on the page.
    pub(super) fn set(&mut self, scene: &Scene) {
        let Some(setting) = scene.variants.get(choose(scene.variants.len(), self.seed())) else {
            return;
        };
        self.setting = setting.clone();
        self.undone.clear();
        self.now.look.clone_from(&scene.look);
        self.now.places.clone_from(&scene.places);
        self.now.ptx = scene.ptx;
        self.now.beside.clone_from(&scene.beside);
        self.now.changed = self.changed_lines();
        self.stand(scene.at.as_ref().unwrap_or(&Parsed::start()));
    }

    /// The setting that is now asked about, at a place; if it cannot be shown, the picture stays.
    pub(super) fn stand(&mut self, place: &Parsed<RunPosition>) {
        self.from = 0;
        if let Err(missing) = self.cache.runs(&self.setting) {
            return self.say(&format!("This picture cannot be shown: {}.", missing.message));
        }
        self.now.setting = self.setting.clone();
        self.now.step = self.step(place).unwrap_or(0);
        self.from = self.now.step;
    }

    /// The steps done at a place; if it is not reached, the page says so.
    fn step(&mut self, place: &Parsed<RunPosition>) -> Option<usize> {
        let step = place.step(&self.cache, &self.setting);
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

/// A page before its first block.
pub(super) fn opened(
    lesson: &Lesson,
    page: usize,
    setting: Setting,
    watch: WatchMode,
) -> SessionView {
    SessionView {
        lesson: (lesson.number, lesson.title.clone()),
        page: page + 1,
        pages: lesson.pages.len(),
        title: lesson.pages[page].title.clone(),
        text: Vec::new(),
        setting,
        step: 0,
        look: Vec::new(),
        places: Vec::new(),
        changed: Vec::new(),
        ptx: false,
        beside: None,
        question: None,
        reply: None,
        proof: None,
        dials: None,
        watch,
        review: false,
        over: false,
    }
}
