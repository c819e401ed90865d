//! Kernels that matviz's own compiler and NVRTC compile: their buffers must be the same, bit for bit.

use crate::compilers::compilers;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a file as `launch` says.
pub(crate) fn sim(file: &Path, compiler: &str, launch: &str) -> Output {
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.args(["check", "--json", "--compiler", compiler]).arg(file);
    let words = launch.split(' ').filter(|word| !word.is_empty());
    let option = (!launch.starts_with("--")).then_some("--launch");
    matviz.args(option.into_iter().chain(words));
    matviz.output().expect("the binary runs")
}

/// What a run leaves: the bits of its buffers or of C, and the findings.
fn outcome(name: &str, output: &Output) -> Vec<Value> {
    let told = format!("{name}: {}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect(&told);
    ["buffers", "findings"].map(|key| found[key].clone()).to_vec()
}

/// Every case leaves what NVRTC's PTX leaves; a line `// sim: ...` launches it.
pub(crate) fn same_as_nvrtc(cases: &[(&str, &str)]) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in cases {
        let file = folder.path().join(format!("{name}.cu"));
        std::fs::write(&file, text).expect("written");
        let launch = text.lines().last().and_then(|line| line.strip_prefix("// sim: "));
        let launch = launch.expect("a launch");
        let outcomes = compilers("that its C is the same").into_iter().map(|compiler| {
            let output = sim(&file, compiler, launch);
            outcome(&format!("{name} by {compiler}"), &output)
        });
        let outcomes: Vec<_> = outcomes.collect();
        let is_known = outcomes[0].iter().any(|value| !value.is_null());
        assert!(is_known, "{name}: nothing is compared");
        if let [own, nvrtc] = &outcomes[..] {
            assert_eq!(own, nvrtc, "{name}");
        }
    }
}

/// Sources that are refused, each with its line and a part of what is said; `uses` is the kernel's body.
pub(crate) fn refused(cases: &[(&str, &str, u32, &str)]) {
    let folder = tempfile::tempdir().expect("a folder");
    for (text, uses, line, what) in cases {
        let file = folder.path().join("mine.cu");
        std::fs::write(&file, format!("{text}\n__global__ void k(int* out) {{ {uses} }}\n"))
            .expect("written");
        let output = sim(&file, "matviz", "(void)<<<1,1>>>(out:i32[1])");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{what}: {told}");
        assert!(told.contains(what) && told.contains(&format!("mine.cu:{line}:")), "{told}");
    }
}
