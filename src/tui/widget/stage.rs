//! The stage: one renderer for every layout, from a scene and the words around it to cells.

mod compared;
mod door;
mod fit;
mod gauges;
mod geometry;
mod labels;
mod lens;
mod map;
mod paint;
mod place;
mod plan;
mod tiles;
mod ways;
mod words;

use super::pen::Pen;
use crate::report::sentence::LaneMark;
use crate::study::stage::{CellRange, PlaceId, StageScene, TileKind};
use crate::tui::theme::Look;
use paint::Painting;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

pub use compared::{StageComparison, StageCount, StageHalf};
pub use geometry::{RoomPlan, RoomShape, StageGeometry};
pub use map::StageMap;
pub use place::{Bundle, HalfRect, PlaceShape, PlacedTile};
pub use plan::{arranged, arranged_while};
pub use words::{StageSource, StageWords};

/// A scene with the words around it, between the bar at the top and the scrubber.
#[derive(Clone, Copy, Debug)]
pub struct StagePicture<'a> {
    pub scene: &'a StageScene,
    pub said: StageWords<'a>,
    /// While the door moves: the part of its way that is done, from 0 to 1. The room that acts grows.
    pub room_change: Option<f32>,
    /// Where the block and its tiles lie in the matrices, if there is more than one tile.
    pub map: Option<&'a StageMap>,
    /// The lane that the sentence names.
    pub mark: Option<LaneMark>,
    pub look: Look,
}

impl StagePicture<'_> {
    /// Where everything stands in an area of this size.
    pub fn plan(&self, area: Rect) -> StageGeometry {
        arranged_while(self.scene, self.room_change, area.as_size())
    }
}

impl Widget for StagePicture<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let plan = self.plan(area);
        let mut pen = Pen::new(area, buf, self.look);
        let mut painting = Painting::new(area.width, area.height);
        let moves = self.room_change.is_some_and(|part| part < 1.0);
        tiles::paint(self.scene, &plan, &mut painting);
        lens::paint(self.scene, &plan, &mut painting);
        if let Some(map) = self.map.filter(|_| !moves) {
            map::paint(map, &plan, &mut painting);
        }
        painting.draw(&mut pen);
        let mut writing = labels::Writing { pen, painting, margin: plan.margin };
        words::head(&self.said, &plan, &mut writing);
        door::draw(self.scene, &plan, &mut writing);
        words::foot(self.scene, &plan, &mut writing);
        if !moves {
            tiles::write(self.scene, &plan, &mut writing);
            tiles::write_mark(self.scene, &plan, &mut writing, self.mark);
            lens::write_names(self.scene, &plan, &mut writing);
            labels::write(self.scene, &plan, &mut writing);
            words::side(self.scene, &plan, &mut writing);
            if self.map.is_some() {
                map::write(&plan, &mut writing);
            }
            ways::draw(self.scene, &plan, &mut writing);
            tiles::edges(self.scene, &plan, &mut writing);
        }
    }
}

/// The columns and half rows of the screen in which these warps are: their threads, and their seats.
pub fn places_of_warps(picture: &StagePicture<'_>, area: Rect, warps: &[u16]) -> Vec<Rect> {
    let (plan, scene) = (picture.plan(area), picture.scene);
    let bands = plan.tiles.iter().flat_map(|placed| {
        let tile = geometry::tile(scene, placed.place);
        let threads = tile.filter(|tile| tile.kind == TileKind::Threads);
        let bands = threads.into_iter().flat_map(|tile| &tile.bands);
        bands.filter(|band| warps.contains(&band.warp)).map(|band| {
            let columns = 0..placed.columns;
            placed.of(&CellRange { rows: band.rows.clone(), columns })
        })
    });
    let seats = door::seats_of(scene, &plan, (area.width, warps));
    let on_screen = |place: HalfRect| Rect {
        x: area.x + place.x,
        y: 2 * area.y + place.y,
        width: place.width,
        height: place.height,
    };
    bands.chain(seats).map(on_screen).collect()
}

/// The place at a position of the screen, and its words there.
pub fn hit(picture: &StagePicture<'_>, area: Rect, x: u16, y: u16) -> Option<(PlaceId, CellRange)> {
    let (x, y) = (x.checked_sub(area.x)?, y.checked_sub(area.y)?);
    picture.plan(area).at(x, y)
}
