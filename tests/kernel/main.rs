//! Kernels from elsewhere: their sources, parameters, launches and elements.

mod chosen_launch;
mod cuda_file;
mod element_types;
mod foreign;
mod hopper_ladder;
mod kinds;
mod programs;
mod python;
mod signatures;

#[path = "../shared/binary.rs"]
mod binary;
#[path = "../shared/compilers.rs"]
mod compilers;
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
