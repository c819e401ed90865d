//! What a warp's access to memory costs, as bricks: [`Towers`] on the banks of shared memory, and
//! [`BucketPanel`] that are the sectors of global memory.

mod buckets;
mod towers;

pub use buckets::{BucketPanel, sector_at};
pub use towers::{Towers, bank_at};

use super::canvas::{block, over};
use super::pen::Pen;
use crate::report::bricks::CostMark;
use crate::sim::{Access, Direction};
use crate::tui::layout::text::{fitting, width};
use crate::tui::theme::{Depth, Look, Role, Tone};
use ratatui::style::{Modifier, Style};

/// How far the access has been told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum BrickMotion {
    /// All of it is shown at once.
    #[default]
    Rest,
    /// The bricks have fallen this part of their way, from 0 to 1.
    Falling(f32),
    /// The banks take away the bricks of this pass, counted from 0.
    Pass(usize),
}

/// What a brick is worth a colour for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BrickState {
    /// The hue of its matrix.
    Plain,
    /// It costs a pass more.
    Costs,
    /// It is taken away now.
    Now,
    Pointed,
    /// No lane asks for its place.
    Empty,
}

#[derive(Clone, Copy, Debug)]
struct BrickPaint {
    look: Look,
    hue: Role,
    /// Whether the access belongs to an earlier event.
    stale: bool,
    /// What an empty place is.
    empty: Tone,
}

impl BrickPaint {
    fn tone(self, state: BrickState) -> Tone {
        let full = if self.stale { Tone::Half } else { Tone::Full };
        match state {
            BrickState::Plain | BrickState::Pointed => full(self.hue),
            BrickState::Costs => full(Role::Bad),
            BrickState::Now => Tone::Full(Role::Here),
            BrickState::Empty => self.empty,
        }
    }

    /// Lays a brick of `wide` columns and `thick` rows, and writes its number in its first row.
    fn lay(
        self,
        pen: &mut Pen<'_>,
        (x, y): (u16, u16),
        (wide, thick): (u16, u16),
        (state, number): (BrickState, &str),
    ) {
        let tone = self.tone(state);
        for (x, y) in (y..y + thick).flat_map(|y| (x..x + wide).map(move |x| (x, y))) {
            block(pen, x, y, tone);
        }
        if number.is_empty() {
            return self.point(pen, (x, y), (wide, thick), state);
        }
        // A long name stands in the middle, a number at the end.
        let end = x + if wide > 6 { u16::midpoint(wide, width(number)) } else { wide };
        let style = if self.look.depth == Depth::Mono && state != BrickState::Empty {
            self.look.fill(self.hue)
        } else {
            over(self.look, tone)
        };
        if !self.look.has_pixels() {
            pen.repeat(x, y, wide, " ", style);
        }
        pen.right(end, y, number, style);
        self.point(pen, (x, y), (wide, thick), state);
    }

    /// Draws the lower row of a brick, which leaves a joint above the next one.
    fn joint(self, pen: &mut Pen<'_>, (x, y): (u16, u16), wide: u16, state: BrickState) {
        if self.look.has_pixels() && state != BrickState::Pointed {
            let style = Style::new().fg(self.look.tone(self.tone(state)));
            pen.repeat(x, y, wide, "▀", Style::reset().patch(self.look.ground()).patch(style));
        }
    }

    /// Reverses a brick that is pointed at.
    fn point(
        self,
        pen: &mut Pen<'_>,
        (x, y): (u16, u16),
        (wide, thick): (u16, u16),
        state: BrickState,
    ) {
        if state == BrickState::Pointed {
            for y in y..y + thick {
                pen.wash(x, y, wide, pointed(self.look));
            }
        }
    }
}

/// What is pointed at: in ink, so that it is not taken for what happens now.
fn pointed(look: Look) -> Style {
    let ground = match look.depth {
        Depth::Mono | Depth::Ansi => Style::reset(),
        Depth::Indexed | Depth::True => Style::new().bg(ratatui::style::Color::Reset),
    };
    ground.patch(look.text()).add_modifier(Modifier::REVERSED | Modifier::BOLD)
}

/// What an access does, for the title of a frame: the longer wording first.
const fn title_words(access: Option<&Access>) -> [&'static str; 2] {
    match access {
        None => ["memory", "memory"],
        Some(access) => match access.direction {
            Direction::Load => ["loads", "load"],
            Direction::Store => ["stores", "store"],
            Direction::Atomic => ["atomics", "atomic"],
        },
    }
}

/// The notes of a frame, the longest first: the warp, and where the figures come from, or which line
/// made the access if that is not the present event.
fn notes(
    warp: u16,
    before: Option<u32>,
    [long, short, last]: [&str; 3],
    stale: &str,
) -> [String; 3] {
    let Some(line) = before else {
        return [format!("w{warp}, {long}"), format!("w{warp}, {short}"), last.to_owned()];
    };
    let when = if line > 0 { format!("line {line}, before") } else { "before".to_owned() };
    [format!("w{warp}, {when}, {stale}"), format!("{when}, {last}"), when]
}

/// Says that a warp has accessed nothing.
fn none_yet(pen: &mut Pen<'_>, warp: u16) {
    let style = pen.look.dim();
    pen.text(0, 0, &format!("w{warp}: no access yet"), style);
}

struct BrickWords<'a> {
    mark: CostMark,
    /// The longest wording first.
    verdict: Vec<String>,
    /// What stands in bold below it, each with its longest wording first.
    asides: Vec<&'a Vec<String>>,
    /// What follows where there is room, the most important first.
    hints: Vec<String>,
    stale: bool,
}

impl BrickWords<'_> {
    /// Writes the verdict in row `y`, and below it what has room.
    fn write(&self, pen: &mut Pen<'_>, y: u16) {
        let (room, look) = (pen.width(), pen.look);
        let fits = |text: &&String| width(text) + 3 <= room;
        let text = self.verdict.iter().find(fits).or(self.verdict.last());
        let text = text.map_or("", String::as_str);
        if self.stale {
            let (mark, _) = sign(look, self.mark);
            let x = pen.text(0, y, mark, look.dim());
            pen.text(x + 1, y, text, look.dim());
        } else {
            verdict(pen, y, self.mark, text);
        }
        let bold = look.bold();
        let asides = self.asides.iter().map(|wordings| (fitting(wordings, room), bold));
        let hints = self.hints.iter().map(|hint| (hint.as_str(), look.dim()));
        let all = asides.chain(hints);
        let all = all.filter(|(text, _)| !text.is_empty() && width(text) <= room);
        for (row, (text, style)) in (y + 1..pen.height()).zip(all) {
            pen.text(0, row, text, style);
        }
    }
}

/// The glyph of a mark, and its colour if it has one.
const fn sign(look: Look, mark: CostMark) -> (&'static str, Option<Role>) {
    match mark {
        CostMark::Good => (look.pick("●", "ok"), Some(Role::C)),
        CostMark::Plain => (look.pick("○", "--"), None),
        CostMark::Bad => (look.pick("▲", "!!"), Some(Role::Bad)),
    }
}

/// Writes a verdict, preceded by a mark that says without colour what it means.
pub(super) fn verdict(pen: &mut Pen<'_>, y: u16, mark: CostMark, text: &str) {
    let (glyph, role) = sign(pen.look, mark);
    let bold = pen.look.bold();
    let style = role.map_or(bold, |role| pen.look.strong(role));
    let x = pen.text(0, y, glyph, style);
    pen.text(x + 1, y, text, style);
}

/// Returns the part of its way that something has fallen, `place` of `count` from below: the lowest
/// arrive first, and all fall faster and faster.
fn fallen(part: f32, place: usize, count: usize) -> f32 {
    let late = place as f32 / count.max(1) as f32;
    (2.0 * part - late).clamp(0.0, 1.0).powi(2)
}

/// Returns the place on the way from one column or row to another.
fn between(from: u16, to: u16, part: f32) -> u16 {
    (f32::from(from) + (f32::from(to) - f32::from(from)) * part).round() as u16
}
