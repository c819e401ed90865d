//! An option that would change nothing is an error that names it, and the same command line without it
//! is none.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A command line, and options beside which each of them changes nothing.
type Row = (&'static str, &'static [&'static str]);

/// The exit code of bad use.
const BAD_USE: Option<i32> = Some(2);

const ROWS: &[Row] = &[
    ("--format text naive --size 16", &["--pack own.json", "--set pace=even", "--gpu none"]),
    (
        "check naive --size 16 --tile 8",
        &[
            "--launch k",
            "--source own.cu",
            "-D X=1",
            "-I .",
            "--arch compute_80",
            "--compiler matviz",
        ],
    ),
    ("check naive --size 16 --only counts", &["--tolerance 1e-3", "--at 0,0"]),
    (
        "check own.ptx --launch <<<,8x8>>> --size 16",
        &["-D X=1", "-I .", "--arch compute_80", "--compiler matviz", "--tile 8", "--no-unroll"],
    ),
    (
        "check own.cu --compiler matviz --launch <<<,8x8>>> -D TILE=8 --size 16",
        &["--arch compute_80", "--source own.cu", "--tile 8", "--no-unroll"],
    ),
    (
        "check any.cu --compiler matviz --launch <<<,32>>> --launch <<<1,>>> --launch (c:f32[32])",
        &["--tolerance 1e-3", "--fill small"],
    ),
    ("trace naive C[1][1] --size 16", &["--at 0,0"]),
    (
        "check --prove naive --size 16",
        &[
            "--order to-barrier",
            "--json --show",
            "--only counts",
            "--limit seconds=3",
            "--tolerance 1",
        ],
    ),
    ("check naive --size 16", &["--show", "--limit orders=3", "--format csv"]),
    ("check --only result naive --size 16", &["--against report.csv"]),
    ("check --against report.csv --size 64", &["--tile 16", "--fill small", "--source own.cu"]),
    (
        "bench",
        &[
            "--launch <<<,8>>>",
            "--source own.cu",
            "-D X=1",
            "--arch compute_80",
            "--compiler nvrtc",
            "ladder cublas",
            "--gpu none",
            "--limit orders=3",
            "--format svg",
        ],
    ),
    (
        "bench --gpu all",
        &["cpu", "--record own.json", "--against own.json", "--tolerance 1", "--counters"],
    ),
    ("bench own.ptx --launch <<<,8x8>>> --size 16", &["--source own.cu"]),
    ("export ladder", &["--only dram", "--set theme=light", "--step 3", "--tile 8", "--at 0,0"]),
    (
        "export ladder --format csv",
        &["--set theme=light", "--set glyphs=ascii", "--screen 90x30", "--json"],
    ),
    ("export sizes", &["--only dram"]),
    ("export sizes --json", &["--size 1024", "--set theme=light"]),
    ("export occupancy", &["--only shared"]),
    ("course gaps any.cu --insert ; --size 16", &["--tile 8"]),
    ("learn --list --format text", &["--set theme=light", "--seed 3 --progress", "--only unknown"]),
    ("learn --list --json", &["--set theme=light", "--seed 3 --progress"]),
    ("learn 1 --format text --no-progress", &["--set theme=light", "--reset 1", "--only unknown"]),
    (
        "learn --progress",
        &["--set theme=light", "--format svg", "--json --only unknown", "--seed 3"],
    ),
    ("export frame -o own.svg naive --size 16", &["--set reduced_motion=true"]),
    (
        "export frame -o own.txt naive --size 16",
        &["--set reduced_motion=true", "--set theme=light"],
    ),
    ("access --batch batch", &["--op ld", "--block 8", "--at 0,0", "--warp 0"]),
];

/// Those of commands that take long when nothing is wrong with them.
const LONG: &[Row] = &[
    ("course changes --check", &["--source"]),
    ("course changes", &["--source"]),
    ("course dials --count", &["--set TILE=8"]),
    ("export why", &["--only dram"]),
    ("export memory", &["--only dram"]),
];

#[test]
fn an_option_that_would_change_nothing_is_an_error_that_names_it() {
    let home = tempfile::tempdir().expect("a folder");
    files(home.path());
    for (line, options) in ROWS.iter().chain(LONG) {
        for option in *options {
            let line = format!("{line} {option}");
            let output = run(home.path(), &line);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), BAD_USE, "{line}: {said}");
            let mut words = option.split_whitespace().rev();
            let name = words.clone().find(|word| word.starts_with('-')).or_else(|| words.next());
            assert!(said.contains(name.expect("a word")), "{line}: {said}");
        }
    }
}

#[test]
fn without_the_option_nothing_is_wrong_with_the_command_line() {
    let home = tempfile::tempdir().expect("a folder");
    files(home.path());
    // Without a GPU, a measurement is a failure.
    for (line, _) in ROWS.iter().filter(|(line, _)| !line.starts_with("bench")) {
        let output = run(home.path(), line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{line}: {said}");
    }
}

fn run(home: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.args(line.split_whitespace()).current_dir(home).env("HOME", home).stdin(Stdio::null());
    // Nothing is measured here.
    command.env("CUDA_VISIBLE_DEVICES", "").output().expect("the binary runs")
}

fn files(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("written");
    let read = |path: &str| fs::read_to_string(path).expect("it is committed");
    write("own.ptx", &read("kernels/ptx/naive.t8.ptx"));
    write("own.cu", &read("kernels/tiled.cu"));
    write(
        "any.cu",
        "// launch: <<<,32>>>\n__global__ void k(float* c) {\n    c[threadIdx.x] = 1.0f;\n}\n",
    );
    write("own.json", &read("kernels/timings/h200.json"));
    write("batch", "\n");
    let head =
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Value\"";
    let row = "\"0\",\"naive\",\"(16, 16, 1)\",\"(4, 4, 1)\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\",\"1\"";
    write("report.csv", &format!("{head}\n{row}\n"));
}

/// The program without this machine's environment, which could affect its output.
fn matviz(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.args(args).env_clear().env("COLUMNS", "100");
    command
}

fn ran(args: &[&str]) -> Output {
    matviz(args).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is said of bad use.
fn bad_use(args: &[&str]) -> String {
    let output = ran(args);
    assert_eq!(output.status.code(), BAD_USE, "{args:?}");
    text(&output.stderr)
}

#[test]
fn what_would_be_accepted_in_silence_is_refused() {
    let says = |args: &str, hint: &str| {
        let said = bad_use(&args.split(' ').collect::<Vec<_>>());
        assert!(said.contains(hint), "{args}: {said}");
    };
    says(
        "export frame -o x.txt --size 16 --step 9999999999",
        "--step 9999999999: the block's run has ",
    );
    says("check --prove tiled --show", "without --show, the orders are text");
    let said = bad_use(&["course", "gaps", "tiled", "--insert", ""]);
    assert!(said.contains("give the text to insert"), "{said}");
}

/// What is wrong with a number is said by whoever reads it.
#[test]
fn a_negative_number_is_no_option() {
    for (args, hint) in [
        ("check tiled --tolerance -1", "give a number such as 1e-3"),
        ("check tiled --size -1", "`-1` is not a size"),
        ("check tiled --size 99999999999999999999", "is too large: a matrix may have at most"),
        ("--tile -4", "give a number from 1 to 32"),
    ] {
        let said = bad_use(&args.split(' ').collect::<Vec<_>>());
        assert!(said.contains(hint), "{args}: {said}");
    }
}

/// Nothing is wrong with a C that was not finished.
#[test]
fn a_budget_that_is_too_small_leaves_c_incomplete() {
    let args = ["check", "tiled", "--size", "256", "--limit", "instructions=1000"];
    let output = ran(&args);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("size 256, tile 16: 1 of 256 blocks"), "{said}");
    let incomplete =
        "C is INCOMPLETE: 1 block was stopped before the end, and 255 others did not run";
    assert!(said.contains(incomplete), "{said}");
    assert!(!said.contains("WRONG") && !said.contains("are wrong"), "{said}");
    assert!(said.contains("It may only take long: --limit instructions=N allows more"), "{said}");
    let told = ran(&[&args[..], &["--json"]].concat());
    let found: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert_eq!(
        (&found["fails"].to_string()[..], &found["c_sha256"]),
        ("[\"findings\"]", &serde_json::Value::Null)
    );
    let unchecked = ran(&[&args[..], &["--only", "result"]].concat());
    let said = text(&unchecked.stderr);
    assert!(said.contains("C is INCOMPLETE") && !said.contains("wrong"), "{said}");
}

/// A CI that names the wrong folder is not green.
#[test]
fn a_folder_without_lessons_is_no_success() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display().to_string();
    for args in [
        &["course", "check", &path][..],
        &["learn", "--list", "--format", "text", "--no-progress", "--from", &path],
    ] {
        let said = bad_use(args);
        assert!(said.contains("has no lesson"), "{args:?}: {said}");
    }
}

#[test]
fn what_is_wrong_makes_the_doctor_end_with_1() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("matviz");
    fs::create_dir(&folder).expect("made");
    let doctor = |config: &str| {
        fs::write(folder.join("config.toml"), config).expect("written");
        let output = matviz(&["doctor"]).env("XDG_CONFIG_HOME", home.path()).output();
        let output = output.expect("the binary runs");
        (output.status.code(), text(&output.stdout))
    };
    let (code, said) = doctor("x = 1\n");
    assert!(code == Some(1) && said.contains("wrong "), "{said}");
    let (code, said) = doctor("theme = \"dark\"\n");
    assert!(code == Some(0) && !said.contains("wrong "), "{said}");
    assert!(!said.contains("tiles other than the embedded ones"), "{said}");
}
