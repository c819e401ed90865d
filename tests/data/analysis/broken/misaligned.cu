// float4 loads of rows whose length is no multiple of four.
// compile: compute_80
// launch: <<<,16x16>>> --size 40x36x46

extern "C" __global__ void misaligned(const float* A, const float* B, float* C, int M, int N, int K)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k + 4 <= K; k += 4) {
            float4 a = *(const float4*)(A + row * K + k);
            acc += a.x * B[k * N + col] + a.y * B[(k + 1) * N + col];
            acc += a.z * B[(k + 2) * N + col] + a.w * B[(k + 3) * N + col];
        }
        C[row * N + col] = acc;
    }
}
// finds: memory 12
