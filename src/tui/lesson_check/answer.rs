//! The keys that give an answer.

use crate::lesson::document::Kind;
use crate::lesson::question::Question;
use crate::lesson::thing::Thing;
use crate::matrix::Element;
use crate::tui::keymap::{Key, KeyCode};

/// The keys by which an answer is given, without the last one: what [`crate::lesson::check`] would
/// type on a line. `None` if it cannot be given by keys.
pub(super) fn keys(question: &Question, typed: &str) -> Option<Vec<Key>> {
    match question.kind {
        Kind::Order => Some(arranged(question, typed)),
        Kind::Pick | Kind::Gap => pointed(question, typed),
        Kind::Number | Kind::Choice | Kind::Name => {
            Some(typed.chars().filter(|letter| *letter != ',').map(letter).collect())
        }
    }
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
fn pointed(question: &Question, typed: &str) -> Option<Vec<Key>> {
    let kind = crate::tui::lesson::kind(question)?;
    let mut keys = Vec::new();
    for one in typed.split("; ") {
        let place = numbers(one, &kind)?;
        keys.extend(place.chars().map(letter));
        if question.all {
            keys.push(letter(' '));
        }
    }
    Some(keys)
}

/// The numbers of a thing: `35,37` of `C[35][37]`, `21` of `lane 21`.
fn numbers(thing: &str, kind: &Thing) -> Option<String> {
    let parts = thing.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let parts: Vec<_> = parts.collect();
    let count = match kind {
        Thing::Element(Element { .. }) | Thing::Thread { .. } => 2,
        _ => 1,
    };
    (parts.len() >= count).then(|| parts[parts.len() - count..].join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::thing::View;
    use crate::matrix::Operand;

    #[test]
    fn a_thing_is_typed_as_its_numbers() {
        let element = Thing::Element(Element { operand: Operand::C, row: 0, column: 0 });
        assert_eq!(numbers("C[35][37]", &element).as_deref(), Some("35,37"));
        assert_eq!(numbers("thread 5,3", &Thing::Thread { x: 0, y: 0 }).as_deref(), Some("5,3"));
        let word = Thing::Word { array: "s1".to_owned(), index: 0 };
        assert_eq!(numbers("s1[17]", &word).as_deref(), Some("17"));
        assert_eq!(numbers("panel 3", &Thing::Panel(View::Warps)).as_deref(), Some("3"));
        assert_eq!(numbers("none", &Thing::Lane(0)), None);
    }
}
