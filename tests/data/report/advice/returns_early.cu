__global__ void k(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t >= n)
    return;
  s[t] = in[t];
  __syncthreads();
  out[t] = s[n - 1 - t];
}
// launch: <<<1,64>>>(out:f32[64]=0,in:f32[64]=random,n=40)
// says: 4 7: Let these threads stay until the last barrier: guard what they load and store instead of returning early.
// mend 4: if (t < n)
// mend 5: s[t] = in[t];
// mend 6:
// mend 8: if (t < n) out[t] = s[n - 1 - t];
