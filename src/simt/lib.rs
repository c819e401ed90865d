//! simt: parses the PTX that a GPU runs, executes it warp by warp, and says what every step costs.
//!
//! The ground floor of matviz as a package of its own: it draws nothing, reads no file and needs no
//! GPU. The map of its modules, and who may use which, is in matviz's `src/lib.rs`.

pub mod launch;
pub mod matrix;

pub use ptx;

pub mod sim;

pub mod analysis;

pub mod trace;
