//! Where the lanes of one shared access fall: one row per pass, one column per bank.

use super::pen::Pen;
use super::ruled::{Place, Ruled};
use crate::analysis::banks::Wavefronts;
use crate::matrix::Operand;
use crate::sim::{Access, Direction};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// One pass through the 32 banks: how many lanes each bank serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// Lanes per bank; more than one where all of them want the same word.
    pub lanes: [u8; 32],
}

/// The passes that one warp's access to shared memory takes.
#[derive(Clone, Copy, Debug)]
pub struct Banks<'a> {
    /// The access; none before the first.
    pub access: Option<&'a Access>,
    /// Its passes, in order.
    pub passes: &'a [Pass],
    /// What it costs.
    pub cost: Wavefronts,
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
        }
    }

    /// The note for the frame: whose access, and where the figures come from.
    pub fn note(&self) -> String {
        format!("w{}, simulated, as written", self.warp)
    }

    fn table(&self, access: &Access) -> Ruled {
        let role = self.operand.map_or(Role::Memory, super::matrices::role);
        let role = if self.cost.conflicts == 0 { role } else { Role::Bad };
        let rows = self.passes.iter().enumerate().map(|(index, pass)| {
            let places =
                pass.lanes.map(|lanes| if lanes == 0 { Place::Idle } else { Place::Used(role) });
            (format!("#{}", index + 1), places)
        });
        let most = self.passes.iter().flat_map(|pass| pass.lanes).max().unwrap_or(0);
        let shared = match access.direction {
            Direction::Load if most > 1 => Some(format!("a word goes to {most} lanes at once")),
            Direction::Load | Direction::Store => None,
        };
        let rule = "one row = one pass: fewer is faster".to_owned();
        Ruled {
            heading: Some(("bank", &[0, 8, 16, 24, 31])),
            rows: rows.collect(),
            unit: "passes",
            fine: self.cost.conflicts == 0,
            verdict: verdict(self.cost, access.bytes),
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
    let Wavefronts { wavefronts, conflicts, ways } = cost;
    let passes = if wavefronts == 1 { "1 pass".to_owned() } else { format!("{wavefronts} passes") };
    if conflicts > 0 {
        let least = wavefronts - conflicts;
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

    fn access(direction: Direction, bytes: u8) -> Access {
        Access { space: Space::Shared, direction, bytes, active: LaneMask::ALL, addrs: [0; 32] }
    }

    /// A pass that serves every `step`-th bank, `lanes` lanes each.
    fn pass(step: usize, lanes: u8) -> Pass {
        Pass { lanes: std::array::from_fn(|bank| if bank % step == 0 { lanes } else { 0 }) }
    }

    fn panel<'a>(access: &'a Access, passes: &'a [Pass], ways: u32, look: Look) -> Banks<'a> {
        let wavefronts = passes.len() as u32;
        let cost = Wavefronts { wavefronts, conflicts: wavefronts - 1, ways };
        let operand = Some(Operand::B);
        Banks { access: Some(access), passes, cost, warp: 3, operand, look }
    }

    #[test]
    fn one_pass_is_fine_and_says_what_is_broadcast() {
        let load = access(Direction::Load, 4);
        let panel = |look| panel(&load, &[Pass { lanes: [2; 32] }], 1, look);
        assert_snapshot!(picture::text(panel(ASCII), 37, 5), @"
        bank 0       8       16      24    31
        #1   bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
        ok 1 pass: no bank conflict
        a word goes to 2 lanes at once
        one row = one pass: fewer is faster
        ");
        assert_snapshot!(picture::text(panel(ASCII), 30, 2), @"
        ok 1 pass: no bank conflict
        a word goes to 2 lanes at once
        ");
        let buf = picture::buffer(panel(RICH), 72, 4);
        assert_eq!(buf[(10, 1)].bg, RICH.pixel(Role::B));
    }

    #[test]
    fn a_conflict_is_a_pile_of_rows_and_a_number() {
        let store = access(Direction::Store, 4);
        let passes = [pass(16, 1); 16];
        assert_snapshot!(picture::text(panel(&store, &passes, 16, RICH), 37, 5), @"
        bank 0       8       16      24    31
        #1    ··············· ···············
        #2    ··············· ···············
            ... and 14 more passes like these
        ▲ 16-way conflict: 16 passes
        ");
        assert_snapshot!(picture::text(panel(&store, &passes, 16, ASCII), 74, 6), @"
        bank 0                8                16               24            31
        #1   !!..............|................|!!..............|................
        #2   !!..............|................|!!..............|................
        #3   !!..............|................|!!..............|................
            ... and 13 more passes like these
        !! 16-way bank conflict: 16 passes instead of 1
        ");
    }

    #[test]
    fn wide_loads_need_several_passes_without_a_conflict() {
        let load = access(Direction::Load, 16);
        let cost = Wavefronts { wavefronts: 2, conflicts: 0, ways: 1 };
        let passes = [pass(8, 8); 2];
        let panel = Banks { cost, ..panel(&load, &passes, 1, ASCII) };
        assert_snapshot!(picture::text(panel, 44, 5), @"
        bank 0        8        16       24    31
        #1   b.......|b.......|b.......|b.......
        #2   b.......|b.......|b.......|b.......
        ok 2 passes: no conflict
        a word goes to 8 lanes at once
        ");
    }

    #[test]
    fn every_size_survives() {
        let load = access(Direction::Load, 4);
        let many = [pass(16, 1); 16];
        picture::survives(|look| panel(&load, &many, 16, look));
        picture::survives(|look| Banks { access: None, ..panel(&load, &many, 16, look) });
    }
}
