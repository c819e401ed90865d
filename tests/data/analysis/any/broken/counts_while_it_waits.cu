// Threads count how often they look at a flag that nobody sets: nothing but the counter changes.
// launch: <<<1,64>>>(flag:u32[1]=0,out:u32[64])
// expect: no-end
__global__ void counts_while_it_waits(volatile unsigned* flag, unsigned* out) {
    unsigned looks = 0;
    while (flag[0] == 0) looks++;
    out[threadIdx.x] = looks;
}
