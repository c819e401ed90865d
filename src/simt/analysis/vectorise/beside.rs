//! Notes on accesses beside each other of which ptxas may join some.

use super::dataflow::MemoryVersion;
use super::note::{ENOUGH, Note, NoteBuilder, NoteKind, about};
use super::site::{AccessElements, LoadMode, Site};
use super::value::{Atom, Base};
use ptx::{MemoryOp, Op, Space};
use std::collections::{BTreeMap, HashMap};

impl NoteBuilder<'_, '_> {
    /// The notes on the loads of each base. They come from comparing random kernels with their SASS
    /// (ptxas 12.9 and 13.5): elsewhere the rule predicts it.
    pub(super) fn beside(&self) -> Vec<Note> {
        let of = |loads: Vec<&Site>| {
            [
                self.conditional(&loads),
                self.across(&loads),
                self.uniform(&loads),
                self.partial(&loads),
                self.overlapping(&loads),
                extended(&loads),
                self.forwarded(&loads),
            ]
        };
        self.neighbourhoods().into_iter().flat_map(of).flatten().collect()
    }

    /// The loads by memory space and base.
    fn neighbourhoods(&self) -> Vec<Vec<&Site>> {
        let mut found: HashMap<_, Vec<_>> = HashMap::new();
        for site in self.sites.iter().filter(|site| site.load && !site.way.volatile) {
            found.entry((site.space, site.base)).or_default().push(site);
        }
        found.into_values().collect()
    }

    /// Loads beside each other of which not both are executed wherever one is.
    fn conditional(&self, loads: &[&Site]) -> Option<Note> {
        let mut found = Vec::new();
        for (place, first) in loads.iter().enumerate() {
            let guarded = |site: &Site| site.is_guarded() || self.is_guarded(site.block, site.pc);
            let doubtful = |then: &&&Site| {
                let aligned = self.told.is_aligned(first);
                let could = if first.version == then.version {
                    aligned || first.overlaps(then)
                } else {
                    aligned && (guarded(first) || guarded(then))
                };
                let like = first.way == then.way && near(first, then);
                could && like && self.is_conditional(first, then)
            };
            let beside: Vec<_> = loads[place + 1..].iter().filter(doubtful).copied().collect();
            if !beside.is_empty() {
                found.push(*first);
                found.extend(beside);
            }
        }
        let first = found.first()?.pc;
        Some(about(NoteKind::Reordered, first, found))
    }

    /// Whether a thread may execute one of two loads without the other, and may execute both. ptxas
    /// replaces a branch over a short block by a guard.
    fn is_conditional(&self, first: &Site, then: &Site) -> bool {
        let guarded = |site: &Site| site.is_guarded() || self.is_guarded(site.block, site.pc);
        let follows = self.flow.post_dominates(then.block, first.block);
        let leads = self.flow.dominates(first.block, then.block);
        if first.block == then.block {
            return guarded(first) || guarded(then);
        }
        let looped = !self.told.have_the_same_loops(first.block, then.block);
        if !follows && !leads {
            let same = first.version == then.version;
            return same && self.are_decided_alike(first.block, then.block);
        }
        guarded(first) || guarded(then) || looped || !(follows && leads)
    }

    /// Whether two branches on the same predicate lead to two blocks: ptxas merges their paths.
    fn are_decided_alike(&self, first: usize, then: usize) -> bool {
        let [first, then] = [first, then].map(|block| self.branches_to(block));
        let guard = |pc: usize| self.program.insts[pc].guard.map(|(reg, _)| reg);
        let alike = |a: usize, b: usize| a != b && guard(a).is_some() && guard(a) == guard(b);
        first.iter().any(|a| then.iter().any(|b| alike(*a, *b)))
    }

    /// The branches that decide whether a block is reached, as far as one path alone leads to it.
    fn branches_to(&self, mut block: usize) -> Vec<usize> {
        let mut branches = Vec::new();
        while let [before] = self.flow.graph.before[block][..] {
            if self.flow.graph.next[before].len() > 1 {
                branches.push(self.flow.blocks[before].end - 1);
            }
            if before >= block {
                break;
            }
            block = before;
        }
        branches
    }

    /// Loads from global memory beside each other with a store or a barrier between them, which
    /// ptxas joins if they are read-only.
    fn across(&self, loads: &[&Site]) -> Option<Note> {
        let first = loads[0];
        let stored =
            |site: &Site| !site.load && site.space == first.space && site.base == first.base;
        if first.space != Space::Global || self.sites.iter().any(stored) {
            return None;
        }
        let told = loads.iter().any(|site| self.told.is_of(site));
        let beside = |site: &&Site| {
            let others = loads.iter().filter(|other| other.version != site.version);
            let same = |other: &Site| (other.offset, other.inner) == (site.offset, site.inner);
            others.into_iter().any(|other| same(other) || (told && near(site, other)))
        };
        let found: Vec<_> = loads.iter().copied().filter(beside).collect();
        let first = found.first()?.pc;
        Some(about(NoteKind::Reordered, first, found))
    }

    /// Loads from global memory at the same address in all lanes, which ptxas treats differently.
    fn uniform(&self, loads: &[&Site]) -> Option<Note> {
        let first = loads[0];
        let told = first.space == Space::Global && loads.iter().any(|site| self.told.is_of(site));
        let several = loads.iter().enumerate().any(|(n, a)| loads[..n].iter().any(|b| near(a, b)));
        let same = |a: &Site, b: &Site| (a.inner, a.offset) == (b.inner, b.offset);
        let repeated = loads.iter().filter(|site| site.way.constant).enumerate().any(|(n, a)| {
            loads.iter().filter(|site| site.way.constant).take(n).any(|b| same(a, b))
        });
        // Measured: where one of two equal loads is left out, ptxas joins the other or not.
        let is_so = (told && several || repeated) && self.is_uniform(first.base);
        (is_so || told && repeated)
            .then(|| about(NoteKind::Unknown, first.pc, loads.iter().copied()))
    }

    /// Loads of the same bytes. Measured: ptxas leaves out those that another includes, or keeps
    /// them, where only a vector tells the alignment, in different blocks, in different units, or
    /// (ptxas 11.8) where a store to other memory lies between them.
    fn overlapping(&self, loads: &[&Site]) -> Option<Note> {
        let could = |a: &Site, b: &Site| {
            let apart = a.block != b.block && self.told.is_aligned(a);
            let like = (a.version, a.way) == (b.version, b.way) && a.overlaps(b);
            like && self.on_one_path(a, b)
                && (a.unit != b.unit || apart || self.told.says_more(a) || self.stores(a, b))
        };
        let mut pairs =
            loads.iter().enumerate().flat_map(|(n, a)| loads[..n].iter().map(move |b| (a, b)));
        let first = pairs.find(|(a, b)| could(a, b))?.1.pc;
        Some(about(NoteKind::Reordered, first, loads.iter().copied()))
    }

    /// Whether a store stands between two accesses.
    fn stores(&self, a: &Site, b: &Site) -> bool {
        let between = &self.program.insts[a.pc.min(b.pc)..a.pc.max(b.pc)];
        between.iter().skip(1).any(|inst| matches!(inst.op, Op::Memory(MemoryOp::St { .. })))
    }

    /// Loads of what was just stored, which ptxas takes from a register where it can: then it joins
    /// the stores before and after them.
    fn forwarded(&self, loads: &[&Site]) -> Option<Note> {
        let mut found: Vec<&Site> = Vec::new();
        for load in loads.iter().filter(|load| !load.way.constant) {
            let stores = self
                .sites
                .iter()
                .filter(|of| !of.load && (of.space, of.base) == (load.space, load.base));
            let stores: Vec<_> = stores.collect();
            let last = stores.iter().find(|of| load.version == MemoryVersion::After(of.pc));
            let Some(last) = last.filter(|last| near(last, load)) else { continue };
            // Measured: ptxas 12.9 joins loads over a word that was just stored in some cells and not in
            // others. In global memory it joins nothing where no vector tells the alignment.
            if !last.overlaps(load) {
                let told = load.space == Space::Shared || self.told.is_of(load);
                if told && !load.is_vector() {
                    found.extend([load, last]);
                }
                continue;
            }
            let unlike = load.is_vector() || load.alone || load.bytes() != last.bytes();
            // ptxas 11.8 loads it again where a store to other memory lies between.
            if unlike || self.stores(last, load) {
                found.extend([load, last]);
            }
            let around = stores.iter().filter(|of| of.pc != last.pc && near(of, last));
            found.extend(around);
        }
        let first = found.iter().map(|site| site.pc).min()?;
        Some(about(NoteKind::Reordered, first, found))
    }

    /// Vectors that ptxas takes apart, as it loads no value that is not needed, or cannot join, as they
    /// lie across cells. It does so to a vector by itself as the rule says.
    fn partial(&self, loads: &[&Site]) -> Option<Note> {
        let mut found = Vec::new();
        for vector in loads.iter().copied().filter(|site| site.is_vector()) {
            let beside = |other: &&&Site| {
                let signed = vector.way.signed;
                other.pc != vector.pc
                    && LoadMode { signed, ..other.way } == vector.way
                    && near(vector, other)
            };
            let beside: Vec<_> = loads.iter().filter(beside).copied().collect();
            let partial = vector.elements == AccessElements::Some;
            let half = matches!(vector.elements, AccessElements::Half(_));
            let across = vector.is_across();
            let alone = partial && (vector.element < 4 || across || vector.is_guarded());
            let across = across && beside.iter().any(|other| self.on_one_path(vector, other));
            if alone || across || ((partial || half) && !beside.is_empty()) {
                found.push(vector);
                found.extend(beside);
            }
        }
        let first = found.first()?.pc;
        Some(about(NoteKind::Unknown, first, found))
    }

    /// Accesses whose addresses are equal but for a constant, and computed in different ways, or, in
    /// global memory beside a vector, by different instructions that do the same. Measured: ptxas
    /// (11.8 to 13.5) sees that some of them are equal, and of some only after it has joined others.
    pub(super) fn computed(&self) -> Vec<Note> {
        let mut alike: BTreeMap<_, Vec<&Site>> = BTreeMap::new();
        for site in self.sites.iter().filter(|site| !site.way.volatile) {
            let sum = self.dataflow.bases.unwrapped(site.base);
            alike.entry((site.space == Space::Shared, sum)).or_default().push(site);
        }
        let of = |sites: Vec<&Site>| Some(about(NoteKind::Unknown, sites.first()?.pc, sites));
        alike.into_values().filter(|sites| self.differ(sites)).filter_map(of).collect()
    }

    /// Whether ptxas may not see that these have one base, and could join some if it did.
    fn differ(&self, sites: &[&Site]) -> bool {
        let vector = sites.iter().any(|site| site.bytes() > sites[0].unit.min(site.unit));
        let told = |a: &Site| vector || self.told.is_aligned(a);
        sites.iter().enumerate().any(|(place, a)| {
            sites[..place].iter().filter(|b| a.origin != b.origin).any(|b| {
                let same = a.origin.route == b.origin.route;
                let could = if same {
                    vector && a.space == Space::Global
                } else {
                    close(a, b) && (a.overlaps(b) || told(a) || told(b))
                };
                could && self.may_meet(a, b)
            })
        })
    }

    /// Whether ptxas may combine two accesses, as one path executes both and nothing lies between.
    fn may_meet(&self, a: &Site, b: &Site) -> bool {
        let seen = |load: &Site, store: &Site| load.version == MemoryVersion::After(store.pc);
        self.on_one_path(a, b)
            && match (a.load, b.load) {
                (true, true) => (a.version, a.way) == (b.version, b.way),
                (true, false) => seen(a, b),
                (false, true) => seen(b, a),
                (false, false) => a.block == b.block,
            }
    }

    /// Whether one of two accesses always comes before the other.
    fn on_one_path(&self, a: &Site, b: &Site) -> bool {
        let leads = |a: &Site, b: &Site| self.flow.dominates(a.block, b.block);
        leads(a, b) || leads(b, a)
    }

    /// Whether all lanes have the same value, as far as a sum shows it.
    fn is_uniform(&self, base: Base) -> bool {
        self.dataflow.bases.sum(base).iter().all(|(atom, _)| match atom {
            Atom::Initial(number) => self.dataflow.is_uniform(*number),
            Atom::Symbol(_) => true,
            Atom::Widened(inner, ..) => self.is_uniform(*inner),
            Atom::Written(..) | Atom::Met(..) => false,
        })
    }
}

/// Loads of the same 16 bits of which one is extended as it is loaded.
fn extended(loads: &[&Site]) -> Option<Note> {
    let halves = loads.iter().filter(|site| site.unit == 2);
    let differs = |a: &&&Site| {
        let like = |b: &&Site| (a.way, a.version) == (b.way, b.version) && a.overlaps(b);
        let selected = |b: &&Site| (a.selected || b.selected) && a.pc != b.pc && close(a, b);
        loads.iter().any(|b| b.unit == 2 && (a.alone != b.alone && like(b) || selected(b)))
    };
    let found: Vec<_> = halves.filter(differs).copied().collect();
    let first = found.first()?.pc;
    Some(about(NoteKind::Unknown, first, found))
}

/// Whether two accesses may fall into one cell, or are the same.
fn near(a: &Site, b: &Site) -> bool {
    let alone = |site: &Site| site.alone && !matches!(site.elements, AccessElements::Half(_));
    if alone(a) || alone(b) {
        return a.overlaps(b) && a.bytes() == b.bytes();
    }
    close(a, b)
}

/// Whether two accesses may fall into one cell.
fn close(a: &Site, b: &Site) -> bool {
    let [first, then] = [a, b].map(|site| site.inner + site.offset);
    let end = |site: &Site, at: i64| at + i64::from(site.bytes());
    first - end(b, then) < (1 << ENOUGH) && then - end(a, first) < (1 << ENOUGH)
}
