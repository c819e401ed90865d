//! `st.async`, `red.async`: stores to shared memory that an mbarrier counts; they land at a wait, as
//! bulk copies do.

use super::bulk::{begin, lane_address, mbarrier_at, reached};
use super::failed::Failed;
use super::reach::Reach;
use crate::sim::bulk::{BulkOther, BulkPiece, BulkStarted};
use crate::sim::exec_context::ExecContext;
use crate::sim::program::Reg;
use crate::sim::step::{Effect, Step};
use ptx::StoreAsync;
use std::sync::Arc;

/// Starts the store of each active lane.
pub(super) fn execute(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    store: &StoreAsync<Reg>,
) -> Result<(), Failed> {
    let each = (store.ty.bytes() as usize * store.src.len()) as u8;
    let mut started = Vec::new();
    for lane in step.active.lanes() {
        let mbarrier = Some(mbarrier_at(place, &store.mbarrier, lane)?);
        let addr = lane_address(place, &store.addr, lane);
        let shared = reached(place, addr, each, (Reach::Named, lane))?;
        let pieces = vec![BulkPiece { shared, other: 0, inside: [0, 0] }];
        let copy = Arc::new(BulkStarted {
            warp: step.warp,
            lane: lane as u8,
            mbarrier,
            each,
            other: BulkOther::Registers,
            reduces: store.reduces.map(|op| (op, store.ty)),
            pieces,
        });
        let words = words(place, store, lane);
        begin(place, (&copy, vec![words]), lane)?;
        started.push(copy);
    }
    step.effect = Effect::Bulk(started);
    Ok(())
}

fn words(place: &ExecContext<'_>, store: &StoreAsync<Reg>, lane: usize) -> [u32; 4] {
    let mut words = [0; 4];
    let each = store.ty.bytes() as usize / 4;
    for (element, reg) in store.src.iter().enumerate() {
        let value = place.warp.regs.wide(*reg)[lane];
        for half in 0..each {
            words[element * each + half] = (value >> (32 * half)) as u32;
        }
    }
    words
}
