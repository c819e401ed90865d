//! The reasons for which a kernel cannot be launched as asked.

use super::args::ArgsError;

/// Why a kernel cannot be launched as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// No entry point, or several, of which one is to be chosen.
    #[error("{what}: {}", choice(names))]
    Entry {
        /// What is wrong.
        what: String,
        /// The entry points that there are.
        names: Vec<String>,
    },
    /// No entry point; what there is are functions of these names.
    #[error("there is nothing to launch: this module has no kernel{}", only(.0))]
    NoKernel(Vec<String>),
    /// The arguments are not what the parameters take.
    #[error("{0}")]
    Args(#[from] ArgsError),
    /// A block of more threads than the kernel was compiled for: no GPU launches it.
    #[error(
        "--block has {0} threads, and the kernel was compiled for at most {1} (__launch_bounds__, \
         .maxntid)"
    )]
    TooLarge(u64, u64),
    /// The same of a kernel that takes one number of threads only.
    #[error("--block has {0} threads, and the kernel was compiled for {1} (.reqntid)")]
    NotExactly(u64, u64),
}

fn choice(names: &[String]) -> String {
    match names {
        [only] => format!("there is only `{only}`"),
        _ => format!("there are `{}`", names.join("`, `")),
    }
}

fn only(functions: &[String]) -> String {
    if functions.is_empty() {
        return String::new();
    }
    format!(
        ", only functions that kernels call: `{}` (CUDA C++: `__global__` makes a kernel; Numba: \
         device=False)",
        functions.join("`, `")
    )
}
