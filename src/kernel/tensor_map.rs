//! Tensor maps as arguments: `tensormap:A:64x64:swizzle128:f16` for a `CUtensorMap` by value,
//! `*tensormap:A:64x64:swizzle128:f16` for a pointer to one in global memory.

use crate::matrix::{ElementType, Layout, Major, Operand, Size};
use crate::sim::{self, Swizzle};
use serde::{Deserialize, Serialize};

/// The start of such a word.
const PREFIX: &str = "tensormap:";

/// Maximum number of elements of a box along a dimension (CUDA Driver API,
/// `cuTensorMapEncodeTiled`).
const MOST: u32 = 256;

/// A, B or C as a two-dimensional tensor, and the box that one copy moves. A row is what is
/// contiguous in memory: a column of the matrix, if that is column-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TensorMapArg {
    /// The number of the matrix's buffer.
    pub buffer: usize,
    pub of: ElementType,
    /// Elements of a row, and rows.
    pub extents: [u32; 2],
    /// Elements from one row to the next.
    pub lead: u32,
    /// Elements of a row of a box, and its rows.
    pub boxes: [u16; 2],
    /// The width in bytes within which pieces are permuted; 0 if they are not.
    pub swizzle: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TensorMapText<'w> {
    text: &'w str,
    pub(super) operand: Operand,
    pub(super) of: ElementType,
    /// The order of its elements, if the word says it.
    pub(super) major: Option<Major>,
    /// Whether the kernel takes the address of the map in global memory.
    pub(super) by_address: bool,
    boxes: [u16; 2],
    swizzle: u8,
}

/// Why a word is no tensor map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorMapError {
    /// The word is not spelt like one.
    #[error(
        "`{0}` is no tensor map: say tensormap:A:64x64:swizzle128:f16 (A, B or C, B:col if it is \
         column-major; rows x columns of a box as they lie in memory; swizzle32, swizzle64, \
         swizzle128 or nothing; the type of the elements or nothing for float32), with a * before it \
         where the kernel takes a pointer to the map"
    )]
    Word(String),
    /// A box that no tensor map can have.
    #[error("`{word}`: {what}")]
    Box {
        word: String,
        /// The rule that it breaks.
        what: &'static str,
    },
}

/// Reads a word; `None` if it does not begin like a tensor map.
pub(super) fn parse(word: &str) -> Option<Result<TensorMapText<'_>, TensorMapError>> {
    let (plain, by_address) = word.strip_prefix('*').map_or((word, false), |plain| (plain, true));
    let rest = plain.strip_prefix(PREFIX)?;
    let spelt = parse_word(word, rest).map(|spelt| TensorMapText { by_address, ..spelt });
    Some(spelt.ok_or_else(|| TensorMapError::Word(word.to_owned())))
}

fn parse_word<'w>(word: &'w str, rest: &str) -> Option<TensorMapText<'w>> {
    let mut words = rest.split(':').peekable();
    let name = words.next()?;
    let operand = Operand::ALL.into_iter().find(|operand| operand.name() == name)?;
    let major = words.next_if_eq(&"col").map(|_| Major::Column);
    let (rows, columns) = words.next()?.split_once('x')?;
    let boxes = [columns.parse().ok()?, rows.parse().ok()?];
    let (mut swizzle, mut of) = (0, ElementType::F32);
    for word in words {
        match word {
            "swizzle32" => swizzle = 32,
            "swizzle64" => swizzle = 64,
            "swizzle128" => swizzle = 128,
            _ => of = word.parse().ok()?,
        }
    }
    Some(TensorMapText { text: word, operand, of, major, by_address: false, boxes, swizzle })
}

impl TensorMapText<'_> {
    /// The map for matrices of `size` that lie like this in memory.
    ///
    /// # Errors
    /// A map that the driver would refuse.
    pub(super) fn map(
        &self,
        size: Size,
        layouts: &[Layout; 3],
    ) -> Result<TensorMapArg, TensorMapError> {
        let (layout, shape) = (layouts[self.operand as usize], size.shape(self.operand));
        let extents = match layout.major {
            Major::Row => [shape.1, shape.0],
            Major::Column => [shape.0, shape.1],
        };
        let Self { of, boxes, swizzle, .. } = *self;
        let buffer = self.operand as usize;
        let map = TensorMapArg { buffer, of, extents, lead: layout.lead(shape), boxes, swizzle };
        match map.wrong() {
            None => Ok(map),
            Some(what) => Err(TensorMapError::Box { word: self.text.to_owned(), what }),
        }
    }
}

impl TensorMapArg {
    /// The rule of `cuTensorMapEncodeTiled` that it breaks, if it breaks one.
    fn wrong(&self) -> Option<&'static str> {
        let bytes = |count: u32| count * u32::from(self.of.bytes());
        let [columns, rows] = self.boxes.map(u32::from);
        let width = u32::from(self.swizzle);
        if columns == 0 || rows == 0 || columns > MOST || rows > MOST {
            Some("a box has 1 to 256 rows and columns")
        } else if !bytes(columns).is_multiple_of(16) {
            Some("the rows of a box take a multiple of 16 bytes")
        } else if width > 0 && bytes(columns) != width {
            Some("the rows of a box must be as wide as its swizzle: 32, 64 or 128 bytes")
        } else if !bytes(self.lead).is_multiple_of(16) {
            Some("the rows of the matrix take a multiple of 16 bytes: choose another size")
        } else {
            None
        }
    }

    /// The name of the buffer that holds it, where a kernel takes its address.
    pub fn name(&self) -> String {
        let operand = Operand::ALL.get(self.buffer).copied().unwrap_or(Operand::A);
        format!("the tensor map of {}", operand.name())
    }

    /// Its words of 4 bytes, see [`Self::bytes`].
    ///
    /// # Panics
    /// If the buffer does not exist.
    pub fn words(&self, bases: &[u64]) -> Vec<u32> {
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, byte| w << 8 | u32::from(*byte));
        self.bytes(bases).chunks(4).map(word).collect()
    }

    /// The bytes from one row of the matrix to the next.
    pub fn pitch(&self) -> u64 {
        u64::from(self.lead) * u64::from(self.of.bytes())
    }

    /// The map as the simulator takes it, where buffer number `n` begins at `bases[n]`.
    ///
    /// # Panics
    /// If the buffer does not exist.
    pub fn bytes(&self, bases: &[u64]) -> Vec<u8> {
        let is_it = |of: &&Swizzle| of.width() == Some(self.swizzle.into());
        let map = sim::TensorMap {
            base: bases[self.buffer],
            element: self.of.bytes(),
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

    fn map(word: &str, size: Size, layouts: [Layout; 3]) -> Result<TensorMapArg, TensorMapError> {
        parse(word).expect("it begins like one")?.map(size, &layouts)
    }

    fn told(word: &str) -> String {
        map(word, SIZE, Default::default()).expect_err("it is wrong").to_string()
    }

    #[test]
    fn a_word_names_the_matrix_the_box_and_its_swizzle() {
        let word = "tensormap:B:16x64:swizzle128:f16";
        let expected = TensorMapArg {
            buffer: 1,
            of: ElementType::F16,
            extents: [40, 64],
            lead: 40,
            boxes: [64, 16],
            swizzle: 128,
        };
        assert_eq!(map(word, SIZE, Default::default()), Ok(expected));
        let by_address = parse("*tensormap:B:16x64:swizzle128:f16").expect("one").expect("right");
        assert!(by_address.by_address && !parse(word).expect("one").expect("right").by_address);
        assert_eq!(parse("A"), None);
    }

    #[test]
    fn a_row_of_the_map_is_what_is_contiguous_in_memory() {
        let word = parse("tensormap:B:col:16x64:bf16").expect("one").expect("right");
        assert_eq!((word.major, word.of), (Some(Major::Column), ElementType::Bf16));
        let lies = Layout { of: word.of, major: Major::Column, lead: Some(72) };
        let map = word.map(SIZE, &[lies; 3]).expect("right");
        assert_eq!((map.extents, map.lead, map.pitch()), ([64, 40], 72, 144));
    }

    #[test]
    fn what_no_tensor_map_can_be_is_said() {
        insta::assert_snapshot!(told("tensormap:D:8x8"), @"`tensormap:D:8x8` is no tensor map: say tensormap:A:64x64:swizzle128:f16 (A, B or C, B:col if it is column-major; rows x columns of a box as they lie in memory; swizzle32, swizzle64, swizzle128 or nothing; the type of the elements or nothing for float32), with a * before it where the kernel takes a pointer to the map");
        insta::assert_snapshot!(told("tensormap:A:8x512"), @"`tensormap:A:8x512`: a box has 1 to 256 rows and columns");
        insta::assert_snapshot!(told("tensormap:A:8x3"), @"`tensormap:A:8x3`: the rows of a box take a multiple of 16 bytes");
        insta::assert_snapshot!(told("*tensormap:A:8x32:swizzle64"), @"`*tensormap:A:8x32:swizzle64`: the rows of a box must be as wide as its swizzle: 32, 64 or 128 bytes");
        let odd = map("tensormap:A:8x8", Size { k: 3, ..SIZE }, Default::default());
        insta::assert_snapshot!(odd.expect_err("wrong"), @"`tensormap:A:8x8`: the rows of the matrix take a multiple of 16 bytes: choose another size");
    }
}
