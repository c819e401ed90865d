//! Memory of the host and of the device, by regions: a variable, an array, an allocation.

use super::ByteState;
use super::value::{HostAddress, Reason};
use crate::types::Type;
use std::rc::Rc;

const WITHIN: u32 = 40;

/// The most bytes that are kept of all regions together: what is more holds unknown values.
const MOST: u64 = 256 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemorySide {
    Host,
    /// The number of the buffer.
    Device(usize),
    /// Both see it: managed, or pinned.
    Both(usize),
}

#[derive(Debug)]
pub(super) struct HostRegion {
    pub side: MemorySide,
    pub bytes: u64,
    /// Empty for those of the device, and for what is too large.
    pub data: Vec<u8>,
    pub states: Vec<ByteState>,
    /// Why some of its values are not known.
    pub reason: Reason,
    /// Whether the host has written it since the last launch.
    pub is_dirty: bool,
}

#[derive(Debug, Default)]
pub(super) struct HostMemory {
    regions: Vec<HostRegion>,
    free: Vec<usize>,
    kept: u64,
    /// The bytes that were moved or filled so far: that takes time.
    pub moved: u64,
}

/// A range of bytes in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RegionSpan {
    pub region: usize,
    pub offset: u64,
    pub bytes: u64,
}

impl HostMemory {
    pub(super) fn add(&mut self, side: MemorySide, bytes: u64) -> HostAddress {
        let is_kept =
            !matches!(side, MemorySide::Device(_)) && self.kept.saturating_add(bytes) <= MOST;
        let length = if is_kept { bytes as usize } else { 0 };
        self.kept += length as u64;
        self.moved += length as u64;
        let region = HostRegion {
            side,
            bytes,
            data: vec![0; length],
            states: vec![ByteState::NeverWritten; length],
            reason: 0,
            is_dirty: false,
        };
        let number = if let Some(number) = self.free.pop() {
            self.regions[number] = region;
            number
        } else {
            self.regions.push(region);
            self.regions.len() - 1
        };
        (number as u64 + 1) << WITHIN
    }

    /// Takes back a variable of a block that has ended.
    pub(super) fn drop(&mut self, address: HostAddress) {
        if let Some(span) = self.span(address, 0) {
            let region = &mut self.regions[span.region];
            self.kept -= region.data.len() as u64;
            (region.data, region.states) = (Vec::new(), Vec::new());
            self.free.push(span.region);
        }
    }

    pub(super) fn span(&self, address: HostAddress, bytes: u64) -> Option<RegionSpan> {
        let region = (address >> WITHIN).checked_sub(1)? as usize;
        let offset = address & ((1 << WITHIN) - 1);
        self.regions.get(region).map(|_| RegionSpan { region, offset, bytes })
    }

    pub(super) fn region(&self, address: HostAddress) -> Option<&HostRegion> {
        self.regions.get(self.span(address, 0)?.region)
    }

    pub(super) fn region_mut(&mut self, address: HostAddress) -> Option<&mut HostRegion> {
        let span = self.span(address, 0)?;
        self.regions.get_mut(span.region)
    }

    pub(super) fn regions_mut(&mut self) -> &mut [HostRegion] {
        &mut self.regions
    }

    /// The bytes at an address, if all of them are kept.
    pub(super) fn load(&self, address: HostAddress, bytes: u64) -> Option<(&[u8], &[ByteState])> {
        let span = self.span(address, bytes)?;
        let region = &self.regions[span.region];
        let range = span.offset as usize..(span.offset + bytes) as usize;
        Some((region.data.get(range.clone())?, region.states.get(range)?))
    }

    pub(super) fn store(&mut self, address: HostAddress, bytes: &[u8], states: &[ByteState]) {
        let Some(region) = self.region_mut(address) else { return };
        let start = (address & ((1 << WITHIN) - 1)) as usize;
        region.is_dirty = true;
        if let Some(to) = region.data.get_mut(start..start + bytes.len()) {
            to.copy_from_slice(bytes);
            region.states[start..start + bytes.len()].copy_from_slice(states);
        }
        self.moved += bytes.len() as u64;
    }

    /// Leaves values that are not known in these bytes.
    pub(super) fn forget(&mut self, address: HostAddress, bytes: u64, reason: Reason) {
        self.mark(address, bytes, ByteState::Unknown);
        if let Some(region) = self.region_mut(address) {
            (region.reason, region.is_dirty) = (reason, true);
        }
    }

    pub(super) fn mark(&mut self, address: HostAddress, bytes: u64, state: ByteState) {
        let Some(region) = self.region_mut(address) else { return };
        let start = ((address & ((1 << WITHIN) - 1)) as usize).min(region.states.len());
        let end = start.saturating_add(bytes as usize).min(region.states.len());
        region.states[start..end].fill(state);
        self.moved += (end - start) as u64;
    }

    /// Leaves values that are not known in all that a pointer may reach.
    pub(super) fn forget_all(&mut self, address: HostAddress, reason: Reason) {
        if let Some(bytes) = self.region(address).map(|region| region.bytes) {
            self.forget(address, bytes, reason);
        }
    }
}

/// The names of variables of a function, the innermost last.
#[derive(Clone, Debug)]
pub(super) struct HostVariable {
    pub name: Rc<str>,
    pub at: HostAddress,
    pub ty: Type,
    /// Whether the region is its own, and no other's by reference.
    pub is_own: bool,
}
