//! A dataflow solver: computes the facts that hold at each node of a graph on every path to it.

use super::graph::Graph;
use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

/// The least fixpoint of a dataflow problem.
#[derive(Debug)]
pub struct Solution<S> {
    /// The fact before each node; `None` if the node is unreachable.
    pub before: Vec<Option<S>>,
    /// The fact after each node.
    pub after: Vec<Option<S>>,
}

/// Solves a forward dataflow problem by iteration to a fixpoint; for a backward problem, pass the
/// reversed graph.
///
/// Paths start at the nodes of `starts`, with the given facts before them. `transfer` is the
/// transfer function: it maps the fact before a node to the fact after it, or to `None` if nothing
/// is to be propagated. `join` merges into the fact before a node what arrives by another path. The
/// facts must form a lattice of finite height, or the iteration may not terminate; `None` is
/// returned after more than `patience` transfers.
///
/// It makes passes over the graph in reverse postorder, visiting the nodes whose input has changed.
pub fn solve<S: Clone + PartialEq>(
    graph: &Graph,
    starts: &[(usize, S)],
    patience: usize,
    mut transfer: impl FnMut(usize, &S) -> Option<S>,
    mut join: impl FnMut(usize, &mut S, &S),
) -> Option<Solution<S>> {
    let nodes = graph.next.len();
    let mut found = Solution { before: vec![None; nodes], after: vec![None; nodes] };
    let place = |node: &usize| (graph.rank[*node], *node);
    let mut open: BTreeSet<_> = starts.iter().map(|(node, _)| place(node)).collect();
    let (mut at, mut left) = ((None, 0), patience);
    while let Some(next) = open.range((Excluded(at), Unbounded)).next().or(open.first()).copied() {
        open.remove(&next);
        at = next;
        let node = at.1;
        let arriving = graph.before[node].iter().filter_map(|from| found.after[*from].as_ref());
        let starting = starts.iter().filter(|(start, _)| *start == node).map(|(_, state)| state);
        let mut ways = starting.chain(arriving);
        let mut state = ways.next().cloned();
        if let Some(state) = &mut state {
            ways.for_each(|way| join(node, state, way));
        }
        if state == found.before[node] {
            continue;
        }
        left = left.checked_sub(1)?;
        let after = state.as_ref().and_then(|state| transfer(node, state));
        if after != found.after[node] {
            open.extend(graph.next[node].iter().map(place));
        }
        (found.before[node], found.after[node]) = (state, after);
    }
    Some(found)
}
