//! Snapshot tests of the Measured panel at several sizes and in several looks.

use super::picture::{self, ASCII, MONO, RICH};
use insta::assert_snapshot;
use matviz::kernel::Tile;
use matviz::matrix::Size;
use matviz::stats::Quartiles;
use matviz::timing::pack::Freshness;
use matviz::timing::{Measurement, Reference, Telemetry};
use matviz::tui::measurements::{MeasureStatus, MeasuredWhen};
use matviz::tui::theme::Look;
use matviz::tui::widget::measured::*;
use std::sync::LazyLock;

static RECORDED: LazyLock<MeasuredWhen> =
    LazyLock::new(|| recorded("2026-11-21", Freshness::Fresh));

pub(super) fn recorded(date: &str, freshness: Freshness) -> MeasuredWhen {
    MeasuredWhen::Recorded(format!("recorded on NVIDIA H200, {date}"), freshness)
}

pub(super) fn measurement(kernel: &str, tile: Option<u32>, median: f64) -> Measurement {
    let size = Size::square(1024);
    Measurement {
        device: "NVIDIA H200".to_owned(),
        kernel: kernel.to_owned(),
        ptx_sha256: None,
        compiled_by: None,
        size,
        tile: tile.map(Tile::square),
        ms: Quartiles { median, q1: median * 0.99, q3: median * 1.02, samples: 40 },
        gflops: size.flops() / median / 1e6,
        relative_error: Some(2.1e-7),
        tolerance: 1e-5,
        reference: Reference::Cublas,
        c_sha256: String::new(),
        beside: Telemetry::default(),
    }
}

fn measurements() -> [Measurement; 3] {
    [
        measurement("naive", Some(16), 0.42),
        measurement("tiled", Some(16), 0.27),
        measurement("cublas", None, 0.0645),
    ]
}

fn rows<'a>(measured: &'a [Measurement; 3], origin: &'a MeasuredWhen) -> [Row<'a>; 3] {
    let name = ["naive 16", "tiled 16", "cuBLAS"];
    let rows = [0, 1, 2];
    rows.map(|i| {
        let (current, landmark) = (i == 1, i == 0);
        Row { name: name[i], measurement: &measured[i], origin, current, runs: None, landmark }
    })
}

fn panel<'a>(rows: &'a [Row<'a>], look: Look) -> MeasuredPanel<'a> {
    let size = Size::square(1024);
    let (status, sweep, limit) = (&MeasureStatus::Idle, &[][..], &[][..]);
    MeasuredPanel { rows, size, too_small: None, limit, status, sweep, counters: None, look }
}

#[test]
fn bars_compare_and_the_origin_is_named() {
    let measured = measurements();
    let rows = rows(&measured, &RECORDED);
    assert_snapshot!(picture::text(panel(&rows, RICH), 37, 6), @"
     naive 16 ███▏                   5113
    ►tiled 16 ████▊                  7954
     cuBLAS   ████████████████████  33294

     tiled: 1.56x the speed of naive
     recorded on NVIDIA H200, 2026-11-21
    ");
    assert_snapshot!(picture::text(panel(&rows, ASCII), 19, 9), @"
     naive 16      5113
    >tiled 16      7954
     cuBLAS       33294

     1.56x naive
     recorded on NVIDIA
     H200, 2026-11-21
    ");
    assert_snapshot!(picture::text(panel(&rows, MONO), 60, 4), @"
     naive 16 ████▉                              0.420 ms   5113
    ►tiled 16 ███████▋                           0.270 ms   7954
     cuBLAS   ████████████████████████████████  0.0645 ms  33294
     tiled 16: 1.56x the speed of naive 16
    ");
}

#[test]
fn a_name_never_touches_its_figure() {
    let measured = [
        measurement("naive", Some(16), 0.42),
        measurement("blocked_2d", Some(128), 0.1),
        measurement("double_buffered", Some(128), 0.05),
    ];
    let name = ["naive 16", "blocked_2d 128", "double_buffered 128"];
    let rows = [0, 1, 2].map(|i| {
        let (current, landmark) = (i == 2, i == 0);
        Row {
            name: name[i],
            measurement: &measured[i],
            origin: &RECORDED,
            current,
            runs: None,
            landmark,
        }
    });
    assert_snapshot!(picture::text(panel(&rows[..2], ASCII), 21, 2), @"
    naive 16        5113
    recorded on NVIDIA
    ");
    assert_snapshot!(picture::text(panel(&rows[..2], ASCII), 19, 2), @"
    naive         5113
    recorded on NVIDIA
    ");
    assert_snapshot!(picture::text(panel(&rows, ASCII), 19, 4), @"
     naive         5113
     blocked_2d   21475
    >double_buf.. 42950
     8.40x naive
    ");
}

#[test]
fn halves_have_a_scale_and_a_comparison_of_their_own() {
    let measured = [
        measurement("naive", Some(16), 0.42),
        measurement("cublas", None, 0.0645),
        measurement("half_plain", Some(16), 0.05),
        measurement("half_tensor", Some(16), 0.01),
        measurement("cublas half", None, 0.005),
    ];
    let name = ["naive 16", "cuBLAS", "half_plain 16", "half_tensor 16", "cuBLAS half"];
    let rows = |now| {
        [0, 1, 2, 3, 4].map(|i| {
            let (current, landmark) = (i == now, i == 0 || i == 2);
            let origin = &*RECORDED;
            Row { name: name[i], measurement: &measured[i], origin, current, runs: None, landmark }
        })
    };
    let shown = |now| picture::text(panel(&rows(now), ASCII), 60, 7);
    assert_snapshot!(shown(3), @"
     naive 16       ====                         0.420 ms   5113
     cuBLAS         ==========================  0.0645 ms  33294
     halves, bars on a scale of their own
     half_plain 16  ==                          0.0500 ms  42950
    >half_tensor 16 =============               0.0100 ms 214748
     cuBLAS half    ==========================  0.0050 ms 429497
     half_tensor 16: 5.00x the speed of half_plain 16
    ");
    assert!(shown(0).contains(" cuBLAS: 6.51x the speed of naive 16"), "{}", shown(0));
    let small = picture::text(panel(&rows(0), ASCII), 21, 8);
    assert!(small.contains(" cuBLAS: 6.51x naive\n"), "{small}");
}

#[test]
fn rows_of_two_origins_name_both() {
    let measured = measurements();
    let mut rows = rows(&measured, &RECORDED);
    let stale = recorded("2026-11-20", Freshness::Stale);
    (rows[0].origin, rows[2].origin) = (&MeasuredWhen::Now, &stale);
    assert_snapshot!(picture::text(panel(&rows, ASCII), 50, 8), @"
     naive 16  ===                     0.420 ms   5113
    >tiled 16* =====                   0.270 ms   7954
     cuBLAS**  =====================  0.0645 ms  33294
     tiled 16: 1.56x the speed of naive 16
     measured now on NVIDIA H200
     * recorded on NVIDIA H200, 2026-11-21
     ** recorded on NVIDIA H200, 2026-11-20, of an
     older kernel
    ");
}

#[test]
fn figures_for_another_size_say_so() {
    let measured = measurements();
    let rows = rows(&measured, &RECORDED);
    let panel = MeasuredPanel { size: Size::square(700), ..panel(&rows, ASCII) };
    assert_snapshot!(picture::text(panel, 19, 9), @"
     naive 16      5113
    >tiled 16      7954
     cuBLAS       33294

     1.56x naive
     at size 1024
     recorded on NVIDIA
     H200, 2026-11-21
    ");
}

#[test]
fn the_frame_names_the_size_and_the_limit_stands_in_the_panel() {
    let measured = measurements();
    let rows = rows(&measured, &RECORDED);
    let limit =
        ["limit: shared memory, 0.21 of 0.27 ms", "limit: shared memory"].map(str::to_owned);
    let too_small = Some(Size::square(64));
    let panel = MeasuredPanel { limit: &limit, too_small, ..panel(&rows, ASCII) };
    assert_snapshot!(picture::text(panel, 40, 7), @"
     naive 16 ===                       5113
    >tiled 16 =====                     7954
     cuBLAS   =======================  33294
     tiled 16: 1.56x the speed of naive 16
     limit: shared memory, 0.21 of 0.27 ms
     recorded on NVIDIA H200, 2026-11-21
     at 64, only the launch takes time
    ");
    assert!(picture::text(panel, 30, 7).contains("limit: shared memory\n"));
    let head = |room| panel.head(room);
    let told = |title: &str, note: &str| (title.to_owned(), note.to_owned());
    assert_eq!(head(60), told("Recorded at 1024", "more GFLOP/s is faster"));
    assert_eq!(head(39), told("At 1024", "more GFLOP/s is faster"));
    assert_eq!(head(22), told("Recorded at 1024", ""));
}

#[test]
fn progress_errors_and_the_lack_of_a_gpu_are_said_in_place() {
    let measured = measurements();
    let rows = rows(&measured, &RECORDED);
    let running = MeasureStatus::Running("timing tiled 16: sample 12".to_owned());
    let failed = MeasureStatus::Failed("the GPU has no memory left for 8192x8192".to_owned());
    let with = |status| picture::text(MeasuredPanel { status, ..panel(&rows[..1], ASCII) }, 37, 6);
    assert_snapshot!(with(&running), @"
    naive 16 ====================   5113

    timing tiled 16: sample 12
    recorded on NVIDIA H200, 2026-11-21
    ");
    assert_snapshot!(with(&failed), @"
    naive 16 ====================   5113

    !! the GPU has no memory left for
    8192x8192
    recorded on NVIDIA H200, 2026-11-21
    ");
    assert_snapshot!(with(&MeasureStatus::NoGpu), @"
    naive 16 ====================   5113

    recorded on NVIDIA H200, 2026-11-21
    the kernel shown was not measured
    no GPU here
    ");
    let empty = MeasuredPanel { status: &MeasureStatus::NoGpu, ..panel(&[], ASCII) };
    assert_snapshot!(picture::text(empty, 37, 6), @"
no GPU here, and no times recorded
for this size and tile
");
}

#[test]
fn a_large_panel_adds_the_table_and_the_sizes() {
    let measured = measurements();
    let rows = rows(&measured, &MeasuredWhen::Now);
    let naive = [(64, 100.0), (256, 2_100.0), (1024, 5_100.0), (4096, 5_323.0)];
    let tiled = [(64, 90.0), (256, 2_900.0), (1024, 7_900.0), (4096, 8_114.0)];
    let sweep = [
        SweepSeries { name: "naive 16", points: &naive, rank: SeriesRank::Beside },
        SweepSeries { name: "tiled 16", points: &tiled, rank: SeriesRank::Current },
    ];
    let large = MeasuredPanel { sweep: &sweep, ..panel(&rows, RICH) };
    assert_snapshot!(picture::text(large, 80, 24), @"
     naive 16 ████████                                               0.420 ms   5113
    ►tiled 16 ████████████▍                                          0.270 ms   7954
     cuBLAS   ████████████████████████████████████████████████████  0.0645 ms  33294

     tiled 16: 1.56x the speed of naive 16
     measured now on NVIDIA H200

                    median      quartiles, ms  samples   GFLOP/s  rel. error
     naive 16     0.420 ms    0.4158 - 0.4284       40      5113      2.1e-7
     tiled 16     0.270 ms    0.2673 - 0.2754       40      7954      2.1e-7
     cuBLAS      0.0645 ms    0.0639 - 0.0658       40     33294      2.1e-7

     GFLOP/s over N
      8,114                                      ╭───●───────────────────● tiled 16
                                      ╭──────────╯──────────────────────── naive 16
                                ●─────╯────────╯
                             ╭──╯──╯
      1,000               ╭──╯╯
                       ╭──╯╯
                    ╭──╯
                 ╭──╯
             ╭╭──╯
         90 ●─╯
           64                  256                 1024                4096
    ");
    picture::survives(|look| MeasuredPanel { look, ..large });
}

#[test]
fn every_size_survives() {
    let measured = measurements();
    let rows = rows(&measured, &RECORDED);
    picture::survives(|look| panel(&rows, look));
    let long = "a word_that_is_much_longer_than_any_line_of_a_small_panel";
    let failed = MeasureStatus::Failed(long.to_owned());
    picture::survives(|look| MeasuredPanel { status: &failed, ..panel(&[], look) });
}

#[test]
fn the_arrow_is_of_what_runs() {
    let measured = measurements();
    let rows = rows(&measured, &RECORDED);
    let other = rows.map(|row| Row { runs: row.current.then_some(Tile::square(12)), ..row });
    for look in [RICH, ASCII, MONO] {
        let arrow = look.pick("►", ">");
        let text = |rows| picture::text(panel(rows, look), 37, 9);
        assert!(text(&rows).contains(&format!("{arrow}tiled 16")), "{}", text(&rows));
        let told = text(&other);
        assert!(!told.contains(arrow) && told.contains("tile 16 (12 was not measured)"), "{told}");
    }
}
