//! Draws the lanes of each warp on memory lines or on banks, for a terminal or a pipe.

use super::Calculation;
use super::cost::AccessCost;
use crate::analysis::banks::{Pass, Wavefronts, passes};
use crate::analysis::coalesce::{CacheLine, Sectors, lines};
use crate::report::number::{Count, sides};
use crate::sim::{Access, Direction, LaneMask};
use ptx::Space;
use std::fmt::Write;

/// The maximum number of rows of a picture.
const MOST_ROWS: usize = 16;

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
    /// The meaning of a column, and the numbers above the columns.
    scale: (&'static str, &'static str),
    rows: Vec<Row>,
    verdict: CostVerdict,
}

/// One row: a memory line or a wavefront.
struct Row {
    label: String,
    /// The byte address of a memory line relative to the first one; 0 for a wavefront.
    offset: u64,
    cells: Vec<WordUse>,
}

/// Ignores the labels of memory lines, which differ from warp to warp in equal pictures.
impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        (self.offset, &self.cells) == (other.offset, &other.cells)
    }
}

impl Eq for Row {}

/// One word of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordUse {
    /// Requested by one lane or, on a memory line, by any number.
    Used,
    /// Requested by this number of lanes, served together.
    Together(u32),
    /// Transferred but not requested.
    Wasted,
    /// Not touched.
    Idle,
    /// Between two sectors.
    Edge,
}

#[derive(PartialEq, Eq)]
enum CostVerdict {
    Good(String),
    /// Lanes share what is fetched: it is neither good nor bad.
    Shared(String),
    Bad(String),
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
        let (scale, rows, verdict) = match AccessCost::of(access.space, [access]) {
            AccessCost::Global(cost) => (
                ("word", "0        8        16       24     31"),
                line_rows(&lines(access)),
                global_verdict(cost),
            ),
            AccessCost::Shared(cost) => (
                ("bank", "0       8       16      24    31"),
                pass_rows(&passes(access), cost.groups),
                shared_verdict(cost),
            ),
        };
        Self { active: access.active, scale, rows, verdict }
    }

    fn write(&self, text: &mut String, warps: &[u32], style: Style) {
        let some = self.active != LaneMask::ALL;
        let lanes = some.then(|| format!(", {} of 32 lanes", self.active.count()));
        let same = match (warps, self.scale.0) {
            ([] | [_], _) => String::new(),
            ([first, ..], "word") => format!(": the same picture (addresses of warp {first})"),
            (..) => ": the same picture".to_owned(),
        };
        let _ = writeln!(text, "{}{}{same}", ranges(warps), lanes.unwrap_or_default());
        let shown = &self.rows[..self.rows.len().min(MOST_ROWS)];
        let width = shown.iter().map(|row| row.label.len()).max().unwrap_or(0);
        let width = width.max(self.scale.0.len());
        let _ = writeln!(text, "  {:<width$}  {}", self.scale.0, self.scale.1);
        for Row { label, cells, .. } in shown {
            let _ = writeln!(text, "  {label:<width$}  {}", draw(cells, style));
        }
        let hidden = self.rows.len() - shown.len();
        if hidden > 0 {
            let what = if self.scale.0 == "word" { "more line" } else { "more pass" };
            let _ = writeln!(text, "  ... and {}", Count(hidden as u64, what));
        }
        let _ = writeln!(text, "  {}", self.verdict.draw(style));
    }
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

fn line_rows(lines: &[CacheLine]) -> Vec<Row> {
    let first = lines.first().map_or(0, |line| line.address);
    let row = |line: &CacheLine| Row {
        label: format!("{:#06x}", line.address),
        offset: line.address - first,
        cells: (0..32)
            .flat_map(|word| {
                let edge = (word > 0 && word % 8 == 0).then_some(WordUse::Edge);
                edge.into_iter().chain([line_cell(line, word)])
            })
            .collect(),
    };
    lines.iter().map(row).collect()
}

fn line_cell(line: &CacheLine, word: usize) -> WordUse {
    if line.uses(word) {
        WordUse::Used
    } else if line.fetches(word) {
        WordUse::Wasted
    } else {
        WordUse::Idle
    }
}

fn pass_rows(passes: &[Pass], groups: u32) -> Vec<Row> {
    let row = |(index, pass): (usize, &Pass)| Row {
        label: match groups {
            1 => format!("pass {}", index + 1),
            _ => format!("pass {}, {}", index + 1, lanes(pass.group)),
        },
        offset: 0,
        cells: pass
            .cells
            .iter()
            .map(|cell| match cell.map(|cell| cell.lanes.count()) {
                None => WordUse::Idle,
                Some(0 | 1) => WordUse::Used,
                Some(lanes) => WordUse::Together(lanes),
            })
            .collect(),
    };
    passes.iter().enumerate().map(row).collect()
}

/// `lanes 8-15`: the first and the last active lane of a group.
fn lanes(group: LaneMask) -> String {
    format!("lanes {}-{}", group.0.trailing_zeros(), group.0.ilog2())
}

fn global_verdict(cost: Sectors) -> CostVerdict {
    let mut text = Count(cost.sectors.into(), "sector").to_string();
    if cost.is_scattered() {
        let _ = write!(text, " ({} would do)", cost.ideal());
    }
    let lines = Count(cost.lines.into(), "line");
    let (fetched, used) = (cost.fetched(), cost.distinct);
    let _ = write!(text, " on {lines}: {fetched} B fetched, {used} B used");
    if cost.asked > used {
        let _ = write!(text, ", {} B asked for", cost.asked);
    }
    let _ = write!(text, ": {}", percent(cost));
    match (cost.is_scattered(), cost.sectors > cost.ideal()) {
        (true, _) => CostVerdict::Bad(text),
        (false, true) => CostVerdict::Shared(text),
        (false, false) => CostVerdict::Good(text),
    }
}

fn shared_verdict(cost: Wavefronts) -> CostVerdict {
    let passes = Count(cost.wavefronts.into(), "pass");
    match (cost.conflicts, cost.groups) {
        (0, 1) => CostVerdict::Good("1 pass: no bank conflict".to_owned()),
        (0, _) => {
            CostVerdict::Good(format!("{passes}, one for each group of lanes: no bank conflict"))
        }
        (_, least) => {
            CostVerdict::Bad(format!("{}-way conflict: {passes} instead of {least}", cost.ways))
        }
    }
}

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
            Count(cost.wavefronts.into(), "wavefront"),
            cost.conflicts,
        ),
    }
}

/// The legend of the glyphs.
fn legend(space: Space, style: Style) -> String {
    let glyph = |cell| glyph(cell, style.glyphs);
    match space {
        Space::Shared | Space::Distributed => format!(
            "{} one lane   2-9 lanes of one word (+ is more)   {} idle\n",
            glyph(WordUse::Used),
            glyph(WordUse::Idle),
        ),
        Space::Global | Space::Local | Space::Generic | Space::Param | Space::Const => format!(
            "{} used   {} fetched, not used   {} not touched\n",
            glyph(WordUse::Used),
            glyph(WordUse::Wasted),
            glyph(WordUse::Idle),
        ),
    }
}

impl CostVerdict {
    fn draw(&self, style: Style) -> String {
        match self {
            Self::Good(text) => paint(&format!("ok {text}"), Some(32), style.ink),
            Self::Shared(text) => paint(&format!("-- {text}"), None, style.ink),
            Self::Bad(text) => paint(&format!("!! {text}"), Some(31), style.ink),
        }
    }
}

fn draw(cells: &[WordUse], style: Style) -> String {
    let run = |run: &[WordUse]| {
        let glyphs: String = run.iter().map(|cell| glyph(*cell, style.glyphs)).collect();
        paint(&glyphs, colour(run[0]), style.ink)
    };
    cells.chunk_by(|a, b| colour(*a) == colour(*b)).map(run).collect()
}

fn glyph(cell: WordUse, glyphs: PictureGlyphs) -> char {
    let (ascii, unicode) = match cell {
        WordUse::Used => ('#', '\u{2588}'),
        WordUse::Together(lanes) => {
            let digit = char::from_digit(lanes, 10).unwrap_or('+');
            (digit, digit)
        }
        WordUse::Wasted => ('-', '\u{2592}'),
        WordUse::Idle => ('.', '\u{b7}'),
        WordUse::Edge => ('|', '\u{2502}'),
    };
    match glyphs {
        PictureGlyphs::Ascii => ascii,
        PictureGlyphs::Unicode => unicode,
    }
}

/// A colour of the terminal's own palette (SGR), if the cell has one.
fn colour(cell: WordUse) -> Option<u8> {
    match cell {
        WordUse::Used | WordUse::Together(_) => Some(36),
        WordUse::Wasted => Some(31),
        WordUse::Idle | WordUse::Edge => None,
    }
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
