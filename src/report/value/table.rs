//! An answer as a table with one row for each event.

use crate::matrix::Operand;
use crate::report::contracted;
use crate::report::place::PlaceNames;
use crate::sim::LaneMask;
use crate::study::value::{ElementSource, Known, Term, ValueAnswer};
use crate::trace::provenance::{EventKind, LaneStep, ValueEvent};
use std::fmt::Write;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// The iteration of loads, from 1: in a tiled kernel, the tile along k.
    Tile,
    /// The loaded element.
    Load,
    /// The event.
    What,
    /// The lane that did it.
    Lane,
    /// Its place in shared memory.
    Slot,
    /// The line of the source.
    Line,
    /// The number of steps done by then.
    Step,
    /// The number of steps done when it was stored in shared memory.
    Stored,
    /// The number of steps done when it was loaded from there.
    Reloaded,
    /// The number of steps done when it was combined with another value.
    Used,
    Address,
}

impl Column {
    /// The column's heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Tile => "tile",
            Self::Load => "load",
            Self::What => "what happens",
            Self::Lane => "lane",
            Self::Slot => "slot",
            Self::Line => "line",
            Self::Step => "step",
            Self::Stored => "stored",
            Self::Reloaded => "loaded",
            Self::Used => "used",
            Self::Address => "address",
        }
    }

    /// Pads `text` to `width` columns; numbers are right-aligned.
    pub fn padded(self, text: &str, width: u16) -> String {
        let width = usize::from(width);
        if self.is_number() { format!("{text:>width$}") } else { format!("{text:<width$}") }
    }

    const fn is_number(self) -> bool {
        match self {
            Self::Tile | Self::Line | Self::Step | Self::Stored | Self::Reloaded | Self::Used => {
                true
            }
            Self::Load | Self::What | Self::Lane | Self::Slot | Self::Address => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryStep {
    /// A description in a few words.
    pub text: String,
    /// Its place in the run.
    pub at: LaneStep,
}

impl ValueAnswer {
    /// Every column that is not empty, from left to right.
    pub fn columns(&self) -> Vec<Column> {
        use Column::{Address, Lane, Line, Load, Reloaded, Slot, Step, Stored, Tile, Used, What};
        match &self.known {
            Known::Came(came) => {
                let shared = came.terms.iter().any(|term| term.load.shared.is_some());
                let tiles = (came.rounds > 1).then_some(Tile);
                let after = if shared {
                    &[Slot, Line, Step, Stored, Reloaded, Used][..]
                } else {
                    &[Line, Step, Used]
                };
                let first = tiles.into_iter().chain([Load, Lane]);
                first.chain(after.iter().copied()).chain([Address]).collect()
            }
            Known::Went(_) => vec![Step, What, Lane, Line],
            Known::Nobody(..) => Vec::new(),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match &self.known {
            Known::Came(came) => came.terms.len(),
            Known::Went(went) => went.here.events.len(),
            Known::Nobody(..) => 0,
        }
    }

    /// The index along k of a row's element.
    pub fn k(&self, row: usize) -> Option<u32> {
        let Known::Came(came) = &self.known else { return None };
        let element = came.terms.get(row)?.element?;
        match element.operand {
            Operand::A => Some(element.column),
            Operand::B => Some(element.row),
            Operand::C => None,
        }
    }

    /// The first row that is not complete after this number of steps of the block's run, or the
    /// last.
    pub fn next_row(&self, at: usize) -> usize {
        let next = match &self.known {
            Known::Came(came) => came.used_by(at),
            Known::Went(went) => {
                went.here.events.partition_point(|event| (event.index as usize) < at)
            }
            Known::Nobody(..) => 0,
        };
        next.min(self.rows().saturating_sub(1))
    }

    /// The text of a cell; empty if there is none.
    pub fn cell(&self, row: usize, column: Column) -> String {
        let places = self.places();
        match &self.known {
            Known::Came(came) => came.terms.get(row).map(|term| term.cell(column, places)),
            Known::Went(went) => went.here.events.get(row).map(|event| cell(event, column, places)),
            Known::Nobody(..) => None,
        }
        .unwrap_or_default()
    }

    /// The stages of a row, from its first step on.
    pub fn stages(&self, row: usize) -> Vec<HistoryStep> {
        let places = self.places();
        match &self.known {
            Known::Came(came) => came.terms.get(row).map(|term| term.way(places)),
            Known::Went(went) => went.here.events.get(row).map(|event| {
                vec![HistoryStep { text: cell(event, Column::What, places), at: first(event) }]
            }),
            Known::Nobody(..) => None,
        }
        .unwrap_or_default()
    }

    /// The sources of names for its places.
    fn places(&self) -> PlaceNames<'_> {
        PlaceNames { problem: &self.question.problem, program: &self.question.program }
    }

    /// Every column that is not empty, with its width.
    pub fn widths(&self) -> Vec<(Column, u16)> {
        let cells = |column| (0..self.rows()).map(move |row| self.cell(row, column));
        let widest = |column: Column| {
            let cells = cells(column).map(|cell| cell.len());
            cells.chain([column.title().len()]).max().unwrap_or(0) as u16
        };
        self.columns().into_iter().map(|column| (column, widest(column))).collect()
    }

    /// The heading and the table as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in self.heading(usize::MAX) {
            let _ = writeln!(text, "{line}");
        }
        let by = self.question.problem.compiled_by();
        let by = by.map_or_else(String::new, |by| format!("; compiled by {by}"));
        let _ = writeln!(text, "simulated{by}");
        if self.question.program.blocks_together() > 1 {
            let warps = self.question.problem.launch.warps();
            let _ = writeln!(
                text,
                "warps are numbered through the cluster: {warps} of each block, by rank"
            );
        }
        if self.rows() > 0 {
            text.push('\n');
            text += &self.table();
        }
        text
    }

    fn table(&self) -> String {
        let columns = self.widths();
        let line = |cell: &dyn Fn(Column) -> String| {
            let cells = columns.iter().map(|(column, width)| column.padded(&cell(*column), *width));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        let titles = line(&|column| column.title().to_owned());
        let rows = (0..self.rows()).map(|row| line(&|column| self.cell(row, column)));
        titles + &rows.collect::<String>()
    }
}

impl ElementSource {
    /// The number of terms used after `index` steps.
    pub fn used_by(&self, index: usize) -> usize {
        let used = |term: &Term| term.load.used.is_none_or(|used| used.index as usize <= index);
        self.terms.partition_point(used)
    }
}

impl Term {
    fn cell(&self, column: Column, places: PlaceNames<'_>) -> String {
        let load = &self.load;
        let step = |at: Option<LaneStep>| at.map_or_else(String::new, |at| at.index.to_string());
        match column {
            Column::Tile => (self.round + 1).to_string(),
            Column::Load => match self.element {
                Some(element) => element.to_string(),
                None => places.variable(load.bytes.addr),
            },
            Column::Lane => lane(load.loaded),
            Column::Slot => load.shared.map_or_else(String::new, |slot| places.word(slot.addr)),
            Column::Line => line(load.loaded, places),
            Column::Step => step(Some(load.loaded)),
            Column::Stored => step(load.shared.map(|slot| slot.stored)),
            Column::Reloaded => step(load.shared.map(|slot| slot.read)),
            Column::Used => step(load.used),
            Column::Address => format!("{:#x}", load.bytes.addr),
            Column::What => "load".to_owned(),
        }
    }

    fn way(&self, places: PlaceNames<'_>) -> Vec<HistoryStep> {
        let what = self.cell(Column::Load, places);
        let mut stages = vec![HistoryStep { text: format!("load {what}"), at: self.load.loaded }];
        if let Some(slot) = self.load.shared {
            let name = places.word(slot.addr);
            stages.push(HistoryStep { text: format!("store {name}"), at: slot.stored });
            stages.push(HistoryStep { text: format!("load {name}"), at: slot.read });
        }
        let (program, ptx) = (places.program, &places.problem.ptx);
        let opcode = |at: LaneStep| {
            let alone = || program.inst(at.pc).opcode(ptx).to_owned();
            contracted::opcodes(program, ptx, at.pc).unwrap_or_else(alone)
        };
        stages.extend(self.load.used.map(|at| HistoryStep { text: opcode(at), at }));
        stages
    }
}

/// The text of a cell in an event's row.
fn cell(event: &ValueEvent, column: Column, places: PlaceNames<'_>) -> String {
    match column {
        Column::What => match event.what {
            EventKind::Loaded => "loaded".to_owned(),
            EventKind::Kept(addr) => format!("stored {}", places.word(addr)),
            EventKind::Read(addr) => format!("loaded {}", places.word(addr)),
            EventKind::Used if event.times == event.lanes.count() => "used".to_owned(),
            EventKind::Used => format!("used in {} products", event.times),
            EventKind::Stored => "result stored".to_owned(),
        },
        Column::Lane => format!("w{} {}", event.warp, lanes(event.lanes)),
        Column::Line => line(first(event), places),
        Column::Step => event.index.to_string(),
        Column::Tile
        | Column::Load
        | Column::Slot
        | Column::Stored
        | Column::Reloaded
        | Column::Used
        | Column::Address => String::new(),
    }
}

/// The source line, or if that is not known the line of the PTX: `ptx 57`.
fn line(at: LaneStep, places: PlaceNames<'_>) -> String {
    let inst = places.program.inst(at.pc);
    let ptx = || format!("ptx {}", inst.span.line(&places.problem.ptx));
    inst.line.map_or_else(ptx, |line| line.to_string())
}

/// A short name of a lane: `w2 l21`.
fn lane(at: LaneStep) -> String {
    format!("w{} l{}", at.warp, at.lane)
}

/// `l5`, `l0-15`, or the number of lanes.
fn lanes(mask: LaneMask) -> String {
    let lanes: Vec<_> = mask.lanes().collect();
    match lanes[..] {
        [] => "no lane".to_owned(),
        [only] => format!("l{only}"),
        [first, second] if first + 1 < second => format!("l{first},{second}"),
        [first, .., last] if last - first + 1 == lanes.len() => format!("l{first}-{last}"),
        _ => format!("{} lanes", lanes.len()),
    }
}

fn first(event: &ValueEvent) -> LaneStep {
    let lane = event.lanes.lanes().next().unwrap_or(0) as u8;
    LaneStep { index: event.index, pc: event.pc, warp: event.warp, lane }
}
