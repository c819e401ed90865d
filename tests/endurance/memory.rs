//! The program's memory during a scene, which is bounded however long the scene is.

use rustix::process::Pid;
use std::fmt;
use std::fs;

/// The maximum, in MiB, at any time. An abandoned recording and a new one may exist at the same
/// time for a moment.
const MOST: u64 = 512;

/// The maximum, in MiB, one second after the last event. The program keeps less than 70, but
/// counting the largest kernel for the Measure screen takes 190 for a while.
const AT_REST: u64 = 256;

/// Resident memory in MiB; 0 if not known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    first: u64,
    /// The maximum in each third of a scene: growth shows from one to the next.
    thirds: [u64; 3],
    /// The value after the last event.
    rest: u64,
}

impl Memory {
    /// Measures a process, at a part of the scene from 0 to 1.
    pub(crate) fn measure(&mut self, pid: Pid, part: f64) {
        let third = &mut self.thirds[((part * 3.0) as usize).min(2)];
        self.rest = resident(pid).unwrap_or(0);
        *third = self.rest.max(*third);
        if self.first == 0 {
            self.first = self.rest;
        }
    }

    /// # Errors
    /// It took too much memory, or still does.
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

/// Resident memory of a process in MiB, if Linux reports it.
fn resident(pid: Pid) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let (_, rest) = status.split_once("VmRSS:")?;
    let kibibytes: u64 = rest.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes / 1024)
}
