// Products as people write them: tiled, guarded, padded, transposed, coarsened, blocked in one and two
// dimensions and by warps, with float4, double2 and uint4 loads, double buffered; float, double, half and
// bf16. products/ has them as NVRTC 11.8.89 and 12.9.86 (--gpu-architecture=compute_80) and clang 19.1.7
// (-O3 --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -ffp-contract=fast) compile them.

#ifdef __clang__
typedef float float4 __attribute__((ext_vector_type(4)));
typedef double double2 __attribute__((ext_vector_type(2)));
typedef unsigned uint4 __attribute__((ext_vector_type(4)));
#define GLOBAL extern "C" __attribute__((global))
#define SHARED static __attribute__((shared))
#define TX ((int)__nvvm_read_ptx_sreg_tid_x())
#define TY ((int)__nvvm_read_ptx_sreg_tid_y())
#define BX ((int)__nvvm_read_ptx_sreg_ctaid_x())
#define BY ((int)__nvvm_read_ptx_sreg_ctaid_y())
#define BDX ((int)__nvvm_read_ptx_sreg_ntid_x())
#define BDY ((int)__nvvm_read_ptx_sreg_ntid_y())
#define SYNC() __syncthreads()
typedef _Float16 half_t;
#define H2F(x) ((float)(x))
#define F2H(x) ((_Float16)(x))
#define DEVICE static __attribute__((device)) inline
#else
#include <cuda_fp16.h>
#define GLOBAL extern "C" __global__
#define SHARED __shared__
#define TX ((int)threadIdx.x)
#define TY ((int)threadIdx.y)
#define BX ((int)blockIdx.x)
#define BY ((int)blockIdx.y)
#define BDX ((int)blockDim.x)
#define BDY ((int)blockDim.y)
#define SYNC() __syncthreads()
typedef __half half_t;
#define H2F(x) __half2float(x)
#define F2H(x) __float2half(x)
#define DEVICE static __device__ inline
#endif
#define ALIGN16 __attribute__((aligned(16)))
typedef unsigned short bf_t;
DEVICE float B2F(bf_t x) { union { unsigned u; float f; } v; v.u = (unsigned)x << 16; return v.f; }
DEVICE bf_t F2B(float x) { union { float f; unsigned u; } v; v.f = x; return (bf_t)(v.u >> 16); }

GLOBAL void tiled16g_f(const float* A, const float* B, float* C, int N) {
  SHARED float a[16][16]; SHARED float b[16][16];
  int row = BY * 16 + TY, col = BX * 16 + TX;
  float sum = 0; float zero = (0.0f); (void)zero;
  for (int t = 0; t < N; t += 16) {
    a[TY][TX] = (row < N && t + TX < N) ? A[row * N + t + TX] : zero;
    b[TY][TX] = (t + TY < N && col < N) ? B[(t + TY) * N + col] : zero;
    SYNC();
    for (int k = 0; k < 16; ++k) sum += (a[TY][k]) * (b[k][TX]);
    SYNC();
  }
  if (row < N && col < N) C[row * N + col] = (sum);
}

GLOBAL void tiled16_h(const half_t* A, const half_t* B, half_t* C, int N) {
  SHARED half_t a[16][16]; SHARED half_t b[16][16];
  int row = BY * 16 + TY, col = BX * 16 + TX;
  float sum = 0; half_t zero = F2H(0.0f); (void)zero;
  for (int t = 0; t < N; t += 16) {
    a[TY][TX] = A[row * N + t + TX];
    b[TY][TX] = B[(t + TY) * N + col];
    SYNC();
    for (int k = 0; k < 16; ++k) sum += H2F(a[TY][k]) * H2F(b[k][TX]);
    SYNC();
  }
  C[row * N + col] = F2H(sum);
}

GLOBAL void b1d_256_d(const double* A, const double* B, double* C, int N) {
  SHARED double As[64 * 8]; SHARED double Bs[8 * 32];
  const int threadCol = TX % 32, threadRow = TX / 32;
  A += BY * 64 * N; B += BX * 32; C += BY * 64 * N + BX * 32;
  double sums[8] = {};
  for (int bk = 0; bk < N; bk += 8) {
    for (int i = TX; i < 512; i += 256) As[i] = A[(i / 8) * N + i % 8];
    for (int i = TX; i < 256; i += 256) Bs[i] = B[(i / 32) * N + i % 32];
    SYNC();
    A += 8; B += 8 * N;
    for (int k = 0; k < 8; ++k) {
      double b = (Bs[k * 32 + threadCol]);
      for (int m = 0; m < 8; ++m) sums[m] += (As[(threadRow * 8 + m) * 8 + k]) * b;
    }
    SYNC();
  }
  for (int m = 0; m < 8; ++m) C[(threadRow * 8 + m) * N + threadCol] = (sums[m]);
}

GLOBAL void b2d_64_f(const float* A, const float* B, float* C, int N) {
  SHARED float As[512]; SHARED float Bs[8 * 64];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 64 * N; B += BX * 64; C += BY * 64 * N + BX * 64;
  float sums[4][4] = {}; float ra[4]; float rb[4];
  for (int bk = 0; bk < N; bk += 8) {
    for (int i = TX; i < 512; i += 256) As[(i % 8) * 64 + i / 8] = A[(i / 8) * N + i % 8];
    for (int i = TX; i < 512; i += 256) Bs[(i / 64) * 64 + i % 64] = B[(i / 64) * N + i % 64];
    SYNC();
    A += 8; B += 8 * N;
    for (int k = 0; k < 8; ++k) {
      for (int m = 0; m < 4; ++m) ra[m] = (As[k * 64 + tr * 4 + m]);
      for (int n = 0; n < 4; ++n) rb[n] = (Bs[k * 64 + tc * 4 + n]);
      for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) sums[m][n] += ra[m] * rb[n];
    }
    SYNC();
  }
  for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) C[(tr * 4 + m) * N + tc * 4 + n] = (sums[m][n]);
}

GLOBAL void b2d_64_h(const half_t* A, const half_t* B, half_t* C, int N) {
  SHARED half_t As[1024]; SHARED half_t Bs[16 * 64];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 64 * N; B += BX * 64; C += BY * 64 * N + BX * 64;
  float sums[4][4] = {}; float ra[4]; float rb[4];
  for (int bk = 0; bk < N; bk += 16) {
    for (int i = TX; i < 1024; i += 256) As[(i % 16) * 64 + i / 16] = A[(i / 16) * N + i % 16];
    for (int i = TX; i < 1024; i += 256) Bs[(i / 64) * 64 + i % 64] = B[(i / 64) * N + i % 64];
    SYNC();
    A += 16; B += 16 * N;
    for (int k = 0; k < 16; ++k) {
      for (int m = 0; m < 4; ++m) ra[m] = H2F(As[k * 64 + tr * 4 + m]);
      for (int n = 0; n < 4; ++n) rb[n] = H2F(Bs[k * 64 + tc * 4 + n]);
      for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) sums[m][n] += ra[m] * rb[n];
    }
    SYNC();
  }
  for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) C[(tr * 4 + m) * N + tc * 4 + n] = F2H(sums[m][n]);
}

GLOBAL void b2d_128p_f(const float* A, const float* B, float* C, int N) {
  SHARED float As[1056]; SHARED float Bs[8 * 132];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 128 * N; B += BX * 128; C += BY * 128 * N + BX * 128;
  float sums[8][8] = {}; float ra[8]; float rb[8];
  for (int bk = 0; bk < N; bk += 8) {
    for (int i = TX; i < 1024; i += 256) As[(i % 8) * 132 + i / 8] = A[(i / 8) * N + i % 8];
    for (int i = TX; i < 1024; i += 256) Bs[(i / 128) * 132 + i % 128] = B[(i / 128) * N + i % 128];
    SYNC();
    A += 8; B += 8 * N;
    for (int k = 0; k < 8; ++k) {
      for (int m = 0; m < 8; ++m) ra[m] = (As[k * 132 + tr * 8 + m]);
      for (int n = 0; n < 8; ++n) rb[n] = (Bs[k * 132 + tc * 8 + n]);
      for (int m = 0; m < 8; ++m) for (int n = 0; n < 8; ++n) sums[m][n] += ra[m] * rb[n];
    }
    SYNC();
  }
  for (int m = 0; m < 8; ++m) for (int n = 0; n < 8; ++n) C[(tr * 8 + m) * N + tc * 8 + n] = (sums[m][n]);
}

GLOBAL void vec_128s_f(const float* A, const float* B, float* C, int N) {
  SHARED ALIGN16 float As[1][8][128]; SHARED ALIGN16 float Bs[1][8][128];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 128 * N; B += BX * 128; C += BY * 128 * N + BX * 128;
  float sums[8][8] = {}; float ra[8]; float rb[8];
  for (int bk = 0; bk < N; bk += 8) {
    { const int W = 0, K0 = bk; 
    { int i = TX + 0; float4 v = *(const float4*)&A[(i / 2) * N + (i % 2) * 4 + K0];
      As[W][(i % 2) * 4 + 0][i / 2] = v.x; As[W][(i % 2) * 4 + 1][i / 2] = v.y;
      As[W][(i % 2) * 4 + 2][i / 2] = v.z; As[W][(i % 2) * 4 + 3][i / 2] = v.w; }
    { int i = TX + 0; *(float4*)&Bs[W][i / 32][(i % 32) * 4] = *(const float4*)&B[(K0 + i / 32) * N + (i % 32) * 4]; } }
    SYNC();
    const int R = 0; for (int k = 0; k < 8; ++k) { for (int m = 0; m < 8; ++m) ra[m] = As[R][k][tr * 8 + m]; for (int n = 0; n < 8; ++n) rb[n] = Bs[R][k][tc * 8 + n];
      for (int m = 0; m < 8; ++m) for (int n = 0; n < 8; ++n) sums[m][n] += ra[m] * rb[n]; }
    SYNC();
  }
  for (int m = 0; m < 8; ++m) for (int n = 0; n < 8; n += 4) { float4 v; v.x = sums[m][n]; v.y = sums[m][n + 1]; v.z = sums[m][n + 2]; v.w = sums[m][n + 3]; *(float4*)&C[(tr * 8 + m) * N + tc * 8 + n] = v; }
}

GLOBAL void vec_64p_f(const float* A, const float* B, float* C, int N) {
  SHARED ALIGN16 float As[1][16][68]; SHARED ALIGN16 float Bs[1][16][64];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 64 * N; B += BX * 64; C += BY * 64 * N + BX * 64;
  float sums[4][4] = {}; float ra[4]; float rb[4];
  for (int bk = 0; bk < N; bk += 16) {
    { const int W = 0, K0 = bk; 
    { int i = TX + 0; float4 v = *(const float4*)&A[(i / 4) * N + (i % 4) * 4 + K0];
      As[W][(i % 4) * 4 + 0][i / 4] = v.x; As[W][(i % 4) * 4 + 1][i / 4] = v.y;
      As[W][(i % 4) * 4 + 2][i / 4] = v.z; As[W][(i % 4) * 4 + 3][i / 4] = v.w; }
    { int i = TX + 0; *(float4*)&Bs[W][i / 16][(i % 16) * 4] = *(const float4*)&B[(K0 + i / 16) * N + (i % 16) * 4]; } }
    SYNC();
    const int R = 0; for (int k = 0; k < 16; ++k) { for (int m = 0; m < 4; ++m) ra[m] = As[R][k][tr * 4 + m]; for (int n = 0; n < 4; ++n) rb[n] = Bs[R][k][tc * 4 + n];
      for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) sums[m][n] += ra[m] * rb[n]; }
    SYNC();
  }
  for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; n += 4) { float4 v; v.x = sums[m][n]; v.y = sums[m][n + 1]; v.z = sums[m][n + 2]; v.w = sums[m][n + 3]; *(float4*)&C[(tr * 4 + m) * N + tc * 4 + n] = v; }
}

GLOBAL void vec_db_f(const float* A, const float* B, float* C, int N) {
  SHARED ALIGN16 float As[2][8][64]; SHARED ALIGN16 float Bs[2][8][64];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 64 * N; B += BX * 64; C += BY * 64 * N + BX * 64;
  float sums[8][4] = {}; float ra[8]; float rb[4];
  { const int W = 0, K0 = 0; 
    { int i = TX + 0; float4 v = *(const float4*)&A[(i / 2) * N + (i % 2) * 4 + K0];
      As[W][(i % 2) * 4 + 0][i / 2] = v.x; As[W][(i % 2) * 4 + 1][i / 2] = v.y;
      As[W][(i % 2) * 4 + 2][i / 2] = v.z; As[W][(i % 2) * 4 + 3][i / 2] = v.w; }
    { int i = TX + 0; *(float4*)&Bs[W][i / 16][(i % 16) * 4] = *(const float4*)&B[(K0 + i / 16) * N + (i % 16) * 4]; } }
  SYNC(); int R = 0;
  for (int bk = 8; bk < N; bk += 8) {
    { const int W = R ^ 1, K0 = bk; 
    { int i = TX + 0; float4 v = *(const float4*)&A[(i / 2) * N + (i % 2) * 4 + K0];
      As[W][(i % 2) * 4 + 0][i / 2] = v.x; As[W][(i % 2) * 4 + 1][i / 2] = v.y;
      As[W][(i % 2) * 4 + 2][i / 2] = v.z; As[W][(i % 2) * 4 + 3][i / 2] = v.w; }
    { int i = TX + 0; *(float4*)&Bs[W][i / 16][(i % 16) * 4] = *(const float4*)&B[(K0 + i / 16) * N + (i % 16) * 4]; } }
    for (int k = 0; k < 8; ++k) { { float4 v = *(const float4*)&As[R][k][tr * 8 + 0]; ra[0] = v.x; ra[1] = v.y; ra[2] = v.z; ra[3] = v.w; }{ float4 v = *(const float4*)&As[R][k][tr * 8 + 4]; ra[4] = v.x; ra[5] = v.y; ra[6] = v.z; ra[7] = v.w; } { float4 v = *(const float4*)&Bs[R][k][tc * 4 + 0]; rb[0] = v.x; rb[1] = v.y; rb[2] = v.z; rb[3] = v.w; }
      for (int m = 0; m < 8; ++m) for (int n = 0; n < 4; ++n) sums[m][n] += ra[m] * rb[n]; }
    SYNC(); R ^= 1;
  }
  for (int k = 0; k < 8; ++k) { { float4 v = *(const float4*)&As[R][k][tr * 8 + 0]; ra[0] = v.x; ra[1] = v.y; ra[2] = v.z; ra[3] = v.w; }{ float4 v = *(const float4*)&As[R][k][tr * 8 + 4]; ra[4] = v.x; ra[5] = v.y; ra[6] = v.z; ra[7] = v.w; } { float4 v = *(const float4*)&Bs[R][k][tc * 4 + 0]; rb[0] = v.x; rb[1] = v.y; rb[2] = v.z; rb[3] = v.w; }
      for (int m = 0; m < 8; ++m) for (int n = 0; n < 4; ++n) sums[m][n] += ra[m] * rb[n]; }
  for (int m = 0; m < 8; ++m) for (int n = 0; n < 4; n += 4) { float4 v; v.x = sums[m][n]; v.y = sums[m][n + 1]; v.z = sums[m][n + 2]; v.w = sums[m][n + 3]; *(float4*)&C[(tr * 8 + m) * N + tc * 4 + n] = v; }
}

GLOBAL void vec_dbs_f(const float* A, const float* B, float* C, int N) {
  SHARED ALIGN16 float As[2][16][64]; SHARED ALIGN16 float Bs[2][16][64];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 64 * N; B += BX * 64; C += BY * 64 * N + BX * 64;
  float sums[4][4] = {}; float ra[4]; float rb[4];
  { const int W = 0, K0 = 0; 
    { int i = TX + 0; float4 v = *(const float4*)&A[(i / 4) * N + (i % 4) * 4 + K0];
      As[W][(i % 4) * 4 + 0][i / 4] = v.x; As[W][(i % 4) * 4 + 1][i / 4] = v.y;
      As[W][(i % 4) * 4 + 2][i / 4] = v.z; As[W][(i % 4) * 4 + 3][i / 4] = v.w; }
    { int i = TX + 0; *(float4*)&Bs[W][i / 16][(i % 16) * 4] = *(const float4*)&B[(K0 + i / 16) * N + (i % 16) * 4]; } }
  SYNC(); int R = 0;
  for (int bk = 16; bk < N; bk += 16) {
    { const int W = R ^ 1, K0 = bk; 
    { int i = TX + 0; float4 v = *(const float4*)&A[(i / 4) * N + (i % 4) * 4 + K0];
      As[W][(i % 4) * 4 + 0][i / 4] = v.x; As[W][(i % 4) * 4 + 1][i / 4] = v.y;
      As[W][(i % 4) * 4 + 2][i / 4] = v.z; As[W][(i % 4) * 4 + 3][i / 4] = v.w; }
    { int i = TX + 0; *(float4*)&Bs[W][i / 16][(i % 16) * 4] = *(const float4*)&B[(K0 + i / 16) * N + (i % 16) * 4]; } }
    for (int k = 0; k < 16; ++k) { for (int m = 0; m < 4; ++m) ra[m] = As[R][k][tr * 4 + m]; for (int n = 0; n < 4; ++n) rb[n] = Bs[R][k][tc * 4 + n];
      for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) sums[m][n] += ra[m] * rb[n]; }
    SYNC(); R ^= 1;
  }
  for (int k = 0; k < 16; ++k) { for (int m = 0; m < 4; ++m) ra[m] = As[R][k][tr * 4 + m]; for (int n = 0; n < 4; ++n) rb[n] = Bs[R][k][tc * 4 + n];
      for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) sums[m][n] += ra[m] * rb[n]; }
  for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; n += 4) { float4 v; v.x = sums[m][n]; v.y = sums[m][n + 1]; v.z = sums[m][n + 2]; v.w = sums[m][n + 3]; *(float4*)&C[(tr * 4 + m) * N + tc * 4 + n] = v; }
}

GLOBAL void warps_f(const float* A, const float* B, float* C, int N) {
  SHARED ALIGN16 float As[16 * 128]; SHARED ALIGN16 float Bs[16 * 128];
  const int warp = TX / 32, lane = TX % 32, wc = warp % 2, wr = warp / 2, tc = lane % 4, tr = lane / 4;
  A += BY * 128 * N; B += BX * 128; C += (BY * 128 + wr * 64) * N + BX * 128 + wc * 64;
  const int ar = TX / 4, ac = TX % 4, br = TX / 32, bc = TX % 32;
  float sums[1 * 8 * 4 * 4] = {}; float rm[8]; float rn[16];
  for (int bk = 0; bk < N; bk += 16) {
    for (int o = 0; o + 32 <= 128; o += 32) {
      float4 v = *(const float4*)&A[(ar + o) * N + ac * 4];
      As[(ac * 4 + 0) * 128 + ar + o] = v.x; As[(ac * 4 + 1) * 128 + ar + o] = v.y;
      As[(ac * 4 + 2) * 128 + ar + o] = v.z; As[(ac * 4 + 3) * 128 + ar + o] = v.w;
    }
    for (int o = 0; o + 4 <= 16; o += 4) *(float4*)&Bs[(br + o) * 128 + bc * 4] = *(const float4*)&B[(br + o) * N + bc * 4];
    SYNC();
    for (int k = 0; k < 16; ++k) {
      for (int s = 0; s < 1; ++s) for (int i = 0; i < 8; ++i) rm[s * 8 + i] = As[k * 128 + wr * 64 + s * 64 + tr * 8 + i];
      for (int s = 0; s < 4; ++s) for (int i = 0; i < 4; ++i) rn[s * 4 + i] = Bs[k * 128 + wc * 64 + s * 16 + tc * 4 + i];
      for (int m = 0; m < 8; ++m) for (int n = 0; n < 16; ++n) sums[m * 16 + n] += rm[m] * rn[n];
    }
    A += 16; B += 16 * N;
    SYNC();
  }
  for (int m = 0; m < 8; ++m) for (int s = 0; s < 4; ++s) {
    for (int i = 0; i < 4; ++i) C[(tr * 8 + m) * N + s * 16 + tc * 4 + i] = sums[m * 16 + s * 4 + i];
  }
}

GLOBAL void dvec_d(const double* A, const double* B, double* C, int N) {
  SHARED ALIGN16 double As[16][32]; SHARED ALIGN16 double Bs[16][32];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 32 * N; B += BX * 32; C += BY * 32 * N + BX * 32;
  double s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  for (int bk = 0; bk < N; bk += 16) {
    { int r = TX / 8, c = TX % 8 * 2; double2 v = *(const double2*)&A[r * N + bk + c]; As[c][r] = v.x; As[c + 1][r] = v.y; }
    { int r = TX / 16, c = TX % 16 * 2; *(double2*)&Bs[r][c] = *(const double2*)&B[(bk + r) * N + c]; }
    SYNC();
    for (int k = 0; k < 16; ++k) {
      double a0 = As[k][tr * 2], a1 = As[k][tr * 2 + 1], b0 = Bs[k][tc * 2], b1 = Bs[k][tc * 2 + 1];
      s00 += a0 * b0; s01 += a0 * b1; s10 += a1 * b0; s11 += a1 * b1;
    }
    SYNC();
  }
  C[(tr * 2) * N + tc * 2] = s00; C[(tr * 2) * N + tc * 2 + 1] = s01; C[(tr * 2 + 1) * N + tc * 2] = s10; C[(tr * 2 + 1) * N + tc * 2 + 1] = s11;
}

GLOBAL void coarse_f(const float* A, const float* B, float* C, int N) {
  SHARED float a[16][16]; SHARED float b[16][64];
  int row = BY * 16 + TY, col = BX * 64 + TX;
  float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int t = 0; t < N; t += 16) {
    a[TY][TX] = A[row * N + t + TX];
    for (int j = 0; j < 4; ++j) b[TY][TX + 16 * j] = B[(t + TY) * N + col + 16 * j];
    SYNC();
    for (int k = 0; k < 16; ++k) { float x = a[TY][k]; s0 += x * b[k][TX]; s1 += x * b[k][TX + 16]; s2 += x * b[k][TX + 32]; s3 += x * b[k][TX + 48]; }
    SYNC();
  }
  C[row * N + col] = s0; C[row * N + col + 16] = s1; C[row * N + col + 32] = s2; C[row * N + col + 48] = s3;
}

GLOBAL void transb_f(const float* A, const float* B, float* C, int N) {
  SHARED float a[32][33]; SHARED float b[32][33];
  int row = BY * 32 + TY, col = BX * 32 + TX; float sum = 0;
  for (int t = 0; t < N; t += 32) {
    a[TY][TX] = A[row * N + t + TX];
    b[TX][TY] = B[(t + TY) * N + col];
    SYNC();
    for (int k = 0; k < 32; ++k) sum += a[TY][k] * b[TX][k];
    SYNC();
  }
  C[row * N + col] = sum;
}

GLOBAL void b1d_256_f(const float* A, const float* B, float* C, int N) {
  SHARED float As[64 * 8]; SHARED float Bs[8 * 32];
  const int threadCol = TX % 32, threadRow = TX / 32;
  A += BY * 64 * N; B += BX * 32; C += BY * 64 * N + BX * 32;
  float sums[8] = {};
  for (int bk = 0; bk < N; bk += 8) {
    for (int i = TX; i < 512; i += 256) As[i] = A[(i / 8) * N + i % 8];
    for (int i = TX; i < 256; i += 256) Bs[i] = B[(i / 32) * N + i % 32];
    SYNC();
    A += 8; B += 8 * N;
    for (int k = 0; k < 8; ++k) {
      float b = (Bs[k * 32 + threadCol]);
      for (int m = 0; m < 8; ++m) sums[m] += (As[(threadRow * 8 + m) * 8 + k]) * b;
    }
    SYNC();
  }
  for (int m = 0; m < 8; ++m) C[(threadRow * 8 + m) * N + threadCol] = (sums[m]);
}

GLOBAL void hvec_h(const half_t* A, const half_t* B, half_t* C, int N) {
  SHARED ALIGN16 half_t As[64][32]; SHARED ALIGN16 half_t Bs[32][64];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 64 * N; B += BX * 64; C += BY * 64 * N + BX * 64;
  float sums[4][4] = {};
  for (int bk = 0; bk < N; bk += 32) {
    { int r = TX / 4, c = TX % 4 * 8; *(uint4*)&As[r][c] = *(const uint4*)&A[r * N + bk + c]; }
    { int r = TX / 8, c = TX % 8 * 8; *(uint4*)&Bs[r][c] = *(const uint4*)&B[(bk + r) * N + c]; }
    SYNC();
    for (int k = 0; k < 32; ++k) {
      float a[4], b[4];
      for (int i = 0; i < 4; ++i) { a[i] = H2F(As[tr * 4 + i][k]); b[i] = H2F(Bs[k][tc * 4 + i]); }
      for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) sums[m][n] += a[m] * b[n];
    }
    SYNC();
  }
  for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) C[(tr * 4 + m) * N + tc * 4 + n] = F2H(sums[m][n]);
}

GLOBAL void tiled16_f(const float* A, const float* B, float* C, int N) {
  SHARED float a[16][16]; SHARED float b[16][16];
  int row = BY * 16 + TY, col = BX * 16 + TX;
  float sum = 0; float zero = (0.0f); (void)zero;
  for (int t = 0; t < N; t += 16) {
    a[TY][TX] = A[row * N + t + TX];
    b[TY][TX] = B[(t + TY) * N + col];
    SYNC();
    for (int k = 0; k < 16; ++k) sum += (a[TY][k]) * (b[k][TX]);
    SYNC();
  }
  C[row * N + col] = (sum);
}

GLOBAL void b2d_64_b(const bf_t* A, const bf_t* B, bf_t* C, int N) {
  SHARED bf_t As[1024]; SHARED bf_t Bs[16 * 64];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 64 * N; B += BX * 64; C += BY * 64 * N + BX * 64;
  float sums[4][4] = {}; float ra[4]; float rb[4];
  for (int bk = 0; bk < N; bk += 16) {
    for (int i = TX; i < 1024; i += 256) As[(i % 16) * 64 + i / 16] = A[(i / 16) * N + i % 16];
    for (int i = TX; i < 1024; i += 256) Bs[(i / 64) * 64 + i % 64] = B[(i / 64) * N + i % 64];
    SYNC();
    A += 16; B += 16 * N;
    for (int k = 0; k < 16; ++k) {
      for (int m = 0; m < 4; ++m) ra[m] = B2F(As[k * 64 + tr * 4 + m]);
      for (int n = 0; n < 4; ++n) rb[n] = B2F(Bs[k * 64 + tc * 4 + n]);
      for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) sums[m][n] += ra[m] * rb[n];
    }
    SYNC();
  }
  for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) C[(tr * 4 + m) * N + tc * 4 + n] = F2B(sums[m][n]);
}

GLOBAL void vec_128p_f(const float* A, const float* B, float* C, int N) {
  SHARED ALIGN16 float As[1][8][132]; SHARED ALIGN16 float Bs[1][8][128];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 128 * N; B += BX * 128; C += BY * 128 * N + BX * 128;
  float sums[8][8] = {}; float ra[8]; float rb[8];
  for (int bk = 0; bk < N; bk += 8) {
    { const int W = 0, K0 = bk; 
    { int i = TX + 0; float4 v = *(const float4*)&A[(i / 2) * N + (i % 2) * 4 + K0];
      As[W][(i % 2) * 4 + 0][i / 2] = v.x; As[W][(i % 2) * 4 + 1][i / 2] = v.y;
      As[W][(i % 2) * 4 + 2][i / 2] = v.z; As[W][(i % 2) * 4 + 3][i / 2] = v.w; }
    { int i = TX + 0; *(float4*)&Bs[W][i / 32][(i % 32) * 4] = *(const float4*)&B[(K0 + i / 32) * N + (i % 32) * 4]; } }
    SYNC();
    const int R = 0; for (int k = 0; k < 8; ++k) { { float4 v = *(const float4*)&As[R][k][tr * 8 + 0]; ra[0] = v.x; ra[1] = v.y; ra[2] = v.z; ra[3] = v.w; }{ float4 v = *(const float4*)&As[R][k][tr * 8 + 4]; ra[4] = v.x; ra[5] = v.y; ra[6] = v.z; ra[7] = v.w; } { float4 v = *(const float4*)&Bs[R][k][tc * 8 + 0]; rb[0] = v.x; rb[1] = v.y; rb[2] = v.z; rb[3] = v.w; }{ float4 v = *(const float4*)&Bs[R][k][tc * 8 + 4]; rb[4] = v.x; rb[5] = v.y; rb[6] = v.z; rb[7] = v.w; }
      for (int m = 0; m < 8; ++m) for (int n = 0; n < 8; ++n) sums[m][n] += ra[m] * rb[n]; }
    SYNC();
  }
  for (int m = 0; m < 8; ++m) for (int n = 0; n < 8; n += 4) { float4 v; v.x = sums[m][n]; v.y = sums[m][n + 1]; v.z = sums[m][n + 2]; v.w = sums[m][n + 3]; *(float4*)&C[(tr * 8 + m) * N + tc * 8 + n] = v; }
}

GLOBAL void warp_f(const float* A, const float* B, float* C, int N) {
  SHARED ALIGN16 float As[16 * 128]; SHARED ALIGN16 float Bs[16 * 128];
  const int warp = TX / 32, lane = TX % 32, wc = warp % 2, wr = warp / 2, tc = lane % 4, tr = lane / 4;
  A += BY * 128 * N; B += BX * 128; C += (BY * 128 + wr * 64) * N + BX * 128 + wc * 64;
  const int ar = TX / 4, ac = TX % 4, br = TX / 32, bc = TX % 32;
  float sums[1 * 8 * 4 * 4] = {}; float rm[8]; float rn[16];
  for (int bk = 0; bk < N; bk += 16) {
    for (int o = 0; o + 32 <= 128; o += 32) {
      float4 v = *(const float4*)&A[(ar + o) * N + ac * 4];
      As[(ac * 4 + 0) * 128 + ar + o] = v.x; As[(ac * 4 + 1) * 128 + ar + o] = v.y;
      As[(ac * 4 + 2) * 128 + ar + o] = v.z; As[(ac * 4 + 3) * 128 + ar + o] = v.w;
    }
    for (int o = 0; o + 4 <= 16; o += 4) *(float4*)&Bs[(br + o) * 128 + bc * 4] = *(const float4*)&B[(br + o) * N + bc * 4];
    SYNC();
    for (int k = 0; k < 16; ++k) {
      for (int s = 0; s < 1; ++s) for (int i = 0; i < 8; ++i) rm[s * 8 + i] = As[k * 128 + wr * 64 + s * 64 + tr * 8 + i];
      for (int s = 0; s < 4; ++s) for (int i = 0; i < 4; ++i) rn[s * 4 + i] = Bs[k * 128 + wc * 64 + s * 16 + tc * 4 + i];
      for (int m = 0; m < 8; ++m) for (int n = 0; n < 16; ++n) sums[m * 16 + n] += rm[m] * rn[n];
    }
    A += 16; B += 16 * N;
    SYNC();
  }
  for (int m = 0; m < 8; ++m) for (int s = 0; s < 4; ++s) {
    float4 v; v.x = sums[m * 16 + s * 4]; v.y = sums[m * 16 + s * 4 + 1]; v.z = sums[m * 16 + s * 4 + 2]; v.w = sums[m * 16 + s * 4 + 3]; *(float4*)&C[(tr * 8 + m) * N + s * 16 + tc * 4] = v;
  }
}

GLOBAL void vec_128_f(const float* A, const float* B, float* C, int N) {
  SHARED ALIGN16 float As[1][8][128]; SHARED ALIGN16 float Bs[1][8][128];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 128 * N; B += BX * 128; C += BY * 128 * N + BX * 128;
  float sums[8][8] = {}; float ra[8]; float rb[8];
  for (int bk = 0; bk < N; bk += 8) {
    { const int W = 0, K0 = bk; 
    { int i = TX + 0; float4 v = *(const float4*)&A[(i / 2) * N + (i % 2) * 4 + K0];
      As[W][(i % 2) * 4 + 0][i / 2] = v.x; As[W][(i % 2) * 4 + 1][i / 2] = v.y;
      As[W][(i % 2) * 4 + 2][i / 2] = v.z; As[W][(i % 2) * 4 + 3][i / 2] = v.w; }
    { int i = TX + 0; *(float4*)&Bs[W][i / 32][(i % 32) * 4] = *(const float4*)&B[(K0 + i / 32) * N + (i % 32) * 4]; } }
    SYNC();
    const int R = 0; for (int k = 0; k < 8; ++k) { { float4 v = *(const float4*)&As[R][k][tr * 8 + 0]; ra[0] = v.x; ra[1] = v.y; ra[2] = v.z; ra[3] = v.w; }{ float4 v = *(const float4*)&As[R][k][tr * 8 + 4]; ra[4] = v.x; ra[5] = v.y; ra[6] = v.z; ra[7] = v.w; } { float4 v = *(const float4*)&Bs[R][k][tc * 8 + 0]; rb[0] = v.x; rb[1] = v.y; rb[2] = v.z; rb[3] = v.w; }{ float4 v = *(const float4*)&Bs[R][k][tc * 8 + 4]; rb[4] = v.x; rb[5] = v.y; rb[6] = v.z; rb[7] = v.w; }
      for (int m = 0; m < 8; ++m) for (int n = 0; n < 8; ++n) sums[m][n] += ra[m] * rb[n]; }
    SYNC();
  }
  for (int m = 0; m < 8; ++m) for (int n = 0; n < 8; n += 4) { float4 v; v.x = sums[m][n]; v.y = sums[m][n + 1]; v.z = sums[m][n + 2]; v.w = sums[m][n + 3]; *(float4*)&C[(tr * 8 + m) * N + tc * 8 + n] = v; }
}

GLOBAL void vec_64_f(const float* A, const float* B, float* C, int N) {
  SHARED ALIGN16 float As[1][16][64]; SHARED ALIGN16 float Bs[1][16][64];
  const int tc = TX % 16, tr = TX / 16;
  A += BY * 64 * N; B += BX * 64; C += BY * 64 * N + BX * 64;
  float sums[4][4] = {}; float ra[4]; float rb[4];
  for (int bk = 0; bk < N; bk += 16) {
    { const int W = 0, K0 = bk; 
    { int i = TX + 0; float4 v = *(const float4*)&A[(i / 4) * N + (i % 4) * 4 + K0];
      As[W][(i % 4) * 4 + 0][i / 4] = v.x; As[W][(i % 4) * 4 + 1][i / 4] = v.y;
      As[W][(i % 4) * 4 + 2][i / 4] = v.z; As[W][(i % 4) * 4 + 3][i / 4] = v.w; }
    { int i = TX + 0; *(float4*)&Bs[W][i / 16][(i % 16) * 4] = *(const float4*)&B[(K0 + i / 16) * N + (i % 16) * 4]; } }
    SYNC();
    const int R = 0; for (int k = 0; k < 16; ++k) { { float4 v = *(const float4*)&As[R][k][tr * 4 + 0]; ra[0] = v.x; ra[1] = v.y; ra[2] = v.z; ra[3] = v.w; } { float4 v = *(const float4*)&Bs[R][k][tc * 4 + 0]; rb[0] = v.x; rb[1] = v.y; rb[2] = v.z; rb[3] = v.w; }
      for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; ++n) sums[m][n] += ra[m] * rb[n]; }
    SYNC();
  }
  for (int m = 0; m < 4; ++m) for (int n = 0; n < 4; n += 4) { float4 v; v.x = sums[m][n]; v.y = sums[m][n + 1]; v.z = sums[m][n + 2]; v.w = sums[m][n + 3]; *(float4*)&C[(tr * 4 + m) * N + tc * 4 + n] = v; }
}
