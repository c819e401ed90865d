//! A run of the whole grid: blocks side by side on every core, counted and forgotten.

use super::Counters;
use super::memo::Memo;
use crate::launch::{Dim3, Launch};
use crate::sim::{Fault, Machine};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Runs the block that `machine` makes for each place of the grid, and adds up what they did.
///
/// # Errors
/// The fault of the first block (in the grid's order) that went wrong.
pub fn run(launch: Launch, machine: impl Fn(Dim3) -> Machine + Sync) -> Result<Counters, Fault> {
    let next = AtomicU64::new(0);
    let worker = || -> Result<Counters, (u64, Fault)> {
        let (mut sum, mut memo) = (Counters::default(), Memo::default());
        loop {
            let index = next.fetch_add(1, Relaxed);
            if index >= launch.blocks() {
                return Ok(sum);
            }
            let counted = count(machine(launch.grid.place(index)), &mut memo);
            sum.merge(&counted.map_err(|fault| {
                next.store(launch.blocks(), Relaxed);
                (index, fault)
            })?);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let fault = results.iter().filter_map(|result| result.as_ref().err()).min_by_key(|(at, _)| *at);
    if let Some((_, fault)) = fault {
        return Err(fault.clone());
    }
    let mut sum = Counters::default();
    results.iter().flatten().for_each(|counters| sum.merge(counters));
    Ok(sum)
}

/// Runs one block to its end.
///
/// # Errors
/// What the kernel did wrong.
pub fn run_block(machine: Machine) -> Result<Counters, Fault> {
    count(machine, &mut Memo::default())
}

fn count(mut machine: Machine, memo: &mut Memo) -> Result<Counters, Fault> {
    let mut counters = Counters::default();
    while let Some(step) = machine.step()? {
        counters.add_with(memo, step);
    }
    Ok(counters)
}
