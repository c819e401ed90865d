//! The words in the empty quarter: what is shown, which part of it, and what the tones mean.

use super::plan::Plan;
use super::{Kept, Matrices, Work};
use crate::kernel::Tile;
use crate::matrix::Size;
use crate::tui::theme::{Role, Tone};
use crate::tui::widget::canvas::block;
use crate::tui::widget::pen::{Pen, fitting, width};
use ratatui::style::Modifier;

impl Matrices<'_> {
    /// Writes the caption, each line in the longest wording that fits, and below it the legend.
    pub(super) fn caption(&self, pen: &mut Pen<'_>, plan: &Plan) {
        let [a, b, _] = &plan.grids;
        let room = b.x.saturating_sub(a.x + 1);
        let bold = self.look.text().add_modifier(Modifier::BOLD);
        let dim = self.look.dim();
        let place = self.block.place_in(self.grid);
        let first = [
            (vec!["C = A x B".to_owned()], bold),
            (vec![format!("block ({place})"), format!("({place})")], dim),
        ];
        let windows = self.windows(plan).map(|words| (words, dim));
        let lines: Vec<_> = first.into_iter().chain(windows).collect();
        let rows = (a.y - 1).saturating_sub(b.y);
        let lines = lines.iter().map(|(words, style)| (fitting(words, room), *style));
        let mut row = 0;
        for (text, style) in lines.filter(|(text, _)| !text.is_empty()) {
            if row < rows {
                pen.text(a.x, b.y + row, text, style);
                row += 1;
            }
        }
        let said = self.said.iter().filter(|text| width(text) <= room);
        for text in said {
            if row < rows {
                pen.text(a.x, b.y + row, text, bold);
                row += 1;
            }
        }
        let legend = self.legend();
        let first = row + u16::from(row + (legend.len() as u16) < rows);
        if first + legend.len() as u16 <= rows {
            for (y, (tone, word)) in (b.y + first..).zip(legend) {
                if width(word) + 3 <= room {
                    block(pen, a.x, y, tone);
                    block(pen, a.x + 1, y, tone);
                    pen.text(a.x + 3, y, word, dim);
                }
            }
        }
    }

    /// The meaning of each tone of A.
    fn legend(&self) -> Vec<(Tone, &'static str)> {
        let Work::Tiled(_) = self.work else { return Vec::new() };
        let (here, used) = ((Tone::Full(Role::Here), "now"), (Tone::Half(Role::A), "used"));
        let ahead = (Tone::Ahead(Role::A), "to come");
        match self.kept {
            Kept::Nothing => vec![here, used, ahead],
            Kept::These(_) => vec![here, (Tone::Full(Role::A), "in shared"), used, ahead],
            Kept::Unknown => vec![here, (Tone::Full(Role::A), "this tile"), used, ahead],
        }
    }

    /// Returns the position of the work and the part of the matrices in view: each line with its
    /// longest wording first.
    fn windows(&self, plan: &Plan) -> [Vec<String>; 4] {
        let ([a, _, c], Size { m, n, k }) = (&plan.grids, self.size);
        let Tile { m: tall, n: wide, k: deep } = self.tile;
        let first = match self.work {
            Work::Tiled(_) => {
                let progress = self.progress();
                vec![format!("tile {progress}"), progress.replace(" of ", "/")]
            }
            Work::Touched(_) => {
                ["shaded: box of all touched so far", "shaded: box touched so far", "box touched"]
                    .map(str::to_owned)
                    .to_vec()
            }
            Work::Followed(lit) => {
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
