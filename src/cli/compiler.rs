//! Which compiler turns a user's CUDA C into PTX: matviz's own, NVRTC, or clang.

use crate::cuda;
use crate::gpu::GpuError;
use crate::gpu::client::{Client, Launcher, PATIENCE};
use crate::gpu::protocol::Compile;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A choice of `--compiler`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Compiler {
    /// matviz's own if the source is in its subset, otherwise NVRTC, otherwise clang; to measure,
    /// NVRTC first
    #[default]
    Auto,
    /// matviz's own: the CUDA C of the course, with nothing to install
    Matviz,
    /// NVIDIA's run-time compiler, if it is found
    Nvrtc,
    /// clang, if it is found
    Clang,
}

/// A source that no compiler accepted; exit code 3.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotCompiled(pub String);

/// What is compiled, and whether to be measured.
#[derive(Debug)]
pub(super) struct Job<'a> {
    /// The source and how NVRTC is to compile it.
    pub wanted: Compile,
    /// The file, as the user named it.
    pub file: &'a Path,
    /// Whether speed matters more than that an instruction of the source is one of the PTX.
    pub to_measure: bool,
}

impl Compiler {
    /// Compiles a source to PTX.
    ///
    /// # Errors
    /// What is wrong with the source, or with the compiler.
    pub(super) fn compile(self, job: &Job) -> Result<String, NotCompiled> {
        match self {
            Self::Matviz => own(job).map_err(|error| told(job, &error)),
            Self::Nvrtc => nvrtc(job).map_err(|error| NotCompiled(error.to_string())),
            Self::Clang => clang(job).map_err(NotCompiled),
            Self::Auto if job.to_measure => {
                nvrtc(job).or_else(|_| own(job)).map_err(|error| told(job, &error))
            }
            Self::Auto => own(job).or_else(|error| elsewhere(job, &error)),
        }
    }
}

/// matviz's own compiler.
fn own(job: &Job) -> Result<String, cuda::Error> {
    let Compile { file, text, defines, .. } = &job.wanted;
    let options = cuda::Options { file, defines, rolled: !job.to_measure };
    cuda::compile(text, &options).map(|compiled| compiled.ptx)
}

/// The others, for a source that matviz's own does not compile.
fn elsewhere(job: &Job, error: &cuda::Error) -> Result<String, NotCompiled> {
    let found = match nvrtc(job) {
        Err(GpuError::NoCompiler) => clang(job).ok().ok_or(None),
        // NVRTC's log has the same mistake in other words, and more of it.
        other => other.map_err(|failed| error.outside.then(|| failed.to_string())),
    };
    found.map_err(|log| log.map_or_else(|| told(job, error), NotCompiled))
}

fn told(job: &Job, error: &cuda::Error) -> NotCompiled {
    NotCompiled(error.render(&job.wanted.text, &job.file.display().to_string()))
}

/// Compiles in the worker: NVRTC maps 100 MB and can crash.
fn nvrtc(job: &Job) -> Result<String, GpuError> {
    Client::new(Launcher::default(), PATIENCE).compile_source(job.wanted.clone())
}

/// What clang is told of CUDA without NVIDIA's headers.
const PRELUDE: &str = "\
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
#include <__clang_cuda_builtin_vars.h>
";

/// Compiles with clang, without NVIDIA's headers.
fn clang(job: &Job) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for clang: {error}"))?;
    let source = folder.path().join(&job.wanted.file);
    fs::write(&source, format!("{PRELUDE}#line 1\n{}", job.wanted.text))
        .map_err(|error| error.to_string())?;
    let output = folder.path().join("out.ptx");
    let mut clang = Command::new("clang");
    clang.args([
        "-x",
        "cuda",
        "--cuda-device-only",
        "-nocudainc",
        "-nocudalib",
        "-S",
        "-O2",
        "-gline-tables-only",
    ]);
    clang
        .arg("--cuda-gpu-arch=sm_80")
        .args(job.wanted.defines.iter().map(|define| format!("-D{define}")));
    let done = clang.arg(&source).arg("-o").arg(&output).output();
    let done = done.map_err(|error| format!("clang was not found: {error}"))?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).trim().to_owned());
    }
    fs::read_to_string(&output).map_err(|error| error.to_string())
}
