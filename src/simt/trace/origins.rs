//! Where the values in registers and in shared memory were loaded from in global memory.

use crate::sim::{
    Access, AsyncTransfer, Effect, FIRST, Inst, LaneMask, Machine, OtherEnd, Pc, Program, Reg, Step,
};
use ptx::{AsyncOp, LaneOp, MemoryOp, Op, Space};
use std::collections::HashMap;
use std::sync::Arc;

/// The word of global memory from which a value was loaded and has not changed since: its number
/// from 1 on, or 0 if the value has another origin.
pub(super) type Origin = u32;

/// The origins of all values that only moved.
#[derive(Clone, Debug)]
pub struct Origins {
    /// By instruction.
    moves: Arc<[OriginEffect]>,
    /// For each warp, for each register that ever holds a loaded value, by lane.
    registers: Vec<Vec<[Origin; 32]>>,
    /// For each word of shared memory.
    pub(super) words: Vec<Origin>,
    /// For each word of shared memory to which an asynchronous copy is on its way.
    copies: HashMap<usize, Origin>,
}

/// The number of a register among those that ever hold a loaded value.
type Slot = usize;

/// What an instruction does with origins.
#[derive(Clone, Debug)]
enum OriginEffect {
    Nothing,
    /// Loads words from memory, one into each register.
    Load(Vec<Slot>),
    /// Stores words, one from each register.
    Store(Vec<Option<Slot>>),
    /// Copies a register.
    Pass(Option<Slot>, Slot),
    /// Multiplies two registers and adds the product to a third.
    Multiply([Option<Slot>; 2], Option<Slot>),
    /// Gives registers values of another origin.
    Overwrite(Vec<Slot>),
}

impl Origins {
    /// None yet, before the machine's first step.
    pub fn new(machine: &Machine) -> Self {
        let (moves, slots) = moves(machine.program());
        let registers = vec![vec![[0; 32]; slots]; machine.warps()];
        let words = vec![0; machine.shared().len()];
        Self { moves, registers, words, copies: HashMap::new() }
    }

    /// Estimates the bytes that a copy takes.
    pub(super) fn bytes(&self) -> usize {
        let registers: usize = self.registers.iter().map(|warp| size_of_val(&**warp)).sum();
        registers + size_of_val(&*self.words)
    }

    /// Follows the values that a step moved.
    pub fn add(&mut self, step: &Step) {
        if let Effect::Async(effect) = &step.effect {
            let (stores, transfers) = effect.brought();
            effect.copy().into_iter().for_each(|copy| self.copy(copy));
            for store in stores {
                self.land(store);
            }
            for landed in transfers {
                self.bring(&landed.copy);
            }
        }
        let shared = step.accesses().iter().filter(|access| access.space == Space::Shared);
        for access in shared.filter(|access| access.direction.writes()) {
            self.land(access);
        }
        let Self { moves, registers, words, copies, .. } = self;
        let registers = &mut registers[usize::from(step.warp)];
        match &moves[step.pc.0 as usize] {
            OriginEffect::Nothing => {}
            OriginEffect::Load(to) => load(step, to, registers, words),
            OriginEffect::Store(from) => store(step, from, registers, (words, copies)),
            OriginEffect::Pass(from, to) => {
                let values = from.map_or([0; 32], |from| registers[from]);
                step.active.lanes().for_each(|lane| registers[*to][lane] = values[lane]);
            }
            OriginEffect::Multiply(_, to) => forget(registers, to.as_slice(), step.active),
            OriginEffect::Overwrite(to) => forget(registers, to, step.active),
        }
    }

    /// Remembers what an asynchronous copy brings to which words.
    fn copy(&mut self, [load, store]: &[Access; 2]) {
        for (lane, addr) in load.touched() {
            let count = u64::from(store.bytes).div_ceil(4);
            let each = (0..count).map(|word| 4 * word);
            self.copies.extend(
                each.map(|byte| ((store.addrs[lane] + byte) as usize / 4, origin(addr + byte))),
            );
        }
    }

    /// Gives the words of a write to shared memory the origin that a copy brings them, if any.
    fn land(&mut self, access: &Access) {
        for word in words(access) {
            let brought = self.copies.remove(&word).unwrap_or(0);
            if let Some(origin) = self.words.get_mut(word) {
                *origin = brought;
            }
        }
    }

    /// Gives the words that a transfer writes the origin of what it brings.
    fn bring(&mut self, copy: &AsyncTransfer) {
        for (number, word) in copy.words().enumerate() {
            let each = usize::from(copy.each) / 4;
            let (piece, byte) = (&copy.pieces[number / each], 4 * (number % each) as u64);
            let inside = (u64::from(piece.inside[0])..piece.inside[1].into()).contains(&byte);
            let from = piece.other + byte;
            let brought = match copy.other {
                OtherEnd::Global if inside => origin(from),
                OtherEnd::Global => 0,
                OtherEnd::Shared => self.words.get(from as usize / 4).copied().unwrap_or(0),
                OtherEnd::Registers => self.copies.remove(&word).unwrap_or(0),
            };
            if let Some(origin) = self.words.get_mut(word) {
                *origin = if copy.reduces.is_some() { 0 } else { brought };
            }
        }
    }

    /// The addresses from which the two factors came that a lane multiplied when it last executed this
    /// multiply-add.
    pub fn factors(&self, warp: usize, pc: Pc, lane: usize) -> [Option<u64>; 2] {
        let OriginEffect::Multiply(factors, _) = &self.moves[pc.0 as usize] else {
            return [None; 2];
        };
        factors.map(|slot| address(self.registers[warp][slot?][lane]))
    }

    /// The address from which the value in a word of shared memory came.
    pub fn of_word(&self, word: usize) -> Option<u64> {
        self.words.get(word).copied().and_then(address)
    }

    /// Yields the addresses from which these lanes' values came that the instruction moved from or
    /// to shared memory, or multiplied, when they last executed it.
    pub(super) fn moved(&self, warp: usize, pc: Pc, lanes: LaneMask) -> impl Iterator<Item = u64> {
        let slots = match &self.moves[pc.0 as usize] {
            OriginEffect::Load(to) => to.clone(),
            OriginEffect::Store(from) => from.iter().copied().flatten().collect(),
            OriginEffect::Multiply(factors, _) => factors.iter().copied().flatten().collect(),
            OriginEffect::Nothing | OriginEffect::Pass(..) | OriginEffect::Overwrite(_) => {
                Vec::new()
            }
        };
        let registers = &self.registers[warp];
        let values = slots
            .into_iter()
            .flat_map(move |slot| lanes.lanes().map(move |lane| registers[slot][lane]));
        values.filter_map(address)
    }
}

/// Returns the numbers of the 4-byte words that an access touches.
pub(super) fn words(access: &Access) -> impl Iterator<Item = usize> {
    let count = usize::from(access.bytes).div_ceil(4);
    access.touched().flat_map(move |(_, addr)| (0..count).map(move |i| addr as usize / 4 + i))
}

/// The byte address of an origin.
pub(super) fn address(origin: Origin) -> Option<u64> {
    origin.checked_sub(1).map(|word| FIRST + 4 * u64::from(word))
}

fn origin(addr: u64) -> Origin {
    let word = addr.checked_sub(FIRST).map(|offset| offset / 4 + 1);
    word.and_then(|word| u32::try_from(word).ok()).unwrap_or(0)
}

fn load(step: &Step, to: &[Slot], registers: &mut [[Origin; 32]], shared: &[Origin]) {
    let Effect::Memory(access) = &step.effect else {
        return forget(registers, to, step.active);
    };
    for (number, slot) in (0..).zip(to) {
        for (lane, addr) in access.touched() {
            let addr = addr + 4 * number;
            registers[*slot][lane] = match access.space {
                Space::Global => origin(addr),
                Space::Shared => shared.get(addr as usize / 4).copied().unwrap_or(0),
                _ => 0,
            };
        }
    }
}

/// A store gives its words the origins of the registers; an asynchronous one does when it lands.
fn store(
    step: &Step,
    from: &[Option<Slot>],
    registers: &[[Origin; 32]],
    (shared, copies): (&mut [Origin], &mut HashMap<usize, Origin>),
) {
    if let Effect::Async(effect) = &step.effect {
        for copy in effect.started() {
            let lane = usize::from(copy.lane);
            let brought = from.iter().map(|slot| slot.map_or(0, |slot| registers[slot][lane]));
            copies.extend(copy.words().zip(brought));
        }
        return;
    }
    let Effect::Memory(access) = &step.effect else { return };
    if access.space != Space::Shared {
        return;
    }
    for (lane, addr) in access.touched() {
        for (word, slot) in (addr as usize / 4..).zip(from) {
            if let Some(origin) = shared.get_mut(word) {
                *origin = slot.map_or(0, |slot| registers[slot][lane]);
            }
        }
    }
}

fn forget(registers: &mut [[Origin; 32]], slots: &[Slot], lanes: LaneMask) {
    for slot in slots {
        lanes.lanes().for_each(|lane| registers[*slot][lane] = 0);
    }
}

/// Returns what each instruction of a program does, and the number of registers that ever hold a
/// loaded value.
fn moves(program: &Program) -> (Arc<[OriginEffect]>, usize) {
    let slots = slots(program);
    let moves = program.insts.iter().map(|inst| effect(inst, &slots));
    (moves.collect(), slots.len())
}

/// Numbers the registers that ever hold a loaded word.
fn slots(program: &Program) -> HashMap<Reg, Slot> {
    let mut slots = HashMap::new();
    let mut add = |reg: Reg| {
        let next = slots.len();
        slots.entry(reg).or_insert(next);
    };
    program.insts.iter().flat_map(loaded).copied().for_each(&mut add);
    loop {
        let before = slots.len();
        for inst in &program.insts {
            if let Op::Lane(LaneOp::Mov { dst, src, .. }) = &inst.op
                && slots.contains_key(src)
            {
                let next = slots.len();
                slots.entry(*dst).or_insert(next);
            }
        }
        if slots.len() == before {
            return slots;
        }
    }
}

/// The registers into which an instruction loads whole words from memory that warps share.
fn loaded(inst: &Inst) -> &[Reg] {
    match &inst.op {
        Op::Memory(MemoryOp::Ld { space, ty, dst, .. })
            if ty.bytes() == 4
                && matches!(space, Space::Global | Space::Shared | Space::Generic) =>
        {
            dst
        }
        _ => &[],
    }
}

fn effect(inst: &Inst, slots: &HashMap<Reg, Slot>) -> OriginEffect {
    let slot = |reg: &Reg| slots.get(reg).copied();
    match &inst.op {
        Op::Memory(MemoryOp::Ld { .. }) if !loaded(inst).is_empty() => {
            OriginEffect::Load(loaded(inst).iter().filter_map(slot).collect())
        }
        Op::Memory(MemoryOp::St { ty, src, .. }) if ty.bytes() == 4 => {
            OriginEffect::Store(src.iter().map(slot).collect())
        }
        Op::Async(AsyncOp::Store(store)) if store.ty.bytes() == 4 => {
            OriginEffect::Store(store.src.iter().map(slot).collect())
        }
        Op::Lane(LaneOp::Mov { dst, src, .. }) => {
            slot(dst).map_or(OriginEffect::Nothing, |to| OriginEffect::Pass(slot(src), to))
        }
        Op::Lane(LaneOp::Ternary { op, dst, abc: [a, b, _], .. }) if op.is_fma() => {
            OriginEffect::Multiply([slot(a), slot(b)], slot(dst))
        }
        op => {
            let written = op.operands().into_iter().filter(|(.., how)| how.writes());
            let overwritten: Vec<_> = written.filter_map(|(reg, ..)| slot(&reg)).collect();
            if overwritten.is_empty() {
                OriginEffect::Nothing
            } else {
                OriginEffect::Overwrite(overwritten)
            }
        }
    }
}
