//! Colours by meaning: one table of roles for every theme, colour depth and glyph set.

use crate::matrix::Operand;
use ratatui::style::{Color, Modifier, Style};
use std::fmt;
use std::str::FromStr;

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

/// A word that does not name a theme.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a theme: give dark, light or stage")]
pub struct UnknownTheme(pub String);

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    row(0xe7_98_20, 172, Color::Yellow, [0xe7_98_20, 0xa8_50_00, 0x8f_43_00]),
    row(0x5c_d2_94, 78, Color::Green, [0x5c_d2_94, 0x00_69_4c, 0x00_5a_40]),
    row(0xeb_a9_fd, 219, Color::Magenta, [0xeb_a9_fd, 0x8a_2f_73, 0x7a_24_66]),
    row(0x95_65_89, 132, Color::LightBlue, [0xcf_7f_b3, 0x5a_3f_a0, 0x4a_2f_8c]),
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

/// What a glow begins with: paler than what is touched now, so that on its way to the blue of A it
/// does not become the green of C.
const GLOW: u32 = mix(ROWS[Role::Here as usize].fill, 0xff_ff_ff);

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

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Theme {
    type Err = UnknownTheme;

    fn from_str(name: &str) -> Result<Self, UnknownTheme> {
        let found = Self::ALL.into_iter().find(|theme| theme.name() == name);
        found.ok_or_else(|| UnknownTheme(name.to_owned()))
    }
}

impl Tone {
    /// The rank of a tone: of two tones in one character, the higher rank is shown.
    pub const fn rank(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Faint => 1,
            Self::Ahead(_) => 2,
            Self::Half(_) | Self::Full(Role::Wait) => 3,
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
            (Tone::Ahead(role) | Tone::Half(role), _) => self.ink(role),
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
            Tone::Full(role) => self.pixel(role),
        }
    }

    /// Whether what was touched last can be seen to fade: that takes colours between the tones, so it
    /// just goes out with 16 colours, without colours and in ASCII.
    pub fn glows(self) -> bool {
        self.has_pixels() && self.depth >= Depth::Indexed
    }

    /// The colour of a tone as a pixel that was touched last: `left` of 255 parts are left of that.
    pub fn glowing(self, tone: Tone, left: u8) -> Color {
        if left == 0 || !self.glows() {
            return self.tone(tone);
        }
        self.rgb(blend(self.hex(tone), GLOW, left))
    }

    /// Text of this style on a tone that was touched last.
    pub fn on_glow(self, style: Style, tone: Tone, left: u8) -> Style {
        if left == 0 || !self.glows() {
            return style;
        }
        let ground = blend(self.hex(tone), GLOW, left);
        let style = style.bg(self.rgb(ground));
        if is_bright(ground) { style.fg(self.rgb(0x00_00_00)) } else { style }
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
            Depth::Ansi if self.theme == Theme::Dark && role != Role::Memory => {
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

    /// What is chosen, or stands out among its like: no hue, since each hue has a meaning of its
    /// own. A marker beside it says the same.
    pub fn chosen(self) -> Style {
        self.text().add_modifier(Modifier::BOLD)
    }

    /// Text on a role's fill blended halfway with the background.
    pub fn past(self, role: Role) -> Style {
        match self.depth {
            Depth::Mono | Depth::Ansi => Style::new(),
            Depth::Indexed | Depth::True => self.text().bg(self.half(role)),
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

    /// The 24-bit colour of a tone.
    fn hex(self, tone: Tone) -> u32 {
        let ground = if self.theme == Theme::Dark { 0x1e_1e_1e } else { 0xff_ff_ff };
        let fill = |role: Role| ROWS[role as usize].fill;
        match tone {
            Tone::None => ground,
            Tone::Faint => FAINT[self.theme as usize],
            Tone::Ahead(role) => mix(mix(fill(role), ground), ground),
            Tone::Half(role) => mix(fill(role), ground),
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

/// Returns the channels of a colour that is not the user's own.
const fn rgb_of(colour: Color) -> Option<u32> {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let channels = match colour {
        Color::Rgb(r, g, b) => [r, g, b],
        Color::Indexed(grey @ 232..) => [8 + 10 * (grey - 232); 3],
        Color::Indexed(index @ 16..) => {
            let index = index as usize - 16;
            [LEVELS[index / 36], LEVELS[index / 6 % 6], LEVELS[index % 6]]
        }
        _ => return None,
    };
    let [r, g, b] = channels;
    Some(u32::from_be_bytes([0, r, g, b]))
}

/// Averages two colours.
const fn mix(a: u32, b: u32) -> u32 {
    (a >> 1 & 0x7f_7f_7f) + (b >> 1 & 0x7f_7f_7f)
}

/// The colour that lies `part` of 255 parts on the way from `a` to `b`.
fn blend(a: u32, b: u32, part: u8) -> u32 {
    let (a, b, part) = (a.to_be_bytes(), b.to_be_bytes(), u32::from(part));
    let channel = |i: usize| (u32::from(a[i]) * (255 - part) + u32::from(b[i]) * part) / 255;
    u32::from_be_bytes(std::array::from_fn(|i| channel(i) as u8))
}

/// Whether black text reads better on a colour than white.
const fn is_bright(hex: u32) -> bool {
    let [_, r, g, b] = hex.to_be_bytes();
    2 * r as u32 + 5 * g as u32 + b as u32 > 8 * 0x68
}

/// Returns the nearest colour of xterm's 6 x 6 x 6 cube and its 24 greys. It runs for every cell of
/// a frame, so it rounds each channel and their sum instead of searching.
fn cube(r: u8, g: u8, b: u8) -> u8 {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let level = |x: u8| match x {
        0..=47 => 0,
        48..=115 => 1,
        116..=155 => 2,
        156..=195 => 3,
        196..=235 => 4,
        236.. => 5,
    };
    let [i, j, k] = [r, g, b].map(level);
    let sum = u32::from(r) + u32::from(g) + u32::from(b);
    let grey = (sum.saturating_sub(10) / 30).min(23) as u8;
    let apart = |x: u8, y: u8| u32::from(x.abs_diff(y)).pow(2);
    let distance = |[x, y, z]: [u8; 3]| apart(r, x) + apart(g, y) + apart(b, z);
    let of_cube = distance([LEVELS[i], LEVELS[j], LEVELS[k]]);
    if of_cube <= distance([8 + 10 * grey; 3]) {
        (16 + 36 * i + 6 * j + k) as u8
    } else {
        232 + grey
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
mod tests {
    use super::*;

    const ROLES: [Role; 8] =
        [Role::A, Role::B, Role::C, Role::Memory, Role::Shared, Role::Bad, Role::Here, Role::Wait];

    fn looks() -> impl Iterator<Item = Look> {
        let depths = [Depth::Mono, Depth::Ansi, Depth::Indexed, Depth::True];
        let glyphs = [Glyphs::Ascii, Glyphs::Basic];
        Theme::ALL.into_iter().flat_map(move |theme| {
            depths.into_iter().flat_map(move |depth| {
                glyphs.into_iter().map(move |glyphs| Look { theme, depth, glyphs })
            })
        })
    }

    /// Relative luminance (WCAG 2.2, "relative luminance").
    fn luminance(colour: Color) -> f64 {
        let channels = match colour {
            Color::Rgb(r, g, b) => [r, g, b],
            Color::Indexed(16) => [0; 3],
            Color::Indexed(231) => [255; 3],
            other => panic!("{other:?} is no true colour"),
        };
        let [r, g, b] = channels.map(|channel| {
            let part = f64::from(channel) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: Color, b: Color) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_reads_on_every_ground_and_fill() {
        for theme in Theme::ALL {
            let look = Look { theme, ..Look::default() };
            let ground = match theme {
                Theme::Dark => Color::Rgb(0x1e, 0x1e, 0x1e),
                Theme::Light | Theme::Stage => Color::Rgb(0xff, 0xff, 0xff),
            };
            let on_ground = [look.text(), look.dim()].into_iter().chain(ROLES.map(|r| look.ink(r)));
            let bar = look.bar().bg.expect("the bar has a ground");
            let on_bar = [look.text(), look.dim()].into_iter().chain(ROLES.map(|r| look.ink(r)));
            for (style, ground) in on_ground.map(|s| (s, ground)).chain(on_bar.map(|s| (s, bar))) {
                let ink = style.fg.expect("text has a colour");
                let ratio = contrast(ink, ground);
                assert!(ratio >= 4.5, "{theme}: {ink:?} on {ground:?} is {ratio:.2}:1");
            }
            for role in ROLES {
                let fill = look.fill(role);
                let ratio = contrast(fill.fg.expect("black"), fill.bg.expect("a fill"));
                assert!(ratio >= 4.5, "{theme}: text on {role:?} is {ratio:.2}:1");
            }
            for role in [Role::A, Role::B] {
                let past = look.past(role);
                let ratio = contrast(past.fg.expect("text"), past.bg.expect("a ground"));
                assert!(ratio >= 4.5, "{theme}: text on an old {role:?} is {ratio:.2}:1");
            }
        }
    }

    #[test]
    fn every_tone_has_a_character_of_its_own() {
        for look in looks() {
            let mut marks = vec![look.mark(Tone::None), look.mark(Tone::Faint)];
            marks.extend([Tone::Ahead(Role::A), Tone::Half(Role::A)].map(|tone| look.mark(tone)));
            marks.extend(ROLES.map(|role| look.mark(Tone::Full(role))));
            marks.sort_unstable();
            marks.dedup();
            assert_eq!(marks.len(), 12, "{look:?}");
            assert!(look.glyphs == Glyphs::Basic || marks.concat().is_ascii(), "{look:?}");
        }
    }

    #[test]
    fn without_colours_there_is_no_colour() {
        for look in looks().filter(|look| look.depth == Depth::Mono) {
            let styles = ROLES.into_iter().flat_map(|role| [look.fill(role), look.ink(role)]);
            for style in styles.chain([look.text(), look.dim(), look.bar(), look.ground()]) {
                assert_eq!((style.fg, style.bg), (None, None), "{look:?}");
            }
        }
    }

    #[test]
    fn fewer_colours_stay_in_their_palette() {
        for look in looks().filter(|look| look.depth == Depth::Indexed) {
            for role in ROLES {
                assert!(matches!(look.pixel(role), Color::Indexed(16..)), "{look:?} {role:?}");
                assert!(matches!(look.half(role), Color::Indexed(16..)), "{look:?} {role:?}");
            }
        }
    }

    #[test]
    fn a_glow_lies_between_two_tones_and_needs_colours_for_that() {
        let tones = [Tone::Faint, Tone::Half(Role::A), Tone::Full(Role::B), Tone::Full(Role::C)];
        let light = |look: Look, tone, left| luminance(look.glowing(tone, left));
        for look in looks().filter(|look| look.glows() && look.depth == Depth::True) {
            for tone in tones {
                let ends = [0, 255].map(|left| light(look, tone, left));
                let between = [40, 80, 120].map(|left| light(look, tone, left));
                let far = between.map(|light| (light - ends[0]).abs());
                assert!(far.is_sorted_by(|less, more| less < more), "{look:?} {tone:?}");
                assert!(far[2] < (ends[1] - ends[0]).abs(), "{look:?} {tone:?}");
            }
        }
        for look in looks().filter(|look| !look.glows()) {
            assert!(tones.iter().all(|tone| look.glowing(*tone, 120) == look.tone(*tone)));
            assert_eq!(look.on_glow(look.text(), Tone::Faint, 120), look.text());
        }
        assert!(!Look { glyphs: Glyphs::Ascii, ..Look::default() }.glows());
    }

    #[test]
    fn text_reads_on_whatever_glows() {
        for look in looks().filter(|look| look.glows() && look.depth == Depth::True) {
            let styles = [
                (look.fill(Role::A), Tone::Full(Role::A)),
                (look.past(Role::A), Tone::Half(Role::A)),
                (look.past(Role::B), Tone::Half(Role::B)),
                (look.text().bg(look.faint()), Tone::Faint),
            ];
            for ((style, tone), left) in
                styles.iter().flat_map(|it| [10, 60, 110, 150].map(|left| (it, left)))
            {
                let style = look.on_glow(*style, *tone, left);
                let ratio = contrast(style.fg.expect("text"), style.bg.expect("a ground"));
                assert!(ratio >= 4.0, "{look:?}: text on {tone:?} with {left} is {ratio:.2}:1");
            }
        }
    }

    #[test]
    fn no_other_of_the_256_colours_is_nearer() {
        let colour = |index: u8| match index {
            232.. => [8 + 10 * (index - 232); 3],
            _ => [36, 6, 1]
                .map(|step| [0, 95, 135, 175, 215, 255][usize::from((index - 16) / step % 6)]),
        };
        let far = |a: [u8; 3], b: [u8; 3]| -> u32 {
            a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
        };
        for hex in (0..1 << 24).step_by(4099) {
            let [_, r, g, b] = u32::to_be_bytes(hex);
            let nearest = (16..=255).map(|index| far([r, g, b], colour(index))).min();
            assert_eq!(Some(far([r, g, b], colour(cube(r, g, b)))), nearest, "{hex:06x}");
        }
    }

    #[test]
    fn a_theme_is_found_by_its_name_and_walked_through() {
        for theme in Theme::ALL {
            assert_eq!(theme.name().parse(), Ok(theme));
            assert_eq!(theme.next().next().next(), theme);
        }
        let error = "solarized".parse::<Theme>().expect_err("no such theme");
        assert_eq!(error.to_string(), "`solarized` is not a theme: give dark, light or stage");
    }
}
