//! Headers that a source includes: those that device code can use, those of the host, and its own.

/// How the name of a header of device code begins: NVIDIA's own, and those of its libraries.
const DEVICE: [&str; 20] = [
    "cuda_fp",
    "cuda_bf16",
    "mma.h",
    "cooperative_groups",
    "cuda/",
    "cub/",
    "cuda_pipeline",
    "cuda_awbarrier",
    "cutlass/",
    "cute/",
    "curand_kernel",
    "math_constants",
    "vector_types",
    "vector_functions",
    "sm_",
    "crt/",
    "nv/",
    "device_functions",
    "texture_",
    "math_functions",
];

/// A header's name in the line that includes it.
pub(super) struct Include<'s> {
    /// As it is written.
    pub name: &'s str,
    pub is_quoted: bool,
}

impl<'s> Include<'s> {
    /// Reads a directive; `None` for any other. The name is empty if there is none.
    pub(super) fn read(directive: &'s str) -> Option<Self> {
        let rest = directive.trim_start_matches('#').trim_start().strip_prefix("include")?;
        let rest = rest.trim();
        let is_quoted = rest.starts_with('"');
        let close = if is_quoted { '"' } else { '>' };
        let name = rest.strip_prefix(['"', '<']).and_then(|rest| rest.split(close).next());
        Some(Self { name: name.unwrap_or(""), is_quoted })
    }

    pub(super) fn is_device(&self) -> bool {
        DEVICE.iter().any(|start| self.name.starts_with(start))
    }
}

/// A name that compilers of device code alone do not know, with what declares it.
type Declared = (&'static str, &'static str);

/// What the host's headers declare and kernels use.
const DECLARED: [Declared; 59] = [
    ("int8_t", "typedef signed char int8_t;"),
    ("uint8_t", "typedef unsigned char uint8_t;"),
    ("int16_t", "typedef short int16_t;"),
    ("uint16_t", "typedef unsigned short uint16_t;"),
    ("int32_t", "typedef int int32_t;"),
    ("uint32_t", "typedef unsigned int uint32_t;"),
    ("int64_t", "typedef long long int64_t;"),
    ("uint64_t", "typedef unsigned long long uint64_t;"),
    ("uintptr_t", "typedef unsigned long long uintptr_t;"),
    ("intptr_t", "typedef long long intptr_t;"),
    ("ssize_t", "typedef long long ssize_t;"),
    ("uint", "typedef unsigned int uint;"),
    ("uchar", "typedef unsigned char uchar;"),
    ("ushort", "typedef unsigned short ushort;"),
    ("ulong", "typedef unsigned long ulong;"),
    ("NULL", "#define NULL 0"),
    ("CHAR_BIT", "#define CHAR_BIT 8"),
    ("INT_MAX", "#define INT_MAX 0x7fffffff"),
    ("INT_MIN", "#define INT_MIN (-0x7fffffff - 1)"),
    ("UINT_MAX", "#define UINT_MAX 0xffffffffu"),
    ("INT32_MAX", "#define INT32_MAX 0x7fffffff"),
    ("UINT32_MAX", "#define UINT32_MAX 0xffffffffu"),
    ("LLONG_MAX", "#define LLONG_MAX 0x7fffffffffffffffLL"),
    ("FLT_MAX", "#define FLT_MAX 3.402823466e+38F"),
    ("FLT_MIN", "#define FLT_MIN 1.175494351e-38F"),
    ("FLT_EPSILON", "#define FLT_EPSILON 1.192092896e-07F"),
    ("DBL_MAX", "#define DBL_MAX 1.7976931348623157e+308"),
    ("DBL_MIN", "#define DBL_MIN 2.2250738585072014e-308"),
    ("DBL_EPSILON", "#define DBL_EPSILON 2.2204460492503131e-16"),
    ("INFINITY", "#define INFINITY __int_as_float(0x7f800000)"),
    ("NAN", "#define NAN __int_as_float(0x7fffffff)"),
    ("M_PI", "#define M_PI 3.14159265358979323846"),
    ("M_PI_2", "#define M_PI_2 1.57079632679489661923"),
    ("M_PI_4", "#define M_PI_4 0.78539816339744830962"),
    ("M_E", "#define M_E 2.7182818284590452354"),
    ("M_LOG2E", "#define M_LOG2E 1.4426950408889634074"),
    ("M_LN2", "#define M_LN2 0.69314718055994530942"),
    ("M_SQRT2", "#define M_SQRT2 1.41421356237309504880"),
    ("M_SQRT1_2", "#define M_SQRT1_2 0.70710678118654752440"),
    ("M_2_SQRTPI", "#define M_2_SQRTPI 1.12837916709551257390"),
    // As in cuda.h, since libcu++ declares it again.
    (
        "CUtensorMap",
        "typedef struct CUtensorMap_st { alignas(64) unsigned long long opaque[16]; } CUtensorMap;",
    ),
    ("ncclComm_t", "typedef struct ncclComm* ncclComm_t;"),
    ("cublasHandle_t", "typedef struct cublasContext* cublasHandle_t;"),
    ("FILE", "struct FILE;"),
    // Headers of the host, such as that of cuBLAS, include these.
    ("__half", "#include <cuda_fp16.h>"),
    ("__nv_bfloat16", "#include <cuda_bf16.h>"),
    ("HUGE_VALF", "#define HUGE_VALF __int_as_float(0x7f800000)"),
    ("RAND_MAX", "#define RAND_MAX 0x7fffffff"),
    ("size_t", "namespace std { using ::size_t; }"),
    ("cooperative_groups", "#include <cooperative_groups.h>"),
    ("this_thread_block", "#include <cooperative_groups.h>"),
    ("this_grid", "#include <cooperative_groups.h>"),
    ("curandState", "#include <curand_kernel.h>"),
    ("curandState_t", "#include <curand_kernel.h>"),
    ("curandStateMtgp32_t", "#include <curand_kernel.h>"),
    // Other spellings of GCC and clang.
    ("__builtin_memcpy", "#define __builtin_memcpy memcpy"),
    ("__builtin_memset", "#define __builtin_memset memset"),
    ("__asm__", "#define __asm__ asm"),
    ("__volatile__", "#define __volatile__ volatile"),
];

/// What the C++ library's `<type_traits>` and `<limits>` have and kernels use: by name, what it needs
/// before it, and what declares it.
const TRAITS: [(&str, &[&str], &str); 12] = [
    (
        "integral_constant",
        &[],
        "template <class T, T v> struct integral_constant { static constexpr T value = v; using \
         value_type = T; constexpr operator T() const { return v; } };",
    ),
    (
        "bool_constant",
        &["integral_constant"],
        "template <bool b> using bool_constant = integral_constant<bool, b>;",
    ),
    ("true_type", &["integral_constant"], "using true_type = integral_constant<bool, true>;"),
    ("false_type", &["integral_constant"], "using false_type = integral_constant<bool, false>;"),
    (
        "is_same",
        &["true_type", "false_type", "integral_constant"],
        "template <class A, class B> struct is_same : false_type {}; template <class A> struct \
         is_same<A, A> : true_type {};",
    ),
    (
        "is_same_v",
        &["is_same", "true_type", "false_type", "integral_constant"],
        "template <class A, class B> constexpr bool is_same_v = is_same<A, B>::value;",
    ),
    (
        "enable_if",
        &[],
        "template <bool b, class T = void> struct enable_if {}; template <class T> struct \
         enable_if<true, T> { using type = T; };",
    ),
    (
        "enable_if_t",
        &["enable_if"],
        "template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;",
    ),
    (
        "conditional",
        &[],
        "template <bool b, class A, class B> struct conditional { using type = A; }; template <class \
         A, class B> struct conditional<false, A, B> { using type = B; };",
    ),
    (
        "conditional_t",
        &["conditional"],
        "template <bool b, class A, class B> using conditional_t = typename conditional<b, A, B>::type;",
    ),
    (
        "remove_reference",
        &[],
        "template <class T> struct remove_reference { using type = T; }; template <class T> struct \
         remove_reference<T&> { using type = T; };",
    ),
    (
        "numeric_limits",
        &[],
        "template <class T> struct numeric_limits; template <> struct numeric_limits<float> { static \
         constexpr float max() { return 3.402823466e+38F; } static constexpr float lowest() { return \
         -3.402823466e+38F; } static constexpr float min() { return 1.175494351e-38F; } static \
         constexpr float epsilon() { return 1.192092896e-07F; } static constexpr float infinity() { \
         return 3e38f * 10.0f; } }; template <> struct numeric_limits<double> { static \
         constexpr double max() { return 1.7976931348623157e+308; } static constexpr double lowest() { \
         return -1.7976931348623157e+308; } static constexpr double min() { return \
         2.2250738585072014e-308; } static constexpr double epsilon() { return \
         2.2204460492503131e-16; } static constexpr double infinity() { return 1e308 * 10.0; } \
         }; template <> struct numeric_limits<int> { static constexpr int max() { return 0x7fffffff; } \
         static constexpr int min() { return -0x7fffffff - 1; } static constexpr int lowest() { return \
         -0x7fffffff - 1; } }; template <> struct numeric_limits<unsigned> { static constexpr unsigned \
         max() { return 0xffffffffu; } static constexpr unsigned min() { return 0; } static constexpr \
         unsigned lowest() { return 0; } };",
    ),
];

/// Functions of CUDA's runtime that members of structures call beside those that kernels use.
const RUNTIME: [&str; 8] = [
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMallocHost",
    "cudaFree",
    "cudaFreeHost",
    "cudaMemcpy",
    "cudaMemset",
    "cudaDeviceSynchronize",
];

/// Declares those of `used` that no part of the source declares.
pub(super) fn prelude<'w>(used: impl Fn(&str) -> bool + 'w) -> String {
    let called = RUNTIME.iter().filter(|name| used(name));
    let called = called.map(|name| format!("template <class... T> int {name}(T...);\n"));
    let called: String = called.collect();
    let needed = DECLARED.iter().filter(|(name, _)| used(name));
    let mut text: String =
        needed.flat_map(|(name, text)| [declared(name, text), "\n".to_owned()]).collect();
    text += &called;
    let wanted: Vec<_> = TRAITS.iter().filter(|(name, ..)| used(name)).collect();
    let is_needed =
        |name: &str| wanted.iter().any(|(own, needs, _)| *own == name || needs.contains(&name));
    for (_, _, declared) in TRAITS.iter().filter(|(name, ..)| is_needed(name)) {
        text += "namespace std { ";
        text += declared;
        text += " }\n";
    }
    text
}

/// A declaration; a type of `<cstdint>` is one of `std` as well.
fn declared(name: &str, text: &str) -> String {
    let is_standard = text.starts_with("typedef") && name.ends_with("_t") && name.contains("int");
    let also =
        if is_standard { format!(" namespace std {{ using ::{name}; }}") } else { String::new() };
    format!("{text}{also}")
}

/// Headers in quotes that are none of the source's own: the host's, and NVIDIA's for the host.
const FOREIGN: [&str; 24] = [
    "assert.h",
    "ctype.h",
    "errno.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "math.h",
    "memory.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "time.h",
    "unistd.h",
    "omp.h",
    "mpi.h",
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_launch_parameters.h",
    "driver_types.h",
];

/// Whether a header is the host's or NVIDIA's, whatever its quotes.
pub(crate) fn is_foreign(name: &str) -> bool {
    FOREIGN.contains(&name)
        || DEVICE.iter().any(|start| name.starts_with(start))
        || !name.contains('.')
        || name.starts_with("cublas")
        || name.starts_with("curand")
}
