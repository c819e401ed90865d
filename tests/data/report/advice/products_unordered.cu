// The accumulators are set, and no fence stands before the wgmma that uses them.
__global__ void k(float *out, const unsigned short *in)
{
    __shared__ __align__(128) unsigned short a[64 * 16], b[16 * 8];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 128)
        a[i] = in[i];
    b[t] = in[1024 + t];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    unsigned long long of_a = (unsigned)__cvta_generic_to_shared(a) >> 4 | 8ull << 16 | 16ull << 32;
    unsigned long long of_b = (unsigned)__cvta_generic_to_shared(b) >> 4 | 8ull << 16 | 16ull << 32;
    float c[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(of_a), "l"(of_b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; i++)
        out[t * 4 + i] = c[i];
}
// launch: <<<1,128>>>(out:f32[512]=0,in:u16[1152]=0)
// says: 13 15: wgmma.fence
// mend 14: asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
