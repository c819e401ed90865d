//! matviz's own compiler of CUDA C, beside NVRTC.

mod catalogue;
mod everyday;
mod functions;
mod generated;
mod language;
mod own_cases;
mod structures;

#[path = "../shared/compiled.rs"]
mod compiled;
#[path = "../shared/compilers.rs"]
mod compilers;
#[path = "../shared/found.rs"]
mod found;
#[path = "../shared/kernel.rs"]
mod kernel;
#[path = "../shared/need.rs"]
mod need;
#[path = "../shared/stderr.rs"]
mod stderr;
