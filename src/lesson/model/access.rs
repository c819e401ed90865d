//! Ideas about one access of a warp.

use super::asked::{ModelCall, call, load, named, number};
use super::regroup::of_lanes;
use crate::analysis::counters::Passes;
use crate::analysis::{banks, coalesce};
use crate::launch::WARP_SIZE;
use crate::lesson::answer::Value;
use crate::lesson::setting_runs::{AccessSite, Evidence, SettingRuns};
use crate::sim::Access;
use ptx::Space;
use std::collections::BTreeSet;

/// Sectors of 32 bytes in a line of 128.
const SECTORS_OF_A_LINE: u32 = 4;

/// Accesses that a thread makes before its run counts as one.
const RUN: usize = 32;

/// What a function of one access tells, computed as it is for the real one: `None` for any other
/// function.
pub(super) fn evaluate(function: &str, access: &Access) -> Option<f64> {
    match function {
        "lanes" => return Some(access.active.count().into()),
        "words" if u64::from(access.bytes) == banks::WORD => {
            let words: BTreeSet<_> = access.touched().map(|(_, address)| address).collect();
            return Some(words.len() as f64);
        }
        _ => {}
    }
    if access.space == Space::Shared {
        let cost = banks::wavefronts(access);
        return match function {
            "passes" => Some(cost.wavefronts.into()),
            "ways" => Some(cost.ways.into()),
            "conflicts" => Some(cost.conflicts.into()),
            _ => None,
        };
    }
    let cost = coalesce::sectors(access);
    match function {
        "sectors" => Some(cost.sectors.into()),
        "lines" => Some(cost.lines.into()),
        "used" if cost.sectors > 0 => {
            Some(100.0 * f64::from(cost.distinct) / f64::from(cost.fetched()))
        }
        _ => None,
    }
}

/// The access to global memory of which `sectors` is asked.
fn of_sectors(asked: &ModelCall) -> Option<Evidence> {
    let evidence = if asked.is(&["sectors"]) { asked.evidence()? } else { return None };
    (evidence.space == Space::Global).then_some(evidence)
}

/// The access to shared memory of which passes are asked.
fn of_passes(asked: &ModelCall, functions: &[&str]) -> Option<Evidence> {
    let evidence = if asked.is(functions) { asked.evidence()? } else { return None };
    (evidence.space == Space::Shared).then_some(evidence)
}

/// The sectors of what one thread reads, one access after the other.
pub(super) fn thread_run(asked: &ModelCall) -> Option<Value> {
    let evidence = of_sectors(asked)?;
    let own = own_run(&*asked.runs()?, &evidence)?;
    Some(number(coalesce::sectors(&own).sectors))
}

/// What the first lane reads at its line, access after access, as if it were the access of a warp.
/// A loop that is unrolled has several instructions for it.
fn own_run(runs: &SettingRuns, evidence: &Evidence) -> Option<Access> {
    let lane = evidence.lanes.iter().position(Option::is_some)?;
    let own = runs.sites().find(|site| site.pc == evidence.pc)?;
    let is_alike = |site: &&AccessSite| {
        site.line == own.line && site.array == own.array && site.direction == own.direction
    };
    let mut run = Vec::new();
    for site in runs.sites().filter(is_alike) {
        let all = (0..RUN).map_while(|number| runs.executed(site.pc, evidence.warp as u16, number));
        run.extend(all.filter_map(|one| Some((one.step, one.lanes[lane]?.address))));
    }
    run.sort_unstable();
    let addresses = run.into_iter().map(|(_, address)| address).take(RUN).enumerate();
    let access = of_lanes(&evidence.access, addresses);
    (access.active.count() as usize == RUN).then_some(access)
}

/// A sector, or a request, for each lane; a fetch for each use.
pub(super) fn own_fetch(asked: &ModelCall) -> Option<Value> {
    if let Some(evidence) = of_sectors(asked) {
        return Some(number(evidence.access.active.count()));
    }
    if asked.is_of_requests() {
        let lanes = asked.runs()?.problem.launch.threads().min(WARP_SIZE);
        return Some(number(asked.number(&asked.plain())? * f64::from(lanes)));
    }
    if asked.is(&["total"]) && asked.name(0)? == "global_load_sectors" {
        let requests = asked.number(&call("total", [named("global_load_requests")])?)?;
        return Some(number(requests * f64::from(WARP_SIZE)));
    }
    let fetched = asked.is(&["fetched"]);
    asked.ask(&call("uses", asked.argument(0).filter(|_| fetched).cloned())?)
}

/// One fetch, whoever needs it.
pub(super) fn loaded_once(asked: &ModelCall) -> Option<Value> {
    asked.is(&["fetched"]).then(|| number(1))
}

/// A request for each sector: more instructions of the loop, and more requests.
pub(super) fn sector_is_request(asked: &ModelCall) -> Option<Value> {
    if asked.is_of_requests() {
        let counter = asked.name(0)?.replace("_requests", "_sectors");
        return asked.ask(&asked.with([named(counter)]));
    }
    let is_counted = asked.is(&["total"]) && asked.name(0)? == "warp_instructions";
    let total = |counter: &str| asked.number(&call("total", [named(counter)])?);
    let more = || Some(total("global_load_sectors")? - total("global_load_requests")?);
    if is_counted { Some(number(asked.number(&asked.plain())? + more()?)) } else { None }
}

/// The sectors of A alone: as many times fewer, or more, as there are in one of its requests.
pub(super) fn part_is_whole(asked: &ModelCall) -> Option<Value> {
    if !asked.is(&["total"]) || asked.name(0)? != "global_load_sectors" {
        return None;
    }
    let requests = asked.number(&call("requests", [named("A")])?)?;
    Some(number(requests * asked.number(&call("sectors", [load("A")])?)?))
}

/// Four sectors for each line.
pub(super) fn whole_lines(asked: &ModelCall) -> Option<Value> {
    Some(number(SECTORS_OF_A_LINE * coalesce::sectors(&of_sectors(asked)?.access).lines))
}

/// A line for every four sectors.
pub(super) fn four_to_a_line(asked: &ModelCall) -> Option<Value> {
    let evidence = asked.evidence().filter(|_| asked.is(&["lines"]))?;
    Some(number(coalesce::sectors(&evidence.access).sectors.div_ceil(SECTORS_OF_A_LINE)))
}

/// As few sectors as the floats that are wanted would fill from the start of a sector.
pub(super) fn always_aligned(asked: &ModelCall) -> Option<Value> {
    Some(number(coalesce::sectors(&of_sectors(asked)?.access).ideal()))
}

/// As many sectors as the bytes of all lanes fill.
pub(super) fn by_bytes(asked: &ModelCall) -> Option<Value> {
    let asked = u64::from(coalesce::sectors(&of_sectors(asked)?.access).asked);
    Some(number(asked.div_ceil(coalesce::SECTOR) as u32))
}

/// As many passes as the busiest bank has lanes.
pub(super) fn same_bank(asked: &ModelCall) -> Option<Value> {
    let most = lanes_of_a_bank(&of_passes(asked, &["passes", "ways", "conflicts"])?.access)?;
    Some(number(if asked.function() == "conflicts" { most - 1 } else { most }))
}

/// The most lanes on one bank, if each lane has one word.
fn lanes_of_a_bank(access: &Access) -> Option<u32> {
    let mut lanes = [0; banks::BANKS];
    for (_, address) in access.touched() {
        lanes[(address / banks::WORD) as usize % banks::BANKS] += 1;
    }
    lanes.into_iter().max().filter(|most| *most > 0 && u64::from(access.bytes) <= banks::WORD)
}

/// A pass for each lane.
pub(super) fn lanes_in_turn(asked: &ModelCall) -> Option<Value> {
    let evidence = of_passes(asked, &["passes", "ways", "conflicts"])?;
    let lanes = evidence.access.active.count();
    Some(number(if asked.function() == "conflicts" { lanes.saturating_sub(1) } else { lanes }))
}

/// A conflict for each pass beyond the first of an instruction.
pub(super) fn passes_are_conflicts(asked: &ModelCall) -> Option<Value> {
    if asked.is(&["total", "executed"]) && asked.name(0)?.ends_with("conflicts") {
        let all = *asked.runs()?.counters().ok()?;
        let shared = if asked.is(&["executed"]) { all.sass() } else { all.ptx }.shared;
        let beyond = |passes: Passes| passes.wavefronts.saturating_sub(passes.instructions);
        return Some(number((beyond(shared.loads) + beyond(shared.stores)) as f64));
    }
    let cost = banks::wavefronts(&of_passes(asked, &["conflicts", "ways"])?.access);
    Some(number(if asked.function() == "ways" {
        cost.wavefronts
    } else {
        cost.wavefronts.saturating_sub(1)
    }))
}
