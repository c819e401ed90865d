//! What the step before has touched: it fades while the next one is shown.

/// Things of one kind that were touched last, and how much of that is left, of 255 parts.
///
/// What is left is always less than what shows that something is touched now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glow<'a, T> {
    /// The things.
    pub of: &'a [T],
    /// What is left; 0 once they have their own colours again.
    pub left: u8,
}

impl<T> Glow<'_, T> {
    /// Nothing.
    pub const NONE: Self = Self { of: &[], left: 0 };
}
