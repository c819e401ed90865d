//! Packs with impossible figures: an error that names the file, or a picture; never a crash, and
//! never a picture that takes for ever.

use super::{assert_ended_well, matviz, said};
use serde_json::{Value, json};
use std::fs;

const PICTURES: [&str; 6] = ["roofline", "memory", "occupancy", "sizes", "ladder", "why"];

/// Sets a value in every row.
fn each(pack: &mut Value, place: &str, value: &Value) {
    for row in pack["rows"].as_array_mut().expect("rows") {
        let found = row.pointer_mut(place);
        found.map(|found| *found = value.clone()).unwrap_or_default();
    }
}

#[test]
fn a_pack_with_impossible_figures_is_refused_by_its_name_before_anything_is_drawn() {
    let home = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string("kernels/timings/h200.json").expect("it is committed");
    let pack: Value = serde_json::from_str(&text).expect("JSON");
    let no_size = json!({"m": 0, "n": 0, "k": 0});
    let sizes = json!({"m": u32::MAX, "n": u32::MAX, "k": u32::MAX});
    let taken = "/beside/resources";
    for (place, value) in [
        ("/ms/median", json!(1e-300)),
        ("/ms/median", json!(-1)),
        ("/ms/q1", json!(1e300)),
        ("/gflops", json!(0)),
        ("/gflops", json!(1e308)),
        ("/size", no_size),
        ("/size", sizes),
        ("/tile", json!(0)),
        ("/tile", json!(u32::MAX)),
        // 2^27 registers of 32 threads are 2^32.
        (&format!("{taken}/registers"), json!(1 << 27)),
        (&format!("{taken}/threads"), json!(u32::MAX)),
        (&format!("{taken}/static_shared"), json!(u32::MAX)),
        (&format!("{taken}/blocks_per_sm"), json!(u32::MAX)),
    ] {
        let mut pack = pack.clone();
        each(&mut pack, place, &value);
        fs::write(home.path().join("hostile.json"), pack.to_string()).expect("written");
        for picture in PICTURES {
            let mut command = matviz(home.path(), &["export", picture, "--pack", "hostile.json"]);
            let output = command.current_dir(home.path()).output().expect("the binary runs");
            let (said, what) = (said(&output), format!("{picture}, {place} {value}"));
            assert_ended_well(&output, &what);
            assert!(!output.status.success() && said.contains("hostile.json: "), "{what}: {said}");
            assert_eq!(said.lines().count(), 1, "{what}: {said}");
        }
    }
}

#[test]
fn a_size_that_would_be_counted_for_ever_is_given_up() {
    let home = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string("kernels/timings/h200.json").expect("it is committed");
    let mut pack: Value = serde_json::from_str(&text).expect("JSON");
    each(&mut pack, "/size", &json!({"m": 1, "n": 1, "k": i32::MAX}));
    // Two rungs are enough: each is counted until it is given up.
    let rows = pack["rows"].as_array_mut().expect("rows");
    rows.retain(|row| ["naive", "tiled"].iter().any(|name| row["kernel"] == *name));
    fs::write(home.path().join("long.json"), pack.to_string()).expect("written");
    let mut command = matviz(home.path(), &["export", "why", "--pack", "long.json"]);
    let output = command.current_dir(home.path()).output().expect("the binary runs");
    assert_ended_well(&output, "long.json");
    assert!(output.status.success(), "{}", said(&output));
}
