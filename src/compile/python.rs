//! A kernel in Python: what it is written in, and Numba's kernels compiled by the user's own Numba.
//!
//! The file is run by a process of its own, with a time limit: a decorator makes a kernel only when it
//! is executed. Its launches are caught there, so it needs no GPU.

use serde::{Deserialize, Serialize};
use std::env;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The program that runs the file.
const SCRIPT: &str = include_str!("numba_kernel.py");

/// The seconds that a file may run, and those until its kernel must be there.
const LIMITS: (u64, u64) = (20, 90);

/// What installs Numba for CUDA, which needs no GPU, and says where it is.
pub const RECIPE: &str = "`python3 -m venv ~/numba && ~/numba/bin/pip install \"numba-cuda[cu12]\"`\n\
                          `export MATVIZ_PYTHON=~/numba/bin/python`";

/// A Python file, and what the user says of its kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PythonJob {
    pub path: PathBuf,
    pub text: String,
    /// The kernel, if the file has several.
    pub entry: Option<String>,
    /// The types of its parameters, as Numba writes them: `f32[:,::1], i64`.
    pub sig: Option<String>,
}

/// A kernel as Numba compiles it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumbaKernel {
    pub name: String,
    pub ptx: String,
    /// The compiler with its version.
    pub compiler: String,
    pub parameters: Vec<PythonParameter>,
    /// Who says the types of the parameters.
    pub types: SignatureFrom,
    pub arrays: Vec<PythonArray>,
    /// The first launch of it that the file executes.
    pub launches: Vec<PythonLaunch>,
    /// The other kernels of the file.
    pub others: Vec<String>,
    /// Why the file ended early.
    pub stopped: Option<StoppedRun>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonParameter {
    pub name: String,
    /// The type of it, or of its elements: `f32`.
    pub of: String,
    /// The dimensions of an array.
    pub dims: Option<u32>,
    /// How an array lies in memory: `C`, `F`, or `A` for any way.
    pub order: String,
}

/// An array that the kernel itself has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonArray {
    pub name: String,
    pub line: u32,
    /// `shared` or `local`.
    pub space: String,
    pub of: String,
    /// Empty if it could not be evaluated.
    pub shape: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PythonLaunch {
    pub line: u32,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub args: Vec<PythonArgument>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PythonArgument {
    /// The extents of an array.
    pub shape: Option<Vec<u64>>,
    pub number: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoppedRun {
    pub message: String,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignatureFrom {
    /// The user.
    Stated,
    Decorator,
    Launch,
    /// Nobody: three arrays called A, B and C are taken for float32 in rows.
    Assumed,
}

/// Why there is no kernel of a Python file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PythonError {
    #[error("there is no Python to run it: {0} was not found (MATVIZ_PYTHON names another one)")]
    NoPython(String),
    #[error(
        "the Python that runs it, {python}, has no Numba for CUDA. Two lines install it, without a \
         GPU, and say where it is:\n{RECIPE}"
    )]
    NoNumba { python: String },
    #[error(
        "Numba cannot be used: {0}. Two lines install all that it needs, without a GPU:\n{RECIPE}"
    )]
    Broken(String),
    #[error("nothing came of it within {0} s: matviz runs the file to find its kernels")]
    TooLong(u64),
    /// What is wrong with the file, at a line of it, or at none: 0.
    #[error("{}{message}", at(*line))]
    InFile { line: u32, message: String },
    /// Nothing says which kernel is meant, or of which types its parameters are.
    #[error("{0}")]
    Unclear(String),
}

/// The beginning of what is said of a line.
fn at(line: u32) -> String {
    if line == 0 { String::new() } else { format!("line {line}: ") }
}

/// What the process answers.
#[derive(Deserialize)]
#[serde(untagged)]
enum ScriptAnswer {
    Failed { failed: String, message: String, line: u32 },
    Kernel(Box<NumbaKernel>),
}

/// Whether a file is Python: by its name, or by what only Python writes.
pub fn is_python(path: &Path, text: &str) -> bool {
    let begins = |words: &[&str]| {
        text.lines().any(|line| words.iter().any(|word| line.trim_start().starts_with(word)))
    };
    let by_name = path.extension().is_some_and(|ending| ending == "py");
    by_name || begins(&["@cuda.jit", "from numba import", "import numba", "@triton.jit"])
}

/// CUDA C in the strings of a Python file, as CuPy and PyCUDA take it, each at its line; `None` if no
/// string has a kernel.
pub fn cuda_in_strings(text: &str) -> Option<String> {
    let (mut code, mut rest, mut has_any) = (String::new(), text, false);
    let blank = |text: &str| "\n".repeat(text.matches('\n').count());
    while let Some((at, quote)) = next_quote(rest) {
        let (before, after) = rest.split_at(at + quote.len());
        let Some(end) = after.find(quote) else { break };
        let (inside, after) = after.split_at(end);
        let is_kernel = inside.contains("__global__");
        has_any |= is_kernel;
        code += &blank(before);
        code += &if is_kernel { inside.to_owned() } else { blank(inside) };
        rest = &after[quote.len()..];
    }
    has_any.then(|| code + &blank(rest))
}

/// Where a string of several lines begins.
fn next_quote(text: &str) -> Option<(usize, &'static str)> {
    let places = ["\"\"\"", "'''"].map(|quote| text.find(quote).map(|at| (at, quote)));
    places.into_iter().flatten().min()
}

/// Compiles a kernel of a Python file by the Numba of the user.
///
/// # Errors
/// There is no Numba; the file fails; nothing says which kernel is meant, or with which types.
pub fn compile(job: &PythonJob) -> Result<NumbaKernel, PythonError> {
    let python = python();
    let shown = python.display().to_string();
    let mut command = Command::new(&python);
    command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let child = command.stderr(Stdio::piped()).spawn();
    let mut child = child.ok().ok_or_else(|| PythonError::NoPython(shown.clone()))?;
    let request = serde_json::json!({
        "path": job.path, "text": job.text, "entry": job.entry, "sig": job.sig, "seconds": LIMITS.0,
        "most": LIMITS.1,
    });
    let answer = answered(&mut child, request.to_string());
    // It has answered, or is not waited for any longer.
    let _ = child.kill();
    let _ = child.wait();
    let (out, told) = answer.ok_or(PythonError::TooLong(LIMITS.1))?;
    let answer = serde_json::from_str(&out).ok().ok_or_else(|| {
        let last = told.trim().lines().last().unwrap_or("it ended without an answer");
        PythonError::Broken(format!("{shown} says: {last}"))
    })?;
    match answer {
        ScriptAnswer::Kernel(kernel) => Ok(*kernel),
        ScriptAnswer::Failed { failed, message, line } => Err(match &*failed {
            "numba" => PythonError::NoNumba { python: shown },
            "broken" => PythonError::Broken(message),
            "entry" | "sig" => PythonError::Unclear(message),
            _ => PythonError::InFile { line, message },
        }),
    }
}

/// What a process answers to a request, and what it says beside; `None` if that takes too long.
fn answered(child: &mut Child, request: String) -> Option<(String, String)> {
    let (mut input, mut output, mut errors) =
        (child.stdin.take()?, child.stdout.take()?, child.stderr.take()?);
    let (done, answer) = mpsc::channel();
    thread::spawn(move || {
        // A process that reads nothing says why.
        let _ = input.write_all(request.as_bytes());
        drop(input);
        let (mut out, mut told) = (String::new(), String::new());
        let _ = output.read_to_string(&mut out);
        let _ = errors.read_to_string(&mut told);
        let _ = done.send((out, told));
    });
    answer.recv_timeout(Duration::from_secs(LIMITS.1)).ok()
}

/// The Python of the user: the one that is named, that of the environment in use, or the first one on
/// the path.
fn python() -> PathBuf {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let (folder, program) =
        if cfg!(windows) { ("Scripts", "python.exe") } else { ("bin", "python3") };
    let of_environment = || Some(PathBuf::from(named("VIRTUAL_ENV")?).join(folder).join(program));
    let on_path = || PathBuf::from(if cfg!(windows) { "python" } else { "python3" });
    named("MATVIZ_PYTHON").map(PathBuf::from).or_else(of_environment).unwrap_or_else(on_path)
}

impl NumbaKernel {
    /// What it declares, as C writes it: its parameters, and its shared arrays with their extents.
    pub fn declarations(&self) -> String {
        let parameter = |one: &PythonParameter| {
            let pointer = if one.dims.is_some() { "*" } else { "" };
            format!("{}{pointer} {}", in_c(&one.of), one.name)
        };
        let parameters: Vec<_> = self.parameters.iter().map(parameter).collect();
        let array = |one: &PythonArray| {
            let sides: Vec<_> = one.shape.iter().map(ToString::to_string).collect();
            let extents =
                if sides.is_empty() { String::new() } else { format!("[{}]", sides.join("][")) };
            let is_known = one.space == "shared" && !extents.is_empty() && !one.of.is_empty();
            is_known.then(|| format!("__shared__ {} {}{extents};\n", in_c(&one.of), one.name))
        };
        let arrays = self.arrays.iter().filter_map(array).collect::<String>();
        format!("__global__ void {}({}) {{\n{arrays}}}\n", self.name, parameters.join(", "))
    }
}

/// The type of C for elements.
fn in_c(of: &str) -> &str {
    match of {
        "f32" => "float",
        "f64" => "double",
        "f16" => "half",
        "i8" => "int8_t",
        "u8" => "uint8_t",
        "i16" => "int16_t",
        "u16" => "uint16_t",
        "i32" => "int",
        "u32" => "uint32_t",
        "i64" => "int64_t",
        "u64" => "uint64_t",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_in_the_strings_of_a_python_file_keeps_its_lines() {
        let text = "import cupy\n'''no\ncode'''\nk = cupy.RawKernel(r'''\n__global__ void k() {}\n''', 'k')\n";
        let code = cuda_in_strings(text).expect("it has a kernel");
        assert_eq!(code, "\n\n\n\n__global__ void k() {}\n\n");
        assert_eq!(cuda_in_strings("x = '''a'''\n"), None);
        assert_eq!(cuda_in_strings("x = '''a"), None);
    }

    #[test]
    fn python_is_known_by_its_name_or_by_what_it_writes() {
        assert!(is_python(Path::new("a.py"), "x = 1"));
        assert!(is_python(Path::new("-"), "from numba import cuda\n"));
        assert!(!is_python(Path::new("a.cu"), "// from numba import cuda\n__global__ void k() {}"));
    }
}
