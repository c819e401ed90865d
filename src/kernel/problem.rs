//! A kernel with a size, a launch and its PTX: what both the simulator and the GPU run.

use super::args;
use super::assumption::Assumptions;
use super::buffer::Buffer;
use super::call::{Arg, Call};
use super::compiled_by::{compiled_by, is_to_look_at};
use super::definition::Kernel;
use super::entry;
use super::hash::sha256;
use super::shared_tile::SharedTile;
use super::tile::Tile;
use super::variant::Variant;
use crate::launch::{Dim3, Launch};
use crate::matrix::{ElementType, Gemm, Layout, Operand, SEED, SMALL, Size};
use crate::sim::{Pc, Program};
use ptx::SourceFile;
use serde::Serialize;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The tile and the size of a product whose numbers all fit a screen.
const SMALL_TILE: u32 = 4;
const SMALL_SIZE: u32 = 8;

/// One run of one kernel, not yet executed.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The entry point's name in the PTX.
    pub entry: String,
    /// The sizes of A, B and C.
    pub size: Size,
    /// The seed from which A and B are filled, and C if its old value contributes to the result;
    /// otherwise C holds zeros.
    pub seed: u64,
    /// The module that both the simulator and the GPU load.
    pub ptx: Cow<'static, str>,
    pub launch: Launch,
    /// The size of clusters in blocks, if the launch gives one.
    pub cluster: Option<Dim3>,
    /// Bytes of dynamic shared memory for each block.
    pub shared: u32,
    /// The arguments as words, in the format of `--launch`.
    pub words: String,
    /// The arguments, one for each parameter.
    pub args: Vec<Arg>,
    /// The matrices among its buffers, which are the first: all three or none.
    pub operands: &'static [Operand],
    /// The other buffers, in the order of their numbers.
    pub buffers: Vec<Buffer>,
    /// The products that it computes beside one another, if it computes several.
    pub batch: Option<Batch>,
    /// What the host or earlier kernels have left in the module's variables: name, first byte, bytes.
    pub symbols: Vec<(String, u64, Arc<[u8]>)>,
    /// The operation that determines C.
    pub gemm: Gemm,
    /// How A, B and C lie in memory.
    pub layouts: [Layout; 3],
    /// Whether the host has zeroed C, so that the kernel may read it.
    pub zeroed: bool,
    /// The relative error that its instructions cause, beyond that of sums in the types of its
    /// elements.
    pub rounding: f64,
    /// What it is to compute.
    pub goal: Goal,
    /// The source of the PTX, if known.
    pub source: Option<Arc<Source>>,
    /// Whether that is a header of the file that the user gave: its lines are named with it.
    pub in_header: bool,
    /// The other files that contain its code, by the numbers of their `.file` directives.
    pub others: Vec<(u32, Source)>,
    /// Source files that could not be read, each with the reason.
    pub unseen: Vec<String>,
    /// Functions, by their names in the source, whose calls change nothing that is simulated and
    /// are left out.
    pub left_out: Vec<&'static str>,
    /// What of its launch nobody states.
    pub assumed: Assumptions,
    /// If its arguments were inferred: those that launch it on buffers of its own.
    pub otherwise: Option<String>,
    /// The tiles of A and B that it is known to keep in shared memory.
    pub shared_tiles: Cow<'static, [SharedTile]>,
    /// What else only the catalogue knows.
    pub known: Option<CatalogueEntry>,
}

/// Products of one launch: blocks along z compute one each, and they lie one after another, perhaps
/// with gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    pub count: u32,
    /// The size of each.
    pub size: Size,
    /// The numbers of the buffers that hold all A, all B and all C.
    pub buffers: [usize; 3],
    /// The elements from one A, B and C to the next.
    pub strides: [u64; 3],
}

/// The row of the catalogue that tells how a kernel divides its work.
#[derive(Clone, Copy, Debug)]
pub struct CatalogueEntry {
    pub kernel: &'static Kernel,
    /// How it is compiled and launched.
    pub variant: Variant,
    /// Whether its source is another one than the row's, with the same division of work.
    pub is_changed: bool,
}

/// What a kernel is to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// C = A x B, or alpha A B + beta C: C is judged.
    #[default]
    Product,
    /// Anything: nothing is judged.
    Any,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Its name, without directories.
    pub file: String,
    pub text: String,
    /// The macros with which it was compiled, as `NAME=VALUE`.
    pub defines: Vec<String>,
    /// The parameters and the shared arrays of its kernel as C declares them, where it is not C.
    pub declared: Option<String>,
}

impl Source {
    /// The column at which the code of a line begins, from 1.
    pub fn column(&self, line: u32) -> Option<u32> {
        let text = self.text.lines().nth(line.checked_sub(1)? as usize)?;
        Some(text.chars().take_while(|letter| letter.is_whitespace()).count() as u32 + 1)
    }

    /// The text in which parameters and arrays are declared in C.
    pub fn declarations(&self) -> &str {
        self.declared.as_deref().unwrap_or(&self.text)
    }
}

impl Problem {
    /// Makes the problem of a kernel of the catalogue, with the PTX of this variant.
    pub fn of(
        kernel: &'static Kernel,
        variant: impl Into<Variant>,
        size: Size,
        ptx: Cow<'static, str>,
    ) -> Self {
        let variant = variant.into();
        let layouts = kernel.layouts(size);
        let (file, text) = (kernel.file(), kernel.source.to_owned());
        Self {
            entry: kernel.name.to_owned(),
            size,
            seed: SEED,
            ptx,
            launch: variant.launch(size),
            cluster: None,
            shared: variant.dynamic_shared,
            words: kernel.arguments.to_owned(),
            args: args::of_catalogue(kernel.arguments, size, &layouts),
            operands: &Operand::ALL,
            buffers: Vec::new(),
            batch: None,
            symbols: Vec::new(),
            gemm: Gemm::default(),
            layouts,
            zeroed: false,
            rounding: 0.0,
            goal: Goal::Product,
            source: Some(Arc::new(Source {
                file,
                text,
                defines: variant.defines(),
                ..Source::default()
            })),
            in_header: false,
            others: Vec::new(),
            unseen: Vec::new(),
            left_out: Vec::new(),
            assumed: Assumptions::default(),
            otherwise: None,
            shared_tiles: Cow::Borrowed(kernel.shared),
            known: Some(CatalogueEntry { kernel, variant, is_changed: false }),
        }
    }

    /// The same for matrices of another size, if it is known how it divides its work.
    pub(super) fn resized(&self, size: Size) -> Option<Self> {
        let known = self.known?;
        Some(Self {
            seed: self.seed,
            source: self.source.clone(),
            shared_tiles: self.shared_tiles.clone(),
            known: self.known,
            ..Self::of(known.kernel, known.variant, size, self.ptx.clone())
        })
    }

    /// Returns the same problem with another tile, if there is PTX for it: the embedded one, with
    /// the loop over k unrolled or not, as here. PTX from a file is for its own tile alone.
    pub fn with_tile(&self, tile: Tile) -> Option<Self> {
        let (kernel, own) = self.catalogue().zip(self.tile())?;
        if tile == own {
            return Some(self.clone());
        }
        let (own, other) = kernel.variant(own).zip(kernel.variant(tile))?;
        let is_this = |ptx: Option<&str>| ptx == Some(&*self.ptx);
        let usual = own.ptx.is_none() || is_this(own.ptx);
        let ptx = if is_this(own.rolled) { other.rolled } else { other.ptx.filter(|_| usual) };
        Some(Self { seed: self.seed, ..Self::of(kernel, other, self.size, ptx?.into()) })
    }

    /// The same kernel with a product of digits that all fit a screen, if it has a tile that is small
    /// enough.
    pub fn shrunk(&self) -> Option<Self> {
        let kernel = self.catalogue()?;
        let variant = kernel.variant(Tile::square(SMALL_TILE))?;
        let ptx = match variant.ptx {
            Some(ptx) => ptx.into(),
            None => kernel.compile(&variant, false)?.into(),
        };
        let small = Self::of(kernel, variant, Size::square(SMALL_SIZE), ptx);
        Some(Self { seed: SMALL, ..small })
    }

    /// The tiles with which the kernel can be run, from the smallest: see [`Self::with_tile`].
    pub fn tiles(&self) -> Vec<Tile> {
        let variants = self.catalogue().map_or(&[][..], |kernel| kernel.variants);
        let tiles = variants.iter().map(|variant| variant.tile);
        let others = tiles.filter(|tile| self.with_tile(*tile).is_some());
        let mut tiles: Vec<_> = self.tile().into_iter().chain(others).collect();
        tiles.sort_by_key(|tile| tile.order());
        tiles.dedup();
        tiles
    }

    /// The kernel's name in its source.
    pub fn name(&self) -> &str {
        entry::source_name(&self.entry)
    }

    /// Its name with the shape of its blocks or, where a thread computes several elements of C, of
    /// its tiles: `tiled 16x16`, `blocked_2d 128x128x16`.
    pub fn label(&self) -> String {
        if let Some(tile) = self.tile().filter(|tile| tile.side().is_none()) {
            return format!("{} {tile}", self.name());
        }
        let Dim3 { x, y, z } = self.launch.block;
        let depth = if z == 1 { String::new() } else { format!("x{z}") };
        format!("{} {x}x{y}{depth}", self.name())
    }

    /// The kernel's row in the catalogue, if its source is the row's.
    pub fn catalogue(&self) -> Option<&'static Kernel> {
        self.known.filter(|known| !known.is_changed).map(|known| known.kernel)
    }

    /// The part of C that a block computes, and its step along k, if that is known.
    pub fn tile(&self) -> Option<Tile> {
        self.known.map(|known| known.variant.tile)
    }

    /// Whether it is a kernel of the catalogue with the PTX that is committed.
    pub fn is_committed(&self) -> bool {
        let variant = self.known.filter(|known| !known.is_changed).map(|known| known.variant);
        let committed = variant.into_iter().flat_map(|variant| [variant.ptx, variant.rolled]);
        committed.flatten().any(|ptx| ptx == self.ptx)
    }

    /// Who compiled its PTX, if that is not committed.
    pub fn compiled_by(&self) -> Option<String> {
        compiled_by(&self.ptx).filter(|_| !self.is_committed())
    }

    /// The tile under which its times are recorded and ranked: that of a kernel of the catalogue
    /// whose source is not changed and that matviz has not compiled only to be looked at.
    pub fn timed_tile(&self) -> Option<Tile> {
        self.catalogue().filter(|_| !is_to_look_at(&self.ptx)).and(self.tile())
    }

    /// The file that contains an instruction's line; `None` if that is missing.
    pub fn source_of(&self, program: &Program, pc: Pc) -> Option<&Source> {
        if program.other_file(pc).is_none() {
            return self.source.as_deref();
        }
        let (_, source) =
            self.others.iter().find(|(number, _)| *number == program.inst(pc).file)?;
        Some(source)
    }

    /// The name of the file in which an instruction's line stands, if that is not the file that the
    /// user gave.
    pub fn other_file<'p>(&'p self, program: &'p Program, pc: Pc) -> Option<&'p str> {
        let own = || self.source.as_ref().filter(|_| self.in_header).map(|source| &*source.file);
        program.other_file(pc).map(SourceFile::name).or_else(own)
    }

    /// Whether C is to be the product, so that it can be judged.
    pub fn is_product(&self) -> bool {
        self.goal == Goal::Product
    }

    /// Whether it computes a product of A, B and C alone, as the rows of a bench do.
    pub fn is_measurable(&self) -> bool {
        self.is_product() && self.buffers.is_empty()
    }

    /// How a matrix lies in memory.
    pub const fn layout(&self, operand: Operand) -> Layout {
        self.layouts[operand as usize]
    }

    /// The type of the elements of a matrix.
    pub fn element_type(&self, operand: Operand) -> ElementType {
        self.layout(operand).of
    }

    /// The complete launch for the GPU.
    pub fn call(&self) -> Call {
        Call {
            entry: self.entry.clone(),
            ptx: self.ptx.to_string(),
            launch: self.launch,
            shared: self.shared,
            cluster: self.cluster,
            args: self.args.clone(),
        }
    }

    /// The multiply-adds by which the threads of `block` compute one tile's worth of k; if its tiles
    /// are not known, sixteen by every thread.
    pub fn fma_per_tile(&self, block: Dim3) -> u32 {
        let Some(CatalogueEntry { kernel, variant: Variant { tile, .. }, .. }) = self.known else {
            return self.launch.threads() * UNTILED_ROUND;
        };
        if kernel.pads {
            return tile.multiply_adds();
        }
        let inside = |size: u32, at: u32, side: u32| size.saturating_sub(at * side).min(side);
        inside(self.size.m, block.y, tile.m) * inside(self.size.n, block.x, tile.n) * tile.k
    }

    /// The multiply-adds of `block` for one step along k, counting those with zeros beyond the end
    /// of K: K steps are its whole run.
    pub fn fma_per_k(&self, block: Dim3) -> f64 {
        let per_tile = f64::from(self.fma_per_tile(block));
        let Some(tile) = self.tile() else { return per_tile };
        let padded = self.known.is_some_and(|known| known.kernel.pads);
        let k = if padded { self.size.k.next_multiple_of(tile.k) } else { self.size.k };
        per_tile * f64::from(k) / f64::from(tile.k * self.size.k)
    }

    /// How many of the first `fma` multiply-adds of `block` are with elements of A and B: a kernel
    /// that pads its tiles also multiplies zeros beyond the edges.
    pub fn fma_inside(&self, block: Dim3, fma: u64) -> u64 {
        let padded = self.known.is_some_and(|known| known.kernel.pads);
        match self.tile().zip(self.part(block)) {
            Some((tile, (rows, columns))) if padded => {
                let done = (fma as f64 / f64::from(tile.m * tile.n)).min(f64::from(self.size.k));
                (done * rows.len() as f64 * columns.len() as f64) as u64
            }
            _ => fma,
        }
    }

    /// The number of tiles along k, if the kernel is known to work in tiles.
    pub fn k_tiles(&self) -> Option<u32> {
        self.tile().map(|tile| self.size.k.div_ceil(tile.k))
    }

    /// Whether it is known that all blocks do the same, each with as many whole tiles of C.
    pub fn is_even(&self) -> bool {
        self.known.is_some_and(|known| known.variant.is_even(self.size))
    }

    /// The rows and columns of C that a block computes, if known; of several tiles, the first.
    pub fn part(&self, block: Dim3) -> Option<(Range<u32>, Range<u32>)> {
        let Tile { m, n, .. } = self.tile()?;
        let (down, across) = self.tile_of(block)?;
        let span = |at: u32, side: u32, end: u32| (at * side).min(end)..((at + 1) * side).min(end);
        Some((span(down, m, self.size.m), span(across, n, self.size.n)))
    }

    /// The tile of C that a block computes, as (row, column) of tiles, if known; of several, the first.
    pub fn tile_of(&self, block: Dim3) -> Option<(u32, u32)> {
        self.known.map(|known| known.variant.tile_of(block, self.size))
    }

    /// The block that computes an element of C, if known.
    pub fn block_of(&self, row: u32, column: u32) -> Option<Dim3> {
        let variant = self.known?.variant;
        let place = (row / variant.tile.m, column / variant.tile.n);
        Some(variant.block_of(place, self.size))
    }

    /// SHA-256 of the PTX, in hexadecimal: proof that the simulator and the GPU loaded the same
    /// text.
    pub fn ptx_sha256(&self) -> String {
        sha256(self.ptx.as_bytes())
    }
}

/// Multiply-adds of every thread that make up one step of a kernel whose tiles are not known.
pub const UNTILED_ROUND: u32 = 16;

impl Kernel {
    /// The problem of this kernel for matrices of this size, in its default variant for them.
    pub fn problem_for(&'static self, size: Size) -> Problem {
        let variant = self.variant_for(size);
        Problem::of(self, variant, size, variant.ptx.unwrap_or_default().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;

    fn problem(name: &str, tile: &str, ptx: Option<&'static str>) -> Problem {
        let kernel = find(name).expect("a kernel");
        let variant = kernel.variant(tile.parse::<Tile>().expect("a tile")).expect("it has it");
        let ptx = ptx.or(variant.ptx).expect("its PTX");
        Problem { seed: 7, ..Problem::of(kernel, variant, Size::square(64), ptx.into()) }
    }

    fn tiles(problem: &Problem) -> String {
        problem.tiles().iter().map(Tile::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn another_tile_keeps_everything_else() {
        let tiled = problem("tiled", "16", None);
        assert_eq!(tiles(&tiled), "4 8 16 32");
        let large = tiled.with_tile(32.into()).expect("it is embedded");
        assert_eq!((large.seed, large.size, large.label()), (7, tiled.size, "tiled 32x32".into()));
        let rolled = tiled.known.and_then(|known| known.variant.rolled);
        let rolled = problem("tiled", "16", rolled).with_tile(32.into()).expect("embedded, too");
        assert_eq!(Some(&*rolled.ptx), rolled.known.and_then(|known| known.variant.rolled));
        assert_eq!(
            tiles(&problem("sgemm", "64x128x32", None)),
            "32x16x8 64x128x32 192x128x16 128x256x16"
        );
    }

    #[test]
    fn ptx_from_a_file_is_for_one_tile_and_compiled_ptx_stands_beside_the_embedded() {
        assert_eq!(tiles(&problem("tiled", "16", Some("of a file"))), "16");
        assert_eq!(tiles(&problem("half_wgmma", "128x256x64", None)), "128x256x64");
        assert_eq!(tiles(&problem("tiled", "12", Some("compiled"))), "4 8 12 16 32");
    }
}
