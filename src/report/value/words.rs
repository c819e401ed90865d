//! An answer in words: headings, and a table of what happened, one row for each thing.

use super::{Answer, Came, Sum, Term, Went};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::{Element, Operand};
use crate::report::sim::grouped;
use crate::sim::{LaneMask, Program};
use crate::trace::provenance::{At, Event, What};
use std::fmt::Write;

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// The round of loads, from 0: in a tiled kernel, the tile along k.
    Tile,
    /// What was loaded.
    Load,
    /// What happened.
    What,
    /// The lane that did it.
    Lane,
    /// Its place in shared memory.
    Slot,
    /// The line of the source.
    Line,
    /// Steps done by then.
    Step,
    /// Steps done when it was stored in shared memory.
    Stored,
    /// Steps done when it was read from there.
    Read,
    /// Steps done when it was combined with another value.
    Used,
    /// Its address.
    Address,
}

impl Column {
    /// What stands over it.
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
            Self::Read => "read",
            Self::Used => "used",
            Self::Address => "address",
        }
    }

    /// Whether it holds numbers, which are written flush right.
    pub const fn is_number(self) -> bool {
        match self {
            Self::Tile | Self::Line | Self::Step | Self::Stored | Self::Read | Self::Used => true,
            Self::Load | Self::What | Self::Lane | Self::Slot | Self::Address => false,
        }
    }
}

/// A step on the way of a value: what, when, where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// In a few words.
    pub text: String,
    /// Where in the run it is.
    pub at: At,
}

/// What names are taken from.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// What runs.
    pub problem: &'a Problem,
    /// Its program.
    pub program: &'a Program,
}

impl Answer {
    /// What it comes to, line by line, the most important first.
    pub fn heading(&self, element: Element) -> Vec<String> {
        match self {
            Self::Came(came) => came.heading(),
            Self::Went(went) => went.heading(),
            Self::Nobody(run, of) if run == of => {
                vec![format!("No block stores {element}.")]
            }
            Self::Nobody(run, of) => vec![format!(
                "{} of {} blocks were asked: none stores {element}.",
                grouped(*run),
                grouped(*of)
            )],
        }
    }

    /// The block whose run is told.
    pub const fn block(&self) -> Option<Dim3> {
        match self {
            Self::Came(came) => Some(came.block),
            Self::Went(went) => Some(went.block),
            Self::Nobody(..) => None,
        }
    }

    /// Every column that says something, in the order in which they stand.
    pub fn columns(&self) -> Vec<Column> {
        use Column::{Address, Lane, Line, Load, Read, Slot, Step, Stored, Tile, Used, What};
        match self {
            Self::Came(came) => {
                let shared = came.terms.iter().any(|term| term.load.shared.is_some());
                let tiles = (came.rounds > 1).then_some(Tile);
                let after = if shared {
                    &[Slot, Line, Step, Stored, Read, Used][..]
                } else {
                    &[Line, Step, Used]
                };
                let first = tiles.into_iter().chain([Load, Lane]);
                first.chain(after.iter().copied()).chain([Address]).collect()
            }
            Self::Went(_) => vec![Step, What, Lane, Line],
            Self::Nobody(..) => Vec::new(),
        }
    }

    /// Rows of the table.
    pub fn rows(&self) -> usize {
        match self {
            Self::Came(came) => came.terms.len(),
            Self::Went(went) => went.here.events.len(),
            Self::Nobody(..) => 0,
        }
    }

    /// What stands in a row and a column; nothing, where there is nothing to say.
    pub fn cell(&self, row: usize, column: Column, names: Names<'_>) -> String {
        match self {
            Self::Came(came) => came.terms.get(row).map(|term| names.term(term, column)),
            Self::Went(went) => {
                went.here.events.get(row).map(|event| names.event(went, event, column))
            }
            Self::Nobody(..) => None,
        }
        .unwrap_or_default()
    }

    /// The way that a row tells, from its first step on.
    pub fn stages(&self, row: usize, names: Names<'_>) -> Vec<Stage> {
        match self {
            Self::Came(came) => came.terms.get(row).map(|term| names.way(term)),
            Self::Went(went) => went.here.events.get(row).map(|event| {
                vec![Stage { text: names.event(went, event, Column::What), at: first(event) }]
            }),
            Self::Nobody(..) => None,
        }
        .unwrap_or_default()
    }
}

impl Came {
    fn heading(&self) -> Vec<String> {
        let Element { row, column, .. } = self.element;
        let of = self.element;
        let sum = format!("sum over k of A[{row}][k] x B[k][{column}]");
        let formula = match &self.sum {
            Sum::Product => format!("{of} = {sum}"),
            Sum::Added => format!("{of} = {of} + {sum}"),
            Sum::Wrong(what) => format!("{of} is not its sum: {what}"),
            Sum::Cut => format!("{of}: its last {} loads", grouped(self.terms.len() as u64)),
        };
        let mut uses: Vec<_> = self.terms.iter().filter_map(|term| term.load.used).collect();
        uses.dedup();
        let what = if self.sum == Sum::Product {
            ("products", "product")
        } else {
            ("uses of loads", "use of a load")
        };
        let products = counted(uses.len() as u64, what);
        let tiles = counted(u64::from(self.rounds), ("tiles", "tile"));
        let tiles = if self.rounds > 1 { format!(" in {tiles}") } else { String::new() };
        let (Dim3 { x, y, .. }, At { warp, lane, .. }) = (self.block, self.stored);
        vec![
            formula,
            format!("{products}{tiles}"),
            format!("by warp {warp}, lane {lane} of block ({x},{y})"),
        ]
    }

    /// How many terms have been used after so many steps.
    pub fn used_by(&self, index: usize) -> usize {
        let used = |term: &Term| term.load.used.is_none_or(|used| used.index as usize <= index);
        self.terms.partition_point(used)
    }
}

impl Went {
    fn heading(&self) -> Vec<String> {
        let total = self.total;
        let of = self.element;
        if total.fetched == 0 {
            let blocks = counted(total.run, ("blocks fetch", "block fetches"));
            return vec![format!("{of}: none of {blocks} it")];
        }
        let requests = counted(total.requests, ("requests of warps", "request of a warp"));
        let fetched = counted(total.fetched, ("times", "time"));
        let fetched = format!("{of} is fetched {fetched}, in {requests}");
        let each = total.used / total.fetched;
        let exact = if total.used.is_multiple_of(total.fetched) { "" } else { "about " };
        let used = format!(
            "used {}: {exact}{} for each fetch",
            counted(total.used, ("times", "time")),
            grouped(each)
        );
        let so_far = if total.run < total.of { " so far" } else { "" };
        let blocks =
            format!("in {} of {} blocks{so_far}", grouped(total.fetching), grouped(total.run));
        let Dim3 { x, y, .. } = self.block;
        let here = region(&self.outputs);
        vec![fetched, used, blocks, format!("block ({x},{y}): into {here}")]
    }
}

impl Names<'_> {
    fn term(self, term: &Term, column: Column) -> String {
        let load = &term.load;
        let step = |at: Option<At>| at.map_or_else(String::new, |at| at.index.to_string());
        match column {
            Column::Tile => term.round.to_string(),
            Column::Load => match term.element {
                Some(element) => element.to_string(),
                None => format!("{:#x}", load.bytes.addr),
            },
            Column::Lane => lane(load.loaded),
            Column::Slot => load.shared.map_or_else(String::new, |slot| self.slot(slot.addr)),
            Column::Line => self.line(load.loaded),
            Column::Step => step(Some(load.loaded)),
            Column::Stored => step(load.shared.map(|slot| slot.stored)),
            Column::Read => step(load.shared.map(|slot| slot.read)),
            Column::Used => step(load.used),
            Column::Address => format!("{:#x}", load.bytes.addr),
            Column::What => "load".to_owned(),
        }
    }

    fn event(self, went: &Went, event: &Event, column: Column) -> String {
        match column {
            Column::What => match event.what {
                What::Loaded => format!("{} is loaded", went.element),
                What::Kept(addr) => format!("stored in {}", self.slot(addr)),
                What::Read(addr) => format!("read from {}", self.slot(addr)),
                What::Used => "used".to_owned(),
                What::Stored => "what it went into is stored".to_owned(),
            },
            Column::Lane => format!("w{} {}", event.warp, lanes(event.lanes)),
            Column::Line => self.line(first(event)),
            Column::Step => event.index.to_string(),
            Column::Tile
            | Column::Load
            | Column::Slot
            | Column::Stored
            | Column::Read
            | Column::Used
            | Column::Address => String::new(),
        }
    }

    fn way(self, term: &Term) -> Vec<Stage> {
        let what = self.term(term, Column::Load);
        let mut stages = vec![Stage { text: format!("load of {what}"), at: term.load.loaded }];
        if let Some(slot) = term.load.shared {
            let name = self.slot(slot.addr);
            stages.push(Stage { text: format!("store to {name}"), at: slot.stored });
            stages.push(Stage { text: format!("read of {name}"), at: slot.read });
        }
        stages.extend(term.load.used.map(|at| Stage { text: self.instruction(at), at }));
        stages
    }

    /// The first word of an instruction: `fma.rn.f32`.
    fn instruction(self, at: At) -> String {
        let text = self.program.inst(at.pc).span.of(&self.problem.ptx);
        let words = text.split_whitespace().find(|word| !word.starts_with('@'));
        words.unwrap_or_default().trim_end_matches(';').to_owned()
    }

    fn slot(self, addr: u32) -> String {
        match self.problem.shared_element(self.program, addr.into()) {
            Some((name, row, column)) => format!("{name}[{row}][{column}]"),
            None => format!("byte {addr}"),
        }
    }

    fn line(self, at: At) -> String {
        self.program.inst(at.pc).line.map_or_else(String::new, |line| line.to_string())
    }

    /// The heading and the table: everything that is known, as text.
    pub fn text(self, answer: &Answer, element: Element) -> String {
        let mut text = String::new();
        for line in answer.heading(element) {
            let _ = writeln!(text, "{line}");
        }
        text += "simulated\n";
        if answer.rows() > 0 {
            text.push('\n');
            text += &self.table(answer);
        }
        text
    }

    fn table(self, answer: &Answer) -> String {
        let columns = answer.columns();
        let row = |row| columns.iter().map(|c| answer.cell(row, *c, self)).collect::<Vec<_>>();
        let titles = columns.iter().map(|column| column.title().to_owned()).collect();
        let rows: Vec<Vec<String>> =
            [titles].into_iter().chain((0..answer.rows()).map(row)).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths: Vec<_> = (0..columns.len()).map(width).collect();
        let mut text = String::new();
        for row in &rows {
            let cells = row.iter().zip(&columns).zip(&widths);
            let cells: Vec<_> = cells
                .map(|((cell, column), width)| {
                    if column.is_number() {
                        format!("{cell:>width$}")
                    } else {
                        format!("{cell:<width$}")
                    }
                })
                .collect();
            let _ = writeln!(text, "{}", cells.join("  ").trim_end());
        }
        text
    }
}

/// A lane in few letters: `w2 l21`.
fn lane(at: At) -> String {
    format!("w{} l{}", at.warp, at.lane)
}

/// `l5`, `l0-15`, or how many they are.
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

/// The first lane of an event.
fn first(event: &Event) -> At {
    let lane = event.lanes.lanes().next().unwrap_or(0) as u8;
    At { index: event.index, pc: event.pc, warp: event.warp, lane }
}

/// "1,024 products", "1 product".
fn counted(count: u64, (many, one): (&str, &str)) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// The smallest box of elements of one matrix around these: `C[5][16-31]`.
fn region(elements: &[Element]) -> String {
    let Some(first) = elements.first() else { return "nothing".to_owned() };
    let span = |of: fn(&Element) -> u32| {
        let (least, most) = (elements.iter().map(of).min(), elements.iter().map(of).max());
        match (least, most) {
            (Some(least), Some(most)) if least != most => format!("{least}-{most}"),
            (least, _) => least.unwrap_or(0).to_string(),
        }
    };
    let name = if elements.iter().all(|e| e.operand == first.operand) {
        first.operand
    } else {
        Operand::C
    };
    format!("{}[{}][{}]", name.name(), span(|e| e.row), span(|e| e.column))
}
