//! The rule by which ptxas combines accesses to shared and to global memory, as measured on small
//! kernels (tests/data/joins).
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

use super::dataflow::{SPACES, Touch, Version, touch};
use super::sass_access::SassAccess;
use super::site::Site;
use super::value::{Base, zeros};
use crate::ptx::Space;
use crate::sim::flow::Flow;
use crate::sim::{Pc, Program};
use std::collections::{BTreeMap, HashMap};

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

/// One unit of an access.
#[derive(Clone, Copy)]
struct Unit<'s> {
    site: &'s Site,
    /// Its position in text order.
    order: usize,
    /// Bytes from the base.
    offset: i64,
    /// Bytes from the address in the instruction.
    shift: i64,
}

/// Returns the needed units, with offsets from the base plus the constant `inner`.
fn units<'s>(sites: &[&'s Site], inner: i64) -> Vec<Unit<'s>> {
    let of = |site: &&'s Site| {
        let site = *site;
        site.units().map(move |at| (site, at))
    };
    let unit = |(order, (site, at)): (usize, (&'s Site, i64))| Unit {
        site,
        order,
        offset: at + site.inner - inner,
        shift: at - site.offset,
    };
    sites.iter().flat_map(of).enumerate().map(unit).collect()
}

/// Loads that can be combined at all: of one base, seeing the same stores, in units of one size.
#[derive(Debug)]
pub(super) struct Class<'s> {
    /// Dominating loads come first.
    pub(super) members: Vec<&'s Site>,
    /// The last store before them, whose values ptxas still has in registers.
    store: Option<&'s Site>,
    aligned: Aligned,
}

/// Groups the loads into classes; loads with `alone` are in none. In `sites`, dominating accesses
/// come first.
pub(super) fn classes<'s>(sites: &'s [Site], told: &Told) -> Vec<Class<'s>> {
    let mut classes: Vec<((Space, Base, Version, u8), Class<'_>)> = Vec::new();
    for site in sites.iter().filter(|site| site.load && !site.alone) {
        let class = (site.space, site.base, site.version, site.unit);
        if let Some((_, known)) = classes.iter_mut().find(|(known, _)| *known == class) {
            known.members.push(site);
        } else {
            let is_last = |of: &&Site| !of.load && site.version == Version::After(of.pc);
            let store = sites.iter().find(is_last);
            let aligned = told.of(site);
            classes.push((class, Class { members: vec![site], store, aligned }));
        }
    }
    classes.into_iter().map(|(_, class)| class).collect()
}

impl Class<'_> {
    /// Bytes of a unit.
    fn unit(&self) -> i64 {
        self.members[0].unit.into()
    }

    /// Returns the SASS loads.
    pub(super) fn joined(&self, flow: &Flow) -> Executed {
        self.joined_at(self.aligned, flow)
    }

    /// Returns the smallest possible number of SASS loads, if everything were known of the base.
    pub(super) fn fewest(&self, flow: &Flow) -> usize {
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
    fn joined_at(&self, aligned: Aligned, flow: &Flow) -> Executed {
        let mut executed: Executed =
            self.members.iter().map(|site| (site.pc, Vec::new())).collect();
        let mut open = units(&self.members, self.members[0].inner - aligned.at);
        let stored = self.stored(aligned);
        open.retain(|unit| self.store.is_none_or(|store| !forwards(store, unit)));
        for (bytes, least) in cells(self.unit(), aligned.zeros, LOADS) {
            // No gap is filled where a value was just stored, but for a vector that comes first.
            let enough = |first: &Unit<'_>| {
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

/// Counts the SASS accesses.
pub(super) fn count(executed: &Executed) -> usize {
    executed.values().map(Vec::len).sum()
}

/// Leaves an access as written.
pub(super) fn as_written(site: &Site) -> Vec<Joined> {
    let piece = SassAccess { shift: 0, bytes: site.bytes() };
    vec![Joined { piece, of: vec![site.pc] }]
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

/// The widest vector access of each base, which tells how the base is aligned.
pub(super) struct Told<'s>(HashMap<(Space, Base), &'s Site>);

impl<'s> Told<'s> {
    pub(super) fn by(sites: &'s [Site]) -> Self {
        let mut told: HashMap<_, &Site> = HashMap::new();
        for site in sites.iter().filter(|site| site.needed.len() > 1 && !site.is_guarded()) {
            let widest = told.entry((site.space, site.base)).or_insert(site);
            if site.bytes() > widest.bytes() {
                *widest = site;
            }
        }
        Self(told)
    }

    /// Whether a vector tells the alignment of an access's base.
    pub(super) fn is_of(&self, site: &Site) -> bool {
        self.0.contains_key(&(site.space, site.base))
    }

    /// The alignment of an access's base, from the computation of its address or from a vector,
    /// whichever says more.
    fn of(&self, site: &Site) -> Aligned {
        let computed = Aligned { at: 0, zeros: site.zeros };
        let told = self.0.get(&(site.space, site.base)).map(|vector| {
            let bytes = vector.bytes().into();
            let at = site.inner - vector.inner - vector.offset;
            Aligned { at: at.rem_euclid(bytes), zeros: zeros(bytes) }
        });
        told.filter(|told| told.zeros > computed.zeros).unwrap_or(computed)
    }
}

/// Whether ptxas takes a loaded value from the register that was just stored.
fn forwards(store: &Site, unit: &Unit<'_>) -> bool {
    let same =
        (store.base, store.inner, store.unit) == (unit.site.base, unit.site.inner, unit.site.unit);
    let at = unit.site.offset + unit.shift;
    same && !store.is_guarded() && !store.alone && store.units().any(|stored| stored == at)
}

/// Combines the loads of each cell of which at least `least` units are loaded, which depends on the
/// first; returns the others.
fn join_loads<'s>(
    open: Vec<Unit<'s>>,
    bytes: i64,
    least: impl Fn(&Unit<'_>) -> usize,
    flow: &Flow,
    executed: &mut Executed,
) -> Vec<Unit<'s>> {
    let mut groups: Vec<Vec<Unit<'s>>> = Vec::new();
    for unit in open {
        let cell = |unit: &Unit<'_>| unit.offset.div_euclid(bytes);
        let leads = |first: &Unit<'_>| {
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
fn before(a: &Site, b: &Site, flow: &Flow) -> bool {
    if a.block == b.block { a.pc <= b.pc } else { flow.dominates(a.block, b.block) }
}

/// Makes the instruction of unit `by` access the cell that contains the group.
fn execute(group: &[Unit<'_>], by: Unit<'_>, bytes: i64, executed: &mut Executed) {
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
    told: &Told,
    flow: &Flow,
    executed: &mut Executed,
) -> Vec<usize> {
    let stores: HashMap<_, _> = sites.iter().filter(|s| !s.load).map(|s| (s.pc, s)).collect();
    let mut overwritten = Vec::new();
    let chains = flow.graph.chains();
    for (space, chain) in SPACES.iter().flat_map(|space| chains.iter().map(move |c| (*space, c))) {
        let mut run: Vec<&Site> = Vec::new();
        for pc in chain.iter().flat_map(|block| flow.blocks[*block].clone()) {
            if touch(&program.inst(Pc(pc as u32)).op, space) == Touch::None {
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

/// Whether both store to the same location, in all lanes.
fn overlaps(a: &Site, b: &Site) -> bool {
    let like = (a.base, a.inner, a.unit) == (b.base, b.inner, b.unit);
    let free = |site: &Site| !site.is_guarded() && !site.alone;
    like && free(a) && free(b) && a.units().any(|at| b.units().any(|other| other == at))
}

/// Whether a store goes to units of the run's cell that the run has not stored yet.
fn continues(run: &[&Site], store: &Site, told: &Told) -> bool {
    let Some(first) = run.first() else { return true };
    let free = |site: &&Site| !site.is_guarded() && !site.alone;
    let like = (store.base, store.inner, store.unit) == (first.base, first.inner, first.unit);
    let Aligned { at, zeros } = told.of(first);
    let sizes = STORES.map(|count| (count, ()));
    let Some((bytes, ())) = cells(first.unit.into(), zeros, sizes).next() else { return false };
    let cell = |site: &Site| (site.offset + at).div_euclid(bytes);
    let taken = |at: i64| run.iter().any(|site| site.units().any(|other| other == at));
    like && free(&store)
        && run.iter().all(free)
        && cell(store) == cell(first)
        && !store.units().any(taken)
}

/// Ends a run: the last store of a cell performs the combined one, as only then are all values
/// available.
fn end_run(run: &[&Site], told: &Told, executed: &mut Executed) {
    let Some(first) = run.first() else { return };
    for site in run {
        executed.insert(site.pc, Vec::new());
    }
    if first.is_guarded() || first.alone {
        executed.insert(first.pc, as_written(first));
        return;
    }
    let Aligned { at, zeros } = told.of(first);
    let mut open = units(run, first.inner - at);
    let unit = i64::from(first.unit);
    for (bytes, ()) in cells(unit, zeros, STORES.map(|count| (count, ()))) {
        open = join_stores(open, bytes, (bytes / unit) as usize, executed);
    }
    join_stores(open, unit, 1, executed);
}

fn join_stores<'s>(
    open: Vec<Unit<'s>>,
    bytes: i64,
    least: usize,
    executed: &mut Executed,
) -> Vec<Unit<'s>> {
    let mut groups: BTreeMap<i64, Vec<Unit<'s>>> = BTreeMap::new();
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
