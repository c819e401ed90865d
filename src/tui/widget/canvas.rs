//! A picture of half-block pixels, two to a character, that is readable without colours too.

use super::pen::Pen;
use crate::tui::theme::{Depth, Look, Role, Tone};
use ratatui::style::{Color, Modifier, Style};

/// Pixels of one tone each, one column wide and half a row high, hence about square.
pub(super) struct Canvas {
    width: u16,
    height: u16,
    pixels: Vec<Tone>,
}

impl Canvas {
    /// An empty picture of `width` columns and `rows` rows.
    pub(super) fn new(width: u16, rows: u16) -> Self {
        let height = rows * 2;
        let pixels = vec![Tone::None; usize::from(width) * usize::from(height)];
        Self { width, height, pixels }
    }

    /// Sets a pixel; outside the picture, does nothing.
    pub(super) fn set(&mut self, x: u16, y: u16, tone: Tone) {
        if let Some(index) = self.index(x, y) {
            self.pixels[index] = tone;
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
                let [top, bottom] = [2 * row, 2 * row + 1].map(|y| self.at(column, y));
                if (top, bottom) != (Tone::None, Tone::None) {
                    character(pen, x + column, y + row, top, bottom);
                }
            }
        }
    }

    /// Draws the picture from row `y` on; without colours by the shape of its pixels alone.
    pub(super) fn draw_shapes(&self, pen: &mut Pen<'_>, y: u16) {
        let look = pen.look;
        if look.has_pixels() {
            return self.draw(pen, 0, y);
        }
        for (row, x) in (0..self.height / 2).flat_map(|row| (0..self.width).map(move |x| (row, x)))
        {
            let halves = [2 * row, 2 * row + 1].map(|y| self.at(x, y));
            let [upper, lower] = halves.map(|tone| usize::from(tone != Tone::None));
            let shape = 2 * upper + lower;
            let symbol = look.pick(["", "▄", "▀", "█"][shape], ["", ".", "'", "#"][shape]);
            let now = halves.contains(&Tone::Full(Role::Here));
            let style = if now { look.strong(Role::Here) } else { look.text() };
            pen.text(x, y + row, symbol, style);
        }
    }

    /// The tone of a pixel; nothing outside the picture.
    pub(super) fn at(&self, x: u16, y: u16) -> Tone {
        self.index(x, y).map_or(Tone::None, |index| self.pixels[index])
    }

    fn index(&self, x: u16, y: u16) -> Option<usize> {
        let inside = x < self.width && y < self.height;
        inside.then(|| usize::from(y) * usize::from(self.width) + usize::from(x))
    }
}

/// Draws one character of one tone.
pub(super) fn block(pen: &mut Pen<'_>, x: u16, y: u16, tone: Tone) {
    if tone != Tone::None {
        character(pen, x, y, tone, tone);
    }
}

/// Draws one character for two pixels.
fn character(pen: &mut Pen<'_>, x: u16, y: u16, top: Tone, bottom: Tone) {
    let look = pen.look;
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
    let [upper, lower] = [top, bottom].map(|tone| look.tone(tone));
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
