//! Visibility of writes to the async proxy, through which tensor cores and transfers read: which
//! writes to shared memory a proxy fence has made visible.

use crate::analysis::check::epoch::{Epoch, ThreadId};
use crate::analysis::check::happens_before::HappensBefore;
use crate::analysis::check::thread_clock::ThreadClock;
use crate::sim::LaneMask;

/// The number of fences remembered for each warp; those after the last barrier matter.
const MOST: usize = 16;

/// Every `fence.proxy.async` of a block that may matter, by warp.
///
/// A write is ordered before a read through another proxy only if such a fence lies between them:
/// after the write and before the barrier, or after the barrier and before the read (PTX ISA,
/// "Causality Order": proxy-preserved base causality order).
#[derive(Debug, Default)]
pub(in crate::analysis::check) struct ProxyFences {
    warps: Vec<Vec<Fence>>,
}

#[derive(Debug)]
struct Fence {
    lanes: LaneMask,
    epoch: Epoch,
    /// The accesses of other threads that are ordered before it.
    before: ThreadClock,
}

impl ProxyFences {
    pub(in crate::analysis::check) fn start(&mut self, warps: usize) {
        self.warps.clear();
        self.warps.resize_with(warps, Vec::new);
    }

    /// `lanes` of a warp execute a fence.
    pub(in crate::analysis::check) fn fence(
        &mut self,
        clock: &mut HappensBefore,
        warp: usize,
        lanes: LaneMask,
    ) {
        let Some(first) = lanes.lanes().next() else { return };
        let (epoch, before) = (clock.now(), clock.view(ThreadId::new(warp, first)));
        let fences = &mut self.warps[warp];
        if fences.len() == MOST {
            fences.remove(0);
        }
        fences.push(Fence { lanes, epoch, before });
        clock.tick();
    }

    /// The epochs of a thread's fences.
    pub(in crate::analysis::check) fn of(
        &self,
        thread: ThreadId,
    ) -> impl Iterator<Item = Epoch> + '_ {
        let own = self.warps.get(thread.warp()).into_iter().flatten();
        own.filter(move |fence| fence.lanes.has(thread.lane())).map(|fence| fence.epoch)
    }

    /// Whether the async proxy, as `reader` uses it, sees what `writer` wrote at `epoch`.
    pub(in crate::analysis::check) fn show(
        &self,
        clock: &HappensBefore,
        reader: ThreadId,
        (writer, epoch): (ThreadId, Epoch),
    ) -> bool {
        self.warps.iter().enumerate().any(|(by, fences)| {
            let later = |fence: &&Fence| {
                let own = by == writer.warp() && fence.lanes.has(writer.lane());
                own && epoch <= fence.epoch || fence.before.holds(writer, epoch)
            };
            let reaches = |fence: &Fence| {
                let lane = fence.lanes.lanes().next().unwrap_or(0);
                by == reader.warp() || clock.ordered(reader, ThreadId::new(by, lane), fence.epoch)
            };
            fences.iter().filter(later).any(reaches)
        })
    }
}
