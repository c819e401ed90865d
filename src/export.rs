//! Exports a frame as a picture: SVG for documents, plain text for everything else.

mod svg;

pub use svg::{Ground, svg};

use ratatui::buffer::Buffer;

/// The characters of a frame, one line per row, without trailing blanks.
pub fn text(buf: &Buffer) -> String {
    let width = usize::from(buf.area.width).max(1);
    buf.content.chunks(width).fold(String::new(), |mut text, row| {
        let line: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
        text.push_str(line.trim_end());
        text.push('\n');
        text
    })
}
