//! The cost of a step in four numbers.

use super::picture::{self, ASCII, RICH};
use insta::assert_snapshot;
use matviz::analysis::Counters;
use matviz::analysis::banks::Wavefronts;
use matviz::analysis::coalesce::Sectors;
use matviz::tui::facts::{ExecutedSass, reuse_of};
use matviz::tui::theme::Look;
use matviz::tui::widget::cost::*;

/// An access that is executed as written.
static WRITTEN: ExecutedSass =
    ExecutedSass { instead: None, words: Vec::new(), with: None, doubt: Vec::new() };

fn good(look: Look) -> CostPanel<'static> {
    let global = Sectors { requests: 1, sectors: 4, lines: 2, asked: 128, distinct: 128 };
    let shared = Wavefronts { wavefronts: 1, conflicts: 0, ways: 1, groups: 1, ideal: 1 };
    let tally = WarpTally { memory: 1, waiting: 7, fma: 0, warps: 8 };
    CostPanel {
        global: Some(global),
        shared: Some(shared),
        has_shared: true,
        becomes: &WRITTEN,
        reuse: Some(16.0),
        multiplies: "FMA",
        works: true,
        tally,
        look,
    }
}

#[test]
fn costs_are_words_with_a_mark() {
    assert_snapshot!(picture::text(good(ASCII), 20, 6), @"
    ok sectors  4 100%
    ok reuse   16x
    ok banks    1 pass
    SASS: as written
    load/store 1 wait 7
    FMA 0 of 8 warps
    ");
    assert_snapshot!(picture::text(good(RICH), 24, 7), @"
    ● sectors  4, 100% used
    ● reuse   16x
    ● banks    1 pass
    SASS: as written
    load/store 1 wait 7
    FMA 0 of 8 warps
    ");
}

#[test]
fn passes_say_what_is_executed_instead() {
    let words = ["4 x ld.shared.f32 -> 1 x LDS.128", "4 x ld -> 1 x LDS.128"];
    let words = words.map(str::to_owned).to_vec();
    let joined = ExecutedSass { words, ..ExecutedSass::default() };
    assert_snapshot!(picture::text(CostPanel { becomes: &joined, ..good(ASCII) }, 21, 6), @"
    ok sectors  4 100%
    ok reuse   16x
    ok banks    1 pass
    4 x ld -> 1 x LDS.128
    load/store 1 wait 7
    FMA 0 of 8 warps
    ");
    let doubt = vec!["SASS? may be unrolled".to_owned()];
    let doubted = ExecutedSass { doubt, ..ExecutedSass::default() };
    assert_snapshot!(picture::text(CostPanel { becomes: &doubted, ..good(ASCII) }, 21, 6), @"
    ok sectors  4 100%
    ok reuse   16x
    ok banks    1 pass
    SASS: unknown
    load/store 1 wait 7
    FMA 0 of 8 warps
    ");
}

#[test]
fn what_is_bad_has_another_mark() {
    let global = Sectors { sectors: 32, distinct: 128, asked: 128, ..Sectors::default() };
    let shared = Wavefronts { wavefronts: 16, conflicts: 15, ways: 16, groups: 1, ideal: 1 };
    let bad =
        CostPanel { global: Some(global), shared: Some(shared), reuse: Some(0.5), ..good(RICH) };
    assert_snapshot!(picture::text(bad, 25, 5), @"
    ▲ sectors 32, 12.5% used
    ○ reuse   0.5x
    ▲ banks   16 passes
    load/store 1 wait 7
    FMA 0 of 8 warps
    ");
    let none = CostPanel { global: None, shared: None, reuse: None, ..good(ASCII) };
    assert_snapshot!(picture::text(none, 20, 6), @"
    -- sectors none yet
    -- reuse   none yet
    -- banks   none yet

    load/store 1 wait 7
    FMA 0 of 8 warps
    ");
    let tally = WarpTally { warps: 1, ..none.tally };
    let without = picture::text(CostPanel { has_shared: false, tally, ..none }, 20, 6);
    assert!(without.contains("no shared memory"), "{without}");
    assert!(without.ends_with("of 1 warp"), "{without}");
}

#[test]
fn reuse_is_operands_per_word_fetched() {
    // A warp of naive at one k: 2 sectors of A, 2 of B, 32 fused multiply-adds.
    let mut naive = Counters::default();
    naive.ptx.global.loads.sectors = 4;
    assert_eq!(reuse_of(&naive, 32), Some(2.0));
    assert_eq!(reuse_of(&Counters::default(), 0), None);
}

#[test]
fn every_size_survives() {
    picture::survives(good);
}
