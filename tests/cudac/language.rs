//! Enumerations, `switch`, namespaces, overloads, macros, inline PTX and cooperative groups in matviz's
//! own compiler: every buffer is bit for bit what NVRTC's PTX makes of the same source.

use crate::compilers;
use crate::generated::{COMMON, INPUTS, Sort, THREADS, WORDS, generated, input};
use crate::need::not_tested;
use crate::own_cases::{refused, same_as_nvrtc, sim};
use cudac::{CompileOptions, compile};
use matviz::gpu::{Nvrtc, TranslationUnit};
use matviz::launch::{Dim3, Launch};
use matviz::sim::{Fill, Machine, Memory, Order, lower};
use ptx::parse;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Kernels with one feature each; the last line launches them.
const CASES: [(&str, &str); 17] = [
    (
        "the_right_side_first",
        "__device__ int bumped(int& n) { return ++n; }\n\
         __global__ void k(int* out) { int a[8], n = threadIdx.x & 3, m = n; for (int i = 0; i < 8; ++i) a[i] = -1;\n\
         __shared__ int s[64]; s[threadIdx.x] = 0; __syncthreads(); a[n++] = n; a[m] += m++; int p = m, q = (p << 1) << p++; a[bumped(p) & 7] = p;\n\
         s[(n += 3) + 8 * threadIdx.x & 63] = n; __syncthreads(); int* r = a; *r++ = q; *(r + n++ - 5) = n; unsigned c = n; a[c++ & 7] ^= c;\n\
         for (int i = 0; i < 8; ++i) out[threadIdx.x * 8 + i] = a[i] + p + s[threadIdx.x]; }\n\
         // sim: (void)<<<1,8>>>(out:i32[64])\n",
    ),
    (
        "assignments_as_values",
        "__global__ void k(int* out) { int x = threadIdx.x * 7, y, z, n = 0; while ((x = x / 2)) n += x;\n\
         if ((y = n) > 2) y += 100; y += (z = 3) + 1; do n += y; while ((z = z - 1)); for (int i = 9; (i = i - 2) > 0;) n += i;\n\
         if ((y = z)) n += 1000; bool b; n += (b = y > 3) ? (y = 9) : (y = 8); out[threadIdx.x] = n + y + (x = z = b); }\n\
         // sim: (void)<<<1,16>>>(out:i32[16])\n",
    ),
    (
        "conditions_of_the_preprocessor",
        "#define A 3\n#if (A > 2 ? 010 : 9) == 8 && -1 > 0u && ~A == -4 && 0x10u - 0x11u > 5 && (0 ? 1 / 0 : 1)\n#define V 1\n#else\n#define V 2\n#endif\n\
         #if 0b101 == 5 && 'A' == 65 && -1 >> 1 == -1 && -7 / 2 == -3 && 07 + 010 == 15\n#define W 10\n#elif ~0u\n#define W 20\n#endif\n\
         #if A ? 0 : 1\n#define X 100\n#elif true && !false\n#define X 200\n#endif\n\
         __global__ void k(int* out) { out[threadIdx.x] = V + W + X + 0b11; }\n\
         // sim: (void)<<<1,4>>>(out:i32[4])\n",
    ),
    (
        "numbers_that_are_none",
        "__global__ void k(unsigned* out) { double z = 0.0; float f = 0.0f; int o = threadIdx.x * 16; long long q = (long long)(f / f);\n\
         out[o] = __float_as_uint(f / f); out[o + 1] = __float_as_uint(f / f + 1.0f); out[o + 2] = (int)(f / f); out[o + 3] = (int)1e20f;\n\
         out[o + 4] = (int)(z / z); out[o + 5] = (unsigned)-3.5f; out[o + 6] = (int)-1e20; out[o + 7] = q >> 32;\n\
         out[o + 8] = __float_as_uint((float)(z / z)); out[o + 9] = (unsigned char)300.7f; out[o + 10] = (short)-40000.0f;\n\
         out[o + 11] = __float_as_uint(1e30f * 1e30f - 1e30f * 1e30f); out[o + 12] = __float_as_uint(0.0f / 0.0f); }\n\
         // sim: (void)<<<1,2>>>(out:u32[32])\n",
    ),
    (
        "templates_in_members",
        "template <typename T, int N> __device__ T scaled(T a) { return a * N; }\n\
         template <typename T> __device__ T twice(T a) { return a + a; }\n\
         struct S { int m; __device__ int get() const { return scaled<int, 3>(m) + twice<unsigned short>(m) + (signed char)m + (signed)m; } };\n\
         struct Max { __device__ float operator()(float a, float b) const { return fmaxf(twice<float>(a), b); } };\n\
         template <typename Op> __device__ float reduced(Op op, float x) { for (int i = 0; i < 4; ++i) x = op(x, i); return x; }\n\
         #define F(a, b) __device__ int a(int x) { return b(x) * 3 + 1; }\n\
         __device__ int f0(int x) { return x; } F(f1, f0) F(f2, f1) F(f3, f2) F(f4, f3) F(f5, f4) F(f6, f5) F(f7, f6) F(f8, f7) F(f9, f8) F(f10, f9) F(f11, f10)\n\
         F(f12, f11) F(f13, f12) F(f14, f13) F(f15, f14) F(f16, f15) F(f17, f16) F(f18, f17) F(f19, f18) F(f20, f19)\n\
         __global__ void k(int* out) { int i = threadIdx.x; S s = {500 + i}; out[i] = s.get() + f20(i) + (int)reduced<Max>(Max(), i) + (int)(float(i) * 1.5f); }\n\
         // sim: (void)<<<1,8>>>(out:i32[8])\n",
    ),
    (
        "enumerations",
        "enum Axis { X, Y = 4, Z }; enum class Mode : unsigned { Sum = 2, Product };\n\
         typedef enum { LOW, HIGH } Level;\n\
         struct Shape { enum { SIDES = 3 }; int of[SIDES]; };\n\
         __device__ int of(Mode mode, int a, int b) { return mode == Mode::Sum ? a + b : a * b; }\n\
         __global__ void k(int* out) { enum { FIRST = Z * 2, SECOND }; Level level = threadIdx.x % 2 ? HIGH : LOW;\n\
         Axis axis = threadIdx.x < 4 ? X : Axis::Z; int s[Y]; for (int i = 0; i < Y; ++i) s[i] = i * axis;\n\
         out[threadIdx.x] = s[threadIdx.x % Y] + of(Mode::Product, FIRST, SECOND) + level + sizeof(Shape); }\n\
         // sim: (void)<<<1,16>>>(out:i32[16])\n",
    ),
    (
        "switches",
        "__device__ float folded(int op, float a, float b) {\n\
         switch (op) { case 0: return a + b; case 1: return a - b;\n\
         case 2: case 3: { float c = a * b; return op == 2 ? c : -c; } default: break; } return 0.5f; }\n\
         template <int Kind> __device__ int fixed(int x) {\n\
         switch (Kind) { case 1: x += 10; case 2: x *= 2; break; default: x = -x; } return x; }\n\
         __global__ void k(float* out, int n) {\n\
         int i = threadIdx.x; float sum = folded(i % 5, i, 2); for (int j = 0; j < n; ++j) {\n\
         switch (j % 3) { case 0: continue; case 1: sum += 1; break; case 2: sum *= 1.5f; } sum += 0.25f; }\n\
         out[i] = sum + fixed<1>(i) + fixed<2>(i) + fixed<7>(i); }\n\
         // sim: (void)<<<1,32>>>(out:f32[32],n=7)\n",
    ),
    (
        "namespaces",
        "namespace math { namespace detail { __device__ float half_of(float x) { return x / 2; } }\n\
         const int SIDE = 8; struct Pair { float a, b; };\n\
         template <typename T> __device__ T twice(T x) { return x + x; } }\n\
         namespace { __device__ int next(int x) { return x + 1; } } namespace m = math; using namespace math;\n\
         using math::detail::half_of; __device__ float global_one() { return 1.0f; }\n\
         __global__ void k(float* out) { int i = threadIdx.x; m::Pair p = {1.0f * i, 2.0f};\n\
         out[i] = math::detail::half_of(p.a) + math::twice(p.b) + SIDE + next(i) + half_of(p.b) + ::global_one(); }\n\
         // sim: (void)<<<1,8>>>(out:f32[8])\n",
    ),
    (
        "overloads_and_defaults",
        "__device__ float put(float x, float by = 2.0f) { return x * by; }\n\
         __device__ int put(int x) { return x + 100; }\n\
         __device__ double put(double x, int) { return x / 2; }\n\
         __device__ void add(float* to, int at = 0, float what = 1.0f) { to[at] += what; }\n\
         __global__ void k(float* out, int, bool twice) { int i = threadIdx.x;\n\
         out[i] = put(1.0f * i) + put(i) + put(1.5f, 3.0f) + put(i * 1.0, 2); float more[2] = {0.5f, 1.0f};\n\
         add(more); add(more, 1, 0.5f); if (twice) out[i] = put(1.0f * i) + more[0] * more[1]; }\n\
         // sim: (void)<<<1,8>>>(out:f32[8],3,1)\n",
    ),
    (
        "macros",
        "#define NAME(x) kernel_##x\n#define TEXT(x) #x\n#define CHECK(call, ...) if (!(call)) printf(__VA_ARGS__)\n\
         #define SUM(a, b) ((a) + (b))\n#define FETCH(pointer) (reinterpret_cast<const float4*>(&(pointer))[0])\n\
         __global__ void NAME(one)(const float* in, float* out) {\n\
         int i = threadIdx.x; CHECK(i >= 0, TEXT(a + b %d), i); float4 v = FETCH(in[4 * i]);\n\
         out[i] = SUM(v.x, v.w) + 'a' + '\\n' + 1'000; }\n\
         // sim: (void)<<<1,8>>>(in:f32[32],out:f32[8])\n",
    ),
    (
        "braces",
        "struct Pair { float a; int b; };\n\
         __device__ float2 turned(float2 v) { return {v.y, v.x}; }\n\
         __device__ Pair made(int i) { return {0.5f * i, i}; }\n\
         __global__ void k(float4* out, const float2* in) {\n\
         int i = threadIdx.x, zero{}, one{1}, three(3); float2 v = {in[i].x, 2.0f}; v = turned(v); float4 sums[2] = {0};\n\
         Pair p = made(i); float2 rows[2] = {{1, 2}, v}; sums[1] = float4{p.a, v.x, rows[1].y, rows[0].x};\n\
         out[i] = {sums[0].x + zero, sums[1].y, sums[1].z + one, sums[1].x + p.b + three}; }\n\
         // sim: (void)<<<1,8>>>(out:f32[32],in:f32[16])\n",
    ),
    (
        "assertions_and_pointers",
        "template <int N> __device__ float sum(const float* v) { static_assert(N % 2 == 0, \"even\");\n\
         float all = 0; for (int i = 0; i < N; ++i) all += v[i]; return all; }\n\
         static_assert(sizeof(float) == 4, \"four bytes\");\n\
         __global__ void k(const float* in, float* out, const float* bias) {\n\
         constexpr int COUNT = 8; if (in == nullptr) return; float v = bias != NULL ? bias[threadIdx.x] : 0;\n\
         out[threadIdx.x] = v + sum<COUNT>(in + threadIdx.x); }\n\
         // sim: (void)<<<1,8>>>(in:f32[16],out:f32[8],bias:f32[8])\n",
    ),
    (
        "inline_ptx",
        "__device__ int lane() { unsigned id; asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(id)); return id; }\n\
         __device__ float fused(float a, float b, float c) {\n\
         asm(\"{ .reg .f32 t;\\n\\t mul.rn.f32 t, %1, %2;\\n\\t add.rn.f32 %0, t, %3; }\" : \"=f\"(a) : \"f\"(a), \"f\"(b), \"f\"(c)); return a; }\n\
         __global__ void k(const float* in, float* out) {\n\
         __shared__ float s[32]; int i = threadIdx.x; unsigned at = __cvta_generic_to_shared(&s[i]); int n = 3;\n\
         asm volatile(\"st.shared.f32 [%0], %1;\" :: \"r\"(at), \"f\"(in[i]) : \"memory\"); __syncthreads();\n\
         asm(\"add.s32 %0, %0, %1;\" : \"+r\"(n) : \"n\"(4)); long long l; asm(\"cvt.s64.s32 %0, %1;\" : \"=l\"(l) : \"r\"(n));\n\
         float v; asm(\"ld.global.f32 %0, [%1];\" : \"=f\"(v) : \"l\"(in + i)); out[i] = fused(s[31 - i], v, n) + lane() + l; }\n\
         // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
    ),
    (
        "asynchronous_copies_and_mma",
        "#include <cuda_fp16.h>\n#include <cstdint>\n\
         #define COPY(to, from) asm volatile(\"cp.async.ca.shared.global [%0], [%1], 16;\\n\" ::\"r\"(to), \"l\"(from))\n\
         __global__ void k(const half* A, const half* B, float* C) {\n\
         __shared__ half a[16][16], b[8][16]; int lane = threadIdx.x; float c[4] = {0.0f};\n\
         COPY((uint32_t)__cvta_generic_to_shared(&a[lane / 2][lane % 2 * 8]), A + 8 * lane);\n\
         if (lane < 16) { COPY((uint32_t)__cvta_generic_to_shared(&b[lane / 2][lane % 2 * 8]), B + 8 * lane); }\n\
         asm volatile(\"cp.async.commit_group;\\n\" ::); asm volatile(\"cp.async.wait_group %0;\\n\" ::\"n\"(0)); __syncthreads();\n\
         uint32_t f[4], g[2]; uint32_t at = __cvta_generic_to_shared(&a[lane % 16][lane / 16 * 8]);\n\
         asm volatile(\"ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\\n\"\n\
         : \"=r\"(f[0]), \"=r\"(f[1]), \"=r\"(f[2]), \"=r\"(f[3]) : \"r\"(at));\n\
         g[0] = *(uint32_t*)&b[lane / 4][lane % 4 * 2]; g[1] = *(uint32_t*)&b[lane / 4][lane % 4 * 2 + 8];\n\
         asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\\n\"\n\
         : \"=f\"(c[0]), \"=f\"(c[1]), \"=f\"(c[2]), \"=f\"(c[3])\n\
         : \"r\"(f[0]), \"r\"(f[1]), \"r\"(f[2]), \"r\"(f[3]), \"r\"(g[0]), \"r\"(g[1]), \"f\"(c[0]), \"f\"(c[1]), \"f\"(c[2]), \"f\"(c[3]));\n\
         for (int i = 0; i < 4; ++i) C[4 * lane + i] = c[i]; }\n\
         // sim: (void)<<<1,32>>>(A:f16[256],B:f16[128],C:f32[128])\n",
    ),
    (
        "cooperative_groups",
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n\
         __device__ float total(cg::thread_block_tile<32> warp, float x) {\n\
         for (int by = warp.size() / 2; by > 0; by /= 2) x += warp.shfl_down(x, by); return x; }\n\
         __global__ void k(const float* in, float* out) {\n\
         cg::thread_block block = cg::this_thread_block(); __shared__ float s[64]; s[block.thread_rank()] = in[threadIdx.x];\n\
         block.sync(); auto warp = cg::tiled_partition<32>(block); auto eight = cg::tiled_partition<8>(block);\n\
         float x = total(warp, s[63 - threadIdx.x]); float y = eight.shfl_xor(in[threadIdx.x], 3); eight.sync();\n\
         out[threadIdx.x] = x + y + eight.meta_group_rank() + eight.thread_rank() + warp.any(x > 100) + block.size(); }\n\
         // sim: (void)<<<1,64>>>(in:f32[64],out:f32[64])\n",
    ),
    (
        "templates",
        "template <int Width> __device__ float folded(float x) {\n\
         for (int by = Width / 2; by > 0; by /= 2) x += __shfl_xor_sync(0xffffffff, x, by); return x; }\n\
         template <int Threads> __global__ void mine(const float* in, float* out) {\n\
         constexpr int WARPS = (Threads + 31) / 32; __shared__ float s[WARPS]; float x = folded<32>(in[threadIdx.x]);\n\
         if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = x; __syncthreads();\n\
         if (threadIdx.x < 32) { x = threadIdx.x < WARPS ? s[threadIdx.x] : 0.0f; x = folded<WARPS>(x); }\n\
         if (threadIdx.x == 0) *out = x; }\ntemplate __global__ void mine<128>(const float*, float*);\n\
         // sim: (void)mine<128><<<1,128>>>(in:f32[128],out:f32[1])\n",
    ),
    (
        "hosts_things_that_nobody_needs",
        "#include <vector>\n#include <string>\n\
         struct Timer { std::string name; double start() { return 0; } };\n\
         typedef void (*Callback)(int); static std::vector<float> reference;\n\
         #define CUDA_CHECK(call) do { if (call) printf(\"%s failed\\n\", #call); } while (0)\n\
         inline int divided(int a, int b) { return (a + b - 1) / b; }\n\
         __global__ void k(float* out) { out[threadIdx.x] = 2 * threadIdx.x; }\n\
         // sim: (void)<<<1,8>>>(out:f32[8])\n",
    ),
];

#[test]
fn every_buffer_is_what_nvrtc_makes_of_it() {
    // NVRTC has no std::string and std::vector.
    let (own, both): (Vec<_>, Vec<_>) =
        CASES.into_iter().partition(|(name, _)| name.starts_with("hosts"));
    same_as_nvrtc(&both);
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in own {
        let file = folder.path().join("mine.cu");
        std::fs::write(&file, text).expect("written");
        let launch = text.lines().last().and_then(|line| line.strip_prefix("// sim: "));
        let run = sim(&file, "matviz", launch.expect("a launch"));
        assert_eq!(run.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&run.stderr));
    }
}

#[test]
fn what_is_not_compiled_is_named() {
    refused(&[
        ("int host(int x) { return x; }", "*out = host(1);", 1, "`host`, a function of the host,"),
        ("#include <vector>\nstd::vector<int> all;", "*out = all[0];", 2, "the C++ library"),
        (
            "__device__ int f(int) { return 1; }\n__device__ int f(long long) { return 2; }",
            "*out = f(1.5f);",
            3,
            "this call of `f`, of which there are several,",
        ),
        ("", "asm(\"mov.b128 %0, %1;\" : \"=q\"(*out) : \"r\"(1));", 2, "the constraint `q`"),
        ("", "static_assert(sizeof(int) == 8, \"\");", 2, "does not hold"),
        (
            "#include <cooperative_groups.h>",
            "auto some = cooperative_groups::coalesced_threads(); some.sync();",
            2,
            "such a cooperative group",
        ),
    ]);
}

/// A kernel outside the subset keeps no other one of the file from being compiled.
#[test]
fn the_kernel_that_is_launched_is_compiled_without_the_others() {
    let text = "#include <mma.h>\n\
                __global__ void with_wmma(float* out) { nvcuda::wmma::fragment<float> f; *out = f.x; }\n\
                __global__ void plain(float* out) { *out = 2; }\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    std::fs::write(&file, text).expect("written");
    let launch = "(void)<<<1,1>>>(out:f32[1])";
    let run = |entry: &str| sim(&file, "matviz", &format!("--launch {launch} {entry}"));
    assert_eq!(run("--launch plain").status.code(), Some(0));
    for entry in ["--launch with_wmma", ""] {
        let output = run(entry);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(told.contains("mine.cu:2:") && told.contains("a tensor core by `wmma`"), "{told}");
        assert!(told.contains("--launch takes another kernel: plain"), "{told}");
    }
}

/// Kernels that are compared in every run; `MATVIZ_GENERATED` names another number.
const GENERATED: u64 = 200;

/// Kernels of one source.
const TOGETHER: u64 = 50;

/// A kernel of `tests/data/cudac` with what its last comments say of it.
///
/// ```text
/// // sim: <<<1,32>>> the launch
/// // out: bd6a98a70376             how the SHA-256 of a buffer begins, as NVRTC's PTX leaves it
/// // fmas: 4096                    the FMAs of all threads, as ptxas makes them
/// // finding: memory 8             the kind and the line of each finding; none without it
/// // refused: mine.cu:2:           where it is refused
/// // says: tail                    part of what is told
/// // never: did you mean           no part of that
/// ```
struct Known {
    name: String,
    text: String,
}

impl Known {
    fn said<'t>(&'t self, what: &str) -> impl Iterator<Item = &'t str> {
        let head = format!("// {what}: ");
        self.text.lines().filter_map(move |line| line.strip_prefix(&*head))
    }

    /// What a run by a compiler does otherwise than it should.
    fn wrong(&self, compiler: &str) -> Vec<String> {
        let file = Path::new("tests/data/cudac").join(&self.name);
        let output = sim(&file, compiler, self.said("sim").next().expect("a launch"));
        let told = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        let told = told.concat();
        let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let mut wrong = Vec::new();
        let mut expect = |holds: bool, what: String| {
            if !holds {
                wrong.push(format!("{} by {compiler}, {what}: {told}", self.name));
            }
        };
        for buffer in found["buffers"].as_array().into_iter().flatten() {
            let (name, hash) = (buffer["name"].as_str(), buffer["sha256"].as_str());
            let hash = hash.expect("a hash");
            let begins = self.said(name.expect("a name")).next();
            expect(
                begins.is_none_or(|begins| hash.starts_with(begins)),
                format!("{name:?} {hash}"),
            );
        }
        let fmas = found["sass"]["thread_fma"].as_u64();
        let of_ptxas = self.said("fmas").next().map(|count| count.parse().expect("a number"));
        expect(of_ptxas.is_none_or(|count: u64| fmas == Some(count)), format!("{fmas:?} FMAs"));
        if compiler == "nvrtc" {
            return wrong;
        }
        let is_run = output.status.code() != Some(3);
        expect(is_run == self.said("refused").next().is_none(), "refused or not".to_owned());
        let findings = found["findings"].as_array().into_iter().flatten();
        let findings = findings.map(|one| {
            let kind = one["kind"].as_str().expect("a kind");
            format!("{kind} {}", one["sides"][0]["line"])
        });
        let findings: Vec<_> = findings.collect();
        expect(findings == self.said("finding").collect::<Vec<_>>(), format!("{findings:?}"));
        for part in self.said("refused").chain(self.said("says")) {
            expect(told.contains(part), format!("`{part}` is missing"));
        }
        for part in self.said("never") {
            expect(!told.contains(part), format!("`{part}` is there"));
        }
        wrong
    }
}

/// Each kernel leaves what is known of it, is refused for its reason, or has its findings.
#[test]
fn kernels_of_which_the_outcome_is_known_have_it() {
    let files = std::fs::read_dir("tests/data/cudac").expect("the folder");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let known = |path: std::path::PathBuf| Known {
        name: path.file_name().expect("a name").to_string_lossy().into_owned(),
        text: std::fs::read_to_string(&path).expect("text"),
    };
    let all: Vec<_> = paths.into_iter().map(known).collect();
    assert!(all.len() >= 50, "only {} kernels", all.len());
    let mut wrong = Vec::new();
    for compiler in compilers::compilers("that kernels leave what is known") {
        let is_for_both =
            |one: &&Known| compiler == "matviz" || one.said("refused").next().is_none();
        wrong.extend(all.iter().filter(is_for_both).flat_map(|one| one.wrong(compiler)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What each kernel of a source leaves in its output.
type Outputs = Vec<Vec<u32>>;

/// Kernels made at random compute the same in matviz's compiler, in NVRTC's and on the host, as far as
/// these are here.
#[test]
fn what_is_generated_is_computed_the_same_everywhere() {
    let wanted =
        std::env::var("MATVIZ_GENERATED").ok().map(|count| count.parse().expect("a number"));
    let wanted: u64 = wanted.unwrap_or(GENERATED);
    let nvrtc = compilers::compilers("that generated kernels compute the same").contains(&"nvrtc");
    let nvrtc = nvrtc.then(|| Nvrtc::find().expect("it can be loaded").expect("it is there"));
    let host = ["c++", "g++", "clang++"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok());
    if host.is_none() {
        not_tested("c++", "that generated kernels compute what the host does");
    }
    let mut wrong = Vec::new();
    for first in (0..wanted).step_by(TOGETHER as usize) {
        let seeds: Vec<_> = (first..(first + TOGETHER).min(wanted)).collect();
        let source =
            source(&seeds, "extern \"C\" __global__ void", "const unsigned t = threadIdx.x;");
        let own =
            compile(&source, &CompileOptions { file: "generated.cu", ..CompileOptions::default() });
        let own =
            own.map_err(|error| error.render(&source, "generated.cu")).expect("in the subset").ptx;
        let own = simulated(&own, &seeds);
        let by_nvrtc = nvrtc.as_ref().map(|nvrtc| {
            let unit = TranslationUnit {
                source: &source,
                name: "generated.cu",
                headers: &[],
                instances: &[],
            };
            let made = nvrtc.compile(unit, &["--gpu-architecture=compute_80".to_owned()]);
            simulated(&made.expect("it compiles"), &seeds)
        });
        let by_host = host.map(|host| on_the_host(host, &seeds));
        for (at, seed) in seeds.iter().enumerate() {
            let kernel = generated(*seed);
            let differs =
                |other: &Option<Outputs>| other.as_ref().is_some_and(|other| other[at] != own[at]);
            // A host rounds each product by itself.
            let is_of_host = kernel.sort != Sort::Fused && differs(&by_host);
            if differs(&by_nvrtc) || is_of_host {
                let who = if is_of_host { "the host" } else { "NVRTC" };
                wrong.push(format!("seed {seed}, {who}:\n{}", kernel.body));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {wanted} differ\n{}", wrong.len(), wrong.join("\n"));
}

/// A source of these kernels, each with this head and this beginning.
fn source(seeds: &[u64], head: &str, begin: &str) -> String {
    let mut text = COMMON.to_owned();
    for seed in seeds {
        let body = generated(*seed).body;
        let parameters = "unsigned* out, const unsigned* in";
        let _ = writeln!(text, "{head} k{seed}({parameters}) {{\n    {begin}\n{body}}}");
    }
    text
}

/// Runs each kernel of a module.
fn simulated(ptx: &str, seeds: &[u64]) -> Outputs {
    let module = parse(ptx).expect("it can be read");
    let launch = Launch { grid: Dim3::flat(1, 1), block: Dim3::flat(THREADS as u32, 1) };
    let run = |seed: &u64| {
        let program = Arc::new(lower(&module, &format!("k{seed}")).expect("it can be run"));
        let mut memory = Memory::new();
        let out = memory.add_dense("out", (THREADS * WORDS) as u64, &Fill::Zero);
        let words: Arc<[u32]> = (0..INPUTS).map(input).collect();
        let given = memory.add_dense("in", INPUTS as u64, &Fill::Words(words));
        memory.declare(&program);
        let params: Vec<u8> = [out, given].into_iter().flat_map(u64::to_le_bytes).collect();
        let mut machine =
            Machine::new(program, launch, Dim3::at(0, 0), &params, memory, Order::default());
        while machine.step().expect("it runs").is_some() {}
        let memory = machine.memory();
        memory.floats("out").into_iter().map(f32::to_bits).collect()
    };
    seeds.iter().map(run).collect()
}

/// Compiles the kernels as functions of the host, and runs them.
fn on_the_host(compiler: &str, seeds: &[u64]) -> Outputs {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, program) = (folder.path().join("generated.cpp"), folder.path().join("generated"));
    let mut text = "#include <cstdio>\n#include <cstring>\n#define __device__ static\n\
                    static unsigned __float_as_uint(float x) { unsigned y; memcpy(&y, &x, 4); return y; }\n\
                    static unsigned in[64], out[256];\n"
        .to_owned();
    text += &source(seeds, "static void", "unsigned t = now;")
        .replace("unsigned* out, const unsigned* in", "unsigned now");
    text += "int main() {\n";
    for index in 0..INPUTS {
        let _ = writeln!(text, "in[{index}] = {}u;", input(index));
    }
    for seed in seeds {
        let _ = writeln!(
            text,
            "for (unsigned t = 0; t < {THREADS}; ++t) k{seed}(t);\n\
             for (unsigned i = 0; i < {}; ++i) printf(\"%u \", out[i]); puts(\"\");",
            THREADS * WORDS
        );
    }
    std::fs::write(&file, text + "}\n").expect("written");
    let flags = ["-std=c++17", "-O1", "-w", "-ffp-contract=off", "-o"];
    let made =
        Command::new(compiler).args(flags).arg(&program).arg(&file).output().expect("it runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let output = Command::new(&program).output().expect("it runs");
    let numbers =
        |line: &str| line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    String::from_utf8_lossy(&output.stdout).lines().map(numbers).collect()
}
