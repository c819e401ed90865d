//! Measures a kernel that computes no product, and compares what it leaves with the simulation.

use super::interrupt::BenchInterrupt;
use super::progress::{note, say_progress};
use super::request::BenchRequest;
use crate::analysis::grid;
use crate::cli::BadUse;
use crate::cli::form::OutputForm;
use crate::cli::output::{json, json_until, print};
use crate::cli::problem::fits;
use crate::cli::working::{EndedWork, Working};
use crate::gpu::client::{Client, Launcher};
use crate::kernel::Problem;
use crate::report::timed::{ComparedBuffer, MeasuredLaunch, agrees, compare, text};
use crate::study::simulation::Simulation;
use crate::timing::GpuError;
use crate::timing::pack::Pack;
use crate::timing::{SamplingPlan, Timed, Timing};
use crate::tui::clock::today;
use anyhow::Context;
use std::process::ExitCode;

/// Measures the launch, prints the times, and then simulates it. Returns 0 unless a buffer differs
/// and nothing in the kernel explains it. Ctrl-C during the simulation keeps the times.
///
/// # Errors
/// An option that is about products; no GPU, or a measurement that failed; PTX that cannot be run.
pub(super) fn run(
    asked: &BenchRequest<'_>,
    problem: &Problem,
    device: u32,
) -> anyhow::Result<ExitCode> {
    refuse(asked)?;
    let is_json = asked.is_json();
    fits(problem)?;
    let program = problem.program().map_err(|error| {
        let file = asked.own.ptx_name().unwrap_or_default();
        BadUse(error.render(&problem.ptx, &file))
    })?;
    let mut client = Client::new(Launcher::default(), asked.args.patience());
    let interrupt = BenchInterrupt::ends(vec![client.stopper()]);
    let measured = measure(device, problem, &mut client);
    if let Some(code) = interrupt.exit_code() {
        let told = "interrupted before anything was measured";
        if is_json {
            print(&json_until("bench", true, &serde_json::json!({ "error": told }))?)?;
        }
        note(told);
        return Ok(ExitCode::from(code));
    }
    let (pack, timed) = match measured {
        Err(error) if is_json => {
            print(&json("bench", &serde_json::json!({ "error": error.to_string() }))?)?;
            return Ok(ExitCode::from(2));
        }
        measured => measured?,
    };
    let row = MeasuredLaunch::new(problem, &timed);
    if !is_json {
        // Simulating a large launch may take a while.
        print(&row.text(&pack))?;
    }
    interrupt.measured();
    let working = Working::on(format!("simulating {}", problem.name()));
    let simulation = Simulation::checked(problem, &program, grid::BUDGET);
    let simulated = simulation.run(&working.kept());
    let ended = working.ends();
    let simulated = simulated.context("the kernel is wrong")?;
    // A part of the grid cannot be compared.
    let compared =
        (!ended.is_interrupted()).then(|| compare(problem, &program, &timed, &simulated));
    let text = compared.as_deref().map(text).unwrap_or_default();
    print(&if is_json { as_json(&pack, &row, compared.as_deref(), &ended)? } else { text })?;
    let fine = compared.as_deref().is_none_or(agrees);
    Ok(ended.code(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// Refuses what only products have.
fn refuse(asked: &BenchRequest<'_>) -> Result<(), BadUse> {
    let (args, subjects) = (asked.args, &asked.subjects);
    let given = [
        (subjects.cublas, "cublas"),
        (subjects.cpu, "cpu"),
        (args.counters, "--counters"),
        (asked.form == OutputForm::Csv, "CSV"),
        (args.record.is_some(), "--record"),
        (args.against.is_some(), "--against"),
        (args.tolerance.is_some(), "--tolerance"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, option)) => Err(BadUse(format!(
            "{option} is for kernels that compute C = A x B, with A, B and C alone, and this one has \
             buffers of its own, or a result that is not judged"
        ))),
    }
}

fn measure(device: u32, problem: &Problem, client: &mut Client) -> Result<(Pack, Timed), GpuError> {
    let pack = Pack::begin(client.probe()?, device, today())?;
    let request = Timing {
        call: problem.call(),
        buffers: problem.filled(),
        device,
        effort: SamplingPlan::default(),
    };
    let told = |timed: &Timed| format!("{:.4} ms", timed.ms.median);
    let timed = say_progress(problem.name(), |progress| client.time(request, progress), told)?;
    Ok((pack, timed))
}

fn as_json(
    pack: &Pack,
    row: &MeasuredLaunch<'_>,
    compared: Option<&[ComparedBuffer]>,
    ended: &EndedWork,
) -> anyhow::Result<String> {
    let mut value = serde_json::to_value(row)?;
    value["driver"] = pack.driver.clone().into();
    value["cuda"] = pack.cuda.clone().into();
    value["date"] = pack.date.clone().into();
    if let Some(compared) = compared {
        value["buffers"] = serde_json::to_value(compared)?;
    }
    Ok(ended.json("bench", &value)?)
}
