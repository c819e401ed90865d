//! The first row: the kernel, the position of the run, the step unit and the speed.

use super::pen::Pen;
use crate::tui::layout::text::width;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;

#[derive(Clone, Copy, Debug)]
pub struct StatusBar<'a> {
    /// The texts, the most important first; those that do not fit are omitted.
    pub items: &'a [String],
    /// The playback speed, "1x"; empty if nothing can be played.
    pub pace: &'a str,
    /// Whether the run plays.
    pub playing: bool,
    pub look: Look,
}

/// The least number of columns with room for the program's name.
const ROOMY: u16 = 100;

impl Widget for StatusBar<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let bar = self.look.bar();
        pen.wash(0, 0, pen.width(), bar);
        let state = if self.playing { self.look.pick("►", ">") } else { "||" };
        let pace = format!(" {state} {} ", self.pace);
        let pace = if self.pace.is_empty() { String::new() } else { pace };
        let end = pen.width().saturating_sub(width(&pace));
        let name = (pen.width() >= ROOMY).then_some("matviz");
        let mut x = 1;
        for item in name.into_iter().chain(self.items.iter().map(String::as_str)) {
            let between = if x == 1 { "" } else { self.look.pick(" │ ", " | ") };
            if x + width(between) + width(item) > end {
                break;
            }
            x = pen.text(x, 0, between, bar);
            x = pen.text(x, 0, item, bar);
        }
        pen.right(pen.width(), 0, &pace, bar);
    }
}

/// The first row of the stage: without a ground, for the picture below is what is to be seen.
#[derive(Clone, Copy, Debug)]
pub struct StageTitle<'a> {
    /// What is shown, and how far it is; the first is what it is called.
    pub items: &'a [String],
    /// What is wrong with it, if anything is.
    pub wrong: &'a str,
    pub pace: &'a str,
    pub playing: bool,
    /// The key that leads away, and where to.
    pub key: &'a str,
    pub look: Look,
}

/// Columns between two items.
const BETWEEN: u16 = 3;

impl Widget for StageTitle<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let (dim, text) = (self.look.dim(), self.look.text());
        let state = if self.playing { self.look.pick("►", ">") } else { "||" };
        let between = if self.key.is_empty() { "" } else { "   " };
        let right = format!("{state} {}{between}{} ", self.pace, self.key);
        let end = pen.width().saturating_sub(width(&right));
        pen.right(pen.width(), 0, &right, dim);
        let strong = text.add_modifier(Modifier::BOLD);
        let styles = std::iter::once(strong).chain(std::iter::repeat(text));
        let items = self.items.iter().map(String::as_str).zip(styles);
        let wrong = (self.wrong, self.look.strong(Role::Bad));
        let mut x = 1;
        for (item, style) in [("matviz", dim)].into_iter().chain(items).chain([wrong]) {
            if !item.is_empty() && x + width(item) + BETWEEN <= end {
                x = pen.text(x, 0, item, style) + BETWEEN;
            }
        }
    }
}
