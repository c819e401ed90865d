//! Half-row pixels of a place, in percent of a hue, readable without colours too.

use super::place::HalfRect;
use crate::study::stage::{CellLevel, GridCell, Hue};
use crate::tui::theme::{Depth, Glyphs, Look, Role, Theme};
use crate::tui::widget::pen::Pen;
use ratatui::style::{Color, Modifier, Style};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Shade {
    /// Nothing at all: the ground.
    #[default]
    Ground,
    /// A plate on which nothing lies.
    Plate,
    Hatched,
    /// Words that are not where they shall be yet.
    Pending(Role),
    /// A warp that waits: its rows are a line.
    Line,
    /// So many percent of a hue.
    Fill(Role, u8),
    /// The thread that is followed.
    Followed,
}

impl Shade {
    /// The percents by which it is told without colours.
    const fn percent(self) -> u8 {
        match self {
            Self::Ground => 0,
            Self::Plate | Self::Hatched | Self::Line => 1,
            Self::Pending(_) => 40,
            Self::Fill(_, percent) => percent,
            Self::Followed => 101,
        }
    }

    /// What of two is shown where there is room for one.
    const fn rank(self) -> u8 {
        match self {
            Self::Fill(Role::Here, 100..) => 102,
            Self::Fill(Role::Bad, 100..) => 103,
            _ => self.percent(),
        }
    }

    const fn is_full(self) -> bool {
        self.percent() >= 100
    }
}

pub(super) const fn role(hue: Hue) -> Role {
    match hue {
        Hue::First => Role::A,
        Hue::Second => Role::B,
        Hue::Other | Hue::Plate => Role::Wait,
        Hue::Result => Role::C,
    }
}

/// The shade of a cell of a tile with this hue.
pub(super) fn shade(cell: &GridCell, hue: Hue) -> Shade {
    let role = role(cell.hue.unwrap_or(hue));
    match cell.level {
        CellLevel::Empty | CellLevel::Share(0) => Shade::Plate,
        CellLevel::Padding => Shade::Hatched,
        CellLevel::Free => Shade::Fill(role, 12),
        CellLevel::Next => Shade::Fill(role, 16),
        CellLevel::Held => Shade::Fill(role, 40),
        CellLevel::Loaded => Shade::Fill(role, 75),
        CellLevel::InRegisters => Shade::Pending(role),
        CellLevel::Waits => Shade::Line,
        CellLevel::Share(percent) => Shade::Fill(role, percent.min(99)),
        CellLevel::Arrived | CellLevel::Done => Shade::Fill(role, 100),
        CellLevel::Now => Shade::Fill(Role::Here, 100),
        CellLevel::Wrong => Shade::Fill(Role::Bad, 100),
        CellLevel::Followed => Shade::Followed,
    }
}

/// The shade of several cells that are drawn as one: lit if one of them is, else their mean.
pub(super) fn together(shades: impl Iterator<Item = Shade>) -> Shade {
    let (mut sum, mut count, mut most) = (0_u32, 0_u32, Shade::Ground);
    for shade in shades {
        count += 1;
        sum += match shade {
            Shade::Fill(_, percent) => u32::from(percent),
            Shade::Pending(_) => 40,
            _ => 0,
        };
        if shade.rank() > most.rank() {
            most = shade;
        }
    }
    match most {
        Shade::Fill(Role::Here | Role::Bad, _) => most,
        Shade::Fill(role, _) => Shade::Fill(role, (sum / count.max(1)).max(8) as u8),
        other => other,
    }
}

/// The same on a line that stands for a whole tile: what is less than half of it does not light it.
pub(super) fn mostly(shades: impl Iterator<Item = Shade>) -> Shade {
    let all: Vec<_> = shades.collect();
    let now = Shade::Fill(Role::Here, 100);
    let few = 2 * all.iter().filter(|shade| **shade == now).count() < all.len();
    together(all.into_iter().filter(|shade| !few || *shade != now))
}

/// The picture of a stage: pixels one column wide and half a row high.
#[derive(Clone)]
pub(super) struct Painting {
    width: u16,
    height: u16,
    pixels: Vec<Shade>,
}

impl Painting {
    pub(super) fn new(width: u16, rows: u16) -> Self {
        let height = 2 * rows;
        let pixels = vec![Shade::Ground; usize::from(width) * usize::from(height)];
        Self { width, height, pixels }
    }

    pub(super) const fn width(&self) -> u16 {
        self.width
    }

    pub(super) fn set(&mut self, x: u16, y: u16, shade: Shade) {
        if x < self.width && y < self.height {
            self.pixels[usize::from(y) * usize::from(self.width) + usize::from(x)] = shade;
        }
    }

    pub(super) fn at(&self, x: u16, y: u16) -> Shade {
        if x >= self.width || y >= self.height {
            return Shade::Ground;
        }
        self.pixels[usize::from(y) * usize::from(self.width) + usize::from(x)]
    }

    pub(super) fn fill(&mut self, area: HalfRect, shade: Shade) {
        for y in area.y..area.bottom() {
            for x in area.x..area.right() {
                self.set(x, y, shade);
            }
        }
    }

    /// Draws the cells of a rectangle that are not left out.
    pub(super) fn draw_within(
        &self,
        pen: &mut Pen<'_>,
        area: HalfRect,
        left_out: impl Fn(u16, u16) -> bool,
    ) {
        for row in area.rows() {
            for x in (area.x..area.right()).filter(|x| !left_out(*x, row)) {
                character(pen, (x, row), [self.at(x, 2 * row), self.at(x, 2 * row + 1)]);
            }
        }
    }

    /// Draws it; what is ground leaves characters untouched.
    pub(super) fn draw(&self, pen: &mut Pen<'_>) {
        for row in 0..self.height / 2 {
            for x in 0..self.width {
                let pair = [self.at(x, 2 * row), self.at(x, 2 * row + 1)];
                if pair != [Shade::Ground; 2] {
                    character(pen, (x, row), pair);
                }
            }
        }
    }
}

/// Below so many percent a projector shows nothing.
const PALE: u8 = 30;

/// The colour of a shade, where there are half tones.
pub(super) fn colour(look: Look, shade: Shade) -> Color {
    match shade {
        Shade::Ground => Color::Reset,
        Shade::Plate | Shade::Hatched | Shade::Line => look.plate(),
        Shade::Pending(role) => look.share(role, 25),
        // A projector swallows what is nearly white: dots in the hue say it there.
        Shade::Fill(_, ..PALE) if look.theme == Theme::Stage => {
            look.ground().bg.unwrap_or(Color::Reset)
        }
        Shade::Fill(role, percent) => look.share(role, percent),
        Shade::Followed => look.bright(),
    }
}

fn character(pen: &mut Pen<'_>, (x, y): (u16, u16), [upper, lower]: [Shade; 2]) {
    let look = pen.look;
    if look.has_pixels() && look.depth >= Depth::Indexed {
        return half_tones(pen, (x, y), [upper, lower]);
    }
    let more = if upper.rank() >= lower.rank() { upper } else { lower };
    let one_is_full = upper.is_full() != lower.is_full();
    let (symbol, style) = if one_is_full && look.glyphs == Glyphs::Basic {
        (if upper.is_full() { "▀" } else { "▄" }, without_tones(look, more))
    } else {
        (mark(look, more), without_tones(look, more))
    };
    if let Some(cell) = pen.cell(x, y) {
        cell.set_symbol(symbol).set_style(plain().patch(style));
    }
}

fn plain() -> Style {
    Style::new().remove_modifier(Modifier::all())
}

fn half_tones(pen: &mut Pen<'_>, (x, y): (u16, u16), [upper, lower]: [Shade; 2]) {
    let look = pen.look;
    let [top, bottom] = [upper, lower].map(|shade| colour(look, shade));
    let (symbol, style) = match (upper, lower) {
        _ if upper == lower => match upper {
            Shade::Plate => ("·", plain().patch(look.border()).bg(top)),
            Shade::Hatched => ("/", plain().patch(look.dim()).bg(top)),
            Shade::Line => ("─", plain().patch(look.text()).bg(top)),
            Shade::Fill(role, ..PALE) if look.theme == Theme::Stage => {
                ("·", plain().patch(look.ink(role)).bg(top))
            }
            Shade::Pending(role) => ("/", plain().patch(look.ink(role)).bg(top)),
            _ => (" ", plain().bg(top)),
        },
        (Shade::Ground, _) => ("▄", plain().fg(bottom)),
        (_, Shade::Ground) => ("▀", plain().fg(top)),
        _ => ("▀", plain().fg(top).bg(bottom)),
    };
    if let Some(cell) = pen.cell(x, y) {
        cell.set_symbol(symbol).set_style(style);
    }
}

/// The glyph that stands for a shade without half tones.
fn mark(look: Look, shade: Shade) -> &'static str {
    match shade {
        Shade::Ground => " ",
        Shade::Plate => look.pick("·", "."),
        Shade::Hatched | Shade::Pending(_) => "/",
        Shade::Line => look.pick("─", "-"),
        Shade::Followed => look.pick("█", "@"),
        Shade::Fill(Role::Bad, 100..) => "x",
        Shade::Fill(Role::Here, 100..) if look.depth == Depth::Ansi => look.pick("■", "#"),
        Shade::Fill(Role::A, 100..) => look.pick("█", "a"),
        Shade::Fill(Role::B, 100..) => look.pick("█", "b"),
        Shade::Fill(Role::C, 100..) => look.pick("█", "c"),
        Shade::Fill(_, 100..) => look.pick("█", "#"),
        Shade::Fill(_, 60..) => look.pick("▓", "="),
        Shade::Fill(_, 30..) => look.pick("▒", ":"),
        Shade::Fill(..) => look.pick("░", ","),
    }
}

/// The style of such a glyph.
fn without_tones(look: Look, shade: Shade) -> Style {
    match (shade, look.depth) {
        (Shade::Fill(Role::Here, 100..), Depth::Mono) => Style::new().add_modifier(Modifier::BOLD),
        (_, Depth::Mono) => Style::new(),
        (Shade::Fill(Role::Here, 100..), Depth::Ansi) => look.fill(Role::Here),
        (Shade::Fill(role, _) | Shade::Pending(role), Depth::Ansi) => {
            Style::new().fg(look.pixel(role))
        }
        (Shade::Followed, Depth::Ansi) => look.text(),
        (_, Depth::Ansi) => look.dim(),
        (Shade::Plate | Shade::Hatched | Shade::Line | Shade::Ground, _) => {
            look.dim().bg(colour(look, shade))
        }
        (_, _) => {
            let ground = colour(look, shade);
            look.on(ground).bg(ground)
        }
    }
}
