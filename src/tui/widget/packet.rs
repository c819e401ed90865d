//! Data on its way from one place of the screen to another: a strip that moves in a straight line.

use super::pen::Pen;
use crate::tui::layout::text::width;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The strip at one moment of its way.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// The cells where it starts, on the screen.
    pub from: Rect,
    /// The cells where it arrives.
    pub to: Rect,
    /// The part of the way that is done, from 0 to 1.
    pub part: f32,
    /// What it carries: "32 words".
    pub label: &'a str,
    /// The colour of the data.
    pub role: Role,
    pub look: Look,
}

impl Packet<'_> {
    /// The column and row of its middle: slow at both ends of the way.
    fn at(&self) -> (u16, u16) {
        let eased = self.part * self.part * (3.0 - 2.0 * self.part);
        let between = |from: u16, to: u16| {
            (f32::from(from) + (f32::from(to) - f32::from(from)) * eased).round() as u16
        };
        let (from, to) = (middle(self.from), middle(self.to));
        (between(from.0, to.0), between(from.1, to.1))
    }

    /// What it carries, with an arrow on the side to which it moves; a row is two columns high.
    fn text(&self) -> String {
        let (from, to) = (middle(self.from), middle(self.to));
        let (label, look) = (self.label, self.look);
        let sideways = from.0.abs_diff(to.0) > 2 * from.1.abs_diff(to.1);
        match (sideways, to.0 < from.0, to.1 < from.1) {
            (true, true, _) => format!("{} {label} ", look.pick("◄", "<")),
            (true, false, _) => format!(" {label} {}", look.pick("►", ">")),
            (false, _, true) => format!(" {label} {}", look.pick("▲", "^")),
            (false, _, false) => format!(" {label} {}", look.pick("▼", "v")),
        }
    }
}

/// The cell in the middle of some.
const fn middle(area: Rect) -> (u16, u16) {
    (area.x + area.width / 2, area.y + area.height / 2)
}

impl Widget for Packet<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let text = self.text();
        let (x, y) = self.at();
        let left =
            x.saturating_sub(width(&text) / 2).clamp(area.x, area.right().max(area.x + 1) - 1);
        let left = left.min(area.right().saturating_sub(width(&text))).max(area.x);
        let mut pen = Pen::new(area, buf, self.look);
        pen.text(left - area.x, y.saturating_sub(area.y), &text, self.look.fill(self.role));
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, RICH};
    use super::*;

    fn packet(part: f32, look: Look) -> Packet<'static> {
        let (from, to) = (Rect::new(2, 1, 4, 2), Rect::new(36, 3, 8, 2));
        Packet { from, to, part, label: "32 words", role: Role::A, look }
    }

    #[test]
    fn it_leaves_one_place_and_arrives_at_the_other() {
        let arrow = |part| {
            let text = picture::text(packet(part, RICH), 46, 6);
            let mut rows = (0..).zip(text.lines());
            let found = |(y, row): (u16, &str)| row.chars().position(|c| c == '►').map(|x| (x, y));
            rows.find_map(found)
        };
        let places = [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| arrow(part).expect("it is in view"));
        assert_eq!(places, [(10, 2), (15, 2), (27, 3), (39, 4), (45, 4)]);
    }

    #[test]
    fn its_arrow_points_where_it_goes() {
        let text = |(x, y): (u16, u16)| {
            let to = Rect { x, y, ..packet(0.0, RICH).from };
            picture::text(Packet { to, ..packet(0.0, RICH) }, 46, 20).trim().to_owned()
        };
        assert_eq!(text((36, 3)), "32 words ►");
        assert_eq!(text((3, 12)), "32 words ▼");
        let up = Packet { from: packet(0.0, RICH).to, ..packet(0.0, RICH) };
        let up = Packet { from: Rect { y: 18, ..up.from }, to: Rect { x: 30, ..up.to }, ..up };
        assert!(picture::text(up, 60, 20).contains("32 words ▲"));
    }

    #[test]
    fn every_size_survives() {
        picture::survives(|look| packet(0.3, look));
        let back = |look| Packet {
            from: packet(0.3, look).to,
            to: packet(0.3, look).from,
            ..packet(0.3, look)
        };
        picture::survives(back);
    }
}
