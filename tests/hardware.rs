//! The simulation beside a GPU's own counters, launch by launch: tests/data/h200_kernels.jsonl.

use matviz::analysis::executed::Joins;
use matviz::analysis::{Counters, classes, grid};
use matviz::kernel::{Foreign, Problem, Wanted, sha256};
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::ptx;
use matviz::sim::Order;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

/// Takes one of the counts.
type Counter = fn(&Counters) -> u64;

/// The counter that stands for each of Nsight Compute's metrics.
const METRICS: &[(&str, Counter)] = &[
    ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", |c| c.global_load_requests),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", |c| c.global_load_sectors),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", |c| c.global_store_requests),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", |c| c.global_store_sectors),
    ("smsp__sass_inst_executed_op_shared_ld.sum", |c| c.shared_load_instructions),
    ("smsp__sass_inst_executed_op_shared_st.sum", |c| c.shared_store_instructions),
    ("memory_l1_wavefronts_shared", |c| c.shared_wavefronts),
    ("memory_l1_wavefronts_shared_ideal", |c| c.shared_wavefronts_ideal),
];

fn problem(row: &Value) -> Problem {
    let number = |value: &Value| value.as_u64().expect("a number") as u32;
    let list = |name: &str| row[name].as_array().expect("a list").iter().map(number).collect();
    let place = |list: Vec<u32>| {
        let side = |axis: usize| list.get(axis).copied().unwrap_or(1);
        Dim3::new(side(0), side(1), side(2))
    };
    let file = row["ptx"].as_str().expect("a file");
    let ptx = fs::read_to_string(file).expect("it can be read");
    assert_eq!(sha256(ptx.as_bytes()), row["ptx_sha256"], "{file} is not what was measured");
    let size: Vec<u32> = list("size");
    let size = Size { m: size[0], n: size[1], k: size[2] };
    let wanted = Wanted {
        entry: row["entry"].as_str().map(str::to_owned),
        grid: Some(place(list("grid"))),
        block: place(list("block")),
        args: row["args"].as_str().map(str::to_owned),
        shared: number(&row["dynamic_shared_bytes"]),
        source: None,
    };
    let module = ptx::parse(&ptx).expect("it can be parsed");
    let foreign = Foreign::new(&module, size, wanted).expect("it can be launched");
    Problem::foreign(foreign, size, ptx)
}

fn simulate(problem: &Problem) -> Counters {
    let program = problem.program().expect("it can be lowered");
    let memory = problem.hollow_memory(&program);
    let machine = |at| problem.machine(Arc::clone(&program), at, memory.clone(), Order::default());
    let classes = classes::classes(problem.launch(), grid::BUDGET, machine).expect("classes");
    classes::sum(&classes).expect("it runs")
}

/// Whether a metric depends on what ptxas joins.
fn is_shared(metric: &str) -> bool {
    metric.contains("shared")
}

#[test]
fn the_counts_as_executed_are_the_hardwares() {
    let rows = fs::read_to_string("tests/data/h200_kernels.jsonl").expect("it is there");
    let (mut wrong, mut right, mut doubted) = (Vec::new(), 0, BTreeSet::new());
    for row in rows.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")) {
        let problem = problem(&row);
        let joins = Joins::of(&problem.program().expect("it can be lowered"));
        let doubts = joins.doubts().next().is_some();
        if doubts {
            doubted.insert(row["ptx"].as_str().expect("a file").to_owned());
        }
        let counted = simulate(&problem).as_executed();
        let multiply_adds = ["ffma", "dfma"].map(|op| {
            row["metrics"][format!("smsp__sass_thread_inst_executed_op_{op}_pred_on.sum")].as_u64()
        });
        let [in_float, in_double] = multiply_adds.map(Option::unwrap_or_default);
        assert_eq!(counted.thread_fma, in_float + in_double, "{} {}", row["ptx"], row["size"]);
        for (name, counter) in METRICS.iter().filter(|(name, _)| !(doubts && is_shared(name))) {
            let (found, expected) = (counter(&counted), row["metrics"][name].as_u64());
            if expected == Some(found) {
                right += 1;
            } else {
                let what = format!("{} {}, {name}", row["ptx"], row["size"]);
                wrong.push(format!("{what}: simulated {found}, hardware {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{right} right, {} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(right > 800, "{right}");
    // ptxas unrolls their inner loop further, and so joins more than can be foretold.
    let unrolled = ["", "_twice", "_vector", "_vector_column"];
    let unrolled = unrolled.map(|name| format!("tests/data/joins/kernels/blocked{name}.ptx"));
    assert_eq!(doubted, BTreeSet::from(unrolled));
}
