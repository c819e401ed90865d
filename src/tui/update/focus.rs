//! The focused panel and the zoomed panel.

use crate::tui::app::App;
use crate::tui::layout::Panel;

pub(super) fn focus(app: &mut App, panel: Panel) {
    if panel == Panel::Cost {
        return;
    }
    app.wanted.focus = panel;
    if panel.row().is_guest {
        app.wanted.guest = panel;
    }
    if app.wanted.zoomed.is_some() {
        app.wanted.zoomed = Some(panel);
    }
}

/// Undoes the zoom; returns whether a panel was zoomed.
pub(super) fn leave_zoom(app: &mut App) -> bool {
    app.wanted.zoomed.take().is_some()
}
