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

__device__ __nv_bfloat16 __bf16_divided(__nv_bfloat16 a, __nv_bfloat16 b)
{
    float x = __bfloat162float(a), y = __bfloat162float(b);
    bool large = fabsf(y) >= __int_as_float(0x7E800000);
    float q = __fdividef(x, large ? y * 0.25f : y);
    if (large)
        q = __fmaf_rn(q, 0.25f, -0.0f);
    return __float2bfloat16(q);
}

// By the function of float.
#define BY_FLOAT(name, of) __device__ __nv_bfloat16 name(__nv_bfloat16 x) { return __float2bfloat16(of(__bfloat162float(x))); }
BY_FLOAT(hfloor, floorf)
BY_FLOAT(hceil, ceilf)
BY_FLOAT(htrunc, truncf)
BY_FLOAT(hrint, rintf)
BY_FLOAT(hsqrt, __sqrt_approx)
BY_FLOAT(hrsqrt, rsqrtf)
BY_FLOAT(hrcp, __rcp_approx)
BY_FLOAT(htanh, __tanh_approx)
BY_FLOAT(hsin, sinf)
BY_FLOAT(hcos, cosf)
BY_FLOAT(hexp2, exp2f)
BY_FLOAT(hlog2, __log2f)
#undef BY_FLOAT

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
#define OF_EACH(name, of) __device__ __half2 name(__half2 x) { return __halves2half2(of(__low2half(x)), of(__high2half(x))); }
OF_EACH(h2floor, hfloor)
OF_EACH(h2ceil, hceil)
OF_EACH(h2trunc, htrunc)
OF_EACH(h2rint, hrint)
OF_EACH(h2sqrt, hsqrt)
OF_EACH(h2rsqrt, hrsqrt)
OF_EACH(h2rcp, hrcp)
OF_EACH(h2log, hlog)
OF_EACH(h2exp, hexp)
#undef OF_EACH
#define OF_EACH(name, of) __device__ __nv_bfloat162 name(__nv_bfloat162 x) { return __halves2bfloat162(of(__low2bfloat16(x)), of(__high2bfloat16(x))); }
OF_EACH(h2floor, hfloor)
OF_EACH(h2ceil, hceil)
OF_EACH(h2trunc, htrunc)
OF_EACH(h2rint, hrint)
OF_EACH(h2sqrt, hsqrt)
OF_EACH(h2rsqrt, hrsqrt)
OF_EACH(h2rcp, hrcp)
OF_EACH(h2tanh, htanh)
OF_EACH(h2exp, hexp)
OF_EACH(h2log, hlog)
OF_EACH(h2sin, hsin)
OF_EACH(h2cos, hcos)
OF_EACH(h2exp2, hexp2)
OF_EACH(h2log2, hlog2)
OF_EACH(h2log10, hlog10)
#undef OF_EACH

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
