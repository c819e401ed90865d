//! Detects a user's kernel that takes the matrices' elements for another type than float32.

use crate::ptx::{MemoryOp, Op, Space, Type};
use crate::sim::{Inst, Program};

/// The reason why such a kernel cannot be judged.
pub(super) fn taken(program: &Program) -> Option<String> {
    let global = |inst: &&Inst| match inst.op {
        Op::Memory(MemoryOp::Ld { space, ty, .. } | MemoryOp::St { space, ty, .. }) => {
            matches!(space, Space::Global | Space::Generic) && is_other(ty)
        }
        _ => false,
    };
    if let Some(inst) = program.insts.iter().find(global) {
        let Op::Memory(MemoryOp::Ld { ty, .. } | MemoryOp::St { ty, .. }) = inst.op else {
            return None;
        };
        let line = inst.line.map_or_else(String::new, |line| format!(" (line {line})"));
        return Some(format!("A, B and C hold float32, and this kernel takes {}{line}", name(ty)));
    }
    let float = |inst: &Inst| inst.op.operands().iter().any(|(_, ty, _)| ty.is_float());
    let reckons = program.insts.iter().any(float);
    (!reckons).then(|| "A, B and C hold float32, and this kernel computes with integers".to_owned())
}

/// Whether an access of this type cannot be to a float32 matrix.
const fn is_other(ty: Type) -> bool {
    matches!(ty, Type::F64) || ty.bits() == 16
}

const fn name(ty: Type) -> &'static str {
    match ty {
        Type::F64 => "float64",
        _ => "elements of 16 bits",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;
    use crate::sim::lower;

    /// The reason for a kernel that loads an element, runs `body`, and stores it.
    fn said((ty, reg): (&str, &str), body: &str) -> Option<String> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 c) {{\n\
             .reg .b64 %rd<2>; .reg .f32 %f<2>; .reg .f64 %d<2>; .reg .b32 %r<2>; .reg .b16 %h<2>;\n\
             ld.param.u64 %rd0, [c]; ld.global.{ty} {reg}, [%rd0]; {body}\n\
             st.global.{ty} [%rd0], {reg}; ret;\n}}"
        );
        taken(&lower(&parse(&text).expect("PTX"), "k").expect("a program"))
    }

    #[test]
    fn what_are_no_float32_are_named() {
        assert_eq!(said(("f32", "%f0"), "add.f32 %f0, %f0, %f0;"), None);
        let told = said(("f64", "%d0"), "add.f64 %d0, %d0, %d0;").expect("a sentence");
        assert!(told.ends_with("takes float64"), "{told}");
        let told = said(("u32", "%r0"), "mad.lo.s32 %r0, %r0, %r0, %r0;").expect("a sentence");
        assert!(told.ends_with("computes with integers"), "{told}");
        let told = said(("u16", "%h0"), "").expect("a sentence");
        assert!(told.ends_with("16 bits"), "{told}");
    }
}
