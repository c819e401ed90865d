// Tiles of 32 x 32 in shared memory, fetched by blocks of 1,024 threads in one dimension; the
// pointers move along.
// compile: compute_70
// launch: <<<3x2,1024>>> --size 96x64x32
// result: chain alpha

#define SIDE 32

__global__ void sgemm_shared(int M, int N, int K, float alpha, const float* A, const float* B,
                             float beta, float* C)
{
    __shared__ float tileA[SIDE * SIDE];
    __shared__ float tileB[SIDE * SIDE];
    const unsigned row = threadIdx.x / SIDE;
    const unsigned col = threadIdx.x % SIDE;
    const float* a = A + blockIdx.x * SIDE * K + row * K + col;
    const float* b = B + blockIdx.y * SIDE + row * N + col;
    float* c = C + (blockIdx.x * SIDE + row) * N + blockIdx.y * SIDE + col;

    float sum = 0.0f;
    for (int left = K; left > 0; left -= SIDE) {
        tileA[threadIdx.x] = *a;
        tileB[threadIdx.x] = *b;
        a += SIDE;
        b += SIDE * N;
        __syncthreads();
        for (int k = 0; k < SIDE; ++k)
            sum += tileA[row * SIDE + k] * tileB[k * SIDE + col];
        __syncthreads();
    }
    *c = alpha * sum + beta * *c;
}
