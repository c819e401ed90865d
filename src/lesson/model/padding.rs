//! Ideas about unused columns of a shared array.

use super::access::evaluate;
use super::asked::{ModelCall, number};
use super::regroup::of_lanes;
use crate::analysis::banks;
use crate::lesson::answer::Value;
use crate::lesson::setting::Setting;
use crate::lesson::setting_runs::{AccessSite, Evidence, SettingRuns};
use ptx::Space;

/// The kernel of the catalogue that differs from another one only in its padding.
const UNPADDED: (&str, &str) = ("tiled_padded", "tiled_transposed");

/// How the names of changes begin that pad an array.
const PADS: &str = "pad-";

/// Executions of a store whose columns are looked at.
const LOOKED_AT: u32 = 16;

/// A shared array with padding: its words in a row, and how many of them are used.
struct Padded {
    row: u64,
    used: u64,
}

/// No conflicts where there is an unused column.
pub(super) fn helps(asked: &ModelCall) -> Option<Value> {
    let runs = asked.runs()?;
    if is_of_conflicts(asked) {
        let mut stores = runs.sites().filter(|site| is_store(site));
        return stores.any(|site| padding(&runs, site).is_some()).then_some(Value::Number(0.0));
    }
    let evidence = asked.evidence()?;
    of_array(&runs, &evidence)?;
    let cost = banks::wavefronts(&evidence.access);
    match asked.function() {
        "passes" => Some(number(cost.least())),
        "ways" => Some(number(1)),
        "conflicts" => Some(number(0)),
        _ => None,
    }
}

/// The same as without the unused column.
pub(super) fn ignored(asked: &ModelCall) -> Option<Value> {
    if is_of_conflicts(asked) {
        return asked.ask_in(&asked.plain(), &without_padding(asked)?);
    }
    let evidence = asked.evidence()?;
    let Padded { row, used } = of_array(&*asked.runs()?, &evidence)?;
    let moved = |(lane, address): (usize, u64)| {
        let word = address.checked_sub(evidence.first)? / banks::WORD;
        let plain = word / row * used + word % row;
        Some((lane, evidence.first + plain * banks::WORD + address % banks::WORD))
    };
    let lanes = evidence.access.touched().map(moved).collect::<Option<Vec<_>>>()?;
    evaluate(asked.function(), &of_lanes(&evidence.access, lanes)).map(Value::Number)
}

/// Whether the conflicts of the whole product are asked for.
fn is_of_conflicts(asked: &ModelCall) -> bool {
    asked.is(&["total", "executed"])
        && asked.name(0).is_some_and(|name| name.ends_with("conflicts"))
}

/// The same kernel without padding, if there is one.
fn without_padding(asked: &ModelCall) -> Option<Setting> {
    let (padded, plain) = UNPADDED;
    if asked.kernel() == Some(padded) {
        return Some(asked.with_kernel(plain));
    }
    let mut setting = asked.setting.clone();
    setting.changes.retain(|change| !change.starts_with(PADS));
    (setting.changes != asked.setting.changes).then_some(setting)
}

/// The padding of the array that an access to shared memory touches.
fn of_array(runs: &SettingRuns, evidence: &Evidence) -> Option<Padded> {
    let name = evidence.array.as_ref().filter(|_| evidence.space == Space::Shared)?;
    let is_called =
        |site: &&AccessSite| site.array.as_ref().is_some_and(|array| array.name == *name);
    let mut stores = runs.sites().filter(|site| is_store(site)).filter(is_called);
    stores.find_map(|site| padding(runs, site))
}

fn is_store(site: &AccessSite) -> bool {
    site.space == Space::Shared && site.direction.writes()
}

/// The padding of the array to which an instruction stores: columns at the end of its rows to which
/// no thread of the block stores.
fn padding(runs: &SettingRuns, store: &AccessSite) -> Option<Padded> {
    let array = store.array.as_ref()?;
    let row = u64::from(array.row.filter(|row| *row > 1)?);
    let mut used = 0;
    for number in 0..LOOKED_AT {
        let all = runs.thread_addresses(store.pc, number);
        for address in all.values() {
            let last =
                (address.checked_sub(array.first)? + u64::from(store.bytes) - 1) / banks::WORD;
            used = used.max(last % row + 1);
        }
        if all.is_empty() || used == row {
            break;
        }
    }
    (1..row).contains(&used).then_some(Padded { row, used })
}
