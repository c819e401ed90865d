//! Writes the cells of a frame in few bytes: of a cell's style only what is not so already.

use ratatui::backend::{Backend, ClearType, CrosstermBackend, IntoCrossterm, WindowSize};
use ratatui::buffer::Cell;
use ratatui::crossterm::cursor::{MoveRight, MoveTo};
use ratatui::crossterm::queue;
use ratatui::crossterm::style::{
    Attribute, Colors, Print, SetAttribute, SetBackgroundColor, SetColors,
};
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Modifier};
use std::io::{self, Write};

/// A terminal as crossterm writes it, but for the cells of a frame.
#[derive(Debug)]
pub struct SparingBackend<W: Write>(CrosstermBackend<W>);

/// The attributes of a text, and what switches each on and off.
const ATTRIBUTES: [(Modifier, Attribute, Attribute); 9] = [
    (Modifier::BOLD, Attribute::Bold, Attribute::NormalIntensity),
    (Modifier::DIM, Attribute::Dim, Attribute::NormalIntensity),
    (Modifier::ITALIC, Attribute::Italic, Attribute::NoItalic),
    (Modifier::UNDERLINED, Attribute::Underlined, Attribute::NoUnderline),
    (Modifier::SLOW_BLINK, Attribute::SlowBlink, Attribute::NoBlink),
    (Modifier::RAPID_BLINK, Attribute::RapidBlink, Attribute::NoBlink),
    (Modifier::REVERSED, Attribute::Reverse, Attribute::NoReverse),
    (Modifier::HIDDEN, Attribute::Hidden, Attribute::NoHidden),
    (Modifier::CROSSED_OUT, Attribute::CrossedOut, Attribute::NotCrossedOut),
];

/// The style in which a terminal writes, and the place of the cell that it wrote last.
#[derive(Clone, Copy)]
struct Written {
    foreground: Color,
    background: Color,
    modifier: Modifier,
    at: Option<(u16, u16)>,
}

impl Written {
    const NOTHING: Self = Self {
        foreground: Color::Reset,
        background: Color::Reset,
        modifier: Modifier::empty(),
        at: None,
    };
}

/// What is written of a cell.
struct Glyph<'a> {
    symbol: &'a str,
    foreground: Color,
    background: Color,
    modifier: Modifier,
}

/// The attributes that are seen on a blank.
const ON_BLANKS: Modifier =
    Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);

/// The blanks in a row from which on they are erased together.
const ERASED: u16 = 12;

/// Whether nothing is seen of a cell but the terminal's own ground.
fn is_blank(cell: &Cell) -> bool {
    cell.symbol() == " " && cell.bg == Color::Reset && !cell.modifier.intersects(ON_BLANKS)
}

impl<'a> Glyph<'a> {
    /// The glyph of a cell that changes least of what is written in: a blank has the colour of no text,
    /// and half blocks can be turned upside down.
    fn of(cell: &'a Cell, written: &Written) -> Self {
        let (symbol, modifier) = (cell.symbol(), cell.modifier);
        let (foreground, background) = (cell.fg, cell.bg);
        let usual = Self { symbol, foreground, background, modifier };
        let turned = match symbol {
            " " if !modifier.union(written.modifier).intersects(ON_BLANKS) => {
                let Written { foreground, modifier, .. } = *written;
                return Self { foreground, modifier, ..usual };
            }
            "▀" if modifier.is_empty() => "▄",
            "▄" if modifier.is_empty() => "▀",
            _ => return usual,
        };
        let (foreground, background) = (background, foreground);
        let turned = Self { symbol: turned, foreground, background, modifier };
        let turns = foreground != Color::Reset && background != Color::Reset;
        if turns && turned.changes(written) < usual.changes(written) { turned } else { usual }
    }

    fn changes(&self, written: &Written) -> usize {
        usize::from(self.foreground != written.foreground)
            + usize::from(self.background != written.background)
    }
}

impl<W: Write> SparingBackend<W> {
    pub const fn new(writer: W) -> Self {
        Self(CrosstermBackend::new(writer))
    }

    fn move_to(&mut self, (x, y): (u16, u16), written: &Written) -> io::Result<()> {
        match written.at {
            Some((last, row)) if row == y && last + 1 == x => Ok(()),
            Some((last, row)) if row == y && last < x => queue!(self.0, MoveRight(x - last - 1)),
            _ => queue!(self.0, MoveTo(x, y)),
        }
    }

    /// Erases cells of a row, which the cursor stays before.
    fn erase(&mut self, (x, y): (u16, u16), wide: u16, written: &mut Written) -> io::Result<()> {
        self.move_to((x, y), written)?;
        let modifier = written.modifier.difference(ON_BLANKS);
        self.switch(written.modifier, modifier)?;
        if written.background != Color::Reset {
            queue!(self.0, SetBackgroundColor(Color::Reset.into_crossterm()))?;
        }
        let at = x.checked_sub(1).map(|before| (before, y));
        *written = Written { background: Color::Reset, modifier, at, ..*written };
        write!(self.0, "\x1b[{wide}X")
    }

    fn write(&mut self, (x, y): (u16, u16), cell: &Cell, written: &mut Written) -> io::Result<()> {
        self.move_to((x, y), written)?;
        let Glyph { symbol, foreground, background, modifier } = Glyph::of(cell, written);
        self.switch(written.modifier, modifier)?;
        let new = |is: Color, was: Color| (is != was).then(|| is.into_crossterm());
        let colors = Colors {
            foreground: new(foreground, written.foreground),
            background: new(background, written.background),
        };
        queue!(self.0, SetColors(colors), Print(symbol))?;
        *written = Written { foreground, background, modifier, at: Some((x, y)) };
        Ok(())
    }

    /// Switches the attributes off that go, and those on that come.
    fn switch(&mut self, mut from: Modifier, to: Modifier) -> io::Result<()> {
        for (modifier, _, off) in ATTRIBUTES {
            if from.contains(modifier) && !to.contains(modifier) {
                queue!(self.0, SetAttribute(off))?;
                let same = ATTRIBUTES.iter().filter(|(_, _, other)| *other == off);
                same.for_each(|(also, ..)| from.remove(*also));
            }
        }
        for (modifier, on, _) in ATTRIBUTES {
            if to.contains(modifier) && !from.contains(modifier) {
                queue!(self.0, SetAttribute(on))?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Backend for SparingBackend<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let (mut written, mut cells) = (Written::NOTHING, content.peekable());
        if cells.peek().is_none() {
            return Ok(());
        }
        while let Some((x, y, cell)) = cells.next() {
            let mut wide = 1;
            let goes_on = |(next, row, cell): &(u16, u16, &'a Cell), wide| {
                (*next, *row) == (x + wide, y) && is_blank(cell)
            };
            while is_blank(cell) && cells.next_if(|next| goes_on(next, wide)).is_some() {
                wide += 1;
            }
            if wide >= ERASED {
                self.erase((x, y), wide, &mut written)?;
                continue;
            }
            for x in x..x + wide {
                self.write((x, y), cell, &mut written)?;
            }
        }
        // Each frame begins in the terminal's own style.
        queue!(self.0, SetAttribute(Attribute::Reset))
    }

    fn append_lines(&mut self, lines: u16) -> io::Result<()> {
        self.0.append_lines(lines)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.0.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.0.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.0.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.0.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.0.clear()
    }

    fn clear_region(&mut self, clear: ClearType) -> io::Result<()> {
        self.0.clear_region(clear)
    }

    fn size(&self) -> io::Result<Size> {
        self.0.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.0.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.0)
    }
}

impl<W: Write> Write for SparingBackend<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Write::write(&mut self.0, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    fn sent(rows: &[&[(&str, Style)]]) -> String {
        let mut buf = Buffer::empty(Rect::new(0, 0, 8, 2));
        for (y, row) in (0..).zip(rows) {
            let mut x = 0;
            for (text, style) in *row {
                (x, _) = buf.set_stringn(x, y, text, 8, *style);
            }
        }
        let empty = Buffer::empty(buf.area);
        let mut bytes = Vec::new();
        SparingBackend::new(&mut bytes).draw(empty.diff(&buf).into_iter()).expect("in memory");
        String::from_utf8(bytes).expect("text").replace('\x1b', "^")
    }

    #[test]
    fn of_a_style_only_what_changes_is_sent() {
        let (red, blue) = (Color::Indexed(1), Color::Indexed(4));
        let on = |fg, bg| Style::new().fg(fg).bg(bg);
        let row = [("a", on(red, blue)), ("b", on(blue, blue)), (" ", on(red, blue))];
        assert_eq!(sent(&[&row]), "^[1;1H^[38;5;1;48;5;4ma^[38;5;4mb ^[0m");
        let halves = [("▀", on(red, blue)), ("▀", on(blue, red)), ("▄", on(red, blue))];
        assert_eq!(sent(&[&halves]), "^[1;1H^[38;5;1;48;5;4m▀▄▄^[0m");
    }

    #[test]
    fn attributes_go_one_by_one_and_gaps_are_jumped_over() {
        let [bold, dim] = [Modifier::BOLD, Modifier::DIM].map(|of| Style::new().add_modifier(of));
        let row = [("a", bold), ("b", dim), (" ", Style::new()), ("c", Style::new())];
        assert_eq!(sent(&[&row]), "^[1;1H^[1ma^[22m^[2mb^[1C^[22mc^[0m");
    }

    #[test]
    fn many_blanks_are_erased_together() {
        let [before, after] = ["x".repeat(30), format!("a{}b", " ".repeat(28))]
            .map(|row| Buffer::with_lines([row.as_str()]));
        let mut bytes = Vec::new();
        SparingBackend::new(&mut bytes).draw(before.diff(&after).into_iter()).expect("in memory");
        assert_eq!(bytes, b"\x1b[1;1Ha\x1b[28X\x1b[28Cb\x1b[0m");
    }
}
