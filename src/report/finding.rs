//! The findings of a check as text and JSON: what happened, where, who took part, what to do.

mod arrays;
mod barrier;
mod endless;
mod flow;
mod gap;
mod in_flight;
mod memory;
mod names;
mod race;
mod sources;
mod unset;
mod ways;
mod words;

use super::number::Count;
use crate::analysis::check::{AccessKind, Finding, FindingKind, MemoryAddress, Participant};
use crate::launch::Dim3;
use crate::matrix::Size;
pub use names::Names;
pub(super) use names::{lanes, verb};
use ptx::Space;
use serde::Serialize;
use std::fmt::Write;
use words::FindingText;

/// A finding with names for places and lines.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// race, barrier, memory, assertion or no-end.
    pub kind: &'static str,
    /// The size of the matrices, where the kernel is checked at several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) size: Option<Size>,
    kernel: String,
    /// The first block of the grid in which it occurs.
    block: Dim3,
    #[serde(skip)]
    grid: Dim3,
    /// The number of barriers that the whole block had passed, or `None` for a finding between
    /// blocks.
    interval: Option<u32>,
    /// The place in memory, if it concerns memory.
    address: Option<NamedAddress>,
    /// The participants; of two accesses, the one that came first in the simulation comes first.
    pub sides: Vec<AccessReporter>,
    /// The number of places in memory concerned, over all blocks.
    words: u64,
    /// The number of blocks in which it occurs.
    blocks: u64,
    /// The message, a sentence on what happened.
    pub message: String,
    /// For a barrier: the effect on hardware from compute capability 7.0 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    since_volta: Option<&'static str>,
    /// For a barrier: the effect on hardware before compute capability 7.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_volta: Option<&'static str>,
    pub advice: String,
    /// That it may come from a part of the launch that nobody stated, if it may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
    /// Of a race that the barrier of an earlier one puts in order as well: the number of that one.
    #[serde(skip)]
    with: Option<usize>,
}

/// A place in memory.
#[derive(Clone, Debug, Serialize)]
pub struct NamedAddress {
    space: &'static str,
    /// Byte address in its space.
    byte: u64,
    /// The element of the array or matrix at this address.
    element: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct AccessReporter {
    did: AccessKind,
    block: Dim3,
    warp: u16,
    lanes: Vec<usize>,
    /// The line of the CUDA source.
    pub line: Option<u32>,
    /// The name of the file of this line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// Where the code of this line begins, if it is of the source that is shown.
    #[serde(skip)]
    pub(super) column: Option<u32>,
    pub(super) ptx_line: usize,
}

impl Row {
    /// The element of the array or matrix that it is about, if it is about one.
    pub fn element(&self) -> Option<&str> {
        self.address.as_ref().map(|address| address.element.as_str())
    }

    /// The advice, and that it may be the launch.
    pub fn advised(&self) -> String {
        let Self { advice, caution, .. } = self;
        caution.as_ref().map_or_else(|| advice.clone(), |caution| format!("{advice} {caution}"))
    }
}

impl Names<'_> {
    /// The findings with names, sentences and advice. Races that one barrier puts in order have one
    /// advice.
    pub fn rows(&self, findings: &[&Finding]) -> Vec<Row> {
        let is_all = |finding: &Finding| race::without_barrier(self, finding).is_none();
        let barriers = gap::barriers(self, findings, is_all);
        let row = |(finding, barrier): (&&Finding, &Option<gap::MissingBarrier>)| {
            let row = self.row(finding);
            match barrier {
                Some(barrier) => {
                    Row { advice: self.spelt(&barrier.advice), with: barrier.with, ..row }
                }
                None => row,
            }
        };
        findings.iter().zip(&barriers).map(row).collect()
    }

    /// That stores of one value would race with other data, as a sentence.
    pub fn same_by_data(&self, finding: &Finding) -> Option<String> {
        race::same(self, finding)
    }

    /// That an index leaves its row, as sentences.
    pub fn leaves_row(&self, finding: &Finding) -> String {
        let FindingText { message, advice, .. } = words(self, finding);
        self.spelt(&format!("{message}. {advice}"))
    }

    /// A text with the functions of CUDA C as the kernel's language calls them.
    fn spelt(&self, text: &str) -> String {
        let source = self.problem.source.as_ref();
        let is_c = source.is_none_or(|source| source.declared.is_none());
        let spelt = |text: String, (c, python): &(&str, &str)| text.replace(c, python);
        if is_c { text.to_owned() } else { IN_PYTHON.iter().fold(text.to_owned(), spelt) }
    }

    /// The finding with names, sentences and advice.
    pub fn row(&self, finding: &Finding) -> Row {
        let FindingText { message, advice, barrier } = words(self, finding);
        let (message, advice) = (self.spelt(&message), self.spelt(&advice));
        // Blocks that run together are younger than Volta, and share no barrier intervals.
        let is_single = finding.sides.iter().all(|side| side.rank.is_none());
        let has_barriers = self.program.insts.iter().any(|inst| inst.op.is_barrier());
        Row {
            size: None,
            kind: finding.kind.kind(),
            kernel: self.problem.name().to_owned(),
            block: finding.block,
            grid: self.problem.launch.grid,
            interval: finding.interval.filter(|_| is_single && has_barriers),
            address: finding.place.map(|place| self.address(place, &finding.sides)),
            sides: finding.sides.iter().map(|side| self.party(side)).collect(),
            words: finding.words,
            blocks: finding.blocks,
            message,
            since_volta: barrier.filter(|_| is_single).map(|barrier| barrier.since_volta),
            before_volta: barrier.filter(|_| is_single).map(|barrier| barrier.before_volta),
            advice,
            caution: self.caution(finding),
            with: None,
        }
    }

    /// The place of a finding among others, wherever they are listed: what makes others happen comes
    /// before them, and what happens between warps before what happens within one.
    pub fn rank(&self, finding: &Finding) -> (u8, bool) {
        let cause = match &finding.kind {
            FindingKind::Fault(kind) if memory::is_overrun(self, finding, kind) => 0,
            FindingKind::Fault(_) => 1,
            FindingKind::DifferentBarriers
            | FindingKind::DifferentCounts(..)
            | FindingKind::ExitedBeforeBarrier { .. } => 2,
            _ => 3,
        };
        let warp = |side: &Participant| (side.block, side.warp);
        let between = finding.sides.windows(2).any(|pair| warp(&pair[0]) != warp(&pair[1]));
        (cause, !between)
    }

    fn party(&self, side: &Participant) -> AccessReporter {
        AccessReporter {
            did: side.did,
            block: side.block,
            warp: side.warp,
            lanes: side.lanes.lanes().collect(),
            line: side.line,
            file: self.file(side),
            column: side
                .line
                .filter(|_| self.file(side).is_none())
                .and_then(|line| self.problem.source.as_ref()?.column(line)),
            ptx_line: self.ptx_line(side),
        }
    }

    fn address(&self, place: MemoryAddress, sides: &[Participant]) -> NamedAddress {
        let space = if place.space == Space::Shared { "shared" } else { "global" };
        let byte = match place.space {
            Space::Shared => self.blocks(sides).of_shared(place.addr).1,
            _ => place.addr,
        };
        NamedAddress { space, byte, element: self.element(place, sides) }
    }
}

/// Functions of CUDA C, and how Numba calls them.
const IN_PYTHON: [(&str, &str); 4] = [
    ("__syncthreads", "cuda.syncthreads"),
    ("__syncwarp", "cuda.syncwarp"),
    ("atomicAdd", "cuda.atomic.add"),
    ("__shared__", "shared"),
];

/// The message and advice for a finding; empty for one whose participants are missing.
fn words(names: &Names<'_>, finding: &Finding) -> FindingText {
    let words = match &finding.kind {
        FindingKind::Race => race::race(names, finding),
        FindingKind::UnwaitedCopy => race::unwaited(names, finding),
        FindingKind::WriteDuringAsyncRead => in_flight::still_read(names, finding),
        FindingKind::MissingProxyFence => in_flight::unseen(names, finding),
        FindingKind::AccumulatorInUse => in_flight::busy(names, finding),
        FindingKind::MissingWgmmaFence => in_flight::unordered(names, finding),
        FindingKind::ExitedBeforeAccess => in_flight::exited(names, finding),
        FindingKind::DifferentBarriers => Some(barrier::different_barriers(names, finding)),
        FindingKind::DifferentCounts(a, b) => barrier::different_counts(names, finding, [*a, *b]),
        FindingKind::AmbiguousArrival(threads) => barrier::first_come(names, finding, *threads),
        FindingKind::ExitedBeforeBarrier { threads } => barrier::ended(names, finding, *threads),
        FindingKind::Deadlock(deadlock) => Some(barrier::deadlock(names, finding, deadlock)),
        FindingKind::InactiveSourceLane => barrier::absent(names, finding),
        FindingKind::UninitialisedRead => memory::unwritten(names, finding),
        FindingKind::UnsetRegister => unset::unset(names, finding),
        FindingKind::Fault(kind) => memory::fault(names, finding, kind),
        FindingKind::NoEnd(found) => Some(endless::no_end(names, finding, found)),
        FindingKind::LeftPart(left) => memory::left_part(names, finding, left),
    };
    words.unwrap_or_default()
}

/// The part of a block's run that lies between two of its barriers.
fn when(interval: u32) -> String {
    match interval {
        0 => "before the first barrier".to_owned(),
        number => format!("after barrier {number}"),
    }
}

/// All findings as text; empty if there are none. Races that one barrier puts in order are one entry.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate().filter(|(_, row)| row.with.is_none()) {
        let place = row.block.place_in(row.grid);
        let _ =
            write!(text, "\n{}{}: {}\n    block ({place})", row.kind, at(row.size), row.message);
        if let Some(interval) = row.interval {
            let _ = write!(text, ", {}", when(interval));
        }
        let blocks = Count(row.blocks, "block");
        let _ = match row.words {
            0 => writeln!(text, "; in {blocks}"),
            words => writeln!(text, "; {} in {blocks}", Count(words, "word")),
        };
        if let (Some(since), Some(before)) = (&row.since_volta, &row.before_volta) {
            let _ = writeln!(text, "    since Volta: {since}\n    before Volta: {before}");
        }
        if let Some(others) = with_it(rows, number) {
            let _ = writeln!(text, "    {others}");
        }
        let _ = writeln!(text, "    {}", row.advice);
        if let Some(caution) = &row.caution {
            let _ = writeln!(text, "    {caution}");
        }
    }
    text
}

/// ` at 60x52x84`, where it is said.
fn at(size: Option<Size>) -> String {
    size.map_or_else(String::new, |size| format!(" at {size}"))
}

/// The other races that the barrier of this one puts in order, if there are any.
fn with_it(rows: &[Row], number: usize) -> Option<String> {
    let others: Vec<_> = rows.iter().filter(|row| row.with == Some(number)).collect();
    let lines = |row: &&Row| {
        let lines = row.sides.iter().filter_map(|side| side.line);
        lines.map(|line| line.to_string()).collect::<Vec<_>>().join(" and ")
    };
    let mut told: Vec<_> = others.iter().take(SHOWN).map(lines).collect();
    if others.len() > SHOWN {
        told.push("so on".to_owned());
    }
    (!others.is_empty()).then(|| {
        let pairs = Count(others.len() as u64, "other pair");
        format!("The same barrier is missing between {pairs} of lines: {}.", told.join(", "))
    })
}

/// Pairs of lines that are listed.
const SHOWN: usize = 6;

/// The races as lines of text: those that one barrier puts in order as one.
pub(super) fn races(rows: &[Row]) -> String {
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate().filter(|(_, row)| row.with.is_none()) {
        let _ = writeln!(text, "race: {}", row.message);
        if let Some(others) = with_it(rows, number) {
            let _ = writeln!(text, "    {others}");
        }
    }
    text
}
