//! What the panel shows of buffers that are no matrices.

use super::picture::{self, ASCII};
use insta::assert_snapshot;
use matviz::tui::widget::buffers::*;

#[test]
fn a_bar_shows_what_was_touched_and_what_is_touched_now() {
    let row = |name: &str, words, touched: Option<(u64, u64)>, now: &[u64]| Row {
        name: name.to_owned(),
        elements: format!("f32[{words}]"),
        words,
        touched: touched.map(|(from, to)| ((from, to), format!("[{from}] to [{to}]"))),
        now: now.to_vec(),
    };
    let rows = [
        row("in", 400, Some((100, 299)), &[200, 201]),
        row("out", 10, Some((3, 3)), &[3]),
        row("rest", 1000, None, &[]),
    ];
    let buffers = |look| BuffersPanel { rows: &rows, look };
    assert_snapshot!(picture::text(buffers(ASCII), 40, 8), @"
    in  f32[400]              [100] to [299]
    ..........::::::::::@:::::::::..........
    out  f32[10]                  [3] to [3]
    ............@@@@........................
    rest  f32[1000]          not touched yet
    ........................................
    ");
    picture::survives(buffers);
}
