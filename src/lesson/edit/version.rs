//! A version of the edited file: compiled, and ready to run at each size at which it is judged.

use crate::compile::CompileJob;
use crate::compile::python::{self, PythonError};
use crate::kernel::{Assumptions, Goal, Problem, Source, compiled_by};
use crate::launch::Dim3;
use crate::lesson::exercise::assignment::Assignment;
use crate::matrix::{ElementType, Size};
use crate::own::launch::{StatedLaunch, USUAL_SIZE};
use crate::own::{self, CudaText, FileRequest, FileText, LaunchApart, OpenError, Opened};
use crate::sim::Program;
use crate::timing::protocol::Compile;
use cudac::Error;
use std::path::PathBuf;
use std::sync::Arc;

/// For which GPUs a submission is compiled.
const ARCHITECTURE: &str = "compute_80";

/// The size at which every kernel is judged as well: none of its sides is a multiple of a tile.
const AWKWARD: Size = Size { m: 60, n: 52, k: 84 };

/// Multiply-adds up to which the whole grid is simulated at every save.
const JUDGED: u64 = 1 << 21;

/// What is edited, and what the command line says of it.
#[derive(Clone, Debug, Default)]
pub struct EditRequest {
    /// The file's name, without folders.
    pub file: String,
    /// Its folder, where headers are looked for.
    pub folder: PathBuf,
    /// Other folders with headers.
    pub include: Vec<PathBuf>,
    /// The launch; the file gives what this does not.
    pub launch: StatedLaunch,
    /// Macros, as `NAME=VALUE`.
    pub defines: Vec<String>,
    /// The exercise that the file is to solve, which says how it is launched.
    pub assignment: Option<Arc<Assignment>>,
}

/// A text that compiles and can be launched.
#[derive(Clone, Debug)]
pub struct Version {
    /// The source.
    pub text: String,
    /// Its runs at different sizes, and the other launches of its host: that which is shown comes first.
    pub stages: Vec<SizedKernel>,
    /// What nobody has said of the launch that is shown.
    pub assumed: Assumptions,
    pub compiled_by: String,
    /// The exercise that it is to solve.
    pub assignment: Option<Arc<Assignment>>,
}

#[derive(Clone, Debug)]
pub struct SizedKernel {
    pub problem: Problem,
    pub program: Arc<Program>,
    /// Whether its grid is small enough to be simulated whole at every save.
    pub is_judged: bool,
    /// The launch that it is, if the host has several: its kernel, and its line.
    pub launch: Option<(String, u32)>,
}

/// What is wrong with a text or with its launch, with its line; line 0 means none of them.
impl From<OpenError> for Error {
    fn from(why: OpenError) -> Self {
        match why {
            OpenError::Source(error) => error,
            OpenError::Comment(_, error) => *error,
            OpenError::Launch(error) => {
                let how = "a line `// launch: mm<<<,16x16>>>` in the file says how";
                Self { hint: Some(how.to_owned()), ..whole(error.to_string()) }
            }
            OpenError::Python(PythonError::InFile { line, message }) => {
                Self { line, column: 1, length: 1, ..whole(message) }
            }
            why => whole(why.to_string()),
        }
    }
}

impl Version {
    /// What is taken of the launch because it is usual, in the words of the command line.
    pub fn usual(&self) -> Vec<&str> {
        self.assumed.usual().map(|one| &*one.what).collect()
    }

    /// Compiles a text with matviz's own compiler or, outside its subset, with another one.
    ///
    /// # Errors
    /// It does not compile, or cannot be launched.
    pub fn of(text: &str, wish: &EditRequest) -> Result<Self, OpenError> {
        let EditRequest { file, folder, include, launch, defines, assignment } = wish;
        if let Some(assignment) = assignment {
            return Self::submitted(file, text, assignment);
        }
        let (text, defines) = (text.to_owned(), defines.clone());
        let source = Source { file: file.clone(), text: text.clone(), defines, declared: None };
        let include = include.clone();
        let cuda = CudaText { source, arch: None, include, compile: &compiled };
        let request = FileRequest::of_text(FileText::Cuda(cuda), launch.clone());
        let path = folder.join(file);
        let opened = own::open(FileRequest {
            path: &path,
            takes_usual_block: true,
            python: Some(&python::compile),
            ..request
        })?;
        let first = opened.at(opened.size(), None)?;
        // The size of the matrices changes nothing in it.
        let program = first.program();
        let program = program.map_err(|error| OpenError::Lacks(error.to_string()))?;
        let others: Vec<_> = [USUAL_SIZE, AWKWARD]
            .into_iter()
            .filter_map(|size| at_other(&opened, &first, size, program.cluster_shape()))
            .collect();
        let compiled_by = compiled_by(&first.ptx).unwrap_or_else(|| "another compiler".to_owned());
        let assumed = first.assumed.clone();
        let launches = opened.launches_apart();
        let all = [first].into_iter().chain(others);
        let mut stages: Vec<_> = all.map(|one| SizedKernel::of(one, &program)).collect();
        if launches.len() > 1 {
            for LaunchApart { kernel, line, problem } in launches {
                let launch = Some((kernel, line));
                let first = &mut stages[0];
                let (entry, shape) = (&first.problem.entry, first.problem.launch);
                if first.launch.is_none() && (&problem.entry, problem.launch) == (entry, shape) {
                    first.launch = launch;
                    continue;
                }
                if let Ok(program) = problem.program() {
                    stages.push(SizedKernel { problem, program, is_judged: false, launch });
                }
            }
        }
        Ok(Self { text, stages, assumed, compiled_by, assignment: None })
    }

    /// A text compiled and launched at each size, as the exercise says: by matviz's own compiler, which
    /// reads no other file.
    ///
    /// # Errors
    /// It does not compile, includes a file, or is another kernel than the one that is asked for.
    pub fn submitted(
        file: &str,
        text: &str,
        assignment: &Arc<Assignment>,
    ) -> Result<Self, OpenError> {
        self_contained(text)?;
        let rubric = &assignment.exercise.rubric;
        // Its own host code and its own comment on the launch count nothing: only the kernels are compiled.
        let wanted = Compile {
            file: file.to_owned(),
            text: text.to_owned(),
            arch: ARCHITECTURE.to_owned(),
            entry: rubric.launch.entry.clone(),
            ..Compile::default()
        };
        let ptx = CompileJob { wanted, to_measure: false }.own().map_err(OpenError::Source)?;
        let source = Source { file: file.to_owned(), text: text.to_owned(), ..Source::default() };
        let launch = StatedLaunch {
            size: assignment.sizes.first().copied(),
            goal: Some(Goal::Product),
            ..rubric.launch.clone()
        };
        let request = FileRequest::of_text(FileText::Ptx(ptx, Some(source)), launch);
        let opened = own::open(request).map_err(as_asked)?;
        let mut stages = Vec::new();
        for size in &assignment.sizes {
            let problem = opened.at(*size, None).map_err(as_asked)?;
            of_floats(&problem)?;
            // What its own instructions round is granted to nobody here.
            let (seed, rounding) = (assignment.seed, 0.0);
            let problem = Problem { seed, rounding, known: None, ..problem };
            let program = problem.program();
            let program = program.map_err(|error| OpenError::Lacks(error.to_string()))?;
            stages.push(SizedKernel { problem, program, is_judged: true, launch: None });
        }
        Ok(Self {
            text: text.to_owned(),
            assumed: Assumptions::default(),
            compiled_by: own_compiler(&stages),
            assignment: Some(Arc::clone(assignment)),
            stages,
        })
    }

    /// Whether it is the same code, launched in the same way.
    pub fn is_as(&self, other: &Self) -> bool {
        let alike = |(a, b): (&SizedKernel, &SizedKernel)| {
            let (a, b) = (&a.problem, &b.problem);
            (&a.ptx, a.size, a.launch) == (&b.ptx, b.size, b.launch)
        };
        let mut stages = self.stages.iter().zip(&other.stages);
        self.stages.len() == other.stages.len() && stages.all(alike)
    }

    /// The launches of its host, if there are several: the number of each stage, and what is launched.
    pub fn launches(&self) -> impl Iterator<Item = (usize, &(String, u32))> {
        let stages = self.stages.iter().enumerate();
        stages.filter_map(|(number, stage)| Some((number, stage.launch.as_ref()?)))
    }

    /// The stages that are judged, with their numbers.
    pub fn judged(&self) -> impl Iterator<Item = (usize, &SizedKernel)> {
        self.stages.iter().enumerate().filter(|(_, stage)| stage.is_judged)
    }
}

/// The kernel of a file at an awkward size, if it can be judged there.
pub fn awkward(opened: &Opened<'_>, first: &Problem) -> Option<Problem> {
    let cluster = first.program().ok()?.cluster_shape();
    at_other(opened, first, AWKWARD, cluster)
}

/// The kernel of a file at another size than its first, if it can be judged there.
fn at_other(opened: &Opened<'_>, first: &Problem, size: Size, cluster: Dim3) -> Option<Problem> {
    let words = &*first.words;
    let is_meant = size == Size::square(size.n) || has_sides(words);
    if size == first.size || has_numbers(words) || !is_meant {
        return None;
    }
    let other = opened.at(size, None).ok().filter(|other| other.goal == first.goal)?;
    // A host makes the grid of another size a multiple of its clusters.
    let grid = other.launch.grid;
    let sides = [(grid.x, cluster.x), (grid.y, cluster.y), (grid.z, cluster.z)];
    sides.into_iter().all(|(blocks, of)| blocks.is_multiple_of(of)).then_some(other)
}

impl SizedKernel {
    fn of(problem: Problem, program: &Arc<Program>) -> Self {
        let Size { m, n, k } = problem.size;
        let work = u64::from(m) * u64::from(n) * u64::from(k);
        let (problem, program) = (problem.recognised(program), Arc::clone(program));
        Self { problem, program, is_judged: work <= JUDGED, launch: None }
    }
}

/// Compiles with matviz's own compiler; with another one only what is outside its subset, since a
/// mistake is explained best here.
fn compiled(job: &CompileJob) -> Result<String, OpenError> {
    let compiled = job.own().or_else(|error| {
        let error = in_source(error);
        if !error.outside {
            return Err(error);
        }
        job.elsewhere().map_err(|log| log.and_then(|log| of_log(&log)).unwrap_or(error))
    });
    compiled.map_err(OpenError::Source)
}

/// The error as one of the source, whose lines alone are shown: of a header, it names the place.
fn in_source(error: Error) -> Error {
    let Some(header) = &error.header else { return error };
    let message = format!("{}:{error}", header.name);
    Error { hint: error.hint.clone(), outside: error.outside, ..whole(message) }
}

/// The first error of another compiler: `mine.cu(34): error: ...` or `mine.cu:34:7: error: ...`.
fn of_log(log: &str) -> Option<Error> {
    let mut lines = log.lines().filter_map(|line| line.split_once("error: "));
    let (place, message) = lines.next()?;
    let numbers = place.split(['(', ')', ':']).filter_map(|word| word.trim().parse().ok());
    let numbers: Vec<u32> = numbers.collect();
    let line = numbers.first().copied().unwrap_or(0);
    let column = numbers.get(1).copied().unwrap_or(1);
    Some(Error { line, column, length: 1, ..whole(message.trim().to_owned()) })
}

/// An error of no line.
fn whole(message: String) -> Error {
    let (header, hint) = (None, None);
    Error { header, line: 0, column: 0, length: 0, message, hint, outside: false }
}

/// Whether the kernel is given more than one side of its matrices, so that these need not be square.
fn has_sides(words: &str) -> bool {
    let mut all = words.split([',', '{', '}', '=']).map(str::trim);
    all.any(|word| matches!(word, "M" | "K" | "numba") || word.starts_with("numba:"))
}

/// Whether the arguments have a number that is right at one size alone.
fn has_numbers(words: &str) -> bool {
    let number = |word: &str| word.rsplit('=').next().unwrap_or(word).trim().parse::<i64>().is_ok();
    words.split(',').any(|word| word.contains('[') || number(word))
}

/// How it is launched is not for the file to say.
fn as_asked(why: OpenError) -> OpenError {
    match why {
        OpenError::Launch(why) => OpenError::Lacks(format!("as the exercise launches it: {why}")),
        why => why,
    }
}

fn own_compiler(stages: &[SizedKernel]) -> String {
    let first = stages.first().and_then(|stage| stage.problem.compiled_by());
    first.unwrap_or_default()
}

/// A submission is one file: nothing else is read.
fn self_contained(text: &str) -> Result<(), OpenError> {
    for (line, text) in (1..).zip(text.lines()) {
        let directive = text.trim_start().strip_prefix('#').map(str::trim_start);
        let Some(name) = directive.and_then(|it| it.strip_prefix("include")) else { continue };
        if name.trim_start().starts_with('"') {
            return Err(OpenError::Source(Error {
                header: None,
                line,
                column: 1,
                length: text.chars().count() as u32,
                message: "a solution is one file: this include is not read".to_owned(),
                hint: Some("put what you need of it into this file".to_owned()),
                outside: false,
            }));
        }
    }
    Ok(())
}

/// The matrices are of float: with fewer bits, more errors would be granted.
fn of_floats(problem: &Problem) -> Result<(), OpenError> {
    let is = |operand: &_| problem.element_type(*operand) == ElementType::F32;
    if problem.operands.len() == 3 && problem.operands.iter().all(is) {
        return Ok(());
    }
    let told = "the kernel's parameters are `const float* A, const float* B, float* C, int M, int N, int K`";
    Err(OpenError::Lacks(told.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILED: &str = include_str!("../../../kernels/tiled.cu");

    fn version(text: &str) -> Result<Version, Error> {
        let wish = EditRequest { file: "mine.cu".to_owned(), ..EditRequest::default() };
        Version::of(text, &wish).map_err(Error::from)
    }

    #[test]
    fn a_copy_of_a_kernel_is_ready_at_both_sizes_and_says_what_it_assumes() {
        let version = version(TILED).expect("it compiles");
        let sizes: Vec<_> = version.judged().map(|(_, stage)| stage.problem.size).collect();
        assert_eq!(sizes, [USUAL_SIZE, AWKWARD]);
        assert_eq!(version.usual(), ["<<<,16x16>>>", "-D TILE=16"]);
    }

    #[test]
    fn a_copy_that_does_not_sum_whole_tiles_is_a_kernel_like_any_other() {
        let known = |from: &str, to: &str| {
            let version = version(&TILED.replace(from, to)).expect("it compiles");
            version.stages.iter().all(|stage| stage.problem.known.is_some())
        };
        assert!(known("", ""), "a copy");
        assert!(
            known("float acc = 0.0f;", "float acc = 1.0f;"),
            "C is wrong, and its tiles are not"
        );
        assert!(!known("k < TILE; ++k", "k < TILE / 2; ++k"), "half a tile");
        assert!(!known("C[row * N + col] =", "C[col] ="), "another part of C");
    }

    #[test]
    fn a_large_size_is_shown_and_small_ones_are_judged() {
        let text = format!("// launch: <<<,16x16>>> --size 1024\n{TILED}");
        let version = version(&text).expect("it compiles");
        assert_eq!(version.stages[0].problem.size, Size::square(1024));
        assert_eq!(version.judged().map(|(at, _)| at).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn numbers_among_the_arguments_hold_at_one_size_alone() {
        let text = format!("// launch: <<<,16x16>>>(A,B,C,64,64,64)\n{TILED}");
        assert_eq!(version(&text).expect("it compiles").stages.len(), 1);
    }

    /// One number says nothing of a size of three sides.
    #[test]
    fn a_kernel_of_square_matrices_is_judged_at_square_sizes() {
        let text = "__global__ void mm(const float* A, const float* B, float* C, int n) {\n\
                    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;\n\
                    float s = 0; for (int k = 0; k < n; ++k) s += A[i * n + k] * B[k * n + j];\n\
                    C[i * n + j] = s; }\n";
        let sizes = |text: &str| {
            let version = version(text).expect("it can be launched");
            version.judged().map(|(_, stage)| stage.problem.size).collect::<Vec<_>>()
        };
        assert_eq!(sizes(text), [USUAL_SIZE]);
        let launched = format!(
            "{text}int main() {{ int n = 64; float *A, *B, *C;\n\
             mm<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(A, B, C, n); }}\n"
        );
        assert_eq!(sizes(&launched), [USUAL_SIZE]);
        assert_eq!(sizes(&format!("// launch: --size 32\n{text}")), [Size::square(32), USUAL_SIZE]);
    }

    #[test]
    fn the_error_of_another_compiler_has_its_line() {
        let nvrtc = "nvrtc failed to compile (NVRTC_ERROR_COMPILATION): \nk.cu(34): error: expected a \";\"\n";
        let error = of_log(nvrtc).expect("an error");
        assert_eq!((error.line, &*error.message), (34, "expected a \";\""));
        let clang = of_log("/tmp/x/k.cu:7:12: error: expected ')'\nnote: here").expect("one");
        assert_eq!((clang.line, clang.column, &*clang.message), (7, 12, "expected ')'"));
        assert_eq!(of_log("it crashed"), None);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let error = version(&TILED.replace("int tx =", "int tx")).expect_err("it is wrong");
        assert_eq!(error.line, 18, "{error}");
        let error = version(&format!("// launch: <<<,16>>>\n{TILED}")).map(|_| ());
        assert_eq!(error, Ok(()), "it is wrong, but can be launched");
        let error = version("int x;").expect_err("there is no kernel");
        assert!(!error.message.is_empty());
    }

    #[test]
    fn only_includes_in_quotes_are_refused() {
        assert!(self_contained("#include <cuda_runtime.h>\n// #include \"a.h\"\n").is_ok());
        for text in ["#include \"a.h\"", "  #  include\"/etc/passwd\""] {
            let OpenError::Source(error) = self_contained(text).expect_err(text) else {
                panic!("{text}: another error");
            };
            assert_eq!(error.line, 1);
        }
    }
}
