//! A tiny kernel around a few instructions: parsed, lowered and run like any other.

use matviz::launch::{Dim3, Launch};
use matviz::sim::{Fault, Machine, Memory, Order, Program, lower};
use ptx::parse;
use std::sync::Arc;

/// A kernel `k` with the addresses `in` and `out` in `%in` and `%out`, and `%tid.x` in `%tid`.
pub(crate) fn text(body: &str) -> String {
    format!(
        ".version 7.0\n.target sm_52\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b64 %in, %out, %at;\n.reg .b32 %tid;\n\
         ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %tid, %tid.x;\n\
         {body}\nret;\n}}\n"
    )
}

/// The kernel of `text`, ready to run.
pub(crate) fn program(text: &str) -> Arc<Program> {
    let module = parse(text).unwrap_or_else(|e| panic!("{}", e[0].render(text, "test.ptx")));
    let program = lower(&module, "k").unwrap_or_else(|e| panic!("{}", e.render(text, "test.ptx")));
    Arc::new(program)
}

/// Runs one block of `threads` on `input`; returns `out` words of output and the number of steps.
pub(crate) fn run(
    program: &Arc<Program>,
    threads: u32,
    input: &[u32],
    out: usize,
) -> Result<(Vec<u32>, usize), Fault> {
    let (mut machine, memory) = machine(program, threads, input, out);
    let mut steps = 0;
    while machine.step()?.is_some() {
        steps += 1;
        assert!(steps < 100_000, "this kernel does not end");
    }
    let words = memory.floats("out").iter().map(|word| word.to_bits()).collect();
    Ok((words, steps))
}

/// The block before its first instruction, and the memory that it writes to.
pub(crate) fn machine(
    program: &Arc<Program>,
    threads: u32,
    input: &[u32],
    out: usize,
) -> (Machine, Memory) {
    machine_in(program, threads, input, out, Order::default())
}

/// The same with its warps in this order.
pub(crate) fn machine_in(
    program: &Arc<Program>,
    threads: u32,
    input: &[u32],
    out: usize,
    order: Order,
) -> (Machine, Memory) {
    let mut memory = Memory::new();
    let floats: Vec<_> = input.iter().map(|bits| f32::from_bits(*bits)).collect();
    let input = memory.add("in", &floats);
    let out = memory.add("out", &vec![0.0; out]);
    let params: Vec<u8> = [input, out].iter().flat_map(|addr| addr.to_le_bytes()).collect();
    let launch = Launch { grid: Dim3::flat(1, 1), block: Dim3::flat(threads, 1) };
    let place = Dim3::flat(0, 0);
    (Machine::new(Arc::clone(program), launch, place, &params, memory.clone(), order), memory)
}
