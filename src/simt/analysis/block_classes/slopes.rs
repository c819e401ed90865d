//! The change of a value from block to block along each axis of the grid.

/// Along x, y and z.
pub(super) type Slopes = [i64; 3];

/// The greatest common divisor.
pub(super) const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
