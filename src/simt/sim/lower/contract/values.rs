//! Where the value of an operand was made, looked up through copies and changes of its sign.

use super::body::Body;
use crate::sim::flow::{Graph, Set, solve};
use crate::sim::format::Format;
use crate::sim::program::{Inst, Reg, RowInit, Transfer};
use ptx::{BinaryOp, Float, LaneOp, Op, Rounding, Type, UnaryOp};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

/// Above this number of blocks times writes, which no compiler produces, nothing is looked up.
const MOST: usize = 1 << 28;

/// Numbers of writes, ascending, of which a register may hold the result; [`NEVER`] if no
/// instruction may have written it.
pub(super) type Writers = Rc<[u32]>;

/// Stands for no write.
pub(super) const NEVER: u32 = u32::MAX;

/// The place where a value was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Definition {
    /// A register that no instruction has written: a constant, a parameter.
    Given(Reg),
    /// The write with this number.
    Made(u32),
    /// One of these, depending on the way that was taken or on a guard.
    Merged(Writers),
}

/// A value: where it was made, and whether its sign was changed since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SignedValue {
    pub(super) origin: Definition,
    pub(super) negative: bool,
}

/// A write of a register by an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub(super) pc: usize,
    pub(super) reg: Reg,
}

/// The registers that each instruction reads, with their writers (reaching definitions).
pub(super) struct ReachingDefinitions<'p> {
    body: &'p Body<'p>,
    /// All writes, in the order of the text.
    pub(super) writes: Vec<Write>,
    /// The number of each instruction's first write.
    first: Vec<usize>,
    reads: Vec<Vec<(Reg, Writers)>>,
    /// For each write, without and with `ftz`: what it passes on, once that is known.
    #[expect(clippy::option_option, reason = "it is not known yet, or nothing")]
    passed: RefCell<Vec<Option<Option<Passed>>>>,
}

/// The value that a write passes on: the instruction that read it, from which register, and whether
/// its sign was changed.
type Passed = (usize, Reg, bool);

impl<'p> ReachingDefinitions<'p> {
    /// `None` if the program is too large.
    pub(super) fn of(body: &'p Body<'p>, blocks: &Graph) -> Option<Self> {
        let (mut writes, mut first) = (Vec::new(), Vec::new());
        for (pc, inst) in body.insts.iter().enumerate() {
            first.push(writes.len());
            writes.extend(body.written(pc, inst).map(|reg| Write { pc, reg }));
        }
        first.push(writes.len());
        let passed = RefCell::new(vec![None; 2 * writes.len()]);
        let mut values = Self { body, writes, first, reads: Vec::new(), passed };
        values.reads = values.reach(blocks)?;
        // In the order of the text, so that little is looked up before it is known.
        for number in 0..values.writes.len() as u32 {
            let _ = [false, true].map(|ftz| values.passes(number, ftz));
        }
        Some(values)
    }

    /// The number of the only write of an instruction.
    pub(super) fn write_of(&self, pc: usize) -> u32 {
        self.first[pc] as u32
    }

    /// What an instruction reads, its guard last.
    pub(super) fn reads(&self, pc: usize) -> &[(Reg, Writers)] {
        &self.reads[pc]
    }

    /// Solves for the writes that reach each read.
    fn reach(&self, graph: &Graph) -> Option<Vec<Vec<(Reg, Writers)>>> {
        let mut of = HashMap::<Reg, Vec<usize>>::new();
        for (number, write) in self.writes.iter().enumerate() {
            of.entry(write.reg).or_default().push(number);
        }
        // After the writes, one for each register that stands for none.
        for (own, never) in of.values_mut().zip(self.writes.len()..) {
            own.push(never);
        }
        let size = self.writes.len() + of.len();
        if size.saturating_mul(graph.next.len()) > MOST {
            return None;
        }
        let mut nothing = Set::empty(size);
        of.values().filter_map(|own| own.last()).for_each(|never| nothing.put(*never));
        let starts = self.body.starts.iter().map(|start| (*start, nothing.clone()));
        let starts: Vec<_> = starts.collect();
        let effects: Vec<_> = self.body.blocks.iter().map(|block| self.effect(block)).collect();
        let transfer = |block: usize, state: &Set| {
            let (replaced, made) = effects.get(block)?;
            let mut state = state.clone();
            replaced.iter().flat_map(|reg| &of[reg]).for_each(|number| state.take(*number));
            for number in made {
                state.put(*number);
            }
            Some(state)
        };
        let join = |_, state: &mut Set, other: &Set| state.add(other);
        let solution = solve(graph, &starts, usize::MAX, transfer, join)?;
        let mut reads = vec![Vec::new(); self.body.insts.len()];
        for (block, range) in self.body.blocks.iter().enumerate() {
            if let Some(state) = &solution.before[block] {
                self.read_in(range, (state, &of), &mut reads);
            }
        }
        Some(reads)
    }

    /// The registers that a block replaces, and the writes that remain after it.
    fn effect(&self, block: &Range<usize>) -> (HashSet<Reg>, Vec<usize>) {
        let (mut replaced, mut made) = (HashSet::new(), Vec::new());
        for pc in block.clone().rev() {
            let numbers = self.first[pc]..self.first[pc + 1];
            made.extend(numbers.clone().filter(|of| !replaced.contains(&self.writes[*of].reg)));
            // A guarded instruction leaves the register unchanged in the other lanes.
            if self.body.insts[pc].guard.is_none() {
                replaced.extend(self.writes[numbers].iter().map(|write| write.reg));
            }
        }
        (replaced, made)
    }

    /// Notes what the instructions of a block read, before which the writes of `state` are in force.
    fn read_in(
        &self,
        block: &Range<usize>,
        (state, of): (&Set, &HashMap<Reg, Vec<usize>>),
        reads: &mut [Vec<(Reg, Writers)>],
    ) {
        let number_of =
            |number: &usize| u32::try_from(*number).ok().filter(|_| *number < self.writes.len());
        let before = |reg: Reg| -> Writers {
            let own = of.get(&reg).into_iter().flatten().filter(|number| state.has(**number));
            own.map(|number| number_of(number).unwrap_or(NEVER)).collect()
        };
        let mut now = HashMap::<Reg, Writers>::new();
        for pc in block.clone() {
            let inst = &self.body.insts[pc];
            for reg in self.body.read(pc, inst).filter(|reg| of.contains_key(reg)) {
                let writers = now.entry(reg).or_insert_with(|| before(reg));
                reads[pc].push((reg, Rc::clone(writers)));
            }
            for number in self.first[pc]..self.first[pc + 1] {
                let reg = self.writes[number].reg;
                let kept = match inst.guard {
                    None => Rc::from([]),
                    Some(_) => now.get(&reg).map_or_else(|| before(reg), Rc::clone),
                };
                now.insert(reg, kept.iter().copied().chain([number as u32]).collect());
            }
        }
    }

    /// The value that an instruction reads from a register; `ftz` if it takes subnormals for zero, so
    /// that an earlier instruction may do so too.
    pub(super) fn read(&self, mut pc: usize, mut reg: Reg, ftz: bool) -> SignedValue {
        let mut negative = false;
        loop {
            let reads = self.reads[pc].iter().find(|(read, _)| *read == reg);
            let origin = match reads.map(|(_, writers)| writers) {
                None => Definition::Given(reg),
                Some(writers) => match writers[..] {
                    [NEVER] => Definition::Given(reg),
                    [number] if !self.is_guarded(number) => Definition::Made(number),
                    _ => Definition::Merged(Rc::clone(writers)),
                },
            };
            let passed = match &origin {
                Definition::Made(number) => self.passes(*number, ftz),
                _ => None,
            };
            let Some((from, through, minus)) = passed else {
                return SignedValue { origin, negative };
            };
            (pc, reg) = (from, through);
            negative ^= minus;
        }
    }

    fn is_guarded(&self, number: u32) -> bool {
        self.inst(number).guard.is_some()
    }

    /// The instruction of a write.
    pub(super) fn inst(&self, number: u32) -> &'p Inst {
        &self.body.insts[self.writes[number as usize].pc]
    }

    /// What a write passes on, if it does nothing else.
    pub(super) fn passes(&self, number: u32, ftz: bool) -> Option<Passed> {
        let at = 2 * number as usize + usize::from(ftz);
        let known = self.passed.borrow()[at];
        known.unwrap_or_else(|| {
            let passed = self.looked_through(number, ftz);
            self.passed.borrow_mut()[at] = Some(passed);
            passed
        })
    }

    fn looked_through(&self, number: u32, ftz: bool) -> Option<Passed> {
        let Write { pc, reg } = self.writes[number as usize];
        let Op::Lane(op) = &self.body.insts[pc].op else { return None };
        let same = |a: Reg, b: Reg| self.read(pc, a, ftz) == self.read(pc, b, ftz);
        match op {
            LaneOp::Mov { dst, src, .. } if dst.bits() == src.bits() => Some((pc, *src, false)),
            LaneOp::Cvt { to, from, rounding: None, float, src, .. }
                if to == from && to.is_float() && *float == Float::default() =>
            {
                Some((pc, *src, false))
            }
            LaneOp::Unary { op: UnaryOp::Neg, ty, float, a, .. }
                if ty.is_float() && *ty != Type::Bf16x2 && !float.ftz =>
            {
                Some((pc, *a, true))
            }
            LaneOp::Binary { op: BinaryOp::Mul(_), ty, float, a, b, .. } => {
                let (other, minus) = self.by_one(pc, (*ty, *float), [*a, *b], ftz)?;
                Some((pc, other, minus))
            }
            LaneOp::Binary { op: BinaryOp::Min | BinaryOp::Max, ty, float, a, b, .. }
                if ty.is_float() && !float.ftz && same(*a, *b) =>
            {
                Some((pc, *a, false))
            }
            LaneOp::Selp { a, b, .. } if same(*a, *b) => Some((pc, *a, false)),
            LaneOp::Unpack { parts, src, .. } => {
                let part = parts.iter().position(|part| *part == reg)?;
                let (at, LaneOp::Pack { parts: packed, .. }) = self.only_writer(pc, *src)? else {
                    return None;
                };
                (packed.len() == parts.len()).then_some((at, packed[part], false))
            }
            LaneOp::Pack { parts, .. } => {
                let unpacked = parts.iter().map(|part| self.only_writer(pc, *part));
                let unpacked = unpacked.collect::<Option<Vec<_>>>()?;
                let [(at, LaneOp::Unpack { parts: all, src, .. }), ..] = unpacked[..] else {
                    return None;
                };
                let whole = parts == all && unpacked.iter().all(|(other, _)| *other == at);
                whole.then_some((at, *src, false))
            }
            _ => None,
        }
    }

    /// The instruction on registers that alone may have written what another one reads.
    fn only_writer(&self, pc: usize, reg: Reg) -> Option<(usize, &'p LaneOp<Reg>)> {
        let (_, writers) = self.reads[pc].iter().find(|(read, _)| *read == reg)?;
        let [number] = writers[..] else { return None };
        if number == NEVER || self.is_guarded(number) {
            return None;
        }
        match &self.inst(number).op {
            Op::Lane(op) => Some((self.writes[number as usize].pc, op)),
            _ => None,
        }
    }

    /// Of a product with 1 or -1 that ptxas drops: the other factor, and whether it is negated.
    fn by_one(
        &self,
        pc: usize,
        (ty, float): (Type, Float),
        [a, b]: [Reg; 2],
        ftz: bool,
    ) -> Option<(Reg, bool)> {
        let plain = float.rounding == Rounding::Unwritten && !float.sat && (!float.ftz || ftz);
        if !plain || !matches!(ty, Type::F32 | Type::F64) {
            return None;
        }
        let format = Format::of(ty);
        let one = |reg: Reg| {
            let value = self.read(pc, reg, ftz);
            let bits = self.body.constant(&value.origin)?;
            let minus = format.is_negative(bits) != value.negative;
            (format.magnitude(bits) == format.one()).then_some(minus)
        };
        one(a).map(|minus| (b, minus)).or_else(|| Some((a, one(b)?)))
    }
}

impl Body<'_> {
    /// The bits of a constant.
    pub(super) fn constant(&self, origin: &Definition) -> Option<u64> {
        match origin {
            Definition::Given(reg) => match self.given.get(reg)? {
                RowInit::Constant(bits) => Some(*bits),
                _ => None,
            },
            _ => None,
        }
    }

    fn written(&self, pc: usize, inst: &Inst) -> impl Iterator<Item = Reg> {
        let results = self.site(pc).into_iter().flat_map(|site| &site.results);
        let own = inst.op.operands().into_iter().filter(|(.., how)| how.writes());
        own.map(|(reg, ..)| reg).chain(results.filter_map(Transfer::outside))
    }

    fn read(&self, pc: usize, inst: &Inst) -> impl Iterator<Item = Reg> {
        let args = self.site(pc).into_iter().flat_map(|site| &site.args);
        let own = inst.op.operands().into_iter().filter(|(.., how)| how.reads());
        let guard = inst.guard.map(|(reg, _)| reg);
        own.map(|(reg, ..)| reg).chain(args.filter_map(Transfer::outside)).chain(guard)
    }
}

/// Whether the instruction's result is rounded in a way that the PTX prescribes.
pub(super) const fn is_exact_quotient(op: &LaneOp<Reg>) -> bool {
    match op {
        LaneOp::Binary { op: BinaryOp::Div, ty, float, .. }
        | LaneOp::Unary { op: UnaryOp::Sqrt | UnaryOp::Rcp, ty, float, .. } => {
            ty.is_float() && !matches!(float.rounding, Rounding::Approximate)
        }
        _ => false,
    }
}
