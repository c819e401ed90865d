//! Finds what is wrong with a version, one thing after the other.

mod costly;
mod found;
mod product;

use super::mistake::{Mistake, MistakeKind};
use super::run::JudgedStage;
use crate::sim::Order;
use crate::work::WorkToken;

/// All mistakes in the order of their kinds, with places in runs in this order of the warps; or
/// `None` as soon as it is cancelled.
pub(super) fn mistakes(
    judged: &[JudgedStage<'_>],
    order: &Order,
    token: &WorkToken,
) -> Option<Vec<Mistake>> {
    let mut all = Vec::new();
    for run in judged {
        if token.is_cancelled() {
            return None;
        }
        // What was found at another size as well is one mistake; two of one run are two.
        let known: Vec<_> = all.iter().map(place_of).collect();
        let found = found::mistakes(run, order).into_iter();
        all.extend(found.filter(|mistake| !known.contains(&place_of(mistake))));
        // Of several sizes the first is enough; and what a block that cannot continue leaves
        // undone is no mistake of its own.
        let says = |mistake: &Mistake| {
            matches!(mistake.kind, MistakeKind::WrongProduct | MistakeKind::Fault)
        };
        if !all.iter().any(says) {
            all.extend(product::mistake(run, order));
        }
    }
    if let Some(first) = judged.first() {
        all.extend(costly::mistakes(first, order));
    }
    all.sort_by_key(|mistake| mistake.kind);
    Some(all)
}

fn place_of(mistake: &Mistake) -> (MistakeKind, Option<u32>) {
    (mistake.kind, mistake.line)
}
