//! Two kernels after the same work: their sums, their curve, and the words for it.

use super::picture::{self, ASCII, RICH};
use insta::assert_snapshot;
use matviz::analysis::Counters;
use matviz::trace::RunCost;
use matviz::tui::facts::reuse_of;
use matviz::tui::theme::{Look, Role};
use matviz::tui::widget::compare::*;

/// A naive kernel, which fetches at each step along k, and one that fetches a tile for 16.
fn curves() -> [Vec<RunCost>; 2] {
    let point = |k: u32, sectors, passes| RunCost { fma: 256 * k, sectors, passes };
    let naive = (0..=64).map(|k| point(k, 32 * k, 0)).collect();
    let tiled = (1..=64).map(|k| point(k, 64 * k.div_ceil(16), 24 * k));
    [naive, [RunCost::default()].into_iter().chain(tiled).collect()]
}

fn compare<'a>([naive, tiled]: &'a [Vec<RunCost>; 2], k: usize, look: Look) -> ComparePanel<'a> {
    let side = |name, costs: &'a [RunCost]| {
        let mut totals = Counters::default();
        totals.ptx.thread_fma = 256 * k as u64;
        totals.ptx.global.loads.sectors = costs[k].sectors.into();
        totals.ptx.global.loads.requests = u64::from(costs[k].sectors) / 2;
        totals.ptx.shared.loads.wavefronts = costs[k].passes.into();
        totals.sass_shared = totals.ptx.shared;
        totals.ptx.warp_instructions = 500 * k as u64;
        let reuse = reuse_of(&totals, totals.ptx.thread_fma);
        Side { name, totals, reuse, curve: Curve { costs, per_k: 256.0, blocks: 1.0 } }
    };
    let (left, right) = (side("naive 16x16", naive), side("tiled 16x16", tiled));
    ComparePanel { left, right, k: 64, tile: 16, look }
}

#[test]
fn a_tile_is_a_loan_that_is_paid_back() {
    let curves = curves();
    assert_snapshot!(picture::text(compare(&curves, 12, RICH), 78, 13));
    assert_snapshot!(picture::text(compare(&curves, 12, ASCII), 110, 31));
}

#[test]
fn the_graphs_show_the_loan_and_grow_with_the_work() {
    let curves = curves();
    for (k, range) in [(0, "16 of 64"), (12, "16 of 64"), (16, "32 of 64"), (33, "64")] {
        let text = picture::text(compare(&curves, k, RICH), 78, 13);
        assert!(text.contains(&format!("k = {range}\n")), "k = {k}: {text}");
    }
}

#[test]
fn sums_never_fall_and_each_line_ends_in_its_name() {
    let curves = curves();
    for (k, look) in [0, 12, 17, 64].into_iter().flat_map(|k| [(k, RICH), (k, ASCII)]) {
        let text = picture::text(compare(&curves, k, look), 110, 31);
        assert!(!text.contains('╮') && !text.contains('╰'), "k = {k}: {text}");
        for name in ["naive 16x16", "tiled 16x16"] {
            let ends = text.lines().filter(|line| line.trim_end().ends_with(name));
            assert!(ends.count() >= 2, "{name} in both graphs: {text}");
        }
        // The place shown is on both lines, in the row in which they run.
        let buf = picture::buffer(compare(&curves, k, look), 110, 31);
        let here = look.strong(Role::Here).fg;
        let dots = (2..16).filter(|y| (4..110).any(|x| Some(buf[(x, *y)].fg) == here));
        let rows = if curves[0][k].sectors == curves[1][k].sectors { 1 } else { 2 };
        assert!(dots.count() >= rows, "k = {k}: {text}");
    }
}

#[test]
fn there_is_no_verdict_on_unequal_work() {
    let curves = curves();
    for k in [0, 1, 2, 40] {
        let buf = picture::buffer(compare(&curves, k, RICH), 110, 31);
        let praise = RICH.strong(Role::C).fg;
        assert!(buf.content.iter().all(|cell| Some(cell.fg) != praise), "k = {k}");
        let text = picture::text(compare(&curves, k, RICH), 110, 31);
        assert!(text.contains("tiled 16x16 fetches in advance: more before k = 2"), "{text}");
    }
}

#[test]
fn every_graph_and_row_says_what_is_better() {
    let curves = curves();
    let text = picture::text(compare(&curves, 12, RICH), 110, 31);
    for row in ["sectors requested from L1,", "passes over", "global load", "warp inst", "uses"] {
        let line = text.lines().find(|line| line.contains(row)).expect(row);
        assert!(line.contains("is better"), "{line}");
    }
    assert!(text.contains("384 and 64"), "{text}");
}

#[test]
fn every_size_survives() {
    let (curves, none) = (curves(), [vec![RunCost::default()], vec![RunCost::default()]]);
    picture::survives(|look| compare(&curves, 12, look));
    picture::survives(|look| compare(&none, 0, look));
}
