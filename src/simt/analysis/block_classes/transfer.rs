//! Transfer functions: how an instruction's result changes from block to block, given how its
//! operands change.

use super::affine::{Affine, Axes};
use super::region::{AXES, Region, RegionCut};
use super::slopes::{Slopes, gcd};
use crate::sim::{LaneMask, Machine, Reg};
use ptx::{BinaryOp, Compare, LaneOp, TernaryOp, Type, UnaryOp, Width};

/// A lane-wise instruction on registers, about to be executed.
///
/// Every such instruction is a function of its operands in the same lane. Where they do not change,
/// neither does its result; where they have slopes, the result has slopes in the cases below, and
/// varies in all others.
pub(super) struct TransferFunction<'a> {
    pub(super) machine: &'a Machine,
    pub(super) region: &'a Region,
    pub(super) warp: usize,
    pub(super) lanes: LaneMask,
    pub(super) spreads: &'a [Affine],
}

impl TransferFunction<'_> {
    /// Returns the result's `Affine`; `read` are the registers that `op` reads, `bits` is the width
    /// of the one that it writes.
    pub(super) fn result(&self, op: &LaneOp<Reg>, read: &[Reg], bits: u32) -> Affine {
        let mut result = Affine::default();
        for reg in read {
            result.join(self.spread(*reg));
        }
        if !read.iter().any(|reg| self.spread(*reg).moves()) {
            return result;
        }
        match self.linear(op, &mut result.axes) {
            Some(slopes) => {
                for (along, slope) in result.axes.iter_mut().zip(slopes) {
                    along.slope = if bits == 32 { i64::from(slope as i32) } else { slope };
                }
            }
            None => {
                for reg in read {
                    self.opaque(*reg, RegionCut::Half, &mut result.axes);
                }
            }
        }
        result
    }

    /// Returns the result's slopes and marks in `out` the lanes that do not have them, or `None`
    /// for an operation that is not linear.
    fn linear(&self, op: &LaneOp<Reg>, out: &mut Axes) -> Option<Slopes> {
        use TernaryOp::Mad;
        Some(match *op {
            LaneOp::Mov { src, .. } | LaneOp::Cvta { src, .. } => self.slopes(src),
            LaneOp::Unary { op: UnaryOp::Neg | UnaryOp::Not, ty, a, .. } if whole(ty) => {
                self.slopes(a).map(i64::wrapping_neg)
            }
            LaneOp::Binary { op, ty, a, b, .. } if whole(ty) => self.binary(op, ty, (a, b), out)?,
            LaneOp::Ternary { op: Mad(Width::Lo), ty, abc: [a, b, c], .. } if whole(ty) => {
                add(self.product((a, b), ty, out)?, self.slopes(c))
            }
            LaneOp::Ternary { op: Mad(Width::Wide), ty, abc: [a, b, c], .. } if whole(ty) => {
                add(self.wide_product((a, b), ty, out)?, self.slopes(c))
            }
            LaneOp::Setp { cmp, ty, a, b, .. } if whole(ty) => {
                self.compare(cmp, ty, (a, b), out);
                [0; 3]
            }
            LaneOp::Selp { a, b, pred, .. } => {
                self.choose(self.machine.predicate(self.warp, pred), (a, b), out)
            }
            LaneOp::Cvt { to, from, float, dst, src, .. }
                if whole(to) && whole(from) && !float.sat =>
            {
                self.convert((to, from), (dst, src), out)
            }
            _ => return None,
        })
    }

    fn binary(&self, op: BinaryOp, ty: Type, (a, b): (Reg, Reg), out: &mut Axes) -> Option<Slopes> {
        Some(match op {
            BinaryOp::Add => add(self.slopes(a), self.slopes(b)),
            BinaryOp::Sub => add(self.slopes(a), self.slopes(b).map(i64::wrapping_neg)),
            BinaryOp::Mul(Width::Lo) => self.product((a, b), ty, out)?,
            BinaryOp::Mul(Width::Wide) => self.wide_product((a, b), ty, out)?,
            BinaryOp::Shl => {
                let by = self.constant(b, Type::U32).filter(|by| *by < ty.bits().into())?;
                self.slopes(a).map(|slope| slope.wrapping_shl(by as u32))
            }
            BinaryOp::Shr if self.takes_sign(ty, b) => {
                let (low, high) = range(ty);
                let middle = i128::midpoint(low, high + 1);
                let half = |value| if value < middle { (low, middle - 1) } else { (middle, high) };
                self.within_each(a, ty, half, out);
                [0; 3]
            }
            BinaryOp::Shr => {
                let by = self.constant(b, Type::U32).filter(|by| *by < 31)?;
                self.quotient(a, ty, 1 << by, range(ty), out).0
            }
            BinaryOp::Div | BinaryOp::Rem => {
                let by = self.constant(b, ty).and_then(|by| i64::try_from(by).ok());
                let by = by.filter(|by| (1..=i64::from(u32::MAX)).contains(by))?;
                let (quotient, rest) = self.quotient(a, ty, by, (0, range(ty).1), out);
                if op == BinaryOp::Div { quotient } else { rest }
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => self.bits(op, ty, (a, b), out)?,
            BinaryOp::Min | BinaryOp::Max => {
                self.compare(Compare::Lt, ty, (a, b), out);
                let lanes = if op == BinaryOp::Min { (a, b) } else { (b, a) };
                self.choose(self.less(ty, (a, b)), lanes, out)
            }
            _ => return None,
        })
    }

    /// Whether a right shift leaves only the highest bit: compilers use this for `x < 0 ? -1 : 0`,
    /// and to divide signed numbers by 2.
    fn takes_sign(&self, ty: Type, by: Reg) -> bool {
        self.constant(by, Type::U32) == Some(i128::from(ty.bits() - 1))
    }

    /// The slopes of a product with a factor that is the same in all blocks. Lanes whose factor
    /// differs from the first lane's have other slopes.
    fn product(&self, (a, b): (Reg, Reg), ty: Type, out: &mut Axes) -> Option<Slopes> {
        let (moving, fixed) = if self.spread(a).moves() { (a, b) } else { (b, a) };
        if self.spread(fixed).moves() {
            return None;
        }
        let factors = self.integers(fixed, ty);
        let first = factors[self.first()];
        let other = self.lanes_where(|lane| factors[lane] != first);
        for axis in AXES {
            if self.slopes(moving)[axis] != 0 {
                out[axis].vary(other, RegionCut::Half);
            }
        }
        Some(self.slopes(moving).map(|slope| slope.wrapping_mul(first as i64)))
    }

    /// Like [`Self::product`], for a product twice as wide as the factors, which must not wrap
    /// around.
    fn wide_product(&self, (a, b): (Reg, Reg), ty: Type, out: &mut Axes) -> Option<Slopes> {
        for reg in [a, b] {
            self.within(reg, ty, range(ty), out);
        }
        self.product((a, b), ty, out)
    }

    /// The slopes of the quotient by `by`, rounded down, and of the remainder, for a value between
    /// `low` and `high`: quotient and remainder of its own slopes, as long as the remainder does
    /// not carry.
    fn quotient(
        &self,
        a: Reg,
        ty: Type,
        by: i64,
        (low, high): (i128, i128),
        out: &mut Axes,
    ) -> (Slopes, Slopes) {
        self.within(a, ty, (low, high), out);
        let slopes = self.slopes(a);
        let rests = slopes.map(|slope| slope % by);
        let wide = rests.map(i128::from);
        let (less, more) = self.region.extent(wide);
        let of = i128::from(by);
        let values = self.integers(a, ty);
        for lane in self.lanes.lanes() {
            let first = values[lane].rem_euclid(of);
            if first + less < 0 || first + more >= of {
                let (axis, cut) = self.region.leaves(first, wide, (0, of - 1));
                out[axis].vary(LaneMask(1 << lane), self.fewer(axis, cut, by, rests[axis]));
            }
        }
        (slopes.map(|slope| slope / by), rests)
    }

    /// The better cut where a remainder carries: at each carry, again and again, or into residue
    /// classes in each of which the remainder is constant.
    fn fewer(&self, axis: usize, cut: RegionCut, by: i64, rest: i64) -> RegionCut {
        let classes = by as u64 / gcd(by as u64, rest.unsigned_abs());
        let carries = self.region.change(axis, rest) / by as u64;
        u32::try_from(classes).ok().filter(|_| classes <= carries).map_or(cut, RegionCut::Residues)
    }

    /// The slopes of a value after a bitwise operation with the other operand; none of the bits
    /// that it changes may be among those that the slopes reach.
    fn bits(&self, op: BinaryOp, ty: Type, (a, b): (Reg, Reg), out: &mut Axes) -> Option<Slopes> {
        let (moving, fixed) = if self.spread(a).moves() { (a, b) } else { (b, a) };
        if self.spread(fixed).moves() {
            return None;
        }
        let slopes = self.slopes(moving);
        // Adding multiples of 2^low changes nothing below bit `low`.
        let low = slopes.iter().fold(0, |bits, slope| bits | *slope as u64).trailing_zeros();
        let ones = u64::MAX >> (64 - ty.bits()) >> low;
        let values = self.machine.values(self.warp, fixed);
        let above = |lane: usize| values[lane] >> low & ones;
        let all = |high: u64| self.lanes_where(|lane| above(lane) != high).is_empty();
        match op {
            BinaryOp::And if all(0) => Some([0; 3]),
            BinaryOp::And if all(ones) => Some(slopes),
            BinaryOp::Or | BinaryOp::Xor if all(0) => Some(slopes),
            _ => {
                let needed = self.lanes.lanes().map(|lane| 64 - above(lane).leading_zeros()).max();
                let cut = needed
                    .filter(|bits| *bits < 31)
                    .map_or(RegionCut::Half, |bits| RegionCut::Residues(1 << bits));
                self.opaque(moving, cut, out);
                Some([0; 3])
            }
        }
    }

    /// The slopes of `a` in the lanes of `first` and of `b` in the others; lanes whose slopes
    /// differ from the result's vary.
    fn choose(&self, first: LaneMask, (a, b): (Reg, Reg), out: &mut Axes) -> Slopes {
        let second = self.lanes.without(first);
        let (of_a, of_b) = (self.slopes(a), self.slopes(b));
        if self.lanes.and(first).is_empty() {
            return of_b;
        }
        for axis in AXES {
            if of_a[axis] != of_b[axis] {
                out[axis].vary(second, RegionCut::Half);
            }
        }
        of_a
    }

    /// Integer to integer: a value that is widened must not wrap around.
    fn convert(&self, (to, from): (Type, Type), (dst, src): (Reg, Reg), out: &mut Axes) -> Slopes {
        let narrower = if to.bits() > from.bits() { from } else { to };
        if dst.bits() > narrower.bits() {
            self.within(src, narrower, range(narrower), out);
        }
        let slopes = self.slopes(src);
        if from.bits() == 32 { slopes.map(|slope| i64::from(slope as i32)) } else { slopes }
    }

    /// Marks the lanes in which a comparison does not have one outcome all over the region.
    fn compare(&self, cmp: Compare, ty: Type, (a, b): (Reg, Reg), out: &mut Axes) {
        for reg in [a, b] {
            self.within(reg, ty, range(ty), out);
        }
        let (of_a, of_b) = (self.integers(a, ty), self.integers(b, ty));
        let (slopes_a, slopes_b) = (self.slopes(a), self.slopes(b));
        let slopes = AXES.map(|axis| i128::from(slopes_a[axis]) - i128::from(slopes_b[axis]));
        let (less, more) = self.region.extent(slopes);
        for lane in self.lanes.lanes() {
            let first = of_a[lane] - of_b[lane];
            if !one_outcome(cmp, first + less, first + more) {
                let same_sign = match first {
                    0 => (0, 0),
                    1.. => (1, i128::MAX),
                    _ => (i128::MIN + 1, -1),
                };
                let (axis, cut) = self.region.leaves(first, slopes, same_sign);
                out[axis].vary(LaneMask(1 << lane), cut);
            }
        }
    }

    /// Marks the lanes whose value, read as a `ty`, does not stay within the bounds all over the
    /// region.
    fn within(&self, reg: Reg, ty: Type, bounds: (i128, i128), out: &mut Axes) {
        self.within_each(reg, ty, |_| bounds, out);
    }

    /// Like [`Self::within`], with bounds that depend on the lane's value in the first block.
    fn within_each(
        &self,
        reg: Reg,
        ty: Type,
        bounds: impl Fn(i128) -> (i128, i128),
        out: &mut Axes,
    ) {
        let slopes = self.slopes(reg).map(i128::from);
        let (less, more) = self.region.extent(slopes);
        if (less, more) == (0, 0) {
            return;
        }
        let values = self.integers(reg, ty);
        for lane in self.lanes.lanes() {
            let first = values[lane];
            let (low, high) = bounds(first);
            if first + less < low || first + more > high {
                let (axis, cut) = self.region.leaves(first, slopes, (low, high));
                out[axis].vary(LaneMask(1 << lane), cut);
            }
        }
    }

    /// Marks all lanes as varying along each axis with a slope, which `cut` may resolve.
    fn opaque(&self, reg: Reg, cut: RegionCut, out: &mut Axes) {
        for (along, slope) in out.iter_mut().zip(self.slopes(reg)) {
            if slope != 0 {
                along.vary(LaneMask::ALL, cut);
            }
        }
    }

    fn spread(&self, reg: Reg) -> &Affine {
        &self.spreads[reg.number()]
    }

    fn slopes(&self, reg: Reg) -> Slopes {
        self.spread(reg).axes.map(|along| along.slope)
    }

    /// The lanes' values in the first block, read as a `ty`.
    fn integers(&self, reg: Reg, ty: Type) -> [i128; 32] {
        let unused = 64 - ty.bits();
        self.machine.values(self.warp, reg).map(|bits| {
            let top = bits << unused;
            if ty.is_signed() {
                i128::from(top as i64 >> unused)
            } else {
                i128::from(top >> unused)
            }
        })
    }

    /// The value of a register that is the same in all lanes and blocks.
    fn constant(&self, reg: Reg, ty: Type) -> Option<i128> {
        let values = self.integers(reg, ty);
        let first = values[self.first()];
        let same = self.lanes_where(|lane| values[lane] != first).is_empty();
        (same && !self.spread(reg).moves()).then_some(first)
    }

    /// The lanes in which `a` is less than `b` in the first block.
    fn less(&self, ty: Type, (a, b): (Reg, Reg)) -> LaneMask {
        let (a, b) = (self.integers(a, ty), self.integers(b, ty));
        self.lanes_where(|lane| a[lane] < b[lane])
    }

    /// The first lane that takes part.
    fn first(&self) -> usize {
        self.lanes.0.trailing_zeros() as usize % 32
    }

    fn lanes_where(&self, holds: impl Fn(usize) -> bool) -> LaneMask {
        self.lanes.lanes().filter(|lane| holds(*lane)).collect()
    }
}

fn add(a: Slopes, b: Slopes) -> Slopes {
    AXES.map(|axis| a[axis].wrapping_add(b[axis]))
}

/// Whether the type is an integer, or plain bits, of the width of a register.
fn whole(ty: Type) -> bool {
    use Type::{B32, B64, S32, S64, U32, U64};
    matches!(ty, B32 | U32 | S32 | B64 | U64 | S64)
}

/// The smallest and the largest value of a type; plain bits are unsigned.
fn range(ty: Type) -> (i128, i128) {
    let sign = u32::from(ty.is_signed());
    let high = (1 << (ty.bits() - sign)) - 1;
    (if ty.is_signed() { -high - 1 } else { 0 }, high)
}

/// Whether a comparison has the same outcome for every difference of its operands between two
/// bounds.
fn one_outcome(cmp: Compare, low: i128, high: i128) -> bool {
    use Compare::{Eq, EqU, Ge, GeU, Gt, GtU, Le, LeU, Lt, LtU, Nan, Ne, NeU, Num};
    match cmp {
        Eq | Ne | EqU | NeU => low == high || low > 0 || high < 0,
        Lt | Ge | LtU | GeU => high < 0 || low >= 0,
        Le | Gt | LeU | GtU => high <= 0 || low > 0,
        Num | Nan => true,
    }
}
