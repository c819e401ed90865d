//! A set of small numbers: one bit for each.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set(Vec<u64>);

impl Set {
    /// The empty set, for numbers below `numbers`.
    pub fn empty(numbers: usize) -> Self {
        Self(vec![0; numbers.div_ceil(64)])
    }

    pub fn put(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Takes a number out.
    pub fn take(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    pub fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    /// Adds the numbers of another.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Takes out the numbers of another.
    pub fn remove(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine &= !theirs);
    }

    /// Its numbers, ascending.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        (0..).step_by(64).zip(&self.0).flat_map(|(first, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(first + bit)
            })
        })
    }
}
