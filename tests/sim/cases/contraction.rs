//! Generated kernels of products and sums: what the simulator contracts, a GPU computes bit for bit.

use super::generated::{Generated, THREADS, kernel};
use crate::need::not_tested;
use matviz::gpu::client::{Client, Launcher, PATIENCE};
use matviz::kernel::{Arg, Call};
use matviz::launch::{Dim3, Launch};
use matviz::sim::{Machine, Memory, Order, Program, lower};
use matviz::timing::protocol::Execute;
use ptx::parse;
use std::sync::Arc;

/// The kernels that are run.
const KERNELS: usize = 1_000;

/// The rounds of their loops.
const ROUNDS: u32 = 3;

/// The kernels, with their programs, in which sums are contracted, all with certainty.
fn kernels() -> impl Iterator<Item = (u64, Generated, Arc<Program>)> {
    let of = |seed: u64| {
        let kernel = kernel(seed);
        let module = parse(&kernel.text).expect("it is PTX");
        (seed, kernel, Arc::new(lower(&module, "k").expect("it can be run")))
    };
    let contracts = |program: &Program| {
        let all = &program.contracted;
        all.iter().any(|one| one.fused) && all.iter().all(|one| one.certain)
    };
    (0..).map(of).filter(move |(.., program)| contracts(program)).take(KERNELS)
}

fn launch() -> Launch {
    Launch { grid: Dim3::flat(1, 1), block: Dim3::flat(THREADS as u32, 1) }
}

/// The words of the output in the simulator, with the warp's steps and with its counted FMAs.
fn simulated(generated: &Generated, program: &Arc<Program>) -> Vec<u32> {
    let mut memory = Memory::new();
    memory.add("out", &vec![0.0; generated.output_words]);
    let input: Vec<_> = generated.input.iter().copied().map(f32::from_bits).collect();
    memory.add("in", &input);
    let bases = memory.buffers().iter().flat_map(|buffer| buffer.base.to_le_bytes());
    let params: Vec<u8> =
        bases.chain(generated.scale.clone()).chain(ROUNDS.to_le_bytes()).collect();
    let (place, order) = (Dim3::at(0, 0), Order::default());
    let memory_of_block = memory.clone();
    let mut machine =
        Machine::new(Arc::clone(program), launch(), place, &params, memory_of_block, order);
    while machine.step().expect("it is sound").is_some() {}
    memory.floats("out").iter().map(|word| word.to_bits()).collect()
}

#[test]
fn generated_kernels_contract_and_run() {
    let (mut sums, mut kept, mut seeds) = (0, 0, 0);
    for (seed, generated, program) in kernels() {
        let out = simulated(&generated, &program);
        assert!(out.iter().any(|word| *word != 0), "seed {seed}");
        sums += program.contracted.len();
        kept += usize::from(program.insts.iter().any(copies_factors));
        seeds = seed;
    }
    assert!(sums > 3 * KERNELS / 2 && kept > KERNELS / 20, "{sums} sums, {kept} with copies");
    assert!(seeds < 3 * KERNELS as u64, "most seeds give a kernel that contracts: {seeds}");
}

/// ptxas sinks a copy of a product behind the guard of one of its sums, and the product has a use less
/// when another sum chooses between it and a second product.
#[test]
fn a_product_that_may_be_sunk_is_a_doubt() {
    let module = parse(&kernel(201_682).text).expect("it is PTX");
    let program = lower(&module, "k").expect("it can be run");
    assert!(program.contracted.iter().any(|one| one.fused && !one.certain));
}

fn copies_factors(inst: &matviz::sim::Inst) -> bool {
    use ptx::{LaneOp, Op};
    matches!(inst.op, Op::Lane(LaneOp::Factors { .. }))
}

#[test]
fn generated_kernels_have_the_same_bits_on_the_gpu() {
    let launcher = Launcher { program: Some(crate::binary::matviz()), ..Launcher::default() };
    let mut gpu = Client::new(launcher, PATIENCE);
    if let Err(error) = gpu.probe() {
        return not_tested("gpu", &format!("{KERNELS} kernels of products and sums: {error}"));
    }
    let mut differ = Vec::new();
    for (seed, generated, program) in kernels() {
        let call = Call {
            entry: "k".to_owned(),
            ptx: generated.text.clone(),
            launch: launch(),
            shared: 0,
            cluster: None,
            args: vec![
                Arg::Buffer(0),
                Arg::Buffer(1),
                Arg::Structure(generated.scale.clone()),
                Arg::Value { bits: ROUNDS.into(), bytes: 4 },
            ],
        };
        let buffers = vec![vec![0; generated.output_words], generated.input.clone()];
        let run = gpu.execute(Execute { call, buffers, device: 0 }).expect("it runs");
        if run[0] != simulated(&generated, &program) {
            differ.push(seed);
        }
    }
    assert!(differ.is_empty(), "of {KERNELS} kernels, those of these seeds differ: {differ:?}");
}
