//! A warp's registers: one row of 32 values each, in a file per width.

#![expect(
    clippy::inline_always,
    reason = "the loops over lanes are compiled once more for each set of vector instructions, with all they call"
)]

use super::mask::LaneMask;
use super::program::{Reg, RegFile, RowCounts};
use multiversion::multiversion;

/// The three register files.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Regs {
    preds: Vec<u32>,
    words: Vec<[u32; 32]>,
    doubles: Vec<[u64; 32]>,
}

impl Regs {
    pub(super) fn new(rows: RowCounts) -> Self {
        Self {
            preds: vec![0; rows.preds.into()],
            words: vec![[0; 32]; rows.words.into()],
            doubles: vec![[0; 32]; rows.doubles.into()],
        }
    }

    pub(super) fn bytes(&self) -> usize {
        4 * self.preds.len() + 128 * self.words.len() + 256 * self.doubles.len()
    }

    pub(super) fn pred(&self, reg: Reg) -> LaneMask {
        LaneMask(self.preds[usize::from(reg.row)])
    }

    /// Sets a predicate in the lanes of `mask`.
    pub(super) fn set_pred(&mut self, reg: Reg, value: LaneMask, mask: LaneMask) {
        let row = &mut self.preds[usize::from(reg.row)];
        *row = *row & !mask.0 | value.0 & mask.0;
    }

    /// Whether a row of any width is equal in both.
    pub(super) fn is_row(&self, reg: Reg, other: &Self) -> bool {
        let row = usize::from(reg.row);
        match reg.file {
            RegFile::Pred => self.preds[row] == other.preds[row],
            RegFile::Word => self.words[row] == other.words[row],
            RegFile::Double => self.doubles[row] == other.doubles[row],
        }
    }

    /// A row of any width as 64-bit values, zero-extended.
    pub(super) fn wide(&self, reg: Reg) -> [u64; 32] {
        match reg.file {
            RegFile::Pred => std::array::from_fn(|lane| u64::from(self.pred(reg).has(lane))),
            RegFile::Word => self.words[usize::from(reg.row)].map(u64::from),
            RegFile::Double => self.doubles[usize::from(reg.row)],
        }
    }

    /// Sets a row of any width in the lanes of `mask`, truncating values that do not fit.
    pub(super) fn set_wide(&mut self, reg: Reg, value: &[u64; 32], mask: LaneMask) {
        self.set_each(reg, mask, |lane| value[lane]);
    }

    /// Like [`Self::set_wide`], with `value` called for each lane of `mask` in ascending order.
    #[inline(always)]
    pub(super) fn set_each(&mut self, reg: Reg, mask: LaneMask, value: impl Fn(usize) -> u64) {
        match reg.file {
            RegFile::Pred => {
                let bits =
                    mask.lanes().fold(0, |bits, lane| bits | (value(lane) as u32 & 1) << lane);
                self.set_pred(reg, LaneMask(bits), mask);
            }
            RegFile::Word => self.fill(reg, mask, |lane| value(lane) as u32),
            RegFile::Double => self.fill(reg, mask, value),
        }
    }
}

/// The type of the elements of a row.
pub(super) trait RegisterRow: Copy {
    fn row(regs: &Regs, reg: Reg) -> &[Self; 32];
    fn row_mut(regs: &mut Regs, reg: Reg) -> &mut [Self; 32];
}

impl RegisterRow for u32 {
    fn row(regs: &Regs, reg: Reg) -> &[Self; 32] {
        &regs.words[usize::from(reg.row)]
    }

    fn row_mut(regs: &mut Regs, reg: Reg) -> &mut [Self; 32] {
        &mut regs.words[usize::from(reg.row)]
    }
}

impl RegisterRow for u64 {
    fn row(regs: &Regs, reg: Reg) -> &[Self; 32] {
        &regs.doubles[usize::from(reg.row)]
    }

    fn row_mut(regs: &mut Regs, reg: Reg) -> &mut [Self; 32] {
        &mut regs.doubles[usize::from(reg.row)]
    }
}

/// A value type and its representation in a row.
pub(super) trait LaneValue: Copy {
    type Row: RegisterRow;
    fn read(bits: Self::Row) -> Self;
    fn write(self) -> Self::Row;
}

macro_rules! lanes {
    ($($ty:ty, $row:ty, $read:expr, $write:expr;)*) => {$(
        impl LaneValue for $ty {
            type Row = $row;

            #[inline(always)]
            fn read(bits: $row) -> Self {
                ($read)(bits)
            }

            #[inline(always)]
            fn write(self) -> $row {
                ($write)(self)
            }
        }
    )*};
}

lanes! {
    u16, u32, |bits| bits as u16, u32::from;
    i16, u32, |bits| bits as i16, |value| u32::from(value as u16);
    u32, u32, |bits| bits, |value| value;
    i32, u32, |bits| bits as i32, |value| value as u32;
    u64, u64, |bits| bits, |value| value;
    i64, u64, |bits| bits as i64, |value| value as u64;
    f32, u32, f32::from_bits, f32::to_bits;
    f64, u64, f64::from_bits, f64::to_bits;
}

// The loops over lanes are compiled for processors with and without wide vectors and fused
// multiply-add, and selected at run time: on baseline x86-64 a vector has 4 lanes instead of 8, and
// `mul_add` is a call into the C library.

/// Computes `dst = f(a)` in the lanes of `mask`.
#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn map1<A: LaneValue, D: LaneValue>(
    regs: &mut Regs,
    dst: Reg,
    a: Reg,
    mask: LaneMask,
    f: impl Fn(A) -> D,
) {
    let a = A::Row::row(regs, a);
    let value = regs.with(dst, mask, |lane| f(A::read(a[lane])));
    *D::Row::row_mut(regs, dst) = value;
}

/// Computes `dst = f(a, b)` in the lanes of `mask`.
#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn map2<A: LaneValue, B: LaneValue, D: LaneValue>(
    regs: &mut Regs,
    dst: Reg,
    (a, b): (Reg, Reg),
    mask: LaneMask,
    f: impl Fn(A, B) -> D,
) {
    let (a, b) = (A::Row::row(regs, a), B::Row::row(regs, b));
    let value = regs.with(dst, mask, |lane| f(A::read(a[lane]), B::read(b[lane])));
    *D::Row::row_mut(regs, dst) = value;
}

/// Computes `dst = f(a, b, c)` in the lanes of `mask`.
#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn map3<A: LaneValue, B: LaneValue, C: LaneValue, D: LaneValue>(
    regs: &mut Regs,
    dst: Reg,
    (a, b, c): (Reg, Reg, Reg),
    mask: LaneMask,
    f: impl Fn(A, B, C) -> D,
) {
    let (a, b) = (A::Row::row(regs, a), B::Row::row(regs, b));
    let c = C::Row::row(regs, c);
    let value =
        regs.with(dst, mask, |lane| f(A::read(a[lane]), B::read(b[lane]), C::read(c[lane])));
    *D::Row::row_mut(regs, dst) = value;
}

/// The lanes in which `f(a, b)` holds.
#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn test<T: LaneValue>(
    regs: &Regs,
    a: Reg,
    b: Reg,
    f: impl Fn(T, T) -> bool,
) -> LaneMask {
    let (a, b) = (T::Row::row(regs, a), T::Row::row(regs, b));
    let bits = (0..32).map(|lane| u32::from(f(T::read(a[lane]), T::read(b[lane]))) << lane);
    LaneMask(bits.fold(0, |mask, bit| mask | bit))
}

impl Regs {
    /// Computes `dst = f(a)` in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn map1<A: LaneValue, D: LaneValue>(
        &mut self,
        dst: Reg,
        a: Reg,
        mask: LaneMask,
        f: impl Fn(A) -> D,
    ) {
        map1(self, dst, a, mask, f);
    }

    /// Computes `dst = f(a, b)` in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn map2<A: LaneValue, B: LaneValue, D: LaneValue>(
        &mut self,
        dst: Reg,
        rows: (Reg, Reg),
        mask: LaneMask,
        f: impl Fn(A, B) -> D,
    ) {
        map2(self, dst, rows, mask, f);
    }

    /// Computes `dst = f(a, b, c)` in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn map3<A: LaneValue, B: LaneValue, C: LaneValue, D: LaneValue>(
        &mut self,
        dst: Reg,
        rows: (Reg, Reg, Reg),
        mask: LaneMask,
        f: impl Fn(A, B, C) -> D,
    ) {
        map3(self, dst, rows, mask, f);
    }

    /// The lanes in which `f(a, b)` holds.
    #[inline(always)]
    pub(super) fn test<T: LaneValue>(&self, a: Reg, b: Reg, f: impl Fn(T, T) -> bool) -> LaneMask {
        test(self, a, b, f)
    }

    /// A copy of a row with new values in the lanes of `mask`.
    #[inline(always)]
    fn with<D: LaneValue>(
        &self,
        reg: Reg,
        mask: LaneMask,
        value: impl Fn(usize) -> D,
    ) -> [D::Row; 32] {
        if mask == LaneMask::ALL {
            return std::array::from_fn(|lane| value(lane).write());
        }
        let mut row = *D::Row::row(self, reg);
        mask.lanes().for_each(|lane| row[lane] = value(lane).write());
        row
    }

    /// Sets a row in the lanes of `mask`. A full warp is the common case, and the compiler can
    /// vectorise its unconditional loop.
    #[inline(always)]
    pub(super) fn fill<D: LaneValue>(
        &mut self,
        dst: Reg,
        mask: LaneMask,
        value: impl Fn(usize) -> D,
    ) {
        let row = D::Row::row_mut(self, dst);
        if mask == LaneMask::ALL {
            for (lane, out) in row.iter_mut().enumerate() {
                *out = value(lane).write();
            }
        } else {
            for lane in mask.lanes() {
                row[lane] = value(lane).write();
            }
        }
    }
}
