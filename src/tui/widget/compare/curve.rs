//! What a run has cost after each step along k.

use crate::trace::RunCost;

/// A run's costs over the work done.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// The costs recorded so far, ascending.
    pub costs: &'a [RunCost],
    /// Multiply-adds of the block for one step along k.
    pub per_k: f64,
    /// Blocks that together compute as much of C as the other kernel's block.
    pub blocks: f64,
}

impl Curve<'_> {
    /// Returns the cost once the block has done `k` steps along k, as far as that is recorded.
    pub(super) fn at(&self, k: f64, of: fn(&RunCost) -> u32) -> Option<f64> {
        // Half a multiply-add less: the product may be off by a rounding error.
        let work = k * self.per_k - 0.5;
        let point = self.costs.partition_point(|cost| f64::from(cost.fma) < work);
        self.costs.get(point).map(|cost| f64::from(of(cost)) * self.blocks)
    }

    pub(super) fn last(&self, of: fn(&RunCost) -> u32) -> f64 {
        self.costs.last().map_or(0.0, |cost| f64::from(of(cost)) * self.blocks)
    }
}

/// How two curves lie to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CurveRelation {
    /// Not yet known: a run is not recorded to its end.
    Unknown,
    /// Both have cost as much at every k.
    Equal,
    /// One of the two (0 or 1) has cost less at every k.
    Always(usize),
    /// One of the two has cost less at some k, and as much at the others.
    Never(usize),
    /// One of the two has cost more at first, and less from this k on.
    From(usize, u32),
    /// Both have cost as much up to this k, and one of the two less at each one from then on.
    After(usize, u32),
}

/// Compares the curves of two runs up to `k` steps along k.
pub(super) fn course(curves: [Curve<'_>; 2], k: u32, of: fn(&RunCost) -> u32) -> CurveRelation {
    let both = |k: u32| {
        let [left, right] = curves.map(|curve| curve.at(f64::from(k), of));
        left.zip(right)
    };
    let signs: Option<Vec<_>> =
        (1..=k).map(|k| both(k).map(|(left, right)| left.total_cmp(&right))).collect();
    let Some(signs) = signs else { return CurveRelation::Unknown };
    let Some(last) = signs.iter().rfind(|sign| sign.is_ne()).copied() else {
        return CurveRelation::Equal;
    };
    let better = usize::from(last.is_gt());
    match signs.iter().rposition(|sign| *sign == last.reverse()) {
        None => {
            let alike = signs.iter().take_while(|sign| sign.is_eq()).count();
            match (alike, signs[alike..].iter().all(|sign| sign.is_ne())) {
                (0, true) => CurveRelation::Always(better),
                (alike, true) => CurveRelation::After(better, alike as u32),
                (_, false) => CurveRelation::Never(better),
            }
        }
        // Signs are counted from k = 1.
        Some(before) => CurveRelation::From(better, before as u32 + 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point at each step along k, with a multiply-add each.
    fn costs(sectors: impl Fn(u32) -> u32) -> Vec<RunCost> {
        (0..=16).map(|fma| RunCost { fma, sectors: sectors(fma), passes: 0 }).collect()
    }

    fn compared(left: impl Fn(u32) -> u32, right: impl Fn(u32) -> u32) -> CurveRelation {
        let (left, right) = (costs(left), costs(right));
        let curve = |costs| Curve { costs, per_k: 1.0, blocks: 1.0 };
        course([curve(&left), curve(&right)], 16, |cost| cost.sectors)
    }

    #[test]
    fn a_loan_is_paid_back_where_the_curves_cross() {
        assert_eq!(compared(|k| 32 * k, |_| 100), CurveRelation::From(1, 4));
        assert_eq!(compared(|_| 100, |k| 32 * k), CurveRelation::From(0, 4));
        assert_eq!(compared(|k| 32 * k, |k| 3 * k), CurveRelation::Always(1));
        assert_eq!(compared(|k| k, |k| k), CurveRelation::Equal);
        assert_eq!(compared(|k| k.max(8), |k| k.clamp(4, 15)), CurveRelation::Never(1));
        // What a tile of 16 fetches in two parts, one of 8 has fetched by then as well.
        assert_eq!(compared(|k| if k > 8 { 64 } else { 32 }, |_| 32), CurveRelation::After(1, 8));
    }

    #[test]
    fn nothing_is_said_of_runs_that_are_not_recorded_to_their_end() {
        let all = costs(|k| k);
        let curve = |costs| Curve { costs, per_k: 1.0, blocks: 1.0 };
        assert_eq!(
            course([curve(&all), curve(&all[..9])], 16, |cost| cost.sectors),
            CurveRelation::Unknown
        );
    }

    #[test]
    fn a_curve_ends_where_the_recording_does() {
        let costs = costs(|k| 5 * k);
        let curve = Curve { costs: &costs, per_k: 2.0, blocks: 4.0 };
        assert_eq!(curve.at(0.0, |cost| cost.sectors), Some(0.0));
        assert_eq!(curve.at(1.5, |cost| cost.sectors), Some(60.0));
        assert_eq!(curve.at(9.0, |cost| cost.sectors), None);
    }
}
