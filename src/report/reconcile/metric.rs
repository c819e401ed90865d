//! The single list of Nsight Compute's metrics that the simulation predicts.

use super::profile::Profile;
use crate::analysis::{Counters, Counts};
use std::collections::BTreeSet;

/// How exactly a hardware metric equals the simulated count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// It equals the count.
    Exact,
    /// At least the same number: it also counts wavefronts that a warp loses in arbitration.
    Arbitrated,
}

/// A hardware metric, or a sum of several, and the simulated count that it is compared with.
#[derive(Debug)]
pub(super) struct Metric {
    /// Nsight Compute's names; their values are added.
    pub(super) names: &'static [&'static str],
    /// Names whose values are subtracted from the sum.
    pub(super) less: &'static [&'static str],
    /// The simulated count.
    pub(super) counter: fn(&Counts) -> u64,
    pub(super) rule: Rule,
    /// Whether it counts accesses to shared memory, which ptxas may vectorise.
    pub(super) joined: bool,
}

macro_rules! metrics {
    ($([$($name:literal),+ $(- $less:literal)?] $counter:expr, $rule:ident, $joined:literal;)*) => {
        pub(super) const METRICS: &[Metric] = &[$(Metric {
            names: &[$($name),+], less: &[$($less)?], counter: $counter, rule: Rule::$rule, joined: $joined,
        }),*];
    };
}

// Found equal on an H200 (driver 580.159.04, Nsight Compute of CUDA 13.0, 2026-11-21) over the
// launches of tests/data; the arbitrated ones were up to 13% above. The sectors of TMA: on an H100
// (the same driver, 2026-11-24) over tests/data/kernel/hopper_ladder; those of `dshared` there with kernels of
// one access each.
metrics! {
    ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] |c| c.global.loads.requests, Exact, false;
    ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] |c| c.global.loads.sectors, Exact, false;
    ["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] |c| c.global.stores.requests, Exact, false;
    ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] |c| c.global.stores.sectors, Exact, false;
    ["smsp__sass_inst_executed_op_shared_ld.sum"] |c| c.shared.loads.instructions, Exact, true;
    ["smsp__sass_inst_executed_op_shared_st.sum"] |c| c.shared.stores.instructions, Exact, true;
    ["smsp__sass_inst_executed_op_ldsm.sum"] |c| c.shared.matrix_loads.instructions, Exact, false;
    ["smsp__sass_inst_executed_op_shared_stsm.sum"] |c| c.shared.matrix_stores.instructions, Exact, false;
    ["smsp__sass_inst_executed_op_ldgsts.sum"] |c| c.shared.copies.instructions, Exact, false;
    ["smsp__sass_inst_executed_op_shared_gmma.sum"] |c| c.shared.wgmma.instructions, Exact, false;
    ["sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum"]
        |c| c.shared.wgmma.wavefronts, Exact, false;
    ["l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum"] |c| c.transfers.loads.sectors, Exact, false;
    ["l1tex__t_requests_pipe_lsu_mem_dshared_op_ld.sum"]
        |c| c.shared.distributed.loads.requests, Exact, false;
    ["l1tex__t_sectors_pipe_lsu_mem_dshared_op_ld.sum"]
        |c| c.shared.distributed.loads.sectors, Exact, false;
    ["l1tex__t_requests_pipe_lsu_mem_dshared_op_st.sum"]
        |c| c.shared.distributed.stores.requests, Exact, false;
    ["l1tex__t_sectors_pipe_lsu_mem_dshared_op_st.sum"]
        |c| c.shared.distributed.stores.sectors, Exact, false;
    ["l1tex__t_requests_pipe_lsu_mem_dshared_op_redas.sum"]
        |c| c.shared.distributed.reductions.requests, Exact, false;
    ["l1tex__t_sectors_pipe_lsu_mem_dshared_op_redas.sum"]
        |c| c.shared.distributed.reductions.sectors, Exact, false;
    ["l1tex__m_xbar2l1tex_read_sectors_mem_dshared_op_tma_st.sum"] |c| c.transfers.across.sectors, Exact, false;
    ["sass__inst_executed_shared_loads"] |c| c.shared.loads.instructions, Exact, true;
    ["sass__inst_executed_shared_stores"] |c| c.shared.stores.instructions, Exact, true;
    ["smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"] |c| c.shared.all().wavefronts, Exact, true;
    ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"]
        |c| c.shared.copies.wavefronts, Exact, false;
    ["memory_l1_wavefronts_shared"] |c| c.shared.all().wavefronts, Exact, true;
    ["memory_l1_wavefronts_shared_ideal"] |c| c.shared.all().ideal, Exact, true;
    ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]
        |c| c.shared.loads_and_stores().wavefronts, Arbitrated, true;
    ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"]
        |c| c.shared.all().conflicts, Arbitrated, true;
    ["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
     "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"] |c| c.thread_fma, Exact, false;
    ["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] |c| c.thread_fma, Exact, false;
    // The tensor cores' pipe also executes HFMA2, with which compilers set registers to constants.
    ["sm__inst_executed_pipe_tensor_op_hmma.sum"
        - "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"]
        |c| c.tensor.instructions, Exact, false;
}

impl Metric {
    /// The hardware's figure; `None` if the report lacks a part of it.
    pub(super) fn figure(&self, profile: &Profile) -> Option<u64> {
        let sum = |names: &[&str]| {
            names.iter().map(|name| profile.metrics.get(*name)).sum::<Option<u64>>()
        };
        Some(sum(self.names)?.saturating_sub(sum(self.less)?))
    }

    /// The counts for the PTX and for the predicted SASS.
    pub(super) fn simulated(&self, simulated: &Counters) -> (u64, u64) {
        ((self.counter)(&simulated.ptx), (self.counter)(&simulated.sass()))
    }

    /// The least and the most that the count for the SASS may be.
    pub(super) fn range(&self, simulated: &Counters) -> [u64; 2] {
        simulated.range(self.counter)
    }

    /// Every hardware metric in it.
    pub(super) fn parts(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().chain(self.less).copied()
    }

    /// Its name; for a sum, the names without their common prefix.
    pub(super) fn name(&self) -> String {
        let [first, rest @ ..] = self.names else { return String::new() };
        let short = |sign: &'static str| {
            move |name: &&str| {
                let same = first.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
                format!(" {sign} ..{}", &name[name[..same].rfind('_').unwrap_or(0)..])
            }
        };
        let (more, less) = (rest.iter().map(short("+")), self.less.iter().map(short("-")));
        [(*first).to_owned()].into_iter().chain(more).chain(less).collect()
    }

    /// Whether the report has a sum that this metric is a part of, which says more.
    pub(super) fn is_part(&self, profile: &Profile) -> bool {
        self.sums().any(|sum| sum.figure(profile).is_some())
    }

    /// Whether it is a part of a sum in the list.
    pub(super) fn is_part_of_another(&self) -> bool {
        self.sums().next().is_some()
    }

    /// The metrics that this one is a part of.
    fn sums(&self) -> impl Iterator<Item = &Self> {
        METRICS.iter().filter(|other| {
            other.names.len() > self.names.len()
                && self.names.iter().all(|name| other.names.contains(name))
        })
    }
}

/// Prefixes of metrics that cannot be predicted, with the reason.
const OTHERS: &[(&[&str], &str)] = &[
    (
        &["lts__", "lrc__", "dram__", "fbpa__", "l1tex__m_", "l1tex__t_sectors_pipe_lsu_lookup"],
        "cache level: matviz counts what warps ask of L1 and simulates no caches",
    ),
    (
        &["gpu__time", "gpc__", "sm__cycles", "smsp__cycles", "sys__", "l1tex__cycles"],
        "time: a simulation of PTX has none",
    ),
    (
        &["smsp__inst_", "sm__inst_", "sass__inst_executed_per", "smsp__sass_inst_executed.sum"],
        "machine instructions: they cannot be predicted from PTX (1.03 to 1.31 times were seen)",
    ),
];

/// The number of unknown metrics to name.
const NAMED: usize = 8;

/// (reason, number of metrics) for the metrics of a report that are not simulated.
pub(super) fn others(profile: &Profile) -> Vec<(String, usize)> {
    let held = |name: &str| METRICS.iter().any(|metric| metric.parts().any(|part| part == name));
    let all = profile.metrics.keys().chain(&profile.fractions);
    let mut left: Vec<_> = all.filter(|name| !held(name)).collect();
    let mut found = Vec::new();
    for (starts, reason) in OTHERS {
        let all = left.len();
        left.retain(|name| !starts.iter().any(|start| name.starts_with(start)));
        found.push(((*reason).to_owned(), all - left.len()));
    }
    // A metric has a chip unit in its name; other columns say who ran where. A counter's average
    // over the chip is not a separate counter.
    let counter = |name: &'_ String| name.split('.').next().unwrap_or_default().to_owned();
    let left: BTreeSet<_> = left.into_iter().map(counter).collect();
    let known = |name: &String| held(&format!("{name}.sum")) || !name.contains("__");
    let left: Vec<_> = left.into_iter().filter(|name| !known(name)).collect();
    let more = if left.len() > NAMED { ", .." } else { "" };
    let named = &left[..left.len().min(NAMED)];
    found.push((format!("not known here: {}{more}", named.join(", ")), left.len()));
    found.retain(|(_, count)| *count > 0);
    found
}
