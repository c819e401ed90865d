//! What is sought in many runs: schedules that spoil C, the cause of a wrong C.

mod cause;
mod race;
mod stage;

#[path = "../shared/kernel.rs"]
mod kernel;
