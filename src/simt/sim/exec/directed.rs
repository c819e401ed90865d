//! float32 and float64 arithmetic rounded towards zero, down or up.

use crate::sim::alu::Real;
use crate::sim::exact::Exact;
use crate::sim::format::Format;
use crate::sim::mask::LaneMask;
use crate::sim::program::{Reg, RegFile};
use crate::sim::regs::Regs;
use ptx::{BinaryOp, Float, Type, UnaryOp};

/// An instruction: its format and its modifiers.
#[derive(Clone, Copy, Debug)]
pub(super) struct DirectedRounding {
    format: Format,
    float: Float,
}

impl DirectedRounding {
    pub(super) fn new(ty: Type, float: Float) -> Self {
        Self { format: Format::of(ty), float }
    }

    pub(super) fn unary(self, regs: &mut Regs, op: UnaryOp, (dst, a): (Reg, Reg), mask: LaneMask) {
        let one = Exact::of(self.format, self.format.one());
        self.each(regs, dst, [a], mask, |[a]| match op {
            UnaryOp::Sqrt => a.root(),
            _ => one.over(a),
        });
    }

    pub(super) fn binary(
        self,
        regs: &mut Regs,
        op: BinaryOp,
        (dst, a, b): (Reg, Reg, Reg),
        mask: LaneMask,
    ) {
        let rounding = self.float.rounding;
        self.each(regs, dst, [a, b], mask, |[a, b]| match op {
            BinaryOp::Add => a.plus(b, rounding),
            BinaryOp::Sub => a.plus(b.negated(), rounding),
            BinaryOp::Mul(_) => a.times(b),
            _ => a.over(b),
        });
    }

    pub(super) fn fma(self, regs: &mut Regs, dst: Reg, abc: [Reg; 3], mask: LaneMask) {
        let rounding = self.float.rounding;
        self.each(regs, dst, abc, mask, |[a, b, c]| a.times(b).plus(c, rounding));
    }

    fn each<const N: usize>(
        self,
        regs: &mut Regs,
        dst: Reg,
        operands: [Reg; N],
        mask: LaneMask,
        f: impl Fn([Exact; N]) -> Exact,
    ) {
        let rows = operands.map(|reg| regs.wide(reg));
        regs.set_each(dst, mask, |lane| {
            let value = f(std::array::from_fn(|index| self.operand(rows[index][lane])));
            let bits = value.round(self.format, self.float.rounding);
            match dst.file {
                RegFile::Double => bits,
                _ => f32::from_bits(bits as u32).result(self.float).to_bits().into(),
            }
        });
    }

    fn operand(self, bits: u64) -> Exact {
        Exact::of(self.format, if self.float.ftz { self.format.flushed(bits) } else { bits })
    }
}
