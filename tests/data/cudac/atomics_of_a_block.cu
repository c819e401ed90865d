__global__ void k(int *out, unsigned *turn) {
  int t = threadIdx.x;
  atomicAdd_block(out + t % 4, t);
  atomicSub_system(out + 4, t);
  atomicMax_block(out + 5, t * 7 % 32);
  atomicDec_block(turn, 50u);
}

// sim: (void)<<<1,32>>>(out:i32[32]=0,turn:u32[1]=40)
// out: 3960ad9120de
