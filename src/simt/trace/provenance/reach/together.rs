//! Forwards through operations of several lanes together, and through atomic operations.

use super::super::exchange::{ByteMove, BytePlace};
use super::super::moment::StepValues;
use super::super::moves::Moves;
use super::super::multiply::FragmentElement;
use super::super::product::{FactorLocation, MatrixProduct};
use super::super::{MemoryWord, low};
use super::{
    EventKind, Output, Reached, RegisterMarks, TouchingLanes, ValueEvent, ValueHistory, WordMarks,
};
use crate::sim::{Effect, LaneMask, Reg};
use ptx::Space;

impl Reached {
    pub(super) fn shift(
        &mut self,
        moment: &StepValues,
        moves: &Moves<'_>,
        reach: &mut ValueHistory,
    ) {
        let Moves { accesses, shifts } = moves;
        // All sources before any destination: a register may be both.
        let marks: Vec<_> = shifts.iter().map(|shift| self.leaving(moment, shift)).collect();
        let mut touched = vec![
            (TouchingLanes::default(), TouchingLanes::default(), LaneMask::NONE);
            accesses.len()
        ];
        for (shift, mark) in shifts.iter().zip(marks) {
            self.arrive(moment, shift, mark);
            let Some((from, to, stored)) = touched.get_mut(shift.access) else { continue };
            let lane = usize::from(shift.lane);
            if let BytePlace::Memory(_, addr) = shift.from {
                from.add(lane, addr, mark.same);
            }
            if let BytePlace::Memory(space, addr) = shift.to {
                to.add(lane, addr, mark.same);
                if is_global(space) && !mark.is_blank() {
                    stored.0 |= 1 << lane;
                    reach.store_by(moment, lane, addr);
                }
            }
        }
        for ((from, to, stored), access) in touched.iter().zip(*accesses) {
            let stored = (!stored.is_empty()).then(|| moment.event(*stored, EventKind::Stored));
            let moved = || from.event(moment, access).or_else(|| to.event(moment, access));
            reach.events.extend(stored.or_else(moved));
        }
    }

    /// Marks the bytes at which a shift arrives.
    fn arrive(&mut self, moment: &StepValues, shift: &ByteMove, mark: WordMarks) {
        match shift.to {
            BytePlace::Register(reg, lane, at) => {
                let mask = if shift.extends { u8::MAX } else { low(shift.count.into()) << at };
                let mark = WordMarks { same: mark.same << at, made: mark.made << at };
                self.set_piece(moment, FragmentElement { reg, lane, mask }, mark);
            }
            BytePlace::Memory(space, addr) => {
                self.put(moment, space, shift.lane.into(), (addr, shift.count), mark);
            }
            BytePlace::Copied(warp, index) => {
                self.mark(MemoryWord::Copied(warp, shift.lane, index), mark);
            }
            BytePlace::Nowhere => {}
        }
    }

    /// Returns the marks of the bytes that a shift moves, counted from their first.
    fn leaving(&self, moment: &StepValues, shift: &ByteMove) -> WordMarks {
        let ones = low(shift.count.into());
        match shift.from {
            BytePlace::Register(reg, lane, at) => {
                let (marks, lane) = (self.get(moment, reg), usize::from(lane));
                let of = |mask: u8| mask >> at & ones;
                WordMarks { same: of(marks.same[lane]), made: of(marks.made[lane]) }
            }
            BytePlace::Memory(space, addr) => {
                self.at(moment, space, shift.lane.into(), (addr, shift.count))
            }
            BytePlace::Copied(warp, index) => {
                let word = MemoryWord::Copied(warp, shift.lane, index);
                self.memory.get(&word).copied().unwrap_or_default()
            }
            BytePlace::Nowhere => WordMarks::default(),
        }
    }

    pub(super) fn reduce(
        &mut self,
        moment: &StepValues,
        from: Reg,
        to: Reg,
        reach: &mut ValueHistory,
    ) {
        let marks = self.get(moment, from);
        let active = moment.step.active;
        let any = active.lanes().any(|lane| marks.same[lane] | marks.made[lane] != 0);
        reach.use_by(moment, marks.lanes().and(active));
        let made = [u8::MAX * u8::from(any); 32];
        self.set(moment, to, &RegisterMarks { made, ..RegisterMarks::default() });
    }

    pub(super) fn multiply(
        &mut self,
        moment: &StepValues,
        products: &[MatrixProduct<'_>],
        reach: &mut ValueHistory,
    ) {
        let mut after = Vec::new();
        for product in products {
            let lines = ProductMarks::of(self, moment, product);
            let mut users = LaneMask::NONE;
            for sum in product.sums() {
                let used = lines.rows[sum.row].made || lines.columns[sum.column].made;
                let adds = product.adds() && !self.piece(moment, sum.c).is_blank();
                users.0 |= u32::from(used) << sum.d.lane;
                after.push((sum.d, used || adds));
            }
            match product {
                MatrixProduct::Mma(product) => {
                    let factors = product.a.iter().chain(&product.b);
                    let holding = factors.map(|reg| self.get(moment, *reg).lanes());
                    let lanes = holding.fold(LaneMask::NONE, LaneMask::or);
                    reach.use_in(moment, lanes, lines.products());
                }
                // The lanes that use the value are those whose sums depend on it.
                MatrixProduct::Wgmma { .. } => {
                    let access = moment.step.accesses().first();
                    let read = access.and_then(|access| lines.read.event(moment, access));
                    reach.events.extend(read);
                    reach.use_by(moment, users);
                }
            }
        }
        for (piece, made) in after {
            let made = if made { piece.mask } else { 0 };
            self.set_piece(moment, piece, WordMarks { same: 0, made });
        }
    }

    /// The lanes operate one after another: each finds what the previous one left.
    pub(super) fn atomic(
        &mut self,
        moment: &StepValues,
        (to, from): (&[Reg], &[Reg]),
        (each, size, replaces): (usize, u8, bool),
        reach: &mut ValueHistory,
    ) {
        let Effect::Memory(access) = &moment.step.effect else { return };
        let brought: Vec<_> = from.iter().map(|from| self.get(moment, *from)).collect();
        let mut found = vec![RegisterMarks::default(); brought.len() / each];
        let (mut used, mut stored) = (0, LaneMask::NONE);
        let elements = || (0..).step_by(size.into()).zip(brought.chunks(each)).enumerate();
        let of_lane =
            |(lane, addr)| elements().map(move |(number, (at, of))| (lane, addr + at, number, of));
        for (lane, addr, number, brought) in access.touched().flat_map(of_lane) {
            let before = self.at(moment, access.space, lane, (addr, size));
            let found = &mut found[number];
            (found.same[lane], found.made[lane]) = (before.same, before.made);
            let same = brought.iter().fold(0, |all, marks| all | marks.same[lane]);
            let made = brought.iter().fold(0, |all, marks| all | marks.made[lane]);
            let all = same | made | before.same | before.made;
            let joined = WordMarks { same: 0, made: low(size.into()) * u8::from(all != 0) };
            let after = if replaces { WordMarks { same, made } } else { joined };
            self.put(moment, access.space, lane, (addr, size), after);
            used |= u32::from(same != 0 && !replaces) << lane;
            if is_global(access.space) && !after.is_blank() {
                stored.0 |= 1 << lane;
                reach.store_by(moment, lane, addr);
            }
        }
        reach.use_by(moment, LaneMask(used));
        if !stored.is_empty() {
            reach.events.push(moment.event(stored, EventKind::Stored));
        }
        for (to, found) in to.iter().zip(&found) {
            self.set(moment, *to, found);
        }
    }

    pub(super) fn piece(
        &self,
        moment: &StepValues,
        FragmentElement { reg, lane, mask }: FragmentElement,
    ) -> WordMarks {
        let (marks, lane) = (self.get(moment, reg), usize::from(lane));
        WordMarks { same: marks.same[lane] & mask, made: marks.made[lane] & mask }
    }

    /// Sets the marks of some bytes of one lane's register.
    pub(super) fn set_piece(
        &mut self,
        moment: &StepValues,
        FragmentElement { reg, lane, mask }: FragmentElement,
        mark: WordMarks,
    ) {
        let key = (moment.step.warp, reg);
        if mark.is_blank() && !self.regs.contains_key(&key) {
            return;
        }
        let (held, lane) = (self.regs.entry(key).or_default(), usize::from(lane));
        held.same[lane] = held.same[lane] & !mask | mark.same & mask;
        held.made[lane] = held.made[lane] & !mask | mark.made & mask;
        if held.is_blank() {
            self.regs.remove(&key);
        }
    }
}

/// The marks of the rows of a and the columns of b of a product.
struct ProductMarks {
    rows: Vec<VectorMarks>,
    columns: Vec<VectorMarks>,
    /// The reads of the value in shared memory.
    read: TouchingLanes,
}

/// The marks of one row or column.
#[derive(Clone, Copy, Debug, Default)]
struct VectorMarks {
    /// The number of its elements that are the value itself.
    same: u32,
    /// Whether it contains the value, or something that depends on it.
    made: bool,
}

impl ProductMarks {
    fn of(spread: &Reached, moment: &StepValues, product: &MatrixProduct<'_>) -> Self {
        let mut read = TouchingLanes::default();
        let mut line = |spots: Vec<FactorLocation>| {
            let mark = |spot: &FactorLocation| match *spot {
                FactorLocation::Held(piece) => spread.piece(moment, piece),
                FactorLocation::Shared(addr) => {
                    let mark = spread.at(moment, Space::Shared, 0, (addr, product.size()));
                    read.add(0, addr, mark.same);
                    mark
                }
            };
            spots.iter().map(mark).fold(VectorMarks::default(), |line, mark| {
                let same = line.same + u32::from(mark.same != 0);
                VectorMarks { same, made: line.made || !mark.is_blank() }
            })
        };
        let [rows, columns] = product.shape();
        let rows = (0..rows).map(|row| line(product.row(row))).collect();
        let columns = (0..columns).map(|column| line(product.column(column))).collect();
        Self { rows, columns, read }
    }

    /// Returns the number of products that the value itself goes into: an element of a is
    /// multiplied with every column, one of b with every row.
    fn products(&self) -> u32 {
        let in_all = |lines: &[VectorMarks], others: &[VectorMarks]| {
            lines.iter().map(|line| line.same).sum::<u32>() * others.len() as u32
        };
        in_all(&self.rows, &self.columns) + in_all(&self.columns, &self.rows)
    }
}

impl ValueHistory {
    /// These lanes combined the value with another.
    pub(super) fn use_by(&mut self, moment: &StepValues, lanes: LaneMask) {
        self.use_in(moment, lanes, lanes.count());
    }

    /// These lanes hold the value, and it goes into `times` products.
    fn use_in(&mut self, moment: &StepValues, lanes: LaneMask, times: u32) {
        if !lanes.is_empty() {
            self.events.push(ValueEvent { times, ..moment.event(lanes, EventKind::Used) });
        }
    }

    /// A lane stored something that depends on the value.
    pub(super) fn store_by(&mut self, moment: &StepValues, lane: usize, addr: u64) {
        let (warp, lane) = (moment.step.warp, lane as u8);
        self.outputs.push(Output { addr, warp, lane });
    }
}

const fn is_global(space: Space) -> bool {
    !matches!(space, Space::Shared | Space::Local)
}
