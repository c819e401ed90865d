//! Which shared accesses ptxas joins, and where it is not known, in words and as JSON.

use crate::analysis::executed::{Join, Joins, Note};
use crate::ptx::Op;
use crate::sim::{Pc, Program, Reg};
use serde::Serialize;
use std::fmt::Write;

/// Instructions of one kind and line that become others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// An instruction of the PTX without its operands: `ld.shared.f32`.
    written: String,
    /// How many of them.
    instructions: usize,
    /// An instruction of the machine code: `LDS.128`.
    executed: String,
    /// How many of those stand for them.
    become_instructions: usize,
    /// The line in the CUDA source, if the PTX names one.
    line: Option<u32>,
    /// The first one's line in the PTX.
    ptx_line: usize,
}

/// Something that ptxas does, or may do, beside the rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoteRow {
    /// What.
    note: String,
    /// Whether the figures as executed may be wrong because of it.
    doubt: bool,
    /// The address's register, if it is about an access.
    register: Option<String>,
    line: Option<u32>,
    ptx_line: usize,
}

/// What is joined, those of one kind and line together.
pub fn rows(program: &Program, joins: &Joins, ptx: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for join in &joins.joins {
        let row = row(program, join, ptx);
        let same = |other: &&mut Row| {
            (other.line, &other.written, &other.executed) == (row.line, &row.written, &row.executed)
        };
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

fn row(program: &Program, join: &Join, ptx: &str) -> Row {
    let inst = program.inst(join.of[0]);
    let opcode = inst.span.of(ptx).split_whitespace().find(|word| !word.starts_with('@'));
    let name = if matches!(inst.op, Op::St { .. }) { "STS" } else { "LDS" };
    Row {
        written: opcode.unwrap_or_default().to_owned(),
        instructions: join.of.len(),
        executed: format!("{name}{}", width(join.bytes)),
        become_instructions: 1,
        line: inst.line,
        ptx_line: inst.span.line(ptx),
    }
}

/// How the machine code tells the bytes of a lane; four are understood.
const fn width(bytes: u8) -> &'static str {
    match bytes {
        1 => ".U8",
        2 => ".U16",
        8 => ".64",
        16 => ".128",
        _ => "",
    }
}

/// What ptxas may do beside the rule, and where it knows too little to join.
pub fn notes(program: &Program, joins: &Joins, ptx: &str) -> Vec<NoteRow> {
    let row = |note: &Note| {
        let inst = program.inst(note.at);
        NoteRow {
            note: note.kind.to_string(),
            doubt: note.kind.is_doubt(),
            register: address(&inst.op).and_then(|reg| program.register(reg)).map(str::to_owned),
            line: inst.line,
            ptx_line: inst.span.line(ptx),
        }
    };
    joins.notes.iter().map(row).collect()
}

fn address(op: &Op<Reg, Pc>) -> Option<Reg> {
    match op {
        Op::Ld { addr, .. } | Op::St { addr, .. } => Some(addr.base),
        _ => None,
    }
}

/// `16 x ld.shared.f32 -> 4 x LDS.128 (line 33)`, and the notes; nothing where there is nothing.
pub fn text(rows: &[Row], notes: &[NoteRow]) -> String {
    let mut text = String::new();
    if !rows.is_empty() {
        text.push_str("\nJoined by ptxas (what the machine code has in place of the PTX)\n");
    }
    for row in rows {
        let Row { written, instructions, executed, become_instructions, .. } = row;
        let place = place(row.line, row.ptx_line);
        let _ = writeln!(
            text,
            "  {instructions} x {written} -> {become_instructions} x {executed} ({place})"
        );
    }
    for NoteRow { note, doubt, register, line, ptx_line } in notes {
        let head = if *doubt { "As executed is not certain" } else { "Not joined" };
        let register = register.as_ref().map(|name| format!(", {name}")).unwrap_or_default();
        let _ = writeln!(text, "{head}: {note} ({}{register})", place(*line, *ptx_line));
    }
    text
}

fn place(line: Option<u32>, ptx_line: usize) -> String {
    line.map_or_else(|| format!("PTX line {ptx_line}"), |line| format!("line {line}"))
}
