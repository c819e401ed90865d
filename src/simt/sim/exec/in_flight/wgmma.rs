//! `wgmma`: records the operation when it is issued and computes it when it is waited for.

use crate::sim::access::{Access, Direction, Route};
use crate::sim::block_group::WARPS;
use crate::sim::descriptor::{Factor, PIECE, sign};
use crate::sim::exec::tensor::{self, Sums};
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::Failed;
use crate::sim::fault::FaultKind;
use crate::sim::in_flight::{AsyncEffect, AsyncFault, MAX_PENDING_WGMMA, WgmmaInFlight};
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::reach::check_shared;
use crate::sim::regs::Regs;
use crate::sim::step::{Effect, Step};
use crate::sim::tensor::{ByteVector, Core, HOPPER, Vector};
use ptx::{CopyGroup, MatrixOp, Op, Space, Wgmma, WgmmaOperandA};

/// `wgmma.mma_async`: until it is waited for, the tensor cores may read its operands at any time.
pub(in crate::sim::exec) fn begin(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    product: &Wgmma<Reg>,
) -> Result<(), Failed> {
    let warp = usize::from(place.blocks.within_block(step.warp));
    let group = place.blocks.warpgroup_of(step.warp);
    let Some(group) = group.and_then(|group| place.in_flight.warpgroups.get_mut(group)) else {
        return Err((AsyncFault::PartOfWarpgroup(place.blocks.warps_per_block()).into(), None));
    };
    group.execute(warp % WARPS, step.pc).map_err(|other| {
        (AsyncFault::WarpgroupDiverged((warp / WARPS * WARPS + other) as u16).into(), None)
    })?;
    let regs = &place.warp.regs;
    let a = match &product.a {
        WgmmaOperandA::Shared(descriptor) => Some(uniform(regs.wide(*descriptor))?),
        WgmmaOperandA::Registers(_) => None,
    };
    let b = uniform(regs.wide(product.b))?;
    let adds = uniform(regs.wide(product.adds))? != 0;
    let factors = a.map(|a| Factor::a(product, a, rank(warp)));
    let factors = factors.into_iter().chain([Factor::b(product, b)]);
    let mut reads: Vec<_> = factors.flat_map(accesses).collect();
    let (room, start) = (place.seen().room(), place.seen().own_start());
    for read in &mut reads {
        read.touched().try_for_each(|(lane, addr)| check_shared(room, read, lane, addr))?;
        read.addrs = read.addrs.map(|addr| addr + start);
    }
    let descriptors = [a.unwrap_or_default(), b];
    if !place.in_flight.warps[usize::from(step.warp)].products.begin(step.pc, descriptors, adds) {
        return Err((AsyncFault::TooManyWgmma(MAX_PENDING_WGMMA).into(), None));
    }
    let (multiply_adds, of_a) = (product.multiply_adds(), a.is_some().into());
    step.effect =
        Effect::Async(AsyncEffect::Wgmma { multiply_adds, reads, of_a, leads: rank(warp) == 0 });
    Ok(())
}

/// Executes a group instruction; wgmma operations that complete write their registers.
pub(in crate::sim::exec) fn group(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    command: CopyGroup,
) {
    let complete = place.in_flight.warps[usize::from(step.warp)].products.command(command);
    for product in &complete {
        let Op::Matrix(MatrixOp::Wgmma(of)) = &place.program.inst(product.pc).op else { continue };
        let warp = place.blocks.within_block(step.warp);
        multiply(place, of, product, rank(warp.into()));
    }
    if !complete.is_empty() {
        step.effect =
            Effect::Async(AsyncEffect::WgmmaCompleted { instructions: complete.len() as u32 });
    }
}

/// The rank of a warp in its warpgroup.
const fn rank(warp: usize) -> u32 {
    (warp % WARPS) as u32
}

/// Returns a value that must be equal in all lanes.
fn uniform(values: [u64; 32]) -> Result<u64, Failed> {
    let first = values[0];
    let other = values.iter().position(|value| *value != first);
    other.map_or(Ok(first), |lane| Err((FaultKind::NotUniform, Some(lane))))
}

/// The accesses to the pieces of a factor, 32 at a time.
fn accesses(factor: Factor) -> Vec<Access> {
    let pieces: Vec<_> = factor.pieces().collect();
    let access = |pieces: &[u32]| {
        let mut addrs = [0; 32];
        addrs.iter_mut().zip(pieces).for_each(|(addr, piece)| *addr = (*piece).into());
        let active = LaneMask::first(pieces.len() as u32);
        let (space, direction) = (Space::Shared, Direction::Load);
        Access { space, direction, bytes: PIECE, route: Route::Wgmma, active, addrs }
    };
    pieces.chunks(32).map(access).collect()
}

/// Computes the warp's part of one wgmma operation.
fn multiply(place: &mut ExecContext<'_>, of: &Wgmma<Reg>, product: &WgmmaInFlight, rank: u32) {
    let [a, b] = product.descriptors;
    let (a, b) = (Factor::a(of, a, rank), Factor::b(of, b));
    let in_shared = of.held().is_empty();
    let own = &place.shared[place.seen().own_start() as usize / 4..];
    let of_a = if in_shared { read(own, a) } else { Vec::new() };
    let of_b = read(own, b);
    let regs = &mut place.warp.regs;
    // In runs that only count, matrices hold no values: see `tensor::sums`.
    let nothing = |pieces: &[[u32; 4]]| pieces.iter().all(|piece| *piece == [0; 4]);
    if nothing(&of_a) && nothing(&of_b) && of.registers().all(|reg| regs.wide(reg) == [0; 32]) {
        return;
    }
    let c = |c: u64| if product.adds { c as u32 } else { 0 };
    let [ty_a, ty_b] = of.factors;
    let to = Sums { sum: of.sum, addend: of.sum, c: &of.d };
    let of_a = in_shared.then_some((a, &of_a[..]));
    let sums = if ty_a.bits() == 8 {
        let line = |ty| move |row: &[u32]| ByteVector::new(ty, row.iter().copied());
        let rows = lines(regs, of, of_a, line(ty_a));
        let columns = b.rows(&of_b, line(ty_b));
        tensor::each(regs, &to, |row, column, before| {
            rows[row].dot(&columns[column], c(before), (of.sum, of.satfinite)).into()
        })
    } else {
        let line = |row: &[u32]| Vector::new(ty_a, row.iter().copied());
        let rows = lines(regs, of, of_a, line);
        let columns = b.rows(&of_b, line);
        let core = Core::new(HOPPER, ty_a, of.k() as usize, of.sum);
        tensor::each(regs, &to, |row, column, before| {
            core.dot(&rows[row], &columns[column], c(before)).into()
        })
    };
    for (reg, row) in of.d.iter().zip(&sums) {
        regs.set_wide(*reg, row, LaneMask::ALL);
    }
}

/// Reads the pieces of a factor from shared memory.
fn read(shared: &[u32], factor: Factor) -> Vec<[u32; 4]> {
    let word = |addr: u32| shared.get(addr as usize / 4).copied().unwrap_or_default();
    factor.pieces().map(|addr| std::array::from_fn(|i| word(addr + 4 * i as u32))).collect()
}

/// The rows of a that the warp uses, in shared memory or in its registers; `line` makes one of its
/// elements.
fn lines<R>(
    regs: &Regs,
    of: &Wgmma<Reg>,
    shared: Option<(Factor, &[[u32; 4]])>,
    line: impl Fn(&[u32]) -> R,
) -> Vec<R> {
    if let Some((factor, pieces)) = shared {
        return factor.rows(pieces, line);
    }
    let ty = of.factors[0];
    let flip = if of.negated[0] { sign(ty) } else { 0 };
    let rows = tensor::lines(regs, of.held(), true);
    let row = |words: &[u32; 8]| {
        line(&tensor::elements(words, ty).map(|bits| bits ^ flip).collect::<Vec<_>>())
    };
    rows.iter().map(row).collect()
}
