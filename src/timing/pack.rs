//! Timing packs: stored measurements, with their GPU, driver and date.
//!
//! Format 1 is still read. Format 2 added the GPU's limits (`limits`) and ceilings (`ceilings`),
//! skipped rows (`skipped`), rows of the CPU, and in each row the observations next to its time
//! (`beside`); in a pack of format 1 these are empty. Format 3 added rows of cuBLAS in half
//! precision, and C compared with it (`cuBLAS GemmEx`).

mod merge;
mod plausible;

pub use merge::Merged;

use super::{Ceilings, Gpus, Limits, Measurement};
use crate::kernel::{self, Tile, sha256};
use crate::matrix::Size;
use serde::{Deserialize, Serialize};
use std::sync::{LazyLock, Mutex, PoisonError};

/// The packs of `kernels/timings/`, as text.
const EMBEDDED: &[&str] = &[include_str!("../../kernels/timings/h200.json")];

/// The format of the packs that are written.
pub const FORMAT: u32 = 3;

/// The error for a pack that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    #[error(
        "this timing pack is of format {found}, and this program knows no newer one than {FORMAT}: \
         update matviz, or record the pack again"
    )]
    Newer {
        /// Its format.
        found: u32,
    },
    /// It holds a figure that no GPU can give.
    #[error("this timing pack holds an impossible figure: {0}")]
    Impossible(String),
    /// A name in it is longer than any.
    #[error("this timing pack has a name of {0} characters, where {LONGEST_NAME} are the most")]
    LongName(usize),
    #[error("this is not a timing pack of `matviz bench --record`")]
    Malformed(#[from] serde_json::Error),
}

/// The requested GPU is not among those found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("there is no GPU {asked}: this machine has {found}, counted from 0")]
pub struct NoSuchGpu {
    /// The requested number.
    pub asked: u32,
    /// The number of GPUs found.
    pub found: u32,
}

/// A requested row that was not measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The row's name.
    pub kernel: String,
    /// The sizes of A, B and C.
    pub size: Size,
    pub reason: String,
}

/// Measurements made on one GPU on one day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pack {
    /// The format of this object: 1 to [`FORMAT`].
    pub format: u32,
    /// The GPU's name.
    pub device: String,
    /// Its compute capability, for example `9.0`.
    pub compute_capability: String,
    /// The driver's release, or `None` if the system does not report it.
    pub driver: Option<String>,
    /// The newest CUDA version that the driver supports.
    pub cuda: String,
    /// The date, as `2026-11-21`.
    pub date: String,
    /// The version of this program.
    pub program: String,
    /// The GPU's limits.
    #[serde(default)]
    pub limits: Option<Limits>,
    /// The GPU's ceilings, if they were measured.
    #[serde(default)]
    pub ceilings: Option<Ceilings>,
    pub rows: Vec<Measurement>,
    /// The skipped rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
}

/// A row found in a pack.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub row: &'static Measurement,
    /// The label to show next to it, for example `recorded on NVIDIA H200, 2026-11-21`.
    pub label: String,
    /// Whether it measured the kernel in its current version.
    pub freshness: Freshness,
}

/// Whether a recorded row measured the embedded version of its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// The recorded PTX is the embedded PTX, byte for byte. Rows of cuBLAS are always fresh.
    Fresh,
    /// The kernel has changed since.
    Stale,
}

static PACKS: LazyLock<Vec<Pack>> = LazyLock::new(|| {
    // A pack that cannot be read is left out here, and makes the test below fail.
    EMBEDDED.iter().filter_map(|text| Pack::read(text).ok()).collect()
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

/// The most characters of a name in a pack: each is printed as it is.
const LONGEST_NAME: usize = 1000;

impl Pack {
    /// Reads a pack of any format up to [`FORMAT`].
    ///
    /// # Errors
    /// A newer format, text that is not a pack, an impossible figure, or a name without an end.
    pub fn read(text: &str) -> Result<Self, PackError> {
        // Parsing twice would delay the start of every screen, so the format is parsed alone only
        // if the whole does not parse; a pack of a newer format may also parse, so its format is
        // checked in both cases.
        #[derive(Deserialize)]
        struct PackHead {
            format: u32,
        }
        let read: Result<Self, _> = serde_json::from_str(text);
        let found = match &read {
            Ok(pack) => pack.format,
            Err(_) => serde_json::from_str::<PackHead>(text)?.format,
        };
        if found > FORMAT {
            return Err(PackError::Newer { found });
        }
        let pack = read?;
        if let Some(name) = pack.names().find(|name| name.len() > LONGEST_NAME) {
            return Err(PackError::LongName(name.chars().count()));
        }
        let (limits, ceilings) = (pack.limits.as_ref(), pack.ceilings.as_ref());
        match plausible::impossible(&pack.rows, limits, ceilings) {
            None => Ok(pack),
            Some(what) => Err(PackError::Impossible(what)),
        }
    }

    /// What it calls the GPU, its software and its rows.
    fn names(&self) -> impl Iterator<Item = &str> {
        let of_rows = self.rows.iter().flat_map(|row| [row.device.as_str(), &row.kernel]);
        let of_skipped = self.skipped.iter().map(|row| row.kernel.as_str());
        [&*self.device, &self.compute_capability, &self.cuda, &self.date, &self.program]
            .into_iter()
            .chain(self.driver.as_deref())
            .chain(of_rows)
            .chain(of_skipped)
    }

    /// A pack without rows, for one of the GPUs that were found.
    ///
    /// # Errors
    /// There is no GPU with that number.
    pub fn begin(gpus: Gpus, device: u32, date: String) -> Result<Self, NoSuchGpu> {
        let found = gpus.gpus.len() as u32;
        let no_such = NoSuchGpu { asked: device, found };
        let gpu = gpus.gpus.into_iter().nth(device as usize).ok_or(no_such)?;
        Ok(Self {
            format: FORMAT,
            device: gpu.name,
            compute_capability: gpu.compute_capability,
            driver: gpus.driver,
            cuda: gpus.cuda,
            date,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            limits: gpu.limits,
            ceilings: None,
            rows: Vec::new(),
            skipped: Vec::new(),
        })
    }

    /// The row with the same kernel, tile and size, including rows of the CPU.
    pub fn row_like(&self, row: &Measurement) -> Option<&Measurement> {
        let is_it = |other: &&Measurement| {
            (&other.kernel, other.tile, other.size) == (&row.kernel, row.tile, row.size)
        };
        self.rows.iter().find(is_it)
    }

    /// The label to show next to each of its rows.
    pub fn label(&self) -> String {
        format!("recorded on {}, {}", self.device, self.date)
    }
}

/// Whether a row measured the embedded version of its kernel.
pub fn freshness(row: &Measurement) -> Freshness {
    let embedded = kernel::find(&row.kernel)
        .and_then(|kernel| kernel.embedded(row.tile?))
        .map(sha256_of_embedded);
    if row.ptx_sha256 == embedded { Freshness::Fresh } else { Freshness::Stale }
}

/// The hash of an embedded PTX. It is computed once: screens ask for it in every frame.
fn sha256_of_embedded(ptx: &'static str) -> String {
    static KNOWN: Mutex<Vec<(&str, String)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, hash)) = known.iter().find(|(other, _)| std::ptr::eq(*other, ptx)) {
        return hash.clone();
    }
    let hash = sha256(ptx.as_bytes());
    known.push((ptx, hash.clone()));
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Quartiles;
    use crate::timing::{Reference, Telemetry};

    #[test]
    fn every_embedded_pack_is_a_real_gpus_and_tells_of_the_kernels_as_they_are() {
        assert_eq!(packs().len(), EMBEDDED.len(), "a pack cannot be read");
        for pack in packs() {
            assert!((1..=FORMAT).contains(&pack.format));
            for row in &pack.rows {
                assert!(row.is_cpu() || row.device == pack.device, "{row:?}");
                assert!(row.is_right(), "{row:?}");
                assert_eq!(freshness(row), Freshness::Fresh, "record again: {row:?}");
            }
        }
    }

    pub(super) fn row(kernel: &str, tile: Option<u32>, ptx_sha256: Option<String>) -> Measurement {
        Measurement {
            device: "NVIDIA H200".to_owned(),
            kernel: kernel.to_owned(),
            ptx_sha256,
            compiled_by: None,
            size: Size::square(64),
            tile: tile.map(Tile::square),
            ms: Quartiles { median: 0.5, q1: 0.4, q3: 0.6, samples: 10 },
            gflops: 1.0,
            relative_error: Some(0.0),
            tolerance: 1e-6,
            reference: Reference::Float64,
            c_sha256: String::new(),
            beside: Telemetry::default(),
        }
    }

    pub(super) fn pack() -> Pack {
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
            limits: packs()[0].limits,
            ceilings: packs()[0].ceilings.clone(),
            skipped: vec![],
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
        assert_eq!(Pack::read(&text).expect("read back"), pack());
    }

    #[test]
    fn a_pack_of_format_1_is_read_and_one_of_the_future_is_refused_by_its_number() {
        let head = r#""device":"a GPU","compute_capability":"9.0","driver":null,"cuda":"13.0","date":"2025-01-01","program":"0.1.0""#;
        let row = r#"{"device":"a GPU","kernel":"naive","ptx_sha256":null,"size":{"m":1,"n":2,"k":3},"tile":8,"ms":{"median":1.0,"q1":1.0,"q3":1.0,"samples":3},"gflops":1.0,"relative_error":0.0,"tolerance":1e-6,"reference":"float64","c_sha256":""}"#;
        let old = Pack::read(&format!(r#"{{"format":1,{head},"rows":[{row}]}}"#)).expect("read");
        assert_eq!(
            (old.ceilings, old.limits, old.rows[0].beside.clone()),
            (None, None, Telemetry::default())
        );
        let newer = Pack::read(r#"{"format":4,"rows":"otherwise"}"#).expect_err("unknown");
        insta::assert_snapshot!(newer, @"this timing pack is of format 4, and this program knows no newer one than 3: update matviz, or record the pack again");
        let other = Pack::read("[]").expect_err("no pack");
        assert!(other.to_string().starts_with("this is not a timing pack"), "{other}");
    }
}
