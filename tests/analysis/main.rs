//! What a run costs and what is wrong with it, beside what GPUs and compute-sanitizer say.

mod access_patterns;
mod any_result;
mod checks;
mod classes;
mod distributed;
mod hardware;
mod joins;
mod ladder;
mod sanitizer;

#[path = "../shared/found.rs"]
mod found;
#[path = "../shared/kernel.rs"]
mod kernel;
#[path = "../shared/need.rs"]
mod need;
#[path = "../shared/pinned.rs"]
mod pinned;
#[path = "../shared/stderr.rs"]
mod stderr;
