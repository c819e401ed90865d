//! The caption in the empty quarter: the matrices' part in view, and the meanings of the tones.

use super::plan::MatricesPlan;
use super::{BlockWork, MatricesPanel, StagedContents};
use crate::kernel::Tile;
use crate::matrix::Size;
use crate::tui::layout::text::{fitting, width};
use crate::tui::theme::{Role, Tone};
use crate::tui::widget::canvas::block;
use crate::tui::widget::pen::Pen;

/// Columns between two entries of the legend in one line.
const SECOND: u16 = 7;

impl MatricesPanel<'_> {
    /// Writes the caption, each line in the longest wording that fits, and below it the legend.
    pub(super) fn caption(&self, pen: &mut Pen<'_>, plan: &MatricesPlan) {
        let [a, b, _] = &plan.grids;
        // Beside B nothing stands in the column of A's outline.
        let left = a.x - u16::from(plan.framed);
        let room = (b.x - u16::from(plan.framed)).saturating_sub(left);
        let room = room.saturating_sub(u16::from(!plan.framed));
        let bold = self.look.bold();
        let dim = self.look.dim();
        let first = (vec!["C = A x B".to_owned()], bold);
        let windows = self.windows(plan).map(|words| (words, dim));
        let lines: Vec<_> = [first].into_iter().chain(windows).collect();
        let rows = (a.y - 1).saturating_sub(b.y);
        let lines = lines.iter().map(|(words, style)| (fitting(words, room), *style));
        let lines: Vec<_> = lines.filter(|(text, _)| !text.is_empty()).collect();
        let legend = self.legend(usize::from(rows).saturating_sub(lines.len()), room);
        let said = self.said.iter().map(|words| (fitting(words, room), bold));
        let free = usize::from(rows).saturating_sub(lines.len() + legend.len());
        let said = said.filter(|(text, _)| !text.is_empty() && free >= self.said.len());
        let lines = lines.iter().copied().chain(said);
        for (y, (text, style)) in (b.y..b.y + rows).zip(lines) {
            pen.text(left, y, text, style);
        }
        let first = b.y + rows - legend.len() as u16;
        for (y, line) in (first..).zip(legend) {
            let mut x = left;
            for (tone, word) in line {
                block(pen, x, y, tone);
                pen.text(x + 2, y, word, dim);
                x += SECOND;
            }
        }
    }

    /// The meaning of each tone of A, in as many lines as fit; empty without enough room. If possible, a
    /// line above it stays free, and two for the computation.
    fn legend(&self, rows: usize, room: u16) -> Vec<Vec<(Tone, &'static str)>> {
        let BlockWork::Tiled(_) = self.work else { return Vec::new() };
        let (here, used) = ((Tone::Full(Role::Here), "now"), (Tone::Half(Role::A), "used"));
        let ahead = (Tone::Ahead(Role::A), "next");
        let kept = match self.kept {
            StagedContents::Nothing => None,
            StagedContents::These(_) => Some((Tone::Full(Role::A), "shared")),
            StagedContents::Unknown => Some((Tone::Full(Role::A), "tile")),
        };
        let Some(kept) = kept else {
            let lines = vec![vec![here], vec![used, ahead]];
            return if rows >= 2 && room >= SECOND + 6 { lines } else { Vec::new() };
        };
        let held =
            if *self.kept == StagedContents::Unknown { "this tile" } else { "in shared memory" };
        let long = ["touched now", held, "used", "still to come"];
        let all = [here, kept, used, ahead];
        if rows >= all.len() + 3 && long.iter().all(|word| width(word) + 2 <= room) {
            let words = all.into_iter().zip(long);
            return words.map(|((tone, _), word)| vec![(tone, word)]).collect();
        }
        let lines = vec![vec![here, kept], vec![used, ahead]];
        if rows >= 2 && room >= SECOND + 8 { lines } else { Vec::new() }
    }

    /// Returns the part of the matrices in view: each line with its longest wording first.
    fn windows(&self, plan: &MatricesPlan) -> [Vec<String>; 4] {
        let ([a, _, c], Size { m, n, k }) = (&plan.grids, self.size);
        let Tile { m: tall, n: wide, k: deep } = self.tile;
        let first = match self.work {
            // The bar says which one.
            BlockWork::Tiled(_) => Vec::new(),
            BlockWork::Touched(_) => [
                "shaded: box of all touched so far",
                "shaded: box touched so far",
                "shaded: touched",
            ]
            .map(str::to_owned)
            .to_vec(),
            BlockWork::Followed(lit) => {
                vec![format!("followed: {}", lit.element), lit.element.to_string()]
            }
        };
        [
            first,
            a.columns.elements(deep, k).range("k", "k"),
            a.rows.elements(tall, m).range("rows", "rows"),
            c.columns.elements(wide, n).range("columns", "cols"),
        ]
    }
}
