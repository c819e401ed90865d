//! The supersteps of a block as a table and JSON, with the races that meet in one of them: there a
//! barrier is missing, which would make two of it.

use super::finding::Names;
use super::number::grouped;
use super::traced::TracedKernel;
use crate::launch::Dim3;
use crate::study::findings::{BlockFindings, BlockRun};
use crate::study::superstep::{Superstep, WordCounts, are_alike};
use serde::Serialize;
use std::fmt::Write;

/// The supersteps of a block.
#[derive(Debug, Serialize)]
pub struct SuperstepReport {
    #[serde(flatten)]
    of: TracedKernel,
    /// The place of the block.
    at: Dim3,
    supersteps: Vec<Row>,
    #[serde(skip)]
    source: String,
}

/// A superstep.
#[derive(Debug, Serialize)]
struct Row {
    number: usize,
    first_step: usize,
    last_step: usize,
    lines: Vec<u32>,
    stores: WordCounts,
    reads: WordCounts,
    live: WordCounts,
    /// Two accesses of one word, one a store, that no barrier in it puts in order.
    races: Vec<MeetingRow>,
    #[serde(skip)]
    band: Superstep,
}

/// A race within a superstep.
#[derive(Debug, Serialize)]
struct MeetingRow {
    /// The lines of the two accesses, ascending.
    lines: Vec<u32>,
    message: String,
    advice: String,
}

/// The most supersteps that recur together.
const PERIOD: usize = 4;

impl SuperstepReport {
    /// The supersteps of a run that has been checked.
    pub fn new(run: &BlockRun, looked: &BlockFindings) -> Self {
        let BlockRun { problem, program, block, .. } = run;
        let names = Names { problem, program, memory: &looked.memory };
        let row = |(number, band): (usize, &Superstep)| Row {
            number: number + 1,
            first_step: band.steps.start + 1,
            last_step: band.steps.end,
            lines: band.lines.iter().copied().collect(),
            stores: band.stores.clone(),
            reads: band.reads.clone(),
            live: band.live.clone(),
            races: meetings(&names, looked, number),
            band: band.clone(),
        };
        Self {
            of: TracedKernel::of(problem),
            at: *block,
            supersteps: looked.supersteps.iter().enumerate().map(row).collect(),
            source: problem.source.as_ref().map_or_else(String::new, |source| source.file.clone()),
        }
    }

    /// Whether a race meets in one of them.
    pub fn is_sound(&self) -> bool {
        self.supersteps.iter().all(|row| row.races.is_empty())
    }

    /// A row for each superstep; those that recur are told once.
    pub fn text(&self) -> String {
        let Self { of: TracedKernel { kernel, size, .. }, at, supersteps, .. } = self;
        let (bands, barriers) = (supersteps.len(), supersteps.len().saturating_sub(1));
        let mut out = format!(
            "{kernel} at {size}, block ({},{}): {}, simulated\n\
             a superstep is what all threads do between two barriers\n\n",
            at.x,
            at.y,
            several(bands, "superstep") + " divided by " + &several(barriers, "barrier")
        );
        let lines = format!("lines of {}", self.source);
        let head = ["", "steps", lines.trim_end_matches(" of "), "stores", "reads", "leaves live"];
        let mut table = vec![head.map(str::to_owned)];
        // Below which row of the table something is said.
        let mut said = Vec::new();
        let mut at = 0;
        while let Some(row) = supersteps.get(at) {
            if let Some((period, times)) = self.recurring(at) {
                said.push((table.len(), again(at, period, times)));
                at += period * times;
                continue;
            }
            table.push(row.cells());
            if !row.races.is_empty() {
                said.push((table.len(), missing(row)));
            }
            at += 1;
        }
        write_table(&mut out, &table, &said);
        out
    }

    /// How many supersteps recur from here on, and how many times, if they do so at least twice.
    fn recurring(&self, at: usize) -> Option<(usize, usize)> {
        let row = |number: usize| self.supersteps.get(number);
        let same = |number: usize, period: usize| {
            let (now, before) = (row(number), number.checked_sub(period).and_then(row));
            now.zip(before).is_some_and(|(now, before)| {
                are_alike(&now.band, &before.band)
                    && now.races.is_empty() == before.races.is_empty()
            })
        };
        (1..=PERIOD).find_map(|period| {
            let alike =
                (at..self.supersteps.len()).take_while(|number| same(*number, period)).count();
            (alike >= 2 * period).then_some((period, alike / period))
        })
    }
}

impl Row {
    fn cells(&self) -> [String; 6] {
        let steps =
            format!("{}-{}", grouped(self.first_step as u64), grouped(self.last_step as u64));
        [
            self.number.to_string(),
            steps,
            ranges(&self.lines),
            counts(&self.stores),
            counts(&self.reads),
            counts(&self.live),
        ]
    }
}

/// The races whose accesses are of one superstep.
fn meetings(names: &Names<'_>, looked: &BlockFindings, number: usize) -> Vec<MeetingRow> {
    let here = looked.findings.iter().filter(|found| found.meets_in() == Some(number));
    let found: Vec<_> = here.map(|found| &found.finding).collect();
    let rows = names.rows(&found);
    let meeting = |row: super::finding::Row| {
        let mut lines: Vec<_> = row.sides.iter().filter_map(|side| side.line).collect();
        lines.sort_unstable();
        lines.dedup();
        MeetingRow { lines, advice: row.advised(), message: row.message }
    };
    rows.into_iter().map(meeting).collect()
}

/// That a barrier is missing in a superstep, drawn as what would divide it, and why.
fn missing(row: &Row) -> String {
    let mut told = format!(
        "- - - superstep {}: a barrier is missing, for accesses of several threads meet in it - - -\n",
        row.number
    );
    for race in &row.races {
        let _ = writeln!(told, "    race: {}. {}", race.message, race.advice);
    }
    told
}

fn again(at: usize, period: usize, times: usize) -> String {
    let (first, last) = (at + 1, at + period * times);
    let before = (at + 1 - period, at);
    let what = match period {
        1 => format!("as {}", before.1),
        _ => format!("as {}-{}, {} times", before.0, before.1, grouped(times as u64)),
    };
    format!("{}-{} {what}\n", grouped(first as u64), grouped(last as u64))
}

fn several(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// `sA 256, sB 256`.
fn counts(words: &WordCounts) -> String {
    let each: Vec<_> =
        words.iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
    if each.is_empty() { "-".to_owned() } else { each.join(", ") }
}

/// `20-34, 38`.
fn ranges(lines: &[u32]) -> String {
    let runs = lines.chunk_by(|one, next| one + 1 == *next);
    let each: Vec<_> = runs
        .filter_map(|run| match run {
            [only] => Some(only.to_string()),
            [first, .., last] => Some(format!("{first}-{last}")),
            [] => None,
        })
        .collect();
    each.join(", ")
}

/// The rows of a table in columns, with what is said below some of them.
fn write_table(out: &mut String, table: &[[String; 6]], said: &[(usize, String)]) {
    let width = |column: usize| table.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    for (number, row) in (1..).zip(table) {
        let mut line = format!("{:>1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(widths).skip(1) {
            let _ = write!(line, "  {cell:width$}");
        }
        let _ = writeln!(out, "{}", line.trim_end());
        for (_, said) in said.iter().filter(|(at, _)| *at == number) {
            let _ = write!(out, "{:1$}  {said}", "", widths[0]);
        }
    }
}
