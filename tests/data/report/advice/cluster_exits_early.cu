// A block of the cluster may have ended before the other loads its shared memory.
__global__ void k(float *out, const float *in)
{
    __shared__ float held[32];
    int t = threadIdx.x;
    held[t] = in[blockIdx.x * 32 + t];
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    unsigned at = (unsigned)__cvta_generic_to_shared(&held[t]);
    float other;
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(at) : "r"(blockIdx.x ^ 1));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(other) : "r"(at) : "memory");
    out[blockIdx.x * 32 + t] = other;
}
// launch: __cluster_dims__(2)<<<2,32>>>(out:f32[64]=0,in:f32[64]=random)
// says: 11 13: Let all blocks of the cluster meet after the last access to each other's shared memory
// mend 12: asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory"); out[blockIdx.x * 32 + t] = other;
