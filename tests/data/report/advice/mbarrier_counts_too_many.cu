// The mbarrier counts 64 arrivals, and 32 threads arrive.
__global__ void k(float *out, const float *in)
{
    __shared__ float held[32];
    __shared__ __align__(8) unsigned long long full;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&full);
    int t = threadIdx.x;
    if (t == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" :: "r"(bar) : "memory");
    __syncthreads();
    if (t < 32) {
        held[t] = in[t];
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(bar) : "memory");
    } else {
        asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" :: "r"(bar) : "memory");
        out[t - 32] = held[63 - t];
    }
}
// launch: <<<1,64>>>(out:f32[32]=0,in:f32[32]=random)
// says: 15: Let as many threads arrive in every phase as mbarrier.init told
// mend 9: asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" :: "r"(bar) : "memory");
