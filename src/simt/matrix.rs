//! Matrices on the host: the fill of A and B, the expected C and the error of a computed C.

mod element_type;
pub mod judge;
mod layout;
pub mod loops;
mod precision;
mod values;

pub use element_type::{ElementType, ParseElementTypeError};
pub use layout::{Layout, Major};
pub use precision::Precision;
pub use values::{Elements, Values};

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One of the three matrices of C = A x B, all row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Operand {
    /// M x K.
    A,
    /// K x N.
    B,
    /// M x N.
    C,
}

impl Operand {
    /// All three, in the order of the kernels' parameters.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::C];

    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }
}

/// One element of one matrix: `C[5][7]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element {
    /// The matrix that it belongs to.
    pub operand: Operand,
    pub row: u32,
    pub column: u32,
}

/// Returned for a text that does not name an element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an element: give a matrix, a row and a column, for example C[5][7]")]
pub struct ParseElementError(pub String);

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}][{}]", self.operand.name(), self.row, self.column)
    }
}

impl FromStr for Element {
    type Err = ParseElementError;

    fn from_str(text: &str) -> Result<Self, ParseElementError> {
        let parse = || {
            let (name, rest) = text.trim().split_once('[')?;
            let (row, column) = rest.strip_suffix(']')?.split_once("][")?;
            let operand = Operand::ALL.into_iter().find(|operand| operand.name() == name)?;
            Some(Self { operand, row: row.parse().ok()?, column: column.parse().ok()? })
        };
        parse().ok_or_else(|| ParseElementError(text.to_owned()))
    }
}

/// The sizes of C = A x B: C is `m` x `n`, and the sum runs over `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
}

/// Why a size is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// Neither `N` nor `MxNxK` nor `M,N,K`.
    #[error("`{0}` is not a size: give N or MxNxK, for example 1024 or 100x36x257")]
    Malformed(String),
    /// A dimension is 0.
    #[error("size {0} is empty: M, N and K must be at least 1")]
    Empty(Size),
    /// A dimension has too many digits for any matrix.
    #[error("size {0} is too large: a matrix may have at most 2^31 - 1 elements (46340 squared)")]
    Huge(String),
    /// An element's index would not fit the kernels' 32-bit arithmetic.
    #[error("size {0} is too large: a matrix may have at most 2^31 - 1 elements (46340 squared)")]
    TooLarge(Size),
}

impl Size {
    /// A square problem: `m`, `n` and `k` are equal.
    pub const fn square(n: u32) -> Self {
        Self { m: n, n, k: n }
    }

    /// (rows, columns) of one matrix.
    pub const fn shape(self, operand: Operand) -> (u32, u32) {
        match operand {
            Operand::A => (self.m, self.k),
            Operand::B => (self.k, self.n),
            Operand::C => (self.m, self.n),
        }
    }

    /// Number of elements in one matrix.
    pub const fn elements(self, operand: Operand) -> u64 {
        let (rows, columns) = self.shape(operand);
        rows as u64 * columns as u64
    }

    /// Whether the element's matrix contains it at this size.
    pub const fn contains(self, element: Element) -> bool {
        let (rows, columns) = self.shape(element.operand);
        element.row < rows && element.column < columns
    }

    /// Floating-point operations of the product: one multiplication and one addition per term.
    pub const fn flops(self) -> f64 {
        2.0 * self.m as f64 * self.n as f64 * self.k as f64
    }

    /// Returns this size if the kernels can index it.
    ///
    /// # Errors
    /// A dimension of 0, or a matrix of 2^31 elements or more.
    pub fn checked(self) -> Result<Self, SizeError> {
        if self.m == 0 || self.n == 0 || self.k == 0 {
            return Err(SizeError::Empty(self));
        }
        let fits = |operand| i32::try_from(self.elements(operand)).is_ok();
        if Operand::ALL.into_iter().all(fits) { Ok(self) } else { Err(SizeError::TooLarge(self)) }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.m == self.n && self.n == self.k {
            write!(f, "{}", self.n)
        } else {
            write!(f, "{}x{}x{}", self.m, self.n, self.k)
        }
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let malformed = || SizeError::Malformed(text.to_owned());
        let parts = || text.split(if text.contains(',') { ',' } else { 'x' });
        let is_number =
            |part: &str| !part.is_empty() && part.chars().all(|digit| digit.is_ascii_digit());
        if !parts().all(is_number) {
            return Err(malformed());
        }
        let huge = |_| SizeError::Huge(text.to_owned());
        let parts: Vec<u32> = parts().map(str::parse).collect::<Result<_, _>>().map_err(huge)?;
        match parts[..] {
            [n] => Self::square(n),
            [m, n, k] => Self { m, n, k },
            _ => return Err(malformed()),
        }
        .checked()
    }
}

/// The operation that computes C: alpha A B + beta C, as in the BLAS routine GEMM.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gemm {
    /// Factor of the product.
    pub alpha: f64,
    /// Factor of the previous C.
    pub beta: f64,
}

impl Default for Gemm {
    fn default() -> Self {
        Self { alpha: 1.0, beta: 0.0 }
    }
}

impl Gemm {
    /// The resulting element of C, from the element `product` of A x B and the value `before` the
    /// launch.
    pub const fn element(self, product: f64, before: f64) -> f64 {
        self.alpha * product + self.beta * before
    }

    /// Whether the previous C contributes to the result; only then is C filled before the launch.
    pub fn reads_c(self) -> bool {
        self.beta != 0.0
    }
}

impl fmt::Display for Gemm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.alpha.to_bits() != 1.0_f64.to_bits() {
            write!(f, "{} x ", self.alpha)?;
        }
        f.write_str("A x B")?;
        if self.reads_c() { write!(f, " + {} x C", self.beta) } else { Ok(()) }
    }
}

/// The default seed for filling the matrices.
pub const SEED: u64 = 1;

/// The seed that fills with whole numbers from 0 to 9, with which sums can be checked by hand.
pub const SMALL: u64 = u64::MAX;

/// Element `index` (row-major) of an operand: a multiple of 2^-23 in [-1, 1), or with the seed
/// [`SMALL`] a whole number from 0 to 9; identical on every machine.
///
/// It depends on the position alone. The simulator therefore need not hold a whole matrix to read
/// one tile, and the GPU's copy can be filled in any order. The mixer is SplitMix64's (Steele, Lea,
/// Flood: "Fast splittable pseudorandom number generators", 2014).
pub fn element(seed: u64, operand: Operand, index: u64) -> f32 {
    let bits = bits_of(seed, operand, index);
    if seed == SMALL {
        return digit(bits).into();
    }
    (bits >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
}

/// The random bits from which an element is made.
fn bits_of(seed: u64, operand: Operand, index: u64) -> u64 {
    let stream = match operand {
        Operand::A => 0xA,
        Operand::B => 0xB,
        Operand::C => 0xC,
    };
    let place = seed.wrapping_mul(0x1000).wrapping_add(stream).wrapping_shl(32) ^ index;
    mixed(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The digit, from 0 to 9, that such bits are with the seed [`SMALL`].
const fn digit(bits: u64) -> u8 {
    ((bits >> 40) % 10) as u8
}

/// Mixes the bits of `number` so that each input bit affects many output bits (SplitMix64's mixer,
/// see [`element`]).
pub const fn mixed(number: u64) -> u64 {
    let bits = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Fills a whole operand, row-major.
pub fn fill(seed: u64, operand: Operand, size: Size) -> Vec<f32> {
    (0..size.elements(operand)).map(|index| element(seed, operand, index)).collect()
}

/// Computes rows `rows` of A x B in float64, row-major.
pub fn product(a: &[f32], b: &[f32], size: Size, rows: std::ops::Range<u32>) -> Vec<f64> {
    let (n, k) = (size.n as usize, size.k as usize);
    let mut c = vec![0.0; rows.len() * n];
    for (row, c) in rows.zip(c.chunks_exact_mut(n)) {
        for (a, b) in a[row as usize * k..][..k].iter().zip(b.chunks_exact(n)) {
            for (c, b) in c.iter_mut().zip(b) {
                *c += f64::from(*a) * f64::from(*b);
            }
        }
    }
    c
}

/// Accumulated error of some elements against their expected values; two parts can be combined.
#[derive(Clone, Copy, Debug, Default)]
pub struct Distance {
    error: f64,
    norm: f64,
}

impl Distance {
    /// Accumulates pairs of a computed and an expected value.
    pub fn of(pairs: impl Iterator<Item = (f64, f64)>) -> Self {
        pairs.fold(Self::default(), |Self { error, norm }, (c, reference)| Self {
            error: error + (c - reference).powi(2),
            norm: norm + reference.powi(2),
        })
    }

    /// Combines both parts.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { error: self.error + other.error, norm: self.norm + other.norm }
    }

    /// Relative error in the Frobenius norm, |c - reference| / |reference|; NaN is kept.
    pub fn relative(self) -> f64 {
        let Self { error, norm } = self;
        if norm == 0.0 { error.sqrt() } else { (error / norm).sqrt() }
    }
}

/// Relative error in the Frobenius norm, see [`Distance::relative`].
pub fn relative_error(c: &[f32], reference: &[f64]) -> f64 {
    Distance::of(c.iter().map(|c| f64::from(*c)).zip(reference.iter().copied())).relative()
}

/// Upper bound on the relative error expected of a float32 sum of `k` products.
///
/// Rounding errors of a chain of k fused multiply-adds grow roughly as sqrt(k) units in the last
/// place (2^-24). Four times that leaves a margin and still catches one wrong element of a small C.
pub fn tolerance(k: u32) -> f64 {
    4.0 * f64::from(k).sqrt() * 2.0_f64.powi(-24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_typed_and_refused_with_a_reason() {
        assert_eq!("64".parse(), Ok(Size::square(64)));
        assert_eq!("100x36x257".parse(), Ok(Size { m: 100, n: 36, k: 257 }));
        assert_eq!("100,36,257".parse(), Ok(Size { m: 100, n: 36, k: 257 }));
        for text in ["0", "46341", "-1", "abc", "1x2", "1x2x3x4", "", "99999999999"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_element_is_spelt_as_in_the_source() {
        let element = Element { operand: Operand::C, row: 5, column: 70 };
        assert_eq!(element.to_string().parse(), Ok(element));
        for text in ["", "C", "C[1]", "C[1][2", "D[1][2]", "c[1][2]", "C[-1][2]", "C[1][2][3]"] {
            assert!(text.parse::<Element>().is_err(), "{text}");
        }
        let size = Size { m: 2, n: 3, k: 4 };
        let of = |text: &str| size.contains(text.parse().expect("an element"));
        assert!(of("A[1][3]") && of("B[3][2]") && of("C[1][2]"));
        assert!(!of("A[2][0]") && !of("B[0][3]") && !of("C[1][3]"));
    }

    #[test]
    fn elements_fill_the_range_evenly_and_differ() {
        let values = fill(SEED, Operand::A, Size::square(64));
        assert!(values.iter().all(|v| (-1.0..1.0).contains(v)));
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        assert!(mean.abs() < 0.03, "{mean}");
        assert_ne!(values, fill(SEED, Operand::B, Size::square(64)));
        assert_ne!(values, fill(2, Operand::A, Size::square(64)));
    }

    #[test]
    fn small_elements_are_all_the_digits_and_differ() {
        let digits = fill(SMALL, Operand::A, Size::square(64));
        let count = |digit: u8| {
            digits.iter().filter(|value| value.to_bits() == f32::from(digit).to_bits()).count()
        };
        let counts: Vec<_> = (0..10).map(count).collect();
        assert_eq!(counts.iter().sum::<usize>(), digits.len());
        assert!(counts.iter().all(|count| (300..520).contains(count)), "{counts:?}");
        assert_ne!(digits, fill(SMALL, Operand::B, Size::square(64)));
    }

    #[test]
    fn a_gemm_says_what_c_becomes() {
        let gemm = Gemm { alpha: 2.0, beta: -0.5 };
        assert_eq!(gemm.element(10.0, 3.0).to_bits(), 18.5_f64.to_bits());
        assert_eq!(gemm.to_string(), "2 x A x B + -0.5 x C");
        assert_eq!(Gemm::default().to_string(), "A x B");
        assert!(gemm.reads_c() && !Gemm::default().reads_c());
    }

    #[test]
    fn the_product_of_small_matrices_is_right_by_hand() {
        let size = Size { m: 2, n: 2, k: 3 };
        let c = product(&[1., 2., 3., 4., 5., 6.], &[7., 8., 9., 10., 11., 12.], size, 0..2);
        assert_eq!(c, [58., 64., 139., 154.]);
        assert!(relative_error(&[58., 64., 139., 155.], &c) > tolerance(3));
    }
}
