//! Forwards: from an element of global memory to everything that its value came into.

mod product;
mod together;

use super::backwards::goes_on;
use super::backwards::{Moment, Run};
use super::exchange::passed;
use super::flow::{Edge, Flow, joined};
use super::slice::lane_words;
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
    /// How often: once by every lane, but what a tensor core multiplies goes into several products
    /// at once.
    pub times: u32,
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
            goes_on(moment.index as usize, &wanted)?;
        }
        reach.outputs.sort_unstable();
        reach.outputs.dedup();
        Ok(reach)
    }

    /// Lanes that loaded the value from global memory, and the warps' requests in which they did.
    pub fn fetched(&self) -> (u64, u64) {
        self.count(|what| what == What::Loaded)
    }

    /// How often the value was combined with another, by each lane or in each product of a tensor
    /// core, and the steps in which it was.
    pub fn used(&self) -> (u64, u64) {
        self.count(|what| what == What::Used)
    }

    fn count(&self, of: impl Fn(What) -> bool) -> (u64, u64) {
        let events = self.events.iter().filter(|event| of(event.what));
        events.fold((0, 0), |(times, steps), event| (times + u64::from(event.times), steps + 1))
    }
}

/// Which bytes of a register are the value itself, in each lane, and which were made of it.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    same: [u8; 32],
    made: [u8; 32],
}

/// The same of a word of memory.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    same: u8,
    made: u8,
}

/// How far the value has spread at one place of the run.
#[derive(Debug, Default)]
struct Spread {
    regs: HashMap<(u16, Reg), Marks>,
    memory: HashMap<Word, Mark>,
}

impl Spread {
    fn from(bytes: Bytes) -> Self {
        let word = |(index, _, same)| (Word::Global(index), Mark { same, made: 0 });
        let memory = words(bytes.addr, bytes.count).map(word).collect();
        Self { memory, ..Self::default() }
    }

    /// From the place before a step to the place after it.
    fn on(&mut self, flow: &Flow, moment: &Moment, reach: &mut Reach) {
        match flow {
            Flow::Nothing => {}
            Flow::Pass(edges) => self.pass(moment, edges),
            Flow::Join { from, to, packed } => self.join(moment, (from, to), *packed, reach),
            Flow::Choose { to, options, .. } => self.choose(moment, *to, *options),
            Flow::Load { to, size } => self.load(moment, to, *size, reach),
            Flow::Store { from, size } => self.store(moment, from, *size, reach),
            Flow::Copy => {
                self.copy(moment, reach);
                self.land(moment, reach);
            }
            Flow::Land => self.land(moment, reach),
            Flow::Exchange { op, .. } => self.exchange(moment, op, reach),
            Flow::Enter(args) => self.shift(moment, &passed(args, true, moment), reach),
            Flow::Leave => self.shift(moment, &passed(&moment.results, false, moment), reach),
            Flow::Reduce { from, to } => self.reduce(moment, *from, *to, reach),
            Flow::Multiply(products) => self.multiply(moment, products, reach),
            Flow::Product(product) => self.product(moment, product, reach),
            Flow::Atomic { to, from, size, replaces } => {
                self.atomic(moment, (*to, from), (*size, *replaces), reach);
            }
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
            for lane in 0..32 {
                marks.same[lane] |= edge.on(from.same[lane]);
                marks.made[lane] |= edge.on(from.made[lane]);
            }
        }
        for (reg, marks) in &to {
            self.set(moment, *reg, marks);
        }
    }

    fn join(
        &mut self,
        moment: &Moment,
        (from, to): (&[Reg], &[Reg]),
        packed: bool,
        reach: &mut Reach,
    ) {
        let mut marks = Marks::default();
        let mut used = LaneMask::NONE;
        let known = from.iter().filter_map(|from| self.regs.get(&(moment.step.warp, *from)));
        for from in known {
            used.0 |= from.lanes().0;
            for (lane, made) in marks.made.iter_mut().enumerate() {
                *made |= joined(packed, from.same[lane] | from.made[lane]);
            }
        }
        let used = used.and(moment.step.active);
        reach.use_by(moment, used);
        for to in to {
            self.set(moment, *to, &marks);
        }
    }

    fn choose(&mut self, moment: &Moment, to: Reg, options: [Reg; 2]) {
        let [first, second] = options.map(|reg| self.get(moment, reg));
        let option = |lane| if moment.chosen.has(lane) { &first } else { &second };
        let same = std::array::from_fn(|lane| option(lane).same[lane]);
        let made = std::array::from_fn(|lane| option(lane).made[lane]);
        self.set(moment, to, &Marks { same, made });
    }

    fn load(&mut self, moment: &Moment, to: &[Reg], size: u8, reach: &mut Reach) {
        let accesses = moment.step.accesses();
        let mut read = vec![Touched::default(); accesses.len()];
        for (element, to) in (0..).zip(to) {
            let mut marks = Marks::default();
            for (access, read) in accesses.iter().zip(&mut read) {
                for (lane, addr) in access.touched() {
                    let addr = addr + element * u64::from(size);
                    let mark = self.at(moment, access.space, lane, (addr, size));
                    (marks.same[lane], marks.made[lane]) = (mark.same, mark.made);
                    read.add(lane, addr, mark.same);
                }
            }
            self.set(moment, *to, &marks);
        }
        let events = read.into_iter().zip(accesses);
        reach.events.extend(events.filter_map(|(read, access)| read.event(moment, access)));
    }

    fn store(&mut self, moment: &Moment, from: &[Reg], size: u8, reach: &mut Reach) {
        for access in moment.step.accesses() {
            self.store_part(moment, access, (from, size), reach);
        }
    }

    fn store_part(
        &mut self,
        moment: &Moment,
        access: &Access,
        (from, size): (&[Reg], u8),
        reach: &mut Reach,
    ) {
        let (mut kept, mut stored) = (Touched::default(), 0);
        for (element, from) in (0..).zip(from) {
            let marks = self.get(moment, *from);
            for (lane, addr) in access.touched() {
                let addr = addr + element * u64::from(size);
                let inside = |mask: u8| mask & low(size.into());
                let (same, made) = (inside(marks.same[lane]), inside(marks.made[lane]));
                let mark = Mark { same, made };
                self.put(moment, access.space, lane, (addr, size), mark);
                kept.add(lane, addr, same);
                let global = !matches!(access.space, Space::Shared | Space::Local);
                if global && !mark.is_blank() {
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
        let mut loaded = Touched::default();
        for (lane, index) in lane_words(into) {
            let number = usize::from(lane);
            let addr = from.addrs[number] + (4 * index - into.addrs[number]);
            let mark = self.memory.get(&Word::Global(addr / 4)).copied();
            let mark = mark.filter(|_| from.active.has(number)).unwrap_or_default();
            self.mark(Word::Copied(moment.step.warp, lane, index), mark);
            loaded.add(number, addr, mark.same);
        }
        reach.events.extend(loaded.event(moment, from));
    }

    fn land(&mut self, moment: &Moment, reach: &mut Reach) {
        for access in &moment.landed {
            let mut kept = Touched::default();
            let words: Vec<_> = lane_words(access).collect();
            for (lane, index) in words.into_iter().rev() {
                let copied = Word::Copied(moment.step.warp, lane, index);
                let mark = self.memory.remove(&copied).unwrap_or_default();
                self.mark(Word::Shared(index), mark);
                kept.add(lane.into(), 4 * index, mark.same);
            }
            reach.events.extend(kept.event(moment, access));
        }
    }

    /// What is known of some bytes from an address on; they are counted from there.
    fn at(&self, moment: &Moment, space: Space, lane: usize, (addr, size): (u64, u8)) -> Mark {
        let mut found = Mark::default();
        for (index, skip, bytes) in words(addr, size) {
            let word = Word::new(space, index, moment.step.warp, lane);
            let Some(mark) = self.memory.get(&word) else { continue };
            let moved = |mask: u8| (mask & bytes) >> bytes.trailing_zeros() << skip;
            found.same |= moved(mark.same);
            found.made |= moved(mark.made);
        }
        found
    }

    /// Sets what is known of a whole word.
    fn mark(&mut self, word: Word, mark: Mark) {
        if mark.is_blank() {
            self.memory.remove(&word);
        } else {
            self.memory.insert(word, mark);
        }
    }

    /// Marks the words of a lane's element of so many bytes at an address.
    fn put(
        &mut self,
        moment: &Moment,
        space: Space,
        lane: usize,
        (addr, size): (u64, u8),
        mark: Mark,
    ) {
        for (index, skip, bytes) in words(addr, size) {
            let word = Word::new(space, index, moment.step.warp, lane);
            let was = self.memory.get(&word).copied().unwrap_or_default();
            let moved = |mask: u8| mask >> skip << bytes.trailing_zeros() & bytes;
            let same = was.same & !bytes | moved(mark.same);
            let made = was.made & !bytes | moved(mark.made);
            self.mark(word, Mark { same, made });
        }
    }

    fn get(&self, moment: &Moment, reg: Reg) -> Marks {
        self.regs.get(&(moment.step.warp, reg)).copied().unwrap_or_default()
    }

    /// Sets what is known of a register in the lanes that the step wrote.
    fn set(&mut self, moment: &Moment, reg: Reg, marks: &Marks) {
        let key = (moment.step.warp, reg);
        if marks.is_blank() && !self.regs.contains_key(&key) {
            return;
        }
        let held = self.regs.entry(key).or_default();
        for lane in moment.step.active.lanes() {
            (held.same[lane], held.made[lane]) = (marks.same[lane], marks.made[lane]);
        }
        if held.is_blank() {
            self.regs.remove(&key);
        }
    }
}

impl Marks {
    /// The lanes that hold the value itself, or a part of it.
    fn lanes(&self) -> LaneMask {
        (0..32).filter(|lane| self.same[*lane] != 0).collect()
    }

    fn is_blank(&self) -> bool {
        self.same == [0; 32] && self.made == [0; 32]
    }
}

impl Mark {
    const fn is_blank(self) -> bool {
        self.same == 0 && self.made == 0
    }
}

/// The lanes of an access that touched the value, and where the first of them found it.
#[derive(Clone, Debug, Default)]
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
            (Space::Shared, Direction::Store | Direction::Atomic) => What::Kept(self.addr as u32),
            (Space::Global | Space::Generic, Direction::Load) => What::Loaded,
            (Space::Global | Space::Generic, Direction::Store | Direction::Atomic)
            | (Space::Local | Space::Param | Space::Const, _) => return None,
        };
        Some(moment.event(LaneMask(self.lanes), what))
    }
}

impl Moment {
    fn event(&self, lanes: LaneMask, what: What) -> Event {
        let (index, pc, warp) = (self.index, self.step.pc, self.step.warp);
        Event { index, pc, warp, lanes, what, times: lanes.count() }
    }
}
