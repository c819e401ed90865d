//! Kernels on elements of other types and other layouts: each right, and one wrong told so.

#![expect(clippy::panic, reason = "a run that tells nothing fails the test")]

use crate::pinned;
use matviz::timing::protocol::Compile;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

#[test]
fn the_ptx_is_what_nvrtc_makes_of_the_sources() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/kernel/types");
    let made = ["types", "structs", "racy"].map(|name| {
        let file = format!("{name}.cu");
        let text = fs::read_to_string(folder.join(&file)).expect("a source");
        let wanted = Compile { file, text, arch: "compute_80".to_owned(), ..Compile::default() };
        (wanted, folder.join(format!("{name}.ptx")))
    });
    pinned::check(made);
}

/// Checks an entry of a file, whose PTX NVRTC has made.
fn sim(file: &str, entry: &str, options: &[&str]) -> Output {
    run("check", file, entry, options)
}

fn run(command: &str, file: &str, entry: &str, options: &[&str]) -> Output {
    let ptx = format!("tests/data/kernel/types/{file}.ptx");
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.current_dir(env!("CARGO_MANIFEST_DIR"));
    let source = format!("tests/data/kernel/types/{file}.cu");
    matviz.args([command, "--json", &ptx, "--source", &source, "--launch", entry]);
    matviz.args(options).output().expect("the binary runs")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The outcome on matrices of an awkward size, or of `--size` in the options.
fn outcome(file: &str, entry: &str, options: &[&str]) -> Value {
    let usual = ["--launch", "<<<,16x16>>>", "--size", "40,48,56"];
    let options: Vec<_> = usual.iter().chain(options).copied().collect();
    let run = sim(file, entry, &options);
    serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{entry}: {}", told(&run)))
}

fn types(outcome: &Value) -> String {
    let of = |layout: &Value| layout["of"].as_str().unwrap_or("?").to_owned();
    let layouts = outcome["layouts"].as_array().expect("layouts");
    layouts.iter().map(of).collect::<Vec<_>>().join(" ")
}

fn is_right(outcome: &Value) -> bool {
    outcome["wrong"].is_null()
        && outcome["relative_error"].as_f64() <= outcome["tolerance"].as_f64()
}

#[test]
fn the_types_follow_from_what_is_done_with_the_elements() {
    for (entry, of) in [
        ("doubles", "f64 f64 f64"),
        ("ints", "i32 i32 i32"),
        ("unsigneds", "u32 u32 u32"),
        ("halves", "f16 f16 f16"),
        ("halves_only", "f16 f16 f16"),
        ("brains", "bf16 bf16 bf16"),
        ("bytes", "i8 i8 i32"),
        ("bytes_unsigned", "u8 i8 i32"),
    ] {
        let found = outcome("types", entry, &[]);
        assert_eq!(types(&found), of, "{entry}");
        assert!(is_right(&found), "{entry}: {found}");
        assert_eq!(found["findings"], serde_json::json!([]), "{entry}");
    }
}

#[test]
fn a_wrong_product_of_each_type_is_told_wrong() {
    for (entry, args) in [
        ("doubles_in_float", "A,B,C,M,N,K"),
        ("ints_short", "A,B,C,M,N,K"),
        ("ints_short", "A:u32,B:u32,C:u32,M,N,K"),
        ("halves_wrong", "A,B,C,M,N,K"),
        ("brains_wrong", "A,B,C,M,N,K"),
        ("bytes_unsigned", "A:i8,B:i8,C:i32,M,N,K"),
    ] {
        let found = outcome("types", entry, &["--launch", &format!("({args})")]);
        assert!(!is_right(&found), "{entry}: {found}");
        assert!(found["wrong"]["elements"].as_u64() > Some(1000), "{entry}: {found}");
    }
}

/// A float32 has 24 bits: its sum of doubles is wrong, and what is told is how much.
#[test]
fn a_sum_in_float_is_no_sum_of_doubles() {
    let found = outcome("types", "doubles_in_float", &[]);
    let error = found["relative_error"].as_f64().expect("an error");
    assert!((1e-8..1e-6).contains(&error), "{error}");
    assert!(found["tolerance"].as_f64() < Some(1e-14), "{found}");
}

#[test]
fn sums_of_integers_are_exact_and_wrap() {
    let found = outcome("types", "ints", &["--launch", "(A:i32,B:i32,C:i32,M,N,K)"]);
    assert_eq!((&found["relative_error"], &found["tolerance"]), (&0.0.into(), &0.0.into()));
    let found = outcome("types", "unsigneds", &["--launch", "(A:u32,B:u32,C:u32,M,N,K)"]);
    assert!(is_right(&found) && types(&found) == "u32 u32 u32", "{found}");
}

/// The tensor core cuts float32 to tf32, which no conversion in the PTX shows.
#[test]
fn tf32_is_judged_by_the_rounding_of_tf32() {
    let options = ["--launch", "<<<,32>>>", "--launch", "<<<6x3,>>>", "--size", "48,48,64"];
    let run = |entry| -> Value {
        let run = sim("types", entry, &options);
        serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", told(&run)))
    };
    let found = run("tf32");
    let error = found["relative_error"].as_f64().expect("an error");
    assert!(is_right(&found) && error > 1e-4, "{found}");
    let found = run("tf32_short");
    assert!(!is_right(&found), "{found}");
}

#[test]
fn a_matrix_can_lie_by_columns_and_with_gaps() {
    let run = |args| outcome("types", "columns", &["--launch", &format!("({args})")]);
    assert!(is_right(&run("A,B:col,C,M,N,K,lda,ldb,ldc")));
    assert!(is_right(&run("A,B:col,C,M,N,K,lda=60,ldb=64,ldc=50")));
    assert!(!is_right(&run("A,B,C,M,N,K,lda,ldb,ldc")), "B lies by columns");
    // What it takes for the rows of B are the columns of another matrix.
    assert!(!is_right(&run("A:col,B:col,C,M,N,K,56,56,48")));
}

#[test]
fn a_zeroed_c_may_be_read() {
    let read =
        |args| outcome("types", "adds", &["--launch", &format!("({args})")])["findings"].clone();
    assert_eq!(read("A,B,C,M,N,K").as_array().map(Vec::len), Some(1));
    assert_eq!(read("A,B,C=0,M,N,K"), serde_json::json!([]));
    assert!(is_right(&outcome("types", "adds", &["--launch", "(A,B,C=0,M,N,K)"])));
}

#[test]
fn structures_by_value_are_read_from_the_source_or_given() {
    for (entry, args) in
        [("structs", "{K,M,A},{N,K,B},{N,M,C}"), ("strided", "{K,M,lda,A},{N,K,ldb,B},{N,M,ldc,C}")]
    {
        let found = outcome("structs", entry, &[]);
        assert_eq!(found["args"], args);
        assert!(is_right(&found), "{entry}: {found}");
    }
    assert!(!is_right(&outcome("structs", "structs_wrong", &[])));
    let padded = ["--launch", "({K,M,lda=64,A},{N,K,ldb=64,B},{N,M,ldc=50,C})"];
    assert!(is_right(&outcome("structs", "strided", &padded)));
}

#[test]
fn what_cannot_be_judged_is_an_error() {
    let error = |entry, args: &[&str]| {
        let file = if entry == "strided" { "structs" } else { "types" };
        let usual = ["--launch", "<<<,16x16>>>", "--size", "64"];
        let options: Vec<_> = usual.iter().chain(args).copied().collect();
        let run = sim(file, entry, &options);
        assert_eq!(run.status.code(), Some(2), "{}", told(&run));
        told(&run).lines().last().unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(error("moves", &["--launch", "C ="]), @"error: the arguments are missing: the kernel takes 3 x .u64, and it has no loop and loads too little for a sum over k, so it computes no product A x B; if it computes something else than A x B: --launch '(void)(A:u16[COUNT],B:u16[COUNT],C:u16[COUNT])'");
    insta::assert_snapshot!(error("ints", &["--launch", "(A:f32,B,C:i32,M,N,K)"]), @"error: C is of i32 and A and B are of f32 and i32: how a sum of floats becomes an integer is not known; if they are integers, say so with A:i32 or another type");
    insta::assert_snapshot!(error("strided", &["--launch", "({K,M,A},{N,K,B},{N,M,C})"]), @"error: the kernel reads 4 bytes at byte 4 of parameter 1 (`_Z7strided7StridedS_S__param_0`, .b8[24]), and the members in braces have none of them there");
}

/// The schedules that `race` finds are judged as `sim` judges them, whatever C is of and however it
/// lies.
/// The zero with which memory is filled is not the one from which a loop counts.
#[test]
fn floats_that_are_copied_in_pairs_are_floats() {
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.current_dir(env!("CARGO_MANIFEST_DIR"));
    matviz.args([
        "check",
        "--json",
        "tests/data/kernel/types/pairs.ptx",
        "--launch",
        "<<<,16x16>>>",
    ]);
    let run = matviz.args(["--size", "32"]).output().expect("the binary runs");
    assert!(!told(&run).contains("B:"), "{}", told(&run));
    let outcome: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert!(is_right(&outcome), "{outcome}");
}

/// As our own compiler writes it, which converts and promotes in other instructions than NVRTC.
#[test]
fn products_that_matviz_compiles_have_the_types_of_their_source() {
    let cases = [
        (
            "half",
            "__half2float(A[row * N + k]) * __half2float(B[k * N + col])",
            "__float2half(s)",
            "f16",
        ),
        (
            "__nv_bfloat16",
            "__bfloat162float(A[row * N + k]) * __bfloat162float(B[k * N + col])",
            "__float2bfloat16(s)",
            "bf16",
        ),
        ("float", "A[row * N + k] * B[k * N + col]", "s", "f32"),
    ];
    for (name, product, stored, of) in cases {
        let text = format!(
            "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n\
             __global__ void mm(const {name}* A, const {name}* B, {name}* C, int N) {{\n\
             int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;\n\
             float s = 0;\nfor (int k = 0; k < N; k++) s += {product};\n\
             C[row * N + col] = {stored};\n}}\n"
        );
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("mm.cu");
        fs::write(&file, text).expect("written");
        let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
        matviz.args([
            "check",
            "--json",
            "--compiler",
            "matviz",
            "--launch",
            "<<<,16x16>>>",
            "--size",
            "32",
        ]);
        let run = matviz.arg(&file).output().expect("the binary runs");
        let found: Value =
            serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", told(&run)));
        assert!(is_right(&found), "{name}: {found}");
        if of != "f32" {
            assert_eq!(types(&found), [of; 3].join(" "), "{name}");
        }
    }
}

#[test]
fn schedules_are_searched_for_elements_of_every_type() {
    for (entry, args, of) in [
        ("racy_doubles", "A,B,C,M,N,K,ldc", "f64"),
        ("racy_doubles", "A,B,C,M,N,K,ldc=30", "f64"),
        ("racy_halves", "A,B,C,M,N,K,ldc", "f16"),
        ("racy_brains", "A,B,C,M,N,K,ldc", "bf16"),
        ("racy_ints", "A,B,C,M,N,K,ldc", "i32"),
        ("racy_longs", "A:u64,B:u64,C:u64,M,N,K,ldc", "u64"),
        ("racy_shorts", "A:u16,B:u16,C:u16,M,N,K,ldc", "u16"),
        ("racy_bytes", "A:i8,B:i8,C:i8,M,N,K,ldc", "i8"),
    ] {
        let launch =
            ["--launch", "<<<,8x8>>>", "--size", "16,24,32", "--launch", &format!("({args})")];
        let race = run(
            "check",
            "racy",
            entry,
            &[&["--prove", "--limit", "orders=10"], &launch[..]].concat(),
        );
        let found: Value = serde_json::from_slice(&race.stdout)
            .unwrap_or_else(|_| panic!("{entry}: {}", told(&race)));
        for (run, right) in [("wrong", false), ("right", true)] {
            let order = found[run]["order"].as_str().unwrap_or_else(|| panic!("{entry}: {found}"));
            let wrong = found[run]["wrong"].as_u64();
            assert!((wrong == Some(0)) == right && wrong <= Some(64), "{entry}: {found}");
            let played = sim("racy", entry, &[&["--order", order], &launch[..]].concat());
            let played: Value = serde_json::from_slice(&played.stdout)
                .unwrap_or_else(|_| panic!("{entry}: {}", told(&played)));
            assert_eq!(played["wrong"].is_null(), right, "{entry} {order}: {played}");
            assert_eq!(types(&played), [of; 3].join(" "), "{entry}");
        }
    }
}

/// Two elements that are stored at once are two elements of the type that the source declares.
#[test]
fn a_declared_type_is_not_as_wide_as_an_access() {
    let text = "__global__ void mm(const int *A, const int *B, int *C, int N) {\n\
        int row = blockIdx.y * blockDim.y + threadIdx.y, col = 2 * (blockIdx.x * blockDim.x + threadIdx.x);\n\
        int one = 0, two = 0;\n\
        for (int k = 0; k < N; ++k) { one += A[row * N + k] * B[k * N + col]; two += A[row * N + k] * B[k * N + col + 1]; }\n\
        long long both = ((long long)two << 32) | (unsigned int)one;\n\
        *reinterpret_cast<long long *>(&C[row * N + col]) = both; }\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    fs::write(&file, text).expect("written");
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.args(["check", "--json", "--compiler", "matviz"]).arg(&file);
    let output = matviz
        .args(["--size", "32", "--launch", "<<<,16x16>>>", "--launch", "<<<1x2,>>>"])
        .output();
    let output = output.expect("the binary runs");
    let found: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", told(&output)));
    assert_eq!(types(&found), "i32 i32 i32", "{}", told(&output));
    assert!(is_right(&found), "{found}");
}
