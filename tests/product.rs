//! The simulated C of every kernel, tile and awkward size is the product, bit for bit.

use matviz::analysis::grid;
use matviz::kernel::{EMBEDDED_TILES, KERNELS, Problem};
use matviz::matrix::{Operand, SEED, Size, fill, product, relative_error, tolerance};
use matviz::sim::Order;
use std::borrow::Cow;
use std::sync::Arc;

/// What both kernels compute: one chain of fused multiply-adds per element, in the order of k.
fn chained(size: Size) -> Vec<f32> {
    let (a, b) = (fill(SEED, Operand::A, size), fill(SEED, Operand::B, size));
    let (n, k) = (size.n as usize, size.k as usize);
    let element = |row: usize, col: usize| {
        (0..k).fold(0.0_f32, |acc, i| a[row * k + i].mul_add(b[i * n + col], acc))
    };
    (0..size.m as usize)
        .flat_map(|row| (0..n).map(move |col| (row, col)))
        .map(|(r, c)| element(r, c))
        .collect()
}

#[test]
fn every_kernel_computes_the_product() {
    for size in ["64", "1", "17", "100x36x257", "33x65x1"] {
        let size: Size = size.parse().unwrap();
        let expected = chained(size);
        let (a, b) = (fill(SEED, Operand::A, size), fill(SEED, Operand::B, size));
        let exact = product(&a, &b, size, 0..size.m);
        for kernel in KERNELS {
            for tile in EMBEDDED_TILES {
                let ptx = Cow::Borrowed(kernel.embedded(tile).unwrap());
                let problem = Problem { kernel, size, tile, seed: SEED, ptx };
                let program = problem.program().unwrap();
                let memory = problem.dense_memory();
                let counters = grid::run(problem.launch(), |block| {
                    problem.machine(Arc::clone(&program), block, memory.clone(), Order::default())
                })
                .unwrap();
                let c = memory.floats("C");
                let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert!(bits(&c) == bits(&expected), "{} tile {tile}, size {size}", kernel.name);
                assert!(relative_error(&c, &exact) <= tolerance(size.k));
                assert!(counters.thread_fma > 0);
            }
        }
    }
}
