//! Measured times by size: a line for each kernel, or a band.

use super::picture::{self, ASCII};
use insta::assert_snapshot;
use matviz::tui::widget::measured::*;

const FAST: [(u32, f64); 3] = [(64, 90.0), (512, 9_000.0), (4096, 50_000.0)];
const SLOW: [(u32, f64); 3] = [(64, 90.0), (512, 2_000.0), (4096, 5_000.0)];
const SAME: [(u32, f64); 3] = [(64, 40.0), (512, 1_500.0), (4096, 5_100.0)];

fn series() -> [SweepSeries<'static>; 3] {
    let of = |name, points, rank| SweepSeries { name, points, rank };
    [
        of("naive", &SLOW, SeriesRank::Beside),
        of("tiled", &SAME, SeriesRank::Current),
        of("sgemm", &FAST, SeriesRank::Beside),
    ]
}

#[test]
fn a_name_stands_at_the_end_of_each_line_and_others_are_a_band() {
    let mut series = series();
    let shown =
        |series: &[SweepSeries<'_>]| picture::text(Sweep { series, at: None, look: ASCII }, 60, 12);
    assert_snapshot!(shown(&series), @"
    GFLOP/s over N
    50,000                                        .----- sgemm
                                        .---------'
    10,000                      .-------'
                            .---'           .--.-------o tiled
                         .--'  .-o-------------'         naive
     1,000           .---.--.----'
                 .--.---.---'
             ..----.----'
           ---.----'
        40 o--'
          64                    512                  4096
    ");
    series[2].rank = SeriesRank::Other;
    series[0].rank = SeriesRank::Other;
    assert_snapshot!(shown(&series), @"
    GFLOP/s over N, grey: 2 other kernels
    50,000                                        ::::::
                                        ::::::::::::::::
    10,000                      ::::::::::::::::::::::::
                            :::::::::::::::::::.-------o tiled
                         ::::::::o-------------'
     1,000           :::::::.----'
                 :::::::.---'
             ::::::.----'
           :::.----'
        40 o--'
          64                    512                  4096
    ");
    picture::survives(|look| Sweep { series: &series, at: Some(512), look });
}
