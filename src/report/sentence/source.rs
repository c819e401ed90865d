//! A step that only computes, in the words of its source.

use crate::kernel::Problem;
use crate::sim::Effect;
use crate::trace::{Replay, Trace};

/// The sentence of a step that only computes in the words of its source instead of its PTX: `Warp 0
/// computes in line 24: int row = blockIdx.y * TILE + ty;`. `None` if it does something else, or if
/// its source is not known.
pub fn in_source(problem: &Problem, trace: &Trace, replay: &Replay) -> Option<String> {
    let step = replay.snapshot().step.as_ref()?;
    let computes = matches!(step.effect, Effect::Compute | Effect::Contracted { fused: false, .. });
    let line = trace.line(step.pc).filter(|line| computes && *line > 0)?;
    let text = &problem.source_of(trace.program(), step.pc)?.text;
    let code = text.lines().nth(line as usize - 1)?.trim();
    Some(format!("Warp {} computes in line {line}: {code}", step.warp))
}
