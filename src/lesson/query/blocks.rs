//! The block and the grid: counts, and what an edge leaves out: elements, lanes and words.

use super::asked::count;
use super::place::step_of;
use crate::launch::WARP_SIZE;
use crate::lesson::answer::{Answer, AnsweredFrom, Value};
use crate::lesson::expr::{QueryCall, RunEvent, RunPosition};
use crate::lesson::query_error::QueryError;
use crate::lesson::setting_runs::{AccessSite, Evidence, SettingRuns};
use crate::lesson::target::{Target, View};
use crate::matrix::{Element, Operand};
use crate::sim::{Direction, SharedArray};
use ptx::Space;
use std::collections::BTreeSet;

type Result<T> = std::result::Result<T, QueryError>;

/// The most elements of C that are lit.
const LIT: usize = 1 << 12;

pub(super) fn warps(asked: &QueryCall<'_>) -> Result<Answer> {
    Ok(seen(count(asked.runs()?.problem.launch.warps()), View::Warps))
}

pub(super) fn blocks(asked: &QueryCall<'_>) -> Result<Answer> {
    Ok(seen(count(asked.runs()?.problem.launch.blocks()), View::Matrices))
}

pub(super) fn threads(asked: &QueryCall<'_>) -> Result<Answer> {
    let launch = asked.runs()?.problem.launch;
    Ok(seen(count(launch.blocks() * u64::from(launch.threads())), View::Matrices))
}

pub(super) fn idle(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let launch = runs.problem.launch;
    let threads = launch.blocks() * u64::from(launch.threads());
    Ok(seen(count(threads.saturating_sub(runs.stored()?.storing)), View::Matrices))
}

pub(super) fn k_tiles(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let none = || QueryError::new("this kernel has no tile that is known");
    let tile = runs.tile().ok_or_else(none)?;
    Ok(seen(count(runs.problem.size.k.div_ceil(tile.k)), View::Matrices))
}

pub(super) fn barriers(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let passed = runs.trace().records().iter().filter(|mark| mark.released).count();
    Ok(seen(count(passed), View::Timeline))
}

pub(super) fn imbalance(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let launch = runs.problem.launch;
    let threads = launch.blocks() * u64::from(launch.threads());
    let (most, all) = runs.coverage()?.executed;
    let times = (most * threads) as f64 / all.max(1) as f64;
    Ok(seen(Value::Number(times), View::Matrices))
}

pub(super) fn unread(asked: &QueryCall<'_>) -> Result<Answer> {
    Ok(seen(count(asked.runs()?.coverage()?.unread), View::Shared))
}

pub(super) fn shared_words(asked: &QueryCall<'_>) -> Result<Answer> {
    Ok(seen(count(asked.runs()?.program().shared_bytes / 4), View::Shared))
}

pub(super) fn rows_unwritten(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let columns = runs.problem.size.n;
    let rows = (0..).zip(runs.stored()?.stored.chunks(columns.max(1) as usize));
    let bare = rows.filter(|(_, elements)| elements.iter().all(|stored| !stored));
    let bare: Vec<u32> = bare.map(|(row, _)| row).collect();
    let element = |row, column| Target::Element(Element { operand: Operand::C, row, column });
    let lit = bare.iter().flat_map(|row| (0..columns).map(move |column| element(*row, column)));
    let marks = lit.take(LIT).collect();
    Ok(Answer { marks, ..seen(count(bare.len()), View::Matrices) })
}

/// In how many warps of the block some lanes make an access, and others do not.
pub(super) fn partial_warps(asked: &QueryCall<'_>) -> Result<Answer> {
    let (access, runs) = (asked.access(0)?, asked.runs()?);
    let sites = runs.named(&access)?;
    let firsts = (0..runs.problem.launch.warps()).filter_map(|warp| {
        let of_warp = sites.iter().filter_map(|pc| runs.executed(*pc, warp as u16, 0));
        of_warp.min_by_key(|evidence| evidence.step)
    });
    let partial: Vec<_> = firsts.filter(|evidence| is_partial(&runs, evidence)).collect();
    let first = partial.iter().min_by_key(|evidence| evidence.step);
    Ok(Answer {
        value: count(partial.len()),
        origin: AnsweredFrom::Simulated,
        step: first.map(|evidence| evidence.step),
        warp: first.map(|evidence| evidence.warp),
        view: Some(View::Warps),
        marks: partial.iter().map(|evidence| Target::Warp(evidence.warp)).collect(),
    })
}

/// Whether some lanes of the warp take no part in an access.
pub(in crate::lesson) fn is_partial(runs: &SettingRuns, evidence: &Evidence) -> bool {
    let threads = runs.problem.launch.threads();
    let all = threads.saturating_sub(evidence.warp * WARP_SIZE).min(WARP_SIZE);
    evidence.access.active.count() < all
}

/// How many words of a shared array no thread has stored, when the block passes its first barrier.
pub(super) fn unstored(asked: &QueryCall<'_>) -> Result<Answer> {
    let (name, span) = asked.name(0).unwrap_or_default();
    let runs = asked.runs()?;
    let none = || QueryError::at(span, format!("no thread stores to a shared array `{name}`"));
    let step = first_barrier(&runs)?;
    let stores = stores(&runs, name, step);
    let first = stores.first().map(|store| store.first).ok_or_else(none)?;
    let is_it = |array: &&SharedArray| array.name == name;
    let words = runs.program().shared.iter().find(is_it).map_or(0, |array| array.bytes / 4);
    let stored: BTreeSet<u64> = stores
        .iter()
        .flat_map(|store| store.access.touched().map(|(_, address)| (address - first) / 4))
        .collect();
    let bare: Vec<u32> = (0..words).filter(|word| !stored.contains(&u64::from(*word))).collect();
    let marks = bare.iter().map(|index| Target::Word { array: name.to_owned(), index: *index });
    Ok(Answer {
        value: count(bare.len()),
        origin: AnsweredFrom::Simulated,
        step: Some(step),
        warp: None,
        view: Some(View::Shared),
        marks: marks.collect(),
    })
}

/// The steps done when the block has passed its first barrier.
pub(in crate::lesson) fn first_barrier(runs: &SettingRuns) -> Result<usize> {
    let opened = RunPosition::At { before: false, events: vec![(RunEvent::Barrier(1), 0..0)] };
    step_of(runs, &opened, 0)
}

/// The stores of all warps to a shared array in the first steps of a run.
pub(in crate::lesson) fn stores(runs: &SettingRuns, array: &str, steps: usize) -> Vec<Evidence> {
    let is_store = |site: &&AccessSite| {
        let called = site.array.as_ref().is_some_and(|own| own.is_called(array));
        called && site.space == Space::Shared && site.direction == Direction::Store
    };
    let warps = 0..runs.problem.launch.warps() as u16;
    let of_site = |pc| {
        warps.clone().flat_map(move |warp| {
            let all = (0..).map_while(move |number| runs.executed(pc, warp, number));
            all.take_while(move |evidence| evidence.step <= steps)
        })
    };
    runs.sites().filter(is_store).flat_map(|site| of_site(site.pc)).collect()
}

/// A value that a view shows at any moment.
fn seen(value: Value, view: View) -> Answer {
    Answer { view: Some(view), ..Answer::simulated(value) }
}
