//! The largest cells with which the places of a room fit.

use super::place::{Bundle, HalfRect, PlaceShape, PlacedTile};
use crate::study::stage::{Cross, PlaceId, TileKind, WordTile};
use crate::tui::layout::text::width;

/// The sizes of a cell: columns, and half rows.
pub(super) const ZOOMS: [(u16, u16); 9] =
    [(8, 8), (6, 6), (4, 4), (4, 2), (3, 2), (2, 2), (3, 1), (2, 1), (1, 1)];

/// Whether words may be bundled, and how many cells an axis keeps that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bundling {
    No,
    Fine,
    Coarse,
}

impl Bundling {
    /// What is tried in turn.
    pub(super) const ALL: [Self; 3] = [Self::No, Self::Fine, Self::Coarse];

    /// Whether an axis of so many cells may be bundled further.
    const fn allows(self, cells: u16) -> bool {
        match self {
            Self::No => false,
            Self::Fine => cells > 16,
            Self::Coarse => cells > 1,
        }
    }
}

pub(super) const LARGEST: (u16, u16) = ZOOMS[0];

/// The room that a room of the stage has: columns, its first row, and rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct FitSpace {
    pub(super) x: u16,
    pub(super) width: u16,
    pub(super) y: u16,
    pub(super) rows: u16,
}

/// The tiles of a room side by side: rows for the titles above and the costs below them included.
pub(super) fn row(
    tiles: &[WordTile],
    place: fn(usize) -> PlaceId,
    space: FitSpace,
    (bundling, most): (Bundling, (u16, u16)),
) -> Option<Vec<PlacedTile>> {
    let halves = 2 * space.rows.checked_sub(2)?;
    if tiles.is_empty() || halves == 0 {
        return None;
    }
    let as_names = |tile: &WordTile, named: bool| named && tile.kind == TileKind::Threads;
    for named in [false, true] {
        let mut bundles: Vec<Bundle> = vec![Bundle::ONE; tiles.len()];
        loop {
            let fits = |(c, r): (u16, u16)| {
                let wide: u16 = tiles
                    .iter()
                    .zip(&bundles)
                    .map(|(tile, bundle)| {
                        if as_names(tile, named) {
                            names_width(tile)
                        } else {
                            columns(tile, *bundle).saturating_mul(c)
                        }
                    })
                    .fold(least_gaps(tiles, named), u16::saturating_add);
                let tall = tiles.iter().zip(&bundles).map(|(tile, b)| rows(tile, *b));
                c <= most.0
                    && r <= most.1
                    && wide <= space.width
                    && tall.max().unwrap_or(0).saturating_mul(r) <= halves
            };
            if let Some(zoom) = ZOOMS.into_iter().find(|zoom| fits(*zoom)) {
                return Some(spread(tiles, place, space, (zoom, &bundles), named));
            }
            if !bundle_more(tiles, &mut bundles, halves, bundling) {
                break;
            }
        }
    }
    None
}

/// Bundles the words of the widest tiles, or of the tallest if they are too tall.
fn bundle_more(
    tiles: &[WordTile],
    bundles: &mut [Bundle],
    halves: u16,
    bundling: Bundling,
) -> bool {
    let tallest = tiles.iter().zip(&*bundles).map(|(tile, b)| rows(tile, *b)).max().unwrap_or(0);
    if tallest > halves {
        if !bundling.allows(tallest) {
            return false;
        }
        for (tile, bundle) in tiles.iter().zip(bundles) {
            if rows(tile, *bundle) > halves || tile.rows == tiles[0].rows {
                bundle.rows *= 2;
            }
        }
        return true;
    }
    let widest = tiles.iter().zip(&*bundles).map(|(tile, b)| columns(tile, *b)).max().unwrap_or(0);
    if !bundling.allows(widest) {
        return false;
    }
    for (tile, bundle) in tiles.iter().zip(bundles) {
        if columns(tile, *bundle) == widest {
            bundle.columns *= 2;
        }
    }
    true
}

fn rows(tile: &WordTile, bundle: Bundle) -> u16 {
    tile.rows.div_ceil(bundle.rows).clamp(1, 9999) as u16
}

fn columns(tile: &WordTile, bundle: Bundle) -> u16 {
    tile.columns.div_ceil(bundle.columns).clamp(1, 9999) as u16
}

/// The columns of the names of a tile's warps: they stand before the threads, or before the first
/// tile if no threads are shown.
fn names_width(tile: &WordTile) -> u16 {
    tile.bands.iter().map(|band| width(&format!("w{}", band.warp))).max().unwrap_or(0)
}

/// The columns before a tile that nothing else may take.
fn least_gap(tiles: &[WordTile], i: usize, named: bool) -> u16 {
    let as_names = named && tiles[i].kind == TileKind::Threads;
    let names = if has_names(tiles, i) && !as_names { names_width(&tiles[i]) } else { 0 };
    let wear = if i > 0 && tiles[i - 1].wear.is_some() { 2 } else { 0 };
    match i {
        0 if names == 0 => 0,
        0 => names + 1,
        _ => (names + 2).max(2) + wear,
    }
}

/// Whether the names of the warps stand before a tile: before the threads, if those are shown.
pub(super) fn has_names(tiles: &[WordTile], i: usize) -> bool {
    let threads = tiles.iter().position(|tile| tile.kind == TileKind::Threads);
    threads.is_none_or(|threads| threads == i)
}

fn least_gaps(tiles: &[WordTile], named: bool) -> u16 {
    (0..tiles.len()).map(|i| least_gap(tiles, i, named)).sum()
}

/// The most columns between two tiles.
const WIDEST_GAP: u16 = 22;

/// Puts the tiles where they belong, with the columns that are left between them.
fn spread(
    tiles: &[WordTile],
    place: fn(usize) -> PlaceId,
    space: FitSpace,
    ((c, r), bundles): ((u16, u16), &[Bundle]),
    named: bool,
) -> Vec<PlacedTile> {
    let is_names = |tile: &WordTile| named && tile.kind == TileKind::Threads;
    let wide = |i: usize| {
        if is_names(&tiles[i]) {
            names_width(&tiles[i])
        } else {
            c * columns(&tiles[i], bundles[i])
        }
    };
    let taken: u16 = (0..tiles.len()).map(wide).sum::<u16>() + least_gaps(tiles, named);
    let gaps = tiles.len().saturating_sub(1).max(1) as u16;
    let more = space.width.saturating_sub(taken) / gaps;
    let mut x = space.x;
    let placed = tiles.iter().enumerate().map(|(i, tile)| {
        let least = least_gap(tiles, i, named);
        x += if i == 0 { least } else { (least + more).min(WIDEST_GAP.max(least)) };
        let height = rows(tile, bundles[i]) * r;
        let area = HalfRect { x, y: 2 * (space.y + 1), width: wide(i), height };
        x = area.right();
        let shape = if is_names(tile) { PlaceShape::Names } else { PlaceShape::Grid };
        let (rows, columns) = (tile.rows, tile.columns);
        let bundle = match shape {
            PlaceShape::Names => Bundle { columns: columns.max(1), ..bundles[i] },
            PlaceShape::Grid | PlaceShape::Gauge => bundles[i],
        };
        PlacedTile { place: place(i), area, shape, rows, columns, bundle }
    });
    placed.collect()
}

/// What a cross needs besides its tiles.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrossForm {
    /// Columns between the left tile and the corner: the collar with a column on each side included.
    pub(super) gap: u16,
    /// Columns at the right of the corner that have to stay free.
    pub(super) right: u16,
    /// Rows below it: titles and costs.
    pub(super) below: u16,
}

/// The columns of the left collar.
pub(super) const COLLAR: u16 = 2;

/// The words that a cell of the cross stands for, along the rows of C, its columns, and k.
#[derive(Clone, Copy, Debug)]
struct Axes {
    m: u32,
    n: u32,
    k: u32,
}

/// The cross: one row for the title of the upper tile above it included.
pub(super) fn cross(
    cross: &Cross,
    space: FitSpace,
    form: CrossForm,
    bundling: Bundling,
) -> Option<Vec<PlacedTile>> {
    let rows = space.rows.checked_sub(2 + form.below)?;
    let wide = space.width.checked_sub(form.gap + form.right)?;
    let mut by = Axes { m: 1, n: 1, k: 1 };
    let count = |by: Axes| {
        let cells = |words: u32, by: u32| words.div_ceil(by).clamp(1, 9999) as u16;
        [
            cells(cross.corner.rows, by.m),
            cells(cross.corner.columns, by.n),
            cells(cross.left.columns.max(cross.top.rows), by.k),
        ]
    };
    loop {
        let [m, n, k] = count(by);
        let tall = |r: u16| {
            k.saturating_mul(r).div_ceil(2).saturating_add(m.saturating_mul(r).div_ceil(2))
        };
        let broad = |c: u16| k.saturating_add(n).saturating_mul(c);
        let fits = |(c, r): &(u16, u16)| tall(*r) <= rows && broad(*c) <= wide;
        if let Some(zoom) = ZOOMS.into_iter().find(fits) {
            return Some(lay_cross(cross, space, form, (zoom, by)));
        }
        let (too_tall, too_broad) = (tall(1) > rows, broad(1) > wide);
        let along_c = if too_tall { m >= k } else { n >= k };
        let longest = match (along_c, too_tall) {
            (true, true) => m,
            (true, false) => n,
            (false, _) => k,
        };
        if !bundling.allows(longest) {
            return None;
        }
        match (along_c, too_tall && !too_broad) {
            (true, _) if cross.corner.rows == cross.corner.columns => {
                (by.m, by.n) = (by.m * 2, by.n * 2);
            }
            (true, true) => by.m *= 2,
            (true, false) if too_tall => (by.m, by.n) = (by.m * 2, by.n * 2),
            (true, false) => by.n *= 2,
            (false, _) => by.k *= 2,
        }
    }
}

fn lay_cross(
    cross: &Cross,
    space: FitSpace,
    form: CrossForm,
    ((c, r), by): ((u16, u16), Axes),
) -> Vec<PlacedTile> {
    let grid = |place: PlaceId, (rows, columns): (u32, u32), bundle: Bundle, at: (u16, u16)| {
        let (down, across) = (rows.div_ceil(bundle.rows), columns.div_ceil(bundle.columns));
        let size = (across.max(1) as u16 * c, down.max(1) as u16 * r);
        let area = HalfRect { x: at.0, y: at.1, width: size.0, height: size.1 };
        PlacedTile { place, area, shape: PlaceShape::Grid, rows, columns, bundle }
    };
    let shape = |tile: &WordTile| (tile.rows, tile.columns);
    let y = 2 * (space.y + 1);
    let deep = (cross.left.columns.max(cross.top.rows).div_ceil(by.k).max(1)) as u16;
    let corner_y = y + (deep * r).next_multiple_of(2) + 2;
    let corner_x = space.x + deep * c + form.gap;
    let top = Bundle { rows: by.k, columns: by.n };
    let left = Bundle { rows: by.m, columns: by.k };
    let corner = Bundle { rows: by.m, columns: by.n };
    let placed = [
        grid(PlaceId::Left, shape(&cross.left), left, (space.x, corner_y)),
        grid(PlaceId::Top, shape(&cross.top), top, (corner_x, y)),
        grid(PlaceId::Corner, shape(&cross.corner), corner, (corner_x, corner_y)),
    ];
    let [_, _, whole] = placed;
    let beside = PlacedTile {
        place: PlaceId::LeftCollar,
        area: HalfRect { x: corner_x - COLLAR - 1, width: COLLAR, ..whole.area },
        shape: PlaceShape::Grid,
        rows: whole.rows,
        columns: 1,
        bundle: Bundle { rows: by.m, columns: 1 },
    };
    let above = PlacedTile {
        place: PlaceId::TopCollar,
        area: HalfRect { y: corner_y - 1, height: 1, ..whole.area },
        shape: PlaceShape::Grid,
        rows: 1,
        columns: whole.columns,
        bundle: Bundle { rows: 1, columns: by.n },
    };
    placed.into_iter().chain([beside, above]).collect()
}
