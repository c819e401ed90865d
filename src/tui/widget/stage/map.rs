//! Where the block and its tiles lie in the whole matrices: a small cross in a free corner.

use super::geometry::StageGeometry;
use super::labels::Writing;
use super::paint::{Painting, Shade};
use super::place::HalfRect;
use crate::study::stage::PlaceId;
use crate::tui::theme::Role;
use ratatui::layout::Rect;
use std::ops::Range;

/// The block's rows and columns of C and its tile along k, as parts of the whole, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct StageMap {
    pub rows: Range<f32>,
    pub columns: Range<f32>,
    pub along: Range<f32>,
}

/// The half rows of each matrix: the fewest that show something, and the most.
const SIDES: Range<u16> = 5..9;

/// A matrix, what of it the block works on, and its tile now.
const PLATE: u8 = 16;
const BAND: u8 = 40;
const TILE: u8 = 90;

/// The free rectangle above the left tile of a cross, if the side has no words there.
fn corner(plan: &StageGeometry) -> Option<Rect> {
    let (left, top) = (plan.place(PlaceId::Left)?, plan.place(PlaceId::Top)?);
    let first = plan.below.rows.start;
    let end = (left.area.y / 2).saturating_sub(1);
    // The mark of k stands before the upper tile.
    let wide = top.area.x.saturating_sub(plan.margin + 9);
    let is_free = plan.side.is_none_or(|side| side.x >= top.area.x || side.y >= end);
    let height = end.saturating_sub(first);
    is_free.then_some(Rect { x: plan.margin, y: first, width: wide, height })
}

/// Where it begins, and the half rows of each matrix, where there is room for it.
fn placed(plan: &StageGeometry) -> Option<(Rect, u16)> {
    let area = corner(plan)?;
    let side = area.height.saturating_sub(1).min((area.width / 2).saturating_sub(1) / 2);
    let side = side.min(SIDES.end - 1);
    (side >= SIDES.start).then_some((area, side))
}

/// Says what it is, in the corner that its cross leaves free.
pub(super) fn write(plan: &StageGeometry, writing: &mut Writing<'_>) {
    let Some((area, _)) = placed(plan) else { return };
    let (at, dim) = ((area.x, area.y), writing.pen.look.dim());
    writing.say(at, &["all of A, B, C".to_owned(), "all".to_owned()], dim);
}

pub(super) fn paint(map: &StageMap, plan: &StageGeometry, painting: &mut Painting) {
    let Some((area, side)) = placed(plan) else { return };
    let (x, y) = (area.x, 2 * area.y);
    let at = |right: u16, down: u16| HalfRect {
        x: x + right * (2 * side + 2),
        y: y + down * (side + 1),
        width: 2 * side,
        height: side,
    };
    let all = 0.0..1.0;
    let matrices = [
        (Role::A, at(0, 1), [(&map.rows, &all, BAND), (&map.rows, &map.along, TILE)]),
        (Role::B, at(1, 0), [(&all, &map.columns, BAND), (&map.along, &map.columns, TILE)]),
        (Role::C, at(1, 1), [(&map.rows, &map.columns, TILE), (&map.rows, &map.columns, TILE)]),
    ];
    for (role, matrix, parts) in matrices {
        painting.fill(matrix, Shade::Fill(role, PLATE));
        for (rows, columns, percent) in parts {
            painting.fill(part(matrix, rows, columns), Shade::Fill(role, percent));
        }
    }
}

/// The pixels of a part of a matrix: at least one.
fn part(of: HalfRect, rows: &Range<f32>, columns: &Range<f32>) -> HalfRect {
    let span = |part: &Range<f32>, pixels: u16| {
        let at = |part: f32| (part * f32::from(pixels)).floor() as u16;
        let start = at(part.start).min(pixels.saturating_sub(1));
        (start, at(part.end).max(start + 1).min(pixels) - start)
    };
    let ((x, width), (y, height)) = (span(columns, of.width), span(rows, of.height));
    HalfRect { x: of.x + x, y: of.y + y, width, height }
}
