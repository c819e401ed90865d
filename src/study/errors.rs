//! How far a simulated C is from what is expected in float64: a part at a time, on every core.

use crate::analysis::grid;
use crate::kernel::Problem;
use crate::matrix::{Distance, Operand};
use crate::sim::Buffer;
use serde::Serialize;
use std::ops::{ControlFlow, Range};

/// Rows and columns of C that are compared at a time: A and B are made anew for each part, so
/// that there need be no second copy of them, and that takes little of the time beside so many
/// multiply-adds.
const ROWS: u32 = 64;
const COLUMNS: u32 = 256;

/// Steps along k at a time: with the columns of a part, what they have of B stays in the cache.
const DEEP: u32 = 64;

/// How far some elements are from what is expected.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// The largest difference; NaN if there is one.
    worst: f64,
    /// The largest expected value.
    scale: f64,
    distance: Distance,
    wrong: Wrong,
}

/// Elements that rounding does not explain.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Wrong {
    /// How many.
    pub elements: u64,
    /// Of how many.
    pub of: u64,
    /// Those of them that hold what was there before the launch.
    pub unchanged: u64,
    /// The first of them, by rows.
    pub first: Option<Element>,
}

/// An element of C.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Element {
    /// Its row.
    pub row: u32,
    /// Its column.
    pub column: u32,
    /// What it is.
    pub is: f32,
    /// What it should be.
    pub should: f64,
}

/// How many times what rounding makes of all elements together it may make of one.
pub const SLACK: f64 = 64.0;

/// Rows and columns of C.
pub type Part = (Range<u32>, Range<u32>);

impl Errors {
    /// Of a part of `c`, the whole C, which may be off by a relative error of `tolerance`.
    pub fn of(problem: &Problem, c: &Buffer, (rows, columns): Part, tolerance: f64) -> Self {
        let rounding = SLACK * problem.precision(Operand::A).tolerance(problem.size.k);
        let may_be_off = tolerance.max(rounding);
        let down = rows.clone().step_by(ROWS as usize);
        let row = |top: u32| columns.clone().step_by(COLUMNS as usize).map(move |left| (top, left));
        let corners: Vec<_> = down.flat_map(row).collect();
        let compare = |found: &mut Vec<(u64, Self)>, number: u64| {
            let (top, left) = corners[number as usize];
            let (bottom, right) = (rows.end.min(top + ROWS), columns.end.min(left + COLUMNS));
            found.push((number, compared(problem, c, (top..bottom, left..right), may_be_off)));
            ControlFlow::Continue(())
        };
        let found = grid::share(corners.len() as u64, Vec::new, compare);
        let mut found: Vec<_> = found.into_iter().flatten().collect();
        // Who was given which part is another each time; the sum shall not be.
        found.sort_unstable_by_key(|(number, _)| *number);
        found.into_iter().fold(Self::default(), |all, (_, errors)| all.and(errors))
    }

    /// The largest, relative to the largest expected value.
    pub fn largest(self) -> f64 {
        if self.scale == 0.0 { self.worst } else { self.worst / self.scale }
    }

    /// In the Frobenius norm.
    pub fn relative(self) -> f64 {
        self.distance.relative()
    }

    /// The elements that are wrong.
    pub fn wrong(self) -> Wrong {
        self.wrong
    }

    fn and(self, other: Self) -> Self {
        Self {
            wrong: self.wrong.and(other.wrong),
            worst: worse(self.worst, other.worst),
            scale: self.scale.max(other.scale),
            distance: self.distance.and(other.distance),
        }
    }
}

/// The larger one; `f64::max` would pass over a NaN.
fn worse(most: f64, error: f64) -> f64 {
    if error > most || error.is_nan() { error } else { most }
}

impl Wrong {
    fn and(self, other: Self) -> Self {
        let place = |element: &Element| (element.row, element.column);
        Self {
            elements: self.elements + other.elements,
            of: self.of + other.of,
            unchanged: self.unchanged + other.unchanged,
            first: self.first.into_iter().chain(other.first).min_by_key(place),
        }
    }
}

fn compared(problem: &Problem, c: &Buffer, (rows, columns): Part, may_be_off: f64) -> Errors {
    let n = u64::from(problem.size.n);
    let products = product(problem, (rows.clone(), columns.clone()));
    let row = |row: u32| columns.clone().map(move |column| (row, column));
    let pairs = || {
        rows.clone().flat_map(row).zip(&products).map(|((row, column), product)| {
            let is = f32::from_bits(c.load(u64::from(row) * n + u64::from(column)));
            (is, problem.expected(*product, row, column))
        })
    };
    let scale = pairs().fold(0.0, |scale: f64, (_, should)| scale.max(should.abs()));
    let most = may_be_off * scale;
    let mut wrong = Wrong { of: products.len() as u64, ..Wrong::default() };
    for ((row, column), (is, should)) in rows.clone().flat_map(row).zip(pairs()) {
        let error = (f64::from(is) - should).abs();
        if error <= most {
            continue;
        }
        let before = problem.before(Operand::C, u64::from(row) * n + u64::from(column));
        wrong.elements += 1;
        wrong.unchanged += u64::from(is.to_bits() == before.to_bits());
        wrong.first = wrong.first.or(Some(Element { row, column, is, should }));
    }
    Errors {
        wrong,
        worst: pairs().map(|(is, should)| (f64::from(is) - should).abs()).fold(0.0, worse),
        scale,
        distance: Distance::of(pairs()),
    }
}

/// A part of A x B in float64, row-major; each element's terms are added in the order of k.
fn product(problem: &Problem, (rows, columns): Part) -> Vec<f64> {
    let (width, size) = (columns.len(), problem.size);
    let piece = |operand, row: u32, columns: Range<u32>| {
        let first = u64::from(row) * u64::from(size.shape(operand).1);
        columns.map(move |column| f64::from(problem.before(operand, first + u64::from(column))))
    };
    let mut products = vec![0.0; rows.len() * width];
    for step in (0..size.k).step_by(DEEP as usize) {
        let along = step..size.k.min(step + DEEP);
        let b = along.clone().flat_map(|k| piece(Operand::B, k, columns.clone()));
        let b: Vec<_> = b.collect();
        for (row, sums) in rows.clone().zip(products.chunks_exact_mut(width)) {
            for (a, b) in piece(Operand::A, row, along.clone()).zip(b.chunks_exact(width)) {
                sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
            }
        }
    }
    products
}
