//! Pictures of accesses as a terminal shows them.

use super::super::{answer, report};
use super::*;
use crate::launch::Dim3;
use crate::report::access::{IndexExpr, Pattern};
use insta::assert_snapshot;

const SHARED: Pattern = Pattern {
    space: Space::Shared,
    direction: Direction::Load,
    bytes: 4,
    block: Dim3::flat(32, 8),
    at: Dim3::new(0, 0, 0),
};
const GLOBAL: Pattern = Pattern { space: Space::Global, ..SHARED };

fn with<T>(pattern: &Pattern, expression: &str, draw: impl Fn(&Calculation<'_>) -> T) -> T {
    let accesses = pattern.accesses(&IndexExpr::parse(expression).unwrap()).unwrap();
    let warps: Vec<_> = (0..).zip(accesses).collect();
    draw(&Calculation { expression, pattern, warps: &warps })
}

fn ascii(pattern: &Pattern, expression: &str) -> String {
    with(pattern, expression, |calculation| picture(calculation, Style::default()))
}

#[test]
fn a_padded_row_and_a_padded_column_have_no_conflict() {
    assert_snapshot!(ascii(&SHARED, "ty*33 + tx"), @"
    shared load, 4 bytes per lane, block 32 x 8: ty*33 + tx

    warps 0-7: the same picture (lanes of warp 0)
      pass 1  0## 2## 4## 6## 8##10##12##14##16##18##20##22##24##26##28##30##
      bank    0       4       8      12      16      20      24      28    31
      ok 1 pass: no bank has to serve two words

    a number is a lane, ## a lane without room for it;  . no lane
    8 warps: 8 passes, of which 0 by bank conflicts
    ");
    let column = ascii(&SHARED, "tx*33 + ty");
    assert!(column.contains("ok 1 pass: no bank has to serve two words"), "{column}");
}

#[test]
fn a_column_is_a_tower_of_all_its_passes() {
    assert_snapshot!(ascii(&Pattern { block: Dim3::flat(32, 1), ..SHARED }, "tx*32"), @"
    shared load, 4 bytes per lane, block 32 x 1: tx*32

    warp 0
      pass 32 31
      pass 31 30
      pass 30 29
      pass 29 28
      pass 28 27
      pass 27 26
      pass 26 25
      pass 25 24
      pass 24 23
      pass 23 22
      pass 22 21
      pass 21 20
      pass 20 19
      pass 19 18
      pass 18 17
      pass 17 16
      pass 16 15
      pass 15 14
      pass 14 13
      pass 13 12
      pass 12 11
      pass 11 10
      pass 10  9
      pass 9   8
      pass 8   7
      pass 7   6
      pass 6   5
      pass 5   4
      pass 4   3
      pass 3   2
      pass 2   1
      pass 1   0 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .
      bank     0       4       8      12      16      20      24      28    31
      !! 32-way bank conflict: 32 passes instead of 1

    a number is a lane, ## a lane without room for it;  . no lane
    1 warp: 32 passes, of which 31 by bank conflicts
    ");
}

#[test]
fn lanes_of_one_word_are_counted() {
    assert_snapshot!(ascii(&Pattern { block: Dim3::flat(16, 4), ..SHARED }, "tx < 2 ? ty*16 : tx*16 + ty"), @"
    shared load, 4 bytes per lane, block 16 x 4: tx < 2 ? ty*16 : tx*16 + ty

    warp 0
      pass 8 14                              16
      pass 7 12##                            15##
      pass 6 10##                            13##
      pass 5  8##                            11##
      pass 4  6##                             9##
      pass 3  4##                             7##
      pass 2  2##                             5##
      pass 1 0+## . . . . . . . . . . . . . . 3## . . . . . . . . . . . . . .
      bank    0       4       8      12      16      20      24      28    31
      !! 8-way bank conflict: 8 passes instead of 1

    warp 1
      pass 7     14##                            15##
      pass 6     12##                            13##
      pass 5     10##                            11##
      pass 4      8##                             9##
      pass 3      6##                             7##
      pass 2      4##                             5##
      pass 1 0+ . 2## . . . . . . . . . . . .16 . 3## . . . . . . . . . . . .
      bank    0       4       8      12      16      20      24      28    31
      !! 7-way bank conflict: 7 passes instead of 1

    a number is a lane, ## a lane without room for it;  . no lane
    2 warps: 15 passes, of which 13 by bank conflicts
    ");
}

#[test]
fn a_wide_load_shows_its_groups() {
    assert_snapshot!(ascii(&Pattern { bytes: 16, block: Dim3::flat(20, 1), ..SHARED }, "tx"), @"
    shared load, 16 bytes per lane, block 20 x 1: tx

    warp 0, 20 of 32 lanes
      pass 3 ##### 16##### 17##### 18##### 19
      pass 2 ###### 8###### 9##### 10##### 11##### 12##### 13##### 14##### 15
      pass 1 ###### 0###### 1###### 2###### 3###### 4###### 5###### 6###### 7
      bank    0       4       8      12      16      20      24      28    31
      ok 3 passes: the least for 16 bytes a lane, no bank conflict
         16 bytes a lane: a quarter of the warp a pass

    a number is a lane, ## a lane without room for it;  . no lane
    1 warp: 3 passes, of which 0 by bank conflicts
    ");
}

#[test]
fn global_rows_are_lines_and_equal_warps_are_folded() {
    assert_snapshot!(ascii(&GLOBAL, "ty*1024 + tx"), @"
    global load, 4 bytes per lane, block 32 x 8: ty*1024 + tx

    warps 0-7: the same picture (addresses of warp 0)
      0x0000  0## 2## 4## 6##  8##10##12##14## 16##18##20##22## 24##26##28##30##
      ok 4 sectors: 128 B fetched, all of it used

    a number is a lane, ## a lane without room for it; -- fetched, not used
    8 warps: 8 requests, 32 sectors, 1024 B fetched, 1024 B asked for: 100 %
    ");
    assert_snapshot!(ascii(&Pattern { block: Dim3::flat(64, 1), ..GLOBAL }, "tx < 32 ? tx*3 : 7"), @"
    global load, 4 bytes per lane, block 64 x 1: tx < 32 ? tx*3 : 7

    warp 0
      0x0000  0---- 1---- 2-- -- 3---- 4---- 5 ---- 6---- 7----  8---- 9----10--
      0x0080 --11----12----13 ----14----15---- 16----17----18-- --19----20----21
      0x0100 ----22----23---- 24----25----26-- --27----28----29 ----30----31----
      !! 12 sectors, 4 would do: 384 B fetched, 128 B used: 33.3 %

    warp 1
      0x0000 --------------0+
      -- 1 sector: 32 B fetched, 4 B of it used, by 32 lanes at once

    a number is a lane, ## a lane without room for it; -- fetched, not used
    2 warps: 2 requests, 13 sectors, 416 B fetched, 256 B asked for: 61.5 %
    ");
}

#[test]
fn a_column_of_global_memory_wastes_most_of_what_it_fetches() {
    let text = ascii(&Pattern { block: Dim3::flat(32, 1), ..GLOBAL }, "tx*1024");
    assert_eq!(text.matches("--------------\n").count(), 32, "{text}");
    let verdict = "  !! 32 sectors, 4 would do: 1024 B fetched, 128 B used: 12.5 %\n";
    assert!(text.contains(verdict), "{text}");
}

#[test]
fn colours_only_add_to_the_glyphs() {
    let pattern = Pattern { block: Dim3::flat(32, 1), ..GLOBAL };
    for glyphs in [PictureGlyphs::Ascii, PictureGlyphs::Unicode] {
        let draw =
            |ink| with(&pattern, "tx*3", |calculation| picture(calculation, Style { ink, glyphs }));
        let mut coloured = draw(Ink::Ansi);
        assert!(coloured.contains("\x1b[36m"));
        for code in ["\x1b[36m", "\x1b[31m", "\x1b[32m", "\x1b[0m"] {
            coloured = coloured.replace(code, "");
        }
        assert_eq!(coloured, draw(Ink::Plain));
        assert_eq!(coloured.is_ascii(), glyphs == PictureGlyphs::Ascii);
    }
}

#[test]
fn no_row_is_wider_than_the_smallest_screen() {
    for expression in ["tx*1000003", "tx", "(tx*7 + ty*13) % 64"] {
        for pattern in [SHARED, GLOBAL] {
            for line in ascii(&Pattern { bytes: 16, ..pattern }, expression).lines() {
                assert!(line.len() <= 80, "{line}");
            }
        }
    }
}

fn json(calculation: &Calculation<'_>) -> serde_json::Result<String> {
    serde_json::to_string(&report(calculation))
}

#[test]
fn the_json_of_a_warp_is_a_line_of_a_batch() {
    for (pattern, expected) in [
        (SHARED, r#"{"format":1,"wavefronts":4,"conflicts":3}"#),
        (GLOBAL, r#"{"format":1,"requests":1,"sectors":16}"#),
    ] {
        let text = with(&pattern, "tx*4", json).unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        for warp in report["warps"].as_array().unwrap() {
            let answer = answer(&warp.to_string(), 1).unwrap();
            assert_eq!(answer, expected);
        }
    }
}

#[test]
fn the_json_has_the_costs_and_their_sum() {
    let pattern = Pattern { block: Dim3::flat(33, 1), ..GLOBAL };
    let report = with(&pattern, "tx*4", json).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let fields = |value: &serde_json::Value| {
        ["requests", "sectors", "bytes_asked", "bytes_used", "bytes_fetched", "efficiency"]
            .map(|name| value[name].as_f64())
    };
    assert_eq!(fields(&report["warps"][1]), [1.0, 1.0, 4.0, 4.0, 32.0, 0.125].map(Some));
    assert_eq!(fields(&report["total"]), [2.0, 17.0, 132.0, 132.0, 544.0, 132.0 / 544.0].map(Some));
    assert_eq!(report["warps"][1]["mask"], "0x00000001");
}
