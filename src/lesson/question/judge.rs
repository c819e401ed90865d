//! Judges an answer.

use super::attempt::Attempt;
use super::form::{AnswerVerdict, Question};
use super::number;
use crate::lesson::answer::Value;
use crate::lesson::document::{AskKind, Tolerance, words};
use crate::lesson::target::Target;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Letters of a text that may stand for the whole of it, at least.
const SHORTENED: usize = 3;

impl Question {
    pub fn judge(&self, attempt: &Attempt) -> AnswerVerdict {
        match self.kind {
            AskKind::Number => self.judge_number(&attempt.to_string()),
            AskKind::Choice | AskKind::Name => self.judge_choice(&attempt.to_string()),
            AskKind::Pick | AskKind::Gap => self.judge_pick(attempt),
            AskKind::Order => self.judge_order(&attempt.to_string()),
        }
    }

    /// The number that was typed, in the unit of the question.
    pub fn number(&self, typed: &str) -> Option<f64> {
        number::read(typed, &self.unit).map(|typed| typed.value)
    }

    fn judge_number(&self, typed: &str) -> AnswerVerdict {
        let Some(typed) = number::read(typed, &self.unit) else {
            let unit =
                if self.unit.is_empty() { String::new() } else { format!(" of {}", self.unit) };
            return AnswerVerdict::Unreadable(format!("Type a number{unit}, for example `12`."));
        };
        let is =
            |value: &Value, within| value.number().is_some_and(|value| typed.is(value, within));
        if is(&self.right.value, self.within) {
            return AnswerVerdict::Right;
        }
        let exactly = self.ideas.iter().find(|mistake| is(&mistake.value, Tolerance::Exact));
        let nearly = || self.ideas.iter().find(|mistake| is(&mistake.value, self.within));
        match exactly.or_else(nearly) {
            Some(mistake) => AnswerVerdict::Idea(mistake.idea.clone(), mistake.value.clone()),
            None => AnswerVerdict::Wrong,
        }
    }

    fn judge_choice(&self, typed: &str) -> AnswerVerdict {
        let chosen = self.chosen(typed).and_then(|index| self.offers.get(index));
        let Some(offer) = chosen else {
            let last = self.offers.last().map_or('1', |offer| offer.key);
            return AnswerVerdict::Unreadable(format!("Type a number from `1` to `{last}`."));
        };
        match &offer.idea {
            _ if offer.right => AnswerVerdict::Right,
            None => AnswerVerdict::Wrong,
            Some(idea) => {
                let said = self.ideas.iter().find(|mistake| mistake.idea == *idea);
                let value = said.map(|mistake| mistake.value.clone());
                let value = value.unwrap_or_else(|| Value::Name(words(&offer.text)));
                AnswerVerdict::Idea(idea.clone(), value)
            }
        }
    }

    /// The offer that an answer chooses: by its key, its text, or the number that it shows.
    pub fn chosen(&self, typed: &str) -> Option<usize> {
        let typed = typed.trim().trim_matches(['(', ')', '.', '`']);
        let mut letters = typed.chars();
        let by_key = match (letters.next(), letters.next()) {
            (Some(key), None) => self.offer_with_key(key),
            _ => None,
        };
        by_key.or_else(|| self.offer_called(typed)).or_else(|| self.offer_of_number(typed))
    }

    pub(super) fn offer_with_key(&self, key: char) -> Option<usize> {
        self.offers.iter().position(|offer| offer.key == key)
    }

    /// The offer with this text, or the only one that begins so.
    pub(super) fn offer_called(&self, text: &str) -> Option<usize> {
        let text = text.to_lowercase();
        let named: Vec<_> =
            self.offers.iter().map(|offer| words(&offer.text).to_lowercase()).collect();
        let whole = named.iter().position(|name| *name == text);
        let begins = |name: &String| name.starts_with(&text) && self.shortens(&text);
        let only = || {
            let mut begun = (0..).zip(&named).filter(|(_, name)| begins(name));
            begun.next().filter(|_| begun.next().is_none()).map(|(index, _)| index)
        };
        whole.or_else(only)
    }

    /// Whether a text is enough of an offer's: `y` is enough for yes.
    fn shortens(&self, text: &str) -> bool {
        let is_truth = matches!(self.right.value, Value::Truth(_));
        text.chars().count() >= if is_truth { 1 } else { SHORTENED }
    }

    fn offer_of_number(&self, typed: &str) -> Option<usize> {
        let typed = number::read(typed, &self.unit)?;
        let shows = |text: &str| {
            number::read(text, &self.unit)
                .is_some_and(|shown| typed.is(shown.value, Tolerance::Exact))
        };
        self.offers.iter().position(|offer| shows(&words(&offer.text)))
    }

    /// The chosen things: those pointed at, or named in a text.
    pub(in crate::lesson) fn picked<'a>(
        &self,
        attempt: &'a Attempt,
    ) -> Option<Cow<'a, BTreeSet<Target>>> {
        match attempt {
            Attempt::Picked(things) => Some(Cow::Borrowed(things)),
            Attempt::Typed(text) => self.pointed.as_ref()?.read(text).map(Cow::Owned),
        }
    }

    fn judge_pick(&self, attempt: &Attempt) -> AnswerVerdict {
        let Some(picked) = self.picked(attempt) else { return self.unreadable() };
        if self.hits(&picked, &self.right.value) {
            return AnswerVerdict::Right;
        }
        match self.ideas.iter().find(|mistake| self.hits(&picked, &mistake.value)) {
            Some(mistake) => AnswerVerdict::Idea(mistake.idea.clone(), mistake.value.clone()),
            None => AnswerVerdict::Wrong,
        }
    }

    /// Whether these are the things that are meant: all of them, or any.
    fn hits(&self, picked: &BTreeSet<Target>, meant: &Value) -> bool {
        let Value::Things(meant) = meant else { return false };
        if self.all || meant.is_empty() || picked.is_empty() {
            picked == meant
        } else {
            picked.is_subset(meant)
        }
    }

    fn unreadable(&self) -> AnswerVerdict {
        let expected = self.pointed.as_ref().map(|pointed| pointed.expected(self.all));
        AnswerVerdict::Unreadable(expected.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Dim3;
    use crate::lesson::answer::Answer;
    use crate::lesson::document::{Ask, Piece};
    use crate::lesson::expr::Query;
    use crate::lesson::question::form::{Offer, WrongAnswer};
    use crate::lesson::question::target_kind::TargetKind;
    use crate::lesson::question::targets::Pointed;
    use crate::lesson::question::tests::said;
    use crate::matrix::Operand;

    fn question(kind: AskKind, right: Value, ideas: &[(&str, Value)]) -> Question {
        let mistake = |(idea, value): &(&str, Value)| WrongAnswer {
            idea: (*idea).to_owned(),
            value: value.clone(),
        };
        let want = Query::query("", 0..0);
        let ask = Ask::new("one".to_owned(), want, 0..0);
        let ideas = ideas.iter().map(mistake).collect();
        Question { ideas, ..Question::plain(&ask, kind, Answer::simulated(right)) }
    }

    fn offers(all: &[(&str, bool, Option<&str>)]) -> Vec<Offer> {
        let offer = |(key, (text, right, idea)): (char, &(&str, bool, Option<&str>))| Offer {
            key,
            text: vec![Piece::Plain((*text).to_owned())],
            right: *right,
            idea: idea.map(str::to_owned),
        };
        ('1'..).zip(all).map(offer).collect()
    }

    #[test]
    fn a_number_is_right_or_that_of_an_idea_or_wrong() {
        let number = Value::Number;
        let ideas = [("padding-helps", number(1.0)), ("padding-ignored", number(8.0))];
        let passes =
            Question { unit: "passes".into(), ..question(AskKind::Number, number(2.0), &ideas) };
        let all =
            ["2", "2 passes", "1", "8.0", "3", "two", "2 lanes"].map(|typed| said(&passes, typed));
        let expected = "right,right,padding-helps 1,padding-ignored 8,wrong,?,?";
        assert_eq!(all.join(","), expected);
        let AnswerVerdict::Unreadable(told) = passes.judge(&"b".into()) else {
            panic!("it is no number")
        };
        assert_eq!(told, "Type a number of passes, for example `12`.");
    }

    #[test]
    fn of_two_ideas_near_a_number_the_one_that_says_it_is_meant() {
        let ideas = [("bytes-are-time", Value::Number(1.2)), ("instructions", Value::Number(1.0))];
        let faster = question(AskKind::Number, Value::Number(5.55), &ideas);
        let faster = Question { within: Tolerance::Factor(1.5), ..faster };
        assert_eq!(said(&faster, "4x"), "right");
        assert_eq!(said(&faster, "1"), "instructions 1");
        assert_eq!(said(&faster, "1.3"), "bytes-are-time 1.20");
        assert_eq!(said(&faster, "16"), "wrong");
    }

    #[test]
    fn a_choice_is_made_by_its_key_its_text_or_its_number() {
        let ideas = [("own-fetch", Value::Number(32.0))];
        let choice = question(AskKind::Choice, Value::Number(2.0), &ideas);
        let three = [("32", false, Some("own-fetch")), ("2", true, None), ("1", false, None)];
        let choice = Question { offers: offers(&three), ..choice };
        let typed =
            ["2", "(2)", "1", "3.", "1 ", "32", "b", "7", ""].map(|typed| said(&choice, typed));
        let expected = "right,right,own-fetch 32,wrong,own-fetch 32,own-fetch 32,?,?,?";
        assert_eq!(typed.join(","), expected);
    }

    #[test]
    fn a_text_may_be_shortened_as_far_as_it_stays_the_only_one() {
        let kernels = [("tiled", true, None), ("tiled_padded", false, Some("shared-wins"))];
        let name = question(AskKind::Choice, Value::Name("tiled".to_owned()), &[]);
        let name = Question { offers: offers(&kernels), ..name };
        assert_eq!(said(&name, "tiled"), "right");
        assert_eq!(said(&name, "Tiled_P"), "shared-wins tiled_padded");
        assert_eq!(said(&name, "til"), "?");
        let truths = [("yes", false, Some("passed-so-right")), ("no", true, None)];
        let truth = question(AskKind::Choice, Value::Truth(false), &[]);
        let truth = Question { offers: offers(&truths), ..truth };
        assert_eq!(
            ["y", "No", "n", "2", "maybe"].map(|typed| said(&truth, typed)).join(","),
            "passed-so-right yes,right,right,right,?"
        );
    }

    #[test]
    fn of_things_any_is_enough_unless_all_are_wanted() {
        let lanes =
            |lanes: &[u32]| Value::Things(lanes.iter().copied().map(Target::Lane).collect());
        let pointed = Pointed {
            kind: TargetKind::Lane,
            operand: Some(Operand::C),
            block: Dim3::flat(16, 16),
            arrays: Vec::new(),
        };
        let ideas = [("warp-is-row", lanes(&[7, 8]))];
        let any = question(AskKind::Pick, lanes(&[3, 4, 5]), &ideas);
        let any = Question { pointed: Some(pointed), ..any };
        let typed = ["lane 3", "3, 4", "lane 7", "3, 7", "9", "bank 3", ""];
        let expected = "right,right,warp-is-row lane 7, lane 8,wrong,wrong,?,?";
        assert_eq!(typed.map(|typed| said(&any, typed)).join(","), expected);
        let all = Question { all: true, ..any };
        let typed = ["lane 3", "lanes 3-5", "7-8", "7"].map(|typed| said(&all, typed));
        assert_eq!(typed.join(","), "wrong,right,warp-is-row lane 7, lane 8,wrong");
        let none = Question { right: Answer::simulated(lanes(&[])), ..all };
        assert_eq!(said(&none, "none"), "right");
    }

    #[test]
    fn events_of_one_moment_may_stand_either_way() {
        let three = [("a barrier", true, None), ("load", true, None), ("store", true, None)];
        let order = question(AskKind::Order, Value::Name("load, store, a barrier".to_owned()), &[]);
        let order = Question { offers: offers(&three), moments: vec![9, 4, 4], ..order };
        let typed = ["load, store, a barrier", "231", "3 2 1", "312", "12", "233", "2314", ""];
        let expected = "right,right,right,wrong,?,?,?,?";
        assert_eq!(typed.map(|typed| said(&order, typed)).join(","), expected);
    }
}
