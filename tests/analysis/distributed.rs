//! Counts of accesses to the shared memory of other blocks, against those of an H100: one kernel for
//! each line of tests/data/analysis/h100_distributed.jsonl, in which a warp makes one access.

use matviz::analysis::Counters;
use matviz::analysis::vectorise::Replacement;
use matviz::launch::{Dim3, Launch};
use matviz::sim::{Machine, Memory, Order, lower};
use ptx::parse;
use serde_json::Value;
use std::sync::Arc;

const MEASURED: &str = include_str!("../data/analysis/h100_distributed.jsonl");

/// Atomic operations that SASS executes as a loop, or lane by lane where lanes meet in a word.
const LOOPS: [&str; 8] = [
    "red_f32",
    "atom_f32",
    "atom_cas",
    "atom_cas_same",
    "atom64",
    "redasync32_s0",
    "redasync_own_s0",
    "stasync_own32_s0",
];

/// The kernel of a line, in which the blocks of the lowest ranks execute its body.
fn kernel(row: &Value) -> String {
    let lines: Vec<_> =
        row["body"].as_array().expect("lines").iter().filter_map(Value::as_str).collect();
    let (blocks, ranks, body) = (&row["blocks"], &row["ranks"], lines.join("\n"));
    let meet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
    format!(
        ".version 8.1\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 sm[16384];
.shared .align 8 .b64 bar;\n.visible .entry k(.param .u64 out) .explicitcluster .reqnctapercluster {blocks}, 1, 1
{{\n.reg .pred %mine, %p<4>; .reg .b16 %h<8>; .reg .b32 %t, %k, %a, %o, %m, %r<40>; .reg .b64 %d<10>;
.reg .f32 %f<8>;\nld.param.u64 %d0, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %k, %cluster_ctarank;
mov.u32 %r30, sm;\nmov.u32 %r31, bar;\nmov.f32 %f1, 0f3F800000;\nsetp.eq.u32 %p0, %t, 0;
@%p0 mbarrier.init.shared::cta.b64 [%r31], 1;\n@%p0 fence.mbarrier_init.release.cluster;
{meet}setp.lt.u32 %mine, %k, {ranks};\n@!%mine bra DONE;\n{body}\nDONE:\n{meet}ret;\n}}\n"
    )
}

fn counted(row: &Value) -> Counters {
    let program = Arc::new(lower(&parse(&kernel(row)).expect("PTX"), "k").expect("lowered"));
    let mut memory = Memory::new();
    let params = memory.add("out", &[0.0; 64]).to_le_bytes();
    let number = |key: &str| row[key].as_u64().expect("a number") as u32;
    let launch = Launch {
        grid: Dim3::flat(number("blocks"), 1),
        block: Dim3::flat(32 * number("warps"), 1),
    };
    let (place, order) = (Dim3::flat(0, 0), Order::RoundRobin);
    let mut machine = Machine::new(program, launch, place, &params, memory, order);
    let mut counters = Counters::default();
    while let Some(step) = machine.step().expect("no fault") {
        counters.add(step, Replacement::default());
    }
    counters
}

#[test]
fn requests_and_sectors_are_those_of_an_h100() {
    let mut wrong = Vec::new();
    for line in MEASURED.lines().skip(1) {
        let row: Value = serde_json::from_str(line).expect("JSON");
        let name = row["name"].as_str().expect("a name");
        let shared = counted(&row).ptx.shared;
        let bulk = counted(&row).ptx.transfers.across.sectors;
        let distributed = shared.distributed;
        if LOOPS.contains(&name) {
            if distributed.uncounted != 1 || distributed.all() != 1 {
                wrong.push(format!("{name}: {distributed:?}"));
            }
            continue;
        }
        let pair = |key: &str| [&row[key][0], &row[key][1]].map(|of| of.as_u64().unwrap_or(0));
        let one = |key: &str| row[key].as_u64().unwrap_or(0);
        let found = [
            ("loads", [distributed.loads.requests, distributed.loads.sectors]),
            ("stores", [distributed.stores.requests, distributed.stores.sectors]),
            ("atomics", [distributed.atomics.requests, distributed.atomics.sectors]),
            ("reductions", [distributed.reductions.requests, distributed.reductions.sectors]),
        ];
        let own = [
            ("own_loads", shared.loads.instructions),
            ("own_stores", shared.stores.instructions),
            ("bulk_sectors", bulk),
        ];
        let differ = found.into_iter().filter(|(key, found)| *found != pair(key));
        wrong.extend(
            differ.map(|(key, found)| format!("{name} {key}: {found:?}, not {:?}", pair(key))),
        );
        let differ = own.into_iter().filter(|(key, found)| *found != one(key));
        wrong.extend(differ.map(|(key, found)| format!("{name} {key}: {found}, not {}", one(key))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
