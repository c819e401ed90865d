//! The arguments that choose a problem: kernel, size, tile, block, order.

use super::BadUse;
use crate::gpu::client::{Client, Launcher, PATIENCE};
use crate::gpu::compile::MAX_TILE;
use crate::gpu::protocol::{Answer, Request};
use crate::kernel::{self, EMBEDDED_TILES, KERNELS, Kernel, Problem};
use crate::launch::Dim3;
use crate::matrix::{SEED, Size};
use crate::sim::{Order, Program};
use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Size, tile, order, PTX.
#[derive(Clone, Debug, clap::Args)]
#[group(id = "problem")]
pub struct Args {
    /// Side of the tiles and of the blocks of threads, 1 to 32
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = tile)]
    pub tile: u32,
    /// Size of the matrices, N or MxNxK
    #[arg(long, value_name = "SIZE", default_value = "1024")]
    pub size: Size,
    /// Order in which the warps are simulated: round-robin, to-barrier, random or random:SEED
    #[arg(long, value_name = "ORDER", default_value = "round-robin", value_parser = order)]
    pub order: Order,
    /// Take the kernel's PTX from FILE, as another compiler makes it of the same source
    #[arg(long, value_name = "FILE")]
    pub ptx: Option<PathBuf>,
}

impl Args {
    /// The problem for `kernel`, its PTX read, embedded or compiled now.
    ///
    /// # Errors
    /// A file that cannot be read; a tile size that is not embedded, and no NVRTC to compile it.
    pub fn problem(&self, kernel: &'static Kernel) -> anyhow::Result<Problem> {
        let ptx = match (&self.ptx, kernel.embedded(self.tile)) {
            (Some(file), _) => Cow::Owned(read(file)?),
            (None, Some(ptx)) => Cow::Borrowed(ptx),
            (None, None) => Cow::Owned(compile(kernel, self.tile)?),
        };
        Ok(Problem { kernel, size: self.size, tile: self.tile, seed: SEED, ptx })
    }

    /// A problem's program.
    ///
    /// # Errors
    /// The first thing in its PTX that is wrong or not supported, with its line.
    pub fn program(&self, problem: &Problem) -> Result<Arc<Program>, BadUse> {
        let embedded = format!("{}.ptx", problem.kernel.name);
        let file = self.ptx.as_ref().map_or(embedded, |file| file.display().to_string());
        problem.program().map_err(|error| BadUse(error.render(&problem.ptx, &file)))
    }
}

fn read(file: &Path) -> Result<String, BadUse> {
    let text = fs::read(file).map_err(|error| BadUse(format!("{}: {error}", file.display())))?;
    let no_text = |_| BadUse(format!("{} is not PTX: it is not even text", file.display()));
    String::from_utf8(text).map_err(no_text)
}

/// NVRTC maps 100 MB and can crash: it runs in the worker.
fn compile(kernel: &Kernel, tile: u32) -> anyhow::Result<String> {
    let request = Request::Compile { kernel: kernel.name.to_owned(), tile };
    match Client::new(Launcher::default(), PATIENCE).ask(&request, |_| ()) {
        Ok(Answer::Ptx { ptx }) => Ok(ptx),
        Ok(other) => anyhow::bail!("the worker answered {other:?}"),
        Err(error) => {
            let embedded = EMBEDDED_TILES.map(|tile| tile.to_string()).join(", ");
            let text = format!("--tile {tile} must be compiled (embedded: {embedded}): {error}");
            Err(BadUse(text).into())
        }
    }
}

/// A tile size.
///
/// # Errors
/// Anything but a number from 1 to 32: a block has at most 1,024 threads.
pub fn tile(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|tile| (1..=MAX_TILE).contains(tile));
    number.ok_or_else(|| format!("give a number from 1 to {MAX_TILE}"))
}

/// A kernel by its name.
///
/// # Errors
/// No such kernel; the text names those that there are.
pub fn kernel(name: &str) -> Result<&'static Kernel, String> {
    kernel::find(name).ok_or_else(|| {
        let names: Vec<_> = KERNELS.iter().map(|kernel| kernel.name).collect();
        format!("there is no such kernel, only {}", names.join(", "))
    })
}

/// A block's place in the grid, `X,Y`.
///
/// # Errors
/// Anything but two numbers.
pub fn block(text: &str) -> Result<Dim3, String> {
    let parts = text.split_once(',').and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)));
    parts.map(|(x, y)| Dim3::at(x, y)).ok_or_else(|| "give X,Y, for example 1,2".to_owned())
}

/// `block`, if it lies in the problem's grid; without one, a block in the middle.
///
/// # Errors
/// A block outside the grid.
pub fn block_of(problem: &Problem, block: Option<Dim3>) -> Result<Dim3, BadUse> {
    let grid = problem.launch().grid;
    match block {
        None => Ok(Dim3::at(grid.x / 2, grid.y / 2)),
        Some(block) if grid.contains(block) => Ok(block),
        Some(block) => Err(BadUse(format!(
            "block {},{} is outside the grid of {} x {} blocks (0,0 to {},{})",
            block.x,
            block.y,
            grid.x,
            grid.y,
            grid.x - 1,
            grid.y - 1,
        ))),
    }
}

fn order(text: &str) -> Result<Order, String> {
    match text.split_once(':').unwrap_or((text, "")) {
        ("round-robin", "") => Ok(Order::RoundRobin),
        ("to-barrier", "") => Ok(Order::ToBarrier),
        ("random", "") => Ok(Order::Random(1)),
        ("random", seed) => {
            let seed = seed.parse().ok().ok_or("the seed must be a number")?;
            Ok(Order::Random(seed))
        }
        _ => Err("give round-robin, to-barrier, random or random:SEED".to_owned()),
    }
}
