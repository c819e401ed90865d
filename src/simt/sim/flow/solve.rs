//! The solver: what holds at each node of a graph, whichever way led there.

use super::graph::Graph;
use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

/// The least fixed point of a question.
#[derive(Debug)]
pub struct Solution<S> {
    /// What holds before each node; `None` where no way leads.
    pub before: Vec<Option<S>>,
    /// What holds after it.
    pub after: Vec<Option<S>>,
}

/// Solves a question whose answer at a node follows from the answers at its predecessors. A question
/// that goes backwards is asked of the reversed graph.
///
/// The ways begin at the nodes of `starts`, with what holds before them. `transfer` says what holds
/// after a node, of what holds before it: `None` where nothing is to be followed. `join` adds to what
/// is known before a node what comes by another way. The answers must form a lattice of finite
/// height, or there need not be an end; after so many transfers as `patience` says there is no
/// solution.
///
/// It goes round by round over the graph in reverse postorder, in each over the nodes with news.
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
