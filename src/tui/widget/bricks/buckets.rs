//! Words that fall into the sectors of global memory: each is fetched whole, so that an empty place is
//! fetched for nothing, and the number of sectors is the price.

use super::{BrickMotion, BrickPaint, BrickState, BrickWords, between, fallen};
use crate::analysis::coalesce;
use crate::matrix::Operand;
use crate::report::bricks::{Bucket, WORDS, buckets, lane_number, sector_mark, sector_words};
use crate::report::number::Count;
use crate::sim::{Access, Direction, LaneMask};
use crate::tui::layout::text::width;
use crate::tui::theme::{Look, Role, Tone, role};
use crate::tui::widget::panel;
use crate::tui::widget::pen::Pen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use std::collections::BTreeSet;
use std::ops::Range;

/// The sectors that a warp's access to global memory fetches or writes.
#[derive(Clone, Copy, Debug)]
pub struct BucketPanel<'a> {
    /// The access, or `None` before the first one.
    pub access: Option<&'a Access>,
    pub warp: u16,
    /// The matrix that it touches, which determines the colour, if known.
    pub operand: Option<Operand>,
    /// The address at which that matrix begins, from which addresses count.
    pub origin: u64,
    /// (row, column) of the first element that is touched in each line, if they are known.
    pub places: &'a [(u32, u32)],
    /// The addresses of words that are pointed at.
    pub pointed: &'a [u64],
    pub motion: BrickMotion,
    /// The line that made it, 0 if unknown, if that is not the present event.
    pub before: Option<u32>,
    pub look: Look,
}

/// How sectors are arranged: those of a line side by side, and lines in a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BucketPlan {
    /// Columns of a word, and the rows of a line with what separates it from the next.
    word: u16,
    pitch: u16,
    /// Columns before the sectors of a line, for its name.
    label: u16,
    /// Sectors side by side in an entry, and entries side by side.
    abreast: usize,
    entries: usize,
    /// The rows above the first line.
    first: u16,
    /// The sectors in view, and the row below them.
    shown: usize,
    below: u16,
}

/// Forms of a picture, the most legible first: columns of a word, rows of a line.
const FORMS: [(u16, u16); 7] = [(5, 3), (4, 3), (3, 3), (2, 3), (3, 2), (2, 2), (2, 1)];

impl BucketPanel<'_> {
    /// Returns the title and the note of the frame: the warp, and the origin of the figures.
    pub fn title(&self, width: u16) -> (String, String) {
        let [what, how] = super::title_words(self.access);
        // ptxas does not vectorise accesses to global memory: they are executed as written.
        let origins = ["simulated, PTX and SASS alike", "simulated, SASS", "SASS"];
        let notes = super::notes(self.warp, self.before, origins, origins[1]);
        let notes = self.access.map_or_else(Default::default, |_| notes);
        let titles = [format!("Global {what}: sectors"), format!("Global {how}")];
        panel::fitting(&titles, &notes, width)
    }

    /// Returns the rows that the picture needs to show each sector at this width.
    pub fn need(&self, wide: u16) -> u16 {
        let sectors = self.access.map_or(1, |access| buckets(access).len()) as u16;
        sectors.div_ceil(((wide + 1) / (WORDS as u16 + 1)).max(1)) + 1
    }

    /// Returns the names of the lines, the longest wording first, if they have any.
    fn names(&self, lines: &[u64]) -> [Vec<String>; 2] {
        let name = self.operand.map_or("", Operand::name);
        let differ = |of: fn(&(u32, u32)) -> u32| {
            self.places.iter().map(of).collect::<BTreeSet<_>>().len() == self.places.len()
        };
        let by = |of: &dyn Fn((u32, u32)) -> String| {
            self.places.iter().map(|place| of(*place)).collect::<Vec<_>>()
        };
        if self.places.len() != lines.len() {
            let at = |line: &u64| format!("{name}+{:#x}", line.saturating_sub(self.origin));
            let all: Vec<_> = lines.iter().map(at).collect();
            return [all.clone(), all];
        }
        if differ(|(row, _)| *row) {
            let of = |(row, _): (u32, u32)| format!("row {row}");
            [by(&|place| format!("{name} {}", of(place))), by(&of)]
        } else if differ(|(_, column)| *column) {
            let of = |(_, column): (u32, u32)| format!("col {column}");
            [by(&|place| format!("{name} {}", of(place))), by(&of)]
        } else {
            let all = by(&|(row, column)| format!("{name}[{row}][{column}]"));
            [all.clone(), all]
        }
    }

    fn words(&self, access: &Access) -> BrickWords<'static> {
        let cost = coalesce::sectors(access);
        let [empty, asks] = match access.direction {
            Direction::Load => ["fetched for nothing", "asks for it"],
            Direction::Store => ["in the sector, but not stored", "stores it"],
            Direction::Atomic => ["in the sector, but not changed", "changes it"],
        };
        let mut hints = vec![
            "a sector is 8 words, 32 bytes: memory moves all of it".to_owned(),
            format!("a brick is a word, its number the lane that {asks}"),
        ];
        if cost.wasted() > 0 {
            let places = Count((cost.wasted() / 4).into(), "word").to_string();
            hints.insert(0, format!("empty: {places} {empty}"));
        }
        if cost.asked > cost.distinct {
            hints.push("lanes that ask for the same word are one brick".to_owned());
        }
        let stale = self.before.is_some();
        let (mark, verdict) = (sector_mark(&cost), sector_words(access));
        BrickWords { mark, verdict, asides: Vec::new(), hints, stale }
    }

    /// Plans the picture of these sectors, and returns the names of their lines that fit.
    fn plan(&self, buckets: &[Bucket], (wide, height): (u16, u16)) -> (BucketPlan, Vec<String>) {
        let lines: Vec<_> = lines(buckets).map(|line| line[0].line).collect();
        let most = lines_most(buckets);
        let room = height.saturating_sub(1);
        let named = self.names(&lines);
        let labels = named.map(|names| {
            let wide = names.iter().map(|name| width(name)).max().unwrap_or(0) + 1;
            (wide, names)
        });
        let small = [(1, 2), (1, 1)];
        let forms = FORMS.into_iter().chain(small);
        let forms = forms.flat_map(|form| labels.iter().map(move |label| (form, label)));
        for ((word, pitch), (label, names)) in forms {
            let entry = label + most as u16 * (WORDS as u16 * word + 1);
            let entries = usize::from((wide + 1) / entry);
            if entries == 0 {
                continue;
            }
            let rows = lines.len().div_ceil(entries) as u16 * pitch;
            if rows <= room + u16::from(pitch == 3) {
                let above = if room >= rows + 6 { 2 } else { 0 };
                let below = above + rows - u16::from(pitch == 3 && rows > room);
                let (label, first, shown) = (*label, above, buckets.len());
                let abreast = most;
                let plan = BucketPlan { word, pitch, label, abreast, entries, first, shown, below };
                return (plan, names.clone());
            }
        }
        // Without names, one sector after the other; without room for all, as many as fit.
        let entries = usize::from((wide + 1) / (WORDS as u16 + 1));
        let all = buckets.len().div_ceil(entries.max(1)) as u16;
        let rows = if all <= room { all } else { room.saturating_sub(1) };
        let shown = (usize::from(rows) * entries).min(buckets.len());
        let more = u16::from(shown < buckets.len() && room > 0);
        let below = rows + more;
        let plan =
            BucketPlan { word: 1, pitch: 1, label: 0, abreast: 1, entries, first: 0, shown, below };
        (plan, Vec::new())
    }
}

/// The sectors of each line.
fn lines(buckets: &[Bucket]) -> impl Iterator<Item = &[Bucket]> {
    buckets.chunk_by(|one, next| one.line == next.line)
}

/// The most sectors of a line.
fn lines_most(buckets: &[Bucket]) -> usize {
    lines(buckets).map(<[Bucket]>::len).max().unwrap_or(1)
}

impl BucketPlan {
    /// Returns where each sector begins, the number of its line beside it.
    fn at(&self, buckets: &[Bucket]) -> Vec<(u16, u16, usize)> {
        let sector = WORDS as u16 * self.word + 1;
        let entry = self.label + self.abreast as u16 * sector;
        let place = |number: usize, inside: usize| {
            let (row, column) = (number / self.entries.max(1), number % self.entries.max(1));
            let x = column as u16 * entry + self.label + inside as u16 * sector;
            (x, self.first + row as u16 * self.pitch, number)
        };
        let shown = &buckets[..self.shown];
        if self.label == 0 {
            return (0..shown.len()).map(|number| place(number, 0)).collect();
        }
        lines(shown)
            .enumerate()
            .flat_map(|(number, line)| (0..line.len()).map(move |inside| (number, inside)))
            .map(|(number, inside)| place(number, inside))
            .collect()
    }
}

/// Returns the description of the line's address and the sector in it (0 to 3) at a position of the
/// screen.
pub fn sector_at(
    panel: &BucketPanel<'_>,
    area: Rect,
) -> impl Fn(u16, u16) -> Option<(u64, u8)> + use<> {
    let known = panel.access.map(|access| {
        let buckets = buckets(access);
        let (plan, _) = panel.plan(&buckets, (area.width, area.height));
        let at = plan.at(&buckets);
        (plan, buckets.into_iter().zip(at).collect::<Vec<_>>())
    });
    move |x, y| {
        let (plan, all) = known.as_ref()?;
        let (x, y) = (x.checked_sub(area.x)?, y.checked_sub(area.y)?);
        let wide = WORDS as u16 * plan.word;
        let hit = |(_, (left, top, _)): &&(Bucket, (u16, u16, usize))| {
            (*left..*left + wide).contains(&x) && (*top..*top + plan.pitch.min(2)).contains(&y)
        };
        all.iter().find(hit).map(|(bucket, _)| (bucket.line, bucket.sector))
    }
}

impl Widget for BucketPanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let Some(access) = self.access else {
            return super::none_yet(&mut pen, self.warp);
        };
        let buckets = buckets(access);
        let (plan, names) = self.plan(&buckets, (pen.width(), pen.height()));
        let empty = match access.direction {
            Direction::Load => Tone::Half(Role::Bad),
            Direction::Store | Direction::Atomic => Tone::Faint,
        };
        let empty = if self.before.is_some() { Tone::Faint } else { empty };
        let hue = self.operand.map_or(Role::Memory, role);
        let paint = BrickPaint { look: self.look, hue, stale: self.before.is_some(), empty };
        let falls = matches!(self.motion, BrickMotion::Falling(_));
        let at = plan.at(&buckets);
        let mut bricks = Vec::new();
        for (bucket, (x, y, line)) in buckets.iter().zip(&at) {
            if let Some(name) = names.get(*line).filter(|_| plan.label > 0) {
                let left = x - plan.label.min(*x);
                let first = bucket.line == buckets[0].line || *x >= plan.label;
                if first && is_first(&buckets, bucket) {
                    pen.text(left, *y, name, self.look.dim());
                }
            }
            for (word, wide, lanes) in bucket.bricks() {
                let left = x + word as u16 * plan.word;
                let wide = wide as u16 * plan.word;
                if lanes.is_empty() || falls {
                    paint.hole(&mut pen, (left, *y), wide, plan.word, lanes.is_empty());
                }
                if !lanes.is_empty() {
                    let pointed = (0..wide / plan.word).any(|next| {
                        let address = bucket.address() + 4 * (word as u64 + u64::from(next));
                        self.pointed.contains(&address)
                    });
                    bricks.push(((left, *y), wide, lanes, pointed));
                }
            }
            if plan.pitch > 1 {
                let wide = WORDS as u16 * plan.word;
                pen.repeat(*x, y + 1, wide, self.look.pick("▀", "="), self.look.border());
            }
        }
        let count = bricks.len();
        for (number, (to, wide, lanes, pointed)) in bricks.into_iter().enumerate() {
            let at = self.way(to, lanes, (number, count), plan.label..pen.width());
            let state = if pointed { BrickState::Pointed } else { BrickState::Plain };
            let text = if plan.word > 1 { lane_number(lanes, wide) } else { String::new() };
            paint.lay(&mut pen, at, (wide, 1), (state, &text));
        }
        let more = buckets.len() - plan.shown;
        if more > 0 && plan.below > 0 {
            let words = format!("and {}", Count(more as u64, "more sector"));
            pen.text(0, plan.below - 1, &words, self.look.ink(Role::Bad));
        }
        self.words(access).write(&mut pen, plan.below);
    }
}

impl BucketPanel<'_> {
    /// Where a brick is on its way into its bucket: the lanes stand in a row before they fall.
    fn way(
        &self,
        (x, y): (u16, u16),
        lanes: LaneMask,
        (number, count): (usize, usize),
        room: Range<u16>,
    ) -> (u16, u16) {
        let BrickMotion::Falling(part) = self.motion else { return (x, y) };
        let part = fallen(part, number, count);
        let lane = lanes.lanes().next().unwrap_or_default() as u16;
        (between(room.start + lane * (room.len() as u16 / 32), x, part), between(0, y, part))
    }
}

impl BrickPaint {
    /// Draws places of a bucket that no brick fills, or none yet.
    fn hole(self, pen: &mut Pen<'_>, (x, y): (u16, u16), wide: u16, word: u16, wasted: bool) {
        let tone = if wasted { self.tone(BrickState::Empty) } else { Tone::Faint };
        for column in x..x + wide {
            super::block(pen, column, y, tone);
            let edge = word > 1 && (column - x).is_multiple_of(word);
            if edge && self.look.has_pixels() {
                pen.text(column, y, "▏", self.look.dim());
            }
        }
    }
}

/// Whether a sector is the first of its line.
fn is_first(buckets: &[Bucket], bucket: &Bucket) -> bool {
    buckets.iter().find(|other| other.line == bucket.line) == Some(bucket)
}
