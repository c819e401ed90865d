//! A wrong C: its first wrong element, and the step that stores it.

use crate::launch::Dim3;
use crate::lesson::edit::mistake::{Mistake, MistakeKind, RunLocation};
use crate::lesson::edit::run::{JudgedStage, sides};
use crate::lesson::edit::version::SizedKernel;
use crate::matrix::judge::{Mismatch, Wrong};
use crate::matrix::{Element, Operand};
use crate::report::cause::Explanation;
use crate::report::number::grouped;
use crate::sim::{Direction, Order, Step};
use ptx::Space;
use std::sync::Arc;

/// Steps in which the store is looked for, over all blocks.
const MOST: usize = 4_000_000;

/// The mistake of a C that is known to be wrong.
pub(super) fn mistake(run: &JudgedStage<'_>, order: &Order) -> Option<Mistake> {
    let product = run.product();
    let Wrong { elements, of, first } = product.wrong;
    let Mismatch { row, column, is, should, .. } =
        first.filter(|_| product.is_right == Some(false))?;
    let size = sides(product.size);
    let element = Element { operand: Operand::C, row, column };
    let stored = stored(run.stage, order, element);
    // The known cause, or else what is wrong with the first wrong element's sum.
    let known = run.explained.as_ref().and_then(Explanation::sentence);
    let why = match (known, &stored) {
        (Some(why), None) => why,
        (None, None) => {
            "No thread stores it: which row and column does each thread have?".to_owned()
        }
        (why, Some(_)) => {
            let why = why.map_or_else(String::new, |why| why + " ");
            why + "Press f there: it follows the value back to what was loaded."
        }
    };
    Some(Mistake {
        kind: MistakeKind::WrongProduct,
        what: format!(
            "C at {size} is wrong: {} of {} elements, the first C[{row}][{column}] = {is:.4}, not \
             {should:.4}.",
            grouped(elements),
            grouped(of)
        ),
        why,
        line: stored.and_then(|(_, line)| line),
        stage: run.at,
        place: stored.map(|(at, _)| RunLocation { stage: run.at, element: Some(element), ..at }),
    })
}

/// The last store to an element in the first block that stores it, and its line.
fn stored(
    stage: &SizedKernel,
    order: &Order,
    element: Element,
) -> Option<(RunLocation, Option<u32>)> {
    let SizedKernel { problem, program, .. } = stage;
    let grid = problem.launch.grid;
    let mut steps = 0;
    for number in 0..problem.launch.blocks() {
        let block = grid.place(number);
        let memory = problem.sparse_memory(program);
        let (addr, _) = problem.place(&memory, element)?;
        let mut machine = problem.machine(Arc::clone(program), block, memory, order.clone());
        let mut last = None;
        let mut step = 0;
        while let Ok(Some(now)) = machine.step() {
            step += 1;
            steps += 1;
            if stores(now, addr) {
                let line = program.inst(now.pc).line;
                last = Some((place(block, step, now.warp), line));
            }
            if steps > MOST {
                return last;
            }
        }
        if last.is_some() {
            return last;
        }
    }
    None
}

fn place(block: Dim3, step: usize, warp: u16) -> RunLocation {
    RunLocation { stage: 0, block, step, warp, element: None }
}

fn stores(step: &Step, addr: u64) -> bool {
    step.accesses().iter().any(|access| {
        let bytes = u64::from(access.bytes);
        access.space == Space::Global
            && access.direction == Direction::Store
            && access.touched().any(|(_, first)| addr.wrapping_sub(first) < bytes)
    })
}
