//! Every option of every command does something: there is a command line that it changes what comes
//! out of. `tests/options.rs` has those where it would change nothing, and is an error.

#[cfg(unix)]
#[path = "shared/session.rs"]
#[expect(dead_code, reason = "these screens are only opened and left")]
mod session;

use clap::CommandFactory;
use matviz::cli::Args;
use rustix::process::Signal;
#[cfg(unix)]
use session::Session;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};
use vt100::MouseProtocolMode;

/// A command line, and options each of which changes its exit code, what it prints, or its files.
type Row = (&'static str, &'static [&'static str]);

const ROWS: &[Row] = &[
    (
        "--plain --kernel tiled --size 40",
        &["--tile 8", "--unroll 1", "--order round-robin", "--at 0,0"],
    ),
    ("--plain --kernel tiled", &["--size 20"]),
    ("--plain --size 16", &["--kernel naive", "--ptx own.ptx --block 8,8", "--cuda own.cu"]),
    ("--kernel naive --size 16", &["--plain"]),
    ("--plain --size 16 --ptx own.ptx", &["--block 8,8"]),
    ("--plain --block 8,8 --size 16 --ptx two.ptx", &["--entry second"]),
    (
        "--plain --block 8,8 --size 16 --ptx own.ptx",
        &["--cluster 2", "--grid 1,1", "--args A,B:col,C,M,N,K", "--source other.cu"],
    ),
    ("--plain --block 16 --size 16 --ptx data.ptx --args A,C", &["--fill small"]),
    ("--plain --block 16 --size 16 --ptx dynamic.ptx --args A,C", &["--shared 64"]),
    (
        "--plain --block 8,8 --grid 2,2 --size 16 --ptx own.ptx --args A:f32[256],B:f32[256],C:f32[256],16,16,16",
        &["--result product"],
    ),
    ("--plain --cuda needs.cu", &["-I lib/deep/er/inc"]),
    ("--plain --cuda ones.cu", &["-D ONE=8"]),
    ("--plain --cuda own.cu", &["--compiler clang", "--arch compute_80"]),
    (
        "sim --kernel tiled_no_load_barrier --size 32 --json",
        &[
            "--tile 8",
            "--unroll 1",
            "--fill small",
            "--order to-barrier",
            "--at 0,0",
            "--counts-only",
            "--no-checks",
            "--budget 10",
        ],
    ),
    ("sim --kernel tiled --size 20", &["--tolerance 0", "--fail-on costly", "--json"]),
    ("sim --kernel naive --counts-only", &["--size 20"]),
    ("sim --size 16", &["--kernel naive", "--ptx own.ptx --block 8,8", "--cuda own.cu"]),
    ("sim --size 16 --ptx own.ptx", &["--block 8,8"]),
    ("sim --block 8,8 --size 16 --ptx two.ptx --json", &["--entry second"]),
    (
        "sim --block 8,8 --size 16 --ptx own.ptx --json",
        &[
            "--cluster 2",
            "--grid 1,1",
            "--args A,B:col,C,M,N,K",
            "--result any",
            "--source other.cu",
        ],
    ),
    ("sim --block 16 --size 16 --ptx dynamic.ptx --args A,C --json", &["--shared 64"]),
    ("sim --cuda needs.cu", &["-I lib/deep/er/inc"]),
    ("sim --cuda ones.cu", &["-D ONE=8"]),
    ("sim --cuda own.cu", &["--compiler clang", "--arch compute_80"]),
    (
        "trace C[1][2] --kernel tiled --size 20",
        &["--tile 8", "--unroll 1", "--order round-robin", "--json"],
    ),
    ("trace C[1][2] --kernel naive", &["--size 20"]),
    ("trace A[1][2] --kernel tiled --size 40", &["--at 1,0"]),
    ("trace C[1][2] --size 16", &["--kernel naive", "--ptx own.ptx --block 8,8", "--cuda own.cu"]),
    ("trace C[1][2] --size 16 --ptx own.ptx", &["--block 8,8"]),
    ("trace C[1][2] --block 8,8 --size 16 --ptx two.ptx", &["--entry second"]),
    (
        "trace C[1][2] --block 8,8 --size 16 --ptx own.ptx",
        &["--cluster 2", "--grid 1,1", "--args A,B:col,C,M,N,K", "--source other.cu"],
    ),
    ("trace C[0][1] --block 16 --size 16 --ptx data.ptx --args A,C", &["--fill small"]),
    ("trace C[0][2] --block 16 --size 16 --ptx dynamic.ptx --args A,C", &["--shared 64"]),
    ("trace C[1][2] --block 8,8 --size 16 --ptx own.ptx", &["--result any"]),
    ("trace C[1][2] --cuda needs.cu", &["-I lib/deep/er/inc"]),
    ("trace C[1][2] --cuda ones.cu", &["-D ONE=8"]),
    ("trace C[1][2] --cuda own.cu", &["--compiler clang", "--arch compute_80"]),
    (
        "race --kernel tiled_no_load_barrier --size 32",
        &[
            "--tile 8",
            "--unroll 1",
            "--fill small",
            "--at 1,1",
            "--random 3",
            "--budget 10",
            "--json",
        ],
    ),
    ("race --cuda own.cu --json", &["--size 40"]),
    ("race --size 16", &["--kernel naive", "--ptx own.ptx --block 8,8", "--cuda own.cu"]),
    ("race --size 16 --ptx own.ptx", &["--block 8,8"]),
    ("race --block 8,8 --size 16 --ptx two.ptx --json", &["--entry second"]),
    (
        "race --block 8,8 --size 16 --ptx own.ptx --json",
        &["--cluster 3", "--grid 1,1", "--args A,B:col,C,M,N,K", "--result any"],
    ),
    ("race --block 16,16 --size 64 --ptx racy.ptx", &["--source other.cu"]),
    ("race --block 16 --size 16 --ptx dynamic.ptx --args A,C", &["--shared 64"]),
    ("race --cuda needs.cu", &["-I lib/deep/er/inc"]),
    ("race --cuda ones.cu", &["-D ONE=8"]),
    ("race --cuda own.cu", &["--compiler clang", "--arch compute_80"]),
    (
        "access tx*33",
        &[
            "--space global",
            "--op st",
            "--bytes 8",
            "--block 16",
            "--warp 1",
            "--json",
            "--color always",
        ],
    ),
    ("access tx*(by+1)", &["--at 0,1"]),
    ("access", &["--batch batch"]),
    ("reconcile tiled.csv --size 64", &["--unroll 1", "--json"]),
    ("reconcile report.csv", &["--size 64"]),
    ("reconcile line.csv --size 16", &["--ptx data.ptx --block 16 --grid 1 --args A,C"]),
    ("reconcile line.csv --size 16", &["--cuda shared.cu"]),
    (
        "reconcile report.csv --size 64 --ptx own.ptx --block 16,16",
        &["--grid 1,1", "--args A,B,C,M,N,8"],
    ),
    (
        "reconcile report.csv --size 64 --grid 4,4 --ptx own.ptx --block 16,16 --args A:f32[4096],B:f32[4096],C:f32[4096],64,64,64",
        &["--result product"],
    ),
    ("reconcile report.csv --size 64 --ptx two.ptx --block 16,16", &["--entry second"]),
    (
        "reconcile line.csv --size 16 --ptx dynamic.ptx --block 16 --grid 1 --args A,C",
        &["--shared 64"],
    ),
    (
        "reconcile line.csv --size 16 --ptx data.ptx --block 16 --grid 1 --args A,C",
        &["--fill small"],
    ),
    ("reconcile tiled.csv --size 64", &["--order to-barrier"]),
    ("reconcile report.csv --size 64 --ptx own.ptx", &["--block 16,16"]),
    ("reconcile report.csv --size 64 --cuda ones16.cu", &["-D ONE=8"]),
    ("reconcile report.csv --size 64 --cuda needs16.cu", &["-I lib/deep/er/inc"]),
    ("reconcile report.csv --size 64 --cuda wide.cu", &["--compiler clang", "--arch compute_80"]),
    (
        "picture ladder",
        &[
            "--kernel naive",
            "--size 1024",
            "--pack own.json",
            "--svg own.svg",
            "--csv",
            "--json",
            "--screen 90x30",
            "--glyphs ascii",
        ],
    ),
    ("picture memory --size 256", &["--beside naive"]),
    ("picture roofline --size 256", &["--memory shared"]),
    ("picture ladder --svg own.svg", &["--theme light"]),
    ("changes no-load-barrier", &["--source", "--json"]),
    ("changes", &["--check"]),
    ("dials", &["--size 32", "--set PADDING=17", "--json"]),
    ("dials --size 16", &["--count"]),
    ("gaps --kernel tiled --insert ; --size 16 --json", &["--change no-load-barrier", "--tile 8"]),
    ("gaps --kernel tiled --insert ;", &["--size 20"]),
    ("gaps --kernel tiled --size 16", &["--insert ;"]),
    ("gaps --insert ; --size 16", &["--kernel naive", "--cuda own.cu"]),
    ("check course", &["--json"]),
    ("edit own.cu --size 16", &["--plain"]),
    ("edit --plain own.cu", &["--size 20", "--block 16,8", "--grid 1,1", "--args A,B:col,C,M,N,K"]),
    ("edit --plain shared.cu", &["--shared 64"]),
    ("edit --plain two.cu", &["--entry second"]),
    ("edit --plain ones.cu", &["-D ONE=8"]),
    (
        "export own.svg --kernel tiled --size 40 --step 9",
        &[
            "--tile 8",
            "--unroll 1",
            "--order round-robin",
            "--at 0,0",
            "--theme light",
            "--glyphs ascii",
            "--screen 90x30",
            "--keys ?",
            "--pace even",
        ],
    ),
    ("export own.svg --kernel tiled --size 40", &["--step 9"]),
    ("export own.svg --kernel tiled --step 300 --keys z", &["--size 40"]),
    ("export own.svg --kernel tiled", &["--pack own.json"]),
    ("export own.svg --kernel tiled --size 64 --step 700 --keys z", &["--fill small"]),
    ("export --kernel tiled --size 16", &["--json"]),
    ("export own.svg --size 16", &["--kernel naive", "--ptx own.ptx --block 8,8", "--cuda own.cu"]),
    ("export own.svg --size 16 --ptx own.ptx", &["--block 8,8"]),
    (
        "export own.svg --block 8,8 --size 16 --ptx own.ptx",
        &[
            "--cluster 2",
            "--grid 1,1",
            "--args A,B:col,C,M,N,K",
            "--result any",
            "--source other.cu",
        ],
    ),
    ("export own.svg --block 8,8 --size 16 --ptx two.ptx", &["--entry second"]),
    ("export own.txt --block 16 --size 16 --ptx dynamic.ptx --args A,C", &["--shared 64"]),
    ("export own.svg --cuda needs.cu", &["-I lib/deep/er/inc"]),
    ("export own.svg --cuda ones.cu", &["-D ONE=8"]),
    ("export own.svg --cuda own.cu", &["--compiler clang", "--arch compute_80"]),
    ("lesson 1 --plain --no-progress --seed 4", &["--from course"]),
    ("lesson 1 --plain --seed 3", &["--no-progress"]),
    ("lessons --plain", &["--from course"]),
    ("lessons", &["--json", "--export out"]),
    ("progress", &["--json", "--csv", "--unknown", "--report me.md", "--reset 1"]),
    ("doctor", &["--json"]),
    ("version", &["--json"]),
    ("man", &["--dir ."]),
];

/// Options of a screen which `matviz export` takes too, by the same structure, so that its rows show
/// what they do.
const AS_IN_EXPORT: &[(&str, &[&str])] = &[
    ("", &["--pace", "--pack", "--theme", "--glyphs", "--unroll", "--fill", "--order"]),
    ("lesson", &["--theme", "--glyphs"]),
    ("lessons", &["--theme", "--glyphs"]),
    ("edit", &["--theme", "--glyphs"]),
];

/// Options whose work is not in what a command without a terminal or a GPU leaves, and a test that sees
/// it.
const ELSEWHERE: &[(&str, &[&str], &str)] = &[
    ("", &["--no-mouse"], "tests/heeded.rs"),
    ("", &["--no-gpu"], "tests/terminal.rs"),
    ("lesson", &["--no-mouse"], "tests/heeded.rs"),
    ("lessons", &["--no-mouse"], "tests/heeded.rs"),
    ("edit", &["--once"], "tests/terminal.rs"),
    ("race", &["--order"], "tests/options.rs"),
    ("reconcile", &["--tile", "--source"], "tests/options.rs"),
    ("export", &["--still"], "tests/options.rs"),
    ("gaps", &["--json"], "tests/json.rs"),
    ("check", &["--quick"], "tests/json.rs"),
    ("lesson", &["--seed"], "tests/heeded.rs"),
    ("bench", &["--ladder", "--devices", "--json", "--record", "--time-limit"], "tests/gpu.rs"),
    ("bench", &["--cpu", "--counters", "--compare", "--size", "--kernel"], "tests/json.rs"),
];

/// Options that no test sees at work: they move a screen that plays, name a GPU among several, or are
/// for what only a GPU has.
const UNSEEN: &[(&str, &[&str])] = &[
    ("", &["--still", "--device"]),
    ("lesson", &["--still", "--plain"]),
    ("race", &["--show"]),
    ("reconcile", &["--cluster"]),
    ("lessons", &["--still", "--plain", "--no-progress"]),
    ("bench", &["--device", "--cublas", "--csv", "--tolerance", "--tile"]),
    ("bench", &["--ptx", "--cuda", "--compiler", "-D", "-I", "--arch", "--entry", "--block"]),
    ("bench", &["--cluster", "--grid", "--args", "--result", "--shared", "--source"]),
];

/// The options that every command has.
const EVERYWHERE: [&str; 5] = ["help", "version", "output", "quiet", "color"];

#[test]
fn every_option_of_every_command_changes_what_comes_out() {
    let next = AtomicUsize::new(0);
    let same = Mutex::new(Vec::new());
    let work = || loop {
        let index = next.fetch_add(1, Relaxed);
        let Some((line, options)) = ROWS.get(index) else { break };
        let without = outcome(line);
        for option in *options {
            let line = format!("{line} {option}");
            let with = outcome(&line);
            let unknown = ["multiple times", "unexpected argument"];
            assert!(!unknown.iter().any(|told| with.contains(told)), "{line}: {with}");
            if with == without {
                same.lock().expect("nobody panics").push(line);
            }
        }
    };
    thread::scope(|scope| {
        (0..2).for_each(|_| _ = scope.spawn(work));
    });
    let same = same.into_inner().expect("nobody panics");
    assert!(same.is_empty(), "these change nothing:\n{}", same.join("\n"));
}

#[test]
fn no_option_is_left_out() {
    let mut left: Vec<String> = Vec::new();
    let whole = Args::command();
    let all = whole.get_subcommands().filter(|command| !command.is_hide_set());
    for command in all.chain([&whole]) {
        let name = if command.get_name() == "matviz" { "" } else { command.get_name() };
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
        for arg in shown.filter(|arg| !EVERYWHERE.contains(&arg.get_id().as_str())) {
            let option = match (arg.get_long(), arg.get_short()) {
                (Some(long), _) => format!("--{long}"),
                (None, Some(short)) => format!("-{short}"),
                (None, None) => continue,
            };
            let is_heeded = ROWS.iter().any(|(line, options)| {
                of(line) == name && options.iter().any(|row| named(row).contains(&*option))
            });
            let is_elsewhere = ELSEWHERE
                .iter()
                .any(|(command, options, _)| *command == name && options.contains(&&*option));
            let has = |(command, options): &(&str, &[&str])| {
                *command == name && options.contains(&&*option)
            };
            let is_shown = AS_IN_EXPORT.iter().chain(UNSEEN).any(has);
            if !is_heeded && !is_elsewhere && !is_shown {
                left.push(format!("{name} {option}"));
            }
        }
    }
    assert!(left.is_empty(), "no row shows what these do:\n{}", left.join("\n"));
}

/// A test that is named must name the option.
#[test]
fn what_is_seen_elsewhere_is_there() {
    for (command, options, file) in ELSEWHERE {
        let text = fs::read_to_string(file).expect(file);
        for option in *options {
            assert!(text.contains(option), "{file} has no {option} of `{command}`");
        }
    }
}

/// The screens take the mouse, unless it is left to the terminal.
#[cfg(unix)]
#[test]
fn no_mouse_leaves_the_mouse_to_the_terminal() {
    let takes_mouse = |args: &[&str]| {
        let home = tempfile::tempdir().expect("a folder");
        let program = Path::new(env!("CARGO_BIN_EXE_matviz"));
        let mut session = Session::run(program, args, home, "xterm-256color", (100, 30));
        let deadline = Instant::now() + Duration::from_secs(60);
        // The first frame is drawn after the modes are set.
        while session.screen().contents().trim().is_empty() {
            session.hear(deadline).expect("it draws");
        }
        let takes = session.screen().mouse_protocol_mode() != MouseProtocolMode::None;
        session.signal(Signal::TERM);
        while session.hear(deadline).is_ok() {}
        takes
    };
    for args in [&["--no-gpu"][..], &["lesson", "1"], &["lessons"]] {
        assert!(takes_mouse(args), "{args:?}");
        assert!(!takes_mouse(&[args, &["--no-mouse"]].concat()), "{args:?} --no-mouse");
    }
}

/// The command of a line; the screen has none.
fn of(line: &str) -> &str {
    line.split_whitespace().next().filter(|word| !word.starts_with('-')).unwrap_or("")
}

/// The options in a part of a line.
fn named(part: &str) -> BTreeSet<&str> {
    part.split_whitespace().filter(|word| word.starts_with('-')).collect()
}

/// What a command line leaves in a folder of its own: its exit code, its words and its files. Times are
/// left out.
fn outcome(line: &str) -> String {
    let home = tempfile::tempdir().expect("a folder");
    let at = home.path();
    files(at);
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.args(line.split_whitespace()).current_dir(at).env_clear().env("HOME", at);
    let output = command.env("LANG", "C.UTF-8").stdin(Stdio::null()).output().expect("it runs");
    let mut told = format!("{:?}\n", output.status.code());
    for text in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(text);
        let lines = text.lines().filter(|line| !line.contains("second"));
        told.extend(lines.flat_map(|line| [line, "\n"]));
    }
    let mut found: Vec<_> = walk(at);
    found.sort();
    for file in found {
        let bytes = fs::read(&file).expect("it can be read");
        let text = String::from_utf8_lossy(&bytes);
        told.extend([&*file.display().to_string(), "\n", &*text]);
    }
    told.replace(&at.display().to_string(), "HOME")
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// A product with a thread for each element, of blocks of 8 x 8.
const OWN: &str = "\
// launch: --block 8,8 --size 16
__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {
    int r = blockIdx.y * 8 + threadIdx.y, c = blockIdx.x * 8 + threadIdx.x;
    if (r < M && c < N) {
        float s = 0;
        for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c];
        C[r * N + c] = s;
    }
}
";

/// It copies through dynamic shared memory.
const SHARED: &str = "\
// launch: --block 16 --grid 1 --size 16 --args A,C
__global__ void k(const float* A, float* C) {
    extern __shared__ float t[];
    t[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    C[threadIdx.x] = t[15 - threadIdx.x];
}
";

/// The same as PTX.
const DYNAMIC: &str = "\
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 buf[];
.visible .entry k(.param .u64 a, .param .u64 c)
{
    .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .f32 %f1;
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [c];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4];
    mov.u32 %r2, buf; shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3;
    st.shared.f32 [%r2], %f1; add.s64 %rd5, %rd2, %rd3; st.global.f32 [%rd5], %f1;
    ret;
}
";

/// It stores what is negative.
const DATA: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 c)
{
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .f32 %f1;
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [c];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4];
    add.s64 %rd5, %rd2, %rd3; setp.lt.f32 %p, %f1, 0f00000000;
    @%p st.global.f32 [%rd5], %f1;
    ret;
}
";

/// A report of Nsight Compute: a kernel, its launch, a metric.
fn report(rows: &[(&str, &str, &str, &str)]) -> String {
    let head =
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Value\"\n";
    let row = |(kernel, block, grid, metric): &(&str, &str, &str, &str)| {
        format!("\"0\",\"{kernel}\",\"({block}, 1)\",\"({grid}, 1)\",\"{metric}.sum\",\"1\"\n")
    };
    head.to_owned() + &rows.iter().map(row).collect::<String>()
}

fn files(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("written");
    let read = |path: &str| fs::read_to_string(path).expect("it is committed");
    let headers = folder.join("lib/deep/er/inc");
    fs::create_dir_all(&headers).expect("made");
    fs::create_dir(folder.join("course")).expect("made");
    let ptx = read("kernels/ptx/naive.t8.ptx");
    let (_, body) = ptx.split_once(".visible .entry").expect("an entry");
    write("own.ptx", &ptx);
    write("two.ptx", &format!("{ptx}.visible .entry{}", body.replace("naive", "second")));
    write("racy.ptx", &read("kernels/ptx/tiled_no_load_barrier.t16.ptx"));
    write("dynamic.ptx", DYNAMIC);
    write("data.ptx", DATA);
    let ones = |text: &str| text.replace("= s;", "= s * ONE;");
    let wide = OWN.replace(" k(", " naive(").replace("* 8", "* 16").replace("8,8", "16,16");
    write("own.cu", OWN);
    write("two.cu", &(OWN.to_owned() + &OWN.replace(" k(", " second(")));
    write("ones.cu", &ones(OWN));
    write("needs.cu", &format!("#include \"t.h\"\n{}", ones(OWN)));
    write("wide.cu", &wide);
    write("ones16.cu", &ones(&wide));
    write("needs16.cu", &format!("#include \"t.h\"\n{}", ones(&wide)));
    write("shared.cu", SHARED);
    write("other.cu", &"// another source\n".repeat(60));
    fs::write(headers.join("t.h"), "#define ONE 1\n").expect("written");
    write("own.json", &read("kernels/timings/h200.json").replace("NVIDIA H200", "Own"));
    let offsets = ["0"; 32].join(",");
    write(
        "batch",
        &format!(
            "{{\"space\":\"shared\",\"op\":\"ld\",\"bytes\":4,\"mask\":\"0xf\",\"offsets\":[{offsets}]}}\n"
        ),
    );
    let loads = "l1tex__t_requests_pipe_lsu_mem_global_op_ld";
    let stores = "l1tex__t_requests_pipe_lsu_mem_global_op_st";
    write("report.csv", &report(&[("naive", "16, 16", "4, 4", loads)]));
    let shared = "smsp__sass_inst_executed_op_shared_ld";
    write("tiled.csv", &report(&[("tiled", "16, 16", "4, 4", shared)]));
    write("line.csv", &report(&[("k", "16, 1", "1, 1", loads), ("k", "16, 1", "1, 1", stores)]));
    write("course/1-own.md", "# T\n```matviz lesson\nid = \"t\"\nminuets = 1\n```\n");
}
