//! The keys that give an answer.

use crate::lesson::document::AskKind;
use crate::lesson::question::{Attempt, Question};
use crate::lesson::target::Target;
use crate::matrix::Element;
use crate::tui::keymap::{Key, KeyCode};
use std::collections::BTreeSet;

/// The keys by which an answer is given, without the last one; `None` if it cannot be given by keys.
pub(super) fn keys(question: &Question, attempt: &Attempt) -> Option<Vec<Key>> {
    Some(match attempt {
        Attempt::Picked(things) if things.is_empty() => return None,
        Attempt::Picked(things) => pointed(question, things),
        Attempt::Typed(typed) if question.kind == AskKind::Order => arranged(question, typed),
        Attempt::Typed(typed) => {
            typed.chars().filter(|letter| *letter != ',').map(letter).collect()
        }
    })
}

/// A key that types.
pub(super) fn letter(letter: char) -> Key {
    KeyCode::Char(letter).into()
}

/// Moves each item to its place, beginning with the first.
fn arranged(question: &Question, typed: &str) -> Vec<Key> {
    let wanted: Vec<char> = typed.chars().filter(|key| key.is_alphanumeric()).collect();
    let mut order: Vec<char> = question.offers.iter().map(|offer| offer.key).collect();
    let mut keys = Vec::new();
    for (to, key) in wanted.into_iter().enumerate() {
        let Some(from) = order.iter().position(|other| *other == key) else { continue };
        keys.push(letter(key));
        keys.extend((to..from).map(|_| letter('K')));
        let moved = order.remove(from);
        order.insert(to.min(order.len()), moved);
    }
    keys
}

/// Types the place of each thing; marks them, where several are asked for.
fn pointed(question: &Question, things: &BTreeSet<Target>) -> Vec<Key> {
    let mut keys = Vec::new();
    for target in things {
        keys.extend(numbers(target).chars().map(letter));
        if question.all {
            keys.push(letter(' '));
        }
    }
    keys
}

/// The numbers of a thing: `35,37` of `C[35][37]`, `21` of `lane 21`.
fn numbers(target: &Target) -> String {
    match target {
        Target::Element(Element { row, column, .. }) => format!("{row},{column}"),
        Target::Thread { x, y } => format!("{x},{y}"),
        Target::Warp(number)
        | Target::Lane(number)
        | Target::Bank(number)
        | Target::Word { index: number, .. }
        | Target::Sector(number)
        | Target::Line(number) => number.to_string(),
        Target::Panel(view) => view.number().map_or_else(String::new, |number| number.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::target::View;
    use crate::matrix::Operand;

    #[test]
    fn a_thing_is_typed_as_its_numbers() {
        let element = Target::Element(Element { operand: Operand::C, row: 35, column: 37 });
        assert_eq!(numbers(&element), "35,37");
        assert_eq!(numbers(&Target::Thread { x: 5, y: 3 }), "5,3");
        assert_eq!(numbers(&Target::Word { array: "s1".to_owned(), index: 17 }), "17");
        assert_eq!(numbers(&Target::Panel(View::Warps)), "3");
    }
}
