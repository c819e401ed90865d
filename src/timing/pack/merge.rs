//! Merges packs of several runs on one GPU, with one driver, on one day.

use super::{Freshness, Pack, freshness};
use crate::kernel::{KERNELS, Tile};
use crate::matrix::Precision;
use crate::timing::{Loops, Measurement};

/// The numbers of rows by what became of them in a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Rows that the earlier run did not have.
    pub new: usize,
    /// Rows that replace the earlier run's.
    pub updated: usize,
    /// Rows that only the earlier run has.
    pub kept: usize,
    /// Rows of the earlier run that were dropped because their kernels have changed since.
    pub stale: usize,
}

impl Pack {
    /// The reason why the rows of `earlier` cannot be merged with these: the first fact of the
    /// packs that differs, with both values. `None` if none differs.
    pub fn unlike(&self, earlier: &Self) -> Option<String> {
        let facts = |pack: &Self| {
            let driver = pack.driver.clone().unwrap_or("of unknown release".to_owned());
            [
                ("GPU", pack.device.clone()),
                ("driver", driver),
                ("CUDA", pack.cuda.clone()),
                ("matviz", pack.program.clone()),
                ("day", pack.date.clone()),
            ]
        };
        let mut both = facts(earlier).into_iter().zip(facts(self));
        let ((name, then), (_, now)) = both.find(|(then, now)| then != now)?;
        Some(format!("{name} {then}, now {now}"))
    }

    /// Adds the rows that only an earlier run has, and sorts all rows.
    pub fn take_in(&mut self, earlier: Self) -> Merged {
        let updated = self.rows.iter().filter(|row| earlier.row_like(row).is_some()).count();
        let new = self.rows.len() - updated;
        let alone: Vec<_> =
            earlier.rows.into_iter().filter(|row| self.row_like(row).is_none()).collect();
        let (stale, kept): (Vec<_>, Vec<_>) = alone.into_iter().partition(is_stale);
        let merged = Merged { new, updated, kept: kept.len(), stale: stale.len() };
        self.rows.extend(kept);
        self.rows.sort_by(|a, b| {
            a.size.flops().total_cmp(&b.size.flops()).then_with(|| place(a).cmp(&place(b)))
        });
        let told = |kernel: &str, size| {
            let measured = |row: &Measurement| row.kernel == kernel && row.size == size;
            let skipped = self.skipped.iter();
            skipped.clone().any(|other| other.kernel == kernel && other.size == size)
                || self.rows.iter().any(measured)
        };
        let skipped = earlier.skipped.into_iter().filter(|row| !told(&row.kernel, row.size));
        let skipped: Vec<_> = skipped.collect();
        self.skipped.extend(skipped);
        self.ceilings = self.ceilings.take().or(earlier.ceilings);
        merged
    }
}

/// Whether its kernel is in the catalogue and has changed since.
fn is_stale(row: &Measurement) -> bool {
    row.tile.is_some() && freshness(row) == Freshness::Stale
}

/// A row's sort key among the rows of its size, in the order of a run: the CPU's loops, the kernels
/// with square tiles, the kernels whose tiles the size chooses and user kernels, the libraries.
fn place(row: &Measurement) -> (u8, u32, usize) {
    let known = KERNELS.iter().position(|kernel| kernel.name == row.kernel);
    let side = row.tile.and_then(Tile::side);
    if row.is_cpu() {
        (0, 0, Loops::ALL.iter().position(|loops| loops.name() == row.kernel).unwrap_or(0))
    } else if row.is_library() {
        (3, 0, usize::from(row.precision() != Precision::Single))
    } else if let (Some(side), Some(known)) = (side, known) {
        (1, side, known)
    } else {
        (2, 0, known.unwrap_or(KERNELS.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pack, row};
    use super::*;
    use crate::kernel::{find, sha256};
    use crate::matrix::Size;
    use crate::timing::pack::Skipped;

    fn fresh(kernel: &str, tile: u32, ms: f64) -> Measurement {
        let ptx = find(kernel).and_then(|kernel| kernel.embedded(tile));
        let mut row = row(kernel, Some(tile), ptx.map(|ptx| sha256(ptx.as_bytes())));
        row.ms.median = ms;
        row
    }

    fn skipped(kernel: &str) -> Skipped {
        Skipped { kernel: kernel.to_owned(), size: Size::square(64), reason: String::new() }
    }

    #[test]
    fn rows_of_now_take_the_place_of_their_like_and_all_stand_in_order() {
        let earlier = Pack {
            rows: vec![
                fresh("tiled", 8, 1.0),
                fresh("naive", 16, 1.0),
                row("tiled", Some(16), Some("of yesterday".to_owned())),
                row("mine", None, Some("anything".to_owned())),
                row("cublas", None, None),
            ],
            skipped: vec![skipped("sgemm"), skipped("naive_rows"), skipped("cpu plain")],
            ..pack()
        };
        let mut now = Pack {
            rows: vec![row("cublas half", None, None), fresh("naive", 16, 2.0), {
                Measurement { size: Size::square(32), ..fresh("naive_rows", 16, 2.0) }
            }],
            skipped: vec![skipped("sgemm")],
            ceilings: None,
            ..pack()
        };
        now.rows.push(fresh("naive_rows", 8, 2.0));
        let merged = now.take_in(earlier);
        assert_eq!(merged, Merged { new: 3, updated: 1, kept: 3, stale: 1 });
        let told = now.rows.iter().map(|row| {
            let tile = row.tile.map_or(String::new(), |tile| format!(" {tile}"));
            format!("{}{tile} at {}: {}", row.kernel, row.size, row.ms.median)
        });
        insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @"
        naive_rows 16 at 32: 2
        naive_rows 8 at 64: 2
        tiled 8 at 64: 1
        naive 16 at 64: 2
        mine at 64: 0.5
        cublas at 64: 0.5
        cublas half at 64: 0.5
        ");
        assert!(now.ceilings.is_some(), "they were measured earlier");
        let left: Vec<_> = now.skipped.iter().map(|row| &*row.kernel).collect();
        assert_eq!(left, ["sgemm", "cpu plain"]);
    }

    #[test]
    fn packs_of_another_driver_or_day_do_not_mix() {
        assert_eq!(pack().unlike(&pack()), None);
        let other = Pack { driver: None, date: "2025-01-01".to_owned(), ..pack() };
        let why = pack().unlike(&other);
        assert_eq!(why.as_deref(), Some("driver of unknown release, now 580.159.03"));
        let other = Pack { driver: pack().driver, ..other };
        let why = pack().unlike(&other);
        assert_eq!(why.as_deref(), Some("day 2025-01-01, now 2026-11-21"));
    }
}
