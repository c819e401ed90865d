//! After how many rounds a comparison of changing values flips.

use super::motion::Motion;
use crate::sim::program::Reg;
use ptx::{Compare, Type};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The most rounds for which a float sum is followed; float32 stalls long before.
const MOST: u64 = 1 << 26;

/// A comparison in one lane whose sides change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Turn {
    pub(super) compare: Compare,
    pub(super) ty: Type,
    pub(super) lane: usize,
    pub(super) sides: [ComparedSide; 2],
}

/// A side of a comparison: its value in this round, and its motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ComparedSide {
    pub(super) value: u64,
    pub(super) motion: Motion,
}

/// The addends of float sums, for each register and lane.
pub(super) type Sums = HashMap<Reg, [Option<u64>; 32]>;

impl Turn {
    /// The first later round in which it flips, if there is one; `None` if that is unknown.
    #[expect(clippy::option_option, reason = "it is not known, or never")]
    pub(super) fn after(&self, sums: &Sums, known: &mut Known) -> Option<Option<u64>> {
        if !self.ty.is_float() {
            return self.of_integers();
        }
        let sum = self.as_sum(sums)?;
        Some(*known.entry(sum).or_insert_with(|| sum.turns()))
    }

    /// The comparison of a float sum with a constant bound.
    fn as_sum(&self, sums: &Sums) -> Option<FloatInduction> {
        let addend = |side: &ComparedSide| match side.motion {
            Motion::By { head: Some(head), .. } | Motion::Plus { head, .. } => {
                sums.get(&head)?[self.lane]
            }
            _ => None,
        };
        let Self { compare, ty, sides: [a, b], .. } = *self;
        let (start, addend, bound, is_first) = match (addend(&a), addend(&b)) {
            (Some(by), None) if b.motion.stays() => (a.value, by, b.value, true),
            (None, Some(by)) if a.motion.stays() => (b.value, by, a.value, false),
            _ => return None,
        };
        Some(FloatInduction { compare, is_double: ty == Type::F64, start, addend, bound, is_first })
    }

    #[expect(clippy::option_option, reason = "it is not known, or never")]
    fn of_integers(&self) -> Option<Option<u64>> {
        let bits = self.ty.bits();
        let [a, b] = self.sides.map(|side| Ring { value: side.value, bits }.wrapped());
        let [by_a, by_b] = [self.sides[0].step()?, self.sides[1].step()?];
        let all = u64::MAX >> (64 - bits);
        let (compare, a, b, by) = match self.compare {
            Compare::Eq | Compare::Ne => {
                (Compare::Eq, a.wrapping_sub(b) & all, 0, by_a.wrapping_sub(by_b) & all)
            }
            compare if by_b & all == 0 => (compare, a, b, by_a & all),
            compare if by_a & all == 0 => (mirrored(compare), b, a, by_b & all),
            _ => return None,
        };
        // Maps signed numbers to unsigned ones in the same order.
        let bias = if self.ty.is_signed() && compare != Compare::Eq { 1 << (bits - 1) } else { 0 };
        let (a, b) = (a.wrapping_add(bias) & all, b.wrapping_add(bias) & all);
        // It holds for the values from `low` to `high`, if any.
        let range = match compare {
            Compare::Eq => Some((b, b)),
            Compare::Lt => b.checked_sub(1).map(|high| (0, high)),
            Compare::Le => Some((0, b)),
            Compare::Gt => (b < all).then(|| (b + 1, all)),
            Compare::Ge => Some((b, all)),
            _ => return None,
        };
        let Some((low, high)) = range.filter(|range| *range != (0, all)) else {
            return Some(None);
        };
        // On a ring, where it does not hold is a range too.
        let (low, high) = if (low..=high).contains(&a) {
            (high.wrapping_add(1) & all, low.wrapping_sub(1) & all)
        } else {
            (low, high)
        };
        let from_here = |place: u64| u128::from(place.wrapping_sub(a) & all);
        let found = first_within(by.into(), 1 << bits, from_here(low), from_here(high));
        Some(found.map(|rounds| u64::try_from(rounds).unwrap_or(u64::MAX)))
    }
}

/// A float sum that is compared with a bound in each round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FloatInduction {
    compare: Compare,
    is_double: bool,
    start: u64,
    addend: u64,
    bound: u64,
    /// Whether the sum is the first of the two that are compared.
    is_first: bool,
}

/// When sums flip, cached: most lanes have the same sum.
pub(super) type Known = HashMap<FloatInduction, Option<u64>>;

impl FloatInduction {
    fn turns(&self) -> Option<u64> {
        let bits = |value: u64| f32::from_bits(value as u32);
        if self.is_double {
            let [start, addend, bound] = [self.start, self.addend, self.bound].map(f64::from_bits);
            self.follow((start, bound), |value| value + addend)
        } else {
            let [start, addend, bound] = [self.start, self.addend, self.bound].map(bits);
            self.follow((start, bound), |value| value + addend)
        }
    }

    /// Adds round by round until the comparison flips or the sum stalls.
    fn follow<F: PartialOrd + Copy>(
        &self,
        (start, bound): (F, F),
        next: impl Fn(F) -> F,
    ) -> Option<u64> {
        let holds = |value: F| {
            let (a, b) = if self.is_first { (value, bound) } else { (bound, value) };
            holds(self.compare, a.partial_cmp(&b))
        };
        let (mut value, before) = (start, holds(start));
        for round in 1..=MOST {
            let sum = next(value);
            if holds(sum) != before {
                return Some(round);
            }
            // NaN stays NaN.
            if sum == value || sum.partial_cmp(&sum).is_none() {
                return None;
            }
            value = sum;
        }
        Some(MOST + 1)
    }
}

impl ComparedSide {
    fn step(&self) -> Option<u64> {
        self.motion.step()
    }
}

/// A value of so many bits.
struct Ring {
    value: u64,
    bits: u32,
}

impl Ring {
    const fn wrapped(&self) -> u64 {
        self.value & u64::MAX >> (64 - self.bits)
    }
}

/// The comparison with its sides exchanged.
const fn mirrored(compare: Compare) -> Compare {
    match compare {
        Compare::Lt => Compare::Gt,
        Compare::Le => Compare::Ge,
        Compare::Gt => Compare::Lt,
        Compare::Ge => Compare::Le,
        other => other,
    }
}

/// Whether a comparison of floats holds; they have no order if one of them is NaN.
fn holds(compare: Compare, order: Option<Ordering>) -> bool {
    let is = |of: fn(Ordering) -> bool| order.is_some_and(of);
    let or_nan = |of: fn(Ordering) -> bool| order.is_none_or(of);
    match compare {
        Compare::Eq => is(Ordering::is_eq),
        Compare::Ne => is(Ordering::is_ne),
        Compare::Lt => is(Ordering::is_lt),
        Compare::Le => is(Ordering::is_le),
        Compare::Gt => is(Ordering::is_gt),
        Compare::Ge => is(Ordering::is_ge),
        Compare::EqU => or_nan(Ordering::is_eq),
        Compare::NeU => or_nan(Ordering::is_ne),
        Compare::LtU => or_nan(Ordering::is_lt),
        Compare::LeU => or_nan(Ordering::is_le),
        Compare::GtU => or_nan(Ordering::is_gt),
        Compare::GeU => or_nan(Ordering::is_ge),
        Compare::Num => order.is_some(),
        Compare::Nan => order.is_none(),
    }
}

/// The least `k` for which `k * by` modulo `of` lies between `low` and `high`, if there is one. If no
/// multiple hits the range before the first wrap, recurses on the remainders as in Euclid's algorithm.
fn first_within(by: u128, of: u128, low: u128, high: u128) -> Option<u128> {
    let by = by % of;
    if low == 0 {
        return Some(0);
    }
    if by == 0 {
        return None;
    }
    let first = low.div_ceil(by);
    if first * by <= high {
        return Some(first);
    }
    // `low..=high` has no multiple of `by`: finds the number of wraps that brings one there.
    let rest = |value: u128| (by - value % by) % by;
    let around = first_within(of % by, by, rest(high), rest(low))?;
    Some((low + of * around).div_ceil(by))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by trial.
    fn tried(by: u128, of: u128, low: u128, high: u128) -> Option<u128> {
        (0..of).find(|k| (low..=high).contains(&(k * by % of)))
    }

    proptest! {
        #[test]
        fn the_first_multiple_within_bounds_is_found(
            of in 1_u128..200, by in 0_u128..200, ends in any::<[u8; 2]>()
        ) {
            let mut ends = ends.map(|end| u128::from(end) % of);
            ends.sort_unstable();
            let [low, high] = ends;
            prop_assert_eq!(first_within(by, of, low, high), tried(by, of, low, high));
        }

        /// Comparisons of bytes are tried in every round until they come back.
        #[test]
        fn a_comparison_turns_when_it_does(
            values in any::<[u8; 2]>(), steps in any::<[u8; 2]>(), compare in 0_usize..6,
            signed in any::<bool>(), second in any::<bool>()
        ) {
            let all = [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];
            let (compare, ty) = (all[compare], if signed { Type::S8 } else { Type::U8 });
            let steps = match compare {
                Compare::Eq | Compare::Ne => steps,
                _ if second => [0, steps[1]],
                _ => [steps[0], 0],
            };
            let side = |side: usize| ComparedSide {
                value: values[side].into(),
                motion: Motion::moving(steps[side].into()),
            };
            let turn = Turn { compare, ty, lane: 0, sides: [side(0), side(1)] };
            let at = |round: u32| {
                let value = |side: usize| {
                    values[side].wrapping_add(steps[side].wrapping_mul(round as u8))
                };
                let of = |value: u8| if signed { f64::from(value as i8) } else { value.into() };
                holds(compare, of(value(0)).partial_cmp(&of(value(1))))
            };
            let expected = (1..=256).find(|round| at(*round) != at(0)).map(u64::from);
            prop_assert_eq!(turn.after(&Sums::new(), &mut Known::new()), Some(expected));
        }
    }
}
