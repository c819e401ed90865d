//! Dominators of a graph: the nodes through which every path to a node passes. In a reversed graph
//! they are the post-dominators.

use super::graph::Graph;

/// The dominator tree of a graph with one entry.
#[derive(Debug)]
pub struct Dominators {
    /// The immediate dominator of each node; the entry is its own.
    above: Vec<Option<usize>>,
    rank: Vec<Option<usize>>,
}

impl Dominators {
    /// Computes the dominators (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm",
    /// 2001).
    pub fn of(graph: &Graph) -> Self {
        let mut found = Self { above: vec![None; graph.next.len()], rank: graph.rank.clone() };
        let entry = graph.order[0];
        found.above[entry] = Some(entry);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for node in graph.order[1..].iter().copied() {
                let known = graph.before[node].iter().filter(|node| found.above[**node].is_some());
                let nearest = known.copied().reduce(|a, b| found.nearest_common(a, b));
                changed |= nearest != found.above[node];
                found.above[node] = nearest;
            }
        }
        found
    }

    /// The nearest common dominator of two nodes.
    fn nearest_common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            let later = if self.rank[a] > self.rank[b] { &mut a } else { &mut b };
            *later = self.above[*later].expect("only nodes with a dominator are compared");
        }
        a
    }

    /// The immediate dominator of `node`, or `None` if it is unreachable. The entry is its own.
    pub fn nearest(&self, node: usize) -> Option<usize> {
        self.above[node]
    }

    /// Whether every path to `b` passes through `a`.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        self.above[a].is_some() && self.above[b].is_some() && self.nearest_common(a, b) == a
    }
}
