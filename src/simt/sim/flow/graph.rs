//! A directed graph with nodes numbered from 0, traversed in reverse postorder.

/// A directed graph and its order of traversal from its entries.
#[derive(Debug)]
pub struct Graph {
    /// The successors of each node.
    pub next: Vec<Vec<usize>>,
    /// The reachable predecessors of each node.
    pub before: Vec<Vec<usize>>,
    /// The reachable nodes in reverse postorder: each node comes after those that dominate it.
    pub order: Vec<usize>,
    /// For each node its index in `order`, or `None` if it is unreachable.
    pub rank: Vec<Option<usize>>,
}

impl Graph {
    /// Builds the graph with these successors and entries.
    pub fn new(next: Vec<Vec<usize>>, entries: impl IntoIterator<Item = usize>) -> Self {
        let order = reverse_postorder(&next, entries);
        let (mut rank, mut before) = (vec![None; next.len()], vec![Vec::new(); next.len()]);
        for (place, node) in order.iter().copied().enumerate() {
            rank[node] = Some(place);
            for to in &next[node] {
                before[*to].push(node);
            }
        }
        Self { next, before, order, rank }
    }

    /// Builds the graph with these edges, each from one node to another.
    pub fn of_edges(
        edges: impl IntoIterator<Item = (usize, usize)>,
        entries: impl IntoIterator<Item = usize>,
    ) -> Self {
        let entries: Vec<_> = entries.into_iter().collect();
        let mut next = vec![Vec::new(); entries.iter().max().map_or(0, |last| last + 1)];
        for (from, to) in edges {
            next.resize_with(next.len().max(from.max(to) + 1), Vec::new);
            next[from].push(to);
        }
        Self::new(next, entries)
    }

    /// Builds the graph with every edge reversed, for backward analyses.
    pub fn reversed(next: &[Vec<usize>], entries: impl IntoIterator<Item = usize>) -> Self {
        let mut before = vec![Vec::new(); next.len()];
        for (node, next) in next.iter().enumerate() {
            for to in next {
                before[*to].push(node);
            }
        }
        Self::new(before, entries)
    }

    /// Whether `node` is reachable.
    pub fn reaches(&self, node: usize) -> bool {
        self.rank[node].is_some()
    }

    /// Groups the nodes into chains, in ascending order: within a chain, each node's only successor
    /// is the next node, whose only predecessor it is.
    pub fn chains(&self) -> Vec<Vec<usize>> {
        let follower = |node: usize| match self.next[node][..] {
            [next] if self.before[next] == [node] && next != node => Some(next),
            _ => None,
        };
        let mut follows = vec![false; self.next.len()];
        (0..self.next.len()).filter_map(follower).for_each(|node| follows[node] = true);
        let heads = (0..self.next.len()).filter(|node| !follows[*node]);
        heads
            .map(|head| std::iter::successors(Some(head), |node| follower(*node)).collect())
            .collect()
    }
}

fn reverse_postorder(next: &[Vec<usize>], entries: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let (mut seen, mut order) = (vec![false; next.len()], Vec::new());
    for entry in entries {
        let mut stack = Vec::new();
        if !std::mem::replace(&mut seen[entry], true) {
            stack.push((entry, 0));
        }
        while let Some((node, way)) = stack.pop() {
            let Some(to) = next[node].get(way) else {
                order.push(node);
                continue;
            };
            stack.push((node, way + 1));
            if !std::mem::replace(&mut seen[*to], true) {
                stack.push((*to, 0));
            }
        }
    }
    order.reverse();
    order
}
