//! What a step costs and means: pure folds over `Step`.

pub mod async_copy;
pub mod atomic;
pub mod banks;
pub mod check;
pub mod classes;
pub mod coalesce;
pub mod costly;
pub mod counters;
pub mod executed;
pub mod expr;
pub mod grid;
mod memo;
pub mod occupancy;
pub mod pattern;
pub mod roofline;

pub use counters::{Counters, Counts};
