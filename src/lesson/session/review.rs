//! A question on an idea that was missed in a lesson before, ahead of the page, with other numbers.

use super::blocks::{opened, plain};
use super::state::LessonSession;
use crate::lesson::answer::Value;
use crate::lesson::document::{Ask, Course, PageBlock, Para, Scene};
use crate::lesson::expr::{AccessVerb, Argument, FunctionCall, Query, QueryNode};
use crate::lesson::model;
use std::sync::Arc;

/// A question on an idea, and where it is asked.
struct Candidate<'a> {
    scene: &'a Scene,
    ask: &'a Ask,
    /// The text that asks it, if it stands on a page of a lesson.
    text: Option<Vec<&'a Para>>,
}

/// What a probe asks, as a question: the function of its query, and the words around its access.
const PHRASES: &[(&str, &str, &str)] = &[
    ("sectors", "How many sectors does", "fetch"),
    ("lines", "How many lines of memory does", "touch"),
    ("passes", "In how many passes is", "done"),
    ("ways", "How many words of one bank are wanted at most by", ""),
    ("words", "How many words does", "touch"),
    ("ideal", "How many sectors would be enough for", ""),
    ("used", "How much of what is fetched is used by", ""),
];

impl LessonSession {
    /// Asks about an idea missed before; the page that stands opens anew after it. To be called
    /// before anything is answered. Returns false, and leaves the page, if the course has no question
    /// on the idea that can be asked.
    pub fn review(&mut self, idea: &str) -> bool {
        let course = Arc::clone(&self.course);
        let kept = (self.setting.clone(), self.now.clone(), self.again);
        let all = candidates(&course, idea);
        let turns = all.iter().flat_map(|candidate| {
            let variants = candidate.scene.variants.len().max(1) as u64;
            // Not the numbers with which it was missed.
            (1..=variants).map(move |turn| (candidate, turn))
        });
        for (candidate, turn) in turns {
            self.again = kept.2 + turn;
            let watch = self.now.watch;
            self.now = opened(self.lesson(), self.page, kept.1.setting.clone(), watch);
            "From a lesson before".clone_into(&mut self.now.title);
            self.set(candidate.scene);
            if self.now.text.is_empty() && self.tells(candidate.ask, idea) {
                self.now.text = if let Some(paras) = &candidate.text {
                    self.resolved(paras.iter().copied())
                } else {
                    let asked = asked_of(&candidate.ask.want);
                    self.stands().into_iter().chain([asked]).map(|text| plain(&text)).collect()
                };
                self.now.review = true;
                return self.ask_about(candidate.ask, Some(idea.to_owned()));
            }
        }
        (self.setting, self.now, self.again) = kept;
        false
    }

    /// What a probe is asked of, in words.
    fn stands(&self) -> Option<String> {
        let runs = self.cache.runs(&self.setting).ok()?;
        let (name, block) = (runs.problem.name(), runs.problem.launch.block);
        let warp = self.setting.warp.map(|warp| format!(" Look at warp {warp}."));
        let warp = warp.unwrap_or_default();
        Some(format!("The kernel {name}, in blocks of {} x {} threads.{warp}", block.x, block.y))
    }

    /// Whether a question's answer in this setting reveals the idea.
    fn tells(&self, ask: &Ask, idea: &str) -> bool {
        if self.question(ask).is_err() {
            return false;
        }
        let given = self.given();
        let context = self.context(&given);
        if let Some(option) = ask.options.iter().find(|it| it.idea.as_deref() == Some(idea)) {
            let holds = option.holds().and_then(|query| context.answer(query).ok());
            return holds.is_some_and(|answer| answer.value == Value::Truth(false));
        }
        let says = model::says(idea, &ask.want, &context);
        let right = context.answer(&ask.want);
        says.zip(right.ok()).is_some_and(|(says, right)| says != right.value)
    }
}

/// Questions on an idea: first its probe, in the scenes where the course asks about the idea, and
/// then the questions of the lessons.
fn candidates<'a>(course: &'a Course, idea: &str) -> Vec<Candidate<'a>> {
    let asks: Vec<_> = course
        .lessons
        .iter()
        .flat_map(|lesson| {
            let mut scene = None;
            let pages = lesson.pages.iter();
            pages
                .flat_map(|page| page.blocks.iter().map(move |page_block| (page, page_block)))
                .filter_map(move |(page, page_block)| {
                    if let PageBlock::Scene(found) = page_block {
                        scene = Some(found);
                    }
                    let PageBlock::Ask(ask) = page_block else { return None };
                    Some(Candidate {
                        scene: scene?,
                        ask,
                        text: Some(text_before(&page.blocks, ask)),
                    })
                })
        })
        .filter(|candidate| offers(candidate.ask, idea))
        .collect();
    let probe = course.ideas.iter().find(|other| other.id == idea);
    let probe = probe.and_then(|idea| idea.probe.as_ref());
    let probes = asks
        .iter()
        .filter_map(|asked| Some(Candidate { scene: asked.scene, ask: probe?, text: None }));
    probes.collect::<Vec<_>>().into_iter().chain(asks).collect()
}

/// The text of a page that leads to a question: from the block before it on.
fn text_before<'a>(beats: &'a [PageBlock], ask: &Ask) -> Vec<&'a Para> {
    let is_it =
        |page_block: &PageBlock| matches!(page_block, PageBlock::Ask(other) if other.id == ask.id);
    let end = beats.iter().position(is_it).unwrap_or(beats.len());
    let texts =
        beats[..end].iter().rev().take_while(|page_block| matches!(page_block, PageBlock::Text(_)));
    let texts: Vec<_> = texts.collect();
    let paras = texts.into_iter().rev().filter_map(|page_block| match page_block {
        PageBlock::Text(paras) => Some(paras),
        _ => None,
    });
    paras.flatten().collect()
}

/// Whether a wrong answer of a question is the idea's.
fn offers(ask: &Ask, idea: &str) -> bool {
    let chosen = ask.options.iter().filter_map(|option| option.idea.as_deref());
    ask.wrong.iter().map(String::as_str).chain(chosen).any(|other| other == idea)
}

/// What a probe asks, in words.
fn asked_of(want: &Query) -> String {
    let phrase = want.meaning().ok().and_then(|meaning| match &meaning.node {
        QueryNode::Call(call) => phrase(call),
        _ => None,
    });
    phrase.unwrap_or_else(|| format!("What is {} here?", want.text))
}

fn phrase(call: &FunctionCall) -> Option<String> {
    let [Argument::Access(access)] = &call.arguments[..] else { return None };
    let is_it = |(function, ..): &&(&str, &str, &str)| *function == call.function.name;
    let (_, before, after) = PHRASES.iter().find(is_it)?;
    let how = if access.how == AccessVerb::Store { "its store to" } else { "its load from" };
    // An access of another run is asked for as it is written.
    let access = call.elsewhere.is_empty().then(|| access.to_string())?;
    let (_, array) = access.split_once(' ')?;
    Some(format!("{before} {how} {array} {after}").trim_end().to_owned() + "?")
}
