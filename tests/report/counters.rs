//! The hardware's counters, as `matviz bench --ladder --counters --record` read them on an H200
//! (driver 580.159.04, CUPTI of CUDA 13.0, 2026-11-21), compared with simulations of the same
//! launches.

use matviz::kernel::{self, Problem};
use matviz::report::counted::{CounterComparison, metrics};
use matviz::study::counts::simulate;
use matviz::timing::Measurement;
use matviz::timing::pack::Pack;
use matviz::work::WorkToken;
use std::borrow::Cow;

fn recorded() -> Pack {
    Pack::read(include_str!("../data/report/counters_h200.json")).expect("a pack")
}

/// The launch of a row; `None` for cuBLAS, for a kernel that cannot be simulated, and for a kernel
/// that has changed since.
fn launch(row: &Measurement) -> Option<Problem> {
    let kernel = kernel::find(&row.kernel)?;
    let variant = kernel.variant(row.tile?).expect("it has this tile");
    let ptx = variant.ptx.expect("embedded");
    let same = row.ptx_sha256.as_deref() == Some(&kernel::sha256(ptx.as_bytes()));
    same.then(|| Problem::of(kernel, variant, row.size, Cow::Borrowed(ptx)))
}

/// A row's counters next to the simulation of its launch, if it has one.
fn beside(pack: &Pack, row: &Measurement) -> CounterComparison {
    let simulated = launch(row).map(|launch| {
        let counters = simulate(&launch, &WorkToken::default())?;
        Ok((launch.launch, counters))
    });
    CounterComparison::of(row, pack.limits.as_ref(), simulated).expect("it was counted")
}

fn counted(pack: &Pack, kernel: &str) -> CounterComparison {
    beside(pack, pack.rows.iter().find(|row| row.kernel == kernel).expect("recorded"))
}

#[test]
fn what_the_hardware_counts_of_every_rung_is_what_is_simulated_or_differs_for_a_known_reason() {
    let pack = recorded();
    let launches: Vec<_> = pack.rows.iter().filter(|row| launch(row).is_some()).collect();
    assert_eq!((pack.rows.len(), launches.len()), (18, 16), "but for two of cuBLAS");
    for row in launches {
        let counted = beside(&pack, row);
        assert!(counted.is_explained(), "{}", counted.text());
    }
}

#[test]
fn a_table_has_both_figures_the_difference_and_its_reason() {
    let pack = recorded();
    insta::assert_snapshot!(counted(&pack, "tiled").text());
    insta::assert_snapshot!(counted(&pack, "cublas").text());
}

#[test]
fn a_count_that_nothing_explains_is_told_as_such() {
    let mut pack = recorded();
    let row = pack.rows.iter_mut().find(|row| row.kernel == "naive").expect("recorded");
    let counters = row.beside.counters.as_mut().expect("counted");
    let sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
    *counters.get_mut(sectors).expect("counted") += 1.0;
    assert!(!counted(&pack, "naive").is_explained());
}

#[test]
fn without_the_hardwares_counters_the_simulated_ones_are_shown() {
    let mut pack = recorded();
    for row in &mut pack.rows {
        row.beside.counters = None;
    }
    insta::assert_snapshot!(counted(&pack, "vectorised").text());
    let cublas = pack.rows.iter().find(|row| row.kernel == "cublas").expect("recorded");
    assert!(CounterComparison::of(cublas, None, None).is_none(), "nothing is known of it");
}

#[test]
fn the_hardware_has_told_nothing_that_is_not_asked_for() {
    let names = metrics();
    for row in recorded().rows {
        let counters = row.beside.counters.expect("counted");
        assert!(counters.len() > 20 && counters.keys().all(|name| names.contains(name)));
    }
}
