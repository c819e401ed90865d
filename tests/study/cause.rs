//! A wrong C: `matviz check` names the mistake that explains all of it, and no other.

use serde_json::Value;
use std::process::{Command, Output};

fn sim(kernel: &str, args: &[&str]) -> Output {
    let file = format!("tests/data/study/wrong/{kernel}.cu");
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.current_dir(env!("CARGO_MANIFEST_DIR"));
    matviz.args(["check", &file, "--compiler", "matviz"]).args(args);
    matviz.output().expect("the binary runs")
}

/// What is said of the wrong elements.
fn wrong(kernel: &str, args: &[&str]) -> Value {
    let output = sim(kernel, &[&["--json"], args].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{kernel}: {told}");
    let found: Value = serde_json::from_slice(&output.stdout).expect(&told);
    found["wrong"].clone()
}

/// Each mistake, the name of its cause, and the words that matter.
const MISTAKES: [(&str, &str, &str); 36] = [
    ("transposed_a", "column-major", "C is A^T x B"),
    ("transposed_b", "column-major", "C is A x B^T"),
    ("transposed_c", "column-major", "C is transposed"),
    ("column_major", "column-major", "column-major matrices, as in BLAS"),
    ("k_cut_short", "k-cut-short", "the last 4 of 44 products are left out"),
    ("last_k", "k-cut-short", "k must run to 43"),
    ("no_beta", "factors", "beta x C is left out"),
    ("added_twice", "factors", "the product is added twice"),
    ("axes_exchanged", "axes-exchanged", "give --launch '<<<5x3,>>>'"),
    ("grid_too_small", "grid-too-small", "columns 32 to 35"),
    ("grid_too_small", "grid-too-small", "with --launch '<<<5x5,>>>' C is right"),
    ("square_only", "square-only", "C is right where M = N = K (36, 40 and 44 were tried)"),
    ("compiled_in", "size-compiled-in", "`#define N 32` (line 2) is compiled in; give --size 32"),
    ("compiled_in", "size-compiled-in", "compile with -D N=64"),
    ("stopped", "stopped", "25 blocks were stopped"),
    ("no_guard", "stopped", "5 blocks were stopped"),
    ("added", "operation", "adds A[row][k] + B[k][col]: multiply them"),
    ("negative", "operation", "the wrong sign"),
    ("last_product", "k-begun-late", "its last product alone: add to it with +="),
    ("first_product", "k-begun-late", "k must run from 0"),
    ("zero_in_loop", "k-begun-late", "from k = 32 on: set it to 0 once, before the loop"),
    ("tile_of_a_transposed", "tiles-transposed", "each tile of 16 x 16 elements of A"),
    ("tile_of_b_transposed", "tiles-transposed", "each tile of 16 x 16 elements of B"),
    ("first_tile", "one-tile", "`#define T 16` (line 2): what goes from tile to tile is wrong"),
    ("same_part", "same-part", "all 25 blocks compute the same part of C: row = blockIdx.y"),
    ("rows_left_out", "rows-left-out", "no thread stores rows 8 to 15 and 24 to 31"),
    ("whole_numbers", "whole-numbers", "it is kept in an integer (int)"),
    ("begins_at_one", "sum-begins", "every element is too large by 1"),
    ("b_times_a", "operands", "C is B x A: either the factors are exchanged, or the kernel takes"),
    ("stored_next_column", "store-shifted", "one column after its own, at C[row][col + 1]"),
    ("stored_next_row", "store-shifted", "one row after its own, at C[row + 1][col]"),
    (
        "tile_of_a_by_x",
        "tile-by-other-index",
        "the row of A in the tile that its threadIdx.x numbers",
    ),
    (
        "tile_of_b_by_y",
        "tile-by-other-index",
        "the column of B in the tile that its threadIdx.y numbers",
    ),
    ("scaled", "scaled", "every element is multiplied by 0.75"),
    ("scores", "scaled", "C is A x B^T: the kernel reads B[k][col] at col * K + k"),
    ("a_twice", "operands", "C is A x A: the kernel loads A where it should load B"),
];

#[test]
fn each_mistake_is_named_and_says_what_to_do() {
    for (kernel, name, words) in MISTAKES {
        let cause = &wrong(kernel, &[])["cause"];
        let sentence = cause["sentence"].as_str().unwrap_or_default();
        assert_eq!(cause["name"], name, "{kernel}: {sentence}");
        assert!(sentence.contains(words), "{kernel}: {sentence}");
    }
}

#[test]
fn the_factor_of_attention_is_known() {
    let sentence = wrong("scores", &[])["cause"]["sentence"].to_string();
    assert!(sentence.contains("multiplied by 0.1508, 1 / sqrt(K), as the scores"), "{sentence}");
}

#[test]
fn what_explains_only_a_part_of_c_is_not_named() {
    for kernel in ["next_row", "one_block_transposed", "stores_zero"] {
        assert_eq!(wrong(kernel, &[])["cause"], Value::Null, "{kernel}");
    }
}

#[test]
fn the_first_wrong_element_says_what_is_wrong_with_its_sum() {
    let origin = |kernel| wrong(kernel, &[])["origin"].clone();
    assert_eq!(origin("k_cut_short"), "C[0][0] is not its sum: A[0][40] is missing");
    let told = origin("next_row");
    assert!(told.as_str().is_some_and(|told| told.contains("it takes A[1][0]")), "{told}");
    assert_eq!(origin("grid_too_small"), "C[0][32] was never stored");
}

#[test]
fn what_is_stored_as_zero_is_stored() {
    assert_eq!(wrong("stores_zero", &[])["never_stored"], 0);
    let missing = wrong("grid_too_small", &[]);
    assert_eq!(missing["never_stored"], missing["elements"]);
    let told = String::from_utf8(sim("grid_too_small", &[]).stdout).expect("text");
    assert!(told.contains("\n  all of them were never stored\n"), "{told}");
    assert!(!told.contains("as before the launch"), "{told}");
}

#[test]
fn the_advice_mends_it() {
    let right = |kernel, args: &[&str]| {
        let output = sim(kernel, args);
        assert_eq!(output.status.code(), Some(0), "{kernel} {args:?}");
    };
    right("axes_exchanged", &["--launch", "<<<5x3,>>>"]);
    right("grid_too_small", &["--launch", "<<<5x5,>>>"]);
    right("compiled_in", &["--size", "32"]);
    right("square_only", &["--size", "44"]);
}

/// A C that the kernel adds to is right here, as it holds zeros: that is a finding, and says what to do.
#[test]
fn a_c_that_the_kernel_adds_to_must_be_zeroed() {
    let found: Value = serde_json::from_slice(&sim("adds_to_c", &["--json"]).stdout).expect("JSON");
    let finding = &found["findings"][0];
    let advice = finding["advice"].as_str().unwrap_or_default();
    assert!(found.get("wrong").is_none(), "{found}");
    assert!(
        advice.contains("C=0 among the arguments") && advice.contains("with =, not with +="),
        "{finding}"
    );
    let zeroed = sim("adds_to_c", &["--launch", "(A,B,C=0,M,N,K)"]);
    assert_eq!(zeroed.status.code(), Some(0), "{}", String::from_utf8_lossy(&zeroed.stdout));
    let atomics = sim("atomics_on_c", &[]);
    let told = String::from_utf8_lossy(&atomics.stderr);
    assert!(told.contains("assuming C=0: the kernel adds to C with atomics"), "{told}");
    let said = sim("atomics_on_c", &["--launch", "(A,B,C=0,M,N,K)"]);
    assert!(!String::from_utf8_lossy(&said.stderr).contains("assuming C=0"));
}

#[test]
fn an_access_past_the_end_says_which_element_it_would_be() {
    let told = String::from_utf8(sim("no_guard", &[]).stdout).expect("text");
    assert!(told.contains("where B[44][0] would be (44 rows of 36)"), "{told}");
}

#[test]
fn a_changed_kernel_of_the_catalogue_is_told_its_cause() {
    let causes = [
        ("sum-reset", "set it to 0 once, before the loop over the tiles"),
        ("transposed-in-the-sum", "each tile of 16 x 16 elements of A is transposed"),
        ("tiles-rounded-down", "round the number of tiles up"),
    ];
    for (change, cause) in causes {
        let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
        let output = matviz.args(["course", "changes", change]).output().expect("the binary runs");
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(told.contains(cause), "{change}: {told}");
    }
}

/// Where threads leave before they have stored their part of a tile, the zeros that nobody stored there
/// make square matrices right: that says nothing of M, N and K.
#[test]
fn zeros_that_nobody_stored_are_no_proof_of_a_cause() {
    let text = "#define T 16\n\
        __global__ void tiled(const float *A, const float *B, float *C, int M, int N, int K) {\n\
        __shared__ float sA[T][T], sB[T][T]; int tx = threadIdx.x, ty = threadIdx.y;\n\
        int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;\n\
        if (row >= M || col >= N) return;\n\
        float sum = 0.0f;\n\
        for (int k = 0; k < K; k += T) {\n\
        if (k + tx < K) sA[ty][tx] = A[row * K + k + tx];\n\
        if (k + ty < K) sB[ty][tx] = B[(k + ty) * N + col];\n\
        __syncthreads();\n\
        for (int i = 0; i < T; ++i) sum += sA[ty][i] * sB[i][tx];\n\
        __syncthreads(); }\n\
        C[row * N + col] = sum; }\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    std::fs::write(&file, text).expect("written");
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.args(["check", "--json", "--compiler", "matviz"]).arg(&file);
    matviz.args(["--launch", "<<<,16x16>>>", "--size", "12,8,14", "--launch", "C ="]);
    let output = matviz.output().expect("the binary runs");
    let found: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert!(found["wrong"]["elements"].as_u64() > Some(0), "{found}");
    assert!(found["wrong"]["cause"].is_null(), "{}", found["wrong"]["cause"]);
    let kinds: Vec<_> = found["findings"].as_array().expect("a list").iter().collect();
    assert!(kinds.iter().any(|one| one["kind"] == "barrier"), "{kinds:?}");
}
