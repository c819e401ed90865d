//! `wmma.load` and `wmma.store`: the accesses of a fragment, and the registers that its elements are
//! in.

use super::eight_by_eight::{from_rows, get, set, transpose};
use super::memory::address;
use super::words::{read, write};
use crate::sim::access::{Access, Direction, Route};
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::Failed;
use crate::sim::fault::FaultKind;
use crate::sim::mask::LaneMask;
use crate::sim::program::{Reg, RegFile};
use crate::sim::step::{Effect, Step};
use ptx::{Fragment, Matrix, MatrixLayout, Space};

/// The words of each lane, one row per 4 bytes of its registers.
type Rows = Vec<[u32; 32]>;

/// `wmma.load`
pub(super) fn load(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    fragment: &Fragment<Reg>,
) -> Result<(), Failed> {
    let pieces = FragmentPieces::new(place, fragment)?;
    let mut accesses = pieces.accesses(fragment.space, Direction::Load);
    let words = accesses.iter_mut().map(|access| read(&*place, access));
    let words = words.collect::<Result<Vec<_>, _>>()?;
    let mut rows = pieces.rows(&words);
    if pieces.is_transposed() {
        rows = rows.iter().map(transpose).collect();
    }
    let mut rows = rows.iter().cycle().copied();
    for reg in &fragment.regs {
        let low = rows.next().unwrap_or([0; 32]);
        if reg.file == RegFile::Double {
            let high = rows.next().unwrap_or([0; 32]);
            let wide = |lane| u64::from(high[lane]) << 32 | u64::from(low[lane]);
            place.warp.regs.set_wide(*reg, &std::array::from_fn(wide), LaneMask::ALL);
        } else {
            set(place, *reg, low);
        }
    }
    step.effect = Effect::Accesses(accesses);
    Ok(())
}

/// `wmma.store`
pub(super) fn store(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    fragment: &Fragment<Reg>,
) -> Result<(), Failed> {
    let pieces = FragmentPieces::new(place, fragment)?;
    let mut rows = Rows::new();
    for reg in &fragment.regs {
        rows.push(get(place, *reg));
        if reg.file == RegFile::Double {
            rows.push(place.warp.regs.wide(*reg).map(|value| (value >> 32) as u32));
        }
    }
    if pieces.is_transposed() {
        rows = rows.iter().map(transpose).collect();
    }
    let mut accesses = pieces.accesses(fragment.space, Direction::Store);
    let words = accesses[0].bytes / 4;
    for (access, rows) in accesses.iter_mut().zip(rows.chunks(words.into())) {
        write(place, access, rows)?;
    }
    step.effect = Effect::Accesses(accesses);
    Ok(())
}

/// A fragment as blocks of eight lines, with their positions in memory.
///
/// The distribution of a fragment over the lanes is not documented. This is the code that ptxas
/// 12.9 generates for compute capabilities 8.0 and 9.0: the fragments of `mma`. Of a line of a
/// block, each of four lanes holds neighbours: as many as fit into 4 bytes, or one of 8 bytes; of a
/// sum two, one after the other where they do not fit. If they are neighbours in memory too, one
/// instruction loads them for the whole block. If not, the block is transposed on its way (16-bit
/// elements) or gathered element by element. Factors of 16 bits in shared memory are loaded with
/// `ldmatrix`, four blocks at a time; so are those of fewer bits whose neighbours are together, two
/// blocks at a time.
struct FragmentPieces {
    base: u64,
    /// The stride in elements.
    stride: u64,
    /// The size of an element in bits.
    bits: u64,
    /// Number of neighbours that a lane holds of a line of a block.
    held: u64,
    /// The origin of each block in elements: across the lines of memory, and along a line.
    blocks: Vec<[u64; 2]>,
    /// Whether these neighbours are neighbours in memory.
    direct: bool,
    /// Number of blocks that an `ldmatrix` loads, if that loads them.
    by_rows: Option<usize>,
}

impl FragmentPieces {
    fn new(place: &ExecContext<'_>, fragment: &Fragment<Reg>) -> Result<Self, Failed> {
        let Fragment { matrix, shape: [m, n, k], layout, space, ty, .. } = *fragment;
        let [m, n, k] = [m, n, k].map(u64::from);
        let mut addrs = [0; 32];
        address(&place.warp.regs, &fragment.addr, &mut addrs);
        let base = uniform(addrs)?;
        let (rows, columns) = match matrix {
            Matrix::A => (m, k),
            Matrix::B => (k, n),
            Matrix::C => (m, n),
        };
        let line = if layout == MatrixLayout::Row { columns } else { rows };
        let stride = fragment.stride.map(|reg| uniform(place.warp.regs.wide(reg)));
        // The major side is the columns for b, and for c if the factors are exchanged; otherwise it
        // is the rows.
        let by_columns = matrix == Matrix::B || matrix == Matrix::C && (m, n) == (8, 32);
        let (major, minor) = if by_columns { (columns, rows) } else { (rows, columns) };
        let direct = (layout == MatrixLayout::Row) != by_columns;
        let bits = u64::from(ty.bits());
        let held = if matrix == Matrix::C { 2 } else { (32 / bits).max(1) };
        let blocks = blocks(matrix, (major, minor), 4 * held);
        let lie = |[major, minor]: [u64; 2]| if direct { [major, minor] } else { [minor, major] };
        let rows_loaded = matrix != Matrix::C && space == Space::Shared;
        Ok(Self {
            base,
            stride: stride.transpose()?.unwrap_or(line),
            bits,
            held,
            blocks: blocks.into_iter().map(lie).collect(),
            direct,
            by_rows: match bits {
                16 if rows_loaded => Some(4),
                1..16 if rows_loaded && direct => Some(2),
                _ => None,
            },
        })
    }

    /// Whether blocks are transposed between memory and registers.
    fn is_transposed(&self) -> bool {
        !self.direct && self.bits == 16
    }

    /// The accesses that the SASS makes, in the order of the registers.
    fn accesses(&self, space: Space, direction: Direction) -> Vec<Access> {
        let route = if self.by_rows.is_some() { Route::Rows } else { Route::Lanes };
        let access = |bytes: u64, active, at: &dyn Fn(usize) -> [u64; 2]| {
            let addr = |lane| {
                let [line, along] = at(lane);
                let offset = line.wrapping_mul(self.stride).wrapping_add(along);
                self.base.wrapping_add(offset.wrapping_mul(self.bits) / 8)
            };
            let (bytes, addrs) = (bytes as u8, std::array::from_fn(addr));
            Access { space, direction, bytes, route, active, addrs }
        };
        if let Some(count) = self.by_rows {
            let of = |blocks: &[[u64; 2]]| {
                let row = |lane: usize| {
                    let [line, along] = blocks[lane / 8 % blocks.len()];
                    [line + lane as u64 % 8, along]
                };
                access(16, LaneMask::first(8 * blocks.len() as u32), &row)
            };
            return self.blocks.chunks(count).map(of).collect();
        }
        if self.direct || self.is_transposed() {
            let of = |[line, along]: &[u64; 2]| {
                access(self.held * self.bits / 8, LaneMask::ALL, &|lane| {
                    [line + lane as u64 / 4, along + self.held * (lane as u64 % 4)]
                })
            };
            return self.blocks.iter().map(of).collect();
        }
        let of = |[line, along]: &[u64; 2]| {
            let one = |index| {
                access(self.bits / 8, LaneMask::ALL, &|lane| {
                    [line + self.held * (lane as u64 % 4) + index, along + lane as u64 / 4]
                })
            };
            (0..self.held).map(one).collect::<Vec<_>>()
        };
        self.blocks.iter().flat_map(of).collect()
    }

    /// The values read by the accesses, one row per 4 bytes of registers.
    fn rows(&self, words: &[Rows]) -> Rows {
        if let Some(count) = self.by_rows {
            let blocks = 0..self.blocks.len();
            return blocks.map(|block| from_rows(&words[block / count], block % count)).collect();
        }
        if self.bits < 16 && !self.direct {
            return words.chunks(self.held as usize).map(packed).collect();
        }
        words.concat()
    }
}

/// The words of which each access has read one byte, the lowest first.
fn packed(bytes: &[Rows]) -> [u32; 32] {
    std::array::from_fn(|lane| bytes.iter().rev().fold(0, |word, byte| word << 8 | byte[0][lane]))
}

/// The origins of the blocks in register order. For a sum, and for the factor that fills the 16
/// rows of a product, blocks below each other are consecutive; for the other factor, blocks along
/// k.
fn blocks(matrix: Matrix, (major, minor): (u64, u64), width: u64) -> Vec<[u64; 2]> {
    let width = width as usize;
    let along_k = matrix == Matrix::B && major == 16 || major == 8;
    if along_k {
        let across = (0..major).step_by(8);
        return across.flat_map(|i| (0..minor).step_by(width).map(move |j| [i, j])).collect();
    }
    let tiles = (0..major).step_by(16);
    let tile = |top: u64| (0..minor).step_by(width).flat_map(move |j| [[top, j], [top + 8, j]]);
    tiles.flat_map(tile).collect()
}

/// Returns a value that must be equal in all lanes.
fn uniform(values: [u64; 32]) -> Result<u64, Failed> {
    match values.iter().position(|value| *value != values[0]) {
        None => Ok(values[0]),
        Some(lane) => Err((FaultKind::NotUniform, Some(lane))),
    }
}
