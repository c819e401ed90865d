//! The instructions whose results a GPU only approximates: the simulator computes them to the last
//! place, so its bits may differ from the GPU's.

use crate::sim::Program;
use serde::Serialize;

/// An approximate instruction of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Approximation {
    /// Its opcode.
    pub instruction: String,
    pub ptx_line: usize,
    /// Its line in the source.
    pub line: Option<u32>,
}

/// Returns the approximate instructions of a program, in the order of its text `ptx`.
pub fn approximations(program: &Program, ptx: &str) -> Vec<Approximation> {
    let approximate = program.insts.iter().filter(|inst| inst.op.is_approximate());
    approximate
        .map(|inst| Approximation {
            instruction: inst.opcode(ptx).to_owned(),
            ptx_line: inst.span.line(ptx),
            line: inst.line,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::lower;
    use ptx::parse;

    #[test]
    fn approximate_instructions_are_named_with_their_lines() {
        let text = include_str!("../../tests/data/sim/cases/approximations.ptx");
        let program = lower(&parse(text).expect("it is a case"), "case").expect("it runs");
        let all = approximations(&program, text);
        let names: Vec<_> = all.iter().map(|one| one.instruction.as_str()).collect();
        assert_eq!(names[..2], ["ex2.approx.ftz.f32", "lg2.approx.f32"]);
        assert_eq!(names.len(), 9);
        for one in &all {
            let line = text.lines().nth(one.ptx_line - 1).unwrap_or_default();
            assert!(line.contains(&one.instruction), "{line}");
        }
        let exact = include_str!("../../tests/data/sim/cases/float_div.ptx");
        let program = lower(&parse(exact).expect("it is a case"), "case").expect("it runs");
        assert_eq!(approximations(&program, exact), []);
    }
}
