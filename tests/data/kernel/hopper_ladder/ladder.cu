// Five rungs towards a fast product of bfloat16 matrices on Hopper, with their host code: A
// row-major, B and C column-major, tensor maps in global memory, libcu++'s barriers.
#include <cuda.h>
#include <cuda/barrier>
#include <cuda_bf16.h>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <utility>

typedef __nv_bfloat16 bf16;
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace tma = cuda::device::experimental;

// One thread for each element of C.
template <int SIDE>
__global__ void rung1(int M, int N, int K, const bf16* A, const bf16* B, bf16* C)
{
    int row = blockIdx.x * SIDE + threadIdx.x, column = blockIdx.y * SIDE + threadIdx.y;
    if (row >= M || column >= N)
        return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
        sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[column * K + k]);
    C[column * M + row] = __float2bfloat16(sum);
}

// Rows of 128 bytes, swizzled; the next eight rows follow 1024 bytes later.
__device__ uint64_t descriptor(const bf16* tile)
{
    uint64_t start = static_cast<uint32_t>(__cvta_generic_to_shared(tile)) >> 4;
    return start | 1ull << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

#define EIGHT(c, i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), \
                    "+f"(c[i + 4]), "+f"(c[i + 5]), "+f"(c[i + 6]), "+f"(c[i + 7])

// c += A x B along 16 of k: A 64 x 16, B 16 x 64, both with k innermost.
__device__ __forceinline__ void multiply(float (&c)[32], const bf16* a, const bf16* b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "%32, %33, 1, 1, 1, 0, 0;"
                 : EIGHT(c, 0), EIGHT(c, 8), EIGHT(c, 16), EIGHT(c, 24)
                 : "l"(descriptor(a)), "l"(descriptor(b)));
}

__device__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ void end_products()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// The products of a tile of A, 64 * DOWN rows, with one of B, 64 * ACROSS columns, along 64 of k.
template <int DOWN, int ACROSS>
__device__ __forceinline__ void tile(float (&c)[DOWN][ACROSS][32], const bf16* a, const bf16* b)
{
    begin_products();
#pragma unroll
    for (int down = 0; down < DOWN; down++)
#pragma unroll
        for (int across = 0; across < ACROSS; across++)
#pragma unroll
            for (int k = 0; k < 64; k += 16)
                multiply(c[down][across], a + down * 64 * 64 + k, b + across * 64 * 64 + k);
    end_products();
}

// Stores the sums of a warpgroup in the column-major C, from this row and column on.
template <int DOWN, int ACROSS>
__device__ void store(const float (&c)[DOWN][ACROSS][32], bf16* C, int M, int row, int column)
{
    int thread = threadIdx.x % 128;
    row += thread / 32 * 16 + thread % 32 / 4;
    column += thread % 4 * 2;
#pragma unroll
    for (int down = 0; down < DOWN; down++)
#pragma unroll
        for (int across = 0; across < ACROSS; across++)
#pragma unroll
            for (int i = 0; i < 32; i += 4) {
                bf16* to = C + (column + across * 64 + i * 2) * M + row + down * 64;
                to[0] = __float2bfloat16(c[down][across][i]);
                to[M] = __float2bfloat16(c[down][across][i + 1]);
                to[8] = __float2bfloat16(c[down][across][i + 2]);
                to[M + 8] = __float2bfloat16(c[down][across][i + 3]);
            }
}

// One warpgroup: loads a tile, waits for it, multiplies, in turn.
template <int BM, int BN, int BK>
__global__ void __launch_bounds__(128)
rung2(int M, int N, int K, bf16* C, const CUtensorMap* mapA, const CUtensorMap* mapB)
{
    __shared__ alignas(1024) bf16 a[BM * BK], b[BN * BK];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier loaded;
    int row = blockIdx.x % (M / BM) * BM, column = blockIdx.x / (M / BM) * BN;
    if (threadIdx.x == 0) {
        init(&loaded, 128);
        tma::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    float c[BM / 64][BN / 64][32] = {};
    for (int k = 0; k < K; k += BK) {
        barrier::arrival_token token;
        if (threadIdx.x == 0) {
            tma::cp_async_bulk_tensor_2d_global_to_shared(a, mapA, k, row, loaded);
            tma::cp_async_bulk_tensor_2d_global_to_shared(b, mapB, k, column, loaded);
            token = cuda::device::barrier_arrive_tx(loaded, 1, sizeof(a) + sizeof(b));
        } else {
            token = loaded.arrive();
        }
        loaded.wait(std::move(token));
        tile(c, a, b);
        __syncthreads();
    }
    store(c, C, M, row, column);
}

template <int BM, int BN, int BK, int SLOTS>
struct Ring {
    alignas(1024) bf16 a[SLOTS][BM * BK];
    alignas(1024) bf16 b[SLOTS][BN * BK];
};

// The same with larger tiles, in dynamic shared memory, and with the clock if that is wanted.
template <int BM, int BN, int BK, bool TIMED>
__global__ void __launch_bounds__(128)
rung3(int M, int N, int K, bf16* C, const CUtensorMap* mapA, const CUtensorMap* mapB, int* ticks)
{
    extern __shared__ __align__(1024) uint8_t memory[];
    Ring<BM, BN, BK, 1>& s = *reinterpret_cast<Ring<BM, BN, BK, 1>*>(memory);
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier loaded_a, loaded_b;
    int row = blockIdx.x % (M / BM) * BM, column = blockIdx.x / (M / BM) * BN;
    if (threadIdx.x == 0) {
        init(&loaded_a, blockDim.x);
        init(&loaded_b, blockDim.x);
        tma::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    float c[BM / 64][BN / 64][32] = {};
    int start = clock();
    for (int k = 0; k < K; k += BK) {
        barrier::arrival_token a, b;
        if (threadIdx.x == 0) {
            tma::cp_async_bulk_tensor_2d_global_to_shared(s.a[0], mapA, k, row, loaded_a);
            a = cuda::device::barrier_arrive_tx(loaded_a, 1, sizeof(s.a));
            tma::cp_async_bulk_tensor_2d_global_to_shared(s.b[0], mapB, k, column, loaded_b);
            b = cuda::device::barrier_arrive_tx(loaded_b, 1, sizeof(s.b));
        } else {
            a = loaded_a.arrive();
            b = loaded_b.arrive();
        }
        loaded_a.wait(std::move(a));
        loaded_b.wait(std::move(b));
        tile(c, s.a[0], s.b[0]);
        __syncthreads();
    }
    store(c, C, M, row, column);
    if (TIMED && threadIdx.x == 0)
        ticks[blockIdx.x] = clock() - start;
}

// A warpgroup that only loads fills a ring that GROUPS others empty, each with its rows of A.
template <int BM, int BN, int BK, int SLOTS, int GROUPS>
__device__ void ring(int M, int N, int K, bf16* C, const CUtensorMap* mapA, const CUtensorMap* mapB,
                     Ring<BM, BN, BK, SLOTS>& s, barrier* full, barrier* empty)
{
    int row = blockIdx.x % (M / BM) * BM, column = blockIdx.x / (M / BM) * BN;
    int group = threadIdx.x / 128;
    if (threadIdx.x == 0) {
        for (int slot = 0; slot < SLOTS; slot++) {
            init(&full[slot], GROUPS * 128 + 1);
            init(&empty[slot], GROUPS * 128 + 1);
        }
        tma::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    if (group == 0) {
        if (GROUPS > 1)
            asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        for (int k = 0; threadIdx.x == 0 && k < K; k += BK) {
            int slot = k / BK % SLOTS;
            empty[slot].wait(empty[slot].arrive());
            tma::cp_async_bulk_tensor_2d_global_to_shared(s.a[slot], mapA, k, row, full[slot]);
            tma::cp_async_bulk_tensor_2d_global_to_shared(s.b[slot], mapB, k, column, full[slot]);
            barrier::arrival_token unused =
                cuda::device::barrier_arrive_tx(full[slot], 1, (BM + BN) * BK * sizeof(bf16));
        }
        return;
    }
    if (GROUPS > 1)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    for (int slot = 0; slot < SLOTS; slot++)
        barrier::arrival_token unused = empty[slot].arrive();
    constexpr int ROWS = BM / GROUPS;
    float c[ROWS / 64][BN / 64][32] = {};
    for (int k = 0; k < K; k += BK) {
        int slot = k / BK % SLOTS;
        full[slot].wait(full[slot].arrive());
        tile(c, s.a[slot] + (group - 1) * ROWS * BK, s.b[slot]);
        barrier::arrival_token unused = empty[slot].arrive();
    }
    store(c, C, M, row + (group - 1) * ROWS, column);
}

// A warpgroup loads, one multiplies.
template <int BM, int BN, int BK, int SLOTS>
__global__ void __launch_bounds__(256)
rung4(int M, int N, int K, bf16* C, const CUtensorMap* mapA, const CUtensorMap* mapB)
{
    extern __shared__ __align__(1024) uint8_t memory[];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full[SLOTS], empty[SLOTS];
    ring<BM, BN, BK, SLOTS, 1>(M, N, K, C, mapA, mapB,
                               *reinterpret_cast<Ring<BM, BN, BK, SLOTS>*>(memory), full, empty);
}

// Two warpgroups multiply, with the registers that the one that loads gives up.
template <int BM, int BN, int BK, int SLOTS>
__global__ void __launch_bounds__(384)
rung5(int M, int N, int K, bf16* C, const CUtensorMap* mapA, const CUtensorMap* mapB)
{
    extern __shared__ __align__(1024) uint8_t memory[];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full[SLOTS], empty[SLOTS];
    ring<BM, BN, BK, SLOTS, 2>(M, N, K, C, mapA, mapB,
                               *reinterpret_cast<Ring<BM, BN, BK, SLOTS>*>(memory), full, empty);
}

template <int HEIGHT, int WIDTH>
void encode(CUtensorMap* map, bf16* matrix, int rows, int columns)
{
    void* address = (void*)matrix;
    uint64_t extents[2] = {(uint64_t)columns, (uint64_t)rows};
    uint64_t pitch[1] = {sizeof(bf16) * columns};
    uint32_t box[2] = {uint32_t(WIDTH), uint32_t(HEIGHT)}, steps[2] = {1, 1};
    CUresult result = cuTensorMapEncodeTiled(
        map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, address, extents, pitch, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    assert(result == CUDA_SUCCESS);
}

template <int HEIGHT, int WIDTH>
CUtensorMap* map_in_memory(bf16* matrix, int rows, int columns)
{
    CUtensorMap map, *there;
    encode<HEIGHT, WIDTH>(&map, matrix, rows, columns);
    cudaMalloc(&there, sizeof(map));
    cudaMemcpy(there, &map, sizeof(map), cudaMemcpyHostToDevice);
    return there;
}

void run1(int M, int N, int K, bf16* A, bf16* B, bf16* C)
{
    dim3 block(16, 16), grid((M + 15) / 16, (N + 15) / 16);
    rung1<16><<<grid, block>>>(M, N, K, A, B, C);
}

void run2(int M, int N, int K, bf16* A, bf16* B, bf16* C)
{
    constexpr int BM = 64, BN = 64, BK = 64;
    CUtensorMap* mapA = map_in_memory<BM, BK>(A, M, K);
    CUtensorMap* mapB = map_in_memory<BN, BK>(B, N, K);
    rung2<BM, BN, BK><<<(M / BM) * (N / BN), 128>>>(M, N, K, C, mapA, mapB);
}

void run3(int M, int N, int K, bf16* A, bf16* B, bf16* C, int* ticks)
{
    constexpr int BM = 128, BN = 128, BK = 64;
    CUtensorMap* mapA = map_in_memory<BM, BK>(A, M, K);
    CUtensorMap* mapB = map_in_memory<BN, BK>(B, N, K);
    auto* kernel = ticks ? rung3<BM, BN, BK, true> : rung3<BM, BN, BK, false>;
    size_t bytes = sizeof(Ring<BM, BN, BK, 1>);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<(M / BM) * (N / BN), 128, bytes>>>(M, N, K, C, mapA, mapB, ticks);
}

void run4(int M, int N, int K, bf16* A, bf16* B, bf16* C)
{
    constexpr int BM = 128, BN = 128, BK = 64, SLOTS = 3;
    CUtensorMap* mapA = map_in_memory<BM, BK>(A, M, K);
    CUtensorMap* mapB = map_in_memory<BN, BK>(B, N, K);
    auto* kernel = rung4<BM, BN, BK, SLOTS>;
    size_t bytes = sizeof(Ring<BM, BN, BK, SLOTS>);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<(M / BM) * (N / BN), 256, bytes>>>(M, N, K, C, mapA, mapB);
}

void run5(int M, int N, int K, bf16* A, bf16* B, bf16* C)
{
    constexpr int BM = 128, BN = 256, BK = 64, SLOTS = 3;
    CUtensorMap* mapA = map_in_memory<BM, BK>(A, M, K);
    CUtensorMap* mapB = map_in_memory<BN, BK>(B, N, K);
    auto* kernel = rung5<BM, BN, BK, SLOTS>;
    size_t bytes = sizeof(Ring<BM, BN, BK, SLOTS>);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<(M / BM) * (N / BN), 384, bytes>>>(M, N, K, C, mapA, mapB);
}

int main()
{
    printf("call run1 to run5\n");
}
