//! One load that fed an element of C.

use crate::matrix::Element;
use crate::trace::provenance::Load;

/// One load that fed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The load and the way of what it brought.
    pub load: Load,
    /// What it loaded; none, if that is no element of a matrix.
    pub element: Option<Element>,
    /// The round in which it was loaded, from 0: loads without a barrier between them belong to
    /// one. In a tiled kernel, the tile along k.
    pub round: u32,
}
