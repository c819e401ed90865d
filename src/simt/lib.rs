//! Executes the PTX that a GPU runs, warp by warp, says what every step costs, finds races, and goes
//! back to any step.
//!
//! It draws nothing, reads no file and needs no GPU. The map of its modules, and who may use which, is
//! in matviz's `src/lib.rs`.

pub mod launch;
pub mod matrix;
pub mod work;

pub mod sim;

pub mod analysis;

pub mod trace;
