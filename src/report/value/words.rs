//! An answer in words: headings, and a table of what happened, one row for each thing.

use super::{Answer, Came, Sum, Term, Total, Went};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::{Element, Operand};
use crate::report::sim::grouped;
use crate::sim::{LaneMask, Program};
use crate::trace::provenance::{At, Event, What};
use std::fmt::Write;

/// What the terms of the sum are called.
const PRODUCTS: (&str, &str) = ("products", "product");

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

    /// `text` in so many columns: numbers flush right.
    pub fn padded(self, text: &str, width: u16) -> String {
        let width = usize::from(width);
        if self.is_number() { format!("{text:>width$}") } else { format!("{text:<width$}") }
    }

    const fn is_number(self) -> bool {
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
    /// What it comes to, line by line, the most important first; in fewer words where the lines
    /// may not be longer than `width`. Blocks are named as in `grid`.
    pub fn heading(&self, element: Element, grid: Dim3, width: usize) -> Vec<String> {
        match self {
            Self::Came(came) => came.heading(grid, width),
            Self::Went(went) => went.heading(grid, width),
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

    /// The place along k that a row belongs to.
    pub fn k(&self, row: usize) -> Option<u32> {
        let Self::Came(came) = self else { return None };
        let element = came.terms.get(row)?.element?;
        match element.operand {
            Operand::A => Some(element.column),
            Operand::B => Some(element.row),
            Operand::C => None,
        }
    }

    /// The first row that is not over after so many steps of the block's run, or the last.
    pub fn next_row(&self, at: usize) -> usize {
        let next = match self {
            Self::Came(came) => came.used_by(at),
            Self::Went(went) => {
                went.here.events.partition_point(|event| (event.index as usize) < at)
            }
            Self::Nobody(..) => 0,
        };
        next.min(self.rows().saturating_sub(1))
    }

    /// What stands in a row and a column; nothing, where there is nothing to say.
    pub fn cell(&self, row: usize, column: Column, names: Names<'_>) -> String {
        match self {
            Self::Came(came) => came.terms.get(row).map(|term| names.term(term, column)),
            Self::Went(went) => went.here.events.get(row).map(|event| names.event(event, column)),
            Self::Nobody(..) => None,
        }
        .unwrap_or_default()
    }

    /// The way that a row tells, from its first step on.
    pub fn stages(&self, row: usize, names: Names<'_>) -> Vec<Stage> {
        match self {
            Self::Came(came) => came.terms.get(row).map(|term| names.way(term)),
            Self::Went(went) => went.here.events.get(row).map(|event| {
                vec![Stage { text: names.event(event, Column::What), at: first(event) }]
            }),
            Self::Nobody(..) => None,
        }
        .unwrap_or_default()
    }
}

impl Came {
    fn heading(&self, grid: Dim3, width: usize) -> Vec<String> {
        let wordings = ["sum over k of A[{i}][k] x", "sum of A[{i}][k] x", "sum A[{i}][k]"];
        let mut formulas = wordings.map(|wording| self.formula(wording)).into_iter();
        let fitting = formulas.find(|formula| formula.len() <= width);
        let formula = fitting.unwrap_or_else(|| self.formula(wordings[1]));
        let products = self.products();
        let tiles = counted(u64::from(self.rounds), ("tiles", "tile"));
        let tiles = if self.rounds > 1 { format!(" in {tiles}") } else { String::new() };
        let (place, At { warp, lane, .. }) = (self.block.place_in(grid), self.stored);
        vec![
            formula,
            format!("{products}{tiles}"),
            format!("by warp {warp}, lane {lane} of block ({place})"),
        ]
    }

    /// How many products they are, where they are such; and what else was loaded.
    fn products(&self) -> String {
        let count = |operand| self.terms.iter().filter(move |term| term.is(operand)).count() as u64;
        let loads = self.terms.len() as u64;
        match self.sum {
            Sum::Product | Sum::Added | Sum::Part(..) => {
                let products = match self.sum {
                    Sum::Part(found, of) => format!("{found} of {}", counted(of.into(), PRODUCTS)),
                    _ => counted(count(Some(Operand::A)), PRODUCTS),
                };
                match count(None) {
                    0 => products,
                    others => {
                        format!("{products}, {}", counted(others, ("other loads", "other load")))
                    }
                }
            }
            Sum::Wrong(_) | Sum::Cut => counted(loads, ("loads", "load")),
        }
    }

    /// What it is, the sum in one of several wordings.
    fn formula(&self, sum_of: &str) -> String {
        let Element { row, column, .. } = self.element;
        let of = self.element;
        let sum = format!("{} B[k][{column}]", sum_of.replace("{i}", &row.to_string()));
        match &self.sum {
            Sum::Product => format!("{of} = {sum}"),
            Sum::Added => format!("{of} = {of} + {sum}"),
            Sum::Part(..) => format!("{of} += part of the {sum}"),
            Sum::Wrong(what) => format!("{of} is not its sum: {what}"),
            Sum::Cut => format!("{of}: its last {} loads", grouped(self.terms.len() as u64)),
        }
    }

    /// How many terms have been used after so many steps.
    pub fn used_by(&self, index: usize) -> usize {
        let used = |term: &Term| term.load.used.is_none_or(|used| used.index as usize <= index);
        self.terms.partition_point(used)
    }
}

impl Term {
    fn is(&self, operand: Option<Operand>) -> bool {
        self.element.map(|element| element.operand) == operand
    }
}

impl Went {
    fn heading(&self, grid: Dim3, width: usize) -> Vec<String> {
        let (total, of) = (self.total, self.element);
        if total.fetched == 0 {
            let blocks = counted(total.run, ("blocks fetch", "block fetches"));
            return vec![format!("{of}: none of {blocks} it")];
        }
        let so_far = if total.run < total.of { " so far" } else { "" };
        let blocks = (grouped(total.fetching), grouped(total.run));
        let place = self.block.place_in(grid);
        vec![
            self.fetched(width),
            self.used(),
            format!("in {} of {} blocks{so_far}", blocks.0, blocks.1),
            format!("block ({place}): into {}", region(&self.outputs)),
        ]
    }

    fn fetched(&self, width: usize) -> String {
        let Total { fetched, requests, .. } = self.total;
        let fetched = counted(fetched, ("times", "time"));
        let warps = counted(requests, ("requests of warps", "request of a warp"));
        let long = format!("{} is fetched {fetched}, in {warps}", self.element);
        let requests = counted(requests, ("requests", "request"));
        if long.len() > width { format!("fetched {fetched}, in {requests}") } else { long }
    }

    /// How often it was used, and how often for each time that it was fetched: the reuse.
    fn used(&self) -> String {
        let Total { fetched, used, .. } = self.total;
        let about = if used.is_multiple_of(fetched) { "" } else { "about " };
        let each = grouped(used / fetched);
        format!("used {}: {about}{each} for each fetch", counted(used, ("times", "time")))
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
                None => self.variable(load.bytes.addr),
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

    fn event(self, event: &Event, column: Column) -> String {
        match column {
            Column::What => match event.what {
                What::Loaded => "loaded".to_owned(),
                What::Kept(addr) => format!("stored {}", self.slot(addr)),
                What::Read(addr) => format!("read {}", self.slot(addr)),
                What::Used if event.times == event.lanes.count() => "used".to_owned(),
                What::Used => format!("used in {} products", event.times),
                What::Stored => "result stored".to_owned(),
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
        let mut stages = vec![Stage { text: format!("load {what}"), at: term.load.loaded }];
        if let Some(slot) = term.load.shared {
            let name = self.slot(slot.addr);
            stages.push(Stage { text: format!("store {name}"), at: slot.stored });
            stages.push(Stage { text: format!("read {name}"), at: slot.read });
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
        let arrays = &self.program.shared;
        let array = arrays.iter().find(|array| addr.wrapping_sub(array.offset) < array.bytes);
        let element = self.problem.shared_element(self.program, addr.into());
        match (element, array) {
            (Some((name, row, column)), _) if self.problem.staged_in(name).is_some() => {
                format!("{name}[{row}][{column}]")
            }
            (_, Some(array)) => array.element(addr - array.offset, 4),
            (_, None) => format!("byte {addr}"),
        }
    }

    /// A word of one of the module's variables.
    fn variable(self, addr: u64) -> String {
        let mut variables = self.program.variables.iter();
        let found = variables.find(|variable| addr.wrapping_sub(variable.base) < variable.bytes);
        match found {
            Some(variable) => format!("{}[{}]", variable.name, (addr - variable.base) / 4),
            None => format!("{addr:#x}"),
        }
    }

    fn line(self, at: At) -> String {
        self.program.inst(at.pc).line.map_or_else(String::new, |line| line.to_string())
    }

    /// The heading and the table: everything that is known, as text.
    pub fn text(self, answer: &Answer, element: Element) -> String {
        let mut text = String::new();
        for line in answer.heading(element, self.problem.launch().grid, usize::MAX) {
            let _ = writeln!(text, "{line}");
        }
        text += "simulated\n";
        if answer.rows() > 0 {
            text.push('\n');
            text += &self.table(answer);
        }
        text
    }

    /// Every column that says something, and how wide it is.
    pub fn widths(self, answer: &Answer) -> Vec<(Column, u16)> {
        let cells = |column| (0..answer.rows()).map(move |row| answer.cell(row, column, self));
        let widest = |column: Column| {
            let cells = cells(column).map(|cell| cell.len());
            cells.chain([column.title().len()]).max().unwrap_or(0) as u16
        };
        answer.columns().into_iter().map(|column| (column, widest(column))).collect()
    }

    fn table(self, answer: &Answer) -> String {
        let columns = self.widths(answer);
        let line = |cell: &dyn Fn(Column) -> String| {
            let cells = columns.iter().map(|(column, width)| column.padded(&cell(*column), *width));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        let titles = line(&|column| column.title().to_owned());
        let rows = (0..answer.rows()).map(|row| line(&|column| answer.cell(row, column, self)));
        titles + &rows.collect::<String>()
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
