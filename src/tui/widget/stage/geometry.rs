//! Where everything of a stage stands, once it is arranged.

use super::place::{PlaceShape, PlacedTile};
use crate::study::stage::{LowerRoom, PlaceId, StageScene, WordTile};
use ratatui::layout::{Rect, Size};
use std::ops::Range;

#[derive(Clone, Debug, PartialEq)]
pub struct StageGeometry {
    /// Columns that stay free at both sides.
    pub margin: u16,
    /// The rows of the sentence, the source line and the first word.
    pub head: Range<u16>,
    /// Whether the first row of the head stays free unless it is needed.
    pub airy: bool,
    pub above: RoomPlan,
    pub below: RoomPlan,
    /// The row of each door's line.
    pub doors: Vec<u16>,
    /// Whether the names of the seats have a row of their own beside the line.
    pub names: bool,
    /// The first of the two rows of the twin bar.
    pub twin: Option<u16>,
    pub phases: Option<u16>,
    /// Where the words for the side stand, or the lens.
    pub side: Option<Rect>,
    pub tiles: Vec<PlacedTile>,
    /// The tiles of the lens, as those of a small cross.
    pub lens: Vec<PlacedTile>,
    /// While a tile turns that is used otherwise than it is stored: the part of it that is done.
    pub turning: Option<f32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoomPlan {
    pub rows: Range<u16>,
    pub shape: RoomShape,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoomShape {
    #[default]
    Nothing,
    Gauges,
    /// A row for each copy under way.
    Copies,
    Tiles,
    /// With titles and costs below it, or without.
    Cross {
        tight: bool,
    },
}

impl StageGeometry {
    /// The same between two plans: the places of the room that acts grow from where they were; what
    /// shrinks to a line is there at once.
    pub(super) fn towards(&self, to: &Self, part: f32) -> Self {
        let was = |tile: &PlacedTile| {
            self.place(tile.place).filter(|_| tile.shape == PlaceShape::Grid).map(|was| was.area)
        };
        let from = |tile: &PlacedTile| was(tile).unwrap_or(tile.area);
        let tiles = to
            .tiles
            .iter()
            .map(|tile| PlacedTile { area: from(tile).towards(tile.area, part), ..*tile });
        let row = |(a, b): (&u16, &u16)| {
            (f32::from(*a) + (f32::from(*b) - f32::from(*a)) * part).round() as u16
        };
        let doors = self.doors.iter().zip(&to.doors).map(row).collect();
        Self { tiles: tiles.collect(), doors, ..to.clone() }
    }

    /// The free rows between the rooms and the beats, for what joins the stage.
    pub fn free_rows(&self) -> Range<u16> {
        let rooms = [&self.above, &self.below].map(|room| room.rows.end);
        let doors = self.doors.last().map_or(0, |row| row + 1);
        let start = rooms.into_iter().max().unwrap_or(0).max(doors);
        let end = self.twin.or(self.phases).unwrap_or(start);
        (start + 1).min(end)..end
    }

    pub fn place(&self, place: PlaceId) -> Option<&PlacedTile> {
        self.tiles.iter().find(|tile| tile.place == place)
    }
}

pub(super) fn tile(scene: &StageScene, place: PlaceId) -> Option<&WordTile> {
    let cross = match &scene.below {
        LowerRoom::Cross(cross) => Some(cross),
        LowerRoom::Row(_) | LowerRoom::Nothing => None,
    };
    match (place, &scene.below) {
        (PlaceId::Above(i), _) => scene.above.get(i),
        (PlaceId::Below(i), LowerRoom::Row(tiles)) => tiles.get(i),
        (PlaceId::Left, _) => cross.map(|cross| &cross.left),
        (PlaceId::Top, _) => cross.map(|cross| &cross.top),
        (PlaceId::Corner, _) => cross.map(|cross| &cross.corner),
        _ => None,
    }
}

pub(super) const fn margin(size: Size) -> u16 {
    match size.width {
        100.. => 4,
        60.. => 2,
        _ => 1,
    }
}

/// The most columns of the meters beside the tiles of a cross.
pub(super) const LEFT_WEAR: u16 = 5;
pub(super) const TOP_WEAR: u16 = 8;

/// The columns of a meter of wear, if the tile has one.
pub(super) fn wear_columns(tile: &WordTile, width: u16, most: u16) -> u16 {
    match tile.wear {
        Some(_) if width >= 90 => most,
        Some(_) => 4,
        None => 0,
    }
}
