//! The program's memory during a scene, which is bounded however long the scene is.

use rustix::process::Pid;
use std::fmt;
use std::fs;

/// The maximum, in MiB, at any time on two cores. An abandoned recording and a new one may exist at the
/// same time for a moment.
const MOST: u64 = 512;

/// So much more, in MiB, for each further core: each simulates a block of its own where a grid is
/// counted. On a machine with 16 cores and an H200 the largest kernels took up to 570 at a time, with its
/// GPU and without, and 150 when kept to two cores (2026-11-27).
const EACH_CORE: u64 = 32;

/// The maximum, in MiB, one second after the last event. The program keeps less than 70, but
/// counting the largest kernel for the Measure screen takes 190 for a while.
const AT_REST: u64 = 256;

/// The maximum, in MiB, of the process that measures on a GPU, at any time: the driver alone takes
/// hundreds, which are none of the program's.
const MEASURING: u64 = 2048;

/// Resident memory in MiB; 0 if not known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    first: u64,
    /// The maximum in each third of a scene: growth shows from one to the next.
    thirds: [u64; 3],
    /// The value after the last event.
    rest: u64,
    /// The maximum of the processes that it has started.
    children: u64,
}

impl Memory {
    /// Measures a process, at a part of the scene from 0 to 1, and apart from it those that it has
    /// started.
    pub(crate) fn measure(&mut self, pid: Pid, part: f64) {
        let third = &mut self.thirds[((part * 3.0) as usize).min(2)];
        self.rest = resident(pid).unwrap_or(0);
        *third = self.rest.max(*third);
        if self.first == 0 {
            self.first = self.rest;
        }
        let children = children(pid).into_iter().filter_map(resident).sum();
        self.children = self.children.max(children);
    }

    /// # Errors
    /// It took too much memory, or still does.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.thirds.iter().any(|third| *third > most()) || self.rest > AT_REST {
            return Err(format!("it took too much memory ({self})"));
        }
        if self.children > MEASURING {
            return Err(format!("what it started took too much memory ({self})"));
        }
        Ok(())
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, thirds: [early, middle, late], rest, children } = self;
        write!(
            f,
            "MiB {first} at first, up to {early}, {middle}, {late} by thirds, {rest} at rest"
        )?;
        if *children > 0 { write!(f, ", {children} of processes beside it") } else { Ok(()) }
    }
}

fn most() -> u64 {
    let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get() as u64);
    MOST + EACH_CORE * cores.saturating_sub(2)
}

/// The processes that a process has started, and those that these have, if Linux reports them.
fn children(pid: Pid) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let own = numbers.filter_map(Pid::from_raw).filter(|other| parent(*other) == Some(pid));
    own.flat_map(|child| [vec![child], children(child)]).flatten().collect()
}

fn parent(pid: Pid) -> Option<Pid> {
    field(pid, "PPid:").and_then(|number| Pid::from_raw(i32::try_from(number).ok()?))
}

/// Resident memory of a process in MiB, if Linux reports it.
fn resident(pid: Pid) -> Option<u64> {
    field(pid, "VmRSS:").map(|kibibytes| kibibytes / 1024)
}

/// A number that Linux reports of a process.
fn field(pid: Pid, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let (_, rest) = status.split_once(name)?;
    rest.split_whitespace().next()?.parse().ok()
}

#[test]
fn a_process_that_is_started_is_counted_apart() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let mut child = Command::new("sh");
    let child = child.args(["-c", "echo; read line"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = child.spawn().expect("a shell");
    let this = Pid::from_raw(std::process::id() as i32).expect("it runs");
    let shell = Pid::from_raw(child.id() as i32).expect("it runs");
    // Until the shell itself runs, its process is a copy of this one, or has no memory at all.
    child.stdout.as_mut().expect("a pipe").read_exact(&mut [0]).expect("a line");
    let found = children(this);
    assert!(found.contains(&shell) && !found.contains(&this), "{found:?}");
    let mut memory = Memory::default();
    memory.measure(shell, 0.0);
    assert!(memory.children == 0 && memory.rest > 0, "{memory}");
    child.kill().expect("it runs");
    child.wait().expect("it has ended");
}
