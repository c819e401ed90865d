//! The recorded GPU: what a multiprocessor holds of a kernel, how soon and how fast its units give, and
//! which of them a kernel keeps busy.

use super::asked::count;
use super::times::{RecordedRow, size, timed};
use crate::analysis::occupancy::{Demand, Limit, Multiprocessor, Occupancy};
use crate::launch::Dim3;
use crate::lesson::answer::{Answer, AnsweredFrom, Value};
use crate::lesson::expr::QueryCall;
use crate::lesson::query_error::QueryError;
use crate::report::charts::FigureSource;
use crate::report::charts::memory::{MemoryLevel, distances};
use crate::report::charts::occupancy as chart;
use crate::report::charts::units::{UnitLoad, loads};
use crate::report::ladder;
use crate::timing::Resources;
use crate::timing::pack::{self, Pack};

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

pub(super) fn has(asked: &QueryCall<'_>) -> Result<Answer> {
    let (limit, pack) = (resource(asked)?, recorded()?);
    Ok(of_pack(pack, multiprocessor(pack)?.has(limit).into()))
}

pub(super) fn takes(asked: &QueryCall<'_>) -> Result<Answer> {
    let limit = resource(asked)?;
    let (timed, needs) = demand(asked, 1)?;
    let taken = multiprocessor(timed.pack)?.gives(limit, &needs);
    Ok(Answer { view: None, ..timed.recorded(taken.into()) })
}

/// What a multiprocessor of the recorded GPU holds of the kernel.
fn held(asked: &QueryCall<'_>) -> Result<(RecordedRow, Occupancy)> {
    let (timed, needs) = demand(asked, 0)?;
    let held = multiprocessor(timed.pack)?.holds(&needs);
    Ok((timed, held))
}

fn multiprocessor(pack: &Pack) -> Result<Multiprocessor> {
    let none = || QueryError::new(format!("the limits of {} are not known", pack.device));
    chart::multiprocessor(pack).ok_or_else(none)
}

/// The resource of a multiprocessor that the first argument names.
fn resource(asked: &QueryCall<'_>) -> Result<Limit> {
    let (name, span) = asked.name(0).unwrap_or_default();
    let found = Limit::ALL.into_iter().find(|limit| is_called(chart::word(*limit), name));
    let told = || format!("`{name}` is none of threads, blocks, registers and shared");
    found.ok_or_else(|| QueryError::at(span, told()))
}

/// What a block of a kernel needs, as the driver reported it where the kernel was measured on large
/// matrices.
fn demand(asked: &QueryCall<'_>, kernel: usize) -> Result<(RecordedRow, Demand)> {
    let (timed, needs) = resources(asked, kernel)?;
    let shared = needs.static_shared + needs.dynamic_shared;
    let block = Dim3::flat(needs.threads, 1);
    Ok((timed, Demand { block, registers: needs.registers, shared }))
}

fn resources(asked: &QueryCall<'_>, kernel: usize) -> Result<(RecordedRow, Resources)> {
    let rows = pack::packs().first().map(|pack| &pack.rows[..]).unwrap_or_default();
    let timed = timed(asked, kernel, ladder::first_size(rows))?;
    let none =
        || QueryError::new(format!("the registers of {} are not recorded", timed.row.kernel));
    let resources = timed.row.beside.resources.ok_or_else(none)?;
    Ok((timed, resources))
}

/// What follows from a row, and stands in no panel.
fn modelled(timed: &RecordedRow, value: Value) -> Answer {
    Answer { value, origin: AnsweredFrom::Model, view: None, ..timed.recorded(0.0) }
}

pub(super) fn latency(asked: &QueryCall<'_>) -> Result<Answer> {
    let (level, pack) = (level(asked)?, recorded()?);
    let all = distances(pack).ok_or_else(|| not_recorded(level))?;
    let cycles = all.iter().find(|(of, _)| *of == level).map(|(_, cycles)| *cycles);
    Ok(of_pack(pack, cycles.ok_or_else(|| not_recorded(level))?))
}

/// Little's law: what comes in a cycle, times the cycles until it is there.
pub(super) fn in_flight(asked: &QueryCall<'_>) -> Result<Answer> {
    let (level, pack) = (level(asked)?, recorded()?);
    let none = || not_recorded(level);
    let cycles = latency(asked)?.value.number().ok_or_else(none)?;
    Ok(of_pack(pack, level.rate(pack).ok_or_else(none)? * cycles))
}

pub(super) fn rate(asked: &QueryCall<'_>) -> Result<Answer> {
    let (level, pack) = (level(asked)?, recorded()?);
    let most = pack.ceilings.as_ref();
    let seen = most.and_then(|most| most.hierarchy.as_ref());
    let gb_s = match level {
        MemoryLevel::Registers => None,
        MemoryLevel::Shared => most.map(|most| most.shared_gb_s),
        MemoryLevel::L1 => seen.map(|seen| seen.l1_gb_s),
        MemoryLevel::L2 => seen.map(|seen| seen.l2_gb_s),
        MemoryLevel::Dram => most.map(|most| most.copy_gb_s),
    };
    Ok(of_pack(pack, gb_s.ok_or_else(|| not_recorded(level))?.median))
}

pub(super) fn busy(asked: &QueryCall<'_>) -> Result<Answer> {
    let (name, span) = asked.name(0).unwrap_or_default();
    let (row, loads) = loads_of(asked, 1)?;
    let is_it = |load: &&UnitLoad| is_called(load.unit.word(), name);
    let load = loads.iter().find(is_it);
    let told = || QueryError::at(span, format!("what `{name}` does for this kernel is not known"));
    let load = load.ok_or_else(told)?;
    Ok(weighed(&row, load, Value::Number(load.ms)))
}

pub(super) fn busiest(asked: &QueryCall<'_>) -> Result<Answer> {
    let (row, loads) = loads_of(asked, 0)?;
    let busiest = loads.iter().max_by(|one, other| one.ms.total_cmp(&other.ms));
    let busiest = busiest.ok_or_else(|| QueryError::new("no unit's work is known"))?;
    Ok(weighed(&row, busiest, Value::Name(busiest.unit.word().to_owned())))
}

/// The recorded row of the kernel that an argument names, and the time that each unit needs for it.
fn loads_of(asked: &QueryCall<'_>, kernel: usize) -> Result<(RecordedRow, Vec<UnitLoad>)> {
    let of = timed(asked, kernel, size(asked, kernel + 1)?)?;
    let rungs = ladder::rungs(&of.pack.rows, of.row.size);
    let rung = rungs.iter().find(|rung| rung.row == of.row);
    let none = || QueryError::new(format!("{} is not measured with its usual tile", of.row.kernel));
    let rung = rung.ok_or_else(none)?;
    let loads = loads(of.pack, rung, &asked.cache.counted(of.row));
    Ok((of, loads))
}

/// A value that follows from the work of a unit: as certain as its count and its rate.
fn weighed(of: &RecordedRow, load: &UnitLoad, value: Value) -> Answer {
    let recorded = of.recorded(0.0);
    let origin = match load.weakest() {
        FigureSource::Measured => recorded.origin.clone(),
        _ => AnsweredFrom::Model,
    };
    Answer { value, origin, ..recorded }
}

fn recorded() -> Result<&'static Pack> {
    pack::packs().first().ok_or_else(|| QueryError::new("no GPU is recorded"))
}

fn of_pack(pack: &Pack, number: f64) -> Answer {
    let origin = AnsweredFrom::Recorded(format!("{}, {}", pack.device, pack.date));
    Answer { origin, ..Answer::simulated(Value::Number(number)) }
}

/// The level of the memory that the first argument names.
fn level(asked: &QueryCall<'_>) -> Result<MemoryLevel> {
    let (name, span) = asked.name(0).unwrap_or_default();
    let found = MemoryLevel::ALL.into_iter().find(|level| is_called(level.word(), name));
    let told = || format!("`{name}` is no level: give registers, shared, L1, L2 or DRAM");
    found.ok_or_else(|| QueryError::at(span, told()))
}

/// Whether a unit is called so: by its first word.
fn is_called(word: &str, name: &str) -> bool {
    word.split(' ').next() == Some(name) || word == name
}

fn not_recorded(level: MemoryLevel) -> QueryError {
    QueryError::new(format!("the latency and the rate of {} are not recorded", level.word()))
}
