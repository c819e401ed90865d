//! The Math API and half precision in matviz's own compiler: bit for bit what NVRTC's PTX computes, for
//! numbers of all sizes.

#[path = "shared/compilers.rs"]
mod compilers;
#[path = "shared/need.rs"]
mod need;
#[path = "shared/own_cases.rs"]
mod own_cases;
#[path = "shared/stderr.rs"]
mod stderr;

use own_cases::{refused, same_as_nvrtc};

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
                 // sim: --result any --block 256 --grid 16 --args out:u32[4096]\n"
            );
            (name, text)
        })
        .collect();
    let cases: Vec<_> = cases.iter().map(|(name, text)| (*name, &**text)).collect();
    same_as_nvrtc(&cases);
}

/// Functions of `double`, whole numbers and bits.
const OTHERS: [(&str, &str); 4] = [
    (
        "double",
        "__global__ void k(double* out) {\n\
         int i = blockIdx.x * 128 + threadIdx.x; double x = __longlong_as_double(i * 11400714819323198485ull);\n\
         if (i % 2) x = (i - 500) * 0.1234567; double s = 0;\n\
         double all[8] = {exp(x), log(x), sqrt(x), fabs(x), floor(x), fmax(x, 1.0), fma(x, x, 2.0), rsqrt(x)};\n\
         for (int j = 0; j < 8; ++j) { double y = all[j]; out[8 * i + j] = y != y ? 1.0 : y; } }\n\
         // sim: --result any --block 128 --grid 8 --args out:f64[8192]\n",
    ),
    (
        "overloads",
        "__global__ void k(float* f, double* d) {\n\
         int i = threadIdx.x; float x = i * 0.3f - 4; double y = i * 0.3 - 4;\n\
         f[i] = exp(x) + sqrt(abs(x)) * pow(x, 3) + max(x, 0.5f) + abs(-i) + fmin(x, 2.0f) + round(x);\n\
         d[i] = exp(y) + sqrt(abs(y)) + max(x, 0.25) + fmin(y, 2.0) + floor(x) + exp((double)i); }\n\
         // sim: --result any --block 32 --grid 1 --args f:f32[32],d:f64[32]\n",
    ),
    (
        "bits",
        "__global__ void k(unsigned* out) {\n\
         int i = threadIdx.x; unsigned x = i * 2654435761u; unsigned s = __popc(x) + 32 * __clz(x >> i % 30);\n\
         s = 3 * s + __ffs(x << i) + __brev(x) + __umulhi(x, s) + __mulhi((int)x, -7) + __byte_perm(x, s, 0x3210 + i);\n\
         s ^= __ballot_sync(0xffffffff, x & 4); s += __any_sync(0xffffffff, i == 3) + 2 * __all_sync(0xffffffff, i < 9);\n\
         s += __float2int_rn(i * 0.37f) + __float2int_ru(i * 0.37f) + __double2hiint(i * 0.1) + __popcll(x * 12345ull);\n\
         out[i] = s; }\n\
         // sim: --result any --block 32 --grid 1 --args out:u32[32]\n",
    ),
    (
        "shuffles_of_other_sizes",
        "#include <cuda_fp16.h>\n\
         __global__ void k(double* d, long long* l, half* h) {\n\
         int i = threadIdx.x; double x = i * 0.1; long long y = i * 123456789012ll; half z = __float2half(i * 0.5f);\n\
         for (int by = 16; by; by /= 2) { x += __shfl_down_sync(0xffffffff, x, by);\n\
         y += __shfl_xor_sync(0xffffffff, y, by); z += __shfl_xor_sync(0xffffffff, z, by); }\n\
         d[i] = x; l[i] = y; h[i] = z; }\n\
         // sim: --result any --block 32 --grid 1 --args d:f64[32],l:i64[32],h:f16[32]\n",
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
    "x + half(0.1f) * half(3)",
    "hexp(x) + hsqrt(__habs(y)) * hrcp(z)",
    "hlog(x)",
    "htanh(x)",
    "hfloor(x) + hceil(y)",
    "__low2half(__halves2half2(x, y) * __halves2half2(y, z) + __float2half2_rn(0.5f))",
    "__high2half(__hfma2(__halves2half2(x, y), __halves2half2(y, z), __half2half2(z)))",
    "__high2half(__h2div(__halves2half2(x, y), __halves2half2(y, z)))",
    "__float2half(__half22float2(__halves2half2(x, y)).y + __low2float(__halves2half2(z, y)))",
    "__high2half(__floats2half2_rn(0.1f * i, 0.2f * i))",
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
             {}}}\n// sim: --result any --block 256 --grid 16 --args out:u16[{}]\n",
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
         // sim: --result any --block 32 --grid 1 --args in:f16[64],out:f16[64],sums:f16[32]\n",
    ),
    (
        "product",
        "#include <cuda_fp16.h>\n\
         __global__ void k(const half* A, const half* B, half* C, int N) {\n\
         int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n\
         if (row < N && col < N) { float sum = 0.0f; for (int e = 0; e < N; ++e)\n\
         sum += __half2float(A[row * N + e]) * __half2float(B[e * N + col]); C[row * N + col] = __float2half(sum); } }\n\
         // sim: --size 32 --block 8,8\n",
    ),
    (
        "product_of_pairs",
        "#include <cuda_bf16.h>\n\
         __global__ void k(const __nv_bfloat16* x, const nv_bfloat162* y, float* out, nv_bfloat16* last) {\n\
         int i = threadIdx.x; nv_bfloat162 v = y[i]; nv_bfloat162 w = __bfloat162bfloat162(x[i]) * v + v;\n\
         out[i] = __low2float(w) + __bfloat162float(w.y) + (float)x[i]; last[i] = w.x; }\n\
         // sim: --result any --block 16 --grid 1 --args x:bf16[16],y:bf16[32],out:f32[16],last:bf16[16]\n",
    ),
];

#[test]
fn half_precision_in_memory_is_that_of_cuda() {
    same_as_nvrtc(&IN_MEMORY);
}

#[test]
fn what_is_not_compiled_is_named() {
    let half = "#include <cuda_fp16.h>";
    refused(&[
        ("", "*out = sin(2.5 + *out);", 2, "the function `sin`"),
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
