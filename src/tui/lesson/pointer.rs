//! What a learner can point at on the picture to answer.

use crate::lesson::question::{Question, Sort};
use crate::lesson::thing::{Thing, View};
use crate::matrix::{Element, Operand};
use crate::report::pointed::Point;

/// Returns the first target of the kind that a question asks for, which gives no hint at the answer.
pub fn kind(question: &Question) -> Option<Thing> {
    let pointed = question.pointed.as_ref()?;
    Some(match pointed.sort {
        Sort::Element => element(pointed.operand.unwrap_or(Operand::C), 0, 0),
        Sort::Thread => Thing::Thread { x: 0, y: 0 },
        Sort::Warp => Thing::Warp(0),
        Sort::Lane => Thing::Lane(0),
        Sort::Bank => Thing::Bank(0),
        Sort::Word => Thing::Word { array: pointed.arrays.first()?.0.clone(), index: 0 },
        Sort::Sector => Thing::Sector(0),
        Sort::Line => Thing::Line(1),
        Sort::Panel => Thing::Panel(View::Matrices),
    })
}

const fn element(operand: Operand, row: u32, column: u32) -> Thing {
    Thing::Element(Element { operand, row, column })
}

/// Returns the thing of the same kind whose numbers are typed: `35,37`, or `21`.
pub fn typed(kind: &Thing, typed: &str) -> Option<Thing> {
    let (first, second) = typed.split_once(',').unwrap_or((typed, ""));
    let first = first.parse().ok()?;
    let second = if second.is_empty() { 0 } else { second.parse().ok()? };
    Some(match kind {
        Thing::Element(of) => element(of.operand, first, second),
        Thing::Thread { .. } => Thing::Thread { x: first, y: second },
        Thing::Warp(_) => Thing::Warp(first),
        Thing::Lane(_) => Thing::Lane(first),
        Thing::Bank(_) => Thing::Bank(first),
        Thing::Word { array, .. } => Thing::Word { array: array.clone(), index: first },
        Thing::Sector(_) => Thing::Sector(first),
        Thing::Line(_) => Thing::Line(first),
        Thing::Panel(_) => Thing::Panel(View::find(&first.to_string())?),
    })
}

/// Returns the thing of this kind that a click has hit, if its kind needs no more to be known.
pub fn of_point(kind: &Thing, point: Point) -> Option<Thing> {
    match (kind, point) {
        (Thing::Element(_), Point::Element(element)) => Some(Thing::Element(element)),
        (Thing::Warp(_), Point::Lane { warp, .. }) => Some(Thing::Warp(warp as u32)),
        (Thing::Lane(_), Point::Lane { lane, .. }) => Some(Thing::Lane(lane as u32)),
        (Thing::Bank(_), Point::Bank(bank)) => Some(Thing::Bank(bank as u32)),
        (Thing::Line(_), Point::Token(spot)) => Some(Thing::Line(spot.line)),
        _ => None,
    }
}
