// A scan of one pass: each block adds up what those before have left, in words of 64 bits that say
// in one access what they hold and how far it goes.
// compile: compute_80
// launch: <<<6,64>>> --size 32

__device__ volatile unsigned long long status[6];

extern "C" __global__ void look_back(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[64], before;
    int t = threadIdx.x, block = blockIdx.x;
    s[t] = A[block * 64 + t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        float more = t >= d ? s[t - d] : 0.0f;
        __syncthreads();
        s[t] += more;
        __syncthreads();
    }
    if (t == 0) {
        float sum = 0.0f;
        status[block] = (block == 0 ? 2ull : 1ull) << 32 | __float_as_uint(s[63]);
        for (int from = block - 1; from >= 0; --from) {
            unsigned long long word;
            while ((word = status[from]) >> 32 == 0)
                ;
            sum += __uint_as_float((unsigned)word);
            if (word >> 32 == 2)
                break;
        }
        before = sum;
        if (block)
            status[block] = 2ull << 32 | __float_as_uint(sum + s[63]);
    }
    __syncthreads();
    C[block * 64 + t] = s[t] + before;
}
