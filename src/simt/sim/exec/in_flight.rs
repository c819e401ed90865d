//! Instructions that start something and go on, or wait for it.

mod bulk;
mod cluster;
mod copy;
mod mbarrier;
mod wgmma;

pub(super) use cluster::in_space;
pub(super) use wgmma::{begin as begin_product, group as product_group};

use crate::sim::exec_context::ExecContext;
use crate::sim::failed::Failed;
use crate::sim::in_flight::{Awaited, InFlight};
use crate::sim::mask::LaneMask;
use crate::sim::program::{Inst, Reg};
use crate::sim::reach::SharedView;
use crate::sim::step::Step;
use crate::sim::warp::Warp;
use ptx::{AsyncOp, Op};

pub(super) fn execute(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    op: &AsyncOp<Reg>,
) -> Result<(), Failed> {
    match op {
        AsyncOp::Copy { bytes, past_l1, dst, src, part } => {
            copy::begin(place, step, (*bytes, *past_l1), [dst, src], part)
        }
        AsyncOp::CopyGroup(group) => {
            copy::group(place, step, *group);
            Ok(())
        }
        AsyncOp::Mbarrier(operation) => mbarrier::execute(place, step, operation),
        AsyncOp::Bulk(copy) => bulk::execute(place, step, copy),
        AsyncOp::Store(store) => bulk::store_async(place, step, store),
        AsyncOp::ClusterBarrier { waits, aligned, .. } => {
            cluster::barrier(place, step, (*waits, *aligned))
        }
        AsyncOp::MapShared { dst, addr, rank, .. } => cluster::map(place, step, [dst, addr, rank]),
        AsyncOp::RankOfShared { dst, addr, .. } => cluster::rank(place, step, [dst, addr]),
        AsyncOp::ProxyFence | AsyncOp::MbarrierFence | AsyncOp::BulkGroup { .. } => Ok(()),
    }
}

/// What lanes of a warp, about to execute `inst`, are blocked on: `None` if any of them need not
/// wait, or the wait is a fault.
pub(in crate::sim) fn blocked_on(
    (warp, number): (&Warp, usize),
    (in_flight, seen): (&InFlight, SharedView<'_>),
    inst: &Inst,
    lanes: LaneMask,
) -> Option<Awaited> {
    let Op::Async(op) = &inst.op else { return None };
    let active = warp.active(inst, lanes);
    match op {
        AsyncOp::ClusterBarrier { waits: true, .. } => {
            in_flight.cluster_barrier.holds(number, active).then_some(Awaited::Blocks)
        }
        AsyncOp::Mbarrier(operation) if operation.may_wait() => {
            mbarrier::blocked_on(warp, (in_flight, seen), operation, active)
        }
        _ => None,
    }
}
