//! Reduces a schedule: removes pieces as long as the result stays the same.

use super::Search;
use super::played::OrderResult;
use crate::launch::Dim3;
use crate::sim::{Order, Script};
use crate::work::are_stopped;

/// Instructions that the search for a shorter schedule may issue: a second or two.
const MOST: u64 = 5_000_000;

/// Characters of a script that somebody may still read.
const READABLE: usize = 400;

impl Search<'_> {
    /// Returns a run with at most the preemptions of `order` for which `keeps` holds, and from
    /// which no single turn can be removed (delta debugging: Zeller and Hildebrandt, "Simplifying
    /// and Isolating Failure-Inducing Input", 2002), or `None` if `keeps` does not hold for `order`
    /// as a script, or if that has too many turns to be read: the name of an order says more.
    pub(super) fn shorten(
        &self,
        block: Dim3,
        order: &Order,
        keeps: impl Fn(&OrderResult) -> bool,
    ) -> Option<OrderResult> {
        let mut left = MOST;
        let mut best = None;
        let pieces = self.script(block, order.clone());
        fewest(pieces, |pieces| {
            if left == 0 {
                return false;
            }
            let order = match pieces {
                [] => Order::ToBarrier,
                _ => Order::Scripted(Script::new(pieces)),
            };
            let run = self.play(block, order);
            left = left.saturating_sub(run.steps);
            let kept = keeps(&run);
            if kept {
                best = Some(run);
            }
            kept
        });
        // A run that Ctrl-C has stopped says nothing of its order.
        best.filter(|run| !are_stopped() && run.order.to_string().len() <= READABLE)
    }
}

/// Removes ever shorter runs of `all` as long as `still` holds for the rest, which it returns.
fn fewest<T: Clone>(all: Vec<T>, mut still: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let (mut size, mut kept) = (all.len(), all);
    while size > 0 {
        let (mut at, before) = (0, kept.len());
        while at < kept.len() {
            let end = kept.len().min(at + size);
            let fewer = [&kept[..at], &kept[end..]].concat();
            if still(&fewer) {
                kept = fewer;
            } else {
                at = end;
            }
        }
        let again = size == 1 && kept.len() < before;
        size = if again { 1 } else { size / 2 };
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_is_left() {
        let all: Vec<u32> = (0..1000).collect();
        let mut asked = 0;
        let kept = fewest(all, |some| {
            asked += 1;
            [17, 400, 401, 999].iter().all(|wanted| some.contains(wanted))
        });
        assert_eq!(kept, [17, 400, 401, 999]);
        assert!(asked < 200, "{asked}");
        assert_eq!(fewest(vec![1, 2, 3], |_| true), [] as [i32; 0]);
        assert_eq!(fewest(vec![1, 2, 3], |_| false), [1, 2, 3]);
    }
}
