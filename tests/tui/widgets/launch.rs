//! The launch of one's own kernel.

use super::picture::{self, ASCII};
use insta::assert_snapshot;
use matviz::tui::widget::launch::*;

#[test]
fn facts_and_counts_stand_one_under_the_other_or_side_by_side() {
    let fact = |label, value: &str| (label, value.to_owned());
    let facts = [
        fact("kernel", "_Z5sgemmiiifPKfS0_fPf"),
        fact("grid", "4 x 3: 12 blocks"),
        fact("arguments", "M,N,K,1.0f,A,B,0.0f,C"),
    ];
    let counts = [
        ("global load requests", "1,024".to_owned(), None),
        ("shared wavefronts", "96".to_owned(), None),
    ];
    let launch = |look| LaunchPanel { facts: &facts, counts: &counts, notes: &[], look };
    assert_snapshot!(picture::text(launch(ASCII), 46, 7), @"
    kernel       _Z5sgemmiiifPKfS0_fPf
    grid         4 x 3: 12 blocks
    arguments    M,N,K,1.0f,A,B,0.0f,C

    global load requests                 1,024
    shared wavefronts                       96
    ");
    assert_snapshot!(picture::text(launch(ASCII), 90, 4), @"
    kernel       _Z5sgemmiiifPKfS0_fPf              global load requests                 1,024
    grid         4 x 3: 12 blocks                   shared wavefronts                       96
    arguments    M,N,K,1.0f,A,B,0.0f,C
    ");
    picture::survives(launch);
}

#[test]
fn what_is_executed_stands_after_what_is_written() {
    let facts = [("kernel", "tiled".to_owned()), ("grid", "4 x 3: 12 blocks".to_owned())];
    let counts = [
        ("barriers", "1,024".to_owned(), None),
        ("shared wavefronts", "96".to_owned(), Some("24".to_owned())),
    ];
    let notes = ["16 x ld.shared.f32 -> 4 x LDS.128 (line 29)".to_owned()];
    let launch = |look| LaunchPanel { facts: &facts, counts: &counts, notes: &notes, look };
    assert_snapshot!(picture::text(launch(ASCII), 90, 5), @"
    kernel       tiled                              barriers                             1,024
    grid         4 x 3: 12 blocks                   shared wavefronts                 96 -> 24

    16 x ld.shared.f32 -> 4 x LDS.128 (line 29)
    ");
    assert_snapshot!(picture::text(launch(ASCII), 46, 8), @"
    kernel       tiled
    grid         4 x 3: 12 blocks

    barriers                             1,024
    shared wavefronts                 96 -> 24

    16 x ld.shared.f32 -> 4 x LDS.128 (line 29)
    ");
    picture::survives(launch);
}
