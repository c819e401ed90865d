//! The sum that the loads feeding an element of C add up to: the expected one, or another.

use super::term::Term;
use crate::matrix::{Element, Operand, Size};

/// The kind of sum that fed an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SumKind {
    /// Its row of A and its column of B, each element once; perhaps also values outside the
    /// matrices.
    Product,
    /// Like [`Self::Product`], plus the old value of C.
    Added,
    /// Some of these products, added to what other blocks add: the number of products, and of all.
    Part(u32, u32),
    /// Something else, with a description of the first error.
    Wrong(String),
    /// Not known, because earlier loads are omitted.
    Cut,
}

/// Facts about the element in addition to the loads.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoreFacts {
    pub(super) unwritten: usize,
    pub(super) cut: bool,
    pub(super) atomic: bool,
}

impl SumKind {
    /// Classifies these loads.
    pub(super) fn of(size: Size, of: Element, terms: &[Term], origin: &StoreFacts) -> Self {
        if origin.cut {
            return Self::Cut;
        }
        if origin.unwritten > 0 {
            return Self::Wrong("it loads from shared memory that was never stored".to_owned());
        }
        let elements = || terms.iter().filter_map(|term| term.element);
        if let Some(element) = elements().find(|element| !belongs(of, *element)) {
            return Self::Wrong(format!("it takes {element}, which does not belong to it"));
        }
        let places = |operand| {
            let mine = elements().filter(|element| element.operand == operand);
            let k = |e: Element| if operand == Operand::A { e.column } else { e.row };
            let mut ks: Vec<_> = mine.map(k).collect();
            ks.sort_unstable();
            ks
        };
        let name = |operand, k| match operand {
            Operand::A => Element { operand, row: of.row, column: k },
            Operand::B | Operand::C => Element { operand, row: k, column: of.column },
        };
        let [a, b] = [Operand::A, Operand::B].map(places);
        if origin.atomic
            && a == b
            && a.len() < size.k as usize
            && a.is_sorted_by(|k, next| k < next)
        {
            return Self::Part(a.len() as u32, size.k);
        }
        for (operand, ks) in [(Operand::A, a), (Operand::B, b)] {
            if let Some((k, what)) = gap(&ks, size.k) {
                return Self::Wrong(format!("{} {what}", name(operand, k)));
            }
        }
        if elements().any(|element| element == of) { Self::Added } else { Self::Product }
    }
}

/// Whether an element is part of the sum.
fn belongs(of: Element, element: Element) -> bool {
    match element.operand {
        Operand::A => element.row == of.row,
        Operand::B => element.column == of.column,
        Operand::C => element == of,
    }
}

/// Returns the first number from 0 to `end` that is missing from the ascending `ks` or occurs
/// twice.
fn gap(ks: &[u32], end: u32) -> Option<(u32, &'static str)> {
    for (expected, k) in (0..).zip(ks) {
        if *k < expected {
            return Some((*k, "is in it more than once"));
        }
        if *k > expected {
            return Some((expected, "is missing"));
        }
    }
    let count = ks.len() as u32;
    (count < end).then_some((count, "is missing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_doubles_are_found() {
        assert_eq!(gap(&[0, 1, 2], 3), None);
        assert_eq!(gap(&[0, 2], 3), Some((1, "is missing")));
        assert_eq!(gap(&[0, 1], 3), Some((2, "is missing")));
        assert_eq!(gap(&[0, 0, 1], 3), Some((0, "is in it more than once")));
        assert_eq!(gap(&[], 1), Some((0, "is missing")));
    }
}
