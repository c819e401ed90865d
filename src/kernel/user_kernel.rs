//! A kernel outside the catalogue: its entry point, its launch, its arguments.

use super::args::{self, ArgsError, Own};
use super::buffer::{Buffer, usual_contents};
use super::call::Arg;
use super::inferred::{Guess, grid_over};
use super::launch_error::LaunchError;
use super::roles::{Roles, accessed_as};
use super::{entry, signature};
use crate::launch::{Dim3, Launch};
use crate::matrix::{Gemm, Size};
use crate::ptx::{ControlOp, Function, Module, Op, Statement, Threads};
use crate::sim;
use serde::Serialize;

/// Words in a row of a shared array of unknown shape: one in each bank.
pub const ROW: u32 = 32;

/// What a kernel is to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// C = A x B, or alpha A B + beta C: C is judged.
    #[default]
    Product,
    /// Anything: nothing is judged.
    Any,
}

/// A kernel from a file, and its launch.
#[derive(Clone, Debug)]
pub struct UserKernel {
    /// The entry point's name in the PTX.
    pub entry: String,
    /// Blocks and threads.
    pub launch: Launch,
    /// Bytes of dynamic shared memory for each block.
    pub shared: u32,
    /// The arguments as words, in the format of `--args`.
    pub words: String,
    /// The arguments, one for each parameter.
    pub args: Vec<Arg>,
    /// The operation that determines C.
    pub gemm: Gemm,
    /// What it is to compute.
    pub goal: Goal,
    /// Whether A, B and C are among the buffers, as the first three.
    pub has_matrices: bool,
    /// The other buffers.
    pub buffers: Vec<Buffer>,
    /// Arguments that it takes if it computes no product, if there are any.
    pub as_any: Option<String>,
    /// The source of the PTX, if known.
    pub source: Option<Source>,
    /// The other files that contain its code, by the numbers of their `.file` directives.
    pub others: Vec<(u32, Source)>,
    /// Source files that could not be read, each with the reason.
    pub unseen: Vec<String>,
    /// Settings that were not specified but inferred, each in a few words.
    pub inferred: Vec<String>,
    /// Functions, by their names in the source, whose calls change nothing that is simulated and
    /// are left out.
    pub left_out: Vec<&'static str>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name, without directories.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The macros with which it was compiled, as `NAME=VALUE`.
    pub defines: Vec<String>,
}

/// The requested launch; what is not specified is inferred from the PTX and the size, if possible.
#[derive(Clone, Debug)]
pub struct LaunchSpec {
    /// The entry point, by its name in the PTX or in the source.
    pub entry: Option<String>,
    /// The grid, in blocks.
    pub grid: Option<Dim3>,
    /// The block, in threads.
    pub block: Dim3,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The arguments as words.
    pub args: Option<String>,
    /// The source of the PTX.
    pub source: Option<Source>,
}

impl UserKernel {
    /// Returns the entry point of `module` with this name in the PTX or in its source; without a
    /// name, the only one.
    ///
    /// # Errors
    /// No entry point matches, or several do.
    pub fn function<'m>(
        module: &'m Module,
        name: Option<&str>,
    ) -> Result<&'m Function, LaunchError> {
        entry::find(module, name)
    }

    /// Makes the requested kernel of `module`, for matrices of `size`.
    ///
    /// Without a grid, there is one thread for each element of C, columns along x; without
    /// arguments, they are inferred from the parameters' types, names and use, if these leave no
    /// doubt.
    ///
    /// # Errors
    /// No such entry point; a block that it does not take; arguments that do not fit its
    /// parameters.
    pub fn new(module: &Module, size: Size, wanted: LaunchSpec) -> Result<Self, LaunchError> {
        Self::called(module, size, wanted, &[])
    }

    /// Like [`Self::new`], where the host's code launches the kernel: `called` has its arguments as
    /// words, as far as they are numbers. They are taken where names and types leave a doubt.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn called(
        module: &Module,
        size: Size,
        wanted: LaunchSpec,
        called: &[Option<String>],
    ) -> Result<Self, LaunchError> {
        let function = Self::function(module, wanted.entry.as_deref())?;
        fits(function.threads, wanted.block.volume())?;
        let guess = Guess { called, ..guess(module, function, size, &wanted) };
        let mut assumed = Vec::new();
        let words = if let Some(words) = wanted.args {
            words
        } else {
            let (words, why) = guess.arguments()?;
            assumed.push(format!("--args {words}: {why}"));
            words
        };
        let args = args::typed(&words, &function.params, size)?;
        let own = Own::of(&words, size).map_err(ArgsError::from)?;
        let has_matrices = own.has_matrices;
        let buffers = with_contents(own, &args, &guess.roles);
        let grid = if let Some(grid) = wanted.grid {
            grid
        } else {
            let (grid, why) = if has_matrices {
                let (grid, why) = guess.grid(wanted.block);
                (grid, format!("C{why}"))
            } else {
                let (grid, longest) = grid_over(&buffers, wanted.block)?;
                (grid, format!("`{longest}`"))
            };
            let blocks = grid.place_in(grid);
            assumed.insert(0, format!("--grid {blocks}: a thread for each element of {why}"));
            grid
        };
        let launch = Launch { grid, block: wanted.block };
        let prints = [function].into_iter().chain(&module.device_functions).any(prints);
        Ok(Self {
            entry: function.name.clone(),
            launch,
            shared: wanted.shared,
            args,
            gemm: args::gemm(&words)?,
            goal: if has_matrices { Goal::Product } else { Goal::Any },
            has_matrices,
            buffers,
            as_any: guess.any(Some(launch)),
            words,
            source: wanted.source,
            others: Vec::new(),
            unseen: Vec::new(),
            inferred: assumed,
            left_out: if prints { vec!["printf"] } else { Vec::new() },
        })
    }
}

/// Returns the buffers of a list, filled before the launch as the list says, or else as the kernel
/// uses them.
fn with_contents(own: Own, args: &[Arg], roles: &Roles) -> Vec<Buffer> {
    let first = own.first();
    let filled = |(place, (buffer, said)): (usize, (Buffer, Option<_>))| {
        let pointers = (0..args.len()).filter(|arg| args[*arg] == Arg::Buffer(first + place));
        let contents = said.unwrap_or_else(|| usual_contents(roles, pointers));
        Buffer { contents, ..buffer }
    };
    own.buffers.into_iter().enumerate().map(filled).collect()
}

/// Collects what the PTX and its source reveal about a launch.
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
    // The errors of a program that cannot run are reported where it is to run.
    let program = sim::lower_with(module, &function.name, wanted.shared);
    let known = program.map(|program| (Roles::of(&program), accessed_as(&program)));
    let (roles, types) = known.unwrap_or_default();
    let names = names.unwrap_or_default();
    Guess { params: &function.params, names, roles, types, size, called: &[] }
}

/// Checks that the kernel takes a block of this number of threads, if it declares that.
fn fits(kernel: Option<Threads>, threads: u64) -> Result<(), LaunchError> {
    match kernel {
        Some(Threads::AtMost(most)) if threads > most => Err(LaunchError::TooLarge(threads, most)),
        Some(Threads::Exactly(count)) if threads != count => {
            Err(LaunchError::NotExactly(threads, count))
        }
        _ => Ok(()),
    }
}

/// Whether a function calls `vprintf`, to which `printf` is compiled.
fn prints(function: &Function) -> bool {
    let calls = |statement: &Statement| match statement {
        Statement::Instruction { op: Op::Control(ControlOp::Call { target, .. }), .. } => {
            target == "vprintf"
        }
        _ => false,
    };
    function.body.iter().any(calls)
}
