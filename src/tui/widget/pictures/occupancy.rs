//! The occupancy of one multiprocessor by a kernel's blocks, and which resource limits it.

use super::scene::PictureScene;
use crate::analysis::occupancy::{Demand, Limit, Multiprocessor, Occupancy};
use crate::report::charts::occupancy::{self, word};
use crate::report::ladder;
use crate::report::number::Count;
use crate::tui::layout::text::fitting;
use crate::tui::theme::Look;
use crate::tui::widget::measured::strip;
use crate::tui::widget::pen::Pen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Draws the picture; returns the note of its frame.
pub(super) fn draw(scene: &PictureScene<'_>, area: Rect, buf: &mut Buffer) -> String {
    let shown = &scene.shown;
    let has = occupancy::multiprocessor(shown.pack);
    let taken = shown.current().and_then(|rung| Some((rung, occupancy::demand(rung)?)));
    if let Some((has, (rung, demand))) = has.zip(taken) {
        let known = |rung: &ladder::Rung<'_>| {
            Some((ladder::short_name(rung.row), occupancy::demand(rung)?))
        };
        let all: Vec<_> = shown.rungs.iter().filter_map(known).collect();
        let before = shown.rungs[..shown.rung].iter().filter_map(known).count();
        let (name, all, look) = (&*rung.name, (&all[..], before), scene.look);
        OccupancyPicture { name, demand, has, all, look }.render(area, buf);
    } else {
        let library = shown.current().is_some_and(ladder::Rung::is_library);
        let why =
            if library { "the library chooses its own blocks" } else { "the driver was not asked" };
        scene.say(&format!("nothing is known of its registers: {why}"), area, buf);
    }
    "of one multiprocessor (SM)".to_owned()
}

/// One kernel on one multiprocessor.
#[derive(Clone, Copy, Debug)]
struct OccupancyPicture<'a> {
    /// The kernel's name as shown.
    name: &'a str,
    /// The resources that a block takes, with the registers that the loaded module reports.
    demand: Demand,
    /// The resources of the multiprocessor.
    has: Multiprocessor,
    /// All kernels whose demand is known, in teaching order; the index of this one.
    all: (&'a [(String, Demand)], usize),
    look: Look,
}

/// A resource and how much of it is taken.
struct Row {
    name: &'static str,
    limit: Limit,
    taken: String,
    share: f64,
}

/// Columns of the resources' names, and of the figures.
const NAMES: u16 = 12;
const FIGURES: u16 = 20;

impl OccupancyPicture<'_> {
    fn rows(&self, held: &Occupancy) -> [Row; 4] {
        Limit::ALL.map(|limit| {
            let (name, unit) = match limit {
                Limit::Threads => ("threads", 1),
                Limit::Blocks => ("blocks", 1),
                Limit::Registers => ("registers", 1),
                Limit::Shared => ("shared", 1024),
            };
            let (each, all) = (self.has.gives(limit, &self.demand), self.has.has(limit));
            let (taken, of) = (held.blocks * each, if unit == 1 { "" } else { " KiB" });
            let share = f64::from(taken) / f64::from(all.max(1));
            let taken = format!("{} of {}{of}", taken.div_ceil(unit), all / unit);
            Row { name, limit, taken, share }
        })
    }

    fn sentence(&self, held: &Occupancy, room: u16) -> String {
        let Occupancy { blocks, warps, most_warps, .. } = held;
        if *blocks == 0 {
            return format!("a block of {} does not fit on a multiprocessor", self.name);
        }
        let each = Count((*blocks).into(), "block");
        let share = (1000.0 * held.share()).round() / 10.0;
        let wordings = [
            format!(
                "{}: {each} on each multiprocessor, {warps} of {most_warps} warps ({share} %)",
                self.name
            ),
            format!("{}: {each}, {warps} of {most_warps} warps ({share} %)", self.name),
            format!("{each}, {warps} of {most_warps} warps"),
        ];
        fitting(&wordings, room).to_owned()
    }
}

/// The columns of the table of all kernels: (heading, end).
const TABLE: [(&str, u16); 5] =
    [("threads", 26), ("registers", 37), ("KiB shared", 49), ("blocks", 57), ("warps", 64)];

/// Rows above the table, and its least useful number of rows.
const ABOVE: u16 = 10;
const LEAST: u16 = 4;

impl OccupancyPicture<'_> {
    /// Draws each kernel's demand and limit: as many kernels as fit, with the selected one among
    /// them.
    fn table(&self, pen: &mut Pen<'_>) {
        let (all, current) = self.all;
        let room = pen.height().saturating_sub(ABOVE + 1);
        if room < LEAST || pen.width() < TABLE[4].1 || all.is_empty() {
            return;
        }
        for (head, end) in TABLE {
            pen.right(end, ABOVE, head, self.look.dim());
        }
        pen.text(TABLE[4].1 + 2, ABOVE, "limited by", self.look.dim());
        let first = (current + 1).saturating_sub(room.into());
        for ((index, (name, demand)), y) in all.iter().enumerate().skip(first).zip(ABOVE + 1..) {
            let style = if index == current { self.look.chosen() } else { self.look.text() };
            let held = self.has.holds(demand);
            pen.text(1, y, name, style);
            let cells = [
                demand.block.volume(),
                u64::from(demand.registers),
                self.has.gives(Limit::Shared, demand).div_ceil(1024).into(),
                held.blocks.into(),
                held.warps.into(),
            ];
            for (cell, (_, end)) in cells.iter().zip(TABLE) {
                pen.right(end, y, &cell.to_string(), style);
            }
            let limits: Vec<_> = held.limits().map(word).collect();
            let first = limits.first().copied().unwrap_or_default();
            let short = format!("{first} +{}", limits.len().saturating_sub(1));
            let wordings = [limits.join(", "), short, first.to_owned()];
            let room = pen.width().saturating_sub(TABLE[4].1 + 2);
            pen.text(TABLE[4].1 + 2, y, fitting(&wordings, room), style);
        }
    }
}

impl Widget for OccupancyPicture<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let mut pen = Pen::new(area, buf, look);
        let held = self.has.holds(&self.demand);
        let limits: Vec<_> = held.limits().collect();
        let sentence = self.sentence(&held, pen.width().saturating_sub(1));
        pen.text(1, 0, &sentence, look.bold());
        for (row, y) in self.rows(&held).iter().zip(2..) {
            let limiting = limits.contains(&row.limit);
            let style = if limiting { look.chosen() } else { look.text() };
            if limiting {
                pen.text(0, y, look.pick("►", ">"), style);
            }
            pen.text(1, y, row.name, style);
            pen.right(NAMES + FIGURES, y, &row.taken, style);
            let bar = NAMES + FIGURES + 1;
            let room = pen.width().saturating_sub(bar + 1);
            let eighths = (row.share.min(1.0) * f64::from(room) * 8.0).round() as u16;
            strip(&mut pen, bar, y, eighths, limiting);
        }
        let text = format!("{} the limit: it keeps another block out", look.pick("►", ">"));
        pen.text(0, 7, &text, look.chosen());
        let each = format!("{} registers a thread", self.demand.registers);
        let wordings = [format!("{each}, from the loaded module"), each];
        let room = pen.width().saturating_sub(2);
        pen.text(2, 8, fitting(&wordings, room), look.dim());
        self.table(&mut pen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Dim3;
    use crate::tui::widget::picture::{self, ASCII, RICH};
    use insta::assert_snapshot;

    fn filled(registers: u32, look: Look) -> OccupancyPicture<'static> {
        let has = Multiprocessor::of((9, 0)).expect("Hopper is known");
        let demand = Demand { block: Dim3::flat(256, 1), registers, shared: 33_792 };
        OccupancyPicture { name: "sgemm", demand, has, all: (&[], 0), look }
    }

    #[test]
    fn the_limit_is_the_row_that_is_marked() {
        assert_snapshot!(picture::text(filled(124, RICH), 78, 10), @"
         sgemm: 2 blocks on each multiprocessor, 16 of 64 warps (25 %)

         threads             512 of 2048 ███████████
         blocks                  2 of 32 ██▊
        ►registers        65536 of 65536 ████████████████████████████████████████████
         shared            68 of 228 KiB █████████████▏

        ► the limit: it keeps another block out
          124 registers a thread, from the loaded module
        ");
        assert_snapshot!(picture::text(filled(40, ASCII), 44, 10), @"
        sgemm: 6 blocks, 48 of 64 warps (75 %)

        threads            1536 of 2048 =======
        blocks                  6 of 32 =
       >registers        61440 of 65536 =========
       >shared           204 of 228 KiB =========

       > the limit: it keeps another block out
         40 registers a thread
        ");
        picture::survives(|look| filled(124, look));
    }

    #[test]
    fn all_kernels_stand_below_with_what_limits_each() {
        let demand = |registers| Demand { registers, ..filled(124, ASCII).demand };
        let all = [32, 64, 124, 250, 255]
            .map(|registers| (format!("with {registers}"), demand(registers)));
        let filled = |look| OccupancyPicture { all: (&all, 4), ..filled(255, look) };
        assert_snapshot!(picture::text(filled(ASCII), 78, 15), @"
         sgemm: 1 block on each multiprocessor, 8 of 64 warps (12.5 %)

         threads             256 of 2048 =====
         blocks                  1 of 32 =
        >registers        65536 of 65536 ============================================
         shared            34 of 228 KiB ======

        > the limit: it keeps another block out
          255 registers a thread, from the loaded module

                           threads  registers  KiB shared  blocks  warps  limited by
         with 64               256         64          34       4     32  registers
         with 124              256        124          34       2     16  registers
         with 250              256        250          34       1      8  registers
         with 255              256        255          34       1      8  registers
        ");
        picture::survives(filled);
    }
}
