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
