//! The parser and the machine against Rust's own arithmetic, straight-line evaluation and noise.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what cannot be built or run fails the test"
)]

mod arithmetic;
mod control;
mod divergence;
mod errors;
mod hostile;
mod kernel;
