//! The 128-byte lines that a global access touches: one row per line, one column per word.

use super::panel;
use super::pen::Pen;
use super::ruled::{ColumnState, Heading, Row, Ruled, VerdictMark};
use crate::analysis::coalesce::{self, CacheLine, Sectors};
use crate::matrix::Operand;
use crate::report::number::{Count, percent};
use crate::sim::{Access, Direction, LaneMask};
use crate::tui::layout::text::fitting;
use crate::tui::theme::{Look, Role, role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use std::collections::BTreeSet;

/// The 128-byte lines that a warp's access to global memory fetches or writes.
#[derive(Clone, Copy, Debug)]
pub struct LinesPanel<'a> {
    /// The access, or `None` before the first one.
    pub access: Option<&'a Access>,
    /// The warp that made it.
    pub warp: u16,
    /// The matrix that it touches, which determines the colour, if known.
    pub operand: Option<Operand>,
    /// The address at which that matrix begins, from which addresses count.
    pub origin: u64,
    /// (row, column) of the first element that is touched in each line, if they are known.
    pub places: &'a [(u32, u32)],
    /// The addresses of words that are pointed at.
    pub pointed: &'a [u64],
    pub look: Look,
}

impl LinesPanel<'_> {
    /// Returns the title and the note of the frame: the warp, and the origin of the figures.
    pub fn title(&self, width: u16) -> (String, String) {
        let [what, how] = match self.access.map(|access| access.direction) {
            None => ["memory", "memory"],
            Some(Direction::Load) => ["loads", "load"],
            Some(Direction::Store) => ["stores", "store"],
            Some(Direction::Atomic) => ["atomics", "atomic"],
        };
        // ptxas does not vectorise accesses to global memory: they are executed as written.
        let whose = format!("w{}, simulated", self.warp);
        let notes =
            [format!("{whose}, PTX and SASS alike"), format!("{whose}, SASS"), "SASS".to_owned()];
        let titles = [format!("Global {what}: 128-byte lines"), format!("Global {how}: lines")];
        panel::fitting(&titles, &notes, width)
    }

    fn table(&self, access: &Access) -> Ruled {
        let role = self.operand.map_or(Role::Memory, role);
        let name = self.operand.map_or("", Operand::name);
        let lines_are = LineLabel::of(self.places);
        let rows = coalesce::lines(access).into_iter().enumerate().map(|(number, line)| {
            let offset = line.address.saturating_sub(self.origin);
            let label = lines_are.label(name, self.places.get(number), offset);
            let (places, lanes) = (places(line, role, self.pointed), lanes(access, line));
            Row { label, places, lanes, values: Vec::new() }
        });
        let (mark, verdict) = verdict(access);
        let sectors = (0..4).map(|sector| (8 * sector, format!("sector{sector}"))).collect();
        let heading = Heading { label: lines_are.heading(name), names: sectors, numbered: false };
        let loads = access.direction == Direction::Load;
        let least = coalesce::sectors(access).ideal();
        // The note on stores already says so.
        let least = if loads && mark == VerdictMark::Bad {
            format!(" (least: {least})")
        } else {
            String::new()
        };
        let hatched = match access.direction {
            Direction::Load => "coloured: asked for; hatched: fetched, but not asked for",
            Direction::Store => "coloured: stored; hatched: in the sector, but not stored",
            Direction::Atomic => "coloured: changed; hatched: in the sector, but not changed",
        };
        let hints = vec![
            format!("fewer sectors are faster{least}"),
            "a line is 128 bytes: 4 sectors of 32 bytes, the least that memory moves".to_owned(),
            hatched.to_owned(),
        ];
        let (who, legend) = match access.direction {
            Direction::Load => (
                "above, lane by lane: the word that it asks for, and in which line",
                "a number is the lane that asks for the word; + other lanes ask for it, too",
            ),
            Direction::Store => (
                "above, lane by lane: the word that it stores, and in which line",
                "a number is the lane that stores the word; + other lanes store it, too",
            ),
            Direction::Atomic => (
                "above, lane by lane: the word that it changes, and in which line",
                "a number is the lane that changes the word; + other lanes change it, too",
            ),
        };
        Ruled {
            heading: Some(heading),
            who,
            names_rows: true,
            rows: rows.collect(),
            unit: "lines",
            mark,
            verdict,
            hints,
            legend,
            ..Ruled::default()
        }
    }
}

/// How the lines of a picture are labelled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineLabel {
    /// The row of the matrix.
    Row,
    /// The column, as all lie in one row.
    Column,
    /// The first of the line's elements that is touched.
    Element,
    /// Its address: the elements are not known.
    Address,
}

impl LineLabel {
    fn of(places: &[(u32, u32)]) -> Self {
        let differ = |of: fn(&(u32, u32)) -> u32| {
            places.iter().map(of).collect::<BTreeSet<_>>().len() == places.len()
        };
        match places {
            [] => Self::Address,
            _ if differ(|(row, _)| *row) => Self::Row,
            _ if differ(|(_, column)| *column) => Self::Column,
            _ => Self::Element,
        }
    }

    /// What the labels are, and their short forms.
    fn heading(self, matrix: &str) -> (String, String) {
        let short = match self {
            Self::Row | Self::Element => "row",
            Self::Column => "col",
            Self::Address => return ("line at".to_owned(), format!("{matrix}+0x")),
        };
        ("line at".to_owned(), short.to_owned())
    }

    /// The label of a line, and its short form: all digits of a number, never a part of them.
    fn label(self, matrix: &str, place: Option<&(u32, u32)>, offset: u64) -> (String, String) {
        match (self, place) {
            (Self::Row, Some((row, _))) => (format!("{matrix} row {row}"), row.to_string()),
            (Self::Column, Some((_, column))) => {
                (format!("{matrix} col {column}"), column.to_string())
            }
            (Self::Element, Some((row, column))) => {
                (format!("{matrix}[{row}][{column}]"), row.to_string())
            }
            (Self::Address, _) | (_, None) => {
                (format!("{matrix}+0x{offset:x}"), format!("{offset:x}"))
            }
        }
    }
}

/// Returns the description of the line's address and the sector in it (0 to 3) at a position of the
/// screen.
pub fn sector_at(
    lines: &LinesPanel<'_>,
    area: Rect,
) -> impl Fn(u16, u16) -> Option<(u64, u8)> + use<> {
    let size = (area.width, area.height);
    let known =
        lines.access.map(|access| (lines.table(access).hits(size), coalesce::lines(access)));
    move |x, y| {
        let (hit, lines) = known.as_ref()?;
        let (row, word) = hit((x.checked_sub(area.x)?, y.checked_sub(area.y)?))?;
        Some((lines.get(row)?.address, word / 8))
    }
}

impl Widget for LinesPanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        if let Some(access) = self.access {
            self.table(access).draw(&mut pen);
        } else {
            let words = ["no access to global memory yet", "no global access yet", "none yet"];
            let wordings = words.map(|words| format!("w{}: {words}", self.warp));
            pen.text(0, 0, fitting(&wordings, pen.width()), self.look.dim());
        }
    }
}

fn places(line: CacheLine, role: Role, pointed: &[u64]) -> [ColumnState; 32] {
    std::array::from_fn(|word| {
        if line.fetches(word) && pointed.contains(&(line.address + 4 * word as u64)) {
            ColumnState::Used(Role::Here)
        } else if line.uses(word) {
            ColumnState::Used(role)
        } else if line.fetches(word) {
            ColumnState::Wasted
        } else {
            ColumnState::Idle
        }
    })
}

/// Returns the lanes that ask for each word of a line.
fn lanes(access: &Access, line: CacheLine) -> [LaneMask; 32] {
    let mut lanes = [LaneMask::NONE; 32];
    for (lane, addr) in access.touched() {
        let last = addr.saturating_add(u64::from(access.bytes).saturating_sub(1));
        for (word, lanes) in (0..).zip(&mut lanes) {
            let start = line.address + 4 * word;
            if addr < start + 4 && last >= start {
                *lanes = LaneMask(lanes.0 | 1 << lane);
            }
        }
    }
    lanes
}

/// Returns how good an access is: by the sectors that its bytes need, and by how many of the bytes
/// are used.
pub(super) const fn mark(cost: &Sectors) -> VerdictMark {
    match (cost.is_scattered(), cost.distinct == cost.fetched()) {
        (true, _) => VerdictMark::Bad,
        (false, true) => VerdictMark::Good,
        (false, false) => VerdictMark::Plain,
    }
}

/// Returns what the verdict means, and the verdict, the longest wording first.
fn verdict(access: &Access) -> (VerdictMark, Vec<String>) {
    let cost = coalesce::sectors(access);
    let head = Count(cost.sectors.into(), "sector").to_string();
    let words = match access.direction {
        Direction::Load => fetched(&head, &cost, access.active.count()),
        Direction::Store => moved(&head, &cost, "stored"),
        Direction::Atomic => moved(&head, &cost, "changed"),
    };
    (mark(&cost), words)
}

/// Describes a store: nothing is fetched for it, and what it does not store is not wasted.
fn moved(head: &str, cost: &Sectors, done: &str) -> Vec<String> {
    let (bytes, least) = (cost.distinct, cost.ideal());
    let least =
        if cost.sectors > least { format!("least: {least}") } else { "the least".to_owned() };
    vec![
        format!("{head} for {bytes} B {done}, {least}"),
        format!("{head}, {least}"),
        head.to_owned(),
    ]
}

/// Describes a load by this many lanes.
fn fetched(head: &str, cost: &Sectors, lanes: u32) -> Vec<String> {
    let (used, moved, wasted) = (cost.distinct, cost.fetched(), cost.wasted());
    let percent = percent(used, moved);
    if mark(cost) == VerdictMark::Good {
        return vec![
            format!("{head}: {moved} B fetched, all of it used"),
            format!("{head}: all {moved} B used"),
            "100 % used".to_owned(),
        ];
    }
    if cost.is_shared() {
        return vec![
            format!("{head}: {moved} B fetched, {used} B of it used, by {lanes} lanes at once"),
            format!("{used} of {moved} B used, by {lanes} lanes"),
            format!("{percent} % used"),
        ];
    }
    vec![
        format!("{head}: {moved} B fetched, {used} B used, {wasted} B wasted: {percent} % used"),
        format!("{head}: {moved} B fetched, {wasted} B wasted"),
        format!("{head}: {wasted} of {moved} B wasted"),
        format!("{wasted} of {moved} B wasted"),
        format!("{percent} % used"),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, MONO, RICH};
    use super::*;
    use crate::sim::Route;
    use insta::assert_snapshot;
    use ptx::Space;

    fn access(address: impl Fn(u64) -> u64) -> Access {
        let addrs = std::array::from_fn(|lane| 0x1_0000 + address(lane as u64));
        let (direction, active) = (Direction::Load, LaneMask::ALL);
        Access { space: Space::Global, direction, bytes: 4, route: Route::Lanes, active, addrs }
    }

    fn panel(access: &Access, look: Look) -> LinesPanel<'_> {
        let operand = Some(Operand::A);
        let (origin, places) = (0x1_0000, &[][..]);
        LinesPanel { access: Some(access), warp: 3, operand, origin, places, pointed: &[], look }
    }

    /// Two rows of a tile, 16 floats each, in a matrix with rows of 4 KB.
    fn tile(lane: u64) -> u64 {
        lane / 16 * 4096 + lane % 16 * 4
    }

    #[test]
    fn rows_of_a_tile_use_every_byte_that_is_fetched() {
        let good = access(tile);
        assert_snapshot!(picture::text(panel(&good, RICH), 37, 5), @"
        A+0x sector0 sector1 sector2 sector3
        0                    ················
        1000                 ················
        ● 4 sectors: all 128 B used
        fewer sectors are faster
        ");
        assert_snapshot!(picture::text(panel(&good, MONO), 76, 5), @"
        line at  sector0          sector1          sector2          sector3
        A+0x0    aaaaaaaaaaaaaaaa│aaaaaaaaaaaaaaaa│················│················
        A+0x1000 aaaaaaaaaaaaaaaa│aaaaaaaaaaaaaaaa│················│················
        ● 4 sectors: 128 B fetched, all of it used
        fewer sectors are faster
        ");
    }

    #[test]
    fn a_column_wastes_seven_eighths() {
        let bad = access(|lane| lane * 4096);
        assert_snapshot!(picture::text(panel(&bad, ASCII), 37, 5), @"
        A+0x sector0 sector1 sector2 sector3
        0    a:::::::........................
        1000 a:::::::........................
            ... and 30 more lines
        !! 32 sectors: 896 of 1024 B wasted
        ");
        assert_snapshot!(picture::text(panel(&bad, RICH), 72, 4), @"
        line at   sector0  sector1  sector2  sector3
        A+0x0      ▒▒▒▒▒▒▒│········│········│········
            ... and 31 more lines
        ▲ 32 sectors: 1024 B fetched, 128 B used, 896 B wasted: 12.5 % used
        ");
    }

    #[test]
    fn one_word_for_all_lanes_is_no_waste() {
        let broadcast = access(|lane| lane / 16 * 4096);
        assert_snapshot!(picture::text(panel(&broadcast, ASCII), 60, 4), @"
        line at  sector0  sector1  sector2  sector3
        A+0x0    a:::::::|........|........|........
        A+0x1000 a:::::::|........|........|........
        -- 8 of 64 B used, by 32 lanes
        ");
    }

    #[test]
    fn a_misaligned_row_costs_one_sector_more() {
        let shifted = access(|lane| 4 + lane * 4);
        assert_snapshot!(picture::text(panel(&shifted, ASCII), 80, 4), @"
        line at sector0          sector1          sector2          sector3
        A+0x0   ::aaaaaaaaaaaaaa|aaaaaaaaaaaaaaaa|aaaaaaaaaaaaaaaa|aaaaaaaaaaaaaaaa
        A+0x80  aa::::::::::::::|................|................|................
        !! 5 sectors: 160 B fetched, 128 B used, 32 B wasted: 80 % used
        ");
    }

    #[test]
    fn only_what_is_used_whole_is_good() {
        let mark = |access: &Access| verdict(access).0;
        assert_eq!(mark(&access(tile)), VerdictMark::Good);
        assert_eq!(mark(&access(|lane| lane / 16 * 4096)), VerdictMark::Plain);
        assert_eq!(mark(&access(|lane| lane * 4096)), VerdictMark::Bad);
    }

    #[test]
    fn a_store_fetches_and_wastes_nothing() {
        let store =
            |address: fn(u64) -> u64| Access { direction: Direction::Store, ..access(address) };
        let (whole, part) = (store(tile), store(|lane| lane / 8 * 4096 + lane % 8 / 2 * 4));
        assert_eq!(verdict(&whole).1[0], "4 sectors for 128 B stored, the least");
        assert_eq!(verdict(&part).1[0], "4 sectors for 64 B stored, least: 2");
        let text = picture::text(panel(&part, ASCII), 118, 40);
        for load in ["fetch", "waste", "asks", "asked"] {
            assert!(!text.contains(load), "{load}: {text}");
        }
    }

    #[test]
    fn lines_have_the_rows_of_their_matrix_with_all_digits() {
        let good = access(tile);
        let drawn = |places: &[(u32, u32)], width| {
            let text = picture::text(LinesPanel { places, ..panel(&good, ASCII) }, width, 5);
            let labels = text.lines().take(3).map(|line| line.split("  ").next().unwrap_or(""));
            labels
                .map(|label| label.get(..9).unwrap_or(label).trim().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(drawn(&[(512, 0), (513, 0)], 76), ["line at", "A row 512", "A row 513"]);
        let labels = |places: &[(u32, u32)]| {
            let text = picture::text(LinesPanel { places, ..panel(&good, ASCII) }, 37, 5);
            text.lines().take(3).map(|line| line[..4].trim().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(labels(&[(512, 0), (513, 0)]), ["row", "512", "513"]);
        assert_eq!(labels(&[(7, 0), (7, 32)]), ["col", "0", "32"]);
        assert_eq!(labels(&[(99_999, 0), (100_000, 0)]), ["row", "", ""], "no part of a number");
    }

    #[test]
    fn a_position_is_a_sector() {
        let good = access(tile);
        let (panel, area) = (panel(&good, RICH), Rect::new(1, 2, 37, 5));
        assert_eq!(sector_at(&panel, area)(1 + 5, 3), Some((0x1_0000, 0)));
        assert_eq!(sector_at(&panel, area)(1 + 5 + 8, 4), Some((0x1_1000, 1)));
        assert_eq!(sector_at(&panel, area)(1 + 5 + 8, 2), None);
    }

    #[test]
    fn used_words_have_the_colour_of_their_matrix() {
        let good = access(tile);
        let buf = picture::buffer(panel(&good, RICH), 37, 2);
        assert_eq!(buf[(8, 0)].bg, RICH.pixel(Role::A));
    }

    #[test]
    fn every_size_survives() {
        let (good, bad) = (access(tile), access(|lane| lane * 4096));
        let nobody = Access { active: LaneMask::NONE, ..good.clone() };
        let last = Access { addrs: [1 << 62; 32], bytes: 16, ..good.clone() };
        for access in [&good, &bad, &nobody, &last] {
            picture::survives(|look| panel(access, look));
        }
        picture::survives(|look| LinesPanel { access: None, ..panel(&good, look) });
    }
}
