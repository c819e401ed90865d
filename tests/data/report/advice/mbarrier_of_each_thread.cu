// Every thread initialises the mbarrier.
__global__ void k(float *out, const float *in)
{
    __shared__ float held[64];
    __shared__ __align__(8) unsigned long long full;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&full);
    int t = threadIdx.x;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" :: "r"(bar) : "memory");
    __syncthreads();
    held[t] = in[t];
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(bar) : "memory");
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" :: "r"(bar) : "memory");
    out[t] = held[63 - t];
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 8: Let one thread initialise each mbarrier once (mbarrier.init), then a barrier
// mend 8: if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" :: "r"(bar) : "memory");
