// C = A x B with elements of several types: one thread for each element of C, and what goes wrong.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void doubles(const double* A, const double* B, double* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    double sum = 0.0;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

// The sum of a product of doubles in a float.
__global__ void doubles_in_float(const double* A, const double* B, double* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

__global__ void ints(const int* A, const int* B, int* C, int M, int N, int K) {
    __shared__ int sA[16][16], sB[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x, sum = 0;
    for (int t = 0; t < K; t += 16) {
        int a = t + threadIdx.x, b = t + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = row < M && a < K ? A[row * K + a] : 0;
        sB[threadIdx.y][threadIdx.x] = b < K && col < N ? B[b * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

// The last term is left out.
__global__ void ints_short(const int* A, const int* B, int* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    int sum = 0;
    for (int k = 0; k < K - 1; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

__global__ void unsigneds(const unsigned* A, const unsigned* B, unsigned* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    unsigned sum = 0;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

__global__ void halves(const half* A, const half* B, half* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
    C[row * N + col] = __float2half(sum);
}

// All of it in half precision, sums as well.
__global__ void halves_only(const half* A, const half* B, half* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    half sum = __float2half(0.0f);
    for (int k = 0; k < K; ++k) sum = __hfma(A[row * K + k], B[k * N + col], sum);
    C[row * N + col] = sum;
}

// Row and column of B are exchanged.
__global__ void halves_wrong(const half* A, const half* B, half* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += __half2float(A[row * K + k]) * __half2float(B[col * K + k]);
    C[row * N + col] = __float2half(sum);
}

__global__ void brains(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int M,
                       int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
        sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
    C[row * N + col] = __float2bfloat16(sum);
}

__global__ void brains_wrong(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C,
                             int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 1; k < K; ++k)
        sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
    C[row * N + col] = __float2bfloat16(sum);
}

__global__ void bytes(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    int sum = 0;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

// A's elements are read without their sign.
__global__ void bytes_unsigned(const unsigned char* A, const signed char* B, int* C, int M, int N,
                               int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    int sum = 0;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

// A lies row-major, B column-major.
__global__ void columns(const float* A, const float* B, float* C, int M, int N, int K, int lda,
                        int ldb, int ldc) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * lda + k] * B[col * ldb + k];
    C[row * ldc + col] = sum;
}

// C has been zeroed by the host.
__global__ void adds(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    for (int k = 0; k < K; ++k) C[row * N + col] += A[row * K + k] * B[k * N + col];
}

// Nobody can tell what these are: they are only moved.
__global__ void moves(const unsigned short* A, const unsigned short* B, unsigned short* C) {
    C[threadIdx.x] = A[threadIdx.x];
    C[threadIdx.x + 64] = B[threadIdx.x];
}

// One warp for each 16 x 8 elements of C; the tensor core cuts the factors to tf32 itself.
__global__ void tf32(const float* A, const float* B, float* C, int M, int N, int K) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4, row = blockIdx.y * 16, col = blockIdx.x * 8;
    float c[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < K; k += 8) {
        unsigned a[4], b[2];
        for (int i = 0; i < 4; ++i)
            a[i] = __float_as_uint(A[(row + g + i % 2 * 8) * K + k + t + i / 2 * 4]);
        for (int i = 0; i < 2; ++i) b[i] = __float_as_uint(B[(k + t + i * 4) * N + col + g]);
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
    for (int i = 0; i < 4; ++i) C[(row + g + i / 2 * 8) * N + col + t * 2 + i % 2] = c[i];
}

// The same, with the last 8 terms left out.
__global__ void tf32_short(const float* A, const float* B, float* C, int M, int N, int K) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4, row = blockIdx.y * 16, col = blockIdx.x * 8;
    float c[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < K - 8; k += 8) {
        unsigned a[4], b[2];
        for (int i = 0; i < 4; ++i)
            a[i] = __float_as_uint(A[(row + g + i % 2 * 8) * K + k + t + i / 2 * 4]);
        for (int i = 0; i < 2; ++i) b[i] = __float_as_uint(B[(k + t + i * 4) * N + col + g]);
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
    for (int i = 0; i < 4; ++i) C[(row + g + i / 2 * 8) * N + col + t * 2 + i % 2] = c[i];
}
