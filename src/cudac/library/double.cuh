// Functions of double, computed as CUDA's libdevice does, so that a result is bit for bit the
// GPU's. D gives a number by its bits.
#define D(bits) __longlong_as_double(bits##ll)

__device__ double exp(double x)
{
    double s = __fma_rn(x, D(0x3FF71547652B82FE), D(0x4338000000000000));
    int n = __double2loint(s);
    double w = __dadd_rn(s, D(0xC338000000000000));
    double r = __fma_rn(w, D(0xBFE62E42FEFA39EF), x);
    r = __fma_rn(w, D(0xBC7ABC9E3B39803F), r);
    double p = __fma_rn(D(0x3E5ADE1569CE2BDF), r, D(0x3E928AF3FCA213EA));
    p = __fma_rn(p, r, D(0x3EC71DEE62401315));
    p = __fma_rn(p, r, D(0x3EFA01997C89EB71));
    p = __fma_rn(p, r, D(0x3F2A01A014761F65));
    p = __fma_rn(p, r, D(0x3F56C16C1852B7AF));
    p = __fma_rn(p, r, D(0x3F81111111122322));
    p = __fma_rn(p, r, D(0x3FA55555555502A1));
    p = __fma_rn(p, r, D(0x3FC5555555555511));
    p = __fma_rn(p, r, D(0x3FE000000000000B));
    p = __fma_rn(p, r, 1.0);
    p = __fma_rn(p, r, 1.0);
    int low = __double2loint(p), high = __double2hiint(p);
    double y = __hiloint2double(high + (n << 20), low);
    float size = fabsf(__int_as_float(__double2hiint(x)));
    if (!(size < __int_as_float(0x4086232B))) {
        y = x < 0.0 ? 0.0 : x + D(0x7FF0000000000000);
        if (size < __int_as_float(0x40874800)) {
            int part = n / 2;
            double scale = __hiloint2double((n - part << 20) + 1072693248, 0);
            y = __dmul_rn(__hiloint2double(high + (part << 20), low), scale);
        }
    }
    return y;
}

__device__ double log(double x)
{
    int high = __double2hiint(x), low = __double2loint(x), e = -1023;
    if (high <= 1048575) {
        x = x * D(0x4350000000000000);
        high = __double2hiint(x);
        low = __double2loint(x);
        e = -1077;
    }
    if ((unsigned)(high - 1) >= 2146435071u) {
        double y = __fma_rn(x, D(0x7FF0000000000000), D(0x7FF0000000000000));
        return __int_as_float(__double2hiint(x)) == 0.0f ? D(0xFFF0000000000000) : y;
    }
    e = e + (int)((unsigned)high >> 20);
    int m_high = high & -2146435073 | 1072693248;
    double m = __hiloint2double(m_high, low);
    if (m_high >= 1073127583) {
        m = __hiloint2double(m_high - 1048576, low);
        e = e + 1;
    }
    double d = m + 1.0;
    double inverse = __rcp_approx_ftz_double(d);
    double t = __fma_rn(-d, inverse, 1.0);
    t = __fma_rn(t, t, t);
    inverse = __fma_rn(t, inverse, inverse);
    double f = m - 1.0;
    double u = __dmul_rn(f, inverse);
    u = __fma_rn(f, inverse, u);
    double v = __dmul_rn(u, u);
    double p = __fma_rn(D(0x3EB1380B3AE80F1E), v, D(0x3ED0EE258B7A8B04));
    p = __fma_rn(p, v, D(0x3EF3B2669F02676F));
    p = __fma_rn(p, v, D(0x3F1745CBA9AB0956));
    p = __fma_rn(p, v, D(0x3F3C71C72D1B5154));
    p = __fma_rn(p, v, D(0x3F624924923BE72D));
    p = __fma_rn(p, v, D(0x3F8999999999A3C4));
    p = __fma_rn(p, v, D(0x3FB5555555555554));
    double w = f - u;
    w = __fma_rn(-u, f, w + w);
    w = __dmul_rn(inverse, w);
    double low_part = __fma_rn(__dmul_rn(v, p), u, w);
    double n = (double)e;
    double sum = __fma_rn(n, D(0x3FE62E42FEFA39EF), u);
    double left = __fma_rn(-n, D(0x3FE62E42FEFA39EF), sum);
    left = low_part - (left - u);
    return sum + __fma_rn(n, D(0x3C7ABC9E3B39803F), left);
}
#undef D
