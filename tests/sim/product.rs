//! The simulated C of every kernel, tile and awkward size is the product, bit for bit.

use matviz::analysis::{Counters, block_classes, grid};
use matviz::kernel::{KERNELS, Kernel, Problem, Variant};
use matviz::matrix::{ElementType, Operand, SEED, Size, fill, product, relative_error, tolerance};
use matviz::sim::Order;
use matviz::work::WorkToken;
use std::borrow::Cow;
use std::sync::Arc;

/// The sum in every kernel: one chain of fused multiply-adds per element, in the order of k.
fn chained(size: Size, of_ab: ElementType) -> Vec<f32> {
    let rounded =
        |of| fill(SEED, of, size).into_iter().map(|value| of_ab.round(value.into()) as f32);
    let [a, b] = [Operand::A, Operand::B].map(|of| rounded(of).collect::<Vec<_>>());
    let (n, k) = (size.n as usize, size.k as usize);
    let element = |row: usize, col: usize| {
        (0..k).fold(0.0_f32, |acc, i| a[row * k + i].mul_add(b[i * n + col], acc))
    };
    let places = (0..size.m as usize).flat_map(|row| (0..n).map(move |col| (row, col)));
    places.map(|(row, col)| element(row, col)).collect()
}

/// Runs the whole grid; returns C and the counts.
fn simulate(problem: &Problem, order: &Order) -> (Vec<f32>, Counters) {
    let program = problem.program().expect("it is supported");
    let memory = problem.dense_memory(&program);
    let machine =
        |block| problem.machine(Arc::clone(&program), block, memory.clone(), order.clone());
    let counters = grid::run(problem.launch, machine).expect("it is sound");
    let c = memory.named("C").expect("it has C");
    (problem.words_of_c(c).collect(), counters)
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Whether groups of warps share the steps of k of one tile, or tensor cores take several steps at
/// once.
fn sums_apart(problem: &Problem) -> bool {
    let variant = problem.known.expect("it is of the catalogue").variant;
    variant.tensor > 0 || variant.macros.contains(&"SLICES=4")
}

/// Every kernel with every embedded tile that has this form of PTX.
fn every(size: Size, form: impl Fn(&Variant) -> Option<&'static str>) -> Vec<Problem> {
    let variants = |kernel: &'static Kernel| kernel.variants.iter().map(move |v| (kernel, *v));
    let problem = |(kernel, variant)| {
        Some(Problem::of(kernel, variant, size, Cow::Borrowed(form(&variant)?)))
    };
    KERNELS.iter().flat_map(variants).filter_map(problem).collect()
}

const fn embedded(variant: &Variant) -> Option<&'static str> {
    variant.ptx
}

/// The PTX with rolled loops, if it is embedded.
const fn rolled(variant: &Variant) -> Option<&'static str> {
    variant.rolled
}

#[test]
fn every_kernel_computes_the_product() {
    for size in ["64", "1", "17", "100x36x257", "33x65x1"] {
        let size: Size = size.parse().expect("a size");
        let expected = [ElementType::F32, ElementType::F16].map(|of| chained(size, of));
        for problem in every(size, embedded) {
            let whole = |of| (0..size.elements(of)).map(move |at| (of, at));
            let before =
                |of| whole(of).map(|(of, at)| problem.before(of, at) as f32).collect::<Vec<_>>();
            let [a, b] = [Operand::A, Operand::B].map(before);
            let exact = product(&a, &b, size, 0..size.m);
            let expected =
                &expected[usize::from(problem.element_type(Operand::A) == ElementType::F16)];
            let (c, counters) = simulate(&problem, &Order::default());
            let tile = problem.tile().expect("it is of the catalogue");
            let what = format!("{} tile {tile}, size {size}", problem.name());
            // If groups of warps share the steps of k, their sums are added at the end.
            assert!(sums_apart(&problem) || bits(&c) == bits(expected), "{what}");
            assert!(relative_error(&c, &exact) <= tolerance(size.k), "{what}");
            let multiplied = counters.ptx.thread_fma + counters.ptx.tensor.multiply_adds;
            assert!(multiplied >= u64::from(size.m) * u64::from(size.n), "{what}");
        }
    }
}

#[test]
fn no_order_of_the_warps_changes_a_bit() {
    let size = "40x50x60".parse().expect("a size");
    for problem in every(size, embedded) {
        let (c, counters) = simulate(&problem, &Order::RoundRobin);
        let seeds = [Order::Random(1), Order::Random(2)];
        let others =
            [Order::ToBarrier, Order::ByPhase, Order::EarlyCopies].into_iter().chain(seeds);
        for order in others {
            assert_eq!((bits(&c), counters), {
                let (c, counters) = simulate(&problem, &order);
                (bits(&c), counters)
            });
        }
    }
}

/// Its blocks go down C in bands; at the edges, tiles are moved back inside.
#[test]
fn half_wgmma_is_counted_by_classes_as_by_every_block() {
    let kernel = matviz::kernel::find("half_wgmma").expect("a rung");
    let variant = kernel.variants[0];
    for size in ["300x520x136", "136x264x200", "129x257x65", "1100x600x72"] {
        let ptx = Cow::Borrowed(variant.ptx.expect("embedded"));
        let problem = Problem::of(kernel, variant, size.parse().expect("a size"), ptx);
        let program = problem.program().expect("it is supported");
        let hollow = problem.bounds_only_memory(&program);
        let machine =
            |at| problem.machine(Arc::clone(&program), at, hollow.clone(), Order::default());
        let classes =
            block_classes::classes(problem.launch, grid::BUDGET, machine, &WorkToken::default())
                .expect("classes");
        let (_, every) = simulate(&problem, &Order::default());
        assert_eq!(block_classes::sum(&classes).expect("it runs"), every, "{size}");
    }
}

/// Clusters have more than one pair of tiles each, one of which is partly outside of C.
#[test]
fn blocks_that_take_tiles_in_turns_compute_all_of_c() {
    let kernel = matviz::kernel::find("half_tma").expect("a rung");
    let variant = kernel.variants[0];
    let size: Size = "1100x900x72".parse().expect("a size");
    let ptx = Cow::Borrowed(variant.ptx.expect("embedded"));
    let problem = Problem::of(kernel, variant, size, ptx);
    assert_eq!(problem.launch.blocks(), 132, "fewer than tiles");
    let before = |of: Operand| {
        let all = 0..size.elements(of);
        all.map(|at| problem.before(of, at) as f32).collect::<Vec<_>>()
    };
    let exact = product(&before(Operand::A), &before(Operand::B), size, 0..size.m);
    let (c, counters) = simulate(&problem, &Order::Random(1));
    assert!(relative_error(&c, &exact) <= tolerance(size.k));
    // Two steps of k, with 4 x 4 parts of wgmma each, for 5 x 15 pairs of tiles of 8 warps.
    assert_eq!(counters.ptx.tensor.instructions, 2 * 4 * 2 * 8 * 5 * 15);
}

/// Of 80 pairs of tiles, 14 clusters take two and 52 one.
#[test]
fn clusters_that_take_whole_tiles_are_counted_by_their_kinds_as_by_every_block() {
    let kernel = matviz::kernel::find("half_tma").expect("a rung");
    for (size, kinds) in [("2048x640x64", 2), ("512x128x192", 1), ("256x100x64", 0)] {
        let size: Size = size.parse().expect("a size");
        let variant = kernel.variants[0];
        let ptx = Cow::Borrowed(variant.ptx.expect("embedded"));
        let problem = Problem::of(kernel, variant, size, ptx);
        assert_eq!(variant.kinds_of_clusters(size).map_or(0, |all| all.len()), kinds, "{size}");
        let counted = matviz::study::counts::simulate(&problem, &WorkToken::default());
        let (_, every) = simulate(&problem, &Order::default());
        assert_eq!(counted.expect("counted"), every, "{size}");
    }
}

/// The PTX from the same sources with `#pragma unroll 1` before the loop over k.
#[test]
fn rolled_loops_do_the_same_work() {
    let size = "40x50x60".parse().expect("a size");
    let unrolled = |variant: &Variant| variant.rolled.and(variant.ptx);
    for (unrolled, rolled) in every(size, unrolled).into_iter().zip(every(size, rolled)) {
        let (c, counted) = simulate(&unrolled, &Order::default());
        let (same, also) = simulate(&rolled, &Order::default());
        assert!(bits(&c) == bits(&same), "{} tile {}", rolled.name(), rolled.launch.block.x);
        assert_eq!(counted.ptx.thread_fma, also.ptx.thread_fma);
        assert_eq!(counted.ptx.global.loads.sectors, also.ptx.global.loads.sectors);
        assert_eq!(counted.ptx.shared.stores.instructions, also.ptx.shared.stores.instructions);
        assert!(counted.ptx.shared.loads.instructions <= also.ptx.shared.loads.instructions);
        // One to one with the source: a load from each matrix, and one multiply-add.
        let instructions = |what: &str| rolled.ptx.lines().filter(|l| l.contains(what)).count();
        let loads = if rolled.catalogue().is_some_and(|kernel| kernel.pads) {
            "ld.shared"
        } else {
            "ld.global"
        };
        assert_eq!((instructions(loads), instructions("fma.rn.f32")), (2, 1), "{}", rolled.label());
    }
}
