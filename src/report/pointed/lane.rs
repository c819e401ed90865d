//! The line about a lane: its thread, and what it is doing.

use super::PointedMoment;
use super::related::{MultiplyAdd, bytes_of, of_lane};
use super::words::{Clause, value, warps};
use crate::analysis::banks::{BANKS, WORD};
use crate::launch::{Dim3, WARP_SIZE};
use crate::matrix::{self, ElementType, Operand};
use crate::report::number::Range;
use crate::report::place::{ArrayElement, PlaceNames};
use crate::sim::{Access, Direction, WarpState};
use crate::trace::{Last, missing};
use ptx::{MemoryOp, Op, Space};

/// The most values that are listed of one access.
const MOST_MOVED: usize = 4;

impl<'a> PointedMoment<'a> {
    /// Describes a lane.
    pub(super) fn lane(&self, warp: usize, lane: usize) -> Vec<Clause> {
        let Some(thread) = self.thread(warp, lane) else {
            return vec![Clause::of(format!("w{warp} l{lane}: the block has no such thread"))];
        };
        let name = format!("w{warp} l{lane}");
        let long = format!("{name} = thread {thread}");
        let head = Clause([long.clone(), long, format!("thread {thread}")]);
        [head].into_iter().chain(self.doing(warp, lane)).chain(self.sum(warp, lane)).collect()
    }

    /// Names the thread as the kernel's `threadIdx` does: (x,y), or one number.
    pub(super) fn thread(&self, warp: usize, lane: usize) -> Option<String> {
        let number = self.number(warp, lane);
        let launch = self.problem.launch;
        let exists = number < launch.threads() as usize;
        let Dim3 { x, y, z } = launch.block.place(number as u64);
        exists.then(|| match launch.block {
            Dim3 { y: 1, z: 1, .. } => x.to_string(),
            Dim3 { z: 1, .. } => format!("({x},{y})"),
            _ => format!("({x},{y},{z})"),
        })
    }

    /// The number of a lane's thread in its block.
    pub(super) fn number(&self, warp: usize, lane: usize) -> usize {
        let warp = self.machine().blocks().within_block(warp as u16);
        usize::from(warp) * WARP_SIZE as usize + lane
    }

    /// The block of the warp that is shown.
    pub(super) fn block(&self) -> Dim3 {
        self.machine().blocks().block_of(self.warp as u16)
    }

    /// Describes what a lane does.
    fn doing(&self, warp: usize, lane: usize) -> Vec<Clause> {
        let all = &self.now().warps;
        let Some(now) = all.get(warp) else { return Vec::new() };
        if !now.live.has(lane) {
            return vec![Clause::of(": has ended")];
        }
        if now.state == WarpState::Waiting {
            // Of several blocks that run together it need not be one block's.
            let is_single = self.machine().blocks().is_single();
            let awaited = if is_single { missing(all) } else { Vec::new() };
            let short = ": waits at the barrier";
            let long = if awaited.is_empty() {
                short.to_owned()
            } else {
                format!("{short} for {}", warps(&awaited))
            };
            let waits = Clause::or(long, short);
            return [waits].into_iter().chain(self.before_that(warp, lane)).collect();
        }
        if now.last.is_some() && !now.executed.has(lane) {
            let idle = Clause::of(": takes no part in this instruction");
            return [idle].into_iter().chain(self.before_that(warp, lane)).collect();
        }
        if let Some(product) = self.product(warp, lane) {
            return multiplies(&product);
        }
        match self.latest(warp, lane) {
            Some((last, true)) => self.access(warp, lane, last, true),
            _ if now.last.is_none() => vec![Clause::of(": has not begun")],
            _ => [Clause::of(": computes in registers")]
                .into_iter()
                .chain(self.before_that(warp, lane))
                .collect(),
        }
    }

    /// Describes a lane's latest access as past.
    fn before_that(&self, warp: usize, lane: usize) -> Vec<Clause> {
        let latest = self.latest(warp, lane);
        latest.map_or_else(Vec::new, |(last, _)| self.access(warp, lane, last, false))
    }

    /// Names the element of C that a lane computes, if it has not been named.
    fn sum(&self, warp: usize, lane: usize) -> Option<Clause> {
        let sums = self.sums(warp, lane);
        let first = sums.first().filter(|_| self.product(warp, lane).is_none())?;
        let more =
            if sums.len() > 1 { format!(" and {} more", sums.len() - 1) } else { String::new() };
        Some(Clause::spare(format!("; for {first}{more}")))
    }

    /// Describes a lane's part of an access, now or in the past.
    pub(super) fn access(&self, warp: usize, lane: usize, last: &Last, now: bool) -> Vec<Clause> {
        let access = &last.access;
        let verb = verb(access, self.copies(last), now);
        let before = if now { ":" } else { ", last" };
        let begins = format!("{before} {verb} ");
        if access.space == Space::Shared {
            self.in_shared(warp, lane, last, now, &begins)
        } else {
            self.in_global((warp, lane), last, now, &begins)
        }
    }

    fn copies(&self, last: &Last) -> bool {
        self.program.inst(last.pc).op.is_async_copy()
    }

    fn in_global(
        &self,
        (warp, lane): (usize, usize),
        last: &Last,
        now: bool,
        begins: &str,
    ) -> Vec<Clause> {
        let access = &last.access;
        let addr = access.addrs[lane];
        let memory = self.machine().memory();
        let what = span(
            self.each(bytes_of(access, lane))
                .filter_map(|addr| self.places().in_global(memory, addr)),
        );
        let what = what.unwrap_or_else(|| self.places().global(memory, addr));
        let element = self.at(addr).filter(|element| element.operand != Operand::C);
        let single = |element: &matrix::Element| {
            access.bytes <= self.problem.element_type(element.operand).bytes()
        };
        let loaded = || Some(value(self.before(element.filter(single)?)));
        let moved = || self.moved(warp, lane, last).filter(|all| now && all.len() <= MOST_MOVED);
        let worth = moved().map(|values| values.join(" ")).or_else(loaded);
        let worth = worth.map_or_else(String::new, |worth| format!(" = {worth}"));
        let moved = Clause([
            format!("{begins}{what}{worth}"),
            format!("{begins}{what}{worth}"),
            format!("{begins}{what}"),
        ]);
        let mut clauses = vec![moved, Clause::of(format!(", {}", self.sector_name(addr)))];
        if let Some(slot) = element.and_then(|element| self.slot(element)) {
            let name = self.places().word(slot * WORD as u32);
            let long = format!(", slot {name}");
            clauses.push(Clause([long.clone(), long, format!(", for {name}")]));
            clauses.push(Clause::of(format!(", bank {}", slot as usize % BANKS)));
        }
        clauses
    }

    fn in_shared(
        &self,
        warp: usize,
        lane: usize,
        last: &Last,
        now: bool,
        begins: &str,
    ) -> Vec<Clause> {
        let (access, addr) = (&last.access, last.access.addrs[lane]);
        let words = || of_lane(access, lane);
        let each = self.places().element_bytes(addr) as usize;
        let elements = bytes_of(access, lane).step_by(each);
        let slot = span(elements.filter_map(|addr| self.places().in_shared(addr)));
        let slot = slot.unwrap_or_else(|| self.places().shared(addr, access.bytes.into()));
        // Since a past access, others may have stored into the word.
        let word = |addr| self.now().shared.get((addr / WORD) as usize).copied();
        let own = |addr| {
            let writer = word(addr).and_then(|word| word.writer).map(usize::from);
            access.direction == Direction::Store && writer == Some(warp)
        };
        let known = words().filter(|addr| now || own(*addr));
        let held = known.filter_map(|addr| self.held((addr / WORD) as u32));
        let held =
            span(held.map(|held| ArrayElement::Cell(held.operand.name(), held.row, held.column)));
        let values = self.moved(warp, lane, last).filter(|_| now);
        let values = values.map_or_else(String::new, |values| format!(" = {}", values.join(" ")));
        let stores = access.direction == Direction::Store;
        let (from, copy) = match (held, stores) {
            (Some(held), true) => (format!("{begins}{held}{values} in {slot}"), String::new()),
            (None, true) => (format!("{begins}{}{slot}", in_place(&values)), String::new()),
            (Some(held), false) => (format!("{begins}{slot}"), format!(" = {held}{values}")),
            (None, false) => (format!("{begins}{slot}"), values),
        };
        let banks = words().map(|addr| addr / WORD % BANKS as u64);
        let banks = Range::around(banks).map_or_else(String::new, |banks| {
            let many = if banks.0 == banks.1 { "" } else { "s" };
            format!(", bank{many} {banks}")
        });
        let alike = access.touched().filter(|(_, other)| *other == addr).count();
        let others = match alike {
            0 | 1 => String::new(),
            2 => ", as does 1 other lane".to_owned(),
            _ => format!(", as do {} other lanes", alike - 1),
        };
        vec![Clause::of(from), Clause::of(copy), Clause::of(banks), Clause::spare(others)]
    }

    /// Returns the values that a lane moved in its warp's last instruction, if their type is known.
    fn moved(&self, warp: usize, lane: usize, last: &Last) -> Option<Vec<String>> {
        let Op::Memory(MemoryOp::Ld { ty, dst: all, .. } | MemoryOp::St { ty, src: all, .. }) =
            &self.program.inst(last.pc).op
        else {
            return None;
        };
        let of = self.type_at(&last.access, last.access.addrs[lane])?;
        let (each, whole) = (8 * u32::from(of.bytes()), ty.bits());
        let values = all.iter().flat_map(|reg| {
            let bits = self.machine().value(warp, *reg, lane);
            (0..whole / each).map(move |part| value(of.value(bits >> (each * part))))
        });
        Some(values.collect()).filter(|values: &Vec<_>| !values.is_empty())
    }

    /// The type of the elements at an address that an access touches, if it is known.
    fn type_at(&self, access: &Access, addr: u64) -> Option<ElementType> {
        if access.space == Space::Shared {
            return self.places().shared_type(addr);
        }
        let memory = self.machine().memory();
        let matrix = self.at(addr).map(|element| self.problem.element_type(element.operand));
        matrix.or_else(|| self.problem.own_element(memory, addr).map(|(buffer, _)| buffer.of))
    }

    pub(super) fn places(&self) -> PlaceNames<'a> {
        PlaceNames { problem: self.problem, program: self.program }
    }
}

/// A store whose origin is not known: its values, if they are.
fn in_place(values: &str) -> String {
    let values = values.strip_prefix(" = ");
    values.map_or_else(|| "to ".to_owned(), |values| format!("{values} in "))
}

/// Describes a multiply-add.
pub(super) fn multiplies(product: &MultiplyAdd) -> Vec<Clause> {
    let [a, b] = product.factors.map(value);
    let [x, y] = product.factors;
    let before = value(product.of.round(product.sum - x * y));
    let sum = value(product.sum);
    let name = if product.elements.is_some() { "acc" } else { "a sum" };
    let mut clauses = vec![Clause::of(format!(": {name} = {before} + {a} x {b} = {sum}"))];
    if let Some([a, b, c]) = product.elements {
        clauses.push(Clause::of(format!(" by {a} x {b}")));
        clauses.push(Clause::useful(format!(" for {c}")));
    }
    clauses
}

/// The verb for an access, in the present or in the past.
const fn verb(access: &Access, copies: bool, now: bool) -> &'static str {
    match (access.direction, now) {
        (Direction::Load, true) if copies => "copies",
        (Direction::Load, false) if copies => "copied",
        (Direction::Load, true) => "loads",
        (Direction::Load, false) => "loaded",
        (Direction::Store, true) => "stores",
        (Direction::Store, false) => "stored",
        (Direction::Atomic, true) => "changes",
        (Direction::Atomic, false) => "changed",
    }
}

/// Names a run of elements: `sA[7][0-3]`, `A[4-7][2]`, or one; `None` without any.
pub(super) fn span<'e>(mut elements: impl Iterator<Item = ArrayElement<'e>>) -> Option<String> {
    let first = elements.next()?;
    Some(match (first, elements.last()) {
        (ArrayElement::Cell(name, r0, c0), Some(ArrayElement::Cell(_, r1, c1)))
            if r0 == r1 && c0 < c1 =>
        {
            format!("{name}[{r0}][{c0}-{c1}]")
        }
        (ArrayElement::Cell(name, r0, c0), Some(ArrayElement::Cell(_, r1, c1)))
            if c0 == c1 && r0 < r1 =>
        {
            format!("{name}[{r0}-{r1}][{c0}]")
        }
        (ArrayElement::Word(name, first), Some(ArrayElement::Word(_, last))) if first < last => {
            format!("{name}[{first}-{last}]")
        }
        (first, _) => first.to_string(),
    })
}
