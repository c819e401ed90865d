//! The hardware's counters behind several charts, and the kernels whose counts say less.

use crate::kernel;
use crate::matrix::Precision;
use crate::report::ladder::Rung;
use crate::timing::Measurement;

/// Bytes per wavefront through all banks of shared memory: 32 banks of 4 bytes (CUDA C++
/// Programming Guide, "Shared Memory"). A wavefront takes the same time however many of them it
/// transfers.
pub(super) const WAVEFRONT: f64 = 128.0;

/// The hardware's counters, by Nsight Compute's names: each list sums to bytes, or to wavefronts.
pub(super) const DRAM: [&[&str]; 2] =
    [&["dram__bytes.sum"], &["dram__bytes_read.sum", "dram__bytes_write.sum"]];
pub(super) const PASSES: [&[&str]; 3] = [
    &["smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"],
    &["memory_l1_wavefronts_shared"],
    // Loads and stores alone would lack the wavefronts of asynchronous copies.
    &[
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
    ],
];

/// A figure from the hardware's counters: the first of several alternative sums whose counters were
/// read.
pub(super) fn counter(row: &Measurement, ways: &[&[&str]]) -> Option<f64> {
    let all = row.beside.counters.as_ref()?;
    ways.iter().find_map(|names| names.iter().map(|name| all.get(*name).copied()).sum())
}

/// Whether tiles may reach shared memory in a way that no counter of wavefronts sees: it is not
/// known how a library's half-precision kernel copies them. (The reads of `wgmma` are counted.)
pub(super) fn moves_unseen(rung: &Rung<'_>) -> bool {
    is_tensor(rung) && kernel::find(&rung.row.kernel).is_none()
}

/// Whether a rung uses tensor cores, which have a higher roof.
pub(super) fn is_tensor(rung: &Rung<'_>) -> bool {
    let kernel = kernel::find(&rung.row.kernel);
    let ours =
        kernel.is_some_and(|kernel| kernel.variants.iter().any(|variant| variant.tensor > 0));
    ours || (rung.is_library() && rung.precision == Precision::Half)
}
