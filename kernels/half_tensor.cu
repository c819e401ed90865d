// C = A x B, A and B in half precision, sums in float32, with tensor cores.
//
// mma.sync is one instruction for a whole warp: it multiplies a 16 x 16 piece of
// A by a 16 x 8 piece of B and adds the product to a 16 x 8 piece of C, 2048
// multiply-adds where a multiply-add instruction does 32. All the rest of the
// kernel is there to bring the pieces fast enough:
// - Each lane holds a few elements of each piece, in an order that suits the
//   hardware: of A, row lane / 4 and that + 8, columns lane % 4 * 2 and so on.
//   ldmatrix loads pieces from shared memory in this order. It loads rows of
//   16 bytes, eight at a time, whose addresses eight lanes give: with .trans it
//   hands them out by columns, which is how mma.sync wants B.
// - Those eight rows must lie in different banks. Rows of a tile are 128 or more
//   bytes apart: the same banks. Instead of padding: in row r, the 16 bytes that
//   belong at place p are kept at place p ^ (r % 8).
// - STAGES sets of tiles, filled by cp.async, three ahead of the one in use. At
//   such a speed global memory is many tiles away.
//
// Halves are declared as unsigned short: only the hardware looks into them.
//
// BK and BN are multiples of 64, and 8 rows or more of each tile are fetched at
// once. Dynamic shared memory: 2 * STAGES * BK * (BM + BN) bytes.

#ifndef BM
#define BM 128
#define BN 256
#define BK 64
#define WM 64
#define WN 64
#define STAGES 4
#define BAND 8
#endif
#define TM (WM / 16)                    // pieces of C for each warp
#define TN (WN / 8)
#define THREADS (BM / WM * (BN / WN) * 32)
#define STAGE (BK * (BM + BN))          // halves of a pair of tiles: A's, then B's
#define ROWS (THREADS / (BK / 8))       // rows of A's tile that are fetched at once
#define DEPTH (THREADS / (BN / 8))      // the same of B's

typedef unsigned short half_t;

// Start a copy of 16 bytes, or of as many zeros.
__device__ void copy16(unsigned to, const half_t* from, bool valid)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :: "r"(to), "l"(from), "r"(valid ? 16 : 0) : "memory");
}

// Four 8 x 8 pieces; lane l gives the address of row l % 8 of piece l / 8.
__device__ void ldmatrix(unsigned (&d)[4], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(from) : "memory");
}

__device__ void ldmatrix_trans(unsigned (&d)[4], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(from) : "memory");
}

__device__ void mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two neighbours in a row of C, if they are the block's own.
__device__ void store2(float* C, int row, int col, int M, int N, int ownRow, int ownCol,
                       float x, float y)
{
    if (row >= M || row < ownRow || col < ownCol) return;
    float* c = C + row * N + col;
    if (N % 2 == 0) {
        if (col < N) *(float2*)c = make_float2(x, y);
    } else {
        if (col + 0 < N) c[0] = x;
        if (col + 1 < N) c[1] = y;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
half_tensor(const half_t* A, const half_t* B, float* C, int M, int N, int K)
{
    extern __shared__ __align__(128) half_t shared[];
    unsigned base = (unsigned)__cvta_generic_to_shared(shared);

    // Blocks that run at the same time make a band of BAND rows of tiles, not a
    // line through C: a squarer part of C needs less of A and B together, which
    // then stays in the L2 cache.
    int id = blockIdx.y * gridDim.x + blockIdx.x;
    int band = id / (BAND * gridDim.x) * BAND;
    int height = min(BAND, (int)gridDim.y - band);
    int place = id - band * gridDim.x;
    int ownRow = (band + place % height) * BM;
    int ownCol = place / height * BN;

    // Tiles that reach beyond the edges of C are moved back inside, over a part of
    // their neighbours: so they need no guards. Each stores its own part only.
    bool wide = K % 8 == 0 && N % 8 == 0;
    int firstRow = wide ? min(ownRow, max(M - BM, 0)) : ownRow;
    int firstCol = wide ? min(ownCol, max(N - BN, 0)) : ownCol;

    int t = threadIdx.x;
    int lane = t % 32;
    int warpRow = t / 32 / (BN / WN) * WM;
    int warpCol = t / 32 % (BN / WN) * WN;

    // The first 16 bytes that this thread fetches of each tile, and their place.
    int rowA = t / (BK / 8), kA = t % (BK / 8) * 8;
    int kB = t / (BN / 8), colB = t % (BN / 8) * 8;
    const half_t* fromA = A + (firstRow + rowA) * K + kA;
    const half_t* fromB = B + kB * N + firstCol + colB;
    unsigned toA = base + 2 * (rowA * BK + (kA ^ rowA % 8 * 8));
    unsigned toB = base + 2 * (BM * BK + kB * BN + (colB ^ kB % 8 * 8));

    // Start to fetch the tiles at k0 into a stage.
    bool inside = wide && firstRow + BM <= M && firstCol + BN <= N;
    auto fetch = [&](int stage, int k0) {
        if (inside && k0 < K) {
            #pragma unroll
            for (int s = 0; s < BM / ROWS; ++s)
                copy16(toA + 2 * (stage * STAGE + s * ROWS * BK), fromA + k0 + s * ROWS * K,
                       k0 + kA < K);
            #pragma unroll
            for (int s = 0; s < BK / DEPTH; ++s)
                copy16(toB + 2 * (stage * STAGE + s * DEPTH * BN), fromB + (k0 + s * DEPTH) * N,
                       k0 + kB + s * DEPTH < K);
        } else if (k0 < K) {
            // One by one; zeros outside the matrices.
            half_t* tile = shared + stage * STAGE;
            #pragma unroll 1
            for (int i = t; i < BM * BK; i += THREADS) {
                int row = i / BK, k = i % BK;
                bool in = firstRow + row < M && k0 + k < K;
                tile[row * BK + (k ^ row % 8 * 8)] = in ? A[(firstRow + row) * K + k0 + k] : 0;
            }
            tile += BM * BK;
            #pragma unroll 1
            for (int i = t; i < BK * BN; i += THREADS) {
                int k = i / BN, col = i % BN;
                bool in = k0 + k < K && firstCol + col < N;
                tile[k * BN + (col ^ k % 8 * 8)] = in ? B[(k0 + k) * N + firstCol + col] : 0;
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    float acc[TM][TN][4] = {};
    unsigned a[2][TM][4], b[2][TN / 2][4];

    // This lane's row in a 16 x 16 piece is lane % 16, its 16 bytes lane / 16: the
    // pieces come in the order in which mma.sync takes them. Exclusive or is what
    // adds to a place: (p + lane / 16) ^ lane % 8 for even p.
    int swizzle = (lane / 16 ^ lane % 8) * 8;
    unsigned getA = base + 2 * (warpRow + lane % 16) * BK;
    unsigned getB = base + 2 * (BM * BK + lane % 16 * BN);
    auto get = [&](int set, int stage, int k) {
        #pragma unroll
        for (int i = 0; i < TM; ++i)
            ldmatrix(a[set][i], getA + 2 * (stage * STAGE + i * 16 * BK + (k ^ swizzle)));
        #pragma unroll
        for (int j = 0; j < TN / 2; ++j)
            ldmatrix_trans(b[set][j], getB + 2 * (stage * STAGE + k * BN + (warpCol + j * 16 ^ swizzle)));
    };

    #pragma unroll
    for (int s = 0; s < STAGES - 1; ++s)
        fetch(s, s * BK);
    asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
    __syncthreads();
    get(0, 0, 0);

    int stage = 0;
    #pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        int next = stage == STAGES - 1 ? 0 : stage + 1;
        int last = stage == 0 ? STAGES - 1 : stage - 1;

        #pragma unroll
        for (int k = 0; k < BK; k += 16) {
            int set = k / 16 % 2;
            if (k == BK - 16) {
                // The next tiles have arrived: this thread's, then everybody's.
                asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
                __syncthreads();
                get(1 - set, next, 0);
            } else {
                get(1 - set, stage, k + 16);
            }
            // Everybody has left the tiles before these: fill their place.
            if (k == 0)
                fetch(last, k0 + (STAGES - 1) * BK);

            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int step = 0; step < TN; ++step) {
                    int j = i % 2 ? TN - 1 - step : step;
                    mma(acc[i][j], a[set][i], b[set][j / 2][j % 2 * 2], b[set][j / 2][j % 2 * 2 + 1]);
                }
        }
        stage = next;
    }

    #pragma unroll
    for (int i = 0; i < TM; ++i)
        #pragma unroll
        for (int j = 0; j < TN; ++j) {
            int row = firstRow + warpRow + i * 16 + lane / 4;
            int col = firstCol + warpCol + j * 8 + lane % 4 * 2;
            store2(C, row + 0, col, M, N, ownRow, ownCol, acc[i][j][0], acc[i][j][1]);
            store2(C, row + 8, col, M, N, ownRow, ownCol, acc[i][j][2], acc[i][j][3]);
        }
}
