//! The cells of the places, the meters beside them, and what is written on them.

use super::geometry::{LEFT_WEAR, StageGeometry, TOP_WEAR, tile, wear_columns};
use super::labels::Writing;
use super::paint::{Painting, Shade, colour, mostly, role, shade, together};
use super::place::{Bundle, HalfRect, PlaceShape, PlacedTile};
use crate::report::sentence::LaneMark;
use crate::study::stage::{
    CellLevel, CellRange, Collar, Cross, GridCell, LowerRoom, PlaceId, StageScene, TileKind,
    WordTile,
};
use crate::tui::layout::text::width;
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::matrices;
use ratatui::style::Modifier;

/// `moves`: whether the places grow. Then no column stays free: it would come and go.
pub(super) fn paint(
    scene: &StageScene,
    plan: &StageGeometry,
    painting: &mut Painting,
    moves: bool,
) {
    // Where one place has numbers, the words of all stand apart.
    let mut all = plan.tiles.iter().filter_map(|placed| tile(scene, placed.place));
    let apart = all.any(has_values);
    for placed in &plan.tiles {
        let Some(tile) = tile(scene, placed.place) else { continue };
        match placed.shape {
            PlaceShape::Names => {}
            PlaceShape::Grid if tile.turned && plan.turning.is_some() => {
                paint_turning(painting, tile, placed, plan.turning.unwrap_or(1.0));
            }
            PlaceShape::Grid | PlaceShape::Gauge => {
                let gap = gap_every(tile, placed, apart).filter(|_| !moves);
                paint_tile(painting, tile, placed, gap);
            }
        }
        if placed.shape == PlaceShape::Grid {
            paint_wear(painting, tile, placed, wear_room(plan, placed, painting.width()));
        }
    }
    if let LowerRoom::Cross(cross) = &scene.below {
        paint_collars(painting, plan, cross);
        paint_followed(painting, plan, cross);
    }
}

/// `gap`: the columns after which one stays free.
pub(super) fn paint_tile(
    painting: &mut Painting,
    tile: &WordTile,
    placed: &PlacedTile,
    gap: Option<u16>,
) {
    let (down, across) = placed.cells();
    let shades: Vec<_> = (0..down)
        .flat_map(|row| (0..across).map(move |column| (row, column)))
        .map(|at| cell_shade(tile, placed, at))
        .collect();
    let HalfRect { x, y, width, height } = placed.area;
    for down in 0..height {
        for right in 0..width {
            if gap.is_some_and(|every| (right + 1).is_multiple_of(every)) {
                continue;
            }
            if let Some((row, column)) = placed.cell_at(x + right, y + down) {
                painting.set(x + right, y + down, shades[(row * across + column) as usize]);
            }
        }
    }
}

/// Paints a tile that is flipped over its diagonal: each cell is this part of its way from where it is
/// stored to where it is used, so that the whole folds to the diagonal and unfolds on its other side.
fn paint_turning(painting: &mut Painting, tile: &WordTile, placed: &PlacedTile, part: f32) {
    let (down, across) = placed.cells();
    let HalfRect { x, y, width, height } = placed.area;
    // What is folded is still as wide as a pixel.
    let folded = 1.0 / f32::from(width.min(height).max(1));
    let spread = 2.0 * part - 1.0;
    let spread = if spread < 0.0 { spread.min(-folded) } else { spread.max(folded) };
    for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
        let [v, u] =
            [(row, height), (column, width)].map(|(at, of)| (f32::from(at) + 0.5) / f32::from(of));
        // As it is used: the place along the diagonal stays, that across it grows.
        let (along, over) = (u.midpoint(v), (u - v) / 2.0 / spread);
        let [used_row, used_column] = [along - over, along + over];
        if (0.0..1.0).contains(&used_row) && (0.0..1.0).contains(&used_column) {
            let cell =
                [(used_row, down), (used_column, across)].map(|(at, of)| (at * of as f32) as u32);
            painting.set(x + column, y + row, cell_shade(tile, placed, cell.into()));
        }
    }
}

fn cell_shade(tile: &WordTile, placed: &PlacedTile, (row, column): (u32, u32)) -> Shade {
    let of = |cell: u32, bundle: u32, all: u32| {
        cell.saturating_mul(bundle)..cell.saturating_add(1).saturating_mul(bundle).min(all)
    };
    let (rows, columns) = match placed.shape {
        PlaceShape::Gauge => (of(column, placed.bundle.rows, tile.rows), 0..tile.columns),
        PlaceShape::Grid | PlaceShape::Names => (
            of(row, placed.bundle.rows, tile.rows),
            of(column, placed.bundle.columns, tile.columns),
        ),
    };
    let cells = rows.flat_map(|row| columns.clone().map(move |column| row * tile.columns + column));
    let shades = cells.filter_map(|i| tile.cells.get(i as usize)).map(|cell| shade(cell, tile.hue));
    match placed.shape {
        PlaceShape::Gauge => mostly(shades),
        PlaceShape::Grid | PlaceShape::Names => together(shades),
    }
}

/// The words of a sector.
const SECTOR: u16 = 8;

/// The columns after which one stays free: between words with values, between bricks, and between the
/// sectors of global memory.
///
/// `apart`: whether words stand apart, if there is room for it.
pub(super) fn gap_every(tile: &WordTile, placed: &PlacedTile, apart: bool) -> Option<u16> {
    let (across, _) = placed.cell_size().filter(|_| placed.shape == PlaceShape::Grid)?;
    if placed.bundle.columns == 1 && across >= 4 && apart {
        return Some(across);
    }
    let in_rows = tile.kind == TileKind::Global && !tile.turned && tile.brick <= 1;
    if in_rows && placed.bundle.columns == 1 && across >= 2 {
        return Some(SECTOR * across);
    }
    let brick = tile.brick as u16 * across / placed.bundle.columns.clamp(1, 99) as u16;
    (tile.brick > 1 && brick >= 3).then_some(brick)
}

/// The columns of some cells without a free one at their end.
pub(super) fn without_gap(tile: &WordTile, placed: &PlacedTile, cells: HalfRect) -> HalfRect {
    let end = cells.right() - placed.area.x;
    let is_gap =
        gap_every(tile, placed, has_values(tile)).is_some_and(|every| end.is_multiple_of(every));
    HalfRect { width: cells.width - u16::from(is_gap && cells.width > 1), ..cells }
}

pub(super) fn has_values(tile: &WordTile) -> bool {
    tile.cells.iter().any(|cell| cell.value.is_some())
}

/// The columns that the meter of wear of a place may take.
fn wear_room(plan: &StageGeometry, placed: &PlacedTile, width: u16) -> u16 {
    match placed.place {
        PlaceId::Left => LEFT_WEAR,
        PlaceId::Top => TOP_WEAR,
        _ => {
            let next = plan.tiles.iter().filter(|other| other.area.y == placed.area.y);
            let next = next.map(|other| other.area.x).filter(|x| *x > placed.area.x).min();
            if next.is_some() { 1 } else { width.saturating_sub(placed.area.right() + 2).min(8) }
        }
    }
}

/// For each row as many columns as its sectors were fetched by this block.
fn paint_wear(painting: &mut Painting, tile: &WordTile, placed: &PlacedTile, room: u16) {
    let Some(wear) = &tile.wear else { return };
    let room = match placed.place {
        PlaceId::Left | PlaceId::Top => wear_columns(tile, painting.width(), room),
        _ => room,
    };
    let most = wear.rows.iter().copied().max().unwrap_or(0);
    for y in placed.area.y..placed.area.bottom() {
        let Some((row, _)) = placed.cell_at(placed.area.x, y) else { continue };
        let rows = row * placed.bundle.rows..(row + 1) * placed.bundle.rows;
        let fetched = rows.clone().filter_map(|row| wear.rows.get(row as usize)).max();
        let fetched = fetched.copied().unwrap_or(0);
        let columns = if most <= room.into() {
            fetched as u16
        } else {
            (fetched * u32::from(room)).div_ceil(most) as u16
        };
        let now = rows.clone().any(|row| wear.now.contains(&row));
        let shade = Shade::Fill(Role::Memory, if now { 100 } else { 45 });
        let x = placed.area.right() + 1;
        painting.fill(HalfRect { x, y, width: columns, height: 1 }, shade);
    }
}

fn collar_shade(collar: &Collar, level: CellLevel) -> Shade {
    match level {
        // Registers that hold nothing are not drawn: between two k the collars are empty.
        CellLevel::Empty => Shade::Ground,
        level => shade(&GridCell { level, ..GridCell::default() }, collar.hue),
    }
}

fn paint_collars(painting: &mut Painting, plan: &StageGeometry, cross: &Cross) {
    let both = [(PlaceId::LeftCollar, &cross.left_collar), (PlaceId::TopCollar, &cross.top_collar)];
    for (place, collar) in both {
        let (Some(placed), Some(collar)) = (plan.place(place), collar) else { continue };
        let (down, across) = placed.cells();
        let bundle =
            if place == PlaceId::LeftCollar { placed.bundle.rows } else { placed.bundle.columns };
        let shades: Vec<_> = (0..down.max(across))
            .map(|cell| {
                let words = cell * bundle..(cell + 1) * bundle;
                let levels = words.filter_map(|word| collar.cells.get(word as usize));
                together(levels.map(|level| collar_shade(collar, *level)))
            })
            .collect();
        for y in placed.area.y..placed.area.bottom() {
            for x in placed.area.x..placed.area.right() {
                let shade =
                    placed.cell_at(x, y).map(|(row, column)| shades[row.max(column) as usize]);
                if let Some(shade) = shade.filter(|shade| *shade != Shade::Ground) {
                    painting.set(x, y, shade);
                }
            }
        }
    }
}

fn paint_followed(painting: &mut Painting, plan: &StageGeometry, cross: &Cross) {
    let (Some(corner), Some(followed)) = (plan.place(PlaceId::Corner), &cross.followed) else {
        return;
    };
    if corner.shape == PlaceShape::Grid {
        painting.fill(corner.of(followed), Shade::Followed);
    }
}

/// Lines at both sides of each place: a projector swallows pale fills.
pub(super) fn edges(scene: &StageScene, plan: &StageGeometry, writing: &mut Writing<'_>) {
    let look = writing.pen.look;
    if look.theme != Theme::Stage || !look.has_pixels() {
        return;
    }
    for placed in plan.tiles.iter().filter(|placed| placed.shape == PlaceShape::Grid) {
        let Some(tile) = tile(scene, placed.place) else { continue };
        for row in placed.area.rows() {
            let sides = [(placed.area.x.checked_sub(1), "▕"), (Some(placed.area.right()), "▏")];
            for (x, line) in sides {
                if let Some(x) = x.filter(|x| writing.is_free(*x, row)) {
                    writing.pen.text(x, row, line, look.ink(role(tile.hue)));
                }
            }
        }
    }
}

/// Writes on the places: values, and the numbers of lanes on bricks.
pub(super) fn write(scene: &StageScene, plan: &StageGeometry, writing: &mut Writing<'_>) {
    for placed in plan.tiles.iter().filter(|placed| placed.shape == PlaceShape::Grid) {
        let (Some(tile), Some((across, high))) = (tile(scene, placed.place), placed.cell_size())
        else {
            continue;
        };
        if placed.bundle.columns == 1 && placed.bundle.rows == 1 && across >= 3 && high >= 2 {
            write_values(writing, tile, placed, (across, high));
        }
        if tile.kind == TileKind::Threads && tile.brick > 1 {
            write_lanes(writing, tile, placed, (across, high));
        }
    }
}

fn write_values(
    writing: &mut Writing<'_>,
    tile: &WordTile,
    placed: &PlacedTile,
    (across, high): (u16, u16),
) {
    let room = if across >= 4 { across - 1 } else { across };
    for (i, cell) in (0_u32..).zip(&tile.cells) {
        let Some(value) = cell.value else { continue };
        let text = matrices::text(value.into());
        let (row, column) = (i / tile.columns.max(1), i % tile.columns.max(1));
        if width(&text) > room {
            continue;
        }
        let x = placed.area.x + column as u16 * across + (room - width(&text)).div_ceil(2);
        let y = u16::midpoint(placed.area.y, row as u16 * high) + (high / 2 - 1) / 2;
        on_cell(writing, (x, y), &text);
    }
}

/// Writes text on the colour that lies there.
pub(super) fn on_cell(writing: &mut Writing<'_>, (x, y): (u16, u16), text: &str) {
    let look = writing.pen.look;
    let ground = colour(look, writing.painting.at(x, 2 * y));
    let style = look.on(ground).add_modifier(Modifier::BOLD);
    writing.pen.text(x, y, text, style.bg(ground));
}

/// Writes the number of a lane where its word lies: above the door, where everything lies as it is stored.
pub(super) fn write_mark(
    scene: &StageScene,
    plan: &StageGeometry,
    writing: &mut Writing<'_>,
    mark: Option<LaneMark>,
) {
    // Beside values, it would be taken for one.
    let mut all = plan.tiles.iter().filter_map(|placed| tile(scene, placed.place));
    let Some(mark) = mark.filter(|_| !all.any(has_values)) else { return };
    let text = mark.lane.to_string();
    for placed in plan.tiles.iter().filter(|placed| matches!(placed.place, PlaceId::Above(_))) {
        let Some(tile) = tile(scene, placed.place) else { continue };
        let at = match tile.kind {
            TileKind::Global | TileKind::Threads => mark.word,
            TileKind::Shared => mark.stored,
            TileKind::Sums => None,
        };
        let has_room = placed.cell_size().is_some_and(|(across, high)| {
            across >= width(&text) && high >= 2 && placed.bundle == Bundle::ONE
        });
        let inside = |(row, column): &(u32, u32)| *row < tile.rows && *column < tile.columns;
        if let Some((row, column)) = at.filter(|at| has_room && inside(at)) {
            let cell = placed.of(&CellRange { rows: row..row + 1, columns: column..column + 1 });
            on_cell(writing, (cell.x, cell.y / 2), &text);
        }
    }
}

/// Writes on each brick the number of its lane.
fn write_lanes(
    writing: &mut Writing<'_>,
    tile: &WordTile,
    placed: &PlacedTile,
    (across, high): (u16, u16),
) {
    let brick = tile.brick as u16 * across / placed.bundle.columns.clamp(1, 99) as u16;
    if brick < 3 || high < 2 || placed.bundle.rows > 1 {
        return;
    }
    let in_row = tile.columns / tile.brick.max(1);
    for band in &tile.bands {
        for row in band.rows.clone() {
            for i in 0..in_row {
                let text = ((row - band.rows.start) * in_row + i).to_string();
                let x =
                    placed.area.x + i as u16 * brick + (brick - 1).saturating_sub(width(&text)) / 2;
                let y = u16::midpoint(placed.area.y, row as u16 * high);
                on_cell(writing, (x, y), &text);
            }
        }
    }
}
