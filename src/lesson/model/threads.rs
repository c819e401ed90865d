//! Ideas about threads: who is in which warp, who computes what, how many blocks and tiles there are,
//! what lanes do that an edge leaves out, and what that costs.

use super::access::evaluate;
use super::asked::{ModelCall, call, load, number};
use super::regroup::{Numbering, Thread};
use crate::launch::{Dim3, WARP_SIZE};
use crate::lesson::answer::Value;
use crate::lesson::expr::Argument;
use crate::lesson::query::blocks::{first_barrier, is_partial, stores};
use crate::lesson::setting::{BlockChoice, Setting};
use crate::lesson::setting_runs::{Evidence, SettingRuns};
use crate::lesson::target::Target;
use crate::matrix::{Element, Operand, Size};

/// The kernels in which neighbouring threads take neighbouring columns, and each thread one element.
const BY_COLUMNS: [&str; 4] = ["naive", "tiled", "tiled_transposed", "tiled_padded"];

/// The kernel in which neighbouring threads take neighbouring rows, and the one from which it
/// differs in nothing else.
const BY_ROWS: (&str, &str) = ("naive_rows", "naive");

/// The change that makes neighbouring threads take neighbouring rows.
const SWAPPED: &str = "swap-xy";

/// Each row of the block is a warp.
pub(super) fn warp_is_row(asked: &ModelCall) -> Option<Value> {
    numbered(asked, Numbering::Rows)
}

/// Threads are numbered along y first.
pub(super) fn y_fastest(asked: &ModelCall) -> Option<Value> {
    numbered(asked, Numbering::YFastest)
}

/// What there is to say if threads are numbered in this way.
fn numbered(asked: &ModelCall, numbering: Numbering) -> Option<Value> {
    let runs = asked.runs()?;
    let launch = runs.problem.launch;
    let block = launch.block;
    match asked.function() {
        "warps" => Some(number(numbering.warps(block))),
        "lanes_of" => {
            let members = numbering.members(block, asked.whole(0)?).into_iter();
            let own = asked.whole(1);
            let members = members.filter(|(lane, _)| own.is_none_or(|own| own == *lane));
            let threads = members.map(|(_, (x, y, _))| Target::Thread { x, y });
            Some(Value::Things(threads.collect()))
                .filter(|value| *value != Value::Things([].into()))
        }
        "warp" => Some(number(numbering.place(block, thread_of(asked)?).0)),
        "lane" => Some(number(numbering.place(block, thread_of(asked)?).1)),
        _ if asked.is_of_requests() => {
            let share = f64::from(numbering.warps(block)) / f64::from(launch.warps());
            Some(number(asked.number(&asked.plain())? * share))
        }
        _ => {
            let evidence = asked.evidence()?;
            let addresses = runs.thread_addresses(evidence.pc, evidence.number);
            let access = numbering.access(&evidence.access, block, evidence.warp, &addresses);
            let is_empty = access.active.is_empty();
            evaluate(asked.function(), &access).filter(|_| !is_empty).map(Value::Number)
        }
    }
}

/// The thread that stores the element that is asked about.
fn thread_of(asked: &ModelCall) -> Option<Thread> {
    let thread = call("thread", [Argument::Element(asked.element()?, 0..0)])?;
    let Value::Things(things) = asked.ask(&thread)? else { return None };
    things.into_iter().find_map(|target| match target {
        Target::Thread { x, y } => Some((x, y, 0)),
        _ => None,
    })
}

/// The indices of a thread in its block are taken for those in the whole grid: row and column of C.
pub(super) fn one_big_block(asked: &ModelCall) -> Option<Value> {
    let (by_rows, _) = BY_ROWS;
    if asked.kernel().is_none_or(|kernel| kernel == by_rows || !BY_COLUMNS.contains(&kernel)) {
        return None;
    }
    if asked.is(&["element"]) {
        let (column, row) = asked.thread()?;
        let element = Element { operand: Operand::C, row, column };
        return Some(Value::Things([Target::Element(element)].into()));
    }
    let Element { row, column, .. } = asked.element()?;
    let across = asked.runs()?.problem.size.n;
    match asked.function() {
        "thread" => Some(Value::Things([Target::Thread { x: column, y: row }].into())),
        "warp" => Some(number((row * across + column) / WARP_SIZE)),
        "lane" => Some(number((row * across + column) % WARP_SIZE)),
        _ => None,
    }
}

/// The same as with x and y exchanged: for who computes what, with the mapping that it is not; for
/// costs, with the one that is usual.
pub(super) fn xy_cosmetic(asked: &ModelCall) -> Option<Value> {
    let (by_rows, by_columns) = BY_ROWS;
    match asked.function() {
        "element" | "thread" | "warp" | "lane" => asked.ask_in(&asked.plain(), &exchanged(asked)?),
        "faster" => {
            let both = [asked.name(0)?, asked.name(1)?];
            let is_pair = both.contains(&by_rows) && both.contains(&by_columns);
            is_pair.then_some(Value::Number(1.0))
        }
        function if COSTS.contains(&function) => asked.ask_in(&asked.plain(), &usual(asked)?),
        _ => None,
    }
}

/// Functions that tell another cost with the other mapping.
const COSTS: [&str; 11] = [
    "sectors",
    "lines",
    "used",
    "passes",
    "ways",
    "conflicts",
    "words",
    "requests",
    "total",
    "executed",
    "of_block",
];

/// The setting with the other mapping.
fn exchanged(asked: &ModelCall) -> Option<Setting> {
    let (by_rows, by_columns) = BY_ROWS;
    match asked.kernel() {
        Some(kernel) if kernel == by_rows => Some(asked.with_kernel(by_columns)),
        Some(kernel) if BY_COLUMNS.contains(&kernel) => Some(asked.with_kernel(by_rows)),
        _ => usual(asked),
    }
}

/// The setting with the usual mapping, if it is not that already.
fn usual(asked: &ModelCall) -> Option<Setting> {
    let (by_rows, by_columns) = BY_ROWS;
    if asked.kernel() == Some(by_rows) {
        return Some(asked.with_kernel(by_columns));
    }
    let mut setting = asked.setting.clone();
    setting.changes.retain(|change| change != SWAPPED);
    (setting.changes != asked.setting.changes).then_some(setting)
}

/// As many tiles along k as the grid has blocks along x.
pub(super) fn grid_is_k(asked: &ModelCall) -> Option<Value> {
    let rounds = f64::from(asked.runs()?.problem.launch.grid.x);
    match asked.function() {
        "k_tiles" => Some(number(rounds)),
        "barriers" => {
            let count = |name| asked.number(&call(name, [])?);
            Some(number(count("barriers")? / count("k_tiles")? * rounds))
        }
        _ => None,
    }
}

/// Whole tiles alone: nothing is left over.
pub(super) fn floor_is_enough(asked: &ModelCall) -> Option<Value> {
    match asked.function() {
        "rows_unwritten" | "idle" => Some(number(0)),
        "warps" => Some(number(asked.runs()?.problem.launch.threads() / WARP_SIZE)),
        "k_tiles" => {
            let runs = asked.runs()?;
            Some(number(runs.problem.size.k / runs.tile()?.k))
        }
        "blocks" => {
            let runs = asked.runs()?;
            let (size, Dim3 { x, y, .. }) = (runs.problem.size, runs.problem.launch.block);
            let (down, across) = runs.tile().map_or((y, x), |tile| (tile.m, tile.n));
            Some(number((size.m / down) as f64 * f64::from(size.n / across)))
        }
        _ => None,
    }
}

/// Only threads beyond both edges of C have no element.
pub(super) fn corner_only(asked: &ModelCall) -> Option<Value> {
    let runs = if asked.is(&["idle", "unstored"]) { asked.runs()? } else { return None };
    let (size, launch) = (runs.problem.size, runs.problem.launch);
    let beyond = |threads: u32, elements: u32| f64::from(threads.saturating_sub(elements));
    let right = beyond(launch.grid.x * launch.block.x, size.n);
    let below = beyond(launch.grid.y * launch.block.y, size.m);
    Some(number(right * below))
}

/// A block that sticks out of C counts whole: as idle, or as missing.
pub(super) fn whole_blocks(asked: &ModelCall) -> Option<Value> {
    let runs = asked.runs()?;
    let (size, launch) = (runs.problem.size, runs.problem.launch);
    let Dim3 { x: wide, y: high, .. } = launch.block;
    let inside = |elements: u32, threads: u32| u64::from(elements / threads);
    match asked.function() {
        "rows_unwritten" => Some(number(if size.m % high > 0 { high } else { 0 })),
        "idle" => {
            let whole = inside(size.n, wide) * inside(size.m, high);
            let others = launch.blocks().saturating_sub(whole);
            Some(number(others as f64 * f64::from(launch.threads())))
        }
        _ => None,
    }
}

/// Each kernel is asked as it is for square matrices.
pub(super) fn all_square(asked: &ModelCall) -> Option<Value> {
    if !asked.is(&["right", "wrong", "sound", "k_tiles", "barriers"]) {
        return None;
    }
    let side = asked.runs()?.problem.size.n;
    let square = Setting { size: Size::square(side), ..asked.setting.clone() };
    asked.ask_in(&asked.plain(), &square)
}

/// A block with an edge in it diverges as a whole: each of its warps works, each with lanes off.
pub(super) fn whole_block_diverges(asked: &ModelCall) -> Option<Value> {
    if asked.is(&["partial_warps"]) {
        return Some(number(asked.runs()?.problem.launch.warps()));
    }
    let inside = Setting { block: BlockChoice::First, ..asked.setting.clone() };
    asked.ask_in(&asked.plain(), &inside).filter(|_| asked.is(&["of_block"]))
}

/// If one lane of a warp returns, all do.
pub(super) fn warp_goes_together(asked: &ModelCall) -> Option<Value> {
    match asked.function() {
        "partial_warps" => Some(number(0)),
        "of_block" => {
            let runs = asked.runs()?;
            let loads = first_loads(&runs)?;
            let whole = loads.iter().filter(|evidence| !is_partial(&runs, evidence)).count();
            let each = asked.number(&asked.plain())? / loads.len().max(1) as f64;
            Some(number(each * whole as f64))
        }
        "unstored" => {
            let (runs, array) = (asked.runs()?, asked.name(0)?);
            let answer = asked.number(&asked.plain())?;
            let opened = first_barrier(&runs).ok()?;
            let all = stores(&runs, array, opened);
            let partial = all.iter().filter(|evidence| is_partial(&runs, evidence));
            let lost: u32 = partial.map(|evidence| evidence.access.active.count()).sum();
            Some(number(answer + f64::from(lost)))
        }
        _ => None,
    }
}

/// The first load of A of each warp that makes one.
fn first_loads(runs: &SettingRuns) -> Option<Vec<Evidence>> {
    let Argument::Access(access) = load("A") else { return None };
    let sites = runs.named(&access).ok()?;
    let warps = 0..runs.problem.launch.warps() as u16;
    let first = |warp| {
        let of_warp = sites.iter().filter_map(|pc| runs.executed(*pc, warp, 0));
        of_warp.min_by_key(|evidence| evidence.step)
    };
    Some(warps.filter_map(first).collect())
}

/// A lane that is switched off costs nothing: the costs are those of as many threads as work.
pub(super) fn lane_off_is_free(asked: &ModelCall) -> Option<Value> {
    let runs = asked.is(&["of_block"]).then(|| asked.runs())??;
    let lanes: u32 = first_loads(&runs)?.iter().map(|load| load.access.active.count()).sum();
    let full = runs.problem.launch.warps() * WARP_SIZE;
    let Value::Number(of_whole) = whole_block_diverges(asked)? else { return None };
    Some(number(of_whole * f64::from(lanes) / f64::from(full)))
}

/// Who has returned has brought its part of the tile.
pub(super) fn exited_still_bring(asked: &ModelCall) -> Option<Value> {
    asked.is(&["unstored"]).then(|| number(0))
}

/// Zeros beyond the edge change no sum, so C is right without them.
pub(super) fn zeros_do_nothing(asked: &ModelCall) -> Option<Value> {
    match asked.function() {
        "right" => Some(Value::Truth(true)),
        "wrong" => Some(number(0)),
        _ => None,
    }
}
