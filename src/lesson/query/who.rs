//! Which thread computes what, and which threads a warp has.

use super::asked::count;
use crate::launch::{Dim3, WARP_SIZE};
use crate::lesson::answer::{Answer, AnsweredFrom, Value};
use crate::lesson::expr::{Elsewhere, QueryCall};
use crate::lesson::query_error::QueryError;
use crate::lesson::setting::BlockChoice;
use crate::lesson::setting_runs::{Evidence, SettingRuns};
use crate::lesson::target::{Target, View};
use crate::matrix::{Element, Operand};
use crate::sim::Pc;
use ptx::Space;
use std::collections::BTreeSet;
use std::sync::Arc;

type Result<T> = std::result::Result<T, QueryError>;

/// The most blocks in which the thread of an element is looked for.
const BLOCKS: u64 = 256;

struct ElementStore {
    evidence: Evidence,
    lane: u32,
    thread: (u32, u32, u32),
    element: Element,
}

pub(super) fn element(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let (x, y) = asked.thread(&runs)?;
    let own: Vec<_> =
        stores(&runs).into_iter().filter(|stored| stored.thread == (x, y, 0)).collect();
    let all: BTreeSet<_> = own.iter().map(|stored| Target::Element(stored.element)).collect();
    let first = own.iter().map(|stored| (stored.evidence.step, stored.evidence.warp)).min();
    let marks = all.iter().cloned().chain([Target::Thread { x, y }]).collect();
    Ok(Answer {
        value: Value::Things(all),
        origin: AnsweredFrom::Simulated,
        step: first.map(|(step, _)| step),
        warp: first.map(|(_, warp)| warp),
        view: Some(View::Matrices),
        marks,
    })
}

pub(super) fn thread(asked: &QueryCall<'_>) -> Result<Answer> {
    who(asked, |stored| {
        let (x, y, _) = stored.thread;
        Value::Things([Target::Thread { x, y }].into())
    })
}

pub(super) fn warp(asked: &QueryCall<'_>) -> Result<Answer> {
    if asked.len() > 0 {
        return who(asked, |stored| count(stored.evidence.warp));
    }
    let runs = asked.runs()?;
    let last = || {
        let records = runs.trace().records();
        records.get(asked.from().saturating_sub(1)).map_or(0, |mark| mark.warp.into())
    };
    Ok(Answer::simulated(count(runs.setting.warp.unwrap_or_else(last))))
}

pub(super) fn lane(asked: &QueryCall<'_>) -> Result<Answer> {
    who(asked, |stored| count(stored.lane))
}

fn who(asked: &QueryCall<'_>, value: fn(&ElementStore) -> Value) -> Result<Answer> {
    let element = asked.element()?;
    if element.operand != Operand::C {
        return Err(QueryError::new(format!(
            "{element} is read by many threads: ask for one of C"
        )));
    }
    let (stored, here) = storing(asked, element)?;
    let (x, y, _) = stored.thread;
    let marks = vec![Target::Thread { x, y }, Target::Lane(stored.lane), Target::Element(element)];
    Ok(Answer {
        value: value(&stored),
        origin: AnsweredFrom::Simulated,
        step: here.then_some(stored.evidence.step),
        warp: Some(stored.evidence.warp),
        view: Some(View::Warps),
        marks,
    })
}

/// The store of an element, and whether the watched block does it.
fn storing(asked: &QueryCall<'_>, element: Element) -> Result<(ElementStore, bool)> {
    let runs = asked.runs()?;
    let watched = runs.block();
    for block in likely(&runs, element) {
        let runs = in_block(asked, &runs, block)?;
        let found = stores(&runs).into_iter().find(|stored| stored.element == element);
        if let Some(stored) = found {
            return Ok((stored, block == watched));
        }
    }
    Err(QueryError::new(format!("no thread stores {element}")))
}

fn in_block(
    asked: &QueryCall<'_>,
    runs: &Arc<SettingRuns>,
    block: Dim3,
) -> Result<Arc<SettingRuns>> {
    if runs.block() == block {
        return Ok(Arc::clone(runs));
    }
    asked.stage_of(&Elsewhere::Block(BlockChoice::At(block)))
}

/// The blocks that may store an element, the likely ones first.
fn likely(runs: &SettingRuns, element: Element) -> Vec<Dim3> {
    let grid = runs.problem.launch.grid;
    let tile = runs.tile();
    let known = runs.problem.block_of(element.row, element.column);
    let of_tile = tile.map(|tile| Dim3::at(element.column / tile.n, element.row / tile.m));
    let all = (0..grid.volume().min(BLOCKS)).map(|index| grid.place(index));
    let mut blocks = Vec::new();
    for block in known.into_iter().chain(of_tile).chain([runs.block()]).chain(all) {
        if grid.contains(block) && !blocks.contains(&block) {
            blocks.push(block);
        }
    }
    blocks
}

/// Every store to C of the watched block: one for each element.
fn stores(runs: &SettingRuns) -> Vec<ElementStore> {
    let is_c = |site: &&crate::lesson::setting_runs::AccessSite| {
        let array = site.array.as_ref().is_some_and(|array| array.name == Operand::C.name());
        array && site.space == Space::Global && site.direction.writes()
    };
    let sites: Vec<_> = runs.sites().filter(is_c).map(|site| site.pc).collect();
    let memory = runs.problem.bounds_only_memory(runs.program());
    let element = |address| runs.problem.element(&memory, address);
    let mut all = Vec::new();
    for evidence in sites.into_iter().flat_map(|pc| executions(runs, pc)) {
        for (lane, access) in evidence.lanes.iter().enumerate() {
            let Some(access) = access else { continue };
            let words = (0..u64::from(evidence.bytes)).step_by(4);
            for (operand, row, column) in words.filter_map(|at| element(access.address + at)) {
                let element = Element { operand, row, column };
                let (evidence, lane) = (evidence.clone(), lane as u32);
                all.push(ElementStore { evidence, lane, thread: access.thread, element });
            }
        }
    }
    all
}

fn executions(runs: &SettingRuns, pc: Pc) -> impl Iterator<Item = Evidence> {
    let warps = 0..runs.problem.launch.warps() as u16;
    warps.flat_map(move |warp| (0..).map_while(move |number| runs.executed(pc, warp, number)))
}

pub(super) fn lanes_of(asked: &QueryCall<'_>) -> Result<Answer> {
    let (runs, warp) = (asked.runs()?, asked.whole(0)?);
    let launch = runs.problem.launch;
    if warp >= launch.warps() {
        let told = format!("there is no warp {warp}: a block has {} warps", launch.warps());
        return Err(QueryError::new(told));
    }
    let mut threads = warp * WARP_SIZE..launch.threads().min((warp + 1) * WARP_SIZE);
    if asked.len() > 1 {
        let lane = asked.whole(1)?;
        let thread = threads.clone().nth(lane as usize);
        let none = || QueryError::new(format!("warp {warp} has no lane {lane}"));
        threads = thread.map(|thread| thread..thread + 1).ok_or_else(none)?;
    }
    let place = |number: u32| launch.block.place(number.into());
    let threads: BTreeSet<_> =
        threads.map(place).map(|place| Target::Thread { x: place.x, y: place.y }).collect();
    let marks = threads.iter().cloned().collect();
    let (warp, view) = (Some(warp), Some(View::Warps));
    Ok(Answer { warp, view, marks, ..Answer::simulated(Value::Things(threads)) })
}
