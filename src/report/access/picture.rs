//! Draws the lanes of each warp as bricks in sectors or on banks, for a terminal or a pipe.

use super::Calculation;
use super::cost::AccessCost;
use crate::analysis::banks::BANKS;
use crate::analysis::coalesce::Sectors;
use crate::report::bricks::{
    BankPass, BankTowers, Bucket, CostMark, bank_words, buckets, lane_number, sector_mark,
    sector_words, share_of_warp,
};
use crate::report::number::{Count, sides};
use crate::sim::{Access, Direction, LaneMask};
use ptx::Space;
use std::fmt::Write;

/// The style of the drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// With or without colours.
    pub ink: Ink,
    /// The characters to use.
    pub glyphs: PictureGlyphs,
}

/// Whether to use colours; glyphs and words carry all information without them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ink {
    /// No escape sequences.
    #[default]
    Plain,
    /// The terminal's own 16 colours.
    Ansi,
}

/// The set of characters to draw with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureGlyphs {
    /// Only ASCII.
    #[default]
    Ascii,
    /// ASCII, blocks and lines.
    Unicode,
}

/// Draws every warp, warps with equal pictures once; the last line has the sums.
pub fn picture(calculation: &Calculation<'_>, style: Style) -> String {
    let pattern = calculation.pattern;
    let mut text = format!(
        "{} {}, {} per lane, block {}: {}\n",
        pattern.space,
        verb(pattern.direction),
        Count(pattern.bytes.into(), "byte"),
        sides(pattern.block),
        calculation.expression.trim(),
    );
    for (warps, drawing) in folded(calculation.warps) {
        text += "\n";
        drawing.write(&mut text, &warps, style);
    }
    text + "\n" + &legend(pattern.space, style) + &sum(calculation)
}

/// The picture of one warp; equal ones are drawn once.
#[derive(PartialEq, Eq)]
struct Drawing {
    active: LaneMask,
    rows: Vec<Row>,
    /// Numbers below the rows; empty if they stand on nothing.
    floor: String,
    unit: &'static str,
    words: Vec<(CostMark, String)>,
}

/// One row: the sectors of a memory line, or the bricks of a pass.
struct Row {
    label: String,
    /// The byte address of a memory line relative to the first one; 0 for a pass.
    offset: u64,
    cells: Vec<(PictureCell, String)>,
}

/// Ignores the labels of memory lines and the numbers of lanes, which differ from warp to warp in equal
/// pictures.
impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        let shape = |row: &Self| {
            let cells = row.cells.iter().map(|(ground, text)| (*ground, text.len()));
            cells.collect::<Vec<_>>()
        };
        (self.offset, shape(self)) == (other.offset, shape(other))
    }
}

impl Eq for Row {}

/// What a part of a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PictureCell {
    /// A brick, with its number at its end.
    Brick,
    /// A brick that costs a pass more.
    Costs,
    /// Moved, but not asked for.
    Empty,
    /// A bank with nothing to do.
    Idle,
    Gap,
}

/// The distinct drawings with their warps, in the order of their first warps.
fn folded(warps: &[(u32, Access)]) -> Vec<(Vec<u32>, Drawing)> {
    let mut folded: Vec<(Vec<u32>, Drawing)> = Vec::new();
    for (warp, access) in warps {
        let drawing = Drawing::of(access);
        match folded.iter_mut().find(|(_, known)| *known == drawing) {
            Some((warps, _)) => warps.push(*warp),
            None => folded.push((vec![*warp], drawing)),
        }
    }
    folded
}

impl Drawing {
    fn of(access: &Access) -> Self {
        let active = access.active;
        match AccessCost::of(access.space, [access]) {
            AccessCost::Global(cost) => {
                let words = sector_words(access).into_iter().take(1);
                let words = words.map(|text| (sector_mark(&cost), text)).collect();
                Self {
                    active,
                    rows: line_rows(&buckets(access)),
                    floor: String::new(),
                    unit: "line",
                    words,
                }
            }
            AccessCost::Shared(_) => {
                let accesses = std::slice::from_ref(access);
                let towers = BankTowers::of(accesses);
                let verdict = bank_words(&towers, accesses).into_iter().take(1);
                let verdict = verdict.map(|text| (towers.mark(), text));
                let share = share_of_warp(&towers, access.bytes);
                let words = verdict.chain(share.map(|text| (CostMark::Plain, text))).collect();
                Self { active, rows: pass_rows(&towers), floor: floor(), unit: "pass", words }
            }
        }
    }

    fn write(&self, text: &mut String, warps: &[u32], style: Style) {
        let some = self.active != LaneMask::ALL;
        let lanes = some.then(|| format!(", {} of 32 lanes", self.active.count()));
        let same = match (warps, self.unit) {
            ([] | [_], _) => String::new(),
            ([first, ..], "line") => format!(": the same picture (addresses of warp {first})"),
            ([first, ..], _) => format!(": the same picture (lanes of warp {first})"),
        };
        let _ = writeln!(text, "{}{}{same}", ranges(warps), lanes.unwrap_or_default());
        let width = self.rows.iter().map(|row| row.label.len()).max().unwrap_or(0);
        for Row { label, cells, .. } in &self.rows {
            let drawn: String = cells.iter().map(|cell| draw(cell, style)).collect();
            let _ = writeln!(text, "  {label:<width$} {}", drawn.trim_end());
        }
        if !self.floor.is_empty() {
            let _ = writeln!(text, "  {:<width$} {}", "bank", self.floor);
        }
        for (number, (mark, words)) in self.words.iter().enumerate() {
            let (sign, colour) = match (number, mark) {
                (0, CostMark::Good) => ("ok", Some(32)),
                (0, CostMark::Plain) => ("--", None),
                (0, CostMark::Bad) => ("!!", Some(31)),
                _ => ("  ", None),
            };
            let _ = writeln!(text, "  {}", paint(&format!("{sign} {words}"), colour, style.ink));
        }
    }
}

/// The numbers of some banks below their bricks, two columns each.
fn floor() -> String {
    let named = |bank: &usize| bank.is_multiple_of(4) || *bank == BANKS - 1;
    let number = |bank| if named(&bank) { format!("{bank:>2}") } else { "  ".to_owned() };
    (0..BANKS).map(number).collect()
}

/// `warp 3`, `warps 0-7`, `warps 0-3, 8, 10`
fn ranges(warps: &[u32]) -> String {
    let runs = warps.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        [] | [_] => run.iter().map(u32::to_string).collect(),
    });
    let plural = if warps.len() > 1 { "s" } else { "" };
    format!("warp{plural} {}", runs.collect::<Vec<_>>().join(", "))
}

/// The sectors of each line that are moved, two columns a word.
fn line_rows(buckets: &[Bucket]) -> Vec<Row> {
    let first = buckets.first().map_or(0, |bucket| bucket.line);
    let row = |line: &[Bucket]| Row {
        label: format!("{:#06x}", line[0].line),
        offset: line[0].line - first,
        cells: line
            .iter()
            .flat_map(|bucket| bucket_cells(bucket).chain([(PictureCell::Gap, " ".to_owned())]))
            .collect(),
    };
    buckets.chunk_by(|one, next| one.line == next.line).map(row).collect()
}

fn bucket_cells(bucket: &Bucket) -> impl Iterator<Item = (PictureCell, String)> {
    let mut named = false;
    bucket.bricks().into_iter().map(move |(_, wide, lanes)| {
        // Two numbers side by side would read as one.
        named = !(lanes.is_empty() || named && wide == 1);
        let wide = 2 * wide;
        let text = if named { lane_number(lanes, wide as u16) } else { String::new() };
        let ground = if lanes.is_empty() { PictureCell::Empty } else { PictureCell::Brick };
        (ground, numbered(wide, &text))
    })
}

/// The passes, the last one on top.
fn pass_rows(towers: &BankTowers) -> Vec<Row> {
    let row = |(index, pass): (usize, &BankPass)| {
        let named = pass.numbered(2);
        let mut cells = Vec::new();
        let mut bank = 0;
        let idle = |from: usize, to: usize| {
            let ground = if index == 0 { PictureCell::Idle } else { PictureCell::Gap };
            (from..to).map(move |_| (ground, "  ".to_owned()))
        };
        for (brick, named) in pass.bricks.iter().zip(named) {
            cells.extend(idle(bank, brick.banks().start));
            let wide = 2 * usize::from(brick.wide);
            let text = if named { lane_number(brick.lanes, wide as u16) } else { String::new() };
            let ground = if brick.costs { PictureCell::Costs } else { PictureCell::Brick };
            cells.push((ground, numbered(wide, &text)));
            bank = brick.banks().end;
        }
        cells.extend(idle(bank, BANKS));
        Row { label: format!("pass {}", index + 1), offset: 0, cells }
    };
    let rows: Vec<_> = towers.passes.iter().enumerate().map(row).collect();
    rows.into_iter().rev().collect()
}

/// A number at the end of `wide` columns, and a mark for each column that it leaves free.
fn numbered(wide: usize, text: &str) -> String {
    let before = wide.saturating_sub(text.len());
    let blank = usize::from(before > 0 && !text.is_empty());
    format!("{}{}{text}", FILL.to_string().repeat(before - blank), " ".repeat(blank))
}

/// Stands for a column of a brick until it is drawn.
const FILL: char = '#';

/// The last line: the sums over all warps.
fn sum(calculation: &Calculation<'_>) -> String {
    let pattern = calculation.pattern;
    let warps = Count(calculation.warps.len() as u64, "warp");
    let accesses = calculation.warps.iter().map(|(_, access)| access);
    match AccessCost::of(pattern.space, accesses) {
        AccessCost::Global(cost) => format!(
            "{warps}: {}, {}, {} B fetched, {} B asked for: {}\n",
            Count(cost.requests.into(), "request"),
            Count(cost.sectors.into(), "sector"),
            cost.fetched(),
            cost.asked,
            percent(cost),
        ),
        AccessCost::Shared(cost) => format!(
            "{warps}: {}, of which {} by bank conflicts\n",
            Count(cost.wavefronts.into(), "pass"),
            cost.conflicts,
        ),
    }
}

/// The legend of the glyphs.
fn legend(space: Space, style: Style) -> String {
    let glyph = |ground| draw(&(ground, numbered(2, "")), style);
    match space {
        Space::Shared | Space::Distributed => format!(
            "a number is a lane, {} a lane without room for it; {} no lane\n",
            glyph(PictureCell::Brick),
            glyph(PictureCell::Idle).trim_end(),
        ),
        Space::Global | Space::Local | Space::Generic | Space::Param | Space::Const => format!(
            "a number is a lane, {} a lane without room for it; {} fetched, not used\n",
            glyph(PictureCell::Brick),
            glyph(PictureCell::Empty),
        ),
    }
}

fn draw((ground, text): &(PictureCell, String), style: Style) -> String {
    let unicode = style.glyphs == PictureGlyphs::Unicode;
    let pick = |basic: &'static str, ascii: &'static str| if unicode { basic } else { ascii };
    let (text, colour) = match ground {
        PictureCell::Brick => (text.replace(FILL, pick("\u{2588}", "#")), Some(36)),
        PictureCell::Costs => (text.replace(FILL, pick("\u{2588}", "#")), Some(31)),
        PictureCell::Empty => (text.replace(FILL, pick("\u{2592}", "-")), Some(31)),
        PictureCell::Idle => (format!(" {}", pick("\u{b7}", ".")), None),
        PictureCell::Gap => return text.clone(),
    };
    paint(&text, colour, style.ink)
}

fn paint(text: &str, colour: Option<u8>, ink: Ink) -> String {
    match (colour, ink) {
        (Some(colour), Ink::Ansi) => format!("\x1b[{colour}m{text}\x1b[0m"),
        (None, _) | (_, Ink::Plain) => text.to_owned(),
    }
}

/// `100 %`, `12.5 %`
fn percent(cost: Sectors) -> String {
    let efficiency = cost.efficiency().unwrap_or(0.0);
    format!("{} %", (1000.0 * efficiency).round() / 10.0)
}

fn verb(direction: Direction) -> &'static str {
    match direction {
        Direction::Load => "load",
        Direction::Store => "store",
        Direction::Atomic => "atomic operation",
    }
}

#[cfg(test)]
mod tests;
