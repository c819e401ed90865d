//! The counting rules against what an H200 counted, pattern by pattern.

use matviz::analysis::{banks, coalesce};
use matviz::ptx::Space;
use matviz::sim::{Access, Direction, LaneMask};
use serde::Deserialize;
use std::fmt::Debug;

/// One line of the data: one warp instruction and the hardware's answer.
#[derive(Deserialize)]
struct Measured {
    space: String,
    op: String,
    bytes: u8,
    mask: String,
    pattern: String,
    offsets: [u64; 32],
    requests: Option<u32>,
    sectors: Option<u32>,
    wavefronts: Option<u32>,
    conflicts: Option<u32>,
}

impl Measured {
    fn access(&self) -> Access {
        let digits = self.mask.trim_start_matches("0x");
        Access {
            space: if self.space == "shared" { Space::Shared } else { Space::Global },
            direction: if self.op == "ld" { Direction::Load } else { Direction::Store },
            bytes: self.bytes,
            active: LaneMask(
                u32::from_str_radix(digits, 16).expect("the data has hexadecimal masks"),
            ),
            addrs: self.offsets,
        }
    }
}

fn patterns(space: &str) -> Vec<Measured> {
    include_str!("data/h200_access_patterns.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Measured>(line).expect("the data is as described"))
        .filter(|measured| measured.space == space)
        .collect()
}

/// Fails with every pattern that is counted otherwise, not only the first.
fn assert_all_agree<T: PartialEq + Debug>(
    patterns: &[Measured],
    count: impl Fn(&Access) -> T,
    hardware: impl Fn(&Measured) -> T,
) {
    let wrong: Vec<String> = patterns
        .iter()
        .map(|measured| (measured, count(&measured.access()), hardware(measured)))
        .filter(|(_, ours, theirs)| ours != theirs)
        .map(|(measured, ours, theirs)| {
            let Measured { op, bytes, pattern, mask, .. } = measured;
            format!("{op} {bytes} bytes, {pattern}, mask {mask}: {ours:?}, hardware {theirs:?}")
        })
        .collect();
    let (bad, all) = (wrong.len(), patterns.len());
    assert!(wrong.is_empty(), "{bad} of {all} differ:\n{}", wrong.join("\n"));
}

#[test]
fn requests_and_sectors_are_the_hardwares() {
    let patterns = patterns("global");
    assert_eq!(patterns.len(), 353);
    assert_all_agree(
        &patterns,
        |access| {
            let cost = coalesce::sectors(access);
            (Some(cost.requests), Some(cost.sectors))
        },
        |measured| (measured.requests, measured.sectors),
    );
}

#[test]
fn wavefronts_and_conflicts_are_the_hardwares() {
    let patterns = patterns("shared");
    assert_eq!(patterns.len(), 542);
    assert_all_agree(
        &patterns,
        |access| {
            let cost = banks::wavefronts(access);
            (Some(cost.wavefronts), Some(cost.conflicts))
        },
        |measured| (measured.wavefronts, measured.conflicts),
    );
}
