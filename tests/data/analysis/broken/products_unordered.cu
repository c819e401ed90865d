// The sums are set to zero, and no wgmma.fence puts that before the first product.
// compile: compute_90a
// launch: <<<1,128>>> --size 64

// float16, to the nearest.
__device__ unsigned short half(float value)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

// Eight rows of 16 bytes each lie together; the next 128 bytes hold what follows along k, the next
// 256 the next eight rows (of B: columns).
__device__ unsigned long long descriptor(const void* tile)
{
    unsigned long long start = (unsigned)__cvta_generic_to_shared(tile) >> 4;
    return start | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}

#define EIGHT(c, i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), \
                    "+f"(c[i + 4]), "+f"(c[i + 5]), "+f"(c[i + 6]), "+f"(c[i + 7])

// c += A x B: A 64 x 16, B 16 x 64 with the eight columns of a row of 16 bytes side by side.
__device__ __forceinline__ void product(float (&c)[32], unsigned long long a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
            "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
            "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
            "%32, %33, 1, 1, 1, 0, 1;"
            : EIGHT(c, 0), EIGHT(c, 8), EIGHT(c, 16), EIGHT(c, 24) : "l"(a), "l"(b));
}

extern "C" __global__ void products_unordered(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(128) unsigned short sA[64 * 16], sB[16 * 64];
    int t = threadIdx.x;
    float c[32] = {};
    #pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int i = t; i < 64 * 16; i += 128) {
            int row = i / 16, k = i % 16;
            sA[row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8] = half(A[row * K + k0 + k]);
            sB[row / 8 * 128 + k / 8 * 64 + k % 8 * 8 + row % 8] = half(B[(k0 + k) * N + row]);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        product(c, descriptor(sA), descriptor(sB));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    #pragma unroll
    for (int j = 0; j < 32; ++j) {
        int row = t / 32 * 16 + t % 32 / 4 + j / 2 % 2 * 8;
        C[row * N + j / 4 * 8 + t % 4 * 2 + j % 2] = c[j];
    }
}

// finds: race 31 40
