//! The program's memory over a scene, which is bounded however long that is.

use rustix::process::Pid;
use std::fmt;
use std::fs;

/// MiB that the program may take at any time. Recordings that are given up while others begin may
/// lie beside each other for a moment.
const MOST: u64 = 512;

/// MiB that it may hold one second after the last event. It keeps less than 70; but counting the
/// largest kernel for the Measure screen takes 190 while it lasts.
const AT_REST: u64 = 256;

/// MiB in memory; nothing where that is not known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    first: u64,
    /// The most in each third of a scene: growth shows from one to the next.
    thirds: [u64; 3],
    /// After the last event.
    rest: u64,
}

impl Memory {
    /// Looks at a process, at some part of the scene from 0 to 1.
    pub(crate) fn measure(&mut self, pid: Pid, part: f64) {
        let third = &mut self.thirds[((part * 3.0) as usize).min(2)];
        self.rest = resident(pid).unwrap_or(0);
        *third = self.rest.max(*third);
        if self.first == 0 {
            self.first = self.rest;
        }
    }

    /// # Errors
    /// It took too much, or still does.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.thirds.iter().any(|third| *third > MOST) || self.rest > AT_REST {
            return Err(format!("it took too much memory ({self})"));
        }
        Ok(())
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, thirds: [early, middle, late], rest } = self;
        write!(f, "MiB {first} at first, up to {early}, {middle}, {late} by thirds, {rest} at rest")
    }
}

/// MiB of a process in memory, where Linux tells it.
fn resident(pid: Pid) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let (_, rest) = status.split_once("VmRSS:")?;
    let kibibytes: u64 = rest.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes / 1024)
}
