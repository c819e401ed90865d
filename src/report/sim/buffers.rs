//! The buffers of a kernel that computes no product, after the run.

use crate::kernel::{Buffer, Contents, Problem, sha256};
use crate::matrix::{ElementType, Values};
use crate::sim::{self, Memory};
use serde::Serialize;
use std::fmt::Write;

/// A buffer after the run.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Row {
    pub(in crate::report) name: String,
    #[serde(rename = "type")]
    pub(in crate::report) of: ElementType,
    pub(in crate::report) elements: u64,
    /// What it held before the launch, as `--launch` has it.
    before: String,
    /// Whether the run has changed it; `None` if that was not all of the grid.
    changed: Option<bool>,
    /// SHA-256 of its bytes; `None` as above.
    pub(in crate::report) sha256: Option<String>,
}

/// The buffers in the order of their addresses; `memory` is that after a run of the whole grid.
pub(in crate::report) fn rows(problem: &Problem, memory: Option<&Memory>) -> Vec<Row> {
    let matrices = problem.operands.iter().map(|operand| {
        let is_filled = !problem.unfilled().contains(&operand.name());
        Buffer {
            name: operand.name().to_owned(),
            of: problem.element_type(*operand),
            count: problem.layout(*operand).places(problem.size.shape(*operand)),
            contents: if is_filled { Contents::Filled(Values::Random) } else { Contents::Unfilled },
        }
    });
    let all: Vec<_> = matrices.chain(problem.buffers.iter().cloned()).collect();
    let row = |(number, buffer): (usize, &Buffer)| {
        let after = memory.and_then(|memory| memory.buffers().get(number));
        Row {
            name: buffer.name.clone(),
            of: buffer.of,
            elements: buffer.count,
            before: before(&buffer.contents),
            changed: after.map(|after| has_changed(problem, number, after)),
            sha256: after.map(|after| sha256(&bytes(after))),
        }
    };
    all.iter().enumerate().map(row).collect()
}

/// What a buffer holds before the launch, as `--launch` has it.
fn before(contents: &Contents) -> String {
    match contents {
        Contents::Left(left) if left.is_empty() => "unfilled".to_owned(),
        Contents::Left(left) if left.written.is_some() => "partly".to_owned(),
        Contents::Left(_) => "written".to_owned(),
        Contents::Unfilled => "unfilled".to_owned(),
        Contents::Filled(Values::Random) => "random".to_owned(),
        Contents::Filled(Values::Ascending) => "ascending".to_owned(),
        Contents::Filled(Values::Constant(value)) => value.to_string(),
        Contents::Filled(Values::Between(first, last)) => {
            format!("{first}..{}", i128::from(*last) + 1)
        }
    }
}

fn has_changed(problem: &Problem, number: usize, after: &sim::Allocation) -> bool {
    let words = 0..after.bytes.div_ceil(4);
    words.into_iter().any(|word| after.load(word) != problem.word_before(number, word))
}

pub(super) fn bytes(buffer: &sim::Allocation) -> Vec<u8> {
    let words = 0..buffer.bytes.div_ceil(4);
    let mut bytes: Vec<_> = words.flat_map(|word| buffer.load(word).to_le_bytes()).collect();
    bytes.truncate(buffer.bytes as usize);
    bytes
}

/// The buffers as a table.
pub(super) fn text(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for Row { name, of, elements, before, changed, sha256 } in rows {
        let of = format!("{of}[{elements}]");
        let now = match changed {
            Some(true) => "changed",
            Some(false) => "unchanged",
            None => "",
        };
        let hash = sha256.as_deref().unwrap_or_default();
        let line = format!("{name:<width$}  {of:<14}  {before:<10} {now:<10} {hash}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}
