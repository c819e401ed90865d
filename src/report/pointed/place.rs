//! The lines about places: a word and a bank of shared memory, a sector, an element.

use super::PointedMoment;
use super::lane::span;
use super::related::{LastTouch, bytes};
use super::words::{Clause, all_lanes, lanes, value};
use crate::analysis::banks::{BANKS, WORD, wavefronts};
use crate::analysis::coalesce::{LINE, SECTOR};
use crate::matrix::{Element, Operand};
use crate::report::number::Count;
use crate::report::place;
use crate::sim::Direction;
use crate::trace::Age;
use ptx::Space;

impl PointedMoment<'_> {
    /// Describes a word of shared memory: its bank, what it holds, who touched it last.
    pub(super) fn word(&self, word: u32) -> Vec<Clause> {
        let bank = format!(", bank {}", word as usize % BANKS);
        let head = Clause::of(self.places().word(word * WORD as u32));
        let mut clauses = vec![head, Clause::of(bank)];
        let state = self.now().shared.get(word as usize).copied().unwrap_or_default();
        let what = self.held(word).map(|element| element.to_string());
        let worth = self.values_in(word);
        clauses.push(match (state.age, what) {
            _ if self.is_padding(word) => Clause::of(": padding, holds nothing"),
            (Age::Empty, None) => Clause::of(": empty"),
            (Age::Empty, Some(what)) => Clause::of(format!(": empty, for {what}")),
            (_, None) => Clause::of(format!(": holds {worth}")),
            (_, Some(what)) => {
                Clause::or(format!(": holds {what} = {worth}"), format!(": holds {what}"))
            }
        });
        match (state.age, state.coming) {
            (_, true) => clauses.push(Clause::of(", the next value is on the way")),
            (Age::Old, false) => clauses.push(Clause::of(", of an earlier tile")),
            (Age::Empty | Age::Current, false) => {}
        }
        let touch = self.touched(Space::Shared, bytes(word));
        clauses.extend(touch.map(|touch| said(&touch, true)));
        clauses
    }

    /// The values in a word of shared memory, or its bits where their type is not known.
    fn values_in(&self, word: u32) -> String {
        let at =
            |word: u32| self.machine().shared().get(word as usize).copied().map_or(0, u64::from);
        let Some(of) = self.places().shared_type(u64::from(word) * WORD) else {
            return format!("{:#010x}", at(word));
        };
        let each = 8 * u32::from(of.bytes());
        if each == 64 {
            // It lies in this word and in the one beside it.
            let first = word & !1;
            return value(of.value(at(first) | at(first + 1) << 32));
        }
        let values = (0..32 / each).map(|number| value(of.value(at(word) >> (each * number))));
        values.collect::<Vec<_>>().join(" ")
    }

    /// Whether a word belongs to the padding of a tile.
    fn is_padding(&self, word: u32) -> bool {
        let Some(tile) = self.problem.tile() else { return false };
        self.problem.staged(self.program).any(|(staged, first, (rows, columns))| {
            let index = word.wrapping_sub(first);
            let place = (index / columns.max(1), index % columns.max(1));
            index < rows * columns && staged.within(tile, place).is_none()
        })
    }

    /// Describes a bank in the shown warp's last access.
    pub(super) fn bank(&self, bank: usize) -> Vec<Clause> {
        let head = Clause::of(format!("bank {bank}"));
        let warp = self.now().warps.get(self.warp);
        let Some(last) = warp.and_then(|warp| warp.shared.as_ref()) else {
            return vec![head, Clause::of(": every 32nd word of shared memory")];
        };
        let access = &last.access;
        let does = if access.direction == Direction::Load { "load" } else { "store" };
        let asked = self.in_bank(bank);
        if asked.is_empty() {
            let text = format!(": not used when w{} {does}s", self.warp);
            return vec![head, Clause::of(text), Clause::useful(", holds every 32nd word")];
        }
        let each = asked.iter().map(|(word, of)| {
            let name = self.places().word(word * WORD as u32);
            format!(
                " {name} ({})",
                if of.count() == 1 { l(*of) } else { format!("{} lanes", of.count()) }
            )
        });
        let each: Vec<_> = each.collect();
        let count = Count(asked.len() as u64, "word");
        let passes = Count(wavefronts(access).wavefronts.into(), "pass");
        let first = format!(": {count} for w{}'s {does},", self.warp);
        let list = each.join(",");
        let brief =
            if each.len() > 2 { format!("{} ..", each[..2].join(",")) } else { list.clone() };
        vec![
            head,
            Clause::of(first),
            Clause::or(list, brief),
            Clause::of(format!(": {passes} in all")),
        ]
    }

    /// Describes a sector in the shown warp's last access.
    pub(super) fn sector(&self, address: u64) -> Vec<Clause> {
        let memory = self.machine().memory();
        let elements = self.elements_in(address..address + SECTOR);
        let what = span(elements.into_iter().map(|element| {
            place::ArrayElement::Cell(element.operand.name(), element.row, element.column)
        }));
        let what = what.unwrap_or_else(|| self.places().global(memory, address));
        let of = self.asks_for(address);
        let asked = if of.is_empty() {
            format!(", not asked for by w{}", self.warp)
        } else {
            format!(", asked for by {}", lanes(self.warp, of))
        };
        let whole = ", moved as a whole: 32 bytes";
        vec![
            Clause::of(self.sector_name(address)),
            Clause::of(format!(": {what}")),
            Clause::of(asked),
            Clause::useful(if of.is_empty() { "" } else { whole }),
        ]
    }

    /// Names the sector of an address: `line A+0x1400 sector 2`.
    pub(super) fn sector_name(&self, addr: u64) -> String {
        let (name, base) = self
            .machine()
            .memory()
            .locate(addr)
            .map_or(("", 0), |(buffer, _)| (&*buffer.name, buffer.base));
        let line = (addr / LINE * LINE).saturating_sub(base);
        format!("line {name}+0x{line:x} sector {}", addr % LINE / SECTOR)
    }

    /// Describes an element: its value, its places, and its thread or who touched it last.
    pub(super) fn element(&self, element: Element) -> Vec<Clause> {
        let address = self.address(element);
        let line = address.map(|addr| Clause::of(format!(", {}", self.sector_name(addr))));
        if element.operand == Operand::C {
            let head = Clause::of(format!("{element}{}", self.stored(element)));
            return [head, self.computed_by(element)].into_iter().chain(line).collect();
        }
        let head = Clause::of(format!("{element} = {}", value(self.before(element))));
        let mut clauses: Vec<_> = [head].into_iter().chain(line).collect();
        if let Some(slot) = self.slot(element) {
            let name = self.places().word(slot * WORD as u32);
            clauses.push(Clause::of(format!(", {} {name}", self.kept(element, slot))));
            clauses.push(Clause::of(format!(", bank {}", slot as usize % BANKS)));
        }
        clauses.extend(self.last_touch(element).map(|touch| said(&touch, false)));
        clauses
    }

    /// The value of an element of C, if it has been stored, as far as that shows: C is zero before.
    fn stored(&self, element: Element) -> String {
        let (_, columns) = self.problem.size.shape(element.operand);
        let index = u64::from(element.row) * u64::from(columns) + u64::from(element.column);
        let c = self.machine().memory().named(element.operand.name());
        let now = c.map(|c| self.problem.of_c(c, index)).filter(|now| *now != 0.0);
        now.map_or_else(String::new, |now| format!(" = {}", value(now)))
    }

    /// Says whether an element is in its slot of shared memory now.
    fn kept(&self, element: Element, slot: u32) -> &'static str {
        let state = self.now().shared.get(slot as usize).copied().unwrap_or_default();
        match (self.held(slot) == Some(element), state.age, state.coming) {
            (true, Age::Current, _) => "now in",
            (true, Age::Empty, true) => "on the way to",
            _ => "slot",
        }
    }

    /// Says who computes an element of C.
    fn computed_by(&self, element: Element) -> Clause {
        let (problem, block) = (self.problem, self.machine().block());
        if let Some((warp, lane)) = self.owner(element) {
            return Clause::of(format!(": the sum of w{warp} l{lane}"));
        }
        let grid = problem.launch.grid;
        let other = problem.block_of(element.row, element.column).filter(|other| *other != block);
        other.map_or_else(
            || Clause::of(""),
            |other| Clause::of(format!(": computed by block ({})", other.place_in(grid))),
        )
    }
}

/// Says who touched something last.
fn said(touch: &LastTouch, shared: bool) -> Clause {
    let verb = match touch.direction {
        Direction::Load => "loaded",
        Direction::Store => "stored",
        Direction::Atomic => "changed",
    };
    let verb = if shared { verb } else { "last touched" };
    Clause::useful(format!(", {verb} by {}", all_lanes(&touch.lanes)))
}

/// `l17`: the only lane of a set.
fn l(of: crate::sim::LaneMask) -> String {
    of.lanes().map(|lane| format!("l{lane}")).collect::<Vec<_>>().concat()
}
