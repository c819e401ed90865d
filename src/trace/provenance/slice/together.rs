//! Backwards through what the lanes of a warp do together, and through atomic operations.

use super::super::exchange::{Shift, Spot};
use super::super::moment::Moment;
use super::super::multiply::{Piece, of_a, of_b, sums};
use super::super::{Word, low};
use super::{Held, Live, Way};
use crate::ptx::Mma;
use crate::sim::{Effect, Reg};

impl Live {
    pub(super) fn shift(&mut self, moment: &Moment, shifts: &[Shift]) {
        // All destinations before any source: one register may be both. Of several lanes that store
        // to one word the highest is the one whose value stays.
        let last_first = || shifts.iter().rev();
        let taken: Vec<_> = last_first().map(|shift| self.arrived(moment, shift)).collect();
        for (shift, taken) in last_first().zip(taken) {
            for (mask, way) in taken {
                match shift.from {
                    Spot::Register(reg, lane, at) => self.reg(moment, reg, lane, mask << at, way),
                    Spot::Memory(space, addr) => {
                        self.memory(moment, (space, addr), shift.lane, mask, way);
                    }
                    Spot::Copied(index) => {
                        self.word(Word::Copied(moment.step.warp, shift.lane, index), mask, way);
                    }
                    Spot::Nowhere => {}
                }
            }
        }
    }

    /// Takes out what came to a place; bytes are counted from its first.
    fn arrived(&mut self, moment: &Moment, shift: &Shift) -> Vec<(u8, Way)> {
        match shift.to {
            Spot::Register(reg, lane, at) => {
                let bytes = low(shift.count.into());
                let mask = if shift.extends { u8::MAX } else { bytes << at };
                let held = self.take_piece(moment, Piece { reg, lane, mask }).into_iter();
                // Beyond the bytes stands their sign.
                let moved =
                    |mask: u8| if mask >> at & bytes == 0 { bytes } else { mask >> at & bytes };
                held.map(|(mask, way)| (moved(mask), way)).collect()
            }
            Spot::Memory(space, addr) => {
                self.written(moment, (space, addr), shift.lane.into(), shift.count)
            }
            Spot::Copied(index) => {
                self.take_word(Word::Copied(moment.step.warp, shift.lane, index), 0b1111)
            }
            Spot::Nowhere => Vec::new(),
        }
    }

    pub(super) fn reduce(&mut self, moment: &Moment, from: Reg, to: Reg) {
        if let Some(Held { lane, .. }) = self.take(moment, to).first() {
            let way = Way { used: Some(moment.at(*lane)), ..Way::default() };
            for lane in moment.step.active.lanes() {
                self.reg(moment, from, lane as u8, u8::MAX, way);
            }
        }
    }

    /// Each sum came from a row, a column, and the sum before.
    pub(super) fn multiply(&mut self, moment: &Moment, products: &[Mma<Reg>]) {
        let mut pieces = Vec::new();
        for product in products {
            if !product.d.iter().any(|d| self.regs.contains_key(&(moment.step.warp, *d))) {
                continue;
            }
            for sum in sums((&product.c, &product.d), product.sum) {
                if !self.take_piece(moment, sum.d).is_empty() {
                    let terms = (0..usize::from(product.shape[2]))
                        .flat_map(|k| [of_a(product, sum.row, k), of_b(product, sum.column, k)]);
                    let lane = sum.d.lane;
                    pieces.extend(terms.flatten().chain([sum.c]).map(|piece| (lane, piece)));
                }
            }
        }
        for (lane, Piece { reg, lane: from, mask }) in pieces {
            let way = Way { used: Some(moment.at(lane)), part: mask, ..Way::default() };
            self.reg(moment, reg, from, mask, way);
        }
    }

    /// The lanes came one after the other: what one found the one before may have left.
    pub(super) fn atomic(
        &mut self,
        moment: &Moment,
        (to, from): (Option<Reg>, &[Reg]),
        size: u8,
        replaces: bool,
    ) {
        let Effect::Memory(access) = &moment.step.effect else { return };
        let found: Vec<_> = to.iter().flat_map(|to| self.take(moment, *to)).collect();
        let lanes: Vec<_> = access.touched().collect();
        for (lane, addr) in lanes.into_iter().rev() {
            let (place, number) = ((access.space, addr), lane as u8);
            for (mask, mut way) in self.written(moment, place, lane, size) {
                if !replaces {
                    way = Way { used: Some(moment.at(number)), ..Way::default() };
                    self.memory(moment, place, number, low(size.into()), way);
                }
                let mask = if replaces { mask } else { u8::MAX };
                for from in from {
                    self.reg(moment, *from, number, mask, way);
                }
            }
            for held in found.iter().filter(|held| held.lane == number) {
                self.memory(moment, place, number, low(size.into()), held.way);
            }
        }
    }

    /// Takes out what is held of some bytes of one lane's register.
    pub(super) fn take_piece(
        &mut self,
        moment: &Moment,
        Piece { reg, lane, mask }: Piece,
    ) -> Vec<(u8, Way)> {
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
