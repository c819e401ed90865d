//! What a kernel costs with one tile, beside another: counts of the grid, room on an SM, times.

use super::charts::occupancy::{multiprocessor, word};
use super::number::{Count, grouped};
use crate::analysis::Counters;
use crate::analysis::coalesce::SECTOR;
use crate::analysis::occupancy::{Demand, Occupancy};
use crate::kernel::{Problem, Tile};
use crate::launch::WARP_SIZE;
use crate::matrix::{Operand, Size};
use crate::study::counts::LaunchCounts;
use crate::timing::Measurement;
use crate::timing::pack::{Freshness, Pack, freshness};

/// A kernel with one of its tiles, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Tiling<'a> {
    pub tile: Tile,
    /// The kernel with it.
    pub problem: &'a Problem,
    /// What was counted of its whole grid, once that is known.
    pub counted: Option<&'a LaunchCounts>,
    /// Bytes of shared memory of a block, once the kernel is loaded.
    pub shared: Option<u32>,
    /// The measurements from which its time and its registers are taken.
    pub pack: Option<&'a Pack>,
    /// The size whose times are compared.
    pub size: Size,
}

/// A figure of two tiles beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub label: String,
    /// Its values, "-" if one is not known.
    pub values: [String; 2],
    /// How the second one compares with the first: "2x less", "the same"; empty if not known.
    pub change: String,
    /// Whether the sentence speaks of it.
    pub told: bool,
}

/// What stands in place of a value that is not counted yet, or not recorded.
const UNKNOWN: &str = "-";

/// A figure: its name, its value, and whether the sentence speaks of it.
type Fact = (&'static str, fn(&Tiling<'_>) -> Option<f64>, bool);

const FACTS: [Fact; 12] = [
    ("threads of a block", |of| Some(f64::from(of.problem.launch.threads())), false),
    ("warps of a block", |of| Some(f64::from(of.problem.launch.warps())), false),
    ("shared memory of a block, bytes", |of| of.shared.map(f64::from), false),
    ("barriers that a block passes", |of| of.barriers(), false),
    ("sectors requested by a block", |of| Some(of.sectors()? / of.blocks()), false),
    ("sectors requested by the grid", |of| of.sectors(), false),
    (
        "- for each element of C",
        |of| Some(sectors_per_element(of.counters()?, of.problem.size)),
        true,
    ),
    ("lines touched by a load of a warp", |of| of.counted?.lines_per_load, false),
    ("fetches of each element of A, B", |of| of.fetches(), false),
    ("uses of each fetched element", |of| of.uses(), false),
    ("shared load passes for 32 FMAs", |of| Some(passes_per_warp_fma(of.counters()?)), true),
    ("blocks that fit on one SM", |of| Some(f64::from(of.held()?.blocks)), true),
];

/// The sectors that the loads of a grid request for each element of C.
pub fn sectors_per_element(counters: &Counters, size: Size) -> f64 {
    counters.ptx.global.loads.sectors as f64 / size.elements(Operand::C) as f64
}

/// The passes over the banks that the loads of shared memory take for 32 multiply-adds, which is
/// one FMA of a full warp.
pub fn passes_per_warp_fma(counters: &Counters) -> f64 {
    let shared = counters.sass().shared;
    let loads = [shared.loads, shared.matrix_loads, shared.wgmma];
    let passes: u64 = loads.iter().map(|of| of.wavefronts).sum();
    passes as f64 * f64::from(WARP_SIZE) / counters.sass().multiply_adds().max(1) as f64
}

impl<'a> Tiling<'a> {
    fn counters(&self) -> Option<&'a Counters> {
        Some(&self.counted?.counters)
    }

    fn blocks(&self) -> f64 {
        self.problem.launch.blocks() as f64
    }

    fn sectors(&self) -> Option<f64> {
        Some(self.counters()?.ptx.global.loads.sectors as f64)
    }

    fn barriers(&self) -> Option<f64> {
        let arrivals = self.counters()?.ptx.barriers as f64;
        Some(arrivals / self.blocks() / f64::from(self.problem.launch.warps()))
    }

    /// How often the grid fetches each element of A and B on average, unused bytes of a sector
    /// included.
    fn fetches(&self) -> Option<f64> {
        Some(
            self.fetched()?
                / [Operand::A, Operand::B].map(|of| self.elements(of)).iter().sum::<f64>(),
        )
    }

    /// How often an element is multiplied for each time that it is fetched.
    fn uses(&self) -> Option<f64> {
        Some(2.0 * self.counters()?.sass().multiply_adds() as f64 / self.fetched()?)
    }

    /// The number of elements that the grid fetches.
    fn fetched(&self) -> Option<f64> {
        let bytes = self.problem.element_type(Operand::A).bytes();
        Some(self.sectors()? * SECTOR as f64 / f64::from(bytes)).filter(|of| *of > 0.0)
    }

    fn elements(&self, operand: Operand) -> f64 {
        self.problem.size.elements(operand) as f64
    }

    /// Returns its blocks on one SM; registers only limit them where they were recorded.
    fn held(&self) -> Option<Occupancy> {
        let sm = multiprocessor(self.pack?)?;
        let registers = self.registers().unwrap_or(0);
        let block = self.problem.launch.block;
        Some(sm.holds(&Demand { block, registers, shared: self.shared? }))
    }

    fn registers(&self) -> Option<u32> {
        self.recorded(|row| row.beside.resources.is_some())?.beside.resources.map(|of| of.registers)
    }

    fn ms(&self) -> Option<f64> {
        self.recorded(|row| row.size == self.size).map(|row| row.ms.median)
    }

    /// The first recorded row of it that `has` what is wanted, unless the kernel has changed since.
    fn recorded(&self, has: impl Fn(&Measurement) -> bool) -> Option<&'a Measurement> {
        let is_it = |row: &&Measurement| {
            (&*row.kernel, row.tile) == (self.problem.name(), Some(self.tile)) && has(row)
        };
        let row = self.pack?.rows.iter().find(is_it)?;
        (freshness(row) == Freshness::Fresh).then_some(row)
    }
}

/// The figures of both, without those that are 0 for both, and without times if none is recorded.
pub fn rows([before, now]: [&Tiling<'_>; 2]) -> Vec<Row> {
    let fact = |(label, of, told): &Fact| row((*label).to_owned(), [of(before), of(now)], *told);
    let held = [before.held(), now.held()];
    let most = held[1].as_ref().map_or_else(String::new, |of| format!(", of {}", of.most_warps));
    let warps = held.map(|held| Some(f64::from(held?.warps)));
    let warps = row(format!("their warps{most}"), warps, false);
    let times = [before.ms(), now.ms()];
    let recorded = times.iter().any(Option::is_some);
    let times = row(format!("ms at {}, recorded", now.size), times, true).filter(|_| recorded);
    FACTS.iter().filter_map(fact).chain(warps).chain(times).collect()
}

fn row(label: String, values: [Option<f64>; 2], told: bool) -> Option<Row> {
    if values == [Some(0.0); 2] {
        return None;
    }
    let change = match values {
        [Some(was), Some(is)] => change(was, is),
        _ => String::new(),
    };
    let values = values.map(|value| value.map_or_else(|| UNKNOWN.to_owned(), number));
    Some(Row { label, values, change, told })
}

/// A whole number with grouped thousands; others with the digits that count, at most three.
pub fn number(value: f64) -> String {
    if (value - value.round()).abs() < 1e-9 {
        return grouped(value.round() as u64);
    }
    let digits = if value < 1.0 { 3 } else { 2 };
    format!("{value:.digits$}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How the second value compares with the first.
fn change(was: f64, is: f64) -> String {
    let (low, high) = (was.min(is), was.max(is));
    let word = if is < was { "less" } else { "more" };
    match high / low {
        ..1.005 => "the same".to_owned(),
        times if times.is_finite() => {
            format!("{}x {word}", number((times * 100.0).round() / 100.0))
        }
        _ => String::new(),
    }
}

/// Says what the change of the tile changes; `None` until that is counted.
pub fn sentence(both: [&Tiling<'_>; 2]) -> Option<String> {
    let counted = format!("Tile {} {}{}.", both[1].tile, requested(both)?, passes(both)?);
    let parts = [Some(counted), room(both), time(both)];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

fn requested([before, now]: [&Tiling<'_>; 2]) -> Option<String> {
    let (was, is) = (before.sectors()?, now.sectors()?);
    let tile = before.tile;
    Some(match is / was {
        0.499..0.501 => format!("fetches half the sectors of tile {tile}"),
        0.249..0.251 => format!("fetches a quarter of the sectors of tile {tile}"),
        0.995..1.005 => format!("fetches as many sectors as tile {tile}"),
        ..1.0 => format!("fetches {} as few sectors as tile {tile}", times(was / is)),
        _ => format!("fetches {} as many sectors as tile {tile}", times(is / was)),
    })
}

/// The second half of a sentence on the loads of shared memory; empty for a kernel without any.
fn passes(both: [&Tiling<'_>; 2]) -> Option<String> {
    let [before, now] = both.map(|of| of.counters().map(passes_per_warp_fma));
    let (was, is) = (before?, now?);
    Some(match is / was {
        _ if was == 0.0 && is == 0.0 => String::new(),
        0.995..1.005 => ", and its FMAs take as many passes over the banks".to_owned(),
        _ => {
            let [was, is] = [was, is].map(number);
            format!("; its shared loads take {is} passes for 32 FMAs, not {was}")
        }
    })
}

fn room([before, now]: [&Tiling<'_>; 2]) -> Option<String> {
    let (was, is) = (before.held()?, now.held()?);
    let [before, now] = [before, now].map(|of| grouped(of.problem.launch.threads().into()));
    let blocks = Count(is.blocks.into(), "block");
    let limits = is.limits().map(word).collect::<Vec<_>>().join(", ");
    Some(if was.blocks == is.blocks {
        format!(
            "An SM still holds {blocks}, now of {now} threads, not of {before} (limit: {limits})."
        )
    } else {
        let was = was.blocks;
        format!("An SM holds {blocks} of {now} threads, not {was} of {before} (limit: {limits}).")
    })
}

fn time([before, now]: [&Tiling<'_>; 2]) -> Option<String> {
    let (was, is) = (before.ms()?, now.ms()?);
    let told = if is <= was {
        format!("{} as fast", times(was / is))
    } else {
        format!("{} as long", times(is / was))
    };
    Some(format!("Recorded at {}: {told}.", now.size))
}

fn times(factor: f64) -> String {
    match factor {
        _ if (factor - 2.0).abs() < 0.005 => "twice".to_owned(),
        _ => format!("{} times", number((factor * 100.0).round() / 100.0)),
    }
}

/// Where the figures come from, and what is missing.
pub fn basis(both: [&Tiling<'_>; 2]) -> String {
    let now = both[1];
    let embedded = now.problem.catalogue().and_then(|kernel| kernel.embedded(now.tile));
    let unrolled = embedded == Some(&*now.problem.ptx);
    let form = if unrolled { "" } else { ", with the loop over k unrolled" };
    let counts = format!("Counts: simulated, whole grid at {}{form}.", now.problem.size);
    let lacking = |knows: fn(&Tiling<'_>) -> bool| {
        let tiles = both.iter().filter(|of| !knows(of)).map(|of| of.tile.to_string());
        tiles.collect::<Vec<_>>().join(" and ")
    };
    let registers = lacking(|of| of.registers().is_some());
    let device = now.pack.map(|pack| &*pack.device);
    let room = device.map(|device| match &*registers {
        "" => format!("Blocks on an SM: model of {device}."),
        tiles => format!("Blocks on an SM: model of {device}; no registers recorded for {tiles}."),
    });
    let times = match (&*lacking(|of| of.ms().is_some()), now.pack) {
        ("", Some(pack)) => format!("Times: {}.", pack.label()),
        (tiles, _) => format!("Times: none recorded for {tiles} at {}.", now.size),
    };
    [Some(counts), room, Some(times)].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;
    use crate::study::counts::SizedSubject;
    use crate::timing::pack::packs;
    use crate::work::WorkToken;

    /// The sentence and the rows of a kernel at 64 with two tiles; times are those of 1024.
    fn compared(name: &str, tiles: [u32; 2]) -> (String, Vec<Row>, String) {
        let kernel = find(name).expect("a kernel");
        let of = |tile: u32| {
            let ptx = kernel.embedded(tile).expect("its PTX");
            Problem::of(kernel, kernel.variant(tile).expect("a tile"), Size::square(64), ptx.into())
        };
        let problems = tiles.map(of);
        let subject =
            |tile: u32| SizedSubject { kernel, tile: tile.into(), size: Size::square(64) };
        let counted =
            tiles.map(|tile| subject(tile).count(&WorkToken::default()).expect("it is counted"));
        let tiling = |index: usize| Tiling {
            tile: tiles[index].into(),
            problem: &problems[index],
            counted: Some(&counted[index]),
            shared: Some(problems[index].program().expect("it runs").shared_bytes),
            pack: packs().first(),
            size: Size::square(1024),
        };
        let (before, now) = (tiling(0), tiling(1));
        let both = [&before, &now];
        (sentence(both).expect("all is known"), rows(both), basis(both))
    }

    #[test]
    fn a_tile_twice_as_wide_fetches_half_and_loads_shared_memory_as_often() {
        let (sentence, rows, basis) = compared("tiled", [16, 32]);
        insta::assert_snapshot!(sentence, @"Tile 32 fetches half the sectors of tile 16, and its FMAs take as many passes over the banks. An SM holds 2 blocks of 1,024 threads, not 8 of 256 (limit: threads, registers). Recorded at 1024: 1.17 times as fast.");
        insta::assert_snapshot!(basis, @"Counts: simulated, whole grid at 64. Blocks on an SM: model of NVIDIA H200. Times: recorded on NVIDIA H200, 2026-11-21.");
        let row = |label: &str| rows.iter().find(|row| row.label == label).expect(label);
        let values = |label| row(label).values.each_ref().map(String::as_str);
        // 64 columns are four tiles of 16: each element is fetched four times.
        assert_eq!(values("fetches of each element of A, B"), ["4", "2"]);
        assert_eq!(values("uses of each fetched element"), ["16", "32"]);
        assert_eq!(values("barriers that a block passes"), ["8", "4"]);
        assert_eq!(values("blocks that fit on one SM"), ["8", "2"]);
        assert_eq!(row("- for each element of C").change, "2x less");
        assert_eq!(row("shared load passes for 32 FMAs").change, "the same");
    }

    #[test]
    fn what_is_not_recorded_is_said_and_half_a_warp_takes_as_many_passes_as_a_whole_one() {
        let (sentence, rows, basis) = compared("tiled", [4, 8]);
        insta::assert_snapshot!(sentence, @"Tile 8 fetches a quarter of the sectors of tile 4; its shared loads take 1.5 passes for 32 FMAs, not 2.5. An SM still holds 32 blocks, now of 64 threads, not of 16 (limit: threads, blocks, registers).");
        insta::assert_snapshot!(basis, @"Counts: simulated, whole grid at 64. Blocks on an SM: model of NVIDIA H200; no registers recorded for 4. Times: none recorded for 4 at 1024.");
        let time = rows.last().expect("a row of times");
        assert_eq!((&*time.values[0], &*time.change), (UNKNOWN, ""));
    }

    #[test]
    fn a_kernel_without_shared_memory_has_no_rows_of_it() {
        let (sentence, rows, _) = compared("naive", [16, 32]);
        insta::assert_snapshot!(sentence, @"Tile 32 fetches 1.25 times as many sectors as tile 16. An SM holds 2 blocks of 1,024 threads, not 8 of 256 (limit: threads, registers). Recorded at 1024: 1.24 times as fast.");
        assert!(rows.iter().all(|row| !row.label.contains("shared")), "{rows:?}");
    }
}
