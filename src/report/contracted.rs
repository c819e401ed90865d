//! Products and sums that ptxas makes one instruction of, in words.

use super::vectorised::NoteRow;
use crate::kernel::Problem;
use crate::sim::{Contracted, Pc, Program};
use ptx::{LaneOp, Op, Type};

/// The instructions of which ptxas makes one with this one, itself included, in the order of the
/// text; none if it makes it alone.
pub fn together(program: &Program, pc: Pc) -> Vec<Pc> {
    let Some(Contracted { product, .. }) = program.contraction(pc).filter(|one| one.fused) else {
        return Vec::new();
    };
    let sums = program.contracted.iter().filter(|one| one.fused && one.product == *product);
    let sums = sums.map(|one| one.sum).filter(|sum| pc == *product || pc == *sum);
    [*product].into_iter().chain(sums).collect()
}

/// `mul.f32 + sub.f32`, if ptxas makes one instruction of this one and another.
pub fn opcodes(program: &Program, ptx: &str, pc: Pc) -> Option<String> {
    let all = together(program, pc);
    let all: Vec<_> = all.into_iter().map(|pc| program.inst(pc).opcode(ptx)).collect();
    (!all.is_empty()).then(|| all.join(" + "))
}

/// The SASS of an instruction that is contracted or may be, the longest wording first: `mul.f32 +
/// sub.f32 -> 1 x FFMA`.
pub fn becomes(program: &Program, ptx: &str, pc: Pc) -> Vec<String> {
    let Some(one) = program.contraction(pc) else { return Vec::new() };
    let executed = executed(program, one.sum);
    let sums = program.contracted.iter().filter(|other| other.fused && other.product == pc).count();
    let (count, doubt) = (sums.max(1), if one.certain { "" } else { "SASS? " });
    if !one.fused {
        return vec![
            format!("{doubt}{executed}, or a product and a sum"),
            format!("{doubt}{executed}"),
        ];
    }
    let written = opcodes(program, ptx, pc).unwrap_or_default();
    let short = format!("{doubt}{count} x {executed}");
    vec![format!("{doubt}{written} -> {count} x {executed}"), short]
}

/// "one FMA of PTX lines 21 and 22", if ptxas makes one instruction of this one and another.
pub(super) fn lines(program: &Program, ptx: &str, pc: Pc) -> Option<String> {
    let all: Vec<_> =
        together(program, pc).into_iter().map(|pc| program.inst(pc).span.line(ptx)).collect();
    let (last, first) = all.split_last()?;
    let first: Vec<_> = first.iter().map(ToString::to_string).collect();
    let each = if all.len() > 2 { "one FMA each" } else { "one FMA" };
    Some(format!("{each} of PTX lines {} and {last}", first.join(", ")))
}

/// The sums of which ptxas may make one instruction with a product, or two.
pub fn notes(problem: &Problem, program: &Program) -> Vec<NoteRow> {
    let doubted = program.contracted.iter().filter(|one| !one.certain);
    let row = |one: &Contracted| {
        let inst = program.inst(one.sum);
        let product = program.inst(one.product).span.line(&problem.ptx);
        NoteRow {
            note: format!(
                "ptxas may round this sum and the product of PTX line {product} once or twice"
            ),
            doubt: true,
            register: None,
            line: inst.line,
            ptx_line: inst.span.line(&problem.ptx),
            file: problem.other_file(program, one.sum).map(str::to_owned),
        }
    };
    doubted.map(row).collect()
}

/// The SASS instruction.
fn executed(program: &Program, sum: Pc) -> &'static str {
    match &program.inst(sum).op {
        Op::Lane(LaneOp::Ternary { ty: Type::F64, .. }) => "DFMA",
        Op::Lane(LaneOp::Ternary { ty, .. }) if ty.is_half() => "HFMA2",
        _ => "FFMA",
    }
}
