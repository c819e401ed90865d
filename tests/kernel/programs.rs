//! Programs as they lie on a disk: the plain command believes their host's code.

use crate::compilers::compilers;
use serde_json::Value;
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

/// Sizes that are one another's product, written as numbers of their own.
#[test]
fn a_program_whose_sizes_hang_together_unseen_is_not_accused() {
    let text = "__global__ void add(const float *a, float *b, int nx, int ny, int nz) {\n\
        int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, k = blockIdx.z;\n\
        if (i < nx) b[i + (j + k * ny) * nx] = a[i + (j + k * ny) * nx]; }\n\
        __global__ void scale(float *b, int n) {\n\
        int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] *= 2; }\n\
        int main() { int n = 20000000, nx = 200, ny = 100, nz = 1000;\n\
        float *a, *b; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMemset(a, 0, n * 4);\n\
        add<<<dim3(2, ny, nz), 128>>>(a, b, nx, ny, nz);\n\
        scale<<<(n + 255) / 256, 256>>>(b, n); }\n";
    let told = of_text(text, &["--format", "short"]);
    assert!(!told.out.contains("memory:"), "{}{}", told.out, told.beside);
}

/// How much is copied is only known when the program runs: it may be all.
#[test]
fn what_is_copied_by_an_unknown_count_is_not_unwritten() {
    for call in [
        "cudaMemcpy(a, h, n, cudaMemcpyHostToDevice)",
        "cudaMemset(a, 0, n)",
        "cudaMemcpy2D(a, 64, h, 64, n, 4, cudaMemcpyHostToDevice)",
        "cudaMemcpyPeer(a, 0, other, 1, 256)",
    ] {
        let text = format!(
            "__global__ void twice(const float *a, float *b) {{ b[threadIdx.x] = 2 * a[threadIdx.x]; }}\n\
             size_t ask(); int main() {{ float *a, *b, h[64], *other; size_t n = ask();\n\
             cudaMalloc(&a, 256); cudaMalloc(&b, 256); {call};\n\
             twice<<<1, 64>>>(a, b); cudaMemcpy(h, b, 256, cudaMemcpyDeviceToHost); }}\n"
        );
        let told = of_text(&text, &[]);
        assert_eq!(told.code, Some(0), "{call}: {}{}", told.out, told.beside);
    }
}

/// Memory that is not the kernel's any more, or never was.
#[test]
fn memory_that_a_launch_may_not_have_is_named_by_its_lines() {
    let program = |last: &str| {
        format!(
            "__global__ void fill(float *a) {{ a[threadIdx.x] = 1; }}\n\
             int main() {{ float *a, *h = new float[32]; cudaMalloc(&a, 128);\n\
             fill<<<1, 32>>>(a);\n{last} }}\n"
        )
    };
    let freed = of_text(&program("cudaFree(a);\nfill<<<1, 32>>>(a);"), &[]);
    let found = "line 5 launches `fill` with `a`, which line 4 has freed";
    assert!(freed.code == Some(1) && freed.out.contains(found), "{}{}", freed.out, freed.beside);
    let of_host = of_text(&program("fill<<<1, 32>>>(h);"), &[]);
    let found = "line 4 launches `fill` with memory of the host for `a`";
    assert!(of_host.beside.contains(found), "{}{}", of_host.out, of_host.beside);
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

/// All blocks of a cooperative launch are run at once, as far as they are few.
#[test]
fn blocks_that_wait_for_the_grid_are_run_together() {
    let sound = plain("grid_waits.cu", &[]);
    assert_eq!(sound.code, Some(0), "{}{}", sound.out, sound.beside);
    let text =
        std::fs::read_to_string(format!("{}/{FOLDER}/grid_waits.cu", env!("CARGO_MANIFEST_DIR")));
    let text = text.expect("it is there");
    let barrier = "cooperative_groups::this_grid().sync();";
    let cooperative = "cudaLaunchCooperativeKernel((void *)total, dim3(4), dim3(64), args);";
    for (from, to, code, said) in [
        (barrier, "", 1, "race"),
        (barrier, "if (blockIdx.x < 3) cooperative_groups::this_grid().sync();", 1, "for ever"),
        (cooperative, "total<<<4, 64>>>(in, part, out, n);", 2, "only cudaLaunchCooperativeKernel"),
        (
            cooperative,
            "cudaLaunchCooperativeKernel((void *)total, dim3(40), dim3(64), args);",
            2,
            "at most 16 blocks",
        ),
    ] {
        let told = of_text(&text.replace(from, to), &[]);
        assert_eq!(told.code, Some(code), "{to}: {}{}", told.out, told.beside);
        let all = told.out + &told.beside;
        assert!(all.contains(said), "{to}: {all}");
    }
}

/// Copies of one stream, and launches of another.
#[test]
fn a_copy_races_with_what_nothing_puts_before_it() {
    let program = |between: &str, after: &str| {
        format!(
            "__global__ void fill(float *a) {{ a[threadIdx.x] = 1; }}\n\
             int main() {{ float *a, *h; cudaMalloc(&a, 256); cudaMallocHost(&h, 256);\n\
             cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);\n\
             cudaMemsetAsync(a, 0, 256, s);\n{between}\n\
             fill<<<1, 64, 0, t>>>(a);\n{after}\n\
             cudaMemcpyAsync(h, a, 256, cudaMemcpyDeviceToHost, s); cudaDeviceSynchronize(); }}\n"
        )
    };
    let (before, after) = ("cudaStreamSynchronize(s);", "cudaStreamSynchronize(t);");
    let sound = of_text(&program(before, after), &[]);
    assert_eq!(sound.code, Some(0), "{}{}", sound.out, sound.beside);
    for (between, after, race) in [
        (
            "",
            after,
            "`cudaMemsetAsync` (line 4, stream 1) and `fill` (line 6, stream 2) both store byte 0 of `a`",
        ),
        (
            before,
            "",
            "`fill` (line 6, stream 2) and `cudaMemcpyAsync` (line 8, stream 1) both touch",
        ),
        // The default stream waits for no stream that is apart from it.
        (
            before,
            "cudaMemcpy(h, a, 256, cudaMemcpyDeviceToHost);",
            "`fill` (line 6, stream 2) and `cudaMemcpy` (line 7, the default stream)",
        ),
    ] {
        let told = of_text(&program(between, after), &[]);
        assert_eq!(told.code, Some(1), "{race}: {}{}", told.out, told.beside);
        assert!(told.out.contains(race), "{race}: {}", told.out);
    }
    // How much is copied is not known, nor then what it races with.
    let copy = "cudaMemcpyAsync(h, a, atoi(getenv(\"N\")), cudaMemcpyDeviceToHost, s);";
    let told = of_text(&program(before, &format!("{copy} {after}")), &[]);
    assert!(!told.out.contains("race"), "{}{}", told.out, told.beside);
}

/// Refusals that say what to do, and no crash.
#[test]
fn what_a_program_does_not_say_is_asked_for() {
    let told = plain("row_above_the_first.cu", &[]);
    assert_eq!(told.code, Some(2));
    assert!(told.beside.contains("missing"), "{}", told.beside);
    let told = plain("two_outputs_one_shared.cu", &[]);
    assert_eq!(told.code, Some(2), "{}", told.beside);
    let unknown = of_text(
        "__global__ void k(float *a, int n) { a[n] = 1; }\n\
         int main() { int n; FILE *f = fopen(\"n.txt\", \"r\"); fscanf(f, \"%d\", &n);\n\
         float *a; cudaMalloc(&a, 400); k<<<1, 32>>>(a, n); k<<<1, 64>>>(a, n); }\n",
        &[],
    );
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.beside.contains("line 2: `fscanf` is not followed"), "{}", unknown.beside);
}

/// The words after the last `--launch '` of a message.
fn proposed(told: &str) -> &str {
    let (_, words) = told.rsplit_once("--launch '(void)").expect("words are proposed");
    let start = told.len() - words.len() - "(void)".len();
    told[start..].split('\'').next().expect("they end")
}

/// What a launcher without a caller needs is proposed so that it runs as it stands.
#[test]
fn words_that_are_proposed_run_as_they_stand() {
    let text = "__global__ void step(double *now, const double *before, double a, int nx, int ny) {\n\
        int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;\n\
        if (i > 0 && j > 0 && i <= nx && j <= ny) { int at = i * (ny + 2) + j;\n\
        now[at] = before[at] + a * (before[at - 1] + before[at + ny + 2]); } }\n\
        void run(double *now, double *before, double a, int nx, int ny) {\n\
        dim3 block(16, 16), grid((ny + 17) / 16, (nx + 17) / 16);\n\
        step<<<grid, block>>>(now, before, a, nx, ny); }\n";
    let asks = of_text(text, &[]);
    assert_eq!(asks.code, Some(2), "{}{}", asks.out, asks.beside);
    let words = proposed(&asks.beside);
    assert!(!words.contains("COUNT") && !words.contains("NUMBER"), "{words}");
    let runs = of_text(text, &["--launch", words]);
    assert_eq!(runs.code, Some(0), "{words}: {}{}", runs.out, runs.beside);
}

/// Three arrays of one dimension, which are no matrices whatever the block; the words that the refusal
/// proposes run, and nothing is judged.
#[test]
fn a_total_of_scaled_numbers_is_no_product() {
    let file = "numba_scaled_total.ptx";
    for block in ["2", "16", "32", "48", "64", "128"] {
        let told = check(&[file, "--launch", &format!("<<<,{block}>>>")]);
        assert_eq!(told.code, Some(2), "{block}: {}{}", told.out, told.beside);
        let no_product = "this does not look like a product: ";
        let proposed = proposed(&told.beside);
        let says = told.beside.contains(no_product) && proposed.starts_with("(void)(numba:p1:f32[");
        assert!(says, "{block}: {}", told.beside);
        let words = format!("<<<,{block}>>>");
        let told = check(&[file, "--launch", &words, "--launch", proposed]);
        assert_eq!(told.code, Some(0), "{block}: {proposed}: {}{}", told.out, told.beside);
    }
    let words = "(void)<<<128,32>>>(numba:p1:f32[4096],numba:p2:f32[4096],numba:p3:f32[128])";
    let told = check(&[file, "--launch", words]);
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.beside);
    assert!(told.out.contains("not judged") && !told.out.contains("WRONG"), "{}", told.out);
}

/// A truth among the arguments of a template has a name of its own in what NVRTC compiles.
#[test]
fn instances_of_a_truth_are_those_that_the_host_launches() {
    let text = "template <bool TWICE> __global__ void k(float *a) { a[threadIdx.x] = TWICE ? 2 : 1; }\n\
                int main() { float *a; cudaMalloc(&a, 128); k<true><<<1, 32>>>(a); k<false><<<1, 32>>>(a); }\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("truth.cu").display().to_string();
    std::fs::write(&file, text).expect("written");
    for compiler in compilers("instances of a truth") {
        let run = check(&[&file, "--compiler", compiler]);
        assert_eq!(run.code, Some(0), "{compiler}: {}", run.beside);
        for one in ["k<true>", "k<0>"] {
            let run = check(&[&file, "--compiler", compiler, "--launch", one]);
            assert_eq!(run.code, Some(0), "{compiler} {one}: {}", run.beside);
        }
    }
}

/// Its output as JSON.
fn json(told: &Told) -> Value {
    serde_json::from_str(&told.out).expect(&told.beside)
}

/// The same question of three judges: why is the result wrong?
#[test]
fn a_result_is_judged_by_another_kernel_by_the_host_and_by_a_file() {
    let file = "softmax_of_rows.cu";
    for (judge, beside) in [("softmax_naive", "softmax_naive"), ("host", "what the host expects")] {
        let told = plain(file, &["--same-as", judge]);
        assert_eq!(told.code, Some(1), "{}{}", told.out, told.beside);
        let wrong = format!("out is WRONG beside {beside}: ");
        assert!(told.out.contains(&wrong), "{}", told.out);
        assert!(
            told.out.contains("out[0] is stored at line 19 by thread 0 of block (0,0)"),
            "{}",
            told.out
        );
        let found = json(&plain(file, &["--same-as", judge, "--json"]));
        assert_eq!(found["compared"][0]["compared"], 512, "{found}");
        assert_eq!(found["compared"][0]["first"]["index"], 0, "{found}");
        assert_eq!(found["fails"], serde_json::json!(["wrong"]), "{found}");
    }
    // One row of a warp: each judge finds it right.
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(format!("{}/{FOLDER}/{file}", env!("CARGO_MANIFEST_DIR")));
    let text =
        text.expect("it is there").replace("cols = 64", "cols = 32").replace(", 64>>>", ", 32>>>");
    let narrow = folder.path().join("narrow.cu");
    std::fs::write(&narrow, text).expect("written");
    let narrow = narrow.display().to_string();
    for judge in ["softmax_naive", "host"] {
        let told = plain(&narrow, &["--same-as", judge]);
        assert_eq!(told.code, Some(0), "{}{}", told.out, told.beside);
        assert!(told.out.contains("out is right beside"), "{}", told.out);
    }
    let numbers = folder.path().join("numbers.txt");
    let expect = numbers.display().to_string();
    std::fs::write(&numbers, "[1e-4, 2,\n3.5f]").expect("written");
    let told = plain(&narrow, &["--expect", &expect]);
    assert_eq!(told.code, Some(1), "{}{}", told.out, told.beside);
    assert!(
        told.out.contains("out is WRONG beside") && told.out.contains("of 3 elements"),
        "{}",
        told.out
    );
    let loose = plain(&narrow, &["--expect", &expect, "--tolerance", "2"]);
    assert_eq!(loose.code, Some(0), "{}{}", loose.out, loose.beside);
    let other = plain(&narrow, &["--expect", &format!("d_none={expect}")]);
    assert_eq!(other.code, Some(2), "{}", other.out);
    assert!(other.beside.contains("no buffer is called `d_none`"), "{}", other.beside);
    std::fs::write(&numbers, "1 two").expect("written");
    let told = plain(&narrow, &["--expect", &expect]);
    assert!(told.beside.contains("`two` is no number"), "{}", told.beside);
}

#[test]
fn a_host_that_checks_by_a_formula_is_a_judge_too() {
    let told = plain("scan_of_blocks.cu", &["--same-as", "host"]);
    assert_eq!(told.code, Some(1), "{}{}", told.out, told.beside);
    assert!(told.out.contains("out is WRONG beside what the host expects: "), "{}", told.out);
    assert!(told.out.contains("of 1,000 elements, the first out[128]"), "{}", told.out);
    let mended = std::fs::read_to_string(format!(
        "{}/{FOLDER}/scan_of_blocks.cu",
        env!("CARGO_MANIFEST_DIR")
    ));
    let mended =
        mended.expect("it is there").replace("+= sums[blockIdx.x];", "+= sums[blockIdx.x - 1];");
    let told = of_text(&mended, &["--same-as", "host"]);
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.beside);
    assert!(
        told.out.contains("out is right beside what the host expects: 1,000 elements"),
        "{}",
        told.out
    );
}

#[test]
fn only_what_is_waited_for_is_in_order() {
    let told = plain("two_streams.cu", &[]);
    assert_eq!(told.code, Some(1), "{}{}", told.out, told.beside);
    let race = "race: `scale` (line 14, stream 2) and `add` (line 20, stream 1) both touch";
    assert!(told.out.contains(race), "{}", told.out);
    let sound = plain("two_streams.cu", &["-D", "SOUND"]);
    assert_eq!(sound.code, Some(0), "{}{}", sound.out, sound.beside);
    let short = plain("two_streams.cu", &["--format", "short"]);
    assert!(short.out.contains("two_streams.cu:20:1: error: race: "), "{}", short.out);
}

#[test]
fn all_launches_are_told_as_json_with_one_exit_code() {
    let told = plain("three_kernels_last_races.cu", &["--json"]);
    assert_eq!(told.code, Some(1), "{}", told.beside);
    let found = json(&told);
    let kernels: Vec<_> =
        found["launches"].as_array().into_iter().flatten().map(|one| &one["kernel"]).collect();
    assert_eq!(kernels, ["fill", "twice", "total"]);
    assert_eq!(found["launches"][2]["result"]["findings"][0]["kind"], "race", "{found}");
    assert_eq!(found["fails"], serde_json::json!(["findings"]));
}

/// A loop that is timed launches the same again and again.
#[test]
fn what_a_loop_repeats_is_run_twice_and_counted() {
    let text = "__global__ void twice(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= 2; }\n\
                int main() { float *a; cudaMalloc(&a, 256); cudaMemset(a, 0, 256);\n\
                for (int i = 0; i < 100; i++) twice<<<1, 64>>>(a, 64);\n\
                for (int i = 1; i < 4; i++) twice<<<1, 64>>>(a, 8 * i); }\n";
    let told = of_text(text, &[]);
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.beside);
    let lines: Vec<_> = told.out.lines().filter(|line| line.contains("line ")).collect();
    assert_eq!(lines.len(), 5, "{}", told.out);
    assert!(lines[1].ends_with(", and 98 more like it"), "{}", told.out);
    assert!(lines[4].contains("103  line 4"), "{}", told.out);
}

#[test]
fn a_constant_that_follows_from_another_one_changes_with_it_alone() {
    let text = "const static int width = 4096;\nconst int tile = 16;\n\
                __global__ void copy(float *in, float *out, int w) {\n\
                int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;\n\
                out[y * w + x] = in[x * w + y]; }\n\
                int main() { float *a, *b; cudaMalloc(&a, width * width * sizeof(float));\n\
                cudaMalloc(&b, width * width * sizeof(float)); cudaMemset(a, 0, width * width * 4);\n\
                int blocks = width / tile; copy<<<dim3(blocks, blocks), dim3(tile, tile)>>>(a, b, width); }\n";
    let told = of_text(text, &[]);
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.beside);
    assert!(told.beside.contains("instead of 4096 in line 1"), "{}", told.beside);
    assert!(!told.beside.contains("blocks ="), "{}", told.beside);
}

#[test]
fn products_of_a_batch_may_lie_apart() {
    let program = |stride: &str, k: &str| {
        format!(
            "__global__ void gemm(const float *A, const float *B, float *C, int M, int N, int K, int strideA, int strideB, int strideC) {{\n\
             int b = blockIdx.z, i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 8 + threadIdx.x; float s = 0;\n\
             if (i >= M || j >= N) return;\n\
             for (int k = 0; k < {k}; ++k) s += A[b * strideA + i * K + k] * B[b * strideB + k * N + j];\n\
             C[b * strideC + i * N + j] = s; }}\n\
             int main() {{ const int M = 16, N = 24, K = 12, batch = 3; float *A, *B, *C;\n\
             cudaMalloc(&A, batch * {stride} * sizeof(float)); cudaMalloc(&B, batch * K * N * sizeof(float));\n\
             cudaMalloc(&C, batch * M * N * sizeof(float));\n\
             gemm<<<dim3(3, 2, batch), dim3(8, 8)>>>(A, B, C, M, N, K, {stride}, K * N, M * N); }}\n"
        )
    };
    for stride in ["192", "256"] {
        let told = of_text(&program(stride, "K"), &[]);
        assert_eq!(told.code, Some(0), "{}{}", told.out, told.beside);
        assert!(told.out.contains("C is right: 3 products of 16x24x12"), "{}", told.out);
        let wrong = of_text(&program(stride, "K - 1"), &[]);
        assert_eq!(wrong.code, Some(1), "{}{}", wrong.out, wrong.beside);
    }
}

/// An order of turns that can be read, however long the loop is.
#[test]
fn the_order_that_proves_a_race_in_a_long_loop_is_short() {
    let told = check(&["--prove", "tile_reused_long_loop.cu", "--compiler", "matviz"]);
    assert_eq!(told.code, Some(1), "{}", told.beside);
    assert!(told.out.len() <= 4096, "{} bytes", told.out.len());
}
