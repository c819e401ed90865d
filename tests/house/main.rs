//! The rules of the house: what may use what, and figures that may only fall.

mod imports;
mod limits;
mod rules;

#[path = "../shared/need.rs"]
mod need;
#[path = "../shared/stderr.rs"]
mod stderr;
