//! Words on their way: strips that move through free columns only.

use super::labels::Writing;
use super::paint::{Painting, Shade, role};
use super::place::{HalfRect, PlaceShape, PlacedTile};
use super::plan::{RoomShape, StagePlan, tile};
use crate::study::stage::{StageScene, TileKind, Way};
use crate::tui::theme::Role;

/// The columns through which a way goes, and its rows.
struct Track {
    /// Free columns, from the left.
    from: u16,
    to: u16,
    /// The half rows of the strip.
    rows: (u16, u16),
    /// How long the strip is.
    length: u16,
    right: bool,
}

impl Track {
    /// The column of the head and the columns of the strip behind it.
    fn strip(&self, part: f32) -> (u16, HalfRect) {
        let free = self.to.saturating_sub(self.from);
        let done = (f32::from(free) * part.clamp(0.0, 1.0)).round() as u16;
        let shown = done.min(self.length);
        let (y, height) = self.rows;
        let x = if self.right { self.from + done - shown } else { self.to - done };
        let head = if self.right { self.from + done } else { (self.to - done).saturating_sub(1) };
        (head, HalfRect { x, y, width: shown, height })
    }
}

/// The track of a way whose rows lie side by side, if it has any free columns.
fn track(scene: &StageScene, plan: &StagePlan, way: &Way) -> Option<Track> {
    let (from, to) = (plan.place(way.from.0)?, plan.place(way.to.0)?);
    if from.shape == PlaceShape::Gauge || to.shape == PlaceShape::Gauge {
        return None;
    }
    let source = from.of(&way.from.1);
    let goal = end_of(to, way);
    let straight = source.y < goal.bottom() && goal.y < source.bottom();
    if !straight || source.height == 0 {
        return None;
    }
    // The words of a thread leave it: its own plate is free then.
    let leaves = tile(scene, way.from.0).is_some_and(|tile| tile.kind == TileKind::Threads);
    let rows = (source.y, source.height);
    let length = source.width.max(1);
    if to.area.x >= from.area.right() {
        let start = if leaves { source.x } else { from.area.right() };
        let to = to.area.x.saturating_sub(1);
        return (to > start).then_some(Track { from: start, to, rows, length, right: true });
    }
    let start = to.area.right() + 1;
    let end = if leaves { source.right() } else { from.area.x };
    (end > start).then_some(Track { from: start, to: end, rows, length, right: false })
}

fn end_of(to: &PlacedTile, way: &Way) -> HalfRect {
    match to.shape {
        PlaceShape::Names => HalfRect { y: to.of(&way.to.1).y, ..to.area },
        PlaceShape::Grid | PlaceShape::Gauge => to.of(&way.to.1),
    }
}

fn under_way(way: &&Way) -> bool {
    way.part > 0.0 && way.part < 1.0
}

/// Paints the strips.
pub(super) fn paint(scene: &StageScene, plan: &StagePlan, painting: &mut Painting) {
    if plan.above.shape == RoomShape::Copies {
        return;
    }
    for way in scene.ways.iter().filter(under_way) {
        let Some(track) = track(scene, plan, way) else { continue };
        let (_, strip) = track.strip(way.part);
        let hue = role(way.hue);
        let shade = if way.copy { Shade::Pending(hue) } else { Shade::Fill(hue, 100) };
        painting.fill(strip, shade);
    }
}

/// Draws the heads of the strips.
pub(super) fn heads(scene: &StageScene, plan: &StagePlan, writing: &mut Writing<'_>) {
    let look = writing.pen.look;
    for way in scene.ways.iter().filter(under_way) {
        let Some(track) = track(scene, plan, way) else { continue };
        let (head, strip) = track.strip(way.part);
        let symbol = if track.right { look.pick("►", ">") } else { look.pick("◄", "<") };
        for row in strip.rows() {
            writing.pen.text(head, row, symbol, look.strong(Role::Here));
        }
    }
}
