//! Data on its way from one place of the screen to another: a strip that moves in a straight line.

use super::pen::{Pen, width};
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
    /// How it is drawn.
    pub look: Look,
}

impl Packet<'_> {
    /// The column and row of its middle: slow at both ends of the way.
    fn at(&self) -> (u16, u16) {
        let eased = self.part * self.part * (3.0 - 2.0 * self.part);
        let between = |from: u16, to: u16| {
            (f32::from(from) + (f32::from(to) - f32::from(from)) * eased).round() as u16
        };
        let middle = |area: Rect| (area.x + area.width / 2, area.y + area.height / 2);
        let (from, to) = (middle(self.from), middle(self.to));
        (between(from.0, to.0), between(from.1, to.1))
    }
}

impl Widget for Packet<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let leftwards = self.to.x + self.to.width / 2 < self.from.x + self.from.width / 2;
        let text = if leftwards {
            format!("{} {} ", self.look.pick("◄", "<"), self.label)
        } else {
            format!(" {} {}", self.label, self.look.pick("►", ">"))
        };
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
    use insta::assert_snapshot;

    fn packet(part: f32, look: Look) -> Packet<'static> {
        let (from, to) = (Rect::new(2, 1, 4, 2), Rect::new(36, 3, 8, 2));
        Packet { from, to, part, label: "32 words", role: Role::A, look }
    }

    #[test]
    fn it_leaves_one_place_and_arrives_at_the_other() {
        let text = |part| picture::text(packet(part, RICH), 46, 6);
        assert_snapshot!(text(0.0), @"
        32 words ►
        ");
        assert_snapshot!(text(0.5), @"
        32 words ►
        ");
        assert_snapshot!(text(1.0), @"
        32 words ►
        ");
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
