//! All launches of a file's host, in their order: a line for each, and what is found below.

use super::{CheckPart, FORMS, KernelCheck};
use crate::cli::form::OutputForm;
use crate::cli::output::{complain, print, tell};
use crate::cli::working::Working;
use crate::kernel::Problem;
use crate::own::HostProgram;
use crate::report::sim::{SimReport, program_line, text};
use crate::sim::Program;
use crate::study::cause::Diagnosis;
use crate::study::simulation::Simulation;
use crate::work::WorkToken;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

impl KernelCheck<'_> {
    /// Checks the launches of the host, if there are several and none is chosen.
    ///
    /// # Errors
    /// A file that cannot be opened; output that cannot be written.
    pub(super) fn launches(&self) -> anyhow::Result<Option<ExitCode>> {
        let (args, foreign) = (self.args, &self.problem.foreign);
        let is_text = args.form.one_of(FORMS)? == OutputForm::Text;
        let is_all = args.only != Some(CheckPart::Counts) && args.at.is_none();
        if !(is_text && is_all && foreign.is_whole()) {
            return Ok(None);
        }
        foreign.opened(self.problem.size, false, |opened| {
            let program = opened.program().filter(|program| program.len() > 1);
            Ok(program.map(|program| self.all(program)).transpose())
        })?
    }

    fn all(&self, mut program: HostProgram<'_>) -> anyhow::Result<ExitCode> {
        let (mut lines, mut below) = (String::new(), String::new());
        let mut fails = false;
        let count = program.len();
        while let Some(launch) = program.next() {
            let named = format!("{} of {count}: {}", launch.number, launch.kernel);
            let problem = match &launch.problem {
                Ok(problem) => problem,
                Err(why) => {
                    complain(&format!("error: launch {named} is not checked: {why}"));
                    fails = true;
                    continue;
                }
            };
            for call in &problem.left_out {
                tell(&format!("note: the output of `{call}` is not shown"));
            }
            let working = Working::on(format!("simulating launch {named}"));
            let begun = Instant::now();
            let code = self.problem.program(problem)?;
            let simulation = self.of_launch(problem, &code);
            let simulated = simulation.run(&WorkToken::default())?;
            let seconds = begun.elapsed().as_secs_f64();
            drop(working);
            let diagnosis = Diagnosis::of(&simulation, &simulated);
            let report = SimReport::new(&simulation, (&simulated, seconds), diagnosis.as_ref());
            let report = report.failing_on(&self.args.fail_on);
            lines += &program_line(launch.number, launch.line, &report, seconds);
            if !report.fails().is_empty() {
                fails = true;
                below += &format!("\nLaunch {}, ", launch.number);
                below += &text(&report);
            }
            if let Some(memory) = &simulated.memory {
                program.took(&launch, memory);
            }
        }
        if let Some(why) = program.stopped() {
            complain(&format!(
                "error: the host's code is followed up to line {}: {}; what it launches after that is not checked",
                why.line, why.why
            ));
            fails = true;
        }
        print(&(lines + &below))?;
        Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    fn of_launch<'a>(&self, problem: &'a Problem, code: &'a Arc<Program>) -> Simulation<'a> {
        Simulation {
            order: self.problem.order_to_count(),
            checks: self.args.only != Some(CheckPart::Result),
            tolerance: self.args.tolerance.filter(|_| problem.is_product()),
            ..Simulation::checked(problem, code, self.budget())
        }
    }
}
