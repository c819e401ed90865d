//! What a step costs and means: pure folds over `Step`.

pub mod async_copy;
pub mod atomic;
pub mod banks;
pub mod block_classes;
pub mod check;
pub mod coalesce;
pub mod costly;
pub mod counters;
pub mod expr;
pub mod grid;
mod memo;
pub mod occupancy;
pub mod pattern;
pub mod roofline;
pub mod vectorise;

pub use counters::{Counters, Counts};
