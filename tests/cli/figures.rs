//! Figures: what a whole grid counts, and pictures of what was measured.

use crate::commands::{bad_use, json, run, text};
use serde_json::Value;

/// The counts for a whole grid at 512 with tile 16, in the order of `names`.
fn counts(kernel: &str, names: [&str; 5]) -> [u64; 5] {
    let outcome = json(&["check", kernel, "--size", "512", "--tile", "16", "--json"]);
    names.map(|name| outcome["ptx"][name].as_u64().expect("a count"))
}

/// Loads: requests, sectors; stores: requests, sectors; multiply-adds.
const COUNTED: [&str; 5] = [
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "thread_fma",
];

#[test]
fn the_tiled_grid_of_512_counts_exactly() {
    assert_eq!(counts("tiled", COUNTED), [524_288, 2_097_152, 8_192, 32_768, 134_217_728]);
}

#[test]
fn the_naive_grid_of_512_counts_exactly() {
    assert_eq!(counts("naive", COUNTED), [8_388_608, 16_777_216, 8_192, 32_768, 134_217_728]);
}

/// Pictures of the recorded times, at a size that is quick to simulate; how many words choose figures.
const PICTURES: [(&str, usize); 5] =
    [("ladder", 4), ("sizes", 2), ("roofline", 5), ("occupancy", 4), ("why", 5)];

#[test]
fn every_picture_of_what_was_measured_comes_alone_as_text_file_and_figures() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, words) in PICTURES {
        let of = ["export", name, "--size", "256", "tiled"];
        let shown = run(&of);
        assert!(shown.status.success(), "{name}: {}", text(&shown.stderr));
        let drawn = text(&shown.stdout);
        assert!(drawn.contains("recorded on") && drawn.contains("tiled"), "{drawn}");
        let figures_of = &of[..words];
        let figures = run(&[figures_of, &["--format", "csv"]].concat()).stdout;
        let mut rows = csv::Reader::from_reader(&figures[..]);
        assert!(rows.records().flatten().count() > 2, "{name}: {}", text(&figures));
        let value = json(&[figures_of, &["--json"]].concat());
        assert_eq!(value["picture"], name);
        assert!(value["rows"].as_array().is_some_and(|rows| rows.len() > 2), "{value}");
        let file = folder.path().join(format!("{name}.svg"));
        let path = file.to_str().expect("UTF-8");
        assert!(run(&[&of[..], &["-o", path]].concat()).status.success());
        let drawn = std::fs::read_to_string(&file).expect("drawn");
        assert!(drawn.starts_with("<svg") && drawn.contains(">recorded<"), "{name}");
    }
}

#[test]
fn a_picture_is_of_the_pack_the_kernels_and_the_size_that_are_asked_for() {
    let why = ["export", "why", "--size", "256", "tiled", "naive_rows"];
    let value = json(&[&why[..], &["--json"]].concat());
    let rows = value["rows"].as_array().expect("rows");
    let kernels = |row: &Value| (row["kernel_before"].clone(), row["kernel"].clone());
    assert!(
        rows.iter()
            .all(|row| kernels(row).0.as_str().is_some_and(|k| k.starts_with("naive_rows ")))
    );
    let loads = rows.iter().find(|row| row["figure"] == "global load sectors").expect("a row");
    assert_eq!((&loads["before"], &loads["after"]), (&8_912_896.0.into(), &262_144.0.into()));
    let error = |args: &[&str]| bad_use(&[&["export", "ladder"], args].concat());
    // The other things that it names come from the pack, which may change.
    let size = error(&["--size", "65"]);
    assert!(size.starts_with("error: size 65 was not measured, only "), "{size}");
    let kernel = error(&["faster"]);
    assert!(kernel.starts_with("error: faster was not measured at "), "{kernel}");
    let missing = run(&["export", "ladder", "--pack", "tests/no_such_pack.json"]);
    assert_eq!(missing.status.code(), Some(2));
    let error = text(&missing.stderr);
    assert!(error.contains("reading tests/no_such_pack.json"), "{error}");
}
