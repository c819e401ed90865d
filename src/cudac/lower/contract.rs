//! Contraction as NVVM does it: which product and which addition become one `fma.rn`.
//!
//! nvcc contracts twice (CUDA C++ Programming Guide, `-fmad=true`): NVVM, in the PTX that it writes,
//! and ptxas, in the machine code. What NVVM leaves, differences above all, is written here without a
//! rounding as NVVM writes it, and is ptxas' to contract, on a GPU as in the simulator. The rule of
//! ptxas is not here.
//!
//! # Why ptxas' half alone is not enough
//!
//! With every product and sum left to ptxas, 429 of 464 kernels (396 generated, 68 written by hand)
//! had the bits of NVRTC 12.9's PTX, and 170 of the 340 without loops its number of `fma`; with NVVM's
//! choice 454 and 300. NVVM differs in this:
//!
//! 1. Of two products in a sum it takes the one that can be computed first, ptxas the left one:
//!    `a*d + b*c` is `fma(b, c, a*d)`.
//! 2. It moves a product to the only block that uses it, and makes choices of short branches, so that
//!    `float p = a*b; if (c) s += p;` is one `fma`. ptxas contracts within a block.
//! 3. Equal products are one to it: `a*b + c` is no `fma` where `a*b` is used elsewhere too. ptxas
//!    contracts first.
//! 4. It contracts only what it has as an addition, and a product that is used by more than [`MANY`]
//!    it computes once.

mod flow;
mod rewrite;
mod values;

use super::code::Code;
use flow::{FlowOperand, KernelFlow};
use values::{Fused, RegisterValues, SumOperand};

/// The uses of a product from which on NVVM computes it once.
const MANY: usize = 5;

/// Fuses the products and sums of a kernel.
pub(super) fn contract(code: &mut Code) {
    if code.arithmetic().is_empty() {
        return;
    }
    let lines = code.lines().to_vec();
    let flow = KernelFlow::of(&lines, code.arithmetic());
    let mut choice = ContractionChoice::new(&flow);
    choice.choose();
    let fused = choice.fused;
    rewrite::rewrite(code, &flow, &choice.values, &fused);
}

struct ContractionChoice<'f, 'a> {
    flow: &'f KernelFlow<'a>,
    values: RegisterValues<'f, 'a>,
    /// The block of each instruction: the first of those that always run together.
    places: Vec<usize>,
    /// The instructions of the loops: the first, and the one after the last.
    loops: Vec<(usize, usize)>,
    fused: Fused,
}

impl<'f, 'a> ContractionChoice<'f, 'a> {
    fn new(flow: &'f KernelFlow<'a>) -> Self {
        let mut places = vec![0; flow.insts.len()];
        let mut loops = Vec::new();
        for (index, block) in flow.blocks.iter().enumerate() {
            places[block.insts.clone()].fill(flow.first_of(index));
            let back = block.to.iter().filter(|to| **to <= index && !flow.is_counted(**to));
            loops.extend(back.map(|to| (flow.blocks[*to].insts.start, block.insts.end)));
        }
        Self { flow, values: RegisterValues::of(flow), places, loops, fused: Fused::new() }
    }

    /// The sums, in the order of the program.
    fn sums(&self) -> Vec<usize> {
        let mut all: Vec<_> = self.values.sums.keys().copied().collect();
        all.sort_unstable();
        all
    }

    fn operands(&self, sum: usize) -> [SumOperand; 2] {
        self.values.sums[&sum]
    }

    /// Whether NVVM has it as an addition: of a difference with a constant it makes one.
    fn is_addition(&self, sum: usize) -> bool {
        let both = self.operands(sum);
        let is_constant = |operand: &SumOperand| operand.value == 0;
        let [left, right] = both.map(|one| self.values.is_negative(&one));
        !left && (!right || is_constant(&both[1]))
    }

    /// The operands of an addition in the order in which NVVM has them: the one first that can be
    /// computed first.
    fn in_order(&self, sum: usize) -> [usize; 2] {
        let both = self.operands(sum);
        let [first, second] = both.map(|one| self.is_negated_constant(&one));
        let is_swapped = if first == second { both[1].rank < both[0].rank } else { first };
        if is_swapped { [1, 0] } else { [0, 1] }
    }

    /// Whether it is a product with a negative constant: to NVVM it is subtracted.
    fn is_negated_constant(&self, operand: &SumOperand) -> bool {
        let Some(product) = operand.product else { return false };
        let of = &self.values.products[product];
        let is_negative = |term: &FlowOperand<'_>| {
            let number = self.flow.number(term).unwrap_or_default();
            matches!(number.as_bytes(), [b'0', b'f' | b'd', b'8' | b'9' | b'A'..=b'F', ..])
        };
        of.sums.len() == 1 && self.flow.insts[of.inst].terms[..2].iter().any(is_negative)
    }

    /// Whether a product and a sum are computed in one block, to which what is used only once is moved;
    /// and where all uses are additions, branches mostly become a choice between values.
    fn together(&self, product: usize, sum: usize) -> bool {
        let one = &self.values.products[product];
        let (from, to) = (self.places[one.inst], self.places[sum]);
        let factors = self.flow.insts[one.inst].terms.get(..2).unwrap_or_default();
        let is_known = factors.iter().any(|term| self.flow.number(term).is_some());
        // One with a constant is fused wherever it is.
        let is_hoisted = !is_known && self.is_hoisted(one.inst, factors);
        if is_hoisted && !self.is_hoisted(sum, &self.flow.insts[sum].terms) {
            return false;
        }
        self.leads(from, to)
    }

    /// Whether nothing but one block after another lies between two.
    fn leads(&self, from: usize, mut to: usize) -> bool {
        while to != from {
            let Some(before) = self.flow.blocks[to].before else { return false };
            to = self.flow.first_of(before);
        }
        true
    }

    /// Whether an instruction has the same operands in each round of a loop: compilers compute it before.
    fn is_hoisted(&self, inst: usize, terms: &[FlowOperand<'_>]) -> bool {
        let is_fixed = |term: &FlowOperand<'_>, from: usize, to: usize| match term {
            FlowOperand::Literal(_) => true,
            FlowOperand::Register(register) => {
                let mut writers = self.flow.writers[*register].iter();
                writers.all(|writer| *writer < from || *writer >= to)
            }
        };
        self.loops.iter().any(|(from, to)| {
            (*from..*to).contains(&inst) && terms.iter().all(|term| is_fixed(term, *from, *to))
        })
    }

    /// In each block from its end on, additions of which the product is used by no others.
    fn choose(&mut self) {
        for sum in self.sums().into_iter().rev() {
            if !self.is_addition(sum) {
                continue;
            }
            for side in self.in_order(sum) {
                let Some(product) = self.operands(sum)[side].product else { continue };
                let one = &self.values.products[product];
                let mut sums = one.sums.iter().map(|(sum, _)| *sum);
                let is_alone = one.others == 0 && one.sums.len() < MANY;
                if is_alone && sums.all(|sum| self.is_addition(sum) && self.together(product, sum))
                {
                    self.fuse(sum, side);
                    break;
                }
            }
        }
    }

    /// Makes one instruction of a sum and the product on one of its sides; the other side is then
    /// used by that one.
    fn fuse(&mut self, sum: usize, side: usize) {
        self.fused.insert(sum, side);
        for (at, operand) in self.operands(sum).into_iter().enumerate() {
            let Some(product) = operand.product else { continue };
            let one = &mut self.values.products[product];
            one.sums.retain(|used| *used != (sum, at == 1));
            one.others += usize::from(at != side);
        }
    }
}
