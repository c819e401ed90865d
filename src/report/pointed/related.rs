//! What belongs to a point in each picture: elements, words of shared memory, lanes, addresses.

use super::{PointedAt, PointedMoment};
use crate::analysis::banks::{BANKS, WORD};
use crate::analysis::coalesce::SECTOR;
use crate::kernel::{SharedTile, element_type};
use crate::launch::WARP_SIZE;
use crate::matrix::{Element, ElementType, Operand};
use crate::sim::{Access, Direction, LaneMask, Reg};
use crate::trace::{Age, Last, WarpNow};
use ptx::{LaneOp, Op, Space, Type};
use std::ops::Range;

/// The same datum in each picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Related {
    pub elements: Vec<Element>,
    /// Words of shared memory, by number.
    pub words: Vec<u32>,
    /// Lanes, by warp.
    pub lanes: Vec<(usize, LaneMask)>,
    /// Addresses of 4-byte words of global memory.
    pub addresses: Vec<u64>,
}

/// The most recent instruction that touched a place, and who executed it.
#[derive(Clone, Debug)]
pub(super) struct LastTouch {
    pub(super) direction: Direction,
    pub(super) lanes: Vec<(usize, LaneMask)>,
}

/// One multiply-add of a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct MultiplyAdd {
    pub(super) factors: [f64; 2],
    pub(super) sum: f64,
    pub(super) of: ElementType,
    /// The elements of A and B that the factors are, and the element of C that the sum becomes, if
    /// known.
    pub(super) elements: Option<[Element; 3]>,
}

impl<'a> PointedMoment<'a> {
    /// Returns what belongs to a point in each picture.
    pub fn related(&self, point: PointedAt) -> Related {
        match point {
            PointedAt::Lane { warp, lane } => self.of_lane(warp, lane),
            PointedAt::Word(word) => self.of_word(word),
            PointedAt::Bank(bank) => self.of_bank(bank),
            PointedAt::Sector(address) => self.of_sector(address),
            PointedAt::Element(element) => self.of_element(element),
            PointedAt::Token(spot) => self.of_token(spot),
        }
    }

    fn of_lane(&self, warp: usize, lane: usize) -> Related {
        let mut elements = self.sums(warp, lane);
        let lanes = vec![(warp, LaneMask(1 << lane))];
        if let Some(product) = self.product(warp, lane) {
            elements.extend(product.elements.into_iter().flatten());
            let words = elements.iter().filter_map(|element| self.slot(*element)).collect();
            return Related { elements, words, lanes, addresses: Vec::new() };
        }
        let Some((last, _)) = self.latest(warp, lane) else {
            return Related { elements, lanes, ..Related::default() };
        };
        let touched = of_lane(&last.access, lane);
        if last.access.space == Space::Shared {
            let words: Vec<_> = touched.map(|addr| (addr / WORD) as u32).collect();
            let held: Vec<_> = words.iter().filter_map(|word| self.held(*word)).collect();
            let addresses = held.iter().filter_map(|held| self.address(*held)).collect();
            elements.extend(held);
            return Related { elements, words, lanes, addresses };
        }
        let addresses: Vec<_> = touched.collect();
        let loaded = self.elements_in(bytes_of(&last.access, lane));
        let words = loaded.iter().filter_map(|element| self.slot(*element)).collect();
        elements.extend(loaded);
        Related { elements, words, lanes, addresses }
    }

    pub(super) fn of_word(&self, word: u32) -> Related {
        let elements: Vec<_> = self.held(word).into_iter().collect();
        let addresses = elements.iter().filter_map(|element| self.address(*element)).collect();
        let touch = self.touched(Space::Shared, bytes(word));
        let lanes = touch.map_or_else(Vec::new, |touch| touch.lanes);
        Related { elements, words: vec![word], lanes, addresses }
    }

    fn of_bank(&self, bank: usize) -> Related {
        let asked = self.in_bank(bank);
        let elements = asked.iter().filter_map(|(word, _)| self.held(*word)).collect();
        let lanes = asked.iter().fold(LaneMask::NONE, |all, (_, lanes)| all.or(*lanes));
        let words = (bank as u32..self.now().shared.len() as u32).step_by(BANKS).collect();
        Related { elements, words, lanes: vec![(self.warp, lanes)], addresses: Vec::new() }
    }

    fn of_sector(&self, address: u64) -> Related {
        let addresses: Vec<_> = (address..address + SECTOR).step_by(WORD as usize).collect();
        let elements = self.elements_in(address..address + SECTOR);
        let words = elements.iter().filter_map(|element| self.slot(*element)).collect();
        let lanes = self.asks_for(address);
        Related { elements, words, lanes: vec![(self.warp, lanes)], addresses }
    }

    pub(super) fn of_element(&self, element: Element) -> Related {
        let words: Vec<_> = self.slot(element).into_iter().collect();
        let addresses = self.address(element).into_iter().collect();
        let lanes = match element.operand {
            Operand::C => self.owner(element).map(|(warp, lane)| (warp, LaneMask(1 << lane))),
            Operand::A | Operand::B => None,
        };
        let touch = self.last_touch(element).map_or_else(Vec::new, |touch| touch.lanes);
        let lanes = lanes.map_or(touch, |owner| vec![owner]);
        Related { elements: vec![element], words, lanes, addresses }
    }

    /// Returns the elements of C that a lane computes.
    pub(super) fn sums(&self, warp: usize, lane: usize) -> Vec<Element> {
        let own = self.owned.by(warp * WARP_SIZE as usize + lane);
        let element = |(row, column): &(u32, u32)| Element {
            operand: Operand::C,
            row: *row,
            column: *column,
        };
        own.iter().map(element).collect()
    }

    /// Returns the (warp, lane) of this block that computes an element of C.
    pub(super) fn owner(&self, element: Element) -> Option<(usize, usize)> {
        let mut threads = 0..self.problem.launch.threads() as usize;
        let place = (element.row, element.column);
        let thread = threads.find(|thread| self.owned.by(*thread).contains(&place))?;
        Some((thread / WARP_SIZE as usize, thread % WARP_SIZE as usize))
    }

    /// Returns the element at an address of global memory.
    pub(super) fn at(&self, addr: u64) -> Option<Element> {
        let found = self.problem.element(self.machine().memory(), addr)?;
        let (operand, row, column) = found;
        Some(Element { operand, row, column })
    }

    /// Returns the elements that these bytes of global memory hold.
    pub(super) fn elements_in(&self, bytes: Range<u64>) -> Vec<Element> {
        self.each(bytes).filter_map(|addr| self.at(addr)).collect()
    }

    /// Yields the address of each element in these bytes of global memory, or of each 4-byte word
    /// where it is not known what they hold.
    pub(super) fn each(&self, bytes: Range<u64>) -> impl Iterator<Item = u64> + use<> {
        let known = self.at(bytes.start).map(|element| self.problem.element_type(element.operand));
        let (first, step) = known.map_or((bytes.start / WORD * WORD, WORD), |precision| {
            (bytes.start, precision.bytes().into())
        });
        (first..bytes.end).step_by(step as usize)
    }

    pub(super) fn address(&self, element: Element) -> Option<u64> {
        self.problem.place(self.machine().memory(), element).map(|(address, _)| address)
    }

    /// Returns the element whose copy a word of shared memory holds, or will hold next, if known.
    pub(super) fn held(&self, word: u32) -> Option<Element> {
        let element = (self.held)(word)?;
        let of = |words: &[u32]| words.get(word as usize).copied();
        let written =
            self.now().shared.get(word as usize).is_some_and(|word| word.age != Age::Empty);
        let single = self.problem.element_type(element.operand) == ElementType::F32;
        // What is written there is that element only if it has its value.
        let other = of(self.machine().shared()) != Some((self.before(element) as f32).to_bits());
        Some(element).filter(|_| !(written && single && other))
    }

    /// Returns the word of shared memory where the block keeps an element while it uses it.
    pub(super) fn slot(&self, element: Element) -> Option<u32> {
        let (problem, tile) = (self.problem, self.problem.tile()?);
        let (rows, columns) = problem.part(self.machine().block())?;
        let (k, at, own) = match element.operand {
            Operand::A => (element.column, element.row, rows.start),
            Operand::B => (element.row, element.column, columns.start),
            Operand::C => return None,
        };
        let word = |(staged, first, (rows, columns)): (&SharedTile, u32, (u32, u32))| {
            let (turn, turns) = staged.turn;
            let from = staged.first(tile, problem.size, own);
            let side = at.checked_sub(from)?;
            let within =
                if staged.of == Operand::A { (side, k % tile.k) } else { (k % tile.k, side) };
            let here = staged.of == element.operand && k / tile.k % turns == turn;
            let (row, column) = if staged.transposed { (within.1, within.0) } else { within };
            let place = (row, column ^ u32::from(staged.exchanged));
            let found = here && row < rows && staged.within(tile, place) == Some(within);
            found.then(|| first + place.0 * columns + place.1)
        };
        problem.staged(self.program).find_map(word)
    }

    /// Returns a lane's most recent access, and whether it is the last that the warp has done.
    pub(super) fn latest(&self, warp: usize, lane: usize) -> Option<(&'a Last, bool)> {
        let warp = self.now().warps.get(warp)?;
        let took_part = |last: &&Last| last.access.active.has(lane);
        let all = [&warp.global, &warp.shared].into_iter().flatten().filter(took_part);
        let last = all.max_by_key(|last| last.index)?;
        Some((last, warp.last == Some(last.pc)))
    }

    /// Returns who touched a part of memory in the most recent instruction that did, among each
    /// warp's last accesses.
    pub(super) fn touched(&self, space: Space, part: Range<u64>) -> Option<LastTouch> {
        let last = |(number, warp): (usize, &'a WarpNow)| {
            let last = if space == Space::Shared { &warp.shared } else { &warp.global };
            let last = last.as_ref()?;
            let lanes = touching(&last.access, &part);
            (!lanes.is_empty()).then_some((number, last, lanes))
        };
        let all: Vec<_> = self.now().warps.iter().enumerate().filter_map(last).collect();
        let (_, newest, _) = all.iter().max_by_key(|(_, last, _)| last.index)?;
        let alike = all.iter().filter(|(_, last, _)| last.pc == newest.pc);
        let lanes = alike.map(|(number, _, lanes)| (*number, *lanes)).collect();
        Some(LastTouch { direction: newest.access.direction, lanes })
    }

    /// Returns who touched an element last: its copy in shared memory if there is one.
    pub(super) fn last_touch(&self, element: Element) -> Option<LastTouch> {
        let copy = self.slot(element).filter(|word| self.held(*word) == Some(element));
        let in_shared = copy.and_then(|word| self.touched(Space::Shared, bytes(word)));
        let place = || self.problem.place(self.machine().memory(), element);
        let in_global = || {
            let (address, bytes) = place()?;
            self.touched(Space::Global, address..address + u64::from(bytes))
        };
        in_shared.or_else(in_global)
    }

    /// Returns the lanes of the shown warp that ask for a part of a sector in its last access.
    pub(super) fn asks_for(&self, sector: u64) -> LaneMask {
        let warp = self.now().warps.get(self.warp);
        let last = warp.and_then(|warp| warp.global.as_ref());
        last.map_or(LaneMask::NONE, |last| touching(&last.access, &(sector..sector + SECTOR)))
    }

    /// Returns the words of a bank that the shown warp's last access asks for, each with its lanes.
    pub(super) fn in_bank(&self, bank: usize) -> Vec<(u32, LaneMask)> {
        let warp = self.now().warps.get(self.warp);
        let Some(last) = warp.and_then(|warp| warp.shared.as_ref()) else { return Vec::new() };
        let lanes = last.access.active.lanes();
        let all =
            lanes.flat_map(|lane| of_lane(&last.access, lane).map(|addr| (addr / WORD) as u32));
        let mut words: Vec<_> = all.filter(|word| *word as usize % BANKS == bank).collect();
        words.sort_unstable();
        words.dedup();
        words.into_iter().map(|word| (word, touching(&last.access, &bytes(word)))).collect()
    }

    /// Returns the multiply-add that a lane has just done, if its warp's last instruction was one.
    pub(super) fn product(&self, number: usize, lane: usize) -> Option<MultiplyAdd> {
        let warp = self.now().warps.get(number).filter(|warp| warp.executed.has(lane))?;
        let (ty, dst, abc) = match &self.program.inst(warp.last?).op {
            Op::Lane(LaneOp::Ternary { op, ty, dst, abc, .. }) if op.is_fma() => (ty, dst, abc),
            _ => return None,
        };
        // Of two products in a register, none is the one.
        let of = element_type(*ty).filter(|_| !matches!(ty, Type::F16x2 | Type::Bf16x2))?;
        let value = |reg: Reg| of.value(self.machine().value(number, reg, lane));
        let factors = [value(abc[0]), value(abc[1])];
        let elements = self.terms(number, lane, warp.fma).filter(|[a, b, _]| {
            let loaded = [*a, *b].map(|element| self.before(element).to_bits());
            let mut found = factors.map(f64::to_bits);
            found == loaded || {
                found.reverse();
                found == loaded
            }
        });
        Some(MultiplyAdd { factors, sum: value(*dst), of, elements })
    }

    /// Returns the elements that a lane multiplies in its multiply-add number `fma`, counted from 1,
    /// and the one that it computes; `None` where lanes compute several.
    fn terms(&self, warp: usize, lane: usize, fma: u32) -> Option<[Element; 3]> {
        let single = self.problem.known?.variant.elements() == 1;
        let [c] = self.sums(warp, lane)[..] else { return None };
        let k = fma.checked_sub(1).filter(|k| single && *k < self.problem.size.k)?;
        let a = Element { operand: Operand::A, row: c.row, column: k };
        let b = Element { operand: Operand::B, row: k, column: c.column };
        Some([a, b, c])
    }

    /// Returns the value of an element before the launch.
    pub(super) fn before(&self, element: Element) -> f64 {
        let (_, columns) = self.problem.size.shape(element.operand);
        let index = u64::from(element.row) * u64::from(columns) + u64::from(element.column);
        self.problem.before(element.operand, index)
    }
}

/// The bytes that a lane touches.
pub(super) fn bytes_of(access: &Access, lane: usize) -> Range<u64> {
    access.addrs[lane]..access.addrs[lane] + u64::from(access.bytes)
}

/// Yields the address of each 4-byte word that a lane touches.
pub(super) fn of_lane(access: &Access, lane: usize) -> impl Iterator<Item = u64> {
    let addr = access.addrs[lane];
    (addr / WORD * WORD..addr + u64::from(access.bytes)).step_by(WORD as usize)
}

/// Yields the number of each word of shared memory that an access touches.
pub(super) fn words_of(access: &Access) -> impl Iterator<Item = u32> {
    let all = access.active.lanes().flat_map(|lane| of_lane(access, lane));
    all.map(|addr| (addr / WORD) as u32)
}

/// Returns the lanes that touch a part of memory.
pub(super) fn touching(access: &Access, part: &Range<u64>) -> LaneMask {
    let meets =
        |(_, addr): &(usize, u64)| *addr < part.end && part.start < *addr + u64::from(access.bytes);
    access.touched().filter(meets).map(|(lane, _)| lane).collect()
}

/// The bytes of a word of shared memory.
pub(super) fn bytes(word: u32) -> Range<u64> {
    let first = u64::from(word) * WORD;
    first..first + WORD
}
