//! The event loop: waits for events, updates the state, starts its tasks and draws.
//!
//! The loop sleeps until something happens and wakes up by itself only during playback. It handles
//! the events that have arrived before it draws the next frame, so that frames never queue, but
//! spends at most one frame's time on that, so that a held key still shows progress. Long work runs
//! in [`WorkerThreads`].

use super::app::{App, StartOptions};
use super::edit::command::{self, EditorError};
use super::edit::job::{self, EditEvent, EditJob, Opened};
use super::ladder_run::LadderOrder;
use super::playback::FRAME;
use super::remembered::{self, Remembered};
use super::task::{Event, Listener, Task, WorkKind, event_of};
use super::theme::Depth;
use super::worker_threads::WorkerThreads;
use super::{TuiError, clock, frame, ground, input, terminal, terminal_input, update, view};
use crate::export;
use crate::file;
use crate::file::watch::FileWatch;
use crate::gpu::client::{BackgroundClient, Client, Launcher, PATIENCE};
use crate::timing::protocol::Request;
use crate::work::WorkToken;
use ratatui::crossterm::event::Event as Input;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::crossterm::{event, queue, style};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

#[derive(Debug)]
enum Wake {
    Input(Input),
    Event(Event),
    /// The terminal was resized, or the program was resumed after a suspend.
    Terminal(terminal::TerminalChange),
}

/// How soon a change has to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Redraw {
    None,
    /// With the next frame: no user is waiting for it.
    Soon,
    /// At once: the user pressed a key.
    Now,
}

/// The state of the loop.
struct EventLoop {
    app: App,
    tty: terminal::Tty,
    sender: Sender<Wake>,
    lanes: WorkerThreads,
    gpu: Option<BackgroundClient>,
    /// Closed while another program reads the keys.
    gate: Arc<terminal::InputGate>,
    change: Redraw,
    drawn: Instant,
    ticked: Instant,
}

/// Shows the screen until the user quits.
///
/// # Errors
/// There is no terminal, or the kernel cannot be run. The terminal is restored before the error is
/// returned.
pub fn run(options: StartOptions) -> Result<(), TuiError> {
    run_with(options, |_| Vec::new())
}

/// Shows the screen with a file that is edited, until the user quits.
///
/// # Errors
/// Those of [`run`].
pub fn edit(options: StartOptions, opened: Opened) -> Result<(), TuiError> {
    run_with(options, |app| app.edit(opened))
}

fn run_with(
    options: StartOptions,
    begin: impl FnOnce(&mut App) -> Vec<Task>,
) -> Result<(), TuiError> {
    terminal::check()?;
    if options.look.depth != Depth::Mono {
        // crossterm drops all colours if NO_COLOR is set; a user who asks for colours explicitly
        // gets them.
        style::force_color_output(true);
    }
    let (sender, wakes) = channel();
    let changes = sender.clone();
    // Sending fails only when the receiver is gone, that is, when the program is ending.
    let tell = move |change| _ = changes.send(Wake::Terminal(change));
    let tty = terminal::init(options.mouse, tell)?;
    let result = show(options, begin, tty, sender, &wakes);
    terminal::restore();
    result
}

fn show(
    options: StartOptions,
    begin: impl FnOnce(&mut App) -> Vec<Task>,
    tty: terminal::Tty,
    sender: Sender<Wake>,
    wakes: &Receiver<Wake>,
) -> Result<(), TuiError> {
    let size = tty.size()?;
    let first = options.begin.first_action();
    let (mut app, mut tasks) = App::new(options, (size.width, size.height))?;
    tasks.extend(first.into_iter().flat_map(|action| update::update(&mut app, action)));
    tasks.extend(begin(&mut app));
    let now = Instant::now();
    let change = Redraw::Now;
    let (lanes, gate) = (WorkerThreads::default(), Arc::new(terminal::InputGate::default()));
    let mut this =
        EventLoop { app, tty, sender, lanes, gpu: None, gate, change, drawn: now, ticked: now };
    this.start(tasks)?;
    this.await_stage(wakes)?;
    this.draw()?;
    read_input(this.sender.clone(), Arc::clone(&this.gate))?;
    while !this.app.is_over() {
        this.wait(wakes)?;
        this.tick()?;
        if this.is_due() {
            this.draw()?;
        }
    }
    this.lanes.finish(WorkKind::Keep, AT_THE_END);
    Ok(())
}

/// The longest that a grid is simulated to be compared with what the GPU has left.
const COMPARED_WITHIN: Duration = Duration::from_secs(60);

/// The longest that the first picture waits until it is a whole one.
const WHOLE_WITHIN: Duration = Duration::from_millis(30);

/// How long the end waits for the last answer to be on the disk.
const AT_THE_END: Duration = Duration::from_secs(2);

impl EventLoop {
    /// Lets the stage be derived before the first picture is drawn: nobody sees a screen that is still
    /// empty.
    fn await_stage(&mut self, wakes: &Receiver<Wake>) -> Result<(), TuiError> {
        let begun = Instant::now();
        while self.app.awaits_stage() {
            let left = WHOLE_WITHIN.saturating_sub(begun.elapsed());
            // What comes later is left to the loop.
            if left.is_zero() {
                break;
            }
            let Ok(wake) = wakes.recv_timeout(left) else { break };
            self.take(wake)?;
        }
        Ok(())
    }

    /// Sleeps until something happens, then handles events until a frame is due.
    fn wait(&mut self, wakes: &Receiver<Wake>) -> Result<(), TuiError> {
        // `self` holds a sender, so the channel cannot be disconnected: an error is a timeout.
        let mut next = match self.patience() {
            None => wakes.recv().ok(),
            Some(patience) => wakes.recv_timeout(patience).ok(),
        };
        while let Some(wake) = next {
            self.take(wake)?;
            next = if self.goes_first() { None } else { wakes.try_recv().ok() };
        }
        Ok(())
    }

    /// Whether the loop has to do something before it handles further events.
    fn goes_first(&self) -> bool {
        let frame = self.change != Redraw::None && self.drawn.elapsed() >= FRAME;
        frame || self.app.is_over()
    }

    /// Returns the time until the loop has to act by itself, or `None` for never.
    fn patience(&self) -> Option<Duration> {
        let frame =
            (self.change != Redraw::None).then(|| FRAME.saturating_sub(self.drawn.elapsed()));
        let tick = self.app.next_frame().map(|frame| frame.saturating_sub(self.ticked.elapsed()));
        [frame, tick].into_iter().flatten().min()
    }

    fn take(&mut self, wake: Wake) -> Result<(), TuiError> {
        match wake {
            Wake::Input(Input::Key(event)) => {
                let key = terminal_input::key(&event);
                if let Some(action) = key.and_then(|key| input::key(&self.app, key)) {
                    self.act(action)?;
                }
            }
            Wake::Input(Input::Mouse(event)) => {
                let mouse = terminal_input::mouse(event);
                let actions = mouse.map(|mouse| input::mouse(&self.app, mouse));
                for action in actions.into_iter().flatten() {
                    self.act(action)?;
                }
            }
            Wake::Input(Input::Resize(width, height)) => self.resize(width, height)?,
            Wake::Input(Input::FocusGained | Input::FocusLost | Input::Paste(_)) => {}
            Wake::Event(event) => {
                let change = if is_awaited(&event) { Redraw::Now } else { Redraw::Soon };
                let tasks = self.app.hear(event);
                self.change = self.change.max(change);
                self.start(tasks)?;
            }
            Wake::Terminal(change) => {
                if change == terminal::TerminalChange::Resumed {
                    terminal::clear(&mut self.tty)?;
                }
                let size = self.tty.size()?;
                self.resize(size.width, size.height)?;
            }
        }
        Ok(())
    }

    fn act(&mut self, action: super::action::Action) -> Result<(), TuiError> {
        if !self.app.is_playing() {
            self.ticked = Instant::now();
        }
        let tasks = update::update(&mut self.app, action);
        self.change = Redraw::Now;
        self.start(tasks)
    }

    fn resize(&mut self, width: u16, height: u16) -> Result<(), TuiError> {
        let tasks = self.app.resize(width, height);
        self.change = Redraw::Now;
        self.start(tasks)
    }

    fn tick(&mut self) -> Result<(), TuiError> {
        let passed = self.ticked.elapsed();
        if self.app.next_frame().is_none_or(|frame| passed >= frame) {
            self.ticked = Instant::now();
            if let Some(tasks) = self.app.tick(passed) {
                self.change = self.change.max(Redraw::Soon);
                self.start(tasks)?;
            }
        }
        Ok(())
    }

    fn is_due(&self) -> bool {
        match self.change {
            Redraw::None => false,
            Redraw::Soon => self.drawn.elapsed() >= FRAME,
            Redraw::Now => true,
        }
    }

    fn draw(&mut self) -> Result<(), TuiError> {
        if !terminal::is_ours() {
            return Ok(());
        }
        queue!(self.tty.backend_mut(), BeginSynchronizedUpdate)?;
        self.tty.draw(|frame| view::view(&self.app, frame))?;
        queue!(self.tty.backend_mut(), EndSynchronizedUpdate)?;
        ratatui::backend::Backend::flush(self.tty.backend_mut())?;
        self.change = Redraw::None;
        self.drawn = Instant::now();
        Ok(())
    }

    fn start(&mut self, tasks: Vec<Task>) -> Result<(), TuiError> {
        for task in tasks {
            match task.work() {
                Ok((kind, work)) => self.put(kind, work)?,
                Err(effect) => self.cause(effect)?,
            }
        }
        Ok(())
    }

    /// Does what needs the terminal, files, a GPU or the time.
    fn cause(&mut self, effect: Task) -> Result<(), TuiError> {
        match effect {
            Task::Keep(keeping) => self.put(WorkKind::Keep, move |tell| keeping.run(tell))?,
            Task::Measure(requests) => self.ask(requests),
            Task::Compare(work) => self.put(WorkKind::Compare, move |tell| {
                let begun = Instant::now();
                let may_last = move || begun.elapsed() < COMPARED_WITHIN;
                work.run(may_last, |which, compared| tell(Event::Compared(which, compared)));
            })?,
            Task::ReadCounters(count) => self.ask([Request::Count(*count)]),
            Task::MeasureLadder(order) => self.measure_ladder(order),
            Task::StopMeasuring => self.gpu = None,
            Task::Edit(job) => self.edit(job)?,
            Task::SavePicture => self.save_picture()?,
            Task::CopyLink => {
                let link = self.app.link().map(|link| format!("matviz '#{link}' leads here"));
                self.app.message = link;
            }
            Task::Remember(what) => self.put(WorkKind::Keep, move |tell| {
                let path = remembered::path();
                let written = path.map(|path| Remembered::keep(&path, what));
                if let Some(Err(error)) = written {
                    tell(Event::NotKept(format!("The view is not remembered: {error}.")));
                }
            })?,
            Task::Mouse(on) => terminal::set_mouse(on)?,
            Task::Redraw => terminal::clear(&mut self.tty)?,
            Task::Suspend => terminal::suspend(),
            // All others are work.
            _ => {}
        }
        Ok(())
    }

    /// Runs long work in its lane; the events it sends come back to this loop.
    fn put(
        &mut self,
        kind: WorkKind,
        work: impl FnOnce(Listener) + Send + 'static,
    ) -> std::io::Result<()> {
        let sender = self.sender.clone();
        self.lanes
            .put(kind, move || work(Box::new(move |event| _ = sender.send(Wake::Event(event)))))
    }

    /// Starts a new GPU session, which ends any measurement in progress.
    fn ask(&mut self, requests: impl IntoIterator<Item = Request>) {
        let sender = self.sender.clone();
        let client = Client::new(Launcher::default(), PATIENCE);
        let session = BackgroundClient::start(client, move |request, answer| {
            if let Some(news) = event_of(request, answer) {
                let _ = sender.send(Wake::Event(Event::Gpu(news)));
            }
        });
        requests.into_iter().for_each(|request| session.ask(request));
        self.gpu = Some(session);
    }

    /// Does work on the file that is edited.
    fn edit(&mut self, job: EditJob) -> Result<(), TuiError> {
        let news = |news| Event::Edit(news);
        match job {
            EditJob::Watch(watch, edited) => {
                let sender = self.sender.clone();
                let tell = move |told| sender.send(Wake::Event(news(told))).is_ok();
                let watch = move || watch_file(*watch, &edited, tell);
                Builder::new().name("watcher".into()).spawn(watch)?;
            }
            // It is work.
            EditJob::Compile(_) => {}
            EditJob::Look(path) => self.put(WorkKind::Save, move |tell| {
                tell(news(job::look(path, clock::time_of_day())));
            })?,
            EditJob::Copy(copy) => {
                self.put(WorkKind::Save, move |tell| {
                    tell(news(job::copied(&copy, clock::time_of_day())));
                })?;
            }
            EditJob::Open(path, line) => {
                let left = self.open(&path, line)?;
                // Sending fails only when the program is ending.
                let _ = self.sender.send(Wake::Event(Event::Edit(EditEvent::Left(left))));
            }
        }
        Ok(())
    }

    /// Lends the terminal to the user's editor until that ends; returns why it could not open the
    /// file, if so.
    fn open(
        &mut self,
        path: &Path,
        line: Option<u32>,
    ) -> Result<Result<(), EditorError>, TuiError> {
        let Some(editor) = command::chosen(terminal::variable) else {
            return Ok(Err(EditorError::None(path.to_owned())));
        };
        let left = terminal::lend(&self.gate, || command::open(&editor, path, line))?;
        terminal::clear(&mut self.tty)?;
        let size = self.tty.size()?;
        self.resize(size.width, size.height)?;
        Ok(left)
    }

    fn measure_ladder(&mut self, order: LadderOrder) {
        let sender = self.sender.clone();
        let client = Client::new(Launcher::default(), PATIENCE);
        let session = BackgroundClient::start(client, move |request, answer| {
            if let Some(news) = order.event_of(request, answer, clock::today) {
                let _ = sender.send(Wake::Event(Event::Ladder(order.number, news)));
            }
        });
        order.requests().into_iter().for_each(|request| session.ask(request));
        self.gpu = Some(session);
    }

    fn save_picture(&mut self) -> std::io::Result<()> {
        let size = self.app.size();
        let buf = frame(&self.app, size.width, size.height);
        let ground = ground(self.app.look());
        self.put(WorkKind::Save, move |tell| {
            tell(Event::Saved(save(&export::svg(&buf, ground), &export::text(&buf))));
        })
    }
}

/// Whether the user waits for this: a page of a lesson, and its picture; the stage.
fn is_awaited(event: &Event) -> bool {
    matches!(event, Event::Walked(..) | Event::SettingLoaded(..) | Event::Planned(..))
}

/// Starts the thread that reads input, since crossterm's read blocks. It ends with the program.
fn read_input(sender: Sender<Wake>, gate: Arc<terminal::InputGate>) -> std::io::Result<()> {
    let read = move || {
        while let Ok(input) = event::read() {
            if sender.send(Wake::Input(input)).is_err() {
                return;
            }
            gate.pass();
        }
    };
    Builder::new().name("input".into()).spawn(read).map(drop)
}

/// Looks at a file for as long as somebody edits it and listens.
fn watch_file(mut watch: FileWatch, edited: &WorkToken, tell: impl Fn(EditEvent) -> bool) {
    while !edited.is_cancelled() {
        let (news, wait) = watch.look();
        let path = watch.path().to_owned();
        if news.is_some_and(|news| !tell(EditEvent::File(path, news, clock::time_of_day()))) {
            return;
        }
        std::thread::sleep(wait);
    }
}

/// Writes `matviz-001.svg` and `.txt`, or the first number for which neither file exists.
fn save(svg: &str, text: &str) -> std::io::Result<PathBuf> {
    for number in 1..1000 {
        let path = PathBuf::from(format!("matviz-{number:03}.svg"));
        match file::create_new(&[(&path, svg), (&path.with_extension("txt"), text)]) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            saved => return saved.map(|()| path),
        }
    }
    Err(std::io::Error::other("matviz-001.svg to matviz-999.svg are all there"))
}
