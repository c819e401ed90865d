//! Compiling and measuring, in a child process.

mod compiled_by;
mod measurements;

#[path = "../shared/compiled.rs"]
mod compiled;
#[path = "../shared/need.rs"]
mod need;
#[path = "../shared/stderr.rs"]
mod stderr;
