//! The GPU: a child process measures the very PTX that is simulated, and times the CPU for
//! comparison.
//!
//! ```text
//! screen, commands                     the same binary, `matviz worker`
//! client::{Session, Client}  --JSON-->  worker  -->  dyn Device  -->  cuda (driver) or stand_in
//!                            <-lines--          <--  bench: fill, warm up, time, check
//! ```
//!
//! Another such process reads the hardware's counters through CUPTI: profiling changes a GPU's
//! timing.
//!
//! A crash, a hang or a sticky CUDA error ends the child and costs one measurement. This is the
//! only room that names cudarc. NVIDIA's libraries are loaded when they are needed: the program is
//! built and starts without them.

pub mod ceilings;
pub mod client;
pub mod compiled;
pub mod worker;

mod bench;
mod check;
mod cores;
mod count;
mod cpu;
mod cublas;
mod cuda;
mod cupti;
mod device;
mod driver;
mod hierarchy;
mod isa;
mod library;
mod multi_gpu;
mod nccl;
mod nvml;
mod nvrtc;
mod once;
mod probe;
mod sample;
mod stand_in;
mod time;

pub use cpu::available_memory;
pub use nvrtc::{Nvrtc, TranslationUnit};
