//! Forwards through products whose factors lie in shared memory.

use super::super::moment::Moment;
use super::super::multiply::sums;
use super::super::product::{Factors, Spot};
use super::{Mark, Reach, Spread, Touched};
use crate::ptx::{Space, Wgmma};
use crate::sim::{LaneMask, Reg};

impl Spread {
    /// The lanes whose sums the value comes into are those that use it.
    pub(super) fn product(&mut self, moment: &Moment, product: &Wgmma<Reg>, reach: &mut Reach) {
        let Some(factors) = Factors::new(product, &moment.step) else { return };
        let size = factors.size();
        let mut read = Touched::default();
        let mut known = |spots: Vec<Spot>| {
            let mark = |spot: &Spot| match *spot {
                Spot::Held(piece) => self.piece(moment, piece),
                Spot::Shared(addr) => {
                    let mark = self.at(moment, Space::Shared, 0, (addr, size));
                    read.add(0, addr, mark.same);
                    mark
                }
            };
            spots.iter().map(mark).fold(false, |any, mark| any | !mark.is_blank())
        };
        let rows: Vec<_> = (0..16).map(|row| known(factors.row(row))).collect();
        let columns: Vec<_> =
            (0..usize::from(product.n)).map(|column| known(factors.column(column))).collect();
        let (mut after, mut lanes) = (Vec::new(), LaneMask::NONE);
        for sum in sums((&product.d, &product.d), product.sum) {
            let used = rows[sum.row] || columns[sum.column];
            let adds = !moment.chosen.is_empty() && !self.piece(moment, sum.c).is_blank();
            lanes.0 |= u32::from(used) << sum.d.lane;
            after.push((sum.d, used || adds));
        }
        for (piece, made) in after {
            let made = if made { piece.mask } else { 0 };
            self.set_piece(moment, piece, Mark { same: 0, made });
        }
        let accesses = moment.step.accesses();
        reach.events.extend(accesses.first().and_then(|access| read.event(moment, access)));
        reach.use_by(moment, lanes);
    }
}
