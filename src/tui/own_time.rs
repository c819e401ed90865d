//! The time of a kernel that no row can hold, as it computes no product or takes other buffers, and
//! whether the GPU leaves in its buffers what the simulation does.

use crate::analysis::grid;
use crate::kernel::Problem;
use crate::report::timed::{ComparedBuffer, compare};
use crate::sim::{Fault, Program};
use crate::study::simulation::Simulation;
use crate::timing::{SamplingPlan, Timed, Timing};
use crate::work::{WorkOwner, WorkToken};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The time of a launch, measured on this machine.
#[derive(Debug)]
pub struct OwnTime {
    /// SHA-256 of the PTX that ran.
    ptx_sha256: String,
    /// The times, and what the launch has left.
    pub timed: Timed,
    /// Its buffers beside the simulation's, or why they are not compared; `None` until that is known.
    pub compared: Option<Result<Vec<ComparedBuffer>, Uncompared>>,
    comparison: WorkOwner,
}

/// Why the buffers of a launch are not compared.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Uncompared {
    #[error("its grid takes long to simulate: matviz bench compares the buffers")]
    Long,
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl OwnTime {
    /// The times of this problem's kernel.
    pub fn new(problem: &Problem, timed: Timed) -> Self {
        let (ptx_sha256, comparison) = (problem.ptx_sha256(), WorkOwner::default());
        Self { ptx_sha256, timed, compared: None, comparison }
    }

    /// Whether it is the time of this problem's kernel.
    pub fn is_of(&self, problem: &Problem) -> bool {
        self.ptx_sha256 == problem.ptx_sha256()
    }

    /// Returns the task that compares its buffers.
    pub fn comparing(&self, problem: Problem, program: Arc<Program>) -> Comparing {
        let token = self.comparison.token();
        Comparing { problem, program, timed: self.timed.clone(), token }
    }

    /// Handles the result of the comparison `which`.
    pub fn hear(&mut self, which: &WorkToken, compared: Result<Vec<ComparedBuffer>, Uncompared>) {
        if self.comparison.owns(which) {
            self.compared = Some(compared);
        }
    }
}

/// The request for the time of a problem that no row can hold.
pub fn timing(problem: &Problem, device: u32) -> Option<Timing> {
    let own = Some(problem).filter(|problem| !problem.is_measurable())?;
    let (call, buffers) = (own.call(), own.filled());
    Some(Timing { call, buffers, device, effort: SamplingPlan::default() })
}

/// A launch to be simulated, and its buffers to be compared with those of the GPU.
#[derive(Debug)]
pub struct Comparing {
    problem: Problem,
    program: Arc<Program>,
    timed: Timed,
    token: WorkToken,
}

impl Comparing {
    /// Simulates the whole grid as long as it `may_last`, and passes on how the buffers compare unless
    /// cancelled.
    pub fn run(
        self,
        may_last: impl Fn() -> bool + Send + Sync + 'static,
        mut hand_out: impl FnMut(WorkToken, Result<Vec<ComparedBuffer>, Uncompared>),
    ) {
        let Self { problem, program, timed, token } = self;
        let patient = token.heard_by(move |_| {
            if may_last() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let simulated = Simulation::checked(&problem, &program, grid::BUDGET).run(&patient);
        if token.is_cancelled() {
            return;
        }
        let compared = match simulated {
            Ok(simulated) if simulated.is_whole => {
                Ok(compare(&problem, &program, &timed, &simulated))
            }
            Ok(_) => Err(Uncompared::Long),
            Err(fault) => Err(fault.into()),
        };
        hand_out(token, compared);
    }
}
