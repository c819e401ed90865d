//! The rungs of the ladder at one size: every kernel's fastest row, beside the library's and the one
//! before.

use crate::gpu::protocol::{Measurement, library};
use crate::kernel::KERNELS;
use crate::matrix::{Precision, Size};

/// One kernel of the story, or a library.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung<'a> {
    /// What it is called: `tiled 16`.
    pub name: String,
    /// Its fastest row at this size.
    pub row: &'a Measurement,
    /// The part of the speed of cuBLAS in the same precision, if that was measured.
    pub of_library: Option<f64>,
    /// Its speed as a multiple of the kernel's before it in the story.
    pub over_previous: Option<f64>,
}

/// What a row is called: `tiled 16`, `cuBLAS`.
pub fn name(row: &Measurement) -> String {
    match (row.kernel.as_str(), row.tile) {
        ("cublas", _) => "cuBLAS".to_owned(),
        ("cublas half", _) => "cuBLAS half".to_owned(),
        (kernel, Some(tile)) => format!("{kernel} {tile}"),
        (kernel, None) => kernel.to_owned(),
    }
}

/// The fastest row of every kernel of the catalogue at `size`, in the order of the story; cuBLAS's,
/// where they were measured, last.
pub fn rungs(rows: &[Measurement], size: Size) -> Vec<Rung<'_>> {
    let libraries = [Precision::Single, Precision::Half].map(library);
    let names = KERNELS.iter().map(|kernel| kernel.name).chain(libraries);
    let rows: Vec<_> = names.filter_map(|name| fastest(rows, name, size)).collect();
    let mut before = None;
    let rung = |row: &&'_ Measurement| {
        let precision = row.precision();
        // Float32's library is no measure for halves, and neither is its last kernel.
        let previous = before.replace((precision, row.gflops));
        let previous = previous.filter(|(other, _)| *other == precision && !row.is_library());
        let library = rows.iter().find(|other| other.kernel == library(precision));
        let times = |gflops: f64| row.gflops / gflops;
        (previous.map(|(_, gflops)| times(gflops)), library.map(|row| times(row.gflops)))
    };
    let steps: Vec<_> = rows.iter().map(rung).collect();
    let whole = |(row, (over_previous, of_library))| Rung {
        name: name(row),
        row,
        of_library,
        over_previous,
    };
    rows.into_iter().zip(steps).map(whole).collect()
}

fn fastest<'a>(rows: &'a [Measurement], kernel: &str, size: Size) -> Option<&'a Measurement> {
    let of_it = rows.iter().filter(|row| row.kernel == kernel && row.size == size);
    of_it.max_by(|a, b| a.gflops.total_cmp(&b.gflops))
}

/// The sizes that were measured, ascending by work.
pub fn sizes(rows: &[Measurement]) -> Vec<Size> {
    let mut sizes: Vec<_> = rows.iter().map(|row| row.size).collect();
    sizes.sort_by(|a, b| a.flops().total_cmp(&b.flops()));
    sizes.dedup();
    sizes
}

/// One sentence on a rung: its speed, its share, its step.
pub fn sentence(rungs: &[Rung<'_>], index: usize) -> String {
    let Some(Rung { name, row, of_library, over_previous }) = rungs.get(index) else {
        return "nothing was measured at this size".to_owned();
    };
    let mut words = vec![format!("{name}: {:.1} TFLOP/s", row.gflops / 1e3)];
    if !row.is_library() {
        let library = if row.precision() == Precision::Half { "cuBLAS half" } else { "cuBLAS" };
        words.extend(of_library.map(|part| format!("{:.0} % of {library}", 100.0 * part)));
    }
    let before = index.checked_sub(1).and_then(|index| rungs.get(index));
    let step = over_previous.zip(before);
    words.extend(step.map(|(times, before)| format!("{times:.2}x the speed of {}", before.name)));
    words.join(", ") + "."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::protocol::{Beside, Reference};
    use crate::stats::Quartiles;

    fn row(kernel: &str, n: u32, ms: f64) -> Measurement {
        let size = Size::square(n);
        Measurement {
            device: "NVIDIA H200".to_owned(),
            kernel: kernel.to_owned(),
            ptx_sha256: None,
            size,
            tile: None,
            ms: Quartiles { median: ms, q1: ms, q3: ms, samples: 10 },
            gflops: size.flops() / ms / 1e6,
            relative_error: Some(0.0),
            tolerance: 1e-5,
            reference: Reference::Float64,
            c_sha256: String::new(),
            beside: Beside::default(),
        }
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
        let told: Vec<_> =
            rungs.iter().map(|r| (r.name.as_str(), r.over_previous, r.of_library)).collect();
        let expected = [
            ("naive", None, Some(0.125)),
            ("tiled", Some(2.0), Some(0.25)),
            ("cuBLAS", None, Some(1.0)),
        ];
        assert_eq!(told, expected);
        insta::assert_snapshot!(sentence(&rungs, 1), @"tiled: 0.0 TFLOP/s, 25 % of cuBLAS, 2.00x the speed of naive.");
        insta::assert_snapshot!(sentence(&rungs, 9), @"nothing was measured at this size");
    }

    #[test]
    fn sizes_ascend_and_stand_once() {
        let rows = [row("naive", 128, 1.0), row("naive", 64, 1.0), row("tiled", 128, 1.0)];
        assert_eq!(sizes(&rows), [Size::square(64), Size::square(128)]);
    }
}
