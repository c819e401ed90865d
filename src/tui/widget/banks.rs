//! The banks that the lanes of a shared access touch: one row per wavefront, one column per bank.

use super::panel;
use super::pen::{Pen, fitting};
use super::ruled::{self, Place, Ruled};
use crate::analysis::banks::{Cell, Wavefronts, passes, wavefronts};
use crate::matrix::Operand;
use crate::report::number::Count;
use crate::sim::{Access, Direction, Route};
use crate::tui::theme::{Look, Role, role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;
use std::slice;

/// The wavefronts that a warp's access to shared memory takes.
#[derive(Clone, Copy, Debug)]
pub struct Banks<'a> {
    /// The access as written in PTX, or `None` before the first one.
    pub access: Option<&'a Access>,
    /// The warp that made it.
    pub warp: u16,
    /// The matrix whose tile it touches, which determines the colour, if known.
    pub operand: Option<Operand>,
    /// The SASS that it becomes, and what is unknown about that.
    pub becomes: &'a Becomes,
    /// The banks that are pointed at, bank 0 in the lowest bit.
    pub pointed: u32,
    /// How it is drawn.
    pub look: Look,
}

/// The SASS that ptxas makes of an access.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Becomes {
    /// The accesses executed in its place, or `None` if it is executed as written; empty if its
    /// values come with another instruction.
    pub instead: Option<Vec<Access>>,
    /// A description, the longest wording first: `4 x ld.shared.f32 -> 1 x LDS.128`.
    pub words: Vec<String>,
    /// The PTX line at which the vectorised access is executed, if it is a different one.
    pub with: Option<u32>,
    /// Why the access stays as written, or what is unknown.
    pub doubt: Vec<String>,
}

/// Rows that the picture of the SASS accesses needs, with its heading and its verdict.
const PICTURE: u16 = 7;

impl Banks<'_> {
    /// Returns the title and the note of the frame: the warp, and the origin of the figures.
    pub fn title(&self, width: u16) -> (String, String) {
        let (what, how) = match self.access.map(|access| access.direction) {
            None | Some(Direction::Load) => ("reads", "read"),
            Some(Direction::Store) => ("writes", "write"),
            Some(Direction::Atomic) => ("atomics", "atomic"),
        };
        let notes = [format!("w{}, simulated, PTX", self.warp), "PTX".to_owned()];
        let titles = [format!("Shared {what}: 32 banks"), format!("Shared {how}: banks")];
        panel::fitting(&titles, &notes, width)
    }

    fn table(&self, accesses: &[Access]) -> Ruled {
        let costs: Vec<_> = accesses.iter().map(wavefronts).collect();
        let conflicts = costs.iter().any(|cost| cost.conflicts > 0);
        let role = self.operand.map_or(Role::Memory, role);
        let role = if conflicts { Role::Bad } else { role };
        let passes: Vec<_> = accesses.iter().flat_map(passes).collect();
        let rows = (1..).zip(&passes).map(|(number, pass)| {
            let place = |(bank, cell): (usize, &Option<Cell>)| match cell {
                Some(_) if self.pointed >> bank & 1 == 1 => Place::Used(Role::Here),
                Some(_) => Place::Used(role),
                None => Place::Idle,
            };
            let mut cells = pass.cells.iter().enumerate().map(place);
            let places = std::array::from_fn(|_| cells.next().unwrap_or_default());
            (format!("#{number}"), places)
        });
        let cells = passes.iter().flat_map(|pass| pass.cells).flatten();
        let most = cells.map(|cell| cell.lanes.count()).max().unwrap_or(0);
        let loads = accesses.iter().all(|access| access.direction == Direction::Load);
        let shared = (loads && most > 1).then(|| format!("a word goes to {most} lanes at once"));
        let rule = "one row = one pass: fewer is faster".to_owned();
        let products = accesses.iter().any(|access| access.route == Route::Wgmma);
        let part = products.then(|| "the last 32 pieces that tensor cores read".to_owned());
        let bytes = if products { 0 } else { accesses.first().map_or(0, |access| access.bytes) };
        Ruled {
            heading: Some(("bank", &[0, 8, 16, 24, 31])),
            rows: rows.collect(),
            unit: "passes",
            fine: !conflicts,
            verdict: verdict(&costs, bytes),
            asides: Vec::new(),
            hints: part.into_iter().chain(shared).chain([rule]).collect(),
        }
    }

    /// Draws the access as written and as executed, one above the other.
    fn both(&self, pen: &mut Pen<'_>, access: &Access, instead: &[Access]) {
        let (width, height) = (pen.width(), pen.height());
        let half = height / 2;
        let bold = pen.look.text().add_modifier(Modifier::BOLD);
        let words = fitting(&self.becomes.words, width.saturating_sub(SASS.len() as u16));
        let words = format!("{SASS}{words}");
        let parts =
            [(0, half, "PTX", slice::from_ref(access)), (half, height - half, &words, instead)];
        for (y, height, title, accesses) in parts {
            pen.text(0, y, title, bold);
            let part = Rect { x: 0, y: y + 1, width, height: height.saturating_sub(2) };
            if accesses.is_empty() {
                let line = self.becomes.with.map(|line| format!(", PTX line {line}"));
                let text = format!("Nothing here: it comes with that{}.", line.unwrap_or_default());
                pen.text(0, y + 1, &text, pen.look.text());
            } else {
                self.table(accesses).draw(&mut pen.part(part));
            }
        }
    }
}

/// Introduces the SASS accesses.
const SASS: &str = "SASS: ";

impl Widget for Banks<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        if let Some(access) = self.access {
            let Becomes { instead, words, doubt, .. } = self.becomes;
            if let Some(instead) = instead.as_ref().filter(|_| pen.height() >= 2 * PICTURE) {
                return self.both(&mut pen, access, instead);
            }
            let asides = [words, doubt].into_iter().filter(|words| !words.is_empty()).cloned();
            let table = self.table(slice::from_ref(access));
            Ruled { asides: asides.collect(), ..table }.draw(&mut pen);
        } else {
            let text = format!("warp {} has not touched shared memory yet", self.warp);
            pen.text(0, 0, &text, self.look.dim());
        }
    }
}

/// Returns the bank in the column at `x` of the screen.
pub fn bank_at(area: Rect, x: u16) -> Option<usize> {
    ruled::column_at(area, x, "bank ".len() as u16).map(usize::from)
}

/// Returns the verdict: "1 pass: no bank conflict", "16-way conflict: 16 passes".
fn verdict(costs: &[Wavefronts], bytes: u8) -> Vec<String> {
    let sum = |of: fn(&Wavefronts) -> u32| costs.iter().map(of).sum::<u32>();
    let (wavefronts, conflicts) = (sum(|cost| cost.wavefronts), sum(|cost| cost.conflicts));
    let passes = Count(wavefronts.into(), "pass").to_string();
    if wavefronts == 0 {
        return vec!["no lane takes part".to_owned()];
    }
    if conflicts > 0 {
        let least = sum(|cost| cost.groups);
        let ways = costs.iter().map(|cost| cost.ways).max().unwrap_or(0);
        return vec![
            format!("{ways}-way bank conflict: {passes} instead of {least}"),
            format!("{ways}-way conflict: {passes}"),
            passes,
        ];
    }
    let width = if bytes > 4 { format!(" for {bytes} B a lane") } else { String::new() };
    vec![format!("{passes}{width}: no bank conflict"), format!("{passes}: no conflict"), passes]
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, RICH};
    use super::*;
    use crate::ptx::Space;
    use crate::sim::LaneMask;
    use insta::assert_snapshot;

    fn access(direction: Direction, bytes: u8, word: fn(u64) -> u64) -> Access {
        let addrs = std::array::from_fn(|lane| 4 * word(lane as u64));
        Access {
            space: Space::Shared,
            direction,
            bytes,
            route: Route::Lanes,
            active: LaneMask::ALL,
            addrs,
        }
    }

    /// An access that is executed as written.
    static WRITTEN: Becomes =
        Becomes { instead: None, words: Vec::new(), with: None, doubt: Vec::new() };

    fn panel(access: &Access, look: Look) -> Banks<'_> {
        Banks {
            access: Some(access),
            warp: 3,
            operand: Some(Operand::B),
            becomes: &WRITTEN,
            pointed: 0,
            look,
        }
    }

    #[test]
    fn one_pass_is_fine_and_says_what_is_broadcast() {
        let row = access(Direction::Load, 4, |lane| lane % 16);
        assert_snapshot!(picture::text(panel(&row, ASCII), 37, 5), @"
        bank 0       8       16      24    31
        #1   bbbbbbbbbbbbbbbb................
        ok 1 pass: no bank conflict
        a word goes to 2 lanes at once
        one row = one pass: fewer is faster
        ");
        assert_snapshot!(picture::text(panel(&row, ASCII), 30, 2), @"
        ok 1 pass: no bank conflict
        a word goes to 2 lanes at once
        ");
        let buf = picture::buffer(panel(&row, RICH), 72, 4);
        assert_eq!(buf[(10, 1)].bg, RICH.pixel(Role::B));
    }

    #[test]
    fn a_conflict_is_a_pile_of_rows_and_a_number() {
        let column = access(Direction::Store, 4, |lane| lane * 16);
        assert_snapshot!(picture::text(panel(&column, RICH), 37, 5), @"
        bank 0       8       16      24    31
        #1    ··············· ···············
        #2    ··············· ···············
            ... and 14 more passes
        ▲ 16-way conflict: 16 passes
        ");
        assert_snapshot!(picture::text(panel(&column, ASCII), 74, 6), @"
        bank 0                8                16               24            31
        #1   !!..............|................|!!..............|................
        #2   !!..............|................|!!..............|................
        #3   !!..............|................|!!..............|................
            ... and 13 more passes
        !! 16-way bank conflict: 16 passes instead of 1
        ");
        let buf = picture::buffer(panel(&column, RICH), 37, 5);
        assert_eq!(buf[(5, 1)].bg, RICH.pixel(Role::Bad));
    }

    #[test]
    fn wide_loads_need_several_passes_without_a_conflict() {
        let four = access(Direction::Load, 16, |lane| lane * 4);
        assert_snapshot!(picture::text(panel(&four, ASCII), 54, 7), @"
        bank 0        8        16       24    31
        #1   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
        #2   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
        #3   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
        #4   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
        ok 4 passes for 16 B a lane: no bank conflict
        one row = one pass: fewer is faster
        ");
    }

    /// Four loads of one address each from neighbouring addresses, vectorised to a single load.
    fn joined(instead: Option<Vec<Access>>) -> Becomes {
        let words = ["4 x ld.shared.f32 -> 1 x LDS.128", "4 x ld -> 1 x LDS.128"];
        let words = words.map(str::to_owned).to_vec();
        Becomes { instead, words, with: Some(181), doubt: Vec::new() }
    }

    #[test]
    fn what_is_executed_instead_is_said_and_with_room_drawn() {
        let four = access(Direction::Load, 4, |lane| lane / 16 * 16);
        let wide = Access { bytes: 16, ..four.clone() };
        let becomes = joined(Some(vec![wide]));
        let panel = |look| Banks { becomes: &becomes, ..panel(&four, look) };
        assert_snapshot!(picture::text(panel(ASCII), 37, 5), @"
        bank 0       8       16      24    31
        #1   b...............b...............
        ok 1 pass: no bank conflict
        4 x ld.shared.f32 -> 1 x LDS.128
        a word goes to 16 lanes at once
        ");
        assert_snapshot!(picture::text(panel(ASCII), 60, 16), @"
        PTX
        bank 0        8        16       24    31
        #1   b.......|........|b.......|........
        ok 1 pass: no bank conflict
        a word goes to 16 lanes at once
        one row = one pass: fewer is faster


        SASS: 4 x ld.shared.f32 -> 1 x LDS.128
        bank 0        8        16       24    31
        #1   bbbb....|........|........|........
        #2   ........|........|bbbb....|........
        ok 2 passes for 16 B a lane: no bank conflict
        a word goes to 16 lanes at once
        one row = one pass: fewer is faster
        ");
        let nothing = joined(Some(Vec::new()));
        let later = |look| Banks { becomes: &nothing, ..panel(look) };
        assert_snapshot!(picture::text(later(ASCII), 60, 16), @"
        PTX
        bank 0        8        16       24    31
        #1   b.......|........|b.......|........
        ok 1 pass: no bank conflict
        a word goes to 16 lanes at once
        one row = one pass: fewer is faster


        SASS: 4 x ld.shared.f32 -> 1 x LDS.128
        Nothing here: it comes with that, PTX line 181.
        ");
        let column = access(Direction::Load, 4, |lane| lane * 16);
        let bad = Banks { access: Some(&column), ..panel(ASCII) };
        assert_snapshot!(picture::text(bad, 37, 5), @"
        bank 0       8       16      24    31
        #1   !...............!...............
            ... and 15 more passes
        !! 16-way conflict: 16 passes
        4 x ld.shared.f32 -> 1 x LDS.128
        ");
        picture::survives(panel);
        picture::survives(later);
    }

    #[test]
    fn what_is_not_known_is_said_by_name() {
        let row = access(Direction::Load, 4, |lane| lane % 16);
        let doubt = ["SASS? ptxas may or may not unroll this loop", "SASS? may be unrolled"];
        let doubt = doubt.map(str::to_owned).to_vec();
        let becomes = Becomes { doubt, ..Becomes::default() };
        let panel = Banks { becomes: &becomes, ..panel(&row, ASCII) };
        assert_snapshot!(picture::text(panel, 37, 5), @"
        bank 0       8       16      24    31
        #1   bbbbbbbbbbbbbbbb................
        ok 1 pass: no bank conflict
        SASS? may be unrolled
        a word goes to 2 lanes at once
        ");
        assert_snapshot!(picture::text(panel, 60, 5), @"
        bank 0        8        16       24    31
        #1   bbbbbbbb|bbbbbbbb|........|........
        ok 1 pass: no bank conflict
        SASS? ptxas may or may not unroll this loop
        a word goes to 2 lanes at once
        ");
    }

    #[test]
    fn every_size_survives() {
        let column = access(Direction::Load, 4, |lane| lane * 16);
        let nobody = Access { active: LaneMask::NONE, ..column.clone() };
        picture::survives(|look| panel(&column, look));
        picture::survives(|look| panel(&nobody, look));
        picture::survives(|look| Banks { access: None, ..panel(&column, look) });
    }
}
