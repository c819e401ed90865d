//! Draws a frame as SVG: backgrounds and block characters as rectangles, runs of text in a
//! monospaced font.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Units per cell, in the proportions of common fonts.
const WIDTH: u32 = 8;
const HEIGHT: u32 = 16;
/// The baseline of text within a cell.
const BASELINE: u32 = 12;

/// The terminal's default colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ground {
    /// The colour of text without a colour of its own.
    pub text: u32,
    /// The colour of backgrounds without a colour of their own.
    pub ground: u32,
}

/// The final colours and style of a cell; colours are 0xRRGGBB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellStyle {
    pub text: u32,
    pub ground: u32,
    pub bold: bool,
}

/// What is drawn of some cells: what has one colour together, since that is short.
#[derive(Debug, Default)]
pub(super) struct CellDrawing {
    grounds: BTreeMap<u32, String>,
    blocks: BTreeMap<u32, String>,
    /// By colour and weight.
    texts: BTreeMap<(u32, bool), String>,
}

/// The frame as SVG; the same frame always gives the same text.
pub fn svg(buf: &Buffer, ground: Ground) -> String {
    let mut drawing = CellDrawing::default();
    let columns = usize::from(buf.area.width).max(1);
    for (row, cells) in buf.content.chunks(columns).enumerate() {
        drawing.row(cells, row as u32, ground);
    }
    let mut out = opening(buf.area, ground, BOLD);
    drawing.write(&mut out);
    out.push_str("</svg>\n");
    out
}

/// The style of bold text.
pub(super) const BOLD: &str = ".b{font-weight:bold}";

/// How a picture of these cells begins: its size, its style and its ground.
pub(super) fn opening(area: Rect, ground: Ground, style: &str) -> String {
    let (width, height) = (u32::from(area.width) * WIDTH, u32::from(area.height) * HEIGHT);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" font-size=\"13\" \
         shape-rendering=\"crispEdges\">\n\
         <style>{style}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#{:06x}\"/>\n",
        ground.ground
    )
}

impl CellDrawing {
    /// Draws the cells of a row.
    pub(super) fn row(&mut self, cells: &[Cell], row: u32, ground: Ground) {
        let y = row * HEIGHT;
        self.grounds(cells, y, ground);
        self.blocks(cells, y, ground);
        self.texts(cells, y, ground);
    }

    /// The elements: texts over blocks over grounds.
    pub(super) fn write(&self, out: &mut String) {
        for (colour, path) in self.grounds.iter().chain(&self.blocks) {
            let _ = writeln!(out, "<path fill=\"#{colour:06x}\" d=\"{path}\"/>");
        }
        for ((colour, bold), texts) in &self.texts {
            let class = if *bold { " class=\"b\"" } else { "" };
            let _ = writeln!(out, "<g fill=\"#{colour:06x}\"{class}>{texts}</g>");
        }
    }

    /// One rectangle for each run of cells with the same background.
    fn grounds(&mut self, cells: &[Cell], y: u32, ground: Ground) {
        for (x, run) in runs(cells, |cell| cell_style(cell, ground).ground) {
            let colour = cell_style(&run[0], ground).ground;
            if colour != ground.ground {
                let path = self.grounds.entry(colour).or_default();
                rectangle(path, (x, y), (run.len() as u32 * WIDTH, HEIGHT));
            }
        }
    }

    /// Block characters as rectangles: fonts leave seams between them.
    fn blocks(&mut self, cells: &[Cell], y: u32, ground: Ground) {
        for (x, run) in
            runs(cells, |cell| (cell.symbol().to_owned(), cell_style(cell, ground).text))
        {
            let Some((left, top, right, bottom)) = block(run[0].symbol()) else { continue };
            let path = self.blocks.entry(cell_style(&run[0], ground).text).or_default();
            let whole = right - left == 8;
            let size = |cells: u32| (cells * WIDTH, (bottom - top) * HEIGHT / 8);
            if whole {
                rectangle(path, (x, y + top * HEIGHT / 8), size(run.len() as u32));
            } else {
                for index in 0..run.len() as u32 {
                    let corner = (x + index * WIDTH + left, y + top * HEIGHT / 8);
                    rectangle(path, corner, (right - left, (bottom - top) * HEIGHT / 8));
                }
            }
        }
    }

    /// One text element per word: some viewers fold blanks, and would stretch the rest over the width.
    fn texts(&mut self, cells: &[Cell], y: u32, ground: Ground) {
        let style = |cell: &Cell| {
            let CellStyle { text, bold, .. } = cell_style(cell, ground);
            (text, bold, is_letter(cell))
        };
        for (x, run) in runs(cells, style).filter(|(_, run)| is_letter(&run[0])) {
            let text: String = run.iter().map(Cell::symbol).collect();
            let CellStyle { text: colour, bold, .. } = cell_style(&run[0], ground);
            let texts = self.texts.entry((colour, bold)).or_default();
            let _ = write!(texts, "<text x=\"{x}\" y=\"{}\"", y + BASELINE);
            if run.len() > 1 {
                // The length keeps columns in place whatever the font's own width.
                let _ = write!(texts, " textLength=\"{}\"", run.len() as u32 * WIDTH);
            }
            let _ = write!(texts, ">{}</text>", escaped(&text));
        }
    }
}

/// Whether two cells look the same.
pub(super) fn alike(one: &Cell, other: &Cell, ground: Ground) -> bool {
    let [first, second] = [one, other].map(|cell| cell_style(cell, ground));
    let blank = |cell: &Cell| cell.symbol().trim().is_empty();
    first.ground == second.ground
        && (blank(one) && blank(other)
            || one.symbol() == other.symbol()
                && (first.text, first.bold) == (second.text, second.bold))
}

/// Whether the cell is neither blank nor a block, which is drawn as a rectangle.
fn is_letter(cell: &Cell) -> bool {
    !cell.symbol().trim().is_empty() && block(cell.symbol()).is_none()
}

/// Adds a rectangle to a path.
fn rectangle(path: &mut String, (x, y): (u32, u32), (width, height): (u32, u32)) {
    let _ = write!(path, "M{x} {y}h{width}v{height}h-{width}z");
}

/// (x, cells) for each run of adjacent cells with the same key.
fn runs<K: PartialEq>(
    cells: &[Cell],
    key: impl Fn(&Cell) -> K,
) -> impl Iterator<Item = (u32, &[Cell])> {
    let mut x = 0;
    cells.chunk_by(move |a, b| key(a) == key(b)).map(move |run| {
        let start = x;
        x += run.len() as u32 * WIDTH;
        (start, run)
    })
}

/// The part of a cell that a block character fills, in eighths: left, top, right, bottom.
fn block(symbol: &str) -> Option<(u32, u32, u32, u32)> {
    let character = symbol.chars().next()?;
    match character {
        '▀' => Some((0, 0, 8, 4)),
        '▁'..='█' => Some((0, 8 - (character as u32 - '▁' as u32 + 1), 8, 8)),
        '▉'..='▏' => Some((0, 0, 8 - (character as u32 - '▉' as u32 + 1), 8)),
        '▐' => Some((4, 0, 8, 8)),
        _ => None,
    }
}

/// The colours and the style in which a cell is drawn, where a reversed one is turned over.
pub fn cell_style(cell: &Cell, ground: Ground) -> CellStyle {
    let text = rgb(cell.fg).unwrap_or(ground.text);
    let paper = rgb(cell.bg).unwrap_or(ground.ground);
    let bold = cell.modifier.contains(Modifier::BOLD);
    if cell.modifier.contains(Modifier::REVERSED) {
        CellStyle { text: paper, ground: text, bold }
    } else {
        CellStyle { text, ground: paper, bold }
    }
}

/// A colour as terminals show it by default, or `None` for the terminal's own.
fn rgb(colour: Color) -> Option<u32> {
    let index = match colour {
        Color::Reset => return None,
        Color::Rgb(r, g, b) => return Some(u32::from_be_bytes([0, r, g, b])),
        Color::Indexed(index) => index,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    Some(indexed(index))
}

/// xterm's 256 colours: 16, a cube of 6 x 6 x 6, 24 greys.
pub(super) fn indexed(index: u8) -> u32 {
    const FIRST: [u32; 16] = [
        0x00_00_00, 0xcd_00_00, 0x00_cd_00, 0xcd_cd_00, 0x00_00_ee, 0xcd_00_cd, 0x00_cd_cd,
        0xe5_e5_e5, 0x7f_7f_7f, 0xff_00_00, 0x00_ff_00, 0xff_ff_00, 0x5c_5c_ff, 0xff_00_ff,
        0x00_ff_ff, 0xff_ff_ff,
    ];
    const LEVELS: [u32; 6] = [0, 95, 135, 175, 215, 255];
    let index = usize::from(index);
    match index {
        0..16 => FIRST[index],
        16..232 => {
            let i = index - 16;
            LEVELS[i / 36] << 16 | LEVELS[i / 6 % 6] << 8 | LEVELS[i % 6]
        }
        _ => (8 + 10 * (index as u32 - 232)) * 0x01_01_01,
    }
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    const DARK: Ground = Ground { text: 0xe6_e6_e6, ground: 0x1e_1e_1e };

    #[test]
    fn text_and_half_blocks_become_text_and_rectangles() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 8, 1));
        buf.set_string(1, 0, "a<b", Style::new().add_modifier(Modifier::BOLD));
        buf.set_string(5, 0, "▀▀", Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(16)));
        insta::assert_snapshot!(svg(&buf, DARK), @r##"
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 16" font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="13" shape-rendering="crispEdges">
        <style>.b{font-weight:bold}</style>
        <rect width="64" height="16" fill="#1e1e1e"/>
        <path fill="#000000" d="M40 0h16v16h-16z"/>
        <path fill="#010203" d="M40 0h16v8h-16z"/>
        <g fill="#e6e6e6" class="b"><text x="8" y="12" textLength="24">a&lt;b</text></g>
        </svg>
        "##);
    }

    #[test]
    fn a_frame_turned_to_text_keeps_its_rows() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 4, 2));
        buf.set_string(0, 1, "ab", Style::new());
        assert_eq!(super::super::text(&buf), "\nab\n");
    }
}
