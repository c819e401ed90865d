//! `matviz trace`: the origin of an element of C, or the uses of one of A or B, as a table; or the
//! supersteps of a block.

use super::BadUse;
use super::form::FormArgs;
use super::output::print;
use super::problem::{self, block_of};
use super::target::{KernelTarget, TargetWord};
use super::user_kernel::say_assumed;
use super::working::{SharedWork, Working};
use crate::kernel::Problem;
use crate::launch::{Dim3, shape};
use crate::matrix::{Element, Operand};
use crate::report::superstep::SuperstepReport;
use crate::study::findings::BlockRun;
use crate::study::value::{Known, SumKind, ValueQuestion};
use crate::work::WorkProgress;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `matviz trace`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "matviz trace [OPTIONS] [TARGET] <ELEMENT>\n       matviz trace [OPTIONS] --bands <TARGET>"
)]
pub struct Args {
    /// A kernel of the catalogue or a file, and an element of A, B or C: mine.cu 'C[5][7]'
    #[arg(value_name = "TARGET> <ELEMENT", required = true, num_args = 1..=2,
          value_parser = TargetWord, hide_possible_values = true,
          value_hint = clap::ValueHint::FilePath)]
    words: Vec<PathBuf>,
    /// The run of a block as supersteps, divided by its barriers: what each stores, reads, leaves live
    #[arg(long)]
    bands: bool,
    #[command(flatten)]
    problem: problem::Args,
    /// Block whose use of an element of A or B, or whose supersteps are listed
    #[arg(long, value_name = "X,Y", value_parser = shape::place)]
    at: Option<Dim3>,
    #[command(flatten)]
    form: FormArgs,
}

/// Prints, in order, every load that contributed to an element of C, or every event of an element
/// of A or B. Returns 0 if the element of C is the sum that it should be.
///
/// # Errors
/// An element or a block that does not exist, PTX that cannot be run.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let is_json = args.form.is_json()?;
    if args.bands {
        let (given, kernel) = args.problem.of(Some(args.only_target()?))?;
        let problem = given.problem(kernel)?;
        given.refuse_fill(&problem)?;
        return bands(&given, problem, args.at, is_json);
    }
    let (target, element) = args.named()?;
    let (given, kernel) = args.problem.of(Some(target))?;
    let problem = given.problem(kernel)?;
    given.refuse_fill(&problem)?;
    say_assumed(&problem);
    let size = problem.size;
    if !problem.is_product() {
        let told = "trace follows elements of C = A x B, and this kernel is given as one that computes \
                    something else";
        return Err(BadUse(told.to_owned()).into());
    }
    if !size.contains(element) {
        let (rows, columns) = size.shape(element.operand);
        let name = element.operand.name();
        return Err(
            BadUse(format!("{element} is outside {name}, which is {rows} x {columns}")).into()
        );
    }
    if element.operand == Operand::C && args.at.is_some() {
        let told = "--at: the block that computes an element of C is found; --at chooses one of those \
                    that use an element of A or B";
        return Err(BadUse(told.to_owned()).into());
    }
    let program = given.program(&problem)?;
    let block = block_of(&problem, args.at)?;
    let order = given.order_to_watch();
    let question = ValueQuestion { problem, program, order, block, element };
    let (name, mut answer) = (question.problem.name(), None);
    let working = Working::on(format!("tracing {element} of {name} at {size}"));
    let token = match element.operand {
        Operand::C => working.heard_by(of_c),
        // The blocks that have been asked about.
        Operand::A | Operand::B => working.kept(),
    };
    let asked = question.ask(&token, |latest| answer = Some(latest));
    let ended = working.ends();
    if !ended.is_interrupted() {
        asked?;
    }
    let Some(answer) = answer else {
        anyhow::ensure!(ended.is_interrupted(), "no block can be asked about {element}");
        return Ok(ended.code(ExitCode::FAILURE));
    };
    print(&if is_json { ended.json("trace", &answer.json())? } else { answer.text() })?;
    Ok(ended.code(if is_right(&answer.known) { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// Prints what each superstep of a block stores, reads and leaves live. Returns 1 if a race meets in
/// one of them.
///
/// # Errors
/// A block outside the grid, PTX that cannot be run.
fn bands(
    args: &problem::Args,
    problem: Problem,
    at: Option<Dim3>,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    say_assumed(&problem);
    let program = args.program(&problem)?;
    let block = block_of(&problem, at)?;
    let working = Working::on(format!("running a block of {}", problem.name()));
    let run = BlockRun { problem, program, block, order: args.order_to_watch() };
    let report = SuperstepReport::new(&run, &run.look());
    let ended = working.ends();
    print(&if as_json { ended.json("trace", &report)? } else { report.text() })?;
    Ok(ended.code(if report.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// Shows how far it is; a part of what made an element of C is no answer.
fn of_c(line: &SharedWork, progress: WorkProgress) -> ControlFlow<()> {
    // How many steps there are is known once the block has been run.
    if progress.total > 0 { line.done(progress) } else { ControlFlow::Continue(()) }
}

impl Args {
    /// The kernel whose supersteps are asked for.
    fn only_target(&self) -> Result<KernelTarget, BadUse> {
        match &self.words[..] {
            [target] => KernelTarget::find(target),
            [..] => Err(BadUse("--bands: give a kernel alone, without an element".to_owned())),
        }
    }

    /// What is traced: the kernel or file, and the element.
    fn named(&self) -> Result<(KernelTarget, Element), BadUse> {
        let (target, element) = match &self.words[..] {
            [target, element] => (target, element),
            [one] if one.to_string_lossy().parse::<Element>().is_ok() => {
                let told =
                    "which kernel? Name it before the element: `matviz trace tiled 'C[5][7]'`";
                return Err(BadUse(told.to_owned()));
            }
            [one, ..] => {
                KernelTarget::find(one)?;
                let told = "which element? Name one of A, B or C: `matviz trace tiled 'C[5][7]'`";
                return Err(BadUse(told.to_owned()));
            }
            [] => return Err(BadUse("give a kernel and an element".to_owned())),
        };
        let element =
            element.to_string_lossy().parse().map_err(|error| BadUse(format!("{error}")))?;
        Ok((KernelTarget::find(target)?, element))
    }
}

fn is_right(known: &Known) -> bool {
    match known {
        Known::Came(came) => !matches!(came.sum, SumKind::Wrong(_)),
        Known::Went(_) => true,
        Known::Nobody(..) => false,
    }
}
