//! The story of a followed value.

use super::picture::{self, ASCII, RICH};
use insta::assert_snapshot;
use matviz::report::value::Column;
use matviz::tui::facts::value::ValueRowState;
use matviz::tui::widget::value::*;
use ratatui::layout::Rect;

/// Five loads, the third of which is selected.
fn view() -> ValueView {
    let states = [
        ValueRowState::Used,
        ValueRowState::Used,
        ValueRowState::Kept,
        ValueRowState::Loaded,
        ValueRowState::Ahead,
    ];
    let row = |(k, state): (usize, ValueRowState)| {
        let cells = [format!("A[5][{k}]"), format!("w2 l{k}"), "34".into(), "419".into()];
        (state, cells.to_vec())
    };
    let columns = [(Column::Load, 7), (Column::Lane, 5), (Column::Line, 4), (Column::Step, 4)];
    let heading = ["C[5][7] = sum over k of A[5][k] x B[k][7]", "5 products", "by warp 2"];
    ValueView {
        heading: heading.map(str::to_owned).to_vec(),
        columns: columns.to_vec(),
        rows: 9,
        first: 2,
        lines: (2..).zip(states).map(row).collect(),
        cursor: 4,
        way: vec![(false, "419 w2 l4 load A[5][4]".into()), (true, "427 w2 l4 store".into())],
        stale: false,
    }
}

#[test]
fn a_small_panel_has_the_list_and_a_larger_one_the_way_as_well() {
    let view = view();
    let value = |look| ValuePanel { view: &view, look };
    assert_snapshot!(picture::text(value(ASCII), 43, 8), @"
    C[5][7] = sum over k of A[5][k] x B[k][7]
    5 products
      load     lane   line  step
    o A[5][2]  w2 l2    34   419              ^
    o A[5][3]  w2 l3    34   419
    S>A[5][4]  w2 l4    34   419
    L A[5][5]  w2 l5    34   419
    . A[5][6]  w2 l6    34   419              v
    ");
    assert_snapshot!(picture::text(value(RICH), 43, 15), @"
    C[5][7] = sum over k of A[5][k] x B[k][7]
    5 products
    by warp 2
      load     lane   line  step
    ● A[5][2]  w2 l2    34   419              ▲
    ● A[5][3]  w2 l3    34   419
    ■►A[5][4]  w2 l4    34   419
    ↓ A[5][5]  w2 l5    34   419
    · A[5][6]  w2 l6    34   419


                                              ▼

      419 w2 l4 load A[5][4]
     ►427 w2 l4 store
    ");
    assert_snapshot!(picture::text(value(RICH), 18, 5), @"
    C[5][7] = sum over
    5 products
    ● A[5][2]  w2 l2 ▲
    ● A[5][3]  w2 l3
    ■►A[5][4]  w2 l4 ▼
    ");
}

#[test]
fn a_click_finds_its_row() {
    let area = Rect::new(10, 20, 43, 8);
    assert_eq!(row_at(&view(), area, 22), None, "the titles");
    assert_eq!(row_at(&view(), area, 23), Some(2));
    assert_eq!(row_at(&view(), area, 27), Some(6));
    assert_eq!(row_at(&view(), area, 28), None);
}

#[test]
fn every_size_survives() {
    let (full, empty) = (view(), ValueView::default());
    picture::survives(|look| ValuePanel { view: &full, look });
    picture::survives(|look| ValuePanel { view: &empty, look });
}
