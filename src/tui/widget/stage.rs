//! The stage: one renderer for every layout, from a scene and the words around it to cells.

mod compared;
mod door;
mod fit;
mod gauges;
mod geometry;
mod labels;
mod lens;
mod paint;
mod place;
mod plan;
mod tiles;
mod ways;
mod words;

use super::pen::Pen;
use crate::study::stage::{PlaceId, StageScene};
use crate::tui::theme::Look;
use paint::Painting;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

pub use compared::{StageComparison, StageCount, StageHalf};
pub use geometry::{RoomPlan, RoomShape, StageGeometry};
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
        painting.draw(&mut pen);
        let mut writing = labels::Writing { pen, painting, margin: plan.margin };
        words::head(&self.said, &plan, &mut writing);
        door::draw(self.scene, &plan, &mut writing);
        words::foot(self.scene, &plan, &mut writing);
        if !moves {
            tiles::write(self.scene, &plan, &mut writing);
            lens::write_names(self.scene, &plan, &mut writing);
            labels::write(self.scene, &plan, &mut writing);
            words::side(self.scene, &plan, &mut writing);
            ways::draw(self.scene, &plan, &mut writing);
            tiles::edges(self.scene, &plan, &mut writing);
        }
    }
}

/// The place at a position of the screen, and its words there.
pub fn hit(
    picture: &StagePicture<'_>,
    area: Rect,
    x: u16,
    y: u16,
) -> Option<(PlaceId, crate::study::stage::CellRange)> {
    let (x, y) = (x.checked_sub(area.x)?, y.checked_sub(area.y)?);
    picture.plan(area).at(x, y)
}
