//! What an answer comes to, in a few lines, the most important first.

use super::{Answer, Came, Sum, Term, Total, Went};
use crate::launch::Dim3;
use crate::matrix::{Element, Operand};
use crate::report::sim::grouped;
use crate::trace::provenance::At;

/// What the terms of the sum are called.
const PRODUCTS: (&str, &str) = ("products", "product");

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
