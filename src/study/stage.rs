//! The stage: a block's run as one picture, whose layout follows from what the program's accesses do.
//!
//! Nothing here knows a screen: a [`StageScene`] counts in words, warps and parts of a way, and whoever
//! draws it chooses columns, colours and glyphs.

mod beats;
mod cost;
mod cross;
mod grids;
mod moment;
mod observed;
mod parts;
mod pieces;
mod plan;
mod product;
mod row;
mod scene;
mod show;
mod tile;
mod tiling;
mod ways;

pub use moment::{StageFocus, StageMark, StageMoment};
pub use parts::StagePart;
pub use plan::{NoStage, StagePlan};
pub use scene::{
    ActingRoom, BARRIER, BlockSum, CellLevel, CellRange, Collar, CostLine, CostVerdict, Cross,
    DoorMotion, DoorSide, EventProgress, GridCell, Hue, Lens, LowerRoom, PhaseList, PlaceId, Seat,
    SideLine, StageDoor, StageLayout, StageScene, TileCopies, TileKind, TwinBar, WarpBand, Way,
    WearMeter, WordTile,
};
