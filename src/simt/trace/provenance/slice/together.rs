//! Backwards through operations of several lanes together, and through atomic operations.

use super::super::exchange::{ByteMove, BytePlace};
use super::super::moment::StepValues;
use super::super::multiply::FragmentElement;
use super::super::product::{FactorLocation, MatrixProduct};
use super::super::{MemoryWord, low};
use super::{BytePath, HeldBytes, Live};
use crate::sim::{Effect, Reg};
use ptx::Space;

impl Live {
    pub(super) fn shift(&mut self, moment: &StepValues, shifts: &[ByteMove]) {
        // All destinations before any source: a register may be both. Where several lanes store to
        // one word, the value of the highest lane remains.
        let last_first = || shifts.iter().rev();
        let taken: Vec<_> = last_first().map(|shift| self.arrived(moment, shift)).collect();
        for (shift, taken) in last_first().zip(taken) {
            for (mask, way) in taken {
                match shift.from {
                    BytePlace::Register(reg, lane, at) => {
                        self.reg(moment, reg, lane, mask << at, way);
                    }
                    BytePlace::Memory(space, addr) => {
                        self.memory(moment, (space, addr), shift.lane, mask, way);
                    }
                    BytePlace::Copied(warp, index) => {
                        self.word(MemoryWord::Copied(warp, shift.lane, index), mask, way);
                    }
                    BytePlace::Nowhere => {}
                }
            }
        }
    }

    /// Takes out what arrived at a location; bytes are counted from its first.
    fn arrived(&mut self, moment: &StepValues, shift: &ByteMove) -> Vec<(u8, BytePath)> {
        match shift.to {
            BytePlace::Register(reg, lane, at) => {
                let bytes = low(shift.count.into());
                let mask = if shift.extends { u8::MAX } else { bytes << at };
                let held = self.take_piece(moment, FragmentElement { reg, lane, mask }).into_iter();
                // The bytes beyond are the sign extension.
                let moved =
                    |mask: u8| if mask >> at & bytes == 0 { bytes } else { mask >> at & bytes };
                held.map(|(mask, way)| (moved(mask), way)).collect()
            }
            BytePlace::Memory(space, addr) => {
                self.written(moment, (space, addr), shift.lane.into(), shift.count)
            }
            BytePlace::Copied(warp, index) => {
                self.take_word(MemoryWord::Copied(warp, shift.lane, index), 0b1111)
            }
            BytePlace::Nowhere => Vec::new(),
        }
    }

    pub(super) fn reduce(&mut self, moment: &StepValues, from: Reg, to: Reg) {
        if let Some(HeldBytes { lane, .. }) = self.take(moment, to).first() {
            let way = BytePath { used: Some(moment.at(*lane)), ..BytePath::default() };
            for lane in moment.step.active.lanes() {
                self.reg(moment, from, lane as u8, u8::MAX, way);
            }
        }
    }

    /// Each sum depends on a row, a column, and the previous sum if that was added.
    pub(super) fn multiply(&mut self, moment: &StepValues, products: &[MatrixProduct<'_>]) {
        let mut terms = Vec::new();
        for product in products {
            if !self.needs(moment, product.to()) {
                continue;
            }
            for sum in product.sums() {
                if !self.take_piece(moment, sum.d).is_empty() {
                    let before = product.adds().then_some(FactorLocation::Held(sum.c));
                    let spots = product.row(sum.row).into_iter().chain(product.column(sum.column));
                    terms.extend(spots.chain(before).map(|spot| (product, sum.d.lane, spot)));
                }
            }
        }
        for (product, lane, spot) in terms {
            let way = BytePath { used: Some(moment.at(lane)), ..BytePath::default() };
            match (spot, product) {
                (
                    FactorLocation::Held(FragmentElement { reg, lane, mask }),
                    MatrixProduct::Mma(_),
                ) => {
                    self.reg(moment, reg, lane, mask, BytePath { part: mask, ..way });
                }
                (
                    FactorLocation::Held(FragmentElement { reg, lane, mask }),
                    MatrixProduct::Wgmma { .. },
                ) => {
                    self.reg(moment, reg, lane, mask, way);
                }
                (FactorLocation::Shared(addr), _) => {
                    let place = (Space::Shared, addr);
                    self.memory(moment, place, lane, low(product.size().into()), way);
                }
            }
        }
    }

    /// The lanes operated one after another: each may have found what the previous one left.
    pub(super) fn atomic(
        &mut self,
        moment: &StepValues,
        (to, from): (&[Reg], &[Reg]),
        (each, size): (usize, u8),
        replaces: bool,
    ) {
        let Effect::Memory(access) = &moment.step.effect else { return };
        let found: Vec<Vec<_>> =
            to.iter().map(|to| self.take(moment, *to).into_iter().collect()).collect();
        let elements = || (0..).step_by(size.into()).zip(from.chunks(each)).enumerate();
        let of_lane = |(lane, addr)| {
            elements().map(move |(number, (at, from))| (lane, addr + at, number, from))
        };
        let all: Vec<(usize, u64, usize, &[Reg])> = access.touched().flat_map(of_lane).collect();
        for (lane, addr, number_of, from) in all.into_iter().rev() {
            let (place, number) = ((access.space, addr), lane as u8);
            for (mask, mut way) in self.written(moment, place, lane, size) {
                if !replaces {
                    way = BytePath { used: Some(moment.at(number)), ..BytePath::default() };
                    self.memory(moment, place, number, low(size.into()), way);
                }
                let mask = if replaces { mask } else { u8::MAX };
                for from in from {
                    self.reg(moment, *from, number, mask, way);
                }
            }
            let found = found.get(number_of).into_iter().flatten();
            for held in found.filter(|held| held.lane == number) {
                self.memory(moment, place, number, low(size.into()), held.way);
            }
        }
    }

    /// Takes out the live bytes among some bytes of one lane's register.
    pub(super) fn take_piece(
        &mut self,
        moment: &StepValues,
        FragmentElement { reg, lane, mask }: FragmentElement,
    ) -> Vec<(u8, BytePath)> {
        let key = (moment.step.warp, reg);
        let Some(all) = self.regs.get_mut(&key) else { return Vec::new() };
        let mine = all.iter().filter(|held| held.lane == lane && held.mask & mask != 0);
        let taken = mine.map(|held| (held.mask & mask, held.way)).collect();
        all.retain_mut(|held| {
            held.mask &= if held.lane == lane { !mask } else { u8::MAX };
            held.mask != 0
        });
        if all.is_empty() {
            self.regs.remove(&key);
        }
        taken
    }
}
