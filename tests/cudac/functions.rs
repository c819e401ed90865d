//! The Math API and half precision in matviz's own compiler: bit for bit what NVRTC's PTX computes, for
//! numbers of all sizes.

use crate::own_cases;
use crate::own_cases::{refused, same_as_nvrtc};

/// Functions of one `float`.
const OF_ONE: &str = "expf __expf exp2f logf __logf log2f log10f __log10f log1pf tanhf coshf erff sinf \
                      cosf __sinf __cosf __tanf roundf rintf floorf ceilf truncf sqrtf rsqrtf fabsf \
                      isnan isinf exp log tanh";

/// Functions of two.
const OF_TWO: &str = "powf __powf fmodf fminf fmaxf fdimf copysignf __fdividef pow fmod";

/// Where numbers come from: any bits, and numbers of everyday size.
const NUMBERS: &str = "\
    __device__ float any(int i) { return __uint_as_float(i * 2654435761u); }\n\
    __device__ float usual(int i) { return (i % 1999 - 1000) * 0.0078125f; }\n";

#[test]
fn functions_of_float_are_those_of_cuda() {
    let of_one = OF_ONE.split(' ').map(|name| (name, format!("{name}(x)")));
    let of_two = OF_TWO.split(' ').map(|name| (name, format!("{name}(x, y)")));
    let cases: Vec<_> = of_one
        .chain(of_two)
        .map(|(name, call)| {
            let text = format!(
                "{NUMBERS}__global__ void k(unsigned* out) {{\n\
                 int i = blockIdx.x * 256 + threadIdx.x; bool odd = i & 1;\n\
                 float x = odd ? any(i) : usual(i), y = odd ? any(i * 7 + 3) : usual(i * 7 + 3);\n\
                 if (i < 64) y = (i - 32) * 0.5f;\n\
                 float z = {call}; out[i] = z != z ? 1 : __float_as_uint(z); }}\n\
                 // sim: (void)<<<16,256>>>(out:u32[4096])\n"
            );
            (name, text)
        })
        .collect();
    let cases: Vec<_> = cases.iter().map(|(name, text)| (*name, &**text)).collect();
    same_as_nvrtc(&cases);
}

/// Functions of `double`, whole numbers and bits.
const OTHERS: [(&str, &str); 6] = [
    (
        "roundings",
        "#define F(e) { float r = e; out[o++] = r != r ? 1 : __float_as_uint(r); }\n\
         #define D(e) { double r = e; out[o++] = r != r ? 1 : __double2loint(r); out[o++] = r != r ? 1 : __double2hiint(r); }\n\
         #define L(e) { long long r = e; out[o++] = r; out[o++] = r >> 32; }\n\
         #define A(f, ...) F(f##_rn(__VA_ARGS__)) F(f##_rz(__VA_ARGS__)) F(f##_rd(__VA_ARGS__)) F(f##_ru(__VA_ARGS__))\n\
         #define B(f, ...) D(f##_rn(__VA_ARGS__)) D(f##_rz(__VA_ARGS__)) D(f##_rd(__VA_ARGS__)) D(f##_ru(__VA_ARGS__))\n\
         __global__ void k(unsigned* out) { int i = threadIdx.x, o = i * 200;\n\
         float x = (i - 15) * 1.37f, y = i * 0.71f + 0.01f, z = 3.3f - i; double d = x * 1.1, e = y + 0.3;\n\
         A(__fadd, x, y) A(__fsub, x, y) A(__fmul, x, y) A(__fdiv, x, y) A(__frcp, y) A(__fsqrt, y) A(__fmaf, x, y, z)\n\
         B(__dadd, d, e) B(__dsub, d, e) B(__dmul, d, e) B(__ddiv, d, e) B(__drcp, e) B(__dsqrt, e) B(__fma, d, e, d)\n\
         L(lrintf(x * 1000.3f)) L(llrintf(y * 1e12f)) L(lroundf(x * 10.5f)) L(llroundf(z * 2.5f)) L(lrint(d * 1e10)) L(llrint(e))\n\
         L(__float2ll_rn(x * 1e13f)) L(__float2ull_ru(y)) L(__double2ll_rd(d * 1e15)) L(__float2uint_rd(y)) L(__double2uint_rn(e * 100))\n\
         F(__ll2float_rz(1234567890123ll * i)) F(__ull2float_ru(98765432109876ull * i)) F(__int2float_rd(i * 16777259))\n\
         F(__double2float_ru(d)) D(__ll2double_rz(1234567890123456789ll - i)) D(__uint2double_rn(i * 77777777u)) }\n\
         // sim: (void)<<<1,32>>>(out:u32[6400])\n",
    ),
    (
        "barriers_that_count_and_addresses",
        "__global__ void k(unsigned* out, float* f) { int i = threadIdx.x, o = i * 16; unsigned u = i * 2654435761u, v = ~u * 3;\n\
         out[o++] = __syncthreads_or(i == 63); out[o++] = __syncthreads_and(i < 63); out[o++] = __syncthreads_count(i % 3 == 0);\n\
         out[o++] = __funnelshift_l(u, v, i); out[o++] = __funnelshift_r(u, v, i + 7); out[o++] = __funnelshift_lc(u, v, i);\n\
         out[o++] = __funnelshift_rc(u, v, i); out[o++] = __usad(u, v, 7); out[o++] = __umul64hi(u * 123456789ull * v, v * 987654321ull * u);\n\
         out[o++] = __hadd(i, -7); out[o++] = __uhadd(u, v); out[o++] = __rhadd(i, -2); out[o++] = __urhadd(u, v);\n\
         float s, c, t[2]; sincosf(i * 3.7f, &s, &c); f[4 * i] = s; f[4 * i + 1] = c; sincosf(i * 0.1f, t, t + 1); f[4 * i + 2] = t[0] + t[1];\n\
         __sincosf(i * 0.3f, &s, &c); f[4 * i + 3] = s + c; __shared__ unsigned turn; if (i == 0) turn = 40; __syncthreads();\n\
         if (i < 32) atomicDec(&turn, 50u); __syncthreads(); out[o] = turn + (unsigned)__ldcg(f + 4 * i); }\n\
         // sim: (void)<<<1,64>>>(out:u32[1024],f:f32[256])\n",
    ),
    (
        "double",
        "__global__ void k(double* out) {\n\
         int i = blockIdx.x * 128 + threadIdx.x; double x = __longlong_as_double(i * 11400714819323198485ull);\n\
         if (i % 2) x = (i - 500) * 0.1234567; double s = 0;\n\
         double all[8] = {exp(x), log(x), sqrt(x), fabs(x), floor(x), fmax(x, 1.0), fma(x, x, 2.0), rsqrt(x)};\n\
         for (int j = 0; j < 8; ++j) { double y = all[j]; out[8 * i + j] = y != y ? 1.0 : y; } }\n\
         // sim: (void)<<<8,128>>>(out:f64[8192])\n",
    ),
    (
        "overloads",
        "__global__ void k(float* f, double* d) {\n\
         int i = threadIdx.x; float x = i * 0.3f - 4; double y = i * 0.3 - 4;\n\
         f[i] = exp(x) + sqrt(abs(x)) * pow(x, 3) + max(x, 0.5f) + abs(-i) + fmin(x, 2.0f) + round(x);\n\
         d[i] = exp(y) + sqrt(abs(y)) + max(x, 0.25) + fmin(y, 2.0) + floor(x) + exp((double)i); }\n\
         // sim: (void)<<<1,32>>>(f:f32[32],d:f64[32])\n",
    ),
    (
        "bits",
        "__global__ void k(unsigned* out) {\n\
         int i = threadIdx.x; unsigned x = i * 2654435761u; unsigned s = __popc(x) + 32 * __clz(x >> i % 30);\n\
         s = 3 * s + __ffs(x << i) + __brev(x) + __umulhi(x, s) + __mulhi((int)x, -7) + __byte_perm(x, s, 0x3210 + i);\n\
         s ^= __ballot_sync(0xffffffff, x & 4); s += __any_sync(0xffffffff, i == 3) + 2 * __all_sync(0xffffffff, i < 9);\n\
         s += __float2int_rn(i * 0.37f) + __float2int_ru(i * 0.37f) + __double2hiint(i * 0.1) + __popcll(x * 12345ull);\n\
         out[i] = s; }\n\
         // sim: (void)<<<1,32>>>(out:u32[32])\n",
    ),
    (
        "shuffles_of_other_sizes",
        "#include <cuda_fp16.h>\n\
         __global__ void k(double* d, long long* l, half* h) {\n\
         int i = threadIdx.x; double x = i * 0.1; long long y = i * 123456789012ll; half z = __float2half(i * 0.5f);\n\
         for (int by = 16; by; by /= 2) { x += __shfl_down_sync(0xffffffff, x, by);\n\
         y += __shfl_xor_sync(0xffffffff, y, by); z += __shfl_xor_sync(0xffffffff, z, by); }\n\
         d[i] = x; l[i] = y; h[i] = z; }\n\
         // sim: (void)<<<1,32>>>(d:f64[32],l:i64[32],h:f16[32])\n",
    ),
];

#[test]
fn other_functions_are_those_of_cuda() {
    same_as_nvrtc(&OTHERS);
}

/// Expressions of three halves.
const OF_HALVES: &[&str] = &[
    "x + y",
    "x - y",
    "x * y",
    "x / y",
    "-x * y + z",
    "__hfma(x, y, z)",
    "__hadd(__hmul(x, y), __hsub(z, x))",
    "x > y ? x : z",
    "__hlt(x, y) ? z : x",
    "__float2half(__half2float(x) * 1.0009f)",
    "__double2half((double)__half2float(x) * 1.000488281251)",
    "__int2half_rn((int)x) + half(i * 3)",
    "half(0.1f) * half(3)",
    "hexp(x) + hsqrt(__habs(y)) * hrcp(z)",
    "hlog(x)",
    "htanh(x)",
    "hfloor(x) + hceil(y)",
    "__low2half(__halves2half2(x, y) * __halves2half2(y, z) + __float2half2_rn(0.5f))",
    "__high2half(__hfma2(__halves2half2(x, y), __halves2half2(y, z), __half2half2(z)))",
    "__high2half(__h2div(__halves2half2(x, y), __halves2half2(y, z)))",
    "__float2half(__half22float2(__halves2half2(x, y)).y + __low2float(__halves2half2(z, y)))",
    "__high2half(__floats2half2_rn(0.1f * i, 0.2f * i))",
    "hrsqrt(x) + hrcp(y)",
    "htrunc(x) + hrint(y)",
    "__hadd_rn(x, __hmul_rn(y, z))",
    "__low2half(h2sqrt(__halves2half2(x, y))) + __high2half(h2log(__halves2half2(x, y)))",
    "__low2half(__hsub2_rn(__low2half2(__halves2half2(x, y)), __lowhigh2highlow(__halves2half2(y, z))))",
    "__float2half_rz(__half2float(x) * 1.3f)",
    "__float2half_rd(__half2float(x) * 1.3f)",
    "__int2half_rn((int)2.7f + (i & 7))",
];

/// Expressions of three `__nv_bfloat16`.
const OF_BFLOATS: &[&str] = &[
    "x + y",
    "x - y",
    "x * y",
    "x / y",
    "__hfma(x, y, z)",
    "__hadd(__hmul(x, y), __hsub(z, x))",
    "x > y ? x : z",
    "__hmax(x, y)",
    "__float2bfloat16(__bfloat162float(x) * 1.0009f)",
    "x + __nv_bfloat16(0.1f)",
    "__high2bfloat16(__hfma2(__halves2bfloat162(x, y), __halves2bfloat162(y, z), __bfloat162bfloat162(z)))",
    "__low2bfloat16(__hadd2(__halves2bfloat162(x, y), __halves2bfloat162(y, z)))",
    "hexp(x)",
    "hexp2(x)",
    "hlog(x)",
    "hlog2(x)",
    "hlog10(x)",
    "hsqrt(x)",
    "hrsqrt(x)",
    "hrcp(x)",
    "htanh(x)",
    "hsin(x)",
    "hcos(x)",
    "hfloor(x)",
    "hceil(x)",
    "htrunc(x)",
    "hrint(x)",
    "__hadd_rn(x, y)",
    "__hsub_rn(x, y)",
    "__hmul_rn(x, y)",
    "__hdiv(x, __habs(y))",
    "__low2bfloat16(h2sqrt(__halves2bfloat162(x, y)))",
    "__high2bfloat16(h2exp(__halves2bfloat162(x, y)))",
    "__low2bfloat16(__hneg2(__highs2bfloat162(__halves2bfloat162(x, y), __halves2bfloat162(z, y))))",
];

#[test]
fn half_precision_is_that_of_cuda() {
    let kernel = |ty: &str, convert: &str, back: &str, infinity: &str, all: &[&str]| {
        let lines = all.iter().zip(0..).map(|(expression, at)| {
            format!(
                "{{ {ty} r = {expression}; unsigned short b = {back}(r);\n\
                 out[{at} * 4096 + i] = (b & 0x7fff) > {infinity} ? 1 : b; }}\n"
            )
        });
        format!(
            "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n\
             __device__ unsigned short bits(int i) {{ return i * 40503u >> 3; }}\n\
             __global__ void k(unsigned short* out) {{ int i = blockIdx.x * 256 + threadIdx.x;\n\
             {ty} x = {convert}(bits(i)), y = {convert}(bits(i * 31 + 5)), z = {convert}(bits(i * 17 + 9));\n\
             {}}}\n// sim: (void)<<<16,256>>>(out:u16[{}])\n",
            lines.collect::<String>(),
            4096 * all.len()
        )
    };
    let half = kernel("half", "__ushort_as_half", "__half_as_ushort", "0x7c00", OF_HALVES);
    let bfloat = kernel(
        "__nv_bfloat16",
        "__ushort_as_bfloat16",
        "__bfloat16_as_ushort",
        "0x7f80",
        OF_BFLOATS,
    );
    same_as_nvrtc(&[("half", &half), ("bfloat", &bfloat)]);
}

/// Half precision in memory: vectors of it, its numbers one by one, and products of matrices.
const IN_MEMORY: [(&str, &str); 3] = [
    (
        "members_of_pairs",
        "#include <cuda_fp16.h>\n\
         __global__ void k(const half2* in, half2* out, half* sums) {\n\
         int i = threadIdx.x; half2 v = in[i]; v.x += v.y; half2 w = make_half2(v.y, v.x); w.y *= 2.0f;\n\
         __shared__ half2 s[32]; s[i] = w; __syncthreads(); s[31 - i].x = v.x; __syncthreads();\n\
         half2 a[2] = {v, s[i]}; a[1].y = a[0].x; out[i] = a[1]; sums[i] = a[1].x + s[i].y; }\n\
         // sim: (void)<<<1,32>>>(in:f16[64],out:f16[64],sums:f16[32])\n",
    ),
    (
        "product",
        "#include <cuda_fp16.h>\n\
         __global__ void k(const half* A, const half* B, half* C, int N) {\n\
         int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n\
         if (row < N && col < N) { float sum = 0.0f; for (int e = 0; e < N; ++e)\n\
         sum += __half2float(A[row * N + e]) * __half2float(B[e * N + col]); C[row * N + col] = __float2half(sum); } }\n\
         // sim: <<<,8x8>>> --size 32\n",
    ),
    (
        "product_of_pairs",
        "#include <cuda_bf16.h>\n\
         __global__ void k(const __nv_bfloat16* x, const nv_bfloat162* y, float* out, nv_bfloat16* last) {\n\
         int i = threadIdx.x; nv_bfloat162 v = y[i]; nv_bfloat162 w = __bfloat162bfloat162(x[i]) * v + v;\n\
         out[i] = __low2float(w) + __bfloat162float(w.y) + (float)x[i]; last[i] = w.x; }\n\
         // sim: (void)<<<1,16>>>(x:bf16[16],y:bf16[32],out:f32[16],last:bf16[16])\n",
    ),
];

#[test]
fn half_precision_in_memory_is_that_of_cuda() {
    same_as_nvrtc(&IN_MEMORY);
}

#[test]
fn what_is_not_compiled_is_named() {
    let half = "#include <cuda_fp16.h>";
    let both = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>";
    refused(&[
        ("", "*out = sin(2.5 + *out);", 2, "the function `sin`"),
        (both, "*out = (int)hsqrt(4);", 3, "this call of `hsqrt`"),
        (both, "*out = (int)__hmax(1, 2);", 3, "`__hmax` takes halves"),
        (both, "*out = (int)__half2float(__float2bfloat16(1.0f));", 3, "takes a `__half`"),
        (
            both,
            "half h = __float2bfloat16(1.0f); *out = (int)h;",
            3,
            "does not become `__half` by itself",
        ),
        (both, "*out = (int)__hadd(__float2half(1.0f), 2);", 3, "`__hadd` takes a `__half`"),
        (half, "half h = 2.0f; *out = (int)(h * 2.0f);", 2, "`*` of a `__half` and a `float`"),
        (
            half,
            "float f = 1; f += __float2half(2.0f); *out = f;",
            2,
            "`+` of a `float` and a `__half`",
        ),
        ("", "half h = 2.0f; *out = (int)h;", 2, "there is no type `half`"),
    ]);
}

/// What CUDA has is not said to be missing, and no other function is offered for it.
#[test]
fn a_function_of_cuda_is_told_from_one_that_nobody_has() {
    let elsewhere = [
        "__match_any_sync(1, 2)",
        "__vadd4(1, 2)",
        "tgammaf(1.0f)",
        "__hfma_sat(1, 2, 3)",
        "__shfl_up(1, 2)",
        "__nanosleep(3)",
        "__float2bfloat16_rd(1.0f)",
        "tex2D<float>(1, 2)",
        "__dp2a_lo(1, 2, 3)",
    ];
    let unknown = [
        ("atomicDecc(out, 3)", "`atomicDec`"),
        ("__fadd_ro(1.0f, 2.0f)", "`__fadd_r"),
        ("__float2ll_rr(2.0f)", "`__float2ll_r"),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let told = |call: &str| {
        let file = folder.path().join("mine.cu");
        std::fs::write(&file, format!("__global__ void k(int* out) {{ *out = (int){call}; }}\n"))
            .expect("written");
        let output = own_cases::sim(&file, "matviz", "(void)<<<1,1>>>(out:i32[1])");
        assert_eq!(output.status.code(), Some(3), "{call}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for call in elsewhere {
        let said = told(call);
        assert!(said.contains("not in matviz's CUDA") && !said.contains("did you mean"), "{said}");
    }
    for (call, near) in unknown {
        let said = told(call);
        assert!(said.contains("there is no function") && said.contains(near), "{said}");
    }
}

/// Limits say how much is needed and how much there is, on the line of the source.
#[test]
fn memory_that_is_not_there_is_told_with_its_line() {
    refused(&[
        (
            "",
            "float s[200000]; for (int i = 0; i < 200000; ++i) s[i] = i;\n*out = s[*out];",
            2,
            "a thread needs 800000 bytes of local memory, and has 524288",
        ),
        (
            "",
            "__shared__ float a[40000];\n__shared__ float b[30000]; a[*out] = b[*out];",
            3,
            "with `b`, a block needs 280000 bytes of shared memory, and has 232448",
        ),
    ]);
}
