//! What a file or a launch lacks, said as the user would give it.

use super::called::HostLaunch;
use super::launch::{LAUNCH, TILE};
use super::probe::NoProduct;
use crate::compile::include;
use crate::compile::python::PythonError;
use crate::kernel::{Assumption, Chosen, LaunchError, Problem, Source, source_name};
use crate::launch::Dim3;
use cudac::KernelTemplate;
use ptx::Function;
use std::path::{Path, PathBuf};

/// Why a file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No compiler takes the source.
    #[error("{0}")]
    NotCompiled(String),
    /// Something in the source is wrong, at its line.
    #[error("{0}")]
    Source(cudac::Error),
    /// The comment in a file of this name that gives its launch cannot be read.
    #[error("{0}:{line}: in `{LAUNCH}`: {message}", line = .1.line, message = .1.message)]
    Comment(String, Box<cudac::Error>),
    /// What was compiled, or given, is no PTX.
    #[error("{0}")]
    Ptx(String),
    /// A Python file of which there is no kernel.
    #[error(transparent)]
    Python(#[from] PythonError),
    /// Nobody says how many threads a block has.
    #[error("{0}")]
    NoBlock(String),
    /// The kernel cannot be launched as is stated.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// What is wrong or missing, with what to state.
    #[error("{0}")]
    Lacks(String),
}

/// Nothing in a file is a kernel, nor in the headers that were found.
pub(super) fn no_kernel(file: &Path, name: &str, whole: &cudac::CudaFile) -> OpenError {
    let absent = without(file, whole);
    OpenError::Lacks(format!("{name} has no kernel: nothing in it is __global__{absent}"))
}

/// What a file is that cannot be CUDA C++ at all: PTX, or a Markdown text without code.
pub(super) fn no_cuda(file: &Path, name: &str, text: &str) -> Option<OpenError> {
    let code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let first = text.lines().find(code).unwrap_or_default().trim_start();
    if first.starts_with(".version") || first.starts_with(".target") {
        return Some(OpenError::Lacks(format!("{name} is PTX")));
    }
    if file.extension().is_some_and(|ending| ending == "ml") {
        return Some(OpenError::Lacks(format!(
            "{name} is OCaml: its CUDA C is what Sarek generates of it, which pages on it have between \
             ```cuda fences: give that"
        )));
    }
    let is_markdown = file.extension().is_some_and(|ending| ending == "md");
    (is_markdown && !text.contains("__global__")).then(|| {
        OpenError::Lacks(format!("{name} has no code of CUDA: no fence of it is marked `cuda`"))
    })
}

/// Why a Python file is not compiled.
pub(super) const NOT_RUN: &str =
    "this is Python: to find its kernel, the file is run, which is not done here";

/// What a Python file is that has no kernel of Numba's: one of Triton's, or none at all.
pub(super) fn no_numba(name: &str, text: &str) -> Option<OpenError> {
    if text.contains("numba") {
        return None;
    }
    let is_triton = text.contains("triton");
    let why = if is_triton {
        "a Triton kernel, which Triton compiles when it is launched: `compiled = kernel[grid](...)`, \
         then `compiled.asm[\"ptx\"]` is its PTX: write it to a file, and give that"
    } else {
        "Python without a kernel that matviz knows: @cuda.jit of Numba, or CUDA C in a string \
         (cupy.RawKernel)"
    };
    Some(OpenError::Lacks(format!("{name} is {why}")))
}

/// The most templates that a message lists.
const LISTED: usize = 4;

/// The instances of a file whose kernels are all templates, or of the template that is asked for: those
/// whose parameters all have defaults.
///
/// # Errors
/// Nothing says with which arguments they are launched; the message proposes some that `compile`.
pub(super) fn instances_of_templates(
    whole: &cudac::CudaFile,
    calls: &[HostLaunch],
    entry: Option<&str>,
    compiles: impl Fn(&str) -> bool,
) -> Result<Vec<String>, OpenError> {
    let mut all = whole.templates();
    let is_asked = all.iter().any(|one| Some(&*one.name) == entry);
    if all.is_empty() || whole.has_plain_kernel() && !is_asked {
        return Ok(Vec::new());
    }
    all.retain(|one| !is_asked || Some(&*one.name) == entry);
    let complete = all.iter().filter(|one| one.is_complete);
    let complete: Vec<_> = complete.map(|one| format!("{}<>", one.name)).collect();
    if !complete.is_empty() {
        return Ok(complete);
    }
    let proposed = all.iter().take(LISTED).map(|one| example(one, calls));
    let taken: Vec<_> = proposed.filter(|instance| compiles(instance)).collect();
    let name = &all[0].name;
    let begun =
        format!("`{name}` is a template, and nothing says with which arguments it is launched");
    if taken.is_empty() {
        let names = all[0].parameters.join(", ");
        return Err(OpenError::Lacks(format!(
            "{begun}: say it with --launch '{name}<...>', a value for each of {names}"
        )));
    }
    let shown: Vec<_> = taken.iter().map(|instance| format!("--launch '{instance}'")).collect();
    let more = match all.len() - taken.len() {
        0 => String::new(),
        more => format!(" ({more} more)"),
    };
    Err(OpenError::Lacks(format!("{begun}: say, for example, {}{more}", shown.join(" or "))))
}

/// The instance that the host launches, as far as that is known.
fn example(one: &KernelTemplate, calls: &[HostLaunch]) -> String {
    let call = calls.iter().find(|call| call.kernel.rsplit("::").next() == Some(&*one.name));
    one.instance(call.map_or(&[], |call| &call.arguments))
}

/// That a file is a part of another, which has what it needs.
pub(super) fn part_of(file: &Path) -> String {
    include::includer(file).map_or_else(String::new, |other| {
        format!("\n{0} includes this file: {0} has what stands before it", shown(&other).display())
    })
}

/// The headers that were not found, which may be the reason.
pub(super) fn without(file: &Path, whole: &cudac::CudaFile) -> String {
    let absent = whole.absent();
    if absent.is_empty() {
        return String::new();
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let found = absent.iter().find_map(|name| Some((include::somewhere(folder, name)?, name)));
    let named = found.map_or_else(
        || "-I DIR names other folders".to_owned(),
        |(folder, name)| format!("-I {} has {name}", shown(&folder).display()),
    );
    format!("\nNot found in its folder ({named}), and left out: {}", absent.join(", "))
}

pub(super) fn no_block(
    calls: &[HostLaunch],
    function: &Function,
    source: Option<&Source>,
    is_ptx: bool,
) -> OpenError {
    let unknown = unknown(calls, function);
    let is_python = source.is_some_and(|source| source.declared.is_some());
    let otherwise = match (is_ptx || !unknown.is_empty(), is_python) {
        (true, _) => "",
        (false, true) => " (or a line `# launch: <<<,16x16>>>` in the file)",
        (false, false) => " (or a line `// launch: <<<,16x16>>>` in the file)",
    };
    OpenError::NoBlock(format!(
        "the block is missing: how many threads it has, for example --launch '<<<,16x16>>>'{unknown}{otherwise}"
    ))
}

/// That a block has a thread for each element of the tile that a macro gives.
pub(super) fn block_of_tile(calls: &[HostLaunch], function: &Function, block: Dim3) -> Assumption {
    let unknown = unknown(calls, function);
    let why = format!("a thread for each element of a tile of {TILE} x {TILE}{unknown}");
    let it = Assumption::new(format!("<<<,{}>>>", block.spelt()), why);
    it.choosing(Some(Chosen::Block(block)))
}

/// Looks at a kernel whose arguments nobody states: whether it may be a product at all.
///
/// # Errors
/// It does not look like one, and none of its numbers is called K: then one may be meant, whatever it
/// computes.
pub(super) fn doubted(
    problem: &mut Problem,
    fill: impl FnOnce(&Problem, &str) -> Option<String>,
) -> Result<(), OpenError> {
    let Some(why) = NoProduct::of(problem) else { return Ok(()) };
    let filled = problem.otherwise.as_deref().and_then(|words| fill(problem, words));
    problem.otherwise = filled.or(problem.otherwise.take());
    let told = no_product(problem, &why);
    if problem.words.split(',').any(|word| word == "K") {
        problem.assumed.extend([Assumption::sentence("A x B", format!(", although {told}"))]);
        return Ok(());
    }
    Err(OpenError::Lacks(format!("the arguments are missing: {told}, or 'C =' if it is one")))
}

/// That a kernel whose arguments nobody states does not look like a product, and what to say if it is
/// none.
fn no_product(problem: &Problem, why: &NoProduct) -> String {
    let buffers = problem.otherwise.as_deref();
    // The parameter that was taken for a matrix, by its own name.
    let own = |matrix: &str| {
        let place = problem.words.split(',').position(|word| word == matrix)?;
        buffers?.split(',').nth(place)?.split(':').next()
    };
    let why = match why {
        NoProduct::Vector(matrix, elements) => {
            let matrix = own(matrix.name()).unwrap_or(matrix.name());
            let first = match elements {
                1 => "first element".to_owned(),
                _ => format!("first {elements} elements"),
            };
            format!("it reads the {first} of `{matrix}` alone, as those of a vector")
        }
        NoProduct::Pairs => "it reads two arrays at the same places, element by element".to_owned(),
    };
    let words = buffers.map_or_else(String::new, |words| format!("({words})"));
    format!("this does not look like a product: {why}; if it is none, say --launch '(void){words}'")
}

/// Where the host launches the kernel, if that does not say the block.
fn unknown(calls: &[HostLaunch], function: &Function) -> String {
    let name = source_name(&function.name);
    let called = calls.iter().find(|call| call.kernel == name);
    called.map_or_else(String::new, |call| {
        format!(" (what line {} launches it with is known only when the program runs)", call.line)
    })
}

/// Nobody says how much dynamic shared memory a block has.
pub(super) const NO_SHARED: &str = "the shared memory is missing: the bytes of dynamic shared memory (extern __shared__) of a \
                         block, for example --launch '<<<,,16384>>>'";

/// The folder as a user in the current one would name it.
pub(super) fn shown(folder: &Path) -> PathBuf {
    let current = std::env::current_dir().and_then(|current| current.canonicalize());
    let below = current.ok().and_then(|current| folder.strip_prefix(current).ok());
    let below = below.filter(|below| *below != Path::new(""));
    below.unwrap_or(folder).to_owned()
}
