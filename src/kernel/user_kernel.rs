//! A kernel that is not of the catalogue: its entry point, its launch, its arguments.

use super::args;
use super::call::Arg;
use super::inferred::Guess;
use super::launch_error::LaunchError;
use super::roles::Roles;
use super::{entry, signature};
use crate::launch::{Dim3, Launch};
use crate::matrix::{Gemm, Size};
use crate::ptx::{ControlOp, Function, Module, Op, Statement, Threads};
use crate::sim;

/// Words in a row of a shared array whose shape is not known: one in each bank.
pub const ROW: u32 = 32;

/// A kernel from a file, and how it is to be launched.
#[derive(Clone, Debug)]
pub struct UserKernel {
    /// The entry point's name in the PTX.
    pub entry: String,
    /// Blocks and threads.
    pub launch: Launch,
    /// Bytes of dynamic shared memory for each block.
    pub shared: u32,
    /// The arguments in words, as `--args` takes them.
    pub words: String,
    /// The arguments, one for each parameter.
    pub args: Vec<Arg>,
    /// What C is to become.
    pub gemm: Gemm,
    /// What the PTX was compiled from, where that is known.
    pub source: Option<Source>,
    /// The other files that code of it stands in, by the numbers of their `.file` directives.
    pub others: Vec<(u32, Source)>,
    /// Files of its source that are not there, each with the reason.
    pub unseen: Vec<String>,
    /// What was not asked for but assumed, each in a few words.
    pub inferred: Vec<String>,
    /// Functions, as the source calls them, whose calls change nothing that is simulated: they are
    /// left out.
    pub left_out: Vec<&'static str>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name, without folders.
    pub file: String,
    /// All of it.
    pub text: String,
    /// The macros that it was compiled with, as `NAME=VALUE`.
    pub defines: Vec<String>,
}

/// What is asked for; what is not given follows from the PTX and the size, if it can.
#[derive(Clone, Debug)]
pub struct LaunchSpec {
    /// The entry point, by its name in the PTX or in the source.
    pub entry: Option<String>,
    /// Blocks.
    pub grid: Option<Dim3>,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The arguments in words.
    pub args: Option<String>,
    /// What the PTX was compiled from.
    pub source: Option<Source>,
}

impl UserKernel {
    /// The entry point of `module` that a name in the PTX or in its source stands for; without one,
    /// the only one.
    ///
    /// # Errors
    /// None, or several.
    pub fn function<'m>(
        module: &'m Module,
        name: Option<&str>,
    ) -> Result<&'m Function, LaunchError> {
        entry::find(module, name)
    }

    /// The kernel of `module` that is wanted, for matrices of `size`.
    ///
    /// Without a grid, there is a thread for each element of C, columns along x; without arguments,
    /// those that the parameters' types, names and use leave no doubt about.
    ///
    /// # Errors
    /// No such entry point; a block that it does not take; arguments that are not what its
    /// parameters take.
    pub fn new(module: &Module, size: Size, wanted: LaunchSpec) -> Result<Self, LaunchError> {
        let function = Self::function(module, wanted.entry.as_deref())?;
        fits(function.threads, wanted.block.volume())?;
        let guess = guess(module, function, size, &wanted);
        let mut assumed = Vec::new();
        let grid = wanted.grid.unwrap_or_else(|| {
            let (grid, why) = guess.grid(wanted.block);
            let blocks = grid.place_in(grid);
            assumed.push(format!("--grid {blocks}: a thread for each element of C{why}"));
            grid
        });
        let words = if let Some(words) = wanted.args {
            words
        } else {
            let (words, why) = guess.arguments()?;
            assumed.push(format!("--args {words}: {why}"));
            words
        };
        let prints = [function].into_iter().chain(&module.device_functions).any(prints);
        Ok(Self {
            entry: function.name.clone(),
            launch: Launch { grid, block: wanted.block },
            shared: wanted.shared,
            args: args::typed(&words, &function.params, size)?,
            gemm: args::gemm(&words)?,
            words,
            source: wanted.source,
            others: Vec::new(),
            unseen: Vec::new(),
            inferred: assumed,
            left_out: if prints { vec!["printf"] } else { Vec::new() },
        })
    }
}

/// What the PTX and its source tell of a launch.
fn guess<'m>(
    module: &'m Module,
    function: &'m Function,
    size: Size,
    wanted: &LaunchSpec,
) -> Guess<'m> {
    let names = wanted
        .source
        .as_ref()
        .map(|source| signature::names(&source.text, entry::source_name(&function.name)));
    // Of a program that cannot run, what is wrong is said where it is to run.
    let program = sim::lower_with(module, &function.name, wanted.shared);
    let roles = program.map(|program| Roles::of(&program)).unwrap_or_default();
    Guess { params: &function.params, names: names.unwrap_or_default(), roles, size }
}

/// Whether a kernel that says so takes a block of so many threads.
fn fits(kernel: Option<Threads>, threads: u64) -> Result<(), LaunchError> {
    match kernel {
        Some(Threads::AtMost(most)) if threads > most => Err(LaunchError::TooLarge(threads, most)),
        Some(Threads::Exactly(count)) if threads != count => {
            Err(LaunchError::NotExactly(threads, count))
        }
        _ => Ok(()),
    }
}

/// Whether a function calls what `printf` is made of.
fn prints(function: &Function) -> bool {
    let calls = |statement: &Statement| match statement {
        Statement::Instruction { op: Op::Control(ControlOp::Call { target, .. }), .. } => {
            target == "vprintf"
        }
        _ => false,
    };
    function.body.iter().any(calls)
}
