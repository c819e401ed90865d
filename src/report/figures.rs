//! The single list of the figures that a simulation counts, with their names in JSON and in text.

use super::number::grouped;
use crate::analysis::counters::Passes;
use crate::analysis::{Counters, Counts};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its name in JSON.
    pub key: &'static str,
    shown: FigureLabel,
    pub count: fn(&Counts) -> u64,
    /// Whether it can be predicted for SASS.
    in_sass: bool,
}

/// The label of a figure in text.
#[derive(Clone, Copy, Debug)]
enum FigureLabel {
    Always(&'static str),
    /// Shown only if it is not 0, since few kernels have it; below the figures that are always
    /// shown, in this order.
    Rarely(u8, &'static str),
    /// Only in JSON.
    Never,
}
use FigureLabel::{Always, Never, Rarely};

const fn figure(key: &'static str, shown: FigureLabel, count: fn(&Counts) -> u64) -> Figure {
    Figure { key, shown, count, in_sass: true }
}

/// All figures, in the order of the JSON.
#[rustfmt::skip]
pub const FIGURES: &[Figure] = &[
    figure("global_load_requests", Always("global load requests"), |c| c.global.loads.requests),
    figure("global_load_sectors", Always("global load sectors"), |c| c.global.loads.sectors),
    figure("global_store_requests", Always("global store requests"), |c| c.global.stores.requests),
    figure("global_store_sectors", Always("global store sectors"), |c| c.global.stores.sectors),
    figure("global_atomic_requests", Never, |c| c.global.atomics.requests),
    figure("global_atomic_sectors", Never, |c| c.global.atomics.sectors),
    figure("shared_load_instructions", Always("shared load instructions"), |c| c.shared.loads.instructions),
    figure("shared_store_instructions", Always("shared store instructions"), |c| c.shared.stores.instructions),
    figure("matrix_load_instructions", Rarely(0, "matrix load instructions"), |c| c.shared.matrix_loads.instructions),
    figure("matrix_store_instructions", Rarely(1, "matrix store instructions"), |c| c.shared.matrix_stores.instructions),
    figure("shared_atomic_instructions", Rarely(2, "shared atomic instructions"), |c| c.shared.atomics.instructions),
    figure("shared_atomics_at_least", Rarely(4, "  those that may take more"), |c| c.shared.atomics_at_least),
    figure("shared_wavefronts", Always("shared wavefronts"), |c| c.shared.all().wavefronts),
    figure("shared_wavefronts_ideal", Always("  of these ideal"), |c| c.shared.all().ideal),
    figure("shared_bank_conflicts", Always("shared bank conflicts"), |c| c.shared.all().conflicts),
    figure("shared_atomic_wavefronts", Rarely(3, "  their shared wavefronts"), |c| c.shared.atomics.wavefronts),
    figure("shared_atomic_wavefronts_ideal", Never, |c| c.shared.atomics.ideal),
    figure("async_copy_instructions", Rarely(5, "asynchronous copies of a warp"), |c| c.shared.copies.instructions),
    figure("async_copy_wavefronts", Rarely(6, "  their shared wavefronts"), |c| c.shared.copies.wavefronts),
    figure("async_copy_wavefronts_ideal", Never, |c| c.shared.copies.ideal),
    figure("async_copies_uncertain", Rarely(7, "  copies whose passes are uncertain"), |c| c.shared.copies_uncertain),
    figure("wgmma_instructions", Rarely(11, "  those that load from shared memory"), |c| c.shared.wgmma.instructions),
    figure("wgmma_wavefronts", Rarely(12, "  wavefronts of these loads"), |c| c.shared.wgmma.wavefronts),
    figure("barriers", Always("barrier arrivals of a warp"), |c| c.barriers),
    Figure { in_sass: false, ..figure("warp_instructions", Always("warp instructions"), |c| c.warp_instructions) },
    figure("thread_fma", Always("thread FMAs"), |c| c.thread_fma),
    figure("thread_half_fma", Rarely(8, "thread FMAs of halves"), |c| c.thread_half_fma),
    figure("tensor_instructions", Rarely(9, "tensor core instructions"), |c| c.tensor.instructions),
    figure("tensor_multiply_adds", Rarely(10, "  their FMAs"), |c| c.tensor.multiply_adds),
    figure("bulk_load_copies", Rarely(13, "bulk copies to shared memory"), |c| c.transfers.loads.copies),
    figure("bulk_load_sectors", Rarely(14, "  their global sectors"), |c| c.transfers.loads.sectors),
    figure("bulk_store_copies", Rarely(15, "bulk copies to global memory"), |c| c.transfers.stores.copies),
    figure("bulk_store_sectors", Rarely(16, "  their global sectors"), |c| c.transfers.stores.sectors),
    figure("bulk_cluster_copies", Rarely(17, "bulk copies to other blocks"), |c| c.transfers.across.copies),
    figure("bulk_cluster_sectors", Rarely(18, "  their sectors"), |c| c.transfers.across.sectors),
    figure("cluster_load_requests", Rarely(19, "loads from other blocks"), |c| c.shared.distributed.loads.requests),
    figure("cluster_load_sectors", Rarely(20, "  their sectors"), |c| c.shared.distributed.loads.sectors),
    figure("cluster_store_requests", Rarely(21, "stores to other blocks"), |c| c.shared.distributed.stores.requests),
    figure("cluster_store_sectors", Rarely(22, "  their sectors"), |c| c.shared.distributed.stores.sectors),
    figure("cluster_atomic_requests", Rarely(23, "atomics in other blocks"), |c| c.shared.distributed.atomics.requests),
    figure("cluster_atomic_sectors", Rarely(24, "  their sectors"), |c| c.shared.distributed.atomics.sectors),
    figure("cluster_reduction_requests", Rarely(25, "red.async to other blocks"), |c| c.shared.distributed.reductions.requests),
    figure("cluster_reduction_sectors", Rarely(26, "  their sectors"), |c| c.shared.distributed.reductions.sectors),
];

/// A figure as a line of text.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub label: &'static str,
    /// The count for the PTX.
    pub ptx: u64,
    /// The predicted count for SASS, if known.
    pub sass: Option<Sass>,
}

/// A predicted count: the least and the most that it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sass([u64; 2]);

impl Sass {
    /// Whether it is exactly this count.
    pub fn is(self, count: u64) -> bool {
        self.0 == [count; 2]
    }
}

impl fmt::Display for Sass {
    /// `196,608`, or `49,152-196,608` where it is uncertain.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([least, most]) = self;
        f.write_str(&grouped(*least))?;
        if least < most { write!(f, "-{}", grouped(*most)) } else { Ok(()) }
    }
}

/// The figures for a text; those of rarely used instructions are left out if they are 0.
pub fn rows(counters: &Counters) -> Vec<Row> {
    let row = |figure: &Figure| {
        let (ptx, sass) = ((figure.count)(&counters.ptx), Sass(counters.range(figure.count)));
        let (rank, label, sass) = match figure.shown {
            Always(label) => (None, label, Some(sass)),
            Rarely(rank, label) => {
                (Some(rank), label, Some(sass).filter(|Sass([_, most])| *most > 0))
            }
            Never => return None,
        };
        let sass = sass.filter(|_| figure.in_sass);
        (rank.is_none() || ptx > 0).then_some((rank, Row { label, ptx, sass }))
    };
    let mut rows: Vec<_> = FIGURES.iter().filter_map(row).collect();
    rows.sort_by_key(|(rank, _)| *rank);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Where Nsight Compute's ideal and the bank conflicts do not add up to the wavefronts, in the PTX or
/// in the SASS: what each of them is.
pub(super) fn note(counters: &Counters) -> String {
    let apart = |counts: &Counts| {
        let Passes { wavefronts, ideal, conflicts, .. } = counts.shared.loads_and_stores();
        wavefronts != ideal + conflicts
    };
    let turns = |counts: &Counts| {
        let Passes { wavefronts, ideal, .. } = counts.shared.atomics;
        wavefronts > ideal
    };
    let both = [counters.ptx, counters.sass()];
    let apart = both.iter().any(apart).then_some(APART);
    let turns = both.iter().any(turns).then_some(TURNS);
    apart.into_iter().chain(turns).collect()
}

const APART: &str =
    "  Ideal is Nsight Compute's figure: a wavefront for each 128 bytes that lanes ask for. A bank
  conflict is a wavefront beyond the first of a group of lanes: 32 lanes of 4 bytes, 16 of 8, 8 of
  16. Where neighbouring lanes share addresses, a group of a load of 8 or 16 bytes is twice as
  large, so that such a load can take fewer wavefronts than ideal.
";

const TURNS: &str =
    "  Bank conflicts are those of loads and stores. Lanes of an atomic operation that meet in a bank
  take turns, also at one word: that is in the wavefronts of atomics.
";

/// The counts for the PTX, as JSON.
pub(super) fn ptx<S: Serializer>(counters: &Counters, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(FIGURES.iter().map(|figure| (figure.key, (figure.count)(&counters.ptx))))
}

pub(super) fn is_certain(counters: &Counters) -> bool {
    let is = |[least, most]: [u64; 2]| least == most;
    FIGURES.iter().all(|figure| is(counters.range(figure.count)))
}

/// The range of each uncertain count of the SASS as JSON, sorted by name.
pub(super) fn uncertain<S: Serializer>(counters: &Counters, to: S) -> Result<S::Ok, S::Error> {
    let range = |figure: &Figure| (figure.key, counters.range(figure.count));
    let all: BTreeMap<_, _> = FIGURES.iter().filter(|figure| figure.in_sass).map(range).collect();
    to.collect_map(all.into_iter().filter(|(_, [least, most])| least != most))
}

/// The counts for the predicted SASS as JSON, sorted by name; null if not known, or not certain.
pub(super) fn sass<S: Serializer>(counters: &Counters, to: S) -> Result<S::Ok, S::Error> {
    let count = |figure: &Figure| {
        let [least, most] = counters.range(figure.count);
        Some(most).filter(|_| figure.in_sass && least == most)
    };
    let all: BTreeMap<_, _> = FIGURES.iter().map(|figure| (figure.key, count(figure))).collect();
    all.serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_stands_where_ideal_and_conflicts_do_not_add_up() {
        let of = |wavefronts, ideal, conflicts| {
            let mut counters = Counters::default();
            let loads = &mut counters.ptx.shared.loads;
            (loads.wavefronts, loads.ideal, loads.conflicts) = (wavefronts, ideal, conflicts);
            counters.sass_shared = counters.ptx.shared;
            note(&counters)
        };
        let mut taking_turns = Counters::default();
        let atomics = &mut taking_turns.ptx.shared.atomics;
        (atomics.wavefronts, atomics.ideal) = (8, 1);
        assert_eq!(note(&taking_turns), TURNS);
        assert_eq!([of(2, 1, 1), of(4, 4, 0), of(0, 0, 0)].concat(), "");
        // Two rows of doubles in the same banks; a wide load of few lanes.
        assert_eq!([of(2, 2, 1), of(2, 1, 0)], [APART, APART]);
    }
}
