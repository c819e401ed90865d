//! What a learner can point at on the picture to answer.

use crate::lesson::question::{Question, TargetKind};
use crate::lesson::target::{Target, View};
use crate::matrix::{Element, Operand};
use crate::report::pointed::PointedAt;
use crate::tui::layout::text::position;

/// Returns the first target of the kind that a question asks for, which gives no hint at the answer.
pub fn kind(question: &Question) -> Option<Target> {
    let pointed = question.pointed.as_ref()?;
    Some(match pointed.kind {
        TargetKind::Element => element(pointed.operand.unwrap_or(Operand::C), 0, 0),
        TargetKind::Thread => Target::Thread { x: 0, y: 0 },
        TargetKind::Warp => Target::Warp(0),
        TargetKind::Lane => Target::Lane(0),
        TargetKind::Bank => Target::Bank(0),
        TargetKind::Word => Target::Word { array: pointed.arrays.first()?.0.clone(), index: 0 },
        TargetKind::Sector => Target::Sector(0),
        TargetKind::Line => Target::Line(1),
        TargetKind::Panel => Target::Panel(View::Matrices),
    })
}

const fn element(operand: Operand, row: u32, column: u32) -> Target {
    Target::Element(Element { operand, row, column })
}

/// Returns the thing of the same kind whose numbers are typed: `35,37`, or `21`.
pub fn typed(kind: &Target, typed: &str) -> Option<Target> {
    let (first, second) =
        position(typed).filter(|_| !typed.starts_with(',') && !typed.is_empty())?;
    Some(match kind {
        Target::Element(of) => element(of.operand, first, second),
        Target::Thread { .. } => Target::Thread { x: first, y: second },
        Target::Warp(_) => Target::Warp(first),
        Target::Lane(_) => Target::Lane(first),
        Target::Bank(_) => Target::Bank(first),
        Target::Word { array, .. } => Target::Word { array: array.clone(), index: first },
        Target::Sector(_) => Target::Sector(first),
        Target::Line(_) => Target::Line(first),
        Target::Panel(_) => Target::Panel(View::find(&first.to_string())?),
    })
}

/// Returns the thing of this kind that a click has hit, if its kind needs no more to be known.
pub fn of_point(kind: &Target, point: PointedAt) -> Option<Target> {
    match (kind, point) {
        (Target::Element(_), PointedAt::Element(element)) => Some(Target::Element(element)),
        (Target::Warp(_), PointedAt::Lane { warp, .. }) => Some(Target::Warp(warp as u32)),
        (Target::Lane(_), PointedAt::Lane { lane, .. }) => Some(Target::Lane(lane as u32)),
        (Target::Bank(_), PointedAt::Bank(bank)) => Some(Target::Bank(bank as u32)),
        (Target::Line(_), PointedAt::Token(spot)) => Some(Target::Line(spot.line)),
        _ => None,
    }
}
