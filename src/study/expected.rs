//! What a launch leaves in a buffer beside what is expected there: by another kernel, by the host's own
//! code, by a file. The first element that is wrong is followed back to what it was made of.

use super::simulation::Simulation;
use crate::launch::Dim3;
use crate::matrix::ElementType;
use crate::sim::{Memory, Order};
use crate::trace::provenance::{ByteRange, Slice};
use crate::work::WorkToken;
use serde::Serialize;
use std::sync::Arc;

/// A buffer beside what is expected in it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedBuffer {
    pub buffer: String,
    pub of: ElementType,
    /// The elements that are compared.
    pub compared: u64,
    pub wrong: u64,
    /// The largest difference, relative to the largest of the expected numbers.
    pub largest: f64,
    /// The largest that is accepted.
    pub tolerance: f64,
    pub first: Option<WrongElement>,
}

/// An element that is not as expected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WrongElement {
    pub index: u64,
    pub is: f64,
    pub expected: f64,
}

/// How an element of a buffer came to its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementOrigin {
    /// The line of the store, if the source is known.
    pub line: Option<u32>,
    pub block: Dim3,
    /// The thread of the block, by its number.
    pub thread: u32,
    /// The elements that were loaded for it, each as its buffer and its index, in the order in which
    /// they were used.
    pub loads: Vec<(String, u64)>,
}

/// The units of the last place that an element may be off, where nobody says how much: sums in another
/// order differ by some.
const UNITS: f64 = 64.0;

/// Compares a buffer with numbers, each at its index.
pub fn compare(
    (name, of): (&str, ElementType),
    expected: &[(u64, f64)],
    is: &dyn Fn(u64) -> f64,
    tolerance: Option<f64>,
) -> JudgedBuffer {
    let finite = expected.iter().map(|(_, value)| value.abs()).filter(|value| value.is_finite());
    let scale = finite.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let tolerance = tolerance.unwrap_or_else(|| of.unit().map_or(0.0, |unit| UNITS * unit));
    let mut compared = JudgedBuffer {
        buffer: name.to_owned(),
        of,
        compared: expected.len() as u64,
        wrong: 0,
        largest: 0.0,
        tolerance,
        first: None,
    };
    for (index, expected) in expected {
        let (is, expected) = (is(*index), of.round(*expected));
        let is_same = is.to_bits() == expected.to_bits() || is.is_nan() && expected.is_nan();
        let off = if is_same { 0.0 } else { (is - expected).abs() / scale };
        compared.largest = if off.is_nan() { off } else { compared.largest.max(off) };
        if off > tolerance || off.is_nan() {
            compared.wrong += 1;
            let wrong = WrongElement { index: *index, is, expected };
            compared.first = compared.first.or(Some(wrong));
        }
    }
    compared
}

/// The most blocks that are run to find the one that stores an element.
const MOST_BLOCKS: u64 = 256;

/// How an element of a launch's buffer came to its value: the last block that stores it, each run alone;
/// `None` if none of the first ones does.
pub fn origin(
    simulation: &Simulation<'_>,
    (name, of, index): (&str, ElementType, u64),
    token: &WorkToken,
) -> Option<ElementOrigin> {
    let Simulation { problem, program, .. } = *simulation;
    let launch = problem.launch;
    (0..launch.blocks().min(MOST_BLOCKS)).find_map(|number| {
        let block = launch.grid.place(number);
        let memory = problem.dense_memory(program);
        let machine = problem.machine(Arc::clone(program), block, memory, Order::default());
        let start = machine.memory().named(name)?.base;
        let bytes = ByteRange { addr: start + index * u64::from(of.bytes()), count: of.bytes() };
        let (blocks, all) = (*machine.blocks(), machine.memory().clone());
        let Slice { stored, loads, .. } = Slice::of(machine, bytes, token).ok()??;
        let loads = loads.iter().filter_map(|load| element_at(simulation, &all, load.bytes.addr));
        Some(ElementOrigin {
            line: program.inst(stored.pc).line,
            block: blocks.block_of(stored.warp),
            thread: 32 * u32::from(blocks.within_block(stored.warp)) + u32::from(stored.lane),
            loads: loads.collect(),
        })
    })
}

/// The buffer and the element at an address.
fn element_at(simulation: &Simulation<'_>, memory: &Memory, addr: u64) -> Option<(String, u64)> {
    let inside = |one: &&crate::sim::Allocation| addr.wrapping_sub(one.base) < one.bytes;
    let buffer = memory.buffers().iter().find(inside)?;
    let of = simulation.problem.buffers.iter().find(|one| one.name == buffer.name)?.of;
    Some((buffer.name.clone(), (addr - buffer.base) / u64::from(of.bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_right_within_its_rounding_and_the_first_wrong_element_is_told() {
        let is = [1.0, 2.0, f64::NAN, 4.0];
        let compared = |expected: &[f64], tolerance| {
            let expected: Vec<_> = (0..).zip(expected.iter().copied()).collect();
            compare(("out", ElementType::F32), &expected, &|index| is[index as usize], tolerance)
        };
        let right = compared(&[1.0, 2.0 + 1e-7, f64::NAN], None);
        assert_eq!((right.wrong, right.first, right.compared), (0, None, 3));
        let wrong = compared(&[1.0, 2.5, 3.0, 4.5], None);
        let first = Some(WrongElement { index: 1, is: 2.0, expected: 2.5 });
        assert_eq!((wrong.wrong, wrong.first), (3, first));
        assert_eq!(compared(&[1.0, 2.5, f64::NAN, 4.5], Some(0.2)).wrong, 0);
    }
}
