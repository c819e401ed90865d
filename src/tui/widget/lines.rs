//! The 128-byte lines that a global access touches: one row per line, one column per word.

use super::panel;
use super::pen::Pen;
use super::ruled::{Place, Ruled};
use crate::analysis::coalesce::{self, Line};
use crate::matrix::Operand;
use crate::report::number::Count;
use crate::sim::{Access, Direction};
use crate::tui::theme::{Look, Role, role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The 128-byte lines that a warp's access to global memory fetches or writes.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    /// The access, or `None` before the first one.
    pub access: Option<&'a Access>,
    /// The warp that made it.
    pub warp: u16,
    /// The matrix that it touches, which determines the colour, if known.
    pub operand: Option<Operand>,
    /// The address at which that matrix begins, from which labels count.
    pub origin: u64,
    /// The addresses of words that are pointed at.
    pub pointed: &'a [u64],
    /// How it is drawn.
    pub look: Look,
}

impl Lines<'_> {
    /// Returns the title and the note of the frame: the warp, and the origin of the figures.
    pub fn title(&self, width: u16) -> (String, String) {
        let what = match self.access.map(|access| access.direction) {
            None | Some(Direction::Load) => "load",
            Some(Direction::Store) => "store",
            Some(Direction::Atomic) => "atomic",
        };
        // ptxas does not vectorise accesses to global memory: they are executed as written.
        let whose = format!("w{}, simulated", self.warp);
        let notes =
            [format!("{whose}, PTX and SASS alike"), format!("{whose}, SASS"), "SASS".to_owned()];
        let titles = [format!("Global {what}s: 128-byte lines"), format!("Global {what}: lines")];
        panel::fitting(&titles, &notes, width)
    }

    fn table(&self, access: &Access) -> Ruled {
        let role = self.operand.map_or(Role::Memory, role);
        let name = self.operand.map_or("", Operand::name);
        let rows = coalesce::lines(access).into_iter().map(|line| {
            let label = format!("{name}+{:x}", line.address.saturating_sub(self.origin));
            (label, places(line, role, self.pointed))
        });
        let (fine, verdict) = verdict(access);
        let hints = vec!["one row = one line: fewer is faster".to_owned()];
        let rows = rows.collect();
        Ruled { heading: None, rows, unit: "lines", fine, verdict, asides: Vec::new(), hints }
    }
}

impl Widget for Lines<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        if let Some(access) = self.access {
            self.table(access).draw(&mut pen);
        } else {
            let text = format!("warp {} has not touched global memory yet", self.warp);
            pen.text(0, 0, &text, self.look.dim());
        }
    }
}

/// Returns the address of the sector at (x, y) of the screen.
pub fn sector_at(lines: &Lines<'_>, area: Rect, x: u16, y: u16) -> Option<u64> {
    let access = lines.access?;
    let (row, column) = lines.table(access).place_at(area, x, y)?;
    let line = coalesce::lines(access).get(row).copied()?;
    Some(line.address + u64::from(column) / SECTOR_WORDS * coalesce::SECTOR)
}

/// Words of a sector.
const SECTOR_WORDS: u64 = coalesce::SECTOR / 4;

fn places(line: Line, role: Role, pointed: &[u64]) -> [Place; 32] {
    std::array::from_fn(|word| {
        if line.fetches(word) && pointed.contains(&(line.address + 4 * word as u64)) {
            Place::Used(Role::Here)
        } else if line.uses(word) {
            Place::Used(role)
        } else if line.fetches(word) {
            Place::Wasted
        } else {
            Place::Idle
        }
    })
}

/// Returns whether the access wastes nothing, and the verdict, the longest wording first.
fn verdict(access: &Access) -> (bool, Vec<String>) {
    let cost = coalesce::sectors(access);
    let (sectors, used, moved) = (cost.sectors, cost.distinct, cost.fetched());
    if moved == 0 {
        return (true, vec!["no lane takes part".to_owned()]);
    }
    let lanes = access.active.count();
    let percent = 100 * used / moved;
    let head = Count(sectors.into(), "sector").to_string();
    let done = match access.direction {
        Direction::Load => "fetched",
        Direction::Store => "written",
        Direction::Atomic => "changed",
    };
    if cost.asked > used && cost.asked >= moved {
        let words = vec![
            format!("{head}: {moved} B {done}, {used} B go to {lanes} lanes at once"),
            format!("{moved} B {done}: {used} B for {lanes} lanes"),
            head,
        ];
        return (true, words);
    }
    let fine = sectors <= cost.ideal();
    let words = if fine {
        vec![
            format!("{head}: {moved} B {done}, {used} B used: {percent} %"),
            format!("{moved} B {done}, {used} B used: {percent} %"),
            format!("{percent} % used"),
        ]
    } else {
        vec![
            format!("{head} x 32 B = {moved} B {done} for {used} B used: {percent} %"),
            format!("{head} x 32 B for {used} B: {percent} %"),
            format!("{moved} B for {used} B: {percent} %"),
            format!("{percent} % used"),
        ]
    };
    (fine, words)
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, MONO, RICH};
    use super::*;
    use crate::ptx::Space;
    use crate::sim::{LaneMask, Route};
    use insta::assert_snapshot;

    fn access(address: impl Fn(u64) -> u64) -> Access {
        let addrs = std::array::from_fn(|lane| 0x1_0000 + address(lane as u64));
        let (direction, active) = (Direction::Load, LaneMask::ALL);
        Access { space: Space::Global, direction, bytes: 4, route: Route::Lanes, active, addrs }
    }

    fn panel(access: &Access, look: Look) -> Lines<'_> {
        let operand = Some(Operand::A);
        Lines { access: Some(access), warp: 3, operand, origin: 0x1_0000, pointed: &[], look }
    }

    /// Two rows of a tile, 16 floats each, in a matrix with rows of 4 KB.
    fn tile(lane: u64) -> u64 {
        lane / 16 * 4096 + lane % 16 * 4
    }

    #[test]
    fn rows_of_a_tile_use_every_byte_that_is_fetched() {
        let good = access(tile);
        assert_snapshot!(picture::text(panel(&good, RICH), 37, 5), @"
        A+0                  ················
        1000                 ················
        ● 128 B fetched, 128 B used: 100 %
        one row = one line: fewer is faster
        ");
        assert_snapshot!(picture::text(panel(&good, MONO), 76, 5), @"
        A+0    aaaaaaaaaaaaaaaa│aaaaaaaaaaaaaaaa│················│················
        A+1000 aaaaaaaaaaaaaaaa│aaaaaaaaaaaaaaaa│················│················
        ● 4 sectors: 128 B fetched, 128 B used: 100 %
        one row = one line: fewer is faster
        ");
    }

    #[test]
    fn a_column_wastes_seven_eighths() {
        let bad = access(|lane| lane * 4096);
        assert_snapshot!(picture::text(panel(&bad, ASCII), 37, 5), @"
        A+0  a:::::::........................
        1000 a:::::::........................
        2000 a:::::::........................
            ... and 29 more lines
        !! 32 sectors x 32 B for 128 B: 12 %
        ");
        assert_snapshot!(picture::text(panel(&bad, RICH), 72, 4), @"
        A+0      ▒▒▒▒▒▒▒│········│········│········
        A+1000   ▒▒▒▒▒▒▒│········│········│········
            ... and 30 more lines
        ▲ 32 sectors x 32 B = 1024 B fetched for 128 B used: 12 %
        ");
    }

    #[test]
    fn one_word_for_all_lanes_is_no_waste() {
        let broadcast = access(|lane| lane / 16 * 4096);
        assert_snapshot!(picture::text(panel(&broadcast, ASCII), 60, 4), @"
        A+0    a:::::::|........|........|........
        A+1000 a:::::::|........|........|........
        ok 2 sectors: 64 B fetched, 8 B go to 32 lanes at once
        one row = one line: fewer is faster
        ");
    }

    #[test]
    fn a_misaligned_row_costs_one_sector_more() {
        let shifted = access(|lane| 4 + lane * 4);
        assert_snapshot!(picture::text(panel(&shifted, ASCII), 80, 4), @"
        A+0  ::aaaaaaaaaaaaaa|aaaaaaaaaaaaaaaa|aaaaaaaaaaaaaaaa|aaaaaaaaaaaaaaaa
        A+80 aa::::::::::::::|................|................|................
        !! 5 sectors x 32 B = 160 B fetched for 128 B used: 80 %
        one row = one line: fewer is faster
        ");
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
        picture::survives(|look| Lines { access: None, ..panel(&good, look) });
    }
}
