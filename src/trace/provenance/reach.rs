//! Forwards: from an element of global memory to everything that its value came into.

use super::backwards::{Moment, Run};
use super::flow::{Edge, Flow};
use super::{Bytes, GivenUp, Word, low, words};
use crate::ptx::Space;
use crate::sim::{Access, Direction, Effect, LaneMask, Machine, Pc, Reg};
use std::collections::HashMap;

/// What happened to the value of one element in a block's run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// In the order in which it happened.
    pub events: Vec<Event>,
    /// The elements of global memory that were stored with a value that it went into, ascending.
    pub outputs: Vec<Output>,
}

/// Something that a warp did with the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Steps done when it had been executed.
    pub index: u32,
    /// The instruction.
    pub pc: Pc,
    /// The warp.
    pub warp: u16,
    /// The lanes that had to do with the value.
    pub lanes: LaneMask,
    /// What they did.
    pub what: What,
}

/// What can happen to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// It is loaded from global memory.
    Loaded,
    /// It is stored in shared memory, at this byte.
    Kept(u32),
    /// It is loaded from there.
    Read(u32),
    /// It is combined with another value.
    Used,
    /// A value that it went into is stored in global memory.
    Stored,
}

/// An element that the value went into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Output {
    /// Its address.
    pub addr: u64,
    /// The warp that stored it.
    pub warp: u16,
    /// The lane.
    pub lane: u8,
}

impl Reach {
    /// What the block of `machine`, which has not run yet, does with the value that it finds in
    /// these bytes of global memory.
    ///
    /// A block that goes wrong is followed as far as it ran.
    ///
    /// # Errors
    /// `wanted`, which is asked now and then, says no.
    pub fn of(machine: Machine, bytes: Bytes, wanted: impl Fn() -> bool) -> Result<Self, GivenUp> {
        let mut run = Run::new(machine);
        let mut spread = Spread::from(bytes);
        let mut reach = Self::default();
        while let Some(moment) = run.next() {
            spread.on(&run.flows[moment.step.pc.0 as usize], &moment, &mut reach);
            if moment.index.is_multiple_of(4096) && !wanted() {
                return Err(GivenUp);
            }
        }
        reach.outputs.sort_unstable();
        reach.outputs.dedup();
        Ok(reach)
    }

    /// Lanes that loaded the value from global memory, and the warps' requests in which they did.
    pub fn fetched(&self) -> (u64, u64) {
        self.count(|what| what == What::Loaded)
    }

    /// Lanes that combined the value with another, and the steps in which they did.
    pub fn used(&self) -> (u64, u64) {
        self.count(|what| what == What::Used)
    }

    fn count(&self, of: impl Fn(What) -> bool) -> (u64, u64) {
        let events = self.events.iter().filter(|event| of(event.what));
        events.fold((0, 0), |(lanes, steps), event| {
            (lanes + u64::from(event.lanes.count()), steps + 1)
        })
    }
}

/// Which bytes of a register are the value itself, in each lane, and in which lanes it holds
/// something that was made of it.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    same: [u8; 32],
    made: LaneMask,
}

/// The same of a word of memory.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    same: u8,
    made: bool,
}

/// How far the value has spread at one place of the run.
#[derive(Debug, Default)]
struct Spread {
    regs: HashMap<(u16, Reg), Marks>,
    memory: HashMap<Word, Mark>,
}

impl Spread {
    fn from(bytes: Bytes) -> Self {
        let word = |(index, _, same)| (Word::Global(index), Mark { same, made: false });
        let memory = words(bytes.addr, bytes.count).map(word).collect();
        Self { memory, ..Self::default() }
    }

    /// From the place before a step to the place after it.
    fn on(&mut self, flow: &Flow, moment: &Moment, reach: &mut Reach) {
        match flow {
            Flow::Nothing => {}
            Flow::Pass(edges) => self.pass(moment, edges),
            Flow::Join { from, to } => self.join(moment, from, to, reach),
            Flow::Choose { to, options, .. } => self.choose(moment, *to, *options),
            Flow::Load { to, size } => self.load(moment, to, *size, reach),
            Flow::Store { from, size } => self.store(moment, from, *size, reach),
            Flow::Copy => self.copy(moment, reach),
        }
    }

    fn pass(&mut self, moment: &Moment, edges: &[Edge]) {
        let from: Vec<_> = edges.iter().map(|edge| self.get(moment, edge.from)).collect();
        let mut to: Vec<(Reg, Marks)> = Vec::new();
        for (edge, from) in edges.iter().zip(from) {
            let place = to.iter().position(|(reg, _)| *reg == edge.to);
            let place = place.unwrap_or_else(|| {
                to.push((edge.to, Marks::default()));
                to.len() - 1
            });
            let marks = &mut to[place].1;
            marks.made = LaneMask(marks.made.0 | from.made.0);
            for (to, from) in marks.same.iter_mut().zip(from.same) {
                *to |= edge.on(from);
            }
        }
        for (reg, marks) in &to {
            self.set(moment, *reg, marks);
        }
    }

    fn join(&mut self, moment: &Moment, from: &[Reg], to: &[Reg], reach: &mut Reach) {
        let from = from.iter().map(|from| self.get(moment, *from));
        let (same, made) =
            from.fold((0, 0), |(same, made), marks| (same | marks.lanes().0, made | marks.made.0));
        let used = LaneMask(same).and(moment.step.active);
        if !used.is_empty() {
            reach.events.push(moment.event(used, What::Used));
        }
        let marks = Marks { made: LaneMask(same | made), ..Marks::default() };
        for to in to {
            self.set(moment, *to, &marks);
        }
    }

    fn choose(&mut self, moment: &Moment, to: Reg, options: [Reg; 2]) {
        let [first, second] = options.map(|reg| self.get(moment, reg));
        let made = first.made.and(moment.chosen).0 | second.made.without(moment.chosen).0;
        let option = |lane| if moment.chosen.has(lane) { &first } else { &second };
        let same = std::array::from_fn(|lane| option(lane).same[lane]);
        self.set(moment, to, &Marks { same, made: LaneMask(made) });
    }

    fn load(&mut self, moment: &Moment, to: &[Reg], size: u8, reach: &mut Reach) {
        let Effect::Memory(access) = &moment.step.effect else { return };
        let mut read = Touched::default();
        for (element, to) in (0..).zip(to) {
            let mut marks = Marks::default();
            for (lane, addr) in access.touched() {
                let addr = addr + element * u64::from(size);
                for (index, skip, bytes) in words(addr, size) {
                    let word = Word::new(access.space, index, moment.step.warp, lane);
                    let Some(mark) = self.memory.get(&word) else { continue };
                    let shift = bytes.trailing_zeros();
                    let same = (mark.same & bytes) >> shift << skip;
                    marks.same[lane] |= same;
                    marks.made.0 |= u32::from(mark.made) << lane;
                    read.add(lane, addr, same);
                }
            }
            self.set(moment, *to, &marks);
        }
        reach.events.extend(read.event(moment, access));
    }

    fn store(&mut self, moment: &Moment, from: &[Reg], size: u8, reach: &mut Reach) {
        let Effect::Memory(access) = &moment.step.effect else { return };
        let (mut kept, mut stored) = (Touched::default(), 0);
        for (element, from) in (0..).zip(from) {
            let marks = self.get(moment, *from);
            for (lane, addr) in access.touched() {
                let addr = addr + element * u64::from(size);
                let same = marks.same[lane] & low(size.into());
                self.put(moment, access.space, lane, (addr, size), same, marks.made.has(lane));
                kept.add(lane, addr, same);
                let global = !matches!(access.space, Space::Shared | Space::Local);
                if global && (same != 0 || marks.made.has(lane)) {
                    stored |= 1 << lane;
                    let (warp, lane) = (moment.step.warp, lane as u8);
                    reach.outputs.push(Output { addr, warp, lane });
                }
            }
        }
        let stored = (stored != 0).then(|| moment.event(LaneMask(stored), What::Stored));
        reach.events.extend(stored.or_else(|| kept.event(moment, access)));
    }

    fn copy(&mut self, moment: &Moment, reach: &mut Reach) {
        let Effect::Copy(copy) = &moment.step.effect else { return };
        let [from, into] = &**copy;
        let (mut loaded, mut kept) = (Touched::default(), Touched::default());
        for (lane, to) in into.touched() {
            for offset in (0..u64::from(into.bytes)).step_by(4) {
                let (to, addr) = (to + offset, from.addrs[lane] + offset);
                let mark = self.memory.get(&Word::Global(addr / 4)).copied();
                let mark = mark.filter(|_| from.active.has(lane)).unwrap_or_default();
                self.put(moment, Space::Shared, lane, (to, 4), mark.same, mark.made);
                loaded.add(lane, addr, mark.same);
                kept.add(lane, to, mark.same);
            }
        }
        reach.events.extend(loaded.event(moment, from));
        reach.events.extend(kept.event(moment, into));
    }

    /// Marks the words of a lane's element of so many bytes at an address.
    fn put(
        &mut self,
        moment: &Moment,
        space: Space,
        lane: usize,
        (addr, size): (u64, u8),
        same: u8,
        made: bool,
    ) {
        for (index, skip, bytes) in words(addr, size) {
            let word = Word::new(space, index, moment.step.warp, lane);
            let shift = bytes.trailing_zeros();
            let same = same >> skip << shift & bytes;
            if same == 0 && !made && !self.memory.contains_key(&word) {
                continue;
            }
            let mark = self.memory.entry(word).or_default();
            mark.same = mark.same & !bytes | same;
            // A word of which one half was made of the value may lose it with the other.
            mark.made = made || mark.made && bytes != 0b1111;
            if mark.same == 0 && !mark.made {
                self.memory.remove(&word);
            }
        }
    }

    fn get(&self, moment: &Moment, reg: Reg) -> Marks {
        self.regs.get(&(moment.step.warp, reg)).copied().unwrap_or_default()
    }

    /// Sets what is known of a register in the lanes that the step wrote.
    fn set(&mut self, moment: &Moment, reg: Reg, marks: &Marks) {
        let key = (moment.step.warp, reg);
        let blank = marks.lanes().is_empty() && marks.made.is_empty();
        if blank && !self.regs.contains_key(&key) {
            return;
        }
        let written = moment.step.active;
        let held = self.regs.entry(key).or_default();
        written.lanes().for_each(|lane| held.same[lane] = marks.same[lane]);
        held.made = LaneMask(held.made.without(written).0 | marks.made.and(written).0);
        if held.lanes().is_empty() && held.made.is_empty() {
            self.regs.remove(&key);
        }
    }
}

impl Marks {
    /// The lanes that hold the value itself, or a part of it.
    fn lanes(&self) -> LaneMask {
        let lanes = self.same.iter().enumerate();
        LaneMask(lanes.fold(0, |mask, (lane, same)| mask | u32::from(*same != 0) << lane))
    }
}

/// The lanes of an access that touched the value, and where the first of them found it.
#[derive(Debug, Default)]
struct Touched {
    lanes: u32,
    addr: u64,
}

impl Touched {
    fn add(&mut self, lane: usize, addr: u64, same: u8) {
        if same != 0 {
            if self.lanes == 0 {
                self.addr = addr + u64::from(same.trailing_zeros());
            }
            self.lanes |= 1 << lane;
        }
    }

    fn event(&self, moment: &Moment, access: &Access) -> Option<Event> {
        let what = match (access.space, access.direction) {
            _ if self.lanes == 0 => return None,
            (Space::Shared, Direction::Load) => What::Read(self.addr as u32),
            (Space::Shared, Direction::Store) => What::Kept(self.addr as u32),
            (Space::Global | Space::Generic, Direction::Load) => What::Loaded,
            (Space::Global | Space::Generic, Direction::Store)
            | (Space::Local | Space::Param | Space::Const, _) => return None,
        };
        Some(moment.event(LaneMask(self.lanes), what))
    }
}

impl Moment {
    fn event(&self, lanes: LaneMask, what: What) -> Event {
        let (index, pc, warp) = (self.index, self.step.pc, self.step.warp);
        Event { index, pc, warp, lanes, what }
    }
}
