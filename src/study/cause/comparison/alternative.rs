//! What known mistakes make of A and B.

use crate::kernel::Problem;
use crate::matrix::{Gemm, Major, Operand, Size};
use crate::study::cause::{Cause, Operation, WrongFactors};
use std::ops::Range;

/// What a mistake would make of A and B.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) cause: Cause,
    /// The products in a sum, by their k.
    pub(super) ks: Range<u32>,
    pub(super) gemm: Gemm,
    /// Which matrices lie column by column: A, B, C.
    column_major: [bool; 3],
    /// The matrices in the places of A and B.
    factors: [Operand; 2],
    /// The matrix whose square tiles of this side are transposed.
    tiles: Option<(Operand, u32)>,
    terms: Terms,
}

/// What is summed up.
#[derive(Clone, Copy, Debug)]
enum Terms {
    /// a b.
    Products,
    /// a + s b.
    Sums(f64),
    /// a b, and this once.
    And(f64),
}

impl Alternative {
    /// No mistake. Its cause is never told.
    pub(super) fn as_asked(problem: &Problem) -> Self {
        let k = problem.size.k;
        Self {
            cause: Cause::KCutShort(k),
            ks: 0..k,
            gemm: problem.gemm,
            column_major: [false; 3],
            factors: [Operand::A, Operand::B],
            tiles: None,
            terms: Terms::Products,
        }
    }

    /// The mistakes that need no element of C to be known, the most common first.
    pub(super) fn all(problem: &Problem) -> Vec<Self> {
        let asked = Self::as_asked(problem);
        let all = asked.layouts(problem).into_iter().chain(asked.factors());
        let all = all.chain(asked.operations()).chain(asked.operands(problem.size));
        all.chain(asked.turned_tiles(problem)).collect()
    }

    /// Only these products.
    pub(super) fn only(&self, ks: Range<u32>, cause: Cause) -> Self {
        Self { cause, ks, ..self.clone() }
    }

    /// Each sum begins at this instead of 0.
    pub(super) fn begun_at(&self, start: f64) -> Self {
        Self { cause: Cause::Begins(start), terms: Terms::And(start), ..self.clone() }
    }

    /// Every element is this many times what it should be.
    pub(super) fn scaled(&self, by: f64) -> Self {
        let gemm = Gemm { alpha: by, ..self.gemm };
        Self { cause: Cause::Scaled(by, self.column_major), gemm, ..self.clone() }
    }

    /// The same with matrices that lie column by column for the kernel.
    pub(super) fn layouts(&self, problem: &Problem) -> Vec<Self> {
        let flags = (1..8_u8).map(|bits| [bits & 1 > 0, bits & 2 > 0, bits & 4 > 0]);
        let mut all: Vec<_> = flags.collect();
        all.sort_by_key(|flags| flags.iter().filter(|flag| **flag).count());
        let made =
            |flags| Self { cause: Cause::ColumnMajor(flags), column_major: flags, ..self.clone() };
        // What lies otherwise than in whole rows is as it was asked for.
        let in_rows = |operand| {
            let layout = problem.layout(operand);
            layout.major == Major::Row && layout.lead.is_none()
        };
        let known = Operand::ALL.map(in_rows);
        // At a square size all three column by column make B x A, which is told so.
        let is_square = problem.size == Size::square(problem.size.n);
        all.retain(|flags| {
            let told_otherwise = is_square && flags.iter().all(|flag| *flag);
            !told_otherwise && flags.iter().zip(known).all(|(flag, known)| known || !flag)
        });
        all.into_iter().map(made).collect()
    }

    fn factors(&self) -> Vec<Self> {
        let asked @ Gemm { alpha, beta } = self.gemm;
        let of = |alpha, beta| Gemm { alpha, beta };
        let all = [
            (WrongFactors::NoBeta, of(alpha, 0.0)),
            (WrongFactors::BetaIsOne, of(alpha, 1.0)),
            (WrongFactors::BetaTwice, of(alpha, 2.0 * beta)),
            (WrongFactors::AlphaIsOne, of(1.0, beta)),
            (WrongFactors::AlphaTwice, of(2.0 * alpha, beta)),
            (WrongFactors::Neither, of(1.0, 0.0)),
        ];
        // Without a factor the old C holds zeros: adding them changes nothing.
        let differs = |gemm: &Gemm| *gemm != asked && (asked.reads_c() || !gemm.reads_c());
        let made = |(factors, gemm)| Self { cause: Cause::Factors(factors), gemm, ..self.clone() };
        all.into_iter().filter(|(_, gemm)| differs(gemm)).map(made).collect()
    }

    fn operations(&self) -> [Self; 3] {
        let negative = Gemm { alpha: -self.gemm.alpha, ..self.gemm };
        [
            (Operation::Sum, Terms::Sums(1.0), self.gemm),
            (Operation::Difference, Terms::Sums(-1.0), self.gemm),
            (Operation::Negative, Terms::Products, negative),
        ]
        .map(|(operation, terms, gemm)| Self {
            cause: Cause::Operation(operation),
            terms,
            gemm,
            ..self.clone()
        })
    }

    /// Other matrices in the places of A and B, which have the same shape.
    fn operands(&self, size: Size) -> Vec<Self> {
        let is_square = size == Size::square(size.n);
        let others = [[Operand::A, Operand::A], [Operand::B, Operand::B], [Operand::B, Operand::A]];
        let made = |factors| Self { cause: Cause::Operands(factors), factors, ..self.clone() };
        others.into_iter().filter(|_| is_square).map(made).collect()
    }

    /// Tiles as large as the block, which are square.
    fn turned_tiles(&self, problem: &Problem) -> Vec<Self> {
        let (block, Size { m, n, .. }) = (problem.launch.block, problem.size);
        let side = block.x;
        if side != block.y || block.z > 1 || side < 2 {
            return Vec::new();
        }
        let fits = |operand: &Operand| {
            *operand != Operand::C || (m.is_multiple_of(side) && n.is_multiple_of(side))
        };
        let made = |operand| Self {
            cause: Cause::TransposedTiles(operand, side),
            tiles: Some((operand, side)),
            ..self.clone()
        };
        Operand::ALL.into_iter().filter(fits).map(made).collect()
    }

    /// The number of products that make its sum.
    pub(super) fn depth(&self) -> u32 {
        let count = self.ks.end - self.ks.start;
        match self.terms {
            Terms::Products => count,
            Terms::Sums(_) => 2 * count,
            Terms::And(_) => count + 1,
        }
    }

    /// The factor at this place of a matrix of [`Self::depth`] columns, A, or rows, B.
    pub(super) fn value(
        &self,
        problem: &Problem,
        operand: Operand,
        (row, column): (u32, u32),
    ) -> f64 {
        let is_a = operand == Operand::A;
        let (count, k) = (self.ks.end - self.ks.start, if is_a { column } else { row });
        match (self.terms, is_a, k >= count) {
            (Terms::Products, ..) | (Terms::And(_), _, false) | (Terms::Sums(_), true, false) => {
                self.element(problem, operand, (row, column))
            }
            (Terms::Sums(sign), false, true) => {
                sign * self.element(problem, operand, (row - count, column))
            }
            (Terms::And(once), false, true) => once,
            (Terms::Sums(_), ..) | (Terms::And(_), true, true) => 1.0,
        }
    }

    /// The element that the kernel takes for this one; 0 outside.
    fn element(&self, problem: &Problem, operand: Operand, (row, column): (u32, u32)) -> f64 {
        let first = self.ks.start;
        let place = match operand {
            Operand::A => (row, column + first),
            Operand::B => (row + first, column),
            Operand::C => (row, column),
        };
        let (row, column) = self.turned(operand, place);
        let (rows, columns) = problem.size.shape(operand);
        if row >= rows || column >= columns {
            return 0.0;
        }
        let index = self.row_by_row(problem, operand, (row, column));
        problem.before(self.factors.get(operand as usize).copied().unwrap_or(operand), index)
    }

    /// Where an element lies for the kernel.
    pub(super) fn index(&self, problem: &Problem, operand: Operand, place: (u32, u32)) -> u64 {
        self.row_by_row(problem, operand, self.turned(operand, place))
    }

    fn turned(&self, operand: Operand, (row, column): (u32, u32)) -> (u32, u32) {
        match self.tiles {
            Some((of, side)) if of == operand => {
                let (down, across) = (row % side, column % side);
                (row - down + across, column - across + down)
            }
            _ => (row, column),
        }
    }

    fn row_by_row(&self, problem: &Problem, operand: Operand, (row, column): (u32, u32)) -> u64 {
        let (rows, columns) = problem.size.shape(operand);
        let [row, column, rows, columns] = [row, column, rows, columns].map(u64::from);
        if self.column_major[operand as usize] {
            column * rows + row
        } else {
            row * columns + column
        }
    }
}
