//! A kernel with a size, a launch and its PTX: what both the simulator and the GPU run.

use super::buffer::Buffer;
use super::call::{Arg, Call};
use super::changed::Changed;
use super::compiled_by::{compiled_by, is_to_look_at};
use super::definition::Kernel;
use super::entry;
use super::hash::sha256;
use super::tile::Tile;
use super::user_kernel::{Goal, Source, UserKernel};
use super::variant::Variant;
use crate::launch::{Dim3, Launch};
use crate::matrix::{ElementType, Gemm, Layout, Operand, SEED, Size};
use crate::sim::{Pc, Program};
use ptx::SourceFile;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// One run of one kernel, not yet executed.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The kernel, and how it is launched.
    pub which: Origin,
    /// The sizes of A, B and C.
    pub size: Size,
    /// The seed from which A and B are filled, and C if its old value contributes to the result;
    /// otherwise C holds zeros.
    pub seed: u64,
    /// The module that both the simulator and the GPU load.
    pub ptx: Cow<'static, str>,
}

/// The origin of a kernel; more is known about one of the catalogue.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A kernel of the catalogue, how it is compiled and launched, and its source if that was
    /// changed.
    Catalogue(&'static Kernel, Variant, Option<Arc<Changed>>),
    /// Any other kernel, from a file.
    UserKernel(Arc<UserKernel>),
}

impl Problem {
    /// Makes the problem of a kernel of the catalogue, with the PTX of this variant.
    pub fn of(
        kernel: &'static Kernel,
        variant: impl Into<Variant>,
        size: Size,
        ptx: Cow<'static, str>,
    ) -> Self {
        Self { which: Origin::Catalogue(kernel, variant.into(), None), size, seed: SEED, ptx }
    }

    /// Makes the problem of a kernel from a file.
    pub fn of_user(foreign: UserKernel, size: Size, ptx: String) -> Self {
        let which = Origin::UserKernel(Arc::new(foreign));
        Self { which, size, seed: SEED, ptx: Cow::Owned(ptx) }
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

    /// The entry point's name in the PTX.
    pub fn entry(&self) -> &str {
        match &self.which {
            Origin::Catalogue(kernel, ..) => kernel.name,
            Origin::UserKernel(foreign) => &foreign.entry,
        }
    }

    /// The kernel's name in its source.
    pub fn name(&self) -> &str {
        entry::source_name(self.entry())
    }

    /// Its name with the shape of its blocks or, where a thread computes several elements of C, of
    /// its tiles: `tiled 16x16`, `blocked_2d 128x128x16`.
    pub fn label(&self) -> String {
        if let Some(tile) = self.tile().filter(|tile| tile.side().is_none()) {
            return format!("{} {tile}", self.name());
        }
        let Dim3 { x, y, z } = self.launch().block;
        let depth = if z == 1 { String::new() } else { format!("x{z}") };
        format!("{} {x}x{y}{depth}", self.name())
    }

    /// The kernel's row in the catalogue, if it has one and its source is the catalogue's.
    pub fn catalogue(&self) -> Option<&'static Kernel> {
        self.kernel().filter(|_| self.changed().is_none())
    }

    /// The kernel's row in the catalogue, if it has one, also if its source was changed: its launch
    /// and its arguments.
    pub fn kernel(&self) -> Option<&'static Kernel> {
        match &self.which {
            Origin::Catalogue(kernel, ..) => Some(kernel),
            Origin::UserKernel(_) => None,
        }
    }

    /// The changed source of a kernel of the catalogue.
    pub fn changed(&self) -> Option<&Changed> {
        match &self.which {
            Origin::Catalogue(.., changed) => changed.as_deref(),
            Origin::UserKernel(_) => None,
        }
    }

    /// The kernel from a file, with its launch, if it is one.
    pub fn as_user_kernel(&self) -> Option<&UserKernel> {
        match &self.which {
            Origin::Catalogue(..) => None,
            Origin::UserKernel(foreign) => Some(foreign),
        }
    }

    /// How a kernel of the catalogue is compiled and launched; `None` for a user's kernel.
    pub fn variant(&self) -> Option<Variant> {
        match &self.which {
            Origin::Catalogue(_, variant, _) => Some(*variant),
            Origin::UserKernel(_) => None,
        }
    }

    /// The tile of a kernel of the catalogue; `None` for a user's kernel, whose tiles are not
    /// known.
    pub fn tile(&self) -> Option<Tile> {
        self.variant().map(|variant| variant.tile)
    }

    /// The file name and the text of the source, or `None` for PTX without a source.
    pub fn source(&self) -> Option<(Cow<'_, str>, &str)> {
        if let Some(source) = self.given_source() {
            return Some((Cow::Borrowed(&*source.file), &*source.text));
        }
        self.catalogue().map(|kernel| (Cow::Owned(kernel.file()), kernel.source))
    }

    /// The source, if it is not the catalogue's.
    pub(super) fn given_source(&self) -> Option<&Source> {
        match &self.which {
            Origin::Catalogue(.., changed) => changed.as_ref().map(|changed| &changed.source),
            Origin::UserKernel(foreign) => foreign.source.as_ref(),
        }
    }

    /// The macros with which it is compiled, as `NAME=VALUE`, as far as they are known.
    pub fn defines(&self) -> Vec<String> {
        let of_catalogue = || self.catalogue().and(self.variant()).map(|of| of.defines());
        let given = self.given_source().map(|source| source.defines.clone());
        given.or_else(of_catalogue).unwrap_or_default()
    }

    /// Whether it is a kernel of the catalogue with the PTX that is committed.
    pub fn is_committed(&self) -> bool {
        let variant = self.catalogue().and(self.variant());
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

    /// Like [`Self::source`], for the file that contains an instruction's line; `None` if that is
    /// missing.
    pub fn source_of(&self, program: &Program, pc: Pc) -> Option<(Cow<'_, str>, &str)> {
        if program.other_file(pc).is_none() {
            return self.source();
        }
        let others = &self.as_user_kernel()?.others;
        let (_, source) = others.iter().find(|(number, _)| *number == program.inst(pc).file)?;
        Some((Cow::Borrowed(&*source.file), &*source.text))
    }

    /// The name of the file in which an instruction's line stands, if that is not the file that the
    /// user gave.
    pub fn other_file<'p>(&'p self, program: &'p Program, pc: Pc) -> Option<&'p str> {
        let own = || {
            let foreign = self.as_user_kernel().filter(|foreign| foreign.in_header)?;
            foreign.source.as_ref().map(|source| &*source.file)
        };
        program.other_file(pc).map(SourceFile::name).or_else(own)
    }

    /// The grid and the block. For the catalogue: a block for each tile of C, rounded up at the
    /// edges.
    pub fn launch(&self) -> Launch {
        match &self.which {
            Origin::Catalogue(_, variant, _) => variant.launch(self.size),
            Origin::UserKernel(foreign) => foreign.launch,
        }
    }

    /// The arguments, in the order of the kernel's parameters; for the catalogue: A, B, C, M, N, K.
    pub fn args(&self) -> Cow<'_, [Arg]> {
        match &self.which {
            Origin::Catalogue(..) => {
                let Size { m, n, k } = self.size;
                let matrices = Operand::ALL.map(Arg::matrix);
                Cow::Owned([&matrices[..], &[m, n, k].map(Arg::word)].concat())
            }
            Origin::UserKernel(foreign) => Cow::Borrowed(&foreign.args),
        }
    }

    /// The operation that determines C; for the catalogue, A x B.
    pub fn gemm(&self) -> Gemm {
        self.as_user_kernel().map_or_else(Gemm::default, |foreign| foreign.gemm)
    }

    /// The relative error that its own instructions cause, beyond that of sums in the types of its
    /// elements; 0 for the catalogue.
    pub fn rounding(&self) -> f64 {
        self.as_user_kernel().map_or(0.0, |own| own.rounding)
    }

    /// What it is to compute.
    pub fn goal(&self) -> Goal {
        self.as_user_kernel().map_or(Goal::Product, |own| own.goal)
    }

    /// Whether C is to be the product, so that it can be judged.
    pub fn is_product(&self) -> bool {
        self.goal() == Goal::Product
    }

    /// The matrices among its buffers, which are the first: all three or none.
    pub fn operands(&self) -> &'static [Operand] {
        let has_matrices = self.as_user_kernel().is_none_or(|own| own.has_matrices);
        if has_matrices { &Operand::ALL } else { &[] }
    }

    /// The buffers other than matrices, in the order of their numbers.
    pub fn own_buffers(&self) -> &[Buffer] {
        self.as_user_kernel().map_or(&[], |own| &own.buffers)
    }

    /// Whether it computes a product of A, B and C alone, as the rows of a bench do.
    pub fn is_measurable(&self) -> bool {
        self.is_product() && self.own_buffers().is_empty()
    }

    /// How a matrix lies in memory.
    pub fn layout(&self, operand: Operand) -> Layout {
        let of = match &self.which {
            Origin::UserKernel(own) => return own.layouts[operand as usize],
            Origin::Catalogue(..) if operand == Operand::C => ElementType::F32,
            Origin::Catalogue(kernel, ..) => kernel.precision.element_type(),
        };
        Layout { of, ..Layout::default() }
    }

    /// The type of the elements of a matrix.
    pub fn element_type(&self, operand: Operand) -> ElementType {
        self.layout(operand).of
    }

    /// Bytes of dynamic shared memory that the launch allocates to each block.
    pub fn dynamic_shared(&self) -> u32 {
        match &self.which {
            Origin::Catalogue(_, variant, _) => variant.dynamic_shared,
            Origin::UserKernel(foreign) => foreign.shared,
        }
    }

    /// The size of clusters in blocks, if the launch gives one.
    pub fn cluster(&self) -> Option<Dim3> {
        self.as_user_kernel()?.cluster
    }

    /// The complete launch for the GPU.
    pub fn call(&self) -> Call {
        Call {
            entry: self.entry().to_owned(),
            ptx: self.ptx.to_string(),
            launch: self.launch(),
            shared: self.dynamic_shared(),
            cluster: self.cluster(),
            args: self.args().into_owned(),
        }
    }

    /// The multiply-adds by which the threads of `block` compute one tile's worth of k; for a
    /// user's kernel, sixteen by every thread.
    pub fn fma_per_tile(&self, block: Dim3) -> u32 {
        let Origin::Catalogue(kernel, Variant { tile, .. }, _) = self.which else {
            return self.launch().threads() * FOREIGN_ROUND;
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
        let padded = self.kernel().is_some_and(|kernel| kernel.pads);
        let k = if padded { self.size.k.next_multiple_of(tile.k) } else { self.size.k };
        per_tile * f64::from(k) / f64::from(tile.k * self.size.k)
    }

    /// How many of the first `fma` multiply-adds of `block` are with elements of A and B: a kernel
    /// that pads its tiles also multiplies zeros beyond the edges.
    pub fn fma_inside(&self, block: Dim3, fma: u64) -> u64 {
        let padded = self.kernel().is_some_and(|kernel| kernel.pads);
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

    /// Whether it is known that all blocks do the same, each with a whole tile of C.
    pub fn is_even(&self) -> bool {
        let Size { m, n, k } = self.size;
        let whole = |tile: Tile| {
            m.is_multiple_of(tile.m) && n.is_multiple_of(tile.n) && k.is_multiple_of(tile.k)
        };
        self.tile().is_some_and(whole)
    }

    /// The rows and columns of C that a block computes, if known.
    pub fn part(&self, block: Dim3) -> Option<(Range<u32>, Range<u32>)> {
        let Tile { m, n, .. } = self.tile()?;
        let (down, across) = self.tile_of(block)?;
        let span = |at: u32, side: u32, end: u32| (at * side).min(end)..((at + 1) * side).min(end);
        Some((span(down, m, self.size.m), span(across, n, self.size.n)))
    }

    /// The tile of C that a block computes, as (row, column) of tiles, if known.
    pub fn tile_of(&self, block: Dim3) -> Option<(u32, u32)> {
        self.variant().map(|variant| variant.tile_of(block, self.launch().grid))
    }

    /// The block that computes an element of C, if known.
    pub fn block_of(&self, row: u32, column: u32) -> Option<Dim3> {
        let variant = self.variant()?;
        let place = (row / variant.tile.m, column / variant.tile.n);
        Some(variant.block_of(place, self.launch().grid))
    }

    /// SHA-256 of the PTX, in hexadecimal: proof that the simulator and the GPU loaded the same
    /// text.
    pub fn ptx_sha256(&self) -> String {
        sha256(self.ptx.as_bytes())
    }
}

/// Multiply-adds of every thread that make up one step of a kernel whose tiles are not known.
pub const FOREIGN_ROUND: u32 = 16;

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
        let rolled = tiled.variant().and_then(|variant| variant.rolled);
        let rolled = problem("tiled", "16", rolled).with_tile(32.into()).expect("embedded, too");
        assert_eq!(Some(&*rolled.ptx), rolled.variant().and_then(|variant| variant.rolled));
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
