//! Programs as they lie on a disk: the plain command believes their host's code.

use std::process::{Command, Output};

const FOLDER: &str = "tests/data/kernel/programs";

struct Told {
    code: Option<i32>,
    out: String,
    beside: String,
}

fn check(options: &[&str]) -> Told {
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.current_dir(format!("{}/{FOLDER}", env!("CARGO_MANIFEST_DIR")));
    let Output { status, stdout, stderr } =
        matviz.arg("check").args(options).output().expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Told { code: status.code(), out: text(stdout), beside: text(stderr) }
}

fn plain(file: &str, options: &[&str]) -> Told {
    check(&[&[file, "--compiler", "matviz"], options].concat())
}

fn of_text(text: &str, options: &[&str]) -> Told {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    std::fs::write(&file, text).expect("written");
    plain(&file.display().to_string(), options)
}

/// Sound programs: what the host says is what is run, and nothing is found.
#[test]
fn a_sound_program_is_quiet_with_the_numbers_of_its_main() {
    for (file, said) in [
        ("host_count_add.cu", "(left:f32[500],right:f32[500],both:f32[500],count=500)"),
        ("mean_then_matvec.cu", "(input:f32[4096],output:f32[256],matrix:f32[4096],L=64,M=16,N=4)"),
        ("sizes_of_main.cu", "<<<5x15,8x4>>>: as line 28 launches it"),
        ("lock_host_clears.cu", "(lock:i32[1],counter:i32[1])"),
        ("constants_in_parentheses.cu", "<<<2x1,32x1>>>"),
        ("instance_from_pointers.cu", "(in:f64[60],out:f64[60],n=60)"),
        ("zero_of_its_type.cu", "(in:f64[50],out:f64[64],n=50,m=64)"),
        ("vector_operators.cu", "(in:f32[60],out:f32[3],n=20)"),
        ("many_temporaries.cu", "cells:i32[4096]"),
        ("batched_tiles.cu", "<<<3x5x4,8x8>>>"),
        ("no_parameters.cu", "<<<,32x1>>>: the threads of its __launch_bounds__"),
    ] {
        let told = plain(file, &[]);
        assert_eq!(told.code, Some(0), "{file}: {}{}", told.out, told.beside);
        assert!(told.beside.contains(said), "{file}: {}", told.beside);
    }
    let product = plain("sizes_of_main.cu", &[]);
    assert!(product.out.contains("size 60x40x30") && product.out.contains("C is right"));
    let batch = plain("batched_tiles.cu", &[]);
    assert!(batch.out.contains("C is right: 4 products of 40x24x20"), "{}", batch.out);
    let other = plain("mean_then_matvec.cu", &[]);
    assert!(other.out.contains("not judged"), "{}", other.out);
}

#[test]
fn what_is_wrong_with_a_program_is_found() {
    for (file, found) in [
        ("input_never_copied.cu", "loads x[0] at line 6, which was never stored"),
        ("size_of_a_struct.cu", "at line 10: this 1-byte load is outside"),
        ("barrier_in_loop_of_some.cu", "take the barrier out of the loop"),
        ("scan_in_one_warp.cu", "loads held[1] at line 10"),
        ("three_kernels_last_races.cu", "race"),
    ] {
        let told = plain(file, &[]);
        assert_eq!(told.code, Some(1), "{file}: {}", told.beside);
        assert!(told.out.contains(found), "{file}: {}", told.out);
        assert!(!told.out.contains("atomicAdd"), "{file}: {}", told.out);
    }
}

/// Words that are never stored, and that are as likely as what is stored beside them.
#[test]
fn words_never_stored_are_found_where_likely_data_would_be() {
    let launch = "(void)nearest<<<1, 64>>>(x:f32[50],y:f32[50],out:i32[64],n=50)";
    let told = plain("nearest_unwritten.cu", &["--launch", launch]);
    assert_eq!(told.code, Some(1), "{}", told.out);
    assert!(told.out.contains("px[50] at line 14"), "{}", told.out);
    let launch =
        "(void)find_key<<<1, 32>>>(keys:u32[20]=0..100,wanted:u32[32]=0..100,at:i32[32],n=20)";
    let told = plain("matching_key_unwritten.cu", &["--launch", launch]);
    assert_eq!(told.code, Some(1), "{}", told.out);
    assert!(told.out.contains("table[20] at line 11"), "{}", told.out);
}

#[test]
fn all_launches_are_checked_in_their_order() {
    let told = plain("three_kernels_last_races.cu", &[]);
    let lines: Vec<_> = told.out.lines().take(3).collect();
    for (line, kernel) in lines.iter().zip(["fill", "twice", "total"]) {
        assert!(line.contains(kernel), "{line}");
    }
    assert!(lines[0].contains("nothing found") && lines[2].contains("1 finding"), "{lines:?}");
    let one = plain("three_kernels_last_races.cu", &["--launch", "twice"]);
    assert_eq!(one.code, Some(0), "{}", one.out);
}

/// What one kernel leaves is what the next one reads: words that none has stored are found.
#[test]
fn memory_is_carried_from_one_launch_to_the_next() {
    let program = |count: &str| {
        format!(
            "__global__ void halves(const float *in, float *out, int n) {{\n\
             int i = threadIdx.x; if (i < n) out[i] = in[i] / 2; }}\n\
             int main() {{ const int n = 64; float h[n], *a, *b, *c;\n\
             for (int i = 0; i < n; i++) h[i] = i;\n\
             cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float));\n\
             cudaMalloc(&c, n * sizeof(float));\n\
             cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice);\n\
             halves<<<1, 64>>>(a, b, {count});\n\
             halves<<<1, 64>>>(b, c, n);\n\
             cudaMemcpy(h, c, sizeof(h), cudaMemcpyDeviceToHost); }}\n"
        )
    };
    let sound = of_text(&program("n"), &[]);
    assert_eq!(sound.code, Some(0), "{}{}", sound.out, sound.beside);
    let short = of_text(&program("n - 10"), &[]);
    assert_eq!(short.code, Some(1), "{}{}", short.out, short.beside);
    assert!(short.out.contains("in[54] at line 2, which was never stored"), "{}", short.out);
    assert!(short.out.contains("10 words"), "{}", short.out);
}

#[test]
fn a_size_gives_way_to_one_that_is_asked_for_everywhere() {
    let told = plain("host_count_add.cu", &["--size", "64"]);
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.beside);
    assert!(told.beside.contains("N = 64 instead of 500 in line 3"), "{}", told.beside);
    assert!(
        told.beside.contains("(left:f32[64],right:f32[64],both:f32[64],count=64)"),
        "{}",
        told.beside
    );
    let told = plain("batched_tiles.cu", &["--size", "40x24x20"]);
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.beside);
}

#[test]
fn a_program_that_takes_long_is_run_smaller_and_says_so() {
    let text = "#define N 2048\n\
                __global__ void matmul(const float* A, const float* B, float* C, int n) {\n\
                int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x; float s = 0;\n\
                for (int k = 0; k < n; ++k) s += A[i * n + k] * B[k * n + j]; C[i * n + j] = s; }\n\
                int main() { size_t bytes = N * N * sizeof(float); float *a, *b, *c;\n\
                cudaMalloc(&a, bytes); cudaMalloc(&b, bytes); cudaMalloc(&c, bytes);\n\
                matmul<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(a, b, c, N); }\n";
    let told = of_text(text, &[]);
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.beside);
    assert!(told.beside.contains(" instead of 2048 in line 1"), "{}", told.beside);
    assert!(told.out.contains("C is right"), "{}", told.out);
}

/// Refusals that say what to do, and no crash.
#[test]
fn what_a_program_does_not_say_is_asked_for() {
    let told = plain("row_above_the_first.cu", &[]);
    assert_eq!(told.code, Some(2));
    assert!(told.beside.contains("missing"), "{}", told.beside);
    let told = plain("two_outputs_one_shared.cu", &[]);
    assert_eq!(told.code, Some(2), "{}", told.beside);
    let told = plain("grid_waits.cu", &[]);
    assert_eq!(told.code, Some(3));
    assert!(told.beside.contains("NVRTC compiles it"), "{}", told.beside);
    let unknown = of_text(
        "__global__ void k(float *a, int n) { a[n] = 1; }\n\
         int main() { int n; FILE *f = fopen(\"n.txt\", \"r\"); fscanf(f, \"%d\", &n);\n\
         float *a; cudaMalloc(&a, 400); k<<<1, 32>>>(a, n); k<<<1, 64>>>(a, n); }\n",
        &[],
    );
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.beside.contains("line 2: `fscanf` is not followed"), "{}", unknown.beside);
}
