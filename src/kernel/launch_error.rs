//! Reasons why a kernel cannot be launched as requested.

use super::args_error::ArgsError;

/// Why a kernel cannot be launched as requested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// No entry point matches, or several do.
    #[error("{what}: {}", choice(names))]
    Entry {
        what: String,
        /// The entry points to choose from.
        names: Vec<String>,
    },
    /// The module has no entry point, only functions of these names.
    #[error("there is nothing to launch: this module has no kernel{}", only(.0))]
    NoKernel(Vec<String>),
    /// The arguments do not fit the parameters.
    #[error("{0}")]
    Args(#[from] ArgsError),
    /// No grid is given for a kernel that is no product, in blocks of several dimensions.
    #[error(
        "the grid is missing: how many blocks there are, for example --launch '<<<4x4,>>>' (only for a product, or \
         for blocks along x alone, is there a usual grid)"
    )]
    NoGrid,
    /// `C =` before a launch for a kernel that is given no A, B and C.
    #[error(
        "`C =` compares C with A x B, and the launch has no A, B and C: leave it out, or give A, B and C \
         as arguments"
    )]
    NoProduct,
    /// A block of more threads than the kernel was compiled for, which no GPU launches.
    #[error(
        "the block has {0} threads, and the kernel was compiled for at most {1} (__launch_bounds__, \
         .maxntid)"
    )]
    TooLarge(u64, u64),
    /// A block whose number of threads is not the only one that the kernel was compiled for.
    #[error("the block has {0} threads, and the kernel was compiled for {1} (.reqntid)")]
    NotExactly(u64, u64),
}

impl LaunchError {
    /// The same without arguments as an example that do not `fit`.
    #[must_use]
    pub fn proposing(mut self, fits: impl FnOnce(&str) -> bool) -> Self {
        if let Self::Args(ArgsError::Unclear { example, .. }) = &mut self {
            *example = example.take().filter(|words| fits(words));
        }
        self
    }

    /// The same with other words for buffers of its own, where `fill` gives such.
    #[must_use]
    pub fn filling(mut self, fill: impl FnOnce(&str) -> Option<String>) -> Self {
        if let Self::Args(ArgsError::Unclear { any: Some(words), .. }) = &mut self
            && let Some(filled) = fill(words)
        {
            *words = filled;
        }
        self
    }

    /// The same for a kernel whose result is not judged, launched with so many threads.
    #[must_use]
    pub fn unjudged(self, threads: u64) -> Self {
        match self {
            Self::Args(error) => Self::Args(error.unjudged(threads)),
            other => other,
        }
    }
}

fn choice(names: &[String]) -> String {
    match names {
        [only] => format!("there is only `{only}`"),
        [first, ..] => {
            format!("there are `{}`; for example --launch {}", names.join("`, `"), quoted(first))
        }
        [] => "there is none".to_owned(),
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{word}'") }
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
