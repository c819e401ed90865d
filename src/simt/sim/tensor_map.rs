//! Tensor maps (`CUtensorMap`): where the boxes of a tensor lie in global and in shared memory.

use super::in_flight::{TRANSFER_PIECE, TransferPiece};

pub const TENSOR_MAP_BYTES: usize = 128;

/// The first bytes of a tensor map. What hardware keeps there is not documented; a kernel cannot
/// use it.
const MAGIC: u64 = 0x5d1a_7e25_0c0d_e0a7;

/// How the 16-byte pieces of a box are permuted in shared memory (PTX ISA, "Swizzling Modes").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Swizzle {
    /// Not at all.
    None,
    /// Within rows of 32 bytes.
    B32,
    /// Within rows of 64 bytes.
    B64,
    /// Within rows of 128 bytes.
    B128,
}

impl Swizzle {
    /// All modes, by their numbers in `CUtensorMapSwizzle`.
    pub const ALL: [Self; 4] = [Self::None, Self::B32, Self::B64, Self::B128];

    /// The width of the rows within which it permutes, in bytes, or `None`.
    pub const fn width(self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::B32 => Some(32),
            Self::B64 => Some(64),
            Self::B128 => Some(128),
        }
    }

    /// The permuted address: the number of the piece within its row is combined by exclusive or
    /// with the number of the 128-byte line, counted from the start of shared memory.
    pub const fn place(self, addr: u32) -> u32 {
        match self.width() {
            None => addr,
            Some(width) => addr ^ (addr >> 7 & (width / TRANSFER_PIECE - 1)) << 4,
        }
    }
}

/// A tiled tensor in global memory and the box that one copy moves; dimensions are listed from the
/// innermost (CUDA Driver API, `cuTensorMapEncodeTiled`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The address of the first element.
    pub base: u64,
    /// Bytes of an element.
    pub element: u8,
    /// The number of elements along each dimension, one to five of them.
    pub extents: Vec<u32>,
    /// The bytes from one index to the next, of every dimension but the innermost.
    pub strides: Vec<u64>,
    /// The elements of a box along each dimension.
    pub boxes: Vec<u16>,
    /// How the box lies in shared memory.
    pub swizzle: Swizzle,
}

impl TensorMap {
    /// The map as a kernel receives it.
    pub fn encode(&self) -> [u8; TENSOR_MAP_BYTES] {
        let swizzle = Swizzle::ALL.iter().position(|of| *of == self.swizzle).unwrap_or_default();
        let counts = [self.element, swizzle as u8, self.extents.len() as u8].map(u64::from);
        let head = counts[0] | counts[1] << 8 | counts[2] << 16;
        let mut words = [0; TENSOR_MAP_BYTES / 8];
        (words[0], words[1], words[2]) = (MAGIC, self.base, head);
        for (dimension, extent) in self.extents.iter().enumerate() {
            let stride = dimension.checked_sub(1).map_or(0, |outer| self.strides[outer]);
            words[3 + 2 * dimension] = u64::from(*extent) | u64::from(self.boxes[dimension]) << 32;
            words[4 + 2 * dimension] = stride;
        }
        let mut bytes = [0; TENSOR_MAP_BYTES];
        for (to, word) in bytes.chunks_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Reads a map from its words of 4 bytes, or `None` if they are none.
    pub(super) fn decode(words: &[u32; TENSOR_MAP_BYTES / 4]) -> Option<Self> {
        let word =
            |index: usize| u64::from(words[2 * index + 1]) << 32 | u64::from(words[2 * index]);
        let head = word(2);
        let rank = (head >> 16 & 0xff) as usize;
        if word(0) != MAGIC || !(1..=5).contains(&rank) {
            return None;
        }
        let pair = |dimension: usize| word(3 + 2 * dimension);
        Some(Self {
            base: word(1),
            element: head as u8,
            extents: (0..rank).map(|dimension| pair(dimension) as u32).collect(),
            strides: (1..rank).map(|dimension| word(4 + 2 * dimension)).collect(),
            boxes: (0..rank).map(|dimension| (pair(dimension) >> 32) as u16).collect(),
            swizzle: *Swizzle::ALL.get((head >> 8 & 0xff) as usize)?,
        })
    }

    /// The pieces of the box whose first element has the coordinates `at`, at `shared` in shared
    /// memory.
    pub(super) fn pieces(&self, shared: u32, at: &[i32]) -> Vec<TransferPiece> {
        let row = u32::from(self.boxes[0]) * u32::from(self.element);
        let rows: u32 = self.boxes[1..].iter().map(|side| u32::from(*side)).product();
        let each = row / TRANSFER_PIECE;
        (0..rows * each)
            .map(|number| {
                let place = self.swizzle.place(shared + number * TRANSFER_PIECE);
                self.piece(place, number / each, number % each * TRANSFER_PIECE, at)
            })
            .collect()
    }

    /// The piece at byte `within` of a row of the box.
    fn piece(&self, shared: u32, row: u32, within: u32, at: &[i32]) -> TransferPiece {
        let mut left = row;
        let (mut inside, mut offset) = (true, 0_i64);
        for (dimension, side) in self.boxes.iter().enumerate().skip(1) {
            let index = i64::from(at[dimension]) + i64::from(left % u32::from(*side));
            left /= u32::from(*side);
            inside &= (0..i64::from(self.extents[dimension])).contains(&index);
            offset += index * self.strides[dimension - 1] as i64;
        }
        let element = i64::from(self.element);
        let first = i64::from(at[0]) * element + i64::from(within);
        let end = i64::from(self.extents[0]) * element;
        let clip = |byte: i64| (byte - first).clamp(0, i64::from(TRANSFER_PIECE)) as u8;
        let inside = if inside { [clip(0), clip(end)] } else { [0, 0] };
        let global = self.base.wrapping_add_signed(offset + first);
        TransferPiece { shared, other: global, inside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> TensorMap {
        TensorMap {
            base: 0x1000,
            element: 2,
            extents: vec![20, 3],
            strides: vec![64],
            boxes: vec![16, 4],
            swizzle: Swizzle::None,
        }
    }

    fn words(bytes: &[u8; TENSOR_MAP_BYTES]) -> [u32; TENSOR_MAP_BYTES / 4] {
        std::array::from_fn(|word| {
            u32::from_le_bytes(bytes[4 * word..][..4].try_into().expect("four bytes"))
        })
    }

    #[test]
    fn a_map_is_read_as_it_was_written() {
        let maps = Swizzle::ALL.map(|swizzle| TensorMap { swizzle, ..map() });
        for map in maps {
            assert_eq!(TensorMap::decode(&words(&map.encode())), Some(map));
        }
        assert_eq!(TensorMap::decode(&[0; TENSOR_MAP_BYTES / 4]), None);
    }

    #[test]
    fn what_lies_outside_the_tensor_is_not_inside_a_piece() {
        let pieces = map().pieces(0, &[8, 1]);
        let seen: Vec<_> = pieces.iter().map(|piece| (piece.other, piece.inside)).collect();
        assert_eq!(seen[..2], [(0x1050, [0, 16]), (0x1060, [0, 8])], "12 of 16 columns");
        assert_eq!(seen[2].0, 0x1090);
        assert!(seen[4..].iter().all(|(_, inside)| *inside == [0, 0]), "there is no row 3");
        let before = map().pieces(0, &[-12, 0]);
        assert_eq!(before[0].inside, [16, 16]);
        assert_eq!(before[1].inside, [8, 16]);
    }

    /// PTX ISA, "Swizzling Modes", the figure of 128 bytes: in line 1, pieces 0 and 1 are exchanged;
    /// in line 7, their order is reversed. The other modes repeat after two and four lines.
    #[test]
    fn pieces_are_permuted_within_their_lines() {
        let line = |swizzle: Swizzle, line: u32| -> Vec<u32> {
            (0..8).map(|piece| swizzle.place(128 * line + 16 * piece) % 128 / 16).collect()
        };
        assert_eq!(line(Swizzle::B128, 1), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(line(Swizzle::B128, 7), [7, 6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(line(Swizzle::B64, 5), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(line(Swizzle::B64, 4), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(line(Swizzle::B32, 3), [1, 0, 3, 2, 5, 4, 7, 6]);
    }
}
