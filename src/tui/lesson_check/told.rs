//! L23: what the screen tells beside a page of what is asked there, or later in the lesson.

use super::memo::RunMemo;
use super::opened::opened;
use super::seen;
use crate::lesson::diagnostic::{Diagnostic, SHOWS};
use crate::lesson::document::{Course, Lesson, Page, PageBlock};
use crate::lesson::session::Topic;
use crate::lesson::target::View;
use crate::tui::app::App;
use crate::tui::lesson::ActiveLesson;
use ratatui::buffer::Buffer;
use std::sync::Arc;

/// A screen on which no title is cut.
const LARGE: (u16, u16) = (200, 60);

/// The words of an advice by which it is recognised, wherever its lines end.
const WORDS: usize = 4;

/// Units of times and speeds, as [`seen::plain`] leaves them.
const TIMES: [&str; 5] = ["ms", "us", "µs", "GFLOP", "TFLOP"];

/// Where a frame gives away an answer that is still open.
pub(super) fn early(app: &App, buf: &Buffer) -> Option<String> {
    let lesson = app.mode.lesson()?;
    let (beside, whole) = (seen::beside(app, buf), seen::whole(buf));
    cost(lesson, &beside).or_else(|| time(lesson, &beside)).or_else(|| remedy(app, lesson, &whole))
}

/// A count that is asked, or the warps whose accesses are to be counted.
fn cost(lesson: &ActiveLesson, shown: &str) -> Option<String> {
    let question = lesson.question().filter(|_| lesson.session.asks(Topic::Cost))?;
    let is = seen::plain(&format!("{} {}", question.right.value, question.unit));
    let words: Vec<_> = shown.split(' ').collect();
    let all: Vec<_> = is.split(' ').collect();
    if !question.unit.is_empty() && words.windows(all.len()).any(|some| some == all) {
        return Some(format!("the screen shows the answer beside the page: {is}"));
    }
    let names = |pair: &[&str]| pair[0] == "Warps" && pair[1].parse::<u32>().is_ok();
    let counts = lesson.session.asks(Topic::Block) && words.windows(2).any(names);
    counts.then(|| "the sentence names the warps that are to be counted".to_owned())
}

/// A time that a later question asks.
fn time(lesson: &ActiveLesson, shown: &str) -> Option<String> {
    let now = lesson.now().reply.as_ref().and_then(|reply| reply.view);
    if now == Some(View::Measured) || !lesson.session.will_ask(Topic::Time) {
        return None;
    }
    let words: Vec<_> = shown.split(' ').collect();
    let is_time = |pair: &&[&str]| pair[0].parse::<u32>().is_ok() && TIMES.contains(&pair[1]);
    let told =
        |pair: &[&str]| format!("the screen shows a time, {}, that is asked later", pair.join(" "));
    words.windows(2).find(is_time).map(told)
}

/// What is to be done about a finding, which a later question asks.
fn remedy(app: &App, lesson: &ActiveLesson, shown: &str) -> Option<String> {
    let found = app.run.session.found().filter(|_| lesson.session.will_ask(Topic::Remedy))?;
    let begins = found.iter().map(|found| {
        let words = seen::plain(&found.advice);
        words.split(' ').take(WORDS).collect::<Vec<_>>().join(" ")
    });
    let mut begins = begins.filter(|begin| !begin.is_empty() && shown.contains(begin));
    begins.next().map(|begin| format!("the screen advises what is asked later: {begin} .."))
}

/// Whether a page shows one of several kernels that differ only in their changes.
pub(super) fn has_twins(page: &Page) -> bool {
    page.blocks.iter().any(|page_block| match page_block {
        PageBlock::Scene(scene) => {
            let mut pairs = scene.variants.windows(2);
            pairs.any(|pair| pair[0].changes != pair[1].changes)
        }
        _ => false,
    })
}

/// Complains about a page whose frame, beside text and panels, tells which of its kernels it shows.
pub(super) fn twins(
    course: &Arc<Course>,
    (lesson, index): (&Lesson, usize),
    memo: &RunMemo,
) -> Vec<Diagnostic> {
    let Some(page) = lesson.pages.get(index) else { return Vec::new() };
    let variants = page.blocks.iter().map(|page_block| match page_block {
        PageBlock::Scene(scene) => scene.variants.len() as u64,
        _ => 0,
    });
    let mut frames = Vec::new();
    for seed in 0..variants.max().unwrap_or(0) {
        match opened(course, (lesson, index + 1), memo, (LARGE, seed)) {
            Err(told) => return vec![*told],
            Ok(app) => frames.push(seen::around(&app)),
        }
    }
    let differ = frames.windows(2).find(|pair| pair[0] != pair[1]);
    let told = differ.map(|pair| {
        let words = |frame: &str| frame.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (one, other) = (words(&pair[0]), words(&pair[1]));
        let only: Vec<_> = other.into_iter().filter(|word| !one.contains(word)).collect();
        let told = format!("the frame tells one of the kernels from the other: {}", only.join(" "));
        Diagnostic::at(SHOWS, &lesson.file, &lesson.text, page.span.start..page.span.start, told)
    });
    told.into_iter().collect()
}
