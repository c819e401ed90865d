//! Location of a `wgmma` factor in shared memory: its descriptor and its 16-byte pieces.

use ptx::{Type, Wgmma};

/// Size of a piece in bytes: a piece is contiguous in every layout.
pub const PIECE: u8 = 16;

/// The layout of a factor in shared memory (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared
/// Memory Layout", "Matrix Descriptor Format").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The address of its first byte.
    start: u32,
    /// The "leading dimension byte offset".
    leading: u32,
    /// The "stride dimension byte offset".
    stride: u32,
    /// The row, among eight of 128 bytes, at which the swizzle pattern begins.
    base: u32,
    /// The swizzle width in bytes: 128, 64 or 32, or 16 if nothing is swizzled.
    width: u32,
}

impl Descriptor {
    /// Decodes a descriptor.
    pub fn new(bits: u64) -> Self {
        let units = |from: u32| (bits >> from & 0x3fff) as u32 * u32::from(PIECE);
        Self {
            start: units(0),
            leading: units(16),
            stride: units(32),
            base: (bits >> 49 & 7) as u32,
            width: match bits >> 62 {
                0 => 16,
                1 => 128,
                2 => 64,
                _ => 32,
            },
        }
    }

    /// The address of the piece that holds eight neighbours along k (of 16 bits) in a row of a or a
    /// column of b.
    fn along(self, row: u32, piece: u32) -> u32 {
        let together = self.width / u32::from(PIECE);
        let (far, near) = (piece / together, piece % together);
        let along = far * self.leading + near * u32::from(PIECE);
        self.swizzled(row / 8 * self.stride + row % 8 * self.width + along)
    }

    /// The address of the piece that holds eight neighbouring rows of a, or columns of b, at one
    /// index of k.
    fn across(self, eight: u32, k: u32) -> u32 {
        let together = self.width / u32::from(PIECE);
        let (far, near) = (eight / together, eight % together);
        let (by_rows, by_k) = match self.width {
            16 => (self.stride, self.leading),
            _ => (self.leading, self.stride),
        };
        let within = near * u32::from(PIECE) + k % 8 * self.width;
        self.swizzled(far * by_rows + k / 8 * by_k + within)
    }

    /// Applies the swizzle to an offset from the start: the position of a piece within its row is
    /// combined by exclusive or with the row number, counted in units of 128 bytes of all shared
    /// memory.
    fn swizzled(self, offset: u32) -> u32 {
        let addr = self.start + offset;
        let row = (addr >> 7).wrapping_sub(self.base);
        addr ^ (row & (self.width / u32::from(PIECE) - 1)) << 4
    }
}

/// A factor of a warp: the rows (for b: columns) that it uses, and their layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    descriptor: Descriptor,
    across: bool,
    first: u32,
    rows: u32,
    /// Number of pieces along k.
    along: u32,
    ty: Type,
    negated: bool,
}

impl Factor {
    /// The part of a for warp `rank` of its warpgroup, at this descriptor in shared memory.
    pub fn a<O>(product: &Wgmma<O>, descriptor: u64, rank: u32) -> Self {
        Self::new(product, 0, descriptor, (16 * rank, 16))
    }

    /// The factor b, which every warp uses as a whole.
    pub fn b<O>(product: &Wgmma<O>, descriptor: u64) -> Self {
        Self::new(product, 1, descriptor, (0, product.n.into()))
    }

    fn new<O>(
        product: &Wgmma<O>,
        factor: usize,
        descriptor: u64,
        (first, rows): (u32, u32),
    ) -> Self {
        let descriptor = Descriptor::new(descriptor);
        let (across, negated) = (product.across[factor], product.negated[factor]);
        let (ty, k) = (product.factors[factor], product.k());
        let along = k * ty.bits() / (8 * u32::from(PIECE));
        Self { descriptor, across, first, rows, along, ty, negated }
    }

    /// The address of every piece, in groups of eight as tensor cores read them: a "core matrix".
    pub fn pieces(self) -> impl Iterator<Item = u32> {
        let first = self.first / 8;
        (first..first + self.rows / 8).flat_map(move |eight| {
            (0..8 * self.along).map(move |number| {
                if self.across {
                    self.descriptor.across(eight, number)
                } else {
                    self.descriptor.along(8 * eight + number % 8, number / 8)
                }
            })
        })
    }

    /// The location of an element, given one of the warp's rows and an index along k: the number of
    /// its piece and its first bit in the piece.
    pub fn element(self, row: u32, k: u32) -> (usize, u32) {
        let (number, within) = if self.across {
            (k, row % 8)
        } else {
            let each = 8 * u32::from(PIECE) / self.ty.bits();
            (k / each * 8 + row % 8, k % each)
        };
        ((row / 8 * 8 * self.along + number) as usize, within * self.ty.bits())
    }

    /// The rows of the factor, read from its pieces and negated if required; `row` makes one of its
    /// elements.
    pub(super) fn rows<R>(self, pieces: &[[u32; 4]], row: impl Fn(&[u32]) -> R) -> Vec<R> {
        let mut line = Vec::new();
        let one = |number| {
            line.clear();
            self.collect(pieces, number, &mut line);
            row(&line)
        };
        (0..self.rows).map(one).collect()
    }

    /// Appends the elements of a row, in the order of [`Self::element`].
    fn collect(self, pieces: &[[u32; 4]], row: u32, line: &mut Vec<u32>) {
        let (bits, ones) = (self.ty.bits(), u32::MAX >> (32 - self.ty.bits()));
        let flip = if self.negated { sign(self.ty) } else { 0 };
        let (first, own) = ((row / 8 * 8 * self.along) as usize, row % 8);
        if self.across {
            let (word, shift) = ((own * bits / 32) as usize, own * bits % 32);
            let all = &pieces[first..][..8 * self.along as usize];
            line.extend(all.iter().map(|piece| (piece[word] >> shift & ones) ^ flip));
            return;
        }
        for piece in pieces[first..].iter().skip(own as usize).step_by(8).take(self.along as usize)
        {
            for word in piece {
                let all = (0..32).step_by(bits as usize);
                line.extend(all.map(|shift| (word >> shift & ones) ^ flip));
            }
        }
    }
}

/// The sign bit of an element.
pub(super) const fn sign(ty: Type) -> u32 {
    1 << (ty.bits() - 1)
}
