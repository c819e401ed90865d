//! A kernel from a file of one's own: what the file and its host's code say of the launch, and the door
//! [`open`] from its text to a problem.

mod called;
mod device;
mod host;
pub mod host_launch;
pub mod launch;
mod missing;
mod open;
mod probe;
mod program;
mod proposed;
mod python;
mod sizes;
mod smaller;
mod sources;
mod streams;

pub use missing::OpenError;
pub use open::{CudaText, FileRequest, FileText, Opened, PythonCompiler, open};
pub use program::{HostComparison, HostProgram, LaunchApart, ProgramLaunch};
