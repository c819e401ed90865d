//! What stands where: words, rooms, door and places.

use super::fit::{self, Bundling, CrossForm, FitSpace, LARGEST};
use super::gauges::{gauges, small};
use super::geometry::{
    LEFT_WEAR, RoomPlan, RoomShape, StageGeometry, TOP_WEAR, margin, tile, wear_columns,
};
use super::lens;
use super::place::PlacedTile;
use crate::study::stage::{
    ActingRoom, Cross, LowerRoom, PlaceId, StageLayout, StageScene, TileKind, WordTile,
};
use ratatui::layout::{Rect, Size};

/// Where everything of a scene stands on so many columns and rows.
pub fn arranged(scene: &StageScene, size: Size) -> StageGeometry {
    arranged_for(scene, scene.acting, size)
}

/// The same while the door moves, by this part of its way: the room that acts grows.
pub fn arranged_while(scene: &StageScene, room_change: Option<f32>, size: Size) -> StageGeometry {
    let plan = arranged(scene, size);
    let Some(part) = room_change.filter(|part| *part < 1.0) else { return plan };
    let before = match scene.acting {
        ActingRoom::Above => ActingRoom::Below,
        ActingRoom::Below | ActingRoom::Both => ActingRoom::Above,
    };
    let eased = |part: f32| part * part * (3.0 - 2.0 * part);
    let grown = |part: f32| arranged_for(scene, before, size).towards(&plan, eased(part));
    if before == ActingRoom::Above && scene.turns() {
        // First the room grows, then the tile turns in it.
        let turning = Some(eased((2.0 * part - 1.0).max(0.0)));
        return StageGeometry { turning, ..grown((2.0 * part).min(1.0)) };
    }
    grown(part)
}

/// The same if something happened in this room.
fn arranged_for(scene: &StageScene, room: ActingRoom, size: Size) -> StageGeometry {
    let all = Furniture::ladder(scene, size);
    let large = acting(scene, room);
    if size.width < 44 && size.height < 16 {
        return small(scene, size);
    }
    let planned =
        |bundling| all.iter().find_map(|with| planned(scene, size, (large, *with), bundling));
    Bundling::ALL.into_iter().find_map(planned).unwrap_or_else(|| small(scene, size))
}

/// What stands around the acting room.
#[derive(Clone, Copy, Debug)]
struct Furniture {
    kept: Kept,
    /// Whether the room in which nothing happens is large, too.
    both_large: bool,
    /// Whether there may be words at the right of the acting room.
    wide: bool,
}

/// What is kept where not everything fits: each leaves out one thing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kept {
    All,
    NoSide,
    NoAir,
    NoWord,
    NoNames,
    OneRoom,
    NoPhases,
    NoCosts,
    NoSource,
}

impl Kept {
    const LADDER: [Self; 9] = [
        Self::All,
        Self::NoSide,
        Self::NoAir,
        Self::NoWord,
        Self::NoNames,
        Self::OneRoom,
        Self::NoPhases,
        Self::NoCosts,
        Self::NoSource,
    ];
}

/// From so many rows on both rooms are large, if they fit.
const TALL: u16 = 48;

/// The columns of the words at the side.
const SIDE: u16 = 36;

impl Furniture {
    /// What is tried in turn.
    fn ladder(scene: &StageScene, size: Size) -> Vec<Self> {
        let wide = size.width >= 100 && !matches!(scene.below, LowerRoom::Row(_));
        let with = |both_large| move |kept| Self { kept, both_large, wide };
        let large = [Kept::All, Kept::NoSide].map(with(true));
        let large = large.into_iter().filter(|_| size.height >= TALL);
        large.chain(Kept::LADDER.map(with(false))).collect()
    }

    fn airy(self) -> bool {
        self.kept < Kept::NoAir
    }

    fn source(self) -> bool {
        self.kept < Kept::NoSource
    }

    fn word(self) -> bool {
        self.kept < Kept::NoWord
    }

    /// Whether the other room is a line.
    fn has_line(self) -> bool {
        !self.both_large && self.kept < Kept::OneRoom
    }

    /// Whether words stand at the right of the acting room.
    fn side(self) -> bool {
        self.wide && self.kept < Kept::NoSide
    }

    /// Whether the names of the seats have a row.
    fn names(self) -> bool {
        self.kept < Kept::NoNames
    }

    fn phases(self) -> bool {
        self.kept < Kept::NoPhases
    }

    /// Whether titles and costs stand below the cross.
    fn costs(self) -> bool {
        self.kept < Kept::NoCosts
    }
}

/// The room that acts, as it is drawn large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Large {
    Above,
    Below,
}

fn acting(scene: &StageScene, room: ActingRoom) -> Large {
    match (room, &scene.below) {
        (_, LowerRoom::Nothing) => Large::Above,
        _ if scene.above.is_empty() => Large::Below,
        (ActingRoom::Above, _) => Large::Above,
        (ActingRoom::Below | ActingRoom::Both, _) => Large::Below,
    }
}

/// The rows that the room needs in which nothing is carried by threads.
fn line_rows(scene: &StageScene, large: Large, with: Furniture) -> u16 {
    let empty = match large {
        Large::Above => scene.below == LowerRoom::Nothing,
        Large::Below => scene.above.is_empty(),
    };
    if empty || !with.has_line() {
        return 0;
    }
    // Copies that no thread carries come and go: their rows stay.
    let carried = scene.above.iter().any(|tile| tile.kind == TileKind::Threads);
    let copied = scene.layout == StageLayout::TwoRoomsAtOnce && !carried;
    match large {
        Large::Below if copied && with.airy() => MOST_COPIES,
        Large::Below if copied => 2,
        Large::Above | Large::Below => 1,
    }
}

/// The most copies that have a row of their own.
const MOST_COPIES: u16 = 4;

fn planned(
    scene: &StageScene,
    size: Size,
    (large, with): (Large, Furniture),
    bundling: Bundling,
) -> Option<StageGeometry> {
    let margin = margin(size);
    let air = u16::from(with.airy());
    let said = if size.width < 60 { 2 } else { 1 };
    let head = air + said + u16::from(with.source()) + u16::from(with.word());
    let doors = scene.doors.len() as u16;
    let line = line_rows(scene, large, with);
    let door = if doors == 0 { 0 } else { doors + u16::from(with.names()) };
    let twin = if scene.twin.is_some() { 2 + air } else { 0 };
    let phases = if with.phases() && !scene.phases.names.is_empty() { 1 + air } else { 0 };
    let foot = twin + phases + air;
    let gap = air * u16::from(doors > 0);
    let line_and_gap = if line > 0 { line + gap } else { 0 };
    let rest = size.height.checked_sub(head + air + line_and_gap + gap + door + foot)?;
    let width = size.width.checked_sub(2 * margin)?;
    let space = |y: u16, rows: u16| FitSpace { x: margin, width, y, rows };
    let first = head + air;
    let (above, below, tiles) = match (large, with.both_large) {
        (_, true) => {
            let both = both_rooms(scene, space(first, rest), with, door + gap)?;
            let (upper, lower) = (both.0, first + both.0 + door + gap);
            let above = RoomPlan { rows: first..first + upper, shape: RoomShape::Tiles };
            let shape = shape_below(scene, with);
            let below = RoomPlan { rows: lower..lower + both.1, shape };
            (above, below, both.2)
        }
        (Large::Above, _) => {
            let tiles =
                fit::row(&scene.above, PlaceId::Above, space(first, rest), (bundling, LARGEST))?;
            let used = used_rows(&tiles, first, rest, 1);
            let above = RoomPlan { rows: first..first + used, shape: RoomShape::Tiles };
            let start = first + used + gap + door + gap;
            // Where rows are left, the other room is more than a line.
            let high = if line > 0 && with.airy() && used + 4 <= rest { 3 } else { line };
            let below = other(high, start, RoomShape::Gauges);
            (above, below, tiles)
        }
        (Large::Below, _) => {
            let copies = scene.ways.iter().any(|way| way.copy);
            let shape = if copies { RoomShape::Copies } else { RoomShape::Gauges };
            let above = other(line, first, shape);
            let start = first + line_and_gap + door + if doors > 0 { 0 } else { gap };
            let (tiles, under) = lower_tiles(scene, space(start, rest), with, bundling)?;
            let used = used_rows(&tiles, start, rest, under);
            let below = RoomPlan { rows: start..start + used, shape: shape_below(scene, with) };
            (above, below, tiles)
        }
    };
    let door_row = match large {
        _ if with.both_large => above.rows.end + u16::from(with.names()),
        Large::Above => above.rows.end + gap + u16::from(with.names()),
        Large::Below => first + line_and_gap,
    };
    // The beats keep their row at the bottom, whichever room acts.
    let end =
        size.height.saturating_sub(twin + phases).saturating_sub(air) + air.min(twin + phases);
    let mut plan = StageGeometry {
        margin,
        head: 0..head,
        airy: with.airy(),
        doors: (0..doors).map(|i| door_row + i).collect(),
        names: with.names(),
        twin: scene.twin.map(|_| end),
        phases: (phases > 0).then(|| size.height - 1 - air),
        side: None,
        above,
        below,
        tiles,
        lens: Vec::new(),
        turning: None,
    };
    plan.side = side(scene, &plan, size, with);
    plan.lens = lens::place(scene, plan.side);
    plan.tiles.extend(gauges(scene, &plan, width));
    Some(plan)
}

/// A cross alone, in one half of a comparison; both halves get the same form.
pub(super) fn half(scene: &StageScene, space: FitSpace, form: CrossForm) -> Option<StageGeometry> {
    let LowerRoom::Cross(cross) = &scene.below else { return None };
    let tiles =
        Bundling::ALL.into_iter().find_map(|bundling| fit::cross(cross, space, form, bundling))?;
    let rows = space.y..space.y + used_rows(&tiles, space.y, space.rows, form.below);
    Some(StageGeometry {
        margin: space.x,
        head: 0..0,
        airy: false,
        above: RoomPlan::default(),
        below: RoomPlan { rows, shape: RoomShape::Cross { tight: false } },
        doors: Vec::new(),
        names: false,
        twin: None,
        phases: None,
        side: None,
        tiles,
        lens: Vec::new(),
        turning: None,
    })
}

/// What the cross of a half needs besides its tiles, in a half of so many columns.
pub(super) fn half_form(scene: &StageScene, columns: u16) -> Option<CrossForm> {
    let LowerRoom::Cross(cross) = &scene.below else { return None };
    let with = Furniture { kept: Kept::OneRoom, both_large: false, wide: false };
    Some(cross_form(scene, cross, columns, with))
}

fn other(line: u16, start: u16, shape: RoomShape) -> RoomPlan {
    if line == 0 {
        return RoomPlan { rows: start..start, shape: RoomShape::Nothing };
    }
    RoomPlan { rows: start..start + line, shape }
}

fn shape_below(scene: &StageScene, with: Furniture) -> RoomShape {
    match &scene.below {
        LowerRoom::Cross(_) => RoomShape::Cross { tight: !with.costs() },
        LowerRoom::Row(_) => RoomShape::Tiles,
        LowerRoom::Nothing => RoomShape::Nothing,
    }
}

/// The rows that a room takes with what stands under its tiles.
fn used_rows(tiles: &[PlacedTile], first: u16, rest: u16, under: u16) -> u16 {
    let last = tiles.iter().map(|tile| tile.area.rows().end).max().unwrap_or(first);
    (last + under - first).min(rest)
}

fn lower_tiles(
    scene: &StageScene,
    space: FitSpace,
    with: Furniture,
    bundling: Bundling,
) -> Option<(Vec<PlacedTile>, u16)> {
    match &scene.below {
        LowerRoom::Cross(cross) => {
            let form = cross_form(scene, cross, space.width, with);
            Some((fit::cross(cross, space, form, bundling)?, form.below))
        }
        LowerRoom::Row(tiles) => {
            Some((fit::row(tiles, PlaceId::Below, space, (bundling, LARGEST))?, 1))
        }
        LowerRoom::Nothing => None,
    }
}

fn cross_form(scene: &StageScene, cross: &Cross, width: u16, with: Furniture) -> CrossForm {
    let wear = |tile: &WordTile, most: u16| match wear_columns(tile, width, most) {
        0 => 0,
        columns => columns + 2,
    };
    let (left, top) = (wear(&cross.left, LEFT_WEAR), wear(&cross.top, TOP_WEAR));
    let names = match (width >= 90, left > 0) {
        (true, false) => 7,
        (true, true) | (false, _) => 5,
    };
    let collar = fit::COLLAR + 1;
    let side = match (with.side() || scene.lens.is_some() && with.airy(), top) {
        (false, _) => 0,
        (true, 0) => SIDE + 2,
        (true, wear) => wear + 22,
    };
    let counts = if with.costs() { 0 } else { 4 };
    CrossForm {
        gap: left + names + collar,
        right: side.max(top).max(counts),
        below: if with.costs() { 2 } else { 0 },
    }
}

/// Both rooms large: the cells of the upper one are no wider than those of the lower one.
fn both_rooms(
    scene: &StageScene,
    space: FitSpace,
    with: Furniture,
    between: u16,
) -> Option<(u16, u16, Vec<PlacedTile>)> {
    if scene.above.is_empty() {
        return None;
    }
    let total = space.rows.checked_sub(between)?;
    let columns = |tiles: &[PlacedTile]| tiles.first()?.cell_size().map(|(c, _)| c);
    fit::ZOOMS.into_iter().find_map(|most| {
        let upper = FitSpace { rows: total, ..space };
        let above = fit::row(&scene.above, PlaceId::Above, upper, (Bundling::No, most))?;
        let upper = used_rows(&above, space.y, total, 1) + 1;
        let y = space.y + upper + between;
        let left = total.checked_sub(upper)?;
        let below = FitSpace { y, rows: left, ..space };
        let (below, under) = lower_tiles(scene, below, with, Bundling::No)?;
        let lower = used_rows(&below, y, left, under);
        (columns(&above) <= columns(&below))
            .then(|| (upper, lower, above.into_iter().chain(below).collect::<Vec<_>>()))
    })
}

/// The free rectangle for words, or for the lens.
fn side(scene: &StageScene, plan: &StageGeometry, size: Size, with: Furniture) -> Option<Rect> {
    if scene.side.is_empty() && scene.lens.is_none() {
        return None;
    }
    let (Some(corner), Some(top)) = (plan.place(PlaceId::Corner), plan.place(PlaceId::Top)) else {
        let free = plan.free_rows();
        let (x, y, height) = (plan.margin, free.start, free.len() as u16);
        let room = Rect { x, y, width: size.width.saturating_sub(2 * x), height };
        return (height >= 4).then_some(room);
    };
    let wear = tile(scene, PlaceId::Top).map_or(0, |tile| wear_columns(tile, size.width, TOP_WEAR));
    let x = top.area.right() + if wear > 0 { wear + 4 } else { 4 };
    let room = size.width.saturating_sub(plan.margin.min(2) + x);
    let rows = plan.below.rows.clone();
    let least = if scene.lens.is_some() || wear > 0 { 20 } else { 28 };
    if room >= least {
        let y = rows.start + 1;
        return Some(Rect { x, y, width: room.min(SIDE + 12), height: rows.end.saturating_sub(y) });
    }
    // The free corner of the cross: above the left tile.
    let x = plan.margin;
    let mark = if with.costs() { 1 } else { 2 };
    let (y, end) = (rows.start + 1, (corner.area.y / 2).saturating_sub(mark));
    let wide = corner.area.x.saturating_sub(x + 8);
    let beside = wide >= 20 && end > y;
    let under = (with.costs() && size.height > 2 * size.width / 3).then(|| {
        let y = plan.below.rows.end + 1;
        let end = plan.phases.unwrap_or(size.height).saturating_sub(1);
        Rect { x, y, width: size.width.saturating_sub(2 * x), height: end.saturating_sub(y) }
    });
    if beside { Some(Rect { x, y, width: wide, height: end - y }) } else { under }
}
