//! Where the lanes of one shared access fall: one row per pass, one column per bank.

use super::pen::Pen;
use super::ruled::{Place, Ruled};
use crate::analysis::banks::{Wavefronts, passes, wavefronts};
use crate::matrix::Operand;
use crate::sim::{Access, Direction};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The passes that one warp's access to shared memory takes.
#[derive(Clone, Copy, Debug)]
pub struct Banks<'a> {
    /// The access; none before the first.
    pub access: Option<&'a Access>,
    /// Whose it is.
    pub warp: u16,
    /// The matrix whose tile it touches, where that is known: its colour.
    pub operand: Option<Operand>,
    /// How it is drawn.
    pub look: Look,
}

impl Banks<'_> {
    /// The title for the frame.
    pub fn title(&self) -> &'static str {
        match self.access.map(|access| access.direction) {
            None | Some(Direction::Load) => "Shared reads: 32 banks",
            Some(Direction::Store) => "Shared writes: 32 banks",
            Some(Direction::Atomic) => "Shared atomics: 32 banks",
        }
    }

    /// The note for the frame: whose access, and where the figures come from.
    pub fn note(&self) -> String {
        format!("w{}, simulated, as written", self.warp)
    }

    fn table(&self, access: &Access) -> Ruled {
        let (cost, passes) = (wavefronts(access), passes(access));
        let role = self.operand.map_or(Role::Memory, super::matrices::role);
        let role = if cost.conflicts == 0 { role } else { Role::Bad };
        let rows = (1..).zip(&passes).map(|(number, pass)| {
            let places = pass.cells.map(|cell| cell.map_or(Place::Idle, |_| Place::Used(role)));
            (format!("#{number}"), places)
        });
        let cells = passes.iter().flat_map(|pass| pass.cells).flatten();
        let most = cells.map(|cell| cell.lanes.count()).max().unwrap_or(0);
        let shared = match access.direction {
            Direction::Load if most > 1 => Some(format!("a word goes to {most} lanes at once")),
            Direction::Load | Direction::Store | Direction::Atomic => None,
        };
        let rule = "one row = one pass: fewer is faster".to_owned();
        Ruled {
            heading: Some(("bank", &[0, 8, 16, 24, 31])),
            rows: rows.collect(),
            unit: "passes",
            fine: cost.conflicts == 0,
            verdict: verdict(cost, access.bytes),
            hints: shared.into_iter().chain([rule]).collect(),
        }
    }
}

impl Widget for Banks<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        if let Some(access) = self.access {
            self.table(access).draw(&mut pen);
        } else {
            let text = format!("warp {} has not touched shared memory yet", self.warp);
            pen.text(0, 0, &text, self.look.dim());
        }
    }
}

/// "1 pass: no bank conflict", "16-way conflict: 16 passes".
fn verdict(cost: Wavefronts, bytes: u8) -> Vec<String> {
    let Wavefronts { wavefronts, conflicts, ways, .. } = cost;
    let passes = if wavefronts == 1 { "1 pass".to_owned() } else { format!("{wavefronts} passes") };
    if wavefronts == 0 {
        return vec!["no lane takes part".to_owned()];
    }
    if conflicts > 0 {
        let least = cost.ideal();
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
        Access { space: Space::Shared, direction, bytes, active: LaneMask::ALL, addrs }
    }

    fn panel(access: &Access, look: Look) -> Banks<'_> {
        Banks { access: Some(access), warp: 3, operand: Some(Operand::B), look }
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

    #[test]
    fn every_size_survives() {
        let column = access(Direction::Load, 4, |lane| lane * 16);
        let nobody = Access { active: LaneMask::NONE, ..column.clone() };
        picture::survives(|look| panel(&column, look));
        picture::survives(|look| panel(&nobody, look));
        picture::survives(|look| Banks { access: None, ..panel(&column, look) });
    }
}
