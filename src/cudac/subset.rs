//! The subset of CUDA C++ that is compiled here: one table, for the errors and for the
//! documentation.

#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// What it is, as an error names it.
    pub name: &'static str,
    /// The words that begin it in a source, if that is how it is found.
    pub words: &'static [&'static str],
    pub inside: bool,
    pub note: &'static str,
}

/// What compiles the rest.
pub(super) const ELSEWHERE: &str =
    "NVRTC compiles it, once it is there: pip install nvidia-cuda-nvrtc-cu12";

const fn inside(name: &'static str, note: &'static str) -> Feature {
    Feature { name, words: &[], inside: true, note }
}

const fn outside(name: &'static str, words: &'static [&'static str]) -> Feature {
    Feature { name, words, inside: false, note: "" }
}

pub const SUBSET: &[Feature] = &[
    inside(
        "kernels",
        "`__global__ void`, several in a file, `extern \"C\"`, `__launch_bounds__`; the host's code \
         around them is left out",
    ),
    inside(
        "`__device__` functions",
        "inlined where they are called; several of one name, values of their own for parameters; no recursion",
    ),
    inside(
        "templates",
        "of functions and structures: parameters that are types or numbers, arguments in `<>` at a \
         call, or from the types of its arguments; `--launch 'mm<16>'` or a launch in the host's code \
         names those of a kernel",
    ),
    inside(
        "references",
        "to numbers, vectors, arrays and structures: parameters and results of `__device__` functions, \
         variables",
    ),
    inside(
        "names for types",
        "`typedef`, `using Real = float;`, `auto`, `sizeof` of a type or of a value",
    ),
    inside(
        "pointers",
        "into every memory, also to local variables, in arrays and structures; to functions, where a \
         call chooses between those whose names are used as values; lambdas that capture nothing",
    ),
    inside(
        "structures",
        "as local variables, parameters by value, behind pointers and in arrays, with member functions, \
         constructors, first values of members, function objects (`operator()`), constants, bases; unions",
    ),
    inside("enumerations", "`enum` and `enum class`, as names for whole numbers"),
    inside("namespaces", "their names are those of one space: no two may be the same"),
    inside(
        "global variables",
        "`__device__` and `__constant__` variables and arrays, filled with zeros; those of \
         `__constant__` also with first values",
    ),
    inside(
        "constants",
        "`const`, `constexpr` with a constant value, at any level; `INFINITY`, `FLT_MAX`, `INT_MAX` and \
         their kin",
    ),
    inside(
        "the preprocessor",
        "`#define` with and without parameters, with `...`, `#x` and `a ## b`, `#undef`, `#if`, `#ifdef`, `#ifndef`, `#elif`, \
         `#else`, `#endif`, `#error`, `#pragma unroll`, `#pragma once`; headers of your own are read, \
         `#include <cuda_runtime.h>` is passed over",
    ),
    inside(
        "types",
        "`bool`, `char`, `short`, `int`, `long long`, each also `unsigned`, `size_t`, `float`, \
         `double`, vectors such as `float2`, `float4`, `int4`, pointers, `const`, `volatile`, \
         `__restrict__`",
    ),
    inside(
        "half precision",
        "`half`, `half2`, `__nv_bfloat16` and pairs of it, with their operators, conversions and \
         functions such as `__hfma`, `__hfma2`, `hexp`, each for the kind that it is given",
    ),
    inside(
        "arrays",
        "of up to six dimensions: `__shared__` (also `extern`), or local, then in registers where \
         all indices are constant after unrolling, otherwise in local memory",
    ),
    inside("inline PTX", "`asm` with operands of `r`, `l`, `f`, `d`, `h` and `n`"),
    inside(
        "statements",
        "declarations, `if`, `switch`, `for`, `while`, `do`, `break`, `continue`, `return`, `goto`, \
         `static_assert`",
    ),
    inside(
        "operators",
        "all of C, also spelled `and`, `or`, `not`, `xor`; casts of numbers and pointers; a comma \
         between expressions",
    ),
    inside(
        "indices",
        "`threadIdx`, `blockIdx`, `blockDim`, `gridDim` with `.x`, `.y`, `.z`; `warpSize`",
    ),
    inside(
        "barriers and fences",
        "`__syncthreads`, `__syncthreads_or`, `__syncthreads_and`, `__syncthreads_count`, `__syncwarp`, `__threadfence`, `__threadfence_block`, \
         `__threadfence_system`",
    ),
    inside(
        "functions",
        "`min`, `max`, `abs`, `fminf`, `fmaxf`, `fabsf`, `sqrtf`, `rsqrtf`, `fmaf`, `__fmaf_rn`, `__fmul_rn`, \
         `__fadd_rn`, `__fadd_ru` and their kin, `__float2int_rn` and its kin, `lrintf`, `sincosf`, `__dp4a`, `__reduce_add_sync` and its kin, `__ldg`, `memcpy`, `memset`, `make_float2` and its kin, `__float_as_int` and its kin, `printf` (its output is not shown)",
    ),
    inside(
        "cooperative groups",
        "`this_thread_block()`, `this_grid()`, `tiled_partition<32>(block)`, their `sync`, `thread_rank`, \
         `size`, and a tile's shuffles and votes",
    ),
    inside("shuffles", "`__shfl_sync`, `__shfl_up_sync`, `__shfl_down_sync`, `__shfl_xor_sync`"),
    inside(
        "atomics",
        "`atomicAdd`, `atomicSub`, `atomicExch`, `atomicCAS`, `atomicMin`, `atomicMax`, `atomicInc`, \
         `atomicDec`, `atomicAnd`, `atomicOr`, `atomicXor`, also with _block or _system after the name",
    ),
    outside("a template of a variable or of a name", &["template"]),
    outside("the C++ library", &["std"]),
    outside("such a cooperative group", &["coalesced_threads", "coalesced_group", "thread_group"]),
    outside("a kernel of clusters", &["__cluster_dims__"]),
    outside("CUB", &["cub"]),
    outside("CUTLASS", &["cutlass", "cute"]),
    outside("a tensor core by `wmma`", &["nvcuda", "wmma"]),
    outside(
        "random numbers of cuRAND",
        &[
            "curandState",
            "curandState_t",
            "curandStateXORWOW_t",
            "curandStateXORWOW",
            "curandStatePhilox4_32_10_t",
            "curandStateMRG32k3a",
            "curandStateMtgp32",
            "curandStateMtgp32_t",
            "curand_init",
            "curand_uniform",
            "curand_normal",
            "curand",
        ],
    ),
    outside(
        "a texture or a surface",
        &[
            "cudaTextureObject_t",
            "cudaSurfaceObject_t",
            "tex1Dfetch",
            "tex1D",
            "tex2D",
            "tex3D",
            "surf2Dread",
            "surf2Dwrite",
        ],
    ),
    outside("an asynchronous copy by `__pipeline_memcpy_async`", &["__pipeline_memcpy_async"]),
    outside("`decltype`", &["decltype"]),
    outside("`alignof`", &["alignof"]),
    outside("an object on the heap", &["new", "delete"]),
    outside("an exception", &["try", "throw", "catch"]),
    outside("a launch from a kernel", &["<<<"]),
];

/// What a word that begins it names, if that is not compiled here.
pub(super) fn excluded(word: &str) -> Option<&'static str> {
    let named = |feature: &&Feature| !feature.inside && feature.words.contains(&word);
    SUBSET.iter().find(named).map(|feature| feature.name)
}
