//! matviz: see how a GPU multiplies matrices.

pub mod launch;
pub mod matrix;
pub mod stats;

pub mod ptx;
pub mod sim;

pub mod analysis;
pub mod trace;

pub mod kernel;

pub mod gpu;

pub mod export;
pub mod report;

pub mod tui;

pub mod cli;
