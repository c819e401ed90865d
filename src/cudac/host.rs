//! The host's code, run as far as it concerns the device: an interpreter of what it allocates, copies
//! and launches.
//!
//! ```text
//! source --preprocess--> tokens --parse::host--> trees --interpreter--> HostRun
//! ```
//!
//! Nothing of it runs natively, and its steps are limited. What cannot be evaluated is an unknown value
//! that knows its line; it matters only where it reaches the device.

mod algorithm;
mod api;
mod call;
mod construct;
mod declaration;
mod effect;
mod entry;
mod expression;
mod input;
mod interpreter;
mod launch;
mod memory;
mod operator;
mod stream;
mod tensor_map;
mod value;

pub use effect::{
    ByteState, DeviceLaunch, DevicePlace, HostArgument, HostAssumption, HostBuffer, HostData,
    HostRun, HostStep, HostTensorMap, HostTransfer, StreamOrder, Unknown,
};
pub(crate) use interpreter::HowToRun;
pub use interpreter::{HostPatience, NamedNumbers};

use crate::at::Pos;
use crate::compiled::CompileOptions;
use crate::parse;
use crate::token::{Token, TokenClass};
use crate::{namespace, preprocess};

/// The types and constants of CUDA that host code names.
const PRELUDE: &str = "
struct dim3 { unsigned int x, y, z; };
typedef int cudaError_t; typedef int cudaError; typedef int CUresult; typedef int cublasStatus_t;
typedef unsigned long long cudaTextureObject_t; typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long cudaStream_t; typedef unsigned long long cudaEvent_t;
typedef unsigned long long clock_t; typedef long long time_t; typedef long long ptrdiff_t;
typedef long long intptr_t; typedef unsigned long long uintptr_t;
typedef int cudaMemcpyKind;
typedef __half half; typedef __nv_bfloat16 nv_bfloat16; typedef __half2 half2;
struct cudaDeviceProp { char name[256]; unsigned long long totalGlobalMem, sharedMemPerBlock, totalConstMem;
  unsigned long long sharedMemPerMultiprocessor, memPitch, textureAlignment; int regsPerBlock, regsPerMultiprocessor, warpSize;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor, multiProcessorCount;
  int maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, memoryClockRate, memoryBusWidth, l2CacheSize;
  int concurrentKernels, unifiedAddressing, managedMemory, cooperativeLaunch, deviceOverlap, asyncEngineCount;
  int integrated, canMapHostMemory, kernelExecTimeoutEnabled, concurrentManagedAccess, pageableMemoryAccess; };
struct curandStateXORWOW { unsigned int d, v[5]; int boxmuller, boxmuller_double; float extra; double extra_double; };
typedef curandStateXORWOW curandState; typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandStateXORWOW_t;
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
struct CUtensorMap { unsigned long long opaque[16]; };
typedef unsigned int cuuint32_t; typedef unsigned long long cuuint64_t;
enum { CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT32,
  CU_TENSOR_MAP_DATA_TYPE_INT32, CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 };
enum { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
  CU_TENSOR_MAP_SWIZZLE_128B };
const float FLT_MAX = 3.402823466e38f; const float FLT_MIN = 1.175494351e-38f;
const double M_PI = 3.14159265358979323846;
";

/// Runs the host's code of a source, which is compiled with these options.
pub(crate) fn run(
    source: &str,
    options: &CompileOptions<'_>,
    how: HowToRun<'_>,
) -> Option<HostRun> {
    let prelude = preprocess::preprocess(PRELUDE, &CompileOptions::default()).ok()?;
    let tokens = namespace::flattened(preprocess::preprocess(source, options).ok()?);
    let module = parse::host(&ended(prelude), &ended(tokens));
    entry::run(&module, how)
}

/// The tokens with their end, which a parser needs.
fn ended(mut tokens: Vec<Token>) -> Vec<Token> {
    if tokens.last().is_none_or(|last| last.kind != TokenClass::End) {
        tokens.push(Token { kind: TokenClass::End, text: "".into(), at: Pos::START });
    }
    tokens
}

#[cfg(test)]
mod tests;
