//! The layout of the Measure screen's pictures: all of them, two, or the chosen one alone.

use crate::tui::layout::SizeClass;
use crate::tui::measure_view::MeasureView;
use crate::tui::widget::pictures::{LEFT, Picture, RIGHT};
use ratatui::layout::{Constraint, Layout, Rect};

/// Returns the pictures that fit, with their areas. Neighbours share a border.
pub(super) fn places(area: Rect, board: &MeasureView) -> Vec<(Picture, Rect)> {
    match SizeClass::of(area.width, area.height + 3) {
        SizeClass::Large if !board.alone => all(area),
        SizeClass::Medium if !board.alone => railed(area, board.picture),
        SizeClass::Tall if !board.alone => some(area, board.picture),
        _ => vec![(board.picture, area)],
    }
}

/// Returns the picture at a position of the screen.
pub fn picture_at(board: &MeasureView, screen: Rect, at: (u16, u16)) -> Option<Picture> {
    let [.., middle, _] = rows(screen);
    let places = places(middle, board);
    places.into_iter().find(|(_, area)| area.contains(at.into())).map(|(picture, _)| picture)
}

fn all(area: Rect) -> Vec<(Picture, Rect)> {
    let [left, right] = Layout::horizontal([Constraint::Percentage(48), Constraint::Fill(1)])
        .spacing(-1)
        .areas(area);
    column(LEFT, left).chain(column(RIGHT, right)).collect()
}

/// Columns of the ladder where it is a rail beside another picture.
const RAIL: u16 = 38;

/// Returns the chosen picture with the ladder as a rail beside it.
fn railed(area: Rect, chosen: Picture) -> Vec<(Picture, Rect)> {
    if chosen == Picture::Ladder {
        return vec![(chosen, area)];
    }
    let beside = [Constraint::Length(RAIL), Constraint::Fill(1)];
    let [rail, picture] = Layout::horizontal(beside).spacing(-1).areas(area);
    vec![(Picture::Ladder, rail), (chosen, picture)]
}

/// Returns the chosen picture with the ladder below it; charts get the whole area.
fn some(area: Rect, chosen: Picture) -> Vec<(Picture, Rect)> {
    if RIGHT.iter().any(|(picture, _)| *picture == chosen) {
        return vec![(chosen, area)];
    }
    let above = if chosen == Picture::Ladder { Picture::Why } else { chosen };
    column(&[(above, Constraint::Fill(1)), LEFT[0]], area).collect()
}

/// Stacks pictures in a column.
fn column(pictures: &[(Picture, Constraint)], area: Rect) -> impl Iterator<Item = (Picture, Rect)> {
    let rows = pictures.iter().map(|(_, rows)| *rows);
    let areas = Layout::vertical(rows).spacing(-1).split(area);
    let placed = pictures.iter().zip(areas.iter()).map(|((picture, _), area)| (*picture, *area));
    placed.collect::<Vec<_>>().into_iter()
}

/// Splits the screen into status, sentence, pictures and keys.
pub(super) fn rows(area: Rect) -> [Rect; 4] {
    let [row, rest] = [Constraint::Length(1), Constraint::Fill(1)];
    Layout::vertical([row, row, rest, row]).areas(area)
}
