//! A load that fed an element of C.

use crate::matrix::Element;
use crate::trace::provenance::GlobalLoad;

/// A load that fed an element of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The load and the path of the loaded value.
    pub load: GlobalLoad,
    /// The element that it loaded, or `None` if that is not an element of a matrix.
    pub element: Option<Element>,
    /// The round in which it was loaded, from 0: loads without a barrier between them form one
    /// round. In a tiled kernel, it is the tile along k.
    pub round: u32,
}
