//! Checks the parser and the machine against Rust's own arithmetic, straight-line evaluation and
//! noise.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what the tests themselves write and embed is right"
)]
#![expect(
    clippy::float_cmp,
    clippy::double_comparisons,
    reason = "exactness and NaN are what is tested"
)]

mod arithmetic;
mod atomic;
mod cases;
mod clusters;
mod compiled;
mod contraction;
mod control;
mod divergence;
mod endless;
mod errors;
mod exact;
mod fragments;
mod halves;
mod hostile;
mod kernel;
mod large;
mod product;
mod rounding;
mod tensor;
mod wmma;

#[path = "../shared/binary.rs"]
mod binary;
#[path = "../shared/need.rs"]
mod need;
#[path = "../shared/stderr.rs"]
mod stderr;
