//! Results that need simulated runs: findings and their steps, schedules that spoil C, why C is
//! wrong, the origin of values, counts.

pub mod approximate;
pub mod cause;
pub mod counts;
pub mod errors;
pub mod findings;
pub mod hazards;
pub mod schedule;
pub mod simulation;
pub mod stored_part;
pub mod value;

use std::ops::ControlFlow;

/// Is told how many parts of a work have been done and how many there are, and says whether to go
/// on: what has been done until then is the result.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> ControlFlow<()> + Sync);

/// The progress of a work that nobody watches.
pub const UNWATCHED: Progress<'static> = &|_, _| ControlFlow::Continue(());
