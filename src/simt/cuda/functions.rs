//! The functions of CUDA that a kernel can call: those of one instruction, and the names of the others.

mod elsewhere;
mod rounded;

use super::library;
use super::types::Scalar;
use super::types::Scalar::{BF16, BF16x2, F16, F16x2, F32, F64, I16, I32, I64, U16, U32, U64};

pub(super) use elsewhere::is_elsewhere;
pub(super) use rounded::rounded;

/// A function: its name, its instruction, the types that this takes, and the one that it gives.
pub(super) type Direct = (&'static str, &'static str, &'static [Scalar], Scalar);

/// Functions of one instruction (CUDA Math API; PTX ISA).
pub(super) const DIRECT: &[Direct] = &[
    ("sqrtf", "sqrt.rn.f32", &[F32], F32),
    ("sqrt", "sqrt.rn.f64", &[F64], F64),
    ("rsqrtf", "rsqrt.approx.f32", &[F32], F32),
    ("rsqrt", "rsqrt.approx.f64", &[F64], F64),
    ("fabsf", "abs.f32", &[F32], F32),
    ("fabs", "abs.f64", &[F64], F64),
    ("floorf", "cvt.rmi.f32.f32", &[F32], F32),
    ("floor", "cvt.rmi.f64.f64", &[F64], F64),
    ("ceilf", "cvt.rpi.f32.f32", &[F32], F32),
    ("ceil", "cvt.rpi.f64.f64", &[F64], F64),
    ("truncf", "cvt.rzi.f32.f32", &[F32], F32),
    ("trunc", "cvt.rzi.f64.f64", &[F64], F64),
    ("rintf", "cvt.rni.f32.f32", &[F32], F32),
    ("rint", "cvt.rni.f64.f64", &[F64], F64),
    ("lrintf", "cvt.rni.s64.f32", &[F32], I64),
    ("llrintf", "cvt.rni.s64.f32", &[F32], I64),
    ("lrint", "cvt.rni.s64.f64", &[F64], I64),
    ("llrint", "cvt.rni.s64.f64", &[F64], I64),
    ("nearbyintf", "cvt.rni.f32.f32", &[F32], F32),
    ("fminf", "min.f32", &[F32, F32], F32),
    ("fmaxf", "max.f32", &[F32, F32], F32),
    ("fmin", "min.f64", &[F64, F64], F64),
    ("fmax", "max.f64", &[F64, F64], F64),
    ("fmaf", "fma.rn.f32", &[F32, F32, F32], F32),
    ("fma", "fma.rn.f64", &[F64, F64, F64], F64),
    ("exp2f", "ex2.approx.f32", &[F32], F32),
    ("__log2f", "lg2.approx.f32", &[F32], F32),
    ("__sinf", "sin.approx.f32", &[F32], F32),
    ("__cosf", "cos.approx.f32", &[F32], F32),
    ("__fdividef", "div.approx.f32", &[F32, F32], F32),
    ("fdividef", "div.approx.f32", &[F32, F32], F32),
    ("__saturatef", "cvt.sat.f32.f32", &[F32], F32),
    ("__frcp_rn", "rcp.rn.f32", &[F32], F32),
    ("__fsqrt_rn", "sqrt.rn.f32", &[F32], F32),
    ("__frsqrt_rn", "rsqrt.approx.f32", &[F32], F32),
    ("__fdiv_rn", "div.rn.f32", &[F32, F32], F32),
    ("__fadd_rn", "add.rn.f32", &[F32, F32], F32),
    ("__fadd_rz", "add.rz.f32", &[F32, F32], F32),
    ("__fsub_rn", "sub.rn.f32", &[F32, F32], F32),
    ("__fmul_rn", "mul.rn.f32", &[F32, F32], F32),
    ("__fmul_rz", "mul.rz.f32", &[F32, F32], F32),
    ("__fmaf_rn", "fma.rn.f32", &[F32, F32, F32], F32),
    ("__fmaf_rz", "fma.rz.f32", &[F32, F32, F32], F32),
    ("__fmaf_rd", "fma.rm.f32", &[F32, F32, F32], F32),
    ("__dadd_rn", "add.rn.f64", &[F64, F64], F64),
    ("__dmul_rn", "mul.rn.f64", &[F64, F64], F64),
    ("__fma_rn", "fma.rn.f64", &[F64, F64, F64], F64),
    ("__ex2_approx_ftz", "ex2.approx.ftz.f32", &[F32], F32),
    ("__lg2_approx_ftz", "lg2.approx.ftz.f32", &[F32], F32),
    ("__rcp_approx_ftz", "rcp.approx.ftz.f32", &[F32], F32),
    ("__rcp_approx", "rcp.approx.f32", &[F32], F32),
    ("__sqrt_approx", "sqrt.approx.f32", &[F32], F32),
    ("__tanh_approx", "tanh.approx.f32", &[F32], F32),
    ("__sqrt_approx_ftz", "sqrt.approx.ftz.f32", &[F32], F32),
    ("__rsqrt_approx_ftz", "rsqrt.approx.ftz.f32", &[F32], F32),
    ("__rcp_approx_ftz_double", "rcp.approx.ftz.f64", &[F64], F64),
    ("__float2int_rn", "cvt.rni.s32.f32", &[F32], I32),
    ("__float2int_rz", "cvt.rzi.s32.f32", &[F32], I32),
    ("__float2int_rd", "cvt.rmi.s32.f32", &[F32], I32),
    ("__float2int_ru", "cvt.rpi.s32.f32", &[F32], I32),
    ("__float2uint_rn", "cvt.rni.u32.f32", &[F32], U32),
    ("__float2uint_rz", "cvt.rzi.u32.f32", &[F32], U32),
    ("__int2float_rn", "cvt.rn.f32.s32", &[I32], F32),
    ("__uint2float_rn", "cvt.rn.f32.u32", &[U32], F32),
    ("__double2float_rn", "cvt.rn.f32.f64", &[F64], F32),
    ("__double2int_rz", "cvt.rzi.s32.f64", &[F64], I32),
    ("__double2int_rn", "cvt.rni.s32.f64", &[F64], I32),
    ("__int2double_rn", "cvt.rn.f64.s32", &[I32], F64),
    ("__double_as_longlong", "mov.b64", &[F64], I64),
    ("__longlong_as_double", "mov.b64", &[I64], F64),
    ("__popc", "popc.b32", &[U32], I32),
    ("__popcll", "popc.b64", &[U64], I32),
    ("__clz", "clz.b32", &[I32], I32),
    ("__clzll", "clz.b64", &[I64], I32),
    ("__brev", "brev.b32", &[U32], U32),
    ("__mulhi", "mul.hi.s32", &[I32, I32], I32),
    ("__umulhi", "mul.hi.u32", &[U32, U32], U32),
    ("__mul24", "mul24.lo.s32", &[I32, I32], I32),
    ("__umul24", "mul24.lo.u32", &[U32, U32], U32),
    ("__mul64hi", "mul.hi.s64", &[I64, I64], I64),
    ("__umul64hi", "mul.hi.u64", &[U64, U64], U64),
    ("__brevll", "brev.b64", &[U64], U64),
    ("__funnelshift_l", "shf.l.wrap.b32", &[U32, U32, U32], U32),
    ("__funnelshift_lc", "shf.l.clamp.b32", &[U32, U32, U32], U32),
    ("__funnelshift_r", "shf.r.wrap.b32", &[U32, U32, U32], U32),
    ("__funnelshift_rc", "shf.r.clamp.b32", &[U32, U32, U32], U32),
    ("__usad", "sad.u32", &[U32, U32, U32], U32),
    ("__sad", "sad.s32", &[I32, I32, U32], U32),
    ("__dp4a", "dp4a.s32.s32", &[I32, I32, I32], I32),
    ("__dp4a", "dp4a.u32.u32", &[U32, U32, U32], U32),
    ("__permuted_bytes", "prmt.b32", &[U32, U32, U32], U32),
    ("__hfma", "fma.rn.f16", &[F16, F16, F16], F16),
    ("__hmax", "max.f16", &[F16, F16], F16),
    ("__hmin", "min.f16", &[F16, F16], F16),
    ("__hneg", "neg.f16", &[F16], F16),
    ("__habs", "abs.f16", &[F16], F16),
    ("__half_floor", "cvt.rmi.f16.f16", &[F16], F16),
    ("__half_ceil", "cvt.rpi.f16.f16", &[F16], F16),
    ("__half_trunc", "cvt.rzi.f16.f16", &[F16], F16),
    ("__half_rint", "cvt.rni.f16.f16", &[F16], F16),
    ("__float2half_rz", "cvt.rz.f16.f32", &[F32], F16),
    ("__float2bfloat16_rz", "cvt.rz.bf16.f32", &[F32], BF16),
    ("__hfma2", "fma.rn.f16x2", &[F16x2, F16x2, F16x2], F16x2),
    ("__hmax2", "max.f16x2", &[F16x2, F16x2], F16x2),
    ("__hmin2", "min.f16x2", &[F16x2, F16x2], F16x2),
    ("__hneg2", "neg.f16x2", &[F16x2], F16x2),
    ("__habs2", "abs.f16x2", &[F16x2], F16x2),
    ("__hfma", "fma.rn.bf16", &[BF16, BF16, BF16], BF16),
    ("__hmax", "max.bf16", &[BF16, BF16], BF16),
    ("__hmin", "min.bf16", &[BF16, BF16], BF16),
    ("__hneg", "neg.bf16", &[BF16], BF16),
    ("__habs", "abs.bf16", &[BF16], BF16),
    ("__hfma2", "fma.rn.bf16x2", &[BF16x2, BF16x2, BF16x2], BF16x2),
    ("__hmax2", "max.bf16x2", &[BF16x2, BF16x2], BF16x2),
    ("__hmin2", "min.bf16x2", &[BF16x2, BF16x2], BF16x2),
    ("__hneg2", "neg.bf16x2", &[BF16x2], BF16x2),
    ("__habs2", "abs.bf16x2", &[BF16x2], BF16x2),
    ("__half_as_ushort", "mov.b16", &[F16], U16),
    ("__ushort_as_half", "mov.b16", &[U16], F16),
    ("__bfloat16_as_ushort", "mov.b16", &[BF16], U16),
    ("__ushort_as_bfloat16", "mov.b16", &[U16], BF16),
];

/// Functions that have a name for `float` with an `f` after it: the plain one takes both.
pub(super) const OVERLOADED: &[&str] = &[
    "sqrt", "rsqrt", "fabs", "floor", "ceil", "trunc", "rint", "fmin", "fmax", "fma", "exp",
    "exp2", "log", "log2", "log10", "log1p", "tanh", "cosh", "erf", "round", "fmod", "pow", "sin",
    "cos", "copysign", "fdim", "lrint", "llrint", "lround", "llround",
];

/// Functions of some instructions on bits, and votes.
const OF_BITS: [&str; 24] = [
    "__float_as_int",
    "__float_as_uint",
    "__int_as_float",
    "__uint_as_float",
    "__double2loint",
    "__double2hiint",
    "__hiloint2double",
    "__ffs",
    "__ffsll",
    "__ballot_sync",
    "__any_sync",
    "__all_sync",
    "__activemask",
    "__reduce_add_sync",
    "__reduce_min_sync",
    "__reduce_max_sync",
    "__reduce_and_sync",
    "__reduce_or_sync",
    "__reduce_xor_sync",
    "__syncthreads_and",
    "__syncthreads_or",
    "__syncthreads_count",
    "__cvta_generic_to_shared",
    "__cvta_generic_to_global",
];

/// Conversions to and from half precision: the name, the type that it takes, and the one that it gives.
pub(super) const CONVERSIONS: [(&str, Scalar, Scalar); 15] = [
    ("__float2half", F32, F16),
    ("__float2half_rn", F32, F16),
    ("__double2half", F64, F16),
    ("__int2half_rn", I32, F16),
    ("__uint2half_rn", U32, F16),
    ("__ll2half_rn", I64, F16),
    ("__short2half_rn", I16, F16),
    ("__half2float", F16, F32),
    ("__half2int_rz", F16, I32),
    ("__half2uint_rz", F16, U32),
    ("__float2bfloat16", F32, BF16),
    ("__float2bfloat16_rn", F32, BF16),
    ("__int2bfloat16_rn", I32, BF16),
    ("__bfloat162float", BF16, F32),
    ("__bfloat162int_rz", BF16, I32),
];

/// The types of half precision as functions, which convert what they are given, whatever it is.
pub(super) const CONSTRUCTORS: [(&str, Scalar); 4] =
    [("half", F16), ("__half", F16), ("__nv_bfloat16", BF16), ("nv_bfloat16", BF16)];

/// Operators of half precision that are functions, of numbers or, with a 2, of pairs.
pub(super) const OPERATORS: [(&str, &str); 20] = [
    ("__hlt", "<"),
    ("__hle", "<="),
    ("__hgt", ">"),
    ("__hge", ">="),
    ("__heq", "=="),
    ("__hne", "!="),
    ("__hadd", "+"),
    ("__hsub", "-"),
    ("__hmul", "*"),
    ("__hdiv", "/"),
    ("__hadd_rn", "+"),
    ("__hsub_rn", "-"),
    ("__hmul_rn", "*"),
    ("__hadd2", "+"),
    ("__hsub2", "-"),
    ("__hmul2", "*"),
    ("__h2div", "/"),
    ("__hadd2_rn", "+"),
    ("__hsub2_rn", "-"),
    ("__hmul2_rn", "*"),
];

/// The other functions of half precision.
const OTHERS: [&str; 17] = [
    "__low2half",
    "__high2half",
    "__low2float",
    "__high2float",
    "__low2bfloat16",
    "__high2bfloat16",
    "__half22float2",
    "__bfloat1622float2",
    "__halves2half2",
    "__halves2bfloat162",
    "make_half2",
    "make_bfloat162",
    "__half2half2",
    "__bfloat162bfloat162",
    "__float2half2_rn",
    "__floats2half2_rn",
    "__float22half2_rn",
];

/// The names of all functions of the Math API.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let direct = DIRECT.iter().map(|(name, ..)| *name);
    let halves = CONVERSIONS.iter().map(|(name, ..)| *name);
    let made = CONSTRUCTORS.iter().map(|(name, _)| *name);
    let operators = OPERATORS.iter().map(|(name, _)| *name);
    let others = OVERLOADED.iter().copied().chain(OF_BITS).chain(OTHERS);
    direct
        .chain(rounded::names())
        .chain(halves)
        .chain(made)
        .chain(operators)
        .chain(others)
        .chain(library::names())
}
