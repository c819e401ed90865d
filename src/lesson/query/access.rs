//! One access of a warp: sectors, banks and lanes.

use super::asked::count;
use crate::analysis::banks::{self, Pass, Wavefronts};
use crate::analysis::coalesce::{self, Sectors};
use crate::lesson::answer::{Answer, Value};
use crate::lesson::expr::QueryCall;
use crate::lesson::query_error::QueryError;
use crate::lesson::setting_runs::Evidence;
use crate::lesson::target::Target;
use crate::sim::LaneMask;
use ptx::Space;
use std::collections::{BTreeMap, BTreeSet};

type Result<T> = std::result::Result<T, QueryError>;

const WORD: u64 = banks::WORD;

pub(super) fn sectors(asked: &QueryCall<'_>) -> Result<Answer> {
    of_sectors(asked, |cost| cost.sectors.into())
}

pub(super) fn lines(asked: &QueryCall<'_>) -> Result<Answer> {
    of_sectors(asked, |cost| cost.lines.into())
}

pub(super) fn used(asked: &QueryCall<'_>) -> Result<Answer> {
    of_sectors(asked, |cost| 100.0 * f64::from(cost.distinct) / f64::from(cost.fetched()))
}

pub(super) fn bytes(asked: &QueryCall<'_>) -> Result<Answer> {
    let evidence = asked.evidence()?;
    let value = count(coalesce::sectors(&evidence.access).distinct);
    Ok(QueryCall::shown(&evidence, value, active(&evidence)))
}

/// A figure of a request to global memory; its sectors are lit.
fn of_sectors(asked: &QueryCall<'_>, figure: fn(Sectors) -> f64) -> Result<Answer> {
    let evidence = asked.evidence()?;
    lies_in(asked, &evidence, Space::Global)?;
    let cost = coalesce::sectors(&evidence.access);
    let marks = (0..cost.sectors).map(Target::Sector).collect();
    Ok(QueryCall::shown(&evidence, Value::Number(figure(cost)), marks))
}

pub(super) fn passes(asked: &QueryCall<'_>) -> Result<Answer> {
    of_banks(asked, |cost| cost.wavefronts)
}

pub(super) fn conflicts(asked: &QueryCall<'_>) -> Result<Answer> {
    of_banks(asked, |cost| cost.conflicts)
}

pub(super) fn ways(asked: &QueryCall<'_>) -> Result<Answer> {
    of_banks(asked, |cost| cost.ways)
}

/// A figure of an access to shared memory. If banks conflict, the worst and its lanes are lit.
fn of_banks(asked: &QueryCall<'_>, figure: fn(Wavefronts) -> u32) -> Result<Answer> {
    let evidence = asked.evidence()?;
    lies_in(asked, &evidence, Space::Shared)?;
    let cost = banks::wavefronts(&evidence.access);
    let mut marks = Vec::new();
    if cost.conflicts > 0 {
        let all = served(&evidence);
        let (bank, of_bank) = worst(&all);
        marks.push(Target::Bank(bank));
        marks.extend(of_bank.lanes().lanes().map(|lane| Target::Lane(lane as u32)));
    }
    Ok(QueryCall::shown(&evidence, count(figure(cost)), marks))
}

pub(super) fn words(asked: &QueryCall<'_>) -> Result<Answer> {
    let evidence = asked.evidence()?;
    let words: BTreeSet<u64> = wanted(&evidence).into_iter().flat_map(|(_, words)| words).collect();
    let named = words.iter().filter_map(|word| {
        let (array, index) = (evidence.array.clone()?, (word * WORD).checked_sub(evidence.first)?);
        let is_shared = evidence.space == Space::Shared;
        is_shared.then_some(Target::Word { array, index: (index / WORD) as u32 })
    });
    Ok(QueryCall::shown(&evidence, count(words.len()), named.collect()))
}

pub(super) fn lanes(asked: &QueryCall<'_>) -> Result<Answer> {
    let evidence = asked.evidence()?;
    let value = count(evidence.access.active.count());
    Ok(QueryCall::shown(&evidence, value, active(&evidence)))
}

pub(super) fn ideal(asked: &QueryCall<'_>) -> Result<Answer> {
    let evidence = asked.evidence()?;
    let ideal = match evidence.space {
        Space::Shared => banks::wavefronts(&evidence.access).least(),
        _ => coalesce::sectors(&evidence.access).ideal(),
    };
    Ok(QueryCall::shown(&evidence, count(ideal), active(&evidence)))
}

/// The first two lanes that want two words of one bank; none if no bank has two words to serve.
pub(super) fn clash(asked: &QueryCall<'_>) -> Result<Answer> {
    let evidence = asked.evidence()?;
    lies_in(asked, &evidence, Space::Shared)?;
    let all = served(&evidence);
    let pairs = all.iter().filter_map(|(bank, of_bank)| Some((of_bank.pair?, *bank)));
    let Some(((one, other), bank)) = pairs.min() else {
        return Ok(QueryCall::shown(&evidence, Value::Things(BTreeSet::new()), Vec::new()));
    };
    let lanes = [one, other].map(|lane| Target::Lane(lane as u32));
    let marks = [vec![Target::Bank(bank)], lanes.to_vec()].concat();
    Ok(QueryCall::shown(&evidence, Value::Things(lanes.into()), marks))
}

pub(super) fn bank(asked: &QueryCall<'_>) -> Result<Answer> {
    let evidence = asked.evidence()?;
    lies_in(asked, &evidence, Space::Shared)?;
    let (bank, _) = worst(&served(&evidence));
    Ok(QueryCall::shown(&evidence, count(bank), vec![Target::Bank(bank)]))
}

pub(super) fn lanes_on(asked: &QueryCall<'_>) -> Result<Answer> {
    on_bank(asked, |of_bank| of_bank.lanes().count() as usize)
}

pub(super) fn words_on(asked: &QueryCall<'_>) -> Result<Answer> {
    on_bank(asked, |of_bank| of_bank.words.len())
}

fn on_bank(asked: &QueryCall<'_>, figure: fn(&BankLoad) -> usize) -> Result<Answer> {
    let (bank, access) = (asked.whole(0)?, asked.access_near(1)?);
    let evidence = asked.runs()?.evidence(&access, asked.from())?;
    lies_in(asked, &evidence, Space::Shared)?;
    let all = served(&evidence);
    let of_bank = all.get(&bank).cloned().unwrap_or_default();
    let lanes = of_bank.lanes().lanes().map(|lane| Target::Lane(lane as u32));
    let marks = [Target::Bank(bank)].into_iter().chain(lanes).collect();
    Ok(QueryCall::shown(&evidence, count(figure(&of_bank)), marks))
}

/// What a bank has to serve in an access.
#[derive(Clone, Debug, Default)]
struct BankLoad {
    /// For each word, the lanes that want it.
    words: BTreeMap<u64, LaneMask>,
    /// The most words that it has for one group of lanes that is served together.
    most: usize,
    /// The first two lanes of a group that want two words.
    pair: Option<(usize, usize)>,
}

impl BankLoad {
    fn lanes(&self) -> LaneMask {
        self.words.values().fold(LaneMask::NONE, |all, lanes| all.or(*lanes))
    }
}

/// What each bank that takes part has to serve.
fn served(evidence: &Evidence) -> BTreeMap<u32, BankLoad> {
    let passes = banks::passes(&evidence.access);
    let mut all: BTreeMap<u32, BankLoad> = BTreeMap::new();
    for together in passes.chunk_by(|one, other| one.group == other.group) {
        for bank in 0..banks::BANKS {
            serve(&mut all, together, bank);
        }
    }
    all
}

/// Adds what a bank has to serve for lanes that are served together.
fn serve(all: &mut BTreeMap<u32, BankLoad>, together: &[Pass], bank: usize) {
    let cells: Vec<_> = together.iter().filter_map(|pass| pass.cells[bank]).collect();
    if cells.is_empty() {
        return;
    }
    let of_bank = all.entry(bank as u32).or_default();
    of_bank.most = of_bank.most.max(cells.len());
    for cell in &cells {
        let lanes = of_bank.words.entry(cell.word).or_default();
        *lanes = lanes.or(cell.lanes);
    }
    let mut firsts: Vec<_> = cells.iter().filter_map(|cell| cell.lanes.lanes().next()).collect();
    firsts.sort_unstable();
    if let [one, other, ..] = firsts[..] {
        of_bank.pair = Some(of_bank.pair.map_or((one, other), |pair| pair.min((one, other))));
    }
}

/// The bank that has most words to serve; of those the one with most lanes, and the first.
fn worst(all: &BTreeMap<u32, BankLoad>) -> (u32, BankLoad) {
    let key = |(bank, of_bank): &(&u32, &BankLoad)| {
        (of_bank.most, of_bank.lanes().count(), u32::MAX - **bank)
    };
    all.iter().max_by_key(key).map_or_else(Default::default, |(bank, it)| (*bank, it.clone()))
}

/// The words that each active lane asks for.
fn wanted(evidence: &Evidence) -> Vec<(usize, std::ops::RangeInclusive<u64>)> {
    let last = |address: u64| (address + u64::from(evidence.bytes) - 1) / WORD;
    let touched = evidence.access.touched();
    touched.map(|(lane, address)| (lane, address / WORD..=last(address))).collect()
}

/// The lanes that take part.
fn active(evidence: &Evidence) -> Vec<Target> {
    evidence.access.active.lanes().map(|lane| Target::Lane(lane as u32)).collect()
}

/// Checks that an access goes to the memory that a function is about.
fn lies_in(asked: &QueryCall<'_>, evidence: &Evidence, space: Space) -> Result<()> {
    if evidence.space == space {
        return Ok(());
    }
    let name = asked.call.function.name;
    let (about, not) = match space {
        Space::Shared => ("shared", "global"),
        _ => ("global", "shared"),
    };
    let told = format!("`{name}` is about {about} memory, and this access goes to {not} memory");
    Err(QueryError::new(told))
}
