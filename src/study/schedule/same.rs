//! Judges whether two orders leave the same in every buffer, where nobody knows what is right.

use super::played::Played;
use crate::kernel::Problem;
use crate::matrix::ElementType;
use crate::ptx::{AtomicOp, MemoryOp, Op};
use crate::sim::Program;
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
pub(super) struct Same<'a> {
    problem: &'a Problem,
    with: &'a Played,
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

impl<'a> Same<'a> {
    pub(super) fn new(problem: &'a Problem, program: &Program, with: &'a Played) -> Self {
        Self { problem, with, rounds: has_float_atomics(program) }
    }

    /// The number of 4-byte words that it wrote.
    pub(super) fn words(&self) -> usize {
        self.with.c.len()
    }

    /// Whether the block completed and left the same, up to the rounding of float atomics.
    pub(super) fn is_same(&self, run: &Played) -> bool {
        run.ended == self.with.ended && self.differing(run, Difference::Real).next().is_none()
    }

    /// Whether float atomics have rounded to another result.
    pub(super) fn is_rounded(&self, run: &Played) -> bool {
        self.differing(run, Difference::Rounding).next().is_some()
    }

    /// The elements that differ by more than rounding.
    pub(super) fn changed(&self, run: &Played) -> impl Iterator<Item = Changed> {
        self.differing(run, Difference::Real)
    }

    fn differing(&self, run: &Played, how: Difference) -> impl Iterator<Item = Changed> {
        let elements: BTreeSet<_> = [run, self.with]
            .into_iter()
            .flat_map(|run| &run.c)
            .flat_map(|(number, word, _)| self.elements_of(*number, (*word).into()))
            .collect();
        elements.into_iter().filter_map(move |(number, index)| {
            let of = self.element_type(number);
            let [is, was] =
                [run, self.with].map(|run| of.read(index, |word| self.word(run, number, word)));
            let found = self.difference(number, index, run, [is, was]);
            let element = || format!("{}[{index}]", self.name(number));
            (found == how).then(|| Changed { element: element(), is, was })
        })
    }

    fn difference(&self, number: u32, index: u64, run: &Played, [is, was]: [f64; 2]) -> Difference {
        let of = self.element_type(number);
        let bits = |run| bits(of, index, |word| self.word(run, number, word));
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

    /// The elements in a word of a buffer.
    fn elements_of(&self, number: u32, word: u64) -> impl Iterator<Item = (u32, u64)> {
        let bytes = u64::from(self.element_type(number).bytes());
        let (first, last) = (4 * word / bytes, (4 * word + 3) / bytes);
        (first..=last).map(move |index| (number, index))
    }

    /// The largest magnitude that the order compared with wrote to a buffer.
    fn largest(&self, number: u32) -> f64 {
        let of = self.element_type(number);
        let own = self.with.c.iter().filter(|(of, ..)| *of == number);
        let elements = own.flat_map(|(_, word, _)| self.elements_of(number, (*word).into()));
        let values =
            elements.map(|(_, index)| of.read(index, |word| self.word(self.with, number, word)));
        values.map(f64::abs).fold(0.0, f64::max)
    }

    /// A word of a buffer after a run.
    fn word(&self, run: &Played, number: u32, word: u64) -> u32 {
        let found = run
            .c
            .binary_search_by_key(&(number, word), |(number, word, _)| (*number, u64::from(*word)));
        found.map_or_else(|_| self.problem.word_before(number as usize, word), |at| run.c[at].2)
    }

    fn element_type(&self, number: u32) -> ElementType {
        let (number, operands) = (number as usize, self.problem.operands());
        if let Some(operand) = operands.get(number) {
            return self.problem.element_type(*operand);
        }
        let own = self.problem.own_buffers().get(number - operands.len());
        own.map_or(ElementType::F32, |buffer| buffer.of)
    }

    fn name(&self, number: u32) -> &str {
        let (number, operands) = (number as usize, self.problem.operands());
        let own = || self.problem.own_buffers().get(number - operands.len());
        match operands.get(number) {
            Some(operand) => operand.name(),
            None => own().map_or("", |buffer| &buffer.name),
        }
    }
}

/// The bits of an element, of which a `f64` cannot hold all.
fn bits(of: ElementType, index: u64, word: impl Fn(u64) -> u32) -> u64 {
    let bytes = u64::from(of.bytes());
    let first = index * bytes / 4;
    match bytes {
        8 => u64::from(word(first)) | u64::from(word(first + 1)) << 32,
        4 => word(first).into(),
        _ => u64::from(word(first) >> (8 * (index * bytes % 4))) & ((1 << (8 * bytes)) - 1),
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
    program.insts.iter().any(|inst| match &inst.op {
        Op::Memory(MemoryOp::Atom { op, ty, .. }) => *op == AtomicOp::Add && ty.is_float(),
        _ => false,
    })
}

/// Whether a program has atomics, whose order may matter although it is no race.
pub(super) fn has_atomics(program: &Program) -> bool {
    program.insts.iter().any(|inst| matches!(inst.op, Op::Memory(MemoryOp::Atom { .. })))
}
