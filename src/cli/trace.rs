//! `matviz trace`: the origin of an element of C, or the uses of one of A or B, as a table.

use super::names::KERNEL;
use super::output::print;
use super::problem::{self, block_of};
use super::user_kernel::say_assumed;
use super::working::{SharedWork, Working};
use super::{BadUse, bands};
use crate::kernel::Kernel;
use crate::launch::{Dim3, shape};
use crate::matrix::{Element, Operand};
use crate::study::value::{Known, SumKind, ValueQuestion};
use crate::work::WorkProgress;
use std::ops::ControlFlow;
use std::process::ExitCode;

/// Arguments of `matviz trace`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "matviz trace [OPTIONS] <ELEMENT>\n       matviz trace [OPTIONS] --bands"
)]
pub struct Args {
    /// Element of A, B or C, for example 'C[5][7]'
    // Before it, the kernel may stand, as it was given before.
    #[arg(value_name = "ELEMENT", required_unless_present = "bands")]
    words: Vec<String>,
    /// The block's run as supersteps, divided by its barriers: what each stores, reads and leaves live
    #[arg(long, conflicts_with = "words")]
    bands: bool,
    /// Kernel of the catalogue; `matviz --help` lists them
    #[arg(long, value_name = "NAME", value_parser = KERNEL, hide_possible_values = true)]
    kernel: Option<&'static Kernel>,
    #[command(flatten)]
    problem: problem::Args,
    /// Block whose use of an element of A or B, or whose supersteps are listed
    #[arg(long, value_name = "X,Y", value_parser = shape::place)]
    at: Option<Dim3>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints, in order, every load that contributed to an element of C, or every event of an element
/// of A or B. Returns 0 if the element of C is the sum that it should be.
///
/// # Errors
/// An element or a block that does not exist, PTX that cannot be run.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.bands {
        let problem = args.problem.named_problem(args.kernel)?;
        args.problem.refuse_fill(&problem)?;
        return bands::run(&args.problem, problem, args.at, args.json);
    }
    let (kernel, element) = args.named()?;
    let problem = args.problem.named_problem(kernel)?;
    args.problem.refuse_fill(&problem)?;
    say_assumed(&problem);
    let size = problem.size;
    if !problem.is_product() {
        let told = "trace follows elements of C = A x B, and this kernel is given as one that computes \
                    something else (--result any)";
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
    let program = args.problem.program(&problem)?;
    let block = block_of(&problem, args.at)?;
    let order = args.problem.order_to_watch();
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
    print(&if args.json { ended.json("trace", &answer.json())? } else { answer.text() })?;
    Ok(ended.code(if is_right(&answer.known) { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// Shows how far it is; a part of what made an element of C is no answer.
fn of_c(line: &SharedWork, progress: WorkProgress) -> ControlFlow<()> {
    // How many steps there are is known once the block has been run.
    if progress.total > 0 { line.done(progress) } else { ControlFlow::Continue(()) }
}

impl Args {
    /// The kernel, if one is named, and the element.
    fn named(&self) -> Result<(Option<&'static Kernel>, Element), BadUse> {
        let (name, element) = match &self.words[..] {
            [element] => (None, element),
            [name, element] if self.kernel.is_none() => (Some(name), element),
            words => {
                let words = words.join(" ");
                return Err(BadUse(format!(
                    "`{words}`: give one element, and the kernel by --kernel"
                )));
            }
        };
        let parse = KERNEL.parse;
        let kernel = name.map(|name| parse(name)).transpose()?.or(self.kernel);
        let element = element.parse().map_err(|error| BadUse(format!("{error}")))?;
        Ok((kernel, element))
    }
}

fn is_right(known: &Known) -> bool {
    match known {
        Known::Came(came) => !matches!(came.sum, SumKind::Wrong(_)),
        Known::Went(_) => true,
        Known::Nobody(..) => false,
    }
}
