//! The loop of a host that has neither a terminal nor threads, as a page in a browser: it is called
//! for each key, for time that has passed, and for a slice of work.

use super::action::Action;
use super::app::{App, StartOptions};
use super::edit::job::{EditEvent, Opened};
use super::input::Mouse;
use super::keymap::Key;
use super::mode::Mode;
use super::task::{Event, Listener, Recording, Task, Work, WorkKind};
use super::{frame, input, update};
use crate::file::watch::FileEvent;
use crate::lesson::edit::version::EditRequest;
use ptx::ParseError;
use ratatui::buffer::{Buffer, Cell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// The screen, its work that waits, and what was drawn last.
#[derive(Debug)]
pub struct HostedLoop {
    app: App,
    queue: WorkQueue,
    told: (Sender<Event>, Receiver<Event>),
    drawn: Buffer,
    is_changed: bool,
    asked: Vec<HostRequest>,
}

/// What only the host can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostRequest {
    /// Hand the screen to the user as a picture.
    SavePicture,
    /// Draw every cell again.
    Redraw,
}

/// Work that waits: the more urgent kind first, then in the order in which it came.
#[derive(Debug, Default)]
struct WorkQueue {
    waiting: BTreeMap<(WorkKind, u64), QueuedWork>,
    number: u64,
}

/// What a text without a file is called.
const PASTED: &str = "pasted.cu";

enum QueuedWork {
    /// Done in one piece.
    Whole(Work),
    /// Recorded chunk by chunk.
    Recording(Box<Recording>),
}

impl HostedLoop {
    /// The screen of `size` cells, with its first work queued.
    ///
    /// # Errors
    /// The kernel's PTX cannot be run.
    pub fn new(options: StartOptions, size: (u16, u16)) -> Result<Self, ParseError> {
        let (app, tasks) = App::new(options, size)?;
        let mut this = Self {
            app,
            queue: WorkQueue::default(),
            told: channel(),
            drawn: Buffer::default(),
            is_changed: true,
            asked: Vec::new(),
        };
        this.start(tasks);
        Ok(this)
    }

    pub const fn app(&self) -> &App {
        &self.app
    }

    /// Takes a key; returns whether it means anything here, so that the host keeps it for itself
    /// otherwise.
    pub fn key(&mut self, key: Key) -> bool {
        let action = input::key(&self.app, key);
        action.is_some_and(|action| {
            self.act(action);
            true
        })
    }

    pub fn mouse(&mut self, mouse: Mouse) {
        for action in input::mouse(&self.app, mouse) {
            self.act(action);
        }
    }

    /// Does what a link or a button asks for.
    pub fn act(&mut self, action: Action) {
        let tasks = update::update(&mut self.app, action);
        self.is_changed = true;
        self.start(tasks);
    }

    /// Shows a kernel that is edited outside, or its next text; `now` is the time of day.
    pub fn edit(&mut self, text: String, now: String) {
        let path = PathBuf::from(PASTED);
        let tasks = if matches!(self.app.mode, Mode::Edit(..)) {
            let saved = EditEvent::File(path, FileEvent::Saved(text), now);
            self.app.hear(Event::Edit(saved))
        } else {
            let request = EditRequest { file: PASTED.to_owned(), ..EditRequest::default() };
            self.app.edit(Opened { path, request, text, read: now, watch: None })
        };
        self.is_changed = true;
        self.start(tasks);
    }

    pub fn resize(&mut self, width: u16, height: u16) {
        let tasks = self.app.resize(width, height);
        self.is_changed = true;
        self.start(tasks);
    }

    /// The time until there is something new to show, or `None` while nothing moves.
    pub fn next_tick(&self) -> Option<Duration> {
        self.app.next_frame()
    }

    /// Lets time pass.
    pub fn tick(&mut self, passed: Duration) {
        if let Some(tasks) = self.app.tick(passed) {
            self.is_changed = true;
            self.start(tasks);
        }
    }

    /// Does a slice of the most urgent work; returns whether more of it waits.
    pub fn work(&mut self) -> bool {
        let Some((kind, work)) = self.queue.next() else { return false };
        let sender = self.told.0.clone();
        // The receiver lives as long as this loop.
        let tell: Listener = Box::new(move |event| _ = sender.send(event));
        match work {
            QueuedWork::Whole(work) => work(tell),
            QueuedWork::Recording(recording) => {
                if let Some(rest) = recording.record_chunk(tell) {
                    self.queue.put(kind, QueuedWork::Recording(Box::new(rest)));
                }
            }
        }
        while let Ok(event) = self.told.1.try_recv() {
            let tasks = self.app.hear(event);
            self.is_changed = true;
            self.start(tasks);
        }
        !self.queue.waiting.is_empty()
    }

    /// The cells that are to be drawn anew, each with its index, row by row; all of them after a change
    /// of the size.
    pub fn changes(&mut self) -> Vec<(usize, Cell)> {
        if !std::mem::take(&mut self.is_changed) {
            return Vec::new();
        }
        let size = self.app.size();
        let shown = frame(&self.app, size.width, size.height);
        let is_new = shown.area != self.drawn.area;
        let cells = shown.content.iter().enumerate();
        let changed = cells.filter(|(index, cell)| is_new || self.drawn.content[*index] != **cell);
        let changed = changed.map(|(index, cell)| (index, cell.clone())).collect();
        self.drawn = shown;
        changed
    }

    /// The frame that was drawn last.
    pub const fn drawn(&self) -> &Buffer {
        &self.drawn
    }

    /// What the host has to do, once.
    pub fn requests(&mut self) -> Vec<HostRequest> {
        std::mem::take(&mut self.asked)
    }

    fn start(&mut self, tasks: Vec<Task>) {
        for task in tasks {
            match task {
                Task::Record(recording) => {
                    self.queue.put(recording.kind(), QueuedWork::Recording(recording));
                }
                Task::SavePicture => self.asked.push(HostRequest::SavePicture),
                Task::Redraw => {
                    self.drawn = Buffer::default();
                    self.asked.push(HostRequest::Redraw);
                }
                // What else is no work has to do with files, a GPU or a terminal: there is none.
                other => {
                    if let Ok((kind, work)) = other.work() {
                        self.queue.put(kind, QueuedWork::Whole(work));
                    }
                }
            }
        }
    }
}

impl WorkQueue {
    fn put(&mut self, kind: WorkKind, work: QueuedWork) {
        self.waiting.insert((kind, self.number), work);
        self.number += 1;
    }

    fn next(&mut self) -> Option<(WorkKind, QueuedWork)> {
        let ((kind, _), work) = self.waiting.pop_first()?;
        Some((kind, work))
    }
}

impl std::fmt::Debug for QueuedWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Whole(_) => "Whole",
            Self::Recording(_) => "Recording",
        })
    }
}
