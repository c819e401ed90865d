//! The run of a block as trace events, which Perfetto and chrome://tracing open: a track for each warp,
//! a slice for each instruction, and one track for the supersteps. What stands there as a microsecond
//! is a step: a step is no time.

use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::sim::Pc;
use crate::study::superstep::Superstep;
use crate::trace::{OpKind, StepRecord, Trace};
use serde_json::{Value, json};

/// The track of the supersteps; those of the warps follow.
const SUPERSTEPS: usize = 0;

/// A recorded run of a block.
#[derive(Clone, Copy, Debug)]
pub struct BlockTimeline<'a> {
    pub problem: &'a Problem,
    pub block: Dim3,
    pub trace: &'a Trace,
    pub supersteps: &'a [Superstep],
}

impl BlockTimeline<'_> {
    /// The events as one JSON object, with a newline.
    pub fn json(&self) -> String {
        let mut events = self.tracks();
        events.extend(self.supersteps.iter().enumerate().map(superstep));
        for (at, record) in self.trace.records().iter().enumerate() {
            events.push(self.instruction(at, record));
        }
        events.extend(self.barriers());
        let all = json!({
            "traceEvents": events,
            "otherData": { "unit": "a step, shown as 1 us: steps, not time", "simulated": true },
        });
        format!("{all}\n")
    }

    /// The names of the process and of its tracks.
    fn tracks(&self) -> Vec<Value> {
        let Self { problem, block, .. } = self;
        let name = format!(
            "{} at {}, block ({},{}): steps, not time",
            problem.name(),
            problem.size,
            block.x,
            block.y
        );
        let of_process = json!({
            "ph": "M", "name": "process_name", "pid": 1, "tid": SUPERSTEPS, "args": { "name": name },
        });
        let warps = self.trace.records().iter().map(|record| record.warp).max();
        let warps = warps.map_or(0, |last| last + 1);
        let names = std::iter::once("supersteps".to_owned())
            .chain((0..warps).map(|warp| format!("warp {warp}")));
        let tracks = names.enumerate().flat_map(|(tid, name)| {
            [("thread_name", json!({ "name": name })), ("thread_sort_index", json!({ "sort_index": tid }))]
                .map(|(what, args)| json!({ "ph": "M", "name": what, "pid": 1, "tid": tid, "args": args }))
        });
        std::iter::once(of_process).chain(tracks).collect()
    }

    fn instruction(&self, at: usize, record: &StepRecord) -> Value {
        let mut args = json!({ "step": at + 1, "ptx": self.text(record.pc) });
        if let Some(line) = self.trace.line(record.pc) {
            args["line"] = line.into();
        }
        if record.passes > 0 {
            args["passes over the banks"] = record.passes.into();
        }
        json!({
            "ph": "X", "name": self.name(record), "cat": category(record.kind), "pid": 1,
            "tid": track(record.warp), "ts": at, "dur": 1, "args": args,
        })
    }

    /// The waits at barriers, the moments at which these open, and whom they let go on.
    fn barriers(&self) -> Vec<Value> {
        let records = self.trace.records();
        let mut events = Vec::new();
        // For each warp that waits, the step after which it does.
        let mut waiting = std::collections::BTreeMap::<u16, usize>::new();
        let mut flows = 0;
        let mut opened = Vec::<(u16, usize)>::new();
        for (at, record) in records.iter().enumerate() {
            if let Some(since) = waiting.remove(&record.warp) {
                events.push(json!({
                    "ph": "X", "name": format!("waits at barrier {}", records[since].barrier),
                    "cat": "wait", "pid": 1, "tid": track(record.warp), "ts": since + 1,
                    "dur": at - since - 1,
                }));
            }
            if let Some(place) = opened.iter().position(|(warp, _)| *warp == record.warp) {
                let (warp, by) = opened.swap_remove(place);
                flows += 1;
                let flow = |ph: &str, warp: u16, ts: usize| {
                    json!({
                        "ph": ph, "bp": "e", "name": "barrier", "cat": "barrier", "id": flows, "pid": 1,
                        "tid": track(warp), "ts": ts,
                    })
                };
                events.push(flow("s", records[by].warp, by));
                events.push(flow("f", warp, at));
            }
            if record.kind == OpKind::Barrier && !record.released {
                waiting.insert(record.warp, at);
            }
            if record.released {
                events.push(json!({
                    "ph": "i", "name": format!("barrier {} opens", record.barrier), "cat": "barrier",
                    "s": "p", "pid": 1, "tid": track(record.warp), "ts": at + 1,
                }));
                opened.extend(waiting.keys().map(|warp| (*warp, at)));
            }
        }
        events
    }

    /// The instruction, without its operands: `ld.global.f32`.
    fn name(&self, record: &StepRecord) -> String {
        let text = self.text(record.pc);
        let words = text.split_whitespace().filter(|word| !word.starts_with('@'));
        words.take(1).map(|word| word.trim_end_matches(';')).collect()
    }

    fn text(&self, pc: Pc) -> &str {
        self.trace.program().inst(pc).span.of(&self.problem.ptx).trim()
    }
}

fn superstep((number, band): (usize, &Superstep)) -> Value {
    let args = json!({ "stores": band.stores, "reads": band.reads, "leaves live": band.live });
    json!({
        "ph": "X", "name": format!("superstep {}", number + 1), "cat": "superstep", "pid": 1,
        "tid": SUPERSTEPS, "ts": band.steps.start, "dur": band.steps.len(), "args": args,
    })
}

fn track(warp: u16) -> usize {
    usize::from(warp) + 1
}

const fn category(kind: OpKind) -> &'static str {
    match kind {
        OpKind::Compute => "compute",
        OpKind::Fma => "fma",
        OpKind::GlobalLoad => "global load",
        OpKind::GlobalStore => "global store",
        OpKind::SharedLoad => "shared load",
        OpKind::SharedStore => "shared store",
        OpKind::Branch => "branch",
        OpKind::Barrier => "barrier",
        OpKind::Exit => "exit",
    }
}
