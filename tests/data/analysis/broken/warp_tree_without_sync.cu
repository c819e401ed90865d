// Each warp sums up by itself, as if its lanes were always in step.
// compile: compute_80
// launch: <<<1,128>>>(A:f32[512],B:f32[512],C:f32[512],M=8,N=8,K=8) --size 16

extern "C" __global__ void warp_tree_without_sync(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ volatile float s[4][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    s[warp][lane] = A[threadIdx.x] * B[threadIdx.x];
    if (lane < 16) {
        s[warp][lane] += s[warp][lane + 16];
        s[warp][lane] += s[warp][lane + 8];
        s[warp][lane] += s[warp][lane + 4];
        s[warp][lane] += s[warp][lane + 2];
        s[warp][lane] += s[warp][lane + 1];
    }
    if (lane == 0)
        C[warp] = s[warp][0];
}
// finds: race 11 12
// finds: race 12
// finds: race 12 13
// finds: race 13
// finds: race 13 14
// finds: race 14
// finds: race 14 15
// finds: race 15
// finds: race 9 11
// finds: race 9 12
// finds: race 9 13
// finds: race 9 14
// finds: race 9 15
