//! The focused panel and the zoomed panel.

use crate::tui::app::App;
use crate::tui::layout::{Panel, PanelChoice, SizeClass, areas};

pub(super) fn focus(app: &mut App, panel: Panel) {
    if panel == Panel::Cost {
        return;
    }
    app.display.wanted.focus = panel;
    // A small screen may show the panel in another place: it is no guest then.
    let unzoomed = areas(app.size(), PanelChoice { zoomed: None, ..app.display.wanted });
    let shown = unzoomed.class == SizeClass::Small && unzoomed.panel(panel).is_some();
    if panel.row().is_guest && !shown {
        app.display.wanted.guest = panel;
    }
    if app.display.wanted.zoomed.is_some() {
        app.display.wanted.zoomed = Some(panel);
    }
}

/// Undoes the zoom; returns whether a panel was zoomed.
pub(super) fn leave_zoom(app: &mut App) -> bool {
    app.display.wanted.zoomed.take().is_some()
}
