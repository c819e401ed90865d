//! One access of one warp: what the answers, and the wrong ideas, are computed from.

use super::SettingRuns;
use super::accesses::{AccessSite, Execution, seen};
use crate::lesson::expr::{AccessQuery, AccessVerb};
use crate::lesson::query_error::QueryError;
use crate::sim::{self, Direction, Pc};
use ptx::Space;
use std::collections::BTreeMap;

/// The addresses of a thread that are told: see [`SettingRuns::own_sequence`].
const SEQUENCE: usize = 32;

/// One access of one warp.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The steps done once it has been executed.
    pub step: usize,
    pub warp: u32,
    pub pc: Pc,
    /// How often the warp had executed it before.
    pub number: u32,
    /// Global or shared memory.
    pub space: Space,
    /// Bytes for each lane.
    pub bytes: u32,
    pub store: bool,
    /// For each lane that takes part, its address and its thread.
    pub lanes: [Option<LaneAccess>; 32],
    /// The matrix or the shared array, if it lies in one.
    pub array: Option<String>,
    /// The first byte of that array; 0 without one.
    pub first: u64,
    /// The words in a row of that array, if it has rows.
    pub row: Option<u32>,
    /// The access as the simulator has it.
    pub access: sim::Access,
}

/// The part of a lane in an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneAccess {
    pub address: u64,
    /// The thread: x, y and z in the block.
    pub thread: (u32, u32, u32),
}

impl SettingRuns {
    /// The access that a text names, first executed after `from` steps by the setting's warp or, if
    /// none is chosen, by any. With a number, that many of these accesses of that warp are counted.
    ///
    /// # Errors
    /// No instruction of the watched block does that, or the warp does not execute it so often.
    pub fn evidence(&self, access: &AccessQuery, from: usize) -> Result<Evidence, QueryError> {
        let sites = self.named(access).map_err(|why| why.within(&access.span))?;
        let missing = || self.too_few(access, from);
        let accesses = &self.run.accesses().by_warp;
        let mut of_warp: BTreeMap<u16, Vec<(usize, Pc, usize)>> = BTreeMap::new();
        for ((pc, warp), executions) in accesses {
            if !sites.contains(pc) || self.setting.warp.is_some_and(|it| it != u32::from(*warp)) {
                continue;
            }
            let first = executions.partition_point(|execution| execution.step < from);
            let later = executions[first..].iter().take(access.number as usize);
            let later = later.zip(first..).map(|(execution, number)| (execution.step, *pc, number));
            of_warp.entry(*warp).or_default().extend(later);
        }
        for all in of_warp.values_mut() {
            all.sort_unstable_by_key(|(step, ..)| *step);
        }
        let first = |all: &Vec<(usize, Pc, usize)>| all.first().map(|(step, ..)| *step);
        let with_first = of_warp.iter().filter_map(|(warp, all)| Some((first(all)?, *warp, all)));
        let (_, warp, all) = with_first.min_by_key(|(step, ..)| *step).ok_or_else(missing)?;
        let which = access.number.saturating_sub(1) as usize;
        let (_, pc, number) = all.get(which).ok_or_else(missing)?;
        self.executed(*pc, warp, *number).ok_or_else(missing)
    }

    /// An execution of an instruction by a warp: its evidence, if there is one.
    pub fn executed(&self, pc: Pc, warp: u16, number: usize) -> Option<Evidence> {
        let accesses = self.run.accesses();
        let site = accesses.sites.get(&pc)?;
        let execution = accesses.by_warp.get(&(pc, warp))?.get(number)?;
        let access = self.access(execution)?;
        let block = self.problem.launch.block;
        let mut lanes = [None; 32];
        for (lane, address) in access.touched() {
            let place = block.place(u64::from(warp) * 32 + lane as u64);
            lanes[lane] = Some(LaneAccess { address, thread: (place.x, place.y, place.z) });
        }
        Some(Evidence {
            step: execution.step + 1,
            warp: warp.into(),
            pc,
            number: number as u32,
            space: access.space,
            bytes: access.bytes.into(),
            store: access.direction.writes(),
            lanes,
            array: site.array.as_ref().map(|array| array.name.clone()),
            first: site.array.as_ref().map_or(0, |array| array.first),
            row: site.array.as_ref().and_then(|array| array.row),
            access,
        })
    }

    /// The access of an execution, run again if it is not kept.
    fn access(&self, execution: &Execution) -> Option<sim::Access> {
        if let Some(access) = &execution.access {
            return Some(access.as_ref().clone());
        }
        let replay = self.at(execution.step + 1);
        let step = replay.snapshot().step.as_ref()?;
        seen(step.accesses()).cloned()
    }

    /// The instructions that a text names.
    ///
    /// # Errors
    /// There is none; the message lists those that there are.
    pub fn named(&self, access: &AccessQuery) -> Result<Vec<Pc>, QueryError> {
        let line = access.line.as_ref().map(|text| self.line(text)).transpose()?;
        let fits = |site: &&AccessSite| {
            let array = site.array.as_ref().is_some_and(|array| array.is_called(&access.array));
            array && does(site, access.how) && (line.is_none() || site.line == line)
        };
        let found: Vec<_> = self.sites().filter(fits).map(|site| site.pc).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let mut known: Vec<_> = self.sites().filter_map(site_query).collect();
        known.sort();
        known.dedup();
        let block = self.block().place_in(self.problem.launch.grid);
        let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
        let asked = format!("{} {}", access.how.word(), access.array);
        let told = match line {
            Some(line) if known.contains(&asked) => {
                format!("line {line} does not {asked} in block ({block})")
            }
            _ => format!("no warp of block ({block}) does `{asked}`; it does {known}"),
        };
        Err(QueryError::new(told))
    }

    fn too_few(&self, access: &AccessQuery, from: usize) -> QueryError {
        let who = self.setting.warp.map_or("no warp".to_owned(), |warp| format!("warp {warp}"));
        let not = if self.setting.warp.is_some() { "does not do" } else { "does" };
        let after = if from > 0 { format!(" after step {from}") } else { String::new() };
        QueryError::at(access.span.clone(), format!("{who} {not} `{access}`{after}"))
    }

    /// The address of every thread of the block at its execution number `number` (from 0) of an
    /// instruction, gathered over the warps; threads that do not execute it so often are left out.
    pub fn thread_addresses(&self, pc: Pc, number: u32) -> BTreeMap<(u32, u32, u32), u64> {
        let mut all = BTreeMap::new();
        for warp in 0..self.problem.launch.warps() as u16 {
            let mut times = [0; 32];
            let executions = self.run.accesses().by_warp.get(&(pc, warp));
            for count in 0..executions.map_or(0, Vec::len) {
                let Some(evidence) = self.executed(pc, warp, count) else { break };
                let taking = evidence.lanes.iter().zip(&mut times);
                let taking = taking.filter_map(|(lane, times)| Some((lane.as_ref()?, times)));
                for (lane, times) in taking {
                    if *times == number {
                        all.insert(lane.thread, lane.address);
                    }
                    *times += 1;
                }
                if times.iter().all(|times| *times > number) {
                    break;
                }
            }
        }
        all
    }

    /// The addresses that one thread uses at an instruction, execution after execution: at most 32.
    pub fn own_sequence(&self, thread: (u32, u32, u32), pc: Pc) -> Vec<u64> {
        let block = self.problem.launch.block;
        let (x, y, z) = thread;
        let number = (z * block.y + y) * block.x + x;
        let (warp, lane) = ((number / 32) as u16, (number % 32) as usize);
        let all = (0..).map_while(|number| self.executed(pc, warp, number));
        all.filter_map(|evidence| evidence.lanes[lane])
            .map(|own| own.address)
            .take(SEQUENCE)
            .collect()
    }
}

/// Whether an instruction does that.
fn does(site: &AccessSite, how: AccessVerb) -> bool {
    match how {
        AccessVerb::Load => site.space == Space::Global && site.direction == Direction::Load,
        AccessVerb::Read => site.space == Space::Shared && site.direction == Direction::Load,
        AccessVerb::Store => site.direction.writes(),
    }
}

/// What an instruction does, as a query names it.
fn site_query(site: &AccessSite) -> Option<String> {
    let word = AccessVerb::ALL.into_iter().find(|how| does(site, *how))?.word();
    let name = &site.array.as_ref()?.name;
    let (name, _) = name.split_once('[').unwrap_or((name, ""));
    Some(format!("{word} {name}"))
}
