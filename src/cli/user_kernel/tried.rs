//! Runs single blocks of a launch that was inferred, and takes what they show: another grid, no
//! product, longer buffers. So every command that shows the kernel shows the same launch.

use crate::kernel::{
    ArgsError, Chosen, Goal, LaunchError, LaunchSpec, NoProduct, Probe, Problem, Proposal,
    find_entry, names_product, source_name,
};
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::sim::Program;
use ptx::Module;
use std::sync::Arc;

/// A launch that is tried.
#[derive(Clone)]
pub(super) struct Trial<'a> {
    pub(super) module: &'a Module,
    pub(super) ptx: &'a str,
    pub(super) size: Size,
    pub(super) wanted: LaunchSpec,
}

/// The parts of the usual grid, along x and y, that are tried where threads compute several elements.
const PARTS: [u32; 6] = [1, 2, 4, 8, 16, 32];

impl Trial<'_> {
    /// The kernel as its blocks show that it is meant, where nobody said it.
    pub(super) fn as_it_runs(&self, kernel: Problem, goal: Option<Goal>) -> Problem {
        if kernel.goal != Goal::Product || goal == Some(Goal::Any) {
            return kernel;
        }
        let is_sure = self.wanted.args.is_some() || goal.is_some();
        if is_sure && !kernel.assumed_grid {
            return kernel;
        }
        let Ok(program) = kernel.program() else { return kernel };
        let probe = Probe::of_last(&kernel, &program);
        if probe.leaves && kernel.assumed_grid {
            return other_grid(&kernel, &program)
                .map_or_else(|| kernel.clone(), |grid| with(&kernel, grid));
        }
        let is_named = names_product(kernel.name());
        let why = probe.no_product(self.size).filter(|_| !is_sure && !is_named);
        why.and_then(|why| self.as_another(&kernel, &why)).unwrap_or(kernel)
    }

    /// The kernel that is launched so, or else on buffers that fit what it touches, if it has no three
    /// pointers that may be A, B and C.
    ///
    /// # Errors
    /// It cannot be launched so, or what its arguments are is not clear.
    pub(super) fn kernel(
        &self,
        made: Result<Problem, LaunchError>,
        goal: Option<Goal>,
    ) -> Result<Problem, LaunchError> {
        match made {
            Ok(kernel) => Ok(self.as_it_runs(kernel, goal)),
            Err(error) => self.as_chosen(&error, goal).ok_or_else(|| self.said(error)),
        }
    }

    /// The kernel on buffers and numbers of matviz's choice.
    fn as_chosen(&self, error: &LaunchError, goal: Option<Goal>) -> Option<Problem> {
        let LaunchError::Args(ArgsError::Unclear { example: None, any: Some(any), doubt, .. }) =
            error
        else {
            return None;
        };
        let function = find_entry(self.module, self.wanted.entry.as_deref()).ok()?;
        if goal == Some(Goal::Product) || names_product(source_name(&function.name)) {
            return None;
        }
        let proposal = self.fitted(any)?;
        let told = format!("--result any {proposal}: nobody states them, and {doubt}");
        Some(Problem { inferred: vec![told], ..self.of(&proposal)? })
    }

    /// The kernel on buffers of its own, as it computes no product.
    fn as_another(&self, kernel: &Problem, why: &NoProduct) -> Option<Problem> {
        let proposal = kernel.otherwise.clone()?;
        let proposal = self.fitted(&proposal).unwrap_or(proposal);
        let other = self.of(&proposal)?;
        // The parameter that was taken for a matrix, by its own name.
        let own = |matrix: &str| {
            let place = kernel.words.split(',').position(|word| word == matrix)?;
            proposal.words.split(',').nth(place)?.split(':').next()
        };
        let why = match why {
            NoProduct::Vector(matrix, elements) => {
                let matrix = own(matrix).unwrap_or(matrix);
                let first = if *elements == 1 {
                    "first element".to_owned()
                } else {
                    format!("first {elements} elements")
                };
                format!("it reads the {first} of `{matrix}` alone, as those of a vector")
            }
            NoProduct::Pairs => {
                "it reads two arrays at the same places, element by element".to_owned()
            }
        };
        let told = format!(
            "--result any {proposal}: {why}, so it computes no A x B (--args {} judges it as one)",
            kernel.words
        );
        Some(Problem { inferred: vec![told], otherwise: None, ..other })
    }

    /// The error with examples that run.
    pub(super) fn said(&self, error: LaunchError) -> LaunchError {
        let LaunchError::Args(ArgsError::Unclear { parameters, doubt, example, any }) = error
        else {
            return error;
        };
        let example = example.filter(|words| self.may_be_product(words));
        let any = any.map(|any| self.fitted(&any).map_or(any, Box::new));
        ArgsError::Unclear { parameters, doubt, example, any }.into()
    }

    /// Whether a launch of these words on matrices is one of a product, as far as its last block
    /// shows.
    fn may_be_product(&self, words: &str) -> bool {
        let wanted = LaunchSpec { args: Some(words.to_owned()), ..self.wanted.clone() };
        let Some((problem, program)) = self.made(wanted).ok().and_then(with_program) else {
            return false;
        };
        let probe = Probe::of_last(&problem, &program);
        let leaves = probe.leaves && other_grid(&problem, &program).is_none();
        !leaves && probe.no_product(self.size).is_none()
    }

    fn fitted(&self, proposal: &Proposal) -> Option<Proposal> {
        proposal.fitted(&|options| self.of(options).and_then(with_program))
    }

    /// The kernel launched with these options.
    fn of(&self, proposal: &Proposal) -> Option<Problem> {
        let (grid, args) = (proposal.grid.or(self.wanted.grid), Some(proposal.words.clone()));
        let wanted = LaunchSpec { grid, args, ..self.wanted.clone() };
        let kernel = self.made(wanted).ok()?;
        let mut chosen = kernel.chosen.clone();
        let own_grid = proposal.grid.filter(|_| self.wanted.grid.is_none());
        chosen.extend(own_grid.map(Chosen::Grid));
        chosen.extend(proposal.chosen());
        Some(Problem { chosen, ..kernel })
    }

    pub(super) fn made(&self, wanted: LaunchSpec) -> Result<Problem, LaunchError> {
        wanted.problem(self.module, self.ptx.to_owned(), self.size)
    }
}

fn with_program(problem: Problem) -> Option<(Problem, Arc<Program>)> {
    let program = problem.program().ok()?;
    Some((problem, program))
}

/// A smaller grid than the usual one, whose last block stores the last element of C and stays in the
/// matrices: each thread computes several elements.
fn other_grid(problem: &Problem, program: &Arc<Program>) -> Option<Dim3> {
    let usual = problem.launch.grid;
    let blocks = usual.x.max(usual.y);
    let is_flat = usual.x == 1 || usual.y == 1;
    let flat = (1..=10).map(|power| Dim3::flat(blocks.div_ceil(1 << power), 1));
    let parts = PARTS.into_iter().flat_map(|y| PARTS.map(|x| (x, y))).skip(1);
    let parts = parts.map(|(x, y)| Dim3::flat(usual.x.div_ceil(x), usual.y.div_ceil(y)));
    let mut grids: Vec<_> = if is_flat { flat.collect() } else { parts.collect() };
    grids.sort_by_key(|grid| std::cmp::Reverse(grid.volume()));
    grids.dedup();
    grids.into_iter().filter(|grid| *grid != usual).find(|grid| {
        problem.with_grid(*grid).is_some_and(|smaller| {
            let probe = Probe::of_last(&smaller, program);
            probe.ended && probe.stores_the_last(&smaller)
        })
    })
}

/// The kernel with another grid than the one that was assumed.
fn with(kernel: &Problem, grid: Dim3) -> Problem {
    let mut kernel = kernel.clone();
    let [usual, other] = [kernel.launch.grid, grid].map(|grid| grid.place_in(grid));
    let told = format!(
        "--grid {other}: with {usual}, a thread for each element of C, blocks leave the matrices"
    );
    match kernel.inferred.iter_mut().find(|line| line.starts_with("--grid ")) {
        Some(line) => *line = told,
        None => kernel.inferred.push(told),
    }
    let is_grid = |one: &Chosen| matches!(one, Chosen::Grid(_));
    kernel.chosen.iter_mut().filter(|one| is_grid(one)).for_each(|one| *one = Chosen::Grid(grid));
    (kernel.launch.grid, kernel.assumed_grid) = (grid, false);
    kernel
}
