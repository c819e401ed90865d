//! How a kernel of one's own is launched, and what its block has done so far.

use super::pen::Pen;
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;

/// Facts with their labels, in one column or two.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The launch: kernel, grid, block, arguments.
    pub facts: &'a [(&'static str, String)],
    /// What the block has done so far, simulated, as written.
    pub counts: &'a [(&'static str, String)],
    /// How it is drawn.
    pub look: Look,
}

/// Columns of the labels of the facts, and of the counts with their figures.
const LABEL: u16 = 14;
const COUNT: u16 = 42;
/// Columns that the facts need beside the counts.
const FACTS: u16 = LABEL + 20;

impl Widget for Launch<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let bold = self.look.text().add_modifier(Modifier::BOLD);
        let beside = pen.width() >= FACTS + COUNT && pen.height() <= self.rows();
        let (x, top) =
            if beside { (pen.width() - COUNT, 0) } else { (0, self.facts.len() as u16 + 1) };
        let room = if beside { x - LABEL - 2 } else { pen.width().saturating_sub(LABEL) };
        for ((label, value), y) in self.facts.iter().zip(0..) {
            pen.text(0, y, label, self.look.dim());
            let fits: String = value.chars().take(room.into()).collect();
            pen.text(LABEL, y, &fits, bold);
        }
        for ((label, value), y) in self.counts.iter().zip(top..) {
            pen.text(x, y, label, self.look.dim());
            pen.right(x + COUNT, y, value, bold);
        }
    }
}

impl Launch<'_> {
    /// Rows that both parts take, one under the other.
    fn rows(&self) -> u16 {
        (self.facts.len() + self.counts.len()) as u16 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII};
    use super::*;
    use insta::assert_snapshot;

    #[test]
    fn facts_and_counts_stand_one_under_the_other_or_side_by_side() {
        let fact = |label, value: &str| (label, value.to_owned());
        let facts = [
            fact("kernel", "_Z5sgemmiiifPKfS0_fPf"),
            fact("grid", "4 x 3: 12 blocks"),
            fact("arguments", "M,N,K,1.0f,A,B,0.0f,C"),
        ];
        let counts = [fact("global load requests", "1,024"), fact("shared wavefronts", "96")];
        let launch = |look| Launch { facts: &facts, counts: &counts, look };
        assert_snapshot!(picture::text(launch(ASCII), 46, 7), @"
        kernel        _Z5sgemmiiifPKfS0_fPf
        grid          4 x 3: 12 blocks
        arguments     M,N,K,1.0f,A,B,0.0f,C

        global load requests                 1,024
        shared wavefronts                       96
        ");
        assert_snapshot!(picture::text(launch(ASCII), 90, 4), @"
        kernel        _Z5sgemmiiifPKfS0_fPf             global load requests                 1,024
        grid          4 x 3: 12 blocks                  shared wavefronts                       96
        arguments     M,N,K,1.0f,A,B,0.0f,C
        ");
        picture::survives(launch);
    }
}
