//! A kernel from a file of one's own: what the file and its host's code say of the launch.

pub mod host_launch;
pub mod launch;
mod probe;
pub mod sources;

pub use probe::NoProduct;
