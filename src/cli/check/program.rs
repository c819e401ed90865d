//! All launches of a file's host, in their order: a line for each, and what is found below.

use super::args::{CheckPart, KernelCheck};
use super::judge::{self, ResultJudge, RunLaunch};
use super::reader;
use crate::cli::BadUse;
use crate::cli::form::OutputForm;
use crate::cli::output::{complain, is_stdin, json, named, print, tell};
use crate::cli::working::Working;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::own::{HostProgram, ProgramLaunch};
use crate::report::sim::SimReport;
use crate::report::sim::program::{ComparedReport, LaunchReport, ProgramReport};
use crate::study::cause::Diagnosis;
use crate::study::simulation::{Simulated, Simulation};
use crate::work::WorkToken;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

impl KernelCheck<'_> {
    /// Checks all launches of the host, if there are several and none is chosen, or if its result is to be
    /// judged.
    ///
    /// # Errors
    /// A file that cannot be opened; a result that cannot be judged; output that cannot be written.
    pub(super) fn launches(&self, form: OutputForm) -> anyhow::Result<Option<ExitCode>> {
        let (args, foreign) = (self.args, &self.problem.foreign);
        let judge = ResultJudge::of(args);
        let is_whole = args.at.is_none() && args.only != Some(CheckPart::Counts);
        // Standard input is read once.
        let is_file = foreign.file.as_deref().is_some_and(|file| !is_stdin(file));
        let is_program = foreign.is_whole() && is_whole && form != OutputForm::Html;
        if !(is_file && (is_program || judge.is_some())) {
            return match judge {
                Some(judge) => Err(no_program(&judge).into()),
                None => Ok(None),
            };
        }
        let foreign =
            if judge == Some(ResultJudge::Host) { foreign.patient() } else { foreign.clone() };
        foreign.opened(self.problem.size, false, |opened| match (opened.program(), &judge) {
            (Some(program), Some(judge)) => {
                self.all(program.with_its_data(), Some(judge), form).map(Some)
            }
            (None, Some(judge)) => Err(no_program(judge).into()),
            (Some(program), None) if program.is_several() => {
                self.all(program, None, form).map(Some)
            }
            (_, None) => Ok(None),
        })
    }

    fn all(
        &self,
        mut program: HostProgram<'_>,
        judge: Option<&ResultJudge>,
        form: OutputForm,
    ) -> anyhow::Result<ExitCode> {
        let entry = self.problem.foreign.stated().entry;
        let judged = judge.and_then(|judge| judge.launch(program.kernels(), entry.as_deref()));
        if let (Some(ResultJudge::Kernel(name)), None) = (judge, judged) {
            let told = format!("--same-as {name}: the program launches no other kernel beside it");
            return Err(BadUse(told).into());
        }
        for line in program.assumed().told() {
            tell(&format!("note: assuming {line}"));
        }
        let mut report = ProgramReport::default();
        let mut done = Vec::new();
        let count = program.len();
        while let Some(launch) = program.next() {
            let named = format!("{} of {count}: {}", launch.number, launch.kernel);
            let mut row = LaunchReport {
                number: launch.number,
                kernel: launch.kernel.clone(),
                line: launch.line,
                stream: launch.stream,
                error: launch.problem.as_ref().err().map(ToString::to_string),
                races: launch.races.clone(),
                more_like_it: None,
                result: None,
            };
            if let Some(why) = &row.error {
                complain(&format!("error: launch {named} is not checked: {why}"));
            }
            if let Ok(problem) = &launch.problem {
                let (result, simulated) = self.launch(problem, &named)?;
                row.result = Some(result);
                if let (Some(ResultJudge::Kernel(other)), Some(memory)) = (judge, &simulated.memory)
                    && judged == Some(launch.number - 1)
                {
                    report.compared = self.beside(&program, &launch, other, memory)?;
                }
                if let Some(memory) = &simulated.memory {
                    program.took(&launch, memory);
                }
                let problem = problem.clone();
                if judge.is_some() {
                    done.push(RunLaunch { launch, problem });
                }
            }
            report.launches.push(row);
        }
        for row in &mut report.launches {
            row.more_like_it = program.left_out(row.number);
            row.races.extend(program.races_of_copies(row.number).cloned());
        }
        if let Some(why) = program.stopped() {
            let told = format!("the host's code is followed up to line {}: {}", why.line, why.why);
            complain(&format!("error: {told}; what it launches after that is not checked"));
            report.stopped = Some(told);
        }
        if let Some(judge) = judge {
            report.compared.extend(judge::of_result(self, judge, &program, &done)?);
        }
        let report = report.judged();
        let is_fine = report.fails.is_empty();
        self.print_program(report, form)?;
        Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Runs and checks a launch.
    fn launch(&self, problem: &Problem, named: &str) -> anyhow::Result<(SimReport, Simulated)> {
        for call in &problem.left_out {
            tell(&format!("note: the output of `{call}` is not shown"));
        }
        let _working = Working::on(format!("simulating launch {named}"));
        let begun = Instant::now();
        let code = self.problem.program(problem)?;
        let simulation = Simulation {
            tolerance: self.args.tolerance.filter(|_| problem.is_product()),
            ..self.simulation(problem, &code, Dim3::at(0, 0))
        };
        let simulated = simulation.run(&WorkToken::default())?;
        let seconds = begun.elapsed().as_secs_f64();
        let diagnosis = Diagnosis::of(&simulation, &simulated);
        let report = SimReport::new(&simulation, (&simulated, seconds), diagnosis.as_ref());
        Ok((report.failing_on(&self.args.fail_on), simulated))
    }

    /// What a launch leaves beside what another kernel leaves.
    fn beside(
        &self,
        program: &HostProgram<'_>,
        launch: &ProgramLaunch,
        other: &str,
        memory: &crate::sim::Memory,
    ) -> anyhow::Result<Vec<ComparedReport>> {
        let Ok(problem) = &launch.problem else { return Ok(Vec::new()) };
        let twin = program.beside(launch, other).map_err(|why| self.problem.foreign.said(why))?;
        let (code, of_twin) = (self.problem.program(problem)?, self.problem.program(&twin)?);
        let _working = Working::on(format!("simulating {other} on the same data"));
        let simulation =
            Simulation { checks: false, ..self.simulation(&twin, &of_twin, Dim3::at(0, 0)) };
        let after = simulation.run(&WorkToken::default())?.memory;
        let Some(after) = after else { return Ok(Vec::new()) };
        let simulation = self.simulation(problem, &code, Dim3::at(0, 0));
        Ok(judge::beside(other, (&simulation, memory), (&twin, &after), self.args.tolerance))
    }

    fn print_program(&self, report: ProgramReport, form: OutputForm) -> anyhow::Result<()> {
        let file = self.problem.foreign.file.as_deref();
        let name = file.map(named).unwrap_or_default();
        let report = match form {
            OutputForm::Text => report,
            _ => report.in_file(file, &|path: &Path| path.exists()),
        };
        print(&match form {
            OutputForm::Short => report.short(&name, reader()),
            OutputForm::Json => json("check", &report)?,
            OutputForm::Sarif => {
                let sarif = report.sarif(&name, env!("CARGO_PKG_VERSION"));
                serde_json::to_string_pretty(&sarif)? + "\n"
            }
            _ => report.text(),
        })?;
        Ok(())
    }
}

/// Nothing is known of the program whose result is to be judged.
fn no_program(judge: &ResultJudge) -> BadUse {
    BadUse(format!(
        "{}: it is for a file whose main launches its kernels with numbers and data that are known here",
        judge.option()
    ))
}
