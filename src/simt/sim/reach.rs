//! The shared memory that a thread reaches: its block's, and that of the blocks that run with it.

use super::access::{Access, Route};
use super::block_group::BlockGroup;
use super::failed::{Failed, failed};
use super::in_flight::AsyncFault;
use super::mask::LaneMask;
use super::memory::{AddressError, NearestBuffer, SHARED, SHARED_WINDOW};
use ptx::Space;

/// The shared memory of a machine, as the threads of one block reach it.
#[derive(Clone, Copy)]
pub(super) struct SharedView<'c> {
    pub(super) blocks: &'c BlockGroup,
    /// The rank of that block.
    pub(super) rank: u32,
}

impl SharedView<'_> {
    /// The size in bytes of a block's shared memory.
    pub(super) const fn room(self) -> u64 {
        self.blocks.room()
    }

    /// The byte of the machine's shared memory at a kernel's address in the block's own, or an
    /// address outside if it lies elsewhere.
    pub(super) const fn own(self, addr: u64) -> u64 {
        addr.wrapping_sub(BlockGroup::address(self.rank)).wrapping_add(self.own_start())
    }

    /// The byte of the machine's shared memory at which the block's own begins.
    pub(super) const fn own_start(self) -> u64 {
        self.blocks.start(self.rank)
    }

    /// The byte at the same place as `byte` in the shared memory of the block of this rank.
    pub(super) const fn moved(self, byte: u32, rank: u32) -> u32 {
        let (_, offset) = self.blocks.of_shared(byte as u64);
        (self.blocks.start(rank) + offset) as u32
    }

    /// `mapa`: the address of the same place in the block of this rank.
    pub(super) fn map(self, addr: u64, rank: u32) -> Result<u64, AsyncFault> {
        let (window, _, offset) = self.in_window(addr)?;
        if rank >= self.blocks.count() {
            return Err(AsyncFault::NoSuchRank { rank, blocks: self.blocks.count() });
        }
        Ok(window + BlockGroup::address(rank) + offset)
    }

    /// `getctarank`: the rank of the block in whose shared memory an address lies.
    pub(super) fn rank_of(self, addr: u64) -> Result<u64, AsyncFault> {
        self.in_window(addr).map(|(_, rank, _)| rank)
    }

    /// Takes an address apart that may be generic: the start of its window, the rank, the offset.
    fn in_window(self, addr: u64) -> Result<(u64, u64, u64), AsyncFault> {
        let window = if addr >= SHARED_WINDOW { SHARED_WINDOW } else { 0 };
        let (rank, offset) = BlockGroup::split(addr - window);
        if rank >= u64::from(self.blocks.count()) {
            return Err(AsyncFault::NotShared(addr));
        }
        Ok((window, rank, offset))
    }

    /// Replaces the kernel's addresses of an access to shared memory by bytes of the machine's, after
    /// a check of each; `reaches`: whether the instruction may access that of other blocks.
    #[cold]
    pub(super) fn locate(self, access: &mut Access, reaches: Reach) -> Result<(), Failed> {
        let mut far = LaneMask::NONE;
        for lane in access.active.lanes() {
            let (rank, offset) = BlockGroup::split(access.addrs[lane]);
            let told = |kind: AsyncFault| (kind.into(), Some(lane));
            let blocks = self.blocks.count();
            if rank >= u64::from(blocks) {
                return Err(told(AsyncFault::NotShared(access.addrs[lane])));
            }
            let rank = rank as u32;
            if rank != self.rank && reaches == Reach::Own {
                return Err(told(AsyncFault::SharedOfOther { rank }));
            }
            if self.blocks.has_ended(rank) {
                return Err(told(AsyncFault::SharedOfEnded { rank }));
            }
            check_shared(self.room(), access, lane, offset)?;
            access.addrs[lane] = self.blocks.start(rank) + offset;
            far.0 |= u32::from(rank != self.rank) << lane;
        }
        if !far.is_empty() {
            access.route = Route::Distributed { far, single: access.route == Route::Lanes };
        }
        Ok(())
    }
}

/// The blocks whose shared memory an instruction may access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Its own: `.shared`, `.shared::cta`.
    Own,
    /// All of the machine's, by a generic address.
    Generic,
    /// All of the machine's: distributed shared memory.
    Named,
}

impl Reach {
    pub(super) const fn of(space: Space) -> Self {
        match space {
            Space::Distributed => Self::Named,
            Space::Generic => Self::Generic,
            _ => Self::Own,
        }
    }
}

/// Checks the address of one lane in a block's `size` bytes of shared memory.
pub(super) fn check_shared(
    size: u64,
    access: &Access,
    lane: usize,
    addr: u64,
) -> Result<(), Failed> {
    let bytes = u64::from(access.bytes);
    let place = || {
        format!("is at byte {} of shared memory, and the block has {size} bytes of it", addr as i64)
    };
    if addr >= size || size - addr < bytes {
        // An index below zero wraps around in the 32 bits of an address in shared memory.
        let offset = i64::from(addr as i32);
        let near = NearestBuffer { buffer: SHARED.to_owned(), offset };
        return Err(failed(AddressError::Beyond(place(), near), access, lane));
    }
    if addr & (bytes - 1) != 0 {
        return Err(failed(AddressError::Misaligned(place()), access, lane));
    }
    Ok(())
}
