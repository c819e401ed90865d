//! A source of CUDA C, compiled and judged at several sizes: whether C is right, what the checks find,
//! and what it costs.

use crate::kernel::{self, Kernel, LaunchSpec, Problem, Source, Tile, Variant};
use crate::launch::{Dim3, MAX_THREADS_PER_BLOCK};
use crate::lesson::error::RunError;
use crate::matrix::Size;
use crate::matrix::judge::{Errors, Wrong};
use crate::own::host_launch;
use crate::own::launch::{Launch, TILE, USUAL_SIZE, leaves_open};
use crate::report::cause::Explanation;
use crate::report::finding::{Names, Row};
use crate::sim::Program;
use crate::study::cause::Diagnosis;
use crate::study::schedule::{Orders, Search};
use crate::study::simulation::{Simulated, Simulation};
use crate::work::WorkToken;
use cudac::Options;
use ptx::{self, Module, Space};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The largest side of a matrix here: every one of many settings is simulated.
pub const LARGEST: u32 = 256;

/// Random orders of the warps that are tried.
pub const ORDERS: u64 = 100;

/// Instructions after which a block is aborted: fifty times what the course's kernels take.
const BUDGET: u64 = 1_000_000;

/// A source to be tried, and how it is launched.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The source, with its macros.
    pub source: Source,
    /// The launch; without a grid, a thread for each element of C, columns along x.
    pub launch: LaunchSpec,
    /// The variant of the catalogue that has the grid for each size.
    pub variant: Option<Variant>,
}

/// A compiled source.
#[derive(Debug)]
pub struct Ready<'t> {
    trial: &'t Trial,
    ptx: String,
    module: Module,
}

/// How a source does at a size.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    pub size: Size,
    /// Whether C is right when the warps take turns: what a test would see.
    pub right: bool,
    /// The wrong elements of C.
    pub wrong: Wrong,
    /// What the checks find, which holds in any order of the warps.
    pub findings: Vec<Row>,
    /// Sectors that the loads from global memory take.
    pub load_sectors: u64,
    /// Passes through the banks of shared memory, as written.
    pub shared_passes: u64,
    /// Bank conflicts, as written.
    pub conflicts: u64,
    /// Arrivals of a warp at a barrier.
    pub barriers: u64,
    /// Whether no instruction takes more sectors than its bytes need.
    pub coalesced: bool,
}

/// How a source does at a size, also in other orders of the warps.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Whether C is right, what the checks find, and what it costs.
    pub judged: Judged,
    /// The random orders of the warps that spoil C.
    pub spoilt: Spoilt,
}

/// How many random orders of a block's warps spoil C.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spoilt {
    /// Orders with a wrong C.
    pub wrong: u64,
    /// Orders that were tried; 0 if all are known to give one C.
    pub orders: u64,
}

impl Trial {
    /// A kernel of the catalogue with another text.
    ///
    /// # Errors
    /// The kernel has no such tile.
    pub fn of_catalogue(kernel: &Kernel, tile: Tile, text: String) -> Result<Self, RunError> {
        let variant = kernel.variant(tile);
        let none = || RunError::NoTile { kernel: kernel.name, tile, tiles: kernel.tiles() };
        let variant = variant.ok_or_else(none)?;
        let source = Source { file: kernel.file(), text, defines: variant.defines() };
        let launch = LaunchSpec {
            entry: Some(kernel.name.to_owned()),
            block: variant.block,
            shared: variant.dynamic_shared,
            args: Some(kernel::ARGUMENTS.to_owned()),
            ..LaunchSpec::default()
        };
        Ok(Self { source, launch, variant: Some(variant) })
    }

    /// The kernel of a problem at its size; `None` if its source is not known.
    pub fn of_problem(problem: &Problem) -> Option<Self> {
        let source = problem.source.as_deref()?.clone();
        let launch = LaunchSpec {
            // Its name in the PTX is the compiler's, which may be another one, and has the types of
            // parameters that a change may change.
            entry: Some(kernel::instance_name(&problem.entry)),
            grid: Some(problem.launch.grid),
            block: problem.launch.block,
            shared: problem.shared,
            args: Some(problem.words.clone()),
            ..LaunchSpec::default()
        };
        Some(Self { source, launch, variant: None })
    }

    /// The kernel of a file, launched as its comment `// launch: --block 16,16` says. A source that
    /// leaves its macro `TILE` to the compiler gets `tile`, and without a comment a block with a
    /// thread for each element of a square tile.
    ///
    /// # Errors
    /// There is neither.
    pub fn of_file(file: &str, text: String, tile: u32) -> Result<Self, RunError> {
        let is_tiled = leaves_open(&text, TILE);
        let square = is_tiled.then_some(Dim3::flat(tile, tile));
        let square = square.filter(|block| block.volume() <= MAX_THREADS_PER_BLOCK.into());
        let source = Source { file: file.to_owned(), text, defines: tile_of(is_tiled, tile) };
        let text = &source.text;
        let launched = Launch::written(text);
        let launched = launched.map_err(|error| RunError::Source(error.render(text, file)))?;
        let launched = launched.clone().or(host(&source, launched.entry.as_deref()));
        let none = || RunError::NoBlock(file.to_owned());
        let block = launched.block.or(square).ok_or_else(none)?;
        // A grid that is written fits one size.
        let launch = Launch { grid: None, ..launched }.spec(block);
        Ok(Self { source, launch, variant: None })
    }

    /// The same with another text.
    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        Self { source: Source { text, ..self.source.clone() }, ..self.clone() }
    }

    /// Compiles it with matviz's own compiler, loops as they are written.
    ///
    /// # Errors
    /// What is wrong in the source, with its line and a caret.
    pub fn ready(&self) -> Result<Ready<'_>, RunError> {
        let is_instance = |entry: &&String| entry.contains('<');
        let instances: Vec<_> = self.launch.entry.iter().filter(is_instance).cloned().collect();
        let ptx = compiled(&self.source, &instances, true)?;
        let module = parsed(&ptx, &self.source.file)?;
        Ok(Ready { trial: self, ptx, module })
    }

    /// Compiles it and judges it at each size.
    ///
    /// # Errors
    /// What is wrong in the source, with its line; a launch that does not fit it.
    pub fn judge(&self, sizes: &[Size]) -> Result<Vec<Judged>, RunError> {
        let ready = self.ready()?;
        sizes.iter().map(|size| ready.judge(*size)).collect()
    }

    /// Compiles it and judges it at each size, also in other orders of the warps.
    ///
    /// # Errors
    /// As for [`Self::judge`].
    pub fn tried(&self, sizes: &[Size]) -> Result<Vec<Tried>, RunError> {
        let ready = self.ready()?;
        sizes.iter().map(|size| ready.tried(*size)).collect()
    }
}

impl Ready<'_> {
    /// The problem at a size.
    ///
    /// # Errors
    /// A launch that does not fit the kernel.
    pub fn problem(&self, size: Size) -> Result<Problem, RunError> {
        let Trial { source, launch, variant } = self.trial;
        let usual = host(source, launch.entry.as_deref()).complete(&source.text);
        let grid = variant
            .map(|variant| variant.launch(size).grid)
            .or(launch.grid)
            .or(usual.grid_at(size));
        let wanted = LaunchSpec { grid, source: Some(source.clone()), ..launch.clone() };
        launched(&self.module, self.ptx.clone(), size, wanted)
    }

    /// Simulates it at a size: see [`Judged::of`].
    ///
    /// # Errors
    /// A launch that does not fit the kernel, PTX that cannot be run.
    pub fn judge(&self, size: Size) -> Result<Judged, RunError> {
        Judged::of(&self.problem(size)?)
    }

    fn tried(&self, size: Size) -> Result<Tried, RunError> {
        let problem = self.problem(size)?;
        let judged = Judged::of(&problem)?;
        // Without a race, all orders give one C.
        let races = judged.kinds().contains("race");
        let spoilt = if races { Spoilt::of(&problem, ORDERS)? } else { Spoilt::default() };
        Ok(Tried { judged, spoilt })
    }
}

impl Judged {
    /// Simulates the whole grid with all checks, the warps taking turns.
    ///
    /// # Errors
    /// PTX that cannot be run.
    pub fn of(problem: &Problem) -> Result<Self, RunError> {
        let program = &program(problem)?;
        let block = Dim3::at(0, 0);
        let simulation = Simulation { block, ..Simulation::checked(problem, program, BUDGET) };
        let simulated = simulation.run(&WorkToken::default());
        let simulated = simulated.map_err(|fault| RunError::Fault(fault.to_string()))?;
        Ok(Self::new(&simulation, &simulated))
    }

    fn new(simulation: &Simulation, simulated: &Simulated) -> Self {
        let Simulation { problem, program, .. } = *simulation;
        let Simulated { counters, memory, findings, errors, costly, tolerance, .. } = simulated;
        // What is between two warps is easier to see than what is between two lanes of one.
        let mut findings: Vec<_> = findings.iter().flatten().collect();
        findings.sort_by_key(|finding| finding.is_within_a_warp());
        let rows = memory.iter().flat_map(|memory| {
            let names = Names { problem, program, memory };
            findings.iter().map(move |finding| names.row(finding))
        });
        let uncoalesced = costly.iter().any(|costly| costly.space == Space::Global);
        Self {
            size: problem.size,
            right: errors.is_some_and(|errors| errors.relative() <= *tolerance),
            wrong: errors.map(Errors::wrong).unwrap_or_default(),
            findings: rows.collect(),
            load_sectors: counters.ptx.global.loads.sectors,
            shared_passes: counters.ptx.shared.all().wavefronts,
            conflicts: counters.ptx.shared.all().conflicts,
            barriers: counters.ptx.barriers,
            coalesced: !uncoalesced,
        }
    }

    /// What is known about the wrong C of a problem, line by line; nothing if it is right.
    ///
    /// # Errors
    /// PTX that cannot be run.
    pub fn explained(problem: &Problem) -> Result<Vec<String>, RunError> {
        let program = &program(problem)?;
        let simulation = Simulation::checked(problem, program, BUDGET);
        let simulated = simulation.run(&WorkToken::default());
        let simulated = simulated.map_err(|fault| RunError::Fault(fault.to_string()))?;
        let wrong = simulated.errors.map(Errors::wrong).unwrap_or_default();
        let diagnosis = Diagnosis::of(&simulation, &simulated);
        let explained = diagnosis.map(|diagnosis| Explanation::new(problem, &diagnosis));
        Ok(explained.map_or_else(Vec::new, |explained| explained.lines(wrong.elements)))
    }

    /// Whether the checks find nothing.
    pub const fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    /// The kinds of findings: `race`, `barrier`, `memory`.
    pub fn kinds(&self) -> BTreeSet<&'static str> {
        self.findings.iter().map(|finding| finding.kind).collect()
    }

    /// The lines of the source that take part in findings.
    pub fn lines(&self) -> BTreeSet<u32> {
        let sides = self.findings.iter().flat_map(|finding| &finding.sides);
        sides.filter_map(|side| side.line).collect()
    }
}

impl Spoilt {
    /// Tries random orders of the warps of a block that races.
    ///
    /// # Errors
    /// PTX that cannot be run.
    pub fn of(problem: &Problem, orders: u64) -> Result<Self, RunError> {
        let token = &WorkToken::default();
        let counted = search(problem, &program(problem)?, orders, token).count();
        Ok(counted.map_or(Self::default(), |counted| Self {
            wrong: counted.wrong,
            orders: counted.tried,
        }))
    }

    /// What a search has counted.
    pub(super) const fn counted(orders: &Orders) -> Self {
        Self { wrong: orders.random_wrong, orders: orders.random_orders }
    }
}

/// What the host's code in a source says of a kernel's launch on matrices of the usual size, if it has
/// any.
fn host(source: &Source, entry: Option<&str>) -> Launch {
    let file = cudac::File::new(&source.text, |_| None).defining(&source.defines);
    let calls = host_launch::launches(&file, USUAL_SIZE);
    host_launch::wished(&calls, entry).map(host_launch::said).unwrap_or_default()
}

/// The PTX of a source, by matviz's own compiler.
pub(super) fn compiled(
    source: &Source,
    instances: &[String],
    rolled: bool,
) -> Result<String, RunError> {
    let Source { file, text, defines } = source;
    let options = Options { file, defines, headers: &[], instances, rolled };
    let compiled = cudac::compile(text, &options);
    compiled.map_or_else(
        |error| Err(RunError::Source(error.render(text, file))),
        |compiled| Ok(compiled.ptx),
    )
}

/// A module as it is read from PTX.
pub(super) fn parsed(ptx: &str, file: &str) -> Result<Module, RunError> {
    ptx::parse(ptx).map_err(|mut errors| RunError::Source(errors.swap_remove(0).render(ptx, file)))
}

/// The problem of a module at a size, launched so.
pub(super) fn launched(
    module: &Module,
    ptx: String,
    size: Size,
    wanted: LaunchSpec,
) -> Result<Problem, RunError> {
    let file = wanted.source.as_ref().map_or("kernel.ptx", |source| &source.file).to_owned();
    let problem = wanted.problem(module, ptx, size);
    problem.map_err(|error| RunError::Launch { file, told: error.to_string() })
}

/// The macro that a source may leave to the compiler.
fn tile_of(is_tiled: bool, tile: u32) -> Vec<String> {
    is_tiled.then(|| format!("{TILE}={tile}")).into_iter().collect()
}

pub(super) fn program(problem: &Problem) -> Result<Arc<Program>, RunError> {
    let program = problem.program();
    program.map_err(|error| RunError::Source(error.render(&problem.ptx, problem.name())))
}

/// A search of the orders of the warps of a block that races, so many of them random.
pub(super) fn search<'a>(
    problem: &'a Problem,
    program: &'a Arc<Program>,
    random: u64,
    token: &'a WorkToken,
) -> Search<'a> {
    Search { problem, program, block: None, random, budget: BUDGET, token }
}

/// The sizes that are named, none of them too large to simulate many times.
///
/// # Errors
/// A text that is not a size, a side above [`LARGEST`].
pub fn sizes<T: AsRef<str>>(texts: &[T]) -> Result<Vec<Size>, RunError> {
    let size = |text: &T| {
        let size: Size = text.as_ref().parse()?;
        let Size { m, n, k } = size;
        let most = LARGEST;
        if m.max(n).max(k) > most { Err(RunError::Large { size, most }) } else { Ok(size) }
    };
    texts.iter().map(size).collect()
}
