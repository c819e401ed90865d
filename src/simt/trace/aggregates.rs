//! Facts that the screen shows but the machine does not keep, aggregated from the steps so far.

use super::extent::Extents;
use super::origins::{Origins, words};
use super::products::Products;
use super::snapshot::{Last, OpKind};
use crate::analysis::Counters;
use crate::analysis::vectorise::SmemVectorisation;
use crate::sim::{Access, Effect, LandedTransfer, LaneMask, Machine, Pc, Step};
use ptx::Space;
use std::sync::Arc;

/// Aggregates over the steps so far.
#[derive(Clone, Debug)]
pub(super) struct Aggregates {
    /// The SASS accesses in place of shared accesses.
    pub(super) joins: Arc<SmemVectorisation>,
    /// The instructions that multiply integers.
    pub(super) products: Arc<Products>,
    pub(super) totals: Counters,
    pub(super) warps: Vec<WarpAggregates>,
    /// For each word of shared memory: the barrier interval of its last write.
    pub(super) written: Vec<Option<u32>>,
    /// For each of these, the warp that wrote it; 0 before that.
    pub(super) writers: Vec<u16>,
    pub(super) extents: Extents,
    pub(super) origins: Origins,
    /// Whether shared memory was written in the previous barrier interval, and not loaded from there
    /// before its end.
    pub(super) stored: bool,
    /// The same of the current interval so far.
    storing: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct WarpAggregates {
    pub(super) kind: OpKind,
    pub(super) last: Option<Pc>,
    /// The lanes that executed it.
    pub(super) active: LaneMask,
    pub(super) fma: u32,
    /// Steps done after its last multiply-add.
    pub(super) multiplied: usize,
    pub(super) arrivals: u32,
    pub(super) global: Option<Last>,
    pub(super) shared: Option<Last>,
}

impl Aggregates {
    pub(super) fn new(machine: &Machine, joins: Arc<SmemVectorisation>) -> Self {
        Self {
            joins,
            products: Arc::new(Products::of(machine.program())),
            totals: Counters::default(),
            warps: vec![WarpAggregates::default(); machine.warps()],
            written: vec![None; machine.shared().len()],
            writers: vec![0; machine.shared().len()],
            extents: Extents::new(machine.memory()),
            origins: Origins::new(machine),
            stored: false,
            storing: false,
        }
    }

    /// Estimates the bytes that a copy takes.
    pub(super) fn bytes(&self) -> usize {
        let words = size_of_val(&*self.written) + size_of_val(&*self.writers);
        words + size_of_val(&*self.warps) + self.origins.bytes()
    }

    /// Adds step number `index` (counted from 1), executed in barrier interval `interval`.
    pub(super) fn add(&mut self, step: &Step, index: usize, interval: u32) {
        self.totals.add(step, self.joins.instead(step.pc));
        let warp = &mut self.warps[usize::from(step.warp)];
        warp.kind = self.products.kind(step);
        (warp.last, warp.active) = (Some(step.pc), step.active);
        if self.products.multiply_adds(step) > 0 {
            warp.fma += 1;
            warp.multiplied = index;
        }
        warp.arrivals += u32::from(matches!(step.effect, Effect::Barrier { .. }));
        if step.released.is_some() {
            self.stored = std::mem::take(&mut self.storing);
        }
        for access in step.accesses() {
            self.access(step, access, index, interval);
        }
        if let Effect::Async(effect) = &step.effect {
            let (stores, transfers) = effect.brought();
            for store in stores {
                self.write(store, interval, step.warp);
            }
            for LandedTransfer { copy, .. } in transfers {
                self.written(copy.words(), interval, copy.warp);
            }
        }
        self.origins.add(step);
    }

    fn access(&mut self, step: &Step, access: &Access, index: usize, interval: u32) {
        if access.active.is_empty() {
            return;
        }
        self.extents.add(access);
        let warp = &mut self.warps[usize::from(step.warp)];
        let last = Some(Last { pc: step.pc, index, access: access.clone() });
        match access.space {
            Space::Shared => warp.shared = last,
            Space::Global | Space::Generic => warp.global = last,
            Space::Distributed | Space::Local | Space::Const | Space::Param => {}
        }
        if access.space != Space::Shared {
            return;
        }
        if access.direction.writes() {
            self.write(access, interval, step.warp);
        } else {
            self.storing = self.storing
                && !words(access).any(|word| self.written.get(word) == Some(&Some(interval)));
        }
    }

    fn write(&mut self, access: &Access, interval: u32, warp: u16) {
        self.written(words(access), interval, warp);
    }

    /// These words of shared memory have been written by a warp.
    fn written(&mut self, words: impl Iterator<Item = usize>, interval: u32, warp: u16) {
        self.storing = true;
        for word in words {
            if let Some(written) = self.written.get_mut(word) {
                *written = Some(interval);
                self.writers[word] = warp;
            }
        }
    }
}
