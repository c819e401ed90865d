//! Moves matrices between memory and a warp's registers, with the accesses that the SASS makes.

use super::eight_by_eight::{from_rows, get, set, transpose};
use super::fragment;
use super::in_flight;
use super::memory::address;
use super::tensor;
use super::words::{read, write};
use crate::sim::access::{Access, Direction, Route};
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::Failed;
use crate::sim::fault::FaultKind;
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::step::{Effect, Step};
use ptx::{Address, MatrixOp, Space};

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
        MatrixOp::LdFragment(fragment) => fragment::load(place, step, fragment)?,
        MatrixOp::StFragment(fragment) => fragment::store(place, step, fragment)?,
        MatrixOp::Mma(products) => {
            tensor::multiply(&mut place.warp.regs, products);
            step.effect = tensor::effect(products);
        }
        MatrixOp::Wgmma(product) => in_flight::begin_product(place, step, product)?,
        MatrixOp::WgmmaGroup(command) => in_flight::product_group(place, step, *command),
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
