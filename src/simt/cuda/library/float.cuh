// Functions of float, computed as CUDA's libdevice does with its default options, so that a
// result is bit for bit the GPU's. F gives a number by its bits.
#define F(bits) __uint_as_float(bits##u)

__device__ float expf(float x)
{
    // 2^(x log2(e)): n is the whole part of the exponent, in the low bits of s.
    float t = __saturatef(__fmaf_rn(x, F(0x3BBB989D), 0.5f));
    float s = __fmaf_rd(t, 252.0f, F(0x4B400001));
    float n = s - F(0x4B40007F);
    float r = __fmaf_rn(x, F(0x3FB8AA3B), -n);
    r = __fmaf_rn(x, F(0x32A57060), r);
    float scale = __int_as_float(__float_as_int(s) << 23);
    return __ex2_approx_ftz(r) * scale;
}

__device__ float __expf(float x) { return exp2f(__fmul_rn(x, F(0x3FB8AA3B))); }
__device__ float __exp10f(float x) { return exp2f(__fmul_rn(x, F(0x40549A78))); }
__device__ float __logf(float x) { return __log2f(x) * F(0x3F317218); }
__device__ float __log10f(float x) { return __log2f(x) * F(0x3E9A209B); }
__device__ float __powf(float x, float y) { return exp2f(__fmul_rn(__log2f(x), y)); }
__device__ float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }

// log(m), m = f + 1 near 1, with n log(2) added.
__device__ float __log_of_parts(float f, float n)
{
    float p = __fmaf_rn(F(0xBE055027), f, F(0x3E1039F6));
    p = __fmaf_rn(p, f, F(0xBDF8CDCC));
    p = __fmaf_rn(p, f, F(0x3E0F2955));
    p = __fmaf_rn(p, f, F(0xBE2AD8B9));
    p = __fmaf_rn(p, f, F(0x3E4CED0B));
    p = __fmaf_rn(p, f, F(0xBE7FFF22));
    p = __fmaf_rn(p, f, F(0x3EAAAA78));
    p = __fmaf_rn(p, f, -0.5f);
    p = __fmul_rn(f, p);
    p = __fmaf_rn(p, f, f);
    return __fmaf_rn(n, F(0x3F317218), p);
}

__device__ float __log_or_infinity(float x, float scale)
{
    bool tiny = x < F(0x00800000);
    float a = tiny ? x * 8388608.0f : x;
    float e = tiny ? -23.0f : 0.0f;
    int i = __float_as_int(a);
    int k = (i - 1059760811) & -8388608;
    float f = __int_as_float(i - k) - 1.0f;
    float n = __fmaf_rn((float)k, F(0x34000000), e);
    float y = __log_of_parts(f, n);
    if ((unsigned)i >= 0x7F800000u)
        y = __fmaf_rn(a, F(0x7F800000), F(0x7F800000));
    y = __fmul_rn(y, scale);
    return a == 0.0f ? F(0xFF800000) : y;
}

__device__ float logf(float x) { return __log_or_infinity(x, 1.0f); }
__device__ float log10f(float x) { return __log_or_infinity(x, F(0x3EDE5BD9)); }

__device__ float log2f(float x)
{
    bool tiny = x < F(0x00800000);
    float a = tiny ? x * 8388608.0f : x;
    float e = tiny ? -23.0f : 0.0f;
    int i = __float_as_int(a);
    int k = (i - 1060439283) & -8388608;
    float f = __int_as_float(i - k) - 1.0f;
    float n = __fmaf_rn((float)k, F(0x34000000), e);
    float p = __fmaf_rn(F(0x3DC6B27F), f, F(0xBE2C7F30));
    p = __fmaf_rn(p, f, F(0x3E2FCF2A));
    p = __fmaf_rn(p, f, F(0xBE374E43));
    p = __fmaf_rn(p, f, F(0x3E520BF4));
    p = __fmaf_rn(p, f, F(0xBE763C8B));
    p = __fmaf_rn(p, f, F(0x3E93BF99));
    p = __fmaf_rn(p, f, F(0xBEB8AA49));
    p = __fmaf_rn(p, f, F(0x3EF6384A));
    p = __fmaf_rn(p, f, F(0xBF38AA3B));
    p = __fmul_rn(f, p);
    p = __fmul_rn(f, p);
    p = __fmaf_rn(f, F(0x3FB8AA3B), p);
    float y = __fadd_rn(n, p);
    if ((unsigned)i >= 0x7F800000u)
        y = __fmaf_rn(a, F(0x7F800000), F(0x7F800000));
    return a == 0.0f ? F(0xFF800000) : y;
}

__device__ float log1pf(float x)
{
    float a = __fadd_rz(x, 1.0f);
    int k = (__float_as_int(a) - 1061158912) & -8388608;
    int i = __float_as_int(x);
    float m = __int_as_float(i - k);
    float s = __int_as_float(1082130432 - k);
    float f = __fadd_rn(__fmaf_rn(0.25f, s, -1.0f), m);
    float n = __fmul_rn((float)k, F(0x34000000));
    float p = __fmaf_rn(F(0xBD39BF78), f, F(0x3DD80012));
    p = __fmaf_rn(p, f, F(0xBE0778E0));
    p = __fmaf_rn(p, f, F(0x3E146475));
    p = __fmaf_rn(p, f, F(0xBE2A68DD));
    p = __fmaf_rn(p, f, F(0x3E4CAF9E));
    p = __fmaf_rn(p, f, F(0xBE800042));
    p = __fmaf_rn(p, f, F(0x3EAAAAE6));
    p = __fmaf_rn(p, f, -0.5f);
    p = __fmul_rn(f, p);
    p = __fmaf_rn(p, f, f);
    float y = __fmaf_rn(n, F(0x3F317218), p);
    if ((unsigned)i >= 0x7F800000u) {
        if (i >= -1082130431)
            y = __fmaf_rn(x, F(0x7F800000), F(0x7F800000));
        y = x == 0.0f ? F(0x80000000) : y;
    }
    return y;
}

__device__ float tanhf(float x)
{
    float a = fabsf(x);
    float e = __ex2_approx_ftz(__fmul_rn(a, F(0x4038AA3B)));
    float q = __rcp_approx_ftz(e + 1.0f);
    float far = __fmaf_rn(q, -2.0f, 1.0f);
    far = a >= F(0x41102CB4) ? 1.0f : far;
    int sign = __float_as_int(x) & 0x80000000;
    far = __int_as_float(__float_as_int(far) | sign);
    float s = __fmul_rn(x, x);
    float p = __fmaf_rn(F(0x3C80F082), s, F(0xBD563CAE));
    p = __fmaf_rn(p, s, F(0x3E085941));
    p = __fmaf_rn(p, s, F(0xBEAAA9ED));
    p = __fmaf_rn(p, s, 0.0f);
    p = __fmaf_rn(p, x, x);
    return a >= F(0x3F19999A) ? far : p;
}

__device__ float coshf(float x)
{
    float a = fabsf(x);
    float n = truncf(__fmul_rn(a, F(0x3FB8AA3B)));
    float most = __int_as_float(__float_as_int(n) & 0x80000000 | 1123811328);
    n = fabsf(n) > 126.0f ? most : n;
    float r = __fmaf_rn(n, F(0xBF317218), a);
    r = __fmaf_rn(n, F(0x3102E308), r);
    float scale = __int_as_float(__float_as_int(n + F(0x4B40007D)) << 23);
    float e = __fmul_rn(__ex2_approx_ftz(__fmul_rn(r, F(0x3FB8AA3B))), scale);
    float y = __fmaf_rn(2.0f, e, __fdividef(0.125f, e));
    return a >= 90.0f ? F(0x7F800000) : y;
}

__device__ float erff(float x)
{
    float a = fabsf(x);
    bool far = a >= F(0x3F8060FE);
    float s = far ? a : x * x;
    float p = __fmaf_rn(far ? F(0x38EB4C3A) : F(0x38B1E96A), s, far ? F(0xBAAE005B) : F(0xBA574D20));
    p = __fmaf_rn(p, s, far ? F(0x3C09919F) : F(0x3BAAD5EA));
    p = __fmaf_rn(p, s, far ? F(0xBD24D99A) : F(0xBCDC1BE7));
    p = __fmaf_rn(p, s, far ? F(0x3E235519) : F(0x3DE718AF));
    p = __fmaf_rn(p, s, far ? F(0x3F69B4F9) : F(0xBEC093AC));
    p = __fmaf_rn(p, s, far ? F(0x3F210A14) : F(0x3E0375D3));
    float b = far ? -a : x;
    p = __fmaf_rn(p, b, b);
    if (a >= F(0x3F8060FE)) {
        float y = 1.0f - __ex2_approx_ftz(p);
        p = __int_as_float(__float_as_int(x) & 0x80000000 | __float_as_int(y));
    }
    return p;
}

__device__ float roundf(float x)
{
    int half_of_its_sign = __float_as_int(x) & 0x80000000 | 1056964608;
    return truncf(__fadd_rz(x, __int_as_float(half_of_its_sign)));
}

__device__ long long lroundf(float x) { return (long long)roundf(x); }
__device__ long long llroundf(float x) { return (long long)roundf(x); }

__device__ float fmodf(float x, float y)
{
    float a = fabsf(x), b = fabsf(y), r = a;
    if (!(a < b)) {
        float much = b * 8388608.0f;
        if (a <= much) {
            float q = truncf(__fdividef(a, b));
            float left = __fmaf_rn(-b, q, a);
            unsigned bits = __float_as_uint(left);
            if (bits >= __float_as_uint(b)) {
                if (bits > 0x80000000u) {
                    float less = q - 1.0f;
                    q = left < -b ? less - 1.0f : less;
                } else {
                    q = q + 1.0f;
                    if (left >= b + b) {
                        float more = q + 1.0f;
                        q = __fmaf_rn(-3.0f, b, left) >= 0.0f ? more + 1.0f : more;
                    }
                }
            }
            r = __fmaf_rn(-b, q, a);
        } else {
            // Bit by bit of the quotient, some at a time.
            unsigned i = __float_as_uint(a), j = __float_as_uint(much);
            unsigned m = i & 8388607u | 1065353216u;
            unsigned left = (i - (j - 192937984u & 0xFF800000u)) & 0xFF800000u;
            float part = __uint_as_float(m);
            if (left != 0) {
                float d = __uint_as_float(j & 8388607u | 1065353216u);
                float inverse = __rcp_approx_ftz(d);
                do {
                    unsigned step = min(left, 192937984u);
                    float p = __uint_as_float(step + m);
                    float q = __fmaf_rn(p, inverse, F(0x80000000));
                    q = __fmaf_rn(__fmaf_rn(-d, q, p), inverse, q);
                    q = truncf(__fmaf_rz(__fmaf_rn(-d, q, p), inverse, q));
                    part = __fmaf_rn(-d, q, p);
                    left = left - step;
                    m = __float_as_uint(part);
                } while (left != 0 && m != 0);
            }
            bool none = !(b > 0.0f) || i > 2139095039u;
            float scale = none ? F(0x7FFFFFFF) : __uint_as_float(j & 0xFF800000u);
            r = __fmul_rn(scale, __fmul_rn(part, F(0x34000000)));
        }
    }
    float signed_r = __int_as_float(__float_as_int(x) & 0x80000000 | __float_as_int(r));
    return fabsf(r) <= F(0x7F800000) ? signed_r : r;
}

// x^y of a number and a whole one, by squaring.
__device__ float __powif(float x, int n)
{
    unsigned left = abs(n);
    float y = 1.0f, square = x;
    while (true) {
        if (left & 1)
            y = __fmul_rn(y, square);
        left = left >> 1;
        if (left == 0)
            break;
        square = __fmul_rn(square, square);
    }
    return n < 0 ? __frcp_rn(y) : y;
}

__device__ float powf(float x, float y)
{
    float half_y = truncf(y * 0.5f);
    float odd = fabsf(y - (half_y + half_y));
    float a = fabsf(x);
    // log2(a) in two numbers, high and low.
    bool tiny = a < F(0x00800000);
    float big = a * 16777216.0f;
    int i = __float_as_int(tiny ? big : a);
    int k = (i - 1060439283) & -8388608;
    float m = __int_as_float(i - k);
    float n = __fmaf_rn((float)k, F(0x34000000), tiny ? -24.0f : 0.0f);
    float f = m - 1.0f;
    float inverse = __rcp_approx_ftz(m + 1.0f);
    float u = __fmul_rn(f + f, inverse);
    float v = __fmul_rn(u, u);
    float w = f - u;
    w = __fmaf_rn(-u, f, w + w);
    w = __fmul_rn(inverse, w);
    float p = __fmaf_rn(F(0x3A2C32E4), v, F(0x3B52E7DB));
    p = __fmaf_rn(p, v, F(0x3C93BB73));
    p = __fmaf_rn(p, v, F(0x3DF6384F));
    p = __fmul_rn(p, v);
    float high = __fmaf_rn(u, F(0x3FB8AA3B), n);
    float low = __fmaf_rn(u, F(0x3FB8AA3B), n - high);
    low = __fmaf_rn(w, F(0x3FB8AA3B), low);
    low = __fmaf_rn(u, F(0x32A55E34), low);
    low = __fmaf_rn(__fmul_rn(p, 3.0f), w, low);
    low = __fmaf_rn(p, u, low);
    float sum = __fadd_rn(high, low);
    low = __fadd_rn(low, -__fadd_rn(sum, -high));
    // 2^(y log2(a))
    float t = __fmul_rn(sum, y);
    float rest = __fmaf_rn(sum, y, -t);
    rest = __fmaf_rn(low, y, rest);
    float whole = rintf(t);
    rest = __fadd_rn(rest, t - whole);
    float e = __fmaf_rn(F(0x391FCB8E), rest, F(0x3AAF85ED));
    e = __fmaf_rn(e, rest, F(0x3C1D9856));
    e = __fmaf_rn(e, rest, F(0x3D6357BB));
    e = __fmaf_rn(e, rest, F(0x3E75FDEC));
    e = __fmaf_rn(e, rest, F(0x3F317218));
    e = __fmaf_rn(e, rest, 1.0f);
    int down = whole > 0.0f ? 0 : -2097152000;
    float z = __fmul_rn(e, __int_as_float(down + 2130706432));
    z = __fmul_rn(z, __int_as_float(((int)whole << 23) - down));
    float over = t < 0.0f ? 0.0f : F(0x7F800000);
    z = fabsf(t) > 152.0f ? over : z;
    if (x == 1.0f || y == 0.0f)
        return 1.0f;
    if (!(a <= F(0x7F800000)) || !(fabsf(y) <= F(0x7F800000)))
        return __fadd_rn(x, y);
    if (x == 0.0f || a == F(0x7F800000)) {
        int bits = __float_as_int(x + x);
        bits = y < 0.0f ? bits ^ 0x7F800000 : bits;
        return __int_as_float(odd == 1.0f ? bits : bits & 0x7FFFFFFF);
    }
    if (x == -1.0f && fabsf(y) == F(0x7F800000))
        return 1.0f;
    if (x >= 0.0f)
        return z;
    z = odd == 1.0f ? -z : z;
    return floorf(y) != y ? F(0x7FFFFFFF) : z;
}

// x less the nearest multiple of pi / 2, and which one that is in its last two bits.
__device__ float __reduced(float x, int& quadrant)
{
    int q = __float2int_rn(__fmul_rn(x, F(0x3F22F983)));
    float n = (float)q;
    float r = __fmaf_rn(n, F(0xBFC90FDA), x);
    r = __fmaf_rn(n, F(0xB3A22168), r);
    r = __fmaf_rn(n, F(0xA7C234C5), r);
    float a = fabsf(x);
    if (a >= F(0x47CE4780)) {
        if (a == F(0x7F800000)) {
            r = __fmul_rn(x, 0.0f);
            q = 0;
        } else {
            // The product with 2 / pi in 192 bits, of which those around the point matter.
            const unsigned bits[6] = {0x3C439041u, 0xDB629599u, 0xF534DDC0u,
                                      0xFC2757D1u, 0x4E441529u, 0xA2F9836Eu};
            unsigned product[7];
            unsigned i = __float_as_uint(x);
            unsigned e = (i >> 23 & 255u) - 128u;
            unsigned m = i << 8 | 0x80000000u;
            unsigned long long carry = 0;
            for (int j = 0; j < 6; ++j) {
                carry = carry + (unsigned long long)bits[j] * m;
                product[j] = (unsigned)carry;
                carry = carry >> 32;
            }
            product[6] = (unsigned)carry;
            int word = e >> 5;
            unsigned by = e & 31u;
            unsigned high = product[6 - word], low = product[5 - word];
            if (by != 0) {
                high = (low >> 32 - by) + (high << by);
                low = (product[4 - word] >> 32 - by) + (low << by);
            }
            unsigned sign = i & 0x80000000u;
            unsigned part = low >> 30 | high << 2;
            unsigned up = part >> 31;
            int count = up + (high >> 30);
            q = sign == 0 ? count : -count;
            sign = up != 0 ? sign ^ 0x80000000u : sign;
            unsigned flip = up != 0 ? 0xFFFFFFFFu : 0u;
            unsigned long long both = (unsigned long long)(part ^ flip) << 32 | (low << 2 ^ flip);
            double d = (double)(long long)both;
            r = (float)__dmul_rn(d, __longlong_as_double(0x3BF921FB54442D19ll));
            r = sign == 0 ? r : -r;
        }
    }
    quadrant = q;
    return r;
}

__device__ float __sine_of(float r, int quadrant)
{
    bool even = (quadrant & 1) == 0;
    float a = even ? r : 1.0f;
    float s = __fmul_rn(r, r);
    float p = F(0xB94D4153);
    if (!even)
        p = __fmaf_rn(F(0x37CBAC00), s, F(0xBAB607ED));
    p = __fmaf_rn(p, s, even ? F(0x3C0885E4) : F(0x3D2AAABB));
    p = __fmaf_rn(p, s, even ? F(0xBE2AAAA8) : F(0xBEFFFFFF));
    float b = __fmaf_rn(s, a, 0.0f);
    float y = __fmaf_rn(p, b, a);
    if ((quadrant & 2) != 0)
        y = __fmaf_rn(y, -1.0f, 0.0f);
    return y;
}

__device__ float sinf(float x)
{
    int quadrant;
    float r = __reduced(x, quadrant);
    return __sine_of(r, quadrant);
}

__device__ float cosf(float x)
{
    int quadrant;
    float r = __reduced(x, quadrant);
    return __sine_of(r, quadrant + 1);
}

// The mean of two whole numbers, rounded down, or up; without a sum that does not fit.
__device__ int __mean(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
__device__ unsigned __uhadd(unsigned x, unsigned y) { return (x & y) + ((x ^ y) >> 1); }
__device__ int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
__device__ unsigned __urhadd(unsigned x, unsigned y) { return (x | y) - ((x ^ y) >> 1); }

// The fourth bit of a part of the selector means another thing to the instruction.
__device__ unsigned __byte_perm(unsigned x, unsigned y, unsigned which)
{
    return __permuted_bytes(x, y, which & 0x7777u);
}

__device__ float fdimf(float x, float y) { return x > y ? x - y : x <= y ? 0.0f : F(0x7FFFFFFF); }

__device__ float copysignf(float x, float y)
{
    return __int_as_float(__float_as_int(x) & 0x7FFFFFFF | __float_as_int(y) & 0x80000000);
}

__device__ bool isnan(float x) { return !(fabsf(x) <= F(0x7F800000)); }
__device__ bool isinf(float x) { return fabsf(x) == F(0x7F800000); }
__device__ bool isfinite(float x) { return fabsf(x) < F(0x7F800000); }
#undef F

// Of two addresses: they are given as references here.
__device__ void sincosf(float x, float& s, float& c)
{
    s = sinf(x);
    c = cosf(x);
}

__device__ void __sincosf(float x, float& s, float& c)
{
    s = __sinf(x);
    c = __cosf(x);
}
