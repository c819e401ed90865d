//! `matviz check`: simulates the whole grid (or one block), counts, judges C, and checks; searches the
//! orders of the warps; compares with a report of Nsight Compute.

mod against;
mod args;
mod judge;
mod page;
mod program;
mod prove;
mod reference;

pub use args::Args;
pub(super) use args::tolerance;

use super::form::{self, OutputForm};
use super::limit::{self, Limited};
use super::output::{complain, is_stdin, json, named, print, tell};
use super::problem::{self, block_of, fits};
use super::user_kernel::say_assumed;
use super::working::{EndedWork, SharedWork, Working};
use super::{BadUse, NotCompiled, NotOpened};
use crate::analysis::check::FindingKind;
use crate::analysis::grid;
use crate::kernel::{Goal, Kernel, Problem};
use crate::launch::Dim3;
use crate::lesson::edit::version::awkward;
use crate::matrix::Size;
use crate::own::launch::StatedLaunch;
use crate::report::sim::located::{LineReader, SourceError};
use crate::report::sim::{FailureClass, SimReport, as_meant, text};
use crate::sim::{Fault, FaultKind, Program, Repeats};
use crate::study::cause::{Cause, Diagnosis};
use crate::study::simulation::{Simulated, Simulation};
use crate::work::WorkToken;
use args::{CheckPart, KernelCheck};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Simulates, checks C against a float64 product and prints the counts; returns 0 if C is right and
/// the checks find nothing.
///
/// # Errors
/// A block outside the grid, PTX that cannot be run, a fault of the kernel.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let checked = checked(args);
    match &checked {
        Err(error) if error.is::<NotCompiled>() || error.is::<NotOpened>() => {
            let form = args.form.one_of(form::of_command("check"))?;
            let file = args.target.file().map(named).unwrap_or_default();
            let told = error.to_string();
            let why = SourceError::of(&told, &file, error.is::<NotOpened>());
            print(&unopened(&told, &why, form)?)?;
        }
        _ => {}
    }
    checked
}

/// A file of which nothing can be run, in a form for programs; as text it is an error alone.
fn unopened(told: &str, why: &SourceError, form: OutputForm) -> serde_json::Result<String> {
    match form {
        OutputForm::Short => Ok(why.line(reader())),
        OutputForm::Json => json("check", &serde_json::json!({ "error": told, "at": why })),
        OutputForm::Sarif => {
            let sarif = why.sarif(env!("CARGO_PKG_VERSION"));
            Ok(serde_json::to_string_pretty(&sarif)? + "\n")
        }
        _ => Ok(String::new()),
    }
}

/// Who reads lines: GitHub's workflows, if this is one.
fn reader() -> LineReader {
    let is_github = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
    if is_github { LineReader::GitHub } else { LineReader::Editor }
}

fn checked(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(report) = &args.against {
        let (problem, kernel) = args.problem.of(args.target.get()?)?;
        return against::run(report, &problem, kernel, args.form);
    }
    let (problem, kernel) = args.problem.of(Some(args.target.named()?))?;
    let check = KernelCheck { args, problem, kernel };
    if args.prove {
        limit::refuse(&args.limit, &[Limited::Instructions, Limited::Orders])?;
        return prove::run(&check);
    }
    limit::refuse(&args.limit, &[Limited::Instructions])?;
    check.run()
}

impl KernelCheck<'_> {
    fn budget(&self) -> u64 {
        Limited::Instructions.of(&self.args.limit, grid::BUDGET)
    }

    /// The problem, and the same kernel at an awkward size where nobody says one and it can be asked.
    fn problems(&self) -> anyhow::Result<(Problem, Option<Problem>)> {
        let Self { problem: given, args, .. } = self;
        let is_single =
            given.size.is_some() || args.at.is_some() || args.only == Some(CheckPart::Counts);
        if is_single || !given.foreign.is_given() {
            return Ok((given.problem(self.kernel)?, None));
        }
        let (first, awkward) = given.foreign.opened(None, false, |opened| {
            let first = opened.problem().map_err(|why| given.foreign.said(why))?;
            // A program says its own sizes.
            let is_program = opened.program().is_some();
            let awkward = if is_program { None } else { awkward(opened, &first) };
            Ok((first, awkward))
        })?;
        let awkward = awkward.map(|awkward| given.filled(awkward)).transpose()?;
        Ok((given.filled(first)?, awkward))
    }

    fn run(&self) -> anyhow::Result<ExitCode> {
        let args = self.args;
        let form = args.form.one_of(form::of_command("check"))?;
        if args.only == Some(CheckPart::Counts) && (args.at.is_some() || args.tolerance.is_some()) {
            let told = "--only counts computes no C: leave --at and --tolerance out";
            return Err(BadUse(told.to_owned()).into());
        }
        if let Some(code) = self.launches(form)? {
            return Ok(code);
        }
        let (mut problem, awkward) = self.problems()?;
        say_assumed(&problem);
        if args.tolerance.is_some() && !problem.is_product() {
            let told = "--tolerance is for a C that is judged, and of this kernel nothing is";
            return Err(BadUse(told.to_owned()).into());
        }
        if args.only == Some(CheckPart::Checks) {
            problem.goal = Goal::Any;
        }
        let program = self.problem.program(&problem)?;
        if args.only != Some(CheckPart::Counts) {
            fits(&problem)?;
        }
        let simulation = self.simulation(&problem, &program, block_of(&problem, args.at)?);
        let working = Working::on(told_of(&problem));
        // The counts alone are soon made, and of a part of the classes they would be those of no grid.
        let keeps = !simulation.counts_only && args.at.is_none();
        let token = if keeps { working.kept() } else { working.heard_by(SharedWork::done) };
        let begun = Instant::now();
        let simulated = simulation.run_blocks(&token);
        let seconds = begun.elapsed().as_secs_f64();
        let mut simulated =
            simulated.map(|simulated| simulation.judge(simulated)).map_err(of_fault)?;
        let diagnosis = Diagnosis::of(&simulation, &simulated);
        if let Some(problem) = self.as_compared(&problem, diagnosis.as_ref()) {
            drop(working);
            return KernelCheck { problem, ..*self }.run();
        }
        if !working.is_interrupted() {
            working.next(&format!("simulating {} from its last block", problem.name()));
            simulated.backwards = simulation.run_backwards(&simulated);
        }
        let awkward = awkward.filter(|_| !working.is_interrupted());
        let awkward = awkward.and_then(|mut awkward| {
            working.next(&told_of(&awkward));
            awkward.goal = problem.goal;
            self.at_awkward(&awkward, &program, &token)
        });
        let ended = working.ends();
        let outcome = SimReport::new(&simulation, (&simulated, seconds), diagnosis.as_ref());
        let outcome = outcome.beside(awkward).failing_on(&args.fail_on);
        let is_fine = outcome.fails().is_empty();
        let fails = outcome.fails().to_vec();
        print(&self.told(outcome, form, &ended, &problem)?)?;
        // What is stopped says nothing of other launches.
        if !ended.is_interrupted()
            && let Some(told) = self.larger(&simulated, &problem)
        {
            tell(&told);
        }
        let is_class = |name: &&&str| FailureClass::ALL.iter().any(|class| class.name() == **name);
        for class in fails.iter().filter(is_class) {
            complain(&format!("error: --fail-on {class}: it occurs"));
        }
        Ok(ended.code(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
    }

    /// The result in a form; places lie in the file as the user named it, but in text, where it is clear.
    fn told(
        &self,
        outcome: SimReport,
        form: OutputForm,
        ended: &EndedWork,
        problem: &Problem,
    ) -> anyhow::Result<String> {
        if form == OutputForm::Text {
            return Ok(text(&outcome));
        }
        let path = self.problem.foreign.file.as_deref();
        let name = path.map(named).or_else(|| self.kernel.map(Kernel::file)).unwrap_or_default();
        // The lines of PTX are those of the source beside it.
        let source = problem.source.as_ref().map(|source| Path::new(&source.file));
        let path = path.filter(|path| !is_stdin(path)).map(|path| match source {
            Some(source) if path.extension().is_some_and(|it| it == "ptx") => {
                path.with_file_name(source)
            }
            _ => path.to_owned(),
        });
        let outcome = outcome.in_file(path.as_deref(), &|path: &Path| path.exists());
        match form {
            OutputForm::Short => Ok(outcome.short(&name, reader())),
            OutputForm::Sarif => {
                let sarif = outcome.sarif(&name, env!("CARGO_PKG_VERSION"));
                Ok(serde_json::to_string_pretty(&sarif)? + "\n")
            }
            OutputForm::Html => page::html(self, problem, &outcome, &name),
            _ => Ok(ended.json("check", &outcome)?),
        }
    }

    fn simulation<'s>(
        &self,
        problem: &'s Problem,
        program: &'s Arc<Program>,
        block: Dim3,
    ) -> Simulation<'s> {
        Simulation {
            problem,
            program,
            order: self.problem.order_to_count(),
            only: self.args.at,
            block,
            budget: self.budget(),
            counts_only: self.args.only == Some(CheckPart::Counts),
            checks: self.args.only != Some(CheckPart::Result),
            tolerance: self.args.tolerance,
        }
    }

    /// What the kernel does at an awkward size; `None` if it faults, which the checks say otherwise.
    fn at_awkward(
        &self,
        problem: &Problem,
        program: &Arc<Program>,
        token: &WorkToken,
    ) -> Option<SimReport> {
        let simulation = self.simulation(problem, program, block_of(problem, None).ok()?);
        let begun = Instant::now();
        let simulated = simulation.judge(simulation.run_blocks(token).ok()?);
        let diagnosis = Diagnosis::of(&simulation, &simulated);
        let seconds = begun.elapsed().as_secs_f64();
        Some(SimReport::new(&simulation, (&simulated, seconds), diagnosis.as_ref()))
    }

    /// The arguments with the matrices laid out as the host gives them to cuBLAS, where C is right so,
    /// and nobody gave any.
    fn as_compared(
        &self,
        problem: &Problem,
        diagnosis: Option<&Diagnosis>,
    ) -> Option<problem::Args> {
        let foreign = &self.problem.foreign;
        let diagnosis = diagnosis.filter(|_| foreign.stated().args.is_none())?;
        let Some(Cause::ColumnMajor(which)) = &diagnosis.cause else { return None };
        let text = foreign.cuda_text()?;
        reference::column_major(&text).filter(|said| said == which)?;
        let words = as_meant(&problem.words, diagnosis)?;
        tell(&format!(
            "note: assuming --launch '({words})': as the host's call of cuBLAS has the matrices"
        ));
        let mut arguments = self.problem.clone();
        arguments.foreign.take(StatedLaunch { args: Some(words), ..StatedLaunch::default() });
        Some(arguments)
    }
}

/// `simulating tiled at 64`.
fn told_of(problem: &Problem) -> String {
    let size = problem.operands.first().map(|_| format!(" at {}", problem.size));
    format!("simulating {}{}", problem.name(), size.unwrap_or_default())
}

/// What a fault that ends the simulation says of C.
fn of_fault(fault: Fault) -> anyhow::Error {
    let is_long = matches!(fault.kind, FaultKind::NoEnd(_, None | Some(Repeats::AtLeast(_))));
    let told = if is_long {
        "C is INCOMPLETE, and the blocks after this one did not run; --limit instructions=N allows more"
    } else {
        "the kernel is wrong"
    };
    anyhow::Error::from(fault).context(told)
}

/// How many times as large a size may be at which a kernel that leaves its matrices is tried again.
const LARGER: [u32; 2] = [2, 4];

/// The most blocks of a grid that is tried: what has more takes long.
const MOST_BLOCKS: u64 = 256;

/// The largest side at which it is tried.
const LARGEST: u32 = 256;

/// Whether an access leaves the matrices of a user's kernel.
fn leaves(at: Option<Dim3>, simulated: &Simulated, problem: &Problem) -> bool {
    let found = simulated.findings.as_deref().unwrap_or_default();
    let size = problem.size;
    found.iter().any(|finding| matches!(finding.kind, FindingKind::Fault(_)))
        && problem.is_product()
        && problem.known.is_none()
        && at.is_none()
        && size.m.max(size.n).max(size.k) <= LARGEST
}

impl KernelCheck<'_> {
    /// Whether nothing is wrong with the kernel, launched so: `true` if C is the product, `false` if it
    /// is that of B's transpose.
    fn is_sound(&self, arguments: &problem::Args) -> Option<bool> {
        let problem = arguments.problem(self.kernel).ok()?;
        let program = arguments.program(&problem).ok()?;
        if problem.launch.blocks() > MOST_BLOCKS {
            return None;
        }
        let simulation = Simulation::checked(&problem, &program, self.budget());
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
    fn larger(&self, simulated: &Simulated, problem: &Problem) -> Option<String> {
        if !leaves(self.args.at, simulated, problem) {
            return None;
        }
        let size = problem.size;
        let sizes = LARGER.map(|by| Size { m: size.m * by, n: size.n * by, k: size.k * by });
        let mut sizes = sizes.into_iter().filter(|size| size.m.max(size.n).max(size.k) <= LARGEST);
        let _working = Working::on("blocks leave the matrices: trying larger ones".to_owned());
        sizes.find_map(|larger| {
            let arguments = problem::Args { size: Some(larger), ..self.problem.clone() };
            let is_right = self.is_sound(&arguments)?;
            let c =
                if is_right { "C is right" } else { "C is A x B^T (B:col in --launch says so)" };
            Some(format!(
                "note: at --size {larger} {c} and nothing is found: the kernel is made for sizes of \
                 whole tiles and vectors, and {size} is none"
            ))
        })
    }
}
