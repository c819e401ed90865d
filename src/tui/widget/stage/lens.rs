//! The registers of one thread or one warp, word by word: a small cross at the side.

use super::fit::{self, Bundling, CrossForm, FitSpace};
use super::geometry::StageGeometry;
use super::labels::{Writing, titles_of};
use super::paint::Painting;
use super::place::{Bundle, PlacedTile};
use super::tiles::{gap_every, has_values, on_cell, paint_tile};
use crate::study::stage::{Cross, Lens, PlaceId, StageScene, WordTile};
use crate::tui::layout::text::wrapped;
use ratatui::layout::Rect;
use std::slice::from_ref;

/// The tiles of the lens, one row below its title.
pub(super) fn place(scene: &StageScene, side: Option<Rect>) -> Vec<PlacedTile> {
    let (Some(lens), Some(side)) = (&scene.lens, side) else { return Vec::new() };
    let cross = cross_of(lens);
    let (y, rows) = (side.y + 1, side.height.saturating_sub(1));
    let space = FitSpace { x: side.x, width: side.width, y, rows };
    let form = CrossForm { gap: 2, right: 0, below: 1 };
    let placed = fit::cross(&cross, space, form, Bundling::Coarse).unwrap_or_default();
    let is_tile = |tile: &PlacedTile| match tile.place {
        PlaceId::Left => lens.left.is_some(),
        PlaceId::Top => lens.top.is_some(),
        place => place == PlaceId::Corner,
    };
    placed.into_iter().filter(is_tile).collect()
}

/// The registers of a lens as a cross.
fn cross_of(lens: &Lens) -> Cross {
    let empty = |rows, columns| WordTile {
        rows,
        columns,
        cells: Vec::new(),
        bands: Vec::new(),
        cost: None,
        wear: None,
        ..lens.sums.clone()
    };
    let depth = lens.left.as_ref().map(|left| left.columns);
    let depth = depth.or(lens.top.as_ref().map(|top| top.rows)).unwrap_or(1);
    Cross {
        left: lens.left.clone().unwrap_or_else(|| empty(lens.sums.rows, depth)),
        top: lens.top.clone().unwrap_or_else(|| empty(depth, lens.sums.columns)),
        corner: lens.sums.clone(),
        left_collar: None,
        top_collar: None,
        k: None,
        followed: None,
        sums_each: (1, 1),
        count: String::new(),
    }
}

pub(super) fn paint(scene: &StageScene, plan: &StageGeometry, painting: &mut Painting) {
    let Some(lens) = &scene.lens else { return };
    let cross = cross_of(lens);
    for placed in &plan.lens {
        let tile = match placed.place {
            PlaceId::Left => &cross.left,
            PlaceId::Top => &cross.top,
            _ => &cross.corner,
        };
        paint_tile(painting, tile, placed, gap_every(tile, placed, has_values(tile)));
    }
}

/// Writes on the registers of one thread what they are called: a0, a1, b0.
pub(super) fn write_names(scene: &StageScene, plan: &StageGeometry, writing: &mut Writing<'_>) {
    let Some(lens) = &scene.lens else { return };
    for placed in &plan.lens {
        let tile = match placed.place {
            PlaceId::Left => lens.left.as_ref().filter(|left| left.columns == 1),
            PlaceId::Top => lens.top.as_ref().filter(|top| top.rows == 1),
            _ => None,
        };
        let (Some(tile), Some((across, high))) = (tile, placed.cell_size()) else { continue };
        if placed.bundle != Bundle::ONE || across < 3 || high < 2 {
            continue;
        }
        for i in 0..tile.rows.max(tile.columns) as u16 {
            let (down, right) = if tile.columns == 1 { (i, 0) } else { (0, i) };
            let x = placed.area.x + right * across + (across - 2) / 2;
            let y = u16::midpoint(placed.area.y, down * high) + (high / 2 - 1) / 2;
            on_cell(writing, (x, y), &format!("{}{i}", tile.title));
        }
    }
}

/// The words of the lens: whose registers, the names of single words, and lines below.
pub(super) fn words(
    scene: &StageScene,
    plan: &StageGeometry,
    writing: &mut Writing<'_>,
) -> Option<u16> {
    let (lens, side) = (scene.lens.as_ref()?, plan.side?);
    let look = writing.pen.look;
    writing.say((side.x, side.y), from_ref(&lens.title), look.chosen());
    let cross = cross_of(lens);
    let at = |place| plan.lens.iter().find(|placed| placed.place == place);
    let sums = at(PlaceId::Corner)?;
    let mut all = vec![(&cross.corner, (sums.area.x, sums.area.rows().end))];
    if let Some(left) = at(PlaceId::Left) {
        all.push((&cross.left, (left.area.x, left.area.rows().start.saturating_sub(1))));
    }
    if let Some(top) = at(PlaceId::Top) {
        all.push((&cross.top, (top.area.x, top.area.rows().start.saturating_sub(1))));
    }
    titles_of(writing, &all);
    let mut row = sums.area.rows().end + 1;
    for note in lens.notes.iter().flat_map(|note| wrapped(note, side.width)) {
        if row < side.bottom() && writing.say((side.x, row), &[note], look.dim()).is_some() {
            row += 1;
        }
    }
    Some(row)
}
