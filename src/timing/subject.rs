//! The subject of a measurement: a kernel, cuBLAS, or loops on the CPU.

use crate::kernel::{self, Call, Problem, Tile};
use crate::matrix::{ElementType, Gemm, Layout, Operand, Precision, Size};
use serde::{Deserialize, Serialize};

/// The work that is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "run", rename_all = "snake_case")]
pub enum Subject {
    Kernel {
        name: String,
        /// Side of its tiles and blocks, or `None` for a kernel outside the catalogue, changed, or
        /// compiled to be looked at. A catalogue kernel writes all of C.
        tile: Option<Tile>,
        /// The values of alpha and beta.
        gemm: Gemm,
        /// How A, B and C lie in memory.
        layouts: Box<[Layout; 3]>,
        /// The relative error that its instructions cause, beyond that of sums in these types.
        rounding: f64,
        /// The launch, with the module that the simulator loads.
        call: Call,
    },
    /// cuBLAS: its SGEMM, in float32 throughout, or its `GemmEx` with half-precision inputs and
    /// float32 sums.
    Cublas { precision: Precision },
    /// The CPU, in float32 throughout.
    Cpu {
        /// The implementation.
        loops: Loops,
    },
}

/// The CPU's implementations of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loops {
    /// Three loops, as in the definition, on one core.
    Plain,
    /// Six loops over tiles that stay in the cache, on one core.
    Blocked,
    /// The `matrixmultiply` crate, on all cores.
    Gemm,
}

impl Loops {
    /// All of them, slowest first.
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
    /// The kernel of a problem.
    pub fn of(problem: &Problem) -> Self {
        let (name, tile) = (problem.name().to_owned(), problem.timed_tile());
        let layouts = Box::new(Operand::ALL.map(|operand| problem.layout(operand)));
        let (gemm, rounding) = (problem.gemm, problem.rounding);
        Self::Kernel { name, tile, gemm, layouts, rounding, call: problem.call() }
    }

    /// The kernel's name, or the library's.
    pub fn name(&self) -> &str {
        match self {
            Self::Kernel { name, .. } => name,
            Self::Cublas { precision } => library(*precision),
            Self::Cpu { loops } => loops.name(),
        }
    }

    /// Its tile, or `None` outside the catalogue.
    pub fn tile(&self) -> Option<Tile> {
        match self {
            Self::Kernel { tile, .. } => *tile,
            Self::Cublas { .. } | Self::Cpu { .. } => None,
        }
    }

    /// How A, B and C lie in memory.
    pub fn layouts(&self) -> [Layout; 3] {
        match self {
            Self::Kernel { layouts, .. } => **layouts,
            Self::Cublas { precision } => precision.layouts(),
            Self::Cpu { .. } => Precision::Single.layouts(),
        }
    }

    /// The largest relative error of a right C that its types and its instructions explain.
    pub fn tolerance(&self, k: u32) -> f64 {
        let types = self.layouts().map(|layout| layout.of);
        let rounding = match self {
            Self::Kernel { rounding, .. } => *rounding,
            Self::Cublas { .. } | Self::Cpu { .. } => 0.0,
        };
        ElementType::tolerance_of_product(types, k, 1.0).max(rounding)
    }

    /// The number of 4-byte words of a matrix of this size.
    pub fn words(&self, operand: Operand, size: Size) -> usize {
        self.bytes(operand, size).div_ceil(4) as usize
    }

    /// The bytes of a matrix of this size.
    pub fn bytes(&self, operand: Operand, size: Size) -> u64 {
        self.layouts()[operand as usize].bytes(size.shape(operand))
    }

    pub fn precision(&self) -> Precision {
        if let Self::Cublas { precision } = self {
            return *precision;
        }
        let known = self.tile().and_then(|_| kernel::find(self.name()));
        known.map_or(Precision::Single, |kernel| kernel.precision)
    }

    /// The values of alpha and beta.
    pub fn gemm(&self) -> Gemm {
        match self {
            Self::Kernel { gemm, .. } => *gemm,
            Self::Cublas { .. } | Self::Cpu { .. } => Gemm::default(),
        }
    }

    /// Value that fills C before the checked run if C is not an input. It is NaN, so that an
    /// element that is never written is noticed, but 0 for a user's kernel, which may read C or add
    /// to it.
    pub fn blank(&self) -> f32 {
        match self {
            Self::Kernel { tile: None, .. } => 0.0,
            Self::Kernel { .. } | Self::Cublas { .. } | Self::Cpu { .. } => f32::NAN,
        }
    }
}

/// Name of cuBLAS's rows for elements of this precision.
pub const fn library(precision: Precision) -> &'static str {
    match precision {
        Precision::Single => "cublas",
        Precision::Half => "cublas half",
    }
}

/// Whether rows with this name are cuBLAS's.
pub fn is_library(kernel: &str) -> bool {
    [Precision::Single, Precision::Half].map(library).contains(&kernel)
}
