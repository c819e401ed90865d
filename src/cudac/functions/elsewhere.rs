//! The names of CUDA's functions that are not compiled here.

use super::OVERLOADED;

/// Functions of the Math API without the `f` of those of `float`, and others that device code may call.
const NAMES: &str = "\
acos acosh asin asinh atan atan2 atanh cbrt cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx \
erfinv exp10 expm1 frexp hypot ilogb j0 j1 jn ldexp lgamma llround log1p log2 log10 logb lround modf nan \
nearbyint nextafter norm norm3d norm4d normcdf normcdfinv rcbrt remainder remquo rhypot rnorm rnorm3d \
rnorm4d scalbln scalbn sincos sincospi sinh sinpi tan tgamma y0 y1 yn signbit fdivide labs llmin llmax \
ullmin ullmax \
__syncthreads_and __syncthreads_or __syncthreads_count __all __any __ballot __shfl __shfl_up __shfl_down \
__shfl_xor __match_any_sync __match_all_sync __reduce_add_sync __reduce_min_sync __reduce_max_sync \
__reduce_and_sync __reduce_or_sync __reduce_xor_sync __nanosleep __brkpt __prof_trigger __trap \
__dp2a_hi __dp2a_lo __dp4a __fns __funnelshift_l __funnelshift_lc __funnelshift_r __funnelshift_rc \
__brevll __ffsll __mul64hi __umul64hi __sad __usad __hadd __rhadd __uhadd __urhadd __sincosf __exp10f \
__signbit __isinf __isnan __finite __uint_as_float \
__ldca __ldcg __ldcs __ldcv __ldlu __stcg __stcs __stwb __stwt \
__isGlobal __isShared __isConstant __isLocal __isGridConstant __cvta_generic_to_local \
__cvta_generic_to_constant __cvta_global_to_generic __cvta_shared_to_generic __cvta_local_to_generic \
__cvta_constant_to_generic __cvta_generic_to_grid_constant __cvta_grid_constant_to_generic \
__habs __habs2 __hadd2 __hadd2_rn __hadd2_sat __hadd_rn __hadd_sat __hcmadd __hdiv __hfma __hfma2 \
__hfma2_relu __hfma2_sat __hfma_relu __hfma_sat __hisinf __hisnan __hisnan2 __hmax __hmax2 __hmax2_nan \
__hmax_nan __hmin __hmin2 __hmin2_nan __hmin_nan __hmul __hmul2 __hmul2_rn __hmul2_sat __hmul_rn __hmul_sat \
__hneg __hneg2 __hsub __hsub2 __hsub2_rn __hsub2_sat __hsub_rn __hsub_sat \
__low2half2 __high2half2 __lows2half2 __highs2half2 __lowhigh2highlow __low2bfloat162 __high2bfloat162 \
__lows2bfloat162 __highs2bfloat162 __half_as_short __short_as_half __bfloat16_as_short __short_as_bfloat16 \
__float2bfloat162_rn __floats2bfloat162_rn __float22bfloat162_rn __double2bfloat16 \
h2ceil h2cos h2exp h2exp10 h2exp2 h2floor h2log h2log10 h2log2 h2rcp h2rint h2rsqrt h2sin h2sqrt h2tanh \
h2tanh_approx h2trunc hcos hexp10 hexp2 hlog10 hlog2 hsin htanh_approx \
malloc free assert clock clock64 alloca";

/// Kinds of numbers in the names of conversions.
const KINDS: &str = "float double half bfloat16 int uint ll ull short ushort char uchar";

const ATOMIC: &str = "Add Sub Exch Min Max Inc Dec CAS And Or Xor";

/// Arithmetic with a rounding in its name.
const ROUNDED: &str =
    "fadd fsub fmul fdiv frcp fsqrt fmaf fmaf_ieee dadd dsub dmul ddiv drcp dsqrt fma";

fn is_among(name: &str, all: &str) -> bool {
    all.split_whitespace().any(|own| own == name)
}

/// Whether CUDA has a function of this name, which is not compiled here.
pub(crate) fn is_elsewhere(name: &str) -> bool {
    let plain = name.strip_suffix('f').unwrap_or(name);
    is_among(plain, NAMES)
        || is_among(name, NAMES)
        || OVERLOADED.contains(&name)
        || is_of_family(name).unwrap_or(false)
        || ["tex1D", "tex2D", "tex3D", "texCubemap", "surf1D", "surf2D", "surf3D"]
            .iter()
            .any(|begin| name.starts_with(begin))
}

/// Whether a name is made as those of a family of functions are.
fn is_of_family(name: &str) -> Option<bool> {
    if let Some(rest) = name.strip_prefix("atomic") {
        let rest = rest.strip_suffix("_block").or(rest.strip_suffix("_system")).unwrap_or(rest);
        return Some(is_among(rest, ATOMIC));
    }
    let rest = name.strip_prefix("__")?;
    // Two shorts or four bytes in a word: `__vadd4`, `__vcmpgtu2`, `__vimax_s32`.
    if rest.starts_with('v') {
        return Some(
            rest.ends_with(['2', '4']) || rest.starts_with("vim") || rest.starts_with("vib"),
        );
    }
    if let Some(compared) = rest.strip_prefix('h') {
        let compared = compared.strip_prefix('b').unwrap_or(compared);
        let of = compared.trim_end_matches("_mask").trim_end_matches('2').trim_end_matches('u');
        return Some(is_among(of, "eq ne lt le gt ge"));
    }
    let (what, rounding) = rest.rsplit_once('_')?;
    let pair = what.split_once('2');
    let converts = pair.is_some_and(|(from, to)| is_among(from, KINDS) && is_among(to, KINDS));
    Some(is_among(rounding, "rn rz rd ru") && (is_among(what, ROUNDED) || converts))
}
