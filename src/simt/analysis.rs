//! Analyses of simulated steps (costs, counts, checks), free of side effects, and models
//! (occupancy, roofline).

pub mod async_copy;
pub mod atomic;
pub mod banks;
pub mod block_classes;
pub mod check;
pub mod coalesce;
pub mod costly;
pub mod counters;
pub mod grid;
mod memo;
pub mod occupancy;
pub mod roofline;
pub mod vectorise;

pub use counters::{Counters, Counts};
