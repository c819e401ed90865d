//! Which value each operand of a sum holds, whatever register it is in.

use super::flow::{FlowInst, FlowOperand, InstKind, KernelFlow};
use std::collections::HashMap;

/// For each sum that is fused, which of its operands is the product.
pub(super) type Fused = HashMap<usize, usize>;

/// A value, and whether it is taken with the other sign.
pub(super) type Signed = (usize, bool);

#[derive(Clone, Copy, Debug)]
struct RankedValue {
    /// Its product, if it is one.
    product: Option<usize>,
    /// What it needs: NVVM puts of two operands the one first that can be computed first.
    rank: u32,
}

#[derive(Debug)]
pub(super) struct ProductInst {
    pub inst: usize,
    /// Whether one of its factors is a register with the other sign.
    pub negative: bool,
    /// The sums that it is an operand of: the instruction, and whether it is the right one.
    pub sums: Vec<(usize, bool)>,
    /// How often it is used otherwise.
    pub others: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SumOperand {
    pub product: Option<usize>,
    /// The value: for both operands of `p + p` the same one.
    pub value: usize,
    pub negative: bool,
    pub rank: u32,
}

pub(super) struct RegisterValues<'f, 'a> {
    flow: &'f KernelFlow<'a>,
    all: Vec<RankedValue>,
    pub products: Vec<ProductInst>,
    pub sums: HashMap<usize, [SumOperand; 2]>,
    /// The product that each instruction computes, or copies, and whether with the other sign.
    pub of_inst: HashMap<usize, (usize, bool)>,
    /// What registers that are written once hold.
    once: HashMap<usize, Signed>,
    /// Products in registers that may hold others where a block begins: the block, the register, the
    /// product.
    leaving: Vec<(usize, usize, usize)>,
    /// The rank of the last value that cannot be computed earlier, and the highest rank of all.
    order: u32,
    highest: u32,
}

/// What a product is made of: one that is made of the same in the same block is the same one.
type Key<'a> = (usize, &'a str, [(FlowOperand<'a>, usize); 2]);

impl<'f, 'a> RegisterValues<'f, 'a> {
    pub(super) fn of(flow: &'f KernelFlow<'a>) -> Self {
        let mut values = Self {
            flow,
            all: vec![RankedValue { product: None, rank: 0 }],
            products: Vec::new(),
            sums: HashMap::new(),
            of_inst: HashMap::new(),
            once: HashMap::new(),
            leaving: Vec::new(),
            order: 0,
            highest: 0,
        };
        let dead = flow.dead();
        let mut after: Vec<HashMap<usize, Signed>> = Vec::new();
        let mut known = HashMap::new();
        for block in 0..flow.blocks.len() {
            let before = flow.blocks[block].before.map(|before| after[before].clone());
            let mut held = before.unwrap_or_default();
            held.retain(|register, _| !flow.blocks[block].chosen.contains(register));
            if !flow.blocks[block].is_joined {
                values.order = values.highest;
            }
            for inst in flow.blocks[block].insts.clone() {
                if dead[inst] {
                    values.overwritten(inst, &mut held);
                } else {
                    values.step(block, inst, &mut held, &mut known);
                }
            }
            values.leave(block, &held);
            after.push(held);
        }
        values.merge();
        values
    }

    /// Whether an operand is taken with the other sign, also by one of a product's factors.
    pub(super) fn is_negative(&self, operand: &SumOperand) -> bool {
        let of_factor = operand.product.is_some_and(|one| self.products[one].negative);
        operand.negative != of_factor
    }

    fn new_value(&mut self, product: Option<usize>, rank: u32) -> usize {
        self.all.push(RankedValue { product, rank });
        self.highest = self.highest.max(rank);
        self.all.len() - 1
    }

    fn next_rank(&mut self) -> u32 {
        self.order += 1;
        self.order
    }

    fn read(&mut self, register: usize, held: &mut HashMap<usize, Signed>) -> Signed {
        let is_once = self.flow.writers[register].len() == 1;
        let found = if is_once { self.once.get(&register) } else { held.get(&register) };
        if let Some(found) = found {
            return *found;
        }
        // One that comes from several places ranks behind all that are before it.
        let value = (self.new_value(None, self.highest + 1), false);
        self.write(register, value, held);
        value
    }

    fn write(&mut self, register: usize, value: Signed, held: &mut HashMap<usize, Signed>) {
        let is_once = self.flow.writers[register].len() == 1;
        if is_once { &mut self.once } else { held }.insert(register, value);
    }

    fn term(&mut self, term: FlowOperand<'a>, held: &mut HashMap<usize, Signed>) -> Signed {
        match term {
            FlowOperand::Register(register) => self.read(register, held),
            FlowOperand::Literal(_) => (0, false),
        }
    }

    /// A use that is no sum.
    fn used(&mut self, (value, _): Signed) {
        if let Some(product) = self.all[value].product {
            self.products[product].others += 1;
        }
    }

    /// What an instruction writes is unknown, and nobody needs it.
    fn overwritten(&mut self, index: usize, held: &mut HashMap<usize, Signed>) {
        let flow = self.flow;
        for register in &flow.insts[index].writes {
            let value = (self.new_value(None, 0), false);
            self.write(*register, value, held);
        }
    }

    fn step(
        &mut self,
        block: usize,
        index: usize,
        held: &mut HashMap<usize, Signed>,
        known: &mut HashMap<Key<'a>, usize>,
    ) {
        let flow = self.flow;
        let inst = &flow.insts[index];
        let place = flow.first_of(block);
        let result = match (inst.kind, &*inst.terms) {
            (InstKind::Product, [x, y]) => self.product(place, index, [*x, *y], held, known),
            (InstKind::Sum { .. }, [a, b]) => {
                let both = [*a, *b].map(|term| self.term(term, held));
                self.sum(index, inst, both)
            }
            (InstKind::Copy, [from]) => self.term(*from, held),
            (InstKind::Negation, [from]) => {
                let (value, sign) = self.term(*from, held);
                (value, !sign)
            }
            _ => {
                let mut rank = 0;
                for register in &inst.reads {
                    let read = self.read(*register, held);
                    self.used(read);
                    rank = rank.max(self.all[read.0].rank);
                }
                for register in &inst.writes {
                    let rank = if inst.is_pure { rank + 1 } else { self.next_rank() };
                    let value = (self.new_value(None, rank), false);
                    self.write(*register, value, held);
                }
                return;
            }
        };
        if let Some(product) = self.all[result.0].product {
            self.of_inst.insert(index, (product, result.1));
        }
        inst.writes.iter().for_each(|register| self.write(*register, result, held));
    }

    fn product(
        &mut self,
        place: usize,
        inst: usize,
        terms: [FlowOperand<'a>; 2],
        held: &mut HashMap<usize, Signed>,
        known: &mut HashMap<Key<'a>, usize>,
    ) -> Signed {
        let factors = terms.map(|term| self.term(term, held));
        let sign = |(value, sign): Signed| {
            let product = self.all[value].product;
            sign != product.is_some_and(|one| self.products[one].negative)
        };
        let negative = sign(factors[0]) != sign(factors[1]);
        let part = |at: usize| match terms[at] {
            FlowOperand::Register(_) => (FlowOperand::Literal(""), factors[at].0),
            literal @ FlowOperand::Literal(_) => (literal, 0),
        };
        let mut key = [part(0), part(1)];
        if key[1].1 < key[0].1 {
            key.swap(0, 1);
        }
        let key = (place, self.flow.insts[inst].ty, key);
        if let Some(value) = known.get(&key) {
            let same = self.all[*value].product.map(|one| self.products[one].negative);
            return (*value, same != Some(negative));
        }
        for factor in factors {
            self.used(factor);
        }
        let rank = factors.iter().map(|(value, _)| self.all[*value].rank).max().unwrap_or(0) + 1;
        self.products.push(ProductInst { inst, negative, sums: Vec::new(), others: 0 });
        let value = self.new_value(Some(self.products.len() - 1), rank);
        known.insert(key, value);
        (value, false)
    }

    fn sum(&mut self, index: usize, inst: &FlowInst<'_>, both: [Signed; 2]) -> Signed {
        let minus = inst.kind == InstKind::Sum { minus: true };
        for ((value, _), right) in both.into_iter().zip([false, true]) {
            if let Some(product) = self.all[value].product {
                self.products[product].sums.push((index, right));
            }
        }
        let operand = |(value, sign): Signed, right: bool| {
            let RankedValue { product, rank } = self.all[value];
            SumOperand { product, value, negative: sign != (right && minus), rank }
        };
        let operands = [operand(both[0], false), operand(both[1], true)];
        let rank = operands[0].rank.max(operands[1].rank) + 1;
        self.sums.insert(index, operands);
        (self.new_value(None, rank), false)
    }

    /// The products that registers hold at the end of a block after which they may hold others.
    fn leave(&mut self, block: usize, held: &HashMap<usize, Signed>) {
        let flow = self.flow;
        for next in &flow.blocks[block].to {
            let own = &flow.blocks[*next];
            for (register, (value, _)) in held {
                if let Some(product) = self.all[*value].product
                    && (own.before.is_none() || own.chosen.contains(register))
                {
                    self.leaving.push((*next, *register, product));
                }
            }
        }
    }

    /// Counts a use for each product that is still needed where registers may hold different values.
    fn merge(&mut self) {
        let flow = self.flow;
        let mut registers = HashMap::new();
        for (_, register, _) in &self.leaving {
            let place = registers.len();
            registers.entry(*register).or_insert(place);
        }
        let live = flow.live(&registers, &|inst| Some(flow.insts[inst].reads.clone()));
        for (next, register, product) in std::mem::take(&mut self.leaving) {
            if live[next][registers[&register]] {
                self.products[product].others += 1;
            }
        }
    }
}
