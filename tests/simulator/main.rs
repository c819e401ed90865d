//! The parser and the machine against Rust's own arithmetic, straight-line evaluation and noise.

mod arithmetic;
mod control;
mod divergence;
mod errors;
mod hostile;
mod kernel;
