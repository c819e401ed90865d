//! What can go wrong between here and the GPU, and what to do about it.

use super::excess::Excess;
use crate::kernel::{EMBEDDED_TILES, Tile};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An error of the room; it travels from the worker as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GpuError {
    /// libcuda is not installed.
    #[error(
        "no NVIDIA driver found on this machine; the simulation and the recorded times need none"
    )]
    NoDriver,
    /// The driver is there and sees no GPU.
    #[error("the NVIDIA driver sees no GPU ({reason}); `nvidia-smi` should list one")]
    NoGpu {
        /// The driver's own words.
        reason: String,
    },
    /// The GPU asked for is not among those found.
    #[error("there is no GPU {asked}: this machine has {found}, counted from 0")]
    NoSuchGpu {
        /// The number asked for.
        asked: u32,
        /// How many there are.
        found: u32,
    },
    /// The driver refuses the PTX's version.
    #[error(
        "the driver ({driver}) is too old for PTX {ptx}; update the NVIDIA driver, or use one of \
         the embedded tile sizes ({})",
        embedded_tiles()
    )]
    DriverTooOld {
        /// The version that the module's `.version` asks for.
        ptx: String,
        /// The driver's version.
        driver: String,
    },
    /// The matrices do not fit.
    #[error("this size needs {} of the device's memory, of whose {} only {} are free; choose a smaller size",
        Bytes(*needed), Bytes(*total), Bytes(*free))]
    OutOfMemory {
        /// Bytes for A, B and C.
        needed: u64,
        /// Bytes free on the device.
        free: u64,
        /// Bytes that it has.
        total: u64,
    },
    /// The launch has too much of something.
    #[error("{0}")]
    Excess(Excess),
    /// The module was written for another GPU.
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
    /// Any other answer of the driver.
    #[error("{doing} failed: {reason}; `matviz doctor` shows what works on this machine")]
    Driver {
        /// What was being done.
        doing: String,
        /// The driver's name for the error and its words.
        reason: String,
    },
    /// A tile that a kernel cannot be compiled for.
    #[error("{kernel} has no tile {tile}: give {}", crate::kernel::tiles_of(kernel))]
    Tile {
        /// The kernel.
        kernel: String,
        /// The tile asked for.
        tile: Tile,
    },
    /// A kernel that is not in the catalogue.
    #[error("there is no kernel `{name}`")]
    NoKernel {
        /// The name asked for.
        name: String,
    },
    /// A tile size that is not embedded, and no compiler for it.
    #[error(
        "tile {tile} must be compiled and NVRTC is not found: use an embedded size ({}), or get \
         NVRTC with the CUDA toolkit or, in a virtual environment of Python, \
         `pip install nvidia-cuda-nvrtc-cu12`",
        embedded_tiles()
    )]
    NoNvrtc {
        /// The size asked for.
        tile: Tile,
    },
    /// A source is to be compiled, and there is no compiler for it.
    #[error(
        "NVRTC is not found, which compiles CUDA C++: it comes with the CUDA toolkit or, in a \
         virtual environment of Python, with `pip install nvidia-cuda-nvrtc-cu12`"
    )]
    NoCompiler,
    /// An environment variable names a library that cannot be loaded.
    #[error("{variable} names {path}, which cannot be loaded ({reason}); correct or unset it")]
    Library {
        /// The variable.
        variable: String,
        /// What it names.
        path: String,
        /// The loader's words.
        reason: String,
    },
    /// NVRTC itself failed.
    #[error("NVRTC could not {stage}: {reason}; try another version (MATVIZ_NVRTC names its file)")]
    Nvrtc {
        /// What it was asked to do.
        stage: NvrtcStage,
        /// Its status, or the loader's words.
        reason: String,
    },
    /// The source does not compile.
    #[error("{file} does not compile:\n{log}")]
    Compile {
        /// The source's name.
        file: String,
        /// NVRTC's log.
        log: String,
    },
    /// cuBLAS was to be measured and is not there.
    #[error(
        "cuBLAS is not found; it comes with the CUDA toolkit or, in a virtual environment of \
         Python, with `pip install nvidia-cublas-cu12`"
    )]
    NoCublas,
    /// The hardware's counters were asked for and CUPTI is not there.
    #[error(
        "the hardware's counters are read through CUPTI, which is not found: looked for {searched}; \
         it comes with the CUDA toolkit or, in a virtual environment of Python, with \
         `pip install nvidia-cuda-cupti-cu12`"
    )]
    NoCupti {
        /// The files, and the places where they were looked for.
        searched: String,
    },
    /// The driver shows the hardware's counters to administrators alone.
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
    /// CUPTI has failed otherwise.
    #[error("the hardware's counters cannot be read: {function} says: {reason}")]
    Cupti {
        /// The function that failed.
        function: String,
        /// CUPTI's name for the error.
        reason: String,
    },
    /// Several GPUs were to share B.
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
        /// The size asked for.
        size: String,
        /// One product, by the time of some rows of it.
        seconds: u64,
    },
    /// The worker could not be started.
    #[error("the measuring process could not be started: {reason}")]
    Spawn {
        /// The system's words.
        reason: String,
    },
    /// The worker ended in the middle of a request.
    #[error(
        "the measuring process died ({how}){}; the next measurement starts a new one",
        StderrTail(last_words)
    )]
    Died {
        /// Signal or exit code.
        how: String,
        /// The last line it wrote to stderr, or nothing.
        last_words: String,
    },
    /// The worker was silent for too long and was killed.
    #[error(
        "the GPU gave no answer for {seconds} s and the measuring process was ended; raise \
         --time-limit if the size is that large"
    )]
    Silent {
        /// The limit.
        seconds: u64,
    },
    /// A line that is no request or no answer.
    #[error("not understood between the program and its measuring process: {line}")]
    Protocol {
        /// The line, or what is wrong with it.
        line: String,
    },
    /// The session was closed while this was going on.
    #[error("cancelled")]
    Cancelled,
}

impl GpuError {
    /// Whether no counters can be read of any launch, since the fault is not with the one.
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

/// What NVRTC was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NvrtcStage {
    /// Loading the library and its functions.
    Load,
    /// Taking in the source.
    Create,
    /// Handing out what it made.
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

/// A number of bytes, in the unit that suits it.
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

/// Last words, if there were any.
struct StderrTail<'a>(&'a str);

impl fmt::Display for StderrTail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ", saying: {}", self.0) }
    }
}

/// The embedded tile sizes, as a list to read.
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
