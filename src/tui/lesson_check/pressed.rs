//! L18: each key that a page names is pressed as a reader would, on every screen, with the page's
//! question open and after it. What the page says of it must come true.

use super::memo::RunMemo;
use super::opened::opened;
use super::player::SEED;
use super::seen;
use crate::lesson::diagnostic::{Diagnostic, NO_KEY};
use crate::lesson::document::{Course, Lesson, Page, PageBlock, Para, Piece, keys};
use crate::lesson::session::{SessionView, words};
use crate::trace::cursor::StepSize;
use crate::tui::action::Action;
use crate::tui::app::{App, Overlay};
use crate::tui::headless::settle_by;
use crate::tui::keymap::{Key, KeyCode, named};
use crate::tui::layout::PANELS;
use crate::tui::{input, update};
use ratatui::buffer::Buffer;
use std::sync::Arc;

/// What is done at most before a page ends.
const MOST_MOVES: usize = 60;

/// When keys are pressed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// While the question below them is open.
    Open,
    /// Once it is answered.
    After,
}

/// One who presses the keys of a page.
struct Presser<'c> {
    lesson: &'c Lesson,
    page: &'c Page,
    memo: &'c RunMemo,
    app: App,
    screen: (u16, u16),
    when: When,
    /// The paragraphs whose keys were pressed.
    done: Vec<Para>,
    found: Vec<Diagnostic>,
}

/// Whether a page names a key to press.
pub(super) fn has_keys(page: &Page) -> bool {
    page.blocks.iter().any(|page_block| match page_block {
        PageBlock::Text(paras) => !keys(paras).is_empty(),
        PageBlock::Ask(ask) => ask.hints.iter().any(|hint| !keys(hint).is_empty()),
        _ => false,
    })
}

/// Presses the keys of a page, by its index, on a screen.
pub(super) fn check(
    course: &Arc<Course>,
    (lesson, index): (&Lesson, usize),
    memo: &RunMemo,
    screen: (u16, u16),
) -> Vec<Diagnostic> {
    let Some(page) = lesson.pages.get(index) else { return Vec::new() };
    let mut found = Vec::new();
    for when in [When::Open, When::After] {
        match opened(course, (lesson, index + 1), memo, (screen, SEED)) {
            Err(told) => found.push(*told),
            Ok(app) => {
                let (done, told) = (Vec::new(), Vec::new());
                let presser = Presser { lesson, page, memo, app, screen, when, done, found: told };
                found.extend(presser.take(index + 1));
            }
        }
    }
    found
}

impl Presser<'_> {
    fn take(mut self, page: usize) -> Vec<Diagnostic> {
        for _ in 0..MOST_MOVES {
            let now = self.app.mode.lesson().map(|lesson| lesson.now().clone());
            let Some(now) = now.filter(|now| !now.over && now.page == page) else { break };
            let waits = now.question.is_some() || now.proof.is_some();
            if waits == (self.when == When::Open) {
                let said = now.reply.as_ref().map_or(&[][..], |reply| &reply.text);
                let texts = [&now.text[..], said].concat();
                for para in &texts {
                    self.para(para);
                }
            }
            self.go_on(&now);
        }
        self.found
    }

    /// Goes on without answering; first the level is left that a key has opened.
    fn go_on(&mut self, now: &SessionView) {
        let waits = now.question.is_some() || now.proof.is_some();
        let code = match () {
            () if self.app.overlay.is_some() => KeyCode::Esc,
            () if waits => KeyCode::Esc,
            () if self.app.mode.dials().is_some() => KeyCode::Char('n'),
            () => KeyCode::Enter,
        };
        self.send(code.into());
    }

    /// Presses the keys of a paragraph that has not been read yet.
    fn para(&mut self, para: &Para) {
        match para {
            Para::Text(_) if self.done.contains(para) => {}
            Para::Text(pieces) => {
                self.done.push(para.clone());
                self.pieces(pieces);
            }
            Para::Code(_) => {}
            Para::Item(_, paras) | Para::Quote(paras) => {
                for para in paras {
                    self.para(para);
                }
            }
        }
    }

    fn pieces(&mut self, pieces: &[Piece]) {
        for (index, piece) in pieces.iter().enumerate() {
            let Piece::Key(name) = piece else { continue };
            let rest = words(&pieces[index + 1..]);
            let times = if rest.starts_with("twice") { 2 } else { 1 };
            let told = (0..times).find_map(|_| self.press(name));
            if let Some(told) = told.or_else(|| self.claimed(name, &rest)) {
                return self.wrong(name, &told);
            }
        }
    }

    /// Presses a key; returns what is wrong if it does nothing.
    fn press(&mut self, name: &str) -> Option<String> {
        // What nothing has is said elsewhere.
        let default = named(name).and_then(|command| command.keys.first());
        let key: Key = default.copied().unwrap_or(name).parse().ok()?;
        self.app.mode.lesson()?;
        let before = self.picture();
        let at = (self.app.run.session.id(), self.app.run.session.at());
        self.send(key);
        if self.app.mode.lesson().is_some_and(|lesson| lesson.refused) {
            return Some("is refused while the question is open".to_owned());
        }
        if self.picture() != before || at != (self.app.run.session.id(), self.app.run.session.at())
        {
            return None;
        }
        let said = self.app.message.as_ref().map(|said| format!(": \"{said}\""));
        Some(format!("changes nothing on the screen{}", said.unwrap_or_default()))
    }

    /// What is not true of what the page says of a key, in the words after it.
    fn claimed(&self, name: &str, rest: &str) -> Option<String> {
        let action = named(name)?.action;
        let session = &self.app.run.session;
        match action {
            Action::OpenFindings if !matches!(self.app.overlay, Some(Overlay::Findings(_))) => {
                return Some("does not show the findings".to_owned());
            }
            Action::OpenFindings if session.found().is_none_or(<[_]>::is_empty) => {
                return Some("shows no finding: there is none".to_owned());
            }
            Action::NextFinding | Action::PreviousFinding if session.worst().is_none() => {
                return Some("does not lead to a step at which something is wrong".to_owned());
            }
            Action::LongerUnit | Action::ShorterUnit => {
                let unit = self.app.play.playback.unit;
                let said = StepSize::ALL.into_iter().filter(|unit| rest.contains(unit.name()));
                let said: Vec<_> = said.collect();
                if !said.is_empty() && !said.contains(&unit) {
                    return Some(format!(
                        "makes a step one {}, not what the page says",
                        unit.name()
                    ));
                }
            }
            _ => {}
        }
        let areas = self.app.areas();
        let unseen = PANELS.iter().find(|row| {
            rest.contains(&format!("panel {}", row.key)) && areas.panel(row.panel).is_none()
        });
        unseen.map(|row| format!("leaves panel {}, which the page names, out of view", row.key))
    }

    /// The screen without the row of the sentence, where refusals stand, and the row of keys.
    fn picture(&self) -> Vec<String> {
        let buf: Buffer = seen::drawn(&self.app);
        let areas = self.app.areas();
        let rows = (0..buf.area.height).filter(|y| {
            let at = (0, *y).into();
            !areas.sentence.contains(at) && !areas.footer.contains(at)
        });
        rows.map(|y| format!("{:?}", (0..buf.area.width).map(|x| &buf[(x, y)]).collect::<Vec<_>>()))
            .collect()
    }

    fn send(&mut self, key: Key) {
        if let Some(action) = input::key(&self.app, key) {
            let tasks = update::update(&mut self.app, action);
            settle_by(&mut self.app, tasks, |app, task| self.memo.done(app, task));
        }
    }

    fn wrong(&mut self, key: &str, told: &str) {
        let Lesson { file, text, .. } = self.lesson;
        let (width, height) = self.screen;
        let when = match self.when {
            When::Open => "with the question open",
            When::After => "after the question",
        };
        let written = format!("`{key}`");
        let inside = text.get(self.page.span.clone()).unwrap_or_default();
        let at = self.page.span.start + inside.find(&written).unwrap_or(0);
        let told = format!("{written} {told} ({when}, at {width}x{height})");
        self.found.push(Diagnostic::at(NO_KEY, file, text, at..at + written.len(), told));
    }
}
