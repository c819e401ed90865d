//! The arguments that launch a user's kernel, which is not in the catalogue.

mod given;

pub(super) use given::{define, source};
use given::{folder, of_cluster, read};

use super::BadUse;
use super::compiler::{Compiler, NotCompiled};
use super::names::{NameParser, meant};
use super::output::{is_stdin, named, tell};
use super::working::Working;
use crate::compile::CompileJob;
use crate::compile::python::{self, PythonJob};
use crate::kernel::{Goal, LaunchError, Problem, Source};
use crate::launch::{Dim3, shape};
use crate::matrix::Size;
use crate::own::launch::{StatedLaunch, shared};
use crate::own::{self, CudaText, FileRequest, FileText, OpenError, Opened, PythonCompiler};
use std::path::{Path, PathBuf};

/// The heading of these options in `--help`.
pub(super) const HEADING: &str = "A kernel of your own";

/// Where the kernel comes from, and how it is launched.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Load the kernel's PTX from FILE (- is standard input), of any compiler
    #[arg(help_heading = HEADING, long, value_name = "FILE")]
    pub ptx: Option<PathBuf>,
    /// Compile the kernels in FILE (- is standard input), of CUDA C++
    ///
    /// The file may be as it lies on the disk: the host's code is left out, and its `kernel<<<grid, block>>>(...)`, or a line `// launch: --block
    /// 16,16 --size 64`, gives what the command line does not.
    #[arg(help_heading = HEADING, long, value_name = "FILE", conflicts_with = "ptx")]
    cuda: Option<PathBuf>,
    /// The compiler for --cuda
    #[arg(help_heading = HEADING, long, value_name = "NAME", value_enum, default_value_t,
          hide_short_help = true, requires = "cuda", conflicts_with = "ptx")]
    compiler: Compiler,
    /// Define a macro for --cuda
    #[arg(help_heading = HEADING, short = 'D', value_name = "NAME=VALUE", requires = "cuda",
          conflicts_with = "ptx", hide_short_help = true, value_parser = define)]
    define: Vec<String>,
    /// Look in DIR too for the headers that --cuda's file includes
    #[arg(help_heading = HEADING, short = 'I', value_name = "DIR", requires = "cuda",
          conflicts_with = "ptx", hide_short_help = true, value_parser = folder)]
    include: Vec<PathBuf>,
    /// Architecture for --cuda [default: compute_80, or what its instructions need]
    #[arg(help_heading = HEADING, long, value_name = "ARCH", requires = "cuda",
          conflicts_with = "ptx", hide_short_help = true)]
    arch: Option<String>,
    /// Name of the kernel, required if there are several
    ///
    /// As in the PTX or its source, with the arguments of a template: 'mm<16, float>'.
    #[arg(help_heading = HEADING, long, value_name = "NAME")]
    entry: Option<String>,
    /// Threads per block: X, X,Y or X,Y,Z
    #[arg(help_heading = HEADING, long, value_name = "X,Y,Z", value_parser = shape::block)]
    block: Option<Dim3>,
    /// Blocks in the grid [default: one thread per element of C, columns along x]
    #[arg(help_heading = HEADING, long, value_name = "X,Y,Z", value_parser = shape::grid)]
    grid: Option<Dim3>,
    /// A value for each parameter: A,B,C,N [default: by their names and types]
    ///
    /// A, B, C (pointers), M, N, K, integers, floats (1.0f), doubles (1.0), alpha=2.0f and beta=0.5f (where C is to become alpha A B + beta C), {M,K,A} (a
    /// structure by value, its members; {A,M,lda:i64} gives an integer in it 64 bits), numba (Numba's arrays of A, B and C; numba:A for one).
    /// A:f64 names the type of the elements (f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64,
    /// u64; otherwise it is what the kernel does with them); A:col, B:f64:col is column-major, which
    /// is the transposed matrix; lda, ldb and ldc are the leading dimensions, lda=1028 a larger one;
    /// C=0 is a C that the host has zeroed; tensormap:A:64x64:swizzle128:f16 is a CUtensorMap by
    /// value (rows x columns of a box as they lie in memory, swizzle, the type or nothing for float32; :col
    /// after the matrix as above), *tensormap:... a pointer to one; buffers of your own,
    /// 'in:f32[4096],bins:u32[256]=0', holding what follows the = (0, 1.5, 0..256, random,
    /// ascending, unfilled), and numbers by name, n=4096
    #[arg(help_heading = HEADING, long = "args", value_name = "LIST", allow_hyphen_values = true)]
    values: Option<String>,
    /// What it computes: `product`, C = A x B, or `any`, of which nothing is judged [default: product
    /// if --args has A, B and C]
    #[arg(help_heading = HEADING, long, value_name = "RESULT", value_parser = RESULT,
          hide_possible_values = true, hide_short_help = true)]
    result: Option<Goal>,
    /// Types of a Numba kernel's parameters, for example 'f32[:,::1], i64' [default: as its decorator
    /// or the file's launch has them; arrays A, B and C are f32[:,::1]]
    #[arg(help_heading = HEADING, long, value_name = "TYPES", conflicts_with = "ptx",
          hide_short_help = true)]
    sig: Option<String>,
    /// Dynamic shared memory per block, in bytes
    #[arg(help_heading = HEADING, long, value_name = "BYTES", value_parser = shared)]
    shared: Option<u32>,
    /// Blocks of a cluster: X, X,Y or X,Y,Z [default: those that the kernel or the host's code gives]
    #[arg(help_heading = HEADING, long, value_name = "X,Y,Z", value_parser = shape::grid,
          hide_short_help = true)]
    cluster: Option<Dim3>,
    /// Show FILE as the source of the PTX [default: the file that its .file directive names, if it
    /// lies in the PTX's folder or below]
    #[arg(help_heading = HEADING, long, value_name = "FILE", conflicts_with = "cuda", hide_short_help = true)]
    source: Option<PathBuf>,
}

impl Args {
    /// Whether a file with a kernel is given.
    pub(super) fn is_given(&self) -> bool {
        self.ptx.is_some() || self.cuda.is_some()
    }

    /// Whether another file is to be shown as the source.
    pub(super) const fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// Whether the values of the parameters are given.
    pub(super) const fn has_values(&self) -> bool {
        self.values.is_some()
    }

    /// Takes these values, as `--args` does.
    pub(super) fn take_values(&mut self, words: String) {
        self.values = Some(words);
    }

    /// The text of the file of `--cuda`.
    pub(super) fn cuda_text(&self) -> Option<String> {
        let file = self.cuda.as_deref().filter(|file| !is_stdin(file))?;
        source(file).ok().map(|source| source.text)
    }

    fn named(&self) -> String {
        self.cuda.as_deref().or(self.ptx.as_deref()).map(named).unwrap_or_default()
    }

    /// The file name for messages.
    pub(super) fn file(&self) -> Option<String> {
        let cuda = self.cuda.as_ref().map(|file| {
            if is_stdin(file) { PathBuf::from("stdin.ptx") } else { file.with_extension("ptx") }
        });
        self.ptx.clone().or(cuda).map(|file| named(&file))
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
            (self.result.is_some(), "--result"),
            (self.shared.is_some(), "--shared"),
            (self.sig.is_some(), "--sig"),
            (self.cluster.is_some(), "--cluster"),
            (self.source.is_some(), "--source"),
            // Where --tile is given, clap does not ask for the --cuda that these require.
            (!self.define.is_empty(), "-D"),
            (!self.include.is_empty(), "-I"),
            (self.arch.is_some(), "--arch"),
            (self.compiler != Compiler::default(), "--compiler"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }

    /// The kernel in the file, launched as requested on matrices of `size`.
    ///
    /// # Errors
    /// A file that cannot be read; see [`own::open`].
    pub(super) fn problem(&self, size: Option<Size>, to_measure: bool) -> anyhow::Result<Problem> {
        self.opened(size, to_measure, |opened| opened.problem().map_err(|why| self.said(why)))
    }

    /// Whether nothing but the file says what is launched, and with what.
    pub(super) const fn is_whole(&self) -> bool {
        self.cuda.is_some()
            && self.entry.is_none()
            && self.values.is_none()
            && self.result.is_none()
    }

    /// Opens the file, and does something with it.
    ///
    /// # Errors
    /// As above.
    pub(super) fn opened<T>(
        &self,
        size: Option<Size>,
        to_measure: bool,
        then: impl FnOnce(&Opened<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let path = self.cuda.as_deref().or(self.ptx.as_deref()).unwrap_or(Path::new(""));
        if let Some(shape) = self.cluster {
            of_cluster(shape)?;
        }
        let compiler = self.compiler.for_arch(self.arch.is_some())?;
        let compile = |job: &CompileJob| {
            compiler.compile(job, path).map_err(|NotCompiled(told)| OpenError::NotCompiled(told))
        };
        let text = if self.cuda.is_some() {
            let source = Source { defines: self.define.clone(), ..source(path)? };
            let (arch, include) = (self.arch.clone(), self.include.clone());
            FileText::Cuda(CudaText { source, arch, include, compile: &compile })
        } else {
            FileText::Ptx(read(path)?, self.source.as_deref().map(source).transpose()?)
        };
        let launch = StatedLaunch {
            size,
            entry: self.entry.clone(),
            block: self.block,
            grid: self.grid,
            args: self.values.clone(),
            shared: self.shared,
            cluster: self.cluster,
            sig: self.sig.clone(),
        };
        let (name, ptx_name) = (named(path), self.file().unwrap_or_default());
        let (goal, request) = (self.result, FileRequest::of_text(text, launch));
        let compile = |job: &PythonJob| {
            let _working = Working::on(format!("running {} with Numba", path.display()));
            python::compile(job)
        };
        let python: Option<&PythonCompiler<'_>> = Some(&compile);
        let request = FileRequest { path, name, ptx_name, goal, to_measure, python, ..request };
        then(&own::open(request).map_err(|why| self.said(why))?)
    }

    /// The error with its exit code, and for an unknown kernel the name that may be meant.
    pub(super) fn said(&self, why: OpenError) -> anyhow::Error {
        match why {
            OpenError::NotCompiled(told) => NotCompiled(told).into(),
            OpenError::Launch(LaunchError::Entry { ref names, .. }) => {
                let names = names.iter().map(|name| name.split('<').next().unwrap_or(name));
                let meant = meant(self.entry.as_deref().unwrap_or_default(), names);
                BadUse(format!("{why}{meant}")).into()
            }
            OpenError::Python(why) => BadUse(format!("{}: {why}", self.named())).into(),
            why => BadUse(why.to_string()).into(),
        }
    }
}

/// What a kernel computes.
const RESULT: NameParser<Goal> = NameParser {
    of: || vec![("product", "C = A x B"), ("any", "something else: nothing is judged")],
    parse: |text| match text {
        "product" => Ok(Goal::Product),
        "any" => Ok(Goal::Any),
        _ => Err(BadUse("give product or any".to_owned())),
    },
};

/// Prints on stderr what was inferred or left out, so that nothing happens silently.
pub(super) fn say_assumed(problem: &Problem) {
    for line in problem.assumed.told() {
        tell(&format!("matviz: assuming {line}"));
    }
    for call in &problem.left_out {
        tell(&format!("matviz: the output of `{call}` is not shown"));
    }
    if let Some(unseen) = unseen(problem) {
        tell(&format!("matviz: {unseen}"));
    }
}

/// The source files that are not shown, with the reasons.
pub(super) fn unseen(problem: &Problem) -> Option<String> {
    let unseen = &problem.unseen;
    (!unseen.is_empty()).then(|| format!("no source to show: {}", unseen.join("; ")))
}
