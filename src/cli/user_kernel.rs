//! The arguments that launch a user's kernel, which is not in the catalogue.

mod given;

pub(super) use given::{SourceText, define, source};
use given::{folder, of_cluster};

use super::BadUse;
use super::compiler::{Compiler, NotCompiled, NotOpened};
use super::names::meant;
use super::output::{is_stdin, named, tell};
use super::working::Working;
use crate::compile::CompileJob;
use crate::compile::python::{self, PythonJob};
use crate::kernel::{LaunchError, Problem, Source};
use crate::matrix::Size;
use crate::own::launch::StatedLaunch;
use crate::own::{self, CudaText, FileRequest, FileText, OpenError, Opened, PythonCompiler};
use std::path::{Path, PathBuf};

/// The heading of these options in `--help`.
pub(super) const HEADING: &str = "A kernel of your own";

/// How a kernel of one's own is compiled and launched.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// The file with the kernel, if there is one.
    #[arg(skip)]
    pub(super) file: Option<PathBuf>,
    /// The launch as CUDA writes it: 'mm<16><<<dim3(8,8), dim3(16,16), 0>>>(A, B, C, M, N, K)'
    ///
    /// Each part may be left out, and is then as the host's code of the file, or a line `// launch: ...` in it, says: 'mm<16>' names a kernel, '<<<, 16x16>>>' gives a block.
    /// Numbers are also expressions, in a grid of M, N and K: '<<<(N+15)/16, 4*32>>>'. Given twice, the parts are put together. (void) before it: the result is not judged; C = before it:
    /// it is the product; __cluster_dims__(2,1,1) before it: clusters.
    ///
    /// Arguments: A, B, C (pointers), M, N, K, integers, floats (1.0f), doubles (1.0), alpha=2.0f and beta=0.5f (where C is to become alpha A B + beta C), {M,K,A} (a
    /// structure by value, its members; {A,M,lda:i64} gives an integer in it 64 bits), numba (Numba's arrays of A, B and C; numba:A for one).
    /// A:f64 names the type of the elements (f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64,
    /// u64; otherwise it is what the kernel does with them); A:col, B:f64:col is column-major, which
    /// is the transposed matrix; lda, ldb and ldc are the leading dimensions, lda=1028 a larger one;
    /// C=0 is a C that the host has zeroed; tensormap:A:64x64:swizzle128:f16 is a CUtensorMap by
    /// value (rows x columns of a box as they lie in memory, swizzle, the type or nothing for float32; :col
    /// after the matrix as above), *tensormap:... a pointer to one; buffers of your own,
    /// 'in:f32[4096],bins:u32[256]=0', holding what follows the = (0, 1.5, 0..256, random,
    /// ascending, unfilled), and numbers by name, n=4096
    #[arg(help_heading = HEADING, long, value_name = "LAUNCH", allow_hyphen_values = true,
          value_parser = StatedLaunch::read)]
    launch: Vec<StatedLaunch>,
    /// Types of a Numba kernel's parameters, for example 'f32[:,::1], i64' [default: as its decorator
    /// or the file's launch has them; arrays A, B and C are f32[:,::1]]
    ///
    /// A Python file is run to find its kernel, as `python3 FILE` would, in a process of its own: its
    /// launches are caught, so it needs no GPU. That needs Numba for CUDA, `pip install
    /// "numba-cuda[cu12]"`, in the environment in use, or in the Python that MATVIZ_PYTHON names.
    #[arg(help_heading = HEADING, long, value_name = "TYPES", hide_short_help = true)]
    sig: Option<String>,
    /// The compiler of CUDA C
    #[arg(help_heading = HEADING, long, value_name = "NAME", value_enum, hide_short_help = true)]
    compiler: Option<Compiler>,
    /// Define a macro
    #[arg(help_heading = HEADING, short = 'D', value_name = "NAME=VALUE", hide_short_help = true,
          value_parser = define)]
    pub(super) define: Vec<String>,
    /// Look in DIR too for the headers that the file includes
    #[arg(help_heading = HEADING, short = 'I', value_name = "DIR", hide_short_help = true,
          value_parser = folder)]
    pub(super) include: Vec<PathBuf>,
    /// Architecture [default: compute_80, or what its instructions need]
    #[arg(help_heading = HEADING, long, value_name = "ARCH", hide_short_help = true)]
    arch: Option<String>,
    /// Show FILE as the source of PTX [default: the file that its .file directive names, if it
    /// lies in the PTX's folder or below]
    #[arg(help_heading = HEADING, long, value_name = "FILE", hide = true)]
    source: Option<PathBuf>,
    /// Whether the host's code may be run for seconds, since its numbers are to judge.
    #[arg(skip)]
    is_patient: bool,
}

impl Args {
    /// The same for a file.
    pub(super) fn of(&self, file: Option<PathBuf>) -> Self {
        Self { file, ..self.clone() }
    }

    /// The same, where the host's own numbers are to judge.
    pub(super) fn patient(&self) -> Self {
        Self { is_patient: true, ..self.clone() }
    }

    /// Whether a file with a kernel is given.
    pub(super) const fn is_given(&self) -> bool {
        self.file.is_some()
    }

    /// Whether another file is to be shown as the source.
    pub(super) const fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// What is stated of the launch.
    pub(super) fn stated(&self) -> StatedLaunch {
        // The last one says what it says.
        let all = self.launch.iter().rev().cloned();
        let stated = all.reduce(StatedLaunch::or).unwrap_or_default();
        StatedLaunch { sig: self.sig.clone(), ..stated }
    }

    /// Whether nothing but the file says what is launched, and with what.
    pub(super) fn is_whole(&self) -> bool {
        let StatedLaunch { entry, args, goal, .. } = self.stated();
        self.is_given() && entry.is_none() && args.is_none() && goal.is_none()
    }

    /// Takes a launch, which says what those before it do not.
    pub(super) fn take(&mut self, launch: StatedLaunch) {
        self.launch.insert(0, launch);
    }

    /// The text of the file, if it is CUDA C.
    pub(super) fn cuda_text(&self) -> Option<String> {
        let file = self.file.as_deref().filter(|file| !is_stdin(file))?;
        source(file).ok().map(|source| source.text)
    }

    /// The name of the file's PTX for messages.
    pub(super) fn ptx_name(&self) -> Option<String> {
        let of = |file: &PathBuf| {
            if is_stdin(file) { PathBuf::from("stdin.ptx") } else { file.with_extension("ptx") }
        };
        self.file.as_ref().map(|file| named(&of(file)))
    }

    /// Refuses what only a kernel of one's own has.
    ///
    /// # Errors
    /// Such an option is given.
    pub(super) fn refuse(&self, kernel: &str) -> Result<(), BadUse> {
        let launch = (!self.launch.is_empty()).then_some("--launch");
        let launch = launch.or(self.sig.as_ref().map(|_| "--sig"));
        let Some(option) =
            launch.or_else(|| self.of_source()).or(self.has_source().then_some("--source"))
        else {
            return Ok(());
        };
        let hint = if option == "--launch" { "; --at chooses the block to watch" } else { "" };
        Err(BadUse(format!(
            "{option} is for a kernel of your own, and `{kernel}` is the catalogue's{hint}"
        )))
    }

    /// The first given option that only CUDA C has.
    fn of_source(&self) -> Option<&'static str> {
        let given = [
            (!self.define.is_empty(), "-D"),
            (!self.include.is_empty(), "-I"),
            (self.arch.is_some(), "--arch"),
            (self.compiler.is_some(), "--compiler"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }

    /// The option by which it is compiled in a way in which a file that is watched is not.
    pub(super) fn compiled_otherwise(&self) -> Option<&'static str> {
        self.arch.as_ref().map(|_| "--arch").or(self.compiler.map(|_| "--compiler"))
    }

    /// The kernel in the file, launched as requested on matrices of `size`.
    ///
    /// # Errors
    /// A file that cannot be read; see [`own::open`].
    pub(super) fn problem(&self, size: Option<Size>, to_measure: bool) -> anyhow::Result<Problem> {
        self.opened(size, to_measure, |opened| opened.problem().map_err(|why| self.said(why)))
    }

    /// Opens the file for matrices of `size`, and does something with it.
    ///
    /// # Errors
    /// As above.
    pub(super) fn opened<T>(
        &self,
        size: Option<Size>,
        to_measure: bool,
        then: impl FnOnce(&Opened<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let path = self.file.as_deref().unwrap_or(Path::new(""));
        let stated = self.stated();
        if let Some(shape) = stated.cluster {
            of_cluster(shape)?;
        }
        let compiler = self.compiler.unwrap_or_default().for_arch(self.arch.is_some())?;
        let compile = |job: &CompileJob| {
            compiler.compile(job, path).map_err(|NotCompiled(told)| OpenError::NotCompiled(told))
        };
        let text = match SourceText::read(path)? {
            SourceText::Cuda(source) => {
                if self.has_source() {
                    let told = format!("--source is for PTX, and {} is a source", named(path));
                    return Err(BadUse(told).into());
                }
                let source = Source { defines: self.define.clone(), ..source };
                let (arch, include) = (self.arch.clone(), self.include.clone());
                FileText::Cuda(CudaText { source, arch, include, compile: &compile })
            }
            SourceText::Ptx(text) => {
                let sig = self.sig.as_ref().map(|_| "--sig");
                if let Some(option) = self.of_source().or(sig) {
                    let told = format!("{option} is for CUDA C, and {} is PTX", named(path));
                    return Err(BadUse(told).into());
                }
                FileText::Ptx(text, self.source.as_deref().map(source).transpose()?)
            }
        };
        let launch = StatedLaunch { size, ..stated };
        let (name, ptx_name) = (named(path), self.ptx_name().unwrap_or_default());
        let request = FileRequest::of_text(text, launch);
        let compile = |job: &PythonJob| {
            let _working = Working::on(format!("running {} with Numba", path.display()));
            python::compile(job)
        };
        let python: Option<&PythonCompiler<'_>> = Some(&compile);
        let is_patient = self.is_patient;
        let request =
            FileRequest { path, name, ptx_name, to_measure, is_patient, python, ..request };
        then(&own::open(request).map_err(|why| self.said(why))?)
    }

    /// The error with its exit code, and for an unknown kernel the name that may be meant.
    pub(super) fn said(&self, why: OpenError) -> anyhow::Error {
        match why {
            OpenError::NotCompiled(told) => NotCompiled(told).into(),
            OpenError::Launch(LaunchError::Entry { ref names, .. }) => {
                let names = names.iter().map(|name| name.split('<').next().unwrap_or(name));
                let meant = meant(self.stated().entry.as_deref().unwrap_or_default(), names);
                NotOpened(format!("{why}{meant}")).into()
            }
            OpenError::Python(why) => {
                let file = self.file.as_deref().map(named).unwrap_or_default();
                NotOpened(format!("{file}: {why}")).into()
            }
            why => NotOpened(why.to_string()).into(),
        }
    }
}

/// Prints on stderr what was inferred or left out, so that nothing happens silently.
pub(super) fn say_assumed(problem: &Problem) {
    for line in problem.assumed.told() {
        tell(&format!("note: assuming {line}"));
    }
    for call in &problem.left_out {
        tell(&format!("note: the output of `{call}` is not shown"));
    }
    if let Some(unseen) = unseen(problem) {
        tell(&format!("note: {unseen}"));
    }
}

/// The source files that are not shown, with the reasons.
pub(super) fn unseen(problem: &Problem) -> Option<String> {
    let unseen = &problem.unseen;
    (!unseen.is_empty()).then(|| format!("no source to show: {}", unseen.join("; ")))
}
