//! The times of a kernel that computes no product, and whether the GPU and the simulation leave the
//! same in its buffers, as text and JSON.

use super::bench::{aligned, heading};
use super::number::sides;
use super::sim::buffers;
use crate::kernel::{Problem, compiled_by};
use crate::launch::{Dim3, Launch};
use crate::matrix::ElementType;
use crate::sim::{Inst, Program};
use crate::study::approximate::approximations;
use crate::study::simulation::Simulated;
use crate::timing::Timed;
use crate::timing::pack::Pack;
use ptx::{MemoryOp, Op};
use serde::Serialize;
use std::fmt::{self, Write};

#[derive(Debug, Serialize)]
pub struct MeasuredLaunch<'a> {
    kernel: &'a str,
    ptx_sha256: String,
    compiled_by: Option<String>,
    grid: Dim3,
    block: Dim3,
    #[serde(flatten)]
    timed: &'a Timed,
}

/// A buffer after one launch, on the GPU and simulated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedBuffer {
    name: String,
    #[serde(rename = "type")]
    of: ElementType,
    elements: u64,
    /// `same`, `different` or `not judged`.
    result: Agreement,
    /// Why it is not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl ComparedBuffer {
    /// How the two compare.
    pub const fn result(&self) -> Agreement {
        self.result
    }

    /// The same in words.
    fn verdict(&self) -> String {
        match self.result {
            Agreement::Same => "the same, bit for bit".to_owned(),
            Agreement::Different => "DIFFERENT".to_owned(),
            Agreement::NotJudged => {
                format!("not judged: {}", self.why.as_deref().unwrap_or_default())
            }
        }
    }
}

impl fmt::Display for ComparedBuffer {
    /// `y: as simulated, bit for bit`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.result {
            Agreement::Same => write!(f, "{}: as simulated, bit for bit", self.name),
            Agreement::Different => write!(f, "{}: DIFFERENT from the simulation", self.name),
            Agreement::NotJudged => write!(f, "{}: {}", self.name, self.verdict()),
        }
    }
}

/// How two results compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    /// Every bit is the same.
    Same,
    /// Some differ, and nothing in the kernel explains that.
    Different,
    /// Some differ, which the kernel leaves open.
    #[serde(rename = "not judged")]
    NotJudged,
}

impl<'a> MeasuredLaunch<'a> {
    pub fn new(problem: &'a Problem, timed: &'a Timed) -> Self {
        let Launch { grid, block } = problem.launch;
        Self {
            kernel: problem.name(),
            ptx_sha256: problem.ptx_sha256(),
            compiled_by: compiled_by(&problem.ptx),
            grid,
            block,
            timed,
        }
    }

    /// The times as a table, below the GPU and the date.
    pub fn text(&self, pack: &Pack) -> String {
        let header = ["kernel", "blocks", "threads", "median ms", "IQR", "cold ms", "registers"];
        let Timed { ms, cold_ms, resources, .. } = self.timed;
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let row = [
            self.kernel.to_owned(),
            sides(self.grid),
            sides(self.block),
            format!("{:.4}", ms.median),
            format!("{:.1} %", ms.relative_iqr() * 100.0),
            or_none(cold_ms.map(|cold| format!("{:.4}", cold.median))),
            or_none(resources.map(|taken| taken.registers.to_string())),
        ];
        format!(
            "{}\n\n{}\nEach timed launch begins with what the one before it has left in the buffers; \
             cold: on an empty L2 cache\n",
            heading(pack),
            aligned(&[header.map(str::to_owned), row])
        )
    }
}

/// Compares each buffer after one launch with the simulation's.
pub fn compare(
    problem: &Problem,
    program: &Program,
    timed: &Timed,
    simulated: &Simulated,
) -> Vec<ComparedBuffer> {
    let open = left_open(problem, program, timed, simulated);
    let rows = buffers::rows(problem, simulated.memory.as_ref()).into_iter();
    let compared = |(row, on_gpu): (buffers::Row, &String)| {
        let is_same = row.sha256.as_ref() == Some(on_gpu);
        let why = open.clone().filter(|_| !is_same);
        let result = match (is_same, &why) {
            (true, _) => Agreement::Same,
            (false, Some(_)) => Agreement::NotJudged,
            (false, None) => Agreement::Different,
        };
        ComparedBuffer { name: row.name, of: row.of, elements: row.elements, result, why }
    };
    rows.zip(&timed.sha256).map(compared).collect()
}

/// Whether no buffer differs without a reason.
pub fn agrees(all: &[ComparedBuffer]) -> bool {
    all.iter().all(|buffer| buffer.result != Agreement::Different)
}

/// The reason why bits may differ, if there is one.
fn left_open(
    problem: &Problem,
    program: &Program,
    timed: &Timed,
    simulated: &Simulated,
) -> Option<String> {
    if simulated.findings.as_ref().is_some_and(|findings| !findings.is_empty()) {
        return Some("matviz check finds errors in the kernel".to_owned());
    }
    if program.insts.iter().any(depends_on_order) {
        return Some("the order of its atomics decides".to_owned());
    }
    if !timed.repeats {
        return Some("two launches on the GPU differ".to_owned());
    }
    if let Some(first) = approximations(program, &problem.ptx).into_iter().next() {
        return Some(format!("{} is an approximation", first.instruction));
    }
    let first = program.contracted.iter().find(|one| !one.certain)?;
    let line = program.inst(first.sum).span.line(&problem.ptx);
    Some(format!("ptxas may round the sum of PTX line {line} and its product once or twice"))
}

/// Whether the result of an atomic instruction depends on which thread comes first.
fn depends_on_order(inst: &Inst) -> bool {
    match &inst.op {
        Op::Memory(MemoryOp::Atom { dst, .. }) if !dst.is_empty() => true,
        op => op.reduces().is_some_and(|(_, ty)| ty.is_float()),
    }
}

/// The buffers as a table.
pub fn text(all: &[ComparedBuffer]) -> String {
    let row = |compared: &ComparedBuffer| {
        let ComparedBuffer { name, of, elements, .. } = compared;
        [name.clone(), format!("{of}[{elements}]"), compared.verdict()]
    };
    let header = ["buffer", "type", "on the GPU and simulated"].map(str::to_owned);
    let rows: Vec<_> = [header].into_iter().chain(all.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let [name, of] = [0, 1].map(|column| width(column).unwrap_or(0));
    let mut text = "\n".to_owned();
    for [first, second, third] in &rows {
        let _ = writeln!(text, "{first:<name$}  {second:<of$}  {third}");
    }
    text
}
