//! What a simulation of the grid found, as text and as JSON.

mod elements;

use super::approximate;
use super::costly;
use super::figures::{self, Row};
use super::finding::{self, Names};
use super::joins;
use super::number::{grouped, sides};
use crate::analysis::Counters;
use crate::kernel::{Tile, sha256_of};
use crate::launch::{Dim3, Launch};
use crate::matrix::judge::{Errors, Off, Wrong};
use crate::matrix::{Operand, Size};
use crate::study::approximate::{Approximation, approximations};
use crate::study::simulation::{Simulated, Simulation};
use elements::taken;
use serde::Serialize;
use std::fmt::Write;

/// A simulated run.
#[derive(Debug, Serialize)]
pub struct Outcome {
    kernel: String,
    /// The entry point's name in the PTX.
    entry: String,
    ptx_sha256: String,
    size: Size,
    /// Of a kernel of the catalogue.
    #[serde(skip_serializing_if = "Option::is_none")]
    tile: Option<Tile>,
    grid: Dim3,
    block: Dim3,
    /// Bytes of dynamic shared memory for each block.
    dynamic_shared_bytes: u32,
    /// The arguments of a foreign kernel, as `--args` takes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<String>,
    /// Functions whose calls are left out, for they change nothing that is simulated: `printf`.
    calls_left_out: Vec<&'static str>,
    /// What C is to become, for example `2 x A x B + 0.5 x C`.
    expected: String,
    /// Of each class of blocks that do the same, one stands for all: see
    /// [`classes`](crate::analysis::classes).
    blocks_simulated: u64,
    blocks_total: u64,
    /// Why every block was simulated though the counts alone were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_classes: Option<String>,
    /// Counted as the PTX is written.
    #[serde(serialize_with = "figures::ptx")]
    ptx: Counters,
    /// Counted as the machine code is, which ptxas makes of it: how many instructions of every kind
    /// that has cannot be foretold.
    #[serde(serialize_with = "figures::sass")]
    sass: Counters,
    /// The shared accesses that it joins.
    joins: Vec<joins::Row>,
    /// Where it is not known whether it does.
    join_notes: Vec<joins::NoteRow>,
    /// Whether the run was checked for races, barriers and never-written memory.
    checked: bool,
    /// What is wrong with the kernel, whatever C is; nothing if it was not checked.
    findings: Vec<finding::Row>,
    /// Instructions for which a GPU may have other bits.
    approximate: Vec<Approximation>,
    /// Instructions that touch more sectors or take more wavefronts than they need, the worst first.
    costly: Vec<costly::Row>,
    /// The largest |c - reference| over all elements, relative to the largest |reference|; the
    /// reference is what is expected, in float64. None where C is not judged: which part of it one block of
    /// a foreign kernel computes is not known, and for counts alone there is no C.
    max_relative_error: Option<f64>,
    /// The same in the Frobenius norm.
    relative_error: Option<f64>,
    tolerance: f64,
    /// Of a wrong C: which elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<Wrong>,
    /// Why C cannot be judged as it is: what the kernel takes the matrices for.
    #[serde(skip_serializing_if = "Option::is_none")]
    takes: Option<String>,
    /// Of C's bytes, little-endian; none when only a part of C was computed.
    c_sha256: Option<String>,
    seconds: f64,
    warp_instructions_per_second: f64,
}

impl Outcome {
    /// What came of a simulation, with names for places and lines.
    pub fn new(simulation: &Simulation<'_>, simulated: &Simulated) -> Self {
        let Simulation { problem, program, only, .. } = *simulation;
        let Simulated { counters, memory, findings, errors, tolerance, joins, .. } = simulated;
        let (Launch { grid, block }, foreign) = (problem.launch(), problem.as_user_kernel());
        let c = memory.as_ref().and_then(|memory| memory.named(Operand::C.name()));
        let found = memory.iter().flat_map(|memory| {
            let names = Names { problem, program, memory };
            findings.iter().flatten().map(move |finding| names.row(finding))
        });
        let off = |error: f64| error > *tolerance || error.is_nan();
        Self {
            kernel: problem.name().to_owned(),
            entry: problem.entry().to_owned(),
            ptx_sha256: problem.ptx_sha256(),
            size: problem.size,
            tile: problem.tile(),
            grid,
            block,
            dynamic_shared_bytes: problem.dynamic_shared(),
            args: foreign.map(|foreign| foreign.words.clone()),
            calls_left_out: foreign.map_or(Vec::new(), |foreign| foreign.left_out.clone()),
            expected: problem.gemm().to_string(),
            blocks_simulated: simulated.blocks,
            blocks_total: grid.volume(),
            no_classes: simulated.unclassed.as_ref().map(ToString::to_string),
            ptx: *counters,
            sass: *counters,
            joins: joins::rows(program, joins, &problem.ptx),
            join_notes: joins::notes(program, joins, &problem.ptx),
            checked: findings.is_some(),
            findings: found.collect(),
            approximate: approximations(program, &problem.ptx),
            costly: costly::rows(program, &simulated.costly),
            max_relative_error: errors.map(Errors::largest),
            relative_error: errors.map(Errors::relative),
            tolerance: *tolerance,
            wrong: errors.filter(|errors| off(errors.relative())).map(Errors::wrong),
            takes: foreign.and_then(|_| taken(program)),
            c_sha256: c.filter(|_| only.is_none()).map(|c| sha256_of(c.floats())),
            seconds: simulated.seconds,
            warp_instructions_per_second: counters.ptx.warp_instructions as f64 / simulated.seconds,
        }
    }

    /// Whether the checks found nothing.
    pub const fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether C is the product, to within rounding, as far as it can be judged; NaN is not.
    pub fn is_right(&self) -> bool {
        self.relative_error.is_none_or(|error| error <= self.tolerance)
    }
}

/// The same for a person.
pub fn text(outcome: &Outcome) -> String {
    let mut text =
        format!("{}\n\n{:<34}{:>18}{:>18}\n", heading(outcome), "Simulated", "PTX", "SASS");
    for Row { label, ptx, sass } in figures::rows(&outcome.ptx) {
        let sass = sass.map_or_else(|| "-".to_owned(), grouped);
        let _ = writeln!(text, "  {label:<32}{:>18}{sass:>18}", grouped(ptx));
    }
    text.push_str(&joins::text(&outcome.joins, &outcome.join_notes));
    let _ = write!(
        text,
        "\n{}\n{:.2} s, {:.1} million warp instructions a second\nPTX {}\n",
        verdict(outcome),
        outcome.seconds,
        outcome.warp_instructions_per_second / 1e6,
        outcome.ptx_sha256,
    );
    if let Some(hash) = &outcome.c_sha256 {
        let _ = writeln!(text, "C   {hash}");
    }
    text.push_str(&costly::text(&outcome.costly));
    text.push_str(&approximate::text(&outcome.approximate));
    text.push_str(&finding::text(&outcome.findings));
    if !outcome.checked {
        text.push_str("\nNot checked for races, barriers and never-written memory\n");
    }
    text
}

/// `tiled, size 512, tile 16: 1,024 of 1,024 blocks of 16 x 16 threads`, and of a foreign kernel
/// its arguments.
fn heading(outcome: &Outcome) -> String {
    let Outcome { kernel, size, grid, block, .. } = outcome;
    let tile = outcome.tile.map_or(String::new(), |tile| format!(", tile {tile}"));
    let mut text = format!(
        "{kernel}, size {size}{tile}: {} of {} blocks of {} threads",
        grouped(outcome.blocks_simulated),
        grouped(grid.volume()),
        sides(*block),
    );
    if let Some(why) = &outcome.no_classes {
        let _ = write!(text, "\nEvery block, not one of each class: {why}");
    }
    if let Some(args) = &outcome.args {
        let _ = write!(text, "\ngrid {}, arguments {args}", sides(*grid));
    }
    if outcome.dynamic_shared_bytes > 0 {
        let bytes = grouped(outcome.dynamic_shared_bytes.into());
        let _ = write!(text, ", {bytes} bytes of dynamic shared memory");
    }
    text
}

fn verdict(outcome: &Outcome) -> String {
    let Some(error) = outcome.relative_error else {
        return "C is not judged: not all of it was computed".to_owned();
    };
    let verdict = if outcome.is_right() { "right" } else { "WRONG" };
    let Outcome { tolerance, expected, .. } = outcome;
    let of = if expected == "A x B" { String::new() } else { format!("{expected} in ") };
    let mut text = format!(
        "C is {verdict}: relative error {error:.1e} against {of}float64 (tolerance {tolerance:.1e})"
    );
    if let Some(Wrong { elements, of, unchanged, first: Some(first) }) = &outcome.wrong {
        let Off { row, column, is, should } = first;
        let _ = write!(
            text,
            "\n  {} of {} elements are wrong, the first C[{row}][{column}] = {is:.6} instead of \
             {should:.6}",
            grouped(*elements),
            grouped(*of)
        );
        if *unchanged > 0 {
            let _ = write!(text, "\n  {} of them are as before the launch", grouped(*unchanged));
        }
        let _ = write!(
            text,
            "\n  matviz trace 'C[{row}][{column}]' with the same options tells where it comes from"
        );
    }
    let takes = outcome.takes.iter().filter(|_| outcome.wrong.is_some());
    takes.for_each(|takes| _ = write!(text, "\n  {takes}"));
    text
}
