//! The door for a file with a kernel: from its text to a problem.

use super::called::{self, HostLaunch};
use super::launch::{
    LaunchTextError, NO_DYNAMIC, StatedLaunch, USUAL_BLOCK, USUAL_SIZE, block_of, usual_tile,
};
use super::missing::{
    NO_SHARED, NOT_RUN, OpenError, block_of_tile, doubted, instances_of_templates, no_block,
    no_cuda, no_kernel, no_numba, part_of, shown, without,
};
use super::probe::{may_be_product, turned_grid};
use super::python;
use super::sizes::{self, SizeChange};
use super::sources::{self, SourceFiles};
use super::{host, host_launch};
use crate::compile::include::{FoundHeader, look_around};
use crate::compile::python::{NumbaKernel, PythonError, PythonJob, cuda_in_strings, is_python};
use crate::compile::{CompileJob, file_of};
use crate::kernel::{
    Assumption, Assumptions, Chosen, Goal, LaunchError, LaunchSpec, Problem, Source, find_entry,
    has_dynamic_shared, ignores_dynamic_shared, names_product,
};
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::timing::protocol::Compile;
use cudac::{CudaFile, HostPatience, HostRun};
use ptx::{Function, Module};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The size at which a kernel of one's own is measured if nobody gives one: a small product is over
/// before it can be timed.
const MEASURED_SIZE: Size = Size::square(1024);

/// A file with a kernel, and what the user states of its launch.
#[derive(Clone)]
pub struct FileRequest<'r> {
    /// The file as the user named it; empty for a text without a file, for which nothing is looked
    /// for on the disk.
    pub path: &'r Path,
    pub name: String,
    /// The name of its PTX in messages.
    pub ptx_name: String,
    pub text: FileText<'r>,
    pub launch: StatedLaunch,
    /// Whether a block of the usual shape is taken where nobody says one.
    pub takes_usual_block: bool,
    /// Whether it is to be measured, so that speed matters.
    pub to_measure: bool,
    /// Whether the host's code may be run for seconds, since its numbers are to judge.
    pub is_patient: bool,
    /// How a Python file is compiled, which runs it; `None` where that is not to be.
    pub python: Option<&'r PythonCompiler<'r>>,
}

/// Compiles a kernel of a Python file.
pub type PythonCompiler<'r> = dyn Fn(&PythonJob) -> Result<NumbaKernel, PythonError> + 'r;

#[derive(Clone)]
pub enum FileText<'r> {
    /// PTX, and its source if the user names one.
    Ptx(String, Option<Source>),
    Cuda(CudaText<'r>),
}

/// A source of CUDA C++, and how it is compiled.
#[derive(Clone)]
pub struct CudaText<'r> {
    pub source: Source,
    /// The architecture, if the user names one.
    pub arch: Option<String>,
    /// Folders in which headers are looked for, beside that of the file.
    pub include: Vec<PathBuf>,
    /// How it is compiled to PTX, with the compiler that the user chose.
    pub compile: &'r dyn Fn(&CompileJob) -> Result<String, OpenError>,
}

/// A kernel's PTX, and what is said of its launch.
pub(super) struct KernelPtx {
    pub(super) ptx: String,
    source: Option<Source>,
    /// The headers of its own that it includes.
    headers: Vec<Source>,
    pub(super) launch: StatedLaunch,
    size: Size,
    /// The launches in the host's code.
    calls: Vec<HostLaunch>,
    /// The constants of the host that have given way to the size.
    given_way: Vec<String>,
    /// What nobody said of how it is compiled.
    pub(super) told: Assumptions,
    /// The file, if it is CUDA C++.
    pub(super) whole: Option<CudaFile>,
    /// What its `main` does to the device, if that launches something and no size is asked for.
    pub(super) host: Option<HostRun>,
}

/// A file that compiles, of which a kernel can be launched on matrices of any size.
pub struct Opened<'r> {
    pub(super) request: FileRequest<'r>,
    pub(super) code: KernelPtx,
    pub(super) module: Module,
    /// The kernel's name in the PTX.
    pub(super) entry: String,
}

/// Opens a file: compiles it, at a smaller size where the host's takes long, and finds the kernel that is asked for.
///
/// # Errors
/// A file that cannot be compiled or parsed, or in which nothing tells which kernel is meant.
pub fn open(request: FileRequest<'_>) -> Result<Opened<'_>, OpenError> {
    Ok(opened(request)?.made_smaller())
}

/// Why a kernel with a barrier of all blocks is not measured.
const NO_COOPERATIVE: &str = "the kernel waits for all blocks of its grid, and kernels are not launched \
     cooperatively to be measured: it is checked, but not measured";

pub(super) fn opened(request: FileRequest<'_>) -> Result<Opened<'_>, OpenError> {
    let mut code = match &request.text {
        FileText::Ptx(ptx, source) => request.as_ptx(ptx, source.as_ref()),
        FileText::Cuda(cuda) if is_python(request.path, &cuda.source.text) => {
            request.of_python(cuda)?
        }
        FileText::Cuda(cuda) => request.compiled(cuda)?,
    };
    code.launch.evaluate(code.size).map_err(|why| in_launch(&why))?;
    let module = ptx::parse(&code.ptx).map_err(|mut errors| {
        OpenError::Ptx(errors.swap_remove(0).render(&code.ptx, &request.ptx_name))
    })?;
    let (function, told) = code.function(&module)?;
    if request.to_measure && function.cluster.is_grid {
        return Err(OpenError::Lacks(NO_COOPERATIVE.to_owned()));
    }
    let entry = function.name.clone();
    code.told = Assumptions::from_iter(told).and(code.told);
    Ok(Opened { request, code, module, entry })
}

impl Opened<'_> {
    /// The size that is asked for, or else the one for which the file is written, or the usual one.
    pub const fn size(&self) -> Size {
        self.code.size
    }

    pub fn into_ptx(self) -> String {
        self.code.ptx
    }

    /// The kernel launched as requested, with what is doubtful about that.
    ///
    /// # Errors
    /// A missing block size; arguments that do not fit.
    pub fn problem(&self) -> Result<Problem, OpenError> {
        let Self { code, .. } = self;
        if let Some(problem) = self.believed()? {
            return Ok(problem);
        }
        let mut problem = self.at(code.size, None)?;
        let is_stated = code.launch.args.is_some() || code.launch.goal.is_some();
        if !is_stated && problem.is_product() && !names_product(problem.name()) {
            doubted(&mut problem, |problem, words| {
                let wanted = LaunchSpec {
                    entry: Some(self.entry.clone()),
                    grid: Some(problem.launch.grid),
                    block: problem.launch.block,
                    ..LaunchSpec::default()
                };
                self.filled(&wanted, words, code.size)
            })?;
        }
        let whole = code.whole.as_ref().filter(|_| code.launch.grid.is_none());
        let called_in =
            whole.filter(|_| host_launch::launch_of(&code.calls, &self.entry).is_some());
        let fixed = called_in.and_then(|whole| host_launch::compiled_for(whole, code.size));
        problem.assumed.extend(fixed);
        Ok(problem)
    }

    /// The kernel launched as requested on matrices of a size; what nobody requests is as in the
    /// host's code of the file. The grid, if it is not given, is the requested one in proportion.
    ///
    /// # Errors
    /// A missing block size; arguments that do not fit.
    pub fn at(&self, size: Size, grid: Option<Dim3>) -> Result<Problem, OpenError> {
        let Self { request, code, module, .. } = self;
        if size == code.size
            && grid.is_none()
            && let Some(problem) = self.believed()?
        {
            return Ok(problem);
        }
        let KernelPtx { ptx, launch: stated, .. } = code;
        let function = find_entry(module, Some(&self.entry))?;
        let is_given = request.launch.shared.is_some_and(|bytes| bytes > 0);
        if is_given && ignores_dynamic_shared(module, ptx, &function.name) {
            return Err(OpenError::Lacks(NO_DYNAMIC.to_owned()));
        }
        let calls = code.calls_at(size);
        let called = host_launch::launch_of(&calls, &function.name);
        code.launchable(called, size)?;
        let said = called.map(host_launch::said).unwrap_or_default();
        let lacks_shared = stated.shared.is_none() && called.is_none();
        if lacks_shared && has_dynamic_shared(module, &function.name) == Some(true) {
            return Err(OpenError::Lacks(NO_SHARED.to_owned()));
        }
        let (source, others, unseen) = request.sources(code, module, function.own_file());
        let block = stated.block.or(said.block);
        let of_tile = source.as_ref().filter(|_| block.is_none()).and_then(block_of);
        let block = block.or(of_tile);
        let bound = function.threads.and_then(|threads| u32::try_from(threads.most()).ok());
        let of_bounds = bound.filter(|_| block.is_none()).map(|threads| Dim3::new(threads, 1, 1));
        let block = block.or(of_bounds).ok_or_else(|| {
            let is_ptx = matches!(request.text, FileText::Ptx(..));
            no_block(&calls, function, source.as_ref(), is_ptx)
        })?;
        let grid = match grid {
            None => stated.grid_at(size, code.size, block).map_err(|why| in_launch(&why))?,
            grid => grid,
        };
        let stated = StatedLaunch { grid, ..stated.clone() };
        let wanted = LaunchSpec {
            entry: Some(function.name.clone()),
            source,
            called: called.map(host_launch::called).unwrap_or_default(),
            ..stated.or(said).spec(block)
        };
        let problem = wanted.clone().problem(module, ptx.clone(), size).map_err(|error| {
            if code.launch.goal == Some(Goal::Any) {
                let grid = wanted.grid.unwrap_or(Dim3::at(0, 0));
                let threads = grid.volume().max(1).saturating_mul(wanted.block.volume());
                return error.unjudged(threads);
            }
            let error = error.filling(|words| self.filled(&wanted, words, size));
            error.proposing(|words| {
                let args = Some(words.to_owned());
                let example =
                    LaunchSpec { args, ..wanted.clone() }.problem(module, ptx.clone(), size);
                example.is_ok_and(|example| may_be_product(&example))
            })
        })?;
        let turned = turned_grid(&problem).and_then(|grid| {
            let wanted = LaunchSpec { grid: Some(grid), ..wanted };
            let problem = wanted.problem(module, ptx.clone(), size).ok()?;
            let why = "a thread for each element of C, whose rows it has along x";
            let it = Assumption::new(format!("<<<{},>>>", grid.spelt()), why);
            let assumed = Assumptions::from_iter([it.choosing(Some(Chosen::Grid(grid)))]);
            Some(Problem { assumed: assumed.and(problem.assumed), ..problem })
        });
        let problem = turned.unwrap_or(problem);
        let goal = code.launch.goal.unwrap_or(problem.goal);
        if goal == Goal::Product && problem.operands.is_empty() {
            return Err(LaunchError::NoProduct.into());
        }
        let mut assumed = code.told.clone();
        assumed.extend(of_tile.map(|block| block_of_tile(&calls, function, block)));
        assumed.extend(of_bounds.map(|block| {
            let why = "the threads of its __launch_bounds__";
            Assumption::new(format!("<<<,{}>>>", block.spelt()), why)
        }));
        let as_called = called.filter(|_| request.launch.block.is_none());
        assumed.extend(as_called.map(|called| host_launch::as_options(called, &problem.launch)));
        let assumed = assumed.and(problem.assumed);
        let in_header = request.is_in_header(problem.source.as_deref());
        Ok(Problem { goal, in_header, others, unseen, assumed, ..problem })
    }
}

impl FileRequest<'_> {
    /// A text without a file.
    pub fn of_text(text: FileText<'_>, launch: StatedLaunch) -> FileRequest<'_> {
        let (name, ptx_name) = match &text {
            FileText::Ptx(..) => ("kernel.ptx".to_owned(), "kernel.ptx".to_owned()),
            FileText::Cuda(CudaText { source, .. }) => (source.file.clone(), source.file.clone()),
        };
        let (takes_usual_block, to_measure, is_patient) = (false, false, false);
        let path = Path::new("");
        let python = None;
        FileRequest {
            path,
            name,
            ptx_name,
            text,
            launch,
            takes_usual_block,
            to_measure,
            is_patient,
            python,
        }
    }

    /// The threads of a block, as far as they are said before the kernel is known: by the request,
    /// the file's comment, its host's code, or the tile.
    ///
    /// # Errors
    /// A comment that cannot be read.
    pub fn block(&self) -> Result<Option<Dim3>, OpenError> {
        let FileText::Cuda(cuda) = &self.text else { return Ok(self.launch.block) };
        let launch = self.launch.clone().or(launch_in(&cuda.source.file, &cuda.source.text)?);
        let block = block_in(&file_of(&self.wanted(cuda)), &launch);
        Ok(block.or_else(|| block_of(&cuda.source)))
    }

    /// Whether the kernel stands in another file than the one that was given.
    pub(super) fn is_in_header(&self, source: Option<&Source>) -> bool {
        let is_cuda = matches!(self.text, FileText::Cuda(_));
        let given = self.path.file_name().filter(|_| is_cuda).map(|name| name.to_string_lossy());
        given.zip(source).is_some_and(|(given, own)| given != *own.file)
    }

    /// The source of the kernel, whose code lies in file number `own` of the PTX, the other files
    /// that the PTX refers to, and those of them that cannot be shown.
    pub(super) fn sources(
        &self,
        code: &KernelPtx,
        module: &Module,
        own: u32,
    ) -> (Option<Source>, Vec<(u32, Source)>, Vec<String>) {
        let given = code.source.clone();
        if let FileText::Cuda(_) = self.text {
            let files = given.iter().chain(&code.headers).cloned().collect();
            let mut found = sources::of_compiled(module, files);
            let own = taken(&mut found, own);
            return (own.or(given), found, Vec::new());
        }
        let folder = self.path.parent();
        let found = folder.map(|folder| sources::look_for(module, folder));
        let SourceFiles { mut found, missing } = found.unwrap_or_default();
        let own = taken(&mut found, own);
        let unseen = if given.is_none() { missing } else { Vec::new() };
        (given.or(own), found, unseen)
    }

    const fn usual_size(&self) -> Size {
        if self.to_measure { MEASURED_SIZE } else { USUAL_SIZE }
    }

    fn as_ptx(&self, ptx: &str, source: Option<&Source>) -> KernelPtx {
        KernelPtx {
            ptx: ptx.to_owned(),
            source: source.cloned(),
            headers: Vec::new(),
            launch: self.launch.clone(),
            size: self.launch.size.unwrap_or(self.usual_size()),
            calls: Vec::new(),
            given_way: Vec::new(),
            told: Assumptions::default(),
            whole: None,
            host: None,
        }
    }

    /// The PTX of a source, and what its comment and its host's code say of the launch.
    fn compiled(&self, cuda: &CudaText<'_>) -> Result<KernelPtx, OpenError> {
        let mut source = cuda.source.clone();
        no_cuda(self.path, &self.name, &source.text).map_or(Ok(()), Err)?;
        let mut launch = self.launch.clone().or(launch_in(&source.file, &source.text)?);
        let mut wanted = self.wanted(cuda);
        let around = look_around(&mut wanted);
        let mut whole = file_of(&wanted);
        if !whole.has_kernel() {
            return Err(no_kernel(self.path, &self.name, &whole));
        }
        let block = block_in(&whole, &launch);
        let usual = block.is_none() && self.takes_usual_block;
        if usual {
            launch.block = Some(USUAL_BLOCK);
        }
        let usual = usual.then(usual_block);
        let tile = usual_tile(&source, block.unwrap_or(USUAL_BLOCK));
        source.defines.extend(tile.clone());
        source.defines.clone_into(&mut wanted.defines);
        whole = whole.defining(&source.defines);
        let believed = self.believed(&whole, launch.size);
        let suited = || host_launch::suited(&whole, self.usual_size(), MEASURED_SIZE);
        let size = launch.size.or_else(|| host_launch::size_in(&whole)).unwrap_or_else(suited);
        let (changes, host) = match believed {
            Some((changes, run)) => (changes, Some(run)),
            None => (sizes::giving_way(&whole, size, &[]), None),
        };
        if !changes.is_empty() {
            whole = sizes::replaced(&whole, &changes);
            source.text = whole.sources().map(|(_, text)| text).take(1).collect();
            source.text.clone_into(&mut wanted.text);
            let owned = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
            wanted.headers = whole.headers().map(owned).collect();
        }
        let given_way = changes.iter().map(|(one, _)| one.name.clone()).collect();
        let calls = match &host {
            Some(run) => {
                called::launches(run).map(|one| called::as_text(run, one, &whole)).collect()
            }
            None => calls_at(&whole, &launch, size, &[]),
        };
        let needed = |instances: &[String]| {
            let needed = whole.device_code(instances).architecture();
            needed.filter(|_| cuda.arch.is_none())
        };
        let of_instances = |instances: Vec<String>| {
            let arch = needed(&instances).map(|(arch, _)| arch.to_owned());
            let arch = arch.unwrap_or_else(|| wanted.arch.clone());
            Compile { arch, instances, entry: launch.entry.clone(), ..wanted.clone() }
        };
        let mut instances = host_launch::instances(&whole, &calls, launch.entry.as_deref());
        if instances.is_empty() {
            let entry = launch.entry.as_deref();
            instances = instances_of_templates(&whole, &calls, entry, |one| {
                let wanted = of_instances(vec![one.to_owned()]);
                (cuda.compile)(&CompileJob { wanted, to_measure: false }).is_ok()
            })?;
        }
        let needed_arch = needed(&instances);
        let wanted = of_instances(instances);
        let ptx = (cuda.compile)(&CompileJob { wanted, to_measure: self.to_measure });
        let ptx = ptx.map_err(|told| {
            let needs = without(self.path, &whole) + &part_of(self.path);
            let needs = needs.trim();
            match told {
                OpenError::NotCompiled(told) if !needs.is_empty() => {
                    OpenError::NotCompiled(format!("{needs}\n{told}"))
                }
                told => told,
            }
        })?;
        let headers = whole.headers().map(|(name, text)| Source {
            file: name.rsplit('/').next().unwrap_or(name).to_owned(),
            text: text.to_owned(),
            defines: source.defines.clone(),
            ..Source::default()
        });
        let headers = headers.collect();
        let found = around.iter().map(|FoundHeader { folder, header }| {
            Assumption::new(format!("-I {}", shown(folder).display()), format!("{header} is there"))
        });
        let arch = needed_arch
            .map(|(arch, why)| Assumption::new(format!("--arch {arch}"), format!("it has {why}")));
        let tile = tile.map(|tile| Assumption::usual(format!("-D {tile}")));
        let sized = (!changes.is_empty()).then(|| Assumption::usual(sizes::told(&changes)));
        let of_host = host.iter().flat_map(|run| &run.assumed);
        let of_host = of_host.map(|one| Assumption::new(&one.what, &one.why));
        let told = found.chain(arch).chain(sized).chain(usual).chain(tile).chain(of_host).collect();
        let (source, whole) = (Some(source), Some(whole));
        Ok(KernelPtx { ptx, source, headers, launch, size, calls, given_way, told, whole, host })
    }

    /// The program of a file with what gives way in it to a size that is asked for; `None` if it cannot
    /// be followed: what is asked for holds only if all of it follows.
    fn believed(&self, whole: &CudaFile, size: Option<Size>) -> Option<(Vec<SizeChange>, HostRun)> {
        let changes = match size {
            Some(size) => sizes::typed(whole, size)?,
            None => Vec::new(),
        };
        let patience = if self.is_patient { HostPatience::Judging } else { HostPatience::Usual };
        let run = sizes::replaced(whole, &changes).host_run(patience)?;
        called::launches(&run).next()?;
        (size.is_none() || host::is_known(&run)).then_some((changes, run))
    }

    /// The PTX of a Python file: of the C in its strings, or of its Numba kernel, and what it says of the
    /// launch.
    fn of_python(&self, file: &CudaText<'_>) -> Result<KernelPtx, OpenError> {
        let CudaText { source: Source { file: name, text, .. }, .. } = file;
        if let Some(code) = cuda_in_strings(text) {
            let source = Source { text: code, ..file.source.clone() };
            let (arch, include) = (file.arch.clone(), file.include.clone());
            return self.compiled(&CudaText { source, arch, include, compile: file.compile });
        }
        no_numba(&self.name, text).map_or(Ok(()), Err)?;
        let compile = self.python.ok_or_else(|| OpenError::Lacks(NOT_RUN.to_owned()))?;
        let mut launch = self.launch.clone().or(launch_in(name, text)?);
        let path = if self.path == Path::new("") { Path::new(name) } else { self.path };
        let (entry, sig) = (launch.entry.clone(), launch.sig.clone());
        let job = PythonJob { path: path.to_owned(), text: text.clone(), entry, sig };
        let kernel = compile(&job)?;
        let calls: Vec<_> = python::call(&kernel).into_iter().collect();
        let mut told = python::told(&kernel, name);
        if launch.block.is_none() && calls.is_empty() && self.takes_usual_block {
            launch.block = Some(USUAL_BLOCK);
            told.push(usual_block());
        }
        let own = python::suited(&kernel).filter(|_| !self.to_measure);
        let size = launch.size.or(own).unwrap_or(self.usual_size());
        launch.grid = launch.grid.or_else(|| python::grid(&kernel, size));
        let declared = Some(kernel.declarations());
        let source = Some(Source { declared, ..file.source.clone() });
        let (headers, told, whole) = (Vec::new(), Assumptions::from_iter(told), None);
        Ok(KernelPtx {
            ptx: kernel.ptx,
            source,
            headers,
            launch,
            size,
            calls,
            given_way: Vec::new(),
            told,
            whole,
            host: None,
        })
    }

    fn wanted(&self, cuda: &CudaText<'_>) -> Compile {
        let (source, own) = (&cuda.source, self.path.parent().map(Path::to_owned));
        Compile {
            file: source.file.clone(),
            text: source.text.clone(),
            arch: cuda.arch.clone().unwrap_or_else(|| "compute_80".to_owned()),
            defines: source.defines.clone(),
            folders: own.into_iter().chain(cuda.include.clone()).collect(),
            ..Compile::default()
        }
    }
}

impl KernelPtx {
    /// The launches in the host's code for matrices of this size.
    fn calls_at(&self, size: Size) -> Cow<'_, [HostLaunch]> {
        match &self.whole {
            Some(whole) if size != self.size => {
                Cow::Owned(calls_at(whole, &self.launch, size, &self.given_way))
            }
            _ => Cow::Borrowed(&self.calls),
        }
    }

    /// The kernel that is named, or the only one that the host launches, or the one that it launches
    /// in the first place, with what to say of that choice.
    ///
    /// # Errors
    /// There is no such kernel; there are several, and nothing tells which is meant.
    fn function<'m>(
        &self,
        module: &'m Module,
    ) -> Result<(&'m Function, Option<Assumption>), OpenError> {
        let entry = self.launch.entry.as_deref();
        let only = host_launch::only(&self.calls).filter(|_| entry.is_none());
        let only = only.and_then(|only| find_entry(module, Some(only)).ok());
        let error = match only.map_or_else(|| find_entry(module, entry), Ok) {
            Ok(function) => return Ok((function, None)),
            Err(error) => error,
        };
        let chosen = entry.is_none().then(|| host_launch::chosen(&self.calls, module)).flatten();
        chosen.map(|(function, told)| (function, Some(told))).ok_or_else(|| error.into())
    }

    /// Looks for what the host's launch lacks, where nothing else says it.
    ///
    /// # Errors
    /// Its grid has no blocks; its dynamic shared memory cannot be evaluated.
    fn launchable(&self, called: Option<&HostLaunch>, size: Size) -> Result<(), OpenError> {
        let Self { launch, whole, .. } = self;
        let Some((called, whole)) = called.zip(whole.as_ref()) else { return Ok(()) };
        let no_blocks = launch.grid.is_none().then(|| host_launch::no_blocks(whole, called, size));
        let no_shared = launch.shared.is_none().then(|| host_launch::no_shared(whole, called));
        let lacks = no_blocks.flatten().or_else(|| no_shared.flatten());
        lacks.map_or(Ok(()), |why| Err(OpenError::Lacks(why)))
    }
}

/// Takes the file of this number out of a list.
fn taken(files: &mut Vec<(u32, Source)>, number: u32) -> Option<Source> {
    let index = files.iter().position(|(own, _)| *own == number)?;
    Some(files.remove(index).1)
}

/// What is wrong with the text of a launch.
fn in_launch(why: &LaunchTextError) -> OpenError {
    OpenError::Lacks(format!("--launch {why}"))
}

/// The launch that a text names in a comment.
fn launch_in(file: &str, text: &str) -> Result<StatedLaunch, OpenError> {
    StatedLaunch::written(text)
        .map_err(|error| OpenError::Comment(file.to_owned(), Box::new(error)))
}

/// The launches in the host's code of a file for matrices of this size.
fn calls_at(
    whole: &CudaFile,
    launch: &StatedLaunch,
    size: Size,
    before: &[String],
) -> Vec<HostLaunch> {
    let own = launch.args.as_deref().filter(|words| host_launch::has_no_matrices(words));
    own.map_or_else(
        || host_launch::launches(whole, size, before),
        |words| host_launch::launches_with(whole, words, size),
    )
}

/// The block that is stated, or that of the host's code.
fn block_in(whole: &CudaFile, launch: &StatedLaunch) -> Option<Dim3> {
    let calls = || host_launch::launches(whole, launch.size.unwrap_or(USUAL_SIZE), &[]);
    let called = || host_launch::wished(&calls(), launch.entry.as_deref()).map(host_launch::said);
    launch.block.or_else(|| called()?.block)
}

fn usual_block() -> Assumption {
    let it = Assumption::usual(format!("<<<,{}>>>", USUAL_BLOCK.spelt()));
    it.choosing(Some(Chosen::Block(USUAL_BLOCK)))
}
