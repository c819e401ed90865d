//! The rule by which ptxas combines accesses to shared and to global memory, as measured on small
//! kernels (tests/data/analysis/joins).
//!
//! Loads: those of one base that see the same stores, where the first load dominates the others. Of
//! an aligned cell of four units, three loaded ones suffice for one load of the whole cell; of a
//! cell of two, both are needed.
//!
//! Stores: those of one base and one cell, with no other access to the space between them; all units
//! of a cell, or both of a half.
//!
//! A cell has to be known to be aligned: from how the address is computed, or from a vector access
//! anywhere with the same base. Nothing but the latter tells it of a pointer, so that loads from
//! global memory are combined only beside vectors (ptxas 11.8, 12.9 and 13.5).

use super::dataflow::{MemoryEffect, MemoryVersion, SPACES, touch};
use super::route::ComputedAt;
use super::sass_access::SassAccess;
use super::site::{AccessElements, Site};
use super::value::{Base, zeros};
use crate::sim::flow::{FlowGraph, NaturalLoop};
use crate::sim::{Pc, Program};
use ptx::Space;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Units of a cell, and how many of them must be loaded for the whole cell to be loaded at once.
const LOADS: [(i64, usize); 2] = [(4, 3), (2, 2)];
/// Units of a cell, all of which must be stored.
const STORES: [i64; 2] = [4, 2];

/// The largest access, in bytes per lane.
const MOST_BYTES: i64 = 16;
/// The largest access of 16-bit units, in bytes per lane.
const MOST_BYTES_OF_HALVES: i64 = 8;

/// The SASS accesses in place of each shared access, by its pc.
pub(super) type Executed = BTreeMap<usize, Vec<Joined>>;

/// One SASS access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Joined {
    pub(super) piece: SassAccess,
    /// The PTX instructions that it replaces, ascending.
    pub(super) of: Vec<usize>,
}

#[derive(Clone, Copy)]
struct AccessUnit<'s> {
    site: &'s Site,
    /// Its position in text order.
    order: usize,
    /// Bytes from the base.
    offset: i64,
    /// Bytes from the address in the instruction.
    shift: i64,
}

/// Returns the needed units, with offsets from the base plus the constant `inner`.
fn units<'s>(sites: &[&'s Site], inner: i64) -> Vec<AccessUnit<'s>> {
    let of = |site: &&'s Site| {
        let site = *site;
        site.units().map(move |at| (site, at))
    };
    let unit = |(order, (site, at)): (usize, (&'s Site, i64))| AccessUnit {
        site,
        order,
        offset: at + site.inner - inner,
        shift: at - site.offset,
    };
    sites.iter().flat_map(of).enumerate().map(unit).collect()
}

/// Loads that can be combined at all: of one base, seeing the same stores, in units of one size.
#[derive(Debug)]
pub(super) struct CombinableLoads<'s> {
    /// Dominating loads come first.
    pub(super) members: Vec<&'s Site>,
    /// The last store before them, whose values ptxas still has in registers.
    store: Option<&'s Site>,
    aligned: Aligned,
}

/// Groups the loads into classes; loads with `alone` are in none. In `sites`, dominating accesses
/// come first.
pub(super) fn classes<'s>(sites: &'s [Site], told: &BaseAccesses) -> Vec<CombinableLoads<'s>> {
    let mut classes: Vec<(_, CombinableLoads<'_>)> = Vec::new();
    for site in sites.iter().filter(|site| site.load && !site.alone) {
        let class = (site.space, site.base, site.version, site.unit, site.way);
        if let Some((_, known)) = classes.iter_mut().find(|(known, _)| *known == class) {
            known.members.push(site);
        } else {
            let is_last = |of: &&Site| !of.load && site.version == MemoryVersion::After(of.pc);
            let store = sites.iter().find(is_last);
            let aligned = told.alignment(site);
            classes.push((class, CombinableLoads { members: vec![site], store, aligned }));
        }
    }
    classes.into_iter().map(|(_, class)| class).collect()
}

impl CombinableLoads<'_> {
    /// Bytes of a unit.
    fn unit(&self) -> i64 {
        self.members[0].unit.into()
    }

    /// Returns the SASS loads.
    pub(super) fn joined(&self, flow: &FlowGraph) -> Executed {
        self.joined_at(self.aligned, flow)
    }

    /// Whether other loads would be combined with only this knowledge of the alignment.
    pub(super) fn differs(&self, told: &BaseAccesses<'_>, flow: &FlowGraph) -> bool {
        let known = self.joined_at(told.alignment(self.members[0]), flow);
        combined(&self.joined(flow)).ne(combined(&known))
    }

    /// Returns the number of SASS loads with the best possible alignment.
    pub(super) fn fewest(&self, flow: &FlowGraph) -> usize {
        let residues = (0..MOST_BYTES).step_by(self.unit() as usize);
        let aligned = |at| Aligned { at, zeros: u8::MAX };
        let counts = residues.map(|at| count(&self.joined_at(aligned(at), flow)));
        counts.min().unwrap_or(0)
    }

    /// The places of the units stored last before the loads.
    fn stored(&self, aligned: Aligned) -> Vec<i64> {
        let first = self.members[0];
        let like = |store: &&Site| (store.base, store.unit) == (first.base, first.unit);
        let Some(store) = self.store.filter(like) else { return Vec::new() };
        store.units().map(|at| at + store.inner - first.inner + aligned.at).collect()
    }

    /// Returns the SASS loads for this alignment of the base.
    fn joined_at(&self, aligned: Aligned, flow: &FlowGraph) -> Executed {
        let mut executed: Executed =
            self.members.iter().map(|site| (site.pc, Vec::new())).collect();
        let mut open = units(&self.members, self.members[0].inner - aligned.at);
        let stored = self.stored(aligned);
        open.retain(|unit| self.store.is_none_or(|store| !forwards(store, unit)));
        for (bytes, least) in cells(self.unit(), aligned.zeros, LOADS) {
            // A unit that was just stored fills no gap, unless a vector comes first.
            let enough = |first: &AccessUnit<'_>| {
                let same = |of: &i64| of.div_euclid(bytes) == first.offset.div_euclid(bytes);
                let gap = i64::from(first.site.bytes()) < bytes && stored.iter().any(same);
                if gap { (bytes / self.unit()) as usize } else { least }
            };
            open = join_loads(open, bytes, enough, flow, &mut executed);
        }
        join_loads(open, self.unit(), |_| 1, flow, &mut executed);
        executed
    }
}

/// What replaces several accesses.
pub(super) fn combined(executed: &Executed) -> impl Iterator<Item = &Joined> {
    executed.values().flatten().filter(|joined| joined.of.len() > 1)
}

/// Counts the SASS accesses.
pub(super) fn count(executed: &Executed) -> usize {
    executed.values().map(Vec::len).sum()
}

/// The SASS accesses of those that combine with no other; of equal loads, only the first.
pub(super) fn alone(sites: &[Site], flow: &FlowGraph) -> Executed {
    let alone: Vec<_> = sites.iter().filter(|site| site.alone).collect();
    let repeats = |place: usize| {
        let site = alone[place];
        let same = |first: &&Site| {
            let at = |of: &Site| (of.space, of.base, of.inner, of.offset, of.version, of.piece());
            let free = |of: &Site| of.load && !of.is_guarded() && !of.way.volatile;
            free(first) && free(site) && (at(first), first.way) == (at(site), site.way)
        };
        alone[..place].iter().copied().filter(same).any(|first| before(first, site, flow))
    };
    let executed = |(place, site): (usize, &&Site)| {
        let nothing = site.is_unneeded() || repeats(place);
        (site.pc, if nothing { Vec::new() } else { as_written(site) })
    };
    alone.iter().enumerate().map(executed).collect()
}

/// Leaves an access to itself.
fn as_written(site: &Site) -> Vec<Joined> {
    vec![Joined { piece: site.piece(), of: vec![site.pc] }]
}

/// Returns the cell sizes that the alignment allows, in bytes, each with its value from `sizes`.
fn cells<T, const N: usize>(
    unit: i64,
    zeros: u8,
    sizes: [(i64, T); N],
) -> impl Iterator<Item = (i64, T)> {
    let most = if unit == 2 { MOST_BYTES_OF_HALVES } else { MOST_BYTES };
    let sizes = sizes.into_iter().map(move |(count, of)| (count * unit, of));
    sizes.filter(move |(bytes, _)| *bytes <= most && zeros >= self::zeros(*bytes))
}

/// The known alignment of the base plus the first site's constant: it lies `at` bytes after an
/// address with `zeros` trailing zeros.
#[derive(Clone, Copy, Debug)]
struct Aligned {
    at: i64,
    zeros: u8,
}

/// The accesses of each base, which tell how the base is aligned: to the bytes of the widest.
pub(super) struct BaseAccesses<'s> {
    vectors: HashMap<(Space, Base), Vec<&'s Site>>,
    program: &'s Program,
    flow: &'s FlowGraph,
    loops: Rc<[NaturalLoop]>,
    /// Use only vectors that precede the access in ptxas's order.
    sure: bool,
}

impl<'s> BaseAccesses<'s> {
    pub(super) fn by(program: &'s Program, sites: &'s [Site], flow: &'s FlowGraph) -> Self {
        let mut vectors: HashMap<_, Vec<&Site>> = HashMap::new();
        for site in sites.iter().filter(|site| !site.is_guarded() && !site.is_one()) {
            vectors.entry((site.space, site.base)).or_default().push(site);
        }
        Self { vectors, program, flow, loops: flow.loops().into(), sure: false }
    }

    /// Only what is certain. Measured: a vector that comes later, follows a store or a fence, or is split
    /// may prove no alignment.
    pub(super) fn for_sure(&self) -> Self {
        Self { vectors: self.vectors.clone(), loops: Rc::clone(&self.loops), sure: true, ..*self }
    }

    /// Whether an access proves that another's base is aligned to more than a unit.
    pub(super) fn is_of(&self, site: &Site) -> bool {
        let vectors = self.vectors.get(&(site.space, site.base));
        vectors.into_iter().flatten().any(|vector| vector.bytes() > site.unit)
    }

    /// Whether a vector precedes an access in ptxas's order: before it in the same loop, or after it in
    /// the first block, unguarded and without a fence before it in its block; for a store, both in the
    /// first block. Its alignment holds from where its address is computed, so every thread that
    /// computes the address must execute the vector too.
    fn is_met(&self, vector: &Site, site: &Site) -> bool {
        if !self.sure {
            return true;
        }
        let like =
            (vector.version, vector.way, vector.block) == (site.version, site.way, site.block);
        let cuts = |pc: usize| {
            let inst = &self.program.insts[pc];
            inst.guard.is_some() || touch(&inst.op, vector.space) == MemoryEffect::Fence
        };
        let start = self.flow.blocks[vector.block].start;
        let whole = matches!(vector.elements, AccessElements::One | AccessElements::All);
        let plain = whole && !vector.is_across() && !(start..vector.pc).any(cuts);
        let first = |site: &Site| self.flow.graph.before[site.block].is_empty();
        let looped = !self.have_the_same_loops(vector.block, site.block);
        let precedes = before(vector, site, self.flow) && !looped;
        let always = self.flow.post_dominates(vector.block, self.computed(vector));
        plain && always && (site.load || first(site)) && (precedes || (like && first(vector)))
    }

    /// The block in which the register in an access's address is computed.
    fn computed(&self, site: &Site) -> usize {
        match site.origin.place {
            ComputedAt::Block(block) => block as usize,
            ComputedAt::Inst(pc) => self.flow.block_of(pc as usize),
        }
    }

    /// Whether the address is known to be aligned to more than a unit.
    pub(super) fn is_aligned(&self, site: &Site) -> bool {
        self.alignment(site).zeros > zeros(site.unit.into())
    }

    /// Whether a vector proves more of an address's alignment than its computation does.
    pub(super) fn says_more(&self, site: &Site) -> bool {
        self.alignment(site).zeros > site.zeros
    }

    /// Whether no loop begins or ends between a block and one that it dominates.
    pub(super) fn have_the_same_loops(&self, first: usize, then: usize) -> bool {
        self.loops.iter().all(|of| {
            let inside = of.blocks.contains(&first);
            let passed = !inside
                && self.flow.dominates(first, of.header)
                && self.flow.dominates(of.header, then);
            inside == of.blocks.contains(&then) && !passed
        })
    }

    /// The alignment of an access's base, from the computation of its address or from a vector,
    /// whichever says more.
    fn alignment(&self, site: &Site) -> Aligned {
        let computed = Aligned { at: 0, zeros: site.zeros };
        let vectors = self.vectors.get(&(site.space, site.base)).into_iter().flatten();
        let met = vectors.filter(|vector| self.is_met(vector, site));
        // The first of the widest.
        let widest = met.rev().max_by_key(|vector| vector.bytes());
        let told = widest.map(|vector| {
            let bytes = vector.bytes().into();
            let at = site.inner - vector.inner - vector.offset;
            Aligned { at: at.rem_euclid(bytes), zeros: zeros(bytes) }
        });
        told.filter(|told| told.zeros > computed.zeros).unwrap_or(computed)
    }
}

/// Whether ptxas takes a loaded value from the register that was just stored.
fn forwards(store: &Site, unit: &AccessUnit<'_>) -> bool {
    let same =
        (store.base, store.inner, store.unit) == (unit.site.base, unit.site.inner, unit.site.unit);
    let at = unit.site.offset + unit.shift;
    same && !store.is_guarded() && !store.alone && store.units().any(|stored| stored == at)
}

/// Combines the loads of each cell with at least `least` loaded units, which depends on the first
/// load; returns the others.
fn join_loads<'s>(
    open: Vec<AccessUnit<'s>>,
    bytes: i64,
    least: impl Fn(&AccessUnit<'_>) -> usize,
    flow: &FlowGraph,
    executed: &mut Executed,
) -> Vec<AccessUnit<'s>> {
    let mut groups: Vec<Vec<AccessUnit<'s>>> = Vec::new();
    for unit in open {
        let cell = |unit: &AccessUnit<'_>| unit.offset.div_euclid(bytes);
        let leads = |first: &AccessUnit<'_>| {
            let always = !first.site.is_guarded() && before(first.site, unit.site, flow);
            cell(first) == cell(&unit) && (always || first.site.pc == unit.site.pc)
        };
        match groups.iter_mut().find(|group| leads(&group[0])) {
            Some(group) => group.push(unit),
            None => groups.push(vec![unit]),
        }
    }
    let mut left = Vec::new();
    for group in groups {
        let mut offsets: Vec<_> = group.iter().map(|unit| unit.offset).collect();
        offsets.sort_unstable();
        offsets.dedup();
        if offsets.len() >= least(&group[0]) {
            execute(&group, group[0], bytes, executed);
        } else {
            left.extend(group);
        }
    }
    left.sort_by_key(|unit| unit.order);
    left
}

/// Whether every thread that executes `b` has executed `a`.
fn before(a: &Site, b: &Site, flow: &FlowGraph) -> bool {
    if a.block == b.block { a.pc <= b.pc } else { flow.dominates(a.block, b.block) }
}

/// Makes the instruction of unit `by` access the cell that contains the group.
fn execute(group: &[AccessUnit<'_>], by: AccessUnit<'_>, bytes: i64, executed: &mut Executed) {
    let start = if bytes > i64::from(by.site.unit) {
        by.offset.div_euclid(bytes) * bytes
    } else {
        by.offset
    };
    let piece = SassAccess { shift: start - by.offset + by.shift, bytes: bytes as u8 };
    let mut of: Vec<_> = group.iter().map(|unit| unit.site.pc).collect();
    of.sort_unstable();
    of.dedup();
    executed.entry(by.site.pc).or_default().push(Joined { piece, of });
}

/// Combines the stores; returns those that are overwritten at once.
pub(super) fn stores(
    program: &Program,
    sites: &[Site],
    told: &BaseAccesses,
    flow: &FlowGraph,
    executed: &mut Executed,
) -> Vec<usize> {
    let stores: HashMap<_, _> = sites.iter().filter(|s| !s.load).map(|s| (s.pc, s)).collect();
    let mut overwritten = Vec::new();
    let chains = flow.graph.chains();
    for (space, chain) in SPACES.iter().flat_map(|space| chains.iter().map(move |c| (*space, c))) {
        let mut run: Vec<&Site> = Vec::new();
        for pc in chain.iter().flat_map(|block| flow.blocks[*block].clone()) {
            if touch(&program.inst(Pc(pc as u32)).op, space) == MemoryEffect::None {
                continue;
            }
            let store = stores.get(&pc).copied().filter(|store| store.space == space);
            if store.is_none_or(|store| !continues(&run, store, told)) {
                let over = |old: &&&Site| store.is_some_and(|store| overlaps(old, store));
                overwritten.extend(run.iter().filter(over).map(|old| old.pc));
                end_run(&run, told, executed);
                run.clear();
            }
            run.extend(store);
        }
        end_run(&run, told, executed);
    }
    overwritten
}

/// Whether both store to the same location.
fn overlaps(a: &Site, b: &Site) -> bool {
    let free = !a.way.volatile && !b.way.volatile;
    free && a.base == b.base && a.overlaps(b)
}

/// Whether a store goes to units of the run's cell that the run has not stored yet.
fn continues(run: &[&Site], store: &Site, told: &BaseAccesses) -> bool {
    let Some(first) = run.first() else { return true };
    let free = |site: &&Site| !site.is_guarded() && !site.alone;
    let like = (store.base, store.inner, store.unit) == (first.base, first.inner, first.unit);
    let Aligned { at, zeros } = told.alignment(first);
    let sizes = STORES.map(|count| (count, ()));
    let Some((bytes, ())) = cells(first.unit.into(), zeros, sizes).next() else { return false };
    let cell = |site: &Site| (site.offset + at).div_euclid(bytes);
    let taken = |at: i64| run.iter().any(|site| site.units().any(|other| other == at));
    like && free(&store)
        && run.iter().all(free)
        && cell(store) == cell(first)
        && !store.units().any(taken)
}

/// Ends a run: the last store of a cell becomes the combined one, as all values are then available.
fn end_run(run: &[&Site], told: &BaseAccesses, executed: &mut Executed) {
    let Some(first) = run.first() else { return };
    for site in run {
        executed.insert(site.pc, Vec::new());
    }
    if first.is_guarded() || first.alone {
        executed.insert(first.pc, as_written(first));
        return;
    }
    let Aligned { at, zeros } = told.alignment(first);
    let mut open = units(run, first.inner - at);
    let unit = i64::from(first.unit);
    for (bytes, ()) in cells(unit, zeros, STORES.map(|count| (count, ()))) {
        open = join_stores(open, bytes, (bytes / unit) as usize, executed);
    }
    join_stores(open, unit, 1, executed);
}

fn join_stores<'s>(
    open: Vec<AccessUnit<'s>>,
    bytes: i64,
    least: usize,
    executed: &mut Executed,
) -> Vec<AccessUnit<'s>> {
    let mut groups: BTreeMap<i64, Vec<AccessUnit<'s>>> = BTreeMap::new();
    for unit in open {
        groups.entry(unit.offset.div_euclid(bytes)).or_default().push(unit);
    }
    let mut left = Vec::new();
    for group in groups.into_values() {
        match group.iter().max_by_key(|unit| unit.order) {
            Some(last) if group.len() >= least => execute(&group, *last, bytes, executed),
            _ => left.extend(group),
        }
    }
    left
}
