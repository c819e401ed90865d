//! Where each picture of the Measure screen stands: all of them, some, or the chosen one alone.

use crate::report::charts::Picture;
use crate::tui::board::Board;
use crate::tui::layout::Class;
use ratatui::layout::{Constraint, Layout, Rect};

/// Rows of the pictures that need no more than they have lines, frames included.
const LADDER: u16 = 21;
const OCCUPANCY: u16 = 12;

/// The pictures that there is room for; neighbours share a border.
pub(super) fn places(area: Rect, board: &Board) -> Vec<(Picture, Rect)> {
    match Class::of(area.width, area.height + 3) {
        Class::Large if !board.alone => all(area),
        Class::Medium if !board.alone => some(area, board.picture),
        _ => vec![(board.picture, area)],
    }
}

/// The picture at a place of the screen.
pub fn picture_at(board: &Board, screen: Rect, at: (u16, u16)) -> Option<Picture> {
    let [.., middle, _] = rows(screen);
    let places = places(middle, board);
    places.into_iter().find(|(_, area)| area.contains(at.into())).map(|(picture, _)| picture)
}

fn all(area: Rect) -> Vec<(Picture, Rect)> {
    use Constraint::{Fill, Length, Percentage};
    let [left, right] = Layout::horizontal([Percentage(48), Fill(1)]).spacing(-1).areas(area);
    let [ladder, why, occupancy] =
        Layout::vertical([Length(LADDER), Fill(1), Length(OCCUPANCY)]).spacing(-1).areas(left);
    let [roofline, sizes] = Layout::vertical([Fill(1), Fill(1)]).spacing(-1).areas(right);
    vec![
        (Picture::Ladder, ladder),
        (Picture::Why, why),
        (Picture::Occupancy, occupancy),
        (Picture::Roofline, roofline),
        (Picture::Sizes, sizes),
    ]
}

/// Tables stand under the ladder; charts need the whole room.
fn some(area: Rect, chosen: Picture) -> Vec<(Picture, Rect)> {
    let below = match chosen {
        Picture::Sizes | Picture::Roofline => return vec![(chosen, area)],
        Picture::Ladder | Picture::Why => Picture::Why,
        Picture::Occupancy => Picture::Occupancy,
    };
    let rows = [Constraint::Length(LADDER), Constraint::Fill(1)];
    let [ladder, rest] = Layout::vertical(rows).spacing(-1).areas(area);
    vec![(Picture::Ladder, ladder), (below, rest)]
}

/// Status, sentence, pictures, keys.
pub(super) fn rows(area: Rect) -> [Rect; 4] {
    let [row, rest] = [Constraint::Length(1), Constraint::Fill(1)];
    Layout::vertical([row, row, rest, row]).areas(area)
}
