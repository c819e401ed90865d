//! The table of an edited kernel: what is met, what is wrong and how far it has come.

use super::picture::{self, ASCII, RICH};
use insta::assert_snapshot;
use matviz::lesson::edit::judgement::{Row, TableCell};
use matviz::tui::theme::Look;
use matviz::tui::widget::goals::*;

fn row(label: &str, before: &str, now: &str, is_bad: bool) -> Row {
    let cells = [(before, false), (now, is_bad)];
    let cells = cells.map(|(text, is_bad)| TableCell { text: text.to_owned(), is_bad }).to_vec();
    Row { label: label.to_owned(), cells }
}

fn rows() -> Vec<Row> {
    vec![row("C at 64", "right", "WRONG", true), row("conflicts", "0", "3,584", true)]
}

fn lines() -> Vec<GoalLine> {
    let text = "sA[tx][ty] = t < endA ? A[row * K + t + tx] : 0.0f;".to_owned();
    let wrong = Excerpt { number: 34, text: text.clone(), now: true, caret: None, sign: None };
    let caret = Excerpt { caret: Some((47, 4)), ..wrong.clone() };
    vec![
        GoalLine::bad("It is wrong."),
        GoalLine::Source(wrong),
        GoalLine::Source(caret),
        GoalLine::dim("So."),
    ]
}

fn drawn(look: Look, width: u16, height: u16) -> String {
    let (rows, lines, head) = (rows(), lines(), [GoalLine::dim("Simulated.")]);
    let (heads, head) = (&["before", "now"][..], &head[..]);
    let goals = Goals { head, heads, rows: &rows, lines: &lines, scroll: 0, look };
    picture::text(goals, width, height)
}

#[test]
fn what_is_wrong_stands_below_the_table_or_beside_it() {
    assert_snapshot!(drawn(RICH, 42, 16), @"
     Simulated.

                 before      now
     C at 64      right  ▲ WRONG
     conflicts        0  ▲ 3,584

     ▲ It is wrong.
     ►  34 sA[tx][ty] = t < endA ? A[row * K
           + t + tx] : 0.0f;
     ►  34  endA ? A[row * K + t + tx] : 0.0f
                                         ^^^^
     So.
    ");
    assert_snapshot!(drawn(ASCII, 78, 7), @"
                 before      now   ! It is wrong.
     C at 64      right  ! WRONG   >  34 sA[tx][ty] = t < endA ? A[row * K + t +
     conflicts        0  ! 3,584         tx] : 0.0f;
                                   >  34  = t < endA ? A[row * K + t + tx] : 0.0f
                                                                             ^^^^
                                   So.
    ");
}

#[test]
fn every_size_survives() {
    let (rows, lines) = (rows(), lines());
    for scroll in [0, 3, 999] {
        let heads = &["before", "now"][..];
        picture::survives(|look| Goals {
            head: &lines,
            heads,
            rows: &rows,
            lines: &lines,
            scroll,
            look,
        });
    }
}
