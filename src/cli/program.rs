//! All launches of a file's host, in their order: a line for each, and what is found below.

use super::output::{complain, print, tell};
use super::sim::Args;
use super::working::Working;
use crate::kernel::Problem;
use crate::own::HostProgram;
use crate::report::sim::{SimReport, program_line, text};
use crate::study::cause::Diagnosis;
use crate::study::simulation::Simulation;
use crate::work::WorkToken;
use std::process::ExitCode;
use std::time::Instant;

/// Runs the launches of the host, if there are several and none is chosen.
///
/// # Errors
/// A file that cannot be opened; output that cannot be written.
pub(super) fn run(args: &Args) -> anyhow::Result<Option<ExitCode>> {
    let foreign = &args.problem.foreign;
    let is_all = foreign.is_whole() && !args.json && !args.counts_only && args.at.is_none();
    if !is_all || args.kernel.get().is_some() {
        return Ok(None);
    }
    foreign.opened(args.problem.size, false, |opened| match opened.program() {
        Some(program) if program.len() > 1 => all(args, program).map(Some),
        _ => Ok(None),
    })
}

fn all(args: &Args, mut program: HostProgram<'_>) -> anyhow::Result<ExitCode> {
    let (mut lines, mut below) = (String::new(), String::new());
    let mut fails = false;
    let count = program.len();
    while let Some(launch) = program.next() {
        let named = format!("{} of {count}: {}", launch.number, launch.kernel);
        let problem = match &launch.problem {
            Ok(problem) => problem,
            Err(why) => {
                complain(&format!("matviz: launch {named} is not checked: {why}"));
                fails = true;
                continue;
            }
        };
        for call in &problem.left_out {
            tell(&format!("matviz: the output of `{call}` is not shown"));
        }
        let working = Working::on(format!("simulating launch {named}"));
        let begun = Instant::now();
        let code = args.problem.program(problem)?;
        let simulation = simulation(args, problem, &code);
        let simulated = simulation.run(&WorkToken::default())?;
        let seconds = begun.elapsed().as_secs_f64();
        drop(working);
        let diagnosis = Diagnosis::of(&simulation, &simulated);
        let report = SimReport::new(&simulation, (&simulated, seconds), diagnosis.as_ref());
        let report = report.failing_on(&args.fail_on);
        lines += &program_line(launch.number, launch.line, &report, seconds);
        for race in &launch.races {
            fails = true;
            lines += &format!("     {race}\n");
        }
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
            "matviz: the host's code is followed up to line {}: {}; what it launches after that is not checked",
            why.line, why.why
        ));
        fails = true;
    }
    print(&(lines + &below))?;
    Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn simulation<'a>(
    args: &Args,
    problem: &'a Problem,
    code: &'a std::sync::Arc<crate::sim::Program>,
) -> Simulation<'a> {
    Simulation {
        order: args.problem.order_to_count(),
        checks: !args.no_checks,
        tolerance: args.tolerance.filter(|_| problem.is_product()),
        ..Simulation::checked(problem, code, args.budget)
    }
}
