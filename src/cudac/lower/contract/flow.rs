//! The lines of a kernel as instructions, blocks and the ways between them.

use std::collections::HashMap;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstKind {
    /// A product that may be fused with a sum.
    Product,
    /// A sum, or a difference, that may be fused with a product.
    Sum {
        minus: bool,
    },
    Copy,
    /// A register with the other sign.
    Negation,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FlowOperand<'a> {
    Register(usize),
    Literal(&'a str),
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct FlowInst<'a> {
    pub line: usize,
    pub kind: InstKind,
    /// The type that it computes in: `f32`.
    pub ty: &'a str,
    pub writes: Vec<usize>,
    pub reads: Vec<usize>,
    /// Its operands, if it is arithmetic.
    pub terms: Vec<FlowOperand<'a>>,
    /// Whether its value follows from its operands alone.
    pub is_pure: bool,
    /// Whether it copies, always.
    pub is_move: bool,
    /// Whether it goes to another block, always.
    pub is_jump: bool,
    /// Whether nothing is missing without it but its value.
    pub may_go: bool,
    pub compares: bool,
}

/// Instructions that run one after another.
#[derive(Debug, Default)]
pub(super) struct BasicBlock {
    pub insts: Range<usize>,
    pub from: Vec<usize>,
    pub to: Vec<usize>,
    /// The block after which alone it comes, also by way of short branches.
    pub before: Option<usize>,
    /// The registers that those branches write.
    pub chosen: Vec<usize>,
    /// Whether it always runs together with that block: branches of a few instructions become choices
    /// between values.
    pub is_joined: bool,
}

#[derive(Debug, Default)]
pub(super) struct KernelFlow<'a> {
    pub insts: Vec<FlowInst<'a>>,
    pub blocks: Vec<BasicBlock>,
    pub names: Vec<&'a str>,
    /// The instructions that write each register.
    pub writers: Vec<Vec<usize>>,
    /// How many instructions read each register.
    pub readers: Vec<usize>,
    pub block_of: Vec<usize>,
    /// The registers that only ever hold a number.
    known: HashMap<usize, &'a str>,
}

const WITHOUT_RESULT: &[&str] =
    &["st", "red", "bra", "bar", "barrier", "membar", "fence", "ret", "exit"];

/// Instructions that do nothing but compute their result.
const FREE: &[&str] = &[
    "mul", "add", "sub", "fma", "mad", "neg", "abs", "min", "max", "div", "rem", "mov", "cvt",
    "selp", "setp", "and", "or", "xor", "not", "shl", "shr", "sqrt", "rsqrt", "rcp", "ex2", "lg2",
    "sin", "cos", "tanh", "ld",
];

/// The most instructions of a branch that becomes a choice between values.
const FEW: usize = 4;

/// The most registers at the beginnings of blocks of which it is found out whether they are needed.
const MOST_LIVE: usize = 4_000_000;

const MOST_ROUNDS: usize = 16;

/// Instructions whose value does not follow from their operands alone.
const IMPURE: &[&str] = &["ld", "atom", "shfl", "vote", "match", "activemask", "redux"];

impl<'a> KernelFlow<'a> {
    /// Reads lines; `marked` are those that may be contracted.
    pub(super) fn of(lines: &'a [String], marked: &[usize]) -> Self {
        let mut flow = Self::default();
        let mut known = HashMap::new();
        let mut labels = HashMap::new();
        let mut branches = Vec::new();
        flow.blocks.push(BasicBlock::default());
        let mut falls_through = true;
        for (line, text) in lines.iter().enumerate() {
            if let Some(label) = text.strip_suffix(':') {
                // After a branch the next block is there already.
                if flow.blocks.last().is_some_and(|last| last.insts.start < flow.insts.len()) {
                    flow.next_block(&mut falls_through);
                }
                labels.insert(label, flow.blocks.len() - 1);
                continue;
            }
            let Some(text) = text.trim().strip_suffix(';').filter(|text| !text.starts_with('.'))
            else {
                continue;
            };
            let (guard, rest) = match text.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
                Some((guard, rest)) => (Some(guard.trim_start_matches('!')), rest),
                None => (None, text),
            };
            let is_marked = marked.binary_search(&line).is_ok();
            flow.instruction((line, is_marked), guard, rest, &mut known);
            let opcode = rest.split([' ', '.']).next().unwrap_or("");
            if matches!(opcode, "bra" | "ret" | "exit" | "trap") {
                if let Some((_, label)) = rest.split_once(' ').filter(|_| opcode == "bra") {
                    branches.push((flow.blocks.len() - 1, label.trim()));
                }
                falls_through = guard.is_some();
                flow.next_block(&mut falls_through);
            }
        }
        let end = flow.insts.len();
        if let Some(last) = flow.blocks.last_mut() {
            last.insts.end = end;
        }
        for (from, label) in branches {
            if let Some(to) = labels.get(label) {
                flow.join(from, *to);
            }
        }
        flow.index();
        flow
    }

    /// The number that an operand is, if it is one.
    pub(super) fn number(&self, term: &FlowOperand<'a>) -> Option<&'a str> {
        match term {
            FlowOperand::Literal(text) => Some(text),
            FlowOperand::Register(register) => self.known.get(register).copied(),
        }
    }

    /// Whether an operand is the number 2.
    pub(super) fn is_two(&self, term: &FlowOperand<'a>) -> bool {
        matches!(self.number(term), Some("0f40000000" | "0d4000000000000000"))
    }

    /// Says who writes and reads each register, and where each instruction is.
    fn index(&mut self) {
        self.writers = vec![Vec::new(); self.names.len()];
        self.readers = vec![0; self.names.len()];
        for (index, inst) in self.insts.iter().enumerate() {
            inst.writes.iter().for_each(|register| self.writers[*register].push(index));
            inst.reads.iter().for_each(|register| self.readers[*register] += 1);
        }
        for inst in self.insts.iter().filter(|inst| inst.is_move) {
            if let ([to], [FlowOperand::Literal(text)]) = (&*inst.writes, &*inst.terms)
                && self.writers[*to].len() == 1
            {
                self.known.insert(*to, text);
            }
        }
        self.block_of = vec![0; self.insts.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            self.block_of[block.insts.clone()].fill(index);
        }
        self.join_blocks();
    }

    fn join(&mut self, from: usize, to: usize) {
        self.blocks[from].to.push(to);
        self.blocks[to].from.push(from);
    }

    /// Begins a block, to which the one before goes on unless it ended otherwise.
    fn next_block(&mut self, falls_through: &mut bool) {
        let (last, end) = (self.blocks.len() - 1, self.insts.len());
        self.blocks[last].insts.end = end;
        self.blocks.push(BasicBlock { insts: end..end, ..BasicBlock::default() });
        if std::mem::replace(falls_through, true) {
            self.join(last, last + 1);
        }
    }

    fn instruction(
        &mut self,
        (line, is_marked): (usize, bool),
        guard: Option<&'a str>,
        text: &'a str,
        known: &mut HashMap<&'a str, usize>,
    ) {
        let (op, operands) = text.split_once(' ').unwrap_or((text, ""));
        let name = op.split('.').next().unwrap_or(op);
        let mut registers = |text: &'a str| -> Vec<usize> {
            let all = names(text).map(|name| {
                *known.entry(name).or_insert_with(|| {
                    self.names.push(name);
                    self.names.len() - 1
                })
            });
            all.collect()
        };
        let mut parts = parts(operands).into_iter();
        let mut writes = Vec::new();
        let mut reads: Vec<usize> = guard.map(&mut registers).unwrap_or_default();
        if !WITHOUT_RESULT.contains(&name)
            && let Some(first) = parts.next()
        {
            // A result in brackets is an address.
            if first.starts_with('[') {
                reads.extend(registers(first));
            } else {
                writes = registers(first);
            }
        }
        let mut terms = Vec::new();
        for part in parts {
            let of_it = registers(part);
            terms.push(match *of_it {
                [one] if part.starts_with('%') => FlowOperand::Register(one),
                _ => FlowOperand::Literal(part),
            });
            reads.extend(of_it);
        }
        let alike = |terms: &[FlowOperand<'_>], names: &[&str]| match (terms, &*writes) {
            ([FlowOperand::Register(from)], [to]) => class(names[*from]) == class(names[*to]),
            _ => false,
        };
        let kind = match name {
            _ if guard.is_some() => InstKind::Other,
            "mul" if is_marked => InstKind::Product,
            "add" if is_marked => InstKind::Sum { minus: false },
            "sub" if is_marked => InstKind::Sum { minus: true },
            "mov" if alike(&terms, &self.names) => InstKind::Copy,
            "neg" if op.contains(".f") => InstKind::Negation,
            _ => InstKind::Other,
        };
        // What is written under a condition, or by an instruction unknown here, may keep its value.
        if guard.is_some() || !op.contains('.') {
            reads.extend(&writes);
        }
        let ty = op.rsplit('.').next().unwrap_or("");
        let is_pure = !IMPURE.contains(&name) && !operands.contains("%tid");
        let compares = name == "setp" && matches!(ty, "s32" | "u32");
        let may_go = guard.is_none() && FREE.contains(&name) && !writes.is_empty();
        let is_jump = name == "bra" && guard.is_none();
        let is_move = name == "mov" && guard.is_none();
        self.insts.push(FlowInst {
            line,
            kind,
            ty,
            writes,
            reads,
            terms,
            is_pure,
            is_move,
            is_jump,
            may_go,
            compares,
        });
    }

    /// The first of the blocks that always run together with this one.
    pub(super) fn first_of(&self, mut block: usize) -> usize {
        while let Some(before) = self.blocks[block].before.filter(|_| self.blocks[block].is_joined)
        {
            block = before;
        }
        block
    }

    /// Whether a block has always run when another one does, to which it is joined.
    pub(super) fn runs_before(&self, block: usize, mut later: usize) -> bool {
        while later != block {
            let own = &self.blocks[later];
            let Some(before) = own.before.filter(|_| own.is_joined) else { return false };
            later = before;
        }
        true
    }

    /// Finds the block before each.
    fn join_blocks(&mut self) {
        for block in 0..self.blocks.len() {
            match *self.blocks[block].from {
                [before] if before < block => {
                    let is_joined = self.blocks[before].to.len() == 1;
                    let own = &mut self.blocks[block];
                    (own.before, own.is_joined) = (Some(before), is_joined);
                }
                [one, other] => self.join_branches(block, [one, other]),
                _ => {}
            }
        }
    }

    /// `if (..) x = y;` and `if (..) x = y; else x = z;` before a block.
    fn join_branches(&mut self, block: usize, from: [usize; 2]) {
        let root = |arm: usize| match *self.blocks[arm].from {
            [root] if self.is_short(arm) && self.blocks[arm].to == [block] => Some(root),
            _ => None,
        };
        let [one, other] = from;
        let (before, arms) = match (root(one), root(other)) {
            (Some(root), _) if root == other => (root, vec![one]),
            (_, Some(root)) if root == one => (root, vec![other]),
            (Some(root), Some(same)) if root == same => (root, vec![one, other]),
            _ => return,
        };
        if arms.iter().any(|arm| *arm <= before || *arm >= block) {
            return;
        }
        for arm in arms {
            let insts = self.insts[self.blocks[arm].insts.clone()].iter();
            let writes: Vec<_> = insts.flat_map(|inst| inst.writes.clone()).collect();
            self.blocks[arm].is_joined = true;
            self.blocks[block].chosen.extend(writes);
        }
        let own = &mut self.blocks[block];
        (own.before, own.is_joined) = (Some(before), true);
    }

    /// Whether a branch only computes a few values.
    fn is_short(&self, block: usize) -> bool {
        let insts = &self.insts[self.blocks[block].insts.clone()];
        let is_jump = |inst: &FlowInst<'_>| inst.is_jump;
        let works = insts.iter().filter(|inst| inst.kind != InstKind::Copy && !is_jump(inst));
        works.count() <= FEW
            && insts.iter().all(|inst| inst.may_go && inst.is_pure || is_jump(inst))
    }

    /// Whether a block begins a loop that counts to a number: compilers write out its few rounds.
    pub(super) fn is_counted(&self, block: usize) -> bool {
        let inst = self.insts.get(self.blocks[block].insts.start);
        inst.is_some_and(|inst| {
            inst.compares && matches!(inst.terms[..], [_, FlowOperand::Literal(_)])
        })
    }

    /// Which instructions compute what nothing needs: compilers leave them out.
    pub(super) fn dead(&self) -> Vec<bool> {
        let mut dead = vec![false; self.insts.len()];
        let registers: HashMap<_, _> = (0..self.names.len()).map(|one| (one, one)).collect();
        let may_take = self.blocks.len() * registers.len() <= MOST_LIVE;
        for _ in 0..if may_take { MOST_ROUNDS } else { 0 } {
            let reads = |inst: usize| (!dead[inst]).then(|| self.insts[inst].reads.clone());
            let live = self.live(&registers, &reads);
            let mut found = Vec::new();
            for (block, own) in self.blocks.iter().enumerate() {
                let mut now = self.live_after(block, &live, registers.len());
                for inst in own.insts.clone().rev() {
                    let is_needed = self.insts[inst].writes.iter().any(|one| now[*one]);
                    if self.insts[inst].may_go && !dead[inst] && !is_needed {
                        found.push(inst);
                    } else {
                        self.step_back(inst, &mut now, &registers, &reads);
                    }
                }
            }
            if found.is_empty() {
                break;
            }
            for inst in found {
                dead[inst] = true;
            }
        }
        dead
    }

    /// Which of these registers are live at the beginning of each block, by their places in the list;
    /// `reads` tells what an instruction reads, and `None` for one that is not there any more.
    pub(super) fn live(
        &self,
        registers: &HashMap<usize, usize>,
        reads: &impl Fn(usize) -> Option<Vec<usize>>,
    ) -> Vec<Vec<bool>> {
        let mut live = vec![vec![false; registers.len()]; self.blocks.len()];
        let mut changed = !registers.is_empty();
        while changed {
            changed = false;
            for block in (0..self.blocks.len()).rev() {
                let mut now = self.live_after(block, &live, registers.len());
                for inst in self.blocks[block].insts.clone().rev() {
                    self.step_back(inst, &mut now, registers, reads);
                }
                changed |= now != live[block];
                live[block] = now;
            }
        }
        live
    }

    pub(super) fn live_after(&self, block: usize, live: &[Vec<bool>], count: usize) -> Vec<bool> {
        let mut now = vec![false; count];
        for next in &self.blocks[block].to {
            now.iter_mut().zip(&live[*next]).for_each(|(one, other)| *one |= other);
        }
        now
    }

    /// What is live before an instruction, from what is after it.
    pub(super) fn step_back(
        &self,
        inst: usize,
        now: &mut [bool],
        registers: &HashMap<usize, usize>,
        reads: &impl Fn(usize) -> Option<Vec<usize>>,
    ) {
        let Some(read) = reads(inst) else { return };
        let place = |register: &usize| registers.get(register).copied();
        self.insts[inst].writes.iter().filter_map(place).for_each(|at| now[at] = false);
        read.iter().filter_map(place).for_each(|at| now[at] = true);
    }
}

/// The operands, without what stands between them.
fn parts(text: &str) -> Vec<&str> {
    let (mut all, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                all.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(text[start..].trim());
    all
}

/// The registers that a text names, of those that the compiler gives: `%f12`.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('%').filter_map(|(at, _)| {
        let rest = &text[at + 1..];
        let letters = rest.find(|one: char| !one.is_ascii_lowercase())?;
        let digits = rest[letters..].find(|one: char| !one.is_ascii_digit());
        let end = digits.map_or(rest.len(), |digits| letters + digits);
        (letters > 0 && end > letters).then(|| &text[at..=at + end])
    })
}

pub(super) fn class(name: &str) -> &str {
    name.trim_end_matches(|one: char| one.is_ascii_digit())
}
