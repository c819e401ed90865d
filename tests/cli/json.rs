//! What the commands print with `--json` is what `matviz generate schema` says.

#![expect(clippy::panic, reason = "a schema or an output that cannot be read fails the test")]

use crate::schema;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::{Command, Output};

/// Runs of each command, chosen so that most keys occur. `bench` runs on the stand-in for a GPU.
const RUNS: &[&str] = &[
    "check tiled --size 32",
    "check naive_rows --size 20x12x9 --fail-on costly",
    "check tiled_no_load_barrier --size 32",
    "check half_tensor --size 64 --tile 64x64x64 --at 0,0",
    "check vectorised --size 128 --only counts",
    "check tiled --size 32 --only result",
    "check tests/data/study/wrong/transposed_b.cu",
    "check tests/data/study/wrong/column_major.cu",
    "check tests/data/study/wrong/stopped.cu",
    "check tests/data/cli/whole_tiles.cu",
    "check tests/data/cli/does_not_compile.cu",
    "check tests/data/kernel/programs/batched_tiles.cu --compiler matviz",
    "check tests/data/kernel/programs/batched_wrong.cu --compiler matviz",
    "check tests/data/kernel/programs/two_streams.cu --compiler matviz",
    "check tests/data/kernel/programs/softmax_of_rows.cu --compiler matviz --same-as host",
    "check tests/data/kernel/programs/rounds_without_end.cu --compiler matviz",
    "check tests/data/analysis/any/broken/tree_without_barrier.cu --launch (in:f32[4096],out:f32[16],n=4096)",
    "check tests/data/analysis/any/same_by_data.cu --launch <<<,64>>> --launch <<<1,>>> --launch (void) --launch (out:f32[32]=0,in:f32[64]=0)",
    "check tests/data/cudac/row_left_for_the_next.cu --compiler matviz --launch <<<,32>>> --launch <<<1,>>> --launch (void) --launch (out:i32[32]=0,in:i32[32]=ascending)",
    "check tests/data/analysis/any/sound/atomic_sum.cu --launch <<<,128>>> --launch <<<8,>>> --launch (void) --launch (in:f32[1024],out:f32[1]=0,n=1024)",
    "check tests/data/sim/cases/printf.ptx --launch <<<,32>>> --launch <<<1,>>> --size 8 --launch (C)",
    "check lessons/mistakes.ptx --launch forgets_a_barrier --launch <<<,16x16>>>",
    "check lessons/mistakes.ptx --launch turns_a_tile --launch <<<,32x32>>> --size 64",
    "check tests/data/kernel/foreign/wmma.ptx --launch <<<1x1,>>> --launch <<<,128>>> --size 64x32x48",
    "check blocked_2d --size 128",
    "check kernels/ptx/naive.t8.ptx --launch <<<,8x8>>> --size 16 --launch (A,B:col,C,M,N,K)",
    "check tests/data/analysis/broken/barrier_in_if.ptx --launch <<<,128>>> --size 64 --launch <<<1,>>>",
    "check tests/data/analysis/broken/edge_of_later_blocks.ptx --launch <<<,128>>> --size 64 --launch <<<1,>>>",
    "check tests/data/analysis/broken/lock_within_unfenced.ptx --launch <<<,128>>> --size 64 --launch <<<1,>>>",
    "trace tiled C[5][7] --size 16 --tile 8",
    "trace naive A[5][3] --size 16 --tile 8",
    "trace --bands tiled_no_load_barrier --size 32",
    "check --prove tiled --size 16 --limit orders=2",
    "check --prove tiled_no_load_barrier --size 32 --limit orders=5",
    "check --prove tests/data/analysis/any/broken/tree_without_barrier.cu --launch (in:f32[4096],out:f32[16],n=4096) --limit orders=5",
    "check --prove tests/data/analysis/any/broken/adds_to_nothing.cu --limit orders=3",
    "bench --size 64 --gpu 9",
    "bench --size 64 cpu --counters",
    "bench --size 64 naive --against kernels/timings/h200.json",
    "bench --size 64 --gpu all naive",
    "bench --size 64 ladder",
    "bench tests/data/analysis/any/sound/transpose.cu",
    "bench tests/data/analysis/any/broken/adds_to_nothing.cu",
    "access tx",
    "access --op ld.global.b128 --block 64 tid*3",
    "check --against tests/data/report/nsight_compute/h200_raw.csv --size 100x36x257",
    "export ladder --size 256",
    "export sizes",
    "export roofline --size 256",
    "export occupancy --size 256",
    "export why --size 256 tiled",
    "export memory --size 256",
    "course changes",
    "course changes no-load-barrier",
    "course changes --check",
    "course dials",
    "course dials --count --size 16",
    "course gaps tiled --change no-compute-barrier --insert __syncthreads(); --size 16",
    "course grade E3 lessons/exercises/E1-coalesce/solution.cu",
    "course check --quick lessons/exercises/E1-coalesce",
    "learn --list --no-progress",
    "learn --progress",
    "course check --quick tests/data/lesson",
    "export frame tiled --size 16 --step 5 --screen 80x24",
    "doctor",
    "doctor",
];

/// Keys that no run here prints, and why.
const NOT_HERE: &[(&[&str], &str)] = &[
    (
        &[
            "bench |0.interrupted",
            "bench |2.interrupted",
            "bench |3.interrupted",
            "course-changes |0.interrupted",
            "course-check .interrupted",
            "course-dials |1.interrupted",
            "course-gaps .interrupted",
            "course-grade .interrupted",
            "check-prove .interrupted",
            "check-against .interrupted",
            "check |0.interrupted",
            "trace .interrupted",
        ],
        "Ctrl-C: tests/cli/progress.rs",
    ),
    (
        &[
            "bench |0.ceilings|0.hierarchy",
            "bench |0.ceilings|0.hierarchy.date",
            "bench |0.ceilings|0.hierarchy.dram_ns",
            "bench |0.ceilings|0.hierarchy.l1_gb_s",
            "bench |0.ceilings|0.hierarchy.l1_glines_s",
            "bench |0.ceilings|0.hierarchy.l1_ns",
            "bench |0.ceilings|0.hierarchy.l2_gb_s",
            "bench |0.ceilings|0.hierarchy.l2_ns",
            "bench |0.ceilings|0.hierarchy.registers_ns",
            "bench |0.ceilings|0.hierarchy.shared_ns",
            "bench |0.counted.hardware_alone.hardware",
            "bench |0.counted.hardware_alone.metric",
            "bench |0.counted.hardware_alone.note",
            "bench |0.error",
            "bench |0.limits|0.blocks_per_sm",
            "bench |0.limits|0.l2_bytes",
            "bench |0.limits|0.memory_mhz",
            "bench |0.limits|0.multiprocessors",
            "bench |0.limits|0.registers_per_block",
            "bench |0.limits|0.registers_per_sm",
            "bench |0.limits|0.shared_per_block",
            "bench |0.limits|0.shared_per_sm",
            "bench |0.limits|0.shared_reserved",
            "bench |0.limits|0.sm_mhz",
            "bench |0.limits|0.threads_per_block",
            "bench |0.limits|0.threads_per_sm",
            "bench |0.rows.compiled_by",
        ],
        "only a GPU has them",
    ),
    (
        &[
            "course-changes |1.complaints",
            "course-changes |1.holds",
            "course-dials |1.each.error",
            "learn-progress .ideas",
            "learn-progress .review",
            "check-prove .fixed",
            "check-prove .varies",
            "check-prove .varies.order",
            "check-prove .varies.other",
            "check-prove .varies.results",
            "check |0.approximate.instruction",
            "check |0.approximate.line",
            "check |0.approximate.ptx_line",
            "check |0.cluster",
            "check |0.cluster_accesses",
            "check |0.no_classes",
        ],
        "nothing here is so",
    ),
];

/// The JSON of a command.
fn json(args: &[&str]) -> Value {
    let output = output(args);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {told}"))
}

fn output(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    let folder = tempfile::tempdir().expect("a folder");
    command.args(args).env_clear().env("MATVIZ_STAND_IN", "four").env("HOME", folder.path());
    command.output().expect("the binary runs")
}

#[test]
fn every_command_prints_the_json_of_its_schema() {
    let mut wrong = Vec::new();
    let mut met = BTreeSet::new();
    let mut printed = BTreeSet::new();
    for run in RUNS {
        let words: Vec<_> = run.split_whitespace().chain(["--json"]).collect();
        let value = json(&words);
        let command = value["command"].as_str().expect("a command").to_owned();
        let schema = json(&["generate", "schema", &command]);
        assert!(value["format"].is_u64(), "{run} has no format");
        assert_eq!(schema["$id"], format!("urn:matviz:{command}:1"), "{run}");
        let first = command.split('-').next().expect("a first part");
        assert_eq!(first, words[0], "{run}");
        let (found, keys) = schema::checked(&schema, &value);
        printed.extend(keys.into_iter().map(|key| of_command(&command, &key)));
        wrong.extend(found.iter().map(|told| format!("{run}: {told}")));
        met.insert(command);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let answer = "access --batch tests/data/analysis/h200_access_patterns.jsonl";
    let batch = output(&answer.split_whitespace().collect::<Vec<_>>());
    for line in String::from_utf8(batch.stdout).expect("UTF-8").lines() {
        let value = serde_json::from_str(line).expect("JSON");
        let (found, keys) = schema::checked(&json(&["generate", "schema", "access"]), &value);
        assert_eq!(found, [""; 0], "{line}");
        printed.extend(keys.into_iter().map(|key| of_command("access", &key)));
        // Each kind of memory once is enough.
        if printed.contains("access |1.format") && printed.contains("access |2.format") {
            break;
        }
    }
    let all = json(&["generate", "schema"]);
    let all = all.as_object().expect("an object");
    let names: BTreeSet<_> = all.keys().cloned().collect();
    assert_eq!(names, met, "a command with a schema is not run here, or the other way round");
    let keys = all.iter().flat_map(|(name, schema)| {
        keys(schema, "").into_iter().map(move |key| of_command(name, &key))
    });
    let never: BTreeSet<_> = keys.filter(|key| !printed.contains(key)).collect();
    let known = NOT_HERE.iter().flat_map(|(keys, _)| keys.iter().map(|key| (*key).to_owned()));
    assert_eq!(never, known.collect(), "no run prints these keys of the schemas");
}

/// A key with its command; what several commands share stands for itself.
fn of_command(name: &str, key: &str) -> String {
    if key.starts_with('#') { key.to_owned() } else { format!("{name} {key}") }
}

/// Objects of which a schema describes some keys have others only where it says so: the columns of a
/// picture's table, and progress.json, which may be of a newer matviz. A key that is added later stops
/// nobody who validates.
#[test]
fn no_schema_is_closed_to_the_keys_of_later_versions() {
    fn open(schema: &Value, at: &str, found: &mut BTreeSet<String>) {
        if let Some(rules) = schema.as_object() {
            let others = rules.get("additionalProperties");
            assert_ne!(others, Some(&Value::Bool(false)), "{at}");
            if rules.contains_key("properties") && others.is_some() {
                found.insert(at.to_owned());
            }
            rules.iter().for_each(|(name, rule)| open(rule, &format!("{at}/{name}"), found));
        }
        if let Some(rules) = schema.as_array() {
            for rule in rules {
                open(rule, at, found);
            }
        }
    }
    let mut found = BTreeSet::new();
    open(&json(&["generate", "schema"]), "", &mut found);
    assert_eq!(
        found,
        ["/export/properties/rows/items", "/learn-progress"].map(str::to_owned).into()
    );
}

/// Every command with `--json` has a schema.
#[test]
fn no_json_goes_without_a_schema() {
    let all = json(&["generate", "schema"]);
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_matviz")).args(args).output();
        String::from_utf8(output.expect("it runs").stdout).expect("UTF-8")
    };
    let help = run(&["--help"]);
    let (_, list) = help.split_once("Commands:\n").expect("a list");
    let names = list.split("\n\n").next().expect("a first part").lines();
    let names: Vec<_> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"check"), "{names:?}");
    for name in names.into_iter().filter(|name| !["help", "course", "generate"].contains(name)) {
        let has = run(&[name, "--help"]).contains("\n      --json");
        let named = |(known, _): (&String, &Value)| known.split('-').next() == Some(name);
        let is_there = all.as_object().is_some_and(|all| all.iter().any(named));
        assert_eq!(has, is_there, "{name}");
    }
}

/// A schema that lets everything through would check nothing.
#[test]
fn the_check_finds_what_is_not_in_a_schema() {
    let schema = json(&["generate", "schema", "doctor"]);
    let value = json(&["doctor", "--json"]);
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

/// All keys of a schema, each as the way through it, as [`schema::checked`] tells them.
fn keys(schema: &Value, at: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let Some(rules) = schema.as_object() else { return all };
    for (name, rule) in rules.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let at = format!("{at}.{name}");
        all.extend(keys(rule, &at));
        all.insert(at);
    }
    for rule in ["items", "additionalProperties"].iter().filter_map(|word| rules.get(*word)) {
        all.extend(keys(rule, at));
    }
    let any = rules.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    for (number, rule) in any.enumerate() {
        all.extend(keys(rule, &format!("{at}|{number}")));
    }
    for (name, rule) in rules.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        all.extend(keys(rule, &format!("#{name}")));
    }
    all
}
