//! Names for types, references, and arguments of templates that nobody writes.

use super::*;

/// The PTX of a kernel with this body, after these lines.
fn with(before: &str, body: &str) -> String {
    let source = format!("{before}\n{}", kernel(body));
    let made = compiled(&source).ptx;
    assert!(ptx::parse(&made).is_ok(), "{source}\n{made}");
    instructions(&made)
}

/// The instructions, without places, labels' lines and what stands before the first one.
fn instructions(ptx: &str) -> String {
    let is_code = |line: &&str| line.starts_with('\t') && !line.trim_start().starts_with('.');
    ptx.lines().filter(is_code).flat_map(|line| [line.trim(), "\n"]).collect()
}

/// What is refused, and why.
fn refused(before: &str, body: &str) -> String {
    let source = format!("{before}\n{}", kernel(body));
    let error = compile(&source, &options()).expect_err(&source);
    assert!(error.outside, "{error}");
    error.message
}

#[test]
fn a_type_by_another_name_is_the_same() {
    let own = "float v = A[0]; float* p = C; unsigned n = 3; p[n] = v * 2;";
    let wanted = with("", own);
    let named = "typedef float Real, *Out; typedef unsigned int u32; ";
    for (before, body) in [
        (named, "Real v = A[0]; Out p = C; u32 n = 3; p[n] = v * 2;"),
        (
            "using Real = float; using Out = Real*;",
            "Real v = A[0]; Out p = C; unsigned n = 3; p[n] = v * 2;",
        ),
        (
            "",
            "typedef float Real; using N = unsigned; Real v = A[0]; Real* p = C; N n = 3; p[n] = v * 2;",
        ),
        ("", "auto v = A[0]; auto* p = C; auto n = 3u; p[n] = v * 2;"),
    ] {
        assert_eq!(with(before, body), wanted, "{before} {body}");
    }
    // A name for a type ends with its block.
    let body = "{ typedef float Real; } Real v = A[0]; C[0] = v;";
    assert!(compile(&kernel(body), &options()).is_err());
    assert!(with("", "C[sizeof(float4)] = sizeof(int);").contains(", 64;"));
    assert!(with("", "C[sizeof(A)] = sizeof *A;").contains(", 32;"));
}

#[test]
fn what_is_deduced_has_the_type_of_its_value() {
    // An unsigned division and a signed one.
    assert!(with("", "auto i = threadIdx.x / 3u; C[i] = 1;").contains("div.u32"));
    assert!(with("", "auto i = N / 3; C[i] = 1;").contains("div.s32"));
    assert!(with("", "auto x = A[0] * 3.0; C[0] = x;").contains("mul.f64"));
    let unrolled = with("", "#pragma unroll\nfor (auto i = 0; i < 4; ++i) C[i] = A[i];");
    assert_eq!(unrolled.matches("st.global.f32").count(), 4, "{unrolled}");
    assert_eq!(refused("", "auto x;"), "`auto` without one first value is not in matviz's CUDA");
    assert_eq!(
        refused("", "unsigned char a = N, b = 3; auto x = N > 1 ? a : b; C[0] = x;"),
        "a type that follows from this choice is not in matviz's CUDA"
    );
}

#[test]
fn a_reference_is_the_variable_for_which_it_stands() {
    let swap = "__device__ void swap(float& a, float& b) { float t = a; a = b; b = t; }";
    let swapped = with(swap, "float x = A[0], y = A[1]; swap(x, y); C[0] = x; C[1] = y;");
    let by_hand =
        with("", "float x = A[0], y = A[1]; { float t = x; x = y; y = t; } C[0] = x; C[1] = y;");
    assert_eq!(swapped, by_hand);
    // A variable that a function changes is no constant.
    let set = "__device__ void set(int& n) { n = 5; }";
    let changed = with(set, "int n = 1; set(n); C[n] = 1;");
    assert!(changed.contains("st.global"), "{changed}");
    let changed = with("", "int n = 1; int& m = n; m += N; C[n] = 1;");
    assert!(changed.contains("add.s32"), "{changed}");
    // It stays where it was, wherever the pointer goes.
    let moved = with("", "const float* p = A + N; const float& x = *p; p = p + 1; C[0] = x + *p;");
    assert_eq!(moved.matches("ld.global.f32").count(), 2, "{moved}");
    assert!(moved.contains("mov.u64"), "{moved}");
    let shared =
        "__shared__ float s[4][8]; float (&row)[8] = s[threadIdx.x]; row[3] = 1; C[0] = s[0][3];";
    assert!(with("", shared).contains("st.shared.f32"));
    let array = "__device__ float sum(const float (&v)[3]) { return v[0] + v[1] + v[2]; }";
    let registers =
        with(array, "float v[3]; for (int i = 0; i < 3; ++i) v[i] = A[i]; C[0] = sum(v);");
    assert!(!registers.contains("local"), "{registers}");
    // A value, where it is only read.
    let read = "__device__ float twice(const float& x) { return x + x; }";
    assert!(with(read, "C[0] = twice(N) + twice(A[0] * 2);").contains("cvt.rn.f32.s32"));
}

#[test]
fn what_a_reference_cannot_stand_for_is_refused() {
    let add = "__device__ void add(float& x) { x += 1; }";
    assert!(
        refused(add, "add(A[0] + 1); C[0] = 1;").starts_with("a reference stands for a variable")
    );
    assert!(refused(add, "int n = N; add(n); C[n] = 1;").starts_with("a reference to a `float`"));
    assert!(refused("", "float*& p = C; p[0] = 1;").starts_with("a reference to a pointer"));
    let error = compile(&kernel("const float& x = A[0]; x = 1;"), &options()).expect_err("const");
    assert!(error.message.contains("`const` memory"), "{error}");
    // A result may stand for a variable as well.
    let first = "__device__ float& f(float* p) { return p[1]; }";
    let put = with(first, "f(C) = A[0];");
    assert_eq!(put.matches("st.global.f32").count(), 1, "{put}");
    assert!(put.contains("add.s64 %rd6, %rd5, 4;\nst.global.f32 [%rd6]"), "{put}");
}

/// Templates that are called without their arguments, or with some.
const DEDUCED: &str = "\
template <typename T> __device__ T twice(T x) { return x + x; }
template <typename T> __device__ void put(T* to, const T& x) { *to = x; }
template <int N, typename T> __device__ T first(const T* from) { return from[N]; }
template <typename T, int N> __device__ T last(T (&all)[N]) { return all[N - 1]; }
";

#[test]
fn the_arguments_of_a_template_follow_from_those_of_the_call() {
    let same =
        |short: &str, long: &str| assert_eq!(with(DEDUCED, short), with(DEDUCED, long), "{short}");
    same("C[0] = twice(A[0]);", "C[0] = twice<float>(A[0]);");
    same("C[N] = twice(N) + twice(2.0);", "C[N] = twice<int>(N) + twice<double>(2.0);");
    same("put(C, A[0] * 3);", "put<float>(C, A[0] * 3);");
    same("put(&C[N], first<2>(A));", "put<float>(&C[N], first<2, float>(A));");
    same(
        "twice(twice(N)); C[0] = twice(twice(A[1]));",
        "twice<int>(twice<int>(N)); C[0] = twice<float>(twice<float>(A[1]));",
    );
    let array = "__shared__ float s[4]; s[N] = 1; C[0] = last(s);";
    same(array, &array.replace("last(", "last<float, 4>("));
    // One call, as each of the instances around it means it.
    let nested = format!(
        "{DEDUCED}template <typename T> __device__ T four(T x) {{ return twice(twice(x)); }}\n"
    );
    let both = with(&nested, "C[four(N)] = four(A[0]);");
    assert!(both.contains("add.s32") && both.contains("add.f32"), "{both}");
}

#[test]
fn what_does_not_follow_is_refused() {
    for body in ["put(C, N);", "C[0] = first(A);", "C[0] = twice(A, N);"] {
        let told = refused(DEDUCED, body);
        assert!(told.contains("without all of its arguments in <>"), "{body}: {told}");
    }
    let max = "template <typename T> __device__ T max(T a, T b) { return a > b ? a : b; }";
    assert!(refused(max, "C[0] = max(A[0], A[1]);").contains("called like a function of CUDA"));
    let both = format!("{DEDUCED}__device__ float twice(float x) {{ return 2 * x; }}\n");
    assert!(refused(&both, "C[0] = twice(A[0]);").contains("a function and a template"));
}

#[test]
fn a_name_for_a_type_can_be_the_argument_of_a_template() {
    let source = format!("using Real = float;\n{DEDUCED}");
    assert!(with(&source, "C[0] = twice<Real>(A[0]);").contains("add.f32"));
}

/// `-D` comes first, and the source's `#define` after it, as with nvcc.
#[test]
fn the_source_decides_what_it_defines() {
    let defines = ["T=2".to_owned()];
    let options = CompileOptions { defines: &defines, ..options() };
    let stored = |source: &str| {
        let source = format!("{source}\n{}", kernel("C[T] = 1;"));
        instructions(&compile(&source, &options).expect("it compiles").ptx)
    };
    assert!(stored("").contains(", 8;"), "{}", stored(""));
    assert!(stored("#define T 5").contains(", 20;"));
    assert!(stored("#ifndef T\n#define T 5\n#endif").contains(", 8;"));
}
