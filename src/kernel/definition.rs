//! A kernel of `kernels/`: its source, and how it can be compiled and launched.

use super::shared_tile::SharedTile;
use super::tile::{MAX_TILE, Tile};
use super::variant::Variant;
use crate::matrix::{Layout, Operand, Precision, Size};

/// Bytes of which the rows of a matrix behind a tensor map take a multiple.
const PIECE: u32 = 16;

/// A kernel of `kernels/`.
#[derive(Debug)]
pub struct Kernel {
    /// Its name: the file's stem and the entry point's name.
    pub name: &'static str,
    /// A summary in one line.
    pub summary: &'static str,
    /// The CUDA C++ source, with its lessons in comments.
    pub source: &'static str,
    /// The oldest virtual architecture that supports its instructions.
    pub arch: &'static str,
    /// How it can be compiled and launched: all variants or, for a square kernel, the embedded
    /// ones.
    pub variants: &'static [Variant],
    /// Whether it has one thread for each element of a square tile, of any side up to [`MAX_TILE`].
    pub square: bool,
    /// The `__shared__` arrays, in order of declaration.
    pub shared: &'static [SharedTile],
    /// Whether threads outside C, and terms beyond K, are computed as well, on zeros.
    pub pads: bool,
    /// The format of the elements of A and B.
    pub precision: Precision,
    /// Its arguments, in the words of `--launch`.
    pub arguments: &'static str,
    /// The kernel to compare it with, which best shows what is new in it.
    pub beside: &'static str,
}

impl Kernel {
    /// Returns how it is compiled and launched for a tile, if it can be.
    pub fn variant(&self, tile: impl Into<Tile>) -> Option<Variant> {
        let tile = tile.into();
        let known = self.variants.iter().find(|variant| variant.tile == tile).copied();
        let side = tile.side().filter(|side| self.square && (1..=MAX_TILE).contains(side));
        known.or_else(|| side.map(Variant::square))
    }

    /// Returns its default variant for matrices of this size: the one that is expected to finish
    /// first.
    pub fn variant_for(&self, size: Size) -> Variant {
        let timed = self.variants.iter().filter_map(|v| Some((v.duration(size)?, v)));
        let best = timed.min_by_key(|(duration, _)| *duration).map(|(_, variant)| *variant);
        best.unwrap_or(Variant::square(16))
    }

    /// How A, B and C of this size lie in memory for it. The copy engine takes rows of whole pieces
    /// of 16 bytes, so a kernel with tensor maps has its rows padded to that.
    pub fn layouts(&self, size: Size) -> [Layout; 3] {
        let usual = self.precision.layouts();
        if !self.takes_tensor_maps() {
            return usual;
        }
        Operand::ALL.map(|operand| {
            let (layout, shape) = (usual[operand as usize], size.shape(operand));
            let least = layout.least_lead(shape);
            let whole = least.next_multiple_of(PIECE / u32::from(layout.of.bytes()));
            Layout { lead: (whole > least).then_some(whole), ..layout }
        })
    }

    /// Whether the copy engine brings its tiles.
    pub fn takes_tensor_maps(&self) -> bool {
        self.arguments.contains("tensormap:")
    }

    /// Compiles it with matviz's own compiler, or returns `None` if that does not know all of its language.
    pub fn compile(&self, variant: &Variant, rolled: bool) -> Option<String> {
        let (file, defines) = (self.file(), variant.defines());
        let options = cudac::CompileOptions {
            file: &file,
            defines: &defines,
            headers: &[],
            instances: &[],
            rolled,
        };
        cudac::compile(self.source, &options).ok().map(|compiled| compiled.ptx)
    }

    /// Returns the embedded PTX for `tile`, if any.
    pub fn embedded(&self, tile: impl Into<Tile>) -> Option<&'static str> {
        self.variant(tile)?.ptx
    }

    /// Lists the tiles with which it can be launched, as text.
    pub fn tiles(&self) -> String {
        if self.square {
            return format!("1 to {MAX_TILE}");
        }
        let tiles: Vec<_> = self.variants.iter().map(|variant| variant.tile.to_string()).collect();
        tiles.join(", ")
    }

    /// The file name of its source.
    pub fn file(&self) -> String {
        format!("{}.cu", self.name)
    }
}
