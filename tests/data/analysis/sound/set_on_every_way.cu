// Variables without a first value that are set on every way to where they are read.
// compile: compute_80
// launch: <<<,16x4>>> --size 32x32x20

extern "C" __global__ void set_on_every_way(const float* A, const float* B, float* C, int M, int N,
                                            int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum, last, own;
    bool is_odd = row % 2 == 1;
    if (is_odd)
        own = A[row * K];
    for (int k = 0; k < K; ++k) {
        if (k == 0)
            sum = 0.0f;
        last = B[k * N + col];
        sum += (is_odd && k == 0 ? own : A[row * K + k]) * last;
    }
    C[row * N + col] = sum;
}
