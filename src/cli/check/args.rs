//! What `matviz check` is told: its arguments.

use crate::cli::BadUse;
use crate::cli::form::FormArgs;
use crate::cli::limit::{LimitArg, limit};
use crate::cli::names::NameParser;
use crate::cli::problem;
use crate::cli::target::TargetArg;
use crate::kernel::Kernel;
use crate::launch::{Dim3, shape};
use crate::report::sim::FailureClass;
use std::path::PathBuf;

/// Arguments of `matviz check`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub(super) target: TargetArg,
    #[command(flatten)]
    pub(super) problem: problem::Args,
    /// Check only this block
    #[arg(long, value_name = "X,Y", value_parser = shape::place)]
    pub(super) at: Option<Dim3>,
    /// Search the orders of the warps for one that spoils C, and one that does not
    #[arg(long, conflicts_with_all = ["tolerance", "fail_on", "only", "against"])]
    pub(super) prove: bool,
    /// Play the order that spoils C on the screen, from where it goes wrong
    #[arg(long, requires = "prove", conflicts_with_all = ["json", "format"])]
    pub(super) show: bool,
    /// Compare with the report that `ncu --csv` prints; - is standard input
    #[arg(long, value_name = "REPORT.csv", conflicts_with_all = ["at", "tolerance", "fail_on", "only", "limit"])]
    pub(super) against: Option<PathBuf>,
    /// Judge the result by another kernel of the file, or by the host's own
    ///
    /// The arrays that both kernels leave are compared; with `host`, what the program copies back with
    /// what its own code compares it with. The first wrong element is followed back to what it was
    /// made of.
    #[arg(long, value_name = "KERNEL|host", conflicts_with_all = ["expect", "prove", "against", "at", "only"])]
    pub(super) same_as: Option<String>,
    /// Judge the result by the numbers in FILE: the array that is copied back, or the one called BUFFER
    ///
    /// The numbers stand apart from one another by spaces, commas, brackets or lines.
    #[arg(long, value_name = "[BUFFER=]FILE", hide_short_help = true,
          conflicts_with_all = ["prove", "against", "at", "only"])]
    pub(super) expect: Option<String>,
    /// Do only this: counts (one block of each class, no C), result (C and counts), checks (C is not
    /// judged)
    #[arg(long, value_name = "PART", value_parser = PART, hide_possible_values = true)]
    pub(super) only: Option<CheckPart>,
    /// Largest relative error accepted as right [default: that of a float32 sum]
    #[arg(long, value_name = "ERROR", value_parser = tolerance, hide_short_help = true)]
    pub(super) tolerance: Option<f64>,
    /// Fail also if this occurs: costly, uncoalesced, conflicts, uncertain; several with commas
    ///
    /// The exit code is then 1. costly is an access that takes more sectors or wavefronts than it
    /// needs; uncoalesced is one of them, to global memory; conflicts is one to shared memory;
    /// uncertain is a count of the SASS that cannot be predicted.
    #[arg(long, value_name = "CLASS,...", value_delimiter = ',', value_parser = CLASS,
          hide_possible_values = true)]
    pub(super) fail_on: Vec<FailureClass>,
    /// Stop a block after instructions=N; try orders=N with --prove
    ///
    /// A block that stays in one loop, and nothing shows when that ends, is stopped after a twelfth of
    /// the instructions, but not before 8,388,608.
    #[arg(long, value_name = "WHAT=N,...", value_delimiter = ',', value_parser = limit,
          hide_short_help = true)]
    pub(super) limit: Vec<LimitArg>,
    #[command(flatten)]
    pub(super) form: FormArgs,
}

/// A part of what is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckPart {
    Counts,
    Result,
    Checks,
}

const PART: NameParser<CheckPart> = NameParser {
    of: || {
        vec![
            ("counts", "one block of each class of identical blocks, without C"),
            ("result", "counts and C, without the checks for races, barriers and memory"),
            ("checks", "all but the judgement of C"),
        ]
    },
    parse: |text| match text {
        "counts" => Ok(CheckPart::Counts),
        "result" => Ok(CheckPart::Result),
        "checks" => Ok(CheckPart::Checks),
        _ => Err(BadUse("give counts, result or checks".to_owned())),
    },
};

/// A run of the command: what is checked, and how.
pub(super) struct KernelCheck<'a> {
    pub(super) args: &'a Args,
    pub(super) problem: problem::Args,
    pub(super) kernel: Option<&'static Kernel>,
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
pub(in crate::cli) fn tolerance(text: &str) -> Result<f64, BadUse> {
    let error = text.parse().ok().filter(|error: &f64| error.is_finite() && *error >= 0.0);
    error.ok_or_else(|| BadUse("give a number such as 1e-3".to_owned()))
}
