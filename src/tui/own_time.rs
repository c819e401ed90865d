//! The time of a kernel that no row can hold, as it computes no product or takes other buffers, and
//! whether the GPU leaves in its buffers what the simulation does.

use crate::analysis::grid;
use crate::kernel::Problem;
use crate::report::timed::{Compared, compare};
use crate::sim::Program;
use crate::study::simulation::Simulation;
use crate::timing::{SamplingPlan, Timed, Timing};
use crate::work::{WorkOwner, WorkToken};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The longest that a grid is simulated for the comparison.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time of a launch, measured on this machine.
#[derive(Debug)]
pub struct OwnTime {
    /// SHA-256 of the PTX that ran.
    ptx_sha256: String,
    /// The times, and what the launch has left.
    pub timed: Timed,
    /// Its buffers beside the simulation's, or why they are not compared; `None` until that is known.
    pub compared: Option<Result<Vec<Compared>, String>>,
    comparison: WorkOwner,
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
    pub fn hear(&mut self, which: &WorkToken, compared: Result<Vec<Compared>, String>) {
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
    /// Simulates the whole grid, and passes on how the buffers compare unless cancelled.
    pub fn run(self, mut hand_out: impl FnMut(WorkToken, Result<Vec<Compared>, String>)) {
        let Self { problem, program, timed, token } = self;
        let begun = Instant::now();
        let patient = token.heard_by(move |_| {
            if begun.elapsed() < PATIENCE {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        let simulated = Simulation::checked(&problem, &program, grid::BUDGET).run(&patient);
        if token.is_cancelled() {
            return;
        }
        let compared = match simulated {
            Ok(simulated) if simulated.is_whole => {
                Ok(compare(&problem, &program, &timed, &simulated))
            }
            Ok(_) => {
                Err("its grid takes long to simulate: matviz bench compares the buffers".to_owned())
            }
            Err(fault) => Err(fault.to_string()),
        };
        hand_out(token, compared);
    }
}
