//! The answer to a question while it is given: typed, chosen from a list, or pointed at.

use crate::lesson::document::AskKind;
use crate::lesson::question::{Attempt, Question};
use crate::lesson::target::Target;
use std::collections::BTreeSet;

/// An answer that is being given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// How it is given, or `None` where only text is typed.
    kind: Option<AskKind>,
    /// The keys of what is offered, in the question's order.
    keys: Vec<char>,
    pub typed: String,
    /// The chosen offer's place in the list, if one is chosen.
    pub chosen: Option<usize>,
    /// The offers' indices, in the order of the list.
    pub order: Vec<usize>,
    /// What is pointed at on the picture.
    pub pointer: Option<Target>,
    pub marked: BTreeSet<Target>,
}

/// What an answer takes from the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerInput {
    /// A number or, to prove that a kernel is wrong, a size or an order of the warps.
    Number,
    /// The keys of its offers.
    Offers,
    /// A place: one number or two.
    Place,
}

/// The longest answer that can be typed.
const LONGEST: usize = 24;

impl Input {
    /// Nothing is typed or chosen yet.
    pub fn new(question: &Question) -> Self {
        let keys = question.offers.iter().map(|offer| offer.key).collect();
        Self::of(question.kind, keys)
    }

    fn of(kind: AskKind, keys: Vec<char>) -> Self {
        let chosen = (kind == AskKind::Order).then_some(0);
        Self { kind: Some(kind), order: (0..keys.len()).collect(), keys, chosen, ..Self::default() }
    }

    pub fn takes(&self) -> AnswerInput {
        match self.kind {
            _ if !self.keys.is_empty() => AnswerInput::Offers,
            Some(AskKind::Pick | AskKind::Gap) => AnswerInput::Place,
            None | Some(AskKind::Number | AskKind::Choice | AskKind::Order | AskKind::Name) => {
                AnswerInput::Number
            }
        }
    }

    /// Whether a letter is part of it.
    pub fn wants(&self, letter: char) -> bool {
        match self.takes() {
            // An order of the warps or a size: `random:7`, `64x64x50`.
            AnswerInput::Number if self.kind.is_none() => {
                letter.is_ascii_digit() || letter.is_ascii_lowercase() || ":-,".contains(letter)
            }
            AnswerInput::Number => letter.is_ascii_digit() || ".-/%".contains(letter),
            AnswerInput::Offers => self.keys.contains(&letter),
            AnswerInput::Place => letter.is_ascii_digit() || matches!(letter, ',' | '-'),
        }
    }

    /// Types a letter: the key of an offer chooses it.
    pub fn type_letter(&mut self, letter: char) {
        match self.takes() {
            AnswerInput::Offers => {
                let key = |index: &usize| self.keys[*index] == letter;
                self.chosen = self.order.iter().position(key).or(self.chosen);
            }
            AnswerInput::Number | AnswerInput::Place if self.typed.len() < LONGEST => {
                self.typed.push(letter);
            }
            AnswerInput::Number | AnswerInput::Place => {}
        }
    }

    /// Deletes the last letter, or what is chosen; returns whether there was anything.
    pub fn erase(&mut self) -> bool {
        let orders = self.kind == Some(AskKind::Order);
        self.typed.pop().is_some() || !orders && self.chosen.take().is_some()
    }

    /// Moves the choice by this many offers.
    pub fn choose(&mut self, by: isize) {
        let last = self.order.len().saturating_sub(1);
        let first = if by > 0 { 0 } else { last };
        let next = |at: usize| at.saturating_add_signed(by).min(last);
        self.chosen = Some(self.chosen.map_or(first, next));
    }

    /// Moves the chosen item of a list that is to be put in order.
    pub fn shift(&mut self, by: isize) {
        let Some(from) = self.chosen.filter(|_| self.kind == Some(AskKind::Order)) else { return };
        self.choose(by);
        let to = self.chosen.unwrap_or(from);
        if from < self.order.len() && to < self.order.len() {
            let offer = self.order.remove(from);
            self.order.insert(to, offer);
        }
    }

    /// Marks what is pointed at, or unmarks it.
    pub fn mark(&mut self) {
        self.typed.clear();
        if let Some(target) = self.pointer.clone().filter(|target| !self.marked.remove(target)) {
            self.marked.insert(target);
        }
    }

    /// The answer: `2`, `b`, `b, a, c`, or what is marked or else pointed at.
    pub fn attempt(&self) -> Attempt {
        let key = |place: usize| self.keys.get(*self.order.get(place)?).map(char::to_string);
        Attempt::Typed(match (self.takes(), self.kind) {
            (AnswerInput::Offers, Some(AskKind::Order)) => {
                let keys: Vec<_> = (0..self.order.len()).filter_map(key).collect();
                keys.join(", ")
            }
            (AnswerInput::Offers, _) => self.chosen.and_then(key).unwrap_or_default(),
            (AnswerInput::Place, _) if self.typed.is_empty() && !self.marked.is_empty() => {
                return Attempt::Picked(self.marked.clone());
            }
            (AnswerInput::Place, _) if self.typed.is_empty() && self.pointer.is_some() => {
                return Attempt::Picked(self.pointer.iter().cloned().collect());
            }
            (AnswerInput::Place | AnswerInput::Number, _) => self.typed.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(kind: AskKind, keys: &str) -> Input {
        Input::of(kind, keys.chars().collect())
    }

    #[test]
    fn a_number_is_typed_and_erased() {
        let mut input = input(AskKind::Number, "");
        "12".chars().for_each(|letter| input.type_letter(letter));
        assert_eq!(input.attempt().to_string(), "12");
        assert!(input.erase() && input.erase() && !input.erase());
        assert!(input.wants('.') && !input.wants('z') && !input.wants('x'));
        assert!(Input::default().wants('x'), "a size");
    }

    #[test]
    fn an_offer_is_chosen_by_its_key_or_by_its_place() {
        let mut input = input(AskKind::Choice, "abc");
        assert_eq!(input.attempt().to_string(), "");
        input.type_letter('b');
        assert_eq!(input.attempt().to_string(), "b");
        input.choose(5);
        assert_eq!(input.attempt().to_string(), "c");
        input.shift(-1);
        assert_eq!(input.order, [0, 1, 2], "only an order has its items moved");
        assert!(!input.wants('d') && input.erase());
        assert_eq!(input.attempt().to_string(), "");
    }

    #[test]
    fn a_list_is_put_in_order() {
        let mut input = input(AskKind::Order, "abc");
        input.shift(1);
        assert_eq!(input.attempt().to_string(), "b, a, c");
        input.type_letter('c');
        (0..3).for_each(|_| input.shift(-1));
        assert_eq!(input.attempt().to_string(), "c, b, a");
        assert!(!input.erase());
    }

    #[test]
    fn what_is_marked_is_the_answer_or_what_is_pointed_at() {
        let lane = |lane| Some(Target::Lane(lane));
        let mut input = Input { pointer: lane(3), ..input(AskKind::Pick, "") };
        assert_eq!(input.attempt().to_string(), "lane 3");
        input.mark();
        input.pointer = lane(5);
        assert_eq!(input.attempt().to_string(), "lane 3");
        input.mark();
        assert_eq!(input.attempt().to_string(), "lane 3; lane 5");
        input.mark();
        assert_eq!(input.attempt().to_string(), "lane 3");
        input.type_letter('7');
        assert_eq!(input.attempt().to_string(), "7", "what is typed comes first");
    }
}
