// C = A x B in float32, as fast as this GPU's multiply-adds allow.
//
// It is warp tiled like the kernels before it. What it adds:
//
// 1. More work for each thread: 8 x 16 elements of C. For one step of k a thread
//    loads 8 + 16 values and does 128 multiply-adds with them. There are so
//    many accumulators that only 8 warps fit on a multiprocessor, 2 for each of
//    its schedulers: nobody else fills a warp's pauses, so it may not pause.
// 2. So the values of the next step of k are loaded from shared memory, into a
//    second set of registers, before this step's multiply-adds begin.
// 3. The next tiles are loaded from global memory into registers when the work on
//    these tiles begins, and put into shared memory in small portions towards
//    its end, between the multiply-adds. (cp.async cannot transpose A, but for
//    copies of 4 bytes each: four times as many instructions. It was slower.)
// 4. A multiply-add reads three registers: a, b and the sum. Registers lie in
//    two banks, even and odd ones, and each bank gives one at a time. But the
//    value that the multiply-add before had in the same place is still there.
//    - So the threads go through their rectangle like a plough, forth in one
//      row and back in the next: always a or b is the same as before.
//    - b and the sum should then be in different banks. Four sums side by side
//      are stored with one instruction, which wants them in registers 0 1 2 3;
//      four values of B are loaded with one, which wants the same. So the tile
//      of B is kept with the two of each pair exchanged: B[j ^ 1].
// 5. Tiles chosen by the matrices' size. 132 multiprocessors work at a time;
//    with 2.2 tiles for each, the last turn is as long as the others and most
//    have no work. Good shapes make the number of turns just under a whole one.
// 6. For small matrices, SLICES: so few tiles that each multiprocessor gets one
//    small one. Groups of warps compute the same tile, each a part of every
//    BK steps of k; at the end their sums are added, in a fixed order.
//
// Dynamic shared memory: 2 * BK * (BM + 4 + BN) floats, and with SLICES at least
// BM * BN.

#ifndef BM
#define BM 128
#define BN 256
#define BK 16
#define WM 64
#define WN 64
#define SLICES 1
#define PUTS 3    // parts of the next tiles that are put in one step of k
#endif
#define TM (WM / 8)
#define TN (WN / 4)
#define GROUP (BM / WM * (BN / WN) * 32)  // threads that together have all of C's tile
#define THREADS (GROUP * SLICES)
#define STEPS (BK / SLICES)               // steps of k for each thread in each tile
#define PITCH (BM + 4)                    // from row to row in A's tile, transposed
#define STAGE (BK * PITCH + BK * BN)      // floats of a pair of tiles: A's, then B's
#define ROWS (THREADS / (BK / 4))         // rows of A's tile that are brought at once
#define DEPTH (THREADS / (BN / 4))        // the same of B's
#define PARTS_A (BM / ROWS)
#define PARTS_B (BK / DEPTH)
#define PARTS (PARTS_A + PARTS_B)

// Four neighbours, one by one; zeros outside the matrix.
__device__ float4 load4(const float* x, int row, int col, int rows, int cols)
{
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (row < rows) {
        if (col + 0 < cols) v.x = x[0];
        if (col + 1 < cols) v.y = x[1];
        if (col + 2 < cols) v.z = x[2];
        if (col + 3 < cols) v.w = x[3];
    }
    return v;
}

// The same way back, of the block's own part of C.
__device__ void store4(float* X, int row, int col, int rows, int cols, float4 v)
{
    if (row >= rows || row < (int)blockIdx.y * BM || col < (int)blockIdx.x * BN) return;
    float* x = X + row * cols + col;
    if (cols % 4 == 0) {
        if (col < cols) *(float4*)x = v;
    } else {
        if (col + 0 < cols) x[0] = v.x;
        if (col + 1 < cols) x[1] = v.y;
        if (col + 2 < cols) x[2] = v.z;
        if (col + 3 < cols) x[3] = v.w;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
sgemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    extern __shared__ __align__(16) float shared[];

    int t = threadIdx.x;
    int firstRow = blockIdx.y * BM;
    int firstCol = blockIdx.x * BN;

    // Tiles that reach beyond the edges of C are moved back inside, over a part of
    // their neighbours: so they need no guards. Each stores its own part only.
    bool wide = K % 4 == 0 && N % 4 == 0;
    if (wide) {
        firstRow = min(firstRow, max(M - BM, 0));
        firstCol = min(firstCol, max(N - BN, 0));
    }

    // Which slice of k, and where in the tile of C: see the warp tiled kernel.
    int slice = t / GROUP;
    int warp = t % GROUP / 32;
    int lane = t % 32;
    int ty = warp / (BN / WN) * WM + lane / 2 % 8 * 4;
    int tx = warp % (BN / WN) * WN + (lane % 2 + lane / 16 * 2) * 4;

    // The first four elements of A and of B that this thread brings of a tile.
    int kA = t % (BK / 4) * 4, rowA = t / (BK / 4);
    int kB = t / (BN / 4), colB = t % (BN / 4) * 4;
    const float* fromA = A + (firstRow + rowA) * K + kA;
    const float* fromB = B + kB * N + firstCol + colB;
    float* toA = shared + kA * PITCH + rowA;
    float* toB = shared + BK * PITCH + kB * BN + colB;
    float4 partA[PARTS_A], partB[PARTS_B];

    // Load the tiles at k0 into registers, without looking if all is inside.
    bool inside = wide && firstRow + BM <= M && firstCol + BN <= N;
    auto bring = [&](int k0) {
        if (inside && k0 + BK <= K) {
            #pragma unroll
            for (int s = 0; s < PARTS_A; ++s)
                partA[s] = *(const float4*)(fromA + k0 + s * ROWS * K);
            #pragma unroll
            for (int s = 0; s < PARTS_B; ++s)
                partB[s] = *(const float4*)(fromB + (k0 + s * DEPTH) * N);
        } else if (k0 < K) {
            #pragma unroll
            for (int s = 0; s < PARTS_A; ++s)
                partA[s] = load4(fromA + k0 + s * ROWS * K,
                                 firstRow + rowA + s * ROWS, k0 + kA, M, K);
            #pragma unroll
            for (int s = 0; s < PARTS_B; ++s)
                partB[s] = load4(fromB + (k0 + s * DEPTH) * N,
                                 k0 + kB + s * DEPTH, firstCol + colB, K, N);
        }
    };

    // Put one part of what was loaded into shared memory: A's transposed, B's with
    // the two of each pair exchanged.
    auto put = [&](int stage, int s) {
        if (s < PARTS_A) {
            float* p = toA + stage + s * ROWS;
            p[0 * PITCH] = partA[s].x;
            p[1 * PITCH] = partA[s].y;
            p[2 * PITCH] = partA[s].z;
            p[3 * PITCH] = partA[s].w;
        } else {
            float4 v = partB[s - PARTS_A];
            *(float4*)(toB + stage + (s - PARTS_A) * DEPTH * BN) = make_float4(v.y, v.x, v.w, v.z);
        }
    };

    float acc[TM][TN] = {};
    float a[2][TM], b[2][TN];
    const float* getA = shared + slice * STEPS * PITCH + ty;
    const float* getB = shared + BK * PITCH + slice * STEPS * BN + tx;

    // Load the values of a step of k into one of the two sets of registers.
    auto get = [&](int set, int stage, int k) {
        #pragma unroll
        for (int i = 0; i < TM; i += 4)
            *(float4*)&a[set][i] = *(const float4*)(getA + stage + k * PITCH + i * 8);
        #pragma unroll
        for (int j = 0; j < TN; j += 4)
            *(float4*)&b[set][j] = *(const float4*)(getB + stage + k * BN + j * 4);
    };

    bring(0);
    #pragma unroll
    for (int s = 0; s < PARTS; ++s)
        put(0, s);
    __syncthreads();
    get(0, 0, 0);

    int stage = 0;
    #pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        int next = STAGE - stage;
        bring(k0 + BK);

        #pragma unroll
        for (int k = 0; k < STEPS; ++k) {
            // PUTS parts in each of the last steps.
            #pragma unroll
            for (int s = 0; s < PARTS; ++s)
                if (k == STEPS - 1 - (PARTS - 1 - s) / PUTS)
                    put(next, s);

            // The last step loads what everybody has put there for the next tile.
            // One barrier is enough: before anybody puts something into this
            // tile's place, he passes the barrier of the next one.
            if (k == STEPS - 1) {
                __syncthreads();
                get((k + 1) % 2, next, 0);
            } else {
                get((k + 1) % 2, stage, k + 1);
            }

            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int step = 0; step < TN; ++step) {
                    int j = i % 2 ? TN - 1 - step : step;
                    acc[i][j] += a[k % 2][i] * b[k % 2][j ^ 1];
                }
        }
        stage = next;
    }

#if SLICES > 1
    // The first slice adds the others' sums to its own, through shared memory.
    float4* sums = (float4*)shared + t % GROUP;
    #pragma unroll
    for (int s = 1; s < SLICES; ++s) {
        __syncthreads();
        if (slice == s) {
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int j = 0; j < TN; j += 4)
                    sums[(i * TN + j) / 4 * GROUP] = *(float4*)&acc[i][j];
        }
        __syncthreads();
        if (slice == 0) {
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int j = 0; j < TN; j += 4) {
                    float4 v = sums[(i * TN + j) / 4 * GROUP];
                    acc[i][j + 0] += v.x;
                    acc[i][j + 1] += v.y;
                    acc[i][j + 2] += v.z;
                    acc[i][j + 3] += v.w;
                }
        }
    }
    if (slice != 0) return;
#endif

    #pragma unroll
    for (int i = 0; i < TM; ++i)
        #pragma unroll
        for (int j = 0; j < TN; j += 4)
            store4(C, firstRow + ty + i / 4 * 32 + i % 4, firstCol + tx + j * 4,
                   M, N, *(float4*)&acc[i][j]);
}
