//! Which elements of A and B lie in shared memory, and which of its words are older than others.

use crate::kernel::Problem;
use crate::matrix::{Element, Operand};
use crate::sim::Memory;
use crate::trace::{Age, Word};
use crate::tui::session::Session;
use crate::tui::widget::matrices::Kept;

/// The number of words of shared memory up to which the elements in it are looked up.
const MOST: usize = 1 << 14;

/// Returns the words of shared memory. In a picture of one tile, words of an earlier tile than its
/// newest word are old, even if no barrier parts them.
pub fn words(session: &Session) -> Vec<Word> {
    let (problem, program) = (session.problem(), session.trace().program());
    let mut words = session.place().shared.clone();
    let Some(tile) = problem.tile() else { return words };
    for (_, first, (rows, columns)) in problem.staged(program) {
        let (first, end) = (first as usize, (first + rows * columns) as usize);
        let Some(words) = words.get_mut(first..end) else { continue };
        let number = |word: &Word| Some(along_k(element(session, word.origin()?)?) / tile.k);
        let newest = words.iter().filter_map(number).max();
        for word in words {
            if word.age == Age::Current && number(word).is_some_and(|tile| Some(tile) < newest) {
                word.age = Age::Old;
            }
        }
    }
    words
}

/// Returns how many words are filled: "480/512 words" or, where old ones lie beside them, "32/512
/// words new".
pub fn counted(words: &[Word], foreign: bool) -> String {
    let count = |age: Age| words.iter().filter(|word| word.age == age).count();
    let (current, old, all) = (count(Age::Current), count(Age::Old), words.len());
    match (all, foreign, old) {
        (0, ..) => "none in this kernel".to_owned(),
        (_, true, _) => format!("{}/{all} words written", current + old),
        (_, false, 0) => format!("{current}/{all} words"),
        (_, false, _) => format!("{current}/{all} words new"),
    }
}

/// Returns the elements of A and B that shared memory holds for the current tile.
pub fn kept(session: &Session) -> Kept {
    let words = &session.place().shared;
    if words.is_empty() {
        return Kept::Nothing;
    }
    let current = words.iter().filter(|word| word.age == Age::Current);
    let origins = || current.filter_map(|word| word.origin());
    if words.len() > MOST {
        return Kept::Unknown;
    }
    let found: Vec<_> = origins().flat_map(|addr| elements(session, addr)).collect();
    let written = words.iter().any(|word| word.age != Age::Empty);
    let traced = words.iter().any(|word| word.origin().is_some());
    if written && !traced { Kept::Unknown } else { Kept::These(found) }
}

/// Returns the element of A or B at an address of global memory.
fn element(session: &Session, addr: u64) -> Option<Element> {
    find(session.problem(), session.replay().machine().memory(), addr)
}

/// Yields the elements of A and B in the word at an address of global memory, which holds two
/// halves.
pub fn elements(session: &Session, addr: u64) -> impl Iterator<Item = Element> {
    let [first, second] = [addr, addr + 2].map(|addr| element(session, addr));
    first.into_iter().chain(second.filter(|second| first != Some(*second)))
}

fn find(problem: &Problem, memory: &Memory, addr: u64) -> Option<Element> {
    let (operand, row, column) = problem.element(memory, addr)?;
    (operand != Operand::C).then_some(Element { operand, row, column })
}

/// The position of an element of A or B along k.
const fn along_k(element: Element) -> u32 {
    match element.operand {
        Operand::B => element.row,
        Operand::A | Operand::C => element.column,
    }
}
