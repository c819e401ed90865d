//! The reply to an answer: what is right, which misconception explains the answer, and the step that
//! shows it.

use super::blocks::plain;
use super::now::Reply;
use super::resolve::{asked_of, is_of_another_run, resolved};
use crate::lesson::answer::Value;
use crate::lesson::document::{Ask, AskKind, Course, Para, words};
use crate::lesson::expr::{Bindings, EvalContext};
use crate::lesson::question::{AnswerVerdict, Offer, Question, singular};
use crate::lesson::setting::Setting;
use crate::lesson::setting_runs::SettingCache;

/// The most things that are named one by one.
const MANY: usize = 8;

/// An answer that was given.
pub(super) struct Missed {
    pub typed: String,
    pub verdict: AnswerVerdict,
    /// What happens when it is run, if it can be.
    pub happened: Option<String>,
}

/// All that a reply is made of.
pub(super) struct ReplyContext<'a> {
    pub course: &'a Course,
    pub cache: &'a SettingCache,
    pub setting: &'a Setting,
    /// The steps done where the run stands.
    pub from: usize,
    pub ask: &'a Ask,
    pub question: &'a Question,
}

impl ReplyContext<'_> {
    /// The reply to an answer, or to none.
    pub(super) fn reply(&self, given: Option<&Missed>) -> Reply {
        let right = &self.question.right;
        let model = given.and_then(|given| match &given.verdict {
            AnswerVerdict::Idea(model, says) => Some((model, says.clone())),
            _ => None,
        });
        let idea = model
            .as_ref()
            .and_then(|(model, _)| self.course.ideas.iter().find(|idea| idea.id == **model));
        let text =
            idea.zip(model.as_ref()).map(|(idea, (_, you))| self.said(&idea.reply, you.clone()));
        // What is asked of another setting has no moment in this one.
        let here = !is_of_another_run(&self.ask.want);
        Reply {
            you: given.map(|given| typed(self.question, &given.typed)),
            right: given.map(|given| given.verdict == AnswerVerdict::Right),
            is: match right_offer(self.question) {
                Some(offer) => offer.key.to_string(),
                None if self.question.kind == AskKind::Order => in_order(self.question),
                None => typed(self.question, &in_short(&right.value)),
            },
            unit: unit(self.question).to_owned(),
            origin: right.origin.clone(),
            model: model.map(|(model, _)| model.clone()),
            idea: idea.map(|idea| idea.says.clone()),
            text: text.unwrap_or_default(),
            play_to: self.play_to().or(right.step.filter(|_| here)),
            marks: if here { right.marks.clone() } else { Vec::new() },
            view: right.view,
            warp: right.warp.filter(|_| here),
        }
    }

    /// What an idea says that an answer showed before, given or in a lesson before, and what is said
    /// to it.
    pub(super) fn recalled(&self, (idea, says, when): (&str, Option<&Value>, &str)) -> Vec<Para> {
        let Some(idea) = self.course.ideas.iter().find(|other| other.id == idea) else {
            return Vec::new();
        };
        let mistake = self.question.ideas.iter().find(|mistake| mistake.idea == idea.id);
        let here = mistake.map_or(&self.question.right.value, |mistake| &mistake.value);
        let before = plain(&format!("{when}: \"{}\"", idea.says));
        [before].into_iter().chain(self.said(&idea.reply, says.unwrap_or(here).clone())).collect()
    }

    /// The reply of an idea. Its queries may name the access in question, the given answer and the right
    /// one.
    fn said(&self, text: &[Para], you: Value) -> Vec<Para> {
        let want = &self.ask.want;
        let given = Bindings {
            from: self.from,
            access: want.meaning().ok().and_then(|want| want.access().cloned()),
            you: Some(you),
            right: Some(self.question.right.value.clone()),
        };
        let setting = asked_of(want, self.setting);
        resolved(text, &EvalContext { cache: self.cache, setting: &setting, given: &given })
    }

    /// Where the lesson says that the evidence is.
    fn play_to(&self) -> Option<usize> {
        let show = self.ask.show.as_ref()?;
        show.step(self.cache, self.setting).ok()
    }
}

/// An answer as it is repeated: of a text that is put between lines, after which of them.
fn typed(question: &Question, answer: &str) -> String {
    match answer.trim_start_matches(|letter: char| !letter.is_ascii_digit()) {
        lines if question.kind == AskKind::Gap && !lines.is_empty() => {
            format!("after line {lines}")
        }
        _ => answer.to_owned(),
    }
}

/// The keys of events in their order.
fn in_order(question: &Question) -> String {
    let mut keys: Vec<_> =
        question.moments.iter().zip(question.offers.iter().map(|offer| offer.key)).collect();
    keys.sort();
    keys.iter().map(|(_, key)| key.to_string()).collect::<Vec<_>>().join(", ")
}

/// What is right, in words: the text of an option, or a value with its unit.
pub(super) fn right_answer(question: &Question) -> String {
    let offer = right_offer(question).map(|offer| words(&offer.text));
    let value = || {
        let value = typed(question, &question.right.value.to_string());
        format!("{value} {}", unit(question)).trim_end().to_owned()
    };
    offer.filter(|text| !text.is_empty()).unwrap_or_else(value)
}

/// What was answered, in words: the text of an option.
pub(super) fn said(question: &Question, answer: &str) -> String {
    let of_options = matches!(question.kind, AskKind::Choice | AskKind::Name);
    let offer = question.chosen(answer).and_then(|index| question.offers.get(index));
    match offer.filter(|_| of_options).map(|offer| words(&offer.text)) {
        Some(text) => text,
        None if question.kind == AskKind::Order => "another order".to_owned(),
        None => typed(question, answer),
    }
}

/// The unit of what is right: one pass, two passes.
fn unit(question: &Question) -> &str {
    match question.right.value {
        Value::Number(1.0) => singular(&question.unit),
        _ => &question.unit,
    }
}

/// A value; of many things, the first and the number of the others.
fn in_short(value: &Value) -> String {
    let Value::Things(things) = value else { return value.to_string() };
    let first = things.first().filter(|_| things.len() > MANY);
    first
        .map_or_else(|| value.to_string(), |first| format!("{first} and {} more", things.len() - 1))
}

/// The option that is right, if the question is one of options.
fn right_offer(question: &Question) -> Option<&Offer> {
    let of_options = matches!(question.kind, AskKind::Choice | AskKind::Name);
    question.offers.iter().find(|offer| of_options && offer.right)
}
