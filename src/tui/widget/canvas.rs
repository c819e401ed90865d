//! A picture of half-block pixels, two to a character, that is readable without colours too.

use super::pen::Pen;
use crate::tui::theme::{Depth, Look, Role, Tone};
use ratatui::style::{Color, Modifier, Style};

/// Pixels of one tone each, one column wide and half a row high, hence about square.
pub(super) struct Canvas {
    width: u16,
    height: u16,
    pixels: Vec<Pixel>,
}

/// A pixel: its tone, and how much is left, of 255 parts, of its having been touched last.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Pixel {
    tone: Tone,
    glow: u8,
}

impl Canvas {
    /// An empty picture of `width` columns and `rows` rows.
    pub(super) fn new(width: u16, rows: u16) -> Self {
        let height = rows * 2;
        let pixels = vec![Pixel::default(); usize::from(width) * usize::from(height)];
        Self { width, height, pixels }
    }

    /// Sets a pixel; outside the picture, does nothing.
    pub(super) fn set(&mut self, x: u16, y: u16, tone: Tone) {
        if let Some(pixel) = self.pixel(x, y) {
            pixel.tone = tone;
        }
    }

    /// Lets a pixel glow, unless it is touched now; outside the picture, does nothing.
    pub(super) fn glow(&mut self, x: u16, y: u16, left: u8) {
        let now = Tone::Full(Role::Bad).rank();
        if let Some(pixel) = self.pixel(x, y).filter(|pixel| pixel.tone.rank() < now) {
            pixel.glow = left;
        }
    }

    /// Sets a pixel if the tone has a higher rank than its present one.
    pub(super) fn raise(&mut self, x: u16, y: u16, tone: Tone) {
        if self.at(x, y).rank() < tone.rank() {
            self.set(x, y, tone);
        }
    }

    /// Draws the picture with its upper left corner at (x, y); empty pixels leave characters
    /// untouched.
    pub(super) fn draw(&self, pen: &mut Pen<'_>, x: u16, y: u16) {
        for row in 0..self.height / 2 {
            for column in 0..self.width {
                let [top, bottom] = [2 * row, 2 * row + 1].map(|y| self.pixel_at(column, y));
                if (top.tone, bottom.tone) != (Tone::None, Tone::None) {
                    character(pen, x + column, y + row, top, bottom);
                }
            }
        }
    }

    /// The tone of a pixel; nothing outside the picture.
    pub(super) fn at(&self, x: u16, y: u16) -> Tone {
        self.pixel_at(x, y).tone
    }

    /// Text of this style on a pixel that glows; anywhere else as it is.
    pub(super) fn style(&self, look: Look, style: Style, (x, y): (u16, u16)) -> Style {
        let Pixel { tone, glow } = self.pixel_at(x, y);
        look.on_glow(style, tone, glow)
    }

    fn pixel_at(&self, x: u16, y: u16) -> Pixel {
        self.index(x, y).map_or_else(Pixel::default, |index| self.pixels[index])
    }

    fn pixel(&mut self, x: u16, y: u16) -> Option<&mut Pixel> {
        self.index(x, y).map(|index| &mut self.pixels[index])
    }

    fn index(&self, x: u16, y: u16) -> Option<usize> {
        let inside = x < self.width && y < self.height;
        inside.then(|| usize::from(y) * usize::from(self.width) + usize::from(x))
    }
}

/// Draws one character of one tone.
pub(super) fn block(pen: &mut Pen<'_>, x: u16, y: u16, tone: Tone) {
    if tone != Tone::None {
        let pixel = Pixel { tone, glow: 0 };
        character(pen, x, y, pixel, pixel);
    }
}

/// Draws one character for two pixels.
fn character(pen: &mut Pen<'_>, x: u16, y: u16, upper: Pixel, lower: Pixel) {
    let (look, top, bottom) = (pen.look, upper.tone, lower.tone);
    let higher = if top.rank() >= bottom.rank() { top } else { bottom };
    // Sixteen colours have no half tones, so shading replaces them.
    let shaded = look.depth == Depth::Ansi
        && top == bottom
        && matches!(top, Tone::Half(_) | Tone::Ahead(_) | Tone::Grown(..));
    if !look.has_pixels() || shaded {
        pen.text(x, y, look.mark(higher), look.mark_style(higher));
        return;
    }
    // Nor can the two yellows of the sixteen colours be told apart: what is touched has its own
    // mark.
    if look.depth == Depth::Ansi && higher == Tone::Full(Role::Here) {
        pen.text(x, y, "■", look.fill(Role::Here));
        return;
    }
    let [upper, lower] = [upper, lower].map(|pixel| look.glowing(pixel.tone, pixel.glow));
    let Some(cell) = pen.cell(x, y) else { return };
    let plain = Style::new().remove_modifier(Modifier::all());
    if upper == lower {
        cell.set_symbol(" ").set_style(plain.bg(upper));
    } else if upper == Color::Reset {
        cell.set_symbol("▄").set_style(plain.fg(lower));
    } else if lower == Color::Reset {
        cell.set_symbol("▀").set_style(plain.fg(upper));
    } else {
        cell.set_symbol("▀").set_style(plain.fg(upper).bg(lower));
    }
}

/// The style of text on a tone.
pub(super) fn over(look: Look, tone: Tone) -> Style {
    match (tone, look.depth) {
        (Tone::Full(Role::Here), _) => look.fill(Role::Here).add_modifier(Modifier::BOLD),
        (_, Depth::Mono) => Style::new(),
        _ => look.over(tone),
    }
}
