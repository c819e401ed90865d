//! L30: each page is taken as a learner would: all right, once with each wrong idea, all skipped.

use super::answered::{SPOILS, Strategy, ideas_of, right, said_by};
use super::examined::ExaminedPage;
use crate::lesson::diagnostic::{Diagnostic, WALK};
use crate::lesson::document::{Idea, Lesson, Page, PageBlock, Para, Piece, pieces};
use crate::lesson::question::Question;
use crate::lesson::session::{self, LessonSession, ProofBy};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The seed of the first session; the next ones see the other variants.
const SEED: u64 = 0;

/// What is done on a page at most before it ends.
const MOST_MOVES: usize = 200;

/// Takes a page in every way, unless it is known already that it cannot be taken.
pub(super) fn check(examined: &ExaminedPage<'_>) -> Vec<Diagnostic> {
    if examined.scenes.is_broken() {
        return Vec::new();
    }
    let (course, lesson) = (examined.course, examined.lesson);
    let (page, cache) = (examined.index + 1, examined.cache.clone());
    let Ok(session) =
        LessonSession::begin_on(cache, Arc::clone(course), (lesson.number, page), SEED)
    else {
        return Vec::new();
    };
    let queries = queries(examined.page, &course.ideas);
    let mut bot = Bot { session, is_fresh: true, examined, queries, found: Vec::new() };
    let seeds = if examined.wanted.quick { 1 } else { variants(lesson, examined.index) };
    for seed in SEED..SEED + seeds {
        bot.take_every_way(seed);
    }
    bot.go_on_from(page);
    bot.found
}

/// One who takes a page.
struct Bot<'a> {
    session: LessonSession,
    /// Whether the page has just been opened.
    is_fresh: bool,
    examined: &'a ExaminedPage<'a>,
    /// How each query of the page would begin if it had no answer.
    queries: BTreeSet<String>,
    found: Vec<Diagnostic>,
}

impl Bot<'_> {
    fn take_every_way(&mut self, seed: u64) {
        let most = self.take(seed, Strategy::Right);
        for idea in 0..most {
            self.take(seed, Strategy::Idea(idea));
        }
        self.take(seed, Strategy::Skip);
    }

    /// Takes the page to its end; returns the most ideas that a question of it offers.
    fn take(&mut self, seed: u64, way: Strategy) -> usize {
        if !std::mem::take(&mut self.is_fresh) {
            self.session.reopen(self.examined.index + 1, seed);
        }
        let (mut most, mut asked) = (0, BTreeSet::new());
        for _ in 0..MOST_MOVES {
            self.read(seed);
            let now = self.session.now();
            if let Some(open) = &now.question {
                let question = open.question.clone();
                most = most.max(ideas_of(&question).len());
                self.answer(seed, &question, way);
                asked.insert(question.id);
            } else if let Some(proof) = &now.proof {
                match (way, proof.by, &proof.said) {
                    (Strategy::Right, ProofBy::Order, None) => self.session.answer(SPOILS),
                    _ => self.session.skip(),
                }
            } else if self.session.is_at_end() {
                let missing = self.asks().find(|id| !asked.contains(*id)).map(str::to_owned);
                if let Some(id) = missing {
                    self.wrong(Some(&id), format!("this question is not asked (seed {seed})"));
                }
                return most;
            } else {
                self.session.go_on();
            }
        }
        self.wrong(None, format!("this page does not end (seed {seed})"));
        most
    }

    /// The next page follows, or the lesson is over.
    fn go_on_from(&mut self, page: usize) {
        self.session.go_on();
        let now = self.session.now();
        let is_last = page == now.pages;
        if now.over != is_last || !is_last && now.page != page + 1 {
            self.wrong(None, "this page does not lead to the next".to_owned());
        }
    }

    /// The names of the page's questions.
    fn asks(&self) -> impl Iterator<Item = &str> {
        self.examined.page.blocks.iter().filter_map(|page_block| match page_block {
            PageBlock::Ask(ask) => Some(&*ask.id),
            _ => None,
        })
    }

    /// Answers the open question, and looks at the reply.
    fn answer(&mut self, seed: u64, question: &Question, way: Strategy) {
        let idea = match way {
            Strategy::Idea(number) => ideas_of(question).into_iter().nth(number),
            Strategy::Right | Strategy::Skip => None,
        };
        let attempt = match (&idea, way) {
            (_, Strategy::Skip) => None,
            (Some(idea), _) => said_by(question, idea),
            (None, _) => Some(right(question)),
        };
        let Some(attempt) = attempt else { return self.session.skip() };

        self.session.answer(attempt.clone());
        // A recognised idea may be given up: here it is not.
        if idea.is_some() && self.session.now().question.is_some() {
            self.session.answer(attempt.clone());
        }
        let Some(reply) = &self.session.now().reply else {
            let told = format!("`{attempt}` is not understood as an answer (seed {seed})");
            self.wrong(Some(&question.id), told);
            return self.session.skip();
        };
        let told = match (&idea, &reply.model, reply.right) {
            (None, _, Some(true)) | (Some(_), Some(_), Some(false))
                if reply.model.is_none() || reply.idea.is_some() =>
            {
                return;
            }
            (None, ..) => format!("`{attempt}` is right, and is not taken so (seed {seed})"),
            (Some(idea), Some(_), _) => {
                format!("nothing is said of the idea `{idea}` in models.md")
            }
            (Some(idea), ..) => {
                format!("`{attempt}` is what `{idea}` says, and is not recognised (seed {seed})")
            }
        };
        self.wrong(Some(&question.id), told);
    }

    /// No query on the page, or in a reply, is without its value.
    fn read(&mut self, seed: u64) {
        let now = self.session.now();
        let mut text = String::new();
        words(&now.text, &mut text);
        now.reply.iter().for_each(|reply| words(&reply.text, &mut text));
        let bad = self.queries.iter().find_map(|query| {
            let rest = &text[text.find(query)?..];
            Some(rest.split(']').next().unwrap_or(rest).trim_start_matches('[').to_owned())
        });
        if let Some(bad) = bad {
            let asked =
                now.reply.is_some().then(|| self.asks().next().map(str::to_owned)).flatten();
            self.wrong(
                asked.as_deref(),
                format!("this page shows no value, but `{bad}` (seed {seed})"),
            );
        }
    }

    /// Something is wrong at a question or on the page; the first of its kind is enough.
    fn wrong(&mut self, ask: Option<&str>, told: String) {
        let (page, lesson) = (self.examined.page, self.examined.lesson);
        let of_ask = page.blocks.iter().find_map(|page_block| match page_block {
            PageBlock::Ask(other) if Some(&*other.id) == ask => Some(other.want.span.clone()),
            _ => None,
        });
        let start = page.span.start;
        let title = lesson.text[start..].lines().next().map_or(0, str::len);
        let span = of_ask.unwrap_or(start..start + title);
        let told = Diagnostic::at(WALK, &lesson.file, &lesson.text, span, told);
        if !self.found.iter().any(|other| (other.line, other.column) == (told.line, told.column)) {
            self.found.push(told);
        }
    }
}

/// The most variants of a scene that stands on a page.
fn variants(lesson: &Lesson, page: usize) -> u64 {
    let scenes = |page: usize| {
        lesson.pages[page].blocks.iter().filter_map(|page_block| match page_block {
            PageBlock::Scene(scene) => Some(scene.variants.len()),
            _ => None,
        })
    };
    let own = scenes(page).max();
    let before = || (0..page).rev().find_map(|page| scenes(page).next_back());
    own.or_else(before).unwrap_or(1) as u64
}

/// How queries of a page and of all replies are shown that have no value.
fn queries(page: &Page, ideas: &[Idea]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for page_block in &page.blocks {
        match page_block {
            PageBlock::Text(paras) => gather(paras, &mut found),
            PageBlock::Ask(ask) => ask.hints.iter().for_each(|hint| gather(hint, &mut found)),
            _ => {}
        }
    }
    for idea in ideas {
        gather(&idea.reply, &mut found);
    }
    found
}

fn gather(paras: &[Para], found: &mut BTreeSet<String>) {
    found.extend(pieces(paras).into_iter().filter_map(|piece| match piece {
        Piece::Query(query) => Some(format!("[{}: ", query.text.trim())),
        _ => None,
    }));
}

/// The words of some paragraphs.
fn words(paras: &[Para], all: &mut String) {
    for para in paras {
        match para {
            Para::Text(pieces) => all.push_str(&session::words(pieces)),
            Para::Code(_) => {}
            Para::Item(_, paras) | Para::Quote(paras) => words(paras, all),
        }
        all.push('\n');
    }
}
