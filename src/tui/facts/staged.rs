//! Which elements of A and B lie in shared memory, and which of its words are older than others.

use crate::kernel::Problem;
use crate::matrix::{Element, Operand};
use crate::sim::Memory;
use crate::trace::{Age, SharedWord};
use crate::tui::session::Session;

/// What shared memory holds of A and B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StagedContents {
    /// The kernel keeps nothing there.
    Nothing,
    /// These elements, and whether for the current tile: the others have been used.
    These(Vec<(Element, bool)>),
    /// It is not known which elements.
    Unknown,
}

/// The number of words of shared memory up to which the elements in it are looked up.
const MOST: usize = 1 << 14;

/// Returns the words of shared memory as they are pictured: those of a tile that a warp still works on
/// are not old, whatever barriers it has passed. In a picture of one tile, other words are old as soon
/// as one of a later tile lies there, even if no barrier parts them.
pub fn words(session: &Session, words: &[SharedWord]) -> Vec<SharedWord> {
    let (problem, program) = (session.problem(), session.trace().program());
    let mut words = words.to_vec();
    let Some((tile, needed)) = problem.tile().zip(session.tile_of_last_warp()) else {
        return words;
    };
    for (_, first, (rows, columns)) in problem.staged(program) {
        let (first, end) = (first as usize, (first + rows * columns) as usize);
        let Some(words) = words.get_mut(first..end) else { continue };
        let number = |word: &SharedWord| Some(along_k(element(session, word.origin()?)?) / tile.k);
        let newest = words.iter().filter_map(number).max();
        for word in words {
            let Some(number) = number(word) else { continue };
            word.age = match number {
                _ if number >= needed => Age::Current,
                _ if Some(number) < newest => Age::Old,
                _ => word.age,
            };
        }
    }
    words
}

/// Returns how many words are filled: "480/512 words" or, where old ones lie beside them, "32/512
/// words new".
pub fn counted(words: &[SharedWord], foreign: bool) -> String {
    let count = |age: Age| words.iter().filter(|word| word.age == age).count();
    let (current, old, all) = (count(Age::Current), count(Age::Old), words.len());
    match (all, foreign, old) {
        (0, ..) => "none in this kernel".to_owned(),
        (_, true, _) => format!("{}/{all} words stored", current + old),
        (_, false, 0) => format!("{current}/{all} words"),
        (_, false, _) => format!("{current}/{all} words new"),
    }
}

/// Returns the elements of A and B that these words of shared memory hold, and whether for the
/// current tile.
pub fn kept(session: &Session, words: &[SharedWord]) -> StagedContents {
    if words.is_empty() {
        return StagedContents::Nothing;
    }
    if words.iter().all(|word| word.age == Age::Empty) {
        return StagedContents::These(Vec::new());
    }
    if words.len() > MOST {
        return StagedContents::Unknown;
    }
    let held = words.iter().filter_map(|word| Some((word.origin()?, word.age == Age::Current)));
    let found = held
        .flat_map(|(addr, current)| elements(session, addr).map(move |element| (element, current)));
    let found = found.collect();
    let traced = words.iter().any(|word| word.origin().is_some());
    if traced { StagedContents::These(found) } else { StagedContents::Unknown }
}

/// Returns the element of A or B at an address of global memory.
fn element(session: &Session, addr: u64) -> Option<Element> {
    find(session.problem(), session.replay().machine().memory(), addr)
}

/// Yields the elements of A and B in the word at an address of global memory, which may hold two or
/// four.
pub fn elements(session: &Session, addr: u64) -> impl Iterator<Item = Element> {
    let bytes = element(session, addr)
        .map_or(4, |first| session.problem().element_type(first.operand).bytes().min(4));
    (addr..addr + 4).step_by(bytes.into()).filter_map(|addr| element(session, addr))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;
    use crate::launch::Dim3;
    use crate::matrix::Size;
    use crate::sim::Order;
    use crate::trace::OpKind;
    use crate::tui::facts::touched;
    use crate::tui::kernel_cache::Loaded;
    use crate::tui::session::SeekGoal;
    use crate::tui::task::RunId;

    /// A block of two warps, which works on four tiles.
    fn session(kernel: &str) -> Session {
        let kernel = find(kernel).expect("a kernel");
        let ptx = kernel.embedded(8).expect("its PTX");
        let problem = Problem::of(kernel, 8, Size::square(32), ptx.into());
        let loaded = Loaded::of(problem).expect("it can be run");
        let (session, _) = Session::new(RunId(0), loaded, Dim3::at(1, 2), Order::ToBarrier);
        assert!(session.trace().complete(), "one chunk holds it");
        session
    }

    fn kinds(session: &Session) -> Vec<OpKind> {
        session.trace().records().iter().map(|record| record.kind).collect()
    }

    /// The tiles along k that the touched elements of A and B belong to.
    fn tiles(session: &Session) -> Vec<u32> {
        let touched = touched(session).into_iter().filter(|e| e.operand != Operand::C);
        let mut tiles: Vec<_> = touched.map(|element| along_k(element) / 8).collect();
        tiles.dedup();
        tiles
    }

    #[test]
    fn what_is_lit_belongs_to_the_tile_of_the_warp_that_acts() {
        for kernel in ["naive", "tiled", "tiled_transposed", "tiled_padded"] {
            let mut session = session(kernel);
            for (at, kind) in (1..).zip(kinds(&session)) {
                session.go(SeekGoal::Step(at));
                let place = session.place();
                let warp = place.step.as_ref().map_or(0, |step| usize::from(step.warp));
                let fma = place.warps[warp].fma;
                let expected = if kind == OpKind::Fma { (fma - 1) / 8 } else { fma / 8 };
                let lights = kind.is_memory() && kind != OpKind::GlobalStore || kind == OpKind::Fma;
                assert_eq!(!tiles(&session).is_empty(), lights, "{kernel}, step {at}, {kind:?}");
                assert!(tiles(&session).iter().all(|tile| *tile == expected), "{kernel}, {at}");
            }
        }
    }

    #[test]
    fn the_tile_is_the_one_that_was_multiplied_until_the_next_is_loaded() {
        let mut session = session("tiled");
        let second = session.barriers()[1];
        for at in session.barriers()[0] + 1..=second {
            session.go(SeekGoal::Step(at));
            assert_eq!(session.k_tile(), Some(0), "step {at}");
        }
        assert!(
            matches!(kept(&session, &session.place().shared), StagedContents::These(held) if held.iter().all(|(_, now)| !now))
        );
        let loads =
            kinds(&session).iter().skip(second).position(|kind| *kind == OpKind::GlobalLoad);
        let first = second + loads.expect("a load") + 1;
        session.go(SeekGoal::Step(first));
        assert_eq!(tiles(&session), [1]);
    }

    #[test]
    fn words_that_a_slow_warp_still_needs_are_not_old() {
        let mut session = session("tiled_no_compute_barrier");
        let all = kinds(&session);
        let (mut early, mut at) = (None, 0);
        while early.is_none() && at < all.len() {
            at += 1;
            session.go(SeekGoal::Step(at));
            let place = session.place();
            let slow = place.warps.iter().any(|warp| warp.fma == 0);
            let ahead = place.warps.iter().any(|warp| warp.fma == 8);
            early = (all[at - 1] == OpKind::SharedStore && slow && ahead).then_some(at);
        }
        assert!(early.is_some(), "a warp runs ahead");
        assert_eq!(tiles(&session), [1], "what is stored belongs to the second tile");
        assert_eq!(session.k_tile(), Some(1), "the warp ahead has come to the second");
        let words = words(&session, &session.place().shared);
        let count = |age: Age| words[..64].iter().filter(|word| word.age == age).count();
        assert_eq!((count(Age::Current), count(Age::Old)), (64, 0), "of sA");
        assert_eq!(counted(&words, false), "128/128 words");
    }
}
