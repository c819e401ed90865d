//! What the simulator counts of the kernels that were measured: the same PTX, at the same size.

use crate::analysis::Counters;
use crate::analysis::classes::Progress;
use crate::gpu::pack::{Freshness, freshness};
use crate::gpu::protocol::Measurement;
use crate::kernel::{self, Kernel, Problem, Tile};
use crate::matrix::Size;
use crate::report::counted::simulate_while;
use crate::report::reconcile::Simulated;

/// A kernel of the catalogue with its tile at a size.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// Which.
    pub kernel: &'static Kernel,
    /// Its tile.
    pub tile: Tile,
    /// The sizes of A, B and C.
    pub size: Size,
}

/// What is known so far: of each the counts as they are executed, or why there are none.
#[derive(Clone, Debug, Default)]
pub struct Counts(Vec<(Subject, Result<Counters, String>)>);

impl PartialEq for Subject {
    fn eq(&self, other: &Self) -> bool {
        let of = |this: &Self| (this.kernel.name, this.tile, this.size);
        of(self) == of(other)
    }
}

impl Subject {
    /// What was measured in a row; none of a library, or of a kernel that has changed since.
    pub fn of(row: &Measurement) -> Option<Self> {
        let kernel = kernel::find(&row.kernel)?;
        let tile = row.tile.filter(|tile| kernel.embedded(*tile).is_some())?;
        let is_it = freshness(row) == Freshness::Fresh;
        is_it.then_some(Self { kernel, tile, size: row.size })
    }

    /// Counts it, as the machine code executes it.
    ///
    /// # Errors
    /// Why it cannot be told: see [`simulate_while`].
    pub fn count(&self) -> Result<Counters, String> {
        self.count_while(|_| true)
    }

    /// The same, which now and then says how far it is, and gives up when it is told not to go on.
    ///
    /// # Errors
    /// Why it cannot be told, or that it was given up.
    pub fn count_while(&self, go_on: impl Fn(Progress) -> bool + Sync) -> Result<Counters, String> {
        let variant = self.kernel.variant(self.tile).ok_or("it has no such tile")?;
        let ptx = variant.ptx.ok_or("its PTX is not embedded")?;
        let problem = Problem::of(self.kernel, variant, self.size, ptx.into());
        let Simulated { written, executed } = simulate_while(&problem, go_on)?;
        Ok(executed.unwrap_or(written))
    }
}

impl Counts {
    /// What was counted of a row.
    pub fn of(&self, row: &Measurement) -> Option<&Counters> {
        self.known(&Subject::of(row)?)?.as_ref().ok()
    }

    /// What came of it, if it was tried.
    pub fn known(&self, subject: &Subject) -> Option<&Result<Counters, String>> {
        self.0.iter().find(|(known, _)| known == subject).map(|(_, counted)| counted)
    }

    /// Takes in what came of it.
    pub fn put(&mut self, subject: Subject, counted: Result<Counters, String>) {
        self.0.push((subject, counted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::pack::packs;

    #[test]
    fn a_fresh_row_is_counted_and_a_librarys_is_not() {
        let rows = &packs()[0].rows;
        let row = |name: &str| {
            let is_it = |row: &&Measurement| row.kernel == name && row.size == Size::square(64);
            rows.iter().find(is_it).expect("it was measured")
        };
        assert_eq!(Subject::of(row("cublas")), None);
        let mut stale = row("tiled").clone();
        stale.ptx_sha256 = Some("of yesterday".to_owned());
        assert_eq!(Subject::of(&stale), None);
        let subject = Subject::of(row("tiled")).expect("of the catalogue");
        let mut counts = Counts::default();
        assert_eq!(counts.of(row("tiled")), None);
        counts.put(subject, subject.count());
        let counted = counts.of(row("tiled")).expect("it was counted");
        assert_eq!(counted.thread_fma, 64 * 64 * 64);
    }
}
