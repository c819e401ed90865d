//! The arguments that choose a problem: kernel, size, tile, block, order.

use super::names::{NameParser, meant};
use super::target::KernelTarget;
use super::working::Working;
use super::{BadUse, user_kernel};
use crate::gpu::available_memory;
use crate::gpu::client::{Client, Launcher, PATIENCE};
use crate::kernel::{self, KERNELS, Kernel, MAX_TILE, Problem, Tile, Variant};
use crate::launch::Dim3;
use crate::matrix::{SEED, SMALL, Size};
use crate::own::launch::USUAL_SIZE;
use crate::sim::{Order, ParseOrderError, Program};
use crate::timing::GpuError;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// The size of a kernel of the catalogue if nobody gives one: that of a measurement.
const CATALOGUE_SIZE: Size = Size::square(1024);

/// The default kernel.
const USUAL: &str = "tiled";

/// Size, tile, order, and a kernel from a file.
#[derive(Clone, Debug, clap::Args)]
#[group(id = "problem")]
pub struct Args {
    /// Tile of C per block: N (1 to 32) or MxNxK [default: 16, or by the size]
    ///
    /// K is the step along k: 128x128x16.
    #[arg(long, value_name = "TILE", value_parser = TILE, hide_possible_values = true)]
    pub tile: Option<Tile>,
    /// Do not unroll the loop over k, so that PTX and SASS correspond one to one
    #[arg(long, hide_short_help = true)]
    pub no_unroll: bool,
    /// Size of the matrices: N or MxNxK [default: 1024; 64 for a kernel of your own]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Size>,
    /// Values of A and B: `random`, between -1 and 1, or `small`, whole numbers from 0 to 9
    #[arg(long, value_name = "FILL", value_parser = FILL, hide_possible_values = true,
          hide_short_help = true)]
    pub fill: Option<u64>,
    /// Order in which the warps issue [default: by-phase where steps are watched, round-robin where a
    /// grid is counted]
    #[arg(long, value_name = "ORDER", value_parser = ORDER, hide_possible_values = true,
          hide_short_help = true, long_help = Order::HELP)]
    pub order: Option<Order>,
    /// The file, and how a kernel of one's own is launched.
    #[command(flatten)]
    pub foreign: user_kernel::Args,
}

impl Args {
    /// These arguments for what is named: a kernel, or a file whose kernel they launch.
    ///
    /// # Errors
    /// An option that a kernel of one's own does not have.
    pub fn of(
        &self,
        target: Option<KernelTarget>,
    ) -> Result<(Self, Option<&'static Kernel>), BadUse> {
        let (kernel, file) = target.map_or((None, None), KernelTarget::apart);
        if file.is_some() {
            let given = [(self.tile.is_some(), "--tile"), (self.no_unroll, "--no-unroll")];
            if let Some((_, option)) = given.into_iter().find(|(given, _)| *given) {
                let told = "is for kernels of the catalogue; a macro of your own is given by -D NAME=VALUE";
                return Err(BadUse(format!("{option} {told}")));
            }
        }
        let foreign = self.foreign.of(file);
        Ok((Self { foreign, ..self.clone() }, kernel))
    }

    /// The problem for `kernel`, with its PTX embedded, or compiled now. Without
    /// a kernel, the problem for the user's file if one is given, otherwise for the default kernel.
    ///
    /// # Errors
    /// A file that cannot be read; a tile size that is not embedded, of a kernel that neither
    /// NVRTC nor matviz compiles; an
    /// invalid launch of a user's kernel.
    pub fn problem(&self, kernel: Option<&'static Kernel>) -> anyhow::Result<Problem> {
        let problem = self.filled_as_usual(kernel)?;
        self.filled(problem)
    }

    /// The problem with the values of A and B that are asked for.
    ///
    /// # Errors
    /// It has no A and B.
    pub fn filled(&self, problem: Problem) -> anyhow::Result<Problem> {
        if self.fill.is_some() && problem.operands.is_empty() {
            let told = "--fill is for A and B, which this kernel has not: in --launch, `=random` after a \
                        buffer fills it";
            return Err(BadUse(told.to_owned()).into());
        }
        let seed = self.fill.unwrap_or(problem.seed);
        Ok(Problem { seed, ..problem })
    }

    fn filled_as_usual(&self, kernel: Option<&'static Kernel>) -> anyhow::Result<Problem> {
        if kernel.is_none() && self.foreign.is_given() {
            return self.foreign.problem(self.size, false);
        }
        let kernel = kernel.or_else(|| kernel::find(USUAL)).unwrap_or(&KERNELS[0]);
        self.foreign.refuse(kernel.name)?;
        let variant = self.variant(kernel)?;
        let embedded = if self.no_unroll { variant.rolled } else { variant.ptx };
        let ptx = match embedded {
            Some(ptx) => Cow::Borrowed(ptx),
            None => Cow::Owned(compile(kernel, &variant, self.no_unroll)?),
        };
        Ok(Problem::of(kernel, variant, self.size(), ptx))
    }

    /// The size of the matrices.
    pub fn size(&self) -> Size {
        let usual = if self.foreign.is_given() { USUAL_SIZE } else { CATALOGUE_SIZE };
        self.size.unwrap_or(usual)
    }

    /// The variant of a kernel for these arguments.
    fn variant(&self, kernel: &Kernel) -> Result<Variant, BadUse> {
        let Some(tile) = self.tile else { return Ok(kernel.variant_for(self.size())) };
        let none = || {
            let (name, tiles, tile) = (kernel.name, kernel.tiles(), tile.to_string());
            let meant = meant(&tile, tiles.split(", "));
            BadUse(format!("{name} has no tile {tile}: give {tiles}{meant}"))
        };
        kernel.variant(tile).ok_or_else(none)
    }

    /// Refuses values of A and B for a kernel whose steps are the same whatever they are: one of the
    /// catalogue.
    ///
    /// # Errors
    /// `--fill` is given for such a kernel.
    pub fn refuse_fill(&self, problem: &Problem) -> Result<(), BadUse> {
        if self.fill.is_none() || problem.catalogue().is_none() {
            return Ok(());
        }
        let told = "--fill: this shows no values, and what a kernel of the catalogue does depends on \
                    none; leave it out";
        Err(BadUse(told.to_owned()))
    }

    /// The program of a problem.
    ///
    /// # Errors
    /// The first error or unsupported instruction in its PTX, with its line.
    pub fn program(&self, problem: &Problem) -> Result<Arc<Program>, BadUse> {
        let file = self.foreign.ptx_name().unwrap_or_else(|| format!("{}.ptx", problem.name()));
        let program = problem.program();
        let program = program.map_err(|error| BadUse(error.render(&problem.ptx, &file)))?;
        if let Some(order) = &self.order {
            let blocks = u32::try_from(program.blocks_together()).unwrap_or(u32::MAX);
            let warps = problem.launch.warps().saturating_mul(blocks);
            let fits = order.fits(&program, warps);
            fits.map_err(|why| BadUse(format!("--order {order}: {why}")))?;
        }
        Ok(program)
    }

    /// The order in which a run that is watched step by step issues: one in which warps are seen to
    /// wait.
    pub fn order_to_watch(&self) -> Order {
        self.order.clone().unwrap_or(Order::ByPhase)
    }

    /// The order in which a whole grid that is only counted issues: the quickest.
    pub fn order_to_count(&self) -> Order {
        self.order.clone().unwrap_or_default()
    }
}

/// Checks that whole matrices fit into this machine's memory, before anything is computed.
///
/// # Errors
/// They do not; the error says how much they need.
pub fn fits(problem: &Problem) -> Result<(), BadUse> {
    let (needed, free) = (problem.dense_bytes(), available_memory());
    let given = || Vec::<u8>::new().try_reserve_exact(needed as usize).is_ok();
    if needed <= free && given() {
        return Ok(());
    }
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
    let has = if free < needed {
        format!("{} are free", gib(free))
    } else {
        "the system refuses".to_owned()
    };
    let (what, less) = match problem.operands {
        [] => ("the buffers".to_owned(), "smaller ones in --launch"),
        _ => (format!("A, B and C of size {}", problem.size), "a smaller --size"),
    };
    Err(BadUse(format!(
        "{what} need {} of memory, and {has}: give {less} (only `matviz check --only counts` needs \
         no memory for them)",
        gib(needed),
    )))
}

/// Compiles in the worker, since NVRTC maps 100 MB and can crash; without NVRTC, with matviz's own
/// compiler, if the kernel is in its subset.
fn compile(kernel: &Kernel, variant: &Variant, rolled: bool) -> Result<String, BadUse> {
    let tile = variant.tile;
    let _working = Working::on(format!("compiling {} for tile {tile}", kernel.name));
    match Client::new(Launcher::default(), PATIENCE).compile(kernel, tile, rolled) {
        Err(missing @ GpuError::NoNvrtc { .. }) => kernel.compile(variant, rolled).ok_or(missing),
        compiled => compiled,
    }
    .map_err(|error| BadUse(must_be_compiled(kernel, tile, rolled, &error)))
}

fn must_be_compiled(kernel: &Kernel, tile: Tile, rolled: bool, error: &GpuError) -> String {
    let has = |other: &&Variant| if rolled { other.rolled } else { other.ptx }.is_some();
    let embedded = kernel.variants.iter().filter(has).map(|other| other.tile.to_string());
    let embedded = embedded.collect::<Vec<_>>().join(", ");
    match (rolled, embedded.as_str()) {
        (true, "") => format!(
            "{} has no embedded form with rolled loops, and --no-unroll must be compiled: {error}",
            kernel.name
        ),
        (true, _) => {
            format!("--no-unroll with tile {tile} must be compiled (embedded: {embedded}): {error}")
        }
        (false, _) => format!("--tile {tile} must be compiled (embedded: {embedded}): {error}"),
    }
}

/// Parses a tile; whether a kernel has it is checked later.
///
/// # Errors
/// The text is neither a number from 1 to 32 (a block has at most 1,024 threads) nor three sides.
pub fn tile(text: &str) -> Result<Tile, BadUse> {
    let fits = |tile: &Tile| tile.side().is_some() || text.contains('x');
    let given = text.parse().ok().filter(fits);
    given.ok_or_else(|| {
        let example = "for example 128x128x16";
        BadUse(format!("give a number from 1 to {MAX_TILE}, or MxNxK, {example}"))
    })
}

/// The tiles of the catalogue's kernels.
static TILES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut tiles: Vec<_> =
        kernel::all().flat_map(|kernel| kernel.variants).map(|variant| variant.tile).collect();
    tiles.sort_unstable_by_key(|tile| (tile.side(), tile.order()));
    tiles.dedup();
    tiles.iter().map(Tile::to_string).collect()
});

/// Reads a tile; whether a kernel has it is checked later.
pub(super) const TILE: NameParser<Tile> =
    NameParser { of: || TILES.iter().map(|tile| (tile.as_str(), "")).collect(), parse: tile };

const FILL: NameParser<u64> = NameParser {
    of: || vec![("random", "between -1 and 1"), ("small", "whole numbers from 0 to 9")],
    parse: |name| match name {
        "random" => Ok(SEED),
        "small" => Ok(SMALL),
        _ => Err(BadUse("give random or small".to_owned())),
    },
};

const ORDER: NameParser<Order> = NameParser {
    of: || Order::NAMES.iter().map(|name| (*name, "")).collect(),
    parse: |text| text.parse().map_err(|error: ParseOrderError| BadUse::of(error)),
};

/// Returns `block`, if it lies in the problem's grid; without one, a block in the middle.
///
/// # Errors
/// A block outside the grid.
pub fn block_of(problem: &Problem, block: Option<Dim3>) -> Result<Dim3, BadUse> {
    let grid = problem.launch.grid;
    match block {
        None => Ok(grid.middle()),
        Some(block) if grid.contains(block) => Ok(block),
        Some(block) => {
            let last = Dim3::new(grid.x - 1, grid.y - 1, grid.z - 1);
            let deep = if block.z > 0 { block } else { grid };
            let spelt = |place: Dim3| place.place_in(deep);
            Err(BadUse(format!(
                "block {} is outside the grid of {} blocks ({} to {})",
                spelt(block),
                spelt(grid).replace(',', " x "),
                spelt(Dim3::at(0, 0)),
                spelt(last),
            )))
        }
    }
}
