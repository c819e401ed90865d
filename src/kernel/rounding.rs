//! The rounding that a kernel's own instructions cause, beyond that of sums in its element types.

use crate::matrix::ElementType;
use crate::sim::{Inst, Program};
use ptx::{BinaryOp, LaneOp, MatrixOp, Op, TernaryOp, Type};

/// Returns the relative error of a kernel on A, B and C of these types that rounds its factors to fewer bits, or adds in fewer
/// than its elements have; 0 if it does not.
///
/// None is granted to integers, which are exact, nor to a product that is of float64 throughout.
pub(super) fn of(types: [ElementType; 3], k: u32, program: &Program) -> f64 {
    if types[2].is_integer() || types == [ElementType::F64; 3] {
        return 0.0;
    }
    let single = types.contains(&ElementType::F32);
    let insts = || program.insts.iter();
    let rounds = |ty| insts().any(|inst| converts_to(inst) == Some(ty));
    let multiplied = insts().flat_map(factors).filter_map(|ty| {
        // Without a conversion the instruction itself cuts off the lower bits of a float32.
        let cut = i32::from(!rounds(ty));
        Some(significant(ty)? - cut).filter(|_| single || ty == Type::Tf32)
    });
    let converted = insts().filter_map(|inst| significant(converts_to(inst)?));
    let bits = multiplied.chain(converted).min();
    let factors = bits.map_or(0.0, |bits| 2.0_f64.powi(-bits));
    let units = insts().filter_map(adds_in).filter_map(ElementType::unit);
    let sums = units.fold(0.0, f64::max) * 4.0 * f64::from(k).sqrt();
    factors.max(sums)
}

/// The bits after the leading one of a type with few.
const fn significant(ty: Type) -> Option<i32> {
    match ty {
        Type::F16 | Type::Tf32 => Some(10),
        Type::Bf16 => Some(7),
        Type::E4m3 => Some(3),
        Type::E5m2 => Some(2),
        _ => None,
    }
}

fn converts_to(inst: &Inst) -> Option<Type> {
    match inst.op {
        Op::Lane(LaneOp::Cvt { to, .. } | LaneOp::CvtPair { to, .. }) => Some(to.alone()),
        _ => None,
    }
}

/// The types in which a matrix instruction multiplies.
fn factors(inst: &Inst) -> Vec<Type> {
    match &inst.op {
        Op::Matrix(MatrixOp::Mma(products)) => {
            products.iter().flat_map(|product| product.factors).collect()
        }
        Op::Matrix(MatrixOp::Wgmma(product)) => product.factors.to_vec(),
        _ => Vec::new(),
    }
}

/// The type of 16 bits in which an instruction adds.
fn adds_in(inst: &Inst) -> Option<ElementType> {
    let ty = match &inst.op {
        Op::Lane(
            LaneOp::Binary { op: BinaryOp::Add | BinaryOp::Sub, ty, .. }
            | LaneOp::Ternary { op: TernaryOp::Fma | TernaryOp::Contracted(_), ty, .. },
        ) => *ty,
        Op::Matrix(MatrixOp::Mma(products)) => products.first()?.sum,
        Op::Matrix(MatrixOp::Wgmma(product)) => product.sum,
        _ => return None,
    };
    match ty.alone() {
        Type::F16 => Some(ElementType::F16),
        Type::Bf16 => Some(ElementType::Bf16),
        _ => None,
    }
}
