//! `matviz sim`: simulates the whole grid (or one block) and counts.

use super::BadUse;
use super::names::NameParser;
use super::output::{complain, print, tell};
use super::problem::{self, block_of, fits};
use super::program;
use super::reference;
use super::user_kernel::say_assumed;
use super::working::{SharedWork, Working};
use crate::analysis::check::FindingKind;
use crate::analysis::grid;
use crate::kernel::Problem;
use crate::launch::{Dim3, shape};
use crate::matrix::Size;
use crate::report::sim::{FailureClass, SimReport, as_meant, text};
use crate::sim::{FaultKind, Repeats};
use crate::study::cause::{Cause, Diagnosis};
use crate::study::simulation::{Simulated, Simulation};
use crate::work::WorkToken;
use std::process::ExitCode;
use std::time::Instant;

/// Arguments of `matviz sim`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub(super) kernel: problem::KernelArg,
    #[command(flatten)]
    pub(super) problem: problem::Args,
    /// Simulate only this block
    #[arg(long, value_name = "X,Y", value_parser = shape::place)]
    pub(super) at: Option<Dim3>,
    /// Only count, without C: simulates one block of each class of identical blocks
    #[arg(long, conflicts_with_all = ["at", "tolerance"])]
    pub(super) counts_only: bool,
    /// Largest relative error accepted as right [default: that of a float32 sum]
    #[arg(long, value_name = "ERROR", value_parser = tolerance)]
    pub(super) tolerance: Option<f64>,
    /// Fail also if this occurs: costly, uncoalesced, conflicts, uncertain; several with commas
    ///
    /// The exit code is then 1. costly is an access that takes more sectors or wavefronts than it
    /// needs; uncoalesced is one of them, to global memory; conflicts is one to shared memory;
    /// uncertain is a count of the SASS that cannot be predicted.
    #[arg(long, value_name = "CLASS,...", value_delimiter = ',', value_parser = CLASS,
          hide_possible_values = true)]
    pub(super) fail_on: Vec<FailureClass>,
    /// Skip the checks for races, barriers and uninitialised memory
    #[arg(long)]
    pub(super) no_checks: bool,
    /// Abort a block after N instructions
    ///
    /// One that stays in one loop, and nothing shows when that ends, is aborted after a twelfth of
    /// them, but not before 8,388,608.
    #[arg(long, value_name = "N", default_value_t = grid::BUDGET)]
    pub(super) budget: u64,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Simulates, checks C against a float64 product and prints the counts; returns 0 if C is right and
/// the checks find nothing.
///
/// # Errors
/// A block outside the grid, PTX that cannot be run, a fault of the kernel.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(code) = program::run(args)? {
        return Ok(code);
    }
    let problem = args.problem.named_problem(args.kernel.get())?;
    say_assumed(&problem);
    if args.tolerance.is_some() && !problem.is_product() {
        let told =
            "--tolerance is for a C that is judged, and of this kernel nothing is (--result any)";
        return Err(BadUse(told.to_owned()).into());
    }
    let program = args.problem.program(&problem)?;
    if !args.counts_only {
        fits(&problem)?;
    }
    let simulation = Simulation {
        problem: &problem,
        program: &program,
        order: args.problem.order_to_count(),
        only: args.at,
        block: block_of(&problem, args.at)?,
        budget: args.budget,
        counts_only: args.counts_only,
        checks: !args.no_checks,
        tolerance: args.tolerance,
    };
    let size = problem.operands.first().map(|_| format!(" at {}", problem.size));
    let told = format!("simulating {}{}", problem.name(), size.unwrap_or_default());
    let working = Working::on(told);
    // The counts alone are soon made, and of a part of the classes they would be those of no grid.
    let keeps = !args.counts_only && args.at.is_none();
    let token = if keeps { working.kept() } else { working.heard_by(SharedWork::done) };
    let begun = Instant::now();
    let simulated = simulation.run_blocks(&token);
    let seconds = begun.elapsed().as_secs_f64();
    let simulated = simulated.map(|simulated| simulation.judge(simulated)).map_err(|fault| {
        let is_long = matches!(fault.kind, FaultKind::NoEnd(_, None | Some(Repeats::AtLeast(_))));
        let told = if is_long {
            "C is INCOMPLETE, and the blocks after this one did not run; --budget allows more"
        } else {
            "the kernel is wrong"
        };
        anyhow::Error::from(fault).context(told)
    })?;
    let diagnosis = Diagnosis::of(&simulation, &simulated);
    if let Some(arguments) = as_compared(args, &problem, diagnosis.as_ref()) {
        drop(working);
        return run(&Args { problem: arguments, ..args.clone() });
    }
    let mut simulated = simulated;
    if !working.is_interrupted() {
        working.next(&format!("simulating {} from its last block", problem.name()));
        simulated.backwards = simulation.run_backwards(&simulated);
    }
    let ended = working.ends();
    let outcome = SimReport::new(&simulation, (&simulated, seconds), diagnosis.as_ref());
    let outcome = outcome.failing_on(&args.fail_on);
    print(&if args.json { ended.json("sim", &outcome)? } else { text(&outcome) })?;
    // What is stopped says nothing of other launches.
    if !ended.is_interrupted()
        && let Some(told) = larger(args, &simulated, &problem)
    {
        tell(&told);
    }
    let named = |name: &&&str| FailureClass::ALL.iter().any(|class| class.name() == **name);
    for class in outcome.fails().iter().filter(named) {
        complain(&format!("matviz: --fail-on {class}: it occurs"));
    }
    Ok(ended.code(if outcome.fails().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// The arguments with the matrices laid out as the host gives them to cuBLAS, where C is right so, and
/// nobody gave any.
fn as_compared(
    args: &Args,
    problem: &Problem,
    diagnosis: Option<&Diagnosis>,
) -> Option<problem::Args> {
    let diagnosis = diagnosis.filter(|_| !args.problem.foreign.has_values())?;
    let Some(Cause::ColumnMajor(which)) = &diagnosis.cause else { return None };
    let text = args.problem.foreign.cuda_text()?;
    reference::column_major(&text).filter(|said| said == which)?;
    let words = as_meant(&problem.words, diagnosis)?;
    tell(&format!(
        "matviz: assuming --args {words}: as the host's call of cuBLAS has the matrices"
    ));
    let mut arguments = args.problem.clone();
    arguments.foreign.take_values(words.trim_matches('\'').to_owned());
    Some(arguments)
}

/// How many times as large a size may be at which a kernel that leaves its matrices is tried again.
const LARGER: [u32; 2] = [2, 4];

/// The most blocks of a grid that is tried: what has more takes long.
const MOST_BLOCKS: u64 = 256;

/// The largest side at which it is tried.
const LARGEST: u32 = 256;

/// Whether an access leaves the matrices of a user's kernel.
fn leaves(args: &Args, simulated: &Simulated, problem: &Problem) -> bool {
    let found = simulated.findings.as_deref().unwrap_or_default();
    let size = problem.size;
    found.iter().any(|finding| matches!(finding.kind, FindingKind::Fault(_)))
        && problem.is_product()
        && problem.known.is_none()
        && args.at.is_none()
        && size.m.max(size.n).max(size.k) <= LARGEST
}

/// Whether nothing is wrong with the kernel, launched so: `true` if C is the product, `false` if it is
/// that of B's transpose.
fn is_sound(args: &Args, arguments: &problem::Args) -> Option<bool> {
    let problem = arguments.named_problem(args.kernel.get()).ok()?;
    let program = arguments.program(&problem).ok()?;
    if problem.launch.blocks() > MOST_BLOCKS {
        return None;
    }
    let simulation = Simulation::checked(&problem, &program, args.budget);
    let run = simulation.run(&WorkToken::default()).ok()?;
    if !run.findings.as_ref().is_some_and(Vec::is_empty) {
        return None;
    }
    if run.is_right() == Some(true) {
        return Some(true);
    }
    let cause = Diagnosis::of(&simulation, &run)?.cause;
    matches!(cause, Some(Cause::ColumnMajor([false, true, false]))).then_some(false)
}

/// What to say of a larger size at which nothing is wrong with a kernel whose accesses leave the
/// matrices here.
fn larger(args: &Args, simulated: &Simulated, problem: &Problem) -> Option<String> {
    if !leaves(args, simulated, problem) {
        return None;
    }
    let size = problem.size;
    let sizes = LARGER.map(|by| Size { m: size.m * by, n: size.n * by, k: size.k * by });
    let mut sizes = sizes.into_iter().filter(|size| size.m.max(size.n).max(size.k) <= LARGEST);
    let _working = Working::on("blocks leave the matrices: trying larger ones".to_owned());
    sizes.find_map(|larger| {
        let arguments = problem::Args { size: Some(larger), ..args.problem.clone() };
        let is_right = is_sound(args, &arguments)?;
        let c = if is_right { "C is right" } else { "C is A x B^T (--args with B:col says so)" };
        Some(format!(
            "matviz: at --size {larger} {c} and nothing is found: the kernel is made for sizes of whole \
             tiles and vectors, and {size} is none"
        ))
    })
}

const CLASS: NameParser<FailureClass> = NameParser {
    of: || FailureClass::ALL.map(|class| (class.name(), class.help())).to_vec(),
    parse: |text| {
        let found = FailureClass::ALL.into_iter().find(|class| class.name() == text);
        let names = FailureClass::ALL.map(FailureClass::name);
        found.ok_or_else(|| BadUse(format!("give one or several of {}", names.join(", "))))
    },
};

/// Parses a relative error.
///
/// # Errors
/// The text is not a finite number that is at least 0.
pub(super) fn tolerance(text: &str) -> Result<f64, BadUse> {
    let error = text.parse().ok().filter(|error: &f64| error.is_finite() && *error >= 0.0);
    error.ok_or_else(|| BadUse("give a number such as 1e-3".to_owned()))
}
