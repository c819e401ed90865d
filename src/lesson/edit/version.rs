//! A version of the edited file: compiled, and ready to run at each size at which it is judged.

use super::launch::{Complete, Launch, USUAL_SIZE};
use crate::cuda::{self, Error, Options};
use crate::kernel::{LaunchSpec, Problem, Source, UserKernel};
use crate::matrix::Size;
use crate::ptx::{self, Module};
use crate::sim::Program;
use std::sync::Arc;

/// The size at which every kernel is judged as well: none of its sides is a multiple of a tile.
const AWKWARD: Size = Size { m: 60, n: 52, k: 84 };

/// Multiply-adds up to which the whole grid is simulated at every save.
const JUDGED: u64 = 1 << 21;

/// What is edited, and what the command line says of it.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// The file's name, without folders.
    pub file: String,
    /// The launch; the file gives what this does not.
    pub launch: Launch,
}

/// A text that compiles and can be launched.
#[derive(Clone, Debug)]
pub struct Version {
    /// The source.
    pub text: String,
    /// Its runs at different sizes: that which is shown comes first.
    pub stages: Vec<Stage>,
    /// What nobody has said of the launch.
    pub assumed: Vec<String>,
}

/// The kernel at a size.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The problem.
    pub problem: Problem,
    /// Its program.
    pub program: Arc<Program>,
    /// Whether its grid is small enough to be simulated whole at every save.
    pub is_judged: bool,
}

impl Version {
    /// Compiles a text with matviz's own compiler.
    ///
    /// # Errors
    /// What is wrong with it or with its launch, with its line; line 0 means none of them.
    pub fn of(text: &str, wish: &Wish) -> Result<Self, Error> {
        let launch = wish.launch.clone().or(Launch::written(text)?).complete(text);
        let defines = launch.launch.defines.clone();
        let options = Options { file: &wish.file, defines: &defines, rolled: true };
        let ptx = cuda::compile(text, &options)?.ptx;
        let module = ptx::parse(&ptx).map_err(|errors| {
            whole(errors.first().map_or_else(String::new, ToString::to_string))
        })?;
        let source = Source { file: wish.file.clone(), text: text.to_owned(), defines };
        let stage = |size| stage(&module, &ptx, &source, &launch, size);
        let first = stage(launch.size)?;
        let mut sizes = vec![USUAL_SIZE, AWKWARD];
        let words = first.problem.as_user_kernel().map_or("", |kernel| &kernel.words);
        sizes.retain(|size| *size != launch.size && !has_numbers(words));
        let others = sizes.into_iter().map(stage);
        let stages = [Ok(first)].into_iter().chain(others).collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), stages, assumed: launch.assumed })
    }

    /// The stages that are judged, with their numbers.
    pub fn judged(&self) -> impl Iterator<Item = (usize, &Stage)> {
        self.stages.iter().enumerate().filter(|(_, stage)| stage.is_judged)
    }
}

fn stage(
    module: &Module,
    ptx: &str,
    source: &Source,
    launch: &Complete,
    size: Size,
) -> Result<Stage, Error> {
    let wanted = LaunchSpec {
        entry: launch.launch.entry.clone(),
        grid: launch.grid_at(size),
        block: launch.block,
        shared: launch.launch.shared.unwrap_or(0),
        args: launch.launch.args.clone(),
        source: Some(source.clone()),
    };
    let kernel = UserKernel::new(module, size, wanted);
    let how =
        || Some("a line `// launch: --entry NAME --block 16,16` in the file says how".to_owned());
    let kernel = kernel.map_err(|error| Error { hint: how(), ..whole(error.to_string()) })?;
    let problem = Problem::of_user(kernel, size, ptx.to_owned());
    let program = problem.program().map_err(|error| whole(error.to_string()))?;
    let work = u64::from(size.m) * u64::from(size.n) * u64::from(size.k);
    Ok(Stage { problem, program, is_judged: work <= JUDGED })
}

/// An error of no line.
fn whole(message: String) -> Error {
    Error { line: 0, column: 0, length: 0, message, hint: None, outside: false }
}

/// Whether the arguments have a number that is right at one size alone.
fn has_numbers(words: &str) -> bool {
    words.split(',').any(|word| word.trim().parse::<i64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILED: &str = include_str!("../../../kernels/tiled.cu");

    fn version(text: &str) -> Result<Version, Error> {
        Version::of(text, &Wish { file: "mine.cu".to_owned(), launch: Launch::default() })
    }

    #[test]
    fn a_copy_of_a_kernel_is_ready_at_both_sizes_and_says_what_it_assumes() {
        let version = version(TILED).expect("it compiles");
        let sizes: Vec<_> = version.judged().map(|(_, stage)| stage.problem.size).collect();
        assert_eq!(sizes, [USUAL_SIZE, AWKWARD]);
        assert_eq!(version.assumed, ["--block 16,16", "-D TILE=16"]);
    }

    #[test]
    fn a_large_size_is_shown_and_small_ones_are_judged() {
        let text = format!("// launch: --size 1024 --block 16,16\n{TILED}");
        let version = version(&text).expect("it compiles");
        assert_eq!(version.stages[0].problem.size, Size::square(1024));
        assert_eq!(version.judged().map(|(at, _)| at).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn numbers_among_the_arguments_hold_at_one_size_alone() {
        let text = format!("// launch: --block 16,16 --args A,B,C,64,64,64\n{TILED}");
        assert_eq!(version(&text).expect("it compiles").stages.len(), 1);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let error = version(&TILED.replace("int tx =", "int tx")).expect_err("it is wrong");
        assert_eq!(error.line, 18, "{error}");
        let error = version(&format!("// launch: --block 16\n{TILED}")).map(|_| ());
        assert_eq!(error, Ok(()), "it is wrong, but can be launched");
        let error = version("int x;").expect_err("there is no kernel");
        assert!(!error.message.is_empty());
    }
}
