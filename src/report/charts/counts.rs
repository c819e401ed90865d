//! The simulator's counts for the measured kernels: the same PTX, at the same size.

use crate::analysis::Counters;
use crate::kernel;
use crate::study::counts::{CountError, LaunchCounts, SizedSubject};
use crate::timing::Measurement;
use crate::timing::pack::{Freshness, freshness};

/// The results so far: for each subject its counts, or the reason why there are none.
#[derive(Clone, Debug, Default)]
pub struct ChartCounts(Vec<(SizedSubject, Result<LaunchCounts, CountError>)>);

impl SizedSubject {
    /// The subject of a row; `None` for a library, or for a kernel that has changed since.
    pub fn of(row: &Measurement) -> Option<Self> {
        let kernel = kernel::find(&row.kernel)?;
        let tile = row.tile.filter(|tile| kernel.embedded(*tile).is_some())?;
        let is_it = freshness(row) == Freshness::Fresh;
        is_it.then_some(Self { kernel, tile, size: row.size })
    }
}

impl ChartCounts {
    pub fn of(&self, row: &Measurement) -> Option<&Counters> {
        Some(&self.simulated(row)?.counters)
    }

    /// Everything that was counted for a row.
    pub fn simulated(&self, row: &Measurement) -> Option<&LaunchCounts> {
        // Whether a row is of today's kernel takes a hash of its PTX, which no frame has time for.
        let like = |(known, _): &(SizedSubject, _)| {
            (known.kernel.name, Some(known.tile), known.size) == (&*row.kernel, row.tile, row.size)
        };
        if !self.0.iter().any(like) {
            return None;
        }
        self.known(&SizedSubject::of(row)?)?.as_ref().ok()
    }

    /// The result for a subject, if it was tried.
    pub fn known(&self, subject: &SizedSubject) -> Option<&Result<LaunchCounts, CountError>> {
        self.0.iter().find(|(known, _)| known == subject).map(|(_, counted)| counted)
    }

    /// Adds the result for a subject.
    pub fn put(&mut self, subject: SizedSubject, counted: Result<LaunchCounts, CountError>) {
        self.0.push((subject, counted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Size;
    use crate::timing::pack::packs;
    use crate::work::WorkToken;

    #[test]
    fn a_fresh_row_is_counted_and_a_librarys_is_not() {
        let rows = &packs()[0].rows;
        let row = |name: &str| {
            let is_it = |row: &&Measurement| row.kernel == name && row.size == Size::square(64);
            rows.iter().find(is_it).expect("it was measured")
        };
        assert_eq!(SizedSubject::of(row("cublas")), None);
        let mut stale = row("tiled").clone();
        stale.ptx_sha256 = Some("of yesterday".to_owned());
        assert_eq!(SizedSubject::of(&stale), None);
        let subject = SizedSubject::of(row("tiled")).expect("of the catalogue");
        let mut counts = ChartCounts::default();
        assert_eq!(counts.of(row("tiled")), None);
        counts.put(subject, subject.count(&WorkToken::default()));
        let counted = counts.of(row("tiled")).expect("it was counted");
        assert_eq!(counted.ptx.thread_fma, 64 * 64 * 64);
    }
}
