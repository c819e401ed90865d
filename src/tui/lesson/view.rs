//! The panels that the views of a lesson are.

use crate::lesson::target::View;
use crate::tui::layout::Panel;

const VIEWS: [(View, Panel); 10] = [
    (View::Matrices, Panel::Matrices),
    (View::Shared, Panel::Shared),
    (View::Warps, Panel::Warps),
    (View::Source, Panel::Source),
    (View::Lines, Panel::Lines),
    (View::Banks, Panel::Banks),
    (View::Timeline, Panel::Timeline),
    (View::Measured, Panel::Measured),
    (View::Compare, Panel::Compare),
    (View::Value, Panel::Value),
];

pub fn panel_of(view: View) -> Panel {
    let found = VIEWS.iter().find(|(of, _)| *of == view);
    found.map_or(Panel::Warps, |(_, panel)| *panel)
}

/// Returns the view that a panel is, if a lesson can look at it.
pub fn view_of(panel: Panel) -> Option<View> {
    VIEWS.iter().find(|(_, of)| *of == panel).map(|(view, _)| *view)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_is_a_panel() {
        for view in View::ALL {
            assert_eq!(view_of(panel_of(view)), Some(view));
        }
    }
}
