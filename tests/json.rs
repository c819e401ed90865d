//! What the commands print with `--json` is what `matviz schema` says.

#![expect(clippy::panic, reason = "a schema or an output that cannot be read fails the test")]

#[path = "shared/schema.rs"]
mod schema;

use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// Runs of each command, chosen so that most keys occur. `bench` runs on the stand-in for a GPU.
const RUNS: &[&str] = &[
    "sim --kernel tiled --size 32",
    "sim --kernel naive_rows --size 20x12x9 --fail-on costly",
    "sim --kernel tiled_no_load_barrier --size 32",
    "sim --kernel half_tensor --size 64 --tile 64x64x64 --at 0,0",
    "sim --kernel vectorised --size 128 --counts-only",
    "sim --kernel tiled --size 32 --no-checks",
    "sim --cuda tests/data/wrong/transposed_b.cu",
    "sim --cuda tests/data/wrong/column_major.cu",
    "sim --cuda tests/data/wrong/stopped.cu",
    "sim --cuda tests/data/any/broken/tree_without_barrier.cu \
     --args in:f32[4096],out:f32[16],n=4096",
    "sim --ptx tests/ptx/printf.ptx --block 32 --grid 1 --size 8 --args C",
    "sim --ptx lessons/mistakes.ptx --entry turns_a_tile --block 32,32 --size 64",
    "sim --ptx tests/data/kernels/wmma.ptx --grid 1,1 --block 128 --size 64x32x48",
    "trace --kernel tiled C[5][7] --size 16 --tile 8",
    "trace --kernel naive A[5][3] --size 16 --tile 8",
    "race --kernel tiled --size 16 --random 2",
    "race --kernel tiled_no_load_barrier --size 32 --random 5",
    "race --cuda tests/data/any/broken/tree_without_barrier.cu \
     --args in:f32[4096],out:f32[16],n=4096 --random 5",
    "bench --size 64 --cpu --counters",
    "bench --size 64 --kernel naive --compare kernels/timings/h200.json",
    "bench --size 64 --devices all --kernel naive",
    "bench --size 64 --ladder",
    "access tx",
    "access --space global --bytes 16 --block 64 tid*3",
    "reconcile tests/data/reports/h200_raw.csv --size 100x36x257",
    "picture ladder --size 256",
    "picture sizes",
    "picture roofline --size 256",
    "picture occupancy --size 256",
    "picture why --size 256 --kernel tiled",
    "picture memory --size 256",
    "changes",
    "changes no-load-barrier",
    "dials",
    "gaps --kernel tiled --change no-compute-barrier --insert __syncthreads(); --size 16",
    "lessons --no-progress",
    "progress",
    "check --quick tests/data/lessons",
    "doctor",
    "version",
];

/// The JSON of a command.
fn json(args: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    let folder = tempfile::tempdir().expect("a folder");
    command.args(args).env_clear().env("MATVIZ_STAND_IN", "four").env("HOME", folder.path());
    let output = command.output().expect("the binary runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {told}"))
}

#[test]
fn every_command_prints_the_json_of_its_schema() {
    let mut wrong = Vec::new();
    let mut met = BTreeSet::new();
    for run in RUNS {
        let words: Vec<_> = run.split_whitespace().chain(["--json"]).collect();
        let (value, schema) = (json(&words), json(&["schema", words[0]]));
        assert!(value["format"].is_u64(), "{run} has no format");
        assert_eq!(value["command"], words[0], "{run}");
        let found = schema::complaints(&schema, &value);
        wrong.extend(found.iter().map(|told| format!("{run}: {told}")));
        met.insert(words[0].to_owned());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let all = json(&["schema"]);
    let all: BTreeSet<_> = all.as_object().expect("an object").keys().cloned().collect();
    assert_eq!(all, met, "a command with a schema is not run here, or the other way round");
}

/// Every command with `--json` has a schema.
#[test]
fn no_json_goes_without_a_schema() {
    let all = json(&["schema"]);
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_matviz")).args(args).output();
        String::from_utf8(output.expect("it runs").stdout).expect("UTF-8")
    };
    let help = run(&["--help"]);
    let (_, list) = help.split_once("Commands:\n").expect("a list");
    let names = list.split("\n\n").next().expect("a first part").lines();
    let names: Vec<_> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"sim"), "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        let has = run(&[name, "--help"]).contains("\n      --json");
        assert_eq!(has, all.get(name).is_some(), "{name}");
    }
}

/// A schema that lets everything through would check nothing.
#[test]
fn the_check_finds_what_is_not_in_a_schema() {
    let schema = json(&["schema", "version"]);
    let value = json(&["version", "--json"]);
    let complaints = |change: fn(&mut Value)| {
        let mut value = value.clone();
        change(&mut value);
        schema::complaints(&schema, &value)
    };
    assert!(complaints(|_| ()).is_empty());
    assert_eq!(complaints(|value| value["more"] = 1.into()), [".more: is not in the schema"]);
    assert_eq!(complaints(|value| value["format"] = 2.into()), [".format: 2 is not 1"]);
    assert_eq!(complaints(|value| value["nvrtc"] = 1.into()).len(), 1);
    assert_eq!(
        complaints(|value| _ = value.as_object_mut().expect("an object").remove("target")),
        [".: `target` is missing"]
    );
}
