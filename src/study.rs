//! Results that need simulated runs: findings and their steps, schedules that spoil C, why C is
//! wrong, the origin of values, counts, and the stage of a run.

pub mod approximate;
pub mod batches;
pub mod cause;
pub mod counts;
pub mod errors;
pub mod expected;
pub mod findings;
pub mod hazards;
pub mod schedule;
pub mod simulation;
pub mod stage;
pub mod stored_part;
pub mod superstep;
pub mod value;
