//! Accesses that ptxas vectorises, and those for which this is uncertain, as text and JSON.

use crate::analysis::vectorise::{Note, SmemVectorisation, VectorisedAccess};
use crate::kernel::Problem;
use crate::sim::{Inst, Pc, Program, Reg};
use ptx::{MemoryOp, Op, Space};
use serde::Serialize;
use std::fmt::{self, Write};

/// Instructions of one kind and source line that ptxas replaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// An instruction of the PTX without its operands: `ld.shared.f32`.
    written: String,
    instructions: usize,
    /// A SASS instruction: `LDS.128`.
    executed: String,
    /// The number of SASS instructions that replace them.
    become_instructions: usize,
    /// The line in the CUDA source, or `None` if the PTX names none.
    line: Option<u32>,
    /// The line of the first one in the PTX.
    ptx_line: usize,
    /// The file of the line, if it is not the one that the user gave.
    #[serde(skip)]
    file: Option<String>,
}

/// A deviation, certain or possible, of ptxas from the vectorisation rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoteRow {
    pub(super) note: String,
    /// Whether it makes the SASS counts uncertain.
    pub(super) doubt: bool,
    /// The address's register, if it concerns an access.
    pub(super) register: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) ptx_line: usize,
    /// The file of the line, if it is not the one that the user gave.
    #[serde(skip)]
    pub(super) file: Option<String>,
}

/// The vectorised accesses, merged by kind and source line.
pub fn rows(problem: &Problem, program: &Program, joins: &SmemVectorisation) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for join in &joins.joins {
        let row = row(problem, program, join);
        let key =
            |row: &Row| (row.line, row.file.clone(), row.written.clone(), row.executed.clone());
        let same = |other: &&mut Row| key(other) == key(&row);
        match rows.iter_mut().find(same) {
            Some(sum) => {
                sum.instructions += row.instructions;
                sum.become_instructions += 1;
            }
            None => rows.push(row),
        }
    }
    rows
}

fn row(problem: &Problem, program: &Program, join: &VectorisedAccess) -> Row {
    let ptx = &*problem.ptx;
    let inst = program.inst(join.of[0]);
    Row {
        written: inst.opcode(ptx).to_owned(),
        instructions: join.of.len(),
        executed: executed(inst, join.bytes),
        become_instructions: 1,
        line: inst.line,
        ptx_line: inst.span.line(ptx),
        file: problem.other_file(program, join.of[0]).map(str::to_owned),
    }
}

/// The SASS instruction: `LDS.128`.
fn executed(inst: &Inst, bytes: u8) -> String {
    let name = match inst.op {
        Op::Memory(MemoryOp::St { space: Space::Global, .. }) => "STG",
        Op::Memory(MemoryOp::St { .. }) => "STS",
        Op::Memory(MemoryOp::Ld { space: Space::Global, .. }) => "LDG",
        _ => "LDS",
    };
    format!("{name}{}", width(bytes))
}

/// The SASS for the access at `pc` if it differs from the PTX, the longest wording first: `4
/// x ld.shared.f32 -> 1 x LDS.128`.
pub fn becomes(program: &Program, joins: &SmemVectorisation, ptx: &str, pc: Pc) -> Vec<String> {
    let Some(pieces) = joins.pieces(pc) else { return Vec::new() };
    let inst = program.inst(pc);
    let opcode = inst.opcode(ptx);
    let short = opcode.split('.').next().unwrap_or_default();
    let with: Vec<_> = joins.joins.iter().filter(|join| join.of.contains(&pc)).collect();
    if let ([join], [] | [_]) = (&with[..], pieces) {
        let (count, executed) = (join.of.len(), executed(inst, join.bytes));
        return vec![
            format!("{count} x {opcode} -> 1 x {executed}"),
            format!("{count} x {short} -> 1 x {executed}"),
            format!("{count} {short} -> 1 {executed}"),
        ];
    }
    let own = pieces.iter().map(|piece| piece.bytes);
    let others = with.iter().filter(|join| join.at != pc).map(|join| join.bytes);
    let mut names: Vec<_> = own.chain(others).map(|bytes| executed(inst, bytes)).collect();
    if names.is_empty() {
        names.push("a register".to_owned());
    }
    let names = names.join(" + ");
    vec![format!("{opcode} -> {names}"), format!("{short} -> {names}")]
}

/// The reason why the SASS is uncertain, or why the access is not vectorised, the longest wording
/// first.
pub fn doubt(joins: &SmemVectorisation, pc: Pc) -> Vec<String> {
    let Some(note) = joins.notes_at(pc).max_by_key(|note| note.kind.is_doubt()) else {
        return Vec::new();
    };
    let (head, short) =
        if note.kind.is_doubt() { ("SASS? ", "SASS? ") } else { ("not vectorised: ", "") };
    let brief = note.kind.brief();
    vec![format!("{head}{}", note.kind), format!("{head}{brief}"), format!("{short}{brief}")]
}

/// The SASS suffix for this number of bytes per lane; 4 bytes have none.
const fn width(bytes: u8) -> &'static str {
    match bytes {
        1 => ".U8",
        2 => ".U16",
        8 => ".64",
        16 => ".128",
        _ => "",
    }
}

/// The notes on what ptxas may do in addition to the rule, and on where the analysis knows too
/// little to predict it.
pub fn notes(problem: &Problem, program: &Program, joins: &SmemVectorisation) -> Vec<NoteRow> {
    let row = |note: &Note| {
        let inst = program.inst(note.at);
        NoteRow {
            note: note.kind.to_string(),
            doubt: note.kind.is_doubt(),
            register: address(&inst.op).and_then(|reg| program.register(reg)).map(str::to_owned),
            line: inst.line,
            ptx_line: inst.span.line(&problem.ptx),
            file: problem.other_file(program, note.at).map(str::to_owned),
        }
    };
    joins.notes.iter().map(row).collect()
}

fn address(op: &Op<Reg, Pc>) -> Option<Reg> {
    match op {
        Op::Memory(MemoryOp::Ld { addr, .. } | MemoryOp::St { addr, .. }) => Some(addr.base),
        _ => None,
    }
}

/// `16 x ld.shared.f32 -> 4 x LDS.128 (line 33)`, then the notes; empty if there are none.
pub fn text(rows: &[Row], notes: &[NoteRow]) -> String {
    let mut text = String::new();
    if !rows.is_empty() {
        text.push_str("\nVectorised by ptxas (SASS in place of PTX)\n");
    }
    for row in rows {
        let _ = writeln!(text, "  {row}");
    }
    // A note on several instructions of one line is printed once.
    let mut said: Vec<(String, usize)> = Vec::new();
    for note in notes.iter().map(ToString::to_string) {
        match said.iter_mut().find(|(text, _)| *text == note) {
            Some((_, times)) => *times += 1,
            None => said.push((note, 1)),
        }
    }
    for (note, times) in said {
        let times = if times == 1 { String::new() } else { format!(", {times} times") };
        let _ = writeln!(text, "{note}{times}");
    }
    text
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { written, instructions, executed, become_instructions, .. } = self;
        let place = place(self.line, self.ptx_line, self.file.as_deref());
        write!(f, "{instructions} x {written} -> {become_instructions} x {executed} ({place})")
    }
}

impl fmt::Display for NoteRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { note, doubt, register, line, ptx_line, file } = self;
        let head = if *doubt { "SASS is not certain" } else { "Not vectorised" };
        let register = register.as_ref().map(|name| format!(", {name}")).unwrap_or_default();
        write!(f, "{head}: {note} ({}{register})", place(*line, *ptx_line, file.as_deref()))
    }
}

fn place(line: Option<u32>, ptx_line: usize, file: Option<&str>) -> String {
    let of = file.map(|file| format!(" of {file}")).unwrap_or_default();
    line.map_or_else(|| format!("PTX line {ptx_line}"), |line| format!("line {line}{of}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_many_instructions_of_a_line_is_said_once() {
        let note = |line| NoteRow {
            note: "ptxas may do so".to_owned(),
            doubt: true,
            register: None,
            line: Some(line),
            ptx_line: 1,
            file: None,
        };
        let said = text(&[], &[note(45), note(45), note(46), note(45)]);
        assert_eq!(
            said,
            "SASS is not certain: ptxas may do so (line 45), 3 times\n\
             SASS is not certain: ptxas may do so (line 46)\n"
        );
    }
}
