//! The commands as a shell sees them: help, errors, exit codes, output.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

/// The program without this machine's environment, which could affect its output.
fn matviz(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.args(args).env_clear().env("COLUMNS", "100");
    command
}

pub(super) fn run(args: &[&str]) -> Output {
    matviz(args).output().expect("the binary runs")
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The first line of the error, for bad use, which must print nothing on stdout.
pub(super) fn bad_use(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?} prints on stdout");
    text(&output.stderr).lines().next().unwrap_or_default().to_owned()
}

/// A kernel that rounds its factors to halves is judged with that rounding.
#[test]
fn halves_that_a_kernel_makes_itself_are_no_mistake() {
    let args = ["check", "tests/data/kernel/foreign/wmma.ptx", "--launch", "<<<1x2,>>>"];
    let launch = ["--launch", "<<<,128>>>", "--size", "64,32,48"];
    let output = run(&[&args[..], &launch].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    // If half of the blocks are left out, the rounding of the others is not an error either; among
    // the missing elements, three should be so small that 0 is accepted.
    let output = run(&[&args[..2], &["--launch", "<<<1x1,>>>"], &launch].concat());
    let said = text(&output.stdout);
    assert!(said.contains("  1,021 of 2,048 elements are wrong"), "{said}");
    assert!(said.contains("  all of them were never stored"), "{said}");
}

/// A range of large counts leaves the columns apart.
#[test]
fn a_wide_range_has_a_column_of_its_own() {
    let ptx = "tests/data/analysis/joins/kernels/products/nvrtc12.b1d_256_f.ptx";
    let launch = [
        "--launch",
        "(A,B,C,N)",
        "--launch",
        "<<<,256>>>",
        "--launch",
        "<<<32x16,>>>",
        "--size",
        "1024",
    ];
    let args = [&["check", ptx, "--only", "counts"], &launch[..]].concat();
    let said = text(&run(&args).stdout);
    let row = said.lines().find(|line| line.contains("shared load")).unwrap_or_default();
    let words: Vec<_> = row.split_whitespace().collect();
    assert_eq!(words[3..], ["37,748,736", "12,582,912-37,748,736"], "{said}");
}

/// Only the left half of C has blocks.
#[test]
fn of_a_wrong_c_the_elements_are_named() {
    let args = ["check", "lessons/mistakes.ptx", "--launch", "reads_down_the_rows"];
    let launch = ["--launch", "<<<,16x16>>>", "--launch", "<<<2x4,>>>", "--size", "64"];
    let output = run(&[&args[..], &launch].concat());
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(said.contains("2,048 of 4,096 elements are wrong, the first C["), "{said}");
    assert!(said.contains("\n  all of them were never stored"), "{said}");
    let output = run(&[&args[..], &launch, &["--json"]].concat());
    let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(outcome["wrong"]["elements"], 2048);
    let right = run(&["check", "tiled", "--size", "32", "--json"]);
    let outcome: Value = serde_json::from_slice(&right.stdout).expect("JSON");
    assert!(outcome["wrong"].is_null());
}

/// A race of two files: a helper in tile.cuh stores, the kernel in kernel.cu loads.
const TWO_FILES: &str = r#"
.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 c)
{
    .reg .b32 %r<5>; .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[256];
    .loc 1 2 0
    ld.param.u64 %rd1, [c]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile; add.s32 %r3, %r3, %r2;
    .loc 2 3 0
    st.shared.u32 [%r3], %r1;
    .loc 1 4 0
    xor.b32 %r3, %r3, 128; ld.shared.u32 %r4, [%r3];
    cvta.to.global.u64 %rd1, %rd1; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r4;
    ret;
}
.file 1 "/of/another/machine/kernel.cu"
.file 2 "include/tile.cuh"
"#;

/// `outer` and `inner` have no line information, as functions of CUDA's headers with `-G`; the kernel
/// calls them in lines 4 and 6 to add to tile[0], with no barrier between.
const WITHOUT_LINES: &str = r#"
.version 8.0
.target sm_80
.address_size 64
.func inner(.param .b64 at)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [at]; atom.add.u32 %r1, [%rd1], 1;
    ret;
}
.func outer(.param .b64 at)
{
    .reg .b64 %rd<2>; .param .b64 to;
    ld.param.u64 %rd1, [at]; st.param.b64 [to], %rd1; call.uni inner, (to);
    ret;
}
.visible .entry kernel(.param .u64 c)
{
    .reg .b32 %r<5>; .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[4];
    .param .b64 to;
    .loc 1 3 0
    ld.param.u64 %rd1, [c]; mov.u32 %r1, 0; st.shared.u32 [tile], %r1;
    .loc 1 4 0
    cvta.shared.u64 %rd2, tile; st.param.b64 [to], %rd2; call.uni outer, (to);
    .loc 1 5 0
    bar.sync 0;
    .loc 1 6 0
    st.param.b64 [to], %rd2; call.uni outer, (to);
    .loc 1 7 0
    ld.shared.u32 %r2, [tile];
    cvta.to.global.u64 %rd1, %rd1; mov.u32 %r3, %tid.x; mul.wide.u32 %rd3, %r3, 4;
    add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r2;
    ret;
}
.file 1 "kernel.cu"
"#;

#[test]
fn calls_of_printf_are_left_out_and_named() {
    let args = [
        "check",
        "tests/data/sim/cases/printf.ptx",
        "--launch",
        "<<<,32>>>",
        "--launch",
        "<<<1,>>>",
    ];
    let more = ["--size", "8", "--launch", "(C)", "--json"];
    let output = run(&[&args[..], &more].concat());
    let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(outcome["calls_left_out"], serde_json::json!(["printf"]));
    let told = "note: the output of `printf` is not shown\n";
    assert_eq!(text(&output.stderr), told);
    let without = json(&["check", "tiled", "--size", "16", "--tile", "8", "--json"]);
    assert_eq!(without["calls_left_out"], serde_json::json!([]));
}

#[test]
fn a_function_without_lines_is_told_by_the_line_that_calls_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let ptx = folder.path().join("kernel.ptx");
    std::fs::write(&ptx, WITHOUT_LINES).expect("written");
    let ptx = ptx.display().to_string();
    let launch = [
        "--launch",
        "<<<,64>>>",
        "--launch",
        "<<<1,>>>",
        "--size",
        "8",
        "--launch",
        "(C)",
        "--json",
    ];
    let output = run(&[&["check", &ptx], &launch[..]].concat());
    let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let races = outcome["findings"].as_array().expect("a list");
    let line = |race: &Value, index: usize| race["sides"][index]["line"].as_u64();
    let mut lines: Vec<_> = races.iter().map(|race| [line(race, 0), line(race, 1)]).collect();
    lines.sort_unstable();
    let store_and_atomic = [Some(3), Some(4)];
    let atomic_and_load = [Some(6), Some(7)];
    assert!(lines.contains(&store_and_atomic), "{lines:?}");
    assert!(lines.contains(&atomic_and_load), "{lines:?}");
}

/// Adds 1 to the thread's element of `from`.
const FROM_A_POINTER: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 from, .param .u64 c)
{
    .reg .b32 %r<3>; .reg .b64 %rd<4>; .reg .f32 %f<2>;
    ld.param.u64 %rd1, [from]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2; ld.global.f32 %f1, [%rd1]; add.f32 %f1, %f1, 1.0;
    ld.param.u64 %rd3, [c]; add.s64 %rd3, %rd3, %rd2; st.global.f32 [%rd3], %f1;
    ret;
}
";

#[test]
fn a_null_pointer_is_called_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let ptx = folder.path().join("kernel.ptx");
    std::fs::write(&ptx, FROM_A_POINTER).expect("written");
    let ptx = ptx.display().to_string();
    let launch = [
        "--launch",
        "<<<,64>>>",
        "--launch",
        "<<<1,>>>",
        "--size",
        "8",
        "--launch",
        "(0,C)",
        "--json",
    ];
    let output = run(&[&["check", &ptx], &launch[..]].concat());
    assert_eq!(output.status.code(), Some(1));
    let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let finding = &outcome["findings"][0];
    assert_eq!([&finding["kind"], &finding["sides"][0]["did"]], ["memory", "load"]);
    let message = finding["message"].as_str().expect("a sentence");
    assert!(message.ends_with("this 4-byte load is at address 0, a null pointer"), "{message}");
    let advice = finding["advice"].as_str().expect("a sentence");
    assert!(advice.starts_with("Give the kernel a buffer for this pointer"), "{advice}");
}

/// Shifts A's first elements by one, through an `extern __shared__` array.
const DYNAMIC: &str = "
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 tile[];
.visible .entry kernel(.param .u64 c, .param .u64 a, .param .u64 b, .param .u32 n)
{
    .reg .b32 %r<4>; .reg .b64 %rd<9>; .reg .f32 %f<2>;
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [c]; ld.param.u64 %rd6, [b];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; mov.u32 %r2, tile; shl.b32 %r3, %r1, 2;
    add.s32 %r2, %r2, %r3; add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4];
    ld.global.f32 %f1, [%rd6]; mul.f32 %f1, %f1, %f1;
    st.shared.f32 [%r2], %f1; add.s64 %rd5, %rd2, %rd3; st.global.f32 [%rd5], %f1;
    ret;
}
";

#[test]
fn what_a_launch_forgets_is_said_as_it_is_typed() {
    let folder = tempfile::tempdir().expect("a folder");
    let ptx = folder.path().join("kernel.ptx");
    std::fs::write(&ptx, DYNAMIC).expect("written");
    let ptx = ptx.display().to_string();
    let launch = ["check", &ptx, "--launch", "<<<,64>>>", "--size", "8", "--launch", "(C,A,B,N)"];
    let told = bad_use(&launch);
    assert!(told.contains("the shared memory is missing"), "{told}");
    let output = run(&[&launch[..], &["--launch", "<<<,,0>>>"]].concat());
    let assumed = "note: assuming <<<1x1,>>>: a thread for each element of C (it never reads \
                   blockIdx.y)\n";
    assert_eq!(text(&output.stderr), assumed);
    let told = text(&output.stdout);
    assert!(told.contains("and the launch gives it none: --launch '<<<,,BYTES>>>'."), "{told}");
    let enough = text(&run(&[&launch[..], &["--launch", "<<<,,256>>>"]].concat()).stdout);
    assert!(!enough.contains("BYTES>>>"), "{enough}");
    let other = bad_use(&[
        "check",
        &ptx,
        "--launch",
        "<<<,64>>>",
        "--size",
        "8,16,4",
        "--launch",
        "<<<,,256>>>",
    ]);
    assert!(other.contains("the arguments are missing") && !other.contains("C,A,B,N"), "{other}");
    for command in [&["check"][..], &["check", "--prove"]] {
        let told = bad_use(command);
        assert!(told.starts_with("error: which kernel? "), "{told}");
    }
}

#[test]
fn the_files_that_ptx_names_are_found_beside_it_and_named_by_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(at(name), text).expect("written");
    write("kernel.ptx", TWO_FILES);
    let ptx = at("kernel.ptx").display().to_string();
    let args = [
        "check",
        &ptx,
        "--launch",
        "<<<,64>>>",
        "--launch",
        "<<<1,>>>",
        "--size",
        "8",
        "--launch",
        "(C)",
    ];
    let alone = text(&run(&args).stderr);
    let told = "note: no source to show: kernel.cu was not found; tile.cuh was not found\n";
    assert_eq!(alone, told);

    write("kernel.cu", "__global__ void kernel(float* C)\n{\n\n    C[0] = tile[1];\n}\n");
    std::fs::create_dir(at("include")).expect("a folder");
    write("include/tile.cuh", "//\n//\ntile[0] = 1;\n");
    let output = run(&[&args[..], &["--json"]].concat());
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), String::new()));
    let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let race = &outcome["findings"][0];
    let side = |index: usize| {
        let side = &race["sides"][index];
        let told = format!("{} {}:{}", side["did"], side["file"], side["line"]).replace('"', "");
        // What lies beside the PTX is named as the user would name it.
        told.replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!([side(0), side(1)], ["store tile.cuh:3", "load kernel.cu:4"]);
    let message = race["message"].as_str().expect("a sentence");
    assert!(
        message.contains("at line 3 of tile.cuh and ") && message.contains("at line 4, "),
        "{race}"
    );

    let steps = text(&run(&[&["--format", "text"], &args[1..]].concat()).stdout);
    for place in ["tile.cuh line 3: ", "kernel.cu line 4: "] {
        assert!(steps.contains(place), "{steps}");
    }
}

pub(super) fn json(args: &[&str]) -> Value {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn every_command_explains_itself() {
    for command in ["", "check", "trace", "bench", "access", "export", "doctor", "learn"] {
        let args: Vec<_> = command.split_whitespace().chain(["--help"]).collect();
        let output = run(&args);
        assert!(output.status.success(), "{command}");
        let name = if command.is_empty() { "help" } else { command };
        insta::assert_snapshot!(name, text(&output.stdout));
    }
}

#[test]
fn a_size_that_cannot_be_is_bad_use() {
    let error = |size| bad_use(&["--size", size]);
    insta::assert_snapshot!(error("0"), @"error: invalid value '0' for '--size <SIZE>': size 0 is empty: M, N and K must be at least 1");
    insta::assert_snapshot!(error("50000"), @"error: invalid value '50000' for '--size <SIZE>': size 50000 is too large: a matrix may have at most 2^31 - 1 elements (46340 squared)");
    insta::assert_snapshot!(error("abc"), @"error: invalid value 'abc' for '--size <SIZE>': `abc` is not a size: give N or MxNxK, for example 1024 or 100x36x257");
    insta::assert_snapshot!(error("1x2"), @"error: invalid value '1x2' for '--size <SIZE>': `1x2` is not a size: give N or MxNxK, for example 1024 or 100x36x257");
    insta::assert_snapshot!(bad_use(&["bench", "--size", "64,0"]), @"error: invalid value '64,0' for '--size <SIZE,...>': size 0 is empty: M, N and K must be at least 1");
}

#[test]
fn loops_are_rolled_on_demand() {
    let sim = |more: &[&str]| {
        let args = ["check", "tiled", "--size", "32", "--json"];
        json(&[&args[..], more].concat())["ptx"]["shared_load_instructions"].as_u64()
    };
    assert_eq!(sim(&["--no-unroll"]), Some(4 * 8 * 2 * 32));
    assert_eq!(sim(&[]), Some(4 * 8 * 2 * 20));
    insta::assert_snapshot!(bad_use(&["--no-unroll", "Cargo.toml"]), @"error: --no-unroll is for kernels of the catalogue; a macro of your own is given by -D NAME=VALUE");
}

#[test]
fn a_tile_that_cannot_be_is_bad_use() {
    let error = |tile| bad_use(&["--tile", tile]);
    insta::assert_snapshot!(error("0"), @"error: invalid value '0' for '--tile <TILE>': give a number from 1 to 32, or MxNxK, for example 128x128x16");
    insta::assert_snapshot!(error("33"), @"error: invalid value '33' for '--tile <TILE>': give a number from 1 to 32, or MxNxK, for example 128x128x16");
    insta::assert_snapshot!(error("abc"), @"error: invalid value 'abc' for '--tile <TILE>': give a number from 1 to 32, or MxNxK, for example 128x128x16");
    insta::assert_snapshot!(bad_use(&["bench", "--tile", "16,99"]), @"error: invalid value '99' for '--tile <TILE,...>': give a number from 1 to 32, or MxNxK, for example 128x128x16");
}

#[test]
fn a_kernel_block_order_or_command_that_is_not_there_is_bad_use() {
    insta::assert_snapshot!(bad_use(&["check", "fast"]), @"error: there is no command, kernel or file `fast`; `matviz --help` lists commands and kernels");
    insta::assert_snapshot!(bad_use(&["fast"]), @"error: there is no command, kernel or file `fast`; `matviz --help` lists commands and kernels");
    insta::assert_snapshot!(bad_use(&["--format", "text", "--size", "32", "--at", "2,0"]), @"error: block 2,0 is outside the grid of 2 x 2 blocks (0,0 to 1,1)");
    insta::assert_snapshot!(bad_use(&["check", "tiled", "--size", "32", "--at", "0,9"]), @"error: block 0,9 is outside the grid of 2 x 2 blocks (0,0 to 1,1)");
    insta::assert_snapshot!(bad_use(&["--at", "one"]), @"error: invalid value 'one' for '--at <X,Y>': give X, X,Y or X,Y,Z, for example 1,2");
    insta::assert_snapshot!(bad_use(&["--order", "fastest"]), @"error: invalid value 'fastest' for '--order <ORDER>': give round-robin, to-barrier, by-phase, random:SEED, ahead:WARP@INTERVAL, before:LINE, in-step:LINES, early-copies or script:PIECES");
    insta::assert_snapshot!(bad_use(&["frobnicate"]), @"error: there is no command, kernel or file `frobnicate`; `matviz --help` lists commands and kernels");
}

#[test]
fn a_tile_that_must_be_compiled_names_the_embedded_ones_when_there_is_no_compiler() {
    let error = |variable| {
        let output =
            matviz(&["--format", "text", "--tile", "7"]).env("MATVIZ_NVRTC", variable).output();
        let output = output.expect("the binary runs");
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    insta::assert_snapshot!(error("nonsense"), @"error: --tile 7 must be compiled (embedded: 4, 8, 16, 32): MATVIZ_NVRTC names nonsense, which cannot be loaded (dlopen failed); correct or unset it");
}

#[test]
fn without_a_terminal_there_is_no_screen_but_a_hint() {
    insta::assert_snapshot!(bad_use(&[]), @"error: stdout is not a terminal; use --format text for the run as text");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut command = matviz(&["--format", "text"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("piped"));
    reader.read_line(&mut line).expect("a line");
    assert!(line.starts_with("step 0: Block (32,32): 256 threads"), "{line}");
    drop(reader);
    let status = child.wait().expect("it ends");
    let mut said = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut said).expect("UTF-8");
    assert_eq!((status.code(), &*said), (Some(0), ""));
}

#[test]
fn the_plain_run_tells_the_whole_story_of_a_block() {
    let output = run(&["--format", "text", "--size", "32", "--tile", "16"]);
    assert!(output.status.success());
    insta::assert_snapshot!("plain", text(&output.stdout));
}

#[test]
fn the_json_of_a_simulation_holds_what_scripts_rely_on() {
    let outcome = json(&["check", "tiled", "--size", "100x36x257", "--tile", "8", "--json"]);
    for key in [
        "kernel",
        "ptx_sha256",
        "size",
        "grid",
        "block",
        "blocks_simulated",
        "ptx",
        "sass",
        "calls_left_out",
        "joins",
        "join_notes",
        "max_relative_error",
        "c_sha256",
        "seconds",
        "warp_instructions_per_second",
    ] {
        assert!(!outcome[key].is_null(), "{key} is missing");
    }
    assert_eq!(outcome["size"], serde_json::json!({ "m": 100, "n": 36, "k": 257 }));
    let keys = |name: &str| {
        let mut keys: Vec<_> = outcome[name].as_object().expect("an object").keys().collect();
        keys.sort();
        keys
    };
    let counted = keys("ptx");
    assert_eq!(counted, keys("sass"));
    assert!(outcome["sass"]["warp_instructions"].is_null(), "it cannot be predicted");
    let expected = "async_copies_uncertain async_copy_instructions async_copy_wavefronts \
                    async_copy_wavefronts_ideal barriers bulk_cluster_copies bulk_cluster_sectors \
                    bulk_load_copies bulk_load_sectors bulk_store_copies bulk_store_sectors \
                    cluster_atomic_requests cluster_atomic_sectors cluster_load_requests \
                    cluster_load_sectors cluster_reduction_requests cluster_reduction_sectors \
                    cluster_store_requests cluster_store_sectors global_atomic_requests global_atomic_sectors \
                    global_load_requests global_load_sectors global_store_requests global_store_sectors \
                    matrix_load_instructions matrix_store_instructions shared_atomic_instructions \
                    shared_atomic_wavefronts shared_atomic_wavefronts_ideal shared_atomics_at_least \
                    shared_bank_conflicts shared_load_instructions shared_store_instructions \
                    shared_wavefronts shared_wavefronts_ideal tensor_instructions tensor_multiply_adds \
                    thread_fma thread_half_fma warp_instructions wgmma_instructions wgmma_wavefronts";
    assert_eq!(counted, expected.split(' ').collect::<Vec<_>>());
}

#[test]
fn one_block_alone_can_be_simulated() {
    let outcome = json(&["check", "tiled", "--size", "512", "--at", "3,4", "--json"]);
    assert_eq!(outcome["blocks_simulated"], 1);
    assert_eq!(outcome["ptx"]["global_load_requests"], 524_288 / 1_024);
    assert!(outcome["c_sha256"].is_null(), "a part of C has no hash");
}

/// A run as text, with its exit code.
fn plain(args: &[&str]) -> (Option<i32>, String) {
    let output = matviz(&[&["--format", "text"], args].concat()).output().expect("the binary runs");
    (output.status.code(), text(&output.stdout))
}

#[test]
fn a_race_is_told_in_the_plain_run_and_once_more_at_its_end() {
    let order = ["--size", "64", "--order", "to-barrier"];
    let (code, told) = plain(&[&order[..], &["tiled_no_load_barrier"]].concat());
    let last = told.lines().last().unwrap_or_default();
    assert_eq!(code, Some(1));
    assert!(told.contains(": WRONG VALUE: w0 loads sB[2][0] = "), "{told}");
    assert!(last.starts_with("race: ") && last.contains("__syncthreads()"), "{last}");
    let (code, told) = plain(&[&order[..], &["tiled"]].concat());
    assert!(code == Some(0) && !told.to_lowercase().contains("race"), "{told}");
}

#[test]
fn a_plain_line_is_as_long_as_it_must_be() {
    let (_, told) = plain(&["half_tensor", "--size", "64"]);
    assert!(!told.contains("..."), "something is cut");
    assert!(told.contains("by mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"));
}

#[test]
fn a_broadcast_is_not_called_uncoalesced_and_columns_are() {
    let said = |kernel| {
        let output = matviz(&["check", kernel, "--size", "64"]).output().expect("the binary runs");
        text(&output.stdout)
    };
    assert!(!said("naive").contains("not coalesced"));
    assert!(said("naive_rows").contains("not coalesced"));
}

#[test]
fn a_run_that_was_not_checked_says_so() {
    let run = ["check", "tiled_no_load_barrier", "--size", "32"];
    let checked = |more: &[&str]| {
        let args = [&run[..], more].concat();
        let said = text(&matviz(&args).output().expect("the binary runs").stdout);
        (said.contains("Not checked for races"), said.contains("\nrace: "))
    };
    assert_eq!(checked(&["--only", "result"]), (true, false));
    assert_eq!(checked(&[]), (false, true));
    assert_eq!(json(&["check", "tiled", "--size", "32", "--json"])["checked"], true);
    assert_eq!(
        json(&["check", "tiled", "--size", "32", "--json", "--only", "result"])["checked"],
        false
    );
}

#[test]
fn what_cannot_be_is_refused() {
    insta::assert_snapshot!(bad_use(&["check", "tiled", "--size", "32", "--order", "ahead:9@1"]), @"error: --order ahead:9@1: there is no warp 9, a block has 8 (0 to 7)");
    insta::assert_snapshot!(bad_use(&["check", "tiled", "--size", "32", "--order", "script:20"]), @"error: --order script:20: there is no warp 20, a block has 8 (0 to 7)");
    insta::assert_snapshot!(bad_use(&["check", "tiled", "--size", "32", "--order", "before:9999"]), @"error: --order before:9999: line 9999 accesses no memory");
    insta::assert_snapshot!(bad_use(&["check", "x.ptx", "--launch", "<<<,,999999999>>>"]), @"error: invalid value '<<<,,999999999>>>' for '--launch <LAUNCH>': `999999999`: a block has at most 232448 bytes of shared memory");
    insta::assert_snapshot!(bad_use(&["check", "--launch", "<<<,16>>>", "/dev/zero"]), @"error: /dev/zero: it has more than 64 MiB, and is not read");
    insta::assert_snapshot!(bad_use(&["export", "frame", "-o", "no such folder/x.txt", "--size", "16"]), @"error: writing no such folder/x.txt: there is no folder no such folder: make it, or name another");
}

/// An option that would do nothing is an error.
#[test]
fn options_that_would_change_nothing_are_refused() {
    for (args, hint) in [
        ("check --prove tiled --order random:1", "--prove tries many orders itself"),
        ("check --against x.csv --tile 8", "which tile each kernel had; leave it out"),
        ("check --against x.csv --fill small", "depend on no values; leave it out"),
        ("--format text --set mouse=false", "--set is for the screen"),
        ("--format text --gpu 1", "cannot be used with"),
        ("export roofline --format csv --screen 80x24", "figures are not drawn"),
        ("bench --gpu all --format csv", "CSV is for one GPU"),
    ] {
        let said = bad_use(&args.split(' ').collect::<Vec<_>>());
        assert!(said.contains(hint), "{args}: {said}");
    }
}

#[test]
fn options_of_cuda_c_and_of_ones_own_kernel_are_refused_where_they_do_nothing() {
    let ptx = ["check", "kernels/ptx/naive.t8.ptx", "--launch", "<<<,8x8>>>", "--size", "16"];
    for option in [["-D", "TILE=8"], ["--arch", "compute_80"], ["--compiler", "nvrtc"]] {
        let said = bad_use(&[&ptx[..], &option].concat());
        assert!(said.contains("is for CUDA C"), "{option:?}: {said}");
    }
    insta::assert_snapshot!(bad_use(&["bench", "kernels/naive.cu", "--size", "64,128"]), @"error: --size 64,128: give one size, N or MxNxK");
}
