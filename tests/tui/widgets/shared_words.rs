//! Where a word of shared memory lies on the screen.

use super::picture::{self, ASCII};
use super::shared::{shared, words};
use matviz::tui::theme::Role;
use matviz::tui::widget::shared::*;
use ratatui::layout::Rect;

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
