//! The host's code, run as far as it concerns the device: an interpreter of what it allocates, copies
//! and launches.
//!
//! ```text
//! source --preprocess--> tokens --parse::host--> trees --interpreter--> HostRun
//! ```
//!
//! Nothing of it runs natively, and its steps are limited. What cannot be evaluated is an unknown value
//! that knows its line; it matters only where it reaches the device.

mod api;
mod call;
mod expression;
mod interpreter;
mod memory;
mod value;

use crate::at::Pos;
use crate::compiled::CompileOptions;
use crate::parse::{self, HostModule};
use crate::token::{Token, TokenClass};
use crate::{namespace, preprocess};
use std::sync::Arc;

/// What the host does to the device, in its order.
#[derive(Clone, Debug, Default)]
pub struct HostRun {
    pub buffers: Vec<HostBuffer>,
    pub steps: Vec<HostStep>,
    /// Whether it moves data between itself and the device: then what it never wrote is not written.
    pub copies: bool,
    /// Why it was not run to its end.
    pub stopped: Option<Unknown>,
}

/// Something that could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    pub line: u32,
    pub why: String,
}

/// An allocation of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostBuffer {
    /// The variable that it was allocated for.
    pub name: String,
    pub bytes: u64,
    /// The type of its elements, as C names it.
    pub of: String,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub enum HostStep {
    Launch(Box<DeviceLaunch>),
    /// The host writes a buffer.
    Write {
        to: DevicePlace,
        data: HostData,
        line: u32,
    },
    Copy {
        from: DevicePlace,
        to: DevicePlace,
        bytes: u64,
    },
    /// The host writes a variable of the device.
    WriteSymbol {
        name: String,
        offset: u64,
        data: HostData,
    },
    /// The host waits for all streams, or orders them by an event.
    Synchronise,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevicePlace {
    pub buffer: usize,
    pub offset: u64,
}

/// Bytes that the host writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostData {
    /// So many times this byte.
    Same(u8, u64),
    Bytes(Arc<[u8]>, Arc<[ByteState]>),
    /// So many bytes whose values are not known.
    Unknown(u64),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteState {
    #[default]
    NeverWritten,
    Known,
    Unknown,
    /// What a kernel may have left there.
    OfDevice,
}

/// A launch of a kernel with what the host gives it.
#[derive(Clone, Debug)]
pub struct DeviceLaunch {
    pub kernel: String,
    /// The arguments of its template, given or deduced; `None` for one that is not known.
    pub list: Vec<Option<String>>,
    pub line: u32,
    pub grid: Result<[u32; 3], Unknown>,
    pub block: Result<[u32; 3], Unknown>,
    pub shared: Result<u64, Unknown>,
    pub cluster: Option<[u32; 3]>,
    pub is_cooperative: bool,
    pub stream: u64,
    pub args: Vec<HostArgument>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HostArgument {
    Buffer(DevicePlace),
    /// A pointer that is null, or to memory of the host.
    NoDevice {
        is_null: bool,
    },
    Number {
        bits: u64,
        bytes: u8,
        shown: String,
    },
    /// A structure with the pointers in it, each at its offset.
    Bytes(Vec<u8>, Vec<(u32, DevicePlace)>),
    Unknown(Unknown),
}

impl DeviceLaunch {
    /// The kernel with the arguments of its template, if it has such and they are known.
    pub fn instance(&self) -> Option<String> {
        let all: Option<Vec<_>> = self.list.iter().cloned().collect();
        all.filter(|all| !all.is_empty()).map(|all| format!("{}<{}>", self.kernel, all.join(", ")))
    }
}

/// The types and constants of CUDA that host code names.
const PRELUDE: &str = "
struct dim3 { unsigned int x, y, z; };
typedef int cudaError_t; typedef int cudaError; typedef int CUresult; typedef int cublasStatus_t;
typedef unsigned long long cudaStream_t; typedef unsigned long long cudaEvent_t;
typedef unsigned long long clock_t; typedef long long time_t; typedef long long ptrdiff_t;
typedef long long intptr_t; typedef unsigned long long uintptr_t;
typedef int cudaMemcpyKind;
typedef __half half; typedef __nv_bfloat16 nv_bfloat16; typedef __half2 half2;
struct cudaLaunchClusterValue { unsigned int x, y, z; };
struct cudaLaunchAttributeValue { cudaLaunchClusterValue clusterDim; int cooperative; };
struct cudaLaunchAttribute { int id; cudaLaunchAttributeValue val; };
struct cudaLaunchConfig_t { dim3 gridDim; dim3 blockDim; unsigned long long dynamicSmemBytes;
  unsigned long long stream; cudaLaunchAttribute *attrs; unsigned int numAttrs; };
enum { cudaSuccess, CUDA_SUCCESS = 0, CUBLAS_STATUS_SUCCESS = 0 };
enum { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum { cudaLaunchAttributeCooperative = 2, cudaLaunchAttributeClusterDimension = 4 };
enum { EXIT_SUCCESS, EXIT_FAILURE, RAND_MAX = 2147483647, INT_MAX = 2147483647 };
enum { cudaStreamNonBlocking = 1, cudaMemAttachGlobal = 1, cudaHostAllocDefault = 0 };
const float FLT_MAX = 3.402823466e38f; const float FLT_MIN = 1.175494351e-38f;
const double M_PI = 3.14159265358979323846;
";

/// Runs the host's code of a source, which is compiled with these options.
pub(crate) fn run(source: &str, options: &CompileOptions<'_>) -> Option<HostRun> {
    let prelude = preprocess::preprocess(PRELUDE, &CompileOptions::default()).ok()?;
    let tokens = namespace::flattened(preprocess::preprocess(source, options).ok()?);
    let module = parse::host(&ended(prelude), &ended(tokens));
    interpreter::run(&module)
}

/// The tokens with their end, which a parser needs.
fn ended(mut tokens: Vec<Token>) -> Vec<Token> {
    if tokens.last().is_none_or(|last| last.kind != TokenClass::End) {
        tokens.push(Token { kind: TokenClass::End, text: "".into(), at: Pos::START });
    }
    tokens
}

/// Whether a file has a `main`, or nothing that launches.
fn entry(module: &HostModule) -> Option<usize> {
    module.functions.iter().position(|one| &*one.own.name == "main")
}

#[cfg(test)]
mod tests;
