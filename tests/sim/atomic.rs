//! Atomic operations of blocks that run concurrently.

use crate::kernel::{program, text};
use matviz::analysis::grid;
use matviz::launch::{Dim3, Launch};
use matviz::sim::{Machine, Memory, Order, Program};
use std::sync::Arc;

/// Runs the kernel on many blocks concurrently; returns `out` words of output.
fn run(program: &Arc<Program>, blocks: u32, threads: u32, out: usize) -> Vec<u32> {
    let mut memory = Memory::new();
    let input = memory.add("in", &[0.0; 4]);
    let output = memory.add("out", &vec![0.0; out]);
    memory.declare(program);
    let params: Vec<u8> = [input, output].iter().flat_map(|addr| addr.to_le_bytes()).collect();
    let launch = Launch { grid: Dim3::flat(blocks, 1), block: Dim3::flat(threads, 1) };
    let machine = |block| {
        let (program, memory) = (Arc::clone(program), memory.clone());
        Machine::new(program, launch, block, &params, memory, Order::default())
    };
    grid::run(launch, machine).unwrap();
    memory.floats("out").iter().map(|word| word.to_bits()).collect()
}

#[test]
fn no_sum_is_lost_between_blocks() {
    let program = program(&text(
        ".reg .b64 %one; .reg .b32 %old;
        red.global.add.u32 [%out], 3;
        mov.u64 %one, 0xffffffff;
        red.global.add.u64 [%out+8], %one;
        atom.global.max.u32 %old, [%out+4], %tid;",
    ));
    let out = run(&program, 3000, 64, 4);
    let wide = 3000 * 64 * 0xffff_ffff_u64;
    assert_eq!(out, [3 * 64 * 3000, 63, wide as u32, (wide >> 32) as u32]);
}

/// Odd blocks add one to both halves of a pair, even ones check that the halves are equal.
#[test]
fn nobody_sees_half_of_a_pair_changed() {
    let program = program(&text(
        ".reg .b64 %both, %seen; .reg .b32 %block, %low, %high; .reg .pred %odd, %torn;
        mov.u32 %block, %ctaid.x;
        and.b32 %block, %block, 1;
        setp.eq.u32 %odd, %block, 1;
        mov.u64 %both, 0x100000001;
        @%odd red.global.add.u64 [%out], %both;
        @!%odd ld.volatile.global.u64 %seen, [%out];
        @%odd bra DONE;
        mov.b64 {%low, %high}, %seen;
        setp.ne.u32 %torn, %low, %high;
        @%torn red.global.add.u32 [%out+8], 1;
        DONE:",
    ));
    let out = run(&program, 6000, 32, 4);
    assert_eq!(out, [3000 * 32, 3000 * 32, 0, 0]);
}
