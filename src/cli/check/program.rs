//! All launches of a file's host, in their order: a line for each, and what is found below.

use super::{CheckPart, KernelCheck};
use crate::cli::form::OutputForm;
use crate::cli::output::{complain, is_stdin, print, tell};
use crate::cli::working::Working;
use crate::launch::Dim3;
use crate::own::HostProgram;
use crate::report::sim::{SimReport, program_line, text};
use crate::study::cause::Diagnosis;
use crate::study::simulation::Simulation;
use crate::work::WorkToken;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::Instant;

/// Runs the launches of the host, if there are several and none is chosen.
///
/// # Errors
/// A file that cannot be opened; output that cannot be written.
pub(super) fn run(check: &KernelCheck<'_>, form: OutputForm) -> anyhow::Result<Option<ExitCode>> {
    let (args, foreign) = (check.args, &check.problem.foreign);
    let is_whole = args.at.is_none() && args.only != Some(CheckPart::Counts);
    // Standard input is read once.
    let is_file = foreign.file.as_deref().is_some_and(|file| !is_stdin(file));
    if !(is_file && foreign.is_whole() && is_whole && form == OutputForm::Text) {
        return Ok(None);
    }
    foreign.opened(check.problem.size, false, |opened| match opened.program() {
        Some(program) if program.len() > 1 => all(check, program).map(Some),
        _ => Ok(None),
    })
}

fn all(check: &KernelCheck<'_>, mut program: HostProgram<'_>) -> anyhow::Result<ExitCode> {
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
        let code = check.problem.program(problem)?;
        let simulation = Simulation {
            tolerance: check.args.tolerance.filter(|_| problem.is_product()),
            ..check.simulation(problem, &code, Dim3::at(0, 0))
        };
        let simulated = simulation.run(&WorkToken::default())?;
        let seconds = begun.elapsed().as_secs_f64();
        drop(working);
        let diagnosis = Diagnosis::of(&simulation, &simulated);
        let report = SimReport::new(&simulation, (&simulated, seconds), diagnosis.as_ref());
        let report = report.failing_on(&check.args.fail_on);
        lines += &program_line(launch.number, launch.line, &report, seconds);
        for race in &launch.races {
            fails = true;
            let _ = writeln!(lines, "     {race}");
        }
        if !report.fails().is_empty() {
            fails = true;
            let _ = write!(below, "\nLaunch {}, ", launch.number);
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
