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
    /// Draws the bar over all rows of the warps while it is closed, and for each warp in view its seat.
    pub(super) fn draw(self, pen: &mut Pen<'_>, plan: &WarpsPlan, warps: &[WarpNow]) {
        let seat = HEAD + plan.span() + u16::from(plan.wide > 0);
        let look = pen.look;
        for y in (plan.top..plan.bottom()).filter(|_| !self.open) {
            pen.text(seat + 1, y, look.pick("┃", "|"), look.text());
        }
        for number in plan.shown.clone() {
            let Some(y) = plan.row(number) else { continue };
            let (mark, style) = match warps[number].state {
                WarpState::Exited => continue,
                _ if self.open => (look.pick("─►", "->"), look.strong(Role::Here)),
                WarpState::Waiting => (look.pick("●", "@"), look.strong(Role::Wait)),
                WarpState::Ready => (look.pick("○", "o"), look.dim()),
            };
            pen.text(seat, y, mark, style);
        }
    }
}
