//! Times: measured on this machine if it measures, else the recorded ones.

use crate::kernel;
use crate::lesson::answer::{Answer, AnsweredFrom, Value};
use crate::lesson::expr::QueryCall;
use crate::lesson::query_error::QueryError;
use crate::lesson::target::View;
use crate::matrix::{Precision, Size};
use crate::timing::pack::{self, Freshness, Pack};
use crate::timing::{Measurement, library};

type Result<T> = std::result::Result<T, QueryError>;

/// A recorded row, and where it is from.
pub(super) struct RecordedRow {
    pub(super) row: &'static Measurement,
    pub(super) pack: &'static Pack,
}

pub(super) fn ms(asked: &QueryCall<'_>) -> Result<Answer> {
    let timed = timed(asked, 0, size(asked, 1)?)?;
    Ok(from_rows(asked, [&timed], |[row]| row.ms.median))
}

pub(super) fn gflops(asked: &QueryCall<'_>) -> Result<Answer> {
    let timed = timed(asked, 0, size(asked, 1)?)?;
    Ok(from_rows(asked, [&timed], |[row]| row.gflops))
}

pub(super) fn faster(asked: &QueryCall<'_>) -> Result<Answer> {
    let size = size(asked, 2)?;
    let (one, other) = (timed(asked, 0, size)?, timed(asked, 1, size)?);
    Ok(from_rows(asked, [&one, &other], |[one, other]| other.ms.median / one.ms.median))
}

pub(super) fn of_library(asked: &QueryCall<'_>) -> Result<Answer> {
    let timed = timed(asked, 0, size(asked, 1)?)?;
    let library = library(timed.row.precision());
    let best =
        timed.pack.rows.iter().find(|row| row.kernel == library && row.size == timed.row.size);
    let none = || QueryError::new(format!("no time of cuBLAS is recorded at {}", timed.row.size));
    let best = RecordedRow { row: best.ok_or_else(none)?, pack: timed.pack };
    Ok(from_rows(asked, [&timed, &best], |[own, best]| 100.0 * own.gflops / best.gflops))
}

pub(super) fn counter(asked: &QueryCall<'_>) -> Result<Answer> {
    let (name, span) = asked.name(0).unwrap_or_default();
    let timed = timed(asked, 1, size(asked, 2)?)?;
    let read = timed.row.beside.counters.as_ref().and_then(|all| all.get(name));
    let Measurement { kernel, size, .. } = timed.row;
    let none = || QueryError::at(span, format!("`{name}` of {kernel} at {size} is not recorded"));
    read.map(|read| timed.recorded(*read)).ok_or_else(none)
}

pub(super) fn copied(asked: &QueryCall<'_>) -> Result<Answer> {
    let timed = timed(asked, 0, size(asked, 1)?)?;
    let copies = timed.row.beside.copies.as_ref().map(|copies| copies.to_gpu_ms.median);
    copies.map(|ms| timed.recorded(ms)).ok_or_else(|| not_recorded("copies", &timed))
}

pub(super) fn error(asked: &QueryCall<'_>) -> Result<Answer> {
    let timed = timed(asked, 0, size(asked, 1)?)?;
    let error = timed.row.relative_error;
    error.map(|error| timed.recorded(error)).ok_or_else(|| not_recorded("errors", &timed))
}

pub(super) fn equal_bits(asked: &QueryCall<'_>) -> Result<Answer> {
    let size = size(asked, 2)?;
    let (one, other) = (timed(asked, 0, size)?, timed(asked, 1, size)?);
    let value = Value::Truth(one.row.c_sha256 == other.row.c_sha256);
    Ok(Answer { value, ..one.recorded(0.0) })
}

fn not_recorded(what: &str, of: &RecordedRow) -> QueryError {
    QueryError::new(format!("{what} of {} at {} are not recorded", of.row.kernel, of.row.size))
}

/// What rows tell: measured on this machine if all of them are, else as they are recorded.
fn from_rows<const N: usize>(
    asked: &QueryCall<'_>,
    rows: [&RecordedRow; N],
    tells: fn([&Measurement; N]) -> f64,
) -> Answer {
    let recorded = || rows[0].recorded(tells(rows.map(|timed| timed.row)));
    let Some(clock) = asked.cache.clock() else { return recorded() };
    // Each is asked for, also where recorded ones are taken: then they are known for later pages.
    let measured = rows.map(|timed| clock.measured(timed.row));
    if !asked.cache.is_timed() || measured.iter().any(Option::is_none) {
        return recorded();
    }
    let own = measured.each_ref().map(|row| row.as_ref().unwrap_or(rows[0].row));
    Answer { origin: AnsweredFrom::Measured(own[0].device.clone()), ..rows[0].recorded(tells(own)) }
}

/// The size: the argument with that number, or that of the setting.
pub(super) fn size(asked: &QueryCall<'_>, index: usize) -> Result<Size> {
    if asked.len() <= index {
        return Ok(asked.setting.size);
    }
    let side = asked.whole(index)?;
    Size::square(side).checked().map_err(|error| QueryError::new(error.to_string()))
}

/// The recorded row of the kernel that an argument names. It has the tile of the setting; where none
/// is set, or the kernel was not measured with it, its usual one at this size, or its fastest.
pub(super) fn timed(asked: &QueryCall<'_>, index: usize, size: Size) -> Result<RecordedRow> {
    let (name, span) = asked.name(index).unwrap_or_default();
    let row_name = row_name(name);
    let known = kernel::find(name);
    if known.is_none()
        && !pack::packs().iter().any(|pack| pack.rows.iter().any(|row| row.kernel == row_name))
    {
        return Err(QueryError::at(span, format!("there is no kernel `{name}`")));
    }
    let wanted = [asked.setting.tile, known.map(|kernel| kernel.variant_for(size).tile)];
    for pack in pack::packs() {
        let of_it = || pack.rows.iter().filter(|row| row.kernel == row_name && row.size == size);
        let fastest = of_it().max_by(|one, other| one.gflops.total_cmp(&other.gflops));
        let with_tile = wanted
            .into_iter()
            .flatten()
            .find_map(|tile| of_it().find(|row| row.tile == Some(tile)));
        if let Some(row) = with_tile.or(fastest) {
            if !row.is_library() && !row.is_cpu() && pack::freshness(row) == Freshness::Stale {
                return Err(QueryError::at(
                    span,
                    format!("{name} has changed since it was measured"),
                ));
            }
            return Ok(RecordedRow { row, pack });
        }
    }
    Err(QueryError::at(span, format!("no time of {name} at {size} is recorded")))
}

/// The name of a kernel's or a library's rows.
fn row_name(name: &str) -> &str {
    match name {
        "cublas" => library(Precision::Single),
        "cublas_half" => library(Precision::Half),
        _ => name,
    }
}

impl RecordedRow {
    /// A value that this row gives.
    pub(super) fn recorded(&self, number: f64) -> Answer {
        let origin = AnsweredFrom::Recorded(format!("{}, {}", self.row.device, self.pack.date));
        let view = Some(View::Measured);
        Answer { origin, view, ..Answer::simulated(Value::Number(number)) }
    }
}
