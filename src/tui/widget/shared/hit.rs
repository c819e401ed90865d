//! Where a word of shared memory is on the screen, and which word is at a place of it.

use super::plan::pixels;
use super::{ArrayPicture, SharedPanel};
use ratatui::layout::Rect;
use std::ops::Range;

/// Returns the word that the cell at (x, y) of the screen shows; of several, the first.
pub fn word_at(shared: &SharedPanel<'_>, area: Rect, x: u16, y: u16) -> Option<u32> {
    let pictures = shared.pictures(area.as_size());
    pictures.iter().find_map(|picture| {
        let array = picture.array;
        let shows = |place: (u32, u32)| cells(picture, area, place).contains((x, y).into());
        let (row, column) = array.elements().find(|place| shows(*place))?;
        Some(array.index(row, column) as u32)
    })
}

/// Returns the columns and half rows that show these words, in `area` of the screen.
pub fn halves_of(shared: &SharedPanel<'_>, area: Rect, words: &[u32]) -> Vec<Rect> {
    let pictures = shared.pictures(area.as_size());
    let one = |picture: &ArrayPicture<'_>, word: &u32| {
        let ArrayPicture { array, x, plan } = picture;
        let index = word.checked_sub(array.first)?;
        let (row, column) = (index / array.columns.max(1), index % array.columns.max(1));
        let across = pixels(column, array.columns, plan.side.0);
        let down = pixels(row, array.rows, plan.side.1);
        (row < array.rows).then(|| Rect {
            x: area.x + x + across.start,
            y: 2 * (area.y + plan.top) + down.start,
            width: across.len() as u16,
            height: down.len() as u16,
        })
    };
    let place = |word| pictures.iter().find_map(|picture| one(picture, word));
    words.iter().filter_map(place).collect()
}

/// Returns the cells of an element, at (row, column).
fn cells(picture: &ArrayPicture<'_>, area: Rect, (row, column): (u32, u32)) -> Rect {
    let ArrayPicture { array, x, plan } = *picture;
    let across = pixels(column, array.columns, plan.side.0);
    let Range { start, end } = pixels(row, array.rows, plan.side.1);
    let (top, bottom) = (start / 2, end.div_ceil(2));
    Rect {
        x: area.x + x + across.start,
        y: area.y + plan.top + top,
        width: across.len() as u16,
        height: bottom - top,
    }
}
