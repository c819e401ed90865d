//! Accesses that cost more than they need: sectors that are not used, passes through the banks.

use crate::analysis::banks::{self, BANKS, WORD};
use crate::analysis::coalesce;
use crate::analysis::costly::Costly;
use crate::lesson::edit::mistake::{Mistake, MistakeKind, RunLocation};
use crate::lesson::edit::run::JudgedStage;
use crate::lesson::edit::version::SizedKernel;
use crate::sim::{Access, Direction, Machine, Order, Pc};
use ptx::Space;
use std::sync::Arc;

/// Steps in which an access is looked for.
const MOST: usize = 1_000_000;

/// A mistake for each line with such accesses, the worst first.
pub(super) fn mistakes(run: &JudgedStage<'_>, order: &Order) -> Vec<Mistake> {
    let SizedKernel { problem, program, .. } = run.stage;
    let grid = problem.launch.grid;
    let block = grid.middle();
    let memory = problem.sparse_memory(program);
    let mut machine = problem.machine(Arc::clone(program), block, memory, order.clone());
    let seen = seen(&mut machine, &run.run.simulated.costly);
    let mut mistakes: Vec<Mistake> = Vec::new();
    for (costly, first) in run.run.simulated.costly.iter().zip(seen) {
        let Some((step, warp, access)) = first else { continue };
        let kind = if costly.space == Space::Shared {
            MistakeKind::Conflicts
        } else {
            MistakeKind::Sectors
        };
        let line = program.inst(costly.pc).line;
        if mistakes.iter().any(|other| (other.kind, other.line) == (kind, line)) {
            continue;
        }
        let place = RunLocation { stage: run.at, block, step, warp, element: None };
        let what = what(run.stage, &machine, line, &access);
        mistakes.push(Mistake {
            kind,
            what,
            why: why(&access),
            line,
            place: Some(place),
            stage: run.at,
        });
    }
    mistakes
}

/// Where an instruction first costs more than it needs: the step, the warp, the access.
type Seen = Option<(usize, u16, Access)>;

/// Runs the block until each of these instructions has cost more than it needs.
fn seen(machine: &mut Machine, costly: &[Costly]) -> Vec<Seen> {
    let mut seen: Vec<Seen> = costly.iter().map(|_| None).collect();
    let pcs: Vec<Pc> = costly.iter().map(|costly| costly.pc).collect();
    for step in 1..=MOST {
        if seen.iter().all(Option::is_some) {
            break;
        }
        let Ok(Some(now)) = machine.step() else { break };
        for (index, _) in pcs.iter().enumerate().filter(|(_, pc)| **pc == now.pc) {
            let space = costly[index].space;
            let accesses = now.accesses().iter();
            let costs = |access: &&Access| {
                let (cost, ideal) = cost(access);
                access.space == space && cost > ideal
            };
            if let Some(access) = accesses.clone().find(costs).filter(|_| seen[index].is_none()) {
                seen[index] = Some((step, now.warp, access.clone()));
            }
        }
    }
    seen
}

/// The sectors or passes of an access, and those that would do.
fn cost(access: &Access) -> (u32, u32) {
    if access.space == Space::Shared {
        let cost = banks::wavefronts(access);
        (cost.wavefronts, cost.least())
    } else {
        let cost = coalesce::sectors(access);
        (cost.sectors, cost.ideal())
    }
}

/// `Line 34: a store to sA takes 8 passes where 1 would do.`
fn what(stage: &SizedKernel, machine: &Machine, line: Option<u32>, access: &Access) -> String {
    let SizedKernel { problem, program, .. } = stage;
    let shared = access.space == Space::Shared;
    let array = access.touched().next().and_then(|(_, addr)| {
        if shared {
            return problem.shared_element(program, addr).map(|(name, ..)| name.to_owned());
        }
        machine.memory().locate(addr).map(|(buffer, _)| buffer.name.clone())
    });
    let array = array.unwrap_or_else(|| access.space.name().to_owned() + " memory");
    let did = if access.direction == Direction::Store { "store to" } else { "load of" };
    let (cost, ideal) = cost(access);
    let unit = if shared { "passes" } else { "sectors" };
    let line = line.map_or_else(|| "A".to_owned(), |line| format!("Line {line}: a"));
    format!("{line} {did} {array} takes {cost} {unit} where {ideal} would do.")
}

/// What the addresses of the lanes say about it.
fn why(access: &Access) -> String {
    let lanes: Vec<_> = access.touched().collect();
    let apart = lanes.windows(2).map(|two| two[1].1.wrapping_sub(two[0].1) as i64);
    let first = apart.clone().find(|bytes| *bytes != 0).unwrap_or(0);
    let words = first / WORD as i64;
    let steady = apart.clone().filter(|bytes| *bytes == first).count() * 2 > lanes.len();
    let strided = steady && first.unsigned_abs() > u64::from(access.bytes);
    let stride = format!("Neighbouring lanes are {} words apart", words.abs());
    let ask = "Which index should threadIdx.x be?";
    match (access.space, clash(&lanes)) {
        (Space::Shared, Some((one, other, bank))) => {
            let lanes = if strided { "lanes" } else { "Lanes" };
            let clash = format!("{lanes} {one} and {other} need different words of bank {bank}");
            if strided { format!("{stride}, so {clash}. {ask}") } else { format!("{clash}.") }
        }
        _ if strided => {
            format!("{stride}, and a sector has 8 words: most of each is not used. {ask}")
        }
        _ => "The lanes use only a part of each 32-byte sector that comes.".to_owned(),
    }
}

/// The first two lanes that need different words of one bank, and the bank.
fn clash(lanes: &[(usize, u64)]) -> Option<(usize, usize, usize)> {
    let bank = |addr: u64| (addr / WORD) as usize % BANKS;
    lanes.iter().enumerate().find_map(|(index, (other, addr))| {
        let clashes = |(_, before): &&(usize, u64)| {
            bank(*before) == bank(*addr) && before / WORD != addr / WORD
        };
        let (one, _) = lanes[..index].iter().find(clashes)?;
        Some((*one, *other, bank(*addr)))
    })
}
