//! Backwards through products whose factors lie in shared memory.

use super::super::low;
use super::super::moment::Moment;
use super::super::multiply::{Piece, sums};
use super::super::product::{Factors, Spot};
use super::{Live, Way};
use crate::ptx::{Space, Wgmma};
use crate::sim::Reg;

impl Live {
    /// Each sum came from a row, a column, and the sum before if that was added.
    pub(super) fn product(&mut self, moment: &Moment, product: &Wgmma<Reg>) {
        let Some(factors) = Factors::new(product, &moment.step) else { return };
        if !product.d.iter().any(|d| self.regs.contains_key(&(moment.step.warp, *d))) {
            return;
        }
        let mut terms = Vec::new();
        for sum in sums((&product.d, &product.d), product.sum) {
            if self.take_piece(moment, sum.d).is_empty() {
                continue;
            }
            let before = (!moment.chosen.is_empty()).then_some(Spot::Held(sum.c));
            let spots = factors.row(sum.row).into_iter().chain(factors.column(sum.column));
            terms.extend(spots.chain(before).map(|spot| (sum.d.lane, spot)));
        }
        for (lane, spot) in terms {
            let way = Way { used: Some(moment.at(lane)), ..Way::default() };
            match spot {
                Spot::Held(Piece { reg, lane: from, mask }) => {
                    self.reg(moment, reg, from, mask, way);
                }
                Spot::Shared(addr) => {
                    self.memory(
                        moment,
                        (Space::Shared, addr),
                        lane,
                        low(factors.size().into()),
                        way,
                    );
                }
            }
        }
    }
}
