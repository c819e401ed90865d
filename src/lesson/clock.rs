//! Times measured on this machine: lessons take them where they can be had, and recorded ones where not.

use crate::gpu::protocol::Measurement;
use std::fmt::Debug;

/// Who measures while a lesson is taken. A query must not wait for it.
pub trait Clock: Debug + Send + Sync {
    /// What was recorded, measured on this machine. `None` as long as it, or anything else that was
    /// asked for, is being measured, and where there is nothing to measure it with: so the times on
    /// a page are all of one machine.
    fn measured(&self, recorded: &Measurement) -> Option<Measurement>;
}
