//! The barrier as a door between the lanes and what they do next: a seat for each warp, taken as it
//! arrives, and a bar that opens.

use super::plan::{HEAD, WarpsPlan};
use crate::trace::{WarpNow, WarpState};
use crate::tui::facts::BarrierGate;
use crate::tui::theme::Role;
use crate::tui::widget::pen::Pen;

/// Columns of the seats and the bar.
pub(super) const WIDTH: u16 = 2;

impl BarrierGate {
    /// Whether the bar is out of the way at a row of `rows`: it rises, so that the lowest rows are
    /// free first.
    pub(super) fn risen(self, row: u16, rows: u16) -> bool {
        let free = self.opening.unwrap_or(if self.open { 1.0 } else { 0.0 });
        let from_below = f32::from(rows.saturating_sub(row)) / f32::from(rows.max(1));
        self.open && from_below <= free
    }

    /// Draws the bar over all rows of the warps, and for each warp in view its seat before it.
    pub(super) fn draw(self, pen: &mut Pen<'_>, plan: &WarpsPlan, warps: &[WarpNow]) {
        let seat = HEAD + plan.span() + u16::from(plan.wide > 0);
        let look = pen.look;
        let rows = plan.bottom().saturating_sub(plan.top);
        for row in (0..rows).filter(|row| !self.risen(*row, rows)) {
            pen.text(seat + 1, plan.top + row, look.pick("┃", "|"), look.text());
        }
        for number in plan.shown.clone() {
            let Some(y) = plan.row(number) else { continue };
            let through = self.risen(y - plan.top, rows);
            let here = self.open || warps[number].state == WarpState::Waiting;
            let style = if through { look.strong(Role::Here) } else { look.strong(Role::Wait) };
            match (warps[number].state, here) {
                (WarpState::Exited, _) => {}
                (_, true) => {
                    let (seated, gone) = (look.pick("●", "@"), look.pick("─►", "->"));
                    pen.text(seat, y, if through { gone } else { seated }, style);
                }
                (_, false) => _ = pen.text(seat, y, look.pick("○", "o"), look.dim()),
            }
        }
    }
}
