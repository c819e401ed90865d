//! The last row: the keys, the most important first, or a temporary message.

use super::pen::Pen;
use crate::tui::keymap::{Context, DOWN, Keymap, MOST, ON, PART, PLAY, POINT, QUIT, VIEW};
use crate::tui::layout::text::width;
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

#[derive(Clone, Copy, Debug)]
pub struct Footer<'a> {
    /// The key bindings.
    pub keymap: &'a Keymap,
    /// The context in which they apply.
    pub context: Context,
    /// Whether the run has findings: the keys that lead to them come first.
    pub found: bool,
    /// Whether the run plays.
    pub playing: bool,
    /// Whether a level lies below this one: the key that quits goes back to it.
    pub inside: bool,
    /// What the key does that goes on in a lesson.
    pub on: &'a str,
    /// What digits or letters do that are no commands' keys, and before how many of these it stands.
    pub typed: Option<(&'a str, &'a str, usize)>,
    /// The names of the commands that can do nothing now: they are not offered.
    pub idle: &'a [&'a str],
    /// What the keys for whole parts of the run go to: the next barrier or tile.
    pub part: &'a str,
    /// What the key does that goes to the next warp.
    pub down: &'a str,
    /// What the arrows do to an answer that is pointed at.
    pub point: &'a str,
    /// A message that replaces the keys until the next key press.
    pub message: Option<&'a str>,
    pub look: Look,
}

impl<'a> Footer<'a> {
    /// The keys of a screen that lies over the run: nothing plays there, and a key leads back.
    pub const fn over_the_run(
        keymap: &'a Keymap,
        context: Context,
        idle: &'a [&'a str],
        message: Option<&'a str>,
        look: Look,
    ) -> Self {
        let (found, playing, inside) = (false, false, true);
        let (on, part, down, point, typed) = ("", "", "", "", None);
        Self {
            keymap,
            context,
            found,
            playing,
            inside,
            on,
            typed,
            idle,
            part,
            down,
            point,
            message,
            look,
        }
    }

    /// What a key does now, given its label in the table.
    fn label(&self, label: &'a str) -> &'a str {
        match label {
            PLAY if self.playing => "pause",
            QUIT if self.inside => "back",
            VIEW if self.context == Context::Main => "stage",
            PART => self.part,
            DOWN => self.down,
            POINT => self.point,
            ON => self.on,
            _ => label,
        }
    }
}

impl Widget for Footer<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        if let Some(message) = self.message {
            pen.text(1, 0, message, self.look.bold());
            return;
        }
        let key_style = self.look.key_cap();
        let mut x = 1;
        let offered = self.keymap.footer(self.context, self.found);
        let offered = offered.filter(|(_, name, _)| !self.idle.contains(name)).take(MOST);
        let mut offered: Vec<_> =
            offered.map(|(key, _, label)| (key.to_string(), self.label(label))).collect();
        if let Some((keys, label, at)) = self.typed {
            offered.insert(at.min(offered.len()), (keys.to_owned(), label));
        }
        for (key, label) in offered {
            let key = format!(" {key} ");
            if x + width(&key) + 1 + width(label) > pen.width() {
                return;
            }
            x = pen.text(x, 0, &key, key_style);
            x = pen.text(x + 1, 0, label, self.look.dim()) + 2;
        }
    }
}
