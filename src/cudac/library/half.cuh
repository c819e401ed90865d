// Functions of __half and __nv_bfloat16 of more than one instruction, computed as cuda_fp16.h and
// cuda_bf16.h do for compute_80.

__device__ __half __half_divided(__half a, __half b)
{
    float x = __half2float(a), y = __half2float(b);
    float inverse = __rcp_approx_ftz(y);
    float q = __fmul_rn(x, inverse);
    __half result = __float2half(q);
    __half size = __habs(result);
    // What is smaller than a normal number is rounded once more.
    if (__hlt(size, __ushort_as_half(143)) && __hlt(__float2half(0.0f), size))
        result = __float2half(__fmaf_rn(inverse, __fmaf_rn(-y, q, x), q));
    return result;
}

__device__ __half2 __half2_divided(__half2 a, __half2 b)
{
    return __halves2half2(__low2half(a) / __low2half(b), __high2half(a) / __high2half(b));
}

__device__ __half hfloor(__half x) { return __half_floor(x); }
__device__ __half hceil(__half x) { return __half_ceil(x); }
__device__ __half htrunc(__half x) { return __half_trunc(x); }
__device__ __half hrint(__half x) { return __half_rint(x); }
__device__ __half hsqrt(__half x) { return __float2half(__sqrt_approx_ftz(__half2float(x))); }
__device__ __half hrsqrt(__half x) { return __float2half(__rsqrt_approx_ftz(__half2float(x))); }
__device__ __half hrcp(__half x) { return __float2half(__rcp_approx_ftz(__half2float(x))); }
__device__ __half htanh(__half x) { return __float2half(tanhf(__half2float(x))); }

// One unit in the last place more or less for the one number that would be rounded wrongly.
__device__ __half __corrected(__half x, __half result, unsigned short which, unsigned short by)
{
    __half hit = __heq(x, __ushort_as_half(which)) ? __float2half(1.0f) : __float2half(0.0f);
    return __hfma(hit, __ushort_as_half(by), result);
}

__device__ __half hexp(__half x)
{
    float y = __ex2_approx_ftz(__fmaf_rn(__half2float(x), __int_as_float(0x3FB8AA3B), -0.0f));
    __half result = __float2half(y);
    result = __corrected(x, result, 0x1F79, 0x9400);
    result = __corrected(x, result, 0x25CF, 0x9400);
    result = __corrected(x, result, 0xC13B, 0x0400);
    return __corrected(x, result, 0xC1EF, 0x0200);
}

__device__ __half hlog(__half x)
{
    float y = __fmul_rn(__lg2_approx_ftz(__half2float(x)), __int_as_float(0x3F317218));
    __half result = __float2half(y);
    result = __corrected(x, result, 0x160D, 0x9C00);
    result = __corrected(x, result, 0x3BFE, 0x8010);
    result = __corrected(x, result, 0x3C0B, 0x8080);
    return __corrected(x, result, 0x6051, 0x1C00);
}

__device__ __half2 h2exp(__half2 x)
{
    return __halves2half2(hexp(__low2half(x)), hexp(__high2half(x)));
}

__device__ __nv_bfloat16 __bf16_divided(__nv_bfloat16 a, __nv_bfloat16 b)
{
    float x = __bfloat162float(a), y = __bfloat162float(b);
    bool large = fabsf(y) >= __int_as_float(0x7E800000);
    float q = __fdividef(x, large ? y * 0.25f : y);
    if (large)
        q = __fmaf_rn(q, 0.25f, -0.0f);
    return __float2bfloat16(q);
}

__device__ __nv_bfloat16 hfloor(__nv_bfloat16 x) { return __float2bfloat16(floorf(__bfloat162float(x))); }
__device__ __nv_bfloat16 hceil(__nv_bfloat16 x) { return __float2bfloat16(ceilf(__bfloat162float(x))); }
__device__ __nv_bfloat16 htrunc(__nv_bfloat16 x) { return __float2bfloat16(truncf(__bfloat162float(x))); }
__device__ __nv_bfloat16 hrint(__nv_bfloat16 x) { return __float2bfloat16(rintf(__bfloat162float(x))); }
__device__ __nv_bfloat16 hsqrt(__nv_bfloat16 x) { return __float2bfloat16(__sqrt_approx(__bfloat162float(x))); }
__device__ __nv_bfloat16 hrsqrt(__nv_bfloat16 x) { return __float2bfloat16(rsqrtf(__bfloat162float(x))); }
__device__ __nv_bfloat16 hrcp(__nv_bfloat16 x) { return __float2bfloat16(__rcp_approx(__bfloat162float(x))); }
__device__ __nv_bfloat16 htanh(__nv_bfloat16 x) { return __float2bfloat16(__tanh_approx(__bfloat162float(x))); }
__device__ __nv_bfloat16 hsin(__nv_bfloat16 x) { return __float2bfloat16(sinf(__bfloat162float(x))); }
__device__ __nv_bfloat16 hcos(__nv_bfloat16 x) { return __float2bfloat16(cosf(__bfloat162float(x))); }
__device__ __nv_bfloat16 hexp2(__nv_bfloat16 x) { return __float2bfloat16(exp2f(__bfloat162float(x))); }
__device__ __nv_bfloat16 hlog2(__nv_bfloat16 x) { return __float2bfloat16(__log2f(__bfloat162float(x))); }

__device__ __nv_bfloat16 hexp(__nv_bfloat16 x)
{
    return __float2bfloat16(exp2f(__fmul_rn(__bfloat162float(x), __int_as_float(0x3FB8AA3C))));
}

__device__ __nv_bfloat16 hlog(__nv_bfloat16 x)
{
    return __float2bfloat16(__fmul_rn(__log2f(__bfloat162float(x)), __int_as_float(0x3F317218)));
}

__device__ __nv_bfloat16 hlog10(__nv_bfloat16 x)
{
    return __float2bfloat16(__fmul_rn(__log2f(__bfloat162float(x)), __int_as_float(0x3E9A209B)));
}

// Of each number of a pair.
__device__ __half2 h2floor(__half2 x) { return __halves2half2(hfloor(__low2half(x)), hfloor(__high2half(x))); }
__device__ __half2 h2ceil(__half2 x) { return __halves2half2(hceil(__low2half(x)), hceil(__high2half(x))); }
__device__ __half2 h2trunc(__half2 x) { return __halves2half2(htrunc(__low2half(x)), htrunc(__high2half(x))); }
__device__ __half2 h2rint(__half2 x) { return __halves2half2(hrint(__low2half(x)), hrint(__high2half(x))); }
__device__ __half2 h2sqrt(__half2 x) { return __halves2half2(hsqrt(__low2half(x)), hsqrt(__high2half(x))); }
__device__ __half2 h2rsqrt(__half2 x) { return __halves2half2(hrsqrt(__low2half(x)), hrsqrt(__high2half(x))); }
__device__ __half2 h2rcp(__half2 x) { return __halves2half2(hrcp(__low2half(x)), hrcp(__high2half(x))); }
__device__ __half2 h2log(__half2 x) { return __halves2half2(hlog(__low2half(x)), hlog(__high2half(x))); }
__device__ __nv_bfloat162 h2floor(__nv_bfloat162 x) { return __halves2bfloat162(hfloor(__low2bfloat16(x)), hfloor(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2ceil(__nv_bfloat162 x) { return __halves2bfloat162(hceil(__low2bfloat16(x)), hceil(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2trunc(__nv_bfloat162 x) { return __halves2bfloat162(htrunc(__low2bfloat16(x)), htrunc(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2rint(__nv_bfloat162 x) { return __halves2bfloat162(hrint(__low2bfloat16(x)), hrint(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2sqrt(__nv_bfloat162 x) { return __halves2bfloat162(hsqrt(__low2bfloat16(x)), hsqrt(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2rsqrt(__nv_bfloat162 x) { return __halves2bfloat162(hrsqrt(__low2bfloat16(x)), hrsqrt(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2rcp(__nv_bfloat162 x) { return __halves2bfloat162(hrcp(__low2bfloat16(x)), hrcp(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2tanh(__nv_bfloat162 x) { return __halves2bfloat162(htanh(__low2bfloat16(x)), htanh(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2exp(__nv_bfloat162 x) { return __halves2bfloat162(hexp(__low2bfloat16(x)), hexp(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2log(__nv_bfloat162 x) { return __halves2bfloat162(hlog(__low2bfloat16(x)), hlog(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2sin(__nv_bfloat162 x) { return __halves2bfloat162(hsin(__low2bfloat16(x)), hsin(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2cos(__nv_bfloat162 x) { return __halves2bfloat162(hcos(__low2bfloat16(x)), hcos(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2exp2(__nv_bfloat162 x) { return __halves2bfloat162(hexp2(__low2bfloat16(x)), hexp2(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2log2(__nv_bfloat162 x) { return __halves2bfloat162(hlog2(__low2bfloat16(x)), hlog2(__high2bfloat16(x))); }
__device__ __nv_bfloat162 h2log10(__nv_bfloat162 x) { return __halves2bfloat162(hlog10(__low2bfloat16(x)), hlog10(__high2bfloat16(x))); }

__device__ __half2 __low2half2(__half2 x) { return __halves2half2(__low2half(x), __low2half(x)); }
__device__ __half2 __high2half2(__half2 x) { return __halves2half2(__high2half(x), __high2half(x)); }
__device__ __half2 __lows2half2(__half2 x, __half2 y) { return __halves2half2(__low2half(x), __low2half(y)); }
__device__ __half2 __highs2half2(__half2 x, __half2 y) { return __halves2half2(__high2half(x), __high2half(y)); }
__device__ __nv_bfloat162 __low2bfloat162(__nv_bfloat162 x) { return __halves2bfloat162(__low2bfloat16(x), __low2bfloat16(x)); }
__device__ __nv_bfloat162 __high2bfloat162(__nv_bfloat162 x) { return __halves2bfloat162(__high2bfloat16(x), __high2bfloat16(x)); }
__device__ __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 x, __nv_bfloat162 y) { return __halves2bfloat162(__low2bfloat16(x), __low2bfloat16(y)); }
__device__ __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 x, __nv_bfloat162 y) { return __halves2bfloat162(__high2bfloat16(x), __high2bfloat16(y)); }
__device__ __half2 __lowhigh2highlow(__half2 x) { return __halves2half2(__high2half(x), __low2half(x)); }
__device__ bool __hisnan(__half x) { return isnan(__half2float(x)); }
__device__ bool __hisnan(__nv_bfloat16 x) { return isnan(__bfloat162float(x)); }
