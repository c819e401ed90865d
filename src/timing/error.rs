//! Errors of the GPU and its worker, and the advice for each.

use super::advice;
use super::excess::Excess;
use crate::kernel::{EMBEDDED_TILES, Tile};
use crate::timing::pack::NoSuchGpu;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An error of this room. The worker sends it to the program unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GpuError {
    /// libcuda is not installed.
    #[error(
        "no NVIDIA driver found on this machine; the simulation and the recorded times need none"
    )]
    NoDriver,
    /// The driver finds no GPU.
    #[error("the NVIDIA driver sees no GPU ({reason}); `nvidia-smi` should list one")]
    NoGpu {
        /// The driver's own message.
        reason: String,
    },
    /// The requested GPU is not among those found.
    #[error(transparent)]
    NoSuchGpu(#[from] NoSuchGpu),
    /// The driver does not support the PTX's version.
    #[error(
        "the driver ({driver}) is too old for PTX {ptx}; update the NVIDIA driver, or use one of \
         the embedded tile sizes ({})",
        embedded_tiles()
    )]
    DriverTooOld {
        /// The version in the module's `.version`.
        ptx: String,
        /// The driver's version.
        driver: String,
    },
    /// The matrices do not fit into memory.
    #[error("this size needs {} of the device's memory, of whose {} only {} are free; choose a smaller size",
        Bytes(*needed), Bytes(*total), Bytes(*free))]
    OutOfMemory {
        /// Bytes for A, B and C.
        needed: u64,
        /// Bytes free on the device.
        free: u64,
        /// Bytes in total.
        total: u64,
    },
    /// The launch exceeds a limit.
    #[error("{0}")]
    Excess(Excess),
    /// The module was compiled for another GPU.
    #[error(
        "this kernel was compiled for {target}, and this GPU has compute capability {capability}; {}",
        if target.ends_with('a') {
            "code for an architecture whose name ends in `a` runs on that one alone"
        } else {
            "compile it for an architecture that the GPU has (--arch)"
        }
    )]
    Architecture {
        /// The module's `.target`.
        target: String,
        /// The GPU's compute capability, for example `8.6`.
        capability: String,
    },
    /// Any other error of the driver.
    #[error("{doing} failed: {reason}; `matviz doctor` shows what works on this machine")]
    Driver {
        /// The operation that failed.
        doing: String,
        /// The driver's name for the error and its description.
        reason: String,
    },
    /// A tile that a kernel cannot be compiled for.
    #[error("{kernel} has no tile {tile}: give {}", crate::kernel::tiles_of(kernel))]
    Tile {
        kernel: String,
        /// The requested tile.
        tile: Tile,
    },
    /// A kernel that is not in the catalogue.
    #[error("there is no kernel `{name}`")]
    NoKernel {
        /// The requested name.
        name: String,
    },
    /// A tile size that is not embedded, without a compiler for it.
    #[error(
        "tile {tile} must be compiled and NVRTC is not found: use an embedded size ({}), or get \
         NVRTC with the CUDA toolkit or, in a virtual environment of Python, \
         `pip install nvidia-cuda-nvrtc-cu12`",
        embedded_tiles()
    )]
    NoNvrtc {
        /// The requested size.
        tile: Tile,
    },
    /// A source must be compiled, and there is no compiler.
    #[error(
        "NVRTC is not found, which compiles CUDA C++: it comes with the CUDA toolkit or, in a \
         virtual environment of Python, with `pip install nvidia-cuda-nvrtc-cu12`"
    )]
    NoCompiler,
    /// An environment variable names a library that cannot be loaded.
    #[error("{variable} names {path}, which cannot be loaded ({reason}); correct or unset it")]
    Library {
        variable: String,
        /// The file that it names.
        path: String,
        /// The loader's message.
        reason: String,
    },
    /// NVRTC itself failed.
    #[error("NVRTC could not {stage}: {reason}; try another version (MATVIZ_NVRTC names its file)")]
    Nvrtc {
        /// The stage at which it failed.
        stage: NvrtcStage,
        /// Its status, or the loader's message.
        reason: String,
    },
    /// The source does not compile.
    #[error("{file} does not compile: {}", advice::with_advice(log))]
    Compile {
        /// The source's name.
        file: String,
        /// NVRTC's log.
        log: String,
    },
    /// cuBLAS was to be measured and is absent.
    #[error(
        "cuBLAS is not found; it comes with the CUDA toolkit or, in a virtual environment of \
         Python, with `pip install nvidia-cublas-cu12`"
    )]
    NoCublas,
    /// The hardware's counters were requested and CUPTI is absent.
    #[error(
        "the hardware's counters are read through CUPTI, which is not found: looked for {searched}; \
         it comes with the CUDA toolkit or, in a virtual environment of Python, with \
         `pip install nvidia-cuda-cupti-cu12`"
    )]
    NoCupti {
        /// The file names, and the places where they were looked for.
        searched: String,
    },
    /// The driver gives access to the hardware's counters only to administrators.
    #[error(
        "the driver shows the hardware's counters to administrators alone (ERR_NVGPUCTRPERM); an \
         administrator allows it {}",
        if cfg!(windows) {
            "in the NVIDIA Control Panel: Desktop, Enable Developer Settings, then Developer, \
             Manage GPU Performance Counters, Allow access to all users"
        } else {
            "with the line `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in a file of \
             /etc/modprobe.d and a restart, or runs this with CAP_SYS_ADMIN (a container: \
             --cap-add=SYS_ADMIN)"
        }
    )]
    CountersRefused,
    /// Any other error of CUPTI.
    #[error("the hardware's counters cannot be read: {function} says: {reason}")]
    Cupti {
        /// The function that failed.
        function: String,
        /// CUPTI's name for the error.
        reason: String,
    },
    /// Several GPUs were to share B, and NCCL is absent.
    #[error(
        "several GPUs need NCCL, which is not found; it comes with NVIDIA's packages (libnccl2) or, \
         in a virtual environment of Python, with `pip install nvidia-nccl-cu12`"
    )]
    NoNccl,
    /// The CPU would take too long.
    #[error("{name} at {size} would take this CPU about {seconds} s and is not measured")]
    TooSlow {
        /// The row's name.
        name: String,
        /// The requested size.
        size: String,
        /// The time of one product, estimated from some of its rows.
        seconds: u64,
    },
    /// The worker could not be started.
    #[error("the measuring process could not be started: {reason}")]
    Spawn {
        /// The system's message.
        reason: String,
    },
    /// The worker ended in the middle of a request.
    #[error(
        "the measuring process died ({how}){}; the next measurement starts a new one",
        StderrTail(last_words)
    )]
    Died {
        /// The signal or exit code.
        how: String,
        /// The last line that it wrote to stderr, or an empty string.
        last_words: String,
    },
    /// The worker was silent for too long and was killed.
    #[error(
        "the GPU gave no answer for {seconds} s and the measuring process was ended; raise \
         --limit seconds=N if the size is that large"
    )]
    Silent {
        /// The time limit.
        seconds: u64,
    },
    /// A line that is not a request or not an answer.
    #[error("not understood between the program and its measuring process: {line}")]
    Protocol {
        /// The line, or the parser's message.
        line: String,
    },
    /// The session was closed during the request.
    #[error("cancelled")]
    Cancelled,
}

impl GpuError {
    /// Whether the error concerns the counters of every launch, rather than those of one.
    pub const fn keeps_all_counters(&self) -> bool {
        matches!(
            self,
            Self::NoCupti { .. }
                | Self::CountersRefused
                | Self::Cupti { .. }
                | Self::Library { .. }
                | Self::Silent { .. }
                | Self::Died { .. }
                | Self::Cancelled
        )
    }
}

/// A stage of NVRTC's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NvrtcStage {
    /// Loading the library and its functions.
    Load,
    /// Reading the source.
    Create,
    /// Returning the result.
    Read,
}

impl fmt::Display for NvrtcStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Load => "be loaded",
            Self::Create => "take the source",
            Self::Read => "hand out its result",
        })
    }
}

/// A number of bytes, displayed in a suitable unit.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1_000_000 => write!(f, "{:.0} kB", bytes / 1e3),
            1_000_000..10_000_000_000 => write!(f, "{:.0} MB", bytes / 1e6),
            _ => write!(f, "{:.0} GB", bytes / 1e9),
        }
    }
}

/// The last line of stderr, if there is one.
struct StderrTail<'a>(&'a str);

impl fmt::Display for StderrTail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ", saying: {}", self.0) }
    }
}

/// The embedded tile sizes, as a comma-separated list.
fn embedded_tiles() -> String {
    EMBEDDED_TILES.map(|tile| tile.to_string()).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_is_told_in_numbers() {
        let error =
            GpuError::OutOfMemory { needed: 805_306_368, free: 300_000_000, total: 2_000_000_000 };
        insta::assert_snapshot!(error, @"this size needs 805 MB of the device's memory, of whose 2000 MB only 300 MB are free; choose a smaller size");
    }

    #[test]
    fn a_missing_compiler_names_the_ways_out() {
        insta::assert_snapshot!(GpuError::NoNvrtc { tile: 12.into() }, @"tile 12 must be compiled and NVRTC is not found: use an embedded size (4, 8, 16, 32), or get NVRTC with the CUDA toolkit or, in a virtual environment of Python, `pip install nvidia-cuda-nvrtc-cu12`");
    }

    #[test]
    fn last_words_are_repeated_only_if_there_were_any() {
        let died =
            |words: &str| GpuError::Died { how: "signal 6".into(), last_words: words.into() };
        assert!(died("").to_string().contains("died (signal 6); the next"));
        assert!(died("oh").to_string().contains("died (signal 6), saying: oh; the next"));
    }
}
