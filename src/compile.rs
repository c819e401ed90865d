//! The compilers that turn a user's CUDA C into PTX: matviz's own, NVRTC, and clang.

pub mod include;
pub mod python;

mod own_folders;

use crate::file;
use crate::timing::GpuError;
use crate::timing::protocol::Compile;
use cudac::DeviceCode;
use own_folders::SourceFolders;
use std::fs;
use std::process::Command;

/// What is compiled, and whether to be measured.
#[derive(Clone, Debug)]
pub struct CompileJob {
    /// The source and how NVRTC is to compile it.
    pub wanted: Compile,
    /// Whether speed matters more than that an instruction of the source is one of the PTX.
    pub to_measure: bool,
}

impl CompileJob {
    /// Compiles with matviz's own compiler.
    ///
    /// # Errors
    /// What is wrong, or outside its subset, with its line.
    pub fn own(&self) -> Result<String, cudac::Error> {
        let Compile { file, defines, instances, .. } = &self.wanted;
        let DeviceCode { text, headers, .. } = self.device_code();
        let rolled = !self.to_measure;
        let options = cudac::CompileOptions { file, defines, headers: &headers, instances, rolled };
        let entry = self.wanted.entry.as_deref();
        cudac::compile_for(&text, &options, entry).map(|compiled| compiled.ptx)
    }

    /// Whether the source has the host's code beside the kernels.
    pub fn is_mixed(&self) -> bool {
        file_of(&self.wanted).is_mixed()
    }

    /// The source without the host's code.
    pub fn device_code(&self) -> DeviceCode {
        file_of(&self.wanted).device_code(&self.wanted.instances)
    }

    /// Compiles with NVRTC in the worker: it maps 100 MB and can crash.
    ///
    /// # Errors
    /// There is no NVRTC, or its log.
    pub fn nvrtc(&self) -> Result<String, GpuError> {
        let DeviceCode { text, prelude, headers, .. } = self.device_code();
        let text = if prelude.is_empty() { text } else { format!("{prelude}#line 1\n{text}") };
        let wanted = Compile { text, headers, ..self.wanted.clone() };
        compiled_by_worker(wanted)
    }

    /// Compiles with NVRTC or, without it, with clang: what is outside the subset of the own one.
    ///
    /// # Errors
    /// NVRTC's log, or `None` without any other compiler that takes the source.
    pub fn elsewhere(&self) -> Result<String, Option<String>> {
        match self.nvrtc() {
            Err(GpuError::NoCompiler) => self.clang().ok().ok_or(None),
            other => other.map_err(|failed| Some(failed.to_string())),
        }
    }

    /// Compiles with clang, without NVIDIA's headers.
    ///
    /// # Errors
    /// There is no clang, or what it says.
    pub fn clang(&self) -> Result<String, String> {
        let folder =
            tempfile::tempdir().map_err(|error| format!("no folder for clang: {error}"))?;
        let source = folder.path().join(&self.wanted.file);
        let DeviceCode { text, prelude, .. } = self.device_code();
        fs::write(&source, format!("{PRELUDE}{prelude}#line 1\n{text}"))
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
            .args(self.wanted.defines.iter().map(|define| format!("-D{define}")));
        let done = clang.arg(&source).arg("-o").arg(&output).output();
        let done = done.map_err(|error| format!("clang was not found: {error}"))?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).trim().to_owned());
        }
        fs::read_to_string(&output).map_err(|error| error.to_string())
    }
}

#[cfg(feature = "native")]
fn compiled_by_worker(wanted: Compile) -> Result<String, GpuError> {
    use crate::gpu::client::{Client, Launcher, PATIENCE};
    Client::new(Launcher::default(), PATIENCE).compile_source(wanted)
}

/// A browser has no NVRTC.
#[cfg(not(feature = "native"))]
fn compiled_by_worker(_: Compile) -> Result<String, GpuError> {
    Err(GpuError::NoCompiler)
}

/// The largest header that is read, in bytes.
const LARGEST_HEADER: u64 = 4 << 20;

/// A source with the headers of its own, as far as they may be read.
pub fn file_of(source: &Compile) -> cudac::CudaFile {
    let own = SourceFolders::of(&source.folders);
    let whole = cudac::CudaFile::new(&source.text, |name| {
        if let Some((_, text)) = source.headers.iter().find(|(own, _)| own == name) {
            return Some(text.clone());
        }
        let places = source.folders.iter().map(|folder| folder.join(name));
        let mut places = places.filter(|path| own.has(path));
        let text = places.find_map(|path| file::read(&path, LARGEST_HEADER).ok())?;
        String::from_utf8(text).ok()
    });
    whole.defining(&source.defines)
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
