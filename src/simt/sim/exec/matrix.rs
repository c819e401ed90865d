//! Moves matrices between memory and a warp's registers, with the accesses that the SASS makes.

use super::failed::Failed;
use super::memory::address;
use super::tensor;
use super::wgmma;
use super::words::{read, write};
use crate::ptx::{Address, Fragment, Layout, Matrix, MatrixOp, Space};
use crate::sim::exec_context::ExecContext;
use crate::sim::fault::FaultKind;
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::step::{Access, Direction, Effect, Route, Step};

/// The words of each lane, one row per register.
type Rows = Vec<[u32; 32]>;

/// Executes a matrix instruction.
pub(super) fn execute(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    op: &MatrixOp<Reg>,
) -> Result<(), Failed> {
    match op {
        MatrixOp::WgmmaFence => {}
        _ if !is_whole(step.active)? => {}
        MatrixOp::LdMatrix { transposed, dst, addr, .. } => {
            load(place, step, *transposed, dst, addr)?;
        }
        MatrixOp::StMatrix { transposed, addr, src, .. } => {
            store(place, step, *transposed, addr, src)?;
        }
        MatrixOp::MovMatrix { dst, src } => mov(place, *dst, *src),
        MatrixOp::LdFragment(fragment) => load_fragment(place, step, fragment)?,
        MatrixOp::StFragment(fragment) => store_fragment(place, step, fragment)?,
        MatrixOp::Mma(products) => {
            tensor::multiply(&mut place.warp.regs, products);
            step.effect = tensor::effect(products);
        }
        MatrixOp::Wgmma(product) => wgmma::begin(place, step, product)?,
        MatrixOp::WgmmaGroup(command) => wgmma::group(place, step, *command),
    }
    Ok(())
}

/// Whether the instruction executes: its guard may disable the whole warp, but not part of it.
fn is_whole(lanes: LaneMask) -> Result<bool, Failed> {
    match lanes {
        LaneMask::ALL => Ok(true),
        LaneMask::NONE => Ok(false),
        part => Err((FaultKind::PartOfWarp(part.count()), None)),
    }
}

/// `ldmatrix`: lanes 0 to 7 hold the row addresses of the first matrix (16 bytes per row), lanes 8
/// to 15 those of the second, and so on.
fn load(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    transposed: bool,
    dst: &[Reg],
    addr: &Address<Reg>,
) -> Result<(), Failed> {
    let mut access = rows_access(place, Direction::Load, dst.len(), addr);
    let words = read(place, &mut access)?;
    for (number, reg) in dst.iter().enumerate() {
        let row = from_rows(&words, number);
        set(place, *reg, if transposed { transpose(&row) } else { row });
    }
    step.effect = Effect::Memory(access);
    Ok(())
}

/// `stmatrix`
fn store(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    transposed: bool,
    addr: &Address<Reg>,
    src: &[Reg],
) -> Result<(), Failed> {
    let mut access = rows_access(place, Direction::Store, src.len(), addr);
    let mut words = vec![[0; 32]; 4];
    for (number, reg) in src.iter().enumerate() {
        let row = get(place, *reg);
        let row = if transposed { transpose(&row) } else { row };
        for (lane, value) in row.into_iter().enumerate() {
            words[lane % 4][8 * number + lane / 4] = value;
        }
    }
    write(place, &mut access, &words)?;
    step.effect = Effect::Memory(access);
    Ok(())
}

/// `movmatrix`
fn mov(place: &mut ExecContext<'_>, dst: Reg, src: Reg) {
    let row = transpose(&get(place, src));
    set(place, dst, row);
}

fn rows_access(
    place: &ExecContext<'_>,
    direction: Direction,
    matrices: usize,
    addr: &Address<Reg>,
) -> Access {
    let mut addrs = [0; 32];
    address(&place.warp.regs, addr, &mut addrs);
    let active = LaneMask::first(8 * matrices as u32);
    Access { space: Space::Shared, direction, bytes: 16, route: Route::Rows, active, addrs }
}

/// Matrix `number` of those whose rows have been read: lane l receives word l mod 4 of row l / 4.
fn from_rows(words: &[[u32; 32]], number: usize) -> [u32; 32] {
    std::array::from_fn(|lane| words[lane % 4][8 * number + lane / 4])
}

/// Transposes an 8 x 8 matrix of 16-bit elements, of which lane l holds columns 2 (l mod 4) and the
/// next in row l / 4.
fn transpose(row: &[u32; 32]) -> [u32; 32] {
    let element = |i: usize, j: usize| row[4 * i + j / 2] >> (16 * (j % 2)) & 0xffff;
    std::array::from_fn(|lane| {
        let (i, j) = (2 * (lane % 4), lane / 4);
        element(i, j) | element(i + 1, j) << 16
    })
}

fn get(place: &ExecContext<'_>, reg: Reg) -> [u32; 32] {
    place.warp.regs.wide(reg).map(|value| value as u32)
}

fn set(place: &mut ExecContext<'_>, reg: Reg, row: [u32; 32]) {
    place.warp.regs.set_wide(reg, &row.map(u64::from), LaneMask::ALL);
}

/// `wmma.load`
fn load_fragment(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    fragment: &Fragment<Reg>,
) -> Result<(), Failed> {
    let pieces = Pieces::new(place, fragment)?;
    let mut accesses = pieces.accesses(fragment.space, Direction::Load);
    let words = accesses.iter_mut().map(|access| read(&*place, access));
    let words = words.collect::<Result<Vec<_>, _>>()?;
    let mut rows = pieces.rows(&words);
    if pieces.is_transposed() {
        rows = rows.iter().map(transpose).collect();
    }
    for (reg, row) in fragment.regs.iter().zip(rows.iter().cycle()) {
        set(place, *reg, *row);
    }
    step.effect = Effect::Accesses(accesses);
    Ok(())
}

/// `wmma.store`
fn store_fragment(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    fragment: &Fragment<Reg>,
) -> Result<(), Failed> {
    let pieces = Pieces::new(place, fragment)?;
    let mut rows: Rows = fragment.regs.iter().map(|reg| get(place, *reg)).collect();
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

/// A fragment as blocks of 8 x 8 elements, one register per block (two for float32), with their
/// positions in memory.
///
/// The distribution of a fragment over the lanes is not documented. This is the code that ptxas
/// 12.9 generates for compute capabilities 8.0 and 9.0: the fragments of `mma`, each block loaded
/// by one instruction of 4 bytes per lane. Two float32 elements take one instruction of 8 bytes if
/// they are neighbours in memory and two of 4 bytes if not; 16-bit factors in shared memory are
/// loaded with `ldmatrix`. A block whose layout in memory is the other way round is transposed on
/// its way, or (for float32) gathered element by element.
struct Pieces {
    base: u64,
    /// The stride in elements.
    stride: u64,
    /// The size of an element in bytes.
    size: u64,
    /// The origin of each block in elements: across the lines of memory, and along a line.
    blocks: Vec<[u64; 2]>,
    /// Whether the two elements that a lane holds of a row are neighbours in memory.
    direct: bool,
    /// Whether it is loaded with `ldmatrix`.
    by_rows: bool,
}

impl Pieces {
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
        let line = if layout == Layout::Row { columns } else { rows };
        let stride = fragment.stride.map(|reg| uniform(place.warp.regs.wide(reg)));
        // The major side is the columns for b, and for c if a has 8 rows; otherwise it is the rows.
        let by_columns = matrix == Matrix::B || matrix == Matrix::C && m == 8;
        let (major, minor) = if by_columns { (columns, rows) } else { (rows, columns) };
        let direct = (layout == Layout::Row) != by_columns;
        let blocks = blocks(matrix, major, minor);
        let lie = |[major, minor]: [u64; 2]| if direct { [major, minor] } else { [minor, major] };
        Ok(Self {
            base,
            stride: stride.transpose()?.unwrap_or(line),
            size: ty.bytes().into(),
            blocks: blocks.into_iter().map(lie).collect(),
            direct,
            by_rows: matrix != Matrix::C && space == Space::Shared,
        })
    }

    /// Whether blocks are transposed between memory and registers.
    fn is_transposed(&self) -> bool {
        !self.direct && self.size == 2
    }

    /// The accesses that the SASS makes, in the order of the registers.
    fn accesses(&self, space: Space, direction: Direction) -> Vec<Access> {
        let route = if self.by_rows { Route::Rows } else { Route::Lanes };
        let access = |bytes, active, at: &dyn Fn(usize) -> [u64; 2]| {
            let addr = |lane| {
                let [line, along] = at(lane);
                let offset = line.wrapping_mul(self.stride).wrapping_add(along);
                self.base.wrapping_add(offset.wrapping_mul(self.size))
            };
            Access { space, direction, bytes, route, active, addrs: std::array::from_fn(addr) }
        };
        let four = |[line, along]: [u64; 2], lane: usize| {
            [line + lane as u64 / 4, along + 2 * (lane as u64 % 4)]
        };
        if self.by_rows {
            let of = |blocks: &[[u64; 2]]| {
                let row = |lane: usize| {
                    let [line, along] = blocks[lane / 8 % blocks.len()];
                    [line + lane as u64 % 8, along]
                };
                access(16, LaneMask::first(8 * blocks.len() as u32), &row)
            };
            return self.blocks.chunks(4).map(of).collect();
        }
        if self.size == 2 || self.direct {
            let bytes = (2 * self.size) as u8;
            let of = |block: &[u64; 2]| access(bytes, LaneMask::ALL, &|lane| four(*block, lane));
            return self.blocks.iter().map(of).collect();
        }
        let of = |[line, along]: &[u64; 2]| {
            [0, 1].map(|index| {
                access(4, LaneMask::ALL, &|lane| {
                    [line + 2 * (lane as u64 % 4) + index, along + lane as u64 / 4]
                })
            })
        };
        self.blocks.iter().flat_map(of).collect()
    }

    /// The values read by the accesses, one row per register.
    fn rows(&self, words: &[Rows]) -> Rows {
        if !self.by_rows {
            return words.concat();
        }
        let blocks = 0..self.blocks.len();
        blocks.map(|block| from_rows(&words[block / 4], block % 4)).collect()
    }
}

/// The origins of the blocks in register order. For a sum, and for the factor that fills the 16
/// rows of a product, blocks below each other are consecutive; for the other factor, blocks along
/// k.
fn blocks(matrix: Matrix, major: u64, minor: u64) -> Vec<[u64; 2]> {
    let along_k = matrix == Matrix::B && major == 16 || major == 8;
    if along_k {
        let across = (0..major).step_by(8);
        return across.flat_map(|i| (0..minor).step_by(8).map(move |j| [i, j])).collect();
    }
    let tiles = (0..major).step_by(16);
    let tile = |top: u64| (0..minor).step_by(8).flat_map(move |j| [[top, j], [top + 8, j]]);
    tiles.flat_map(tile).collect()
}

/// Returns a value that must be equal in all lanes.
fn uniform(values: [u64; 32]) -> Result<u64, Failed> {
    match values.iter().position(|value| *value != values[0]) {
        None => Ok(values[0]),
        Some(lane) => Err((FaultKind::NotUniform, Some(lane))),
    }
}
