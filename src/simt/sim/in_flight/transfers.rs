//! Bulk copies in flight to shared memory: their data land when their mbarrier is waited for.

use crate::sim::alu::extend;
use crate::sim::reduction::changed;
use ptx::{AtomicOp, Type};
use std::sync::Arc;

/// Bytes of a piece: no layout of a bulk copy tears 16 bytes of shared memory apart.
pub const TRANSFER_PIECE: u32 = 16;

/// Bytes of a sector of global memory.
const SECTOR: u64 = 32;

/// A bulk copy as it was started.
#[derive(Clone, Debug, PartialEq)]
pub struct AsyncTransfer {
    pub warp: u16,
    /// The lane that did.
    pub lane: u8,
    /// The address of the mbarrier that it will signal, or `None` for a copy to global memory.
    pub mbarrier: Option<u32>,
    /// Bytes of each piece: [`TRANSFER_PIECE`], or fewer of an `st.async`.
    pub each: u8,
    /// What lies at the other end.
    pub other: OtherEnd,
    /// How each element is combined with the one at the destination, and the elements' type.
    pub reduces: Option<(AtomicOp, Type)>,
    pub pieces: Vec<TransferPiece>,
}

/// The other end of a bulk copy, beside the shared memory that it writes, or reads for a copy to
/// global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherEnd {
    /// Global memory.
    Global,
    /// The shared memory of the block that started it.
    Shared,
    /// The registers of the thread that started it: `st.async`, `red.async`.
    Registers,
}

/// 16 bytes of shared memory, and the memory that they are copied from or to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferPiece {
    /// The address in shared memory.
    pub shared: u32,
    /// The address of the piece's first byte at the other end.
    pub other: u64,
    /// The first byte that lies inside the tensor, and the end of those that do. The others are
    /// zeros in shared memory, and are not stored.
    pub inside: [u8; 2],
}

impl AsyncTransfer {
    /// Whether it goes to shared memory, rather than to global memory.
    pub const fn is_to_shared(&self) -> bool {
        self.mbarrier.is_some()
    }

    /// The address of the mbarrier that it signals, unless it goes to global memory.
    pub const fn signals(&self) -> Option<u32> {
        self.mbarrier
    }

    /// The number of bytes that it counts at its mbarrier: zeros beyond the edges count, too.
    pub fn bytes(&self) -> u32 {
        self.pieces.len() as u32 * u32::from(self.each)
    }

    /// The 4-byte words of shared memory that it writes or, to global memory, reads.
    pub fn words(&self) -> impl Iterator<Item = usize> {
        let each = usize::from(self.each) / 4;
        self.pieces.iter().flat_map(move |piece| {
            let first = piece.shared as usize / 4;
            first..first + each
        })
    }

    /// The number of 32-byte sectors of global memory that its pieces lie in, or of the shared memory
    /// of another block. Neighbours in one sector follow each other in every layout.
    pub fn sectors(&self) -> u32 {
        let (mut sectors, mut last) = (0, None);
        for piece in &self.pieces {
            let [start, end] = &piece.inside;
            let is_global = self.other == OtherEnd::Global;
            let other = if is_global { piece.other } else { piece.shared.into() };
            if start < end {
                let (first, end) = (other + u64::from(*start), other + u64::from(*end) - 1);
                let (first, end) = (first / SECTOR, end / SECTOR);
                sectors += (end - first) as u32 + u32::from(last != Some(first));
                last = Some(end);
            }
        }
        sectors
    }
}

/// A bulk copy that has landed.
#[derive(Clone, Debug, PartialEq)]
pub struct LandedTransfer {
    pub copy: Arc<AsyncTransfer>,
    /// The phase of its mbarrier that counted its bytes.
    pub phase: u32,
}

/// The bulk copies of a block that have not landed, oldest first.
///
/// Hardware may complete a copy at any time after its start. Here it lands when a thread waits at
/// its mbarrier, so that a kernel without the wait reads the old contents; or, with `early`, the
/// data are written when it starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::sim) struct Transfers {
    early: bool,
    flying: Vec<TransferInFlight>,
}

/// A copy in flight with its data.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::sim) struct TransferInFlight {
    copy: Arc<AsyncTransfer>,
    words: Vec<[u32; 4]>,
}

impl TransferInFlight {
    pub(in crate::sim) fn bytes(&self) -> u32 {
        self.copy.bytes()
    }

    pub(in crate::sim) fn started(&self) -> Arc<AsyncTransfer> {
        Arc::clone(&self.copy)
    }

    fn write(&self, shared: &mut [u32]) {
        for (piece, words) in self.copy.pieces.iter().zip(&self.words) {
            let (first, count) = (piece.shared as usize / 4, usize::from(self.copy.each) / 4);
            let to = &mut shared[first..first + count];
            match self.copy.reduces {
                None => to.copy_from_slice(&words[..count]),
                Some(how) => combine(how, to, &words[..count]),
            }
        }
    }
}

/// Combines each element with the one at the destination.
fn combine((op, ty): (AtomicOp, Type), to: &mut [u32], from: &[u32]) {
    let each = if ty.bits() == 64 { 2 } else { 1 };
    for (to, from) in to.chunks_exact_mut(each).zip(from.chunks_exact(each)) {
        let value = |words: &[u32]| {
            words.iter().rev().fold(0, |value, word| value << 32 | u64::from(*word))
        };
        let sum = changed((op, ty), extend(value(to), ty), [value(from), 0]);
        for (number, word) in to.iter_mut().enumerate() {
            *word = (sum >> (32 * number)) as u32;
        }
    }
}

impl Transfers {
    pub(in crate::sim) const fn new(early: bool) -> Self {
        Self { early, flying: Vec::new() }
    }

    /// Starts a copy to shared memory of these words.
    pub(in crate::sim) fn begin(
        &mut self,
        copy: Arc<AsyncTransfer>,
        words: Vec<[u32; 4]>,
        shared: &mut [u32],
    ) {
        let flying = TransferInFlight { copy, words };
        if self.early {
            flying.write(shared);
        }
        self.flying.push(flying);
    }

    /// The bytes of each copy in flight that will be counted at an mbarrier, oldest first.
    pub(in crate::sim) fn coming(&self, mbarrier: u32) -> impl Iterator<Item = u32> {
        let to = self.flying.iter().filter(move |flying| flying.copy.mbarrier == Some(mbarrier));
        to.map(TransferInFlight::bytes)
    }

    /// Removes the copies that signal an mbarrier.
    pub(in crate::sim) fn take(&mut self, mbarrier: u32) -> Vec<TransferInFlight> {
        self.flying.extract_if(.., |flying| flying.copy.mbarrier == Some(mbarrier)).collect()
    }

    /// Writes what a copy brings, if it has not been written yet.
    pub(in crate::sim) fn land(&self, flying: &TransferInFlight, shared: &mut [u32]) {
        if !self.early {
            flying.write(shared);
        }
    }

    /// Approximate memory use in bytes.
    pub(in crate::sim) fn size(&self) -> usize {
        self.flying.iter().map(|flying| 40 * flying.words.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_in_one_sector_are_counted_once_and_nothing_outside_the_tensor() {
        let copy = |pieces: &[(u64, [u8; 2])]| {
            let piece = |(global, inside): &(u64, _)| TransferPiece {
                shared: 0,
                other: *global,
                inside: *inside,
            };
            let (pieces, each) = (pieces.iter().map(piece).collect(), TRANSFER_PIECE as u8);
            let (other, reduces) = (OtherEnd::Global, None);
            AsyncTransfer { warp: 0, lane: 0, mbarrier: None, each, other, reduces, pieces }
                .sectors()
        };
        assert_eq!(copy(&[(64, [0, 16]), (80, [0, 16]), (96, [0, 16])]), 2);
        assert_eq!(copy(&[(80, [0, 16]), (96, [0, 16]), (1000, [0, 0])]), 2);
        assert_eq!(copy(&[(88, [0, 16])]), 2, "it lies across a boundary");
    }
}
