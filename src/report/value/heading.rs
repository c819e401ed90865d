//! A summary of an answer in a few lines, the most important first.

use crate::launch::{Dim3, Launch};
use crate::matrix::{Element, Operand};
use crate::report::number::{Count, Range, grouped};
use crate::study::value::{ElementSource, ElementUses, Known, SumKind, Term, Total, ValueAnswer};
use crate::trace::provenance::LaneStep;

impl ValueAnswer {
    /// The summary line by line, the most important first; in fewer words if a line would be longer
    /// than `width`.
    pub fn heading(&self, width: usize) -> Vec<String> {
        let (element, launch) = (self.element(), self.question.problem.launch);
        let grid = launch.grid;
        match &self.known {
            Known::Came(came) => came.heading(launch, width),
            Known::Went(went) => went.heading(grid, width),
            Known::Nobody(run, of) if run == of => {
                vec![format!("No block stores {element}.")]
            }
            Known::Nobody(run, of) => vec![format!(
                "{} of {} blocks were asked: none stores {element}.",
                grouped(*run),
                grouped(*of)
            )],
        }
    }
}

impl ElementSource {
    fn heading(&self, launch: Launch, width: usize) -> Vec<String> {
        let wordings = ["sum over k of A[{i}][k] x", "sum of A[{i}][k] x", "sum A[{i}][k]"];
        let mut formulas = wordings.map(|wording| self.formula(wording)).into_iter();
        let fitting = formulas.find(|formula| formula.len() <= width);
        let formula = fitting.unwrap_or_else(|| self.formula(wordings[1]));
        let products = self.products();
        let tiles = Count(self.rounds.into(), "tile");
        let tiles = if self.rounds > 1 { format!(" in {tiles}") } else { String::new() };
        let (place, LaneStep { warp, lane, .. }) = (self.block.place_in(launch.grid), self.stored);
        // The warps of blocks that run together are numbered through.
        let warp = u32::from(warp) % launch.warps();
        vec![
            formula,
            format!("{products}{tiles}"),
            format!("by warp {warp}, lane {lane} of block ({place})"),
        ]
    }

    /// The number of products, if the terms are products, and of other loads.
    fn products(&self) -> String {
        let count = |operand| self.terms.iter().filter(move |term| term.is(operand)).count() as u64;
        let loads = self.terms.len() as u64;
        match self.sum {
            SumKind::Product | SumKind::Added | SumKind::Part(..) => {
                let products = match self.sum {
                    SumKind::Part(found, of) => {
                        format!("{found} of {}", Count(of.into(), "product"))
                    }
                    _ => Count(count(Some(Operand::A)), "product").to_string(),
                };
                match count(None) {
                    0 => products,
                    others => format!("{products}, {}", Count(others, "other load")),
                }
            }
            SumKind::Wrong(_) | SumKind::Cut => Count(loads, "load").to_string(),
        }
    }

    /// The formula, with the sum in one of several wordings.
    fn formula(&self, sum_of: &str) -> String {
        let Element { row, column, .. } = self.element;
        let of = self.element;
        let sum = format!("{} B[k][{column}]", sum_of.replace("{i}", &row.to_string()));
        match &self.sum {
            SumKind::Product => format!("{of} = {sum}"),
            SumKind::Added => format!("{of} = {of} + {sum}"),
            SumKind::Part(..) => format!("{of} += part of the {sum}"),
            SumKind::Wrong(what) => format!("{of} is not its sum: {what}"),
            SumKind::Cut => format!("{of}: its last {} loads", grouped(self.terms.len() as u64)),
        }
    }
}

impl Term {
    fn is(&self, operand: Option<Operand>) -> bool {
        self.element.map(|element| element.operand) == operand
    }
}

impl ElementUses {
    fn heading(&self, grid: Dim3, width: usize) -> Vec<String> {
        let (total, of) = (self.total, self.element);
        if total.fetched == 0 {
            let load = if total.run == 1 { "loads" } else { "load" };
            return vec![format!("{of}: none of {} {load} it", Count(total.run, "block"))];
        }
        let place = self.block.place_in(grid);
        vec![
            self.loaded(&place, width),
            self.used(),
            self.in_grid(width),
            format!("block ({place}): into {}", region(&self.outputs)),
        ]
    }

    /// The requests by which the block described loads it, and the lanes for which they do.
    fn loaded(&self, place: &str, width: usize) -> String {
        let (lanes, requests) = self.here.fetched();
        let of = if requests == 1 { "of a warp" } else { "of warps" };
        let (lanes, requests) = (Count(lanes, "lane"), Count(requests, "request"));
        let element = self.element;
        let long = format!("{element}: block ({place}) loads it in {requests} {of}, for {lanes}");
        if long.len() > width { format!("block ({place}): {requests}, {lanes}") } else { long }
    }

    /// The number of uses in the block described, and of uses for each request and each of its lanes:
    /// the reuse.
    fn used(&self) -> String {
        let ((lanes, requests), (used, _)) = (self.here.fetched(), self.here.used());
        let each = |of: u64| {
            let about = if used.is_multiple_of(of.max(1)) { "" } else { "about " };
            format!("{about}{}", grouped(used / of.max(1)))
        };
        let (request, lane) = (each(requests), each(lanes));
        format!("used {}: {request} for each request, {lane} for each lane", Count(used, "time"))
    }

    /// The same over the grid: of all blocks, or of those that have been run so far.
    fn in_grid(&self, width: usize) -> String {
        let Total { run, of, fetching, fetched, requests, used, .. } = self.in_all();
        let (lanes, requests) = (Count(fetched, "lane"), Count(requests, "request"));
        let few = format!("{requests}, {lanes}, {}", Count(used, "use"));
        let all = format!("{requests}, for {lanes}, used {}", Count(used, "time"));
        let [long, short] = if run < of {
            let blocks = format!("{} of {} blocks so far", grouped(run), grouped(of));
            [format!("{blocks}: {all}"), format!("{blocks}: {few}")]
        } else {
            let blocks = Count(fetching, "block");
            let load = if fetching == 1 { "loads" } else { "load" };
            [format!("in the grid {blocks} {load} it: {all}"), format!("grid: {few}")]
        };
        if long.len() > width { short } else { long }
    }
}

/// The bounding box of these elements of one matrix: `C[5][16-31]`.
fn region(elements: &[Element]) -> String {
    let span = |of: fn(&Element) -> u32| Range::around(elements.iter().map(|e| of(e).into()));
    let (Some(rows), Some(columns)) = (span(|e| e.row), span(|e| e.column)) else {
        return "nothing".to_owned();
    };
    let first = elements[0].operand;
    let alike = elements.iter().all(|element| element.operand == first);
    format!("{}[{rows}][{columns}]", if alike { first } else { Operand::C }.name())
}
