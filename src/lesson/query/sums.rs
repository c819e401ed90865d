//! Sums over the grid and over a block.

use super::asked::count;
use crate::analysis::Counts;
use crate::launch::WARP_SIZE;
use crate::lesson::answer::{Answer, Value};
use crate::lesson::expr::{AccessVerb, QueryCall};
use crate::lesson::nearest::nearest;
use crate::lesson::query_error::QueryError;
use crate::matrix::{ElementType, Operand};
use crate::report::figures::{FIGURES, Figure};

type Result<T> = std::result::Result<T, QueryError>;

/// The figure that cannot be predicted for SASS.
const OF_PTX_ALONE: &str = "warp_instructions";

pub(super) fn total(asked: &QueryCall<'_>) -> Result<Answer> {
    let figure = figure(asked)?;
    Ok(summed(figure, &asked.runs()?.counters()?.ptx))
}

pub(super) fn executed(asked: &QueryCall<'_>) -> Result<Answer> {
    let figure = figure(asked)?;
    if figure.key == OF_PTX_ALONE {
        return Err(QueryError::new("how many instructions the SASS has cannot be predicted"));
    }
    Ok(summed(figure, &asked.runs()?.counters()?.sass()))
}

pub(super) fn of_block(asked: &QueryCall<'_>) -> Result<Answer> {
    let figure = figure(asked)?;
    Ok(summed(figure, &asked.runs()?.block_counters().ptx))
}

fn summed(figure: &Figure, counts: &Counts) -> Answer {
    Answer::simulated(count((figure.count)(counts)))
}

/// The figure that the first argument names.
fn figure(asked: &QueryCall<'_>) -> Result<&'static Figure> {
    let (name, span) = asked.name(0).unwrap_or_default();
    FIGURES.iter().find(|figure| figure.key == name).ok_or_else(|| {
        let keys = FIGURES.iter().map(|figure| figure.key);
        let hint = nearest(name, keys.clone()).map_or_else(
            || format!("there are {}", keys.collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        QueryError::at(span, format!("`{name}` is not counted; {hint}"))
    })
}

pub(super) fn requests(asked: &QueryCall<'_>) -> Result<Answer> {
    let (name, stores) = if let Some((name, _)) = asked.name(0) {
        (name.to_owned(), None)
    } else {
        let access = asked.access(0)?;
        (access.array, Some(access.how == AccessVerb::Store))
    };
    let none = || QueryError::new(format!("`{name}` is not a matrix: give A, B or C"));
    let operand = Operand::ALL.into_iter().find(|operand| operand.name() == name);
    let operand = operand.ok_or_else(none)?;
    let runs = asked.runs()?;
    let traffic = &runs.coverage()?.traffic;
    let wanted =
        |(of, store): &(Operand, bool)| *of == operand && stores.is_none_or(|it| it == *store);
    let all = traffic.iter().filter(|(of, _)| wanted(of)).map(|(_, traffic)| traffic.requests);
    Ok(Answer::simulated(count(all.sum::<u64>())))
}

/// The first sum to which a 1 more makes no difference. It is a power of two, since between two of
/// these numbers lie equally close.
pub(super) fn counts_to(asked: &QueryCall<'_>) -> Result<Answer> {
    let (name, span) = asked.name(0).unwrap_or_default();
    let kept: ElementType =
        name.parse().map_err(|why| QueryError::at(span.clone(), format!("{why}")))?;
    if kept.is_integer() {
        return Err(QueryError::at(span, "sums of integers never stop growing: they wrap"));
    }
    let mut sum = 1.0;
    while kept.round(sum + 1.0) > sum {
        sum *= 2.0;
    }
    Ok(Answer::simulated(Value::Number(sum)))
}

pub(super) fn per_fma(asked: &QueryCall<'_>) -> Result<Answer> {
    each_fma(asked, 1)
}

pub(super) fn per_warp_fma(asked: &QueryCall<'_>) -> Result<Answer> {
    each_fma(asked, WARP_SIZE)
}

/// A number for each multiply-add of so many threads.
fn each_fma(asked: &QueryCall<'_>, threads: u32) -> Result<Answer> {
    let number = asked.number(0)?;
    let runs = asked.runs()?;
    let counts = runs.counters()?.sass();
    let fma = (counts.thread_fma + counts.thread_half_fma) as f64 / f64::from(threads);
    if fma == 0.0 {
        return Err(QueryError::new("this kernel executes no multiply-adds"));
    }
    Ok(Answer::simulated(Value::Number(number / fma)))
}
