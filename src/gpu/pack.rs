//! Timing packs: measurements kept, with the GPU, the driver and the day they were made on.

use super::protocol::Measurement;
use crate::kernel::{self, Tile, sha256};
use crate::matrix::Size;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// The packs of `kernels/timings/`, as text: one line for each.
const EMBEDDED: &[&str] = &[include_str!("../../kernels/timings/h200.json")];

/// The only shape of a pack so far.
pub const FORMAT: u32 = 1;

/// Measurements made with one GPU on one day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pack {
    /// The shape of this object: [`FORMAT`].
    pub format: u32,
    /// The GPU's name.
    pub device: String,
    /// Its compute capability, for example `9.0`.
    pub compute_capability: String,
    /// The driver's release, where the system tells it.
    pub driver: Option<String>,
    /// The newest CUDA that the driver knows.
    pub cuda: String,
    /// The day, as `2026-11-21`.
    pub date: String,
    /// The version of this program.
    pub program: String,
    /// What was measured.
    pub rows: Vec<Measurement>,
}

/// A row that was found in a pack.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The row.
    pub row: &'static Measurement,
    /// What must stand beside it, for example `recorded on NVIDIA H200, 2026-11-21`.
    pub label: String,
    /// Whether it is of the kernel as it is now.
    pub freshness: Freshness,
}

/// Whether a recorded row still tells of the embedded kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// The recorded PTX is the embedded PTX, byte for byte; cuBLAS is always so.
    Fresh,
    /// The kernel has changed since.
    Stale,
}

static PACKS: LazyLock<Vec<Pack>> = LazyLock::new(|| {
    // A pack that cannot be read is left out here and fails the test below.
    EMBEDDED.iter().filter_map(|text| serde_json::from_str(text).ok()).collect()
});

/// The embedded packs.
pub fn packs() -> &'static [Pack] {
    &PACKS
}

/// The recorded time of a kernel (or of `cublas`, which has no tile) at a size.
pub fn lookup(kernel: &str, tile: Option<Tile>, size: Size) -> Option<Recorded> {
    lookup_in(packs(), kernel, tile, size)
}

fn lookup_in(
    packs: &'static [Pack],
    kernel: &str,
    tile: Option<Tile>,
    size: Size,
) -> Option<Recorded> {
    let is_it =
        |row: &&Measurement| (row.kernel.as_str(), row.tile, row.size) == (kernel, tile, size);
    packs.iter().find_map(|pack| {
        let row = pack.rows.iter().find(is_it)?;
        Some(Recorded { row, label: pack.label(), freshness: freshness(row) })
    })
}

impl Pack {
    /// What must stand beside each of its rows.
    pub fn label(&self) -> String {
        format!("recorded on {}, {}", self.device, self.date)
    }
}

fn freshness(row: &Measurement) -> Freshness {
    let embedded = kernel::find(&row.kernel)
        .and_then(|kernel| kernel.embedded(row.tile?))
        .map(|ptx| sha256(ptx.as_bytes()));
    if row.ptx_sha256 == embedded { Freshness::Fresh } else { Freshness::Stale }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::protocol::{Beside, Reference};
    use crate::gpu::stand_in;
    use crate::stats::Quartiles;

    #[test]
    fn every_embedded_pack_is_a_real_gpus_and_tells_of_the_kernels_as_they_are() {
        assert_eq!(packs().len(), EMBEDDED.len(), "a pack cannot be read");
        for pack in packs() {
            assert_eq!(pack.format, FORMAT);
            assert_ne!(pack.device, stand_in::NAME);
            for row in &pack.rows {
                assert_eq!(row.device, pack.device);
                assert!(row.is_right(), "{row:?}");
                assert_eq!(freshness(row), Freshness::Fresh, "record again: {row:?}");
            }
        }
    }

    fn row(kernel: &str, tile: Option<u32>, ptx_sha256: Option<String>) -> Measurement {
        Measurement {
            device: "NVIDIA H200".to_owned(),
            kernel: kernel.to_owned(),
            ptx_sha256,
            size: Size::square(64),
            tile: tile.map(Tile::square),
            ms: Quartiles { median: 0.5, q1: 0.4, q3: 0.6, samples: 10 },
            gflops: 1.0,
            relative_error: Some(0.0),
            tolerance: 1e-6,
            reference: Reference::Float64,
            c_sha256: String::new(),
            beside: Beside::default(),
        }
    }

    fn pack() -> Pack {
        let naive = kernel::find("naive").and_then(|kernel| kernel.embedded(16));
        let now = naive.map(|ptx| sha256(ptx.as_bytes()));
        Pack {
            format: FORMAT,
            device: "NVIDIA H200".to_owned(),
            compute_capability: "9.0".to_owned(),
            driver: Some("580.159.03".to_owned()),
            cuda: "13.0".to_owned(),
            date: "2026-11-21".to_owned(),
            program: "0.1.0".to_owned(),
            rows: vec![
                row("naive", Some(16), now),
                row("tiled", Some(16), Some("of yesterday".to_owned())),
                row("cublas", None, None),
            ],
        }
    }

    #[test]
    fn a_row_is_found_with_its_label_and_a_changed_kernel_makes_it_stale() {
        let packs: &'static [Pack] = vec![pack()].leak();
        let found = |kernel, tile: Option<u32>| {
            lookup_in(packs, kernel, tile.map(Tile::square), Size::square(64))
        };
        let fresh = found("naive", Some(16)).expect("recorded");
        assert_eq!(fresh.label, "recorded on NVIDIA H200, 2026-11-21");
        assert_eq!(fresh.freshness, Freshness::Fresh);
        let stale = found("tiled", Some(16)).expect("recorded");
        assert_eq!(stale.freshness, Freshness::Stale);
        assert_eq!(found("cublas", None).map(|row| row.freshness), Some(Freshness::Fresh));
        assert_eq!(found("naive", Some(8)), None);
        assert_eq!(lookup_in(packs, "naive", Some(16.into()), Size::square(65)), None);
    }

    #[test]
    fn a_pack_reads_back_as_it_was_written() {
        let text = serde_json::to_string_pretty(&pack()).expect("a pack is JSON");
        assert_eq!(serde_json::from_str::<Pack>(&text).expect("read back"), pack());
    }
}
