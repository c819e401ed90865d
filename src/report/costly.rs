//! Instructions that make memory work harder than they need, in words and as JSON.

use crate::analysis::costly::Costly;
use crate::ptx::Space;
use crate::sim::{Direction, Program};
use serde::Serialize;
use std::fmt::Write;

/// How many a person is told of; JSON has all.
const SHOWN: usize = 5;

/// One of them.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its line in the CUDA source, if the PTX names one.
    line: Option<u32>,
    space: &'static str,
    direction: &'static str,
    /// Warp-wide accesses of one block.
    accesses: u64,
    /// Sectors of global memory, or wavefronts of shared memory.
    cost: u64,
    /// How many would do.
    ideal: u64,
}

/// The rows of a program's instructions, those of one line together; the worst first.
pub fn rows(program: &Program, costly: &[Costly]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for costly in costly {
        let row = row(program, costly);
        let same = |other: &&mut Row| {
            (other.line, other.space, other.direction) == (row.line, row.space, row.direction)
        };
        match rows.iter_mut().find(same) {
            Some(sum) => {
                sum.accesses += row.accesses;
                sum.cost += row.cost;
                sum.ideal += row.ideal;
            }
            None => rows.push(row),
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.cost - row.ideal));
    rows
}

fn row(program: &Program, costly: &Costly) -> Row {
    Row {
        line: program.inst(costly.pc).line,
        space: costly.space.name(),
        direction: if costly.direction == Direction::Store { "store" } else { "load" },
        accesses: costly.accesses,
        cost: costly.cost,
        ideal: costly.ideal,
    }
}

/// A sentence for each of the worst; nothing if there are none.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    if !rows.is_empty() {
        text.push_str("\nCostly accesses (simulated, one block)\n");
    }
    for row in rows.iter().take(SHOWN) {
        let line = row.line.map_or("PTX without a line".to_owned(), |line| format!("line {line}"));
        let each = |sum: u64| sum as f64 / row.accesses as f64;
        let (unit, why) = if row.space == Space::Shared.name() {
            ("wavefronts", "bank conflicts")
        } else {
            ("sectors", "not coalesced")
        };
        let _ = writeln!(
            text,
            "  {line}: a {} {} takes {:.1} {unit} where {:.1} would do: {why}",
            row.space,
            row.direction,
            each(row.cost),
            each(row.ideal),
        );
    }
    if rows.len() > SHOWN {
        let _ = writeln!(text, "  and {} more", rows.len() - SHOWN);
    }
    text
}
