//! What a long command says while it works, and after Ctrl-C.

#![cfg(unix)]

use crate::schema;
use crate::session::Session;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Commands that take many seconds on any machine, and a part of the line that each writes meanwhile.
/// `changes --check` is none of them: it can be over before its line is due.
const LONG: [(&[&str], &str); 9] = [
    (&["check", "naive", "--size", "2048"], "simulating naive at 2048: "),
    (&["trace", "naive", "A[5][7]", "--size", "4096"], "tracing A[5][7] of naive at 4096: "),
    (&["trace", "sgemm", "C[5][7]", "--size", "8192"], "tracing C[5][7] of sgemm at 8192: "),
    (&["check", "--prove", "tiled", "--size", "1024"], "checking tiled at 1024: "),
    (&["check", "--against", "report.csv", "--size", "2048"], "simulating naive at 2048: "),
    (
        &[
            "check",
            "--prove",
            "tiled_no_load_barrier",
            "--size",
            "64",
            "--limit",
            "orders=100000000",
        ],
        "trying orders of the warps: ",
    ),
    (&["course", "dials", "--count"], "judging every setting: "),
    (
        &["course", "gaps", "tiled", "--insert", "__syncthreads();", "--size", "256"],
        "judging `__syncthreads();` after each line: ",
    ),
    (&["course", "check"], "checking "),
];

/// Ctrl-C, as a terminal sends it.
const CTRL_C: &str = "\x03";

#[test]
fn a_long_command_says_what_it_does_and_at_ctrl_c_how_far_it_came() {
    for (args, line) in LONG {
        let home = tempfile::tempdir().expect("a folder");
        files(home.path());
        let program = Path::new(env!("CARGO_BIN_EXE_matviz"));
        let mut session = Session::run(program, args, home, "xterm-256color", (100, 24));
        let deadline = Instant::now() + PATIENCE;
        while !session.screen().contents().contains(line) {
            let Ok(_) = session.hear(deadline) else {
                panic!("{args:?} says: {}", session.screen().contents());
            };
        }
        session.send(CTRL_C).expect("it runs");
        while session.hear(deadline).is_ok() {}
        let said = session.screen().contents();
        let last = said.trim_end().lines().last().unwrap_or_default();
        assert!(last.contains(&format!("note: interrupted: {line}")), "{args:?}: {said}");
        assert_eq!(said.matches(line).count(), 1, "{args:?} leaves its line behind: {said}");
        assert_eq!(session.status().exit_code(), 130, "{args:?}");
        session.assert_restored();
    }
}

/// A report of Nsight Compute with so many launches of naive at a size.
fn report(launches: usize, size: u32) -> String {
    let blocks = size / 16;
    let row = |number| {
        format!(
            "\"{number}\",\"naive\",\"(16, 16, 1)\",\"({blocks}, {blocks}, 1)\",\
             \"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\",\"1\"\n"
        )
    };
    let head =
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Value\"";
    format!("{head}\n{}", (0..launches).map(row).collect::<String>())
}

fn files(folder: &Path) {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    write("report.csv", &report(1, 2048));
    write("many.csv", &report(10_000, 256));
    write("own.cu", OWN);
    write("long.cu", LONG_RUN);
    write("one.cu", ONE_BLOCK);
    write("wide.cu", WIDE);
    let sums = "mul.f32 %f2, %f1, %f0;\nadd.f32 %f1, %f2, %f0;\n".repeat(40_000);
    write("long.ptx", &LONG_PTX.replace("SUMS", &sums));
}

/// Commands whose result is made piece by piece, the line of each, and what they print of the pieces.
const KEPT: [(&[&str], &str, &[&str]); 5] = [
    (
        &["check", "naive", "--size", "2048"],
        "simulating naive at 2048: ",
        &[" of 16,384 blocks of 16 x 16 threads", "C is not judged"],
    ),
    (
        &["course", "gaps", "tiled", "--insert", "__syncthreads();", "--size", "256"],
        "judging `__syncthreads();` after each line: ",
        &["after each line of tiled.cu"],
    ),
    (&["course", "dials", "--count"], "judging every setting: ", &[" settings: "]),
    (&["course", "check"], "checking ", &[" exercises, 0 errors, "]),
    (
        &["check", "--against", "many.csv", "--size", "256"],
        "simulating naive at 256",
        &["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
    ),
];

#[test]
fn at_ctrl_c_what_is_done_is_printed_as_what_it_is() {
    for (args, line, kept) in KEPT {
        let home = tempfile::tempdir().expect("a folder");
        files(home.path());
        let program = Path::new(env!("CARGO_BIN_EXE_matviz"));
        let mut session = Session::run(program, args, home, "xterm-256color", (160, 200));
        let deadline = Instant::now() + PATIENCE;
        // A piece is done when its number is shown.
        while !session.screen().contents().contains(line) {
            let Ok(_) = session.hear(deadline) else {
                panic!("{args:?} says: {}", session.screen().contents());
            };
        }
        session.send(CTRL_C).expect("it runs");
        while session.hear(deadline).is_ok() {}
        let said = session.screen().contents();
        for kept in kept {
            assert!(said.contains(kept), "{args:?} does not print `{kept}`: {said}");
        }
        assert!(!said.contains("nowhere else") && !said.contains("C is right"), "{said}");
        assert_eq!(session.status().exit_code(), 130, "{args:?}");
    }
}

#[test]
fn nothing_is_said_where_nobody_looks() {
    let args = ["check", "naive", "--size", "2048"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    let mut child = command.args(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = child.as_mut().expect("the binary runs");
    std::thread::sleep(Duration::from_secs(2));
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let interrupt = rustix::process::Signal::INT;
    rustix::process::kill_process(pid.expect("a process"), interrupt).expect("it runs");
    let status = child.wait().expect("it ends");
    let said = std::io::read_to_string(child.stderr.take().expect("a pipe")).expect("text");
    assert_eq!(status.code(), Some(130));
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 1, "{said}");
    assert!(said.starts_with("note: interrupted: simulating naive at 2048: "), "{said}");
}

/// A command with `--json` of which Ctrl-C keeps a part, the milliseconds after which it first comes,
/// and a key of what is kept.
const PARTS: [(&[&str], u64, &str); 11] = [
    (&["check", "naive", "--size", "2048"], 4000, "kernel"),
    (&["trace", "naive", "A[5][7]", "--size", "16384"], 4000, "rows"),
    (
        &[
            "check",
            "--prove",
            "tiled_no_load_barrier",
            "--size",
            "64",
            "--limit",
            "orders=18446744073709551615",
        ],
        4000,
        "tried",
    ),
    (&["course", "dials", "--count"], 4000, "right"),
    (&["course", "gaps", "tiled", "--insert", "__syncthreads();", "--size", "256"], 4000, "gaps"),
    (&["course", "check"], 4000, "complaints"),
    // It can be over within a second.
    (&["course", "changes", "--check"], 50, "changes"),
    (&["check", "--against", "many.csv", "--size", "256"], 500, "launches"),
    // Measured by the stand-in, which takes seconds for each launch of this size.
    (&["bench", "own.cu", "cpu", "--size", "2048"], 6000, "rows"),
    // The counters of what was measured are told beside it.
    (&["bench", "--counters", "--size", "1024,4096"], 4000, "counted"),
    // Simulated after it is measured.
    (&["bench", "long.cu"], 4000, "ms"),
];

/// What is done until Ctrl-C is JSON that says so, as the schema has it.
#[test]
fn at_ctrl_c_the_json_says_that_it_is_a_part() {
    for (args, first, key) in PARTS {
        let json = [args, &["--json"]].concat();
        // A busy machine may have no piece done in the first seconds.
        let mut waits = std::iter::successors(Some(first), |wait| Some(wait * 3 / 2)).take(10);
        let value = waits.find_map(|wait| {
            let output = interrupted(&json, Duration::from_millis(wait));
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(130), "{args:?} after {wait} ms: {said}");
            let value: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
            value.get(key).is_some().then_some(value)
        });
        let value = value.unwrap_or_else(|| panic!("{args:?} keeps no {key}"));
        assert_eq!(value["interrupted"], true, "{args:?}");
        let command = value["command"].as_str().expect("a command");
        let schema = ["generate", "schema", command];
        let schema = Command::new(env!("CARGO_BIN_EXE_matviz")).args(schema).output();
        let schema = serde_json::from_slice(&schema.expect("it runs").stdout).expect("a schema");
        assert_eq!(schema::complaints(&schema, &value), [""; 0], "{args:?}");
    }
}

/// What was in the file of `-o` stays if nothing was measured.
#[test]
fn an_interrupt_before_there_is_a_result_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("times.txt");
    std::fs::write(&file, "the times of yesterday\n").expect("written");
    let path = file.display().to_string();
    let args = ["bench", "naive", "--size", "8192", "-o", &path];
    let output = interrupted(&args, Duration::from_millis(500));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted before anything was measured"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "the times of yesterday\n");
}

/// One block, whose loop nothing proves endless.
const ONE_BLOCK: &str = "\
// launch: <<<1,32>>>(out:u32[32]=0)
__global__ void k(unsigned* out) {
    unsigned x = threadIdx.x + 1;
    while (x != 0) {
        x ^= x << 13; x ^= x >> 17; x ^= x << 5;
        out[threadIdx.x] += x;
    }
}
";

/// Commands that can take long, with the milliseconds after which Ctrl-C comes.
const HEEDED: [(&[&str], u64); 17] = [
    (&["check", "one.cu", "--compiler", "matviz", "--json"], 1000),
    (&["check", "one.cu", "--compiler", "matviz", "--only", "result"], 1000),
    // Its buffers are filled again for each of several runs.
    (&["check", "wide.cu", "--compiler", "matviz"], 4000),
    // C is judged, and the cause sought.
    (&["check", "naive", "--size", "512", "--only", "result"], 5000),
    (&["check", "naive", "--size", "8191", "--only", "counts"], 500),
    (&["check", "--prove", "tiled", "--size", "1024"], 1000),
    (
        &[
            "check",
            "--prove",
            "tiled_no_load_barrier",
            "--size",
            "64",
            "--limit",
            "orders=100000000",
        ],
        5000,
    ),
    (&["trace", "naive", "A[5][7]", "--size", "16384"], 2000),
    (&["trace", "sgemm", "C[5][7]", "--size", "8192"], 1000),
    (&["course", "gaps", "tiled", "--insert", "__syncthreads();", "--size", "256"], 3000),
    (&["course", "dials", "--count"], 2000),
    (&["course", "check"], 2000),
    (&["check", "--against", "many.csv", "--size", "256"], 1000),
    (&["export", "frame", "-o", "frame.txt", "naive", "--size", "8192", "--step", "500000"], 300),
    (
        &[
            "check",
            "long.ptx",
            "--launch",
            "<<<,32>>>",
            "--launch",
            "<<<1,>>>",
            "--launch",
            "(void)",
            "--launch",
            "(out:f32[32]=0)",
        ],
        1000,
    ),
    (&["bench", "long.cu"], 4000),
    (&["bench", "--counters", "--size", "1024,4096"], 4000),
];

/// Whatever goes on: lowering, simulating, judging, searching.
#[test]
fn an_interrupt_is_heeded_at_once() {
    let mut late = Vec::new();
    for (args, most) in HEEDED {
        // A fast machine may be done before.
        let mut waits = std::iter::successors(Some(most), |wait| Some(wait / 2)).take(5);
        let interrupted = waits.find_map(|after| {
            let started = Instant::now();
            let output = interrupted(args, Duration::from_millis(after));
            let took = started.elapsed().saturating_sub(Duration::from_millis(after));
            let is_interrupted = matches!(output.status.code(), None | Some(130));
            is_interrupted.then_some((after, took))
        });
        let (after, took) = interrupted.unwrap_or_else(|| panic!("{args:?} is not interrupted"));
        if took > HEEDS {
            late.push(format!("{args:?} after {after} ms: {took:?}"));
        }
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
}

/// How long it takes at most: 0.2 s, of an unoptimised program ten times as long, and the machine has
/// other work too.
const HEEDS: Duration = Duration::from_millis(if cfg!(debug_assertions) { 5000 } else { 600 });

/// What nobody proves endless is told long before it has used up its budget, with its lines.
#[test]
fn a_loop_of_which_nothing_is_known_is_given_up_soon() {
    let home = tempfile::tempdir().expect("a folder");
    files(home.path());
    let run = |more: &[&str]| {
        let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
        matviz.args(["check", "one.cu", "--compiler", "matviz", "--json"]).args(more);
        let output = matviz.current_dir(home.path()).output().expect("it runs");
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        value["findings"][0]["message"].as_str().unwrap_or_default().to_owned()
    };
    let place = "instructions of a block: warp 0 goes round in lines 4 to 6";
    assert_eq!(run(&[]), format!("no end after 8,388,608 {place}"));
    assert_eq!(run(&["--limit", "instructions=100000"]), format!("no end after 100,000 {place}"));
}

/// It would show the sequences that erase a line.
#[test]
fn a_dumb_terminal_gets_no_line_that_is_rewritten() {
    let home = tempfile::tempdir().expect("a folder");
    files(home.path());
    let program = Path::new(env!("CARGO_BIN_EXE_matviz"));
    let args = ["check", "naive", "--size", "2048"];
    let mut session = Session::run(program, &args, home, "dumb", (100, 24));
    let (mut heard, deadline) = (Vec::new(), Instant::now() + Duration::from_secs(3));
    while let Ok(bytes) = session.hear(deadline) {
        heard.extend(bytes);
    }
    session.send(CTRL_C).expect("it runs");
    while let Ok(bytes) = session.hear(Instant::now() + PATIENCE) {
        heard.extend(bytes);
    }
    let said = String::from_utf8_lossy(&heard);
    assert!(said.contains("interrupted: simulating naive at 2048"), "{said}");
    assert!(!said.contains('\x1b'), "{said:?}");
}

/// What a command leaves that is interrupted after so long, with the stand-in for a GPU.
fn interrupted(args: &[&str], after: Duration) -> std::process::Output {
    let home = tempfile::tempdir().expect("a folder");
    files(home.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.args(args).current_dir(home.path()).env("MATVIZ_STAND_IN", "1");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the binary runs");
    std::thread::sleep(after);
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let interrupt = rustix::process::Signal::INT;
    rustix::process::kill_process(pid.expect("a process"), interrupt).expect("it runs");
    child.wait_with_output().expect("it ends")
}

/// It runs long, and computes no product.
const LONG_RUN: &str = "\
// launch: <<<256,32>>>(out:f32[8192])
__global__ void halve(float* out) {
    float sum = threadIdx.x;
    for (int i = 0; i < 1000000; ++i) sum = 0.5f * sum + 1.0f;
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}
";

/// Few blocks, and large buffers.
const WIDE: &str = "\
// launch: <<<64,32>>>(a:f32[30000000]=random,b:f32[30000000]=random)
__global__ void k(const float* a, float* b) {
    int i = blockIdx.x * 32 + threadIdx.x;
    b[i] = a[i] + b[i + 1];
}
";

/// Many products and sums, and a loop round them.
const LONG_PTX: &str = "\
.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b64 %rd<3>; .reg .f32 %f<3>; .reg .b32 %r<3>; .reg .pred %p;
ld.param.u64 %rd1, [out]; mov.u32 %r1, 0; mov.f32 %f0, 0f3F000000; mov.f32 %f1, %f0;
L: SUMS add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 100000; @%p bra L;
st.global.f32 [%rd1], %f1;
ret;
}
";

/// A product with a thread for each element.
const OWN: &str = "\
// launch: <<<,16x16>>>
__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {
    int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
    float s = 0;
    if (r < M && c < N) {
        for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c];
        C[r * N + c] = s;
    }
}
";
