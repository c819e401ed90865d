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
    (
        "--plain --kernel naive --size 16",
        &[
            "--pack own.json",
            "--pace even",
            "--still",
            "--theme light",
            "--glyphs ascii",
            "--no-gpu",
            "--no-mouse",
            "--device 0",
        ],
    ),
    (
        "sim naive --size 16 --tile 8",
        &[
            "--entry k",
            "--block 8",
            "--grid 2",
            "--args A",
            "--result any",
            "--shared 4",
            "--cluster 2",
            "--source own.cu",
            "-D X=1",
            "-I .",
            "--arch compute_80",
            "--compiler matviz",
        ],
    ),
    ("sim naive --size 16 --counts-only", &["--tolerance 1e-3", "--at 0,0"]),
    (
        "sim --ptx own.ptx --block 8,8 --size 16",
        &[
            "-D X=1",
            "-I .",
            "--arch compute_80",
            "--compiler matviz",
            "--cuda own.cu",
            "--tile 8",
            "--unroll 1",
        ],
    ),
    (
        "sim --cuda own.cu --compiler matviz --block 8,8 -D TILE=8 --size 16",
        &["--arch compute_80", "--source own.cu", "--tile 8", "--unroll 1"],
    ),
    (
        "sim --cuda any.cu --compiler matviz --block 32 --grid 1 --args c:f32[32]",
        &["--tolerance 1e-3", "--fill small"],
    ),
    ("trace naive C[1][1] --size 16", &["--at 0,0"]),
    ("race naive --size 16", &["--order to-barrier", "--json --show"]),
    ("reconcile report.csv --size 64", &["--tile 16", "--fill small", "--source own.cu"]),
    (
        "bench",
        &[
            "--block 8",
            "--args A",
            "--source own.cu",
            "-D X=1",
            "--arch compute_80",
            "--compiler nvrtc",
            "--ladder --kernel naive",
            "--ladder --cublas",
            "--compare own.json --csv",
        ],
    ),
    (
        "bench --devices all",
        &[
            "--cpu",
            "--device 0",
            "--record own.json",
            "--csv",
            "--compare own.json",
            "--tolerance 1",
            "--counters",
        ],
    ),
    (
        "bench --ptx own.ptx --block 8,8 --size 16",
        &["--tile 8", "--kernel naive", "--ladder", "--source own.cu"],
    ),
    ("picture ladder", &["--beside naive", "--memory dram", "--theme light"]),
    (
        "picture ladder --csv",
        &[
            "--kernel tiled",
            "--beside naive",
            "--theme light",
            "--glyphs ascii",
            "--screen 90x30",
            "--svg own.svg",
            "--json",
        ],
    ),
    ("picture sizes", &["--beside naive", "--memory dram"]),
    ("picture sizes --json", &["--size 1024", "--kernel tiled", "--theme light"]),
    ("picture occupancy", &["--beside naive", "--memory shared"]),
    ("gaps any.cu --insert ; --sizes 16", &["--tile 8"]),
    ("edit --plain own.cu", &["--once", "--theme light", "--glyphs ascii"]),
    ("lessons --plain", &["--theme light", "--glyphs ascii", "--still", "--no-mouse"]),
    ("lessons --json", &["--plain", "--theme light", "--glyphs ascii", "--still", "--no-mouse"]),
    (
        "lesson 1 --plain --no-progress",
        &["--theme light", "--glyphs ascii", "--still", "--no-mouse"],
    ),
    ("progress", &["--json --csv", "--csv --unknown", "--json --report own.md"]),
    ("export own.svg --kernel naive --size 16", &["--still"]),
    ("export own.txt --kernel naive --size 16", &["--still", "--theme light"]),
    (
        "access --batch batch",
        &["--op ld", "--space shared", "--bytes 4", "--block 8", "--at 0,0", "--warp 0"],
    ),
];

/// Those of commands that take long when nothing is wrong with them.
const LONG: &[Row] = &[
    ("changes --check", &["--source"]),
    ("changes", &["--source"]),
    ("dials --count", &["--set TILE=8"]),
    ("picture roofline", &["--beside tiled"]),
    ("picture why", &["--memory dram"]),
    ("picture memory", &["--memory dram"]),
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
            let name = option.split_whitespace().rfind(|word| word.starts_with('-'));
            assert!(said.contains(name.expect("an option")), "{line}: {said}");
        }
    }
}

#[test]
fn without_the_option_nothing_is_wrong_with_the_command_line() {
    let home = tempfile::tempdir().expect("a folder");
    files(home.path());
    for (line, _) in ROWS {
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
        "// launch: --block 32\n__global__ void k(float* c) {\n    c[threadIdx.x] = 1.0f;\n}\n",
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
    says("export x.txt --size 16 --step 9999999999", "--step 9999999999: the block's run has ");
    says("race --kernel tiled --show", "without --show, the schedules are text");
    let said = bad_use(&["gaps", "tiled", "--insert", ""]);
    assert!(said.contains("give the text to insert"), "{said}");
}

/// What is wrong with a number is said by whoever reads it.
#[test]
fn a_negative_number_is_no_option() {
    for (args, hint) in [
        ("sim tiled --tolerance -1", "give a number such as 1e-3"),
        ("sim tiled --size -1", "`-1` is not a size"),
        ("sim tiled --size 99999999999999999999", "is too large: a matrix may have at most"),
        ("--tile -4", "give a number from 1 to 32"),
    ] {
        let said = bad_use(&args.split(' ').collect::<Vec<_>>());
        assert!(said.contains(hint), "{args}: {said}");
    }
}

/// Nothing is wrong with a C that was not finished.
#[test]
fn a_budget_that_is_too_small_leaves_c_incomplete() {
    let args = ["sim", "--kernel", "tiled", "--size", "256", "--budget", "1000"];
    let output = ran(&args);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("size 256, tile 16: 1 of 256 blocks"), "{said}");
    let incomplete =
        "C is INCOMPLETE: 1 block was stopped before the end, and 255 others did not run";
    assert!(said.contains(incomplete), "{said}");
    assert!(!said.contains("WRONG") && !said.contains("are wrong"), "{said}");
    assert!(
        said.contains("It may only take long: a larger --budget allows more instructions"),
        "{said}"
    );
    let told = ran(&[&args[..], &["--json"]].concat());
    let found: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert_eq!(
        (&found["fails"].to_string()[..], &found["c_sha256"]),
        ("[\"findings\"]", &serde_json::Value::Null)
    );
    let unchecked = ran(&[&args[..], &["--no-checks"]].concat());
    let said = text(&unchecked.stderr);
    assert!(said.contains("C is INCOMPLETE") && !said.contains("wrong"), "{said}");
}

/// A CI that names the wrong folder is not green.
#[test]
fn a_folder_without_lessons_is_no_success() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display().to_string();
    for args in [&["check", &path][..], &["lessons", "--plain", "--no-progress", "--from", &path]] {
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
