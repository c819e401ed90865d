//! Everyday C++ in matviz's own compiler: every buffer is bit for bit what NVRTC's PTX makes of the same
//! source.

use crate::own_cases::{refused, same_as_nvrtc, sim};
use serde_json::Value;

#[test]
fn addresses_of_variables_and_pointers_into_several_memories() {
    same_as_nvrtc(&[
        (
            "address_of_a_variable",
            "__device__ void shift(float* by, int* count) { *by += 1.5f; *count += 2; }\n\
             __global__ void k(const float* in, float* out) {\n\
             int i = threadIdx.x, n = i; float x = in[i]; shift(&x, &n); float* p = &x; *p *= n;\n\
             out[i] = x + *p; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
        (
            "address_of_a_parameter",
            "__device__ float half(float v) { float* p = &v; *p /= 2; return v; }\n\
             __global__ void k(const float* in, float* out, int n) {\n\
             int* count = &n; *count += threadIdx.x; int i = threadIdx.x; out[i] = half(in[i]) + n; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32],n=3)\n",
        ),
        (
            "bits_of_a_float",
            "__global__ void k(const float* in, unsigned* out) {\n\
             int i = threadIdx.x; float x = in[i]; unsigned bits = *(unsigned*)&x;\n\
             out[i] = bits ^ 0x80000000u; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:u32[32])\n",
        ),
        (
            "global_or_shared",
            "__global__ void k(float* in, float* out) {\n\
             __shared__ float s[32]; int i = threadIdx.x; s[i] = in[i] * 2; __syncthreads();\n\
             float* p = in; if (i % 2) p = s; const float* q = i % 3 ? s : in;\n\
             out[i] = p[31 - i] + q[i]; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
        (
            "pointers_in_an_array",
            "__global__ void k(float* in, float* out) {\n\
             __shared__ float s[32]; float own[2] = {1.0f, 2.0f}; int i = threadIdx.x; s[i] = in[31 - i];\n\
             __syncthreads(); float* all[3] = {in, s, own}; float sum = 0;\n\
             for (int j = 0; j < 3; ++j) sum += all[(i + j) % 3][i % 2]; out[i] = sum; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
        (
            "pointer_in_a_structure",
            "struct View { float* first; int count; };\n\
             __device__ float total(View v) { float all = 0; for (int i = 0; i < v.count; ++i) all += v.first[i]; return all; }\n\
             __global__ void k(float* in, float* out) {\n\
             __shared__ float s[32]; int i = threadIdx.x; s[i] = in[i]; __syncthreads();\n\
             View a = {s, i}, b = {in, 4}; out[i] = total(a) + total(b); }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
        (
            "differences_and_null",
            "__device__ float* find(float* from, float* end, float least) {\n\
             for (float* p = from; p != end; ++p) if (*p > least) return p; return nullptr; }\n\
             __global__ void k(float* in, int* out) {\n\
             int i = threadIdx.x; float* found = find(in, in + 32, 0.1f * i); out[i] = found ? int(found - in) : -1; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:i32[32])\n",
        ),
        (
            "addresses_as_numbers",
            "__global__ void k(float* in, int* out) {\n\
             int i = threadIdx.x; size_t first = (size_t)in, own = (size_t)(in + i);\n\
             out[i] = int(own - first) + (((float*)own) == in + i) + (own % 4 == 0); }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:i32[32])\n",
        ),
    ]);
}

#[test]
fn copies_of_bytes() {
    same_as_nvrtc(&[
        (
            "of_structures",
            "struct S { int a, b; float c[4]; };\n\
             __global__ void k(S* out, const S* in) {\n\
             int i = threadIdx.x; memcpy(&out[i], &in[i], sizeof(S)); float t[4]; memcpy(t, in[i].c, sizeof(t));\n\
             memset(&out[i].b, 0, 4); out[i].c[1] = t[2]; }\n\
             // sim: (void)<<<1,8>>>(out:u32[48]=0,in:u32[48])\n",
        ),
        (
            "of_some_bytes",
            "__global__ void k(const unsigned char* in, unsigned char* out, int n) {\n\
             int i = threadIdx.x; memcpy(out + 16 * i, in + 16 * i, n); memset(out + 16 * i + n, i, 16 - n); }\n\
             // sim: (void)<<<1,8>>>(in:u8[128],out:u8[128],n=5)\n",
        ),
        (
            "structures_with_arrays",
            "struct Row { float of[4]; int n; };\n\
             __device__ Row twice(Row r) { for (int j = 0; j < 4; ++j) r.of[j] *= 2; return r; }\n\
             __global__ void k(const Row* in, Row* out, Row given) {\n\
             int i = threadIdx.x; Row own = in[i], other = own; other.of[i % 4] = given.of[i % 4]; out[i] = twice(other);\n\
             out[i].n = own.n + given.n; }\n\
             // sim: (void)<<<1,8>>>(in:u32[40],out:u32[40],{1.0f,2.0f,3.0f,4.0f,5})\n",
        ),
    ]);
}

#[test]
fn jumps_and_lambdas() {
    same_as_nvrtc(&[
        (
            "goto_out_and_back",
            "__global__ void k(const float* in, float* out, int n) {\n\
             int i = threadIdx.x, j = 0; float s = 0;\n\
             again: s += in[(i + j) % n]; if (++j < 4) goto again;\n\
             for (int a = 0; a < n; ++a) for (int b = 0; b < n; ++b) if (a * b > 20 + i) { s += a + b; goto done; }\n\
             done: out[i] = s; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32],n=32)\n",
        ),
        (
            "lambdas",
            "__global__ void k(const float* in, float* out) {\n\
             auto square = [](float x) { return x * x + 1.0f; };\n\
             auto ratio = [](float x, int n) -> float { if (n == 0) return x; return x / (n + 1); };\n\
             int i = threadIdx.x; out[i] = square(in[i]) + ratio(in[i], i); }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
    ]);
}

/// The simulator takes no PTX that calls through a register, as NVRTC's does: each case has the same kernel
/// without pointers beside it.
#[test]
fn calls_through_pointers_are_those_of_the_functions() {
    let functions = "__device__ float add(float a, float b) { return a + b; }\n\
                     __device__ float mul(float a, float b) { return a * b; }\n";
    let cases = [
        (
            "typedef float (*Op)(float, float);\n\
             __device__ float apply(Op op, float a, float b) { return op(a, b); }\n\
             __device__ float each(float (*of)(float, float), float a) { return (*of)(a, 2.0f); }\n\
             __global__ void k(const float* in, float* out) {\n\
             int i = threadIdx.x; Op op = i % 2 ? add : mul; float (*g)(float, float) = &add;\n\
             out[i] = op(in[i], 2.0f) + g(1.0f, in[i]) + apply(mul, in[i], in[i]) + each(mul, in[i]); }\n",
            "__global__ void k(const float* in, float* out) {\n\
             int i = threadIdx.x; float first = i % 2 ? add(in[i], 2.0f) : mul(in[i], 2.0f);\n\
             out[i] = first + add(1.0f, in[i]) + mul(in[i], in[i]) + mul(in[i], 2.0f); }\n",
        ),
        (
            "using Op = float (*)(float, float);\n\
             struct Both { Op first, second; };\n\
             __device__ Op kept[2] = {mul, add};\n\
             __global__ void k(const float* in, float* out) {\n\
             Op all[2] = {add, mul}; Both both = {mul, add}; int i = threadIdx.x;\n\
             out[i] = all[i % 2](in[i], 3.0f) + both.first(in[i], 0.5f) + kept[i / 16](in[i], 4.0f); }\n",
            "__global__ void k(const float* in, float* out) {\n\
             int i = threadIdx.x; float first = i % 2 ? mul(in[i], 3.0f) : add(in[i], 3.0f);\n\
             out[i] = first + mul(in[i], 0.5f) + (i < 16 ? mul(in[i], 4.0f) : add(in[i], 4.0f)); }\n",
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let left = |body: &str| {
        let file = folder.path().join("k.cu");
        std::fs::write(&file, format!("{functions}{body}")).expect("written");
        let output = sim(&file, "matviz", "(void)<<<1,32>>>(in:f32[32],out:f32[32])");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let found: Value = serde_json::from_slice(&output.stdout).expect(&told);
        let of = |at: usize| found["buffers"][at]["sha256"].as_str().map(str::to_owned);
        (of(0), of(1).expect(&told))
    };
    for (pointers, plain) in cases {
        assert_eq!(left(pointers), left(plain), "{pointers}");
    }
}

/// A function without a body is an error for who comes to its call.
#[test]
fn a_function_that_is_only_declared_may_be_called_by_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.cu");
    let text = "__device__ float far(float x);\n\
                __global__ void k(float* out, int n) { out[threadIdx.x] = n > 3 ? far(1.0f) : 2.0f; }\n";
    std::fs::write(&file, text).expect("written");
    for (number, code) in [(3, 0), (4, 1)] {
        let launch = format!("(void)<<<1,32>>>(out:f32[32],n={number})");
        let output = sim(&file, "matviz", &launch);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(code), "{told}");
        assert_eq!(told.contains("no body"), code == 1, "{told}");
    }
}

#[test]
fn structures_that_have_more() {
    same_as_nvrtc(&[
        (
            "unions",
            "union Bits { float f; unsigned u; };\n\
             struct Tagged { int kind; union { float f; int i; }; };\n\
             __global__ void k(const float* in, float* out) {\n\
             int i = threadIdx.x; Bits b; b.f = in[i]; b.u ^= 0x80000000u; Tagged t; t.kind = i % 2;\n\
             if (t.kind) t.f = 2.5f; else t.i = i; union { int i; unsigned char of[4]; } w; w.i = i * 1000;\n\
             out[i] = b.f + (t.kind ? t.f : t.i) + w.of[1]; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
        (
            "first_values_of_members",
            "struct P { float x = 1.0f; float y = 2.0f; int n = 3; };\n\
             struct Q { int a = 4; int b; __device__ Q(int of) : b(of) {} };\n\
             __global__ void k(const float* in, float* out) {\n\
             int i = threadIdx.x; P p, q = {in[i]}; Q r(i); out[i] = p.x + p.y * q.x + q.y + q.n + r.a + r.b; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
        (
            "bases",
            "struct Base { int a; __device__ int twice() const { return 2 * a; } };\n\
             struct Other { float w; };\n\
             struct Derived : public Base, Other { int b; __device__ int sum() const { return a + b; } };\n\
             __global__ void k(const float* in, float* out) {\n\
             int i = threadIdx.x; Derived d; d.a = i; d.b = 2; d.w = in[i];\n\
             out[i] = d.twice() + d.sum() + d.w + sizeof(Derived); }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
        (
            "points_to_itself",
            "struct Node { int key; Node* next; };\n\
             struct Later; struct Has { Later* of; }; struct Later { int n; };\n\
             __global__ void k(int* out) {\n\
             __shared__ Node all[4]; int i = threadIdx.x; Later own = {i}; Has has = {&own};\n\
             all[i].key = i * i; all[i].next = &all[(i + 1) % 4]; __syncthreads();\n\
             Node* at = &all[i]; int sum = has.of->n; for (int j = 0; j < 3; ++j) { sum = sum * 3 + at->key; at = at->next; }\n\
             out[i] = sum; }\n\
             // sim: (void)<<<1,4>>>(out:i32[4])\n",
        ),
        (
            "structures_in_structures",
            "struct Outer { struct { int x; float y; } in; struct Named { int z; } of; };\n\
             __global__ void k(const float* in, float* out) {\n\
             int i = threadIdx.x; Outer o; o.in.x = i; o.in.y = in[i]; o.of.z = 2; out[i] = o.in.x + o.in.y * o.of.z; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
        (
            "results_by_reference",
            "template <int N> struct Vec { float of[N];\n\
             __device__ float& operator[](int i) { return of[i]; }\n\
             __device__ const float& at(int i) const { return of[i]; }\n\
             __device__ Vec& operator+=(float by) { for (int i = 0; i < N; ++i) of[i] += by; return *this; } };\n\
             __device__ float& larger(float& a, float& b) { return a > b ? a : b; }\n\
             __global__ void k(const float* in, float* out) {\n\
             int i = threadIdx.x; Vec<4> v; for (int j = 0; j < 4; ++j) v[j] = in[(i + j) % 32];\n\
             v += 0.5f; v[i % 4] *= 2; out[i] = v.at(1) + v[i % 4]; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
    ]);
}

#[test]
fn operators_and_what_stands_in_parentheses() {
    same_as_nvrtc(&[
        (
            "operators_of_vectors",
            "__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }\n\
             __device__ float3 operator-(const float3 a) { return make_float3(-a.x, -a.y, -a.z); }\n\
             __device__ float3 operator*(float s, float3 a) { return make_float3(a.x * s, a.y * s, a.z * s); }\n\
             __device__ void operator+=(float3& a, const float3& b) { a.x += b.x; a.y += b.y; a.z += b.z; }\n\
             __device__ float3& operator-=(float3& a, const float3& b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; return a; }\n\
             __device__ bool operator==(int2 a, int2 b) { return a.x == b.x and a.y == b.y; }\n\
             __global__ void k(const float3* in, float* out) {\n\
             int i = threadIdx.x; float3 v = in[i]; v += in[(i + 1) % 32]; v -= make_float3(1.f, 2.f, 3.f); v = -v + 2.0f * v;\n\
             out[i] = v.x + v.y * v.z + (make_int2(i, 1) == make_int2(1, 1) ? 1.0f : 0.0f); }\n\
             // sim: (void)<<<1,32>>>(in:f32[96],out:f32[32])\n",
        ),
        (
            "operators_of_structures",
            "struct Complex { float re, im; };\n\
             __device__ Complex operator*(const Complex& a, const Complex& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }\n\
             __device__ Complex operator-(Complex a) { return Complex{-a.re, -a.im}; }\n\
             struct Count { int n; __device__ Count operator-() const { Count c; c.n = -n; return c; }\n\
             __device__ Count& operator++() { ++n; return *this; } };\n\
             __global__ void k(const float* in, float* out) {\n\
             int i = threadIdx.x; Complex c = {in[i], 2.0f}, d{1.0f, in[31 - i]}; c = -(c * d); Count n = {i}; n = -n;\n\
             out[i] = c.re + c.im + n.n; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
        (
            "in_parentheses_and_braces",
            "constexpr int N(64);\n const float SCALE(2.0f);\n const unsigned W{32};\n\
             template <typename T> __device__ T twice(T x) { T v(x); T z{}; return v + v + z; }\n\
             __device__ __inline__ float scaled(float x) { return x * SCALE; }\n\
             __global__ void k(const float* in, float* out) {\n\
             int i(threadIdx.x); unsigned u = unsigned(i) % W; float t = float(); float c{1.5f}; double d(in[i]);\n\
             out[i] = twice(in[i]) + scaled(c) + u + t + N + float(d) + sizeof out[0] + sizeof(double); }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
        (
            "specialisations",
            "template <typename T> __device__ T next(T x) { return x + 1; }\n\
             template <> __device__ int next<int>(int x) { return x + 10; }\n\
             template <typename R, typename A> __device__ R to(A a) { return R(a); }\n\
             template <int K, typename T> __device__ T times(T a) { return a * K; }\n\
             enum class Mode { Up, Down };\n\
             template <Mode M> __device__ int step(int x) { return M == Mode::Up ? x + 1 : x - 1; }\n\
             __device__ auto half(float x) { return x / 2; }\n\
             __global__ void k(const float* in, float* out) {\n\
             int i = threadIdx.x; float s, c; sincosf(in[i], &s, &c);\n\
             out[i] = next(in[i]) + next(i) + next<int>(2) + to<int>(in[i] * 10) + times<3>(in[i]) + step<Mode::Down>(i) + half(in[i]) + s + c; }\n\
             // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
        ),
    ]);
}

#[test]
fn what_is_refused_says_why() {
    refused(&[
        ("", "goto nowhere;", 2, "there is no label `nowhere`"),
        ("", "int n = 1; auto f = [n](int x) { return x + n; }; out[0] = f(1);", 2, "captures"),
        ("struct A { A inner; };", "A a;", 1, "unknown size"),
    ]);
}
