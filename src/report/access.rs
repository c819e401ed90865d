//! The cost of memory instructions as JSON; `picture` draws it.

mod batch;
mod cost;
mod expr;
mod pattern;
mod picture;

pub use batch::{BatchError, answer};
pub use expr::{ExprError, ExprThread, IndexExpr};
pub use pattern::Pattern;
pub use picture::{Ink, PictureGlyphs, Style, picture};

use crate::analysis::banks::Wavefronts;
use crate::analysis::coalesce::Sectors;
use crate::launch::Dim3;
use crate::sim::Access;
use batch::Instruction;
use cost::AccessCost;
use ptx::Space;
use serde::Serialize;

/// An index expression and the accesses that it gives the warps of a block.
#[derive(Clone, Copy, Debug)]
pub struct Calculation<'a> {
    /// The expression as typed.
    pub expression: &'a str,
    /// The instruction and the block.
    pub pattern: &'a Pattern,
    /// (warp, access) for each requested warp.
    pub warps: &'a [(u32, Access)],
}

/// The whole calculation as JSON has it; each of its `warps` is also a valid line of a batch.
pub fn report<'a>(calculation: &Calculation<'a>) -> AccessReport<'a> {
    let Calculation { expression, pattern, warps } = *calculation;
    AccessReport {
        expression,
        block: pattern.block,
        at: pattern.at,
        warps: warps
            .iter()
            .map(|(warp, access)| WarpReport {
                warp: *warp,
                instruction: Instruction::of(access),
                cost: CostReport::of(access.space, [access]),
            })
            .collect(),
        total: CostReport::of(pattern.space, warps.iter().map(|(_, access)| access)),
    }
}

/// The cost of an index expression.
#[derive(Serialize)]
pub struct AccessReport<'a> {
    expression: &'a str,
    block: Dim3,
    at: Dim3,
    warps: Vec<WarpReport>,
    total: CostReport,
}

#[derive(Serialize)]
struct WarpReport {
    warp: u32,
    #[serde(flatten)]
    instruction: Instruction,
    #[serde(flatten)]
    cost: CostReport,
}

/// The cost and the figures derived from it.
#[derive(Serialize)]
#[serde(untagged)]
enum CostReport {
    Global {
        #[serde(flatten)]
        cost: Sectors,
        bytes_fetched: u32,
        efficiency: Option<f64>,
    },
    Shared(Wavefronts),
}

impl CostReport {
    fn of<'a>(space: Space, accesses: impl IntoIterator<Item = &'a Access>) -> Self {
        match AccessCost::of(space, accesses) {
            AccessCost::Shared(cost) => Self::Shared(cost),
            AccessCost::Global(cost) => {
                Self::Global { cost, bytes_fetched: cost.fetched(), efficiency: cost.efficiency() }
            }
        }
    }
}
