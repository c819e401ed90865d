//! The arguments that launch a user's kernel, which is not in the catalogue.

use super::BadUse;
use super::compiler::{Compiler, NotCompiled};
use super::output::tell;
use super::sources::{self, Sources};
use crate::file;
use crate::gpu::compiler::Job;
use crate::gpu::protocol::Compile;
use crate::kernel::{LaunchSpec, Problem, Source, UserKernel};
use crate::launch::{Dim3, shape};
use crate::lesson::edit::launch::{LAUNCH, Launch, shared};
use crate::matrix::Size;
use crate::ptx::{self, Module};
use std::path::{Path, PathBuf};

/// The heading of these options in `--help`.
pub(super) const HEADING: &str = "A kernel of your own";

/// The size if nobody gives one.
pub(super) const USUAL_SIZE: u32 = 1024;

/// Where the kernel comes from, and how it is launched.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Load the kernel's PTX from FILE, written by any compiler
    #[arg(help_heading = HEADING, long, value_name = "FILE")]
    pub ptx: Option<PathBuf>,
    /// Compile the CUDA C++ in FILE; a line `// launch: --block 16,16 --size 64` in it gives what the
    /// command line does not
    #[arg(help_heading = HEADING, long, value_name = "FILE", conflicts_with = "ptx")]
    cuda: Option<PathBuf>,
    /// The compiler for --cuda
    #[arg(help_heading = HEADING, long, value_name = "NAME", value_enum, default_value_t,
          requires = "cuda", conflicts_with = "ptx")]
    compiler: Compiler,
    /// Define a macro for --cuda
    #[arg(help_heading = HEADING, short = 'D', value_name = "NAME=VALUE", requires = "cuda",
          conflicts_with = "ptx")]
    define: Vec<String>,
    /// Architecture for --cuda [default: compute_80]
    #[arg(help_heading = HEADING, long, value_name = "ARCH", requires = "cuda",
          conflicts_with = "ptx")]
    arch: Option<String>,
    /// Name of the kernel, as in the PTX or its source; required if there are several
    #[arg(help_heading = HEADING, long, value_name = "NAME")]
    entry: Option<String>,
    /// Threads per block: X, X,Y or X,Y,Z
    #[arg(help_heading = HEADING, long, value_name = "X,Y,Z", value_parser = shape::block)]
    block: Option<Dim3>,
    /// Blocks in the grid [default: one thread per element of C, columns along x]
    #[arg(help_heading = HEADING, long, value_name = "X,Y,Z", value_parser = shape::grid)]
    grid: Option<Dim3>,
    /// A value for each parameter: A, B, C (pointers), M, N, K, integers, floats (1.0f), doubles
    /// (1.0), alpha=2.0f and beta=0.5f (where C is to become alpha A B + beta C), numba (Numba's
    /// arrays of A, B and C; numba:A for one)
    #[arg(help_heading = HEADING, long = "args", value_name = "LIST", allow_hyphen_values = true)]
    values: Option<String>,
    /// Dynamic shared memory per block, in bytes
    #[arg(help_heading = HEADING, long, value_name = "BYTES", value_parser = shared)]
    shared: Option<u32>,
    /// Show FILE as the source of the PTX [default: the file that its .file directive names, if it
    /// lies in the PTX's folder or below]
    #[arg(help_heading = HEADING, long, value_name = "FILE", conflicts_with = "cuda")]
    source: Option<PathBuf>,
}

impl Args {
    /// Whether a file with a kernel is given.
    pub(super) fn is_given(&self) -> bool {
        self.ptx.is_some() || self.cuda.is_some()
    }

    /// The file name for messages.
    pub(super) fn file(&self) -> Option<String> {
        let cuda = self.cuda.as_ref().map(|file| file.with_extension("ptx"));
        self.ptx.clone().or(cuda).map(|file| file.display().to_string())
    }

    /// The PTX from a file that replaces a catalogue kernel's PTX.
    ///
    /// # Errors
    /// An option that only a user's kernel can have; a file that cannot be read.
    pub(super) fn for_catalogue(&self, kernel: &str) -> Result<Option<String>, BadUse> {
        if let Some(option) = self.stray() {
            let hint = match option {
                "--block" => "; --at chooses the block to watch",
                _ => "",
            };
            return Err(BadUse(format!(
                "{option} is for a kernel of your own, from --ptx or --cuda, and this is the \
                 catalogue's `{kernel}`{hint}"
            )));
        }
        self.ptx.as_deref().map(read).transpose()
    }

    /// The first given option that only a user's kernel can have.
    fn stray(&self) -> Option<&'static str> {
        let given = [
            (self.cuda.is_some(), "--cuda"),
            (self.entry.is_some(), "--entry"),
            (self.block.is_some(), "--block"),
            (self.grid.is_some(), "--grid"),
            (self.values.is_some(), "--args"),
            (self.shared.is_some(), "--shared"),
            (self.source.is_some(), "--source"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }

    /// The kernel in the file, launched as requested on matrices of `size`.
    ///
    /// # Errors
    /// A file that cannot be read, compiled or parsed; a missing block size; arguments that do not
    /// fit.
    pub(super) fn problem(&self, size: Option<Size>, to_measure: bool) -> anyhow::Result<Problem> {
        let (ptx, source) = self.code(to_measure)?;
        let written = source.as_ref().filter(|_| self.cuda.is_some());
        let written = written.map_or_else(|| Ok(Launch::default()), launch_in)?;
        let size = size.or(written.size).unwrap_or(Size::square(USUAL_SIZE));
        let module = ptx::parse(&ptx).map_err(|mut errors| {
            let file = self.file().unwrap_or_default();
            BadUse(errors.swap_remove(0).render(&ptx, &file))
        })?;
        let block = self.block.or(written.block).ok_or_else(no_block)?;
        let entry = self.entry.as_deref().or(written.entry.as_deref());
        let function = UserKernel::function(&module, entry);
        let function = function.map_err(|error| BadUse(error.to_string()))?;
        let Sources { mut found, missing } = self.sources(&module);
        let own = found.iter().position(|(number, _)| *number == function.own_file());
        let own = own.map(|index| found.remove(index).1);
        let unseen = if source.is_none() { missing } else { Vec::new() };
        let wanted = LaunchSpec {
            entry: Some(function.name.clone()),
            grid: self.grid.or(written.grid),
            block,
            shared: self.shared.or(written.shared).unwrap_or(0),
            args: self.values.clone().or(written.args),
            source: source.or(own),
        };
        let foreign = UserKernel::new(&module, size, wanted);
        let foreign = foreign.map_err(|error| BadUse(error.to_string()))?;
        let foreign = UserKernel { others: found, unseen, ..foreign };
        Ok(Problem::of_user(foreign, size, ptx))
    }

    /// The files that the PTX refers to.
    fn sources(&self, module: &Module) -> Sources {
        let file = self.ptx.as_deref().or(self.cuda.as_deref());
        let folder = file.and_then(Path::parent).unwrap_or(Path::new(""));
        sources::look_for(module, folder)
    }

    /// The PTX, and its source.
    fn code(&self, to_measure: bool) -> anyhow::Result<(String, Option<Source>)> {
        if let Some(file) = &self.cuda {
            let source = Source { defines: self.define.clone(), ..source(file)? };
            return Ok((self.compiled(file, &source, to_measure)?, Some(source)));
        }
        let file = self.ptx.as_deref().unwrap_or(Path::new(""));
        Ok((read(file)?, self.source.as_deref().map(source).transpose()?))
    }

    fn compiled(&self, file: &Path, source: &Source, to_measure: bool) -> anyhow::Result<String> {
        let wanted = Compile {
            file: source.file.clone(),
            text: source.text.clone(),
            arch: self.arch.clone().unwrap_or_else(|| "compute_80".to_owned()),
            defines: self.define.clone(),
            folder: file.parent().map(Path::to_owned).unwrap_or_default(),
        };
        let ptx = self.compiler.compile(&Job { wanted, to_measure }, file);
        ptx.map_err(|NotCompiled(told)| NotCompiled(told + hosted(&source.text)).into())
    }
}

/// The launch that a source names in a comment.
fn launch_in(source: &Source) -> Result<Launch, BadUse> {
    Launch::written(&source.text).map_err(|error| {
        let (file, line) = (&source.file, error.line);
        BadUse(format!("{file}:{line}: in `{LAUNCH}`: {}", error.message))
    })
}

/// Prints on stderr what was inferred or left out, so that nothing happens silently.
pub(super) fn say_assumed(problem: &Problem) {
    for line in problem.as_user_kernel().into_iter().flat_map(|foreign| &foreign.inferred) {
        tell(&format!("matviz: assuming {line}"));
    }
    for call in problem.as_user_kernel().into_iter().flat_map(|foreign| &foreign.left_out) {
        tell(&format!("matviz: the output of `{call}` is not shown"));
    }
    if let Some(unseen) = unseen(problem) {
        tell(&format!("matviz: {unseen}"));
    }
}

/// The source files that are not shown, with the reasons.
pub(super) fn unseen(problem: &Problem) -> Option<String> {
    let unseen = &problem.as_user_kernel()?.unseen;
    (!unseen.is_empty()).then(|| format!("no source to show: {}", unseen.join("; ")))
}

/// Advice for a source that does not compile and contains host code.
fn hosted(source: &str) -> &'static str {
    let words = ["main(", "<<<", "#include <stdio", "#include <iostream", "#include <cstdio"];
    if words.iter().any(|word| source.contains(word)) {
        "\nOnly device code is compiled here: give a file with the kernel alone, without main, \
         launches and the host's headers"
    } else {
        ""
    }
}

/// The maximum size in bytes of a source or PTX file.
const MOST_TEXT: u64 = 64 << 20;

/// Reads a whole file, up to the limit: a special file may never end.
fn bytes(file: &Path) -> Result<Vec<u8>, BadUse> {
    file::read(file, MOST_TEXT).map_err(|error| BadUse(format!("{}: {error}", file.display())))
}

fn no_block() -> BadUse {
    BadUse(
        "--block is missing: how many threads a block has, for example --block 16,16 (or name the \
         catalogue's kernel whose PTX this is)"
            .to_owned(),
    )
}

fn read(file: &Path) -> Result<String, BadUse> {
    let text = bytes(file)?;
    let no_text = |_| BadUse(format!("{} is not PTX: it is not even text", file.display()));
    String::from_utf8(text).map_err(no_text)
}

/// Reads a source, without macros.
///
/// # Errors
/// A file that cannot be read, or that is too large.
pub(super) fn source(file: &Path) -> Result<Source, BadUse> {
    let text = bytes(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(Source { file: name, text, defines: Vec::new() })
}
