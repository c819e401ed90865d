//! The elements highlighted for a followed value: those that it came from, or went into.

use crate::matrix::Element;
use crate::tui::theme::{Tone, role};

/// The elements that are involved with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lit {
    /// The element whose value is followed.
    pub element: Element,
    /// The position to keep in view, in elements: along M, N and K.
    pub centre: [u32; 3],
    /// The elements that the value came from or went into, and whether the run has reached that
    /// point.
    pub parts: Vec<(Element, bool)>,
    /// The selected one of them.
    pub pointed: Option<Element>,
}

impl Lit {
    /// Yields the elements that the value came from or went into.
    pub(in crate::tui) fn tones(&self) -> impl Iterator<Item = (Element, Tone)> {
        let part = |(element, done): &(Element, bool)| {
            let role = role(element.operand);
            (*element, if *done { Tone::Full(role) } else { Tone::Half(role) })
        };
        self.parts.iter().map(part)
    }
}
