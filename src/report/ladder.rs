//! The ladder at one size: the speed of every kernel relative to the library and to the kernel
//! before.
//!
//! Each kernel has the tile that is chosen for it at that size, so that all rungs with one element
//! per thread have tiles of one size. If that tile was not measured, it has its fastest.
//!
//! There are two ladders, for float32 and for half precision. Each has its own library; kernels of
//! one are not compared with the other's.

use crate::kernel::{self, KERNELS, Tile};
use crate::matrix::{Precision, Size};
use crate::timing::pack::Pack;
use crate::timing::{Measurement, library};

/// A kernel of the catalogue's sequence, or a library.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung<'a> {
    /// Its name: `tiled 16`.
    pub name: String,
    /// Its row at this size.
    pub row: &'a Measurement,
    pub precision: Precision,
    /// Its speed as a fraction of the library's, if that was measured.
    pub of_library: Option<f64>,
    /// Its speed as a multiple of the previous kernel's.
    pub over_previous: Option<f64>,
}

/// The name for rows of a kernel with a tile, or of a library: `tiled 16`, `cuBLAS`.
pub fn called(kernel: &str, tile: Option<Tile>) -> String {
    let name = if kernel == library(Precision::Single) {
        "cuBLAS"
    } else if kernel == library(Precision::Half) {
        "cuBLAS half"
    } else {
        kernel
    };
    tile.map_or(name.to_owned(), |tile| format!("{name} {tile}"))
}

pub fn name(row: &Measurement) -> String {
    let name =
        if is_yours(row) { format!("your {}", row.kernel) } else { called(&row.kernel, row.tile) };
    match &row.compiled_by {
        Some(by) if row.is_to_look_at() => format!("{name}, compiled by {by}"),
        Some(_) | None => name,
    }
}

/// The name of a row, without its tile.
pub fn short_name(row: &Measurement) -> String {
    if is_yours(row) { "yours".to_owned() } else { called(&row.kernel, None) }
}

/// Whether a user's kernel has the name of one of the catalogue, as an edited copy has.
fn is_yours(row: &Measurement) -> bool {
    row.tile.is_none() && row.ptx_sha256.is_some() && kernel::find(&row.kernel).is_some()
}

/// A row for every kernel of the catalogue at `size`, in the catalogue's order: those of float32,
/// then their library, then those of half precision, then theirs.
pub fn rungs(rows: &[Measurement], size: Size) -> Vec<Rung<'_>> {
    let of = |precision| ladder(rows, size, precision);
    [Precision::Single, Precision::Half].into_iter().flat_map(of).collect()
}

fn ladder<'a>(rows: &'a [Measurement], size: Size, precision: Precision) -> Vec<Rung<'a>> {
    let kernels = KERNELS.iter().filter(|kernel| kernel.precision == precision);
    let names = kernels.map(|kernel| kernel.name).chain([library(precision)]);
    let rows: Vec<_> = names.filter_map(|name| chosen(rows, name, size)).collect();
    let best = rows.iter().find(|row| row.is_library()).map(|row| row.gflops);
    let mut before = None;
    let rung = |row: &'_ Measurement| -> [Option<f64>; 2] {
        let previous = before.replace(row.gflops).filter(|_| !row.is_library());
        [best, previous].map(|other| other.map(|gflops| row.gflops / gflops))
    };
    let steps: Vec<_> = rows.iter().copied().map(rung).collect();
    let whole = |(row, step): (&'a Measurement, [Option<f64>; 2])| {
        let [of_library, over_previous] = step;
        Rung { name: name(row), row, precision, of_library, over_previous }
    };
    rows.into_iter().zip(steps).map(whole).collect()
}

fn chosen<'a>(rows: &'a [Measurement], kernel: &str, size: Size) -> Option<&'a Measurement> {
    let tile = kernel::find(kernel).map(|kernel| kernel.variant_for(size).tile);
    let mut of_it = rows.iter().filter(|row| row.kernel == kernel && row.size == size);
    let fastest = of_it.clone().max_by(|a, b| a.gflops.total_cmp(&b.gflops));
    of_it.find(|row| tile.is_some() && row.tile == tile).or(fastest)
}

/// The measured sizes, ascending by work.
pub fn sizes(rows: &[Measurement]) -> Vec<Size> {
    let mut sizes: Vec<_> = rows.iter().map(|row| row.size).collect();
    sizes.sort_by(|a, b| a.flops().total_cmp(&b.flops()));
    sizes.dedup();
    sizes
}

/// The item whose size is nearest to the given one, by work.
pub fn nearest<T>(
    all: impl IntoIterator<Item = T>,
    to: Size,
    size: impl Fn(&T) -> Size,
) -> Option<T> {
    let distance = |one: &T| (size(one).flops() / to.flops()).ln().abs();
    all.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// The default size: every kernel has enough work for the whole GPU, and each is faster than the
/// one before.
const STORY: Size = Size::square(4096);

/// The size to show first: the default, or the measured one nearest to it.
pub fn first_size(rows: &[Measurement]) -> Size {
    nearest(sizes(rows), STORY, |size| *size).unwrap_or(STORY)
}

/// A kernel's time is meaningful if it is at least this many times an empty kernel's.
const ABOVE_LAUNCH: f64 = 5.0;

/// The measured size whose times to show for a problem of this size: the nearest one or, where the
/// times are mostly those of a launch, the default.
pub fn telling_size(pack: &Pack, size: Size) -> Size {
    let near = nearest(sizes(&pack.rows), size, |size| *size).unwrap_or(size);
    let empty = pack.ceilings.as_ref().map_or(0.0, |most| most.overheads.batch_us.median / 1e3);
    let there = pack.rows.iter().filter(|row| row.size == near && !row.is_cpu());
    let float32 = there.filter(|row| row.precision() == Precision::Single);
    let fastest = float32.map(|row| row.ms.median).fold(f64::INFINITY, f64::min);
    if fastest < ABOVE_LAUNCH * empty { first_size(&pack.rows) } else { near }
}

impl Rung<'_> {
    pub fn is_library(&self) -> bool {
        self.row.is_library()
    }
}

/// A sentence about a rung: its speed, its fraction of the library's, its gain over the previous
/// kernel; the longest wording first.
pub fn sentence(rungs: &[Rung<'_>], index: usize) -> Vec<String> {
    let Some(rung @ Rung { name, row, of_library, over_previous, .. }) = rungs.get(index) else {
        return vec!["nothing was measured at this size".to_owned()];
    };
    let speed = format!("{:.1} TFLOP/s", row.gflops / 1e3);
    let share = of_library.filter(|_| !rung.is_library());
    let share = share.map(|part| format!(", {:.0} % of cuBLAS", 100.0 * part));
    let before = index.checked_sub(1).and_then(|index| rungs.get(index));
    let step = |name: fn(&Rung<'_>) -> String| {
        let step = over_previous.zip(before);
        step.map(|(times, before)| format!(", {times:.2}x the speed of {}", name(before)))
    };
    let [share, long, short] =
        [share, step(|rung| rung.name.clone()), step(|rung| short_name(rung.row))]
            .map(Option::unwrap_or_default);
    vec![
        format!("{name}: {speed}{share}{long}."),
        format!("{}: {speed}{share}{short}.", short_name(row)),
        format!("{}: {speed}{short}.", short_name(row)),
        format!("{}: {speed}.", short_name(row)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Quartiles;
    use crate::timing::{Reference, Telemetry};

    fn row(kernel: &str, n: u32, ms: f64) -> Measurement {
        let size = Size::square(n);
        Measurement {
            device: "NVIDIA H200".to_owned(),
            kernel: kernel.to_owned(),
            ptx_sha256: None,
            compiled_by: None,
            size,
            tile: None,
            ms: Quartiles { median: ms, q1: ms, q3: ms, samples: 10 },
            gflops: size.flops() / ms / 1e6,
            relative_error: Some(0.0),
            tolerance: 1e-5,
            reference: Reference::Float64,
            c_sha256: String::new(),
            beside: Telemetry::default(),
        }
    }

    #[test]
    fn an_edited_copy_is_told_from_the_kernel_of_the_catalogue() {
        let copy = Measurement { ptx_sha256: Some("0".to_owned()), ..row("tiled", 64, 1.0) };
        assert_eq!((&*name(&copy), &*short_name(&copy)), ("your tiled", "yours"));
        let other = Measurement { kernel: "mm".to_owned(), ..copy };
        assert_eq!((&*name(&other), &*short_name(&other)), ("mm", "mm"));
    }

    /// Each rung's name, its gain over the one before, and its fraction of the library's speed.
    fn described<'a>(rungs: &'a [Rung<'_>]) -> Vec<(&'a str, Option<f64>, Option<f64>)> {
        rungs.iter().map(|rung| (&*rung.name, rung.over_previous, rung.of_library)).collect()
    }

    #[test]
    fn rungs_stand_in_the_order_of_the_story_with_their_steps() {
        let rows = [
            row("cublas", 64, 1.0),
            row("tiled", 64, 5.0),
            row("tiled", 64, 4.0),
            row("naive", 64, 8.0),
            row("naive", 128, 1.0),
        ];
        let rungs = rungs(&rows, Size::square(64));
        let expected = [
            ("naive", None, Some(0.125)),
            ("tiled", Some(2.0), Some(0.25)),
            ("cuBLAS", None, Some(1.0)),
        ];
        assert_eq!(described(&rungs), expected);
        insta::assert_snapshot!(sentence(&rungs, 1)[0], @"tiled: 0.0 TFLOP/s, 25 % of cuBLAS, 2.00x the speed of naive.");
        insta::assert_snapshot!(sentence(&rungs, 9)[0], @"nothing was measured at this size");
    }

    #[test]
    fn a_kernel_stands_in_the_tile_that_is_chosen_for_it_before_its_fastest() {
        let tiled =
            |side, ms| Measurement { tile: Some(Tile::square(side)), ..row("tiled", 64, ms) };
        let rows = [tiled(8, 2.0), tiled(32, 1.0), tiled(16, 4.0)];
        let name = |rows| rungs(rows, Size::square(64))[0].name.clone();
        assert_eq!([name(&rows), name(&rows[..2])], ["tiled 16", "tiled 32"]);
    }

    #[test]
    fn halves_have_a_ladder_and_a_library_of_their_own() {
        let rows = [
            row("half_plain", 64, 4.0),
            row("half_tensor", 64, 1.0),
            row("cublas half", 64, 0.5),
            row("sgemm", 64, 4.0),
            row("cublas", 64, 2.0),
        ];
        let rungs = rungs(&rows, Size::square(64));
        let expected = [
            ("sgemm", None, Some(0.5)),
            ("cuBLAS", None, Some(1.0)),
            ("half_plain", None, Some(0.125)),
            ("half_tensor", Some(4.0), Some(0.5)),
            ("cuBLAS half", None, Some(1.0)),
        ];
        assert_eq!(described(&rungs), expected);
    }

    #[test]
    fn the_story_begins_at_the_size_nearest_to_its_own() {
        let rows = [row("naive", 128, 1.0), row("naive", 3072, 1.0), row("naive", 64, 1.0)];
        assert_eq!(first_size(&rows), Size::square(3072));
        assert_eq!(first_size(&[]), STORY);
    }

    #[test]
    fn times_are_shown_at_a_size_that_takes_longer_than_a_launch() {
        let pack = &crate::timing::pack::packs()[0];
        let shown = |n| telling_size(pack, Size::square(n));
        assert_eq!([64, 512].map(shown), [Size::square(4096); 2]);
        assert_eq!([1024, 2000].map(shown), [Size::square(1024), Size::square(2048)]);
    }

    #[test]
    fn sizes_ascend_and_stand_once() {
        let rows = [row("naive", 128, 1.0), row("naive", 64, 1.0), row("tiled", 128, 1.0)];
        assert_eq!(sizes(&rows), [Size::square(64), Size::square(128)]);
    }
}
