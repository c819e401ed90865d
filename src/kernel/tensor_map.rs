//! Tensor maps as arguments: `tensormap:A:64x64:swizzle128:f16` for a `CUtensorMap` by value.

use crate::matrix::{ElementType, Operand, Size};
use crate::sim::{self, Swizzle};
use serde::{Deserialize, Serialize};

/// The start of such a word.
const PREFIX: &str = "tensormap:";

/// Maximum number of elements of a box along a dimension (CUDA Driver API,
/// `cuTensorMapEncodeTiled`).
const MOST: u32 = 256;

/// The rows of A, B or C as a two-dimensional tensor, and the box that one copy moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TensorMap {
    /// The number of the matrix's buffer.
    pub buffer: usize,
    /// Bytes of an element: 4 for float32, 2 for float16.
    pub element: u8,
    /// Columns and rows of the matrix.
    pub extents: [u32; 2],
    /// Columns and rows of a box.
    pub boxes: [u16; 2],
    /// The width in bytes within which pieces are permuted; 0 if they are not.
    pub swizzle: u8,
}

/// Why a word is no tensor map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorMapError {
    /// The word is not spelt like one.
    #[error(
        "`{0}` is no tensor map: say tensormap:A:64x64:swizzle128:f16 (A, B or C; rows x columns of \
         a box; swizzle32, swizzle64, swizzle128 or nothing; f16 or nothing for float32)"
    )]
    Word(String),
    /// A box that no tensor map can have.
    #[error("`{word}`: {what}")]
    Box {
        /// The word.
        word: String,
        /// The rule that it breaks.
        what: &'static str,
    },
}

/// Returns the tensor map that a word stands for; `None` if it does not begin like one.
pub(super) fn parse(word: &str, size: Size) -> Option<Result<TensorMap, TensorMapError>> {
    let rest = word.strip_prefix(PREFIX)?;
    let map = spelt(rest, size).ok_or_else(|| TensorMapError::Word(word.to_owned()));
    Some(map.and_then(|map| match map.wrong() {
        None => Ok(map),
        Some(what) => Err(TensorMapError::Box { word: word.to_owned(), what }),
    }))
}

fn spelt(rest: &str, size: Size) -> Option<TensorMap> {
    let mut words = rest.split(':');
    let name = words.next()?;
    let operand = Operand::ALL.into_iter().find(|operand| operand.name() == name)?;
    let (rows, columns) = words.next()?.split_once('x')?;
    let boxes = [columns.parse().ok()?, rows.parse().ok()?];
    let (mut swizzle, mut element) = (0, ElementType::F32.bytes());
    for word in words {
        match word {
            "swizzle32" => swizzle = 32,
            "swizzle64" => swizzle = 64,
            "swizzle128" => swizzle = 128,
            "f16" => element = ElementType::F16.bytes(),
            "f32" => {}
            _ => return None,
        }
    }
    let (rows, columns) = size.shape(operand);
    Some(TensorMap { buffer: operand as usize, element, extents: [columns, rows], boxes, swizzle })
}

impl TensorMap {
    /// The rule of `cuTensorMapEncodeTiled` that it breaks, if it breaks one.
    fn wrong(&self) -> Option<&'static str> {
        let bytes = |count: u32| count * u32::from(self.element);
        let [columns, rows] = self.boxes.map(u32::from);
        let width = u32::from(self.swizzle);
        if columns == 0 || rows == 0 || columns > MOST || rows > MOST {
            Some("a box has 1 to 256 rows and columns")
        } else if !bytes(columns).is_multiple_of(16) {
            Some("the rows of a box take a multiple of 16 bytes")
        } else if width > 0 && bytes(columns) != width {
            Some("the rows of a box must be as wide as its swizzle: 32, 64 or 128 bytes")
        } else if !bytes(self.extents[0]).is_multiple_of(16) {
            Some("the rows of the matrix take a multiple of 16 bytes: choose another size")
        } else {
            None
        }
    }

    /// The matrix, and the type of its elements.
    pub fn matrix(&self) -> (Operand, ElementType) {
        let is_half = self.element == ElementType::F16.bytes();
        let of = if is_half { ElementType::F16 } else { ElementType::F32 };
        (Operand::ALL.get(self.buffer).copied().unwrap_or(Operand::A), of)
    }

    /// The bytes from one row of the matrix to the next.
    pub fn pitch(&self) -> u64 {
        u64::from(self.extents[0]) * u64::from(self.element)
    }

    /// The map as the simulator takes it, where buffer number `n` begins at `bases[n]`.
    ///
    /// # Panics
    /// If the buffer does not exist.
    pub fn bytes(&self, bases: &[u64]) -> Vec<u8> {
        let is_it = |of: &&Swizzle| of.width() == Some(self.swizzle.into());
        let map = sim::TensorMap {
            base: bases[self.buffer],
            element: self.element,
            extents: self.extents.to_vec(),
            strides: vec![self.pitch()],
            boxes: self.boxes.to_vec(),
            swizzle: Swizzle::ALL.iter().find(is_it).copied().unwrap_or(Swizzle::None),
        };
        map.encode().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { m: 48, n: 40, k: 64 };

    fn told(word: &str) -> String {
        match parse(word, SIZE).expect("it begins like one") {
            Ok(map) => format!("{map:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_word_names_the_matrix_the_box_and_its_swizzle() {
        let map = parse("tensormap:B:16x64:swizzle128:f16", SIZE).expect("one").expect("right");
        let expected =
            TensorMap { buffer: 1, element: 2, extents: [40, 64], boxes: [64, 16], swizzle: 128 };
        assert_eq!(map, expected);
        assert_eq!(parse("A", SIZE), None);
    }

    #[test]
    fn what_no_tensor_map_can_be_is_said() {
        insta::assert_snapshot!(told("tensormap:D:8x8"), @"`tensormap:D:8x8` is no tensor map: say tensormap:A:64x64:swizzle128:f16 (A, B or C; rows x columns of a box; swizzle32, swizzle64, swizzle128 or nothing; f16 or nothing for float32)");
        insta::assert_snapshot!(told("tensormap:A:8x512"), @"`tensormap:A:8x512`: a box has 1 to 256 rows and columns");
        insta::assert_snapshot!(told("tensormap:A:8x3"), @"`tensormap:A:8x3`: the rows of a box take a multiple of 16 bytes");
        insta::assert_snapshot!(told("tensormap:A:8x32:swizzle64"), @"`tensormap:A:8x32:swizzle64`: the rows of a box must be as wide as its swizzle: 32, 64 or 128 bytes");
        let odd = parse("tensormap:A:8x8", Size { k: 3, ..SIZE }).expect("one").expect_err("wrong");
        insta::assert_snapshot!(odd, @"`tensormap:A:8x8`: the rows of the matrix take a multiple of 16 bytes: choose another size");
    }
}
