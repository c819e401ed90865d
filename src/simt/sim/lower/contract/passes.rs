//! Which sum takes which product: ptxas' two passes over the sums.

use super::nodes::{ArithmeticKind, ArithmeticNode};
use super::uses::{User, Uses};
use super::values::{Definition, ReachingDefinitions};

/// A sum that takes a product.
#[derive(Clone, Copy, Debug)]
pub(super) struct TakenProduct {
    /// The product's instruction.
    pub(super) product: usize,
    /// Which operand of the sum it is.
    pub(super) side: usize,
    /// Whether it is subtracted.
    pub(super) negative: bool,
}

/// The candidates and what becomes of them.
pub(super) struct Candidates<'v, 'p> {
    pub(super) values: &'v ReachingDefinitions<'p>,
    pub(super) uses: Uses,
    pub(super) nodes: Vec<Option<ArithmeticNode>>,
    pub(super) regions: Vec<usize>,
    /// By the sum's instruction.
    pub(super) taken: Vec<Option<TakenProduct>>,
}

impl<'v, 'p> Candidates<'v, 'p> {
    /// Before the passes.
    pub(super) fn new(
        values: &'v ReachingDefinitions<'p>,
        uses: Uses,
        nodes: Vec<Option<ArithmeticNode>>,
        regions: Vec<usize>,
    ) -> Self {
        let taken = vec![None; nodes.len()];
        Self { values, uses, nodes, regions, taken }
    }

    /// Runs the passes: of single types first the products of one use, then the others; of packed ones
    /// all at once.
    pub(super) fn run(&mut self) {
        let is_sum = |pc: &usize| {
            self.nodes[*pc].as_ref().is_some_and(|node| node.kind == ArithmeticKind::Sum)
        };
        let sums: Vec<_> = (0..self.nodes.len()).filter(is_sum).collect();
        let uses = |pc: usize| if self.nodes[pc].is_some() { self.users(pc).len() } else { 0 };
        let uses: Vec<_> = (0..self.nodes.len()).map(uses).collect();
        for single in [true, false] {
            for sum in &sums {
                self.take(*sum, single, &uses);
            }
        }
    }

    pub(super) fn users(&self, pc: usize) -> &[User] {
        self.uses.users(self.values.write_of(pc))
    }

    /// Lets a sum take a product if it can. Of two, the one with fewer uses goes first, of which
    /// `uses` are those that there were at the start; or the left one.
    fn take(&mut self, sum: usize, single: bool, uses: &[usize]) {
        let Some(node) = self.nodes[sum].as_ref().filter(|node| node.kind == ArithmeticKind::Sum)
        else {
            return;
        };
        let packed = node.ty.is_packed();
        if node.is_of_twins() || packed && single || single && self.merges_equal(sum) {
            return;
        }
        let mut sides = [0, 1].map(|side| (side, self.product(sum, side)));
        sides.sort_by_key(|(_, product)| product.map(|product| uses[product]));
        let product = sides.into_iter().find_map(|(side, product)| {
            let product = product?;
            let users = self.users(product);
            let all = users.iter().all(|user| self.may_take(product, *user));
            (all && (!single || users.len() == 1)).then_some((side, product))
        });
        if let Some((side, product)) = product {
            self.fuse(sum, side, product);
        }
    }

    /// The product that an operand of a sum is, if it can be fused with it.
    pub(super) fn product(&self, sum: usize, side: usize) -> Option<usize> {
        let node = self.nodes[sum].as_ref()?;
        let Definition::Made(number) = node.values.get(side)?.origin else { return None };
        let pc = self.values.writes[number as usize].pc;
        let product = self.nodes[pc].as_ref()?;
        let fits =
            product.kind == ArithmeticKind::Product && product.is_free() && product.fits(node);
        (fits && self.meets(pc, sum)).then_some(pc)
    }

    /// Whether a product reaches a sum: in its region, or anywhere if it has a constant factor.
    pub(super) fn meets(&self, product: usize, sum: usize) -> bool {
        let has_given = self.nodes[product].as_ref().is_some_and(|node| node.has_given);
        has_given || self.regions[product] == self.regions[sum]
    }

    /// Whether a user of a product is a sum that can take it.
    pub(super) fn may_take(&self, product: usize, user: User) -> bool {
        let User::At(pc) = user else { return false };
        let (Some(product_node), Some(node)) = (&self.nodes[product], &self.nodes[pc]) else {
            return false;
        };
        node.kind == ArithmeticKind::Sum
            && node.fits(product_node)
            && self.meets(product, pc)
            && !node.is_of_twins()
    }

    fn fuse(&mut self, sum: usize, side: usize, product: usize) {
        let factors =
            self.nodes[product].as_ref().map_or_else(Vec::new, |node| node.values.clone());
        self.uses.remove(self.values.write_of(product), Some(User::At(sum)));
        for factor in factors {
            if let Definition::Made(number) = factor.origin {
                self.uses.add(number, User::At(sum));
            }
        }
        if let Some(node) = &mut self.nodes[sum] {
            node.kind = ArithmeticKind::Fused;
            let negative = node.values[side].negative;
            self.taken[sum] = Some(TakenProduct { product, side, negative });
        }
    }

    /// A sum of two equal products, one of one use, becomes one of the same product twice.
    fn merges_equal(&mut self, sum: usize) -> bool {
        let products = (self.product(sum, 0), self.product(sum, 1));
        let (Some(left), Some(right)) = products else { return false };
        let of = |pc: usize| self.nodes[pc].as_ref();
        let (Some(node), Some(a), Some(b)) = (of(sum), of(left), of(right)) else { return false };
        let signed = node.values.iter().any(|value| value.negative);
        let single = [left, right].map(|product| self.users(product).len() == 1);
        if signed || node.flushes() || !a.equals(b) || single == [false, false] {
            return false;
        }
        let (kept, gone, side) = if single[0] { (right, left, 0) } else { (left, right, 1) };
        self.uses.add(self.values.write_of(kept), User::At(sum));
        self.uses.remove(self.values.write_of(gone), None);
        if let Some(node) = &mut self.nodes[sum] {
            node.values[side] = node.values[1 - side].clone();
        }
        true
    }
}
