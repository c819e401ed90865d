//! What a simulation of the grid found, as text and as JSON.

use crate::analysis::Counters;
use crate::kernel::{Problem, sha256};
use crate::launch::Dim3;
use crate::matrix::{Operand, Size, fill, product, relative_error, tolerance};
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;

/// A simulated run; every count is as the PTX is written.
#[derive(Debug, Serialize)]
pub struct Outcome {
    kernel: &'static str,
    ptx_sha256: String,
    size: Size,
    tile: u32,
    grid: Dim3,
    block: Dim3,
    blocks_simulated: u64,
    as_written: Counters,
    /// The largest |c - reference| over all elements, relative to the largest |reference|; the
    /// reference is the float64 product.
    max_relative_error: f64,
    /// The same in the Frobenius norm.
    relative_error: f64,
    tolerance: f64,
    /// Of C's bytes, little-endian; none when only a part of C was computed.
    c_sha256: Option<String>,
    seconds: f64,
    warp_instructions_per_second: f64,
}

impl Outcome {
    /// Checks `c`, the whole C, or of it what the block `only` has computed.
    pub fn new(
        problem: &Problem,
        only: Option<Dim3>,
        c: &[f32],
        as_written: Counters,
        seconds: f64,
    ) -> Self {
        let (rows, columns) = part(problem, only);
        let reference = reference(problem, rows.clone(), columns.clone());
        let n = problem.size.n as usize;
        let computed: Vec<_> = rows
            .flat_map(|row| &c[row as usize * n..][columns.start as usize..columns.end as usize])
            .copied()
            .collect();
        let bytes = || c.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        Self {
            kernel: problem.kernel.name,
            ptx_sha256: problem.ptx_sha256(),
            size: problem.size,
            tile: problem.tile,
            grid: problem.launch().grid,
            block: problem.launch().block,
            blocks_simulated: if only.is_some() { 1 } else { problem.launch().blocks() },
            max_relative_error: largest_error(&computed, &reference),
            relative_error: relative_error(&computed, &reference),
            tolerance: tolerance(problem.size.k),
            c_sha256: only.is_none().then(|| sha256(&bytes())),
            warp_instructions_per_second: as_written.warp_instructions as f64 / seconds,
            as_written,
            seconds,
        }
    }

    /// Whether C is the product, to within rounding; NaN is not.
    pub fn is_right(&self) -> bool {
        self.relative_error <= self.tolerance
    }
}

/// The rows and columns of C that one block, or all of them, compute.
fn part(problem: &Problem, only: Option<Dim3>) -> (Range<u32>, Range<u32>) {
    let Size { m, n, .. } = problem.size;
    let span = |at: u32, end: u32| at * problem.tile..((at + 1) * problem.tile).min(end);
    only.map_or((0..m, 0..n), |block| (span(block.y, m), span(block.x, n)))
}

/// A part of the float64 product, row-major.
fn reference(problem: &Problem, rows: Range<u32>, columns: Range<u32>) -> Vec<f64> {
    let [a, b] = [Operand::A, Operand::B].map(|of| fill(problem.seed, of, problem.size));
    let n = problem.size.n as usize;
    let whole = product(&a, &b, problem.size, rows);
    let part = columns.start as usize..columns.end as usize;
    whole.chunks_exact(n).flat_map(|row| &row[part.clone()]).copied().collect()
}

fn largest_error(c: &[f32], reference: &[f64]) -> f64 {
    let errors = c.iter().zip(reference).map(|(c, reference)| (f64::from(*c) - reference).abs());
    let scale = reference.iter().fold(0.0, |scale: f64, value| scale.max(value.abs()));
    // `f64::max` would pass over a NaN.
    let error =
        errors.fold(0.0, |most, error| if error > most || error.is_nan() { error } else { most });
    if scale == 0.0 { error } else { error / scale }
}

/// The same for a person.
pub fn text(outcome: &Outcome) -> String {
    let Outcome { kernel, size, tile, grid, as_written: counted, .. } = outcome;
    let mut text = format!(
        "{kernel}, size {size}, tile {tile}: {} of {} blocks of {tile} x {tile} threads\n\n\
         Simulated, as the PTX is written\n",
        grouped(outcome.blocks_simulated),
        grouped(grid.volume()),
    );
    for (name, value) in rows(counted) {
        let _ = writeln!(text, "  {name:<32}{:>18}", grouped(value));
    }
    let verdict = if outcome.is_right() { "right" } else { "WRONG" };
    let _ = write!(
        text,
        "\nC is {verdict}: relative error {:.1e} against float64 (tolerance {:.1e})\n\
         {:.2} s, {:.1} million warp instructions a second\nPTX {}\n",
        outcome.relative_error,
        outcome.tolerance,
        outcome.seconds,
        outcome.warp_instructions_per_second / 1e6,
        outcome.ptx_sha256,
    );
    if let Some(hash) = &outcome.c_sha256 {
        let _ = writeln!(text, "C   {hash}");
    }
    text
}

fn rows(counted: &Counters) -> [(&'static str, u64); 11] {
    [
        ("global load requests", counted.global_load_requests),
        ("global load sectors", counted.global_load_sectors),
        ("global store requests", counted.global_store_requests),
        ("global store sectors", counted.global_store_sectors),
        ("shared load instructions", counted.shared_load_instructions),
        ("shared store instructions", counted.shared_store_instructions),
        ("shared wavefronts", counted.shared_wavefronts),
        ("  of these without conflicts", counted.shared_wavefronts_ideal),
        ("barrier arrivals of a warp", counted.barriers),
        ("warp instructions", counted.warp_instructions),
        ("thread multiply-adds (FMA)", counted.thread_fma),
    ]
}

/// 16777216 as 16,777,216.
pub(super) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
