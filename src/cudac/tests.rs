//! What a learner notices: which sources compile, and what is said of those that do not.

mod contraction;
mod names;

use super::*;
use matviz_ptx as ptx;

fn options() -> CompileOptions<'static> {
    CompileOptions { file: "kernel.cu", defines: &[], headers: &[], instances: &[], rolled: true }
}

fn kernel(body: &str) -> String {
    format!("extern \"C\" __global__ void k(const float* A, float* C, int N)\n{{\n{body}\n}}\n")
}

fn compiled(source: &str) -> Compiled {
    compile(source, &options())
        .unwrap_or_else(|error| panic!("{}", error.render(source, "kernel.cu")))
}

#[test]
fn what_is_compiled_is_ptx() {
    let bodies = [
        "C[threadIdx.x] = sqrtf(fabsf(A[threadIdx.x])) + fminf(A[0], 2.0f);",
        "if (threadIdx.x < N && A[threadIdx.x] > 0.0f) C[threadIdx.x] = abs(N) % 3;",
        "float4 v = *(const float4*)&A[4 * threadIdx.x]; v.x += 1; *(float4*)&C[0] = v;",
        "__shared__ float s[4][8]; s[1][threadIdx.x % 8] = 1; __syncthreads(); C[0] = s[1][2];",
        "float v = A[threadIdx.x]; v += __shfl_down_sync(0xffffffff, v, 16); atomicAdd(&C[0], v);",
        "__shared__ double d; d = 1; atomicAdd(&d, 2.0); C[0] = d;",
        "__shared__ unsigned u; atomicCAS(&u, 0u, 1u); atomicInc(&u, 7u); atomicExch(&C[1], 2.0f);",
        "float a[3]; for (int i = 0; i < N; ++i) a[i % 3] = i; C[0] = a[N % 3];",
        "unsigned char c = N; short s = c * 3; long long l = s; C[0] = (float)l + (int)A[0];",
        // Too often to be written out: a loop, as nvcc leaves it.
        "#pragma unroll\nfor (int i = 0; i < 1000000000; ++i) C[i] = i;",
        "bool b = N > 3 || A[0] == 1.0f; C[0] = b ? A[1] : 0; while (b) { b = !b; continue; }",
        "float m = -INFINITY; m = fmaxf(m, A[0]); C[0] = m > FLT_MAX ? INT_MAX : rsqrtf(m);",
        "__syncwarp(); __threadfence(); C[0] = __int_as_float(__float_as_int(A[0]) ^ 1);",
    ];
    for body in bodies {
        let made = compiled(&kernel(body)).ptx;
        assert!(ptx::parse(&made).is_ok(), "{body}\n{made}\n{:?}", ptx::parse(&made).err());
    }
}

/// Each of these took twice as long with each level, or thrice.
#[test]
fn expressions_in_expressions_compile_before_the_learner_gives_up() {
    let levels = 40;
    let nested = [
        ("N > 1 ? C[N++] : ", "1.0f", ""),
        ("(N * 2 + ", "1", ")"),
        ("(2.0f * 3.0f + ", "A[0]", ")"),
    ];
    for (before, inner, after) in nested {
        let text = format!("{}{inner}{}", before.repeat(levels), after.repeat(levels));
        let made = compile(&kernel(&format!("C[0] = {text};")), &options());
        if let Err(error) = made {
            assert!(error.to_string().contains("this long to compile"), "{before}: {error}");
        }
    }
}

/// A kernel with nothing wrong.
const SOUND: &str = r#"extern "C" __global__ void k(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sA[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty;
    float acc = 0.0f;
    for (int t = 0; t < K; t += 16) {
        sA[ty][tx] = A[row * K + t + tx];
        __syncthreads();
        acc += sA[ty][tx] * B[(t + ty) * N + tx];
        __syncthreads();
    }
    if (row < M)
        C[row * N + tx] = acc;
}
"#;

/// What is written instead of what, the line that is named, a part of what is said, and a part of
/// the hint.
type Slip = (&'static str, &'static str, u32, &'static str, &'static str);

/// Slips for which there is a hint.
const SLIPS: &[Slip] = &[
    ("threadIdx.x,", "threadidx.x,", 4, "`threadidx` is not declared", "`threadIdx`"),
    (
        "  __syncthreads();\n        acc",
        "  _syncthreads();\n        acc",
        9,
        "no function",
        "`__syncthreads`",
    ),
    ("row < M", "row = M", 13, "a condition asks a question", "`==` compares"),
    ("row * K", "row K", 8, "an operator is missing between `row` and `K`", "a `*` between them"),
    ("sA[ty][tx] =", "sA[ty, tx] =", 8, "a comma in an index", "[i][j]"),
    ("sA[16][16]", "sA[N][16]", 3, "the size of `sA` must be constant", "#define"),
    (
        "  __syncthreads();\n        acc",
        "  __syncthreads;\n        acc",
        9,
        "is not called",
        "__syncthreads()",
    ),
    ("threadIdx.x,", "threadIdx.x(),", 4, "`.x` is a value, no function", "leave out the brackets"),
    ("= acc;\n", "= acc\n", 14, "a `;` is missing after `acc`", "semicolon"),
    ("float acc =", "acc =", 6, "`acc` is not declared", "int acc ="),
    ("A[row * K + t + tx]", "A[row][tx]", 8, "a `float` has no elements", "A[row * K + column]"),
    ("K + t + tx]", "K + (t + tx]", 8, "`]` closes what `(` of line 8 opens", "in the order"),
    ("    }\n    if", "    if", 2, "`{` is never closed", "count the brackets"),
    ("C[row * N", "A[row * N", 14, "`const` memory, which is only read", "another array"),
    ("acc = 0.0f", "acc = A", 6, "is an address, no number", "write [i]"),
    ("if (row < M)", "if row < M", 13, "expected `(`, found `row`", "in brackets"),
    ("t = 0; t < K;", "t = 0, t < K,", 7, "expected `;`, found `<`", "three parts"),
    ("t + ty)", "t + tyy)", 10, "`tyy` is not declared", "`ty`"),
    ("threadIdx.x,", "threadIdx.w,", 4, "`threadIdx` has no member `w`", ".x, .y and .z"),
    (
        "sA[16][16];",
        "sA[16][16] = 0;",
        3,
        "shared memory has no first value",
        "let the threads store it",
    ),
    ("; t += 16", "; 16 += t", 7, "nothing can be stored there", "left of ="),
    ("extern", "#defin X 1\nextern", 1, "`#defin` is not in matviz's CUDA", "`define`"),
    ("__global__ ", "", 1, "a function of the host", "write __global__"),
    (
        "acc += sA[ty][tx] *",
        "acc += sA[ty] *",
        10,
        "`*` has no meaning for a `float*`",
        "write [i]",
    ),
    (
        "= acc;",
        "= sqroot(acc);",
        14,
        "the function `sqroot` is not in matviz's CUDA",
        "if CUDA has it",
    ),
];

/// Mistakes whose message says enough.
const MISTAKES: &[Slip] = &[
    ("acc += sA", "acc %= sA", 10, "`%` is for whole numbers", ""),
    ("= acc;", "= fmaf(acc, acc);", 14, "`fmaf` takes 3 arguments, and 2 are given", ""),
    ("    if (row", "    return 1;\n    if (row", 13, "a kernel returns nothing", ""),
    ("float acc =", "float row =", 6, "`row` is declared twice here", ""),
    ("0.0f;", "0.0.0f;", 6, "`0.0.0f` is no number", ""),
    ("0.0f;", "0f;", 6, "`0f` is no number", "a float has a point: 0.0f"),
    (" k(", " __launch_bounds__(2048) k(", 1, "a block has 1 to 1024 threads, not 2048", ""),
    ("= acc;", "= make_uint4(1, 2, 3, 4);", 14, "a value of the type `uint4` cannot become", ""),
    ("= acc;", "= min(acc, C);", 14, "a value of the type `float*` is no number", "write [i]"),
    ("= acc;", "= acc;\n    else;\n    else;", 16, "there is no `if` for this `else`", ""),
    ("= acc;", "= \"acc\";", 14, "expected a value after `=`", ""),
    ("    if (row", "    break;\n    if (row", 13, "there is no loop here", ""),
    ("    float acc", "    /* float acc", 6, "this comment does not end", ""),
    ("if (row < M)", "goto done;", 13, "there is no label `done` here", ""),
    ("if (row < M)", "switch (row)", 14, "expected `{`, found `C`", ""),
    ("if (row < M)", "static_assert(16 < 8, \"\");", 13, "does not hold", ""),
    ("float acc = 0.0f", "auto acc", 6, "`auto` without one first value", "NVRTC compiles it"),
    ("float acc", "half acc", 6, "there is no type `half`", "#include <cuda_fp16.h>"),
];

#[test]
fn a_mistake_is_told_on_its_line_and_a_slip_with_a_hint() {
    assert!(compile(SOUND, &options()).is_ok());
    for (text, instead, line, told, hint) in SLIPS.iter().chain(MISTAKES) {
        assert!(SOUND.contains(text), "{text} is in the source");
        let source = SOUND.replacen(text, instead, 1);
        let Err(error) = compile(&source, &options()) else { panic!("{instead} compiles") };
        let shown = error.render(&source, "kernel.cu");
        assert!(shown.starts_with(&format!("kernel.cu:{line}:")), "{shown}");
        assert!(error.message.contains(told), "{shown}");
        assert!(error.hint.unwrap_or_default().contains(hint), "{shown}");
    }
}

/// `const` and `volatile` are about the elements, however the pointer is written.
#[test]
fn qualifiers_hold_for_arrays_and_rows() {
    let written = [
        "extern \"C\" __global__ void k(const float A[]) { A[0] = 1; }".to_owned(),
        kernel("const float (*rows)[4] = (const float (*)[4])C; rows[0][1] = 1;"),
        kernel("((const float (*)[4])C)[0][1] = 1;"),
    ];
    for source in written {
        let error = compile(&source, &options()).expect_err(&source);
        assert!(error.message.contains("`const` memory"), "{}", error.render(&source, "kernel.cu"));
    }
    let function = "__device__ void f(volatile float s[]) { s[0] = s[1]; }\n";
    let source = function.to_owned() + &kernel("__shared__ float s[2]; f(s); C[0] = s[0];");
    let ptx = compiled(&source).ptx;
    assert!(ptx.contains("ld.volatile.shared") && ptx.contains("st.volatile.shared"), "{ptx}");
}

#[test]
fn a_condition_asks_only_what_it_needs() {
    let guarded = "#if defined(T) && 16 % T == 0\n#error no\n#endif\n".to_owned();
    assert!(compile(&(guarded + &kernel("C[0] = 1;")), &options()).is_ok());
    let error = compile("#if 1 && 16 % T == 0\n#endif\n", &options()).expect_err("T is 0");
    assert_eq!(error.message, "a division by zero");
}

#[test]
fn a_comment_that_does_not_end_is_told_where_it_begins() {
    let error = compile("int a; /* one\n */ /* two */ /* three\n", &options()).expect_err("open");
    assert_eq!((error.line, error.column), (2, 15), "{error}");
}

#[test]
fn each_function_of_the_subset_can_be_what_was_meant() {
    let rows = ["barriers and fences", "functions", "shuffles", "atomics"];
    let notes = SUBSET.iter().filter(|row| rows.contains(&row.name)).map(|row| row.note);
    for name in notes.flat_map(|note| note.split('`').skip(1).step_by(2)) {
        assert!(hint::is_function(name), "{name}");
    }
}

#[test]
fn a_source_that_grows_without_end_is_refused_at_once() {
    let doubling = (1..40).map(|n| format!("#define M{n} M{} M{}\n", n - 1, n - 1));
    let doubling = doubling.collect::<Vec<_>>().concat();
    let deep = |open: &str, close: &str| {
        kernel(&format!("C[0] = {}1{};", open.repeat(100_000), close.repeat(100_000)))
    };
    let sources = [
        format!("#define M0 1\n{doubling}{}", kernel("C[0] = M39;")),
        "#define f(x) f(f(x)) + f(x)\n".to_owned() + &kernel("C[0] = f(f(f(1)));"),
        "__device__ int f(int n) { return f(n - 1); }\n".to_owned() + &kernel("C[0] = f(N);"),
        kernel("float a[1 << 30]; a[N] = 1; C[0] = a[0];"),
        kernel("__shared__ float s[65536][65536][65536]; s[0][0][0] = 1;"),
        deep("(", ")"),
        deep("-", ""),
        kernel(&"if (N) ".repeat(30_000)),
        kernel(&"{".repeat(60_000)),
        "x".repeat(1 << 20),
    ];
    for source in sources {
        let Err(error) = compile(&source, &options()) else {
            panic!("it compiles: {}", &source[source.len().min(120)..source.len().min(400)]);
        };
        assert!(error.render(&source, "kernel.cu").len() < 1_000, "{}", error.message);
    }
}

mod mutated {
    use super::*;
    use proptest::prelude::*;

    /// What a fuzzer puts into a source.
    const PIECES: &[&str] = &[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ";",
        ",",
        "=",
        "*",
        "&",
        "-",
        "\"",
        "/*",
        "#define ",
        "#if ",
        "\n",
        "\\\n",
        "__shared__ ",
        "extern ",
        "for (;;) ",
        "0x",
        "1e9",
        "99999999999999999999",
        "float ",
        "const ",
        "threadIdx",
        ".x",
        "__syncthreads();",
        "return;",
        "A",
        "sA",
        "\u{e9}",
    ];

    proptest! {
        #[test]
        fn a_mutated_source_never_panics(
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..6), 1..8),
        ) {
            let mut source: Vec<char> = SOUND.chars().collect();
            for (at, piece, removed) in edits {
                let at = at.index(source.len() + 1);
                let end = (at + removed).min(source.len());
                source.splice(at..end, PIECES[piece.index(PIECES.len())].chars());
            }
            let source: String = source.into_iter().collect();
            match compile(&source, &options()) {
                Ok(made) => prop_assert!(ptx::parse(&made.ptx).is_ok(), "{source}\n{}", made.ptx),
                Err(error) => _ = error.render(&source, "kernel.cu"),
            }
        }
    }
}

/// A header of the source's own, which includes another.
const HEADERS: [(&str, &str); 2] = [
    ("sizes.h", "#pragma once\n#define TS 16\n"),
    (
        "kernel.cuh",
        "#ifndef KERNEL\n#define KERNEL\n#include \"sizes.h\"\n#include \"sizes.h\"\n\
         __global__ void k(float* x)\n{\n    x[TS] = 1.0f;\n}\n#endif\n",
    ),
];

fn headers() -> Vec<(String, String)> {
    HEADERS.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn the_headers_of_a_source_are_compiled_with_their_own_lines() {
    let headers = headers();
    let options = CompileOptions { headers: &headers, ..options() };
    let source = "#include \"kernel.cuh\"\n#include \"kernel.cuh\"\n";
    let ptx = compile(source, &options).expect("it compiles").ptx;
    assert!(ptx.contains(".file\t3 \"kernel.cuh\""), "{ptx}");
    assert!(ptx.contains(".loc\t3 7 1"), "{ptx}");
    assert!(ptx.contains("64"), "TS is 16: {ptx}");
}

#[test]
fn an_error_in_a_header_names_it_and_shows_its_line() {
    let mut headers = headers();
    headers[1].1 = headers[1].1.replace("x[TS]", "y[TS]");
    let options = CompileOptions { headers: &headers, ..options() };
    let error = compile("#include \"kernel.cuh\"\n", &options).expect_err("y is unknown");
    let told = error.render("#include \"kernel.cuh\"\n", "main.cu");
    assert!(told.starts_with("kernel.cuh:7:"), "{told}");
    assert!(told.contains("7 |     y[TS] = 1.0f;"), "{told}");
}

#[test]
fn a_header_that_includes_itself_is_told() {
    let headers = vec![("a.h".to_owned(), "#include \"a.h\"\n".to_owned())];
    let options = CompileOptions { headers: &headers, ..options() };
    let error = compile("#include \"a.h\"\n", &options).expect_err("it never ends");
    assert!(error.message.contains("again and again"), "{error}");
}

/// A kernel that is a template, and a function of another that it calls.
const TEMPLATES: &str = "\
template <typename T>
__device__ T twice(T x) { return x + x; }

template <int TS, typename T = float>
__global__ void __launch_bounds__(TS * TS) mm(const T* A, T* C)
{
    __shared__ T tile[TS][TS];
    tile[threadIdx.y][threadIdx.x] = twice<T>(A[threadIdx.x]);
    C[threadIdx.x] = tile[threadIdx.x][0];
}
";

fn instances(wanted: &[&str]) -> Result<Compiled, Error> {
    let instances: Vec<_> = wanted.iter().map(|one| (*one).to_owned()).collect();
    compile(TEMPLATES, &CompileOptions { instances: &instances, ..options() })
}

#[test]
fn a_template_is_compiled_for_each_instance_that_is_named() {
    let compiled = instances(&["mm<16>", "mm<8, double>"]).expect("it compiles");
    let mut kernels: Vec<_> = compiled
        .kernels
        .iter()
        .map(|kernel| (&*kernel.name, &*kernel.shared[0].shape, kernel.launch_bounds))
        .collect();
    kernels.sort_unstable();
    let wanted: [(_, &[u32], _); 2] =
        [("_Z2mmILi16EfE", &[16, 16], Some(256)), ("_Z2mmILi8EdE", &[8, 8], Some(64))];
    assert_eq!(kernels, wanted);
    for add in ["add.f64", "add.f32"] {
        assert!(compiled.ptx.contains(add), "{add}: {}", compiled.ptx);
    }
    ptx::parse(&compiled.ptx).expect("it is PTX");
}

#[test]
fn what_is_no_instance_of_a_template_is_told() {
    let told = |wanted: &[&str]| instances(wanted).expect_err("it is wrong").message;
    assert_eq!(told(&["mm<16, float, 3>"]), "the template `mm` takes 2 arguments");
    assert_eq!(told(&["mm<x>"]), "`x` is not declared");
    assert_eq!(
        told(&[]),
        "`mm` is a template, and nothing says with which arguments it is launched"
    );
    let hint = instances(&[]).expect_err("no instance").hint.expect("it has one");
    assert_eq!(hint, "--launch 'mm<16, float>' names them");
}
