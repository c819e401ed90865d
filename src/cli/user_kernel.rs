//! The arguments that launch a user's kernel, which is not in the catalogue.

pub(super) mod blocks;
mod given;
mod launched;
mod missing;
mod tried;

pub(super) use given::{define, source};
use given::{folder, is_cuda, of_cluster, read, usual_tile};
use missing::{
    NO_SHARED, chosen_block, instances_of_templates, no_kernel, part_of, shown, without,
};
use tried::Trial;

use super::BadUse;
use super::compiler::{Compiler, NotCompiled};
use super::names::Names;
use super::output::{is_stdin, named, tell};
use super::sources::{self, Sources};
use crate::gpu::compiler::{Job, file_of};
use crate::gpu::include::{Found, look_around};
use crate::gpu::protocol::Compile;
use crate::kernel::{
    Chosen, Goal, LaunchError, LaunchSpec, Problem, Source, has_dynamic_shared,
    ignores_dynamic_shared,
};
use crate::launch::{Dim3, shape};
use crate::lesson::edit::host_launch;
use crate::lesson::edit::launch::{LAUNCH, Launch, NO_DYNAMIC, USUAL_SIZE, shared};
use crate::matrix::Size;
use cudac::HostLaunch;
use ptx::{self, Module};
use std::path::{Path, PathBuf};

/// The heading of these options in `--help`.
pub(super) const HEADING: &str = "A kernel of your own";

/// The size at which a kernel of one's own is measured if nobody gives one: a small product is over
/// before it can be timed.
pub(super) const MEASURED_SIZE: Size = Size::square(1024);

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

    /// The same without `--block`, if that is given.
    pub(super) fn without_block(&self) -> Option<Self> {
        self.block.map(|_| Self { block: None, ..self.clone() })
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

    /// The kernel in the file, launched as requested on matrices of `size`; what nobody requests is
    /// as in the host's code of the file.
    ///
    /// # Errors
    /// A file that cannot be read, compiled or parsed; a missing block size; arguments that do not
    /// fit.
    pub(super) fn problem(&self, size: Option<Size>, to_measure: bool) -> anyhow::Result<Problem> {
        let code = self.code(size, to_measure)?;
        let module = ptx::parse(&code.ptx).map_err(|mut errors| {
            let file = self.file().unwrap_or_default();
            BadUse(errors.swap_remove(0).render(&code.ptx, &file))
        })?;
        let (function, chosen) = code.function(&module)?;
        if self.shared.is_some_and(|bytes| bytes > 0)
            && ignores_dynamic_shared(&module, &code.ptx, &function.name)
        {
            return Err(BadUse(NO_DYNAMIC.to_owned()).into());
        }
        let called = host_launch::of(&code.calls, &function.name);
        code.launchable(called)?;
        let Code { ptx, source, headers, launch, size, calls, told, whole, .. } = &code;
        let size = *size;
        let called_in = called.zip(whole.as_ref()).filter(|_| launch.grid.is_none());
        let given_launch = launch.clone();
        let launch = launch.clone().or(called.map(host_launch::said).unwrap_or_default());
        let lacks_shared = launch.shared.is_none() && called.is_none();
        if lacks_shared && has_dynamic_shared(&module, &function.name) == Some(true) {
            return Err(BadUse(NO_SHARED.to_owned()).into());
        }
        let own = function.own_file();
        let (source, others, unseen) = self.sources(&module, own, source.clone(), headers.clone());
        let given =
            self.cuda.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy());
        let in_header = given.zip(source.as_ref()).is_some_and(|(given, own)| given != *own.file);
        let mut wanted = LaunchSpec {
            entry: Some(function.name.clone()),
            grid: launch.grid,
            block: launch.block.unwrap_or(Dim3::flat(1, 1)),
            shared: launch.shared.unwrap_or(0),
            cluster: launch.cluster,
            args: launch.args,
            source,
            called: called.map(host_launch::called).unwrap_or_default(),
        };
        let mut choices: Vec<_> = code.chosen.iter().cloned().collect();
        if launch.block.is_none() {
            wanted.block = code.block(&module, function, &wanted, self.result)?;
            choices.push(Chosen::Block(wanted.block));
        }
        let foreign = wanted.clone().problem(&module, ptx.clone(), size);
        let longer = called.zip(whole.as_ref()).filter(|_| wanted.args.is_none());
        let longer = longer.filter(|_| foreign.as_ref().map_or(true, |one| one.goal == Goal::Any));
        let longer =
            longer.and_then(|(called, whole)| host_launch::otherwise_sized(whole, called, size));
        let (wanted, foreign, called) = match &longer {
            Some(longer) => {
                let launch = given_launch.or(host_launch::said(longer));
                let block = launch.block.unwrap_or(wanted.block);
                let called = host_launch::called_by_value(longer);
                let wanted = LaunchSpec { grid: launch.grid, block, called, ..wanted };
                let foreign = wanted.clone().problem(&module, ptx.clone(), size);
                (wanted, foreign, longer.into())
            }
            None => (wanted, foreign, called),
        };
        if let Some(shape) = self.cluster {
            of_cluster(shape)?;
        }
        let trial = Trial { module: &module, ptx, size, wanted };
        let foreign = trial.kernel(foreign, self.result);
        let mut foreign = foreign.map_err(|error| BadUse(error.to_string()))?;
        if let Some(called) = called.filter(|_| self.block.is_none()) {
            foreign.inferred.insert(0, host_launch::told(called, &foreign.launch));
        }
        if choices.iter().any(|one| matches!(one, Chosen::Block(_))) {
            foreign.inferred.insert(0, chosen_block(calls, function, foreign.launch.block));
        }
        foreign.chosen.splice(..0, choices);
        let larger = called_in.and_then(|(_, whole)| host_launch::compiled_for(whole, size));
        foreign.inferred.extend(larger);
        foreign.inferred.splice(..0, chosen.into_iter().chain(told.iter().cloned()));
        let goal = self.result.unwrap_or(foreign.goal);
        if goal == Goal::Product && foreign.operands.is_empty() {
            return Err(BadUse(LaunchError::NoProduct.to_string()).into());
        }
        Ok(Problem { goal, in_header, others, unseen, ..foreign })
    }

    /// The source of the kernel, whose code lies in file number `own` of the PTX, the other files
    /// that the PTX refers to, and those of them that cannot be shown.
    fn sources(
        &self,
        module: &Module,
        own: u32,
        given: Option<Source>,
        headers: Vec<Source>,
    ) -> (Option<Source>, Vec<(u32, Source)>, Vec<String>) {
        let Some(file) = &self.ptx else {
            let files = given.iter().cloned().chain(headers).collect();
            let mut found = sources::of_compiled(module, files);
            let own = taken(&mut found, own);
            return (own.or(given), found, Vec::new());
        };
        let folder = file.parent().unwrap_or(Path::new(""));
        let Sources { mut found, missing } = sources::look_for(module, folder);
        let own = taken(&mut found, own);
        let unseen = if given.is_none() { missing } else { Vec::new() };
        (given.or(own), found, unseen)
    }

    /// The PTX with its source, and what is said of the launch.
    fn code(&self, size: Option<Size>, to_measure: bool) -> anyhow::Result<Code> {
        let launch = Launch {
            size,
            entry: self.entry.clone(),
            block: self.block,
            grid: self.grid,
            args: self.values.clone(),
            shared: self.shared,
            cluster: self.cluster,
            defines: Vec::new(),
        };
        let usual = if to_measure { MEASURED_SIZE } else { USUAL_SIZE };
        let Some(file) = &self.cuda else {
            let file = self.ptx.as_deref().unwrap_or(Path::new(""));
            let (ptx, source) = (read(file)?, self.source.as_deref().map(source).transpose()?);
            return Ok(Code {
                ptx,
                source,
                launch,
                size: size.unwrap_or(usual),
                headers: Vec::new(),
                calls: Vec::new(),
                told: Vec::new(),
                chosen: None,
                whole: None,
            });
        };
        let mut source = Source { defines: self.define.clone(), ..source(file)? };
        is_cuda(file, &source.text)?;
        let launch = launch.or(launch_in(&source)?);
        let tile = usual_tile(&source, launch.block);
        source.defines.extend(tile.clone());
        let mut wanted = self.wanted(file, &source);
        let around = look_around(&mut wanted);
        let mut whole = file_of(&wanted);
        if !whole.has_kernel() {
            return Err(no_kernel(file, &whole).into());
        }
        let usual = host_launch::suited(&whole, usual, MEASURED_SIZE);
        let size = launch.size.or_else(|| host_launch::size_in(&whole)).unwrap_or(usual);
        let fitted = host_launch::fitted(&whole, size).unwrap_or_default();
        if !fitted.changes.is_empty() {
            fitted.text.clone_into(&mut wanted.text);
            source.text = fitted.text;
            wanted.headers = fitted.headers;
            whole = file_of(&wanted);
        }
        let own = launch.args.as_deref().filter(|words| host_launch::has_no_matrices(words));
        let calls = own.map_or_else(
            || host_launch::launches(&whole, size),
            |words| host_launch::launches_with(&whole, words, size),
        );
        let compiler = self.compiler.for_arch(self.arch.is_some())?;
        let needed = |instances: &[String]| {
            let needed = whole.device_code(instances).architecture();
            needed.filter(|_| self.arch.is_none())
        };
        let of_instances = |instances: Vec<String>| {
            let arch = needed(&instances).map(|(arch, _)| arch.to_owned());
            let arch = arch.unwrap_or_else(|| wanted.arch.clone());
            Compile { arch, instances, entry: launch.entry.clone(), ..wanted.clone() }
        };
        let mut instances = host_launch::instances(&whole, &calls, launch.entry.as_deref());
        let mut chosen = None;
        if instances.is_empty() {
            let entry = launch.entry.as_deref();
            (instances, chosen) = instances_of_templates(&whole, &calls, entry, |one| {
                let wanted = of_instances(vec![one.to_owned()]);
                compiler.compile(&Job { wanted, to_measure: false }, file).is_ok()
            })?;
        }
        let instance = instances.first().filter(|_| chosen.is_some());
        let instance = instance.map(|name| {
            format!("--entry '{name}': nothing says with which arguments the template is launched")
        });
        let inferred = needed(&instances);
        let wanted = of_instances(instances);
        let ptx = compiler.compile(&Job { wanted, to_measure }, file);
        let ptx = ptx.map_err(|NotCompiled(told)| {
            let needs = without(file, &whole) + &part_of(file);
            let needs = instance.as_deref().unwrap_or_default().to_owned() + &needs;
            NotCompiled(if needs.is_empty() { told } else { format!("{}\n{told}", needs.trim()) })
        })?;
        let source_defines = source.defines.clone();
        let headers = whole.headers().map(|(name, text)| Source {
            file: name.rsplit('/').next().unwrap_or(name).to_owned(),
            text: text.to_owned(),
            defines: source_defines.clone(),
        });
        let headers = headers.collect();
        let found = around.iter().map(|Found { folder, header }| {
            format!("-I {}: {header} is there", shown(folder).display())
        });
        let inferred = inferred.map(|(arch, why)| format!("--arch {arch}: it has {why}"));
        let changed = fitted.changes.iter().map(host_launch::told_change);
        let tile = tile.map(|tile| format!("-D {tile}"));
        let told = found.chain(inferred).chain(changed).chain(instance.clone()).chain(tile);
        let told = told.collect();
        let (source, whole) = (Some(source), Some(whole));
        Ok(Code { ptx, source, headers, launch, size, calls, told, chosen, whole })
    }

    fn wanted(&self, file: &Path, source: &Source) -> Compile {
        Compile {
            file: source.file.clone(),
            text: source.text.clone(),
            arch: self.arch.clone().unwrap_or_else(|| "compute_80".to_owned()),
            defines: source.defines.clone(),
            folders: file
                .parent()
                .map(Path::to_owned)
                .into_iter()
                .chain(self.include.clone())
                .collect(),
            ..Compile::default()
        }
    }
}

/// Takes the file of this number out of a list.
fn taken(files: &mut Vec<(u32, Source)>, number: u32) -> Option<Source> {
    let index = files.iter().position(|(own, _)| *own == number)?;
    Some(files.remove(index).1)
}

/// What a kernel computes.
const RESULT: Names<Goal> = Names {
    of: || vec![("product", "C = A x B"), ("any", "something else: nothing is judged")],
    parse: |text| match text {
        "product" => Ok(Goal::Product),
        "any" => Ok(Goal::Any),
        _ => Err("give product or any".to_owned()),
    },
};

/// A kernel's PTX, and what is said of its launch.
struct Code {
    ptx: String,
    source: Option<Source>,
    /// The headers of its own that it includes.
    headers: Vec<Source>,
    launch: Launch,
    size: Size,
    /// The launches in the host's code.
    calls: Vec<HostLaunch>,
    /// What nobody said of how it is compiled.
    told: Vec<String>,
    /// The instance of a template, if nothing says which.
    chosen: Option<Chosen>,
    /// The file, if it is CUDA C++.
    whole: Option<cudac::File>,
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
    for line in &problem.inferred {
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
