//! Times measured on this machine: lessons take them where they can be had, and recorded ones where not.

use crate::timing::Measurement;
use std::fmt::Debug;

/// Who measures while a lesson is taken. Nobody waits for it: what is asked for is measured in the
/// background.
pub trait Clock: Debug + Send + Sync {
    /// What was recorded, measured on this machine; `None` if that is not known yet, or cannot be.
    fn measured(&self, recorded: &Measurement) -> Option<Measurement>;

    /// Whether all that was asked for has been measured. A page that opens before takes recorded
    /// times to its end, so that those on a page are of one machine.
    fn is_ready(&self) -> bool;
}
