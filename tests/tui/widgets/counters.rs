//! The hardware's counters beside the simulated ones.

use super::measured::{measurement, recorded};
use super::picture::{self, ASCII};
use insta::assert_snapshot;
use matviz::matrix::Size;
use matviz::report::charts::metrics::MetricPair;
use matviz::timing::pack::Freshness;
use matviz::tui::measurements::MeasureStatus;
use matviz::tui::widget::measured::*;

#[test]
fn counters_stand_below_the_bars_or_beside_them() {
    let measured = measurement("tiled", Some(16), 0.27);
    let origin = &recorded("2026-11-21", Freshness::Fresh);
    let row = Row {
        name: "tiled 16",
        measurement: &measured,
        origin,
        current: true,
        runs: None,
        landmark: true,
    };
    let metric = |label, measured, simulated, predicted| MetricPair {
        label,
        measured,
        simulated,
        predicted,
    };
    let metrics = [
        metric("global loads", 4_194_304.0, Some(4_194_304.0), true),
        metric("shared wavefronts", 54_525_966.0, Some(54_525_952.0), true),
        metric("bank conflicts", 284_000.0, Some(0.0), true),
        metric("barrier arrivals", 12.0, None, true),
        metric("warps at work, %", 90.41, None, false),
    ];
    let rows = [row];
    let panel = |note, refused| MeasuredPanel {
        rows: &rows,
        size: Size::square(1024),
        too_small: None,
        limit: &[],
        status: &MeasureStatus::Idle,
        sweep: &[],
        counters: Some(CountersTable { row, metrics: &metrics, note, refused }),
        look: ASCII,
    };
    assert_snapshot!(picture::text(panel("", ""), 76, 11), @"
    >tiled 16 ================================================   0.270 ms   7954
     recorded on NVIDIA H200, 2026-11-21
     Counters of tiled 16 at 1024, recorded on NVIDIA H200, 2026-11-21
                                measured      simulated  difference
     global loads              4,194,304      4,194,304       equal
     shared wavefronts        54,525,966     54,525,952         +14
     bank conflicts              284,000              0    +284,000
     barrier arrivals                 12            ...
     warps at work, %               90.4  not simulated
     bank conflicts: the hardware adds the passes lost to other warps
    ");
    assert_snapshot!(picture::text(panel("counting tiled", "no counters: refused"), 76, 9), @"
    >tiled 16 ================================================   0.270 ms   7954
     recorded on NVIDIA H200, 2026-11-21
     Counters of tiled 16 at 1024, recorded on NVIDIA H200, 2026-11-21
                                measured      simulated  difference
     global loads              4,194,304      4,194,304       equal
     shared wavefronts        54,525,966     54,525,952         +14
     bank conflicts: the hardware adds the passes lost to other warps
     counting tiled
     no counters: refused
    ");
    assert_snapshot!(picture::text(panel("", ""), 116, 9), @"
    >tiled 16 =======================   0.270 ms   7954   tiled 16 at 1024, recorded on NVIDIA H200, 2026-11-21
     recorded on NVIDIA H200, 2026-11-21                                             measured      simulated  difference
                                                          global loads              4,194,304      4,194,304       equal
                                                          shared wavefronts        54,525,966     54,525,952         +14
                                                          bank conflicts              284,000              0    +284,000
                                                          barrier arrivals                 12            ...
                                                          warps at work, %               90.4  not simulated
                                                          bank conflicts: the hardware adds the passes lost to other
                                                          warps
    ");
}
