//! Notes on accesses beside each other whose addresses are computed in different ways.

use super::beside::close;
use super::dataflow::Version;
use super::note::{Note, NoteBuilder, NoteKind, about};
use super::site::Site;
use ptx::Space;
use std::collections::BTreeMap;

impl NoteBuilder<'_, '_> {
    /// Accesses whose addresses are equal but for a constant, and computed in different ways, or, in
    /// global memory beside a vector, by different instructions that do the same. Measured: ptxas
    /// (11.8 to 13.5) sees that some of them are equal, and of some only after it has joined others.
    pub(super) fn computed(&self) -> Vec<Note> {
        let mut alike: BTreeMap<_, Vec<&Site>> = BTreeMap::new();
        for site in self.sites.iter().filter(|site| !site.way.volatile) {
            let sum = self.dataflow.bases.unwrapped(site.base);
            alike.entry((site.space == Space::Shared, sum)).or_default().push(site);
        }
        let of = |sites: Vec<&Site>| Some(about(NoteKind::Computed, sites.first()?.pc, sites));
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
        let seen = |load: &Site, store: &Site| load.version == Version::After(store.pc);
        self.on_one_path(a, b)
            && match (a.load, b.load) {
                (true, true) => (a.version, a.way) == (b.version, b.way),
                (true, false) => seen(a, b),
                (false, true) => seen(b, a),
                (false, false) => a.block == b.block,
            }
    }

    /// Whether one of two accesses always comes before the other.
    pub(super) fn on_one_path(&self, a: &Site, b: &Site) -> bool {
        let leads = |a: &Site, b: &Site| self.flow.dominates(a.block, b.block);
        leads(a, b) || leads(b, a)
    }
}
