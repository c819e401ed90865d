//! An exercise with its inputs: the sizes and the contents of the matrices at which a kernel is judged.

use super::Exercise;
use crate::compile::CompileJob;
use crate::kernel::{Assumptions, Goal, Problem, Source, sha256};
use crate::lesson::edit::version::{SizedKernel, Version};
use crate::matrix::{ElementType, SEED, SMALL, Size};
use crate::own::launch::StatedLaunch;
use crate::own::{self, FileRequest, FileText, OpenError};
use crate::timing::protocol::Compile;
use cudac::Error;
use std::sync::Arc;

/// For which GPUs it is compiled.
const ARCHITECTURE: &str = "compute_80";

/// The sides of hidden sizes: the least, and how many there are.
const SIDES: (u32, u32) = (33, 64);

/// An exercise with its inputs.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub exercise: Arc<Exercise>,
    /// The sizes at which it is judged: the first ones are those of the exercise.
    pub sizes: Vec<Size>,
    /// The seed of A and B: never the one with which kernels are usually filled, which a submission could
    /// know.
    pub seed: u64,
}

impl Assignment {
    /// For a learner: at the sizes of the exercise.
    pub fn practice(exercise: Arc<Exercise>) -> Self {
        let (sizes, seed) = (exercise.rubric.sizes.clone(), seed_of(&exercise.name, ""));
        Self { exercise, sizes, seed }
    }

    /// For grading: also at sizes that the key decides.
    pub fn graded(exercise: Arc<Exercise>, key: &str) -> Self {
        let hidden = (0..exercise.rubric.hidden).map(|number| drawn(&exercise.name, key, number));
        let sizes = exercise.rubric.sizes.iter().copied().chain(hidden).collect();
        let seed = seed_of(&exercise.name, key);
        Self { exercise, sizes, seed }
    }

    /// Whether a size, by its number, is not to be told.
    pub fn is_hidden(&self, number: usize) -> bool {
        number >= self.exercise.rubric.sizes.len()
    }

    /// A text compiled and launched at each size, as the exercise says: by matviz's own compiler, which
    /// reads no other file.
    ///
    /// # Errors
    /// It does not compile, includes a file, or is another kernel than the one that is asked for.
    pub fn version(self: &Arc<Self>, file: &str, text: &str) -> Result<Version, OpenError> {
        self_contained(text)?;
        let rubric = &self.exercise.rubric;
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
            size: self.sizes.first().copied(),
            goal: Some(Goal::Product),
            ..rubric.launch.clone()
        };
        let request = FileRequest::of_text(FileText::Ptx(ptx, Some(source)), launch);
        let opened = own::open(request).map_err(as_asked)?;
        let mut stages = Vec::new();
        for size in &self.sizes {
            let problem = opened.at(*size, None).map_err(as_asked)?;
            of_floats(&problem)?;
            // What its own instructions round is granted to nobody here.
            let (seed, rounding) = (self.seed, 0.0);
            let problem = Problem { seed, rounding, known: None, ..problem };
            let program = problem.program();
            let program = program.map_err(|error| OpenError::Lacks(error.to_string()))?;
            stages.push(SizedKernel { problem, program, is_judged: true });
        }
        Ok(Version {
            text: text.to_owned(),
            assumed: Assumptions::default(),
            compiled_by: own_compiler(&stages),
            assignment: Some(Arc::clone(self)),
            stages,
        })
    }
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

/// A and B are drawn from this; the same on every machine.
fn seed_of(exercise: &str, key: &str) -> u64 {
    let digits = sha256(format!("{exercise}\n{key}\nA, B").as_bytes());
    let seed = u64::from_str_radix(&digits[..8], 16).unwrap_or_default();
    if [SEED, SMALL].contains(&seed) { seed ^ 2 } else { seed }
}

/// A hidden size: M, N and K all different.
fn drawn(exercise: &str, key: &str, number: usize) -> Size {
    let digits = sha256(format!("{exercise}\n{key}\nsize {number}").as_bytes());
    let byte = |at: usize| u32::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap_or_default();
    let (least, count) = SIDES;
    let side = |at: usize| least + byte(at) % count;
    let others = |taken: [u32; 2], at: usize| {
        let free = |side: &u32| !taken.contains(side);
        (0..count).map(|more| least + (side(at) - least + more) % count).find(free)
    };
    let m = side(0);
    let n = others([m, m], 1).unwrap_or(m);
    let k = others([m, n], 2).unwrap_or(m);
    Size { m, n, k }
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

    #[test]
    fn hidden_sizes_follow_from_the_key_and_differ_in_their_sides() {
        let sizes = |key: &str| [0, 1, 2, 3].map(|number| drawn("E1-coalesce", key, number));
        assert_eq!(sizes("a"), sizes("a"));
        assert_ne!(sizes("a"), sizes("b"));
        for Size { m, n, k } in (0..200).map(|number| drawn("E2", "key", number)) {
            assert!(m != n && n != k && m != k, "{m} {n} {k}");
            assert!([m, n, k].iter().all(|side| (33..=96).contains(side)), "{m} {n} {k}");
        }
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
