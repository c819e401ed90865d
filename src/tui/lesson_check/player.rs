//! One who takes a lesson by keys, and looks at what the screen shows.

use super::answer::{keys, letter};
use super::memo::RunMemo;
use super::opened::opened;
use super::seen;
use super::told;
use crate::lesson::check::{SPOILS, Strategy, ideas_of, right, said_by};
use crate::lesson::diagnostic::{Diagnostic, SHOWS, UNSEEN, WALK};
use crate::lesson::document::{AskKind, Course, Lesson, PageBlock, Para};
use crate::lesson::question::{Offer, Question};
use crate::lesson::session::{ProofBy, SessionView, words};
use crate::lesson::target::{PagePlace, View};
use crate::study::stage::{EventProgress, StageFocus};
use crate::tui::app::App;
use crate::tui::headless::settle_by;
use crate::tui::keymap::{Key, KeyCode};
use crate::tui::lesson::panel_of;
use crate::tui::page;
use crate::tui::{input, update};
use ratatui::buffer::Buffer;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The smallest screen that shows a picture and a text.
pub(super) const SMALL: (u16, u16) = (80, 24);

/// The seed of the numbers.
pub(super) const SEED: u64 = 0;

/// Says that the setting of the dials is the one.
const THIS_ONE: char = 'y';

/// Goes on without the dials.
const WITHOUT_DIALS: char = 'n';

/// The screens of a page's text at most.
const MOST_TURNS: usize = 12;

/// What is done at most before a lesson ends.
const MOST_MOVES: usize = 400;

/// One who takes a lesson.
pub(super) struct Player<'c> {
    lesson: &'c Lesson,
    memo: &'c RunMemo,
    app: App,
    screen: (u16, u16),
    way: Strategy,
    /// Whether frames for the plainest terminal are left out.
    quick: bool,
    pressed: Vec<Key>,
    found: Vec<Diagnostic>,
}

impl<'c> Player<'c> {
    /// Opens the lesson.
    pub(super) fn new(
        course: &Arc<Course>,
        lesson: &'c Lesson,
        memo: &'c RunMemo,
        (screen, way): ((u16, u16), Strategy),
        quick: bool,
    ) -> Result<Self, Box<Diagnostic>> {
        let app = opened(course, (lesson, 1), memo, (screen, SEED))?;
        Ok(Self { lesson, memo, app, screen, way, quick, pressed: Vec::new(), found: Vec::new() })
    }

    /// Takes it to its end; returns what is wrong.
    pub(super) fn take(mut self) -> Vec<Diagnostic> {
        self.walk();
        self.found
    }

    /// Takes it to its end; returns the keys that were pressed.
    pub(super) fn keys(mut self) -> Vec<Key> {
        self.walk();
        self.pressed
    }

    fn walk(&mut self) {
        let mut pages = BTreeSet::new();
        for _ in 0..MOST_MOVES {
            let Some(now) = self.now() else {
                return self.wrong(WALK, None, "the lesson is left before its end");
            };
            if now.over {
                return self.end(&pages);
            }
            pages.insert(now.page);
            self.places(&now);
            self.go_on(&now);
        }
        self.wrong(WALK, None, "the lesson does not end");
    }

    fn now(&self) -> Option<SessionView> {
        self.app.mode.lesson().map(|lesson| lesson.now().clone())
    }

    /// What a page names of the stage must be there.
    fn places(&mut self, now: &SessionView) {
        if !self.app.is_stage_wanted() {
            return;
        }
        let (session, stage) = (&self.app.run.session, &self.app.display.stage);
        let refusal = stage.refusal(session.id()).map(str::to_owned);
        let scene = stage.scene(session, (EventProgress::Settled, false), StageFocus::default());
        let lacks = |place: &PagePlace| match (place, &scene) {
            (PagePlace::Part(part), Some(scene)) if !scene.has(*part) => Some(part.name()),
            _ => None,
        };
        let missing = now.places.iter().find_map(lacks);
        let told = refusal
            .or_else(|| missing.map(|name| format!("the stage of this kernel has no `{name}`")));
        if let Some(told) = told {
            self.wrong(SHOWS, None, &told);
        }
    }

    fn go_on(&mut self, now: &SessionView) {
        if let Some(open) = &now.question {
            self.ask(now, &open.question);
        } else if let Some(proof) = &now.proof {
            match (self.way, proof.by, &proof.said) {
                (Strategy::Right, ProofBy::Order, None) => {
                    SPOILS.chars().for_each(|one| self.press(letter(one)));
                    self.enter();
                }
                _ => self.key(KeyCode::Esc),
            }
            self.look();
        } else if self.app.mode.dials().is_some() {
            self.look();
            self.dial();
        } else {
            self.enter();
            self.look();
        }
    }

    /// Turns a dial and says that this setting is the one, then goes on without the dials. Which one
    /// is right only all settings together tell: that is a test of its own.
    fn dial(&mut self) {
        if self.way == Strategy::Right {
            self.key(KeyCode::Right);
            self.press(letter(THIS_ONE));
            let shown = self.look();
            let said = self.now().and_then(|now| now.dials).and_then(|dials| dials.said);
            let is_seen = |said: String| seen::whole(&shown).contains(&seen::plain(&said));
            let is_over = self.app.mode.dials().is_none();
            if !is_over && !said.is_some_and(is_seen) {
                self.wrong(WALK, None, "nothing is said of the setting that is chosen");
            }
        }
        if self.app.mode.dials().is_some() {
            self.press(letter(WITHOUT_DIALS));
        }
    }

    /// The results are shown, and every page was.
    fn end(&mut self, pages: &BTreeSet<usize>) {
        let missing = (1..=self.lesson.pages.len()).find(|page| !pages.contains(page));
        if let Some(page) = missing {
            let lesson = self.lesson.number;
            self.wrong(WALK, None, &format!("page {lesson}.{page} is not reached"));
        }
        let shown = self.look();
        if !seen::text(&self.app, &shown).contains("What you predicted") {
            self.wrong(WALK, None, "the lesson does not end with its results");
        }
    }

    /// Answers a question, and looks at it before and after.
    fn ask(&mut self, now: &SessionView, question: &Question) {
        let id = Some(&*question.id);
        self.look();
        // On a small screen, the text is read first.
        for _ in 0..MOST_TURNS {
            if page::reads(&self.app) {
                self.key(KeyCode::PageDown);
            }
        }
        let shown = self.look();
        // What a change is called is asked by the heading.
        let prompt = asked(now).filter(|_| question.kind != AskKind::Name);
        if prompt.is_some_and(|prompt| !self.reads(&shown, &prompt)) {
            self.wrong(WALK, id, "what is asked is not seen whole");
        }
        let page = seen::text(&self.app, &shown);
        let unseen = |offer: &&Offer| !page.contains(&seen::plain(&words(&offer.text)));
        if question.offers.iter().any(|offer| unseen(&offer)) {
            self.wrong(WALK, id, "not every option is seen");
        }
        self.early(question);
        let idea = match self.way {
            Strategy::Idea(number) => ideas_of(question).into_iter().nth(number),
            Strategy::Right | Strategy::Skip => None,
        };
        let attempt = match (&idea, self.way) {
            (_, Strategy::Skip) => None,
            (Some(idea), _) => said_by(question, idea),
            (None, _) => Some(right(question)),
        };
        let Some(keys) = attempt.and_then(|attempt| keys(question, &attempt)) else {
            self.key(KeyCode::Esc);
            return self.replied(question, None, false);
        };
        for key in &keys {
            self.press(*key);
        }
        let shown = self.look();
        if !seen::text(&self.app, &shown).contains(&self.given()) {
            self.wrong(WALK, id, "the answer that is typed is not seen");
        }
        self.enter();
        self.again(question, &keys);
        self.replied(question, idea.as_deref(), true);
    }

    /// Gives an answer once more, if it is an idea's: that is named first.
    fn again(&mut self, question: &Question, keys: &[Key]) {
        let said = self.now().and_then(|now| now.question).and_then(|open| open.said);
        let Some(said) = said else { return };
        let shown = self.look();
        if !self.reads(&shown, &seen::plain(&said)) {
            self.wrong(WALK, Some(&question.id), "what is said to an idea is not seen whole");
        }
        for key in keys {
            self.press(*key);
        }
        self.enter();
    }

    /// The answer that is being given, as it is to be seen.
    fn given(&self) -> String {
        let Some(lesson) = self.app.mode.lesson() else { return String::new() };
        let input = &lesson.input;
        let offered = lesson.question().and_then(|question| {
            let place = input.order.get(input.chosen?)?;
            question.offers.get(*place).map(|offer| words(&offer.text))
        });
        seen::plain(&offered.unwrap_or_else(|| input.attempt().to_string()))
    }

    /// Looks at what is said to an answer, or instead of one.
    fn replied(&mut self, question: &Question, idea: Option<&str>, is_given: bool) {
        let id = Some(&*question.id);
        let shown = self.look();
        let Some(reply) = self.now().and_then(|now| now.reply) else {
            self.wrong(WALK, id, "the answer is not understood");
            return self.key(KeyCode::Esc);
        };
        let told = match (idea, is_given) {
            (Some(idea), true) if reply.model.as_deref() != Some(idea) => {
                Some(format!("what `{idea}` says is not recognised"))
            }
            (None, true) if reply.right != Some(true) => {
                Some("what is right is not taken so".to_owned())
            }
            _ => None,
        };
        if let Some(told) = told {
            self.wrong(WALK, id, &told);
        }
        let said = reply.idea.as_deref().filter(|_| reply.model.is_some());
        if said.is_some_and(|says| !self.reads(&shown, &seen::plain(says))) {
            self.wrong(WALK, id, "the reply does not name the idea");
        }
        if self.screen == SMALL && self.way == Strategy::Right {
            self.evidence(question);
        }
        self.early(question);
    }

    /// Nothing may be told of what is not answered yet: not beside the page, not in the findings, and
    /// not on the card that compares two tiles.
    fn early(&mut self, question: &Question) {
        if self.screen == SMALL || self.way != Strategy::Right {
            return;
        }
        let open = self.now().is_some_and(|now| now.question.is_some());
        for key in [None, Some('!'), Some('T')] {
            if let Some(key) = key.filter(|key| !open || *key == '!') {
                self.press(letter(key));
            }
            if let Some(told) = told::early(&self.app, &seen::drawn(&self.app)) {
                return self.wrong(SHOWS, Some(&question.id), &told);
            }
            if self.app.overlay.is_some() {
                self.key(KeyCode::Esc);
            }
        }
    }

    /// What the answer counts must be lit in the panel that is looked at.
    fn evidence(&mut self, question: &Question) {
        let Some(now) = self.now() else { return };
        let Some(reply) = now.reply.filter(|reply| !reply.marks.is_empty()) else { return };
        let Some(view) = reply.view.or(now.look.first().copied()) else { return };
        let on_stage = self.app.areas().stage;
        let area = seen::area_of(&self.app, panel_of(view));
        let area = area.or_else(|| Some(on_stage).filter(|stage| !stage.is_empty()));
        let is_seen = |area| view == View::Value || seen::shows(&mut self.app, area);
        if !area.is_some_and(is_seen) {
            let name = view.name();
            let told = format!("nothing of what the answer counts is seen in `{name}`");
            self.wrong(UNSEEN, Some(&question.id), &told);
        }
    }

    /// Whether a text stands on the page, perhaps where it has to be turned to.
    fn reads(&mut self, shown: &Buffer, wanted: &str) -> bool {
        if seen::text(&self.app, shown).contains(wanted) {
            return true;
        }
        let mut all = String::new();
        let pages = std::iter::repeat_n(KeyCode::PageUp, MOST_TURNS);
        pages.for_each(|key| self.key(key));
        for _ in 0..MOST_TURNS {
            let next = seen::text(&self.app, &seen::drawn(&self.app));
            if !all.ends_with(&next) {
                all = format!("{all} {next}");
            }
            self.key(KeyCode::PageDown);
        }
        all.contains(wanted)
    }

    /// Draws the screen; also in ASCII characters, which must show no others.
    fn look(&mut self) -> Buffer {
        if !self.quick {
            let buf = seen::drawn_plain(&mut self.app);
            if let Some(cell) = buf.content.iter().find(|cell| !cell.symbol().is_ascii()) {
                let told = format!("with `--set glyphs=ascii` the screen shows {}", cell.symbol());
                self.wrong(WALK, None, &told);
            }
            if buf.content.iter().any(seen::has_more_colours) {
                self.wrong(WALK, None, "with 16 colours the screen shows another one");
            }
        }
        seen::drawn(&self.app)
    }

    fn enter(&mut self) {
        self.key(KeyCode::Enter);
    }

    fn key(&mut self, code: KeyCode) {
        self.press(code.into());
    }

    fn press(&mut self, key: Key) {
        self.pressed.push(key);
        if let Some(action) = input::key(&self.app, key) {
            let tasks = update::update(&mut self.app, action);
            settle_by(&mut self.app, tasks, |app, task| self.memo.done(app, task));
        }
    }

    /// Something is wrong at a question, or on the page.
    fn wrong(&mut self, code: &'static str, ask: Option<&str>, told: &str) {
        let page = self.app.mode.lesson().map_or(1, |lesson| lesson.now().page);
        let (width, height) = self.screen;
        let told = format!("{told} (taken by keys at {width}x{height})");
        let span = place(self.lesson, page - 1, ask);
        let Lesson { file, text, .. } = self.lesson;
        self.found.push(Diagnostic::at(code, file, text, span, told));
    }
}

/// What is asked: the last paragraph of the page before a question.
fn asked(now: &SessionView) -> Option<String> {
    match now.text.last()? {
        Para::Text(pieces) => Some(seen::plain(&words(pieces))),
        _ => None,
    }
}

/// Where a question stands in its file, or the title of a page.
fn place(lesson: &Lesson, page: usize, ask: Option<&str>) -> Range<usize> {
    let beats = lesson.pages.iter().flat_map(|page| &page.blocks);
    let spans = beats.filter_map(|page_block| match page_block {
        PageBlock::Ask(own) if Some(&*own.id) == ask => Some(own.want.span.clone()),
        PageBlock::Change(own) if Some(&*own.id) == ask => Some(own.span.start..own.span.start),
        _ => None,
    });
    let start = lesson.pages.get(page).map_or(0, |page| page.span.start);
    spans.into_iter().next().unwrap_or(start..start)
}
