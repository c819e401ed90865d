//! A value that is followed: the elements that fed it, or those that it went into, lit.

use crate::matrix::Element;
use crate::tui::theme::{Role, Tone, role};

/// What of the matrices has to do with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lit {
    /// The element whose value it is.
    pub element: Element,
    /// The place that is to be in sight, in elements: along M, N and K.
    pub centre: [u32; 3],
    /// The elements that fed it, or into which it went, and whether the run has come so far.
    pub parts: Vec<(Element, bool)>,
    /// The one of them that is pointed at.
    pub pointed: Option<Element>,
}

impl Lit {
    /// Everything that is lit, what matters most at last.
    pub(super) fn tones(&self) -> impl Iterator<Item = (Element, Tone)> {
        let part = |(element, done): &(Element, bool)| {
            let role = role(element.operand);
            (*element, if *done { Tone::Full(role) } else { Tone::Half(role) })
        };
        let here = self.pointed.into_iter().chain([self.element]);
        let here = here.map(|element| (element, Tone::Full(Role::Here)));
        self.parts.iter().map(part).chain(here)
    }
}
