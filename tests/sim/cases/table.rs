//! Checks the table of instructions against the cases: each opcode has a case, and no instruction
//! in them writes a register that its operands do not name.

use super::case::Case;
use super::files;
use matviz::sim::{Machine, Order, Pc, Program, Reg};
use ptx::{MatrixOp, Op, Type, opcodes};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of steps of a block to check: some cases never end.
const STEPS: usize = 300;

#[test]
fn every_opcode_has_a_case() {
    let shown: BTreeSet<String> = programs()
        .flat_map(|(.., text, program)| {
            let first = |opcode: &str| opcode.split('.').next().unwrap_or_default().to_owned();
            program.insts.iter().map(|inst| first(inst.opcode(&text))).collect::<Vec<_>>()
        })
        .collect();
    let missing: Vec<_> = opcodes().filter(|opcode| !shown.contains(*opcode)).collect();
    assert!(missing.is_empty(), "without a case in tests/data/sim/cases: {missing:?}");
}

#[test]
fn an_instruction_writes_no_register_but_those_that_its_operands_name() {
    let mut wrong = BTreeSet::new();
    for (name, case, text, program) in programs() {
        let (memory, registers) = (case.memory(&program), registers(&program));
        for mut machine in case.blocks(&program, &memory, &Order::RoundRobin).take(2) {
            for _ in 0..STEPS {
                let Some((warp, pc, _)) = machine.ahead() else { break };
                let before = values(&machine, warp, &registers);
                if machine.step().is_err() {
                    break;
                }
                let (inst, after) = (program.inst(pc), values(&machine, warp, &registers));
                if is_done_at_once(&inst.op) && !is_explained(&inst.op, &registers, &before, &after)
                {
                    wrong.insert(format!("{name}: {}", inst.opcode(&text)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Every case that can be parsed and lowered.
fn programs() -> impl Iterator<Item = (String, Case, String, Arc<Program>)> {
    files().into_iter().filter_map(|(name, text)| {
        let case = Case::read(&text).expect("a case can be read");
        let program = Arc::new(case.program(&text).ok()?);
        Some((name, case, text, program))
    })
}

/// Whether an instruction writes all its results in its own step. Barriers write when the last
/// thread has arrived, wgmma when they are waited for, and calls when the function returns.
fn is_done_at_once(op: &Op<Reg, Pc>) -> bool {
    !matches!(op, Op::Control(_) | Op::Matrix(MatrixOp::WgmmaGroup(_)))
}

/// The registers that a program names, and whether each is a predicate.
fn registers(program: &Program) -> Vec<(Reg, bool)> {
    let operands = program.insts.iter().flat_map(|inst| inst.op.operands());
    let all = operands.map(|(reg, ty, _)| (reg.number(), (reg, ty == Type::Pred)));
    all.collect::<BTreeMap<_, _>>().into_values().collect()
}

/// The values of a warp's registers.
fn values(machine: &Machine, warp: usize, registers: &[(Reg, bool)]) -> Vec<[u64; 32]> {
    let value = |(reg, is_pred): &(Reg, bool)| {
        if *is_pred {
            let set = machine.predicate(warp, *reg);
            return std::array::from_fn(|lane| u64::from(set.has(lane)));
        }
        machine.values(warp, *reg)
    };
    registers.iter().map(value).collect()
}

/// Whether each changed register is one that `op` writes, or shares its row: registers that are not
/// live at the same time share rows.
fn is_explained(
    op: &Op<Reg, Pc>,
    registers: &[(Reg, bool)],
    before: &[[u64; 32]],
    after: &[[u64; 32]],
) -> bool {
    let changed = before.iter().zip(after).filter(|(old, new)| old != new);
    let mut changed = changed.map(|(_, new)| new).peekable();
    if changed.peek().is_none() {
        return true;
    }
    let operands = op.operands().into_iter();
    let written: Vec<_> = operands.filter(|(.., how)| how.writes()).map(|(reg, ..)| reg).collect();
    let all = registers.iter().zip(after);
    let written: Vec<_> = all.filter(|((reg, _), _)| written.contains(reg)).collect();
    changed.all(|new| written.iter().any(|(_, of)| *of == new))
}
