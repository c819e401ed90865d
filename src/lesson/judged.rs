//! A source of CUDA C, compiled and judged at several sizes: whether C is right, what the checks find,
//! and what it costs.

use crate::analysis::check::Finding;
use crate::compile::CompileJob;
use crate::kernel::{self, Kernel, Problem, Source, Tile, Variant};
use crate::launch::Dim3;
use crate::lesson::error::RunError;
use crate::matrix::Size;
use crate::matrix::judge::{Errors, Wrong};
use crate::own::launch::{StatedLaunch, TILE, leaves_open};
use crate::own::{self, CudaText, FileRequest, FileText, OpenError, Opened};
use crate::report::cause::Explanation;
use crate::report::finding::{Names, Row};
use crate::sim::Program;
use crate::study::cause::Diagnosis;
use crate::study::schedule::{Orders, Search};
use crate::study::simulation::{Simulated, Simulation};
use crate::work::WorkToken;
use ptx::Space;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The largest side of a matrix here: every one of many settings is simulated.
pub const LARGEST: u32 = 256;

/// Random orders of the warps that are tried.
pub const ORDERS: u64 = 100;

/// Instructions after which a block is aborted: fifty times what the course's kernels take.
pub(super) const BUDGET: u64 = 1_000_000;

/// A source to be tried, and how it is launched.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The source, with its macros.
    pub source: Source,
    /// What is stated of the launch; the file may state more.
    pub launch: StatedLaunch,
    /// The variant of the catalogue that has the grid for each size.
    pub variant: Option<Variant>,
}

/// A compiled source.
pub struct Ready<'t> {
    trial: &'t Trial,
    opened: Opened<'t>,
}

/// The run of a whole grid with all checks, by which lessons, dials, gaps and an edited file judge a
/// kernel.
pub(super) struct CheckedRun<'a> {
    pub simulation: Simulation<'a>,
    pub simulated: Simulated,
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
        let source =
            Source { file: kernel.file(), text, defines: variant.defines(), declared: None };
        let launch = StatedLaunch {
            entry: Some(kernel.name.to_owned()),
            block: Some(variant.block),
            shared: Some(variant.dynamic_shared),
            args: Some(kernel.arguments.to_owned()),
            ..StatedLaunch::default()
        };
        Ok(Self { source, launch, variant: Some(variant) })
    }

    /// The kernel of a problem at its size; `None` if its source is not known.
    pub fn of_problem(problem: &Problem) -> Option<Self> {
        let source = problem.source.as_deref()?.clone();
        let launch = StatedLaunch {
            size: Some(problem.size),
            // Its name in the PTX is the compiler's, which may be another one, and has the types of
            // parameters that a change may change.
            entry: Some(kernel::instance_name(&problem.entry)),
            grid: Some(problem.launch.grid),
            block: Some(problem.launch.block),
            shared: Some(problem.shared),
            args: Some(problem.words.clone()),
            ..StatedLaunch::default()
        };
        Some(Self { source, launch, variant: None })
    }

    /// The kernel of a file, launched as its comment `// launch: <<<,16x16>>>` says. A source that
    /// leaves its macro `TILE` to the compiler gets `tile`, and without a comment a block with a
    /// thread for each element of a square tile.
    ///
    /// # Errors
    /// There is neither.
    pub fn of_file(file: &str, text: String, tile: u32) -> Result<Self, RunError> {
        let tile = leaves_open(&text, TILE).then(|| format!("{TILE}={tile}"));
        let source = Source {
            file: file.to_owned(),
            text,
            defines: tile.into_iter().collect(),
            declared: None,
        };
        let mut launch = StatedLaunch::default();
        let block = request(&source, launch.clone(), true).block();
        let block = block.map_err(|why| RunError::unopened(why, &source))?;
        launch.block = Some(block.ok_or_else(|| RunError::NoBlock(file.to_owned()))?);
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
        let opened = opened(&self.source, self.launch.clone(), true)?;
        Ok(Ready { trial: self, opened })
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
        let Trial { source, variant, .. } = self.trial;
        let grid = variant.map(|variant| variant.launch(size).grid);
        self.opened.at(size, grid).map_err(|why| RunError::unopened(why, source))
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

impl<'a> CheckedRun<'a> {
    /// Runs the grid as a simulation says.
    pub(super) fn of(simulation: Simulation<'a>, token: &WorkToken) -> Result<Self, RunError> {
        let simulated = simulation.run(token);
        let simulated = simulated.map_err(|fault| RunError::Fault(fault.to_string()))?;
        Ok(Self { simulation, simulated })
    }

    /// What the checks found.
    pub(super) fn findings(&self) -> &[Finding] {
        self.simulated.findings.as_deref().unwrap_or_default()
    }

    /// The wrong elements of C; `None` if what it should be is not known.
    pub(super) fn wrong(&self) -> Option<Wrong> {
        self.simulated.errors.map(Errors::wrong)
    }

    /// What is known about a wrong C.
    pub(super) fn explained(&self) -> Option<Explanation> {
        let diagnosis = Diagnosis::of(&self.simulation, &self.simulated)?;
        Some(Explanation::new(self.simulation.problem, &diagnosis))
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
        let run = CheckedRun::of(simulation, &WorkToken::default())?;
        let Simulated { counters, memory, costly, .. } = &run.simulated;
        // What is between two warps is easier to see than what is between two lanes of one.
        let mut findings: Vec<_> = run.findings().iter().collect();
        findings.sort_by_key(|finding| finding.is_within_a_warp());
        let rows = memory.iter().flat_map(|memory| {
            let names = Names { problem, program, memory };
            findings.iter().map(move |finding| names.row(finding))
        });
        let uncoalesced = costly.iter().any(|costly| costly.space == Space::Global);
        Ok(Self {
            size: problem.size,
            right: run.simulated.is_right() == Some(true),
            wrong: run.wrong().unwrap_or_default(),
            findings: rows.collect(),
            load_sectors: counters.ptx.global.loads.sectors,
            shared_passes: counters.ptx.shared.all().wavefronts,
            conflicts: counters.ptx.shared.all().conflicts,
            barriers: counters.ptx.barriers,
            coalesced: !uncoalesced,
        })
    }

    /// What is known about the wrong C of a problem, line by line; nothing if it is right.
    ///
    /// # Errors
    /// PTX that cannot be run.
    pub fn explained(problem: &Problem) -> Result<Vec<String>, RunError> {
        let program = &program(problem)?;
        let simulation = Simulation::checked(problem, program, BUDGET);
        let run = CheckedRun::of(simulation, &WorkToken::default())?;
        let wrong = run.wrong().unwrap_or_default();
        let explained = run.explained();
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

/// Opens a source without a file, with matviz's own compiler.
pub(super) fn opened(
    source: &Source,
    launch: StatedLaunch,
    rolled: bool,
) -> Result<Opened<'_>, RunError> {
    own::open(request(source, launch, rolled)).map_err(|why| RunError::unopened(why, source))
}

fn request(source: &Source, launch: StatedLaunch, rolled: bool) -> FileRequest<'static> {
    let (arch, include) = (None, Vec::new());
    let cuda = CudaText { source: source.clone(), arch, include, compile: &compiled };
    FileRequest { to_measure: !rolled, ..FileRequest::of_text(FileText::Cuda(cuda), launch) }
}

fn compiled(job: &CompileJob) -> Result<String, OpenError> {
    job.own().map_err(OpenError::Source)
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
