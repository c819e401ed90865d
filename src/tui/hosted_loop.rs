//! The loop of a host that has neither a terminal nor threads, as a page in a browser: it is called
//! for each key, for time that has passed, and for each piece of work.
//!
//! Work is begun and ended by the host, and needs nothing of the loop in between: a host that can
//! suspend it has keys, time and more urgent work done before it goes on.

use super::action::Action;
use super::app::{App, StartOptions};
use super::edit::job::{EditEvent, EditJob, Opened};
use super::input::{Mouse, MouseAct};
use super::keymap::Key;
use super::mode::Mode;
use super::task::{Event, Listener, Recording, Task, Work, WorkKind};
use super::{frame, input, update};
use crate::file::watch::FileEvent;
use crate::lesson::edit::copy::KernelCopy;
use crate::lesson::edit::version::EditRequest;
use ptx::ParseError;
use ratatui::buffer::{Buffer, Cell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// The screen, its work, and what was drawn last.
#[derive(Debug)]
pub struct HostedLoop {
    app: App,
    queue: WorkQueue,
    /// The kinds of the work that was begun and has not ended, each more urgent than the one before.
    begun: Vec<WorkKind>,
    told: (Sender<Event>, Receiver<Event>),
    drawn: Buffer,
    is_changed: bool,
    asked: Vec<HostRequest>,
    /// The kernel that the user wants to edit.
    copy: Option<KernelCopy>,
}

/// What only the host can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostRequest {
    /// Hand the screen to the user as a picture.
    SavePicture,
    /// Hand out the link to what is shown.
    CopyLink,
    /// Keep what the learner has done.
    KeepProgress,
    /// Have the user edit the kernel that is shown.
    EditKernel,
}

/// Work that was begun: it needs nothing of the loop until it ends.
#[derive(Debug)]
pub struct BegunWork {
    kind: WorkKind,
    work: QueuedWork,
    sender: Sender<Event>,
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
        let first = options.begin.first_action();
        let (app, tasks) = App::new(options, size)?;
        let mut this = Self {
            app,
            queue: WorkQueue::default(),
            begun: Vec::new(),
            told: channel(),
            drawn: Buffer::default(),
            is_changed: true,
            asked: Vec::new(),
            copy: None,
        };
        this.start(tasks);
        if let Some(action) = first {
            this.act(action);
        }
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

    /// Whether something follows the mouse there when it is dragged, as the scrubber.
    pub fn grabs(&self, column: u16, row: u16) -> bool {
        !input::mouse(&self.app, Mouse { act: MouseAct::Drag, column, row }).is_empty()
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

    /// Begins the most urgent work; `None` if none waits that is more urgent than the one that was
    /// begun before and has not ended.
    pub fn begin_work(&mut self) -> Option<BegunWork> {
        let (kind, work) = self.queue.next_above(self.begun.last().copied())?;
        self.begun.push(kind);
        Some(BegunWork { kind, work, sender: self.told.0.clone() })
    }

    /// Ends the work that was begun last; `rest` is what is left of it. Returns whether more waits that
    /// may be begun.
    pub fn end_work(&mut self, rest: Option<BegunWork>) -> bool {
        self.begun.pop();
        if let Some(BegunWork { kind, work, .. }) = rest {
            self.queue.put(kind, work);
        }
        self.hear();
        self.queue.has_above(self.begun.last().copied())
    }

    /// Hears what work has told so far.
    fn hear(&mut self) {
        while let Ok(event) = self.told.1.try_recv() {
            let tasks = self.app.hear(event);
            self.is_changed = true;
            self.start(tasks);
        }
    }

    /// The cells that are to be drawn anew, each with its index, row by row; all of them after a change
    /// of the size.
    pub fn changes(&mut self) -> Vec<(usize, Cell)> {
        // Work that goes on may have told how far it is.
        self.hear();
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

    /// The text of the kernel that the user wants to edit.
    pub fn kernel(&mut self) -> String {
        self.copy.take().map(|copy| copy.text).unwrap_or_default()
    }

    fn start(&mut self, tasks: Vec<Task>) {
        for task in tasks {
            match task {
                Task::Record(recording) => {
                    self.queue.put(recording.kind(), QueuedWork::Recording(recording));
                }
                Task::SavePicture => self.asked.push(HostRequest::SavePicture),
                Task::CopyLink => self.asked.push(HostRequest::CopyLink),
                Task::Edit(EditJob::Copy(copy)) => {
                    self.copy = Some(*copy);
                    self.asked.push(HostRequest::EditKernel);
                }
                Task::Keep(keeping) => {
                    // It is kept in no file, so that nothing can go wrong with one.
                    keeping.run(|_| ());
                    self.asked.push(HostRequest::KeepProgress);
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

    /// Whether something waits that is more urgent than `begun`.
    fn has_above(&self, begun: Option<WorkKind>) -> bool {
        let first = self.waiting.first_key_value().map(|((kind, _), _)| *kind);
        first.is_some_and(|first| begun.is_none_or(|begun| first < begun))
    }

    fn next_above(&mut self, begun: Option<WorkKind>) -> Option<(WorkKind, QueuedWork)> {
        if !self.has_above(begun) {
            return None;
        }
        let ((kind, _), work) = self.waiting.pop_first()?;
        Some((kind, work))
    }
}

impl BegunWork {
    /// Does it, or a part of it; returns the rest.
    #[must_use]
    pub fn run(self) -> Option<Self> {
        let Self { kind, work, sender } = self;
        let told = sender.clone();
        // The receiver lives as long as the loop.
        let tell: Listener = Box::new(move |event| _ = told.send(event));
        match work {
            QueuedWork::Whole(work) => {
                work(tell);
                None
            }
            QueuedWork::Recording(recording) => {
                let rest = recording.record_chunk(tell)?;
                Some(Self { kind, work: QueuedWork::Recording(Box::new(rest)), sender })
            }
        }
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
