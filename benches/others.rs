//! The tiled kernel under matviz, Oclgrind and Numba's CUDA simulator: thread FMAs per second.
//!
//! `cargo bench --bench others`. A simulator that is not installed is reported as missing; one that
//! takes longer than two minutes is stopped. Oclgrind is `oclgrind-kernel`, Numba that of
//! `python3`, or of the interpreter in the variable `PYTHON`.

use matviz::analysis::check::{Checks, run};
use matviz::analysis::grid;
use matviz::kernel::{Problem, find};
use matviz::launch::Dim3;
use matviz::sim::{Machine, Memory, Order, Program};
use matviz::work::WorkToken;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// As in the others' inputs.
const TILE: u32 = 16;

/// The time limit of a simulator.
const PATIENCE: Duration = Duration::from_secs(120);

/// A simulator and its result: the size of the matrices and the thread FMAs per second.
type Row = (String, Result<(u32, f64), String>);

fn main() {
    // `cargo test --benches` runs this too, and has no time for it.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let rows = [
        row("matviz, counts", || Ok((256, rate(256, seconds(5, || counted(256)))))),
        row("matviz, counts and checks", || Ok((256, rate(256, seconds(5, || checked(256)))))),
        row("Oclgrind", || oclgrind(64, &[])),
        row("Oclgrind, data races", || oclgrind(64, &["--data-races"])),
        row("Numba's CUDA simulator", || numba(32)),
    ];
    print!("{}", table(&rows));
}

fn row(name: &str, measure: impl Fn() -> Result<(u32, f64), String>) -> Row {
    (name.to_owned(), measure())
}

fn table(rows: &[Row]) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut out = format!("the tiled kernel, TILE {TILE}, on {cores} cores\n");
    let best = rows.iter().find_map(|(_, row)| row.as_ref().ok()).map_or(1.0, |(_, rate)| *rate);
    for (name, row) in rows {
        let _ = match row {
            Ok((size, rate)) => writeln!(
                out,
                "{name:<26} {size:>4}  {rate:>9.2e} thread FMA/s  1/{:.1} of the first",
                best / rate
            ),
            Err(why) => writeln!(out, "{name:<26} {why}"),
        };
    }
    out
}

/// The minimum over several runs: on a busy machine, the longer ones include other work.
fn seconds(runs: u32, run: impl Fn()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(once).fold(f64::INFINITY, f64::min)
}

fn rate(size: u32, seconds: f64) -> f64 {
    f64::from(size).powi(3) / seconds
}

fn problem(size: u32) -> (Problem, Arc<Program>) {
    let kernel = find("tiled").expect("a kernel of the catalogue");
    let ptx = kernel.embedded(TILE).expect("16 is an embedded tile size");
    let size = size.to_string().parse().expect("the benches name sizes that exist");
    let problem = Problem::of(kernel, TILE, size, Cow::Borrowed(ptx));
    let program = problem.program().expect("the embedded PTX is supported");
    (problem, program)
}

fn counted(size: u32) {
    let (problem, program) = problem(size);
    let memory = problem.dense_memory(&program);
    let machine = |block| machine(&problem, &program, block, memory.clone());
    grid::run(problem.launch, machine).expect("the kernels of the catalogue do not fault");
}

fn checked(size: u32) {
    let (problem, program) = problem(size);
    let launch = problem.launch;
    let checks = Checks {
        launch,
        only: None,
        budget: grid::BUDGET,
        unfilled: &["C"],
        token: &WorkToken::default(),
    };
    let memory = || problem.dense_memory(&program);
    let checked = run(&checks, memory, |block, memory| machine(&problem, &program, block, memory));
    assert!(checked.findings.is_empty(), "the kernels of the catalogue are sound");
}

fn machine(problem: &Problem, program: &Arc<Program>, block: Dim3, memory: Memory) -> Machine {
    problem.machine(Arc::clone(program), block, memory, Order::default())
}

/// The path of an input for the others.
fn input(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches").join("others").join(name)
}

/// The time of a run minus that of a run with a single block, which removes the time to start and
/// to compile.
fn oclgrind(size: u32, options: &[&str]) -> Result<(u32, f64), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let time = |size: u32| {
        let file = folder.path().join("tiled.sim");
        std::fs::write(&file, oclgrind_input(size)).map_err(|error| error.to_string())?;
        let once = || -> Result<f64, String> {
            let start = Instant::now();
            output(Command::new("oclgrind-kernel").args(options).arg(&file))?;
            Ok(start.elapsed().as_secs_f64())
        };
        (0..3).try_fold(f64::INFINITY, |least, _| once().map(|time| time.min(least)))
    };
    let (small, large) = (time(TILE)?, time(size)?);
    let fmas = f64::from(size).powi(3) - f64::from(TILE).powi(3);
    Ok((size, fmas / (large - small)))
}

/// Kernel file, kernel, grid and block, then the arguments: n, A, B, C.
fn oclgrind_input(size: u32) -> String {
    let (file, bytes) = (input("tiled.cl"), 4 * size * size);
    let matrices = ["fill=1", "fill=2", "noinit"].map(|how| format!("<size={bytes} float {how}>"));
    format!(
        "{}\ntiled\n{size} {size} 1\n{TILE} {TILE} 1\n\n<size=4 int>\n{size}\n{}\n",
        file.display(),
        matrices.join("\n")
    )
}

/// One launch, timed within the interpreter.
fn numba(size: u32) -> Result<(u32, f64), String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(&python);
    command.arg(input("tiled.py")).arg(size.to_string()).env("NUMBA_ENABLE_CUDASIM", "1");
    let said = output(&mut command)?;
    let seconds: f64 = said.trim().parse().map_err(|why| format!("{why}: {said}"))?;
    Ok((size, rate(size, seconds)))
}

/// A program's output, or the reason why there is none: it is missing, fails, or takes too long.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let pipes = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().map_err(|error| format!("not installed: {name}: {error}"))?;
    let start = Instant::now();
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if start.elapsed() > PATIENCE {
            let _ = child.kill().and_then(|()| child.wait());
            return Err(format!("given up: {name} took more than {PATIENCE:?}"));
        }
        sleep(Duration::from_millis(2));
    }
    let done = child.wait_with_output().map_err(|error| error.to_string())?;
    let error = String::from_utf8_lossy(&done.stderr);
    let last = error.lines().last().unwrap_or_default();
    match (done.status.success(), last.contains("No module named")) {
        (_, true) => Err(format!("not installed: {name}: {last}")),
        (false, _) => Err(format!("failed: {name}: {last}")),
        (true, _) => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
    }
}
