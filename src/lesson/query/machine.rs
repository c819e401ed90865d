//! What a multiprocessor holds of a kernel.

use super::asked::count;
use super::times::{RecordedRow, timed};
use crate::analysis::occupancy::{Demand, Occupancy};
use crate::launch::Dim3;
use crate::lesson::answer::{Answer, AnsweredFrom, Value};
use crate::lesson::expr::QueryCall;
use crate::lesson::query_error::QueryError;
use crate::report::charts::occupancy as chart;
use crate::report::ladder;
use crate::timing::Resources;
use crate::timing::pack;

type Result<T> = std::result::Result<T, QueryError>;

pub(super) fn occupancy(asked: &QueryCall<'_>) -> Result<Answer> {
    let (timed, held) = held(asked)?;
    Ok(modelled(&timed, count(held.warps)))
}

pub(super) fn limit(asked: &QueryCall<'_>) -> Result<Answer> {
    let (timed, held) = held(asked)?;
    let limits: Vec<_> = held.limits().map(chart::word).collect();
    Ok(modelled(&timed, Value::Name(limits.join(" and "))))
}

/// What a multiprocessor of the recorded GPU holds of the kernel.
fn held(asked: &QueryCall<'_>) -> Result<(RecordedRow, Occupancy)> {
    let (timed, needs) = resources(asked)?;
    let none = || QueryError::new(format!("the limits of {} are not known", timed.row.device));
    let has = chart::multiprocessor(timed.pack).ok_or_else(none)?;
    let shared = needs.static_shared + needs.dynamic_shared;
    let demand = Demand { block: Dim3::flat(needs.threads, 1), registers: needs.registers, shared };
    let held = has.holds(&demand);
    Ok((timed, held))
}

/// What a block of the kernel needs, as the driver reported it where the kernel was measured on
/// large matrices.
fn resources(asked: &QueryCall<'_>) -> Result<(RecordedRow, Resources)> {
    let rows = pack::packs().first().map(|pack| &pack.rows[..]).unwrap_or_default();
    let timed = timed(asked, 0, ladder::first_size(rows))?;
    let none =
        || QueryError::new(format!("the registers of {} are not recorded", timed.row.kernel));
    let resources = timed.row.beside.resources.ok_or_else(none)?;
    Ok((timed, resources))
}

fn modelled(timed: &RecordedRow, value: Value) -> Answer {
    Answer { value, origin: AnsweredFrom::Model, ..timed.recorded(0.0) }
}
