//! Sums of which ptxas may make one instruction or two: it hoists, sinks and unrolls before it
//! contracts.

use super::body::Body;
use super::nodes::{ArithmeticKind, ArithmeticNode};
use super::passes::Candidates;
use super::uses::{User, Uses};
use super::values::{Definition, NEVER, SignedValue};
use crate::sim::flow::{FlowGraph, Set};
use ptx::{BinaryOp, LaneOp, MemoryOp, Op, Space};

/// Finds them: for each such sum a product of which it is uncertain whether it takes it. `uses` are
/// those before any sum took one.
pub(super) fn doubted(
    body: &Body<'_>,
    candidates: &Candidates<'_, '_>,
    uses: &Uses,
    flow: &FlowGraph,
) -> Vec<Option<usize>> {
    let mut loops = vec![Vec::new(); flow.blocks.len()];
    for found in flow.loops() {
        found.blocks.iter().for_each(|block| loops[*block].push(found.header));
    }
    let mut doubt = Doubt { body, candidates, uses, flow, loops, stored: Vec::new() };
    doubt.stored = doubt.reached(stored_locally(body, candidates), false);
    (0..candidates.nodes.len()).map(|sum| doubt.product(sum)).collect()
}

struct Doubt<'c, 'v, 'p> {
    body: &'c Body<'p>,
    candidates: &'c Candidates<'v, 'p>,
    uses: &'c Uses,
    flow: &'c FlowGraph,
    /// For each block, the headers of the loops around it.
    loops: Vec<Vec<usize>>,
    /// The products that are stored in local memory.
    stored: Vec<usize>,
}

impl Doubt<'_, '_, '_> {
    /// A product that an operand of a sum may be, and whose contraction is uncertain.
    fn product(&self, sum: usize) -> Option<usize> {
        let node = self.candidates.nodes[sum].as_ref()?;
        if node.kind == ArithmeticKind::Product || node.is_of_twins() {
            return None;
        }
        let fits = |product: &usize| {
            let of = self.candidates.nodes[*product].as_ref();
            of.is_some_and(|of| of.is_free() && of.fits(node))
        };
        let operands: Vec<_> = node.values.iter().map(|value| value.origin.clone()).collect();
        let mut products = self.reached(operands.clone(), false);
        products.retain(fits);
        let mut beyond = self.reached(operands, true).into_iter().filter(fits);
        let is_in_doubt = |product: &usize| {
            self.is_uncertain(*product, sum)
                || self.is_doubled(*product, node)
                || self.loses_if_sunk(*product, sum)
        };
        let doubted = products.iter().copied().find(is_in_doubt);
        doubted.or_else(|| beyond.find(|product| !products.contains(product)))
    }

    /// Whether the sum is 2x - x, of which ptxas may make x.
    fn is_doubled(&self, product: usize, sum: &ArithmeticNode) -> bool {
        let Some(product) = &self.candidates.nodes[product] else { return false };
        let two = 1 << (product.ty.bits() - 2);
        let is_two = |value: &SignedValue| self.body.constant(&value.origin) == Some(two);
        match &product.values[..] {
            [x, by] | [by, x] if is_two(by) => sum.values.iter().any(|one| one.origin == x.origin),
            _ => false,
        }
    }

    /// Whether a sum takes this product rather than another that a guarded sum uses too. Where ptxas sinks
    /// a copy of that one behind the guard, it has a use less, and may go first.
    fn loses_if_sunk(&self, product: usize, sum: usize) -> bool {
        let Self { candidates, uses, .. } = self;
        let is_taken = |sum: usize| candidates.taken[sum].is_some_and(|of| of.product == product);
        let guarded =
            |pc: usize| candidates.nodes[pc].as_ref().is_some_and(ArithmeticNode::is_guarded);
        let other = candidates.taken[sum].and_then(|of| candidates.product(sum, 1 - of.side));
        let sinks = |user: &User| matches!(*user, User::At(pc) if pc != sum && guarded(pc));
        is_taken(sum)
            && other.is_some_and(|other| {
                uses.users(candidates.values.write_of(other)).iter().any(sinks)
            })
    }

    /// The products that these values may be; `beyond`: also by local memory, and with a sign that is
    /// changed as a bit, which not every ptxas looks through.
    fn reached(&self, mut open: Vec<Definition>, beyond: bool) -> Vec<usize> {
        let values = self.candidates.values;
        let (mut seen, mut products) = (Set::empty(values.writes.len()), Vec::new());
        while let Some(origin) = open.pop() {
            let numbers = match &origin {
                Definition::Given(_) => continue,
                Definition::Made(number) => std::slice::from_ref(number),
                Definition::Merged(numbers) => numbers,
            };
            for number in numbers.iter().copied().filter(|number| *number != NEVER) {
                if seen.has(number as usize) {
                    continue;
                }
                seen.put(number as usize);
                if let Some((pc, reg, _)) = values.passes(number, false) {
                    open.push(values.read(pc, reg, false).origin);
                }
                if beyond {
                    products.extend(self.loaded(number));
                    open.extend(self.signed(number));
                }
                let pc = values.writes[number as usize].pc;
                let node = self.candidates.nodes[pc].as_ref();
                products
                    .extend(node.filter(|node| node.kind == ArithmeticKind::Product).map(|_| pc));
            }
        }
        products
    }

    /// The products that a load of local memory may give.
    fn loaded(&self, number: u32) -> &[usize] {
        match &self.candidates.values.inst(number).op {
            Op::Memory(MemoryOp::Ld { space: Space::Local, .. }) => &self.stored,
            _ => &[],
        }
    }

    /// The operands of an exclusive or, which may change a sign.
    fn signed(&self, number: u32) -> Vec<Definition> {
        let values = self.candidates.values;
        match &values.inst(number).op {
            Op::Lane(LaneOp::Binary { op: BinaryOp::Xor, a, b, .. }) => {
                let pc = values.writes[number as usize].pc;
                [a, b].map(|reg| values.read(pc, *reg, false).origin).into()
            }
            _ => Vec::new(),
        }
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

/// The values that are stored in local memory.
fn stored_locally(body: &Body<'_>, candidates: &Candidates<'_, '_>) -> Vec<Definition> {
    let mut stored = Vec::new();
    for (pc, inst) in body.insts.iter().enumerate() {
        if let Op::Memory(MemoryOp::St { space: Space::Local, src, .. }) = &inst.op {
            stored.extend(src.iter().map(|reg| candidates.values.read(pc, *reg, false).origin));
        }
    }
    stored
}
