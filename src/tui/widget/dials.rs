//! Dials that are turned, and below them what the kernel does that they make.

use super::panel::PanelFrame;
use super::pen::Pen;
use crate::tui::layout::inner;
use crate::tui::layout::text::width;
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Widget;

mod effect;

pub use effect::{DialEffect, EffectCell, EffectTable};

/// The dials in their frame, and in another one what they do.
#[derive(Clone, Copy, Debug)]
pub struct DialsPanel<'a> {
    pub dials: &'a [DialRow<'a>],
    /// The one that the keys turn.
    pub chosen: usize,
    /// How they are turned, in the frame.
    pub note: &'a str,
    /// What the kernel does at each size.
    pub effect: &'a DialEffect,
    /// The keys at the bottom.
    pub keys: &'a [Line<'static>],
    pub look: Look,
}

#[derive(Clone, Copy, Debug)]
pub struct DialRow<'a> {
    /// What is chosen, in words: `beyond the edge`.
    pub title: &'a str,
    pub choices: &'a [String],
    /// The number of the one that it stands at.
    pub at: usize,
}

/// Columns before the dials' titles, and between a title and its choices.
const MARK: u16 = 3;
const GAP: u16 = 2;
/// The most rows of what they do: the keys stay near the text.
const HIGHEST: u16 = 18;
/// Columns that the marks of the choice take, on both sides together.
const MARKS: u16 = 4;

/// Returns the height of a frame with this many dials.
const fn rows(dials: usize) -> u16 {
    dials as u16 + 2
}

/// Returns the dial on a row of the screen.
pub fn dial_at(area: Rect, dials: usize, y: u16) -> Option<usize> {
    let row = y.checked_sub(area.y + 1)?;
    Some(usize::from(row)).filter(|row| *row < dials && y < area.bottom())
}

impl Widget for DialsPanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        let height = rows(self.dials.len()).min(area.height);
        let above = Rect { height, ..area };
        let rest = (area.height - height).min(HIGHEST);
        let below = Rect { y: area.y + height, height: rest, ..area };
        let (title, note, look) = ("Dials", self.note, self.look);
        PanelFrame { number: None, title, note, focused: true, look }.render(above, buf);
        let mut pen = Pen::new(inner(above), buf, look);
        let titles = self.dials.iter().map(|dial| width(dial.title)).max().unwrap_or(0);
        let x = MARK + titles + GAP;
        let widest = self.dials.iter().map(DialRow::width).max().unwrap_or(0);
        for (y, (index, dial)) in (0..).zip(self.dials.iter().enumerate()) {
            let all = x + widest <= pen.width();
            dial.draw(&mut pen, (x, y), (index == self.chosen, all));
        }
        if below.height > 2 {
            let (title, note) = ("What it does", "simulated, with all checks");
            PanelFrame { number: None, title, note, focused: false, look }.render(below, buf);
            self.effect.draw(&mut Pen::new(inner(below), buf, look), self.keys);
        }
    }
}

impl DialRow<'_> {
    /// Columns of its choices.
    fn width(&self) -> u16 {
        self.choices.iter().map(|choice| width(choice) + MARKS).sum()
    }

    /// Draws a row: the title, and all choices or, in little room, the one that it stands at.
    fn draw(&self, pen: &mut Pen<'_>, (mut x, y): (u16, u16), (chosen, all): (bool, bool)) {
        let look = pen.look;
        let style = if chosen { look.bar() } else { look.text() };
        if chosen {
            pen.wash(0, y, pen.width(), style);
            pen.text(1, y, look.pick("►", ">"), style);
        }
        pen.text(MARK, y, self.title, style);
        let [left, right] = [look.pick("◄ ", "< "), look.pick(" ►", " >")];
        for (index, choice) in self.choices.iter().enumerate() {
            let (text, own) = if index == self.at {
                (format!("{left}{choice}{right}"), look.chosen())
            } else {
                (format!("  {choice}  "), look.dim())
            };
            if all || index == self.at {
                x = pen.text(x, y, &text, if chosen { style } else { own });
            }
        }
        if !all {
            let which = format!("{} of {}", self.at + 1, self.choices.len());
            pen.right(pen.width().saturating_sub(1), y, &which, style);
        }
    }
}
