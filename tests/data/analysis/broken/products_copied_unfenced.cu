// What cp.async has copied the tensor cores see after a fence, and none stands there.
// compile: compute_90a
// launch: <<<1,128>>> --size 64

// Eight rows of 16 bytes each lie together; the next 128 bytes hold what follows along k, the next
// 256 the next eight rows (of B: columns).
__device__ unsigned long long descriptor(const void* tile)
{
    unsigned long long start = (unsigned)__cvta_generic_to_shared(tile) >> 4;
    return start | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}

#define EIGHT(c, i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), \
                    "+f"(c[i + 4]), "+f"(c[i + 5]), "+f"(c[i + 6]), "+f"(c[i + 7])

// c += A x B: A 64 x 8, B 8 x 64, both with four neighbours along k in a row of 16 bytes.
__device__ __forceinline__ void product(float (&c)[32], unsigned long long a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 "
            "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
            "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
            "%32, %33, 1, 1, 1;"
            : EIGHT(c, 0), EIGHT(c, 8), EIGHT(c, 16), EIGHT(c, 24) : "l"(a), "l"(b));
}

__device__ __forceinline__ void copy(const float* to, const float* from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;"
            :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

// The rows of B stand for the columns of the right matrix: A times B transposed.
extern "C" __global__ void products_copied_unfenced(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(128) float sA[64 * 8], sB[8 * 64];
    int t = threadIdx.x, row = t / 2, k = t % 2 * 4;
    float c[32] = {};
    #pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += 8) {
        copy(&sA[row / 8 * 64 + k / 4 * 32 + row % 8 * 4], A + row * K + k0 + k);
        copy(&sB[row / 8 * 64 + k / 4 * 32 + row % 8 * 4], B + row * K + k0 + k);
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
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

// finds: race 23 29
