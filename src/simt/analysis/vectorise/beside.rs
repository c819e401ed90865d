//! Notes on loads beside each other of which ptxas may join some.

use super::note::{ENOUGH, Note, NoteBuilder, NoteKind, about};
use super::site::Site;
use super::value::{Atom, Base};
use crate::ptx::Space;
use std::collections::HashMap;

impl NoteBuilder<'_, '_> {
    /// The notes on the loads of each base. They come from comparing random kernels with their SASS
    /// (ptxas 12.9 and 13.5): elsewhere the rule predicts it.
    pub(super) fn beside(&self) -> Vec<Note> {
        let of = |loads: Vec<&Site>| {
            [self.conditional(&loads), self.across(&loads), self.uniform(&loads)]
        };
        self.neighbourhoods().into_iter().flat_map(of).flatten().collect()
    }

    /// The loads by memory space and base.
    fn neighbourhoods(&self) -> Vec<Vec<&Site>> {
        let mut found: HashMap<_, Vec<_>> = HashMap::new();
        for site in self.sites.iter().filter(|site| site.load && !site.alone) {
            found.entry((site.space, site.base)).or_default().push(site);
        }
        found.into_values().collect()
    }

    /// Loads beside each other of which the first is not executed wherever the others are.
    fn conditional(&self, loads: &[&Site]) -> Option<Note> {
        let first = loads[0];
        if first.space == Space::Global && !self.told.is_of(first) {
            return None;
        }
        let mut found = Vec::new();
        for (place, first) in loads.iter().enumerate() {
            let beside: Vec<_> =
                loads[place + 1..].iter().copied().filter(|then| near(first, then)).collect();
            let leads = |then: &&Site| {
                let always = !first.is_guarded() && !then.is_guarded();
                always && self.flow.dominates(first.block, then.block)
            };
            // Of loads on different branches neither is executed wherever the other is.
            let meets = |then: &&Site| {
                let guarded = first.is_guarded() || then.is_guarded();
                let follows = self.flow.post_dominates(then.block, first.block);
                guarded || follows || self.flow.dominates(first.block, then.block)
            };
            let beside: Vec<_> = beside.into_iter().filter(meets).collect();
            if !beside.iter().all(leads) {
                found.push(*first);
                found.extend(beside);
            }
        }
        let first = found.first()?.pc;
        Some(about(NoteKind::Conditional, first, found))
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
        let told = self.told.is_of(first);
        let beside = |site: &&Site| {
            let others = loads.iter().filter(|other| other.version != site.version);
            let same = |other: &Site| (other.offset, other.inner) == (site.offset, site.inner);
            others.into_iter().any(|other| same(other) || (told && near(site, other)))
        };
        let found: Vec<_> = loads.iter().copied().filter(beside).collect();
        let first = found.first()?.pc;
        Some(about(NoteKind::ReadOnly, first, found))
    }

    /// Loads from global memory at the same address in all lanes, which ptxas treats differently.
    fn uniform(&self, loads: &[&Site]) -> Option<Note> {
        let first = loads[0];
        let told = first.space == Space::Global && self.told.is_of(first);
        let several = loads.iter().enumerate().any(|(n, a)| loads[..n].iter().any(|b| near(a, b)));
        let found = told && several && self.is_uniform(first.base);
        found.then(|| about(NoteKind::Uniform, first.pc, loads.iter().copied()))
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

/// Whether two accesses may fall into one cell.
fn near(a: &Site, b: &Site) -> bool {
    let [first, then] = [a, b].map(|site| site.inner + site.offset);
    let end = |site: &Site, at: i64| at + i64::from(site.bytes());
    first - end(b, then) < (1 << ENOUGH) && then - end(a, first) < (1 << ENOUGH)
}
