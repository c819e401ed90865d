// Each thread waits for its own copies only.
__global__ void k(float *out, const float *in)
{
    __shared__ float held[64];
    int t = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(&held[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at), "l"(in + t) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[t] = held[63 - t];
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random)
// says: 7 10: put a __syncthreads() behind that wait
// mend 9: asm volatile("cp.async.wait_group 0;" ::: "memory"); __syncthreads();
