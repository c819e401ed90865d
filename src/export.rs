//! Exports what the screen shows: SVG for documents, one frame or many that follow each other; plain
//! text for everything else; a recording for terminals.

mod animation;
#[cfg(feature = "native")]
mod cast;
mod svg;

pub use animation::Animation;
#[cfg(feature = "native")]
pub use cast::Cast;
pub use svg::{CellStyle, Ground, cell_style, svg};

/// The cells of a frame, which is what is exported.
pub use ratatui::buffer::Buffer;

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
