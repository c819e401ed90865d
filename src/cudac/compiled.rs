//! How a source is compiled, and what that gives.

#[derive(Clone, Copy, Debug, Default)]
pub struct CompileOptions<'a> {
    /// The file's name, for `.file` and for messages.
    pub file: &'a str,
    /// Macros, as `NAME=VALUE` or `NAME`.
    pub defines: &'a [String],
    /// The headers of its own, by the names that include them.
    pub headers: &'a [(String, String)],
    /// The instances of templates that are launched: `mm<16, float>`.
    pub instances: &'a [String],
    /// Whether loops that are not unrolled here stay loops in SASS too, so that an instruction of
    /// the source is one that runs; otherwise ptxas may unroll them.
    pub rolled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    pub ptx: String,
    /// Its kernels, in the order of the source.
    pub kernels: Vec<CompiledKernel>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledKernel {
    pub name: String,
    pub parameters: Vec<String>,
    /// Its arrays and variables in shared memory, in the order of the source.
    pub shared: Vec<SharedArray>,
    /// The threads of its `__launch_bounds__`.
    pub launch_bounds: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedArray {
    pub name: String,
    pub symbol: String,
    pub element: u32,
    /// Its sides, the outermost first; none for a variable, and a leading 0 for an array whose size
    /// the launch gives.
    pub shape: Vec<u32>,
    pub line: u32,
}

/// Who compiled: the version of this package.
pub const COMPILER: &str = concat!("matviz ", env!("CARGO_PKG_VERSION"));
