//! One moment of the stage, as values.

use std::ops::Range;

/// The basic arrangement of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageLayout {
    /// A product without shared memory: the cross alone, no door.
    CrossAlone,
    /// A product whose tiles threads bring through shared memory: above the door they bring, below it
    /// they multiply.
    TwoRooms,
    /// A product whose next tile comes while the present one is multiplied.
    TwoRoomsAtOnce,
    /// No product: global memory, threads and shared memory above the door, shared memory, threads and
    /// the result below.
    Row,
    /// No product, and each round loads from and stores into the same shared array.
    RowWithRounds,
    /// No product and no shared memory.
    OneRow,
}

/// The room in which something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActingRoom {
    Above,
    Below,
    Both,
}

/// How far the event shown has been told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventProgress {
    /// Only its sentence stands; the places are as they were before it.
    Told,
    Source,
    /// Its words have gone this part of their way, from 0 to 1. Nothing is lit at the goal.
    OnTheWay(f32),
    /// Its goal is lit. What happens in turn there (passes over the banks) has happened to this part,
    /// from 0 to 1.
    Goal(f32),
    /// It is over, as a paused step shows it.
    Settled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaceId {
    /// A tile of [`StageScene::above`].
    Above(usize),
    /// A tile of [`LowerRoom::Row`].
    Below(usize),
    /// The tiles of the cross.
    Left,
    Top,
    Corner,
    /// The operand registers between them.
    LeftCollar,
    TopCollar,
    Lens,
}

/// Whose words a place holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hue {
    /// The first array that is read (A), and the second (B).
    First,
    Second,
    /// Another array that is read, or unknown words.
    Other,
    /// Sums, and the result.
    Result,
    /// No words: threads.
    Plate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileKind {
    Global,
    Threads,
    Shared,
    /// Sums in registers; the stored result.
    Sums,
}

/// The state of one cell, from the least to the most important.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum CellLevel {
    /// Nothing there: a plate with dots.
    #[default]
    Empty,
    /// Padding, which no access touches.
    Padding,
    /// Free: everybody who loaded it has come up through the door.
    Free,
    /// Comes next; not loaded yet.
    Next,
    /// Held, but not of this event.
    Held,
    /// Loaded before, in this round of k.
    Loaded,
    /// On a thread's cell: in registers, not stored yet.
    InRegisters,
    /// On a thread's cell: its warp waits at the door.
    Waits,
    /// A sum that has so many percent of its brightness.
    Share(u8),
    /// What the lane holds that is followed.
    Followed,
    /// Just arrived, in the full hue.
    Arrived,
    /// The source, or what is multiplied now.
    Now,
    /// A result that is stored and right, or not judged.
    Done,
    /// A result that is wrong.
    Wrong,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GridCell {
    pub level: CellLevel,
    /// The value of its word, if values are asked for and it has one.
    pub value: Option<f32>,
    /// The array whose word lies there, if it is not the tile's.
    pub hue: Option<Hue>,
    /// Whether somebody speaks of it.
    pub marked: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CellRange {
    pub rows: Range<u32>,
    pub columns: Range<u32>,
}

/// A line under a place: what the present event, or the last one there, cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostLine {
    /// The longest wording first.
    pub words: Vec<String>,
    pub verdict: CostVerdict,
    /// Whether it is of the present event.
    pub now: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CostVerdict {
    /// It costs what it must, and all of it is used.
    Full,
    /// It costs what it must, and some of what is fetched is of no use now.
    Partly,
    /// It costs more than it must.
    Wasteful,
}

/// Rows of a tile that belong to a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpBand {
    pub warp: u16,
    pub rows: Range<u32>,
    /// What it does: `store`, `waits`, `next`, `up`; empty if there is nothing to say.
    pub word: &'static str,
    pub now: bool,
}

/// How often each row of a tile of global memory was fetched by this block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WearMeter {
    /// The greatest number of fetches of a sector in each row.
    pub rows: Vec<u32>,
    /// The rows that are fetched now.
    pub now: Range<u32>,
}

/// A place: a grid of words, or of threads.
#[derive(Clone, Debug, PartialEq)]
pub struct WordTile {
    pub kind: TileKind,
    /// The exact range: `A[32-47][0-15]`, `sA[16][16]`, `256 threads`.
    pub title: String,
    /// What it is, to stand beside the title: `global memory`, `8 warps of 32`.
    pub note: String,
    pub hue: Hue,
    pub rows: u32,
    pub columns: u32,
    /// Row by row.
    pub cells: Vec<GridCell>,
    /// The words of each lane that lie side by side and are moved together: 1, 2 or 4.
    pub brick: u32,
    pub bands: Vec<WarpBand>,
    pub cost: Option<CostLine>,
    pub wear: Option<WearMeter>,
    /// Whether it is drawn turned by 90 degrees from how it is stored.
    pub turned: bool,
    /// The number of copies of it that other tiles in time have: sets of a buffer.
    pub copies: TileCopies,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileCopies {
    /// The set that this is, counted from 0, and how many there are: none if there is only one.
    pub this: u32,
    pub all: u32,
}

/// Operand registers beside C: one cell for each of its rows, or of its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Collar {
    /// `a` or `b`.
    pub name: &'static str,
    pub hue: Hue,
    pub cells: Vec<CellLevel>,
}

/// A product: the left tile's column k times the top tile's row k, added to the corner.
///
/// Row i of the left tile, of the left collar and of the corner are the same row; column j of the top
/// tile, of the top collar and of the corner the same column.
#[derive(Clone, Debug, PartialEq)]
pub struct Cross {
    pub left: WordTile,
    pub top: WordTile,
    pub corner: WordTile,
    pub left_collar: Option<Collar>,
    pub top_collar: Option<Collar>,
    /// The place along k within the tile that is multiplied now, and the number that it has there.
    pub k: Option<u32>,
    /// The elements of C of the thread that is followed.
    pub followed: Option<CellRange>,
    /// The rows and the columns of C of which a thread has the sums.
    pub sums_each: (u32, u32),
    /// `6 of 64 products` that are added or, as long as it is added, `product 7 of 64`.
    pub count: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seat {
    pub warp: u16,
    pub taken: bool,
    /// Whether its warp has just come: its ball falls.
    pub arriving: bool,
    /// Whether somebody speaks of its warp.
    pub marked: bool,
}

/// From which side a door is waited at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DoorSide {
    /// Above: what comes down is complete.
    Down,
    /// Below: what was used may be overwritten.
    Up,
    /// Both at once: the sets change rooms.
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DoorMotion {
    Resting,
    Filling,
    /// All have come: it parts from the middle, by this part.
    Opening(f32),
}

/// A line at the side of the cross.
#[derive(Clone, Debug, PartialEq)]
pub struct SideLine {
    /// The cells that it speaks of, as they look.
    pub swatch: Option<CellLevel>,
    pub text: String,
}

impl From<String> for SideLine {
    fn from(text: String) -> Self {
        Self { swatch: None, text }
    }
}

/// How a door is called to which nobody has come yet: the word of the field for it.
pub const BARRIER: &str = "barrier";

#[derive(Clone, Debug, PartialEq)]
pub struct StageDoor {
    /// The program's own words, or [`BARRIER`] as long as nobody has come to it.
    pub name: String,
    /// `opens when all 8 are here`, the longest wording first.
    pub notes: Vec<String>,
    pub seats: Vec<Seat>,
    pub side: DoorSide,
    pub motion: DoorMotion,
    /// Of a barrier that is not of all warps: whether the event is at it.
    pub group: Option<bool>,
}

/// Words on their way.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    pub from: (PlaceId, CellRange),
    pub to: (PlaceId, CellRange),
    pub hue: Hue,
    /// The part of the way that is done. A copy that nobody waits for creeps and never arrives.
    pub part: f32,
    /// Whether it never arrives by itself.
    pub copy: bool,
}

/// The registers of one thread or one warp, word by word.
#[derive(Clone, Debug, PartialEq)]
pub struct Lens {
    /// `thread 29: warp 0, lane 29`.
    pub title: String,
    pub left: Option<WordTile>,
    pub top: Option<WordTile>,
    pub sums: WordTile,
    pub notes: Vec<String>,
}

/// What is below the door.
#[derive(Clone, Debug, PartialEq)]
pub enum LowerRoom {
    Cross(Box<Cross>),
    Row(Vec<WordTile>),
    Nothing,
}

/// Two sums of a block, drawn as bars of one scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwinBar {
    /// Sectors asked for so far, and different ones among them.
    pub asked: u64,
    pub different: u64,
    /// The same at the end of the block, if that is known.
    pub end: Option<(u64, u64)>,
}

/// The events that a tile repeats, in the words of the source: `load A`, `store sA`, `multiply x 16`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseList {
    pub names: Vec<String>,
    pub now: Option<usize>,
    /// The tile, counted from 1, and all; `None` if there is only one.
    pub tile: Option<(u32, u32)>,
    /// What comes after the last tile: `store C`, and whether that happens now.
    pub then: Option<String>,
    pub is_then: bool,
}

/// How the phases are called that move no words and add no products.
pub(super) const WAIT: &str = "wait";
pub(super) const MULTIPLY: &str = "multiply";

impl PhaseList {
    /// Where tiles go by, lights what comes next at a door in place of each load and store.
    pub fn settle(&mut self) {
        let names = self.names.iter().skip(self.now.unwrap_or(usize::MAX));
        let stays = |name: &&String| *name == WAIT || name.starts_with(MULTIPLY);
        let next = names.take_while(|name| !stays(name)).count();
        self.now = self.now.map(|now| now + next).filter(|now| *now < self.names.len());
    }
}

/// A count of the block so far, for the end: `4,096` and `sectors brought`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSum {
    pub value: u64,
    /// What it counts, in words that follow the number.
    pub words: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StageScene {
    pub layout: StageLayout,
    pub acting: ActingRoom,
    /// The room above the door, from left to right; without a door all of it.
    pub above: Vec<WordTile>,
    /// From top to bottom.
    pub doors: Vec<StageDoor>,
    pub below: LowerRoom,
    pub ways: Vec<Way>,
    pub lens: Option<Lens>,
    pub phases: PhaseList,
    pub twin: Option<TwinBar>,
    /// Lines for the side, the most important first.
    pub side: Vec<SideLine>,
    pub sums: Vec<BlockSum>,
}

impl StageScene {
    /// Whether what moves does so above the door and in the upper halves of its places, if anything moves.
    pub fn moves_in_upper_half(&self) -> Option<bool> {
        let is_high = |(place, words): &(PlaceId, CellRange)| {
            let PlaceId::Above(number) = place else { return false };
            self.above.get(*number).is_some_and(|tile| 2 * words.rows.end <= tile.rows)
        };
        let mut ends = self.ways.iter().flat_map(|way| [&way.from, &way.to]);
        (!self.ways.is_empty()).then(|| ends.all(is_high))
    }

    /// Whether a tile is used otherwise than it is stored.
    pub fn turns(&self) -> bool {
        match &self.below {
            LowerRoom::Cross(cross) => cross.left.turned || cross.top.turned,
            LowerRoom::Row(_) | LowerRoom::Nothing => false,
        }
    }
}
