//! A question: asked, answered, tried again, skipped, and replied to.

use super::blocks::plain;
use super::event::{GivenAnswer, LessonEvent, Outcome};
use super::happened::side;
use super::now::{OpenQuestion, WatchMode};
use super::reply::{self, Missed};
use super::resolve::resolved_pieces;
use super::state::{CurrentQuestion, LessonSession, TIRED};
use crate::lesson::document::Ask;
use crate::lesson::query::QueryError;
use crate::lesson::question::{AnswerVerdict, Attempt, Question};

/// Characters of an answer that are kept and shown.
const LONGEST: usize = 60;

/// When an answer showed an idea.
const FIRST: &str = "Your first answer said";
const EARLIER: &str = "In a lesson before, your answer said";

impl LessonSession {
    /// Asks a question of the page. Returns whether it waits: one that cannot be answered in this
    /// setting is passed over, and the page says why.
    pub(super) fn ask(&mut self, ask: &Ask) -> bool {
        self.ask_about(ask, None)
    }

    /// Asks a question, on an idea missed before if one is given.
    pub(super) fn ask_about(&mut self, ask: &Ask, review: Option<String>) -> bool {
        let question = match self.question(ask) {
            Ok(question) => question,
            Err(missing) => {
                self.say(&format!("A question is left out here: {}.", missing.message));
                return false;
            }
        };
        let tries_left = question.tries.max(1);
        let hints_left = ask.hints.len();
        let (hints, lit) = (Vec::new(), Vec::new());
        self.now.question =
            Some(OpenQuestion { question, hints, hints_left, tries_left, said: None, lit });
        self.asked = Some(CurrentQuestion { ask: ask.clone(), review, tried: 0, idea: None });
        if self.now.watch == WatchMode::Only {
            self.show(Outcome::Watched);
        }
        true
    }

    /// The question of an ask, where the run stands.
    pub(super) fn question(&self, ask: &Ask) -> Result<Question, QueryError> {
        let given = self.given();
        let context = self.context(&given);
        let mut question = Question::of(ask, self.seed(), &context)?;
        for offer in &mut question.offers {
            offer.text = resolved_pieces(&offer.text, &context);
        }
        Ok(question)
    }

    /// Answers the open question. A proof takes a size or an order of the warps, dials take
    /// `NAME=CHOICE` or `y`. What cannot be read costs no try.
    pub fn answer(&mut self, attempt: impl Into<Attempt>) {
        let attempt = attempt.into().trimmed();
        let typed = attempt.to_string();
        if self.now.proof.is_some() {
            return self.try_proof(&typed);
        }
        if self.now.dials.is_some() {
            return if typed == "y" { self.choose() } else { self.turn(&typed) };
        }
        self.take_times();
        let Some(open) = &self.now.question else { return };
        let verdict = open.question.judge(&attempt);
        let is_wrong = verdict == AnswerVerdict::Wrong;
        let happened = is_wrong.then(|| self.happened(&open.question, &attempt)).flatten();
        let idea = self.idea(&verdict, &open.question);
        let Some(open) = &mut self.now.question else { return };
        if let AnswerVerdict::Unreadable(expected) = verdict {
            open.said = Some(expected);
            return;
        }
        self.skipped = 0;
        open.tries_left = open.tries_left.saturating_sub(1);
        let is_done = open.tries_left == 0 || !is_wrong && idea.is_none();
        let typed: String = typed.chars().take(LONGEST).collect();
        let (met, lit) = idea.unzip();
        let said = met.or_else(|| happened.clone()).or_else(|| side(&open.question, &typed));
        let said = said.unwrap_or_else(|| format!("{typed} is not it."));
        open.said = Some(match open.tries_left {
            1 => format!("{said} One more try."),
            left => format!("{said} {left} more tries."),
        });
        open.lit = lit.unwrap_or_default();
        if let (AnswerVerdict::Idea(idea, says), Some(asked)) = (&verdict, &mut self.asked) {
            asked.idea = Some((idea.clone(), says.clone()));
        }
        let outcome = if verdict == AnswerVerdict::Right { Outcome::Right } else { Outcome::Wrong };
        let model = match &verdict {
            AnswerVerdict::Idea(model, _) => Some(model.clone()),
            _ => None,
        };
        let said: String = reply::said(&open.question, &typed).chars().take(LONGEST).collect();
        self.keep(outcome, Some(&said), model, is_done);
        if is_done {
            self.reply(Some(&Missed { typed, verdict, happened }));
        }
    }

    /// Shows the answer of the open question without one being given; a proof is shown as well. Three
    /// in a row make the lesson offer to be only watched.
    pub fn skip(&mut self) {
        if self.now.proof.is_some() {
            return self.show_proof();
        }
        if self.now.question.is_none() {
            return;
        }
        self.take_times();
        self.skipped += 1;
        self.show(Outcome::Skipped);
        if self.skipped >= TIRED && self.now.watch == WatchMode::No {
            self.skipped = 0;
            self.now.watch = WatchMode::Offered;
        }
    }

    /// Opens the next hint of the open question.
    pub fn hint(&mut self) {
        let (Some(open), Some(asked)) = (&self.now.question, &self.asked) else { return };
        let Some(hint) = asked.ask.hints.get(open.hints.len()) else { return };
        let hint = self.resolved(hint);
        if let Some(open) = &mut self.now.question {
            open.hints.push(hint);
            open.hints_left = open.hints_left.saturating_sub(1);
        }
    }

    /// Shows the answer of the open question.
    pub(super) fn show(&mut self, outcome: Outcome) {
        self.keep(outcome, None, None, true);
        self.reply(None);
    }

    /// The question is closed, and what was answered is replied to.
    fn reply(&mut self, missed: Option<&Missed>) {
        let (Some(open), Some(asked)) = (self.now.question.take(), self.asked.clone()) else {
            return;
        };
        let maker = reply::ReplyContext {
            course: &self.course,
            cache: &self.cache,
            setting: &self.setting,
            from: self.from,
            ask: &asked.ask,
            question: &open.question,
        };
        let mut reply = maker.reply(missed);
        let happened = missed.and_then(|missed| missed.happened.as_deref());
        reply.text.splice(0..0, happened.map(plain));
        if reply.model.is_none() {
            let before = asked.idea.as_ref().map(|(idea, says)| (&**idea, Some(says), FIRST));
            let review = asked.review.as_ref().map(|idea| (&**idea, None, EARLIER));
            let recalled = before.or(review).filter(|_| missed.is_some() || asked.review.is_some());
            reply.text.extend(recalled.into_iter().flat_map(|what| maker.recalled(what)));
        }
        let named = self.name_broken();
        reply.text.extend(named.clone());
        self.pending = named;
        if self.broken.is_none() {
            let text = self.take_text();
            reply.text.extend(text.clone());
            self.pending.extend(text);
        }
        self.now.reply = Some(reply);
    }

    /// Keeps a try for the progress.
    fn keep(&mut self, outcome: Outcome, typed: Option<&str>, model: Option<String>, done: bool) {
        let lesson = (self.lesson().id.clone(), self.lesson().number);
        let (Some(open), Some(asked)) = (&self.now.question, &mut self.asked) else { return };
        asked.tried += u32::from(typed.is_some());
        if let Some(idea) = &asked.review {
            let missed = asked.tried > 1 && outcome == Outcome::Right;
            let outcome = if missed { Outcome::Wrong } else { outcome };
            let event = LessonEvent::Review { idea: idea.clone(), lesson: lesson.1, outcome };
            self.events.extend(done.then_some(event));
            return;
        }
        self.events.push(LessonEvent::Given(GivenAnswer {
            lesson,
            ask: asked.ask.id.clone(),
            outcome,
            model,
            typed: typed.map(str::to_owned),
            is: reply::right_answer(&open.question),
            tries: asked.tried,
            hints: open.hints.len() as u32,
        }));
    }
}
