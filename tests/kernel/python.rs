//! Kernels in Python. Those of Numba are judged by what the pinned one made of them, which is stored, so
//! that their verdicts need no Numba; `MATVIZ_WRITE=1 cargo test --test kernel python` stores it anew.

use crate::binary::matviz;
use crate::need::not_tested;
use matviz::compile::python::{NumbaKernel, PythonError, PythonJob, compile};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FOLDER: &str = "tests/data/kernel/python";

const STORED: [&str; 4] = ["naive", "fast", "shared", "reduce"];

fn stored(name: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{name}.py"))
}

/// Checks the kernel of a file by this Python.
fn sim(file: &Path, options: &str, python: &Path) -> Output {
    let mut matviz = Command::new(matviz());
    matviz.args(["check", "--json"]).arg(file).args(options.split_whitespace());
    matviz.env("MATVIZ_PYTHON", python).output().expect("it runs")
}

/// The same with the stored answers in place of Numba.
fn simulated(name: &str, options: &str) -> (Value, String, Option<i32>) {
    let python = fs::canonicalize(FOLDER).expect("there").join("answers.sh");
    let output = sim(&stored(name), options, &python);
    let outcome = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    (outcome, told, output.status.code())
}

/// The verdict in a line: whether C is right, and each finding with its kind and its lines.
fn verdict(name: &str, options: &str) -> String {
    let (outcome, told, _) = simulated(name, options);
    let Some(findings) = outcome["findings"].as_array() else { return told };
    let lines = |finding: &Value| {
        let sides = finding["sides"].as_array().into_iter().flatten();
        let lines: Vec<_> = sides.map(|side| side["line"].to_string()).collect();
        if lines.is_empty() { String::new() } else { format!(" {}", lines.join(" ")) }
    };
    let kind = |finding: &Value| format!("; {}{}", finding["kind"], lines(finding));
    let is_right = outcome["relative_error"].as_f64() <= outcome["tolerance"].as_f64();
    let c = match outcome["tolerance"].as_f64() {
        None => "nothing expected",
        Some(_) if is_right => "right",
        Some(_) => "WRONG",
    };
    c.to_owned() + &findings.iter().map(kind).collect::<String>()
}

/// The lines of findings are those of the Python source.
#[test]
#[cfg(unix)]
fn each_kernel_of_numba_gets_its_verdict_at_square_and_at_other_sizes() {
    let block = "--launch <<<,16x16>>> --size";
    for size in ["64", "64x64x128", "60x52x84", "64x128x32"] {
        assert_eq!(verdict("naive", &format!("{block} {size}")), "right", "{size}");
        assert_eq!(verdict("shared", &format!("--size {size}")), "right", "{size}");
    }
    assert_eq!(verdict("fast", &format!("{block} 64")), "right");
    insta::assert_snapshot!(verdict("fast", &format!("{block} 64x64x128")), @"WRONG");
    insta::assert_snapshot!(verdict("fast", &format!("{block} 60x52x84")), @r#"WRONG; "memory" 22; "race" 28 28"#);
    insta::assert_snapshot!(verdict("reduce", ""), @r#"nothing expected; "race" 17 17"#);
}

/// What the file launches a kernel with is taken, what nobody states is said.
#[test]
#[cfg(unix)]
fn the_launch_of_a_python_file_is_caught_and_the_rest_is_told() {
    let told = |name: &str, options: &str| simulated(name, options).1.trim().to_owned();
    insta::assert_snapshot!(told("naive", ""), @"error: the block is missing: how many threads it has, for example --launch '<<<,16x16>>>' (or a line `# launch: <<<,16x16>>>` in the file)");
    insta::assert_snapshot!(told("naive", "--launch <<<,8x8>>> --size 24x40x8"), @r#"
    note: assuming --sig 'f32[:,::1], f32[:,::1], f32[:,::1]': three arrays called A, B and C, which the file does not launch it with
    note: assuming <<<3x5,>>>: a thread for each element of C, whose rows it has along x
    note: assuming (numba): by the names of the parameters
    "#);
    insta::assert_snapshot!(told("shared", ""), @r#"
    note: assuming --sig 'f32[:,::1], f32[:,::1], f32[:,::1]': as line 37 launches it
    note: assuming <<<,16x16>>>: as line 37 launches it
    note: assuming <<<2x3,>>>: a thread for each element of C
    note: assuming (numba): by the names of the parameters
    "#);
    insta::assert_snapshot!(told("reduce", ""), @r#"
    note: assuming --sig 'f32[::1], f32[::1], i64': as its decorator says
    note: assuming <<<8x1,128x1>>>: as line 25 launches it
    note: assuming (void)(numba:values:f32[1000],numba:sums:f32[8],n=1000): as the host allocates and passes them, and it computes no A x B
    "#);
    let costly = |name: &str, options: &str| simulated(name, options).0["costly"].clone();
    let at_16 = costly("fast", "--launch <<<,16x16>>> --size 64");
    let lines: Vec<_> =
        at_16.as_array().expect("some").iter().map(|one| one["line"].clone()).collect();
    assert_eq!(lines, [26, 22, 23, 22, 23, 28], "the loads and stores of the Python");
}

#[test]
#[cfg(unix)]
fn shared_arrays_have_the_names_and_the_shapes_of_the_python() {
    let (outcome, ..) = simulated("reduce", "");
    let race = outcome["findings"][0].to_string();
    assert!(race.contains("s[32]") && race.contains("cuda.syncthreads()"), "{race}");
    assert!(!race.contains("cudapy") && !race.contains("__syncthreads"), "{race}");
}

/// OCaml: Sarek's CUDA as pages on it have it, where each vector is a pointer and its length.
#[test]
fn what_sarek_generates_is_taken_from_its_page() {
    let python = Path::new("none");
    let verdict = |name: &str, options: &str| {
        let file = format!("tests/data/kernel/sarek/{name}.md");
        let output = sim(Path::new(&file), options, python);
        let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let is_right = outcome["relative_error"].as_f64() <= outcome["tolerance"].as_f64();
        let words = outcome["args"].as_str().unwrap_or_default();
        assert_eq!(words, "A,M*K,B,K*N,C,M*N,M,N,K", "{name}");
        (is_right, outcome["findings"].as_array().expect("findings").clone())
    };
    for size in ["64", "64x64x128", "60x52x84"] {
        assert_eq!(
            verdict("naive", &format!("--launch <<<,256>>> --size {size}")),
            (true, Vec::new())
        );
        let (is_right, findings) =
            verdict("tiled", &format!("--launch <<<,16x16>>> --size {size}"));
        assert!(is_right, "in this order of the warps");
        assert!(findings.iter().all(|finding| finding["kind"] == "race"), "{findings:?}");
        let lines = |finding: &Value| [0, 1].map(|at| finding["sides"][at]["line"].clone());
        assert_eq!(findings.iter().map(lines).collect::<Vec<_>>(), [[22, 19], [22, 18]], "{size}");
    }
}

#[test]
fn what_is_no_numba_is_told_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |name: &str, text: &str, python: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).expect("written");
        let output = sim(&file, "--launch <<<,16x16>>>", Path::new(python));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        told.trim().replace(&folder.path().display().to_string(), "")
    };
    insta::assert_snapshot!(told("t.py", "import triton\n@triton.jit\ndef f(x): pass\n", "none"), @r#"error: /t.py is a Triton kernel, which Triton compiles when it is launched: `compiled = kernel[grid](...)`, then `compiled.asm["ptx"]` is its PTX: write it to a file, and give that"#);
    insta::assert_snapshot!(told("n.py", "print(1)\n", "none"), @"error: /n.py is Python without a kernel that matviz knows: @cuda.jit of Numba, or CUDA C in a string (cupy.RawKernel)");
    insta::assert_snapshot!(told("k.py", "from numba import cuda\n", "no-such-python"), @"error: /k.py: there is no Python to run it: no-such-python was not found (MATVIZ_PYTHON names another one)");
    insta::assert_snapshot!(told("k.ml", "let%superstep load = ()\n", "none"), @"error: /k.ml is OCaml: its CUDA C is what Sarek generates of it, which pages on it have between ```cuda fences: give that");
}

/// CuPy and PyCUDA compile CUDA C from a string: it is read from there, and needs no Python.
#[test]
fn cuda_in_a_string_is_compiled_at_its_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("raw.py");
    let text = "import cupy\n\nmm = cupy.RawKernel(r'''\nextern \"C\" __global__ void mm(const float* A, \
                const float* B, float* C, int n) {\n  int row = blockIdx.y * 16 + threadIdx.y;\n  int col \
                = blockIdx.x * 16 + threadIdx.x;\n  float sum = 0;\n  for (int k = 0; k < n; ++k)\n    \
                sum += A[row * n + k] * B[k * n + col];\n  C[row * n + col + n] = sum;\n}\n''', 'mm')\n";
    fs::write(&file, text).expect("written");
    let output = sim(&file, "--launch <<<,16x16>>> --size 64", Path::new("no-such-python"));
    let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(outcome["findings"][0]["sides"][0]["line"], 10, "{outcome}");
}

/// The pinned Numba, installed by `.ci/numba`; without it nothing is compared.
#[test]
fn numba_makes_of_each_file_what_is_stored() {
    for name in STORED {
        let path = stored(name);
        let text = fs::read_to_string(&path).expect("a kernel");
        let job = PythonJob { path, text, entry: None, sig: None };
        let made = match compile(&job) {
            Ok(made) => made,
            Err(why @ (PythonError::NoPython(_) | PythonError::NoNumba { .. })) => {
                return not_tested("numba", &format!("Python files: {why}"));
            }
            Err(why) => unmade(name, &why),
        };
        let json = Path::new(FOLDER).join(format!("{name}.json"));
        if std::env::var_os("MATVIZ_WRITE").is_some() {
            let text = serde_json::to_string_pretty(&made).expect("JSON");
            fs::write(&json, text + "\n").expect("written");
        }
        let before = fs::read_to_string(&json).expect("stored");
        let before: NumbaKernel = serde_json::from_str(&before).expect("it is one");
        if made.compiler != before.compiler {
            let other = format!("{name}.py by {}: {} is stored", made.compiler, before.compiler);
            return not_tested("numba", &other);
        }
        assert_eq!(made, before, "{name}");
    }
}

#[expect(clippy::panic, reason = "Numba is there and makes nothing of a kernel that it knows")]
fn unmade(name: &str, why: &PythonError) -> NumbaKernel {
    panic!("{name}: {why}")
}

/// What Numba says of a mistake is short, and has the line of the file.
#[test]
fn a_mistake_is_told_with_its_line() {
    let text = "from numba import cuda\n\n\n@cuda.jit\ndef f(A, B, C):\n    i, j = cuda.grid(2)\n    \
                C[i, j] = A[i, j] * missing\n";
    let told = |text: &str, sig: Option<&str>| {
        let sig = sig.map(str::to_owned);
        let job = PythonJob { path: "m.py".into(), text: text.to_owned(), entry: None, sig };
        compile(&job).map(|_| ()).map_err(|why| why.to_string())
    };
    let first = told(text, None);
    if first.as_ref().is_err_and(|why| why.contains("pip install") || why.contains("no Python")) {
        return not_tested("numba", "mistakes in Python files");
    }
    insta::assert_snapshot!(first.unwrap_err(), @"line 7: NameError: name 'missing' is not defined");
    insta::assert_snapshot!(told("from numba import cuda\ndef f(:\n", None).unwrap_err(), @"line 2: invalid syntax");
    insta::assert_snapshot!(told("from numba import cuda\n1 / 0\n", None).unwrap_err(), @"line 2: ZeroDivisionError: division by zero");
    insta::assert_snapshot!(told("from numba import cuda\n", None).unwrap_err(), @"no function of it is a kernel: nothing is decorated with @cuda.jit");
    let other = text
        .replace("(A, B, C)", "(x, out, n)")
        .replace("C[i, j] = A[i, j] * missing", "out[i] = x[j]");
    insta::assert_snapshot!(told(&other, None).unwrap_err(), @"nothing says the types of f(x, out, n): the file does not launch it here. Give them, for example --sig 'f32[::1], f32[::1], i64'");
    insta::assert_snapshot!(told(&other, Some("f32[::1]")).unwrap_err(), @"f has 3 parameters (x, out, n), and --sig gives 1");
    insta::assert_snapshot!(told(&other, Some("f3[::1]")).unwrap_err(), @"--sig 'f3[::1]' cannot be read (name 'f3' is not defined): give a type for each parameter, for example 'f32[::1], f32[::1], i64'");
    assert_eq!(told(&other, Some("f32[::1], f32[::1], i64")), Ok(()));
}
