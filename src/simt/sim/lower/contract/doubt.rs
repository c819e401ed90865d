//! Sums of which ptxas may make one instruction or two: it hoists, sinks and unrolls before it
//! contracts.

use super::nodes::Kind;
use super::passes::Candidates;
use super::uses::{User, Uses};
use super::values::{NEVER, Origin};
use crate::sim::flow::{Flow, Set};

/// Finds them: for each such sum a product of which it is uncertain whether it takes it. `uses` are
/// those before any sum took one.
pub(super) fn doubted(
    candidates: &Candidates<'_, '_>,
    uses: &Uses,
    flow: &Flow,
) -> Vec<Option<usize>> {
    let mut loops = vec![Vec::new(); flow.blocks.len()];
    for found in flow.loops() {
        found.blocks.iter().for_each(|block| loops[*block].push(found.header));
    }
    let doubt = Doubt { candidates, uses, flow, loops };
    (0..candidates.nodes.len()).map(|sum| doubt.product(sum)).collect()
}

struct Doubt<'c, 'v, 'p> {
    candidates: &'c Candidates<'v, 'p>,
    uses: &'c Uses,
    flow: &'c Flow,
    /// For each block, the headers of the loops around it.
    loops: Vec<Vec<usize>>,
}

impl Doubt<'_, '_, '_> {
    /// A product that an operand of a sum may be, and whose contraction is uncertain.
    fn product(&self, sum: usize) -> Option<usize> {
        let node = self.candidates.nodes[sum].as_ref()?;
        if node.kind == Kind::Product || node.is_of_twins() {
            return None;
        }
        let products = self.reached(node.values.iter().map(|value| value.origin.clone()).collect());
        products.into_iter().find(|product| {
            let of = self.candidates.nodes[*product].as_ref();
            let fits = of.is_some_and(|of| of.is_free() && of.fits(node));
            fits && self.is_uncertain(*product, sum)
        })
    }

    /// The products that these values may be.
    fn reached(&self, mut open: Vec<Origin>) -> Vec<usize> {
        let values = self.candidates.values;
        let (mut seen, mut products) = (Set::empty(values.writes.len()), Vec::new());
        while let Some(origin) = open.pop() {
            let numbers = match &origin {
                Origin::Given(_) => continue,
                Origin::Made(number) => std::slice::from_ref(number),
                Origin::Merged(numbers) => numbers,
            };
            for number in numbers.iter().copied().filter(|number| *number != NEVER) {
                if seen.has(number as usize) {
                    continue;
                }
                seen.put(number as usize);
                if let Some((pc, reg, _)) = values.passes(number, false) {
                    open.push(values.read(pc, reg, false).origin);
                }
                let pc = values.writes[number as usize].pc;
                let node = self.candidates.nodes[pc].as_ref();
                products.extend(node.filter(|node| node.kind == Kind::Product).map(|_| pc));
            }
        }
        products
    }

    /// Whether ptxas may bring a product and its sums together, or part them, before it contracts.
    fn is_uncertain(&self, product: usize, sum: usize) -> bool {
        let Self { candidates, uses, .. } = self;
        let takes = |pc: usize| {
            candidates.taken[pc].is_some_and(|taken| taken.product == product)
                || candidates.may_take(product, User::At(pc))
        };
        let in_loop = [product, sum].iter().any(|pc| !self.around(*pc).is_empty());
        let (mut apart, mut crosses) = (false, false);
        for user in uses.users(candidates.values.write_of(product)) {
            match *user {
                User::Merge => (apart, crosses) = (apart || in_loop, crosses || in_loop),
                User::At(pc) if candidates.regions[pc] != candidates.regions[product] => {
                    apart = true;
                    crosses |= self.around(pc) != self.around(product);
                }
                User::At(pc) if !takes(pc) => return false,
                User::At(_) => {}
            }
        }
        let has_given = candidates.nodes[product].as_ref().is_some_and(|node| node.has_given);
        if has_given { crosses } else { apart }
    }

    fn around(&self, pc: usize) -> &[usize] {
        &self.loops[self.flow.block_of(pc)]
    }
}
