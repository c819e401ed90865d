//! Chooses a variant by a seed, so that neighbours have different ones.

/// The index of one of `count` variants: seeds that follow each other never have the same one,
/// unless there is only one.
pub(in crate::lesson) fn choose(count: usize, seed: u64) -> usize {
    let count = count.max(1) as u64;
    let index = u128::from(seed) * u128::from(stride(count)) % u128::from(count);
    usize::try_from(index).unwrap_or_default()
}

/// A step around a circle of `count` places that visits all of them. It is long, so that the first
/// of several things that vary (the slowest in their product) changes between neighbours as well.
fn stride(count: u64) -> u64 {
    let long = count * 5 / 8;
    (long.max(1)..=count).find(|step| divisor(*step, count) == 1).unwrap_or(1)
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn neighbours_differ_and_all_variants_are_seen() {
        for count in 2..=64 {
            let chosen = |seed| choose(count, seed);
            assert!((0..200).all(|seed| chosen(seed) != chosen(seed + 1)), "{count}");
            let seen: BTreeSet<_> = (7..7 + count as u64).map(chosen).collect();
            assert_eq!(seen, (0..count).collect());
        }
        assert_eq!(choose(1, u64::MAX), 0);
        assert_eq!(choose(0, 3), 0);
    }

    #[test]
    fn neighbours_differ_in_the_slowest_of_two_things() {
        // Three sizes with three warps each, the warps running fastest.
        let sizes: Vec<_> = (0..9).map(|seed| choose(9, seed) / 3).collect();
        let alike = sizes.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!(alike <= 2, "{sizes:?}");
    }
}
