//! Faults of which public reports told, each kind with cases of its own: what was missed, what was said
//! wrongly, and what stopped the program.

use std::process::{Command, Output};

/// The exit code, and all that is said of a file.
fn check(text: &str, options: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    std::fs::write(&file, text).expect("written");
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.arg("check").arg(&file).args(["--compiler", "matviz"]).args(options);
    let Output { status, stdout, stderr } = matviz.output().expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code(), text(&stdout) + &text(&stderr))
}

/// Each is checked with its launch, and ends with this code after saying this.
fn expect(cases: &[(&str, &str, i32, &str)]) {
    for (text, launch, code, said) in cases {
        let option = if launch.is_empty() { vec![] } else { vec!["--launch", *launch] };
        let (ended, told) = check(text, &option);
        assert_eq!(ended, Some(*code), "{text}\n{told}");
        assert!(told.contains(said), "`{said}` is missing\n{text}\n{told}");
    }
}

/// A `main` that allocates `x` and `y` of 64 floats each, does `between`, and launches `k`.
fn with_main(kernel: &str, between: &str) -> String {
    format!(
        "#include <cuda_runtime.h>\n{kernel}\nint main() {{ float h[64]; float *x, *y;\n\
         for (int i = 0; i < 64; i++) h[i] = i;\n\
         cudaMalloc(&x, 64 * sizeof(float)); cudaMalloc(&y, 64 * sizeof(float));\n{between}\n\
         k<<<1, 64>>>(x, y); cudaDeviceSynchronize(); }}\n"
    )
}

const TWICE: &str =
    "__global__ void k(float* x, float* y) { int i = threadIdx.x; y[i] = 2 * x[i]; }";

/// What the host puts into a buffer is there, and nothing else.
#[test]
fn contents_are_those_that_the_host_gives() {
    let all = "cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);";
    let half = "cudaMemcpy(x, h, 32 * sizeof(float), cudaMemcpyHostToDevice);";
    let cleared = "cudaMemset(x, 0, 48 * sizeof(float));";
    let from_nowhere = "cudaMemcpy(x, y, 64 * sizeof(float), cudaMemcpyDeviceToDevice);";
    for (between, code, said) in [
        (all, 0, "not judged"),
        (half, 1, "loads x[32] at line 2, which was never stored"),
        (cleared, 1, "loads x[48] at line 2, which was never stored"),
        (from_nowhere, 1, "loads x[0] at line 2, which was never stored"),
    ] {
        expect(&[(&with_main(TWICE, between), "", code, said)]);
    }
}

/// A word that is never stored is told unless its value goes nowhere.
#[test]
fn words_never_stored_matter_where_likely_data_does() {
    let of = |body: &str| {
        format!(
            "__global__ void k(const float* in, float* out) {{\n__shared__ float s[64]; __shared__ int f[64];\nint i = threadIdx.x; {body} }}\n"
        )
    };
    let launch = "(void)<<<1,32>>>(in:f32[32],out:f32[32])";
    for (body, code) in [
        // A flag that must be exactly 1.
        ("if (i < 8) f[i] = 0; __syncthreads(); out[i] = f[i] == 1 ? 1.0f : 0.0f;", 1),
        // Products of two such words have one sign.
        ("if (i < 8) s[i] = in[i]; __syncthreads(); out[i] = s[i] * s[i] > 1.0f ? 1.0f : 0.0f;", 1),
        // The nearest of several.
        (
            "if (i < 20) s[i] = in[i]; __syncthreads(); int best = 0;\n\
             for (int j = 0; j < 32; ++j) if (fabsf(s[j] - in[i]) < fabsf(s[best] - in[i])) best = j; out[i] = best;",
            1,
        ),
        // Nobody uses these.
        ("if (i < 8) s[i] = in[i]; __syncthreads(); float v = s[i]; out[i] = i < 8 ? v : 0.0f;", 0),
        ("if (i < 8) f[i] = 3; __syncthreads(); out[i] = f[i] & 0;", 0),
    ] {
        expect(&[(&of(body), launch, code, if code == 1 { "never stored" } else { "not judged" })]);
    }
}

/// Buffers are as long as the host makes them, whatever is accessed.
#[test]
fn an_access_that_leaves_what_the_host_allocates_is_told() {
    let shifted = "__global__ void k(float* x, float* y) { int i = threadIdx.x; y[i] = x[i + 1]; }";
    let before = "__global__ void k(float* x, float* y) { int i = threadIdx.x; y[i] = x[i - 1]; }";
    let copy = "cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);";
    let of_structures = "#include <cuda_runtime.h>\n\
         struct Dot { char tag; double w; };\n\
         __global__ void k(Dot* all, int n) { int i = threadIdx.x; if (i <= n) all[i].w = i; }\n\
         int main() { Dot* d; cudaMalloc(&d, 40 * sizeof(Dot)); k<<<1, 64>>>(d, 40); }\n";
    expect(&[
        (&with_main(shifted, copy), "", 1, "where x[64] would be"),
        (&with_main(before, copy), "", 1, "outside"),
        (of_structures, "", 1, "outside"),
        (&of_structures.replace("i <= n", "i < n"), "", 0, "not judged"),
    ]);
}

/// Small arrays and several outputs, with and without a launch.
#[test]
fn nothing_ends_in_a_crash() {
    let several = "__global__ void k(const float* in, float* low, float* high, int n) {\n\
                   __shared__ float one; __shared__ int two[2]; __shared__ double three[1][1];\n\
                   int i = threadIdx.x; if (i == 0) { one = in[0]; two[1] = n; three[0][0] = 1; } __syncthreads();\n\
                   low[i] = one; high[i] = two[1] + three[0][0]; }\n";
    let given = "(void)<<<1,32>>>(in:f32[32],low:f32[32],high:f32[32],n=3)";
    let empty = "__global__ void k() {}\n";
    let none = "__global__ void k(int* a, int* b, int* c, int* d) { __shared__ int s[1]; s[0] = *a; *b = *c = *d = s[0]; }\n";
    expect(&[
        (several, "", 2, "missing"),
        (several, given, 0, "not judged"),
        (empty, "<<<1,1>>>", 0, "k"),
        (none, "", 2, "missing"),
    ]);
}

/// Who gives no arguments of a kernel that is not judged is given some with which it runs.
#[test]
fn what_is_proposed_for_missing_arguments_runs_as_it_stands() {
    let text = "__global__ void k(const float* in, int* out, int n) {\n\
                int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] > 0; }\n";
    let (code, told) = check(text, &["--launch", "(void)<<<2,32>>>"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(!told.contains("A x B") && !told.contains("A, B and C"), "{told}");
    let (_, proposed) = told.split_once("--launch '").expect("a proposal");
    let (proposed, _) = proposed.split_once('\'').expect("its end");
    assert_eq!(proposed, "(void)(in:f32[64],out:i32[64],n=64)");
    let (code, told) = check(text, &["--launch", "<<<2,32>>>", "--launch", proposed]);
    assert_eq!(code, Some(0), "{told}");
}

/// The advice for what is lost between a load and a store is no barrier.
#[test]
fn advice_is_true() {
    let of = |body: &str| {
        format!(
            "__global__ void k(int* count, const int* in, int* out) {{\nint i = threadIdx.x;\n{body} }}\n"
        )
    };
    let launch = "(void)<<<1,64>>>(count:i32[1]=0,in:i32[64],out:i32[64])";
    let apart = of("int before = *count;\nint after = before + 1;\n*count = after;");
    let one_line = of("*count += in[i];");
    let early = of("if (i < 40) {\nout[i] = in[i];\n__syncthreads();\n}\nelse\nout[i] = 0;");
    expect(&[
        (&apart, launch, 1, "add with atomicAdd"),
        (&one_line, launch, 1, "add with atomicAdd"),
        (&early, launch, 1, "barrier"),
    ]);
    let (_, told) = check(&early, &["--launch", launch]);
    assert!(!told.contains("returning early"), "{told}");
    let shift = of(
        "__shared__ int s[64]; s[i] = in[i]; __syncthreads();\nif (i > 0) s[i] = s[i - 1] + s[i];\n__syncthreads(); out[i] = s[i];",
    );
    let (code, told) = check(&shift, &["--launch", launch]);
    assert_eq!(code, Some(1), "{told}");
    assert!(!told.contains("atomicAdd"), "{told}");
}

/// An order of the warps is told in some words, however long the loops are.
#[test]
fn an_order_that_spoils_a_long_run_is_told_shortly() {
    let text = "__global__ void k(const float* in, float* out) {\n\
                __shared__ float s[256]; int i = threadIdx.x; float sum = 0;\n\
                for (int r = 0; r < ROUNDS; ++r) { s[i] = in[(i + r) % 256]; __syncthreads(); sum += s[(i + 37) % 256]; }\n\
                out[i] = sum; }\n";
    for rounds in ["16", "100", "300"] {
        let launch = "(void)<<<1,256>>>(in:f32[256],out:f32[256])";
        let text = text.replace("ROUNDS", rounds);
        let (_, told) = check(&text, &["--prove", "--launch", launch]);
        assert!(told.len() <= 4096, "{} bytes of {rounds} rounds", told.len());
    }
}

/// What the source declares of the elements counts, not how wide they are accessed.
#[test]
fn the_declared_type_of_an_element_beats_the_width_of_its_access() {
    let of = |ty: &str, wide: &str| {
        format!(
            "__global__ void matmul(const {ty}* A, const {ty}* B, {ty}* C, int n) {{\n\
             int row = blockIdx.y * blockDim.y + threadIdx.y, col = 2 * (blockIdx.x * blockDim.x + threadIdx.x);\n\
             if (row >= n || col >= n) return; {ty} s[2] = {{0, 0}};\n\
             for (int k = 0; k < n; ++k) {{ {wide} b = *({wide}*)&B[k * n + col]; s[0] += A[row * n + k] * b.x; s[1] += A[row * n + k] * b.y; }}\n\
             {wide} v; v.x = s[0]; v.y = s[1]; *({wide}*)&C[row * n + col] = v; }}\n"
        )
    };
    for (ty, wide) in [("int", "int2"), ("float", "float2"), ("unsigned", "uint2")] {
        let text = of(ty, wide);
        let (code, told) =
            check(&text, &["--size", "32", "--launch", "<<<dim3(2, 4), dim3(8, 8)>>>(A,B,C,N)"]);
        assert_eq!(code, Some(0), "{ty}: {told}");
        assert!(told.contains("C is right"), "{ty}: {told}");
    }
}

/// The host's number is the number, however it is called.
#[test]
fn a_constant_of_the_host_is_what_its_buffers_have() {
    for constant in ["#define LEN 300", "const int LEN = 300;", "enum { LEN = 300 };"] {
        let text = format!(
            "{constant}\n__global__ void k(float* x, int n) {{ int i = blockIdx.x * 128 + threadIdx.x; if (i < n) x[i] = i; }}\n\
             int main() {{ float* x; cudaMalloc(&x, LEN * sizeof(float)); k<<<(LEN + 127) / 128, 128>>>(x, LEN); }}\n"
        );
        expect(&[(&text, "", 0, "(x:f32[300],n=300)")]);
    }
}

/// What is no product is not judged as one.
#[test]
fn three_arrays_are_no_product_by_their_names() {
    let program = |body: &str, lengths: [&str; 3]| {
        let [a, b, c] = lengths;
        format!(
            "__global__ void k(const float* A, const float* B, float* C, int N) {{ int i = blockIdx.x * 32 + threadIdx.x;\n{body} }}\n\
             int main() {{ float *A, *B, *C; cudaMalloc(&A, 4 * {a}); cudaMalloc(&B, 4 * {b}); cudaMalloc(&C, 4 * {c}); k<<<2, 32>>>(A, B, C, 64); }}\n"
        )
    };
    let product_with_a_vector =
        "float s = 0; for (int k = 0; k < N; ++k) s += A[i * N + k] * B[k]; C[i] = s;";
    let nearest =
        "float s = A[i]; for (int k = 0; k < N; ++k) s = fminf(s, A[k] + B[k * N + i]); C[i] = s;";
    let scaled = "for (int k = 0; k < N; ++k) C[k * N + i] = A[i] * B[k];";
    for (body, lengths) in [
        (product_with_a_vector, ["64 * 64", "64", "64"]),
        (nearest, ["64", "64 * 64", "64"]),
        (scaled, ["64", "64", "64 * 64"]),
    ] {
        expect(&[(&program(body, lengths), "", 0, "not judged")]);
    }
}

/// One exit code for all that a file launches, wherever it launches it.
#[test]
fn the_last_of_several_launches_counts_as_the_first() {
    let kernels = "__global__ void fill(int* x) { x[threadIdx.x] = 1; }\n\
                   __global__ void shift(int* x) { x[threadIdx.x + 1] = 2; }\n\
                   void twice(int* x) { fill<<<1, 32>>>(x); shift<<<1, 32>>>(x); }\n";
    for launches in [
        "fill<<<1, 32>>>(x); fill<<<1, 16>>>(x); shift<<<1, 32>>>(x);",
        "twice(x);",
        "for (int i = 0; i < 3; i++) if (i == 2) shift<<<1, 32>>>(x); else fill<<<1, 32>>>(x);",
    ] {
        let text = format!("{kernels}int main() {{ int* x; cudaMalloc(&x, 128); {launches} }}\n");
        expect(&[(&text, "", 1, "outside")]);
    }
}

/// Everyday C++ in kernels.
#[test]
fn what_courses_write_is_compiled() {
    for body in [
        "int i(threadIdx.x); if (i >= 0 and not (i < 0)) out[i] = in[i] or 0;",
        "auto twice = [](float v) { return 2 * v; }; out[threadIdx.x] = twice(in[threadIdx.x]);",
        "float3 v = make_float3(in[0], in[1], in[2]); float s, c; sincosf(v.x, &s, &c); out[threadIdx.x] = s + c + v.y;",
        "union { float f; unsigned u; } bits; bits.f = in[threadIdx.x]; out[threadIdx.x] = bits.u >> 31;",
    ] {
        let text = format!("__global__ void k(const float* in, float* out) {{ {body} }}\n");
        expect(&[(&text, "(void)<<<1,32>>>(in:f32[32],out:f32[32])", 0, "not judged")]);
    }
}

/// Programs of which something is missing say what, or are given the usual number.
#[test]
fn what_the_user_of_a_program_gives_it_is_said() {
    let program = |taken: &str| {
        format!(
            "#include <iostream>\n__global__ void k(float* x, int n) {{ int i = blockIdx.x * 32 + threadIdx.x; if (i < n) x[i] = i; }}\n\
             int main(int argc, char** argv) {{ int n; {taken}\n\
             float* x; cudaMalloc(&x, n * sizeof(float)); k<<<(n + 31) / 32, 32>>>(x, n); }}\n"
        )
    };
    for (taken, said) in [
        ("std::cin >> n;", "n = 64: the program reads it in line 3"),
        ("if (scanf(\"%d\", &n) != 1) return 1;", "n = 64: the program reads it in line 3"),
        ("if (argc != 2) return 1; n = atoi(argv[1]);", "64 for each argument of the program"),
        ("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); n = p.warpSize;", "an H100 in line 3"),
    ] {
        expect(&[(&program(taken), "", 0, said)]);
    }
}

/// A program that changes its launch a thousand times is checked in some of them.
#[test]
fn many_launches_of_a_line_are_checked_in_some() {
    let text = "__global__ void k(int* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }\n\
                int main() { int* x; cudaMalloc(&x, 4000);\n\
                for (int b = 1; b <= 40; b++) for (int t = 1; t <= 40; t++) k<<<b, t>>>(x, 1000);\n\
                for (int b = 1; b <= 40; b++) k<<<b, 32>>>(x, fgetc(stdin)); }\n";
    let (code, told) = check(text, &[]);
    assert!(told.contains(", and 1568 more like it"), "{told}");
    assert_eq!(told.matches("is not checked").count(), 1, "{code:?} {told}");
}
