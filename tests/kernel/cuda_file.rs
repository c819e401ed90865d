//! A `.cu` file as it lies on somebody's disk: it is taken with the host's code in it.

use crate::compilers::compilers;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const FOLDER: &str = "tests/data/kernel/host";

fn sim(args: &[&str]) -> Output {
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.current_dir(env!("CARGO_MANIFEST_DIR"));
    matviz.args(["check", "--json"]).args(args).output().expect("the binary runs")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    let told = told(output);
    serde_json::from_slice(&output.stdout).expect(&told)
}

#[test]
fn a_file_with_its_main_runs_as_its_main_launches_it() {
    let whole = format!("{FOLDER}/whole.cu");
    let run = sim(&[&whole, "--compiler", "matviz", "--size", "60,52,84"]);
    let (told, found) = (told(&run), json(&run));
    assert_eq!(run.status.code(), Some(0), "{told}");
    assert_eq!(found["wrong"], Value::Null, "{found}");
    assert!(told.contains("<<<7x8,8x8>>>: as line 53 launches it"), "{told}");
    assert!(told.contains("(A,B,C,M,N,K): by the names of the parameters"), "{told}");
}

#[test]
fn the_command_line_comes_before_the_file() {
    let whole = format!("{FOLDER}/whole.cu");
    let run = sim(&[&whole, "--compiler", "matviz", "--size", "32", "--launch", "<<<1x1,>>>"]);
    assert!(told(&run).contains("<<<1x1,8x8>>>"), "{}", told(&run));
    // One block leaves the rest of C as it was.
    assert_eq!(json(&run)["wrong"]["elements"], 32 * 32 - 8 * 8, "{}", json(&run));
}

#[test]
fn an_error_names_the_line_of_the_whole_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join("whole.cu"),
    );
    let text = text.expect("it is there").replace("float sum = 0.0f;", "float sum = 0.0f");
    let file = folder.path().join("slip.cu");
    std::fs::write(&file, text).expect("written");
    let run = sim(&[&file.display().to_string(), "--compiler", "matviz"]);
    assert_eq!(run.status.code(), Some(3));
    assert!(told(&run).contains("slip.cu:28:21: a `;` is missing after `0.0f`"), "{}", told(&run));
}

#[test]
fn a_file_without_a_kernel_says_so_and_names_the_headers_that_are_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("main.cu");
    std::fs::write(&file, "#include \"kernels.cuh\"\nint main() { run(); }\n").expect("written");
    let run = sim(&[&file.display().to_string()]);
    assert_eq!(run.status.code(), Some(2));
    let told = told(&run);
    assert!(told.contains("main.cu has no kernel: nothing in it is __global__"), "{told}");
    assert!(told.contains("left out: kernels.cuh"), "{told}");
}

#[test]
fn a_template_is_compiled_for_the_arguments_of_its_launches() {
    let template = format!("{FOLDER}/template.cu");
    for compiler in compilers("its templates and headers") {
        launched_template(&template, compiler);
    }
}

fn launched_template(template: &str, compiler: &str) {
    let sim = |args: &[&str]| sim(&[&[template, "--compiler", compiler], args].concat());
    let several = told(&sim(&["--size", "64"]));
    assert!(several.contains("assuming mm<"), "{several}");
    assert!(several.contains("launched too: mm<"), "{several}");
    let run = sim(&["--size", "64", "--launch", "mm<16,float>"]);
    let (told, found) = (told(&run), json(&run));
    assert_eq!(run.status.code(), Some(0), "{told}");
    assert_eq!(found["wrong"], Value::Null, "{found}");
    assert!(told.contains("<<<4x4,16x16>>>: as line 16 launches it"), "{told}");
    assert!(told.contains("(A,B,C,N)"), "{told}");
}

/// Of several kernels that the host launches, one is run: that which is called like a product.
#[test]
fn of_several_kernels_the_product_is_run_and_the_others_are_named() {
    let text = "__global__ void fill(float* C) { C[threadIdx.x] = 0; }\n\
                __global__ void matmul(const float* A, const float* B, float* C, int N) {\n\
                int i = blockIdx.y, j = threadIdx.x; float s = 0;\n\
                for (int k = 0; k < N; ++k) s += A[i * N + k] * B[k * N + j]; C[i * N + j] = s; }\n\
                int main() { int N = 512; float *a, *b, *c; fill<<<1, 32>>>(c);\n\
                matmul<<<dim3(1, N), N>>>(a, b, c, N); }\n";
    let told = told_of(text, &["--compiler", "matviz", "--size", "32"]);
    assert!(told.contains("assuming matmul; launched too: fill"), "{told}");
    assert!(told.contains("<<<1x32,32x1>>>: as line 6 launches it"), "{told}");
}

/// The host's words for a kernel that is no product: nothing is asked.
#[test]
fn a_kernel_that_is_no_product_runs_with_the_buffers_of_the_host() {
    let text = "__global__ void twice(float* in, float* out, int n, float by) {\n\
                int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = by * in[i]; }\n\
                int main() { const int n = 1 << 20; size_t bytes = n * sizeof(float); float *a, *b;\n\
                cudaMalloc(&a, bytes); cudaMalloc(&b, bytes); twice<<<(n + 255) / 256, 256>>>(a, b, n, 2.0f); }\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    std::fs::write(&file, text).expect("written");
    let run = sim(&[&file.display().to_string(), "--compiler", "matviz", "--size", "64"]);
    let (told, found) = (told(&run), json(&run));
    let words = "(in:f32[64],out:f32[64],n=64,by=2.0f): as the host";
    assert!(told.contains(words), "{told}");
    assert!(told.contains("<<<1x1,256x1>>>"), "{told}");
    assert_eq!(found["result"], "any");
    assert_eq!(found["findings"].as_array().map(Vec::len), Some(0), "{found}");
}

/// A kernel with the parameters of a product that is none is not told that its C is wrong.
#[test]
fn a_matrix_times_a_vector_is_no_wrong_product() {
    let kernel = |name: &str| {
        format!(
            "__global__ void {name}(const float* A, const float* B, float* C, int N) {{\n\
             int i = threadIdx.x; float s = 0; for (int k = 0; k < N; ++k) s += A[i * N + k] * B[k];\n\
             C[i] = s; }}\n\
             int main() {{ int N = 64; float *a, *b, *c; cudaMalloc(&a, N * N * sizeof(float));\n\
             cudaMalloc(&b, N * sizeof(float)); cudaMalloc(&c, N * sizeof(float));\n"
        )
    };
    let launch = |name: &str| format!("{name}<<<1, N>>>(a, b, c, N); }}\n");
    for name in ["product", "gemv"] {
        let text = kernel(name) + &launch(name);
        let told = told_of(&text, &["--compiler", "matviz", "--size", "64"]);
        assert!(told.contains("(A:f32[4096],B:f32[64],C:f32[64],N=64)"), "{told}");
    }
}

/// A launch in a wrapper is followed to its caller: the kernel, the shapes.
#[test]
fn a_launch_with_the_parameters_of_a_function_is_that_of_its_call() {
    let text = "__global__ void mm(const float* A, const float* B, float* C, int N) {\n\
                int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 8 + threadIdx.x; float s = 0;\n\
                for (int k = 0; k < N; ++k) s += A[i * N + k] * B[k * N + j]; C[i * N + j] = s; }\n\
                void run(void (*kernel)(const float*, const float*, float*, int), dim3 grid, dim3 block) {\n\
                float *a, *b, *c; int N; kernel<<<grid, block>>>(a, b, c, N); }\n\
                int main() { const int N = 256, T = 8; void (*one)(const float*, const float*, float*, int) = mm;\n\
                dim3 block(T, T); dim3 grid(N / T, N / T); run(one, grid, block); }\n";
    let told = told_of(text, &["--compiler", "matviz", "--size", "32"]);
    assert!(told.contains("<<<4x4,8x8>>>: as line 5 launches it"), "{told}");
}

#[test]
fn a_launch_that_is_not_reached_is_none() {
    let kernel = "template <int T> __global__ void mm(const float* A, const float* B, float* C, int N) {\n\
                  int i = blockIdx.y * T + threadIdx.y, j = blockIdx.x * T + threadIdx.x; float s = 0;\n\
                  for (int k = 0; k < N; ++k) s += A[i * N + k] * B[k * N + j]; C[i * N + j] = s; }\n";
    let host = "int main() { float *a, *b, *c; int N, tile = 8; dim3 block(tile, tile), grid(N / tile, N / tile);\n\
                if (tile == 16) { mm<16><<<grid, block>>>(a, b, c, N); }\n\
                else { mm<8><<<grid, block>>>(a, b, c, N); } }\n";
    let told = told_of(&format!("{kernel}{host}"), &["--compiler", "matviz", "--size", "32"]);
    assert!(told.contains("<<<4x4,8x8>>>: as line 6 launches it"), "{told}");
    assert!(!told.contains("launched too"), "{told}");
}

#[test]
fn dynamic_shared_memory_is_computed_or_asked_for() {
    let kernel = "__global__ void mm(const float* A, const float* B, float* C, int N) {\n\
                  extern __shared__ float s[]; s[threadIdx.x] = A[threadIdx.x]; __syncthreads();\n\
                  float t = 0; for (int k = 0; k < N; ++k) t += s[k] * B[k]; C[threadIdx.x] = t; }\n";
    let host = |bytes: &str| {
        format!(
            "size_t needed() {{ size_t least = 32 * sizeof(float); printf(\"\"); return least; }}\n\
             int main(int count, char** list) {{ float *a, *b, *c; int N; mm<<<1, 32, {bytes}>>>(a, b, c, N); }}\n"
        )
    };
    let told = |bytes| {
        told_of(&format!("{kernel}{}", host(bytes)), &["--compiler", "matviz", "--size", "32"])
    };
    let computed = told("needed()");
    assert!(computed.contains("<<<1x1,32x1>>>: as line"), "{computed}");
    let asked = told("atoi(list[1])");
    assert!(asked.contains("the shared memory is missing") && asked.contains("line 5"), "{asked}");
}

/// CUDA C++ in the fences of a Markdown text.
#[test]
fn a_kernel_in_a_markdown_text_is_read_with_its_lines() {
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join("whole.cu"),
    );
    let text = format!("# My kernel\n\nIt works.\n```cuda\n{}```\n", text.expect("it is there"));
    let told = told_of(&text, &["--compiler", "matviz", "--size", "32"]);
    assert!(told.contains("as line 57 launches it"), "{told}");
}

/// To measure, NVRTC compiles; what it says of a file that is outside matviz's CUDA is what helps.
#[test]
fn to_measure_the_log_is_that_of_the_compiler_that_takes_the_file() {
    if !compilers("its templates and headers").contains(&"nvrtc") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("halves.cu");
    let text =
        "#include <cuda_fp16.h>\n__global__ void own(__half* a) { *a = not_declared(*a); }\n";
    std::fs::write(&file, text).expect("written");
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.args([
        "bench",
        "--launch",
        "(void)",
        "--launch",
        "(a:f16[32])",
        "--launch",
        "<<<,32>>>",
    ]);
    let run = matviz.arg(&file).output().expect("the binary runs");
    assert_eq!(run.status.code(), Some(3), "{}", told(&run));
    assert!(told(&run).contains("not_declared"), "{}", told(&run));
}

/// What sim says of a text as a file.
fn told_of(text: &str, args: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    std::fs::write(&file, text).expect("written");
    told(&sim(&[&[&*file.display().to_string()], args].concat()))
}

/// An access past the edge of doubles is no access of doubles to float32; and the arguments that are
/// proposed beside it describe the buffers that the host allocates.
#[test]
fn what_is_advised_at_the_edges_knows_the_types_and_the_sizes() {
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.current_dir(env!("CARGO_MANIFEST_DIR"));
    let doubles = format!("{FOLDER}/doubles.cu");
    matviz.args(["check", &doubles, "--compiler", "matviz", "--size", "60"]);
    let run = matviz.output().expect("the binary runs");
    let text = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(1), "{text}");
    assert!(text.contains("Guard the access"), "{text}");
    assert!(!text.contains("float32") && !text.contains("--launch '(A:f64"), "{text}");
    let buffers = "A:f64[3600],B:f64[3600],C:f64[3600],M=60,N=60,K=60";
    assert!(text.contains(buffers), "{text}");
}

/// References, names for types and deduced arguments mean the same to each compiler.
#[test]
fn a_kernel_with_references_computes_the_same_c_whoever_compiles_it() {
    let names = format!("{FOLDER}/names.cu");
    for size in ["64", "33,20,17"] {
        let run = |compiler| sim(&[&names, "--compiler", compiler, "--size", size]);
        let all: Vec<_> = compilers("its templates and headers").into_iter().map(run).collect();
        let first = json(&all[0]);
        for run in &all {
            let found = json(run);
            assert_eq!(run.status.code(), Some(0), "{}", told(run));
            assert!(found["c_sha256"].is_string(), "{found}");
            assert_eq!(found["c_sha256"], first["c_sha256"], "{size}");
            assert_eq!(found["wrong"], Value::Null, "{found}");
            assert_eq!(found["findings"].as_array().map(Vec::len), Some(0), "{found}");
        }
    }
}

/// A size in the host's code is that of the run, which is said, where no kernel has it compiled in.
#[test]
fn a_grid_is_that_of_the_size_that_is_run() {
    let names = format!("{FOLDER}/names.cu");
    let run = sim(&[&names, "--compiler", "matviz", "--size", "64"]);
    let told_here = told(&run);
    assert!(told_here.contains("<<<8x8,8x8>>>: as line"), "{told_here}");
    assert!(told_here.contains("N = 64 instead of 4096"), "{told_here}");
    let kernel = "__global__ void k(const float* A, const float* B, float* C) {\n\
                  int i = blockIdx.x * 64 + threadIdx.x; float s = 0;\n\
                  for (int t = 0; t < N; ++t) s += A[t] * B[t * N + i]; C[i] = s; }\n\
                  int main() { k<<<N / 64, 64>>>(0, 0, 0); }\n";
    let args = ["--compiler", "matviz", "--size", "64"];
    let compiled_in = told_of(&format!("#define N 256\n{kernel}"), &args);
    assert!(compiled_in.contains("<<<1x1,64x1>>>: as line"), "{compiled_in}");
    assert!(compiled_in.contains("N = 64 instead of 256 in line 1"), "{compiled_in}");
    // Whatever else it is the extent of has the size that is asked for as well.
    let kernel = kernel.replace("float s = 0;", "float s = 0; __shared__ float t[N]; t[i] = s;");
    let fixed = told_of(&format!("#define N 256\n{kernel}"), &args);
    assert!(fixed.contains("N = 64 instead of 256 in line 1"), "{fixed}");
}

#[test]
fn a_grid_of_no_blocks_is_told_with_the_size_that_has_some() {
    let text = "__global__ void k(const float* A, const float* B, float* C, int N) {\n\
                for (int j = blockIdx.x; j < N; j += gridDim.x) { int i = threadIdx.x; float s = 0; if (i >= N) return; \
                for (int t = 0; t < N; ++t) s += A[j * N + t] * B[t * N + i]; C[j * N + i] = s; } }\n\
                int main(int n, char** s) { int N = n; dim3 grid(N / 128, N / 96); k<<<grid, 128>>>(0, 0, 0, N); }\n";
    let args = |size| ["--compiler", "matviz", "--size", size];
    let none = told_of(text, &args("64"));
    assert!(none.contains("line 3 launches `k` with a grid of 0 x 0 x 1 blocks"), "{none}");
    assert!(
        none.contains("give --size 128 or more, or give the blocks, --launch '<<<1,>>>'"),
        "{none}"
    );
    let some = told_of(text, &args("128"));
    assert!(some.contains("<<<1x1,128x1>>>: as line 3 launches it"), "{some}");
    let given = told_of(text, &[&args("64")[..], &["--launch", "<<<2,>>>"]].concat());
    assert!(given.contains("<<<2x1,128x1>>>: as line 3 launches it"), "{given}");
}

#[test]
fn a_file_that_does_not_load_says_what_it_needs() {
    let template =
        "template <typename T, int B> __global__ void mm(const T* A, T* C) { C[B] = A[0]; }\n";
    let two =
        format!("{template}template <int B> __global__ void fill(float* A) {{ A[B] = 0; }}\n");
    let told = told_of(&two, &["--compiler", "matviz"]);
    assert!(told.contains("`mm` is a template"), "{told}");
    assert!(told.contains("--launch 'mm<float, 16>'"), "{told}");
    // What would not compile is not proposed: an array of 16 - 16 x 16 elements.
    let rounds = "template <int Rows, int Step> __global__ void mm(const float* A, float* C) {
                  float part[Rows - 16 * Step];
 part[0] = A[0];
 C[0] = part[0];
}
";
    let told = told_of(rounds, &["--compiler", "matviz"]);
    assert!(told.ends_with("with --launch 'mm<...>', a value for each of Rows, Step\n"), "{told}");
    let both =
        "__global__ void a(float* x) { x[0] = 1; }\n__global__ void b(float* x) { x[0] = 2; }\n";
    let told = told_of(both, &["--compiler", "matviz"]);
    assert!(told.contains("for example --launch a"), "{told}");
    // A buffer of the type that the source declares, and of the bytes that the host allocates.
    let own = "__global__ void fill(unsigned* bins, int n) { if (threadIdx.x < n) bins[threadIdx.x] = 1; }\n\
               int main() { unsigned* d; cudaMalloc(&d, 40 * sizeof(unsigned)); fill<<<1, 32>>>(d, 40); }\n";
    let told = told_of(own, &["--compiler", "matviz"]);
    assert!(told.contains("(bins:u32[40],n=40)"), "{told}");
    let flat = own.replace("1, 32", "1, dim3(8, 4)").replace("fill<<<1", "fill<<<unknown");
    let told = told_of(&flat, &["--compiler", "matviz"]);
    assert!(told.contains("--launch '(void)(bins:u32[40],n=40)'"), "{told}");
}

#[test]
fn a_part_of_a_program_is_told_with_the_file_that_includes_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("part.cu", "__global__ void k(Real* c) { c[0] = 1; }\n").expect("written");
    write("whole.cu", "typedef float Real;\n#include \"part.cu\"\n").expect("written");
    let part = folder.path().join("part.cu").display().to_string();
    let told = told(&sim(&[&part, "--compiler", "matviz"]));
    assert!(told.contains("whole.cu includes this file: "), "{told}");
}

#[test]
fn a_kernel_in_a_header_is_shown_with_the_headers_lines_whoever_compiles_it() {
    let main = format!("{FOLDER}/apart/main.cu");
    for compiler in compilers("its templates and headers") {
        let run = sim(&[&main, "--compiler", compiler, "--size", "32,48,64"]);
        let (told, found) = (told(&run), json(&run));
        assert!(told.contains("include: kernel.cuh is there"), "{told}");
        assert!(told.contains("<<<6x4,8x8>>>: as line 12 launches it"), "{told}");
        let race = &found["findings"][0];
        assert_eq!(race["kind"], "race", "{compiler}: {found}");
        let text = race.to_string();
        assert!(text.contains("\"line\":17") && text.contains("\"line\":15"), "{text}");
        assert!(text.contains("at line 17 of kernel.cuh"), "{text}");
        assert!(!text.contains("main.cu"), "{text}");
    }
}

#[test]
fn a_launch_is_that_of_the_macros_of_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("main.cu");
    let kernel = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join("include/kernel.cuh"),
    );
    let kernel = kernel.expect("it is there").replace("#include \"tile.h\"", "");
    let host = "int main() { int M, N; dim3 block(TILE, TILE), grid(N / TILE, M / TILE);\n\
                mm<<<grid, block>>>(0, 0, 0, M, N, N); }\n";
    let write = |host: &str| std::fs::write(&file, format!("{kernel}{host}")).expect("written");
    let path = file.display().to_string();
    let told = || told(&sim(&[&path, "--compiler", "matviz", "--size", "64", "-D", "TILE=16"]));
    write(host);
    assert!(told().contains("<<<4x4,16x16>>>: as line"), "{}", told());
    // What a parameter holds is known when the program runs.
    write("void run(dim3 grid, dim3 block) { mm<<<grid, block>>>(0, 0, 0, 1, 1, 1); }\n");
    let asked = told();
    assert!(
        asked.contains("<<<,16x16>>>: a thread for each")
            && asked.contains("only when the program runs"),
        "{asked}"
    );
}

/// A kernel that is compared with cuBLAS, and lays its matrices out in the same way.
#[test]
fn matrices_lie_as_the_host_gives_them_to_cublas() {
    let text = "__global__ void mm(const float* A, const float* B, float* C, int N) {\n\
                int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 8 + threadIdx.x; float s = 0;\n\
                for (int k = 0; k < N; ++k) s += A[i * N + k] * B[j * N + k]; C[j * N + i] = s; }\n\
                int main() { int N = 256; float *A, *B, *C; dim3 block(8, 8), grid(N / 8, N / 8);\n\
                cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, N, N, N, &one, A, N, B, N, &zero, C, N);\n\
                mm<<<grid, block>>>(A, B, C, N); }\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    let run = |text: &str| {
        std::fs::write(&file, text).expect("written");
        sim(&[&file.display().to_string(), "--compiler", "matviz", "--size", "32"])
    };
    let compared = run(text);
    assert_eq!(compared.status.code(), Some(0), "{}", told(&compared));
    let words = "--launch '(A,B:col,C:col,N)': as the host's call of cuBLAS";
    assert!(told(&compared).contains(words), "{}", told(&compared));
    // Without that call it is a mistake, with the arguments that would say otherwise.
    let alone = run(&text.replace("cublasSgemm", "reference"));
    assert_eq!(json(&alone)["wrong"]["cause"]["name"], "column-major", "{}", told(&alone));
}

/// The host gives its matrices sizes of its own, under names of a matrix and a side.
#[test]
fn rows_and_columns_that_are_named_after_their_matrices_are_sizes() {
    let text = "__global__ void product(float* M, float* N, float* P, int row_M, int col_M, int row_N, int col_N) {\n\
                int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n\
                if (row < row_M && col < col_N) { float all = 0;\n\
                for (int k = 0; k < col_M; ++k) all += M[row * col_M + k] * N[k * col_N + col];\n\
                P[row * col_N + col] = all; } }\n\
                int main() { int row_M = 100, col_M = 2, row_N = 2, col_N = 50; float *m, *n, *p;\n\
                cudaMalloc(&m, row_M * col_M * sizeof(float)); cudaMalloc(&n, row_N * col_N * sizeof(float));\n\
                cudaMalloc(&p, row_M * col_N * sizeof(float)); dim3 block(16, 16), grid((col_N + 15) / 16, (row_M + 15) / 16);\n\
                product<<<grid, block>>>(m, n, p, row_M, col_M, row_N, col_N); }\n";
    let (told, found) = run_of(text, &["--compiler", "matviz", "--size", "60,52,84"]);
    assert_eq!(found["result"], "product", "{told}");
    assert_eq!(found["wrong"], Value::Null, "{told}");
    assert!(told.contains("(A,B,C,M,K,K,N)"), "{told}");
}

/// A kernel without a telling name: what its last block touches says that it may be no product.
#[test]
fn a_product_with_a_vector_does_not_look_like_one_of_matrices() {
    let text = "__global__ void apply(const float* A, const float* x, float* y, int n) {\n\
                int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n\
                float s = 0; for (int k = 0; k < n; ++k) s += A[i * n + k] * x[k]; y[i] = s; }\n";
    let args = ["--compiler", "matviz", "--size", "64", "--launch", "<<<,32>>>"];
    let told = refusal_of(text, &args);
    assert!(told.contains("it reads the first 64 elements of `x` alone"), "{told}");
    let words = "say --launch '(void)(A:f32[4096],x:f32[4096],y:f32[4096],n=64)'";
    assert!(told.contains(words), "{told}");
    let (_, judged) = run_of(text, &[&args[..], &["--launch", "C ="]].concat());
    assert!(judged["wrong"]["elements"].as_u64() > Some(3000), "{judged}");
    let (_, words) = words.split_once('\'').expect("arguments");
    let (told, found) =
        run_of(text, &[&args[..], &["--launch", words.trim_matches('\'')]].concat());
    assert_eq!(
        (&found["result"], &found["findings"]),
        (&"any".into(), &Value::Array(Vec::new())),
        "{told}"
    );
    // One that is called like a product is meant as one.
    let (told, judged) = run_of(&text.replace("apply", "matmul"), &args);
    assert!(judged["wrong"]["elements"].as_u64() > Some(3000), "{judged}");
    assert!(!told.contains("does not look like"), "{told}");
}

#[test]
fn a_sum_of_products_of_pairs_does_not_look_like_a_product_of_matrices() {
    let text = "__global__ void together(const float* a, const float* b, float* c, int n) {\n\
                float s = 0; for (int i = threadIdx.x; i < n; i += blockDim.x) s += a[i] * b[i];\n\
                atomicAdd(c, s); }\n";
    let args =
        ["--compiler", "matviz", "--size", "64", "--launch", "<<<,32>>>", "--launch", "<<<1,>>>"];
    let doubt = "this does not look like a product: it reads";
    let told = refusal_of(text, &args);
    assert!(told.contains(doubt), "{told}");
    // The last of these blocks has no pair, and adds its zero all the same.
    let args = [&args[..6], &["--launch", "<<<8,>>>"]].concat();
    let of_grid = "blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += blockDim.x * gridDim.x";
    let text = text.replace("threadIdx.x; i < n; i += blockDim.x", of_grid);
    let told = refusal_of(&text, &args);
    assert!(told.contains(doubt), "{told}");
}

/// Each thread computes four elements of C along y: with the usual grid it leaves the matrices, and the
/// finding names the grid.
#[test]
fn another_grid_than_the_usual_one_is_to_be_stated() {
    let text = "__global__ void four(const float* A, const float* B, float* C, int N) {\n\
                int row = 4 * (blockIdx.y * blockDim.y + threadIdx.y), col = blockIdx.x * blockDim.x + threadIdx.x;\n\
                for (int i = 0; i < 4; ++i) { float s = 0;\n\
                for (int k = 0; k < N; ++k) s += A[(row + i) * N + k] * B[k * N + col]; C[(row + i) * N + col] = s; } }\n";
    let args = ["--compiler", "matviz", "--size", "64", "--launch", "<<<,16x4>>>"];
    let (_, found) = run_of(text, &args);
    let caution = found["findings"][0]["caution"].as_str().unwrap_or_default();
    assert!(caution.contains("the grid (4 x 16 blocks)"), "{found}");
    let (told, found) = run_of(text, &[&args[..], &["--launch", "<<<4x4,>>>"]].concat());
    assert_eq!(
        (&found["wrong"], &found["findings"]),
        (&Value::Null, &Value::Array(Vec::new())),
        "{told}"
    );
}

/// What is no product keeps the host's own number where that is smaller than a side: the kernel may have
/// an array of so many elements.
#[test]
fn a_number_of_the_hosts_stays_as_it_is_unless_a_size_is_asked_for() {
    let text = "__global__ void turned(int* d, int n) { __shared__ int s[64]; int t = threadIdx.x;\n\
                s[t] = d[t]; __syncthreads(); d[t] = s[n - t - 1]; }\n\
                int main() { const int n = 64; int* d; cudaMalloc(&d, n * sizeof(int)); turned<<<1, n>>>(d, n); }\n";
    let (told, found) = run_of(text, &["--compiler", "matviz"]);
    assert!(told.contains("d:i32[64],n=64"), "{told}");
    assert_eq!(found["findings"], Value::Array(Vec::new()), "{found}");
    // The array in the kernel is made for it: at another size that is a finding.
    let (told, found) = run_of(text, &["--compiler", "matviz", "--size", "128"]);
    assert!(told.contains("n = 128 instead of 64 in line 3"), "{told}");
    assert_ne!(found["findings"], Value::Array(Vec::new()), "{found}");
}

/// What sim says of a text as a file, and its result.
fn run_of(text: &str, args: &[&str]) -> (String, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    std::fs::write(&file, text).expect("written");
    let run = sim(&[&[&*file.display().to_string()], args].concat());
    (told(&run), json(&run))
}

/// What is said of a file that cannot be run as it is asked for.
fn refusal_of(text: &str, args: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    std::fs::write(&file, text).expect("written");
    let run = sim(&[&[&*file.display().to_string()], args].concat());
    assert_eq!(run.status.code(), Some(2), "{}", told(&run));
    told(&run)
}

/// Small enough to be answered soon; who measures says another size.
#[test]
fn a_program_that_multiplies_large_matrices_is_run_with_smaller_ones() {
    let whole = format!("{FOLDER}/whole.cu");
    let run = sim(&[&whole, "--compiler", "matviz"]);
    let side = json(&run)["size"]["m"].as_u64();
    assert!(side.is_some_and(|side| side < 1000), "{}", told(&run));
    assert!(told(&run).contains("instead of 1000 in line"), "{}", told(&run));
}

#[test]
fn what_the_edit_screen_assumes_of_a_tile_sim_assumes_too() {
    for (args, grid) in [(&[][..], 4), (&["--launch", "<<<,32x32>>>"], 2), (&["-D", "TILE=8"], 8)] {
        let run = sim(&[&["kernels/tiled.cu", "--compiler", "matviz"], args].concat());
        assert_eq!(run.status.code(), Some(0), "{args:?}: {}", told(&run));
        assert_eq!(json(&run)["grid"]["x"], grid, "{args:?}: {}", told(&run));
        let is_said = told(&run).contains("assuming -D TILE=");
        assert_eq!(is_said, args.first() != Some(&"-D"), "{args:?}: {}", told(&run));
    }
}

#[test]
fn what_cannot_be_meant_of_a_file_is_refused() {
    let whole = format!("{FOLDER}/whole.cu");
    for (args, hint) in [
        (&[".github/CONTRIBUTING.md"][..], "has no code of CUDA"),
        (&[&whole, "-D", "=3"], "`` is no name of a macro"),
        (&[&whole, "-D", "1=3"], "`1` is no name of a macro"),
        (&[&whole, "-I", "no such folder"], "there is no such folder"),
        (
            &[&whole, "--launch", "__cluster_dims__(99)"],
            "a cluster has at most 16 blocks, and this one 99",
        ),
    ] {
        let run = sim(args);
        assert_eq!(run.status.code(), Some(2), "{args:?}: {}", told(&run));
        assert!(told(&run).contains(hint), "{args:?}: {}", told(&run));
    }
}

/// `gaps` reads the launch of the host's code as `sim` does.
#[test]
fn a_gap_is_judged_with_the_launch_of_the_hosts_code() {
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.current_dir(env!("CARGO_MANIFEST_DIR")).args([
        "course",
        "gaps",
        "--json",
        "--size",
        "24,20x28x12",
    ]);
    let whole = format!("{FOLDER}/whole.cu");
    let run = matviz.args([&whole, "--insert", "__syncthreads();"]).output();
    let run = run.expect("the binary runs");
    assert_eq!(run.status.code(), Some(0), "{}", told(&run));
}
