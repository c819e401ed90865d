//! The GPU from end to end, with the real binary and its real worker: on a GPU if there is one,
//! otherwise with the stand-in for the driver, which computes on the CPU.

use crate::compiled::{INSIDE, SIZES, compiled, simulated, variants};
use crate::need::not_tested;
use crate::stderr::say;
use matviz::gpu::client::{BackgroundClient, Client, Launcher, PATIENCE};
use matviz::kernel::{self, KERNELS, Kernel, Problem, Tile, sha256};
use matviz::matrix::{self, Operand, Precision, SEED, Size};
use matviz::timing::GpuError;
use matviz::timing::pack::Pack;
use matviz::timing::protocol::{Phase, Request, Response};
use matviz::timing::{Measure, SamplingPlan, Subject};
use std::borrow::Cow;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

const MATVIZ: &str = env!("CARGO_BIN_EXE_matviz");
const STAND_IN: &str = "MATVIZ_STAND_IN";

/// `1` selects the stand-in instead of the driver if there is no GPU.
fn stand_in_if_needed() -> Option<&'static str> {
    static HAS_GPU: OnceLock<bool> = OnceLock::new();
    let has_gpu = *HAS_GPU.get_or_init(|| {
        let has_gpu = Client::new(launcher(None), PATIENCE).probe().is_ok();
        if has_gpu {
            say("measured on the GPU");
        } else {
            not_tested("gpu", "measuring on a GPU: a stand-in computes on the CPU");
        }
        has_gpu
    });
    (!has_gpu).then_some("1")
}

fn launcher(mood: Option<&str>) -> Launcher {
    let variables = mood.map(|mood| (STAND_IN.to_owned(), mood.to_owned())).into_iter().collect();
    Launcher { program: Some(PathBuf::from(MATVIZ)), variables }
}

fn bench(mood: Option<&str>, args: &[&str]) -> Output {
    let mut command = Command::new(MATVIZ);
    command.arg("bench").args(args).env_remove(STAND_IN);
    command.envs(mood.map(|mood| (STAND_IN, mood))).output().expect("the binary runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// One row of `kernel`, measured as briefly as possible.
fn measure(kernel: &str, tile: impl Into<Tile>, size: Size) -> Measure {
    let kernel = kernel::find(kernel).expect("a kernel of the catalogue");
    let variant = kernel.variant(tile).expect("it has this tile");
    let ptx = variant.ptx.expect("embedded");
    let subject = Subject::of(&Problem::of(kernel, variant, size, Cow::Borrowed(ptx)));
    let effort =
        SamplingPlan { warm_up_ms: 0.0, budget_ms: 0.0, beside_ms: 0.0, ..SamplingPlan::default() };
    Measure { subject, size, seed: SEED, device: 0, effort }
}

fn small() -> Request {
    Request::Measure(measure("tiled", 4, Size::square(8)))
}

/// SHA-256 of the C of a chain of fused multiply-adds in the order of k.
fn expected_hash(size: Size) -> String {
    let [a, b] = [Operand::A, Operand::B].map(|operand| matrix::fill(SEED, operand, size));
    let (n, k) = (size.n as usize, size.k as usize);
    let element = |index: usize| {
        let (row, col) = (index / n, index % n);
        (0..k).fold(0.0_f32, |sum, i| a[row * k + i].mul_add(b[i * n + col], sum))
    };
    let c = (0..size.m as usize * n).flat_map(|index| element(index).to_le_bytes());
    sha256(&c.collect::<Vec<u8>>())
}

#[test]
fn every_kernel_gives_the_c_of_its_own_order_of_adding_bit_for_bit() {
    let mut client = Client::new(launcher(stand_in_if_needed()), PATIENCE);
    for size in ["64", "130", "100x36x257"] {
        let size = size.parse().expect("a size");
        let expected = expected_hash(size);
        let variants = |kernel: &'static Kernel| kernel.variants.iter().map(move |v| (kernel, v));
        for (kernel, variant) in KERNELS.iter().flat_map(variants) {
            let tile = variant.tile;
            let row = client.measure(measure(kernel.name, tile, size), |_| ()).expect("measured");
            assert!(row.is_right(), "{row:?}");
            // In these, four groups of warps share the steps of k and add their sums at the end.
            let apart = variant.tensor > 0 || variant.macros.contains(&"SLICES=4");
            let chained = !apart && kernel.precision == Precision::Single;
            assert!(!chained || row.c_sha256 == expected, "{} t{tile} at {size}", kernel.name);
            assert_eq!(row.ptx_sha256, variant.ptx.map(|ptx| sha256(ptx.as_bytes())));
        }
    }
}

#[test]
fn what_matviz_compiles_gives_the_gpu_and_the_simulator_the_same_c_bit_for_bit() {
    if stand_in_if_needed().is_some() {
        return;
    }
    let mut client = Client::new(launcher(None), PATIENCE);
    for kernel in INSIDE.map(|name| kernel::find(name).expect("in the catalogue")) {
        for variant in variants(kernel) {
            let ptx = compiled(kernel.source, &kernel.file(), &variant.defines());
            for size in SIZES {
                let size = size.parse().expect("a size");
                let problem = Problem::of(kernel, *variant, size, ptx.clone().into());
                let subject = Subject::of(&problem);
                let request = Measure { subject, ..measure(kernel.name, variant.tile, size) };
                let row = client.measure(request, |_| ()).expect("measured");
                let memory = simulated(&problem).memory.expect("C is computed");
                let c = memory.named(Operand::C.name()).expect("it has C");
                let own = kernel::sha256_of(c.floats());
                assert_eq!(row.c_sha256, own, "{} {} at {size}", kernel.name, variant.tile);
            }
        }
    }
}

/// Tensor cores add in an order of their own, which the simulator knows; and where rows are padded, as
/// the copy engine needs it, C has gaps.
#[test]
fn what_the_copy_engine_brings_gives_the_gpu_and_the_simulator_the_same_c_bit_for_bit() {
    if stand_in_if_needed().is_some() {
        return;
    }
    let mut client = Client::new(launcher(None), PATIENCE);
    let kernel = kernel::find("half_tma").expect("in the catalogue");
    for variant in kernel.variants {
        let ptx = variant.ptx.expect("embedded");
        for size in ["64", "130", "100x36x257", "300x520x136", "1x1x1", "257x513x64"] {
            let size = size.parse().expect("a size");
            let problem = Problem::of(kernel, *variant, size, Cow::Borrowed(ptx));
            let row = client.measure(measure(kernel.name, variant.tile, size), |_| ());
            let memory = simulated(&problem).memory.expect("C is computed");
            let c = memory.named(Operand::C.name()).expect("it has C");
            let own = kernel::sha256_of(problem.words_of_c(c));
            assert_eq!(row.expect("measured").c_sha256, own, "{} at {size}", variant.tile);
        }
    }
}

#[test]
fn the_json_is_a_pack_with_a_row_for_each_kernel_tile_and_size() {
    let args = ["--size", "32,33x17x45", "--tile", "4,16", "--json"];
    let output = bench(stand_in_if_needed(), &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let pack: Pack = serde_json::from_slice(&output.stdout).expect("a pack");
    let rows: Vec<_> = pack.rows.iter().map(|row| (row.size, row.tile, &*row.kernel)).collect();
    let mut expected = Vec::new();
    for size in [Size::square(32), Size { m: 33, n: 17, k: 45 }] {
        for tile in [4, 16] {
            expected
                .extend(["naive", "tiled"].map(|kernel| (size, Some(Tile::square(tile)), kernel)));
        }
    }
    assert_eq!(rows, expected);
    assert!(pack.rows.iter().all(|row| row.device == pack.device && row.ms.median > 0.0));
}

#[test]
fn what_is_recorded_reads_back_and_names_its_device() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pack.json");
    let args = ["--size", "64", "--record", file.to_str().expect("UTF-8")];
    let output = bench(Some("1"), &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = std::fs::read(&file).expect("written");
    let pack: Pack = serde_json::from_slice(&text).expect("a pack");
    assert_eq!(pack.rows.len(), 2);
    assert_eq!(pack.device, "stand-in (no GPU)", "its times can never pass for a GPU's");
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(table.starts_with("stand-in (no GPU), "), "{table}");
}

#[test]
fn a_second_run_of_the_day_adds_its_rows_to_the_pack() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pack.json");
    let run = |kernels: [&str; 2]| {
        let file = file.to_str().expect("UTF-8");
        let args = [kernels[0], kernels[1], "--size", "32", "--record", file];
        let output = bench(Some("1"), &args);
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    run(["tiled", "sgemm"]);
    let told = run(["naive", "tiled"]);
    assert!(told.contains("rows: 1 new, 1 updated, 1 kept\n"), "{told}");
    let pack = Pack::read(&std::fs::read_to_string(&file).expect("written")).expect("a pack");
    let kernels: Vec<_> = pack.rows.iter().map(|row| &*row.kernel).collect();
    assert_eq!(kernels, ["naive", "tiled", "sgemm"]);
    std::fs::write(&file, "{\"mine\": true}").expect("written");
    let output = bench(Some("1"), &["--size", "32", "--record", file.to_str().expect("UTF-8")]);
    assert!(!output.status.success() && stderr(&output).contains("this is not a timing pack"));
    assert!(output.stdout.is_empty(), "it is said before anything is measured");
    assert_eq!(std::fs::read_to_string(&file).expect("kept"), "{\"mine\": true}");
}

#[test]
fn a_ladder_on_an_older_gpu_passes_over_what_that_cannot_run_by_name() {
    let output = bench(Some("turing"), &["ladder", "--size", "16", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let pack: Pack = serde_json::from_slice(&output.stdout).expect("a pack");
    let skipped: Vec<_> = pack.skipped.iter().map(|row| &*row.kernel).collect();
    let too_new = ["double_buffered", "half_tensor", "half_wgmma", "half_tma"];
    assert_eq!(skipped, [&too_new[..], &["cublas", "cublas half"]].concat());
    assert_eq!(pack.rows.len() + pack.skipped.len(), KERNELS.len() + 2);
    let why = |kernel: &str| {
        let row = pack.skipped.iter().find(|row| row.kernel == kernel).expect("passed over");
        row.reason.clone()
    };
    insta::assert_snapshot!(why("half_tensor"), @"this kernel was compiled for sm_80, and this GPU has compute capability 7.5; compile it for an architecture that the GPU has (--arch)");
    insta::assert_snapshot!(why("half_wgmma"), @"this kernel was compiled for sm_90a, and this GPU has compute capability 7.5; code for an architecture whose name ends in `a` runs on that one alone");
}

#[test]
fn a_ladder_is_csv_with_every_rung_and_the_cpu_at_every_size_of_the_range() {
    let output = bench(Some("1"), &["ladder", "cpu", "--size", "16..32", "--format", "csv"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut lines = csv::Reader::from_reader(&*output.stdout);
    let columns = lines.headers().expect("a header").clone();
    let place = |name: &str| columns.iter().position(|column| column == name).expect("a column");
    let rows: Vec<_> = lines.records().map(|line| line.expect("a row")).collect();
    let found: Vec<_> = rows.iter().map(|row| (&row[place("n")], &row[place("kernel")])).collect();
    let cpu = ["cpu plain", "cpu blocked", "cpu gemm"];
    let rungs: Vec<_> = cpu.into_iter().chain(KERNELS.iter().map(|kernel| kernel.name)).collect();
    let of = |side: &'static str| rungs.iter().map(move |name| (side, *name));
    assert_eq!(found, of("16").chain(of("32")).collect::<Vec<_>>());
    for row in &rows {
        assert_eq!(&row[place("right")], "true", "{row:?}");
        let on_cpu = row[place("kernel")].starts_with("cpu ");
        assert_eq!(row[place("cores")].is_empty(), !on_cpu, "{row:?}");
        // The stand-in makes up what only a GPU has, and a CPU does not have it.
        for column in ["cold_ms", "to_gpu_ms", "registers", "sm_mhz_after"] {
            assert_eq!(row[place(column)].is_empty(), on_cpu, "{column}: {row:?}");
        }
    }
    assert!(stderr(&output).contains("cublas at 32: cuBLAS is not found"), "{}", stderr(&output));
}

#[test]
fn a_run_is_shown_beside_a_recorded_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pack.json");
    let name = file.to_str().expect("UTF-8");
    assert!(bench(Some("1"), &["--size", "16", "--record", name]).status.success());
    let output = bench(Some("1"), &["--size", "16,17", "--json", "--against", name]);
    assert!(output.status.success(), "{}", stderr(&output));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = value["compared"]["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 2, "what is not recorded has nothing beside it: {value}");
    for row in rows {
        let of = |name: &str| row[name].as_f64().expect("a number");
        assert!((of("ratio") - of("recorded_ms") / of("now_ms")).abs() < 1e-9);
        assert_eq!(row["same_ptx"], true);
    }
    std::fs::write(&file, r#"{"format":99}"#).expect("written");
    let output = bench(Some("1"), &["--size", "16", "--against", name]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is of format 99"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn counters_that_are_refused_cost_one_line_and_no_row_and_the_simulated_ones_are_shown() {
    let args = ["--size", "16,32", "--tile", "8", "--counters"];
    let output = bench(Some("1"), &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let told = stderr(&output);
    assert_eq!(told.matches("ERR_NVGPUCTRPERM").count(), 1, "{told}");
    assert!(told.contains("NVreg_RestrictProfilingToAdminUsers=0"), "{told}");
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(table.matches("stand-in").count(), 1, "{table}");
    assert_eq!(table.matches(", simulated\n").count(), 4, "naive and tiled at two sizes: {table}");
    let requests =
        "              256             256  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
    assert!(table.contains(requests), "{table}");
    let json = bench(Some("1"), &[&args[..], &["--json"]].concat());
    let pack = Pack::read(&String::from_utf8_lossy(&json.stdout)).expect("a pack");
    assert!(pack.rows.iter().all(|row| row.beside.counters.is_none()), "nothing is made up");
}

#[test]
fn ctrl_c_keeps_what_is_done() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pack.json");
    let mut command = Command::new(MATVIZ);
    command.args(["bench", "ladder", "--size", "16,2048", "--record"]).arg(&file);
    command.env(STAND_IN, "1").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn().expect("the binary runs");
    let mut lines = BufReader::new(program.stderr.take().expect("piped")).lines();
    // cuBLAS, which the stand-in does not have, ends the rows of the first size.
    assert!(lines.any(|line| line.expect("UTF-8").starts_with("cublas at 16")));
    let pid = Pid::from_raw(program.id() as i32).expect("a process");
    kill_process(pid, Signal::INT).expect("it still runs");
    assert!(lines.any(|line| line.expect("UTF-8").starts_with("interrupted; ")));
    let output = program.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stdout).contains("tiled"), "{output:?}");
    let pack = Pack::read(&std::fs::read_to_string(&file).expect("written")).expect("a pack");
    let kernels: Vec<_> = pack.rows.iter().map(|row| &*row.kernel).collect();
    assert_eq!(kernels, KERNELS.iter().map(|kernel| kernel.name).collect::<Vec<_>>());
    assert!(pack.ceilings.is_some() && pack.rows.iter().all(|row| row.size == Size::square(16)));
}

#[test]
fn a_wrong_c_is_found_reported_and_not_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pack.json");
    for mood in ["wrong", "unwritten"] {
        let args = ["--size", "64", "--record", file.to_str().expect("UTF-8")];
        let output = bench(Some(mood), &args);
        assert_eq!(output.status.code(), Some(1), "{mood}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("WRONG"), "{mood}");
        assert!(stderr(&output).contains("tiled at 64: C is wrong"), "{mood}");
        assert!(!file.exists(), "{mood}");
    }
}

#[test]
fn each_failure_is_one_clear_line_and_exit_code_2() {
    for (mood, line) in [
        ("crash", "error: the measuring process died (signal: 6 (SIGABRT)"),
        ("fault", "error: running the kernel failed: CUDA_ERROR_ILLEGAL_ADDRESS"),
        ("hang", "error: the GPU gave no answer for 1 s"),
        ("oom", "error: this size needs 49 kB of the device's memory, of whose "),
        (
            "shared",
            "error: each block needs 233472 bytes of shared memory (1024 declared, 232448 added by the launch), and a block of this GPU can have 232448; use smaller tiles",
        ),
        ("old-driver", "error: the driver (CUDA 11.4) is too old for PTX 8.8"),
    ] {
        let output = bench(Some(mood), &["--size", "64", "--limit", "seconds=1"]);
        assert_eq!(output.status.code(), Some(2), "{mood}");
        let said = stderr(&output);
        let errors: Vec<_> = said.lines().filter(|text| text.starts_with("error: ")).collect();
        assert!(errors.len() == 1 && errors[0].starts_with(line), "{mood}: {said}");
    }
}

#[test]
fn json_says_what_went_wrong_as_well() {
    let output = bench(Some("oom"), &["--size", "64", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(value["error"].as_str().is_some_and(|error| error.contains("49 kB")), "{value}");
}

#[test]
fn bad_use_has_exit_code_2() {
    for args in [["--tile", "33"], ["--tile", "0"], ["--size", "0"], ["fast", "-q"]] {
        let output = bench(Some("1"), &args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_gpu_that_is_not_there_is_named() {
    let output = bench(stand_in_if_needed(), &["--size", "64", "--gpu", "99"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("there is no GPU 99"), "{}", stderr(&output));
}

#[test]
fn several_gpus_make_one_right_c_and_scaling_is_told_for_both_kinds() {
    for kernel in ["tiled", "half_tensor"] {
        let args = [kernel, "--gpu", "all", "--size", "50x41x31", "--json"];
        let told = scaling(&args);
        let row = |scaling: &str, gpus, rows| (scaling.to_owned(), gpus, rows);
        assert_eq!(
            told,
            [
                row("strong", 1, 50),
                row("strong", 2, 50),
                row("strong", 4, 50),
                row("weak", 2, 100),
                row("weak", 4, 200)
            ],
            "{kernel}"
        );
    }
}

/// The results of four GPUs, with all of C checked: the kind of scaling, the number of GPUs, the
/// rows of C.
fn scaling(args: &[&str]) -> Vec<(String, usize, u64)> {
    let output = bench(Some("four"), args);
    assert!(output.status.success(), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    json["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            let parts = row["parts"].as_array().expect("parts");
            let rows: u64 = parts.iter().map(|part| part["rows"].as_u64().expect("rows")).sum();
            assert_eq!(row["size"]["m"], rows, "all rows are somebody's");
            assert!(parts.iter().all(|part| part["relative_error"].as_f64() < Some(1e-6)));
            (row["scaling"].as_str().expect("a word").to_owned(), parts.len(), rows)
        })
        .collect()
}

#[test]
fn one_gpu_alone_says_that_it_has_nothing_to_scale_with() {
    let output = bench(Some("1"), &["--gpu", "all", "--size", "16"]);
    assert!(output.status.success());
    assert!(stderr(&output).contains("nothing to scale with"), "{}", stderr(&output));
}

#[test]
fn a_worker_that_died_is_replaced_by_the_next_request() {
    let mut client = Client::new(launcher(Some("crash")), PATIENCE);
    for _ in 0..2 {
        let error = client.ask(&small(), |_| ()).expect_err("it crashes");
        assert!(matches!(error, GpuError::Died { .. }), "{error}");
    }
    assert!(client.probe().is_ok());
}

#[test]
fn a_session_streams_the_phases_in_order_and_then_the_measurement() {
    let (sender, answers) = mpsc::channel();
    let client = Client::new(launcher(stand_in_if_needed()), PATIENCE);
    let session = BackgroundClient::start(client, move |request, answer| {
        let _ = sender.send((request.clone(), answer));
    });
    session.ask(small());
    let mut phases = Vec::new();
    let measured = loop {
        match answers.recv_timeout(PATIENCE).expect("an answer") {
            (_, Response::Progress(phase)) => phases.push(phase),
            (request, Response::Measured(row)) => break (request, row),
            (_, other) => panic!("{other:?}"),
        }
    };
    assert_eq!(measured.0, small());
    assert!(measured.1.is_right(), "{:?}", measured.1);
    assert_eq!(phases[..3], [Phase::Loading, Phase::Filling, Phase::Warming]);
    assert!(matches!(phases[3], Phase::Timing { .. }), "{phases:?}");
    assert_eq!(phases[phases.len() - 2], Phase::Beside);
    assert_eq!(phases.last(), Some(&Phase::Checking));
}

#[test]
fn dropping_a_session_ends_a_launch_that_hangs() {
    let (sender, answers) = mpsc::channel();
    let client = Client::new(launcher(Some("hang")), Duration::from_secs(3600));
    let session = BackgroundClient::start(client, move |_, answer| {
        let _ = sender.send(answer);
    });
    session.ask(small());
    let warming = Response::Progress(Phase::Warming);
    assert!(answers.iter().any(|answer| answer == warming), "it ended before its first launch");
    drop(session);
    // The thread drops its callback, and with it the sender, as soon as the worker has ended.
    assert_eq!(answers.recv_timeout(PATIENCE), Err(mpsc::RecvTimeoutError::Disconnected));
}

fn worker(mood: &str) -> Child {
    let mut command = Command::new(MATVIZ);
    command.arg("worker").env(STAND_IN, mood).stdin(Stdio::piped()).stdout(Stdio::piped());
    command.spawn().expect("the worker starts")
}

#[test]
fn a_hanging_worker_ends_when_its_program_is_gone() {
    let mut worker = worker("hang");
    let mut requests = worker.stdin.take().expect("piped");
    let mut answers = BufReader::new(worker.stdout.take().expect("piped")).lines();
    let request = serde_json::to_string(&small()).expect("JSON");
    writeln!(requests, "{request}").expect("it listens");
    assert!(answers.any(|line| line.expect("UTF-8").contains("warming")));
    drop(requests);
    assert!(worker.wait().expect("it ends").success());
}

#[test]
fn a_worker_answers_nonsense_with_an_error_and_goes_on() {
    let mut worker = worker("1");
    let mut requests = worker.stdin.take().expect("piped");
    let mut answers = BufReader::new(worker.stdout.take().expect("piped")).lines();
    let mut ask = |line: &str| -> Response {
        writeln!(requests, "{line}").expect("it listens");
        let answer = answers.next().expect("an answer").expect("UTF-8");
        serde_json::from_str(&answer).expect("an answer")
    };
    assert!(matches!(ask("nonsense"), Response::Failed(GpuError::Protocol { .. })));
    assert!(matches!(ask(r#"{"request":"probe"}"#), Response::Gpus(_)));
    drop(requests);
    assert!(worker.wait().expect("it ends").success());
}

#[test]
fn the_doctor_names_what_is_missing_and_is_never_sick_itself() {
    let doctor = |arg: &[&str]| {
        let mut command = Command::new(MATVIZ);
        let output = command.arg("doctor").args(arg).output().expect("the binary runs");
        assert!(output.status.success());
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let text = doctor(&[]);
    for name in ["GPU", "NVRTC", "cuBLAS", "terminal", "colours", "UTF-8"] {
        assert!(text.lines().any(|line| line.split_whitespace().nth(1) == Some(name)), "{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&doctor(&["--json"])).expect("JSON");
    let items = json["items"].as_array().expect("a list");
    assert_eq!(items.iter().filter(|item| item["name"] == "terminal").count(), 1);
    assert!(items.iter().all(|item| item["state"] == "ok" || item["advice"].is_string()));
}

#[test]
fn the_committed_ptx_is_what_the_pinned_compiler_makes_of_the_sources() {
    let mut command = Command::new(MATVIZ);
    let output = command.args(["generate", "ptx", "--check"]).output().expect("the binary runs");
    let said = stderr(&output);
    if said.contains("NVRTC is not found") || said.contains("installs the pinned one") {
        not_tested("nvrtc", &format!("what the sources of the catalogue give: {}", said.trim()));
    } else {
        assert!(output.status.success(), "{}{said}", String::from_utf8_lossy(&output.stdout));
    }
}
