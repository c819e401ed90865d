//! Colours by meaning: one table of roles for every theme, colour depth and glyph set.

mod colour;

use crate::matrix::Operand;
use colour::{blend, cube, is_bright, mix, rgb_of};
use ratatui::style::{Color, Modifier, Style};

/// The meaning of a colour: one hue has one meaning on every panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Matrix A and data from it.
    A,
    /// Matrix B and data from it.
    B,
    /// Matrix C, and arithmetic.
    C,
    /// Traffic with global memory: loads and stores, in flight too.
    Memory,
    /// Traffic with shared memory.
    Shared,
    /// Waste and errors: bank conflicts, bytes fetched but not used, findings.
    Bad,
    /// What happens now: the playhead, data being touched now.
    Here,
    /// Waiting; measured bars.
    Wait,
}

/// The background that the colours are chosen for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Light text on the terminal's own dark background.
    #[default]
    Dark,
    /// Dark text on a painted white, since the terminal's own background may be dark.
    Light,
    /// For projectors: black on a painted white, nothing dim.
    Stage,
}

/// The number of colours that the terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// No colours: glyphs, letters and reverse video carry all meaning.
    Mono,
    /// The 16 colours of the user's own palette.
    Ansi,
    /// The 256 colours of xterm.
    Indexed,
    /// 24-bit colour.
    #[default]
    True,
}

/// The characters that may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Glyphs {
    /// ASCII only.
    Ascii,
    /// Also the lines, blocks and arrows that every common font has.
    #[default]
    Basic,
}

impl Glyphs {
    /// The other glyph set.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Ascii => Self::Basic,
            Self::Basic => Self::Ascii,
        }
    }
}

/// How everything is drawn: the only property of the terminal that widgets depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The background.
    pub theme: Theme,
    /// The number of colours.
    pub depth: Depth,
    /// The characters.
    pub glyphs: Glyphs,
}

/// The state of a picture's cell; of two that share a character, the one with the higher rank wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing: the background.
    #[default]
    None,
    /// Something empty or far away.
    Faint,
    /// Context of what matters that is still to come.
    Ahead(Role),
    /// A sum on its way: this many of 255 parts of the role's colour.
    Grown(Role, u8),
    /// Context of what matters: a band, something past.
    Half(Role),
    /// What matters most.
    Full(Role),
}

/// The colours of a role: its fill (the same on every background) and its ink on each background.
struct Row {
    fill: u32,
    indexed: u8,
    ansi: Color,
    ink: [u32; 3],
}

const ROWS: [Row; 8] = [
    row(0x37_86_d0, 32, Color::Cyan, [0x63_a9_ef, 0x00_60_a0, 0x00_4f_8a]),
    row(0xe7_98_20, 172, Color::LightMagenta, [0xe7_98_20, 0xa8_50_00, 0x8f_43_00]),
    row(0x5c_d2_94, 78, Color::Green, [0x5c_d2_94, 0x00_69_4c, 0x00_5a_40]),
    row(0xeb_a9_fd, 219, Color::LightBlue, [0xeb_a9_fd, 0x8a_2f_73, 0x7a_24_66]),
    row(0x95_65_89, 132, Color::Magenta, [0xcf_7f_b3, 0x5a_3f_a0, 0x4a_2f_8c]),
    row(0xe2_43_50, 167, Color::LightRed, [0xff_7a_80, 0xc2_26_0c, 0xb0_18_00]),
    row(0xf2_f4_2a, 226, Color::LightYellow, [0xf2_f4_2a, 0x7a_5c_00, 0x6a_4f_00]),
    row(0x9a_9a_9a, 247, Color::Gray, [0x9a_9a_9a, 0x6b_6b_6b, 0x44_44_44]),
];

/// Text, dim text, borders, empty cells and the bar, per theme.
const TEXT: [u32; 3] = [0xe6_e6_e6, 0x1a_1a_1a, 0x00_00_00];
const DIM: [u32; 3] = [0xa8_a8_a8, 0x55_55_55, 0x33_33_33];
const BORDER: [u32; 3] = [0x7a_7a_7a, 0x76_76_76, 0x55_55_55];
const FAINT: [u32; 3] = [0x3a_3a_3a, 0xd4_d4_d4, 0xd8_d8_d8];
const BAR: [u32; 3] = [0x1d_32_4c, 0xe2_ef_fb, 0xcf_e3_f7];

const fn row(fill: u32, indexed: u8, ansi: Color, ink: [u32; 3]) -> Row {
    Row { fill, indexed, ansi, ink }
}

impl Theme {
    /// Every theme, in the order in which a key cycles through them.
    pub const ALL: [Self; 3] = [Self::Dark, Self::Light, Self::Stage];

    /// The theme's name on the command line and in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Stage => "stage",
        }
    }

    /// The next theme, cyclically.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Dark => Self::Light,
            Self::Light => Self::Stage,
            Self::Stage => Self::Dark,
        }
    }
}

impl Tone {
    /// The rank of a tone: of two tones in one character, the higher rank is shown.
    pub const fn rank(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Faint => 1,
            Self::Ahead(_) => 2,
            Self::Half(_) | Self::Grown(..) | Self::Full(Role::Wait) => 3,
            Self::Full(Role::A | Role::B | Role::C | Role::Memory | Role::Shared) => 4,
            Self::Full(Role::Bad) => 5,
            Self::Full(Role::Here) => 6,
        }
    }
}

impl Look {
    /// Picks the variant for this look's glyph set.
    pub const fn pick<'a>(self, basic: &'a str, ascii: &'a str) -> &'a str {
        match self.glyphs {
            Glyphs::Basic => basic,
            Glyphs::Ascii => ascii,
        }
    }

    /// Whether pictures are made of coloured half blocks, instead of one character per state.
    pub fn has_pixels(self) -> bool {
        self.glyphs == Glyphs::Basic && self.depth != Depth::Mono
    }

    /// The character that represents a tone without colour.
    pub const fn mark(self, tone: Tone) -> &'static str {
        match tone {
            Tone::None => " ",
            Tone::Faint => self.pick("·", "."),
            Tone::Ahead(_) => self.pick("░", ","),
            Tone::Half(_) => self.pick("▒", ":"),
            Tone::Grown(_, part) => {
                // Five steps, as many as shades that can be told apart without colours.
                let step = part as usize * 5 / 256;
                self.pick(["░", "░", "▒", "▓", "▓"][step], [",", ".", ":", "+", "#"][step])
            }
            Tone::Full(Role::A) => "a",
            Tone::Full(Role::B) => "b",
            Tone::Full(Role::C) => "c",
            Tone::Full(Role::Memory) => "m",
            Tone::Full(Role::Shared) => "s",
            Tone::Full(Role::Bad) => "!",
            Tone::Full(Role::Here) => self.pick("█", "@"),
            Tone::Full(Role::Wait) => "~",
        }
    }

    /// The style of a tone's character.
    pub fn mark_style(self, tone: Tone) -> Style {
        match (tone, self.depth) {
            (Tone::None | Tone::Faint, _) => self.dim(),
            (Tone::Ahead(role) | Tone::Half(role) | Tone::Grown(role, _), _) => self.ink(role),
            (Tone::Full(Role::Here), Depth::Mono) => Style::new().add_modifier(Modifier::BOLD),
            (Tone::Full(role), Depth::Ansi | Depth::Indexed | Depth::True) => self.fill(role),
            (Tone::Full(_), Depth::Mono) => Style::new(),
        }
    }

    /// The colour of a tone as a pixel.
    pub fn tone(self, tone: Tone) -> Color {
        match tone {
            Tone::None => Color::Reset,
            Tone::Faint => self.faint(),
            Tone::Ahead(role) => self.pale(role),
            Tone::Half(role) => self.half(role),
            Tone::Grown(role, _) => match self.depth {
                Depth::Mono | Depth::Ansi => self.half(role),
                Depth::Indexed | Depth::True => self.rgb(self.hex(tone)),
            },
            Tone::Full(role) => self.pixel(role),
        }
    }

    /// Black text on the role's fill.
    pub fn fill(self, role: Role) -> Style {
        match self.depth {
            Depth::Mono => Style::new().add_modifier(Modifier::REVERSED),
            Depth::Ansi => Style::new().fg(Color::Black).bg(ROWS[role as usize].ansi),
            Depth::Indexed | Depth::True => {
                Style::new().fg(self.rgb(0x00_00_00)).bg(self.pixel(role))
            }
        }
    }

    /// The colour of a role's fill, for half blocks; `Reset` without colours.
    pub fn pixel(self, role: Role) -> Color {
        let row = &ROWS[role as usize];
        match self.depth {
            Depth::Mono => Color::Reset,
            Depth::Ansi => row.ansi,
            Depth::Indexed => Color::Indexed(row.indexed),
            Depth::True => self.rgb(row.fill),
        }
    }

    /// Text or lines in a role's colour on the theme's background.
    pub fn ink(self, role: Role) -> Style {
        let row = &ROWS[role as usize];
        match self.depth {
            // Magenta is too dark for text in half of the common palettes; its glyphs distinguish
            // it.
            Depth::Ansi if self.theme == Theme::Dark && role != Role::Shared => {
                Style::new().fg(row.ansi)
            }
            Depth::Mono | Depth::Ansi => Style::new(),
            Depth::Indexed | Depth::True => Style::new().fg(self.rgb(row.ink[self.theme as usize])),
        }
    }

    /// Bold text in a role's colour: a verdict, a label that must be visible from afar.
    pub fn strong(self, role: Role) -> Style {
        self.ink(role).add_modifier(Modifier::BOLD)
    }

    /// Text that stands out: a heading, a name, a figure.
    pub fn bold(self) -> Style {
        self.text().add_modifier(Modifier::BOLD)
    }

    /// What is chosen: no hue, since each hue has a meaning of its own. A marker beside it says the same.
    pub fn chosen(self) -> Style {
        self.bold()
    }

    /// A key.
    pub fn key_cap(self) -> Style {
        self.bold().add_modifier(Modifier::REVERSED)
    }

    /// Text on a role's fill blended halfway with the background.
    pub fn past(self, role: Role) -> Style {
        match self.depth {
            Depth::Mono | Depth::Ansi => Style::new(),
            Depth::Indexed | Depth::True => self.text().bg(self.half(role)),
        }
    }

    pub fn over(self, tone: Tone) -> Style {
        match tone {
            Tone::None => self.text(),
            Tone::Full(role) => self.fill(role),
            Tone::Half(role) => self.past(role),
            Tone::Grown(role, _) if self.depth <= Depth::Ansi => self.past(role),
            Tone::Grown(..) => self.on(self.tone(tone)).bg(self.tone(tone)),
            Tone::Faint | Tone::Ahead(_) => self.text().bg(self.tone(tone)),
        }
    }

    /// Ordinary text.
    pub fn text(self) -> Style {
        self.plain(TEXT)
    }

    /// Text that matters less, with a contrast of at least 4.5:1 against the background.
    pub fn dim(self) -> Style {
        self.plain(DIM)
    }

    /// Borders and rules.
    pub fn border(self) -> Style {
        self.plain(BORDER)
    }

    /// The background of the whole screen. The dark theme keeps the terminal's own. The light
    /// themes paint theirs: dark text would vanish on a dark terminal. With 16 colours, text has
    /// the terminal's own colour, so that only the stage theme paints a background.
    pub fn ground(self) -> Style {
        match (self.theme, self.depth) {
            (_, Depth::Mono) | (Theme::Dark, _) | (Theme::Light, Depth::Ansi) => self.text(),
            (Theme::Stage, Depth::Ansi) => Style::new().fg(Color::Black).bg(Color::Gray),
            (Theme::Light | Theme::Stage, _) => self.text().bg(self.rgb(0xff_ff_ff)),
        }
    }

    /// The bar at the top and the current line of a listing: text on a muted background.
    pub fn bar(self) -> Style {
        match self.depth {
            Depth::Mono | Depth::Ansi => Style::new().add_modifier(Modifier::REVERSED),
            Depth::Indexed | Depth::True => {
                self.text().bg(self.rgb(BAR[self.theme as usize])).add_modifier(Modifier::BOLD)
            }
        }
    }

    /// The colour of empty cells (a chequerboard, a word never written), close to the background.
    pub fn faint(self) -> Color {
        match self.depth {
            Depth::Mono => Color::Reset,
            Depth::Ansi => Color::DarkGray,
            Depth::Indexed | Depth::True => self.rgb(self.hex(Tone::Faint)),
        }
    }

    /// A role's fill blended with three times as much of the background: things to come.
    pub fn pale(self, role: Role) -> Color {
        match self.depth {
            Depth::Mono => Color::Reset,
            Depth::Ansi => Color::DarkGray,
            Depth::Indexed | Depth::True => self.rgb(self.hex(Tone::Ahead(role))),
        }
    }

    /// A role's fill blended halfway with the background: bands, things past.
    pub fn half(self, role: Role) -> Color {
        match self.depth {
            Depth::Mono => Color::Reset,
            Depth::Ansi => Color::DarkGray,
            Depth::Indexed | Depth::True => self.rgb(self.hex(Tone::Half(role))),
        }
    }

    /// A role's fill with so many percent of its strength, over the background.
    pub fn share(self, role: Role, percent: u8) -> Color {
        match self.depth {
            Depth::Mono => Color::Reset,
            Depth::Ansi => ROWS[role as usize].ansi,
            Depth::Indexed | Depth::True => {
                let part = u32::from(percent.min(100)) * 255 / 100;
                self.rgb(blend(self.hex(Tone::None), ROWS[role as usize].fill, part as u8))
            }
        }
    }

    /// A plate on which nothing lies.
    pub fn plate(self) -> Color {
        match self.depth {
            Depth::Mono | Depth::Ansi => Color::Reset,
            Depth::Indexed | Depth::True => {
                self.rgb(blend(self.hex(Tone::None), TEXT[self.theme as usize], 15))
            }
        }
    }

    /// The colour of text as a fill.
    pub fn bright(self) -> Color {
        match self.depth {
            Depth::Mono => Color::Reset,
            Depth::Ansi => Color::White,
            Depth::Indexed | Depth::True => self.rgb(TEXT[self.theme as usize]),
        }
    }

    /// Text on a fill, black or white, whichever reads better.
    pub fn on(self, ground: Color) -> Style {
        match rgb_of(ground) {
            Some(hex) if is_bright(hex) => Style::new().fg(self.rgb(0x00_00_00)),
            Some(_) => Style::new().fg(self.rgb(0xff_ff_ff)),
            None if ground == Color::Reset => self.text(),
            None => Style::new().fg(Color::Black),
        }
    }

    /// The 24-bit colour of a tone.
    fn hex(self, tone: Tone) -> u32 {
        let ground = if self.theme == Theme::Dark { 0x1e_1e_1e } else { 0xff_ff_ff };
        let fill = |role: Role| ROWS[role as usize].fill;
        match tone {
            Tone::None => ground,
            Tone::Faint => FAINT[self.theme as usize],
            Tone::Ahead(role) => mix(mix(fill(role), ground), ground),
            Tone::Half(role) => mix(fill(role), ground),
            Tone::Grown(role, part) => blend(ground, fill(role), part),
            Tone::Full(role) => fill(role),
        }
    }

    /// A colour of a picture that is marked as the selected warp's: halfway to the colour of text.
    pub fn marked(self, colour: Color) -> Color {
        let text = TEXT[self.theme as usize];
        rgb_of(colour).map_or(colour, |hex| self.rgb(mix(hex, text)))
    }

    /// The colour of text on [`Self::chosen`].
    pub const fn on_marked(self) -> Color {
        match self.theme {
            Theme::Dark => Color::Indexed(16),
            Theme::Light | Theme::Stage => Color::Indexed(231),
        }
    }

    fn plain(self, colours: [u32; 3]) -> Style {
        match self.depth {
            Depth::Mono | Depth::Ansi => Style::new(),
            Depth::Indexed | Depth::True => Style::new().fg(self.rgb(colours[self.theme as usize])),
        }
    }

    /// The nearest colour that the terminal can show. Black and white come from xterm's palette
    /// even with 24-bit colour: they are identical there and take half the bytes, and a painted
    /// background is in every cell.
    fn rgb(self, hex: u32) -> Color {
        let [_, r, g, b] = hex.to_be_bytes();
        if self.depth == Depth::True && !matches!(hex, 0x00_00_00 | 0xff_ff_ff) {
            return Color::Rgb(r, g, b);
        }
        Color::Indexed(cube(r, g, b))
    }
}

/// Returns the role of a matrix.
pub const fn role(operand: Operand) -> Role {
    match operand {
        Operand::A => Role::A,
        Operand::B => Role::B,
        Operand::C => Role::C,
    }
}

#[cfg(test)]
mod tests;
