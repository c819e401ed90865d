//! `matviz check --against`: compares an Nsight Compute report with the simulation of its launches.

use crate::analysis::Counters;
use crate::cli::BadUse;
use crate::cli::form::FormArgs;
use crate::cli::output::{named, print, read, tell};
use crate::cli::problem;
use crate::cli::working::Working;
use crate::kernel::{self, Kernel, Problem, compiled_by};
use crate::launch::Launch;
use crate::matrix::Size;
use crate::report::reconcile::{self, Profile, Reconciled};
use crate::study::counts::every_block;
use anyhow::Context;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;

/// What is compared: a report, with these kernels.
struct ReportCheck<'a> {
    report: &'a Path,
    problem: &'a problem::Args,
    kernel: Option<&'static Kernel>,
}

/// Prints both figures of every simulated metric; returns 0 if every difference has a reason. Ctrl-C
/// keeps the launches that have been compared.
///
/// # Errors
/// A file that is not a report; a report of other kernels, of other sizes, or without such metrics.
pub(super) fn run(
    report: &Path,
    problem: &problem::Args,
    kernel: Option<&'static Kernel>,
    form: FormArgs,
) -> anyhow::Result<ExitCode> {
    let (args, is_json) = (&ReportCheck { report, problem, kernel }, form.is_json()?);
    if let Some(option) = args.ignored() {
        return Err(BadUse(option.to_owned()).into());
    }
    let profiles = profiles(args)?;
    let (mut all, mut others) = (Vec::new(), Vec::new());
    let working = Working::on("reading the report");
    for profile in &profiles {
        match reconciled(args, profile, &working)? {
            None => break,
            Some(Ok(reconciled)) => all.push(reconciled),
            Some(Err(other)) => others.push(other),
        }
    }
    let ended = working.ends();
    others.dedup();
    if all.is_empty() && ended.is_interrupted() {
        return Ok(ended.code(ExitCode::FAILURE));
    }
    if all.is_empty() {
        return Err(BadUse(others.join("\n")).into());
    }
    for other in &others {
        tell(&format!("note: left out: {other}"));
    }
    print(&if is_json {
        ended.json("check-against", &ReconcileReport { launches: &all })?
    } else {
        all.iter().map(Reconciled::text).collect::<Vec<_>>().join("\n")
    })?;
    let fine = all.iter().all(Reconciled::is_explained);
    Ok(ended.code(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// Every launch, as JSON.
#[derive(Serialize)]
struct ReconcileReport<'a> {
    launches: &'a [Reconciled],
}

impl ReportCheck<'_> {
    /// What to say of an option that would change nothing, if one is given.
    fn ignored(&self) -> Option<&'static str> {
        let problem::Args { tile, fill, order, .. } = self.problem;
        let tile = tile.is_some().then_some(
            "--tile: the launches in the report say which tile each kernel had; leave it out",
        );
        let source =
            self.problem.foreign.has_source().then_some(
                "--source: counts are compared, of which no line is shown; leave it out",
            );
        let own = self.problem.foreign.is_given();
        let no_order = order.as_ref().filter(|_| !own).map(|_| {
            "--order: the counts of a kernel of the catalogue are the same in every order; leave it out"
        });
        let no_values = "--fill: the counts that are compared depend on no values; leave it out";
        tile.or(source).or(no_order).or(fill.filter(|_| !own).map(|_| no_values))
    }
}

fn profiles(args: &ReportCheck<'_>) -> Result<Vec<Profile>, BadUse> {
    let (file, text) = (named(args.report), read(args.report)?);
    let profiles = reconcile::read(&text).map_err(|error| BadUse(format!("{file}: {error}")))?;
    if profiles.is_empty() {
        return Err(BadUse(format!("{file}: the report holds no launch")));
    }
    Ok(profiles)
}

/// The launch compared with its simulation, or the reason why it is left out; `None` if Ctrl-C came
/// meanwhile.
fn reconciled(
    args: &ReportCheck<'_>,
    profile: &Profile,
    working: &Working,
) -> anyhow::Result<Option<Result<Reconciled, String>>> {
    let problem = match problem_of(args, profile)? {
        Ok(problem) => problem,
        Err(other) => return Ok(Some(Err(other))),
    };
    let Some(simulated) = simulate(args, &problem, working)? else { return Ok(None) };
    let nothing = || {
        let option = reconcile::metrics_option();
        format!("{}: no metric that is simulated; profile with ncu --csv {option}", profile.kernel)
    };
    let compared = Reconciled::new(profile, &simulated);
    let compared = compared.map(|of| of.compiled_by(compiled_by(&problem.ptx)));
    Ok(Some(compared.ok_or_else(nothing)))
}

/// The problem of the launch, or the reason why there is none.
fn problem_of(
    args: &ReportCheck<'_>,
    profile: &Profile,
) -> anyhow::Result<Result<Problem, String>> {
    let Profile { kernel: name, block, .. } = profile;
    let (size, launched) = (args.problem.size(), profile.launch());
    if args.problem.foreign.is_given() {
        let problem = args.problem.problem(None)?;
        let launch = problem.launch;
        return Ok(if launch == launched {
            Ok(problem)
        } else {
            Err(other_size(profile, size, launch))
        });
    }
    if let Some(kernel) = args.kernel.filter(|kernel| kernel.name != *name) {
        return Ok(Err(format!("{name} is not {}", kernel.name)));
    }
    let Some(kernel) = kernel::find(name) else {
        let told = format!("{name} is not a kernel of matviz: name its file before --against");
        return Ok(Err(told));
    };
    // Before anything is compiled: the launch that a square tile with the block's side would have
    // at this size.
    let square = kernel.variant(block.x).into_iter();
    let variants = kernel.variants.iter().copied().chain(square);
    let Some(variant) = variants.clone().find(|variant| variant.launch(size) == launched) else {
        let nearest = variants.clone().find(|variant| variant.block == *block);
        let nearest = nearest.unwrap_or_else(|| kernel.variant_for(size));
        return Ok(Err(other_size(profile, size, nearest.launch(size))));
    };
    let chosen = problem::Args { tile: Some(variant.tile), ..args.problem.clone() };
    chosen.problem(Some(kernel)).map(Ok)
}

/// The message for a launch whose shape is not that of the given size.
fn other_size(profile: &Profile, size: Size, made: Launch) -> String {
    let shape = |Launch { grid, block }: Launch| {
        format!(
            "{} x {} x {} blocks of {} x {} x {} threads",
            grid.x, grid.y, grid.z, block.x, block.y, block.z
        )
    };
    format!(
        "{} was launched with {}, and --size {size} makes {}; give the size of that launch with \
         --size MxNxK",
        profile.kernel,
        shape(profile.launch()),
        shape(made),
    )
}

fn simulate(
    args: &ReportCheck<'_>,
    problem: &Problem,
    working: &Working,
) -> anyhow::Result<Option<Counters>> {
    let program = args.problem.program(problem)?;
    problem::fits(problem)?;
    let what = format!("simulating {} at {}", problem.name(), problem.size);
    working.next(&what);
    let counted = every_block(problem, &program, &args.problem.order_to_count(), &working.kept());
    counted.context("the kernel is wrong")
}
