//! The program's side of the connection to the worker.

mod typed;

use crate::timing::GpuError;
use crate::timing::protocol::{Phase, Request, Response};
use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long the worker may be silent: a launch of the largest size takes half of this.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The hidden subcommand that runs this binary as a worker.
pub const SUBCOMMAND: &str = "worker";

/// The command that starts a worker.
#[derive(Clone, Debug, Default)]
pub struct Launcher {
    /// The program, or `None` for this one.
    pub program: Option<PathBuf>,
    /// Environment variables to set for it.
    pub variables: Vec<(String, String)>,
}

/// Sends a request, waits for the answer, and starts a new worker after the last one has died. It
/// blocks: for commands.
#[derive(Debug)]
pub struct Client {
    launcher: Launcher,
    patience: Duration,
    worker: WorkerHandle,
    connection: Option<Connection>,
}

/// A client on a thread of its own. It never blocks: for the screen.
///
/// Dropping it kills the worker, even in the middle of a request; requests still queued are never
/// answered.
#[derive(Debug)]
pub struct BackgroundClient {
    requests: mpsc::Sender<Request>,
    leash: WorkerHandle,
}

/// Ends a client's worker from another thread. The client's current request and all later ones
/// return [`GpuError::Cancelled`].
#[derive(Clone, Debug)]
pub struct Stopper(WorkerHandle);

impl Stopper {
    /// Ends it.
    pub fn stop(&self) {
        self.0.close();
    }
}

/// The pipes of a running worker.
#[derive(Debug)]
struct Connection {
    requests: ChildStdin,
    answers: mpsc::Receiver<String>,
    last_words: JoinHandle<String>,
}

/// A shared handle to the worker, through which several threads may end it.
#[derive(Clone, Debug, Default)]
struct WorkerHandle(Arc<Mutex<WorkerState>>);

#[derive(Debug, Default)]
enum WorkerState {
    #[default]
    Idle,
    Running(Child),
    Closed,
}

impl Launcher {
    fn spawn(&self) -> io::Result<Child> {
        let program = match &self.program {
            Some(program) => program.clone(),
            None => env::current_exe()?,
        };
        let mut command = Command::new(program);
        // A process group of its own: Ctrl-C reaches only the program, which then decides.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
            .arg(SUBCOMMAND)
            // With NVLink multicast on, an NCCL process that ends badly can leave the GPUs in a bad
            // state.
            .env("NCCL_NVLS_ENABLE", "0")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }
}

impl BackgroundClient {
    /// Starts the thread; the worker starts with the first request. `on_answer` is called on that
    /// thread, with each answer and its request.
    pub fn start(
        mut client: Client,
        on_answer: impl Fn(&Request, Response) + Send + 'static,
    ) -> Self {
        let (requests, queue) = mpsc::channel::<Request>();
        let leash = client.worker.clone();
        std::thread::spawn(move || {
            for request in queue {
                let progress = |phase| on_answer(&request, Response::Progress(phase));
                match client.ask(&request, progress) {
                    Err(GpuError::Cancelled) => return,
                    Err(error) => on_answer(&request, Response::Failed(error)),
                    Ok(answer) => on_answer(&request, answer),
                }
            }
        });
        Self { requests, leash }
    }

    /// Puts a request at the end of the queue.
    pub fn ask(&self, request: Request) {
        // The thread is gone only after a callback has panicked; then no answer can come.
        let _ = self.requests.send(request);
    }
}

impl Drop for BackgroundClient {
    fn drop(&mut self) {
        self.leash.close();
    }
}

impl Client {
    /// A client whose worker may be silent for at most `patience`. It starts no worker yet.
    pub fn new(launcher: Launcher, patience: Duration) -> Self {
        Self { launcher, patience, worker: WorkerHandle::default(), connection: None }
    }

    /// A handle that ends the worker from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.worker.clone())
    }

    /// Sends any request; the answer is never [`Response::Progress`] or [`Response::Failed`].
    ///
    /// # Errors
    /// The worker's error, or how the worker ended.
    pub fn ask(
        &mut self,
        request: &Request,
        mut on_progress: impl FnMut(Phase),
    ) -> Result<Response, GpuError> {
        self.send(request)?;
        loop {
            match self.receive()? {
                Response::Progress(phase) => on_progress(phase),
                Response::Failed(error) => {
                    // The worker ends itself after these errors.
                    if matches!(error, GpuError::Driver { .. }) {
                        self.disconnect();
                    }
                    return Err(error);
                }
                answer @ (Response::Gpus(_)
                | Response::Libraries(_)
                | Response::Ptx { .. }
                | Response::Measured(_)
                | Response::Counted(_)
                | Response::Timed(_)
                | Response::Ceilings(_)
                | Response::Spread(_)
                | Response::Executed { .. }) => return Ok(answer),
            }
        }
    }

    fn send(&mut self, request: &Request) -> Result<(), GpuError> {
        let text = serde_json::to_string(request)
            .map_err(|error| GpuError::Protocol { line: error.to_string() })?;
        let line = match self.connection.take() {
            Some(line) => line,
            None => self.worker.start(&self.launcher)?,
        };
        let line = self.connection.insert(line);
        if writeln!(line.requests, "{text}").and_then(|()| line.requests.flush()).is_err() {
            return Err(self.reap());
        }
        Ok(())
    }

    fn receive(&mut self) -> Result<Response, GpuError> {
        let Some(line) = &self.connection else { return Err(GpuError::Cancelled) };
        match line.answers.recv_timeout(self.patience) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| GpuError::Protocol { line: format!("{text} ({error})") }),
            Err(RecvTimeoutError::Disconnected) => Err(self.reap()),
            Err(RecvTimeoutError::Timeout) => {
                self.disconnect();
                Err(GpuError::Silent { seconds: self.patience.as_secs() })
            }
        }
    }

    fn disconnect(&mut self) {
        self.worker.end();
        self.connection = None;
    }

    /// How a worker that closed its connection ended.
    fn reap(&mut self) -> GpuError {
        let Some(how) = self.worker.end() else { return GpuError::Cancelled };
        let stderr_tail =
            self.connection.take().map(|line| line.last_words.join().unwrap_or_default());
        GpuError::Died { how, last_words: stderr_tail.unwrap_or_default() }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.worker.end();
    }
}

impl WorkerHandle {
    fn start(&self, launcher: &Launcher) -> Result<Connection, GpuError> {
        let mut hold = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*hold, WorkerState::Closed) {
            return Err(GpuError::Cancelled);
        }
        let failed = |reason: String| GpuError::Spawn { reason };
        let mut child = launcher.spawn().map_err(|error| failed(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(requests), Some(stdout), Some(stderr)) = pipes else {
            return Err(failed("it has no pipes".to_owned()));
        };
        *hold = WorkerState::Running(child);
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            lines.map(|line| sender.send(line)).take_while(Result::is_ok).for_each(drop);
        });
        let stderr_tail = std::thread::spawn(move || {
            let lines = BufReader::new(stderr).lines().map_while(Result::ok);
            lines.filter(|line| !line.trim().is_empty()).last().unwrap_or_default()
        });
        Ok(Connection { requests, answers, last_words: stderr_tail })
    }

    /// Ends the worker, if one runs, and says how it ended; `None` if the handle is closed.
    fn end(&self) -> Option<String> {
        let mut hold = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *hold {
            WorkerState::Closed => None,
            WorkerState::Idle => Some("it was not running".to_owned()),
            WorkerState::Running(child) => {
                let how = kill(child);
                *hold = WorkerState::Idle;
                Some(how)
            }
        }
    }

    /// Closes the handle for good. It does not wait for the worker to end, which can take a while
    /// in a driver.
    fn close(&self) {
        let mut hold = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let WorkerState::Running(mut child) = std::mem::replace(&mut *hold, WorkerState::Closed)
        {
            let _ = child.kill();
            std::thread::spawn(move || child.wait());
        }
    }
}

/// Ends a child that may have ended already, and says how it ended.
fn kill(child: &mut Child) -> String {
    // Killing a child that has ended changes nothing: it keeps its exit status.
    let _ = child.kill();
    child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
}
