//! Whether the figures of a pack can be those of a GPU: others send packs, and what is drawn divides by
//! these figures, takes their logarithms, and simulates their sizes.

use crate::stats::Quartiles;
use crate::timing::{Ceilings, Hierarchy, Limits, Measurement, Overheads, Resources};
use std::ops::RangeInclusive;

/// The most rows of a pack: a run of all kernels at ten sizes has 350.
const MOST_ROWS: usize = 4096;

/// Times in milliseconds, microseconds or nanoseconds, and rates in 10^9 per second.
const POSSIBLE: RangeInclusive<f64> = 1e-9..=1e15;

/// What the hardware counts in one launch.
const COUNTABLE: RangeInclusive<f64> = 0.0..=1e18;

/// A limit of a GPU: no more bytes, registers or MHz than this.
const MOST: u32 = 1 << 29;

/// What is impossible in a pack: where, and which figure; `None` if nothing is.
pub(super) fn impossible(
    rows: &[Measurement],
    limits: Option<&Limits>,
    ceilings: Option<&Ceilings>,
) -> Option<String> {
    if rows.len() > MOST_ROWS {
        return Some(format!("{} rows, where {MOST_ROWS} are the most", rows.len()));
    }
    let of_row = |row: &Measurement| {
        let what = of_row(row)?;
        Some(format!("{} at {}: {what}", row.kernel, row.size))
    };
    let of_gpu = limits.and_then(of_limits).or_else(|| ceilings.and_then(of_ceilings));
    of_gpu.or_else(|| rows.iter().find_map(of_row))
}

fn of_row(row: &Measurement) -> Option<String> {
    if let Err(error) = row.size.checked() {
        return Some(error.to_string());
    }
    let rate = (!POSSIBLE.contains(&row.gflops)).then(|| format!("{:e} GFLOP/s", row.gflops));
    let beside = &row.beside;
    let copies = beside.copies.as_ref().map(|copies| [copies.to_gpu_ms, copies.from_gpu_ms]);
    let others = [beside.cold_ms, beside.submit_us].into_iter().flatten();
    let others = others.chain(copies.into_iter().flatten());
    let counters = beside.counters.iter().flatten();
    let mut counters = counters.filter(|(_, count)| !COUNTABLE.contains(*count));
    of_times(&row.ms)
        .or(rate)
        .or_else(|| others.filter(|times| times.median != 0.0).find_map(|times| of_times(&times)))
        .or_else(|| beside.resources.as_ref().and_then(of_resources))
        .or_else(|| counters.next().map(|(name, count)| format!("{name} {count:e}")))
}

fn of_times(times: &Quartiles) -> Option<String> {
    let Quartiles { median, q1, q3, .. } = *times;
    let possible = POSSIBLE.contains(&median)
        && [q1, q3].into_iter().all(|value| value == 0.0 || POSSIBLE.contains(&value));
    (!possible).then(|| format!("median {median:e}, quartiles {q1:e} and {q3:e}"))
}

fn of_ceilings(ceilings: &Ceilings) -> Option<String> {
    let Ceilings { copy_gb_s, shared_gb_s, float32_gflops, to_gpu_gb_s, from_gpu_gb_s, .. } =
        ceilings;
    let Overheads { batch_us, single_us, submit_us, round_trip_us } = &ceilings.overheads;
    let rates = [copy_gb_s, shared_gb_s, float32_gflops, to_gpu_gb_s, from_gpu_gb_s];
    let overheads = [batch_us, single_us, submit_us, round_trip_us];
    let hierarchy = ceilings.hierarchy.as_ref().map(of_hierarchy);
    let all = rates.into_iter().chain(overheads).chain(&ceilings.half_mma_gflops);
    let what = all.chain(hierarchy.into_iter().flatten()).find_map(of_times)?;
    Some(format!("a ceiling: {what}"))
}

fn of_hierarchy(seen: &Hierarchy) -> [&Quartiles; 8] {
    let Hierarchy { l1_gb_s, l1_glines_s, l2_gb_s, registers_ns, .. } = seen;
    let Hierarchy { shared_ns, l1_ns, l2_ns, dram_ns, .. } = seen;
    [l1_gb_s, l1_glines_s, l2_gb_s, registers_ns, shared_ns, l1_ns, l2_ns, dram_ns]
}

fn of_resources(taken: &Resources) -> Option<String> {
    let Resources { threads, registers, static_shared, dynamic_shared, local, blocks_per_sm } =
        *taken;
    let figures = [
        ("threads per block", threads, 1024),
        ("registers per thread", registers, 1024),
        ("bytes of shared memory", static_shared, 1 << 20),
        ("bytes of shared memory", dynamic_shared, 1 << 20),
        ("bytes of local memory", local, MOST),
        ("blocks per multiprocessor", blocks_per_sm, 1 << 16),
    ];
    let (name, figure, most) = figures.into_iter().find(|(_, figure, most)| figure > most)?;
    Some(format!("{figure} {name}, where {most} are the most"))
}

fn of_limits(limits: &Limits) -> Option<String> {
    let Limits { multiprocessors, threads_per_block, threads_per_sm, blocks_per_sm, .. } = *limits;
    let Limits { registers_per_block, registers_per_sm, shared_per_block, .. } = *limits;
    let Limits { shared_per_sm, shared_reserved, l2_bytes, sm_mhz, memory_mhz, .. } = *limits;
    let all = [
        [multiprocessors, threads_per_block, threads_per_sm, blocks_per_sm],
        [registers_per_block, registers_per_sm, shared_per_block, shared_per_sm],
        [shared_reserved, l2_bytes, sm_mhz, memory_mhz],
    ];
    let too_much = all.as_flattened().iter().find(|limit| **limit > MOST)?;
    Some(format!("a limit of the GPU, {too_much}, where {MOST} is the most"))
}
