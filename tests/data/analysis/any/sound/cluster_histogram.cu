// A histogram whose bins lie in the shared memory of both blocks of a cluster, half in each.
// compile: compute_90
// launch: <<<4,128>>>(in:i32[512]=0..64,bins:u32[64]=0,n=512)
__device__ void meet()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ unsigned* of_rank(unsigned* own, unsigned rank)
{
    unsigned* there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(own), "r"(rank));
    return there;
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) histogram(const int* in, unsigned* bins, int n)
{
    __shared__ unsigned own[32];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 32) own[t] = 0;
    meet();
    if (i < n) atomicAdd(of_rank(own, in[i] / 32) + in[i] % 32, 1u);
    meet();
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (t < 32) atomicAdd(&bins[32 * rank + t], own[t]);
}
