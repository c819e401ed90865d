//! The room in which nothing happens, as one line; and the whole stage as lines where nothing else fits.

use super::geometry::{RoomPlan, RoomShape, StageGeometry, margin, tile};
use super::place::{Bundle, HalfRect, PlaceShape, PlacedTile};
use crate::study::stage::{CellLevel, LowerRoom, PlaceId, StageScene, TileKind, WordTile};
use crate::tui::layout::text::width;
use ratatui::layout::Size;

/// The most cells of a gauge.
const GAUGE: u16 = 16;

/// The tiles of the room that is one line.
pub(super) fn gauged(scene: &StageScene, upper: bool) -> Vec<(PlaceId, &WordTile)> {
    let of = |place| tile(scene, place).map(|tile| (place, tile));
    let above = (0..scene.above.len()).map(PlaceId::Above);
    let below = match &scene.below {
        LowerRoom::Row(tiles) => (0..tiles.len()).map(PlaceId::Below).collect(),
        LowerRoom::Cross(_) => vec![PlaceId::Left, PlaceId::Top, PlaceId::Corner],
        LowerRoom::Nothing => Vec::new(),
    };
    let places: Vec<_> = if upper { above.collect() } else { below };
    let all: Vec<_> = places.into_iter().filter_map(of).collect();
    let pending =
        |tile: &WordTile| tile.cells.iter().any(|cell| cell.level == CellLevel::InRegisters);
    let words = |(_, tile): &&(PlaceId, &WordTile)| match tile.kind {
        TileKind::Global => true,
        TileKind::Threads => pending(tile),
        TileKind::Shared | TileKind::Sums => !upper,
    };
    let kept: Vec<_> = all.iter().filter(words).copied().collect();
    if kept.is_empty() { all } else { kept }
}

/// The line of a room: words before it, and for each tile a title and a gauge.
pub(super) fn gauge_words(upper: bool, columns: u16) -> &'static str {
    match (upper, columns) {
        (true, 60..) => "above the barrier",
        (false, 60..) => "below the barrier",
        _ => "",
    }
}

pub(super) fn gauges(scene: &StageScene, plan: &StageGeometry, columns: u16) -> Vec<PlacedTile> {
    let upper = plan.above.shape == RoomShape::Gauges;
    if !upper && plan.below.shape != RoomShape::Gauges {
        return Vec::new();
    }
    let room = if upper { &plan.above } else { &plan.below };
    let all = gauged(scene, upper);
    let words = width(gauge_words(upper, columns));
    let start = plan.margin + if words > 0 { words + 3 } else { 0 };
    let titles: u16 = all.iter().map(|(_, tile)| width(short(&tile.title)) + 4).sum();
    // The count stands after the last one.
    let count = if upper { 0 } else { 10 };
    let end = (plan.margin + columns).saturating_sub(count);
    let left = end.saturating_sub(start + titles) / all.len().max(1) as u16;
    let cells = [GAUGE, 8, 4].into_iter().find(|cells| *cells <= left).unwrap_or(0);
    if cells == 0 {
        return Vec::new();
    }
    let mut x = start;
    let placed = all.into_iter().map(|(place, tile)| {
        x += width(short(&tile.title)) + 1;
        let height = 2 * room.rows.len() as u16;
        let area = HalfRect { x, y: 2 * room.rows.start, width: cells, height };
        x += cells + 3;
        let bundle =
            Bundle { rows: tile.rows.div_ceil(cells.into()).max(1), columns: tile.columns };
        let (rows, columns) = (tile.rows, tile.columns);
        PlacedTile { place, area, shape: PlaceShape::Gauge, rows, columns, bundle }
    });
    placed.collect()
}

/// The name of an array, without its range.
pub(super) fn short(title: &str) -> &str {
    title.split(['[', ' ']).next().unwrap_or(title)
}

/// The stage where nothing else fits: the sentence, a line for each tile, the seats.
pub(super) fn small(scene: &StageScene, size: Size) -> StageGeometry {
    let margin = margin(size);
    let head = 0..size.height.min(2);
    let tiles: Vec<_> = [true, false]
        .into_iter()
        .flat_map(|upper| gauged(scene, upper))
        .filter(|(_, tile)| tile.kind != TileKind::Threads)
        .collect();
    let names = tiles.iter().map(|(_, tile)| width(short(&tile.title))).max().unwrap_or(0);
    let first = head.end + 1;
    let doors = scene.doors.len() as u16;
    let room = size.height.saturating_sub(first + doors);
    let most = (size.width / 2).saturating_sub(names + margin + 1).min(GAUGE);
    let half = if tiles.len() as u16 > room { size.width / 2 } else { 0 };
    let placed = tiles.into_iter().enumerate().map(|(i, (place, tile))| {
        let (row, column) = if half > 0 { (i / 2, i % 2) } else { (i, 0) };
        let x = margin + names + 1 + half * column as u16;
        let (rows, columns) = (tile.rows, tile.columns);
        let bundle = Bundle { rows: rows.div_ceil(most.max(1).into()).max(1), columns };
        let cells = (rows.div_ceil(bundle.rows).max(1) as u16).min(most.max(1));
        let area = HalfRect { x, y: 2 * (first + row as u16), width: cells, height: 2 };
        PlacedTile { place, area, shape: PlaceShape::Gauge, rows, columns, bundle }
    });
    let tiles: Vec<_> = placed.filter(|tile| tile.area.rows().end + doors <= size.height).collect();
    let end = tiles.iter().map(|tile| tile.area.rows().end).max().unwrap_or(first);
    let door = (end + 1).min(size.height.saturating_sub(doors));
    StageGeometry {
        margin,
        head,
        airy: false,
        above: RoomPlan { rows: first..end, shape: RoomShape::Gauges },
        below: RoomPlan::default(),
        doors: (0..doors).map(|i| door + i).collect(),
        names: false,
        twin: None,
        phases: None,
        side: None,
        tiles,
        lens: Vec::new(),
        turning: None,
    }
}
