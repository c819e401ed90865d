// Each warp sums up by itself, with __syncwarp() between the steps.
// compile: compute_80
// launch: <<<1,128>>> --size 16

extern "C" __global__ void warp_tree(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[4][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    s[warp][lane] = A[threadIdx.x] * B[threadIdx.x];
    __syncwarp();
    for (int stride = 16; stride > 0; stride /= 2) {
        float other = lane < stride ? s[warp][lane + stride] : 0.0f;
        __syncwarp();
        if (lane < stride)
            s[warp][lane] += other;
        __syncwarp();
    }
    if (lane == 0)
        C[warp] = s[warp][0];
}
