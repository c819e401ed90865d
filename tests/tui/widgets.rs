//! Each panel by itself: what it draws of given data, at several sizes and in several looks.

mod bricks;
mod buffers;
mod chosen;
mod compare;
mod cost;
mod counters;
mod dials;
mod finale;
mod findings;
mod goals;
mod launch;
mod matrices;
mod measured;
mod panel;
mod scrubber;
mod shared;
mod shared_words;
mod source;
mod sweep;
mod timeline;
mod value;
mod warps;

#[path = "../shared/picture.rs"]
mod picture;

use ratatui::buffer::Buffer;
use ratatui::style::Color;

/// Returns each cell's background by name: a blank for the screen's own, `?` for one without a
/// name.
fn grounds(buf: &Buffer, names: &[(Color, &str)]) -> String {
    picture::rows(buf, |cell| {
        let found = names.iter().find(|(colour, _)| *colour == cell.bg);
        found.map_or(if cell.bg == Color::Reset { " " } else { "?" }, |(_, name)| name).to_owned()
    })
}
