//! The listing: its current line, its folds, its highlights.

use super::picture::{self, ASCII, RICH};
use insta::assert_snapshot;
use matviz::tui::facts::listing::{InsertedText, InsertionKind, Operands};
use matviz::tui::layout::Language;
use matviz::tui::theme::{Look, Role};
use matviz::tui::widget::source::*;
use ratatui::style::Modifier;

const TEXT: &str = "\
// C = A x B, in part.
__syncthreads();

for (int k = 0; k < TILE; ++k)
    acc += sA[ty][k] * sB[k][tx];

// Nobody may overwrite the tiles before
__syncthreads();
C[row * N + col] = acc;
";

fn source(look: Look) -> SourcePanel<'static> {
    let strip = "fma.rn.f32 \t%f9, %f7, %f8, %f20;";
    let language = Language::Cuda;
    SourcePanel {
        text: TEXT,
        language,
        current: 5,
        at: 5,
        with: &[],
        changed: &[],
        band: None,
        meets: None,
        operands: Operands::Product,
        loops: &[(4, 5)],
        others: &[],
        pointed: None,
        follows: false,
        gaps: &[],
        scroll: 0,
        strip,
        becomes: &[],
        joined: &[],
        look,
    }
}

#[test]
fn the_loop_is_in_view_and_its_current_line_marked() {
    let others = [(8, "w1-w7".to_owned())];
    assert_snapshot!(picture::text(SourcePanel { others: &others, ..source(RICH) }, 50, 8), @"
      3
      4 for (int k = 0; k < TILE; ++k)
    ► 5     acc += sA[ty][k] * sB[k][tx];
      6
      7 // Nobody may overwrite the tiles before
    · 8 __syncthreads();                        w1-w7
      9 C[row * N + col] = acc;
    PTX  fma.rn.f32  %f9, %f7, %f8, %f20;
    ");
    assert_snapshot!(picture::text(SourcePanel { scroll: -90, ..source(ASCII) }, 46, 4), @"
      1 // C = A x B, in part.
      2 __syncthreads();
      3
    PTX  fma.rn.f32  %f9, %f7, %f8, %f20;
    ");
}

#[test]
fn a_line_is_in_view_that_is_not_the_current_one() {
    let opened = SourcePanel { current: 1, strip: "", ..source(RICH) };
    assert_snapshot!(picture::text(opened.clone(), 50, 3), @"
      4 for (int k = 0; k < TILE; ++k)
      5     acc += sA[ty][k] * sB[k][tx];
      6
    ");
    // Another is in view as well, unless one of several is anyway.
    for with in [&[9][..], &[9, 2]] {
        let text = picture::text(SourcePanel { with, ..opened.clone() }, 50, 3);
        assert!(text.contains("9 C[row"), "{text}");
    }
    let text = picture::text(SourcePanel { with: &[9, 5], ..opened }, 50, 3);
    assert!(text.contains("4 for"), "{text}");
}

#[test]
fn ptx_is_listed_with_its_tabs_expanded() {
    let text = "\tmov.u32 \t%r1, %tid.x;\n\tld.global.f32 \t%f1, [%rd1+4];\n\tbar.sync \t0;";
    let listing = SourcePanel { text, language: Language::Ptx, current: 2, at: 2, ..source(ASCII) };
    assert_snapshot!(picture::text(listing, 40, 4), @"
      1     mov.u32     %r1, %tid.x;
    > 2     ld.global.f32   %f1, [%rd1+4];
      3     bar.sync    0;
    CUDA fma.rn.f32  %f9, %f7, %f8, %f20;
    ");
}

#[test]
fn what_becomes_one_is_marked_in_the_listing() {
    let text = "ld.shared.f32 %f1, [%r1];\nld.shared.f32 %f2, [%r1+4];\nbar.sync 0;";
    let becomes = ["2 x ld.shared.f32 -> 1 x LDS.64", "2 ld -> 1 LDS.64"].map(str::to_owned);
    let listing = SourcePanel { text, language: Language::Ptx, current: 1, at: 1, ..source(ASCII) };
    let listing = SourcePanel { becomes: &becomes, joined: &[1, 2], others: &[], ..listing };
    assert_snapshot!(picture::text(listing, 56, 3), @"
    > 1 ld.shared.f32 %f1, [%r1];          2 ld -> 1 LDS.64
      2 ld.shared.f32 %f2, [%r1+4];        2 ld -> 1 LDS.64
      3 bar.sync 0;
    ");
    let cuda =
        SourcePanel { becomes: &becomes, strip: "ld.shared.f32 %f1, [%r1];", ..source(ASCII) };
    assert_snapshot!(picture::text(cuda, 56, 4), @"
      4 for (int k = 0; k < TILE; ++k)
    > 5     acc += sA[ty][k] * sB[k][tx];
      6
    PTX  ld.shared.f32 %f1, [%r1];         2 ld -> 1 LDS.64
    ");
    let line = SourceBar {
        number: 33,
        text: "acc += sA[k];",
        operands: Operands::None,
        ptx: "ld %f1;",
        becomes: &becomes,
        look: ASCII,
    };
    assert_snapshot!(picture::text(line, 60, 1), @" >33  acc += sA[k];               ld %f1;  2 ld -> 1 LDS.64");
    assert_snapshot!(picture::text(SourceBar { text: "", ..line }, 60, 1), @" >33  ld %f1;               2 x ld.shared.f32 -> 1 x LDS.64");
}

#[test]
fn what_is_put_between_two_lines_has_a_row_of_its_own() {
    let text = "for (;;) {\n    a;\n    b;\n}\nc;\n";
    let gap = |line, means| InsertedText { line, text: "__syncthreads();", means };
    let gaps = [gap(2, InsertionKind::Here)];
    let listing = SourcePanel {
        text,
        current: 0,
        at: 0,
        strip: "",
        loops: &[(1, 4)],
        gaps: &gaps,
        ..source(RICH)
    };
    assert_snapshot!(picture::text(listing.clone(), 40, 6), @r"
      1 for (;;) {
      2     a;
    ► +     __syncthreads();
      3     b;
      4 }
      5 c;
    ");
    let gaps =
        [gap(1, InsertionKind::Right), gap(2, InsertionKind::Wrong), gap(3, InsertionKind::Right)];
    assert_snapshot!(picture::text(SourcePanel { gaps: &gaps, look: ASCII, ..listing }, 40, 8), @r"
      1 for (;;) {
    * +     __syncthreads();
      2     a;
    ! +     __syncthreads();
      3     b;
    * + __syncthreads();
      4 }
      5 c;
    ");
}

#[test]
fn a_gap_stays_in_view_where_only_a_few_rows_fit() {
    for (line, height) in (1..=9).flat_map(|line| (2..6).map(move |height| (line, height))) {
        let gaps = [InsertedText { line, text: "put();", means: InsertionKind::Here }];
        let listing = SourcePanel { gaps: &gaps, strip: "", ..source(RICH) };
        let text = picture::text(listing, 40, height);
        assert!(text.contains("put();"), "after {line}, {height} rows\n{text}");
    }
}

#[test]
fn operands_are_lit_with_and_without_colours() {
    let at = |look| picture::buffer(source(look), 50, 8);
    // Row 1: the line of the product, its operands sA[ty][k] and sB[k][tx].
    let rich = at(RICH);
    assert_eq!(rich[(15, 2)].bg, RICH.pixel(Role::A));
    assert_eq!(rich[(27, 2)].bg, RICH.pixel(Role::B));
    let mono = at(picture::MONO);
    assert!(!mono[(15, 2)].modifier.contains(Modifier::REVERSED));
    assert!(mono[(12, 2)].modifier.contains(Modifier::REVERSED));
}

#[test]
fn one_line_stands_on_a_bar() {
    let line = SourceBar {
        number: 33,
        text: "            acc += sA[ty][k] * sB[k][tx];",
        operands: Operands::Product,
        ptx: "fma.rn.f32 %f9, %f7, %f8;",
        becomes: &[],
        look: ASCII,
    };
    assert_snapshot!(picture::text(line, 80, 1), @" >33  acc += sA[ty][k] * sB[k][tx];                   fma.rn.f32 %f9, %f7, %f8;");
    assert_snapshot!(picture::text(line, 50, 1), @" >33  acc += sA[ty][k] * sB[k][tx];");
    picture::survives(|look| SourceBar { look, ..line });
}

#[test]
fn every_size_survives() {
    picture::survives(source);
    picture::survives(|look| SourcePanel { text: "", strip: "", ..source(look) });
    picture::survives(|look| SourcePanel { scroll: i32::MAX, current: u32::MAX, ..source(look) });
}
