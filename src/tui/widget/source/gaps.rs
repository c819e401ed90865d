//! Puts texts between the lines of a listing.

use super::fold::Row;
use super::window::Folded;
use crate::tui::facts::listing::{InsertedText, InsertionKind};
use crate::tui::theme::Role;
use crate::tui::widget::pen::Pen;
use std::borrow::Cow;

/// Puts the texts into a listing, each as far to the right as the line that follows it.
pub(super) fn put<'a>(mut folded: Folded<'a>, gaps: &[InsertedText<'a>]) -> Folded<'a> {
    for gap in gaps.iter().rev() {
        let at = folded.rows.partition_point(|row| row.line <= gap.line);
        let written = |row: &&Row<'_>| !row.text.is_empty() && !row.continued;
        let next = folded.rows[at..].iter().find(written);
        let indent = next.map_or(0, |row| row.indent);
        let (text, put) = (Cow::Borrowed(gap.text), Some(gap.means));
        let row = Row { line: gap.line, indent, at: 0, text, continued: false, put };
        folded.rows.insert(at, row);
    }
    folded
}

/// Draws the row of a text that is put there.
pub(super) fn row(pen: &mut Pen<'_>, (head, y): (u16, u16), row: &Row<'_>, means: InsertionKind) {
    let look = pen.look;
    let (mark, style) = match means {
        // What is pointed at is in ink: the colour of "now" is for events.
        InsertionKind::Here => (look.pick("►", ">"), look.text().reversed()),
        InsertionKind::Right => (look.pick("●", "*"), look.strong(Role::C)),
        InsertionKind::Wrong => (look.pick("▲", "!"), look.strong(Role::Bad)),
    };
    if means == InsertionKind::Here {
        pen.wash(0, y, pen.width(), style);
    }
    pen.text(0, y, mark, style);
    pen.right(head - 1, y, "+", style);
    pen.text(head + row.indent, y, &row.text, style);
}
