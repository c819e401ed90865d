//! The messages between the program and its worker: one JSON object per line.
//!
//! The program sends one request at a time. The worker answers with any number of
//! [`Response::Progress`] and then exactly one other answer.

use super::GpuError;
use crate::kernel::{Call, Tile};
use crate::timing::{
    Ceilings, CountRequest, Gpus, HardwareCounts, Measure, Measurement, MultiGpuRequest,
    MultiGpuResult, Timed, Timing,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// A request of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// List the GPUs. Answered by [`Response::Gpus`].
    Probe,
    /// Find NVIDIA's libraries. Answered by [`Response::Libraries`].
    Libraries,
    /// Compile a kernel for a tile size. Answered by [`Response::Ptx`].
    Compile {
        /// Its name in the catalogue.
        kernel: String,
        tile: Tile,
        /// Whether its loop over k is kept as written, not unrolled.
        rolled: bool,
    },
    /// Compile a source. Answered by [`Response::Ptx`].
    CompileSource(Compile),
    /// Measure one row. Answered by [`Response::Measured`].
    Measure(Measure),
    /// Read the hardware's counters of one launch. Answered by [`Response::Counted`].
    Count(CountRequest),
    /// Time a launch on any buffers. Answered by [`Response::Timed`].
    Time(Timing),
    /// Run a launch once on any buffers. Answered by [`Response::Executed`].
    Execute(Execute),
    /// Run one matrix product on several GPUs. Answered by [`Response::Spread`].
    Spread(MultiGpuRequest),
    /// Measure a GPU's ceilings. Answered by [`Response::Ceilings`].
    Ceilings {
        /// The GPU's number, counted from 0.
        device: u32,
    },
}

/// A launch to run once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execute {
    /// The launch.
    pub call: Call,
    /// The contents of the buffers before it, as 4-byte words.
    pub buffers: Vec<Vec<u32>>,
    /// The GPU's number, counted from 0.
    pub device: u32,
}

/// A source to compile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compile {
    /// Its file's name, for messages.
    pub file: String,
    /// CUDA C++.
    pub text: String,
    /// A virtual architecture, for example `compute_80`.
    pub arch: String,
    /// Macros, each `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// The folders searched for the headers that it includes; its own comes first.
    pub folders: Vec<PathBuf>,
    /// Headers that are given here, by the names that include them.
    pub headers: Vec<(String, String)>,
    /// Kernels that are templates, with their arguments: `mm<16, float>`.
    pub instances: Vec<String>,
    /// The kernel that is launched, if it is known: our own compiler leaves out others that it cannot
    /// compile.
    pub entry: Option<String>,
}

/// The worker's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Response {
    /// The driver and its GPUs, at least one.
    Gpus(Gpus),
    /// NVIDIA's libraries.
    Libraries(Libraries),
    /// A compiled module.
    Ptx { ptx: String },
    /// The phase that a measurement has reached.
    Progress(Phase),
    /// A finished measurement.
    Measured(Box<Measurement>),
    /// The hardware's counters for a launch.
    Counted(HardwareCounts),
    /// The times of a launch.
    Timed(Box<Timed>),
    /// The contents of the buffers after a launch.
    Executed {
        /// Each buffer as 4-byte words, in the order of the request.
        buffers: Vec<Vec<u32>>,
    },
    /// The result of a product on several GPUs.
    Spread(Box<MultiGpuResult>),
    /// A GPU's ceilings.
    Ceilings(Box<Ceilings>),
    /// The request could not be fulfilled.
    Failed(GpuError),
}

/// NVIDIA's libraries on this machine: each found, absent (`None`), or an error if the environment
/// names a wrong file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Libraries {
    /// NVRTC, the compiler.
    pub nvrtc: Result<Option<Library>, GpuError>,
    /// cuBLAS, the matrix library.
    pub cublas: Result<Option<Library>, GpuError>,
}

/// A library that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// Its file.
    pub path: String,
    pub version: String,
}

/// A phase of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// The driver compiles the PTX for its GPU.
    Loading,
    /// A and B are filled and sent to the GPU.
    Filling,
    /// Untimed launches.
    Warming,
    /// Timed launches.
    Timing {
        /// The number of samples so far.
        samples: usize,
        /// Their median so far, in milliseconds per launch.
        median_ms: f64,
    },
    /// Launches on an empty cache, and copies: the telemetry of a measurement.
    Beside,
    /// C is compared with the reference.
    Checking,
    /// The launch runs once more while the hardware counts.
    Counting {
        /// The pass, counted from 1.
        pass: u32,
    },
    /// A ceiling of the GPU is measured.
    Ceiling { of: String },
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{self, Problem};
    use crate::matrix::Size;
    use crate::timing::{SamplingPlan, Subject};
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
            effort: SamplingPlan::default(),
        });
        let line = serde_json::to_string(&request).expect("a request is JSON");
        insta::assert_snapshot!(line, @r#"{"request":"measure","subject":{"run":"kernel","name":"naive","tile":{"m":8,"n":8,"k":8},"gemm":{"alpha":1.0,"beta":0.0},"layouts":[{"of":"f32","major":"row","lead":null},{"of":"f32","major":"row","lead":null},{"of":"f32","major":"row","lead":null}],"rounding":0.0,"call":{"entry":"naive","ptx":".version 6.0\n","launch":{"grid":{"x":8,"y":8,"z":1},"block":{"x":8,"y":8,"z":1}},"shared":0,"args":[{"buffer":0},{"buffer":1},{"buffer":2},{"value":{"bits":64,"bytes":4}},{"value":{"bits":64,"bytes":4}},{"value":{"bits":64,"bytes":4}}]}},"size":{"m":64,"n":64,"k":64},"seed":1,"device":0,"effort":{"warm_up_ms":100.0,"sample_ms":1.0,"least_samples":10,"spread":0.01,"budget_ms":2000.0,"beside_ms":100.0}}"#);
        assert_eq!(serde_json::from_str::<Request>(&line).expect("read back"), request);
    }

    #[test]
    fn an_error_keeps_its_kind_on_the_way() {
        let answer = Response::Failed(GpuError::OutOfMemory { needed: 2, free: 1, total: 3 });
        let line = serde_json::to_string(&answer).expect("an answer is JSON");
        insta::assert_snapshot!(line, @r#"{"answer":"failed","kind":"out_of_memory","needed":2,"free":1,"total":3}"#);
        assert_eq!(serde_json::from_str::<Response>(&line).expect("read back"), answer);
    }
}
