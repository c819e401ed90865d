//! The lines after contraction.

use super::flow::{FlowOperand, InstKind, KernelFlow, class};
use super::values::{Fused, RegisterValues};
use crate::lower::code::Code;
use std::collections::{HashMap, HashSet};

/// The most rounds in which copies of what is not needed are found.
const MOST_ROUNDS: usize = 16;

/// Writes each fused sum as a multiply-add, and leaves out the products and copies that nothing
/// needs any more.
pub(super) fn rewrite(
    code: &mut Code,
    flow: &KernelFlow<'_>,
    values: &RegisterValues<'_, '_>,
    fused: &Fused,
) {
    let mut rewriting =
        Rewriting { code, flow, values, fused, gone: HashSet::new(), saved: HashMap::new() };
    rewriting.leave_out();
    rewriting.save();
    rewriting.write();
}

struct Rewriting<'c, 'f, 'a> {
    code: &'c mut Code,
    flow: &'f KernelFlow<'a>,
    values: &'f RegisterValues<'f, 'a>,
    fused: &'f Fused,
    /// Instructions that are left out.
    gone: HashSet<usize>,
    /// Factors that are copied where their product was computed: the product, its factor.
    saved: HashMap<(usize, usize), String>,
}

impl<'a> Rewriting<'_, '_, 'a> {
    /// The product that a sum is fused with, and the side on which it is.
    fn product_of(&self, sum: usize) -> Option<(usize, usize)> {
        let side = *self.fused.get(&sum)?;
        Some((self.values.sums[&sum][side].product?, side))
    }

    fn factors(&self, product: usize) -> [FlowOperand<'a>; 2] {
        let inst = &self.flow.insts[self.values.products[product].inst];
        [inst.terms[0], inst.terms[1]]
    }

    /// The registers that an instruction reads now: the factors of a product where it was computed, also
    /// if it is computed with its sums.
    fn reads(&self, index: usize) -> Option<Vec<usize>> {
        let inst = &self.flow.insts[index];
        if self.gone.contains(&index) {
            return (inst.kind == InstKind::Product).then(|| inst.reads.clone());
        }
        let Some((_, side)) = self.product_of(index) else { return Some(inst.reads.clone()) };
        Some(match inst.terms[1 - side] {
            FlowOperand::Register(other) => vec![other],
            FlowOperand::Literal(_) => Vec::new(),
        })
    }

    /// Finds what is not needed any more: the products that are fused, and their copies.
    fn leave_out(&mut self) {
        let used: HashSet<_> =
            self.fused.keys().filter_map(|sum| self.product_of(*sum)).map(|(one, _)| one).collect();
        let may_go = |index: &usize| {
            let is_copy = matches!(
                self.flow.insts[*index].kind,
                InstKind::Product | InstKind::Copy | InstKind::Negation
            );
            is_copy && self.values.of_inst.get(index).is_some_and(|(one, _)| used.contains(one))
        };
        let may_go: HashSet<_> = (0..self.flow.insts.len()).filter(may_go).collect();
        let mut registers = HashMap::new();
        for index in &may_go {
            for register in &self.flow.insts[*index].writes {
                let place = registers.len();
                registers.entry(*register).or_insert(place);
            }
        }
        for _ in 0..MOST_ROUNDS {
            let live = self.flow.live(&registers, &|index| self.reads(index));
            let mut found = Vec::new();
            for (block, own) in self.flow.blocks.iter().enumerate() {
                let mut now = self.flow.live_after(block, &live, registers.len());
                for index in own.insts.clone().rev() {
                    let inst = &self.flow.insts[index];
                    let is_needed =
                        inst.writes.iter().any(|one| registers.get(one).is_none_or(|at| now[*at]));
                    if may_go.contains(&index) && !self.gone.contains(&index) && !is_needed {
                        found.push(index);
                    }
                    self.flow.step_back(index, &mut now, &registers, &|index| self.reads(index));
                }
            }
            if found.is_empty() {
                break;
            }
            self.gone.extend(found);
        }
    }

    /// Finds the factors that are not in their registers any more where their sum is.
    fn save(&mut self) {
        let mut after: Vec<HashMap<usize, usize>> = Vec::new();
        let mut then: HashMap<usize, [usize; 2]> = HashMap::new();
        let mut lost = Vec::new();
        for (block, own) in self.flow.blocks.iter().enumerate() {
            let before = own.before.map(|before| after[before].clone());
            let mut written = before.unwrap_or_default();
            written.retain(|register, _| !own.chosen.contains(register));
            for index in own.insts.clone() {
                let inst = &self.flow.insts[index];
                // What is in a register: the instruction that wrote it, or whatever was there before.
                let version = |term: FlowOperand<'_>| match term {
                    FlowOperand::Register(register) if self.flow.writers[register].len() > 1 => {
                        written.get(&register).copied().unwrap_or(usize::MAX - block)
                    }
                    _ => 0,
                };
                if inst.kind == InstKind::Product {
                    then.insert(index, [version(inst.terms[0]), version(inst.terms[1])]);
                }
                if let Some((product, _)) = self.product_of(index) {
                    let made = self.values.products[product].inst;
                    let now = self.factors(product).map(version);
                    let was = then.get(&made).copied().unwrap_or([usize::MAX; 2]);
                    let differs = (0..2).filter(|at| now[*at] != was[*at]);
                    lost.extend(differs.map(|at| (product, at)));
                }
                if !self.gone.contains(&index) {
                    written.extend(inst.writes.iter().map(|register| (*register, index + 1)));
                }
            }
            after.push(written);
        }
        lost.sort_unstable();
        lost.dedup();
        for (product, factor) in lost {
            if let FlowOperand::Register(register) = self.factors(product)[factor] {
                let copy = self.code.register_like(class(self.flow.names[register]));
                self.saved.insert((product, factor), copy);
            }
        }
    }

    fn text(&self, term: FlowOperand<'a>) -> String {
        match term {
            FlowOperand::Register(register) => self.flow.names[register].to_owned(),
            FlowOperand::Literal(text) => text.to_owned(),
        }
    }

    /// An operand with the other sign.
    fn negated(&mut self, ty: &str, text: &str, lines: &mut Vec<String>) -> String {
        let sign = match ty {
            "f32" => text.strip_prefix("0f").map(|bits| ("0f", bits)),
            _ => text.strip_prefix("0d").map(|bits| ("0d", bits)),
        };
        if let Some((begins, bits)) = sign
            && let Ok(known) = u64::from_str_radix(bits, 16)
        {
            let width = bits.len();
            return format!("{begins}{:0width$X}", known ^ 1 << (4 * width - 1));
        }
        let register = self.code.register_like(class(text));
        lines.push(format!("\tneg.{ty} {register}, {text};"));
        register
    }

    fn write(&mut self) {
        let mut new: HashMap<usize, Vec<String>> = HashMap::new();
        for (product, factor) in self.saved.keys().copied().collect::<Vec<_>>() {
            let inst = &self.flow.insts[self.values.products[product].inst];
            let Some(copy) = self.saved.get(&(product, factor)) else { continue };
            let moved = match inst.ty {
                "f16" => "b16",
                "f16x2" => "b32",
                ty => ty,
            };
            let text = format!("\tmov.{moved} {copy}, {};", self.text(inst.terms[factor]));
            new.entry(inst.line).or_default().push(text);
        }
        let mut merged = HashSet::new();
        for index in 0..self.flow.insts.len() {
            let inst = &self.flow.insts[index];
            if self.gone.contains(&index) || merged.contains(&index) {
                new.entry(inst.line).or_default();
                continue;
            }
            let lines = if let Some((product, side)) = self.product_of(index) {
                let copy = self.copy_of(index);
                merged.extend(copy);
                self.multiply_add(index, product, side, copy)
            } else if let Some(line) = self.as_nvvm(index) {
                vec![line]
            } else {
                if let Some(before) = new.get_mut(&inst.line) {
                    before.push(self.code.lines()[inst.line].clone());
                }
                continue;
            };
            new.entry(inst.line).or_default().extend(lines);
        }
        self.code.replace(new);
    }

    /// The copy of a sum that stands just after it, where nothing else reads the sum.
    fn copy_of(&self, sum: usize) -> Option<usize> {
        let [result] = *self.flow.insts[sum].writes else { return None };
        let next = self.flow.insts.get(sum + 1)?;
        let is_copy = next.kind == InstKind::Copy && next.reads == [result];
        let is_once = self.flow.writers[result].len() == 1 && self.flow.readers[result] == 1;
        let in_block = self.flow.block_of[sum] == self.flow.block_of[sum + 1];
        (is_copy && is_once && in_block && !self.gone.contains(&(sum + 1))).then_some(sum + 1)
    }

    /// What NVVM writes in the place of an instruction that stays: a product that is computed already is
    /// copied, one by 2 is a sum, and what is added with the other sign is the right operand.
    fn as_nvvm(&self, index: usize) -> Option<String> {
        let inst = &self.flow.insts[index];
        let (to, ty) = (self.flow.names[*inst.writes.first()?], inst.ty);
        match (inst.kind, &*inst.terms) {
            (InstKind::Product, terms) => {
                if let Some((known, is_negative)) = self.computed_before(index) {
                    let how = if is_negative { "neg" } else { "mov" };
                    return Some(format!("\t{how}.{ty} {to}, {};", self.flow.names[known]));
                }
                let two = terms.iter().position(|term| self.flow.is_two(term))?;
                let doubled = self.text(terms[1 - two]);
                Some(format!("\tadd.{ty} {to}, {doubled}, {doubled};"))
            }
            (InstKind::Sum { minus: false }, [left, right @ FlowOperand::Register(_)]) => {
                let signs = self.values.sums.get(&index)?.map(|one| self.values.is_negative(&one));
                let [left, right] = [left, right].map(|term| self.text(*term));
                (signs == [true, false]).then(|| format!("\tadd.{ty} {to}, {right}, {left};"))
            }
            _ => None,
        }
    }

    /// The register that holds the product that an instruction would compute once more, and whether
    /// with the other sign.
    fn computed_before(&self, index: usize) -> Option<(usize, bool)> {
        let (product, is_negative) = *self.values.of_inst.get(&index)?;
        let first = self.values.products[product].inst;
        let [register] = *self.flow.insts[first].writes else { return None };
        let [of, here] = [first, index].map(|inst| self.flow.block_of[inst]);
        let precedes = first < index && self.flow.runs_before(of, here);
        let is_kept = !self.gone.contains(&first) && self.flow.writers[register].len() == 1;
        (precedes && is_kept).then_some((register, is_negative))
    }

    /// A sum and its product as one.
    fn multiply_add(
        &mut self,
        index: usize,
        product: usize,
        side: usize,
        copy: Option<usize>,
    ) -> Vec<String> {
        let inst = &self.flow.insts[index];
        let ty = inst.ty;
        let mut lines = Vec::new();
        let result = self.flow.insts[copy.unwrap_or(index)].writes[0];
        let factors = self.factors(product);
        let mut factors = [0, 1].map(|at| {
            self.saved.get(&(product, at)).cloned().unwrap_or_else(|| self.text(factors[at]))
        });
        let other = self.text(inst.terms[1 - side]);
        let minus = inst.kind == InstKind::Sum { minus: true };
        let other = if minus && side == 0 { self.negated(ty, &other, &mut lines) } else { other };
        if self.values.sums[&index][side].negative {
            let at = usize::from(!factors[1].starts_with('%'));
            factors[at] = self.negated(ty, &factors[at].clone(), &mut lines);
        }
        let [x, y] = factors;
        let result = self.flow.names[result];
        lines.push(format!("\tfma.rn.{ty} {result}, {x}, {y}, {other};"));
        lines
    }
}
