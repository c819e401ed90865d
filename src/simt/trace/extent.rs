//! The rows and columns of each buffer of global memory that a block has touched.

use crate::sim::{Access, Memory};
use ptx::Space;
use std::sync::Arc;

/// The bounding rows and columns of all that a block has touched of a buffer so far; first and
/// last, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Rows; of a matrix that lies column by column, its columns.
    pub rows: (u64, u64),
    /// Bytes of a row.
    pub columns: (u64, u64),
}

impl Extent {
    /// Whether a place lies within it.
    pub const fn has(&self, row: u64, column: u64) -> bool {
        let (rows, columns) = (self.rows, self.columns);
        rows.0 <= row && row <= rows.1 && columns.0 <= column && column <= columns.1
    }
}

/// The extents of every buffer, and the buffers' addresses.
#[derive(Clone, Debug)]
pub(super) struct Extents {
    pub(super) all: Vec<Option<Extent>>,
    buffers: Arc<[BufferRange]>,
}

#[derive(Clone, Copy, Debug)]
struct BufferRange {
    base: u64,
    bytes: u64,
    pitch: u64,
}

impl Extents {
    pub(super) fn new(memory: &Memory) -> Self {
        let lies = memory.buffers().iter().map(|buffer| BufferRange {
            base: buffer.base,
            bytes: buffer.bytes,
            pitch: buffer.pitch.max(1),
        });
        let buffers: Arc<[_]> = lies.collect();
        Self { all: vec![None; buffers.len()], buffers }
    }

    /// Adds an access, if it is to global memory and within one buffer.
    pub(super) fn add(&mut self, access: &Access) {
        if access.space != Space::Global {
            return;
        }
        let addrs = || access.touched().map(|(_, addr)| addr);
        let (Some(first), Some(last)) = (addrs().min(), addrs().max()) else { return };
        let inside = |lies: &BufferRange| first.wrapping_sub(lies.base) < lies.bytes;
        let Some(index) = self.buffers.iter().position(inside) else { return };
        let BufferRange { base, bytes, pitch } = self.buffers[index];
        let width = u64::from(access.bytes.max(1)) - 1;
        let last = last + width;
        if last.wrapping_sub(base) >= bytes {
            return;
        }
        let place = |addr: u64| {
            let byte = addr - base;
            (byte / pitch, byte % pitch)
        };
        let ((top, left), (bottom, right)) = (place(first), place(last));
        let (left, right) = if top == bottom {
            (left, right)
        } else {
            let each = || addrs().map(|addr| place(addr).1);
            let right = each().max().unwrap_or(right) + width;
            (each().min().unwrap_or(left), right.min(pitch - 1))
        };
        let extent = &mut self.all[index];
        let was = extent.unwrap_or(Extent { rows: (top, bottom), columns: (left, right) });
        *extent = Some(Extent {
            rows: (was.rows.0.min(top), was.rows.1.max(bottom)),
            columns: (was.columns.0.min(left), was.columns.1.max(right)),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Direction, LaneMask, Route};

    fn access(addrs: impl Fn(u64) -> u64, bytes: u8, lanes: u32) -> Access {
        let addrs = std::array::from_fn(|lane| addrs(lane as u64));
        let (space, direction) = (Space::Global, Direction::Load);
        Access {
            space,
            direction,
            bytes,
            route: Route::Lanes,
            active: LaneMask::first(lanes),
            addrs,
        }
    }

    #[test]
    fn an_extent_is_the_box_around_all_that_was_touched() {
        let mut memory = Memory::new();
        let a = memory.add("A", &vec![0.0; 64 * 100]);
        memory.lies_in_rows_of(400);
        memory.add("B", &[0.0; 64]);
        let mut extents = Extents::new(&memory);
        extents.add(&access(|lane| a + 4 * (300 + lane), 4, 16));
        let row = Extent { rows: (3, 3), columns: (0, 63) };
        assert_eq!(extents.all, [Some(row), None]);
        extents.add(&access(|lane| a + 4 * (100 * lane + 40), 16, 8));
        let both = Extent { rows: (0, 7), columns: (0, 175) };
        assert_eq!(extents.all, [Some(both), None]);
        assert!(both.has(7, 175) && !both.has(8, 0) && !both.has(0, 176));
        extents.add(&access(|_| 12, 4, 32));
        extents.add(&access(|lane| a + 4 * lane, 4, 0));
        assert_eq!(extents.all, [Some(both), None], "outside, or without a lane");
    }
}
