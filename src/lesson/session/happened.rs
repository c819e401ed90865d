//! Feedback on a wrong answer that matches no misconception, given before the next try.

use super::resolve::is_of_another_run;
use super::state::LessonSession;
use crate::lesson::document::{AskKind, words};
use crate::lesson::expr::{Bindings, Query};
use crate::lesson::question::{AnswerVerdict, Attempt, Question, singular};
use crate::lesson::setting_runs::LaneAccess;
use crate::lesson::target::Target;
use std::sync::LazyLock;

/// Counts that may be taken for the one that is asked, with what they count: of the access that is
/// asked about, and of its block.
static COUNTS: LazyLock<[(Query, &str); 6]> = LazyLock::new(|| {
    [
        ("lanes(a)", "lanes"),
        ("words(a)", "words"),
        ("sectors(a)", "sectors"),
        ("lines(a)", "lines"),
        ("threads / blocks", "threads"),
        ("bytes(a)", "bytes"),
    ]
    .map(|(count, noun)| (Query::query(count, 0..0), noun))
});

impl LessonSession {
    /// What happens with a wrong answer, if it can be run: a text between two lines is compiled and
    /// checked, events in an order are compared with the run, and another change than the one that was
    /// made is made. Of a number: what else it counts here.
    pub(super) fn happened(&self, question: &Question, attempt: &Attempt) -> Option<String> {
        match question.kind {
            AskKind::Gap => self.put(question, attempt),
            AskKind::Order => turned(question, &attempt.to_string()),
            AskKind::Number => self.counts(question, &attempt.to_string()),
            AskKind::Name => {
                let offer = question.offers.get(question.chosen(&attempt.to_string())?)?;
                self.of_other_change(&words(&offer.text))
            }
            AskKind::Choice | AskKind::Pick => None,
        }
    }

    /// What is said of the first wrong idea that an answer shows, without the number that is right: the
    /// idea in a sentence, and what the lanes of the access want that is asked about, with these lanes.
    /// Nothing if only one option would be left.
    pub(super) fn idea(
        &self,
        verdict: &AnswerVerdict,
        question: &Question,
    ) -> Option<(String, Vec<Target>)> {
        let AnswerVerdict::Idea(idea, _) = verdict else { return None };
        let asked = self.asked.as_ref()?;
        let is_first = asked.tried == 0 && question.offers.len() != 2;
        let idea = self.course.ideas.iter().find(|other| is_first && other.id == *idea)?;
        let (wanted, lit) = self.wanted().unwrap_or_default();
        Some((format!("\"{}\" {wanted}", idea.says).trim_end().to_owned(), lit))
    }

    /// What lanes want in the access that is asked about: the first, the next one, and the first that
    /// does not go on as these do.
    fn wanted(&self) -> Option<(String, Vec<Target>)> {
        let want = &self.asked.as_ref()?.ask.want;
        let access = want.meaning().ok().filter(|_| !is_of_another_run(want))?.access()?;
        let evidence = self.cache.runs(&self.setting).ok()?.evidence(access, self.from).ok()?;
        let (array, row) = (evidence.array.as_ref()?, u64::from(evidence.row?.max(1)));
        let array = array.split('[').next().filter(|_| evidence.bytes == 4)?;
        let active = evidence.lanes.iter().enumerate();
        let lanes: Vec<_> = active.filter_map(|(lane, it)| Some((lane, (*it)?))).collect();
        let away = |at: usize| lanes[at].1.address.wrapping_sub(lanes[at - 1].1.address);
        let other = (2..lanes.len()).find(|at| away(*at) != away(1));
        let told = [0, 1].into_iter().chain(other).filter_map(|at| lanes.get(at));
        let verb = if evidence.store { "stores" } else { "loads" };
        let word = |(place, (lane, it)): (usize, &(usize, LaneAccess))| {
            let word = it.address.saturating_sub(evidence.first) / 4;
            let who =
                if place == 0 { format!("Lane {lane} {verb}") } else { format!("lane {lane}") };
            format!("{who} {array}[{}][{}]", word / row, word % row)
        };
        let words: Vec<_> = told.clone().enumerate().map(word).collect();
        let thread =
            |(_, it): &(usize, LaneAccess)| Target::Thread { x: it.thread.0, y: it.thread.1 };
        Some((format!("{}.", words.join(", ")), told.map(thread).collect()))
    }

    /// What else a number counts.
    fn counts(&self, question: &Question, typed: &str) -> Option<String> {
        let number = question.number(typed)?;
        let want = self.asked.as_ref()?.ask.want.meaning().ok()?;
        let given = Bindings { access: want.access().cloned(), ..self.given() };
        let asked = question.unit.as_str();
        let context = self.context(&given);
        let others = COUNTS.iter().filter(|(_, noun)| singular(noun) != singular(asked));
        let is_it = |(count, _): &&(Query, &str)| {
            let answer = context.answer(count);
            answer.is_ok_and(|answer| answer.value.number() == Some(number))
        };
        let (_, noun) = others.filter(|_| !asked.is_empty()).find(is_it)?;
        Some(format!("{number} is the number of {noun} here. The question is how many {asked}."))
    }

    /// What the kernel does with the text after the line that was pointed at.
    fn put(&self, question: &Question, attempt: &Attempt) -> Option<String> {
        let picked = question.picked(attempt)?;
        let line = picked.iter().find_map(|target| match target {
            Target::Line(line) => Some(*line),
            _ => None,
        })?;
        let gaps = self.cache.runs(&self.setting).ok()?.gaps(question.insert.as_deref()?).ok()?;
        let Some(gap) = gaps.iter().find(|gap| gap.line == line) else {
            return Some(format!("Line {line} is outside the kernel."));
        };
        let on = gap.arrays().into_iter().collect::<Vec<_>>().join(" and ");
        let on = if on.is_empty() { on } else { format!(", on {on}") };
        Some(format!("After line {line}: {}{on}.", gap.verdict()))
    }
}

/// On which side of what is right a number is.
pub(super) fn side(question: &Question, typed: &str) -> Option<String> {
    let (number, right) = (question.number(typed)?, question.right.value.number()?);
    Some(format!("{typed} is too {}.", if number > right { "high" } else { "low" }))
}

/// The first two neighbours in the wrong order, and when the run reaches them.
fn turned(question: &Question, typed: &str) -> Option<String> {
    let order = question.order(typed)?;
    let moment = |index: usize| question.moments.get(index).copied().unwrap_or(0);
    let pair = order.windows(2).find(|pair| moment(pair[0]) > moment(pair[1]))?;
    let said = |index: usize| {
        let text = question.offers.get(index).map(|offer| words(&offer.text));
        format!("\"{}\" at step {}", text.unwrap_or_default(), moment(index))
    };
    Some(format!("In this run, {} comes before {}.", said(pair[1]), said(pair[0])))
}
