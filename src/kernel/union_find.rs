//! Values that are copies of each other: disjoint sets, joined one pair at a time.

/// Disjoint sets of numbers (union-find).
pub(super) struct UnionFind {
    /// For each number, another of its set, nearer to the one that stands for it.
    towards: Vec<usize>,
}

impl UnionFind {
    /// Numbers below `count`, each alone.
    pub(super) fn of(count: usize) -> Self {
        Self { towards: (0..count).collect() }
    }

    /// Joins the sets of two numbers.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.shortened(a), self.shortened(b));
        self.towards[a.max(b)] = a.min(b);
    }

    /// Like [`Self::class`], and leaves shorter ways there.
    fn shortened(&mut self, number: usize) -> usize {
        let mut at = number;
        while self.towards[at] != at {
            self.towards[at] = self.towards[self.towards[at]];
            at = self.towards[at];
        }
        at
    }

    /// The number that stands for a set.
    pub(super) fn class(&self, number: usize) -> usize {
        let mut at = number;
        while self.towards[at] != at {
            at = self.towards[at];
        }
        at
    }
}
