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
use crate::study::stage::{CellRange, GridCell, StageScene, WordTile};
use crate::tui::theme::Look;
use paint::Painting;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use std::iter::repeat;

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
        tiles::paint(self.scene, &plan, &mut painting, moves);
        lens::paint(self.scene, &plan, &mut painting);
        if let Some(map) = self.map.filter(|_| !moves) {
            map::paint(map, &plan, &mut painting);
        }
        painting.draw(&mut pen);
        let mut writing = labels::Writing { pen, painting, margin: plan.margin };
        words::head(&self.said, &plan, &mut writing);
        door::draw(self.scene, &plan, &mut writing, moves);
        if moves {
            // What goes through the door hides it.
            writing.painting.draw(&mut writing.pen);
        }
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

/// The columns and half rows of the screen in which cells and seats are marked.
pub fn marked_places(picture: &StagePicture<'_>, area: Rect) -> Vec<Rect> {
    let (plan, scene) = (picture.plan(area), picture.scene);
    let cells = plan.tiles.iter().flat_map(|placed| {
        let tile = geometry::tile(scene, placed.place);
        let marked =
            tile.into_iter().flat_map(|tile| marked_cells(tile).into_iter().zip(repeat(tile)));
        marked.map(|(cells, tile)| tiles::without_gap(tile, placed, placed.of(&cells)))
    });
    let seats = door::marked_seats(scene, &plan, area.width);
    let on_screen = |place: HalfRect| Rect {
        x: area.x + place.x,
        y: 2 * area.y + place.y,
        width: place.width,
        height: place.height,
    };
    cells.chain(seats).map(on_screen).collect()
}

/// The marked cells of each row of a tile that lie side by side.
fn marked_cells(tile: &WordTile) -> Vec<CellRange> {
    let rows = (0..).zip(tile.cells.chunks(tile.columns.max(1) as usize));
    let of_row = |(row, cells): (u32, &[GridCell])| {
        let is_same = |a: &GridCell, b: &GridCell| a.marked == b.marked;
        let mut start = 0;
        let runs = cells.chunk_by(is_same).filter_map(move |run| {
            let columns = start..start + run.len() as u32;
            start = columns.end;
            run[0].marked.then(|| CellRange { rows: row..row + 1, columns })
        });
        runs.collect::<Vec<_>>()
    };
    rows.flat_map(of_row).collect()
}
