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

#[cfg(test)]
mod tests {
    use super::super::super::picture::{self, ASCII};
    use super::super::tests::{shared, words};
    use super::*;
    use crate::tui::theme::Role;

    /// The first cell that shows a word.
    fn at(picture: &SharedPanel<'_>, area: Rect, word: u32) -> Option<(u16, u16)> {
        halves_of(picture, area, &[word]).first().map(|half| (half.x, half.y / 2))
    }

    #[test]
    fn each_word_is_found_where_it_is_drawn() {
        let words = words(8);
        let picture = SharedPanel { now: &[9, 70], ..shared(8, &words, ASCII) };
        let area = Rect::new(3, 2, 72, 20);
        let drawn = picture::buffer(picture, 72, 20);
        for word in [9, 70] {
            let (x, y) = at(&picture, area, word).expect("it is on the screen");
            assert_eq!(word_at(&picture, area, x, y), Some(word));
            let cell = &drawn[(x - area.x, y - area.y)];
            assert_eq!(cell.bg, ASCII.pixel(Role::Here));
        }
        assert_eq!(at(&picture, area, 128), None);
        assert_eq!(word_at(&picture, area, 0, 0), None);
    }

    #[test]
    fn half_a_row_belongs_to_the_first_of_its_words() {
        let words = words(16);
        let picture = shared(16, &words, ASCII);
        let area = Rect::new(0, 0, 42, 10);
        assert_eq!(at(&picture, area, 0), at(&picture, area, 16));
        let (x, y) = at(&picture, area, 16).expect("it is on the screen");
        assert_eq!(word_at(&picture, area, x, y), Some(0));
    }
}
