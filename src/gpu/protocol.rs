//! What the program and its measuring process say to each other: one JSON object a line.
//!
//! The program asks one thing at a time. The worker answers with any number of
//! [`Answer::Progress`] and then exactly one other answer.

mod beside;
mod counting;
mod several;

pub use beside::{Beside, Ceilings, Copies, Limits, Overheads, Resources, Sensors};
pub use counting::{Count, Counted};
pub use several::{Part, Share, Spread, Spreading};

use super::GpuError;
use crate::kernel::{self, Call, Problem, Tile};
use crate::matrix::{Gemm, Precision, Size};
use crate::stats::Quartiles;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// What the program asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// Which GPUs are there? Answered by [`Answer::Gpus`].
    Probe,
    /// Which of NVIDIA's libraries are there? Answered by [`Answer::Libraries`].
    Libraries,
    /// Compile a kernel for a tile size. Answered by [`Answer::Ptx`].
    Compile {
        /// Its name in the catalogue.
        kernel: String,
        /// The tile.
        tile: Tile,
        /// Whether its loop over k is left as it is written, not unrolled.
        rolled: bool,
    },
    /// Compile a source. Answered by [`Answer::Ptx`].
    CompileSource(Compile),
    /// Measure one row. Answered by [`Answer::Measured`].
    Measure(Measure),
    /// Read the hardware's counters of one launch. Answered by [`Answer::Counted`].
    Count(Count),
    /// Run a launch once on any buffers. Answered by [`Answer::Executed`].
    Execute(Execute),
    /// Run one product on several GPUs. Answered by [`Answer::Spread`].
    Spread(Spread),
    /// Measure the most that a GPU can do. Answered by [`Answer::Ceilings`].
    Ceilings {
        /// Which GPU, counted from 0.
        device: u32,
    },
}

/// A launch, to be run once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execute {
    /// The launch.
    pub call: Call,
    /// What the buffers hold before it, as 4-byte words.
    pub buffers: Vec<Vec<u32>>,
    /// Which GPU, counted from 0.
    pub device: u32,
}

/// A source to compile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compile {
    /// Its file's name, for the messages.
    pub file: String,
    /// CUDA C++.
    pub text: String,
    /// A virtual architecture, for example `compute_80`.
    pub arch: String,
    /// Macros, each `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Where its own headers are looked for.
    pub folder: PathBuf,
}

/// One row to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// What is to run.
    pub subject: Subject,
    /// The sizes of A, B and C.
    pub size: Size,
    /// What the matrices are filled from.
    pub seed: u64,
    /// Which GPU, counted from 0.
    pub device: u32,
    /// When to stop timing.
    pub effort: Effort,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "run", rename_all = "snake_case")]
pub enum Subject {
    /// A kernel.
    Kernel {
        /// Its name.
        name: String,
        /// Side of its tiles and blocks, if it is of the catalogue: it then writes all of C.
        tile: Option<Tile>,
        /// What C is to become.
        gemm: Gemm,
        /// The launch, with the module as the simulator loads it.
        call: Call,
    },
    /// cuBLAS: its SGEMM, in float32 throughout, or its `GemmEx` on halves with sums in float32.
    Cublas {
        /// What the elements of A and B are.
        precision: Precision,
    },
    /// The CPU, in float32 throughout.
    Cpu {
        /// How.
        loops: Loops,
    },
}

/// How the CPU multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loops {
    /// Three loops, as the definition says it, on one core.
    Plain,
    /// Six loops over tiles that stay in the cache, on one core.
    Blocked,
    /// The `gemm` crate, on all cores.
    Gemm,
}

impl Loops {
    /// All of them, the slowest first.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Blocked, Self::Gemm];

    /// The name of their rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "cpu plain",
            Self::Blocked => "cpu blocked",
            Self::Gemm => "cpu gemm",
        }
    }
}

/// How long to time for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Work before the first sample, so that the clocks have risen, in milliseconds.
    pub warm_up_ms: f64,
    /// A sample is as many launches as take at least this, in milliseconds.
    pub sample_ms: f64,
    /// Fewest samples.
    pub least_samples: usize,
    /// Enough when the interquartile range is below this part of the median.
    pub spread: f64,
    /// Enough when the samples took this together, in milliseconds.
    pub budget_ms: f64,
    /// Enough of each of what stands [`Beside`] the time when it took this, in milliseconds; 0 for
    /// none of it.
    pub beside_ms: f64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            warm_up_ms: 100.0,
            sample_ms: 1.0,
            least_samples: 10,
            spread: 0.01,
            budget_ms: 2000.0,
            beside_ms: 100.0,
        }
    }
}

/// What the worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// The driver and its GPUs; at least one.
    Gpus(Gpus),
    /// NVIDIA's libraries.
    Libraries(Libraries),
    /// A compiled module.
    Ptx {
        /// Its text.
        ptx: String,
    },
    /// How far a measurement is.
    Progress(Phase),
    /// A finished measurement.
    Measured(Box<Measurement>),
    /// The hardware's counters of a launch.
    Counted(Counted),
    /// What the buffers hold after a launch.
    Executed {
        /// Each as 4-byte words, in the order of the request.
        buffers: Vec<Vec<u32>>,
    },
    /// How several GPUs did together.
    Spread(Box<Spreading>),
    /// The most that a GPU can do.
    Ceilings(Box<Ceilings>),
    /// The request could not be fulfilled.
    Failed(GpuError),
}

/// A driver and what it drives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gpus {
    /// The driver's release, for example `580.159.03`, where the system tells it.
    pub driver: Option<String>,
    /// The newest CUDA that the driver knows, for example `13.0`.
    pub cuda: String,
    /// The GPUs, in the driver's order.
    pub gpus: Vec<Gpu>,
}

/// One GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gpu {
    /// Its name, as the driver gives it.
    pub name: String,
    /// Its compute capability, for example `9.0`.
    pub compute_capability: String,
    /// Its memory, in bytes.
    pub memory: u64,
    /// What it can hold; none in packs of format 1.
    #[serde(default)]
    pub limits: Option<Limits>,
}

/// What was found of NVIDIA's libraries: none, or an error where the environment names a wrong file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Libraries {
    /// The compiler.
    pub nvrtc: Result<Option<Library>, GpuError>,
    /// The matrix library.
    pub cublas: Result<Option<Library>, GpuError>,
}

/// A library that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// Its file.
    pub path: String,
    /// Its version.
    pub version: String,
}

/// Where a measurement is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// The driver compiles the PTX for its GPU.
    Loading,
    /// A and B are made and sent.
    Filling,
    /// Launches that are not timed.
    Warming,
    /// Launches that are.
    Timing {
        /// Samples so far.
        samples: usize,
        /// Their median so far, in milliseconds for one launch.
        median_ms: f64,
    },
    /// Launches on an empty cache, copies: what stands beside the time.
    Beside,
    /// C is compared with the reference.
    Checking,
    /// The launch runs once more while the hardware counts.
    Counting {
        /// Which pass over it, counted from 1.
        pass: u32,
    },
    /// The most that the GPU can do is measured.
    Ceiling {
        /// What of it.
        of: String,
    },
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loading => f.write_str("the driver compiles the PTX"),
            Self::Filling => f.write_str("filling A and B"),
            Self::Warming => f.write_str("warming up"),
            Self::Timing { samples, median_ms } => {
                write!(f, "{samples} samples, {median_ms:.3} ms")
            }
            Self::Beside => f.write_str("launches on an empty cache, copies"),
            Self::Checking => f.write_str("checking C"),
            Self::Counting { pass } => write!(f, "the hardware counts, pass {pass}"),
            Self::Ceiling { of } => f.write_str(of),
        }
    }
}

/// One measured row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The GPU or CPU that ran it: a time without it says nothing.
    pub device: String,
    /// The kernel's name, or the library's: see [`library`].
    pub kernel: String,
    /// SHA-256 of the PTX that ran; none for cuBLAS.
    pub ptx_sha256: Option<String>,
    /// The sizes of A, B and C.
    pub size: Size,
    /// Side of the tiles; none for cuBLAS.
    pub tile: Option<Tile>,
    /// Time of one launch, in milliseconds.
    pub ms: Quartiles,
    /// 10^9 floating-point operations a second, at the median time.
    pub gflops: f64,
    /// |C - reference| / |reference|; none where C holds a value that is not a finite number.
    pub relative_error: Option<f64>,
    /// The largest error that counts as right.
    pub tolerance: f64,
    /// What C was compared with.
    pub reference: Reference,
    /// SHA-256 of C, as little-endian float32.
    pub c_sha256: String,
    /// What was seen beside the time.
    #[serde(default)]
    pub beside: Beside,
}

/// What C is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reference {
    /// The whole product in float64 on the host.
    #[serde(rename = "float64")]
    Float64,
    /// Some rows of it, where the whole would take too long and there is no cuBLAS.
    #[serde(rename = "float64, sampled rows")]
    SampledRows,
    /// cuBLAS on the same GPU.
    #[serde(rename = "cuBLAS SGEMM")]
    Cublas,
    /// The same with A and B in half precision.
    #[serde(rename = "cuBLAS GemmEx")]
    CublasHalf,
}

impl Subject {
    /// A problem's kernel.
    pub fn of(problem: &Problem) -> Self {
        let (name, tile) = (problem.name().to_owned(), problem.tile());
        Self::Kernel { name, tile, gemm: problem.gemm(), call: problem.call() }
    }

    /// The kernel's name, or the library's.
    pub fn name(&self) -> &str {
        match self {
            Self::Kernel { name, .. } => name,
            Self::Cublas { precision } => library(*precision),
            Self::Cpu { loops } => loops.name(),
        }
    }

    /// Its tiles, if it is of the catalogue.
    pub fn tile(&self) -> Option<Tile> {
        match self {
            Self::Kernel { tile, .. } => *tile,
            Self::Cublas { .. } | Self::Cpu { .. } => None,
        }
    }

    /// What the elements of A and B are.
    pub fn precision(&self) -> Precision {
        if let Self::Cublas { precision } = self {
            return *precision;
        }
        let known = self.tile().and_then(|_| kernel::find(self.name()));
        known.map_or(Precision::Single, |kernel| kernel.precision)
    }

    /// What C is to become.
    pub fn gemm(&self) -> Gemm {
        match self {
            Self::Kernel { gemm, .. } => *gemm,
            Self::Cublas { .. } | Self::Cpu { .. } => Gemm::default(),
        }
    }

    /// What fills a C that has no part in its result, before the run that is checked: NaN, so that
    /// an element which is never written is seen; zeros for a foreign kernel, which may read C or
    /// add to it.
    pub fn blank(&self) -> f32 {
        match self {
            Self::Kernel { tile: None, .. } => 0.0,
            Self::Kernel { .. } | Self::Cublas { .. } | Self::Cpu { .. } => f32::NAN,
        }
    }
}

/// What cuBLAS's rows are called that multiply such elements.
pub const fn library(precision: Precision) -> &'static str {
    match precision {
        Precision::Single => "cublas",
        Precision::Half => "cublas half",
    }
}

/// Whether rows that are so called are cuBLAS's.
pub fn is_library(kernel: &str) -> bool {
    [Precision::Single, Precision::Half].map(library).contains(&kernel)
}

impl Measurement {
    /// What the elements of A and B were; float32 for a kernel that the catalogue has not.
    pub fn precision(&self) -> Precision {
        if self.kernel == library(Precision::Half) {
            return Precision::Half;
        }
        let known = self.tile.and_then(|_| kernel::find(&self.kernel));
        known.map_or(Precision::Single, |kernel| kernel.precision)
    }

    /// Whether it is cuBLAS's.
    pub fn is_library(&self) -> bool {
        is_library(&self.kernel)
    }

    /// Whether the CPU did it.
    pub fn is_cpu(&self) -> bool {
        self.beside.cores.is_some()
    }

    /// Whether C is what it should be.
    pub fn is_right(&self) -> bool {
        self.relative_error.is_some_and(|error| error <= self.tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel;
    use std::borrow::Cow;

    #[test]
    fn a_request_is_one_readable_line() {
        let ptx = Cow::Borrowed(".version 6.0\n");
        let naive = kernel::find("naive").expect("a kernel");
        let subject = Subject::of(&Problem::of(naive, 8, Size::square(64), ptx));
        let request = Request::Measure(Measure {
            subject,
            size: Size::square(64),
            seed: 1,
            device: 0,
            effort: Effort::default(),
        });
        let line = serde_json::to_string(&request).expect("a request is JSON");
        insta::assert_snapshot!(line, @r#"{"request":"measure","subject":{"run":"kernel","name":"naive","tile":8,"gemm":{"alpha":1.0,"beta":0.0},"call":{"entry":"naive","ptx":".version 6.0\n","launch":{"grid":{"x":8,"y":8,"z":1},"block":{"x":8,"y":8,"z":1}},"shared":0,"args":[{"buffer":0},{"buffer":1},{"buffer":2},{"value":{"bits":64,"bytes":4}},{"value":{"bits":64,"bytes":4}},{"value":{"bits":64,"bytes":4}}]}},"size":{"m":64,"n":64,"k":64},"seed":1,"device":0,"effort":{"warm_up_ms":100.0,"sample_ms":1.0,"least_samples":10,"spread":0.01,"budget_ms":2000.0,"beside_ms":100.0}}"#);
        assert_eq!(serde_json::from_str::<Request>(&line).expect("read back"), request);
    }

    #[test]
    fn an_error_keeps_its_kind_on_the_way() {
        let answer = Answer::Failed(GpuError::OutOfMemory { needed: 2, free: 1, total: 3 });
        let line = serde_json::to_string(&answer).expect("an answer is JSON");
        insta::assert_snapshot!(line, @r#"{"answer":"failed","kind":"out_of_memory","needed":2,"free":1,"total":3}"#);
        assert_eq!(serde_json::from_str::<Answer>(&line).expect("read back"), answer);
    }
}
