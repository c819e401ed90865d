//! Instructions that need more sectors or wavefronts than necessary, as text and JSON.

use crate::analysis::costly::Costly;
use crate::kernel::Problem;
use crate::sim::{Direction, Program};
use ptx::Space;
use serde::Serialize;
use std::fmt::Write;

/// The number of rows in the text; JSON has all.
const SHOWN: usize = 5;

/// One such instruction, or several on one source line.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its line in the CUDA source, or `None` if the PTX names none.
    pub(super) line: Option<u32>,
    /// The file of this line, if it is not the one that the user gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// Where the code of this line begins, if it is of the source that is shown.
    #[serde(skip)]
    pub(super) column: Option<u32>,
    /// Its line in the PTX, of several the first.
    pub(super) ptx_line: usize,
    space: &'static str,
    direction: &'static str,
    /// Whether it is an asynchronous copy, whose wavefronts are counted by another rule.
    copy: bool,
    /// Warp-wide accesses of one block.
    accesses: u64,
    /// Sectors of global memory, or wavefronts of shared memory.
    cost: u64,
    /// The number that would suffice.
    ideal: u64,
    /// Whether it costs more only because rows begin within a sector.
    misaligned: bool,
}

impl Row {
    /// Whether lanes of a warp meet in banks of shared memory.
    pub(super) fn has_conflicts(&self) -> bool {
        self.space == Space::Shared.name()
    }

    /// Whether it takes more sectors than its bytes fill, and not only as it begins within one.
    pub(super) fn is_uncoalesced(&self) -> bool {
        !self.has_conflicts() && !self.misaligned
    }
}

/// The rows of a program's instructions, merged by source line, or by the line of the PTX if that is
/// not known; the worst first.
pub fn rows(problem: &Problem, program: &Program, costly: &[Costly]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for costly in costly {
        let row = row(problem, program, costly);
        let same = |other: &&mut Row| {
            let place = |row: &Row| (row.line.ok_or(row.ptx_line), row.file.clone());
            (place(other), other.space, other.direction) == (place(&row), row.space, row.direction)
        };
        match rows.iter_mut().find(same) {
            Some(sum) => {
                sum.accesses += row.accesses;
                sum.cost += row.cost;
                sum.ideal += row.ideal;
                sum.misaligned &= row.misaligned;
                sum.ptx_line = sum.ptx_line.min(row.ptx_line);
            }
            None => rows.push(row),
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.cost - row.ideal));
    rows
}

fn row(problem: &Problem, program: &Program, costly: &Costly) -> Row {
    let line = program.inst(costly.pc).line;
    let file = line.and_then(|_| problem.other_file(program, costly.pc));
    let shown = line.filter(|_| file.is_none()).zip(problem.source.as_ref());
    Row {
        line,
        file: file.map(str::to_owned),
        column: shown.and_then(|(line, source)| source.column(line)),
        ptx_line: program.inst(costly.pc).span.line(&problem.ptx),
        space: costly.space.name(),
        direction: if costly.direction == Direction::Store { "store" } else { "load" },
        copy: program.inst(costly.pc).op.is_async_copy(),
        accesses: costly.accesses,
        cost: costly.cost,
        ideal: costly.ideal,
        misaligned: costly.is_misaligned(),
    }
}

impl Row {
    /// What it costs, as a sentence without its place.
    pub(super) fn told(&self) -> String {
        let each = |sum: u64| sum as f64 / self.accesses as f64;
        let (unit, why) = match (self.space == Space::Shared.name(), self.copy) {
            (true, true) => ("wavefronts", "its loads and stores meet in banks"),
            (true, false) => ("wavefronts", "bank conflicts"),
            (false, _) if self.misaligned => (
                "sectors",
                "its rows straddle sectors, as they do not begin at multiples of 32 bytes",
            ),
            (false, _) => ("sectors", "not coalesced"),
        };
        let what = match (self.copy, self.direction) {
            (true, "store") => "an asynchronous copy into".to_owned(),
            (true, _) => "an asynchronous copy from".to_owned(),
            (false, direction) => format!("a {direction} of"),
        };
        format!(
            "{what} {} memory takes {:.1} {unit} where {:.1} would do: {why}",
            self.space,
            each(self.cost),
            each(self.ideal),
        )
    }
}

/// A sentence for each of the worst; empty if there are none.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    if !rows.is_empty() {
        text.push_str("\nCostly accesses (simulated, one block, PTX)\n");
    }
    for row in rows.iter().take(SHOWN) {
        let ptx = || format!("line {} of the PTX", row.ptx_line);
        let of = row.file.as_ref().map_or_else(String::new, |file| format!(" of {file}"));
        let line = row.line.map_or_else(ptx, |line| format!("line {line}{of}"));
        let _ = writeln!(text, "  {line}: {}", row.told());
    }
    if rows.len() > SHOWN {
        let _ = writeln!(text, "  and {} more", rows.len() - SHOWN);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Problem, find};
    use crate::matrix::Size;
    use crate::sim::Pc;

    /// A problem and its program, with the source lines of tiled.cu.
    fn program() -> (Problem, std::sync::Arc<Program>) {
        let tiled = find("tiled").expect("it is in the catalogue");
        let ptx = tiled.embedded(16).expect("it is embedded").into();
        let problem = Problem::of(tiled, 16, Size::square(64), ptx);
        let program = problem.program().expect("it runs");
        (problem, program)
    }

    fn costly(pc: u32, space: Space, cost: u64) -> Costly {
        let (direction, accesses, ideal) = (Direction::Load, 10, 20);
        Costly { pc: Pc(pc), space, direction, accesses, cost, ideal, aligned: cost }
    }

    /// One instruction of each source line.
    fn of_lines(program: &Program) -> Vec<u32> {
        let mut lines = Vec::new();
        let new = |(_, inst): &(u32, &crate::sim::Inst)| {
            let fresh = inst.line.is_some() && !lines.contains(&inst.line);
            lines.push(inst.line);
            fresh
        };
        (0..).zip(&program.insts).filter(new).map(|(pc, _)| pc).collect()
    }

    #[test]
    fn instructions_of_one_line_are_one_row_and_the_worst_is_first() {
        let (problem, program) = program();
        let first = of_lines(&program)[0];
        let same = program.insts[first as usize + 1..]
            .iter()
            .position(|inst| inst.line == program.insts[first as usize].line)
            .expect("a line makes several instructions");
        let second = first + 1 + same as u32;
        let other = of_lines(&program)[1];
        let all = [
            costly(first, Space::Global, 100),
            costly(other, Space::Global, 150),
            costly(second, Space::Global, 90),
            costly(second, Space::Shared, 30),
        ];
        let rows = rows(&problem, &program, &all);
        let sums: Vec<_> = rows.iter().map(|row| (row.accesses, row.cost, row.ideal)).collect();
        assert_eq!(sums, [(20, 190, 40), (10, 150, 20), (10, 30, 20)]);
    }

    #[test]
    fn a_sentence_says_what_each_access_takes_and_what_would_do() {
        let (problem, program) = program();
        let lines = of_lines(&program);
        let row = [costly(lines[0], Space::Global, 320), costly(lines[1], Space::Shared, 45)];
        let said = text(&rows(&problem, &program, &row));
        let line = |pc: u32| program.inst(Pc(pc)).line.expect("it is one of those with a line");
        let [global, shared] = [line(lines[0]), line(lines[1])];
        let expected = format!(
            "\nCostly accesses (simulated, one block, PTX)\n  \
             line {global}: a load of global memory takes 32.0 sectors where 2.0 would do: not coalesced\n  \
             line {shared}: a load of shared memory takes 4.5 wavefronts where 2.0 would do: bank conflicts\n"
        );
        assert_eq!(said, expected);
        assert_eq!(text(&[]), "");
    }

    #[test]
    fn only_the_worst_are_told() {
        let (problem, program) = program();
        let all: Vec<_> = of_lines(&program)
            .into_iter()
            .take(7)
            .map(|pc| costly(pc, Space::Global, 100 + u64::from(pc)))
            .collect();
        let said = text(&rows(&problem, &program, &all));
        assert_eq!(said.lines().count(), 2 + SHOWN + 1, "{said}");
        assert!(said.ends_with("  and 2 more\n"), "{said}");
    }
}
