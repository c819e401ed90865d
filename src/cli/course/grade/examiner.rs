//! One submission is judged in a process of its own: one that crashes it, or takes too long, costs
//! nobody else anything.

use crate::cli::course::exercise::exercise;
use crate::file;
use crate::lesson::exercise::assignment::Assignment;
use crate::lesson::exercise::grade::{Grade, NotJudged};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The command of the process.
const COMMAND: &str = "examiner";

/// How long it may take: the last rope, since limits are counted in instructions.
const ROPE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 10 });

/// How often it is looked at.
const OFTEN: Duration = Duration::from_millis(5);

/// The most bytes of a question or an answer.
const MOST: u64 = 16 << 20;

/// A submission to be judged.
#[derive(Debug, Deserialize, Serialize)]
pub struct Examination {
    assignment: String,
    key: String,
    file: String,
    text: String,
}

/// Judges the submission on standard input.
///
/// # Errors
/// It is none: only the program itself asks.
pub fn run() -> anyhow::Result<ExitCode> {
    let asked: Examination = serde_json::from_slice(&file::read_from(io::stdin().lock(), MOST)?)?;
    let exercise = Arc::new(exercise(&asked.assignment)?);
    let assignment = Arc::new(Assignment::graded(exercise, &asked.key));
    let grade = Grade::of(&assignment, &asked.file, &asked.text);
    serde_json::to_writer(io::stdout().lock(), &grade)?;
    Ok(ExitCode::SUCCESS)
}

impl Examination {
    pub(super) fn of(assignment: &str, key: &str, file: &str, text: String) -> Self {
        let [assignment, key, file] = [assignment, key, file].map(str::to_owned);
        Self { assignment, key, file, text }
    }

    /// What the submission is worth, from a process of its own.
    ///
    /// # Errors
    /// The process crashed, or did not end.
    pub(super) fn in_a_child(&self) -> Result<Grade, NotJudged> {
        let crashed = |why: &str| NotJudged::Crashed(why.to_owned());
        let failed = |error: io::Error| crashed(&error.to_string());
        let asked = serde_json::to_vec(self).map_err(|error| crashed(&error.to_string()))?;
        let program = std::env::current_exe().map_err(failed)?;
        let mut child = Command::new(program);
        let child = child.arg(COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.stderr(Stdio::null()).spawn().map_err(failed)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        thread::scope(|scope| {
            // A process that does not listen closes its pipe when it is ended.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(&asked)));
            let answer = scope.spawn(move || stdout.map(|stdout| file::read_from(stdout, MOST)));
            let ended = wait(&mut child);
            let answer = answer.join().ok().flatten().and_then(Result::ok).unwrap_or_default();
            match ended.map_err(failed)? {
                None => Err(NotJudged::TooLong(ROPE.as_secs())),
                Some(status) => {
                    serde_json::from_slice(&answer).ok().ok_or_else(|| crashed(&status))
                }
            }
        })
    }
}

/// How the process ended; `None` if it had to be ended.
fn wait(child: &mut Child) -> io::Result<Option<String>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.to_string()));
        }
        if begun.elapsed() > ROPE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(OFTEN);
    }
}
