//! The subject of a measurement: a kernel, cuBLAS, or loops on the CPU.

use crate::kernel::{self, Call, Problem, Tile};
use crate::matrix::{Gemm, Precision};
use serde::{Deserialize, Serialize};

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
    /// The `matrixmultiply` crate, on all cores.
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
