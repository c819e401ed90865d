//! Frames that follow each other as an asciicast (version 2): what a terminal is sent, and when.

use super::svg::{Ground, indexed};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::crossterm::style::force_color_output;
use ratatui::layout::Rect;
use serde_json::json;
use std::fmt::Write;
use std::io;
use std::time::Duration;

/// Frames, added one after the other, as what a terminal is sent.
#[derive(Debug)]
pub struct Cast {
    lines: String,
    shown: Buffer,
    marked: String,
}

/// Without a cursor, which would jump about, on an empty screen.
const BEGINS: &str = "\x1b[?25l\x1b[2J";

impl Cast {
    /// Begins an empty recording of a terminal of this size.
    pub fn new((width, height): (u16, u16), ground: Ground, title: &str) -> Self {
        let empty = Buffer::empty(Rect::new(0, 0, width, height));
        // crossterm leaves colours out if NO_COLOR is set, which is about this terminal.
        force_color_output(true);
        let palette: Vec<_> = (0..16).map(|index| hex(indexed(index))).collect();
        let header = json!({
            "version": 2, "width": width, "height": height, "title": title,
            "env": { "TERM": "xterm-256color" },
            "theme": {
                "fg": hex(ground.text), "bg": hex(ground.ground), "palette": palette.join(":"),
            },
        });
        let mut cast = Self { lines: format!("{header}\n"), shown: empty, marked: String::new() };
        cast.event(Duration::ZERO, "o", BEGINS);
        cast
    }

    /// Adds a frame, which is shown from a moment on, and a mark where what is said changes.
    ///
    /// # Errors
    /// None that a text in memory could have.
    pub fn show(&mut self, since: Duration, frame: &Buffer, said: &str) -> io::Result<()> {
        if self.marked != said {
            self.event(since, "m", said);
            said.clone_into(&mut self.marked);
        }
        let changed = self.shown.diff(frame);
        if changed.is_empty() {
            return Ok(());
        }
        let mut sent = Vec::new();
        let mut terminal = CrosstermBackend::new(&mut sent);
        terminal.draw(changed.into_iter())?;
        Backend::flush(&mut terminal)?;
        self.shown = frame.clone();
        self.event(since, "o", &String::from_utf8_lossy(&sent));
        Ok(())
    }

    /// The recording, which lasts until `length`.
    pub fn text(mut self, length: Duration) -> String {
        self.event(length, "o", "");
        self.lines
    }

    fn event(&mut self, at: Duration, kind: &str, data: &str) {
        let _ = writeln!(self.lines, "{}", json!([at.as_secs_f64(), kind, data]));
    }
}

fn hex(colour: u32) -> String {
    format!("#{colour:06x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    #[test]
    fn only_what_changes_is_sent_and_new_sentences_are_marked() {
        let frame = |text: &str| {
            let mut buf = Buffer::empty(Rect::new(0, 0, 4, 1));
            buf.set_string(0, 0, text, Style::new());
            buf
        };
        let ground = Ground { text: 0xe6_e6_e6, ground: 0x1e_1e_1e };
        let mut cast = Cast::new((4, 1), ground, "a run");
        for (second, (text, said)) in
            [("ab", "One."), ("ac", "One."), ("ac", "Two.")].iter().enumerate()
        {
            cast.show(Duration::from_secs(second as u64), &frame(text), said).expect("in memory");
        }
        let text = cast.text(Duration::from_secs(4));
        let (_, events) = text.split_once('\n').expect("a header");
        insta::assert_snapshot!(events, @r#"
        [0.0,"o","\u001b[?25l\u001b[2J"]
        [0.0,"m","One."]
        [0.0,"o","\u001b[1;1Hab\u001b[39m\u001b[49m\u001b[59m\u001b[0m"]
        [1.0,"o","\u001b[1;2Hc\u001b[39m\u001b[49m\u001b[59m\u001b[0m"]
        [2.0,"m","Two."]
        [4.0,"o",""]
        "#);
    }
}
