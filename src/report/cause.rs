//! Why a C is wrong, in a sentence that says what to do.

use super::number::{Count, grouped, sides};
use crate::kernel::Problem;
use crate::launch::{Dim3, Launch};
use crate::matrix::{Element, Operand, Size};
use crate::study::cause::{
    Cause, CompiledIn, ComputedPart, ConstantForm, Diagnosis, FirstWrong, Gaps, NamedConstant,
    Operation, StoreShift, WrongFactors,
};
use serde::Serialize;
use std::fmt;
use std::ops::Range;

/// What is known about a wrong C, in words.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The number of wrong elements that no thread stored, or `None` if that is not known.
    pub never_stored: Option<u64>,
    /// What is wrong with the first wrong element, if that shows in its sum.
    pub origin: Option<String>,
    /// The known mistake that explains all wrong elements.
    pub cause: Option<NamedCause>,
}

/// A mistake with its name.
#[derive(Clone, Debug, Serialize)]
pub struct NamedCause {
    pub name: &'static str,
    /// What it does, and what to do about it.
    pub sentence: String,
}

/// What is said of a C that is not right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// What was stored is right, and the rest is left out since blocks were stopped before.
    Incomplete,
    /// Anything else.
    #[default]
    Wrong,
}

impl Verdict {
    /// What a C that is not right is, by what is known about it.
    pub fn of(explained: Option<&Explanation>) -> Self {
        let cause = explained.and_then(|explained| explained.cause.as_ref());
        match cause {
            Some(cause) if cause.name == STOPPED => Self::Incomplete,
            _ => Self::Wrong,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Incomplete => "INCOMPLETE",
            Self::Wrong => "WRONG",
        })
    }
}

/// The name of the cause that blocks were stopped.
const STOPPED: &str = "stopped";

impl Explanation {
    /// The words for a diagnosis of this problem's C.
    pub fn new(problem: &Problem, diagnosis: &Diagnosis) -> Self {
        let Diagnosis { never_stored, origin, cause } = diagnosis;
        let cause = cause.as_ref().map(|cause| {
            let (name, sentence) = named(problem, cause);
            NamedCause { name, sentence }
        });
        Self { never_stored: *never_stored, origin: origin.as_ref().and_then(first_wrong), cause }
    }

    /// That it was not finished, where no element is known to be wrong.
    pub fn unfinished(&self) -> Option<&str> {
        let cause = self.cause.as_ref().filter(|cause| cause.name == STOPPED);
        cause.filter(|_| self.never_stored.is_none()).map(|cause| &*cause.sentence)
    }

    /// The most that is known, as a sentence: the cause, or else where the first wrong element comes
    /// from.
    pub fn sentence(&self) -> Option<String> {
        let cause = self.cause.as_ref().map(|cause| &cause.sentence);
        cause.or(self.origin.as_ref()).map(|told| format!("{}.", capitalised(told)))
    }

    /// The explanation line by line, where `wrong` elements are wrong.
    pub fn lines(&self, wrong: u64) -> Vec<String> {
        let never = self.never_stored.filter(|never| *never > 0);
        let all = never == Some(wrong);
        let never = never.map(|never| match never {
            1 if all => "it was never stored".to_owned(),
            _ if all => "all of them were never stored".to_owned(),
            1 => "1 of them was never stored".to_owned(),
            _ => format!("{} of them were never stored", grouped(never)),
        });
        let origin = self.origin.clone().filter(|_| !all);
        let cause = self.cause.as_ref().map(|cause| cause.sentence.clone());
        never.into_iter().chain(origin).chain(cause).collect()
    }
}

fn first_wrong(origin: &FirstWrong) -> Option<String> {
    match origin {
        FirstWrong::NeverStored(element) => Some(format!("{element} was never stored")),
        FirstWrong::Sum(answer) => answer.heading(usize::MAX).into_iter().next(),
    }
}

/// The one table of causes: the name of each, and its sentence.
fn named(problem: &Problem, cause: &Cause) -> (&'static str, String) {
    match cause {
        Cause::ColumnMajor(which) => ("column-major", column_major(*which)),
        Cause::KCutShort(k) => ("k-cut-short", cut_short(*k, problem.size.k)),
        Cause::KBegunLate(k) => ("k-begun-late", begun_late(*k, problem.size.k)),
        Cause::Operation(operation) => ("operation", of_operation(*operation).to_owned()),
        Cause::Begins(start) => ("sum-begins", begins(*start)),
        Cause::Scaled(by, which) => ("scaled", scaled(*by, *which, problem.size.k)),
        Cause::Operands(factors) => ("operands", other_operands(*factors)),
        Cause::TransposedTiles(of, side) => ("tiles-transposed", transposed_tiles(*of, *side)),
        Cause::WholeNumbers => (
            "whole-numbers",
            "each sum is cut off to a whole number: it is kept in an integer (int); make it a float"
                .to_owned(),
        ),
        Cause::Rounded(of) => (
            "rounded",
            format!("every element is a number of {of}, and right to within its rounding: keep the \
                     sums in float"),
        ),
        Cause::Factors(factors) => ("factors", of_factors(*factors).to_owned()),
        Cause::TurnedGrid(grid) => ("axes-exchanged", turned(problem, *grid)),
        Cause::GridTooSmall(computed, larger) => {
            ("grid-too-small", too_small(problem, *computed, *larger))
        }
        Cause::Gaps(gaps) => ("rows-left-out", left_out(gaps)),
        Cause::ShiftedStore(shift) => ("store-shifted", shifted(*shift)),
        Cause::TileByOtherIndex(of) => ("tile-by-other-index", by_other_index(*of).to_owned()),
        Cause::SamePart => (
            "same-part",
            format!(
                "no block reads its index, so that all {} compute the same part of C: row = \
                 blockIdx.y * blockDim.y + threadIdx.y, and col likewise",
                Count(problem.launch.blocks(), "block")
            ),
        ),
        Cause::SquareOnly(sides) => ("square-only", square_only(sides)),
        Cause::CompiledIn(found) => ("size-compiled-in", compiled_in(problem.size, found)),
        Cause::OneTile(found) => ("one-tile", one_tile(found)),
        Cause::Stopped(blocks) => (STOPPED, stopped(*blocks)),
        Cause::Unfinished { stopped, not_run } => (STOPPED, unfinished(*stopped, *not_run)),
    }
}

fn column_major(which: [bool; 3]) -> String {
    let product = match which {
        [true, true, true] => {
            return "C is right for column-major matrices, as in BLAS and Fortran; here A, B and C \
                    are row-major: element (row, col) lies at row * columns + col"
                .to_owned();
        }
        [false, true, false] => "C is A x B^T: ",
        [true, false, false] => "C is A^T x B: ",
        [true, true, false] => "C is A^T x B^T: ",
        [false, false, true] => "C is transposed: ",
        _ => "",
    };
    let taken = Operand::ALL.into_iter().filter(|operand| which[*operand as usize]);
    let taken = taken.map(|operand| match operand {
        Operand::A => "the kernel reads A[row][k] at k * M + row, and it lies at row * K + k",
        Operand::B => "the kernel reads B[k][col] at col * K + k, and it lies at k * N + col",
        Operand::C => "the kernel stores C[row][col] at col * M + row, not at row * N + col",
    });
    format!("{product}{}", taken.collect::<Vec<_>>().join("; "))
}

fn scaled(by: f64, which: [bool; 3], k: u32) -> String {
    let is_root = (by * by * f64::from(k) - 1.0).abs() < 1e-4;
    let of_attention = if is_root { ", 1 / sqrt(K), as the scores of attention are" } else { "" };
    let by = format!("{by:.4}");
    let by = by.trim_end_matches('0').trim_end_matches('.');
    let factor = format!("every element is multiplied by {by}{of_attention}");
    if which == [false; 3] { factor } else { format!("{}; and {factor}", column_major(which)) }
}

fn cut_short(k: u32, of: u32) -> String {
    let left_out = of - k;
    if left_out == 1 {
        return format!("the last product of each sum is left out: k must run to {}", of - 1);
    }
    format!(
        "each sum ends before k = {k}, and the last {} of {} products are left out: round the \
         number of tiles up, (K + tile - 1) / tile, and fill the last one with zeros beyond K",
        grouped(left_out.into()),
        grouped(of.into())
    )
}

fn shifted(StoreShift { rows, columns }: StoreShift) -> String {
    let (what, by) = if rows == 0 { ("column", columns) } else { ("row", rows) };
    let where_to = if by > 0 { "after" } else { "before" };
    let at = |name: &str, by: i32| match by {
        0 => name.to_owned(),
        1.. => format!("{name} + {by}"),
        _ => format!("{name} - {}", -by),
    };
    format!(
        "each element is stored one {what} {where_to} its own, at C[{}][{}]: store it at row * N + col",
        at("row", rows),
        at("col", columns)
    )
}

const fn by_other_index(of: Operand) -> &'static str {
    match of {
        Operand::A => {
            "each thread multiplies the row of A in the tile that its threadIdx.x numbers, not its \
             threadIdx.y: read the tile at [threadIdx.y][k], with the thread's own row"
        }
        _ => {
            "each thread multiplies the column of B in the tile that its threadIdx.y numbers, not its \
             threadIdx.x: read the tile at [k][threadIdx.x], with the thread's own column"
        }
    }
}

fn begun_late(k: u32, of: u32) -> String {
    match of - k {
        1 => "each sum is its last product alone: add to it with +=, not with =".to_owned(),
        _ if k == 1 => "the first product of each sum is left out: k must run from 0".to_owned(),
        left => format!(
            "each sum holds its last {} of {} products alone, from k = {k} on: set it to 0 once, before \
             the loop over the tiles",
            grouped(left.into()),
            grouped(of.into())
        ),
    }
}

const fn of_operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Sum => "each sum adds A[row][k] + B[k][col]: multiply them",
        Operation::Difference => "each sum adds A[row][k] - B[k][col]: multiply them",
        Operation::Negative => {
            "every element has the wrong sign: the products are subtracted, with -="
        }
    }
}

fn begins(start: f64) -> String {
    let (is, by) = (if start > 0.0 { "large" } else { "small" }, start.abs());
    format!(
        "every element is too {is} by {by}: does each sum start at 0? After `float sum;` it starts at \
         whatever its register holds"
    )
}

fn other_operands(factors: [Operand; 2]) -> String {
    let [a, b] = factors.map(Operand::name);
    let fault = match factors {
        [Operand::B, Operand::A] => {
            "either the factors are exchanged, or the kernel takes the matrices for column-major ones, as \
             in BLAS and Fortran: at square sizes both make this C"
        }
        [Operand::A, _] => "the kernel loads A where it should load B",
        _ => "the kernel loads B where it should load A",
    };
    format!("C is {a} x {b}: {fault}")
}

fn transposed_tiles(of: Operand, side: u32) -> String {
    let name = of.name();
    let what = match of {
        Operand::C => "store a thread's element at its own row and column",
        _ => "store and load a tile's element with its indices in the same order",
    };
    format!("each tile of {side} x {side} elements of {name} is transposed: {what}")
}

fn left_out(Gaps { rows, columns }: &Gaps) -> String {
    let of = |what: &str, ranges: &[Range<u32>]| {
        let one = ranges.len() == 1 && ranges[0].len() == 1;
        let (some, more) = ranges.split_at(ranges.len().min(3));
        let mut all: Vec<_> = some.iter().map(range).collect();
        if !more.is_empty() {
            all.push("so on".to_owned());
        }
        (!all.is_empty()).then(|| format!("{what}{} {}", if one { "" } else { "s" }, listed(&all)))
    };
    let parts = [of("row", rows), of("column", columns)];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    format!(
        "no thread stores {}: a block begins where the one before it ends, at blockIdx * blockDim",
        listed(&parts)
    )
}

/// `96 to 99`.
fn range(of: &Range<u32>) -> String {
    if of.len() == 1 { of.start.to_string() } else { format!("{} to {}", of.start, of.end - 1) }
}

const fn of_factors(factors: WrongFactors) -> &'static str {
    match factors {
        WrongFactors::NoBeta => {
            "beta x C is left out: add beta times the old element to the product"
        }
        WrongFactors::BetaIsOne => "the old C is added without its factor: multiply it by beta",
        WrongFactors::BetaTwice => "beta x C is added twice",
        WrongFactors::AlphaIsOne => "alpha is left out: multiply the product by it",
        WrongFactors::AlphaTwice => {
            "the product is added twice: does each sum start at 0, and is each step along k made once?"
        }
        WrongFactors::Neither => "C is A x B: alpha and beta are left out",
    }
}

fn turned(problem: &Problem, grid: Dim3) -> String {
    let assumed = problem.launch.grid;
    format!(
        "the grid was assumed as {}, columns of C along x; with the axes exchanged C is right: give \
         --launch '<<<{},>>>'",
        sides(assumed),
        grid.spelt()
    )
}

fn too_small(problem: &Problem, computed: ComputedPart, larger: Option<Dim3>) -> String {
    let (Size { m, n, .. }, Launch { grid, .. }) = (problem.size, problem.launch);
    let missing = match computed {
        ComputedPart::Corner(rows, columns) => {
            let rows = (rows < m).then(|| span("row", rows, m));
            let columns = (columns < n).then(|| span("column", columns, n));
            let parts: Vec<_> = rows.into_iter().chain(columns).collect();
            parts.join(" and ")
        }
        ComputedPart::UpTo(row, column) => {
            let element = Element { operand: Operand::C, row, column };
            format!("what follows from {element} on")
        }
    };
    let advice = match larger {
        Some(larger) => format!(
            "the grid of {} blocks is too small, and with --launch '<<<{},>>>' C is right: round the number of \
             blocks up",
            sides(grid),
            larger.spelt()
        ),
        None => format!(
            "either the grid of {} blocks ends there, or the condition that guards the store does",
            sides(grid)
        ),
    };
    format!("no thread stores {missing}: {advice}")
}

/// `rows 96 to 99`.
fn span(what: &str, from: u32, end: u32) -> String {
    if from + 1 == end {
        format!("{what} {from}")
    } else {
        format!("{what}s {from} to {}", end - 1)
    }
}

fn square_only(sides: &[u32]) -> String {
    let sides: Vec<_> = sides.iter().map(u32::to_string).collect();
    format!(
        "C is right where M = N = K ({} were tried), so one of them stands in another's place: a row \
         of A is K elements long, a row of B and of C is N",
        listed(&sides)
    )
}

fn compiled_in(size: Size, found: &CompiledIn) -> String {
    let words: Vec<_> = found.names.iter().map(definition).collect();
    let is = if words.len() == 1 { "is" } else { "are" };
    let told = format!(
        "C is right at size {}: {} {is} compiled in; give --size {}",
        found.size,
        listed(&words),
        found.size
    );
    let Some(options) = options(size, found) else { return told };
    let fixed = found
        .names
        .iter()
        .find(|given| matches!(given.how, ConstantForm::Macro | ConstantForm::Constant));
    match fixed {
        None => format!("{told} or compile with {options}"),
        Some(NamedConstant { name, how, .. }) => {
            let instead = if *how == ConstantForm::Macro { "" } else { " as a macro" };
            format!(
                "{told}, or write it{instead} between #ifndef {name} and #endif and compile with {options}"
            )
        }
    }
}

fn one_tile(found: &CompiledIn) -> String {
    let words: Vec<_> = found.names.iter().map(definition).collect();
    format!(
        "C is right at size {}, where there is one tile, {}: what goes from tile to tile is wrong; \
         each round must load the next tile, tile * width + threadIdx, and the sum must go on",
        found.size,
        listed(&words)
    )
}

/// ``line 3, `#define N 1024` ``.
fn definition(NamedConstant { name, value, line, how }: &NamedConstant) -> String {
    let text = match how {
        ConstantForm::Option => format!("-D {name}={value}"),
        ConstantForm::Guarded | ConstantForm::Macro => format!("#define {name} {value}"),
        ConstantForm::Constant => format!("{name} = {value}"),
    };
    line.map_or_else(|| format!("`{text}`"), |line| format!("`{text}` (line {line})"))
}

/// The options that compile the kernel for this size; `None` if one name stands for several sides.
fn options(size: Size, found: &CompiledIn) -> Option<String> {
    let sides = match &found.names[..] {
        [_] if size == Size::square(size.n) => vec![size.n],
        [_, _, _] => vec![size.m, size.n, size.k],
        _ => return None,
    };
    let each =
        found.names.iter().zip(sides).map(|(given, side)| format!("-D {}={side}", given.name));
    Some(each.collect::<Vec<_>>().join(" "))
}

fn stopped(blocks: u64) -> String {
    let was = if blocks == 1 { "was" } else { "were" };
    format!(
        "{} {was} stopped before storing them: see the finding that says why",
        Count(blocks, "block")
    )
}

fn unfinished(stopped: u64, not_run: u64) -> String {
    let was = if stopped == 1 { "was" } else { "were" };
    let others = match not_run {
        0 => String::new(),
        1 => ", and 1 other did not run".to_owned(),
        _ => format!(", and {} others did not run", grouped(not_run)),
    };
    format!(
        "{} {was} stopped before the end{others}: see the finding that says why",
        Count(stopped, "block")
    )
}

/// The text with a capital letter at its beginning.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// `a, b and c`.
pub(super) fn listed(words: &[impl AsRef<str>]) -> String {
    let words: Vec<_> = words.iter().map(AsRef::as_ref).collect();
    match &words[..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}
