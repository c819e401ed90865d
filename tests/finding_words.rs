//! The sentences of findings: what happened, where, and what to do, as a student reads them.

use serde_json::Value;
use std::process::Command;

/// The findings of a kernel, compiled by matviz, in the order in which they are told.
fn findings(text: &str, args: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    std::fs::write(&file, text).expect("written");
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.args(["sim", "--json", "--compiler", "matviz", "--cuda"]).arg(&file).args(args);
    let output = matviz.output().expect("the binary runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let found: Value = serde_json::from_slice(&output.stdout).expect(&told);
    found["findings"].as_array().cloned().expect("a list")
}

/// Message and advice of a finding.
fn told(finding: &Value) -> String {
    let of = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    format!("{}: {} | {}", of("kind"), of("message"), of("advice"))
}

const TILED: &str = "\
__global__ void mm(const float* A, const float* B, float* C, int N) {
    __shared__ float sA[16][16], sB[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int t = 0; t < N; t += 16) {
        sA[ty][tx] = A[row * N + t + tx];
        sB[ty][tx] = B[(t + ty) * N + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }
    C[row * N + col] = sum;
}
";

/// What a wrong --block spoils comes after the sentence that names it.
#[test]
fn a_block_larger_than_the_tile_is_told_before_what_follows_from_it() {
    assert_eq!(findings(TILED, &["--size", "64", "--block", "16,16"]).len(), 0);
    let found = findings(TILED, &["--size", "64", "--block", "32,32"]);
    let first = told(&found[0]);
    assert!(
        first.contains("at byte 2048 of shared memory, and the block has 2048 bytes"),
        "{first}"
    );
    assert!(first.contains("A block has 32 x 32 threads (--block)"), "{first}");
    assert!(found.len() > 1 && found[1]["kind"] == "race", "{found:?}");
}

#[test]
fn barriers_that_are_not_the_same_are_told_before_the_races_that_follow() {
    let branch =
        TILED.replacen("        __syncthreads();", "        if (ty < 8) __syncthreads();", 1);
    let found = findings(&branch, &["--size", "64", "--block", "16,16"]);
    let kinds: Vec<_> = found.iter().map(|one| one["kind"].as_str().unwrap_or("")).collect();
    assert_eq!(kinds.first(), Some(&"barrier"), "{kinds:?}");
    assert!(kinds.contains(&"race"), "{kinds:?}");
    assert!(told(&found[0]).contains("wait for each other at different barriers"), "{found:?}");
}

#[test]
fn rows_that_no_vector_fits_are_told_with_their_length() {
    let text = "__global__ void mm(const float* A, const float* B, float* C, int N) {\n\
                int row = blockIdx.y, col = 4 * threadIdx.x; if (col + 3 >= N) return;\n\
                float4 s = make_float4(0, 0, 0, 0);\n\
                for (int k = 0; k < N; ++k) { float a = A[row * N + k];\n\
                float4 b = *reinterpret_cast<const float4*>(&B[k * N + col]);\n\
                s.x += a * b.x; s.y += a * b.y; s.z += a * b.z; s.w += a * b.w; }\n\
                C[row * N + col] = s.x; C[row * N + col + 1] = s.y; C[row * N + col + 2] = s.z; C[row * N + col + 3] = s.w; }\n";
    let sound = findings(text, &["--size", "32", "--block", "16", "--grid", "1,32"]);
    assert!(sound.is_empty(), "{sound:?}");
    let found = findings(text, &["--size", "33", "--block", "16", "--grid", "1,33"]);
    let first = told(&found[0]);
    let row = "A row of B has 33 elements, 132 bytes, which is no multiple of 16";
    assert!(first.contains("this 16-byte load is not aligned") && first.contains(row), "{first}");
    assert!(first.contains("a multiple of 4 elements"), "{first}");
}

/// A line with several statements is no loop: nothing is said of a next round.
#[test]
fn lanes_that_race_in_one_line_are_told_of_syncwarp() {
    let text = "__global__ void sum(const float* in, float* out, int n) {\n\
                __shared__ float s[64]; int t = threadIdx.x; s[t] = in[t]; __syncthreads();\n\
                if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; }\n\
                if (t == 0) out[0] = s[0]; }\n";
    let args = ["--block", "64", "--grid", "1", "--args", "in:f32[64],out:f32[1],n=64"];
    let found = findings(text, &args);
    let first = told(&found[0]);
    assert!(first.contains("with no __syncwarp() between them"), "{first}");
    assert!(first.contains("Put a __syncwarp() between the store in line 3"), "{first}");
    assert!(!first.contains("next round"), "{first}");
}

#[test]
fn an_element_past_the_end_is_named() {
    let text = TILED.replace("t < N;", "t <= N;");
    let found = findings(&text, &["--size", "32", "--block", "16,16"]);
    let first = told(&found[0]);
    assert!(
        first.contains("`A` ends just before it, where A[32][0] would be (32 rows of 32)"),
        "{first}"
    );
}

/// A variable without a first value: C may be right by chance, and the finding names the variable.
#[test]
fn a_variable_that_is_read_before_it_is_set_is_named() {
    let naive = |body: &str| {
        format!(
            "__global__ void mm(const float* A, const float* B, float* C, int N) {{\n\
             int row = threadIdx.y, col = threadIdx.x;\n{body}\n}}\n"
        )
    };
    let args = ["--size", "16", "--block", "16,16", "--grid", "1"];
    let broken = [
        (
            "float sum;\nfor (int k = 0; k < N; ++k)\nsum += A[row * N + k] * B[k * N + col];\nC[row * N + col] = sum;",
            5,
        ),
        (
            "float sum; if (row < 9) sum = 0.0f;\nfor (int k = 0; k < N; ++k)\nsum += A[row * N + k] * B[k * N + col];\nC[row * N + col] = sum;",
            5,
        ),
        (
            "float sum[2]; sum[0] = 0.0f;\nfor (int k = 0; k < N; ++k)\nsum[0] += A[row * N + k] * B[k * N + col];\nC[row * N + col] = sum[0] + 0.0f * row + sum[1];",
            6,
        ),
    ];
    for (body, line) in broken {
        let found = findings(&naive(body), &args);
        assert_eq!(found.len(), 1, "{body}: {found:?}");
        let told = told(&found[0]);
        assert!(
            told.starts_with("memory: ")
                && told.contains(&format!("at line {line} before it is set")),
            "{told}"
        );
        let named = told.contains("reads `sum`") && told.contains("(sum = 0, for example)");
        assert!(named || body.contains("sum[2]"), "{told}");
    }
    let sound = [
        "float sum; sum = 0; for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col]; C[row * N + col] = sum;",
        // Set on every way, and in a loop that runs at least once.
        "float sum, last; if (row < 3) sum = 1; else sum = 0; if (row < 3) sum -= 1;\n\
         for (int k = 0; k < N; ++k) { last = A[row * N + k] * B[k * N + col]; sum += last; }\n\
         C[row * N + col] = sum - last + last * 1.0f;",
        // Set and read under the same condition.
        "float sum = 0, extra; bool odd = row % 2; if (odd) extra = 0;\n\
         for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col]; if (odd) sum += extra;\n\
         C[row * N + col] = sum;",
        // Read, but it makes no difference.
        "float sum, dead; for (int k = 0; k < N; ++k) { if (k == 0) sum = 0; sum += A[row * N + k] * B[k * N + col]; }\n\
         C[row * N + col] = N > 0 ? sum : dead;",
    ];
    for body in sound {
        assert_eq!(findings(&naive(body), &args).len(), 0, "{body}");
    }
}
