//! A lesson in progress: the open page, its question, and the reply.
//!
//! It knows no screen. Whoever shows it reads [`LessonSession::now`] after every call, and gives
//! [`LessonSession::events`] to the progress.
//!
//! ```text
//! open page --> text, scenes --> question --answer, skip--> reply --go_on--> next blocks, next page
//!                           \--> proof, dials ---------------------go_on--/
//! ```
//!
//! A right answer, or one that a wrong idea says, is replied to at once, with the evidence; any other
//! wrong one may be tried again.

mod again;
mod ahead;
mod alter;
mod ask;
mod blocks;
mod broken;
mod event;
mod happened;
mod late;
mod moves;
mod now;
mod reply;
mod resolve;
mod review;
mod seed;
mod sentence;
mod state;
mod topic;
mod turn;

pub use ahead::AskAhead;
pub use event::{GivenAnswer, LessonEvent, Outcome};
pub use moves::Move;
pub use now::{OpenDials, OpenProof, OpenQuestion, ProofBy, Reply, SessionView, WatchMode};
pub use sentence::PictureCaption;
pub use state::LessonSession;

pub use super::document::words;
pub use super::expr::Topic;

use super::document::{Course, Lesson};
use super::query;
use super::setting::Setting;
use super::setting_runs::SettingCache;
use std::collections::BTreeSet;
use std::sync::Arc;

impl LessonSession {
    /// Begins at a page, both numbers as the learner types them: `lesson.page`, the page from 1.
    /// The seed chooses the variants of the scenes and the order of the options.
    ///
    /// # Errors
    /// There is no such lesson or page: the message says which there are.
    pub fn begin(course: Arc<Course>, lesson: u32, page: usize, seed: u64) -> Result<Self, NoPage> {
        Self::begin_on(SettingCache::new(), course, (lesson, page), seed)
    }

    /// Like [`Self::begin`] where some runs have been recorded already.
    ///
    /// # Errors
    /// As for [`Self::begin`].
    pub fn begin_on(
        cache: SettingCache,
        course: Arc<Course>,
        place: (u32, usize),
        seed: u64,
    ) -> Result<Self, NoPage> {
        let mut session = Self::unopened(cache, course, place, seed)?;
        session.perform(&Move::Start(None));
        Ok(session)
    }

    /// Chooses a page as [`Self::begin_on`] does, and leaves it to [`Move::Start`] to open it: that
    /// runs what the page shows.
    ///
    /// # Errors
    /// As for [`Self::begin`].
    pub fn unopened(
        cache: SettingCache,
        course: Arc<Course>,
        (lesson, page): (u32, usize),
        seed: u64,
    ) -> Result<Self, NoPage> {
        let found = course.lessons.iter().position(|other| other.number == lesson);
        let index = found.ok_or_else(|| no_lesson(&course, lesson))?;
        let pages = course.lessons[index].pages.len();
        if !(1..=pages).contains(&page) {
            return Err(NoPage::Page { lesson, page, pages: pages_of(pages) });
        }
        let setting = Setting::default();
        let now = blocks::opened(&course.lessons[index], page - 1, setting.clone(), WatchMode::No);
        Ok(Self {
            course,
            lesson: index,
            page: page - 1,
            block_index: 0,
            seed,
            again: 0,
            cache,
            setting,
            from: 0,
            now,
            asked: None,
            pending: Vec::new(),
            broken: None,
            undone: Vec::new(),
            skipped: 0,
            events: Vec::new(),
        })
    }

    pub fn now(&self) -> &SessionView {
        &self.now
    }

    pub fn lesson(&self) -> &Lesson {
        &self.course.lessons[self.lesson]
    }

    /// The course that it belongs to.
    pub fn course(&self) -> &Arc<Course> {
        &self.course
    }

    /// The runs that were recorded for it.
    pub fn cache(&self) -> &SettingCache {
        &self.cache
    }

    /// Goes on to the next block, or to the next page; after the last one the lesson is over. The
    /// evidence is then where it was to go. An open question stays open, as does a proof: they
    /// are answered or skipped.
    pub fn go_on(&mut self) {
        if self.now.over || self.now.question.is_some() || self.now.proof.is_some() {
            return;
        }
        if self.now.watch == WatchMode::Offered {
            self.now.watch = WatchMode::No;
        }
        self.restore();
        self.finish();
        if !self.prove_broken() {
            self.advance();
        }
    }

    /// Goes back to the start of the page before; on the first one, to its start.
    pub fn back(&mut self) {
        let before =
            if self.now.over || self.now.review { self.page } else { self.page.saturating_sub(1) };
        self.again = 0;
        self.open(before);
    }

    /// Goes to a page of the lesson, from 1; nothing happens if it has no such page.
    pub fn go_to(&mut self, page: usize) {
        if (1..=self.lesson().pages.len()).contains(&page) {
            self.again = 0;
            self.open(page - 1);
        }
    }

    /// Goes to a page of the lesson, from 1, with the numbers of another seed.
    pub fn reopen(&mut self, page: usize, seed: u64) {
        self.seed = seed;
        self.skipped = 0;
        self.go_to(page);
    }

    /// Whether nothing of the page is left: going on leaves it.
    pub fn is_at_end(&self) -> bool {
        let now = &self.now;
        let waits = now.question.is_some() || now.proof.is_some() || self.broken.is_some();
        !waits && self.block_index >= self.lesson().pages[self.page].blocks.len()
    }

    /// The same page from its start, with other numbers where it has variants.
    pub fn again(&mut self) {
        if self.now.over {
            return;
        }
        let review = self.asked.as_ref().and_then(|asked| asked.review.clone());
        if let Some(idea) = review.filter(|_| self.now.review) {
            self.review(&idea);
        } else {
            self.again += 1;
            self.open(self.page);
        }
    }

    /// Only watches from here on: questions open with their answers, also the one that is open.
    pub fn watch(&mut self) {
        self.now.watch = WatchMode::Only;
        if self.now.question.is_some() {
            self.show(Outcome::Watched);
        }
    }

    /// The same moment with nothing lit on the picture.
    #[must_use]
    pub fn unlit(&self) -> Self {
        let mut session = self.clone();
        session.now.reply.iter_mut().for_each(|reply| reply.marks.clear());
        session
    }

    /// How many of the last paragraphs of the reply join the page when the lesson goes on.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Whether the page has asked something.
    pub fn has_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// What happened since the last call.
    pub fn events(&mut self) -> Vec<LessonEvent> {
        std::mem::take(&mut self.events)
    }

    /// What queries may refer to: the place where the run stands.
    fn given(&self) -> query::Bindings {
        query::Bindings { from: self.from, ..query::Bindings::default() }
    }

    /// Where queries are asked: of the run that stands.
    fn context<'a>(&'a self, given: &'a query::Bindings) -> query::EvalContext<'a> {
        query::EvalContext { cache: &self.cache, setting: &self.setting, given }
    }

    fn seed(&self) -> u64 {
        self.seed.wrapping_add(self.again)
    }
}

/// Why a lesson cannot be begun.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPage {
    #[error("there is no lesson {lesson}: the course {has}")]
    Lesson { lesson: u32, has: String },
    #[error("lesson {lesson} has {pages}, and no {lesson}.{page}")]
    Page { lesson: u32, page: usize, pages: String },
}

fn no_lesson(course: &Course, lesson: u32) -> NoPage {
    let numbers: BTreeSet<_> = course.lessons.iter().map(|lesson| lesson.number).collect();
    let has = match runs(&numbers).split_last() {
        None => "is empty".to_owned(),
        Some((last, [])) => format!("has {last}"),
        Some((last, before)) => format!("has {} and {last}", before.join(", ")),
    };
    NoPage::Lesson { lesson, has }
}

/// Numbers in words, neighbours together: `0 to 8`, `12`.
fn runs(numbers: &BTreeSet<u32>) -> Vec<String> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let told = |(first, last): (u32, u32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first} to {last}"),
    };
    runs.into_iter().map(told).collect()
}

fn pages_of(count: usize) -> String {
    match count {
        0 => "no page".to_owned(),
        1 => "one page".to_owned(),
        _ => format!("pages 1 to {count}"),
    }
}

#[cfg(test)]
pub(super) mod example;
#[cfg(test)]
mod tests;
