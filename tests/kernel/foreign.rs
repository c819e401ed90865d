//! Kernels from many sources, run as a user runs them; the comments at the head of each give its
//! launches and the expected C.
//!
//! ```text
//! // One sentence: what this is a kernel of.
//! // compile: compute_80                       how NVRTC makes its PTX (others say how it was made)
//! // launch: <<<,16x16>>> --size 100x70x33 arguments of `matviz check`, one line for each launch
//! // result: chain                             how C's elements are summed, or how near C must be
//! // race: line 33 overtakes line 36           why C is a matter of luck on a GPU
//! ```
//!
//! `MATVIZ_WRITE=1 cargo test --test kernel foreign` regenerates the PTX of the CUDA sources, if the
//! pinned NVRTC is found.

#![expect(clippy::panic, reason = "a kernel whose comments say nothing fails the test")]

use crate::binary::matviz;
use crate::kernel::{self, Kernel};
use crate::need::not_tested;
use crate::pinned;
use crate::stderr::say;
use matviz::gpu::client::{Client, Launcher, PATIENCE};
use matviz::kernel::{LaunchSpec, sha256};
use matviz::matrix::{Operand, SEED, Size, fill};
use matviz::own::launch::StatedLaunch;
use matviz::timing::protocol::Compile;
use matviz::timing::{Measure, SamplingPlan, Subject};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const FOLDER: &str = "tests/data/kernel/foreign";

/// How an element of C is summed; all but the last are exact to the bit.
enum Sum {
    /// Fused multiply-adds in the order of k.
    Chain,
    /// A chain, times alpha, plus beta times the previous value.
    Scaled(f32, f32),
    /// In double precision, rounded once.
    Double,
    /// Products in single precision, their sum in double.
    Numba,
    /// This number of partial sums in turn, added up in order.
    RoundRobin(usize),
    /// A partial sum for each lane, the upper half folded onto the lower, five times.
    Lanes,
    /// In any order: within this distance of float64.
    Near(f64),
}

#[test]
fn every_kernel_gives_the_c_that_its_comments_say() {
    let mut failures = Vec::new();
    let kernels = kernels();
    assert!(kernels.len() > 35, "only {} kernels were found", kernels.len());
    for kernel in &kernels {
        for launch in &kernel.launches() {
            failures.extend(kernel.problem(launch));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_c_that_is_not_the_product_is_wrong_and_no_success() {
    let kernel = named("sgemm_naive");
    let launch = "--launch <<<4x3,32x32>>>(M,N,K,1.5f,A,B,0.0f,C) --size 100x70x33";
    let output = kernel.sim(launch);
    assert_eq!(output.status.code(), Some(1));
    let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let error = outcome["relative_error"].as_f64().expect("an error");
    assert!((error - 0.5).abs() < 1e-3, "{error}");
}

/// They have every sort of instruction: shuffles, atomic operations, asynchronous copies, matrices.
#[test]
fn every_kernel_is_counted_by_classes_as_by_every_block() {
    let (mut alone, mut by_classes) = (Vec::new(), 0);
    for kernel in kernels() {
        let launch = &kernel.launches()[0];
        let counted = |how: &str| -> Value {
            let output = kernel.sim(&format!("{launch} {how}"));
            serde_json::from_slice(&output.stdout).expect("JSON")
        };
        let (every, one_of_each) = (counted("--only result"), counted("--only counts"));
        for name in ["ptx", "sass"] {
            assert_eq!(every[name], one_of_each[name], "{} {name}", kernel.name());
        }
        if one_of_each["no_classes"].is_null() {
            by_classes += 1;
        } else {
            alone.push(kernel.name());
        }
    }
    // Constants are data, calls are not followed, and a queue distributes its work in any order.
    assert_eq!(alone, ["constant", "noinline", "queue"]);
    assert!(by_classes > 30, "{by_classes}");
}

/// A plain number only goes to the kernel; a named one defines the expected C.
#[test]
fn alpha_and_beta_are_judged_where_they_are_named() {
    let kernel = named("sgemm_naive");
    let run = |args: &str| {
        let launch = format!("--launch <<<1x1,32x32>>>({args}) --size 32");
        let outcome: Value = serde_json::from_slice(&kernel.sim(&launch).stdout).expect("JSON");
        let right = outcome["relative_error"].as_f64() < outcome["tolerance"].as_f64();
        (right, outcome["findings"].clone(), outcome["expected"].clone())
    };
    let (right, findings, expected) = run("M,N,K,alpha=2.0f,A,B,beta=0.5f,C");
    assert!(right && findings == serde_json::json!([]), "{findings}");
    assert_eq!(expected, "2 x A x B + 0.5 x C");
    let (right, findings, expected) = run("M,N,K,2.0f,A,B,0.5f,C");
    assert!(!right && findings[0]["kind"] == "memory", "C is not filled for a plain 0.5f");
    assert_eq!(expected, "A x B");
    // The names are checked: here the kernel gets other factors than the names say.
    assert!(!run("M,N,K,beta=2.0f,A,B,alpha=0.5f,C").0);
}

/// The GPU gives the same bits as the simulator, except for sums whose order a GPU is free to
/// choose.
#[test]
fn every_kernel_gives_the_same_c_on_the_gpu() {
    let launcher = Launcher { program: Some(matviz()), ..Launcher::default() };
    let mut gpu = Client::new(launcher, PATIENCE);
    if let Err(error) = gpu.probe() {
        return not_tested("gpu", &format!("the kernels on a GPU: {error}"));
    }
    let mut failures = Vec::new();
    let chance = |kernel: &&Kernel| {
        let race = kernel.lines("race").next();
        if let Some(race) = race {
            say(&format!("not compared: {}: {race}", kernel.name()));
        }
        race.is_none()
    };
    for kernel in kernels().iter().filter(chance) {
        for launch in &kernel.launches() {
            let right = match gpu.measure(kernel.measure(launch), |_| ()) {
                Ok(row) => match kernel.sum(launch) {
                    Sum::Near(most) => row.relative_error.is_some_and(|error| error <= most),
                    sum => row.c_sha256 == hash(&sum, size(launch)),
                },
                Err(error) => {
                    failures.push(format!("{} {launch}: {error}", kernel.name()));
                    continue;
                }
            };
            if !right {
                failures.push(format!("{} {launch}: C is another on the GPU", kernel.name()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn run(args: &[&str]) -> Output {
    Command::new(matviz()).args(args).output().expect("the binary runs")
}

fn bad_use(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

#[test]
fn what_is_assumed_of_a_launch_is_said() {
    let ptx = "tests/data/kernel/foreign/sgemm_naive.ptx";
    let args =
        ["check", ptx, "--launch", "sgemm_naive", "--launch", "<<<,16x16>>>", "--size", "32"];
    let output = run(&args);
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    let head: Vec<_> = text.lines().take(2).collect();
    let launch = "grid 2 x 2, arguments M,N,K,1.0f,A,B,0.0f,C";
    assert_eq!(head, ["sgemm_naive, size 32: 4 of 4 blocks of 16 x 16 threads", launch]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("assuming <<<2x2,>>>: a thread for each element of C"), "{said}");
    assert!(said.contains("assuming (M,N,K,1.0f,A,B,0.0f,C): by the names"), "{said}");
}

#[test]
fn a_launch_that_cannot_be_is_bad_use_and_says_why() {
    let on = |rest: &[&str]| {
        let ptx = ["check", "tests/data/kernel/foreign/nvcc_transposed.ptx", "--size", "16"];
        bad_use(&[&ptx, rest].concat())
    };
    let block = ["--launch", "<<<,16x16>>>"];
    assert!(on(&["--launch", "transposed<0>"]).contains("the block is missing"));
    assert!(on(&block).contains("name a kernel: there are `transposed<0>`, `transposed<1>`"));
    assert!(on(&[&block[..], &["--launch", "nothing"]].concat()).contains("no kernel `nothing`"));
    let entry = "_Z10transposedILi0EEvPKfS1_Pfiii<<<,16x16>>>";
    let args = |args| on(&["--launch", &format!("{entry}({args})")]);
    assert!(args("A,B,C,M,N").contains("5 values and the kernel takes 6: 3 x .u64, 3 x .u32"));
    assert!(args("A,B,C,M,N,1.0f").contains("parameter 6 (`_Z10transposedILi0EEvPKfS1_Pfiii"));
    assert!(args("A,B,C,M,N,X").contains("`X` is not an argument"));
    assert!(on(&["--launch", "<<<,1024x2>>>"]).contains("a block has 1 to 1024 threads"));
    let bounded = ["check", "tests/data/kernel/foreign/sgemm_2d.ptx", "--size", "16", "--launch"];
    let error = bad_use(&[&bounded[..], &["<<<,65>>>"]].concat());
    assert!(error.contains("the block has 65 threads, and the kernel was compiled for at most 64"));
    assert!(
        bad_use(&["check", "tiled", "--launch", "<<<,16x16>>>"]).contains("--at chooses the block")
    );
    assert!(
        bad_use(&["bench", "--launch", "<<<1x1,>>>"])
            .contains("--launch is for a kernel of your own")
    );
}

/// By matviz itself or, in the worker, by NVRTC: errors have their file and line, and macros are
/// defined.
#[test]
fn a_cuda_source_is_compiled_and_run() {
    compiled_and_run("matviz", "broken.cu:3:10: `SIDE` is not declared");
    compiled_and_run("nvrtc", "broken.cu(3): error: identifier \"SIDE\" is undefined");
}

fn compiled_and_run(compiler: &str, told: &str) {
    let source = |name: &str| format!("{FOLDER}/{name}.cu");
    let (tiles, broken) = (source("dynamic_shared"), tempfile::tempdir().expect("a folder"));
    let args =
        ["--launch", "<<<,8x8>>>", "--size", "20,30,17", "--launch", "<<<,,512>>>", "--json"];
    let output = run(&[&["check", &tiles, "--compiler", compiler][..], &args].concat());
    if String::from_utf8_lossy(&output.stderr).contains("NVRTC is not found") {
        return not_tested("nvrtc", "CUDA C: NVRTC is not found");
    }
    let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(outcome["kernel"], "dynamic_shared");
    let file = broken.path().join("broken.cu");
    fs::write(&file, "__global__ void k(float* C)\n{\n    *C = SIDE;\n}\n").expect("written");
    let file = file.to_str().expect("UTF-8");
    let by = ["check", file, "--compiler", compiler, "--launch", "<<<,1>>>"];
    let output = run(&by);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains(told), "{error}");
    let args =
        [&by[..], &["-D", "SIDE=4", "--launch", "<<<1,>>>", "--launch", "(C)", "--launch", "C ="]];
    let args = args.concat();
    assert_eq!(run(&args).status.code(), Some(1), "it runs, and C is not the product");
}

/// This keeps the PTX of the tests in line with the sources next to it.
#[test]
fn the_ptx_of_the_cuda_sources_is_what_the_pinned_compiler_makes() {
    let kernels = kernels().into_iter();
    let sources = kernels.filter(|kernel| kernel.path.extension() == Some("cu".as_ref()));
    pinned::check(sources.filter_map(|kernel| {
        let flags = kernel.lines("compile").next().expect("how it is compiled");
        let mut words = flags.split_whitespace().map(str::to_owned);
        let wanted = Compile {
            file: format!("{}.cu", kernel.name()),
            text: kernel.text.clone(),
            arch: words.next().expect("an architecture"),
            defines: words.map(|word| word.trim_start_matches("-D").to_owned()).collect(),
            folders: vec![PathBuf::from(FOLDER)],
            ..Compile::default()
        };
        flags.starts_with("compute_").then(|| (wanted, kernel.path.with_extension("ptx")))
    }));
}

impl Kernel {
    fn sim(&self, launch: &str) -> Output {
        let mut sim = Command::new(matviz());
        sim.args(["check", "--json"])
            .arg(self.path.with_extension("ptx"))
            .args(launch.split_whitespace());
        sim.output().expect("the binary runs")
    }

    /// A launch for the GPU, timed as briefly as possible.
    fn measure(&self, launch: &str) -> Measure {
        let (size, ptx) =
            (size(launch), fs::read_to_string(self.path.with_extension("ptx")).expect("committed"));
        let stated = StatedLaunch::read(option(launch, "--launch").expect("a launch"));
        let stated = stated.expect("it can be read");
        // The arguments that `check` infers: it sees the source next to the PTX.
        let stated = StatedLaunch { args: Some(self.args(launch)), ..stated };
        let block = stated.block.expect("a block");
        let wanted: LaunchSpec = stated.spec(block);
        let module = ptx::parse(&ptx).expect("it is supported");
        let problem = wanted.problem(&module, ptx, size).expect("it can be launched");
        let subject = Subject::of(&problem);
        let effort = SamplingPlan { warm_up_ms: 0.0, budget_ms: 0.0, ..SamplingPlan::default() };
        Measure { subject, size, seed: SEED, device: 0, effort }
    }

    /// The arguments of a launch, given or inferred.
    fn args(&self, launch: &str) -> String {
        let output = self.sim(launch);
        let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        outcome["args"].as_str().expect("arguments").to_owned()
    }

    /// The difference of a launch from its expectation.
    fn problem(&self, launch: &str) -> Option<String> {
        let output = self.sim(launch);
        let said = |what: &str| Some(format!("{} {launch}: {what}", self.name()));
        let Ok(outcome) = serde_json::from_slice::<Value>(&output.stdout) else {
            return said(&String::from_utf8_lossy(&output.stderr));
        };
        let found = outcome["findings"].as_array().expect("findings");
        let kinds: Vec<_> = found.iter().filter_map(|finding| finding["kind"].as_str()).collect();
        let races = self.lines("race").next().is_some();
        if races != kinds.contains(&"race") || !races && !kinds.is_empty() {
            return said(&format!("the checkers found {kinds:?}"));
        }
        let (error, size) = (outcome["relative_error"].as_f64(), size(launch));
        if launch.contains("alpha=") && output.status.code() != Some(0) {
            return said(&format!("alpha and beta are named, and its error is {error:?}"));
        }
        match self.sum(launch) {
            Sum::Near(most) if error.is_some_and(|error| error <= most) => None,
            Sum::Near(most) => said(&format!("its error is {error:?}, more than {most}")),
            sum if outcome["c_sha256"] == hash(&sum, size) => None,
            _ => said(&format!("C has other bits; its error is {error:?}")),
        }
    }

    fn sum(&self, launch: &str) -> Sum {
        let result = self.lines("result").next().expect("what the result is");
        match result.split_whitespace().collect::<Vec<_>>()[..] {
            ["chain"] => Sum::Chain,
            ["chain", "alpha"] => {
                let (alpha, beta) = factors(launch);
                Sum::Scaled(alpha, beta)
            }
            ["double"] => Sum::Double,
            ["numba"] => Sum::Numba,
            ["round", "robin", parts] => Sum::RoundRobin(parts.parse().expect("a number")),
            ["lanes"] => Sum::Lanes,
            ["tolerance", most] => Sum::Near(most.parse().expect("a number")),
            _ => panic!("{}: no such result: {result}", self.name()),
        }
    }
}

fn kernels() -> Vec<Kernel> {
    kernel::kernels("kernel/foreign")
}

fn named(name: &str) -> Kernel {
    kernels().into_iter().find(|kernel| kernel.name() == name).expect("there")
}

/// The word after `option` in a launch.
fn option<'a>(launch: &'a str, option: &str) -> Option<&'a str> {
    launch.split_whitespace().skip_while(|word| *word != option).nth(1)
}

fn size(launch: &str) -> Size {
    option(launch, "--size").and_then(|size| size.parse().ok()).expect("a size")
}

/// The first two floats of the arguments, alpha and beta, named or not; 1 and 0 if they are not
/// given.
fn factors(launch: &str) -> (f32, f32) {
    let stated = option(launch, "--launch").and_then(|text| StatedLaunch::read(text).ok());
    let args = stated.and_then(|stated| stated.args).unwrap_or_default();
    let number = |word: &str| word.rsplit('=').next()?.strip_suffix('f')?.parse().ok();
    let mut floats = args.split(',').filter_map(number);
    (floats.next().unwrap_or(1.0), floats.next().unwrap_or(0.0))
}

/// SHA-256 of the C with these sums.
fn hash(sum: &Sum, size: Size) -> String {
    let [a, b, before] = Operand::ALL.map(|operand| fill(SEED, operand, size));
    let (n, k) = (size.n as usize, size.k as usize);
    let element = |index: usize| {
        let (row, col) = (index / n, index % n);
        let terms: Vec<_> = (0..k).map(|i| (a[row * k + i], b[i * n + col])).collect();
        sum.of(&terms, before[index]).to_le_bytes()
    };
    sha256(&(0..size.m as usize * n).flat_map(element).collect::<Vec<u8>>())
}

fn chain<'a>(terms: impl Iterator<Item = &'a (f32, f32)>) -> f32 {
    terms.fold(0.0, |sum, (a, b)| a.mul_add(*b, sum))
}

impl Sum {
    fn of(&self, terms: &[(f32, f32)], before: f32) -> f32 {
        match self {
            Self::Chain => chain(terms.iter()),
            Self::Scaled(alpha, beta) => chain(terms.iter()).mul_add(*alpha, beta * before),
            Self::Double => {
                let term = |sum: f64, (a, b): &(f32, f32)| f64::from(*a).mul_add((*b).into(), sum);
                terms.iter().fold(0.0, term) as f32
            }
            Self::Numba => terms.iter().map(|(a, b)| f64::from(a * b)).sum::<f64>() as f32,
            Self::RoundRobin(parts) => {
                let part = |first: usize| chain(terms.iter().skip(first).step_by(*parts));
                (0..*parts).fold(0.0, |sum, first| sum + part(first))
            }
            Self::Lanes => {
                let mut lanes: Vec<_> =
                    (0..32).map(|lane| chain(terms.iter().skip(lane).step_by(32))).collect();
                while lanes.len() > 1 {
                    let upper = lanes.split_off(lanes.len() / 2);
                    lanes.iter_mut().zip(upper).for_each(|(low, high)| *low += high);
                }
                lanes[0]
            }
            Self::Near(_) => f32::NAN,
        }
    }
}
