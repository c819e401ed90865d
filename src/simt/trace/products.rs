//! The instructions that multiply integers which were loaded: the work of a kernel on integers, as its
//! fused multiply-adds are that of one on floats.

use super::snapshot::OpKind;
use crate::sim::{Inst, Pc, Program, Reg, RowInit, Step};
use ptx::{BinaryOp, BitsOp, LaneOp, MemoryOp, Op, Space, TernaryOp, Type, Use, Width};
use std::collections::HashSet;

/// For each instruction of a program: the products that a lane adds by it, 0 for any other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Products(Box<[u8]>);

impl Products {
    /// Finds them by the sources of their factors, in any order of instructions: elements loaded from
    /// global or shared memory, and constants, but no addresses. A program that multiplies floats has
    /// none: those products are its work.
    pub fn of(program: &Program) -> Self {
        if program.insts.iter().any(multiplies_floats) {
            return Self::default();
        }
        let constants = program.init.iter().filter_map(|(reg, init)| match init {
            RowInit::Constant(_) => Some(*reg),
            _ => None,
        });
        let constants: HashSet<_> = constants.collect();
        let mut loaded = HashSet::new();
        let mut known = usize::MAX;
        while known != loaded.len() {
            known = loaded.len();
            for inst in &program.insts {
                let made = made_of(inst, &loaded, &constants);
                loaded.extend(made);
            }
        }
        let terms = |inst: &Inst| match factors(&inst.op) {
            Some((factors, terms)) if factors.iter().all(|one| loaded.contains(one)) => terms,
            _ => 0,
        };
        Self(program.insts.iter().map(terms).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|terms| *terms == 0)
    }

    pub fn kind(&self, step: &Step) -> OpKind {
        if self.terms(step.pc) > 0 { OpKind::Fma } else { OpKind::of(step) }
    }

    /// The multiply-adds of a step, over all lanes.
    pub fn multiply_adds(&self, step: &Step) -> u32 {
        step.multiply_adds() + u32::from(self.terms(step.pc)) * step.active.count()
    }

    fn terms(&self, pc: Pc) -> u8 {
        self.0.get(pc.0 as usize).copied().unwrap_or(0)
    }
}

fn multiplies_floats(inst: &Inst) -> bool {
    match inst.op {
        Op::Lane(LaneOp::Ternary { op, .. }) => op.is_fma(),
        Op::Matrix(_) => true,
        _ => false,
    }
}

/// The factors of an instruction that multiplies integers, and how many products of each lane it makes.
fn factors(op: &Op<Reg, Pc>) -> Option<([Reg; 2], u8)> {
    match op {
        Op::Lane(
            LaneOp::Ternary { op: TernaryOp::Mad(width), ty, abc: [a, b, _], .. }
            | LaneOp::Binary { op: BinaryOp::Mul(width), ty, a, b, .. },
        ) => (is_integer(*ty) && *width != Width::Hi).then_some(([*a, *b], 1)),
        Op::Lane(LaneOp::Bits { op: BitsOp::Dot { half, .. }, args, .. }) => match args[..] {
            [a, b, ..] => Some(([a, b], if half.is_some() { 2 } else { 4 })),
            _ => None,
        },
        _ => None,
    }
}

const fn is_integer(ty: Type) -> bool {
    matches!(ty, Type::S16 | Type::S32 | Type::S64 | Type::U16 | Type::U32 | Type::U64)
}

/// The registers that an instruction makes of loaded elements.
fn made_of(inst: &Inst, loaded: &HashSet<Reg>, constants: &HashSet<Reg>) -> Vec<Reg> {
    let operands = inst.op.operands();
    let of = |is_it: fn(Use) -> bool| {
        operands.iter().filter(move |(.., how)| is_it(*how)).map(|(reg, ..)| *reg)
    };
    let is_made = match &inst.op {
        Op::Memory(MemoryOp::Ld { space, .. }) => {
            matches!(space, Space::Global | Space::Shared | Space::Generic)
        }
        Op::Lane(_) => {
            let mut read = of(Use::reads).filter(|reg| !constants.contains(reg)).peekable();
            read.peek().is_some() && read.all(|reg| loaded.contains(&reg))
        }
        _ => false,
    };
    if is_made { of(Use::writes).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::lower;
    use ptx::parse;

    /// The products that a lane makes by each instruction of a kernel that loads `%r1` and `%r2`.
    fn products(rest: &str) -> Vec<u8> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
             .reg .b32 %r<9>; .reg .f32 %f<2>; .reg .b64 %d<9>; .reg .b16 %h<4>;\n\
             ld.param.u64 %d1, [p]; ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+4];\n\
             mov.u32 %r3, %tid.x;\n{rest}\nret;\n}}\n"
        );
        let program = lower(&parse(&text).expect("PTX"), "k").expect("a program");
        Products::of(&program).0.iter().copied().filter(|terms| *terms > 0).collect()
    }

    #[test]
    fn loaded_factors_make_a_product_and_an_index_makes_none() {
        assert_eq!(products("mad.lo.s32 %r4, %r1, %r2, %r4;"), [1]);
        assert_eq!(products("mul.lo.s32 %r4, %r1, %r2; add.s32 %r5, %r5, %r4;"), [1]);
        assert_eq!(products("dp4a.s32.s32 %r4, %r1, %r2, %r4;"), [4]);
        // Bytes are converted before they are multiplied.
        assert_eq!(products("shl.b32 %r5, %r1, 8; mad.lo.s32 %r4, %r5, %r2, %r4;"), [1]);
        assert!(products("mad.lo.s32 %r4, %r3, 4, %r1;").is_empty(), "an index");
        assert!(products("mul.lo.s32 %r4, %r1, %r3;").is_empty(), "one of the factors");
        assert!(products("ld.global.f32 %f1, [%d1]; mul.f32 %f1, %f1, %f1;").is_empty(), "floats");
        let beside = "mul.lo.s32 %r4, %r1, %r2; fma.rn.f32 %f1, %f1, %f1, %f1;";
        assert!(products(beside).is_empty(), "the work is on floats");
    }
}
