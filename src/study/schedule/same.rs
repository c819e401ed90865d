//! Judges whether two orders leave the same in every buffer, for kernels without an expected result.

use super::played::{BufferElement, OrderResult, bits, element_type};
use crate::kernel::Problem;
use crate::matrix::ElementType;
use crate::sim::{Inst, Program};
use ptx::{AtomicOp, Type};
use serde::Serialize;
use std::collections::BTreeSet;

/// Units in the last place of a buffer's largest element that the order of its additions explains.
const SLACK: f64 = 256.0;

/// An element that differs.
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    /// The buffer and the index.
    pub element: String,
    /// Its value.
    pub is: f64,
    /// Its value in the order that is compared with.
    pub was: f64,
}

/// The result of one order, with which others are compared.
#[derive(Debug)]
pub(super) struct ReferenceResult<'a> {
    problem: &'a Problem,
    with: &'a OrderResult,
    /// Whether sums of floats depend on the order of atomics.
    rounds: bool,
}

/// How an element of two results compares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Difference {
    None,
    Rounding,
    Real,
}

impl<'a> ReferenceResult<'a> {
    pub(super) fn new(problem: &'a Problem, program: &Program, with: &'a OrderResult) -> Self {
        Self { problem, with, rounds: has_float_atomics(program) }
    }

    /// The number of 4-byte words that it wrote.
    pub(super) fn words(&self) -> usize {
        self.with.c.len()
    }

    /// Whether the block completed and left the same, up to the rounding of float atomics.
    pub(super) fn is_same(&self, run: &OrderResult) -> bool {
        run.ended == self.with.ended && self.differing(run, Difference::Real).next().is_none()
    }

    /// Whether float atomics have rounded to another result.
    pub(super) fn is_rounded(&self, run: &OrderResult) -> bool {
        self.differing(run, Difference::Rounding).next().is_some()
    }

    /// The elements that differ by more than rounding.
    pub(super) fn changed(&self, run: &OrderResult) -> impl Iterator<Item = Changed> {
        self.differing(run, Difference::Real)
    }

    fn differing(&self, run: &OrderResult, how: Difference) -> impl Iterator<Item = Changed> {
        let places = |run: &OrderResult| run.places(self.problem);
        let elements: BTreeSet<_> = places(run).into_iter().chain(places(self.with)).collect();
        elements.into_iter().filter_map(move |BufferElement { number, index }| {
            let of = element_type(self.problem, number);
            let [is, was] = [run, self.with]
                .map(|run| of.read(index, |word| run.word(self.problem, number, word)));
            let found = self.difference(number, index, run, [is, was]);
            let element = || format!("{}[{index}]", self.name(number));
            (found == how).then(|| Changed { element: element(), is, was })
        })
    }

    fn difference(
        &self,
        number: u32,
        index: u64,
        run: &OrderResult,
        [is, was]: [f64; 2],
    ) -> Difference {
        let of = element_type(self.problem, number);
        let bits = |run: &OrderResult| bits(of, index, |word| run.word(self.problem, number, word));
        if bits(run) == bits(self.with) || (is.is_nan() && was.is_nan()) {
            return Difference::None;
        }
        let explained = || (is - was).abs() <= SLACK * unit(of) * self.largest(number);
        if self.rounds && !of.is_integer() && explained() {
            Difference::Rounding
        } else {
            Difference::Real
        }
    }

    /// The largest magnitude that the order compared with wrote to a buffer.
    fn largest(&self, number: u32) -> f64 {
        let of = element_type(self.problem, number);
        let own = self.with.places(self.problem).into_iter().filter(|place| place.number == number);
        let value = |place: BufferElement| {
            of.read(place.index, |word| self.with.word(self.problem, number, word)).abs()
        };
        own.map(value).fold(0.0, f64::max)
    }

    fn name(&self, number: u32) -> &str {
        let (number, operands) = (number as usize, self.problem.operands);
        let own = || self.problem.buffers.get(number - operands.len());
        match operands.get(number) {
            Some(operand) => operand.name(),
            None => own().map_or("", |buffer| &buffer.name),
        }
    }
}

/// Half the distance from 1 to the next larger number.
const fn unit(of: ElementType) -> f64 {
    match of {
        ElementType::F64 => 1.0 / (1_u64 << 53) as f64,
        ElementType::F16 => 1.0 / (1_u64 << 11) as f64,
        ElementType::Bf16 => 1.0 / (1_u64 << 8) as f64,
        _ => 1.0 / (1_u64 << 24) as f64,
    }
}

/// Whether the order of a program's atomics changes what sums of floats are rounded to.
fn has_float_atomics(program: &Program) -> bool {
    let sums = |(op, ty): (AtomicOp, Type)| op == AtomicOp::Add && ty.is_float();
    program.insts.iter().any(|inst| inst.op.reduces().is_some_and(sums))
}

/// Whether a program has atomics, whose order may matter although it is no race.
pub(super) fn has_atomics(program: &Program) -> bool {
    let reduces = |inst: &Inst| inst.op.reduces().is_some();
    program.insts.iter().any(reduces)
}
