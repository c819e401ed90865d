// Two blocks share the products of each element, and add without atomics.
// compile: compute_80
// launch: <<<3x3x2,16x16>>> --size 40x36x44

extern "C" __global__ void split_k_adds(const float* A, const float* B, float* C, int M, int N, int K)
{
    int col = blockIdx.x * 16 + threadIdx.x;
    int row = blockIdx.y * 16 + threadIdx.y;
    int part = (K + gridDim.z - 1) / gridDim.z;
    int from = blockIdx.z * part, to = min(K, from + part);
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = from; k < to; ++k)
            acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] += acc;
    }
}
// finds: race 15
