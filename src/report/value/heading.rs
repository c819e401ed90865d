//! A summary of an answer in a few lines, the most important first.

use crate::launch::{Dim3, Launch};
use crate::matrix::{Element, Operand};
use crate::report::number::{Count, Range, grouped};
use crate::study::value::{Answer, Came, Known, Sum, Term, Total, Went};
use crate::trace::provenance::At;

impl Answer {
    /// The summary line by line, the most important first; in fewer words if a line would be longer
    /// than `width`.
    pub fn heading(&self, width: usize) -> Vec<String> {
        let (element, launch) = (self.element(), self.question.problem.launch());
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

impl Came {
    fn heading(&self, launch: Launch, width: usize) -> Vec<String> {
        let wordings = ["sum over k of A[{i}][k] x", "sum of A[{i}][k] x", "sum A[{i}][k]"];
        let mut formulas = wordings.map(|wording| self.formula(wording)).into_iter();
        let fitting = formulas.find(|formula| formula.len() <= width);
        let formula = fitting.unwrap_or_else(|| self.formula(wordings[1]));
        let products = self.products();
        let tiles = Count(self.rounds.into(), "tile");
        let tiles = if self.rounds > 1 { format!(" in {tiles}") } else { String::new() };
        let (place, At { warp, lane, .. }) = (self.block.place_in(launch.grid), self.stored);
        // In a cluster the warps are numbered through.
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
            Sum::Product | Sum::Added | Sum::Part(..) => {
                let products = match self.sum {
                    Sum::Part(found, of) => format!("{found} of {}", Count(of.into(), "product")),
                    _ => Count(count(Some(Operand::A)), "product").to_string(),
                };
                match count(None) {
                    0 => products,
                    others => format!("{products}, {}", Count(others, "other load")),
                }
            }
            Sum::Wrong(_) | Sum::Cut => Count(loads, "load").to_string(),
        }
    }

    /// The formula, with the sum in one of several wordings.
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
            let fetch = if total.run == 1 { "fetches" } else { "fetch" };
            return vec![format!("{of}: none of {} {fetch} it", Count(total.run, "block"))];
        }
        let place = self.block.place_in(grid);
        vec![
            self.fetched(&place, width),
            self.used(),
            self.in_grid(width),
            format!("block ({place}): into {}", region(&self.outputs)),
        ]
    }

    /// What the block described fetches.
    fn fetched(&self, place: &str, width: usize) -> String {
        let (fetched, requests) = self.here.fetched();
        let of = if requests == 1 { "of a warp" } else { "of warps" };
        let (fetched, requests) = (Count(fetched, "time"), Count(requests, "request"));
        let long =
            format!("{}: block ({place}) fetches it {fetched}, in {requests} {of}", self.element);
        if long.len() > width { format!("block ({place}) fetches it {fetched}") } else { long }
    }

    /// The number of uses in the block described, and of uses per fetch: the reuse.
    fn used(&self) -> String {
        let ((fetched, _), (used, _)) = (self.here.fetched(), self.here.used());
        let about = if used.is_multiple_of(fetched.max(1)) { "" } else { "about " };
        let each = grouped(used / fetched.max(1));
        format!("used {}: {about}{each} for each fetch", Count(used, "time"))
    }

    /// The same over the grid: of all blocks, or of those that have been run so far.
    fn in_grid(&self, width: usize) -> String {
        let Total { run, of, fetching, fetched, used, .. } = self.in_all();
        let few = format!("{}, {}", fetches(fetched), Count(used, "use"));
        let (fetched, used) = (Count(fetched, "time"), Count(used, "time"));
        let [long, short] = if run < of {
            let blocks = format!("{} of {} blocks so far", grouped(run), grouped(of));
            [format!("{blocks}: fetched {fetched}, used {used}"), format!("{blocks}: {few}")]
        } else {
            let blocks = Count(fetching, "block");
            let fetch = if fetching == 1 { "fetches" } else { "fetch" };
            [
                format!("in the grid {blocks} {fetch} it: {fetched}, used {used}"),
                format!("grid: {blocks}, {few}"),
            ]
        };
        if long.len() > width { short } else { long }
    }
}

fn fetches(count: u64) -> String {
    if count == 1 { "1 fetch".to_owned() } else { format!("{} fetches", grouped(count)) }
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
