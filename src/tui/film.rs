//! The run as it plays, without a terminal: what the screen shows, by the clock of the event loop.

use super::action::Action;
use super::app::{App, StartOptions};
use super::headless::{settle, still};
use super::keymap::Key;
use super::{frame, update};
use ptx::ParseError;
use ratatui::buffer::Buffer;
use std::ops::Range;
use std::time::Duration;

/// A run that plays.
#[derive(Debug)]
pub struct Film {
    app: App,
    /// The last step that is shown.
    to: usize,
    now: Duration,
}

/// The time between two frames of a picture that is stored.
const GAP: Duration = Duration::from_millis(60);

/// A frame of a [`Film`].
#[derive(Debug)]
pub struct FilmFrame {
    /// When it appears, counted from the first.
    pub since: Duration,
    pub picture: Buffer,
    /// What the screen says with it.
    pub said: String,
}

impl Film {
    /// The run of `steps` on a screen of this size, after `keys`; and the step at which it begins: there
    /// may be fewer.
    ///
    /// # Errors
    /// The kernel's PTX cannot be run.
    pub fn new(
        options: StartOptions,
        size: (u16, u16),
        steps: Range<usize>,
        keys: &[Key],
    ) -> Result<(Self, usize), ParseError> {
        let (mut app, reached) = still(options, size, steps.start, keys)?;
        let tasks = update::update(&mut app, Action::PlayPause);
        settle(&mut app, tasks);
        Ok((Self { app, to: steps.end, now: Duration::ZERO }, reached))
    }

    /// How long it plays, once its last frame has been shown.
    pub fn length(&self) -> Duration {
        self.now
    }

    /// The next frame of those that stay for a while or come a while after `last`: half as many as on the
    /// screen, which browsers show with half the work.
    pub fn next_sparse(&mut self, last: Duration) -> Option<FilmFrame> {
        loop {
            let frame = self.next()?;
            let gaps =
                [frame.since.saturating_sub(last), self.length().saturating_sub(frame.since)];
            if gaps.into_iter().any(|gap| gap >= GAP) {
                return Some(frame);
            }
        }
    }
}

impl Iterator for Film {
    type Item = FilmFrame;

    /// The next frame; none after the last step, and none of what the screen shows at the end.
    fn next(&mut self) -> Option<FilmFrame> {
        if self.app.at() > self.to || self.app.shows_finale() {
            return None;
        }
        let stays = self.app.next_frame()?;
        let size = self.app.size();
        let picture = frame(&self.app, size.width, size.height);
        let shown = FilmFrame { since: self.now, picture, said: self.app.sentence().to_owned() };
        self.now += stays;
        if let Some(tasks) = self.app.tick(stays) {
            settle(&mut self.app, tasks);
        }
        Some(shown)
    }
}
